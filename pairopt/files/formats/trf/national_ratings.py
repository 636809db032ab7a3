"""National ratings in a TRF: record 172, and a record with a federation's code per player.

Record 172 says which of the ratings counts, and 001 has the FIDE rating. Source: FIDE
Handbook C.02.03, TRF26, records 172 and National Rating Support.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pairopt.common.limits import parse_digits
from pairopt.event.chosen_ratings import (
    FIDE_RATING,
    NATIONAL_RATING,
    choose_rating_columns,
    parse_rating,
)
from pairopt.event.event import Event
from pairopt.event.fide_data import MOST_RATING
from pairopt.event.settings import RatingChoice
from pairopt.files.build_event import PlayerTable
from pairopt.files.csv_schema import parse_number
from pairopt.files.formats.trf.records import MOST_NUMBER

METHOD_RECORD = "172"
METHODS: Mapping[RatingChoice | None, str] = {
    None: "FIDON",
    "fide": "FIDE",
    "national": "NRO",
    "national-first": "NIDOF",
    "larger": "HBFN",
}
"""The codes of record 172 by the setting `rating_choice`."""
CHOICES = {code: choice for choice, code in METHODS.items()}
RATING = slice(48, 52)
"""Where the rating is in a record of a national rating, as in 001."""


class NationalRatings(NamedTuple):
    """National ratings of a report: federation, choice, ratings by starting number.

    `federation` is its code of three letters. `choice` says which rating counts, None
    for the usual choice (`METHODS`).
    """

    federation: str
    choice: RatingChoice | None
    rating_by_start: Mapping[int, int]


def parse_national_ratings(lines: Sequence[str]) -> NationalRatings | None:
    """Return the national ratings in lines of a report.

    The first record 172 names the federation. Returns None if it is missing or has a
    method that pairopt does not have, or if nobody has a rating of that federation.
    """
    method_words = next(
        (
            report_line[3:].split()
            for report_line in lines
            if report_line[:3] == METHOD_RECORD
        ),
        [],
    )
    if len(method_words) != 2 or method_words[1].upper() not in CHOICES:
        return None
    federation_code = method_words[0].upper()
    rating_by_start: dict[int, int] = {}
    for report_line in lines:
        start_number = parse_digits(report_line[4:8].strip(), MOST_NUMBER)
        national_rating = parse_digits(report_line[RATING].strip(), MOST_RATING)
        if (
            report_line[:4].upper() == f"{federation_code} "
            and start_number
            and national_rating
        ):
            rating_by_start.setdefault(start_number, national_rating)
    if not rating_by_start:
        return None
    return NationalRatings(
        federation_code, CHOICES[method_words[1].upper()], rating_by_start
    )


def with_national_ratings(
    roster: PlayerTable, national: NationalRatings | None
) -> PlayerTable:
    """Return the players with their national ratings, and with the ratings that count.

    `roster` has the players, whose identifiers must be starting numbers. A column of
    national ratings is added. If other ratings than FIDE's count, they replace the
    column `rating`, and the column `fide_rating` has those of record 001. The players
    are returned unchanged if `national` is None.
    """
    if national is None:
        return roster
    start_numbers = [int(player_row.player) for player_row in roster.players]
    national_cells = [
        str(national.rating_by_start.get(start_number, ""))
        for start_number in start_numbers
    ]
    rating_cells = [
        "" if player_row.rating is None else str(player_row.rating)
        for player_row in roster.players
    ]
    cells_by_column = {
        **roster.columns,
        "rating": rating_cells,
        NATIONAL_RATING: national_cells,
    }
    cells_by_column = {
        **cells_by_column,
        **choose_rating_columns(cells_by_column, national.choice),
    }
    player_rows = [
        replace(player_row, rating=parse_number(cell) if cell else None)
        for player_row, cell in zip(
            roster.players, cells_by_column["rating"], strict=True
        )
    ]
    if "rating" not in roster.columns and FIDE_RATING not in cells_by_column:
        del cells_by_column["rating"]
    return replace(roster, players=player_rows, columns=cells_by_column)


def format_national_ratings(
    event: Event, numbers: Sequence[int], kept_lines: Sequence[str]
) -> Iterator[str]:
    """Yield record 172, and a record per player with a national rating.

    A player's record begins with the code of the federation. This is the federation of
    a record 172 in `kept_lines`, the lines kept from the event's source file, otherwise
    that of the event. Without a federation, or if no player has a national rating,
    nothing is yielded. Records that `kept_lines` has already are left out. `numbers`
    are the players' starting numbers.
    """
    national_cells = event.columns.get(NATIONAL_RATING, ())
    national_ratings = [*map(parse_rating, national_cells)]
    method_line = next(
        (kept_line for kept_line in kept_lines if kept_line[:3] == METHOD_RECORD), ""
    )
    federation_code = (method_line[3:7].strip() or event.settings.federation).upper()
    if not any(national_ratings) or not federation_code:
        return
    if not method_line:
        yield f"{METHOD_RECORD} {federation_code} {METHODS[event.settings.rating_choice]}"
    stated_starts = {
        parse_digits(kept_line[4:8].strip(), MOST_NUMBER)
        for kept_line in kept_lines
        if kept_line[:4] == f"{federation_code} "
    }
    for starting_number, national_rating in zip(numbers, national_ratings, strict=True):
        if national_rating and starting_number not in stated_starts:
            yield f"{federation_code} {starting_number:>4}{'':40}{national_rating:>4}"


def official_ratings(event: Event) -> list[str] | None:
    """Return the cells of FIDE's ratings; None if they are the ratings that count.

    They are texts in the order of the players, from the column `fide_rating` of an
    event in which somebody has a national rating. Without this column, or without
    national ratings, the result is None.
    """
    fide_cells = event.columns.get(FIDE_RATING)
    if fide_cells is None or not any(
        map(parse_rating, event.columns.get(NATIONAL_RATING, ()))
    ):
        return None
    return [*fide_cells]
