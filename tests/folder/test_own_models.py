"""Models of one's own: the labels of their sides, and columns as they call them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pairopt import InputError, read_event, solve
from pairopt.cli import main
from pairopt.folder import new, pair

MODEL = """
name = "debate"
title = "Debate"
source = "made up"
sides = ["aff", "neg"]

[constraints]
no_rematch = true

[[criteria]]
kind = "conflicts"
column = "country"

[[criteria]]
kind = "side_difference"
"""
MATCHES = (
    "round,table,player1,player2,side1,score1,score2,status\n"
    "1,1,Ann,Bob,aff,1,0,\n"
    "1,2,Cy,Dee,neg,1,0,\n"
)
PLAYERS = "name,country\nAnn,NOR\nBob,NOR\nCy,LAT\nDee,LAT\n"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {"model.toml": MODEL, "matches.csv": MATCHES, "players.csv": PLAYERS}
    found = {name: tmp_path / name for name in texts}
    for name, text in texts.items():
        found[name].write_text(text, encoding="utf-8")
    return found


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


@pytest.mark.long
def test_the_labels_of_a_model_are_known_where_it_pairs(files: dict[str, Path]) -> None:
    matches, players = files["matches.csv"], files["players.csv"]
    assert run("solve", matches, "--players", players).exit_code == 3
    done = run("solve", matches, "--players", players, "--model", files["model.toml"])
    assert done.exit_code == 0, done.stderr
    assert "Aff" in done.stdout
    assert "Neg" in done.stdout


def test_a_new_event_takes_the_labels_of_its_model(
    files: dict[str, Path], tmp_path: Path
) -> None:
    model = tmp_path / "plain.toml"
    model.write_text(
        MODEL.replace('kind = "conflicts"\ncolumn = "country"', 'kind = "rematches"')
    )
    made = new(tmp_path / "event", files["matches.csv"], model=str(model))
    assert made.event is not None
    assert made.event.sides == ("aff", "neg")
    assert read_event(tmp_path / "event").sides == ("aff", "neg")


def test_labels_that_the_model_does_not_have_are_faults(files: dict[str, Path]) -> None:
    with pytest.raises(InputError):
        read_event(files["matches.csv"], model_sides=("pro", "con"))
    event = read_event(files["matches.csv"], model_sides=("neg", "aff"))
    assert event.sides == ("neg", "aff")


def test_a_model_finds_a_column_by_the_name_in_the_list(files: dict[str, Path]) -> None:
    event = read_event(files["players.csv"])
    assert (
        event.cells("country")
        == event.cells("federation")
        == ("NOR", "NOR", "LAT", "LAT")
    )
    result = solve(event, files["model.toml"])
    countries = dict(zip(event.players, event.cells("country"), strict=True))
    pairs = [(match["player1"], match["player2"]) for match in result.matches]
    assert all(countries[one] != countries[two] for one, two in pairs)


@pytest.mark.long
@pytest.mark.parametrize("by", ["model", "conflicts"])
def test_a_column_that_a_model_names_keeps_its_name(
    files: dict[str, Path], tmp_path: Path, by: str
) -> None:
    folder = tmp_path / "event"
    asked = (
        {"model": str(files["model.toml"])}
        if by == "model"
        else {"conflicts": "country"}
    )
    new(folder, files["players.csv"], **asked)
    heading = (folder / "players.csv").read_text("utf-8").splitlines()[0]
    assert "country" in heading
    assert "federation" not in heading
    pair(folder)


def test_other_columns_are_called_as_usual(
    files: dict[str, Path], tmp_path: Path
) -> None:
    new(tmp_path / "event", files["players.csv"])
    heading = (tmp_path / "event" / "players.csv").read_text("utf-8").splitlines()[0]
    assert "federation" in heading
