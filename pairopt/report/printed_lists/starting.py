"""Starting lists: all players by start number, by name and by federation."""

from collections.abc import Sequence

from pairopt.messages import Message, message
from pairopt.messages.formatting import alphabetical_key
from pairopt.report.printed_lists.base import (
    ListColumn,
    ListSection,
    ListSource,
    PrintedList,
)
from pairopt.report.printed_lists.player_columns import (
    number_column,
    player_cell,
    player_columns,
)

USUAL = ("title", "fide_id", "federation", "rating", "club", "sex", "birth", "groups")


def starting_columns(source: ListSource) -> Sequence[ListColumn]:
    """Return a starting list's columns: start number, and who the player is.

    Rows are positions of players in the event. `source` has the event.
    """
    return [number_column(source), *player_columns(source, USUAL)]


def by_number(source: ListSource) -> Sequence[ListSection]:
    """Return one section with all players by start number, as positions in the event.

    `source` has the event.
    """
    return [ListSection("", source.players_by_number)]


def by_name(source: ListSource) -> Sequence[ListSection]:
    """Return one section with all players' positions in alphabetical order.

    `source` has the event.
    """
    shown_names = source.event.shown
    sorted_players = sorted(
        range(len(shown_names)),
        key=lambda player: alphabetical_key(shown_names[player]),
    )
    return [ListSection("", sorted_players)]


def by_federation(source: ListSource) -> Sequence[ListSection]:
    """Return a section per federation, with its players by start number.

    Federations are in alphabetical order. Players without one come last, under "No
    federation". Rows are positions of players in the event. `source` has the event.
    """
    federation_of = player_cell(source, "federation")
    players_by_federation: dict[str, list[int]] = {}
    for player in source.players_by_number:
        players_by_federation.setdefault(str(federation_of(player)), []).append(player)
    # Players without a federation come last.
    federation_codes = sorted(players_by_federation, key=lambda code: (not code, code))
    return [
        ListSection(
            federation_code or "No federation", players_by_federation[federation_code]
        )
        for federation_code in federation_codes
    ]


def find_missing_federations(source: ListSource) -> Message | None:
    """Return a message if no player has a federation; otherwise None.

    `source` has the event.
    """
    federation_of = player_cell(source, "federation")
    if any(map(federation_of, range(len(source.event.players)))):
        return None
    return message("list.no_cells", column="federation")


LISTS = (
    PrintedList(
        "starting-list",
        "Starting list",
        "all players by start number",
        starting_columns,
        by_number,
    ),
    PrintedList(
        "starting-list-by-name",
        "Starting list by name",
        "all players from A to Z",
        starting_columns,
        by_name,
        published=False,
    ),
    PrintedList(
        "starting-list-by-federation",
        "Starting list by federation",
        "the players of each federation",
        starting_columns,
        by_federation,
        find_lack=find_missing_federations,
        published=False,
        section_head="Federation",
    ),
)
