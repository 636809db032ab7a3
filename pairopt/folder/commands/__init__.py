"""Declarations of the commands on an event folder, with their parameters and help.

Each command is a module of this package with a `VERB`. The command line, `--help`, the
form on the page and the docs follow from it.
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

Values = Mapping[str, Any]


class CommandParameter(NamedTuple):
    """A parameter of a command: an argument, or an option if its name begins with `--`.

    `called` is that name, and `words` is its help. `form` says how its text is read;
    the form `cells` reads COLUMN=VALUE. `metavar` stands for its value in the help. It
    may be `required`, and has its `default` otherwise. A parameter with `many` may be
    given several times. `also` is another name of the option. `allowed` is a name in
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
        """The name of the parameter in code, without hyphens at its beginning.

        Other hyphens are underscores.
        """
        return self.called.lstrip("-").replace("-", "_")

    @property
    def label(self) -> str:
        """The name of the parameter in a form, such as "Keep proof"."""
        return self.name.replace("_", " ").capitalize()


class FolderCommand(NamedTuple):
    """A command on an event folder, with its parameters and its help.

    `group` is its part of the list of commands, `line` its help in one line, and
    `words` the whole help. `call` maps the given values to a function, by its name in
    `pairopt.folder`, and to the arguments of that function after the folder. A command
    with `settings` also has an option for each setting of event.toml. `page` is the
    view that shows a form for it, "" for none. `mode` is what it may do to FIDE mode; a
    command that breaks the mode needs `--against-fide`. A command with `lists` reads
    rating lists, and has an option for their folder.
    """

    name: str
    group: str
    line: str
    words: str
    params: tuple[CommandParameter, ...] = ()
    call: Callable[[Values], tuple[str | Callable[..., Done], Values]] | None = None
    settings: bool = False
    page: str = ""
    mode: Mode | None = None
    lists: bool = False

    def resolve(self, values: Values) -> tuple[Callable[..., Done], Values]:
        """Return the function to call, and its arguments after the folder.

        `values` are the parameters by name. A function given by its name is looked up
        in `pairopt.folder`. Nothing is run. Raise UsageError if the values do not fit
        together.
        """
        function_or_name: str | Callable[..., Done] = self.name
        arguments_after_folder = values
        if self.call is not None:
            function_or_name, arguments_after_folder = self.call(values)
        if isinstance(function_or_name, str):
            return getattr(
                import_module("pairopt.folder"), function_or_name
            ), arguments_after_folder
        return function_or_name, arguments_after_folder

    def take(self, folder: Folder, values: Values) -> Done:
        """Run the command on a folder, and return what it did.

        `values` are the parameters by name. Raise UsageError if they do not fit
        together, and what the function itself raises.
        """
        function_of_command, arguments_after_folder = self.resolve(values)
        return function_of_command(folder, **arguments_after_folder)

    def does(self, values: Values) -> tuple[Callable[..., Done], Values]:
        """Return the function to call, and its arguments after the folder.

        This is `resolve` under its name in version 1.0, for extensions. `values` are
        the parameters by name. Nothing is run. Raise UsageError if the values do not
        fit together.
        """
        return self.resolve(values)


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
    "ratings",
)
"""The shipped commands, in the order of `--help`. Modules that are added come after
them."""


def list_command_names() -> list[str]:
    """Return the names of all commands: the shipped ones in order, then any others.

    Others are modules that were added to this package. No module is imported.
    """
    module_names = [command_module.name for command_module in iter_modules(__path__)]
    added_names = [
        module_name for module_name in module_names if module_name not in SHIPPED
    ]
    return [*SHIPPED, *added_names]


@cache
def load_command(name: str) -> FolderCommand:
    """Return a command by its name. Only its own module is imported.

    Raise ModuleNotFoundError if there is no such command. The result is cached.
    """
    loaded_command: FolderCommand = import_module(f"{__name__}.{name}").VERB
    return loaded_command


@cache
def load_commands() -> Mapping[str, FolderCommand]:
    """Return all commands by their names: the shipped ones in order, then any others.

    All their modules are imported. The result is cached.
    """
    return {
        command_name: load_command(command_name)
        for command_name in list_command_names()
    }


def require_exactly_one(kind: str, *values: object) -> None:
    """Raise UsageError of this kind unless exactly one of the values is present.

    `kind` is the id of the error's message. None, False and an empty mapping count as
    absent.
    """
    present_values = [
        present_value
        for present_value in values
        if present_value not in (None, False, {})
    ]
    if len(present_values) != 1:
        raise UsageError(kind)


def parse_cells(cells: Mapping[str, str] | Iterable[str]) -> dict[str, str]:
    """Return cells of players.csv by column, from a mapping or COLUMN=VALUE texts.

    A mapping is copied as it is. In texts, columns become lower case, blanks around
    both parts are removed, and a later text for a column counts. Raise UsageError for a
    text without an equals sign.
    """
    if isinstance(cells, Mapping):
        return {**cells}

    cell_by_column = {}
    for typed_cell in cells:
        typed_column, equals_sign, cell_text = typed_cell.partition("=")
        if not equals_sign:
            raise UsageError("verb.no_cell", cell=typed_cell)
        cell_by_column[typed_column.strip().lower()] = cell_text.strip()
    return cell_by_column
