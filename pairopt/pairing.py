"""Pairing: the arcs of a round as rows of matches.csv, sorted into tables."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

from pairopt.arcs import Arcs
from pairopt.state import State

COLUMNS = ("round", "table", "player1", "player2", "side1", "score1", "score2", "status")
MatchRow = dict[str, int | str | None]


def pairing_rows(state: State, arcs: Arcs) -> tuple[MatchRow, ...]:
    """The rows of the round: tables from 1 by score, then byes; None for an empty cell.

    Tables follow the higher score, then the sum of scores, then players.csv order, and skip
    fixed tables. Byes asked for in this run are rows too, as the file does not have them.
    """
    match = np.flatnonzero(arcs.match)
    first, second = arcs.first[match], arcs.second[match]
    score, place = state.score, state.player
    order = np.lexsort(
        (
            np.minimum(place[first], place[second]),
            -(score[first] + score[second]),
            -np.maximum(score[first], score[second]),
        )
    )
    wanted = state.event.fixed_table[place].tolist()
    taken = set(wanted)
    free = (table for table in itertools.count(1) if table not in taken)
    rows = []
    for k in order:
        one, two = int(first[k]), int(second[k])
        if not state.sided and (-score[one], place[one]) > (-score[two], place[two]):
            one, two = two, one
        fixed = [table for table in (wanted[one], wanted[two]) if table]
        table = min(fixed) if fixed else next(free)
        rows.append(_row(state, table, one, two))
    rows.sort(key=lambda row: int(row["table"] or 0))
    rows += [_bye(state, int(state.player[p]), "bye") for p in arcs.first[arcs.bye]]
    rows += [_bye(state, p, "requested") for p in state.event.requested]
    return tuple(rows)


def decimal_text(value: Fraction) -> str:
    """A finite decimal without needless zeros."""
    return f"{value.numerator}" if value.denominator == 1 else _digits(value)


def _digits(value: Fraction) -> str:
    places = next(k for k in range(1, 40) if (value * 10**k).denominator == 1)
    whole = abs(int(value * 10**places))
    sign = "-" if value < 0 else ""
    return f"{sign}{whole // 10**places}.{whole % 10**places:0{places}d}"


def _row(state: State, table: int, one: int, two: int) -> MatchRow:
    sides = state.event.sides
    return {
        "round": state.event.round,
        "table": table,
        "player1": state.names[one],
        "player2": state.names[two],
        "side1": sides[0] if sides else None,
        "score1": None,
        "score2": None,
        "status": None,
    }


def _bye(state: State, player: int, status: str) -> MatchRow:
    event = state.event
    given = status == "bye" or event.first_round_bye[player]
    return {
        "round": event.round,
        "table": None,
        "player1": event.players[player],
        "player2": None,
        "side1": None,
        "score1": decimal_text(state.win) if given else "0",
        "score2": None,
        "status": status,
    }
