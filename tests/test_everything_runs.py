"""Every command runs once, and every module and part is loaded once.

Code is loaded by name in many places, which neither mypy nor ruff sees. After a move or a new name
this says what cannot be loaded any more, without asking what it does.
"""

from __future__ import annotations

import importlib
import pkgutil
import shutil
from collections.abc import Mapping
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from dutch_cases import SECOND
from engine_calls import Called
from frozen.today import REGISTRIES, registry
from organiser import event, scored
from places import ROOT, SAMPLE

import pairopt
from pairopt.cli import main

WEEKLY = f"{SAMPLE / 'matches.csv'} --players {SAMPLE / 'players.csv'}"
STUDY = "--players 8 --rounds 2 --replicates 2"
CALLS: Mapping[str, str] = {
    "new": "made --players list.csv",
    "enter": "event Zed",
    "drop": "event A",
    "remove": "event New",
    "bye": "event B",
    "edit": "event C --set rating=1500",
    "forbid": "event D E",
    "set": "event rounds 5",
    "pair": "event",
    "result": "event 1 3-0",
    "undo": "event",
    "mend": "event",
    "bracket": "event --cut 2 --by-lot",
    "standings": "event",
    "print": "event cross-table",
    "publish": "event pages",
    "solve": WEEKLY,
    "check": f"{WEEKLY} --all",
    "explain": WEEKLY,
    "compare": f"{WEEKLY} --models standard,monrad",
    "convert": "event out.json",
    "export": f"{SAMPLE / 'matches.csv'} round.opb --players {SAMPLE / 'players.csv'}",
    "models": "standard",
    "frontier": f"{WEEKLY} --over score_groups,side_difference",
    "odds": WEEKLY,
    "draw": str(ROOT / "examples" / "cup-draw" / "players.csv"),
    "incentive": "event --round 2",
    "simulate": "--players 8 --rounds 2 -o simulated",
    "study": f"--models standard,monrad {STUDY} -o results",
    "study run": "study.toml -o run",
    "study check": "run --replay 1",
    "study plan": "study.toml --pilot 5",
    "plot": "results",
    "lists": "--lists stored",
    "lists add": "club.csv --month 2026-11 --lists stored",
    "lists find": "Ann --lists stored",
    "lists remove": "club-2026-11 --lists stored",
    "ratings": "event --lists stored",
}
"""A call of each command, in a folder with an event of six players whose round 2 is open."""
BEFORE = {
    "plot": "study",
    "study check": "study run",
    "lists find": "lists add",
    "lists remove": "lists add",
    "ratings": "lists add",
}
"""What makes the folder that a command is given."""
SERVED = {"serve"}
"""What ends only when it is told to: `tests/web/test_serving.py` calls it."""
STUDY_FILE = """
title = "A study that runs"
models = ["standard", "monrad"]
replicates = 2
seed = 1

[world]
players = 8
rounds = 2

[[hypotheses]]
model = "monrad"
metric = "kendall"
claim = "more"
effect = 0.1
"""
COMMANDS = main.list_commands(click.Context(main))
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(pairopt.__path__, "pairopt.")
    if not module.name.endswith("__main__")
)


def test_each_command_has_a_call() -> None:
    assert {*COMMANDS} == {*CALLS} | SERVED


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the calls are given."""
    folder = tmp_path_factory.mktemp("prepared")
    event(folder / "event", rounds=2)
    (folder / "club.csv").write_text("Name,Rating\nAnn,1500\n", encoding="utf-8")
    (folder / "list.csv").write_text("player\nAnn\nBob\nCid\n", encoding="utf-8")
    (folder / "study.toml").write_text(STUDY_FILE, encoding="utf-8")
    return folder


@pytest.fixture
def here(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, in which a command is called."""
    folder = tmp_path / "here"
    shutil.copytree(prepared, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.long
@pytest.mark.parametrize("name", CALLS)
def test_each_command_runs(name: str, here: Path) -> None:
    if name in ("pair", "bracket"):
        scored(here / "event")
    if name == "remove":
        call("enter", "event New")
    if name in BEFORE:
        call(BEFORE[name], CALLS[BEFORE[name]])
    call(name, CALLS[name])


def call(name: str, words: str) -> None:
    done = CliRunner().invoke(main, [*name.split(), *words.split()])
    assert done.exit_code == 0, f"{name}: {done.output}"


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_tells_how_it_is_called(name: str) -> None:
    done = CliRunner().invoke(main, [*name.split(), "--help"])
    assert done.exit_code == 0
    assert done.output.startswith("Usage: ")


@pytest.mark.long
@pytest.mark.parametrize("words", ["-p", "-c", "-g 7 -o made.trf"])
def test_each_action_of_the_command_of_other_engines_runs(
    words: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = here / "report.trf"
    report.write_text("\n".join([*SECOND, "XXR 5", ""]), encoding="utf-8")
    given = [] if words.startswith("-g") else ["--dutch", report]
    assert Called(capsys)(*given, *words.split()).code == 0


@pytest.mark.parametrize("name", MODULES)
def test_each_module_is_loaded_with_the_names_it_exports(name: str) -> None:
    module = importlib.import_module(name)
    exported = getattr(module, "__all__", ())
    assert not [export for export in exported if not hasattr(module, export)]


@pytest.mark.parametrize("kind", REGISTRIES)
def test_each_part_is_loaded(kind: str) -> None:
    parts = registry(kind)
    assert parts.shipped
    for name in parts.shipped:
        assert parts[name] is not None, name


@pytest.mark.parametrize(
    "package", [pairopt, "pairopt.lab", "pairopt.folder", "pairopt.extend"]
)
def test_each_public_name_is_loaded(package: object) -> None:
    module = importlib.import_module(package) if isinstance(package, str) else package
    for name in module.__all__:  # type: ignore[attr-defined]
        assert getattr(module, name) is not None, name
