"""What only exact solutions can say of a tournament; README.md.

    python tests/benchmarks/instruments.py floats|temptation [--tournaments N]

Writes the compromises between floats and side balance, or how often losing can help, to results/.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd

from pairopt import Model, load_model
from pairopt.event.origin import Origin
from pairopt.lab import World
from pairopt.lab.frontier.frontier import Frontier, frontier
from pairopt.lab.frontier.prices import table_of
from pairopt.lab.incentive.incentive import incentive
from pairopt.lab.incentive.prospects import CHANGES, OUTCOMES
from pairopt.lab.play import tournament
from pairopt.lab.world import Field
from pairopt.problem.orders import reordered

RESULTS = Path(__file__).parent / "results"
SEED = 1
FLOATS = ("score_groups", "side_difference:2")
ASKED = {16: 300, 32: 100}
TEMPTED = {16: 10, 32: 6}
"""How many tournaments with so many players, for each question."""
SHIPPED = ("excalibur", "standard", "top-first", "fide-basic", "monrad", "aesops", "aesops-2025",
           "cobra", "gatherling", "leaguevine", "fide-dutch")  # fmt: skip
"""The exact models that pair 7 rounds of single matches with sides."""


def world(players: int, rated: bool = True) -> World:
    """Seven rounds; ratings, where there are some, are the true strengths."""
    return World(players=players, rounds=7, first_side=35.0, rating_error=0.0 if rated else None)


def floats(tournaments: int | None) -> None:
    """Floats against side differences of 2, in every round that Excalibur's order pairs."""

    def found(players: int, count: int) -> Iterator[Frontier]:
        model = load_model("excalibur")
        for replicate in range(count):
            for made, _ in tournament(Field(world(players, rated=False), SEED, replicate), model):
                event = replace(made.problem.state.event, origin=Origin(f"{players}/{replicate}"))
                yield frontier(event, FLOATS, model)

    tables = [table_of(found(players, tournaments or count)) for players, count in ASKED.items()]
    pd.concat(tables).to_csv(RESULTS / "floats.csv", index=False, lineterminator="\n")


def orders() -> list[Model]:
    """Excalibur with score groups at each other place among its criteria 3 to 6."""
    model, places = load_model("excalibur"), [2, 3, 4, 5]
    return [reordered(model, places, order) for order in ([4, 2, 3, 5], [2, 4, 3, 5], [2, 3, 5, 4])]


def temptation(tournaments: int | None) -> None:
    """For each model how many players a result tempts, in every round but the last."""
    models = [*map(load_model, SHIPPED), *orders()]
    names = ["model", "players", "replicate", "round", "better", "worse",
             "certainly", "possibly", "never", "unknown", "opponents"]  # fmt: skip
    rows = []
    for replicate in range(tournaments or max(TEMPTED.values())):
        for players, count in TEMPTED.items():
            if tournaments or replicate < count:
                rows += [row for model in models for row in _tempted(model, players, replicate)]
        print(f"{replicate + 1} of each: {time.process_time():.0f} s", flush=True)
        frame = pd.DataFrame(rows, columns=names)
        frame.to_csv(RESULTS / "temptation.csv", index=False, lineterminator="\n")


def _tempted(model: Model, players: int, replicate: int) -> Iterator[list[object]]:
    for made, _ in tournament(Field(world(players), SEED, replicate), model):
        event = made.problem.state.event
        if event.round == 1:
            continue
        found = incentive(event, model, by="rating", last_round=event.round == 7)
        sizes = [len(one.after[o].opponents) for one in found.prospects for o in OUTCOMES]
        for better, worse in CHANGES:
            verdicts = Counter(one.helps(better, worse) for one in found.prospects)
            yield [
                model.name, players, replicate, event.round - 1, better, worse,
                *(verdicts[said] for said in ("certainly", "possibly", "never", "unknown")),
                round(sum(sizes) / len(sizes), 3),
            ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("study", choices=["floats", "temptation"])
    parser.add_argument("--tournaments", type=int, help="of each size")
    given = parser.parse_args()
    start = time.process_time()
    {"floats": floats, "temptation": temptation}[given.study](given.tournaments)
    print(f"{given.study}: {time.process_time() - start:.0f} s of the processor")


if __name__ == "__main__":
    main()
