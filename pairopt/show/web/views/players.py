"""Players: who comes and goes, who may not meet, and who stays at a table."""

from __future__ import annotations

from starlette.datastructures import FormData

from pairopt.errors import UsageError
from pairopt.event.event import REQUESTED
from pairopt.event.turns import points_of
from pairopt.files.folder import BRACKET
from pairopt.files.schema import MOST_ROUNDS
from pairopt.folder import Done, back, bye, drop, enter, enter_all, forbid, table
from pairopt.folder.desk import Desk
from pairopt.show.web.uploads import Upload
from pairopt.show.web.view import Asked, Context, View, number_of, text_of
from pairopt.wording import alphabetical, pair_text

OWN = ("name", "rating", "active", "score", "table", "first_round_bye")
"""Columns of players.csv that are shown otherwise, or not at all."""


def context(asked: Asked) -> Context:
    """Everybody in the order of names, and the pairs who may not meet."""
    desk, event = asked.desk, asked.desk.event
    byes: dict[int, list[int]] = {}
    rows = desk.rows.take((desk.rows.round >= event.round) & (desk.rows.status == REQUESTED))
    for number, player in zip(rows.round.tolist(), rows.first.tolist(), strict=True):
        byes.setdefault(player, []).append(number)
    return {
        "event": event,
        "order": sorted(range(len(event.players)), key=lambda p: alphabetical(event.shown[p])),
        "columns": [name for name in event.columns if name not in OWN],
        "points": list(map(event.points_text, points_of(event).tolist())),
        "ratings": list(map(event.rating_text, range(len(event.players)))),
        "byes": byes,
        "next": event.round,
        "most_rounds": event.settings.rounds or MOST_ROUNDS,
        "cut": BRACKET in desk.files,
        "apart": [
            (event.players[one], event.players[two], pair_text(event.shown[one], event.shown[two]))
            for one, two in dict.fromkeys(event.forbidden)
        ],
    }


def entered(desk: Desk, form: FormData) -> Done:
    """One new player, from the next round on."""
    name, rating = text_of(form, "name"), text_of(form, "rating")
    return enter(desk, name or "", {"rating": rating} if rating else {})


def taken(desk: Desk, form: FormData) -> Done:
    """The players of a list or a file; what was understood is shown and asked first."""
    given = Upload.of(form)
    found = given.read()
    told = enter_all(desk.rehearsed(), found.event)
    rounds = ["its rounds are not taken: this event has its own"] * (found.event.round > 1)
    given.asked(found, [*found.event.notes, *told.said, *rounds], form)
    return enter_all(desk, found.event)


def _player(form: FormData, name: str = "player") -> str:
    player = form.get(name)
    if not isinstance(player, str) or not player:
        raise UsageError("expected a player")
    return player


VIEW = View(
    "players",
    "Players",
    context,
    {
        "enter": entered,
        "take": taken,
        "in": lambda desk, form: back(desk, _player(form)),
        "out": lambda desk, form: drop(desk, _player(form)),
        "bye": lambda desk, form: bye(desk, _player(form), round=number_of(form, "round")),
        "table": lambda desk, form: table(desk, _player(form), number_of(form, "table")),
        "apart": lambda desk, form: forbid(desk, _player(form), _player(form, "other")),
        "together": lambda desk, form: forbid(
            desk, _player(form), _player(form, "other"), off=True
        ),
    },
    place=1,
)
