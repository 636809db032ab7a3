"""The checker gives any pairing the levels that the oracle does, and finds what it breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any

import pandas as pd
import pytest
from events import (
    REPEATABLE,
    Case,
    arcs_in,
    cases,
    constraints,
    events,
    model_of,
    models,
    some_or_all,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Oracle, Pairing, Vector

from pairopt import read_event
from pairopt.problem.build import prepare
from pairopt.problem.problem import Problem
from pairopt.problem.verifier import Verification, Violation, verify_pairing

RANDOM = st.randoms(use_true_random=True)
OPTION_RULES = {
    "force": "forced_pairs",
    "forbid": "forbidden_pairs",
    "bye": "forced_bye",
    "no_bye": "forbidden_bye",
}


def problem_in(case: Case) -> Problem:
    return prepare(case.event(), model_of(case.model), seed=case.seed, **case.options)


def levels_in(problem: Problem, verdict: Verification) -> Vector:
    return {
        (level.place, level.label): Fraction(value, level.scale)
        for level, value in zip(problem.levels, verdict.values, strict=True)
        if value
    }


def by_lot(rng: Random, oracle: Oracle) -> Pairing:
    """Everyone once, whatever the constraints say."""
    order = rng.sample(oracle.active, len(oracle.active))
    pairing: Pairing = list(zip(order[::2], order[1::2], strict=False))
    return pairing + [(order[-1], None)] * (len(order) % 2)


def single_rules(case: Case) -> Iterator[tuple[str, Oracle]]:
    """Each constraint and each option alone, by the name that the checker has for it."""
    bare = case.unconstrained()
    for kind, value in case.model["constraints"].items():
        model = {**case.model, "constraints": {kind: value}}
        yield kind, replace(bare, model=model).oracle()
    for option, value in case.options.items():
        yield OPTION_RULES[option], replace(bare, options={option: value}).oracle()


@pytest.mark.long
@settings(REPEATABLE, max_examples=60)
@given(cases(events(1, 10), models(hard=constraints(most=1))), RANDOM)
def test_levels_of_legal_pairings_are_those_of_the_oracle(
    case: Case, rng: Random
) -> None:
    oracle, problem = case.oracle(), problem_in(case)
    start = rng.randrange(60)
    some = list(islice(oracle.pairings(), start, start + 200, 20))
    for pairing in some or islice(oracle.pairings(), 1):
        rng.shuffle(pairing)
        verdict = verify_pairing(problem, arcs_in(problem, pairing))
        assert verdict.legal
        assert not verdict.faults
        assert not verdict.violations
        assert levels_in(problem, verdict) == oracle.vector(pairing)


@pytest.mark.long
@some_or_all
def test_broken_constraints_are_named_with_their_players(share: int) -> None:
    tally = Counter[str]()

    @settings(REPEATABLE, max_examples=500 // share)
    @given(
        cases(
            events(2, 10, min_rounds=1),
            models(hard=constraints(least=1, most=4)),
            busy=True,
        ),
        RANDOM,
    )
    def check(case: Case, rng: Random) -> None:
        oracle, problem = case.oracle(), problem_in(case)
        rules = list(single_rules(case))
        for _ in range(5):
            pairing = by_lot(rng, oracle)
            verdict = verify_pairing(problem, arcs_in(problem, pairing))
            assert not verdict.faults
            assert verdict.legal == oracle.legal(pairing)
            assert levels_in(problem, verdict) == oracle.vector(pairing)
            broken = {name for name, alone in rules if not alone.legal(pairing)}
            assert {violation.rule for violation in verdict.violations} == broken
            tally.update(broken or {"legal"})
            arcs = [tuple(name for name in arc if name is not None) for arc in pairing]
            for violation in verdict.violations:
                assert violation.players in arcs
                assert violation.rule in str(violation.message)
                assert all(
                    player in str(violation.message) for player in violation.players
                )

    check()
    kinds = {
        *OPTION_RULES.values(),
        "no_rematch",
        "max_meetings",
        "no_same_sides_rematch",
    }
    kinds |= {"no_repeat_bye", "no_bye_after_forfeit_win", "conflicts", "legal"}
    kinds |= {"max_side_difference", "max_side_streak"}
    rare = {"max_side_difference"} if share > 1 else set()  # a sample may lack it
    assert kinds - rare <= set(tally) <= kinds
    assert min(tally.values()) >= 5 // share


def damaged(rng: Random, pairing: Pairing, active: list[str]) -> dict[str, Pairing]:
    """A pairing spoilt in each way that leaves no pairing of the round."""
    spoilt: dict[str, Pairing] = {
        "a match left out": pairing[1:],
        "a match twice": [*pairing, pairing[0]],
        "one bye more": [*pairing, (rng.choice(active), None)],
    }
    matches = [k for k, arc in enumerate(pairing) if arc[1] is not None]
    if matches:
        k = rng.choice(matches)
        one, two = pairing[k]
        rest = pairing[:k] + pairing[k + 1 :]
        spoilt["a match torn into byes"] = [*rest, (one, None), (str(two), None)]
        spoilt["a player against themselves"] = [*rest, (one, one)]
    if len(matches) > 1:
        one, two = (pairing[k][0] for k in rng.sample(matches, 2))
        spoilt["somebody twice"] = [(one if a == two else a, b) for a, b in pairing]
    if len(active) % 2:
        spoilt["no bye"] = [arc for arc in pairing if arc[1] is not None]
    return spoilt


@pytest.mark.long
@settings(REPEATABLE, max_examples=40)
@given(cases(events(2, 9), models(hard=st.just({})), busy=False), RANDOM)
def test_what_is_no_pairing_of_the_round_is_a_fault(case: Case, rng: Random) -> None:
    oracle, problem = case.oracle(), problem_in(case)
    for way, pairing in damaged(rng, by_lot(rng, oracle), oracle.active).items():
        verdict = verify_pairing(problem, arcs_in(problem, pairing))
        assert not verdict.legal, way
        assert verdict.faults, way
        assert not oracle.legal(pairing), way


def test_faults_say_who() -> None:
    players: list[dict[str, Any]] = [
        {"player": name, "active": True} for name in "ABCDE"
    ]
    problem = problem_in(
        Case([], players, {"name": "none", "constraints": {}, "criteria": []})
    )

    def faults(*pairing: tuple[str, str | None]) -> set[str]:
        return set(verify_pairing(problem, arcs_in(problem, list(pairing))).faults)

    assert faults(("A", "B"), ("C", "D"), ("E", None)) == set()
    assert faults(("A", "B"), ("E", None)) == {"C is not paired", "D is not paired"}
    assert faults(("A", "B"), ("C", "A"), ("E", None)) == {
        "A is paired twice",
        "D is not paired",
    }
    assert faults(("A", "B"), ("C", "D")) == {
        "E is not paired",
        "0 allocated byes where 5 players need 1",
    }
    assert faults(("A", "B"), ("C", None), ("D", None), ("E", None)) == {
        "3 allocated byes where 5 players need 1"
    }
    assert faults(("A", "A"), ("B", "C"), ("D", "E")) == {
        "A is paired twice",
        "A is paired with themselves",
        "0 allocated byes where 5 players need 1",
    }


def after_one_round(**model: Any) -> Problem:
    """A has met B, C has met D, and E had the bye; A is shown as Ann."""
    rows = [("A", "B", 1, 0, ""), ("C", "D", 1, 0, ""), ("E", None, 1, None, "bye")]
    matches = pd.DataFrame(
        rows, columns=["player1", "player2", "score1", "score2", "status"]
    )
    names = pd.DataFrame({"player": list("ABCDE"), "name": ["Ann", *"BCDE"]})
    event = read_event(matches.astype(object).assign(round=1), names)
    return prepare(event, model_of({"name": "x", "criteria": [], **model}))


def test_a_violation_in_words() -> None:
    problem = after_one_round(constraints={"no_rematch": True, "no_repeat_bye": True})
    said = {rule.kind: rule.describe() for rule in problem.constraints}
    pairing: Pairing = [("B", "A"), ("C", "D"), ("E", None)]
    found = verify_pairing(problem, arcs_in(problem, pairing)).violations
    assert {replace(each, message=str(each.message)) for each in found} == {
        Violation(
            "no_rematch",
            ("B", "A"),
            f"B - Ann breaks the rule no_rematch: {said['no_rematch']}",
        ),
        Violation(
            "no_rematch",
            ("C", "D"),
            f"C - D breaks the rule no_rematch: {said['no_rematch']}",
        ),
        Violation(
            "no_repeat_bye",
            ("E",),
            f"bye of E breaks the rule no_repeat_bye: {said['no_repeat_bye']}",
        ),
    }


def test_points_below_zero_are_counted_from_zero() -> None:
    listed = pd.DataFrame({"player": list("ABC"), "score": ["5", "4", "-3"]})
    event = read_event(listed, relax=["history", "penalties"])
    problem = prepare(
        event, model_of({"name": "x", "criteria": [{"kind": "bye_score"}]})
    )
    assert [level.offset for level in problem.levels] == [-3]
    for name, points in (("A", 5), ("B", 4), ("C", -3)):
        one, two = sorted({"A", "B", "C"} - {name})
        verdict = verify_pairing(problem, arcs_in(problem, [(one, two), (name, None)]))
        assert list(levels_in(problem, verdict).values()) == [points]


FIRST: Pairing = [("A", "C"), ("D", "E"), ("B", None)]
SECOND: Pairing = [("C", "E"), ("B", "D"), ("A", None)]
THIRD: Pairing = [("A", "E"), ("B", "C"), ("D", None)]
LAST: Pairing = [("A", "E"), ("B", "D"), ("C", None)]


@pytest.mark.parametrize(
    ("further", "said"),
    [
        ([SECOND, THIRD], []),
        ([SECOND], ["1 further rounds where 2 are asked for"]),
        ([], ["0 further rounds where 2 are asked for"]),
        ([FIRST, THIRD], ["further round 1 repeats a match"]),
        # met, or had the bye, before this round; had the bye in it; met in the round between
        (
            [[("A", "B"), ("C", "E"), ("D", None)], LAST],
            ["further round 1 repeats a match"],
        ),
        (
            [[("A", "D"), ("B", "C"), ("E", None)], LAST],
            ["further round 1 repeats a match"],
        ),
        (
            [[("A", "D"), ("C", "E"), ("B", None)], LAST],
            ["further round 1 repeats a match"],
        ),
        (
            [SECOND, [("D", "B"), ("A", "E"), ("C", None)]],
            ["further round 2 repeats a match"],
        ),
        (
            [SECOND, THIRD[:2]],
            [
                "further round 2: D is not paired",
                "further round 2: 0 allocated byes where 5 players need 1",
            ],
        ),
    ],
)
def test_what_further_rounds_lack(further: list[Pairing], said: list[str]) -> None:
    problem = after_one_round(constraints={"lookahead": 2})
    arcs, *turns = (arcs_in(problem, pairing) for pairing in (FIRST, *further))
    found = verify_pairing(problem, arcs, turns)
    assert found.faults == ()
    assert found.legal == (not said)
    assert [
        (each.rule, each.players, str(each.message)) for each in found.violations
    ] == [("lookahead", (), f"lookahead: {what}") for what in said]
    assert verify_pairing(problem, arcs).legal  # left open
