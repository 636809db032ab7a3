"""Results: `result` writes down how a match ended, corrects it, or takes it away."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np

from pairopt.errors import InputError, UnfitError, UsageError
from pairopt.event.event import FORFEIT, PLAYED, Event
from pairopt.event.points import Points, Score, between_hyphens, number_of_points
from pairopt.files.folder import BRACKET, MATCHES
from pairopt.folder.cutting import played
from pairopt.folder.desk import Desk, Done, Folder, opened
from pairopt.round.check import check_played
from pairopt.wording import decimal_text
from pairopt.words import Said, tell

BRACKET_MATCH = re.compile("[Bb]([0-9]{1,4})")


def result(
    folder: Folder, table: int | str, score: str | None = None, *, round: int | None = None,
    decided: bool = False, off: bool = False,
) -> Done:  # fmt: skip
    """Write down the result of a table in the last round, or correct one of an earlier round.

    `table` is its number, or a match of the bracket, as B3 (once there is a bracket, a table needs
    its round, so that the two are not mixed up). `score` has the points of the first and the second
    player, as 3-0, ½-½ or 1F-0F (not played); `decided`: an arbiter's decision, as 0-0 of a match
    that was played; `off`: it is not played yet. After a correction the later rounds that would
    have been others are named. Raises UsageError where there is no such table or match, it cannot
    have such a score, or a later round is paired by the one that is to be taken away."""
    if off == (score is not None):
        raise UsageError("score.or_off")
    match = BRACKET_MATCH.fullmatch(str(table))
    with opened(folder) as desk:
        if match is not None:
            if round is not None:
                raise UsageError("table.of_bracket", table=table)
            return played(desk, int(match[1]), None if score is None else score_of(score, None))
        table = _table(desk, str(table), round)
        number = desk.rounds() if round is None else round
        row, rows = _row(desk, number, table), desk.rows
        found = None if score is None else score_of(score, desk.points(), decided)
        old = recorded_score(desk, row)
        where = {"round": number, "table": table}
        if found == old:
            kind = "table.scored_already" if found else "table.open_already"
            return desk.unchanged("result", tell(kind, score=found, **where))
        if found is None and number < desk.rounds():
            raise UsageError("table.paired_since", **where, next=number + 1)
        new = desk.changed({MATCHES: desk.matches.changed(row, score_cells(found))})
        one, two = (desk.event.players[side[row]] for side in (rows.first, rows.second))
        fields = {**where, **desk.of(one, two), "value": str(found or ""), "before": str(old or "")}
        told, did = SAID[bool(old), bool(found)]
        said = [tell(told, **fields)]
        if old and found:
            said += _others(desk.event, new.event, number)
        if BRACKET in desk.files:
            said.append(tell("bracket.stays"))
        return new.committed("result", tell(did, **fields), said)


SAID = {
    (False, True): ("table.scored", "step.result"),
    (True, True): ("table.corrected", "step.result_was"),
    (True, False): ("table.opened", "step.result_off"),
}
"""How it is told, and the step, by whether there was a result before and is one after."""


def score_cells(score: Score | None) -> dict[str, str]:
    """The cells of a row with a score, or with none yet."""
    if score is None:
        return dict.fromkeys(("score1", "score2", "status"), "")
    return {"score1": decimal_text(score.one), "score2": decimal_text(score.two),
            "status": "forfeit" if score.forfeit else ""}  # fmt: skip


def _table(desk: Desk, text: str, round: int | None) -> int:
    """The number of a table."""
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise UsageError("table.no_number", found=text)
    if BRACKET in desk.files and round is None:
        raise UsageError("table.no_round", table=text, last=desk.rounds())
    return int(text)


def score_of(text: str, points: Points | None, decided: bool = False) -> Score:
    """A score as it is typed. Raises UsageError for one that the points do not give. `decided`
    allows those that only an arbiter's decision gives."""
    halves = between_hyphens(text.replace(":", "-").replace("1/2", "½"))
    marks = [half.strip().upper().endswith("F") for half in halves]
    try:
        if len(halves) != 2 or marks[0] != marks[1]:
            raise UnfitError("score.no_two_points")
        one, two = (number_of_points(half.strip().rstrip("fF")) for half in halves)
    except ValueError as error:
        raise UsageError("score.unfit", found=text, why=getattr(error, "said", error)) from None
    if marks[0]:
        return _forfeit(text, one, two, points)
    if points is not None and (one, two) not in points.results:
        may_be = (one, two) in points.decided
        if not (may_be and decided):
            kind = "score.only_decided" if may_be else "score.not_given"
            raise UsageError(kind, found=text, points=points)
    return Score(one, two)


def _forfeit(text: str, one: Fraction, two: Fraction, points: Points | None) -> Score:
    """A match that was not played: a win's points for one of them or for nobody."""
    if one and two:
        raise UsageError("score.two_winners", found=text)
    if points is None:
        return Score(one, two, forfeit=True)
    win, nothing = points.win, Fraction(0)
    if {one, two} - {win, Fraction(1), nothing}:
        raise UsageError("score.no_forfeit", found=text, win=win)
    return Score(win if one else nothing, win if two else nothing, forfeit=True)


def _row(desk: Desk, number: int, table: int) -> int:
    """The place among the rows of the one with a table in a round."""
    if not 1 <= number <= desk.rounds():
        raise UsageError("round.not_paired" if number else "round.none_paired", round=number)
    rows = desk.rows
    here = (rows.round == number) & (rows.second >= 0) & (rows.table > 0)
    found = np.flatnonzero(here & (rows.table == table)).tolist()
    if len(found) == 1:
        return int(found[0])
    tables = sorted(rows.table[here].tolist())
    kind = "table.unknown" if tables else "table.none"
    raise UsageError(kind, round=number, table=table, tables=tables)


def recorded_score(desk: Desk, row: int) -> Score | None:
    """The score that a row has, None before there is one."""
    rows, scale = desk.rows, desk.event.scale
    if not rows.scored[row]:
        return None
    one, two = (Fraction(int(score[row]), scale) for score in (rows.score1, rows.score2))
    return Score(one, two, bool(rows.status[row] == FORFEIT))


def _others(before: Event, after: Event, number: int) -> list[Said]:
    """The rounds paired since that the corrected result would have made others."""
    said = [
        found
        for later in range(number + 1, after.round)
        if (found := _shortcoming(after, later)) and not _shortcoming(before, later)
    ]
    return said or [tell("round.as_good")] * (number + 1 < after.round)


def _shortcoming(event: Event, number: int) -> Said | None:
    """Why a round is not paired as the event's rules would, None where it is."""
    rows = event.matches.paired(number)
    if not (rows.status == PLAYED).any():
        return None
    try:
        before = event.at_round(number)
        found = check_played(replace(before, active=rows.seen(len(event.players))))
    except InputError:
        return tell("round.of_others", round=number)
    why = [each.message for each in found.violations] if not found.legal else found.changed
    as_good = found.legal and found.better is None
    return None if as_good else tell("round.otherwise", round=number, why=tuple(why))
