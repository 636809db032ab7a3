"""Events fixed beforehand with all their optimal pairings, to test that draws are fair."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from scipy.stats import chisquare
from simulation import opening

from pairopt.common.budget import Budget
from pairopt.engines import solve_by
from pairopt.engines.base import EngineOptions
from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.event import Matches
from pairopt.problem.build import prepare
from pairopt.problem.problem import Problem
from pairopt.sampling.optimal_pairings import OptimalPairings, optima_of

Key = frozenset[tuple[int, int]]


# players at the start, round, model, seed of the event: they have 5 to 360 optimal pairings
FIXED = [
    (5, 1, "standard", 0),
    (5, 2, "double-sided", 1),
    (5, 3, "cobra", 3),
    (6, 1, "gatherling", 0),
    (6, 2, "double-sided", 0),
    (6, 3, "aesops", 0),
    (7, 2, "bakert", 1),
    (7, 3, "double-sided", 1),
    (7, 3, "gatherling", 1),
    (7, 3, "cobra", 1),
    (8, 2, "bakert", 3),
    (8, 3, "aesops", 1),
    (8, 3, "gatherling", 1),
    (8, 4, "gatherling", 0),
    (8, 4, "double-sided", 1),
    (9, 3, "aesops", 0),
    (9, 3, "cobra", 0),
    (9, 4, "standard", 2),
    (9, 4, "double-sided", 2),
    (9, 5, "aesops", 3),
]
EVENTS = [
    *FIXED,
    (9, 2, "excalibur", 3),
    (9, 3, "excalibur", 4),
    (9, 2, "excalibur", 7),
    (8, 2, "excalibur", 8),
    (9, 5, "excalibur", 10),
    (8, 2, "top-first", 20),
    (8, 3, "top-first", 21),
    (6, 2, "top-first", 22),
    (9, 2, "top-first", 23),
    (6, 2, "fide-basic", 50),
    (9, 2, "fide-basic", 51),
    (8, 2, "fide-basic", 52),
    (7, 2, "fide-basic", 53),
    (7, 3, "aesops-2025", 10),
    (6, 3, "aesops-2025", 11),
    (8, 2, "aesops-2025", 12),
    (8, 3, "aesops-2025", 13),
    (8, 2, "leaguevine", 0),
    (7, 2, "leaguevine", 1),
    (7, 3, "leaguevine", 2),
    (7, 4, "leaguevine", 3),
    (7, 2, "monrad", 5),
    (7, 3, "monrad", 6),
    (7, 4, "monrad", 7),
    (7, 5, "random", 0),
    (9, 4, "random", 1),
    (7, 3, "random", 2),
    (7, 4, "random", 3),
    (7, 3, "bakert", 2),
    (7, 4, "bakert", 3),
]
"""With these 30 there are some of each exact model; see `tests/make/make_fair_events.py`."""
P_VALUE = 0.01 / (3 * len(FIXED))  # Bonferroni: 20 events drawn from in three ways


@cache
def fixed(k: int) -> tuple[Problem, OptimalPairings, tuple[Key, ...]]:
    """The round of an event fixed above, and all its optimal pairings."""
    players, number, model, _ = EVENTS[k]
    # played by lot, and kept: so they change neither with the engine nor with the lot
    kept = json.loads(
        Path(__file__).with_name("fair-events.json").read_text(encoding="utf-8")
    )[k]
    rows = np.array(kept["rows"], np.int64).reshape(-1, 7).T
    names = ("round", "first", "second", "side", "score1", "score2", "status")
    none, scored = np.zeros(rows.shape[1], np.int64), np.ones(rows.shape[1], np.bool_)
    cells = dict(zip(names, rows, strict=True))
    matches = Matches(**cells, table=none, scored=scored, row=none)
    active = np.isin(np.arange(players), kept["active"])
    event = replace(opening(players), matches=matches, round=number, active=active)
    problem = prepare(event, model)
    return problem, optima(problem), tuple(sorted(every_optimum(problem), key=sorted))


def p_value(drawn: Iterable[Key], every: Sequence[Key]) -> float:
    """Of the chi-square test against each pairing being equally likely."""
    times = Counter(drawn)
    assert times.keys() <= set(every)
    return float(chisquare([times[key] for key in every]).pvalue)


def optima(problem: Problem) -> OptimalPairings:
    """The optimal pairings of a round that has one."""
    objective = problem.model.objective
    solution = solve_by("cpsat", problem, EngineOptions(objective))
    assert solution.arcs is not None
    return optima_of(problem, solution.arcs, objective, Budget())


def key_of(arcs: Arcs, sided: bool) -> Key:
    """A pairing as a set: the first side first, in a sideless event the lower number."""
    pairs = zip(arcs.first.tolist(), arcs.second.tolist(), strict=True)
    return frozenset(
        pair if sided or pair[1] == BYE else (min(pair), max(pair)) for pair in pairs
    )


def every_optimum(problem: Problem) -> set[Key]:
    """All optimal pairings, by trying all of them (by weights, where the model has some)."""
    n, sided = len(problem), problem.state.sided
    arcs = [(a, b) for a in range(n) for b in range(n) if a != b and (sided or a < b)]
    arcs += [(a, BYE) for a in range(n)] if n % 2 else []
    made = arcs_of(np.array([a for a, _ in arcs]), np.array([b for _, b in arcs]))
    weights = problem.weights(problem.model.objective)
    costs = dict(zip(arcs, map(tuple, problem.costs(made).tolist()), strict=True))
    if weights is not None:
        costs = {
            arc: (sum(w * c for w, c in zip(weights, cost, strict=True)),)
            for arc, cost in costs.items()
        }
    legal = [
        arc
        for arc, fits in zip(arcs, problem.legal(made).tolist(), strict=True)
        if fits
    ]

    def complete(left: frozenset[int], bye: bool) -> Iterator[list[tuple[int, int]]]:
        if not left:
            if not bye:
                yield []
            return
        first = min(left)
        for arc in legal:
            if first in arc and (arc[1] == BYE or set(arc) <= left):
                if arc[1] == BYE and not bye:
                    continue
                for rest in complete(left - set(arc), bye and arc[1] != BYE):
                    yield [arc, *rest]

    best: tuple[int, ...] | None = None
    found: set[Key] = set()
    for pairing in complete(frozenset(range(n)), n % 2 == 1):
        total = tuple(map(sum, zip(*(costs[arc] for arc in pairing), strict=True)))
        if best is None or total < best:
            best, found = total, set()
        if total == best:
            found.add(frozenset(pairing))
    return found


def one_by_one(every: Sequence[Key], rng: Random) -> Key:
    """A lot that is not fair: each player in turn gets any opponent who still can be theirs."""
    left, made = list(every), set[tuple[int, int]]()
    players = sorted({p for arc in every[0] for p in arc if p != BYE})
    rng.shuffle(players)
    for player in players:
        if not any(player in arc for arc in made):
            arc = rng.choice(sorted({a for key in left for a in key if player in a}))
            made.add(arc)
            left = [key for key in left if arc in key]
    return frozenset(made)
