"""Expected rating changes, by FIDE's Rating Regulations (B.02, section 8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

from pairopt.event.rating_change import ExpectedRating, expected_ratings
from pairopt.messages import Message, message
from pairopt.messages.formatting import decimal_text
from pairopt.report.printed_lists.base import (
    Cell,
    CellKind,
    ListColumn,
    ListSection,
    ListSource,
    PrintedList,
)
from pairopt.report.printed_lists.player_columns import player_columns, rank_column

USUAL = ("title", "federation", "rating")
RatingCell = Callable[[ExpectedRating], Cell]


def rating_columns(source: ListSource) -> Sequence[ListColumn]:
    """Return the columns of expected rating changes: K, games, scores and so on.

    Rank, title, name, federation and rating come first. Rows are positions of players
    in the event. `source` has the event.
    """
    expected_changes = expected_ratings(source.event)
    make_column = partial(_rating_column, expected_changes)
    return [
        rank_column(source),
        *player_columns(source, USUAL),
        make_column("k", "K", lambda change: change.k or "", "Development coefficient"),
        make_column(
            "k_from",
            "K from",
            _origin_of_k,
            "Whether K is in the list of players, or follows from rating and age",
            is_number=False,
        ),
        make_column("games", "Games", lambda change: change.games, "Rated games"),
        make_column(
            "score", "W", lambda change: _score_text(change, change.score), "Score"
        ),
        make_column(
            "expected_score",
            "We",
            lambda change: _score_text(change, change.expected_score),
            "Expected score",
        ),
        make_column(
            "difference", "W-We", _difference_cell, "Score less expected score"
        ),
        make_column("change", "Change", _change_cell, "Expected rating change"),
        make_column("opponents", "Ro", _opponents_cell, "Mean rating of the opponents"),
        make_column(
            "performance", "Rp", lambda change: change.performance or "", "Performance"
        ),
        make_column(
            "initial",
            "New",
            lambda change: change.initial or "",
            "Initial rating of an unrated player from these games alone",
        ),
    ]


def _rating_column(
    changes: Sequence[ExpectedRating],
    key: str,
    head: str,
    value: RatingCell,
    meaning: str,
    is_number: bool = True,
) -> ListColumn:
    """Return a column whose cells follow from each player's expected rating.

    `changes` are by position in the event, and `value` returns the cell of one of them.
    `head` is on paper, `key` in CSV, and `meaning` says what the head stands for.
    `is_number` says whether cells are aligned as numbers.
    """
    cell_kind: CellKind = "number" if is_number else "text"
    return ListColumn(
        key, head, lambda player: value(changes[player]), cell_kind, meaning
    )


def _score_text(change: ExpectedRating, number: Fraction | None) -> str:
    """Return a number of a change as text, "" without one or without rated games."""
    return "" if number is None or not change.games else decimal_text(number)


def _format_signed(number: Fraction) -> str:
    """Return a number as decimal text with its sign, for example "+54.4".

    Zero has no sign.
    """
    number_text = decimal_text(number)
    return f"+{number_text}" if number > 0 else number_text


def _difference_cell(change: ExpectedRating) -> str:
    """Return a player's score less the expected score, with its sign.

    `change` is the expected change. The text is "" for an unrated player.
    """
    if change.expected_score is None:
        return ""
    return _format_signed(change.score - change.expected_score)


def _change_cell(change: ExpectedRating) -> str:
    """Return the expected change with its sign, "" for an unrated player."""
    return "" if change.change is None else _format_signed(change.change)


def _opponents_cell(change: ExpectedRating) -> Cell:
    """Return the mean rating of the opponents, rounded half up.

    `change` is the player's expected change. The cell is "" without rated opponents.
    """
    if change.opponents_mean is None:
        return ""
    return int(change.opponents_mean + Fraction(1, 2))


def _origin_of_k(change: ExpectedRating) -> str:
    """Return where K is from: "list" (of players), or "rules" (from rating and age).

    `change` is the player's expected change. The text is "" without a K.
    """
    if change.k is None:
        return ""
    return "rules" if change.is_k_assumed else "list"


def by_rank(source: ListSource) -> Sequence[ListSection]:
    """Return one section with all players by rank, as positions in the event.

    `source` has the event.
    """
    return [ListSection("", source.ranked_players)]


def find_missing_ratings(source: ListSource) -> Message | None:
    """Return a message if the event is not chess, or if no player has a rating.

    Otherwise return None: the list can be made. `source` has the event.
    """
    if not source.event.chess:
        return message("list.no_chess")
    return None if (source.event.rating > 0).any() else message("list.no_ratings")


LISTS = (
    PrintedList(
        "rating-change",
        "Expected rating change",
        "by FIDE's rules; FIDE itself counts all games of a month",
        rating_columns,
        by_rank,
        find_lack=find_missing_ratings,
        of_standings=True,
        # K tells who is under 18, which published pages must not.
        published=False,
    ),
)
