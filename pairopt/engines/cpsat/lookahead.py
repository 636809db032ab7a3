"""Further rounds as Booleans of a CP-SAT program, together with this round or alone."""

from collections import defaultdict
from itertools import pairwise

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.allowed_arcs import AllowedArcs, single_pairs
from pairopt.engines.cpsat.proto import LOWEST, ProtoModelBuilder, find_feasible
from pairopt.engines.further import Further
from pairopt.event.arcs import Arcs, IntArray


def add_rounds(
    further: Further,
    program: ProtoModelBuilder,
    columns: AllowedArcs,
    index: IntArray,
    budget: Budget,
) -> list[list[int]]:
    """Add the rounds to a program whose first variables are pair columns `index`. Returns a
    boolean for each round and pair. Raises TimeUpError.
    """
    own = zip(columns.a[index].tolist(), columns.b[index].tolist(), strict=True)
    this_round = {pair: variable for variable, pair in enumerate(own)}
    pairs = list(zip(further.first.tolist(), further.second.tolist(), strict=True))
    played = [
        [program.variable(1) for _ in budget.iterate(pairs)]
        for _ in range(further.rounds)
    ]

    for k, pair in enumerate(budget.iterate(pairs)):
        now = [this_round[pair]] if pair in this_round else []
        program.at_most_one([*now, *(turn[k] for turn in played)])

    vertices = further.players + further.players % 2
    for turn in budget.iterate(played):
        at: dict[int, list[int]] = defaultdict(list)
        for pair, variable in zip(pairs, turn, strict=True):
            for player in pair:
                at[player].append(variable)
        for player in range(vertices):
            program.exactly_one(at[player])

    _break_round_symmetry(further, program, played)
    return played


def _break_round_symmetry(
    further: Further, program: ProtoModelBuilder, played: list[list[int]]
) -> None:
    """Add constraints that order the exchangeable later rounds by the first player's opponent."""
    own = np.flatnonzero(further.first == 0).tolist()
    opponents = further.second[own].tolist()
    factors = [*opponents, *(-number for number in opponents)]
    for earlier, later in pairwise(played):
        terms = [turn[k] for turn in (earlier, later) for k in own]
        program.add(terms, factors, LOWEST, -1)


def search_rounds(
    further: Further, budget: Budget
) -> tuple[tuple[Arcs, ...] | None, bool]:
    """Search all further rounds together.

    Return the pairings of these rounds, or None if the search found none; and whether this answer
    is proven. A search that ran out of time proves nothing.
    """
    if further.too_many:
        return None, True

    program = ProtoModelBuilder()
    none = np.zeros(0, np.int64)
    columns = single_pairs(0, none, none, none.reshape(0, 0))
    try:
        played = add_rounds(further, program, columns, none, budget)
    except TimeUpError:
        return None, False

    answer = find_feasible(program, budget)
    if answer.status not in ("OPTIMAL", "FEASIBLE"):
        return None, answer.status == "INFEASIBLE"
    values = np.array(answer.values, np.bool_)
    return tuple(further.arcs(values[turn]) for turn in played), True
