"""`pairopt frontier` and `pairopt incentive` on the command line."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from places import ROOT

import pairopt
from pairopt.analysis.agreements import agreements
from pairopt.analysis.frontier_slopes import table_of
from pairopt.cli import main
from pairopt.lab import World, simulate

WEEKLY = ROOT / "examples" / "weekly"
OVER = "score_groups,side_difference:2"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


@pytest.mark.slow
@pytest.mark.long
def test_the_frontier_of_every_round() -> None:
    done = run("frontier", WEEKLY, "--over", OVER, "--all", "--format", "csv")
    assert done.exit_code == 0
    found = list(pairopt.frontiers(pairopt.read_event(WEEKLY), OVER.split(",")))
    table = table_of(found)
    assert [row["score_groups"] for row in rows(done.stdout)] == [
        f"{value:g}" for value in table["score_groups"]
    ]
    assert {row["round"] for row in rows(done.stdout)} == {"1", "2", "3", "4", "5"}
    shown = run("frontier", WEEKLY, "--over", OVER, "--all").stdout
    assert "Prices, the mean of all rounds" in shown
    assert "fixed at their optimum: rematches" in shown


@pytest.mark.long
def test_two_events_in_one_table(tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text((WEEKLY / "matches.csv").read_text("utf-8"), "utf-8")
    done = run("frontier", WEEKLY, other, "--over", OVER, "--format", "csv")
    assert [row["event"] for row in rows(done.stdout) if row["point"] == "1"] == [
        str(WEEKLY / "matches.csv"),
        str(other),
    ]


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(
    "command",
    [("frontier", "--over", OVER), ("incentive", "--by", "score")],
    ids=lambda c: c[0],
)
def test_a_command_given_twice_writes_the_same(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    for form in ("csv", "json"):
        written = []
        for _ in range(2):
            done = run(command[0], WEEKLY, *command[1:], "-o", tmp_path / f"out.{form}")
            assert done.exit_code == 0, done.stderr
            assert done.stdout == ""
            written.append((tmp_path / f"out.{form}").read_bytes())
        assert written[0] == written[1]
        assert [path.name for path in tmp_path.iterdir()] == [f"out.{form}"]
        (tmp_path / f"out.{form}").unlink()


@pytest.mark.slow
@pytest.mark.long
def test_the_table_of_incentives() -> None:
    done = run("incentive", WEEKLY, "--format", "csv")
    assert done.exit_code == 0
    found = pairopt.incentive(pairopt.read_event(WEEKLY))
    table = rows(done.stdout)
    assert len(table) == len(found.prospects) == 36
    for row, one in zip(table, found.prospects, strict=True):
        assert row["loss_for_win"] == one.helps("win", "loss")
        expected = [
            "BYE" if name is None else name for name in one.after["loss"].opponents
        ]
        assert row["after_loss"].split(";") == expected
    content = json.loads(run("incentive", WEEKLY, "--format", "json").stdout)
    assert content["rounds"] == [found.to_dict()]
    assert (
        "Losing instead of winning helps to a weaker opponent: certainly"
        in run("incentive", WEEKLY).stdout
    )


@pytest.mark.sweep
def test_the_figure_beside_the_table(tmp_path: Path) -> None:
    arguments = (
        "frontier",
        WEEKLY,
        "--over",
        OVER,
        "-o",
        tmp_path / "a.csv",
        "--figure",
    )
    for _ in range(2):
        done = run(*arguments, tmp_path / "a")
        assert done.exit_code == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", "a.png", "a.svg"}
    drawn = (tmp_path / "a.svg").read_text("utf-8")
    assert "<dc:date>" not in drawn
    points = len(rows((tmp_path / "a.csv").read_text("utf-8")))
    assert drawn.count("<use ") >= points > 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("frontier", WEEKLY, "--over", "score_groups"), 2, "needs two or three"),
        (("frontier", WEEKLY, "--over", "score_groups,colour"), 2, "not a criterion"),
        (("frontier", WEEKLY, "--over", "rematches,rematches"), 2, "only one axis"),
        (("frontier", WEEKLY, "--over", "rematches,rematches:1"), 2, "only one axis"),
        (
            ("frontier", WEEKLY, "--over", OVER, "--model", "fide-dutch"),
            2,
            "no criteria to trade",
        ),
        (
            ("frontier", WEEKLY, "--over", OVER, "--all", "--round", "2"),
            2,
            "leave out --round",
        ),
        (("frontier", WEEKLY, "--over", OVER, "--time-limit", "1e-9"), 4, ""),
        (
            ("frontier", WEEKLY, "--over", f"{OVER},rematches", "--figure", "f"),
            2,
            "two criteria",
        ),
        (("frontier", "missing.csv", "--over", OVER), 3, "missing.csv"),
        (("incentive", WEEKLY, "--round", "1"), 2, "No match was played"),
        (("incentive", WEEKLY, "--by", "rating"), 2, "Not every player has a rating"),
        (("incentive", WEEKLY, "--model", "aesops-by-hand"), 2, "can't prove that"),
        (("incentive", WEEKLY, "--time-limit", "1e-9"), 4, "stopped at the time limit"),
        (("incentive", WEEKLY, "--all", "--round", "2"), 2, "leave out --round"),
        (("incentive", "missing.csv"), 3, "missing.csv"),
    ],
)
def test_exit_codes(
    arguments: tuple[object, ...], code: int, said: str, tmp_path: Path
) -> None:
    done = run(*arguments, *(("-o", tmp_path / "out.csv") if code != 4 else ()))
    assert done.exit_code == code, done.output
    assert said in done.stderr
    assert "Traceback" not in done.output
    assert not list(tmp_path.iterdir())


def test_results_that_leave_no_pairing(tmp_path: Path) -> None:
    path = tmp_path / "matches.csv"
    path.write_text("round,player1,player2,score1,score2\n1,A,B,1,0\n", "utf-8")
    done = run("incentive", path, "--model", "monrad")
    assert done.exit_code == 1, done.output
    assert "After 3 results no pairing satisfies the constraints." in done.stdout
    done = run(
        "frontier", path, "--model", "monrad", "--over", "bye_score,score_groups"
    )
    assert done.exit_code == 1, done.output
    assert "A has no possible opponent left" in done.stderr


def test_names_cannot_steer_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "matches.csv"
    text = "round,player1,player2,score1,score2\n1,A\x1b[31m,B,3,0\n1,C,D,3,0\n"
    path.write_text(text, "utf-8")
    for arguments in (
        ("incentive", path),
        ("frontier", path, "--over", "rematches,score_groups"),
    ):
        assert "\x1b" not in run(*arguments).output


CUT = ("incentive", WEEKLY, "--rounds", "6", "--cut", "4", "--samples", "50")


@pytest.mark.long
def test_the_table_before_a_cut(tmp_path: Path) -> None:
    event = pairopt.read_event(WEEKLY)
    found = agreements(event, cut=4, rounds=6, samples=50)
    told = rows(run(*CUT, "--format", "csv").stdout)
    assert len(told) == 5 * len(found.tables) == 90
    assert {row["scenario"] for row in told} == {
        "3-0",
        "1-1",
        "0-3",
        "played",
        "intentional_draw",
    }
    one = next(row for row in told if row["scenario"] == "intentional_draw")
    first = found.tables[0].scenario("intentional_draw")
    assert float(one["chance1"]) == pytest.approx(first.chances[0].value, abs=1e-6)
    assert first.gains is not None
    assert float(one["gain2_high"]) == pytest.approx(first.gains[1].high, abs=1e-6)
    assert one["both_gain"] == first.both_gain
    content = json.loads(run(*CUT, "--format", "json").stdout)
    assert content == {
        "instrument": "agreements",
        **json.loads(json.dumps(found.to_dict())),
    }
    shown = run(*CUT)
    assert "Round 6 of 6, cut to 4, model standard" in shown.stdout
    assert (
        f"both gain at {found.counts('intentional_draw')['yes']} of 18 tables"
        in shown.stdout
    )
    assert "From 50 continuations" in shown.stdout
    assert "2-for-1" not in shown.stdout
    done = run(*CUT, "-o", tmp_path / "cut.csv")
    assert rows((tmp_path / "cut.csv").read_text("utf-8")) == told
    assert "18 tables" in done.stderr


def test_exact_chances_and_two_games_are_said(tmp_path: Path) -> None:
    world = World(players=8, rounds=3, games=2, draws=0, spread=0)
    simulate("double-sided", world).write(tmp_path)
    asked = (
        "incentive",
        tmp_path / "matches.csv",
        "--players",
        tmp_path / "players.csv",
        "--model",
        "double-sided",
        "--cut",
        "3",
        "--rounds",
        "3",
        "--round",
        "3",
    )
    shown = run(*asked).stdout
    assert "2-for-1: both gain at " in shown
    assert "Exact." in shown
    assert "~" not in shown
    content = json.loads(run(*asked, "--format", "json").stdout)
    assert content["exact"]
    exact = content["tables"][0]["scenarios"][0]["chances"][0]["exact"]
    assert Fraction(exact) == pytest.approx(
        content["tables"][0]["scenarios"][0]["chances"][0]["value"]
    )


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (("--cut", "4"), 2, "--rounds"),
        (("--cut", "4", "--by", "score"), 2, "--by is of no use with --cut"),
        (("--cut", "4", "--all"), 2, "--all is of no use with --cut"),
        (
            ("--cut", "4", "--bye-counts", "weakest"),
            2,
            "--bye-counts is of no use with --cut",
        ),
        (("--samples", "4"), 2, "--samples is of no use without --cut"),
        (("--cut", "99", "--rounds", "6"), 2, "--cut 99"),
        (("--cut", "4", "--rounds", "6", "--world", "elo"), 2, "ratings"),
        (("--cut", "4", "--rounds", "6", "--world", "chance"), 2, "chance"),
        (
            ("--cut", "4", "--rounds", "6", "--time-limit", "1e-9"),
            4,
            "stopped at the time limit",
        ),
    ],
)
def test_what_a_cut_is_asked_with(more: tuple[str, ...], code: int, said: str) -> None:
    done = run("incentive", WEEKLY, *more)
    assert done.exit_code == code
    assert said in done.stderr + str(done.exception)
