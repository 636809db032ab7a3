"""Dealing players to the classes of an optimal program, without time for swaps."""

from __future__ import annotations

import numpy as np
import pytest

from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import LISTED_FIRST
from pairopt.engines.cpsat.class_dealing import deal_players_to_classes
from pairopt.engines.player_types import PairClasses


@pytest.mark.parametrize("seed", range(12))
def test_the_one_pair_of_a_class_is_dealt_before_others_need_its_players(
    seed: int,
) -> None:
    """Six players of one type: players 2 and 5 have a class that no other pair has."""
    classes = PairClasses(
        size=np.array([6]),
        a=np.array([0, 0]),
        b=np.array([0, 0]),
        cap=np.array([3, 1]),
        sides=np.full(2, LISTED_FIRST),
        costs=np.zeros((2, 1), np.int64),
        type_of=np.zeros(6, np.int64),
        default=np.array([[0]]),
        special_keys=np.array([2 * 6 + 5]),
        special_class=np.array([1]),
    )
    time_is_up = Budget(deadline=0.0)

    deal = deal_players_to_classes(
        classes, np.array([2, 1]), np.random.default_rng(seed), time_is_up
    )

    assert not deal.stuck.any()
    [scarce_match] = np.flatnonzero(deal.number == 1)
    assert {int(deal.first[scarce_match]), int(deal.second[scarce_match])} == {2, 5}
