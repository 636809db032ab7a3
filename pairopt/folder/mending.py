"""Mending: a damaged event folder goes back to its last whole state, and says what was done.

The law: after `mend` the scored facts are some of those that its own files and steps had, and hold
those of every one that was whole, but for what another of them contradicts. So the fewest files of
the last whole step take the place of the folder's, with which all read as an event and no result is
lost; where there are none, nothing is done. No line is guessed, and no two files are made one. A
step of another event is no source.

What is damaged, or another's, is kept under another name (`log.damaged.csv`), beside where it
was. Each change is one file put or moved whole, and the files of the event are one step: whenever
this is killed, what is left can be mended again."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

from pairopt.errors import InputError, PairoptError, UsageError
from pairopt.files.bracket import bracket_of
from pairopt.files.folder import (
    EVENT,
    FILES,
    HOME,
    LOG,
    MATCHES,
    PENDING,
    PROVEN,
    STEPS,
    Files,
    event_of,
    files_now,
)  # fmt: skip
from pairopt.folder import journal as journals
from pairopt.folder.desk import Done, event_folder, seen
from pairopt.folder.facts import SCORED, Fact, Facts, changes, facts, told
from pairopt.folder.journal import Journal, Owner, Step
from pairopt.wording import typed
from pairopt.words import Said, tell

NOTHING = tell("mend.nothing")


@dataclass(frozen=True)
class _Kept:
    """A step that is whole, where it is, and the files and proofs in it."""

    path: Path
    step: Step
    files: Files
    proofs: Files


@dataclass(frozen=True)
class _Found:
    """What is damaged in a folder, and what it is to have instead. `aside` are steps that are not
    its own, or none, `steps` new contents of others; `log` is the new log, and `files` are those of
    the event that are others, proofs among them, None where one has to go. `said` has a line for
    each."""

    said: tuple[Said, ...]
    aside: tuple[Path, ...]
    steps: Mapping[Path, bytes]
    log: bytes | None
    files: Mapping[str, bytes | None]


def mend(folder: str | Path) -> Done:
    """Make a damaged event folder whole: its journal, its log, and the files of the event.

    No result is lost that a whole file has. A folder that is whole stays as it is. Raises
    UsageError: no event folder, or it cannot be written. InputError: too little is whole, and
    nothing was done."""
    path = event_folder(folder)
    odd = _odd(path)
    if not odd and not (path / PENDING).exists() and not _examined(path).said:
        return Done("mend", (NOTHING, *seen(path).taken), None)
    said = [tell("mend.in_the_way", file=each.relative_to(path)) for each in odd]
    with journals.writable(path):
        for each in odd:
            each.replace(_free(each))
    with journals.held(path) as journal:
        if _can_finish(journal):
            journal.finish()
        found = _examined(path)
        step = _mended(journal, found)
        lines = (*said, *journal.told, *found.said) or (NOTHING,)
        return Done("mend", lines, step.number if step else None, event_of(journal.files(), path))


def preview_mend(folder: str | Path) -> Done:
    """What `mend` would do and say, seen on a copy: nothing is written. Errors as `mend`."""
    path = event_folder(folder)
    with tempfile.TemporaryDirectory() as room:
        copy = Path(room, path.resolve().name or "event")
        try:
            shutil.copytree(path, copy, ignore=partial(_others, path))
        except OSError as error:
            raise UsageError("folder.unreadable", path=path, why=error.strerror or error) from None
        try:
            done = mend(copy)
        except PairoptError as error:
            error.said = tuple(_of_original(each, str(copy), str(path)) for each in error.said)
            raise
    return replace(done, step=None, event=None)


def _of_original(said: Said, copy: str, path: str) -> Said:
    """The same of the folder itself, of which there was a copy."""
    fields = {name: _of_original(each, copy, path) if isinstance(each, Said) else
              each.replace(copy, path) if isinstance(each, str) else each
              for name, each in said.fields.items()}  # fmt: skip
    return Said(said.kind, fields)


def _others(folder: Path, at: str, names: list[str]) -> list[str]:
    own = {*FILES, LOG, HOME, PROVEN}
    return [name for name in names
            if Path(at) == folder and name not in own and not name.endswith(".toml")]  # fmt: skip


def _odd(folder: Path) -> list[Path]:
    """What stands in the way: files for folders, and folders for files."""
    files = (folder / name for name in (*FILES, LOG, PENDING, Path(HOME, "lock")))
    folders = (folder / name for name in (HOME, STEPS, PROVEN))
    return [*(path for path in files if path.is_dir()),
            *(path for path in folders if path.is_file())]  # fmt: skip


def _can_finish(journal: Journal) -> bool:
    """Whether a step was begun, and can be finished, as any verb does it."""
    owner, found = Owner(journal.folder), _read(journal.folder / PENDING)
    if found is None or not owner.has(found.step):
        return False
    parent = _read(journal.path(found.step.parent))
    return found.step.parent == 0 or (parent is not None and owner.has(parent.step))


def _read(path: Path) -> _Kept | None:
    with suppress(InputError):
        return _Kept(path, *journals.read_step(path), journals.proofs_in(path))
    return None


def _examined(folder: Path) -> _Found:
    """What is damaged in a folder. Raises InputError where too little is whole."""
    journal, owner, said = Journal(folder), Owner(folder), list[Said]()
    pending = folder / PENDING
    paths = [*journals.kept_steps(folder), *[pending] * pending.is_file()]
    whole = {path: kept for path in paths if (kept := _read(path)) is not None
             and path in (pending, journal.path(kept.step.number))}  # fmt: skip
    every = {path: kept for path, kept in whole.items() if owner.has(kept.step)}
    aside = [path for path in paths if path not in every]
    kinds = {path: "mend.foreign" if path in whole else "mend.damaged" for path in aside}
    said += [tell(kind, file=path.relative_to(folder)) for path, kind in kinds.items()]  # fmt: skip
    steps = _linked(journal, every, said)
    log = _log(folder, [kept.step for kept in every.values()], said)
    try:
        files = _files(folder, every, said)
    except InputError as error:
        others = {kept.step.event for kept in whole.values()} - {""}
        if every or len(others) != 1:
            raise
        error.add([tell("mend.of_id", home=HOME, file=EVENT, id=others.pop())])
        raise
    return _Found(tuple(said), tuple(aside), steps, log, files)


def _linked(journal: Journal, every: Mapping[Path, _Kept], said: list[Said]) -> dict[Path, bytes]:
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
            made[journal.path(step.number)] = journals.packed_step(
                now, {**kept.files, **kept.proofs}
            )
            said.append(tell("mend.parent_lost", step=step.named))
    return made


def _log(folder: Path, steps: Iterable[Step], said: list[Said]) -> bytes | None:
    """The log with a line for each step, of lost ones those that it has; None as it is already."""
    there = journals.log_lines(folder)
    lines = {line.step: line for line in [*there, *map(journals.line_of, steps)]}
    due = [lines[number] for number in sorted(lines)]
    path = folder / LOG
    text = path.read_bytes() if path.is_file() else b""
    filled = [line for line in text.splitlines() if line.strip()]
    headed = filled[:1] == journals.log_of(()).splitlines()
    if due == there and (headed or not filled) and len(filled[1:]) == len(due):
        return None
    lost = len(due) - len({*due} & {*there})
    said.append(tell("mend.log", file=LOG, steps=len(due), had=len(due) - lost))
    return journals.log_of(due)


def _files(
    folder: Path, every: Mapping[Path, _Kept], said: list[Said]
) -> Mapping[str, bytes | None]:
    """The files of the event that are to be others, with proofs; None for those that have to go.
    Raises InputError where there are none with which it is an event."""
    now, steps = files_now(folder), sorted(every.values(), key=lambda kept: -kept.step.number)
    last = next((kept for kept in steps if _is_event(folder, kept.files)), None)
    files = _chosen(folder, now, last)
    new = {name: files.get(name) for name in FILES if now.get(name) != files.get(name)}
    for name in new:
        assert last is not None  # else they stay as they are
        how = tell("mend.as_after" if name in files else "mend.aside", step=last.step.number)
        cut = last.files.get(name, b"").startswith(now.get(name, b""))
        why = "mend.cut_off" if cut else "mend.damaged_or_older"
        why = why if name in now else "mend.not_there"
        said.append(tell("mend.file", why=tell(why, file=name), now=how))
    whole = {kept.step.number: kept for kept in every.values()}
    proofs: dict[str, bytes] = {}
    for step in reversed(journals.trail([whole[number].step for number in sorted(whole)])):
        proofs |= whole[step.number].proofs
    for name, raw in proofs.items():
        here = folder / name
        if raw and not (here.is_file() and here.read_bytes() == raw):
            new[name] = raw
            said.append(tell("mend.proof", file=name))
    return new


def _chosen(folder: Path, now: Files, last: _Kept | None) -> Files:
    """The files that the event is to have; see the law above. Raises InputError."""
    if _is_event(folder, now) and (last is None or _undone(folder, last)):
        return now
    ways = [files for files in _ways(now, last) if _is_event(folder, files)]
    sources = [frozenset(each for each in facts(files) if each.kind in SCORED) for files in ways]
    for files, result in zip(ways, sources, strict=True):
        if not any(_lost(source, result) for source in sources):
            return files
    if last is None or not ways:
        bracket_of(event_of(now, folder))  # raises for what is wrong
    assert last is not None
    gone = frozenset(fact for source in sources for fact in _lost(source, sources[0]))
    lost = told(changes(gone, frozenset()), now, last.files)
    raise InputError(
        str(folder), "mend.others", step=last.step.named, facts=lost,
        number=last.step.number, folder=typed(str(folder)),
    )  # fmt: skip


def _ways(now: Files, last: _Kept | None) -> Iterator[Files]:
    """The files, each as it is or as after the last whole step, with the fewest changes first. What
    is cut off, or not there, is not as it is; of a step that was begun its own come first."""
    then: Files = last.files if last else {}
    order = [then, now] if last is not None and last.path.name == PENDING.name else [now, then]
    choices = {name: [some.get(name) for some in order if last or some is now] for name in FILES}
    for name, old in then.items():
        if now.get(name) != old and old.startswith(now.get(name, b"")):
            choices[name] = [old]
    known = list[Files]()
    for some in sorted(product(*(range(len(each)) for each in choices.values())), key=sum):
        every = zip(choices, some, strict=True)
        found = {name: raw for name, k in every if (raw := choices[name][k]) is not None}
        if found not in known:
            known.append(found)
            yield found


def _is_event(folder: Path, files: Files) -> bool:
    with suppress(InputError):
        bracket_of(event_of(files, folder))
        return True
    return False


def _lost(source: Facts, result: Facts) -> list[Fact]:
    """The results of a source that are not among others, and that none of them contradicts."""
    taken = {seat for fact in result for seat in _seats(fact)}
    return [fact for fact in source - result if taken.isdisjoint(_seats(fact))]


def _seats(fact: Fact) -> list[tuple[int, str]]:
    """What no two results can have: a player in a round, a match of the bracket."""
    return [(fact.round, player) for player in fact.players] if fact.round else [(0, fact.table)]


def _undone(folder: Path, last: _Kept) -> bool:
    """Whether the log knows of an undo since, by a step that is lost; none takes the matches."""
    if MATCHES in last.files and not (folder / MATCHES).is_file():
        return False
    lines = journals.log_lines(folder)
    since = (line for line in lines if line.step > last.step.number)
    return journals.line_of(last.step) in lines and any(line.verb == "undo" for line in since)


def _mended(journal: Journal, found: _Found) -> Step | None:
    """Put all in its place; the step that changes the files of the event, if one does."""
    folder = journal.folder
    for name in found.files:
        _aside(folder / name)
    for path in found.aside:
        path.replace(_free(path))
    for path, content in found.steps.items():
        path.parent.mkdir(exist_ok=True)
        journals.put(path, content)
    (folder / PENDING).unlink(missing_ok=True)
    if found.log is not None:
        _aside(folder / LOG)
        journals.put(folder / LOG, found.log)
    if not found.files:
        return None
    return journal.mended(found.files)


def _aside(path: Path) -> None:
    """A copy under another name of a file that is going to be another."""
    if path.is_file() and (content := path.read_bytes()):
        journals.put(_free(path, content), content)


def _free(path: Path, content: bytes | None = None) -> Path:
    """The name for what is damaged: one that is not there, or holds the same."""
    number = 1
    while True:
        beside = path.with_name(f"{path.stem}.damaged{f'-{number}' * (number > 1)}{path.suffix}")
        if not beside.exists() or (content is not None and beside.read_bytes() == content):
            return beside
        number += 1
