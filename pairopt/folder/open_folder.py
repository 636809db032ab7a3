"""Desk: an event folder as the verbs see it, and what they hand back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

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
from pairopt.folder.journal import DryRunJournal, Journal, Step, digest_of, journal
from pairopt.messages import Message, Note, as_note, message

if TYPE_CHECKING:
    from pairopt.event.elimination import EliminationBracket
    from pairopt.event.standings import Standing
    from pairopt.folder.repair_changes import RepairChanges
    from pairopt.round.remedies import Remedy
    from pairopt.round.result import Result

EMPTY_MATCHES = (",".join(COLUMNS) + "\n").encode()


class StaleStateError(UsageError):
    """What something was decided by is no longer so. `since` are the steps that changed it; none
    where no step did, but somebody in the files.
    """

    def __init__(self, since: Iterable[Step] = ()) -> None:
        self.since = tuple(since)
        super().__init__("folder.changed" if self.since else "folder.changed_unseen")


@dataclass(frozen=True)
class Done:
    """What a verb did: the log's number of its step (None: nothing was changed), in sentences.
    `event` is the event after it; `result` the paired round, for verbs that pair, and `ways` what
    could be allowed where there is none; `bracket` the elimination, for verbs on it; `changes` what
    is another in a round that was repaired.
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
        """The JSON form."""
        return {
            "verb": self.verb,
            "step": self.step,
            "said": [each.to_dict() for each in self.said],
        }


@dataclass(frozen=True)
class OpenFolder:
    """An event folder held by this process: its files, and the event that they make."""

    journal: Journal
    files: Mapping[str, bytes] = field(repr=False)

    @cached_property
    def state(self) -> str:
        """The state of the files, see `opened`."""
        return digest_of(self.files)

    @cached_property
    def event(self) -> Event:
        """The event before its next round; the last one need not be finished."""
        folder = self.journal.folder
        models = frozenset(path.name for path in folder.glob("*.toml"))
        return _event(tuple(self.files.items()), folder, models)

    @cached_property
    def taken(self) -> Sequence[Note]:
        """Which results somebody's hand has taken since the last step, with the way back; and what
        lies beside the files as a copy of them.
        """
        beside = find_conflict_copies(self.journal.folder)
        with suppress(InputError):
            return [*self.journal.taken(self.files), *beside]
        return beside

    @cached_property
    def players(self) -> TextTable:
        return self.table(PLAYERS)

    @cached_property
    def matches(self) -> TextTable:
        return self.table(MATCHES, EMPTY_MATCHES)

    def table(self, name: str, otherwise: bytes = b"") -> TextTable:
        """The table in one of the files. Raises InputError where it is none."""
        content = self.files.get(name) or otherwise
        with add_recovery_hint(self.journal.folder):
            return parse_table(decode_text(str(self.journal.folder / name), content))

    @cached_property
    def rows(self) -> Matches:
        """The rows of `matches`, in their order: without byes that event.toml alone has."""
        return self.event.matches.take(np.arange(len(self.matches.rows)))

    @cached_property
    def standing(self) -> Mapping[str, Standing]:
        # Most steps need no standings.
        from pairopt.event.standings import rank_players, tie_breaks_of

        return {
            each.player: each
            for each in rank_players(self.event, tie_breaks_of(self.event))
        }

    @property
    def key(self) -> str:
        """The column of players.csv that identifies them: `name` alone does, too."""
        return "player" if "player" in self.players.columns else "name"

    def changed(self, files: Mapping[str, bytes | TextTable]) -> OpenFolder:
        made = {
            name: new.content() if isinstance(new, TextTable) else new
            for name, new in files.items()
        }
        return replace(self, files={**self.files, **made})

    def edited(self, write: Callable[[Any], None]) -> OpenFolder:
        """With something written otherwise in event.toml; the rest stays as its owner has it."""
        name = str(self.journal.folder / EVENT)
        return self.changed({EVENT: edit_toml(name, self.files[EVENT], write)})

    def of(self, *players: str) -> dict[str, str]:
        """Players as a step names them: by their identifiers and the names of this day."""
        names = map(self.event.called.__getitem__, players)
        return {
            **{f"player{k}": each for k, each in enumerate(players, 1)},
            **{f"name{k}": name for k, name in enumerate(names, 1)},
        }

    def committed(
        self,
        verb: str,
        did: str | Message,
        said: Iterable[str | Note],
        result: Result | None = None,
        bracket: EliminationBracket | None = None,
    ) -> Done:
        """Put the files in place as one step. Nothing is written where they make no event."""
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
        """What a verb says where there is nothing to do."""
        return Done(verb, (*self.journal.told, *map(as_note, said)), None, self.event)

    def rehearsed(self) -> OpenFolder:
        """The desk on which a verb says what it would do, and does nothing."""
        return replace(self, journal=DryRunJournal(self.journal.folder))

    def require_no_cut(self) -> None:
        """Raises UsageError where the Swiss rounds are over: a bracket is there."""
        if BRACKET in self.files:
            raise UsageError("bracket.made_already", file=BRACKET)

    def rounds(self) -> int:
        """The last round that holds a match or an allocated bye."""
        return self.event.round - 1

    @property
    def has_all_rounds(self) -> bool:
        """Whether all rounds that the event says are played, each with all results, and no top cut
        is made. Never where the event says no number of rounds.
        """
        rounds = self.event.settings.rounds
        if rounds is None or self.rounds() < rounds or BRACKET in self.files:
            return False

        has_open = len(self.event.unscored) > 0 or len(self.event.adjourned) > 0
        return not has_open

    def points(self) -> Points | None:
        """The event's points: as event.toml says, else as the results show."""
        return self.event.settings.points or points_shown_by_results(self.event)[0]

    def identifier(self, player: str) -> str:
        """The identifier of a player. Raises UsageError, with the choices where several may be."""
        return self.event.players[self.event.position(player)]


@lru_cache(maxsize=4)
def _event(
    files: tuple[tuple[str, bytes], ...], folder: Path, _models: frozenset[str]
) -> Event:
    """The event that these files make: who does a step, and who looks at it, build it once. A model
    beside them may be its own.
    """
    return build_event_with_hint(dict(files), folder)


Folder = (
    str | Path | OpenFolder
)  # an event folder, or its desk where this process holds it already


@contextmanager
def open_folder(folder: Folder) -> Iterator[OpenFolder]:
    """The desk of an event folder, or the desk that is held already. Raises UsageError where it is
    no event folder.
    """
    if isinstance(folder, OpenFolder):
        yield folder
        return
    path = event_folder(folder)
    with journal(path) as held:
        yield OpenFolder(held, held.files())


def read_folder_state(folder: str | Path) -> OpenFolder:
    """The desk of an event folder as it is now, to read: nobody waits. Errors as `opened`. A verb
    on it is a rehearsal: it says what it would do, and nothing is written.
    """
    path = event_folder(folder)
    return OpenFolder(DryRunJournal(path), read_consistent_files(path))


def event_folder(folder: str | Path) -> Path:
    """The path of an event folder. Raises UsageError where it is none."""
    path = Path(folder)
    if not is_folder(path):
        raise UsageError("folder.none", path=path, file=EVENT)
    return path


def event_with(desk: OpenFolder) -> Event:
    """The event that changed files make. Raises UsageError where they make none."""
    try:
        return desk.event
    except InputError as error:
        raise UsageError(*(fault.told() for fault in error.faults)) from None


def requested_bye_row(player: str, number: int, points: str) -> dict[str, CellValue]:
    """A row for a round in which a player is not paired."""
    return {"round": number, "player1": player, "score1": points, "status": "requested"}


def undo(folder: Folder, steps: int = 1, *, to: int | None = None) -> Done:
    """Undo the last steps; an undo is itself a step in the log, but is never undone. With `to`: to
    the files after that step, of any that there were; where it was undone itself, it and what it
    was done on are done again. Raises UsageError where there are not so many, or no such step.
    """
    if steps < 1:
        raise UsageError("step.too_few")
    with open_folder(folder) as desk:
        told = (*desk.journal.told,)
        step, said = desk.rehearsed().journal.undo(steps, to)
        if step is not None:  # else nothing is written
            step, said = desk.journal.undo(steps, to)
        return Done("undo", (*told, *said), step.number if step else None)
