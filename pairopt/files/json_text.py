"""JSON: the values in a text, and what is wrong with them by their places; loaded only where there
is some."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pairopt.bounds import MOST_CELLS
from pairopt.errors import Fault, InputError, JsonPath, TextPlace, UnfitError
from pairopt.files.source import Source
from pairopt.wording import LONGEST
from pairopt.words import tell

LONGEST_INTEGER = 15
Number = Callable[[str], Any]


def loaded(source: Source, number: Number = str, **hooks: Any) -> Any:
    """The values in a text; decimals and longer integers are what `number` makes of them, and NaN a
    word. Raises InputError for what is no JSON, or has more than any event."""
    if sum(map(source.text.count, "[{,")) > MOST_CELLS:
        raise InputError(source.name, "nrtm.too_many_values", most=MOST_CELLS)
    try:  # 1e999999999 stays short
        return json.loads(source.text, parse_float=number, parse_int=_integer,
                          parse_constant=str, **hooks)  # fmt: skip
    except json.JSONDecodeError as error:
        place = TextPlace(error.lineno, str(error.colno))
        fault = Fault(tell("nrtm.no_json", why=error.msg), place)
        raise InputError(source.name, [fault]) from None
    except RecursionError:
        raise InputError(source.name, "nrtm.too_deep") from None


def _integer(text: str) -> int | str:
    return int(text) if len(text) <= LONGEST_INTEGER else text


def fault_of(error: Any) -> Fault:
    """What pydantic says of a value, as a fault with its place."""
    keys = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error["loc"]).lstrip(".")
    cause = (error.get("ctx") or {}).get("error")
    why = cause.said if isinstance(cause, UnfitError) else error["msg"]
    found = error["input"]
    said = tell("cell.unfit", found=found if found is None else str(found)[: LONGEST + 1], said=why)
    if error["type"] == "missing":
        said = tell("nrtm.missing")
    elif error["type"] == "too_long":
        said = tell("nrtm.too_long", most=error["ctx"]["max_length"])
    elif error["type"] == "extra_forbidden":
        said = tell("request.unknown")
    return Fault(said, JsonPath(keys))
