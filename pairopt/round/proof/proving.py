"""Proving: the proof of a result."""

from __future__ import annotations

from typing import Any

import numpy as np

from pairopt.engines import abilities_of
from pairopt.engines.base import Budget, EngineError
from pairopt.engines.relaxation.prices import certificate_of
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.problem.problem import Problem
from pairopt.round.options import ModelLike, SolveOptions, options_of, problem_for
from pairopt.round.proof.document import Proof, legal_only, listing, places, require_sums, written
from pairopt.round.proof.table import table_by_classes
from pairopt.round.proof.tutte import tutte_set
from pairopt.round.result import Result
from pairopt.round.solve import engine_of
from pairopt.verify import Wrong, verify

MOST_PLAYERS = 3000
"""Matrices of players by players are in memory."""


def require_proof(event: Event, model: ModelLike | None = None, **options: Any) -> None:
    """Raises UsageError for a round that has no such proof, before it is paired."""
    chosen = options_of(SolveOptions, options, "solve")
    problem = problem_for(event, model, chosen)
    require_provable(problem, engine_of(problem, chosen))


def require_provable(problem: Problem, engine: str) -> None:
    """Raises UsageError for a system, a lookahead, a procedure or a field that is too large."""
    if len(problem) > MOST_PLAYERS:
        raise UsageError(f"proofs are written for up to {MOST_PLAYERS} players")
    require_sums(problem)
    if not abilities_of(engine).exact:
        raise UsageError(f"the engine {engine} proves nothing: there is no proof to write")


def prove(result: Result, budget: Budget = Budget()) -> Proof | None:
    """Why no pairing is better than a result, or why there is none; None where it is not proven.

    Raises UsageError for what has no such proof, TimeUpError.
    """
    problem = result.problem
    require_provable(problem, result.engine)
    if result.status not in ("optimal", "infeasible"):
        return None
    proof = _optimal(result, budget) if result.arcs is not None else _impossible(result, budget)
    try:
        verify(proof.content)
    except (Wrong, ValueError) as error:
        raise EngineError(f"the proof does not hold: {error}") from None
    return proof


def _optimal(result: Result, budget: Budget) -> Proof:
    problem, arcs = result.problem, result.arcs
    assert arcs is not None
    table = table_by_classes(problem, result.objective, listing(problem), budget)
    place = places(problem)
    one, two = place[arcs.first], place[arcs.second]  # the bye, -1, is the last
    partner = np.empty(len(place), np.int64)
    partner[one], partner[two] = two, one
    found = certificate_of(table.kinds, table.number, partner, problem.state.odd, budget)
    pairing = np.column_stack([one, two]).tolist()
    return written(problem, result.decisive, found, pairing, table)


def _impossible(result: Result, budget: Budget) -> Proof:
    problem = legal_only(result.problem)
    table = table_by_classes(problem, "lexicographic", listing(problem), budget)
    found = tutte_set(table.number >= 0, budget)
    if found is None:
        raise EngineError("there is a pairing of this round")
    return written(problem, (), found, [], table)
