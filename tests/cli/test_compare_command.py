"""`pairopt compare` as its users see it: one round, what it writes, and where old calls went."""

from __future__ import annotations

import json
from dataclasses import fields
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result
from places import SAMPLE

from pairopt import compare, read_event
from pairopt.cli import main
from pairopt.cli.asking import compare as command
from pairopt.problem.options import RoundOptions

EVENT = (str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv"))
MODELS = ("--models", "standard,monrad")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def levels() -> pd.DataFrame:
    event = read_event(EVENT[0], EVENT[2], round=4)
    return compare(event, ["standard", "monrad"], seed=3).levels


ROUND = ("--round", 4, "--seed", 3)


def test_csv_is_the_table_of_levels(levels: pd.DataFrame) -> None:
    done = run("compare", *EVENT, *MODELS, *ROUND, "--format", "csv")
    assert done.exit_code == 0, done.stderr
    pd.testing.assert_frame_equal(
        pd.read_csv(StringIO(done.stdout)), levels, check_dtype=False
    )


@pytest.mark.long
def test_json_has_levels_results_and_changes(levels: pd.DataFrame) -> None:
    found = json.loads(
        run("compare", *EVENT, *MODELS, *ROUND, "--format", "json").stdout
    )
    assert list(found) == ["round", "levels", "results", "changed"]
    values = [
        [value / level["scale"] for value in level["values"]]
        for level in found["levels"]
    ]
    assert values == levels[["standard", "monrad"]].to_numpy().tolist()
    for result in found["results"]:
        alone = run(
            "solve",
            *EVENT,
            *ROUND,
            "--model",
            result["model"],
            "--no-verify",
            "--format",
            "json",
        )
        assert result == json.loads(alone.stdout)
    assert found["changed"][0] == []


@pytest.mark.long
@pytest.mark.parametrize(("name", "form"), [("c.csv", "csv"), ("c.json", "json")])
def test_output_is_written(tmp_path: Path, name: str, form: str) -> None:
    done = run("compare", *EVENT, *MODELS, "-o", tmp_path / name)
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    shown = run("compare", *EVENT, *MODELS, "--format", form).stdout
    assert (tmp_path / name).read_text("utf-8") == shown
    table = tmp_path / "table.txt"
    run("compare", *EVENT, *MODELS, "--format", "table", "-o", table)
    assert "matches differ" in table.read_text("utf-8")


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    done = run("compare", *EVENT, *MODELS, "-o", tmp_path / "no" / "c.csv")
    assert done.exit_code == 2
    assert "can't be written" in done.stderr


def test_it_has_the_options_of_a_round() -> None:
    names = {parameter.name for parameter in command.params}
    assert {each.name for each in fields(RoundOptions)} <= names
    force = ("--force", "Jonas Weber:Lena Fischer", "--drop", "Uma Iyer")
    done = run("compare", *EVENT, *MODELS, *force, "--format", "json")
    assert done.exit_code == 0, done.stderr
    for result in json.loads(done.stdout)["results"]:
        pairs = [{row["player1"], row["player2"]} for row in result["pairings"]]
        assert {"Jonas Weber", "Lena Fischer"} in pairs
        assert not any("Uma Iyer" in pair for pair in pairs)


@pytest.mark.parametrize(
    "strange",
    [
        ["--replicates", "3"],
        ["--permute"],
        ["--jobs", "2"],
        ["--model", "random"],
        ["--timings"],
        ["--rounds", "5"],
        ["--baseline", "monrad"],
    ],
)
def test_options_that_it_does_not_use_are_refused(strange: list[str]) -> None:
    done = run("compare", *EVENT, *MODELS, *strange)
    assert done.exit_code == 2
    assert strange[0] in done.stderr
    assert done.stdout == ""


def test_a_model_without_a_pairing_is_exit_code_1(tmp_path: Path) -> None:
    path = tmp_path / "matches.csv"
    path.write_text(
        "round,player1,player2,score1,score2\n"
        "1,a,b,1,0\n1,c,d,1,0\n2,a,c,1,0\n2,b,d,1,0\n3,a,d,1,0\n3,b,c,0,1\n",
        encoding="utf-8",
    )
    done = run("compare", path, "--models", "excalibur,random")
    assert done.exit_code == 1
    assert "\nrandom:" in done.stdout
    assert "No pairing follows all rules." in done.stdout
    assert run("compare", path, "--models", "excalibur,double-sided").exit_code == 0


@pytest.mark.long
def test_a_folder_of_events_is_for_studies(tmp_path: Path) -> None:
    folder = tmp_path / "two events"
    run("simulate", "--players", 8, "--rounds", 2, "--replicates", 2, "-o", folder)
    done = run("compare", folder, "--models", "random")
    assert done.exit_code == 2
    assert "a folder of events is for `pairopt study FOLDER`" in done.stderr
