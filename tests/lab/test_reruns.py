"""A repeated study has a new seed, names the earlier run, and its page says what changed."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pages
import pytest
from click.testing import CliRunner, Result
from places import ROOT

from pairopt.cli import main
from pairopt.lab.studies.study_file import read_study

STUDY = """
models = ["excalibur", "random"]
replicates = 2
seed = {seed}
[world]
players = 6
rounds = 2
[registration]
date = 2026-11-29
timestamp = "https://example.org/stamp"
[registration.previous]
name = "floats"
date = 2026-11-28
seed = 6
changed = "more players"
"""
STUDIES = sorted(path.parent for path in ROOT.glob("studies/*/results.json"))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["study", *map(str, arguments)])


def study(folder: Path, text: str) -> Path:
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return folder / "study.toml"


def test_the_seed_of_the_earlier_run_is_refused(tmp_path: Path) -> None:
    done = run("run", study(tmp_path, STUDY.format(seed=6)))
    assert done.exit_code == 3
    assert "seed: The run of 2026-11-28" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["study.toml"]


def test_a_new_seed_is_played_and_the_results_name_the_earlier_run(
    tmp_path: Path,
) -> None:
    path = study(tmp_path, STUDY.format(seed=7))
    assert run("run", path, "-o", tmp_path / "out").exit_code == 0
    registration = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))[
        "registration"
    ]
    assert registration["timestamp"] == "https://example.org/stamp"
    assert registration["previous"]["seed"] == 6
    assert registration["previous"]["changed"] == "more players"
    assert run("check", tmp_path / "out").exit_code == 0


def test_what_is_added_afterwards_changes_no_registration(tmp_path: Path) -> None:
    with_registration = read_study(study(tmp_path, STUDY.format(seed=7))).registered
    without = STUDY.format(seed=7).partition("[registration]")[0]
    assert read_study(study(tmp_path, without)).registered == with_registration


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('"https://example.org/stamp"', '"yesterday"', "registration.timestamp"),
        ('name = "floats"\n', "", "registration.previous.name"),
        ('changed = "more players"\n', "", "registration.previous.changed"),
        ("seed = 6", "seed = -6", "registration.previous.seed"),
        ("seed = 6", "sed = 6", "registration.previous"),
    ],
)
def test_what_is_no_registration(tmp_path: Path, old: str, new: str, key: str) -> None:
    text = STUDY.format(seed=7)
    assert old in text
    done = run("plan", study(tmp_path, text.replace(old, new)))
    assert done.exit_code == 3
    assert f"{key}" in done.stderr


def test_reruns_in_the_repository_name_the_run_that_they_repeat() -> None:
    repeated = 0
    for path in sorted(ROOT.glob("studies/*/study.toml")):
        previous = read_study(path).file.registration.previous
        if previous is None:
            continue
        repeated += 1
        earlier = read_study(ROOT / "studies" / previous.name / "study.toml")
        assert previous.date == earlier.file.registration.date
        assert previous.seed == earlier.file.seed
        assert previous.sha256 == earlier.registered
    assert repeated


def test_every_page_says_what_changed_when_a_study_was_played_again() -> None:
    """The line is in the section of the study, with the date and the seed."""
    reruns = tomllib.loads((ROOT / "tests/make/reruns.toml").read_text("utf-8"))
    twice = {
        name: (str(rerun["again"]), rerun["changed"])
        for rerun in reruns["rerun"]
        for name in rerun["studies"]
    }
    older = {
        folder.name
        for folder in STUDIES
        if read_study(folder / "study.toml").file.registration.date == "2026-11-28"
    }
    assert {*twice} == older
    for folder in STUDIES:
        file = read_study(folder / "study.toml").file
        previous = file.registration.previous
        if folder.name in twice:
            day, changed = twice[folder.name]
            line = f"**We ran the study *{folder.name}* again on {day}.**"
            seed = f"both runs have the seed {file.seed}"
        elif previous is not None:
            day, changed = str(file.registration.date), previous.changed
            line = f"**The study *{folder.name}* of {day} repeats an earlier study.**"
            seed = f"The new seed is {file.seed}, and the old seed was {previous.seed}"
        else:
            continue
        sections = [
            section.split("<!-- end -->")[0]
            for path in pages.PAGES
            for section in pages.text(path).split(f"<!-- study {folder.name}: ")[1:]
        ]
        assert sections, folder.name
        assert all(line in each for each in sections), folder.name
        assert all(seed in each and changed in each for each in sections), folder.name
