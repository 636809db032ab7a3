"""Tutte sets: found exactly where there is no perfect matching."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from pairopt.common.budget import Budget, TimeUpError
from pairopt.proof.certificate import find_tutte_set


def graph_of(
    n: int, share: float, seed: int
) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    rng = np.random.default_rng([n, seed])
    drawn = np.triu(rng.random((n, n)) < share, 1)
    return np.asarray(drawn | drawn.T, np.bool_)


@pytest.mark.parametrize("n", [2, 4, 6, 8, 12, 30, 60])
def test_there_is_one_where_not_all_can_be_matched(n: int) -> None:
    found_any = matched_any = False
    for seed in range(40):
        share = (0.6, 1.2, 2, 3)[seed % 4] / n
        meets = graph_of(n, share, seed)
        graph = nx.from_numpy_array(meets)
        everybody = 2 * len(nx.max_weight_matching(graph, maxcardinality=True)) == n
        found = find_tutte_set(meets)
        assert (found is None) == everybody
        matched_any |= everybody
        if found is None:
            continue
        found_any = True
        assert sorted(
            [*found.players, *(v for part in found.components for v in part)]
        ) == [*range(n)]
        rest = graph.subgraph(set(graph) - found.players)
        assert {frozenset(part) for part in nx.connected_components(rest)} == {
            *found.components
        }
        assert sum(len(part) % 2 for part in found.components) > len(found.players)
    assert found_any
    assert matched_any or n > 12


def test_it_stops_in_time() -> None:
    with pytest.raises(TimeUpError):
        find_tutte_set(graph_of(6, 0.1, 0), Budget(deadline=0.0))
