"""Event folders: read event.toml, players.csv and matches.csv as one event."""

import errno
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from pairopt.errors import Fault, InputError, JsonLocation, Place
from pairopt.event.event import Event
from pairopt.event.forbidden_pairs import ForbiddenMeeting
from pairopt.event.score_checks import find_strange_scores
from pairopt.files.build_event import PlayerTable, ReadOptions, build_event
from pairopt.files.csv_schema import MatchRow, PlayerRow, parse_row, parse_rows
from pairopt.files.formats.matches_csv import NEEDED, select_further_columns
from pairopt.files.formats.players_csv import read_players
from pairopt.files.text_source import decode_text
from pairopt.files.text_tables import TextTable, parse_table
from pairopt.messages import Message, message
from pairopt.messages.formatting import decimal_text, escape_hidden, quote_for_shell

if TYPE_CHECKING:
    from pairopt.files.event_toml import EventToml

EVENT = "event.toml"
PLAYERS = "players.csv"
MATCHES = "matches.csv"
BRACKET = "bracket.csv"
PROVEN = "proofs"
FILES = (EVENT, PLAYERS, MATCHES, BRACKET)
"""The files of an event that steps change; PROVEN is the folder of the proofs of its rounds."""
LOG = "log.csv"
HOME = ".pairopt"
META = "step.json"
PENDING = Path(HOME, "pending.zip")
STEPS = Path(HOME, "steps")
"""The zip archive of an unfinished step, and the folder with those of finished ones; see
`pairopt.folder.journal`."""
COPY = re.compile(
    r"(event|players|matches|bracket)( \d+| ?\(.*\)|-[a-z]+-[a-z0-9]{4,}|"
    r".*(conflict|konflikt|conflit|copy|kopie|copie|copia).*)\.(csv|toml)$",
    re.IGNORECASE,
)
"""The names of conflict copies that file-sharing programs make."""
Files = Mapping[str, bytes]  # contents by name; a file that is not there has no entry
Identifiers = Mapping[
    str, Sequence[str]
]  # the identifiers that a name, or an identifier, may mean


def is_folder(path: object) -> bool:
    """Return whether a path is an event folder, or only its journal is left."""
    if not isinstance(path, str | Path):
        return False
    folder = Path(path)
    has_event = (folder / EVENT).is_file() or (folder / PENDING).is_file()
    return has_event or any((folder / STEPS).glob("*.zip"))


def read_folder(folder: Path, round: int | None = None) -> Event:
    """Read the event in a folder, seen as before a round.

    Raises InputError with every fault.

    `round` None stands for the round after the last one.
    """
    event = build_event_with_hint(read_consistent_files(folder), folder, round)
    return replace(event, notes=(*event.notes, *find_conflict_copies(folder)))


def find_conflict_copies(folder: Path) -> Sequence[Message]:
    """Return a note on conflict copies that file-sharing programs left in a folder."""
    with suppress(OSError):
        if copies := sorted(
            escape_hidden(path.name)
            for path in folder.iterdir()
            if COPY.match(path.name)
        ):
            return [message("folder.copies", files=copies)]
    return ()


def read_folder_files(folder: Path) -> Files:
    """Read the files of an event folder. Raises OSError if one cannot be read.

    This may read the folder in the middle of a step: see `read_consistent_files`.
    """
    for name in FILES:
        if (folder / name).is_dir():
            raise IsADirectoryError(
                errno.EISDIR, str(message("file.directory", name=name))
            )
    return {
        name: (folder / name).read_bytes()
        for name in FILES
        if (folder / name).is_file()
    }


def read_consistent_files(folder: Path) -> Files:
    """Read the files of a folder as they are between two steps, while others may write.

    A step that was begun counts as done. Raises InputError if a file cannot be read.
    """
    try:
        while True:
            if (folder / PENDING).is_file():  # a step begun is as good as done
                with suppress(FileNotFoundError):
                    return read_begun_step(folder)
            files = read_folder_files(folder)
            if not (folder / PENDING).is_file() and read_folder_files(folder) == files:
                return files
    except OSError as error:
        hint = (
            make_recovery_hint(folder) if isinstance(error, IsADirectoryError) else None
        )
        why = error.strerror or str(error)
        raise InputError(str(folder), "file.unread", hint, why=why) from None


def read_begun_step(folder: Path) -> Files:
    """Read the files as they will be after the step that was begun.

    Raises InputError if the step is damaged, or belongs to another event.
    """
    # Reading a CSV file reads no event.toml, and starts faster without its reader.
    from pairopt.files.event_toml import read_identity

    pending = folder / PENDING
    files = read_step_files(pending, (META, *FILES).__contains__)
    try:
        event = json.loads(files.pop(META)).get("event")
    except (KeyError, ValueError, AttributeError) as error:
        raise make_damaged_step_error(pending, error) from None

    event_path = folder / EVENT
    if event_path.is_file() and read_identity(event_path.read_bytes()) not in (
        "",
        event,
    ):
        raise make_damaged_step_error(pending, message("file.of_another"))
    return files


def read_step_files(path: Path, wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """Read the files in a step of the journal whose names are wanted.

    Raises OSError, and InputError if the step is damaged.
    """
    # Reading a CSV file opens no archive, and starts faster without the readers of archives.
    from pairopt.files.zip_archive import BadZipError, read_zip

    try:
        return {**read_zip(path, wanted)}
    except BadZipError as error:
        raise make_damaged_step_error(path, error) from None


def make_damaged_step_error(path: Path, why: object) -> InputError:
    """Return the error about a damaged step in the journal, and what to do."""
    folder = next(parent.parent for parent in path.parents if parent.name == HOME)
    return InputError(
        str(path), "file.no_step", make_recovery_hint(folder), why=str(why)
    )


def make_recovery_hint(folder: Path) -> Message:
    """Return the hint that names the command which recovers a folder."""
    return message("file.mend", folder=quote_for_shell(str(folder)))


def build_event_with_hint(
    files: Files, folder: Path, round: int | None = None
) -> Event:
    """Build the event in these files of a folder.

    Raises InputError with a hint on recovery.
    """
    with add_recovery_hint(folder):
        return build_event_from_files(files, folder, round)


@contextmanager
def add_recovery_hint(folder: Path) -> Iterator[None]:
    """Add a hint on how to correct the folder to an InputError raised inside."""
    try:
        yield
    except InputError as error:
        has_stored_steps = any((folder / STEPS).glob("*.zip"))
        kind = "file.correct_or_mend" if has_stored_steps else "file.correct"
        hint = message(kind, folder=quote_for_shell(str(folder)))
        raise InputError(error.source, error.faults, hint) from None


def build_event_from_files(
    files: Files, folder: Path, round: int | None = None
) -> Event:
    """Build the event in these files.

    Raises InputError with every fault of the first bad file.

    `folder` is where the files are, as errors name it.
    """
    # Reading a CSV file reads no event.toml, and starts faster without its reader.
    from pairopt.files.event_toml import read_event_file

    if EVENT not in files:
        raise InputError(str(folder), "file.no_rules", name=EVENT)
    source = decode_text(str(folder / EVENT), files[EVENT])
    event_file = read_event_file(source)
    if PLAYERS not in files:
        raise InputError(str(folder), "file.no_players", name=PLAYERS)
    roster = read_players(
        parse_table(decode_text(str(folder / PLAYERS), files[PLAYERS]))
    )
    name = str(folder / MATCHES)
    matches = (
        parse_table(decode_text(name, files[MATCHES])) if MATCHES in files else None
    )
    event = build_folder_event(
        event_file, roster, matches, str(folder / EVENT), name, round
    )
    model = event_file.settings.model
    with suppress(OSError):  # of a name that no file can have
        model = str(folder / model) if model and (folder / model).is_file() else model
    origin = replace(
        event.origin,
        name=str(folder) if matches is None else name,
        folder=str(folder),
        bracket=files.get(BRACKET, b"") if round is None else b"",
    )
    notes = (*source.notes, *event.notes)
    settings = replace(event.settings, model=model)
    return replace(event, settings=settings, origin=origin, notes=notes)


def build_folder_event(
    event_file: "EventToml",
    roster: PlayerTable,
    matches: TextTable | None,
    rules: str,
    name: str,
    round: int | None = None,
) -> Event:
    """Build the event from parsed event.toml, players.csv and matches.csv.

    `rules` is the name of event.toml in errors, `name` that of matches.csv. Raises
    InputError with the faults of either.
    """
    rows = [] if matches is None else parse_rows(matches, MatchRow, NEEDED)
    identifiers_by_name = index_identifiers(roster.players)
    byes, bye_faults = _build_bye_rows(
        event_file, identifiers_by_name, rows, roster.players
    )
    forbidden_meetings, forbidden_faults = _build_forbidden_meetings(
        event_file, identifiers_by_name, [player.player for player in roster.players]
    )
    if faults := [*bye_faults, *forbidden_faults]:
        raise InputError(rules, faults)
    sides = event_file.settings.sides
    labels = (sides[0], sides[1]) if sides else None
    options = ReadOptions(
        sides=labels,
        round=round,
        rounds_over=event_file.rounds_over,
        any_results=event_file.settings.points is not None,
        penalties="trf" in event_file.facts,
        any_byes="json" in event_file.facts,
        fide_data="",
    )
    event = build_event(name, [*rows, *byes], roster, options)
    if sides == () and event.sides is not None:
        raise InputError(name, "cell.sides")
    origin = replace(
        event.origin,
        layout=roster.layout if matches is None else matches.layout,
        facts=event_file.facts,
        chess="trf" in event_file.facts,
        breaches=event_file.breaches,
        cells={} if matches is None else select_further_columns(matches),
    )
    notes = (*roster.notes, *(matches.notes if matches else ()), *event.notes)
    event = replace(
        event,
        settings=event_file.settings,
        origin=origin,
        notes=notes,
        prohibited=tuple(forbidden_meetings),
        sides=event.sides or labels,
    )
    event = replace(event, initial_side=_find_initial_side(event_file, event, rules))
    if count := len(event.adjourned):
        event = replace(
            event, notes=(*event.notes, message("event.adjourned", count=count))
        )
    points = event.settings.points
    if points is not None and (faults := find_strange_scores(event, points)):
        raise InputError(name, faults)
    return event


def _find_initial_side(event_file: "EventToml", event: Event, name: str) -> int | None:
    """Return the index of the side drawn for the first player of round 1, or None.

    Raises InputError if event.toml names a side that the event does not have.
    """
    if event_file.side is None:
        return None
    sides = event.sides or ()
    if event_file.side not in sides:
        kind = "cell.other_side" if sides else "cell.no_sides"
        reason = message(kind, found=event_file.side, sides=sides)
        raise InputError(name, [Fault(reason, JsonLocation("initial_side"))])
    return sides.index(event_file.side)


def _build_bye_rows(
    event_file: "EventToml",
    identifiers_by_name: Identifiers,
    rows: Sequence[MatchRow],
    players: Sequence[PlayerRow],
) -> tuple[list[MatchRow], list[Fault]]:
    """Return rows for byes known in advance, and faults for unknown players.

    Players who are not active, or have a row in that round, get none.
    """
    players_with_row = {
        (row.round, player) for row in rows for player in (row.player1, row.player2)
    }
    inactive = {player.player for player in players if player.active is False}
    points = event_file.settings.points
    usual_points = points.requested_bye if points else Fraction(0)
    bye_rows = []
    faults = []
    for k, bye in enumerate(event_file.byes):
        place = JsonLocation(f"byes[{k}]")
        name = _find_identifier(identifiers_by_name, place.at("player"), bye.player)
        if isinstance(name, Fault):
            faults.append(name)
        elif (bye.round, name) not in players_with_row and name not in inactive:
            worth = decimal_text(usual_points if bye.points is None else bye.points)
            cells = {"round": str(bye.round), "player1": name, "score1": worth}
            bye_rows.append(
                parse_row(MatchRow, {**cells, "status": "requested"}, place=place)
            )
    return bye_rows, faults


def _build_forbidden_meetings(
    event_file: "EventToml", identifiers_by_name: Identifiers, players: Sequence[str]
) -> tuple[list[ForbiddenMeeting], list[Fault]]:
    """Return the forbidden meetings of event.toml, and faults for unknown players."""
    index = {player: k for k, player in enumerate(players)}
    meetings = []
    faults = []
    for k, (*pair, rounds) in enumerate(event_file.forbid):
        location = JsonLocation(f"forbid[{k}]")
        first_player, second_player = (
            _find_identifier(identifiers_by_name, location, str(player))
            for player in pair
        )
        faults += [
            name for name in (first_player, second_player) if isinstance(name, Fault)
        ]
        if not isinstance(first_player, Fault) and not isinstance(second_player, Fault):
            meetings.append(
                ForbiddenMeeting(index[first_player], index[second_player], rounds)
            )
    return meetings, faults


def index_identifiers(players: Sequence[PlayerRow]) -> Identifiers:
    """Return the identifiers of players by name, and by identifier."""
    identifiers_by_name: dict[str, list[str]] = {}
    for player in players:
        if player.name:
            identifiers_by_name.setdefault(player.name, []).append(player.player)
    return {
        **identifiers_by_name,
        **{player.player: [player.player] for player in players},
    }


def _find_identifier(
    identifiers_by_name: Identifiers, place: Place, player: str
) -> str | Fault:
    """Return the identifier of the only player with a name, or a fault."""
    identifiers = identifiers_by_name.get(player, ())
    if len(identifiers) == 1:
        return identifiers[0]
    kind = "cell.which_player" if identifiers else "cell.no_player"
    return Fault(message(kind, found=player, players=identifiers), place)
