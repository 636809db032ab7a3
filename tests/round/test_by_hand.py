"""`by_hand`: what somebody wants is measured as what is solved for, sides the better way round."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from events import REPEATABLE, Case, cases, constraints, events, model_of, models
from hypothesis import example, given, settings
from hypothesis import strategies as st
from simulation import rounds

from pairopt import solve
from pairopt.problem.levels import decisive_levels
from pairopt.problem.model import parse_model
from pairopt.round.manual import check_manual_pairing


def as_solved(event: Any, model: Any, seed: int, options: dict[str, Any]) -> None:
    """The optimal pairs by hand, in any order, are as good as the optimum."""
    best = solve(event, model, seed=seed, **options)
    if best.arcs is None:
        return
    rng = Random(seed)
    wanted = [
        tuple(rng.sample(pair, len(pair)))
        for pair in rng.sample(best.pairs, len(best.pairs))
    ]
    made = check_manual_pairing(event, wanted, model, seed=seed, **options)
    assert not made.conflicts
    assert [level.value for level in decisive_levels(made.level_values)] == [
        level.value for level in best.decisive
    ]
    assert (made.status, made.proven, made.proven_by) == ("heuristic", False, ())


@pytest.mark.long
@settings(REPEATABLE, max_examples=40)
@given(cases(events(2, 9), models(hard=constraints(most=1), weighted=True)))
def test_by_weights(case: Case) -> None:
    as_solved(case.event(), model_of(case.model), case.seed, case.options)


@pytest.mark.long
@settings(REPEATABLE, max_examples=40)
@given(cases(events(2, 9), models(hard=constraints(most=1))))
def test_level_by_level(case: Case) -> None:
    as_solved(case.event(), model_of(case.model), case.seed, case.options)


@settings(REPEATABLE, max_examples=5)
@example(1)
@given(st.integers(0, 99))
def test_by_weights_that_turn_the_order_of_the_levels_round(seed: int) -> None:
    """A side three times in a row weighs little, but is the first level."""
    criteria = [
        {"kind": "side_streak", "at_least": 2, "weight": 1},
        {"kind": "side_difference", "at_least": 1, "weight": 100},
    ]
    model = parse_model(
        {"name": "turned", "objective": "weighted", "criteria": criteria}
    )
    *_, (event, _) = rounds(10, 4, seed, engine="matching")
    as_solved(event, model, seed, {})
