"""Removing: `remove` takes a player who has never been paired out of an event's files."""

from functools import partial
from typing import Any

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.event import REQUESTED
from pairopt.files.event_folder import BRACKET, MATCHES, PLAYERS
from pairopt.folder.open_folder import Done, Folder, OpenFolder, event_with, open_folder
from pairopt.folder.pairing_numbers import FROZEN, ranks, with_baku_groups
from pairopt.folder.protected_facts import rows_of
from pairopt.messages import message


def remove(folder: Folder, player: str) -> Done:
    """Remove a player who has never been paired from all files of an event.

    Parameters
    ----------
    folder : path or Desk
        The event folder.
    player : str
        The identifier or the name of the player.

    Returns
    -------
    Done
        What was done. Byes that the player asked for go too, and so do pairs with them who may not
        meet. Until round 4 is paired, the start numbers below theirs move up by one.

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

        own = desk.rows.first == position
        others = np.arange(len(desk.event.players)) != position
        names = {player, desk.event.names[position]}
        new = desk.edited(partial(_without, names))
        if own.any():
            new = new.changed({MATCHES: desk.matches.select_rows(~own)})
        players = desk.players
        if "start" in players.columns and ranks(desk.event) and desk.rounds() < FROZEN:
            players = players.with_columns({"start": _closed_up(desk, position)})
        new = new.changed({PLAYERS: players.select_rows(others)})
        event_with(new)

        new, more = with_baku_groups(new)
        said = [message("player.removed", name=name), *more]
        return new.committed("remove", message("step.remove", **desk.of(player)), said)


def never_paired(desk: OpenFolder) -> set[int]:
    """Return the positions of the players who have never been paired, nor had an allocated bye."""
    rows = desk.rows.take(desk.rows.status != REQUESTED)
    paired = {*rows.first.tolist(), *rows.second.tolist()}
    in_bracket = {
        row.get(column, "")
        for row in rows_of(BRACKET, desk.files.get(BRACKET, b""))
        for column in ("player1", "player2")
    }
    players = enumerate(desk.event.players)
    return {p for p, player in players if p not in paired and player not in in_bracket}


def _require_never_paired(desk: OpenFolder, position: int) -> None:
    if position in never_paired(desk):
        return
    rows = desk.rows
    own = (rows.first == position) | (rows.second == position)
    rounds = sorted(set(rows.round[own & (rows.status != REQUESTED)].tolist()))
    name = desk.event.shown[position]
    if not rounds:
        raise UsageError("player.in_bracket", name=name)
    raise UsageError("player.paired_before", name=name, round=rounds[0])


def _closed_up(desk: OpenFolder, position: int) -> list[str]:
    """Return the start numbers without a gap after a player was removed."""
    numbers = desk.event.start_numbers
    return [str(number - (number > numbers[position])) for number in numbers.tolist()]


def _without(names: set[str], content: Any) -> None:
    """Take a player's pairs and byes out of event.toml."""
    for key in ("forbid", "byes"):
        entries = content.get(key, [])
        for k in reversed(range(len(entries))):
            entry = entries[k]
            if key == "byes":
                meant = [entry["player"]]
            else:
                meant = entry["players"] if hasattr(entry, "get") else entry
            if names & {str(each) for each in meant}:
                del entries[k]
