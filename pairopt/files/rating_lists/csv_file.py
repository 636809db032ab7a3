"""CSV files of federations and clubs: one person per row, columns by their headings."""

import re
from collections.abc import Iterator, Sequence

from pairopt.common.limits import parse_digits
from pairopt.errors import Fault, InputError
from pairopt.files.column_headings import find_meanings
from pairopt.files.player_lists import NOTHING
from pairopt.files.rating_lists.limits import (
    HIGHEST_FIDE_NUMBER,
    LONGEST_VALUE,
    MOST_FAULTS,
)
from pairopt.files.rating_lists.person import (
    RATING_KINDS,
    SEXES,
    ListedPerson,
    Ratings,
)
from pairopt.files.rating_lists.text_file import HIGHEST_RATING
from pairopt.files.text_source import TextSource
from pairopt.files.text_tables import TextTable, parse_table
from pairopt.messages import message

NATIONAL_HEADINGS = {
    kind: (f"revised_{kind}", f"{kind}_revised", f"original_{kind}", f"{kind}_original")
    for kind in RATING_KINDS
}
"""Headings of national ratings by kind. The first filled cell of a row counts."""
COMMA = re.compile(r"\s*,\s*")
YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)")
Cells = Sequence[str]


def read_csv_list(source: TextSource) -> Iterator[ListedPerson]:
    """Yield the persons of a CSV list, in its order; rows without a name are skipped.

    `source` is the text of the file. A list needs names and a rating. FIDE numbers,
    federations, titles, sexes, clubs and dates of birth are read if there are columns
    for them. Without a column of FIDE numbers, a column `rating` is the national
    rating. Raises InputError if no heading means names or ratings. A cell that should
    be a rating or a FIDE number but is none is a fault, and its row gives no person.
    After the last person, or at fault MOST_FAULTS, InputError is raised for all faults.
    """
    list_table = parse_table(source)
    cells_by_meaning = _find_columns(list_table)
    national_columns_by_kind = {
        rating_kind: [
            list_table.cells[national_heading]
            for national_heading in national_headings
            if national_heading in list_table.cells
        ]
        for rating_kind, national_headings in NATIONAL_HEADINGS.items()
    }
    has_national_kinds = any(national_columns_by_kind.values())
    if "name" not in cells_by_meaning or not (
        has_national_kinds or {"rating", "national_rating"} & cells_by_meaning.keys()
    ):
        raise InputError(
            list_table.name,
            "rating_list.unknown_columns",
            found=[
                list_table.find_heading(column_name)
                for column_name in list_table.columns
            ],
        )
    # The only rating of a list without FIDE numbers is the list's own.
    if "national_rating" not in cells_by_meaning and "fide_id" not in cells_by_meaning:
        cells_by_meaning = {
            "national_rating" if meaning == "rating" else meaning: column_cells
            for meaning, column_cells in cells_by_meaning.items()
        }

    faults: list[Fault] = []
    for row_index, row_place in enumerate(list_table.places):
        cell_by_meaning = {
            meaning: column_cells[row_index]
            for meaning, column_cells in cells_by_meaning.items()
        }
        national_cell_by_kind = {
            str(rating_kind): next(
                filter(
                    None, (column_cells[row_index] for column_cells in columns_of_kind)
                ),
                "",
            )
            for rating_kind, columns_of_kind in national_columns_by_kind.items()
        }
        if not cell_by_meaning["name"]:
            continue
        try:
            yield _build_person(cell_by_meaning, national_cell_by_kind)
        except _UnreadableCellError as error:
            reason = message("rating_list.unreadable_cell", found=error.cell[:40])
            faults.append(Fault(reason, row_place.at(error.column)))
        if len(faults) == MOST_FAULTS:
            break
    if faults:
        raise InputError(list_table.name, faults)


class _UnreadableCellError(ValueError):
    """Raised for a cell that should be a number but is none.

    `column` is its column, and `cell` its text.
    """

    def __init__(self, column: str, cell: str) -> None:
        self.column, self.cell = column, cell
        super().__init__(column, cell)


def _find_columns(table: TextTable) -> dict[str, Cells]:
    """Return the cells of each known column of a table by its meaning.

    Meanings are, for example, name, rating and federation. First and last names are
    joined to "Last, First" as `name`; otherwise a column `player` stands for `name`. If
    two columns have one meaning, the first one counts, unless the heading of the other
    is the very name of the meaning.
    """
    meaning_by_column = find_meanings(table.columns)
    cells_by_meaning: dict[str, Cells] = {
        meaning: column_cells
        for meaning, column_cells in zip(
            meaning_by_column, table.cells.values(), strict=True
        )
        if meaning is not None
    }
    cells_by_meaning |= {
        exact_column: table.cells[exact_column]
        for exact_column in ("fide_id", "national_rating", "rating")
        if exact_column in table.cells
    }
    if "name" not in cells_by_meaning and "player" in cells_by_meaning:
        cells_by_meaning["name"] = cells_by_meaning["player"]
    last_names = cells_by_meaning.get("last")
    first_names = cells_by_meaning.get("first")
    if last_names is not None and first_names is not None:
        cells_by_meaning["name"] = [
            ", ".join(filter(None, last_and_first))
            for last_and_first in zip(last_names, first_names, strict=True)
        ]
    return cells_by_meaning


def _build_person(
    cells: dict[str, str], national_cells: dict[str, str]
) -> ListedPerson:
    """Return the person in a row of the list.

    `cells` has the texts by meaning, such as name or fide_id, and needs `name`.
    `national_cells` has national ratings by kind of game. A single national rating
    counts for every kind without its own. Values are cut to LONGEST_VALUE characters.
    Raises `_UnreadableCellError` for a rating or a FIDE number that is none.
    """
    fide_rating = _parse_cell(cells, "rating", HIGHEST_RATING)
    national_rating = _parse_cell(cells, "national_rating", HIGHEST_RATING)
    kind_ratings = [
        _parse_cell(national_cells, rating_kind, HIGHEST_RATING)
        for rating_kind in RATING_KINDS
    ]
    national_ratings = Ratings(
        *(kind_rating or national_rating for kind_rating in kind_ratings)
    )
    full_name = COMMA.sub(", ", " ".join(cells["name"].split()))
    year_match = YEAR.search(cells.get("birth", ""))
    return ListedPerson(
        _parse_cell(cells, "fide_id", HIGHEST_FIDE_NUMBER),
        full_name[:LONGEST_VALUE],
        cells.get("federation", "").upper()[:LONGEST_VALUE],
        SEXES.get(cells.get("sex", "")[:1].upper(), ""),
        cells.get("title", "").upper()[:LONGEST_VALUE],
        int(year_match[1]) if year_match else 0,
        cells.get("club", "")[:LONGEST_VALUE],
        Ratings(standard=fide_rating),
        national_ratings,
    )


def _parse_cell(cells: dict[str, str], column: str, most: int) -> int:
    """Return the number in a cell, 0 if it is empty, missing or a sign for nothing.

    `cells` has the texts of a row by column, and `column` is the one to read. A `.0` at
    the end is ignored. Raises `_UnreadableCellError` if it is no whole number up to
    `most`.
    """
    cell = cells.get(column, "")
    if not cell or cell.casefold() in NOTHING:
        return 0
    parsed_number = parse_digits(cell.removesuffix(".0"), most)
    if parsed_number is None:
        raise _UnreadableCellError(column, cell)
    return parsed_number
