"""Arcs: candidate matches with their sides fixed, and byes, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]

BYE = -1
MOST_CACHED_PLAYERS = 64
"""The most players whose pairs are cached from one round to the next."""


@dataclass(frozen=True)
class Arcs:
    """Arcs between players of a `State`, by their positions in it.

    An arc is a match with its sides fixed, or an allocated bye.

    Parameters
    ----------
    first : IntArray
        The players with the first side, shape (m,). In games without sides, the order
        has no meaning.
    second : IntArray
        Their opponents, shape (m,), `BYE` for an allocated bye.
    typical : bool
        True if the arcs are for types of players. Rules then ignore what concerns two
        certain players, for example that they have met or share a club.
    """

    first: IntArray
    second: IntArray
    typical: bool = False

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def bye(self) -> BoolArray:
        """True where the arc is an allocated bye, shape (m,)."""
        return np.asarray(self.second == BYE, np.bool_)

    @cached_property
    def match(self) -> BoolArray:
        """True where two players meet, shape (m,)."""
        return ~self.bye

    @cached_property
    def alone(self) -> IntArray:
        """The indices of the arcs that are byes, ascending, shape (byes,)."""
        return np.asarray(self.bye.nonzero()[0], np.int64)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The arcs as pairs of positions, (first, second); second is BYE for a bye."""
        return list(zip(self.first.tolist(), self.second.tolist(), strict=True))

    @cached_property
    def partners(self) -> IntArray:
        """The opponent of each player in a pairing, BYE for the player with the bye.

        The index is the player's position, up to the highest one in the arcs, and the
        value is a position. BYE, too, for a position that is in no arc. One more entry
        at the end belongs to BYE itself, so that index BYE works. No player may be in
        two arcs.
        """
        highest_position = max(self.first.max(initial=-1), self.second.max(initial=-1))
        partner_of_position = np.full(2 + highest_position, BYE)
        partner_of_position[self.first] = self.second
        partner_of_position[self.second] = self.first
        return partner_of_position

    def take(self, index: slice | IntArray) -> Arcs:
        """Return the arcs at these indices, in this order, with `typical` as it is.

        `index` is a slice, or indices that may repeat. Positions become 64-bit
        integers.
        """
        return arcs_of(self.first[index], self.second[index], self.typical)

    def reversed(self) -> Arcs:
        """Return the same pairs with the sides exchanged; byes stay as they are."""
        second_players_after = np.where(self.bye, BYE, self.first)
        return Arcs(
            np.where(self.bye, self.first, self.second),
            second_players_after,
            self.typical,
        )

    def turned(self, mask: BoolArray) -> Arcs:
        """Return the arcs with the sides exchanged where `mask`, shape (m,), is True.

        Byes stay as they are, also where the mask is True.
        """
        reversed_arcs = self.reversed()
        first_players_after = np.where(mask, reversed_arcs.first, self.first)
        second_players_after = np.where(mask, reversed_arcs.second, self.second)
        return Arcs(first_players_after, second_players_after, self.typical)

    @cached_property
    def both_ways(self) -> Arcs:
        """These arcs, followed by the same arcs with the sides exchanged.

        Byes are in both halves, unchanged, so each of them is there twice.
        """
        reversed_arcs = self.reversed()
        first_players_both_ways = np.concatenate([self.first, reversed_arcs.first])
        second_players_both_ways = np.concatenate([self.second, reversed_arcs.second])
        return Arcs(first_players_both_ways, second_players_both_ways, self.typical)


def arcs_of(first: IntArray, second: IntArray, typical: bool = False) -> Arcs:
    """Return arcs of arrays of positions, as 64-bit integers.

    Parameters
    ----------
    first, second : IntArray
        Positions of both players of each arc, shape (m,); `second` is `BYE` for a bye.
    typical : bool
        Whether the arcs are for types of players. Rules then ignore what concerns two
        certain players, for example that they have met.

    Returns
    -------
    Arcs
        The arcs.

    Examples
    --------
    >>> import numpy as np
    >>> from pairopt.extend import BYE, arcs_of
    >>> arcs_of(np.array([0, 2]), np.array([1, BYE])).pairs
    [(0, 1), (2, -1)]
    """
    return Arcs(np.asarray(first, np.int64), np.asarray(second, np.int64), typical)


def all_pairs_and_byes(n: int) -> Arcs:
    """Return every pair of n players once, and a bye for each player where n is odd.

    The lower position is first. For up to `MOST_CACHED_PLAYERS` players the arcs are
    cached. Those are shared by all callers: don't change their arrays.
    """
    return (
        _cached_pairs_and_byes(n)
        if n <= MOST_CACHED_PLAYERS
        else _build_pairs_and_byes(n)
    )


def _build_pairs_and_byes(n: int) -> Arcs:
    """Build every pair of n players once, then a bye for each player if n is odd.

    Pairs are in lexicographic order with the lower position first: 0-1, 0-2, …, 1-2, …
    If n is even there are no byes.
    """
    lower_positions, higher_positions = np.triu_indices(n, 1)
    bye_players = np.arange(n if n % 2 else 0)
    bye_opponents = np.full(len(bye_players), BYE)
    return arcs_of(
        np.append(lower_positions, bye_players),
        np.append(higher_positions, bye_opponents),
    )


_cached_pairs_and_byes = lru_cache(maxsize=8)(_build_pairs_and_byes)


def random_generator(*key: int) -> np.random.Generator:
    """Return a new random number generator for a key, such as a seed and a purpose.

    A purpose is a number of its own, so that draws for one never change draws for
    another. No part of the key is negative. The same key always gives the same numbers.
    An empty key raises ValueError.
    """
    # numpy reads an array of 32-bit integers faster than a tuple.
    if max(key) < 2**32:
        return np.random.default_rng(np.array(key, np.uint32))
    return np.random.default_rng(key)
