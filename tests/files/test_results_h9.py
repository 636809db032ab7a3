"""H9: one line per Go player, read again by the grammar of the EGF's description."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pandas as pd
import pytest

from pairopt import InputError, UsageError, read_event, write_event
from pairopt.event.event import Event
from pairopt.event.settings import EventSettings
from pairopt.files.formats.results_h9 import write_h9

ENTRY = re.compile(r"(\d+)([-+=])(?:/([bw])(\d+))?")
"""<opponent's place><symbol>[/<colour>[<h>]], or 0 and a symbol without a game."""
PLAYERS = pd.DataFrame(
    {
        "player": ["1", "2", "3", "4", "5"],
        "name": ["van Dam, Zeno", "Fan Hui", "Akiko", "Roy, Jo Ann", "Li; Bo"],
        "rank": ["2d", "1d", "3k", "4 kyu", "12k"],
        "club": ["Amsterdam", "", "Oslo", "X", "A B C D"],
        "country": ["NL", "fr", "", "US", "CN"],
        "score": [31, 30, 27, 26, 20],
    }
)
MATCHES = pd.DataFrame(
    [
        (1, "1", "2", "white", 1, 0, None, "0"),
        (1, "3", "4", "black", 0.5, 0.5, None, "2"),
        (1, "5", None, None, 1, None, "bye", ""),
        (2, "1", "3", "black", 0, 1, None, ""),
        (2, "2", "5", "white", 1, 0, "forfeit", ""),
    ],
    columns=[
        "round",
        "player1",
        "player2",
        "side1",
        "score1",
        "score2",
        "status",
        "handicap",
    ],
)


@pytest.fixture
def event() -> Event:
    return read_event(MATCHES, PLAYERS)


def lines_of(text: str) -> dict[str, list[str]]:
    """The cells of each player's line by the family name, without comments."""
    rows = [line.partition(";")[0].split() for line in text.splitlines()]
    return {row[1]: row for row in rows if row}


def test_lines_by_hand(event: Event) -> None:
    """MMS: 31 + 1, 30 + 1, 27 + 1½, 26 + ½ + ½ for the missed round, 20 + 1."""
    rows = lines_of(write_h9(event).text)
    assert {name: row[:7] for name, row in rows.items()} == {
        "van_Dam": ["1", "van_Dam", "Zeno", "2D", "NL", "Amst", "32"],
        "Fan": ["2", "Fan", "Hui", "1D", "FR", "xxxx", "31"],
        "Akiko": ["3", "Akiko", "-", "3K", "XX", "Oslo", "28"],
        "Roy": ["4", "Roy", "Jo_Ann", "4K", "US", "X", "27"],
        "Li": ["5", "Li", "Bo", "12K", "CN", "ABCD", "21"],
    }
    assert {name: row[9:] for name, row in rows.items()} == {
        "van_Dam": ["2+/w0", "3-/b0"],
        "Fan": ["1-/b0", "0+"],
        "Akiko": ["4=/b2", "1+/w0"],
        "Roy": ["3=/w2", "0="],
        "Li": ["0+", "0-"],
    }


def test_both_lines_of_a_game_agree(event: Event) -> None:
    rows = [*lines_of(write_h9(event).text).values()]
    games = 0
    for row in rows:
        for turn, entry in enumerate(row[9:]):
            found = ENTRY.fullmatch(entry)
            assert found is not None, entry
            place, symbol, colour, stones = found.groups()
            if place == "0":
                continue
            games += 1
            other = rows[int(place) - 1][9 + turn]
            turned = {"+": "-", "-": "+", "=": "="}[symbol]
            other_colour = {"b": "w", "w": "b"}[colour]
            assert other == f"{row[0]}{turned}/{other_colour}{stones}"
    assert games == 6


def test_a_swiss_tournament_gives_nothing_for_a_missed_round() -> None:
    event = read_event(MATCHES, PLAYERS.drop(columns="score"))
    row = lines_of(write_h9(event).text)["Roy"]
    assert row[10] == "0-"


def test_a_game_without_a_result_is_a_missed_round() -> None:
    matches = MATCHES.copy()
    matches.loc[3, ["score1", "score2"]] = None
    rows = lines_of(write_h9(read_event(matches, PLAYERS, unfinished=True)).text)
    assert [len(row) for row in rows.values()] == [11] * 5
    assert rows["van_Dam"][10] == rows["Akiko"][10] == "0-"


def test_facts_of_the_tournament(event: Event) -> None:
    settings = EventSettings(
        title="Kiel [Open]",
        city="Kiel",
        federation="GER",
        first_day=date(2026, 5, 1),
        last_day=date(2026, 5, 3),
    )
    text = write_h9(replace(event, settings=settings)).text
    head = text.splitlines()[:3]
    assert head == ["; EV[Kiel Open]", "; PC[GER,Kiel]", "; DT[2026-05-01,2026-05-03]"]


def test_what_is_lost(event: Event, tmp_path: Path) -> None:
    written = write_event(event, tmp_path / "a.h9")
    assert [note.kind for note in written.notes] == [
        "h9.results_only",
        "h9.not_in_event",
        "h9.names",
    ]
    with pytest.raises(InputError, match="does not read H9"):
        read_event(tmp_path / "a.h9")


def test_another_game_has_no_h9() -> None:
    for columns in ({"rank"}, {"rank", "club", "country"}):
        event = read_event(MATCHES, PLAYERS.drop(columns=list(columns)))
        with pytest.raises(UsageError, match="no Go ranks"):
            write_h9(event)
