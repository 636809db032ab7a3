"""Who could be left alone instead, by what is left of a graph without somebody."""

from __future__ import annotations

from random import Random

import networkx as nx
import pytest

from pairopt.engines.alternating_paths import (
    find_exchangeable_vertices,
    iterate_set_bits,
)


def most(graph: nx.Graph) -> int:
    """How many pairs there can be at once."""
    return len(nx.max_weight_matching(graph, maxcardinality=True))


def drawn(seed: int) -> nx.Graph:
    """A graph by lot; every second one of odd cycles that hang together at single vertices."""
    rng = Random(seed)
    if seed % 2:
        return nx.gnp_random_graph(rng.randrange(2, 14), rng.random(), seed=seed)
    graph = nx.Graph([(0, 1)])
    for _ in range(rng.randrange(1, 4)):
        new = range(len(graph), len(graph) + 2 * rng.randrange(1, 3))
        nx.add_cycle(graph, [rng.randrange(len(graph)), *new])
    return graph


def searched(graph: nx.Graph, pairs: set[tuple[int, int]], gone: int = 0) -> int:
    """All who can be left alone, as bits; of a search from each who is."""
    mate = [-1] * len(graph)
    for one, two in pairs:
        mate[one], mate[two] = two, one
    opponents = [sum(1 << other for other in graph[one]) for one in range(len(graph))]
    found = 0
    for root in range(len(graph)):
        if mate[root] == -1 and not gone >> root & 1:
            found |= find_exchangeable_vertices(opponents, mate, root, gone)
    return found


@pytest.mark.parametrize("seed", range(120))
def test_nobody_is_missed_and_nobody_is_there_who_is_needed(seed: int) -> None:
    graph = drawn(seed)
    whole = most(graph)
    pairs = nx.max_weight_matching(graph, maxcardinality=True)
    spare = {
        one for one in graph if most(nx.restricted_view(graph, [one], [])) == whole
    }
    assert {*iterate_set_bits(searched(graph, pairs))} == spare


@pytest.mark.parametrize("seed", range(60))
def test_who_is_gone_is_as_if_never_there(seed: int) -> None:
    graph = drawn(seed)
    without = nx.restricted_view(graph, [0], [])
    pairs = nx.max_weight_matching(without, maxcardinality=True)
    spare = {
        one
        for one in without
        if most(nx.restricted_view(graph, [0, one], [])) == len(pairs)
    }
    assert {*iterate_set_bits(searched(graph, pairs, gone=1))} == spare
