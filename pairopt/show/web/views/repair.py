"""Repair: the open round as it would be paired again, before it is published so."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import FormData, QueryParams

from pairopt.errors import PairoptError
from pairopt.folder import Done, preview_repair, repair
from pairopt.folder.desk import Desk
from pairopt.show.shown import ShownMatch, ShownRound, paired_round, sides_of
from pairopt.show.web.cost import cost_of
from pairopt.show.web.view import Asked, Context, View, number
from pairopt.show.web.views.round import (
    TIME_LIMIT,
    asked_besides,
    besides,
    fields_besides,
    match_of,
    match_text,
    named,
    ways_shown,
)
from pairopt.show.words import PAGE


def _asked(query: QueryParams) -> dict[str, Any]:
    """What an address wants: tables to keep, all others anew, and what is allowed."""
    return {
        "keep": [number(table, "keep") for table in query.getlist("keep")],
        "again": "anew" in query,
        "time_limit": TIME_LIMIT,
        **besides(**asked_besides(query)),
    }


def context(asked: Asked) -> Context:
    """Which tables would change, with names; or why nothing can be done, and the ways out."""
    query, desk, made, refusal = asked.query, asked.desk, None, tuple[str, ...]()
    wanted: dict[str, Any] = {"allowed": (), "ahead": None}
    try:
        wanted = asked_besides(query)
        made = asked.site.kept.answer(
            ("repair", desk.state, str(query)), lambda: preview_repair(desk, **_asked(query))
        )
    except PairoptError as error:
        refusal = tuple(error.drawn(PAGE).split("\n"))
    if made is not None:
        refusal = tuple(map(PAGE.draw, made.result.conflicts))
    lines, cost, changes = list[tuple[ShownMatch, str]](), None, list[str]()
    if made is not None and made.changes is not None:
        cost, changes = cost_of(made.result), [*map(PAGE.draw, made.changes.lines())]
        new = {frozenset(place.players) for place in made.changes.new}
        shown = zip(paired_round(made.result).lines, made.result.pairs, strict=False)
        lines = [(line, "changed" if frozenset(pair) in new else "") for line, pair in shown]
    return {
        "round": desk.rounds(),
        "paired": ShownRound(sides_of(desk.event), tuple(line for line, _ in lines)),
        "refusal": refusal,
        "ways": [] if made is None else ways_shown(made.ways),
        "changes": changes,
        "cost": cost,
        "notes": () if made is None else made.result.notes,
        "lines": lines,
        "matches": [] if made is None else [match_text(pair) for pair in made.result.pairs],
        "fields": [
            *(("keep", table) for table in query.getlist("keep")),
            *fields_besides(**wanted),
        ],
        "anew": "anew" in query,
        "allowed": named(desk, wanted["allowed"]),
    }


def repaired(desk: Desk, form: FormData) -> Done:
    """Write the round as it was shown."""
    query = QueryParams([(name, str(value)) for name, value in form.multi_items()])
    shown = [match_of(text) for text in query.getlist("match")]
    return repair(desk, shown=shown, **_asked(query))


REPAIR = View("round/again", "Pair again", context, {"publish": repaired}, then="/round")
