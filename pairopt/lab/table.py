"""Table: the rows of a study as a DataFrame, one a model, replicate and round, and its games.

Numbers have 6 decimals at most: int64 where all of a column are whole, float64 where not, or where
some have no value (NaN). So the types are those that pandas finds in the CSV file.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pairopt.errors import CellLocation, Fault, InputError, require_extra
from pairopt.event.arcs import BoolArray, FloatArray, IntArray
from pairopt.event.event import BYE_ROW, FORFEIT
from pairopt.files import write
from pairopt.files.overwrite_guard import PARQUET
from pairopt.lab.grid import RESERVED, Value
from pairopt.lab.metrics.rounds import PAIRING, RANKING
from pairopt.lab.simulating import Tournament
from pairopt.messages import message

Frames = Mapping[str, pd.DataFrame]
"""The tables of a task: its "rounds", and its "games" if they are kept."""
KEYS: Final = ("model", "replicate", "round")
NUMBERS: Final = ("round", "players", *RANKING, *PAIRING)
STUDY_COLUMNS: Final = (
    *KEYS,
    "players",
    "engine",
    "status",
    *RANKING,
    *PAIRING,
    "levels",
)
LARGEST: Final = 1e12  # no figure of larger numbers can be drawn
TEXTS: Final = ("model", "engine", "status", "levels")
ROWS: Final = 100_000  # in a piece of a file
GAMES: Final = (
    "model",
    "replicate",
    "round",
    "table",
    "player1",
    "player2",
    "strength1",
    "strength2",
    "side1",
    "score1",
    "score2",
    "status",
)
"""Players are numbers from 1 (as in p1), `side1` 0 for the first side, 1 for the second; scores
are in points, strengths in Elo points; `status` is "bye", "forfeit" or empty."""
STATUS: Final = {BYE_ROW: "bye", FORFEIT: "forfeit"}


def study_columns(
    timings: bool, metrics: Sequence[str] = (), worlds: Sequence[str] = ()
) -> tuple[str, ...]:
    """The columns of a study; those of its grid, of its metrics, and seconds if there are such."""
    model, *rest = STUDY_COLUMNS
    return (model, *worlds, *rest, *metrics, *(["seconds"] * timings))


def games_columns(worlds: Iterable[str]) -> tuple[str, ...]:
    model, *rest = GAMES
    return (model, *worlds, *rest)


def games_of(model: str, replicate: int, played: Tournament) -> list[dict[str, Value]]:
    games, strength, scale = played.games, played.strength, played.event.scale
    met = games.second >= 0
    columns = [
        games.round,
        _mask_unknown(games.table > 0, games.table),
        games.first + 1,
        _mask_unknown(met, games.second + 1),
        strength[games.first],
        _mask_unknown(met, strength[games.second]),
        _mask_unknown(games.side >= 0, games.side),
        games.score1 / scale,
        _mask_unknown(met, games.score2 / scale),
        np.array([STATUS.get(k) for k in games.status.tolist()]),
    ]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [dict(zip(GAMES, (model, replicate, *row), strict=True)) for row in rows]


def _mask_unknown(
    known: BoolArray, values: IntArray | FloatArray
) -> NDArray[np.object_]:
    """The values that are known, None for the others."""
    found = values.astype(object)
    found[~known] = None
    return found


def by_world(
    frame: pd.DataFrame, merge: bool = False
) -> list[tuple[dict[str, Value], pd.DataFrame]]:
    """The rows of each world of a study's table, with the columns that tell it apart. With `merge`
    all rows together, as those of one world.
    """
    names = [name for name in map(str, frame.columns) if name.startswith(RESERVED)]
    if merge or not names:
        return [({}, frame)]
    groups = frame.groupby(names, sort=False, dropna=False)
    return [({name: rows[name].iloc[0] for name in names}, rows) for _, rows in groups]


def further(columns: Iterable[str]) -> list[str]:
    """The columns of metrics besides those that every study has."""
    known = {*STUDY_COLUMNS, "seconds"}
    return [
        name for name in columns if name not in known and not name.startswith(RESERVED)
    ]


def part_frame(
    rows: Sequence[Mapping[str, Value]], columns: Sequence[str]
) -> pd.DataFrame:
    cells = {name: [row.get(name) for row in rows] for name in columns}
    return pd.DataFrame({name: _column(name, values) for name, values in cells.items()})


def _column(name: str, values: Sequence[Value]) -> pd.Series[Any] | FloatArray:
    kinds = {*map(type, values)}
    if name in TEXTS or any(issubclass(kind, str) for kind in kinds):
        return pd.Series(
            [value if value != "" else None for value in values], dtype="str"
        )
    if not kinds <= {int, type(None)}:
        values = [
            x if x is None or isinstance(x, int) else round(float(x), 6) for x in values
        ]
    return np.array(values, np.float64)


def concatenate_parts(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    frame = pd.concat(parts, ignore_index=True)
    numbers = frame.select_dtypes("number")
    whole = ((numbers % 1 == 0) & (numbers.abs() < 2**53)).all()
    types = dict.fromkeys(map(str, whole.index[whole]), "int64")
    return frame.astype(types | ({"levels": "category"} if "levels" in frame else {}))


def csv_of(frame: pd.DataFrame) -> Iterator[str]:
    """The CSV text of a table, in pieces; a cell is empty where there is no value."""
    yield write.rows_text([frame.columns])
    for start in range(0, len(frame), ROWS):
        columns = frame.iloc[start : start + ROWS].items()
        yield write.rows_text(
            zip(*(_cells(column) for _, column in columns), strict=True)
        )


def _cells(column: pd.Series[Any]) -> list[Any]:
    """Numbers with 6 decimals at most; nothing for what has no value."""
    values: list[Any] = column.tolist()
    if column.dtype.kind != "f":
        return ["" if value is None or value != value else value for value in values]
    return ["" if x != x else f"{x:.6f}".rstrip("0").rstrip(".") for x in values]


def read_csv(
    text: bytes | Path, columns: Sequence[str] | None = None, texts: Sequence[str] = ()
) -> pd.DataFrame:
    """A table from its CSV; only an empty cell is no value, and `texts` are never numbers."""
    given = text if isinstance(text, Path) else io.BytesIO(text)
    types: Any = {"model": "str", "levels": "category", **dict.fromkeys(texts, "str")}
    chosen = None if columns is None else lambda name: _among(columns, name)
    return pd.read_csv(
        given,
        index_col=False,
        dtype=types,
        keep_default_na=False,
        na_values=[""],
        usecols=chosen,
    )


def _among(columns: Sequence[str], name: str) -> bool:
    """Whether a column is asked for; those that tell worlds apart always are."""
    return name in columns or name.startswith(RESERVED)


def unpack_tables(raw: bytes, texts: Sequence[str] = TEXTS) -> Frames:
    """The tables of a part of a study, which are CSV in a zip archive."""
    with zipfile.ZipFile(io.BytesIO(raw)) as part:
        return {
            each: read_csv(part.read(each), texts=texts) for each in part.namelist()
        }


def read_table(path: str | Path, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """The table of a study's rounds, or some of its columns besides model, world and round, from a
    file, CSV or Parquet. Raises InputError, with row and column.
    """
    chosen = None if columns is None else [*dict.fromkeys((*KEYS, "players", *columns))]
    frame, name = _read(Path(path), chosen), Path(path).name
    wanted = STUDY_COLUMNS if chosen is None else chosen
    if missing := [each for each in wanted if each not in frame]:
        raise InputError(name, "study.no_column", column=missing[0])
    faults = [
        Fault(
            message("study.cell_unfit", what="number" if each in NUMBERS else each),
            CellLocation(row, each),
        )
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
            if file.read(4) != PARQUET:
                return read_csv(path, columns)
        return _read_parquet(path, columns)
    except OSError as error:
        raise InputError(
            path.name, "file.unread", why=error.strerror or str(error)
        ) from None
    except (ValueError, LookupError) as error:
        raise InputError(path.name, "study.no_table", why=str(error).strip()) from None


def _read_parquet(path: Path, columns: Sequence[str] | None) -> pd.DataFrame:
    parquet, names = (
        require_extra("pyarrow.parquet", "Parquet needs pyarrow", "parquet"),
        None,
    )
    if columns is not None:
        names = [
            name for name in parquet.read_schema(path).names if _among(columns, name)
        ]
    frame = pd.read_parquet(path, columns=names)
    numbers = frame.select_dtypes("number")
    return concatenate_parts([frame.astype(dict.fromkeys(numbers, "float64"))])


def _wrong(column: pd.Series[Any], name: str) -> IntArray:
    """The rows, counting the header as 1, of cells that are not what the column holds."""
    bad = column.isna() if name in KEYS else np.zeros(len(column), np.bool_)
    if name in NUMBERS:
        number = pd.to_numeric(column, errors="coerce")
        bad = bad | (column.notna() & ~(number.abs() < LARGEST))
    return np.flatnonzero(bad) + 2
