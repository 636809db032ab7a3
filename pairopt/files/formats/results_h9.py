"""H9: the results of a Go tournament, as the European Go Database takes them.

The file has one line per player. pairopt writes this format and does not read it. Source:
A. Cieply, "Comments on submitting tournament results", European Go Federation. The head
and the columns are those of files that OpenGotha wrote.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pairopt.errors import UsageError
from pairopt.event.event import BYE_ROW, FORFEIT, Event
from pairopt.event.mcmahon import (
    COUNTRY_COLUMNS,
    RANK_COLUMNS,
    find_cells,
    handicaps_of,
    lacks_start_scores,
    ranks_of,
)
from pairopt.event.tie_breaks import tie_breaks_named
from pairopt.event.tie_breaks.base import PlayerRound, history_of
from pairopt.files.formats.base import EventText, Format, refuse_to_read
from pairopt.files.text_source import TextSource
from pairopt.messages import Note, message

CODES = ("MMS", "SOSM", "SOSOSM")
HEADINGS = ("MMS", "SOS", "SOSOS")
"""The tie-breaks by which players are placed, and their headings in the file."""
HEAD = re.compile(r"^; ((CL|EV|PC|DT|HA|KM)\[|Pl +Name )", re.MULTILINE)
UNKNOWN_COUNTRY = "xx"
UNKNOWN_CLUB = "xxxx"
NO_WORD = "-"
"""What stands for a missing given name, because names have two words."""
LETTERS_OF_CLUB = 4
LETTERS_OF_COUNTRY = 2
SYMBOLS = ("-", "=", "+")
"""The symbols of a loss, a draw and a win, by half points."""


def has_go_ranks(event: Event) -> bool:
    """Return whether an event has sides black and white, and a column of ranks."""
    has_sides = event.sides is not None and {*event.sides} == {"black", "white"}
    return has_sides and find_cells(event, RANK_COLUMNS) is not None


def write_h9(event: Event) -> EventText:
    """Return the results of a Go tournament as H9, with notes on what it cannot hold.

    No file is written. Players are placed by the tie-breaks MMS, SOSM and SOSOSM.
    Raises UsageError if the event has no sides black and white, no Go ranks, or is a
    round robin, in which games have no fixed rounds.
    """
    if not has_go_ranks(event):
        raise UsageError("h9.no_go")
    if event.origin.all_rounds_open:
        raise UsageError("h9.round_robin")

    player_history = history_of(event)
    tie_break_values_of_players = [
        [
            int(tie_break_value)
            for tie_break_value in tie_break.values(player_history, ())
        ]
        for tie_break in tie_breaks_named(CODES)
    ]
    tie_break_values_by_player = list(zip(*tie_break_values_of_players, strict=True))
    players_in_order = sorted(
        range(len(event.players)),
        key=lambda player: (
            [
                -tie_break_value
                for tie_break_value in tie_break_values_by_player[player]
            ],
            player,
        ),
    )
    place_by_player = {
        player: player_place for player_place, player in enumerate(players_in_order, 1)
    }

    rank_by_player = ranks_of(event).tolist()
    handicaps_by_player = handicaps_of(event).tolist()
    club_by_player = _shorten_cells(event, ("club",), LETTERS_OF_CLUB, UNKNOWN_CLUB)
    country_by_player = _shorten_cells(
        event, COUNTRY_COLUMNS, LETTERS_OF_COUNTRY, UNKNOWN_COUNTRY
    )
    name_by_player = [_format_name(player_name) for player_name in event.names]
    is_mcmahon = bool(event.brought.any())
    cell_rows = [["; Pl", "Name", "Rk", "Co", "Club", *HEADINGS]]
    for player in players_in_order:
        player_rounds = player_history.turns[player]
        result_cells = [
            _format_result(
                event, player_round, place_by_player, handicap_stones, is_mcmahon
            )
            for player_round, handicap_stones in zip(
                player_rounds, handicaps_by_player[player], strict=False
            )
        ]
        empty_result_cells = ["0-"] * (player_history.rounds - len(result_cells))
        cell_rows.append(
            [
                str(place_by_player[player]),
                name_by_player[player],
                _format_rank(rank_by_player[player]),
                country_by_player[player].upper(),
                club_by_player[player],
                *map(str, tie_break_values_by_player[player]),
                *result_cells,
                *empty_result_cells,
            ]
        )
    file_lines = [*_format_head(event), ";", *_align_columns(cell_rows)]
    return EventText(
        "".join(f"{file_line}\n" for file_line in file_lines), lost=_list_notes(event)
    )


def _format_head(event: Event) -> list[str]:
    """Return a comment line for each known fact: the title, the place and the dates.

    Unknown facts have no line, and the list may be empty.
    """
    settings = event.settings
    head_lines = []
    if settings.title:
        head_lines.append(f"; EV[{_clean_fact(settings.title)}]")
    if settings.city:
        head_lines.append(
            f"; PC[{_clean_fact(settings.federation)},{_clean_fact(settings.city)}]"
        )
    if settings.first_day is not None:
        last_day = settings.last_day or settings.first_day
        head_lines.append(f"; DT[{settings.first_day:%Y-%m-%d},{last_day:%Y-%m-%d}]")
    return head_lines


def _clean_fact(text: str) -> str:
    """Return a text as it stands in the head: on one line, with blanks for brackets."""
    return " ".join(re.sub(r"[\[\]]", " ", text).split())


def _format_name(name: str) -> str:
    """Return a name as two words, the family name first.

    In a name with a comma, the family name stands before the comma. Otherwise it is the
    first word. Underscores join the words of a family name or a given name.

    >>> _format_name("van Ditzhuijzen, Zeno"), _format_name("Fan Hui"), _format_name("Akiko")
    ('van_Ditzhuijzen Zeno', 'Fan Hui', 'Akiko -')
    """
    name_without_semicolons = name.replace(";", " ")
    family_name, comma, given_name = name_without_semicolons.partition(",")
    if not comma:
        family_name, _, given_name = name_without_semicolons.strip().partition(" ")
    name_words = (
        "_".join(name_part.replace(",", " ").split())
        for name_part in (family_name, given_name)
    )
    return " ".join(name_part or NO_WORD for name_part in name_words)


def _format_rank(rank: int) -> str:
    """Return a Go rank in the file's form, for example 2D or 3K.

    >>> _format_rank(1), _format_rank(-3)
    ('2D', '3K')
    """
    return f"{rank + 1}D" if rank >= 0 else f"{-rank}K"


def _shorten_cells(
    event: Event, columns: Sequence[str], letters: int, unknown: str
) -> list[str]:
    """Return the first `letters` letters of each player's cell in a column.

    The column is the first of `columns` that the event has. Spaces and semicolons are
    left out, and an empty cell becomes `unknown`. Without any of the columns all become
    `unknown`.
    """
    column_cells = find_cells(event, columns) or [""] * len(event.players)
    return [re.sub(r"[\s;]", "", cell)[:letters] or unknown for cell in column_cells]


def _format_result(
    event: Event,
    turn: PlayerRound,
    place_of: dict[int, int],
    stones: int,
    is_mcmahon: bool,
) -> str:
    """Return the result of a round: opponent's place, symbol, colour and handicap.

    For example, 12+/b3 is a win with Black and 3 stones against the player in place 12.
    Without a game it is 0+, 0= or 0-, the same score as in the tie-break MMS. `turn` is
    the player's round, `place_of` has the place of each player, from 1, and `stones`
    are the handicap. A round without a match or a pairing-allocated bye is 0= if
    `is_mcmahon` (players began with different scores), otherwise 0-.
    """
    if turn.status == BYE_ROW:
        return "0+"
    half_point_count = 0
    if turn.points > turn.against:
        half_point_count = 2
    elif turn.points == turn.against > 0:
        half_point_count = 1
    if turn.played:
        colour_name = (
            "" if event.sides is None or turn.side < 0 else event.sides[turn.side]
        )
        colour_and_stones = f"/{colour_name[0]}{abs(stones)}" if colour_name else ""
        return (
            f"{place_of[turn.opponent]}{SYMBOLS[half_point_count]}{colour_and_stones}"
        )
    if turn.status == FORFEIT:
        return f"0{SYMBOLS[half_point_count]}"
    return "0=" if is_mcmahon else "0-"


def _align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines with aligned columns; the first row may have fewer cells.

    Cells of columns 1 and 4, counted from 0 (names and clubs), begin at the left, other
    cells end at the right. A blank separates columns.
    """
    column_count = max(map(len, rows))
    column_widths = [
        max(
            len(row_cells[column_index])
            for row_cells in rows
            if column_index < len(row_cells)
        )
        for column_index in range(column_count)
    ]
    aligned_lines = []
    for row_cells in rows:
        padded_cells = [
            cell.ljust(column_widths[column_index])
            if column_index in (1, 4)
            else cell.rjust(column_widths[column_index])
            for column_index, cell in enumerate(row_cells)
        ]
        aligned_lines.append(" ".join(padded_cells).rstrip())
    return aligned_lines


def _list_notes(event: Event) -> tuple[Note, ...]:
    """Return notes on what the file does not hold, and on names without a comma.

    At most three such names are given.
    """
    notes = [message("h9.results_only"), message("h9.not_in_event")]
    if lacks_start_scores(event):
        notes.append(message("standing.go_swiss"))
    names_without_comma = [
        player_name for player_name in event.names if "," not in player_name
    ]
    if names_without_comma:
        notes.append(message("h9.names", names=names_without_comma[:3]))
    return tuple(notes)


def _is_h9(source: TextSource) -> bool:
    """Return whether a text begins with a comment and has a comment of the head of H9.

    `source` is the text of a file. Such a comment is for example "; EV[Open]".
    """
    is_comment_first = source.text.lstrip().startswith(";")
    return is_comment_first and HEAD.search(source.text) is not None


FORMAT = Format(
    name="h9",
    expected="results of a Go tournament as H9",
    of=TextSource,
    recognises=_is_h9,
    read=refuse_to_read("h9.not_read"),
    write=write_h9,
    suffixes=(".h9",),
    written_only=True,
)
