"""Room: which further rounds does a pairing leave room for?

Most rounds leave plenty of room, and a matching for each further round finds it. Only where that
fails, CP-SAT searches all further rounds together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.feasible_pairing import find_feasible_pairing
from pairopt.engines.further import further_of, pair_keys
from pairopt.rules.base import Constraint

if TYPE_CHECKING:
    from pairopt.event.arcs import Arcs, BoolArray, IntArray
    from pairopt.event.state import State
    from pairopt.problem.problem import Problem


@dataclass(frozen=True, eq=False)
class OnlyUnplayed(Constraint):
    """The pairs that can still be used in a further round. `keys` are sorted, see `pair_keys`."""

    kind = "further_round"
    keys: IntArray

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        n = len(state)
        wanted = pair_keys(n, arcs.first, np.where(arcs.bye, n, arcs.second))
        return np.isin(wanted, self.keys)


def rounds_by_matching(
    problem: Problem, arcs: Arcs, budget: Budget
) -> tuple[Arcs, ...] | None:
    """Find further rounds one after another. None if this fails, although others may exist.

    A little work is done even when the time is up: that is enough for a few hundred players.
    """
    further = further_of(problem)
    assert further is not None
    further = further.without(arcs)
    rounds: list[Arcs] = []

    while len(rounds) < further.rounds:
        unplayed = OnlyUnplayed(np.sort(further.keys))
        bare = replace(
            problem, criteria=(), labels=(), system=None, constraints=(unplayed,)
        )
        try:
            turn = find_feasible_pairing(bare, budget)
        except TimeUpError:
            return None
        if turn is None:
            return None
        rounds.append(turn)
        further = further.without(turn)
    return tuple(rounds)


def rounds_after(
    problem: Problem, arcs: Arcs, budget: Budget
) -> tuple[tuple[Arcs, ...] | None, bool]:
    """Find further rounds after a pairing, or None; and return whether that answer is proven."""
    further = further_of(problem)
    assert further is not None
    further = further.without(arcs)
    found = rounds_by_matching(problem, arcs, budget)
    if found is not None:
        return found, True

    # OR-Tools takes half of a second to import, and most rounds are paired without it.
    from pairopt.engines.cpsat.lookahead import search_rounds

    return search_rounds(further, budget)
