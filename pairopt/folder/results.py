"""Results: `result` writes down how a match ended, or corrects it."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np

from pairopt.errors import InputError, UsageError
from pairopt.event.event import FORFEIT, PLAYED, Event
from pairopt.event.points import Points, Score, between_hyphens, number_of_points
from pairopt.files.folder import BRACKET, MATCHES
from pairopt.folder.cutting import played
from pairopt.folder.desk import Desk, Done, Folder, opened
from pairopt.round.check import check_played
from pairopt.wording import decimal_text, listed

BRACKET_MATCH = re.compile("[Bb]([0-9]{1,4})")


def result(
    folder: Folder, table: int | str, score: str, *, round: int | None = None, decided: bool = False
) -> Done:
    """Write down the result of a table in the last round, or correct one of an earlier round.

    Args:
        folder: the event folder.
        table: the number of the table; or a match of the bracket, as B3. Once there is a
            bracket, a table needs its round, so that the two are not mixed up.
        score: the points of the first and the second player, as 3-0, ½-½ or 1F-0F (not played).
        round: an earlier round; the last one by default.
        decided: an arbiter's decision, as 0-0 or ½-0 of a match that was played.

    Returns:
        What was done; after a correction it names the later rounds that would have been others.

    Raises:
        UsageError: there is no such table or match, or it cannot have such a score.
    """
    match = BRACKET_MATCH.fullmatch(str(table))
    with opened(folder) as desk:
        if match is not None:
            if round is not None:
                raise UsageError(f"{table} is a match of the bracket: leave out --round")
            return played(desk, int(match[1]), score_of(score, None))
        table = _table(desk, str(table), round)
        number = desk.rounds() if round is None else round
        row, rows, names = _row(desk, number, table), desk.rows, desk.event.shown
        found = score_of(score, desk.points(), decided)
        old = recorded_score(desk, row)
        if found == old:
            return desk.unchanged("result", f"table {table} of round {number} is {found} already")
        cells = {"score1": decimal_text(found.one), "score2": decimal_text(found.two),
                 "status": "forfeit" if found.forfeit else ""}  # fmt: skip
        new = desk.changed({MATCHES: desk.matches.changed(row, cells)})
        who = f"{names[rows.first[row]]} {found} {names[rows.second[row]]}"
        said = [f"round {number}, table {table}: {who}" + (f" (was {old})" if old else "")]
        if old:
            said += _others(desk.event, new.event, number)
        if BRACKET in desk.files:
            said.append("the cut is made already: its seeds stay as they are")
        what = f"round {number} table {table} {found}" + (f", was {old}" if old else "")
        return new.committed("result", what, said)


def _table(desk: Desk, text: str, round: int | None) -> int:
    """The number of a table."""
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise UsageError(f"table {text}: expected a number, or a match of the bracket as B3")
    if BRACKET in desk.files and round is None:
        raise UsageError(
            f"the cut is made: expected a match of the bracket, as B{text}; "
            f"for table {text} of a round say which, as --round {desk.rounds()}"
        )
    return int(text)


def score_of(text: str, points: Points | None, decided: bool = False) -> Score:
    """A score as it is typed. Raises UsageError for one that the points do not give.

    `decided` allows those that only an arbiter's decision gives.
    """
    halves = between_hyphens(text.replace(":", "-").replace("1/2", "½"))
    marks = [half.strip().upper().endswith("F") for half in halves]
    try:
        if len(halves) != 2 or marks[0] != marks[1]:
            raise ValueError("expected two numbers of points")
        one, two = (number_of_points(half.strip().rstrip("fF")) for half in halves)
    except ValueError as error:
        raise UsageError(f"score {text}: {error}, as 3-0, ½-½ or 1F-0F") from None
    if marks[0]:
        return _forfeit(text, one, two, points)
    if points is not None and (one, two) not in points.results:
        may_be = (one, two) in points.decided
        if not (may_be and decided):
            hint = "; as an arbiter's decision: --decided" * may_be
            message = f"no result gives that at {points} (win-draw-loss){hint}"
            raise UsageError(f"score {text}: {message}")
    return Score(one, two)


def _forfeit(text: str, one: Fraction, two: Fraction, points: Points | None) -> Score:
    """A match that was not played: a win's points for one of them or for nobody."""
    if one and two:
        raise UsageError(f"score {text}: at most one player wins by forfeit")
    if points is None:
        return Score(one, two, forfeit=True)
    win, nothing = points.win, Fraction(0)
    if {one, two} - {win, Fraction(1), nothing}:
        raise UsageError(f"score {text}: a win by forfeit is {decimal_text(win)}F-0F or 1F-0F")
    return Score(win if one else nothing, win if two else nothing, forfeit=True)


def _row(desk: Desk, number: int, table: int) -> int:
    """The place among the rows of the one with a table in a round."""
    if not 1 <= number <= desk.rounds():
        raise UsageError(f"round {number} is not paired yet" if number else "no round is paired")
    rows = desk.rows
    here = (rows.round == number) & (rows.second >= 0) & (rows.table > 0)
    found = np.flatnonzero(here & (rows.table == table)).tolist()
    if len(found) == 1:
        return int(found[0])
    tables = listed([str(each) for each in sorted(rows.table[here].tolist())])
    has = f"its tables are {tables}" if tables else "it has no tables"
    raise UsageError(f"round {number} has no table {table}: {has}")


def recorded_score(desk: Desk, row: int) -> Score | None:
    """The score that a row has, None before there is one."""
    rows, scale = desk.rows, desk.event.scale
    if not rows.scored[row]:
        return None
    one, two = (Fraction(int(score[row]), scale) for score in (rows.score1, rows.score2))
    return Score(one, two, bool(rows.status[row] == FORFEIT))


def _others(before: Event, after: Event, number: int) -> list[str]:
    """The rounds paired since that the corrected result would have made others."""
    said = [
        f"round {later} would have been paired otherwise{found}; it stays as it is"
        for later in range(number + 1, after.round)
        if (found := _shortcoming(after, later)) and not _shortcoming(before, later)
    ]
    return said or ["the rounds paired since are as good as before"] * (number + 1 < after.round)


def _shortcoming(event: Event, number: int) -> str:
    """Why a round is not paired as the event's rules would, "" where it is."""
    rows = event.matches.paired(number)
    if not (rows.status == PLAYED).any():
        return ""
    try:
        before = event.at_round(number)
        found = check_played(replace(before, active=rows.seen(len(event.players))))
    except InputError:
        return " (others would have been in it)"
    if not found.legal:
        return f" ({'; '.join(str(each.message) for each in found.violations)})"
    return "" if found.better is None else f" ({listed(found.changed)})"
