"""Large fields are matched from few arcs: no dearer than from all of them, where there is a way."""

from __future__ import annotations

import time
from random import Random

import numpy as np
import pytest
from events import REPEATABLE, Case, cases, constraints, events, model_of, models
from hypothesis import given, settings
from hypothesis import strategies as st
from simulation import opening, rounds

from pairopt import solve
from pairopt.budget import Budget, TimeUpError
from pairopt.engines import types
from pairopt.engines.columns import Columns
from pairopt.engines.matching import few, offers
from pairopt.engines.matching.graph import best_matching, edges_of
from pairopt.engines.pairs import all_pairs
from pairopt.engines.types import classes_of, legal_ways, types_of
from pairopt.event.arcs import arcs_of
from pairopt.problem.ready import prepare

HUGE = 2**140
FIELDS = cases(
    events(4, 24, level=True, max_rounds=6), models(hard=constraints(most=2)), busy=False
)


def least(columns: Columns, cost: np.ndarray) -> int | None:
    """The least total cost, all arcs looked at."""
    alive = cost >= 0
    found = best_matching(columns.players, edges_of(columns, alive), np.maximum(cost, 0))
    return None if found is None else sum(cost[found.number].tolist())


def of_few(columns: Columns, cost: np.ndarray) -> int | None:
    """The same by few arcs; every player is seen to be matched once."""
    found = few.best_of_few(columns, cost >= 0, np.maximum(cost, 0))
    if found is None:
        return None
    seats = np.concatenate([found.first, found.second])
    assert sorted(seats.tolist()) == list(range(2 * columns.matches))
    assert (cost[found.number] >= 0).all()
    all_of = edges_of(columns, cost >= 0)
    both = zip(all_of.first.tolist(), all_of.second.tolist(), all_of.number.tolist(), strict=True)
    column = {frozenset((a, b)): number for a, b, number in both}
    for a, b, number in zip(found.first.tolist(), found.second.tolist(), found.number.tolist(),
                            strict=True):  # fmt: skip
        assert column[frozenset((a, b))] == number
    return sum(cost[found.number].tolist())


@pytest.fixture
def scarce(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few arcs at first that others must be looked for, and prices from a small sample."""
    monkeypatch.setattr(offers, "EACH", 1)
    monkeypatch.setattr(offers, "MANY", 2)
    monkeypatch.setattr(offers, "AT_ONCE", 1)
    monkeypatch.setattr(offers, "SAMPLE", 4)


@pytest.mark.long
@pytest.mark.usefixtures("scarce")
@pytest.mark.parametrize("by_classes", [True, False])
@settings(REPEATABLE, max_examples=150)
@given(FIELDS, st.randoms(use_true_random=True), st.sampled_from([1, 3, 50, HUGE]))
def test_no_matching_is_cheaper(by_classes: bool, case: Case, rng: Random, most: int) -> None:
    problem = prepare(case.event(), model_of(case.model), seed=case.seed)
    columns: Columns
    if by_classes:
        columns = classes_of(problem, types_of(problem.attributes(), len(problem)))
    else:
        columns = all_pairs(problem)
    # -1 for a column that is not to be used: some fields have no perfect matching then
    lowest = rng.choice([-1, 0])
    cost = np.array([rng.randint(lowest, most) for _ in range(len(columns))],
                    object if most == HUGE else np.int64)  # fmt: skip
    if most < HUGE:
        assert of_few(columns, cost) == least(columns, cost)
    else:  # more than the other has room for: an order of magnitude that does not change the order
        small = np.where(cost < 0, -1, cost // 2**100)
        expected = least(columns, small)
        assert of_few(columns, np.where(cost < 0, -1, small * 2**100)) == (
            None if expected is None else expected * 2**100
        )


@pytest.mark.usefixtures("scarce")
def test_dear_arcs_are_used_where_nothing_else_will_do() -> None:
    ring = {(1, 2): 10, (2, 3): 0, (3, 4): 10, (4, 5): 0, (0, 5): 10}  # 0 cannot meet 1
    first, second = np.array(list(ring)).T
    ones = np.ones(6, np.int64)
    cost = np.array(list(ring.values()))
    columns = Columns(ones, first, second, ones[:5], ones[:5], cost[:, None])
    assert of_few(columns, cost) == 30


@pytest.mark.parametrize(("players", "number"), [(600, 2), (701, 4)])
def test_levels_are_those_of_cpsat(players: int, number: int) -> None:
    *_, (event, result) = rounds(players, number, 1, "standard", engine="cpsat")
    again = solve(event, "standard", engine="matching")
    assert again.proven
    assert again.level_values == result.level_values


def test_arcs_worked_out_in_parts_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    *_, (_, result) = rounds(40, 4, 1, "standard")
    problem, (one, two) = result.problem, np.triu_indices(len(result.problem), 1)
    whole = legal_ways(problem, arcs_of(one, two))
    monkeypatch.setattr(types, "AT_ONCE", 7)
    parts = legal_ways(problem, arcs_of(one, two))
    assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))


def test_time_is_up_among_the_searches() -> None:
    budget = Budget(deadline=time.monotonic())
    result = solve(opening(600), "monrad", engine="matching", time_limit=60)
    assert result.proven
    columns = all_pairs(result.problem)
    cost = columns.costs.sum(axis=1)
    with pytest.raises(TimeUpError):
        few.best_of_few(columns, cost >= 0, cost, budget)
