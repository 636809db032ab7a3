"""Opponents: whom players meet in some optimal pairing, and whom in none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from pairopt.budget import Budget, TimeUpError
from pairopt.engines import solve_by
from pairopt.engines.base import EngineError, Options
from pairopt.event.arcs import BYE, Arcs, IntArray
from pairopt.lots.optima import Component, optima_of
from pairopt.lots.starts import cheapest_optimum
from pairopt.problem.model_file import Objective
from pairopt.problem.problem import Problem
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.asked_for import ForcedBye, ForcedPairs

Opponents = dict[int, frozenset[int]]
"""Of each player asked about, whom they meet in some optimal pairing (BYE for the bye)."""


def opponents_of(
    problem: Problem, arcs: Arcs, objective: Objective, players: Iterable[int], budget: Budget
) -> Opponents:
    """Whom these players meet in some optimal pairing, `arcs` being one; positions in the state.

    Optimal pairings are perfect matchings of the pairs that proven prices leave
    (`pairopt.lots.optima`). Among them one is looked for that shows as many new opponents as
    can be, until the best of them shows none: then there are no others. Raises TimeUpError.
    """
    wanted = [*players]
    if problem.system is not None:  # its levels leave one pairing
        meets = {a: b for pair in arcs.pairs for a, b in (pair, pair[::-1])}
        return {player: frozenset({meets[player]}) for player in wanted}
    optima = optima_of(problem, arcs, objective, budget)
    found: Opponents = {}
    for component in optima.components:
        inside = np.flatnonzero(np.isin(component.players, wanted))
        if len(inside):
            met = _met(component, inside, budget)
            for place in inside.tolist():
                others = component.players[np.flatnonzero(met[place])].tolist()
                found[int(component.players[place])] = frozenset(
                    BYE if other == len(problem) else other for other in others
                )
    return found


def _met(component: Component, wanted: IntArray, budget: Budget) -> IntArray:
    """1 where a pairing of the component holds the pair, shape (k, k), in rows `wanted`."""
    k = len(component)
    one, two = np.nonzero(np.triu(component.code))
    ends = np.isin(one, wanted) * 1 + np.isin(two, wanted)
    met = np.zeros((k, k), np.int64)
    while True:
        budget.check()
        known, partner = cheapest_optimum(component, met[one, two] * ends, budget)
        if known == len(wanted):  # everybody's opponent was known
            return met
        met[np.arange(k), partner] = 1


def certify(problem: Problem, arcs: Arcs, options: Options, engine: str, found: Opponents) -> None:
    """Force each of these players to meet everybody in turn: is the optimum still reached?

    `arcs` is optimal, `engine` an exact one. Raises EngineError where a forced pairing says
    otherwise than `found`, TimeUpError when the deadline passes.
    """
    best = _worth(problem, arcs, options.objective)
    others = [*range(len(problem)), *([BYE] if problem.state.odd else [])]
    for player, met in found.items():
        for other in (place for place in others if place != player):
            solution = solve_by(engine, _forced(problem, player, other), options)
            if solution.status not in ("optimal", "infeasible"):
                raise TimeUpError
            reached = (
                solution.arcs is not None
                and _worth(problem, solution.arcs, options.objective) == best
            )
            if reached != (other in met):
                names = problem.state.names
                who = f"{names[player]} - {'bye' if other == BYE else names[other]}"
                kind = "incentive.forced_reaches" if reached else "incentive.forced_falls_short"
                raise EngineError(kind, engine=engine, who=who)


def _forced(problem: Problem, one: int, two: int) -> Problem:
    player = problem.state.player
    rule: Constraint = ForcedBye(int(player[one]))
    if two != BYE:
        rule = ForcedPairs(((int(player[one]), int(player[two])),))
    return replace(problem, constraints=(*problem.constraints, rule))


def _worth(problem: Problem, arcs: Arcs, objective: Objective) -> list[int]:
    """The levels of a pairing, or their weighted sum."""
    values: list[int] = problem.costs(arcs).astype(object).sum(axis=0).tolist()
    weights = problem.weights(objective)
    if weights is None:
        return values
    return [sum(w * value for w, value in zip(weights, values, strict=True))]
