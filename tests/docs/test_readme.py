"""The README's commands run, its picture is current, and its tables are complete."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import make_picture
import pandas as pd
import peers
import pytest
from places import ROOT

from pairopt.cli import COMMANDS
from pairopt.problem.model import model_names

README = (ROOT / "README.md").read_text(encoding="utf-8")
SETUP = "python3 -m venv"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.fixture
def weekly(tmp_path: Path) -> Path:
    """A folder as the README's reader has it: the sample event, and a model of one's own."""
    for name in ("matches.csv", "players.csv"):
        shutil.copy(ROOT / "examples" / "weekly" / name, tmp_path / name)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "mine.toml").write_text(blocks("toml")[0], encoding="utf-8")
    return tmp_path


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command line with this environment's pairopt for `pairopt`."""
    python = f'"{sys.executable}" -m pairopt'
    line = re.sub(r"(^|\n)(\.venv/bin/)?pairopt ", rf"\g<1>{python} ", command)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["bash", "-euc", line],  # noqa: S607
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_command_runs(weekly: Path) -> None:
    commands = [block for block in blocks("sh") if SETUP not in block]
    assert len(commands) >= 5
    for command in commands:
        if "tail -n" in command:  # checked on a copy: the round has no scores yet
            before = (weekly / "matches.csv").read_bytes()
            done = run(command, weekly)
            lines = (weekly / "matches.csv").read_text(encoding="utf-8").splitlines()
            assert lines[-1].startswith("6,")
            (weekly / "matches.csv").write_bytes(before)
        else:
            done = run(command, weekly)
        assert done.returncode == 0, (command, done.stderr)


def test_the_main_job_of_the_setup_command(weekly: Path) -> None:
    setup = next(block for block in blocks("sh") if SETUP in block and "solve" in block)
    done = run(setup.split("&&\n")[1], weekly)
    assert done.returncode == 0, done.stderr
    assert "no pairing is better" in done.stdout


@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples_run(weekly: Path, code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=weekly,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_ci_runs_both_setup_commands() -> None:
    assert len([block for block in blocks("sh") if SETUP in block]) == 2
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "command_of 1" in script
    assert "command_of 2" in script


def test_picture_is_current() -> None:
    stored = make_picture.PICTURE.read_text(encoding="utf-8")
    assert make_picture.words(stored) == make_picture.words(make_picture.drawn())
    assert len(make_picture.words(stored)) > 20


def test_every_model_and_command_is_described() -> None:
    for name in model_names():
        assert f"| `{name}` |" in README
    for name in COMMANDS:
        assert f"pairopt {name}" in README


def test_speed_figures_are_the_committed_results() -> None:
    frame = pd.read_csv(ROOT / "tests" / "benchmarks" / "results" / "rounds.csv")
    assert frame["proven"].all()
    for players, own in frame.groupby("players"):
        line = (
            f"| {players:,} | {len(own)} | {own['seconds'].median():.2f} s "
            f"| {own['seconds'].max():.2f} s | {own['peak_mb'].max()} MB |"
        )
        assert line in README
    real = pd.read_csv(ROOT / "tests" / "benchmarks" / "results" / "real-events.csv")
    assert real["proven"].all()
    assert real["seconds"].max() < 1.1


def test_peers_are_the_committed_results() -> None:
    table = pd.read_csv(ROOT / "tests" / "benchmarks" / "results" / "peers.csv")
    assert peers.summary(table) in README
    assert table["same_levels"].dropna().all()
    ours = table[table["contender"].str.startswith("pairopt")]
    assert (ours["status"] == "optimal").all()
    assert set(table["players"]) == set(peers.PLAN)


def test_a_small_run_beside_peers() -> None:
    table = peers.run([16], ["pairopt matching", "rustworkx"])
    assert list(table["contender"].unique()) == ["pairopt matching", "rustworkx"]
    assert table["same_levels"].all()
    assert table["status"].eq("optimal").all()
    assert "| 16 | 2 |" in peers.summary(table)


def test_what_the_studies_found() -> None:
    folder = ROOT / "tests" / "benchmarks" / "results"
    text = " ".join(README.split())
    for name in ("orders-7", "orders-8"):
        table = pd.read_csv(folder / f"{name}.csv").set_index(["metric", "model"])
        tau, floats = table.loc["kendall"], table.loc["floats"]["mean"]
        assert (table["n"] == 500).all()
        orders = [model for model in tau.index if model.startswith("excalibur")]
        assert (len(orders), len(tau)) == (24, 34)
        own = tau.loc[orders, "mean"]
        assert f"{own.min():.3f} to {own.max():.3f} in {name[-1]}" in text
        apart = tau[(tau["low_difference"] > 0) | (tau["high_difference"] < 0)]
        assert list(apart.index) == ["random"]
        reach = tau.loc[orders, ["low_difference", "high_difference"]].abs()
        assert not (reach > 0.01).any(axis=None)
        permuted = [model for model in orders if "/" in model]
        two_first = [m for m in permuted if m.index("6") < m.index("5")]
        assert len(two_first) == 12
        assert len(set(floats[two_first])) == 1
        assert f"{floats[two_first[0]]:.1f}" in text
        assert f"instead of {floats['excalibur']:.1f}" in text
    styles = pd.read_csv(folder / "styles.csv").set_index(["metric", "model"]).loc["kendall"]
    order = styles["mean"].sort_values(ascending=False)
    assert ", ".join(f"{style} {mean:.3f}" for style, mean in order.items()) in text


def test_choosing_figures_are_the_committed_results() -> None:
    frame = pd.read_csv(ROOT / "tests" / "benchmarks" / "results" / "choosing.csv")
    large = frame[frame["players"] == 301]
    counted = large["exact_count"].sum()
    line = (
        f"In {len(large)} rounds of up to 301 players there were 10^{int(large['log10'].min())} to "
        f"10^{int(large['log10'].max())} optimal pairings. All draws were exact and "
        f"took, with the solve, up to {large['uniform_seconds'].max():.1f} s (median "
        f"{large['uniform_seconds'].median():.2f} s); {counted} of the counts were exact, "
        "the others estimates with an interval."
    )
    assert large["exact_draw"].all()
    assert line in " ".join(README.split())
