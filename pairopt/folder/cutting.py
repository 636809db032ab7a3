"""Bracket: the cut to an elimination, and its results, in bracket.csv."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from pairopt.errors import UsageError
from pairopt.event.brackets import MOST_PLAYERS
from pairopt.event.elimination import Elimination, bracket_progress
from pairopt.event.event import Event, require_finished
from pairopt.event.points import Score
from pairopt.event.standings import ranked, shown, tie_breaks_of
from pairopt.files.bracket_csv import BRACKET, bracket_row, read_bracket
from pairopt.files.source import decoded
from pairopt.files.tables import parse_table
from pairopt.files.write import csv_table
from pairopt.folder.desk import Desk, Done, Folder, opened
from pairopt.folder.sheet import Sheet
from pairopt.wording import counted, listed


def bracket(
    folder: Folder,
    cut: int | None = None,
    *,
    double: bool = False,
    by_lot: bool = False,
    seed: int = 0,
) -> Done:
    """Make the bracket of an elimination from the standings, or without `cut` show it.

    Args:
        folder: the event folder.
        cut: the best so many active players go on, seeded by the standings; any number from 2.
        double: two lost matches put a player out, not one.
        by_lot: players who are equal in everything are ordered by lot, drawn with `seed`.

    Returns:
        What was done and who plays next; `bracket` is the elimination.

    Raises:
        UsageError: the bracket is there already, or not yet; too few are active; or players who
            are equal in everything tie for the last places without `by_lot`.
        InputError: the last round is not finished, or a file has faults.
    """
    with opened(folder) as desk:
        if cut is None:
            if double or by_lot:
                raise UsageError("--double and --by-lot go with --cut: they make the bracket")
            made = _held(desk)
            event = desk.event
            return Done("bracket", _progress(made, event), None, event, bracket=made)
        desk.require_no_cut()
        event = desk.event
        require_finished(event)
        seeds, said = _seeds(event, cut, seed if by_lot else None)
        made = Elimination(seeds, double)
        rows = [bracket_row(made, match, _beside(event)) for match in made.matches]
        content = csv_table(list(rows[0]), [row.values() for row in rows])
        kind = "double" if double else "single"
        first = (
            f"{cut} players, {kind} elimination, {counted(len(made.needed), 'match', 'matches')}"
        )
        told = [first, *said, *_progress(made, event)]
        return _committed(desk, content.encode(), "bracket", first, told)


def played(desk: Desk, number: int, score: Score) -> Done:
    """Write down the result of a match of the bracket, or correct it.

    Raises UsageError where it cannot be, and for a correction that would undo later matches.
    """
    old = _held(desk)
    event = desk.event
    try:
        made = old.with_result(number, score)
    except ValueError as error:
        undo = "; take these back first, with pairopt undo or in bracket.csv"
        hint = undo * (number in old.results and "cannot" in str(error))
        raise UsageError(f"{error}{hint}") from None
    before, after = old.matches[number - 1], made.matches[number - 1]
    if before == after:
        already = f"B{number} is {score} already"
        return Done("result", (already,), None, event, bracket=old)
    one, two = (_names(event)[made.players[seed - 1]] for seed in after.seeds if seed)
    was = f" (was {before.score})" if before.score else ""
    what = f"B{number} {score}" + (f", was {before.score}" if before.score else "")
    said = [f"B{number}: {one} {score} {two}{was}", *_progress(made, event)]
    return _committed(desk, _rewritten(desk, made), "result", what, said)


def _held(desk: Desk) -> Elimination:
    """The elimination in bracket.csv."""
    if BRACKET not in desk.files:
        raise UsageError("no bracket yet: pairopt bracket FOLDER --cut N makes it")
    name = str(desk.journal.folder / BRACKET)
    table = parse_table(decoded(name, desk.files[BRACKET]))
    return read_bracket(table, desk.event.players)


def _seeds(event: Event, cut: int, lot: int | None) -> tuple[tuple[str, ...], list[str]]:
    """The players who go on, the best first, and what is to be said of that."""
    if not 2 <= cut <= MOST_PLAYERS:
        raise UsageError(f"--cut {cut}: expected a number from 2 to {MOST_PLAYERS}")
    tie_breaks = tie_breaks_of(event)
    chosen, notes = shown(event, tie_breaks, cut, lot)
    players = tuple(line.player for line in chosen)
    how = "in the order of players.csv (--by-lot)" if lot is None else f"by lot (seed {lot})"
    said = [*notes]
    for _, lines in groupby(ranked(event, tie_breaks), key=lambda line: line.rank):
        equal = [line.name for line in lines if line.player in players]
        if len(equal) > 1:
            said.append(f"equal in everything, seeded {how}: {listed(equal)}")
    rounds = event.settings.rounds
    if rounds is not None and event.round <= rounds:
        said.append(f"{event.round - 1} of {rounds} rounds are played")
    return players, said


def _rewritten(desk: Desk, made: Elimination) -> bytes:
    """bracket.csv with all that has changed, the rest as its owner wrote it."""
    sheet = Sheet.of(BRACKET, desk.files[BRACKET])
    names = _beside(desk.event)
    due = {match.fixture.number: bracket_row(made, match, names) for match in made.matches}
    for number, row in enumerate(sheet.rows):
        new = due[int(row["match"][1:])]
        if any(row.get(name, "") != cell for name, cell in new.items()):
            sheet = sheet.changed(number, new)
    return sheet.content()


def _committed(desk: Desk, content: bytes, verb: str, what: str, said: Sequence[str]) -> Done:
    """Put bracket.csv in place as one step. Nothing is written where it could not be read."""
    made = _held(replace(desk, files={**desk.files, BRACKET: content}))
    step = desk.journal.commit(verb, what, {**desk.files, BRACKET: content})
    return Done(verb, tuple(said), step.number, desk.event, bracket=made)


def _progress(made: Elimination, event: Event) -> tuple[str, ...]:
    return tuple(bracket_progress(made, _names(event)))


def _beside(event: Event) -> Mapping[str, str]:
    """Names to write beside the identifiers, none where these are the names."""
    return (
        {} if event.names == event.players else dict(zip(event.players, event.names, strict=True))
    )


def _names(event: Event) -> Mapping[str, str]:
    """How each player is called."""
    return dict(zip(event.players, event.shown, strict=True))
