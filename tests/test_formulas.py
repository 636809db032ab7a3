"""The cost formulas of other systems against brute force, alone and among other criteria."""

from __future__ import annotations

import pytest
from events import COARSE, FORMULAS, REPEATABLE, Case, cases, events, model_of, models, vector_of
from hypothesis import given, settings

from pairopt import solve


@pytest.mark.parametrize("kind", FORMULAS)
def test_a_formula_gives_what_brute_force_gives(kind: str) -> None:
    @settings(REPEATABLE, max_examples=120)
    @given(cases(events(2, 8), models((*COARSE, kind), needed=[kind], as_shipped=False)))
    def compare(case: Case) -> None:
        best = case.oracle().optimum()
        result = solve(case.event(), model_of(case.model), seed=case.seed, **case.options)
        assert (result.status == "infeasible") == (best is None)
        if best is not None:
            assert vector_of(result.level_values) == best

    compare()
