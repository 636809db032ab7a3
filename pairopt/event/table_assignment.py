"""Tables: the arcs of a round as rows of matches.csv, sorted into tables."""

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import itemgetter

import numpy as np

from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.column_layout import COLUMNS, NAMES, ColumnLayout
from pairopt.event.event import Event
from pairopt.event.state import State
from pairopt.messages.formatting import decimal_text

PairedRow = dict[str, int | str | None]
"""The cells of a row of matches.csv before there is a result."""


def assign_tables(
    state: State, arcs: Arcs, *, ranked: bool = False
) -> tuple[tuple[PairedRow, ...], Arcs]:
    """Return the rows of the round in order, None for an empty cell, and their arcs.

    Tables from the event's first follow the higher score, then the sum of scores, then
    players.csv order (`ranked`: as FIDE's boards, C.04.2, 3.6 and C.04.7, 1.5, virtual
    points counted, by start numbers), and skip fixed tables. Then come allocated byes,
    and last requested byes, which are no arcs. In a game without sides the player with
    the higher score is named first.
    """
    score, place = state.score.tolist(), state.player.tolist()
    fide = state.fide if ranked else None
    points, order = (
        (fide.score.tolist(), fide.rank.tolist()) if fide else (score, place)
    )

    def table_key(seats: tuple[int, int]) -> tuple[int, int, int]:
        """Return the key that sorts a match into the tables."""
        one, two = seats
        a, b = points[one], points[two]
        return -max(a, b), -(a + b), min(order[one], order[two])

    seats = [(one, two) for one, two in arcs.pairs if two != BYE]
    if not state.sided:
        rank = np.argsort(np.lexsort((place, -state.score)))
        seats = [
            pair if rank[pair[0]] < rank[pair[1]] else pair[::-1] for pair in seats
        ]
    seats.sort(key=table_key)
    first = state.event.settings.first_table or 1
    tables: Sequence[int] = range(first, first + len(seats))
    if np.count_nonzero(state.event.fixed_table):
        wanted = state.event.fixed_table[place].tolist()
        tables = _table_numbers(wanted, seats, first)
        seats = [
            pair
            for _, pair in sorted(zip(tables, seats, strict=True), key=itemgetter(0))
        ]
        tables = sorted(tables)
    byes = arcs.first[arcs.bye].tolist()
    event, names = state.event, state.names
    same = _row(event, side1=event.sides[0] if event.sides else None)
    rows = [
        {**same, "table": number, "player1": names[one], "player2": names[two]}
        for number, (one, two) in zip(tables, seats, strict=True)
    ]
    rows += [_bye_row(state, place[p], "bye") for p in byes]
    rows += [_bye_row(state, p, "requested") for p in event.requested]
    both = np.array([*seats, *((player, BYE) for player in byes)], np.int64).reshape(
        -1, 2
    )
    return tuple(rows), arcs_of(*both.T)


def _table_numbers(
    wanted: Sequence[int], seats: Iterable[tuple[int, int]], first: int
) -> list[int]:
    """Return each match's table: its players' lower fixed one, or the next free one."""
    free = (table for table in itertools.count(first) if table not in wanted)
    fixed = ([wanted[player] for player in pair if wanted[player]] for pair in seats)
    return [min(own) if own else next(free) for own in fixed]


def add_name_columns(event: Event, rows: Iterable[PairedRow]) -> list[PairedRow]:
    """Return rows with `name1` and `name2`, if names differ from identifiers."""
    if event.names == event.players:
        return list(rows)
    name: dict[object, str] = dict(zip(event.players, event.names, strict=True))
    return [
        {**row, "name1": name[row["player1"]], "name2": name.get(row["player2"])}
        for row in rows
    ]


def layout_of(event: Event, rows: Iterable[PairedRow]) -> ColumnLayout:
    """Return the layout to write rows with, extended by the columns that they need."""
    layout = event.origin.layout
    if not layout.columns:
        return layout.with_columns(COLUMNS + NAMES * (event.names != event.players))
    rows = list(rows)
    asked = any(row["status"] == "requested" for row in rows)
    return layout.with_columns(
        ["side1"] * any(row["side1"] for row in rows) + ["status"] * asked
    )


def _row(event: Event, **cells: int | str | None) -> PairedRow:
    """Return a row of the round to pair with these cells, None in all others."""
    return {**dict.fromkeys(COLUMNS), "round": event.round, **cells}


def _bye_row(state: State, player: int, status: str) -> PairedRow:
    """Return the row of a bye with its points."""
    event, points = state.event, state.event.settings.points
    if status == "bye":
        worth = state.win if points is None else points.allocated_bye
    else:
        worth = Fraction(0) if points is None else points.requested_bye
    return _row(
        event, player1=event.players[player], score1=decimal_text(worth), status=status
    )
