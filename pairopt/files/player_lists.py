"""Player lists: turn a list in any words into one with the columns of players.csv."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pairopt.errors import Fault, InputError
from pairopt.event.fide_numbers import are_all_distinct
from pairopt.event.name_search import normalize_fide_number, normalize_name
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
    """Return whether a table is a list of players.

    It has a column `player`; or it has a heading for names, and no column of
    matches.csv.
    """
    if "player" in table.columns:
        return True
    if not MATCHES_CSV_COLUMNS.isdisjoint(table.columns):
        return False
    return not NAME_MEANINGS.isdisjoint(find_meanings(table.columns))


def with_pairopt_columns(table: TextTable) -> TextTable:
    """Return a list of players with the columns of players.csv.

    Rows at the end that sum or remark, and rows that repeat the heading, are left out,
    with a note for each; words such as "unrated" become empty ratings. Players of one
    name get their FIDE numbers as identifiers, if all of them have different ones. If
    columns are renamed, notes say what each column is taken for. Any table that is no
    list of players is returned unchanged. Raises InputError for names that differ only
    in case, blanks or invisible characters if the list has no column `player`, and for
    formulas and for dates in place of names if columns are renamed.
    """
    if not is_player_list(table):
        return table
    table = _without_summary_rows(_with_player_column(table))
    meaning_by_column = dict(
        zip(table.columns, find_meanings(table.columns), strict=True)
    )
    if "rating" not in table.columns and "rating" not in meaning_by_column.values():
        meaning_by_column = {
            column_name: "rating" if meaning == "national_rating" else meaning
            for column_name, meaning in meaning_by_column.items()
        }
    meaning_by_old_name = {
        column_name: meaning
        for column_name, meaning in meaning_by_column.items()
        if meaning and meaning not in {*NAME_MEANINGS, "first", column_name}
    }
    table = table.with_renamed_columns(meaning_by_old_name)
    if "rating" in table.cells:
        rating_cells = [
            "" if cell.casefold() in NOTHING else cell for cell in table.cells["rating"]
        ]
        table = replace(table, cells={**table.cells, "rating": rating_cells})
    table = with_fide_numbers_as_identifiers(table)
    has_renamed_names = table.find_heading("player") != "player"
    if has_renamed_names and (
        faults := find_similar_names(table.cells["player"], table.places)
    ):
        raise InputError(table.name, faults)
    if not table.called:
        return table
    _require_no_formulas(table)
    return replace(table, notes=(*table.notes, *_describe_columns(table)))


def with_fide_numbers_as_identifiers(table: TextTable) -> TextTable:
    """Return the table with players of one name told apart by their FIDE numbers.

    If all players of a name have FIDE numbers of their own, these become their
    identifiers in the column `player`, and the names go to a column `name`. The table
    is unchanged if no names repeat, if it has a column `name`, or without numbers.
    """
    if not {"player", "fide_id"} <= table.cells.keys() or "name" in table.cells:
        return table
    player_names = table.cells["player"]
    fide_numbers = [normalize_fide_number(cell) for cell in table.cells["fide_id"]]
    rows_by_name: dict[str, list[int]] = {}
    for row_index, player_name in enumerate(player_names):
        rows_by_name.setdefault(normalize_name(player_name), []).append(row_index)

    identifiers = [*player_names]
    for normalized_name, rows_of_name in rows_by_name.items():
        numbers_of_name = [fide_numbers[row_index] for row_index in rows_of_name]
        is_repeated = normalized_name and len(rows_of_name) > 1
        if is_repeated and are_all_distinct(numbers_of_name):
            for row_index in rows_of_name:
                identifiers[row_index] = fide_numbers[row_index]
    if identifiers == [*player_names]:
        return table
    name_heading = table.find_heading("player")
    heading_by_column = {
        column_name: file_heading
        for column_name, file_heading in table.called.items()
        if column_name != "player"
    }
    if name_heading != "player":
        heading_by_column["name"] = name_heading
    cells_by_name_column = {"player": identifiers, "name": player_names}
    cells_by_other_column = {
        column_name: column_cells
        for column_name, column_cells in table.cells.items()
        if column_name != "player"
    }
    return replace(
        table,
        cells={**cells_by_name_column, **cells_by_other_column},
        called=heading_by_column,
    )


def _with_player_column(table: TextTable) -> TextTable:
    """Return the table with its names, first and last joined, in a column `player`.

    If the table has a column `player` already, the names go to a column `name`. The
    table is returned unchanged if it has both columns, or no names.
    """
    column_by_meaning = dict(
        zip(find_meanings(table.columns), table.columns, strict=True)
    )
    whole_name_column, first_name_column, last_name_column = (
        column_by_meaning.get(meaning) for meaning in ("name", "first", "last")
    )
    target_column = "name" if "player" in table.columns else "player"
    if (
        first_name_column is not None
        and (family_name_column := last_name_column or whole_name_column) is not None
        and target_column not in table.columns
    ):
        cells_of_name_parts = [
            table.cells[first_name_column],
            table.cells[family_name_column],
        ]
        cells_by_column = {
            column_name: column_cells
            for column_name, column_cells in table.cells.items()
            if column_name != first_name_column
        }
        cells_by_column[family_name_column] = [
            " ".join(filter(None, name_parts))
            for name_parts in zip(*cells_of_name_parts, strict=True)
        ]
        joined_table = replace(table, cells=cells_by_column).with_renamed_columns(
            {family_name_column: target_column}
        )
        return replace(
            joined_table,
            called={
                **joined_table.called,
                target_column: f"{first_name_column}{JOINED}{family_name_column}",
            },
        )
    name_column = whole_name_column or last_name_column
    if (
        name_column is None
        or target_column in table.columns
        or name_column == target_column
    ):
        return table
    return table.with_renamed_columns({name_column: target_column})


def _without_summary_rows(table: TextTable) -> TextTable:
    """Return the table without repeated headings, and sums or remarks at its end.

    A remark is a row with a single cell of several words and no player. A note names
    each row that was left out.
    """
    headings = [
        table.find_heading(column_name).replace(JOINED, " ")
        for column_name in table.columns
    ]
    stated_headings = [
        heading if not UNNAMED.fullmatch(heading) else "" for heading in headings
    ]
    cells_by_row = list(zip(*table.cells.values(), strict=True))
    is_kept = np.array(
        [
            [*cells_of_row] not in (headings, stated_headings)
            for cells_of_row in cells_by_row
        ],
        np.bool_,
    )
    player_cells = table.cells.get("player", [""] * len(cells_by_row))
    for row_position in reversed(range(len(cells_by_row))):
        filled_cells = [*filter(None, cells_by_row[row_position])]
        is_remark = (
            len(filled_cells) == 1
            and " " in filled_cells[0]
            and not player_cells[row_position]
        )
        if not is_remark and not is_total(cells_by_row[row_position]):
            break
        is_kept[row_position] = False
    left_out_notes = [
        message(
            "listing.left_out",
            source=table.name,
            row=table.rows[row_position],
            cells=[*map(shorten, filter(None, cells_by_row[row_position]))],
        )
        for row_position in np.flatnonzero(~is_kept).tolist()
    ]
    return (
        replace(table.select_rows(is_kept), notes=(*table.notes, *left_out_notes))
        if left_out_notes
        else table
    )


def _require_no_formulas(table: TextTable) -> None:
    """Raise InputError for formulas, and for dates in the column of players.

    `table` has the column of players as `player`. There is one fault per column and
    kind; it shows the first such cell, and counts the others.
    """
    faults = []

    def add_fault(
        column: str, rows: Sequence[int], kind: str, kind_of_many: str
    ) -> None:
        """Add a fault at the first of `rows`, if there are any.

        `column` is the column of the cells, and `rows` are the positions of their rows.
        `kind` is the id of its message for one row, `kind_of_many` for several.
        """
        if rows:
            further_count = len(rows) - 1
            first_cell = table.cells[column][rows[0]]
            reason = message(
                kind_of_many if further_count else kind,
                found=first_cell,
                more=further_count,
            )
            faults.append(Fault(reason, table.places[rows[0]].at(column)))

    for column, column_cells in table.cells.items():
        formula_rows = [
            row_index
            for row_index, cell in enumerate(column_cells)
            if FORMULA.match(cell)
        ]
        add_fault(column, formula_rows, "listing.formula", "listing.formulas")
        if column == "player":
            date_rows = [
                row_index
                for row_index, cell in enumerate(column_cells)
                if DATE.match(cell)
            ]
            add_fault(column, date_rows, "listing.date", "listing.dates")
    if faults:
        raise InputError(table.name, faults)


def _describe_columns(table: TextTable) -> Iterator[Message]:
    """Yield a note on the whole table, then one per column of the table.

    A note on a column has its heading, its meaning ("kept" if it has none) and how many
    cells are filled. Headings and meanings are padded to equal widths. The table must
    have a column.
    """
    row_count = len(table.rows)
    yield message("listing.columns", source=table.name, players=row_count)
    headings = [
        shorten(table.find_heading(column_name)) for column_name in table.columns
    ]
    known_columns = {*table.called, *filter(None, find_meanings(table.columns))}
    meanings = [
        column_name if column_name in known_columns else "kept"
        for column_name in table.columns
    ]
    heading_width, meaning_width = (
        max(map(len, padded_column)) for padded_column in (headings, meanings)
    )
    for heading, meaning, column_cells in zip(
        headings, meanings, table.cells.values(), strict=True
    ):
        yield message(
            "listing.column",
            head=f"{heading:{heading_width}}",
            meant=f"{meaning:{meaning_width}}",
            filled=sum(map(bool, column_cells)),
            rows=row_count,
        )
