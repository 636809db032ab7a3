"""Counts of players by rating and title, as FIDE's tournament report (IT3) asks them.

pairopt does not fill in FIDE's workbook. It counts, and names the players behind each
number, so that an arbiter can check the numbers and copy them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pairopt.event.event import Event
from pairopt.event.group_members import player_cells

TITLES = ("GM", "IM", "FM", "WGM", "WIM", "WFM")
"""The titles that the report counts; CM and WCM are not among them."""
SHORT_TITLES = {
    "G": "GM",
    "M": "IM",
    "F": "FM",
    "GF": "WGM",
    "MF": "WIM",
    "FF": "WFM",
    "WG": "WGM",
    "WI": "WIM",
    "WF": "WFM",
    "WM": "WIM",
}
"""Titles as FIDE's lists and older reports have them."""


@dataclass(frozen=True, slots=True)
class ClassCount:
    """The number of players of one class, and what it consists of.

    `name` names the class, and `players` are the positions of its players in the event.
    `federations` are the codes of their federations, in alphabetical order. `from_host`
    counts the players of the host federation, None if it is unknown.
    """

    name: str
    players: tuple[int, ...]
    federations: tuple[str, ...]
    from_host: int | None


def count_classes(event: Event, host: str = "") -> list[ClassCount]:
    """Count the players of each class: all, rated, unrated, and each title.

    Parameters
    ----------
    event : Event
        The event. Players who were never paired don't count, once a round is paired.
    host : str
        The code of the host federation in any case, "" if it is unknown.

    Returns
    -------
    list of ClassCount
        A count for each class in this order, also where no player is in it.
    """
    participants = _participants(event)
    titles_by_player = [
        normalize_title(player_cell) for player_cell in player_cells(event, "title")
    ]
    is_rated_by_player = (event.rating > 0).tolist()

    class_names_and_tests: list[tuple[str, Callable[[int], bool]]] = [
        ("All", lambda _: True),
        ("Rated", lambda player: bool(is_rated_by_player[player])),
        ("Unrated", lambda player: not is_rated_by_player[player]),
    ]
    class_names_and_tests += [
        (title, _has_title(titles_by_player, title)) for title in TITLES
    ]
    federation_by_player = [
        player_cell.upper() for player_cell in player_cells(event, "federation")
    ]
    return [
        _count_class(
            class_name,
            [player for player in participants if is_in_class(player)],
            federation_by_player,
            host.strip().upper(),
        )
        for class_name, is_in_class in class_names_and_tests
    ]


def normalize_title(cell: str) -> str:
    """Return the title in a cell in FIDE's usual form, for example "GM" for "g".

    Any other text is returned in capitals, without blanks around it.

    >>> normalize_title("wm")
    'WIM'
    """
    upper_title = cell.strip().upper()
    return SHORT_TITLES.get(upper_title, upper_title)


def _participants(event: Event) -> list[int]:
    """Return the positions of the players who have a row in some round, ascending.

    Before the event has any row, these are all players.
    """
    all_positions = range(len(event.players))
    if not len(event.matches):
        return [*all_positions]
    has_row_by_player = event.matches.player_mask(len(event.players)).tolist()
    return [
        player_position
        for player_position in all_positions
        if has_row_by_player[player_position]
    ]


def _has_title(titles: Sequence[str], title: str) -> Callable[[int], bool]:
    """Build a test whether the player at a position has a title.

    `titles` has the title of each player, in FIDE's usual form.
    """
    return lambda player: titles[player] == title


def _count_class(
    name: str, players: Sequence[int], federations: Sequence[str], host: str
) -> ClassCount:
    """Count the players of one class, their federations, and those of the host.

    `name` is that of the class. `players` are the positions in the class, `federations`
    the code of each player of the event, "" if unknown. `host` is the code of the host
    federation. If it is "", `from_host` is None.
    """
    federations_of_class = {
        federations[player_position] for player_position in players
    } - {""}
    host_player_count = None
    if host:
        host_player_count = sum(
            federations[player_position] == host for player_position in players
        )
    return ClassCount(
        name, tuple(players), tuple(sorted(federations_of_class)), host_player_count
    )
