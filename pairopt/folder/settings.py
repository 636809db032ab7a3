"""Settings: `change` writes what event.toml says of all rounds, as text that people type."""

import tomllib
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import tomlkit

from pairopt.common.limits import MOST_NUMBER, parse_integer_in
from pairopt.errors import ConfirmationError, InvalidValueError, UsageError
from pairopt.event.forbidden_pairs import Rounds, rounds_text
from pairopt.event.points import Points, parse_number_of_points, parse_points
from pairopt.event.settings import SETTINGS, Form, SettingDeclaration
from pairopt.files.event_folder import BRACKET, EVENT
from pairopt.files.text_source import decode_text
from pairopt.folder.fide_mode import FideModeState, read_mode, text_of, unfit
from pairopt.folder.open_folder import Done, Folder, OpenFolder, event_with, open_folder
from pairopt.folder.protected_facts import SCORED, changes, facts
from pairopt.messages import Message, Note, message, with_heading
from pairopt.messages.formatting import decimal_text, find_nearest, shorten, split_words
from pairopt.problem.model import load_model, model_names
from pairopt.problem.problem import ratings_notes
from pairopt.problem.round_model import model_for, require_pairable

POINTS = "points"
PARTS = ("win", "draw", "loss")


def _whole(text: str, allowed: range, key: str) -> int:
    if (number := parse_integer_in(text, allowed)) is None:
        low, high = allowed[0], allowed[-1]
        raise UsageError(
            "setting.out_of_range", key=key, found=shorten(text), low=low, high=high
        )
    return number


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise InvalidValueError("setting.no_truth")
    return text == "true"


def amount(number: Fraction) -> Any:
    return tomlkit.value(decimal_text(number))


def format_forbidden(pair: list[str], turns: Rounds | None) -> object:
    if turns is None:
        return pair
    return tomlkit.inline_table().add("players", pair).add("rounds", rounds_text(turns))


def _columns(text: str, key: str) -> list[dict[str, object]]:
    """Columns between commas, each with its place in the model's order, if it has one."""
    found = []
    for part in split_words(text):
        column, _, place = part.partition(":")
        number = (
            {"place": _whole(place, range(1, MOST_NUMBER + 1), key)} if place else {}
        )
        found.append({"column": column, **number})
    return found


def _labels(text: str) -> list[str]:
    if len(found := split_words(text)) not in (0, 2) or len(
        {*map(str.lower, found)}
    ) < len(found):
        raise InvalidValueError("setting.no_two_labels")
    return found


READ: Mapping[Form, Callable[[str, SettingDeclaration], Any]] = {
    **dict.fromkeys(("text", "model", "label", "choice"), lambda text, _: text),
    "number": lambda text, one: _whole(text, one.allowed, one.key),
    "ahead": lambda text, one: (
        text if text == "all" else _whole(text, one.allowed, one.key)
    ),
    "labels": lambda text, _: _labels(text),
    "tie-breaks": lambda text, _: split_words(text),
    "columns": lambda text, one: _columns(text, one.key),
    "truth": lambda text, _: _truth(text),
    "points": lambda text, _: parse_points(text),
    "amount": lambda text, _: amount(parse_number_of_points(text)),
}
"""How the text of a setting is read, by its form; what it may be, event.toml says."""


def read_setting(key: str, text: str) -> Any:
    """A setting as event.toml has it. Raises UsageError."""
    one = SETTINGS[key]
    try:
        return READ[one.form](text, one)
    except ValueError as error:
        why = (
            error.said if isinstance(error, InvalidValueError) else message(str(error))
        )
        raise UsageError(
            with_heading(message("setting.unfit", key=key, found=text), why)
        ) from None


def require_known(keys: Mapping[str, object]) -> None:
    """Raises UsageError for what is no setting."""
    for key in keys:
        if key not in SETTINGS:
            near = find_nearest(key, SETTINGS)
            kind = "setting.unknown" if near is None else "setting.mistyped"
            raise UsageError(kind, key=key, near=near, known=[*SETTINGS])


def change(
    folder: Folder, settings: Mapping[str, str | None], *, sure: bool = False
) -> Done:
    """Change settings of an event, as one step.

    They are texts by the keys of event.toml (`SETTINGS`), as "5" for rounds, "white,black" for
    sides, "3-1-0" for points, "club" for conflicts; None for nothing said. Raises ConfirmationError for
    other points where there are results, and for another number of rounds where the top cut is
    made, unless it is said for `sure`; UsageError for an unknown key, or what the event cannot be
    with.
    """
    with open_folder(folder) as desk:
        before, model = current(desk), _file(desk, settings.get("model"))
        given = {key: text for key, text in settings.items() if text != before.get(key)}
        given |= {} if model is None else {"model": model.name}
        new = desk.edited(partial(_write, given))
        event, now = event_with(new), current(new)
        _require_mode(read_mode(desk.files), read_mode(new.files))
        changed = [key for key in SETTINGS if now.get(key) != before.get(key)]
        if not changed:
            return desk.unchanged("set", message("setting.said_already"))
        last, paired = event.settings.rounds, desk.rounds()
        if last is not None and last < paired:
            raise UsageError("setting.round_is_paired", last=last, paired=paired)
        said: list[str | Note] = [
            _describe_setting(key, now.get(key), before.get(key)) for key in changed
        ]
        if paired and any(SETTINGS[key].after == "rounds to come" for key in changed):
            said.append(message("setting.rounds_stay", paired=paired))
        if "model" in changed:
            said += ratings_notes(event, model_for(event, model))
        if {"conflicts", "lookahead", "model", "first_round"}.intersection(changed):
            require_pairable(event, model_for(event, model))
        known = facts(desk.files)
        results = sum(
            fact.kind in SCORED for fact in known
        )  # given for what they were worth
        other = any(
            found.fact.kind == POINTS for found in changes(known, facts(new.files))
        )
        doubts = list[Message]()
        if other and results:
            points = now.get(POINTS, "off")
            doubts.append(
                message("setting.with_results", key=POINTS, value=points, count=results)
            )
        if "rounds" in changed and BRACKET in desk.files:
            doubts.append(
                message(
                    "setting.rounds_after_cut",
                    value=now.get("rounds", "off"),
                    paired=paired,
                )
            )
        if doubts and not sure:
            raise ConfirmationError(*doubts)
        if model is not None:
            desk.journal.beside(model.name, model.read_bytes())
        value = "; ".join(f"{key} {now.get(key, 'off')}" for key in changed)
        kind = "step.set_with_results" if results else "step.set"
        return new.committed("set", message(kind, value=value, count=results), said)


def _require_mode(before: FideModeState, now: FideModeState) -> None:
    """Raises UsageError for an event that cannot be in FIDE mode, or not any more."""
    if not now.fide or before.fide:
        return
    if before.left is not None:
        since = message("mode.final_since", round=before.left.round)
        raise UsageError(
            with_heading(since, before.left.said, message("mode.no_way_back"))
        )
    if before.fide is False and before.round:
        raise UsageError("mode.too_late")
    if wrong := [*unfit(now)]:
        raise UsageError("mode.unfit", keys=wrong)


def current(desk: OpenFolder) -> dict[str, str]:
    """The settings that are said, as texts that `change` takes. Raises InputError where the files
    are no event.
    """
    worth = desk.event.settings.points
    text = decode_text(str(desk.journal.folder / EVENT), desk.files[EVENT]).text
    content = tomllib.loads(text, parse_float=Decimal)
    content |= {
        f"{POINTS}.{name}": value for name, value in content.get(POINTS, {}).items()
    }
    found: dict[str, Any] = {key: content[key] for key in SETTINGS if key in content}
    return {
        key: text_of(worth if key == POINTS else value) for key, value in found.items()
    }


def _write(settings: Mapping[str, str | None], content: Any) -> None:
    """Write settings into the content of event.toml. Raises UsageError."""
    require_known(settings)
    for key, text in settings.items():
        said = (text or "").strip()
        put(content, key, read_setting(key, said) if said else None)


def put(content: Any, key: str, value: Any) -> None:
    """A value at its place in event.toml, which may be in a table; None takes it away."""
    if isinstance(value, Points):
        for part in PARTS:
            put(content, f"{POINTS}.{part}", amount(getattr(value.game or value, part)))
        put(content, f"{POINTS}.games", 2 if value.game else None)
        return
    table, _, name = key.rpartition(".")
    if table and value is not None:
        content = content.setdefault(table, tomlkit.table())
    elif table:
        content = content.get(table, {})
    if value is None or (key in SETTINGS and SETTINGS[key].form == "columns"):
        content.pop(name, None)  # a list of tables is none of values
    if value is None:
        return
    content[name] = value
    if value and isinstance(value, list) and isinstance(value[0], dict):
        content[name] = tomlkit.aot()
        for each in value:
            content[name].append(tomlkit.item(each))


def _file(desk: OpenFolder, model: str | None) -> Path | None:
    """The file of a model, which is copied into the folder; None for a shipped one. Raises
    UsageError where another file of its name is there.
    """
    if not model or model in model_names():
        return None
    here = desk.journal.folder / Path(model).name
    path = here if here.name == model and here.is_file() else Path(model)
    load_model(path)
    if here.exists() and here.read_bytes() != path.read_bytes():
        raise UsageError("setting.another_model", model=model, file=here.name)
    return path


def _describe_setting(key: str, now: str | None, before: str | None) -> Message:
    kind = "setting.said" if before is None else "setting.changed"
    return message(
        "setting.taken" if now is None else kind, key=key, now=now, before=before
    )
