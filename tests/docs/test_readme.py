"""The README is one page, and the pages behind it have what it no longer lists."""

from __future__ import annotations

import re
from pathlib import Path

import make_picture
import pages
import pandas as pd
import pytest
from places import ROOT

from pairopt.problem.model import model_names

README = pages.text(pages.README)


def setup_blocks() -> list[str]:
    return [block for block in pages.blocks(README, "sh") if pages.SETUP in block]


def test_it_is_one_page() -> None:
    assert len(README.split()) <= 450


@pytest.mark.long
def test_the_main_job_of_the_setup_command(weekly: pages.Folder) -> None:
    setup = next(block for block in setup_blocks() if "solve" in block)
    done = pages.run(setup.split("&&\n")[1], weekly)
    assert done.returncode == 0, done.stderr
    assert "no pairing is better" in done.stdout


@pytest.mark.long
def test_what_is_added_to_the_program(weekly: pages.Folder) -> None:
    _, changed = pages.blocks(README, "python")
    done = pages.run_python(changed, weekly)
    assert done.returncode == 0, done.stderr
    assert "same_initial" in done.stdout
    assert len([line for line in changed.splitlines() if line]) <= 11


@pytest.mark.long
def test_the_first_example_is_proven_in_every_level(weekly: pages.Folder) -> None:
    solved, _ = pages.blocks(README, "python")
    assert "pairopt.solve(" in solved
    done = pages.run_python(solved, weekly)
    assert done.returncode == 0, done.stderr
    assert "True" in done.stdout
    assert "False" not in done.stdout


def test_ci_runs_both_setup_commands() -> None:
    assert len(setup_blocks()) == 2
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "command_of 1" in script
    assert "command_of 2" in script


def test_ci_runs_the_long_tests_too() -> None:
    """The README's command runs the fast tests, `.ci/run` the long and `.ci/all` the others."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert '-m "long and not slow and not sweep"' in script
    everything = (ROOT / ".ci" / "all").read_text(encoding="utf-8")
    assert "bash .ci/run" in everything
    assert '-m "sweep or slow"' in everything
    assert setup_blocks()[1].endswith(" -m fast\n")


@pytest.mark.parametrize("name", make_picture.COMMANDS)
def test_pictures_are_current(name: str) -> None:
    stored = make_picture.stored(name).read_text(encoding="utf-8")
    assert make_picture.words(stored) == make_picture.words(make_picture.drawn(name))
    assert len(make_picture.words(stored)) > 5


@pytest.mark.parametrize("name", model_names())
def test_every_model_is_in_the_table_of_models(name: str) -> None:
    assert f"| `{name}` |" in pages.page("models")


def test_it_leads_to_every_reader_first() -> None:
    doors = re.findall(r"^- \[(\w+)\]\((docs/.*?)\)", README, flags=re.MULTILINE)[:3]
    assert [who for who, _ in doors] == ["Organisers", "Arbiters", "Researchers"]
    for _, door in doors:  # one screen, and the ten minutes behind it
        text = pages.text(ROOT / door)
        assert len(text.split()) < 400
        assert f"({Path(door).stem}-ten.md)" in text


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#]+)", README))
def test_its_links_lead_somewhere(target: str) -> None:
    assert (ROOT / target).is_file()


def test_its_times_are_the_committed_results() -> None:
    frame = pd.read_csv(pages.RESULTS / "rounds.csv")
    medians = frame.groupby("players")["seconds"].median()
    text = " ".join(README.split())
    assert f"A round of 300 players takes {medians[300]:.2f} s (median)" in text
