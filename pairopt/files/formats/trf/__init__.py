"""TRF: FIDE's Tournament Report File (TRF16, and the XX lines of TRFx)."""

from __future__ import annotations

import re

from pairopt.event.event import Event
from pairopt.files.formats.base import Format, Reading, Text
from pairopt.files.source import Source


def recognises(source: Source) -> bool:
    """Whether the first line that is no comment starts with a code of three characters."""
    lines = (line for line in source.text.splitlines() if line.strip() and line[0] != "#")
    return re.match(r"([0-9]{3}|XX[A-Z]|BB[A-Z])( |$)", next(lines, "")) is not None


def read(source: Source, how: Reading) -> Event:
    """The event; see `reading`."""
    from pairopt.files.formats.trf import reading

    return reading.read(source, how)


def write(event: Event) -> Text:
    """The event as TRF; see `writing`."""
    from pairopt.files.formats.trf import writing

    return writing.write(event)


FORMAT = Format(
    name="trf",
    expected="a FIDE tournament report file (TRF)",
    of=Source,
    recognises=recognises,
    read=read,
    write=write,
    suffixes=(".trf", ".trfx"),
    doubtful=(".txt",),
)
