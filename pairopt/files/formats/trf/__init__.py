"""TRF: FIDE's Tournament Report File.

Reads TRF26 and TRF16 with XX lines, writes TRF26.
"""

import re

from pairopt.files.formats.base import Format, lazy_function
from pairopt.files.text_source import TextSource


def recognises(source: TextSource) -> bool:
    """Return whether the first line that is no comment starts with a code of a TRF.

    `source` is the text of the file. A code is three digits, XX or BB with a letter,
    after blanks if any; a blank or the line's end follows it. Empty lines are skipped.
    """
    lines_without_comments = (
        line for line in source.text.splitlines() if line.strip() and line[0] != "#"
    )
    return (
        re.match(r" *([0-9]{3}|XX[A-Z]|BB[A-Z])( |$)", next(lines_without_comments, ""))
        is not None
    )


FORMAT = Format(
    name="trf",
    expected="a FIDE tournament report file (TRF)",
    of=TextSource,
    recognises=recognises,
    read=lazy_function(f"{__name__}.reading", "read"),
    write=lazy_function(f"{__name__}.writing", "write"),
    suffixes=(".trf", ".trfx"),
    doubtful=(".txt",),
)
