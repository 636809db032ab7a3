"""Models `aesops` and `leaguevine`: their formulas on small rounds worked by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pairopt import Event, InputError, load_model, read_event, solve
from pairopt.event.arcs import BYE, arcs_of
from pairopt.problem.model import parse_model
from pairopt.problem.problem import problem_of
from pairopt.rules.criteria.aesops import AesopsCost

COLUMNS = ["round", "player1", "player2", "side1", "score1", "score2", "status"]


def after(*rows: tuple[int, str, str, float, float]) -> Event:
    """An event of matches in which player1 is Corp."""
    made = [(n, one, two, "corp", a, b, "") for n, one, two, a, b in rows]
    return read_event(pd.DataFrame(made, columns=COLUMNS))


@pytest.mark.long
def test_aesops_cost_of_each_match() -> None:
    # A: 6 points, twice Corp; B: 3, Runner twice; C: 1, Corp and Runner; D: 1, both
    event = after(
        (1, "A", "B", 3, 0),
        (1, "C", "D", 1, 1),
        (2, "A", "D", 3, 0),
        (2, "C", "B", 0, 3),
    )
    problem = problem_of(event, load_model("aesops"))
    state, rule = problem.state, AesopsCost()
    at = {name: k for k, name in enumerate(state.names)}
    bias = {name: int(state.bias[k]) for name, k in at.items()}
    assert bias == {"A": 2, "B": -2, "C": 2, "D": -2}
    score = {name: int(state.score[k]) for name, k in at.items()}
    assert score == {"A": 6, "B": 3, "C": 1, "D": 1}
    arcs = arcs_of(
        np.array([at["B"], at["A"], at["A"], at["C"]]),
        np.array([at["A"], at["B"], at["C"], BYE]),
    )
    values = rule.values(state, arcs, [1, 2]) / rule.scale(state)
    # B - A: gap 3 costs 6, opposite biases nothing; after it -1 and 1
    # A - B: the same cost, but the biases become 3 and -3
    # A - C: gap 5 costs 15, and 8^4; 3 and 1 after it
    assert values.tolist() == [[6, 2], [6, 6], [15 + 8**4, 4], [0, 2]]


def test_aesops_lets_bias_outweigh_a_small_score_gap() -> None:
    # round 1: A, C win as Corp; A - C would cost 8^2, A with B or D (gap 3) only 6
    event = after((1, "A", "B", 3, 0), (1, "C", "D", 3, 0))
    result = solve(event, "aesops")
    assert result.proven
    assert [(v.level, v.value) for v in result.level_values] == [(1, 12 * 2), (2, 0)]
    corps = {m["player1"] for m in result.matches}
    assert corps == {"B", "D"}


def test_aesops_divides_by_its_unit() -> None:
    raw = {
        "name": "x",
        "sides": ["corp", "runner"],
        "criteria": [{"kind": "aesops_cost", "unit": 1.5}],
    }
    event = after((1, "A", "B", 3, 0), (1, "C", "D", 3, 0))
    cost = solve(event, parse_model(raw)).level_values[0]
    assert cost.value is not None
    assert cost.value / cost.scale == 2 * 3  # two gaps of 2 units cost 3 each
    with pytest.raises(InputError, match="Expected unit > 0"):
        parse_model(raw | {"criteria": [{"kind": "aesops_cost", "unit": 0}]})


def test_leaguevine_squares_the_rank_gaps() -> None:
    players = pd.DataFrame({"player": list("ABCDE"), "score": [4, 3, 2, 1, 0]})
    event = read_event(players, relax=["history"])
    result = solve(event, "leaguevine")
    # neighbours: gaps 1, 1 and 1 to the bye, which ranks sixth
    assert [v.value for v in result.level_values] == [3]
    apart = solve(event, "leaguevine", forbid=[("A", "B")])
    # A - C and B - D cost 4 each, E has the bye: 9
    assert [v.value for v in apart.level_values] == [9]
    assert {frozenset((m["player1"], m["player2"])) for m in apart.matches} == {
        frozenset("AC"),
        frozenset("BD"),
        frozenset(("E", None)),
    }
