"""The optimal pairings of a round: perfect matchings of a graph under equations."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines import allowed_arcs as kinds
from pairopt.engines.allowed_arcs import (
    LISTED_FIRST,
    OTHER_FIRST,
    AllowedArcs,
    OptimalUse,
)
from pairopt.engines.base import require_integers
from pairopt.engines.matching.edges import Edges, expand_edges
from pairopt.engines.odd_sets import component_of
from pairopt.engines.player_types import PairClasses, build_classes, types_of
from pairopt.engines.single_pairs import (
    all_pairs,
    build_pair_columns,
    pair_arcs,
    sided_arcs,
)
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.problem.model_file import Objective
from pairopt.problem.problem import Problem
from pairopt.sampling.tight_arcs import tighten

MOST_PLAYERS = 3000  # because matrices of players by players are in memory
MOST_WEIGHT = 2**62  # weighted sums are kept in machine integers


@dataclass(frozen=True)
class PairingComponent:
    """Players who are paired among themselves in every optimal pairing.

    There are k `players`, positions in the state, the last perhaps n for the bye.
    `code`, shape (k, k), is the kind of each pair, 0 if no optimal pairing contains it.
    `ways`, shape (kinds,), is the number of optimal arcs of a kind (2 if either side
    will do). `cost`, shape (kinds, equations), is what a pair of a kind adds to the
    equations, whose right-hand sides are `totals`. `relaxed` is `code` as if no two
    players had met: pairs that are missing, or have fewer ways, only because of the two
    players are as other pairs of such players.
    """

    players: IntArray
    code: IntArray
    relaxed: IntArray
    ways: IntArray
    cost: IntArray
    totals: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.players)

    @cached_property
    def missing(self) -> IntArray:
        """How many ways each pair has less than in the relaxed component, shape (k, k).

        A pair that two players may not play again, for example, lacks all its ways. It
        is 0 for a pair that is the same in both.
        """
        return np.asarray(self.ways[self.relaxed] - self.ways[self.code])


@dataclass(frozen=True)
class OptimalPairings:
    """All optimal pairings of a round: any pairing of each component, independently.

    `columns` are the allowed arcs, and `number`, shape (n + 1, n + 1), the column of
    each pair, -1 for none; row and column n are the bye.
    """

    columns: AllowedArcs
    number: IntArray
    components: tuple[PairingComponent, ...]

    def arcs(self, first: IntArray, second: IntArray, rng: kinds.Lots) -> Arcs:
        """Return pairs as arcs with their sides; a coin decides if either will do.

        The pairs are first[k] < second[k], positions of players, with n as the second
        for a bye. Each must be a pair of an optimal pairing. `rng` is a random
        generator or a seed.
        """
        return sided_arcs(self.columns, first, second, self.number[first, second], rng)


def optima_of(
    problem: Problem, arcs: Arcs, objective: Objective, budget: Budget
) -> OptimalPairings:
    """Describe all pairings that are as good as `arcs`, which must be optimal.

    The objective says whether levels are compared in order or by their weighted sum. A
    lookahead is ignored. The pairings are not listed. Raises UsageError if a weighted
    sum is too large, and TimeUpError.
    """
    tight_columns, optimal_use = _find_tight_columns(
        problem, arcs, problem.weights(objective), budget
    )
    budget.check()
    column_of_pair = _tabulate_columns(tight_columns, optimal_use.alive)
    pairing_components = _build_components(
        tight_columns, optimal_use, column_of_pair, arcs.partners, problem.state.sided
    )
    return OptimalPairings(tight_columns, column_of_pair, tuple(pairing_components))


def _find_tight_columns(
    problem: Problem, arcs: Arcs, weights: tuple[int, ...] | None, budget: Budget
) -> tuple[AllowedArcs, OptimalUse]:
    """Return columns and equations that describe all pairings as good as `arcs`.

    `arcs` is optimal, in the levels in order or, with `weights`, in their weighted sum.
    Columns are pair classes, or single pairs if in some criteria every player differs.
    Raises TimeUpError, and UsageError if a weighted sum is too large.
    """
    level_totals = problem.totals(arcs)
    has_fine_criteria = problem.coarse < len(problem.criteria)
    if weights is not None and has_fine_criteria:
        pair_columns = all_pairs(problem, weights)
    else:
        type_of_player = types_of(problem.attributes(), len(problem))
        pair_columns = build_classes(problem, type_of_player, weights)
    optimal_use = OptimalUse(np.ones(len(pair_columns), np.bool_))

    if weights is not None:
        weighted_costs = pair_columns.weighted(weights)
        weighted_total = sum(
            level_weight * level_value
            for level_weight, level_value in zip(weights, level_totals, strict=True)
        )
        require_integers(weighted_total, MOST_WEIGHT)
        capped_costs = np.array(
            np.minimum(weighted_costs, weighted_total + 1), np.int64
        )[:, None]
        return pair_columns, tighten(
            pair_columns, capped_costs, [weighted_total], optimal_use, budget
        )

    coarse_level_count = pair_columns.costs.shape[1]
    optimal_use = tighten(
        pair_columns,
        pair_columns.costs,
        level_totals[:coarse_level_count],
        optimal_use,
        budget,
    )
    if not has_fine_criteria:
        return pair_columns, optimal_use

    # the remaining levels, over the pairs that the coarse ones leave
    edges = expand_edges(pair_columns, optimal_use.alive)
    single_pairs = build_pair_columns(
        problem, pair_arcs(problem, edges.first, edges.second)
    )
    class_of_pair = _tabulate_columns(pair_columns, optimal_use.alive)[
        single_pairs.a, single_pairs.b
    ]
    equations = tuple(
        (coefficients[class_of_pair], right_hand_side)
        for coefficients, right_hand_side in optimal_use.equations
    )
    optimal_use = OptimalUse(np.ones(len(single_pairs), np.bool_), equations)
    fine_level_costs = single_pairs.costs[:, coarse_level_count:]
    return single_pairs, tighten(
        single_pairs,
        fine_level_costs,
        level_totals[coarse_level_count:],
        optimal_use,
        budget,
    )


def _tabulate_columns(columns: AllowedArcs, alive: BoolArray) -> IntArray:
    """Return a table of the alive column of any two players, shape (n + 1, n + 1).

    `alive` is a mask of columns. An entry is -1 if the two have no such column. Row and
    column n stand for the bye.
    """
    if isinstance(columns, PairClasses):
        alive_or_none = np.where(alive, np.arange(len(columns)), -1)
        return columns.table(np.append(alive_or_none, -1))
    alive_columns = np.flatnonzero(alive)
    first_players, second_players = columns.a[alive_columns], columns.b[alive_columns]
    column_of_pair = np.full((columns.players + 1,) * 2, -1, np.int64)
    column_of_pair[first_players, second_players] = column_of_pair[
        second_players, first_players
    ] = alive_columns
    return column_of_pair


def _build_components(
    columns: AllowedArcs,
    tight: OptimalUse,
    number: IntArray,
    partner: IntArray,
    sided: bool,
) -> list[PairingComponent]:
    """Return the components of the optimal pairings.

    These are the connected components of the graph, joined where an equation depends on
    several. `tight` holds the columns and equations of the optimal pairings, `number`
    is the column of any two players, -1 for none, and `partner` everybody's partner in
    one optimal pairing. `sided` says whether the game has sides.
    """
    bye_vertex = len(number) - 1
    label_of_vertex = component_of(bye_vertex + 1, *np.nonzero(np.triu(number >= 0)))
    equations = []
    if tight.equations:
        # the columns of each component; the last entry stands for -1
        has_column = np.zeros((bye_vertex + 1, len(columns) + 1), np.bool_)
        has_column[label_of_vertex[:, None], number] = True
        has_column[:, -1] = False
        for coefficients, _ in tight.equations:
            has_varying_costs = [
                bool(is_column.any()) and _are_varied(coefficients[is_column])
                for is_column in has_column[:, :-1]
            ]
            joined_labels = np.unique(
                label_of_vertex[np.array(has_varying_costs)[label_of_vertex]]
            )
            if len(joined_labels):
                label_of_vertex[np.isin(label_of_vertex, joined_labels)] = (
                    joined_labels[0]
                )
                has_column[joined_labels[0]] = has_column[joined_labels].any(axis=0)
                has_column[joined_labels[1:]] = False
                equations.append(coefficients)
    special_pairs = _find_special_pairs(columns, tight)
    vertex_count = bye_vertex + int(columns.size.sum()) % 2
    return [
        _build_component(
            np.flatnonzero(label_of_vertex == component_label),
            columns,
            equations,
            number,
            special_pairs,
            partner,
            sided,
        )
        for component_label in np.unique(label_of_vertex[:vertex_count])
    ]


def _are_varied(cost: IntArray) -> bool:
    """Return whether the costs are not all the same; False if there are none or one."""
    return bool(len(cost) and (cost != cost[0]).any())


def _find_special_pairs(columns: AllowedArcs, tight: OptimalUse) -> Edges:
    """Return the special pairs of players whose types have a default column alive.

    The `number` of each edge is this column, which other pairs of its types have, not
    the column of the pair itself. There are none if columns are single pairs. `tight`
    says which columns are alive.
    """
    if not isinstance(columns, PairClasses):
        no_pairs = np.zeros(0, np.int64)
        return Edges(no_pairs, no_pairs, no_pairs)
    lower_players, higher_players = np.divmod(
        columns.special_keys, len(columns.type_of)
    )
    low_type, high_type = (
        columns.type_of[lower_players],
        columns.type_of[higher_players],
    )
    first_type = np.minimum(low_type, high_type)
    second_type = np.maximum(low_type, high_type)
    default_columns = columns.default[first_type, second_type]
    return Edges(lower_players, higher_players, default_columns).chosen(
        (default_columns >= 0) & tight.alive[default_columns]
    )


def _build_component(
    players: IntArray,
    columns: AllowedArcs,
    equations: list[IntArray],
    number: IntArray,
    special: Edges,
    partner: IntArray,
    sided: bool,
) -> PairingComponent:
    """Return the component of these players.

    `players` are positions, the number of players for the bye. `equations` holds the
    coefficients of each equation, shape (columns,). `number`, shape (n + 1, n + 1), is
    the column of any two players, -1 for none. `special` are the special pairs whose
    types have a default column alive, with this column. `partner` is everybody's
    partner in one optimal pairing, -1 for the bye, with the bye's own partner last.
    With `sided` a match that allows either side has two ways. Columns with the same
    number of ways and the same coefficients in all equations are one kind of pair.
    """
    position_of_player = np.full(len(number), -1)
    position_of_player[players] = np.arange(len(players))
    is_inside = (position_of_player[special.first] >= 0) & (
        position_of_player[special.second] >= 0
    )
    special = special.chosen(is_inside)

    # the columns in use; the last entry stands for -1
    column_of_pair = number[np.ix_(players, players)]
    is_in_component = np.zeros(len(columns) + 1, np.bool_)
    is_in_component[column_of_pair] = is_in_component[special.number] = True
    used_columns = np.flatnonzero(is_in_component[:-1])

    # kinds of pairs, from 1 on; kind 0 stands for no pair
    has_both_sides = columns.sides[used_columns] == LISTED_FIRST | OTHER_FIRST
    side_choices_of_used_column = np.where(
        has_both_sides & ~columns.bye[used_columns] & sided, 2, 1
    )
    varying_equations = [
        coefficients[used_columns]
        for coefficients in equations
        if _are_varied(coefficients[used_columns])
    ]
    distinct_kinds, kind_of_used_column = np.unique(
        np.column_stack([side_choices_of_used_column, *varying_equations]),
        axis=0,
        return_inverse=True,
    )
    kind_of_column = np.zeros(len(columns) + 1, np.int64)
    kind_of_column[used_columns] = kind_of_used_column.ravel() + 1
    no_pair = np.zeros((1, distinct_kinds.shape[1]), np.int64)
    kind_table = np.concatenate([no_pair, distinct_kinds])
    ways_of_kind, cost_of_kind = kind_table[:, 0], kind_table[:, 1:]
    kind_of_pair = kind_of_column[column_of_pair]

    # what one optimal pairing adds to the equations
    mate_position = position_of_player[partner[players]]
    is_lower = mate_position > np.arange(len(players))
    matched_kinds = kind_of_pair[is_lower, mate_position[is_lower]]
    equation_totals = tuple(cost_of_kind[matched_kinds].sum(axis=0).tolist())

    # special pairs as other pairs of their types, where the equations agree
    relaxed_code = kind_of_pair.copy()
    first_positions, second_positions = (
        position_of_player[special.first],
        position_of_player[special.second],
    )
    special_kind, default_kind = (
        kind_of_pair[first_positions, second_positions],
        kind_of_column[special.number],
    )
    has_no_more_ways = ways_of_kind[special_kind] <= ways_of_kind[default_kind]
    has_same_cost = (cost_of_kind[special_kind] == cost_of_kind[default_kind]).all(
        axis=1
    )
    is_relaxed = (special_kind == 0) | (has_no_more_ways & has_same_cost)
    relaxed_kind = np.where(is_relaxed, default_kind, special_kind)
    relaxed_code[first_positions, second_positions] = relaxed_code[
        second_positions, first_positions
    ] = relaxed_kind
    return PairingComponent(
        players, kind_of_pair, relaxed_code, ways_of_kind, cost_of_kind, equation_totals
    )
