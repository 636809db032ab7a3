"""Which rating counts in an event: that of FIDE, the national one, or one of both.

The column `rating` of players.csv has the rating that counts. The columns `fide_rating`
and `national_rating` have the official ratings that it was chosen from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pairopt.common.limits import parse_digits
from pairopt.event.event import NO_RATING, Event
from pairopt.event.fide_data import MOST_RATING
from pairopt.event.settings import RatingChoice

FIDE_RATING, NATIONAL_RATING = "fide_rating", "national_rating"


def choose_rating(fide: int, national: int, choice: RatingChoice | None) -> int:
    """Return the rating that counts in an event, 0 for none.

    `choice` is the setting `rating_choice`: "fide", "national", "larger" of the two, or
    "national-first", the national rating if there is one. None is the FIDE rating, and
    the national rating for players without one. A rating of 0 is none.

    >>> choose_rating(1900, 2000, "larger")
    2000
    """
    if choice == "fide":
        return fide
    if choice == "national":
        return national
    if choice == "larger":
        return max(fide, national)
    if choice == "national-first":
        return national or fide
    return fide or national


def parse_rating(cell: str) -> int:
    """Return the rating in a cell of players.csv: a whole number up to MOST_RATING.

    It is 0 if the cell is empty, or is anything else. Blanks around don't matter.
    """
    return parse_digits(cell.strip(), MOST_RATING) or 0


def choose_rating_columns(
    columns: Mapping[str, Sequence[str]], choice: RatingChoice | None
) -> dict[str, list[str]]:
    """Return new columns `rating` and `fide_rating` by the choice of an event.

    `columns` are those of players.csv. The new `rating` has the ratings that count, ""
    for none. Without a column `fide_rating`, the column `rating` has the FIDE ratings
    so far. Returns an empty dict if there are no national ratings, or if all ratings
    that count are FIDE's. Raises ValueError if the columns have different lengths.
    """
    national_cells = columns.get(NATIONAL_RATING, ())
    rating_cells = columns.get("rating", [""] * len(national_cells))
    fide_cells = columns.get(FIDE_RATING, rating_cells)
    if not any(map(parse_rating, national_cells)):
        return {}

    chosen_cells = []
    for fide_cell, national_cell in zip(fide_cells, national_cells, strict=True):
        chosen_rating = choose_rating(
            parse_rating(fide_cell), parse_rating(national_cell), choice
        )
        chosen_cells.append(str(chosen_rating or ""))
    if [*map(parse_rating, chosen_cells)] == [*map(parse_rating, fide_cells)]:
        return {}
    return {"rating": chosen_cells, FIDE_RATING: [*fide_cells]}


def with_chosen_ratings(event: Event, choice: RatingChoice | None) -> Event:
    """Return the event with the ratings that count by the choice of the event.

    `choice` is "fide", "national", "larger" of the two, or "national-first"; None takes
    the FIDE rating, and the national one for players without it. The columns `rating`
    and `fide_rating` change, too. Unless the list of players gave start numbers, these
    are computed again from the ratings that count. The event is unchanged if it has no
    national ratings, or if all ratings that count are FIDE's. The given event is not
    changed.
    """
    new_rating_columns = choose_rating_columns(event.columns, choice)
    if not new_rating_columns:
        return event
    # Numbers that nobody has given follow the ratings that count.
    start_numbers = event.start_numbers
    if "start" not in event.columns:
        start_numbers = np.zeros(0, np.int64)
    chosen_ratings = np.array(
        [parse_rating(rating_cell) for rating_cell in new_rating_columns["rating"]],
        np.int64,
    )
    return replace(
        event,
        rating=np.where(chosen_ratings > 0, chosen_ratings, NO_RATING),
        rating_scale=1,
        start_numbers=start_numbers,
        columns={
            **event.columns,
            **{
                column_name: tuple(column_cells)
                for column_name, column_cells in new_rating_columns.items()
            },
        },
    )
