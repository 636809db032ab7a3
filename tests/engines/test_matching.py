"""The matching engine: equal to brute force and to CP-SAT, exact where integers are scarce."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from events import (
    COARSE,
    FORMULAS,
    REPEATABLE,
    Case,
    cases,
    constraints,
    events,
    model_of,
    models,
    pairing_of,
    shipped,
    vector_of,
)
from foreign_fields import drawn
from hypothesis import example, given, settings
from hypothesis import strategies as st
from places import ROOT
from simulation import opening, rounds

from pairopt import Event, Result, UsageError, solve
from pairopt.cli import main
from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import AllowedArcs, radix_weights, shrink_dtype
from pairopt.engines.base import EngineError, EngineOptions, Solution
from pairopt.engines.cpsat import engine as cpsat
from pairopt.engines.cpsat import pair_model_engine
from pairopt.engines.matching import edges as graph
from pairopt.engines.matching import engine, level_weights, min_cost_matching
from pairopt.engines.matching import level_by_level as stages
from pairopt.engines.matching.edges import Edges, max_exact_cost
from pairopt.engines.matching.level_by_level import (
    MatchingProgress,
    minimize_lexicographically,
)
from pairopt.engines.matching.level_weights import ColumnSelection, pack_levels
from pairopt.engines.matching.min_cost_matching import find_min_cost_perfect_matching
from pairopt.engines.single_pairs import all_pairs
from pairopt.problem.build import prepare
from pairopt.problem.problem import Problem

WEEKLY = [
    str(ROOT / "examples/weekly/matches.csv"),
    "--players",
    str(ROOT / "examples/weekly/players.csv"),
]
FEW_HARD = constraints(most=1)


def solved(case: Case, name: str = "matching", **how: Any) -> Result:
    return solve(
        case.event(),
        model_of(case.model),
        seed=case.seed,
        engine=name,
        **case.options,
        **how,
    )


# ---------------------------------------------------------------------- brute force and CP-SAT


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("drawn", "few"),
    [
        pytest.param(cases(events(1, 8)), 64, id="any"),
        pytest.param(cases(events(1, 8)), 0, id="any, by classes"),
        pytest.param(
            cases(events(3, 7, parity=1, min_rounds=2, byes=True)), 64, id="odd"
        ),
        pytest.param(
            cases(
                events(
                    6,
                    8,
                    parity=0,
                    min_rounds=2,
                    quiet=True,
                    byes=False,
                    level=True,
                    sided=False,
                    styles=["across", "across", "fresh"],
                ),
                models(
                    COARSE, needed=["rematches"], as_shipped=False, hard=st.just({})
                ),
                busy=False,
            ),
            0,
            id="odd halves, by classes",
        ),
        pytest.param(
            cases(
                events(2, 8, min_rounds=4),
                models(hard=constraints(least=2, most=4)),
                busy=True,
            ),
            64,
            id="overdone",
        ),
        pytest.param(
            cases(
                events(2, 7, min_rounds=2), models(tuple(FORMULAS), as_shipped=False)
            ),
            0,
            id="formulas, by classes",
        ),
    ],
)
def test_levels_equal_the_best_of_all_pairings(
    drawn: st.SearchStrategy[Case], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "MOST_PLAYERS_AS_PAIRS", few)
    if not few:  # classes are many edges, as a rule
        monkeypatch.setattr(stages, "MOST_EDGES_AT_ONCE", 0)
        monkeypatch.setattr(graph, "EACH", 1)
    tally = Counter[str]()

    @settings(REPEATABLE, max_examples=60)
    @given(drawn)
    def check(case: Case) -> None:
        oracle = case.oracle()
        best = oracle.optimum()
        try:
            result = solved(case)
        except UsageError as error:
            assert "too large" in str(error) or "aesops" in str(error)  # noqa: PT017
            return
        tally[result.status] += 1
        if best is None:
            assert result.status == "infeasible"
            assert result.conflicts
            return
        assert result.status == "optimal"
        assert all(
            level.proven and level.bound == level.value for level in result.level_values
        )
        assert vector_of(result.level_values) == best
        assert oracle.legal(pairing_of(result))
        assert oracle.vector(pairing_of(result)) == best

    check()
    print(dict(tally))
    assert tally["optimal"] >= 20


@pytest.mark.long
@settings(REPEATABLE, max_examples=60)
@given(cases(events(9, 20), models(hard=FEW_HARD)), st.sampled_from([0, 64]))
def test_both_engines_find_the_same_levels(case: Case, few: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "MOST_PLAYERS_AS_PAIRS", few)
        result = solved(case, verify=True)
    assert str(result.notes[-1]) == "Confirmed by cpsat (cross-check)."
    assert result.status in ("optimal", "infeasible")


@pytest.mark.sweep
@settings(REPEATABLE, max_examples=70)
@given(
    cases(events(1, 14), models(hard=FEW_HARD, weighted=True)),
    st.sampled_from(["classes", "pairs"]),
)
def test_weighted_models_have_one_least_sum(case: Case, formulation: str) -> None:
    try:
        other = solved(case, "cpsat")
    except UsageError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "MOST_PLAYERS_AS_PAIRS", 0)
        result = solved(case, formulation=formulation)
    assert result.status == other.status
    assert result.level_values[:1] == other.level_values[:1]


@pytest.mark.long
@settings(REPEATABLE, max_examples=60)
@given(cases(events(2, 12), models(hard=FEW_HARD)))
def test_one_weighted_objective_finds_the_same_levels(case: Case) -> None:
    level_by_level = solved(case)
    one = solved(case, objective="weighted")
    assert one.status == level_by_level.status
    assert one.level_values == level_by_level.level_values


@pytest.mark.long
@settings(REPEATABLE, max_examples=80)
@given(cases(events(2, 9)), st.integers(1, 4), st.sampled_from([0, 64]))
@pytest.mark.slow
def test_levels_a_few_at_a_time_are_the_same(case: Case, each: int, few: int) -> None:
    whole = solved(case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "MOST_PLAYERS_AS_PAIRS", few)
        patch.setattr(engine, "ENTRIES", 1)
        patch.setattr(engine, "LARGEST", 1)
        patch.setattr(engine, "LEAST", each)
        parts = solved(case)
    assert parts.status == whole.status
    assert parts.level_values == whole.level_values


@pytest.mark.long
def test_weights_of_hundreds_of_levels() -> None:
    players = [{"player": f"p{k}", "active": True, "score": str(k)} for k in range(24)]
    case = Case([], players, shipped("top-first"))
    one, levels = solved(case, objective="weighted"), solved(case, verify=True)
    assert one.level_values == levels.level_values
    assert str(levels.notes[-1]) == "Confirmed by cpsat (cross-check)."


@pytest.mark.parametrize("style", ["slide", "fold", "adjacent", "random"])
def test_styles_in_a_large_field(style: str) -> None:
    model = model_of(
        {
            "name": "style",
            "constraints": {"no_rematch": True},
            "criteria": [
                {"kind": "score_groups"},
                {"kind": "pairing_style", "style": style},
            ],
        }
    )
    *_, (event, result) = rounds(101, 4, 2, model, engine="matching")
    assert result.proven
    assert [v.value for v in solve(event, model, seed=2).level_values] == [
        v.value for v in result.level_values
    ]


# ---------------------------------------------------------------------- scarce integers


def levels_of(result: Result) -> list[tuple[int | None, int | None, bool | None]]:
    return [(level.value, level.bound, level.proven) for level in result.level_values]


def plain_bits(event: Event, seed: int) -> int:
    """Bits of the largest cost of a pair under plain mixed-radix weights."""
    columns = all_pairs(prepare(event, "excalibur", seed=seed))
    cost = columns.costs.astype(object) @ np.array(radix_weights(columns), object)
    return int(cost.max()).bit_length()


@pytest.mark.long
@pytest.mark.parametrize(
    ("players", "number"), [(301, 9), pytest.param(1000, 11, marks=pytest.mark.slow)]
)
def test_large_events_whose_plain_weights_overflow(players: int, number: int) -> None:
    *_, (event, result) = rounds(
        players, number, 1, draws=0.1, drops=0, engine="matching"
    )
    assert event.round == number
    assert plain_bits(event, 1) > 127
    assert result.proven
    assert levels_of(solve(event, "excalibur", seed=1)) == levels_of(result)


def least_total(
    vertices: frozenset[int], cost: dict[tuple[int, int], int]
) -> int | None:
    """The least cost of a perfect matching, trying all."""
    if not vertices:
        return 0
    one = min(vertices)
    found = []
    for two in vertices - {one}:
        if (one, two) in cost:
            rest = least_total(vertices - {one, two}, cost)
            found += [] if rest is None else [cost[one, two] + rest]
    return min(found, default=None)


def matched_cost(players: int, cost: dict[tuple[int, int], int]) -> int | None:
    first, second = np.array(list(cost), np.int64).T
    edges = Edges(first, second, np.arange(len(cost)))
    found = find_min_cost_perfect_matching(
        players, edges, np.array(list(cost.values()), object)
    )
    if found is None:
        return None
    seats = np.concatenate([found.first, found.second])
    assert sorted(seats) == list(range(players + players % 2))
    return sum(list(cost.values())[k] for k in found.number)


@settings(REPEATABLE, max_examples=80)
@given(st.integers(2, 9), st.randoms(use_true_random=True))
def test_costs_up_to_the_limit_are_exact(players: int, rng: Random) -> None:
    limit, vertices = max_exact_cost(players), range(players + players % 2)
    pairs = [(a, b) for a in vertices for b in vertices if a < b and rng.random() < 0.6]
    cost = {pair: rng.choice([0, 1, limit // 2, limit - 1, limit]) for pair in pairs}
    if cost:
        assert matched_cost(players, cost) == least_total(frozenset(vertices), cost)


@pytest.mark.parametrize("players", [2, 3, 50, 600, 100_000])
def test_what_is_computed_from_costs_up_to_the_limit_has_127_bits(players: int) -> None:
    """Slacks up to (N + 6) W, and 3 N of them where the last search fails."""
    vertices = players + players % 2
    largest = (3 * vertices + 1) * (vertices + 6) * max_exact_cost(players)
    assert largest < 2**127
    assert max_exact_cost(players) > 2**80  # not for nothing


@pytest.mark.parametrize("step", [1, 2])
def test_the_limit_holds_where_dual_variables_are_far_apart(step: int) -> None:
    # A long ring has two perfect matchings; free and full edges in turn pull duals apart.
    n, rng = 600, Random(step)
    limit = max_exact_cost(n)
    for _ in range(5):
        ring = [
            rng.choice([0, 1, limit - 1, limit])
            if k % (2 * step)
            else limit * (k % 4 > 0)
            for k in range(n)
        ]
        cost = {
            (min(k, (k + 1) % n), max(k, (k + 1) % n)): c for k, c in enumerate(ring)
        }
        assert matched_cost(n, cost) == min(sum(ring[::2]), sum(ring[1::2]))
    path = {(k, k + 1): limit * (k % 2 == 0) for k in range(n - 1)}
    assert matched_cost(n, path) == limit * n // 2
    assert (
        matched_cost(n, {(k, k + 1): limit * (k % 2) for k in range(1, n - 1)}) is None
    )


@pytest.mark.long
@settings(REPEATABLE, max_examples=80)
@given(
    cases(events(2, 8, min_rounds=2), models(needed=["score_groups"], hard=FEW_HARD)),
    st.integers(3, 24),
)
def test_scarce_integers_give_the_same_levels_or_an_error(
    case: Case, bits: int
) -> None:
    best = case.oracle().optimum()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages, "max_exact_cost", lambda _: 2**bits)
        try:
            result = solved(case)
        except UsageError as error:
            assert "--engine cpsat" in str(error)  # noqa: PT017
            return
    assert result.status == ("infeasible" if best is None else "optimal")
    assert vector_of(result.level_values) == (best or {})


def columns_of(n: int, costs: list[list[int]]) -> AllowedArcs:
    """Every pair of n players, the first cost row for 0 - 1, then 0 - 2, ...; n is the bye."""
    vertices = n + n % 2
    a, b = np.triu_indices(vertices, 1)
    one = np.ones(len(a), np.int64)
    return AllowedArcs(np.ones(n, np.int64), a, b, one, one, np.array(costs, np.int64))


@st.composite
def drawn_columns(draw: st.DrawFn) -> tuple[AllowedArcs, np.ndarray[Any, Any]]:
    """Columns of few players with any costs in up to four levels, and which are alive."""
    n, levels = draw(st.integers(2, 7)), draw(st.integers(1, 4))
    rng = draw(st.randoms(use_true_random=True))
    # a player's own part makes lower bounds that are not 0, a factor common divisors
    large = draw(st.sampled_from([10, 10, 40, 200]))
    own = [[rng.choice([0, 0, 3, large]) for _ in range(levels)] for _ in range(n + 1)]
    factor = [rng.choice([1, 1, 2, 3]) for _ in range(levels)]
    a, b = np.triu_indices(n + n % 2, 1)
    costs = [
        [
            f * (own[x][k] + own[y][k] + rng.choice([0, 0, 1, 2, 5]))
            for k, f in enumerate(factor)
        ]
        for x, y in zip(a, b, strict=True)
    ]
    alive = np.array([rng.random() < 0.85 for _ in costs])
    columns = columns_of(n, costs)
    if draw(
        st.booleans()
    ):  # in the smallest integers that hold them: nothing may wrap around
        columns = replace(columns, costs=shrink_dtype(columns.costs))
    return columns, alive


def all_totals(
    columns: AllowedArcs, alive: np.ndarray[Any, Any]
) -> list[tuple[int, ...]]:
    """The levels of every perfect matching."""
    wide = columns.costs.astype(np.int64)
    row = {
        (int(columns.a[k]), int(columns.b[k])): wide[k] for k in np.flatnonzero(alive)
    }

    def matchings(left: frozenset[int]) -> list[Any]:
        if not left:
            return [0]
        one = min(left)
        return [
            row[one, two] + rest
            for two in left - {one}
            if (one, two) in row
            for rest in matchings(left - {one, two})
        ]

    vertices = frozenset(range(len(columns.size) + columns.odd))
    return [tuple(int(x) for x in total) for total in matchings(vertices)]


@pytest.mark.long
@settings(REPEATABLE, max_examples=200)
@given(drawn_columns())
def test_bounds_hold_for_every_matching(drawn: Any) -> None:
    columns, alive = drawn
    totals = all_totals(columns, alive)
    if not totals:
        return
    rows = ColumnSelection(columns, np.flatnonzero(alive)).scale_levels(
        range(columns.costs.shape[1])
    )
    for least, most in (rows.quick_bounds(), rows.close_bounds()):
        for total in totals:
            for level, value in enumerate(total):
                found = (value - rows.fixed[level]) // rows.unit[level]
                assert least[level] <= found <= most[level]
                assert value == rows.fixed[level] + rows.unit[level] * found


@pytest.mark.long
@settings(REPEATABLE, max_examples=200)
@given(drawn_columns(), st.sampled_from([2**100, 2000, 500, 30, 1]), st.integers(1, 3))
def test_levels_brought_to_scale_few_at_a_time_are_weighted_alike(
    drawn: Any, limit: int, step: int
) -> None:
    columns, alive = drawn
    if not alive.any():
        return
    whole = pack_levels(columns, alive, (), 0, 0, limit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(level_weights, "ENTRIES", step * int(alive.sum()))
        parts = pack_levels(columns, alive, (), 0, 0, limit)
    assert (parts.end, parts.cost.tolist()) == (whole.end, whole.cost.tolist())
    assert len(parts.parts) == -(-len(parts.levels) // step)
    if parts.end < columns.costs.shape[1]:
        assert len(parts.levels) <= parts.end + step


GAINS = [[0, 9, 9], [1, 0, 0], [2, 9, 9], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
"""Of four players: what is given up in the first level is gained in both others."""


@pytest.mark.long
@settings(REPEATABLE, max_examples=200)
@example((columns_of(4, GAINS), np.ones(6, np.bool_)), 0, 2**100)
@given(drawn_columns(), st.integers(0, 2), st.sampled_from([2**100, 500, 30, 1]))
def test_margins_are_what_another_matching_costs_more(
    drawn: Any, known: int, limit: int
) -> None:
    """Of all matchings: who first differs from the best in a level costs at least its margin."""
    columns, alive = drawn
    totals = all_totals(columns, alive)
    known = min(known, columns.costs.shape[1])
    if not totals or known == columns.costs.shape[1]:
        return
    best = min(totals)
    packed = pack_levels(columns, alive, best[:known], 0, known, limit)
    margins = dict(packed.margins(best))
    units = [unit for part in packed.parts for unit in part.unit]
    cost = packed.cost.astype(object)[:, None]
    paid = [total for (total,) in all_totals(replace(columns, costs=cost), alive)]
    least = paid[totals.index(best)]
    assert all(margin > 0 for margin in margins.values())
    last = max(margins, default=None)
    for total, more in zip(totals, (each - least for each in paid), strict=True):
        first = next(
            (
                k
                for k, (one, two) in enumerate(zip(total, best, strict=True))
                if one != two
            ),
            packed.end,
        )
        if first < packed.end:
            assert more >= margins[first]
        if first == last:  # after which nothing is gained
            assert more == margins[last] * (total[last] - best[last]) // units[last]


@pytest.mark.long
@settings(REPEATABLE, max_examples=200)
@given(
    drawn_columns(),
    st.sampled_from([8, 16, 64]),
    st.sampled_from([1, 2, 99]),
    st.integers(1, 4),
)
def test_chunks_find_the_least_levels_whatever_the_compiled_library_holds(
    drawn: Any, bits: int, each: int, ahead: int
) -> None:
    columns, alive = drawn
    totals = all_totals(columns, alive)
    with pytest.MonkeyPatch.context() as patch:
        for module in (stages, min_cost_matching):
            patch.setattr(module, "max_exact_cost", lambda _: 2**bits)
        patch.setattr(level_weights, "AHEAD", ahead)
        if each < 99:  # by prices, first among so many edges of each player
            patch.setattr(stages, "MOST_EDGES_AT_ONCE", 0)
            patch.setattr(graph, "EACH", each)
        found = minimize_lexicographically(columns, MatchingProgress((), alive))
    assert found.feasible == bool(totals)
    if totals:
        assert found.values == min(totals)


TRADED = [
    [1, 0, 0], [2, 0, 0], [2, 2, 1], [2, 2, 2], [1, 0, 2], [2, 1, 2], [0, 2, 2], [0, 0, 2],
    [0, 0, 0], [2, 0, 1], [1, 0, 0], [0, 2, 1], [2, 2, 0], [1, 0, 0], [2, 1, 1],
]  # fmt: skip
"""Some matching is worse at the first level, and gains nearly as much at the second."""


@pytest.mark.sweep
@settings(REPEATABLE, max_examples=200)
@example((columns_of(6, TRADED), np.ones(15, np.bool_)), 2, 2)
@given(drawn_columns(), st.integers(1, 2), st.integers(1, 3))
def test_what_every_matching_has_is_not_kept_by_weights(
    drawn: Any, each: int, ahead: int
) -> None:
    columns, alive = drawn
    totals = all_totals(columns, alive)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages, "MOST_EDGES_AT_ONCE", 0)
        patch.setattr(graph, "EACH", each)
        patch.setattr(level_weights, "AHEAD", ahead)
        now = MatchingProgress((), alive)
        while totals and len(now.values) < columns.costs.shape[1]:
            now = stages.advance_levels(columns, now)
            left = all_totals(columns, now.alive)
            assert min(left) == min(totals)
            assert {total[: now.free] for total in left} == {min(totals)[: now.free]}


def test_levels_that_can_hardly_be_told_apart() -> None:
    # Three matchings of four players: giving up one level always gains nearly all of the next.
    big = 2**50 + 1
    level = {(0, 1): [3, big, 2, big], (0, 2): [4, 1, big, 2], (0, 3): [big, 7, 1, 3]}
    costs = [
        level[(0, 1)],
        level[(0, 2)],
        level[(0, 3)],
        [5, 1, 2, 0],
        [4, 2, 1, 0],
        [9, 1, 3, 1],
    ]
    columns = columns_of(4, costs)
    start = MatchingProgress((), np.ones(6, np.bool_))
    with pytest.MonkeyPatch.context() as patch:
        for module in (stages, min_cost_matching):
            patch.setattr(module, "max_exact_cost", lambda _: 2**40)
        found = minimize_lexicographically(columns, start)
    assert found.values == minimize_lexicographically(columns, start).values
    totals = [
        [x + y for x, y in zip(costs[k], costs[5 - k], strict=True)] for k in range(3)
    ]
    assert list(found.values) == min(totals)


def conflicting(kinds: int) -> Case:
    """Eight players, five of one club and three of the other, in each of several ways.

    Two of the five must meet, which costs about 2^50, and nothing shows that beforehand.
    """
    columns = {
        "club": "xxxxxyyy",
        "team": "xyxyxyxx",
        "town": "yyxxxxyx",
        "school": "xxyyxxxy",
    }
    chosen = list(columns)[:kinds]
    players = [
        {
            "player": f"p{k}",
            "active": True,
            **{kind: columns[kind][k] for kind in chosen},
        }
        for k in range(8)
    ]
    weights = {"x": Decimal(2**50 + 9), "y": Decimal(2**50 - 7)}
    rows = [
        {"kind": "conflicts", "column": kind, "weights": weights} for kind in chosen
    ]
    return Case([], players, {"name": "conflicts", "constraints": {}, "criteria": rows})


@pytest.mark.long
def test_levels_that_need_larger_integers_than_the_compiled_library_has() -> None:
    one, other = (
        solved(conflicting(3), engine, verify=True) for engine in ("matching", "cpsat")
    )
    assert str(one.notes[-1]) == "Confirmed by cpsat (cross-check)."
    assert str(other.notes[-1]) == "Confirmed by matching (cross-check)."
    assert one.level_values == other.level_values


# ---------------------------------------------------------------------- time, seeds, --verify


def test_the_time_limit_is_kept_between_matchings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    *_, (event, best) = rounds(31, 5, 4, engine="matching")
    none = solve(event, "excalibur", engine="matching", time_limit=1e-9)
    assert (none.status, len(none.matches)) == ("feasible", 15)  # any legal pairing
    assert none.level_values[0].bound == 0
    # in round 1, any legal pairing attains the bounds
    first = solve(opening(20), "excalibur", engine="matching", time_limit=1e-9)
    assert (first.status, len(first.matches)) == ("optimal", 10)

    turns = iter([False, True])
    monkeypatch.setattr(Budget, "is_over", property(lambda _: next(turns)))
    monkeypatch.setattr(stages, "max_exact_cost", lambda _: 40)
    part = solve(event, "excalibur", seed=4, engine="matching")
    assert part.status == "feasible"
    assert len(part.matches) == len(best.matches)
    proven = [level.proven for level in part.level_values]
    assert proven == sorted(proven, reverse=True)
    assert True in proven
    assert False in proven
    for level, known in zip(part.level_values, best.level_values, strict=True):
        assert not level.proven or level.value == known.value


def test_the_same_seed_gives_the_same_pairing_and_others_give_others() -> None:
    *_, (event, _) = rounds(80, 4, 5, engine="matching")
    first, again, *others = (
        solve(event, "excalibur", seed=seed, engine="matching") for seed in (0, 0, 1, 2)
    )
    assert first == again
    for other in others:
        assert levels_of(other) == levels_of(first)
        assert other.matches != first.matches


def test_progress_tells_every_level_once() -> None:
    *_, (event, _) = rounds(70, 4, 5, engine="matching")
    told: list[tuple[int, int]] = []
    result = solve(
        event,
        "monrad",
        engine="matching",
        progress=lambda _, value, k, __: told.append((k, value)),
    )
    values = [level.value for level in result.level_values]
    assert told == list(enumerate(values, 1))


def run(*arguments: str) -> Any:
    return CliRunner().invoke(main, ["solve", *WEEKLY, *arguments])


@pytest.mark.parametrize(
    ("name", "other"), [("cpsat", "matching"), ("matching", "cpsat")]
)
@pytest.mark.parametrize(
    "more", [(), ("--model", "monrad"), ("--objective", "weighted")]
)
def test_verify_says_by_which_engine(
    name: str, other: str, more: tuple[str, ...]
) -> None:
    done = run("--engine", name, "--verify", "--format", "json", *more)
    assert done.exit_code == 0
    assert f"note: Confirmed by {other} (cross-check)." in done.stderr
    assert json.loads(done.stdout)["engine"] == name


def test_verify_agrees_that_nothing_fits() -> None:
    done = run("--verify", *[f"--no-bye={name}" for name in everybody()])
    assert done.exit_code == 1
    assert "Confirmed by cpsat (cross-check)." in done.stderr


def everybody() -> list[str]:
    result = json.loads(run("--format", "json").stdout)
    return [
        row[f"player{k}"]
        for row in result["pairings"]
        for k in (1, 2)
        if row[f"player{k}"]
    ]


def worse(problem: Problem, options: EngineOptions) -> Solution:
    """CP-SAT's answer to another question, claimed to be optimal for this one."""
    fewer = replace(problem, criteria=(), labels=())
    answer = cpsat_solve(fewer, options)
    assert answer.arcs is not None
    return replace(answer, bounds=tuple(totals(problem, answer)))


def totals(problem: Problem, answer: Solution) -> list[int]:
    assert answer.arcs is not None
    return [int(total) for total in problem.costs(answer.arcs).sum(axis=0)]


cpsat_solve = cpsat.solve


def test_a_disagreement_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        pair_model_engine, "solve", lambda problem, options, *_: worse(problem, options)
    )
    done = run("--engine", "matching", "--verify")
    assert done.exit_code == 70
    assert "matching and cpsat disagree" in done.stderr
    monkeypatch.setattr(cpsat, "solve", worse)
    *_, (event, _) = rounds(20, 3, 5, engine="matching")
    with pytest.raises(EngineError, match="disagree"):
        solve(event, "excalibur", engine="cpsat", verify=True)


@pytest.mark.long
def test_column_generation_takes_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step takes enough new pairs, so that few assignment problems are solved.

    Steps that stopped at the first new pair solved 25 here.
    """
    solve_assignment = min_cost_matching._assign_double_cover
    solved = []

    def count(*arguments: Any) -> Any:
        solved.append(arguments)
        return solve_assignment(*arguments)

    monkeypatch.setattr(min_cost_matching, "_assign_double_cover", count)
    field = drawn(6, "mixed", (410, 600))
    result = solve(field.event, "bakert")
    assert result.status == "optimal"
    assert 0 < len(solved) <= 18


@pytest.mark.parametrize("model", ["standard", "excalibur", "monrad", "double-sided"])
def test_the_last_stage_leaves_the_pairs_of_all_optimal_pairings(model: str) -> None:
    """Uniform draws are exact by them. No stage may end a round without them."""
    for event, _ in rounds(12, 4, 0, model):
        problem = prepare(event, model)
        solution = engine.solve(problem, EngineOptions())
        assert solution.status == "optimal"
        assert solution.left is not None
