"""Printing: each list alone on its page, with title and time; the browser's print does the rest."""

from collections.abc import Callable, Mapping
from datetime import datetime

from pairopt.errors import UsageError
from pairopt.event.elimination import bracket_lines
from pairopt.event.event import Event
from pairopt.files.event_folder import BRACKET
from pairopt.folder.top_cut import held
from pairopt.messages.interfaces import PAGE
from pairopt.report import page
from pairopt.report.views import RoundView, round_view
from pairopt.web.player_questions import answered_round
from pairopt.web.proofs import proof_download
from pairopt.web.view import Context, PageRequest, View

SLIPS = (4, 6, 8)
Lists = Callable[[Event, RoundView], Context]


def listed(asked: PageRequest) -> Context:
    return {
        "number": asked.desk.rounds(),
        "slips": SLIPS,
        "bracket": BRACKET in asked.desk.files,
    }


def tables(asked: PageRequest) -> Context:
    proof = proof_download(asked.desk, _round(asked))
    return {
        **_listed(asked, "pairings by table"),
        "proof": proof,
        "code": proof and proof.coded(asked.site),
    }


def slips(asked: PageRequest) -> Context:
    """A slip for each match of a round, to write its result on."""
    asked_for = asked.query.get("on", "6")
    if asked_for not in map(str, SLIPS):
        raise UsageError(
            f"on={asked_for}: expected {', '.join(map(str, SLIPS))} slips a page"
        )
    points = asked.desk.points()
    double = points is not None and points.game is not None
    boxes: tuple[str, ...] = ("Game 1", "Game 2", "Points") if double else ("Points",)
    boxes = ("Games won", "Drawn") if asked.desk.event.settings.best_of else boxes
    return {**_listed(asked, "match slips"), "on": asked_for, "boxes": boxes}


def reasons(asked: PageRequest) -> Context:
    """Why the last round is as it is: its levels, their reasons, and each match in a sentence."""
    if not (number := asked.desk.rounds()):
        raise UsageError("no round is paired yet")
    known = answered_round(asked.desk, number).last
    return {
        **page.reasons_context(known.result, known.check.agrees, PAGE),
        **_head(f"Round {number}, reasons"),
    }


def standings(asked: PageRequest) -> Context:
    event = asked.desk.event
    return {**page.standings_context(event), **_head(page.standings_title(event))}


def elimination(asked: PageRequest) -> Context:
    if BRACKET not in asked.desk.files:
        raise UsageError("the cut is not made yet: see Standings")
    shown = bracket_lines(held(asked.desk), asked.desk.event.called)
    return {"parts": page.bracket_parts(shown), **_head("Bracket")}


def _listed(
    asked: PageRequest, what: str, lists: Lists = page.tables_context
) -> Context:
    number, event = _round(asked), asked.desk.event
    lines = lists(event, round_view(event, number))
    return {**lines, **_head(f"Round {number}, {what}"), "number": number}


def _round(asked: PageRequest) -> int:
    if asked.desk.rounds() == 0:
        raise UsageError("no round is paired yet")
    return asked.round or asked.desk.rounds()


def _head(title: str) -> Mapping[str, object]:
    return {"title": title, "time": datetime.now().strftime("%Y-%m-%d %H:%M")}


PRINT = View("print", "Print", listed, weight=5)
TABLES = View("print/tables", "Pairings by table", tables)
NAMES = View(
    "print/names",
    "Pairings by name",
    lambda asked: _listed(asked, "pairings by name", page.names_context),
)
MATCH_SLIPS = View("print/slips", "Match slips", slips)
RESULT_SHEET = View(
    "print/results", "Result sheet", lambda asked: _listed(asked, "results")
)
REASONS = View("print/reasons", "Reasons", reasons)
STANDINGS = View("print/standings", "Standings", standings)
ELIMINATION = View("print/bracket", "Bracket", elimination)
