"""Typical mistakes, fifty or more: each message names the cause, and what to type next."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from pairopt.cli import COMMANDS, main
from pairopt.folder import new, pair

PLAYERS = "player,rating\nAnn Lee,1700\nBertram,1600\nCid,1500\nDan,1400\n"
MATCHES = "round,player1,player2,score1,score2\n1,Ann Lee,Bertram,3,0\n1,Cid,Dan,1,1\n"
FILES = {
    "players.csv": PLAYERS,
    "matches.csv": MATCHES,
    "comma.csv": "player,club\nAnn Lee,Riga\nLund, Zoe,Oslo\n",
    "headings.csv": "colour,shoe\nred,41\nblue,43\n",
    "twice.csv": "player,rating\nBob,1500\nBob,1400\n",
    "list.xlsx": "PK\x03\x04 a workbook",
    "list.pdf": "%PDF-1.4\n",
}
NEW = "new fresh --players"
FIRST_MODELS = "standard,excalibur"
MISTAKES = [
    # commands
    ("pari friday", 2, "There is no command 'pari'", "Did you mean pair?"),
    ("add friday Zoe", 2, "There is no command 'add'", "pairopt enter FOLDER PLAYER"),
    ("tournament friday", 2, "no command 'tournament'", "type: pairopt --help"),
    ("models own.toml", 2, "There is no file 'own.toml'", "the right folder"),
    ("models excalibur.toml", 2, "no file 'excalibur.toml'", "you mean excalibur?"),
    # a new event
    (
        "new fresh players.csv",
        2,
        "--players is missing before players.csv",
        "Type: pairopt new fresh --players players.csv",
    ),
    (
        f"{NEW} nothere.csv",
        3,
        "nothere.csv: This file does not exist",
        "Check the name",
    ),
    (f"{NEW} player.csv", 3, "does not exist", "Did you mean players.csv?"),
    (f"{NEW} players.csv --points 3,1,0", 2, "points can't be 3,1,0", "3-1-0"),
    (f"{NEW} players.csv --points 3-1", 2, "points can't be 3-1", "example 3-1-0"),
    (f"{NEW} players.csv --rounds five", 2, "Found 'five'", "whole number from 1"),
    (
        f"{NEW} players.csv --rounds 0",
        2,
        "Found 0.",
        "--rounds: Write a number from 1 to 500",
    ),
    (f"{NEW} players.csv --model excaliber", 2, "no model 'excaliber'", "excalibur?"),
    (
        f"{NEW} players.csv --tie-breaks buchholtz",
        2,
        "no tie-break 'buchholtz'",
        "Did you mean buchholz?",
    ),
    (
        f"{NEW} players.csv --first-round swiss",
        2,
        "--first-round can't be 'swiss'",
        "Choose one of: random, slide, fold",
    ),
    ("new friday --players players.csv", 2, "friday already exists", "another name"),
    (f"{NEW} list.xlsx", 2, "openpyxl, which is not installed", "pip install"),
    (f"{NEW} list.pdf", 3, "can't read a PDF", "Save the table as CSV or .xlsx"),
    (f"{NEW} comma.csv", 3, "row 3: This row has 3 cells", "in quotes"),
    (
        f"{NEW} headings.csv",
        3,
        "columns of the file are colour, shoe",
        "headings Name and Rating",
    ),
    (f"{NEW} twice.csv", 3, "'Bob' is already in row 2", "Remove or rename"),
    # rounds and results
    ("pair", 2, "FOLDER is missing", "pairopt pair friday"),
    ("pair fridy", 2, "fridy is not an event folder", "Did you mean friday?"),
    ("pair nothere", 2, "nothere is not an event", "pairopt new nothere --players"),
    ("pair players.csv", 2, "players.csv is a file", "--players players.csv"),
    ("pair friday --agian", 2, "pair has no option --agian", "Did you mean --again?"),
    ("pair started", 3, "Round 1 is not finished", "pairopt result started TABLE"),
    ("result friday 1 3-0", 2, "No round has been paired", "Type: pairopt pair friday"),
    (
        "result started 99 3-0",
        2,
        "Round 1 has no table 99",
        "The tables of this round are 1, 2",
    ),
    ("result started 1 1-0", 2, "1-0 is not possible", "Type 3-0 or 1-1 or 0-3"),
    ("result started 1", 2, "The score is missing", "for example 3-0"),
    (
        "result started 1 3 0",
        2,
        "A score has no spaces",
        "pairopt result started 1 3-0",
    ),
    ("result started Cid 3-0", 2, "Cid is not a table", "Type the number of a table"),
    ("result 1 3-0", 2, "no event folder 1", "for example: pairopt result friday 1"),
    ("undo started --steps 99", 2, "has only 1 step to undo", "Undo fewer steps"),
    # players
    ("drop started Bertam", 2, "'Bertam' is not a player", "Did you mean Bertram?"),
    ("drop started Xaver", 2, "is not a player", "type: pairopt standings started"),
    ("drop started Ann Lee", 2, "needs quotes", "pairopt drop started 'Ann Lee'"),
    ("enter started Zoe Lund", 2, "needs quotes", "pairopt enter started 'Zoe Lund'"),
    (
        "enter started Cid",
        2,
        "already in this event",
        "pairopt drop started 'Cid' --off",
    ),
    (
        "forbid started Cid:Dan",
        2,
        "needs two players",
        "Type: pairopt forbid started Cid Dan",
    ),
    (
        "bye started Cid 0.5",
        2,
        "needs the option --points",
        "pairopt bye started Cid --points 0.5",
    ),
    (
        "enter started Zoe --set rating=high",
        2,
        "Error: --set rating=high: ",
        "Write a number, for example",
    ),
    (
        "edit started Cid --set rating=high",
        2,
        "Error: --set rating=high: ",
        "Write a number, for example",
    ),
    ("edit started Cid", 2, "There is nothing to change", "--set COLUMN=VALUE"),
    # settings
    ("set started round 5", 2, "no setting 'round'", "Did you mean rounds?"),
    ("set started rounds", 2, "Type the new VALUE", "--off to remove the setting"),
    # other commands
    ("serve players.csv", 2, "players.csv is a file", "--players players.csv"),
    ("solve matches.csv --force Cid", 2, "name two players", "--force Ann:Bob"),
    ("solve matches.csv --time-limit 10s", 2, "Found '10s'", "without a unit"),
    ("solve matches.csv -o players.csv", 2, "already contains players", "--overwrite"),
    (
        "check started --all --proofs",
        2,
        "one thing at a time",
        "pairopt check EVENT --all",
    ),
    ("convert started out.xyz", 2, "does not show its format", "ends in .csv, .json"),
    ("study --models standard", 2, "either --players N", f"--models {FIRST_MODELS}"),
]
"""Command line, exit code, a fragment of the cause, and a fragment of the remedy."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the files, an event that has not begun, and one in round 1."""
    folder = tmp_path_factory.mktemp("made")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("friday", "started"):
        new(folder / name, folder / "players.csv", points="3-1-0", seed=1)
    pair(folder / "started")
    return folder


def run(line: str) -> Result:
    """Run a command line of `pairopt`."""
    return CliRunner().invoke(main, shlex.split(line), prog_name="pairopt")


def contents(folder: Path) -> dict[Path, bytes]:
    """Return the content of every file in a folder by its path."""
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("line", "code", "cause", "remedy"), MISTAKES, ids=[each[0] for each in MISTAKES]
)
def test_a_mistake_gets_its_cause_and_a_remedy(
    made: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    code: int,
    cause: str,
    remedy: str,
) -> None:
    """Each fragment is in the message, and nothing was written."""
    here = tmp_path / "here"
    shutil.copytree(made, here)
    monkeypatch.chdir(here)
    # openpyxl is an extra: here it is not installed
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    done = run(line)
    assert done.exit_code == code, done.output
    assert cause in done.stderr
    assert remedy in done.stderr
    assert not done.stdout
    assert contents(here) == contents(made)


def test_there_are_fifty_different_mistakes_or_more() -> None:
    lines = [line for line, *_ in MISTAKES]
    assert len({*lines}) == len(lines) >= 50


def test_a_message_without_its_remedy_would_fail() -> None:
    """No fragment stands in the command line itself, where an echo would do."""
    for line, _, cause, remedy in MISTAKES:
        assert cause not in line
        assert remedy not in line


def command_of(name: str) -> click.Command:
    """Return the command of this name."""
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return command


def examples_of(name: str) -> list[str]:
    """Return the examples in the help of a command, without their comments."""
    text = command_of(name).help or ""
    assert "\n\n\b\nExamples:\n" in text, name
    paragraph = text.split("\n\n\b\nExamples:\n")[1].split("\n\n")[0]
    # click indents the help by two, and a terminal has 80 columns
    assert max(map(len, paragraph.splitlines())) <= 78
    return [line.strip().split("  ")[0] for line in paragraph.splitlines()]


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_in_help_are_commands_with_their_options(name: str) -> None:
    examples = examples_of(name)
    assert 2 <= len(examples) <= 6
    assert any(example.startswith(f"pairopt {name}") for example in examples)
    for example in examples:
        program, *words = shlex.split(example)
        assert program == "pairopt"
        two_words = " ".join(words[:2])
        used = two_words if two_words in COMMANDS else words[0]
        command = command_of(used)
        parser = command.make_parser(click.Context(command))
        parser.parse_args(words[len(used.split()) :])
        known = {option for each in command.params for option in each.opts}
        known |= {option for each in command.params for option in each.secondary_opts}
        assert {word for word in words if word.startswith("-")} <= known, example


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_no_mathematical_ranges_and_no_bare_options(name: str) -> None:
    """Each option has words that stand alone, and the first line is a sentence."""
    command = command_of(name)
    context = click.Context(command, info_name=name)
    assert "<=" not in command.get_help(context)
    assert (command.help or "").split("\n\n")[0].strip().endswith(".")
    for each in command.params:
        if isinstance(each, click.Option) and not each.hidden:
            words = str(each.help)
            assert not words.startswith(("Default:", "With it", "The same")), each.name
            assert len(words.split()) >= 3, each.name


@pytest.mark.parametrize("call", ["enter {} Zoe", "drop {} Cid"])
def test_commands_in_an_answer_have_the_folder_that_was_typed(
    made: Path, tmp_path: Path, call: str
) -> None:
    folder = tmp_path / "first evening"
    shutil.copytree(made / "started", folder)
    done = run(call.format(shlex.quote(str(folder))))
    assert done.exit_code == 0, done.output
    assert f"pairopt pair {shlex.quote(str(folder))} --again" in done.stderr
    assert "FOLDER" not in done.stderr
