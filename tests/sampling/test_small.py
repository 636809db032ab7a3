"""Small fields: pairings counted and drawn from what the matching left, against brute force, and
against the tables that look at the optimal pairings from the event on."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
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
    pairing_of,
    some_or_all,
)
from fair_draws import EVENTS, every_optimum, fixed, key_of, p_value
from hypothesis import given, settings
from simulation import opening, rounds

from pairopt import read_event, solve
from pairopt.common.budget import Budget
from pairopt.engines.base import EngineOptions, UnsupportedError
from pairopt.engines.matching.engine import MOST_PLAYERS_AS_PAIRS
from pairopt.engines.matching.engine import solve as matched
from pairopt.event.arcs import Arcs
from pairopt.problem.build import prepare
from pairopt.problem.model import load_model, parse_model
from pairopt.problem.problem import Problem
from pairopt.sampling import counting, drawing
from pairopt.sampling.counting import count
from pairopt.sampling.drawing import by_small_table, draw
from pairopt.sampling.optimal_pairings import (
    MOST_WEIGHT,
    OptimalPairings,
    PairingComponent,
    optima_of,
)
from pairopt.sampling.small_fields import find_small_field_optima
from pairopt.sampling.state_table import own_table

DRAWS = 10_000
P_VALUE = 0.01 / len(EVENTS)  # Bonferroni


def counted(problem: Problem, arcs: Arcs) -> tuple[int, int] | None:
    """How many optimal pairings the field has, and how many odd sets that one match leaves. None
    where its costs are left to linear programs."""
    found = find_small_field_optima(problem, arcs, problem.model.objective, Budget())
    if found is None:
        return None
    (component,) = found.components
    table = own_table(component, Budget(), 10**7)
    assert table is not None
    return table.count, len(component.totals)


PARTS = {
    "any": (cases(events(1, 8)), 150),
    "alike": (cases(events(4, 8, level=True, max_rounds=4), busy=False), 100),
    "odd, alike": (
        cases(events(3, 7, parity=1, level=True, quiet=True), busy=False),
        60,
    ),
    "sides": (cases(events(2, 8, sided=True, min_rounds=2), busy=False), 100),
    "floats": (
        cases(
            events(5, 8, min_rounds=1, max_rounds=3, quiet=True, byes=False),
            models(needed=["score_groups"], hard=constraints(["no_rematch"])),
            busy=False,
        ),
        150,
    ),
}


@pytest.mark.sweep
@some_or_all
def test_as_many_are_counted_as_there_are(share: int) -> None:
    tally = Counter[str]()

    def check(case: Case) -> None:
        event, model = case.event(), model_of(case.model)
        expected = case.oracle().optima()
        result = solve(event, model, seed=case.seed, choose="uniform", **case.options)
        if not expected:
            assert result.status == "infeasible"
            return
        assert result.choice is not None
        assert result.choice.exact
        if event.sided:
            assert set(pairing_of(result)) in map(set, expected)
        problem = prepare(event, model, seed=case.seed, **case.options)
        arcs = arcs_in(problem, expected[len(expected) // 2])
        if (found := counted(problem, arcs)) is None:
            tally["large costs"] += 1
            return
        number, sets = found
        assert number == len(expected)
        tally["several"] += number > 1
        tally["odd sets"] += sets > 0
        tally["odd"] += len(problem) % 2

    for drawn, examples in PARTS.values():
        settings(REPEATABLE, max_examples=examples // share)(given(drawn)(check))()
    assert tally["several"] >= 200 // share, tally
    assert tally["odd"] >= 60 // share, tally
    assert tally["odd sets"] >= 6 // share, tally
    assert tally["large costs"] <= 60 // share, tally


@pytest.mark.long
@pytest.mark.parametrize("model", ["excalibur", "double-sided", "aesops", "monrad"])
def test_as_many_are_counted_as_by_tables_of_all_optima(model: str) -> None:
    """Fields of 24 to 33 players whose rounds have odd sets: by linear programs on the one side."""
    with_sets = 0
    for players, seed in ((24, 0), (33, 1)):
        for event, _ in rounds(players, 7, seed, "standard"):
            problem = prepare(event, model)
            arcs = matched(problem, EngineOptions()).arcs
            assert arcs is not None
            number, sets = counted(problem, arcs) or (0, 0)
            with_sets += sets > 0
            whole = count(optima_of(problem, arcs, "lexicographic", Budget()))
            assert whole is not None
            if whole.exact:
                assert number == whole.value, (players, event.round)
    assert with_sets >= 1


@pytest.mark.long
def test_weights_have_optima_of_their_own() -> None:
    """A weighted model, by brute force."""
    standard = load_model("standard")
    content = {
        "name": "weighed",
        "objective": "weighted",
        "constraints": {},
        "criteria": [
            {"kind": "rematches", "weight": 20},
            {"kind": "score_groups", "weight": 3},
            {"kind": "same_side", "weight": 2},
        ],
    }
    assert standard.objective == "lexicographic"
    model = parse_model(content, "weighed")
    several = 0
    for players, seed in ((6, 0), (7, 1), (8, 2)):
        for event, _ in rounds(players, 5, seed, "standard"):
            problem = prepare(event, model)
            arcs = matched(problem, EngineOptions("weighted")).arcs
            assert arcs is not None
            every = every_optimum(problem)
            assert (counted(problem, arcs) or ())[0] == len(every)
            several += len(every) > 1
    assert several >= 8


SOME = (1, 3, 17)


@pytest.mark.sweep
@pytest.mark.parametrize(
    "k",
    [
        pytest.param(k, marks=[pytest.mark.slow] * (k not in SOME))
        for k in range(len(EVENTS))
    ],
)
def test_each_is_as_likely_as_any_other(k: int) -> None:
    problem, _, every = fixed(k)
    solution = matched(problem, EngineOptions())
    assert solution.arcs is not None
    left = find_small_field_optima(
        problem, solution.arcs, problem.model.objective, Budget(), solution.left
    )
    assert left is not None
    ways = [*map(by_small_table, left.components)]
    seeds = range(
        k * 1_000_000, k * 1_000_000 + DRAWS
    )  # else all events share their luck
    drawn = (draw(left, Budget(seed), ways).arcs for seed in seeds)
    assert (
        p_value((key_of(arcs, problem.state.sided) for arcs in drawn), every) > P_VALUE
    )


def test_who_is_exchangeable_in_round_one() -> None:
    """All of 32 players are: 32! / 16! pairings, either player on either side."""
    problem = prepare(opening(32), "standard")
    arcs = matched(problem, EngineOptions()).arcs
    assert arcs is not None
    assert counted(problem, arcs) == (math.factorial(32) // math.factorial(16), 0)


def test_larger_fields_and_too_many_states_are_left_to_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    *_, (event, _) = rounds(12, 3, 1, "standard")
    (made,) = {solve(event, "standard", choose="uniform").choice}
    monkeypatch.setattr(drawing, "SMALL", 3)
    assert solve(event, "standard", choose="uniform").choice == made
    problem = prepare(opening(MOST_PLAYERS_AS_PAIRS + 2), "random")
    solution = matched(problem, EngineOptions())
    assert solution.arcs is not None
    assert solution.left is None
    assert (
        find_small_field_optima(problem, solution.arcs, "lexicographic", Budget())
        is None
    )


def test_weighted_sums_that_machine_integers_cannot_hold_are_refused() -> None:
    """All of the four have met, so that each match costs the weight of a rematch."""
    meetings = [("AB", "CD"), ("AC", "BD"), ("AD", "BC")]
    rows = [
        (number, table, *pair, 1, 0)
        for number, pairs in enumerate(meetings, 1)
        for table, pair in enumerate(pairs, 1)
    ]
    columns = ["round", "table", "player1", "player2", "score1", "score2"]
    event = read_event(pd.DataFrame(rows, columns=columns))

    def count_optima(weight: int) -> OptimalPairings:
        criteria = [{"kind": "rematches", "weight": weight}]
        content = {"name": "heavy", "objective": "weighted", "criteria": criteria}
        problem = prepare(event, parse_model({**content, "constraints": {}}, "heavy"))
        arcs = matched(problem, EngineOptions()).arcs
        assert arcs is not None
        return optima_of(problem, arcs, "weighted", Budget())

    assert len(count_optima(MOST_WEIGHT // 2).columns) > 0
    with pytest.raises(UnsupportedError, match="need 63 bits, and the engine has 62"):
        count_optima(MOST_WEIGHT // 2 + 1)


def test_an_island_that_lacks_the_pair_takes_particles_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four players; of three islands with two particles each, one lacks the pair."""
    monkeypatch.setattr(counting, "ISLANDS", 2)
    monkeypatch.setattr(counting, "PARTICLES", 2)
    code = 1 - np.eye(4, dtype=np.int64)
    ways, no_costs = np.array([0, 2]), np.zeros((2, 0), np.int64)
    component = PairingComponent(np.arange(4), code, code, ways, no_costs, ())
    meets, apart = [1, 0, 3, 2], [2, 3, 0, 1]
    partners = np.array([meets, meets, apart, apart, meets, apart])

    rest, particles, shares = counting._condition_on_pair(
        component, partners, (0, 1), np.random.default_rng(1)
    )

    assert rest.players.tolist() == [2, 3]
    assert particles.tolist() == [[1, 0]] * 6
    # half a particle stands for none
    assert shares.tolist() == [0.25, 0.5]
