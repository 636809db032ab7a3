"""NRTM JSON: events as Cobra, Aesop's Tables and NRTM export them."""

from pairopt.files.formats.base import Format, later
from pairopt.files.source import Source

FORMAT = Format(
    name="json",
    expected="NRTM JSON (players, rounds, preliminaryRounds)",
    of=Source,
    recognises=lambda source: source.text.lstrip()[:1] == "{",
    suffixes=(".json",),
    read=later(f"{__name__}.reading", "read"),
    write=later(f"{__name__}.writing", "write"),
)
