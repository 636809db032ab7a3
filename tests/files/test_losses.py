"""What is lost is found by comparing: each fact that is gone is named, and nothing else is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from places import REAL

from pairopt import Event, read_event, write_event
from pairopt.event.forbidden_pairs import ForbiddenMeeting
from pairopt.event.groups import parse_group
from pairopt.event.points import CHESS
from pairopt.event.prizes import PrizeRules
from pairopt.event.settings import EventSettings, SeparationRule
from pairopt.event.source_info import SourceInfo
from pairopt.files.conversion_losses import FACTS, find_losses
from pairopt.files.formats import convert_event, list_writers

COLUMNS = (
    "round",
    "table",
    "player1",
    "player2",
    "side1",
    "score1",
    "score2",
    "status",
)
ROWS = [
    (1, 1, "A", "B", "white", 1, 0, ""),
    (1, 2, "C", "D", "black", 1, 0, "forfeit"),
    (1, None, "E", "", "", 0.5, "", "requested"),
]


def event(rows: list[tuple[Any, ...]] = ROWS, **columns: list[str]) -> Event:
    players = {"player": list("ABCDE"), **columns}
    matches = pd.DataFrame(rows, columns=[*COLUMNS], dtype=object)
    return read_event(matches, pd.DataFrame(players, dtype=object))


def ints(*values: int) -> Any:
    return np.array(values, np.int64)


PLAIN = event()
SETTINGS: Mapping[str, Any] = {
    "title": "Open",
    "model": "fide-dutch",
    "rounds": 7,
    "format": "round-robin",
    "cycles": 2,
    "reversed": True,
    "numbers": "list",
    "lookahead": 2,
    "tie_breaks": ("BH",),
    "first_round": "fold",
    "apart": (SeparationRule("club"),),
    "points": replace(CHESS, absent=Fraction(1)),
    "proofs": True,
    "seed": 3,
    "best_of": 3,
    "first_table": 7,
    "groups": (parse_group("Women: sex is w"),),
    "list_columns": ("club",),
    "cross_table": "start",
    "prizes": PrizeRules((Fraction(50),)),
    "rating_choice": "larger",
    "city": "Riga",
    "federation": "LAT",
    "first_day": date(2026, 5, 1),
    "last_day": date(2026, 5, 3),
    "round_days": (date(2026, 5, 1),),
    "chief_arbiter": "Moss, Alex (1234567)",
    "deputies": ("Lind, Kim",),
    "organiser": "Club",
    "time_control": "5400+30",
    "time_control_words": "90 minutes",
    "rating_kind": "rapid",
    "tournament_type": "Swiss",
}
SAYING: Mapping[str, Mapping[str, Any]] = {
    "lost.identifiers": {"players": ("V", "W", "X", "Y", "Z"), "names": PLAIN.names},
    "lost.round": {"round": 1},
    "lost.brought": {"brought": ints(1, 0, 0, 0, 0)},
    "lost.byes_brought": {"byes_brought": ints(1, 0, 0, 0, 0)},
    "lost.adjusted": {"adjusted": ints(0, 0, 1, 0, 0)[:, None]},
    "lost.virtual": {"acceleration": ints(0, 0, 1, 0, 0)[:, None]},
    "lost.fixed_tables": {"fixed_table": ints(0, 4, 0, 0, 0)},
    "lost.first_round_byes": {"first_round_bye": ints(0, 1, 0, 0, 0) > 0},
    "lost.order": {"start_numbers": ints(5, 4, 3, 2, 1)},
    "lost.initial_side": {"initial_side": 1},
    "lost.active": {"active": ints(1, 1, 1, 0, 1) > 0},
    "lost.forbidden": {"prohibited": (ForbiddenMeeting(3, 0),)},
    "lost.names": {"names": ("Zoe", "B", "C", "D", "E")},
    "lost.sides": {"sides": ("white", "black")},
    "lost.columns": {"columns": {"club": ("", "x", "", "", "")}},
    "lost.cells": {"origin": SourceInfo(cells={"deck": ["", "x", ""]})},
    "lost.facts": {"origin": SourceInfo(facts={"trf": ["172 LAT NIDOF"]})},
    "lost.cut": {
        "origin": SourceInfo(
            bracket=b"match,bracket,round,seed1,player1,seed2,player2,score1,"
            b"score2,status\nB1,main,1,1,A,2,B,,,\n"
        )
    },
}


@pytest.mark.parametrize("kind", SAYING)
def test_each_fact_that_is_gone_is_named(kind: str) -> None:
    saying = replace(PLAIN, **SAYING[kind])
    again = replace(PLAIN, sides=None) if kind == "lost.sides" else PLAIN
    assert kind in [said.kind for said in find_losses(saying, again)]
    assert find_losses(saying, saying) == ()


def test_every_fact_is_tried() -> None:
    assert FACTS.keys() <= SAYING.keys()
    assert {each.name for each in fields(EventSettings)} == {"sides", "fide", *SETTINGS}


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_that_is_gone_is_named(name: str) -> None:
    saying = replace(PLAIN, settings=EventSettings(**{name: SETTINGS[name]}))
    (lost,) = find_losses(saying, PLAIN)
    assert (lost.kind, lost.fields) == ("lost.settings", {"names": [name]})
    assert find_losses(saying, saying) == ()


def test_the_games_of_matches_that_are_gone_are_named() -> None:
    """Wherever they stand: turned rows are the same."""
    with_games = [[*row, "", "", ""] for row in ROWS]
    with_games[0][8:], with_games[1][8:] = [2, 1, 0], [0, 2, 1]
    columns = [*COLUMNS, "games1", "games2", "games_drawn"]
    saying = read_event(
        pd.DataFrame(with_games, columns=columns, dtype=object),
        pd.DataFrame({"player": list("ABCDE")}),
    )
    plain = read_event(
        pd.DataFrame(ROWS, columns=[*COLUMNS], dtype=object),
        pd.DataFrame({"player": list("ABCDE")}),
    )
    (lost,) = find_losses(saying, plain)
    assert (lost.kind, lost.fields) == ("lost.games", {"number": 2})
    rows = saying.matches
    turned = replace(
        rows,
        first=rows.first.copy(),
        second=rows.second.copy(),
        side=rows.side.copy(),
        games=rows.games.copy(),
        score1=rows.score1.copy(),
        score2=rows.score2.copy(),
    )
    turned.first[0], turned.second[0] = rows.second[0], rows.first[0]
    turned.score1[0], turned.score2[0] = rows.score2[0], rows.score1[0]
    turned.side[0] = 1 - rows.side[0] if rows.side[0] >= 0 else -1
    turned.games[0] = rows.games[0][[1, 0, 2]]
    assert find_losses(saying, replace(saying, matches=turned)) == ()
    turned.games[0] = rows.games[0]
    assert [
        each.kind for each in find_losses(saying, replace(saying, matches=turned))
    ] == ["lost.games"]


@pytest.mark.parametrize(
    ("row", "other", "kinds"),
    [
        (1, (1, 2, "C", "D", "black", 1, 0, ""), ["lost.forfeits"]),
        (1, (1, 2, "C", "D", "white", 1, 0, "forfeit"), ["lost.seats"]),
        (1, (1, 3, "D", "C", "white", 0, 1, "forfeit"), ["lost.tables"]),
        (1, (1, 2, "D", "C", "white", 0, 1, "forfeit"), []),
        (1, (1, 2, "C", "D", "black", 0, 1, "forfeit"), ["lost.results"]),
        (2, (1, None, "E", "", "", 0.5, "", "bye"), ["lost.byes"]),
        (0, (1, 1, "A", "B", "white", 0.5, 0.5, ""), ["lost.results"]),
    ],
)
def test_what_became_of_a_row_is_named(
    row: int, other: tuple[Any, ...], kinds: list[str]
) -> None:
    rows = [other if k == row else each for k, each in enumerate(ROWS)]
    assert [said.kind for said in find_losses(PLAIN, event(rows))] == kinds


def test_a_forfeit_without_a_side_is_given_one_by_nrtm_and_that_is_said(
    tmp_path: Path,
) -> None:
    rows = [ROWS[0], (1, 2, "C", "D", "", 1, 0, "forfeit"), *ROWS[2:]]
    done = write_event(event(rows), tmp_path / "event.json")
    said = {str(note) for note in done.notes}
    assert "The file doesn't say who had which side in 1 match." in said
    assert "Forfeits are written as played matches (1)." in said
    assert read_event(done.files[0]).matches.side.tolist() == [0, 0, -1]


@pytest.mark.long
@pytest.mark.skipif(not REAL.exists(), reason="the shared data is not here")
@pytest.mark.parametrize(
    "path", sorted(REAL.glob("nrtm/*.json")), ids=lambda path: path.name
)
def test_a_second_time_nothing_more_is_lost(path: Path, tmp_path: Path) -> None:
    """What a format gives back it can hold: no real file is written and read in two ways."""
    found = read_event(path, unfinished=True)
    for name, form in list_writers().items():
        if name in ("trf", "trf16"):  # which has one number of points for each result
            continue
        target = tmp_path / f"event{form.suffixes[0]}"
        files = write_event(found, target, form=name).files
        again = read_event(
            *files, unfinished=True, sides=found.sides if name == "csv" else None
        )
        assert [
            said
            for said in convert_event(form, again).lost
            if said.kind != "lost.rounds"
        ] == []
