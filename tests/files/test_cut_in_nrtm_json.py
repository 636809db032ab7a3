"""The cut of an event folder in NRTM JSON: real ones played again, and small ones by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from places import REAL

from pairopt import read_event, write_event
from pairopt.event.elimination import Elimination
from pairopt.event.points import Score
from pairopt.event.standings import ranked
from pairopt.event.tie_breaks import SCHEDULE
from pairopt.files.formats.nrtm_json.words import CUT
from pairopt.folder import drop
from pairopt.folder.cutting import bracket
from pairopt.folder.founding import new
from pairopt.folder.results import result
from pairopt.show.cli import main

BLM = REAL / "nrtm" / "BLM.json"
NAMES = ("Ann", "Bo", "Cy", "Di", "Ed")


def event(tmp_path: Path, names: tuple[str, ...] = NAMES, cut: int = 4, **how: bool) -> Path:
    """A folder of players who brought points in, the first most, and its cut."""
    folder = tmp_path / "event"
    listed = tmp_path / "list.csv"
    listed.write_text("player\n" + "\n".join(names) + "\n", encoding="utf-8")
    new(folder, listed, title="Friday", rounds=3)
    rows = [f"{name},{9 - k},true" for k, name in enumerate(names)]
    text = "\n".join(["player,score,active", *rows, ""])
    (folder / "players.csv").write_text(text, encoding="utf-8")
    bracket(folder, cut, **how)
    return folder


def converted(folder: Path, name: str = "out.json") -> tuple[Any, tuple[str, ...]]:
    written = write_event(read_event(folder), folder / name)
    return json.loads(written.files[0].read_text(encoding="utf-8")), written.notes


def met(tables: list[Any]) -> list[Any]:
    """Who met whom and who won, whichever is named first."""
    return [
        (each["table"], sorted((each[k]["id"], each[k]["winner"]) for k in ("player1", "player2")))
        for each in tables
    ]


@pytest.mark.skipif(not BLM.is_file(), reason="the real events are not here")
def test_a_real_cut_played_again(tmp_path: Path) -> None:
    raw = json.loads(BLM.read_text(encoding="utf-8"))
    swiss = raw["preliminaryRounds"]
    path = tmp_path / "swiss.json"
    bare = {**raw, "cutToTop": 0, "eliminationPlayers": [], "rounds": raw["rounds"][:swiss]}
    path.write_text(json.dumps(bare), encoding="utf-8")
    folder = tmp_path / "event"
    new(folder, path)
    seeds = {each["id"] for each in raw["eliminationPlayers"]}
    for player in raw["players"][: len(seeds)]:
        if player["id"] not in seeds:
            drop(folder, player["name"])  # did not want to play it
    made = bracket(folder, raw["cutToTop"], double=True).bracket
    assert made is not None
    for table in (table for tables in raw["rounds"][swiss:] for table in tables):
        won = {str(table[k]["id"]): table[k]["winner"] for k in ("player1", "player2")}
        match = next(
            each
            for each in made.matches
            if each.open and {made.players[seed - 1] for seed in each.seeds if seed} == {*won}
        )
        first = made.players[(match.seeds[0] or 0) - 1]
        made = result(folder, match.fixture.name, "1-0" if won[first] else "0-1").bracket
        assert made is not None
    again, notes = converted(folder)
    assert not [note for note in notes if "cut" in note]
    assert again["cutToTop"] == raw["cutToTop"]
    assert again["preliminaryRounds"] == swiss
    assert again["eliminationPlayers"] == raw["eliminationPlayers"]
    assert [met(each) for each in again["rounds"][swiss:]] == [
        met(each) for each in raw["rounds"][swiss:]
    ]
    assert all(table["eliminationGame"] for each in again["rounds"][swiss:] for table in each)
    finished, own = read_event(BLM), read_event(folder / "out.json")
    assert ranked(own, SCHEDULE) == ranked(finished, SCHEDULE)
    assert len(own.origin.facts["json"][CUT]) == len(finished.origin.facts["json"][CUT])
    second = write_event(own, tmp_path / "second.json").files[0]
    assert json.loads(second.read_text(encoding="utf-8")) == again


def test_a_cut_that_is_not_finished(tmp_path: Path) -> None:
    folder = event(tmp_path, cut=5)
    result(folder, "B3", "2-1")  # of the second round: the first is not played yet
    again, notes = converted(folder)
    assert again["cutToTop"] == 5
    assert [(each["name"], each["rank"], each["seed"]) for each in again["eliminationPlayers"]] == [
        ("Ann", 1, 1), ("Bo", 2, 2), ("Di", 3, 4), ("Ed", 4, 5), ("Cy", 5, 3)
    ]  # fmt: skip
    assert again["rounds"] == [[{
        "table": 1, "player1": {"id": 2, "winner": True}, "player2": {"id": 3, "winner": False},
        "intentionalDraw": False, "eliminationGame": True,
    }]]  # fmt: skip
    cut = [note for note in notes if "cut" in note]
    assert cut == [
        "the cut is not finished: those still in it are ranked by their seeds",
        "lost: scores and forfeits of the cut (1 of them), but for who won",
    ]


def test_a_cut_not_begun_has_its_seeds(tmp_path: Path) -> None:
    again, notes = converted(event(tmp_path))
    assert [each["seed"] for each in again["eliminationPlayers"]] == [1, 2, 3, 4]
    assert again["rounds"] == []
    assert "the cut is not finished: those still in it are ranked by their seeds" in notes


def test_without_a_bracket_nothing_is_said_of_one(tmp_path: Path) -> None:
    folder = event(tmp_path)
    (folder / "bracket.csv").unlink()
    again, notes = converted(folder)
    assert again["cutToTop"] == 0
    assert again["eliminationPlayers"] == []
    assert not [note for note in notes if "cut" in note]


@pytest.mark.parametrize("players", range(2, 18))
@pytest.mark.parametrize("double", [False, True])
def test_rounds_follow_each_other(players: int, double: bool) -> None:
    """Whoever plays in a round has played all matches before it, and each once in a round."""
    made = Elimination(tuple(map(str, range(players))), double)
    while made.champion is None:
        number = next(match.fixture.number for match in made.matches if match.open)
        lower = Score(Fraction(number % 2), Fraction(1 - number % 2))
        made = made.with_result(number, lower)
    stages = made.stages
    for fixture in made.fixtures:
        for seat in fixture.seats:
            assert seat.come == "seed" or stages[seat.number] < stages[fixture.number]
    assert {*stages.values()} == {*range(1, max(stages.values()) + 1)}
    order = made.ranking
    assert sorted(order) == [*range(1, players + 1)]
    assert made.players[order[0] - 1] == made.champion
    last = made.needed[-1]
    assert order[1] == last.loser


@pytest.mark.parametrize("name", ["out.csv", "out.trf"])
def test_other_formats_name_the_cut_as_lost(tmp_path: Path, name: str) -> None:
    folder = event(tmp_path, ("1", "2", "3", "4"))
    written = write_event(read_event(folder), tmp_path / name)
    assert "lost: the cut (bracket.csv)" in written.notes


def test_its_own_cut_is_written_instead_of_that_of_the_file(tmp_path: Path) -> None:
    folder = event(tmp_path, ("1", "2", "3", "4"))
    with (folder / "event.toml").open("a", encoding="utf-8") as toml:
        toml.write('[source.json]\ncutToTop = 2\neliminationPlayers = [{id = 4, rank = 1}]\n'
                   '"the cut" = [[{table = 1, eliminationGame = true}]]\n')  # fmt: skip
    result(folder, "B1", "1-0")
    again, notes = converted(folder)
    assert again["cutToTop"] == 4
    assert len(again["eliminationPlayers"]) == 4
    assert [len(tables) for tables in again["rounds"]] == [1]
    assert "lost: the cut of the file before, as the folder has one of its own" in notes


def test_a_fault_in_bracket_csv_is_named(tmp_path: Path) -> None:
    folder = event(tmp_path)
    path = folder / "bracket.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("Cy", "Nobody"), encoding="utf-8")
    assert CliRunner().invoke(main, ["standings", str(folder)]).exit_code == 0
    done = CliRunner().invoke(main, ["convert", str(folder), str(tmp_path / "out.json")])
    assert done.exit_code == 3
    assert "bracket.csv" in done.stderr
    assert "Nobody" in done.stderr
    assert not (tmp_path / "out.json").exists()


def test_a_folder_made_from_a_folder_keeps_the_bracket(tmp_path: Path) -> None:
    folder = event(tmp_path)
    result(folder, "B1", "2-0")
    new(tmp_path / "again", folder)
    assert bracket(tmp_path / "again").bracket == bracket(folder).bracket
