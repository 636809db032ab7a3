"""Played differently: record at a table what was played instead of the pairing."""

from typing import Any

from starlette.datastructures import FormData

from pairopt.errors import UsageError
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

    These are all who have played at another table. Without a round in the address it is
    the last one. Raises PageNotFoundError if there is no such table.
    """
    round_number = request.round or request.desk.rounds()
    table_label = request.query.get("table", "")
    listed_round = round_view(request.desk.event, round_number, listed=True)
    table_matches = [line for line in listed_round.matches if line.table == table_label]
    if len(table_matches) != 1:
        raise PageNotFoundError(
            message("played.no_table", round=round_number, table=table_label)
        )

    opponents = [
        (player, name, line.table)
        for line in listed_round.matches
        if line.table not in (table_label, "") and _is_played(line)
        for player, name in zip(line.players, line.names, strict=True)
    ]
    opponents.sort(key=lambda opponent: alphabetical_key(opponent[1]))
    return {
        "round": round_number,
        "line": table_matches[0],
        "heads": [
            listed_round.sides[0] or "Player",
            listed_round.sides[1] or "Opponent",
        ],
        "sided": request.desk.event.sided,
        "others": opponents,
    }


def _is_played(line: MatchView) -> bool:
    """Return whether a match was played: it has a result, and that is no forfeit."""
    return bool(line.score) and not line.score.endswith("F")


def record_played(desk: OpenFolder, form: FormData) -> Done:
    """Record with which sides, or with which opponent, a player played instead.

    Unless the form confirms it, rehearse it and raise PageConfirmationError if it would
    change anything. Raises UsageError if the form chooses nothing.
    """
    table = read_text(form, "table")
    opponent = read_text(form, "opponent")
    is_reversed = "reversed" in form
    if table is None or (opponent is None and not is_reversed):
        raise UsageError("played.nothing_chosen")

    options: dict[str, Any] = {
        "round": read_number(form, "round"),
        "reversed": is_reversed,
        "opponent": None if is_reversed else opponent,
    }
    if SURE not in form:
        rehearsal = result(desk.rehearsed(), table, **options)
        if rehearsal.step is not None:
            raise PageConfirmationError(*rehearsal.said)
    return result(desk, table, **options)


VIEW = View(
    "results/played",
    "Played differently",
    context,
    {"record": record_played},
    then="/results",
)
