"""A McMahon tournament from ranks alone: pairing and standings count the same scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from pairopt import UsageError, read_event
from pairopt.cli import main
from pairopt.event.mcmahon import McMahonRules, start_scores, with_start_scores
from pairopt.event.standings import rank_players
from pairopt.folder import change, check_proofs, edit, enter, new, pair, result
from pairopt.folder.open_folder import read_folder_state
from pairopt.web.site import EventSite

PLAYERS = """\
player,rank,club
Akiko,5d,Lyon
Bruno,4d,Kiel
Chloe,1d,Lyon
Dario,1k,Turin
Emil,4k,Kiel
Fatma,15k,Turin
"""
MODEL = """\
name = "ours"
sides = ["black", "white"]
[[criteria]]
kind = "mcmahon"
floor = "12k"
bar = "3d"
rounds = 3
"""
STARTS = {"Akiko": 32, "Bruno": 32, "Chloe": 30, "Dario": 29, "Emil": 26, "Fatma": 18}


def make_folder(
    path: Path, players: str = PLAYERS, model: str = MODEL, **settings: object
) -> Path:
    """Make an event folder of these players with this model in a file."""
    (path / "list.csv").write_text(players)
    (path / "ours.toml").write_text(model)
    new(path / "club", path / "list.csv", model=str(path / "ours.toml"), **settings)
    return path / "club"


def call(*words: object) -> str:
    """Run a command, and return what it prints, with notes."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.output


def points_in(folder: Path) -> dict[str, float]:
    """Return the points of each player in the standings of a folder."""
    standing = read_folder_state(folder).standing
    return {player: float(line.points) for player, line in standing.items()}


@pytest.fixture
def club(tmp_path: Path) -> Path:
    return make_folder(tmp_path)


def test_a_tournament_from_ranks_alone(club: Path, tmp_path: Path) -> None:
    assert points_in(club) == STARTS
    paired = call("pair", club)
    assert "32   Bruno   Akiko       32" in paired
    for table in (1, 2, 3):
        call("result", club, table, "1-0")
    shown = call("standings", club)
    assert "Rank   Name    Points   MMS   SOS   SOSOS" in shown
    assert "pairopt counts wins only" not in shown
    for line in read_folder_state(club).standing.values():
        assert line.points == line.tie_breaks["MMS"]
    for wall_list in ("ranking", "cross-table"):
        printed = call("print", club, wall_list)
        assert "33" in printed, wall_list
    call("publish", club, tmp_path / "site")
    pages = [page.read_text() for page in (tmp_path / "site").rglob("*.html")]
    assert any("33" in page and "SOSOS" in page for page in pages)
    call("convert", club, tmp_path / "x.h9")
    first_line = (tmp_path / "x.h9").read_text().splitlines()[3].split()
    assert first_line[:1] + first_line[6:7] == ["1", "33"]
    pair(club)
    assert not any(proof.faults for proof in check_proofs(club))
    assert "Round 1: agrees with ours." in call("check", club, "--all")


def test_scores_of_the_list_come_before_ranks(tmp_path: Path) -> None:
    """A player without a number there starts by the rank."""
    players = "player,rank,score,opponents\nA,5d,34,\nB,1k,,\nC,2k,0,\nD,12k,20.5,\n"
    folder = make_folder(tmp_path, players)
    assert points_in(folder) == {"A": 34, "B": 29, "C": 28, "D": 20.5}
    event = read_event(folder)
    rules = McMahonRules(floor=-12, bar=2, is_swiss=False, by_rating=False)
    assert start_scores(event, rules).tolist() == [34, 29, 28, 20]


def test_a_player_without_a_rank_starts_at_the_floor(club: Path) -> None:
    """Pairing waits for the rank; the folder opens, and a note names the player."""
    enter(club, "Kim")
    assert points_in(club)["Kim"] == 18
    assert "The Go rank of Kim is ''" in call("standings", club)
    with pytest.raises(UsageError, match="The Go rank of Kim is ''"):
        pair(club)
    edit(club, "Kim", {"rank": "2d"})
    assert points_in(club)["Kim"] == 31
    pair(club)


def test_a_wrong_correction_is_noted(tmp_path: Path) -> None:
    players = "player,rank,correction\nA,1d,-2\nB,1d,x\nC,1k,+1\nD,1k,\n"
    folder = make_folder(tmp_path, players)
    assert points_in(folder) == {"A": 28, "B": 30, "C": 30, "D": 29}
    assert "The correction of B's start score (points before round 1) is 'x'" in call(
        "standings", folder
    )


def test_floor_and_bar_may_change_between_rounds(club: Path) -> None:
    """Open pages follow the file of the model, although no file of the event changed."""
    pair(club)
    for table in (1, 2, 3):
        result(club, table, "1-0")
    site = EventSite(club)
    before = points_in(club)
    assert float(site.desk().standing["Akiko"].points) == before["Akiko"]
    assert site.desk() is site.desk()
    changed = MODEL.replace("12k", "6k").replace("3d", "2d")
    (club / "ours.toml").write_text(changed)
    after = points_in(club)
    assert float(site.desk().standing["Akiko"].points) == after["Akiko"]
    moved = {player: after[player] - before[player] for player in before}
    assert moved == {**dict.fromkeys(STARTS, 0), "Akiko": -1, "Bruno": -1, "Fatma": 6}
    pair(club)


@pytest.mark.parametrize("model", ["standard", "swiss-go"])
def test_other_models_start_equal(club: Path, model: str) -> None:
    change(club, {"model": model})
    assert set(points_in(club).values()) == {0}
    noted = "pairopt counts wins only" in call("standings", club)
    assert noted == (model == "standard")


def test_the_shipped_model_has_its_own_floor_and_bar(club: Path) -> None:
    change(club, {"model": "mcmahon"})
    assert points_in(club) == {**STARTS, "Akiko": 33, "Bruno": 33, "Fatma": 15}


@pytest.mark.parametrize(
    "broken", ["floor = ", 'x = "mcmahon"', MODEL.replace('"3d"', '"20k"'), "\xff"]
)
def test_a_broken_model_hinders_no_standings(club: Path, broken: str) -> None:
    (club / "ours.toml").write_bytes(broken.encode("latin-1"))
    assert set(points_in(club).values()) == {0}


@pytest.mark.parametrize(
    ("players", "sides", "heading"),
    [
        (PLAYERS, ("black", "white"), "MMS   SOS   SOSOS"),
        (PLAYERS, ("white", "black"), "Buchholz"),
        (PLAYERS.replace("5d", "strong"), ("black", "white"), "ESoS"),
        ("player\nA\nB\n", ("black", "white"), "ESoS"),
    ],
)
def test_go_has_its_own_points_and_tie_breaks(
    tmp_path: Path, players: str, sides: tuple[str, str], heading: str
) -> None:
    (tmp_path / "list.csv").write_text(players)
    new(tmp_path / "other", tmp_path / "list.csv", sides=[*sides])
    event = read_event(tmp_path / "other")
    assert str(event.settings.points) == "1-0.5-0"
    assert heading in call("standings", tmp_path / "other")


def test_start_scores_are_points_in_the_scale_of_the_event(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    event = read_event(folder)
    rules = McMahonRules(floor=-12, bar=2, is_swiss=False, by_rating=False)
    again = with_start_scores(event, rules)
    np.testing.assert_array_equal(again.brought, event.brought)


@pytest.mark.parametrize(
    ("tie_breaks", "order"),
    [("MMS,SOSM", "CBAD"), ("SOSM,MMS", "CABD"), ("", "CABD")],
)
def test_the_mcmahon_score_comes_before_points(tie_breaks: str, order: str) -> None:
    """A has 30.5 points and B 30, both 30 when rounded down; B has the better SOS."""
    players = pd.DataFrame({"player": list("ABCD"), "score": [30, 30, 33, 10]})
    rows = [(1, "A", "D", 0.5, 0.5), (1, "B", "C", 0, 1)]
    columns = ["round", "player1", "player2", "score1", "score2"]
    event = read_event(pd.DataFrame(rows, columns=columns), players)
    lines = rank_players(event, [name for name in tie_breaks.split(",") if name])
    assert "".join(line.player for line in lines) == order
