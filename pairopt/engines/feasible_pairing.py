"""Find a pairing that keeps the constraints, when there is no time for a better one.

Neighbours in the standings are tried first, more distant players if these do not
suffice. Sides are chosen by the first levels. No bound is claimed for the pairing.
"""

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import AHEAD
from pairopt.engines.matching.blossom import NOBODY, PrimalDualMatching
from pairopt.engines.player_types import AT_ONCE
from pairopt.engines.single_pairs import build_pair_columns, pair_arcs, sided_arcs
from pairopt.event.arcs import Arcs, IntArray
from pairopt.problem.problem import Problem

NEAR = 8  # neighbours in the standings that are tried first
SURE = 2**18  # pairs that are tried even if the time is up


def find_feasible_pairing(problem: Problem, budget: Budget) -> Arcs | None:
    """Return a pairing that keeps all constraints, or None if there is none.

    Its value in the levels does not matter; levels only choose the sides, and a
    lookahead is ignored. The nearest neighbours in the standings are tried first, then
    all opponents of players who are still unmatched. Raises TimeUpError, but not before
    some work is done.
    """
    player_count = len(problem)
    vertex_count = player_count + player_count % 2
    # a matching without costs: every pair that may meet is tight
    blossom = PrimalDualMatching(
        [{} for _vertex in range(vertex_count)],
        [0] * (player_count + 1),
        [NOBODY] * vertex_count,
    )
    neighbours, partner_of_vertex = blossom.neighbours, blossom.mate
    is_expanded = np.zeros(player_count, np.bool_)
    pair_firsts, pair_seconds = _list_near_pairs(
        np.argsort(-problem.state.score, kind="stable")
    )
    while True:
        has_deadline = player_count * np.count_nonzero(is_expanded) > SURE
        search_budget = budget if has_deadline else Budget()
        lower_players = np.minimum(pair_firsts, pair_seconds)
        higher_players = np.maximum(pair_firsts, pair_seconds)
        pairs = pair_arcs(problem, lower_players, higher_players)
        pair_columns = build_pair_columns(problem, pairs, None, 0, search_budget)
        # pairs are in order of distance, so the nearest are matched first
        for first_player, second_player in zip(
            pair_columns.a.tolist(), pair_columns.b.tolist(), strict=True
        ):
            neighbours[first_player][second_player] = neighbours[second_player][
                first_player
            ] = 0
            if (
                partner_of_vertex[first_player]
                == partner_of_vertex[second_player]
                == NOBODY
            ):
                partner_of_vertex[first_player], partner_of_vertex[second_player] = (
                    second_player,
                    first_player,
                )
        stuck_vertices = blossom.match(search_budget)
        if not stuck_vertices:
            break

        # expand to all opponents: a new pair of a stuck vertex is necessary
        expansion_priority = np.append(
            np.array(partner_of_vertex[:player_count]) == NOBODY, False
        ).astype(np.int64)
        expansion_priority[stuck_vertices] = 2
        expansion_priority = np.where(is_expanded, 0, expansion_priority[:player_count])
        if expansion_priority.max() < 2:
            return None
        expanded_count = min(
            2 * AT_ONCE // player_count + 1, np.count_nonzero(expansion_priority)
        )
        expanded_players = np.argsort(-expansion_priority)[:expanded_count]
        is_expanded[expanded_players] = True
        player_rows, pair_seconds = np.nonzero(
            np.arange(player_count) != expanded_players[:, None]
        )
        pair_firsts = expanded_players[player_rows]

    partners = np.array(partner_of_vertex)
    lower_players = np.flatnonzero(
        np.arange(len(partner_of_vertex)) < partner_of_vertex
    )
    matched_pairs = pair_arcs(problem, lower_players, partners[lower_players])
    pair_columns = build_pair_columns(problem, matched_pairs, None, AHEAD)
    column_numbers = np.arange(len(pair_columns))
    return sided_arcs(
        pair_columns, pair_columns.a, pair_columns.b, column_numbers, (budget.seed, 1)
    )


def _list_near_pairs(order: IntArray) -> tuple[IntArray, IntArray]:
    """Return pairs of players who are at most `NEAR` places apart in an order.

    `order` holds the positions of the players in this order. The result is two arrays,
    first[k] and second[k]; the pairs with the smallest distance come first. In an odd
    field everybody's bye follows at the end, with the number of players as second[k].
    """
    player_count = len(order)
    distance, order_place = np.indices(
        (min(NEAR, player_count - 1), player_count)
    ).reshape(2, -1)
    is_pair = order_place + distance + 1 < player_count
    byes = order if player_count % 2 else order[:0]
    first_players = order[order_place[is_pair]]
    second_players = order[(order_place + distance)[is_pair] + 1]
    return np.append(first_players, byes), np.append(
        second_players, np.full(len(byes), player_count)
    )
