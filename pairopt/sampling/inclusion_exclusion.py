"""Count pairings without forbidden pairs by inclusion and exclusion.

If no two players had met, many players would be exchangeable, and pairings easy to
count. The pairings that avoid all forbidden pairs are a sum over all sets of disjoint
forbidden pairs: (-1) to the number of pairs in the set, times the number of pairings of
the other players. (If only one of the two ways round of a pair is forbidden, each
factor is minus the number of missing ways.) Only the number of players that a set takes
from each group matters. So the sets are added up by these numbers, one connected
component of the forbidden pairs after the other.

Groups of exchangeable players are completed in their order. A state is what the
equations have received so far, and two numbers for each later group: its players in
forbidden pairs (taken), and its players with opponents in earlier groups (met). Which
players these are is decided when the group's turn comes: in (n - taken)! / (n - taken -
met)! ways.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import comb, factorial, perm
from operator import add
from typing import Any

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.odd_sets import component_of
from pairopt.event.arcs import IntArray
from pairopt.sampling.optimal_pairings import PairingComponent
from pairopt.sampling.state_table import GroupMatch, StateLayout

MOST_STATES = 2_000_000  # states in memory at a time: half a gigabyte
Signed = dict[int, int]
"""A signed number for each state, or for each increment of a state."""
_Sum = tuple[tuple[int, int], ...]
"""The items of a `Signed`, sorted."""
_GroupedSum = tuple[int, _Sum]
"""The first group that sets of forbidden pairs touch, and the signed sum of the sets."""
Forbidden = dict[int, dict[int, tuple[int, int]]]
"""For each player the other ends of forbidden pairs, with the increment of the state and the
factor of each pair."""


@dataclass(frozen=True)
class _StateFields:
    """The positions of a state's numbers in one integer.

    `taken` and `met` are the lowest bits of each group's two numbers, whose width
    `masks` have; `sums` are those of the equations, which have these `totals`. If an
    equation exceeds its total, adding `room` to the state sets a bit of `guards`.
    """

    taken: tuple[int, ...]
    met: tuple[int, ...]
    masks: tuple[int, ...]
    sums: tuple[int, ...]
    totals: tuple[int, ...]
    room: int
    guards: int

    @staticmethod
    def of(layout: StateLayout, totals: tuple[int, ...]) -> "_StateFields":
        """Return the fields of a state for the groups of a layout and for equations.

        `totals` has the total of each equation. A group's two fields can each hold all
        players of the group. An equation's field can hold twice its total, plus the
        guard bit that `room` sets.
        """
        group_bits = [
            len(group_members).bit_length() + 1 for group_members in layout.groups
        ]
        group_widths = [2 * bit_width for bit_width in group_bits]
        total_widths = [equation_total.bit_length() + 1 for equation_total in totals]
        field_offsets = tuple(accumulate([*group_widths, *total_widths], initial=0))
        taken_offsets, sum_offsets = (
            field_offsets[: len(group_bits)],
            field_offsets[len(group_bits) : -1],
        )
        met_offsets = tuple(map(add, taken_offsets, group_bits))
        group_masks = tuple((1 << bit_width) - 1 for bit_width in group_bits)
        guard_bits, exclusive_limits = [], []
        for field_offset, equation_total in zip(sum_offsets, totals, strict=True):
            guard_bits.append(1 << field_offset + equation_total.bit_length())
            exclusive_limits.append((equation_total + 1) << field_offset)
        guard_room = sum(guard_bits) - sum(exclusive_limits)
        return _StateFields(
            taken_offsets,
            met_offsets,
            group_masks,
            sum_offsets,
            totals,
            guard_room,
            sum(guard_bits),
        )

    def equation_increment(self, costs: list[int]) -> int | None:
        """Return what a match adds to a state for the equations.

        `costs` holds the match's cost in each equation. None if one exceeds its total.
        """
        if any(
            equation_cost > equation_total
            for equation_cost, equation_total in zip(costs, self.totals, strict=True)
        ):
            return None
        return sum(
            equation_cost << field_offset
            for equation_cost, field_offset in zip(costs, self.sums, strict=True)
        )

    def fits_totals(self, state: int) -> bool:
        """Return whether no equation of a state exceeds its total.

        An equation may have received at most twice its total; more does not fit.
        """
        return not state + self.room & self.guards


class TooManyStepsError(Exception):
    """Raised by a count that would take more steps or memory than is allowed."""


class StepLimit:
    """A limit of the steps and the time of a count, and of the states in memory.

    `left` are the steps that may still be taken; `take` makes them fewer.
    """

    def __init__(self, left: int, budget: Budget) -> None:
        self.left, self.budget = left, budget

    def take(self, steps: int, states: int = 0) -> None:
        """Subtract steps from those that are left, and check the time.

        `states` is the number of states that are in memory now. Raises TimeUpError, or
        TooManyStepsError if too few steps are left or there are too many states.
        """
        self.budget.check()
        self.left -= steps
        if self.left < 0 or states > MOST_STATES:
            raise TooManyStepsError


def count_by_inclusion_exclusion(
    component: PairingComponent,
    relaxed: StateLayout,
    most_steps: int,
    budget: Budget = Budget(),
) -> int | None:
    """Return the component's number of pairings, sides included.

    `relaxed` is the layout of the relaxed component. Returns None if the count takes
    more than `most_steps` or too much memory. Raises TimeUpError.
    """
    try:
        return count_within_steps(component, relaxed, StepLimit(most_steps, budget))
    except TooManyStepsError:
        return None


def count_within_steps(
    component: PairingComponent, relaxed: StateLayout, steps: StepLimit
) -> int:
    """Return the component's number of pairings, sides included.

    `relaxed` is the layout of the relaxed component. The count subtracts its steps from
    the limit `steps`. Raises TooManyStepsError if too few are left, and TimeUpError.
    """
    inclusion_exclusion = _InclusionExclusion(component, relaxed, steps)
    part_sums = [
        inclusion_exclusion.sum_sets(connected_part)
        for connected_part in _connected_components(
            inclusion_exclusion.forbidden_pairs()
        )
    ]
    return inclusion_exclusion.sum_pairings(0, part_sums)


def pairs_by_forbidden(
    component: PairingComponent,
    relaxed: StateLayout,
    most_steps: int,
    budget: Budget = Budget(),
) -> IntArray | None:
    """Count the component's pairings that contain each pair, as a matrix.

    It has shape (k, k) and Python's integers of any size, 0 for a pair that is in none;
    sides are counted, too. `relaxed` is the layout of the relaxed component. Each pair
    is forced in turn; the rest is counted once for all pairs that leave the same rest.
    Returns None if it takes more than `most_steps` or too much memory. Raises
    TimeUpError.
    """
    inclusion_exclusion = _InclusionExclusion(
        component, relaxed, StepLimit(most_steps, budget)
    )
    state_fields, group_of_player = (
        inclusion_exclusion.fields,
        inclusion_exclusion.group,
    )
    pair_counts = np.zeros(component.code.shape, object)
    count_by_rest_key: dict[tuple[int, tuple[_GroupedSum, ...]], int] = {}
    try:
        connected_parts = _connected_components(inclusion_exclusion.forbidden_pairs())
        part_sums = [
            inclusion_exclusion.sum_sets(connected_part)
            for connected_part in connected_parts
        ]
        part_of_player = {
            player_position: part_position
            for part_position, connected_part in enumerate(connected_parts)
            for player_position in connected_part
        }
        # the sums of a part without some players
        sums_without_players: dict[tuple[int, frozenset[int]], list[_GroupedSum]] = {}
        for first_player, second_player in np.argwhere(
            np.triu(component.code)
        ).tolist():
            pair_kind = component.code[first_player, second_player]
            equation_increment = state_fields.equation_increment(
                component.cost[pair_kind].tolist()
            )
            if equation_increment is None:
                continue
            touched_parts = {
                part_of_player[player_position]
                for player_position in (first_player, second_player)
                if player_position in part_of_player
            }
            remaining_sums = [
                part_sum
                for part_position, part_sum in enumerate(part_sums)
                if part_position not in touched_parts
            ]
            for part_position in touched_parts:
                removed_players = frozenset(
                    {first_player, second_player}
                    & connected_parts[part_position].keys()
                )
                if (part_position, removed_players) not in sums_without_players:
                    reduced_parts = _connected_components(
                        _without_players(
                            connected_parts[part_position], removed_players
                        )
                    )
                    sums_without_players[part_position, removed_players] = [
                        *map(inclusion_exclusion.sum_sets, reduced_parts)
                    ]
                remaining_sums += sums_without_players[part_position, removed_players]
            start_state = (
                equation_increment
                + (1 << state_fields.taken[group_of_player[first_player]])
                + (1 << state_fields.taken[group_of_player[second_player]])
            )
            rest_key = start_state, tuple(sorted(remaining_sums))
            if rest_key not in count_by_rest_key:
                count_by_rest_key[rest_key] = inclusion_exclusion.sum_pairings(
                    start_state, remaining_sums
                )
            pair_count = count_by_rest_key[rest_key] * int(component.ways[pair_kind])
            pair_counts[first_player, second_player] = pair_counts[
                second_player, first_player
            ] = pair_count
    except TooManyStepsError:
        return None
    return pair_counts


class _InclusionExclusion:
    """A count of a component's pairings by inclusion and exclusion.

    `fields` says where a state has its numbers, `group` is the group of each player,
    and `steps` is the limit that the count shares with others. See the module for the
    method. `sum_pairings` gives the signed sum of pairings.
    """

    def __init__(
        self, component: PairingComponent, layout: StateLayout, steps: StepLimit
    ) -> None:
        """Prepare the count of a component, in the groups of its relaxed layout."""
        self.component, self.layout, self.steps = component, layout, steps
        self.fields = _StateFields.of(layout, component.totals)
        self.group = {
            player_position: group_position
            for group_position, group_members in enumerate(layout.groups)
            for player_position in group_members
        }

    def sum_pairings(self, start: int, sets: Sequence[_GroupedSum]) -> int:
        """Return the signed sum of pairings over the sets of forbidden pairs.

        It is the number of pairings without a forbidden pair if all sets are given.
        `start` is the first state, in which some players may be taken. `sets` holds,
        for each connected part of the forbidden pairs, the first group that it touches
        and the signed sum of its sets. Takes steps, and may raise TooManyStepsError and
        TimeUpError.
        """
        sums_of_group: dict[int, list[_Sum]] = defaultdict(list)
        for group_index, part_sum in sets:
            sums_of_group[group_index].append(part_sum)
        signed_states: Signed = {start: 1}
        for group_index in range(len(self.layout.groups)):
            signed_states = self._multiply_sums(
                signed_states, self._multiply_all_sums(sums_of_group[group_index])
            )
            signed_states = self._complete_group(group_index, signed_states)
        final_state = self.fields.equation_increment(list(self.fields.totals)) or 0
        return signed_states.get(final_state, 0)

    def _complete_group(self, group: int, states: Signed) -> Signed:
        """Give every player of a group an opponent; return the states after that.

        `states`, and the result, map each state to a signed number of pairings. All
        groups before this one are complete. First the players who are taken or met
        already are set apart; then opponents are chosen from one group after another.
        """
        component_layout, state_fields = self.layout, self.fields
        group_mask, group_size = (
            state_fields.masks[group],
            len(component_layout.groups[group]),
        )
        taken_offset, met_offset = state_fields.taken[group], state_fields.met[group]
        # for a state without this group, and its players without opponents
        signed_counts = defaultdict[tuple[int, int], int](int)
        for packed_state, signed_count in states.items():
            taken_count, met_count = (
                packed_state >> taken_offset & group_mask,
                packed_state >> met_offset & group_mask,
            )
            if taken_count + met_count <= group_size:
                other_groups = (
                    packed_state
                    - (taken_count << taken_offset)
                    - (met_count << met_offset)
                )
                signed_counts[other_groups, group_size - taken_count - met_count] += (
                    signed_count * perm(group_size - taken_count, met_count)
                )
        group_options = [
            (self._max_matches(group, group_match), group_match)
            for group_match in component_layout.options(group)
        ]
        group_options.sort(key=lambda reach_and_option: reach_and_option[0])
        for option_position, (most_matches, group_match) in enumerate(group_options):
            # the last option takes all players that remain
            is_last = option_position == len(group_options) - 1
            signed_counts = self._choose_opponents(
                group, group_match, most_matches, is_last, signed_counts
            )
        return {
            packed_state: signed_count
            for (packed_state, unmatched_count), signed_count in signed_counts.items()
            if signed_count and not unmatched_count
        }

    def _choose_opponents(
        self,
        group: int,
        option: GroupMatch,
        reach: int,
        is_last: bool,
        numbers: defaultdict[tuple[int, int], int],
    ) -> defaultdict[tuple[int, int], int]:
        """Let some players of a group meet players of one other group, or each other.

        `numbers` and the result have a signed number for each state and number of
        players of the group without opponents. At most `reach` matches of the option
        are possible; if it is the last one, all players that remain have to meet by it.
        """
        component, component_layout, state_fields = (
            self.component,
            self.layout,
            self.fields,
        )
        group_members, partner_group = (
            component_layout.groups[group],
            component_layout.groups[option.partner],
        )
        pair_kind = component.relaxed[group_members[0], partner_group[-1]]
        cost_increment = (
            state_fields.equation_increment(component.cost[pair_kind].tolist()) or 0
        )
        partner_offset, partner_mask = (
            state_fields.met[option.partner],
            state_fields.masks[option.partner],
        )
        players_per_match = 2 if option.inside else 1
        if not option.inside:
            cost_increment += 1 << partner_offset
        next_counts = defaultdict[tuple[int, int], int](int)
        for (packed_state, unmatched_count), signed_count in numbers.items():
            # an odd player is left over, and the state dropped
            fewest_matches = unmatched_count // players_per_match if is_last else 0
            free_partner_count = len(partner_group) - (
                packed_state >> partner_offset & partner_mask
            )
            most_matches = min(
                reach, unmatched_count // players_per_match, free_partner_count
            )
            if most_matches < fewest_matches:
                continue
            self.steps.take(most_matches - fewest_matches + 1, len(next_counts))
            ways_by_matches = _count_ways(
                unmatched_count, most_matches, players_per_match, option.ways
            )
            for match_count in range(fewest_matches, most_matches + 1):
                new_state = packed_state + match_count * cost_increment
                if not state_fields.fits_totals(new_state):
                    break
                new_unmatched_count = unmatched_count - players_per_match * match_count
                next_counts[new_state, new_unmatched_count] += (
                    signed_count * ways_by_matches[match_count]
                )
        return next_counts

    def _max_matches(self, group: int, option: GroupMatch) -> int:
        """Return the most matches of a group with one other group, or within itself.

        `group` is an index, and `option` says which other group. The number is limited
        by the sizes of the groups and by the totals of the equations.
        """
        group_members = self.layout.groups[group]
        partner_group = self.layout.groups[option.partner]
        pair_kind = self.component.relaxed[group_members[0], partner_group[-1]]
        costs_of_kind: list[int] = self.component.cost[pair_kind].tolist()
        most_by_groups = min(len(group_members), len(partner_group))
        if option.inside:
            most_by_groups = len(group_members) // 2
        most_by_equations = [
            equation_total // equation_cost
            for equation_cost, equation_total in zip(
                costs_of_kind, self.fields.totals, strict=True
            )
            if equation_cost
        ]
        return min([most_by_groups, *most_by_equations])

    def forbidden_pairs(self) -> Forbidden:
        """Return the forbidden pairs as a graph.

        It maps each player to the other ends of their pairs, and each of these to two
        integers: what the pair adds to a state, and its factor, minus the number of its
        missing ways. A pair is there from both its ends. Pairs that exceed an
        equation's total are left out.
        """
        component, taken_offsets = self.component, self.fields.taken
        pairs_by_player = defaultdict[int, Any](dict)
        for first_player, second_player in np.argwhere(
            np.triu(component.missing)
        ).tolist():
            equation_increment = self.fields.equation_increment(
                component.cost[component.relaxed[first_player, second_player]].tolist()
            )
            if equation_increment is not None:
                first_taken, second_taken = (
                    1 << taken_offsets[self.group[first_player]],
                    1 << taken_offsets[self.group[second_player]],
                )
                increment_and_factor = (
                    equation_increment + first_taken + second_taken,
                    -int(component.missing[first_player, second_player]),
                )
                pairs_by_player[first_player][second_player] = pairs_by_player[
                    second_player
                ][first_player] = increment_and_factor
        return pairs_by_player

    def sum_sets(self, part: Forbidden) -> _GroupedSum:
        """Return the signed sum over all sets of disjoint forbidden pairs of one part.

        `part` is a connected component of the graph of forbidden pairs. The result is
        the first group with a player in it, and the items of the sum, sorted: for each
        increment of the state the sum of the products of the pairs' factors.
        """
        first_group = min(self.group[player_position] for player_position in part)
        return first_group, tuple(sorted(self._sum_matchings(part).items()))

    def _sum_matchings(self, near: Forbidden) -> Signed:
        """Return the signed sum over all matchings of forbidden pairs of a part.

        `near` is the part, a connected graph. A matching contributes the product of its
        pairs' factors to the sum of their increments; the empty one contributes 1.
        Matchings that exceed an equation's total are left out. The sum is computed
        player by player.
        """
        player_order = _elimination_order(near)
        bit_of_player = {
            player_position: 1 << order_position
            for order_position, player_position in enumerate(player_order)
        }
        # for the players that are already in a pair, and a state
        signed_states: dict[tuple[int, int], int] = {(0, 0): 1}
        for player_position in player_order:
            player_bit, next_states = (
                bit_of_player[player_position],
                Counter[tuple[int, int]](),
            )
            later_pairs = [
                (bit_of_player[opponent_position], *increment_and_factor)
                for opponent_position, increment_and_factor in near[
                    player_position
                ].items()
                if bit_of_player[opponent_position] > player_bit
            ]
            for (matched_bits, packed_state), signed_count in signed_states.items():
                next_states[matched_bits & ~player_bit, packed_state] += signed_count
                if matched_bits & player_bit:
                    continue
                self.steps.take(1 + len(later_pairs), len(next_states))
                for opponent_bit, cost_increment, pair_factor in later_pairs:
                    if not matched_bits & opponent_bit and self.fields.fits_totals(
                        packed_state + cost_increment
                    ):
                        next_key = (
                            matched_bits | opponent_bit,
                            packed_state + cost_increment,
                        )
                        next_states[next_key] += pair_factor * signed_count
            signed_states = next_states
        return {
            packed_state: signed_count
            for (_, packed_state), signed_count in signed_states.items()
            if signed_count
        }

    def _multiply_sums(self, factor_sum: Signed, other_sum: Signed) -> Signed:
        """Return the product of two signed sums: states are added, numbers multiplied.

        States that exceed an equation's total are left out, and so are those whose
        numbers become 0. Takes steps, and may raise TooManyStepsError.
        """
        smaller_sum, larger_sum = sorted((factor_sum, other_sum), key=len)
        product_sum = defaultdict[int, int](int)
        for state_increment, signed_factor in smaller_sum.items():
            self.steps.take(len(larger_sum), len(product_sum))
            for packed_state, signed_count in larger_sum.items():
                if self.fields.fits_totals(packed_state + state_increment):
                    product_sum[packed_state + state_increment] += (
                        signed_count * signed_factor
                    )
        return {
            packed_state: signed_count
            for packed_state, signed_count in product_sum.items()
            if signed_count
        }

    def _multiply_all_sums(self, parts: list[_Sum]) -> Signed:
        """Return the product of several signed sums.

        Each of `parts` is the sorted items of a sum: states and signed numbers. Without
        any it is {0: 1}. Equal sums are multiplied first, which stays small; the
        largest product comes last. Takes steps, and may raise TooManyStepsError.
        """
        sum_powers = []
        for signed_items, repeat_count in Counter(parts).items():
            sum_power: Signed = {0: 1}
            for _ in range(repeat_count):
                sum_power = self._multiply_sums(sum_power, dict(signed_items))
            sum_powers.append(sum_power)
        product_sum: Signed = {0: 1}
        for sum_power in sorted(sum_powers, key=len):
            product_sum = self._multiply_sums(product_sum, sum_power)
        return product_sum


@cache
def _count_ways(players: int, most: int, per_match: int, sides: int) -> list[int]:
    """Return the numbers of ways to take 0, 1, ... `most` matches from a group.

    `players` players of the group have no opponent, `per_match` is the number of them
    in one match (2 if it is inside the group), and `sides` the number of ways round of
    a match. The list is cached and must not be changed.
    """
    ways_by_matches = []
    for match_count in range(most + 1):
        way_count = comb(players, per_match * match_count) * sides**match_count
        if per_match == 2:
            way_count *= factorial(2 * match_count) // (
                factorial(match_count) << match_count
            )
        ways_by_matches.append(way_count)
    return ways_by_matches


def _without_players(near: Forbidden, removed: frozenset[int]) -> Forbidden:
    """Return a graph without the `removed` players.

    Players who have no edges then are left out, too. `near` is not changed.
    """
    remaining_graph = {}
    for player_position, pairs_of_player in near.items():
        if player_position in removed:
            continue
        remaining_pairs = {
            opponent_position: forbidden_pair
            for opponent_position, forbidden_pair in pairs_of_player.items()
            if opponent_position not in removed
        }
        if remaining_pairs:
            remaining_graph[player_position] = remaining_pairs
    return remaining_graph


def _connected_components(near: Forbidden) -> list[Forbidden]:
    """Return the connected components of a graph of forbidden pairs.

    `near` maps each player to the other ends of their pairs. Each component is a graph
    of the same form. They are in the order of their least players.
    """
    sorted_players, part_by_label = sorted(near), defaultdict[int, Forbidden](dict)
    edge_list = [
        (player_position, opponent_position)
        for player_position in sorted_players
        for opponent_position in near[player_position]
    ]
    edges = np.array(edge_list, np.int64).reshape(-1, 2)
    first_indices, second_indices = np.searchsorted(sorted_players, edges.T)
    part_labels = component_of(
        len(sorted_players), first_indices, second_indices
    ).tolist()
    for player_position, part_label in zip(sorted_players, part_labels, strict=True):
        part_by_label[part_label][player_position] = near[player_position]
    return [*part_by_label.values()]


def _elimination_order(near: Forbidden) -> list[int]:
    """Return the players of a connected part in an order in which few are open.

    `near` has each player's forbidden pairs. An open player can have an edge to a
    player who comes before. Players with edges to more than half of the part come last;
    those with edges only to these come first.
    """
    hub_players = [
        player_position
        for player_position, pairs_of_player in near.items()
        if 2 * len(pairs_of_player) > len(near)
    ]
    graph_without_hubs = _without_players(near, frozenset(hub_players))
    hub_set = set(hub_players)
    isolated_players = [
        player_position
        for player_position in near
        if player_position not in graph_without_hubs and player_position not in hub_set
    ]
    inner_players = [
        player_position
        for connected_part in _connected_components(graph_without_hubs)
        for player_position in _frontier_order(connected_part)
    ]
    return [*isolated_players, *inner_players, *hub_players]


def _frontier_order(near: Forbidden) -> list[int]:
    """Return the players of a connected part in the order of a search through it.

    `near` maps each player to the other ends of their pairs. The first has the fewest
    edges. Each next one is a neighbour of the players before who brings the fewest new
    neighbours; of equal ones the least comes first.
    """
    first_player = min(near, key=lambda player: (len(near[player]), player))
    player_order, visited_players, frontier = [first_player], set[int](), set[int]()
    while True:
        visited_players.add(player_order[-1])
        frontier = (frontier | near[player_order[-1]].keys()) - visited_players
        if not frontier:
            return player_order
        opened_counts = {
            player: len(near[player].keys() - frontier - visited_players)
            for player in frontier
        }
        player_order.append(
            min(frontier, key=lambda player: (opened_counts[player], player))
        )
