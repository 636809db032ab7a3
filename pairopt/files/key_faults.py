"""Key faults: what is wrong with a TOML file of a schema, as faults that name the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, get_origin

from pydantic import BaseModel, ValidationError

from pairopt.errors import Fault, JsonPath

Tables = Mapping[str, type[BaseModel]]
"""The tables of a file by the key that they stand under."""


def faults_of(error: ValidationError, file: type[BaseModel], tables: Tables) -> list[Fault]:
    """The faults of pydantic's error."""
    own = {key for table in (file, *tables.values()) for key in _names(table)}
    return [_fault(each, file, tables, own) for each in error.errors()]


def _fault(error: Any, file: type[BaseModel], tables: Tables, own: set[str]) -> Fault:
    loc: Sequence[int | str] = error["loc"]
    first = file.model_fields.get(str(loc[0])) if loc else None
    any_key = first is not None and get_origin(first.annotation) is Mapping
    key = ""
    for part in loc:
        if isinstance(part, int):
            key += f"[{part}]"
        elif part in own or any_key or not key:  # others are the types of a union
            key += f".{part}" if key else str(part)
    if error["type"] == "extra_forbidden":
        table = tables.get(str(loc[0]), file) if len(loc) > 1 else file
        known = ", ".join(_names(table))
        return Fault(f"unknown key {loc[-1]!r}; known keys: {known}", JsonPath(key))
    if error["type"] == "missing":
        return Fault("missing", JsonPath(key))
    said = str(error["msg"]).removeprefix("Value error, ")
    return Fault(f"{said[:1].lower()}{said[1:]} (found {shown(error['input'])})", JsonPath(key))


def _names(table: type[BaseModel]) -> list[str]:
    """The keys of a table."""
    return [field.alias or name for name, field in table.model_fields.items()]


def shown(found: object) -> str:
    """A value of a file as an error quotes it."""
    text = str(found) if isinstance(found, Decimal) else repr(found)
    return text if len(text) <= 60 else f"{text[:57]}..."
