"""Recovery: make a damaged event folder intact again, and say what was done.

The invariant: after `mend` the results are some of those that the folder's own files
and steps had. They contain those of every intact source, except where another source
contradicts it. So the files of the last intact step replace the folder's files, as few
of them as are needed to read all as an event and to lose no result. If every choice
loses one, nothing is done and the error says why. No line is guessed, and no two files
are merged. If the log has another result than the files, and the step that entered it
is lost, nothing is done either, and the error asks which one is right.

Three things say whose a folder is: event.toml, the log and the steps.

- event.toml and one intact step of its event outvote the log: the log is written again.
- The log and its steps outvote an event.toml that no step confirms: it comes back from
  the steps.
- Steps of any other event are no source. They are set aside, unless that would lose
  results of players of this event: then nothing is done, and the error asks whose
  folder it is.
- If no line of the log is the line of a step, and the files have other players than the
  steps, nothing is done that would lose a result of the files.

What is damaged, or of another event, is kept under another name (`log.damaged.csv`), in
the same folder. Each change writes or moves one file as a whole, and the files of the
event are one step: if this process is killed, what is left can be recovered again.
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
    BRACKET,
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
from pairopt.folder.logged_results import compare_with_log, format_score
from pairopt.folder.open_folder import Done, read_folder_state, require_event_folder
from pairopt.folder.protected_facts import (
    SCORED,
    Facts,
    ProtectedFact,
    compare_facts,
    describe_changes,
    describe_facts,
    read_facts,
    read_player_rows,
)
from pairopt.messages import Located, Message, Note, Passage, message, with_heading
from pairopt.messages.formatting import quote_for_shell

NOTHING_TO_RECOVER = message("mend.nothing")
FEWEST_LINES = 2
"""A log needs so many lines to outvote event.toml: the first lines of two events that
began in the same second can be equal."""
PARKED = 900_000_000
"""Added to the number of a step in the name of the file where it waits for its own
place."""


@dataclass(frozen=True)
class _IntactStep:
    """A step of the journal that can be read, and what its file contains.

    `path` is the file. `files` are the event's files after the step, and `proofs` its
    proofs, both by name.
    """

    path: Path
    step: Step
    files: Files
    proofs: Files


@dataclass(frozen=True)
class _Steps:
    """The step files of a folder, by what they are.

    `own` has one file for each step of the folder's event, and `foreign` those of other
    events, both by path. `aside` has the files to set aside, each with a message that
    says why; foreign ones are among them.
    """

    own: Mapping[Path, _IntactStep]
    foreign: Mapping[Path, _IntactStep]
    aside: Mapping[Path, Message]


@dataclass(frozen=True)
class _DamageReport:
    """What is damaged in a folder, and what replaces it.

    - `said`: a message on each damage.
    - `aside`: step files to set aside.
    - `misplaced`: own steps in files of other numbers, with the places where they wait.
    - `steps`: the new contents of step files, by path.
    - `log`: the new log, None if it stays.
    - `files`: the event's files that change, proofs among them; None for one to delete.
    """

    said: tuple[Note, ...]
    aside: tuple[Path, ...]
    misplaced: Mapping[Path, Path]
    steps: Mapping[Path, bytes]
    log: bytes | None
    files: Mapping[str, bytes | None]


def mend(folder: str | Path) -> Done:
    """Recover a damaged event folder: its journal, its log, and the event's files.

    `mend` keeps every result that it finds in an undamaged file. `mend` does not change
    an intact folder.

    Parameters
    ----------
    folder : path
        The event folder.

    Returns
    -------
    Done
        What was damaged, and how it was recovered.

    Raises
    ------
    UsageError
        If the folder is not an event folder, or can't be written to.
    InputError
        If too few files are intact. In this case, `mend` changes nothing.
    """
    folder_path = require_event_folder(folder)
    found_obstructions = _find_obstructions(folder_path)
    has_pending = (folder_path / PENDING).exists()
    if (
        not found_obstructions
        and not has_pending
        and not _find_damage(folder_path).said
    ):
        intact_notes = (
            NOTHING_TO_RECOVER,
            *read_folder_state(folder_path).outside_changes,
        )
        return Done("mend", intact_notes, None)

    obstruction_notes: list[Note] = [
        message("mend.in_the_way", file=found_obstruction.relative_to(folder_path))
        for found_obstruction in found_obstructions
    ]
    with journals.explain_disk_errors(folder_path):
        for found_obstruction in found_obstructions:
            found_obstruction.replace(_choose_damaged_name(found_obstruction))
    with journals.lock_journal(folder_path) as journal:
        if _can_finish(journal):
            journal.finish()
        damage_report = _find_damage(folder_path)
        recovery_step = _write_recovery(journal, damage_report)
        notes_of_recovery = (*obstruction_notes, *journal.messages, *damage_report.said)
        event = build_event_from_files(journal.files(), folder_path)
        return Done(
            "mend",
            notes_of_recovery or (NOTHING_TO_RECOVER,),
            recovery_step.number if recovery_step else None,
            event,
        )


def preview_mend(folder: str | Path) -> Done:
    """Try `mend` on a copy of an event folder, and return what `mend` would do.

    Parameters
    ----------
    folder : path
        The event folder.

    Returns
    -------
    Done
        What `mend` would return for the folder, without a step and an event.

    Raises
    ------
    UsageError
        If the folder is not an event folder, or can't be read.
    InputError
        If too few files are intact.
    """
    folder_path = require_event_folder(folder)

    # The blank makes the copy's path appear in quotes where a command is named, and
    # without them elsewhere, whatever the folder's path is like.
    with tempfile.TemporaryDirectory(prefix="pairopt mend ") as temporary_folder:
        copied_folder = Path(temporary_folder, "event")
        try:
            shutil.copytree(
                folder_path,
                copied_folder,
                ignore=partial(_list_ignored_names, folder_path),
            )
        except OSError as error:
            disk_reason = error.strerror or str(error)
            raise UsageError(
                "folder.unreadable", path=folder_path, why=disk_reason
            ) from None

        path_replacements = {
            quote_for_shell(str(copied_folder.resolve())): quote_for_shell(
                str(folder_path)
            ),
            quote_for_shell(str(copied_folder)): quote_for_shell(str(folder_path)),
            str(copied_folder.resolve()): str(folder_path),
            str(copied_folder): str(folder_path),
        }
        try:
            mend_answer = mend(copied_folder)
        except PairoptError as error:
            error.said = tuple(
                _with_replaced_names(error_note, path_replacements)
                for error_note in error.said
            )
            if isinstance(error, InputError):
                error.source = _with_replaced_names(error.source, path_replacements)
                error.hint = _with_replaced_names(error.hint, path_replacements)
                error.args = (error.source, error.faults, error.hint)
            raise
    renamed_notes = tuple(
        _with_replaced_names(answer_note, path_replacements)
        for answer_note in mend_answer.said
    )
    return replace(mend_answer, said=renamed_notes, step=None, event=None)


def _with_replaced_names(value: Any, names: Mapping[str, str]) -> Any:
    """Return a message, or a value of one, with some texts in it replaced by others.

    `names` maps each text to its replacement. A path becomes a text. Values of other
    types are returned as they are.
    """
    if isinstance(value, Passage):
        return replace(value, messages=_with_replaced_names(value.messages, names))
    if isinstance(value, Located):
        replaced_parts = {
            part_name: _with_replaced_names(getattr(value, part_name), names)
            for part_name in value.__slots__
        }
        return Located(**replaced_parts)
    if isinstance(value, Message):
        message_fields = {
            field_name: _with_replaced_names(field_value, names)
            for field_name, field_value in value.fields.items()
        }
        return Message(value.kind, message_fields)
    if isinstance(value, tuple | list):
        return type(value)(
            _with_replaced_names(list_item, names) for list_item in value
        )
    if isinstance(value, str | Path):
        replaced_text = str(value)
        for original_text, replacement in names.items():
            replaced_text = replaced_text.replace(original_text, replacement)
        return replaced_text
    return value


def _list_ignored_names(folder: Path, directory: str, names: list[str]) -> list[str]:
    """Return the names in a directory that are not pairopt's: they are not copied.

    It is called by `shutil.copytree` for each directory. Only the event folder itself
    has such names; its subdirectories are copied whole.
    """
    own_names = {*FILES, LOG, HOME, PROVEN}
    return [
        entry_name
        for entry_name in names
        if Path(directory) == folder
        and entry_name not in own_names
        and not entry_name.endswith(".toml")
    ]


def _find_obstructions(folder: Path) -> list[Path]:
    """Return paths of folders where files have to be, and of files in place of folders.

    Folders come first. It is empty if everything can be read and written.
    """
    file_paths = (
        folder / entry_name for entry_name in (*FILES, LOG, PENDING, Path(HOME, "lock"))
    )
    folder_paths = (folder / entry_name for entry_name in (HOME, STEPS, PROVEN))
    return [
        *(entry_path for entry_path in file_paths if entry_path.is_dir()),
        *(entry_path for entry_path in folder_paths if entry_path.is_file()),
    ]


def _can_finish(journal: Journal) -> bool:
    """Return whether there is a pending step that any command could finish.

    `journal` is the journal of the folder. The step has to be intact and of the
    folder's event, with a number that no finished step has and an intact step that it
    was made on. The log may not be of another event.
    """
    journal_owner = journals.find_owner(journal.folder)
    pending_step = _read_intact_step(journal.folder / PENDING)
    if pending_step is None or not journal_owner.has(pending_step.step):
        return False
    if journal.path(pending_step.step.number).exists():
        return False

    step_paths = journals.list_step_files(journal.folder)
    finished_own_steps = [
        intact_step.step
        for intact_step in map(_read_intact_step, step_paths)
        if intact_step is not None and journal_owner.has(intact_step.step)
    ]
    if journals.has_other_log(journal.folder, finished_own_steps):
        return False

    if pending_step.step.parent == 0:
        return True
    parent_step = _read_intact_step(journal.path(pending_step.step.parent))
    return parent_step is not None and journal_owner.has(parent_step.step)


def _read_intact_step(path: Path) -> _IntactStep | None:
    """Read a step file with its proofs; None if it is damaged or not there.

    `path` is the zip of the step.
    """
    with suppress(InputError):
        step, files_after_step = journals.read_step(path)
        return _IntactStep(path, step, files_after_step, journals.read_proofs(path))
    return None


def _find_damage(folder: Path) -> _DamageReport:
    """Find out what is damaged in a folder, and what replaces it; nothing is written.

    The report has no messages for an intact folder.

    Raises
    ------
    InputError
        Too little is intact, or results would be lost.
    """
    journal = Journal(folder)
    damage_notes = list[Note]()
    id_of_folder = _decide_event_id(folder)
    sorted_steps = _sort_step_files(journal, JournalOwner(folder, id_of_folder))
    damage_notes.extend(sorted_steps.aside.values())

    step_contents = _relink_steps(journal, sorted_steps.own, damage_notes)
    new_log = _rebuild_log(folder, sorted_steps, damage_notes)
    try:
        new_content_by_changed_file = _choose_changed_files(
            folder, id_of_folder, sorted_steps.own, damage_notes
        )
    except InputError as error:
        ids_of_other_events = {
            foreign_step.step.event for foreign_step in sorted_steps.foreign.values()
        }
        ids_of_other_events.discard("")
        if not sorted_steps.own and len(ids_of_other_events) == 1:
            id_of_other_event = ids_of_other_events.pop()
            error.add(
                [message("mend.of_id", home=HOME, file=EVENT, id=id_of_other_event)]
            )
        elif id_of_folder and _has_other_id(folder, id_of_folder):
            error.add(
                [
                    message(
                        "mend.whose",
                        file=EVENT,
                        log=LOG,
                        home=HOME,
                        id=id_of_folder,
                    )
                ]
            )
        raise

    contents_after = {**read_folder_files(folder), **new_content_by_changed_file}
    files_after = {
        file_name: file_content
        for file_name, file_content in contents_after.items()
        if file_content is not None
    }
    _require_steps_kept(folder, sorted_steps, files_after)
    if id_of_folder:
        _require_files_kept(folder, id_of_folder, sorted_steps, files_after)
    if journals.find_logged_event_id(folder) in ("", None, id_of_folder):
        missing_note = _compare_files_with_log(folder, sorted_steps, files_after)
        # Without damage the files are as somebody left them.
        if missing_note is not None and damage_notes:
            damage_notes.append(missing_note)
    waiting_path_by_step_path = {
        step_path: folder / STEPS / f"{PARKED + intact_step.step.number}.zip"
        for step_path, intact_step in sorted_steps.own.items()
        if step_path not in (journal.path(intact_step.step.number), folder / PENDING)
    }
    return _DamageReport(
        tuple(damage_notes),
        tuple(sorted_steps.aside),
        waiting_path_by_step_path,
        step_contents,
        new_log,
        new_content_by_changed_file,
    )


def _decide_event_id(folder: Path) -> str | None:
    """Return the id of the event that this folder belongs to.

    It is "" if no file has an id, and None if no step confirms an id. The id in
    event.toml counts if a step has it or the log agrees. If the two are of different
    events, the id of the log counts if at least two whole lines are left in the log,
    and none contradicts a readable step of that id. A last line that may be cut off is
    ignored.
    """
    event_id = journals.find_event_id(folder)
    logged_id = journals.find_logged_event_id(folder)
    if event_id is not None or not logged_id:
        return event_id

    line_by_step = {}
    for intact_step in map(_read_intact_step, journals.list_step_files(folder)):
        if intact_step is not None and intact_step.step.event == logged_id:
            line_by_step[intact_step.step.number] = journals.build_log_line(
                intact_step.step
            )
    log_lines = journals.read_log_lines(folder)
    if not (folder / LOG).read_bytes().endswith(b"\n"):
        # The last line may be cut off.
        log_lines = log_lines[:-1]
    if len(log_lines) < FEWEST_LINES:
        return None
    is_confirmed = all(
        line_by_step.get(log_line.step, log_line) == log_line for log_line in log_lines
    )
    return logged_id if is_confirmed else None


def _has_other_id(folder: Path, event: str) -> bool:
    """Return whether event.toml has the id of another event than `event`.

    It is False if event.toml has no readable id.
    """
    event_toml = read_folder_files(folder).get(EVENT, b"")
    return read_identity(event_toml) not in ("", event)


def _sort_step_files(journal: Journal, owner: JournalOwner) -> _Steps:
    """Read all step files of a folder, the pending one too, and sort them by event.

    `journal` is the journal of the folder, and `owner` tells the folder's own steps
    from those of other events. Own steps come in the order of their numbers. Damaged
    files, steps of other events, and second copies of a step are to be set aside, each
    with a message that says why. Nothing is moved.
    """
    folder_path = journal.folder
    pending_path = folder_path / PENDING
    step_paths = journals.list_step_files(folder_path)
    if pending_path.is_file():
        step_paths.append(pending_path)

    own_by_number = dict[int, _IntactStep]()
    foreign_by_path = dict[Path, _IntactStep]()
    reason_by_path = dict[Path, Message]()

    # Steps in their own places come first: another file with such a step is a
    # second one.
    intact_by_path = {}
    for step_path in step_paths:
        intact_step = _read_intact_step(step_path)
        if intact_step is not None:
            intact_by_path[step_path] = intact_step
    paths_in_place = [
        step_path
        for step_path, intact_step in intact_by_path.items()
        if step_path == journal.path(intact_step.step.number)
    ]
    for step_path in sorted(
        step_paths, key=lambda step_path: step_path not in paths_in_place
    ):
        relative_path = step_path.relative_to(folder_path)
        intact_step = intact_by_path.get(step_path)
        if intact_step is None:
            reason_by_path[step_path] = message("mend.damaged", file=relative_path)
        elif not owner.has(intact_step.step):
            foreign_by_path[step_path] = intact_step
            reason_by_path[step_path] = message("mend.foreign", file=relative_path)
        elif intact_step.step.number in own_by_number:
            reason_by_path[step_path] = message(
                "mend.second", file=relative_path, **_build_step_fields(intact_step)
            )
        else:
            own_by_number[intact_step.step.number] = intact_step

    reasons_in_order = {
        step_path: reason_by_path[step_path]
        for step_path in step_paths
        if step_path in reason_by_path
    }
    own_by_path = {
        own_by_number[step_number].path: own_by_number[step_number]
        for step_number in sorted(own_by_number)
    }
    return _Steps(own_by_path, foreign_by_path, reasons_in_order)


def _relink_steps(
    journal: Journal, own: Mapping[Path, _IntactStep], notes: list[Note]
) -> dict[Path, bytes]:
    """Return new contents of step files by path, and add notes on them.

    `own` are the steps of the folder's event, by the paths of their files. Steps that
    stay as they are have no new content. A step whose parent is lost gets the last
    intact step before it as its parent, or 0 without one. An undo that brought back the
    files of a lost step becomes a step with files of its own, which it contains. A step
    that is not in its own place gets its place. Nothing is written.
    """
    numbers_of_known_steps = [
        0,
        *(intact_step.step.number for intact_step in own.values()),
    ]
    content_by_path = dict[Path, bytes]()
    for step_path, intact_step in own.items():
        step = intact_step.step
        parent_number = step.parent
        if parent_number not in numbers_of_known_steps:
            parent_number = max(
                number_of_known_step
                for number_of_known_step in numbers_of_known_steps
                if number_of_known_step < step.number
            )
        number_of_step_with_files = (
            step.at if step.at in numbers_of_known_steps else step.number
        )
        relinked_step = replace(
            step, parent=parent_number, at=number_of_step_with_files
        )

        own_path = journal.path(step.number)
        if relinked_step == step and step_path == own_path:
            continue
        content_by_path[own_path] = journals.pack_step(
            relinked_step, {**intact_step.files, **intact_step.proofs}
        )
        if relinked_step != step:
            notes.append(message("mend.parent_lost", **_build_step_fields(intact_step)))
        elif step_path.name == PENDING.name:
            notes.append(journals.describe_finished_step(step))
        else:
            relative_path = step_path.relative_to(journal.folder)
            step_fields = _build_step_fields(intact_step)
            notes.append(message("mend.misplaced", file=relative_path, **step_fields))
    return content_by_path


def _build_step_fields(intact: _IntactStep) -> dict[str, int | str]:
    """Return the fields that name the step `intact` in a note: `number` and `step`.

    The latter is its label as text. It is in no sentence, but JSON has had it since
    version 1.0.
    """
    return {"number": intact.step.number, "step": str(intact.step.label)}


def _rebuild_log(folder: Path, steps: _Steps, notes: list[Note]) -> bytes | None:
    """Return the log with a line for each own step; None if it is so already.

    `steps` are the step files of the folder. The line of a lost step stays if the log
    has it, unless the log is of another event. What is wrong with the present log is
    added to `notes`. Nothing is written.
    """
    present_lines = journals.read_log_lines(folder)
    if _has_other_log(folder, steps):
        notes.append(message("mend.foreign", file=LOG))

    new_lines = _list_log_lines(folder, steps)
    log_path = folder / LOG
    log_content = log_path.read_bytes() if log_path.is_file() else b""
    nonempty_log_lines = [
        raw_log_line
        for raw_log_line in log_content.splitlines()
        if raw_log_line.strip()
    ]
    has_header = nonempty_log_lines[:1] == journals.format_log(()).splitlines()
    has_all_lines = new_lines == present_lines and len(nonempty_log_lines[1:]) == len(
        new_lines
    )
    if has_all_lines and (has_header or not nonempty_log_lines):
        return None

    missing_line_count = len(new_lines) - len({*new_lines} & {*present_lines})
    present_line_count = len(new_lines) - missing_line_count
    notes.append(
        message("mend.log", file=LOG, steps=len(new_lines), had=present_line_count)
    )
    return journals.format_log(new_lines)


def _list_log_lines(folder: Path, steps: _Steps) -> list[LogLine]:
    """Return a line of the log for each step, by ascending number.

    Lost steps have the line in the present log, if it can be trusted; intact ones a new
    line.
    """
    own_lines = [
        journals.build_log_line(intact_step.step) for intact_step in steps.own.values()
    ]
    trusted_lines = _read_trusted_lines(folder, steps.own)
    line_by_step = {
        log_line.step: log_line for log_line in [*trusted_lines, *own_lines]
    }
    return [line_by_step[step_number] for step_number in sorted(line_by_step)]


def _has_other_log(folder: Path, steps: _Steps) -> bool:
    """Return whether the log is of another event than the folder's own steps.

    It is if more than half of its lines with the numbers of own steps have other times
    than these steps.
    """
    own_steps = [own_intact_step.step for own_intact_step in steps.own.values()]
    return journals.has_other_log(folder, own_steps)


def _read_trusted_lines(folder: Path, own: Mapping[Path, _IntactStep]) -> list[LogLine]:
    """Return the lines of the log that can be true; none if one is of another event.

    `own` are the steps of the folder's event. A line of another event has the number of
    an own step, and another time. Then no line of a step that is lost can be trusted. A
    line that has a new number, and otherwise repeats the line of an own step, is
    damaged: what a cut left of one line ran together with the next one. It is intact if
    its time fits between the own steps around it: a script can do the same thing twice
    within a second.
    """
    own_lines = [
        journals.build_log_line(intact_step.step) for intact_step in own.values()
    ]
    time_by_step = {own_line.step: own_line.time for own_line in own_lines}
    contents_of_own_lines = {own_line[1:] for own_line in own_lines}
    candidate_lines = [
        log_line
        for log_line in journals.read_log_lines(folder)
        if log_line.step in time_by_step
        or log_line[1:] not in contents_of_own_lines
        or _fits_between_steps(log_line, own_lines)
    ]
    has_foreign_line = any(
        time_by_step.get(log_line.step, log_line.time) != log_line.time
        for log_line in candidate_lines
    )
    return [] if has_foreign_line else candidate_lines


def _fits_between_steps(line: LogLine, own_lines: list[LogLine]) -> bool:
    """Return whether a line of the log lies between two own steps in number and time.

    `own_lines` are the lines of the folder's own steps. It is False if no own step is
    earlier, or none is later.
    """
    earlier_lines = [own_line for own_line in own_lines if own_line.step < line.step]
    later_lines = [own_line for own_line in own_lines if own_line.step > line.step]
    if not earlier_lines or not later_lines:
        return False
    return max(earlier_lines).time <= line.time <= min(later_lines).time


def _require_files_kept(folder: Path, event: str, steps: _Steps, result: Files) -> None:
    """Raise InputError if results of files with an uncertain owner would be lost.

    `event` is the id of the folder's event, `steps` are the folder's step files, and
    `result` has the files after the recovery. The owner is uncertain if event.toml, the
    log and the steps are not all of one event. If event.toml or the log is of another
    event than `event`, or the players are, not even a changed result is accepted.
    """
    logged_id = journals.find_logged_event_id(folder)
    is_contested = (
        _has_other_id(folder, event)
        or logged_id not in ("", None, event)
        or _have_other_players(folder, steps, result)
    )
    if not is_contested and not _has_other_log(folder, steps):
        return

    # A file that was cut off is no evidence for an event.
    last_step = max(steps.own.values(), key=_get_step_number, default=None)
    present_files = {
        file_name: file_content
        for file_name, file_content in read_folder_files(folder).items()
        if last_step is None
        or not last_step.files.get(file_name, b"").startswith(file_content)
    }
    results_before = _read_results(present_files)
    results_after = _read_results(result)
    if is_contested:
        lost_results = [*(results_before - results_after)]
    else:
        lost_results = _find_lost_results(results_before, results_after)
    if lost_results:
        heading_note = message(
            "mend.unsure", file=EVENT, log=LOG, home=HOME, matches=MATCHES
        )
        result_notes = describe_facts(lost_results, present_files)
        raise InputError(str(folder), with_heading(heading_note, *result_notes))


def _have_other_players(folder: Path, steps: _Steps, result: Files) -> bool:
    """Return whether files and steps have other players, and the log confirms none.

    `steps` are the folder's step files, and `result` has the files after the recovery.
    The log has lines, but none of them is the line of a step. Then event.toml and the
    steps may be those of another event. It is False if one player is in both, or if the
    present files have no players.
    """
    log_lines = journals.read_log_lines(folder)
    step_lines = [
        journals.build_log_line(intact_step.step) for intact_step in steps.own.values()
    ]
    if not log_lines or any(step_line in log_lines for step_line in step_lines):
        return False
    players_before = read_player_rows(read_folder_files(folder)).keys()
    players_after = read_player_rows(result).keys()
    return bool(players_before) and players_after.isdisjoint(players_before)


def _compare_files_with_log(folder: Path, steps: _Steps, files: Files) -> Note | None:
    """Return a note on results in the log that the files lack; None if there are none.

    `files` are those after the recovery, and `steps` the step files of the folder.
    Results of players whom the files don't have are skipped. Raise InputError if the
    files have another result than the log, and the step that entered it is lost. One of
    the two is damaged: the end of a row without its last cell, for example, is a
    result, too.
    """
    last_step = max(steps.own.values(), key=_get_step_number, default=None)
    number_of_last_step = 0 if last_step is None else last_step.step.number
    unconfirmed_results = compare_with_log(
        _list_log_lines(folder, steps), number_of_last_step, read_facts(files)
    )
    if unconfirmed_results.contradicted:
        player_rows = read_player_rows(files)
        name_by_player = {
            identifier: player_row.get("name") or identifier
            for identifier, player_row in player_rows.items()
        }
        result_notes = [
            message(
                "mend.logged_otherwise",
                file=MATCHES if file_result.round else BRACKET,
                log=LOG,
                logged=logged_result.to_value(name_by_player),
                score=format_score(file_result, logged_result.players),
            )
            for logged_result, file_result in unconfirmed_results.contradicted
        ]
        heading_note = message("mend.against_log", log=LOG)
        raise InputError(str(folder), with_heading(heading_note, *result_notes))

    known_players = read_player_rows(files).keys()
    missing_results = [
        missing_result
        for missing_result in unconfirmed_results.missing
        if known_players >= {*missing_result.players}
    ]
    if not missing_results:
        return None
    heading_note = message("mend.only_in_log", log=LOG)
    return with_heading(heading_note, *describe_facts(missing_results, files))


def _require_steps_kept(folder: Path, steps: _Steps, files: Files) -> None:
    """Raise InputError if steps of another event have results that may belong here.

    `files` are those after the recovery. Such steps are those whose log lies in the
    folder. If the folder has no step of its own, they are also those with results of
    players of this event alone.
    """
    logged_id = journals.find_logged_event_id(folder)
    results_after = _read_results(files)
    known_players = read_player_rows(files).keys()

    foreign_steps = sorted(steps.foreign.values(), key=_get_step_number)
    last_step_by_event = {
        foreign_step.step.event: foreign_step for foreign_step in foreign_steps
    }
    for event, last_step in last_step_by_event.items():
        foreign_results = _read_results(last_step.files)
        lost_results = [*(foreign_results - results_after)]
        if event != logged_id:
            lost_results = [
                lost_result
                for lost_result in _find_lost_results(foreign_results, results_after)
                if not steps.own and known_players >= {*lost_result.players}
            ]
        if not event or not lost_results:
            continue

        step_file_names = [
            str(step_path.relative_to(folder))
            for step_path, foreign_step in steps.foreign.items()
            if foreign_step.step.event == event
        ]
        heading_note = message(
            "mend.two_events", steps=step_file_names, file=EVENT, id=event
        )
        result_notes = describe_facts(lost_results, files, last_step.files)
        raise InputError(str(folder), with_heading(heading_note, *result_notes))


def _get_step_number(intact: _IntactStep) -> int:
    """Return the number of an intact step; it is a key to sort by."""
    return intact.step.number


def _read_results(files: Files) -> Facts:
    """Return the results in these files: the facts of matches, byes and the bracket."""
    return frozenset(
        protected_fact
        for protected_fact in read_facts(files)
        if protected_fact.kind in SCORED
    )


def _choose_changed_files(
    folder: Path, event: str | None, own: Mapping[Path, _IntactStep], notes: list[Note]
) -> Mapping[str, bytes | None]:
    """Return the event's files that change, with proofs; None for one to delete.

    Add a note on each of them to `notes`. `own` are the steps of the folder's event,
    and `event` is its id. Raise InputError if no choice of files makes an event.
    """
    present_files = read_folder_files(folder)
    intact_steps_latest_first = sorted(
        own.values(), key=lambda intact_step: -intact_step.step.number
    )
    last_step = next(
        (
            intact_step
            for intact_step in intact_steps_latest_first
            if _is_event(folder, intact_step.files)
        ),
        None,
    )

    has_foreign_event_toml = event is not None and _has_other_id(folder, event)
    usable_files = {
        file_name: file_content
        for file_name, file_content in present_files.items()
        if not (has_foreign_event_toml and file_name == EVENT)
    }
    event_toml_with_id = with_event_id(usable_files.get(EVENT, b""), event or "")
    if EVENT in usable_files:
        usable_files[EVENT] = event_toml_with_id
    is_undone = last_step is not None and _is_undone(folder, last_step, own)
    chosen_files = _choose_files(folder, usable_files, last_step, is_undone)
    new_content_by_changed_file = {
        file_name: chosen_files.get(file_name)
        for file_name in FILES
        if present_files.get(file_name) != chosen_files.get(file_name)
    }
    for file_name in new_content_by_changed_file:
        if (
            new_content_by_changed_file[file_name] == event_toml_with_id
            and file_name == EVENT
        ):
            notes.append(message("mend.id", file=EVENT, id=event))
            continue
        # Otherwise the files stay as they are.
        assert last_step is not None
        message_id = "mend.as_after" if file_name in chosen_files else "mend.aside"
        replacement_note = message(message_id, step=last_step.step.number)
        file_content = present_files.get(file_name, b"")
        if file_name not in present_files:
            damage_kind = "mend.not_there"
        elif has_foreign_event_toml and file_name == EVENT:
            damage_kind = "mend.other_event"
        elif last_step.files.get(file_name, b"").startswith(file_content):
            damage_kind = "mend.cut_off"
        else:
            damage_kind = "mend.damaged_or_older"
        heading_note = message(damage_kind, file=file_name)
        notes.append(with_heading(heading_note, replacement_note, name="mend.file"))

    for file_name, file_content in _collect_proofs(own).items():
        proof_path = folder / file_name
        if file_content and not (
            proof_path.is_file() and proof_path.read_bytes() == file_content
        ):
            new_content_by_changed_file[file_name] = file_content
            notes.append(message("mend.proof", file=file_name))
    return new_content_by_changed_file


def _collect_proofs(own: Mapping[Path, _IntactStep]) -> Files:
    """Return the proofs after the last own step, by name; b"" for a deleted one.

    `own` are the folder's steps by path. Steps that were undone do not count.
    """
    intact_by_number = {
        intact_step.step.number: intact_step for intact_step in own.values()
    }
    own_step_list = [
        intact_by_number[step_number].step for step_number in sorted(intact_by_number)
    ]
    content_by_name = dict[str, bytes]()
    for traced_step in reversed(journals.trace_steps(own_step_list)):
        content_by_name |= intact_by_number[traced_step.number].proofs
    return content_by_name


def _choose_files(
    folder: Path, present_files: Files, last: _IntactStep | None, is_undone: bool
) -> Files:
    """Return the files that the event gets: the first choice that loses no result.

    The choices are mixtures of the present files and those of `last`, the last intact
    step whose files make an event; those with the fewest changes come first. A choice
    that makes no event does not count. It loses a result if another choice has this
    result, and nothing in the choice contradicts it. If there is no such step, or if it
    was undone by a lost step (`is_undone`), the present files stay if they make an
    event. Raise InputError if every choice loses a result, or none makes an event.
    """
    if _is_event(folder, present_files) and (last is None or is_undone):
        return present_files
    possible_files = [
        candidate_files
        for candidate_files in _generate_file_combinations(present_files, last)
        if _is_event(folder, candidate_files)
    ]
    results_by_choice = [
        _read_results(candidate_files) for candidate_files in possible_files
    ]
    for candidate_files, results_of_choice in zip(
        possible_files, results_by_choice, strict=True
    ):
        if not any(
            _find_lost_results(other_results, results_of_choice)
            for other_results in results_by_choice
        ):
            return candidate_files

    if last is None or not possible_files:
        # This raises the error on what is wrong.
        load_bracket(build_event_from_files(present_files, folder))
    assert last is not None
    lost_facts = frozenset(
        lost_fact
        for other_results in results_by_choice
        for lost_fact in _find_lost_results(other_results, results_by_choice[0])
    )
    lost_changes = compare_facts(lost_facts, frozenset())
    change_notes = describe_changes(lost_changes, present_files, last.files)
    heading_note = message(
        "mend.others",
        **_build_step_fields(last),
        folder=quote_for_shell(str(folder)),
        facts=[*map(str, change_notes)],
    )
    raise InputError(str(folder), with_heading(heading_note, *change_notes))


def _generate_file_combinations(
    present_files: Files, last: _IntactStep | None
) -> Iterator[Files]:
    """Yield mixtures of the present files and the last step's, fewest changes first.

    `last` is the last intact step whose files make an event, None if there is none. For
    a file that is cut off or missing, only that step's content is used. If the step is
    pending, its files are preferred to the present ones. Without a step the only choice
    is the present files.
    """
    step_files: Files = last.files if last else {}
    file_sources = [present_files]
    if last is not None and last.path.name == PENDING.name:
        file_sources = [step_files, present_files]
    elif last is not None:
        file_sources = [present_files, step_files]
    contents_by_name = {
        file_name: [file_source.get(file_name) for file_source in file_sources]
        for file_name in FILES
    }
    for file_name, step_content in step_files.items():
        present_content = present_files.get(file_name, b"")
        if present_files.get(file_name) != step_content and step_content.startswith(
            present_content
        ):
            contents_by_name[file_name] = [step_content]

    combinations_so_far = list[Files]()
    source_index_ranges = (
        range(len(possible_contents)) for possible_contents in contents_by_name.values()
    )
    for source_indices in sorted(product(*source_index_ranges), key=sum):
        combined_files = {}
        for file_name, source_index in zip(
            contents_by_name, source_indices, strict=True
        ):
            chosen_content = contents_by_name[file_name][source_index]
            if chosen_content is not None:
                combined_files[file_name] = chosen_content
        if combined_files not in combinations_so_far:
            combinations_so_far.append(combined_files)
            yield combined_files


def _is_event(folder: Path, files: Files) -> bool:
    """Return whether files make an event without faults, its bracket included.

    `files` are contents by name. Nothing is written.
    """
    with suppress(InputError):
        load_bracket(build_event_from_files(files, folder))
        return True
    return False


def _find_lost_results(source: Facts, result: Facts) -> list[ProtectedFact]:
    """Return the results of a source that the result lacks and does not contradict.

    A result contradicts another if a player would have two in one round, or a bracket
    match two.
    """
    seats_in_result = {
        seat_in_result
        for result_fact in result
        for seat_in_result in _list_seats(result_fact)
    }
    return [
        source_fact
        for source_fact in source - result
        if seats_in_result.isdisjoint(_list_seats(source_fact))
    ]


def _list_seats(fact: ProtectedFact) -> list[tuple[int, str]]:
    """Return what no two results share: a player's round, or a bracket match.

    Each is a pair of round and player; for the bracket, of 0 and the match. A `fact` of
    a match has two, that of a bye or a bracket match one.
    """
    if not fact.round:
        return [(0, fact.table)]
    return [(fact.round, identifier) for identifier in fact.players]


def _is_undone(
    folder: Path, last: _IntactStep, own: Mapping[Path, _IntactStep]
) -> bool:
    """Return whether the last own step was undone by a step that is lost.

    The log shows that: it has the line of this step, and an undo after it. It is False
    if a matches.csv that the step had is gone, because no undo deletes that file.
    `last` is the last step whose files make an event, and `own` are all steps of the
    event.
    """
    if MATCHES in last.files and not (folder / MATCHES).is_file():
        return False
    log_lines = _read_trusted_lines(folder, own)
    if journals.build_log_line(last.step) not in log_lines:
        return False
    return any(
        log_line.verb == "undo"
        for log_line in log_lines
        if log_line.step > last.step.number
    )


def _write_recovery(journal: Journal, report: _DamageReport) -> Step | None:
    """Replace all that is damaged; return the step that changes the event's files.

    `report` says what is damaged and what replaces it, and `journal` is the locked
    journal of the folder. None if only steps or the log were damaged. Damaged files are
    kept under other names. If the process is killed at any point, what is left can be
    recovered again.
    """
    folder_path = journal.folder
    for file_name in report.files:
        _set_aside(folder_path / file_name)
    for step_path, waiting_path in report.misplaced.items():
        step_path.replace(waiting_path)
    for step_path in report.aside:
        step_path.replace(_choose_damaged_name(step_path))
    for step_path, step_content in report.steps.items():
        step_path.parent.mkdir(exist_ok=True)
        journals.write_file(step_path, step_content)
    for waiting_path in report.misplaced.values():
        waiting_path.unlink()
    (folder_path / PENDING).unlink(missing_ok=True)
    if report.log is not None:
        _set_aside(folder_path / LOG)
        journals.write_file(folder_path / LOG, report.log)
    if not report.files:
        return None
    return journal.commit_recovery(report.files)


def _set_aside(path: Path) -> None:
    """Copy the file at `path`, which will be replaced, to another name beside it.

    Nothing happens if it is empty or not there, or if such a copy has been made
    already.
    """
    if path.is_file() and (old_content := path.read_bytes()):
        journals.write_file(_choose_damaged_name(path, old_content), old_content)


def _choose_damaged_name(path: Path, content: bytes | None = None) -> Path:
    """Return a path beside a damaged file, such as log.damaged.csv, to keep it under.

    No file has that name, or the one that has it has the same `content`. Further names
    have numbers: log.damaged-2.csv. Nothing is written.
    """
    attempt_number = 1
    while True:
        number_suffix = "" if attempt_number == 1 else f"-{attempt_number}"
        candidate_path = path.with_name(
            f"{path.stem}.damaged{number_suffix}{path.suffix}"
        )
        if not candidate_path.exists():
            return candidate_path
        if content is not None and candidate_path.read_bytes() == content:
            return candidate_path
        attempt_number += 1
