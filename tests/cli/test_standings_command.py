"""`pairopt standings`: tie-breaks by name, the cut, the middle of a round."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pairopt.cli import main
from pairopt.event.tie_breaks import TIE_BREAKS

HEAD = "round,table,player1,player2,side1,score1,score2,status\n"
ROWS = """1,1,A,D,white,1,0,
1,2,B,E,white,1,0,
1,3,C,F,white,0.5,0.5,
"""
PLAYERS = "player,rating\nA,2000\nB,1900\nC,1800\nD,1700\nE,1600\nF,1500\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "matches.csv").write_text(HEAD + ROWS, "utf-8")
    (tmp_path / "players.csv").write_text(PLAYERS, "utf-8")
    return tmp_path


def run(files: Path, *more: str) -> Result:
    players = ["--players", str(files / "players.csv")]
    return CliRunner().invoke(
        main, ["standings", str(files / "matches.csv"), *players, *more]
    )


def test_every_tie_break_is_a_column(files: Path) -> None:
    known = [name for name, kind in TIE_BREAKS.items() if not kind.needs_games]
    done = run(files, "--tie-breaks", ", ".join(known), "--format", "csv")
    assert done.exit_code == 0
    columns = done.stdout.splitlines()[0].split(",")
    assert columns == ["rank", "name", "points", *known, "side_bias", "status"]
    refused = run(files, "--tie-breaks", "gw")
    assert (
        refused.exit_code,
        "gw needs the games of all matches" in refused.stderr,
    ) == (2, True)
    table = run(files, "--tie-breaks", "buchholz_cut1,performance_rating").stdout
    assert table.split()[:7] == [
        "Rank",
        "Name",
        "Points",
        "Buchholz",
        "Cut",
        "1",
        "Performance",
    ]
    # A won against 1700, B against 1600
    lines = json.loads(
        run(files, "--tie-breaks", "performance_rating", "--format", "json").stdout
    )
    assert [line["performance_rating"] for line in lines["standings"]][:2] == [
        "2500",
        "2400",
    ]


def test_the_columns_there_were_stay_the_first(files: Path) -> None:
    head = run(files, "--format", "csv").stdout.splitlines()[0]
    assert head == "rank,name,points,BH/C1,BH,SB,side_bias,status"
    assert run(files, "--tie-breaks", "", "--format", "csv").stdout.startswith(
        "rank,name,points,side_bias,status\n1,A,1,White +1,\n1,B,1,White +1,\n3,C,0.5,"
    )


def test_other_games_than_chess_rank_by_strength_of_schedule(files: Path) -> None:
    (files / "matches.csv").write_text(HEAD + ROWS.replace("white", "corp"), "utf-8")
    head = run(files, "--format", "csv").stdout.splitlines()[0]
    assert head == "rank,name,points,sos,esos,side_bias,status"


def test_codes_with_modifiers(files: Path) -> None:
    done = run(
        files,
        "--tie-breaks",
        "bh:c1,FB-M2,sb/C1/P,KS/L-1,ARO/U1400,TPN/R",
        "--format",
        "csv",
    )
    head = done.stdout.splitlines()[0]
    assert (
        head
        == "rank,name,points,BH/C1,FB/M2,SB/C1/P,KS/L-1,ARO/U1400,TPN/R,side_bias,status"
    )
    for wrong in ("BH/X", "BH/C0", "BH/C1/C2", "BH/C1/M1", "BH/P/P", "BH:GP", "BH/"):
        done = run(files, "--tie-breaks", wrong)
        assert done.exit_code == 2
        assert (
            f"There is no tie-break {wrong!r}. BH can only have the modifiers C1, M1, P, each once"
            in done.stderr
        )
    assert "WIN has no modifiers" in run(files, "--tie-breaks", "WIN/C1").stderr
    assert (
        "KS can only have the modifiers L+1, each once"
        in run(files, "--tie-breaks", "KS/L1").stderr
    )
    done = run(files, "--tie-breaks", "buchholz,BH")
    assert (
        "The tie-break BH is listed twice. Remove one of the two entries."
        in done.stderr
    )


def test_wrong_names_are_usage_errors(files: Path) -> None:
    done = run(files, "--tie-breaks", "sos,bucholz")
    assert done.exit_code == 2
    assert "There is no tie-break 'bucholz'. Choose from: buchholz, " in done.stderr


@pytest.mark.long
def test_a_tie_at_the_cut_is_broken_only_as_asked(files: Path) -> None:
    done = run(files, "--cut", "1")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "2 players are equal for the last place: A, B" in done.stderr
    assert "--by-lot" in done.stderr
    drawn = [
        run(files, "--cut", "1", "--by-lot", "--seed", str(seed)) for seed in range(12)
    ]
    assert len({done.stdout for done in drawn}) == 2
    assert (
        "Equal players at the end of the top cut to 1 player, ordered at random (seed 3): A, B"
        in (drawn[3].stderr)
    )
    assert run(files, "--cut", "1", "--by-lot", "--seed", "3").stdout == drawn[3].stdout
    finer = run(files, "--cut", "1", "--tie-breaks", "performance_rating")
    assert finer.exit_code == 0
    assert " A " in finer.stdout


def test_lots_that_decide_nothing_are_not_noted(files: Path) -> None:
    assert run(files, "--cut", "2", "--by-lot").stderr == ""


def test_the_middle_of_a_round(files: Path) -> None:
    rows = "2,1,A,B,white,1,0,\n2,2,C,D,white,,,\n2,3,E,F,white,,,\n"
    (files / "matches.csv").write_text(HEAD + ROWS + rows, "utf-8")
    done = run(files, "--format", "csv", "--tie-breaks", "")
    assert done.exit_code == 0
    assert done.stderr == "note: Round 2 is not finished: 2 results are missing.\n"
    assert done.stdout.splitlines()[1] == "1,A,2,White +2,"
    solved = CliRunner().invoke(main, ["solve", str(files / "matches.csv")])
    assert solved.exit_code == 3
    assert "C - D in round 2 has no result. Enter the result first." in solved.stderr


def test_identifiers_are_named_for_programs(tmp_path: Path) -> None:
    path = tmp_path / "players.csv"
    path.write_text("player,name\n17,Ann\n18,Ann\n19,Bob\n", "utf-8")
    done = CliRunner().invoke(main, ["standings", str(path), "--format", "json"])
    lines = json.loads(done.stdout)["standings"]
    assert {line["player"]: line["name"] for line in lines}["19"] == "Bob"
    assert {line["player"] for line in lines} == {"17", "18", "19"}
