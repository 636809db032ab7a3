"""Proofs for VeriPB: a checker of the tests reads them, and VeriPB where it is installed (as the
variable VERIPB says, or on the path)."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from dutch_random import random_round
from events import REPEATABLE, Case, cases, constraints, events, model_of, models
from forged_programs import forged, holds, least, round_of, rounds_to_forge, three_clubs
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import Refused, accepts, verified, veripb

import pairopt
from pairopt import UsageError, export, read_event

installed = pytest.mark.skipif(veripb() is None, reason="VeriPB is not installed")


def exported(case: Case, **more: Any) -> pairopt.Exported:
    return export(
        case.event(), model_of(case.model), seed=case.seed, **case.options, **more
    )


# ---------------------------------------------------------------------- true ones


@pytest.mark.long
@settings(REPEATABLE, max_examples=50)
@given(cases(events(1, 8), models(hard=constraints(most=2))), st.sampled_from("123"))
def test_every_round_has_a_proof_that_a_checker_reads(case: Case, version: str) -> None:
    """Of pairings and of rounds without one; beside the least of all solutions, tried."""
    made = exported(case)
    assert verified(made.text(), made.proof(version)) == least(made.text())


@pytest.mark.long
@settings(REPEATABLE, max_examples=30)
@given(cases(events(2, 7), models(weighted=True)))
def test_weighted_sums_have_one(case: Case) -> None:
    made = exported(case)
    assert verified(made.text(), made.proof()) == least(made.text())


@pytest.mark.long
@settings(REPEATABLE, max_examples=20)
@given(cases(events(2, 7), models(hard=constraints(most=1))))
def test_each_stage_has_one(case: Case) -> None:
    made = exported(case)
    if least(made.text()) is None:
        return
    for stage in range(1, len(made.levels) + 1):
        at = exported(case, stage=stage)
        assert verified(at.text(), at.proof()) == least(at.text())


@pytest.mark.long
@pytest.mark.parametrize("system", ["fide-dutch", "fide-burstein"])
def test_all_steps_of_a_system_are_one(system: str, tmp_path: Path) -> None:
    none = 0
    for seed in range(12):
        path = tmp_path / "round.trf"
        path.write_text(random_round(seed, largest=9).trf(), "utf-8")
        made = export(read_event(path), system)
        found = verified(made.text(), made.proof())
        assert found == least(made.text())
        none += found is None
        if found is not None:
            for stage in (1, len(made.levels) // 2, len(made.levels)):
                at = export(read_event(path), system, stage=stage)
                assert verified(at.text(), at.proof()) == least(at.text())
    assert none < 10


@pytest.mark.long
@pytest.mark.parametrize(
    ("players", "model"), [(36, "standard"), (41, "fide-dutch"), (31, "monrad")]
)
def test_larger_fields_have_sets_and_large_numbers(players: int, model: str) -> None:
    made = export(round_of(players, 5, 1, model), model)
    assert verified(made.text(), made.proof()) is not None


def sets_in(proof: str) -> int:
    return len(re.findall(r"(?m)^pol .* 2 d 2 \*", proof))


def test_a_set_pays_for_what_has_to_leave_it() -> None:
    made = three_clubs()
    proof = made.proof()
    assert sets_in(proof) > 0
    assert verified(made.text(), proof) is not None


def test_with_further_rounds_the_first_that_is_best_anyway_has_one() -> None:
    made = export(round_of(12, 3, 1), "standard", lookahead=1)
    assert verified(made.text(), made.proof()) is not None


@pytest.mark.long
def test_where_room_makes_it_worse_there_is_none() -> None:
    """What an engine alone says is not proven here."""
    said = 0
    for seed in range(16):
        event = round_of(6, 4, seed)
        made, free = export(event, "standard", lookahead=1), export(event, "standard")
        if least(made.text()) == least(free.text()):
            assert verified(made.text(), made.proof()) == least(made.text())
            continue
        said += 1
        with pytest.raises(UsageError, match="VeriPB can't check optimality"):
            made.proof()
    assert said


# ---------------------------------------------------------------------- false ones


@pytest.mark.long
def test_forged_ones_are_refused_or_still_true() -> None:
    """By the checker of the tests; no claim of a program that is accepted is wrong, and programs
    that were changed are not the round's own."""
    refused = dict[str, int]()
    for number, made in enumerate(rounds_to_forge(24)):
        opb, proof = made.text(), made.proof()
        assert verified(opb, proof) == least(opb)
        for what, program, steps in forged(opb, proof, Random(number)):
            try:
                verified(program, steps)
            except (Refused, AssertionError, IndexError, ValueError, KeyError):
                refused[what] = refused.get(what, 0) + 1
            else:
                assert holds(program, steps), what
    assert min(refused[what] for what in ("objective", "opponents", "price", "set")) > 3


# ---------------------------------------------------------------------- by VeriPB


@installed
@pytest.mark.long
def test_veripb_says_the_same_as_the_checker_of_the_tests(tmp_path: Path) -> None:
    """Of true and of forged ones."""
    for made in rounds_to_forge(6):
        opb, proof = made.text(), made.proof()
        assert accepts(tmp_path, opb, proof)
        for what, program, steps in forged(opb, proof, Random(1)):
            try:
                verified(program, steps)
                good = True
            except (Refused, AssertionError, IndexError, ValueError, KeyError):
                good = False
            assert accepts(tmp_path, program, steps) == good, what


@installed
@pytest.mark.long
@pytest.mark.parametrize(
    ("players", "model"), [(37, "standard"), (40, "fide-dutch"), (9, "standard")]
)
def test_veripb_takes_proofs_of_rounds_and_stages(
    players: int, model: str, tmp_path: Path
) -> None:
    event = round_of(players, 5, 1, model)
    for stage in (None, 1, 4):
        made = export(event, model, stage=stage)
        assert accepts(tmp_path, made.text(), made.proof())


@installed
def test_veripb_takes_sets_further_rounds_and_no_pairing(tmp_path: Path) -> None:
    ahead = export(round_of(10, 3, 1), "standard", lookahead=1)
    names = [str(name) for name in round_of(8, 3, 1).players]
    barred = [(one, two) for one in names[:5] for two in names[:5] if one < two]
    none = export(round_of(8, 3, 1), "standard", forbid=barred)
    alone = export(
        round_of(8, 3, 1), "standard", forbid=[(names[0], two) for two in names[1:]]
    )
    assert verified(none.text(), none.proof()) is None
    for made in (three_clubs(), ahead, none, alone):
        assert accepts(tmp_path, made.text(), made.proof())
