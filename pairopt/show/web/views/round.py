"""Round: the one that is open, and the way to the next."""

from __future__ import annotations

from starlette.datastructures import FormData

from pairopt.errors import PairoptError
from pairopt.event.event import require_finished
from pairopt.folder.desk import Desk, Done
from pairopt.folder.pairing import repair, to_pair
from pairopt.show.shown import known_round
from pairopt.show.web.view import Asked, Context, View, number


def context(asked: Asked) -> Context:
    """The last round, and why the next one cannot be paired, "" where it can."""
    desk, last = asked.desk, asked.desk.rounds()
    paired = known_round(desk.event, last)
    return {
        "round": last,
        "paired": paired,
        "open": [line.table for line in paired.lines if line.open],
        "next": last + 1,
        "hindrance": _hindrance(desk),
    }


def _hindrance(desk: Desk) -> str:
    """Why the next round cannot be paired yet."""
    try:
        to_pair(desk)
        require_finished(desk.event)
    except PairoptError as error:
        return str(error)
    return ""


def repaired(desk: Desk, form: FormData) -> Done:
    """Pair the open round again, but for the tables that are to stay."""
    return repair(desk, [number(str(table), "table") for table in form.getlist("keep")])


VIEW = View("round", "Round", context, {"repair": repaired}, place=2)
