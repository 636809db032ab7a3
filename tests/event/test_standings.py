"""Standings: strengths of schedule by hand, and equal to those in real files."""

from __future__ import annotations

import json
from fractions import Fraction

import pandas as pd
import pytest
from click.testing import CliRunner
from places import ROOT

import pairopt
from pairopt.cli import main
from pairopt.event.standings import ranked

DATA = ROOT.parent / "shared" / "data"
WEEKLY = ROOT / "examples" / "weekly"


def small() -> pairopt.Event:
    """A beats B, C has a bye; A draws with C, B wins by forfeit against D who came late."""
    rows = [
        (1, "A", "B", "corp", "3", "0", ""),
        (1, "C", None, None, "3", None, "bye"),
        (2, "C", "A", "corp", "1", "1", ""),
        (2, "B", "D", None, "3", "0", "forfeit"),
    ]
    columns = ["round", "player1", "player2", "side1", "score1", "score2", "status"]
    return pairopt.read_event(pd.DataFrame(rows, columns=columns))


def test_strengths_by_hand() -> None:
    lines = {line.player: line for line in ranked(small())}
    # points per round: A 4/2, B 3/2, C 4/2, D 0/1; the forfeit is no game between B and D
    assert {p: line.tie_breaks["sos"] for p, line in lines.items()} == {
        "A": (Fraction(3, 2) + 2) / 2,
        "B": 2,
        "C": 2,
        "D": 0,
    }
    assert lines["A"].tie_breaks["esos"] == (2 + 2) / 2
    assert lines["C"].tie_breaks["esos"] == Fraction(7, 4)
    assert [line.player for line in ranked(small())] == ["C", "A", "B", "D"]
    assert {p: line.bias for p, line in lines.items()} == {"A": 0, "B": -1, "C": 1, "D": 0}


def test_the_table_organisers_expect() -> None:
    table = pairopt.standings(small())
    columns = ["rank", "name", "points", "sos", "esos", "side_bias", "status"]
    assert list(table.columns) == columns
    assert table.iloc[0].tolist() == [1, "C", "4", "2.0000", "1.7500", "Corp +1", ""]
    assert table.iloc[1]["side_bias"] == "Balanced"
    assert table.iloc[2]["side_bias"] == "Runner +1"


def test_a_cut_keeps_the_best_who_are_still_active() -> None:
    arguments = ["standings", str(WEEKLY / "matches.csv"), "--players",
                 str(WEEKLY / "players.csv")]  # fmt: skip
    done = CliRunner().invoke(main, [*arguments, "--cut", "8", "--format", "json"])
    assert done.exit_code == 0
    lines = json.loads(done.stdout)["standings"]
    assert len(lines) == 8
    assert "Pedro Alves" not in {line["name"] for line in lines}
    assert CliRunner().invoke(main, [*arguments, "--cut", "99"]).exit_code == 2
    table = CliRunner().invoke(main, arguments).stdout
    assert table.split()[:7] == ["Rank", "Name", "Points", "SoS", "ESoS", "Side", "Bias"]
    out = CliRunner().invoke(main, [*arguments, "--format", "csv"]).stdout
    assert len(out.splitlines()) == 1 + 41


@pytest.mark.skipif(not DATA.is_dir(), reason="the real events are not here")
@pytest.mark.parametrize(
    ("folder", "file"),
    [("afroeuros", "AfroEuros"), ("2020_worlds1a", "2020_Worlds1A"), ("blm", "BLM")],
)
def test_real_strengths_of_schedule(folder: str, file: str) -> None:
    event = pairopt.read_event(
        DATA / "csv" / folder / "matches.csv", DATA / "csv" / folder / "players.csv"
    )
    lines = {line.player: line for line in ranked(event)}
    players = json.loads((DATA / "nrtm" / f"{file}.json").read_text(encoding="utf-8"))["players"]
    assert len(players) == len(lines)
    for player in players:
        line = lines[str(player["id"])]
        assert line.points == player["matchPoints"]
        for name, key in (("sos", "strengthOfSchedule"), ("esos", "extendedStrengthOfSchedule")):
            value = float(line.tie_breaks[name])
            assert value == pytest.approx(float(player[key]), abs=1e-9)
