"""Rankings: orders of the players after a tournament, found by their `kind`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import FloatArray, IntArray
from pairopt.event.event import Event
from pairopt.event.tie_breaks import is_known
from pairopt.lab.identity import name_of, user_code_errors
from pairopt.lab.metrics import Measured
from pairopt.lab.order import kendall
from pairopt.lab.simulating import Tournament
from pairopt.registry import ExtensionRegistry
from pairopt.rules.plugins import NO_OWN, resolve_name

DECIMALS = 6
"""Numbers that agree so far are one rank: sums in another order differ in their last digits."""


class Ranking(Protocol):
    """Ranks the players of an event by its results: any function of it. It gives each a number,
    shape (players,): the larger ranks higher, equal ones share a rank.
    """

    def __call__(self, event: Event, /) -> FloatArray | IntArray:
        """The players' numbers after all matches played."""


@dataclass(frozen=True)
class Tau:
    """The metric `kendall_<name>`: tau-b of a ranking's final standings with the true strengths."""

    ranking: Ranking

    @property
    def name(self) -> str:
        return f"kendall_{name_of(self.ranking)}"

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.name,)

    def __call__(self, played: Tournament, /) -> Mapping[str, Measured]:
        name, n = name_of(self.ranking), len(played.strength)
        with user_code_errors(f"ranking {name}"):
            found = np.asarray(self.ranking(played.event), np.float64)
        if found.shape != (n,) or np.isnan(found).any():
            raise UsageError("ranking.numbers_unfit", ranking=name, players=n)
        here = played.field.active(
            played.event.round - 1, played.games
        )  # as of `kendall`
        return {
            self.name: float(
                kendall(np.round(found[here], DECIMALS), played.strength[here])
            )
        }


RANKINGS: ExtensionRegistry[type[Ranking]] = ExtensionRegistry(
    __name__, Ranking, "pairopt.rankings"
)


def ranking_of(text: str, own: Mapping[str, object] = NO_OWN) -> Ranking:
    """A ranking by its name, or points with tie-breaks: `buchholz+wins`; `points` has none. Raises
    UsageError where there is none.
    """
    from pairopt.lab.rankings.shipped import TieBreaks

    if text not in own and text == "points":
        return TieBreaks(())
    parts = re.split(r"\+(?!\d)", text)  # but not in KS/L+1
    if text not in own and all(map(is_known, parts)):
        return TieBreaks(tuple(parts))
    return resolve_name(text, RANKINGS, own)
