"""Every other value in every place of a true file: a walk over JSON."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Way = tuple[Any, ...]


def changed(value: Any) -> Iterator[tuple[str, Any]]:
    """Other values than this one."""
    if isinstance(value, bool):
        yield "not", not value
        yield "number", int(value)
    elif isinstance(value, int):
        yield "one more", value + 1
        yield "one less", value - 1
        yield "minus", -value if value else -1
        yield "huge", 10**18 + value
        yield "float", float(value)
        yield "text", str(value)
        yield "null", None
        yield "listed", [value]
        if value in (0, 1):
            yield "bool", bool(value)
    elif isinstance(value, str):
        yield "longer", value + "x"
        yield "empty", "" if value else "x"
        yield "upper", value.upper() if value.upper() != value else value + " "
        yield "null", None
        yield "number", 1
        yield "listed", [value]
    elif value is None:
        yield "zero", 0
        yield "empty", []
        yield "text", "null"
        yield "false", False
    elif isinstance(value, list):
        yield "one more", [*value, copy.deepcopy(value[-1]) if value else 0]
        if value:
            yield "first left out", value[1:]
            yield "last left out", value[:-1]
        if len(value) > 1:
            yield "doubled first", [copy.deepcopy(value[0]), *value]
            if value[0] != value[1]:
                yield "swapped", [value[1], value[0], *value[2:]]
            if value != value[::-1]:
                yield "reversed", value[::-1]
        yield "null", None
        yield "object", {str(k): each for k, each in enumerate(value)}
        yield "number", len(value)
    else:
        yield "null", None
        yield "list", list(value.values())
        yield "another key", {**value, "more": 0}
        for key in value:
            yield f"without {key}", {k: v for k, v in value.items() if k != key}
            yield (
                f"{key} renamed",
                {k if k != key else k + "x": v for k, v in value.items()},
            )
        if len(value) > 1:
            yield "keys in another order", dict(reversed(value.items()))


def places(value: Any, way: Way = ()) -> Iterator[tuple[Way, Any]]:
    """All values in a file, the containers too."""
    yield way, value
    children = (
        enumerate(value)
        if isinstance(value, list)
        else (value.items() if isinstance(value, dict) else ())
    )
    for key, child in children:
        yield from places(child, (*way, key))


def put_at(file: Any, way: Way, value: Any) -> Any:
    """The file with another value in one place; what is beside the way there is shared."""
    if not way:
        return value
    new = copy.copy(file)
    new[way[0]] = put_at(file[way[0]], way[1:], value)
    return new


def all_changes(file: Any) -> Iterator[tuple[str, Any]]:
    """The file with each other value in each place."""
    for way, value in places(file):
        for name, other in changed(value):
            yield f"{'.'.join(map(str, way))}: {name}", put_at(file, way, other)
