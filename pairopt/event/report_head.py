"""Report head: parse and format what FIDE's report states about a tournament itself.

These are place, days, arbiters and time control. Sources: FIDE Handbook C.02.03, TRF26,
records 022 to 222; FIDE Laws of Chess, Appendices A and B, for rapid and blitz.
"""

import re
from collections.abc import Sequence
from datetime import date
from typing import Literal

from pairopt.errors import InvalidValueError

RatingKind = Literal["standard", "rapid", "blitz"]
"""Which of FIDE's three ratings a tournament counts for."""
FEDERATION = re.compile(r"[A-Za-z]{3}")
YEARS = range(1900, 2101)
CENTURY_BEGINS = 70
"""A year of two digits from here on is of the 20th century."""
YEAR_FIRST = re.compile(r"(\d{4}|\d{2})[-/.](\d{1,2})[-/.](\d{1,2})", re.ASCII)
DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", re.ASCII)
NUMBER_AT_END = re.compile(
    r"(?P<name>.*?\S)\s*[(\s]\s*(?P<number>\d{4,10})\s*\)?", re.ASCII
)
PERIOD = r"(?:[1-9]\d{0,2}/)?[1-9]\d{0,5}(?:\+\d{1,4})?"
"""A period of record 222: moves/seconds+seconds per move."""
PERIODS = rf"{PERIOD}(?::{PERIOD})*"
TIME_CONTROL = re.compile(rf"(?:{PERIODS}|W{PERIODS}-B{PERIODS})", re.ASCII)
MOVES_OF_A_GAME = 60
"""The number of moves by which FIDE compares time controls."""
RAPID_BELOW, BLITZ_UP_TO = 3600, 600
"""Seconds per player for 60 moves: rapid is below the first, blitz up to the second."""


def parse_day(value: object) -> date:
    """Return a day that is given as a date, or as text such as 2026-05-01.

    Slashes or points may stand for hyphens, and 1.5.2026 and 26/05/01 are days, too.
    Raises InvalidValueError for any other `value`, such as a date with a time.
    """
    if isinstance(value, date) and not hasattr(value, "hour"):
        return value
    day_text = str(value).strip()
    if date_match := YEAR_FIRST.fullmatch(day_text):
        year, month, day = map(int, date_match.groups())
    elif date_match := DAY_FIRST.fullmatch(day_text):
        day, month, year = map(int, date_match.groups())
    else:
        raise InvalidValueError("report.no_day")
    if year < 100:
        year += 1900 if year >= CENTURY_BEGINS else 2000
    try:
        parsed_day = date(year, month, day)
    except ValueError:
        raise InvalidValueError("report.no_day") from None
    if parsed_day.year not in YEARS:
        raise InvalidValueError("report.no_day")
    return parsed_day


def parse_federation(value: object) -> str:
    """Return the code of a federation in capitals, such as GER.

    Raises InvalidValueError unless it is a text of three letters. Whether a federation
    has this code is not checked.
    """
    federation_code = str(value).strip()
    if not isinstance(value, str) or not FEDERATION.fullmatch(federation_code):
        raise InvalidValueError("report.no_federation")
    return federation_code.upper()


def parse_person(value: object) -> str:
    """Return an arbiter as `Name (FIDE number)`, or the name alone.

    The number may be typed with or without parentheses behind the name. Several blanks
    become one. Raises InvalidValueError for an empty text, and for anything but a text.
    """
    if not isinstance(value, str) or not value.strip():
        raise InvalidValueError("report.no_person")
    person_text = " ".join(value.split())
    person_name, person_number = split_person(person_text)
    return f"{person_name} ({person_number})" if person_number else person_text


def split_person(person: str) -> tuple[str, str]:
    """Split an arbiter's text into name and FIDE number at its end.

    Without a number the name is the whole `person`, and the number is "". Spaces,
    commas and an opening bracket before the number belong to neither.
    """
    number_match = NUMBER_AT_END.fullmatch(person)
    if number_match is None:
        return person, ""
    return number_match["name"].rstrip(" ,("), number_match["number"]


def parse_persons(text: str) -> list[str]:
    """Parse each of the persons between semicolons as `Name (FIDE number)`.

    The number may be typed without parentheses or left out. Several blanks become one,
    and names may have commas. Empty parts are left out. No error is raised.
    """
    return [
        parse_person(person_text)
        for person_text in text.split(";")
        if person_text.strip()
    ]


def parse_time_control(value: object) -> str:
    """Return a time control in the code of record 222, such as 5400+30.

    Blanks are left out, and letters become capitals. Raises InvalidValueError for
    anything else.
    """
    if not isinstance(value, str):
        raise InvalidValueError("report.no_time_control")
    time_control = "".join(value.split()).upper()
    if not TIME_CONTROL.fullmatch(time_control):
        raise InvalidValueError("report.no_time_control")
    return time_control


def rating_kind_of(
    rating_kind: RatingKind | None, time_control: str
) -> RatingKind | None:
    """Return which of FIDE's ratings counts: the declared one, or by the time control.

    `rating_kind` is the declared one, and `time_control` the code of record 222, "" for
    none. The time for 60 moves decides: blitz up to 10 minutes, rapid below 60 minutes.
    If White and Black have different times, the longer one counts. The result is None
    if neither is given.
    """
    if rating_kind is not None or not time_control:
        return rating_kind
    longer_time_in_seconds = max(
        map(_seconds_of_60_moves, re.split("-?[WB]", time_control))
    )
    if longer_time_in_seconds <= BLITZ_UP_TO:
        return "blitz"
    return "rapid" if longer_time_in_seconds < RAPID_BELOW else "standard"


def _seconds_of_60_moves(periods: str) -> int:
    """Return the seconds that a player has for 60 moves; 0 for an empty text.

    `periods` is one player's time control in the code of record 222. The base times of
    all periods are added. Seconds per move count for all 60 moves; they are those of
    the first period.
    """
    base_seconds = 0
    seconds_per_move = 0
    for period_index, period_text in enumerate(filter(None, periods.split(":"))):
        base_text, _, increment_text = period_text.rpartition("/")[2].partition("+")
        base_seconds += int(base_text)
        if period_index == 0:
            seconds_per_move = int(increment_text or 0)
    return base_seconds + MOVES_OF_A_GAME * seconds_per_move


def are_days_in_order(days: Sequence[date]) -> bool:
    """Whether no day is before the one that precedes it; equal days are in order."""
    return list(days) == sorted(days)
