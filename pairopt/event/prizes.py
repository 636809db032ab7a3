"""Prizes: divide money among the best players, by the rules that an event announces.

FIDE has no rule for prizes, so `PrizeRules` holds what the regulations of an event say.
All amounts are exact fractions until they are rounded, and rounding keeps every sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Literal

from pairopt.messages.formatting import decimal_text

Sharing = Literal["none", "equal", "hort"]
"""How players with equal points share: not at all, equally, or half by place (Hort)."""
SharedLists = Literal["main", "all"]
"""The lists whose prizes are shared: the main prizes, or those of groups, too."""
EqualPlayers = Literal["lot", "share"]
"""What decides between players who are equal in points and all tie-breaks."""
MAIN = ""
"""The name of the list of main prizes."""
ZERO, HALF = Fraction(0), Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class GroupPrizes:
    """The prizes of a group of players: its name, and the amounts, highest first."""

    group: str
    amounts: tuple[Fraction, ...]

    def __str__(self) -> str:
        return f"{self.group}: {', '.join(map(decimal_text, self.amounts))}"


@dataclass(frozen=True, slots=True)
class PrizeRules:
    """The prizes of an event and the rules that divide them.

    Attributes
    ----------
    main : tuple of Fraction
        The main prizes by place, the highest first.
    groups : tuple of GroupPrizes
        The prizes of groups, in the announced order.
    sharing : Sharing
        How players with equal points share the prizes of their places.
    shared : SharedLists
        Whether prizes of groups are shared, too.
    one_each : bool
        Whether a person gets only one prize, the most valuable one.
    rounding : Fraction
        The unit of the amounts that are paid, for example 1 or 1/100.
    least_share : Fraction
        The least amount that sharing may give to a player who is on no prize place.
    least_players : int
        The number of players that a group needs for its prizes.
    equal_players : EqualPlayers
        Whether players who are equal in everything draw lots or share.
    """

    main: tuple[Fraction, ...] = ()
    groups: tuple[GroupPrizes, ...] = ()
    sharing: Sharing = "none"
    shared: SharedLists = "main"
    one_each: bool = True
    rounding: Fraction = Fraction(1, 100)
    least_share: Fraction = ZERO
    least_players: int = 1
    equal_players: EqualPlayers = "lot"


@dataclass(frozen=True, slots=True)
class Contestant:
    """A player who can win prizes, with rank and points in the standings.

    Players who are equal in points and all tie-breaks share a `rank`.
    """

    player: str
    rank: int
    points: Fraction


@dataclass(frozen=True, slots=True)
class Award:
    """A prize that a player gets: `exact` is the share, `amount` the sum that is paid.

    `prize_list` is the name of the group, `MAIN` for the main prizes; `place` counts
    the players of that list from 1.
    """

    player: str
    prize_list: str
    place: int
    exact: Fraction
    amount: Fraction


@dataclass(frozen=True, slots=True)
class PrizeLot:
    """Players who are equal in everything, and between whom a lot decides.

    `prize_list` is the name of the list. `amounts` are the exact shares to draw for,
    one per player of `players`, the highest first.
    """

    prize_list: str
    players: tuple[str, ...]
    amounts: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class BetterPrize:
    """A player who would get more in another list, because others have left it.

    Only sharing can cause it: `amount` is what the player gets in all, `better` the
    share that `prize_list` would give to the player now.
    """

    player: str
    amount: Fraction
    prize_list: str
    better: Fraction


@dataclass(frozen=True, slots=True)
class PrizeAwards:
    """The awards of all lists, with everything that needs a decision of a person.

    `lots` are places between players who are equal in everything, `better` prizes that
    a player could have instead of a smaller one. `too_small` has the groups with too
    few players, with their numbers of players; `unawarded` the sums, by list, for which
    there are not enough players.
    """

    awards: tuple[Award, ...]
    lots: tuple[PrizeLot, ...]
    better: tuple[BetterPrize, ...]
    too_small: Mapping[str, int]
    unawarded: Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class _PrizeList:
    """The prizes of one list, and the players who can get them, before any is awarded.

    `name` is the group's, or MAIN, and `amounts` are the prizes by place. `members` are
    positions among the contestants, best first. `sharing` says how players with equal
    points share.
    """

    name: str
    amounts: tuple[Fraction, ...]
    members: tuple[int, ...]
    sharing: Sharing


def award_prizes(
    rules: PrizeRules,
    contestants: Sequence[Contestant],
    members: Mapping[str, frozenset[str]],
) -> PrizeAwards:
    """Award all prizes of an event.

    Parameters
    ----------
    rules : PrizeRules
        The prizes and the rules that divide them.
    contestants : Sequence of Contestant
        The players who can win prizes, best first.
    members : Mapping of str to frozenset of str
        The players of each group that has prizes.

    Returns
    -------
    PrizeAwards
        The awards in the order of the lists and then by place.

    Notes
    -----
    With one prize per person, the most valuable offer comes first. An offer is the
    share that a list gives to a player without a prize. At equal value the main prize
    comes first, then the groups in their announced order. A player who accepts an offer
    leaves all other lists, and the players behind move up.
    """
    group_sizes = {
        group_prizes.group: sum(
            contestant.player in members[group_prizes.group]
            for contestant in contestants
        )
        for group_prizes in rules.groups
    }
    sizes_of_too_small_groups = {
        group_name: group_size
        for group_name, group_size in group_sizes.items()
        if group_size < max(rules.least_players, 1)
    }
    prize_lists = _prize_lists(rules, contestants, members, sizes_of_too_small_groups)
    if rules.one_each:
        holders_by_list = _accept_offers(rules, contestants, prize_lists)
    else:
        holders_by_list = [list(prize_list.members) for prize_list in prize_lists]

    awards_of_all_lists: list[Award] = []
    shares_of_lists: list[dict[int, Fraction]] = []
    unawarded_sums_by_list = {
        group_prizes.group: sum(group_prizes.amounts, ZERO)
        for group_prizes in rules.groups
        if group_prizes.group in sizes_of_too_small_groups
    }
    for prize_list, positions_of_holders in zip(
        prize_lists, holders_by_list, strict=True
    ):
        share_by_position = _divide(
            rules, contestants, prize_list, positions_of_holders
        )
        shares_of_lists.append(share_by_position)
        awards_of_all_lists += _make_awards(
            rules, contestants, prize_list, share_by_position
        )
        sum_left_over = sum(prize_list.amounts, ZERO) - sum(
            share_by_position.values(), ZERO
        )
        if sum_left_over:
            unawarded_sums_by_list[prize_list.name] = sum_left_over

    return PrizeAwards(
        awards=tuple(awards_of_all_lists),
        lots=_find_lots(rules, contestants, prize_lists, shares_of_lists),
        better=_find_better(rules, contestants, prize_lists, shares_of_lists),
        too_small=sizes_of_too_small_groups,
        unawarded=unawarded_sums_by_list,
    )


def round_shares(shares: Sequence[Fraction], unit: Fraction) -> list[Fraction]:
    """Round shares to multiples of a unit, and keep their sum.

    The shares with the largest remainders are rounded up, at equal remainders those
    that come first. The sum must be a multiple of the unit.

    >>> round_shares([Fraction(305, 3), Fraction(245, 3), Fraction(200, 3)], Fraction(1))
    [Fraction(102, 1), Fraction(82, 1), Fraction(66, 1)]
    """
    whole_units_by_share = [exact_share // unit for exact_share in shares]
    units_to_distribute = int(sum(shares, ZERO) / unit) - sum(whole_units_by_share)
    share_indices_by_remainder = sorted(
        range(len(shares)),
        key=lambda share_index: (
            whole_units_by_share[share_index] * unit - shares[share_index]
        ),
    )
    rounded_up_indices = {*share_indices_by_remainder[:units_to_distribute]}
    return [
        (whole_units + (share_index in rounded_up_indices)) * unit
        for share_index, whole_units in enumerate(whole_units_by_share)
    ]


def _prize_lists(
    rules: PrizeRules,
    contestants: Sequence[Contestant],
    members: Mapping[str, frozenset[str]],
    too_small: Mapping[str, int],
) -> list[_PrizeList]:
    """Return the lists that give prizes: the main list, then the groups in order.

    `contestants` are all players who can win prizes, best first, and `members` the
    identifiers of each group's players by its name. Groups in `too_small` are left out.
    Groups share only if the rules say that all prizes are shared.
    """
    all_positions = tuple(range(len(contestants)))
    prize_lists = [_PrizeList(MAIN, rules.main, all_positions, rules.sharing)]
    group_sharing: Sharing = rules.sharing if rules.shared == "all" else "none"
    for group_prizes in rules.groups:
        if group_prizes.group in too_small:
            continue
        member_positions = tuple(
            contestant_position
            for contestant_position, contestant in enumerate(contestants)
            if contestant.player in members[group_prizes.group]
        )
        prize_list = _PrizeList(
            group_prizes.group, group_prizes.amounts, member_positions, group_sharing
        )
        prize_lists.append(prize_list)
    return prize_lists


def _accept_offers(
    rules: PrizeRules, contestants: Sequence[Contestant], lists: Sequence[_PrizeList]
) -> list[list[int]]:
    """Return for each list the sorted positions of the players who get its prizes.

    Positions are those in `contestants`. Each player gets one prize at most. The most
    valuable offer, which is a player's share of a list, is accepted first, at equal
    value that of the earlier list, then of the better player. The player then leaves
    the other lists, and all shares are divided again by the `rules`.
    """
    list_index_by_position: dict[int, int] = {}
    while True:
        open_offers = []
        for list_index, prize_list in enumerate(lists):
            eligible_positions = [
                contestant_position
                for contestant_position in prize_list.members
                if list_index_by_position.get(contestant_position, list_index)
                == list_index
            ]
            share_by_position = _divide(
                rules, contestants, prize_list, eligible_positions
            )
            open_offers += [
                (-offered_share, list_index, contestant_position)
                for contestant_position, offered_share in share_by_position.items()
                if contestant_position not in list_index_by_position
            ]
        if not open_offers:
            break
        _, best_list_index, best_position = min(open_offers)
        list_index_by_position[best_position] = best_list_index

    return [
        sorted(
            contestant_position
            for contestant_position, list_index_of_player in list_index_by_position.items()
            if list_index_of_player == prize_list_index
        )
        for prize_list_index in range(len(lists))
    ]


def _divide(
    rules: PrizeRules,
    contestants: Sequence[Contestant],
    prize_list: _PrizeList,
    positions: Sequence[int],
) -> dict[int, Fraction]:
    """Return the exact share of each player at these positions who gets money.

    `positions` in `contestants` are sorted: the first one is on place 1 of the list.
    Players with equal points share the prizes of `prize_list` by the list's rule, and
    those equal in everything if the `rules` say so. Those who get nothing are left out.
    Shares are in the order of the places.
    """
    share_by_position: dict[int, Fraction] = {}
    first_place_index = 0
    for tied_positions in _tied_runs(contestants, positions, prize_list.sharing):
        prizes_of_tied_places = prize_list.amounts[
            first_place_index : first_place_index + len(tied_positions)
        ]
        if not prizes_of_tied_places:
            break
        shares_of_tied_players = _share_places(
            rules, prize_list.sharing, prizes_of_tied_places, len(tied_positions)
        )
        share_by_position |= dict(
            zip(tied_positions, shares_of_tied_players, strict=True)
        )
        first_place_index += len(tied_positions)

    if rules.equal_players == "share":
        share_by_position = _share_among_equals(
            contestants, positions, share_by_position
        )
    return {
        contestant_position: nonzero_share
        for contestant_position, nonzero_share in share_by_position.items()
        if nonzero_share
    }


def _tied_runs(
    contestants: Sequence[Contestant], positions: Sequence[int], sharing: Sharing
) -> list[list[int]]:
    """Split sorted positions into runs of players with equal points, who share.

    `positions` are indices of `contestants`. With the sharing "none" each position is a
    run of its own.
    """
    if sharing == "none":
        return [[contestant_position] for contestant_position in positions]
    return [
        [*tied_run]
        for _, tied_run in groupby(
            positions,
            key=lambda contestant_position: contestants[contestant_position].points,
        )
    ]


def _share_places(
    rules: PrizeRules, sharing: Sharing, prizes: Sequence[Fraction], players: int
) -> list[Fraction]:
    """Return the shares of players with equal points, in the order of their places.

    `prizes` are those of the first of their places, at most as many as `players`, the
    number of the players. `sharing` is "none", "equal" or "hort". If a share would be
    below the least share of the `rules`, fewer players share, but never fewer than
    there are prizes; the others get nothing. With "none" that limit does not matter.

    Equal: sum(p) / m. Hort: p_i / 2 + sum(p) / (2 m).
    """
    zeros_for_lower_places = [ZERO] * (players - len(prizes))
    prizes_by_place = [*prizes, *zeros_for_lower_places]
    prize_sum = sum(prizes, ZERO)
    if sharing == "none":
        return prizes_by_place

    for sharer_count in range(players, len(prizes) - 1, -1):
        equal_share = prize_sum / sharer_count
        shares_of_sharers = [
            equal_share if sharing == "equal" else HALF * (prize + equal_share)
            for prize in prizes_by_place[:sharer_count]
        ]
        if min(shares_of_sharers) >= rules.least_share:
            break
    return shares_of_sharers + [ZERO] * (players - len(shares_of_sharers))


def _share_among_equals(
    contestants: Sequence[Contestant],
    positions: Sequence[int],
    shares: Mapping[int, Fraction],
) -> dict[int, Fraction]:
    """Return shares in which players who are equal in everything have the same one.

    `positions` and the keys of `shares` are indices of `contestants`. Players of one
    rank next to each other in `positions` divide the sum of their shares. The result
    has all positions, with 0 for those who get nothing.
    """
    equal_shares: dict[int, Fraction] = {}
    for _, equal_positions_iterator in groupby(
        positions, key=lambda equal_position: contestants[equal_position].rank
    ):
        equal_positions = [*equal_positions_iterator]
        sum_of_equal_players = sum(
            (shares.get(equal_position, ZERO) for equal_position in equal_positions),
            ZERO,
        )
        equal_shares |= dict.fromkeys(
            equal_positions, sum_of_equal_players / len(equal_positions)
        )
    return equal_shares


def _make_awards(
    rules: PrizeRules,
    contestants: Sequence[Contestant],
    prize_list: _PrizeList,
    shares: Mapping[int, Fraction],
) -> list[Award]:
    """Return the awards of a list, one per share, with places from 1.

    `shares` has the exact share of each player by position in `contestants`, in the
    order of the places. Amounts are the shares, rounded to the unit of the `rules` so
    that their sum is kept. `prize_list` gives its name.
    """
    rounded_amounts = round_shares([*shares.values()], rules.rounding)
    return [
        Award(
            contestants[contestant_position].player,
            prize_list.name,
            prize_place,
            exact_share,
            rounded_amount,
        )
        for prize_place, (
            (contestant_position, exact_share),
            rounded_amount,
        ) in enumerate(zip(shares.items(), rounded_amounts, strict=True), 1)
    ]


def _find_lots(
    rules: PrizeRules,
    contestants: Sequence[Contestant],
    lists: Sequence[_PrizeList],
    shares_of_lists: Sequence[Mapping[int, Fraction]],
) -> tuple[PrizeLot, ...]:
    """Find players who are equal in everything and get different amounts of one list.

    `shares_of_lists` has for each of `lists` the shares by position in `contestants`.
    Players who get less elsewhere, and could have had the prize as well, belong to
    them; by the `rules` they may also keep both. There is one lot for each list and
    group of equal players.
    """
    prize_lots = []
    total_by_position = _totals(shares_of_lists)
    for prize_list, share_by_position in zip(lists, shares_of_lists, strict=True):
        for _, equal_positions_iterator in groupby(
            prize_list.members,
            key=lambda equal_position: contestants[equal_position].rank,
        ):
            equal_positions = [*equal_positions_iterator]
            positions_with_prize = [
                equal_position
                for equal_position in equal_positions
                if equal_position in share_by_position
            ]
            if not positions_with_prize:
                continue
            highest_share = max(
                share_by_position[equal_position]
                for equal_position in positions_with_prize
            )
            rival_positions = [
                equal_position
                for equal_position in equal_positions
                if equal_position not in share_by_position
                and _least_total(rules, total_by_position, equal_position)
                < highest_share
            ]
            shares_to_draw = [
                share_by_position[equal_position]
                for equal_position in positions_with_prize
            ] + [ZERO] * len(rival_positions)
            if len({*shares_to_draw}) > 1:
                players_of_lot = [
                    contestants[equal_position].player
                    for equal_position in positions_with_prize + rival_positions
                ]
                prize_lots.append(
                    PrizeLot(
                        prize_list.name, tuple(players_of_lot), tuple(shares_to_draw)
                    )
                )
    return tuple(prize_lots)


def _find_better(
    rules: PrizeRules,
    contestants: Sequence[Contestant],
    lists: Sequence[_PrizeList],
    shares_of_lists: Sequence[Mapping[int, Fraction]],
) -> tuple[BetterPrize, ...]:
    """Find players who would get more in a list that others have left.

    `shares_of_lists` has for each of `lists` the shares by position in `contestants`.
    Such a player would come behind the list's holders of the same rank. A better prize
    is a share larger than the sum that the player gets now. The result is empty if the
    `rules` let a person have several prizes. A player may be there once for each list.
    """
    if not rules.one_each:
        return ()
    total_by_position = _totals(shares_of_lists)
    better_prizes = []
    for prize_list, share_by_position in zip(lists, shares_of_lists, strict=True):
        last_holder_position = max(share_by_position, default=-1)
        points_of_last_holder = (
            contestants[last_holder_position].points if share_by_position else ZERO
        )
        for member_position in prize_list.members:
            if member_position in share_by_position:
                continue
            # Nobody behind the last holder with other points can get anything.
            if (
                member_position > last_holder_position
                and contestants[member_position].points != points_of_last_holder
            ):
                break
            share_when_joining = _share_when_joining(
                rules, contestants, prize_list, share_by_position, member_position
            )
            total_so_far = total_by_position.get(member_position, ZERO)
            if share_when_joining > total_so_far:
                player_identifier = contestants[member_position].player
                better_prizes.append(
                    BetterPrize(
                        player_identifier,
                        total_so_far,
                        prize_list.name,
                        share_when_joining,
                    )
                )
    return tuple(better_prizes)


def _share_when_joining(
    rules: PrizeRules,
    contestants: Sequence[Contestant],
    prize_list: _PrizeList,
    shares: Mapping[int, Fraction],
    position: int,
) -> Fraction:
    """Return what a list would give to a player who joins its present holders.

    `prize_list` is the list, and `shares` has the shares of its holders by position in
    `contestants`. The player at `position` comes behind those of the same rank; the
    `rules` divide the list again. It is 0 if there would be no prize. Nothing is
    changed.
    """
    rank_of_player = contestants[position].rank
    holders_ahead = [
        holder_position
        for holder_position in shares
        if contestants[holder_position].rank <= rank_of_player
    ]
    holders_behind = [
        holder_position
        for holder_position in shares
        if contestants[holder_position].rank > rank_of_player
    ]
    shares_after_joining = _divide(
        rules, contestants, prize_list, [*holders_ahead, position, *holders_behind]
    )
    return shares_after_joining.get(position, ZERO)


def _totals(shares_of_lists: Sequence[Mapping[int, Fraction]]) -> dict[int, Fraction]:
    """Return the sum of each player's shares in all lists, by position.

    `shares_of_lists` has the shares of each list by the player's position among the
    contestants. Players without a share are left out.
    """
    total_by_position: dict[int, Fraction] = {}
    for shares_of_list in shares_of_lists:
        for contestant_position, list_share in shares_of_list.items():
            total_by_position[contestant_position] = (
                total_by_position.get(contestant_position, ZERO) + list_share
            )
    return total_by_position


def _least_total(
    rules: PrizeRules, totals: Mapping[int, Fraction], position: int
) -> Fraction:
    """Return the amount that a player would give up for a prize of another list.

    It is the player's sum in `totals`, 0 without one. Where the `rules` let a person
    have several prizes it is always 0, because no prize stands in place of another.
    `position` is the player's among the contestants.
    """
    return totals.get(position, ZERO) if rules.one_each else ZERO
