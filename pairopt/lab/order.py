"""Order: standings by points, then strength of schedule (SoS), as integers. They are as `pairopt
standings` has them; players equal in both are tied. SoS is an exact fraction.
"""

from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray

from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.event import PLAYED, Event
from pairopt.event.score_checks import points_of

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
        sos = _dense_ranks(self.sos)
        return _dense_ranks(self.points * (int(sos.max(initial=0)) + 1) + sos)

    def spread(self, chosen: BoolArray) -> Floats:
        """Standard deviation of SoS about the mean of the score group, in points a round. Of the
        chosen players, shape (tournaments, players), in each tournament.
        """
        every, counts = chosen.ravel(), chosen.sum(axis=1)
        sos = (self.sos[every] / self.scale).astype(np.float64)
        points = _dense_ranks(self.points[every])
        group = _dense_ranks(
            points + len(points) * np.repeat(np.arange(len(chosen)), counts)
        )
        mean = np.bincount(group, sos) / np.bincount(group)
        apart = np.split((sos - mean[group]) ** 2, np.cumsum(counts)[:-1])
        return np.sqrt([each.sum() / len(each) for each in apart])


def _dense_ranks(values: Exact) -> IntArray:
    return np.asarray(np.unique(values).searchsorted(values), np.int64)


def order_of(event: Event) -> Order:
    """The standings of all players before the event's round."""
    rows, n = event.before, len(event.players)
    points = points_of(event)
    rounds = np.bincount(
        np.concatenate([rows.first, rows.second[rows.second >= 0]]), minlength=n
    )
    met = rows.status == PLAYED
    one, two = rows.first[met], rows.second[met]
    games = np.bincount(one, minlength=n) + np.bincount(two, minlength=n)
    per_round, per_game = _common(rounds), _common(games)
    top = (
        int(np.abs(points).max(initial=0))
        * int(games.max(initial=0))
        * per_round
        * per_game
    )
    exact: Exact = points if top < MOST else points.astype(object)
    average = exact * (per_round // np.maximum(rounds, 1))
    total = np.zeros_like(average)
    np.add.at(total, one, average[two])
    np.add.at(total, two, average[one])
    sos = total * (per_game // np.maximum(games, 1))
    return Order(points, sos, event.scale * per_round * per_game)


def _common(counts: IntArray) -> int:
    return lcm(*(count for count in set(counts.tolist()) if count))


def kendall(
    x: IntArray | Floats, y: IntArray | Floats, chosen: BoolArray | None = None
) -> Floats:
    """Kendall's tau-b of two rankings, nan where one of them is constant. Of the chosen ones, or
    all, in each row. Not SciPy's: with it a study takes a third longer.
    """
    a, b = _signs(x, chosen), _signs(y, chosen)
    both = np.count_nonzero(a, axis=(-2, -1)) * np.count_nonzero(b, axis=(-2, -1))
    return _part((a * b).sum(axis=(-2, -1), dtype=np.int64), both)


def spearman(
    x: IntArray | Floats, y: IntArray | Floats, chosen: BoolArray | None = None
) -> Floats:
    """Spearman's rho, ties at their mean rank; nan where one ranking is constant; as `kendall`."""
    a, b = (_signs(v, chosen).sum(axis=-1, dtype=np.float64) for v in (x, y))
    return _part((a * b).sum(axis=-1), (a * a).sum(axis=-1) * (b * b).sum(axis=-1))


def _signs(values: IntArray | Floats, chosen: BoolArray | None) -> NDArray[np.int8]:
    """The order of any two chosen ones in each row, 0 for equal ones."""
    one, two = values[..., :, None], values[..., None, :]
    signs = (one > two).view(np.int8) - (one < two).view(np.int8)
    if chosen is not None and not chosen.all():
        signs *= chosen[..., :, None] & chosen[..., None, :]
    return signs


def _part(of: IntArray | Floats, both: IntArray | Floats) -> Floats:
    return of / np.where(both > 0, np.sqrt(both), np.nan)


def top_hits(
    place: IntArray,
    strength: Floats,
    chosen: BoolArray | None = None,
    first: int | None = None,
) -> Floats:
    """Which part of the true best eighth, or `first`, is the standings' best too, from 0 to 1.

    Of the chosen players, or all, in each row. Players tied at the cut share the places that are
    left; nan where the cut falls among equal strengths: there is no true best eighth.
    """
    chosen = np.ones(place.shape, np.bool_) if chosen is None else chosen
    best = -(-chosen.sum(axis=-1) // 8) if first is None else np.array(first)
    wanted, cut = _first(np.where(chosen, strength, -np.inf), best)
    wanted |= cut
    above, tied = _first(np.where(chosen, place, -1), best)
    share = (best - above.sum(axis=-1)) / tied.sum(axis=-1)
    hits = ((wanted & above).sum(axis=-1) + share * (wanted & tied).sum(axis=-1)) / best
    return np.where(wanted.sum(axis=-1) > best, np.nan, hits)


def _first(values: IntArray | Floats, count: IntArray) -> tuple[BoolArray, BoolArray]:
    """In each row who is above the value of so manyth place, and who has it."""
    cut = np.take_along_axis(np.sort(values, axis=-1), -count[..., None], axis=-1)
    return values > cut, values == cut
