"""Verifier: recompute every level and constraint of a pairing without a solver."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import BYE, Arcs
from pairopt.event.state import State
from pairopt.messages import Note, message
from pairopt.messages.formatting import pair_text
from pairopt.problem.problem import Problem


@dataclass(frozen=True)
class Violation:
    """A constraint that a pairing breaks, with the players of one match or bye.

    `rule` is the kind of the constraint, `players` are the names of one or two players,
    and `message` describes it. A violated lookahead names no players.
    """

    rule: str
    players: tuple[str, ...]
    message: Note


@dataclass(frozen=True)
class Verification:
    """The outcome of a recomputation of a pairing.

    `values` has one entry per level, with its offset. `faults` say why the arcs are no
    pairing of the round at all, and `violations` which constraints are broken; both are
    empty for a legal pairing.
    """

    values: tuple[int, ...]
    faults: tuple[str, ...]
    violations: tuple[Violation, ...]

    @property
    def legal(self) -> bool:
        """Whether it is a pairing of the round, and breaks no constraint."""
        return not self.faults and not self.violations


def verify_pairing(
    problem: Problem, arcs: Arcs, further: Sequence[Arcs] | None = None
) -> Verification:
    """Recompute a pairing's levels and check its constraints, without a solver.

    `further` are pairings of later rounds that show that a lookahead is possible; with
    None the lookahead is not checked, and too few of them are a violation. A wrong
    pairing raises nothing: the result has its faults and violations. The values are
    computed in any case.
    """
    state = problem.state
    pairing_faults = _find_pairing_faults(state, arcs)
    violations: list[Violation] = []
    if further is not None and (further or problem.lookahead):
        violations = _find_lookahead_violations(problem, arcs, further)
    for constraint in problem.constraints:
        for arc_index in np.flatnonzero(~constraint.legal(state, arcs)):
            arc_players = [
                int(player_position)
                for player_position in (arcs.first[arc_index], arcs.second[arc_index])
                if player_position >= 0
            ]
            players_text = pair_text(
                *(state.shown[player_position] for player_position in arc_players)
            )
            player_names = tuple(
                state.names[player_position] for player_position in arc_players
            )
            violation_message = message(
                "rule.broken",
                rule=constraint.kind,
                players=players_text,
                words=constraint.describe(),
            )
            violations.append(
                Violation(constraint.kind, player_names, violation_message)
            )

    level_totals = zip(problem.totals(arcs), problem.levels, strict=True)
    level_values = tuple(
        level_total + level.offset for level_total, level in level_totals
    )
    return Verification(level_values, tuple(pairing_faults), tuple(violations))


def _find_pairing_faults(state: State, arcs: Arcs) -> list[str]:
    """Return why arcs are no pairing of the state's players, [] if they are one.

    Each text names a player who is missing, is paired twice or meets themselves, or
    says that the number of byes is wrong.
    """
    seated_players = [
        player_position
        for seated_pair in arcs.pairs
        for player_position in seated_pair
        if player_position != BYE
    ]
    bye_count, byes_needed = int(arcs.bye.sum()), len(state) % 2
    if bye_count == byes_needed and sorted(seated_players) == [*range(len(state))]:
        return []

    fault_texts = []
    seat_counts = Counter(seated_players)
    for player_position in range(len(state)):
        if seat_counts[player_position] != 1:
            what_is_wrong = (
                "paired twice" if seat_counts[player_position] else "not paired"
            )
            fault_texts.append(f"{state.shown[player_position]} is {what_is_wrong}")
    for player_position, opponent_position in arcs.pairs:
        if player_position == opponent_position:
            fault_texts.append(
                f"{state.shown[player_position]} is paired with themselves"
            )
    if bye_count != byes_needed:
        fault_texts.append(
            f"{bye_count} allocated byes where {len(state)} players need {byes_needed}"
        )
    return fault_texts


def _find_lookahead_violations(
    problem: Problem, arcs: Arcs, further: Sequence[Arcs]
) -> list[Violation]:
    """Return why pairings of further rounds do not prove the lookahead, [] if they do.

    There may be too few of them, they may be no pairings, or they may repeat a match or
    a bye: one that was played, one of `arcs`, or one of another further round.
    """
    state = problem.state
    fault_texts = []
    if len(further) < problem.lookahead:
        fault_texts.append(
            f"{len(further)} further rounds where {problem.lookahead} are asked for"
        )

    earlier_pairs = set(map(frozenset, arcs.pairs))
    for round_number, round_arcs in enumerate(further, 1):
        round_pairs = set(map(frozenset, round_arcs.pairs))
        round_faults = _find_pairing_faults(state, round_arcs)
        fault_texts += [
            f"further round {round_number}: {fault_text}" for fault_text in round_faults
        ]
        bye_counts, meeting_counts = (
            state.byes[round_arcs.first],
            state.meetings.met(round_arcs),
        )
        was_played = np.where(round_arcs.bye, bye_counts, meeting_counts) > 0
        if was_played.any() or earlier_pairs & round_pairs:
            fault_texts.append(f"further round {round_number} repeats a match")
        earlier_pairs |= round_pairs
    fault_lines = [f"lookahead: {fault_text}" for fault_text in fault_texts]
    return [
        Violation("lookahead", (), message(fault_line)) for fault_line in fault_lines
    ]
