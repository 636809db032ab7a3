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
    """Return the type of the tournament with single blanks.

    Raises InvalidValueError if the text is empty, and if it names a pairing system,
    because then the event's model says the system.
    """
    type_text = _parse_words(text)
    if OTHER_TYPES.search(type_text) or SYSTEM_CODE in type_text:
        raise InvalidValueError("key.empty")
    return type_text


def _parse_days(text: str) -> tuple[date, ...]:
    """Return the days of the rounds in a record 132.

    `text` is the record from its column 5 on. Days stand in fixed columns from column
    92 on. If these are empty, or if there is text before, they are separated by blanks.
    Raises InvalidValueError if a round has no day but a later one has, if a day is no
    date, and if there are no days.
    """
    text_of_days = text[FIRST_DAY_COLUMN - 4 :].rstrip()
    has_fixed_columns = bool(text_of_days) and not text[: FIRST_DAY_COLUMN - 4].strip()
    if not has_fixed_columns:
        day_texts = text.split()
    else:
        day_texts = [
            text_of_days[day_offset : day_offset + DAY_WIDTH].strip()
            for day_offset in range(0, len(text_of_days), DAY_WIDTH)
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
    """Return the days of the rounds as they stand in record 132, from column 5 on.

    They begin in column 92, one per ten columns, each as 26/11/30.
    """
    padded_days = (f"{round_day:%y/%m/%d}".ljust(DAY_WIDTH) for round_day in days)
    return " " * (FIRST_DAY_COLUMN - 4) + "".join(padded_days).rstrip()


@dataclass(frozen=True, slots=True)
class HeadRecord:
    """A kind of record of the head, and how to parse and format it.

    `beginning` is what its lines begin with, and `setting` the name of the setting that
    it holds. `parse` gets the text after the beginning, and raises InvalidValueError if
    it does not fit. `format` gets the value of the setting. If `is_repeated`, each
    entry of the setting has a record of its own.
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
    """Return the kind of head record that a line is, None for other lines.

    Only the beginning of the line is compared; the value is not read.
    """
    for head_record in RECORDS:
        if (
            line.startswith(head_record.beginning)
            or line == head_record.beginning.rstrip()
        ):
            return head_record
    return None


def parse_head_line(line: str) -> tuple[HeadRecord, Any] | None:
    """Return the kind of head record that a line is, and its parsed value.

    The result is None for other lines, and for a line whose value pairopt cannot hold.
    """
    head_record = find_head_record(line)
    if head_record is None:
        return None
    try:
        return head_record, head_record.parse(line[len(head_record.beginning) :])
    except InvalidValueError:
        return None


def with_head(settings: EventSettings, lines: Iterable[str]) -> EventSettings:
    """Return settings with what lines of a TRF state about the tournament.

    Settings that have a value keep it. If a record that may be there once is repeated,
    the first one counts. Other lines are ignored.
    """
    value_by_setting: dict[str, Any] = {}
    for head_record, parsed_value in filter(None, map(parse_head_line, lines)):
        if head_record.is_repeated:
            value_by_setting[head_record.setting] = (
                *value_by_setting.get(head_record.setting, ()),
                parsed_value,
            )
        else:
            value_by_setting.setdefault(head_record.setting, parsed_value)
    value_by_unset_setting = {
        setting_name: parsed_value
        for setting_name, parsed_value in value_by_setting.items()
        if not getattr(settings, setting_name)
    }
    return (
        replace(settings, **value_by_unset_setting)
        if value_by_unset_setting
        else settings
    )


def find_repeated_codes(lines: Iterable[str]) -> list[str]:
    """Return the codes of records that may be there once, but have several values.

    A code is the beginning of the line, such as 022, or "### Rating:" for a comment.
    Equal values do not count. Other lines are ignored.
    """
    values_by_code: dict[str, set[Any]] = {}
    for head_record, parsed_value in filter(None, map(parse_head_line, lines)):
        if not head_record.is_repeated:
            values_by_code.setdefault(head_record.beginning.strip(), set()).add(
                parsed_value
            )
    return [
        record_code
        for record_code, distinct_values in values_by_code.items()
        if len(distinct_values) > 1
    ]


def format_head(settings: EventSettings) -> Mapping[str, list[str]]:
    """Return the lines of each head record for which the settings have a value.

    Keys are the beginnings of the records, in the order in which they are written. A
    line that would be read in another way, such as a type that names a system, is left
    out; a list may be empty.
    """
    lines_by_record = {}
    for head_record in RECORDS:
        setting_value = getattr(settings, head_record.setting)
        if not setting_value:
            continue
        setting_entries = setting_value if head_record.is_repeated else [setting_value]
        record_lines = [
            _join(head_record.beginning, head_record.format(setting_entry))
            for setting_entry in setting_entries
        ]
        # Another program would take a type that names a system for the event's system.
        lines_by_record[head_record.beginning] = [
            *filter(parse_head_line, record_lines)
        ]
    return lines_by_record


def _join(beginning: str, text: str) -> str:
    """Return a record with its beginning and its text, on one line.

    Line ends in the text become blanks. If `beginning` is that of a comment, a blank
    stands between them.
    """
    blank_or_nothing = " " if beginning.startswith(COMMENT) else ""
    return f"{beginning}{blank_or_nothing}{' '.join(text.splitlines())}".rstrip()
