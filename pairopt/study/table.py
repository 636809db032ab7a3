"""Table: the rows of a study, one a model, replicate and round, as CSV text."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pairopt.errors import Cell, Fault, InputError
from pairopt.event.arcs import IntArray
from pairopt.io import write
from pairopt.io.source import read_source
from pairopt.study.metrics import PAIRING, RANKING, Value

if TYPE_CHECKING:
    import pandas as pd

KEYS: Final = ("model", "replicate", "round")
NUMBERS: Final = ("round", "players", *RANKING, *PAIRING)
STUDY_COLUMNS: Final = (*KEYS, "players", "engine", "status", *RANKING, *PAIRING, "levels")
LARGEST: Final = 1e12
"""Beyond all that a study counts; no figure of larger numbers can be drawn."""
StudyRow = Mapping[str, Value]


def header(timings: bool) -> str:
    """The first line of a study's file; seconds are there only on request."""
    return write.rows_text([_columns(timings)])


def rows_text(rows: Iterable[StudyRow], timings: bool) -> str:
    """Rows without the header: a cell is empty where a metric has no value."""
    columns = _columns(timings)
    return write.rows_text([_cell(row.get(name)) for name in columns] for row in rows)


def _columns(timings: bool) -> tuple[str, ...]:
    return (*STUDY_COLUMNS, *(["seconds"] * timings))


def _cell(value: Value) -> str:
    """Numbers with 6 decimals at most; nothing for what has no value."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return str(value)


def frame_of(text: str) -> pd.DataFrame:
    """A study's file as a DataFrame; only an empty cell is no value, as a model may be "nan"."""
    import pandas as pd

    return pd.read_csv(
        io.StringIO(text), dtype={"model": str, "levels": str}, keep_default_na=False,
        na_values=[""], index_col=False, low_memory=False,
    )  # fmt: skip


def read_table(path: str | Path) -> pd.DataFrame:
    """The file of a study. Raises InputError for one that is none, with row and column."""
    source = read_source(path)
    try:
        frame = frame_of(source.text)
    except ValueError as error:
        raise InputError(
            source.name, f"not a table of `pairopt study`: {str(error).strip()}"
        ) from None
    if missing := [name for name in STUDY_COLUMNS if name not in frame]:
        raise InputError(source.name, f"no column {missing[0]!r}: not a table of `pairopt study`")
    faults = [
        Fault(f"expected a {'number' if name in NUMBERS else name}", Cell(row, name))
        for name in (*KEYS, *NUMBERS[1:])
        for row in _wrong(frame[name], name).tolist()
    ]
    if faults:
        raise InputError(source.name, faults)
    return frame


def _wrong(column: pd.Series[Any], name: str) -> IntArray:
    """The rows, counting the header as 1, of cells that are not what the column holds."""
    import pandas as pd

    bad = column.isna() if name in KEYS else np.zeros(len(column), np.bool_)
    if name in NUMBERS:
        number = pd.to_numeric(column, errors="coerce")
        bad = bad | (column.notna() & ~(number.abs() < LARGEST))
    return np.flatnonzero(bad) + 2
