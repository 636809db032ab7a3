"""Mending: make a damaged event folder intact again, and say what was done.

The invariant: after `mend` the results are some of those that the folder's own files and steps had.
They hold those of every intact source, except where another source contradicts it. So the files of
the last intact step take the place of the folder's, as few of them as are needed to read all as an
event and to lose no result. Where no choice loses none, nothing is done and the error says why. No
line is guessed, and no two files are merged.

A folder has three witnesses of whose it is: event.toml, the log and the steps.

- event.toml and one intact step of its event outvote the log: the log is written again.
- The log and its steps outvote an event.toml that no step confirms: it comes back from the steps.
- Steps of any other event are no source. They are set aside, unless that would lose results of
  people of this event: then nothing is done, and the error asks whose folder it is.

What is damaged, or of another event, is kept under another name (`log.damaged.csv`), beside where
it was. Each change is one file put or moved as a whole, and the files of the event are one step:
whenever this is killed, what is left can be mended again.
"""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from pairopt.errors import InputError, PairoptError, UsageError
from pairopt.files.bracket_csv import load_bracket
from pairopt.files.event_folder import (
    EVENT,
    FILES,
    HOME,
    LOG,
    MATCHES,
    PENDING,
    PROVEN,
    STEPS,
    Files,
    build_event_from_files,
    read_folder_files,
)
from pairopt.files.event_toml import read_identity, with_event_id
from pairopt.folder import journal as journals
from pairopt.folder.journal import Journal, JournalOwner, LogLine, Step
from pairopt.folder.open_folder import Done, event_folder, read_folder_state
from pairopt.folder.protected_facts import (
    SCORED,
    Facts,
    ProtectedFact,
    changes,
    describe_changes,
    facts,
    people,
    told_facts,
)
from pairopt.messages import Located, Message, Note, Passage, message, with_heading
from pairopt.messages.formatting import quote_for_shell

NOTHING = message("mend.nothing")
FEWEST_LINES = 2
"""So many lines of a log are needed to outvote event.toml: the first lines of two events that began
in the same second can be equal."""
PARKED = 900_000_000
"""Added to the number of a step in the name of the file where it waits for its own place."""


@dataclass(frozen=True)
class _IntactStep:
    """A step that is whole, where it is, and the files and proofs in it."""

    path: Path
    step: Step
    files: Files
    proofs: Files


@dataclass(frozen=True)
class _Steps:
    """The step files of a folder.

    `own` has one for each step of its event, and `foreign` those of other events. `aside` says of
    each file that is to be set aside why.
    """

    own: Mapping[Path, _IntactStep]
    foreign: Mapping[Path, _IntactStep]
    aside: Mapping[Path, Message]


@dataclass(frozen=True)
class _DamageReport:
    """What is damaged in a folder, and what it gets instead.

    `aside` are step files that are to be set aside. `misplaced` are own steps in files of other
    numbers, with the places where they wait. `steps` are step files that get new contents. `log` is
    the new log. `files` are those of the event that change, proofs among them, None where one has
    to go. `said` has a line for each.
    """

    said: tuple[Note, ...]
    aside: tuple[Path, ...]
    misplaced: Mapping[Path, Path]
    steps: Mapping[Path, bytes]
    log: bytes | None
    files: Mapping[str, bytes | None]


def mend(folder: str | Path) -> Done:
    """Make a damaged event folder whole: its journal, its log, and the files of the event.

    No result is lost that a whole file has. A folder that is whole stays as it is. Raises
    UsageError: no event folder, or it cannot be written. InputError: too little is whole, and
    nothing was done.
    """
    path = event_folder(folder)
    odd = _odd(path)
    if not odd and not (path / PENDING).exists() and not _find_damage(path).said:
        return Done("mend", (NOTHING, *read_folder_state(path).taken), None)
    said = [message("mend.in_the_way", file=each.relative_to(path)) for each in odd]
    with journals.writable(path):
        for each in odd:
            each.replace(_free(each))
    with journals.held(path) as journal:
        if _can_finish(journal):
            journal.finish()
        found = _find_damage(path)
        step = _write_recovery(journal, found)
        lines = (*said, *journal.told, *found.said) or (NOTHING,)
        return Done(
            "mend",
            lines,
            step.number if step else None,
            build_event_from_files(journal.files(), path),
        )


def preview_mend(folder: str | Path) -> Done:
    """Say what `mend` would do and say: it is tried on a copy, and nothing is written.

    Raises the errors of `mend`. All that is said is about the folder, not about its copy.
    """
    path = event_folder(folder)

    # With a blank in it the copy's path stands in quotes where a command is named, and without them
    # elsewhere, whatever the folder's path is like.
    with tempfile.TemporaryDirectory(prefix="pairopt mend ") as temporary:
        copy = Path(temporary, "event")
        try:
            shutil.copytree(path, copy, ignore=partial(_others, path))
        except OSError as error:
            why = error.strerror or str(error)
            raise UsageError("folder.unreadable", path=path, why=why) from None

        names = {
            quote_for_shell(str(copy.resolve())): quote_for_shell(str(path)),
            quote_for_shell(str(copy)): quote_for_shell(str(path)),
            str(copy.resolve()): str(path),
            str(copy): str(path),
        }
        try:
            done = mend(copy)
        except PairoptError as error:
            error.said = tuple(_with_names(each, names) for each in error.said)
            if isinstance(error, InputError):
                error.source = _with_names(error.source, names)
                error.hint = _with_names(error.hint, names)
                error.args = (error.source, error.faults, error.hint)
            raise
    said = tuple(_with_names(each, names) for each in done.said)
    return replace(done, said=said, step=None, event=None)


def _with_names(value: Any, names: Mapping[str, str]) -> Any:
    """Return a message, or a value of one, with some names in it exchanged for others."""
    if isinstance(value, Passage):
        return replace(value, messages=_with_names(value.messages, names))
    if isinstance(value, Located):
        parts = {
            name: _with_names(getattr(value, name), names) for name in value.__slots__
        }
        return Located(**parts)
    if isinstance(value, Message):
        fields = {name: _with_names(each, names) for name, each in value.fields.items()}
        return Message(value.kind, fields)
    if isinstance(value, tuple | list):
        return type(value)(_with_names(each, names) for each in value)
    if isinstance(value, str | Path):
        text = str(value)
        for old, new in names.items():
            text = text.replace(old, new)
        return text
    return value


def _others(folder: Path, at: str, names: list[str]) -> list[str]:
    own = {*FILES, LOG, HOME, PROVEN}
    return [
        name
        for name in names
        if Path(at) == folder and name not in own and not name.endswith(".toml")
    ]


def _odd(folder: Path) -> list[Path]:
    """What stands in the way: files for folders, and folders for files."""
    files = (folder / name for name in (*FILES, LOG, PENDING, Path(HOME, "lock")))
    folders = (folder / name for name in (HOME, STEPS, PROVEN))
    return [
        *(path for path in files if path.is_dir()),
        *(path for path in folders if path.is_file()),
    ]


def _can_finish(journal: Journal) -> bool:
    """Return whether a step was begun and any command could finish it."""
    owner = journals.owner_of(journal.folder)
    begun = _read(journal.folder / PENDING)
    if begun is None or not owner.has(begun.step):
        return False
    if journal.path(begun.step.number).exists():
        return False

    paths = journals.step_files(journal.folder)
    known = [
        kept.step
        for kept in map(_read, paths)
        if kept is not None and owner.has(kept.step)
    ]
    if journals.has_other_log(journal.folder, known):
        return False

    parent = _read(journal.path(begun.step.parent))
    return begun.step.parent == 0 or (parent is not None and owner.has(parent.step))


def _read(path: Path) -> _IntactStep | None:
    with suppress(InputError):
        return _IntactStep(path, *journals.read_step(path), journals.proofs_in(path))
    return None


def _find_damage(folder: Path) -> _DamageReport:
    """Find out what is damaged in a folder, and what it gets instead.

    Raises
    ------
    InputError
        Too little is intact, or results would be lost.
    """
    journal = Journal(folder)
    said = list[Note]()
    event = _event_id(folder)
    steps = _steps_of(journal, JournalOwner(folder, event))
    said.extend(steps.aside.values())

    made = _relink_steps(journal, steps.own, said)
    log = _log(folder, steps, said)
    try:
        files = _files(folder, event, steps.own, said)
    except InputError as error:
        others = {kept.step.event for kept in steps.foreign.values()} - {""}
        if not steps.own and len(others) == 1:
            error.add([message("mend.of_id", home=HOME, file=EVENT, id=others.pop())])
        elif event and _has_other_id(folder, event):
            error.add([message("mend.whose", file=EVENT, log=LOG, home=HOME, id=event)])
        raise

    now = read_folder_files(folder)
    result = {name: raw for name, raw in {**now, **files}.items() if raw is not None}
    _require_steps_kept(folder, steps, result)
    if event:
        _require_files_kept(folder, event, steps, result)
    misplaced = {
        path: folder / STEPS / f"{PARKED + kept.step.number}.zip"
        for path, kept in steps.own.items()
        if path not in (journal.path(kept.step.number), folder / PENDING)
    }
    return _DamageReport(tuple(said), tuple(steps.aside), misplaced, made, log, files)


def _event_id(folder: Path) -> str | None:
    """Return the id of the event that this folder belongs to.

    It is "" if no file has an id, and None if no step confirms an id.

    The id in event.toml counts if a step has it. Otherwise the id of the log counts, if every line
    of the log is the line of a step with that id, and it has at least two lines.
    """
    known = journals.event_id(folder)
    logged = journals.logged_id(folder)
    if known is not None or not logged:
        return known

    steps = [
        kept.step
        for kept in map(_read, journals.step_files(folder))
        if kept is not None
    ]
    own = {
        step.number: journals.log_line(step) for step in steps if step.event == logged
    }
    lines = journals.log_lines(folder)
    if not (folder / LOG).read_bytes().endswith(b"\n"):
        lines = lines[:-1]  # the last one may be cut off
    if len(lines) < FEWEST_LINES:
        return None
    return logged if all(own.get(line.step, line) == line for line in lines) else None


def _has_other_id(folder: Path, event: str) -> bool:
    """Return whether event.toml is of another event than this one."""
    return read_identity(read_folder_files(folder).get(EVENT, b"")) not in ("", event)


def _steps_of(journal: Journal, owner: JournalOwner) -> _Steps:
    """Read all step files of a folder, and sort them by whose they are."""
    folder = journal.folder
    pending = folder / PENDING
    paths = journals.step_files(folder)
    if pending.is_file():
        paths.append(pending)

    own = dict[int, _IntactStep]()
    foreign = dict[Path, _IntactStep]()
    aside = dict[Path, Message]()

    # Steps in their own places come first: another file with such a step is a second one.
    readable = {path: kept for path in paths if (kept := _read(path)) is not None}
    placed = [
        path
        for path, kept in readable.items()
        if path == journal.path(kept.step.number)
    ]
    for path in sorted(paths, key=lambda path: path not in placed):
        name = path.relative_to(folder)
        kept = readable.get(path)
        if kept is None:
            aside[path] = message("mend.damaged", file=name)
        elif not owner.has(kept.step):
            foreign[path] = kept
            aside[path] = message("mend.foreign", file=name)
        elif kept.step.number in own:
            aside[path] = message("mend.second", file=name, number=kept.step.number)
        else:
            own[kept.step.number] = kept

    in_order = {path: aside[path] for path in paths if path in aside}
    return _Steps(
        {own[number].path: own[number] for number in sorted(own)}, foreign, in_order
    )


def _relink_steps(
    journal: Journal, own: Mapping[Path, _IntactStep], said: list[Note]
) -> dict[Path, bytes]:
    """Return new contents of step files.

    A step that was done on one that is lost is now done on the last intact one before it. A step
    that is not in its own place gets its place.
    """
    numbers = [0, *(kept.step.number for kept in own.values())]
    made = dict[Path, bytes]()
    for path, kept in own.items():
        step = kept.step
        parent, at = step.parent, step.at
        if parent not in numbers:
            parent = max(number for number in numbers if number < step.number)
        now = replace(step, parent=parent, at=at if at in numbers else step.number)

        place = journal.path(step.number)
        if now == step and path == place:
            continue
        made[place] = journals.pack_step(now, {**kept.files, **kept.proofs})
        if now != step:
            said.append(message("mend.parent_lost", number=step.number))
        elif path.name == PENDING.name:
            said.append(journals.done_now(step))
        else:
            file = path.relative_to(journal.folder)
            said.append(message("mend.misplaced", file=file, number=step.number))
    return made


def _log(folder: Path, steps: _Steps, said: list[Note]) -> bytes | None:
    """Return the log with a line for each step, None where it is so already.

    Of a step that is lost the line stays that the log has, unless the log is of another event.
    """
    there = journals.log_lines(folder)
    if _has_other_log(folder, steps):
        said.append(message("mend.foreign", file=LOG))

    own = [journals.log_line(kept.step) for kept in steps.own.values()]
    lines = {line.step: line for line in [*_trusted_lines(folder, steps.own), *own]}
    due = [lines[number] for number in sorted(lines)]
    path = folder / LOG
    text = path.read_bytes() if path.is_file() else b""
    filled = [line for line in text.splitlines() if line.strip()]
    headed = filled[:1] == journals.log_bytes(()).splitlines()
    if due == there and (headed or not filled) and len(filled[1:]) == len(due):
        return None

    lost = len(due) - len({*due} & {*there})
    said.append(message("mend.log", file=LOG, steps=len(due), had=len(due) - lost))
    return journals.log_bytes(due)


def _has_other_log(folder: Path, steps: _Steps) -> bool:
    return journals.has_other_log(folder, [kept.step for kept in steps.own.values()])


def _trusted_lines(folder: Path, own: Mapping[Path, _IntactStep]) -> list[LogLine]:
    """Return the lines of the log that can be true, none where some are of another event.

    A line of another event has the number of an own step, and another time. Then no line of a step
    that is not there can be trusted. A line that has a new number, and otherwise repeats the line
    of an own step, is damaged: what a cut left of one line ran together with the next one.
    """
    own_lines = [journals.log_line(kept.step) for kept in own.values()]
    times = {line.step: line.time for line in own_lines}
    known = {line[1:] for line in own_lines}
    lines = [
        line
        for line in journals.log_lines(folder)
        if line.step in times or line[1:] not in known
    ]
    foreign = any(times.get(line.step, line.time) != line.time for line in lines)
    return [] if foreign else lines


def _require_files_kept(folder: Path, event: str, steps: _Steps, result: Files) -> None:
    """Raise InputError where results of the files would be lost, and it is not sure whose they are.

    It is not sure where event.toml, the log and the steps are not all of one event. Where two of
    them speak for another event than the third, no result may change, either.
    """
    contested = _has_other_id(folder, event) or journals.logged_id(folder) not in (
        "",
        None,
        event,
    )
    if not contested and not _has_other_log(folder, steps):
        return

    # What was cut off speaks for no event.
    last = max(steps.own.values(), key=_number, default=None)
    now = {
        name: raw
        for name, raw in read_folder_files(folder).items()
        if last is None or not last.files.get(name, b"").startswith(raw)
    }
    before, after = _scored(now), _scored(result)
    if lost := before - after if contested else _lost_results(before, after):
        unsure = message("mend.unsure", file=EVENT, log=LOG, home=HOME, matches=MATCHES)
        raise InputError(str(folder), with_heading(unsure, *told_facts(lost, now)))


def _require_steps_kept(folder: Path, steps: _Steps, files: Files) -> None:
    """Raise InputError where steps of another event have results that belong here as likely.

    Such steps are those whose log lies in the folder. Where no step is its own, they are also those
    with results of players of this event.
    """
    logged = journals.logged_id(folder)
    now = _scored(files)
    players = people(files).keys()

    last = {
        kept.step.event: kept for kept in sorted(steps.foreign.values(), key=_number)
    }
    for event, kept in last.items():
        lost = [*(_scored(kept.files) - now)]
        if event != logged:
            lost = _lost_results(_scored(kept.files), now)
            lost = [
                fact for fact in lost if not steps.own and players >= {*fact.players}
            ]
        if not event or not lost:
            continue

        names = [
            str(path.relative_to(folder))
            for path, each in steps.foreign.items()
            if each.step.event == event
        ]
        two = message("mend.two_events", steps=names, file=EVENT, id=event)
        raise InputError(
            str(folder), with_heading(two, *told_facts(lost, files, kept.files))
        )


def _number(kept: _IntactStep) -> int:
    return kept.step.number


def _scored(files: Files) -> Facts:
    """Return the results in these files."""
    return frozenset(fact for fact in facts(files) if fact.kind in SCORED)


def _files(
    folder: Path, event: str | None, own: Mapping[Path, _IntactStep], said: list[Note]
) -> Mapping[str, bytes | None]:
    """Return the files of the event that change, with proofs; None for those that have to go.

    Raises InputError where there are none with which it is an event.
    """
    now = read_folder_files(folder)
    steps = sorted(own.values(), key=lambda kept: -kept.step.number)
    last = next((kept for kept in steps if _is_event(folder, kept.files)), None)

    foreign = event is not None and _has_other_id(folder, event)
    intact = {name: raw for name, raw in now.items() if not (foreign and name == EVENT)}
    with_id = with_event_id(intact.get(EVENT, b""), event or "")
    if EVENT in intact:
        intact[EVENT] = with_id
    is_undone = last is not None and _is_undone(folder, last, own)
    files = _choose_files(folder, intact, last, is_undone)
    new = {name: files.get(name) for name in FILES if now.get(name) != files.get(name)}
    for name in new:
        if new[name] == with_id and name == EVENT:
            said.append(message("mend.id", file=EVENT, id=event))
            continue
        assert last is not None  # otherwise they stay as they are
        how = message(
            "mend.as_after" if name in files else "mend.aside", step=last.step.number
        )
        cut = last.files.get(name, b"").startswith(now.get(name, b""))
        why = "mend.cut_off" if cut else "mend.damaged_or_older"
        if name not in now:
            why = "mend.not_there"
        elif foreign and name == EVENT:
            why = "mend.other_event"
        said.append(with_heading(message(why, file=name), how, name="mend.file"))

    by_number = {kept.step.number: kept for kept in own.values()}
    proofs = dict[str, bytes]()
    for step in reversed(
        journals.trail([by_number[number].step for number in sorted(by_number)])
    ):
        proofs |= by_number[step.number].proofs
    for name, raw in proofs.items():
        here = folder / name
        if raw and not (here.is_file() and here.read_bytes() == raw):
            new[name] = raw
            said.append(message("mend.proof", file=name))
    return new


def _choose_files(
    folder: Path, now: Files, last: _IntactStep | None, is_undone: bool
) -> Files:
    """Return the files that the event gets; see the invariant above. Raises InputError."""
    if _is_event(folder, now) and (last is None or is_undone):
        return now
    ways = [
        files for files in _file_combinations(now, last) if _is_event(folder, files)
    ]
    sources = [_scored(files) for files in ways]
    for files, result in zip(ways, sources, strict=True):
        if not any(_lost_results(source, result) for source in sources):
            return files
    if last is None or not ways:
        load_bracket(build_event_from_files(now, folder))  # raises for what is wrong
    assert last is not None
    gone = frozenset(
        fact for source in sources for fact in _lost_results(source, sources[0])
    )
    lost = describe_changes(changes(gone, frozenset()), now, last.files)
    others = message(
        "mend.others", number=last.step.number, folder=quote_for_shell(str(folder))
    )
    raise InputError(str(folder), with_heading(others, *lost))


def _file_combinations(now: Files, last: _IntactStep | None) -> Iterator[Files]:
    """The files, each as it is or as after the last whole step, with the fewest changes first. What
    is cut off, or not there, is not as it is; of a step that was begun its own come first.
    """
    then: Files = last.files if last else {}
    order = (
        [then, now]
        if last is not None and last.path.name == PENDING.name
        else [now, then]
    )
    choices = {
        name: [some.get(name) for some in order if last or some is now]
        for name in FILES
    }
    for name, old in then.items():
        if now.get(name) != old and old.startswith(now.get(name, b"")):
            choices[name] = [old]
    known = list[Files]()
    for some in sorted(
        product(*(range(len(each)) for each in choices.values())), key=sum
    ):
        every = zip(choices, some, strict=True)
        found = {
            name: raw for name, k in every if (raw := choices[name][k]) is not None
        }
        if found not in known:
            known.append(found)
            yield found


def _is_event(folder: Path, files: Files) -> bool:
    with suppress(InputError):
        load_bracket(build_event_from_files(files, folder))
        return True
    return False


def _lost_results(source: Facts, result: Facts) -> list[ProtectedFact]:
    """The results of a source that are not among others, and that none of them contradicts."""
    taken = {seat for fact in result for seat in _seats(fact)}
    return [fact for fact in source - result if taken.isdisjoint(_seats(fact))]


def _seats(fact: ProtectedFact) -> list[tuple[int, str]]:
    """What no two results can have: a player in a round, a match of the bracket."""
    return (
        [(fact.round, player) for player in fact.players]
        if fact.round
        else [(0, fact.table)]
    )


def _is_undone(
    folder: Path, last: _IntactStep, own: Mapping[Path, _IntactStep]
) -> bool:
    """Return whether the log knows of an undo since the last step, by a step that is lost.

    No undo takes the matches away.
    """
    if MATCHES in last.files and not (folder / MATCHES).is_file():
        return False
    lines = _trusted_lines(folder, own)
    since = (line for line in lines if line.step > last.step.number)
    return journals.log_line(last.step) in lines and any(
        line.verb == "undo" for line in since
    )


def _write_recovery(journal: Journal, found: _DamageReport) -> Step | None:
    """Put all in its place; the step that changes the files of the event, if one does."""
    folder = journal.folder
    for name in found.files:
        _set_aside(folder / name)
    for path, waiting in found.misplaced.items():
        path.replace(waiting)
    for path in found.aside:
        path.replace(_free(path))
    for path, content in found.steps.items():
        path.parent.mkdir(exist_ok=True)
        journals.put(path, content)
    for waiting in found.misplaced.values():
        waiting.unlink()
    (folder / PENDING).unlink(missing_ok=True)
    if found.log is not None:
        _set_aside(folder / LOG)
        journals.put(folder / LOG, found.log)
    if not found.files:
        return None
    return journal.mended(found.files)


def _set_aside(path: Path) -> None:
    """A copy under another name of a file that is going to be another."""
    if path.is_file() and (content := path.read_bytes()):
        journals.put(_free(path, content), content)


def _free(path: Path, content: bytes | None = None) -> Path:
    """The name for what is damaged: one that is not there, or holds the same."""
    number = 1
    while True:
        beside = path.with_name(
            f"{path.stem}.damaged{f'-{number}' * (number > 1)}{path.suffix}"
        )
        if not beside.exists() or (
            content is not None and beside.read_bytes() == content
        ):
            return beside
        number += 1
