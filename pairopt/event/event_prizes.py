"""Prizes of an event: award them by its settings, its groups and its standings."""

from __future__ import annotations

from fractions import Fraction

from pairopt.event.event import Event
from pairopt.event.group_members import find_members
from pairopt.event.prizes import Contestant, PrizeAwards, PrizeRules, award_prizes
from pairopt.event.standings import Standing, rank_players, tie_breaks_of


def award_event_prizes(event: Event) -> tuple[PrizeAwards, tuple[Standing, ...]]:
    """Return the awards of an event by its results so far, and its standings.

    Players who have dropped out get no prize, but are in the standings. A group's
    prizes go to its members, as its conditions say. Without prizes in the settings
    there are no awards. Raises UsageError if the event has no data for one of its
    tie-breaks. Each group with prizes must be one of the settings' groups, otherwise
    KeyError is raised.
    """
    prize_rules = event.settings.prizes or PrizeRules()
    standings = rank_players(event, tie_breaks_of(event))
    contestants = [
        Contestant(standing.player, standing.rank, standing.points)
        for standing in standings
        if standing.active
    ]
    group_by_folded_name = {
        player_group.name.casefold(): player_group
        for player_group in event.settings.groups
    }
    member_ids_by_group = {}
    for prizes_of_group in prize_rules.groups:
        player_group = group_by_folded_name[prizes_of_group.group.casefold()]
        is_member_by_player = find_members(event, player_group)
        member_ids_by_group[prizes_of_group.group] = frozenset(
            player_identifier
            for player_identifier, is_in_group in zip(
                event.players, is_member_by_player, strict=True
            )
            if is_in_group
        )
    return award_prizes(prize_rules, contestants, member_ids_by_group), standings


def money_text(amount: Fraction, unit: Fraction) -> str:
    """Return an amount of money as text, with two decimals or none.

    There are none if both the amount and `unit`, the unit of rounding, are whole
    numbers. Otherwise the amount is rounded to hundredths.

    >>> money_text(Fraction(101, 2), Fraction(1, 100))
    '50.50'
    """
    if unit.denominator == 1 and amount.denominator == 1:
        return str(amount)
    amount_in_cents = round(amount * 100)
    return f"{amount_in_cents // 100}.{amount_in_cents % 100:02}"
