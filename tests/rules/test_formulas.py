"""Each rule against brute force, among other criteria: those of other systems above all."""

from __future__ import annotations

import pytest
from events import (
    COARSE,
    CRITERIA,
    FORMULAS,
    OTHER_CONSTRAINTS,
    REPEATABLE,
    Case,
    cases,
    events,
    model_of,
    models,
    shipped,
    some_or_all,
    vector_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from pairopt import UsageError, solve

pytestmark = pytest.mark.long
OWN = ("aesops-2025", "cobra", "gatherling", "bakert")


def compare(case: Case) -> None:
    oracle, event, model = case.oracle(), case.event(), model_of(case.model)
    weighs = any(rule.kind.endswith("_quality") for rule in model.criteria)
    if weighs and any(oracle.states[name].score < 0 for name in oracle.active):
        with pytest.raises(UsageError, match="scores below 0"):
            solve(event, model, seed=case.seed, **case.options)
        return
    best = oracle.optimum()
    result = solve(event, model, seed=case.seed, **case.options)
    assert (result.status == "infeasible") == (best is None)
    if best is not None:
        assert vector_of(result.level_values) == best


@pytest.mark.sweep
@some_or_all
@pytest.mark.parametrize("kind", [*CRITERIA, *FORMULAS])
def test_a_criterion_gives_what_brute_force_gives(kind: str, share: int) -> None:
    drawn = cases(
        events(2, 8), models((*COARSE, kind), needed=[kind], as_shipped=False)
    )
    examples = (
        120 if kind in FORMULAS else 40
    )  # the others are drawn in many more tests
    settings(REPEATABLE, max_examples=examples // share)(given(drawn)(compare))()


@some_or_all
@pytest.mark.parametrize("kind", OTHER_CONSTRAINTS)
def test_a_constraint_of_another_system_gives_what_brute_force_gives(
    kind: str, share: int
) -> None:
    hard = st.fixed_dictionaries({kind: OTHER_CONSTRAINTS[kind]})
    drawn = cases(events(3, 8), models(COARSE, hard=hard, as_shipped=False))
    settings(REPEATABLE, max_examples=100 // share)(given(drawn)(compare))()


@some_or_all
@pytest.mark.parametrize("name", OWN)
def test_a_whole_model_of_another_system_gives_what_brute_force_gives(
    name: str, share: int
) -> None:
    drawn = cases(events(3, 9), st.just(shipped(name, False)))
    settings(REPEATABLE, max_examples=80 // share)(given(drawn)(compare))()
