"""Verbs: what changes an event folder, each with its parameters and its words, said once.

Each verb is a module of this package with a `VERB`. Its command, its line in `--help`, its form on
the page and the docs follow from that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pairopt.errors import UsageError

if TYPE_CHECKING:
    from pairopt.event.settings import Mode
    from pairopt.folder import Done
    from pairopt.folder.open_folder import Folder

Given = Mapping[str, Any]


class CommandParameter(NamedTuple):
    """A parameter: an argument, or with a leading "--" an option, its words, and what it may be.
    `many` may be given several times; `cells` are COLUMN=VALUE; `also` is another word for it. With
    `allowed` it is a number: which, `pairopt.common.limits.IN_FORMS` says by this name."""

    called: str
    words: str = ""
    form: Literal["text", "flag", "cells", "file"] = "text"
    metavar: str | None = None
    allowed: str | None = None
    required: bool = False
    many: bool = False
    default: Any = None
    also: str = ""

    @property
    def name(self) -> str:
        return self.called.lstrip("-").replace("-", "_")

    @property
    def label(self) -> str:
        return self.name.replace("_", " ").capitalize()


class FolderCommand(NamedTuple):
    """A verb: its name, its group and line in `--help`, its words, its parameters.

    `call` says which function of `pairopt.folder` it is with what is given, or hands back one of
    its own, and that function's arguments after the folder. `settings` has it take those of
    event.toml. `page` is the view that offers it in a form of its own, "" for none. `mode` is what
    it may do to FIDE mode: what breaks that is asked for, `--against-fide`."""

    name: str
    group: str
    line: str
    words: str
    params: tuple[CommandParameter, ...] = ()
    call: Callable[[Given], tuple[str | Callable[..., Done], Given]] | None = None
    settings: bool = False
    page: str = ""
    mode: Mode | None = None

    def does(self, given: Given) -> tuple[Callable[..., Done], Given]:
        """The function, and its arguments after the folder. Raises UsageError."""
        function, arguments = (
            (self.name, given) if self.call is None else self.call(given)
        )
        if isinstance(function, str):
            function = getattr(import_module("pairopt.folder"), function)
        return function, arguments

    def take(self, folder: Folder, given: Given) -> Done:
        function, arguments = self.does(given)
        return function(folder, **arguments)


SHIPPED = (
    "new",
    "pair",
    "result",
    "bracket",
    "set",
    "undo",
    "mend",
    "enter",
    "drop",
    "remove",
    "edit",
    "bye",
    "forbid",
)
"""The shipped commands, in the order of `--help`. Modules that are added come after them."""


def verb_names() -> list[str]:
    """Return the names of all verbs. None of their modules is imported for that."""
    modules = [info.name for info in iter_modules(__path__)]
    added = [name for name in modules if name not in SHIPPED]
    return [*SHIPPED, *added]


@cache
def load_verb(name: str) -> FolderCommand:
    """Return a verb by its name. Only its own module is imported."""
    verb: FolderCommand = import_module(f"{__name__}.{name}").VERB
    return verb


@cache
def every_verb() -> Mapping[str, FolderCommand]:
    """Return all verbs by their names."""
    return {name: load_verb(name) for name in verb_names()}


def require_exactly_one(kind: str, *values: object) -> None:
    """Raises UsageError of this kind unless exactly one of the values is given."""
    given = [value for value in values if value not in (None, False, {})]
    if len(given) != 1:
        raise UsageError(kind)


def cells_of(given: Mapping[str, str] | Iterable[str]) -> dict[str, str]:
    """Return cells of players.csv by their columns, of a form or written as COLUMN=VALUE."""
    if isinstance(given, Mapping):
        return {**given}

    cells = {}
    for cell in given:
        column, equals, value = cell.partition("=")
        if not equals:
            raise UsageError("verb.no_cell", cell=cell)
        cells[column.strip().lower()] = value.strip()
    return cells
