"""Settings: `change` writes what event.toml says of all rounds, as text that people type."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from pairopt.bounds import MOST_SEED, whole_number
from pairopt.errors import InputError, UnsureError, UsageError
from pairopt.event.points import number_of_points, points_of_text
from pairopt.files.folder import EVENT
from pairopt.files.source import decoded, encoded
from pairopt.folder.desk import Desk, Done, Folder, opened
from pairopt.folder.facts import SCORED, changes, facts
from pairopt.problem.model import load_model, model_names
from pairopt.problem.problem import ratings_notes
from pairopt.problem.ready import model_for
from pairopt.wording import counted, decimal_text

POINTS = "points"


def words_in(text: str) -> list[str]:
    """Words between commas; `none` is no word at all."""
    return [] if text == "none" else [word.strip() for word in text.split(",")]


def _whole(text: str) -> int:
    number = whole_number(text, MOST_SEED)
    if number is None:
        raise ValueError(f"expected a whole number up to {MOST_SEED}")
    return number


def _ahead(text: str) -> int | str:
    return text if text == "all" else _whole(text)


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("expected true or false")
    return text == "true"


def _amount(number: Fraction) -> object:
    return tomlkit.value(decimal_text(number))


def _apart(text: str) -> list[dict[str, object]]:
    """Columns between commas, each with its place in the model's order, if it has one."""
    found = []
    for part in words_in(text):
        column, _, place = part.partition(":")
        found.append({"column": column, **({"place": _whole(place)} if place else {})})
    return found


READ: Mapping[str, Callable[[str], object]] = {
    "title": str,
    "model": str,
    "rounds": _whole,
    "sides": words_in,
    "initial_side": str,
    "seed": _whole,
    "tie_breaks": words_in,
    "first_round": str,
    "lookahead": _ahead,
    "conflicts": _apart,
    "proofs": _truth,
    POINTS: points_of_text,
    **dict.fromkeys(
        (f"{POINTS}.bye", f"{POINTS}.requested_bye", f"{POINTS}.absent"),
        lambda text: _amount(number_of_points(text)),
    ),
}
"""How the text of each setting is read; what it may be, event.toml says."""
OF_ROUNDS = ("model", "sides", "initial_side", "seed", "lookahead", "conflicts", "first_round")
"""What a round is paired by."""


def change(folder: Folder, settings: Mapping[str, str | None], *, sure: bool = False) -> Done:
    """Change settings of an event, as one step.

    Args:
        folder: the event folder.
        settings: texts by the keys of event.toml (`READ`), as "5" for rounds, "white,black" for
            sides, "3-1-0" for points, "club" for conflicts; None for nothing said.
        sure: also other points for a win, a draw and a loss where there are results.

    Raises:
        UnsureError: there are results, and it is not said for sure.
        UsageError: an unknown key, or what the event cannot be with.
    """
    with opened(folder) as desk:
        before, model = current(desk), _file(desk, settings.get("model"))
        given = {key: text for key, text in settings.items() if text != before.get(key)}
        given |= {} if model is None else {"model": model.name}
        new = desk.changed({EVENT: edited(desk, partial(_write, given))})
        try:
            event, now = new.event, current(new)
        except InputError as error:
            raise UsageError("\n".join(map(str, error.faults))) from None
        changed = [key for key in READ if now.get(key) != before.get(key)]
        if not changed:
            return desk.unchanged("set", "the event says so already")
        last = event.settings.rounds
        if last is not None and last < desk.rounds():
            raise UsageError(f"rounds {last}: round {desk.rounds()} is paired already")
        said = [_said(key, now.get(key), before.get(key)) for key in changed]
        if desk.rounds() and {*changed} & {*OF_ROUNDS}:
            said.append(f"rounds up to {desk.rounds()} stay as they are")
        if "model" in changed:
            said += map(str, ratings_notes(event, model_for(event, model)))
        with_results = _worth_again(desk, new)
        if with_results and not sure:
            raise UnsureError(f"points {now.get(POINTS, 'off')}{with_results} (--sure)")
        if model is not None:
            desk.journal.beside(model.name, model.read_bytes())
        what = "; ".join(f"{key} {now.get(key, 'off')}" for key in changed) + with_results
        return new.committed("set", what, said)


def _worth_again(before: Desk, after: Desk) -> str:
    """How many results there are that were given for other points, in words."""
    known = facts(before.files)
    there = sum(fact.kind in SCORED for fact in known)
    other = any(found.fact.kind == POINTS for found in changes(known, facts(after.files)))
    return f": {counted(there, 'result is', 'results are')} in already" * bool(there and other)


def current(desk: Desk) -> dict[str, str]:
    """The settings that are said, as texts that `change` takes.

    Raises InputError where the files are no event.
    """
    worth = desk.event.settings.points
    text = decoded(str(desk.journal.folder / EVENT), desk.files[EVENT]).text
    content = tomllib.loads(text, parse_float=Decimal)
    points = content.get(POINTS, {})
    found: dict[str, Any] = {key: content[key] for key in READ if key in content}
    found |= {f"{POINTS}.{name}": value for name, value in points.items()}
    if worth is not None:
        found[POINTS] = worth
    return {key: _text(found[key]) for key in READ if key in found}


def edited(desk: Desk, write: Callable[[Any], None]) -> bytes:
    """event.toml, in which something is written otherwise; the rest stays as its owner has it."""
    source = decoded(str(desk.journal.folder / EVENT), desk.files[EVENT])
    try:
        content = tomlkit.parse(source.text)
    except TOMLKitError as error:  # what another reader took
        raise InputError(source.name, f"cannot be changed: {error}") from None
    write(content)
    text = re.sub("\r?\n", source.newline, tomlkit.dumps(content))
    return encoded(text, source.marked)


def _write(settings: Mapping[str, str | None], content: Any) -> None:
    """Write settings into the content of event.toml. Raises UsageError."""
    for key, text in settings.items():
        if key not in READ:
            raise UsageError(f"no setting {key!r}; there are: {', '.join(READ)}")
        said = (text or "").strip()
        _put(content, key, _read(key, said) if said else None)


def _read(key: str, text: str) -> object:
    try:
        return READ[key](text)
    except ValueError as error:
        raise UsageError(f"{key} {text}: {error}") from None


def _put(content: Any, key: str, value: Any) -> None:
    """A value at its place, which may be in a table; None takes it away."""
    table, _, name = key.rpartition(".")
    if key == POINTS and value is not None:
        game, there = value.game or value, content.setdefault(POINTS, tomlkit.table())
        for part in ("win", "draw", "loss"):
            there[part] = _amount(getattr(game, part))
        _put(content, f"{POINTS}.games", 2 if value.game else None)
        return
    if table and value is not None:
        content = content.setdefault(table, tomlkit.table())
    elif table:
        content = content.get(table, {})
    if value is None:
        content.pop(name, None)
    elif key == "conflicts":
        content.pop(name, None)
        content[name] = tomlkit.aot() if value else []
        for each in value:
            content[name].append(tomlkit.item(each))
    else:
        content[name] = value


def _file(desk: Desk, model: str | None) -> Path | None:
    """The file of a model, which is copied into the folder; None for a shipped one.

    Raises UsageError where another file of its name is there.
    """
    if not model or model in model_names():
        return None
    here = desk.journal.folder / Path(model).name
    path = here if here.name == model and here.is_file() else Path(model)
    load_model(path)
    if here.exists() and here.read_bytes() != path.read_bytes():
        raise UsageError(f"model {model}: another {here.name} is in the folder already")
    return path


def _text(value: object) -> str:
    """A value as `change` takes it."""
    if isinstance(value, list):
        return ",".join(map(_text, value)) or "none"
    if isinstance(value, dict):
        return ":".join(map(str, value.values()))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _said(key: str, now: str | None, before: str | None) -> str:
    shown = f"{key}: {'not said any more' if now is None else now}"
    return shown if before is None else f"{shown} (was {before})"
