"""Reasons of levels: every one is a fact of all pairings that are best in the levels before."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import simulation
from events import COARSE, REPEATABLE, Case, arcs_in, cases, events, model_of, models
from foreign_fields import drawn
from hypothesis import given, settings

from pairopt import UsageError, explain, solve
from pairopt.engines.base import EngineError
from pairopt.problem.verifier import verify_pairing
from pairopt.proof.file import Proof
from pairopt.round.explain import find_reasons
from pairopt.round.level_reasons import list_reasons


def holds_for(case: Case) -> int:
    """Check the reasons of a case against all its pairings; how many there are."""
    try:
        result = solve(
            case.event(), model_of(case.model), seed=case.seed, **case.options
        )
    except UsageError:
        return 0
    known, problem = find_reasons(result), result.problem
    if not known:
        return 0
    every = [arcs_in(problem, pairing) for pairing in case.oracle().pairings()]
    values = [verify_pairing(problem, arcs).values for arcs in every]
    best = [level.value for level in result.level_values]
    for reason in known:
        inside = np.isin(
            np.arange(len(problem) + 1), [*reason.players]
        )  # the last is the bye, -1
        for arcs, totals in zip(every, values, strict=True):
            if list(totals[: reason.level]) != best[: reason.level]:
                continue
            one, two = inside[arcs.first], inside[arcs.second]
            counts = problem.costs(arcs)[:, reason.level] > 0
            meant = one != two if reason.odd else one | two
            assert (meant & counts).any(), reason
    return len(known)


def swept(examples: int) -> int:
    tally = Counter[str]()

    @settings(REPEATABLE, max_examples=examples)
    @given(
        cases(events(4, 8, min_rounds=2), models(COARSE, as_shipped=False), busy=False)
    )
    def check(case: Case) -> None:
        tally["reasons"] += holds_for(case)

    check()
    print(dict(tally))
    return tally["reasons"]


@pytest.mark.long
def test_reasons_are_facts() -> None:
    assert swept(150) >= 30


@pytest.mark.slow
def test_reasons_are_facts_of_many_rounds() -> None:
    assert swept(1000) >= 500


def test_an_odd_score_group_is_named() -> None:
    event = simulation.opening(9)
    rng, strength = np.random.default_rng(1), np.zeros(9)
    event = simulation.played(
        event, solve(event).matches, rng, strength, draws=0, drops=0
    )
    found = explain(event, "double-sided")
    clauses = [str(reason.said) for reason in found.reasons]
    assert clauses == [
        "the 5 players with 3 points and more are an odd number: "
        "one of them has to meet somebody below"
    ] or clauses == [
        "the 5 players with 3 points are an odd number, so one of them must meet a player outside this group"
    ]
    assert found.to_dict()["reasons"][0]["clause"] == clauses[0]


@pytest.mark.parametrize("model", ["aesops-by-hand", "leaguevine"])
def test_rounds_without_short_reasons_are_explained_too(model: str) -> None:
    event = simulation.opening(7)
    assert explain(event, model).matches
    assert explain(event, lookahead=1).reasons == ()


def test_prices_that_prove_nothing_give_no_reasons() -> None:
    result = solve(drawn(3, sizes=(9, 9)).event, "excalibur")
    assert result.proof is not None
    content = result.proof.content
    levels = len(content["claim"]["levels"])
    for witness, said in (
        ({"prices": [[[1] * levels, [0, 10]]]}, "sum of all dual values"),
        (
            {"sets": [[[-1] * levels, [0, 1]]]},
            "a set is even|set . has an even number",
        ),
        ({"sets": [[[0] * levels, [0, 2]]]}, "set . has an even number"),
    ):
        changed = {**content, "witness": {**content["witness"], **witness}}
        with pytest.raises(EngineError, match=said):
            list_reasons(result.problem, Proof(changed))
    # one pays more and another less: the sum is right, and some match too cheap
    some = [[[[2] + [0] * (levels - 1), [0, 1]], [[-2] + [0] * (levels - 1), [1, 1]]]]
    plain = [value - offset for *_, value, offset, _ in content["claim"]["levels"]]
    if not any(plain):
        return
    changed = {
        **content["witness"],
        "prices": [*content["witness"]["prices"], *some[0]],
    }
    with pytest.raises((EngineError, ValueError)):
        list_reasons(result.problem, Proof({**content, "witness": changed}))
