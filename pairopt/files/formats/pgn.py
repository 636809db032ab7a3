"""PGN: the pairings of an event as games without moves, for broadcasts.

Boards and broadcast sites take players, ratings and board numbers from such a file. It
holds no points, byes and tie-breaks, so pairopt writes this format and does not read
it. Source: PGN Standard of 1994, chapters 7 and 8 (export format).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.event import FORFEIT, Event, Matches
from pairopt.event.score_checks import infer_points
from pairopt.files.formats.base import EventText, Format, refuse_to_read
from pairopt.files.text_source import TextSource
from pairopt.messages import message

UNKNOWN, UNFINISHED = "?", "*"
UNKNOWN_DATE = "????.??.??"
LONGEST_VALUE = 255
"""The most characters of a tag's value; longer ones may be cut by other programs."""
TITLES = frozenset(("GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM"))


def pgn_text(event: Event, round_number: int | None = None) -> str:
    """Return the games of an event, or of one round, as PGN without moves.

    `round_number` None stands for all rounds. There is one game per match, without
    byes, in the order of rounds and tables. A game without a result and an adjourned
    game have the result "*". Raises UsageError if the sides of the event are not white
    and black.
    """
    if event.sides != ("white", "black"):
        raise UsageError("pgn.no_chess")
    written_matches = event.matches
    is_written = written_matches.second >= 0
    if round_number is not None:
        is_written &= written_matches.round == round_number
    written_matches = written_matches.take(is_written)
    match_indices_in_order = sorted(
        range(len(written_matches)),
        key=lambda match_index: (
            int(written_matches.round[match_index]),
            int(written_matches.table[match_index]) or len(written_matches) + 1,
            match_index,
        ),
    )
    # An adjourned game counts as a draw until it is played on, but it is not finished.
    is_finished = written_matches.scored & ~np.isin(
        written_matches.row, event.adjourned.row
    )
    return "".join(
        _format_game(
            event, written_matches, match_index, bool(is_finished[match_index])
        )
        for match_index in match_indices_in_order
    )


def write_pgn(event: Event) -> EventText:
    """Return all rounds of an event as PGN, with a note on what it cannot hold.

    No file is written. Raises UsageError if the sides of the event are not white and
    black.
    """
    return EventText(pgn_text(event), lost=(message("pgn.pairings_only"),))


def _format_game(event: Event, rows: Matches, index: int, is_finished: bool) -> str:
    """Return one game: one line per tag, a blank line, the result, and a blank line.

    `rows` are matches of the event, and `index` is the position of the game among them,
    from 0. A game that is not finished has the result "*". Tags without a value are
    left out. A forfeit has a tag that it was not played.
    """
    white_player, black_player = int(rows.first[index]), int(rows.second[index])
    white_score, black_score = int(rows.score1[index]), int(rows.score2[index])
    if rows.side[index] == 1:
        white_player, black_player = black_player, white_player
        white_score, black_score = black_score, white_score
    result_text = UNFINISHED
    if is_finished:
        result_text = _format_result(event, white_score, black_score)

    value_by_tag = {
        "Event": event.settings.title or UNKNOWN,
        "Site": _format_site(event),
        "Date": _format_date(event, int(rows.round[index])),
        "Round": str(int(rows.round[index])),
        "White": event.names[white_player] or UNKNOWN,
        "Black": event.names[black_player] or UNKNOWN,
        "Result": result_text,
        "Board": str(int(rows.table[index]) or ""),
        **_build_player_tags(event, "White", white_player),
        **_build_player_tags(event, "Black", black_player),
    }
    if rows.status[index] == FORFEIT:
        value_by_tag["Termination"] = "unplayed"
    tag_lines = [
        f'[{tag_name} "{escape_tag(tag_value)}"]'
        for tag_name, tag_value in value_by_tag.items()
        if tag_value
    ]
    return "\n".join([*tag_lines, "", result_text, "", ""])


def _format_result(event: Event, white_score: int, black_score: int) -> str:
    """Return a result as PGN writes it: 1-0, 0-1, 1/2-1/2 or *.

    `white_score` and `black_score` are points multiplied by `event.scale`. PGN has no
    word for two losses or other results of an arbiter's decision, so these are "*".
    """
    points_system = infer_points(event)
    white_points = Fraction(white_score, event.scale)
    black_points = Fraction(black_score, event.scale)
    if white_points > black_points and white_points > points_system.draw:
        return "1-0"
    if black_points > white_points and black_points > points_system.draw:
        return "0-1"
    is_draw = white_points == black_points and white_points > points_system.loss
    return "1/2-1/2" if is_draw else UNFINISHED


def _format_site(event: Event) -> str:
    """Return the city and the code of the federation with a blank between them.

    One that is not known is left out; without both it is "?".
    """
    settings = event.settings
    site_text = " ".join(filter(None, (settings.city, settings.federation)))
    return site_text or UNKNOWN


def _format_date(event: Event, round_number: int) -> str:
    """Return the day of a round as PGN writes it, for example "2026.05.01".

    `round_number` counts from 1. If the day of this round is not known, it is the day
    of an event of one day, or "????.??.??".
    """
    settings = event.settings
    round_day = None
    if round_number <= len(settings.round_days):
        round_day = settings.round_days[round_number - 1]
    elif settings.first_day == settings.last_day:
        round_day = settings.first_day
    return f"{round_day:%Y.%m.%d}" if round_day is not None else UNKNOWN_DATE


def _build_player_tags(event: Event, side: str, player: int) -> dict[str, str]:
    """Return the tags of a player's rating, title and FIDE number; "" if unknown.

    `side` is "White" or "Black", and begins the names of the tags. `player` is the
    position in the event. Titles that PGN does not have are "", too.
    """
    title = _read_cell(event, "title", player).upper()
    fide_number = _read_cell(event, "fide_id", player)
    return {
        f"{side}Elo": event.shown_rating(player),
        f"{side}Title": title if title in TITLES else "",
        f"{side}FideId": fide_number if fide_number.strip("0").isdigit() else "",
    }


def _read_cell(event: Event, column: str, player: int) -> str:
    """Return a player's cell in a column of players.csv without blanks around it.

    It is "" if the event does not have the column.
    """
    column_cells = event.columns.get(column)
    return column_cells[player].strip() if column_cells else ""


def escape_tag(value: str) -> str:
    r"""Return the value of a tag with backslashes before quotes and backslashes.

    Characters that are not printable become blanks, because a value is in one line.
    Before the backslashes are added, the value is cut to LONGEST_VALUE characters.

    >>> print(escape_tag('The "Open"'))
    The \"Open\"
    """
    printable_text = "".join(
        character if character.isprintable() else " " for character in value
    )
    cut_text = " ".join(printable_text.split())[:LONGEST_VALUE]
    return cut_text.replace("\\", "\\\\").replace('"', '\\"')


def _is_pgn(source: TextSource) -> bool:
    """Return whether a text begins with the tag Event of PGN.

    `source` is the text of a file; blanks and empty lines before the tag do not count.
    """
    return source.text.lstrip().startswith("[Event ")


FORMAT = Format(
    name="pgn",
    expected="pairings as PGN",
    of=TextSource,
    recognises=_is_pgn,
    read=refuse_to_read("pgn.not_read"),
    write=write_pgn,
    suffixes=(".pgn",),
    written_only=True,
)
