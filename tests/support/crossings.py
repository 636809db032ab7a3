"""Crossings: every command on every form of an event with every fault, and what is a clean answer.

Commands, what they take and their outputs are found in the command line itself: a new one joins by
itself, and fails to where it needs something that is not in GIVEN yet.
"""

from __future__ import annotations

import errno
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import category
from unittest.mock import patch

import click
from click.testing import CliRunner, Result, _NamedTextIOWrapper
from organiser import event, scored
from places import DATA, REAL

from pairopt import read_event, write_event
from pairopt.cli import main
from pairopt.cli.options import NonEmptyPath, OutputFilePath
from pairopt.folder import bracket, drop, pair

PLAYERS = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus")
NEVER_ENDS = {"serve"}
GIVEN = {
    "player": "Ann",
    "other": "Bob",
    "table": "1",
    "models": "standard,monrad",
    "over": "side_difference,score_groups",
    "key": "tie_breaks",
}
"""What is given for required parameters of these names."""
EVENT, OUT = "EVENT", "OUT"
MORE: Mapping[str, list[list[str]]] = {
    "check": [["--all", "--no-solve"], ["--proofs"], [EVENT]],
    "odds": [["--draws", "5"]],
    "bracket": [[], ["--cut", "4", "--by-lot"]],
    "undo": [[], ["--to", "1"]],
    "mend": [[], ["--yes"]],
    "set": [["sos"], ["--off"]],
    "pair": [[], ["--again"], ["--again", "--preview"]],
    "edit": [["--set", "rating=1500"], ["--name", "Zoë"], ["--table", "2"], ["--off"]],
    "drop": [["Ann"], ["Ann", "--off"], ["--all"]],
    "bye": [[], ["--off"]],
    "frontier": [[EVENT]],
    "study": [[EVENT, "--replicates", "2"]],
    "study check": [["--replay", "1"]],
    "study plan": [["--pilot", "2"]],
    "explain": [["--why-bye", "Ann"]],
    "result": [["3-0"], ["3-0", "--round", "1"], ["--off"]],
    "standings": [[], ["--cut", "2", "--by-lot"]],
    "print": [["starting-list"], ["cross-table"], ["ranking-by-club"]],
}
"""What is given besides, a list a call."""
Call = tuple[str, ...]


def calls() -> list[Call]:
    """Every call of every command that takes a file or folder and ends, with EVENT and OUT."""
    top = click.Context(main)
    every = {name: main.get_command(top, name) for name in main.list_commands(top)}
    return [
        call
        for name, command in every.items()
        if command is not None
        and name not in NEVER_ENDS
        and any(map(_is_input, command.params))
        for call in _calls(name, command)
    ]


def _is_input(each: click.Parameter) -> bool:
    return isinstance(each.type, NonEmptyPath) and isinstance(each, click.Argument)


def _calls(name: str, command: click.Command) -> Iterator[Call]:
    """A command with each of its outputs."""
    needed = list[str]()
    for each in command.params:
        if each.required:
            named = [] if isinstance(each, click.Argument) else [each.opts[0]]
            needed += [*named, _value(name, each)]
    optional = [each for each in command.params if isinstance(each, click.Option)]
    outputs: list[list[str]] = [
        [each.opts[0], str(form)]
        for each in optional
        if each.name == "form" and isinstance(each.type, click.Choice)
        for form in each.type.choices
    ] or [[]]
    outputs += [
        [each.opts[0], OUT]
        for each in optional
        if isinstance(each.type, OutputFilePath) and not each.required
    ]
    for more in MORE.get(name, [[]]):
        for output in outputs:
            yield (*name.split(), *needed, *more, *output)


def _value(command: str, each: click.Parameter) -> str:
    if isinstance(each.type, OutputFilePath) or each.name == "output":
        return OUT
    if isinstance(each.type, NonEmptyPath):
        return OUT if (command, each.name) == ("new", "folder") else EVENT
    return GIVEN[str(each.name)]


# forms of an event


@dataclass(frozen=True)
class Form:
    """A form of an event, in a folder of its own: EVENT, and the players.csv beside it."""

    name: str
    event: Path
    players: Path | None = None

    @property
    def home(self) -> Path:
        """The folder in which all of it is."""
        return self.event.parent

    def moved(self, place: Path) -> Form:
        """A copy in another place."""
        shutil.copytree(self.home, place)
        players = self.players and place / self.players.name
        return Form(self.name, place / self.event.name, players)

    def files(self) -> list[Path]:
        """The files of it that people see."""
        if not self.event.is_dir():
            return [each for each in (self.event, self.players) if each]
        return sorted(path for path in self.event.iterdir() if path.is_file())


def forms(place: Path) -> list[Form]:
    """Every form of a small event."""
    names = (
        "folder",
        "open",
        "cut",
        "journal",
        "found",
        "csv",
        "players",
        "xlsx",
        "cobra",
        "real",
        "chess",
        "json",
        "trf",
    )
    home = {name: place / name for name in names}
    home["folder"].mkdir(parents=True)
    whole = event(home["folder"] / "event", PLAYERS, rounds=2, sides=("corp", "runner"))
    scored(whole)
    drop(whole, "Gus")
    (home["folder"] / "event.csv").unlink()
    folders = {
        name: shutil.copytree(home["folder"], home[name]) / "event"
        for name in ("open", "cut", "journal", "found")
    }
    pair(folders["open"])
    bracket(folders["cut"], 4, by_lot=True)
    (folders["journal"] / ".pairopt" / "steps" / "0003.zip").write_bytes(b"PK")
    shutil.rmtree(folders["found"] / ".pairopt")
    sources = {
        "csv": whole / "matches.csv",
        "players": whole / "matches.csv",
        "xlsx": DATA / "matches.xlsx",
        "cobra": DATA / "cobra_single_sided.json",
        "real": REAL / "nrtm" / "BLM.json",
        "chess": REAL / "trf-malformed" / "javafo_example.trf",
    }
    sources = {name: file for name, file in sources.items() if file.exists()}
    for name in (*sources, "json", "trf"):
        home[name].mkdir()
    files = {
        name: Path(shutil.copyfile(file, home[name] / file.name))
        for name, file in sources.items()
    }
    for name in ("json", "trf"):
        files[name] = home[name] / f"event.{name}"
        write_event(read_event(whole), files[name])
    listed = Path(shutil.copy(whole / "players.csv", home["players"]))
    found = [
        Form(name, path) for name, path in {"folder": whole, **folders, **files}.items()
    ]
    return [
        Form(each.name, each.event, listed) if each.name == "players" else each
        for each in found
    ]


# faults

Fault = Callable[[Form], object]


def _in_file(which: str, change: Callable[[bytes], bytes]) -> Fault:
    """A change in the first file whose name ends so, or in EVENT itself."""

    def made(form: Form) -> None:
        for path in form.files():
            if path.name.endswith(which) or (
                path == form.event and which == "matches.csv"
            ):
                path.write_bytes(change(path.read_bytes()))
                return

    return made


def _named(name: str) -> Fault:
    """A player by another name, wherever that is."""

    def made(form: Form) -> None:
        for path in form.files():
            if path.suffix in (".csv", ".toml"):
                quoted = '"' + name.replace('"', '""') + '"'
                raw = path.read_text(encoding="utf-8").replace("Bob", quoted)
                path.write_bytes(raw.encode("utf-8", "surrogatepass"))
            elif path.suffix == ".json":
                raw = path.read_text(encoding="utf-8")
                path.write_text(
                    raw.replace("Bob", name.replace("\n", "\\n")), encoding="utf-8"
                )
            elif path.suffix == ".trf":
                raw = path.read_text(encoding="utf-8")
                path.write_text(raw.replace("Bob", name[:3].ljust(3)), encoding="utf-8")

    return made


def _gone(form: Form) -> None:
    (shutil.rmtree if form.event.is_dir() else os.unlink)(form.event)


def _a_folder(form: Form) -> None:
    _gone(form)
    form.event.mkdir()


def _journal(change: Callable[[Path], object]) -> Fault:
    def made(form: Form) -> None:
        home = form.event / ".pairopt"
        if home.is_dir():
            change(home)

    return made


def _begun(home: Path) -> None:
    """A step that was begun, of which the last one is lost."""
    last = sorted((home / "steps").glob("0*.zip"))[-2:]
    shutil.move(last[1], home / "pending.zip")
    last[0].unlink()


def _empty_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as pack:
        pack.writestr("event.toml", "title = 'x'")


def _half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _flipped(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 3] ^= 0xFF
    path.write_bytes(raw)


FILES = (
    "matches.csv",
    "players.csv",
    "event.toml",
    "log.csv",
    "bracket.csv",
    "proofs.json",
)
IN_FILES: Mapping[str, Callable[[bytes], bytes]] = {
    "empty": lambda raw: raw[:0],
    "cut": lambda raw: raw[: len(raw) // 2],
    "cut late": lambda raw: raw[:-4],
    "twice": lambda raw: raw + raw,
    "latin": lambda raw: raw.replace(b"Ann", b"\xc4nn"),
    "wide": lambda raw: raw.decode(errors="replace").encode("utf-16"),
    "NUL": lambda raw: b"\0" * len(raw),
    "a NUL": lambda raw: raw[:40] + b"\0" + raw[40:],
    "surrogate": lambda raw: raw.replace(b"Ann", b"\xed\xa0\x80"),
    "escapes": lambda raw: raw.replace(b"Ann", b"\x1b[31m\xc2\x9b2J\xe2\x80\xae"),
    "garbage": lambda raw: raw + b"garbage,,,\n",
    "garbage alone": lambda raw: raw[:0] + b"garbage,,,\n",
    "garbage first": lambda raw: raw.replace(b"\n", b"\ngarbage,,,\n", 1),
    "quote": lambda raw: raw.replace(b"\n", b'\n"', 1),
    "unknown": lambda raw: raw.replace(b"Ann", b"Nobody", 1),
    "semicolons": lambda raw: raw.replace(b",", b";"),
    "a picture": lambda raw: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) + raw,
    "a page": lambda raw: b"<!doctype html><p>hello" + raw,
}
JOURNAL: Mapping[str, Callable[[Path], object]] = {
    "gone": shutil.rmtree,
    "a file": lambda home: (shutil.rmtree(home), home.write_text("x")),
    "steps gone": lambda home: shutil.rmtree(home / "steps"),
    "steps a file": lambda home: (
        shutil.rmtree(home / "steps"),
        (home / "steps").write_text("x"),
    ),
    "pending": lambda home: (home / "pending.zip").write_bytes(
        b"PK\x03\x04" + b"x" * 30
    ),
    "pending empty": lambda home: (home / "pending.zip").write_bytes(b""),
    "pending bare": lambda home: _empty_zip(home / "pending.zip"),
    "pending a folder": lambda home: (home / "pending.zip").mkdir(),
    "begun": _begun,
    "last": lambda home: _half(sorted((home / "steps").glob("*.zip"))[-1]),
    "last gone": lambda home: sorted((home / "steps").glob("*.zip"))[-1].unlink(),
    "last flipped": lambda home: _flipped(sorted((home / "steps").glob("*.zip"))[-1]),
    "first": lambda home: _half(home / "steps" / "0001.zip"),
    "first gone": lambda home: (home / "steps" / "0001.zip").unlink(),
    "all": lambda home: [_half(path) for path in (home / "steps").glob("*.zip")],
    "a copy": lambda home: shutil.copy(
        home / "steps" / "0002.zip", home / "steps" / "2.zip"
    ),
    "lock a folder": lambda home: ((home / "lock").unlink(), (home / "lock").mkdir()),
}
NAMES = (
    ",",
    ";",
    "=1+1",
    "two\nlines",
    "a\u202eb",
    "e\x1b[31m",
    "c\x9b2J",
    "-",
    "BYE",
    "0",
    '"',
    "a:b",
    "None",
    "x" * 300,
)
FAULTS: Mapping[str, Fault] = {
    "none": lambda _: None,
    "gone": _gone,
    "a folder": _a_folder,
    **{f"called {name[:9]!r}": _named(name) for name in NAMES},
    **{
        f"{file} {what}": _in_file(file, change)
        for what, change in IN_FILES.items()
        for file in FILES
    },
    **{
        f"{file} gone": lambda form, file=file: (
            (form.event / file).unlink(missing_ok=True) if form.event.is_dir() else None
        )
        for file in FILES
    },
    **{f"journal {what}": _journal(change) for what, change in JOURNAL.items()},
}


@contextmanager
def no_space() -> Iterator[None]:
    """A disk that is full: no file can be written."""
    real = Path.open

    def opened(self: Path, mode: str = "r", *more: Any, **named: Any) -> Any:
        if {"w", "x"} & {*mode}:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))
        return real(self, mode, *more, **named)

    with patch.object(Path, "open", opened):
        yield


# clean answers


def called(call: Call, form: Form, out: Path) -> Result:
    """The command on an event, its screen a terminal."""
    words = [
        str(form.event) if word == EVENT else str(out) if word == OUT else word
        for word in call
    ]
    if form.players is not None and "--players" not in words and _takes_players(call):
        words += ["--players", str(form.players)]
    with patch.object(
        _NamedTextIOWrapper, "isatty", lambda self: self.name == "<stdout>"
    ):
        return CliRunner().invoke(main, words, color=True)


def _takes_players(call: Call) -> bool:
    top = click.Context(main)
    command = main.get_command(top, " ".join(call[:2])) or main.get_command(
        top, call[0]
    )
    return command is not None and any(
        each.name == "players" for each in command.params
    )


def content(place: Path) -> dict[str, bytes]:
    """All that is in a folder, but for the lock."""
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file() and path.name != "lock"
    }


STEERS = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Categories of Unicode; a space that does not break, as data may have it, steers nothing."""


def wrong(
    call: Call, form: Form, done: Result, before: Mapping[str, bytes], out: Path
) -> str:
    """What is not clean in an answer, "" where all is."""
    seen = [path for path in form.home.rglob("*") if path.is_file()]
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return f"raises {done.exception!r}"
    if done.exit_code not in (0, 1, 2, 3):
        return f"exit code {done.exit_code}"
    if {*map(category, (done.stdout + done.stderr).replace("\n", ""))} & STEERS:
        return "steers the terminal"
    if done.exit_code == 0:
        return ""
    if content(form.home) != before:
        return "writes all the same"
    if done.exit_code == 1:
        return ""
    if not done.stderr.strip():
        return "no word of why"
    if done.stdout:
        return "an answer with an error"
    if out.exists():
        return "an output with an error"
    if done.exit_code == 3 and not any(
        path.name in done.stderr for path in [form.event, *seen]
    ):
        return "no name of the file"
    return ""
