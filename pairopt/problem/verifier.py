"""Verifier: recompute every level and constraint of a pairing without a solver."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import BYE, Arcs
from pairopt.event.state import State
from pairopt.messages import Note
from pairopt.messages import message as tell
from pairopt.messages.formatting import pair_text
from pairopt.problem.problem import Problem


@dataclass(frozen=True)
class Violation:
    """A constraint that a pairing breaks, with the players of one match (or bye)."""

    rule: str
    players: tuple[str, ...]
    message: Note


@dataclass(frozen=True)
class Verification:
    """The outcome of a recomputation: each level's value, and what is broken."""

    values: tuple[int, ...]
    faults: tuple[str, ...]
    violations: tuple[Violation, ...]

    @property
    def legal(self) -> bool:
        """Whether nothing is broken."""
        return not self.faults and not self.violations


def verify_pairing(
    problem: Problem, arcs: Arcs, further: Sequence[Arcs] | None = None
) -> Verification:
    """Recompute a pairing's levels and check its constraints.

    `faults` say why it is no pairing of this round at all. `further` are the rounds
    that show that a lookahead is possible; None leaves that open.
    """
    state = problem.state
    faults = _pairing_faults(state, arcs)
    ahead = further is not None and (further or problem.lookahead)
    violations = _lookahead_violations(problem, arcs, further or ()) if ahead else []
    for rule in problem.constraints:
        for k in np.flatnonzero(~rule.legal(state, arcs)):
            seats = [int(p) for p in (arcs.first[k], arcs.second[k]) if p >= 0]
            what = pair_text(*(state.shown[p] for p in seats))
            players = tuple(state.names[p] for p in seats)
            said = tell(
                "rule.broken", rule=rule.kind, players=what, words=rule.describe()
            )
            violations.append(Violation(rule.kind, players, said))
    both = zip(problem.totals(arcs), problem.levels, strict=True)
    values = tuple(total + level.offset for total, level in both)
    return Verification(values, tuple(faults), tuple(violations))


def _pairing_faults(state: State, arcs: Arcs) -> list[str]:
    """Return why arcs are no pairing: players missing or twice, or a wrong bye count."""
    there = [player for pair in arcs.pairs for player in pair if player != BYE]
    byes, due = int(arcs.bye.sum()), len(state) % 2
    if byes == due and sorted(there) == [*range(len(state))]:
        return []
    times = Counter(there)
    wrong = (p for p in range(len(state)) if times[p] != 1)
    faults = [
        f"{state.shown[p]} is {'paired twice' if times[p] else 'not paired'}"
        for p in wrong
    ]
    same = (one for one, two in arcs.pairs if one == two)
    faults += [f"{state.shown[one]} is paired with themselves" for one in same]
    if byes != due:
        faults.append(f"{byes} allocated byes where {len(state)} players need {due}")
    return faults


def _lookahead_violations(
    problem: Problem, arcs: Arcs, further: Sequence[Arcs]
) -> list[Violation]:
    """Return what further rounds lack to show the lookahead.

    There may be too few of them, or they may repeat a match.
    """
    state, said = problem.state, []
    if len(further) < problem.lookahead:
        said.append(
            f"{len(further)} further rounds where {problem.lookahead} are asked for"
        )
    used: set[frozenset[int]] = set()
    for number, turn in enumerate((arcs, *further)):
        pairs = [*map(frozenset, turn.pairs)]
        if number:
            said += [
                f"further round {number}: {fault}"
                for fault in _pairing_faults(state, turn)
            ]
            again = (
                np.where(turn.bye, state.byes[turn.first], state.meetings.met(turn)) > 0
            )
            if again.any() or used & set(pairs):
                said.append(f"further round {number} repeats a match")
        used |= set(pairs)
    lines = [f"lookahead: {what}" for what in said]
    return [Violation("lookahead", (), tell(line)) for line in lines]
