"""Makes docs/door.json, the JSON Schema of requests and answers: python tests/make/make_door.py

Keys, types and words stand in door.toml beside it; the types of rows and settings, and all of the
options, come from the declarations that the package reads files and command lines by."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.json_schema import models_json_schema

from pairopt.api.request import OF_EVENT, OF_MATCH, REQUEST
from pairopt.common.limits import IN_REQUESTS
from pairopt.engines.base import Status
from pairopt.event.settings import SETTINGS
from pairopt.files.csv_schema import MatchRow, PlayerRow
from pairopt.problem.model_file import Objective
from pairopt.problem.option_declaration import OptionDeclaration
from pairopt.problem.options import SolveOptions, declared_options

FILE = Path(__file__).parents[2] / "docs" / "door.json"
SAID = tomllib.loads(Path(__file__).with_name("door.toml").read_text(encoding="utf-8"))
PLAYERS, ROUNDS, COLUMNS, QUESTIONS, SECONDS = IN_REQUESTS.values()
Item = TypeVar("Item")
Some = Annotated[list[Item], Field(min_length=1, max_length=PLAYERS)]
Many = Annotated[list[Item], Field(max_length=PLAYERS)]
Few = Annotated[list[Item], Field(max_length=QUESTIONS)]
ByRound = Annotated[list[Item], Field(max_length=ROUNDS)]
Text = Annotated[str, Field(max_length=1000)]
Name = Text | int
Pair = Annotated[list[Name], Field(min_length=2, max_length=2)]
Number = int | Decimal | Text
Whole = int | str  # as text where it has more digits than other programs hold
CELLS: Mapping[Any, Any] = {
    str: Name,
    int | None: int,
    bool | None: bool,
    Decimal | None: Number,
    tuple[Decimal, ...]: ByRound[Number],
}
"""What JSON has for a cell, by what its text is read as."""
READINGS: Mapping[str, Any] = {
    "names": Many[Name],
    "pairs": Many[Pair],
    "name": Name,
    "labels": Pair,
    "flag": bool,
    "switch": bool,
    "engine": Text,
    "text": Text,
}
"""The same of an option, by how its text is read."""
RULES: Mapping[str, Any] = {
    "label": Text,
    "labels": Few[Name],
    "ahead": int | Literal["all"],
    "number": int,
    "choice": Text,
    "points": dict[str, Any],
    "columns": Few[dict[str, Any]],
}
"""The same of a setting, by its form."""
ELSEWHERE = ("place", "round", "workers", "sides")
"""What a form does not have: places, and options of a call on this machine."""


class Known(BaseModel):
    """A form whose values have their types, with no other keys."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Further(BaseModel):
    """The same with further keys of one value each."""

    model_config = ConfigDict(extra="allow", strict=True)
    __pydantic_extra__: dict[str, Name | bool | Decimal | None]


class Open(BaseModel):
    """A form of what is told, which has the fields of its kind, too."""

    model_config = ConfigDict(extra="allow")


BASES: Mapping[str, type[BaseModel]] = {
    "Player": Further,
    "Told": Open,
    "Error": Open,
    "Reason": Open,
}
NAMES: Mapping[str, Any] = {
    "Some": Some,
    "Many": Many,
    "Few": Few,
    "ByRound": ByRound,
    "Text": Text,
    "Name": Name,
    "Pair": Pair,
    "Whole": Whole,
    "Status": Status,
    "Objective": Objective,
    "Any": Any,
    "Literal": Literal,
}
"""What the types in door.toml are called."""
Key = tuple[Any, bool, str]
"""The type of a key (a text where it names another form), whether it is needed, and its words."""


def _option(declared: OptionDeclaration) -> Key:
    kind = READINGS.get(declared.reading)
    if declared.choices:
        kind = Literal[*declared.choices]
    elif declared.allowed is not None:
        kind = Annotated[int, Field(ge=declared.allowed[0], le=declared.allowed[-1])]
    elif declared.reading == "seconds":
        kind = Annotated[int, Field(ge=1, le=SECONDS)]
    return kind, False, declared.help.removesuffix(" Repeatable.")


def _row(name: str, kind: type, needed: str) -> dict[str, Key]:
    hints = {
        key: hint for key, hint in get_type_hints(kind).items() if key not in ELSEWHERE
    }
    return {
        key: (CELLS[hint], key == needed, SAID[name][key])
        for key, hint in hints.items()
    }


def _said(keys: Mapping[str, Any]) -> dict[str, Key]:
    return {
        key: (kind.rstrip("?"), not kind.endswith("?"), words)
        for key, (kind, words) in keys.items()
    }


def _form(name: str, keys: Mapping[str, Key]) -> type[BaseModel]:
    given: dict[str, Any] = {}
    for key, (kind, needed, words) in keys.items():
        usual = ... if needed else None
        either = (
            kind
            if needed
            else f"{kind} | None"
            if isinstance(kind, str)
            else kind | None
        )
        given[key] = (either, Field(usual, description=words))
    return create_model(
        name, __base__=BASES.get(name, Known), __module__=__name__, **given
    )


def _forms() -> dict[str, Any]:
    declared = {
        "Player": _row("Player", PlayerRow, "player"),
        "Match": _row("Match", MatchRow, "player1"),
        "Event": {
            key: (
                RULES[SETTINGS[key].form] if key in SETTINGS else Many[Any],
                False,
                words,
            )
            for key, words in SAID["Event"].items()
        },
        "Options": {
            name: _option(declared)
            for name, declared in declared_options(SolveOptions).items()
            if name not in ELSEWHERE
        },
    }
    every = {
        name: _said(keys)
        for name, keys in SAID.items()
        if name not in ("door", *declared)
    }
    made: dict[str, Any] = {
        name: _form(name, keys) for name, keys in (declared | every).items()
    }
    for form in made.values():
        form.model_rebuild(_types_namespace={**NAMES, **made})
    return made


FORMS: Mapping[str, Any] = _forms()
ENDS = {"Request": "validation", "Answer": "serialization", "Refusal": "serialization"}


def schema() -> dict[str, Any]:
    """Request, answer and refusal as a JSON Schema."""
    made = models_json_schema([(FORMS[name], mode) for name, mode in ENDS.items()])[1]  # type: ignore[misc]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", **SAID["door"]}
    return {**head, "oneOf": [{"$ref": f"#/$defs/{name}"} for name in ENDS], **made}


def text() -> str:
    """The file as the declarations have it."""
    assert {*SAID["Request"]} == {*REQUEST}
    assert {*SAID["Event"]} == {*OF_EVENT}
    assert {*SAID["Match"]} == {*OF_MATCH}
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
