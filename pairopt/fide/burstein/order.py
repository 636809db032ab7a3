"""Order: the place of a bracket's pairing in the order of article 4."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pairopt.event.arcs import IntArray
from pairopt.fide.dutch.ranking import RankedPlayers


def numbered(ranking: RankedPlayers, players: IntArray) -> IntArray:
    """The ranks of a bracket's players in the order of their sequence numbers, BSN (4.1)."""
    return players[np.argsort(ranking.fide.rank[players])]


def members(ranking: RankedPlayers, s: int, a: IntArray, b: IntArray) -> IntArray:
    """The ranks of who is in the bracket of group `s`, by BSN; the pairs a < b hold everybody."""
    upper, lower = ranking.group_of(a), ranking.group_of(b)
    moved = a[(upper < s) & (lower >= s)]
    return numbered(ranking, np.append(moved, np.flatnonzero(ranking.group == s)))


def shares(ranking: RankedPlayers, s: int, a: IntArray, b: IntArray) -> Iterator[tuple[int, int]]:
    """What the pairs of a whole pairing add to its place in the bracket of group `s`.

    The place is a number of one digit for each BSN, the first one leading: how many numbers are
    after that of the opponent, or one more than there are for any if the player floats (4.2, 4.3).
    The digit of the larger number of two is left 0, as it follows.
    """
    own = members(ranking, s, a, b)
    size = len(own)
    bsn = {rank: number for number, rank in enumerate(own.tolist(), 1)}
    lower = ranking.group_of(b)
    for k in np.flatnonzero((ranking.group_of(a) <= s) & (lower >= s)).tolist():
        first, last = bsn[int(a[k])], 0
        if lower[k] == s:
            first, last = sorted((first, bsn[int(b[k])]))
        yield k, (size - last) * (size + 1) ** (size - first)
