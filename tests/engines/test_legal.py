"""Legal: whatever the time, a legal pairing is in hand, or there is none."""

from __future__ import annotations

from collections import Counter

import pytest
from events import REPEATABLE, Case, cases, constraints, events, model_of, models, pairing_of
from hypothesis import given, settings

from pairopt import UsageError, solve
from pairopt.engines import legal

SOON = 1e-9
"""Seconds that are over before anything is found."""


@pytest.mark.long
@pytest.mark.parametrize("near", [1, 8])
@pytest.mark.parametrize("engine", ["auto", "matching", "cpsat"])
def test_there_is_always_a_legal_pairing_if_there_is_one(
    engine: str, near: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(legal, "NEAR", near)
    tally = Counter[str]()

    @settings(REPEATABLE, max_examples=60)
    @given(cases(events(1, 8), models(hard=constraints(most=3)), busy=True))
    def check(case: Case) -> None:
        oracle, model = case.oracle(), model_of(case.model)
        event, options = case.event(), case.options
        try:
            result = solve(event, model, engine=engine, time_limit=SOON, verify=False, **options)
        except UsageError:
            return
        tally[result.status] += 1
        if result.problem.lookahead:  # room for further rounds is not looked for
            return
        best = oracle.optimum()
        if best is None:
            assert result.status == "infeasible"
        else:
            assert result.status in ("feasible", "optimal")
            assert oracle.legal(pairing_of(result))
            assert all(
                level.bound is None or level.value is None or level.bound <= level.value
                for level in result.level_values
            )

    check()
    assert tally["feasible"] >= 10
    assert tally["infeasible"] >= 3
