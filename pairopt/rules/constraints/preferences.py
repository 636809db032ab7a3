"""FIDE's constraints on absolute side preferences and on the allocation of sides."""

from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.fide_attributes import ABSOLUTE, FideAttributes
from pairopt.event.state import State
from pairopt.rules.base import Constraint


@dataclass(frozen=True)
class AllocatedSides(Constraint):
    """The players' preferences, earlier sides and ranks decide who has the first side.

    If preferences, earlier sides and ranks do not decide, the side drawn by lot before
    round 1 decides. Article 5.2 of the FIDE Handbook C.04.3 states these rules for the
    sides.
    """

    kind = "allocated_sides"
    facts = "fide"
    needs_sides = True
    per_player = True
    of_field = True

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True where the first player is the one who gets the first side.

        Shape (m,); it is True for byes. So of the two arcs of a match only one is
        legal.
        """
        is_on_first_side = has_first_side(
            getattr(state, self.facts), arcs.first, arcs.second
        )
        return np.asarray(arcs.bye | is_on_first_side, np.bool_)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return one array with a different number for each player, shape (n,).

        Ranks and histories tell nearly all players apart.
        """
        # Ranks and histories tell nearly everybody apart.
        return (np.arange(len(state)),)


def has_first_side(
    fide: FideAttributes, player: IntArray, opponent: IntArray
) -> BoolArray:
    """Return True where `player` has the first side against `opponent`, shape (m,).

    Both hold positions in the state, and `fide` has the preferences, earlier sides and
    ranks. Source: article 5.2 of C.04.3.
    """
    preferred_sides, opponent_preferred_sides = (
        fide.preferred[player],
        fide.preferred[opponent],
    )
    # With different preferences each gets their own; a player without one takes the rest.
    gets_first_side = np.where(
        preferred_sides >= 0, preferred_sides == 0, opponent_preferred_sides == 1
    )
    equal_preference_indices = np.flatnonzero(
        preferred_sides == opponent_preferred_sides
    )
    gets_first_side[equal_preference_indices] = _decide_equal_preferences(
        fide, player[equal_preference_indices], opponent[equal_preference_indices]
    )
    return np.asarray(gets_first_side, np.bool_)


def _decide_equal_preferences(
    fide: FideAttributes, player: IntArray, opponent: IntArray
) -> BoolArray:
    """Return True where `player` has the first side against `opponent`, shape (m,).

    Both hold positions in the state, and `fide` has the preferences, earlier sides and
    ranks. The two players must prefer the same side, or both none. Source: articles
    5.2.2 to 5.2.5.
    """
    preferred_sides = fide.preferred[player]
    side_difference = np.abs(fide.difference)
    strength_difference = fide.strength[player] - fide.strength[opponent]

    # 5.2.2: of two absolute preferences the one with the larger difference is stronger.
    are_both_absolute = (fide.strength[player] == ABSOLUTE) & (strength_difference == 0)
    by_difference = side_difference[player] - side_difference[opponent]
    strength_difference = np.where(
        are_both_absolute, by_difference, strength_difference
    )

    # 5.2.4: between equal preferences that of the higher ranked player is granted.
    ranks_higher = fide.rank[player] < fide.rank[opponent]
    gets_preference = (strength_difference > 0) | (
        (strength_difference == 0) & ranks_higher
    )
    gets_first_side = np.where(
        gets_preference, preferred_sides == 0, preferred_sides == 1
    )

    # 5.2.5: without a preference the higher ranked player's number decides.
    first_by_number = np.where(
        ranks_higher, fide.own_first[player], ~fide.own_first[opponent]
    )
    gets_first_side = np.where(preferred_sides < 0, first_by_number, gets_first_side)

    # 5.2.3: equal preferences alternate from the latest game with different sides.
    latest_sides, opponent_latest_sides = fide.latest[player], fide.latest[opponent]
    has_different_sides = (
        (latest_sides != opponent_latest_sides)
        & (latest_sides >= 0)
        & (opponent_latest_sides >= 0)
    )
    alternating_pairs = np.flatnonzero(
        (strength_difference == 0) & has_different_sides.any(axis=1)
    )
    if len(alternating_pairs):
        last_different_game = (
            has_different_sides.shape[1]
            - 1
            - np.argmax(has_different_sides[alternating_pairs, ::-1], axis=1)
        )
        gets_first_side[alternating_pairs] = (
            latest_sides[alternating_pairs, last_different_game] == 1
        )
    return np.asarray(gets_first_side, np.bool_)


def article_of(fide: FideAttributes, player: int, opponent: int) -> str:
    """Return the article of C.04.3 that decides who has the first side, as "5.2.1".

    `player` and `opponent` are positions in the state, in any order, and `fide` has
    their attributes. 5.2.1 is for different preferences, 5.2.2 for the stronger one,
    5.2.3 for earlier games, 5.2.4 for the higher rank, 5.2.5 for players without a
    preference.
    """
    preferred_side = int(fide.preferred[player])
    if preferred_side != int(fide.preferred[opponent]):
        return "5.2.1"
    if preferred_side < 0:
        return "5.2.5"

    strength, opponent_strength = fide.strength[player], fide.strength[opponent]
    side_difference = np.abs(fide.difference)
    if strength != opponent_strength:
        return "5.2.2"
    if strength == ABSOLUTE and side_difference[player] != side_difference[opponent]:
        return "5.2.2"

    latest_sides, opponent_latest_sides = fide.latest[player], fide.latest[opponent]
    has_different_sides = (
        (latest_sides != opponent_latest_sides)
        & (latest_sides >= 0)
        & (opponent_latest_sides >= 0)
    )
    return "5.2.3" if has_different_sides.any() else "5.2.4"


@dataclass(frozen=True)
class AllocatedSidesByOpposition(AllocatedSides):
    """Preferences, earlier sides and the Burstein Index decide who has the first side.

    In the seeding rounds of the Burstein System, pairopt allocates sides by the rules
    of the constraint `allocated_sides`. Article 5.2 of the FIDE Handbook C.04.4.2
    states these rules for the sides.
    """

    kind = "allocated_sides_by_opposition"
    facts = "fide_by_opposition"


@dataclass(frozen=True)
class NoEqualAbsolutePreference(Constraint):
    """Two players who must both have the same side never meet.

    In chess, for example, a player who has had White twice in a row must have Black.
    Article 2.1.3 (C3) of the FIDE Handbook C.04.3 forbids such a match.
    """

    kind = "no_equal_absolute_preference"
    needs_sides = True

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return False for a match whose players must both have the same side.

        Shape (m,). It is True if one of them has no absolute preference, and for byes.
        """
        required_side = self._required_side(state)
        have_same_side: BoolArray = (required_side[arcs.first] >= 0) & (
            required_side[arcs.first] == required_side[arcs.second]
        )
        return arcs.bye | ~have_same_side

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return the side that each player must have, -1 for none, as the only array."""
        return (self._required_side(state),)

    def _required_side(self, state: State) -> IntArray:
        """Return the side that each player must have, shape (n,).

        It is that of an absolute preference (0 or 1), and -1 for players without one.
        """
        return np.where(state.fide.strength == ABSOLUTE, state.fide.preferred, -1)


@dataclass(frozen=True)
class NoEqualAbsolutePreferenceBelowTopscorers(NoEqualAbsolutePreference):
    """Two players who must both have the same side never meet, unless one is a top scorer.

    A top scorer is a player who has more than half of the points possible so far.
    Articles 1.8 and 2.1.3 of the FIDE Handbook C.04.3 make this exception for top
    scorers in the last round.
    """

    kind = "no_equal_absolute_preference_below_topscorers"

    def _required_side(self, state: State) -> IntArray:
        """Return the side that each player must have, shape (n,).

        It is 0 or 1, and -1 for players without an absolute preference and for top
        scorers.
        """
        return np.where(state.fide.topscorer, -1, super()._required_side(state))
