"""Top cut: the elimination bracket of an event and its results, in bracket.csv.

The file has one row per match:
`match,bracket,round,seed1,player1,seed2,player2,score1,score2,status`. The players of
the first rounds and the scores count. The players of later matches follow from them;
they are only read to check that a score belongs to those who played the match.
"""

from collections.abc import Sequence
from dataclasses import replace
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
    """Make the bracket of a top cut, or show it if `cut` is missing.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    cut : int, optional
        The number of players in the top cut: the best active players, seeded by the
        standings.
    double : bool
        Whether a player is out only after two lost matches (double elimination).
    by_lot : bool
        Whether a random draw orders players who are equal in points and all tie-breaks.
    seed : int, optional
        The seed of this random draw. By default the seed of the event, otherwise 0.

    Returns
    -------
    Done
        The bracket, with two messages. The first counts the played matches. The second
        lists the matches that can be played now, or names the champion. For a new
        bracket, earlier messages say that it was made and how the seeds were chosen.

    Raises
    ------
    UsageError
        If the bracket to make already exists, if the bracket to show does not exist, if
        too few players are active, if the last place of the cut is tied and `by_lot`
        is False, or if `double` or `by_lot` is given without `cut`.
    InputError
        If a result of the last round is missing, or if a file of the folder has faults.
    """
    with open_folder(folder) as opened_folder:
        if cut is None:
            if double or by_lot:
                raise UsageError("bracket.no_cut")
            elimination_bracket = load_bracket(opened_folder)
            progress_notes = bracket_progress(
                elimination_bracket, opened_folder.event.called
            )
            return replace(
                opened_folder.unchanged("bracket", *progress_notes),
                bracket=elimination_bracket,
            )

        opened_folder.require_no_cut()
        event = opened_folder.event
        require_finished(event)
        lot_seed = event.settings.seeded(seed) if by_lot else None
        seeded_players, seed_notes = _choose_seeds(event, cut, lot_seed)
        elimination_bracket = EliminationBracket(seeded_players, double)
        step_message = message(
            "step.bracket_double" if double else "step.bracket", value=cut
        )
        message_id = "bracket.made_double" if double else "bracket.made"
        made_note = message(
            message_id, players=cut, matches=len(elimination_bracket.needed)
        )
        bracket_notes = [
            made_note,
            *seed_notes,
            *bracket_progress(elimination_bracket, event.called),
        ]
        bracket_csv_content = format_bracket(elimination_bracket, event).encode()
        return _commit_bracket(
            opened_folder, bracket_csv_content, "bracket", step_message, bracket_notes
        )


def record_bracket_result(
    desk: OpenFolder, number: int, score: Score | None, sure: bool = False
) -> Done:
    """Enter or correct the result of a bracket match; remove it if `score` is None.

    `number` is 3 for B3. Later matches that other players play then are open again,
    each by a step of its own. Nothing is written if the match has this result already.
    Raise UsageError if there is no bracket or the match cannot have that result, and
    ConfirmationError if later matches would be open again, unless `sure`.
    """
    elimination = load_bracket(desk)
    event = desk.event
    reopened_matches = elimination.matches_to_reopen(number, score)
    texts_of_lost_results = [
        f"B{number_of_lost_result} {elimination.results[number_of_lost_result]}"
        for number_of_lost_result in reopened_matches
    ]
    try:
        changed_elimination = elimination
        for match_number in reopened_matches[::-1]:
            changed_elimination = changed_elimination.with_result(match_number, None)
        changed_elimination = changed_elimination.with_result(number, score)
    except InvalidValueError as error:
        raise UsageError(error.said) from None
    if reopened_matches and not sure:
        raise ConfirmationError(
            "bracket.reopens", number=number, matches=texts_of_lost_results
        )

    # Each reopened match is a step, the last match first.
    for match_number in reopened_matches[::-1]:
        record_bracket_result(desk, match_number, None)
        elimination = elimination.with_result(match_number, None)
        desk = desk.changed({BRACKET: _rewrite_bracket_table(desk, elimination)})

    bracket_match_before = elimination.matches[number - 1]
    bracket_match_after = changed_elimination.matches[number - 1]
    if bracket_match_before == bracket_match_after:
        message_id = "bracket.scored_already" if score else "bracket.open_already"
        unchanged_note = message(message_id, number=number, score=str(score or ""))
        return replace(desk.unchanged("result", unchanged_note), bracket=elimination)

    match_players = [
        changed_elimination.players[seed_of_match - 1]
        for seed_of_match in bracket_match_after.seeds
        if seed_of_match
    ]
    message_fields = desk.build_player_fields(*match_players)
    message_fields |= {
        "table": f"B{number}",
        "value": str(score or ""),
        "before": str(bracket_match_before.score or ""),
    }
    if score is None:
        message_id, step_message_id = "bracket.opened", "step.result_bracket_off"
    elif bracket_match_before.score:
        message_id, step_message_id = "bracket.corrected", "step.result_bracket_was"
    else:
        message_id, step_message_id = "bracket.scored", "step.result_bracket"
    result_notes: list[str | Note] = [message(message_id, **message_fields)]
    if reopened_matches:
        result_notes.append(message("bracket.reopened", matches=texts_of_lost_results))
    result_notes += bracket_progress(changed_elimination, event.called)
    changed_bracket_csv = _rewrite_bracket_table(desk, changed_elimination)
    return _commit_bracket(
        desk,
        changed_bracket_csv,
        "result",
        message(step_message_id, **message_fields),
        result_notes,
    )


def load_bracket(desk: OpenFolder) -> EliminationBracket:
    """Return the elimination bracket of an event, with its results.

    Raise UsageError if there is none yet, and InputError if bracket.csv has faults.
    """
    if BRACKET not in desk.files:
        raise UsageError("bracket.none")
    with add_recovery_hint(desk.journal.folder):
        return parse_bracket(desk.table(BRACKET), desk.event.players)


def _choose_seeds(
    event: Event, cut: int, lot_seed: int | None
) -> tuple[tuple[str, ...], list[str | Note]]:
    """Return the players who go on, the best first, and notes for the user.

    The notes name players who are equal in everything, and say if rounds are left to
    play. `cut` is the number of players. `lot_seed` is the seed of a random draw among
    equal players; None forbids the draw. Raise UsageError for a cut of impossible size,
    and for equal players at its last places without a draw.
    """
    if not 2 <= cut <= MOST_CUT:
        raise UsageError("bracket.size", found=cut, most=MOST_CUT)
    tie_breaks = tie_breaks_of(event)
    standings_of_cut, standings_notes = standings_lines(
        event, tie_breaks, cut, lot_seed
    )
    cut_players = tuple(standing.player for standing in standings_of_cut)

    message_id = "bracket.equal" if lot_seed is None else "bracket.equal_by_lot"
    seed_notes: list[str | Note] = [*standings_notes]
    swiss_standings = rank_players(event, tie_breaks)
    for _, standings_of_rank in groupby(
        swiss_standings, key=lambda standing: standing.rank
    ):
        equal_names = [
            standing.name
            for standing in standings_of_rank
            if standing.player in cut_players
        ]
        if len(equal_names) > 1:
            seed_notes.append(message(message_id, seed=lot_seed, players=equal_names))
    last_round = event.settings.rounds
    if last_round is not None and event.round <= last_round:
        seed_notes.append(
            message("bracket.early", played=event.round - 1, rounds=last_round)
        )
    return cut_players, seed_notes


def _rewrite_bracket_table(
    desk: OpenFolder, elimination: EliminationBracket
) -> TextTable:
    """Return the table of bracket.csv, with new cells where a match has changed.

    All other rows stay as they are written. `elimination` has the present results.
    Nothing is written to the disk.
    """
    bracket_csv_table = desk.table(BRACKET)
    cells_by_match_number = {
        bracket_match.fixture.number: format_bracket_row(
            elimination, bracket_match, desk.event
        )
        for bracket_match in elimination.matches
    }
    for row_index, bracket_row in enumerate(rows_of_columns(bracket_csv_table.cells)):
        new_cells = cells_by_match_number[int(bracket_row["match"][1:])]
        if any(
            bracket_row.get(column_name, "") != new_cell
            for column_name, new_cell in new_cells.items()
        ):
            bracket_csv_table = bracket_csv_table.changed(row_index, new_cells)
    return bracket_csv_table


def _commit_bracket(
    desk: OpenFolder,
    content: bytes | TextTable,
    verb: str,
    did: Message,
    notes: Sequence[str | Note],
) -> Done:
    """Write bracket.csv as one step, and return what was done with the new bracket.

    `content` is the new file, `verb` the command, `did` describes the step in the log,
    and `notes` are for the user. Raise InputError if the file has faults.
    """
    changed_folder = desk.changed({BRACKET: content})
    return changed_folder.committed(
        verb, did, notes, bracket=load_bracket(changed_folder)
    )
