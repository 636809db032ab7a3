"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import click

from pairopt.bounds import IN_FORMS
from pairopt.files.guard import require_free
from pairopt.records import packaged
from pairopt.show.cli.numbers import Real, Whole
from pairopt.wording import words_in

Wrapping = Callable[[Callable[..., Any]], Callable[..., Any]]


class Named(click.Path):
    """A path; nothing, as a shell has it of a variable that was not set, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click has it."""
        if not value:
            self.fail("expected a name, found nothing", param, ctx)
        return super().convert(value, param, ctx)


class Output(Named):
    """A file that is written; of a figure one with each of these suffixes."""

    def __init__(self, *suffixes: str) -> None:
        super().__init__(dir_okay=False)
        self.suffixes = suffixes or ("",)


FILE = Named(dir_okay=False)
FOLDER = Named(file_okay=False)
INPUTS = (
    click.argument("event", type=Named()),  # a file, or an event folder
    click.option("--players", type=FILE, help="players.csv: who plays, ratings, clubs, drops."),
)


def stacked(options: Sequence[Wrapping]) -> Wrapping:
    """Several options and arguments as one."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


PATHS = {"file": FILE, "folder": FOLDER, "output": Output(), "named": Named()}


def own_options(command: str, *names: str, **more: Any) -> Wrapping:
    """Options of a command, by their first names or all, as options.toml has them."""
    table = packaged(__package__, "options.toml")[command]
    return stacked([_said(name, **table[name], **more) for name in names or table])


def _said(
    name: str, names: Sequence[str] = (), type: str = "", allowed: str = "",
    choices: Sequence[str] = (), real: Sequence[float] = (), **given: Any,
) -> Wrapping:  # fmt: skip
    kind: Any = click.Choice(choices) if choices else PATHS.get(type)
    kind = Whole(IN_FORMS[allowed][0], IN_FORMS[allowed][-1]) if allowed else kind
    kind = Real(real[0], real[1]) if real else kind
    return click.option(name, *names, type=kind, **given)


inputs = stacked(INPUTS)
"""The argument EVENT and its players.csv."""


OUTPUT, OVERWRITE = own_options("any", "-o"), own_options("any", "--overwrite")
BY_LOT = own_options("by_lot")


def require_free_outputs(ctx: click.Context, overwrite: bool) -> None:
    """Raises UsageError where a file that a command writes is one that it reads, or holds results.
    Which these are, the types of its options and arguments say."""
    written, reads = list[str](), list[str]()
    for each in ctx.command.params:
        given = ctx.params.get(str(each.name)) or ()
        paths = [given] if isinstance(given, str) else given
        if isinstance(each.type, Output):
            written += [f"{path}{suffix}" for path in paths for suffix in each.type.suffixes]
        elif isinstance(each.type, Named):
            reads += paths
    require_free(written, reads, overwrite)


def labels_of(text: str | None) -> list[str] | None:
    """A,B as two labels; none as no label, for a game without sides."""
    return None if text is None else words_in(text)
