"""Text files of FIDE: columns of fixed width, as the header line has them.

The files have one header line and one line for each person. FIDE has moved columns
before, so the places of the columns are taken from the header line. A file with a
heading that is not known here is refused.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from pairopt.errors import Fault, InputError, TextLocation
from pairopt.event.report_head import RatingKind
from pairopt.files.rating_lists.limits import (
    HIGHEST_FIDE_NUMBER,
    LONGEST_LINE,
    MOST_FAULTS,
)
from pairopt.files.rating_lists.person import (
    HIGHEST_COEFFICIENT,
    RATING_KINDS,
    SEXES,
    ListedPerson,
    Ratings,
)
from pairopt.messages import message

HEADINGS = {
    "ID Number": "number",
    "Name": "name",
    "Fed": "federation",
    "Sex": "sex",
    "Tit": "title",
    "WTit": "women_title",
    "OTit": "other_titles",
    "FOA": "online_title",
    "SRtng": "standard",
    "SGm": "",
    "SK": "standard_k",
    "RRtng": "rapid",
    "RGm": "",
    "Rk": "rapid_k",
    "BRtng": "blitz",
    "BGm": "",
    "BK": "blitz_k",
    "Gms": "",
    "K": "one_k",
    "B-day": "birth",
    "Flag": "flag",
}
"""The known headings, with the names of those columns that pairopt reads."""
HEADING = re.compile(r"ID Number|\S+")
MONTH_HEADING = re.compile(r"([A-Z]{3})(\d\d)")
MONTHS = (
    "JAN",
    "FEB",
    "MAR",
    "APR",
    "MAY",
    "JUN",
    "JUL",
    "AUG",
    "SEP",
    "OCT",
    "NOV",
    "DEC",
)
NEEDED = ("number", "name", "federation")
FLAG_WIDTH = 4
HIGHEST_RATING = 4000
LONGEST_SHOWN = 200


@dataclass(frozen=True)
class ColumnSlices:
    """The positions of the columns in a line.

    Attributes
    ----------
    slices : dict of str to slice
        The characters of each column, by its name.
    width : int
        The number of characters in a line.
    month : str
        The month in the header line, for example "2026-10". "" if it has none.
    """

    slices: dict[str, slice]
    width: int
    month: str

    @property
    def shifted_slices(self) -> dict[str, slice]:
        """The positions of the columns in a line that is one character too long.

        The other titles of a few persons are longer than their column, and move all
        columns behind them to the right. Keys are names of columns. Raises KeyError
        without a column of other titles.
        """
        last_unshifted_start = self.slices["other_titles"].start
        return {
            column_name: column_slice
            if column_slice.start <= last_unshifted_start
            else slice(column_slice.start + 1, column_slice.stop + 1)
            for column_name, column_slice in self.slices.items()
        }


def parse_header(line: str, source: str) -> ColumnSlices:
    """Return the positions of the columns from a header line, and the month in it.

    `source` is the name of the file in messages. A heading such as OCT26 is the column
    of the only rating, and gives the month "2026-10". Raises InputError for a heading
    that is unknown or repeated, and if a needed column is missing: number, name,
    federation and a rating.
    """
    slice_by_column: dict[str, slice] = {}
    list_month = ""
    unknown_headings = []
    heading_matches = [*HEADING.finditer(line)]
    line_width = len(line.rstrip())
    for heading_position, heading_match in enumerate(heading_matches):
        is_last = heading_position + 1 == len(heading_matches)
        column_end = (
            heading_match.start() + FLAG_WIDTH
            if is_last
            else heading_matches[heading_position + 1].start()
        )
        line_width = max(line_width, column_end)
        column_name = HEADINGS.get(heading_match[0])
        month_match = MONTH_HEADING.fullmatch(heading_match[0])
        if column_name is None and month_match and month_match[1] in MONTHS:
            month_number = MONTHS.index(month_match[1]) + 1
            list_month = f"20{month_match[2]}-{month_number:02}"
            column_name = "one_rating"
        if column_name is None or column_name in slice_by_column:
            unknown_headings.append(heading_match[0])
        elif column_name:
            slice_by_column[column_name] = slice(heading_match.start(), column_end)

    rating_columns = {*RATING_KINDS, "one_rating"} & slice_by_column.keys()
    if (
        unknown_headings
        or not rating_columns
        or not slice_by_column.keys() >= {*NEEDED}
    ):
        raise InputError(
            source,
            "rating_list.unknown_header",
            found=line.strip()[:LONGEST_SHOWN],
            unknown=unknown_headings or ["(none)"],
        )
    return ColumnSlices(slice_by_column, line_width, list_month)


def read_text_list(
    stream: BinaryIO, columns: ColumnSlices, source: str, kind: RatingKind | None
) -> Iterator[ListedPerson]:
    """Yield the persons of a text file of FIDE, whose header line was read already.

    `stream` stands at the second line, `columns` says where the columns are, and
    `source` is the name of the file in errors. `kind` is the kind of game of a list
    with one rating, otherwise None. Empty lines are skipped. InputError is raised for
    the lines that cannot be read, after all persons or at fault MOST_FAULTS. A line
    longer than LONGEST_LINE ends the reading.
    """
    line_parser = _LineParser(columns, kind)
    faults = []
    line_number = 1
    while raw_line := stream.readline(LONGEST_LINE + 1):
        line_number += 1
        person = line_parser.parse(raw_line)
        if person is not None:
            yield person
        elif raw_line.strip() or len(raw_line) > LONGEST_LINE:
            faults.append(_find_line_fault(raw_line, line_number))
            if len(faults) == MOST_FAULTS or len(raw_line) > LONGEST_LINE:
                break
    if faults:
        raise InputError(source, faults)


def _find_line_fault(raw_line: bytes, line_number: int) -> Fault:
    """Return the fault of a line that has no person.

    `raw_line` are the bytes of the line, and `line_number` counts from 1. The fault
    says that the line is too long, not ASCII, or cannot be read, and quotes its
    beginning.
    """
    if len(raw_line) > LONGEST_LINE:
        message_kind = "rating_list.long_line"
    elif not raw_line.isascii() or b"\0" in raw_line:
        message_kind = "rating_list.no_ascii_line"
    else:
        message_kind = "rating_list.unreadable_line"
    shown_text = raw_line[:LONGEST_SHOWN].decode("ascii", "replace").strip()
    reason = message(message_kind, found=shown_text, most=LONGEST_LINE)
    return Fault(reason, TextLocation(line_number))


class _LineParser:
    """Parser of the lines of one file, each with one person.

    `kind` is the kind of game of a list with one rating, otherwise None. Lines may be
    one character too long if the file has a column of other titles.
    """

    def __init__(self, columns: ColumnSlices, kind: RatingKind | None) -> None:
        self._width = self._most_characters = columns.width
        self._usual = self._shifted = _arrange_slices(columns.slices, kind)
        if "other_titles" in columns.slices:
            self._most_characters += 1
            self._shifted = _arrange_slices(columns.shifted_slices, kind)

    def parse(self, raw_line: bytes) -> ListedPerson | None:
        """Return the person in a line; None if the line cannot be read.

        `raw_line` are the bytes of the line, with its end. It cannot be read if it has
        other characters than ASCII, is too long, has numbers that are none or too
        large, or has no name or FIDE number. An empty line gives None, too.
        """
        if not raw_line.isascii() or len(raw_line) > LONGEST_LINE or b"\0" in raw_line:
            return None
        line = raw_line.decode("ascii").rstrip("\r\n")
        if len(line) > self._most_characters:
            return None
        is_shifted = len(line) > self._width
        line_cells = [
            line[column_slice].strip()
            for column_slice in (self._shifted if is_shifted else self._usual)
        ]
        number_text, name, federation, sex, title, women_title = line_cells[:6]
        try:
            birth_year, *ratings = map(_parse_number, line_cells[6:10])
            coefficients = [_parse_number(cell) for cell in line_cells[10:]]
            fide_number = int(number_text)
        except ValueError:
            return None
        is_valid_number = (
            number_text.isdecimal() and 0 < fide_number <= HIGHEST_FIDE_NUMBER
        )
        if not is_valid_number or not name:
            return None
        if max(birth_year, *ratings) > HIGHEST_RATING:
            return None
        if max(coefficients) > HIGHEST_COEFFICIENT:
            return None
        return ListedPerson(
            fide_number,
            name,
            federation,
            SEXES.get(sex, ""),
            title or women_title,
            birth_year,
            "",
            Ratings(*ratings),
            coefficients=Ratings(*coefficients),
        )


def _parse_number(cell: str) -> int:
    """Return the number in a cell of ASCII text, 0 if it is empty.

    Raises ValueError for anything else. The columns are narrow, so the number is small.
    """
    if not cell:
        return 0
    if not cell.isdecimal():
        raise ValueError(cell)
    return int(cell)


def _arrange_slices(
    slices: dict[str, slice], kind: RatingKind | None
) -> tuple[slice, ...]:
    """Return where the columns that are read stand in a line, in a fixed order.

    The order is number, name, federation, sex, title, women's title, birth, three
    ratings (standard, rapid, blitz) and three K. `slices` are by name of column. A
    column that the file lacks has an empty slice. In a list with one rating, its
    columns of rating and K stand for those of `kind`.
    """
    empty_slice = slice(0, 0)
    rating_column_by_kind: dict[RatingKind, str] = {
        rating_kind: rating_kind for rating_kind in RATING_KINDS
    }
    k_column_by_kind: dict[RatingKind, str] = {
        rating_kind: f"{rating_kind}_k" for rating_kind in RATING_KINDS
    }
    if kind is not None and "one_rating" in slices:
        rating_column_by_kind[kind] = "one_rating"
        k_column_by_kind[kind] = "one_k"
    person_columns = (
        "number",
        "name",
        "federation",
        "sex",
        "title",
        "women_title",
        "birth",
    )
    read_columns = (
        *person_columns,
        *rating_column_by_kind.values(),
        *k_column_by_kind.values(),
    )
    return tuple(slices.get(column_name, empty_slice) for column_name in read_columns)
