"""Journal: each step on an event folder whole or not at all, in the log, and undone at will.

All that a step writes is first written elsewhere, so that a full disk begins nothing. Then
`.pairopt/pending.zip` is there, and the step is begun: its files are moved to their places, and the
zip is kept as `.pairopt/steps/NNNN.zip`. What fails in between is taken back; where that cannot be,
the error says that the step is begun. Whoever finds a pending one, because the process that wrote
it was killed, finishes it and says so. Each zip holds the files as they are after the step, so that
any step can be undone; what was edited by hand in between becomes a step of its own. Proofs are
large: a zip has only those that come into the folder with its step, and an undo finds them there.

Each step says whose it is, by the id in event.toml: none of another event is ever read.
"""

import csv
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import ClassVar, NamedTuple

from filelock import FileLock, Timeout

from pairopt.common.atomic_write import ACTOR, write_lock
from pairopt.errors import InputError, PairoptError, UsageError
from pairopt.files.event_folder import (
    EVENT,
    FILES,
    HOME,
    LOG,
    META,
    PENDING,
    PROVEN,
    STEPS,
    Files,
    make_damaged_step_error,
    make_recovery_hint,
    read_folder_files,
    read_step_files,
)
from pairopt.files.event_toml import find_identity_line, read_identity, with_event_id
from pairopt.files.write import csv_table, rows_text
from pairopt.files.zip_archive import zip_files
from pairopt.folder.fide_mode import apply_mode, leaves
from pairopt.folder.protected_facts import (
    SCORED,
    changes,
    describe_changes,
    describe_step,
    facts,
)
from pairopt.messages import (
    ENGLISH,
    FREE,
    KIND,
    Message,
    Note,
    Passage,
    message,
    with_heading,
)
from pairopt.messages.formatting import escape_hidden, quote_for_shell

PATIENCE = 10.0  # seconds to wait for another process
LOGGED = re.compile(
    r"[1-9][0-9]{0,8},[0-9]{4}-[0-9]{2}-[0-9]{2}T"
)  # how a line of the log begins
PROOF = re.compile(rf"{PROVEN}/round-[0-9]{{1,9}}\.json")


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what `who` did at a time, and which earlier one it was done on.

    `did` has what the log's columns say as fields, in the names of that day. `at` is the step whose
    files the folder has after it: its own number, or that of an earlier one for an undo. `parent`
    is where it began. `event` is the id of its event, "" in folders made before events had one.
    """

    number: int
    verb: str
    did: Message
    time: str
    at: int
    parent: int
    event: str = ""
    who: str = ""

    @property
    def named(self) -> Passage:
        """What it is called: its number, and what was done."""
        return with_heading(
            message("step.named", number=self.number), self.did, mark=", "
        )


def done_now(step: Step) -> Passage:
    """Return that a step which was begun is done now."""
    return with_heading(step.named, message("step.done_now"), name="step.done_now")


class LogLine(NamedTuple):
    """A line of the log; its names are the columns."""

    step: int
    time: str
    who: str
    verb: str
    round: str = ""
    table: str = ""
    player1: str = ""
    player2: str = ""
    name1: str = ""
    name2: str = ""
    value: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True)
class Journal:
    """The steps of an event folder, held by this process alone. `told` is what happened to it
    besides, and is said by whoever holds it.
    """

    folder: Path
    told: list[Note] = field(default_factory=list, compare=False)
    asks: ClassVar[bool] = True

    def files(self) -> Files:
        return read_folder_files(self.folder)

    def steps(self) -> list[Step]:
        owner = owner_of(self.folder)
        return [owner.read(path)[0] for path in step_files(self.folder)]

    def last(self) -> Step | None:
        paths = step_files(self.folder)
        return owner_of(self.folder).read(paths[-1])[0] if paths else None

    def since(self, state: str) -> Iterator[tuple[Step, Files]]:
        """The last step that left the files in this state, if one did, and those after it, each
        with the files after it.
        """
        owner, paths = owner_of(self.folder), step_files(self.folder)
        left = (
            k for k in reversed(range(len(paths))) if _read_step(paths[k])[1] == state
        )
        yield from map(owner.read, paths[next(left, len(paths)) :])

    def commit(self, verb: str, did: Message, changes: Files) -> Step:
        """Put changed files in place as one step; edits by hand before it are kept as one too. The
        changes may have proofs among them, by their names.
        """
        before = self.files()
        return self._do(verb, did, before, {**before, **changes}, self._noticed(before))

    def beside(self, name: str, content: bytes) -> None:
        """Put a file that no step has, as a model's, into the folder."""
        put(self.folder / name, content)

    def mended(self, due: Mapping[str, bytes | None]) -> Step:
        """Put files in place of damaged ones, each by itself (None: it goes), and then log that as
        one step. What is damaged becomes no step: no undo leads back to it.
        """
        before = self.files()
        new = {name: raw for name, raw in due.items() if raw is not None}
        for name in due:
            (self.folder / name).parent.mkdir(exist_ok=True)
        with write_lock():
            places = {self.folder / name: raw for name, raw in new.items()}
            move_into_place(write_temporary_files(places, self.folder / HOME))
            for name in due.keys() - new.keys():
                (self.folder / name).unlink(missing_ok=True)
        files = {**self.files(), **new}
        return self._do(
            "mend",
            message("step.mend", value=", ".join(sorted(due))),
            before,
            files,
            self.last(),
        )

    def undo(self, steps: int, to: int | None) -> tuple[Step | None, list[Note]]:
        """Back to the files before so many steps, or to those after a step; what is undone by that.
        No step where the files are those already. Raises UsageError where there are fewer, or no
        such step.
        """
        before = self.files()
        last = self._noticed(before)
        every = self.steps()
        if last is not None and last not in every:
            every.append(last)  # in a rehearsal
        standing = trail(every)
        if to is None and len(standing) <= steps:
            kind = "step.few_to_undo" if len(standing) > 1 else "step.nothing_to_undo"
            raise UsageError(kind, folder=self.folder, steps=len(standing) - 1)
        number = standing[steps].number if to is None else to
        if number not in {step.number for step in every}:
            raise UsageError("step.unknown", number=number)
        come = trail(every, number)
        undone = [step for step in standing if step not in come]
        said: list[Note] = [
            with_heading(message("step.undone"), step.named) for step in undone
        ]
        again = [step for step in come[::-1] if step not in standing]
        said += [with_heading(message("step.again"), step.named) for step in again]
        if not said:
            return None, [message("step.there_already", number=number)]
        did = message(
            "step.undo",
            value=number,
            before=" ".join(str(step.number) for step in undone),
        )
        at = next(step.at for step in every if step.number == number)
        now, then = self._proofs(standing), self._proofs(come)
        proofs = {
            name: then.get(name, b"")
            for name in now | then
            if now.get(name) != then.get(name)
        }
        files = {**self._state(at), **proofs}
        return self._do("undo", did, before, files, last, at), said

    def _noticed(self, now: Files) -> Step | None:
        """The last step, after one for what was edited by hand since, or found at the start."""
        last = self.last()
        known = self._state(last.number) if last else {}
        if last is None or (known == now and not read_identity(now.get(EVENT, b""))):
            return (
                self._do("found", message("step.found"), known, now, last)
                if now
                else None
            )
        if known == now:
            return last
        self.told.extend(self.taken(now))
        did = message("step.edited_by_hand", value=_describe_other_edits(known, now))
        return self._do("edited by hand", did, known, now, last)

    def taken(self, now: Files) -> Sequence[Note]:
        """Which results somebody's hand has taken since the last step, with the way back, and how
        it broke FIDE mode. Raises InputError for a step that is damaged.
        """
        last = self.last()
        if last is None or (known := self._state(last.number)) == now:
            return ()
        found = changes(facts(known), facts(now))
        lost = [each for each in found if each.before and each.before.kind in SCORED]
        notes: list[Note] = []
        if lost:
            heading = message("hand.taken", files=_describe_other_edits(known, now))
            back = message(
                "hand.way_back",
                number=last.number,
                folder=quote_for_shell(str(self.folder)),
            )
            notes.append(
                with_heading(heading, *describe_changes(lost, known, now), back)
            )
        notes += [each.told for each in leaves(known, now)]
        return notes

    def _state(self, number: int) -> Files:
        return owner_of(self.folder).read(self.path(number))[1]

    def path(self, number: int) -> Path:
        return self.folder / STEPS / f"{number:04d}.zip"

    def come_from(self, round: int, *verbs: str) -> tuple[Step, Files] | None:
        """The last step of these verbs on a round that the files come from, else the first. And the
        files after it. Damaged steps are passed over.
        """
        owner = owner_of(self.folder)
        come = trail([step for step in self._whole() if owner.has(step)])
        of_verb = (step for step in come if step.verb in verbs)
        found = [step for step in of_verb if step.did.fields.get("round") == round]
        return next(
            ((step, self._state(step.number)) for step in found or come[-1:]), None
        )

    def pairings_of(self, round: int) -> list[tuple[Step, Files]]:
        """The steps that paired a round, or paired it again, and that the files come from, each
        with the files after it. The first one is first. Damaged steps are passed over.
        """
        owner = owner_of(self.folder)
        come = trail([step for step in self._whole() if owner.has(step)])
        verbs = ("pair", "repair")
        found = [
            step
            for step in come
            if step.verb in verbs and step.did.fields.get("round") == round
        ]

        pairings = []
        for step in reversed(found):
            with suppress(InputError, OSError):
                pairings.append((step, self._state(step.number)))
        return pairings

    def _proofs(self, come: Sequence[Step]) -> dict[str, bytes]:
        """The proofs that steps have left, the latest of them first; b"" is one that went."""
        found: dict[str, bytes] = {}
        for step in reversed(come):
            with suppress(OSError):  # of a step that is rehearsed
                found |= proofs_in(self.path(step.number))
        return found

    def _do(
        self,
        verb: str,
        did: Message,
        before: Files,
        files: Files,
        last: Step | None,
        at: int | None = None,
    ) -> Step:
        """One step. Raises InvariantError where the verb may not make these files of those before."""
        there = last is not None and self.path(last.number).is_file()
        known = self._state(last.number) if last is not None and there else before
        files, breaches = apply_mode(verb, known, files, self.asks)
        self.told.extend(each.told for each in breaches if each.told not in self.told)
        did = describe_step(verb, did, before, files)
        if any(each.asks > 1 for each in breaches):
            value = f"{did.fields.get('value', '')}; FIDE mode is left".removeprefix(
                "; "
            )
            did = Message(
                "step.leaving", {**did.fields, "did": str(did), "value": value}
            )
        number = 1 + max(0 if last is None else last.number, *self._numbers())
        here = files.get(EVENT, b"")
        event = event_id(self.folder) or read_identity(here) or draw_id()
        step = Step(
            number,
            verb,
            did,
            datetime.now().astimezone().isoformat(timespec="seconds"),
            number if at is None else at,
            0 if last is None else last.at,
            event,
            "by hand" if verb == "edited by hand" else ACTOR.get(),
        )
        self._keep(
            step, {**files, EVENT: with_event_id(here, event)} if here else files
        )
        return step

    def _numbers(self) -> Iterator[int]:
        yield 0
        for path in (self.folder / STEPS).glob("*.zip"):
            yield int((re.match(r"[0-9]{1,9}", path.name) or ["0"])[0])
        for line in log_lines(self.folder):
            yield line.step

    def _keep(self, step: Step, files: Files) -> None:
        """Write a step, and put its files in their places: all of it, or nothing."""
        (self.folder / STEPS).mkdir(parents=True, exist_ok=True)
        pending = self.folder / PENDING
        with write_lock():
            due, gone = self._due(step, files, self.files())
            old = {
                path: path.read_bytes() if path.is_file() else None
                for path in (*due, *gone)
            }
            waiting = write_temporary_files(
                {pending: pack_step(step, files), **due}, self.folder / HOME
            )
            try:
                move_into_place(waiting)
                self._kept(step, gone)
            except OSError:
                with suppress(OSError):  # else it stays begun
                    _restore_old_files(old)
                    pending.unlink(missing_ok=True)
                raise

    def finish(self) -> None:
        """Finish a step that was begun, and tell it: safe to do again."""
        pending = self.folder / PENDING
        if not pending.exists():
            return
        step, files = owner_of(self.folder).read(pending)
        if self.path(step.number).exists():
            raise make_damaged_step_error(
                pending, f"step {step.number} is there already"
            )

        before = self._state(step.parent) if step.parent else {}
        with write_lock():
            due, gone = self._due(step, {**files, **proofs_in(pending)}, before)
            move_into_place(write_temporary_files(due, self.folder / HOME))
            self._kept(step, gone)
        self.told.append(done_now(step))

    def _kept(self, step: Step, gone: Iterable[Path]) -> None:
        for path in gone:
            with suppress(NotADirectoryError):
                path.unlink(missing_ok=True)
        (self.folder / PENDING).replace(self.path(step.number))

    def _due(
        self, step: Step, files: Files, before: Files
    ) -> tuple[dict[Path, bytes], list[Path]]:
        now = (
            self.files()
        )  # others than before: put already, or by hand, as the next step says
        same = [name for name in FILES if now.get(name) == before.get(name)]
        due = {
            name: files[name]
            for name in same
            if name in files and files[name] != now.get(name)
        }
        proofs = [*filter(PROOF.fullmatch, files)]
        gone = [name for name in same if name in now and name not in files]
        gone += [name for name in proofs if not files[name]]
        with suppress(FileExistsError):  # a file of this name is somebody's own
            for name in filter(files.get, proofs):
                (self.folder / name).parent.mkdir(exist_ok=True)
                due[name] = files[name]
        due[LOG] = self._logged(step)
        return (
            {self.folder / name: raw for name, raw in due.items()},
            [self.folder / name for name in gone],
        )

    def _logged(self, step: Step) -> bytes:
        """Return the log with one line for the step.

        A log that is not there is written again, from all steps.

        Raises
        ------
        InputError
            The log is of another event.
        """
        path = self.folder / LOG
        old = path.read_bytes() if path.exists() else b""
        if not old.strip():
            return log_bytes([*map(log_line, self._whole()), log_line(step)])

        self._require_own_log(old)
        if old.splitlines()[-1].split(b",")[0] == str(step.number).encode():
            return old
        return (
            old
            + b"\n" * (not old.endswith(b"\n"))
            + rows_text([log_line(step)]).encode()
        )

    def _require_own_log(self, log: bytes) -> None:
        """Raise InputError where the log is of another event than the steps."""
        paths = step_files(self.folder)

        # Reading every step takes long: most logs have the line of the last one.
        with suppress(InputError, OSError):
            last = _read_step(paths[-1])[0] if paths else None
            if last is None or rows_text([log_line(last)]).encode() in log:
                return

        if has_other_log(self.folder, self._whole()):
            path = self.folder / LOG
            raise InputError(
                str(path), "file.of_another", make_recovery_hint(self.folder)
            )

    def _whole(self) -> Iterator[Step]:
        for path in step_files(self.folder):
            with suppress(InputError, OSError):
                yield _read_step(path)[0]


class DryRunJournal(Journal):
    """The same steps, but none is written, and nothing asked: what a verb would do."""

    asks = False

    def beside(self, name: str, content: bytes) -> None:
        pass

    def _keep(self, step: Step, files: Files) -> None:
        pass


class JournalOwner:
    """Tell the steps of the folder's own event from those of another one.

    `event` is the id of that event, None where no step is its own (see `own_id`).
    """

    def __init__(self, folder: Path, event: str | None) -> None:
        self._folder = folder
        self._event = event

    def has(self, step: Step) -> bool:
        """Whether a step is of the folder's event; without an id, one before the first that has."""
        return step.event == self._event or (
            not step.event and step.number < self._since
        )

    def read(self, path: Path) -> tuple[Step, Files]:
        """A step of this event, and the files after it. Raises InputError for any other."""
        step, files = read_step(path)
        if not self.has(step):
            raise make_damaged_step_error(path, "it is of another event")
        return step, files

    @cached_property
    def _since(self) -> int:
        for path in (*step_files(self._folder), self._folder / PENDING):
            with suppress(InputError, OSError):
                step, _ = _read_step(path)
                if step.event:
                    return step.number if step.event == self._event else 0
        return 0


def owner_of(folder: Path) -> JournalOwner:
    """Return the owner of a folder whose event.toml and log are intact."""
    return JournalOwner(folder, event_id(folder))


def event_id(folder: Path) -> str | None:
    """Return the id of the event whose folder this is.

    event.toml says it, and one intact step of that id is enough to confirm it: a log of another
    event is damage, then. Where event.toml is damaged, or has no id, the log says it, which has
    a line for each step. A folder that has nothing but a journal belongs to that event.

    Returns
    -------
    str or None
        "" where nothing says it. None where event.toml and the log are of two events, and no
        intact step is of the event in event.toml: then no step is the folder's own.
    """
    place = folder / EVENT
    here = place.read_bytes() if place.is_file() else b""
    logged = logged_id(folder)

    if stated := read_identity(here):
        confirmed = logged in ("", stated) or _has_step_of(folder, stated)
        return stated if confirmed else None

    # The rest of event.toml is damaged.
    if (stated := find_identity_line(here)) and _has_step_of(folder, stated):
        return stated

    bare = not any((folder / name).is_file() for name in (*FILES, LOG))
    with suppress(InputError):
        step, files = read_step(folder / PENDING)
        if bare or (here and with_event_id(here, step.event) == files.get(EVENT)):
            return step.event
    if bare and (steps := step_files(folder)):
        with suppress(InputError, OSError):
            return _read_step(steps[-1])[0].event
    return logged


def _has_step_of(folder: Path, event: str) -> bool:
    """Return whether a finished step of this event is intact."""
    for path in step_files(folder):
        with suppress(InputError, OSError):
            step, _ = _read_step(path)
            if step.event == event:
                return True
    return False


def logged_id(folder: Path) -> str | None:
    """Return the event of the last step whose line the log has.

    "" where the log has no lines, or there are no steps. None where it has lines, and none of
    them is of a step.
    """
    path = folder / LOG
    text = path.read_bytes() if path.is_file() else b""
    lines = list[LogLine]()
    found = False
    for place in reversed(step_files(folder)):
        with suppress(InputError, OSError):
            step, _ = _read_step(place)
            if rows_text([log_line(step)]).encode() in text:
                return step.event
            lines = lines or log_lines(folder)
            if not lines or log_line(step) in lines:
                return step.event if lines else ""
            found = True
    return None if found else ""


def has_other_log(folder: Path, steps: Iterable[Step]) -> bool:
    """Return whether the log is of another event than these steps.

    It is where most of its lines that have the numbers of these steps have other times. (A damaged
    line keeps its time. Two events can have a time in common, where both began in one second.)
    """
    times = {step.number: step.time for step in steps}
    numbered = [line for line in log_lines(folder) if line.step in times]
    same = sum(times[line.step] == line.time for line in numbered)
    return 2 * same < len(numbered)


def draw_id() -> str:
    return os.urandom(8).hex()


def step_files(folder: Path) -> list[Path]:
    """The files of all steps, the first one first (programs that share folders leave copies)."""
    paths = (path for path in (folder / STEPS).glob("*.zip") if path.stem.isdecimal())
    return sorted(paths, key=lambda path: int(path.stem))


def _describe_other_edits(known: Files, now: Files) -> str:
    return ", ".join(name for name in FILES if known.get(name) != now.get(name))


def trail(steps: Sequence[Step], number: int | None = None) -> list[Step]:
    """The steps that made the files what they are (or were after a step), latest first."""
    every = {step.number: step for step in steps}
    at = (steps[-1] if number is None else every[number]).at if steps else 0
    found = []
    while at in every:
        found.append(every[at])
        at = every[at].parent
    return found


def digest_of(files: Files) -> str:
    """A digest of the files: the same as long as nothing in them has changed."""
    known = [
        (name, hashlib.sha256(files[name]).hexdigest())
        for name in FILES
        if name in files
    ]
    return hashlib.sha256(repr(known).encode()).hexdigest()[:32]


def proof_at_rest(folder: Path, name: str) -> bytes | None:
    """A proof as it is between two steps, None where it is not there."""
    with suppress(FileNotFoundError):
        if (content := proofs_in(folder / PENDING).get(name)) is not None:
            return content
    with suppress(OSError):
        return (folder / name).read_bytes()
    return None


@contextmanager
def journal(folder: Path) -> Iterator[Journal]:
    """The journal of a folder, and a step that was begun is finished; errors as `held`. What is
    told of that is in errors, too.
    """
    lines: list[Note] = []
    try:
        with held(folder) as kept:
            lines = kept.told
            kept.finish()
            yield kept
    except PairoptError as error:
        error.add(lines)
        raise


@contextmanager
def held(folder: Path) -> Iterator[Journal]:
    """The journal of a folder as it is; a second process waits for the first to be done. Raises
    UsageError where it does not end, or the folder cannot be written.
    """
    home = folder / HOME
    try:
        with writable(folder):
            home.mkdir(parents=True, exist_ok=True)
            with FileLock(home / "lock", timeout=PATIENCE):
                yield Journal(folder)
    except Timeout:
        raise UsageError("folder.held", folder=folder) from None


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """An error of the disk says what could not be written, what to do where it is the folder's, and
    which step is begun all the same. Raises UsageError.
    """
    try:
        yield
    except Timeout:
        raise
    except OSError as error:
        odd = isinstance(
            error, FileExistsError | IsADirectoryError | NotADirectoryError
        )
        kind = "folder.in_the_way" if odd else "folder.unwritable"
        said = UsageError(
            kind, folder=quote_for_shell(str(folder)), why=error.strerror or str(error)
        )
        with suppress(InputError):
            begun = read_step(folder / PENDING)[0]
            said.add(
                [with_heading(begun.named, message("step.begun"), name="step.begun")]
            )
        raise said from None


def pack_step(step: Step, files: Files) -> bytes:
    meta = {name: getattr(step, name) for name in Step.__slots__}
    did = {"kind": step.did.kind, "fields": {**step.did.fields}}
    return zip_files({META: json.dumps({**meta, "did": did}).encode(), **files})


def read_step(path: Path) -> tuple[Step, Files]:
    """A step that is kept, and the files after it. Raises InputError where it is damaged."""
    try:
        found = read_step_files(path, (META, *FILES).__contains__)
        meta = json.loads(found.pop(META))
        step = Step(did=Message(**meta.pop("did")), **meta)
        if not 0 <= step.parent < step.number or not 0 < step.at <= step.number:
            raise ValueError(f"step {step.number} on {step.parent}, at {step.at}")
        if not {type(step.event), type(step.verb), type(step.who), type(step.time)} == {
            str
        }:
            raise TypeError("it does not say whose it is")
        # no message of another kind, which a door may draw with more
        known = ENGLISH.sentence(step.did.kind) if KIND.fullmatch(step.did.kind) else ""
        of_a_step = known is None or (
            known and step.did.kind.startswith(("step.", FREE))
        )
        if not (of_a_step and log_line(step) and str(step.did)):
            raise ValueError("it does not say what was done")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise make_damaged_step_error(path, "it is not there") from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise make_damaged_step_error(path, error) from None
    return step, found


def _read_step(path: Path) -> tuple[Step, str]:
    """A step and the state of the files after it, read once: a page asks again and again."""
    now = path.stat()
    return _known_step(path, (now.st_mtime_ns, now.st_ino, now.st_size))


@lru_cache(maxsize=10_000)
def _known_step(path: Path, _written: tuple[int, ...]) -> tuple[Step, str]:
    step, files = read_step(path)
    return step, digest_of(files)


def proofs_in(path: Path) -> Files:
    return read_step_files(path, lambda name: PROOF.fullmatch(name) is not None)


def put(path: Path, content: bytes) -> None:
    """Write a file whole, durably, under a temporary name first."""
    move_into_place(write_temporary_files({path: content}))


def write_temporary_files(
    contents: Mapping[Path, bytes], room: Path | None = None
) -> dict[Path, Path]:
    """Files written whole and durably under temporary names, and their places; all or none. They
    wait in `room`, else beside their places, as those of links do: where these lead to.
    """
    waiting: dict[Path, Path] = {}
    try:
        for number, (path, content) in enumerate(contents.items()):
            linked = path.is_symlink()
            place = Path(os.path.realpath(path)) if linked else path
            beside = place.with_name(f".{place.name}.new")
            beside = room / f"{number}.new" if room and not linked else beside
            waiting[beside] = place
            with beside.open("wb") as out:
                out.write(content)
                out.flush()
                os.fsync(out.fileno())
    except OSError:
        _delete_temporary_files(waiting)
        raise
    return waiting


def move_into_place(waiting: Mapping[Path, Path]) -> None:
    """Put files that are prepared in their places; where that fails, none is left waiting."""
    try:
        for beside, place in waiting.items():
            beside.replace(place)
    except OSError:
        _delete_temporary_files(waiting)
        raise


def _delete_temporary_files(waiting: Iterable[Path]) -> None:
    for beside in waiting:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _restore_old_files(old: Mapping[Path, bytes | None]) -> None:
    for path, content in old.items():
        if content is None:
            if path.is_file():
                path.unlink()
        elif not path.is_file() or path.read_bytes() != content:
            put(path, content)


def log_line(step: Step) -> LogLine:
    cells = (
        escape_hidden(step.did.fields.get(name, "")) for name in LogLine._fields[4:]
    )
    return LogLine(step.number, step.time, step.who, step.verb, *cells)


def log_bytes(lines: Iterable[LogLine]) -> bytes:
    return csv_table(LogLine._fields, lines).encode()


def log_lines(folder: Path) -> list[LogLine]:
    """The lines of the log that are whole, whatever stands between them."""
    path = folder / LOG
    text = path.read_bytes().decode(errors="replace") if path.is_file() else ""
    found = list[LogLine]()
    for each in filter(LOGGED.match, text.splitlines()):
        with suppress(csv.Error):
            number, *cells = next(csv.reader([each]))
            if len(cells) == len(LogLine._fields) - 1:
                found.append(LogLine(int(number), *cells))
    return found
