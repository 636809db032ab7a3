"""Column headings of lists of players: their meanings, and the row they are in."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import islice, zip_longest

from pairopt.common.serialization import read_package_toml
from pairopt.event.column_layout import (
    HALF_POINT_BYES,
    K_COLUMN,
    RESERVED_COLUMNS,
)
from pairopt.files.match_headings import (
    count_match_headings,
    number_match_headings,
    number_repeats,
)
from pairopt.messages.formatting import strip_accents

MATCHES_CSV_COLUMNS = frozenset(
    {"player1", "player2", "round"}
)  # columns of which any makes a list of matches
MATCH_COLUMNS = frozenset({"player1", "player2", "table", "score1", "score2", "status"})
NAME_MEANINGS = frozenset(
    {"player", "name", "last"}
)  # meanings of which any makes a list of players
FIDE_RATING = "fide_rating"
"""The column with FIDE ratings in events in which another rating counts."""
NO_COLUMN = frozenset({"kept", "total"})
PARTS_OF_NAMES = frozenset({"first", "last"})
MOST_TITLES = 30  # rows in which the heading is looked for
LONGEST_HEADING = 60
UNNAMED = re.compile(r"column \d+|title")  # what columns without a heading are called
TITLES = frozenset(f"{who}{title}M" for who in ("", "W", "A") for title in "GIFC")
NUMBER = re.compile(r"[Øø~]?\s*[\d.,]+|=.*")  # also a formula
TOTAL = re.compile(r"(?:[\d.,]+\s+)?(?P<word>[^\d:=]+?)[\s:=]*[\d.,]*")
Rows = Mapping[int, list[str]]  # stripped cells by the number of their row


def find_meanings(headings: Sequence[str]) -> list[str | None]:
    """Return the column of players.csv that each heading means, or None if unknown.

    The list has one entry per heading. Parts of names mean "first" and "last". Words of
    the language that knows most of the headings are tried first, then those of the
    others. If two headings mean the same, the first one gets the meaning, and the other
    one None. But a heading that is pairopt's own word for the column always gets it.
    """
    normalized_headings = list(map(_normalize_heading, headings))
    vocabularies = _load_vocabulary()
    best_vocabulary = max(
        vocabularies,
        key=lambda vocabulary: sum(
            normalized_heading in vocabulary
            for normalized_heading in normalized_headings
        ),
    )
    possible_meanings = [
        next(
            (
                vocabulary[normalized_heading]
                for vocabulary in (best_vocabulary, *vocabularies)
                if normalized_heading in vocabulary
            ),
            None,
        )
        for normalized_heading in normalized_headings
    ]
    lowercase_headings = [heading.lower() for heading in headings]
    assigned_meanings = list[str | None]()
    used_meanings = {*lowercase_headings}
    for heading, meaning in zip(lowercase_headings, possible_meanings, strict=True):
        is_meaning_free = meaning not in NO_COLUMN and (
            meaning not in used_meanings or meaning == heading
        )
        assigned_meanings.append(meaning if meaning and is_meaning_free else None)
        used_meanings |= {meaning or ""}
    return assigned_meanings


def find_column(heading: str, columns: Collection[str]) -> str | None:
    """Return the column of players.csv that a heading means, or None.

    `columns` are the columns that the list has already. A heading that is one of them,
    or a known column, is returned in small letters. A national rating means `rating`
    unless the list has a column `national_rating`. First and last names are no columns.
    """
    lowercase_heading = heading.strip().lower()
    if lowercase_heading in columns or lowercase_heading in list_known_columns():
        return lowercase_heading
    (meaning,) = find_meanings([heading])
    if meaning == "national_rating" and meaning not in columns:
        return "rating"
    return None if meaning in PARTS_OF_NAMES else meaning


def is_total(cells: Iterable[str]) -> bool:
    """Return whether a row counts or sums others: a word such as Total, and numbers.

    The word and the number may be in any cells, for example `Total, 60` or `60, Total`;
    a formula counts as a number. A row with the word but no number is not a total,
    because a player may have that name.
    """
    filled_cells = [cell for cell in cells if cell]
    word_match = TOTAL.fullmatch(
        " ".join(cell for cell in filled_cells if not NUMBER.fullmatch(cell))
    )
    if word_match is None or re.search("[\\d=]", " ".join(filled_cells)) is None:
        return False
    return is_total_word(word_match["word"])


def is_total_word(text: str) -> bool:
    """Return whether a text is a word for sums or counts, such as Total or Summe."""
    normalized_text = _normalize_heading(text)
    return any(
        normalized_text in words_by_meaning["total"]
        for words_by_meaning in _load_heading_words().values()
    )


def has_pairopt_headings(row: Collection[str]) -> bool:
    """Return whether a row has a heading that only players.csv or matches.csv has.

    One such heading is enough: `player`, `player1`, `player2` or `round`; but a row of
    "round" and one unknown word may be a name, and has none. `row` has cells in lower
    case.
    """
    return "player" in row or is_matches_csv_heading(row)


def is_matches_csv_heading(row: Collection[str]) -> bool:
    """Return whether a row has `player1`, `player2` or `round`, in any case.

    A row of "Round" and one unknown word is no heading, because it may be a last and a
    first name, for example `Round, José`.
    """
    lowercase_cells = {cell.lower() for cell in row}
    may_be_name = (
        "round" in lowercase_cells
        and len(row) == 2
        and lowercase_cells.isdisjoint(MATCH_COLUMNS)
    )
    return not may_be_name and not MATCHES_CSV_COLUMNS.isdisjoint(lowercase_cells)


def is_player_heading(text: str) -> bool:
    """Return whether a text is a heading for names, such as Name or Spieler."""
    return not NAME_MEANINGS.isdisjoint(find_meanings([text]))


def count_known_headings(row: Sequence[str]) -> int:
    """Count the headings in a row that a list of players or matches may have.

    The larger of two counts is returned: headings of lists of players, if one of them
    is for names, and headings of lists of matches. Returns 0 if all cells are empty or
    too long.
    """
    if not any(0 < len(cell) <= LONGEST_HEADING for cell in row):
        return 0
    known_meanings = set(find_meanings(row)) - {None}
    player_heading_count = (
        0 if NAME_MEANINGS.isdisjoint(known_meanings) else len(known_meanings)
    )
    return max(player_heading_count, count_match_headings(number_repeats(row)))


def skip_titles(rows: Rows) -> Rows:
    """Return the rows from the heading on, without titles above it.

    `rows` has the cells of each row by its number; it must not be empty. If the first
    row has a heading of players.csv or matches.csv, it is the heading. Otherwise the
    heading is the row with the most known headings, among the first MOST_TITLES, the
    first of equal ones. If no row has any, all rows are returned unchanged. A heading
    in two rows is joined into one if that gives more known headings. A column that has
    cells but no heading is called by its number, or `title` if it holds players'
    titles. Repeated headings of match lists get numbers.
    """
    first_row_number = next(iter(rows))
    if has_pairopt_headings(rows[first_row_number]):
        return {**rows, first_row_number: number_match_headings(rows[first_row_number])}
    heading_row_number = max(
        islice(rows, MOST_TITLES),
        key=lambda row_number: count_known_headings(rows[row_number]),
    )
    if not count_known_headings(rows[heading_row_number]):
        return rows
    rows_below = {
        row_number: row_cells
        for row_number, row_cells in rows.items()
        if row_number > heading_row_number
    }
    if count_match_headings(number_repeats(rows[heading_row_number])):
        return {
            heading_row_number: number_match_headings(rows[heading_row_number]),
            **rows_below,
        }
    heading_cells = rows[heading_row_number]
    next_row_number = next(iter(rows_below), None)
    if next_row_number is not None and count_known_headings(
        joined_headings := _join_heading_rows(
            heading_cells, rows_below[next_row_number]
        )
    ) > count_known_headings(heading_cells):
        heading_cells = joined_headings
        del rows_below[next_row_number]
    return {
        heading_row_number: _fill_empty_headings(heading_cells, rows_below.values()),
        **rows_below,
    }


def _join_heading_rows(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    """Join two rows of headings, cell by cell, with a blank between them.

    `upper` and `lower` may differ in length. A word in the upper row also counts for
    the cells to its right, as long as the upper row is empty and the lower row is
    filled there.
    """
    headings = list[str]()
    upper_heading = ""
    for upper_cell, lower_cell in zip_longest(upper, lower, fillvalue=""):
        upper_heading = upper_cell or (upper_heading if lower_cell else "")
        headings.append(f"{upper_heading} {lower_cell}".strip())
    return headings


def _fill_empty_headings(
    headings: Sequence[str], rows: Iterable[Sequence[str]]
) -> list[str]:
    """Return the headings, with a name for each column that has cells but no heading.

    `rows` are the cells below the headings. The name is `title` if all cells of the
    column that are filled are chess titles such as GM and no other column is for
    titles; otherwise `column 3` for the third column. Empty columns keep an empty
    heading.
    """
    filled_headings = list(headings)
    cells_by_column: dict[int, set[str]] = {
        column_index: set()
        for column_index, heading in enumerate(filled_headings)
        if not heading
    }
    for row_cells in rows:
        for column_index, column_cells in cells_by_column.items():
            if column_index < len(row_cells) and row_cells[column_index]:
                column_cells.add(row_cells[column_index])
    for column_index, column_cells in cells_by_column.items():
        if not column_cells:
            continue
        is_title_column = column_cells <= TITLES and "title" not in find_meanings(
            filled_headings
        )
        filled_headings[column_index] = (
            "title" if is_title_column else f"column {column_index + 1}"
        )
    return filled_headings


def _load_heading_words() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Load headings.toml: the heading words of each meaning, by language and meaning."""
    return read_package_toml("pairopt.files", "headings.toml")


@cache
def _load_vocabulary() -> Sequence[Mapping[str, str]]:
    """Return one mapping per language, from each known heading to the column it means.

    Headings are normalized, and words for totals are left out.
    """
    return [
        {
            heading_word: meaning
            for meaning, heading_words in words_by_meaning.items()
            if meaning != "total"
            for heading_word in heading_words
        }
        for words_by_meaning in _load_heading_words().values()
    ]


def list_known_columns() -> frozenset[str]:
    """Return the names of all columns of players.csv that pairopt knows.

    They are its own columns, and those that a known heading means. Parts of names are
    left out.
    """
    all_column_names = {
        *RESERVED_COLUMNS,
        FIDE_RATING,
        K_COLUMN,
        HALF_POINT_BYES,
        *(
            meaning
            for vocabulary in _load_vocabulary()
            for meaning in vocabulary.values()
        ),
    }
    return frozenset(all_column_names - NO_COLUMN - PARTS_OF_NAMES)


def _normalize_heading(heading: str) -> str:
    """Return a heading in small letters, without accents and signs.

    Returns "" for a text that cannot be a heading: longer than LONGEST_HEADING, or with
    a colon, such as Place: Rome.
    """
    if len(heading) > LONGEST_HEADING or ":" in heading:
        return ""
    return " ".join(re.findall(r"[^\W_]+", strip_accents(heading)))
