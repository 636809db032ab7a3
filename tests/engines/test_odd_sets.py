"""Odd sets: what no level may keep apart, and the chain that score groups form."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import Oracle

from pairopt import load_model, read_event, solve
from pairopt.engines.allowed_arcs import AllowedArcs, single_pairs
from pairopt.engines.odd_sets import component_of, find_odd_set_cuts, max_level_block


def chain(sizes: list[int]) -> tuple[AllowedArcs, np.ndarray]:  # type: ignore[type-arg]
    """Two types of equal score in each group; neighbouring groups may meet at a cost of 1."""
    groups = len(sizes)
    size = np.array([part for n in sizes for part in (n - 1, 1)], np.int64)
    pairs = [(2 * g, 2 * g) for g in range(groups)] + [
        (2 * g, 2 * g + 1) for g in range(groups)
    ]
    apart = [(2 * g, 2 * g + 2) for g in range(groups - 1)]
    a, b = np.array(pairs + apart, np.int64).T
    cost = np.array([0] * len(pairs) + [1] * len(apart), np.int64)
    many = np.full(len(a), 99, np.int64)
    return AllowedArcs(size, a, b, many, np.ones(len(a), np.int64), cost[:, None]), cost


def test_every_group_and_every_beginning_of_the_chain() -> None:
    columns, cost = chain([3, 4, 4, 5, 2])
    found = {
        (tuple(leaving.tolist()), players)
        for leaving, players in find_odd_set_cuts(
            columns, np.arange(len(columns)), [cost]
        )
    }
    links = [10, 11, 12, 13]  # between groups 0-1, 1-2, 2-3, 3-4
    groups = {((10,), 3), ((10, 11), 4), ((11, 12), 4), ((12, 13), 5), ((13,), 2)}
    # from one end: 3 + 4 + ..., so that each cut above an odd number is crossed
    beginnings = {
        ((11,), 7),
        ((12,), 11),
        ((11,), 11),
        ((12,), 7),
        ((13,), 16),
        ((10,), 15),
    }
    assert groups <= found
    assert {leaving for leaving, _ in found - groups} >= {(11,), (12,)}
    assert found - groups <= beginnings | {((links[3],), 16)}


def test_floats_through_even_groups() -> None:
    # two odd groups with even ones between: somebody floats out of each on the way
    players = [{"player": f"p{k}", "active": True} for k in range(12)]
    scores = [9] * 3 + [6] * 2 + [3] * 4 + [0] * 3
    for player, score in zip(players, scores, strict=True):
        player["score"] = str(score)
    event = read_event(pd.DataFrame(players), relax=["history"])
    result = solve(event, load_model("double-sided"))
    assert {v.level: v.value for v in result.level_values if v.value} == {1: 3}
    criteria = [{"kind": "rematches"}, {"kind": "bye_score"}, {"kind": "score_groups"}]
    oracle = Oracle([], players, {"sides": [], "criteria": criteria})
    assert oracle.optimum() == {(2, 1): 3}


@pytest.mark.long
@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(
            st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2))
        )
    )
)
def test_components_by_their_least_nodes(
    drawn: tuple[int, list[tuple[int, int]]],
) -> None:
    n, edges = drawn
    graph = nx.empty_graph(n)
    graph.add_edges_from(edges)
    ends = np.array(edges, np.int64).reshape(-1, 2).T
    found = component_of(n, *ends).tolist()
    parts = sorted(map(sorted, nx.connected_components(graph)))
    assert found == [
        next(k for k, part in enumerate(parts) if node in part) for node in range(n)
    ]


@st.composite
def pairs_with_levels(draw: st.DrawFn) -> tuple[AllowedArcs, np.ndarray]:  # type: ignore[type-arg]
    """Some pairs and byes of a small field with levels of small and large costs, and some alive."""
    n, many = draw(st.integers(2, 7)), draw(st.integers(0, 5))
    every = [(a, b) for a in range(n) for b in range(a + 1, n + n % 2)]
    chosen = draw(st.lists(st.sampled_from(every), min_size=1, unique=True))
    cost = st.one_of(st.integers(0, 2), st.sampled_from([2**40, 2**60]))
    row = st.lists(cost, min_size=many, max_size=many)
    costs = draw(st.lists(row, min_size=len(chosen), max_size=len(chosen)))
    a, b = np.array(chosen, np.int64).T
    columns = single_pairs(
        n, a, b, np.array(costs, np.int64).reshape(len(chosen), many)
    )
    alive = draw(st.lists(st.booleans(), min_size=len(chosen), max_size=len(chosen)))
    return columns, np.array(alive, np.bool_)


@pytest.mark.long
@given(pairs_with_levels())
def test_the_longest_run_is_the_last_that_leaves_no_odd_part(
    drawn: tuple[AllowedArcs, np.ndarray],  # type: ignore[type-arg]
) -> None:
    columns, alive = drawn
    runs, vertices = [alive], columns.players + columns.players % 2
    for cost in columns.costs.T:
        runs.append(columns.least(runs[-1], cost)[0])
    even = []
    for k, run in enumerate(runs):
        graph = nx.empty_graph(vertices)
        graph.add_edges_from(zip(columns.a[run], columns.b[run], strict=True))
        if not any(len(part) % 2 for part in nx.connected_components(graph)):
            even.append(k)
    reach = columns.reach(alive, 0)
    for k, run in enumerate(runs):
        assert (reach >= k).tolist() == run.tolist()
    assert max_level_block(columns, reach) == max(even, default=-1)
