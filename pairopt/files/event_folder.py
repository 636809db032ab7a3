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
from pairopt.files.start_scores import with_start_scores_of_model
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
    """Return whether a path is an event folder.

    It is one if it has an event.toml, or if its journal has a step from which it can be
    recovered. Values that are not paths give False.
    """
    if not isinstance(path, str | Path):
        return False
    folder = Path(path)
    has_event_file = (folder / EVENT).is_file() or (folder / PENDING).is_file()
    return has_event_file or any((folder / STEPS).glob("*.zip"))


def read_folder(folder: Path, round: int | None = None) -> Event:
    """Read the event in a folder, as it was before a round was paired.

    `round` None stands for the round after the last one. A step that was begun counts
    as done. A note names conflict copies, which file-sharing programs make. Raises
    InputError with every fault of the first file that has any.
    """
    event = build_event_with_hint(read_consistent_files(folder), folder, round)
    return replace(event, notes=(*event.notes, *find_conflict_copies(folder)))


def find_conflict_copies(folder: Path) -> Sequence[Message]:
    """Return one note that names the conflict copies of event files in a folder.

    File-sharing programs make such copies. Returns an empty sequence if there are none,
    or if the folder cannot be listed.
    """
    with suppress(OSError):
        if copy_names := sorted(
            escape_hidden(copy_path.name)
            for copy_path in folder.iterdir()
            if COPY.match(copy_path.name)
        ):
            return [message("folder.copies", files=copy_names)]
    return ()


def read_folder_files(folder: Path) -> Files:
    """Read those of the event's four files that a folder has, as bytes by file name.

    Raises OSError if one is a folder or cannot be read. Another process may write a
    step meanwhile, so that the files do not belong together; `read_consistent_files`
    avoids that.
    """
    for file_name in FILES:
        if (folder / file_name).is_dir():
            raise IsADirectoryError(
                errno.EISDIR, str(message("file.directory", name=file_name))
            )
    return {
        file_name: (folder / file_name).read_bytes()
        for file_name in FILES
        if (folder / file_name).is_file()
    }


def read_consistent_files(folder: Path) -> Files:
    """Read the files of a folder as they are between two steps.

    Returns the contents by name; a file that is not there has no entry. Other processes
    may write meanwhile: then the files are read again. A step that was begun counts as
    done. Raises InputError if a file cannot be read, or if the begun step is damaged.
    """
    try:
        while True:
            # A step that was begun counts as done.
            if (folder / PENDING).is_file():
                with suppress(FileNotFoundError):
                    return read_begun_step(folder)
            content_by_name = read_folder_files(folder)
            if (
                not (folder / PENDING).is_file()
                and read_folder_files(folder) == content_by_name
            ):
                return content_by_name
    except OSError as error:
        recovery_hint = (
            make_recovery_hint(folder) if isinstance(error, IsADirectoryError) else None
        )
        error_reason = error.strerror or str(error)
        raise InputError(
            str(folder), "file.unread", recovery_hint, why=error_reason
        ) from None


def read_begun_step(folder: Path) -> Files:
    """Read the files as they will be after the step that was begun in a folder.

    The folder itself is not changed. Raises FileNotFoundError if no step is begun, and
    InputError if the step is damaged or belongs to another event.
    """
    # Reading a CSV file reads no event.toml, and starts faster without its reader.
    from pairopt.files.event_toml import read_identity

    pending_path = folder / PENDING
    content_by_name = read_step_files(pending_path, (META, *FILES).__contains__)
    try:
        step_event_id = json.loads(content_by_name.pop(META)).get("event")
    except (KeyError, ValueError, AttributeError) as error:
        raise make_damaged_step_error(pending_path, error) from None

    event_path = folder / EVENT
    if event_path.is_file() and read_identity(event_path.read_bytes()) not in (
        "",
        step_event_id,
    ):
        raise make_damaged_step_error(pending_path, message("file.of_another"))
    return content_by_name


def read_step_files(path: Path, wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """Read the files in a step of the journal for whose names `wanted` returns True.

    `path` is the zip archive of the step. Raises OSError if it cannot be read, and
    InputError if it is damaged.
    """
    # Reading a CSV file opens no archive, and starts faster without this import.
    from pairopt.files.zip_archive import BadZipError, read_zip

    try:
        return {**read_zip(path, wanted)}
    except BadZipError as error:
        raise make_damaged_step_error(path, error) from None


def make_damaged_step_error(path: Path, why: object) -> InputError:
    """Return the error about a damaged step, with a hint on how to recover the folder.

    `path` is the zip archive of the step, inside the folder `.pairopt` of the event
    folder, and `why` the reason as text, message or exception.
    """
    event_folder = next(
        parent_path.parent for parent_path in path.parents if parent_path.name == HOME
    )
    return InputError(
        str(path), "file.no_step", make_recovery_hint(event_folder), why=str(why)
    )


def make_recovery_hint(folder: Path) -> Message:
    """Return the hint that names the command which recovers an event folder."""
    return message("file.mend", folder=quote_for_shell(str(folder)))


def build_event_with_hint(
    files: Files, folder: Path, round: int | None = None
) -> Event:
    """Build the event from the contents of the files of a folder.

    `files` has the contents by name, and `folder` is the folder's name in errors.
    `round` is the round to pair; None stands for the round after the last one. Raises
    InputError with a hint on how to correct or recover the folder.
    """
    with add_recovery_hint(folder):
        return build_event_from_files(files, folder, round)


@contextmanager
def add_recovery_hint(folder: Path) -> Iterator[None]:
    """Add a hint to an InputError that is raised inside this context.

    The error is raised again with the hint, which replaces one that it has. The hint
    names the command that recovers `folder` if its journal has steps, and otherwise
    only says that the files must be corrected. Other errors pass unchanged.
    """
    try:
        yield
    except InputError as error:
        has_stored_steps = any((folder / STEPS).glob("*.zip"))
        message_kind = "file.correct_or_mend" if has_stored_steps else "file.correct"
        recovery_hint = message(message_kind, folder=quote_for_shell(str(folder)))
        raise InputError(error.source, error.faults, recovery_hint) from None


def build_event_from_files(
    files: Files, folder: Path, round: int | None = None
) -> Event:
    """Build the event from the contents of the files of a folder.

    `files` has the contents by name, and `folder` is the folder's name in errors. If it
    has a file with the name of the model, the event's model becomes the path of that
    file. With a model of McMahon tournaments, players bring in their start scores.
    `round` is the round to pair, None for the one after the last; an event with a given
    round has no bracket. Raises InputError if event.toml or players.csv is missing,
    otherwise with every fault of the first file that has any.
    """
    # Reading a CSV file reads no event.toml, and starts faster without its reader.
    from pairopt.files.event_toml import read_event_file

    if EVENT not in files:
        raise InputError(str(folder), "file.no_rules", name=EVENT)
    event_text = decode_text(str(folder / EVENT), files[EVENT])
    event_file = read_event_file(event_text)
    if PLAYERS not in files:
        raise InputError(str(folder), "file.no_players", name=PLAYERS)
    roster = read_players(
        parse_table(decode_text(str(folder / PLAYERS), files[PLAYERS]))
    )
    matches_name = str(folder / MATCHES)
    matches_table = (
        parse_table(decode_text(matches_name, files[MATCHES]))
        if MATCHES in files
        else None
    )
    event = build_folder_event(
        event_file, roster, matches_table, str(folder / EVENT), matches_name, round
    )
    model_name = event_file.settings.model
    # The name of a model may be one that no file can have.
    with suppress(OSError):
        model_name = (
            str(folder / model_name)
            if model_name and (folder / model_name).is_file()
            else model_name
        )
    source_info = replace(
        event.origin,
        name=str(folder) if matches_table is None else matches_name,
        folder=str(folder),
        bracket=files.get(BRACKET, b"") if round is None else b"",
    )
    notes = (*event_text.notes, *event.notes)
    settings = replace(event.settings, model=model_name)
    event = replace(event, settings=settings, origin=source_info, notes=notes)
    return with_start_scores_of_model(event)


def build_folder_event(
    event_file: "EventToml",
    roster: PlayerTable,
    matches: TextTable | None,
    rules: str,
    name: str,
    round: int | None = None,
) -> Event:
    """Build the event from parsed event.toml, players.csv and matches.csv.

    `event_file`, `roster` and `matches` are these files; `matches` is None if there is
    no matches.csv. `rules` is the name of event.toml in errors, and `name` that of
    matches.csv. `round` is the round to pair, None for the one after the last. The
    event has the notes of both tables, and one on adjourned matches. Raises InputError
    with the faults of the first of these files that has any.
    """
    match_rows = [] if matches is None else parse_rows(matches, MatchRow, NEEDED)
    identifiers_by_name = index_identifiers(roster.players)
    bye_rows, faults_of_byes = _build_bye_rows(
        event_file, identifiers_by_name, match_rows, roster.players
    )
    forbidden_meetings, faults_of_forbidden = _build_forbidden_meetings(
        event_file,
        identifiers_by_name,
        [player_row.player for player_row in roster.players],
    )
    if faults := [*faults_of_byes, *faults_of_forbidden]:
        raise InputError(rules, faults)
    declared_sides = event_file.settings.sides
    side_labels = (declared_sides[0], declared_sides[1]) if declared_sides else None
    read_options = ReadOptions(
        sides=side_labels,
        round=round,
        rounds_over=event_file.rounds_over,
        all_rounds_open=event_file.settings.is_round_robin,
        any_results=event_file.settings.points is not None,
        penalties="trf" in event_file.facts,
        any_byes="json" in event_file.facts,
        fide_data="",
    )
    event = build_event(name, [*match_rows, *bye_rows], roster, read_options)
    if declared_sides == () and event.sides is not None:
        raise InputError(name, "cell.sides")
    source_info = replace(
        event.origin,
        layout=roster.layout if matches is None else matches.layout,
        facts=event_file.facts,
        chess="trf" in event_file.facts,
        breaches=event_file.breaches,
        cells={} if matches is None else select_further_columns(matches),
    )
    notes = (*roster.notes, *(matches.notes if matches else ()), *event.notes)
    settings = event_file.settings
    # Folders of version 1.0 have the head of the report as lines of its source.
    if "trf" in event_file.facts:
        from pairopt.files.formats.trf.head import with_head

        settings = with_head(settings, event_file.facts["trf"])
    event = replace(
        event,
        settings=settings,
        origin=source_info,
        notes=notes,
        prohibited=tuple(forbidden_meetings),
        sides=event.sides or side_labels,
    )
    event = replace(event, initial_side=_find_initial_side(event_file, event, rules))
    if adjourned_count := len(event.adjourned):
        event = replace(
            event,
            notes=(*event.notes, message("event.adjourned", count=adjourned_count)),
        )
    points_system = event.settings.points
    if points_system is not None and (
        faults := find_strange_scores(event, points_system)
    ):
        raise InputError(name, faults)
    return event


def _find_initial_side(event_file: "EventToml", event: Event, name: str) -> int | None:
    """Return the index of the side that was drawn for the first player of round 1.

    It is 0 or 1, an index of `event.sides`, or None if the event.toml in `event_file`
    names no side. Raises InputError if it names a side that the event does not have.
    `name` is the name of event.toml in the error.
    """
    if event_file.side is None:
        return None
    side_labels = event.sides or ()
    if event_file.side not in side_labels:
        message_kind = "cell.other_side" if side_labels else "cell.no_sides"
        reason = message(message_kind, found=event_file.side, sides=side_labels)
        raise InputError(name, [Fault(reason, JsonLocation("initial_side"))])
    return side_labels.index(event_file.side)


def _build_bye_rows(
    event_file: "EventToml",
    identifiers_by_name: Identifiers,
    rows: Sequence[MatchRow],
    players: Sequence[PlayerRow],
) -> tuple[list[MatchRow], list[Fault]]:
    """Return rows of requested byes known in advance, and faults for their players.

    The byes are those of `event_file`. `rows` are the rows of matches.csv, and
    `players` those of players.csv. `identifiers_by_name` has the identifiers that a
    name may mean; an unknown name, or one that several players have, is a fault. A
    player who is not active, or has a row in that round, gets no bye. A bye without
    points gets those of a requested bye, or 0 if the event has no points.
    """
    players_with_row = {
        (match_row.round, player_id)
        for match_row in rows
        for player_id in (match_row.player1, match_row.player2)
    }
    inactive_players = {
        player_row.player for player_row in players if player_row.active is False
    }
    points_system = event_file.settings.points
    default_points = points_system.requested_bye if points_system else Fraction(0)
    bye_rows = []
    faults = []
    for bye_position, bye in enumerate(event_file.byes):
        bye_location = JsonLocation(f"byes[{bye_position}]")
        identifier = _find_identifier(
            identifiers_by_name, bye_location.at("player"), bye.player
        )
        if isinstance(identifier, Fault):
            faults.append(identifier)
        elif (
            bye.round,
            identifier,
        ) not in players_with_row and identifier not in inactive_players:
            bye_points = decimal_text(
                default_points if bye.points is None else bye.points
            )
            bye_cells = {
                "round": str(bye.round),
                "player1": identifier,
                "score1": bye_points,
            }
            bye_rows.append(
                parse_row(
                    MatchRow, {**bye_cells, "status": "requested"}, place=bye_location
                )
            )
    return bye_rows, faults


def _build_forbidden_meetings(
    event_file: "EventToml", identifiers_by_name: Identifiers, players: Sequence[str]
) -> tuple[list[ForbiddenMeeting], list[Fault]]:
    """Return the forbidden meetings of event.toml, and faults for unknown players.

    The meetings are those of `event_file`. `players` are the identifiers; a meeting
    holds the positions of its two players in this list. `identifiers_by_name` has the
    identifiers that a name may mean; a name that several players have is a fault, too.
    """
    position_by_player = {
        player_name: player_position
        for player_position, player_name in enumerate(players)
    }
    forbidden_meetings = []
    faults = []
    for entry_position, (*player_pair, first_and_last_round) in enumerate(
        event_file.forbid
    ):
        entry_location = JsonLocation(f"forbid[{entry_position}]")
        first_identifier, second_identifier = (
            _find_identifier(identifiers_by_name, entry_location, str(player_name))
            for player_name in player_pair
        )
        faults += [
            identifier_or_fault
            for identifier_or_fault in (first_identifier, second_identifier)
            if isinstance(identifier_or_fault, Fault)
        ]
        if not isinstance(first_identifier, Fault) and not isinstance(
            second_identifier, Fault
        ):
            forbidden_meetings.append(
                ForbiddenMeeting(
                    position_by_player[first_identifier],
                    position_by_player[second_identifier],
                    first_and_last_round,
                )
            )
    return forbidden_meetings, faults


def index_identifiers(players: Sequence[PlayerRow]) -> Identifiers:
    """Return the identifiers that each name or identifier in event.toml may mean.

    Several players may have the same name. An identifier means only itself, even if
    another player has it as a name.
    """
    identifiers_by_name: dict[str, list[str]] = {}
    for player_row in players:
        if player_row.name:
            identifiers_by_name.setdefault(player_row.name, []).append(
                player_row.player
            )
    return {
        **identifiers_by_name,
        **{player_row.player: [player_row.player] for player_row in players},
    }


def _find_identifier(
    identifiers_by_name: Identifiers, place: Place, player: str
) -> str | Fault:
    """Return the identifier of the player with this name or identifier.

    `identifiers_by_name` has the identifiers that a name or an identifier may mean.
    Returns a fault at `place` if there is no such player, or if several have the name.
    """
    possible_identifiers = identifiers_by_name.get(player, ())
    if len(possible_identifiers) == 1:
        return possible_identifiers[0]
    message_kind = "cell.which_player" if possible_identifiers else "cell.no_player"
    return Fault(
        message(message_kind, found=player, players=possible_identifiers), place
    )
