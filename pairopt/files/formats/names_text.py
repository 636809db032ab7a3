"""Lists of names, one per line, as people paste them."""

from dataclasses import replace

from pairopt.errors import InputError
from pairopt.event.event import Event
from pairopt.event.name_search import normalize_name
from pairopt.files.build_event import ReadOptions, build_event
from pairopt.files.formats.base import Format
from pairopt.files.formats.players_csv import read_players
from pairopt.files.pasted import Pasted, PastedLine, read_pasted
from pairopt.files.text_source import TextSource
from pairopt.files.text_tables import TextTable
from pairopt.messages import message


def recognises(source: TextSource) -> bool:
    """Return whether a text can be read as a list of names, one or several per line.

    `source` is the text. A single line is enough only if somebody typed or pasted it.
    """
    return read_names(source) is not None


def read_names(source: TextSource) -> Pasted | None:
    """Read the lines of a text as names; None if they are not names.

    `source` is the text and its name in notes. A single line is enough only if somebody
    typed or pasted the text.
    """
    return read_pasted(source.text, source.name, fewest=1 if source.typed else 2)


def read(source: TextSource, how: ReadOptions) -> Event:
    """Read a list of names as an event before its first round.

    `source` must be a list of names, and `how` has the reading options. Lines that may
    be read in two ways are in `origin.doubts`. Raises InputError if the list has no
    player.
    """
    pasted = read_names(source)
    assert pasted is not None, "it was recognised"
    return build_first_round(source.name, pasted, how)


def build_first_round(source: str, pasted: Pasted, how: ReadOptions) -> Event:
    """Build an event before its first round from a pasted list.

    The players are the lines of `pasted` that are players; doubts go to
    `origin.doubts`. Ratings and remarks become columns if there are any. `source` is
    the name of the list in messages, and `how` has the reading options. Raises
    InputError if it has no player.
    """
    player_lines = pasted.players
    if not player_lines:
        raise InputError(source, "pasted.nobody")
    cells_by_column = {
        "player": _make_names_unique(player_lines),
        "rating": [pasted_line.rating for pasted_line in player_lines],
        "remark": [pasted_line.remark for pasted_line in player_lines],
    }
    filled_columns = {
        column_name: column_cells
        for column_name, column_cells in cells_by_column.items()
        if column_name == "player" or any(column_cells)
    }
    player_list = TextTable(
        source, filled_columns, [pasted_line.number for pasted_line in player_lines]
    )
    event = build_event(source, [], read_players(player_list), how)

    notes = (*event.notes, message("listing.names", source=source), *pasted.notes)
    doubts = tuple(
        pasted_line.fault
        for pasted_line in pasted.doubts
        if pasted_line.fault is not None
    )
    return replace(event, notes=notes, origin=replace(event.origin, doubts=doubts))


def _make_names_unique(players: list[PastedLine]) -> list[str]:
    """Return the names, with a number after each repeat: Ann, Ann (2).

    `players` are the lines that are players, one name for each in their order. Names
    that differ only in case, blanks or invisible characters are repeats, too.
    """
    used_normalized_names = set[str]()
    unique_names = []
    for pasted_line in players:
        unique_name = pasted_line.name
        suffix_number = 2
        while normalize_name(unique_name) in used_normalized_names:
            unique_name = f"{pasted_line.name} ({suffix_number})"
            suffix_number = suffix_number + 1
        used_normalized_names.add(normalize_name(unique_name))
        unique_names.append(unique_name)
    return unique_names


FORMAT = Format(
    name="names",
    expected="a list of names, one per line",
    of=TextSource,
    recognises=recognises,
    read=read,
    loose=True,
)
