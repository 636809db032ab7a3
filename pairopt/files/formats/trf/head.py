"""Head of a TRF: records 022 to 222 as settings of an event, and back.

Records 042 and 052 have a day, 132 one per round from column 92 on, and each deputy has
a record 112. TRF has no record for the organiser and the kind of rating. pairopt writes
both as comments, and reads them again. Source: FIDE Handbook C.02.03, TRF26.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from pairopt.common.serialization import read_package_toml
from pairopt.errors import InvalidValueError
from pairopt.event.report_head import (
    parse_day,
    parse_federation,
    parse_person,
    parse_time_control,
)
from pairopt.event.settings import EventSettings

FIRST_DAY_COLUMN = 91
"""Where the day of round 1 begins in record 132, counted from 0."""
DAY_WIDTH = 10
KINDS = ("standard", "rapid", "blitz")
COMMENT = "###"
TYPE_NAMES = read_package_toml(__package__, "records.toml")["OTHER_TYPES"]
OTHER_TYPES = re.compile(rf"\b({'|'.join(TYPE_NAMES)})\b", re.IGNORECASE)
"""Words for other systems than the Dutch one in 092, which has no codes."""
SYSTEM_CODE = "FIDE_"


def _parse_words(text: str) -> str:
    """Return a text with single blanks; raise InvalidValueError if it is empty."""
    spaced_text = " ".join(text.split())
    if not spaced_text:
        raise InvalidValueError("key.empty")
    return spaced_text


def _parse_type(text: str) -> str:
    """Return the type of the tournament in one line, if it names no pairing system.

    Raises InvalidValueError if it does, because then the event's model says the system,
    and if the text is empty.
    """
    type_text = _parse_words(text)
    if OTHER_TYPES.search(type_text) or SYSTEM_CODE in type_text:
        raise InvalidValueError("key.empty")
    return type_text


def _parse_days(text: str) -> tuple[date, ...]:
    """Return the days of the rounds in a record 132, from its column 5 on.

    Raises InvalidValueError if a round has none, but a later one has, or if a day has
    no date.
    """
    fixed_width_text = text[FIRST_DAY_COLUMN - 4 :].rstrip()
    has_fixed_columns = (
        bool(fixed_width_text) and not text[: FIRST_DAY_COLUMN - 4].strip()
    )
    if not has_fixed_columns:
        day_texts = text.split()
    else:
        day_texts = [
            fixed_width_text[day_begin : day_begin + DAY_WIDTH].strip()
            for day_begin in range(0, len(fixed_width_text), DAY_WIDTH)
        ]
    if not day_texts:
        raise InvalidValueError("key.empty")
    return tuple(map(parse_day, day_texts))


def _parse_kind(text: str) -> str:
    """Return a kind of rating, standard, rapid or blitz, in small letters.

    Raises InvalidValueError for any other text.
    """
    rating_kind = text.strip().lower()
    if rating_kind not in KINDS:
        raise InvalidValueError("key.none_of", known=[*KINDS])
    return rating_kind


def _format_days(days: Iterable[date]) -> str:
    """Return the days of the rounds as they stand in record 132, from column 5 on."""
    padded_days = (f"{day:%y/%m/%d}".ljust(DAY_WIDTH) for day in days)
    return " " * (FIRST_DAY_COLUMN - 4) + "".join(padded_days).rstrip()


@dataclass(frozen=True, slots=True)
class HeadRecord:
    """A record of the head: its beginning, the setting, and how to parse and format it.

    `parse` gets the text after the beginning, and raises InvalidValueError if it does
    not fit. `format` gets the value. If `is_repeated`, each entry of the setting has a
    record of its own.
    """

    beginning: str
    setting: str
    parse: Callable[[str], Any]
    format: Callable[[Any], str] = str
    is_repeated: bool = False


RECORDS = (
    HeadRecord("022 ", "city", _parse_words),
    HeadRecord("032 ", "federation", parse_federation),
    HeadRecord("042 ", "first_day", parse_day, lambda day: f"{day:%Y/%m/%d}"),
    HeadRecord("052 ", "last_day", parse_day, lambda day: f"{day:%Y/%m/%d}"),
    HeadRecord("092 ", "tournament_type", _parse_type),
    HeadRecord("102 ", "chief_arbiter", parse_person),
    HeadRecord("112 ", "deputies", parse_person, is_repeated=True),
    HeadRecord("122 ", "time_control_words", _parse_words),
    HeadRecord("132 ", "round_days", _parse_days, _format_days),
    HeadRecord("222 ", "time_control", parse_time_control),
    HeadRecord(f"{COMMENT} Organiser:", "organiser", _parse_words),
    HeadRecord(f"{COMMENT} Rating:", "rating_kind", _parse_kind),
)
"""The records in the order in which they are written."""


def find_head_record(line: str) -> HeadRecord | None:
    """Return the record of the head whose beginning a line has, None for other lines.

    The value in the line is not read.
    """
    for record in RECORDS:
        if line.startswith(record.beginning) or line == record.beginning.rstrip():
            return record
    return None


def parse_head_line(line: str) -> tuple[HeadRecord, Any] | None:
    """Return the record that a line is, and its value.

    None for other lines, and for a line whose value pairopt cannot hold.
    """
    record = find_head_record(line)
    if record is None:
        return None
    try:
        return record, record.parse(line[len(record.beginning) :])
    except InvalidValueError:
        return None


def with_head(settings: EventSettings, lines: Iterable[str]) -> EventSettings:
    """Return settings with what lines of a TRF state about the tournament.

    Settings that have a value keep it. Of a record that may be there once, the first
    one counts.
    """
    value_by_setting: dict[str, Any] = {}
    for record, parsed_value in filter(None, map(parse_head_line, lines)):
        if record.is_repeated:
            value_by_setting[record.setting] = (
                *value_by_setting.get(record.setting, ()),
                parsed_value,
            )
        else:
            value_by_setting.setdefault(record.setting, parsed_value)
    unset_values = {
        setting: parsed_value
        for setting, parsed_value in value_by_setting.items()
        if not getattr(settings, setting)
    }
    return replace(settings, **unset_values) if unset_values else settings


def find_repeated_codes(lines: Iterable[str]) -> list[str]:
    """Return the codes of records that may be there once, but have several values."""
    values_by_code: dict[str, set[Any]] = {}
    for record, parsed_value in filter(None, map(parse_head_line, lines)):
        if not record.is_repeated:
            values_by_code.setdefault(record.beginning.strip(), set()).add(parsed_value)
    return [
        record_code
        for record_code, distinct_values in values_by_code.items()
        if len(distinct_values) > 1
    ]


def format_head(settings: EventSettings) -> Mapping[str, list[str]]:
    """Return the lines of each record for which the settings have a value.

    Keys are the beginnings of the records, in the order in which they are written. A
    line that would be read in another way, such as a type that names a system, is left
    out.
    """
    lines_by_record = {}
    for record in RECORDS:
        setting_value = getattr(settings, record.setting)
        if not setting_value:
            continue
        setting_entries = setting_value if record.is_repeated else [setting_value]
        record_lines = [
            _join(record.beginning, record.format(setting_entry))
            for setting_entry in setting_entries
        ]
        # Another program would take a type that names a system for the event's system.
        lines_by_record[record.beginning] = [*filter(parse_head_line, record_lines)]
    return lines_by_record


def _join(beginning: str, text: str) -> str:
    """Return a record with its beginning and its text, on one line.

    A blank stands between them in a comment.
    """
    separator = " " if beginning.startswith(COMMENT) else ""
    return f"{beginning}{separator}{' '.join(text.splitlines())}".rstrip()
