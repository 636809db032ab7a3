"""Played differently: record at a table what was played instead of the pairing."""

from typing import Any

from starlette.datastructures import FormData

from pairopt.errors import UsageError
from pairopt.event.column_layout import ADJOURNED, RATED, RATING_RESULT
from pairopt.folder import Done, result
from pairopt.folder.open_folder import OpenFolder
from pairopt.messages import message
from pairopt.messages.formatting import alphabetical_key
from pairopt.report.views import MatchView, round_view
from pairopt.web.view import (
    SURE,
    Context,
    PageConfirmationError,
    PageNotFoundError,
    PageRequest,
    View,
    read_number,
    read_text,
)


def context(request: PageRequest) -> Context:
    """Return the match at a table, and the players who could have been the opponent.

    "line" is the match, and "others" are the opponents: identifier, name and table of
    all who have played at another table; in a round robin there are none. "round" is
    the one in the address, otherwise the one that is played now. "unrated" and
    "rating_result" are what FIDE rates ("" for nothing else), "heads" the labels of
    both sides, and "sided" whether the game has sides. Raises PageNotFoundError if
    there is no such table.
    """
    round_number = request.round or request.desk.current_round()
    table_label = request.query.get("table", "")
    listed_round = round_view(request.desk.event, round_number, listed=True)
    table_matches = [
        match_line
        for match_line in listed_round.matches
        if match_line.table == table_label
    ]
    if len(table_matches) != 1:
        raise PageNotFoundError(
            message("played.no_table", round=round_number, table=table_label)
        )

    possible_opponents = [
        (opponent_player, opponent_name, match_line.table)
        for match_line in listed_round.matches
        if match_line.table not in (table_label, "") and _is_played(match_line)
        for opponent_player, opponent_name in zip(
            match_line.players, match_line.names, strict=True
        )
    ]
    if request.desk.event.settings.is_round_robin:
        possible_opponents = []
    possible_opponents.sort(key=lambda opponent: alphabetical_key(opponent[1]))
    event = request.desk.event
    event_rows = request.desk.rows
    is_table = (event_rows.round == round_number) & (
        event_rows.table == int(table_label)
    )
    csv_row_indices = event_rows.row[is_table].tolist()
    return {
        "round": round_number,
        "line": table_matches[0],
        "unrated": any(
            event.origin.cell(RATED, csv_row_index) == "false"
            for csv_row_index in csv_row_indices
        ),
        "rating_result": next(
            (
                event.origin.cell(RATING_RESULT, csv_row_index)
                for csv_row_index in csv_row_indices
            ),
            "",
        ),
        "heads": [
            listed_round.sides[0] or "Player",
            listed_round.sides[1] or "Opponent",
        ],
        "sided": request.desk.event.sided,
        "others": possible_opponents,
    }


def _is_played(line: MatchView) -> bool:
    """Return whether a match was played: it has a result, and that is no forfeit.

    `line` is the match's on the page. The score's text decides; that of a forfeit ends
    with F.
    """
    return bool(line.score) and not line.score.endswith("F")


def record_played(desk: OpenFolder, form: FormData) -> Done:
    """Record with which sides or opponent a player played, or what FIDE rates.

    Return what was done. Unless the form confirms it, the change is tried without
    writing, and PageConfirmationError is raised if it would change anything. Raises
    UsageError if the form chooses nothing.
    """
    table_label = read_text(form, "table")
    typed_opponent = read_text(form, "opponent")
    is_reversed = "reversed" in form
    typed_rated = read_text(form, "rated")
    if table_label is None or (
        typed_opponent is None and not is_reversed and typed_rated is None
    ):
        raise UsageError("played.nothing_chosen")

    result_arguments: dict[str, Any] = {"round": read_number(form, "round")}
    if typed_rated is not None:
        result_arguments |= _read_rating(desk, form, typed_rated, table_label)
    else:
        result_arguments |= {
            "reversed": is_reversed,
            "opponent": None if is_reversed else typed_opponent,
        }
    if SURE not in form:
        rehearsal = result(desk.rehearsed(), table_label, **result_arguments)
        if rehearsal.step is not None:
            raise PageConfirmationError(*rehearsal.said)
    return result(desk, table_label, **result_arguments)


def _read_rating(
    desk: OpenFolder, form: FormData, rated: str, table: str
) -> dict[str, Any]:
    """Return the options of `result` that say what FIDE rates at a table.

    `rated` is "no" for an unrated game, "yes" for a game that is rated after all,
    "other" for a score that counts for the rating alone (the field "score" of the
    form), and "same" to take that score away. For "no" and "yes" the score is the one
    that the table has now in the form's round, by default the last one; it is None
    without one, and "adjourned" for an adjourned game.
    """
    if rated == "other":
        return {"score": read_text(form, "score"), "rating_only": True}
    if rated == "same":
        return {"off": True, "rating_only": True}
    round_number = read_number(form, "round") or desk.rounds()
    listed_round = round_view(desk.event, round_number, listed=True)
    table_scores = [
        match_line.score
        for match_line in listed_round.matches
        if match_line.table == table
    ]
    table_score = table_scores[0] if table_scores else None
    event_rows = desk.rows
    is_of_round = event_rows.round == round_number
    for table_number, csv_row_index in zip(
        event_rows.table[is_of_round], event_rows.row[is_of_round], strict=True
    ):
        # The draw of an adjourned game is no result yet.
        if (
            str(table_number) == table
            and desk.event.origin.cell(ADJOURNED, csv_row_index) == "true"
        ):
            table_score = "adjourned"
    return {"score": table_score, "unrated": rated == "no"}


VIEW = View(
    "results/played",
    "Played differently",
    context,
    {"record": record_played},
    then="/results",
)
