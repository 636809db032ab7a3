"""A list of names, one a line: what people paste."""

from __future__ import annotations

import re
from dataclasses import replace

from pairopt.errors import Fault, InputError, TextPlace
from pairopt.event.event import Event
from pairopt.files.build import Reading, Roster, build_event
from pairopt.files.formats.base import Format
from pairopt.files.schema import PlayerRow
from pairopt.files.source import Source

LONGEST = 60
NUMBERED = re.compile(r"\d+[.)] (?=\S)")
NO_NAME = set(':,;|{}[]<>="')
"""What lines of other formats hold, and names do not."""


def recognises(source: Source) -> bool:
    """Whether every line could be a name, and the first one is no heading of a table."""
    lines = _names(source)
    return (
        len(lines) > 1
        and lines[0][1].casefold() not in ("player", "name", "round")
        and all(
            len(name) <= LONGEST and name[0].isalpha() and not NO_NAME & set(name)
            for _, name in lines
        )
        and not any("\t" in line.strip() for line in source.text.splitlines())
    )


def read(source: Source, how: Reading) -> Event:
    """The first round of these players. Raises InputError for a name that comes twice."""
    seen: dict[str, int] = {}
    faults = []
    for line, name in _names(source):
        if name in seen:
            faults.append(Fault(f"{name!r} is already in line {seen[name]}", TextPlace(line)))
        seen.setdefault(name, line)
    if faults:
        raise InputError(source.name, faults)
    roster = Roster(source.name, [PlayerRow(player=name) for name in seen])
    event = build_event(source.name, [], roster, how)
    return replace(event, notes=(*event.notes, f"{source.name} is read as a list of names"))


def _names(source: Source) -> list[tuple[int, str]]:
    """The lines that are not empty; where each begins with its number, without that."""
    lines = enumerate(source.text.splitlines(), 1)
    names = [(number, " ".join(line.split())) for number, line in lines if line.strip()]
    if all(NUMBERED.match(name) for _, name in names):
        names = [(number, NUMBERED.sub("", name)) for number, name in names]
    return names


FORMAT = Format(
    name="names",
    expected="a list of names, one a line",
    of=Source,
    recognises=recognises,
    read=read,
)
