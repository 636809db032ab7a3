"""Every option and argument with numbers that nobody means: an answer or one error."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from organiser import event, scored
from places import SAMPLE
from strange_numbers import TEXTS, Case, shortened, walked

from pairopt.cli import COMMANDS, main
from pairopt.cli.fide import run_command as fide
from pairopt.cli.fide.reports import run_with_exit_code
from pairopt.cli.options import DecimalRange, IntegerRange
from pairopt.folder import pair

EVENT = [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]
BASE: dict[str, Sequence[str]] = {
    "new": ["made", "--players", "event/players.csv"],
    "pair": ["event"],
    "result": ["event", "1", "1-0"],
    "enter": ["event", "New"],
    "edit": ["event", "A", "--set", "rating=1500"],
    "drop": ["event", "A"],
    "remove": ["event", "F"],
    "bye": ["event", "A"],
    "forbid": ["event", "A", "B"],
    "set": ["event", "rounds", "5"],
    "undo": ["event"],
    "mend": ["event"],
    "bracket": ["event"],
    "standings": ["event"],
    "print": ["event"],
    "publish": ["event", "site"],
    "solve": EVENT,
    "check": [*EVENT, EVENT[0], "--round", "3"],
    "explain": EVENT,
    "compare": [*EVENT, "--models", "standard,monrad"],
    "convert": [EVENT[0], "out.json"],
    "export": [EVENT[0], "out.opb"],
    "models": ["standard"],
    "lists": [],
    "lists find": ["Ann"],
    "lists remove": ["fide-2026-11"],
    "ratings": ["event"],
}
"""What is run, with arguments that it takes. What works as long as its numbers say is only read."""
LONG = {
    "serve",
    "lists add",
    "frontier",
    "incentive",
    "odds",
    "draw",
    "simulate",
    "study",
    "study run",
    "study check",
    "study plan",
    "plot",
}
OF_THIS_MACHINE = {"workers", "jobs"}


def command_of(name: str) -> click.Command:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return command


def test_all_commands_are_walked() -> None:
    assert {*COMMANDS} == {*BASE, *LONG}


@pytest.mark.parametrize("name", COMMANDS)
def test_numbers_of_options_have_two_bounds(name: str) -> None:
    for each in command_of(name).params:
        kind: Any = each.type
        if isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
            assert isinstance(kind, IntegerRange | DecimalRange), each.name
            assert isfinite(kind.min), each.name
            assert isfinite(kind.max), each.name


def read(name: str, arguments: list[str]) -> str:
    """A command's arguments alone."""
    try:
        command_of(name).make_context(name, arguments)
    except (click.ClickException, click.exceptions.Exit):
        return ""
    except Exception as error:
        if type(error).__name__ in ("InputError", "UsageError"):
            return ""
        raise
    return ""


def run(name: str, arguments: list[str], fresh: Path) -> str:
    """A command on an event that is as it was."""
    with CliRunner().isolated_filesystem(fresh.parent):
        shutil.copytree(fresh, "event")
        done = CliRunner().invoke(main, [*name.split(), *arguments])
    if done.exit_code in (0, 1, 2, 3, 4) and "Traceback" not in done.output:
        return ""
    return f"exit {done.exit_code}: {done.output[-300:]}"


def of_command(name: str, fresh: Path) -> Iterator[Case]:
    base = list(BASE.get(name, ()))
    for each in command_of(name).params:
        if isinstance(each, click.Option) and (
            each.is_flag or each.name in ("help", "plugins")
        ):
            continue
        alone = name in LONG or each.name in OF_THIS_MACHINE or each.name == "output"
        for text in TEXTS:
            if isinstance(each, click.Option):
                given = [*base, each.opts[-1], text]
            else:
                places = [
                    e.name
                    for e in command_of(name).params
                    if isinstance(e, click.Argument)
                ]
                at = places.index(each.name)
                given = [*base[:at], text, *base[at + 1 :]]
            where = f"{name} {each.name} {shortened(text)}"
            if alone:
                yield Case(where, lambda n=name, g=given: read(n, g))
            else:
                yield Case(where, lambda n=name, g=given: run(n, g, fresh))


def of_fide(tmp: Path) -> Iterator[Case]:
    """The numbers of pairopt-fide: of a configuration, a seed, a round."""
    for text in TEXTS:
        for key in ("PlayersNumber", "RoundsNumber", "HighestRating", "PointsForWin"):
            path = tmp / "config"
            path.write_text(f"{key}={text}\n", encoding="utf-8", errors="surrogatepass")
            line = f"{key}={text}"
            where = f"fide {key}={shortened(text)}"
            yield Case(where, lambda p=path, line=line: generated(p, line))
        if text and not text.startswith("-"):
            for words in (
                ["-g", "-o", str(tmp / "o.trf"), "-s", text],
                ["x.trf", "-c", text],
            ):
                where = f"fide {words[-2]} {shortened(text)}"
                yield Case(where, lambda words=words: _fide(words))


def generated(path: Path, line: str) -> str:
    small = "" if "PlayersNumber" in line else "\nPlayersNumber=6"
    small += "" if "RoundsNumber" in line else "\nRoundsNumber=2"
    path.write_text(f"{line}{small}\n", encoding="utf-8", errors="surrogatepass")
    if line in ("PlayersNumber=501", "RoundsNumber=99", "RoundsNumber= 7 "):
        return ""  # a tournament of that size is what is asked for
    return _fide(["-g", str(path), "-o", str(path.with_name("out.trf")), "-s", "1"])


def _fide(words: list[str]) -> str:
    code = run_with_exit_code(lambda: fide(words, "pairopt-fide"))
    return "" if code in (0, 1, 3, 5) else f"exit {code}"


def every(tmp: Path) -> Iterator[Case]:
    fresh = event(tmp / "event", rounds=1, sides=("white", "black"))
    scored(fresh, "1-0")
    pair(fresh)
    for name in COMMANDS:
        yield from of_command(name, fresh)
    yield from of_fide(tmp)


@pytest.mark.parametrize(
    "one_of",
    [
        pytest.param(151, marks=pytest.mark.long),
        pytest.param(1, marks=pytest.mark.slow),
    ],
)
def test_numbers_in_options(one_of: int, tmp_path: Path) -> None:
    found = walked(lambda: every(tmp_path), one_of, seconds=3000)
    print(found)
    assert not found.wrong
    assert found.cases
