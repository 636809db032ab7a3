"""Report gaps: find what FIDE's report of an event lacks, or states wrongly.

Source: FIDE Handbook C.02.03, TRF26, fields that are mandatory for rating.
"""

from collections.abc import Iterator

from pairopt.event.event import Event
from pairopt.event.report_head import are_days_in_order, split_person
from pairopt.event.settings import SETTINGS
from pairopt.messages import Message, message

RECORDS = {
    "city": ("022", "CITY"),
    "federation": ("032", "GER"),
    "first_day": ("042", "2026-05-01"),
    "last_day": ("052", "2026-05-03"),
    "chief_arbiter": ("102", '"NAME (FIDE NUMBER)"'),
    "round_days": ("132", "2026-05-01,2026-05-02"),
    "time_control": ("222", "5400+30"),
}
"""The mandatory settings, each with its record and an example to type."""


def is_for_fide(event: Event) -> bool:
    """Return whether an event's report goes to FIDE, as far as the event shows.

    It does if the event is in FIDE mode, or if it states any of the report's head.
    """
    has_head_setting = any(
        getattr(event.settings, setting_key) for setting_key in RECORDS
    )
    return bool(event.settings.fide) or has_head_setting


def find_report_gaps(event: Event) -> list[Message]:
    """Return a message for each thing that a report to FIDE lacks or states wrongly.

    The list is empty if the report is complete, or if the event is none of FIDE's.
    """
    if not is_for_fide(event):
        return []
    return [
        *_find_missing_settings(event),
        *_find_wrong_days(event),
        *_find_missing_numbers(event),
    ]


def _find_missing_settings(event: Event) -> Iterator[Message]:
    """Yield a message for each setting of the report's head that has no value.

    The message has an example of a value.
    """
    for setting_key, (record_number, setting_example) in RECORDS.items():
        if not getattr(event.settings, setting_key):
            setting_label = SETTINGS[setting_key].label.lower()
            yield message(
                "report.gap",
                label=setting_label,
                key=setting_key,
                record=record_number,
                example=setting_example,
            )


def _find_wrong_days(event: Event) -> Iterator[Message]:
    """Yield messages on days that contradict each other or the number of rounds.

    If the first day is after the last one, this is the only message. Otherwise there
    may be one on the number of days, one on their order, and one for each round outside
    the event's days. Days that are not set are not missed.
    """
    event_settings = event.settings
    first_day = event_settings.first_day
    last_day = event_settings.last_day
    if first_day and last_day and first_day > last_day:
        yield message("report.days_reversed", first=str(first_day), last=str(last_day))
        return

    round_days = event_settings.round_days
    round_count = event_settings.rounds or event.round - 1
    if round_days and len(round_days) != round_count:
        yield message("report.days_count", days=len(round_days), rounds=round_count)
    if not are_days_in_order(round_days):
        yield message("report.days_unordered")
    for round_number, round_day in enumerate(round_days, 1):
        is_early = first_day is not None and round_day < first_day
        is_late = last_day is not None and round_day > last_day
        if is_early or is_late:
            yield message(
                "report.day_outside",
                round=round_number,
                day=str(round_day),
                first=str(first_day or "?"),
                last=str(last_day or "?"),
            )


def _find_missing_numbers(event: Event) -> Iterator[Message]:
    """Yield messages on arbiters and players without a FIDE number.

    There is at most one for the chief arbiter, one for the deputies, and one that names
    all players without a number.
    """
    event_settings = event.settings
    persons_by_key = {
        "chief_arbiter": (event_settings.chief_arbiter,),
        "deputies": event_settings.deputies,
    }
    for setting_key, named_persons in persons_by_key.items():
        persons_without_number = [
            named_person
            for named_person in named_persons
            if named_person and not _has_number(named_person)
        ]
        if persons_without_number:
            persons_with_number_or_hint = (
                named_person
                if _has_number(named_person)
                else f"{named_person} (NUMBER)"
                for named_person in named_persons
            )
            yield message(
                "report.no_number",
                key=setting_key,
                persons=persons_without_number,
                value="; ".join(persons_with_number_or_hint),
            )

    fide_numbers = event.columns.get("fide_id", ("",) * len(event.players))
    players_without_number = [
        event.shown[player_position]
        for player_position, fide_number in enumerate(fide_numbers)
        if not fide_number.strip("0 ")
    ]
    if players_without_number:
        yield message(
            "report.no_players_number",
            players=players_without_number,
            count=len(players_without_number),
        )


def _has_number(person: str) -> bool:
    """Return whether the text of an arbiter ends with a FIDE number.

    `person` is a text such as "Moss, Alex (12345678)".
    """
    return bool(split_person(person)[1])
