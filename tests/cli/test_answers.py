"""Every command that answers, in every form that it offers, on the screen and in a file."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from places import SAMPLE

from pairopt.cli import COMMANDS, main
from pairopt.cli.options import OutputFilePath

PLAYED = (
    "round,table,player1,player2,side1,score1,score2,status\n"
    "1,1,Ann,Bob,corp,3,0,\n1,2,Cid,Dee,corp,1,1,\n1,3,Eve,Fay,corp,0,3,\n"
    "2,1,Fay,Ann,corp,3,0,\n2,2,Dee,Bob,corp,0,3,\n2,3,Cid,Eve,runner,3,0,\n"
)
ARGUMENTS = {
    "solve": (),
    "check": ("--all",),
    "explain": (),
    "compare": ("--models", "standard,excalibur"),
    "frontier": ("--over", "score_groups,side_difference"),
    "incentive": ("--by", "score"),
    "odds": (),
    "draw": ("--players", str(Path(__file__).with_name("pots.csv"))),
    "standings": (),
}
"""What each command needs besides an event."""
EXITS = {"check": 1}
"""Where that is not 0: its second round is not the one of the model."""


def option(name: str, which: str) -> click.Option | None:
    """An option of a command, by the name of its parameter."""
    command = main.get_command(click.Context(main), name)
    assert command is not None
    found = [each for each in command.params if each.name == which]
    return found[0] if found and isinstance(found[0], click.Option) else None


def forms() -> Iterator[tuple[str, str]]:
    """Every command that offers forms, with each of them."""
    for name in COMMANDS:
        if (offered := option(name, "form")) is not None and name in ARGUMENTS:
            assert isinstance(offered.type, click.Choice)
            yield from ((name, form) for form in offered.type.choices)


def outputs() -> Iterator[tuple[str, str, str]]:
    """Every command, each option that names a file to write, and what is added to the name."""
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        for each in command.params:
            if isinstance(each.type, OutputFilePath) and name in ARGUMENTS:
                yield from (
                    (name, each.opts[-1], suffix) for suffix in each.type.suffixes
                )


@pytest.fixture
def event(tmp_path: Path) -> Path:
    path = tmp_path / "matches.csv"
    path.write_text(PLAYED, encoding="utf-8")
    return path


def run(name: str, event: Path, *more: object) -> Result:
    return CliRunner().invoke(
        main, [name, str(event), *ARGUMENTS[name], *map(str, more)]
    )


def rows(text: str) -> Sequence[Sequence[str]]:
    return list(csv.reader(text.splitlines()))


def test_every_command_with_forms_is_here() -> None:
    """But for those that write a file of another form, or take no event."""
    formed = {name for name in COMMANDS if option(name, "form")}
    assert formed - {"convert", "pair", "print", "lists", "lists find"} == {*ARGUMENTS}


@pytest.mark.parametrize(("name", "form"), [*forms()])
def test_a_form(name: str, form: str, event: Path) -> None:
    done = run(name, event, "--format", form)
    assert done.exit_code == EXITS.get(name, 0), done.stderr
    if form == "json":
        content = json.loads(done.stdout)
        assert content
        assert json.dumps(content, ensure_ascii=False, indent=1) + "\n" == done.stdout
    elif form == "csv":
        head, *found = rows(done.stdout)
        assert found
        assert {len(row) for row in found} == {len(head)}
    elif form == "table":
        assert (
            "Ann" in done.stdout
            or "score_groups" in done.stdout
            or "Round" in done.stdout
        )
    else:
        assert done.stdout.splitlines()[0] == "3"
    if option(name, "output") is None:
        return
    path = event.with_name("answer.txt")
    filed = run(name, event, "--format", form, "-o", path)
    assert filed.exit_code == 0, filed.stderr
    assert filed.stdout == ""
    assert path.read_text(encoding="utf-8") == done.stdout


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in ARGUMENTS if option(name, "output")])
def test_the_name_of_a_file_says_its_form(name: str, event: Path) -> None:
    for suffix in ("json", "csv"):
        path = event.with_name(f"answer.{suffix}")
        assert run(name, event, "-o", path).exit_code == 0
        form = suffix if name != "standings" else "table"
        assert (
            path.read_text(encoding="utf-8")
            == run(name, event, "--format", form).stdout
        )


@pytest.mark.parametrize(("name", "written", "suffix"), [*outputs()])
def test_no_output_replaces_an_input(
    name: str, written: str, suffix: str, event: Path
) -> None:
    read = event.with_name(f"event{suffix}")
    event.rename(read)
    before = read.read_bytes()
    done = run(name, read, written, str(read).removesuffix(suffix))
    assert done.exit_code == 2
    assert f"{read} is also the input file" in done.stderr
    assert read.read_bytes() == before


def test_one_output_is_not_two(event: Path) -> None:
    path = event.with_name("out.html")
    done = run("solve", event, "-o", path, "--report", path)
    assert done.exit_code == 2
    assert "is named for two outputs" in done.stderr
    assert not path.exists()


@pytest.mark.long
def test_files_that_belong_together_are_written_all_or_none(tmp_path: Path) -> None:
    paths = [
        tmp_path / "pairs.csv",
        tmp_path / "proof.json",
        tmp_path / "nowhere" / "report.html",
    ]
    options = zip(("-o", "--proof", "--report"), paths, strict=True)
    done = run("solve", SAMPLE, *(each for pair in options for each in pair))
    assert done.exit_code == 2
    assert [path.exists() for path in paths] == [False] * 3
