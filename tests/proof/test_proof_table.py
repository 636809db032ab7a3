"""Tables of arcs: those by classes say what the rules say of each arc."""

from __future__ import annotations

import numpy as np
import pytest
from events import REPEATABLE, Case, cases, model_of
from hypothesis import given, settings

from pairopt import UsageError
from pairopt.event.arcs import arcs_of
from pairopt.problem.options import SolveOptions
from pairopt.problem.ready import problem_for
from pairopt.problem.summed import summed
from pairopt.proof.arc_table import arc_table, table_by_types

NOTHING = arcs_of(np.zeros(0), np.zeros(0))


@pytest.mark.long
def test_classes_say_what_the_rules_say() -> None:
    compared = 0

    @settings(REPEATABLE, max_examples=150)
    @given(cases(busy=False))
    def check(case: Case) -> None:
        nonlocal compared
        try:
            problem = problem_for(case.event(), model_of(case.model), SolveOptions())
        except UsageError:
            return
        order = np.random.default_rng(case.seed).permutation(len(problem))
        for objective in ("lexicographic", case.model["objective"]):
            (levels,) = summed(problem, objective, NOTHING)
            quick = table_by_types(problem, levels, order)
            slow = arc_table(problem, [levels], order)
            assert quick.kinds == slow.kinds
            assert np.array_equal(quick.number, slow.number)
        compared += 1

    check()
    assert compared > 100
