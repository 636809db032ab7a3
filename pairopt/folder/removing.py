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
        What was done. The player's requested byes and forbidden pairs are removed, too.
        Until round 4 is paired, the start numbers below theirs move up by one.

    Raises
    ------
    UsageError
        If the player has been paired or is in the bracket, or the others make no event.
    """
    with open_folder(folder) as desk:
        player = desk.identifier(player)
        position = desk.event.index[player]
        name = desk.event.called[player]
        _require_never_paired(desk, position)

        is_of_player = desk.rows.first == position
        is_other = np.arange(len(desk.event.players)) != position
        names = {player, desk.event.names[position]}
        changed_desk = desk.with_event_toml(partial(_remove_from_event_toml, names))
        if is_of_player.any():
            matches = desk.matches.select_rows(~is_of_player)
            changed_desk = changed_desk.changed({MATCHES: matches})
        players = desk.players
        has_numbers = "start" in players.columns
        has_numbers = has_numbers and is_ranked_by_start_number(desk.event)
        if has_numbers and desk.rounds() < FROZEN_FROM_ROUND:
            numbers = _close_number_gap(desk, position)
            players = players.with_columns({"start": numbers})
        changed_desk = changed_desk.changed({PLAYERS: players.select_rows(is_other)})
        build_changed_event(changed_desk)

        changed_desk, group_notes = with_baku_groups(changed_desk)
        notes = [message("player.removed", name=name), *group_notes]
        did = message("step.remove", **desk.build_player_fields(player))
        return changed_desk.committed("remove", did, notes)


def find_never_paired(desk: OpenFolder) -> set[int]:
    """Return the positions of players without any match or allocated bye."""
    rows = desk.rows.take(desk.rows.status != REQUESTED)
    paired = {*rows.first.tolist(), *rows.second.tolist()}
    in_bracket = {
        row.get(column, "")
        for row in read_rows(BRACKET, desk.files.get(BRACKET, b""))
        for column in ("player1", "player2")
    }
    players = enumerate(desk.event.players)
    return {p for p, player in players if p not in paired and player not in in_bracket}


def _require_never_paired(desk: OpenFolder, position: int) -> None:
    """Raise UsageError if a player has been paired, or is in the bracket."""
    if position in find_never_paired(desk):
        return
    rows = desk.rows
    is_of_player = (rows.first == position) | (rows.second == position)
    is_paired = is_of_player & (rows.status != REQUESTED)
    rounds = sorted(set(rows.round[is_paired].tolist()))
    name = desk.event.shown[position]
    if not rounds:
        raise UsageError("player.in_bracket", name=name)
    raise UsageError("player.paired_before", name=name, round=rounds[0])


def _close_number_gap(desk: OpenFolder, position: int) -> list[str]:
    """Return the start numbers without a gap after a player is removed.

    Those above a removed player's number are one smaller.
    """
    numbers = desk.event.start_numbers
    return [str(number - (number > numbers[position])) for number in numbers.tolist()]


def _remove_from_event_toml(names: set[str], content: Any) -> None:
    """Remove a player's forbidden pairs and byes from the content of event.toml."""
    for key in ("forbid", "byes"):
        entries = content.get(key, [])
        for k in reversed(range(len(entries))):
            entry = entries[k]
            if key == "byes":
                players = [entry["player"]]
            else:
                players = entry["players"] if hasattr(entry, "get") else entry
            if names & {str(player) for player in players}:
                del entries[k]
