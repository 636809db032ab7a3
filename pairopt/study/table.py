"""Table: the rows of a study, one a model, replicate and round, as CSV text."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from typing import Final

from pairopt.study.metrics import PAIRING, RANKING, Value

KEYS: Final = ("model", "replicate", "round")
COLUMNS: Final = (*KEYS, "players", "engine", "status", *RANKING, *PAIRING, "levels")
Row = Mapping[str, Value]


def header(timings: bool) -> str:
    """The first line of a study's file; seconds are there only on request."""
    return ",".join([*COLUMNS, *(["seconds"] * timings)]) + "\n"


def rows_text(rows: Iterable[Row], timings: bool) -> str:
    """Rows without the header: a cell is empty where a metric has no value."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        cells = [_cell(row.get(name)) for name in COLUMNS]
        writer.writerow([*cells, _cell(row.get("seconds"))] if timings else cells)
    return out.getvalue()


def _cell(value: Value) -> str:
    """Numbers with 6 decimals at most; nothing for what has no value."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return str(value)
