"""Proving: the proof of a claim."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines import DEFAULT, engine_of, require_exact, solve_by
from pairopt.engines.base import CHANGED, EngineError, EngineOptions
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.event import Event
from pairopt.messages import message, with_heading
from pairopt.problem.build import build_problem_with_budget
from pairopt.problem.keywords import SolveKeywords
from pairopt.problem.options import ModelLike, SolveOptions, show_keywords
from pairopt.problem.problem import Problem
from pairopt.problem.system import System
from pairopt.proof import certificate
from pairopt.proof.arc_costs import Cost
from pairopt.proof.claim import Claim, Content, NoClaimError, build_claim, list_matches
from pairopt.proof.file import FORMAT, PROGRAM, VERSION, Proof
from pairopt.proof.proof_steps import iterate_steps
from pairopt.proof.verify import MOST_PLAYERS, InvalidProof, read, verify


@show_keywords(SolveOptions)
def require_proof(
    event: Event, model: ModelLike | None = None, **options: Unpack[SolveKeywords]
) -> None:
    """Raises UsageError for a round that has no such proof, before it is paired."""
    problem, _ = build_problem_with_budget(event, model, SolveOptions, options, "solve")
    require_provable(problem, engine_of(problem, problem.asked))


def require_provable(problem: Problem, engine: str) -> None:
    """Raises UsageError for a procedure, a changed program, a field that is too large, and a system
    that does not say what its levels are as sums.
    """
    if problem.system is not None and type(problem.system).summed is System.summed:
        raise UsageError("proof.of_no_system", system=problem.system.kind)
    if len(problem) > MOST_PLAYERS:
        raise UsageError("proof.too_many", most=MOST_PLAYERS)
    if engine == CHANGED:
        raise UsageError("proof.of_no_program")
    require_exact(engine, "there is no proof to write")


def prove(
    problem: Problem,
    arcs: Arcs | None,
    further: Sequence[Arcs] = (),
    budget: Budget = Budget(),
) -> Proof | None:
    """Why no pairing is better than these arcs, which leave room for the `further` rounds; without
    arcs, why there is none, None where only an engine says so. Raises EngineError where that does
    not hold, UsageError for what has no such proof, TimeUpError.
    """
    proof = build_proof(problem, arcs, further, budget)
    try:
        if proof is not None:
            verify(read(proof.text))
    except (InvalidProof, ValueError) as error:
        raise EngineError(
            with_heading(message("proof.fault"), message(str(error)))
        ) from None
    return proof


def build_proof(
    problem: Problem,
    arcs: Arcs | None,
    further: Sequence[Arcs] = (),
    budget: Budget = Budget(),
) -> Proof | None:
    """The same before it is verified."""
    try:
        claim = build_claim(problem, arcs, further, budget)
    except NoClaimError as error:
        raise EngineError(with_heading(message("proof.fault"), error.said)) from None
    if arcs is not None:
        witness: Content | None = _build_optimality_witness(
            problem, arcs, claim, budget
        )
    else:
        witness = _build_infeasibility_witness(problem, claim, budget)
    head = {
        "format": FORMAT,
        "version": VERSION,
        "program": PROGRAM,
        "claim": claim.content,
    }
    return None if witness is None else Proof({**head, "witness": witness})


def _build_optimality_witness(
    problem: Problem, arcs: Arcs, claim: Claim, budget: Budget
) -> Content:
    one, two = (
        claim.place[arcs.first],
        claim.place[arcs.second],
    )  # the bye, -1, is the last
    partner = np.empty(len(claim.place), np.int64)
    partner[one], partner[two] = two, one
    if problem.system is not None:
        return {"steps": [*iterate_steps(claim, partner, budget)]}
    costs, number = claim.table.costs, claim.table.number
    if not problem.lookahead:
        found = certificate.find_certificate(costs, number, partner, claim.odd, budget)
        return {"shown": len(found.values), **certificate.format_duals(found)}
    shown, found = _prove_first_levels(costs, number, partner, claim.odd, budget)
    witness = {"shown": shown, **certificate.format_duals(found)}
    if shown == len(claim.content["levels"]):
        return witness
    free = replace(problem, model=replace(problem.model, lookahead=0))
    better = solve_by(
        DEFAULT, free, EngineOptions(problem.model.objective, budget=budget)
    ).arcs
    if better is None:
        raise TimeUpError
    counter = list_matches(claim.place, better)
    left = claim.unplayed.copy()
    one, two = np.array(counter).T
    left[one, two] = left[two, one] = False
    return {
        **witness,
        "counter": counter,
        **_format_components(_find_no_room(left, problem.lookahead, budget)),
    }


def _find_no_room(
    left: BoolArray, rounds: int, budget: Budget
) -> certificate.TutteSet | None:
    """Why these matches hold not so many rounds, where that has a short reason."""
    found, opponents = certificate.find_tutte_set(left, budget), left.sum(axis=0)
    alone = frozenset({int(opponents.argmin())})
    if found is not None or opponents.min() >= rounds:
        return found
    return certificate.TutteSet(
        frozenset(), (alone, frozenset(range(len(left))) - alone)
    )


def _prove_first_levels(
    costs: list[Cost], number: IntArray, partner: IntArray, odd: bool, budget: Budget
) -> tuple[int, certificate.Certificate]:
    """The most levels in which a pairing is optimal by prices, and these; none at least."""
    good, bad, best = 0, len(costs[0]) + 1, None
    while best is None or bad - good > 1:
        shown = (good + bad) // 2 if best else 0
        try:
            best = certificate.find_certificate(
                [cost[:shown] for cost in costs], number, partner, odd, budget
            )
            good = shown
        except certificate.NotOptimalError:
            bad = shown
    return good, best


def _build_infeasibility_witness(
    problem: Problem, claim: Claim, budget: Budget
) -> Content | None:
    found = certificate.find_tutte_set(claim.table.number >= 0, budget)
    if found is None:
        if problem.lookahead:  # there is one, but without room for the rounds asked for
            return None
        raise EngineError("proof.there_is_one")
    return _format_components(found)


def _format_components(found: certificate.TutteSet | None) -> Content:
    return {
        "components": found
        and [certificate.encode_runs(sorted(part)) for part in found.components]
    }
