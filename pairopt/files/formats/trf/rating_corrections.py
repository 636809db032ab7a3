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
    """A match with a result for the rating alone, the first side first.

    `players` are rows of the event, or starting numbers of a file. `points` count in
    standings and pairings, `results` for the rating.
    """

    round: int
    players: tuple[int, int]
    points: tuple[Fraction, Fraction]
    results: tuple[Fraction, Fraction]


def find_rating_corrections(event: Event) -> Iterator[RatingCorrection]:
    """Yield the matches of an event that have a result for the rating alone.

    Players are rows of the event, the player of the first side first.
    """
    if RATING_RESULT not in event.origin.cells:
        return
    matches = event.matches
    for match_row in range(len(matches)):
        rating_text = event.origin.cell(RATING_RESULT, int(matches.row[match_row]))
        if not rating_text:
            continue
        players = (int(matches.first[match_row]), int(matches.second[match_row]))
        points = (
            Fraction(int(matches.score1[match_row]), event.scale),
            Fraction(int(matches.score2[match_row]), event.scale),
        )
        results = parse_rating_result(rating_text)
        if matches.side[match_row] == 1:
            players, points, results = players[::-1], points[::-1], results[::-1]
        yield RatingCorrection(int(matches.round[match_row]), players, points, results)


def format_correction(correction: RatingCorrection, numbers: Sequence[int]) -> str:
    """Return the comment of a TRF for a correction for the rating alone.

    `numbers` are the starting numbers of its players.
    """
    start_numbers_text = "-".join(map(str, numbers))
    points = "-".join(map(decimal_text, correction.points))
    results = "-".join(map(decimal_text, correction.results))
    return f"### Rating only @ Round {correction.round}: {start_numbers_text}: {points} => {results}"


def parse_correction(line: str) -> RatingCorrection | None:
    """Return the correction in a comment of a TRF, None in any other line.

    The players are starting numbers.
    """
    match = COMMENT.fullmatch(line.rstrip())
    if match is None:
        return None
    round_number, first_start, second_start = map(int, match.groups()[:3])
    amounts = [Fraction(amount) for amount in match.groups()[3:]]
    return RatingCorrection(
        round_number,
        (first_start, second_start),
        (amounts[0], amounts[1]),
        (amounts[2], amounts[3]),
    )
