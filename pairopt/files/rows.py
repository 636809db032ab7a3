"""Rows of a pairing: matches.csv without the demand that its earlier rounds make an event."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pairopt.errors import InputError
from pairopt.files.schema import MatchRow, validated
from pairopt.files.source import read_bytes
from pairopt.files.tables import as_table, is_frame
from pairopt.files.workbook import table_in

if TYPE_CHECKING:
    import pandas as pd


def read_round(given: str | Path | pd.DataFrame, number: int) -> tuple[str, list[MatchRow]]:
    """The name of a file of matches, and its rows of a round.

    Raises InputError with every fault of the file, or where it has no such rows.
    """
    if is_frame(given):
        table = as_table(given, "pairings")
    else:
        table = table_in(str(given), read_bytes(str(given)), lambda t: "player1" in t.columns)
    rows = validated(table, MatchRow, ("round", "player1", "player2"))
    here = [row for row in rows if row.round == number]
    if not here:
        raise InputError(table.name, f"no rows of round {number}")
    return table.name, here
