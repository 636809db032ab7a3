"""The checker: every level and constraint of a pairing, recomputed without a solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pairopt.arcs import Arcs
from pairopt.problem import Problem


@dataclass(frozen=True)
class Violation:
    """A constraint that a pairing breaks, with the players of one match (or bye)."""

    rule: str
    players: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class Verdict:
    """What the checker found: each level's value, and whatever is broken."""

    values: tuple[int, ...]
    faults: tuple[str, ...]
    violations: tuple[Violation, ...]

    @property
    def legal(self) -> bool:
        """Whether it is a pairing and breaks no constraint."""
        return not self.faults and not self.violations


def inspect(problem: Problem, arcs: Arcs) -> Verdict:
    """Recompute a pairing's levels; `faults` say why it is no pairing of this round at all."""
    state = problem.state
    seats = np.concatenate([arcs.first, arcs.second[arcs.match]])
    times = np.bincount(seats, minlength=len(state))
    faults = [
        f"{state.names[p]} is not paired" if times[p] == 0 else f"{state.names[p]} is paired twice"
        for p in np.flatnonzero(times != 1)
    ]
    faults += [
        f"{state.names[p]} is paired with themselves" for p in arcs.first[arcs.first == arcs.second]
    ]
    byes, due = int(arcs.bye.sum()), len(state) % 2
    if byes != due:
        faults.append(f"{byes} allocated byes where {len(state)} players need {due}")
    violations = []
    for rule in problem.constraints:
        for k in np.flatnonzero(~rule.legal(state, arcs)):
            names = [state.names[p] for p in (arcs.first[k], arcs.second[k]) if p >= 0]
            what = " - ".join(names) if len(names) == 2 else f"bye of {names[0]}"
            violations.append(
                Violation(rule.kind, tuple(names), f"{rule.kind}: {what} ({rule.describe()})")
            )
    totals = problem.costs(arcs).astype(object).sum(axis=0)
    values = tuple(
        int(total) + level.offset for total, level in zip(totals, problem.levels, strict=True)
    )
    return Verdict(values, tuple(faults), tuple(violations))
