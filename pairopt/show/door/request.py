"""Request: what the bytes of another program ask for. No path in it is looked at."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from pairopt.bounds import LARGEST_BODY
from pairopt.errors import Fault, InputError, JsonPath, Place, UsageError
from pairopt.event.event import Event, require_finished
from pairopt.files.event_toml import event_file_of
from pairopt.files.folder import together
from pairopt.files.formats.matches_csv import NEEDED
from pairopt.files.formats.players_csv import read_players
from pairopt.files.json_text import fault_of, loaded
from pairopt.files.source import Source, is_text
from pairopt.files.tables import Table
from pairopt.problem.model import Model, load_model, model_names, parse_model
from pairopt.problem.options import SolveOptions
from pairopt.show.door.forms import COLUMNS, FORMS, SECONDS
from pairopt.words import tell

HALF = re.compile(r"\\u[dD][89a-fA-F]")  # an escape of half a character
Question = tuple[str, tuple[str, ...], str]
"""Its kind, its players, and where in the request it stands."""


@dataclass(frozen=True)
class Rows(Table):
    """Rows of a request; their places are paths in it."""

    paths: Sequence[str] = ()

    @cached_property
    def places(self) -> tuple[Place, ...]:
        return tuple(map(JsonPath, self.paths))


@dataclass(frozen=True)
class Asked:
    """A request as pairopt has it: the event, the model, the options of `solve`, and what besides
    the pairing is asked for."""

    event: Event
    model: Model | None
    options: Mapping[str, Any]
    questions: Sequence[Question]
    also: Sequence[str]


def asked(raw: bytes) -> Asked:
    """What the bytes of a request ask for. Raises InputError with every fault of a part of it, the
    source being its key, "" for all."""
    if len(raw) > LARGEST_BODY:
        raise InputError("", "request.too_large", most=LARGEST_BODY)
    try:
        text = raw.decode("utf-8-sig")
        content = loaded(Source("", text), Decimal, object_pairs_hook=_once)
        if HALF.search(text):
            json.dumps(content, ensure_ascii=False, default=str).encode()
        form = FORMS["Request"].model_validate(content).model_dump(exclude_none=True)
        return _asked(form, content)
    except UnicodeError:
        raise InputError("", "request.no_utf8") from None
    except ValidationError as error:
        raise InputError("", map(fault_of, error.errors(include_url=False))) from None
    except RecursionError:
        raise InputError("", "nrtm.too_deep") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise InputError("", "request.twice", key=twice)
    return made


def _asked(form: Mapping[str, Any], content: Mapping[str, Any]) -> Asked:
    event = _event(content)
    options = dict(form.get("options", {}))
    for each in fields(SolveOptions):
        given, path = options.get(each.name, ()), JsonPath(f"options.{each.name}")
        if each.metadata["reading"] in ("name", "names", "pairs") and each.name != "relax":
            require_known(event, given, path.path)
        if each.metadata["reading"] == "pairs" and given:
            options[each.name] = [(one, two) for one, two in given]
    options["time_limit"] = float(options.get("time_limit", SECONDS))
    questions = [(kind, (each,) if isinstance(each, str) else tuple(each), f"ask.{kind}[{k}]")
                 for kind, every in form.get("ask", {}).items()
                 for k, each in enumerate(every)]  # fmt: skip
    model = _model(form["model"]) if "model" in form else None
    return Asked(event, model, options, questions, form.get("also", ()))


def _event(content: Mapping[str, Any]) -> Event:
    said = {key: each for key, each in (content.get("event") or {}).items() if each is not None}
    labels = (content.get("options") or {}).get("sides")
    rules = event_file_of(said | ({"sides": labels} if labels else {}), "event")
    rounds = content.get("rounds") or []
    players = {f"players[{k}]": {"active": True, **each}
               for k, each in enumerate(content["players"])}  # fmt: skip
    matches = {f"rounds[{n}][{k}]": {"round": n + 1, **match}
               for n, each in enumerate(rounds) for k, match in enumerate(each)}  # fmt: skip
    roster, table = read_players(_rows(players)), _rows(matches, NEEDED)
    event = together(rules, roster, table, "event", "", len(rounds) + 1 if rounds else None)
    require_finished(event)
    return event


def _rows(given: Mapping[str, Mapping[str, Any]], needed: Sequence[str] = ()) -> Rows:
    """Rows by their paths. Raises InputError for what no text of a file can be."""
    paths, keys = [*given], (key for row in given.values() for key in row)
    names = dict.fromkeys([*needed, *keys])
    if len(names) > COLUMNS:
        raise InputError("", "cell.columns", columns=len(names), most=COLUMNS)
    cells = {name: [_cell(row.get(name)) for row in given.values()] for name in names}
    low = [name.strip().lower() for name in names]
    faults = [Fault(tell("cell.no_text", found=cell), JsonPath(paths[k]).at(name))
              for name, column in cells.items() for k, cell in enumerate(column)
              if not is_text(cell)]  # fmt: skip
    faults += [Fault(tell("cell.column_twice", column=name), JsonPath(paths[0]))
               for name, many in Counter(low).items() if many > 1]  # fmt: skip
    if faults:
        raise InputError("", faults)
    return Rows("", dict(zip(low, cells.values(), strict=True)), range(len(paths)), paths=paths)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(_cell, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value).strip()


def _model(given: str | Mapping[str, Any]) -> Model:
    """A shipped model by its name, or one as its file says it; no path is looked at."""
    if not isinstance(given, str):
        return parse_model(given)
    if given not in model_names():
        raise InputError("model", "model.unknown", name=given, models=model_names())
    return load_model(given)


def require_known(event: Event, given: Any, path: str) -> None:
    """Raises InputError for each name in a value that is nobody's, or may be several people's."""
    if faults := [*_strangers(event, given, path)]:
        raise InputError("", faults)


def _strangers(event: Event, given: Any, path: str) -> Iterator[Fault]:
    if not isinstance(given, str):
        for k, each in enumerate(given):
            yield from _strangers(event, each, f"{path}[{k}]")
        return
    try:
        event.position(given)
    except UsageError as error:
        yield Fault(error.said[0], JsonPath(path))
