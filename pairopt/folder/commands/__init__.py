"""Declare the commands on an event folder, each once, with its parameters and its help.

Each command is a module of this package with a `VERB`. The command line, `--help`, the form on the
page and the docs follow from it.
"""

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
    """A parameter of a command: an argument, or an option if its name begins with `--`.

    `words` is its help. A parameter with `many` may be given several times. The form `cells` reads
    COLUMN=VALUE. `also` is another name of the option. `allowed` is a name in
    `pairopt.common.limits.IN_FORMS`, for a parameter that is a number.
    """

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
    """A command on an event folder: its name, its group and line in `--help`, its help, parameters.

    `call` maps the given values to a function, by its name in `pairopt.folder`, and to the arguments
    of that function after the folder. A command with `settings` also has an option for each setting
    of event.toml. `page` is the view that shows a form for it, "" for none. `mode` is what it may do
    to FIDE mode; a command that breaks the mode needs `--against-fide`.
    """

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
        """Return the function to call, and its arguments after the folder. Raises UsageError."""
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
    """Return the names of all commands. Their modules are not imported for that."""
    modules = [info.name for info in iter_modules(__path__)]
    added = [name for name in modules if name not in SHIPPED]
    return [*SHIPPED, *added]


@cache
def load_verb(name: str) -> FolderCommand:
    """Return a command by its name. Only its own module is imported."""
    verb: FolderCommand = import_module(f"{__name__}.{name}").VERB
    return verb


@cache
def every_verb() -> Mapping[str, FolderCommand]:
    """Return all commands by their names."""
    return {name: load_verb(name) for name in verb_names()}


def require_exactly_one(kind: str, *values: object) -> None:
    """Raises UsageError of this kind unless exactly one of the values is given."""
    given = [value for value in values if value not in (None, False, {})]
    if len(given) != 1:
        raise UsageError(kind)


def cells_of(given: Mapping[str, str] | Iterable[str]) -> dict[str, str]:
    """Return cells of players.csv by their columns, from a mapping or from COLUMN=VALUE texts."""
    if isinstance(given, Mapping):
        return {**given}

    cells = {}
    for cell in given:
        column, equals, value = cell.partition("=")
        if not equals:
            raise UsageError("verb.no_cell", cell=cell)
        cells[column.strip().lower()] = value.strip()
    return cells
