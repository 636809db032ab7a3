"""Bounds: the largest numbers that are taken from outside, by whatever way they come.

Cells, keys, records, options, fields and addresses are read by these, so that no number has a
program do more than an event can need. What is drawn or simulated has bounds of its own (`lab`).
"""

from decimal import Decimal

MOST_ROUNDS = 500
MOST_PLAYERS = 100_000
MOST_CUT = 1000  # players of an elimination
MOST_NUMBER = 1_000_000  # of tables and start numbers, and so of parts of a list
MOST_STEP = 999_999_999
MOST_PORT = 65_535
MOST_SECONDS = 10**9
MOST_TRIES = 1_000_000  # of tournaments, samples, draws
MOST_SEED = 2**63 - 1
LARGEST_SCORE = 1_000_000  # of points and ratings
MOST_DECIMALS = 6
MOST_DIGITS = 40  # before and after the point of a number in a model file
LARGEST_FILE = 2**26
"""Bytes. 64 MB are a million matches; a device without an end is not read for ever."""
MOST_LINES = 2**20
MOST_CELLS = 2**22  # of a table, with those that are empty; of the values of a JSON
LARGEST_UPLOAD = 2**20
"""Bytes that nobody vouches for; of a workbook, which may hold pictures, those of a body."""
LARGEST_BODY = 5 * 2**20  # bytes of what a page sends
LARGEST_FORM_FILE = 3 * 2**20
"""Bytes of a file in it, which is asked about and sent again as text: a third more."""

IN_ADDRESSES = {
    "round": range(MOST_ROUNDS + 1),
    "part": range(MOST_NUMBER + 1),
    "keep": range(1, MOST_NUMBER + 1),
    "ahead": range(MOST_ROUNDS + 1),
    "seed": range(MOST_SEED + 1),
}
"""What the numbers in addresses are called, and what they may be: others are in none of ours."""
IN_FORMS = {
    **IN_ADDRESSES,
    "rounds": range(1, MOST_ROUNDS + 1),
    "table": range(1, MOST_NUMBER + 1),
    "cut": range(2, MOST_CUT + 1),
    "step": range(1, MOST_STEP + 1),
    "minutes": range(1, 24 * 60 + 1),
    "best_of": range(1, 8),
    "players": range(1, MOST_PLAYERS + 1),
    "tries": range(1, MOST_TRIES + 1),
    "samples": range(2, MOST_TRIES + 1),
    "port": range(1, MOST_PORT + 1),
    "next_round": range(1, MOST_ROUNDS + 2),
    "workers": range(1, 1025),
}
"""The same of the fields of forms."""
IN_REQUESTS = {
    "players": 2_000,
    "rounds": 100,
    "columns": 100,
    "questions": 20,
    "seconds": 10,
}
"""The most that a request of another program may have, and take; it is no larger than a body."""


def parse_digits(text: str, most: int) -> int | None:
    """The number written in ASCII digits alone, None for other text and beyond `most`."""
    if not (text.isascii() and text.isdigit()):
        return None
    digits = text.lstrip("0") or "0"
    return (
        int(digits) if len(digits) <= len(str(most)) and int(digits) <= most else None
    )


def parse_integer_in(text: str, allowed: range) -> int | None:
    """The same where it is one of those that are allowed."""
    number = parse_digits(text, allowed[-1])
    return (
        number if number is not None and number in allowed else None
    )  # None is sought one by one


def is_exact(number: Decimal) -> bool:
    """Whether a number is finite, with so few digits that sums of it stay exact and short."""
    low = number.as_tuple().exponent
    return (
        isinstance(low, int) and low >= -MOST_DIGITS and number.adjusted() < MOST_DIGITS
    )
