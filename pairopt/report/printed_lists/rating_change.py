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
    ListColumn,
    ListSection,
    ListSource,
    PrintedList,
)
from pairopt.report.printed_lists.player_columns import player_columns, rank_column

USUAL = ("title", "federation", "rating")
RatingCell = Callable[[ExpectedRating], Cell]


def rating_columns(source: ListSource) -> Sequence[ListColumn]:
    """Return player, K, games, scores, change, performance and initial rating."""
    changes = expected_ratings(source.event)
    of_player = partial(_rating_column, changes)
    return [
        rank_column(source),
        *player_columns(source, USUAL),
        of_player("k", "K", lambda change: change.k or "", "Development coefficient"),
        of_player(
            "k_from",
            "K from",
            _origin_of_k,
            "Whether K is in the list of players, or follows from rating and age",
            is_number=False,
        ),
        of_player("games", "Games", lambda change: change.games, "Rated games"),
        of_player("score", "W", lambda change: _text(change, change.score), "Score"),
        of_player(
            "expected_score",
            "We",
            lambda change: _text(change, change.expected_score),
            "Expected score",
        ),
        of_player("difference", "W-We", _difference_cell, "Score less expected score"),
        of_player("change", "Change", _change_cell, "Expected rating change"),
        of_player("opponents", "Ro", _opponents_cell, "Mean rating of the opponents"),
        of_player(
            "performance", "Rp", lambda change: change.performance or "", "Performance"
        ),
        of_player(
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
    """Return a column whose cell follows from a player's expected rating."""
    kind = "number" if is_number else "text"
    return ListColumn(key, head, lambda player: value(changes[player]), kind, meaning)  # type: ignore[arg-type]


def _text(change: ExpectedRating, number: Fraction | None) -> str:
    """Return a number as text, "" without one or without rated games."""
    return "" if number is None or not change.games else decimal_text(number)


def _signed(number: Fraction) -> str:
    """Return a number with its sign, for example "+54.4"."""
    text = decimal_text(number)
    return f"+{text}" if number > 0 else text


def _difference_cell(change: ExpectedRating) -> str:
    """Return the score less the expected score, "" for an unrated player."""
    if change.expected_score is None:
        return ""
    return _signed(change.score - change.expected_score)


def _change_cell(change: ExpectedRating) -> str:
    """Return the expected change with its sign, "" for an unrated player."""
    return "" if change.change is None else _signed(change.change)


def _opponents_cell(change: ExpectedRating) -> Cell:
    """Return the mean rating of the opponents, rounded half up, "" without one."""
    if change.opponents_mean is None:
        return ""
    return int(change.opponents_mean + Fraction(1, 2))


def _origin_of_k(change: ExpectedRating) -> str:
    """Return where K is from: the list of players, or rating and age."""
    if change.k is None:
        return ""
    return "rules" if change.is_k_assumed else "list"


def by_rank(source: ListSource) -> Sequence[ListSection]:
    """Return all players by rank."""
    return [ListSection("", source.ranked_players)]


def find_missing_ratings(source: ListSource) -> Message | None:
    """Return a message if no player has a rating, or if it is not chess."""
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
