"""Players: who is here, comes and goes, what is said of them, who may not meet, and where."""

from collections.abc import Sequence
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
from pairopt.folder.commands import every_verb
from pairopt.folder.edit_player import NOT_EDITED
from pairopt.folder.open_folder import OpenFolder
from pairopt.folder.removing import never_paired
from pairopt.messages.formatting import alphabetical_key, decimal_text, pair_text
from pairopt.problem.round_model import model_for
from pairopt.report.views import round_view
from pairopt.web.site import MOST_FOUND
from pairopt.web.uploads import Upload, preview_again
from pairopt.web.view import (
    PART,
    SURE,
    Context,
    PageConfirmationError,
    PageRequest,
    View,
    command_change,
    part_of,
    text_of,
)

OWN = ("name", "rating", "active", "score", "table", "first_round_bye")
"""Columns of players.csv that are shown otherwise, or not at all."""
SHOWN = {
    "": "everybody",
    "in": "who is in",
    "out": "who is out",
    "bye": "who has a bye to come",
}


def context(asked: PageRequest) -> Context:
    """Players in the order of names, those that are sought, and the pairs who may not meet."""
    desk, event, query = asked.desk, asked.desk.event, asked.query
    byes: dict[int, list[tuple[int, str]]] = {}
    usual = event.settings.points
    rows_open = desk.rows.take(desk.rows.open & (desk.rows.round == desk.rounds()))
    rows = desk.rows.take(
        (desk.rows.round >= event.round) & (desk.rows.status == REQUESTED)
    )
    for turn, player, points in zip(
        rows.round, rows.first.tolist(), rows.score1, strict=True
    ):
        byes.setdefault(player, []).append((int(turn), event.points_text(int(points))))
    usual_bye = decimal_text(usual.requested_bye if usual else Fraction(0))
    if desk.rounds() == 0:
        for player in event.first_round_bye.nonzero()[0].tolist():
            byes.setdefault(player, [(1, usual_bye)])
    order = sorted(
        range(len(event.players)), key=lambda p: alphabetical_key(event.shown[p])
    )
    found = _sought(event, order, query.get("q", ""))
    only = query.get("only", "")
    here = {"in": event.present, "out": ~event.present}
    if only in here:
        found = [p for p in found if here[only][p]]
    elif only == "bye":
        found = [p for p in found if p in byes]
    kept = {
        name: value
        for name, value in query.items()
        if name in ("q", "only", PART) and value
    }
    part = part_of(found, "/players", kept, lambda p: event.shown[p])
    apart = [
        (
            event.players[each.one],
            event.players[each.two],
            pair_text(event.shown[each.one], event.shown[each.two]),
            when_text(each.rounds),
        )
        for each in dict.fromkeys(event.prohibited)
    ]
    return {
        "event": event,
        "order": order,
        "found": part.items,
        "part": part,
        "many": len(found),
        "query": f"?{urlencode(kept)}" if kept else "",
        "q": query.get("q", ""),
        "only": only,
        "in_others": asked.site.evening.elsewhere(asked.site, query.get("q", "")),
        "shown": SHOWN,
        "at": query.get("at", ""),
        "byes": byes,
        "apart": apart,
        "waiting": {*rows_open.first.tolist(), *rows_open.second.tolist()},
        "columns": [name for name in event.columns if name not in OWN],
        "removable": never_paired(desk),
        "points": list(map(event.points_text, points_of(event).tolist())),
        "ratings": list(map(event.shown_rating, range(len(event.players)))),
        "before": desk.rounds() == 0,
        "next": event.round,
        "cut": BRACKET in desk.files,
        "most_rounds": event.settings.rounds or MOST_ROUNDS,
        "usual_bye": usual_bye,
        "verbs": [verb for verb in every_verb().values() if verb.page == "players"],
    }


def _sought(event: Event, order: Sequence[int], words: str) -> list[int]:
    """Those whose names, or what else is said of them, have these words."""
    if not words.strip():
        return [*order]
    cells = [event.columns[name] for name in event.columns if name not in OWN]
    texts = [
        " ".join([event.shown[p], *(column[p] for column in cells)]) for p in order
    ]
    return [order[k] for k in search_names(words, texts)[0]]


def whom(asked: PageRequest) -> Context:
    """Who may be meant by what is typed anywhere, with their place in the last round."""
    event, number, typed = (
        asked.desk.event,
        asked.desk.rounds(),
        asked.query.get("q", ""),
    )
    seats = {seat.name: seat for seat in round_view(event, number).seats}
    return {
        "event": event,
        "found": event.search_players(typed)[0][:MOST_FOUND],
        "seats": seats,
        "in_others": asked.site.evening.elsewhere(asked.site, typed),
        "round": number,
    }


def edited(asked: PageRequest) -> Context:
    """What is said of one player. Raises UsageError for who is none."""
    desk = asked.desk
    event, one = desk.event, desk.event.position(asked.query.get("player", ""))
    table = desk.players
    columns = dict.fromkeys(["rating", "club", *table.columns])
    cells = {"name": event.names[one]}
    for name in columns:
        if name not in ("player", "name", "start", *NOT_EDITED):
            cells[name] = table.cells[name][one] if name in table.columns else ""
    if model_for(event, None).system is not None:
        cells["start"] = str(event.start_numbers[one])
    return {"player": event.players[one], "called": event.shown[one], "cells": cells}


def entered(desk: OpenFolder, form: FormData) -> Done:
    given = {name: cell for name in ("rating", "club") if (cell := text_of(form, name))}
    return enter(desk, text_of(form, "name") or "", given, sure=SURE in form)


def import_players(desk: OpenFolder, form: FormData) -> Done:
    """The players of a list or a file; what was understood is shown and asked first."""
    given = Upload.of(form)
    try:
        found = given.read()
    except InputError as error:
        if (preview := preview_again(form)) is not None:
            raise PageConfirmationError(
                *error.said, again=given.again(), preview=preview
            ) from None
        raise
    told = enter_all(desk.rehearsed(), found.event, sure=True)
    rounds = ["its rounds are not taken: this event has its own"][
        : found.event.round > 1
    ]
    given.asked(found, [*found.event.notes, *told.said, *rounds], form)
    return enter_all(desk, found.event, sure=True)


PLAYERS = View(
    "players",
    "Players",
    context,
    {
        "enter": entered,
        "take": import_players,
        "bye": command_change("bye"),
        "in": command_change("drop", off=True),
        "out": command_change("drop"),
        "remove": command_change("remove"),
        "begin": command_change("drop", player=None, all=True),
        "all": command_change("drop", player=None, all=True, off=True),
        "table": lambda desk, form: command_change(
            "edit", off=not text_of(form, "table")
        )(desk, form),
        "apart": command_change("forbid"),
        "together": command_change("forbid", off=True),
        **{
            name: command_change(name)
            for name, verb in every_verb().items()
            if verb.page == "players"
        },
    },
    weight=1,
)
EDIT = View(
    "players/edit",
    "Player",
    edited,
    {"change": command_change("edit")},
    then="/players",
)
FOUND = View("players/found", "Found", whom)
