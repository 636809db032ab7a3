"""Printing: each list alone on its page, with title and time; the browser's print does the rest."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pairopt.errors import UsageError
from pairopt.event.elimination import lines
from pairopt.files.folder import BRACKET
from pairopt.folder import bracket
from pairopt.show.report import page
from pairopt.show.shown import known_round
from pairopt.show.web.asked import settled_round
from pairopt.show.web.proofs import offered
from pairopt.show.web.view import Asked, Context, View
from pairopt.show.words import PAGE

SLIPS = (4, 6, 8)


def listed(asked: Asked) -> Context:
    """What there is to print."""
    return {"number": asked.desk.rounds(), "slips": SLIPS, "bracket": BRACKET in asked.desk.files}


def tables(asked: Asked) -> Context:
    """The matches of a round by table."""
    number = _round(asked)
    proof = offered(asked.desk, number)
    paired = known_round(asked.desk.event, number)
    return {**page.tables(asked.desk.event, paired), **_head(f"Round {number}, pairings by table"),
            "proof": proof, "code": proof and proof.coded(asked.site)}  # fmt: skip


def names(asked: Asked) -> Context:
    """Who plays where, in ranges of letters."""
    number = _round(asked)
    found = page.by_name(asked.desk.event, known_round(asked.desk.event, number))
    return {**found, **_head(f"Round {number}, pairings by name")}


def slips(asked: Asked) -> Context:
    """A slip for each match of a round, to write its result on."""
    number = _round(asked)
    asked_for = asked.query.get("on", "6")
    if asked_for not in map(str, SLIPS):
        raise UsageError(f"on={asked_for}: expected {', '.join(map(str, SLIPS))} slips a page")
    points = asked.desk.points()
    double = points is not None and points.game is not None
    paired = known_round(asked.desk.event, number)
    boxes: tuple[str, ...] = ("Game 1", "Game 2", "Points") if double else ("Points",)
    boxes = ("Games won", "Drawn") if asked.desk.event.settings.best_of else boxes
    return {**page.tables(asked.desk.event, paired), **_head(f"Round {number}, match slips"),
            "on": asked_for, "number": number, "boxes": boxes}  # fmt: skip


def results(asked: Asked) -> Context:
    """The tables of a round with room for their results, or with these."""
    number = _round(asked)
    paired = known_round(asked.desk.event, number)
    return {**page.tables(asked.desk.event, paired), **_head(f"Round {number}, results")}


def reasons(asked: Asked) -> Context:
    """Why the last round is as it is: its levels, their reasons, and each match in a sentence."""
    if not (number := asked.desk.rounds()):
        raise UsageError("no round is paired yet")
    known = settled_round(asked.desk, number)
    return {**page.reasons(known.result, known.found.agrees, PAGE),
            **_head(f"Round {number}, reasons")}  # fmt: skip


def standings(asked: Asked) -> Context:
    """The standings with all results so far."""
    event = asked.desk.event
    return {**page.standings(event), **_head(page.standings_title(event))}


def elimination(asked: Asked) -> Context:
    """The matches of the cut."""
    if BRACKET not in asked.desk.files:
        raise UsageError("the cut is not made yet: see Standings")
    made = bracket(asked.desk).bracket
    assert made is not None
    return {"parts": page.parts(lines(made, asked.desk.event.called)), **_head("Bracket")}


def _round(asked: Asked) -> int:
    """The round that is asked for, the last one by default."""
    if asked.desk.rounds() == 0:
        raise UsageError("no round is paired yet")
    return asked.round or asked.desk.rounds()


def _head(title: str) -> Mapping[str, object]:
    """Title and time of a sheet."""
    return {"title": title, "time": datetime.now().strftime("%Y-%m-%d %H:%M")}


PRINT = View("print", "Print", listed, weight=5)
TABLES = View("print/tables", "Pairings by table", tables)
NAMES = View("print/names", "Pairings by name", names)
MATCH_SLIPS = View("print/slips", "Match slips", slips)
RESULT_SHEET = View("print/results", "Result sheet", results)
REASONS = View("print/reasons", "Reasons", reasons)
STANDINGS = View("print/standings", "Standings", standings)
ELIMINATION = View("print/bracket", "Bracket", elimination)
