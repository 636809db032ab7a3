"""Records: values as JSON and tables hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

LARGEST_EXACT_INTEGER = 2**53 - 1
"""Larger integers lose digits in programs that hold numbers as 64-bit floats (RFC 8259, 6)."""


def to_record(value: Any, *names: str) -> dict[str, Any]:
    """The fields and properties of these names as JSON holds them; by default all fields."""
    chosen = names or tuple(each.name for each in fields(value))
    return {name: json_value(getattr(value, name)) for name in chosen}


def to_records(values: Iterable[Any], *names: str) -> list[dict[str, Any]]:
    return [to_record(value, *names) for value in values]


def json_value(value: Any) -> Any:
    """A value as any program reads it: numbers that are too large, and fractions, are texts."""
    if is_dataclass(value):
        return to_record(value)
    if isinstance(value, Mapping):
        return {name: json_value(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(each) for each in value]
    return (
        str(value)
        if isinstance(value, int) and abs(value) > LARGEST_EXACT_INTEGER
        else value
    )


@cache
def read_package_toml(package: str, place: str) -> Mapping[str, Any]:
    """A table of TOML that ships in a package; an empty one where there is none."""
    # `import pairopt` alone reads no table.
    import tomllib
    from pkgutil import get_data

    with suppress(FileNotFoundError):
        return tomllib.loads((get_data(package, place) or b"").decode())
    return {}


def to_data_frame(values: Iterable[Any], *names: str) -> pd.DataFrame:
    """A row for each value, with its fields and properties of these names as they are."""
    # pandas takes a third of a second to import, and only tables need it.
    import pandas as pd

    rows = [[getattr(value, name) for name in names] for value in values]
    return pd.DataFrame(rows, columns=list(names), dtype=object)
