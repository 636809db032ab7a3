"""NRTM JSON: events as Cobra, Aesop's Tables and NRTM export them."""

from __future__ import annotations

from pairopt.event.event import Event
from pairopt.files.formats.base import Format, Reading, Text
from pairopt.files.source import Source


def recognises(source: Source) -> bool:
    """Whether a file is JSON."""
    return source.text.lstrip()[:1] == "{"


def read(source: Source, how: Reading) -> Event:
    """The event of the Swiss rounds; see `reading`."""
    from pairopt.files.formats.nrtm_json import reading

    return reading.read(source, how)


def write(event: Event) -> Text:
    """The event as NRTM JSON, and what is lost; see `writing`."""
    from pairopt.files.formats.nrtm_json import writing

    return writing.write(event)


FORMAT = Format(
    name="json",
    expected="NRTM JSON (players, rounds, preliminaryRounds)",
    of=Source,
    recognises=recognises,
    read=read,
    write=write,
    suffixes=(".json",),
)
