"""Standings: points and tie-breaks, the cut and the bracket; a page per player, and "Why?"."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from starlette.datastructures import FormData

from pairopt.event.elimination import bracket_lines
from pairopt.files.event_folder import BRACKET
from pairopt.folder import Done, bracket
from pairopt.folder.open_folder import OpenFolder
from pairopt.report.page import bracket_parts
from pairopt.report.round_robin_grid import GridRow, build_grid
from pairopt.report.views import SeatView, match_records, standings_of
from pairopt.web.phones import EventSnapshot, phone_player_context
from pairopt.web.player_questions import explain_pairing
from pairopt.web.view import (
    SURE,
    Context,
    PageConfirmationError,
    PageRequest,
    View,
    read_number,
    select_standings_part,
)


def context(request: PageRequest) -> Context:
    """Return the standings, and the bracket if there is one.

    With "by=rounds" in the address they have each player's seats in all rounds, too, and
    with "by=cross" the cross table of a round robin. With "cut" the form for the top cut
    is open. Long standings are shown in parts; the address says which one.
    """
    desk = request.desk
    event = desk.event
    bracket_step = bracket(desk) if BRACKET in desk.files else None
    elimination_bracket = bracket_step.bracket if bracket_step is not None else None
    bracket_stages: list[Any] = []
    is_bracket_open = False
    if elimination_bracket is not None:
        bracket_stages = bracket_parts(bracket_lines(elimination_bracket, event.called))
        is_bracket_open = any(
            bracket_match.open for bracket_match in elimination_bracket.needed
        )

    standings_view = standings_of(event, bias=False)
    # Cells name opponents by places: equal players share a rank.
    place_by_player = {
        player_identifier: standings_place
        for standings_place, player_identifier in enumerate(standings_view.players, 1)
    }
    seats_by_round: Sequence[Mapping[str, SeatView]] = []
    if request.query.get("by") == "rounds":
        seats_by_round = EventSnapshot(desk, request.site).seats
    return {
        "seats": seats_by_round,
        "ranks": place_by_player,
        "records": match_records(event),
        "sided": event.sided,
        "round_robin": event.settings.is_round_robin,
        "grid": _find_grid(request),
        "last_round": desk.rounds(),
        "round": event.round - 1,
        "rounds": event.settings.rounds,
        "missing": len(event.unscored),
        "adjourned": len(event.adjourned),
        "is_over": desk.has_all_rounds,
        "cutting": "cut" in request.query,
        **select_standings_part(standings_view, "/standings", request.query),
        "said_of_bracket": bracket_step.said if bracket_step is not None else (),
        "parts": bracket_stages,
        "open": is_bracket_open,
    }


def _find_grid(request: PageRequest) -> Sequence[GridRow]:
    """Return the cross table of a round robin if the address asks for it.

    It does with "by=cross". The table is empty otherwise, and in a Swiss event.
    """
    event = request.desk.event
    if not event.settings.is_round_robin or request.query.get("by") != "cross":
        return ()
    return build_grid(event)


def make_cut(desk: OpenFolder, form: FormData) -> Done:
    """Make the bracket of the top cut, from the options in the form.

    Return what was done. Without a confirmation raise PageConfirmationError, which says
    who is in it and how ties were broken.
    """
    make_bracket = partial(
        bracket,
        cut=read_number(form, "cut", required=True),
        double="double" in form,
        by_lot="by_lot" in form,
        seed=read_number(form, "seed"),
    )
    if SURE not in form:
        raise PageConfirmationError(*make_bracket(desk.rehearsed()).said)
    return make_bracket(desk)


VIEW = View("standings", "Standings", context, {"cut": make_cut}, weight=4)


def player_context(request: PageRequest) -> Context:
    """Return a player's page as phones have it, with wins, draws and losses.

    The player is in the address. Raises UsageError for an unknown one.
    """
    page_values = phone_player_context(
        EventSnapshot(request.desk, request.site), request.query
    )
    return {
        **page_values,
        "title": page_values["name"],
        "record": match_records(request.desk.event)[str(page_values["id"])],
    }


def why_context(request: PageRequest) -> Context:
    """Return why a player's last pairing is as it is, or why not another opponent.

    The address has the player's "id", and optionally the "other" player. Raises
    UsageError for an unknown player, and in a round robin.
    """
    query = request.query
    return explain_pairing(request.desk, query.get("id", ""), query.get("other", ""))


PLAYER = View("player", "Player", player_context)
WHY = View("why", "Why?", why_context)
