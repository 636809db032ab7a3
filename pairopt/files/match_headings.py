"""Match headings: find the columns of match lists that other programs wrote."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pairopt.common.serialization import read_package_toml
from pairopt.messages.formatting import strip_accents

MATCHES_CSV_REQUIRED = ("round", "player1", "player2", "score1", "score2")
"""Columns that matches.csv cannot do without: a list that has them all is one."""
RESULT_MEANINGS = ("points", "games", "winner")
"""The meanings that `columns` can give to columns of results, besides those of matches.csv."""
SASS_PAIRINGS = ("table", "corp player", "runner player")
OTHER_PAIRS = (
    ("1", "2"),
    ("a", "b"),
    ("p 1", "p 2"),
    ("white", "black"),
    ("home", "away"),
)
"""Pairs of words for the two players in headings that do not name them as the list does."""
PLAYER_LIST_HEADINGS = frozenset({"name", "player"})
"""Headings for the names in a list of players."""
LONGEST_HEADING = 60
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
WORD = re.compile(r"[^\W\d_]+|\d+")


@dataclass(frozen=True, slots=True)
class ResultSource:
    """Columns from which results can be read: one for both players, or one for each.

    `kind` is "points", "games", "result" (either of these, or a word) or "verdict" (who
    won).
    """

    kind: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchColumns:
    """The columns of a list of matches, by their names in the table.

    `names` holds the columns with each player's name: two where first and last names
    stand apart. `sources` are columns of results in the order of trial, and `words`
    those in which a word may say for example forfeit. `round`, `table`, `drawn` (the
    number of drawn games), `draw` (yes if a match was a draw) and `third` (a third
    player) are single columns, None if the list lacks them. `ratings` are the columns
    with each player's rating. `sides` are the labels of the two sides. `decided` says
    that the first player of each row won. `mirrored` says that a match may stand in two
    rows, once for each player.
    """

    names: tuple[tuple[str, ...], tuple[str, ...]]
    sources: tuple[ResultSource, ...]
    round: str | None = None
    table: str | None = None
    drawn: str | None = None
    draw: str | None = None
    words: tuple[str, ...] = ()
    ratings: tuple[str, str] | None = None
    third: str | None = None
    sides: tuple[str, str] | None = None
    decided: bool = False
    mirrored: bool = False

    @property
    def is_list(self) -> bool:
        """Whether these columns make a list of matches, not just of pairs of names.

        They do with a column of results. They also do with a column of rounds or
        tables, unless each match has two rows (`mirrored`).
        """
        has_round_or_table = self.round is not None or self.table is not None
        return bool(self.sources) or (has_round_or_table and not self.mirrored)

    @property
    def used(self) -> set[str]:
        """The names of all columns that have a meaning here, but for a third player."""
        player_columns = [
            *self.names[0],
            *self.names[1],
            *self.words,
            *(self.ratings or ()),
        ]
        match_columns = filter(None, (self.round, self.table, self.drawn, self.draw))
        result_columns = (
            result_column
            for result_source in self.sources
            for result_column in result_source.columns
        )
        return {*player_columns, *match_columns, *result_columns}


@dataclass(frozen=True, slots=True)
class _PlayerWords:
    """Words for the two players in the headings of a list, from match_headings.toml.

    `words` are one word for each player, and `sides` the labels of their sides, if they
    have any. `decided` says that the first player won every match, `twice` that a match
    may stand in two rows.
    """

    words: Sequence[str]
    sides: Sequence[str] = ()
    decided: bool = False
    twice: bool = False


def simplify_heading(heading: str) -> str:
    """Return a heading in small letters, without accents and signs.

    Single blanks separate words and numbers: `WhiteElo2` becomes `white elo 2`. Returns
    "" if the heading is longer than LONGEST_HEADING.
    """
    if len(heading) > LONGEST_HEADING:
        return ""
    spaced_heading = CAMEL.sub(" ", heading)
    return " ".join(WORD.findall(strip_accents(spaced_heading)))


def find_match_columns(headings: Iterable[str]) -> MatchColumns | None:
    """Find the columns of a list of matches by their headings.

    Empty headings are skipped; others are the names of the columns in the result.
    Returns None if there are no columns for two players. The columns found may still be
    no list of matches; `is_list` of the result says that.
    """
    filled_headings = [heading for heading in headings if heading]
    column_by_heading = _index_by_simple_heading(filled_headings)
    for player_words in _load_player_words():
        name_columns = _find_name_columns(player_words, column_by_heading)
        if name_columns is not None:
            return _build_match_columns(player_words, name_columns, column_by_heading)
    return None


def is_match_list(columns: Sequence[str], renamed: bool = False) -> bool:
    """Return whether columns are a match list with other headings than matches.csv.

    With `player1` or `player2` they are one only if there is a column of results that
    matches.csv does not have. Otherwise the reader of matches.csv takes the table, and
    its errors name what is missing. If `renamed`, the user gave the columns these names
    with `--columns`, and a table with all columns of matches.csv may be a match list,
    too.
    """
    match_columns = find_match_columns(columns)
    if match_columns is None or (
        set(columns).issuperset(MATCHES_CSV_REQUIRED) and not renamed
    ):
        return False
    if match_columns.sources:
        return True
    has_pairopt_names = "player1" in columns or "player2" in columns
    is_sass_pairings = set(columns).issuperset(SASS_PAIRINGS)
    return match_columns.is_list and not has_pairopt_names and not is_sass_pairings


def count_match_headings(headings: Sequence[str]) -> int:
    """Count the headings that have a meaning in a list of matches.

    Returns 0 if the headings are not those of a list of matches.
    """
    match_columns = find_match_columns(headings)
    return (
        len(match_columns.used)
        if match_columns is not None and match_columns.is_list
        else 0
    )


def number_repeats(headings: Sequence[str]) -> list[str]:
    """Add numbers to repeated headings, for example Rtg and Rtg (2).

    Upper and lower case count as the same. Empty headings, and the first of equal ones,
    get no number.
    """
    count_by_heading: dict[str, int] = {}
    numbered_headings = []
    for heading in headings:
        lowercase_heading = heading.lower()
        count_by_heading[lowercase_heading] = (
            count_by_heading.get(lowercase_heading, 0) + 1
        )
        is_repeat = bool(heading) and count_by_heading[lowercase_heading] > 1
        numbered_headings.append(
            f"{heading} ({count_by_heading[lowercase_heading]})"
            if is_repeat
            else heading
        )
    return numbered_headings


def number_match_headings(headings: list[str]) -> list[str]:
    """Add numbers to repeated headings of a match list, for example Elo and Elo (2).

    Returns them unchanged if they are not those of a match list, if they have all
    required columns of matches.csv, or if a repeated heading says something of the
    match, for example its round.
    """
    numbered_headings = number_repeats(headings)
    match_columns = find_match_columns(
        [heading.lower() for heading in numbered_headings]
    )
    is_matches_csv = {heading.lower() for heading in headings}.issuperset(
        MATCHES_CSV_REQUIRED
    )
    if match_columns is None or is_matches_csv:
        return headings
    unrepeatable_columns = {
        match_columns.round,
        match_columns.table,
        match_columns.drawn,
        match_columns.draw,
    }
    unrepeatable_columns |= {
        result_source.columns[0]
        for result_source in match_columns.sources
        if len(result_source.columns) == 1
    }
    headings_before_and_after = zip(headings, numbered_headings, strict=True)
    repeated_headings = {
        heading.lower()
        for heading, numbered_heading in headings_before_and_after
        if heading != numbered_heading
    }
    return headings if repeated_headings & unrepeatable_columns else numbered_headings


def _index_by_simple_heading(columns: Iterable[str]) -> Mapping[str, str]:
    """Return the columns by their simplified headings.

    If several columns have one simplified heading, the first of them counts.
    """
    column_by_heading: dict[str, str] = {}
    for column_name in columns:
        column_by_heading.setdefault(simplify_heading(column_name), column_name)
    return column_by_heading


def _find_name_columns(
    players: _PlayerWords, plain: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Find the columns with the names of both players.

    `players` has the words for the two players, and `plain` the columns by their
    simplified headings. Each player has one column, or one for the first and one for
    the last name. Returns None if either player has no column, or the table is a list
    of players.
    """
    first_word, second_word = players.words
    words_by_meaning = _load_vocabulary()["of_player"]
    # A list of players may have a column for each side, too.
    is_player_list = bool(PLAYER_LIST_HEADINGS & plain.keys())
    if is_player_list and PLAYER_LIST_HEADINGS.isdisjoint(players.words):
        return None
    name_words = list(words_by_meaning["name"])
    # In a game with sides, "id" may be the identity that a player chose.
    if not players.sides:
        name_words += words_by_meaning["id"]
    for name_word in name_words:
        first_column = _find_player_column(plain, first_word, name_word)
        second_column = _find_player_column(plain, second_word, name_word)
        if first_column and second_column and first_column != second_column:
            return (first_column,), (second_column,)

    def find_parts(player_word: str) -> tuple[str, ...]:
        """Return the columns of a player's first and last name, without missing ones.

        `player_word` is the word for the player in headings, such as "white".
        """
        name_columns = (
            _find_any_player_column(plain, player_word, words_by_meaning[name_part])
            for name_part in ("first", "last")
        )
        return tuple(column for column in name_columns if column)

    first_name_columns = find_parts(first_word)
    second_name_columns = find_parts(second_word)
    if len(first_name_columns) == len(second_name_columns) == 2:
        return first_name_columns, second_name_columns
    return None


def _find_player_column(
    plain: Mapping[str, str], player_word: str, word: str
) -> str | None:
    """Find the column of a player for a word, such as "white elo"; None if none fits.

    `player_word` is the word for the player, here "white", and `word` the one for the
    column, here "elo". They may stand in either order, or be joined. With an empty
    `word` the heading is `player_word` alone. `plain` has the columns by their
    simplified headings.
    """
    if not word:
        return plain.get(player_word)
    possible_headings = (
        f"{player_word} {word}",
        f"{word} {player_word}",
        f"{player_word}{word}",
    )
    return next(
        (plain[heading] for heading in possible_headings if heading in plain), None
    )


def _find_any_player_column(
    plain: Mapping[str, str], player_word: str, words: Iterable[str]
) -> str | None:
    """Find the first column of a player with one of these words, in their order.

    `plain` has the columns by their simplified headings. `player_word` is the word for
    the player, such as "white", and each of `words` one for the column, such as "elo".
    A heading has both words, in either order or joined; for an empty word it is
    `player_word` alone. Returns None if there is none.
    """
    columns_of_words = (_find_player_column(plain, player_word, word) for word in words)
    return next(filter(None, columns_of_words), None)


def _build_match_columns(
    players: _PlayerWords,
    names: tuple[tuple[str, ...], tuple[str, ...]],
    plain: Mapping[str, str],
) -> MatchColumns:
    """Return the columns of a match list, given its columns of names, `names`.

    All other columns are found here: results, round, table, ratings and so on.
    `players` has the words for the two players, and `plain` the columns by their
    simplified headings. Columns of names are not used twice.
    """
    used_columns = {*names[0], *names[1]}
    column_by_meaning = {
        meaning: _find_match_column(plain, heading_words, used_columns)
        for meaning, heading_words in _load_vocabulary()["of_match"].items()
    }
    result_sources = _find_result_sources(
        players, plain, column_by_meaning, used_columns
    )
    columns_with_words = [
        column_by_meaning["status"],
        column_by_meaning["stage"],
        *(
            result_source.columns[0]
            for result_source in result_sources
            if len(result_source.columns) == 1
        ),
    ]
    side_labels = players.sides
    return MatchColumns(
        names=names,
        sources=tuple(result_sources),
        round=column_by_meaning["round"],
        table=column_by_meaning["table"],
        drawn=column_by_meaning["drawn"],
        draw=column_by_meaning["draw"],
        words=tuple(filter(None, columns_with_words)),
        ratings=_find_player_pair(players, plain, "rating", used_columns),
        third=_find_third_player(players, plain),
        sides=(side_labels[0], side_labels[1]) if side_labels else None,
        decided=players.decided,
        mirrored=players.twice,
    )


def _find_result_sources(
    players: _PlayerWords,
    plain: Mapping[str, str],
    match_fields: Mapping[str, str | None],
    used_columns: set[str],
) -> list[ResultSource]:
    """List the columns from which results may be read, in the order of trial.

    `players` has the words for the two players, and `plain` the columns by their
    simplified headings. Columns that state points or games come first, and those that
    say who won come last. `match_fields` has the column of the match for each meaning,
    or None. Columns for each player that are in `used_columns` are skipped. The list
    may be empty.
    """
    possible_sources = [
        _make_single_source("points", match_fields["points"]),
        _make_single_source("games", match_fields["games"]),
        _make_double_source("points", _find_matches_csv_pair(plain, "score")),
        _make_double_source("games", _find_matches_csv_pair(plain, "games")),
        _make_single_source("result", match_fields["result"]),
        _make_double_source(
            "result", _find_player_pair(players, plain, "result", used_columns)
        ),
        _make_double_source(
            "games", _find_player_pair(players, plain, "games", used_columns)
        ),
        _make_single_source("verdict", match_fields["verdict"]),
    ]
    return [
        result_source for result_source in possible_sources if result_source is not None
    ]


def _make_single_source(kind: str, column: str | None) -> ResultSource | None:
    """Return a source of results in one column, of this kind; None without a column."""
    return ResultSource(kind, (column,)) if column else None


def _make_double_source(
    kind: str, columns: tuple[str, str] | None
) -> ResultSource | None:
    """Return a source of results in two columns, of this kind; None without columns."""
    return ResultSource(kind, columns) if columns else None


def _find_matches_csv_pair(
    plain: Mapping[str, str], name: str
) -> tuple[str, str] | None:
    """Return a pair of columns of matches.csv, such as score1 and score2.

    `plain` has the columns by their simplified headings. `name` is "score" or "games".
    Returns None if either column is missing.
    """
    column_names = set(plain.values())
    column_pair = (f"{name}1", f"{name}2")
    return column_pair if column_names.issuperset(column_pair) else None


def _find_player_pair(
    players: _PlayerWords,
    plain: Mapping[str, str],
    meaning: str,
    used_columns: set[str],
) -> tuple[str, str] | None:
    """Find the two columns with a value of each player, for example their ratings.

    `players` has the words for the two players, and `plain` the columns by their
    simplified headings. The headings have these words, or another usual pair such as 1
    and 2; or the second one is the first one with "2" after it or "opponent" before it.
    `meaning` is a key of the vocabulary, such as "rating". Returns None if one of the
    columns is missing, or is among `used_columns`.
    """
    for first_word, second_word in (players.words, *OTHER_PAIRS):
        for meaning_word in _load_vocabulary()["of_player"][meaning]:
            first_column = _find_player_column(plain, first_word, meaning_word)
            second_column = _find_player_column(plain, second_word, meaning_word)
            if (
                first_column
                and second_column
                and first_column != second_column
                and not used_columns & {first_column, second_column}
            ):
                return first_column, second_column
    for meaning_word in _load_vocabulary()["of_player"][meaning]:
        first_column = plain.get(meaning_word)
        second_column = plain.get(f"{meaning_word} 2") or plain.get(
            f"opponent {meaning_word}"
        )
        if (
            first_column
            and second_column
            and not used_columns & {first_column, second_column}
        ):
            return first_column, second_column
    return None


def _find_third_player(players: _PlayerWords, plain: Mapping[str, str]) -> str | None:
    """Find the column of a third player, such as Player 3.

    `players` has the words for the two players, and `plain` the columns by their
    simplified headings. Returns None if there is none, or if the list does not number
    its players.
    """
    second_player_word = players.words[1]
    if not second_player_word.endswith(" 2"):
        return None
    return _find_any_player_column(
        plain, f"{second_player_word[:-1]}3", _load_vocabulary()["of_player"]["name"]
    )


def _find_match_column(
    plain: Mapping[str, str], words: Iterable[str], used_columns: set[str]
) -> str | None:
    """Return the first column of the match whose heading is one of `words`.

    `plain` has the columns by their simplified headings. A word is skipped if there is
    a second such column (Elo and Elo 2), one for each player. Columns in `used_columns`
    are skipped, too. Returns None if there is no other column.
    """
    columns_of_words = (
        plain.get(heading_word)
        for heading_word in words
        if f"{heading_word} 2" not in plain
    )
    return next(
        (
            column_name
            for column_name in columns_of_words
            if column_name and column_name not in used_columns
        ),
        None,
    )


def _load_vocabulary() -> Mapping[str, Any]:
    """Load match_headings.toml: the words for players and for columns, by meaning."""
    return read_package_toml("pairopt.files", "match_headings.toml")


@cache
def _load_player_words() -> tuple[_PlayerWords, ...]:
    """Load the pairs of words for two players in headings, in the order of trial."""
    return tuple(
        _PlayerWords(**declared_words)
        for declared_words in _load_vocabulary()["players"]
    )
