"""Count the outcomes of a Counter-Strike Major's two rounds that leave no third round.

python tests/benchmarks/third_round.py

A stage has 16 teams, so rounds 1 and 2 have 16 matches and 65,536 outcomes. In each
outcome, three methods pair round 3: the text of the rules taken literally, the text with
choices that can be taken back, and pairopt. `tests/support/majors_literal.py` has the
first two, without code of pairopt. pairopt pairs the outcomes in which the text gets stuck.

`results/third-round.csv` has the counts, and `results/third-round-stuck.csv` has the
outcomes in which the text gets stuck, with pairopt's round 3 of the group with record 1-1.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import click

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support")]

from majors_literal import Game, Pair, Stage, outcomes  # noqa: E402

RESULTS = ROOT / "tests" / "benchmarks" / "results"
FIRST_ROUNDS = {
    "1-9": [(seed, seed + 8) for seed in range(1, 9)],
    "1-16": [(seed, 17 - seed) for seed in range(1, 9)],
}
"""The pairs of round 1 since 2024, and before."""
MODELS = {"1-9": "major", "1-16": "major-fold"}
CHANCES = ("1/2", "3/5", "7/10", "4/5")
"""Probabilities that the better initial seed of a match wins."""


class Outcome(NamedTuple):
    """The results of rounds 1 and 2, and the groups in which the text gets stuck."""

    rounds: tuple[list[Game], list[Game]]
    stuck: list[list[int]]
    stage: Stage

    @property
    def upsets(self) -> int:
        """The number of matches that the worse initial seed won."""
        return sum(winner > loser for games in self.rounds for winner, loser in games)


def all_outcomes(start: Sequence[Pair]) -> Iterator[Outcome]:
    """Every outcome of two rounds, of which the first has these pairs."""
    for first in outcomes(start):
        for second in outcomes(Stage(first).pairs()):
            stage = Stage([*first, *second])
            stuck = [group for group in stage.groups() if stage.greedy(group) is None]
            yield Outcome((first, second), stuck, stage)


def has_round_without_rematch(outcome: Outcome) -> bool:
    """Whether every group can be paired without a rematch."""
    return all(
        outcome.stage.highest_against_lowest(group) is not None
        for group in outcome.stage.groups()
    )


def pairs_of_pairopt(outcome: Outcome, model: str) -> set[frozenset[int]]:
    """The pairs of pairopt's third round, which must be proven optimal."""
    from majors_data import event_after, pairs_of

    return pairs_of(event_after([*outcome.rounds]), model)


def rematches(outcome: Outcome, pairs: set[frozenset[int]]) -> int:
    """How many of these pairs have met."""
    return len({frozenset(game) for games in outcome.rounds for game in games} & pairs)


def chance(outcome: Outcome, text: str) -> Fraction:
    """The probability of an outcome if the better seed of each match wins with this one."""
    better = Fraction(text)
    games = sum(map(len, outcome.rounds))
    return better ** (games - outcome.upsets) * (1 - better) ** outcome.upsets


def stuck_row(outcome: Outcome, pairs: set[frozenset[int]]) -> dict[str, str]:
    """A row of the list of outcomes in which the text gets stuck."""
    (group,) = outcome.stuck
    of_group = sorted(
        sorted(pair, key=group.index) for pair in pairs if pair < {*group}
    )
    of_group.sort(key=lambda pair: group.index(pair[0]))
    first, second = (
        " ".join(str(winner) for winner, _ in games) for games in outcome.rounds
    )
    return {
        "round1_winners": first,
        "round2_winners": second,
        "group": " ".join(map(str, group)),
        "round3": " ".join(f"{one}-{two}" for one, two in of_group),
    }


def count(
    start: Sequence[Pair], model: str
) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """Count all outcomes after this first round, and list those that are stuck."""
    seen = list(all_outcomes(start))
    stuck = [outcome for outcome in seen if outcome.stuck]
    pairs = [pairs_of_pairopt(outcome, model) for outcome in stuck]
    counts: dict[str, Any] = {
        "outcomes": len(seen),
        "text_stuck": len(stuck),
        "stuck_in_group_1_1": sum(
            all(
                outcome.stage.wins[team] == outcome.stage.losses[team] == 1
                for group in outcome.stuck
                for team in group
            )
            for outcome in stuck
        ),
        "without_any_round": sum(
            not has_round_without_rematch(outcome) for outcome in seen
        ),
        "rematches_of_pairopt": sum(map(rematches, stuck, pairs)),
    }
    for text in CHANCES:
        share = sum((chance(outcome, text) for outcome in stuck), Fraction(0))
        counts[f"stuck_if_better_seed_wins_{text}"] = f"{float(share):.6f}"
    return counts, [*map(stuck_row, stuck, pairs)]


def write_table(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@click.command()
@click.option(
    "-o", "folder", type=click.Path(path_type=Path), default=RESULTS, help="Folder."
)
def main(folder: Path) -> None:
    """Count the outcomes for both first rounds, and write both tables."""
    rows, stuck_rows = [], []
    for name, start in FIRST_ROUNDS.items():
        counts, stuck = count(start, MODELS[name])
        rows.append({"first_round": name, **counts})
        stuck_rows += [{"first_round": name, **row} for row in stuck]
        click.echo(rows[-1])
    write_table(folder / "third-round.csv", rows)
    write_table(folder / "third-round-stuck.csv", stuck_rows)


if __name__ == "__main__":
    main()
