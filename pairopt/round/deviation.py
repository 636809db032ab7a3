"""Deviation: where a pairing is first worse than an optimal one, and how it is said."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pairopt.engines import solve_by
from pairopt.engines.base import Options
from pairopt.event.arcs import Arcs
from pairopt.problem.levels import (
    LevelValue,
    Pairing,
    first_deviation,
    level_values,
    worse_text,
)
from pairopt.problem.problem import Problem
from pairopt.problem.verifier import inspect
from pairopt.rules.constraints.asked_for import ForcedPairs


@dataclass(frozen=True, slots=True)
class Deviation:
    """The level that says where a pairing is first worse than an optimal one: its index.

    `level` is its value, in `arcs`: the pairing itself, or where it looks ahead into brackets that
    are paired worse than they could be, the pairing with those at their best. `best` is the
    value of the optimal pairing.
    """

    index: int
    level: LevelValue
    arcs: Arcs
    best: LevelValue

    def worse(self, problem: Problem, optimum: Arcs) -> str:
        """How the pairing is worse than the optimal one."""
        return worse_text(problem, self.index, (self.level, self.arcs), (self.best, optimum))


def deviation(
    problem: Problem, one: Pairing, best: Pairing, engine: str, how: Options
) -> Deviation | None:
    """Where a pairing of the round is first worse than an optimal one, None where it is not.

    A bracket is to leave the next one a good pairing; whether that is used is another matter. So
    where that level is named all below the bracket is paired as well as it still can be.
    """
    found = _first(problem, one, best)
    if found is None or problem.system is None:
        return found
    made = problem.system.looks_from(found.index, found.arcs)
    if made is None:
        return found
    ends = (found.arcs.first, found.arcs.second)
    first, second = (problem.state.player[each[made]].tolist() for each in ends)
    forced = ForcedPairs(tuple(zip(first, second, strict=True)))
    bound = replace(problem, constraints=(*problem.constraints, forced))
    other = solve_by(engine, bound, how)
    if other.status != "optimal" or other.arcs is None:
        return found
    levels = level_values(problem, how.objective, inspect(problem, other.arcs).values)
    return _first(problem, (levels, other.arcs), best) or found


def _first(problem: Problem, one: Pairing, best: Pairing) -> Deviation | None:
    both = first_deviation(problem, one, best)
    if both is None:
        return None
    mine, theirs = both
    return Deviation(best[0].index(theirs), mine, one[1], theirs)
