"""Find the further rounds of a lookahead that are possible after a pairing.

After most rounds they are easy to find, by a matching for each further round. Only if
that fails, CP-SAT searches all further rounds together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.feasible_pairing import find_feasible_pairing
from pairopt.engines.further import encode_pairs, further_of
from pairopt.rules.base import Constraint

if TYPE_CHECKING:
    from pairopt.event.arcs import Arcs, BoolArray, IntArray
    from pairopt.event.state import State
    from pairopt.problem.problem import Problem


@dataclass(frozen=True, eq=False)
class OnlyUnplayed(Constraint):
    """The constraint that a further round of a lookahead uses only unplayed pairs.

    `keys` are the sorted keys of the pairs that can still be used, byes included. A key
    is (players + 1) times the lower position plus the higher one, and the number of
    players stands for the bye.
    """

    kind = "further_round"
    keys: IntArray

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True for each arc whose pair can still be used, shape (arcs,)."""
        player_count = len(state)
        arc_keys = encode_pairs(
            player_count, arcs.first, np.where(arcs.bye, player_count, arcs.second)
        )
        return np.isin(arc_keys, self.keys)


def rounds_by_matching(
    problem: Problem, arcs: Arcs, budget: Budget
) -> tuple[Arcs, ...] | None:
    """Pair the further rounds of a lookahead one after another, after `arcs`.

    The problem must have a lookahead. Each round is a perfect matching of pairs that
    are still unplayed. No other rule counts. Returns one pairing for each further
    round. Returns None if some round has no matching, although another choice in the
    rounds before it might have left one, or if time runs out. Even when time is up a
    little work is done, enough for a few hundred players.
    """
    rounds_ahead = further_of(problem)
    assert rounds_ahead is not None
    rounds_ahead = rounds_ahead.without(arcs)
    pairings_of_rounds: list[Arcs] = []

    while len(pairings_of_rounds) < rounds_ahead.rounds:
        unplayed_constraint = OnlyUnplayed(np.sort(rounds_ahead.keys))
        further_round_problem = replace(
            problem,
            criteria=(),
            labels=(),
            system=None,
            constraints=(unplayed_constraint,),
        )
        try:
            round_arcs = find_feasible_pairing(further_round_problem, budget)
        except TimeUpError:
            return None
        if round_arcs is None:
            return None
        pairings_of_rounds.append(round_arcs)
        rounds_ahead = rounds_ahead.without(round_arcs)
    return tuple(pairings_of_rounds)


def find_further_rounds(
    problem: Problem, arcs: Arcs, budget: Budget
) -> tuple[tuple[Arcs, ...] | None, bool]:
    """Find the further rounds of a lookahead after the pairing `arcs`.

    The problem must have a lookahead. First matchings are tried, round by round, then
    CP-SAT. Returns one pairing for each further round, or None if there are none or the
    time was up before any were found; and whether that answer is proven.
    """
    rounds_ahead = further_of(problem)
    assert rounds_ahead is not None
    rounds_ahead = rounds_ahead.without(arcs)
    matched_rounds = rounds_by_matching(problem, arcs, budget)
    if matched_rounds is not None:
        return matched_rounds, True

    # OR-Tools takes half of a second to import, and most rounds are paired without it.
    from pairopt.engines.cpsat.lookahead import search_rounds

    return search_rounds(rounds_ahead, budget)
