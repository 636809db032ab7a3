"""Who the shipped models are for: each model once, and the numbers of the data."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import mcmahon_data
import pytest
from click.testing import CliRunner
from places import REAL

from pairopt.cli import main
from pairopt.problem.model import model_names
from pairopt.problem.model_uses import GROUPS, OTHER_GROUP, USES, group_models

STAGES = REAL / "majors" / "stages.json"


def test_every_shipped_model_is_in_one_group() -> None:
    groups = group_models(model_names())
    assert [*groups] == [*GROUPS]
    members = [name for names in groups.values() for name in names]
    assert sorted(members) == model_names()
    assert {*USES} == {*model_names()}


def test_a_model_without_a_group_is_listed_last() -> None:
    groups = group_models(["club-night", "standard"])
    assert groups == {GROUPS[0]: ["standard"], OTHER_GROUP: ["club-night"]}


def test_the_command_lists_models_by_group() -> None:
    lines = CliRunner().invoke(main, ["models"]).stdout.splitlines()
    headings = [line for line in lines if not line.startswith("  ")]
    assert headings == [f"{group}:" for group in GROUPS]
    assert sorted(line.split()[0] for line in lines if line.startswith("  ")) == (
        model_names()
    )


def test_the_command_says_what_a_model_was_checked_with(tmp_path: Path) -> None:
    said = CliRunner().invoke(main, ["models", "major"]).stdout
    assert 'The model belongs to the group "E-sports".' in said
    assert "The model reproduces 40 of 40 published rounds." in said
    own = tmp_path / "own.toml"
    own.write_text('name = "major"\n[constraints]\nno_rematch = true\n')
    said = CliRunner().invoke(main, ["models", str(own)]).stdout
    assert "belongs to the group" not in said


@pytest.mark.skipif(not STAGES.exists(), reason="the shared data is not here")
def test_the_numbers_are_those_of_the_data() -> None:
    """The tests of both criteria compare every one of these rounds."""
    rounds: Counter[str] = Counter()
    for stage in json.loads(STAGES.read_text("utf-8"))["stages"]:
        if stage["losses"] == 3:
            name = "major" if stage["first_round"] == "1v9" else "major-fold"
            rounds[name] += len(stage["rounds"])
    for name, _ in mcmahon_data.all_rounds():
        system = mcmahon_data.tournament(name)["parameters"]["system"]
        rounds["mcmahon" if system == "mcmahon" else "swiss-go"] += 1
    assert rounds == {name: USES[name].published for name in rounds}
    assert len(rounds) == 4
