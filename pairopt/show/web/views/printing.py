"""Printing: each list alone on its page, with title and time; the browser's print does the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from pairopt.errors import UsageError
from pairopt.show.shown import Seat, known_round, records, standings_of
from pairopt.show.web.proofs import offered
from pairopt.show.web.view import Asked, Context, View
from pairopt.wording import alphabetical

MOST_NAMES = 12
"""So many names are under one heading; more with one letter go on under the next."""
SLIPS = (4, 6, 8)


@dataclass(frozen=True, slots=True)
class Range:
    """Names from one letter to another, as A-C."""

    letters: str
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside a name on paper, "" for what there is none of."""

    number: int
    title: str
    rating: str


def listed(asked: Asked) -> Context:
    """What there is to print."""
    return {"number": asked.desk.rounds(), "slips": SLIPS}


def tables(asked: Asked) -> Context:
    """The matches of a round by table."""
    number = _round(asked)
    proof = offered(asked.desk, number)
    return {**_head(asked, f"Round {number}, pairings by table"),
            "paired": known_round(asked.desk.event, number),
            "proof": proof, "code": proof and proof.code(asked.site.share)}  # fmt: skip


def names(asked: Asked) -> Context:
    """Who plays where, in ranges of letters."""
    number = _round(asked)
    found = known_round(asked.desk.event, number)
    return {**_head(asked, f"Round {number}, pairings by name"),
            "ranges": ranges(found.seats), "sided": found.sides[0]}  # fmt: skip


def slips(asked: Asked) -> Context:
    """A slip for each match of a round, to write its result on."""
    number = _round(asked)
    asked_for = asked.query.get("on", "6")
    if asked_for not in map(str, SLIPS):
        raise UsageError(f"on={asked_for}: expected {', '.join(map(str, SLIPS))} slips a page")
    points = asked.desk.points()
    double = points is not None and points.game is not None
    return {**_head(asked, f"Round {number}, match slips"), "on": asked_for, "number": number,
            "paired": known_round(asked.desk.event, number),
            "boxes": ("Game 1", "Game 2", "Points") if double else ("Points",)}  # fmt: skip


def results(asked: Asked) -> Context:
    """The tables of a round with room for their results, or with these."""
    number = _round(asked)
    return {**tables(asked), **_head(asked, f"Round {number}, results")}


def standings(asked: Asked) -> Context:
    """The standings with all results so far."""
    event = asked.desk.event
    missing = len(event.unscored)
    after = f"after round {event.round - 1}" if event.round > 1 else "before round 1"
    open_ = f" ({missing} results are missing)" if missing else ""
    return {**_head(asked, f"Standings {after}{open_}"), "records": records(event),
            "standings": standings_of(event, bias=False)}  # fmt: skip


def ranges(found: Iterable[Seat]) -> list[Range]:
    """Seats in the order of names under headings of letters, at most MOST_NAMES each.

    A letter is not divided unless it alone has more.
    """
    letters: dict[str, list[Seat]] = {}
    for seat in found:
        letters.setdefault(_initial(seat.name), []).append(seat)
    made: list[Range] = []
    for letter, here in letters.items():
        last = made[-1] if made else None
        if last is not None and len(last.seats) + len(here) <= MOST_NAMES:
            first = last.letters.split("-")[0]
            made[-1] = Range(f"{first}-{letter}", (*last.seats, *here))
            continue
        starts = range(0, len(here), MOST_NAMES)
        made += [Range(letter, tuple(here[start : start + MOST_NAMES])) for start in starts]
    return made


def _initial(name: str) -> str:
    """The letter under which people look for a name, "#" for what is none."""
    letters = (c for c in alphabetical(name)[0] if not c.isspace())
    first = next(letters, "#").upper()
    return first if first.isalpha() else "#"


def _round(asked: Asked) -> int:
    """The round that is asked for, the last one by default."""
    if asked.desk.rounds() == 0:
        raise UsageError("no round is paired yet")
    return asked.round or asked.desk.rounds()


def _head(asked: Asked, title: str) -> Mapping[str, object]:
    """Title and time of a sheet, and what stands beside names."""
    event, now = asked.desk.event, datetime.now().strftime("%Y-%m-%d %H:%M")
    titles = event.columns.get("title") or [""] * len(event.players)
    about = {
        name: Beside(int(event.start_numbers[p]), str(titles[p] or ""), event.rating_text(p))
        for p, name in enumerate(event.shown)
    }
    return {"title": title, "time": now, "about": about}


PRINT = View("print", "Print", listed, weight=5)
TABLES = View("print/tables", "Pairings by table", tables)
NAMES = View("print/names", "Pairings by name", names)
MATCH_SLIPS = View("print/slips", "Match slips", slips)
RESULT_SHEET = View("print/results", "Result sheet", results)
STANDINGS = View("print/standings", "Standings", standings)
