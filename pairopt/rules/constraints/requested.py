"""Constraints on named players: by options, or by the event itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import NO_PAIRS, Constraint

KEY = 2**31
"""The factor of the first position in a pair's key: more than there are players."""


@dataclass(frozen=True)
class ForbiddenBye(Constraint):
    """These players do not have the allocated bye.

    `players` are positions in the event.
    """

    kind = "forbidden_bye"
    option = "no_bye"
    players: tuple[int, ...]

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return False for a bye of one of the players, True for any other arc.

        Shape (m,).
        """
        return arcs.match | ~np.isin(state.player[arcs.first], self.players)

    def bye_attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return one array: whether each player must not have the bye, shape (n,)."""
        return (np.isin(state.player, self.players),)


@dataclass(frozen=True)
class ForbiddenPairs(Constraint):
    """These players do not meet in this round (or XXP in a TRF).

    `players` are pairs of positions in the event; there must be at least one.
    """

    kind = "forbidden_pairs"
    option = "forbid"
    players: tuple[tuple[int, int], ...]

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return False for a match of a forbidden pair, True for any other arc.

        Shape (m,). Typical arcs, which stand for many pairs, are never of such a pair.
        """
        if arcs.typical:
            return np.ones(len(arcs), np.bool_)
        first_positions, second_positions = (
            state.player[arcs.first],
            state.player[arcs.second],
        )
        arc_keys = np.minimum(first_positions, second_positions) * KEY + np.maximum(
            first_positions, second_positions
        )
        nearest_key_index = np.minimum(
            np.searchsorted(self._keys, arc_keys), len(self._keys) - 1
        )
        return np.asarray(
            arcs.bye | (self._keys[nearest_key_index] != arc_keys), np.bool_
        )

    def pairs(self, state: State) -> IntArray:
        """Return the forbidden pairs whose players are both in the round, shape (k, 2).

        They are pairs of positions in the state.
        """
        state_pairs = state.seats[np.column_stack(np.divmod(self._keys, KEY))]
        return np.asarray(state_pairs[(state_pairs >= 0).all(axis=1)], np.int64)

    @cached_property
    def _keys(self) -> IntArray:
        """The forbidden pairs as sorted keys.

        A key is the lower position times `KEY`, plus the higher one.
        """
        first_positions, second_positions = np.array(self.players, np.int64).T
        return np.unique(
            np.minimum(first_positions, second_positions) * KEY
            + np.maximum(first_positions, second_positions)
        )


@dataclass(frozen=True)
class ForcedBye(Constraint):
    """This player has the allocated bye.

    `player` is a position in the event.
    """

    kind = "forced_bye"
    option = "bye"
    player: int

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True for the player's bye and for matches without the player.

        Shape (m,). It is False for matches of the player and for byes of others.
        """
        is_forced_player = state.player == self.player
        has_player = is_forced_player[arcs.first] | (
            is_forced_player[arcs.second] & arcs.match
        )
        return np.asarray(arcs.bye == has_player, np.bool_)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return one array: whether each player is the one who must have the bye.

        Shape (n,).
        """
        return (state.player == self.player,)


@dataclass(frozen=True)
class ForcedPairs(Constraint):
    """These players meet each other in this round.

    `players` are pairs of positions in the event.
    """

    kind = "forced_pairs"
    option = "force"
    players: tuple[tuple[int, int], ...]

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return False for an arc with exactly one player of a forced pair, shape (m,).

        It is True for the match of the pair, and for arcs of other players.
        """
        is_legal = np.ones(len(arcs), np.bool_)
        first_players = state.player[arcs.first]
        second_players = np.where(arcs.bye, -1, state.player[arcs.second])
        for forced_pair in self.players:
            is_first_in_pair = (first_players == forced_pair[0]) | (
                first_players == forced_pair[1]
            )
            is_second_in_pair = (second_players == forced_pair[0]) | (
                second_players == forced_pair[1]
            )
            is_legal &= is_first_in_pair == is_second_in_pair
        return is_legal

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return one array per player of a forced pair: 1 for that player, or else 0.

        Each has shape (n,). So each of these players has a player type of their own.
        """
        return tuple(
            (state.player == forced_player).astype(np.int64)
            for forced_pair in self.players
            for forced_player in forced_pair
        )


@dataclass(frozen=True)
class FixedMatches(ForcedPairs):
    """These players meet with these sides, the first one first.

    `players` are pairs of positions in the event; the first player of each has the
    first side.
    """

    kind = "fixed_tables"
    option = "fixed"

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True for fixed matches with their sides, and arcs of other players.

        Shape (m,). It is False for an arc with exactly one player of a fixed match, and
        for the match with its sides exchanged. In an event without sides, sides do not
        matter.
        """
        is_legal = super().legal(state, arcs)
        if state.sided:
            first_players, second_players = (
                state.player[arcs.first],
                state.player[arcs.second],
            )
            fixed_keys = np.array(self.players, np.int64) @ (1, KEY)
            is_legal &= arcs.bye | ~np.isin(
                second_players + first_players * KEY, fixed_keys
            )
        return is_legal


@dataclass(frozen=True)
class WithExceptions(Constraint):
    """A constraint of the model, but for these matches and byes.

    `rule` is the constraint. It does not apply to the pairs of `matches` (None for
    none), and to byes of the players at the positions `byes` in the event.
    """

    rule: Constraint
    matches: ForbiddenPairs | None
    byes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Take the kind of the rule as the kind of this one."""
        object.__setattr__(self, "kind", self.rule.kind)

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True where the wrapped rule allows the arc, or it is an exception.

        Shape (m,). Exceptions are the matches in `matches`, and byes of the players in
        `byes`.
        """
        is_excepted = arcs.bye & np.isin(state.player[arcs.first], self.byes)
        if self.matches is not None:
            is_excepted |= ~self.matches.legal(state, arcs)
        return np.asarray(self.rule.legal(state, arcs) | is_excepted, np.bool_)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return the attributes of the wrapped rule."""
        return self.rule.attributes(state)

    def bye_attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return those of the wrapped rule, and whether each player is an exception.

        The last array is True for players whose bye is an exception, shape (n,).
        """
        return (*self.rule.bye_attributes(state), np.isin(state.player, self.byes))

    def pairs(self, state: State) -> IntArray:
        """Return the special pairs of the wrapped rule, and the matches excepted.

        The shape is (k, 2), positions in the state; a pair may come twice.
        """
        excepted_pairs = NO_PAIRS if self.matches is None else self.matches.pairs(state)
        return np.concatenate([self.rule.pairs(state), excepted_pairs])

    def in_common(self, state: State, players: Sequence[int]) -> str:
        """Return how many players share what keeps `players` apart, as a text.

        It is the text of the wrapped rule, "" if nothing is shared; exceptions do not
        matter. `players` are positions in the state.
        """
        return self.rule.in_common(state, players)

    def describe(self) -> str:
        """Return the description of the wrapped rule, without the exceptions."""
        return self.rule.describe()
