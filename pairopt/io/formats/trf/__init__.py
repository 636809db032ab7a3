"""TRF: FIDE's Tournament Report File (TRF16, and the XX lines of TRFx)."""

from pairopt.io.formats.base import Format
from pairopt.io.formats.trf.reading import read, recognises
from pairopt.io.formats.trf.writing import write
from pairopt.io.source import Source

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
