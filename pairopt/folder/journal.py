"""Journal of an event folder: steps are written whole, and can be undone.

A step first writes all its files under temporary names, so that a full disk starts
nothing. Then `.pairopt/pending.zip` appears, and the step has begun: its files are
moved to their places, and the zip becomes `.pairopt/steps/NNNN.zip`. If something fails
in between, the old files come back. If that is impossible, too, the error says that the
step has begun. The next process that opens the folder finds the pending step of a
process that was killed, finishes it and says so.

Each zip holds the files as they are after the step, so that any step can be undone.
What somebody edited by hand in between becomes a step of its own. Proofs are large: a
zip has only those that its own step adds to the folder, and an undo finds them there.

Each step has the id in event.toml: no step of another event is ever read.
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
from pairopt.folder.fide_mode import AS_PLAYED, apply_mode, find_breaches, read_mode
from pairopt.folder.protected_facts import (
    SCORED,
    compare_facts,
    describe_changes,
    describe_step,
    read_facts,
)
from pairopt.messages import (
    ENGLISH,
    FREE,
    KIND,
    FieldValue,
    Message,
    Note,
    Passage,
    message,
    with_heading,
)
from pairopt.messages.formatting import escape_hidden, quote_for_shell

# Seconds to wait for another process that holds the lock.
PATIENCE = 10.0
# The beginning of a line of the log: its step and its date.
LOGGED = re.compile(r"[1-9][0-9]{0,8},[0-9]{4}-[0-9]{2}-[0-9]{2}T")
PROOF = re.compile(rf"{PROVEN}/round-[0-9]{{1,9}}\.json")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the journal: who did what and when, and on which earlier step.

    `number` counts from 1. `verb` is the command, and `did` the message on what it did:
    its fields are the cells of the log's columns, with the names that players had then.
    `time` is in ISO format. `at` is the step whose files the folder has after this one:
    its own number, or an earlier number for an undo. `parent` is the step on whose
    files it began, 0 for none. `event` is the id of its event, "" in folders that were
    made before events had one. `who` is the user or program, such as "by hand".
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
    def label(self) -> Passage:
        """The number of the step and what it did, as one note."""
        return with_heading(
            message("step.named", number=self.number), self.did, mark=", "
        )


def describe_finished_step(step: Step) -> Passage:
    """Return a note that a pending step, begun by an earlier process, is finished.

    The note begins with the step's number and what it did. Nothing is written.
    """
    return _with_step_label(step, "step.done_now")


def _with_step_label(step: Step, kind: str) -> Passage:
    """Return a note on a step: its label, and a message of this kind.

    `kind` is the id of a message with the field `step`. The field, the label as text,
    is for readers of the JSON form.
    """
    step_note = message(kind, step=str(step.label))
    return with_heading(step.label, step_note, name=kind)


class LogLine(NamedTuple):
    """A line of log.csv; the fields are its columns, in their order.

    `step`, `time`, `who` and `verb` say which step it was, by whom and by which
    command; players and their names are those that it concerns. `value` is what the
    step entered, and `before` is what was there before it. Columns that a step does not
    need are "".
    """

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
    """The journal of an event folder that this process has locked.

    `folder` is the event folder. `messages` collects notes for the user: a pending step
    that was finished, results that were edited outside of pairopt, and breaches of FIDE
    mode. `asks` is whether a step that breaks FIDE mode needs the user's consent.
    """

    folder: Path
    messages: list[Note] = field(default_factory=list, compare=False)
    asks: ClassVar[bool] = True

    def files(self) -> Files:
        """Read the event's files as they are in the folder now, by their names.

        Files that are not there are left out. Proofs and the log are not among them.
        """
        return read_folder_files(self.folder)

    def steps(self) -> list[Step]:
        """Read all finished steps, in the order of their numbers.

        Raise InputError if one is damaged or of another event.
        """
        journal_owner = find_owner(self.folder)
        return [
            journal_owner.read(step_path)[0]
            for step_path in list_step_files(self.folder)
        ]

    def last(self) -> Step | None:
        """Read the last finished step; None in a folder without steps.

        Raise InputError if it is damaged or of another event.
        """
        step_paths = list_step_files(self.folder)
        if not step_paths:
            return None
        return find_owner(self.folder).read(step_paths[-1])[0]

    def since(self, state: str) -> Iterator[tuple[Step, Files]]:
        """Yield the last step that left the files in this state, and all later steps.

        Each step comes with the files after it. `state` is the digest of the event's
        files, 32 hexadecimal digits. If no step left this state, nothing is yielded.
        Raise InputError if a step is damaged.
        """
        journal_owner = find_owner(self.folder)
        step_paths = list_step_files(self.folder)
        index_of_first_step = len(step_paths)
        for step_index in reversed(range(len(step_paths))):
            if _read_step(step_paths[step_index])[1] == state:
                index_of_first_step = step_index
                break
        for step_path in step_paths[index_of_first_step:]:
            yield journal_owner.read(step_path)

    def commit(self, verb: str, did: Message, changes: Files) -> Step:
        """Write changed files as one step, after a step for edits by hand.

        `verb` is the command, and `did` describes the step in the log. `changes` has
        the new contents by file name, proofs among them (b"" deletes a proof). If
        somebody edited the files since the last step, these edits become a step of
        their own first. Return the step. Raise InvariantError if the command may not
        make these changes, and ConfirmationError if they break FIDE mode without
        consent; edits by hand have become a step even then.
        """
        files_before = self.files()
        last_step = self._record_outside_edits(files_before)
        return self._make_step(
            verb, did, files_before, {**files_before, **changes}, last_step
        )

    def add_file(self, name: str, content: bytes) -> None:
        """Write a file into the folder that belongs to no step, such as a model.

        `name` is its path in the folder, and `content` its bytes. A file of this name
        is replaced. Raise OSError if the disk fails.
        """
        write_file(self.folder / name, content)

    def commit_recovery(self, contents: Mapping[str, bytes | None]) -> Step:
        """Replace damaged files (None: delete the file), then log that as one step.

        `contents` are by file name, and the step of the command "mend" is returned.
        Each file is replaced by itself. The damaged contents become no step, so that no
        undo leads back to them.
        """
        files_before = self.files()
        new_contents = {
            file_name: file_content
            for file_name, file_content in contents.items()
            if file_content is not None
        }
        for file_name in contents:
            (self.folder / file_name).parent.mkdir(exist_ok=True)
        with write_lock():
            new_content_by_path = {
                self.folder / file_name: file_content
                for file_name, file_content in new_contents.items()
            }
            move_into_place(
                write_temporary_files(new_content_by_path, self.folder / HOME)
            )
            for file_name in contents.keys() - new_contents.keys():
                (self.folder / file_name).unlink(missing_ok=True)

        recovered_files = {**self.files(), **new_contents}
        step_message = message("step.mend", value=", ".join(sorted(contents)))
        return self._make_step(
            "mend", step_message, files_before, recovered_files, self.last()
        )

    def undo(self, steps: int, to: int | None) -> tuple[Step | None, list[Note]]:
        """Go back by some steps, or to the files after the step `to`, as a new step.

        With `to`, `steps` does not matter. The files are written, proofs included.
        Edits by hand become a step of their own first. Return the new step (None if the
        files are the same already), and a line for each step that is undone or done
        again. Raise UsageError if there are fewer steps, or no such step.
        """
        files_before = self.files()
        last_step = self._record_outside_edits(files_before)
        all_steps = self.steps()
        if last_step is not None and last_step not in all_steps:
            # A dry run writes no step for the edits by hand.
            all_steps.append(last_step)

        steps_of_current_files = trace_steps(all_steps)
        if to is None and len(steps_of_current_files) <= steps:
            has_step_to_undo = len(steps_of_current_files) > 1
            error_message_id = (
                "step.few_to_undo" if has_step_to_undo else "step.nothing_to_undo"
            )
            raise UsageError(
                error_message_id,
                folder=self.folder,
                steps=len(steps_of_current_files) - 1,
            )
        target_number = steps_of_current_files[steps].number if to is None else to
        if target_number not in {step.number for step in all_steps}:
            raise UsageError("step.unknown", number=target_number)

        steps_of_target_files = trace_steps(all_steps, target_number)
        undone_steps = [
            step for step in steps_of_current_files if step not in steps_of_target_files
        ]
        redone_steps = [
            step
            for step in steps_of_target_files[::-1]
            if step not in steps_of_current_files
        ]
        step_notes: list[Note] = [
            with_heading(message("step.undone"), step.label) for step in undone_steps
        ]
        step_notes += [
            with_heading(message("step.again"), step.label) for step in redone_steps
        ]
        if not step_notes:
            return None, [message("step.there_already", number=target_number)]

        undone_numbers = " ".join(str(step.number) for step in undone_steps)
        step_message = message("step.undo", value=target_number, before=undone_numbers)
        number_of_step_with_files = next(
            step.at for step in all_steps if step.number == target_number
        )
        current_proofs = self._read_trail_proofs(steps_of_current_files)
        target_proofs = self._read_trail_proofs(steps_of_target_files)
        changed_proofs = {
            proof_name: target_proofs.get(proof_name, b"")
            for proof_name in current_proofs | target_proofs
            if current_proofs.get(proof_name) != target_proofs.get(proof_name)
        }
        files_to_restore = {
            **self._read_state(number_of_step_with_files),
            **changed_proofs,
        }
        return self._make_step(
            "undo",
            step_message,
            files_before,
            files_to_restore,
            last_step,
            number_of_step_with_files,
        ), step_notes

    def _record_outside_edits(self, files: Files) -> Step | None:
        """Return the last step, after a new one if the files were edited since.

        A folder without steps gets its first step, for the files that it has; without
        files, too, None is returned. Files that lost nothing but the id of the event
        become a step as well.
        """
        last_step = self.last()
        recorded_files = self._read_state(last_step.number) if last_step else {}
        has_lost_id = recorded_files == files and not read_identity(
            files.get(EVENT, b"")
        )
        if last_step is None or has_lost_id:
            if not files:
                return None
            return self._make_step(
                "found", message("step.found"), recorded_files, files, last_step
            )
        if recorded_files == files:
            return last_step

        self.messages.extend(self.describe_outside_changes(files))
        changed_file_names = _list_changed_files(recorded_files, files)
        step_message = message("step.edited_by_hand", value=changed_file_names)
        return self._make_step(
            "edited by hand", step_message, recorded_files, files, last_step
        )

    def describe_outside_changes(self, files: Files) -> Sequence[Note]:
        """Describe which results were edited outside of pairopt since the last step.

        `files` are the files as they are now, by name. The notes also name the command
        that brings the results back, and say how the edits break FIDE mode. There are
        none if no file differs, or there is no step. Raise InputError if a step is
        damaged. Nothing is written.
        """
        last_step = self.last()
        if last_step is None:
            return ()
        recorded_files = self._read_state(last_step.number)
        if recorded_files == files:
            return ()

        lost_results = [
            lost_result
            for lost_result in compare_facts(
                read_facts(recorded_files), read_facts(files)
            )
            if lost_result.before and lost_result.before.kind in SCORED
        ]
        outside_notes: list[Note] = []
        if lost_results:
            changed_file_names = _list_changed_files(recorded_files, files)
            change_notes = describe_changes(lost_results, recorded_files, files)
            fields_of_undo_note: dict[str, FieldValue] = {
                "number": last_step.number,
                "folder": quote_for_shell(str(self.folder)),
            }
            # JSON has had all of these fields in one message since version 1.0.
            heading_note = message(
                "hand.taken",
                files=changed_file_names,
                facts=[*map(str, change_notes)],
                **fields_of_undo_note,
            )
            note_on_undo_command = message("hand.way_back", **fields_of_undo_note)
            changes_note = with_heading(heading_note, *change_notes)
            outside_notes.append(
                with_heading(changes_note, note_on_undo_command, mark=". ")
            )
        outside_notes += [
            breach.told for breach in find_breaches(recorded_files, files)
        ]
        return outside_notes

    def _read_state(self, number: int) -> Files:
        """Read the event's files as they were after the step with this number.

        Raise InputError if the step is damaged or not there.
        """
        return find_owner(self.folder).read(self.path(number))[1]

    def path(self, number: int) -> Path:
        """Return the path of the zip of a finished step.

        `number` is the number of the step. The file need not exist.
        """
        return self.folder / STEPS / f"{number:04d}.zip"

    def find_last_step(self, round: int, *verbs: str) -> tuple[Step, Files] | None:
        """Find the last step of these commands on a round, with the files after it.

        Only steps count that the current files come from; damaged ones are skipped. If
        none of them is of these commands and on this round, the first of all of them is
        returned instead. None if no intact step is left.
        """
        steps_of_current_files = self._trace_intact_steps()
        matching_steps = [
            step_of_files
            for step_of_files in steps_of_current_files
            if step_of_files.verb in verbs
            and step_of_files.did.fields.get("round") == round
        ]
        steps_to_choose_from = matching_steps or steps_of_current_files[-1:]
        if not steps_to_choose_from:
            return None
        return steps_to_choose_from[0], self._read_state(steps_to_choose_from[0].number)

    def find_pairing_steps(self, round: int) -> list[tuple[Step, Files]]:
        """Find the steps that paired or re-paired a round, the first one first.

        Each comes with the files after it. Only steps count that the current files come
        from. Damaged steps are skipped.
        """
        pairing_steps = [
            step
            for step in self._trace_intact_steps()
            if step.verb in ("pair", "repair") and step.did.fields.get("round") == round
        ]

        steps_and_files = []
        for step in reversed(pairing_steps):
            with suppress(InputError, OSError):
                steps_and_files.append((step, self._read_state(step.number)))
        return steps_and_files

    def _trace_intact_steps(self) -> list[Step]:
        """Return the intact steps that the current files come from, latest first.

        Steps that were undone are left out, and so are steps of other events.
        """
        journal_owner = find_owner(self.folder)
        return trace_steps(
            [
                intact_step
                for intact_step in self._read_intact_steps()
                if journal_owner.has(intact_step)
            ]
        )

    def _read_trail_proofs(self, trail: Sequence[Step]) -> dict[str, bytes]:
        """Read the proofs after the steps of a trail (latest first), by their names.

        A deleted proof is b"".
        """
        proofs_of_trail: dict[str, bytes] = {}
        for step_of_trail in reversed(trail):
            # A step of a dry run has no file.
            with suppress(OSError):
                proofs_of_trail |= read_proofs(self.path(step_of_trail.number))
        return proofs_of_trail

    def _make_step(
        self,
        verb: str,
        did: Message,
        before: Files,
        files: Files,
        last: Step | None,
        at: int | None = None,
    ) -> Step:
        """Build and write the next step, which turns the files `before` into `files`.

        `verb` is the command, and `did` describes the step in the log. `last` is the
        step before it. `at` is the number of the step whose files an undo brings back;
        by default that of the new step. Notes on breaches of FIDE mode are added to
        `messages`. Raise InvariantError if the command may not make these changes, and
        ConfirmationError if they break FIDE mode without consent.
        """
        is_last_step_stored = last is not None and self.path(last.number).is_file()
        recorded_files = before
        if last is not None and is_last_step_stored:
            recorded_files = self._read_state(last.number)

        files, breaches = apply_mode(verb, recorded_files, files, self.asks)
        # Outside of FIDE mode, a mark such as that of a change by hand breaks nothing.
        if read_mode(recorded_files).fide or read_mode(files).fide:
            self.messages.extend(
                breach.told
                for breach in breaches
                # The command itself says how a round was played, and what was before.
                if breach.kind != AS_PLAYED and breach.told not in self.messages
            )
        did = describe_step(verb, did, before, files)
        if any(breach.asks > 1 for breach in breaches):
            value_text_with_mode = f"{did.fields.get('value', '')}; FIDE mode is left"
            value_text_with_mode = value_text_with_mode.removeprefix("; ")
            message_fields = {
                **did.fields,
                "did": str(did),
                "value": value_text_with_mode,
            }
            did = Message("step.leaving", message_fields)

        number_of_last_step = 0 if last is None else last.number
        step_number = 1 + max(number_of_last_step, *self._list_used_numbers())
        event_toml = files.get(EVENT, b"")
        event_id = (
            find_event_id(self.folder) or read_identity(event_toml) or draw_event_id()
        )
        step = Step(
            step_number,
            verb,
            did,
            time=datetime.now().astimezone().isoformat(timespec="seconds"),
            at=step_number if at is None else at,
            parent=0 if last is None else last.at,
            event=event_id,
            who="by hand" if verb == "edited by hand" else ACTOR.get(),
        )
        if event_toml:
            files = {**files, EVENT: with_event_id(event_toml, event_id)}
        self._write_step(step, files)
        return step

    def _list_used_numbers(self) -> Iterator[int]:
        """Yield 0, then all step numbers that file names or lines of the log use.

        They are in no order, and may repeat. A file whose name has no number gives 0.
        """
        yield 0
        for step_path in (self.folder / STEPS).glob("*.zip"):
            number_match = re.match(r"[0-9]{1,9}", step_path.name)
            yield int(number_match[0]) if number_match else 0
        for log_line in read_log_lines(self.folder):
            yield log_line.step

    def _write_step(self, step: Step, files: Files) -> None:
        """Write a step and put its files in their places: all of them, or none.

        If the disk fails, the old files come back and the OSError is raised. If they
        cannot come back, the step stays pending.
        """
        (self.folder / STEPS).mkdir(parents=True, exist_ok=True)
        pending_path = self.folder / PENDING
        with write_lock():
            content_by_path, deleted_paths = self._plan_writes(
                step, files, self.files()
            )
            old_contents = {
                changed_path: changed_path.read_bytes()
                if changed_path.is_file()
                else None
                for changed_path in (*content_by_path, *deleted_paths)
            }
            temporary_files = write_temporary_files(
                {pending_path: pack_step(step, files), **content_by_path},
                self.folder / HOME,
            )
            try:
                move_into_place(temporary_files)
                self._close_step(step, deleted_paths)
            except OSError:
                # If the old files cannot come back, the step stays pending.
                with suppress(OSError):
                    _restore_old_files(old_contents)
                    pending_path.unlink(missing_ok=True)
                raise

    def finish(self) -> None:
        """Finish a pending step, and add a message about it; do nothing without one.

        Raise InputError if the step is damaged, or there is a finished step of its
        number.
        """
        pending_path = self.folder / PENDING
        if not pending_path.exists():
            return
        step, files_after_step = find_owner(self.folder).read(pending_path)
        if self.path(step.number).exists():
            raise make_damaged_step_error(
                pending_path, f"step {step.number} is there already"
            )

        files_before = self._read_state(step.parent) if step.parent else {}
        with write_lock():
            files_with_proofs = {**files_after_step, **read_proofs(pending_path)}
            content_by_path, deleted_paths = self._plan_writes(
                step, files_with_proofs, files_before
            )
            move_into_place(write_temporary_files(content_by_path, self.folder / HOME))
            self._close_step(step, deleted_paths)
        self.messages.append(describe_finished_step(step))

    def _close_step(self, step: Step, deleted: Iterable[Path]) -> None:
        """Delete the files that a step deletes, and store its zip as finished.

        `deleted` are the paths to delete; files that are gone already are skipped. The
        zip of the pending step is moved to the place of the step's number. After that
        the step is no longer pending.
        """
        for deleted_path in deleted:
            with suppress(NotADirectoryError):
                deleted_path.unlink(missing_ok=True)
        step_path = self.path(step.number)
        # A copy of an event folder may lack the folder of steps.
        step_path.parent.mkdir(exist_ok=True)
        (self.folder / PENDING).replace(step_path)

    def _plan_writes(
        self, step: Step, files: Files, before: Files
    ) -> tuple[dict[Path, bytes], list[Path]]:
        """Return which files a step writes, with their contents, and which it deletes.

        `files` are the event's files after the step with its proofs, by name; `before`
        are the files before the step. Files that differ from `before` on the disk stay
        as they are: this step has written them already, or somebody has edited them,
        which the next step records. The log is always written.

        Proofs are always written, and one that is b"" is deleted. Their folder is made
        if it is needed; if a file has its name, no proof is written.
        """
        present_files = self.files()
        untouched_names = [
            file_name
            for file_name in FILES
            if present_files.get(file_name) == before.get(file_name)
        ]
        content_by_name = {
            file_name: files[file_name]
            for file_name in untouched_names
            if file_name in files and files[file_name] != present_files.get(file_name)
        }
        proof_names = [file_name for file_name in files if PROOF.fullmatch(file_name)]
        deleted_names = [
            file_name
            for file_name in untouched_names
            if file_name in present_files and file_name not in files
        ]
        deleted_names += [
            file_name for file_name in proof_names if not files[file_name]
        ]

        # A file with the name of the folder of proofs belongs to the organiser.
        with suppress(FileExistsError):
            for file_name in proof_names:
                if files[file_name]:
                    (self.folder / file_name).parent.mkdir(exist_ok=True)
                    content_by_name[file_name] = files[file_name]
        content_by_name[LOG] = self._build_log(step)
        return (
            {
                self.folder / file_name: file_content
                for file_name, file_content in content_by_name.items()
            },
            [self.folder / file_name for file_name in deleted_names],
        )

    def _build_log(self, step: Step) -> bytes:
        """Return the content of log.csv with a line for the step added.

        It is unchanged if its last line has the step's number. A log that is not there,
        or empty, is written again from all intact steps.

        Raises
        ------
        InputError
            The log is of another event.
        """
        log_path = self.folder / LOG
        log_content = log_path.read_bytes() if log_path.exists() else b""
        if not log_content.strip():
            earlier_lines = [
                build_log_line(earlier_step)
                for earlier_step in self._read_intact_steps()
            ]
            return format_log([*earlier_lines, build_log_line(step)])

        self._require_own_log(log_content)
        number_in_last_line = log_content.splitlines()[-1].split(b",")[0]
        if number_in_last_line == str(step.number).encode():
            return log_content
        if not log_content.endswith(b"\n"):
            log_content += b"\n"
        return log_content + rows_text([build_log_line(step)]).encode()

    def _require_own_log(self, log: bytes) -> None:
        """Raise InputError if the log is of another event than the steps.

        `log` is the content of log.csv. If it has the line of the last intact step, or
        there are no steps, it is the folder's own.
        """
        step_paths = list_step_files(self.folder)

        # Reading every step takes long: most logs have the line of the last one.
        with suppress(InputError, OSError):
            last_step = _read_step(step_paths[-1])[0] if step_paths else None
            if (
                last_step is None
                or rows_text([build_log_line(last_step)]).encode() in log
            ):
                return

        if has_other_log(self.folder, self._read_intact_steps()):
            log_path = self.folder / LOG
            raise InputError(
                str(log_path), "file.of_another", make_recovery_hint(self.folder)
            )

    def _read_intact_steps(self) -> Iterator[Step]:
        """Yield all steps that can be read, of any event, by ascending number."""
        for step_path in list_step_files(self.folder):
            with suppress(InputError, OSError):
                yield _read_step(step_path)[0]


class DryRunJournal(Journal):
    """A journal that writes nothing and asks for no consent, for dry runs.

    Steps are built as in `Journal`, with the same errors.
    """

    asks = False

    def add_file(self, name: str, content: bytes) -> None:
        """Write no file, because this is a dry run; `name` and `content` are ignored.

        No error is raised.
        """

    def _write_step(self, step: Step, files: Files) -> None:
        """Write no step, because this is a dry run; `step` and `files` are ignored.

        No error is raised.
        """


class JournalOwner:
    """The event that a folder belongs to: it tells its steps from those of others.

    `event` is the id of that event, "" if no file has an id, and None if no step is its
    own. Steps that were made before events had an id may be its own, too.
    """

    def __init__(self, folder: Path, event: str | None) -> None:
        self._folder = folder
        self._event = event

    def has(self, step: Step) -> bool:
        """Return whether a step belongs to the folder's event.

        A step without an id does if it comes before the first step with the event's id.
        """
        if step.event == self._event:
            return True
        return not step.event and step.number < self._first_number_with_id

    def read(self, path: Path) -> tuple[Step, Files]:
        """Read a step and the files after it; it has to be of this event.

        `path` is the zip of the step. Raise InputError if it is damaged, not there, or
        of another event.
        """
        step, files_after_step = read_step(path)
        if not self.has(step):
            raise make_damaged_step_error(path, message("file.of_another"))
        return step, files_after_step

    @cached_property
    def _first_number_with_id(self) -> int:
        """The number of the first step with an id, or 0 if that is another event's.

        It is 0, too, if no step has an id.
        """
        for step_path in (*list_step_files(self._folder), self._folder / PENDING):
            with suppress(InputError, OSError):
                intact_step, _ = _read_step(step_path)
                if intact_step.event:
                    return intact_step.number if intact_step.event == self._event else 0
        return 0


def find_owner(folder: Path) -> JournalOwner:
    """Return the event that a folder belongs to; it tells its own steps from others.

    Its id comes from event.toml, the log or the steps, whichever can be trusted. The id
    is "" if no file has one, and None if no step is the folder's own because the files
    are of two events.
    """
    return JournalOwner(folder, find_event_id(folder))


def find_event_id(folder: Path) -> str | None:
    """Find the id of the event that a folder belongs to.

    event.toml says it, and one intact step of that id is enough to confirm it: a log of
    another event counts as damage then. If event.toml is damaged, or has no id, the log
    decides, which has a line for each step. A folder with nothing but a journal belongs
    to the event of the journal.

    Returns
    -------
    str or None
        "" if no file has an id. None if event.toml and the log are of two events, and
        no intact step is of the event in event.toml: then no step is the folder's own.
    """
    event_toml_path = folder / EVENT
    event_toml = event_toml_path.read_bytes() if event_toml_path.is_file() else b""
    id_in_log = find_logged_event_id(folder)

    if id_in_event_toml := read_identity(event_toml):
        is_confirmed = id_in_log in ("", id_in_event_toml) or _has_intact_step(
            folder, id_in_event_toml
        )
        return id_in_event_toml if is_confirmed else None

    # The rest of event.toml is damaged.
    if (id_in_event_toml := find_identity_line(event_toml)) and _has_intact_step(
        folder, id_in_event_toml
    ):
        return id_in_event_toml

    has_only_journal = not any(
        (folder / file_name).is_file() for file_name in (*FILES, LOG)
    )
    with suppress(InputError):
        pending_step, files_of_step = read_step(folder / PENDING)
        event_toml_with_id = with_event_id(event_toml, pending_step.event)
        if has_only_journal or (
            event_toml and event_toml_with_id == files_of_step.get(EVENT)
        ):
            return pending_step.event
    if has_only_journal and (step_paths := list_step_files(folder)):
        with suppress(InputError, OSError):
            return _read_step(step_paths[-1])[0].event
    return id_in_log


def _has_intact_step(folder: Path, event: str) -> bool:
    """Return whether a finished step of this event can be read.

    `event` is the event's id; damaged steps are skipped.
    """
    for step_path in list_step_files(folder):
        with suppress(InputError, OSError):
            intact_step, _ = _read_step(step_path)
            if intact_step.event == event:
                return True
    return False


def find_logged_event_id(folder: Path) -> str | None:
    """Return the event id of the last step that the log has a line for.

    It is "" if the log has no intact lines, or no step can be read. It is None if the
    log has lines, but none of a step.
    """
    log_path = folder / LOG
    log_content = log_path.read_bytes() if log_path.is_file() else b""
    log_lines = list[LogLine]()
    has_readable_step = False
    for step_path in reversed(list_step_files(folder)):
        with suppress(InputError, OSError):
            intact_step, _ = _read_step(step_path)
            if rows_text([build_log_line(intact_step)]).encode() in log_content:
                return intact_step.event
            log_lines = log_lines or read_log_lines(folder)
            if not log_lines or build_log_line(intact_step) in log_lines:
                return intact_step.event if log_lines else ""
            has_readable_step = True
    return None if has_readable_step else ""


def has_other_log(folder: Path, steps: Iterable[Step]) -> bool:
    """Return whether the log is of another event than these steps.

    It is if more than half of its lines with the numbers of these steps have other
    times. A damaged line keeps its time. Two events can have a time in common if both
    began in the same second.
    """
    time_by_step = {known_step.number: known_step.time for known_step in steps}
    log_lines_of_steps = [
        log_line for log_line in read_log_lines(folder) if log_line.step in time_by_step
    ]
    count_with_same_time = sum(
        time_by_step[log_line.step] == log_line.time for log_line in log_lines_of_steps
    )
    return 2 * count_with_same_time < len(log_lines_of_steps)


def draw_event_id() -> str:
    """Return a random id for a new event, another one each time.

    It has 16 hexadecimal digits.
    """
    return os.urandom(8).hex()


def list_step_files(folder: Path) -> list[Path]:
    """List the paths of the zips of all finished steps, by ascending step number.

    Files whose names are no number are skipped: programs that share folders leave
    copies. It is empty without a journal.
    """
    paths_of_numbered_steps = (
        step_path
        for step_path in (folder / STEPS).glob("*.zip")
        if step_path.stem.isdecimal()
    )
    return sorted(paths_of_numbered_steps, key=lambda step_path: int(step_path.stem))


def _list_changed_files(before: Files, after: Files) -> str:
    """Return the names of the event's files that differ, joined by commas.

    `before` and `after` are two versions of the files, by name. A file that only one
    version has differs, too. The text is "" if none differs.
    """
    return ", ".join(
        file_name
        for file_name in FILES
        if before.get(file_name) != after.get(file_name)
    )


def trace_steps(steps: Sequence[Step], number: int | None = None) -> list[Step]:
    """Return the steps that made the files what they are, latest first.

    `steps` are all steps by ascending number; without any the list is empty. Steps that
    were undone are left out. With `number`: the steps that made the files what they
    were after the step of that number, which must be one of `steps`.
    """
    if not steps:
        return []
    step_by_number = {step.number: step for step in steps}
    end_step = steps[-1] if number is None else step_by_number[number]

    traced_steps = []
    number_to_trace = end_step.at
    while number_to_trace in step_by_number:
        traced_steps.append(step_by_number[number_to_trace])
        number_to_trace = step_by_number[number_to_trace].parent
    return traced_steps


def digest_files(files: Files) -> str:
    """Return a digest of the event's files: 32 hexadecimal digits of SHA-256.

    Files that belong to no event, such as the log and proofs, are ignored.
    """
    file_digests = [
        (file_name, hashlib.sha256(files[file_name]).hexdigest())
        for file_name in FILES
        if file_name in files
    ]
    return hashlib.sha256(repr(file_digests).encode()).hexdigest()[:32]


def read_proof_between_steps(folder: Path, name: str) -> bytes | None:
    """Read a proof as it will be once a pending step is finished.

    `name` is its path in the folder. It is None if there is no such file, and b"" if
    the pending step deletes it.
    """
    # A file in place of the journal's folder, or a folder in place of the step, is no
    # pending step.
    if (folder / PENDING).is_file():
        with suppress(FileNotFoundError):
            pending_content = read_proofs(folder / PENDING).get(name)
            if pending_content is not None:
                return pending_content
    with suppress(OSError):
        return (folder / name).read_bytes()
    return None


@contextmanager
def open_journal(folder: Path) -> Iterator[Journal]:
    """Lock the journal of a folder for the block, and finish a pending step first.

    It is a context manager. If the block raises a PairoptError, the journal's messages
    are added to it. Raise UsageError if another process holds the lock for more than
    `PATIENCE` seconds, or the folder cannot be written, and InputError for a damaged
    pending step.
    """
    journal_notes: list[Note] = []
    try:
        with lock_journal(folder) as journal:
            journal_notes = journal.messages
            journal.finish()
            yield journal
    except PairoptError as error:
        error.add(journal_notes)
        raise


@contextmanager
def lock_journal(folder: Path) -> Iterator[Journal]:
    """Lock the journal of a folder as it is, for the block; others have to wait.

    It is a context manager that makes the journal's folder if it is missing, and
    finishes no pending step. Raise UsageError if another process holds the lock for
    more than `PATIENCE` seconds, or the folder cannot be written.
    """
    journal_folder = folder / HOME
    try:
        with explain_disk_errors(folder):
            journal_folder.mkdir(parents=True, exist_ok=True)
            with FileLock(journal_folder / "lock", timeout=PATIENCE):
                yield Journal(folder)
    except Timeout:
        raise UsageError("folder.held", folder=folder) from None


@contextmanager
def explain_disk_errors(folder: Path) -> Iterator[None]:
    """Raise UsageError instead of an OSError in the block that writes a folder.

    It is a context manager. The error says what could not be written to `folder`. If a
    step is pending then, it also says that this step has begun. Timeout, of a lock that
    others hold, is raised as it is.
    """
    try:
        yield
    except Timeout:
        raise
    except OSError as error:
        path_obstructions = FileExistsError | IsADirectoryError | NotADirectoryError
        is_obstructed = isinstance(error, path_obstructions)
        error_message_id = "folder.in_the_way" if is_obstructed else "folder.unwritable"
        shell_path = quote_for_shell(str(folder))
        usage_error = UsageError(
            error_message_id, folder=shell_path, why=error.strerror or str(error)
        )
        with suppress(InputError):
            pending_step = read_step(folder / PENDING)[0]
            usage_error.add([_with_step_label(pending_step, "step.begun")])
        raise usage_error from None


def pack_step(step: Step, files: Files) -> bytes:
    """Return the zip of a step as bytes: its fields as JSON, and the files after it.

    `files` are the event's files and the proofs by name.
    """
    step_record = {
        field_name: getattr(step, field_name) for field_name in Step.__slots__
    }
    message_record = {"kind": step.did.kind, "fields": {**step.did.fields}}
    return zip_files(
        {META: json.dumps({**step_record, "did": message_record}).encode(), **files}
    )


def read_step(path: Path) -> tuple[Step, Files]:
    """Read a step and the event's files after it, from its zip.

    `path` is the zip. Proofs in it are not read. Raise InputError if the zip is not
    there or damaged.
    """
    try:
        files_of_step = read_step_files(path, (META, *FILES).__contains__)
        step_record = json.loads(files_of_step.pop(META))
        step = Step(did=Message(**step_record.pop("did")), **step_record)
        _require_valid_step(step)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise make_damaged_step_error(path, "it is not there") from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise make_damaged_step_error(path, error) from None
    return step, files_of_step


def _require_valid_step(step: Step) -> None:
    """Raise ValueError or TypeError for a step with fields that no step can have.

    These are numbers that do not fit together, fields that are no text, and a message
    that no step has.
    """
    if not 0 <= step.parent < step.number or not 0 < step.at <= step.number:
        raise ValueError(f"step {step.number} on {step.parent}, at {step.at}")

    field_texts = (step.event, step.verb, step.who, step.time)
    if {type(field_text) for field_text in field_texts} != {str}:
        raise TypeError("it does not say whose it is")

    # Other kinds of messages may be formatted with more than text.
    message_id = step.did.kind
    known_sentence = (
        ENGLISH.find_sentence(message_id) if KIND.fullmatch(message_id) else ""
    )
    is_kind_of_step = message_id.startswith(("step.", FREE))
    has_known_kind = known_sentence is None or (known_sentence and is_kind_of_step)
    if not (has_known_kind and build_log_line(step) and str(step.did)):
        raise ValueError("it does not say what was done")


def _read_step(path: Path) -> tuple[Step, str]:
    """Read a step and the digest of the files after it.

    `path` is the zip of the step. It is cached until the file's time, inode or size
    changes, because pages ask often. Raise InputError if it is damaged, and OSError if
    it is not there.
    """
    file_status = path.stat()
    return _read_step_version(
        path, (file_status.st_mtime_ns, file_status.st_ino, file_status.st_size)
    )


@lru_cache(maxsize=10_000)
def _read_step_version(path: Path, _version: tuple[int, ...]) -> tuple[Step, str]:
    """Read a step and the digest of its files; the result is cached.

    `path` is the zip of the step. `_version` tells versions of the file apart: it is
    only part of the cache's key. Raise InputError if the zip is damaged.
    """
    step, files_of_step = read_step(path)
    return step, digest_files(files_of_step)


def read_proofs(path: Path) -> Files:
    """Read the proofs in the zip of a step, by their names in the folder.

    `path` is the zip. b"" stands for a proof that the step deletes. Raise OSError if
    the zip is not there, and InputError if it is damaged.
    """
    return read_step_files(path, lambda name: PROOF.fullmatch(name) is not None)


def write_file(path: Path, content: bytes) -> None:
    """Write a file, replacing an old one, such that it is never there half-written.

    `content` is written under a temporary name beside `path` first, and flushed to the
    disk. Raise OSError if the disk fails; the old file then stays.
    """
    move_into_place(write_temporary_files({path: content}))


def write_temporary_files(
    contents: Mapping[Path, bytes], directory: Path | None = None
) -> dict[Path, Path]:
    """Write files durably under temporary names, all or none of them.

    `contents` has the content of each file by its final place. The temporary files are
    in `directory`, by default beside their places. The one for a symbolic link is
    always beside the file that the link leads to. Return a mapping from each temporary
    file to its place. Raise OSError if the disk fails.
    """
    final_path_by_temporary: dict[Path, Path] = {}
    try:
        for file_number, (target_path, file_content) in enumerate(contents.items()):
            is_link = target_path.is_symlink()
            final_path = Path(os.path.realpath(target_path)) if is_link else target_path
            temporary_path = final_path.with_name(f".{final_path.name}.new")
            if directory and not is_link:
                temporary_path = directory / f"{file_number}.new"
            final_path_by_temporary[temporary_path] = final_path
            with temporary_path.open("wb") as temporary_file:
                temporary_file.write(file_content)
                temporary_file.flush()
                os.fsync(temporary_file.fileno())
    except OSError:
        _delete_temporary_files(final_path_by_temporary)
        raise
    return final_path_by_temporary


def move_into_place(waiting: Mapping[Path, Path]) -> None:
    """Move temporary files to their places, replacing what is there.

    `waiting` has the place of each temporary file. If a move fails, delete the
    temporary files that have not been moved, and raise the OSError.
    """
    try:
        for temporary_path, final_path in waiting.items():
            temporary_path.replace(final_path)
    except OSError:
        _delete_temporary_files(waiting)
        raise


def _delete_temporary_files(waiting: Iterable[Path]) -> None:
    """Delete temporary files as far as the disk allows it.

    `waiting` are their paths. Files that are gone already, or cannot be deleted, raise
    no error.
    """
    for temporary_path in waiting:
        with suppress(OSError):
            temporary_path.unlink(missing_ok=True)


def _restore_old_files(contents: Mapping[Path, bytes | None]) -> None:
    """Write old contents back where they differ; delete the files with None.

    `contents` has the old content by path. Raise OSError if the disk fails.
    """
    for file_path, old_content in contents.items():
        if old_content is None:
            if file_path.is_file():
                file_path.unlink()
        elif not file_path.is_file() or file_path.read_bytes() != old_content:
            write_file(file_path, old_content)


def build_log_line(step: Step) -> LogLine:
    """Return the line of the log for a step.

    The fields of its message that are named like columns of the log become its cells;
    other cells are empty. Hidden characters are escaped.
    """
    message_columns = LogLine._fields[4:]
    message_cells = (
        escape_hidden(step.did.fields.get(message_column, ""))
        for message_column in message_columns
    )
    return LogLine(step.number, step.time, step.who, step.verb, *message_cells)


def format_log(lines: Iterable[LogLine]) -> bytes:
    """Return the content of log.csv as UTF-8: its header, and these lines in order."""
    return csv_table(LogLine._fields, lines).encode()


def read_log_lines(folder: Path) -> list[LogLine]:
    """Read the intact lines of the log; damaged lines and the header are skipped.

    There are none if the folder has no log.
    """
    log_path = folder / LOG
    log_text = (
        log_path.read_bytes().decode(errors="replace") if log_path.is_file() else ""
    )
    log_lines = list[LogLine]()
    for text_line in filter(LOGGED.match, log_text.splitlines()):
        with suppress(csv.Error):
            step_number, *text_cells = next(csv.reader([text_line]))
            if len(text_cells) == len(LogLine._fields) - 1:
                log_lines.append(LogLine(int(step_number), *text_cells))
    return log_lines
