"""Tables of a study: its rounds, one row per model, replicate and round, and its games.

Numbers have at most 6 decimals. A column is int64 if all its numbers are whole, otherwise, or if
values are missing (NaN), float64. So the types are those that pandas finds in the CSV file.
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
"""The tables of a task by name: "rounds", and "games" if they are kept."""
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
# no figure of larger numbers can be drawn
LARGEST: Final = 1e12
TEXTS: Final = ("model", "engine", "status", "levels")
# rows of a piece of a file
ROWS: Final = 100_000
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
    """List the columns of a study's rounds, in order.

    `worlds` are the columns of its grid, `metrics` those of its further metrics. With
    `timings` there is also a column `seconds`.
    """
    model_column, *standard_columns = STUDY_COLUMNS
    all_columns = (model_column, *worlds, *standard_columns, *metrics)
    return (*all_columns, "seconds") if timings else all_columns


def games_columns(worlds: Iterable[str]) -> tuple[str, ...]:
    """List the columns of a study's games, in order; `worlds` are columns of its grid."""
    model_column, *standard_columns = GAMES
    return (model_column, *worlds, *standard_columns)


def list_games(
    model: str, replicate: int, played: Tournament
) -> list[dict[str, Value]]:
    """List the matches and byes of a tournament as rows, each a mapping of cells.

    `played` is the tournament. The columns are model, replicate, round, table, player1,
    player2, strength1, strength2, side1 (0 for the first side), score1, score2 and
    status ("bye", "forfeit" or None). `model` and `replicate` are written into each
    row. Players count from 1, scores are in points. A cell is None if it has no value,
    for example the opponent in a bye.
    """
    played_games = played.games
    strengths = played.strength
    points_scale = played.event.scale
    is_match = played_games.second >= 0
    cell_columns = [
        played_games.round,
        _mask_unknown(played_games.table > 0, played_games.table),
        played_games.first + 1,
        _mask_unknown(is_match, played_games.second + 1),
        strengths[played_games.first],
        _mask_unknown(is_match, strengths[played_games.second]),
        _mask_unknown(played_games.side >= 0, played_games.side),
        played_games.score1 / points_scale,
        _mask_unknown(is_match, played_games.score2 / points_scale),
        np.array(
            [STATUS.get(status_code) for status_code in played_games.status.tolist()]
        ),
    ]
    cell_rows = zip(
        *(cell_column.tolist() for cell_column in cell_columns), strict=True
    )
    return [
        dict(zip(GAMES, (model, replicate, *cell_row), strict=True))
        for cell_row in cell_rows
    ]


def _mask_unknown(
    is_known: BoolArray, values: IntArray | FloatArray
) -> NDArray[np.object_]:
    """Return the values as an array of objects, with None where `is_known` is False."""
    object_values = values.astype(object)
    object_values[~is_known] = None
    return object_values


def by_world(
    frame: pd.DataFrame, merge: bool = False
) -> list[tuple[dict[str, Value], pd.DataFrame]]:
    """Split a study's table `frame` by world, in the order of the table.

    Returns for each world its values in the columns `world_...`, by column, and its
    rows. With `merge`, or without such columns, all rows are those of one world without
    such values.
    """
    world_columns = [
        setting_column
        for setting_column in map(str, frame.columns)
        if setting_column.startswith(RESERVED)
    ]
    if merge or not world_columns:
        return [({}, frame)]
    world_groups = frame.groupby(world_columns, sort=False, dropna=False)
    return [
        (
            {
                setting_column: world_rows[setting_column].iloc[0]
                for setting_column in world_columns
            },
            world_rows,
        )
        for _, world_rows in world_groups
    ]


def list_further_metrics(columns: Iterable[str]) -> list[str]:
    """List those of the columns that belong to further metrics.

    These are all but the columns that every study has, `seconds`, and those of a grid.
    """
    standard_columns = {*STUDY_COLUMNS, "seconds"}
    return [
        table_column
        for table_column in columns
        if table_column not in standard_columns
        and not table_column.startswith(RESERVED)
    ]


def build_table(
    rows: Sequence[Mapping[str, Value]], columns: Sequence[str]
) -> pd.DataFrame:
    """Convert the rows of a task to a table with these columns.

    A cell that a row does not have is missing; cells of other columns are left out.
    """
    cells_by_column = {}
    for column_name in columns:
        cells_by_column[column_name] = _convert_column(
            column_name, [task_row.get(column_name) for task_row in rows]
        )
    return pd.DataFrame(cells_by_column)


def _convert_column(name: str, values: Sequence[Value]) -> pd.Series[Any] | FloatArray:
    """Convert values to a column of texts, or of float64 numbers with 6 decimals.

    A column named model, engine, status or levels, or with any text, has texts; an
    empty text and None are missing values. None among numbers is nan. `name` is that of
    the column.
    """
    value_types = {*map(type, values)}
    if name in TEXTS or any(issubclass(value_type, str) for value_type in value_types):
        cell_texts = [cell_value if cell_value != "" else None for cell_value in values]
        return pd.Series(cell_texts, dtype="str")
    if not value_types <= {int, type(None)}:
        values = [
            unrounded_number
            if unrounded_number is None or isinstance(unrounded_number, int)
            else round(float(unrounded_number), 6)
            for unrounded_number in values
        ]
    return np.array(values, np.float64)


def concatenate_parts(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Join the tables `parts` of several tasks below each other, as one new table.

    A column whose numbers are all whole becomes int64; with other or missing values it
    stays float64. `levels` becomes a category. Raises ValueError without any table.
    """
    joined_frame = pd.concat(parts, ignore_index=True)
    number_columns = joined_frame.select_dtypes("number")
    is_whole_column = ((number_columns % 1 == 0) & (number_columns.abs() < 2**53)).all()
    column_types = dict.fromkeys(
        map(str, is_whole_column.index[is_whole_column]), "int64"
    )
    if "levels" in joined_frame:
        column_types["levels"] = "category"
    return joined_frame.astype(column_types)


def csv_of(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the CSV text of a table in pieces: first the header, then the rows.

    A piece has up to 100,000 (`ROWS`) rows. `frame` is the table, whose index is left
    out. A missing value is an empty cell; floating-point numbers have at most 6
    decimals.
    """
    yield write.rows_text([frame.columns])
    for first_row in range(0, len(frame), ROWS):
        row_chunk = frame.iloc[first_row : first_row + ROWS]
        cell_columns = [
            _format_cells(chunk_column) for _, chunk_column in row_chunk.items()
        ]
        yield write.rows_text(zip(*cell_columns, strict=True))


def _format_cells(column: pd.Series[Any]) -> list[Any]:
    """Convert a column to CSV cells; a missing value is an empty text.

    Floating-point numbers have at most 6 decimals, without zeros at the end.
    """
    column_values: list[Any] = column.tolist()
    if column.dtype.kind != "f":
        return [
            "" if column_value is None or column_value != column_value else column_value
            for column_value in column_values
        ]
    return [
        ""
        if column_number != column_number
        else f"{column_number:.6f}".rstrip("0").rstrip(".")
        for column_number in column_values
    ]


def read_csv(
    text: bytes | Path, columns: Sequence[str] | None = None, texts: Sequence[str] = ()
) -> pd.DataFrame:
    """Read a study's table from its CSV file, or from the bytes of one.

    `text` is the path or the bytes. Only an empty cell is a missing value. `columns`
    limits the columns that are read, None for all; those that distinguish worlds are
    always read. `model` and the columns `texts` are read as texts even if they look
    like numbers, `levels` as a category. Raises the errors of pandas for anything that
    is no table.
    """
    csv_source = text if isinstance(text, Path) else io.BytesIO(text)
    column_types: Any = {
        "model": "str",
        "levels": "category",
        **dict.fromkeys(texts, "str"),
    }
    selects_column = (
        None if columns is None else lambda name: _is_selected(columns, name)
    )
    return pd.read_csv(
        csv_source,
        index_col=False,
        dtype=column_types,
        keep_default_na=False,
        na_values=[""],
        usecols=selects_column,
    )


def _is_selected(columns: Sequence[str], name: str) -> bool:
    """Return whether to read the column `name` of a file.

    It is read if it is in `columns`, or is a column `world_...` of a grid.
    """
    return name in columns or name.startswith(RESERVED)


def unpack_tables(raw: bytes, texts: Sequence[str] = TEXTS) -> Frames:
    """Read the tables of a finished task by name, from a zip archive of CSV files.

    `raw` are the bytes of the archive. The columns `texts` are read as texts even if
    they look like numbers. Raises BadZipFile and other errors of zipfile and pandas for
    anything else.
    """
    with zipfile.ZipFile(io.BytesIO(raw)) as zip_archive:
        return {
            member_name: read_csv(zip_archive.read(member_name), texts=texts)
            for member_name in zip_archive.namelist()
        }


def read_table(path: str | Path, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Read the table of a study's rounds from a CSV or Parquet file, and check it.

    `columns` limits the columns; those of model, world, replicate, round and players
    are always read. Raises InputError, with row and column, for a missing column or a
    cell of another type, and for a file that cannot be read.
    """
    required_columns: Sequence[str] = STUDY_COLUMNS
    selected_columns = None
    if columns is not None:
        selected_columns = [*dict.fromkeys((*KEYS, "players", *columns))]
        required_columns = selected_columns
    read_frame = _read_csv_or_parquet(Path(path), selected_columns)
    file_name = Path(path).name

    missing_columns = [
        required_column
        for required_column in required_columns
        if required_column not in read_frame
    ]
    if missing_columns:
        raise InputError(file_name, "study.no_column", column=missing_columns[0])

    cell_faults = []
    for required_column in (*KEYS, *NUMBERS[1:]):
        if required_column in read_frame:
            content_name = "number" if required_column in NUMBERS else required_column
            for row_number in _find_wrong_rows(
                read_frame[required_column], required_column
            ).tolist():
                fault_note = message("study.cell_unfit", what=content_name)
                cell_faults.append(
                    Fault(fault_note, CellLocation(row_number, required_column))
                )
    if cell_faults:
        raise InputError(file_name, cell_faults)
    return read_frame


def _read_csv_or_parquet(path: Path, columns: Sequence[str] | None) -> pd.DataFrame:
    """Read a CSV or Parquet file, told apart by its first bytes, not by its suffix.

    `columns` limits the columns, None for all; those of a grid are always read. Raises
    InputError if the file cannot be read, or is no table.
    """
    try:
        with path.open("rb") as opened_file:
            if opened_file.read(4) != PARQUET:
                return read_csv(path, columns)
        return _read_parquet(path, columns)
    except OSError as error:
        raise InputError(
            path.name, "file.unread", why=error.strerror or str(error)
        ) from None
    except (ValueError, LookupError) as error:
        raise InputError(path.name, "study.no_table", why=str(error).strip()) from None


def _read_parquet(path: Path, columns: Sequence[str] | None) -> pd.DataFrame:
    """Read a Parquet file, with the types that a CSV file would have.

    `columns` limits the columns, None for all; those of a grid are always read. Raises
    UsageError if pyarrow is not installed, and the errors of pyarrow for a damaged
    file.
    """
    parquet_module = require_extra(
        "pyarrow.parquet", "Parquet needs pyarrow", "parquet"
    )
    selected_columns = None
    if columns is not None:
        schema = parquet_module.read_schema(path)
        selected_columns = [
            schema_column
            for schema_column in schema.names
            if _is_selected(columns, schema_column)
        ]
    parquet_frame = pd.read_parquet(path, columns=selected_columns)
    number_columns = parquet_frame.select_dtypes("number")
    return concatenate_parts(
        [parquet_frame.astype(dict.fromkeys(number_columns, "float64"))]
    )


def _find_wrong_rows(column: pd.Series[Any], name: str) -> IntArray:
    """Return the row numbers of cells that the column `name` cannot have.

    The first row after the header is 2. `column` has the cells. A cell of model,
    replicate or round (`KEYS`) is wrong if it is missing. A cell of a column of numbers
    (`NUMBERS`) is wrong if it is neither missing nor a number whose absolute value is
    below 1e12. The array is empty if all are right.
    """
    is_wrong_cell = column.isna() if name in KEYS else np.zeros(len(column), np.bool_)
    if name in NUMBERS:
        parsed_numbers = pd.to_numeric(column, errors="coerce")
        is_wrong_cell = is_wrong_cell | (
            column.notna() & ~(parsed_numbers.abs() < LARGEST)
        )
    return np.flatnonzero(is_wrong_cell) + 2
