"""The ranking with federation and club, and rankings by group, sex, federation and more."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pairopt.event.group_members import normalize_cell, player_cells
from pairopt.messages import Message, message
from pairopt.messages.formatting import escape_hidden
from pairopt.report.printed_lists.base import (
    ListColumn,
    ListSection,
    ListSource,
    PrintedList,
)
from pairopt.report.printed_lists.player_columns import (
    number_column,
    player_columns,
    rank_column,
    score_columns,
)

USUAL = ("title", "federation", "rating", "club")
POSSIBLE = (*USUAL, "fide_id", "sex", "birth", "groups")
SEXES = {"w": "Women", "m": "Men"}
GroupRow = tuple[int, int]
"""A player's position in the event, and the rank in the group."""


def ranking_columns(source: ListSource) -> list[ListColumn]:
    """Return rank, start number, what identifies a player, points and tie-breaks.

    Rows are positions of players in the event. The setting `list_columns` can add
    columns that a ranking does not have otherwise. `source` has the event.
    """
    is_chosen = source.event.settings.list_columns is not None
    return [
        rank_column(source),
        number_column(source, "SNo"),
        *player_columns(source, POSSIBLE if is_chosen else USUAL),
        *score_columns(source),
    ]


def by_rank(source: ListSource) -> Sequence[ListSection]:
    """Return one section with all players by rank, as positions in the event.

    `source` has the event.
    """
    return [ListSection("", source.ranked_players)]


def group_columns(source: ListSource) -> Sequence[ListColumn]:
    """Return the columns of the ranking, with the rank in the group in front.

    Rows are pairs of a player's position and the rank in the group. `source` has the
    event.
    """

    def of_player(column: ListColumn) -> ListColumn:
        """Return a column of the ranking for rows that have the rank in the group, too."""
        return ListColumn(
            column.key,
            column.head,
            lambda row: column.value(row[0]),
            column.kind,
            column.meaning,
        )

    group_rank = ListColumn(
        "group_rank", "Grp", lambda row: row[1], "number", "Rank in the group"
    )
    return [group_rank, *map(of_player, ranking_columns(source))]


def group_section(
    source: ListSource, heading: str, is_member: Sequence[bool]
) -> ListSection:
    """Return a section with a group's players by rank, and their rank in the group.

    `heading` is that of the section, and `is_member` has one entry for each player of
    the event. Rows are pairs of a player's position and the rank in the group, from 1.
    Players who share a rank share the rank in the group, too. The section is empty for
    a group without players. `source` has the event.
    """
    group_members = [player for player in source.ranked_players if is_member[player]]
    group_rows: list[GroupRow] = []
    for place_in_group, player in enumerate(group_members, 1):
        group_rank = place_in_group
        if group_rows:
            previous_player, previous_group_rank = group_rows[-1]
            standing_by_player = source.line_by_player
            if (
                standing_by_player[previous_player].rank
                == standing_by_player[player].rank
            ):
                group_rank = previous_group_rank
        group_rows.append((player, group_rank))
    return ListSection(heading, group_rows)


def by_group(source: ListSource) -> Sequence[ListSection]:
    """Return a section per group of the event's settings; a player can be in several.

    Rows are pairs of a player's position and the rank in the group. `source` has the
    event.
    """
    return [
        group_section(source, escape_hidden(group.name), is_member)
        for group, is_member in source.members_by_group.items()
    ]


def find_missing_groups(source: ListSource) -> Message | None:
    """Return a message if the event's settings have no groups; otherwise None.

    `source` has the event.
    """
    return None if source.event.settings.groups else message("list.no_groups")


def by_column(source: ListSource, column: str) -> Sequence[ListSection]:
    """Return a section per value of a column of players.csv, in alphabetical order.

    Each player is in one section, and those without a value come last, under "No" and
    the name of the column. Values that differ only in their spelling share a section.
    Rows are pairs of a player's position and the rank in the section. `source` has the
    event.
    """
    column_cells = player_cells(source.event, column)
    normalized_cells = [
        normalize_cell(column, column_cell) for column_cell in column_cells
    ]
    heading_by_value = dict(
        zip(reversed(normalized_cells), reversed(column_cells), strict=True)
    )
    sections = []
    for section_value in sorted(heading_by_value, key=lambda text: (not text, text)):
        section_heading = (
            escape_hidden(heading_by_value[section_value]) or f"No {column}"
        )
        if column == "sex":
            section_heading = SEXES.get(section_value, section_heading)
        if column == "federation" and section_value:
            section_heading = section_heading.upper()
        is_member = [cell_value == section_value for cell_value in normalized_cells]
        sections.append(group_section(source, section_heading, is_member))
    return sections


def find_missing_cells(source: ListSource, column: str) -> Message | None:
    """Return a message if no player has a cell in a column of players.csv.

    Otherwise return None: the list can be made. `source` has the event.
    """
    if any(player_cells(source.event, column)):
        return None
    return message("list.no_cells", column=column)


def _declare_ranking_by(column: str, published: bool = True) -> PrintedList:
    """Declare the ranking by a column of players.csv, such as "club".

    `published` says whether static pages have it.
    """
    return PrintedList(
        f"ranking-by-{column}",
        f"Ranking by {column}",
        f"overall rank and rank by {column}",
        group_columns,
        partial(by_column, column=column),
        find_lack=partial(find_missing_cells, column=column),
        of_standings=True,
        published=published,
        section_head=column.capitalize(),
    )


LISTS = (
    PrintedList(
        "ranking",
        "Ranking",
        "with federation, club and tie-breaks",
        ranking_columns,
        by_rank,
        of_standings=True,
    ),
    PrintedList(
        "ranking-by-group",
        "Ranking by group",
        "overall rank and rank in each group of the settings",
        group_columns,
        by_group,
        find_lack=find_missing_groups,
        of_standings=True,
        section_head="Group",
    ),
    _declare_ranking_by("category"),
    _declare_ranking_by("federation"),
    _declare_ranking_by("club"),
    _declare_ranking_by("sex", published=False),
)
