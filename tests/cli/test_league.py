"""A league: one table of several events, with and without the worst evenings."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from organiser import event, scored

from pairopt import Event, read_event
from pairopt.cli import main
from pairopt.event.standings import rank_league, rank_players
from pairopt.folder import result


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["standings", *map(str, words)])


def told(done: Result) -> dict[str, list[str]]:
    """The cells after the name, by that."""
    assert done.exit_code == 0, done.stderr
    return {
        row[1]: [row[0], *row[2:]]
        for row in [*csv.reader(io.StringIO(done.stdout))][1:]
    }


@pytest.fixture
def evenings(tmp_path: Path) -> list[Path]:
    """Three evenings of one round; E and F came to the first alone, G to the last."""
    made = []
    for number, players in ((1, "ABCDEF"), (2, "ABCD"), (3, "ABCDG")):
        folder = event(tmp_path / f"evening{number}", players, rounds=1, points="3-1-0")
        scored(folder, ("3-0", "1-1", "0-3")[number - 1])
        made.append(folder)
    return made


def by_hand(folders: list[Path]) -> dict[str, list[Fraction | None]]:
    found: dict[str, list[Fraction | None]] = {}
    for k, folder in enumerate(folders):
        for row in csv.DictReader((folder / "matches.csv").open()):
            for player, score in (("player1", "score1"), ("player2", "score2")):
                if row[player]:
                    own = found.setdefault(row[player], [None] * len(folders))
                    own[k] = Fraction(row[score])
    return found


@pytest.mark.long
@pytest.mark.parametrize("drop", [0, 1, 2, 3, 9])
def test_the_sums_are_those_of_the_evenings(evenings: list[Path], drop: int) -> None:
    words = ("--drop-worst", drop) if drop else ()
    table = told(run(*evenings, *words, "--format", "csv"))
    found = by_hand(evenings)
    assert table.keys() == found.keys()
    for name, (rank, total, *each) in table.items():
        own = sorted(points or 0 for points in found[name])
        assert Fraction(total) == sum(own[drop:]), name
        assert [Fraction(cell) if cell else None for cell in each] == found[name]
        better = [
            other for other in table.values() if Fraction(other[1]) > Fraction(total)
        ]
        assert int(rank) == 1 + len(better)
    assert [float(cells[1]) for cells in table.values()] == sorted(
        (float(cells[1]) for cells in table.values()), reverse=True
    )


@pytest.mark.long
def test_in_every_form(evenings: list[Path]) -> None:
    lines = json.loads(run(*evenings, "--format", "json").stdout)["league"]
    assert [*lines[0]] == ["rank", "name", "points", *map(str, evenings)]
    assert run(*evenings).stdout.split()[:4] == [
        "rank",
        "name",
        "points",
        str(evenings[0]),
    ]
    result(evenings[2], 1, off=True)  # in the middle of a round
    assert told(run(*evenings, "--format", "csv"))


@pytest.mark.long
def test_events_with_other_points_say_so_first(
    evenings: list[Path], tmp_path: Path
) -> None:
    assert json.loads(run(*evenings, "--format", "json").stdout)["notes"] == []
    chess = event(tmp_path / "chess", "ABCD", rounds=1, points="1-0.5-0")
    scored(chess, "1-0")
    told = f"adds the points unchanged: 3-1-0 in {evenings[0]}; 1-0.5-0 in {chess}"
    table, csv_form = (
        run(evenings[0], chess),
        run(evenings[0], chess, "--format", "csv"),
    )
    assert told in table.stdout.splitlines()[0].replace("½", "0.5")
    assert table.stdout.splitlines()[2].split()[:2] == ["rank", "name"]
    assert told in csv_form.stderr.replace("½", "0.5")
    assert csv_form.stdout.startswith("rank,name,")
    (note,) = json.loads(run(evenings[0], chess, "--format", "json").stdout)["notes"]
    assert note["kind"] == "standing.league_points"
    assert told in note["text"]


@pytest.mark.long
def test_who_may_be_one_person_in_two_evenings_is_told(tmp_path: Path) -> None:
    one = event(tmp_path / "one", ["Krause, Lothar", "Anna"], rounds=1, points="3-1-0")
    two = event(tmp_path / "two", ["Lothar Krause", "anna"], rounds=1, points="3-1-0")
    for folder in (one, two):
        scored(folder)
    pairs = "Krause, Lothar - Lothar Krause; Anna - anna"
    assert (
        run(one, two).stdout.splitlines()[0]
        == f"These names may belong to one person: {pairs}."
    )
    (note,) = json.loads(run(one, two, "--format", "json").stdout)["notes"]
    assert note["kind"] == "player.alike"
    assert run(one, one / "matches.csv").stdout.startswith("rank")


@pytest.mark.long
def test_an_event_counts_once(evenings: list[Path]) -> None:
    done = run(*evenings, evenings[0] / ".." / evenings[0].name)
    assert (
        done.exit_code,
        "The same event is named twice. Name each event once." in done.stderr,
    ) == (2, True)


@pytest.mark.long
def test_of_one_event_without_its_only_evening(evenings: list[Path]) -> None:
    table = told(run(evenings[0], "--drop-worst", 1, "--format", "csv"))
    assert {cells[1] for cells in table.values()} == {"0"}


@pytest.mark.long
@pytest.mark.parametrize(
    "more", [("--cut", 2), ("--tie-breaks", "sos"), ("--round", 1), ("--by-lot",)]
)
def test_what_a_league_has_not(evenings: list[Path], more: tuple[object, ...]) -> None:
    done = run(*evenings, *more)
    assert (done.exit_code, "shows only the points from each event" in done.stderr) == (
        2,
        True,
    )


@pytest.mark.long
def test_one_that_cannot_be_read_is_named(evenings: list[Path]) -> None:
    (evenings[1] / "matches.csv").write_text("round,player1\n1,Z\n")
    done = run(*evenings)
    assert (done.exit_code, "evening2" in done.stderr, done.stdout) == (3, True, "")


@pytest.mark.long
@given(st.permutations([0, 1, 2]), st.integers(0, 2))
def test_the_order_of_evenings_changes_nothing(order: list[int], drop: int) -> None:
    events = [small(*each) for each in (("AB", "30"), ("AC", "11"), ("BC", "03"))]
    sums = {name: (rank, total) for rank, name, total, *_ in rank_league(events, drop)}
    again = {
        name: (rank, total)
        for rank, name, total, *_ in rank_league([events[k] for k in order], drop)
    }
    assert sums == again
    assert rank_league(events[:1])[0][2] == rank_players(events[0], ())[0].points


def small(players: str, score: str) -> Event:
    import pandas as pd

    row = {
        "round": 1,
        "player1": players[0],
        "player2": players[1],
        "score1": score[0],
        "score2": score[1],
    }
    return read_event(pd.DataFrame([row]))
