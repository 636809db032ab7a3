"""Write the proof of a claim."""

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
from pairopt.proof.arc_costs import Cost
from pairopt.proof.certificate import (
    Certificate,
    NotOptimalError,
    TutteSet,
    encode_runs,
    find_certificate,
    find_tutte_set,
    format_duals,
)
from pairopt.proof.claim import (
    Claim,
    Content,
    NoClaimError,
    build_claim,
    list_matches,
)
from pairopt.proof.file import FORMAT, PROGRAM, VERSION, Proof
from pairopt.proof.proof_steps import iterate_steps
from pairopt.proof.verify import MOST_PLAYERS, InvalidProof, read, verify


@show_keywords(SolveOptions)
def require_proof(
    event: Event, model: ModelLike | None = None, **options: Unpack[SolveKeywords]
) -> None:
    """Raise UsageError if a round cannot have a proof; nothing is paired or proven.

    It is raised for an engine that is not exact, for a program that was changed, for
    too many players, and for a system that does not give its levels as sums. The model
    is by default the event's own. The options are those that `solve` takes, and errors
    in them or in the event are raised, too.
    """
    problem, _ = build_problem_with_budget(event, model, SolveOptions, options, "solve")
    require_provable(problem, engine_of(problem, problem.asked))


def require_provable(problem: Problem, engine: str) -> None:
    """Raise UsageError if pairings of a problem by an engine cannot have a proof.

    The reasons are an engine that is not exact (a procedure), a changed program, a
    field that is too large, and a system that does not give its levels as sums.
    """
    if problem.system is not None and type(problem.system).summed is System.summed:
        raise UsageError("proof.of_no_system", system=problem.system.kind)
    if len(problem) > MOST_PLAYERS:
        raise UsageError("proof.too_many", most=MOST_PLAYERS)
    if engine == CHANGED:
        raise UsageError("proof.of_no_program")
    require_exact(engine, "a proof needs an exact engine.")


def prove(
    problem: Problem,
    arcs: Arcs | None,
    further: Sequence[Arcs] = (),
    budget: Budget = Budget(),
) -> Proof | None:
    """Build the proof that no pairing is better than `arcs`, and verify it.

    If `arcs` is None, prove that there is no pairing. `further` are the lookahead
    rounds for which the arcs leave room. Returns None if there is no pairing only
    because of the lookahead, which has no proof. Raises EngineError if the proof does
    not hold, UsageError if there can be none, and TimeUpError.
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
    """Build the proof that no pairing is better than `arcs`, without verifying it.

    If `arcs` is None, it is the proof that there is no pairing. `further` are the
    lookahead rounds for which the arcs leave room. Returns None if there is no pairing
    only because of the lookahead, which has no proof. Raises EngineError if the pairing
    is not legal or not optimal, UsageError if there can be no proof, and TimeUpError.
    """
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
    if witness is None:
        return None
    proof_content = {
        "format": FORMAT,
        "version": VERSION,
        "program": PROGRAM,
        "claim": claim.content,
        "witness": witness,
    }
    return Proof(proof_content)


def _build_optimality_witness(
    problem: Problem, arcs: Arcs, claim: Claim, budget: Budget
) -> Content:
    """Return the witness that no pairing is better than these arcs.

    With a lookahead it may prove only the first levels. Then it also has a pairing that
    is better in the next level, and, if one is found, the reason why that leaves no
    room. `claim` is the claim to prove. Raises TimeUpError, EngineError.
    """
    # the entry of the bye, -1, is the last one
    first_vertices, second_vertices = (
        claim.vertex_of[arcs.first],
        claim.vertex_of[arcs.second],
    )
    partner_of_vertex = np.empty(len(claim.vertex_of), np.int64)
    partner_of_vertex[first_vertices], partner_of_vertex[second_vertices] = (
        second_vertices,
        first_vertices,
    )
    if problem.system is not None:
        return {"steps": list(iterate_steps(claim, partner_of_vertex, budget))}

    kind_costs, kind_of_pair = claim.table.costs, claim.table.number
    if not problem.lookahead:
        certificate = find_certificate(
            kind_costs, kind_of_pair, partner_of_vertex, claim.is_odd, budget
        )
        return {"shown": len(certificate.values), **format_duals(certificate)}

    proven_count, certificate = _prove_first_levels(
        kind_costs, kind_of_pair, partner_of_vertex, claim.is_odd, budget
    )
    witness = {"shown": proven_count, **format_duals(certificate)}
    if proven_count == len(claim.content["levels"]):
        return witness

    without_lookahead = replace(problem, model=replace(problem.model, lookahead=0))
    engine_options = EngineOptions(problem.model.objective, budget=budget)
    better_arcs = solve_by(DEFAULT, without_lookahead, engine_options).arcs
    if better_arcs is None:
        raise TimeUpError
    counterexample = list_matches(claim.vertex_of, better_arcs)
    still_unplayed = claim.unplayed.copy()
    first_vertices, second_vertices = np.array(counterexample).T
    still_unplayed[first_vertices, second_vertices] = still_unplayed[
        second_vertices, first_vertices
    ] = False
    tutte_set = _find_no_room(still_unplayed, problem.lookahead, budget)
    return {
        **witness,
        "counter": counterexample,
        **_format_components(tutte_set),
    }


def _find_no_room(unplayed: BoolArray, rounds: int, budget: Budget) -> TutteSet | None:
    """Return a Tutte set that shows that unplayed matches are too few for all rounds.

    `unplayed`, shape (vertices, vertices), marks the matches that are left after a
    pairing, and `rounds` is the number of further rounds. The reason is a graph without
    a perfect matching, or a vertex with fewer opponents than rounds, as a component of
    its own. Returns None if neither holds; that does not mean that there is room.
    Raises TimeUpError.
    """
    tutte_set = find_tutte_set(unplayed, budget)
    opponent_counts = unplayed.sum(axis=0)
    if tutte_set is not None or opponent_counts.min() >= rounds:
        return tutte_set
    lone_vertex = frozenset({int(opponent_counts.argmin())})
    other_vertices = frozenset(range(len(unplayed))) - lone_vertex
    return TutteSet(frozenset(), (lone_vertex, other_vertices))


def _prove_first_levels(
    costs: list[Cost], number: IntArray, partner: IntArray, odd: bool, budget: Budget
) -> tuple[int, Certificate]:
    """Certify as many levels as possible, from the first; return how many, and how.

    The result is the number of levels, perhaps 0, and their certificate. The number is
    found by bisection. `costs` has the cost of each kind of arc, and `number` the kind
    of each arc. `partner` is the pairing; with `odd` the last vertex is the bye. Raises
    TimeUpError.
    """
    certified_count, uncertified_count = 0, len(costs[0]) + 1
    certificate = None
    while certificate is None or uncertified_count - certified_count > 1:
        level_count = (certified_count + uncertified_count) // 2 if certificate else 0
        first_costs = [kind_cost[:level_count] for kind_cost in costs]
        try:
            certificate = find_certificate(first_costs, number, partner, odd, budget)
            certified_count = level_count
        except NotOptimalError:
            uncertified_count = level_count
    return certified_count, certificate


def _build_infeasibility_witness(
    problem: Problem, claim: Claim, budget: Budget
) -> Content | None:
    """Return the witness that there is no pairing: components without enough others.

    None if there is a pairing, but none that leaves room for the lookahead, which has
    no witness. `claim` has the legal matches. Raises TimeUpError, and EngineError if
    there is a pairing although the model has no lookahead.
    """
    tutte_set = find_tutte_set(claim.table.number >= 0, budget)
    if tutte_set is not None:
        return _format_components(tutte_set)
    if problem.lookahead:
        return None
    raise EngineError("proof.there_is_one")


def _format_components(tutte_set: TutteSet | None) -> Content:
    """Return the entry `components` of a proof file as a dict with this key alone.

    Each component is encoded as the lengths of runs of absent and present vertices in
    turn, absent ones first. The value is None without a Tutte set.
    """
    encoded_components = None
    if tutte_set is not None:
        encoded_components = [
            encode_runs(sorted(component)) for component in tutte_set.components
        ]
    return {"components": encoded_components}
