"""Index of a rating list: one SQLite file, with persons numbered by rating.

The highest rated person is row 1. So a search that stops at the first rows finds the
highest rated persons, without sorting. Names are folded, see `name_folding`, and
indexed by FTS5. Where SQLite has no FTS5, a column of folded words is searched.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from pairopt.errors import InputError
from pairopt.files.rating_lists.name_folding import fold_for_index, fold_spellings
from pairopt.files.rating_lists.person import ListedPerson, Ratings

FORM_VERSION = 2
"""The version of the tables. A file of another version must be built again."""
COLUMNS = (
    "fide_number",
    "name",
    "federation",
    "sex",
    "title",
    "birth_year",
    "club",
    "standard",
    "rapid",
    "blitz",
    "national_standard",
    "national_rapid",
    "national_blitz",
    "standard_k",
    "rapid_k",
    "blitz_k",
)
SPEED = (
    "PRAGMA journal_mode = OFF",
    "PRAGMA synchronous = OFF",
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA temp_store = FILE",
    "PRAGMA cache_size = -65536",
)
"""Settings for a file that nobody reads until it is finished."""
Row = tuple[Any, ...]


def has_fts5() -> bool:
    """Return whether Python's SQLite has the full text search FTS5."""
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute("CREATE VIRTUAL TABLE words USING fts5(word)")
        except sqlite3.OperationalError:
            return False
    return True


def build_index(
    path: Path, persons: Iterable[ListedPerson], properties: dict[str, str]
) -> int:
    """Write an index with these persons to a new file, and return their number.

    `path` is the file, which must not exist yet. `properties` are texts about the list
    by their keys, stored in the file for `read_properties`; the keys "form", "search"
    and "persons" are set here. Errors of SQLite and of `persons` are raised as they
    are, and leave an unfinished file.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for pragma in SPEED:
            connection.execute(pragma)
        connection.execute("BEGIN")
        _stage_persons(connection, persons)
        person_count = _write_persons(connection)
        search_kind = "like"
        if has_fts5():
            search_kind = "fts5"
            _write_word_index(connection)
        connection.execute("DROP TABLE staged")
        stored_properties = {
            **properties,
            "form": str(FORM_VERSION),
            "search": search_kind,
            "persons": str(person_count),
        }
        connection.execute("CREATE TABLE property (key TEXT PRIMARY KEY, value TEXT)")
        connection.executemany(
            "INSERT INTO property VALUES (?, ?)", stored_properties.items()
        )
        connection.execute("COMMIT")
    return person_count


def _stage_persons(
    connection: sqlite3.Connection, persons: Iterable[ListedPerson]
) -> None:
    """Write all persons to a temporary table `staged`, with their folded words.

    `connection` is the index that is being built. A column `highest` has the highest
    rating of each person, to sort by it.
    """
    connection.execute(
        f"CREATE TEMP TABLE staged ({', '.join(COLUMNS)}, words, highest)"
    )
    placeholders = ", ".join("?" * (len(COLUMNS) + 2))
    staged_rows = (
        (
            *person[:7],
            *person.fide,
            *person.national,
            *person.coefficients,
            fold_for_index(person.name),
            person.highest_rating,
        )
        for person in persons
    )
    connection.executemany(f"INSERT INTO staged VALUES ({placeholders})", staged_rows)  # noqa: S608


def _write_persons(connection: sqlite3.Connection) -> int:
    """Write the staged persons to a table `person`, and return their number.

    `connection` is the index with the table `staged`. The highest rating comes first,
    and gets id 1. Without FTS5 the table has the folded words, too. FIDE numbers are
    indexed.
    """
    words_column_or_nothing = "" if has_fts5() else ", words"
    column_list = ", ".join(COLUMNS) + words_column_or_nothing
    connection.execute(f"CREATE TABLE person (id INTEGER PRIMARY KEY, {column_list})")
    cursor = connection.execute(
        f"INSERT INTO person ({column_list}) "  # noqa: S608
        f"SELECT {column_list} FROM staged ORDER BY highest DESC, rowid"
    )
    connection.execute(
        "CREATE INDEX person_by_number ON person (fide_number) WHERE fide_number > 0"
    )
    return cursor.rowcount


def _write_word_index(connection: sqlite3.Connection) -> None:
    """Write the full text index `word` of the staged persons' folded words.

    `connection` is the index with the table `staged`. Row ids are those of the table
    `person`. FTS5 must be available.
    """
    connection.execute(
        "CREATE VIRTUAL TABLE word USING fts5("
        "words, content='', detail=none, columnsize=0, prefix='1 2 3')"
    )
    connection.execute(
        "INSERT INTO word (rowid, words) SELECT row_number() OVER "
        "(ORDER BY highest DESC, rowid), words FROM staged"
    )
    connection.execute("INSERT INTO word (word) VALUES ('optimize')")


def open_index(path: Path) -> sqlite3.Connection:
    """Open an index for reading; the caller closes the connection.

    `path` is its file. Raises InputError if the file is missing, or is no index of this
    version.
    """
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True
        )
    except sqlite3.Error:
        raise InputError(str(path), "rating_list.damaged_index") from None
    try:
        stored_version = connection.execute(
            "SELECT value FROM property WHERE key = 'form'"
        ).fetchone()
    except sqlite3.Error:
        stored_version = None
    if stored_version != (str(FORM_VERSION),):
        connection.close()
        raise InputError(str(path), "rating_list.damaged_index")
    return connection


def read_properties(path: Path) -> dict[str, str]:
    """Return the texts that were stored about a list, by their keys.

    Besides those that the builder of the index gave, they are "persons" (their number),
    "search" ("fts5" or "like") and "form" (the version of the tables). Raises
    InputError if the file is no index of this version.
    """
    with closing(open_index(path)) as connection:
        return dict(connection.execute("SELECT key, value FROM property"))


def search_names(path: Path, typed: str, most: int) -> list[ListedPerson]:
    """Return the persons with names that have words beginning as the typed words do.

    `typed` is what somebody typed, and `path` the index. Every typed word must fit. The
    highest rated ones come first, and there are at most `most`. Case and accents do not
    count. A typed ä finds a and ae, and likewise ö and ü. Nobody is found unless a
    typed word has at least two letters. Raises InputError if the index is damaged.
    """
    spellings_by_word = fold_spellings(typed)
    longest_word_length = max(
        (len(spellings[0]) for spellings in spellings_by_word), default=0
    )
    if longest_word_length < 2:
        return []
    with closing(open_index(path)) as connection, _name_damage(path):
        search_property = connection.execute(
            "SELECT value FROM property WHERE key = 'search'"
        ).fetchone()
        if search_property == ("fts5",):
            return _search_words(connection, spellings_by_word, most)
        return _search_column(connection, spellings_by_word, most)


def find_numbers(path: Path, fide_number: int) -> list[ListedPerson]:
    """Return the persons with a FIDE number; usually there is one or none.

    The number 0 finds nobody. Raises InputError if the index is damaged.
    """
    with closing(open_index(path)) as connection, _name_damage(path):
        person_rows = connection.execute(
            f"SELECT {', '.join(COLUMNS)} FROM person "  # noqa: S608
            "WHERE fide_number = ? AND fide_number > 0",
            (fide_number,),
        )
        return [_build_person(person_row) for person_row in person_rows]


def _search_words(
    connection: sqlite3.Connection,
    word_spellings: list[tuple[str, ...]],
    most: int,
) -> list[ListedPerson]:
    """Search the full text index, and return at most `most` persons by rating.

    `connection` is an open index with FTS5. `word_spellings` has the spellings of each
    typed word, which have letters and digits only. A person has, for each typed word, a
    word that begins with one of its spellings.
    """
    search_terms = (
        "(" + " OR ".join(f'"{spelling}"*' for spelling in spellings) + ")"
        for spellings in word_spellings
    )
    person_rows = connection.execute(
        f"SELECT {', '.join(COLUMNS)} FROM person WHERE id IN "  # noqa: S608
        "(SELECT rowid FROM word WHERE word MATCH ? ORDER BY rowid LIMIT ?) "
        "ORDER BY id",
        (" AND ".join(search_terms), most),
    )
    return [_build_person(person_row) for person_row in person_rows]


def _search_column(
    connection: sqlite3.Connection,
    word_spellings: list[tuple[str, ...]],
    most: int,
) -> list[ListedPerson]:
    """Search the column of words without FTS5, and return at most `most` persons.

    `connection` is an open index without FTS5. `word_spellings` has the spellings of
    each typed word. A person has, for each typed word, a word that begins with one of
    its spellings. The highest rating comes first.
    """
    where_clause = " AND ".join(
        "(" + " OR ".join(["' ' || words LIKE ?"] * len(spellings)) + ")"
        for spellings in word_spellings
    )
    like_patterns = [
        f"% {spelling}%" for spelling in chain.from_iterable(word_spellings)
    ]
    person_rows = connection.execute(
        f"SELECT {', '.join(COLUMNS)} FROM person WHERE {where_clause} "  # noqa: S608
        "ORDER BY id LIMIT ?",
        (*like_patterns, most),
    )
    return [_build_person(person_row) for person_row in person_rows]


def _build_person(row: Row) -> ListedPerson:
    """Return the person in a row of the table `person`, whose columns are COLUMNS."""
    fide_ratings = Ratings(*row[7:10])
    national_ratings = Ratings(*row[10:13])
    coefficients = Ratings(*row[13:16])
    return ListedPerson._make((*row[:7], fide_ratings, national_ratings, coefficients))


@contextmanager
def _name_damage(path: Path) -> Iterator[None]:
    """Raise InputError that an index is damaged, instead of an error of SQLite.

    It is a context manager around statements on the index at `path`. Other errors pass
    unchanged.
    """
    try:
        yield
    except sqlite3.Error:
        raise InputError(str(path), "rating_list.damaged_index") from None
