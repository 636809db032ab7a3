"""The prize list: who gets what, and what a person still has to decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pairopt.event.event_prizes import award_event_prizes, money_text
from pairopt.event.prizes import MAIN, PrizeAwards, PrizeLot, PrizeRules
from pairopt.messages import Message, message
from pairopt.messages.formatting import escape_hidden
from pairopt.report.printed_lists.base import (
    Cell,
    ListColumn,
    ListSection,
    ListSource,
    PrintedList,
)
from pairopt.report.printed_lists.player_columns import (
    player_columns,
    points_column,
    rank_column,
)

USUAL = ("title", "federation", "club")
MAIN_HEADING = "Main prizes"
MOST_NAMES = 2
"""The most players that a remark on a lot names."""


@dataclass(frozen=True, slots=True)
class PrizeRow:
    """A row of the prize list: a player with an amount, or prizes that nobody gets.

    `player` is a position in the event, None for prizes that nobody gets. `place` is
    the place in the list of prizes, 0 for a player who has none. `amount` is "" if a
    lot decides. `remark` says what remains to be decided.
    """

    player: int | None
    place: int
    amount: str
    remark: str = ""


def prize_columns(source: ListSource) -> Sequence[ListColumn]:
    """Return the prize list's columns: place, player, rank, points, amount, remark.

    Rows are `PrizeRow`. `source` has the event.
    """
    columns_before_points = [*player_columns(source, USUAL), rank_column(source)]
    return [
        ListColumn("place", "Place", lambda row: row.place or "", "number"),
        *(
            _convert_to_prize_column(player_column)
            for player_column in [*columns_before_points, points_column(source)]
        ),
        ListColumn("amount", "Amount", lambda row: row.amount, "money"),
        ListColumn("remark", "Remark", lambda row: row.remark),
    ]


def _convert_to_prize_column(column: ListColumn) -> ListColumn:
    """Convert a column whose rows are players to one whose rows are `PrizeRow`.

    The cell is "" in a row without a player.
    """

    def value(row: PrizeRow) -> Cell:
        """Return the cell of the row's player, "" without a player."""
        return "" if row.player is None else column.value(row.player)

    return ListColumn(column.key, column.head, value, column.kind, column.meaning)


def prizes_by_list(source: ListSource) -> Sequence[ListSection]:
    """Return a section with the main prizes, then one per group as announced.

    Rows are `PrizeRow`. A section has the awards, then players without a prize for whom
    something remains to be decided, then the sum that nobody gets. Without main prizes
    there is no such section. `source` has the event.
    """
    rules = source.event.settings.prizes or PrizeRules()
    awards, _ = award_event_prizes(source.event)
    rows_by_list: dict[str, list[PrizeRow]] = {MAIN: []} if rules.main else {}
    rows_by_list |= {group_prizes.group: [] for group_prizes in rules.groups}
    remarks = _list_remarks(source, awards, rules.rounding)
    players_in_lots = {
        (lot.prize_list, player) for lot in awards.lots for player in lot.players
    }
    for award in awards.awards:
        list_and_player = award.prize_list, award.player
        amount_text = money_text(award.amount, rules.rounding)
        rows_by_list[award.prize_list].append(
            PrizeRow(
                source.event.index[award.player],
                award.place,
                "" if list_and_player in players_in_lots else amount_text,
                remarks.pop(list_and_player, ""),
            )
        )
    # Players who are in a lot, or could change the list, and have no prize of it.
    for (prize_list, player), remark in remarks.items():
        rows_by_list[prize_list].append(
            PrizeRow(source.event.index[player], 0, "", remark)
        )
    for prize_list, unawarded_sum in awards.unawarded.items():
        amount_text = money_text(unawarded_sum, rules.rounding)
        rows_by_list[prize_list].append(
            PrizeRow(
                None, 0, amount_text, _reason_for_nobody(awards, rules, prize_list)
            )
        )
    return [
        ListSection(escape_hidden(prize_list) or MAIN_HEADING, list_rows)
        for prize_list, list_rows in rows_by_list.items()
    ]


def _list_remarks(
    source: ListSource, awards: PrizeAwards, unit: Fraction
) -> dict[tuple[str, str], str]:
    """Return what remains to be decided, by the name of the prize list and the player.

    `awards` are the prizes as divided. A remark is on a lot that the player is in, or
    on another list where the player would get more. `unit` is what amounts are rounded
    to. `source` has the event.
    """
    name_of: Callable[[str], str] = source.event.called.__getitem__
    remarks: dict[tuple[str, str], str] = {}
    for lot in awards.lots:
        range_text = _range_text(lot, unit)
        for player in lot.players:
            other_names = [
                name_of(other_player)
                for other_player in lot.players
                if other_player != player
            ]
            others_text = " and ".join(other_names)
            if len(other_names) > MOST_NAMES:
                others_text = f"{len(other_names)} players who are equal in everything"
            remarks[lot.prize_list, player] = f"{range_text}, by lot with {others_text}"
    for better_prize in awards.better:
        amount_text = money_text(better_prize.better, unit)
        list_and_player = better_prize.prize_list, better_prize.player
        remarks.setdefault(
            list_and_player, f"would get {amount_text} here: decide by your regulations"
        )
    return remarks


def _range_text(lot: PrizeLot, unit: Fraction) -> str:
    """Return what a lot can give as text: "50 or nothing", or "between 50 and 10".

    `unit` is what amounts are rounded to.
    """
    amount_texts = [
        money_text(lot_amount, unit) if lot_amount else "nothing"
        for lot_amount in dict.fromkeys(lot.amounts)
    ]
    if len(amount_texts) == 2:
        return " or ".join(amount_texts)
    return f"between {amount_texts[0]} and {amount_texts[-1]}"


def _reason_for_nobody(awards: PrizeAwards, rules: PrizeRules, prize_list: str) -> str:
    """Return the text why prizes of a list are not awarded.

    `prize_list` is the name of the list, and `awards` are the results. The text names
    the number of players in the group, and the least number of `rules`, if that is why.
    """
    size_by_list: Mapping[str, int] = awards.too_small
    if prize_list in size_by_list:
        return f"not awarded: {size_by_list[prize_list]} of {rules.least_players} players needed"
    return "not awarded: too few players"


def find_missing_prizes(source: ListSource) -> Message | None:
    """Return a message if the event has no prizes, or no results yet.

    Otherwise return None: the list can be made. `source` has the event.
    """
    rules = source.event.settings.prizes
    has_prizes = rules is not None and bool(rules.main or rules.groups)
    if not has_prizes:
        return message("list.no_prizes")
    return None if len(source.event.before) else message("list.no_results")


LISTS = (
    PrintedList(
        "prizes",
        "Prizes",
        "main prizes and prizes of groups, as the settings divide them",
        prize_columns,
        prizes_by_list,
        find_lack=find_missing_prizes,
        of_standings=True,
        published=False,
        section_head="Prize",
    ),
)
