"""Order: standings as integers.

The standings are by points, then strength of schedule (SoS), as `pairopt standings` has them;
players equal in both are tied. SoS is an exact fraction over a common denominator.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray

from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.event import PLAYED, Event
from pairopt.event.scores import points_of

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

    def spread(self, chosen: BoolArray) -> Floats:
        """Standard deviation of SoS about the mean of the score group, in points a round.

        Of the chosen players, shape (tournaments, players), in each tournament. It says how
        unequal the schedules were of players with the same points.
        """
        every, counts = chosen.ravel(), chosen.sum(axis=1)
        sos = (self.sos[every] / self.scale).astype(np.float64)
        points = _places(self.points[every])
        group = points + len(points) * np.repeat(np.arange(len(chosen)), counts)
        group = _places(group)
        mean = np.bincount(group, sos) / np.bincount(group)
        apart = np.split((sos - mean[group]) ** 2, np.cumsum(counts)[:-1])
        return np.sqrt([each.sum() / len(each) for each in apart])


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
