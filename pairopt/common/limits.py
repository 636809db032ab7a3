"""Limits: the largest numbers that pairopt accepts from outside, in any form.

Cells, keys, options, form fields and addresses are checked against these, so that no
number makes the program do more work than an event can need. Simulations and random
draws have limits of their own (`lab`).
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
LARGEST_AMOUNT = 10**9  # of money
MOST_AMOUNT_DECIMALS = 2
MOST_PRIZES = 500  # of one list
MOST_DIGITS = 40  # before and after the point of a number in a model file
LARGEST_FILE = 2**26
"""Bytes of an input file. 64 MB hold a million matches."""
MOST_LINES = 2**20
MOST_CELLS = 2**22  # of a table, with those that are empty; of the values of a JSON
LARGEST_UPLOAD = 2**20
"""Bytes of an uploaded file; a workbook, which may hold pictures, has `LARGEST_BODY`."""
LARGEST_BODY = 5 * 2**20  # bytes of what a page sends
LARGEST_LIST_UPLOAD = 2**29
"""Bytes of a rating list that a page sends. FIDE's largest zip has 51 MB, and its combined
text file 317 MB."""
LARGEST_FORM_FILE = 3 * 2**20
"""Bytes of a file in a form. It is sent again as text, which takes a third more."""

IN_ADDRESSES = {
    "round": range(MOST_ROUNDS + 1),
    "part": range(MOST_NUMBER + 1),
    "keep": range(1, MOST_NUMBER + 1),
    "ahead": range(MOST_ROUNDS + 1),
    "seed": range(MOST_SEED + 1),
}
"""The numbers in page addresses by name, with the values that each may have."""
IN_FORMS = {
    **IN_ADDRESSES,
    "rounds": range(1, MOST_ROUNDS + 1),
    "table": range(1, MOST_NUMBER + 1),
    "cut": range(2, MOST_CUT + 1),
    "step": range(1, MOST_STEP + 1),
    "minutes": range(1, 24 * 60 + 1),
    "best_of": range(1, 8),
    "cycles": range(1, 3),
    "players": range(1, MOST_PLAYERS + 1),
    "tries": range(1, MOST_TRIES + 1),
    "samples": range(2, MOST_TRIES + 1),
    "port": range(1, MOST_PORT + 1),
    "next_round": range(1, MOST_ROUNDS + 2),
    "workers": range(1, 1025),
}
"""The numbers in form fields by name, with the values that each may have."""
IN_REQUESTS = {
    "players": 2_000,
    "rounds": 100,
    "columns": 100,
    "questions": 20,
    "seconds": 10,
}
"""The limits of a JSON request of another program, apart from its size in bytes."""


def parse_digits(text: str, most: int) -> int | None:
    """Return the number that a text of ASCII digits spells, otherwise None.

    A number above `most` is None, too, however many digits it has.
    """
    if not (text.isascii() and text.isdigit()):
        return None
    significant_digits = text.lstrip("0") or "0"
    if len(significant_digits) > len(str(most)) or int(significant_digits) > most:
        return None
    return int(significant_digits)


def parse_integer_in(text: str, allowed: range) -> int | None:
    """Return the number that a text of ASCII digits spells if it is in a range.

    It is None for any other text, and for a number that is not in the range `allowed`,
    which must not be empty and must ascend.
    """
    parsed_number = parse_digits(text, allowed[-1])
    # `None in range` would compare None with every number of the range.
    if parsed_number is None or parsed_number not in allowed:
        return None
    return parsed_number


def is_exact(number: Decimal) -> bool:
    """Return whether a number is finite, and so short that sums of such stay exact.

    It has at most `MOST_DIGITS` digits before the point, and as many after it.
    """
    last_digit_exponent = number.as_tuple().exponent
    if not isinstance(last_digit_exponent, int):
        return False
    return last_digit_exponent >= -MOST_DIGITS and number.adjusted() < MOST_DIGITS
