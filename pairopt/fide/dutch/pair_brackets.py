"""Pair the brackets from the top: the best quality of each, then its first candidate."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pairopt.common.budget import TimeUpError
from pairopt.engines.base import EngineOptions, LevelMinimizer, Solution, Status
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of
from pairopt.event.fide_attributes import FideAttributes
from pairopt.fide.dutch.bracket_pairs import (
    BracketPairs,
    RankPairs,
    fits_values,
    is_member,
)
from pairopt.fide.dutch.bracket_system import BracketSystem, PairedBracket
from pairopt.fide.dutch.candidate_order import find_perfect_candidate
from pairopt.fide.dutch.completion import CompletionField, build_completion_field
from pairopt.fide.dutch.criteria import compute_bracket_costs
from pairopt.fide.dutch.first_candidate import is_first, is_first_of_all
from pairopt.fide.dutch.small_brackets import MOST_PAIRS, find_first_pairing
from pairopt.problem.problem import Problem
from pairopt.problem.system import SystemAgreement
from pairopt.rules.constraints.preferences import has_first_side


class ProvenBracket(NamedTuple):
    """The pairs of a bracket and the optimal values of its quality levels.

    `pairs` are the upper and the lower ranks, and `values` has one entry for each
    quality level. `is_first` says whether the pairs are proven to be the first
    candidate of that quality.
    """

    pairs: RankPairs
    values: list[int]
    is_first: bool


class BracketwiseSystem(BracketSystem):
    """A pairing system that decides the bye, then pairs one bracket after the other.

    Brackets come from the highest score group down. A subclass says how the bye is
    decided, and by its `bracket_class` how a bracket's first candidate is found.
    """

    @abstractmethod
    def with_allocated_bye(self, field: CompletionField) -> CompletionField | None:
        """Decide the bye of an odd field; return the field with the bye's score group.

        `field` has the players and who may have the bye. A system may also take the
        player with the bye out of the returned field. Returns None if nobody can have
        the bye such that all others can be paired. Raises TimeUpError.
        """

    def with_bye(self, field: CompletionField) -> CompletionField | None:
        """Return the field with the bye decided, None if not all players can be paired.

        An even field has no bye and stays as it is. Raises TimeUpError.
        """
        if field.ranking.is_odd:
            return self.with_allocated_bye(field)
        all_ranks = np.arange(len(field.ranking))
        if field.has_complete_pairing(all_ranks, False):
            return field
        return None

    def solve(
        self, problem: Problem, options: EngineOptions, settle: LevelMinimizer
    ) -> Solution:
        """Pair the round bracket by bracket; `settle` minimises a bracket's levels.

        The status is "optimal" if every bracket's pairs are proven to be the first
        candidate, otherwise "feasible"; "infeasible" if there is no complete pairing,
        and "unknown" if time runs out. Sides are those of article 5. The levels' bounds
        are their values, None for the order of candidates in a bracket without such a
        proof. Of the options only the budget matters.
        """
        try:
            completion_field = self.with_bye(
                build_completion_field(problem, self, settle, options.budget)
            )
            if completion_field is None:
                return Solution("infeasible", None, ())
            paired_arcs, proven_brackets = pair_brackets(completion_field)
        except TimeUpError:
            return Solution("unknown", None, (None,) * len(self.levels))

        # a system may pair the player with the bye in no bracket
        ranked_positions = self.ranking.player
        players_outside = ranked_positions[
            ~is_member(ranked_positions, completion_field.ranking.player)
        ]
        bye_opponents = np.full(len(players_outside), BYE)
        paired_arcs = arcs_of(
            np.append(paired_arcs.first, players_outside),
            np.append(paired_arcs.second, bye_opponents),
        )
        bracket_system, kept_level_indices, arc_indices = self.without_bye(paired_arcs)

        # a group that consists of the bye alone has no bracket: its levels stay at 0
        level_bounds = np.zeros(len(self.levels), np.object_)
        level_bounds[: len(completion_field.bye_bounds)] = completion_field.bye_bounds
        bracket_level_indices = kept_level_indices[bracket_system.bracket_starts[0] :]
        level_bounds[bracket_level_indices] = _list_bounds(
            bracket_system, paired_arcs.take(arc_indices), proven_brackets
        )

        paired_arcs = assign_sides(
            problem, paired_arcs, self.read_attributes(problem.state)
        )
        solution_status: Status = "feasible" if None in level_bounds else "optimal"
        return Solution(solution_status, paired_arcs, tuple(level_bounds.tolist()))

    def agreeing(
        self,
        problem: Problem,
        options: EngineOptions,
        settle: LevelMinimizer,
        arcs: Arcs,
        start: int | None = None,
    ) -> SystemAgreement:
        """Return how far a whole pairing agrees with the system's, whatever the sides.

        The bye is compared first, then each bracket from the top. If `start` is a
        score, the bracket of this score comes before the others. `settle` minimises a
        bracket's levels; of the options only the budget matters. Each bracket is paired
        by the system after the given pairs of those above. The comparison ends at the
        first bracket that differs: the result has the number of equal pairs so far and
        the score of this bracket. If the bye differs, or if the system has no pairing,
        the number is 0. If all brackets agree, it is the number of arcs. Raises
        TimeUpError.
        """
        completion_field = self.with_bye(
            build_completion_field(problem, self, settle, options.budget)
        )
        bracket_system, _level_indices, arc_indices = self.without_bye(arcs)
        if completion_field is None or not np.array_equal(
            bracket_system.ranking.player, completion_field.ranking.player
        ):
            return SystemAgreement(0, False)

        ranking = completion_field.ranking
        upper_ranks, lower_ranks = ranking.ranks_of(arcs.take(arc_indices))
        ranks_with_bye = upper_ranks[lower_ranks == len(ranking)]
        if (ranking.group[ranks_with_bye] != completion_field.bye_group).any():
            return SystemAgreement(0, False)

        lower_groups = ranking.group_of(lower_ranks)
        agreement_count = 0
        groups_to_compare = sorted(
            range(len(ranking.scores)),
            key=lambda group_number: ranking.scores[group_number] != start,
        )
        for score_group in groups_to_compare:
            is_pair_above, is_pair_inside = (
                lower_groups < score_group,
                lower_groups == score_group,
            )
            paired_above = np.append(
                upper_ranks[is_pair_above], lower_ranks[is_pair_above]
            )
            unpaired_ranks = np.setdiff1d(np.arange(len(ranking)), paired_above)
            # None if the pairs above do not leave a complete pairing
            proven_bracket = _pair_bracket(
                completion_field, score_group, unpaired_ranks
            )
            system_pairs_here = set[tuple[int, ...]]()
            if proven_bracket is not None:
                sorted_pairs = np.sort(np.column_stack(proven_bracket.pairs), axis=1)
                system_pairs_here = {*map(tuple, sorted_pairs.tolist())}
            given_pairs_here = {
                *zip(
                    upper_ranks[is_pair_inside].tolist(),
                    lower_ranks[is_pair_inside].tolist(),
                    strict=True,
                )
            }
            agreement_count += len(system_pairs_here & given_pairs_here)
            if proven_bracket is None or system_pairs_here != given_pairs_here:
                return SystemAgreement(
                    agreement_count, False, ranking.scores[score_group]
                )
        return SystemAgreement(len(arcs), True)


def _list_bounds(
    system: BracketSystem, arcs: Arcs, proven: list[ProvenBracket]
) -> list[int | None]:
    """Return a proven lower bound of each level of all brackets, in order.

    `proven` has what was proven of each bracket, and `arcs` are the whole pairing. If a
    bracket's pairs are not proven to be the first candidate, the levels of its order
    have the bound None. `system` has the players in brackets.
    """
    upper_ranks, lower_ranks = system.ranking.ranks_of(arcs)
    level_bounds = list[int | None]()
    for group_number, proven_bracket in enumerate(proven):
        level_bounds += proven_bracket.values
        if proven_bracket.is_first:
            level_bounds += system.compute_order_values(
                group_number, upper_ranks, lower_ranks
            )
        else:
            level_bounds += [None] * len(system.order_articles)
    return level_bounds


def assign_sides(problem: Problem, arcs: Arcs, fide: FideAttributes) -> Arcs:
    """Return the arcs with the sides that article 5 gives them.

    A match that is not legal with these sides is reversed; it must be legal the other
    way round. `fide` are the attributes of the players, by their positions in the
    state.
    """
    arcs = arcs.turned(arcs.match & ~has_first_side(fide, arcs.first, arcs.second))
    return arcs.turned(~problem.legal(arcs))


def pair_brackets(field: CompletionField) -> tuple[Arcs, list[ProvenBracket]]:
    """Pair all brackets of a field from the top; there must be a complete pairing.

    In an odd `field` the bye must be decided. Return the arcs, of which the last may be
    the bye, and what is proven of each bracket, from the top. Raises TimeUpError.
    """
    ranking = field.ranking
    unpaired_ranks = np.arange(len(ranking))
    proven_brackets = []
    upper_rank_parts, lower_rank_parts = [unpaired_ranks[:0]], [unpaired_ranks[:0]]
    for group_number in range(len(ranking.scores)):
        proven_bracket = _pair_bracket(field, group_number, unpaired_ranks)
        # every bracket leaves a complete pairing
        assert proven_bracket is not None
        proven_brackets.append(proven_bracket)
        upper_rank_parts.append(proven_bracket.pairs[0])
        lower_rank_parts.append(proven_bracket.pairs[1])
        unpaired_ranks = unpaired_ranks[
            ~is_member(unpaired_ranks, np.concatenate(proven_bracket.pairs))
        ]

    first_players = ranking.player[
        np.append(np.concatenate(upper_rank_parts), unpaired_ranks)
    ]
    opponents = ranking.player[np.concatenate(lower_rank_parts)]
    second_players = np.append(opponents, np.full(len(unpaired_ranks), BYE))
    return arcs_of(first_players, second_players), proven_brackets


def _pair_bracket(
    field: CompletionField, s: int, unpaired: IntArray
) -> ProvenBracket | None:
    """Pair the bracket of group `s`, with the best quality and the first candidate.

    `unpaired` are the ranks whom the brackets above left. Returns None if they cannot
    all be paired. Three problems are tried, from small to large: the bracket with
    anonymous seats for floaters, the bracket and the next group with seats, and all
    players below. The first two are relaxations, and exact if the players they leave
    out can be paired after them (C4, C8). `field` says who may meet. Raises
    TimeUpError.
    """
    group_of_unpaired = field.ranking.group[unpaired]
    members, ranks_below = (
        unpaired[group_of_unpaired <= s],
        unpaired[group_of_unpaired > s],
    )
    is_odd = field.ranking.is_odd

    proven_bracket = _pair_perfect_bracket(field, s, members, ranks_below)
    if proven_bracket is not None and field.bye_group == s:
        return proven_bracket

    if field.bye_group > s:
        if proven_bracket is None:
            proven_bracket = _pair_relaxed_bracket(
                field, s, members, members[:0], len(ranks_below) + is_odd
            )
        if proven_bracket is not None:
            floaters = members[
                ~is_member(members, np.concatenate(proven_bracket.pairs))
            ]
            if field.is_next_group_optimal(s, floaters, ranks_below):
                quality_values = _fill_in_c8_value(
                    field, s, proven_bracket.values, len(floaters), ranks_below
                )
                return proven_bracket._replace(values=quality_values)

    if field.bye_group > s + 1:
        players_of_next_group, players_below_next = (
            unpaired[group_of_unpaired == s + 1],
            unpaired[group_of_unpaired > s + 1],
        )
        proven_bracket = _pair_relaxed_bracket(
            field,
            s,
            members,
            players_of_next_group,
            len(players_below_next) + is_odd,
            completing=players_below_next,
        )
        if proven_bracket is not None:
            return proven_bracket

    return _pair_relaxed_bracket(field, s, members, ranks_below, 0)


def _pair_perfect_bracket(
    field: CompletionField, s: int, members: IntArray, below: IntArray
) -> ProvenBracket | None:
    """Pair a bracket by its perfect candidate, if it has one.

    That is one whose pairs add to no quality criterion, found greedily. `field` says
    who may meet, `members` are the ranks in the bracket of group `s`, `below` the ranks
    below it. Returns None if there are moved-down players, if the system's brackets
    have no halves, if the bye is in this bracket although players are below, or if the
    candidate is not found.
    """
    has_moved_down = (field.ranking.group[members[:1]] < s).any()
    first_bye_group = s + (len(below) > 0)
    if not field.system.bracket_class.has_halves or has_moved_down:
        return None
    if field.bye_group < first_bye_group:
        return None

    perfect_pairs = find_perfect_candidate(field, s, members)
    if perfect_pairs is None:
        return None
    quality_values = [0] * len(field.system.quality_keys[s])
    # C6
    quality_values[0] = len(members) % 2
    return ProvenBracket(
        perfect_pairs, quality_values, is_first_of_all(field, s, members, perfect_pairs)
    )


def _fill_in_c8_value(
    field: CompletionField, s: int, values: list[int], floaters: int, below: IntArray
) -> list[int]:
    """Return a bracket's quality values with the value of C8 filled in.

    `values` are those of group `s`'s bracket; this list is changed and returned. It
    applies if the next group leaves over at most one player. `floaters` is the number
    of players who float into that group, and `below` are all ranks below the bracket.
    Without a level C8 nothing changes. `field` has the players.
    """
    criterion_of_level = [
        criterion_level.criterion for criterion_level in field.system.quality_keys[s]
    ]
    if "C8" in criterion_of_level:
        next_group_size = int((field.ranking.group[below] == s + 1).sum())
        values[criterion_of_level.index("C8")] = (floaters + next_group_size) % 2
    return values


def _pair_relaxed_bracket(
    field: CompletionField,
    s: int,
    members: IntArray,
    more_players: IntArray,
    below_count: int,
    completing: IntArray | None = None,
) -> ProvenBracket | None:
    """Pair a bracket with some players below, and seats for the `below_count` others.

    `members` are the ranks in the bracket of group `s`, and `more_players` ranks below
    it that are part of the problem. A player who floats further takes one of the
    anonymous seats. The optimal value is convex in the number of seats, so a seat that
    stays free proves that there are enough. Returns None if there is no such pairing,
    or if its floaters cannot be paired with the players `completing` (None: not
    checked). `field` says who may meet. Raises TimeUpError.
    """
    seat_count = min(below_count, 2 + (len(members) + len(more_players)) % 2)
    while True:
        block_and_values = _minimize_quality(
            field, s, members, more_players, seat_count, below_count > 0
        )
        if seat_count == below_count:
            break
        if block_and_values is not None:
            pairing_uppers = block_and_values[0].a[block_and_values[0].pairing]
            has_free_seat = (pairing_uppers > len(field.ranking)).any()
            if has_free_seat:
                break
        seat_count = min(below_count, 3 * seat_count)
    if block_and_values is None:
        return None

    block, quality_values = block_and_values
    bracket = field.system.bracket_class(field.ranking, s, field.minimize, field.budget)
    block = _without_free_seats(field, block)
    is_small = len(block) <= MOST_PAIRS
    if is_small:
        first_pairing = find_first_pairing(field.system, s, block)
        candidate = bracket.split_candidate(block, first_pairing)
    else:
        candidate = bracket.find_first_candidate(block)
    pairs_made_here, other_pairs = candidate
    if completing is not None:
        other_uppers, other_lowers = other_pairs
        floaters = other_uppers[
            (other_lowers > len(field.ranking)) & (other_uppers < len(field.ranking))
        ]
        floaters_and_completing = np.sort(np.append(floaters, completing))
        if not field.has_complete_pairing(
            floaters_and_completing, field.ranking.is_odd
        ):
            return None

    if is_small:
        # all its pairings have been compared
        return ProvenBracket(pairs_made_here, quality_values, True)
    paired_bracket = _make_paired_bracket(field, s, members, pairs_made_here)
    order_sums = field.system.iterate_order_sums(s, paired_bracket)
    return ProvenBracket(
        pairs_made_here, quality_values, is_first(bracket, block, order_sums, candidate)
    )


def _make_paired_bracket(
    field: CompletionField, s: int, members: IntArray, pairs: RankPairs
) -> PairedBracket:
    """Return the bracket of group `s` with these pairs of ranks; other members float.

    `members` are the ranks in the bracket, and `pairs` their upper and lower ranks.
    `field` has the system and its ranking.
    """
    members_by_bsn = field.system.order_by_bsn(members)
    order_by_upper_rank = np.argsort(pairs[0])
    moved_down = members_by_bsn[field.ranking.group[members_by_bsn] < s]
    floaters = members[~is_member(members, np.concatenate(pairs))]
    return PairedBracket(
        members_by_bsn,
        moved_down,
        pairs[0][order_by_upper_rank],
        pairs[1][order_by_upper_rank],
        np.sort(floaters),
    )


def _without_free_seats(field: CompletionField, block: BracketPairs) -> BracketPairs:
    """Return the block without the seats that no floater takes in its known pairing.

    Seats are anonymous vertices above n, the number of players of `field`. C6 or C8
    fixes how many are taken, so free ones are free in all pairings of the best quality.
    """
    player_count, known_pairing = len(field.ranking), block.pairing
    is_seat_pair = block.a[known_pairing] > player_count
    free_pairs = known_pairing[is_seat_pair]
    free_seats = np.append(block.a[free_pairs], block.b[free_pairs])
    block_without_seats = replace(
        block,
        vertices=block.vertices[~is_member(block.vertices, free_seats)],
        used=known_pairing[~is_seat_pair],
    )
    return block_without_seats.with_pairs(
        (block.a <= player_count) & ~is_member(block.b, free_seats)
    )


@lru_cache(maxsize=16)
def _list_seat_pairs(seats: int) -> tuple[IntArray, IntArray]:
    """Return all pairs of seats, numbered from 0, as two arrays: lower and higher."""
    return np.triu_indices(seats, 1)


def _minimize_quality(
    field: CompletionField,
    s: int,
    members: IntArray,
    more_players: IntArray,
    seats: int,
    is_bye_seated: bool,
) -> tuple[BracketPairs, list[int]] | None:
    """Minimise all quality levels of group `s`'s bracket, with seats for floaters.

    `field` says who may meet, and has the engine. `members` are the ranks in the
    bracket, and `more_players` ranks below who are part of the problem. Everybody else
    below is one of `seats` anonymous vertices, n + 1 and up; two free seats meet each
    other. The bye is the vertex n, unless a seat stands for it, too (`is_bye_seated`).
    Without `more_players` C8 counts 0. Returns the pairs that remain possible and the
    levels' values, or None without a pairing. Raises TimeUpError.
    """
    ranking = field.ranking
    player_count = len(ranking)
    players = np.append(members, more_players)
    upper_vertices, lower_vertices = field.find_legal_pairs(players)
    # two moved-down players who could meet would be one more pair further up
    is_possible = ranking.group[lower_vertices] >= s
    upper_vertices, lower_vertices = (
        upper_vertices[is_possible],
        lower_vertices[is_possible],
    )

    seat_ranks = np.arange(player_count + 1, player_count + 1 + seats)
    first_seats, second_seats = _list_seat_pairs(seats)
    upper_vertex_parts = [
        upper_vertices,
        np.repeat(players, seats),
        seat_ranks[first_seats],
    ]
    lower_vertex_parts = [
        lower_vertices,
        np.tile(seat_ranks, len(players)),
        seat_ranks[second_seats],
    ]
    vertex_ranks = np.append(players, seat_ranks)
    if ranking.is_odd and not is_bye_seated:
        bye_takers = field.find_bye_takers(players)
        upper_vertex_parts.append(bye_takers)
        lower_vertex_parts.append(np.full(len(bye_takers), player_count))
        vertex_ranks = np.append(vertex_ranks, player_count)

    upper_vertices, lower_vertices = (
        np.concatenate(upper_vertex_parts),
        np.concatenate(lower_vertex_parts),
    )
    quality_keys = field.system.quality_keys[s]
    quality_costs = compute_bracket_costs(
        ranking,
        s,
        quality_keys,
        upper_vertices,
        lower_vertices,
        lower_vertices == player_count,
    )
    criterion_of_level = np.array(
        [criterion_level.criterion for criterion_level in quality_keys]
    )
    if not len(more_players):
        quality_costs[:, criterion_of_level == "C8"] = 0
    block_with_seats = BracketPairs(
        np.sort(vertex_ranks),
        upper_vertices,
        lower_vertices,
        quality_costs[:, :0],
        np.zeros(0, np.int64),
    )
    if field.bye_group > s or "C9" not in criterion_of_level:
        return _minimize_levels(field, block_with_seats, quality_costs)

    c9_level = criterion_of_level.tolist().index("C9")
    minimized_before_c9 = _minimize_levels(
        field, block_with_seats, quality_costs[:, :c9_level]
    )
    if minimized_before_c9 is None:
        return None
    _block_before_c9, quality_values = minimized_before_c9
    if quality_values[0] != 1:
        # C9 counts only if exactly one player floats
        quality_costs[:, c9_level] = 0
    return _minimize_levels(field, block_with_seats, quality_costs, quality_values)


def _minimize_levels(
    field: CompletionField,
    block: BracketPairs,
    costs: IntArray,
    known_values: Sequence[int] = (),
) -> tuple[BracketPairs, list[int]] | None:
    """Minimise levels in order; the first of them have `known_values`.

    `costs`, shape (pairs, levels), are what the block's pairs add to each level.
    Returns the block with only the pairs that remain possible, and the values of all
    levels. Returns None if there is no pairing. `field` has the engine and the budget.
    Raises TimeUpError.
    """
    known_count = len(known_values)
    is_used_level: BoolArray = np.asarray(costs.any(axis=0))
    is_known = is_used_level[:known_count]
    known_level_values = np.array(known_values, np.int64)[is_known]
    known_costs = costs[:, :known_count][:, is_known]
    further_costs = costs[:, known_count:][:, is_used_level[known_count:]]

    block_at_known_values = replace(block, costs=known_costs, values=known_level_values)
    if known_count:
        is_possible = fits_values(known_costs, known_level_values)
        block_at_known_values = block_at_known_values.with_pairs(is_possible)
        further_costs = further_costs[is_possible]
    minimized_block = block_at_known_values.with_minimal_levels(
        further_costs, field.minimize, field.budget
    )
    if minimized_block is None:
        return None
    all_values = np.zeros(costs.shape[1], np.int64)
    all_values[is_used_level] = minimized_block.values
    return minimized_block.without_zero_levels(), all_values.tolist()
