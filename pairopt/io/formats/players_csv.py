"""players.csv: who plays, and what a list of matches cannot say; alone, a first round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pairopt.errors import Fault, InputError
from pairopt.event import Event
from pairopt.io.build import build_event
from pairopt.io.schema import PlayerRow, validated
from pairopt.io.tables import Table, require

EXPECTED = "players.csv (player, and any of name, rating, club, active, score, table)"


@dataclass(frozen=True)
class Roster:
    """The rows of players.csv; `columns` are its raw cells, for `conflicts`."""

    name: str
    players: Sequence[PlayerRow]
    columns: Mapping[str, Sequence[str]]
    declares_active: bool


def recognises(table: Table) -> bool:
    """Whether a table lists players."""
    return "player" in table.columns


def read_players(table: Table) -> Roster:
    """The roster in a table. Raises InputError with every fault."""
    require(table, ["player"])
    players, faults = validated(table, PlayerRow)
    faults += player_faults(table, players)
    if faults:
        raise InputError(table.name, faults)
    return Roster(table.name, players, raw_columns(table), "active" in table.columns)


def raw_columns(table: Table) -> Mapping[str, Sequence[str]]:
    """The columns as lists of strings."""
    return {name: table.cells[name].tolist() for name in table.columns if name != "player"}


def player_faults(table: Table, players: Sequence[PlayerRow]) -> list[Fault]:
    """Players listed twice, fixed tables given twice, and empty cells of `active`."""
    faults: list[Fault] = []
    rows: dict[str, int] = {}
    tables: dict[int, int] = {}
    for player, row in zip(players, table.cells.index.tolist(), strict=bool(players)):
        if rows.setdefault(player.player, row) != row:
            message = f"{player.player!r} is already in row {rows[player.player]}"
            faults.append(Fault(message, row, "player"))
        if player.table and tables.setdefault(player.table, row) != row:
            message = f"table {player.table} is already taken in row {tables[player.table]}"
            faults.append(Fault(message, row, "table"))
        if "active" in table.columns and player.active is None:
            faults.append(Fault("found nothing, expected true or false", row, "active"))
    return faults


def read(
    table: Table,
    roster: Roster | None,
    *,
    round: int | None,
    sides: tuple[str, str] | None,
    history: bool,  # noqa: ARG001 - players alone have none
) -> Event:
    """Players alone: the first round."""
    if roster is not None:
        raise InputError(table.name, "lists players, as --players does; expected matches")
    roster = read_players(table)
    return build_event(
        table.name, [], [], roster.players,
        columns=roster.columns, sides=sides, declared=roster.declares_active, round=round,
    )  # fmt: skip
