"""Order: standings as integers, and how far they tell the players' true strength.

The standings are by points, then strength of schedule (SoS), as `pairopt standings` has them;
players equal in both are tied. SoS is an exact fraction over a common denominator.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm, sqrt

import numpy as np
from numpy.typing import NDArray

from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.event import PLAYED, Event
from pairopt.event.turns import points_of

MOST = 2**62
Exact = IntArray | NDArray[np.object_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Order:
    """Points (scaled) and SoS (over `scale`) of every player, arrays of shape (n,)."""

    points: IntArray
    sos: Exact
    scale: int

    @property
    def place(self) -> IntArray:
        """A number for each player that orders them, higher is better, equal if tied."""
        sos = _places(self.sos)
        return _places(self.points * (int(sos.max(initial=0)) + 1) + sos)

    def spread(self, chosen: BoolArray) -> float:
        """Standard deviation of SoS about the mean of the score group, in points a round.

        It says how unequal the schedules were of players with the same points.
        """
        sos = (self.sos[chosen] / self.scale).astype(np.float64)
        group = _places(self.points[chosen])
        mean = np.bincount(group, sos) / np.bincount(group)
        return float(np.sqrt(np.mean((sos - mean[group]) ** 2)))


def _places(values: Exact) -> IntArray:
    """Each value's place among those that there are, from 0."""
    return np.asarray(np.unique(values).searchsorted(values), np.int64)


def order_of(event: Event) -> Order:
    """The standings of all players before the event's round."""
    rows, n = event.before, len(event.players)
    points = points_of(event)
    rounds = np.bincount(np.concatenate([rows.first, rows.second[rows.second >= 0]]), minlength=n)
    met = rows.status == PLAYED
    one, two = rows.first[met], rows.second[met]
    games = np.bincount(one, minlength=n) + np.bincount(two, minlength=n)
    per_round, per_game = _common(rounds), _common(games)
    top = int(np.abs(points).max(initial=0)) * int(games.max(initial=0)) * per_round * per_game
    exact: Exact = points if top < MOST else points.astype(object)
    average = exact * (per_round // np.maximum(rounds, 1))
    total = np.zeros_like(average)
    np.add.at(total, one, average[two])
    np.add.at(total, two, average[one])
    sos = total * (per_game // np.maximum(games, 1))
    return Order(points, sos, event.scale * per_round * per_game)


def _common(counts: IntArray) -> int:
    """The least common multiple of the counts that are not 0."""
    return lcm(*(count for count in set(counts.tolist()) if count))


def kendall(x: IntArray | Floats, y: IntArray | Floats) -> float:
    """Kendall's tau-b of two rankings, nan where one of them is constant.

    Not SciPy's, which does more than is asked: with it and its spearmanr a study of 32 players
    takes a third longer.
    """
    a, b = (np.sign(v[:, None] - v[None, :]).astype(np.int64) for v in (x, y))
    both = np.count_nonzero(a) * np.count_nonzero(b)
    return float((a * b).sum() / sqrt(both)) if both else np.nan


def spearman(x: IntArray | Floats, y: IntArray | Floats) -> float:
    """Spearman's rho, ties at their mean rank; nan where one ranking is constant."""
    a, b = (np.sign(v[:, None] - v[None, :]).sum(axis=1) for v in (x, y))
    both = float((a * a).sum() * (b * b).sum())
    return float((a * b).sum() / sqrt(both)) if both else np.nan


def top_hits(place: IntArray, strength: Floats) -> float:
    """Which part of the true best eighth is in the standings' best eighth, from 0 to 1.

    Where the cut falls among tied players, they share the places that are left; nan where it
    falls among players of equal strength, as there is no true best eighth.
    """
    best = -(-len(place) // 8)
    wanted = strength >= np.sort(strength)[-best]
    if np.count_nonzero(wanted) > best:
        return np.nan
    cut = np.sort(place)[-best]
    above, tied = place > cut, place == cut
    share = (best - above.sum()) / tied.sum()
    return float((wanted[above].sum() + share * wanted[tied].sum()) / best)
