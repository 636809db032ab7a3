"""Every small round that `solve` pairs is as good as the best of all pairings, tried one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

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
    some_or_all,
    vector_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from pairopt import solve
from pairopt.engines.cpsat import engine

pytestmark = pytest.mark.long
NOTHING_HARD = st.just({})
ENOUGH = 50


@dataclass(frozen=True)
class Part:
    """Cases of one bias; at least `ENOUGH` of them must be of the class that it is there for."""

    drawn: st.SearchStrategy[Case]
    examples: int
    biased_to: str | None = None


PARTS = {
    "any": Part(cases(events(1, 8)), 220),
    "odd halves": Part(
        cases(
            events(
                6,
                8,
                parity=0,
                min_rounds=2,
                quiet=True,
                byes=False,
                level=True,
                sided=False,
                styles=["across", "across", "fresh"],
            ),
            models(COARSE, needed=["rematches"], as_shipped=False, hard=NOTHING_HARD),
            busy=False,
        ),
        220,
        "refined",
    ),
    "odd halves with sides": Part(
        cases(
            events(5, 8, min_rounds=2, styles=["across", "across", "fresh"]),
            models(
                needed=["rematches"],
                hard=constraints(["no_rematch", "conflicts"], most=1),
            ),
            busy=False,
        ),
        160,
    ),
    "many rounds": Part(
        cases(
            events(2, 7, min_rounds=4),
            models(needed=["rematches"], hard=constraints(["no_repeat_bye"])),
            busy=False,
        ),
        200,
        "rematch unavoidable",
    ),
    "odd": Part(
        cases(events(3, 8, parity=1, min_rounds=2, byes=True)),
        120,
        "odd with past byes",
    ),
    "tied up": Part(
        cases(
            events(4, 8, min_rounds=1, max_rounds=4),
            models(needed=["score_groups"], hard=constraints(most=1)),
            busy=True,
        ),
        320,
        "constraint binds",
    ),
    "one way round": Part(
        # the better way round is often illegal: they met so, or it would be one too many
        cases(
            events(
                2, 6, min_rounds=4, sided=True, quiet=True, styles=["again", "swiss"]
            ),
            models(
                ["same_side", "side_difference", "side_streak", "score_groups"],
                needed=["same_side"],
                hard=constraints(["no_same_sides_rematch"], least=1)
                | constraints(["max_side_streak", "max_side_difference"], least=1),
                as_shipped=False,
            ),
            busy=False,
        ),
        200,
    ),
    "overdone": Part(
        cases(
            events(2, 8, min_rounds=4),
            models(hard=constraints(least=2, most=4)),
            busy=True,
        ),
        300,
        "infeasible",
    ),
}


@pytest.mark.sweep
@some_or_all
@pytest.mark.parametrize("name", PARTS)
def test_levels_equal_the_best_of_all_pairings(
    name: str, share: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    part, tally, splits = PARTS[name], Counter[str](), Counter[str]()
    split = engine._split_types

    def counted(*args: object) -> object:
        splits["now"] += 1
        return split(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "_split_types", counted)

    @settings(REPEATABLE, max_examples=part.examples // share)
    @given(part.drawn)
    def check(case: Case) -> None:
        splits["now"] = 0
        model = model_of(case.model)
        result = solve(
            case.event(), model, seed=case.seed, engine="cpsat", **case.options
        )
        oracle = case.oracle()
        best = oracle.optimum()
        tally["examples"] += 1
        if best is None:
            assert result.status == "infeasible"
            assert result.conflicts
            assert not result.level_values
            tally["infeasible"] += 1
            return
        assert result.status == "optimal"
        assert vector_of(result.level_values) == best
        pairing = pairing_of(result)
        assert oracle.legal(pairing)
        assert oracle.vector(pairing) == best
        byes_had = any(oracle.states[player].byes for player in oracle.active)
        tally["refined"] += splits["now"] > 0
        tally["odd with past byes"] += len(oracle.active) % 2 == 1 and byes_had
        tally["rematch unavoidable"] += rematch_unavoidable(case)
        tally["constraint binds"] += case.unconstrained().oracle().optimum() != best

    check()
    print(f"{name}: {dict(tally)}")
    assert tally["examples"] >= part.examples // share
    assert part.biased_to is None or tally[part.biased_to] >= ENOUGH // share


def rematch_unavoidable(case: Case) -> bool:
    """Whether there are pairings, but none without a match of two who have met."""
    return next(case.constrained(no_rematch=True).oracle().pairings(), None) is None


def test_the_parts_make_up_five_hundred_examples() -> None:
    assert sum(part.examples for part in PARTS.values()) >= 500
