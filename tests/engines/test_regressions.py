"""Small cases that once went wrong; each compares levels, or an answer's status."""

from __future__ import annotations

import pytest
from events import Case, event_of, model_of, pairing_of, vector_of
from oracle import Model, Player

from pairopt import UsageError, solve
from pairopt.problem.options import Formulation


def field(scores: str, ratings: str = "") -> list[Player]:
    """Players A, B, C…; a rating of - is none."""
    players: list[Player] = [
        {"player": name, "active": True, "score": score, "rating": None}
        for name, score in zip("ABCDEFGH", scores.split(), strict=False)
    ]
    for player, rating in zip(players, ratings.split(), strict=False):
        player["rating"] = None if rating == "-" else rating
    return players


def model(*criteria: dict[str, object], objective: str = "lexicographic") -> Model:
    return {
        "name": "drawn",
        "objective": objective,
        "constraints": {},
        "criteria": list(criteria),
    }


@pytest.mark.parametrize("formulation", ["classes", "pairs"])
def test_players_without_a_rating_rank_last(formulation: Formulation) -> None:
    # Ranks B, C, D, A.
    players = field("0 0 0 0", "- 1500 1400 1300")
    case = Case([], players, model({"kind": "pairing_style", "style": "adjacent"}))
    result = solve(case.event(), model_of(case.model), formulation=formulation)
    assert {frozenset(arc) for arc in pairing_of(result)} == {
        frozenset("BC"),
        frozenset("DA"),
    }
    assert vector_of(result.level_values) == case.oracle().optimum() == {}


@pytest.mark.parametrize("formulation", ["classes", "pairs"])
@pytest.mark.parametrize(
    ("scores", "ratings", "bits"),
    [("3 4 0 3", "1003 1002 1000 1001", 51), ("2 3 2 0", "1000 1001 1003 1002", 52)],
)
def test_a_weighted_optimum_is_exact_where_floats_are_not(
    scores: str, ratings: str, bits: int, formulation: Formulation
) -> None:
    # Sums of 53 bits and more, in which the second criterion is the last bits.
    first, second = (
        {"kind": "score_difference"},
        {"kind": "pairing_style", "style": "slide"},
    )
    players = field(scores, ratings)
    weighted = model(
        {**first, "weight": 2**bits}, {**second, "weight": 1}, objective="weighted"
    )
    best = Case([], players, model(first, second)).oracle().optimum()
    result = solve(event_of([], players), model_of(weighted), formulation=formulation)
    assert vector_of(result.level_values) == best


def test_a_forced_pair_out_of_the_round_is_not_ignored() -> None:
    players = field("0 0 0 0")
    players[2]["active"] = players[3]["active"] = False
    event, rules = event_of([], players), model_of(model())
    try:
        status = solve(event, rules, force=[("C", "D")]).status
    except UsageError:
        return
    assert status == "infeasible"
