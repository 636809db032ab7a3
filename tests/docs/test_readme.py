"""The README is one page, and the pages behind it have what it no longer lists."""

from __future__ import annotations

import re

import make_picture
import pages
import pandas as pd
import pytest
from places import ROOT

from pairopt.problem.model import model_names

README = pages.text(pages.README)


def setup_blocks() -> list[str]:
    return [block for block in pages.blocks(README, "sh") if pages.SETUP in block]


def test_it_is_one_and_a_half_screens() -> None:
    """Text, tables and code together: what does not fit goes to the pages behind it."""
    assert len(README.split()) <= 640


@pytest.mark.long
def test_the_main_job_of_the_setup_command(weekly: pages.Folder) -> None:
    setup = next(block for block in setup_blocks() if "solve" in block)
    done = pages.run(setup.split("&&\n")[1], weekly)
    assert done.returncode == 0, done.stderr
    assert "no pairing is better" in done.stdout
    (shown,) = pages.blocks(README, "text")
    printed = [line.rstrip() for line in done.stdout.splitlines()]
    lines = [line for line in shown.splitlines() if line != "…"]
    assert len(lines) <= 10
    assert {*lines} <= {*printed}


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


@pytest.mark.parametrize("door", ["organiser", "chess", "researcher", "developer"])
def test_it_leads_to_every_reader(door: str) -> None:
    """To a page of two screens for each reader, which leads to the ten minutes."""
    assert f"(docs/{door}.md)" in README
    text = pages.page(door)
    assert len(text.split()) < 600
    assert re.search(rf"\({door}-ten\.md\)", text)


def test_its_version_and_date_are_those_of_the_citation() -> None:
    citation = pages.text(ROOT / "CITATION.cff")
    for path in (pages.README, ROOT / "docs" / "faq.md"):
        (entry,) = pages.blocks(pages.text(path), "bibtex")
        for key in ("title", "version", "date-released"):
            (value,) = re.findall(rf'^{key}: "?(.*?)"?$', citation, flags=re.MULTILINE)
            assert f"{{{value}}}" in entry, (path.name, key)


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#]+)", README))
def test_its_links_lead_somewhere(target: str) -> None:
    assert (ROOT / target).is_file()


def test_its_times_are_the_committed_results() -> None:
    frame = pd.read_csv(pages.RESULTS / "rounds.csv")
    medians = frame.groupby("players")["seconds"].median()
    text = " ".join(README.split())
    assert f"A round of 300 players takes {medians[300]:.2f} s (median)" in text
