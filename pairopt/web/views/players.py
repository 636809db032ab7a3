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
    CELL,
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
from pairopt.web.views.listed import describe_list, read_cells, read_listed_cells

COLUMNS_SHOWN_APART = ("name", "rating", "active", "score", "table", "first_round_bye")
"""Columns of players.csv that the page shows in another way, or not at all."""
SHOWN = {
    "": "all players",
    "in": "checked in",
    "out": "not checked in, or dropped",
    "bye": "with a coming bye",
}


def context(request: PageRequest) -> Context:
    """Return the players by name, as the search and the filter in the address ask.

    A long list is split, and only the part in the address is shown. Also their byes to
    come, the pairs who may not meet, their open matches, and what the page's forms
    need.
    """
    desk = request.desk
    event = desk.event
    query = request.query
    typed_search = query.get("q", "")
    wanted_status = query.get("only", "")

    alphabetical_positions = sorted(
        range(len(event.players)), key=lambda p: alphabetical_key(event.shown[p])
    )
    usual_points = event.settings.points
    bye_points = usual_points.requested_bye if usual_points else Fraction(0)
    usual_bye_points = decimal_text(bye_points)
    byes_to_come = _find_byes_to_come(desk, usual_bye_points)
    found_positions = _filter_by_status(
        event,
        _search_players(event, alphabetical_positions, typed_search),
        wanted_status,
        byes_to_come,
    )

    kept_parameters = {
        parameter_name: parameter_value
        for parameter_name, parameter_value in query.items()
        if parameter_name in ("q", "only", PART) and parameter_value
    }
    shown_part = select_part(
        found_positions, "/players", kept_parameters, lambda p: event.shown[p]
    )
    is_open_row = desk.rows.open & (desk.rows.round == desk.rounds())
    is_round_robin = event.settings.is_round_robin
    if is_round_robin:
        # Nothing can be re-paired.
        is_open_row = is_open_row & False
    open_rows = desk.rows.take(is_open_row)
    return {
        "event": event,
        "order": alphabetical_positions,
        "found": shown_part.items,
        "part": shown_part,
        "many": len(found_positions),
        "query": f"?{urlencode(kept_parameters)}" if kept_parameters else "",
        "q": typed_search,
        "only": wanted_status,
        "in_others": request.site.group.find_in_other_events(
            request.site, typed_search
        ),
        "shown": SHOWN,
        "at": query.get("at", ""),
        "list_title": describe_list(event.settings),
        "listed": _read_listed_fields(request),
        "byes": byes_to_come,
        "apart": _list_forbidden_pairs(event),
        "waiting": {*open_rows.first.tolist(), *open_rows.second.tolist()},
        "columns": [
            column_name
            for column_name in event.columns
            if column_name not in COLUMNS_SHOWN_APART
        ],
        "removable": find_never_paired(desk),
        "points": list(map(event.points_text, points_of(event).tolist())),
        "ratings": list(map(event.shown_rating, range(len(event.players)))),
        "before": desk.rounds() == 0,
        "round_robin": is_round_robin,
        "next": event.round,
        "cut": BRACKET in desk.files,
        "most_rounds": event.settings.rounds or MOST_ROUNDS,
        "usual_bye": usual_bye_points,
        "verbs": [
            players_command
            for players_command in load_commands().values()
            if players_command.page == "players"
        ],
    }


def _read_listed_fields(request: PageRequest) -> dict[str, str]:
    """Return the fields for a new player, filled in from a rating list.

    Fields besides name, rating and club are cells, with the prefix CELL.
    """
    cell_by_column = read_listed_cells(request.desk.event.settings, request.query)
    return {
        column_name
        if column_name in ("name", "rating", "club")
        else f"{CELL}{column_name}": cell_text
        for column_name, cell_text in cell_by_column.items()
    }


def _find_byes_to_come(
    desk: OpenFolder, usual_bye: str
) -> dict[int, list[tuple[int, str]]]:
    """Return the rounds and points of each player's requested byes, by position.

    These are the byes of the next round and later. Before round 1 they include the byes
    of the list of players, with `usual_bye` as their points, unless a bye for round 1
    was entered. Players without such byes are missing.
    """
    event = desk.event
    byes_by_position: dict[int, list[tuple[int, str]]] = {}
    is_coming_bye = (desk.rows.round >= event.round) & (desk.rows.status == REQUESTED)
    bye_rows = desk.rows.take(is_coming_bye)
    for round_number, player_position, scaled_points in zip(
        bye_rows.round, bye_rows.first.tolist(), bye_rows.score1, strict=True
    ):
        byes_by_position.setdefault(player_position, []).append(
            (int(round_number), event.points_text(int(scaled_points)))
        )
    if desk.rounds() == 0:
        for player_position in event.first_round_bye.nonzero()[0].tolist():
            byes_of_player = byes_by_position.setdefault(player_position, [])
            # a bye that was entered counts instead of the one in the list
            if all(bye_round != 1 for bye_round, _ in byes_of_player):
                byes_of_player.insert(0, (1, usual_bye))
    return byes_by_position


def _filter_by_status(
    event: Event,
    positions: list[int],
    status: str,
    byes: Mapping[int, object],
) -> list[int]:
    """Return the positions of players who are "in", "out", or have a "bye" to come.

    They are those of `positions`, in the same order. Any other `status`, such as "",
    returns all. `byes` has the players with a bye by position.
    """
    if status == "in":
        return [
            player_position
            for player_position in positions
            if event.present[player_position]
        ]
    if status == "out":
        return [
            player_position
            for player_position in positions
            if not event.present[player_position]
        ]
    if status == "bye":
        return [
            player_position for player_position in positions if player_position in byes
        ]
    return positions


def _list_forbidden_pairs(event: Event) -> list[tuple[str, str, str, str]]:
    """Return the pairs who may not meet, each rule once, in the event's order.

    Each is the two players' identifiers, their names as a pair, and in which rounds, ""
    for all.
    """
    return [
        (
            event.players[forbidden_meeting.one],
            event.players[forbidden_meeting.two],
            pair_text(
                event.shown[forbidden_meeting.one], event.shown[forbidden_meeting.two]
            ),
            when_text(forbidden_meeting.rounds),
        )
        for forbidden_meeting in dict.fromkeys(event.prohibited)
    ]


def _search_players(event: Event, order: Sequence[int], typed: str) -> list[int]:
    """Return the positions of players whose names or further columns fit a search.

    `typed` is what was typed; if it is blank, everybody fits. `order` are the positions
    to search; the result keeps their order.
    """
    if not typed.strip():
        return [*order]
    searched_columns = [
        event.columns[column_name]
        for column_name in event.columns
        if column_name not in COLUMNS_SHOWN_APART
    ]
    player_texts = [
        " ".join(
            [
                event.shown[player_position],
                *(
                    searched_column[player_position]
                    for searched_column in searched_columns
                ),
            ]
        )
        for player_position in order
    ]
    return [
        order[text_position] for text_position in search_names(typed, player_texts)[0]
    ]


def find_anywhere(request: PageRequest) -> Context:
    """Return the players whom a search from any page may mean, with their tables.

    "found" are their positions in the event, at most MOST_FOUND, and "in_others" those
    in other events of the group. "seats" has everybody's seat by displayed name in
    "round", the round that is played now. "event" is the event.
    """
    event = request.desk.event
    round_number = request.desk.current_round()
    typed_search = request.query.get("q", "")
    seat_by_name = {
        seat_view.name: seat_view for seat_view in round_view(event, round_number).seats
    }
    return {
        "event": event,
        "found": event.search_players(typed_search)[0][:MOST_FOUND],
        "seats": seat_by_name,
        "in_others": request.site.group.find_in_other_events(
            request.site, typed_search
        ),
        "round": round_number,
    }


def edit_context(request: PageRequest) -> Context:
    """Return the cells of the player in the address, by the names of columns.

    "cells" has them, "player" is the identifier, and "called" the displayed name. The
    start number is among the cells only under a FIDE system. Raises UsageError for an
    unknown player.
    """
    event = request.desk.event
    player_position = event.position(request.query.get("player", ""))
    players_table = request.desk.players
    column_names = dict.fromkeys(["rating", "club", *players_table.columns])
    cell_by_column = {"name": event.names[player_position]}
    for column_name in column_names:
        if column_name not in ("player", "name", "start", *NOT_EDITED):
            cell_by_column[column_name] = (
                players_table.cells[column_name][player_position]
                if column_name in players_table.columns
                else ""
            )
    if model_for(event, None).system is not None:
        cell_by_column["start"] = str(event.start_numbers[player_position])
    return {
        "player": event.players[player_position],
        "called": event.shown[player_position],
        "cells": cell_by_column,
    }


def enter_player(desk: OpenFolder, form: FormData) -> Done:
    """Add the player in the form, with rating, club and further cells that are filled.

    Return what was done. Unless the form is a confirmation, this raises
    ConfirmationError if the player may be there already.
    """
    cell_by_column = read_cells(form)
    cell_by_column |= {
        column_name: filled_cell
        for column_name in ("rating", "club")
        if (filled_cell := read_text(form, column_name))
    }
    return enter(desk, read_text(form, "name") or "", cell_by_column, sure=SURE in form)


def import_players(desk: OpenFolder, form: FormData) -> Done:
    """Add the players of a list or file; its rounds are ignored.

    Return what was done. Without a confirmation raise PageConfirmationError, which
    shows how the list was read. That is also so if corrected cells have faults. Raises
    InputError for other faults of the list.
    """
    upload = Upload.of(form)
    try:
        detected_event = upload.read()
    except InputError as error:
        list_preview = preview_corrections(form)
        if list_preview is not None:
            raise PageConfirmationError(
                *error.said, again=upload.fields_again(), preview=list_preview
            ) from None
        raise

    rehearsal = enter_all(desk.rehearsed(), detected_event.event, sure=True)
    question_notes: list[str | AnyMessage] = [
        *detected_event.event.notes,
        *rehearsal.said,
    ]
    if detected_event.event.round > 1:
        question_notes.append(
            "the rounds in this file are ignored: this event has its own rounds"
        )
    upload.require_confirmation(detected_event, question_notes, form)
    return enter_all(desk, detected_event.event, sure=True)


def set_table(desk: OpenFolder, form: FormData) -> Done:
    """Give a player the fixed table in the form; an empty field removes it.

    The form has the player, too. Return what was done. Raises UsageError for an
    impossible table.
    """
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
