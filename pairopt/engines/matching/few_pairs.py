"""All levels of a few single pairs at once: one integer cost per pair, one matching.

The brackets of a pairing system are so small that preparing the blocks of levels takes
longer than the matching itself.
"""

from itertools import accumulate

import numpy as np

from pairopt.engines.allowed_arcs import AllowedArcs
from pairopt.engines.base import LevelOptimum
from pairopt.engines.matching.min_cost_matching import max_weight_partners
from pairopt.event.arcs import BoolArray, IntArray

FEW_PAIRS = 400  # more pairs take less time block by block
LARGEST = 2**62  # the sums of costs are machine integers


def pack_all_levels(columns: AllowedArcs) -> IntArray | None:
    """Return one integer cost per single pair that orders all levels, shape (pairs,).

    `columns` are the pairs. One unit of a level outweighs all later levels. Returns
    None if there are no pairs, more than `FEW_PAIRS`, or costs that need more than a
    machine integer.
    """
    if not 0 < len(columns) <= FEW_PAIRS:
        return None
    largest_cost_of_levels = columns.costs.max(axis=0).tolist()
    radices = [
        columns.matches * largest_cost + 1
        for largest_cost in reversed(largest_cost_of_levels)
    ]
    units_from_last_level = [*accumulate(radices, int.__mul__, initial=1)]
    if units_from_last_level[-1] > LARGEST:
        return None
    level_weights = units_from_last_level[-2::-1]
    return columns.costs @ np.array(level_weights, np.int64)


def match_few_pairs(
    columns: AllowedArcs, alive: BoolArray, cost: IntArray
) -> LevelOptimum | None:
    """Find the optimum of all levels of single pairs by one matching.

    `columns` are the pairs, of which only those in the mask `alive` may be used.
    `cost`, shape (pairs,), packs the levels of each into one integer, so that a unit of
    a level outweighs all later ones. The result has the optimal value of each level,
    and the positions of the pairs that are used. Returns None if there is no pairing.
    """
    alive_columns = alive.nonzero()[0]
    if not len(alive_columns):
        return None
    first_players, second_players = columns.a[alive_columns], columns.b[alive_columns]
    vertex_count = columns.players + columns.odd
    pair_weights = cost[alive_columns].max() - cost[alive_columns]
    partner_of_vertex = max_weight_partners(
        vertex_count, first_players, second_players, pair_weights, everybody=True
    )
    if -1 in partner_of_vertex:
        return None
    used_columns = alive_columns[
        np.array(partner_of_vertex)[first_players] == second_players
    ]
    return LevelOptimum(
        tuple(columns.costs[used_columns].sum(axis=0).tolist()), used_columns
    )
