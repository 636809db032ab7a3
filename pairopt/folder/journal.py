"""Journal: each step on an event folder whole or not at all, in the log, and undone at will.

A step is first written whole to `.pairopt/pending.zip`, then its files are put in their places,
then the zip is kept as `.pairopt/steps/NNNN.zip`. Whoever finds a pending one, because the
process that wrote it was killed, finishes it. Each zip holds the files as they are after the step,
so that any step can be undone; what was edited by hand in between becomes a step of its own. Proofs
are large: a zip has only those that come into the folder with its step.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

from pairopt.errors import InputError, UsageError
from pairopt.files.folder import FILES, HOME, LOG, PENDING, PROVEN, STEPS, Files, files_now, to_mend
from pairopt.files.packed import damaged, packed
from pairopt.files.write import csv_table, rows_text
from pairopt.folder.kept import file_of, found_in, kept_in
from pairopt.folder.law import named
from pairopt.whole import whole
from pairopt.wording import plain

PATIENCE = 10.0
"""Seconds to wait for another process."""
META = "step.json"
LOGGED = re.compile(r"[1-9][0-9]{0,8},[0-9]{4}-[0-9]{2}-[0-9]{2}T")
"""How a line of the log begins."""
PROOF = re.compile(rf"{PROVEN}/round-[0-9]{{1,9}}\.json")


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


class Line(NamedTuple):
    """A line of the log; its names are the columns."""

    step: int
    time: str
    verb: str
    what: str


@dataclass(frozen=True, slots=True)
class Journal:
    """The steps of an event folder, held by this process alone."""

    folder: Path

    def files(self) -> Files:
        """The files as they are now."""
        return files_now(self.folder)

    def steps(self) -> list[Step]:
        """All steps, the first one first."""
        return [read_step(path)[0] for path in self.kept()]

    def last(self) -> Step | None:
        """The latest step, None before any."""
        paths = self.kept()
        return read_step(paths[-1])[0] if paths else None

    def kept(self) -> list[Path]:
        """The files of all steps, and no others (programs that share folders leave copies)."""
        paths = (self.folder / STEPS).glob("*.zip")
        return sorted((path for path in paths if path.stem.isdecimal()),
                      key=lambda path: int(path.stem))  # fmt: skip

    def since(self, state: str) -> list[Step] | None:
        """The steps after the last one that left the files in this state, None if none did."""
        steps = self.steps()
        for step in reversed(steps):
            if digest_of(self._state(step.at)) == state:
                return [each for each in steps if each.number > step.number]
        return None

    def commit(self, verb: str, what: str, changes: Files) -> Step:
        """Put changed files in place as one step; edits by hand before it are kept as one too.

        The changes may have proofs among them, by their names.
        """
        before = self.files()
        last = self._noticed(before)
        return self._do(verb, what, before, {**before, **changes}, last)

    def beside(self, name: str, content: bytes) -> None:
        """Put a file that no step has, as a model's, into the folder."""
        put(self.folder / name, content)

    def mended(self, changes: Files) -> Step:
        """Put files in place of damaged ones, each by itself, and then log that as one step.

        What is damaged becomes no step: no undo leads back to it.
        """
        before = self.files()
        with whole():
            for name, content in changes.items():
                (self.folder / name).parent.mkdir(exist_ok=True)
                put(self.folder / name, content)
        files = {**self.files(), **changes}
        return self._do("mend", ", ".join(sorted(changes)), before, files, self.last())

    def undo(
        self, steps: int = 1, to: int | None = None
    ) -> tuple[Step | None, list[Step], list[Step]]:
        """Back to the files before so many steps, or to those after a step.

        The new step, those undone, and undone ones done again, each latest first; no step where
        the files are those already. Raises UsageError where there are fewer, or no such step.
        """
        before = self.files()
        last = self._noticed(before)
        every = self.steps()
        if last is not None and last not in every:
            every.append(last)  # in a rehearsal
        standing = trail(every)
        if to is None and len(standing) <= steps:
            can = f"only {len(standing) - 1} steps" if len(standing) > 1 else "nothing"
            raise UsageError(f"{self.folder}: there is {can} to undo")
        number = standing[steps].number if to is None else to
        undone, again = between(every, number)
        if not undone + again:
            return None, [], []
        what = "; ".join(filter(None, [_named(undone), _named(again, "again step")]))
        at = next(step.at for step in every if step.number == number)
        files = self._state(at)
        files = {**files, **self._come(files)}
        return self._do("undo", what, before, files, last, at), undone, again

    def _noticed(self, now: Files) -> Step | None:
        """The last step, after one for what was edited by hand since, or found at the start."""
        last = self.last()
        if last is None:
            return self._do("found", "", {}, now, None) if now else None
        known = self._state(last.at)
        if known == now:
            return last
        changed = [name for name in FILES if known.get(name) != now.get(name)]
        return self._do("edited by hand", ", ".join(changed), known, now, last)

    def _state(self, number: int) -> Files:
        """The files after a step."""
        return read_step(self.path(number))[1]

    def path(self, number: int) -> Path:
        """Where a step is kept."""
        return self.folder / STEPS / f"{number:04d}.zip"

    def states(self) -> Iterator[tuple[Step, Files]]:
        """The steps that made the files what they are, the first one first, and these after it."""
        for step in reversed(trail(self.steps())):
            yield step, self._state(step.number)

    def come_from(self, verb: str, what: str) -> Files | None:
        """The files after the last step of these words that they come from, else after the first.

        Damaged steps are passed over.
        """
        every = []
        for path in self.kept():
            with suppress(InputError, OSError):
                every.append(_known_step(path, path.stat().st_mtime_ns))
        come = trail(every)
        found = [step for step in come if step.verb == verb and step.what.startswith(what)]
        return self._state((found or come[-1:])[0].number) if come else None

    def _come(self, files: Files) -> Files:
        """The proofs of these files that the folder does not have now, from the steps that did."""
        here = found_in(self.files())
        due = {file_of(number): kept.sha256 for number, kept in found_in(files).items()
               if number not in here or here[number].sha256 != kept.sha256}  # fmt: skip
        steps = self.kept() if due else []
        every = (each for path in steps for each in proofs_in(path).items())
        return {name: content for name, content in every
                if due.get(name) == hashlib.sha256(content).hexdigest()}  # fmt: skip

    def _do(
        self,
        verb: str,
        what: str,
        before: Files,
        files: Files,
        last: Step | None,
        at: int | None = None,
    ) -> Step:
        """One step. Raises LawError where the verb may not make these files of those before."""
        what = named(verb, what, before, files)
        number = 1 + max(0 if last is None else last.number, *self._numbers())
        step = Step(
            number, verb, what, datetime.now().astimezone().isoformat(timespec="seconds"),
            number if at is None else at, 0 if last is None else last.at,
        )  # fmt: skip
        self._keep(step, files)
        return step

    def _numbers(self) -> Iterator[int]:
        """The numbers that steps have had, also of those that are lost."""
        yield 0
        for path in (self.folder / STEPS).glob("*.zip"):
            yield int((re.match(r"[0-9]{1,9}", path.name) or ["0"])[0])
        for line in log_lines(self.folder):
            yield line.step

    def _keep(self, step: Step, files: Files) -> None:
        """Write a step, and put its files in their places."""
        (self.folder / STEPS).mkdir(parents=True, exist_ok=True)
        with whole():
            put(self.folder / PENDING, packed_step(step, files))
            self.finish()

    def finish(self) -> None:
        """Finish a step that was begun: safe to do again."""
        pending = self.folder / PENDING
        if not pending.exists():
            return
        step, files = read_step(pending)
        before, now = self._state(step.parent) if step.parent else {}, self.files()
        for name in FILES:
            if now.get(name) != before.get(name):
                continue  # put already, or edited by hand since: then the next step says so
            if name not in files:
                (self.folder / name).unlink(missing_ok=True)
            elif files[name] != now.get(name):
                put(self.folder / name, files[name])
        with suppress(InputError):  # of a list that cannot be read nothing is known
            for number in found_in(before).keys() - kept_in(files, self.folder).keys():
                (self.folder / file_of(number)).unlink(missing_ok=True)
        with suppress(FileExistsError):  # a file of this name is somebody's own
            for name, content in proofs_in(pending).items():
                (self.folder / name).parent.mkdir(exist_ok=True)
                put(self.folder / name, content)
        put(self.folder / LOG, self._logged(step))
        pending.replace(self.path(step.number))

    def _logged(self, step: Step) -> bytes:
        """The log with a line for the step, once; one that is not there anew, of all steps."""
        path = self.folder / LOG
        old = path.read_bytes() if path.exists() else b""
        if not old.strip():
            return log_of([*map(line_of, self._whole()), line_of(step)])
        if old.splitlines()[-1].split(b",")[0] == str(step.number).encode():
            return old
        return old + b"\n" * (not old.endswith(b"\n")) + rows_text([line_of(step)]).encode()

    def _whole(self) -> Iterator[Step]:
        """The steps that can be read."""
        for path in self.kept():
            with suppress(InputError):
                yield read_step(path)[0]


class Rehearsal(Journal):
    """The same steps, but none is written: what a verb would do."""

    def beside(self, name: str, content: bytes) -> None:
        pass

    def _keep(self, step: Step, files: Files) -> None:
        pass


def trail(steps: Sequence[Step], number: int | None = None) -> list[Step]:
    """The steps that made the files what they are (or were after a step), latest first."""
    every = {step.number: step for step in steps}
    at = (steps[-1] if number is None else every[number]).at if steps else 0
    found = []
    while at in every:
        found.append(every[at])
        at = every[at].parent
    return found


def between(steps: Sequence[Step], number: int) -> tuple[list[Step], list[Step]]:
    """What is undone on the way from the last step to another, and what is done again.

    Both are the latest step first. Raises UsageError where there is no such step.
    """
    if number not in {step.number for step in steps}:
        raise UsageError(f"there is no step {number} to go back to")
    now, then = trail(steps), trail(steps, number)
    return [step for step in now if step not in then], [step for step in then if step not in now]


def _named(steps: Sequence[Step], word: str = "step") -> str:
    """Steps in the words of the log."""
    return "; ".join(f"{word} {step.number}: {step.verb} {step.what}".strip() for step in steps)


def digest_of(files: Files) -> str:
    """A digest of the files: the same as long as nothing in them has changed."""
    known = [(name, hashlib.sha256(files[name]).hexdigest()) for name in FILES if name in files]
    return hashlib.sha256(repr(known).encode()).hexdigest()[:32]


def proof_at_rest(folder: Path, name: str) -> bytes | None:
    """A proof as it is between two steps, None where it is not there."""
    with suppress(FileNotFoundError):
        if (content := proofs_in(folder / PENDING).get(name)) is not None:
            return content
    try:
        return (folder / name).read_bytes()
    except OSError:
        return None


@contextmanager
def journal(folder: Path) -> Iterator[Journal]:
    """The journal of a folder, and a step that was begun is finished; errors as `held`."""
    with held(folder) as kept:
        kept.finish()
        yield kept


@contextmanager
def held(folder: Path) -> Iterator[Journal]:
    """The journal of a folder as it is; a second process waits for the first to be done.

    Raises UsageError where it does not end, or the folder cannot be written.
    """
    home = folder / HOME
    try:
        with writable(folder):
            home.mkdir(parents=True, exist_ok=True)
            with FileLock(home / "lock", timeout=PATIENCE):
                yield Journal(folder)
    except Timeout:
        raise UsageError(f"{folder}: another pairopt is working on this event") from None


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """An error of the disk says what could not be written, and what to do where it is the folder's.

    Raises UsageError.
    """
    try:
        yield
    except Timeout:
        raise
    except OSError as error:
        odd = isinstance(error, FileExistsError | IsADirectoryError | NotADirectoryError)
        hint = f"; {to_mend(folder)}" * odd
        raise UsageError(f"{folder} cannot be written: {error.strerror or error}{hint}") from None


def packed_step(step: Step, files: Files) -> bytes:
    """The zip of a step."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack:
        pack.writestr(META, json.dumps({name: getattr(step, name) for name in Step.__slots__}))
        for name, content in files.items():
            pack.writestr(name, content)
    return out.getvalue()


def read_step(path: Path) -> tuple[Step, Files]:
    """A step that is kept, and the files after it. Raises InputError where it is damaged."""
    try:
        found = {**packed(path, (META, *FILES).__contains__)}
        step = Step(**json.loads(found.pop(META)))
        if not 0 <= step.parent < step.number or not 0 < step.at <= step.number:
            raise ValueError(f"step {step.number} on {step.parent}, at {step.at}")
    except FileNotFoundError:
        raise damaged(path, "it is not there") from None
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(path, error) from None
    return step, found


@lru_cache(maxsize=10_000)
def _known_step(path: Path, _written: int) -> Step:
    """A step that is kept, read once: a page asks again and again."""
    return read_step(path)[0]


def proofs_in(path: Path) -> Files:
    """The proofs that came with a step, by their names."""
    return packed(path, lambda name: PROOF.fullmatch(name) is not None)


def put(path: Path, content: bytes) -> None:
    """Write a file whole, durably, under a temporary name first."""
    beside = path.with_name(f".{path.name}.new")
    with beside.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)


def line_of(step: Step) -> Line:
    """The line of a step in the log."""
    return Line(step.number, step.time, step.verb, plain(step.what))


def log_of(lines: Iterable[Line]) -> bytes:
    """A log of these lines."""
    return csv_table(Line._fields, lines).encode()


def log_lines(folder: Path) -> list[Line]:
    """The lines of the log that are whole, whatever stands between them."""
    path, found = folder / LOG, []
    text = path.read_bytes().decode(errors="replace") if path.is_file() else ""
    for line in filter(LOGGED.match, text.splitlines()):
        with suppress(csv.Error):
            number, *cells = next(csv.reader([line]))
            if len(cells) == len(Line._fields) - 1:
                found.append(Line(int(number), *cells))
    return found
