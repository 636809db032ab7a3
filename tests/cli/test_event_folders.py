"""Every output of every command that takes EVENT, with an event folder as EVENT."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from places import SAMPLE
from sampled import one_in

from pairopt.cli import COMMANDS, main
from pairopt.files.formats import list_writers
from pairopt.folder.journal import FILES

EVENT = {"event", "events", "given"}
"""What the argument is called."""
NEEDED = {
    "check": ["--all", "--no-solve"],
    "compare": ["--models", "standard,top-first"],
    "frontier": ["--over", "side_difference,score_groups"],
    "incentive": ["--seed", "0"],
    "odds": ["--draws", "50"],
    "print": ["pairings"],
}
"""What a command does not do without, or would take long without."""
OUTPUTS = {"--report": ".html", "--proof": ".json", "--summary": ".csv", "--figure": ""}


def taking() -> Iterator[tuple[str, click.Command]]:
    """The commands that take EVENT."""
    with click.Context(main) as context:
        for name in COMMANDS:
            command = main.get_command(context, name)
            assert command is not None
            if any(
                isinstance(each, click.Argument) and each.name in EVENT
                for each in command.params
            ):
                yield name, command


def calls() -> Iterator[tuple[str, ...]]:
    """A command and its options; FILE with a suffix stands for a file to be written."""
    for name, command in taking():
        if name == "draw":  # draws cups, and needs a column that the event lacks
            continue
        if (
            name == "export"
        ):  # its output is an argument, and a proof goes with a program
            yield from ((name, f"FILE.{form}") for form in ("opb", "lp", "mps"))
            yield (name, "FILE.opb", "--proof", "FILE.pbp")
            continue
        if name == "convert":
            suffixes = {"matches": ".csv", "csv": ".csv"}
            yield (name, "FILE.csv", "--players-out", "FILE-2.csv")
            for each in list_writers():
                yield (name, f"FILE{suffixes.get(each, '.x')}", "--format", each)
            continue
        yield (name,)
        for option in command.params:
            if option.name == "form" and isinstance(option.type, click.Choice):
                yield from (
                    (name, "--format", str(each)) for each in option.type.choices
                )
            elif option.name == "output":
                yield from (
                    (name, "-o", f"FILE{suffix}")
                    for suffix in (".txt", ".csv", ".json")
                )
            elif (flag := option.opts[0]) in OUTPUTS and (name, flag) != (
                "check",
                "--proof",
            ):
                yield (name, flag, f"FILE{OUTPUTS[flag]}")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(
        main, [str(each) for each in arguments], catch_exceptions=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLE, tmp_path / "weekly"))


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.sweep
@pytest.mark.parametrize("call", one_in(3, calls(), " ".join))
def test_every_output_of_an_event_folder(call: tuple[str, ...], folder: Path) -> None:
    name, *options = call
    before = content(folder)
    given = [each.replace("FILE", str(folder.parent / "made")) for each in options]
    done = run(name, folder, *NEEDED.get(name, []), *given)
    assert done.exit_code == 0, done.output
    assert content(folder) == before
    made = [path.name for path in folder.parent.glob("made*")]
    assert bool(made) == any(each.startswith("FILE") for each in options)
    assert all((folder.parent / each).stat().st_size for each in made)
    assert made or done.stdout


def test_there_are_many() -> None:
    assert {
        "solve",
        "check",
        "explain",
        "standings",
        "convert",
        "compare",
        "odds",
        "frontier",
        "incentive",
    } <= {name for name, _ in taking()}
    assert ("solve", "--report", "FILE.html") in calls()


@pytest.mark.long
def test_the_report_names_the_files_of_the_folder(folder: Path) -> None:
    run("solve", folder, "--report", folder.parent / "page.html")
    text = (folder.parent / "page.html").read_text("utf-8")
    for name, raw in content(folder).items():
        said = (
            f"{folder / name}: SHA-256 <code>{hashlib.sha256(raw).hexdigest()}</code>"
        )
        assert said in text


@pytest.mark.long
@pytest.mark.parametrize(
    "call",
    [
        ("solve", "-o"),
        ("solve", "--proof"),
        ("solve", "--report"),
        ("standings", "-o"),
        ("convert",),
    ],
    ids=" ".join,
)
def test_no_output_replaces_a_file_of_the_folder(
    call: tuple[str, ...], folder: Path
) -> None:
    assert run("drop", folder, "Aiko Tanaka").exit_code == 0
    run("bracket", folder, "--cut", 4, "--by-lot")
    before = content(folder)
    for name in (*FILES, "log.csv"):
        assert name in before
        command, *option = call
        done = run(command, folder, *option, folder / name)
        assert done.exit_code == 2, name
        advice = "Type --report" if "--report" in option else "Choose another file name"
        assert advice in done.output, name
        assert content(folder) == before, name


@pytest.mark.parametrize("name", ["event.toml", "log.csv"])
@pytest.mark.parametrize(
    "call",
    [("pair", "--proof"), ("bracket", "--cut", "4", "--by-lot", "-o")],
    ids=lambda call: call[0],
)
def test_no_verb_replaces_a_file_of_its_folder(
    call: tuple[str, ...], name: str, folder: Path
) -> None:
    assert run("drop", folder, "Aiko Tanaka").exit_code == 0
    before = content(folder)
    command, *options = call
    done = run(command, folder, *options, folder / name)
    assert done.exit_code == 2
    assert "Choose another file name" in done.output
    assert content(folder) == before
