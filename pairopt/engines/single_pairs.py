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
    """Return the matches and byes that no constraint forbids.

    `order` holds the players' positions in the state. The arcs come in the order of all
    pairs of this list: its first player with each later one, then the second, and so
    on; byes of an odd field follow. If the game has sides, all matches follow once
    more, the other way round.
    """
    possible_arcs = all_pairs_and_byes(len(order))
    # BYE is -1, the last entry
    player_of_index = np.append(order, BYE)
    possible_arcs = Arcs(
        player_of_index[possible_arcs.first], player_of_index[possible_arcs.second]
    )
    if problem.state.sided:
        is_listed_way = np.ones(len(possible_arcs), np.bool_)
        possible_arcs = possible_arcs.both_ways.take(
            np.flatnonzero(np.append(is_listed_way, possible_arcs.match))
        )
    return possible_arcs.take(np.flatnonzero(problem.legal(possible_arcs)))


def build_candidates(problem: Problem) -> AllowedArcs:
    """Return a column with its costs for every match and bye that is legal.

    If the game has sides, a match has one column for each legal way round: the player
    of type `a` has the first side. Without sides, the lower position is `a`. Costs have
    all levels of the problem.
    """
    player_count = len(problem)
    side_bits_of_matches = (
        LISTED_FIRST if problem.state.sided else LISTED_FIRST | OTHER_FIRST
    )
    legal_matches_and_byes = legal_arcs(problem, np.arange(player_count))
    side_bits = np.where(legal_matches_and_byes.bye, LISTED_FIRST, side_bits_of_matches)
    second_players = np.where(
        legal_matches_and_byes.bye, player_count, legal_matches_and_byes.second
    )
    return single_pairs(
        player_count,
        legal_matches_and_byes.first,
        second_players,
        problem.costs(legal_matches_and_byes),
        side_bits,
    )


def pair_arcs(problem: Problem, first: IntArray, second: IntArray) -> Arcs:
    """Return the pairs first[k] - second[k] of positions as arcs, in their order.

    The number of players as `second` stands for a bye, and becomes BYE. The player in
    `first` has the first side.
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
    the index `start_held` on, then the problem's levels from `start` up to `stop`,
    which is not included. Sides are the better ones by the new levels, among those that
    the column allows. Raises TimeUpError.
    """
    first_players, second_players, column_of_pair = expand_pairs(columns, alive)
    side_bits = allowed_sides(columns, first_players, second_players, column_of_pair)
    pairs_as_arcs = pair_arcs(problem, first_players, second_players)
    pairs_with_new_levels = build_pair_columns(
        problem, pairs_as_arcs, None, stop, budget, side_bits, start
    )
    carried_costs = columns.costs.T[start_held:].take(column_of_pair, axis=1)
    return replace(
        pairs_with_new_levels,
        costs=np.concatenate([carried_costs, pairs_with_new_levels.costs.T]).T,
    )


def allowed_sides(
    columns: AllowedArcs, first: IntArray, second: IntArray, number: IntArray
) -> IntArray:
    """Return the side bits of pairs, shape (pairs,), as their columns allow them.

    `number` is the column of each pair. The pairs are first[k] < second[k], positions
    of players; the number of players stands for a bye. In the result LISTED_FIRST means
    that first[k] may have the first side, even if a class lists the other player first.
    """
    side_bits = columns.sides[number]
    if not isinstance(columns, PairClasses):
        return side_bits
    # a class lists the player of the lower type first
    type_of_vertex = np.append(columns.type_of, len(columns.size))
    is_match = second < columns.players
    is_swapped = is_match & (type_of_vertex[first] > type_of_vertex[second])
    swapped_bits_by_bits = np.array(
        [0, OTHER_FIRST, LISTED_FIRST, LISTED_FIRST | OTHER_FIRST]
    )
    return np.where(is_swapped, swapped_bits_by_bits[side_bits], side_bits)


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

    Illegal ones have no column. A pair has its lower position in `arcs.first`; it needs
    only one of its two ways round. The levels are `start` to `stop`, without `stop` all
    from `start` on. The sides of a pair are the better ones, by the levels or by
    `weights`, of all legal ones or of the side bits `ways`, one for each arc. Raises
    TimeUpError.
    """
    player_count = len(problem)
    side_bits, costs_of_pairs = legal_ways(
        problem, arcs, weights, ways, start, stop, budget
    )
    first_players, second_players = arcs.first, arcs.second
    if len(arcs.alone):
        side_bits = np.where(arcs.bye & (side_bits > 0), LISTED_FIRST, side_bits)
        second_players = np.where(arcs.bye, player_count, second_players)
    if np.count_nonzero(side_bits) < len(side_bits):
        legal_pair_indices = side_bits.nonzero()[0]
        first_players, second_players, side_bits = (
            first_players[legal_pair_indices],
            second_players[legal_pair_indices],
            side_bits[legal_pair_indices],
        )
        # each level's costs stay contiguous in memory
        costs_of_pairs = costs_of_pairs.T.take(legal_pair_indices, axis=1).T
    return single_pairs(
        player_count, first_players, second_players, costs_of_pairs, side_bits
    )


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
        lower_type_players = np.where(is_swapped, second, first)
        second = np.where(is_swapped, first, second)
        first = lower_type_players
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
    is_special_chosen = classes.special_class >= 0
    is_special_chosen[is_special_chosen] = chosen[
        classes.special_class[is_special_chosen]
    ]
    special_pairs = (
        lower_players[is_special_chosen],
        higher_players[is_special_chosen],
        classes.special_class[is_special_chosen],
    )
    index_dtype = typical_pairs[2].dtype
    lower_players, higher_players, column_of_pair = (
        np.concatenate(
            [typical_entries[is_typical], special_entries.astype(index_dtype)]
        )
        for typical_entries, special_entries in zip(
            typical_pairs, special_pairs, strict=True
        )
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
    player_count, type_count, type_of_player = (
        len(classes.type_of),
        len(classes.size),
        classes.type_of,
    )
    index_dtype = _narrow_dtype((player_count + 1) ** 2)  # squares of positions fit
    type_sizes = np.append(classes.size, 1)
    players_by_type = np.append(np.concatenate(classes.members), player_count).astype(
        index_dtype
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
    class_index_of_row = np.repeat(np.arange(len(first_types)), type_sizes[first_types])
    # the first row of each class
    first_row_of_class = np.cumsum(type_sizes[first_types]) - type_sizes[first_types]
    # the place of each row's player in the first type
    place_in_first_type = (
        np.arange(len(class_index_of_row)) - first_row_of_class[class_index_of_row]
    )
    player_of_row = players_by_type[
        type_starts[first_types][class_index_of_row] + place_in_first_type
    ]
    skipped_count = np.where(
        (first_types == second_types)[class_index_of_row], place_in_first_type + 1, 0
    )
    pair_count_of_row = type_sizes[second_types][class_index_of_row] - skipped_count
    first_pair_of_row = np.cumsum(pair_count_of_row) - pair_count_of_row

    first_players = np.repeat(player_of_row, pair_count_of_row)
    column_of_pair = np.repeat(
        number[class_index_of_row].astype(index_dtype), pair_count_of_row
    )
    expanded_pair_count = len(first_players)
    # positions in `players_by_type`: of the row's first pair, and the offset of each
    player_offset_of_row = (
        type_starts[second_types][class_index_of_row]
        + skipped_count
        - first_pair_of_row
    ).astype(_narrow_dtype(expanded_pair_count))
    second_player_index = np.repeat(player_offset_of_row, pair_count_of_row)
    second_player_index += np.arange(
        expanded_pair_count, dtype=second_player_index.dtype
    )
    second_players = players_by_type[second_player_index]

    # leave out the special pairs of these types, which are of other classes
    lower_players, higher_players = np.divmod(classes.special_keys, player_count)
    special_first_players = np.where(
        type_of_player[lower_players] > type_of_player[higher_players],
        higher_players,
        lower_players,
    )
    special_second_players = lower_players + higher_players - special_first_players
    class_position = np.full(len(classes) + 1, -1)  # the last entry for -1, no class
    class_position[number] = np.arange(len(number))
    default_class_of_special = classes.default[
        type_of_player[special_first_players], type_of_player[special_second_players]
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
        np.arange(player_count) - type_starts[type_of_player[sorted_players]]
    )
    row_of_special = (
        first_row_of_class[class_position_of_special]
        + place_in_type[special_first_players]
    )
    is_typical = np.ones(expanded_pair_count, np.bool_)
    special_place_in_row = (
        place_in_type[special_second_players] - skipped_count[row_of_special]
    )
    is_typical[first_pair_of_row[row_of_special] + special_place_in_row] = False
    return (
        np.minimum(first_players, second_players),
        np.maximum(first_players, second_players),
        column_of_pair,
    ), is_typical


def _narrow_dtype(most: int) -> type[np.int32 | np.int64]:
    """Return the integer type of 32 bits, or of 64 if values up to `most` need it."""
    return np.int32 if most < 2**31 else np.int64
