"""Prospects: the next opponents that may come after each result of a match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

from pairopt.lots.chances import Measure
from pairopt.records import record
from pairopt.words import Said

Outcome = Literal["win", "draw", "loss"]
Helps = Literal["certainly", "possibly", "never", "unknown"]
ByeCounts = Literal["weakest", "strongest"]
OUTCOMES: tuple[Outcome, ...] = ("win", "draw", "loss")
CHANGES: tuple[tuple[Outcome, Outcome], ...] = tuple(combinations(OUTCOMES, 2))
"""A better result, and a worse one."""
COLUMNS = (
    "event", "round", "model", "by", "table", "player", "opponent", "result",
    *(f"after_{outcome}" for outcome in OUTCOMES),
    *(f"{worse}_for_{better}" for better, worse in CHANGES),
)  # fmt: skip
"""Columns of the table of prospects; `round` is the one whose results are exchanged."""
FAR = 2**62
"""Beyond any rating and any score."""
MIRRORED: Mapping[Outcome, Outcome] = {"win": "loss", "draw": "draw", "loss": "win"}


@dataclass(frozen=True, slots=True)
class After:
    """The next opponents that a player may have after a result, weakest first.

    None is the bye. `known` is False where the deadline came before it, or there is no pairing.
    """

    opponents: tuple[str | None, ...] = ()
    strengths: tuple[int, ...] = ()
    known: bool = False


@dataclass(frozen=True)
class Prospect:
    """A player in a match of the last round, and what may come after each result of it."""

    table: int
    player: str
    opponent: str
    result: str
    after: Mapping[Outcome, After]

    def helps(self, better: Outcome, worse: Outcome) -> Helps:
        """Whether the worse result of two makes for a weaker next opponent."""
        high, low = self.after[better], self.after[worse]
        if not (high.known and low.known):
            return "unknown"
        if low.strengths[-1] < high.strengths[0]:
            return "certainly"
        return "possibly" if low.strengths[0] < high.strengths[-1] else "never"


@dataclass(frozen=True)
class Incentives:
    """The prospects of all who played a match in the round before `round`, which is paired.

    `by` is what makes an opponent weaker, `bye_counts` what the bye counts as. `impossible` is the
    number of results after which no pairing satisfies the constraints. `complete` is False where
    the deadline came before everything was known.
    """

    event: str
    round: int
    model: str
    by: Measure
    bye_counts: ByeCounts
    prospects: tuple[Prospect, ...]
    complete: bool
    impossible: int
    notes: tuple[str | Said, ...] = ()

    def counts(self, better: Outcome, worse: Outcome) -> dict[Helps, int]:
        """How many players the worse result of two helps certainly, possibly, never."""
        said = Counter(one.helps(better, worse) for one in self.prospects)
        return {verdict: said[verdict] for verdict in get_args(Helps)}

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            **record(self, "event", "round", "model", "by", "bye_counts", "complete"),
            "players": [
                {
                    **record(one, "table", "player", "opponent", "result"),
                    "after": {
                        outcome: list(after.opponents) if after.known else None
                        for outcome, after in one.after.items()
                    },
                    "helps": {f"{worse} for {better}": one.helps(better, worse)
                              for better, worse in CHANGES},
                }
                for one in self.prospects
            ],
        }  # fmt: skip


def prospect_rows(found: Incentives) -> Iterator[list[object]]:
    """A row a player with the columns `COLUMNS`; opponents as a list, the weakest first."""
    for one in found.prospects:
        yield [
            found.event,
            found.round - 1,
            found.model,
            found.by,
            one.table or None,
            one.player,
            one.opponent,
            one.result,
            *(_listed(one.after[outcome]) for outcome in OUTCOMES),
            *(one.helps(better, worse) for better, worse in CHANGES),
        ]


def _listed(after: After) -> str | None:
    if not after.known:
        return None
    return ";".join("BYE" if name is None else name for name in after.opponents)
