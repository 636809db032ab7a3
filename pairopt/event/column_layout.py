"""Layout: how lists of matches and players are written, in files and for pandas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from pairopt.event.arcs import BoolArray
from pairopt.messages.formatting import decimal_text

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "round",
    "table",
    "player1",
    "player2",
    "side1",
    "score1",
    "score2",
    "status",
)
GAMES = (
    "games1",
    "games2",
    "games_drawn",
)
"""Further columns of a list of matches if the games of a match are known."""
ADJOURNED = "adjourned"
"""The column of a list of matches that marks adjourned games by true."""
K_COLUMN = "k"
"""The column of a list of players with the rating's development coefficient K."""
RATED = "rated"
"""The column of a list of matches that marks unrated games by false.

FIDE rates no game of less than one move.
"""
RATING_RESULT = "rating_result"
"""The column of a list of matches with a score that counts for the rating alone.

It is a result that was corrected too late for standings and pairings (C.04.2, 4.3).
"""
NAMES = ("name1", "name2")
NUMBERS = ("score", "score1", "score2", "rating")
"""Columns of decimal numbers."""
CellValue = str | int | bool | Fraction | None
"""The value of a cell; points are exact."""
STATUS = (
    None,
    None,
    "forfeit",
    "bye",
    "requested",
)
"""The mark of a row by its status: `PLAYED`, `FORFEIT`, `BYE_ROW`, `REQUESTED`."""
RESERVED_COLUMNS = (
    "name",
    "rating",
    "score",
    "table",
    "first_round_bye",
    "start",
    "virtual",
    "adjusted",
    "active",
)
"""Columns of players.csv with a meaning of their own; others are for `conflicts`."""
HALF_POINT_BYES = "half_point_byes"
"""The column of players.csv with "no" for players who may not have a half-point bye."""
TYPES = {
    **dict.fromkeys(("round", "table", "start", *GAMES), "Int64"),
    **dict.fromkeys(NUMBERS, "float64"),
    **dict.fromkeys(("active", "first_round_bye"), "boolean"),
}
"""The dtypes of columns in pandas; that of all others is string."""
TableColumns = Mapping[str, Sequence[CellValue]]
Cell = TypeVar("Cell", bound=CellValue)


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """The columns of a list of matches as the file spells them, and its signs.

    `separator` stands between two cells. `columns` is () without a list of matches yet;
    with `decimal_comma` a half is 0,5.
    """

    columns: tuple[str, ...] = ()
    separator: str = ","
    decimal_comma: bool = False

    def with_columns(self, names: Sequence[str]) -> ColumnLayout:
        """Return the layout with these columns at its end, if it does not have them.

        `names` are in lower case; the layout's own columns may be in any case.
        """
        lowercase_layout_columns = {
            layout_column.lower() for layout_column in self.columns
        }
        return replace(
            self,
            columns=(
                *self.columns,
                *(
                    added_column
                    for added_column in names
                    if added_column not in lowercase_layout_columns
                ),
            ),
        )

    def format_cells(self, row: Mapping[str, CellValue]) -> dict[str, str]:
        """Return the cells of a row as text by column, numbers with the decimal sign.

        None becomes an empty cell. Only the columns in `NUMBERS` get a decimal comma,
        and only if the layout has `decimal_comma`; otherwise numbers keep the point.
        """
        cell_text_by_column = {
            column_name: cell_text(cell_value)
            for column_name, cell_value in row.items()
        }
        if self.decimal_comma:
            cell_text_by_column |= {
                number_column: cell_text_by_column[number_column].replace(".", ",")
                for number_column in NUMBERS
                if number_column in cell_text_by_column
            }
        return cell_text_by_column

    def order_cells(self, cells: Mapping[str, str]) -> list[str]:
        """Return the cells of a row in the order of the layout's columns.

        A column without a cell has "". Cells of other columns are left out.
        """
        return [cells.get(layout_column.lower(), "") for layout_column in self.columns]


def rows_of_columns(columns: Mapping[str, Sequence[Cell]]) -> list[dict[str, Cell]]:
    """Return a table, given by its columns of equal length, as one dict for each row.

    Each dict has the columns' names as keys, in their order. Raises ValueError if the
    columns have different lengths.
    """
    return [
        dict(zip(columns, cells_of_row, strict=True))
        for cells_of_row in zip(*columns.values(), strict=True)
    ]


def cell_text(value: CellValue) -> str:
    """Return a cell as text: a fraction as a decimal, true or false, "" for None.

    Any other `value` is converted by `str`. Decimals are exact.
    """
    if isinstance(value, Fraction):
        return decimal_text(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def data_frame_of(columns: TableColumns) -> pd.DataFrame:
    """Return columns as a DataFrame; `TYPES` has their dtypes, "string" for all others.

    "" and None become missing values, and fractions floats. pandas is imported here.
    """
    # pandas takes a third of a second to import, and only tables need it.
    import pandas as pd

    def pandas_value(cell_value: CellValue) -> object:
        """Return a cell as pandas takes it: a float for a fraction, None for "".

        Any other value stays as it is.
        """
        if isinstance(cell_value, Fraction):
            return float(cell_value)
        return None if cell_value == "" else cell_value

    series_by_column = {}
    for column_name, cells_of_column in columns.items():
        pandas_values = [pandas_value(cell_value) for cell_value in cells_of_column]
        series_by_column[column_name] = pd.Series(
            pandas_values, dtype=TYPES.get(column_name, "string")
        )
    return pd.DataFrame(series_by_column)


def cells_where(values: Iterable[CellValue], mask: BoolArray) -> list[CellValue]:
    """Return the values as a list, with None where the mask is False.

    Raises ValueError if they are not as many as the entries of the mask.
    """
    return [
        cell_value if is_kept else None
        for cell_value, is_kept in zip(values, mask.tolist(), strict=True)
    ]
