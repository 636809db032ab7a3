"""Pairings as PGN: one game per table, read again by python-chess."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairopt import InputError, UsageError, read_event, write_event
from pairopt.event.event import Event
from pairopt.event.settings import EventSettings
from pairopt.files.formats.pgn import pgn_text

PLAYERS = pd.DataFrame(
    {
        "player": ["1", "2", "3", "4", "5"],
        "name": ["Aalto, Minna", 'O"Hara, \\Ann', "Berzins, Janis", "Dahl", "Eder"],
        "rating": [2214, 1716, 2287, None, 1500],
        "title": ["wim", "", "FM", "NM", ""],
        "fide_id": ["500001", "0", "500003", "x1", ""],
    }
)
MATCHES = pd.DataFrame(
    [
        (1, 2, "1", "2", "white", 1, 0, None),
        (1, 1, "3", "4", "black", 0.5, 0.5, None),
        (1, None, "5", None, None, 1, None, "bye"),
        (2, 1, "4", "1", "white", 0, 1, "forfeit"),
        (2, 2, "2", "5", "white", None, None, None),
        (2, None, "3", None, None, 0.5, None, "requested"),
    ],
    columns=[
        "round",
        "table",
        "player1",
        "player2",
        "side1",
        "score1",
        "score2",
        "status",
    ],
)


@pytest.fixture
def event() -> Event:
    return read_event(MATCHES, PLAYERS, unfinished=True)


def games_of(text: str) -> list[dict[str, str]]:
    """The tags of all games, as python-chess reads them."""
    pgn = pytest.importorskip("chess.pgn")
    file = io.StringIO(text)
    games = []
    while (game := pgn.read_game(file)) is not None:
        assert not game.errors
        assert game.next() is None
        games.append(dict(game.headers))
    return games


def test_each_table_is_a_game_and_a_bye_is_none(event: Event) -> None:
    games = games_of(pgn_text(event))
    assert [(game["Round"], game["Board"]) for game in games] == [
        ("1", "1"),
        ("1", "2"),
        ("2", "1"),
        ("2", "2"),
    ]


def test_white_and_results_follow_the_colours(event: Event) -> None:
    first, second, forfeit, is_open = games_of(pgn_text(event))
    assert (first["White"], first["Result"]) == ("Dahl", "1/2-1/2")
    assert (second["White"], second["Result"]) == ("Aalto, Minna", "1-0")
    assert (forfeit["Result"], forfeit["Termination"]) == ("0-1", "unplayed")
    assert is_open["Result"] == "*"


def test_an_adjourned_game_is_not_finished() -> None:
    matches = MATCHES.assign(adjourned=["", "true", "", "", "", ""])
    event = read_event(matches, PLAYERS, unfinished=True)
    assert len(event.adjourned) == 1
    for text in (pgn_text(event), pgn_text(event, 1)):
        adjourned, second, *_ = games_of(text)
        assert (adjourned["White"], adjourned["Result"]) == ("Dahl", "*")
        assert second["Result"] == "1-0"


def test_tags_have_what_is_known_of_a_player(event: Event) -> None:
    first, second, *_ = games_of(pgn_text(event))
    assert (second["WhiteElo"], second["WhiteTitle"]) == ("2214", "WIM")
    assert second["WhiteFideId"] == "500001"
    assert second["BlackElo"] == "1716"
    # No title, an unknown title, no rating, a FIDE number of 0 or of letters.
    assert not {"BlackTitle", "BlackFideId"} & {*second}
    assert not {"WhiteElo", "WhiteTitle", "WhiteFideId"} & {*first}


def test_quotes_and_backslashes_are_read_again(event: Event) -> None:
    text = pgn_text(event)
    assert '[Black "O\\"Hara, \\\\Ann"]' in text
    # python-chess leaves the backslashes of the standard in the value.
    value = games_of(text)[1]["Black"]
    assert re.sub(r"\\(.)", r"\1", value) == 'O"Hara, \\Ann'


def test_site_and_date_are_those_of_the_report(event: Event) -> None:
    days = (date(2026, 5, 1), date(2026, 5, 3))
    settings = EventSettings(
        title="Open", city="Berlin", federation="GER", round_days=days
    )
    last = games_of(pgn_text(replace(event, settings=settings)))[-1]
    assert (last["Event"], last["Site"]) == ("Open", "Berlin GER")
    assert last["Date"] == "2026.05.03"


def test_without_a_day_the_date_is_unknown(event: Event) -> None:
    assert games_of(pgn_text(event))[0]["Date"] == "????.??.??"


def test_one_round_has_only_its_tables(event: Event) -> None:
    games = games_of(pgn_text(event, 2))
    assert {game["Round"] for game in games} == {"2"}
    assert pgn_text(event, 3) == ""


@pytest.mark.long
@given(st.text(min_size=1).filter(lambda text: text.strip()))
def test_no_name_adds_a_tag_or_a_move(name: str) -> None:
    players = pd.DataFrame({"player": ["1", "2"], "name": [name, "Bob"]})
    matches = pd.DataFrame(
        [(1, "1", "2", "white", 1, 0)],
        columns=["round", "player1", "player2", "side1", "score1", "score2"],
    )
    try:
        event = read_event(matches, players)
    except InputError:  # a name that no event can have
        return
    text = pgn_text(event)
    (game,) = games_of(text)
    assert {*game} == {"Event", "Site", "Date", "Round", "White", "Black", "Result"}
    assert (game["Black"], game["Result"]) == ("Bob", "1-0")


def test_a_file_is_written_with_a_note_on_its_limits(
    event: Event, tmp_path: Path
) -> None:
    written = write_event(event, tmp_path / "all.pgn")
    assert [note.kind for note in written.notes] == ["pgn.pairings_only"]
    assert (tmp_path / "all.pgn").read_text(encoding="utf-8") == pgn_text(event)


def test_pgn_is_not_read(event: Event, tmp_path: Path) -> None:
    write_event(event, tmp_path / "all.pgn")
    with pytest.raises(InputError, match="does not read PGN"):
        read_event(tmp_path / "all.pgn")


def test_another_game_has_no_pgn() -> None:
    matches = MATCHES.assign(side1=None)
    with pytest.raises(UsageError, match="format of chess"):
        pgn_text(read_event(matches, PLAYERS, unfinished=True))
