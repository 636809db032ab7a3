"""A list of names, one a line: what people paste."""

import re
from dataclasses import replace

from pairopt.errors import Fault, InputError, TextPlace
from pairopt.event.event import Event
from pairopt.files.build import Reading, Roster, build_event, nearly_the_same
from pairopt.files.formats.base import Format
from pairopt.files.headings import is_heading, is_total
from pairopt.files.schema import PlayerRow
from pairopt.files.source import Source
from pairopt.words import tell

LONGEST = 60
NUMBERED = re.compile(r"\d+[.)] (?=\S)")
NO_NAME = set(':;|{}[]<>="')  # what lines of other formats hold, and names do not
ONE_NAME = re.compile(r"[^,]+(, [^,]+)?")
"""Also as "Last, First"."""


def recognises(source: Source) -> bool:
    """Whether every line could be a name, and the first one is no heading of a table."""
    lines = _names(source)
    return (
        len(lines) > 1
        and not any(part == "round" or is_heading(part) for part in _parts(lines[0][1]))
        and all(
            len(name) <= LONGEST and name[0].isalpha() and not NO_NAME & set(name)
            and ONE_NAME.fullmatch(name) and len(_parts(name)) == len(_parts(lines[0][1]))
            for _, name in lines if not is_total([name])
        )
        and not any("\t" in line.strip() for line in source.text.splitlines())
    )  # fmt: skip


def read(source: Source, how: Reading) -> Event:
    """The first round of these players. Raises InputError for a name that comes twice."""
    lines = _names(source)
    left = [name for _, name in lines if is_total([name])]
    seen: dict[str, PlayerRow] = {}
    faults = nearly_the_same([name for _, name in lines], [TextPlace(k) for k, _ in lines])
    for number, name in lines:
        row = PlayerRow(player=name, place=TextPlace(number))
        if (first := seen.setdefault(name, row)) is not row:
            said = tell("roster.again", player=name, place=str(first.place))
            faults.append(Fault(said, row.place))
    if faults:
        raise InputError(source.name, faults)
    roster = Roster(source.name, [row for name, row in seen.items() if name not in left])
    event = build_event(source.name, [], roster, how)
    notes = [tell("listing.names", source=source.name)]
    notes += [tell("listing.name_left_out", source=source.name, name=name) for name in left]
    return replace(event, notes=(*event.notes, *notes))


def _parts(name: str) -> list[str]:
    return name.casefold().split(", ")


def _names(source: Source) -> list[tuple[int, str]]:
    """The lines that are not empty; where each begins with its number, without that."""
    lines = enumerate(source.text.splitlines(), 1)
    names = [(number, " ".join(line.split())) for number, line in lines if line.strip()]
    if all(NUMBERED.match(name) for _, name in names):
        names = [(number, NUMBERED.sub("", name)) for number, name in names]
    return names


FORMAT = Format(name="names", expected="a list of names, one a line", of=Source,
                recognises=recognises, read=read)  # fmt: skip
