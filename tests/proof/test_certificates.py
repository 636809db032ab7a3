"""Certificates: prices under which no arc costs less, that add up to the best of all pairings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

import networkx as nx
import numpy as np
import pytest
import simulation
from events import (
    MODELS,
    REPEATABLE,
    Case,
    cases,
    events,
    model_of,
    models,
    shipped,
    vector_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from pairopt import InputError, Result, UsageError, solve
from pairopt.engines import abilities_of
from pairopt.engines.base import EngineError
from pairopt.engines.matching.blossom import NOBODY, PrimalDualMatching
from pairopt.engines.single_pairs import all_pairs
from pairopt.event.arcs import BYE, IntArray
from pairopt.problem.levels import decisive_levels
from pairopt.proof import certificate as prices
from pairopt.proof.certificate import Certificate, find_certificate

Kinds = list[tuple[int, ...]]
EXACT = sorted(
    path.stem
    for path in MODELS.glob("*.toml")
    if abilities_of(shipped(path.stem).get("engine", "cpsat")).exact
    and "system" not in shipped(path.stem)
)


def holds(found: Certificate, kinds: Kinds, number: IntArray) -> bool:
    """Whether no arc costs less than its prices, level by level, and sets are as they must be."""
    for members, price in found.odd_sets:
        first = next((entry for entry in price if entry), 0)
        if first <= 0 or len(members) % 2 == 0 or len(members) == 1:
            return False
    for u, v in combinations(range(len(number)), 2):
        if number[u, v] >= 0:
            left = list(kinds[number[u, v]])
            leaves = [
                price
                for members, price in found.odd_sets
                if (u in members) != (v in members)
            ]
            for price in (found.duals[u], found.duals[v], *leaves):
                left = [one - two for one, two in zip(left, price, strict=True)]
            if left < [0] * len(left):
                return False
    prices = [*found.duals, *(price for _, price in found.odd_sets)]
    return [sum(level) for level in zip(*prices, strict=True)] == list(found.values)


def arcs_of_round(result: Result) -> tuple[Kinds, IntArray, IntArray]:
    """What the arcs of a round cost in the levels that decide, and the partners in its pairing."""
    problem, n = result.problem, len(result.problem)
    given = problem.weights(result.objective)
    columns = all_pairs(problem, given)
    kinds = [tuple(row) for row in columns.costs.tolist()]
    if given:
        kinds = [
            (sum(w * c for w, c in zip(given, row, strict=True)),) for row in kinds
        ]
    number = np.full((n + n % 2,) * 2, -1, np.int64)
    number[columns.a, columns.b] = number[columns.b, columns.a] = np.arange(
        len(columns)
    )
    assert result.arcs is not None
    first, second = (
        result.arcs.first,
        np.where(result.arcs.second == BYE, n, result.arcs.second),
    )
    partner = np.empty(len(number), np.int64)
    partner[first], partner[second] = second, first
    return kinds, number, partner


def certified(result: Result) -> Certificate:
    """The certificate of a round, seen to hold, with the values that the round has."""
    kinds, number, partner = arcs_of_round(result)
    found = find_certificate(kinds, number, partner, len(result.problem) % 2 == 1)
    assert holds(found, kinds, number)
    levels = decisive_levels(result.level_values)
    if result.objective != "weighted":
        offsets = [level.offset for level in result.problem.levels]
        assert [v + o for v, o in zip(found.values, offsets, strict=True)] == [
            level.value for level in levels
        ]
    return found


def graph(costs: dict[tuple[int, int], int]) -> tuple[Kinds, IntArray]:
    """A field of one level with these arcs."""
    size = 1 + max(map(max, costs))
    number = np.full((size, size), -1, np.int64)
    for kind, (u, v) in enumerate(costs):
        number[u, v] = number[v, u] = kind
    return [(cost,) for cost in costs.values()], number


@pytest.mark.long
@pytest.mark.parametrize("most", [1, 2, 7, 10**40])
def test_blossom_finds_what_networkx_finds(most: int) -> None:
    nested = 0
    for seed in range(150):
        chance = Random(seed)
        size = 2 * chance.randint(1, 10)
        pairs = set(zip(range(0, size, 2), range(1, size, 2), strict=True))
        pairs |= {e for e in combinations(range(size), 2) if chance.random() < 0.4}
        costs = {pair: 2 * chance.randint(0, most) for pair in sorted(pairs)}
        near: list[dict[int, int]] = [{} for _ in range(size)]
        for (u, v), cost in costs.items():
            near[u][v] = near[v][u] = cost
        blossom = PrimalDualMatching(
            near, [min(arcs.values()) // 2 for arcs in near], [NOBODY] * size
        )
        blossom.match()
        price, sets = blossom.duals()
        other = nx.Graph()
        other.add_weighted_edges_from((u, v, -cost) for (u, v), cost in costs.items())
        best = sum(
            near[u][v] for u, v in nx.max_weight_matching(other, maxcardinality=True)
        )
        assert sum(near[u][v] for u, v in enumerate(blossom.mate)) == 2 * best
        assert sum(price) + sum(sets.values()) == best
        for u, v in costs:
            leaves = sum(
                price
                for members, price in sets.items()
                if (u in members) != (v in members)
            )
            assert price[u] + price[v] + leaves <= near[u][v]
        nested += any(one < two for one in sets for two in sets)
    assert most == 1 or nested


def test_odd_sets_one_in_the_other() -> None:
    # out of the three, or by the two others out of the five, and then one of the three to them
    inner, outer, rest = (0, 1, 2), (3, 4), (5, 6, 7)
    costs = dict.fromkeys(combinations(inner + outer + rest, 2), 100)
    costs |= dict.fromkeys([*combinations(inner, 2), *combinations(rest, 2), outer], 0)
    costs |= {(u, v): 10 for u in inner for v in outer}
    costs |= {(u, v): 95 for u in outer for v in rest}
    kinds, number = graph(costs)
    found = find_certificate(
        kinds, number, np.array([5, 2, 1, 4, 3, 0, 7, 6]), odd=False
    )
    assert holds(found, kinds, number)
    assert found.values == (100,)
    sets = [members for members, _ in found.odd_sets]
    assert any(one < two for one in sets for two in sets)


def test_no_certificate_of_a_pairing_that_is_not_optimal() -> None:
    costs = {(0, 1): 0, (2, 3): 0, (0, 2): 1, (1, 3): 0, (0, 3): 5, (1, 2): 5}
    kinds, number = graph(costs)
    assert find_certificate(
        kinds, number, np.array([1, 0, 3, 2]), odd=False
    ).values == (0,)
    with pytest.raises(EngineError, match="not optimal"):
        find_certificate(kinds, number, np.array([2, 3, 0, 1]), odd=False)


def exact_cases(names: Sequence[str]) -> st.SearchStrategy[Case]:
    """Small rounds under these shipped models, and under drawn ones."""
    ship = st.builds(shipped, st.sampled_from(names), st.booleans())
    return cases(events(1, 8), ship | models() | models(weighted=True))


@pytest.mark.sweep
@pytest.mark.parametrize(
    "examples",
    [
        pytest.param(120, marks=pytest.mark.long),
        pytest.param(4000, marks=pytest.mark.slow),
    ],
)
def test_certificates_equal_the_best_of_all_pairings(examples: int) -> None:
    tally = Counter[str]()

    @settings(REPEATABLE, max_examples=examples)
    @given(exact_cases(EXACT))
    def check(case: Case) -> None:
        model = model_of(
            {key: value for key, value in case.model.items() if key != "last_round"}
        )
        options = {"engine": "matching", **case.options}
        try:
            result = solve(case.event(), model, seed=case.seed, **options)
        except (
            UsageError
        ):  # scores that a formula has no use for, weights that do not fit
            return
        except InputError as error:
            # By the model, all have advanced or are eliminated.
            assert error.kind == "round.nobody"  # noqa: PT017
            return
        if result.status != "optimal":
            return
        found = certified(result)
        if result.objective == "lexicographic":
            assert vector_of(result.level_values) == case.oracle().optimum()
        tally["certified"] += 1
        tally["with odd sets"] += bool(found.odd_sets)
        tally["weighted"] += result.objective == "weighted"

    check()
    print(dict(tally))
    assert tally["certified"] > examples // 2
    assert (
        tally["with odd sets"] > examples // 400 or examples < 1000
    )  # too rare for a few
    assert tally["weighted"] > examples // 40


@pytest.mark.sweep
@pytest.mark.parametrize("name", EXACT)
def test_a_certificate_of_forty_players_under_every_model(name: str) -> None:
    for event, _ in simulation.rounds(41, 5, 1):
        result = solve(event, name, engine="matching")
        if event.round > 1 and result.status == "optimal":
            certified(result)


def test_digits_that_do_not_fit_are_given_more_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    costs = {
        (0, 1): (1, 0),
        (2, 3): (1, 2),
        (0, 2): (0, 9),
        (1, 3): (1, 1),
        (0, 3): (2, 0),
    }
    kinds, number = (
        [(*cost,) for cost in costs.values()],
        graph(dict.fromkeys(costs, 0))[1],
    )
    for little in (prices.FIRST_ROOM, 0):
        monkeypatch.setattr(prices, "FIRST_ROOM", little)
        found = find_certificate(kinds, number, np.array([2, 3, 0, 1]), odd=False)
        assert holds(found, kinds, number)
        assert found.values == (1, 10)


def pairings(left: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """All pairings of these vertices."""
    if not left:
        yield []
    for other in left[1:]:
        for more in pairings([v for v in left[1:] if v != other]):
            yield [(left[0], other), *more]


@pytest.mark.long
def test_digits_that_might_spill_into_the_next_are_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Random fields of eight and four levels, in which there is at first no room to spare."""
    monkeypatch.setattr(prices, "FIRST_ROOM", 1)
    every, vertices = list(pairings(range(8))), list(combinations(range(8), 2))
    for seed in range(200):
        chance = Random(seed)
        kinds = [
            tuple(chance.choices((0, 1), k=4)) for _ in range(chance.choice([4, 12]))
        ]
        number = np.zeros((8, 8), np.int64) - 1
        for u, v in vertices:
            number[u, v] = number[v, u] = chance.randrange(len(kinds))
        cost = {(u, v): kinds[number[u, v]] for u, v in vertices}
        best = min(
            every,
            key=lambda m: [*map(sum, zip(*(cost[arc] for arc in m), strict=True))],
        )
        partner = np.zeros(8, np.int64)
        for u, v in best:
            partner[u], partner[v] = v, u
        assert holds(find_certificate(kinds, number, partner, odd=False), kinds, number)


def test_a_price_is_taken_apart_whole() -> None:
    edges = prices.Edges(
        np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    )
    packed = prices._PackedArcs(
        edges, np.zeros(0, object), [0] * 3, [0] * 3, [516, 0, 512], False
    )
    assert packed.unpack(482 * 512 - 3) == [
        482,
        0,
        -3,
    ]  # 482 is more than half of its unit
    assert packed.unpack(-7) == [0, 0, -7]
