"""Player types and pair classes: exchangeable arcs counted together.

Players with the same attributes make a type. A class holds the disjoint pairs of two
types with the same legal sides and costs, and one integer variable replaces their
Booleans. Any partition into types gives a relaxation of the round, which is exact if
every player is a type.

What a rule says of a class has to hold for each of its pairs. A rule that does not
declare an attribute or a special pair makes lower bounds that are wrong, which the
verifier of pairings cannot see. So it is checked: on a sample wherever classes are
made, on all pairs in the tests.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import (
    AHEAD,
    LISTED_FIRST,
    OTHER_FIRST,
    AllowedArcs,
    choose_sides,
    shrink_dtype,
)
from pairopt.engines.base import EngineError
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of
from pairopt.messages import Message, message, with_heading
from pairopt.messages.formatting import escape_hidden, pair_text
from pairopt.problem.problem import Problem

MOST_CODES = 2**31  # the product of two codes up to it fits into 64 bits
AT_ONCE = 2**14  # arcs that are computed together, fewer with many levels


def types_of(attributes: Iterable[IntArray | BoolArray], n: int) -> IntArray:
    """Return the type of each of `n` players or other things, shape (n,).

    Those with the same value of every attribute have the same type; the attributes have
    shape (n,) each. Types are numbered 0, 1, ... without gaps, in the order of the
    attributes' values. Without attributes all have the type 0.
    """
    type_codes, code_count = np.zeros(n, np.int64), 1
    for attribute in attributes:
        lowest_value, highest_value = (
            (int(attribute.min()), int(attribute.max())) if n else (0, 0)
        )
        if lowest_value == highest_value:
            continue
        attribute_codes, attribute_code_count = (
            attribute.astype(np.int64) - lowest_value,
            highest_value - lowest_value + 1,
        )
        if attribute_code_count > MOST_CODES:
            attribute_codes, attribute_code_count = _rank_values(attribute_codes)
        if code_count * attribute_code_count > MOST_CODES:
            type_codes, code_count = _rank_values(type_codes)
        type_codes = type_codes * attribute_code_count + attribute_codes
        code_count *= attribute_code_count
    return _rank_values(type_codes)[0]


def _rank_values(code: IntArray) -> tuple[IntArray, int]:
    """Return each value's rank among the distinct values, and how many these are.

    `code` has the values, shape (n,). Ranks are 0, 1, ... in ascending order; equal
    values have the same rank.
    """
    distinct_values, rank_of_value = np.unique(code, return_inverse=True)
    return np.asarray(rank_of_value, np.int64), len(distinct_values)


@dataclass(frozen=True)
class PairClasses(AllowedArcs):
    """The classes of a partition of the players into types, and every pair's class.

    A column is a class, with types `a` <= `b`. The first player of a pair is the one of
    type `a`, or the one with the lower position if the types are equal. `type_of`,
    shape (players,), is each player's type. A pair is in class `default[a, b]` unless
    its key low * n + high is among the sorted `special_keys`; then it is in the class
    at the same position of `special_class`. -1 stands for pairs in no class, which are
    illegal.
    """

    type_of: IntArray
    default: IntArray
    special_keys: IntArray
    special_class: IntArray

    @cached_property
    def members(self) -> list[IntArray]:
        """The positions of the players of each type, ascending, one array per type."""
        return np.split(
            np.argsort(self.type_of, kind="stable"), np.cumsum(self.size)[:-1]
        )

    def class_of(self, first: IntArray, second: IntArray) -> IntArray:
        """Return the class of each pair first[k] - second[k], shape (pairs,).

        `first` and `second` are positions of players, in either order. The class is -1
        for an illegal pair. Byes are not looked up here.
        """
        first_types, second_types = self.type_of[first], self.type_of[second]
        lower_types = np.minimum(first_types, second_types)
        higher_types = np.maximum(first_types, second_types)
        class_of_pair = self.default[lower_types, higher_types]
        if len(self.special_keys):
            lower_players, higher_players = (
                np.minimum(first, second),
                np.maximum(first, second),
            )
            pair_keys = lower_players * len(self.type_of) + higher_players
            special_key_positions = np.searchsorted(self.special_keys, pair_keys)
            special_key_positions = np.minimum(
                special_key_positions, len(self.special_keys) - 1
            )
            is_special_pair = self.special_keys[special_key_positions] == pair_keys
            class_of_pair = np.where(
                is_special_pair,
                self.special_class[special_key_positions],
                class_of_pair,
            )
        return class_of_pair

    @cached_property
    def of_types(self) -> IntArray:
        """The class of any two types' typical pairs, shape (types + 1, types + 1).

        It is -1 if they have none. The last row and column hold the class of each
        type's bye.
        """
        type_count = len(self.size)
        class_of_types = np.full((type_count + 1, type_count + 1), -1)
        class_of_types[:type_count, :type_count] = np.maximum(
            self.default, self.default.T
        )
        bye_columns = np.flatnonzero(self.bye)
        bye_types = self.a[bye_columns]
        class_of_types[bye_types, type_count] = class_of_types[
            type_count, bye_types
        ] = bye_columns
        return class_of_types

    def table(self, values: IntArray) -> IntArray:
        """Return a matrix with the value of each pair's class, shape (n + 1, n + 1).

        `values`, shape (classes + 1,), holds a value for each class; the last one is
        for pairs without a class and for the diagonal. Row and column n are the byes.
        """
        player_count = len(self.type_of)
        type_of_vertex = np.append(self.type_of, len(self.size))
        value_of_pair: IntArray = values[self.of_types][type_of_vertex][
            :, type_of_vertex
        ]
        lower_players, higher_players = np.divmod(self.special_keys, player_count)
        value_of_pair[lower_players, higher_players] = value_of_pair[
            higher_players, lower_players
        ] = values[self.special_class]
        np.fill_diagonal(value_of_pair, values[-1])
        return value_of_pair

    def hold(self, pairs: IntArray, sides: IntArray, costs: IntArray) -> BoolArray:
        """Return for each pair whether its class has the pair's own sides and costs.

        `pairs`, shape (pairs, 2), holds positions of players. `sides`, shape (pairs,),
        and `costs`, shape (pairs, levels), were computed for each pair by itself. A
        pair in no class agrees if its sides are 0, which means illegal. The result has
        shape (pairs,).
        """
        class_of_pair = self.class_of(pairs[:, 0], pairs[:, 1])
        agrees_with_class: BoolArray = (class_of_pair >= 0) == (sides > 0)
        legal_pair_indices = np.flatnonzero(class_of_pair >= 0)
        class_sides = self.sides[class_of_pair[legal_pair_indices]]
        class_costs = self.costs[class_of_pair[legal_pair_indices]]
        has_same_costs = (class_costs == costs[legal_pair_indices]).all(axis=1)
        agrees_with_class[legal_pair_indices] &= (
            class_sides == sides[legal_pair_indices]
        ) & has_same_costs
        return agrees_with_class


def build_classes(
    problem: Problem,
    type_of: IntArray,
    weights: tuple[int, ...] | None = None,
    most: int | None = None,
    budget: Budget = Budget(),
) -> PairClasses:
    """Return the pair classes of a partition into types, with their costs.

    `type_of`, shape (players,), is each player's type. Levels are those of the coarse
    criteria, the first `most` of them if it is given. With `weights`, sides are chosen
    by the weighted sum of the levels. Raises TimeUpError, and EngineError if a pair of
    a sample, or a bye, differs from its class.
    """
    player_count = len(problem)
    level_count = (
        problem.coarse_levels if most is None else min(problem.coarse_levels, most)
    )
    type_sizes = np.bincount(type_of)
    type_count = len(type_sizes)
    # the player who stands for a type
    representative_of_type = np.empty(type_count, np.int64)
    representative_of_type[type_of] = np.arange(player_count)

    # special pairs, the player of the lower type first
    special_pairs = problem.special_pairs()
    special_first_types, special_second_types = (
        type_of[special_pairs[:, 0]],
        type_of[special_pairs[:, 1]],
    )
    is_swapped = (special_first_types > special_second_types)[:, None]
    special_pairs = np.where(is_swapped, special_pairs[:, ::-1], special_pairs)
    lower_types = np.minimum(special_first_types, special_second_types)
    higher_types = np.maximum(special_first_types, special_second_types)

    typical_first_types, typical_second_types = _types_of_typical_pairs(
        type_sizes, lower_types, higher_types
    )
    typical_arcs = arcs_of(
        representative_of_type[typical_first_types],
        representative_of_type[typical_second_types],
        typical=True,
    )
    sides_of_arcs, costs_of_arcs = legal_ways(
        problem, typical_arcs, weights, stop=level_count, budget=budget
    )
    row_blocks = [
        (typical_first_types, typical_second_types, sides_of_arcs, costs_of_arcs)
    ]

    # special pairs, and a sample that is checked only
    pair_sample, special_count = (
        draw_pair_sample(type_of, problem.seed),
        len(special_pairs),
    )
    special_and_sampled_arcs = arcs_of(*np.concatenate([special_pairs, pair_sample]).T)
    sides_of_arcs, costs_of_arcs = legal_ways(
        problem, special_and_sampled_arcs, weights, stop=level_count, budget=budget
    )
    special_sides, special_costs = (
        sides_of_arcs[:special_count],
        costs_of_arcs[:special_count],
    )
    row_blocks.append((lower_types, higher_types, special_sides, special_costs))

    bye_agrees = np.ones(player_count, np.bool_)
    if problem.state.odd:
        bye_arcs = arcs_of(np.arange(player_count), np.full(player_count, BYE))
        bye_sides = np.where(problem.legal(bye_arcs), LISTED_FIRST, 0)
        bye_costs = problem.costs(bye_arcs, 0, level_count)
        second_types_of_byes = np.full(type_count, type_count)
        row_blocks.append(
            (
                np.arange(type_count),
                second_types_of_byes,
                bye_sides[representative_of_type],
                bye_costs[representative_of_type],
            )
        )
        representative_of_player = representative_of_type[type_of]
        has_same_bye_costs = (bye_costs == bye_costs[representative_of_player]).all(
            axis=1
        )
        bye_agrees = (
            bye_sides == bye_sides[representative_of_player]
        ) & has_same_bye_costs
    if len(typical_first_types) > AT_ONCE:
        row_blocks = [
            (first_type_of_row, second_type_of_row, row_sides, shrink_dtype(row_costs))
            for first_type_of_row, second_type_of_row, row_sides, row_costs in row_blocks
        ]
    stacked_columns = [
        _stack_rows(rows_of_column) for rows_of_column in zip(*row_blocks, strict=True)
    ]
    # a large list
    del row_blocks
    class_of_row, class_columns = _merge_equal_rows(stacked_columns, budget)
    # a large list
    del stacked_columns
    classes = _make_classes(
        type_of,
        type_sizes,
        class_columns,
        class_of_row,
        (typical_first_types, typical_second_types),
        special_pairs,
    )
    sample_agrees = classes.hold(
        pair_sample, sides_of_arcs[special_count:], costs_of_arcs[special_count:]
    )
    agrees_with_class = np.append(bye_agrees, sample_agrees)
    require_alike(problem, type_of, pair_sample, agrees_with_class)
    return classes


def _types_of_typical_pairs(
    type_sizes: IntArray, lower_types: IntArray, higher_types: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the lower and the higher type of any two types that have typical pairs.

    `type_sizes` is the number of players of each type. Typical pairs are all but the
    special ones, whose types are `lower_types` and `higher_types`, shape (special
    pairs,). A type is also compared with itself.
    """
    pair_counts = type_sizes[:, None] * type_sizes[None, :]
    np.fill_diagonal(pair_counts, type_sizes * (type_sizes - 1) // 2)
    np.subtract.at(pair_counts, (lower_types, higher_types), 1)
    first_types, second_types = np.nonzero(np.triu(pair_counts > 0))
    return first_types, second_types


def _stack_rows(arrays: Iterable[IntArray]) -> IntArray:
    """Concatenate arrays along their rows, which have shape (rows,) or (rows, levels).

    The result is such that each level's costs are contiguous in memory.
    """
    return np.concatenate([array.T for array in arrays], axis=-1).T


def legal_ways(
    problem: Problem,
    arcs: Arcs,
    weights: tuple[int, ...] | None = None,
    ways: IntArray | None = None,
    start: int = 0,
    stop: int | None = None,
    budget: Budget = Budget(),
) -> tuple[IntArray, IntArray]:
    """Choose the better legal sides of each pair; return the side bits and the costs.

    Side bits have shape (pairs,): LISTED_FIRST or OTHER_FIRST, both if they cost the
    same or the game has no sides, and 0 for an illegal pair. Costs have shape (pairs,
    levels), for the levels from `start` up to `stop`, by default all; under a pairing
    system there are none. Sides cost less if their levels do in order, or their
    weighted sum if there are `weights`. `ways` holds side bits that are allowed;
    without it, all legal ones are. Raises TimeUpError.
    """
    level_count = (problem.firsts[-1] if stop is None else stop) - start
    chunk_size = max(AT_ONCE * AHEAD // max(level_count, AHEAD), 1)
    if len(arcs) > chunk_size or arcs.first.dtype != np.int64:
        return _choose_sides_in_chunks(
            problem, arcs, weights, ways, start, stop, budget, chunk_size
        )
    # levels of a system are of a whole pairing: sides are a constraint
    cost_stop = stop if problem.system is None else 0
    if not problem.state.sided:
        costs_of_ways = problem.costs(arcs, start, cost_stop)
        if ways is None:
            ways = np.where(problem.legal(arcs), LISTED_FIRST | OTHER_FIRST, 0)
        return ways, costs_of_ways

    arc_count, both_ways = len(arcs), arcs.both_ways
    costs_of_ways = problem.costs(both_ways, start, cost_stop)
    if ways is None:
        is_legal = problem.legal(both_ways)
    else:
        is_legal = np.append(ways & LISTED_FIRST, ways & OTHER_FIRST) > 0
    return choose_sides(
        costs_of_ways[:arc_count],
        costs_of_ways[arc_count:],
        is_legal[:arc_count],
        is_legal[arc_count:],
        weights,
    )


def _choose_sides_in_chunks(
    problem: Problem,
    arcs: Arcs,
    weights: tuple[int, ...] | None,
    ways: IntArray | None,
    start: int,
    stop: int | None,
    budget: Budget,
    chunk: int,
) -> tuple[IntArray, IntArray]:
    """Choose the better legal sides of each pair, for `chunk` pairs at a time.

    Returns the side bits, shape (pairs,), 0 for an illegal pair, and the costs, shape
    (pairs, levels), as integers of the narrowest types. Sides cost less if their levels
    do in order, or their weighted sum if `weights` is not None. `ways` are the side
    bits that are allowed, None for all legal ones. Levels are those from `start` up to
    `stop`, None for all. Raises TimeUpError.
    """
    side_bits_of_chunks, costs_of_chunks = [], []
    for chunk_start in budget.iterate(range(0, len(arcs), chunk)):
        chunk_slice = slice(chunk_start, chunk_start + chunk)
        ways_of_chunk = None if ways is None else ways[chunk_slice]
        side_bits_of_chunk, costs_of_chunk = legal_ways(
            problem, arcs.take(chunk_slice), weights, ways_of_chunk, start, stop
        )
        side_bits_of_chunks.append(side_bits_of_chunk.astype(np.int8))
        costs_of_chunks.append(shrink_dtype(costs_of_chunk))
    return np.concatenate(side_bits_of_chunks), np.concatenate(costs_of_chunks)


def _merge_equal_rows(
    rows: list[IntArray], budget: Budget
) -> tuple[IntArray, list[IntArray]]:
    """Merge rows with the same types, sides and costs to one class each.

    `rows` are the arrays a, b, sides and costs; an entry of each is one row. Returns
    the class of each row, -1 for an illegal one (its sides are 0), and the same four
    arrays for the classes. Raises TimeUpError.
    """
    first_types, second_types, side_bits, row_costs = rows
    legal_row_indices = np.flatnonzero(side_bits)
    row_attributes = budget.iterate(
        [first_types, second_types, side_bits, *row_costs.T]
    )
    class_of_row = np.full(len(first_types), -1, np.int64)
    class_of_row[legal_row_indices] = types_of(
        (row_attribute[legal_row_indices] for row_attribute in row_attributes),
        len(legal_row_indices),
    )
    # the first row of each class
    first_row_of_class = np.zeros(int(class_of_row.max(initial=-1)) + 1, np.int64)
    first_row_of_class[class_of_row[legal_row_indices][::-1]] = legal_row_indices[::-1]
    # each level's costs are contiguous in memory
    class_costs_by_level = np.empty(
        (row_costs.shape[1], len(first_row_of_class)), row_costs.dtype
    )
    for class_costs_of_level, row_costs_of_level in zip(
        class_costs_by_level, budget.iterate(row_costs.T), strict=True
    ):
        row_costs_of_level.take(first_row_of_class, out=class_costs_of_level)
    class_columns = [
        row_values[first_row_of_class]
        for row_values in (first_types, second_types, side_bits)
    ]
    return class_of_row, [*class_columns, class_costs_by_level.T]


def _make_classes(
    type_of: IntArray,
    type_sizes: IntArray,
    class_columns: list[IntArray],
    class_of_row: IntArray,
    typical_types: tuple[IntArray, IntArray],
    pairs: IntArray,
) -> PairClasses:
    """Build the pair classes from their columns and from the class of each row.

    `class_columns` are the arrays a, b, sides and costs of the classes. `class_of_row`
    has the class of each row, -1 for none: first the rows of typical pairs, one for
    each two types in `typical_types`, then those of the special `pairs`, then byes.
    `type_of` is the type of each player, and `type_sizes` the number of players of each
    type.
    """
    first_types, second_types, side_bits, class_costs = class_columns
    type_count, typical_row_count = len(type_sizes), len(typical_types[0])
    class_of_typical_row = class_of_row[:typical_row_count]
    class_of_types = np.full((type_count, type_count), -1, np.int64)
    class_of_types[typical_types] = class_of_typical_row
    class_of_special_pair = class_of_row[
        typical_row_count : typical_row_count + len(pairs)
    ]
    special_pair_keys = pairs.min(axis=1) * len(type_of) + pairs.max(axis=1)
    key_order = np.argsort(special_pair_keys)

    sizes_with_dummy = np.append(type_sizes, 1)
    first_type_sizes, second_type_sizes = (
        sizes_with_dummy[first_types],
        sizes_with_dummy[second_types],
    )
    most_uses_of_class = np.where(
        first_types == second_types,
        first_type_sizes // 2,
        np.minimum(first_type_sizes, second_type_sizes),
    )
    holds_typical_pairs = np.zeros(len(first_types), np.bool_)
    holds_typical_pairs[class_of_typical_row[class_of_typical_row >= 0]] = True
    is_special_legal = class_of_special_pair >= 0
    special_pairs_bound = _max_disjoint_pairs(
        class_of_special_pair[is_special_legal],
        pairs[is_special_legal],
        len(type_of),
        first_types == second_types,
    )
    has_full_cap = holds_typical_pairs | (second_types == type_count)
    most_uses_of_class = np.where(
        has_full_cap,
        most_uses_of_class,
        np.minimum(most_uses_of_class, special_pairs_bound),
    )
    return PairClasses(
        size=type_sizes,
        a=first_types,
        b=second_types,
        cap=most_uses_of_class,
        sides=side_bits,
        costs=class_costs,
        type_of=type_of,
        default=class_of_types,
        special_keys=special_pair_keys[key_order],
        special_class=class_of_special_pair[key_order],
    )


def _max_disjoint_pairs(
    special: IntArray, pairs: IntArray, n: int, inside: BoolArray
) -> IntArray:
    """Return an upper bound of the number of disjoint special pairs in each class.

    The `pairs`, shape (pairs, 2), are positions of `n` players, and special[k] is the
    class of pair k. `inside`, shape (classes,), marks classes within one type. Each
    pair takes up a player at each end, so the bound counts the different players of a
    class's pairs: half of them within one type, otherwise the fewer of both ends. It is
    0 for a class without pairs.
    """

    def count_distinct(number: IntArray, player: IntArray) -> IntArray:
        """Count the different players of each class, shape (classes,).

        Entry k says that player[k] belongs to the class number[k]. A class without
        entries has 0 players.
        """
        distinct_keys = np.unique(number * n + player)
        return np.bincount(distinct_keys // n, minlength=len(inside))

    first_player_counts, second_player_counts = (
        count_distinct(special, end_players) for end_players in pairs.T
    )
    player_counts = count_distinct(np.tile(special, 2), pairs.T.ravel())
    return np.where(
        inside,
        player_counts // 2,
        np.minimum(first_player_counts, second_player_counts),
    )


SAMPLE = 512  # pairs that are checked, of as many different types as possible


def draw_pair_sample(type_of: IntArray, seed: int) -> IntArray:
    """Draw random pairs of players, shape (pairs, 2), about as many of any two types.

    `type_of`, shape (players,), is each player's type. The player of the lower type
    comes first; within a type, the lower position. Of `SAMPLE` draws, those of a player
    with themselves are left out. An equal `seed` gives equal pairs.
    """
    rng = np.random.default_rng([seed, 2])
    type_sizes = np.bincount(type_of)
    type_starts, players_by_type = (
        np.cumsum(type_sizes) - type_sizes,
        np.argsort(type_of, kind="stable"),
    )
    first_types, second_types = np.triu_indices(len(type_sizes))
    sampled_type_pairs = np.resize(rng.permutation(len(first_types)), SAMPLE)
    first_types, second_types = (
        first_types[sampled_type_pairs],
        second_types[sampled_type_pairs],
    )
    first_places_in_type = rng.integers(0, type_sizes[first_types])
    second_places_in_type = rng.integers(0, type_sizes[second_types])
    first_players = players_by_type[type_starts[first_types] + first_places_in_type]
    second_players = players_by_type[type_starts[second_types] + second_places_in_type]
    sampled_pairs = np.column_stack([first_players, second_players])
    sampled_pairs[first_types == second_types] = np.sort(
        sampled_pairs[first_types == second_types], axis=1
    )
    return np.asarray(
        sampled_pairs[sampled_pairs[:, 0] != sampled_pairs[:, 1]], np.int64
    )


def require_alike(
    problem: Problem, type_of: IntArray, pairs: IntArray, agrees: BoolArray
) -> None:
    """Raise EngineError unless all these pairs and byes agree with their classes.

    `agrees` says for every player's bye, and then for each pair of `pairs`, whether it
    has the sides and costs of its class. The error names the rules that differ.
    `type_of` is the type of each player.
    """
    if not agrees.all():
        breaches = find_breaches(problem, type_of, pairs)
        heading = message("engine.not_alike", breaches=[*map(str, breaches)])
        raise EngineError(with_heading(heading, *breaches))


def find_breaches(
    problem: Problem, type_of: IntArray, pairs: IntArray
) -> list[Message]:
    """Return a message for each coarse rule that breaks the classes, with an example.

    Each of these pairs, shape (pairs, 2), is compared, either way round, with the pair
    of the players who stand for its types; in an odd field all byes are compared, too.
    A rule breaks the classes if it tells the two apart. Special pairs are left out.
    Empty if no rule does. `type_of` is the type of each player. A rule that differs for
    a pair and a bye has two messages.
    """
    state, player_count = problem.state, len(problem)
    representative_of_type = np.empty(int(type_of.max()) + 1, np.int64)
    representative_of_type[type_of] = np.arange(player_count)
    pair_keys = pairs.min(axis=1) * player_count + pairs.max(axis=1)
    special_keys = problem.special_pairs() @ np.array([player_count, 1])
    typical_pairs = pairs[~np.isin(pair_keys, special_keys)]
    compared_arcs = arcs_of(typical_pairs[:, 0], typical_pairs[:, 1]).both_ways
    representative_arcs = Arcs(
        representative_of_type[type_of[compared_arcs.first]],
        representative_of_type[type_of[compared_arcs.second]],
        typical=True,
    )
    arcs_to_compare = [(compared_arcs, representative_arcs)]
    if state.odd:
        bye_partners = np.full(player_count, BYE)
        type_byes = arcs_of(representative_of_type[type_of], bye_partners)
        arcs_to_compare.append(
            (arcs_of(np.arange(player_count), bye_partners), type_byes)
        )
    breach_messages = []
    for compared_arcs, representative_arcs in arcs_to_compare:
        for rule_kind, is_told_apart in _find_rule_differences(
            problem, compared_arcs, representative_arcs
        ):
            for arc_position in np.flatnonzero(is_told_apart)[:1].tolist():
                arc_text, class_arc_text = (
                    _format_arc(problem, compared_arcs, arc_position),
                    _format_arc(problem, representative_arcs, arc_position),
                )
                breach_messages.append(
                    message(
                        "rule.reads_more",
                        rule=rule_kind,
                        one=arc_text,
                        two=class_arc_text,
                    )
                )
    return breach_messages


def _find_rule_differences(
    problem: Problem, arcs: Arcs, class_arcs: Arcs
) -> list[tuple[str, BoolArray]]:
    """Return each coarse rule's kind, and a mask of the arcs that it tells apart.

    `arcs` are compared with `class_arcs` one by one: a constraint by legality, a
    criterion by its levels' costs. A mask has shape (arcs,). Criteria without levels
    are left out.
    """
    state, coarse_count, constraints = (
        problem.state,
        problem.coarse,
        problem.constraints,
    )
    rule_differences = [
        (rule.kind, rule.legal(state, arcs) != rule.legal(state, class_arcs))
        for rule in constraints
    ]
    criteria, labels_of_criteria = (
        problem.criteria[:coarse_count],
        problem.labels[:coarse_count],
    )
    for rule, labels in zip(criteria, labels_of_criteria, strict=True):
        if labels:
            arc_costs = rule.values(state, arcs, labels)
            class_arc_costs = rule.values(state, class_arcs, labels)
            rule_differences.append(
                (rule.kind, (arc_costs != class_arc_costs).any(axis=1))
            )
    return rule_differences


def _format_arc(problem: Problem, arcs: Arcs, k: int) -> str:
    """Return arc k as text, for example "Ann - Ben" or "bye of Ann"."""
    players_of_arc = (arcs.first[k], arcs.second[k])
    shown_names = problem.state.shown
    return pair_text(
        *(
            escape_hidden(shown_names[player])
            for player in players_of_arc
            if player != BYE
        )
    )
