"""What each format keeps of an event: found by writing it and reading it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from pairopt.event.event import Event
from pairopt.event.forbidden_pairs import ForbiddenMeeting
from pairopt.event.points import CHESS
from pairopt.event.settings import EventSettings
from pairopt.event.source_info import SourceInfo
from pairopt.files.formats import list_writers, write_event
from pairopt.files.read import read_event
from pairopt.folder import new

KEPT, NAMED, LOST = "kept", "named as lost", "lost"
FOLDER = "event folder"
TITLES = {
    "csv": "`matches.csv`, `players.csv`",
    "json": "NRTM JSON",
    "trf": "TRF",
    FOLDER: "event folder",
}
COLUMNS = ("round", "player1", "player2", "side1", "score1", "score2", "status")
ROWS = [(1, "1", "2", "white", 1, 0, ""), (1, "3", "4", "white", 0.5, 0.5, "")]
DOUBLE = [(1, "1", "2", "", 3, 3, ""), (1, "3", "4", "", 6, 0, "")]


@dataclass(frozen=True)
class Fact:
    """Something that an event may say: one that says it, what it says, and one that does not."""

    event: Callable[[], Event]
    said: Callable[[Event], object]
    without: Callable[[], Event] | None = None


def made(
    rows: Sequence[tuple[object, ...]] = ROWS, **players: Sequence[object]
) -> Event:
    """An event of four players with these columns of players.csv."""
    listed = {"player": ["1", "2", "3", "4"], **players}
    matches = pd.DataFrame(rows, columns=[*COLUMNS], dtype=object)
    return read_event(matches, pd.DataFrame(listed, dtype=object))


def changed(**fields: Any) -> Callable[[], Event]:
    return lambda: replace(made(), **fields)


def set_to(**settings: Any) -> Callable[[], Event]:
    return changed(settings=EventSettings(**settings))


def stemming(
    rows: Sequence[tuple[object, ...]] = ROWS, **origin: Any
) -> Callable[[], Event]:
    return lambda: replace(made(rows), origin=SourceInfo(**origin))


def column(name: str, *cells: object) -> Fact:
    return Fact(lambda: made(**{name: cells}), lambda event: event.columns.get(name))


def cells_of(name: str) -> Callable[[Event], object]:
    return lambda event: sorted(
        event.origin.cell(name, k) for k in event.matches.row.tolist()
    )


def results(event: Event) -> object:
    """Who met whom with which points, whichever of the two is named first."""
    rows, both = event.matches, []
    for one, two, first, second, kind in zip(
        rows.first.tolist(),
        rows.second.tolist(),
        rows.score1.tolist(),
        rows.score2.tolist(),
        rows.status.tolist(),
        strict=True,
    ):
        seats = (
            (one, Fraction(first, event.scale)),
            (two, Fraction(second, event.scale)),
        )
        both.append((kind, sorted(seats)))
    return sorted(both)


def tables(event: Event) -> object:
    return sorted(
        zip(event.matches.first.tolist(), event.matches.table.tolist(), strict=True)
    )


BYE = [
    *ROWS,
    (2, "1", "3", "white", 1, 0, ""),
    (2, "2", "", "", 1, "", "bye"),
    (2, "4", "", "", 0.5, "", "requested"),
]
FORFEIT = [ROWS[0], (1, "3", "4", "white", 1, 0, "forfeit")]
CUT = {"json": {"the cut": [[], [{"player1": {"id": 1}, "player2": {"id": 2}}]]}}
BRACKET = b"""match,bracket,round,seed1,player1,seed2,player2,score1,score2,status
B1,main,1,1,1,2,3,1,0,
"""
FACTS: Mapping[str, Fact] = {
    "players, and their names": Fact(
        lambda: made(name=["Ann", "Bo", "Cy", "Di"]),
        lambda event: (event.players, event.names),
    ),
    "identifiers that are not numbers": Fact(
        lambda: read_event(
            pd.DataFrame([(1, "Ann", "Bo", "white", 1, 0, "")], columns=[*COLUMNS])
        ),
        lambda event: event.players,
    ),
    "results": Fact(made, results),
    "pairing-allocated byes and requested byes": Fact(lambda: made(BYE), results),
    "forfeits": Fact(lambda: made(FORFEIT), results),
    "sides": Fact(
        made,
        lambda event: (event.sides, sorted(event.matches.side.tolist())),
        lambda: made([(*row[:3], "", *row[4:]) for row in ROWS]),
    ),
    "numbers of tables": Fact(
        lambda: replace(
            made(), matches=replace(made().matches, table=made().matches.row + 5)
        ),
        tables,
    ),
    "games of a match (`corp1`, `runner1`, …)": Fact(
        stemming(
            DOUBLE,
            cells={
                "corp1": ["3", "6"],
                "runner1": ["0", "0"],
                "corp2": ["3", "0"],
                "runner2": ["0", "0"],
            },
        ),
        cells_of("corp1"),
    ),
    "matches that are not rated (`rated`)": Fact(
        stemming(cells={"rated": ["false", ""]}), cells_of("rated")
    ),
    "other columns of `matches.csv`": Fact(
        stemming(cells={"deck": ["a", "b"]}), cells_of("deck")
    ),
    "`rating`": Fact(
        lambda: made(rating=["1900", "1800", "1700", "1600"]),
        lambda event: event.rating.tolist(),
    ),
    "`title`": column("title", "GM", "", "WFM", ""),
    "`sex`": column("sex", "m", "w", "m", "w"),
    "`federation`": column("federation", "LAT", "NOR", "GER", ""),
    "`fide_id`": column("fide_id", "11600001", "", "", ""),
    "`birth`": column("birth", "1990/05/03", "", "", ""),
    "`corp_identity`, `runner_identity`": column("corp_identity", "Titan", "", "", ""),
    "other columns of `players.csv`": column("club", "Riga", "Oslo", "", ""),
    "`active`": Fact(
        lambda: made(active=["true", "true", "true", "false"]),
        lambda event: event.active.tolist(),
    ),
    "`score`, points brought in": Fact(
        lambda: made(score=["1", "", "", ""]), lambda event: event.brought.tolist()
    ),
    "`table`, fixed tables": Fact(
        lambda: made(table=["7", "", "", ""]), lambda event: event.fixed_table.tolist()
    ),
    "`first_round_bye`": Fact(
        lambda: made(first_round_bye=["true", "", "", ""]),
        lambda event: event.first_round_bye.tolist(),
    ),
    "`start`, start numbers": Fact(
        lambda: made(start=["4", "3", "2", "1"]),
        lambda event: event.start_numbers.tolist(),
    ),
    "`virtual`, virtual points": Fact(
        lambda: made(virtual=["1 1", "", "", ""]),
        lambda event: event.acceleration.tolist(),
    ),
    "`adjusted`, points that no result explains": Fact(
        lambda: made(adjusted=["0.5", "-1", "", ""]),
        lambda event: event.besides.tolist(),
    ),
    "pairs who may not meet": Fact(
        changed(prohibited=(ForbiddenMeeting(0, 3),)), lambda event: event.prohibited
    ),
    "pairs who may not meet in some rounds": Fact(
        changed(prohibited=(ForbiddenMeeting(0, 3, (2, 4)),)),
        lambda event: event.prohibited,
    ),
    "the side drawn for round 1": Fact(
        changed(initial_side=1), lambda event: event.initial_side
    ),
    "the tournament's name": Fact(
        set_to(title="Spring Open"), lambda event: event.settings.title
    ),
    "the number of rounds": Fact(set_to(rounds=7), lambda event: event.settings.rounds),
    "the model": Fact(set_to(model="fide-dutch"), lambda event: event.settings.model),
    "the points of results and byes": Fact(
        set_to(points=replace(CHESS, bye=Fraction(1, 2))),
        lambda event: event.settings.points and event.settings.points.allocated_bye,
    ),
    "NRTM: date, organiser, links, …": Fact(
        stemming(facts={"json": {"date": "2026-07-25"}}),
        lambda event: event.origin.facts,
    ),
    "NRTM: the top cut": Fact(stemming(facts=CUT), lambda event: event.origin.facts),
    "`bracket.csv`, the cut of a folder": Fact(
        stemming(bracket=BRACKET),
        lambda event: (
            bool(event.origin.bracket)
            or "eliminationPlayers" in event.origin.facts.get("json", {})
        ),
    ),
    "place, dates, arbiters, … (TRF: `022` to `132`)": Fact(
        set_to(city="Riga", first_day=date(2026, 5, 1), deputies=("Ann Arbiter",)),
        lambda event: (
            event.settings.city,
            event.settings.first_day,
            event.settings.deputies,
        ),
    ),
    "tie-breaks (TRF: `202`, `212`)": Fact(
        set_to(tie_breaks=("BH",)), lambda event: event.settings.tie_breaks
    ),
}


def kept(form: str, fact: Fact) -> str:
    """Whether a format, or an event folder, keeps what an event says, or names it as lost."""
    event = fact.event()
    again, notes = written_and_read(form, event)
    if fact.said(again) == fact.said(event):
        return KEPT
    usual = written_and_read(form, (fact.without or made)())[1]
    return NAMED if notes - usual else LOST


def written_and_read(form: str, event: Event) -> tuple[Event, frozenset[str]]:
    """The event that a format, or a folder, gives back, and what is said where it is written."""
    with TemporaryDirectory() as place:
        if form == FOLDER:
            folder = Path(place) / "event"
            said = new(folder, event).said
            return read_event(folder), frozenset(said)
        written = write_event(
            event, Path(place) / f"out{list_writers()[form].suffixes[0]}"
        )
        sides = event.sides if form == "csv" else None
        return read_event(*written.files, sides=sides), frozenset(written.notes)


def formats_read_again() -> list[str]:
    """List the formats that pairopt writes and reads. It only writes PGN."""
    return [form for form in list_writers() if form != "pgn"]


def table() -> str:
    """What each format keeps, a row for each thing that an event may say."""
    forms = [*formats_read_again(), FOLDER]
    lines = [
        f"| | {' | '.join(TITLES.get(form, form) for form in forms)} |",
        "|---" * (len(forms) + 1) + "|",
    ]
    lines += [
        f"| {what} | {' | '.join(kept(form, fact) for form in forms)} |"
        for what, fact in FACTS.items()
    ]
    return "\n".join(lines)
