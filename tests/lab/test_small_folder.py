"""`[folder]` makes a study's folder smaller, and its check still replays what is not stored."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from pairopt.cli import main
from pairopt.lab import figures
from pairopt.lab.studies.check import check_study
from pairopt.lab.studies.schema import Drawn
from pairopt.lab.studies.study_file import read_study

STUDY = """
models = ["excalibur", "random"]
replicates = 5
seed = 4
[world]
players = 6
rounds = 2
[[hypotheses]]
model = "random"
metric = "floats"
claim = "more"
"""
FOLDER = '[folder]\ngames = 2\nfigures = ["claims", "heat_map"]\n'


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["study", *map(str, arguments)])


def study(folder: Path, text: str) -> Path:
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return folder / "study.toml"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    done = run("run", study(folder, STUDY + FOLDER), "-o", folder / "out")
    assert done.exit_code == 0, done.output
    return folder / "out"


def test_as_many_games_are_stored_as_it_says(small: Path) -> None:
    games = pd.read_parquet(small / "games.parquet")
    assert {*games["replicate"]} == {0, 1}
    assert {*pd.read_parquet(small / "players.parquet")["replicate"]} == {0, 1}
    assert len(pd.read_csv(small / "tournaments.csv")) == 10


def test_only_these_figures_are_drawn(small: Path) -> None:
    drawn = {path.name for path in (small / "figures").iterdir()}
    assert drawn == {"claims-1.svg", "claims-1.pdf", "heat_map.svg", "heat_map.pdf"}


def test_the_check_replays_what_is_not_stored(small: Path, tmp_path: Path) -> None:
    found = check_study(small, "all")
    assert not found.faults
    assert (found.tournaments, found.by_seed, found.replayed) == (4, 6, 10)


def test_a_changed_number_without_stored_games_is_found(
    small: Path, tmp_path: Path
) -> None:
    path = small / "tournaments.csv"
    raw = path.read_bytes()
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table.loc[table["replicate"] == "4", "floats"] = "99"
    table.to_csv(path, index=False, lineterminator="\n")
    try:
        faults = [str(fault) for fault in check_study(small, "all").faults]
    finally:
        path.write_bytes(raw)
    assert any("replicate 4" in fault and "99" in fault for fault in faults)


def test_it_changes_no_registration(tmp_path: Path) -> None:
    plain = read_study(study(tmp_path, STUDY)).registered
    assert read_study(study(tmp_path, STUDY + FOLDER)).registered == plain


def test_every_kind_of_figure_has_a_name() -> None:
    assert {*get_args(Drawn)} == {"claims", "sweep", *figures.FIGURES}


def test_another_kind_is_refused(tmp_path: Path) -> None:
    text = STUDY + FOLDER.replace("heat_map", "pie")
    done = run("plan", study(tmp_path, text))
    assert done.exit_code == 3
    assert "folder.figures" in done.stderr
