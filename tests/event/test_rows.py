"""The rows of a paired round: tables, fixed tables, byes, and arcs in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pairopt import read_event
from pairopt.event.arcs import BYE, arcs_of
from pairopt.event.state import State, state_of
from pairopt.event.table_assignment import assign_tables


def state(points: str, **columns: Any) -> State:
    """Players A, B, ... who bring these points, and nobody dropped."""
    names = list("ABCDEFGH"[: len(points.split())])
    listed = pd.DataFrame({"player": names, "score": points.split(), **columns})
    none = pd.DataFrame(columns=["round", "player1", "player2", "score1", "score2"])
    return state_of(read_event(none, listed))


def seats(now: State, *pairs: str) -> list[str]:
    """The tables of these pairs (a letter alone has the bye), as "1 A-B"."""
    at = now.names.index
    first = [at(pair[0]) for pair in pairs]
    second = [at(pair[1]) if len(pair) > 1 else BYE for pair in pairs]
    rows, arcs = assign_tables(now, arcs_of(np.array(first), np.array(second)))
    named = [
        (now.names[a], None if b == BYE else now.names[b])
        for a, b in zip(arcs.first.tolist(), arcs.second.tolist(), strict=True)
    ]
    assert named == [(row["player1"], row["player2"]) for row in rows]
    return [
        f"{row['table'] or ''} {row['player1']}-{row['player2'] or ''}".strip()
        for row in rows
    ]


def test_tables_follow_the_higher_score_before_the_sum() -> None:
    now = state("9 0 6 6 6 3")
    assert seats(now, "EF", "CD", "BA") == ["1 A-B", "2 C-D", "3 E-F"]


def test_of_equal_higher_scores_the_sum_then_the_list_decides() -> None:
    now = state("6 6 6 6 0 3")
    assert seats(now, "BE", "CD", "AF") == ["1 C-D", "2 A-F", "3 B-E"]
    assert seats(state("3 3 3 3"), "CD", "BA") == ["1 A-B", "2 C-D"]


def test_of_two_fixed_tables_the_lower_is_taken_and_both_are_skipped() -> None:
    now = state("6 6 3 3", table=["5", "", "1", "2"])
    assert seats(now, "AB", "CD") == ["1 C-D", "5 A-B"]
    assert seats(state("6 6 3 3", table=["1", "4", "", ""]), "AB", "CD") == [
        "1 A-B",
        "2 C-D",
    ]
    assert seats(state("6 6 3 3", table=["4", "1", "", ""]), "AB", "CD") == [
        "1 A-B",
        "2 C-D",
    ]


def test_byes_come_last_without_a_table() -> None:
    assert seats(state("9 6 6"), "A", "CB") == ["1 B-C", "A-"]
