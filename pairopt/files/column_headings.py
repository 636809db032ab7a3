"""Column headings of lists of players: their meanings, and the row they are in."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import islice, zip_longest

from pairopt.common.serialization import read_package_toml
from pairopt.event.column_layout import OWN
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
    """Return the meaning of each heading as a column of players.csv.

    Returns None if it has none.

    If two headings mean the same, the first one gets the meaning, unless the other is
    pairopt's own word for it.
    """
    words = list(map(_normalize_heading, headings))
    vocabularies = _load_vocabulary()
    best_vocabulary = max(
        vocabularies, key=lambda vocabulary: sum(word in vocabulary for word in words)
    )
    meanings = [
        next(
            (
                vocabulary[word]
                for vocabulary in (best_vocabulary, *vocabularies)
                if word in vocabulary
            ),
            None,
        )
        for word in words
    ]
    lowered_headings = [heading.lower() for heading in headings]
    unique_meanings = list[str | None]()
    used_meanings = {*lowered_headings}
    for heading, meaning in zip(lowered_headings, meanings, strict=True):
        is_free = meaning not in NO_COLUMN and (
            meaning not in used_meanings or meaning == heading
        )
        unique_meanings.append(meaning if meaning and is_free else None)
        used_meanings |= {meaning or ""}
    return unique_meanings


def find_column(heading: str, columns: Collection[str]) -> str | None:
    """Return the column of players.csv that a heading means, or None.

    `columns` are the columns that the list has already. A national rating counts as the
    rating if the list has no other.
    """
    lowered_heading = heading.strip().lower()
    if lowered_heading in columns or lowered_heading in list_known_columns():
        return lowered_heading
    (meaning,) = find_meanings([heading])
    if meaning == "national_rating" and meaning not in columns:
        return "rating"
    return None if meaning in PARTS_OF_NAMES else meaning


def is_total(cells: Iterable[str]) -> bool:
    """Return whether a row counts or sums others: a word for it, and numbers.

    The word may come first or last, and in two cells, for example `Total, 60` or, as a
    first and a last name, `60, Total`. Without a number it may be a player who is
    called so.
    """
    filled = [cell for cell in cells if cell]
    match = TOTAL.fullmatch(
        " ".join(cell for cell in filled if not NUMBER.fullmatch(cell))
    )
    if match is None or re.search("[\\d=]", " ".join(filled)) is None:
        return False
    return is_total_word(match["word"])


def is_total_word(text: str) -> bool:
    """Return whether a text is a word for sums or counts, such as Total or Summe."""
    plainest = _normalize_heading(text)
    return any(plainest in words["total"] for words in _load_heading_words().values())


def has_pairopt_headings(row: Collection[str]) -> bool:
    """Return whether a lower-case row is the heading of players.csv or matches.csv."""
    return "player" in row or is_matches_csv_heading(row)


def is_matches_csv_heading(row: Collection[str]) -> bool:
    """Return whether a row is the heading of matches.csv.

    "Round" and one other word may also be a last and a first name, for example `Round,
    José`.
    """
    lowered = {cell.lower() for cell in row}
    is_name = "round" in lowered and len(row) == 2 and lowered.isdisjoint(MATCH_COLUMNS)
    return not is_name and not MATCHES_CSV_COLUMNS.isdisjoint(lowered)


def is_player_heading(text: str) -> bool:
    """Return whether a text is a heading for names, such as Name or Spieler."""
    return not NAME_MEANINGS.isdisjoint(find_meanings([text]))


def count_known_headings(row: Sequence[str]) -> int:
    """Count the headings in a row that a list of players or matches may have.

    Returns 0 if no heading is for the names of players.
    """
    if not any(0 < len(cell) <= LONGEST_HEADING for cell in row):
        return 0
    meanings = set(find_meanings(row)) - {None}
    of_players = 0 if NAME_MEANINGS.isdisjoint(meanings) else len(meanings)
    return max(of_players, count_match_headings(number_repeats(row)))


def skip_titles(rows: Rows) -> Rows:
    """Return the rows from the heading on, leaving out titles above it.

    The heading is the row with the most known headings, by default the first one. A
    heading in two rows is joined into one. Columns that have cells but no heading are
    called by their number, or `title` if they hold players' titles.
    """
    first_number = next(iter(rows))
    if has_pairopt_headings(rows[first_number]):
        return {**rows, first_number: number_match_headings(rows[first_number])}
    head = max(
        islice(rows, MOST_TITLES), key=lambda number: count_known_headings(rows[number])
    )
    if not count_known_headings(rows[head]):
        return rows
    below = {number: row for number, row in rows.items() if number > head}
    if count_match_headings(number_repeats(rows[head])):
        return {head: number_match_headings(rows[head]), **below}
    headings = rows[head]
    second = next(iter(below), None)
    if second is not None and count_known_headings(
        joined_headings := _join_heading_rows(headings, below[second])
    ) > count_known_headings(headings):
        headings = joined_headings
        del below[second]
    return {head: _fill_empty_headings(headings, below.values()), **below}


def _join_heading_rows(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    """Join two rows of headings.

    A word above also stands for the empty cells to its right.
    """
    headings = list[str]()
    word_above = ""
    for above, cell in zip_longest(upper, lower, fillvalue=""):
        word_above = above or (word_above if cell else "")
        headings.append(f"{word_above} {cell}".strip())
    return headings


def _fill_empty_headings(
    headings: Sequence[str], rows: Iterable[Sequence[str]]
) -> list[str]:
    """Return the headings, with names for columns that have cells but no heading."""
    names = list(headings)
    cells_by_column: dict[int, set[str]] = {
        column: set() for column, heading in enumerate(names) if not heading
    }
    for row in rows:
        for column, cells in cells_by_column.items():
            if column < len(row) and row[column]:
                cells.add(row[column])
    for column, cells in cells_by_column.items():
        if not cells:
            continue
        has_titles = cells <= TITLES and "title" not in find_meanings(names)
        names[column] = "title" if has_titles else f"column {column + 1}"
    return names


def _load_heading_words() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Load headings.toml: the words for each meaning, by language."""
    return read_package_toml("pairopt.files", "headings.toml")


@cache
def _load_vocabulary() -> Sequence[Mapping[str, str]]:
    """Return the meaning of each known heading, for each language."""
    return [
        {
            word: meaning
            for meaning, words in words_by_meaning.items()
            if meaning != "total"
            for word in words
        }
        for words_by_meaning in _load_heading_words().values()
    ]


def list_known_columns() -> frozenset[str]:
    """Return all columns of players.csv that have a meaning or that a heading means."""
    columns = {
        *OWN,
        *(
            meaning
            for vocabulary in _load_vocabulary()
            for meaning in vocabulary.values()
        ),
    }
    return frozenset(columns - NO_COLUMN - PARTS_OF_NAMES)


def _normalize_heading(heading: str) -> str:
    """Return a heading without case, accents and signs.

    Returns "" for a text that is too long, or that says something, for example Place:
    Rome.
    """
    if len(heading) > LONGEST_HEADING or ":" in heading:
        return ""
    return " ".join(re.findall(r"[^\W_]+", strip_accents(heading)))
