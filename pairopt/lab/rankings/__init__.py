"""Rankings of the players after a tournament, found by their `kind`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import FloatArray, IntArray
from pairopt.event.event import Event
from pairopt.event.tie_breaks import is_known, tie_breaks_named
from pairopt.lab.identity import name_of, user_code_errors
from pairopt.lab.metrics import Measured
from pairopt.lab.order import kendall
from pairopt.lab.simulating import Tournament
from pairopt.registry import ExtensionRegistry
from pairopt.rules.plugins import NO_OWN, resolve_name

DECIMALS = 6
"""Players share a rank if their numbers agree to so many decimals: sums in another order differ."""


class Ranking(Protocol):
    """A ranking: any function of an event that gives each player a number.

    A larger number ranks higher, and equal numbers share a rank.
    """

    def __call__(self, event: Event, /) -> FloatArray | IntArray:
        """Rank the players after all matches played.

        Parameters
        ----------
        event
            The event after its last round.

        Returns
        -------
        array
            A number for each player, shape (players,). A larger number ranks higher, equal
            numbers share a rank.
        """


@dataclass(frozen=True)
class Tau:
    """The metric `kendall_<name>`: Kendall's tau-b of a ranking with true strengths.

    `ranking` is the ranking, whose name is in that of the column. The metric is one
    number per tournament. Only the players of the last round count. A call with a
    tournament returns it by its column.
    """

    ranking: Ranking

    @property
    def name(self) -> str:
        """The name of the metric, for example "kendall_buchholz"."""
        return f"kendall_{name_of(self.ranking)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The only column of the metric."""
        return (self.name,)

    def __call__(self, played: Tournament, /) -> Mapping[str, Measured]:
        """Return Kendall's tau-b of the final ranking with true strength, by its column.

        Only the players of the last round count. Raises UsageError unless the ranking
        returns one number per player.
        """
        ranking_name = name_of(self.ranking)
        player_count = len(played.strength)
        with user_code_errors(f"ranking {ranking_name}"):
            ranking_numbers = np.asarray(self.ranking(played.event), np.float64)
        if ranking_numbers.shape != (player_count,) or np.isnan(ranking_numbers).any():
            raise UsageError(
                "ranking.numbers_unfit", ranking=ranking_name, players=player_count
            )

        # the players of the last round, as for the column `kendall`
        is_active = played.field.active(played.event.round - 1, played.games)
        rounded_numbers = np.round(ranking_numbers[is_active], DECIMALS)
        kendall_tau = kendall(rounded_numbers, played.strength[is_active])
        return {self.name: float(kendall_tau)}


RANKINGS: ExtensionRegistry[type[Ranking]] = ExtensionRegistry(
    __name__, Ranking, "pairopt.rankings"
)


TIE_BREAK_SEPARATOR = re.compile(r"\+(?!\d)")
"""A plus between two tie-breaks, but not that in KS/L+1."""


def split_tie_breaks(text: str) -> tuple[str, ...]:
    """Return the tie-breaks in a text such as `buchholz+wins`; none for `points`.

    Raises UsageError for one that does not exist, or is there twice.
    """
    if text == "points":
        return ()
    tie_breaks = tuple(TIE_BREAK_SEPARATOR.split(text))
    tie_breaks_named(tie_breaks)
    return tie_breaks


def resolve_ranking(text: str, own: Mapping[str, object] = NO_OWN) -> Ranking:
    """Resolve a ranking from its name, or from tie-breaks such as `buchholz+wins`.

    Tie-breaks come after points; "points" has none of them. `own` are the user's
    plug-ins by name, which come before tie-breaks and rankings of that name. Raises
    UsageError for a name that does not exist.
    """
    from pairopt.lab.rankings.shipped import TieBreaks

    if text not in own and text == "points":
        return TieBreaks(())
    tie_breaks = TIE_BREAK_SEPARATOR.split(text)
    if text not in own and all(map(is_known, tie_breaks)):
        return TieBreaks(tuple(tie_breaks))
    return resolve_name(text, RANKINGS, own)
