"""Count and draw the optimal pairings of a component exactly, by dynamic programming.

Players with the same row of the component's matrix are twins: exchangeable, so only the
number of them that are left matters. Groups of twins are taken in an order in which few
are open at a time; the next player of the first group meets one of a later group (or of
the same group), in as many ways as there are players left in it. A state is what is
left of each group and of each equation. A field of one group, as in round 1, has one
state for each match: its count is a product.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from operator import lshift
from random import Random
from typing import NamedTuple

import numpy as np

from pairopt.common.budget import Budget
from pairopt.event.arcs import IntArray
from pairopt.sampling.optimal_pairings import PairingComponent

PairList = list[tuple[int, int]]
"""Pairs of positions in a component."""

DEEP = (
    1000  # players, with half as many calls, within the usual recursion limit of Python
)
FEW_STEPS = 1_500  # the most steps for a depth-first search; breadth-first takes more
BITS = 62  # states, and numbers of pairings, of fewer bits are machine integers


class GroupMatch(NamedTuple):
    """A match of the first group's next player with a player of some group.

    It takes `lost` from a state. `shift` and `mask` find the players left of the group
    `partner`, `inside` is 1 if it is the same group, and `ways` is the number of ways
    round of the match. `guards` are the bits of a state that become 0 if an equation
    exceeds its total.
    """

    lost: int
    shift: int
    mask: int
    ways: int
    inside: int
    guards: int
    partner: int

    def count_ways(self, state: int) -> int:
        """Return in how many ways the next player can have this match in a state.

        That is the number of partners left in the other group, times the ways round of
        the match. It is 0 if the match would exceed an equation's total, and may be
        negative if no partner is left.
        """
        if state - self.lost & self.guards != self.guards:
            return 0
        players_left = (state >> self.shift & self.mask) - self.inside
        return players_left * self.ways


@dataclass(frozen=True)
class StateLayout:
    """The groups in their order, and the positions of a state's numbers in one integer.

    `fields` are pairs of shift and mask: the players left of each group, the first
    group in the lowest bits, then what is left of each equation. Above each of these is
    a bit of `guards`, which becomes 0 if the equation gets too much. `start` is the
    state of the whole component, and `code`, shape (k, k), are the kinds of its pairs.
    `options` gives the matches of a group's next player.
    """

    groups: tuple[tuple[int, ...], ...]
    fields: tuple[tuple[int, int], ...]
    start: int
    guards: int
    component: PairingComponent
    code: IntArray

    @cached_property
    def last_players(self) -> IntArray:
        """The last player of each group, as its position in the component.

        The shape is (groups,).
        """
        return np.array([group_members[-1] for group_members in self.groups], np.int64)

    @cached_property
    def options_of_group(self) -> dict[int, tuple[GroupMatch, ...]]:
        """The cached matches that the next player of each group can have, by group.

        It is empty at first; `options` fills in a group when its matches are first
        needed.
        """
        return {}

    @cached_property
    def group_of_bit(self) -> list[int]:
        """The group that each bit of a state belongs to.

        Entry 1 is for the lowest bit, and entry 0 is unused. Bits of equations have the
        number of groups, which stands for a state in which all groups are empty.
        """
        group_count = len(self.groups)
        group_of_bit = [0]
        for group_index, (_, group_mask) in enumerate(self.fields[:group_count]):
            group_of_bit += [group_index] * group_mask.bit_length()
        equation_bits = self.start.bit_length() - (len(group_of_bit) - 1)
        return group_of_bit + [group_count] * equation_bits

    @cached_property
    def losses_and_ways(self) -> list[tuple[int, int]]:
        """The loss and the number of ways of each kind of pair, by kind.

        The loss is the integer that a match of this kind subtracts from a state for the
        equations; it is -1 if the match exceeds a total.
        """
        component = self.component
        equation_shifts = [
            equation_shift for equation_shift, _ in self.fields[len(self.groups) :]
        ]
        equation_totals = np.array(component.totals, np.int64)
        fits_totals = np.all(component.cost <= equation_totals, axis=1)
        loss_and_ways_by_kind = []
        for kind_cost, kind_fits, kind_ways in zip(
            component.cost.tolist(),
            fits_totals.tolist(),
            component.ways.tolist(),
            strict=True,
        ):
            equation_loss = (
                sum(map(lshift, kind_cost, equation_shifts)) if kind_fits else -1
            )
            loss_and_ways_by_kind.append((equation_loss, kind_ways))
        return loss_and_ways_by_kind

    def options(self, group: int) -> tuple[GroupMatch, ...]:
        """Return the matches that the next player of a group can have.

        `group` is a position in `groups`; the number of groups has no matches. Partners
        are in the same group or a later one. Matches that exceed an equation's total
        are left out. The result is kept in `options_of_group`.
        """
        if group not in self.options_of_group:
            self.options_of_group[group] = tuple(self._list_group_matches(group))
        return self.options_of_group[group]

    def _list_group_matches(self, group: int) -> Iterator[GroupMatch]:
        """Yield the matches that a group's next player can have, without the cache.

        `group` is its index; the number of groups has no matches. Partners are in the
        same group or a later one, in the order of the groups. Matches that exceed an
        equation's total are left out.
        """
        if group == len(self.groups):
            return
        group_players = self.groups[group]
        # the kind of pair with a player of this group and of each later one
        pair_kinds = self.code[group_players[0], self.last_players[group:]].copy()
        if len(group_players) == 1:
            pair_kinds[0] = 0
        group_shift, _ = self.fields[group]
        for group_offset in pair_kinds.nonzero()[0].tolist():
            equation_loss, kind_ways = self.losses_and_ways[pair_kinds[group_offset]]
            if equation_loss < 0:
                continue
            partner_group = group + group_offset
            partner_shift, partner_mask = self.fields[partner_group]
            state_loss = equation_loss + (1 << group_shift) + (1 << partner_shift)
            is_inside = int(not group_offset)
            yield GroupMatch(
                state_loss,
                partner_shift,
                partner_mask,
                kind_ways,
                is_inside,
                self.guards,
                partner_group,
            )


@dataclass(frozen=True)
class StateTable:
    """The number of ways to complete a pairing, for each state that can be reached.

    `completions` maps a state, as an integer of the `layout`, to the number of ways to
    pair all players who are left in it, sides included. `count` is the number of
    pairings, and `draw` draws one uniformly.
    """

    layout: StateLayout
    completions: dict[int, int]

    @property
    def count(self) -> int:
        """The number of pairings of the component, sides included; 0 without any."""
        return self.completions.get(self.layout.start, 0)

    def draw(self, rng: Random, missing: IntArray | None = None) -> PairList | None:
        """Draw a pairing uniformly, as pairs of positions in the component.

        The table must have a pairing. `missing`, shape (k, k), is for the table of a
        relaxed component: the number of ways of each pair that the table counts and the
        real component lacks. A pair is rejected with the probability missing / ways,
        and the result is None then.
        """
        remaining_players = [
            list(group_members) for group_members in self.layout.groups
        ]
        current_state, group_index, drawn_pairs = self.layout.start, 0, []
        while group_index < len(remaining_players):
            field_shift, field_mask = self.layout.fields[group_index]
            if not current_state >> field_shift & field_mask:
                group_index += 1
                continue
            drawn_match = self._draw_option(current_state, group_index, rng)
            player_position = _pop_player(remaining_players[group_index], rng)
            partner_position = _pop_player(remaining_players[drawn_match.partner], rng)
            if (
                missing is not None
                and rng.randrange(drawn_match.ways)
                < missing[player_position, partner_position]
            ):
                return None
            drawn_pairs.append((player_position, partner_position))
            current_state -= drawn_match.lost
        return drawn_pairs

    def _draw_option(self, state: int, group: int, rng: Random) -> GroupMatch:
        """Draw the match of a group's next player, with the generator `rng`.

        The probability of a match is the share of the state's pairings that contain it.
        The state must have a pairing.
        """
        completion_rank = rng.randrange(self.completions[state])
        for possible_match in self.layout.options(group):
            match_ways = possible_match.count_ways(state)
            if match_ways > 0:
                completion_rank -= match_ways * self.completions.get(
                    state - possible_match.lost, 0
                )
                if completion_rank < 0:
                    return possible_match
        raise AssertionError("completions add up")


def _pop_player(members: list[int], rng: Random) -> int:
    """Remove a random player from the list `members`, and return the player.

    The last player of the list moves to the free place, so the order changes.
    """
    player_position = rng.randrange(len(members))
    members[player_position], members[-1] = members[-1], members[player_position]
    return members.pop()


def state_layout(
    component: PairingComponent, code: IntArray, budget: Budget = Budget()
) -> StateLayout:
    """Return the groups of twins, and how a state is packed into one integer.

    `code`, shape (k, k), is the kind of each pair: the component's own `code`, or its
    `relaxed` one. Raises TimeUpError.
    """
    ordered_groups = order_groups(group_twins(code), code, budget)
    shifts_and_masks, start_state, guards, bit_offset = [], 0, 0, 0
    field_maxima = [
        int(field_maximum)
        for field_maximum in (*map(len, ordered_groups), *component.totals)
    ]
    for field_position, field_maximum in enumerate(field_maxima):
        bit_count = field_maximum.bit_length()
        shifts_and_masks.append((bit_offset, (1 << bit_count) - 1))
        start_state |= field_maximum << bit_offset
        bit_offset += bit_count
        if field_position >= len(ordered_groups):
            guards |= 1 << bit_offset
            bit_offset += 1
    group_tuples = tuple(map(tuple, ordered_groups))
    return StateLayout(
        group_tuples,
        tuple(shifts_and_masks),
        start_state | guards,
        guards,
        component,
        code,
    )


def state_table(
    layout: StateLayout, most_steps: int, budget: Budget
) -> StateTable | None:
    """Count the completions of every state of a layout.

    A step is one match that one state allows. Returns None if the table takes more than
    `most_steps`. Raises TimeUpError.
    """
    is_narrow = layout.start.bit_length() < BITS
    depth_steps = min(most_steps, FEW_STEPS) if is_narrow else most_steps
    completions = _count_depth_first(layout, depth_steps, budget)
    if completions is None and is_narrow and most_steps > FEW_STEPS:
        completions = _count_breadth_first(layout, most_steps, budget)
    return None if completions is None else StateTable(layout, completions)


def _count_depth_first(
    layout: StateLayout, most_steps: int, budget: Budget
) -> dict[int, int] | None:
    """Return the completions of each state that can be reached, by recursion.

    A completion is a way to pair all players who are left in the state. This is quick
    for few states. Returns None if it takes more than `most_steps`. Raises TimeUpError.
    Python's recursion limit is raised for a large component, and stays so.
    """
    guards, group_of_bit, options_of_group = (
        layout.guards,
        layout.group_of_bit,
        layout.options_of_group,
    )
    completions, steps = {guards: 1}, most_steps
    has_deadline = budget.deadline is not None

    def count(state: int) -> int:
        """Return a state's completions by recursion; enter them in `completions`.

        Raises _TooManyStepsError when no steps are left, and TimeUpError.
        """
        nonlocal steps
        if has_deadline:
            budget.check()
        group_index = group_of_bit[(state & -state).bit_length()]
        if group_index in options_of_group:
            group_options = options_of_group[group_index]
        else:
            group_options = layout.options(group_index)
        steps -= len(group_options)
        if steps < 0:
            raise _TooManyStepsError
        state_completions = 0
        for (
            state_loss,
            field_shift,
            field_mask,
            match_ways,
            is_inside,
            _,
            _,
        ) in group_options:
            players_left = (state >> field_shift & field_mask) - is_inside
            next_state = state - state_loss
            if players_left > 0 and next_state & guards == guards:
                next_completions = completions.get(next_state)
                if next_completions is None:
                    next_completions = count(next_state)
                state_completions += players_left * match_ways * next_completions
        completions[state] = state_completions
        return state_completions

    # the recursion has one call for each match
    if len(layout.component) > DEEP:
        recursion_limit = max(sys.getrecursionlimit(), len(layout.component))
        sys.setrecursionlimit(recursion_limit)
    with suppress(_TooManyStepsError):
        count(layout.start)
        return completions
    return None


def _count_breadth_first(
    layout: StateLayout, most_steps: int, budget: Budget
) -> dict[int, int] | None:
    """Return the completions of each state that can be reached, match by match.

    A completion is a way to pair all players who are left in the state. All states
    after the same number of matches are one array. The bits of a state must fit a
    machine integer. Returns None if it takes more than `most_steps`. Raises
    TimeUpError.
    """
    level_states, group_of_bit = np.array([layout.start]), np.array(layout.group_of_bit)
    steps_left, group_count = most_steps, len(layout.groups)
    # for each number of matches: states, and transitions as row, number, position of next state
    levels_of_states = list[tuple[IntArray, IntArray, IntArray, IntArray]]()
    while len(level_states):
        budget.check()
        lowest_bit = np.frexp((level_states & -level_states).astype(float))[1]
        group_of_state = group_of_bit[lowest_bit]
        # these are complete
        group_of_state[level_states == layout.guards] = group_count
        transitions_by_group = []
        for group_index in np.unique(group_of_state).tolist():
            state_positions = (group_of_state == group_index).nonzero()[0]
            group_options = layout.options(group_index)
            steps_left -= len(state_positions) * len(group_options)
            if steps_left < 0:
                return None
            transitions_by_group.append(
                _list_transitions(layout, level_states, state_positions, group_options)
            )
        source_rows, transition_ways, reached_states = map(
            np.concatenate, zip(*transitions_by_group, strict=True)
        )
        next_states, next_rows = np.unique(reached_states, return_inverse=True)
        levels_of_states.append((level_states, source_rows, transition_ways, next_rows))
        level_states = next_states
    return _sum_completions(layout, levels_of_states)


def _list_transitions(
    layout: StateLayout,
    states: IntArray,
    places: IntArray,
    options: Sequence[GroupMatch],
) -> tuple[IntArray, IntArray, IntArray]:
    """Return all next states of some states of a layout, after one more match.

    `places` are the positions of these states in the array `states`; the next player of
    each has the same `options`, the possible matches. The result is three arrays, with
    an entry for each transition: the position of the state, the number of ways, and the
    next state.
    """
    option_columns = np.array(options, np.int64).reshape(-1, len(GroupMatch._fields)).T
    state_loss, field_shift, field_mask, match_ways, is_inside = option_columns[:5]
    # shape (places, options)
    source_states = states[places, None]
    players_left, next_states = (
        (source_states >> field_shift & field_mask) - is_inside,
        source_states - state_loss,
    )
    is_possible = (players_left > 0) & (next_states & layout.guards == layout.guards)
    source_rows = places[is_possible.nonzero()[0]]
    return (
        source_rows,
        (players_left * match_ways)[is_possible],
        next_states[is_possible],
    )


def _sum_completions(
    layout: StateLayout, levels: list[tuple[IntArray, IntArray, IntArray, IntArray]]
) -> dict[int, int]:
    """Return the completions of each state of a layout, from the transitions by level.

    A completion is a way to pair all players who are left. A level is all states after
    the same number of matches: the states, and for each transition the row of its
    state, its number of ways, and the row of its next state in the following level.
    """
    completions = dict[int, int]()
    next_totals, next_estimates = np.zeros(0, np.int64), np.zeros(0)
    for level_states, source_rows, transition_ways, next_rows in reversed(levels):
        is_final_state = level_states == layout.guards
        # in floating point, to see whether machine integers hold the totals
        float_totals = np.bincount(
            source_rows, transition_ways * next_estimates[next_rows], len(level_states)
        )
        float_totals = is_final_state + float_totals
        dtype = np.int64 if float_totals.max() < 2**BITS else object
        state_totals = is_final_state.astype(dtype)
        np.add.at(
            state_totals,
            source_rows,
            transition_ways * next_totals[next_rows].astype(dtype),
        )
        completions.update(
            zip(level_states.tolist(), state_totals.tolist(), strict=True)
        )
        next_totals, next_estimates = state_totals, float_totals
    return completions


class _TooManyStepsError(Exception):
    """Raised inside a recursion if a table would take too many steps."""


def own_table(
    component: PairingComponent, budget: Budget, *most: int
) -> StateTable | None:
    """Return the state table of a component itself, not of its relaxed form.

    The limits of steps in `most` are tried in their order. Returns None if no limit
    suffices. Raises TimeUpError.
    """
    component_layout = state_layout(component, component.code, budget)
    for most_steps in most:
        component_table = state_table(component_layout, most_steps, budget)
        if component_table is not None:
            return component_table
    return None


def group_twins(code: IntArray) -> list[list[int]]:
    """Group players by equal rows of the matrix, apart from their own pair.

    `code`, shape (k, k), is the kind of each pair; its diagonal does not matter, and it
    is not changed. Groups of two or more come first; then each player without a twin is
    a group of one.
    """
    most_kind = int(code.max(initial=0))
    code = code.astype(np.min_scalar_type(most_kind), "C")
    ungrouped_players, twin_groups = [*range(len(code))], list[list[int]]()
    bytes_per_row = code.itemsize * len(code)
    # the kind of pair that two twins would be goes on the diagonal
    for twin_kind in range(most_kind + 1):
        code.ravel()[:: len(code) + 1] = twin_kind
        matrix_bytes, players_by_row_bytes = (
            code.tobytes(),
            defaultdict[bytes, list[int]](list),
        )
        for player_position in ungrouped_players:
            row_bytes = matrix_bytes[
                player_position * bytes_per_row : player_position * bytes_per_row
                + bytes_per_row
            ]
            players_by_row_bytes[row_bytes].append(player_position)
        player_groups = players_by_row_bytes.values()
        twin_groups += [
            row_players for row_players in player_groups if len(row_players) > 1
        ]
        ungrouped_players = [
            row_players[0] for row_players in player_groups if len(row_players) == 1
        ]
    return twin_groups + [[player_position] for player_position in ungrouped_players]


def order_groups(
    groups: Sequence[list[int]], code: IntArray, budget: Budget
) -> list[list[int]]:
    """Return the groups in an order in which few are open at a time.

    `groups` are lists of positions in the component, and `code`, shape (k, k), is the
    kind of each pair, 0 for none. An open group can meet a group that comes before it.
    The next group is an open one (if no group is open, any) that opens the fewest
    others. Raises TimeUpError.
    """
    representative_players = [group_members[0] for group_members in groups]
    can_meet = code[np.ix_(representative_players, representative_players)] > 0
    packed_rows = np.packbits(can_meet, axis=1, bitorder="little")
    # sets of groups are bits of integers
    neighbour_masks = [
        int.from_bytes(packed_row.tobytes(), "little") & ~(1 << group)
        for group, packed_row in enumerate(packed_rows)
    ]
    neighbour_counts = [
        neighbour_mask.bit_count() for neighbour_mask in neighbour_masks
    ]
    group_order, unordered_groups, unopened_mask = (
        list[int](),
        {*range(len(groups))},
        (1 << len(groups)) - 1,
    )
    while unordered_groups:
        budget.check()
        open_groups = [
            group for group in unordered_groups if not unopened_mask >> group & 1
        ]
        group = min(
            open_groups or unordered_groups,
            key=lambda group: (
                (neighbour_masks[group] & unopened_mask).bit_count(),
                neighbour_counts[group],
                group,
            ),
        )
        group_order.append(group)
        unordered_groups.remove(group)
        unopened_mask &= ~(neighbour_masks[group] | 1 << group)
    return [groups[group] for group in group_order]
