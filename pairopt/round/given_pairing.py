"""Complete a given pairing: the better sides, and room for the rounds after it."""

from pairopt.common.budget import Budget
from pairopt.engines import find_lookahead_rounds
from pairopt.engines.allowed_arcs import OTHER_FIRST
from pairopt.engines.player_types import legal_ways
from pairopt.event.arcs import Arcs, BoolArray
from pairopt.messages import Message, message
from pairopt.problem.problem import Problem
from pairopt.problem.verifier import Violation, verify_pairing


def check_lookahead_room(
    problem: Problem, arcs: Arcs, budget: Budget | None
) -> tuple[list[Violation], list[Message]]:
    """Search for the rounds of the lookahead after a given pairing.

    Returns violations and notes: a violation if there is proven to be no room, a note
    if the time is up. Both are empty if there is room, or if the model has no
    lookahead. If `budget` is None, nothing is searched, and a note says so.
    """
    if not problem.lookahead:
        return [], []
    if budget is None:
        return [], [message("checked.room_unsolved")]
    lookahead_rounds, is_proven = find_lookahead_rounds(problem, arcs, budget)
    if lookahead_rounds is not None:
        violations = verify_pairing(problem, arcs, lookahead_rounds).violations
        return [
            violation for violation in violations if violation.rule == "lookahead"
        ], []
    if not is_proven:
        return [], [message("checked.room_time_up")]
    no_room_note = message("checked.no_room", rounds=problem.lookahead)
    return [Violation("lookahead", (), no_room_note)], []


def choose_better_sides(
    problem: Problem,
    arcs: Arcs,
    free: BoolArray,
    weights: tuple[int, ...] | None = None,
) -> Arcs:
    """Return the arcs, with the sides exchanged where that is legal and costs less.

    Only arcs that the mask `free` marks are changed. `weights` are those of the model's
    levels, None for comparing the levels in order. `arcs` itself stays as it is.
    """
    if not free.any():
        return arcs
    better_ways, _ = legal_ways(problem, arcs, weights)
    return arcs.turned(free & (better_ways == OTHER_FIRST))
