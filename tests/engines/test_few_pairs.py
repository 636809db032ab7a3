"""A few single pairs are matched at once, with the values that blocks of levels have."""

from __future__ import annotations

import numpy as np
import pytest

from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import AllowedArcs, single_pairs
from pairopt.engines.base import LevelOptimum
from pairopt.engines.matching import few_pairs
from pairopt.engines.matching.engine import settle

HUGE = 2**40


def random_columns(seed: int) -> AllowedArcs:
    """Some pairs of 2 to 9 players with up to 6 levels, sometimes with huge costs."""
    rng = np.random.default_rng(seed)
    players = int(rng.integers(2, 10))
    a, b = np.triu_indices(players, 1)
    is_drawn = rng.random(len(a)) < rng.choice([0.4, 0.7, 1.0])
    is_drawn[0] = True
    largest = int(rng.choice([1, 3, 50, HUGE], p=[0.4, 0.3, 0.2, 0.1]))
    costs = rng.integers(0, largest + 1, (int(is_drawn.sum()), int(rng.integers(0, 7))))
    return single_pairs(players, a[is_drawn], b[is_drawn], costs)


def settled_by_blocks(
    columns: AllowedArcs, values: tuple[int, ...], patch: pytest.MonkeyPatch
) -> LevelOptimum | None:
    """The optimum of blocks of levels."""
    with patch.context() as within:
        within.setattr(few_pairs, "FEW_PAIRS", 0)
        return settle(columns, values, None, Budget())


def test_values_are_those_of_blocks_of_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    unpaired = 0
    for seed in range(400):
        columns = random_columns(seed)
        wanted = settled_by_blocks(columns, (), monkeypatch)
        optimum = settle(columns, (), None, Budget())
        if wanted is None or optimum is None:
            assert wanted is optimum, seed
            unpaired += 1
            continue
        assert optimum.values == wanted.values, seed
        assert optimum.values == tuple(columns.costs[optimum.used].sum(axis=0))
        ends = np.append(columns.a[optimum.used], columns.b[optimum.used])
        assert sorted(ends.tolist()) == [*range(columns.players)], seed

        # values that are known already, and values that nothing attains
        known = optimum.values[:2]
        again = settle(columns, known, optimum.used, Budget())
        assert again is not None
        assert again.values == optimum.values
        if known and known[0] > 0:
            lower = (known[0] - 1, *known[1:])
            assert settle(columns, lower, None, Budget()) is None
            assert settled_by_blocks(columns, lower, monkeypatch) is None
    assert 40 < unpaired < 360


def test_costs_that_exceed_machine_integers_are_not_packed() -> None:
    a, b = np.array([0, 2]), np.array([1, 3])
    columns = single_pairs(4, a, b, np.full((2, 2), HUGE))
    assert few_pairs.pack_all_levels(columns) is None
    optimum = settle(columns, (), None, Budget())
    assert optimum is not None
    assert optimum.values == (2 * HUGE, 2 * HUGE)
