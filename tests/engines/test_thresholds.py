"""Thresholds forced: small fields take every path that is meant for large ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random
from typing import Any

import networkx as nx
import numpy as np
import pytest
from certificates import arcs_of_result, recorded, require_best
from events import MODELS as FILES
from events import model_of, pairing_of, shipped, vector_of
from foreign_fields import drawn as foreign
from larger_fields import drawn
from neighbours import Priced

from pairopt import Result, solve
from pairopt.engines import allowed_arcs as of_columns
from pairopt.engines import player_types
from pairopt.engines.allowed_arcs import LISTED_FIRST, shrink_dtype, single_pairs
from pairopt.engines.auto import engine as auto
from pairopt.engines.base import UnsupportedError
from pairopt.engines.cpsat import engine as cpsat
from pairopt.engines.cpsat.pair_model import Objective
from pairopt.engines.matching import (
    edge_sets,
    engine,
    level_by_level,
    level_weights,
    min_cost_matching,
    reduced_costs,
)
from pairopt.engines.matching import edges as graph
from pairopt.engines.matching.edge_sets import EdgeSet, ExplicitEdges, TypedEdges
from pairopt.engines.matching.edges import expand_edges
from pairopt.engines.matching.level_by_level import (
    MatchingProgress,
    minimize_lexicographically,
)
from pairopt.engines.matching.min_cost_matching import solve_min_cost_matching
from pairopt.engines.matching.reduced_costs import double_exact
from pairopt.engines.player_types import PairClasses
from pairopt.engines.single_pairs import expand_pairs

MODELS = tuple(
    path.stem
    for path in sorted(FILES.glob("*.toml"))
    if "engine" not in shipped(path.stem)
)
ORDERED = ("standard", "excalibur", "top-first", "fide-basic", "monrad", "double-sided")
FORCED: tuple[tuple[Any, str, tuple[float, ...]], ...] = (
    (level_by_level, "MOST_EDGES_AT_ONCE", (0, 0, 12)),
    (level_by_level, "LIMIT", (2**6, 2**14, 2**54)),
    (engine, "MOST_PLAYERS_AS_PAIRS", (0,)),
    (engine, "ENTRIES", (1, 2**20)),
    (engine, "LEVELS", (1, 32)),
    (engine, "LEAST", (1, 2, 8)),
    (engine, "OF_CLASSES", (1, 2**27)),
    (auto, "MOST_PLAYERS_FOR_MATCHING", (0,)),
    (cpsat, "CLASSES", (0.2, 1, 4)),
    (cpsat, "MOST_PLAYERS", (0, 20_000)),
    (player_types, "AT_ONCE", (3, 7, 40)),
    (of_columns, "AHEAD", (1, 3, 64)),
    (level_weights, "ENTRIES", (1, 9, 2**20)),
    (level_weights, "AHEAD", (1, 4, 32)),
    (level_weights, "NATIVE", (1, 2**20, 2**59)),
    (edge_sets, "LEAST", (1, 2, 3)),
    (edge_sets, "EACH", (1, 2, 3)),
    (edge_sets, "ENOUGH", (1, 9)),
    (edge_sets, "EXPANDED", (1, 20, 2**19)),
    (graph, "EACH", (1, 2, 3)),
    (reduced_costs, "AT_ONCE", (1, 3, 2**16)),
    (min_cost_matching, "WIDENED", (1, 3)),
    (min_cost_matching, "MANY", (0, 50_000)),
)
"""Each module's thresholds, and values of which one is drawn."""


@contextmanager
def forced(chance: Random) -> Iterator[dict[str, float]]:
    with pytest.MonkeyPatch.context() as patch:
        used = {}
        for module, name, values in FORCED:
            assert hasattr(module, name)
            used[f"{module.__name__.removeprefix('pairopt.engines.')}.{name}"] = (
                value
            ) = chance.choice(values)
            patch.setattr(module, name, value)
        yield used


def key(result: Result) -> tuple[object, ...]:
    """The status, and the values that are the same of all best pairings."""
    return result.status, *(
        v.value for v in result.level_values if v.proven is not None
    )


def number_solved(number: int, model: str) -> None:
    """One field under a model: by matching and by all engines, thresholds forced, against all
    pairings tried (7 or 8 players) or the classes (up to 24); judged by the plain rules."""
    chance, weighted, small = Random(number), number % 9 == 4, number % 2 == 1
    case = drawn(number, model, weighted, *((8, 7) if small else (24, 10))).case
    rules, given = model_of(case.model), case.options
    oracle = Priced(case.rows, case.players, case.model, **given)
    if small and not weighted:
        best = case.oracle().optimum()
        expected: tuple[object, ...] = ("infeasible" if best is None else "optimal",)
    else:
        best = None
        try:
            expected = key(
                solve(case.event(), rules, engine="cpsat", seed=case.seed, **given)
            )
        except UnsupportedError:  # weights beyond its integers
            expected = key(
                solve(case.event(), rules, engine="matching", seed=case.seed, **given)
            )
    for name in ("matching", "auto"):
        with forced(chance) as used:
            said = f"{model} {number} {name} {used}"
            result = solve(case.event(), rules, engine=name, seed=case.seed, **given)
        assert key(result)[: len(expected)] == expected, said
        if result.status == "optimal":
            pairing = pairing_of(result)
            assert oracle.legal(pairing), said
            if not weighted:
                assert oracle.vector(pairing) == vector_of(result.level_values), said
            assert best is None or vector_of(result.level_values) == best, said


@pytest.mark.sweep
@pytest.mark.parametrize(
    "many",
    [
        pytest.param(1, id="few"),
        pytest.param(8, id="some", marks=pytest.mark.long),
        pytest.param(500, id="all", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("model", MODELS)
def test_levels_are_the_same_by_the_paths_of_large_fields(
    model: str, many: int
) -> None:
    for number in range(many):
        number_solved(number, model)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(28))
def test_fields_of_40_to_700_by_both_engines(number: int) -> None:
    """Equal in every level that both have proven in half a minute each."""
    kind = ("mixed", "clubs", "forbidden", "distinct")[number % 4]
    size = round(40 * (700 / 40) ** (number / 27))
    field, model = foreign(number, kind, (size, size)), ORDERED[number % len(ORDERED)]
    found = [
        solve(field.event, model, engine=engine, time_limit=30)
        for engine in ("matching", "cpsat")
    ]
    one, two = ([v.value for v in result.level_values if v.proven] for result in found)
    shared = min(len(one), len(two))
    print(number, size, model, *(result.status for result in found), len(one), len(two))
    assert one[:shared] == two[:shared]
    statuses = {result.status for result in found}
    assert statuses <= {"optimal", "feasible"} or len(statuses) == 1


# ---------------------------------------------------------------------- graphs

LARGE = (
    127,
    128,
    255,
    4095,
    4096,
    32767,
    32768,
    2**31 - 1,
    2**31,
    2**40,
    2**52 + 1,
    2**56,
)


@dataclass(frozen=True)
class Graph:
    """Classes of types, and each pair's class as it was drawn (n for a bye)."""

    classes: PairClasses
    pairs: dict[tuple[int, int], int]

    @property
    def vertices(self) -> int:
        return self.classes.players + self.classes.odd


def drawn_graph(chance: Random, largest: int) -> Graph:
    """Types of one and of many, pairs that are not as their types are, and costs near what
    integers of some length hold."""
    n = chance.randint(2, largest)
    kinds = chance.randint(1, n)
    drawn_types = [*range(kinds), *(chance.randrange(kinds) for _ in range(n - kinds))]
    chance.shuffle(drawn_types)
    type_of = np.array(drawn_types)
    size, levels = np.bincount(type_of), chance.randint(0, 4)
    some = [
        chance.sample([0, 1, 2, 3, *LARGE], chance.randint(1, 3)) for _ in range(levels)
    ]
    legal = chance.choice((0.5, 0.9, 1))
    rows: list[tuple[int, int, tuple[int, ...]]] = []

    def number(a: int, b: int) -> int:
        if chance.random() > legal:
            return -1
        row = (a, b, tuple(chance.choice(values) for values in some))
        if row not in rows:
            rows.append(row)
        return rows.index(row)

    apart = [
        e
        for e in combinations(range(n), 2)
        if chance.random() < chance.choice((0, 0.2, 1))
    ]
    ends = {
        low * n + high: tuple(sorted(type_of[[low, high]].tolist()))
        for low, high in apart
    }
    left = {e: tuple(sorted(type_of[[*e]].tolist())) for e in combinations(range(n), 2)}
    default = np.full((kinds, kinds), -1)
    for a, b in sorted(
        {both for (low, high), both in left.items() if low * n + high not in ends}
    ):
        default[a, b] = number(a, b)
    special = {edge: number(*both) for edge, both in sorted(ends.items())}
    byes = [number(t, kinds) for t in range(kinds)] if n % 2 else []
    pairs = {e: int(default[both]) for e, both in left.items()}
    pairs |= {divmod(edge, n): cell for edge, cell in special.items()}
    pairs |= {(v, n): byes[type_of[v]] for v in range(n) if byes}
    a, b = (np.array([row[k] for row in rows], np.int64) for k in (0, 1))  # type: ignore[misc]
    costs = np.array([row[2] for row in rows], np.int64).reshape(len(rows), levels)
    classes = PairClasses(
        size=size,
        a=a,
        b=b,
        cap=np.full(len(rows), n),
        sides=np.full(len(rows), LISTED_FIRST),
        costs=shrink_dtype(costs) if chance.random() < 0.8 else costs,
        type_of=type_of,
        default=default,
        special_keys=np.array(sorted(special), np.int64),
        special_class=np.array([special[k] for k in sorted(special)], np.int64),
    )
    return Graph(classes, {edge: cell for edge, cell in pairs.items() if cell >= 0})


def least(graph: Graph) -> tuple[int, ...] | None:
    """The best levels of all perfect matchings, None where there is none."""
    costs = [tuple(map(int, row)) for row in graph.classes.costs.tolist()]
    row = {edge: costs[cell] for edge, cell in graph.pairs.items()}

    @cache
    def of(left: frozenset[int]) -> tuple[int, ...] | None:
        if not left:
            return (0,) * graph.classes.costs.shape[1]
        one, found = min(left), []
        for two in left - {one}:
            if (own := row.get((one, two))) is not None and (
                rest := of(left - {one, two})
            ):
                found.append(tuple(a + b for a, b in zip(own, rest, strict=True)))
            elif own is not None and rest is not None:
                found.append(own)
        return min(found, default=None)

    return of(frozenset(range(graph.vertices)))


def graph_settled(number: int) -> None:
    """Levels by stages against all matchings tried."""
    chance = Random(f"levels {number}")
    graph = drawn_graph(chance, 9)
    with forced(chance) as used:
        alive = np.ones(len(graph.classes), np.bool_)
        if not len(graph.classes):
            return
        found = minimize_lexicographically(graph.classes, MatchingProgress((), alive))
    best, said = least(graph), f"{number} {used}"
    assert found.feasible == (best is not None), said
    if best is not None:
        assert found.values == best, said
        assert found.matching is not None
        made = zip(
            found.matching.first.tolist(), found.matching.second.tolist(), strict=True
        )
        cells = [graph.pairs[min(e), max(e)] for e in made]
        assert cells == found.matching.number.tolist(), said


def graph_certified(number: int) -> None:
    """One cost: prices are no more than any pair costs, and all that the matching costs."""
    chance = Random(f"prices {number}")
    graph = drawn_graph(chance, 24)
    classes, pairs = graph.classes, graph.pairs
    if not len(classes):
        return
    top = chance.choice((1, 3, 127, 2**15, 2**31, 2**50, 2**57, 2**90))
    cost = np.array(
        [chance.choice((0, top, chance.randint(0, top))) for _ in range(len(classes))],
        object if top > 2**60 else np.int64,
    )
    every = np.ones(len(classes), np.bool_)
    listed = {
        (int(a), int(b)): int(k)
        for a, b, k in zip(*expand_pairs(classes, every), strict=True)
    }
    assert listed == pairs
    among: EdgeSet = TypedEdges(classes, np.arange(len(classes)), double_exact(cost))
    if chance.random() < 0.3:
        edges = expand_edges(classes, every)
        among = ExplicitEdges(graph.vertices, edges, double_exact(cost)[edges.number])
    with forced(chance) as used:
        found = solve_min_cost_matching(among)
    said = f"{number} {used}"
    if found is None:
        whole = nx.max_weight_matching(nx.Graph(list(pairs)), maxcardinality=True)
        assert 2 * len(whole) < graph.vertices, said
        return
    alone, sets = [int(price) for price in found.alone], found.sets
    assert all(price >= 0 and len(members) % 2 for members, price in sets.items()), said
    total = 0
    for (one, two), cell in pairs.items():
        left = sum(
            int(z)
            for members, z in sets.items()
            if (one in members) != (two in members)
        )
        above = 2 * int(cost[cell]) - alone[one] - alone[two] - left
        assert above >= 0, said
        if found.mate[one] == two:
            total += 2 * int(cost[cell])
    assert sorted(found.mate) == list(range(graph.vertices))
    assert all(found.mate[v] == u for u, v in enumerate(found.mate))
    assert total == sum(alone) + sum(int(price) for price in sets.values()), said


@pytest.mark.long
@pytest.mark.parametrize(
    "many",
    [
        pytest.param(60, id="few"),
        pytest.param(300, id="some", marks=pytest.mark.long),
        pytest.param(3600, id="all", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("check", [graph_settled, graph_certified])
def test_graphs(check: Any, many: int) -> None:
    for number in range(many):
        check(number)


# ---------------------------------------------------------------------- integers


def test_what_a_matching_costs_may_be_more_than_64_bits_hold() -> None:
    """All but one pair cost a unit of the first level, which weighs nearly 2^58: 49 of them are
    more than 2^63, though each cost is kept in a machine's integer. Further levels follow."""
    n = 100
    a, b = np.triu_indices(n, 1)
    first, second = (
        np.ones(len(a), np.int64),
        np.random.default_rng(1).integers(0, 2**52, len(a)),
    )
    first[0], second[1:4] = 0, (2**52, 0, 1)
    columns = single_pairs(n, a, b, np.column_stack([first, second]))
    start = MatchingProgress((), np.ones(len(a), np.bool_))
    found = minimize_lexicographically(columns, start, has_later_levels=True)
    assert found.matching is not None
    assert found.values[0] == n // 2 - 1
    assert found.alive[found.matching.number].all()


@pytest.mark.parametrize("largest", [1, 100, 127, 128, 40_000])
def test_two_goals_as_one_sum_are_no_narrower_than_it(largest: int) -> None:
    costs = shrink_dtype(np.array([[0, 0], [1, largest], [2, 1]]))
    both = Objective(costs[:, 0], 20).followed_by(Objective(costs[:, 1], 10 * largest))
    assert both is not None
    assert both.cost is not None
    unit = 10 * largest + 1
    assert both.cost.tolist() == [0, unit + largest, 2 * unit + 1]


@pytest.mark.long
@pytest.mark.parametrize("n", [46_338, 46_339, 46_340, 46_341, 46_343])
def test_numbers_of_two_players_where_their_squares_pass_32_bits(n: int) -> None:
    """All but the last three are of one type; the last two, who are alike, have met."""
    type_of = np.append(np.zeros(n - 3, np.int64), [1, 2, 2])
    a, b = np.array([0, 1, 2, *[2] * (n % 2)]), np.array([2, 2, 2, *[3] * (n % 2)])
    many = len(a)
    default = np.full((3, 3), -1)
    default[0, 2], default[1, 2] = 0, 1
    classes = PairClasses(
        size=np.bincount(type_of),
        a=a,
        b=b,
        cap=np.full(many, n),
        sides=np.ones(many, np.int64),
        costs=np.zeros((many, 1), np.int64),
        type_of=type_of,
        default=default,
        special_keys=np.array([(n - 2) * n + n - 1]),
        special_class=np.array([2]),
    )
    low, high, number = (
        each.tolist() for each in expand_pairs(classes, np.ones(many, np.bool_))
    )
    expected = {(v, late, 0) for v in range(n - 3) for late in (n - 2, n - 1)}
    expected |= {(n - 3, n - 2, 1), (n - 3, n - 1, 1), (n - 2, n - 1, 2)}
    expected |= {(v, n, 3) for v in (n - 2, n - 1) if n % 2}
    assert sorted(zip(low, high, number, strict=True)) == sorted(expected)


# ---------------------------------------------------------------------- certificates


def certified(number: int, model: str) -> bool:
    chance = Random(f"certified {number}")
    case = drawn(number, model, largest=40).case
    with forced(chance), recorded() as record:
        given = {"engine": "matching", "seed": case.seed, **case.options}
        result = solve(case.event(), model_of(case.model), **given)
    if result.status != "optimal":
        return False
    values = require_best(result.problem, record.runs, arcs_of_result(result))
    offsets = [level.offset for level in result.problem.levels]
    shown = [level.value for level in result.level_values]
    assert shown == [a + b for a, b in zip(values, offsets, strict=True)]
    for run in record.runs[:1]:  # a price more is one too many
        run.price[0] += 1  # type: ignore[index]
        with pytest.raises(AssertionError):
            require_best(result.problem, record.runs, arcs_of_result(result))
    return True


@pytest.mark.sweep
@pytest.mark.parametrize("model", MODELS)
def test_prices_of_all_runs_show_that_no_pairing_is_better(model: str) -> None:
    assert sum(certified(number, model) for number in range(3))
