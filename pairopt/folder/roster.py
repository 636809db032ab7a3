"""Roster of an event: who enters, drops, comes back or requests a bye.

It also has the pairs that may not meet, and fixed tables.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from pairopt.common.limits import MOST_ROUNDS
from pairopt.errors import ConfirmationError, InvalidValueError, UsageError
from pairopt.event.column_layout import CellValue, cell_text, rows_of_columns
from pairopt.event.event import REQUESTED, Event
from pairopt.event.fide_data import require_fide_data
from pairopt.event.fide_numbers import (
    FIDE_ID,
    are_two_numbers,
    find_twins_without_numbers,
)
from pairopt.event.forbidden_pairs import Rounds, rounds_text, when_text
from pairopt.event.name_search import normalize_fide_number, normalize_name
from pairopt.files.csv_schema import parse_rounds
from pairopt.files.event_folder import MATCHES, PLAYERS
from pairopt.files.formats.players_csv import list_columns
from pairopt.files.text_tables import TextTable
from pairopt.folder.edit_player import parse_cells
from pairopt.folder.half_point_byes import check_half_point_bye
from pairopt.folder.open_folder import (
    Done,
    Folder,
    OpenFolder,
    build_requested_bye_row,
    name_typed_cells,
    open_folder,
)
from pairopt.folder.pairing_numbers import (
    is_ranked_by_start_number,
    with_baku_groups,
    with_new_players,
)
from pairopt.folder.results import (
    change_bye_points,
    parse_bye_points,
    require_usual_bye,
)
from pairopt.folder.round_robin import (
    has_berger_table,
    reinstate_player,
    require_no_berger_table,
    require_no_round_robin,
    withdraw_player,
)
from pairopt.messages import Message, message, with_heading
from pairopt.messages.formatting import decimal_text, pair_text

PLAYED_SO_FAR = ("active", "score", "first_round_bye", "start", "virtual", "adjusted")
"""Columns of a list that mean nothing for a player who comes late."""
HIGHEST_TABLE = 9999


def enter(
    folder: Folder,
    player: str,
    columns: Mapping[str, str] | None = None,
    *,
    sure: bool = False,
    notes: Sequence[Message] = (),
) -> Done:
    """Add a player to an event, from the next round on.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    player : str
        The name of the new player.
    columns : mapping of str to str, optional
        Further cells of players.csv, such as a rating or a club.
    sure : bool
        Whether the new player is a different person from a player with a similar name.
    notes : sequence of Message
        Further messages that the answer contains.

    Returns
    -------
    Done
        The message names the player. For earlier rounds, the new player gets the points
        that the event gives for an absence.

    Raises
    ------
    UsageError
        If the event already has this player, if the name is empty, or if the rounds of
        a round robin are paired.
    ConfirmationError
        If a player of the event has a similar name, so that the two may be one person.
    """
    with open_folder(folder) as opened_folder:
        player_name = player.strip()
        if not player_name:
            raise UsageError("player.no_name")
        require_no_berger_table(
            opened_folder, "round_robin.late_entry", name=player_name
        )
        typed_cells = parse_cells(opened_folder, columns or {}, sure)
        cell_by_column = {**typed_cells}
        shown_name = cell_by_column.get("name") or player_name
        fide_number = normalize_fide_number(cell_by_column.get(FIDE_ID, ""))
        _require_new_number(opened_folder.event, fide_number, shown_name)
        new_identifier = player_name
        name_of_same_player = _index_names(opened_folder.event, fide_number).get(
            normalize_name(player_name)
        )
        if name_of_same_player is not None:
            raise UsageError("player.there_already", name=name_of_same_player)
        if opened_folder.event.find_players(player_name) and fide_number:
            # A namesake with another FIDE number, which then identifies the new player.
            new_identifier = _choose_identifier(opened_folder.event, fide_number)
            cell_by_column.setdefault("name", player_name)

        if not sure:
            twin_name_pairs = find_twins_without_numbers(
                [shown_name],
                [fide_number],
                opened_folder.event.names,
                opened_folder.event.fide_numbers,
            )
            if twin_name_pairs:
                raise ConfirmationError(
                    "player.perhaps_there", name=shown_name, other=twin_name_pairs[0][0]
                )
        entry_note = message(
            "player.enters", name=player_name, round=opened_folder.event.round
        )
        step_message = message("step.enter", player1=new_identifier, name1=shown_name)
        if new_identifier != player_name:
            opened_folder = _with_player_column(opened_folder)
        new_rows = [{**cell_by_column, opened_folder.key: new_identifier}]
        with name_typed_cells(columns or {}, typed_cells):
            return _commit_entry(
                opened_folder, new_rows, step_message, [entry_note, *notes], sure=sure
            )


def enter_all(folder: Folder, listed: Event, *, sure: bool = False) -> Done:
    """Add the players of a list to an event, from the next round on, in one step.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    listed : Event
        The list, read by `read_event`. The players keep their columns, but not their
        results. Players who are already in the event are left out.
    sure : bool
        Whether players with similar names are different people, and wrong data for FIDE
        are kept.

    Returns
    -------
    Done
        How many players were added, and which players were left out.

    Raises
    ------
    UsageError
        If all players of the list are already in the event, or if the rounds of a round
        robin are paired.
    ConfirmationError
        If two similar names may belong to one person, or if data for FIDE are wrong,
        unless `sure`.
    """
    with open_folder(folder) as opened_folder:
        name_of_first_listed = listed.names[0] if listed.names else ""
        require_no_berger_table(
            opened_folder, "round_robin.late_entry", name=name_of_first_listed
        )
        cells_by_column = {
            "player": listed.players,
            "name": listed.names,
            **list_columns(listed),
        }
        cells_by_column = {
            column_name: column_cells
            for column_name, column_cells in cells_by_column.items()
            if column_name not in PLAYED_SO_FAR
        }
        new_rows = []
        names_already_there = []
        for listed_cells in rows_of_columns(cells_by_column):
            fide_number = normalize_fide_number(str(listed_cells.get(FIDE_ID) or ""))
            name_of_same_player = _find_listed_player(
                opened_folder.event, listed_cells, fide_number
            )
            if name_of_same_player is not None:
                names_already_there.append(name_of_same_player)
                continue

            listed_name = listed_cells.pop("name")
            listed_identifier = listed_cells["player"]
            if fide_number and opened_folder.event.find_players(str(listed_identifier)):
                listed_identifier = _choose_identifier(opened_folder.event, fide_number)
                opened_folder = _with_player_column(opened_folder)
            new_cells = {**listed_cells, opened_folder.key: listed_identifier}
            if listed_name != listed_identifier:
                new_cells["name"] = listed_name
            new_rows.append(new_cells)
        if not new_rows:
            raise UsageError("player.nobody_new", names=names_already_there)

        new_names = [
            str(listed_cells.get("name") or listed_cells[opened_folder.key])
            for listed_cells in new_rows
        ]
        new_fide_numbers = [
            normalize_fide_number(str(listed_cells.get(FIDE_ID) or ""))
            for listed_cells in new_rows
        ]
        twin_name_pairs = find_twins_without_numbers(
            new_names,
            new_fide_numbers,
            opened_folder.event.names,
            opened_folder.event.fide_numbers,
        )
        twin_notes = require_distinct_people(twin_name_pairs, sure)
        entry_note = message(
            "player.many_enter", count=len(new_rows), round=opened_folder.event.round
        )
        step_message = message("step.enter_many", value=len(new_rows))
        left_out_notes = (
            [message("player.left_out", names=names_already_there)]
            if names_already_there
            else []
        )
        entry_notes = [entry_note, *twin_notes]
        return _commit_entry(
            opened_folder,
            new_rows,
            step_message,
            entry_notes,
            left_out_notes,
            sure=sure,
        )


def drop(folder: Folder, player: str) -> Done:
    """Drop a player from all later rounds, and cancel the player's later byes.

    In a round robin that is already paired, the player's open games become forfeits
    instead. If the player has already dropped, `drop` writes nothing.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    player : str
        The identifier or the name of the player.

    Returns
    -------
    Done
        The message names the cancelled byes and, if the player has a match without a
        result, this match.

    Raises
    ------
    UsageError
        If the event has no such player.
    """
    with open_folder(folder) as opened_folder:
        player = opened_folder.identifier(player)
        next_round = opened_folder.event.round
        player_name = opened_folder.event.called[player]
        if not _is_active(opened_folder, player):
            return opened_folder.unchanged(
                "drop", message("player.out_already", name=player_name)
            )
        if has_berger_table(opened_folder):
            return withdraw_player(opened_folder, player)

        leaving_notes = [message("player.leaves", name=player_name, round=next_round)]
        match_rows = opened_folder.rows
        player_position = opened_folder.event.index[player]
        is_first_player = match_rows.first == player_position
        is_cancelled_bye = is_first_player & (match_rows.round >= next_round)
        is_open_match = match_rows.open & (
            is_first_player | (match_rows.second == player_position)
        )
        for affected_row_index in np.flatnonzero(is_cancelled_bye | is_open_match):
            message_id = (
                "bye.off_again"
                if is_cancelled_bye[affected_row_index]
                else "table.waits"
            )
            table_number = int(match_rows.table[affected_row_index]) or None
            leaving_notes.append(
                message(
                    message_id,
                    round=int(match_rows.round[affected_row_index]),
                    table=table_number,
                )
            )

        changed_folder = opened_folder
        if is_cancelled_bye.any():
            matches_csv_table = opened_folder.matches.select_rows(~is_cancelled_bye)
            changed_folder = opened_folder.changed({MATCHES: matches_csv_table})
        changed_folder = _with_activity(changed_folder, player, "false")
        step_message = message("step.drop", **opened_folder.build_player_fields(player))
        return _commit_with_groups(changed_folder, "drop", step_message, leaving_notes)


def back(folder: Folder, player: str) -> Done:
    """Reinstate a dropped player, who is paired again from the next round on.

    If a player withdrew from a round robin, the player's forfeits stay until you remove
    these results. If the player is already active, `back` writes nothing.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    player : str
        The identifier or the name of the player.

    Returns
    -------
    Done
        The message names the player and the next round.

    Raises
    ------
    UsageError
        If the event has no such player.
    """
    with open_folder(folder) as opened_folder:
        player = opened_folder.identifier(player)
        player_name = opened_folder.event.called[player]
        if _is_active(opened_folder, player):
            return opened_folder.unchanged(
                "back", message("player.in_already", name=player_name)
            )
        if has_berger_table(opened_folder):
            return reinstate_player(opened_folder, player)

        return_note = message(
            "player.returns", name=player_name, round=opened_folder.event.round
        )
        return_notes = [return_note, *_note_open_round(opened_folder)]
        step_message = message("step.back", **opened_folder.build_player_fields(player))
        changed_folder = _with_activity(opened_folder, player, "true")
        return _commit_with_groups(changed_folder, "back", step_message, return_notes)


def check_in(folder: Folder, *, off: bool = False) -> Done:
    """Begin the check-in of players before round 1.

    After `check_in`, every player is inactive until `back` checks the player in.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    off : bool
        Whether to end the check-in. All players are then active.

    Returns
    -------
    Done
        The message counts the players who are out. Players with a bye in round 1 stay
        in the event.

    Raises
    ------
    UsageError
        If round 1 is already paired.
    """
    with open_folder(folder) as opened_folder:
        if opened_folder.rounds():
            raise UsageError("round.no_check_in")
        is_checked_in_by_player = opened_folder.event.away | off
        if (opened_folder.event.present == is_checked_in_by_player).all():
            return opened_folder.unchanged("check-in", message("player.all_as_before"))

        active_cells = [
            cell_text(is_checked_in)
            for is_checked_in in is_checked_in_by_player.tolist()
        ]
        players_csv_table = opened_folder.players.with_columns({"active": active_cells})
        changed_folder = opened_folder.changed({PLAYERS: players_csv_table})
        if off:
            step_message = message("step.check_in_off")
            check_in_notes = [message("player.all_in")]
            return _commit_with_groups(
                changed_folder, "check-in", step_message, check_in_notes
            )

        # The groups of virtual points are made once the players are in.
        check_in_notes = [
            message("player.all_out", count=int((~is_checked_in_by_player).sum()))
        ]
        return changed_folder.committed(
            "check-in", message("step.check_in"), check_in_notes
        )


def bye(
    folder: Folder,
    player: str,
    *,
    round: int | None = None,
    points: float | str | None = None,
    off: bool = False,
    sure: bool = False,
) -> Done:
    """Enter a bye that a player requests, or change the points of a bye.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    player : str
        The identifier or the name of the player.
    round : int, optional
        The round of the bye: the next round (the default), a later round, or a round
        that the player missed.
    points : float or str, optional
        The points of the bye, such as "0.5". By default the points that the event gives
        for a requested bye. If the player already has a bye in the round, requested or
        allocated, its points change.
    off : bool
        Whether to cancel the bye. This is possible until the round is paired.
    sure : bool
        Whether the bye may give more points than a win, or half a point to a player
        who is excluded from half-point byes.

    Returns
    -------
    Done
        The message names the player, the round and the points of the bye.

    Raises
    ------
    UsageError
        If the event has no such round, if the player has a match in the round or has
        dropped, or if the player has a bye already and `points` is missing.
    ConfirmationError
        If the bye would give more points than a win, or the player is excluded from
        half-point byes.
    """
    with open_folder(folder) as opened_folder:
        if opened_folder.event.settings.is_round_robin:
            raise UsageError("round_robin.byes")
        player = opened_folder.identifier(player)
        event = opened_folder.event
        next_round = event.round
        round_number = next_round if round is None else round
        points = None if points is None else str(points)
        if off:
            return _cancel_bye(opened_folder, player, round_number, points)

        match_rows = opened_folder.rows
        player_position = event.index[player]
        player_name = event.called[player]
        is_row_of_player = (match_rows.first == player_position) | (
            match_rows.second == player_position
        )
        is_row_of_player_in_round = (
            match_rows.round == round_number
        ) & is_row_of_player
        if points and (is_row_of_player_in_round & (match_rows.second < 0)).any():
            return change_bye_points(opened_folder, player, round_number, points, sure)
        is_player_paired_in_row = is_row_of_player_in_round & (
            match_rows.status != REQUESTED
        )
        if round_number < next_round and is_player_paired_in_row.any():
            raise UsageError(
                "round.paired_already", round=round_number, next=next_round
            )
        last_round = event.settings.rounds
        if last_round is not None and round_number > last_round:
            raise UsageError("round.beyond", round=round_number, rounds=last_round)
        if round_number >= next_round and not _is_active(opened_folder, player):
            raise UsageError("player.has_left", name=player_name)
        if is_row_of_player_in_round.any():
            raise UsageError("bye.there_already", name=player_name, round=round_number)

        points_per_result = event.settings.points
        bye_points = (
            points_per_result.requested_bye if points_per_result else Fraction(0)
        )
        if points:
            bye_points = parse_bye_points(points)
            require_usual_bye(opened_folder, bye_points, sure)
        half_bye_notes = check_half_point_bye(
            event, player_position, round_number, bye_points, sure
        )
        points_text = decimal_text(bye_points)
        bye_notes = [
            message(
                "bye.given", name=player_name, round=round_number, points=points_text
            )
        ]
        if round_number < next_round - 1:
            bye_notes.append(message("round.stays_paired"))
        bye_notes += half_bye_notes
        gives_win = (
            points_per_result is not None and bye_points >= points_per_result.win
        )
        if gives_win and is_ranked_by_start_number(event):
            bye_notes.append(message("bye.as_a_win"))

        bye_row = build_requested_bye_row(player, round_number, points_text)
        changed_folder = opened_folder.changed(
            {MATCHES: opened_folder.matches.appended([bye_row])}
        )
        message_fields = opened_folder.build_player_fields(player)
        step_message = message(
            "step.bye", **message_fields, round=round_number, value=points_text
        )
        return _commit_with_groups(changed_folder, "bye", step_message, bye_notes)


def _cancel_bye(desk: OpenFolder, player: str, number: int, points: str | None) -> Done:
    """Cancel a player's bye in a round to come, in whatever file it is, as one step.

    That can be matches.csv, event.toml, or players.csv. `player` is an identifier, and
    `number` the number of the round. Raise UsageError if there is no bye, the round is
    paired, or `points` are given.
    """
    event = desk.event
    match_rows = desk.rows
    player_position = event.index[player]
    shown_name = event.shown[player_position]
    if points is not None:
        raise UsageError("bye.points_of_none")
    if number <= desk.rounds():
        raise UsageError("bye.round_is_paired", round=number, next=desk.rounds() + 1)

    is_row_of_player_in_round = (match_rows.round == number) & (
        match_rows.first == player_position
    )
    is_cancelled_bye = is_row_of_player_in_round & (match_rows.status == REQUESTED)
    player_names = {player}
    player_name = event.names[player_position]
    # The name may be the identifier of another player, whose bye stays.
    if event.find_players(player_name) == [player_position]:
        player_names.add(player_name)
    edit_event_toml = partial(_remove_advance_bye, player_names, number)
    changed_folder = desk.with_event_toml(edit_event_toml)
    changed_folder = changed_folder.changed(
        {MATCHES: desk.matches.select_rows(~is_cancelled_bye)}
    )
    if number == 1 and event.first_round_bye[player_position]:
        players_csv_table = desk.players.changed(
            player_position, {"first_round_bye": ""}
        )
        changed_folder = changed_folder.changed({PLAYERS: players_csv_table})
    if changed_folder.files == desk.files:
        raise UsageError("bye.none_there", player=shown_name, round=number)

    cancellation_notes = [message("bye.off", player=shown_name, round=number)]
    message_fields = desk.build_player_fields(player)
    step_message = message("step.bye_off", **message_fields, round=number)
    return changed_folder.committed("bye", step_message, cancellation_notes)


def _remove_advance_bye(names: set[str], number: int, content: Any) -> None:
    """Remove the byes of a player in a round from the content of event.toml.

    `number` is the number of the round. `names` are the player's identifier and name;
    `content` is edited in place.
    """
    advance_byes = content.get("byes", [])
    for bye_index in reversed(range(len(advance_byes))):
        if (
            advance_byes[bye_index]["player"] in names
            and advance_byes[bye_index]["round"] == number
        ):
            del advance_byes[bye_index]


def require_distinct_people(
    pairs: Sequence[tuple[str, str]], sure: bool
) -> list[Message]:
    """Return a note on all pairs of names that may be of one person.

    The list is empty without pairs. Raise ConfirmationError if there are any, unless
    `sure`.
    """
    pair_texts = [pair_text(*twin_names) for twin_names in pairs]
    if not pair_texts:
        return []
    if not sure:
        raise ConfirmationError("player.perhaps_one", pairs=pair_texts)
    return [message("player.alike", pairs=pair_texts)]


def _find_listed_player(
    event: Event, cells: Mapping[str, CellValue], number: str
) -> str | None:
    """Return the shown name of the event's player who is in a row of a list.

    `cells` is the row, by column. `number` is the FIDE number in the row, which
    identifies the player. Without one, or if the event's player has none, the
    identifier or the name does. None if the player is not in the event.
    """
    if number:
        fide_numbers_of_event = event.fide_numbers
        if number in fide_numbers_of_event:
            return event.shown[fide_numbers_of_event.index(number)]
    shown_name_by_normalized_text = _index_names(event, number)
    for name_column in ("player", "name"):
        shown_name = shown_name_by_normalized_text.get(
            normalize_name(str(cells[name_column]))
        )
        if shown_name is not None:
            return shown_name
    return None


def _require_new_number(event: Event, number: str, name: str) -> None:
    """Raise UsageError if a player of the event has this FIDE number.

    The error names both players, or, if both names are the same, says that the player
    is in the event. `number` is normalized, "" for a player without one, and `name` is
    the new player's.
    """
    fide_numbers_of_event = event.fide_numbers
    if number and number in fide_numbers_of_event:
        owner_position = fide_numbers_of_event.index(number)
        name_of_owner = event.shown[owner_position]
        if normalize_name(event.names[owner_position]) == normalize_name(name):
            raise UsageError("player.number_there", name=name_of_owner, number=number)
        raise UsageError(
            "fide_data.number_of_two", number=number, first=name_of_owner, second=name
        )


def _choose_identifier(event: Event, number: str) -> str:
    """Return the identifier of a new player who has the name of another one.

    It is the FIDE number, with a word before it if another identifier is that number.
    """
    return f"FIDE {number}" if event.has_player(number) else number


def _with_player_column(desk: OpenFolder) -> OpenFolder:
    """Return the folder with the columns `player` and `name` in players.csv.

    It is unchanged if the column `player` is there. Nothing is written.
    """
    if "player" in desk.players.columns:
        return desk
    identity_columns = {"player": desk.event.players, "name": desk.event.names}
    return desk.changed({PLAYERS: desk.players.with_columns(identity_columns)})


def _index_names(event: Event, number: str) -> Mapping[str, str]:
    """Return players' shown names by normalized identifier and by normalized name.

    `number` is a normalized FIDE number, "" for none. Players whose FIDE number is
    known to be another one are left out.
    """
    shown_name_by_normalized_text = {}
    for identifier, player_name, shown_name, number_of_player in zip(
        event.players, event.names, event.shown, event.fide_numbers, strict=True
    ):
        if are_two_numbers(number, number_of_player):
            continue
        shown_name_by_normalized_text[normalize_name(identifier)] = shown_name
        shown_name_by_normalized_text[normalize_name(player_name)] = shown_name
    return shown_name_by_normalized_text


def _commit_entry(
    desk: OpenFolder,
    rows: Sequence[Mapping[str, CellValue]],
    did: Message,
    notes: list[Message],
    last_notes: Sequence[Message] = (),
    *,
    sure: bool,
) -> Done:
    """Add new rows to players.csv, as active players, and commit that as one step.

    `rows` have the cells of each new player by column. `did` describes the step in the
    log. The notes of the answer are `notes`, one on the open round, and `last_notes`.
    Raise ConfirmationError if data for FIDE are wrong, unless `sure`.
    """
    desk = desk.changed({PLAYERS: _with_active_column(desk)})
    rows_with_activity = [{**new_row, "active": "true"} for new_row in rows]
    changed_folder = with_new_players(desk, rows_with_activity)
    require_fide_data(desk.event, changed_folder.event, sure)
    notes = [*notes, *_note_open_round(desk), *last_notes]
    return _commit_with_groups(changed_folder, "enter", did, notes)


def _commit_with_groups(
    desk: OpenFolder, verb: str, did: Message, notes: list[Message]
) -> Done:
    """Commit a step after renewing the groups of virtual points (Baku).

    `desk` has the changes. `verb` is the command, and `did` describes the step in the
    log. A note on the groups comes after `notes`, if they have changed.
    """
    changed_folder, group_notes = with_baku_groups(desk)
    return changed_folder.committed(verb, did, [*notes, *group_notes])


def _note_open_round(desk: OpenFolder) -> list[Message]:
    """Return a note that you can re-pair the open round.

    The list is empty if no match is open.
    """
    if not desk.rows.open.any():
        return []
    return [message("round.repairable", round=desk.rounds())]


def _with_activity(desk: OpenFolder, player: str, value: str) -> OpenFolder:
    """Return the folder with another cell in a player's column `active`.

    `player` is an identifier, and `value` is "true" or "false". The column is added if
    it is missing. Nothing is written.
    """
    player_position = desk.event.index[player]
    players_csv_table = _with_active_column(desk).changed(
        player_position, {"active": value}
    )
    return desk.changed({PLAYERS: players_csv_table})


def _with_active_column(desk: OpenFolder) -> TextTable:
    """Return players.csv with the column `active`; a new one has who takes part now.

    A column that is there stays as it is.
    """
    if "active" in desk.players.columns:
        return desk.players
    active_cells = [cell_text(is_present) for is_present in desk.event.present.tolist()]
    return desk.players.with_columns({"active": active_cells})


def _is_active(desk: OpenFolder, player: str) -> bool:
    """Return whether a player (an identifier) takes part in the rounds to come.

    A player with a requested bye does.
    """
    return bool(desk.event.present[desk.event.index[player]])


def forbid(
    folder: Folder,
    player: str,
    other: str,
    *,
    rounds: str | None = None,
    off: bool = False,
) -> Done:
    """Forbid a match of two players, or allow the match again with `off`.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    player, other : str
        The identifiers or the names of the two players.
    rounds : str, optional
        The rounds, such as 2-4 or 3. By default all; for players who have met, all to
        come. An earlier rule for the two is replaced.
    off : bool
        Whether to allow the match again.

    Returns
    -------
    Done
        The message names the two players. If the two players have a match in the
        current round, pairopt keeps this match, and the message names it.

    Raises
    ------
    UsageError
        If the event lacks one of the players, if both players are the same, if `rounds`
        contains an impossible round, or if the event is a round robin.
    """
    forbidden_rounds = None if rounds is None else _parse_rounds(rounds)
    if off and forbidden_rounds is not None:
        raise UsageError("pair.off_in_rounds")
    with open_folder(folder) as opened_folder:
        require_no_round_robin(opened_folder)
        identifier_pair = [
            opened_folder.identifier(player),
            opened_folder.identifier(other),
        ]
        shown_names = [
            opened_folder.event.called[pair_identifier]
            for pair_identifier in identifier_pair
        ]
        if identifier_pair[0] == identifier_pair[1]:
            raise UsageError("pair.the_same", name=shown_names[0])

        match_rows = opened_folder.rows
        positions_of_pair = {
            opened_folder.event.index[pair_identifier]
            for pair_identifier in identifier_pair
        }
        has_one_of_pair_first = np.isin(match_rows.first, [*positions_of_pair])
        is_match_of_pair = has_one_of_pair_first & np.isin(
            match_rows.second, [*positions_of_pair]
        )
        played_rounds = match_rows.round[is_match_of_pair & ~match_rows.open]
        last_round_played = int(played_rounds.max(initial=0))
        if last_round_played and not off and forbidden_rounds is None:
            # A round that is over was paired without this rule.
            next_round = last_round_played + 1
            last_round = opened_folder.event.settings.rounds or MOST_ROUNDS
            forbidden_rounds = next_round, max(next_round, last_round)

        forbidden_meetings = opened_folder.event.prohibited
        meeting_indices_of_pair = [
            meeting_index
            for meeting_index, meeting in enumerate(forbidden_meetings)
            if {meeting.one, meeting.two} == positions_of_pair
        ]
        pair_name = pair_text(*shown_names)
        rounds_phrase = when_text(forbidden_rounds)
        message_index = 1 if rounds_phrase else 0
        if off:
            message_index = 2
        rounds_of_pair_after = [] if off else [forbidden_rounds]
        if [
            forbidden_meetings[meeting_index].rounds
            for meeting_index in meeting_indices_of_pair
        ] == rounds_of_pair_after:
            message_id = FORBID_ALREADY_MESSAGES[message_index]
            unchanged_note = message(message_id, pair=pair_name, rounds=rounds_phrase)
            return opened_folder.unchanged("forbid", unchanged_note)

        edit_event_toml = partial(
            _replace_forbidden_pairs,
            identifier_pair,
            forbidden_rounds,
            meeting_indices_of_pair,
            off,
        )
        changed_folder = opened_folder.with_event_toml(edit_event_toml)
        forbidding_notes = [
            message(
                FORBID_MESSAGES[message_index], pair=pair_name, rounds=rounds_phrase
            )
        ]
        if not off:
            first_round, last_forbidden_round = forbidden_rounds or (
                1,
                opened_folder.rounds(),
            )
            is_in_forbidden_round = (match_rows.round >= first_round) & (
                match_rows.round <= last_forbidden_round
            )
            for open_row_index in np.flatnonzero(
                is_match_of_pair & match_rows.open & is_in_forbidden_round
            ):
                table_number = int(match_rows.table[open_row_index]) or None
                stays_note = message(
                    "table.stays",
                    table=table_number,
                    round=int(match_rows.round[open_row_index]),
                )
                forbidding_notes.append(stays_note)
        step_message = message(
            FORBID_STEP_MESSAGES[message_index],
            **opened_folder.build_player_fields(*identifier_pair),
            value=rounds_text(forbidden_rounds) if forbidden_rounds else "",
        )
        return changed_folder.committed("forbid", step_message, forbidding_notes)


def _parse_rounds(text: str) -> Rounds:
    """Parse rounds such as 2-4 or 3 into the first and the last round.

    Raise UsageError, with the reason, if the text has no rounds.
    """
    try:
        return parse_rounds(text)
    except ValueError as error:
        if isinstance(error, InvalidValueError):
            reason_note = error.said
        else:
            reason_note = message(str(error))
        heading_note = message("round.no_rounds", found=text)
        raise UsageError(with_heading(heading_note, reason_note)) from None


FORBID_MESSAGES = ("pair.apart", "pair.apart_in_rounds", "pair.together")
FORBID_ALREADY_MESSAGES = (
    "pair.apart_already",
    "pair.apart_in_rounds_already",
    "pair.together_already",
)
FORBID_STEP_MESSAGES = ("step.forbid", "step.forbid_rounds", "step.forbid_off")
"""The messages on a forbidden pair: in all rounds, in some rounds, or allowed again."""


def table(folder: Folder, player: str, number: int | None) -> Done:
    """Give a player a fixed table in later rounds, or remove it with None.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    player : str
        The identifier or the name of the player.
    number : int or None
        The table, from 1 to `HIGHEST_TABLE`.

    Returns
    -------
    Done
        The message names the player and the table.

    Raises
    ------
    UsageError
        If another player already has this fixed table, if no table can have this
        number, or if the event is a round robin.
    """
    with open_folder(folder) as opened_folder:
        require_no_round_robin(opened_folder)
        player = opened_folder.identifier(player)
        event = opened_folder.event
        player_position = event.index[player]
        message_fields = {
            "name": event.called[player],
            "table": number,
            "round": event.round,
        }
        if number is not None and not 1 <= number <= HIGHEST_TABLE:
            raise UsageError("table.not_within", table=number, highest=HIGHEST_TABLE)

        fixed_tables = event.fixed_table.tolist()
        if fixed_tables[player_position] == (number or 0):
            if number:
                message_id = "player.at_table_already"
            else:
                message_id = "player.at_any_table_already"
            return opened_folder.unchanged(
                "table", message(message_id, **message_fields)
            )
        if number in fixed_tables:
            owner_name = event.shown[fixed_tables.index(number)]
            raise UsageError("table.of_another", table=number, name=owner_name)

        players_csv_table = opened_folder.players.changed(
            player_position, {"table": str(number or "")}
        )
        changed_folder = opened_folder.changed({PLAYERS: players_csv_table})
        step_message = message(
            "step.table" if number else "step.table_off",
            **opened_folder.build_player_fields(player),
            value=number or "",
            before=fixed_tables[player_position] or "",
        )
        message_id = "player.at_table" if number else "player.at_any_table"
        return changed_folder.committed(
            "table", step_message, [message(message_id, **message_fields)]
        )


def _replace_forbidden_pairs(
    pair: list[str], turns: Rounds | None, entries: list[int], off: bool, content: Any
) -> None:
    """Delete entries of `forbid` in event.toml, and add one for the pair unless `off`.

    `pair` has the two identifiers. `entries` are the positions of those to delete,
    ascending, and `turns` is the first and last round of the new one (None: all
    rounds). `content` is edited in place.
    """
    if "forbid" not in content:
        content["forbid"] = []
    forbidden_entries = content["forbid"]
    for entry_index in reversed(entries):
        del forbidden_entries[entry_index]
    if not off:
        # Most steps change no setting, and start without tomlkit.
        from pairopt.folder.settings import format_forbidden

        forbidden_entries.append(format_forbidden(pair, turns))
