"""Constraint `lowest_bye`, worked by hand: who may have the bye of Aesop's Tables."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pairopt import read_event
from pairopt.event.arcs import BYE, arcs_of
from pairopt.event.state import state_of
from pairopt.rules.constraints.lowest_bye import LowestBye

COLUMNS = ["round", "player1", "player2", "score1", "score2", "status"]
Row = tuple[int, str, str | None, int, int | None, str]


def may_have_it(*rows: Row) -> set[str]:
    state = state_of(
        read_event(pd.DataFrame(list(rows), columns=COLUMNS, dtype=object))
    )
    everyone = np.arange(len(state))
    legal = LowestBye().legal(state, arcs_of(everyone, np.full(len(state), BYE)))
    return {state.names[p] for p in np.flatnonzero(legal)}


def test_equal_points_and_strength_are_told_apart_by_extended_strength() -> None:
    # B and D have 0 points, and lost their one game to A and C, who won twice: both SoS are 3.
    # A also beat E (3 in 2 rounds): A's SoS is 3/4; C beat H (1 in 2): C's is 1/4. So D.
    rows: list[Row] = [
        (1, "A", "B", 3, 0, ""),
        (1, "C", "D", 3, 0, ""),
        (1, "E", "F", 3, 0, ""),
        (1, "G", "H", 1, 1, ""),
        (1, "I", None, 3, None, "bye"),
        (2, "A", "E", 3, 0, ""),
        (2, "C", "H", 3, 0, ""),
        (2, "F", "G", 3, 0, ""),
        (2, "I", None, 3, None, "bye"),
        (2, "B", None, 0, None, "requested"),
        (2, "D", None, 0, None, "requested"),
    ]
    assert may_have_it(*rows) == {"D"}
    # where A and C have beaten players of equal strength, either may have it
    rows[3], rows[6] = (1, "G", "H", 3, 0, ""), (2, "C", "G", 3, 0, "")
    rows[7] = (2, "F", "H", 1, 1, "")
    assert may_have_it(*rows) == {"B", "D"}


def test_when_all_have_had_one_it_goes_to_the_lowest_of_those_with_fewest() -> None:
    # C has 0 points, but two byes; A has 10 points and B 7, with one bye each
    rows: list[Row] = [
        (1, "A", "B", 3, 0, ""),
        (1, "C", None, 0, None, "bye"),
        (2, "A", "C", 3, 0, ""),
        (2, "B", None, 3, None, "bye"),
        (3, "B", "C", 3, 0, ""),
        (3, "A", None, 3, None, "bye"),
        (4, "A", "B", 1, 1, ""),
        (4, "C", None, 0, None, "bye"),
    ]
    assert may_have_it(*rows) == {"B"}


def test_whoever_has_not_played_is_passed_over() -> None:
    rows: list[Row] = [
        (1, "A", "B", 3, 0, ""),
        (1, "C", "D", 0, 3, "forfeit"),
        (1, "E", None, 3, None, "bye"),
    ]
    assert may_have_it(*rows) == {"B"}
