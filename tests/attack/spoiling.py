"""Faults of an event folder: a log, an event.toml or a matches.csv that is another's or damaged.

Each fault changes one file of a folder as a person or a program could: copied from another event,
cut off, with rows twice or in another order, with another id.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

ID = re.compile(rb'^id = "[^"]*"', re.MULTILINE)
MOST = 3
"""So many faults come together at most."""

Fault = Callable[[Path, Path, Random], None]


def changed(name: str, change: Callable[[bytes, Random], bytes]) -> Fault:
    """Return the fault that a file of the folder becomes another one."""

    def fault(folder: Path, _: Path, dice: Random) -> None:
        path = folder / name
        if path.is_file():
            path.write_bytes(change(path.read_bytes(), dice))

    return fault


def copied(name: str) -> Fault:
    """Return the fault that the other event's file lies in the folder."""

    def fault(folder: Path, other: Path, _: Random) -> None:
        if (other / name).is_file():
            shutil.copy(other / name, folder / name)

    return fault


def gone(name: str) -> Fault:
    """Return the fault that a file is deleted."""

    def fault(folder: Path, _: Path, __: Random) -> None:
        (folder / name).unlink(missing_ok=True)

    return fault


def cut(content: bytes, dice: Random) -> bytes:
    """Cut off anywhere, mostly inside a line."""
    return content[: dice.randrange(len(content) + 1)]


def cut_after_a_line(content: bytes, dice: Random) -> bytes:
    """Cut off after a line, so that what is left can be read."""
    lines = content.splitlines(keepends=True)
    return b"".join(lines[: dice.randrange(len(lines) + 1)])


def zeros(content: bytes, dice: Random) -> bytes:
    """Some bytes are zeros, as after a power failure."""
    at = dice.randrange(len(content) + 1)
    return content[:at] + bytes(min(40, len(content) - at)) + content[at + 40 :]


def rows_twice(content: bytes, dice: Random) -> bytes:
    """Some rows stand twice."""
    heading, *rows = content.splitlines(keepends=True) or [b""]
    return b"".join(
        [heading, *(row for row in rows for _ in range(dice.choice((1, 1, 2))))]
    )


def rows_shuffled(content: bytes, dice: Random) -> bytes:
    """The rows stand in another order."""
    heading, *rows = content.splitlines(keepends=True) or [b""]
    dice.shuffle(rows)
    return b"".join([heading, *rows])


def new_id(content: bytes, dice: Random) -> bytes:
    """The event has another id, which no other event has."""
    return ID.sub(b'id = "%016x"' % dice.getrandbits(64), content)


def no_id(content: bytes, _: Random) -> bytes:
    """The line with the id was deleted."""
    return ID.sub(b"", content)


def others_id(folder: Path, other: Path, _: Random) -> None:
    """The event has the id of the other one."""
    found = ID.search((other / "event.toml").read_bytes())
    path = folder / "event.toml"
    if found and path.is_file():
        path.write_bytes(ID.sub(found[0], path.read_bytes()))


def log_goes_on_with_others(folder: Path, other: Path, _: Random) -> None:
    """The log has its own lines, and then those of the other event."""
    path = folder / "log.csv"
    if path.is_file() and (other / "log.csv").is_file():
        _, *rows = (other / "log.csv").read_bytes().splitlines(keepends=True)
        path.write_bytes(path.read_bytes() + b"".join(rows))


FAULTS: dict[str, Fault] = {
    "log.csv of another": copied("log.csv"),
    "log.csv of both": log_goes_on_with_others,
    "log.csv cut": changed("log.csv", cut),
    "log.csv cut after a line": changed("log.csv", cut_after_a_line),
    "log.csv zeros": changed("log.csv", zeros),
    "log.csv rows twice": changed("log.csv", rows_twice),
    "log.csv rows shuffled": changed("log.csv", rows_shuffled),
    "log.csv gone": gone("log.csv"),
    "matches.csv gone": gone("matches.csv"),
    "matches.csv cut": changed("matches.csv", cut),
    "matches.csv cut after a line": changed("matches.csv", cut_after_a_line),
    "players.csv cut": changed("players.csv", cut),
    "event.toml of another": copied("event.toml"),
    "event.toml cut": changed("event.toml", cut),
    "event.toml zeros": changed("event.toml", zeros),
    "event.toml gone": gone("event.toml"),
    "event.toml another id": changed("event.toml", new_id),
    "event.toml id of another": others_id,
    "event.toml no id": changed("event.toml", no_id),
}


def drawn(dice: Random) -> tuple[str, ...]:
    """Return one fault or several, of different kinds."""
    return tuple(dice.sample([*FAULTS], dice.choice((1, 1, 2, 2, MOST))))


def spoil(folder: Path, other: Path, faults: Sequence[str], dice: Random) -> None:
    """Do these faults to a folder, one after the other."""
    for name in faults:
        FAULTS[name](folder, other, dice)


def is_vouched(faults: Sequence[str]) -> bool:
    """Return whether the folder still says whose it is: `mend` has to bring back every result.

    event.toml and the steps say it, or the log and the steps where event.toml has another id.
    """
    hurt = {name.split()[0] for name in faults}
    return "event.toml" not in hurt or "log.csv" not in hurt
