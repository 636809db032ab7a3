"""Creation of event folders from a list of players, or from an event."""

import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from fractions import Fraction
from inspect import Parameter, signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import tomlkit

from pairopt.errors import (
    ConfirmationError,
    Fault,
    InputError,
    PairoptError,
    UsageError,
)
from pairopt.event.chosen_ratings import with_chosen_ratings
from pairopt.event.elimination import bracket_progress
from pairopt.event.event import (
    FORFEIT,
    PLAYED,
    TITLES,
    Event,
    Matches,
    require_finished,
)
from pairopt.event.fide_attributes import (
    draw_initial_side,
    initial_side_of_results,
    virtual_points,
)
from pairopt.event.fide_numbers import (
    find_repeated_numbers,
    find_twins_without_numbers,
)
from pairopt.event.forbidden_pairs import ForbiddenMeeting, pairs_forbidden_in
from pairopt.event.points import CHESS, FOOTBALL, Points, points_of_two_games
from pairopt.event.score_checks import (
    find_strange_scores,
    players_of_round_one,
    players_with_virtual_points,
    points_shown_by_results,
)
from pairopt.event.settings import KEYS, REPORT, ROUND_ROBIN, SETTINGS
from pairopt.event.source_info import SourceInfo
from pairopt.event.standings import default_tie_breaks
from pairopt.event.tie_breaks import tie_breaks_named
from pairopt.files.bracket_csv import format_bracket, load_bracket
from pairopt.files.build_event import PlayerTable, ReadOptions, build_event
from pairopt.files.event_folder import (
    BRACKET,
    EVENT,
    FILES,
    HOME,
    LOG,
    MATCHES,
    PLAYERS,
    Files,
    build_event_from_files,
    is_folder,
)
from pairopt.files.formats import matches_csv, players_csv
from pairopt.files.formats.nrtm_json.top_cut import has_cut, read_cut, read_cut_games
from pairopt.files.read import Input, read_event, read_with_doubts, require_clear
from pairopt.files.zip_archive import read_uploaded_zip
from pairopt.folder.fide_mode import find_unfit_settings, read_mode, with_fide_mode
from pairopt.folder.journal import draw_event_id, open_journal
from pairopt.folder.open_folder import EMPTY_MATCHES, Done
from pairopt.folder.pair_round import compare_imported_rounds
from pairopt.folder.pairing_numbers import format_baku_points
from pairopt.folder.roster import PLAYED_SO_FAR, require_distinct_people
from pairopt.folder.settings import (
    POINTS,
    format_amount,
    format_forbidden,
    format_prizes,
    read_setting,
    require_known_keys,
    set_value,
)
from pairopt.messages import Message, Note, Passage, as_note, message
from pairopt.problem.model import Model, load_model, model_names
from pairopt.problem.options import CHESS_MODEL, DEFAULT_MODEL
from pairopt.problem.problem import ratings_notes
from pairopt.problem.round_model import event_model, require_pairable

DOUBLE_SIDED = "double-sided"
WHITE_BLACK = ("white", "black")
# Random seeds are below this number: short enough to be read out.
SEED_RANGE = 1_000_000
FORMER_LOG = "log-before.csv"
HEADER = "What this event keeps for all its rounds; pairopt pair, result and standings read it."


def new(
    folder: str | Path,
    players: Input | Event | None = None,
    *,
    baku: bool = False,
    id: str | None = None,
    sure: bool = False,
    people: bool = False,
    columns: Mapping[str, str] | None = None,
    **settings: Any,
) -> Done:
    """Create an event folder in an empty or new folder.

    Parameters
    ----------
    folder : path
        The new folder.
    players : path, bytes or Event, optional
        A list of players, or an event in any format. The new folder continues such an
        event with its rounds. From another event folder, `new` takes only the players
        and the rules. Without `players`, the event begins without players, and you add
        each one with `enter`.
    baku : bool
        Give the first half of the players virtual points (Baku Acceleration, FIDE
        C.04.7). This needs the number of rounds.
    id : str, optional
        The identifier of the event in its log. By default a random one.
    sure : bool
        Whether names with the same words belong to different people, unclear lines of
        the list are correct, and wrong data for FIDE in it are kept.
    people : bool
        Whether to take only the players and the rules of an event, without its rounds.
    columns : mapping of str to str, optional
        The headings of the list by what they mean, such as {"name": "Surname"}.
    **settings
        The settings of event.toml (`pairopt.event.settings`), as values or as text:
        rounds=5, points="3-1-0". A `model` that is a file is copied into the folder. By
        default the settings of the event that you import, otherwise those that the
        answer names.

    Returns
    -------
    Done
        The answer names the settings of the event and where each setting comes from.

    Raises
    ------
    UsageError
        If the folder is not empty, a setting is unknown, or a setting has an impossible
        value.
    ConfirmationError
        If two players who have not played yet may be one person, or if lines of the
        list are unclear or have wrong data for FIDE, unless `sure`.
    InputError
        If the list of players has faults, or the event lacks results of its rounds.
    """
    folder_path = Path(folder)
    require_known_keys(settings)
    requested_settings = {
        setting_key: read_setting(setting_key, setting_value)
        if isinstance(setting_value, str)
        else setting_value
        for setting_key, setting_value in settings.items()
        if setting_value is not None
    }
    if players is None or isinstance(players, Event):
        event = players or build_empty_event()
    elif people or is_folder(players):
        event = build_next_event(players)
    else:
        event = _read_players(players, sure, requested_settings.get("model"), columns)
    _require_played_rounds(event)
    event = _with_possible_format(event, requested_settings, baku)
    event = _with_chosen_ratings(event, requested_settings)

    notes_on_event: list[str | Note] = [*event.notes]
    notes_on_event.append(_describe_players(event))
    notes_on_event += _note_taken_rounds(event)
    require_distinct_listed_numbers(event)
    names_of_possible_twins = find_twins_without_numbers(
        event.names, event.fide_numbers
    )
    notes_on_event += require_distinct_people(
        names_of_possible_twins, sure or event.round > 1
    )
    require_listed_fide_data(event, sure)
    event = _with_double_forfeits(event, requested_settings.get(POINTS), notes_on_event)
    notes_on_event += _adopt_model(event, requested_settings)

    setting_value_by_key = _resolve_settings(event, requested_settings, notes_on_event)
    requested_model = requested_settings.get("model")
    model_path = None
    if requested_model is not None and requested_model not in model_names():
        model_path = Path(requested_model)
    loaded_model = load_model(
        requested_model or setting_value_by_key["model"] or DEFAULT_MODEL
    )
    points_per_result = setting_value_by_key[POINTS]
    if model_path is not None:
        setting_value_by_key["model"] = model_path.name
    event = _with_names_of_model(
        event, loaded_model, setting_value_by_key["conflicts"] or ()
    )
    require_empty_folder(folder_path, setting_value_by_key["model"])
    if faults_of_strange_scores := find_strange_scores(event, points_per_result):
        raise InputError(event.source, faults_of_strange_scores)
    event = _with_table_numbers(event)
    if not _is_round_robin(event, requested_settings):
        notes_on_event += ratings_notes(event, loaded_model)
        notes_on_event += _note_rounds(event, setting_value_by_key, loaded_model)
        notes_on_event += _describe_byes(event, points_per_result)
    if baku:
        event = _with_baku_points(
            event, setting_value_by_key["rounds"], points_per_result, notes_on_event
        )
    event_title = requested_settings.get("title") or event.settings.title
    setting_value_by_key["title"] = event_title or folder_path.resolve().name

    matches_csv_content = EMPTY_MATCHES
    if len(event.matches):
        matches_csv_content = matches_csv.write(event).text.encode()
    content_by_file_name: Files = {
        EVENT: _format_event_toml(
            event, draw_event_id() if id is None else id, setting_value_by_key
        ),
        PLAYERS: players_csv.format_players(event, active=True).encode(),
        MATCHES: matches_csv_content,
    }
    bracket_content = _build_bracket(event, notes_on_event)
    if bracket_content is not None:
        content_by_file_name = {**content_by_file_name, BRACKET: bracket_content}
    event, content_by_file_name = _decide_mode(
        folder_path,
        content_by_file_name,
        requested_settings.get("fide"),
        is_chess(event),
        notes_on_event,
    )
    require_pairable(event, loaded_model)
    copied_content_by_name = {}
    if model_path is not None:
        copied_content_by_name[model_path.name] = model_path.read_bytes()
    step_message = message("step.new", value=len(event.players))
    step_number = _commit_new_folder(
        folder_path, step_message, content_by_file_name, copied_content_by_name
    )
    return Done("new", tuple(map(as_note, notes_on_event)), step_number, event)


TABLE_SETTINGS = frozenset({"format", "cycles", "reversed", "numbers"})
"""Settings of a round robin that rounds which are paired do not allow to choose."""


NO_BERGER_TABLE = (
    "trf.not_berger",
    "trf.round_robin_custom",
    "trf.round_robin_players",
    "trf.round_robin_rounds",
)
"""Notes on a report that names a round robin and is not read as one."""


def _is_round_robin(event: Event, requested: Mapping[str, Any]) -> bool:
    """Return whether a new event is a round robin, by its requested format.

    `requested` has the settings that the user chose, by key. Without a format among
    them that of the event's source counts.
    """
    event_format: str | None = requested.get("format", event.settings.format)
    return event_format == ROUND_ROBIN


def _with_possible_format(
    event: Event, requested: Mapping[str, Any], baku: bool
) -> Event:
    """Return a round robin without settings that only Swiss events have.

    These are model, lookahead, forbidden pairs and columns that keep players apart. A
    Swiss event is unchanged. `requested` has the settings that the user chose, by key.
    Raise UsageError if the number of rounds, a model or Baku Acceleration (`baku`) is
    requested for a round robin. Raise it, too, if the event has rounds, and these are
    not those of a Berger table, or the user requests a setting that would change the
    table.
    """
    if not _is_round_robin(event, requested):
        return event
    has_berger_table = event.settings.is_round_robin and event.origin.all_rounds_open
    if event.round > 1 and (
        not has_berger_table or not TABLE_SETTINGS.isdisjoint(requested)
    ):
        raise UsageError("round_robin.with_rounds")
    if "rounds" in requested:
        raise UsageError("round_robin.rounds")
    if "model" in requested:
        raise UsageError("round_robin.model")
    if baku:
        raise UsageError("round_robin.fixed")
    rounds_of_settings = event.settings.rounds if event.round > 1 else None
    round_robin_settings = replace(
        event.settings, rounds=rounds_of_settings, model=None, lookahead=None, apart=()
    )
    return replace(event, settings=round_robin_settings, prohibited=())


def _with_chosen_ratings(event: Event, requested: Mapping[str, Any]) -> Event:
    """Return an event without rounds with the ratings that the setting chooses.

    An event that has rounds is unchanged. The choice in `requested`, the user's
    settings by key, comes before the event's own.
    """
    if len(event.matches):
        return event
    rating_choice = requested.get("rating_choice", event.settings.rating_choice)
    return with_chosen_ratings(event, rating_choice or None)


def _require_played_rounds(event: Event) -> None:
    """Raise InputError if results are missing in rounds that were played elsewhere.

    In a round robin all rounds are open at once, so that results may be missing.
    """
    if not event.origin.all_rounds_open:
        require_finished(event)


def _note_taken_rounds(event: Event) -> Iterator[Message]:
    """Yield a note on the rounds of a Swiss event that were played elsewhere.

    There is none before round 1, and none for a round robin.
    """
    if event.round > 1 and not event.settings.is_round_robin:
        yield message("new.rounds_taken", rounds=event.round - 1)


def _adopt_model(event: Event, requested: dict[str, Any]) -> Iterator[Message]:
    """Add the event's own model to the requested settings unless they have one.

    `requested` is changed, once the notes are read. Yield notes on the model that is
    requested then; none if the event has none either. Raise UsageError for a system
    that pairopt does not have. The error says why the report of a round robin is not
    read as one.
    """
    if "model" not in requested:
        try:
            adopted_model = event_model(event)
        except UsageError as error:
            error.add(
                event_note
                for event_note in map(as_note, event.notes)
                if event_note.kind in NO_BERGER_TABLE
            )
            raise
        if adopted_model is not None:
            requested["model"] = adopted_model
            yield message("new.model_from", model=adopted_model, source=event.source)
    if "model" in requested:
        yield message("new.model", model=requested["model"])


def _describe_players(event: Event) -> Message:
    """Return the note on how many players a new event has, and their source.

    For an event without players the note says that there are none.
    """
    if not event.players:
        return message("new.without_players")
    return message("new.players", count=len(event.players), source=event.source)


def _note_rounds(
    event: Event, values: Mapping[str, Any], rules: Model
) -> Iterator[Message]:
    """Yield notes on the number of rounds, the lookahead, and forbidden pairs.

    `values` are the settings by key, and `rules` is the model. There is a note if the
    event has more rounds than a round robin, if it needs a lookahead, and if its file
    forbids pairs.
    """
    round_count = values["rounds"]
    player_count = len(event.players)
    round_robin_round_count = player_count - 1 + player_count % 2
    if player_count and (round_count or 0) > round_robin_round_count:
        yield message(
            "new.many_rounds",
            rounds=round_count,
            count=player_count,
            most=round_robin_round_count,
        )
    if needs_lookahead(player_count, round_count, values["lookahead"], rules):
        yield message("new.lookahead", rounds=round_count, count=player_count)
    if event.prohibited:
        yield message(
            "new.prohibited", count=len(event.prohibited), source=event.source
        )


def _with_names_of_model(
    event: Event, rules: Model, conflicts: Sequence[Mapping[str, Any]]
) -> Event:
    """Return the event with its list's columns renamed as the model's rules name them.

    `rules` is the model. `conflicts` are entries of event.toml: their columns count,
    too. A column stays as it is if the event already has one of the new name.
    """
    columns_of_rules = (
        getattr(model_rule, "column", "")
        for model_rule in (*rules.criteria, *rules.constraints)
    )
    columns_named_by_rules = {str(rule_column) for rule_column in columns_of_rules}
    columns_named_by_rules |= {
        str(conflict_entry["column"]) for conflict_entry in conflicts
    }
    column_by_list_name = event.origin.called
    model_name_by_column = {
        column_by_list_name[rule_column]: rule_column
        for rule_column in map(str.lower, columns_named_by_rules)
        if rule_column in column_by_list_name and rule_column not in event.columns
    }
    renamed_columns = {
        model_name_by_column.get(event_column, event_column): column_cells
        for event_column, column_cells in event.columns.items()
    }
    return replace(event, columns=renamed_columns)


def _describe_byes(event: Event, points: Points) -> Iterator[Message]:
    """Yield notes on byes: what those in round 1 give, and which are lost.

    `points` are those of the event. Lost are the byes of rounds that are not in the
    event's file. Byes in round 1 are only noted before that round is played.
    """
    first_round_bye_count = int(event.first_round_bye.sum())
    if first_round_bye_count and event.round == 1:
        yield message(
            "bye.first_round", count=first_round_bye_count, points=points.requested_bye
        )
    if event.byes_brought.any():
        yield message("new.byes_lost")


def needs_lookahead(
    players: int, rounds: int | None, lookahead: int | str | None, model: Model
) -> bool:
    """Return whether a lookahead would avoid rematches that may occur without one.

    `players` and `rounds` are numbers. It would if nearly everybody meets everybody: in
    at least two and at least `players` - 2 rounds, but not more than a round robin has.
    It is False without a number of rounds, if `lookahead` is set already, and for a
    model that pairs by a system of its own or has a lookahead.
    """
    if rounds is None or lookahead is not None:
        return False
    if model.system is not None or model.lookahead:
        return False

    round_robin_round_count = players - 1 + players % 2
    return 1 < rounds <= round_robin_round_count and rounds >= players - 2


def _read_players(
    players: Input, sure: bool, model: str | None, columns: Mapping[str, str] | None
) -> Event:
    """Read an event or a list of players.

    The sides of the requested `model` help to read matches. `columns` has the headings
    of a list by what they mean. Raise ConfirmationError for unclear lines, unless
    `sure`, and InputError for a list with faults, such as a player who is listed twice.
    """
    sides_of_model = () if model is None else load_model(model).sides
    event = read_with_doubts(players, columns=columns, model_sides=sides_of_model)
    require_clear(event, "pasted.unsure_new", sure)
    return event


def require_listed_fide_data(event: Event, sure: bool) -> None:
    """Raise ConfirmationError if a list has wrong data for FIDE, unless `sure`.

    The event's notes, made when the list was read, say which data are wrong.
    """
    fide_doubts = [
        event_note
        for event_note in event.notes
        if event_note.kind == "fide_data.in_list"
    ]
    if fide_doubts and not sure:
        raise ConfirmationError("fide_data.unsure", *fide_doubts)


def require_distinct_listed_numbers(event: Event) -> None:
    """Raise InputError if two players of an event share a FIDE number.

    The error names the number and both players, and has the event's notes that say in
    which row the number is there again.
    """
    repeated_numbers = find_repeated_numbers(event)
    if not repeated_numbers:
        return
    faults_on_rows = [
        Fault(event_note)
        for event_note in event.notes
        if isinstance(event_note, Passage)
        and event_note.kind == "fide_data.in_list"
        and event_note.messages[1].kind == "fide_data.fide_id_twice"
    ]
    faults_on_numbers = [
        Fault(
            message(
                "fide_data.number_of_two",
                number=fide_number,
                first=event.names[earlier_position],
                second=event.names[later_position],
            )
        )
        for fide_number, earlier_position, later_position in repeated_numbers
    ]
    raise InputError("", [*faults_on_rows, *faults_on_numbers])


def build_empty_event() -> Event:
    """Return an event without players and with default settings, before round 1."""
    return build_event(PLAYERS, [], PlayerTable(PLAYERS, ()), ReadOptions())


def build_next_event(folder: Input, *, apart: bool = False) -> Event:
    """Return the next event with the same players and rules, before its first round.

    `folder` is the old event, whose last round may be open. All players are active.
    Rounds, seed, title, FIDE mode, brought points and withdrawals are left out. With
    `apart`, players who have met in the old event do not meet in round 1, as far as a
    round is possible without them.
    """
    event = read_event(folder, unfinished=True)
    forbidden_rematches: list[ForbiddenMeeting] = []
    note_on_origin = message("new.again")
    if apart:
        forbidden_rematches, note_on_origin = _forbid_rematches(event)
    empty_numbers = np.zeros(0, np.int64)
    columns_to_keep = {
        column_name: column_cells
        for column_name, column_cells in event.columns.items()
        if column_name not in PLAYED_SO_FAR
    }
    return replace(
        event,
        matches=Matches.empty(),
        round=1,
        active=np.ones(len(event.players), np.bool_),
        brought=empty_numbers,
        byes_brought=empty_numbers,
        first_round_bye=empty_numbers > 0,
        start_numbers=empty_numbers,
        adjusted=empty_numbers[:, None],
        acceleration=empty_numbers[:, None],
        declared_active=None,
        initial_side=None,
        columns=columns_to_keep,
        settings=replace(event.settings, seed=None, title="", fide=None),
        notes=(note_on_origin,),
        origin=SourceInfo(event.source, chess=event.origin.chess),
        prohibited=(*event.prohibited, *forbidden_rematches),
    )


def restore_from_zip(folder: str | Path, raw: bytes, name: str) -> Done:
    """Make a new event folder from the zip of an event's files, as its first step.

    `folder` must be empty or not exist yet. `raw` is the content of the zip and `name`
    its name. The event's files stay as they are, and their log is kept beside a new
    one. Return the answer of the command "new". Raise UsageError or InputError, and
    write nothing, if the zip has no such event, files of other kinds, or not the model
    that the event names.
    """
    remaining_content_by_name = read_uploaded_zip(raw, name)
    folder_path = Path(folder)
    require_empty_folder(folder_path)
    event_content_by_name = {
        unpacked_name: remaining_content_by_name.pop(unpacked_name)
        for unpacked_name in FILES
        if unpacked_name in remaining_content_by_name
    }
    former_log_by_name = (
        {FORMER_LOG: remaining_content_by_name.pop(LOG)}
        if LOG in remaining_content_by_name
        else {}
    )
    event = build_event_from_files(event_content_by_name, Path(name))
    # This raises an error if the bracket has faults.
    load_bracket(event)

    model_file_name = event.settings.model
    unexpected_names = remaining_content_by_name.keys() - {model_file_name}
    if unexpected_names:
        raise UsageError("upload.strange", name=name, found=min(unexpected_names))
    if model_file_name is not None and model_file_name not in model_names():
        if model_file_name not in remaining_content_by_name:
            raise UsageError("upload.no_model", name=name)
        with TemporaryDirectory() as temporary_folder:
            Path(temporary_folder, model_file_name).write_bytes(
                remaining_content_by_name[model_file_name]
            )
            load_model(Path(temporary_folder, model_file_name))
    step_message = message("step.restored")
    step_number = _commit_new_folder(
        folder_path,
        step_message,
        event_content_by_name,
        {**remaining_content_by_name, **former_log_by_name},
    )
    restored_note = message("new.restored", name=name, count=len(event.players))
    return Done("new", (restored_note,), step_number, event)


def _forbid_rematches(event: Event) -> tuple[list[ForbiddenMeeting], Message]:
    """Return pairs that may not meet again in round 1, and a note on them.

    Meetings of the last round count first, then those of the round before, and so on
    until a round does not count. A round counts only if every player may still meet at
    least half of the players: then there is a perfect matching (Dirac 1952). Pairs that
    are forbidden anyway are not returned.
    """
    player_count = len(event.players)
    match_rows = event.matches
    note_id = "new.met"
    was_pair_barred = np.zeros((player_count, player_count), np.bool_)
    for first_position, second_position in pairs_forbidden_in(event.prohibited, 1):
        was_pair_barred[first_position, second_position] = True
        was_pair_barred[second_position, first_position] = True

    is_pair_barred = was_pair_barred
    for round_number in range(event.round - 1, 0, -1):
        is_match_of_round = (match_rows.round == round_number) & (
            match_rows.second >= 0
        )
        is_pair_barred_with_round = is_pair_barred.copy()
        is_pair_barred_with_round[
            match_rows.first[is_match_of_round], match_rows.second[is_match_of_round]
        ] = True
        is_pair_barred_with_round |= is_pair_barred_with_round.T
        fewest_possible_opponents = (
            player_count - 1 - is_pair_barred_with_round.sum(axis=1).max()
        )
        if 2 * fewest_possible_opponents < player_count:
            note_id = "new.met_some"
            break
        is_pair_barred = is_pair_barred_with_round

    newly_barred_pairs = np.argwhere(
        np.triu(is_pair_barred & ~was_pair_barred)
    ).tolist()
    forbidden_meetings = [
        ForbiddenMeeting(first_position, second_position, (1, 1))
        for first_position, second_position in newly_barred_pairs
    ]
    return forbidden_meetings, message(note_id, count=len(forbidden_meetings))


def _accept_settings(command: Callable[..., Done]) -> None:
    """Replace `**settings` in a command's signature by a keyword for each setting.

    Only what `inspect.signature` shows of the function is changed, in place. A setting
    whose key is not its name, such as "points.bye", gets no keyword.
    """
    command_signature = signature(command)
    setting_parameters = [
        command_parameter
        for command_parameter in command_signature.parameters.values()
        if command_parameter.kind != Parameter.VAR_KEYWORD
    ]
    setting_parameters += [
        Parameter(accepted_setting.key, Parameter.KEYWORD_ONLY, default=None)
        for accepted_setting in SETTINGS.values()
        if accepted_setting.key == accepted_setting.name
    ]
    command.__signature__ = command_signature.replace(  # type: ignore[attr-defined]
        parameters=setting_parameters
    )


_accept_settings(new)


def _resolve_settings(
    event: Event, requested: Mapping[str, Any], notes: list[str | Note]
) -> dict[str, Any]:
    """Return the value of each setting by its key, None for one that is not made.

    `requested` has the settings that the user chose, by key. The value is the requested
    one, or what the event says or shows, or else the usual value. A note is added to
    `notes` for each value that was not requested. Raise UsageError if the requested
    initial side is no side of the event.
    """
    event_settings = event.settings
    points_of_results = points_shown_by_results(event)[0]
    setting_value_by_key: dict[str, Any] = {
        setting_key: getattr(event_settings, field_name)
        for field_name, setting_key in KEYS.items()
    }
    conflict_entries = []
    for separation_rule in event_settings.apart:
        fields_of_rule = asdict(separation_rule)
        conflict_entries.append(
            {
                conflict_key: field_value
                for conflict_key, field_value in fields_of_rule.items()
                if field_value is not None
            }
        )
    setting_value_by_key["conflicts"] = conflict_entries or None
    setting_value_by_key["groups"] = [*map(str, event_settings.groups)] or None
    setting_value_by_key |= format_prizes(event_settings.prizes)
    setting_value_by_key |= requested

    def choose(setting_key: str, *candidates: tuple[str, Any], **fields: Any) -> Any:
        """Set a setting to its first candidate that is not None, unless requested.

        `setting_key` is the key of the setting. A candidate is the id of a note's
        message, and the value; at least one value is not None. The note is added.
        Changes the values and notes of the outer function. `fields` are further fields
        of the note. Return the value of the setting, which is the requested one if
        there is one.
        """
        if setting_key not in requested:
            note_id, setting_value_by_key[setting_key] = next(
                kind_and_value
                for kind_and_value in candidates
                if kind_and_value[1] is not None
            )
            side_labels_text = (
                " and ".join(setting_value_by_key[setting_key])
                if setting_key == "sides"
                else ""
            )
            usual_message_fields = {
                setting_key: setting_value_by_key[setting_key],
                "labels": side_labels_text,
                "source": event.source,
            }
            notes.append(message(note_id, **{**usual_message_fields, **fields}))
        return setting_value_by_key[setting_key]

    is_round_robin = _is_round_robin(event, requested)
    is_model_requested = "model" in requested
    has_two_games = points_of_results is not None and points_of_results.game is not None
    if is_round_robin:
        notes.append(
            message("new.round_robin", cycles=setting_value_by_key["cycles"] or 1)
        )
    else:
        choose(
            "model",
            ("new.model_two_games", DOUBLE_SIDED if has_two_games else None),
            ("new.model_of_chess", CHESS_MODEL if is_chess(event) else None),
            ("new.model_usual", DEFAULT_MODEL),
        )
    loaded_model = load_model(setting_value_by_key["model"] or DEFAULT_MODEL)

    is_chess_without_model = not is_model_requested and is_chess(event)
    has_chess_points = requested.get(POINTS) == CHESS
    chosen_sides = choose(
        "sides",
        ("new.sides_from", event.sides),
        ("new.no_sides_from", () if event_settings.sides == () else None),
        (
            "new.sides_of_model",
            (loaded_model.sides or None) if is_model_requested else None,
        ),
        ("new.sides_of_list", WHITE_BLACK if is_chess_without_model else None),
        ("new.sides_of_chess", WHITE_BLACK if has_chess_points else None),
        ("new.sides_of_round_robin", WHITE_BLACK if is_round_robin else None),
        ("new.no_sides", ()),
        model=setting_value_by_key["model"],
    )
    side_labels = setting_value_by_key["sides"] = [*chosen_sides]

    usual_points = CHESS if {*side_labels} == {*WHITE_BLACK} else FOOTBALL
    if loaded_model.games == 2 and not side_labels:
        usual_points = points_of_two_games(usual_points)
    choose(
        POINTS,
        ("new.points_from", event_settings.points),
        ("new.points_shown", points_of_results),
        ("new.points_usual", usual_points),
    )
    if is_round_robin:
        setting_value_by_key["rounds"] = event_settings.rounds
        # Everybody has as many byes as the others.
        setting_value_by_key[POINTS] = replace(
            setting_value_by_key[POINTS], bye=Fraction(0)
        )
    else:
        choose(
            "rounds", ("new.rounds_from", event_settings.rounds), ("new.no_rounds", 0)
        )
        setting_value_by_key["rounds"] = setting_value_by_key["rounds"] or None
    choose(
        "seed", ("new.seed_from", event_settings.seed), ("new.seed_drawn", draw_seed())
    )

    requested_side = requested.get("initial_side")
    setting_value_by_key["initial_side"] = _choose_initial_side(
        requested_side, event, side_labels
    )
    has_open_side = bool(side_labels) and setting_value_by_key["initial_side"] is None
    if has_open_side and loaded_model.system and initial_side_of_results(event) is None:
        drawn_side = side_labels[draw_initial_side(setting_value_by_key["seed"])]
        choose("initial_side", ("new.side_drawn", drawn_side))

    if "tie_breaks" in requested:
        tie_breaks = tie_breaks_named(requested["tie_breaks"])
        setting_value_by_key["tie_breaks"] = [
            tie_break.name for tie_break in tie_breaks
        ]
    elif event_settings.tie_breaks is not None:
        choose("tie_breaks", ("new.tie_breaks_from", [*event_settings.tie_breaks]))
    else:
        changed_settings = replace(
            event_settings,
            best_of=setting_value_by_key["best_of"],
            format=setting_value_by_key["format"],
        )
        changed_event = replace(event, settings=changed_settings).with_other_sides(
            side_labels
        )
        tie_break_names = default_tie_breaks(changed_event)
        notes.append(message("new.tie_breaks_usual", tie_breaks=tie_break_names))
    return setting_value_by_key


def _decide_mode(
    path: Path,
    files: Files,
    requested: bool | None,
    chess: bool,
    notes: list[str | Note],
) -> tuple[Event, Files]:
    """Return the event and its files, in FIDE mode if its settings are FIDE's.

    `path` is the event's folder, and `files` are the contents of its files. Notes on
    the mode are added to `notes`. Rounds that a file brings are compared with what the
    rules give. `requested` is the mode that the user wants, None for the default.
    `chess` is whether the event is chess, which gets a note on the mode even without
    FIDE mode. Raise UsageError if FIDE mode is requested, but does not fit the
    settings.
    """
    event = build_event_from_files(files, path)
    is_round_robin = event.settings.is_round_robin
    unfit_keys = [*find_unfit_settings(read_mode(files))]
    if requested and unfit_keys:
        raise UsageError("mode.unfit", keys=unfit_keys)
    # Clubs of other games have round robins, too.
    is_usually_in_fide_mode = not unfit_keys and (chess or not is_round_robin)
    is_in_fide_mode = is_usually_in_fide_mode if requested is None else requested

    import_breaches = []
    # A report is a round robin only if its rounds are those of the Berger table.
    if is_in_fide_mode and event.round > 1 and not is_round_robin:
        import_breaches = compare_imported_rounds(event)
    has_fide_system = "model" not in unfit_keys and not is_round_robin
    if is_in_fide_mode or chess or requested is not None or has_fide_system:
        files = {
            **files,
            EVENT: with_fide_mode(files[EVENT], is_in_fide_mode, import_breaches),
        }
        message_id = "new.fide" if is_in_fide_mode else "new.no_fide"
        notes.append(message(message_id, keys=unfit_keys or ["fide"]))
        notes += [breach.said for breach in import_breaches]
    return build_event_from_files(files, path), files


def is_chess(event: Event) -> bool:
    """Return whether an event is chess.

    It is if its file says so, or a player has a cell in the column `fide_id` or a title
    of FIDE.
    """
    has_fide_title_by_player = (
        title_cell.strip().upper() in TITLES
        for title_cell in event.columns.get("title", ())
    )
    return (
        event.origin.chess
        or any(event.columns.get("fide_id", ()))
        or any(has_fide_title_by_player)
    )


def _choose_initial_side(
    requested: str | None, event: Event, labels: Sequence[str]
) -> str | None:
    """Return the label of the initial side: the requested one, or else the event's.

    `labels` are the labels of the event's sides in lower case, and so is the result.
    None if nobody requests a side and the event has no initial side or no sides. Raise
    UsageError if the requested one is no side of the event.
    """
    if requested is None:
        if not labels or event.initial_side is None:
            return None
        return labels[event.initial_side]
    if requested.lower() not in labels:
        error_message_id = "new.another_side" if labels else "new.side_without_sides"
        raise UsageError(error_message_id, found=requested, labels=" or ".join(labels))
    return requested.lower()


def _commit_new_folder(path: Path, did: Message, files: Files, models: Files) -> int:
    """Write the first step of a new folder, and return its number.

    `path` is the folder, which is made if it is missing. `did` describes the step in
    the log, and `files` are the event's files. `models` has the contents of further
    files by name, which belong to no step. If a PairoptError is raised before the
    folder has become an event folder, what was new in it is deleted again. Raise
    UsageError if an event is there already, or the folder cannot be written.
    """
    did_folder_exist = path.exists()
    try:
        with open_journal(path) as new_journal:
            if new_journal.files():
                raise UsageError("new.event_already", path=path)
            for file_name, file_content in models.items():
                new_journal.add_file(file_name, file_content)
            return new_journal.commit("new", did, files).number
    except PairoptError:
        # An event folder has begun, or was there before.
        if not is_folder(path):
            shutil.rmtree(path / HOME, ignore_errors=True)
            with suppress(OSError):
                for file_name in models:
                    (path / file_name).unlink(missing_ok=True)
                if not did_folder_exist:
                    path.rmdir()
        raise


def _with_double_forfeits(
    event: Event, points: Points | None, notes: list[str | Note]
) -> Event:
    """Return the event with played matches of 0-0 as forfeits by both players.

    A note on how many there are is added to `notes`. `points` are those that the user
    requests, None without any. The event is unchanged, without a note, if its file can
    mark forfeits, or the points (requested, stated or shown by results) give 0-0.
    """
    match_rows = event.matches
    gives_no_points = (match_rows.score1 == 0) & (match_rows.score2 == 0)
    is_double_forfeit = (
        match_rows.scored & (match_rows.status == PLAYED) & gives_no_points
    )
    if event.origin.forfeits or not is_double_forfeit.any():
        return event

    status_by_row = np.where(is_double_forfeit, FORFEIT, match_rows.status)
    changed_event = replace(event, matches=replace(match_rows, status=status_by_row))
    known_points = points or event.settings.points
    if known_points is None:
        known_points = points_shown_by_results(changed_event)[0]
    zero_points = Fraction(0)
    if known_points is not None and (zero_points, zero_points) in known_points.results:
        return event
    notes.append(message("new.double_forfeits", count=int(is_double_forfeit.sum())))
    return changed_event


def _with_table_numbers(event: Event) -> Event:
    """Return the event with table numbers in rounds that have none.

    The order is that of boards: the higher score of the two, the sum of both, and the
    smaller start number (FIDE C.04.2, article 3.6). Points are those before the round,
    with virtual points. The round to pair gets no numbers.
    """
    match_rows = event.matches
    start_numbers = event.start_numbers
    is_match = match_rows.second >= 0
    has_numbered_round = np.isin(
        match_rows.round, match_rows.round[is_match & (match_rows.table > 0)]
    )
    is_unnumbered = is_match & ~has_numbered_round & (match_rows.round < event.round)
    unnumbered_row_indices = np.flatnonzero(is_unnumbered)

    # These arrays have one entry per unnumbered match.
    round_by_match = match_rows.round[unnumbered_row_indices]
    first_position_by_match = match_rows.first[unnumbered_row_indices]
    second_position_by_match = match_rows.second[unnumbered_row_indices]
    # One row per player, one column per round: the points before it.
    points_before_rounds = (
        event.turns.before(event.besides) + virtual_points(event)[:, : event.round - 1]
    )
    first_player_points = points_before_rounds[
        first_position_by_match, round_by_match - 1
    ]
    second_player_points = points_before_rounds[
        second_position_by_match, round_by_match - 1
    ]
    smaller_start_number = np.minimum(
        start_numbers[first_position_by_match], start_numbers[second_position_by_match]
    )
    highest_points = np.maximum(first_player_points, second_player_points)
    sum_of_points = first_player_points + second_player_points
    board_order = np.lexsort(
        (smaller_start_number, -sum_of_points, -highest_points, round_by_match)
    )

    rounds_in_board_order = round_by_match[board_order]
    first_index_of_round = np.searchsorted(rounds_in_board_order, rounds_in_board_order)
    table_numbers = match_rows.table.copy()
    table_numbers[unnumbered_row_indices[board_order]] = (
        1 + np.arange(len(board_order)) - first_index_of_round
    )
    return replace(event, matches=replace(match_rows, table=table_numbers))


def _build_bracket(event: Event, notes: list[str | Note]) -> bytes | None:
    """Return bracket.csv for the event's own bracket, or for the top cut in its file.

    It is None if there is no top cut, or the matches of the cut make no bracket. Notes
    on the top cut are added to `notes`.
    """
    if load_bracket(event) is not None:
        return event.origin.bracket
    if not has_cut(event):
        return None
    elimination = read_cut(event)
    if elimination is None:
        notes.append(message("new.cut_of_no_bracket", source=event.source))
        return None

    if not elimination.double:
        message_id = "new.cut_single"
    elif len(read_cut_games(event)) < 2:
        message_id = "new.cut_maybe_double"
    else:
        message_id = "new.cut_double"
    player_count = len(elimination.players)
    notes.append(message(message_id, source=event.source, count=player_count))
    notes += bracket_progress(elimination, event.called)
    return format_bracket(elimination, event).encode()


def draw_seed() -> int:
    """Return a random seed of at least 0 and below `SEED_RANGE`.

    It comes from the operating system, and is another one each time.
    """
    return secrets.randbelow(SEED_RANGE)


def _with_baku_points(
    event: Event, rounds: int | None, points: Points, notes: list[str | Note]
) -> Event:
    """Return the event with a column of virtual points (FIDE C.04.7), and add a note.

    `rounds` is the number of rounds, and `points` are the event's. The note is appended
    to `notes`. Raise UsageError without a number of rounds, or if the event's points do
    not fit: a loss is worth something, or a win is not two draws.
    """
    if rounds is None:
        raise UsageError("new.baku_without_rounds")
    virtual_points_text = format_baku_points(rounds, points)
    if virtual_points_text is None:
        raise UsageError("new.baku_points", points=str(points))
    is_in_first_half = players_with_virtual_points(
        event.start_numbers, players_of_round_one(event)
    )
    virtual_column = tuple(
        virtual_points_text if is_player_in_half else ""
        for is_player_in_half in is_in_first_half.tolist()
    )
    notes.append(
        message(
            "new.baku", count=int(is_in_first_half.sum()), points=virtual_points_text
        )
    )
    return replace(event, columns={**event.columns, "virtual": virtual_column})


def require_empty_folder(path: Path, model: str | None = None) -> None:
    """Raise UsageError if a folder has files that a killed `new` does not leave.

    A killed `new` leaves the journal's files and the file of the `model`. A folder that
    is not there counts as empty; a file at this path does not.
    """
    names_of_possible_leftovers = {HOME, model or "", f".{model}.new"}
    if not path.exists():
        return
    if not path.is_dir() or any(
        folder_entry.name not in names_of_possible_leftovers
        for folder_entry in path.iterdir()
    ):
        raise UsageError("new.not_empty", path=path)


def _format_event_toml(event: Event, event_id: str, values: Mapping[str, Any]) -> bytes:
    """Return the content of event.toml for a new event.

    `event_id` is the identifier of the event, which the file names first. `values` are
    the settings by key; those with the value None are left out. Forbidden pairs, the
    number of finished rounds and facts of the event's source are written too.
    """
    toml_document = tomlkit.document()
    toml_document.add(tomlkit.comment(HEADER))
    toml_document["id"] = event_id
    forbidden_entries = []
    for meeting in event.prohibited:
        identifiers_of_pair = [event.players[meeting.one], event.players[meeting.two]]
        forbidden_entries.append(format_forbidden(identifiers_of_pair, meeting.rounds))
    points_per_result: Points = values[POINTS]
    for setting_key, setting_declaration in SETTINGS.items():
        setting_value = values.get(setting_key)
        # An empty text of the report's head is one that nobody has given yet.
        is_unset = setting_declaration.group == REPORT and not setting_value
        if setting_key not in ("conflicts", POINTS) and not is_unset:
            set_value(toml_document, setting_key, setting_value)
    if forbidden_entries:
        toml_document["forbid"] = forbidden_entries
    set_value(toml_document, "conflicts", values["conflicts"])
    set_value(toml_document, POINTS, points_per_result)
    set_value(
        toml_document, f"{POINTS}.bye", format_amount(points_per_result.allocated_bye)
    )
    set_value(
        toml_document,
        f"{POINTS}.requested_bye",
        format_amount(points_per_result.requested_bye),
    )
    set_value(
        toml_document, f"{POINTS}.absent", format_amount(points_per_result.absent)
    )
    if event.origin.rounds_over:
        toml_document["rounds_over"] = event.origin.rounds_over
    if event.origin.facts:
        toml_document["source"] = event.origin.facts
    return tomlkit.dumps(toml_document).encode()
