"""Bracket: the cut to an elimination, and its results, in bracket.csv, one row a match.

`match,bracket,round,seed1,player1,seed2,player2,score1,score2,status`: the players of the first
rounds and the scores are what counts; who comes to a later match follows from them, and is read
again only to see that its score belongs to those who played it.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import groupby

from pairopt.common.limits import MOST_CUT
from pairopt.errors import ConfirmationError, InvalidValueError, UsageError
from pairopt.event.column_layout import rows_of_columns
from pairopt.event.elimination import EliminationBracket, bracket_progress
from pairopt.event.event import Event, require_finished
from pairopt.event.points import Score
from pairopt.event.standings import rank_players, standings_lines, tie_breaks_of
from pairopt.files.bracket_csv import format_bracket, format_bracket_row, parse_bracket
from pairopt.files.event_folder import BRACKET, add_recovery_hint
from pairopt.files.text_tables import TextTable
from pairopt.folder.open_folder import Done, Folder, OpenFolder, open_folder
from pairopt.messages import Message, Note, message


def bracket(
    folder: Folder,
    cut: int | None = None,
    *,
    double: bool = False,
    by_lot: bool = False,
    seed: int | None = None,
) -> Done:
    """Make the bracket of an elimination from the standings, or without `cut` show it.

    The best `cut` active players go on, seeded by the standings; `double`: two lost matches put one
    out. With `by_lot` players who are equal in everything are ordered by lot, drawn with `seed`, by
    default the event's own or else 0. Raises UsageError: the bracket is there already, or not yet;
    too few are active; or equals tie for the last places without `by_lot`. InputError: the last
    round is not finished, or a file has faults.
    """
    with open_folder(folder) as desk:
        if cut is None:
            if double or by_lot:
                raise UsageError("bracket.no_cut")
            made = held(desk)
            now = bracket_progress(made, desk.event.called)
            return replace(desk.unchanged("bracket", *now), bracket=made)
        desk.require_no_cut()
        event = desk.event
        require_finished(event)
        seeds, said = _seeds(
            event, cut, event.settings.seeded(seed) if by_lot else None
        )
        made = EliminationBracket(seeds, double)
        did = message("step.bracket_double" if double else "step.bracket", value=cut)
        kind = "bracket.made_double" if double else "bracket.made"
        first = message(kind, players=cut, matches=len(made.needed))
        told = [first, *said, *bracket_progress(made, event.called)]
        return _commit_bracket(
            desk, format_bracket(made, event).encode(), "bracket", did, told
        )


def record_bracket_result(
    desk: OpenFolder, number: int, score: Score | None, sure: bool = False
) -> Done:
    """Write down the result of a match of the bracket, correct it, or with None take it away. Later
    matches that others have played then are open again. Raises UsageError where it cannot be,
    ConfirmationError where that opens matches, unless it is said for `sure`.
    """
    old = held(desk)
    event = desk.event
    gone = old.matches_to_reopen(number, score)
    lost = [f"B{later} {old.results[later]}" for later in gone]
    try:
        made = reduce(
            lambda some, later: some.with_result(later, None), gone[::-1], old
        )
        made = made.with_result(number, score)
    except InvalidValueError as error:
        raise UsageError(error.said) from None
    if gone and not sure:
        raise ConfirmationError("bracket.reopens", number=number, matches=lost)
    for later in gone[::-1]:  # a step each, the last match first
        record_bracket_result(desk, later, None)
        old = old.with_result(later, None)
        desk = desk.changed({BRACKET: _rewrite_bracket_table(desk, old)})
    before, after = old.matches[number - 1], made.matches[number - 1]
    if before == after:
        kind = "bracket.scored_already" if score else "bracket.open_already"
        already = message(kind, number=number, score=str(score or ""))
        return replace(desk.unchanged("result", already), bracket=old)
    fields = desk.of(*(made.players[seed - 1] for seed in after.seeds if seed))
    fields |= {
        "table": f"B{number}",
        "value": str(score or ""),
        "before": str(before.score or ""),
    }
    said = "bracket.corrected" if before.score else "bracket.scored"
    did = "step.result_bracket_was" if before.score else "step.result_bracket"
    if score is None:
        said, did = "bracket.opened", "step.result_bracket_off"
    again = [message("bracket.reopened", matches=lost)] * bool(gone)
    told: list[str | Note] = [
        message(said, **fields),
        *again,
        *bracket_progress(made, event.called),
    ]
    return _commit_bracket(
        desk, _rewrite_bracket_table(desk, made), "result", message(did, **fields), told
    )


def held(desk: OpenFolder) -> EliminationBracket:
    """The bracket of an event. Raises UsageError before there is one, InputError for its faults."""
    if BRACKET not in desk.files:
        raise UsageError("bracket.none")
    with add_recovery_hint(desk.journal.folder):
        return parse_bracket(desk.table(BRACKET), desk.event.players)


def _seeds(
    event: Event, cut: int, lot: int | None
) -> tuple[tuple[str, ...], list[str | Note]]:
    """The players who go on, the best first, and what is to be said of that."""
    if not 2 <= cut <= MOST_CUT:
        raise UsageError("bracket.size", found=cut, most=MOST_CUT)
    tie_breaks = tie_breaks_of(event)
    chosen, notes = standings_lines(event, tie_breaks, cut, lot)
    players = tuple(line.player for line in chosen)
    kind = "bracket.equal" if lot is None else "bracket.equal_by_lot"
    said: list[str | Note] = [*notes]
    for _, lines in groupby(
        rank_players(event, tie_breaks), key=lambda line: line.rank
    ):
        equal = [line.name for line in lines if line.player in players]
        if len(equal) > 1:
            said.append(message(kind, seed=lot, players=equal))
    rounds = event.settings.rounds
    if rounds is not None and event.round <= rounds:
        said.append(message("bracket.early", played=event.round - 1, rounds=rounds))
    return players, said


def _rewrite_bracket_table(desk: OpenFolder, made: EliminationBracket) -> TextTable:
    """bracket.csv with all that has changed, the rest as its owner wrote it."""
    table = desk.table(BRACKET)
    due = {
        match.fixture.number: format_bracket_row(made, match, desk.event)
        for match in made.matches
    }
    for number, row in enumerate(rows_of_columns(table.cells)):
        new = due[int(row["match"][1:])]
        if any(row.get(name, "") != cell for name, cell in new.items()):
            table = table.changed(number, new)
    return table


def _commit_bracket(
    desk: OpenFolder,
    content: bytes | TextTable,
    verb: str,
    did: Message,
    said: Sequence[str | Note],
) -> Done:
    """Put bracket.csv in place as one step. Nothing is written where it could not be read."""
    new = desk.changed({BRACKET: content})
    return new.committed(verb, did, said, bracket=held(new))
