"""Equal averages: rounding errors make no two tournaments different; levels stand at their rows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT

from pairopt.lab import World, compare_models, differences, means, per_tournament
from pairopt.lab.statistics.comparing import AS_WRITTEN, join_equal, mean_by_group
from pairopt.lab.studies.check import check_study
from pairopt.lab.studies.run import FORMAT, read_rounds, run_study
from pairopt.lab.studies.study_file import read_study

THIRDS = [0.333333, 0.333333, 0.333333]
WHOLE = [0.0, 0.0, 1.0]
"""The average of both is a third, if each round has 6 decimals as in a study's table."""

STUDY = """\
title = "Levels"
models = ["excalibur", "random"]
control = "random"
replicates = 4
seed = 3

[world]
players = 8
rounds = 3

[[hypotheses]]
model = "random"
metric = "floats"
claim = "more"

[[hypotheses]]
model = "random"
metric = "floats"
claim = "near"
margin = 2
"""


def table_of(*distances: list[float]) -> pd.DataFrame:
    """A study's table of two models, with these group distances of `monrad` by tournament."""
    frame = compare_models(
        ["excalibur", "monrad"], World(players=8, rounds=3), replicates=len(distances)
    )
    frame = frame.astype({"group_distance": "float64"})
    changed = frame["model"] == "monrad"
    frame.loc[changed, "group_distance"] = [each for row in distances for each in row]
    frame.loc[~changed, "group_distance"] = 0.0
    return frame


@pytest.mark.long
def test_equal_averages_do_not_vary() -> None:
    frame = table_of(THIRDS, WHOLE, THIRDS, WHOLE)

    mean = means(frame, ["group_distance"]).set_index("model").loc["monrad"]
    difference = differences(frame, metrics=["group_distance"]).iloc[0]

    assert mean["varied"] == 0
    assert difference["varied"] == 0
    assert mean["mean"] == pytest.approx(1 / 3, abs=1e-6)


HALF_WAY = [0.0, 0.666667, 0.666667, 0.666667, 0.333333, 0.333333]
"""Its average is half-way between two numbers of 6 digits: the last bit decides between them."""


@pytest.mark.long
def test_an_average_is_the_same_beside_other_tournaments() -> None:
    """A study writes all its tournaments at once; its check plays one of them again."""
    frame = compare_models(["monrad"], World(players=7, rounds=6), replicates=2)
    frame["group_distance"] = 2 * HALF_WAY
    alone = per_tournament(frame[frame["replicate"] == 0])["group_distance"].tolist()
    both = per_tournament(frame)["group_distance"].tolist()
    assert both == 2 * alone
    assert f"{alone[0]:.6g}" == "0.444444"


@pytest.mark.long
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3_000_000)), min_size=1))
def test_averages_by_group_are_those_of_each_group_alone(
    rows: list[tuple[int, int]],
) -> None:
    groups = np.array([group for group, _ in rows])
    values = np.array([number for _, number in rows]) / 1e6
    found = mean_by_group(values, groups, 6)
    for group in range(6):
        own = values[groups == group]
        alone = mean_by_group(own, np.zeros(len(own), np.int64), 1)
        np.testing.assert_array_equal(found[group : group + 1], alone)
        if len(own):
            assert found[group] == pytest.approx(own.mean(), rel=1e-12)
    assert np.isnan(found[5])


@pytest.mark.long
def test_a_study_of_version_1_is_compared_as_it_was_written() -> None:
    frame = table_of(THIRDS, WHOLE, THIRDS, WHOLE)
    frame.attrs[AS_WRITTEN] = True

    assert (
        means(frame, ["group_distance"]).set_index("model").loc["monrad"]["varied"] == 2
    )


@pytest.mark.long
@given(st.lists(st.integers(0, 50), min_size=1, max_size=30), st.integers(1, 60))
def test_fractions_stay_apart_and_errors_do_not(parts: list[int], whole: int) -> None:
    exact = np.array(parts) / whole
    errors = np.random.default_rng(whole).uniform(-1e-6, 1e-6, len(parts))

    found = join_equal(exact + errors)

    assert len({*found.tolist()}) == len({*exact.tolist()})
    assert found == pytest.approx(exact, abs=2e-6)


@pytest.mark.sweep
def test_a_new_folder_states_its_format_and_the_level_of_each_row(
    tmp_path: Path,
) -> None:
    asked, folder = tmp_path / "study.toml", tmp_path / "levels"
    asked.write_text(STUDY, encoding="utf-8")

    run_study(read_study(asked), folder)

    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert results["format"] == FORMAT
    assert not read_rounds(folder).attrs[AS_WRITTEN]
    assert not check_study(folder, "sample", 1).faults
    drawn = (folder / "figures" / "claims-1.svg").read_text(encoding="utf-8")
    assert "random against excalibur, 95 %" in drawn
    assert "random against excalibur, 90 %" in drawn


@pytest.mark.parametrize(
    "folder",
    sorted(path.parent for path in ROOT.glob("studies/*/results.json")),
    ids=lambda path: path.name,
)
def test_each_published_row_states_its_level(folder: Path) -> None:
    """The levels in a study's figures are those of its claims: 90 % where they say "near"."""
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    claims = {each["claim"] for each in results["claims"] if each["n"] > 1}
    if "figures = []" in (folder / "study.toml").read_text(encoding="utf-8"):
        return
    drawn = [path.read_text("utf-8") for path in folder.glob("figures/claims-*.svg")]

    is_first = results["registration"]["date"] == "2026-11-28"
    assert (results.get("format", 1) == 1) == is_first
    assert any(", 90 %" in text for text in drawn) == ("near" in claims)
    assert any(", 95 %" in text for text in drawn) == bool(claims - {"near"})
