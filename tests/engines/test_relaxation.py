"""Levels by linear programming: the optimum of all pairings, and never a wrong claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from clock import ticking
from events import REPEATABLE as SETTINGS
from events import Case, cases, constraints, events, model_of, models
from hypothesis import given, settings
from hypothesis import strategies as st
from simulation import opening, rounds

from pairopt import Result, solve
from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.allowed_arcs import AllowedArcs, single_pairs
from pairopt.engines.base import EngineOptions
from pairopt.engines.cpsat import (
    cutting_planes,
    levels_by_relaxation,
    pair_model_engine,
)
from pairopt.engines.cpsat.cutting_planes import (
    ProvenMatching,
    cheapest_edges,
    find_proven_matching,
)
from pairopt.engines.cpsat.expensive_edges import find_affordable_edges
from pairopt.engines.cpsat.levels_by_relaxation import (
    minimize_levels_by_relaxation,
    pack_levels,
)
from pairopt.engines.cpsat.matching_relaxation import (
    DUAL_UNIT,
    CostGraph,
    ExactDuals,
    RelaxedSolution,
    RestrictedMaster,
)
from pairopt.engines.cpsat.odd_set_separation import (
    find_gallai_edmonds_sets,
    find_perfect_matching,
    find_support_sets,
    has_tutte_barrier,
)
from pairopt.problem.build import prepare
from pairopt.round import check_claims

NO_SETS = np.zeros((0, 0), np.bool_)
NO_EDGES = np.zeros(0, np.int64)


def perfect_matchings(
    vertices: int, edges: list[tuple[int, int]]
) -> Iterator[tuple[int, ...]]:
    """Yield each perfect matching as the positions of its edges."""

    def extend(free: frozenset[int], chosen: tuple[int, ...]) -> Iterator[Any]:
        if not free:
            yield chosen
            return
        lowest = min(free)
        for position, edge in enumerate(edges):
            if lowest in edge and free.issuperset(edge):
                yield from extend(free - {*edge}, (*chosen, position))

    return extend(frozenset(range(vertices)), ())


def drawn_columns(seed: int) -> AllowedArcs:
    """Draw single pairs of 4 to 9 players, some pairs twice and some not at all."""
    chance = Random(seed)
    players, levels = chance.randint(4, 9), chance.randint(1, 4)
    share, most = chance.choice([0.4, 0.7, 1]), chance.choice([1, 2, 9])
    edges = [
        (one, two)
        for one in range(players)
        for two in range(one + 1, players + players % 2)
        for _ in range(chance.choice([1, 1, 2]))
        if chance.random() < share
    ]
    # joining two halves only by expensive edges makes odd sets
    half = chance.choice([0, players // 2])
    costs = [
        [
            chance.randint(0, most) + most * ((one < half) != (two < half))
            for _ in range(levels)
        ]
        for one, two in edges
    ]
    first, second = np.array(edges, np.int64).reshape(-1, 2).T
    return single_pairs(
        players, first, second, np.array(costs, np.int64).reshape(-1, levels)
    )


def force_thresholds(patch: pytest.MonkeyPatch, chance: Random) -> dict[str, int]:
    """Draw thresholds, so that small rounds take all paths; return them."""
    choices = {
        (cutting_planes, "FIRST_EDGES"): (0, 1, 8),
        (cutting_planes, "ADDED_EDGES"): (1, 3),
        (cutting_planes, "TIGHT_SOLVES"): (1, 2, 20),
        (cutting_planes, "RANDOM_COST"): (1, 2, 1000),
        (cutting_planes, "MOST_SOLVES"): (2, 300, 300),
        (levels_by_relaxation, "PACKED"): (0, 2**6, 2**30),
    }
    used = {}
    for (module, name), values in choices.items():
        assert hasattr(module, name)
        used[name] = chance.choice(values)
        patch.setattr(module, name, used[name])
    return used


def check_progress(columns: AllowedArcs, tally: Counter[str]) -> None:
    """Compare the progress of linear programming with all pairings, tried one by one."""
    edges = list(zip(columns.a.tolist(), columns.b.tolist(), strict=True))
    vertices = columns.players + columns.odd
    totals = {
        matching: tuple(columns.costs[list(matching)].sum(axis=0).tolist())
        for matching in perfect_matchings(vertices, edges)
    }
    progress = minimize_levels_by_relaxation(columns, Budget())
    assert progress.is_infeasible == (not totals)
    if not totals:
        assert progress.used is None
        tally["infeasible"] += 1
        return

    count = len(progress.values)
    best = min(totals.values())
    assert progress.values == best[:count]
    if progress.used is None:
        tally["nothing"] += 1
        return
    tally["all" if count == len(best) else "some"] += 1
    assert totals[tuple(sorted(progress.used.tolist(), key=edges_of(edges)))]
    for matching, values in totals.items():
        ends = np.array([edges[position] for position in matching])
        sets = progress.single_crossings
        crossings = (sets[:, ends[:, 0]] != sets[:, ends[:, 1]]).sum(axis=1)
        is_possible = progress.alive[list(matching)].all() and (crossings == 1).all()
        if values[:count] == best[:count]:
            assert is_possible
        elif progress.is_exact:
            assert not is_possible


def edges_of(edges: list[tuple[int, int]]) -> Any:
    """Return the key by which `perfect_matchings` orders the edges of a matching."""
    return lambda position: min(edges[position])


def test_levels_and_all_optimal_pairings_equal_those_of_all_pairings() -> None:
    tally = Counter[str]()
    for seed in range(300):
        check_progress(drawn_columns(seed), tally)
    assert tally["all"] >= 200
    assert tally["infeasible"] >= 20
    assert tally["some"] + tally["nothing"] <= 3


def with_expensive_pairs(columns: AllowedArcs, seed: int) -> AllowedArcs:
    """Let some pairs cost so much in a level that GLOP's numbers are too inexact."""
    chance = Random(seed)
    costs = columns.costs.copy()
    level = chance.randrange(costs.shape[1])
    share = chance.choice([0.1, 0.3, 0.6])
    for position in range(len(columns)):
        if chance.random() < share:
            costs[position, level] += 2**45 + chance.randint(0, 9)
    return replace(columns, costs=costs)


def test_pairs_that_cost_more_than_a_pairing_are_left_out() -> None:
    tally = Counter[str]()
    for seed in range(400):
        check_progress(with_expensive_pairs(drawn_columns(seed), seed), tally)
    assert tally["all"] >= 180
    # some rounds need expensive pairs, which are left to CP-SAT
    assert tally["some"] + tally["nothing"] <= 180


def test_perfect_matching_takes_one_of_parallel_edges() -> None:
    # with sides, two players have an edge for each way round
    graph = graph_of(4, (0, 1, 5), (1, 0, 7), (3, 2, 1), (2, 3, 1), (0, 2, 9))
    matched_edges = find_perfect_matching(graph)
    assert matched_edges is not None
    matched = graph.take(matched_edges)
    assert sorted([*matched.first.tolist(), *matched.second.tolist()]) == [0, 1, 2, 3]
    assert find_perfect_matching(graph.take(np.array([0, 1, 4]))) is None

    # the matching crosses the set once, so what costs more than it is left out
    sets = np.array([[True, False, False, False]])
    affordable = find_affordable_edges(graph, sets, Budget())
    assert affordable.tolist() == [True, True, True, True, False]


def test_affordable_edges() -> None:
    edges = (0, 1, 5), (2, 3, 4), (0, 2, 9), (1, 3, 10), (0, 3, 1), (1, 2, 2**50)
    graph = graph_of(4, *edges)
    no_sets = np.zeros((0, 4), np.bool_)
    affordable = find_affordable_edges(graph, no_sets, Budget())
    assert affordable.tolist() == [True] * 3 + [False, True, False]

    # a pairing that crosses 0-1 only once does not exist, so nothing is left out
    sets = np.array([[True, True, False, False]])
    assert find_affordable_edges(graph, sets, Budget()).all()
    assert find_affordable_edges(graph.take(np.array([0, 2])), no_sets, Budget()).all()
    with pytest.raises(TimeUpError):
        find_affordable_edges(graph, no_sets, Budget(deadline=0))


@pytest.mark.parametrize(
    "many",
    [
        pytest.param(150, id="some"),
        pytest.param(3000, id="all", marks=pytest.mark.slow),
    ],
)
def test_levels_are_the_same_with_forced_thresholds(many: int) -> None:
    tally = Counter[str]()
    for seed in range(many):
        with pytest.MonkeyPatch.context() as patch:
            force_thresholds(patch, Random(seed))
            check_progress(drawn_columns(seed), tally)
            expensive = with_expensive_pairs(drawn_columns(seed), seed)
            check_progress(expensive, Counter())
    assert tally["all"] >= many / 3
    assert tally["some"] + tally["nothing"] >= many / 30


def key(result: Result) -> tuple[object, ...]:
    """Return the status and the level values."""
    return result.status, *((level.value, level.bound) for level in result.level_values)


@pytest.mark.parametrize(
    "examples",
    [
        pytest.param(25, id="some"),
        pytest.param(150, id="all", marks=pytest.mark.long),
    ],
)
def test_rounds_have_the_levels_of_the_engine_matching(examples: int) -> None:
    """Byes, forced and forbidden pairs, and rounds without a pairing are among them."""
    tally = Counter[str]()

    usual = cases(events(2, 14), models(hard=constraints(most=2)))
    overdone = cases(
        events(2, 8, min_rounds=1), models(hard=constraints(least=2, most=4)), busy=True
    )

    @settings(SETTINGS, max_examples=examples)
    @given(st.one_of(usual, overdone), st.integers(0, 99))
    def check(case: Case, seed: int) -> None:
        model = model_of(case.model)
        expected = solve(case.event(), model, engine="matching", **case.options)
        with pytest.MonkeyPatch.context() as patch:
            force_thresholds(patch, Random(seed))
            found = solve(
                case.event(),
                model,
                engine="cpsat",
                formulation="pairs",
                seed=case.seed,
                **case.options,
            )
        assert key(found) == key(expected)
        tally[found.status] += 1

    check()
    assert tally["optimal"] >= examples // 2
    assert tally["infeasible"]


MODELS = ("excalibur", "double-sided", "fide-basic", "monrad")


@pytest.mark.parametrize("players", [40, 41, pytest.param(130, marks=pytest.mark.long)])
@pytest.mark.parametrize("model", MODELS)
def test_whole_rounds_need_no_cp_sat(
    model: str, players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        pytest.fail("CP-SAT was asked")

    monkeypatch.setattr(pair_model_engine, "_solve_by_cp_sat", fail)
    for event, expected in rounds(players, 6, 3, model):
        found = solve(event, model, engine="cpsat", formulation="pairs")
        assert key(found) == key(expected)
        assert found.proven


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_seed_gives_the_same_pairing(seed: int, workers: int) -> None:
    *_, (event, _) = rounds(40, 5, 3, "excalibur")
    options = {"engine": "cpsat", "formulation": "pairs", "seed": seed}
    first = solve(event, "excalibur", **options)  # type: ignore[arg-type]
    second = solve(event, "excalibur", workers=workers, **options)  # type: ignore[arg-type]
    assert first.pairs == second.pairs


# ------------------------------------------------------------- what GLOP says is checked


def late_problem() -> Any:
    *_, (event, _) = rounds(21, 5, 3, "excalibur")
    return prepare(event, "excalibur")


def with_wrong_solutions(monkeypatch: pytest.MonkeyPatch, change: Any) -> Counter[str]:
    """Let each solution of GLOP be changed before pairopt sees it."""
    solve_rightly, tally = RestrictedMaster.solve, Counter[str]()

    def solve_wrongly(
        master: RestrictedMaster, budget: Budget
    ) -> RelaxedSolution | None:
        tally["solves"] += 1
        relaxed = solve_rightly(master, budget)
        return None if relaxed is None else change(master, relaxed)

    monkeypatch.setattr(RestrictedMaster, "solve", solve_wrongly)
    return tally


def duals_changed(change: int) -> Any:
    """Add an amount to the dual of vertex 0, in units of 1 / DUAL_UNIT."""

    def changed(_: RestrictedMaster, relaxed: RelaxedSolution) -> RelaxedSolution:
        vertex_duals = relaxed.duals.vertex_duals.copy()
        vertex_duals[0] += change
        duals = replace(relaxed.duals, vertex_duals=vertex_duals)
        return replace(relaxed, duals=duals)

    return changed


def last_matching(master: RestrictedMaster, relaxed: RelaxedSolution) -> Any:
    """Return a perfect matching that is not optimal, as the solution."""
    graph, mate = master.graph, dict[int, int]()
    expensive_first = np.argsort(-graph.cost[relaxed.edges], kind="stable")
    values = np.zeros(len(relaxed.edges))
    for position in expensive_first.tolist():
        edge = relaxed.edges[position]
        ends = int(graph.first[edge]), int(graph.second[edge])
        if not mate.keys() & {*ends}:
            mate |= {ends[0]: ends[1], ends[1]: ends[0]}
            values[position] = 1
    return replace(relaxed, values=values)


def no_optimum(*_: object) -> None:
    """Return no solution, as GLOP does after a numerical error."""


def no_edges(_: RestrictedMaster, relaxed: RelaxedSolution) -> RelaxedSolution:
    """Return a solution that uses no edge."""
    return replace(relaxed, values=np.zeros(len(relaxed.edges)))


@pytest.mark.parametrize(
    "change",
    [
        duals_changed(-1),
        duals_changed(-2 * DUAL_UNIT),
        duals_changed(3 * DUAL_UNIT),
        last_matching,
        no_optimum,
        no_edges,
    ],
    ids=["nearly", "low", "high", "another", "none", "empty"],
)
def test_a_wrong_solution_of_glop_never_makes_a_wrong_claim(
    change: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = late_problem()
    expected = pair_model_engine.solve(problem, EngineOptions())
    tally = with_wrong_solutions(monkeypatch, change)
    found = pair_model_engine.solve(problem, EngineOptions())
    assert tally["solves"]
    assert (found.status, found.bounds) == (expected.status, expected.bounds)


def test_duals_below_the_optimum_leave_the_later_levels_to_cp_sat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Under them, more pairings than the optimal ones look optimal."""
    monkeypatch.setattr(levels_by_relaxation, "PACKED", 0)
    columns = drawn_columns(5)
    exact = minimize_levels_by_relaxation(columns, Budget())
    assert exact.is_exact
    assert len(exact.values) > 1

    with_wrong_solutions(monkeypatch, duals_changed(-1))
    progress = minimize_levels_by_relaxation(columns, Budget())
    assert not progress.is_exact
    assert 0 < len(progress.values) < len(exact.values)
    assert progress.values == exact.values[: len(progress.values)]


def stop_after(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let linear programming find no proof after some stages of one level each."""
    monkeypatch.setattr(levels_by_relaxation, "PACKED", 0)
    stages = iter(range(count))

    def find(*arguments: Any) -> ProvenMatching | None:
        if next(stages, None) is None:
            return None
        return find_proven_matching(*arguments)

    monkeypatch.setattr(levels_by_relaxation, "find_proven_matching", find)


@pytest.mark.parametrize("stages", [0, 1, 2, 3])
def test_cp_sat_solves_the_levels_that_are_left(
    stages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = late_problem()
    expected = pair_model_engine.solve(problem, EngineOptions())
    stop_after(stages, monkeypatch)
    reports: list[tuple[int, int]] = []
    options = EngineOptions(progress=lambda *report: reports.append(report))
    found = pair_model_engine.solve(problem, options)
    assert (found.status, found.bounds) == (expected.status, expected.bounds)
    assert reports == list(enumerate(expected.bounds))


@pytest.mark.parametrize("stages", [0, 1, 2])
def test_brackets_are_the_same_if_cp_sat_solves_the_levels_that_are_left(
    stages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, (event, expected) = rounds(21, 5, 3, "fide-dutch")
    stop_after(stages, monkeypatch)
    found = solve(event, "fide-dutch", engine="cpsat", formulation="pairs")
    assert key(found) == key(expected)


def test_whatever_the_deadline_no_claim_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = late_problem()
    expected = pair_model_engine.solve(problem, EngineOptions())
    monkeypatch.setattr(levels_by_relaxation, "PACKED", 0)
    clock = ticking(monkeypatch)
    pair_model_engine.solve(problem, EngineOptions(budget=Budget(deadline=10**9)))
    statuses = set()
    for deadline in range(clock.now + 10):
        clock.now = 0
        options = EngineOptions(budget=Budget(deadline=deadline))
        found = pair_model_engine.solve(problem, options)
        statuses.add(found.status)
        known = [bound for bound in found.bounds if bound is not None]
        expected_bounds = expected.bounds[: len(known)]
        assert known[:-1] == list(expected_bounds[:-1])
        assert not known or known[-1] <= (expected_bounds[-1] or 0)
        if found.arcs is not None and known:
            totals = problem.costs(found.arcs).sum(axis=0).tolist()
            assert totals[: len(known) - 1] == known[:-1]
    assert statuses == {"unknown", "feasible", "optimal"}


# --------------------------------------------------------------------------- the parts


def graph_of(vertices: int, *edges: tuple[int, int, int]) -> CostGraph:
    first, second, cost = np.array(edges, np.int64).reshape(-1, 3).T
    return CostGraph(vertices, first, second, cost)


def two_triangles() -> CostGraph:
    """Two triangles of edges that cost nothing, joined by one edge of cost 5."""
    triangles = [(0, 1, 0), (0, 2, 0), (1, 2, 0), (3, 4, 0), (3, 5, 0), (4, 5, 0)]
    return graph_of(6, *triangles, (2, 3, 5))


def test_odd_sets_raise_the_bound() -> None:
    graph = two_triangles()
    found = find_proven_matching(graph, np.zeros((0, 6), np.bool_), NO_EDGES, Budget())
    assert found is not None
    assert sorted(found.edges.tolist()) == [0, 5, 6]
    assert found.duals.bound == 5 * DUAL_UNIT
    assert found.slack == 0
    assert (found.reduced_costs >= 0).all()
    assert found.single_crossings.tolist() == [[False] * 3 + [True] * 3]


def test_a_set_that_must_be_crossed_once() -> None:
    """The cheapest matching would cross it three times."""
    graph = graph_of(
        6,
        *((one, two, 0) for one in (0, 1, 2) for two in (3, 4, 5)),
        (0, 1, 1),
        (3, 4, 1),
    )
    sets = np.array([[True] * 3 + [False] * 3])
    found = find_proven_matching(graph, sets, NO_EDGES, Budget())
    assert found is not None
    assert int(graph.cost[found.edges].sum()) == 2
    assert found.slack == 0


def test_a_graph_without_a_perfect_matching_has_no_proven_one() -> None:
    star = graph_of(4, (0, 1, 0), (0, 2, 0), (0, 3, 0))
    assert (
        find_proven_matching(star, np.zeros((0, 4), np.bool_), NO_EDGES, Budget())
        is None
    )


def test_tight_edges_without_a_perfect_matching() -> None:
    graph = two_triangles()
    sets = find_gallai_edmonds_sets(graph, np.arange(6), np.zeros((0, 6), np.bool_))
    assert sorted(members.tolist() for members in sets) == [
        [False] * 3 + [True] * 3,
        [True] * 3 + [False] * 3,
    ]
    everything = find_gallai_edmonds_sets(
        graph, np.arange(7), np.zeros((0, 6), np.bool_)
    )
    assert everything == []


def test_a_barrier_leaves_more_odd_components_than_it_has_vertices() -> None:
    star = graph_of(4, (0, 1, 0), (0, 2, 0), (0, 3, 0))
    assert has_tutte_barrier(star)
    assert has_tutte_barrier(
        graph_of(
            6,
            *(
                (one, two, 0)
                for one, two in [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)]
            ),
        )
    )
    assert not has_tutte_barrier(two_triangles())
    assert not has_tutte_barrier(graph_of(4, (0, 1, 0), (2, 3, 0)))
    assert has_tutte_barrier(graph_of(4, (0, 1, 0)))


def test_contracted_sets_count_as_one_vertex() -> None:
    """A triangle, and two vertices that are only joined to it: one of them is left."""
    graph = graph_of(
        6, (0, 1, 0), (0, 2, 0), (1, 2, 0), (0, 3, 0), (1, 4, 0), (2, 5, 0)
    )
    contracted = np.array([[True] * 3 + [False] * 3])
    assert find_gallai_edmonds_sets(graph, np.arange(6), NO_SETS.reshape(0, 6)) == []
    # the three other vertices are odd components of one vertex each
    assert find_gallai_edmonds_sets(graph, np.arange(6), contracted) == []
    longer = graph_of(
        8,
        *((0, k, 0) for k in (1, 2, 3)),
        (1, 2, 0),
        (3, 4, 0),
        (4, 5, 0),
        (3, 5, 0),
        (5, 6, 0),
        (6, 7, 0),
        (5, 7, 0),
    )
    sets = find_gallai_edmonds_sets(
        longer,
        np.arange(len(longer)),
        np.array([[False] * 3 + [True] * 3 + [False] * 2]),
    )
    assert all(members[3] == members[4] == members[5] for members in sets)


def test_odd_components_that_no_edge_crosses() -> None:
    graph = two_triangles()
    halves = np.array([0.5] * 6)
    sets = find_support_sets(graph, np.arange(6), halves)
    assert [members.tolist() for members in sets] == [
        [True] * 3 + [False] * 3,
        [False] * 3 + [True] * 3,
    ]
    matching = np.array([1.0, 1.0, 1.0])
    assert find_support_sets(graph, np.array([0, 5, 6]), matching) == []


def test_duals_are_made_feasible_by_lowering_them() -> None:
    graph = graph_of(4, (0, 1, 1), (0, 2, 3), (1, 3, 2), (2, 3, 1))
    duals = ExactDuals(np.full(4, DUAL_UNIT), np.zeros((0, 4), np.bool_), NO_EDGES)
    assert duals.reduced_costs(graph).min() < 0
    feasible = duals.made_feasible(graph)
    assert feasible.reduced_costs(graph).min() == 0
    assert feasible.bound < duals.bound


def test_only_fixed_sets_keep_a_negative_dual() -> None:
    graph = two_triangles()
    sets = np.array([[False] * 3 + [True] * 3])
    duals = ExactDuals(np.zeros(6, np.int64), sets, np.array([-3]))
    assert duals.made_feasible(graph).set_duals.tolist() == [0]
    fixed = replace(duals, fixed_count=1).made_feasible(graph)
    assert fixed.set_duals.tolist() == [-3]


def test_even_sets_prove_nothing() -> None:
    """No edge has to cross them."""
    graph = two_triangles()
    even = np.array([True, True, False, False, False, False])
    master = RestrictedMaster(graph, np.zeros((0, 6), np.bool_))
    assert master.add_odd_sets([even]) == 0
    assert master.add_odd_sets([np.array([True] * 3 + [False] * 3)]) == 1
    duals = ExactDuals(np.zeros(6, np.int64), even[None], np.array([3]))
    assert duals.made_feasible(graph).set_duals.tolist() == [0]


def proven(
    graph: CostGraph, edges: list[int], vertex_duals: list[int], fixed: Any = None
) -> ProvenMatching | None:
    """Let a matching be proven by duals of vertices, in whole costs."""
    no_sets = np.zeros((0, graph.vertices), np.bool_)
    duals = ExactDuals(DUAL_UNIT * np.array(vertex_duals), no_sets, NO_EDGES)
    fixed_sets = no_sets if fixed is None else np.array([fixed])
    return cutting_planes._prove(graph, fixed_sets, np.array(edges, np.int64), duals)


def test_a_proof_needs_a_perfect_matching_and_a_bound_at_its_cost() -> None:
    square = graph_of(4, (0, 1, 1), (2, 3, 1), (0, 2, 1), (1, 3, 2))
    best = proven(square, [0, 1], [1, 0, 0, 1])
    assert best is not None
    assert best.slack == 0
    assert best.reduced_costs.tolist() == [0, 0, 0, DUAL_UNIT]
    # a matching that costs 1 more, and duals that prove too little or too much
    assert proven(square, [2, 3], [1, 0, 0, 1]) is None
    assert proven(square, [0, 1], [0, 0, 0, 1]) is None
    assert proven(square, [0, 1], [2, 0, 0, 1]) is not None
    assert proven(square, [2, 3], [2, 0, 0, 1]) is None

    free = graph_of(4, (0, 1, 0), (2, 3, 0), (0, 2, 0), (1, 3, 0))
    assert proven(free, [0, 1], [0] * 4) is not None
    # no, one and three edges, or two at the same vertex
    for edges in ([], [0], [0, 1, 2], [0, 2]):
        assert proven(free, edges, [0] * 4) is None


def test_a_proof_needs_one_crossing_of_each_fixed_set() -> None:
    free = graph_of(
        6,
        *((one, two, 0) for one in (0, 1, 2) for two in (3, 4, 5)),
        (0, 1, 0),
        (3, 4, 0),
    )
    half = [True] * 3 + [False] * 3
    assert proven(free, [0, 4, 8], [0] * 6) is not None
    assert proven(free, [0, 4, 8], [0] * 6, half) is None
    assert proven(free, [8, 9, 10], [0] * 6, half) is not None


def test_the_slack_decides_what_is_still_possible() -> None:
    sets = np.array([[False] * 3 + [True] * 3] * 3)
    duals = ExactDuals(np.zeros(6, np.int64), sets, np.array([0, 2, 3]))
    reduced_costs = np.array([0, 4, 5])
    slack = ProvenMatching(NO_EDGES, duals, reduced_costs, 4)
    assert slack.is_possible.tolist() == [True, True, False]
    assert len(slack.single_crossings) == 1
    exact = replace(slack, slack=0)
    assert exact.is_possible.tolist() == [True, False, False]
    assert len(exact.single_crossings) == 2


def test_the_cheapest_edges_of_each_vertex() -> None:
    graph = graph_of(4, (0, 1, 3), (0, 2, 1), (0, 3, 2), (1, 2, 5), (1, 3, 4))
    assert sorted({*cheapest_edges(graph, 1).tolist()}) == [0, 1, 2]
    assert len(cheapest_edges(graph, 0)) == 0
    assert sorted({*cheapest_edges(graph, 9).tolist()}) == [0, 1, 2, 3, 4]


def test_one_unit_of_a_level_outweighs_all_later_levels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = np.triu_indices(4, 1)
    levels = np.array([[0, 1, 1, 1, 1, 0], [2, 0, 1, 1, 0, 2], [3, 1, 2, 2, 1, 0]])
    packed = pack_levels(4, first, second, levels)
    assert packed is not None
    assert packed.count == 3
    edges = list(zip(first.tolist(), second.tolist(), strict=True))
    by_levels, by_cost = (
        sorted(perfect_matchings(4, edges), key=order)
        for order in (
            lambda matching: levels[:, list(matching)].sum(axis=1).tolist(),
            lambda matching: packed.cost[list(matching)].sum(),
        )
    )
    assert by_levels == by_cost

    monkeypatch.setattr(levels_by_relaxation, "PACKED", 2)
    single = pack_levels(4, first, second, levels)
    assert single is not None
    assert single.count == 1
    monkeypatch.setattr(levels_by_relaxation, "LARGEST", 1)
    assert pack_levels(4, first, second, levels) is None


def test_no_levels_and_no_edges() -> None:
    no_levels = single_pairs(
        2, np.array([0]), np.array([1]), np.zeros((1, 0), np.int64)
    )
    progress = minimize_levels_by_relaxation(no_levels, Budget())
    assert progress.values == ()
    assert progress.used is not None
    assert progress.used.tolist() == [0]


# --------------------------------------------------------------------- the cross-check


def test_more_costs_than_the_memory_is_for_are_not_cross_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    *_, (event, _) = rounds(20, 3, 5, engine="matching")
    assert solve(event, "excalibur", verify="small").proven_by == ("matching", "cpsat")
    monkeypatch.setattr(check_claims, "MOST_COSTS", 20 * 20)
    assert solve(event, "excalibur", verify="small").proven_by == ("matching",)


def test_cp_sat_takes_no_part_in_the_cross_check_of_a_large_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    *_, (event, _) = rounds(20, 3, 5, engine="matching")
    stop_after(0, monkeypatch)
    assert solve(event, "excalibur", verify="small").proven_by == ("matching", "cpsat")
    monkeypatch.setattr(check_claims, "MOST_PLAYERS_OF_CP_SAT", 10)
    assert solve(event, "excalibur", verify="small").proven_by == ("matching",)
    assert solve(event, "excalibur", verify=True).proven_by == ("matching", "cpsat")


def test_a_large_round_without_a_pairing_is_cross_checked() -> None:
    """Two halves of 101 players who may not meet."""
    event = opening(202, sides=None)
    halves = [(one, two) for one in event.names[:101] for two in event.names[101:]]
    result = solve(event, "standard", forbid=halves, verify="small")
    assert (result.status, result.proven_by) == ("infeasible", ("matching", "cpsat"))


def test_a_large_round_is_cross_checked() -> None:
    *_, (event, _) = rounds(120, 3, 5, engine="matching")
    assert solve(event, "excalibur", verify="small").proven_by == ("matching", "cpsat")
