"""The criteria C6 to C21 and the order of candidates as sums over the pairs of a bracket.

Quality (articles 2.3 and 2.4): each criterion is a sum over matches.

The order of candidates (articles 3 and 4): each part is one number, the smallest for the
first candidate. Transpositions are numbered from 0 in lexicographic order. For a proof the
parts are sums over matches. What a match adds depends on the parts before, in which all
candidates compared are equal: first the moved-down players (MDPs) who are paired, then their
opponents, then the players in S1. A part that compares players one after the other has a
level for each of them.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.fide_attributes import ABSOLUTE, DOWN, STRONG, UP
from pairopt.fide.dutch.bracket_pairs import RankedPlayers, is_member

# the criteria about floats of two rounds ago
TWO_AGO = ("C16", "C17", "C20", "C21")
# computes what pairs of ranks a < b add to a sum, shape (pairs,)
Amounts = Callable[[IntArray, IntArray], IntArray]


# the group of a level that counts all players
ALL_GROUPS = -1


class CriterionLevel(NamedTuple):
    """A level of a bracket: a criterion such as "C12", and a score group.

    If `group` is `ALL_GROUPS`, the level counts all pairs; otherwise only those whose
    upper player is of this score group.
    """

    criterion: str
    group: int = ALL_GROUPS


def iterate_quality_keys(ranking: RankedPlayers, s: int) -> Iterator[CriterionLevel]:
    """Yield the quality levels of group `s`'s bracket that can be above 0, in order.

    They are the criteria C6 to C21 of the Dutch System; C7, C8 and C18 to C21 also have
    levels for single score groups. A criterion is left out if it is 0 in every pairing,
    for example C9 in an even field, or C14 if no resident floated down in the last
    round. `ranking` has all players of the round.
    """
    fide = ranking.fide
    groups_above = range(s)
    is_resident = ranking.group == s

    yield CriterionLevel("C6")
    yield from (CriterionLevel("C7", score_group) for score_group in groups_above)
    if s + 1 < len(ranking.scores):
        yield CriterionLevel("C8")
        yield from (CriterionLevel("C8", score_group) for score_group in range(s + 1))
    if ranking.is_odd:
        yield CriterionLevel("C9")
    if (np.abs(fide.difference) > 1).any():
        yield CriterionLevel("C10")
    if (fide.strength == ABSOLUTE).any():
        yield CriterionLevel("C11")
    yield CriterionLevel("C12")
    if (fide.strength >= STRONG).any():
        yield CriterionLevel("C13")

    for rounds_ago_index, (down_criterion, up_criterion) in enumerate(
        (("C14", "C15"), ("C16", "C17"))
    ):
        if (fide.floats[is_resident, rounds_ago_index] == DOWN).any():
            yield CriterionLevel(down_criterion)
        if s and (fide.floats[is_resident, rounds_ago_index] == UP).any():
            yield CriterionLevel(up_criterion)

    for rounds_ago_index, (down_criterion, up_criterion) in enumerate(
        (("C18", "C19"), ("C20", "C21"))
    ):
        groups_that_floated = set(
            ranking.group[fide.floats[:, rounds_ago_index] == DOWN].tolist()
        )
        yield from (
            CriterionLevel(down_criterion, group_above)
            for group_above in groups_above
            if group_above in groups_that_floated
        )
        if (fide.floats[is_resident, rounds_ago_index] == UP).any():
            yield from (
                CriterionLevel(up_criterion, score_group)
                for score_group in groups_above
            )


def compute_bracket_costs(
    ranking: RankedPlayers,
    s: int,
    keys: tuple[CriterionLevel, ...],
    a: IntArray,
    b: IntArray,
    bye: BoolArray,
) -> IntArray:
    """Return what pairs a[k] < b[k] add to quality levels of group `s`'s bracket.

    The pairs are ranks in `ranking`, and need not be legal; b[k] is n or more for the
    bye and for players further down. The result has shape (pairs, keys), with one
    column for each level of `keys`. `bye`, shape (pairs,), marks the pairs that are the
    bye. C9 is counted for every float with the bye, although it only applies if exactly
    one player floats.
    """
    upper_groups = ranking.group_of(a)[:, None]
    costs_by_level = np.zeros((len(a), len(keys)), np.int64)
    count_pairs = _make_counter(ranking, s, a, b, bye)
    first_column = 0
    for criterion, groups_of_criterion in _split_by_criterion(keys):
        amount_of_pair = count_pairs(criterion)
        criterion_costs = costs_by_level[
            :, first_column : first_column + len(groups_of_criterion)
        ]
        if amount_of_pair.any():
            if groups_of_criterion == [ALL_GROUPS]:
                criterion_costs[:] = amount_of_pair[:, None]
            else:
                criterion_costs[:] = np.where(
                    upper_groups == groups_of_criterion, amount_of_pair[:, None], 0
                )
        first_column += len(groups_of_criterion)
    return costs_by_level


@lru_cache(maxsize=64)
def _split_by_criterion(
    keys: tuple[CriterionLevel, ...],
) -> list[tuple[str, list[int]]]:
    """Return each criterion of a bracket's levels with its score groups, in order.

    `keys` are the levels. Consecutive levels of one criterion are one item. A criterion
    with levels for all players and for groups comes twice, first with the groups
    [ALL_GROUPS]. The result is cached, so it must not be changed.
    """
    levels_by_criterion = groupby(
        keys, lambda key: (key.criterion, key.group == ALL_GROUPS)
    )
    return [
        (criterion, [key.group for key in levels_of_criterion])
        for (criterion, _is_for_all), levels_of_criterion in levels_by_criterion
    ]


def _make_counter(
    ranking: RankedPlayers, s: int, a: IntArray, b: IntArray, bye: BoolArray
) -> Callable[[str], Any]:
    """Return a function that says what each pair adds to a criterion.

    The function takes the name of a criterion, for example "C12", and returns a Boolean
    or integer array, shape (pairs,). The pairs a[k] < b[k] are ranks in `ranking`,
    looked at in group `s`'s bracket, and `bye` marks the bye. The score group by which
    a criterion may be split does not matter here.
    """
    fide = ranking.fide
    upper_groups, lower_groups = ranking.group_of(a), ranking.group_of(b)
    is_inside_pair = lower_groups == s
    is_float_pair = (upper_groups <= s) & (lower_groups > s)
    is_moved_down_pair = is_inside_pair & (upper_groups < s)

    # a rank further down meets nobody in this bracket: any player stands for it
    upper_ranks = np.minimum(a, len(ranking) - 1)
    lower_ranks = np.where(is_inside_pair, b, upper_ranks)
    upper_preferences, lower_preferences = (
        fide.preferred[upper_ranks],
        fide.preferred[lower_ranks],
    )
    wants_same_side = (
        is_inside_pair
        & (upper_preferences == lower_preferences)
        & (upper_preferences >= 0)
    )
    weaker_strength = np.minimum(fide.strength[upper_ranks], fide.strength[lower_ranks])
    is_absolute_conflict = wants_same_side & (weaker_strength == ABSOLUTE)

    def count_pairs(criterion: str) -> Any:
        """Return what each pair adds to a criterion, shape (pairs,).

        `criterion` is the name of one of C6 to C21. The array is Boolean, or integer
        for C9.
        """
        if criterion in ("C6", "C7"):
            return is_float_pair
        if criterion == "C8":
            return (upper_groups <= s + 1) & (lower_groups > s + 1)
        if criterion == "C9":
            return np.where(bye & is_float_pair, fide.unplayed[upper_ranks], 0)
        if criterion == "C10":
            colour_differences = np.abs(fide.difference)
            return is_absolute_conflict & (
                np.minimum(
                    colour_differences[upper_ranks], colour_differences[lower_ranks]
                )
                > 1
            )
        if criterion == "C11":
            return is_absolute_conflict & _has_third_in_a_row(
                ranking, upper_ranks, lower_ranks
            )
        if criterion == "C12":
            return wants_same_side
        if criterion == "C13":
            # the other preference may be absolute
            return wants_same_side & (weaker_strength == STRONG)

        rounds_ago_index = int(criterion in TWO_AGO)
        if criterion in ("C15", "C17", "C19", "C21"):
            return is_moved_down_pair & (
                fide.floats[lower_ranks, rounds_ago_index] == UP
            )
        floats_again = is_float_pair & (
            fide.floats[upper_ranks, rounds_ago_index] == DOWN
        )
        if criterion in ("C14", "C16"):
            return floats_again & (upper_groups == s)
        return floats_again

    return count_pairs


def _has_third_in_a_row(ranking: RankedPlayers, a: IntArray, b: IntArray) -> BoolArray:
    """Return a mask of pairs in which a player gets a side for the third time running.

    Both players of each pair have an absolute preference for the same side (C11). The
    players are ranks a[k] and b[k] of `ranking`.
    """
    fide = ranking.fide
    absolute_difference_a, absolute_difference_b = (
        np.abs(fide.difference[a]),
        np.abs(fide.difference[b]),
    )
    repeated_side_a, repeated_side_b = fide.repeated[a], fide.repeated[b]
    repeat_same_side = (repeated_side_a == repeated_side_b) & (repeated_side_a >= 0)

    # the player with the smaller difference is not granted the preference
    repeated_side_of_loser = np.where(
        absolute_difference_a < absolute_difference_b, repeated_side_a, repeated_side_b
    )
    loser_repeats_side = repeated_side_of_loser == 1 - fide.preferred[a]
    return np.asarray(
        np.where(
            absolute_difference_a == absolute_difference_b,
            repeat_same_side,
            loser_repeats_side,
        )
    )


PARTS = ("4.4", "4.2 MDP", "4.3.2.1", "4.3.2.2", "4.3.2.3", "4.3.2.4", "4.2")
"""The parts of the order of candidates, by their articles."""
# the index of a pair, the index of a part, and what the pair adds to the part
Share = tuple[int, int, int]


def iterate_shares(
    ranking: RankedPlayers, s: int, a: IntArray, b: IntArray
) -> Iterator[Share]:
    """Yield what each pair adds to the parts of the order in group `s`'s bracket.

    The pairs a[k] < b[k], ranks in `ranking`, are a whole pairing. Each item is the
    index k of a pair, the index of a part in `PARTS`, and the amount. The sum of a
    part's amounts is smallest for the first candidate, among candidates that are equal
    in the parts before. Pairs that add 0 may have no item.
    """
    upper_ranks, lower_ranks = a.tolist(), b.tolist()
    upper_groups = ranking.group_of(a).tolist()
    lower_groups = ranking.group_of(b).tolist()
    pairs_by_upper_rank = np.argsort(a).tolist()
    mdp_pairs = [
        pair_index
        for pair_index in pairs_by_upper_rank
        if upper_groups[pair_index] < s <= lower_groups[pair_index]
    ]
    resident_pairs = [
        pair_index
        for pair_index in pairs_by_upper_rank
        if upper_groups[pair_index] == s == lower_groups[pair_index]
    ]
    residents = np.flatnonzero(ranking.group == s).tolist()

    # 4.4: which moved-down players float on
    floats_on = [lower_groups[pair_index] > s for pair_index in mdp_pairs]
    for pair_index, amount in _iterate_mixed_radix_shares(mdp_pairs, floats_on):
        yield pair_index, 0, amount

    # 4.2 for the moved-down players' opponents
    pairs_of_mdps_here = [
        pair_index for pair_index in mdp_pairs if lower_groups[pair_index] == s
    ]
    mdp_opponents = [lower_ranks[pair_index] for pair_index in pairs_of_mdps_here]
    for pair_index, amount in _iterate_arrangement_shares(
        pairs_of_mdps_here, mdp_opponents, residents
    ):
        yield pair_index, 1, amount

    # 4.3: exchanges between S1 and S2
    remaining_residents = sorted({*residents} - {*mdp_opponents})
    place_of_resident = {
        resident: resident_place
        for resident_place, resident in enumerate(remaining_residents)
    }
    half_size = len(resident_pairs)
    s1_ranks = [upper_ranks[pair_index] for pair_index in resident_pairs]
    exchanged_pairs = [
        pair_index
        for pair_index in resident_pairs
        if place_of_resident[upper_ranks[pair_index]] >= half_size
    ]
    for pair_index in exchanged_pairs:
        yield pair_index, 2, 1
    if exchanged_pairs:
        for s1_place, pair_index in enumerate(resident_pairs):
            yield pair_index, 3, place_of_resident[upper_ranks[pair_index]] - s1_place
        pair_of_rank = {
            upper_ranks[pair_index]: pair_index
            for pair_index in pairs_by_upper_rank
            if upper_groups[pair_index] == s
        }
        pair_of_rank |= {
            lower_ranks[pair_index]: pair_index for pair_index in resident_pairs
        }
        yield from _iterate_exchange_shares(
            remaining_residents, half_size, {*s1_ranks}, pair_of_rank
        )

    # 4.2: the transposition of S2
    s2_ranks = sorted({*remaining_residents} - {*s1_ranks})
    s2_opponents = [lower_ranks[pair_index] for pair_index in resident_pairs]
    for pair_index, amount in _iterate_arrangement_shares(
        resident_pairs, s2_opponents, s2_ranks
    ):
        yield pair_index, 6, amount


def _iterate_exchange_shares(
    residents: list[int], half: int, uppers: set[int], pair_of: dict[int, int]
) -> Iterator[Share]:
    """Yield what pairs add to the parts 4.3.2.3 (leave S1) and 4.3.2.4 (enter it).

    `residents` are in order, the first `half` of them are the original S1, and `uppers`
    are the players of S1 now. `pair_of` is the index of each player's pair. A share
    counts a player who stays in S1, or in S2, weighted by a power of 2, so that the
    order of exchanges is that of the sums.
    """
    for resident_place, resident in enumerate(residents):
        if resident_place < half and resident in uppers:
            yield pair_of[resident], 4, 2**resident_place
        elif resident_place >= half and resident not in uppers:
            yield pair_of[resident], 5, 2 ** (len(residents) - 1 - resident_place)


def _iterate_arrangement_shares(
    index: list[int], arrangement: list[int], offered: list[int]
) -> Iterator[tuple[int, int]]:
    """Yield what each choice adds to the lexicographic number of an arrangement.

    `arrangement` are the chosen players, in order, out of the `offered` ones. For [2,
    1] of [1, 2, 3] the digits are 1 and 0: the place among the players who are left.
    Each item is an entry of `index`, the index of the choice's pair, and its amount.
    """
    remaining_players = [*offered]
    place_digits = []
    for chosen_player in arrangement:
        place_digits.append(remaining_players.index(chosen_player))
        remaining_players.pop(place_digits[-1])
    return _iterate_mixed_radix_shares(
        index, place_digits, range(len(offered), len(remaining_players), -1)
    )


def _iterate_mixed_radix_shares(
    index: list[int], digits: Sequence[int], bases: Sequence[int] | None = None
) -> Iterator[tuple[int, int]]:
    """Yield what each digit adds to a mixed-radix number, the last digit first.

    The first digit has the highest weight. Each item is the digit's entry of `index`
    and the amount. `bases` has the number of values of each digit, by default 2.
    `digits` are from the first to the last.
    """
    digit_weight = 1
    for digit_position in reversed(range(len(index))):
        yield index[digit_position], int(digits[digit_position]) * digit_weight
        digit_weight *= 2 if bases is None else bases[digit_position]


class OrderLevelSum(NamedTuple):
    """A level of the order of candidates as a sum over pairs of ranks a < b.

    `part` is the index of its part. The function `amounts` takes the ranks of pairs,
    and returns what each pair adds. If only pairs of one player count, `own` is that
    player's rank, otherwise None. `offset` is added to the sum.
    """

    part: int
    own: int | None
    amounts: Amounts
    offset: int = 0


def iterate_order_sums(
    ranking: RankedPlayers, s: int, moved: IntArray, upper: IntArray, lower: IntArray
) -> Iterator[OrderLevelSum]:
    """Yield the levels of group `s`'s order of candidates as sums over pairs.

    They come in order, and each holds among candidates that are equal in the levels
    before. The candidate to compare with has the pairs upper[k] with lower[k], sorted
    by the upper rank. `moved` are all moved-down players of the bracket. All three are
    ranks in `ranking`. The levels on exchanges (4.3.2.2 to 4.3.2.4) come only if the
    candidate has an exchange.
    """
    residents = np.flatnonzero(ranking.group == s)
    for player_rank in moved.tolist():
        yield OrderLevelSum(
            0, player_rank, _make_float_amounts(ranking, s, player_rank)
        )

    is_moved = ranking.group[upper] < s
    for player_rank in upper[is_moved].tolist():
        amounts_function = _make_opponent_amounts(ranking, s, player_rank, residents)
        yield OrderLevelSum(1, player_rank, amounts_function)

    remaining_residents = residents[~is_member(residents, lower[is_moved])]
    s1_ranks = upper[~is_moved]
    half_size = len(s1_ranks)
    place_of_rank = _index_ranks(ranking, remaining_residents)

    def upper_position(a: IntArray, b: IntArray) -> IntArray:
        """Return the place among the residents of each pair's upper player.

        The pairs are ranks a[k] < b[k]. Places count from 0; residents whom a
        moved-down player meets do not count. The place is -1 if one of the two players
        is not among the residents that are left.
        """
        is_resident_pair = (place_of_rank[a] >= 0) & (
            place_of_rank[np.minimum(b, len(ranking))] >= 0
        )
        return np.asarray(np.where(is_resident_pair, place_of_rank[a], -1))

    yield OrderLevelSum(
        2, None, lambda a, b: (upper_position(a, b) >= half_size).astype(np.int64)
    )
    if (place_of_rank[s1_ranks] >= half_size).any():
        yield OrderLevelSum(
            3,
            None,
            lambda a, b: np.maximum(upper_position(a, b), 0),
            -sum(range(half_size)),
        )
        for player_rank in remaining_residents[:half_size][::-1].tolist():
            amounts_function = _make_stay_amounts(
                upper_position, player_rank, is_in_s1=True
            )
            yield OrderLevelSum(4, player_rank, amounts_function)
        for player_rank in remaining_residents[half_size:].tolist():
            amounts_function = _make_stay_amounts(
                upper_position, player_rank, is_in_s1=False
            )
            yield OrderLevelSum(5, player_rank, amounts_function)

    s2_ranks = remaining_residents[~is_member(remaining_residents, s1_ranks)]
    for player_rank in s1_ranks.tolist():
        amounts_function = _make_opponent_amounts(ranking, s, player_rank, s2_ranks)
        yield OrderLevelSum(6, player_rank, amounts_function)


def _index_ranks(ranking: RankedPlayers, ranks: IntArray) -> IntArray:
    """Return the place of each rank in `ranks`, -1 for ranks that are not in it.

    The shape is (n + 1,), for the n players of `ranking`; the last entry is for rank n,
    the bye, and always -1.
    """
    place_of_rank = np.full(len(ranking) + 1, -1)
    place_of_rank[ranks] = np.arange(len(ranks))
    return place_of_rank


def _make_float_amounts(ranking: RankedPlayers, s: int, player: int) -> Amounts:
    """Return a function that counts whether a player floats out of a bracket.

    It takes pairs of ranks a < b, and returns 1 for the player's pair with somebody
    below score group `s`, otherwise 0. `player` is a rank of `ranking`.
    """
    return lambda a, b: ((a == player) & (ranking.group_of(b) > s)).astype(np.int64)


def _make_opponent_amounts(
    ranking: RankedPlayers, s: int, player: int, offered: IntArray
) -> Amounts:
    """Return a function that gives the place of a player's opponent, for sums.

    It takes pairs a < b of ranks of `ranking`. For the pair of the rank `player` it
    returns the opponent's place, from 0, among the ranks `offered`, and for pairs of
    others 0. If the player floats out of group `s`'s bracket, is the lower one of the
    pair, or meets somebody who is not offered, it gives the number of those offered.
    """
    place_of_rank = _index_ranks(ranking, offered)
    place_of_rank[place_of_rank < 0] = len(offered)

    def amounts(a: IntArray, b: IntArray) -> IntArray:
        """Return the opponent's place for pairs of the player, 0 for other pairs.

        The pairs are ranks a[k] < b[k]. The place is the number of those offered if the
        player has no offered opponent below, inside the bracket.
        """
        is_own_pair = (a == player) | (b == player)
        is_upper_inside = (a == player) & (ranking.group_of(b) == s)
        opponent_place = place_of_rank[np.minimum(b, len(ranking))]
        place_or_count = np.where(is_upper_inside, opponent_place, len(offered))
        return np.asarray(is_own_pair * place_or_count)

    return amounts


def _make_stay_amounts(upper_position: Amounts, player: int, is_in_s1: bool) -> Amounts:
    """Return a function that counts whether a player stays in a half of the bracket.

    `player` is the rank of a resident, and `is_in_s1` says whether the player was in S1
    before the exchange, otherwise in S2. The function takes pairs of ranks a < b. It
    returns 1 for the player's pair if the player is still in that half, otherwise 0. A
    resident who is the upper player of a pair is in S1, otherwise in S2.
    `upper_position` is the place of a pair's upper player among the residents, -1 for
    pairs of others.
    """

    def amounts(a: IntArray, b: IntArray) -> IntArray:
        """Return 1 for the player's pair if the player stays in the half, otherwise 0.

        The pairs are ranks a[k] < b[k], and the shape is (pairs,).
        """
        is_own_pair = (a == player) | (b == player)
        is_upper_resident = (a == player) & (upper_position(a, b) >= 0)
        return np.asarray(is_own_pair & (is_upper_resident == is_in_s1), np.int64)

    return amounts
