"""Table: the rows of a study, one a model, replicate and round, as CSV text."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pairopt.errors import Cell, Fault, InputError
from pairopt.event.arcs import IntArray
from pairopt.files import write
from pairopt.files.guard import PARQUET
from pairopt.lab import parquet
from pairopt.lab.metrics.base import RESERVED, Value
from pairopt.lab.metrics.rounds import PAIRING, RANKING

if TYPE_CHECKING:
    import pandas as pd

KEYS: Final = ("model", "replicate", "round")
NUMBERS: Final = ("round", "players", *RANKING, *PAIRING)
STUDY_COLUMNS: Final = (*KEYS, "players", "engine", "status", *RANKING, *PAIRING, "levels")
LARGEST: Final = 1e12
"""Beyond all that a study counts; no figure of larger numbers can be drawn."""
TEXTS: Final = {"model": "str", "levels": "category"}
StudyRow = Mapping[str, Value]


def columns_of(
    timings: bool, metrics: Sequence[str] = (), worlds: Sequence[str] = ()
) -> tuple[str, ...]:
    """The columns of a study; those of its grid, of its metrics, and seconds if there are such."""
    model, *rest = STUDY_COLUMNS
    return (model, *worlds, *rest, *metrics, *(["seconds"] * timings))


def header(columns: Sequence[str]) -> str:
    """The first line of a file."""
    return write.rows_text([columns])


def rows_text(rows: Iterable[StudyRow], columns: Sequence[str]) -> str:
    """Rows without the header: a cell is empty where there is no value."""
    return write.rows_text([_cell(row.get(name)) for name in columns] for row in rows)


def further(columns: Iterable[str]) -> list[str]:
    """The columns of metrics besides those that every study has."""
    known = {*STUDY_COLUMNS, "seconds"}
    return [name for name in columns if name not in known and not name.startswith(RESERVED)]


def types_of(events: bool) -> dict[str, str]:
    """The types in Parquet of columns that are no 64-bit floats."""
    found = {"model": "string", "replicate": "string" if events else "int32", "round": "int16",
             "engine": "string", "status": "string", "levels": "text"}  # fmt: skip
    texts = [f"{RESERVED}{name}" for name in ("shape", "sides", "results", "strengths")]
    whole = {"players", *PAIRING} - {"bye_points", "group_distance"}
    whole |= {"table", "player1", "player2", "side1"}
    whole |= {f"{RESERVED}{name}" for name in ("players", "rounds", "games")}
    return found | dict.fromkeys(whole, "int32") | dict.fromkeys(texts, "string")


def _cell(value: Value) -> str:
    """Numbers with 6 decimals at most; nothing for what has no value."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return str(value)


def frame_of(text: str | Path, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """A study's CSV as a DataFrame; only an empty cell is no value, as a model may be "nan".

    Levels, which are long and come again, are categories: a million rows fit into memory.
    """
    import pandas as pd

    return pd.read_csv(
        text if isinstance(text, Path) else io.BytesIO(text.encode()),
        dtype=TEXTS,
        keep_default_na=False,
        na_values=[""],
        index_col=False,
        usecols=None if columns is None else list(columns),
    )


def read_table(path: str | Path, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """The file of a study, CSV or Parquet, or some of its columns besides model and rounds.

    Raises InputError for one that is none, with row and column.
    """
    chosen = None if columns is None else [*dict.fromkeys((*KEYS, "players", *columns))]
    frame = _read(Path(path), chosen)
    name = Path(path).name
    wanted = STUDY_COLUMNS if chosen is None else chosen
    if missing := [each for each in wanted if each not in frame]:
        raise InputError(name, f"no column {missing[0]!r}: not a table of `pairopt study`")
    faults = [
        Fault(f"expected a {'number' if each in NUMBERS else each}", Cell(row, each))
        for each in (*KEYS, *NUMBERS[1:])
        if each in frame
        for row in _wrong(frame[each], each).tolist()
    ]
    if faults:
        raise InputError(name, faults)
    return frame


def _read(path: Path, columns: Sequence[str] | None) -> pd.DataFrame:
    try:
        with path.open("rb") as file:
            if file.read(4) == PARQUET:
                return parquet.frame_of(path, columns)
        return frame_of(path, columns)
    except OSError as error:
        raise InputError(path.name, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise InputError(
            path.name, f"not a table of `pairopt study`: {str(error).strip()}"
        ) from None


def _wrong(column: pd.Series[Any], name: str) -> IntArray:
    """The rows, counting the header as 1, of cells that are not what the column holds."""
    import pandas as pd

    bad = column.isna() if name in KEYS else np.zeros(len(column), np.bool_)
    if name in NUMBERS:
        number = pd.to_numeric(column, errors="coerce")
        bad = bad | (column.notna() & ~(number.abs() < LARGEST))
    return np.flatnonzero(bad) + 2
