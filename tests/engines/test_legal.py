"""Legal: whatever the time, a legal pairing is in hand, or there is none."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from events import (
    REPEATABLE,
    Case,
    cases,
    constraints,
    events,
    model_of,
    models,
    pairing_of,
)
from hypothesis import given, settings
from sampled import one_in
from simulation import opening, rounds

from pairopt import UsageError, solve
from pairopt.common.budget import Budget
from pairopt.engines import feasible_pairing
from pairopt.engines.matching.min_cost_matching import max_weight_partners
from pairopt.engines.player_types import legal_ways
from pairopt.event.arcs import all_pairs_and_byes
from pairopt.event.forbidden_pairs import ForbiddenMeeting
from pairopt.fide.dutch import bracket_pairs
from pairopt.problem.build import prepare
from pairopt.problem.verifier import verify_pairing

SOON = 1e-9
"""Seconds that are over before anything is found."""


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("engine", "near"),
    one_in(
        2,
        [[engine, near] for near in (1, 8) for engine in ("auto", "cpsat", "matching")],
    ),
)
def test_there_is_always_a_legal_pairing_if_there_is_one(
    engine: str, near: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feasible_pairing, "NEAR", near)
    tally = Counter[str]()

    @settings(REPEATABLE, max_examples=60)
    @given(cases(events(1, 8), models(hard=constraints(most=3)), busy=True))
    def check(case: Case) -> None:
        oracle, model = case.oracle(), model_of(case.model)
        event, options = case.event(), case.options
        try:
            result = solve(
                event, model, engine=engine, time_limit=SOON, verify=False, **options
            )
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


@pytest.mark.long
@pytest.mark.fast
@pytest.mark.parametrize("model", ["standard", "fide-dutch"])
@pytest.mark.parametrize("at_once", [1, 2**14])
def test_sparse_fields_are_matched_wherever_they_can_be(
    at_once: int, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few may meet, hardly a neighbour: all are matched if they can be, whatever the time."""
    monkeypatch.setattr(feasible_pairing, "AT_ONCE", at_once)
    chance, tally = np.random.default_rng(5), Counter[bool]()
    for _ in range(30):
        n = int(chance.integers(6, 50))
        one, two = np.triu_indices(n, 1)
        barred = chance.random(len(one)) < 1 - chance.uniform(1, 6) / n
        pairs = zip(one[barred].tolist(), two[barred].tolist(), strict=True)
        event = replace(
            opening(n), prohibited=tuple(ForbiddenMeeting(*pair) for pair in pairs)
        )
        problem = prepare(event, model)
        arcs = all_pairs_and_byes(n)
        allowed = arcs.take(problem.legal(arcs) | problem.legal(arcs.reversed()))
        ends = allowed.first, np.where(allowed.bye, n, allowed.second)
        mate = max_weight_partners(
            n + n % 2, *ends, np.ones(len(allowed), np.int64), everybody=True
        )
        found = feasible_pairing.find_feasible_pairing(problem, Budget(deadline=0))
        tally[found is None] += 1
        assert (found is None) == (-1 in mate)
        assert found is None or verify_pairing(problem, found).legal
    assert min(tally.values()) >= 5


def test_a_system_of_more_scores_than_it_has_levels_for_is_said() -> None:
    event, _ = list(rounds(12, 3, 1))[-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bracket_pairs, "MOST_SCORES", 1)
        with pytest.raises(UsageError, match="different scores"):
            solve(event, "fide-dutch")
    assert solve(event, "fide-dutch").status == "optimal"


@pytest.mark.fast
@pytest.mark.parametrize("sides", [None, ("white", "black")])
def test_pairs_have_no_levels_of_a_system(sides: tuple[str, str] | None) -> None:
    problem = prepare(opening(6, sides=sides), "fide-dutch")
    assert legal_ways(problem, all_pairs_and_byes(6))[1].shape == (15, 0)
