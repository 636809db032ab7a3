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
    """Agreement of the final standings with the true order, most of all at the top.

    The metrics are those of Sauer, Cseh and Lenzner (arXiv 2112.10522), for the players
    of the last round. `ndcg` is the normalised discounted cumulative gain (Järvelin and
    Kekäläinen, ACM Transactions on Information Systems 20, 2002): the sum of gains over
    log2(1 + place), divided by that of the true order. A player's gain is the number of
    weaker players, an equal one counts half; tied players share their discounts.
    `top_3` and `top_10` are the share of the 3 or 10 strongest players among the first
    3 or 10, where players tied at the cut share the remaining places. There is no value
    without a true order. A call with a tournament returns the values by column.
    """

    kind: ClassVar[str] = "ndcg"
    columns: ClassVar[tuple[str, ...]] = ("ndcg", "top_3", "top_10")
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = dict.fromkeys(columns, (0, 1))

    def __call__(self, played: Tournament, /) -> Mapping[str, Measured]:
        """Compute `ndcg`, `top_3` and `top_10` of the final standings, each from 0 to 1.

        Only the players of the last round count. The mapping is empty if all of them
        are equally strong.
        """
        is_active = played.field.active(played.event.round - 1, played.games)
        final_places = played.place[is_active]
        strengths = played.strength[is_active]
        weaker_minus_stronger = np.sign(strengths[:, None] - strengths).sum(axis=1)
        gains = (weaker_minus_stronger + len(final_places) - 1) / 2
        if not gains.any() or not np.ptp(gains):
            return {}

        normalised_gain = _discounted_gain(final_places, gains) / _discounted_gain(
            gains, gains
        )
        value_by_column = {"ndcg": min(normalised_gain, 1.0)}
        for top_size in (3, 10):
            hit_share = top_hits(
                final_places, strengths, size=min(top_size, len(final_places))
            )
            value_by_column[f"top_{top_size}"] = float(hit_share)
        return value_by_column


def _discounted_gain(order: IntArray | Floats, gain: Floats) -> float:
    """Return the discounted cumulative gain: the sum of gain / log2(1 + place).

    `order` and `gain` have one number per player, shape (n,). The player with the
    largest `order` has place 1. Players with equal `order` share the mean of their
    discounts.
    """
    _, group_of_player, group_sizes = np.unique(
        -order, return_inverse=True, return_counts=True
    )
    discounts = 1 / np.log2(2 + np.arange(len(order)))
    discounts_by_group = np.split(discounts, np.cumsum(group_sizes)[:-1])
    mean_discounts = np.array(
        [group_discounts.mean() for group_discounts in discounts_by_group]
    )
    return float(mean_discounts[group_of_player] @ gain)
