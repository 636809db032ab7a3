"""Further rounds of a lookahead as Booleans of a CP-SAT program.

They are part of the program of this round, or a program of their own.
"""

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
    """Add a Boolean for each pair of each further round, with its constraints.

    The first variables of the program are the single pairs of this round: the columns
    with the indices `index`. No two players meet twice in all these rounds, and each
    player, and the bye of an odd field, is in one pair of each round. Further rounds
    are put in an order, as they are exchangeable. Returns the variables of each round,
    in the order of the pairs. Raises TimeUpError.
    """
    column_pairs = zip(
        columns.a[index].tolist(), columns.b[index].tolist(), strict=True
    )
    variable_of_pair = {
        player_pair: pair_variable
        for pair_variable, player_pair in enumerate(column_pairs)
    }
    further_pairs = list(
        zip(further.first.tolist(), further.second.tolist(), strict=True)
    )
    variables_by_round = [
        [program.variable(1) for _ in budget.iterate(further_pairs)]
        for _ in range(further.rounds)
    ]

    for pair_index, player_pair in enumerate(budget.iterate(further_pairs)):
        variables_this_round = (
            [variable_of_pair[player_pair]] if player_pair in variable_of_pair else []
        )
        program.at_most_one(
            [
                *variables_this_round,
                *(
                    variables_of_round[pair_index]
                    for variables_of_round in variables_by_round
                ),
            ]
        )

    vertex_count = further.players + further.players % 2
    for variables_of_round in budget.iterate(variables_by_round):
        variables_of_player: dict[int, list[int]] = defaultdict(list)
        for player_pair, pair_variable in zip(
            further_pairs, variables_of_round, strict=True
        ):
            for pair_end in player_pair:
                variables_of_player[pair_end].append(pair_variable)
        for pair_end in range(vertex_count):
            program.exactly_one(variables_of_player[pair_end])

    _break_round_symmetry(further, program, variables_by_round)
    return variables_by_round


def _break_round_symmetry(
    further: Further, program: ProtoModelBuilder, rounds: list[list[int]]
) -> None:
    """Add constraints that order the exchangeable further rounds.

    The opponent of the player in position 0 has a higher position in each round than in
    the round before. `rounds` has the variables of each further round, and `program` is
    changed.
    """
    pairs_of_player_0 = np.flatnonzero(further.first == 0).tolist()
    opponents_of_player_0 = further.second[pairs_of_player_0].tolist()
    signed_opponents = [
        *opponents_of_player_0,
        *(-opponent_position for opponent_position in opponents_of_player_0),
    ]
    for earlier_round, later_round in pairwise(rounds):
        variables_of_player_0 = [
            variables_of_round[pair_index]
            for variables_of_round in (earlier_round, later_round)
            for pair_index in pairs_of_player_0
        ]
        program.add(variables_of_player_0, signed_opponents, LOWEST, -1)


def search_rounds(
    further: Further, budget: Budget
) -> tuple[tuple[Arcs, ...] | None, bool]:
    """Search pairings of all further rounds together with CP-SAT.

    Returns the pairings of these rounds, or None if the search found none; and whether
    this answer is proven. A search that ran out of time proves nothing.
    """
    if further.too_many:
        return None, True

    program = ProtoModelBuilder()
    no_pairs = np.zeros(0, np.int64)
    no_columns = single_pairs(0, no_pairs, no_pairs, no_pairs.reshape(0, 0))
    try:
        variables_by_round = add_rounds(further, program, no_columns, no_pairs, budget)
    except TimeUpError:
        return None, False

    response = find_feasible(program, budget)
    if response.status not in ("OPTIMAL", "FEASIBLE"):
        return None, response.status == "INFEASIBLE"
    variable_values = np.array(response.values, np.bool_)
    return tuple(
        further.arcs(variable_values[variables_of_round])
        for variables_of_round in variables_by_round
    ), True
