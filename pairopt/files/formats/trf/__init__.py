"""TRF: FIDE's Tournament Report File; TRF26 is written, and TRF16 with XX lines read too."""

import re

from pairopt.files.formats.base import Format, later
from pairopt.files.source import Source


def recognises(source: Source) -> bool:
    """Whether the first line that is no comment starts with a code of three characters."""
    lines = (
        line for line in source.text.splitlines() if line.strip() and line[0] != "#"
    )
    return re.match(r" *([0-9]{3}|XX[A-Z]|BB[A-Z])( |$)", next(lines, "")) is not None


FORMAT = Format(
    name="trf",
    expected="a FIDE tournament report file (TRF)",
    of=Source,
    recognises=recognises,
    read=later(f"{__name__}.reading", "read"),
    write=later(f"{__name__}.writing", "write"),
    suffixes=(".trf", ".trfx"),
    doubtful=(".txt",),
)
