"""Played: what was played differently at a table, which the menu of its result leads to."""

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
    number_of,
    text_of,
)


def context(asked: PageRequest) -> Context:
    """The match of a table with its sides, and who else could have been the opponent."""
    number = asked.round or asked.desk.rounds()
    table = asked.query.get("table", "")
    shown = round_view(asked.desk.event, number, listed=True)
    lines = [line for line in shown.matches if line.table == table]
    if len(lines) != 1:
        raise PageNotFoundError(message("played.no_table", round=number, table=table))
    others = [
        (player, name, line.table)
        for line in shown.matches
        if line.table not in (table, "") and _is_played(line)
        for player, name in zip(line.players, line.names, strict=True)
    ]
    others.sort(key=lambda other: alphabetical_key(other[1]))
    return {
        "round": number,
        "line": lines[0],
        "heads": [shown.sides[0] or "Player", shown.sides[1] or "Opponent"],
        "sided": asked.desk.event.sided,
        "others": others,
    }


def _is_played(line: MatchView) -> bool:
    return bool(line.score) and not line.score.endswith("F")


def record(desk: OpenFolder, form: FormData) -> Done:
    """Record what was played instead; if not confirmed, rehearse it and ask first (PageConfirmationError)."""
    table = text_of(form, "table")
    opponent = text_of(form, "opponent")
    is_reversed = "reversed" in form
    if table is None or (opponent is None and not is_reversed):
        raise UsageError("played.nothing_chosen")
    how: dict[str, Any] = {
        "round": number_of(form, "round"),
        "reversed": is_reversed,
        "opponent": None if is_reversed else opponent,
    }
    if SURE not in form:
        would = result(desk.rehearsed(), table, **how)
        if would.step is not None:
            raise PageConfirmationError(*would.said)
    return result(desk, table, **how)


VIEW = View(
    "results/played", "Played differently", context, {"record": record}, then="/results"
)
