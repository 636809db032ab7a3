"""py4swiss beside the Dutch System: the benchmarks' peer is given what it needs of an event."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

from pairopt import read_event
from pairopt.lab import World, compare_models

pytest.importorskip("py4swiss", reason="py4swiss is not installed: pairopt[bench]")
sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from py4swiss_peer import py4swiss


def test_the_first_round_is_the_handbooks() -> None:
    """Top half against bottom half in order of rating, sides alternating down the list."""
    players = pd.DataFrame(
        {"player": [f"p{k}" for k in range(1, 9)], "rating": range(2000, 1200, -100)}
    )
    pairs = py4swiss(read_event(players.astype(str)), 0)
    assert pairs is not None
    assert {frozenset(pair) for pair in pairs} == {
        frozenset((f"p{k}", f"p{k + 4}")) for k in range(1, 5)
    }
    white = [
        one in ("p1", "p2", "p3", "p4")
        for one, _ in sorted(pairs, key=lambda p: sorted(p))
    ]
    assert white in ([True, False, True, False], [False, True, False, True])


@pytest.mark.sweep
@pytest.mark.parametrize(
    "points", [(Fraction(1), Fraction(1, 2)), (Fraction(3), Fraction(1))]
)
@pytest.mark.parametrize("players", [20, 21])
def test_whole_tournaments_keep_the_rules(
    players: int, points: tuple[Fraction, Fraction]
) -> None:
    world = World(
        players=players,
        rounds=6,
        drops=0.05,
        late=0.1,
        draws=0.3,
        rating_error=0.0,
        win=points[0],
        draw=points[1],
        sides=("white", "black"),
    )
    frame = compare_models([py4swiss], world, replicates=5)
    assert set(frame["status"]) == {"heuristic"}
    assert (frame["violations"] == 0).all()


def test_byes_and_forfeits_are_passed_on() -> None:
    rows = pd.DataFrame(
        [
            (1, "a", "b", "white", 1, 0, ""),
            (1, "c", "d", "white", 1, 0, "forfeit"),
            (1, "e", "", "", 1, "", "bye"),
            (1, "f", "", "", 0.5, "", "requested"),
            (1, "g", "", "", 1, "", "requested"),
        ],
        columns=["round", "player1", "player2", "side1", "score1", "score2", "status"],
    ).astype(str)
    pairs = py4swiss(read_event(rows), 0)
    assert pairs is not None
    # the lowest, and nobody who has had a point without playing
    assert [pair for pair in pairs if len(pair) == 1] in ([("b",)], [("d",)])
