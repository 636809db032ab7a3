"""Rows of a pairing: matches.csv without the demand that its earlier rounds make an event."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pairopt.errors import InputError
from pairopt.files.schema import MatchRow, validated
from pairopt.files.source import read_bytes
from pairopt.files.tables import as_table, is_frame, require
from pairopt.files.workbook import table_in

if TYPE_CHECKING:
    import pandas as pd


def read_rows(given: str | Path | pd.DataFrame) -> tuple[str, list[MatchRow], Sequence[int]]:
    """The name of a file of matches, its rows, and the number of each row.

    Raises InputError with every fault.
    """
    if is_frame(given):
        table = as_table(given, "pairings")
    else:
        table = table_in(str(given), read_bytes(str(given)), lambda t: "player1" in t.columns)
    require(table, ["round", "player1", "player2"])
    rows, faults = validated(table, MatchRow)
    if faults:
        raise InputError(table.name, faults)
    return table.name, rows, table.rows
