"""Players: who takes part, byes, forbidden pairs, and the changes to all of these."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from urllib.parse import urlencode

from starlette.datastructures import FormData

from pairopt.common.limits import MOST_ROUNDS
from pairopt.errors import InputError
from pairopt.event.event import REQUESTED, Event
from pairopt.event.forbidden_pairs import when_text
from pairopt.event.name_search import search_names
from pairopt.event.score_checks import points_of
from pairopt.files.event_folder import BRACKET
from pairopt.folder import Done, enter, enter_all
from pairopt.folder.commands import load_commands
from pairopt.folder.edit_player import NOT_EDITED
from pairopt.folder.open_folder import OpenFolder
from pairopt.folder.removing import find_never_paired
from pairopt.messages import AnyMessage
from pairopt.messages.formatting import alphabetical_key, decimal_text, pair_text
from pairopt.problem.round_model import model_for
from pairopt.report.views import round_view
from pairopt.web.site import MOST_FOUND
from pairopt.web.uploads import Upload, preview_corrections
from pairopt.web.view import (
    PART,
    SURE,
    Context,
    PageConfirmationError,
    PageRequest,
    View,
    command_change,
    read_text,
    select_part,
)

OWN = ("name", "rating", "active", "score", "table", "first_round_bye")
"""Columns of players.csv that the page shows in another way, or not at all."""
SHOWN = {
    "": "everybody",
    "in": "who is in",
    "out": "who is out",
    "bye": "who has a bye to come",
}


def context(request: PageRequest) -> Context:
    """Return the players by name, as the search and the filter in the address ask.

    Also their byes to come, and the pairs who may not meet.
    """
    desk = request.desk
    event = desk.event
    query = request.query
    typed = query.get("q", "")
    status = query.get("only", "")

    order = sorted(
        range(len(event.players)), key=lambda p: alphabetical_key(event.shown[p])
    )
    usual_points = event.settings.points
    bye_points = usual_points.requested_bye if usual_points else Fraction(0)
    usual_bye = decimal_text(bye_points)
    byes = _byes_to_come(desk, usual_bye)
    matches = _filter_by_status(
        event, _search_players(event, order, typed), status, byes
    )

    parameters = {
        name: value
        for name, value in query.items()
        if name in ("q", "only", PART) and value
    }
    part = select_part(matches, "/players", parameters, lambda p: event.shown[p])
    is_open = desk.rows.open & (desk.rows.round == desk.rounds())
    open_rows = desk.rows.take(is_open)
    return {
        "event": event,
        "order": order,
        "found": part.items,
        "part": part,
        "many": len(matches),
        "query": f"?{urlencode(parameters)}" if parameters else "",
        "q": typed,
        "only": status,
        "in_others": request.site.group.find_in_other_events(request.site, typed),
        "shown": SHOWN,
        "at": query.get("at", ""),
        "byes": byes,
        "apart": _forbidden_pairs(event),
        "waiting": {*open_rows.first.tolist(), *open_rows.second.tolist()},
        "columns": [name for name in event.columns if name not in OWN],
        "removable": find_never_paired(desk),
        "points": list(map(event.points_text, points_of(event).tolist())),
        "ratings": list(map(event.shown_rating, range(len(event.players)))),
        "before": desk.rounds() == 0,
        "next": event.round,
        "cut": BRACKET in desk.files,
        "most_rounds": event.settings.rounds or MOST_ROUNDS,
        "usual_bye": usual_bye,
        "verbs": [
            command for command in load_commands().values() if command.page == "players"
        ],
    }


def _byes_to_come(desk: OpenFolder, usual_bye: str) -> dict[int, list[tuple[int, str]]]:
    """Return the rounds and points of each player's requested byes to come.

    `usual_bye` are the points of a bye in round 1.
    """
    event = desk.event
    byes: dict[int, list[tuple[int, str]]] = {}
    is_to_come = (desk.rows.round >= event.round) & (desk.rows.status == REQUESTED)
    rows = desk.rows.take(is_to_come)
    for turn, player, points in zip(
        rows.round, rows.first.tolist(), rows.score1, strict=True
    ):
        byes.setdefault(player, []).append((int(turn), event.points_text(int(points))))
    if desk.rounds() == 0:
        for player in event.first_round_bye.nonzero()[0].tolist():
            byes.setdefault(player, [(1, usual_bye)])
    return byes


def _filter_by_status(
    event: Event,
    positions: list[int],
    status: str,
    byes: Mapping[int, object],
) -> list[int]:
    """Return the players who are "in", are "out" or have a "bye" to come; "" is all."""
    if status == "in":
        return [p for p in positions if event.present[p]]
    if status == "out":
        return [p for p in positions if not event.present[p]]
    if status == "bye":
        return [p for p in positions if p in byes]
    return positions


def _forbidden_pairs(event: Event) -> list[tuple[str, str, str, str]]:
    """Return the pairs who may not meet: both players, their names, and in which rounds."""
    return [
        (
            event.players[pair.one],
            event.players[pair.two],
            pair_text(event.shown[pair.one], event.shown[pair.two]),
            when_text(pair.rounds),
        )
        for pair in dict.fromkeys(event.prohibited)
    ]


def _search_players(event: Event, order: Sequence[int], typed: str) -> list[int]:
    """Return the players whose names or further columns have the words that were typed.

    They keep their order; "" finds all players.
    """
    if not typed.strip():
        return [*order]
    cells = [event.columns[name] for name in event.columns if name not in OWN]
    texts = [
        " ".join([event.shown[p], *(column[p] for column in cells)]) for p in order
    ]
    return [order[k] for k in search_names(typed, texts)[0]]


def find_anywhere(request: PageRequest) -> Context:
    """Return the players whom a search from any page may mean, with their tables."""
    event = request.desk.event
    round_number = request.desk.rounds()
    typed = request.query.get("q", "")
    seats = {seat.name: seat for seat in round_view(event, round_number).seats}
    return {
        "event": event,
        "found": event.search_players(typed)[0][:MOST_FOUND],
        "seats": seats,
        "in_others": request.site.group.find_in_other_events(request.site, typed),
        "round": round_number,
    }


def edit_context(request: PageRequest) -> Context:
    """Return the cells of one player. Raises UsageError for an unknown player."""
    event = request.desk.event
    position = event.position(request.query.get("player", ""))
    table = request.desk.players
    columns = dict.fromkeys(["rating", "club", *table.columns])
    cells = {"name": event.names[position]}
    for name in columns:
        if name not in ("player", "name", "start", *NOT_EDITED):
            cells[name] = table.cells[name][position] if name in table.columns else ""
    if model_for(event, None).system is not None:
        cells["start"] = str(event.start_numbers[position])
    return {
        "player": event.players[position],
        "called": event.shown[position],
        "cells": cells,
    }


def enter_player(desk: OpenFolder, form: FormData) -> Done:
    """Add the player in the form, with rating and club if they are given."""
    cells = {
        name: cell for name in ("rating", "club") if (cell := read_text(form, name))
    }
    return enter(desk, read_text(form, "name") or "", cells, sure=SURE in form)


def import_players(desk: OpenFolder, form: FormData) -> Done:
    """Add the players of a list or file; first show how it was read, and ask."""
    upload = Upload.of(form)
    try:
        detected = upload.read()
    except InputError as error:
        preview = preview_corrections(form)
        if preview is not None:
            raise PageConfirmationError(
                *error.said, again=upload.fields_again(), preview=preview
            ) from None
        raise

    rehearsal = enter_all(desk.rehearsed(), detected.event, sure=True)
    lines: list[str | AnyMessage] = [*detected.event.notes, *rehearsal.said]
    if detected.event.round > 1:
        lines.append("its rounds are not taken: this event has its own")
    upload.require_confirmation(detected, lines, form)
    return enter_all(desk, detected.event, sure=True)


def set_table(desk: OpenFolder, form: FormData) -> Done:
    """Give a player the fixed table in the form; an empty field removes it."""
    has_table = bool(read_text(form, "table"))
    return command_change("edit", off=not has_table)(desk, form)


PLAYERS = View(
    "players",
    "Players",
    context,
    {
        "enter": enter_player,
        "take": import_players,
        "bye": command_change("bye"),
        "in": command_change("drop", off=True),
        "out": command_change("drop"),
        "remove": command_change("remove"),
        "begin": command_change("drop", player=None, all=True),
        "all": command_change("drop", player=None, all=True, off=True),
        "table": set_table,
        "apart": command_change("forbid"),
        "together": command_change("forbid", off=True),
        **{
            name: command_change(name)
            for name, command in load_commands().items()
            if command.page == "players"
        },
    },
    weight=1,
)
EDIT = View(
    "players/edit",
    "Player",
    edit_context,
    {"change": command_change("edit")},
    then="/players",
)
FOUND = View("players/found", "Found", find_anywhere)
