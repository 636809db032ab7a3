"""Single pairs as columns: one for every two players, the plain Boolean formulation."""

from dataclasses import replace

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import (
    LISTED_FIRST,
    OTHER_FIRST,
    AllowedArcs,
    Lots,
    single_pairs,
    with_first_sides,
)
from pairopt.engines.player_types import PairClasses, legal_ways
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, all_pairs_and_byes
from pairopt.problem.problem import Problem


def all_pairs(
    problem: Problem,
    weights: tuple[int, ...] | None = None,
    stop: int | None = None,
    budget: Budget = Budget(),
) -> AllowedArcs:
    """Return a column for every legal pair and every legal bye of a round.

    Parameters
    ----------
    problem : Problem
        The round to pair.
    weights : tuple of int, optional
        Choose the sides of each pair by the weighted sum of its levels, not
        lexicographically.
    stop : int, optional
        Compute only the levels before this one.
    budget : Budget, optional
        The deadline.

    Returns
    -------
    AllowedArcs
        Single pairs, whose types `a` < `b` are positions of players.

    Raises
    ------
    TimeUpError
        If the deadline passes.

    Examples
    --------
    Minimise all levels of a round:

        optimum = settle(all_pairs(problem), (), None, options.budget)
    """
    return build_pair_columns(
        problem, all_pairs_and_byes(len(problem)), weights, stop, budget
    )


def legal_arcs(problem: Problem, order: IntArray) -> Arcs:
    """Return the matches and byes that no constraint forbids, ordered by `order`.

    `order` holds the players' positions in the state. If the game has sides, a match
    comes each way round, one after the other.
    """
    arcs = all_pairs_and_byes(len(order))
    # BYE is -1, the last entry
    position_of_index = np.append(order, BYE)
    arcs = Arcs(position_of_index[arcs.first], position_of_index[arcs.second])
    if problem.state.sided:
        is_listed = np.ones(len(arcs), np.bool_)
        arcs = arcs.both_ways.take(np.flatnonzero(np.append(is_listed, arcs.match)))
    return arcs.take(np.flatnonzero(problem.legal(arcs)))


def build_candidates(problem: Problem) -> AllowedArcs:
    """Return a column with its costs for every match and bye that is legal.

    If the game has sides, a match has one column for each legal way round.
    """
    player_count = len(problem)
    match_bits = LISTED_FIRST if problem.state.sided else LISTED_FIRST | OTHER_FIRST
    arcs = legal_arcs(problem, np.arange(player_count))
    sides = np.where(arcs.bye, LISTED_FIRST, match_bits)
    second_positions = np.where(arcs.bye, player_count, arcs.second)
    return single_pairs(
        player_count, arcs.first, second_positions, problem.costs(arcs), sides
    )


def pair_arcs(problem: Problem, first: IntArray, second: IntArray) -> Arcs:
    """Return the pairs first[k] - second[k] of positions as arcs, in their order.

    The number of players as `second` stands for a bye.
    """
    return Arcs(first, np.where(second == len(problem), BYE, second))


def add_levels_to_pairs(
    problem: Problem,
    columns: AllowedArcs,
    alive: BoolArray,
    start_held: int,
    start: int,
    stop: int,
    budget: Budget = Budget(),
) -> AllowedArcs:
    """Return a column for each pair of the columns alive, with later levels added.

    `alive` is a mask of the columns. The result's levels are those of `columns` from
    the index `start_held` on, then the problem's levels `start` to `stop`. Sides are
    the better ones by the new levels, among those that the column allows. Raises
    TimeUpError.
    """
    first_players, second_players, column_of_pair = expand_pairs(columns, alive)
    sides = allowed_sides(columns, first_players, second_players, column_of_pair)
    arcs = pair_arcs(problem, first_players, second_players)
    pairs = build_pair_columns(problem, arcs, None, stop, budget, sides, start)
    held_costs = columns.costs.T[start_held:].take(column_of_pair, axis=1)
    return replace(pairs, costs=np.concatenate([held_costs, pairs.costs.T]).T)


def allowed_sides(
    columns: AllowedArcs, first: IntArray, second: IntArray, number: IntArray
) -> IntArray:
    """Return the side bits of pairs of the columns `number`, shape (pairs,).

    The pairs are first[k] < second[k], positions of players; the number of players
    stands for a bye.
    """
    sides = columns.sides[number]
    if not isinstance(columns, PairClasses):
        return sides
    # a class lists the player of the lower type first
    type_of = np.append(columns.type_of, len(columns.size))
    is_match = second < columns.players
    is_swapped = is_match & (type_of[first] > type_of[second])
    swapped_bits = np.array([0, OTHER_FIRST, LISTED_FIRST, LISTED_FIRST | OTHER_FIRST])
    return np.where(is_swapped, swapped_bits[sides], sides)


def build_pair_columns(
    problem: Problem,
    arcs: Arcs,
    weights: tuple[int, ...] | None = None,
    stop: int | None = None,
    budget: Budget = Budget(),
    ways: IntArray | None = None,
    start: int = 0,
) -> AllowedArcs:
    """Return a column for each legal pair or bye among these arcs.

    Illegal ones have no column. Its levels are `start` to `stop`, without `stop` all
    from `start` on. The sides of a pair are the better ones, by the levels or by
    `weights`, of all legal ones or of the side bits `ways`. Raises TimeUpError.
    """
    player_count = len(problem)
    sides, way_costs = legal_ways(problem, arcs, weights, ways, start, stop, budget)
    first_players, second_players = arcs.first, arcs.second
    if len(arcs.alone):
        sides = np.where(arcs.bye & (sides > 0), LISTED_FIRST, sides)
        second_players = np.where(arcs.bye, player_count, second_players)
    if np.count_nonzero(sides) < len(sides):
        legal_rows = sides.nonzero()[0]
        first_players, second_players, sides = (
            first_players[legal_rows],
            second_players[legal_rows],
            sides[legal_rows],
        )
        # each level's costs stay contiguous in memory
        way_costs = way_costs.T.take(legal_rows, axis=1).T
    return single_pairs(player_count, first_players, second_players, way_costs, sides)


def sided_arcs(
    columns: AllowedArcs, first: IntArray, second: IntArray, number: IntArray, rng: Lots
) -> Arcs:
    """Return pairs as arcs with their sides; a coin decides where a column allows both.

    Parameters
    ----------
    columns : AllowedArcs
        The columns that the pairs belong to.
    first, second : integer array
        Positions of players, first < second; the number of players as `second` stands
        for a bye.
    number : integer array
        The column of each pair.
    rng : Generator or sequence of int
        A random generator for the coins, or the seed of one.

    Returns
    -------
    Arcs
        One arc for each pair, in their order.

    Examples
    --------
    The arcs of the pairing that a level minimiser found:

        used = optimum.used
        arcs = sided_arcs(columns, columns.a[used], columns.b[used], used, (seed, 1))
    """
    if columns.odd:
        second = np.where(second == columns.players, BYE, second)
    if isinstance(columns, PairClasses):
        # a class lists the player of the lower type first
        is_match = second != BYE
        is_swapped = is_match & (columns.type_of[first] > columns.type_of[second])
        lower_type = np.where(is_swapped, second, first)
        second = np.where(is_swapped, first, second)
        first = lower_type
    return with_first_sides(first, second, columns.sides[number], rng)


def expand_pairs(
    classes: AllowedArcs, chosen: BoolArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the pairs of the chosen columns, and the column of each.

    These are three arrays of shape (pairs,): lower position, higher position and
    column. `chosen` is a mask of shape (columns,). The number of players as the second
    stands for a bye. If `classes` are single pairs, each column is one pair.
    """
    chosen_columns = chosen.nonzero()[0]
    if not isinstance(classes, PairClasses):
        return classes.a[chosen_columns], classes.b[chosen_columns], chosen_columns
    typical_pairs, is_typical = _expand_typical(classes, chosen_columns)
    lower_players, higher_players = np.divmod(
        classes.special_keys, len(classes.type_of)
    )
    is_chosen = classes.special_class >= 0
    is_chosen[is_chosen] = chosen[classes.special_class[is_chosen]]
    special_pairs = (
        lower_players[is_chosen],
        higher_players[is_chosen],
        classes.special_class[is_chosen],
    )
    dtype = typical_pairs[2].dtype
    lower_players, higher_players, column_of_pair = (
        np.concatenate([typical[is_typical], special_column.astype(dtype)])
        for typical, special_column in zip(typical_pairs, special_pairs, strict=True)
    )
    return lower_players, higher_players, column_of_pair


def _expand_typical(
    classes: PairClasses, number: IntArray
) -> tuple[tuple[IntArray, IntArray, IntArray], BoolArray]:
    """Expand classes to all pairs of their types, and mark those that are typical.

    `number` holds indices of classes. The pairs are three arrays: lower position,
    higher position and class, shape (pairs,). The mask, of the same shape, is False for
    special pairs, which may belong to another class. A class that consists of special
    pairs only has no pairs here.
    """
    player_count, type_count, type_of = (
        len(classes.type_of),
        len(classes.size),
        classes.type_of,
    )
    dtype = _narrow_dtype((player_count + 1) ** 2)  # squares of positions fit
    type_sizes = np.append(classes.size, 1)
    players_by_type = np.append(np.concatenate(classes.members), player_count).astype(
        dtype
    )
    # where each type begins in `players_by_type`
    type_starts = np.cumsum(type_sizes) - type_sizes
    first_types, second_types = classes.a[number], classes.b[number]
    typical_class = classes.default[
        first_types, np.minimum(second_types, type_count - 1)
    ]
    holds_typical = classes.bye[number] | (typical_class == number)
    number, first_types, second_types = (
        number[holds_typical],
        first_types[holds_typical],
        second_types[holds_typical],
    )

    # one row for each player of the first type: pairs with all players of the second type, or
    # with those that come later in the same type
    row_class = np.repeat(np.arange(len(first_types)), type_sizes[first_types])
    # the first row of each class
    first_row_of_class = np.cumsum(type_sizes[first_types]) - type_sizes[first_types]
    # the place of each row's player in the first type
    place_in_first_type = np.arange(len(row_class)) - first_row_of_class[row_class]
    row_player = players_by_type[
        type_starts[first_types][row_class] + place_in_first_type
    ]
    skipped_count = np.where(
        (first_types == second_types)[row_class], place_in_first_type + 1, 0
    )
    row_length = type_sizes[second_types][row_class] - skipped_count
    row_start = np.cumsum(row_length) - row_length

    first_players = np.repeat(row_player, row_length)
    column_of_pair = np.repeat(number[row_class].astype(dtype), row_length)
    pair_count = len(first_players)
    # positions in `players_by_type`: of the row's first pair, and the offset of each
    row_offset = (
        type_starts[second_types][row_class] + skipped_count - row_start
    ).astype(_narrow_dtype(pair_count))
    second_position = np.repeat(row_offset, row_length)
    second_position += np.arange(pair_count, dtype=second_position.dtype)
    second_players = players_by_type[second_position]

    # leave out the special pairs of these types, which are of other classes
    lower_players, higher_players = np.divmod(classes.special_keys, player_count)
    special_first_players = np.where(
        type_of[lower_players] > type_of[higher_players], higher_players, lower_players
    )
    special_second_players = lower_players + higher_players - special_first_players
    class_position = np.full(len(classes) + 1, -1)  # the last entry for -1, no class
    class_position[number] = np.arange(len(number))
    default_class_of_special = classes.default[
        type_of[special_first_players], type_of[special_second_players]
    ]
    class_position_of_special = class_position[default_class_of_special]
    is_class_expanded = class_position_of_special >= 0
    special_first_players, special_second_players = (
        special_first_players[is_class_expanded],
        special_second_players[is_class_expanded],
    )
    class_position_of_special = class_position_of_special[is_class_expanded]
    place_in_type = np.empty(player_count, np.int64)
    sorted_players = players_by_type[:player_count]
    place_in_type[sorted_players] = (
        np.arange(player_count) - type_starts[type_of[sorted_players]]
    )
    row_of_special = (
        first_row_of_class[class_position_of_special]
        + place_in_type[special_first_players]
    )
    is_typical = np.ones(pair_count, np.bool_)
    offset_of_special = (
        place_in_type[special_second_players] - skipped_count[row_of_special]
    )
    is_typical[row_start[row_of_special] + offset_of_special] = False
    return (
        np.minimum(first_players, second_players),
        np.maximum(first_players, second_players),
        column_of_pair,
    ), is_typical


def _narrow_dtype(most: int) -> type[np.int32 | np.int64]:
    """Return the integer type of 32 bits, or of 64 if values up to `most` need it."""
    return np.int32 if most < 2**31 else np.int64
