"""JSON: the values in a text that nobody vouches for; loaded only where there is some."""

from __future__ import annotations

import json
from typing import Any

from pairopt.bounds import MOST_CELLS
from pairopt.errors import Fault, InputError, TextPlace
from pairopt.files.source import Source
from pairopt.words import tell

LONGEST_INTEGER = 15


def loaded(source: Source, **hooks: Any) -> Any:
    """The values in a text, with those hooks of `json.loads`; decimals and longer integers are
    texts, NaN a word. Raises InputError for what is no JSON, or has more than any event."""
    if sum(map(source.text.count, "[{,")) > MOST_CELLS:
        raise InputError(source.name, "nrtm.too_many_values", most=MOST_CELLS)
    try:  # 1e999999999 stays short
        how = {"parse_float": str, "parse_int": _integer, "parse_constant": str, **hooks}
        return json.loads(source.text, **how)
    except json.JSONDecodeError as error:
        place = TextPlace(error.lineno, str(error.colno))
        fault = Fault(tell("nrtm.no_json", why=error.msg), place)
        raise InputError(source.name, [fault]) from None
    except RecursionError:
        raise InputError(source.name, "nrtm.too_deep") from None


def _integer(text: str) -> int | str:
    return int(text) if len(text) <= LONGEST_INTEGER else text
