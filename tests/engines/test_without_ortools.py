"""Without OR-Tools rounds are paired by matching, and what needs it says so in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from places import ROOT, SAMPLE
from simulation import rounds
from without_ortools import run_commands

from pairopt import Event

WEEKLY = [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]
REPORT = str(ROOT / "examples" / "fide" / "absent.trf")
NEEDS = "OR-Tools, which is not installed for Python"
LEFT_OUT = "There was no cross-check by a second engine, because OR-Tools is not installed for Python"


def written(event: Event, folder: Path, name: str) -> list[str]:
    """The event as files, and the arguments that read them."""
    target = folder / name
    target.mkdir()
    event.matches_frame.to_csv(target / "matches.csv", index=False)
    event.players_frame.to_csv(target / "players.csv", index=False)
    return [str(target / "matches.csv"), "--players", str(target / "players.csv")]


def levels(stdout: str) -> list[tuple[str, int]]:
    return [(each["criterion"], each["value"]) for each in json.loads(stdout)["levels"]]


MODELS = (
    "standard",
    "excalibur",
    "monrad",
    "top-first",
    "aesops",
    "leaguevine",
    "fide-basic",
)


@pytest.mark.long
def test_every_round_is_paired_as_well_without_it(tmp_path: Path) -> None:
    *_, (late, _) = rounds(140, 4, 1, engine="matching")
    larger = written(late, tmp_path, "larger")
    first = tmp_path / "players.csv"
    first.write_text("player\n" + "\n".join(f"P{k}" for k in range(430)) + "\n")
    asked = [
        *[["solve", *WEEKLY, "--model", model] for model in MODELS],
        ["solve", *WEEKLY, "--objective", "weighted"],
        ["solve", *WEEKLY, "--lookahead", "2"],
        ["solve", *WEEKLY, "--choose", "uniform"],
        ["solve", REPORT],
        ["solve", REPORT, "--model", "fide-burstein"],
        ["solve", *larger],
        ["solve", *larger, "--model", "monrad"],
        ["solve", str(first)],
    ]
    commands = [[*each, "--format", "json"] for each in asked]
    without = run_commands(tmp_path, *commands)
    usual = run_commands(tmp_path, *commands, blocked=False)

    for command, one, other in zip(commands, without, usual, strict=True):
        assert (one.code, one.fault) == (0, ""), (command, one)
        assert levels(one.stdout) == levels(other.stdout), command
        assert json.loads(one.stdout)["status"] == "optimal"
        checked_twice = len(json.loads(other.stdout)["proven_by"]) == 2
        assert (LEFT_OUT in one.stderr) == checked_twice, command


@pytest.mark.long
def test_every_command_that_pairs_works_without_it(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text(
        "player,rating\n" + "".join(f"P{k},{1500 + k}\n" for k in range(9))
    )
    first = json.loads(
        run_commands(tmp_path, ["solve", *WEEKLY, "--format", "json"])[0].stdout
    )["pairings"][0]
    pair = f"{first['player1']}:{first['player2']}"
    commands = [
        [
            "new",
            "friday",
            "--players",
            str(people),
            "--rounds",
            "5",
            "--points",
            "3-1-0",
        ],
        ["pair", "friday"],
        ["result", "friday", "1", "3-0"],
        ["pair", "friday", "--again"],
        ["standings", "friday"],
        ["solve", "friday", "--round", "1"],
        ["solve", *WEEKLY, "-o", "round.csv"],
        ["check", *WEEKLY, "round.csv"],
        ["explain", *WEEKLY, "--why-not", pair],
        ["compare", *WEEKLY, "--models", "standard,top-first"],
        ["export", *WEEKLY, "round.opb"],
        ["convert", WEEKLY[0], "copy.csv"],
        ["simulate", "--players", "8", "--rounds", "3", "-o", "played"],
    ]
    for command, done in zip(commands, run_commands(tmp_path, *commands), strict=True):
        assert (done.code, done.fault) == (0, ""), (command, done)
        assert NEEDS not in done.stderr, (command, done)


@pytest.mark.long
def test_what_needs_it_stops_with_one_sentence(tmp_path: Path) -> None:
    *_, (late, _) = rounds(140, 4, 1, engine="matching")
    larger = written(late, tmp_path, "larger")
    commands = [
        ["solve", *WEEKLY, "--engine", "cpsat"],
        ["solve", *WEEKLY, "--formulation", "pairs"],
        ["frontier", *WEEKLY, "--between", "rematches", "score_groups"],
        ["compare", *WEEKLY, "--models", "standard,top-first", "--engine", "cpsat"],
        ["odds", *WEEKLY],
        ["solve", *larger, "--choose", "uniform"],
    ]
    for command, done in zip(commands, run_commands(tmp_path, *commands), strict=True):
        assert (done.code, done.fault, done.stdout) == (2, "", ""), (command, done)
        last = done.stderr.splitlines()[-1]
        assert NEEDS in last, (command, done)
        assert last.startswith("Error: This computation needs")

    verified = run_commands(tmp_path, ["solve", *WEEKLY, "--verify"])[0]
    assert verified.code == 0
    assert "There was no cross-check by a second engine" in verified.stderr
    assert NEEDS in verified.stderr
