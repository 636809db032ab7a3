"""TRF16, by name: for programs that read no TRF26. Both are read alike."""

from dataclasses import replace

from pairopt.files.formats.base import lazy_function
from pairopt.files.formats.trf import FORMAT as TRF

FORMAT = replace(
    TRF,
    name="trf16",
    recognises=lambda _: False,
    suffixes=(".trf16",),
    doubtful=(),
    write=lazy_function("pairopt.files.formats.trf.writing", "write16"),
)
