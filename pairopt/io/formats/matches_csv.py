"""matches.csv: one row a match; the file that `solve` reads, and also the one it writes."""

from __future__ import annotations

from pairopt.errors import InputError
from pairopt.event import Event
from pairopt.io.build import build_event
from pairopt.io.formats.players_csv import Roster
from pairopt.io.schema import MatchRow, PlayerRow, validated
from pairopt.io.tables import Table, require

EXPECTED = "matches.csv (round, table, player1, player2, side1, score1, score2, status)"
NEEDED = ("round", "player1", "player2", "score1", "score2")


def recognises(table: Table) -> bool:
    """Whether a table lists matches."""
    return "player" not in table.columns and not {"player1", "player2", "round"}.isdisjoint(
        table.columns
    )


def read(
    table: Table,
    roster: Roster | None,
    *,
    round: int | None,
    sides: tuple[str, str] | None,
    history: bool,  # noqa: ARG001 - matches are the history
) -> Event:
    """The event; without a roster its players are those of the matches, in their order."""
    require(table, NEEDED)
    rows, faults = validated(table, MatchRow)
    if faults:
        raise InputError(table.name, faults)
    if roster is None:
        if not rows:
            raise InputError(table.name, "no matches, and no --players: nobody to pair")
        names = dict.fromkeys(n for row in rows for n in (row.player1, row.player2) if n)
        roster = Roster(table.name, [PlayerRow(player=name) for name in names], {}, False)
    return build_event(
        table.name, rows, table.cells.index.tolist(), roster.players,
        columns=roster.columns, sides=sides, declared=roster.declares_active, round=round,
    )  # fmt: skip
