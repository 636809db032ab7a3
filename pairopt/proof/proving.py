"""Proving: the proof of a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from pairopt.budget import Budget
from pairopt.engines import abilities_of, engine_of
from pairopt.engines.base import EngineError, Status
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs
from pairopt.event.event import Event
from pairopt.problem.levels import LevelValue
from pairopt.problem.model_file import Objective
from pairopt.problem.options import ModelLike, SolveOptions, options_of, spelled_out
from pairopt.problem.problem import Problem
from pairopt.problem.ready import problem_for
from pairopt.proof.alone import tutte_set
from pairopt.proof.arc_table import table_by_classes
from pairopt.proof.certifying import certificate_of
from pairopt.proof.document import Proof, legal_only, listing, require_sums, vertex_of, written
from pairopt.proof.verify import Wrong, verify

if TYPE_CHECKING:
    from typing import Unpack

    from pairopt.problem.options import SolveKeywords


CHANGED = "program"
"""The engine of a result that keeps constraints or levels of somebody's own."""
MOST_PLAYERS = 3000
"""Matrices of players by players are in memory."""


class Claim(Protocol):
    """A result, as far as a proof is about it."""

    @property
    def problem(self) -> Problem:
        """What was paired."""

    @property
    def engine(self) -> str:
        """What paired it."""

    @property
    def objective(self) -> Objective:
        """Level by level, or one sum."""

    @property
    def status(self) -> Status:
        """What is claimed of it."""

    @property
    def arcs(self) -> Arcs | None:
        """The matches, None where there are none."""

    @property
    def level_values(self) -> tuple[LevelValue, ...]:
        """All levels in order."""

    @property
    def decisive(self) -> tuple[LevelValue, ...]:
        """The levels that decide which of two pairings is better."""


@spelled_out(SolveOptions)
def require_proof(
    event: Event, model: ModelLike | None = None, **options: Unpack[SolveKeywords]
) -> None:
    """Raises UsageError for a round that has no such proof, before it is paired."""
    chosen = options_of(SolveOptions, options, "solve")
    problem = problem_for(event, model, chosen)
    require_provable(problem, engine_of(problem, chosen))


def require_provable(problem: Problem, engine: str) -> None:
    """Raises UsageError for a system, a lookahead, a procedure or a field that is too large."""
    if len(problem) > MOST_PLAYERS:
        raise UsageError(f"proofs are written for up to {MOST_PLAYERS} players")
    require_sums(problem)
    if engine == CHANGED:
        raise UsageError("there is no proof of what was added to the program, only of the model")
    if not abilities_of(engine).exact:
        raise UsageError(f"the engine {engine} proves nothing: there is no proof to write")


def prove(claim: Claim, budget: Budget = Budget()) -> Proof | None:
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


def unverified(claim: Claim, budget: Budget = Budget()) -> Proof | None:
    """The same before it is verified."""
    require_provable(claim.problem, claim.engine)
    if claim.status not in ("optimal", "infeasible"):
        return None
    return _optimal(claim, budget) if claim.arcs is not None else _impossible(claim, budget)


def _optimal(claim: Claim, budget: Budget) -> Proof:
    problem, arcs = claim.problem, claim.arcs
    assert arcs is not None
    table = table_by_classes(problem, claim.objective, listing(problem), budget)
    place = vertex_of(problem)
    one, two = place[arcs.first], place[arcs.second]  # the bye, -1, is the last
    partner = np.empty(len(place), np.int64)
    partner[one], partner[two] = two, one
    found = certificate_of(table.kinds, table.number, partner, problem.state.odd, budget)
    pairing = np.column_stack([one, two]).tolist()
    return written(problem, claim.decisive, found, pairing, table)


def _impossible(claim: Claim, budget: Budget) -> Proof:
    problem = legal_only(claim.problem)
    table = table_by_classes(problem, "lexicographic", listing(problem), budget)
    found = tutte_set(table.number >= 0, budget)
    if found is None:
        raise EngineError("there is a pairing of this round")
    return written(problem, (), found, [], table)
