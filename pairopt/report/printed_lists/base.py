"""Declare printed lists: columns, order and sections; fill them from an event.

A module of this package declares each list once, as a `PrintedList`. The page, prints,
CSV, workbooks, the command line and static pages show what `fill_list` returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from pairopt.event.event import Event
from pairopt.event.group_members import find_members
from pairopt.event.groups import PlayerGroup
from pairopt.event.standings import Standing, standings_lines, tie_breaks_of
from pairopt.messages import Message
from pairopt.report.views import progress_text

Cell = str | int
CellKind = Literal["number", "money", "text", "name", "result"]
"""How a column is set: numbers and sums of money at the end of their column, names with
their scripts."""


@dataclass(frozen=True)
class ListSource:
    """An event with what several lists need of it, computed once.

    `round` is the round of a list of pairings, 0 for lists of the whole event. A list
    that is `public` is published: by default it has no sex and no year of birth. It has
    the standings, orders of players, and the members of groups.
    """

    event: Event
    round: int = 0
    public: bool = False

    @cached_property
    def tie_breaks(self) -> Sequence[str]:
        """The names of the tie-breaks, in their order."""
        return tie_breaks_of(self.event)

    @cached_property
    def standings(self) -> Sequence[Standing]:
        """The standings, best first.

        While adjourned games remain after the last round, a public list has them with
        these games as draws, and its title says so. Other lists raise UsageError then.
        """
        return standings_lines(
            self.event, self.tie_breaks, None, None, is_provisional=self.public
        )[0]

    @cached_property
    def ranked_players(self) -> Sequence[int]:
        """The positions of the players in the event, best first."""
        return [self.event.index[standing.player] for standing in self.standings]

    @cached_property
    def line_by_player(self) -> Mapping[int, Standing]:
        """The line in the standings by a player's position in the event.

        Its order is that of the standings.
        """
        return dict(zip(self.ranked_players, self.standings, strict=True))

    @cached_property
    def place_by_player(self) -> Mapping[int, int]:
        """The place of each player, from 1; unlike ranks, no two players share one.

        Players who share a rank have their places in the order of the list of players.
        """
        return {
            player: place_number
            for place_number, player in enumerate(self.ranked_players, 1)
        }

    @cached_property
    def players_by_number(self) -> Sequence[int]:
        """The positions of the players in the order of their start numbers."""
        start_numbers = self.event.start_numbers.tolist()
        return sorted(range(len(start_numbers)), key=start_numbers.__getitem__)

    @cached_property
    def members_by_group(self) -> Mapping[PlayerGroup, Sequence[bool]]:
        """For each group of the event's settings, which players are in it.

        A mask has one entry per player, in the order of the event.
        """
        return {
            group: find_members(self.event, group)
            for group in self.event.settings.groups
        }


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A column of a printed list.

    `key` is the heading in CSV, `head` the one on paper, and `meaning` says in full
    what an abbreviated head stands for, "" if it needs no explanation. `value` returns
    the cell of a row, which is what the list's sections have as rows. `kind` says how
    cells are set.
    """

    key: str
    head: str
    value: Callable[[Any], Cell]
    kind: CellKind = "text"
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class ListSection:
    """Rows of a list under a heading; "" for a list without sections.

    A row is what the columns take their values from, for example a player's position.
    """

    heading: str
    rows: Sequence[Any]


@dataclass(frozen=True, slots=True)
class PrintedList:
    """The declaration of a list that hangs on the wall.

    Attributes
    ----------
    name : str
        Its name in commands and addresses, for example "cross-table".
    title : str
        Its title.
    use : str
        What the list shows, for a menu.
    columns, sections : callable
        Return the columns and the sections with their rows, in their order.
    find_lack : callable
        Returns what the event lacks for this list, None if it can be made.
    of_round : bool
        Whether it is a list of one round.
    of_standings : bool
        Whether its title says after which round it is.
    published : bool
        Whether static pages have it.
    section_head : str
        The heading of the column with the sections, in CSV and workbooks.
    """

    name: str
    title: str
    use: str
    columns: Callable[[ListSource], Sequence[ListColumn]]
    sections: Callable[[ListSource], Sequence[ListSection]]
    find_lack: Callable[[ListSource], Message | None] = lambda _: None
    of_round: bool = False
    of_standings: bool = False
    published: bool = True
    section_head: str = ""


@dataclass(frozen=True, slots=True)
class FilledSection:
    """Rows of cells under a heading; the heading is "" in a list without sections."""

    heading: str
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class FilledList:
    """A printed list with its cells, for any medium.

    A row has one cell per column. `section_head` is the heading of a column with the
    sections, which CSV and workbooks have; it is "" for a list without sections.
    `table` is for CSV: it returns the keys of the columns, and the rows of all
    sections. `headed_table` is for workbooks: it returns the headings of the columns
    instead of the keys. In both, the first column has each row's section if there is a
    `section_head`.
    """

    name: str
    title: str
    columns: Sequence[ListColumn]
    sections: Sequence[FilledSection]
    section_head: str = ""

    @property
    def is_wide(self) -> bool:
        """Whether the list needs a page in landscape format: over 13 columns."""
        return len(self.columns) > MOST_COLUMNS_IN_PORTRAIT

    @property
    def row_count(self) -> int:
        """The number of rows of all sections."""
        return sum(len(section.rows) for section in self.sections)

    def table(self) -> tuple[list[str], list[list[Cell]]]:
        """Return the keys of the columns, and the rows of all sections, for CSV.

        If the list has a section head, the first column has each row's section.
        """
        column_keys = [list_column.key for list_column in self.columns]
        if self.section_head:
            column_keys = [self.section_head.lower(), *column_keys]
        return column_keys, self._rows_with_sections()

    def headed_table(self) -> tuple[list[str], list[list[Cell]]]:
        """Return the heads of the columns, and the rows of all sections, for workbooks.

        If the list has a section head, the first column has each row's section.
        """
        column_heads = [list_column.head for list_column in self.columns]
        if self.section_head:
            column_heads = [self.section_head, *column_heads]
        return column_heads, self._rows_with_sections()

    def _rows_with_sections(self) -> list[list[Cell]]:
        """Return the rows of all sections in one list, as new lists of cells.

        If the list has a section head, each row begins with the heading of its section.
        """
        if not self.section_head:
            return [
                [*section_row]
                for section in self.sections
                for section_row in section.rows
            ]
        return [
            [section.heading, *section_row]
            for section in self.sections
            for section_row in section.rows
        ]


MOST_COLUMNS_IN_PORTRAIT = 13


def fill_list(printed_list: PrintedList, source: ListSource) -> FilledList:
    """Return a list of an event with all its cells.

    `printed_list` declares the list, and `source` has the event. The event must have
    what the list needs; this is not checked.
    """
    list_columns = printed_list.columns(source)
    sections = [
        FilledSection(
            section.heading,
            [
                [list_column.value(source_row) for list_column in list_columns]
                for source_row in section.rows
            ],
        )
        for section in printed_list.sections(source)
    ]
    return FilledList(
        printed_list.name,
        list_title(printed_list, source),
        list_columns,
        sections,
        printed_list.section_head,
    )


def list_title(printed_list: PrintedList, source: ListSource) -> str:
    """Return the title of a list, with its round or the last round that it counts.

    `printed_list` declares the list, and `source` has the event and the round. For
    example "Round 3, pairings and results" or "Ranking after round 3". Other lists have
    their plain title.
    """
    plain_title = printed_list.title
    if printed_list.of_round:
        return f"Round {source.round}, {plain_title[0].lower()}{plain_title[1:]}"
    if printed_list.of_standings:
        return f"{plain_title} {progress_text(source.event)}"
    return plain_title
