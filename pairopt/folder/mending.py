"""Mending: a damaged event folder goes on with all that is whole in it, and says what was done.

What is damaged is kept under another name (`log.damaged.csv`), beside where it was. Each change is
one file put or moved whole, and the files of the event are one step: whenever this is killed, what
is left can be mended again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from pairopt.errors import InputError
from pairopt.files.folder import HOME, LOG, PENDING, STEPS, Files, event_of, files_now
from pairopt.folder.desk import Done, event_folder
from pairopt.folder.journal import (
    Journal,
    Step,
    held,
    line_of,
    log_lines,
    log_of,
    packed_step,
    proofs_in,
    put,
    read_step,
    writable,
)
from pairopt.folder.kept import file_of, found_in
from pairopt.folder.salvage import Known, salvaged

NOTHING = "nothing to mend"


@dataclass(frozen=True)
class _Kept:
    """A step that is whole, where it is, and the files and proofs in it."""

    path: Path
    step: Step
    files: Files
    proofs: Files


@dataclass(frozen=True)
class _Found:
    """What is damaged in a folder, and what it is to have instead.

    `aside` are files of the journal that cannot be read, `steps` new contents of others of it;
    `log` is the new log, and `files` are those of the event that are others, proofs among them.
    `said` has a line for each.
    """

    said: tuple[str, ...]
    aside: tuple[Path, ...]
    steps: Mapping[Path, bytes]
    log: bytes | None
    files: Files


def mend(folder: str | Path) -> Done:
    """Make a damaged event folder whole: its journal, its log, and the files of the event.

    No result is lost that a whole file has. A folder that is whole stays as it is.

    Raises:
        UsageError: no event folder, or it cannot be written.
        InputError: too little is whole, and nothing was done.
    """
    path = event_folder(folder)
    odd = _odd(path)
    if (odd or not (path / PENDING).exists()) and not (_examined(path).said or odd):
        return Done("mend", (NOTHING,), None)
    said = [f"{each.relative_to(path)} is no part of a journal: it is set aside" for each in odd]
    with writable(path):
        for each in odd:
            each.replace(_free(each))
    with held(path) as journal:
        said += _finished(journal)
        found = _examined(path)
        step = _mended(journal, found)
        lines = (*said, *found.said) or (NOTHING,)
        return Done("mend", lines, step.number if step else None, event_of(journal.files(), path))


def _odd(folder: Path) -> list[Path]:
    """What stands in the way of a journal: files for folders, and folders for files."""
    home = folder / HOME
    if home.is_file():
        return [home]
    files = (path for path in (folder / PENDING, home / "lock") if path.is_dir())
    return [*files, *[folder / STEPS] * (folder / STEPS).is_file()]


def _finished(journal: Journal) -> list[str]:
    """Finishes a step that was begun, where it can be, as any verb does; what is said of it."""
    pending = journal.folder / PENDING
    found = _read(pending)
    if found is None or not (found.step.parent == 0 or _read(journal.path(found.step.parent))):
        return []
    journal.finish()
    return [f"step {_named(found.step)}, was begun: it is done now"]


def _named(step: Step) -> str:
    return f"{step.number}, {step.verb} {step.what}".rstrip()


def _read(path: Path) -> _Kept | None:
    """A step, None where it is not there, or damaged."""
    try:
        step, files = read_step(path)
        return _Kept(path, step, files, proofs_in(path))
    except InputError:
        return None


def _examined(folder: Path) -> _Found:
    """What is damaged in a folder. Raises InputError where too little is whole."""
    journal, said = Journal(folder), list[str]()
    pending = folder / PENDING
    paths = [*journal.kept(), *[pending] * pending.is_file()]
    every = {path: kept for path in paths if (kept := _read(path)) is not None
             and path in (pending, journal.path(kept.step.number))}  # fmt: skip
    aside = tuple(path for path in paths if path not in every)
    said += [f"{path.relative_to(folder)} is damaged: it is set aside" for path in aside]
    steps = _linked(journal, every, said)
    log = _log(folder, [kept.step for kept in every.values()], said)
    files = _files(folder, every, said)
    return _Found(tuple(said), aside, steps, log, files)


def _linked(journal: Journal, every: Mapping[Path, _Kept], said: list[str]) -> dict[Path, bytes]:
    """The steps that were done on one that is lost, now on the whole one before it."""
    numbers = [0, *(kept.step.number for kept in every.values())]
    made = {}
    for path, kept in every.items():
        step = kept.step
        parent, at = step.parent, step.at
        if parent not in numbers:
            parent = max(number for number in numbers if number < step.number)
        now = replace(step, parent=parent, at=at if at in numbers else step.number)
        if now != step or path != journal.path(step.number):
            made[journal.path(step.number)] = packed_step(now, {**kept.files, **kept.proofs})
            said.append(f"step {_named(step)}, was done on one that is lost: it is kept")
    return made


def _log(folder: Path, steps: Iterable[Step], said: list[str]) -> bytes | None:
    """The log with a line for each step, of lost ones those that it has; None as it is already."""
    there = log_lines(folder)
    lines = {line.step: line for line in [*there, *map(line_of, steps)]}
    due = [lines[number] for number in sorted(lines)]
    path = folder / LOG
    text = path.read_bytes() if path.is_file() else b""
    filled = [line for line in text.splitlines() if line.strip()]
    heading = log_of(()).splitlines()
    if due == there and filled[:1] == heading * bool(filled or due) and len(filled[1:]) == len(due):
        return None
    lost = len(due) - len({*due} & {*there})
    said.append(f"{LOG} is written again, with {len(due)} steps, of which it had {len(due) - lost}")
    return log_of(due)


def _files(folder: Path, every: Mapping[Path, _Kept], said: list[str]) -> Files:
    """The files of the event that are to be others, with proofs. Raises InputError."""
    now = files_now(folder)
    begun = every.get(folder / PENDING)
    if begun is not None:
        said.append(f"the files are as after step {_named(begun.step)}, which was begun")
    files = salvaged(folder, {**now, **(begun.files if begun else {})}, _known(folder, every), said)
    proofs = {name: raw for kept in every.values() for name, raw in kept.proofs.items()}
    new = {name: raw for name, raw in files.items() if now.get(name) != raw}
    for number, kept in found_in(files).items():
        name = file_of(number)
        due, here = proofs.get(name, b""), folder / name
        if sha256(due).hexdigest() == kept.sha256 and not (
            here.is_file() and here.read_bytes() == due
        ):
            new[name] = due
            said.append(f"{name} is again as it was kept")
    return new


def _known(folder: Path, every: Mapping[Path, _Kept]) -> Known:
    """The files after the last whole step after which they were an event."""
    for kept in sorted(every.values(), key=lambda kept: -kept.step.number):
        with suppress(InputError):
            event_of(kept.files, folder)
            return Known(kept.files, f"step {kept.step.number}")
    return Known({}, "")


def _mended(journal: Journal, found: _Found) -> Step | None:
    """Put all in its place; the step that changes the files of the event, if one does."""
    folder = journal.folder
    for name in found.files:
        _aside(folder / name)
    for path in found.aside:
        path.replace(_free(path))
    for path, content in found.steps.items():
        path.parent.mkdir(exist_ok=True)
        put(path, content)
    (folder / PENDING).unlink(missing_ok=True)
    if found.log is not None:
        _aside(folder / LOG)
        put(folder / LOG, found.log)
    if not found.files:
        return None
    return journal.mended(found.files)


def _aside(path: Path) -> None:
    """A copy under another name of a file that is going to be another."""
    if path.is_file() and (content := path.read_bytes()):
        put(_free(path, content), content)


def _free(path: Path, content: bytes | None = None) -> Path:
    """The name for what is damaged: one that is not there, or holds the same."""
    number = 1
    while True:
        beside = path.with_name(f"{path.stem}.damaged{f'-{number}' * (number > 1)}{path.suffix}")
        if not beside.exists() or (content is not None and beside.read_bytes() == content):
            return beside
        number += 1
