"""Removal of a player who has never been paired from an event's files."""

from functools import partial
from typing import Any

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.event import REQUESTED
from pairopt.files.event_folder import BRACKET, MATCHES, PLAYERS
from pairopt.folder.open_folder import (
    Done,
    Folder,
    OpenFolder,
    build_changed_event,
    open_folder,
)
from pairopt.folder.pairing_numbers import (
    FROZEN_FROM_ROUND,
    is_ranked_by_start_number,
    with_baku_groups,
)
from pairopt.folder.protected_facts import read_rows
from pairopt.messages import message


def remove(folder: Folder, player: str) -> Done:
    """Remove a player who has never been paired from all files of an event.

    Parameters
    ----------
    folder : path or OpenFolder
        The event folder.
    player : str
        The identifier or the name of the player.

    Returns
    -------
    Done
        The message names the player. `remove` also deletes the player's requested byes
        and forbidden pairs. Until round 4 is paired, the players with later start
        numbers move up by one. Under Baku Acceleration, some players have virtual
        points. If you remove a player before round 1 is paired, other players may get
        these virtual points. If the removal gives virtual points to other players, a
        note names the last player with virtual points.

    Raises
    ------
    UsageError
        If the player has been paired or is in the bracket of the top cut, or if the
        other players are too few for an event.
    """
    with open_folder(folder) as opened_folder:
        player = opened_folder.identifier(player)
        player_position = opened_folder.event.index[player]
        player_name = opened_folder.event.called[player]
        _require_never_paired(opened_folder, player_position)

        is_bye_of_player = opened_folder.rows.first == player_position
        is_row_of_other_player = (
            np.arange(len(opened_folder.event.players)) != player_position
        )
        names_of_player = {player, opened_folder.event.names[player_position]}
        # The name may be the identifier of another player, who is then meant by it.
        names_of_player -= opened_folder.event.index.keys() - {player}
        changed_folder = opened_folder.with_event_toml(
            partial(_remove_from_event_toml, names_of_player)
        )
        if is_bye_of_player.any():
            matches_csv_table = opened_folder.matches.select_rows(~is_bye_of_player)
            changed_folder = changed_folder.changed({MATCHES: matches_csv_table})
        players_csv_table = opened_folder.players
        has_start_numbers = "start" in players_csv_table.columns
        has_start_numbers = has_start_numbers and is_ranked_by_start_number(
            opened_folder.event
        )
        if has_start_numbers and opened_folder.rounds() < FROZEN_FROM_ROUND:
            start_numbers = _close_number_gap(opened_folder, player_position)
            players_csv_table = players_csv_table.with_columns({"start": start_numbers})
        changed_folder = changed_folder.changed(
            {PLAYERS: players_csv_table.select_rows(is_row_of_other_player)}
        )
        build_changed_event(changed_folder)

        changed_folder, group_notes = with_baku_groups(changed_folder)
        removal_notes = [message("player.removed", name=player_name), *group_notes]
        step_message = message(
            "step.remove", **opened_folder.build_player_fields(player)
        )
        return changed_folder.committed("remove", step_message, removal_notes)


def find_never_paired(desk: OpenFolder) -> set[int]:
    """Return the positions of players who have no match and no allocated bye.

    Requested byes don't count. Players of the top cut's bracket are left out as well.
    """
    paired_rows = desk.rows.take(desk.rows.status != REQUESTED)
    paired_positions = {*paired_rows.first.tolist(), *paired_rows.second.tolist()}
    bracket_players = {
        bracket_row.get(player_column, "")
        for bracket_row in read_rows(BRACKET, desk.files.get(BRACKET, b""))
        for player_column in ("player1", "player2")
    }
    positions_and_identifiers = enumerate(desk.event.players)
    return {
        player_position
        for player_position, identifier in positions_and_identifiers
        if player_position not in paired_positions and identifier not in bracket_players
    }


def _require_never_paired(desk: OpenFolder, position: int) -> None:
    """Raise UsageError if a player has been paired, or is in the bracket.

    `position` is the player's position in the event.
    """
    if position in find_never_paired(desk):
        return
    match_rows = desk.rows
    is_row_of_player = (match_rows.first == position) | (match_rows.second == position)
    is_paired_row_of_player = is_row_of_player & (match_rows.status != REQUESTED)
    paired_rounds = sorted(set(match_rows.round[is_paired_row_of_player].tolist()))
    player_name = desk.event.shown[position]
    if not paired_rounds:
        raise UsageError("player.in_bracket", name=player_name)
    raise UsageError("player.paired_before", name=player_name, round=paired_rounds[0])


def _close_number_gap(desk: OpenFolder, position: int) -> list[str]:
    """Return all start numbers as texts, without the gap that a player leaves.

    Numbers above that of the player at `position` are one smaller. They are in the
    event's order, and this player still has an entry.
    """
    start_numbers = desk.event.start_numbers
    return [
        str(start_number - (start_number > start_numbers[position]))
        for start_number in start_numbers.tolist()
    ]


def _remove_from_event_toml(names: set[str], content: Any) -> None:
    """Remove a player's forbidden pairs and byes from the content of event.toml.

    `names` are the texts that mean this player; `content` is edited in place.
    """
    for toml_key in ("forbid", "byes"):
        toml_entries = content.get(toml_key, [])
        for entry_index in reversed(range(len(toml_entries))):
            toml_entry = toml_entries[entry_index]
            if toml_key == "byes":
                player_texts = [toml_entry["player"]]
            else:
                player_texts = (
                    toml_entry["players"] if hasattr(toml_entry, "get") else toml_entry
                )
            if names & {str(named_player) for named_player in player_texts}:
                del toml_entries[entry_index]
