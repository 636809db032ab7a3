"""Classes, pairs and one weighted objective agree, in small fields with brute force too."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from events import (
    COARSE,
    REPEATABLE,
    Case,
    cases,
    constraints,
    events,
    model_of,
    models,
    pairing_of,
    shipped,
    some_or_all,
    vector_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Model, Vector, magnitude
from simulation import opening

from pairopt import Result, UsageError, solve
from pairopt.common.budget import Budget
from pairopt.engines.base import UnsupportedError
from pairopt.engines.cpsat import pair_model
from pairopt.engines.single_pairs import build_candidates
from pairopt.messages.interfaces import TERMINAL
from pairopt.problem.build import prepare

FEW_HARD = constraints(most=1)
ANY = models(hard=FEW_HARD)


def solved(case: Case, **how: Any) -> Result:
    return solve(
        case.event(), model_of(case.model), seed=case.seed, **case.options, **how
    )


def agree(case: Case, tally: Counter[str]) -> None:
    """Check that every formulation and the weighted objective find the same level values."""
    classes, pairs = solved(case), solved(case, formulation="pairs")
    tally[classes.status] += 1
    assert classes.status == pairs.status
    assert classes.status in ("optimal", "infeasible")
    assert vector_of(classes.level_values) == vector_of(pairs.level_values)
    for formulation in ("classes", "pairs"):
        one = solved(
            case, engine="cpsat", objective="weighted", formulation=formulation
        )
        assert one.status == classes.status
        assert vector_of(one.level_values) == vector_of(classes.level_values)
        blocks = "several sums" if blocks_said(one) else "one sum"
        tally[f"{formulation} in {blocks}"] += 1


def blocks_said(result: Result) -> int:
    """The number of weighted sums that a note names; 0 without such a note."""
    said = [
        note for note in result.notes if getattr(note, "kind", "") == "solving.blocks"
    ]
    return int(said[0].fields["blocks"]) if said else 0  # type: ignore[union-attr]


@pytest.mark.long
@pytest.mark.parametrize(
    ("drawn", "examples", "alone"),
    [
        pytest.param(cases(events(9, 16), ANY), 60, 0, id="any"),
        pytest.param(
            cases(
                events(9, 16, max_rounds=2, quiet=True), models(COARSE, hard=FEW_HARD)
            ),
            60,
            30,
            id="few rounds",
        ),
        pytest.param(
            cases(
                events(
                    10,
                    14,
                    parity=0,
                    min_rounds=5,
                    quiet=True,
                    styles=["across"],
                    level=True,
                ),
                models(
                    COARSE, needed=["rematches"], hard=st.just({}), as_shipped=False
                ),
                busy=False,
            ),
            30,
            0,
            id="odd halves",
        ),
    ],
)
@some_or_all
def test_formulations_agree(
    drawn: st.SearchStrategy[Case], examples: int, alone: int, share: int
) -> None:
    tally = Counter[str]()

    @settings(REPEATABLE, max_examples=examples // share)
    @given(drawn)
    def check(case: Case) -> None:
        agree(case, tally)

    check()
    print(dict(tally))
    assert tally["optimal"] >= examples // share // 3
    assert tally["classes in one sum"] >= alone // share
    assert tally["pairs in one sum"] >= alone // share


@pytest.mark.long
def test_an_order_that_does_not_fit_in_one_sum_is_solved_in_several() -> None:
    # Sixteen scores make 120 levels under top-first.
    players = [{"player": f"p{k}", "active": True, "score": str(k)} for k in range(16)]
    case = Case([], players, shipped("top-first"))
    best = {(4, f"{group}:1"): 1 for group in range(1, 16, 2)}

    for more in ({"formulation": "pairs"}, {"engine": "cpsat"}):
        result = solved(case, objective="weighted", **more)
        assert result.status == "optimal"
        assert vector_of(result.level_values) == best
        assert blocks_said(result) > 1

    matched = solved(case, objective="weighted")  # integers of any size
    assert blocks_said(matched) == 0
    for result in (matched, solved(case), solved(case, formulation="pairs")):
        assert vector_of(result.level_values) == best


def weighted_by_gaps(bits: int) -> Model:
    gaps = {"kind": "score_difference", "power": 1, "weight": 2**bits}
    return {
        "name": "gaps",
        "objective": "weighted",
        "constraints": {},
        "criteria": [gaps],
    }


@pytest.mark.long
@pytest.mark.parametrize("formulation", ["classes", "pairs"])
def test_real_weights_that_do_not_fit_name_the_engine_that_can(
    formulation: str,
) -> None:
    # CP-SAT adds up all matches, not only those of a pairing: its own check of large models.
    players = [{"player": f"p{k}", "active": True, "score": str(k)} for k in range(16)]
    answers = Counter[str]()

    for bits in range(40, 64):
        case = Case([], players, weighted_by_gaps(bits))
        matched = solved(case, engine="matching")
        assert matched.level_values[0].value == 8 * 2**bits
        try:
            result = solved(case, engine="cpsat", formulation=formulation)
        except UsageError as error:
            named = error.kind == "engine.large_weights_cpsat"
            named = named and "--engine matching" in error.format_with(TERMINAL)
            answers["refused" if named else "refused in other words"] += 1
            with pytest.raises(UsageError, match="leave out the lookahead"):
                solved(case, engine="cpsat", formulation=formulation, lookahead=1)
        else:
            assert result.level_values[0].value == 8 * 2**bits
            answers["solved"] += 1
    assert set(answers) == {"refused", "solved"}
    assert min(answers.values()) > 3


@pytest.mark.long
def test_a_second_engine_is_not_asked_for_weights_that_it_cannot_hold() -> None:
    players = [{"player": f"p{k}", "active": True, "score": str(k)} for k in range(16)]
    for bits in range(48, 64):
        case = Case([], players, weighted_by_gaps(bits))
        assert solved(case, verify="small").status == "optimal"


# ---------------------------------------------------------------------- weighted models


def weighted_sum(case: Case, vector: Vector) -> Fraction:
    total = Fraction(0)
    rows = case.oracle().criteria
    for (place, label), value in vector.items():
        row = rows[int(place)]
        total += Fraction(row["weight"]) * magnitude(row, label) * value
    return total


def check_weighted(case: Case, **how: Any) -> str:
    oracle = case.oracle()
    sums = [weighted_sum(case, oracle.vector(pairing)) for pairing in oracle.pairings()]
    try:
        result = solved(case, **how)
    except UsageError as error:
        assert "too large for CP-SAT" in str(error)  # noqa: PT017
        return "do not fit"
    if not sums:
        assert result.status == "infeasible"
        return result.status
    assert result.status == "optimal"
    total, *parts = result.level_values
    assert (total.criterion, total.proven) == ("weighted_sum", True)
    assert total.value == total.bound
    assert Fraction(total.value or 0, total.scale) == min(sums)
    vector = vector_of(parts)
    assert weighted_sum(case, vector) == min(sums)
    assert oracle.vector(pairing_of(result)) == vector
    return result.status


@pytest.mark.sweep
@settings(REPEATABLE, max_examples=60)
@given(
    cases(
        st.one_of(events(1, 6), events(2, 7, sided=False, min_rounds=3)),
        models(hard=FEW_HARD, weighted=True),
    ),
    st.sampled_from(["classes", "pairs"]),
)
def test_weighted_models_find_the_least_sum(case: Case, formulation: str) -> None:
    check_weighted(case, formulation=formulation)


@pytest.mark.sweep
@settings(REPEATABLE, max_examples=60)
@given(
    cases(
        events(
            6, 6, min_rounds=3, quiet=True, level=True, sided=False, styles=["across"]
        ),
        models(COARSE, needed=["rematches"], hard=st.just({}), weighted=True),
        busy=False,
    )
)
def test_weighted_models_where_classes_must_be_refined(case: Case) -> None:
    check_weighted(case)


@pytest.mark.sweep
@settings(REPEATABLE, max_examples=40)
@given(cases(events(9, 14), models(COARSE, hard=FEW_HARD, weighted=True)))
def test_weighted_models_have_one_least_sum(case: Case) -> None:
    try:
        classes, pairs = solved(case), solved(case, formulation="pairs")
    except UsageError as error:
        assert "too large for CP-SAT" in str(error)  # noqa: PT017
        return
    assert classes.status == pairs.status
    assert classes.level_values[:1] == pairs.level_values[:1]


@pytest.mark.long
def test_the_better_sides_of_a_pair_are_those_of_the_weighted_sum() -> None:
    # A was first three times, then second; B second twice, then first. With A first, A comes to
    # a difference of 3 (weight x 3); with B first, both play their side again (weight x 2).
    rows = [
        {
            "round": number,
            "player1": one,
            "player2": two,
            "side1": "corp",
            "score1": "1",
            "score2": "1",
            "status": "",
        }
        for number, one, two in (
            (1, "A", "C"),
            (2, "A", "D"),
            (3, "A", "C"),
            (4, "E", "A"),
            (1, "D", "B"),
            (2, "C", "B"),
            (4, "B", "C"),
        )
    ]
    players = [{"player": name, "active": name in "AB"} for name in "ABCDE"]

    def model(difference: str, same: str) -> dict[str, Any]:
        return {
            "name": "sides",
            "objective": "weighted",
            "criteria": [
                {
                    "kind": "side_difference",
                    "at_least": 3,
                    "weight": Decimal(difference),
                },
                {"kind": "same_side", "weight": Decimal(same)},
            ],
        }

    for weights, first in ((("0.1", "1"), "A"), (("1", "1.49"), "B")):
        case = Case(rows, players, {**model(*weights), "constraints": {}})
        assert check_weighted(case) == "optimal"
        assert pairing_of(solved(case))[0][0] == first


# ---------------------------------------------------------------------- criteria by player


@pytest.mark.sweep
@some_or_all
@pytest.mark.parametrize("style", ["fold", "slide", "adjacent"])
def test_styles_equal_brute_force_anywhere_in_the_order(style: str, share: int) -> None:
    tally = Counter[str]()

    @settings(REPEATABLE, max_examples=120 // share)
    @given(
        cases(
            events(3, 8, min_rounds=1),
            models(
                COARSE,
                needed=["rematches", "score_groups"],
                hard=FEW_HARD,
                as_shipped=False,
            ),
        ),
        st.integers(0, 8),
        st.sampled_from(["classes", "pairs"]),
    )
    def check(case: Case, place: int, formulation: str) -> None:
        listed = list(case.model["criteria"])
        listed.insert(place, {"kind": "pairing_style", "style": style})
        case = Case(
            case.rows,
            case.players,
            {**case.model, "criteria": listed},
            case.options,
            case.seed,
        )
        best = case.oracle().optimum()
        result = solved(case, formulation=formulation)
        assert result.status == ("infeasible" if best is None else "optimal")
        assert vector_of(result.level_values) == (best or {})
        tally[result.status] += 1
        tally["first"] += place == 0
        tally["last"] += place >= len(listed) - 1

    check()
    assert tally["optimal"] >= 30 // share
    assert tally["first"] >= 9 // share
    assert tally["last"] >= 9 // share


def test_an_objective_at_the_limit_of_cpsat_is_solved_and_one_above_it_is_not() -> None:
    def minimize(most: int) -> pair_model.ObjectiveValues:
        columns = build_candidates(prepare(opening(2), "standard"))
        program = pair_model.build_pair_model(columns)
        objective = pair_model.Objective(None, most, own=0)
        return pair_model.minimize_lexicographically(program, [objective], Budget())

    assert minimize(pair_model.MOST).values == (0,)
    with pytest.raises(UnsupportedError):
        minimize(pair_model.MOST + 1)
