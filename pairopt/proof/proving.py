"""Proving: the proof of a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import numpy as np

from pairopt.budget import Budget
from pairopt.engines import engine_of, require_exact
from pairopt.engines.base import CHANGED, EngineError
from pairopt.errors import UsageError
from pairopt.event.arcs import IntArray
from pairopt.event.event import Event
from pairopt.problem.options import ModelLike, SolveKeywords, SolveOptions, options_of, spelled_out
from pairopt.problem.problem import Problem
from pairopt.problem.ready import problem_for
from pairopt.problem.summed import legality, summed
from pairopt.problem.system import System
from pairopt.proof.alone import tutte_set
from pairopt.proof.arc_table import Cost, table_by_types
from pairopt.proof.certificate import Certificate
from pairopt.proof.certifying import NotOptimalError, certificate_of
from pairopt.proof.chain import chain_of
from pairopt.proof.document import Proof, heading, listing, vertex_of
from pairopt.proof.step import alike_of, level_record, split_types, step_of, unions
from pairopt.proof.verify import Wrong, verify

if TYPE_CHECKING:
    from pairopt.round.result import Result


MOST_PLAYERS = 3000
"""Matrices of players by players are in memory."""


@spelled_out(SolveOptions)
def require_proof(
    event: Event, model: ModelLike | None = None, **options: Unpack[SolveKeywords]
) -> None:
    """Raises UsageError for a round that has no such proof, before it is paired."""
    chosen = options_of(event, SolveOptions, options, "solve")
    problem = problem_for(event, model, chosen)
    require_provable(problem, engine_of(problem, chosen))


def require_provable(problem: Problem, engine: str) -> None:
    """Raises UsageError for a procedure, a changed program or a field that is too large.

    And for a system that does not say what its levels are as sums.
    """
    if problem.system is not None and type(problem.system).summed is System.summed:
        raise UsageError(f"the system {problem.system.kind} has no proof")
    if len(problem) > MOST_PLAYERS:
        raise UsageError(f"proofs are written for up to {MOST_PLAYERS} players")
    if engine == CHANGED:
        raise UsageError("there is no proof of what was added to the program, only of the model")
    require_exact(engine, "there is no proof to write")


def prove(claim: Result, budget: Budget = Budget()) -> Proof | None:
    """Why no pairing is better than is claimed, or why there is none; None where it is not proven.

    Raises UsageError for what has no such proof, TimeUpError.
    """
    proof = unverified(claim, budget)
    try:
        if proof is not None:
            verify(proof.content)
    except (Wrong, ValueError) as error:
        raise EngineError(f"the proof does not hold: {error}") from None
    return proof


def unverified(claim: Result, budget: Budget = Budget()) -> Proof | None:
    """The same before it is verified."""
    require_provable(claim.problem, claim.engine)
    if claim.status not in ("optimal", "infeasible"):
        return None
    return _optimal(claim, budget) if claim.arcs is not None else _impossible(claim, budget)


def _optimal(claim: Result, budget: Budget) -> Proof:
    problem, arcs = claim.problem, claim.arcs
    assert arcs is not None
    order, place = listing(problem), vertex_of(problem)
    one, two = place[arcs.first], place[arcs.second]  # the bye, -1, is the last
    partner = np.empty(len(place), np.int64)
    partner[one], partner[two] = two, one
    turns = [np.column_stack([place[each.first], place[each.second]]) for each in claim.further]
    content = {
        **heading(problem),
        "pairing": np.column_stack([one, two]).tolist(),
        "further": [turn.tolist() for turn in turns],
        "open": [],
    }
    levels = summed(problem, claim.objective, arcs)
    if problem.system is not None:
        return Proof({**content, "steps": [*chain_of(problem, levels, order, partner, budget)]})
    (every,) = levels
    table = table_by_types(problem, every, order, budget)
    told = alike_of([every], order, problem.state.odd)
    if not problem.lookahead:
        found = certificate_of(table.costs, table.number, partner, problem.state.odd, budget)
        step = step_of(every.levels, table, found, told)
        return Proof({**content, "steps": [step]})
    shown, found = _first_levels(table.costs, table.number, partner, problem.state.odd, budget)
    step = step_of(every.levels[:shown], table.cut(shown), found, told)
    both = zip(every.levels[shown:], claim.decisive[shown:], strict=True)
    rest = [level_record(level, (value.value or 0) - level.offset) for level, value in both]
    return Proof({**content, "steps": [step], "open": rest})


def _first_levels(
    costs: list[Cost], number: IntArray, partner: IntArray, odd: bool, budget: Budget
) -> tuple[int, Certificate]:
    """The most levels in which a pairing is optimal by prices, and these: there are none at least.

    Raises TimeUpError.
    """
    good, bad, best = 0, len(costs[0]) + 1, None
    while best is None or bad - good > 1:
        shown = (good + bad) // 2 if best else 0
        try:
            best = certificate_of([cost[:shown] for cost in costs], number, partner, odd, budget)
            good = shown
        except NotOptimalError:
            bad = shown
    return good, best


def _impossible(claim: Result, budget: Budget) -> Proof | None:
    problem, order = claim.problem, listing(claim.problem)
    bare = legality(problem)
    table = table_by_types(problem, bare, order, budget)
    found = tutte_set(table.number >= 0, budget)
    if found is None:
        if problem.lookahead:  # there is one, but without room for the rounds asked for
            return None
        raise EngineError("there is a pairing of this round")
    told = alike_of([bare], order, problem.state.odd)
    step = step_of((), table, found, told)
    components = unions(found.components, split_types(told, found))
    return Proof({**heading(problem), "steps": [step], "components": components})
