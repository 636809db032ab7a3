"""Results of matches: `result` enters, corrects or removes one."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from pairopt.errors import ConfirmationError, InputError, InvalidValueError, UsageError
from pairopt.event.column_layout import ADJOURNED, GAMES, RATING_RESULT
from pairopt.event.event import FORFEIT, PLAYED, REQUESTED, Event
from pairopt.event.points import (
    USUAL_GAMES,
    Points,
    Score,
    parse_number_of_points,
    split_at_hyphens,
)
from pairopt.files.event_folder import BRACKET, MATCHES
from pairopt.folder.half_point_byes import check_half_point_bye
from pairopt.folder.logged_results import format_marked_score
from pairopt.folder.open_folder import Done, Folder, OpenFolder, open_folder
from pairopt.folder.played import (
    describe_match,
    is_unrated,
    require_played,
    with_opponent,
    with_played_record,
    with_rating_marks,
    with_rating_result,
    with_reversed_sides,
)
from pairopt.messages import FieldValue, Message, Note, message, with_heading
from pairopt.messages.formatting import decimal_text

BRACKET_MATCH = re.compile("[Bb]([0-9]{1,4})")
FORFEITS = {"+--": "1F-0F", "--+": "0F-1F", "---": "0F-0F"}
DRAWS = ("=", "draw", "remis")
INTENTIONAL_DRAW = "id"
# Players of Magic report an intentional draw as 0-0-3.
MOST_DRAWN_GAMES = 3
ADJOURNED_AS = ("adjourned", "*", "?")
"""Results as arbiters write them on slips, besides scores; a draw is also a half
each."""
HALF = Fraction(1, 2)


def result(
    folder: Folder,
    table: int | str,
    score: str | None = None,
    *,
    round: int | None = None,
    decided: bool = False,
    off: bool = False,
    bye: bool = False,
    reversed: bool = False,
    opponent: str | None = None,
    unrated: bool = False,
    rating_only: bool = False,
    sure: bool = False,
) -> Done:
    """Enter the result of a table in the last round, or correct an earlier one.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    table : int or str
        The number of a table, or a match of the bracket, such as B3. If the event has a
        bracket, also give the `round` of a table.
    score : str, optional
        The points of the first and the second player, such as 3-0, ½-½ or 1F-0F (not
        played). Or the games that they won, such as 2-1, and those drawn, such as
        1-1-1. Or "adjourned": the game counts as a draw until you enter its score.
    round : int, optional
        The round of the table. By default the last one, and in a round robin the first
        one with a missing result.
    decided : bool
        Whether the score is an arbiter's decision, for example 0-0 in a match that was
        played.
    off : bool
        Whether to remove the result, so that the match counts as not played yet.
    bye : bool
        Whether `table` is the name of a player, and `score` the points of the player's
        bye.
    reversed : bool
        Whether the two players had reversed sides. Each player keeps the points. In
        `score`, the first player of the table still comes first.
    opponent : str, optional
        The player whom the first player of the table really met. The planned opponent
        takes this player's place at the other table. The result of the other table does
        not change.
    unrated : bool
        Whether the game lasted less than one move, so that FIDE does not rate it. If
        you enter the result again without `unrated`, the game is rated.
    rating_only : bool
        Whether `score` corrects the result only for the rating. Standings and pairings
        keep the result of the table. With `off`, the correction is removed.
    sure : bool
        Whether later matches of the bracket may lose their results because their
        players change, or the bye may give more points than a win.

    Returns
    -------
    Done
        The message names the table and its result. After a correction, the message also
        names the later rounds that pairopt would have paired differently.

    Raises
    ------
    UsageError
        If the round has no such table, if the score is impossible, or if you remove a
        result by which a later round was paired.
    ConfirmationError
        If later matches of the bracket would lose their results because other players
        play in them, or if a bye would give more points than a win.
    """
    has_other_players_or_sides = reversed or opponent is not None
    bracket_match = BRACKET_MATCH.fullmatch(str(table))
    if (unrated or rating_only) and (bye or bracket_match):
        raise UsageError("rated.only_tables")
    is_combined = has_other_players_or_sides or unrated or (off and score is not None)
    if (rating_only and is_combined) or (unrated and (off or score is None)):
        raise UsageError("rated.not_combined")
    if has_other_players_or_sides and (off or bye or bracket_match):
        raise UsageError("played.only_tables")
    has_change = score is not None or off or has_other_players_or_sides
    if not has_change or (off and (bye or score is not None)):
        raise UsageError("score.or_off")

    with open_folder(folder) as opened_folder:
        round_number = opened_folder.current_round() if round is None else round
        if bye:
            player = opened_folder.identifier(str(table))
            return change_bye_points(
                opened_folder, player, round_number, score or "", sure
            )
        if bracket_match is not None:
            if round is not None:
                raise UsageError("table.of_bracket", table=table)
            # Results of Swiss rounds need no top cut.
            from pairopt.folder.top_cut import record_bracket_result

            parsed_score = None if score is None else parse_score(score, None)
            return record_bracket_result(
                opened_folder, int(bracket_match[1]), parsed_score, sure
            )

        match_row_index = _find_row(
            opened_folder, round_number, _parse_table(opened_folder, str(table), round)
        )
        if rating_only:
            rating_score, is_adjourned = _parse_result(opened_folder, score, decided)
            if is_adjourned:
                raise UsageError("rated.adjourned")
            return record_rating_result(opened_folder, match_row_index, rating_score)
        if has_other_players_or_sides:
            return _record_as_played(
                opened_folder,
                match_row_index,
                score,
                decided,
                reversed,
                opponent,
                unrated,
            )
        return _enter_result(opened_folder, match_row_index, score, decided, unrated)


def _enter_result(
    desk: OpenFolder, row: int, text: str | None, decided: bool, unrated: bool = False
) -> Done:
    """Enter or correct the result of a row; remove it if `text` is None.

    `row` is the row of matches.csv. `text` is a score, or the word for an adjourned
    game, which counts as a draw until it has a result. With `decided` the score may be
    one that only an arbiter's decision gives; with `unrated` FIDE does not rate the
    game. Nothing is written if the result is there already. Raise UsageError if the
    score is impossible, or a result is to be removed after the next round was paired,
    but for a round robin.
    """
    match_rows = desk.rows
    round_number = int(match_rows.round[row])
    round_and_table = {"round": round_number, "table": int(match_rows.table[row])}
    parsed_score, is_adjourned = _parse_result(desk, text, decided)
    if unrated:
        _require_final_result(parsed_score, is_adjourned)
    score_before = read_score(desk, row)
    was_adjourned = desk.event.origin.cell(ADJOURNED, row) == "true"
    was_unrated = is_unrated(desk, row)
    if (parsed_score, is_adjourned, unrated) == (
        score_before,
        was_adjourned,
        was_unrated,
    ):
        message_id = "table.scored_already" if parsed_score else "table.open_already"
        unchanged_note = message(
            message_id, score=str(parsed_score or ""), **round_and_table
        )
        return desk.unchanged("result", unchanged_note)
    is_round_robin = desk.event.settings.is_round_robin
    if parsed_score is None and round_number < desk.rounds() and not is_round_robin:
        raise UsageError("table.paired_since", **round_and_table, next=round_number + 1)

    changed_folder = _with_score(desk, row, parsed_score, is_adjourned)
    changed_folder = with_rating_marks(changed_folder, row, unrated)
    first_player = desk.event.players[match_rows.first[row]]
    second_player = desk.event.players[match_rows.second[row]]
    message_fields = {
        **round_and_table,
        **desk.build_player_fields(first_player, second_player),
        "value": str(parsed_score or ""),
        "before": str(score_before or ""),
    }
    if is_adjourned:
        message_fields["value"] = format_marked_score("score.adjourned", parsed_score)
    if unrated:
        message_fields["value"] = format_marked_score("score.unrated", parsed_score)
    if was_unrated and score_before:
        message_fields["before"] = format_marked_score("score.unrated", score_before)

    if parsed_score is None:
        message_id, step_message_id = "table.opened", "step.result_off"
    elif score_before:
        message_id, step_message_id = "table.corrected", "step.result_was"
    else:
        message_id, step_message_id = "table.scored", "step.result"
    result_notes: list[Note] = [message(message_id, **message_fields)]
    if score_before and parsed_score:
        result_notes += _describe_affected_rounds(
            desk.event, changed_folder.event, round_number
        )
    result_notes += _note_score(desk, parsed_score)
    return changed_folder.committed(
        "result", message(step_message_id, **message_fields), result_notes
    )


def _record_as_played(
    desk: OpenFolder,
    row: int,
    text: str | None,
    decided: bool,
    reversed: bool,
    opponent: str | None,
    unrated: bool,
) -> Done:
    """Record that a match had reversed sides, or another second player, as one step.

    `row` is the row of matches.csv. `text` is a new result of the match, None to keep
    the present one. With `decided` it may be a score that only an arbiter's decision
    gives; with `unrated` FIDE does not rate the game. With `reversed` the sides are
    reversed. `opponent` is the identifier or the name of the second player, None if it
    was the published one. Nothing is written if the match was so already. Raise
    UsageError if one of the matches has no result, a score is impossible, or a round
    robin is to get another opponent.
    """
    round_number = int(desk.rows.round[row])
    changed_folder = desk
    changed_row_indices = [row]
    round_and_table = {"round": round_number, "table": int(desk.rows.table[row])}
    if opponent is not None:
        if desk.event.settings.is_round_robin:
            raise UsageError("round_robin.opponents")
        if text is None:
            require_played(desk, row)
        opponent = desk.identifier(opponent)
        changed_folder, row_index_of_other_match = with_opponent(desk, row, opponent)
        if row_index_of_other_match is not None:
            changed_row_indices.append(row_index_of_other_match)

    corrected_score = None
    if text is not None:
        corrected_score, is_adjourned = _parse_result(changed_folder, text, decided)
        if unrated:
            _require_final_result(corrected_score, is_adjourned)
        changed_folder = _with_score(changed_folder, row, corrected_score, is_adjourned)
        changed_folder = with_rating_marks(changed_folder, row, unrated)
    require_played(changed_folder, row)
    if len(changed_row_indices) > 1 and not desk.rows.scored[row]:
        raise UsageError("played.no_result", **round_and_table)

    if reversed:
        changed_folder = with_reversed_sides(changed_folder, row)
    if len(changed_row_indices) == 1 and not reversed:
        if text is not None:
            return _enter_result(desk, row, text, decided, unrated)
        unchanged_note = message("played.already", **round_and_table)
        match_note = _describe_match(desk, row)
        return desk.unchanged("result", with_heading(unchanged_note, match_note))

    matches_before = [
        _describe_match(desk, changed_row_index)
        for changed_row_index in changed_row_indices
    ]
    matches_after = [
        _describe_match(changed_folder, changed_row_index)
        for changed_row_index in changed_row_indices
    ]
    changed_folder = with_played_record(
        desk, changed_folder, changed_row_indices, matches_after
    )
    identifiers = changed_folder.event.players
    first_player = identifiers[changed_folder.rows.first[row]]
    second_player = identifiers[changed_folder.rows.second[row]]
    message_fields = {
        **round_and_table,
        **desk.build_player_fields(first_player, second_player),
        "value": "; ".join(map(str, matches_after)),
        "before": "; ".join(map(str, matches_before)),
    }
    heading_note = message("played.recorded", round=round_number)
    former_note = with_heading(message("played.before"), *matches_before)
    record_notes: list[Note] = [with_heading(heading_note, *matches_after, former_note)]
    record_notes += _describe_affected_rounds(
        desk.event, changed_folder.event, round_number
    )
    record_notes += _note_score(desk, corrected_score)
    step_message = message("step.as_played", **message_fields)
    return changed_folder.committed("result", step_message, record_notes)


def record_rating_result(desk: OpenFolder, row: int, score: Score | None) -> Done:
    """Correct a result for the rating alone, as one step, or take that back.

    `row` is the row of matches.csv; None for `score` takes the correction away.
    Standings and pairings keep the result that the match has. A correction to that
    result takes the correction away, too. Raise UsageError if the match has no result,
    was not played or is adjourned, or if results are games of a match.
    """
    require_played(desk, row)
    # A correction can always be taken away.
    if score is not None:
        is_adjourned = desk.event.origin.cell(ADJOURNED, row) == "true"
        _require_final_result(score, is_adjourned)
        if score.games is not None:
            raise UsageError("rated.of_games", found=str(score))
    match_rows = desk.rows
    score_before = read_score(desk, row)
    new_correction_text = "" if score is None or score == score_before else str(score)
    old_correction_text = desk.event.origin.cell(RATING_RESULT, row)
    identifiers = desk.event.players
    rating_text = new_correction_text or str(score_before)
    message_fields: dict[str, FieldValue] = {
        "round": int(match_rows.round[row]),
        "table": int(match_rows.table[row]),
        **desk.build_player_fields(
            identifiers[match_rows.first[row]], identifiers[match_rows.second[row]]
        ),
        "value": rating_text,
        "before": old_correction_text or str(score_before),
    }
    if new_correction_text == old_correction_text:
        return desk.unchanged("result", message("rated.already", **message_fields))
    changed_folder = with_rating_result(desk, row, new_correction_text)
    message_id = "rated.corrected" if new_correction_text else "rated.as_standings"
    step_message_id = (
        "step.rating_result" if new_correction_text else "step.rating_result_off"
    )
    score_note = message(message_id, score=str(score_before), **message_fields)
    # The mark tells the line in the log from that of a result.
    message_fields["value"] = format_marked_score("score.rating_only", rating_text)
    return changed_folder.committed(
        "result", message(step_message_id, **message_fields), [score_note]
    )


def _require_final_result(score: Score | None, is_adjourned: bool) -> None:
    """Raise UsageError for the result of a game that was not played to its end.

    FIDE's rating knows neither adjourned games nor forfeits. A `score` of None is
    accepted unless the game `is_adjourned`.
    """
    if is_adjourned:
        raise UsageError("rated.adjourned")
    if score is not None and score.forfeit:
        raise UsageError("rated.not_played")


def _describe_match(desk: OpenFolder, row: int) -> Message:
    """Return a match with its sides and its present score, as a message for people.

    `row` is a row of matches.csv.
    """
    return describe_match(desk, row, read_score(desk, row))


def _parse_result(
    desk: OpenFolder, text: str | None, decided: bool
) -> tuple[Score | None, bool]:
    """Parse a result by the rules of the event: its score, and whether it is adjourned.

    The score is None if `text` is None. An adjourned match is a draw until its score is
    known. With `decided`, scores are allowed that only an arbiter's decision gives.
    Raise UsageError if the score is impossible.
    """
    points_per_result = desk.points()
    best_of = desk.event.settings.best_of
    has_two_games = points_per_result is not None and points_per_result.game is not None

    # A match with sides is one game.
    has_one_game = (
        points_per_result is None or has_two_games or (desk.event.sided and not best_of)
    )
    most_games = 0 if has_one_game else best_of or USUAL_GAMES
    may_arbiter_decide = desk.event.chess or (
        points_per_result and points_per_result.game
    )
    is_adjourned = (text or "").strip().lower() in ADJOURNED_AS
    if is_adjourned:
        text = DRAWS[0]
    if text is None:
        return None, is_adjourned
    parsed_score = parse_score(
        text,
        points_per_result,
        decided if may_arbiter_decide else None,
        most_games,
        by_games=bool(best_of),
    )
    return parsed_score, is_adjourned


def _with_score(
    desk: OpenFolder, row: int, score: Score | None, adjourned: bool
) -> OpenFolder:
    """Return the folder with this score in a row of matches.csv; None removes it.

    `row` is the row's index, and `adjourned` is whether the match is still to be
    finished. Nothing is written.
    """
    was_adjourned = desk.event.origin.cell(ADJOURNED, row) == "true"
    score_cells = _format_score_cells(score, GAMES[0] in desk.matches.columns)
    if adjourned or was_adjourned:
        score_cells |= {ADJOURNED: "true" if adjourned else ""}
    return desk.changed({MATCHES: desk.matches.changed(row, score_cells)})


def _note_score(desk: OpenFolder, score: Score | None) -> list[Message]:
    """Return notes on a score that was entered; none if there is nothing special.

    One says that only one of the match's two games was played, the other that the
    bracket stays as it is.
    """
    points_per_result = desk.points()
    score_notes = list[Message]()
    points_pair = (score.one, score.two) if score and not score.forfeit else None
    if points_per_result and points_pair in points_per_result.half:
        score_notes.append(message("table.half_played"))
    if BRACKET in desk.files:
        score_notes.append(message("bracket.stays"))
    return score_notes


def change_bye_points(
    desk: OpenFolder, player: str, number: int, points: str, sure: bool = False
) -> Done:
    """Change the points of a bye that a player has in a round, as one step.

    `player` is an identifier, `number` the round, and `points` is text such as "0.5".
    The bye may be requested or allocated. Nothing is written if it gives these points
    already. Raise UsageError if there is no bye, the text is no number, or the event is
    a round robin. Raise ConfirmationError, unless `sure`, if it would give more points
    than a win, or if a requested bye would give half a point to a player who is
    excluded from half-point byes.
    """
    event = desk.event
    if event.settings.is_round_robin:
        raise UsageError("round_robin.no_bye_points")
    match_rows = desk.rows
    has_player_first = match_rows.first == event.index[player]
    is_bye_of_player_in_round = (
        (match_rows.round == number) & has_player_first & (match_rows.second < 0)
    )
    if not is_bye_of_player_in_round.any():
        raise UsageError("bye.none_there", player=event.called[player], round=number)

    bye_row_index = int(np.argmax(is_bye_of_player_in_round))
    bye_points = parse_bye_points(points)
    points_text = decimal_text(bye_points)
    message_fields: dict[str, FieldValue] = {
        "round": number,
        **desk.build_player_fields(player),
        "value": points_text,
        "before": event.points_text(int(match_rows.score1[bye_row_index])),
    }
    if points_text == message_fields["before"]:
        return desk.unchanged("bye", message("bye.gives_already", **message_fields))

    require_usual_bye(desk, bye_points, sure)
    half_bye_notes = list[Message]()
    if match_rows.status[bye_row_index] == REQUESTED:
        half_bye_notes = check_half_point_bye(
            event, event.index[player], number, bye_points, sure
        )
    matches_csv_table = desk.matches.changed(bye_row_index, {"score1": points_text})
    changed_folder = desk.changed({MATCHES: matches_csv_table})
    bye_notes = [
        message("bye.corrected", **message_fields),
        *half_bye_notes,
        *_describe_affected_rounds(event, changed_folder.event, number),
    ]
    return changed_folder.committed(
        "bye", message("step.bye_was", **message_fields), bye_notes
    )


def require_usual_bye(desk: OpenFolder, worth: Fraction, sure: bool) -> None:
    """Raise ConfirmationError if a bye gives more points than a win, unless `sure`.

    `worth` is the points of the bye. Any number is usual if the event's points are not
    known.
    """
    points_per_result = desk.points()
    if points_per_result is not None and worth > points_per_result.win and not sure:
        raise ConfirmationError(
            "bye.above_a_win",
            points=worth,
            win=points_per_result.win,
            known=str(points_per_result),
        )


def parse_bye_points(text: str) -> Fraction:
    """Parse the points of a bye, such as "0.5" or "½".

    Raise UsageError if the text is no number of points.
    """
    try:
        return parse_number_of_points(text)
    except InvalidValueError as error:
        heading_note = message("bye.no_points", found=text)
        raise UsageError(with_heading(heading_note, error.said)) from None


def _format_score_cells(score: Score | None, by_games: bool) -> dict[str, str]:
    """Return the cells of matches.csv with a score, by column; empty ones for None.

    With `by_games` the file has columns for games, which get empty cells if the score
    has no games.
    """
    cell_by_column = {"score1": "", "score2": "", "status": ""}
    if score:
        cell_by_column["score1"] = decimal_text(score.one)
        cell_by_column["score2"] = decimal_text(score.two)
    if score and score.forfeit:
        cell_by_column["status"] = "forfeit"

    game_cells = [""] * len(GAMES) if by_games else []
    if score and score.games:
        game_cells = [str(game_count) for game_count in score.games]
    cell_by_column.update(zip(GAMES, game_cells, strict=False))
    return cell_by_column


def _parse_table(desk: OpenFolder, text: str, round: int | None) -> int:
    """Parse the number of a table, which need not exist.

    Raise UsageError if `text` is no number. Raise it, too, if there is a bracket and no
    `round`, because the number could mean a match of the bracket.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise UsageError("table.no_number", found=text)
    if BRACKET in desk.files and round is None:
        raise UsageError("table.no_round", table=text, last=desk.rounds())
    return int(text)


def expand_shorthand(text: str, points: Points | None) -> str:
    """Return the score that an arbiter's shorthand such as "=" or "+--" means.

    Case and blanks don't matter. Any other text is returned as it is. So is the sign of
    a draw if the event's `points` are not known.
    """
    typed_word = text.strip().lower()
    if typed_word in DRAWS and points is not None:
        return str(Score(points.draw, points.draw))
    return FORFEITS.get(typed_word, text)


def parse_score(
    text: str,
    points: Points | None,
    decided: bool | None = False,
    games: int = 0,
    by_games: bool = False,
) -> Score:
    """Parse a score such as 3-0, ½-½, 1F-0F or 2-1.

    Raise UsageError if it is impossible.

    Parameters
    ----------
    text : str
        The score.
    points : Points or None
        The points of the event. Without them any two numbers are a score.
    decided : bool or None
        Allow scores that only an arbiter's decision gives. None: the event has no such
        scores.
    games : int
        The most games of a match, 0 if scores are points alone. A score that the points
        do not give then counts games won and drawn.
    by_games : bool
        Every score of a played match counts games.
    """
    text = expand_shorthand(text, points)
    if games and text.strip().lower() == INTENTIONAL_DRAW:
        text = f"0-0-{min(games, MOST_DRAWN_GAMES)}"
    allowed_scores = list_allowed_scores(points, games if by_games else 0)
    first_points, second_points, drawn_games, is_forfeit = _split_score(
        text, games, allowed_scores
    )

    points_pair = (first_points, second_points)
    is_half_each = points_pair == (HALF, HALF)
    if points and is_half_each and points_pair not in points.results | points.half:
        first_points = second_points = points.draw
        points_pair = (points.draw, points.draw)
    if is_forfeit:
        return _parse_forfeit(text, first_points, second_points, points)
    if points is None:
        return Score(first_points, second_points)

    if games:
        gives_points = not by_games and points_pair in points.results | points.decided
        if drawn_games or not gives_points:
            games_won_and_drawn = (*points_pair, *drawn_games)
            return _parse_games(
                text, games_won_and_drawn, points, games, allowed_scores, by_games
            )
    if points_pair not in points.results | points.half:
        may_be_decided = decided is not None and points_pair in points.decided
        if not (may_be_decided and decided):
            error_message_id = (
                "score.only_decided" if may_be_decided else "score.not_given"
            )
            raise UsageError(
                error_message_id, found=text, points=str(points), allowed=allowed_scores
            )
    return Score(first_points, second_points)


def _split_score(
    text: str, games: int, allowed: Sequence[str]
) -> tuple[Fraction, Fraction, list[Fraction], bool]:
    """Split a score into two points, drawn games, and whether it is a forfeit.

    `text` is the score, such as 2-1-1. The drawn games are a list of one number or
    none; they are only read if a match has `games`, which is the most games of a match.
    With games, the two points may be games won. Raise UsageError, with the `allowed`
    scores, if it is no score.
    """
    score_parts = split_at_hyphens(text.replace(":", "-").replace("1/2", "½"))
    is_forfeit_by_part = [
        score_part.strip().upper().endswith("F") for score_part in score_parts
    ]
    may_have_drawn = games > 0 and not is_forfeit_by_part[0]
    allowed_lengths = (2, 3) if may_have_drawn else (2,)
    try:
        if len(score_parts) not in allowed_lengths or len({*is_forfeit_by_part}) > 1:
            raise InvalidValueError("score.no_two_points")
        first_points, second_points, *drawn_games = (
            parse_number_of_points(score_part.strip().rstrip("fF"))
            for score_part in score_parts
        )
    except ValueError as error:
        if isinstance(error, InvalidValueError):
            reason_note = error.said
        else:
            reason_note = message(str(error))
        unfit_note = with_heading(message("score.unfit", found=text), reason_note)
        allowed_text = message("score.allowed", allowed=allowed)
        raise UsageError(with_heading(unfit_note, allowed_text, mark=". ")) from None
    return first_points, second_points, drawn_games, is_forfeit_by_part[0]


def list_allowed_scores(points: Points | None, games: int = 0) -> tuple[str, ...]:
    """List scores that can be typed in an event, the usual ones first, a forfeit last.

    `games` is the most games of a match in which scores are games, such as 2-1; the
    list then has examples. Otherwise scores are points; without `points` the list has
    examples.
    """
    if points is None:
        return "3-0", "½-½", "1F-0F"
    forfeit_score = str(Score(points.win, Fraction(0), forfeit=True))
    if games:
        won_games = games // 2 + 1
        shutout_score, close_score = f"{won_games}-0", f"{won_games}-{won_games - 1}"
        drawn_score = f"0-0-{min(games, MOST_DRAWN_GAMES)}"
        return *dict.fromkeys((shutout_score, close_score, drawn_score)), forfeit_score
    points_pairs = sorted(points.results, reverse=True)
    points_scores = (
        Score(first_points, second_points)
        for first_points, second_points in points_pairs
    )
    return *map(str, points_scores), forfeit_score


def _parse_games(
    text: str,
    counts: Sequence[Fraction],
    points: Points,
    best_of: int,
    allowed: Sequence[str],
    by_games: bool,
) -> Score:
    """Return the score of a match by games won by each player, and drawn.

    `text` is the score as it was typed, and `points` are the event's. `counts` has two
    or three numbers; without the third no game is drawn. Raise UsageError, with the
    `allowed` scores, if a match that is best of `best_of` cannot have so many games.
    `by_games` is whether every score counts games; it only chooses the words of the
    error.
    """
    won_games, lost_games, drawn_games = (*map(int, counts), 0)[:3]
    most_won_games = best_of // 2 + 1
    has_too_many_games = (
        max(won_games, lost_games) > most_won_games
        or won_games + lost_games > best_of
        or drawn_games > best_of
    )
    if any(game_count.denominator > 1 for game_count in counts) or has_too_many_games:
        error_message_id = "score.no_games" if by_games else "score.not_given"
        raise UsageError(
            error_message_id,
            found=text,
            games=best_of,
            points=str(points),
            allowed=allowed,
        )
    return points.of_games((won_games, lost_games, drawn_games))


def _parse_forfeit(
    text: str, first_points: Fraction, second_points: Fraction, points: Points | None
) -> Score:
    """Return the score of a match that was not played: one player wins, or nobody.

    `first_points` and `second_points` are the typed points. The winner gets the points
    of a win, also if `text` says 1. Without `points` of the event the score is as
    typed. Raise UsageError if both have points, or one has others than 1 or those of a
    win.
    """
    if first_points and second_points:
        raise UsageError("score.two_winners", found=text)
    if points is None:
        return Score(first_points, second_points, forfeit=True)
    win_points = points.win
    zero_points = Fraction(0)
    if {first_points, second_points} - {win_points, Fraction(1), zero_points}:
        raise UsageError("score.no_forfeit", found=text, win=win_points)
    return Score(
        win_points if first_points else zero_points,
        win_points if second_points else zero_points,
        forfeit=True,
    )


def _find_row(desk: OpenFolder, number: int, table: int) -> int:
    """Return the index of the row of matches.csv with a table of a round.

    `number` is the number of the round. Byes have no table. Raise UsageError if the
    round is not paired or has no such table; it lists the tables that there are.
    """
    if not 1 <= number <= desk.rounds():
        error_message_id = "round.not_paired" if number else "round.none_paired"
        raise UsageError(error_message_id, round=number)
    match_rows = desk.rows
    is_match = (
        (match_rows.round == number) & (match_rows.second >= 0) & (match_rows.table > 0)
    )
    row_indices_of_table = np.flatnonzero(
        is_match & (match_rows.table == table)
    ).tolist()
    if len(row_indices_of_table) == 1:
        return int(row_indices_of_table[0])
    known_tables = sorted(match_rows.table[is_match].tolist())
    error_message_id = "table.unknown" if known_tables else "table.none"
    raise UsageError(error_message_id, round=number, table=table, tables=known_tables)


def read_score(desk: OpenFolder, row: int) -> Score | None:
    """Return the score of a row of matches.csv, with its games if they are known.

    None if the row has no result.
    """
    match_rows = desk.rows
    point_scale = desk.event.scale
    if not match_rows.scored[row]:
        return None
    first_points = Fraction(int(match_rows.score1[row]), point_scale)
    second_points = Fraction(int(match_rows.score2[row]), point_scale)
    games_of_match = (
        tuple(match_rows.games[row].tolist()) if match_rows.by_games[row] else None
    )
    is_forfeit = bool(match_rows.status[row] == FORFEIT)
    return Score(first_points, second_points, is_forfeit, games_of_match)


def _describe_affected_rounds(before: Event, after: Event, number: int) -> list[Note]:
    """Return notes on later rounds that a correction of round `number` makes worse.

    `before` and `after` are the event without and with the correction. Later rounds
    that were not as good as possible before are skipped. If no round is worse, the note
    says so. The list is empty if no later round is paired, and for a round robin. Later
    rounds are solved again.
    """
    shortcoming_notes: list[Note] = []
    # The rounds of a round robin are paired without results.
    if after.settings.is_round_robin:
        return shortcoming_notes
    for later_round in range(number + 1, after.round):
        shortcoming_note = _describe_shortcoming(after, later_round)
        if shortcoming_note and not _describe_shortcoming(before, later_round):
            shortcoming_notes.append(shortcoming_note)
    if not shortcoming_notes and number + 1 < after.round:
        shortcoming_notes.append(message("round.as_good"))
    return shortcoming_notes


def _describe_shortcoming(event: Event, number: int) -> Note | None:
    """Return a note on why a round is not paired as the event's rules would pair it.

    `number` is the round; its players count as active. None if it is so paired, or if
    no match of it was played.
    """
    rows_of_round = event.matches.paired_rows(number)
    if not (rows_of_round.status == PLAYED).any():
        return None

    # Only a corrected round is checked again.
    from pairopt.round.check import check_played

    try:
        event_before_round = event.at_round(number)
        was_in_round = rows_of_round.player_mask(len(event.players))
        round_check = check_played(replace(event_before_round, active=was_in_round))
    except InputError:
        return message("round.of_others", round=number)
    if not round_check.legal:
        heading_note = message("round.otherwise_by_rules", round=number)
        return with_heading(
            heading_note, *(violation.message for violation in round_check.violations)
        )
    if round_check.better is None:
        return None
    return message("round.otherwise", round=number, why=round_check.changed)
