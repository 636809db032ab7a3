"""Parquet: tables with typed columns, by way of pyarrow."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairopt.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

ROWS = 1 << 24
"""Characters of CSV in a group of rows, about 100,000 rows: its size is not that of the tasks."""


def arrow() -> Any:
    """pyarrow. Raises UsageError where it is not installed."""
    try:
        import pyarrow
    except ImportError:
        raise UsageError('Parquet needs pyarrow: pip install "pairopt[parquet]"') from None
    return pyarrow


def content(columns: Sequence[str], texts: Iterable[str], types: Mapping[str, str]) -> bytes:
    """The rows of CSV texts as a Parquet file; a column without a type has 64-bit floats.

    Types are those of Arrow by name, "text" for texts that come again and again.
    """
    pa = arrow()
    from pyarrow import csv, parquet

    known = {name: _type(pa, types.get(name, "float64")) for name in columns}
    schema = pa.schema(list(known.items()))
    reading = {
        "read_options": csv.ReadOptions(column_names=list(columns), use_threads=False),
        "parse_options": csv.ParseOptions(newlines_in_values=True),
        "convert_options": csv.ConvertOptions(
            column_types={name: pa.string() if pa.types.is_dictionary(kind) else kind
                          for name, kind in known.items()},
            null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False,
        ),
    }  # fmt: skip
    made = io.BytesIO()
    with parquet.ParquetWriter(made, schema) as writer:
        for text in _groups(texts):
            table = csv.read_csv(pa.py_buffer(text.encode()), **reading)
            writer.write_table(table.cast(schema))
    return made.getvalue()


def frame_of(path: Path, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """A Parquet file as a DataFrame. Raises ValueError for one that cannot be read."""
    arrow()
    import pandas as pd

    try:
        return pd.read_parquet(path, columns=None if columns is None else list(columns))
    except OSError as error:
        raise ValueError(str(error)) from None


def _type(pa: Any, name: str) -> Any:
    if name == "text":
        return pa.dictionary(pa.int32(), pa.string())
    return getattr(pa, name)()


def _groups(texts: Iterable[str]) -> Iterable[str]:
    """The texts joined to some of about the same size."""
    waiting: list[str] = []
    size = 0
    for text in texts:
        waiting.append(text)
        size += len(text)
        if size >= ROWS:
            yield "".join(waiting)
            waiting, size = [], 0
    if size:
        yield "".join(waiting)
