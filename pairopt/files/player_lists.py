"""Player lists: turn a list in any words into one with the columns of players.csv."""

import re
from collections.abc import Iterator, Sequence
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
"""Cells that stand for no rating."""


def is_player_list(table: TextTable) -> bool:
    """Return whether a table is a list of players."""
    if "player" in table.columns:
        return True
    if not MATCHES_CSV_COLUMNS.isdisjoint(table.columns):
        return False
    return not NAME_MEANINGS.isdisjoint(find_meanings(table.columns))


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
    meaning_by_column = dict(
        zip(table.columns, find_meanings(table.columns), strict=True)
    )
    if "rating" not in table.columns and "rating" not in meaning_by_column.values():
        meaning_by_column = {
            column: "rating" if meaning == "national_rating" else meaning
            for column, meaning in meaning_by_column.items()
        }
    new_names = {
        column: meaning
        for column, meaning in meaning_by_column.items()
        if meaning and meaning not in {*NAME_MEANINGS, "first", column}
    }
    table = table.with_renamed_columns(new_names)
    if "rating" in table.cells:
        rating = [
            "" if cell.casefold() in NOTHING else cell for cell in table.cells["rating"]
        ]
        table = replace(table, cells={**table.cells, "rating": rating})
    has_names_only = table.find_heading("player") != "player"
    if has_names_only and (
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
    column_by_meaning = dict(
        zip(find_meanings(table.columns), table.columns, strict=True)
    )
    whole_name, first_name, last_name = (
        column_by_meaning.get(meaning) for meaning in ("name", "first", "last")
    )
    target = "name" if "player" in table.columns else "player"
    if (
        first_name is not None
        and (family_name := last_name or whole_name) is not None
        and target not in table.columns
    ):
        name_parts = [table.cells[first_name], table.cells[family_name]]
        cells = {
            column: cells
            for column, cells in table.cells.items()
            if column != first_name
        }
        cells[family_name] = [
            " ".join(filter(None, pair)) for pair in zip(*name_parts, strict=True)
        ]
        joined_table = replace(table, cells=cells).with_renamed_columns(
            {family_name: target}
        )
        return replace(
            joined_table,
            called={
                **joined_table.called,
                target: f"{first_name}{JOINED}{family_name}",
            },
        )
    column = whole_name or last_name
    if column is None or target in table.columns or column == target:
        return table
    return table.with_renamed_columns({column: target})


def _without_summary_rows(table: TextTable) -> TextTable:
    """Return the table without repeated headings, and sums or remarks at its end."""
    headings = [
        table.find_heading(column).replace(JOINED, " ") for column in table.columns
    ]
    own_headings = [
        heading if not UNNAMED.fullmatch(heading) else "" for heading in headings
    ]
    rows = list(zip(*table.cells.values(), strict=True))
    is_kept = np.array(
        [[*row] not in (headings, own_headings) for row in rows], np.bool_
    )
    players = table.cells.get("player", [""] * len(rows))
    for k in reversed(range(len(rows))):
        words = [*filter(None, rows[k])]
        remark = len(words) == 1 and " " in words[0] and not players[k]
        if not remark and not is_total(rows[k]):
            break
        is_kept[k] = False
    left_out_notes = [
        message(
            "listing.left_out",
            source=table.name,
            row=table.rows[k],
            cells=[*map(shorten, filter(None, rows[k]))],
        )
        for k in np.flatnonzero(~is_kept).tolist()
    ]
    return (
        replace(table.select_rows(is_kept), notes=(*table.notes, *left_out_notes))
        if left_out_notes
        else table
    )


def _require_no_formulas(table: TextTable) -> None:
    """Raise InputError for formulas, and for dates in the column of players.

    A fault names the first such cell of a column, and counts the others.
    """
    faults = []

    def add_fault(
        column: str, rows: Sequence[int], kind: str, kind_of_many: str
    ) -> None:
        """Add a fault if there are such rows; the kinds are its message ids."""
        if rows:
            count = len(rows) - 1
            cell = table.cells[column][rows[0]]
            reason = message(kind_of_many if count else kind, found=cell, more=count)
            faults.append(Fault(reason, table.places[rows[0]].at(column)))

    for column, cells in table.cells.items():
        formulas = [row for row, cell in enumerate(cells) if FORMULA.match(cell)]
        add_fault(column, formulas, "listing.formula", "listing.formulas")
        if column == "player":
            dates = [row for row, cell in enumerate(cells) if DATE.match(cell)]
            add_fault(column, dates, "listing.date", "listing.dates")
    if faults:
        raise InputError(table.name, faults)


def _describe_columns(table: TextTable) -> Iterator[Message]:
    """Yield a note per column: its heading, its meaning, its filled cells."""
    row_count = len(table.rows)
    yield message("listing.columns", source=table.name, players=row_count)
    headings = [shorten(table.find_heading(column)) for column in table.columns]
    known_names = {*table.called, *filter(None, find_meanings(table.columns))}
    meanings = [column if column in known_names else "kept" for column in table.columns]
    head_width, meaning_width = (max(map(len, texts)) for texts in (headings, meanings))
    for head, what, cells in zip(headings, meanings, table.cells.values(), strict=True):
        yield message(
            "listing.column",
            head=f"{head:{head_width}}",
            meant=f"{what:{meaning_width}}",
            filled=sum(map(bool, cells)),
            rows=row_count,
        )
