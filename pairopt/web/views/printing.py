"""Printing: each list on a page of its own, with title and time, for the browser to print."""

from collections.abc import Callable, Mapping
from datetime import datetime

from pairopt.errors import UsageError
from pairopt.event.elimination import bracket_lines
from pairopt.event.event import Event
from pairopt.files.event_folder import BRACKET
from pairopt.folder.top_cut import load_bracket
from pairopt.messages import message
from pairopt.messages.interfaces import PAGE
from pairopt.report import page
from pairopt.report.printed_lists import available_lists, make_list, printed_lists
from pairopt.report.views import RoundView, round_view
from pairopt.web.player_questions import read_answered_round
from pairopt.web.proofs import find_proof_download
from pairopt.web.view import Context, PageNotFoundError, PageRequest, View
from pairopt.web.views.files import find_site_name

SLIPS = (4, 6, 8)
"""How many result slips can be on one page."""
ListMaker = Callable[[Event, RoundView], Context]
"""Returns the template's values for a list of a round."""


def context(request: PageRequest) -> Context:
    """Return the values of the menu of lists.

    "number" is the round that is played now, "last_round" the last paired one. "lists"
    are the event's lists, "round_robin" says whether it is one, and "bracket" whether
    it has one. "slips" are the possible numbers of slips per page, and "site_name" is
    the name of the zip with the event's pages.
    """
    return {
        "number": request.desk.current_round(),
        "last_round": request.desk.rounds(),
        "round_robin": request.desk.event.settings.is_round_robin,
        "slips": SLIPS,
        "bracket": BRACKET in request.desk.files,
        "lists": available_lists(request.desk.event),
        "site_name": find_site_name(request.desk),
    }


def list_context(request: PageRequest) -> Context:
    """Return the printed list that the address names, with its title and the time.

    The keys are "listed", "wide" (whether it needs landscape format), "title" and
    "time". A list of pairings is that of the round in the address, otherwise of the
    round that is played now. Raises PageNotFoundError for an unknown list, and
    UsageError if the event lacks what the list needs.
    """
    list_name = request.query.get("name", "")
    if list_name not in printed_lists():
        raise PageNotFoundError(message("list.unknown_page"))
    filled_list = make_list(request.desk.event, list_name, request.round)
    return {
        "listed": filled_list,
        "wide": filled_list.is_wide,
        **_build_title_and_time(filled_list.title),
    }


def tables_context(request: PageRequest) -> Context:
    """Return the pairings of a round by table, with its proof and QR code.

    The round is that of the address, otherwise the one that is played now. "proof" and
    "code", the text of the QR code, are None if no proof of the round holds. Raises
    UsageError before round 1, and PageNotFoundError for a later round.
    """
    proof_download = find_proof_download(request.desk, _require_round(request))
    return {
        **_build_round_list(request, "pairings by table"),
        "proof": proof_download,
        "code": proof_download and proof_download.coded(request.site),
    }


def names_context(request: PageRequest) -> Context:
    """Return the pairings of a round by the players' names.

    The round is that of the address, otherwise the one that is played now. Raises
    UsageError before round 1, and PageNotFoundError for a later round.
    """
    return _build_round_list(request, "pairings by name", page.names_context)


def results_context(request: PageRequest) -> Context:
    """Return the result sheet of the round in the address.

    Without one it is that of the round that is played now. Raises UsageError before
    round 1, and PageNotFoundError for a later round.
    """
    return _build_round_list(request, "results")


def slips_context(request: PageRequest) -> Context:
    """Return a slip for each match of a round, on which players write the result.

    The parameter "on" of the address is the number of slips per page, 6 without it.
    "boxes" are the labels of what to fill in; they depend on whether a match is decided
    by games or by points. The round is that of the address, otherwise the one that is
    played now. Raises UsageError for another number than SLIPS has, and before round 1.
    """
    slips_per_page = request.query.get("on", "6")
    allowed_numbers = [*map(str, SLIPS)]
    if slips_per_page not in allowed_numbers:
        raise UsageError(
            f"on={slips_per_page}: expected {', '.join(allowed_numbers)} slips per page"
        )

    event_points = request.desk.points()
    box_labels: tuple[str, ...] = ("Points",)
    if request.desk.event.settings.best_of:
        box_labels = ("Games won", "Drawn")
    elif event_points is not None and event_points.game is not None:
        box_labels = ("Game 1", "Game 2", "Points")
    return {
        **_build_round_list(request, "result slips"),
        "on": slips_per_page,
        "boxes": box_labels,
    }


def reasons_context(request: PageRequest) -> Context:
    """Return the values of the printed page on why the last round is as it is.

    The page has its levels, and a sentence per match. Raises UsageError before the
    first round.
    """
    round_number = request.desk.rounds()
    if not round_number:
        raise UsageError("No round has been paired yet. Pair round 1 under Round.")
    paired_round = read_answered_round(request.desk, round_number).last
    return {
        **page.reasons_context(paired_round.result, paired_round.check.agrees, PAGE),
        **_build_title_and_time(f"Round {round_number}, reasons"),
    }


def standings_context(request: PageRequest) -> Context:
    """Return the values of the printed page of the current standings.

    These are the standings with their title and the time. Raises UsageError if the
    event has no players.
    """
    event = request.desk.event
    if not event.players:
        raise UsageError("roster.nobody")
    return {
        **page.standings_context(event),
        **_build_title_and_time(page.standings_title(event)),
    }


def bracket_context(request: PageRequest) -> Context:
    """Return the parts of the bracket, with the title and the time.

    Raises UsageError if there is none, and InputError if bracket.csv has faults.
    """
    if BRACKET not in request.desk.files:
        raise UsageError("There is no top cut yet. Create it under Standings.")
    match_lines = bracket_lines(load_bracket(request.desk), request.desk.event.called)
    return {
        "parts": page.bracket_parts(match_lines),
        **_build_title_and_time("Bracket"),
    }


def _build_round_list(
    request: PageRequest, title: str, make_list: ListMaker = page.tables_context
) -> Context:
    """Return the values of a list of one round, with title, time and round number.

    The round is that of the address, otherwise the one that is played now. `title`
    follows the round in the page's title. `make_list` returns the values of the list
    itself. Raises UsageError before round 1, and PageNotFoundError for a later round.
    """
    round_number = _require_round(request)
    event = request.desk.event
    list_values = make_list(event, round_view(event, round_number))
    return {
        **list_values,
        **_build_title_and_time(f"Round {round_number}, {title}"),
        "number": round_number,
    }


def _require_round(request: PageRequest) -> int:
    """Return the round in the address, or the one that is played now.

    Raises UsageError if no round has been paired, and PageNotFoundError for a later
    one.
    """
    if request.desk.rounds() == 0:
        raise UsageError("No round has been paired yet. Pair round 1 under Round.")
    return request.round or request.desk.current_round()


def _build_title_and_time(title: str) -> Mapping[str, object]:
    """Return the title of a printed page, and the local time as "2026-07-31 14:05".

    The keys are "title" and "time".
    """
    return {"title": title, "time": datetime.now().strftime("%Y-%m-%d %H:%M")}


PRINT = View("print", "Print", context, weight=5)
LIST = View("print/list", "Printed list", list_context)
TABLES = View("print/tables", "Pairings by table", tables_context)
NAMES = View("print/names", "Pairings by name", names_context)
MATCH_SLIPS = View("print/slips", "Result slips", slips_context)
RESULT_SHEET = View("print/results", "Result sheet", results_context)
REASONS = View("print/reasons", "Reasons", reasons_context)
STANDINGS = View("print/standings", "Standings", standings_context)
ELIMINATION = View("print/bracket", "Bracket", bracket_context)
