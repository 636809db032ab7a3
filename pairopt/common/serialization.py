"""Serialization: values as JSON and data frames hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

LARGEST_EXACT_INTEGER = 2**53 - 1
"""The largest integer that a 64-bit float holds exactly (RFC 8259, section 6)."""


def to_record(value: Any, *names: str) -> dict[str, Any]:
    """Return fields and properties of a dataclass instance by name, as JSON values.

    `names` are the fields and properties to return. Without names the record has all
    fields, and no properties.
    """
    field_names = names or tuple(
        dataclass_field.name for dataclass_field in fields(value)
    )
    return {
        field_name: json_value(getattr(value, field_name)) for field_name in field_names
    }


def to_records(values: Iterable[Any], *names: str) -> list[dict[str, Any]]:
    """Return the record of each value, a dataclass instance, as a list of dicts.

    `names` are the fields and properties in each record; without them it has all
    fields. Their values are in a form that JSON can hold.
    """
    return [to_record(value, *names) for value in values]


def json_value(value: Any) -> Any:
    """Return a value in a form that JSON can hold exactly.

    Dataclass instances and mappings become dicts, tuples lists, and integers beyond
    2**53 - 1 strings; values inside are converted, too. Any other value stays as it is,
    even one that JSON does not have.
    """
    if is_dataclass(value):
        return to_record(value)
    if isinstance(value, Mapping):
        return {
            mapping_key: json_value(nested_value)
            for mapping_key, nested_value in value.items()
        }
    if isinstance(value, list | tuple):
        return [json_value(nested_value) for nested_value in value]
    if isinstance(value, int) and abs(value) > LARGEST_EXACT_INTEGER:
        return str(value)
    return value


@cache
def read_package_toml(package: str, place: str) -> Mapping[str, Any]:
    """Read a TOML file that ships in a package; return {} if there is none.

    `place` is its path inside the package. The result is cached, so do not change it.
    """
    # `import pairopt` alone reads no table.
    import tomllib
    from pkgutil import get_data

    with suppress(FileNotFoundError):
        return tomllib.loads((get_data(package, place) or b"").decode())
    return {}


def to_data_frame(values: Iterable[Any], *names: str) -> pd.DataFrame:
    """Return a data frame with one row per value and one column per name.

    `names` are fields or properties of the values. Cells hold these as they are, with
    dtype object.
    """
    # pandas takes a third of a second to import, and only tables need it.
    import pandas as pd

    cell_rows = [
        [getattr(instance, column_name) for column_name in names] for instance in values
    ]
    return pd.DataFrame(cell_rows, columns=list(names), dtype=object)
