"""Metric `ndcg`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.event.arcs import IntArray
from pairopt.lab.metrics import Measured
from pairopt.lab.order import Floats, top_hits
from pairopt.lab.simulating import Tournament


@dataclass(frozen=True)
class Ndcg:
    """How well the standings tell the true order, most of all at the top: measures of Sauer, Cseh
    and Lenzner (arXiv 2112.10522). Of those who were there in the last round, as `kendall`.

    `ndcg` is the normalised discounted cumulative gain (Järvelin and Kekäläinen, ACM Transactions
    on Information Systems 20, 2002): the sum of gains over log2(1 + place), divided by that of the
    true order. A gain is how many players are weaker, equals half; who share places share their
    discounts. `top_3` and `top_10` are the part of so many strongest among the first so many, with
    ties as in `top_hits`. No value where there is no true order.
    """

    kind: ClassVar[str] = "ndcg"
    columns: ClassVar[tuple[str, ...]] = ("ndcg", "top_3", "top_10")
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = dict.fromkeys(columns, (0, 1))

    def __call__(self, played: Tournament, /) -> Mapping[str, Measured]:
        here = played.field.active(played.event.round - 1, played.games)
        place, strength = played.place[here], played.strength[here]
        gain = (np.sign(strength[:, None] - strength).sum(axis=1) + len(place) - 1) / 2
        if not gain.any() or not np.ptp(gain):
            return {}
        top = {
            f"top_{k}": float(top_hits(place, strength, first=min(k, len(place))))
            for k in (3, 10)
        }
        return {
            "ndcg": min(
                _discounted_gain(place, gain) / _discounted_gain(gain, gain), 1.0
            ),
            **top,
        }


def _discounted_gain(order: IntArray | Floats, gain: Floats) -> float:
    _, group, counts = np.unique(-order, return_inverse=True, return_counts=True)
    discounts = np.split(1 / np.log2(2 + np.arange(len(order))), np.cumsum(counts)[:-1])
    return float(np.array([each.mean() for each in discounts])[group] @ gain)
