"""Further rounds of a lookahead, and the pairs that they can still use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pairopt.event.arcs import (
    BYE,
    Arcs,
    BoolArray,
    IntArray,
    all_pairs_and_byes,
    arcs_of,
)

if TYPE_CHECKING:
    from pairopt.engines.base import Solution
    from pairopt.problem.problem import Problem


@dataclass(frozen=True)
class Further:
    """The further rounds of a lookahead, and the pairs that can still be used in them.

    `rounds` is the number of further rounds, and `players` that of the players. The
    pairs first[k] < second[k] are positions of players who have not met; a player who
    has had no bye is paired with the number of players, which stands for the bye.
    `without` removes the pairs of a pairing.
    """

    rounds: int
    players: int
    first: IntArray
    second: IntArray

    @property
    def too_many(self) -> bool:
        """True if a player, or the bye, has fewer opponents than further rounds.

        Then the lookahead has no solution. A player who has met nobody uses up one
        opponent in this round, before the further ones.
        """
        vertex_count = self.players + self.players % 2
        pair_end_vertices = np.append(self.first, self.second)
        opponent_counts = np.bincount(pair_end_vertices, minlength=vertex_count)
        has_met_nobody = opponent_counts == vertex_count - 1
        return bool((opponent_counts - has_met_nobody < self.rounds).any())

    @property
    def keys(self) -> IntArray:
        """One integer for each pair, shape (pairs,), in their order.

        It is (players + 1) times the lower position plus the higher one; the number of
        players stands for the bye.
        """
        return encode_pairs(self.players, self.first, self.second)

    def without(self, arcs: Arcs) -> Further:
        """Return the further rounds without the pairs of a pairing, byes included.

        `arcs` are the pairing. The number of rounds stays the same. This object is not
        changed.
        """
        second_or_bye = np.where(arcs.bye, self.players, arcs.second)
        is_remaining_pair = ~np.isin(
            self.keys, encode_pairs(self.players, arcs.first, second_or_bye)
        )
        return replace(
            self,
            first=self.first[is_remaining_pair],
            second=self.second[is_remaining_pair],
        )

    def arcs(self, chosen: BoolArray) -> Arcs:
        """Return the pairs that the mask `chosen`, shape (pairs,), selects, as arcs.

        Sides do not matter in further rounds.
        """
        second_players = self.second[chosen]
        is_bye_pair = second_players == self.players
        return arcs_of(self.first[chosen], np.where(is_bye_pair, BYE, second_players))


def encode_pairs(players: int, one: IntArray, two: IntArray) -> IntArray:
    """Return one integer for each pair one[k] - two[k], in either order.

    Players are positions below `players`, which stands for the bye. The integer is
    (players + 1) times the lower position plus the higher one, so different pairs have
    different integers.
    """
    lower_players = np.minimum(one, two).astype(np.int64)
    higher_players = np.maximum(one, two).astype(np.int64)
    return lower_players * (players + 1) + higher_players


def further_of(problem: Problem) -> Further | None:
    """Return the lookahead's further rounds, with the pairs that are still unplayed.

    These include the pairs that this round will use. Returns None for a problem without
    a lookahead.
    """
    if not problem.lookahead:
        return None
    player_count, state, all_arcs = (
        len(problem),
        problem.state,
        all_pairs_and_byes(len(problem)),
    )
    meeting_counts = np.where(
        all_arcs.bye, state.byes[all_arcs.first], state.meetings.met(all_arcs)
    )
    is_unplayed = meeting_counts == 0
    second_or_bye = np.where(all_arcs.bye, player_count, all_arcs.second)
    return Further(
        problem.lookahead,
        player_count,
        all_arcs.first[is_unplayed],
        second_or_bye[is_unplayed],
    )


def without_later_bounds(free: Solution) -> Solution:
    """Return a solution found without the lookahead, with only its valid bounds.

    With the lookahead only the bound of the first level of `free` stays valid. Each
    later bound assumes that the levels before it have their optimal values, and perhaps
    no pairing that has them leaves the further rounds possible. Bounds that do not hold
    become None.
    """
    return replace(free, bounds=(*free.bounds[:1], *[None] * len(free.bounds[1:])))
