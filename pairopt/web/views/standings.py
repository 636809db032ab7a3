"""Standings: points and tie-breaks, the cut and the bracket; each player, and their "Why?"."""

from functools import partial

from starlette.datastructures import FormData

from pairopt.event.elimination import bracket_lines
from pairopt.files.event_folder import BRACKET
from pairopt.folder import Done, bracket
from pairopt.folder.open_folder import OpenFolder
from pairopt.report.page import bracket_parts
from pairopt.report.views import match_records, standings_of
from pairopt.web.phones import EventSnapshot, player
from pairopt.web.player_questions import why
from pairopt.web.view import (
    SURE,
    Context,
    PageConfirmationError,
    PageRequest,
    View,
    number_of,
    standings_part,
)


def context(asked: PageRequest) -> Context:
    event = asked.desk.event
    made = bracket(asked.desk) if BRACKET in asked.desk.files else None
    elimination = made.bracket if made is not None else None
    made_of = standings_of(event, bias=False)
    known = (
        EventSnapshot(asked.desk, asked.site).seats
        if asked.query.get("by") == "rounds"
        else []
    )
    return {
        "seats": known,
        "ranks": dict(
            zip(made_of.players, (row[0] for row in made_of.rows), strict=True)
        ),
        "records": match_records(event),
        "sided": event.sided,
        "round": event.round - 1,
        "rounds": event.settings.rounds,
        "missing": len(event.unscored),
        "adjourned": len(event.adjourned),
        "is_over": asked.desk.has_all_rounds,
        "cutting": "cut" in asked.query,
        **standings_part(made_of, "/standings", asked.query),
        "said_of_bracket": made.said if made is not None else (),
        "parts": bracket_parts(bracket_lines(elimination, event.called))
        if elimination is not None
        else [],
        "open": elimination is not None
        and any(match.open for match in elimination.needed),
    }


def cut(desk: OpenFolder, form: FormData) -> Done:
    """Make the bracket; who is in it and how ties were broken is said and asked first."""
    make = partial(
        bracket,
        cut=number_of(form, "cut", required=True),
        double="double" in form,
        by_lot="by_lot" in form,
        seed=number_of(form, "seed"),
    )
    if SURE not in form:
        raise PageConfirmationError(*make(desk.rehearsed()).said)
    return make(desk)


VIEW = View("standings", "Standings", context, {"cut": cut}, weight=4)


def of_player(asked: PageRequest) -> Context:
    """What a phone shows of the player, and what they have won, drawn and lost."""
    found = player(EventSnapshot(asked.desk, asked.site), asked.query)
    return {
        **found,
        "title": found["name"],
        "record": match_records(asked.desk.event)[str(found["id"])],
    }


PLAYER = View("player", "Player", of_player)
WHY = View(
    "why",
    "Why?",
    lambda asked: why(
        asked.desk, asked.query.get("id", ""), asked.query.get("other", "")
    ),
)
