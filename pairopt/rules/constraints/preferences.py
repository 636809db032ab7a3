"""FIDE's constraints on absolute side preferences and on the allocation of sides."""

from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.fide_attributes import ABSOLUTE, FideAttributes
from pairopt.event.state import State
from pairopt.rules.base import Constraint


@dataclass(frozen=True)
class AllocatedSides(Constraint):
    """Who has the first side follows from preferences, earlier sides, rank and the drawn side.

    Source: FIDE Handbook C.04.3, article 5.2.
    """

    kind = "allocated_sides"
    facts = "fide"
    needs_sides = True
    per_player = True
    of_field = True

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True where the first player is the one who gets the first side."""
        first = has_first_side(getattr(state, self.facts), arcs.first, arcs.second)
        return np.asarray(arcs.bye | first, np.bool_)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return a distinct number per player: ranks and histories differ."""
        return (
            np.arange(len(state)),
        )  # ranks and histories tell nearly everybody apart


def has_first_side(fide: FideAttributes, one: IntArray, two: IntArray) -> BoolArray:
    """Return True where `one` has the first side against `two`, by article 5.2."""
    mine, theirs = fide.preferred[one], fide.preferred[two]
    first = np.where(
        mine >= 0, mine == 0, theirs == 1
    )  # with different preferences, or one
    same = np.flatnonzero(mine == theirs)
    first[same] = _same_preference(fide, one[same], two[same])
    return np.asarray(first, np.bool_)


def _same_preference(fide: FideAttributes, one: IntArray, two: IntArray) -> BoolArray:
    """Return True where `one` has the first side; both prefer the same, or none.

    Source: articles 5.2.2 to 5.2.5.
    """
    wanted = fide.preferred[one]
    none, far = wanted < 0, np.abs(fide.difference)
    stronger = fide.strength[one] - fide.strength[two]
    both = (fide.strength[one] == ABSOLUTE) & (stronger == 0)
    stronger = np.where(both, far[one] - far[two], stronger)
    higher = fide.rank[one] < fide.rank[two]
    granted = (stronger > 0) | ((stronger == 0) & higher)
    first = np.where(granted, wanted == 0, wanted == 1)
    drawn = np.where(higher, fide.own_first[one], ~fide.own_first[two])
    first = np.where(none, drawn, first)
    mine, theirs = fide.latest[one], fide.latest[two]
    differs = (mine != theirs) & (mine >= 0) & (theirs >= 0)
    alternate = np.flatnonzero((stronger == 0) & differs.any(axis=1))
    if len(alternate):
        last = differs.shape[1] - 1 - np.argmax(differs[alternate, ::-1], axis=1)
        first[alternate] = mine[alternate, last] == 1
    return np.asarray(first, np.bool_)


def article_of(fide: FideAttributes, one: int, two: int) -> str:
    """Return the article of C.04.3 that decides who of two players has the first side."""
    mine, theirs = int(fide.preferred[one]), int(fide.preferred[two])
    if mine != theirs:
        return "5.2.1"
    if mine < 0:
        return "5.2.5"
    far = np.abs(fide.difference)
    both = fide.strength[one] == fide.strength[two] == ABSOLUTE
    if fide.strength[one] != fide.strength[two] or (both and far[one] != far[two]):
        return "5.2.2"
    here, there = fide.latest[one], fide.latest[two]
    alternates = ((here != there) & (here >= 0) & (there >= 0)).any()
    return "5.2.3" if alternates else "5.2.4"


@dataclass(frozen=True)
class AllocatedSidesByOpposition(AllocatedSides):
    """Who has the first side follows from preferences, earlier sides, and ranks by opponents met.

    In the seeding rounds it is the same as `allocated_sides`.

    Source: FIDE Handbook C.04.4.2, article 5.2.
    """

    kind = "allocated_sides_by_opposition"
    facts = "fide_by_opposition"


@dataclass(frozen=True)
class NoEqualAbsolutePreference(Constraint):
    """Nobody meets a player who must have the same side: two games more on the other, or in a row.

    Source: FIDE Handbook C.04.3, article 2.1.3 (C3).
    """

    kind = "no_equal_absolute_preference"
    needs_sides = True

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return False where both players must have the same side."""
        side = self._required_side(state)
        equal: BoolArray = (side[arcs.first] >= 0) & (
            side[arcs.first] == side[arcs.second]
        )
        return arcs.bye | ~equal

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return the side that each player must have, -1 for none."""
        return (self._required_side(state),)

    def _required_side(self, state: State) -> IntArray:
        """Return the side that each player must have, -1 for none."""
        return np.where(state.fide.strength == ABSOLUTE, state.fide.preferred, -1)


@dataclass(frozen=True)
class NoEqualAbsolutePreferenceBelowTopscorers(NoEqualAbsolutePreference):
    """Nobody who must have a side meets another who must, unless one is a top scorer.

    A top scorer has more than half of what could be scored so far.

    Source: FIDE Handbook C.04.3, articles 1.8 and 2.1.3, for the last round.
    """

    kind = "no_equal_absolute_preference_below_topscorers"

    def _required_side(self, state: State) -> IntArray:
        """Return the required sides, -1 for top scorers."""
        return np.where(state.fide.topscorer, -1, super()._required_side(state))
