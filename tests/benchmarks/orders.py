"""Studies: orders of criteria, styles of pairing inside score groups, the Dutch System; README.md.

    python tests/benchmarks/orders.py [orders-7|styles|dutch-32 ...] [--replicates N] [--jobs N]
                                      [--rounds FOLDER]

Writes means, paired differences and their tests to results/, and a figure to docs/. Tables of
rounds that are in the folder are not played again. `python tests/make/make_tables.py` then writes
the text of docs/research.md.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas as pd

from pairopt import Model, load_model
from pairopt.lab import World, compare_models, designs, differences, means, orderings
from pairopt.lab.figures import save, trade_off
from pairopt.lab.table import read_table
from pairopt.rules.criteria.pairing_style import PairingStyle

HERE = Path(__file__).parent
RESULTS = HERE / "results"
# double-sided is left out: its matches are of two games, and these worlds play one
OTHERS = ("top-first", "aesops", "aesops-2025", "cobra", "fide-basic",
          "aesops-by-hand", "monrad", "random")  # fmt: skip
CHESS = ("fide-dutch", "fide-basic", "monrad", "standard")
MARGIN = 0.01
"""Kendall's tau that is no difference to speak of."""
STYLES = ("fold", "slide", "random", "adjacent")


def excalibur_orders() -> tuple[Model, ...]:
    """Excalibur's criteria 3 to 6 (side difference, streak, score groups, difference of 2)."""
    return orderings(load_model("excalibur"), ["3", "4", "5", "6"])


def styled(style: str) -> Model:
    """The monrad model with another style of pairing inside score groups."""
    monrad = load_model("monrad")
    criteria = tuple(
        PairingStyle(style) if isinstance(rule, PairingStyle) else rule  # type: ignore[arg-type]
        for rule in monrad.criteria
    )
    return replace(monrad, name=style, criteria=criteria)


STUDIES = {
    # nobody is rated, as by default: no model knows more than the results
    "orders-7": ([*excalibur_orders(), *OTHERS],
                 World(players=32, rounds=7, first_side=35.0)),
    "orders-8": (excalibur_orders(),
                 World(players=32, rounds=8, first_side=35.0)),
    # strengths from 1400 to 2200, and known
    "styles": ([styled(style) for style in STYLES],
               World(players=32, rounds=7, spread=800 / 12**0.5, shape="uniform", draws=0.3,
                     win=Fraction(1), draw=Fraction(1, 2), sides=(), rating_error=0.0)),
    "styles-unrated": ([styled(style) for style in STYLES],
                       World(players=32, rounds=7, spread=800 / 12**0.5, shape="uniform",
                             draws=0.3, win=Fraction(1), draw=Fraction(1, 2), sides=())),
    # an open: ratings that are about right
    **{f"dutch-{players}":
           (CHESS, World(players=players, rounds=7, rating_error=80.0, draws=0.3, first_side=35.0,
                         win=Fraction(1), draw=Fraction(1, 2), sides=("white", "black")))
       for players in (32, 64)},
}  # fmt: skip


def summed_up(frame: pd.DataFrame) -> pd.DataFrame:
    """Means with intervals, then the paired differences to the first model, as one table.

    One row a design and metric; `same` has the other models of the design.
    """
    alike = designs(frame)
    frame = frame[frame["model"].isin(alike)]
    own, against = means(frame), differences(frame, margins={"kendall": MARGIN})
    joined = own.merge(against, on=["model", "metric"], how="left", suffixes=("", "_difference"))
    joined.insert(1, "same", joined["model"].map(lambda model: "; ".join(alike[model][1:])))
    return joined.drop(columns="n_difference").round(5)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("studies", nargs="*", default=[*STUDIES])
    parser.add_argument("--replicates", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=Path, default=RESULTS)
    given = parser.parse_args()
    for name in given.studies:
        start = time.monotonic()
        models, world = STUDIES[name]
        path = given.rounds / f"{name}-rounds.csv"
        if not path.exists():
            compare_models(models, world, replicates=given.replicates, seed=1, jobs=given.jobs,
                           output=path)  # fmt: skip
        frame = read_table(path)
        summed_up(frame).to_csv(RESULTS / f"{name}.csv", index=False, lineterminator="\n")
        if name == "orders-7":
            save(trade_off(frame, "floats", "kendall"), HERE.parents[1] / "docs" / "orders")
        print(f"{name}: {len(frame)} rounds in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
