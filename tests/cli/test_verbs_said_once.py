"""Verbs are said once: what each is given is what its function takes, and what went says so."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from organiser import event

from pairopt import folder
from pairopt.cli import COMMANDS, main
from pairopt.cli.commands import GONE, GROUPS
from pairopt.common.limits import IN_FORMS
from pairopt.errors import UsageError
from pairopt.event.settings import SETTINGS
from pairopt.folder.commands import CommandParameter, FolderCommand, load_commands
from pairopt.folder.create import new
from pairopt.folder.protected_facts import LAW

MOST = 14
WORDS: Mapping[str, tuple[Any, ...]] = {
    "text": (None, "x"),
    "flag": (False, True),
    "cells": ((), ("club=x",)),
    "file": ("x",),
}
VERBS = {name: verb for name, verb in load_commands().items() if verb.params}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


def values(each: CommandParameter) -> tuple[Any, ...]:
    """What it may be, nothing among it where it may be left out."""
    some = ((), (1,)) if each.many and each.allowed else WORDS[each.form]
    some = (
        (None, IN_FORMS[each.allowed][-1]) if each.allowed and not each.many else some
    )
    return some[1:] if each.required and len(some) > 1 else some


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_what_a_verb_is_given_is_what_its_function_takes(verb: FolderCommand) -> None:
    """Every way to say it is refused in a sentence, or fits a function; each word is of use."""
    names, used, taken = [each.name for each in verb.params], set[str](), 0
    for given in product(*map(values, verb.params)):
        asked = dict(zip(names, given, strict=True))
        try:
            function, arguments = verb.resolve(asked)
        except UsageError:
            continue
        inspect.signature(function).bind("folder", **arguments)
        taken += 1
        used |= {
            name for name, value in asked.items() if value not in (None, False, ())
        }
    assert taken
    assert used == {*names}


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_the_words_of_parameters_are_there(verb: FolderCommand) -> None:
    assert verb.line.endswith(".")
    assert verb.group in GROUPS
    for each in verb.params:
        assert (
            each.words or not each.called.startswith("--") or each.called == "--steps"
        )
        assert "Repeatable" in each.words or not each.many


def test_there_are_no_more_than_can_be_learnt() -> None:
    assert len(load_commands()) <= MOST
    assert {*load_commands()} <= {*COMMANDS}
    steps = {*LAW} - {"found", "edited by hand", "withdraw"}
    assert steps - {*load_commands()} <= {*GONE}, "a step that nobody can type"


def test_what_can_be_taken_back_is_by_off_alone() -> None:
    words = [each.called for verb in VERBS.values() for each in verb.params]
    assert not {"--clear", "--remove", "--delete", "--back", "--none"} & {*words}
    assert sum(word == "--off" for word in words) == 6
    also = [
        (verb.name, each.also)
        for verb in VERBS.values()
        for each in verb.params
        if each.also
    ]
    assert also == [("result", "--clear")], "as other programs say it"


def test_new_takes_each_setting() -> None:
    keys = {key for key, one in SETTINGS.items() if one.key == one.name}
    command = main.get_command(click.Context(main), "new")
    assert command is not None
    assert keys <= {each.name for each in command.params}
    assert keys <= {*inspect.signature(new).parameters}
    with pytest.raises(UsageError, match=r"no setting 'round'\. Did you mean rounds\?"):
        new("folder", "players.csv", round=3)


@pytest.mark.parametrize(("name", "now"), GONE.items())
def test_what_went_says_what_to_type(name: str, now: str, tmp_path: Path) -> None:
    for more in ((), ("folder",), ("folder", "Ann", "--help"), ("--help",)):
        done = run(name, *more)
        assert done.exit_code == 2
        assert (
            done.stderr
            == f"Error: The command {name} no longer exists. Type instead: {now}\n"
        )
    _, verb, *words = now.split()
    assert verb in load_commands()
    options = {each.called for each in load_commands()[verb].params}
    assert {word for word in words if word.startswith("--")} <= options
    assert not run(name).stdout


def test_what_is_mistyped_gets_the_nearest(tmp_path: Path) -> None:
    made = event(tmp_path / "event", ["Ann", "Bertram", "Cid", "Dan"])
    for said, *words in (
        ("There is no command 'reslut'. Did you mean result?", "reslut", made),
        ("Did you mean --again?", "pair", made, "--agian"),
        ("Did you mean Bertram?", "drop", made, "Bertam"),
        ("Did you mean Bertram?", "solve", made, "--round", 1, "--bye", "Bertam"),
        ("Did you mean excalibur?", "solve", made, "--model", "excaliber"),
        ("did you mean fide-dutch?", "set", made, "model", "fide-duch"),
        ("did you mean tie_breaks?", "set", made, "tie-breaks", "sos"),
    ):
        done = run(*words)
        assert done.exit_code == 2, (words, done.output)
        assert said.lower() in done.stderr.lower(), (words, done.stderr)
    assert "Did you mean" not in run("drop", made, "Xaver").stderr
    assert "Did you mean" not in run("zzz").stderr


def test_help_says_first_what_is_needed_first() -> None:
    text = run("--help").stdout
    places = [text.index(f"\n{head}:\n") for head in ("First", *GROUPS)]
    assert places == sorted(places)
    first = text.split("\nFirst:\n")[1].split("\n\n")[0].splitlines()
    assert len(first) == 7
    assert {line.split()[1] for line in first} <= {*COMMANDS}


@pytest.mark.long
def test_the_way_back(tmp_path: Path) -> None:
    """Each `--off` is a step of its own that brings the files back."""
    made = event(tmp_path / "event", ["Ann", "Bob", "Cid", "Dan"])
    (made / "players.csv").write_text(
        "player,active,table\n"
        + "".join(f"{one},true,\n" for one in ("Ann", "Bob", "Cid", "Dan"))
    )
    toml = made / "event.toml"
    toml.write_text(toml.read_text() + '\n[[byes]]\nplayer = "Bob"\nround = 2\n')
    for words, back in (
        (("drop", made, "Ann"), ("drop", made, "Ann", "--off")),
        (("drop", made, "--all"), ("drop", made, "--all", "--off")),
        (
            ("bye", made, "Ann", "--round", 3),
            ("bye", made, "Ann", "--round", 3, "--off"),
        ),
        (("edit", made, "Ann", "--table", 3), ("edit", made, "Ann", "--off")),
        (("set", made, "lookahead", 1), ("set", made, "lookahead", "--off")),
    ):
        files = [
            (made / name).read_text()
            for name in ("players.csv", "matches.csv", "event.toml")
        ]
        assert run(*words).exit_code == 0, words
        done = run(*back)
        assert done.exit_code == 0, done.output
        now = [
            (made / name).read_text()
            for name in ("players.csv", "matches.csv", "event.toml")
        ]
        assert now == files, words
    assert run("bye", made, "Bob", "--round", 2, "--off").exit_code == 0
    assert "round = 2" not in toml.read_text()
    assert run("bye", made, "Bob", "--round", 2, "--off").exit_code == 2
    assert folder.pair(made).result.arcs is not None  # type: ignore[union-attr]
    assert run("enter", made, "Eve").exit_code == 0
    assert run("bye", made, "Eve", "--round", 1).exit_code == 0
    over = run("bye", made, "Eve", "--round", 1, "--off")
    assert (over.exit_code, "Round 1 is already paired" in over.stderr) == (2, True)
