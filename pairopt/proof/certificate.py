"""Certificates: why no pairing is better, or why there is none, in numbers that anyone can check.

Vertices are the players, in some order, and in an odd field the bye after them. Levels are those
that decide: all of a lexicographic round, the weighted sum alone of a weighted one. Vectors of
levels are compared lexicographically.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

Price = tuple[Fraction, ...]
"""One number a level."""


@dataclass(frozen=True)
class Certificate:
    """A bound that no pairing is below, and that a pairing of these `values` attains.

    `prices` has one entry a vertex; `odd_sets` holds sets of an odd number of vertices, each
    with a price of which the first entry that is not 0 is positive. No legal arc costs less than
    the prices of its two ends and of the sets that it leaves. All prices together are `values`:
    one a level, sums over arcs without the levels' offsets.
    """

    prices: tuple[Price, ...]
    odd_sets: tuple[tuple[frozenset[int], Price], ...]
    values: tuple[int, ...]


@dataclass(frozen=True)
class TutteSet:
    """Why there is no pairing: `players` who would have to save more odd groups than they are.

    `components` part all other vertices, so that no legal arc joins two of them; more of them
    are of odd size than there are `players`.
    """

    players: frozenset[int]
    components: tuple[frozenset[int], ...]
