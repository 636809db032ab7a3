"""An event folder as commands see it, and what they return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pairopt.common.atomic_write import NAMES_ARE_TYPED
from pairopt.errors import InputError, UsageError
from pairopt.event.column_layout import COLUMNS, CellValue
from pairopt.event.event import Event, Matches
from pairopt.event.points import Points
from pairopt.event.score_checks import points_shown_by_results
from pairopt.files.event_folder import (
    BRACKET,
    EVENT,
    MATCHES,
    PLAYERS,
    add_recovery_hint,
    build_event_with_hint,
    find_conflict_copies,
    is_folder,
    read_consistent_files,
)
from pairopt.files.text_source import decode_text
from pairopt.files.text_tables import TextTable, parse_table
from pairopt.files.toml_editing import edit_toml
from pairopt.folder.journal import (
    DryRunJournal,
    Journal,
    Step,
    digest_files,
    open_journal,
)
from pairopt.messages import (
    AnyMessage,
    Message,
    Note,
    as_note,
    message,
    with_heading,
)

if TYPE_CHECKING:
    from pairopt.event.elimination import EliminationBracket
    from pairopt.event.standings import Standing
    from pairopt.folder.repair_changes import RepairChanges
    from pairopt.round.remedies import Remedy
    from pairopt.round.result import Result

EMPTY_MATCHES = (",".join(COLUMNS) + "\n").encode()


class StaleStateError(UsageError):
    """The event has changed since the page that a decision was made on.

    `since` are the steps that changed it. It is empty if somebody edited the files by
    hand.
    """

    def __init__(self, since: Iterable[Step] = ()) -> None:
        self.since = tuple(since)
        super().__init__("folder.changed" if self.since else "folder.changed_unseen")


@dataclass(frozen=True)
class Done:
    """The answer of a command on an event folder: what the command changed.

    Attributes
    ----------
    verb : str
        The command, as in the column `verb` of log.csv.
    said : tuple of messages
        What the command did, in sentences.
    step : int or None
        The number of the command's step in log.csv. None if nothing was changed.
    event : Event or None
        The event after the command.
    result : Result or None
        The paired round, for commands that pair.
    bracket : EliminationBracket or None
        The elimination, for commands on the top cut.
    ways : tuple of Remedy
        What you could allow, if there is no pairing.
    changes : RepairChanges or None
        What a re-pairing changed in the round.
    """

    verb: str
    said: tuple[Note, ...]
    step: int | None
    event: Event | None = None
    result: Result | None = None
    bracket: EliminationBracket | None = None
    ways: tuple[Remedy, ...] = ()
    changes: RepairChanges | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: `verb`, `step`, and the messages in `said`.

        Returns
        -------
        dict
            Values that `json.dumps` writes.
        """
        return {
            "verb": self.verb,
            "step": self.step,
            "said": [said_note.to_dict() for said_note in self.said],
        }


@dataclass(frozen=True)
class OpenFolder:
    """An event folder as a command sees it: its journal, its files, and their event.

    It is immutable: commands build a changed copy and commit that. `journal` writes the
    steps. `files` has the contents of the event's files by their names. In a changed
    copy they may differ from the files on the disk.
    """

    journal: Journal
    files: Mapping[str, bytes] = field(repr=False)

    @cached_property
    def state(self) -> str:
        """The digest of the event's files: it changes whenever one of them does."""
        return digest_files(self.files)

    @cached_property
    def event(self) -> Event:
        """The event before its next round; its last round may have open matches.

        Raise InputError if the files make no event.
        """
        folder_path = self.journal.folder
        return _build_event(tuple(self.files.items()), folder_path, self.models)

    @cached_property
    def models(self) -> frozenset[tuple[str, bytes]]:
        """The names and contents of the models in the folder.

        They are no files of the event, but start scores of Go depend on them.
        """
        names_and_contents = []
        for model_path in self.journal.folder.glob("*.toml"):
            # A file that cannot be read is no model: pairing names its fault.
            with suppress(OSError):
                if model_path.name not in self.files:
                    names_and_contents.append(
                        (model_path.name, model_path.read_bytes())
                    )
        return frozenset(names_and_contents)

    @property
    def version(self) -> tuple[str, frozenset[tuple[str, bytes]]]:
        """What all results of the event depend on: its files, and its models.

        It is the digest of the event's files, and the names and contents of the models.
        """
        return self.state, self.models

    @cached_property
    def outside_changes(self) -> Sequence[Note]:
        """Messages on results that were edited outside, and on copies beside the files.

        They say how to bring the results back, and how edits break FIDE mode. If a step
        is damaged, only copies are named. It is empty if there is nothing to say.
        """
        conflict_copy_notes = find_conflict_copies(self.journal.folder)
        with suppress(InputError):
            return [
                *self.journal.describe_outside_changes(self.files),
                *conflict_copy_notes,
            ]
        return conflict_copy_notes

    @cached_property
    def players(self) -> TextTable:
        """The table in players.csv. Raise InputError if it is none."""
        return self.table(PLAYERS)

    @cached_property
    def matches(self) -> TextTable:
        """The table in matches.csv; only its columns if the file is empty or not there.

        Raise InputError if it is no table.
        """
        return self.table(MATCHES, EMPTY_MATCHES)

    def table(self, name: str, otherwise: bytes = b"") -> TextTable:
        """Return the table in one of the files, or in `otherwise` if that is empty.

        `name` is the name of the file, and `otherwise` the content of a file that is
        missing or empty. Raise InputError if it is no table; the error says how to
        recover the folder.
        """
        file_content = self.files.get(name) or otherwise
        with add_recovery_hint(self.journal.folder):
            return parse_table(
                decode_text(str(self.journal.folder / name), file_content)
            )

    @cached_property
    def rows(self) -> Matches:
        """The event's matches and byes, one per row of matches.csv and in its order.

        Byes that only event.toml has are left out.
        """
        return self.event.matches.take(np.arange(len(self.matches.rows)))

    @cached_property
    def standing(self) -> Mapping[str, Standing]:
        """The lines of the standings, by the event's tie-breaks, by player identifier.

        It has the order of the standings, and is computed on first use.
        """
        # Most steps need no standings.
        from pairopt.event.standings import rank_players, tie_breaks_of

        standings = rank_players(self.event, tie_breaks_of(self.event))
        return {standing.player: standing for standing in standings}

    @property
    def key(self) -> str:
        """The column that identifies players in players.csv.

        It is `player` if the file has that column, otherwise `name`.
        """
        return "player" if "player" in self.players.columns else "name"

    def changed(self, files: Mapping[str, bytes | TextTable]) -> OpenFolder:
        """Return the folder with other contents of some files, by name.

        A table becomes the text of its file. Nothing is written yet; `committed` does
        that.
        """
        content_by_name = {
            file_name: file_content.content()
            if isinstance(file_content, TextTable)
            else file_content
            for file_name, file_content in files.items()
        }
        return replace(self, files={**self.files, **content_by_name})

    def with_event_toml(self, write: Callable[[Any], None]) -> OpenFolder:
        """Return the folder with an edited event.toml; nothing is written yet.

        `write` gets the parsed document and edits it in place. Comments and layout stay
        as they are. Raise InputError if the file is no TOML.
        """
        source_name = str(self.journal.folder / EVENT)
        return self.changed({EVENT: edit_toml(source_name, self.files[EVENT], write)})

    def build_player_fields(self, *players: str) -> dict[str, str]:
        """Return the fields of a step's message that name players: player1, name1, ….

        `players` are identifiers; the names are those that the players have now.
        """
        name_by_player = self.event.called
        message_fields = {
            f"player{player_number}": player
            for player_number, player in enumerate(players, 1)
        }
        for player_number, player in enumerate(players, 1):
            message_fields[f"name{player_number}"] = name_by_player[player]
        return message_fields

    def committed(
        self,
        verb: str,
        did: str | Message,
        said: Iterable[str | Note],
        result: Result | None = None,
        bracket: EliminationBracket | None = None,
    ) -> Done:
        """Write the folder's files as one step, and return what was done.

        `verb` is the command, `did` describes the step in log.csv, and `said` are the
        sentences for the user. `result` and `bracket` go into the answer. Edits by hand
        since the last step become a step of their own before it. The step is not
        written if an error is raised: InputError if the files make no event,
        ConfirmationError if the step breaks FIDE mode without consent.
        """
        event = self.event
        step = self.journal.commit(verb, message(did), self.files)
        return replace(
            self.unchanged(verb, *said),
            step=step.number,
            event=event,
            result=result,
            bracket=bracket,
        )

    def unchanged(self, verb: str, *said: str | Note) -> Done:
        """Return the answer of a command that changes nothing.

        `verb` is the command. The messages of the answer are those of the journal, then
        the sentences `said`. Its `step` is None, and nothing is written.
        """
        journal_and_said_notes = (*self.journal.messages, *map(as_note, said))
        return Done(verb, journal_and_said_notes, None, self.event)

    def rehearsed(self) -> OpenFolder:
        """Return the folder for a dry run: commands on it answer, but write nothing.

        Nor do they ask for consent to break FIDE mode.
        """
        return replace(self, journal=DryRunJournal(self.journal.folder))

    def require_no_cut(self) -> None:
        """Raise UsageError if there is a top cut, which ends the Swiss rounds."""
        if BRACKET in self.files:
            raise UsageError("bracket.made_already", file=BRACKET)

    def rounds(self) -> int:
        """Return the number of the last round with a match or an allocated bye.

        It is 0 before round 1 is paired.
        """
        return self.event.round - 1

    def current_round(self) -> int:
        """Return the round that is played now, 0 before round 1 is paired.

        In a round robin it is the first round with a missing result, otherwise the last
        paired round.
        """
        return self.event.current_round

    @property
    def has_all_rounds(self) -> bool:
        """Whether all rounds are finished, and there is no top cut.

        It is False if event.toml does not say how many rounds there are.
        """
        last_round = self.event.settings.rounds
        if last_round is None or self.rounds() < last_round or BRACKET in self.files:
            return False

        has_open_matches = len(self.event.unscored) > 0 or len(self.event.adjourned) > 0
        return not has_open_matches

    def points(self) -> Points | None:
        """Return the event's points, stated in event.toml or else shown by the results.

        None if neither shows them.
        """
        return self.event.settings.points or points_shown_by_results(self.event)[0]

    def identifier(self, player: str) -> str:
        """Return the identifier of a player whose identifier or name was typed.

        Raise UsageError if no player fits or several do; for several it names the
        choices. On the command line, another player's name does not mean the player
        whose identifier it is.
        """
        if NAMES_ARE_TYPED.get():
            return self.event.players[self.event.find_typed_player(player)]
        return self.event.players[self.event.position(player)]

    # Extensions of version 1.0 use these names.
    edited = with_event_toml
    of = build_player_fields

    @property
    def taken(self) -> Sequence[Note]:
        """Messages on results edited outside of pairopt, and on copies of files.

        It is `outside_changes` under its name in version 1.0, for extensions.
        """
        return self.outside_changes


@lru_cache(maxsize=4)
def _build_event(
    files: tuple[tuple[str, bytes], ...],
    folder: Path,
    _models: frozenset[tuple[str, bytes]],
) -> Event:
    """Build the event that these files make; the same files give the same object.

    `files` are pairs of name and content. Pages and commands share it, so that it is
    cached. `_models` are the names and contents of the folder's models: a new one can
    change the event. Raise InputError if the files make no event.
    """
    return build_event_with_hint(dict(files), folder)


# The path of an event folder, or the folder itself if it is open already.
Folder = str | Path | OpenFolder


@contextmanager
def open_folder(folder: Folder) -> Iterator[OpenFolder]:
    """Open an event folder for changes; other processes wait until it is closed.

    Parameters
    ----------
    folder : path or OpenFolder
        The folder. One that is open already is used as it is.

    Yields
    ------
    OpenFolder
        The folder with its files and its event.

    Raises
    ------
    UsageError
        If the folder is not an event folder, or if another process does not finish its
        step.

    Examples
    --------
    >>> with open_folder("saturday") as desk:  # doctest: +SKIP
    ...     print(desk.rounds())
    """
    if isinstance(folder, OpenFolder):
        yield folder
        return
    folder_path = require_event_folder(folder)
    with open_journal(folder_path) as journal:
        yield OpenFolder(journal, journal.files())


def read_folder_state(folder: str | Path) -> OpenFolder:
    """Read an event folder as it is now, without a lock.

    A command on it is a dry run. Raise UsageError if it is no event folder.
    """
    folder_path = require_event_folder(folder)
    return OpenFolder(DryRunJournal(folder_path), read_consistent_files(folder_path))


def require_event_folder(folder: str | Path) -> Path:
    """Return a folder as a Path. Raise UsageError if it has no event."""
    folder_path = Path(folder)
    if not is_folder(folder_path):
        raise UsageError("folder.none", path=folder_path, file=EVENT)
    return folder_path


def build_changed_event(desk: OpenFolder) -> Event:
    """Return the event of a folder with changed files, before they are written.

    Raise UsageError with the faults, instead of InputError, if they make no event.
    """
    try:
        return desk.event
    except InputError as error:
        raise UsageError(
            *(file_fault.to_message() for file_fault in error.faults)
        ) from None


@contextmanager
def name_typed_cells(
    columns: Mapping[str, str], cell_by_column: Mapping[str, str]
) -> Iterator[None]:
    """Raise UsageError that names typed cells, instead of InputError on planned files.

    It is a context manager. `columns` are the cells by column as they were typed.
    `cell_by_column` are the same cells, in the same order, by the columns of
    players.csv. The files on the disk must be known to make an event.
    """
    try:
        yield
    except InputError as error:
        typed_column_and_cell_by_column = dict(
            zip(cell_by_column, columns.items(), strict=True)
        )
        fault_messages: list[AnyMessage] = []
        for cell_fault in error.faults:
            fault_column = getattr(cell_fault.place, "column", None)
            if fault_column in typed_column_and_cell_by_column:
                typed_column, typed_cell = typed_column_and_cell_by_column[fault_column]
                heading_note = message(
                    "column.typed", column=typed_column, value=typed_cell
                )
                fault_messages.append(with_heading(heading_note, cell_fault.said))
            else:
                fault_messages.append(cell_fault.to_message())
        raise UsageError(*fault_messages) from None


def build_requested_bye_row(
    player: str, number: int, points: str
) -> dict[str, CellValue]:
    """Return the row of matches.csv for a player's requested bye in a round.

    `number` is the number of the round. `player` is an identifier, and `points` is text
    such as "0.5".
    """
    return {"round": number, "player1": player, "score1": points, "status": "requested"}


def undo(folder: Folder, steps: int = 1, *, to: int | None = None) -> Done:
    """Undo the last steps of an event folder.

    `undo` records a step of its own in log.csv. You cannot undo the step that `undo`
    records, but you can redo the undone steps.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    steps : int
        How many steps to undo, at least 1. It does not matter if `to` is given.
    to : int, optional
        Go back to the state after this step of log.csv instead. If the step was undone,
        the step and the steps before it are done again.

    Returns
    -------
    Done
        What was done: one sentence for each step that was undone or done again. If the
        files are already in this state, nothing is written.

    Raises
    ------
    UsageError
        If the event has fewer steps, or no step of this number.
    """
    if steps < 1:
        raise UsageError("step.too_few")
    with open_folder(folder) as opened_folder:
        earlier_messages = (*opened_folder.journal.messages,)

        # A dry run first: nothing is written if the files would stay the same.
        step, step_notes = opened_folder.rehearsed().journal.undo(steps, to)
        if step is not None:
            step, step_notes = opened_folder.journal.undo(steps, to)
        return Done(
            "undo", (*earlier_messages, *step_notes), step.number if step else None
        )
