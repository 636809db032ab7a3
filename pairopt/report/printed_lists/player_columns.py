"""Columns that several printed lists have: what identifies a player, points and tie-breaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pairopt.event.group_members import birth_years, normalize_cell, player_cells
from pairopt.event.tie_breaks import tie_breaks_named
from pairopt.messages.formatting import decimal_text, escape_hidden
from pairopt.report.printed_lists.base import Cell, CellKind, ListColumn, ListSource

USUAL_IN_CROSS_TABLES = ("title", "rating", "federation")
"""The columns of a player that cross tables have."""
PRIVATE = ("sex", "birth")
"""Columns that published lists have only if the event's settings name them."""
PlayerCell = Callable[[int], Cell]
_LOOKS: Mapping[str, tuple[str, CellKind, str]] = {
    "title": ("Title", "text", ""),
    "fide_id": ("FideID", "text", "FIDE identification number"),
    "federation": ("FED", "text", "Federation"),
    "rating": ("Rtg", "number", "Rating"),
    "club": ("Club", "text", ""),
    "sex": ("Sex", "text", ""),
    "birth": ("Born", "number", "Year of birth"),
    "groups": ("Typ", "text", "Groups of the player"),
}
"""Head, kind and meaning of the columns that the setting `list_columns` can name."""


def number_column(source: ListSource, head: str = "No.") -> ListColumn:
    """Return the column of start numbers, with the heading `head`.

    Rows are positions of players in the event. `source` has the event.
    """
    start_numbers = source.event.start_numbers.tolist()
    return ListColumn(
        "start", head, start_numbers.__getitem__, "number", "Start number"
    )


def name_column(source: ListSource) -> ListColumn:
    """Return the column of names; rows are positions of players in the event.

    `source` has the event.
    """
    return ListColumn("name", "Name", source.event.shown.__getitem__, "name")


def player_columns(source: ListSource, usual: Sequence[str]) -> list[ListColumn]:
    """Return the title, the name, and further columns of a player.

    `usual` are the keys of the columns that the list can have, in their order. The
    setting `list_columns` chooses among them; otherwise those are shown that some
    player has. The name is always shown, after the title if that is shown. Rows are
    positions of players in the event. `source` has the event.
    """
    title_columns = []
    other_columns = []
    for column_key in choose_columns(source, usual):
        column_head, cell_kind, head_meaning = _LOOKS[column_key]
        player_column = ListColumn(
            column_key,
            column_head,
            player_cell(source, column_key),
            cell_kind,
            head_meaning,
        )
        if column_key == "title":
            title_columns.append(player_column)
        else:
            other_columns.append(player_column)
    return [*title_columns, name_column(source), *other_columns]


def choose_columns(source: ListSource, usual: Sequence[str]) -> list[str]:
    """Return the keys of the columns to show, among those that a list can have.

    The event's setting `list_columns` chooses them and their order, and may name
    private ones (sex and birth). Without it, those of `usual` are shown that some
    player has, but private ones not in public. `source` has the event.
    """
    chosen_keys = source.event.settings.list_columns
    if chosen_keys is not None:
        return [chosen_key for chosen_key in chosen_keys if chosen_key in usual]

    player_count = len(source.event.players)
    shown_keys = []
    for usual_key in usual:
        cell_of = player_cell(source, usual_key)
        is_hidden = source.public and usual_key in PRIVATE
        if not is_hidden and any(map(cell_of, range(player_count))):
            shown_keys.append(usual_key)
    return shown_keys


def player_cell(source: ListSource, key: str) -> PlayerCell:
    """Return a function from a player's position to the cell of a column.

    `key` is title, fide_id, federation, rating, club, sex, birth or groups. Titles and
    federations are in upper case, and hidden characters are shown. A cell that nobody
    has filled in is "". The sex is its first small letter, "w" for "F". `source` has
    the event.
    """
    event = source.event
    if key == "rating":
        return event.shown_rating
    if key == "birth":
        return [birth_year or "" for birth_year in birth_years(event)].__getitem__
    if key == "groups":
        return _group_names(source).__getitem__
    cells_by_player = [
        escape_hidden(column_cell) for column_cell in player_cells(event, key)
    ]
    if key == "sex":
        cells_by_player = [
            normalize_cell(key, column_cell) for column_cell in cells_by_player
        ]
    if key in ("title", "federation"):
        cells_by_player = [column_cell.upper() for column_cell in cells_by_player]
    return cells_by_player.__getitem__


def _group_names(source: ListSource) -> list[str]:
    """Return for each player the names of their groups, with commas between them.

    Players are in the order of the event; the text is "" for a player in no group.
    `source` has the event.
    """
    names_by_player: list[list[str]] = [[] for _ in source.event.players]
    for group, membership_mask in source.members_by_group.items():
        for player, is_in_group in enumerate(membership_mask):
            if is_in_group:
                names_by_player[player].append(escape_hidden(group.name))
    return [", ".join(names_of_player) for names_of_player in names_by_player]


def titled_name(source: ListSource, is_titled: bool) -> PlayerCell:
    """Return a function from a player's position to the name.

    If `is_titled`, the player's title, if any, stands in front of the name. `source`
    has the event.
    """
    shown_names = source.event.shown
    if not is_titled:
        return shown_names.__getitem__
    title_of = player_cell(source, "title")
    return lambda player: f"{title_of(player)} {shown_names[player]}".strip()


def rank_column(source: ListSource) -> ListColumn:
    """Return the column of ranks, which equal players share.

    Rows are positions of players in the event. `source` has the event.
    """
    standing_by_player = source.line_by_player
    return ListColumn(
        "rank", "Rk.", lambda player: standing_by_player[player].rank, "number", "Rank"
    )


def score_columns(source: ListSource) -> list[ListColumn]:
    """Return the columns of points and of the tie-breaks, in their order.

    Rows are positions of players in the event. `source` has the event.
    """
    return [points_column(source), *tie_break_columns(source)]


def points_column(source: ListSource) -> ListColumn:
    """Return the column of points, as decimal texts.

    Rows are positions of players in the event. `source` has the event.
    """
    standing_by_player = source.line_by_player
    return ListColumn(
        "points",
        "Pts.",
        lambda player: decimal_text(standing_by_player[player].points),
        "number",
        "Points",
    )


def tie_break_columns(source: ListSource) -> list[ListColumn]:
    """Return a column for each of the event's tie-breaks, in their order.

    A tie-break with a code has the code as its head, and its name as the meaning. Rows
    are positions of players in the event. `source` has the event.
    """
    standing_by_player = source.line_by_player
    columns_of_tie_breaks = []
    for tie_break in tie_breaks_named(source.tie_breaks):

        def value(
            player: int,
            name: str = tie_break.name,
            shown: Callable[..., str] = tie_break.shown,
        ) -> str:
            """Return a player's value of one tie-break as text.

            `player` is a position in the event, `name` the tie-break, and `shown` turns
            its value into text.
            """
            return shown(standing_by_player[player].tie_breaks[name])

        is_code = tie_break.name.isupper()
        column_head = tie_break.name if is_code else tie_break.heading
        head_meaning = tie_break.heading if is_code else ""
        columns_of_tie_breaks.append(
            ListColumn(tie_break.name, column_head, value, "number", head_meaning)
        )
    return columns_of_tie_breaks
