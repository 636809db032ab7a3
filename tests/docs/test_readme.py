"""The README is one page, its picture is current, and what it names is there."""

from __future__ import annotations

import re

import make_picture
import pages
import pandas as pd
import pytest
from places import ROOT

from pairopt.problem.model import model_names
from pairopt.show.cli import COMMANDS

README = pages.text(pages.README)


def setup_blocks() -> list[str]:
    return [block for block in pages.blocks(README, "sh") if pages.SETUP in block]


def test_it_is_one_page() -> None:
    assert len(README.splitlines()) <= 140


def test_the_main_job_of_the_setup_command(weekly: pages.Folder) -> None:
    setup = next(block for block in setup_blocks() if "solve" in block)
    done = pages.run(setup.split("&&\n")[1], weekly)
    assert done.returncode == 0, done.stderr
    assert "no pairing is better" in done.stdout


@pytest.mark.long
def test_what_is_added_to_the_program(weekly: pages.Folder) -> None:
    (code,) = pages.blocks(README, "python")
    done = pages.run_python(code, weekly)
    assert done.returncode == 0, done.stderr
    assert "same_initial" in done.stdout
    assert len([line for line in code.splitlines() if line]) <= 11


def test_ci_runs_both_setup_commands() -> None:
    assert len(setup_blocks()) == 2
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "command_of 1" in script
    assert "command_of 2" in script


@pytest.mark.parametrize("name", make_picture.COMMANDS)
def test_pictures_are_current(name: str) -> None:
    stored = make_picture.stored(name).read_text(encoding="utf-8")
    assert make_picture.words(stored) == make_picture.words(make_picture.drawn(name))
    assert len(make_picture.words(stored)) > 5


def test_every_model_and_command_is_described() -> None:
    for name in model_names():
        assert f"| `{name}` |" in README
    for name in COMMANDS:
        assert f"`pairopt {name}`" in README


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#]+)", README))
def test_its_links_lead_somewhere(target: str) -> None:
    assert (ROOT / target).is_file()


def test_its_times_are_the_committed_results() -> None:
    frame = pd.read_csv(pages.RESULTS / "rounds.csv")
    medians = frame.groupby("players")["seconds"].median()
    text = " ".join(README.split())
    assert f"a round of 300 players takes {medians[300]:.2f} s (median)" in text
    assert f"one of 1,000 takes {medians[1000]:.2f} s" in text
    foreign = pd.read_csv(pages.RESULTS / "foreign.csv")
    assert len(foreign) == 500
    foreign = foreign[~foreign["status"].str.endswith("Error")]
    assert f"of {len(foreign)} rounds of 40 to 400 players" in text
    half, most, worst = (foreign["seconds"].quantile(share) for share in (0.5, 0.99, 1))
    assert f"half take {half:.2f} s, 99% {most:.2f} s, the worst {worst:.2f} s" in text
    larger = pd.read_csv(pages.RESULTS / "foreign-1500.csv")
    larger = larger[~larger["status"].str.endswith("Error")]["seconds"]
    said = f"of {len(larger)} of 400 to 1,500 players 99% take {larger.quantile(0.99):.1f} s"
    assert f"{said}, the worst {larger.max():.1f} s" in text
