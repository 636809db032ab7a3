"""`pairopt check EVENT` checks the last round of an event of any format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pairopt import InputError, check, read_event
from pairopt.cli import main
from pairopt.files.read import read_round
from pairopt.folder import new, pair, result

DATA = Path(__file__).parents[1] / "data"
FILES = ("cobra_double_sided_2020.json", "byes_and_forfeits.trf", "small_event.csv")


def run(*words: object) -> Any:
    """Run `pairopt check`."""
    return CliRunner().invoke(main, ["check", *map(str, words)])


def answer(*words: object) -> Any:
    """Return the JSON of `pairopt check`."""
    done = run(*words, "--format", "json")
    assert done.exit_code in {0, 1}, done.output
    return json.loads(done.stdout)


def essence(checked: dict[str, Any]) -> tuple[Any, ...]:
    """Return the round of a check, its levels, and its first difference."""
    return checked["round"], checked["levels"], checked["difference"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "list.csv").write_text("player\nA\nB\nC\nD\n")
    new(tmp_path / "event", tmp_path / "list.csv", rounds=3)
    pair(tmp_path / "event")
    for table in (1, 2):
        result(tmp_path / "event", table, "3-0")
    pair(tmp_path / "event")
    return tmp_path / "event"


@pytest.fixture(params=[*FILES, "folder"])
def event_path(request: pytest.FixtureRequest, folder: Path) -> Path:
    return folder if request.param == "folder" else DATA / request.param


def test_the_last_round_is_checked(event_path: Path) -> None:
    rounds = answer(event_path, "--all")["rounds"]
    assert essence(answer(event_path)) == essence(rounds[-1])
    assert essence(answer(event_path, event_path)) == essence(rounds[-1])


def test_every_round_can_be_named(event_path: Path) -> None:
    for checked in answer(event_path, "--all")["rounds"]:
        number = checked["round"]
        assert essence(answer(event_path, "--round", number)) == essence(checked)


def test_a_round_that_does_not_exist_is_named(event_path: Path) -> None:
    done = run(event_path, "--round", 9)
    assert (done.exit_code, done.stdout) == (3, "")
    assert "has no rows of round 9" in done.stderr


def test_pairings_can_be_an_event_of_any_format(
    event_path: Path, tmp_path: Path
) -> None:
    """The rounds before come from one file, and the round to check from another."""
    event = read_event(event_path, unfinished=True)
    matches = tmp_path / "all.csv"
    event.matches_frame.to_csv(matches, index=False)
    _, rows = read_round(event_path, 1)
    _, same_rows = read_round(matches, 1)
    assert rows
    assert [(row.player1, row.player2, row.status) for row in rows] == [
        (row.player1, row.player2, row.status) for row in same_rows
    ]
    checked = check(read_event(event_path, round=1), event_path, solve=False)
    paired_rows = [row for row in rows if row.status not in {"requested", "absent"}]
    assert len(checked.arcs) == len(paired_rows) > 1


def test_a_table_that_is_no_event_keeps_its_own_error(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("round,first,second\n1,A,B\n")
    with pytest.raises(InputError, match="column player1: This column is missing"):
        read_round(tmp_path / "pairs.csv", 1)


def test_a_round_robin_is_compared_with_the_berger_table(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("player\nA\nB\nC\nD\n")
    new(tmp_path / "rr", tmp_path / "list.csv", format="round-robin")
    pair(tmp_path / "rr")
    assert "Berger" in run(tmp_path / "rr").stdout


def test_nothing_is_paired_yet(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("player\nA\nB\nC\nD\n")
    new(tmp_path / "event", tmp_path / "list.csv")
    done = run(tmp_path / "event")
    assert (done.exit_code, "nothing to check" in done.stderr) == (2, True)
