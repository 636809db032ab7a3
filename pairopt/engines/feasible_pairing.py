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
    matching_search = PrimalDualMatching(
        [{} for _vertex in range(vertex_count)],
        [0] * (player_count + 1),
        [NOBODY] * vertex_count,
    )
    neighbour_costs, partner_of_vertex = (
        matching_search.neighbours,
        matching_search.mate,
    )
    is_expanded = np.zeros(player_count, np.bool_)
    tried_first_players, tried_second_players = _list_near_pairs(
        np.argsort(-problem.state.score, kind="stable")
    )
    while True:
        is_budget_limited = player_count * np.count_nonzero(is_expanded) > SURE
        search_budget = budget if is_budget_limited else Budget()
        lower_players = np.minimum(tried_first_players, tried_second_players)
        higher_players = np.maximum(tried_first_players, tried_second_players)
        tried_arcs = pair_arcs(problem, lower_players, higher_players)
        legal_pair_columns = build_pair_columns(
            problem, tried_arcs, None, 0, search_budget
        )
        # pairs are in order of distance, so the nearest are matched first
        for first_player, second_player in zip(
            legal_pair_columns.a.tolist(), legal_pair_columns.b.tolist(), strict=True
        ):
            neighbour_costs[first_player][second_player] = neighbour_costs[
                second_player
            ][first_player] = 0
            if (
                partner_of_vertex[first_player]
                == partner_of_vertex[second_player]
                == NOBODY
            ):
                partner_of_vertex[first_player], partner_of_vertex[second_player] = (
                    second_player,
                    first_player,
                )
        stuck_vertices = matching_search.match(search_budget)
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
        expanded_index_of_pair, tried_second_players = np.nonzero(
            np.arange(player_count) != expanded_players[:, None]
        )
        tried_first_players = expanded_players[expanded_index_of_pair]

    partner_array = np.array(partner_of_vertex)
    lower_players = np.flatnonzero(
        np.arange(len(partner_of_vertex)) < partner_of_vertex
    )
    matched_arcs = pair_arcs(problem, lower_players, partner_array[lower_players])
    legal_pair_columns = build_pair_columns(problem, matched_arcs, None, AHEAD)
    column_indices = np.arange(len(legal_pair_columns))
    return sided_arcs(
        legal_pair_columns,
        legal_pair_columns.a,
        legal_pair_columns.b,
        column_indices,
        (budget.seed, 1),
    )


def _list_near_pairs(order: IntArray) -> tuple[IntArray, IntArray]:
    """Return pairs of players who are at most `NEAR` places apart in an order.

    `order` holds the positions of the players in this order. The result is two arrays,
    first[k] and second[k]; the pairs with the smallest distance come first. In an odd
    field everybody's bye follows at the end, with the number of players as second[k].
    """
    player_count = len(order)
    places_between, first_places_in_order = np.indices(
        (min(NEAR, player_count - 1), player_count)
    ).reshape(2, -1)
    is_within_order = first_places_in_order + places_between + 1 < player_count
    bye_players = order if player_count % 2 else order[:0]
    first_players = order[first_places_in_order[is_within_order]]
    second_players = order[
        (first_places_in_order + places_between)[is_within_order] + 1
    ]
    return np.append(first_players, bye_players), np.append(
        second_players, np.full(len(bye_players), player_count)
    )
