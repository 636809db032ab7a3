"""players.csv: who plays, and what a list of matches cannot say; alone, a first round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from pairopt.errors import Cell, Fault, InputError
from pairopt.event.event import NO_RATING, Event
from pairopt.files.build import build_event
from pairopt.files.formats.base import Format, Reading, Roster
from pairopt.files.schema import PlayerRow, validated
from pairopt.files.tables import Table, require
from pairopt.files.write import csv_text
from pairopt.wording import decimal_text, quoted

OWN = {"name", "rating", "active", "score", "table", "first_round_bye", "start", "virtual"}
"""Columns with a meaning of their own; others are for `conflicts`."""
HISTORY = {"score", "opponents", "byes"}
"""Columns of which any makes a list of players standings."""
MATCHES = {"player1", "player2", "round"}
"""Columns of which any makes a list of matches."""


def recognises(table: Table) -> bool:
    """Whether a table lists players who have not played yet."""
    return lists_players(table) and HISTORY.isdisjoint(table.columns)


def lists_players(table: Table) -> bool:
    """Whether a table lists players by a column player, or name where it lists no matches."""
    columns = {*table.columns}
    return "player" in columns or ("name" in columns and columns.isdisjoint(MATCHES))


def read_players(table: Table) -> Roster:
    """The roster in a table. Raises InputError with every fault.

    A column `name` alone is that of the players.
    """
    if "player" not in table.columns and "name" in table.columns:
        table = table.renamed({"name": "player"})
    require(table, ["player"])
    players, faults = validated(table, PlayerRow)
    faults += player_faults(table, players)
    if faults:
        raise InputError(table.name, faults)
    return Roster(
        table.name, players, raw_columns(table), "active" in table.columns,
        replace(table.layout, columns=()), table.notes,
    )  # fmt: skip


def raw_columns(table: Table) -> Mapping[str, Sequence[str]]:
    """The columns as lists of strings, numbers with a decimal point."""
    return {name: table.plain(name) for name in table.columns if name != "player"}


def player_faults(table: Table, players: Sequence[PlayerRow]) -> list[Fault]:
    """Players, fixed tables and start numbers given twice, and empty cells of `active`."""
    faults: list[Fault] = []
    rows: dict[str, int] = {}
    tables: dict[int, int] = {}
    starts: dict[int, int] = {}
    for player, row in zip(players, table.rows, strict=bool(players)):
        if rows.setdefault(player.player, row) != row:
            message = f"{quoted(player.player)} is already in row {rows[player.player]}"
            faults.append(Fault(message, Cell(row, "player")))
        if player.table and tables.setdefault(player.table, row) != row:
            message = f"table {player.table} is already taken in row {tables[player.table]}"
            faults.append(Fault(message, Cell(row, "table")))
        if player.start and starts.setdefault(player.start, row) != row:
            message = f"start number {player.start} is already in row {starts[player.start]}"
            faults.append(Fault(message, Cell(row, "start")))
        if "active" in table.columns and player.active is None:
            message = "found nothing, expected true or false"
            faults.append(Fault(message, Cell(row, "active")))
    return faults


def read(table: Table, how: Reading) -> Event:
    """Players alone: the first round."""
    roster = read_players(table)
    return build_event(
        table.name, [], [], roster.players,
        columns=roster.columns, sides=how.sides, declared=roster.declares_active, round=how.round,
    )  # fmt: skip


def columns_of(event: Event) -> dict[str, list[str]]:
    """The columns of players.csv that say something of this event, besides `player`."""
    has_rating = event.rating != NO_RATING
    by_rating = np.argsort(-event.rating, kind="stable")
    usual = (np.argsort(event.start_numbers) == by_rating).all()
    made = {
        "name": list(event.names) if event.names != event.players else [],
        "rating": [
            str(r) if there else "" for r, there in zip(event.rating, has_rating, strict=True)
        ] if has_rating.any() else [],
        "score": [
            decimal_text(Fraction(int(score), event.scale)) for score in event.brought
        ] if event.brought.any() else [],
        "table": [str(t or "") for t in event.fixed_table] if event.fixed_table.any() else [],
        "first_round_bye": [
            str(bool(bye)).lower() for bye in event.first_round_bye
        ] if event.first_round_bye.any() else [],
        "start": [] if usual else [str(number) for number in event.start_numbers],
        "virtual": [
            " ".join(decimal_text(Fraction(int(each), event.scale)) for each in row)
            for row in event.acceleration
        ] if event.acceleration.any() else [],
        "active": [
            str(bool(active)).lower() for active in event.declared_active
        ] if event.declared_active is not None else [],
    }  # fmt: skip
    made |= {name: list(cells) for name, cells in event.columns.items()}
    return {name: cells for name, cells in made.items() if cells}


def needed(event: Event) -> bool:
    """Whether matches.csv alone would not give the same event."""
    rows = event.matches
    both = np.column_stack([rows.first, rows.second]).ravel()
    seen = list(dict.fromkeys(both[both >= 0].tolist()))
    return seen != list(range(len(event.players))) or bool(columns_of(event))


def text_of(event: Event, active: bool = False) -> str:
    """players.csv of an event; with `active` it says in any case who is in the round to pair."""
    columns = {"player": list(event.players), **columns_of(event)}
    if active:
        columns["active"] = [str(bool(each)).lower() for each in event.present]
    rows = (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
    return csv_text(rows, replace(event.layout, columns=tuple(columns)))


FORMAT = Format(
    name="players",
    expected="players.csv (player, and any of name, rating, club, active, score, table)",
    of=Table,
    recognises=recognises,
    read=read,
    suffixes=(".csv",),
)
