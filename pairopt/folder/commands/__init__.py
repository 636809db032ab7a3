"""Verbs: what changes an event folder, each with its parameters and its words, said once.

The commands, `--help`, the page's forms and the docs follow from `verbs.toml`. A verb of its own is
a module beside it with a `VERB`, whose `call` has its function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pairopt.common.serialization import packaged
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


def _require_exactly_one(kind: str, *given: object) -> None:
    """Raises UsageError of a kind unless one of these is given, and no other."""
    if sum(each not in (None, False, {}) for each in given) != 1:
        raise UsageError(kind)


def _cells(given: Given) -> dict[str, str]:
    cells = given["set"]
    if isinstance(cells, Mapping):
        return {**cells}
    for cell in cells:
        if "=" not in cell:
            raise UsageError("verb.no_cell", cell=cell)
    pairs = (cell.split("=", 1) for cell in cells)
    return {column.strip().lower(): value.strip() for column, value in pairs}


def _dropped(given: Given) -> tuple[str, Given]:
    _require_exactly_one("verb.nobody", given["player"], given["all"])
    if given["all"]:
        return "check_in", {"off": given["off"]}
    return "back" if given["off"] else "drop", {"player": given["player"]}


def _edited(given: Given) -> tuple[str, Given]:
    player, name, table = given["player"], given["name"], given["table"]
    cells = {**_cells(given), **({} if name is None else {"name": name})}
    _require_exactly_one("verb.nothing_to_edit", cells, table, given["off"])
    if cells:
        return "edit", {"player": player, "columns": cells, "sure": given["sure"]}
    return "table", {"player": player, "number": table}


def _set(given: Given) -> tuple[str, Given]:
    _require_exactly_one("verb.no_value", given["value"], given["off"])
    return "change", {"settings": {given["key"]: given["value"]}, "sure": given["sure"]}


def _pair_or_repair(given: Given) -> tuple[str, Given]:
    """The next round, or the open one again; or what either would be."""
    again = {"keep": given["keep"], "again": given["all"]}
    own = {
        "again",
        "all",
        "keep",
        "preview",
        "by_hand",
        "done",
        *(["sure"] if given["preview"] else []),
    }
    rest = {name: value for name, value in given.items() if name not in own}
    if given["by_hand"] or given["done"]:
        if (
            not given["by_hand"]
            or given["again"]
            or given["preview"]
            or any(again.values())
        ):
            raise UsageError("verb.only_by_hand")
        return "changed_by_hand", {"off": given["done"]}
    if given["again"]:
        return "preview_repair" if given["preview"] else "repair", {**again, **rest}
    if any(again.values()):
        raise UsageError("verb.only_again")
    return "preview" if given["preview"] else "pair", rest


def _new(given: Given) -> tuple[str, Given]:
    """Make a folder from a list whose headings may have been named."""
    from pairopt.files.named_columns import (
        parse_named_columns,  # only where an event is made
    )

    return "new", {
        **given,
        "columns": parse_named_columns(given["columns"] or ()) or None,
    }


CALLS: Mapping[str, Callable[[Given], tuple[str, Given]]] = {
    "new": _new,
    "pair": _pair_or_repair,
    "set": _set,
    "drop": _dropped,
    "edit": _edited,
    "enter": lambda given: (
        "enter",
        {"player": given["player"], "columns": _cells(given), "sure": given["sure"]},
    ),
    "mend": lambda _: ("mend", {}),
}
"""What is no function of the verb's own name, with its parameters."""


@cache
def every_verb() -> Mapping[str, FolderCommand]:
    """The verbs by name: those of `verbs.toml`, and those of the modules beside it."""
    said = packaged(__name__, "verbs.toml")
    own = (
        import_module(f"{__name__}.{info.name}").VERB for info in iter_modules(__path__)
    )
    shipped = (
        FolderCommand(
            name,
            **{
                **one,
                "params": tuple(CommandParameter(**each) for each in one["params"]),
            },
            call=CALLS.get(name),
        )
        for name, one in said.items()
    )
    return {verb.name: verb for verb in (*shipped, *own)}
