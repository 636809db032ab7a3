"""Counts for FIDE's tournament report: classes, federations and the names behind them."""

from __future__ import annotations

import pandas as pd
import pytest

from pairopt import read_event
from pairopt.event.event import Event
from pairopt.event.fide_counts import TITLES, ClassCount, count_classes, normalize_title

PLAYERS = pd.DataFrame(
    [
        ("Ann", 2400, "wm", "ger"),
        ("Bob", 2500, "GM", "FRA"),
        ("Cid", None, "", "GER"),
        ("Dan", 0, "CM", ""),
        ("Eve", 1800, "WGM", "POL"),
    ],
    columns=["player", "rating", "title", "federation"],
)
MATCHES = pd.DataFrame(
    [
        (1, "Ann", "Bob", "white", 1, 0, None),
        (1, "Cid", None, None, 1, None, "bye"),
        (1, "Dan", None, None, 0, None, "requested"),
    ],
    columns=["round", "player1", "player2", "side1", "score1", "score2", "status"],
)


@pytest.fixture
def event() -> Event:
    return read_event(MATCHES, PLAYERS)


def counted(event: Event, host: str = "") -> dict[str, ClassCount]:
    return {count.name: count for count in count_classes(event, host)}


def test_a_rating_of_0_is_none(event: Event) -> None:
    counts = counted(event)
    assert counts["Rated"].players == (0, 1)
    assert counts["Unrated"].players == (2, 3)


def test_a_player_who_was_never_paired_does_not_count(event: Event) -> None:
    assert counted(event)["All"].players == (0, 1, 2, 3)
    assert not counted(event)["WGM"].players


def test_short_titles_and_codes_in_small_letters_count(event: Event) -> None:
    counts = counted(event, "Ger")
    assert counts["WIM"].players == (0,)
    assert counts["All"].federations == ("FRA", "GER")
    assert (counts["All"].from_host, counts["GM"].from_host) == (2, 0)


def test_candidate_masters_are_no_class(event: Event) -> None:
    assert [*counted(event)] == ["All", "Rated", "Unrated", *TITLES]


def test_without_a_host_federation_nobody_is_from_it(event: Event) -> None:
    assert counted(event)["All"].from_host is None


@pytest.mark.parametrize(
    ("cell", "title"), [("g", "GM"), (" WGM ", "WGM"), ("", ""), ("CM", "CM")]
)
def test_titles_have_one_form(cell: str, title: str) -> None:
    assert normalize_title(cell) == title
