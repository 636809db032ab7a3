"""Reads: what an action of a page was decided by, as `reads.toml` declares it."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from starlette.datastructures import FormData

from pairopt.common.serialization import read_package_toml
from pairopt.errors import PairoptError
from pairopt.event.name_search import normalize_name
from pairopt.event.settings import SETTINGS
from pairopt.folder.concurrent_changes import open_as_shown, require_unchanged
from pairopt.folder.open_folder import Done, OpenFolder, StaleStateError
from pairopt.web.view import CELL, STATE, SURE, PageRequest, View, text_of

READS = read_package_toml("pairopt.web", "reads.toml")
TABLE = re.compile(r"\s*(B?)0*([0-9]+)", re.IGNORECASE)


def apply_change(view: View, name: str, asked: PageRequest, form: FormData) -> Done:
    """Make a change that a page asks for, however old the page is. Raises StaleStateError where
    somebody has changed what it was decided by, unless they have done the same.
    """
    desk, make, state = asked.desk, view.changes[name], str(form.get(STATE, ""))
    if view.beside or state == desk.state:
        return make(desk, form)
    then, said = (
        open_as_shown(desk, state),
        READS.get(f"{view.path}/{name}", {"reads": ["*"]}),
    )
    if "shows" in said:
        was: Any = view.context(replace(asked, desk=then))[said["shows"]]
        form = FormData(
            [
                (name, value)
                for name, value in form.multi_items()
                if not (name.startswith(CELL) or name in SETTINGS)
                or value != was.get(name.removeprefix(CELL), "")
            ]
        )
    patterns = said.get("reads", []) + said.get("sure", []) * (SURE in form)
    filled = (
        [
            FILLED[word](then, form) if word in FILLED else [word]
            for word in each.split()
        ]
        for each in patterns
    )
    reads = tuple(words for each in filled for words in product(*each))
    try:
        require_unchanged(desk, then, reads)
    except StaleStateError:
        quick = all(len(words) > 1 for words in reads)  # not a round
        with suppress(PairoptError):
            if quick and (told := make(desk.rehearsed(), form)).step is None:
                return told
        raise
    return make(desk, form)


def _who(name: str, then: OpenFolder, form: FormData) -> Sequence[str]:
    given = text_of(form, name) or ""
    with suppress(PairoptError):  # else somebody who is not there
        given = then.identifier(given)
    return [normalize_name(given)]


def _table(_: OpenFolder, form: FormData) -> Sequence[str]:
    found = TABLE.match(text_of(form, "slip") or text_of(form, "table") or "")
    return [normalize_name(found[1] + found[2])] if found else []


def _next(then: OpenFolder, form: FormData) -> Sequence[str]:
    """The next round, and the one before it, for what is meant from the next one on."""
    keys = [key for key in SETTINGS if key in form]
    any_time = keys and all(SETTINGS[key].after == "any time" for key in keys)
    following = then.event.round
    return (
        []
        if any_time or text_of(form, "round")
        else [str(following - 1), str(following)]
    )


FILLED: Mapping[str, Callable[[OpenFolder, FormData], Sequence[str]]] = {
    "{player}": partial(_who, "player"),
    "{other}": partial(_who, "other"),
    "{table}": _table,
    "{next}": _next,
    "{name}": lambda _, form: [normalize_name(text_of(form, "name") or "")],
    "{round}": lambda then, form: [text_of(form, "round") or str(then.event.round)],
    "{cell}": lambda _, form: [
        n.removeprefix(CELL) for n in form if n.startswith(CELL)
    ],
    "{start}": lambda _, form: ["start"] * (f"{CELL}start" in form),
    "{key}": lambda _, form: [key for key in SETTINGS if key in form],
}
