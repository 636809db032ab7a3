"""NRTM JSON: events as Cobra, Aesop's Tables and NRTM export them."""

from pairopt.files.formats.base import Format, lazy_function
from pairopt.files.text_source import TextSource

FORMAT = Format(
    name="json",
    expected="NRTM JSON (players, rounds, preliminaryRounds)",
    of=TextSource,
    recognises=lambda source: source.text.lstrip()[:1] == "{",
    suffixes=(".json",),
    read=lazy_function(f"{__name__}.reading", "read"),
    write=lazy_function(f"{__name__}.writing", "write"),
)
