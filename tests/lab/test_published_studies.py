"""The studies in the repository: each is checked as it ships."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from places import ROOT

from pairopt.lab.studies.check import check_study

STUDIES = sorted(path.parent for path in ROOT.glob("studies/*/datapackage.json"))
FIRST = sorted(STUDIES, key=lambda folder: (folder / "games.parquet").stat().st_size)[
    :5
]
"""Those of the fewest games, which are counted again each time: all the others are slow."""
MOST = 1_200_000
"""Bytes of one study, which stores a sample of its games."""
MOST_TOGETHER = 12_500_000
"""Bytes of all studies, which every clone of the project has."""


@pytest.mark.sweep
@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(folder, marks=() if folder in FIRST else pytest.mark.slow)
        for folder in STUDIES
    ],
    ids=lambda path: path.name,
)
def test_tables_follow_from_the_games(folder: Path) -> None:
    found = check_study(folder, "tables")
    assert not found.faults
    assert found.tournaments > 0


@pytest.mark.slow
@pytest.mark.parametrize("folder", STUDIES, ids=lambda path: path.name)
def test_tournaments_follow_from_their_seeds(folder: Path) -> None:
    found = check_study(folder)
    assert not found.faults
    assert found.replayed == 20


@pytest.mark.parametrize("folder", STUDIES, ids=lambda path: path.name)
def test_every_column_is_told_of(folder: Path) -> None:
    """With type and meaning, and no value is outside the range that is said."""
    told = json.loads((folder / "datapackage.json").read_text("utf-8"))
    tables = {
        each["path"]: each["schema"]["fields"]
        for each in told["resources"]
        if "schema" in each
    }
    assert {"games.parquet", "players.parquet", "means.csv"} <= {*tables}
    assert {"tournaments.csv", "tournament-values.parquet"} & {*tables}
    for path, fields in tables.items():
        assert all(each["description"] and each["type"] for each in fields), path
        if path.endswith(".parquet"):
            columns = pq.read_table(folder / path)
            assert columns.column_names == [each["name"] for each in fields]
            for each in fields:
                values = [
                    x
                    for x in columns[each["name"]].unique().to_pylist()
                    if x is not None
                ]
                bounds = each.get("constraints", {})
                assert all(
                    bounds.get("minimum", x) <= x <= bounds.get("maximum", x)
                    for x in values
                ), each


@pytest.mark.parametrize("folder", STUDIES, ids=lambda path: path.name)
def test_it_is_small(folder: Path) -> None:
    sizes = [
        path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    assert sum(sizes) < MOST


def test_all_studies_together_are_small() -> None:
    files = [path for folder in STUDIES for path in folder.rglob("*")]
    assert sum(path.stat().st_size for path in files if path.is_file()) < MOST_TOGETHER
