"""Exact: a matching from few edges, in whole numbers of any size, is no dearer than from all."""

from __future__ import annotations

import time
from itertools import combinations
from random import Random

import numpy as np
import pytest
from events import REPEATABLE, Case, cases, constraints, events, model_of, models
from hypothesis import given, settings
from hypothesis import strategies as st
from simulation import opening, rounds

from pairopt import solve
from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines import player_types
from pairopt.engines.allowed_arcs import AllowedArcs, single_pairs
from pairopt.engines.matching import edge_sets, min_cost_matching
from pairopt.engines.matching import min_cost_matching as fractional
from pairopt.engines.matching.edge_sets import ExplicitEdges, TypedEdges
from pairopt.engines.matching.edges import Edges, count_pairs, expand_edges
from pairopt.engines.matching.min_cost_matching import (
    find_min_cost_perfect_matching,
    solve_min_cost_matching,
)
from pairopt.engines.matching.reduced_costs import compute_reduced_costs, double_exact
from pairopt.engines.player_types import (
    PairClasses,
    build_classes,
    legal_ways,
    types_of,
)
from pairopt.engines.single_pairs import all_pairs
from pairopt.event.arcs import arcs_of
from pairopt.problem.build import prepare

FIELDS = cases(
    events(4, 24, level=True, max_rounds=6),
    models(hard=constraints(most=2)),
    busy=False,
)


def compiled(columns: AllowedArcs, cost: np.ndarray) -> Edges | None:
    """A matching of least total cost by the compiled library, all edges looked at."""
    return find_min_cost_perfect_matching(
        columns.players, expand_edges(columns, cost >= 0), np.maximum(cost, 0)
    )


def require_perfect(columns: AllowedArcs, cost: np.ndarray, found: Edges) -> None:
    """Every player is matched once, by edges of the columns that they say."""
    seats = np.concatenate([found.first, found.second])
    assert sorted(seats.tolist()) == list(range(2 * columns.matches))
    assert (cost[found.number] >= 0).all()
    every = expand_edges(columns, cost >= 0)
    both = zip(
        every.first.tolist(), every.second.tolist(), every.number.tolist(), strict=True
    )
    column = {frozenset((a, b)): number for a, b, number in both}
    for a, b, number in zip(
        found.first.tolist(), found.second.tolist(), found.number.tolist(), strict=True
    ):
        assert column[frozenset((a, b))] == number


def columns_of(case: Case, by_classes: bool) -> AllowedArcs:
    problem = prepare(case.event(), model_of(case.model), seed=case.seed)
    if by_classes:
        return build_classes(problem, types_of(problem.attributes(), len(problem)))
    return all_pairs(problem)


def any_costs(columns: AllowedArcs, rng: Random, most: int) -> np.ndarray:
    """-1 for a column that is not to be used: some fields have no perfect matching then."""
    lowest = rng.choice([-1, 0])
    return np.array([rng.randint(lowest, most) for _ in range(len(columns))], np.int64)


@pytest.mark.sweep
@pytest.mark.parametrize("by_classes", [True, False])
@settings(REPEATABLE, max_examples=80)
@given(
    FIELDS,
    st.randoms(use_true_random=True),
    st.sampled_from([1, 3, 50, 2**54]),
    st.integers(1, 3),
)
def test_no_matching_is_cheaper(
    by_classes: bool, case: Case, rng: Random, most: int, widened: int
) -> None:
    columns = columns_of(case, by_classes)
    cost = any_costs(columns, rng, most)
    expected = compiled(columns, cost)
    edges = expand_edges(columns, cost >= 0)
    vertices, twice = 2 * columns.matches, double_exact(cost)[edges.number]
    few = np.array([rng.random() < 0.2 for _ in range(len(edges))], np.bool_)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(min_cost_matching, "WIDENED", widened)
        patch.setattr(
            fractional, "BITS", rng.choice([58, 3 * vertices.bit_length() + 4])
        )
        found = solve_min_cost_matching(ExplicitEdges(vertices, edges, twice, few))
    assert (found is None) == (expected is None)
    if found is None or expected is None:
        return
    matched = edges.joining(columns.players, *found.pairs)
    require_perfect(columns, cost, matched)
    total = sum(cost[expected.number].tolist())
    assert sum(cost[matched.number].tolist()) == total
    # the prices show it by themselves: none costs less, and all of them are what the matching costs
    assert (compute_reduced_costs(edges, twice, found.alone, found.sets) >= 0).all()
    assert all(price >= 0 and len(members) % 2 for members, price in found.sets.items())
    assert sum(found.alone) + sum(found.sets.values()) == 2 * total


@pytest.mark.sweep
@settings(REPEATABLE, max_examples=200)
@given(
    FIELDS,
    st.randoms(use_true_random=True),
    st.sampled_from([1, 3, 50, 2**54, 2**90]),
    st.integers(1, 3),
    st.booleans(),
)
def test_pairs_that_are_listed_when_they_are_asked_for(
    case: Case, rng: Random, most: int, near: int, at_hand: bool
) -> None:
    columns = columns_of(case, by_classes=True)
    assert isinstance(columns, PairClasses)
    cost = np.array(
        [rng.randint(rng.choice([-1, 0]), most) for _ in range(len(columns))],
        object if most > 2**60 else np.int64,
    )
    edges, index = expand_edges(columns, cost >= 0), np.flatnonzero(cost >= 0)
    every = ExplicitEdges(
        2 * columns.matches, edges, double_exact(np.maximum(cost, 0))[edges.number]
    )
    assert len(edges) <= count_pairs(columns, cost >= 0)
    expected = solve_min_cost_matching(every)
    known = None
    if at_hand and expected is not None:  # any perfect matching, here of other costs
        known = compiled(columns, np.where(cost < 0, -1, cost % 3))
    among = TypedEdges(columns, index, double_exact(np.maximum(cost, 0)), known)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge_sets, "LEAST", near)
        patch.setattr(edge_sets, "EACH", near)
        found = solve_min_cost_matching(among)
    assert (found is None) == (expected is None)
    if found is None or expected is None:
        return
    matched, other = among.matching(*found.pairs), every.matching(*expected.pairs)
    require_perfect(columns, cost, matched)
    assert sum(cost[matched.number].tolist()) == sum(cost[other.number].tolist())
    left = compute_reduced_costs(edges, every.cost, found.alone, found.sets)
    assert (left >= 0).all()
    number, least, greatest = among.above(found.alone, found.sets)
    assert number.tolist() == index.tolist()
    low, high = (
        dict(zip(number, least, strict=True)),
        dict(zip(number, greatest, strict=True)),
    )
    for edge, more in zip(edges.number.tolist(), left.tolist(), strict=True):
        assert low[edge] <= more <= high[edge]


@pytest.mark.sweep
@pytest.mark.parametrize("by_classes", [True, False])
@settings(REPEATABLE, max_examples=60)
@given(FIELDS, st.randoms(use_true_random=True), st.integers(0, 2**40))
def test_costs_of_any_size(by_classes: bool, case: Case, rng: Random, low: int) -> None:
    columns = columns_of(case, by_classes)
    small = any_costs(columns, rng, 50)
    # an order of magnitude, and what is so small that it does not change the order
    cost = np.where(small < 0, -1, small.astype(object) * 2**140 + rng.randint(0, low))
    expected, found = compiled(columns, small), compiled(columns, cost)
    assert (expected is None) == (found is None)
    if expected is not None and found is not None:
        require_perfect(columns, cost, found)
        assert sum(small[found.number].tolist()) == sum(small[expected.number].tolist())


def test_what_is_lost_at_first_is_settled_in_whole_numbers() -> None:
    """Costs that differ only in bits which the compiled library never sees."""
    first, second = np.triu_indices(6, 1)
    rng = Random(4)
    tail = np.array([rng.randint(0, 100) for _ in first], object)
    columns = single_pairs(6, first, second, np.zeros((15, 0), np.int64))
    found, small = (
        compiled(columns, tail + 2**150),
        compiled(columns, tail.astype(np.int64)),
    )
    assert found is not None
    assert small is not None
    assert sum(tail[found.number]) == sum(tail[small.number])


def test_dear_edges_are_used_where_nothing_else_will_do() -> None:
    ring = {(1, 2): 10, (2, 3): 0, (3, 4): 10, (4, 5): 0, (0, 5): 10}  # 0 cannot meet 1
    first, second = np.array(list(ring)).T
    cost = np.array(list(ring.values()))
    columns = single_pairs(6, first, second, cost[:, None])
    found = compiled(columns, cost)
    assert found is not None
    assert cost[found.number].sum() == 30


@pytest.mark.long
@pytest.mark.parametrize(("players", "number"), [(600, 2), (701, 4)])
def test_levels_are_those_of_cpsat(players: int, number: int) -> None:
    *_, (event, result) = rounds(players, number, 1, "standard", engine="cpsat")
    again = solve(event, "standard", engine="matching")
    assert again.proven
    assert again.level_values == result.level_values


@pytest.mark.long
def test_arcs_worked_out_in_parts_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    *_, (_, result) = rounds(40, 4, 1, "standard")
    problem, (one, two) = result.problem, np.triu_indices(len(result.problem), 1)
    whole = legal_ways(problem, arcs_of(one, two))
    for at_once, ahead in ((7, 64), (64, 1)):  # so many arcs, or fewer of many levels
        monkeypatch.setattr(player_types, "AT_ONCE", at_once)
        monkeypatch.setattr(player_types, "AHEAD", ahead)
        parts = legal_ways(problem, arcs_of(one, two))
        assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))


@pytest.mark.long
def test_time_is_up_among_the_searches() -> None:
    budget = Budget(deadline=time.monotonic())
    result = solve(opening(600), "monrad", engine="matching", time_limit=60)
    assert result.proven
    columns = all_pairs(result.problem)
    cost = columns.costs.sum(axis=1)
    edges, large = expand_edges(columns, cost >= 0), cost.astype(object) << 130
    with pytest.raises(TimeUpError):
        find_min_cost_perfect_matching(columns.players, edges, large, budget)


@pytest.mark.long
@settings(REPEATABLE, max_examples=200)
@given(
    st.integers(1, 12), st.randoms(use_true_random=True), st.sampled_from([1, 9, 2**70])
)
def test_prices_of_halves(half: int, rng: Random, most: int) -> None:
    """No edge costs less than its ends, and all prices are what the cheapest assignment costs."""
    vertices = 2 * half
    pairs = {(v, v + 1) for v in range(0, vertices, 2)}
    pairs |= {e for e in combinations(range(vertices), 2) if rng.random() < 0.4}
    one, two = np.array(sorted(pairs)).T
    cost = np.array(
        [2 * rng.randint(0, most) for _ in one], object if most > 9 else np.int64
    )
    for whole in (False, True):
        price, mate = fractional.solve_fractional_matching(
            vertices, one, two, cost, whole
        )
        assert (cost >= price[one] + price[two]).all()
        known = dict(
            zip(zip(one.tolist(), two.tolist(), strict=True), cost, strict=True)
        )
        own = [known[min(v, w), max(v, w)] for v, w in enumerate(mate.tolist())]
        assert 2 * sum(price.tolist()) == sum(own)
        assert sorted(mate.tolist()) == list(range(vertices))


@pytest.mark.long
@pytest.mark.parametrize(
    "listed", ["all", "some", "in no order", "the other way round", "twice"]
)
def test_a_table_of_edges_has_the_matching_of_their_list(
    listed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same, not only of the same weight: which of several is found is part of a result."""
    chance = np.random.default_rng(len(listed))
    for players in (*range(2, 24), *range(2, 24)):
        one, two = (ends.astype(np.int64) for ends in np.triu_indices(players, 1))
        if players % 2:  # byes come last
            one, two = (
                np.append(one, range(players)),
                np.append(two, [players] * players),
            )
        if listed == "some":
            kept = chance.random(len(one)) < 0.6
            one, two = one[kept], two[kept]
        elif listed == "in no order":
            order = chance.permutation(len(one))
            one, two = one[order], two[order]
        elif listed == "the other way round":
            turned = chance.random(len(one)) < 0.1
            one, two = np.where(turned, two, one), np.where(turned, one, two)
        elif listed == "twice":
            one, two = one.repeat(2), two.repeat(2)
        most = chance.choice([1, 3, 2**20, min_cost_matching.EXACT, 2**58])
        weight = chance.integers(0, most, len(one))
        graph = players + players % 2, one, two, weight
        for everybody in (True, False):
            by_table = min_cost_matching.max_weight_partners(*graph, everybody)
            with monkeypatch.context() as patch:
                patch.setattr(min_cost_matching, "SPARSE", 0)
                assert (
                    min_cost_matching.max_weight_partners(*graph, everybody) == by_table
                )
