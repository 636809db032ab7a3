"""Player lists: turn a list in any words into one with the columns of players.csv."""

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pairopt.errors import Fault, InputError
from pairopt.files.build_event import find_similar_names
from pairopt.files.column_headings import (
    MATCHES_CSV_COLUMNS,
    NAME_MEANINGS,
    UNNAMED,
    find_meanings,
    is_total,
)
from pairopt.files.csv_schema import DATE
from pairopt.files.text_tables import JOINED, TextTable
from pairopt.messages import Message, message
from pairopt.messages.formatting import shorten

FORMULA = re.compile(r"=[\w(+\"'$-]")
NOTHING = frozenset(
    {"-", "--", "\N{EN DASH}", "\N{EM DASH}", "/", "n/a", "unr", "unr.", "unrated"}
)
"""What is written for no rating."""


def is_player_list(table: TextTable) -> bool:
    """Return whether a table is a list of players."""
    columns = {*table.columns}
    found = (
        {*find_meanings(table.columns)}
        if MATCHES_CSV_COLUMNS.isdisjoint(columns)
        else set()
    )
    return "player" in columns or not NAME_MEANINGS.isdisjoint(found)


def with_pairopt_columns(table: TextTable) -> TextTable:
    """Rename the columns of a list of players to those of players.csv.

    Notes say what each column is taken for. Rows that count others or repeat the
    heading are left out. Any other table is returned unchanged. Raises InputError for
    formulas and for dates in place of names, if the list does not have these columns
    already.
    """
    if not is_player_list(table):
        return table
    table = _without_summary_rows(_with_player_column(table))
    found = dict(zip(table.columns, find_meanings(table.columns), strict=True))
    if "rating" not in table.columns and "rating" not in found.values():
        found = {
            column: "rating" if meaning == "national_rating" else meaning
            for column, meaning in found.items()
        }
    names = {
        column: meaning
        for column, meaning in found.items()
        if meaning and meaning not in {*NAME_MEANINGS, "first", column}
    }
    table = table.with_renamed_columns(names)
    if "rating" in table.cells:
        rating = [
            "" if cell.casefold() in NOTHING else cell for cell in table.cells["rating"]
        ]
        table = replace(table, cells={**table.cells, "rating": rating})
    named_only = table.find_heading("player") != "player"
    if named_only and (
        faults := find_similar_names(table.cells["player"], table.places)
    ):
        raise InputError(table.name, faults)
    if not table.called:
        return table
    _require_no_formulas(table)
    return replace(table, notes=(*table.notes, *_describe_columns(table)))


def _with_player_column(table: TextTable) -> TextTable:
    """Return the table with a column `player` of whole names, if necessary joined.

    If the table has a column `player`, the names go to a column `name`.
    """
    found = dict(zip(find_meanings(table.columns), table.columns, strict=True))
    whole, first, last = (found.get(each) for each in ("name", "first", "last"))
    target = "name" if "player" in table.columns else "player"
    if (
        first is not None
        and (family := last or whole) is not None
        and target not in table.columns
    ):
        both = [table.cells[first], table.cells[family]]
        cells = {
            column: cells for column, cells in table.cells.items() if column != first
        }
        cells[family] = [
            " ".join(filter(None, pair)) for pair in zip(*both, strict=True)
        ]
        made = replace(table, cells=cells).with_renamed_columns({family: target})
        return replace(made, called={**made.called, target: f"{first}{JOINED}{family}"})
    column = whole or last
    if column is None or target in table.columns or column == target:
        return table
    return table.with_renamed_columns({column: target})


def _without_summary_rows(table: TextTable) -> TextTable:
    """Return the table without repeated headings, and sums or remarks at its end."""
    headings = [
        table.find_heading(column).replace(JOINED, " ") for column in table.columns
    ]
    given = [heading if not UNNAMED.fullmatch(heading) else "" for heading in headings]
    rows = list(zip(*table.cells.values(), strict=True))
    there = np.array([[*row] not in (headings, given) for row in rows], np.bool_)
    players = table.cells.get("player", [""] * len(rows))
    for k in reversed(range(len(rows))):
        words = [*filter(None, rows[k])]
        remark = len(words) == 1 and " " in words[0] and not players[k]
        if not remark and not is_total(rows[k]):
            break
        there[k] = False
    left = [
        message(
            "listing.left_out",
            source=table.name,
            row=table.rows[k],
            cells=[*map(shorten, filter(None, rows[k]))],
        )
        for k in np.flatnonzero(~there).tolist()
    ]
    return (
        replace(table.select_rows(there), notes=(*table.notes, *left))
        if left
        else table
    )


def _require_no_formulas(table: TextTable) -> None:
    """Raise InputError for formulas, and for dates in the column of players."""
    faults = []
    for column, cells in table.cells.items():
        formulas = [k for k, cell in enumerate(cells) if FORMULA.match(cell)]
        dates = [
            k for k, cell in enumerate(cells) if column == "player" and DATE.match(cell)
        ]
        for rows, *kinds in (
            (formulas, "listing.formula", "listing.formulas"),
            (dates, "listing.date", "listing.dates"),
        ):
            if rows:
                said = message(
                    kinds[len(rows) > 1], found=cells[rows[0]], more=len(rows) - 1
                )
                faults.append(Fault(said, table.places[rows[0]].at(column)))
    if faults:
        raise InputError(table.name, faults)


def _describe_columns(table: TextTable) -> Iterator[Message]:
    """Yield a note per column: its heading, its meaning, its filled cells."""
    many = len(table.rows)
    yield message("listing.columns", source=table.name, players=many)
    heads = [shorten(table.find_heading(column)) for column in table.columns]
    known = {*table.called, *filter(None, find_meanings(table.columns))}
    meant = [column if column in known else "kept" for column in table.columns]
    wide, most = (max(map(len, each)) for each in (heads, meant))
    for head, what, cells in zip(heads, meant, table.cells.values(), strict=True):
        yield message(
            "listing.column",
            head=f"{head:{wide}}",
            meant=f"{what:{most}}",
            filled=sum(map(bool, cells)),
            rows=many,
        )
