"""The Dutch System by its rules until January 2026, through py4swiss."""

from __future__ import annotations

import sys
from fractions import Fraction

import pandas as pd
import pytest

from pairopt import UsageError, read_event, solve
from pairopt.lab import World, compare_models, simulate

pytest.importorskip("py4swiss", reason="py4swiss is not installed: pairopt[dutch]")


def test_the_first_round_is_the_handbooks() -> None:
    """Top half against bottom half in order of rating, sides alternating down the list."""
    players = pd.DataFrame(
        {"player": [f"p{k}" for k in range(1, 9)], "rating": range(2000, 1200, -100)}
    )
    pairings = solve(read_event(players.astype(str)), "fide-dutch-2017-py4swiss").pairings
    met = [frozenset(pair) for pair in zip(pairings["player1"], pairings["player2"], strict=True)]
    assert met == [frozenset((f"p{k}", f"p{k + 4}")) for k in range(1, 5)]
    white = [player in ("p1", "p2", "p3", "p4") for player in pairings["player1"]]
    assert white in ([True, False, True, False], [False, True, False, True])


@pytest.mark.parametrize("points", [(Fraction(1), Fraction(1, 2)), (Fraction(3), Fraction(1))])
@pytest.mark.parametrize("players", [20, 21])
def test_whole_tournaments_keep_the_rules(players: int, points: tuple[Fraction, Fraction]) -> None:
    world = World(players=players, rounds=6, drops=0.05, late=0.1, draws=0.3, rating_error=0.0,
                  win=points[0], draw=points[1], sides=("white", "black"))  # fmt: skip
    frame = compare_models(["fide-dutch-2017-py4swiss"], world, replicates=5)
    assert set(frame["status"]) == {"heuristic"}
    assert set(frame["engine"]) == {"py4swiss"}
    assert (frame["violations"] == 0).all()


def test_byes_and_forfeits_are_passed_on() -> None:
    rows = pd.DataFrame(
        [(1, "a", "b", "white", 1, 0, ""), (1, "c", "d", "white", 1, 0, "forfeit"),
         (1, "e", "", "", 1, "", "bye"), (1, "f", "", "", 0.5, "", "requested"),
         (1, "g", "", "", 1, "", "requested")],
        columns=["round", "player1", "player2", "side1", "score1", "score2", "status"],
    ).astype(str)  # fmt: skip
    event = read_event(rows)
    result = solve(event, "fide-dutch-2017-py4swiss")
    bye = [row["player1"] for row in result.matches if row["status"] == "bye"]
    assert bye in (["b"], ["d"])  # the lowest, and nobody who has had a point without playing
    apart = [row for row in result.matches if row["player2"] is not None]
    one = (str(apart[0]["player1"]), str(apart[0]["player2"]))
    other = solve(event, "fide-dutch-2017-py4swiss", forbid=[one])
    assert set(one) not in [{row["player1"], row["player2"]} for row in other.matches]


def test_it_needs_sides_and_py4swiss(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="sides"):
        simulate("fide-dutch-2017-py4swiss", World(players=4, rounds=1, sides=()))
    monkeypatch.setitem(sys.modules, "py4swiss.engines", None)
    with pytest.raises(UsageError, match=r"pip install"):
        simulate("fide-dutch-2017-py4swiss", World(players=4, rounds=1))
