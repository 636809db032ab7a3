"""Corrections for the rating alone: how a TRF has two results of one game.

The players' lines have the result that counts for the rating. Records 299 give the
points that standings and pairings count, and a comment has both scores. A program that
knows neither still rates what was played. Sources: FIDE Handbook C.04.2, 4.3 (results
that are corrected late), and C.02.03, TRF26, record 299.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pairopt.event.column_layout import RATING_RESULT
from pairopt.event.event import Event
from pairopt.event.points import parse_rating_result
from pairopt.messages.formatting import decimal_text

AMOUNT = r"(\d{1,3}(?:\.\d{1,2})?)"
COMMENT = re.compile(
    rf"### Rating only @ Round (\d{{1,3}}): (\d{{1,4}})-(\d{{1,4}}): "
    rf"{AMOUNT}-{AMOUNT} => {AMOUNT}-{AMOUNT}",
    re.ASCII,
)
LETTER_IN_299 = {"1": "W", "=": "D", "0": "L", "W": "W", "D": "D", "L": "L"}
"""The letter of record 299 by the result in a player's line."""


@dataclass(frozen=True, slots=True)
class RatingCorrection:
    """A match whose result for the rating differs from the one that standings count.

    `players` are positions in the event, or starting numbers of a file, the first side
    first. `points` count in standings and pairings, `results` for the rating; both are
    in the order of the players.
    """

    round: int
    players: tuple[int, int]
    points: tuple[Fraction, Fraction]
    results: tuple[Fraction, Fraction]


def find_rating_corrections(event: Event) -> Iterator[RatingCorrection]:
    """Yield the matches of an event that have a result for the rating alone.

    Players are positions in the event, the player of the first side first.
    """
    if RATING_RESULT not in event.origin.cells:
        return
    matches = event.matches
    for match_index in range(len(matches)):
        rating_text = event.origin.cell(RATING_RESULT, int(matches.row[match_index]))
        if not rating_text:
            continue
        match_players = (
            int(matches.first[match_index]),
            int(matches.second[match_index]),
        )
        counted_points = (
            Fraction(int(matches.score1[match_index]), event.scale),
            Fraction(int(matches.score2[match_index]), event.scale),
        )
        rating_results = parse_rating_result(rating_text)
        if matches.side[match_index] == 1:
            match_players, counted_points, rating_results = (
                match_players[::-1],
                counted_points[::-1],
                rating_results[::-1],
            )
        yield RatingCorrection(
            int(matches.round[match_index]),
            match_players,
            counted_points,
            rating_results,
        )


def format_correction(correction: RatingCorrection, numbers: Sequence[int]) -> str:
    """Return the comment of a TRF for a correction for the rating alone.

    `numbers` are the starting numbers of the two players of `correction`, in their
    order.
    """
    start_numbers_text = "-".join(map(str, numbers))
    points_text = "-".join(map(decimal_text, correction.points))
    results_text = "-".join(map(decimal_text, correction.results))
    return f"### Rating only @ Round {correction.round}: {start_numbers_text}: {points_text} => {results_text}"


def parse_correction(line: str) -> RatingCorrection | None:
    """Return the correction in a comment of a TRF, None in any other line.

    The players are starting numbers.
    """
    comment_match = COMMENT.fullmatch(line.rstrip())
    if comment_match is None:
        return None
    round_number, first_start, second_start = map(int, comment_match.groups()[:3])
    parsed_points = [
        Fraction(amount_text) for amount_text in comment_match.groups()[3:]
    ]
    return RatingCorrection(
        round_number,
        (first_start, second_start),
        (parsed_points[0], parsed_points[1]),
        (parsed_points[2], parsed_points[3]),
    )
