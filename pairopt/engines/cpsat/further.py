"""Further rounds: the lookahead, as disjoint matchings of the pairs still unplayed."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pairopt.budget import Budget, TimeUpError
from pairopt.engines.columns import Columns, single_pairs
from pairopt.engines.cpsat.messages import LOWEST, ModelBuilder, run_search
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of, everybody
from pairopt.problem.problem import Problem


@dataclass(frozen=True)
class Further:
    """So many further rounds to be held by the unplayed pairs. `first` < `second` are the pairs of
    players who have not met, with n as `second` for the bye of those who have had none."""

    rounds: int
    players: int
    first: IntArray
    second: IntArray

    @property
    def too_many(self) -> bool:
        """Whether somebody, or the bye, has too few opponents left, by counting. Who has met nobody
        will meet one of them in this round."""
        vertices = self.players + self.players % 2
        left = np.bincount(np.append(self.first, self.second), minlength=vertices)
        return bool((left - (left == vertices - 1) < self.rounds).any())

    def arcs(self, chosen: BoolArray) -> Arcs:
        two = self.second[chosen]
        return arcs_of(self.first[chosen], np.where(two == self.players, BYE, two))

    def add(
        self, program: ModelBuilder, columns: Columns, index: IntArray, budget: Budget
    ) -> list[list[int]]:
        """Add the rounds to a program whose first variables are pair columns `index`. Returns a
        boolean for each round and pair. Raises TimeUpError."""
        own = zip(columns.a[index].tolist(), columns.b[index].tolist(), strict=True)
        this_round = {pair: variable for variable, pair in enumerate(own)}
        pairs = list(zip(self.first.tolist(), self.second.tolist(), strict=True))
        played = [[program.variable(1) for _ in budget.watched(pairs)] for _ in range(self.rounds)]
        for k, pair in enumerate(budget.watched(pairs)):
            now = [this_round[pair]] if pair in this_round else []
            program.at_most_one([*now, *(turn[k] for turn in played)])
        vertices = self.players + self.players % 2
        for turn in budget.watched(played):
            at: dict[int, list[int]] = defaultdict(list)
            for pair, variable in zip(pairs, turn, strict=True):
                for player in pair:
                    at[player].append(variable)
            for player in range(vertices):
                program.exactly_one(at[player])
        self._in_order(program, played)
        return played

    def _in_order(self, program: ModelBuilder, played: list[list[int]]) -> None:
        """Rounds are exchangeable: list them by the opponent of the first player."""
        own = np.flatnonzero(self.first == 0).tolist()
        opponents = self.second[own].tolist()
        for earlier, later in pairwise(played):
            terms = [turn[k] for turn in (earlier, later) for k in own]
            program.add(terms, [*opponents, *(-number for number in opponents)], LOWEST, -1)


def further_of(problem: Problem) -> Further | None:
    if not problem.lookahead:
        return None
    n, state, arcs = len(problem), problem.state, everybody(len(problem))
    fresh = np.where(arcs.bye, state.byes[arcs.first], state.meetings.met(arcs)) == 0
    second = np.where(arcs.bye, n, arcs.second)
    return Further(problem.lookahead, n, arcs.first[fresh], second[fresh])


def rounds_after(
    problem: Problem, arcs: Arcs, budget: Budget
) -> tuple[tuple[Arcs, ...] | None, bool]:
    further = further_of(problem)
    assert further is not None
    n = len(problem)
    ends = np.sort(np.column_stack([arcs.first, np.where(arcs.bye, n, arcs.second)]), axis=1)
    paired = {*map(tuple, ends.tolist())}
    both = zip(further.first.tolist(), further.second.tolist(), strict=True)
    left = np.array([pair not in paired for pair in both], np.bool_)
    further = Further(further.rounds, n, further.first[left], further.second[left])
    if further.too_many:
        return None, True
    program = ModelBuilder()
    none = np.zeros(0, np.int64)
    columns = single_pairs(0, none, none, none.reshape(0, 0))
    try:
        played = further.add(program, columns, none, budget)
    except TimeUpError:
        return None, False
    answer = run_search(program, budget)
    if answer.status not in ("OPTIMAL", "FEASIBLE"):
        return None, answer.status == "INFEASIBLE"
    values = np.array(answer.values, np.bool_)
    return tuple(further.arcs(values[turn]) for turn in played), True
