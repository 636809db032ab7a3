"""A forger: files about worse pairings, made with the checker's tables, and what refuses them."""

from __future__ import annotations

import json
from contextlib import suppress
from random import Random
from typing import Any

import networkx as nx
import numpy as np
import pytest
import simulation

from pairopt import Event, InputError, check_proof, solve
from pairopt.event.arcs import arcs_of
from pairopt.problem.summed import summed
from pairopt.problem.verifier import inspect
from pairopt.proof.arc_table import arc_table
from pairopt.proof.certificate import Certificate
from pairopt.proof.certifying import certificate_of
from pairopt.proof.document import heading
from pairopt.proof.step import step_of
from pairopt.proof.verify import read, verify


def one_way(event: Event, model: str, rng: Random) -> dict[str, Any] | None:
    """All levels in a first step, at what the forger's order of players says; the last has none.

    Of the sides that are legal those that cost more. None where the pairing is no worse.
    """
    result = solve(event, model)
    problem, best = result.problem, [level.value for level in result.level_values]
    assert result.arcs is not None
    n = len(problem)
    order = np.array(rng.sample(range(n), n))
    (levels,) = summed(problem, "lexicographic", result.arcs)
    legal = arc_table(problem, [], order)
    alive = legal.number >= 0
    table = arc_table(problem, [levels], order, alive)
    if n % 2:
        return None
    weights = [sum(c * 1000 ** (len(cost) - k) for k, c in enumerate(cost)) for cost in table.costs]
    graph = nx.Graph()
    for i, j in zip(*np.nonzero(np.triu(alive)), strict=True):
        graph.add_edge(int(i), int(j), weight=-weights[table.number[i, j]])
    partner = np.empty(n, np.int64)
    pairing, worst = [], []
    for i, j in sorted(nx.max_weight_matching(graph, maxcardinality=True)):
        partner[i], partner[j] = j, i
        ways = [
            (tuple(problem.costs(arcs)[0].tolist()), way)
            for way in ([i, j], [j, i])
            for arcs in [arcs_of(*order[way][:, None])]
            if problem.legal(arcs)[0]
        ]
        pairing.append(max(ways)[1])
        worst.append(order[pairing[-1]])
    verdict = inspect(problem, arcs_of(*np.array(worst).T))
    if not verdict.legal or list(verdict.values) <= best:
        return None
    found = certificate_of(table.costs, table.number, partner, False)
    sides = Certificate(prices=((),) * n, odd_sets=(), values=())
    alone = np.arange(n)
    names = dict(heading(problem)["players"])
    return {
        **heading(problem),
        "players": [[problem.state.names[p], names[problem.state.names[p]]] for p in order],
        "pairing": pairing, "further": [], "open": [],
        "steps": [step_of(levels.levels, table, found, alone),
                  step_of((), legal, sides, alone, alive)],
    }  # fmt: skip


@pytest.mark.parametrize("model", ["standard", "excalibur", "fide-basic"])
def test_no_order_of_players_chooses_the_sides_that_count(model: str) -> None:
    forged = 0
    for seed in range(12):
        *_, (event, _) = simulation.rounds(8, 4, seed, "excalibur", draws=0.2, drops=0.0)
        content = one_way(event, model, Random(seed))
        if content is None:
            continue
        forged += 1
        content = read(json.dumps(content))
        assert verify(content)  # the file alone does not know what matches cost
        with suppress(InputError):
            assert not check_proof(event, content, model).holds
    assert forged >= 3
