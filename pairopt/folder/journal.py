"""Journal: each step on an event folder whole or not at all, in the log, and undone at will.

A step is first written whole to `.pairopt/pending.zip`, then its files are put in their places,
then the zip is kept as `.pairopt/steps/NNNN.zip`. Whoever finds a pending one, because the
process that wrote it was killed, finishes it. Each zip holds the files as they are after the step,
so that any step can be undone; what was edited by hand in between becomes a step of its own.
"""

from __future__ import annotations

import csv
import io
import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from pairopt.errors import InputError, UsageError
from pairopt.io.folder import PENDING
from pairopt.whole import whole
from pairopt.wording import plain

FILES = ("event.toml", "players.csv", "matches.csv", "bracket.csv")
"""The files of an event that steps change."""
LOG = "log.csv"
LOG_COLUMNS = ("step", "time", "verb", "what")
PATIENCE = 10.0
"""Seconds to wait for another process."""
META = "step.json"
HOME = PENDING.parent.name

Files = Mapping[str, bytes]
"""Contents by name; a file that is not there has no entry."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what was done, and which earlier one it was done on.

    `at` is the step whose files the folder has after it: its own number, or that of an earlier
    one for an undo. `parent` is where it began.
    """

    number: int
    verb: str
    what: str
    time: str
    at: int
    parent: int


@dataclass(frozen=True, slots=True)
class Journal:
    """The steps of an event folder, held by this process alone."""

    folder: Path

    @property
    def _home(self) -> Path:
        return self.folder / HOME

    def files(self) -> Files:
        """The files as they are now."""
        return {name: (self.folder / name).read_bytes() for name in FILES
                if (self.folder / name).is_file()}  # fmt: skip

    def steps(self) -> list[Step]:
        """All steps, the first one first."""
        return [_read(path)[0] for path in self._kept()]

    def last(self) -> Step | None:
        """The latest step, None before any."""
        paths = self._kept()
        return _read(paths[-1])[0] if paths else None

    def _kept(self) -> list[Path]:
        return sorted((self._home / "steps").glob("*.zip"), key=lambda path: int(path.stem))

    def commit(self, verb: str, what: str, changes: Files) -> Step:
        """Put changed files in place as one step; edits by hand before it are kept as one too."""
        before = self.files()
        last = self._noticed(before)
        return self._do(verb, what, {**before, **changes}, last)

    def undo(self, steps: int = 1) -> tuple[Step, list[Step]]:
        """Back to the files before so many steps; the new step, and those undone, latest first.

        Raises UsageError where there are fewer.
        """
        last = self._noticed(self.files())
        every = {step.number: step for step in self.steps()}
        undone: list[Step] = []
        at = last.at if last else 0
        for _ in range(steps):
            step = every.get(at)
            if step is None or step.parent == 0:
                can = "nothing" if not undone else f"only {len(undone)} steps"
                raise UsageError(f"{self.folder}: there is {can} to undo")
            undone.append(step)
            at = step.parent
        what = "; ".join(f"step {step.number}: {step.verb} {step.what}".strip() for step in undone)
        return self._do("undo", what, self._state(at), last, at), undone

    def _noticed(self, now: Files) -> Step | None:
        """The last step, after one for what was edited by hand since, or found at the start."""
        last = self.last()
        if last is None:
            return self._do("found", "", now, None) if now else None
        known = self._state(last.at)
        if known == now:
            return last
        changed = [name for name in FILES if known.get(name) != now.get(name)]
        return self._do("edited by hand", ", ".join(changed), now, last)

    def _state(self, number: int) -> Files:
        """The files after a step."""
        return _read(self._home / "steps" / f"{number:04d}.zip")[1]

    def _do(
        self, verb: str, what: str, files: Files, last: Step | None, at: int | None = None
    ) -> Step:
        number = 1 if last is None else last.number + 1
        step = Step(
            number, verb, what, datetime.now().astimezone().isoformat(timespec="seconds"),
            number if at is None else at, 0 if last is None else last.at,
        )  # fmt: skip
        (self._home / "steps").mkdir(parents=True, exist_ok=True)
        with whole():
            put(self.folder / PENDING, _packed(step, files))
            self.finish()
        return step

    def finish(self) -> None:
        """Finish a step that was begun: safe to do again."""
        pending = self.folder / PENDING
        if not pending.exists():
            return
        step, files = _read(pending)
        before, now = self._state(step.parent) if step.parent else {}, self.files()
        for name in FILES:
            if now.get(name) != before.get(name):
                continue  # put already, or edited by hand since: then the next step says so
            if name not in files:
                (self.folder / name).unlink(missing_ok=True)
            elif files[name] != now.get(name):
                put(self.folder / name, files[name])
        put(self.folder / LOG, _logged(self.folder / LOG, step))
        pending.replace(self._home / "steps" / f"{step.number:04d}.zip")


def is_begun(folder: Path) -> bool:
    """Whether a step waits to be finished, as its process was killed."""
    return (folder / PENDING).is_file()


@contextmanager
def journal(folder: Path) -> Iterator[Journal]:
    """The journal of a folder; a second process waits for the first to be done.

    Raises UsageError where it does not end, or the folder cannot be written.
    """
    home = folder / HOME
    try:
        home.mkdir(parents=True, exist_ok=True)
        with FileLock(home / "lock", timeout=PATIENCE):
            held = Journal(folder)
            held.finish()
            yield held
    except Timeout:
        raise UsageError(f"{folder}: another pairopt is working on this event") from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror or error}") from None


def _packed(step: Step, files: Files) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack:
        pack.writestr(META, json.dumps({name: getattr(step, name) for name in Step.__slots__}))
        for name, content in files.items():
            pack.writestr(name, content)
    return out.getvalue()


def _read(path: Path) -> tuple[Step, Files]:
    try:
        with zipfile.ZipFile(path) as pack:
            meta: dict[str, Any] = json.loads(pack.read(META))
            files = {name: pack.read(name) for name in pack.namelist() if name in FILES}
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise InputError(str(path), f"no step of pairopt: {error}") from None
    return Step(**meta), files


def put(path: Path, content: bytes) -> None:
    """Write a file whole, durably, under a temporary name first."""
    beside = path.with_name(f".{path.name}.new")
    with beside.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)


def _logged(path: Path, step: Step) -> bytes:
    """The log with a line for the step, once."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    old = path.read_bytes() if path.exists() else b""
    if not old:
        writer.writerow(LOG_COLUMNS)
    elif old.splitlines()[-1].split(b",")[0] == str(step.number).encode():
        return old
    elif not old.endswith(b"\n"):
        out.write("\n")
    writer.writerow([step.number, step.time, step.verb, plain(step.what)])
    return old + out.getvalue().encode()
