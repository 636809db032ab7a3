"""Optimal pairings: as many as there are, and each as likely as any other."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import foreign_fields
import numpy as np
import pytest
from click.testing import CliRunner
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
from fair_draws import (
    FIXED,
    P_VALUE,
    every_optimum,
    fixed,
    key_of,
    one_by_one,
    optima,
    p_value,
)
from hypothesis import given, settings
from places import REAL, SAMPLE
from scipy.stats import chi2
from simulation import opening, rounds

from pairopt import UsageError, read_event, solve
from pairopt.cli import main
from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import OptimalUse
from pairopt.engines.base import UnsupportedError
from pairopt.engines.player_types import build_classes, types_of
from pairopt.event.arcs import IntArray, arcs_of
from pairopt.event.settings import SeparationRule
from pairopt.messages.formatting import large_number_text
from pairopt.problem.build import prepare
from pairopt.problem.model import load_model, parse_model
from pairopt.sampling import counting, drawing, tight_arcs
from pairopt.sampling import state_table as state_tables
from pairopt.sampling.choose_optimal import OptimalChoice
from pairopt.sampling.counting import OptimaCount, count, find_blocks
from pairopt.sampling.drawing import (
    ChainDiagnostics,
    by_chain,
    by_relaxed_table,
    by_small_table,
    draw,
)
from pairopt.sampling.inclusion_exclusion import (
    StepLimit,
    count_by_inclusion_exclusion,
    count_within_steps,
)
from pairopt.sampling.markov_chain import (
    ChainState,
    find_longer_steps,
    find_starts,
    list_repairings,
    r_hat,
    run_chains,
)
from pairopt.sampling.optimal_pairings import PairingComponent, optima_of
from pairopt.sampling.state_table import (
    StateLayout,
    StateTable,
    order_groups,
    state_layout,
    state_table,
)
from pairopt.sampling.tight_arcs import tighten

ALL = 10**9
DRAWS = 20_000


# ------------------------------------------------------------------ counts

PARTS = {
    "any": (cases(events(1, 8)), 200),
    "alike": (cases(events(4, 8, level=True, max_rounds=4), busy=False), 100),
    "odd, alike": (
        cases(events(3, 7, parity=1, level=True, quiet=True), busy=False),
        80,
    ),
    "sides": (cases(events(2, 8, sided=True, min_rounds=2), busy=False), 80),
    "floats": (
        cases(
            events(5, 8, min_rounds=1, max_rounds=3, quiet=True, byes=False),
            models(needed=["score_groups"], hard=constraints(["no_rematch"])),
            busy=False,
        ),
        80,
    ),
}


@pytest.mark.sweep
@some_or_all
def test_counts_equal_brute_force(share: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tally = Counter[str]()

    def check(case: Case) -> None:
        event, model = case.event(), model_of(case.model)
        result = solve(
            event, model, seed=case.seed, choose="uniform", count=True, **case.options
        )
        expected = case.oracle().optima()
        tally["examples"] += 1
        if not expected:
            assert result.status == "infeasible"
            assert result.choice is None
            return
        assert result.choice is not None
        assert result.choice.count == OptimaCount(
            len(expected), len(expected), len(expected)
        )
        assert result.choice.exact
        drawn = pairing_of(result)
        if event.sided:
            assert set(drawn) in map(set, expected)
        problem = prepare(event, model, seed=case.seed, **case.options)
        for most in (
            tight_arcs.MOST_COLUMNS,
            0,
        ):  # without prices more levels are equations
            monkeypatch.setattr(tight_arcs, "MOST_COLUMNS", most)
            whole = optima_of(
                problem, arcs_in(problem, drawn), "lexicographic", Budget()
            )
            by_tables = by_sets = 1
            for component in whole.components:
                table = state_table(
                    state_layout(component, component.code), ALL, Budget()
                )
                number = count_by_inclusion_exclusion(
                    component, state_layout(component, component.relaxed), ALL
                )
                assert table is not None
                assert number is not None
                by_tables *= table.count
                by_sets *= number
                if (blocks := find_blocks(component)) is not None:
                    assert blocks.count(all_of) == number
                    tally["blocks"] += 1
                tally["equations"] += bool(component.totals)
                tally["forbidden pairs"] += bool(component.missing.any())
            assert by_tables == by_sets == len(expected)
            monkeypatch.undo()
        tally["several"] += len(expected) > 1
        tally["components"] += len(whole.components) > 1
        tally["odd"] += len(problem) % 2
        tally["either side"] += any(
            (component.ways > 1).any() for component in whole.components
        )

    for drawn, examples in PARTS.values():
        settings(REPEATABLE, max_examples=examples // share)(given(drawn)(check))()
    assert tally["examples"] >= 500 // share - 3
    kinds = (
        "several",
        "components",
        "odd",
        "either side",
        "equations",
        "forbidden pairs",
    )
    assert min(tally[kind] for kind in kinds) >= 25 // share, tally
    print(dict(tally))


@pytest.mark.long
def test_weighted_counts_equal_brute_force() -> None:
    tally = Counter[str]()

    @settings(REPEATABLE, max_examples=80)
    @given(cases(events(2, 7), models(weighted=True), busy=False))
    def check(case: Case) -> None:
        problem = prepare(case.event(), model_of(case.model))
        expected = every_optimum(problem)
        if not expected:
            return
        try:
            whole = optima(problem)
        except UnsupportedError:  # weights of 10^14 with two decimals, which is said
            tally["do not fit"] += 1
            return
        assert count(whole) == OptimaCount(len(expected), len(expected), len(expected))
        assert key_of(draw(whole, Budget()).arcs, problem.state.sided) in expected
        tally["several"] += len(expected) > 1

    check()
    assert tally["several"] >= 30
    assert tally["do not fit"] <= 8


def test_weights_beyond_machine_integers_are_refused() -> None:
    criteria = [
        {"kind": "score_groups", "weight": 10**19},
        {"kind": "bye_score", "weight": 1},
    ]
    model = parse_model(
        {"name": "heavy", "objective": "weighted", "criteria": criteria}
    )
    *_, (event, _) = rounds(9, 5, 0, "standard")
    plain = solve(event, model, engine="matching")
    assert plain.proven
    assert (plain.level_values[0].value or 0) > 2**62
    with pytest.raises(UsageError, match="too large for this engine"):
        solve(event, model, engine="matching", choose="uniform")


@pytest.mark.parametrize("players", [1000, 301])
@pytest.mark.parametrize("sides", [("corp", "runner"), ()])
def test_round_one_is_a_product_of_factorials(
    players: int, sides: tuple[str, ...]
) -> None:
    model = replace(load_model("standard"), sides=sides)
    result = solve(opening(players, None), model, choose="uniform", count=True)
    matches = players // 2
    ways = math.factorial(2 * matches) // math.factorial(matches) // 2**matches
    ways *= (players if players % 2 else 1) * (2**matches if sides else 1)
    assert result.choice is not None
    assert result.choice.count == OptimaCount(ways, ways, ways)
    assert result.choice.exact


@pytest.mark.long
@pytest.mark.parametrize("model", ["standard", "aesops", "double-sided", "cobra"])
def test_tables_and_forbidden_pairs_agree_on_larger_events(model: str) -> None:
    agreed = 0
    for event, _ in rounds(44, 5, 1, "standard"):
        for component in optima(prepare(event, model)).components:
            table = state_table(
                state_layout(component, component.code), 400_000, Budget()
            )
            relaxed = state_layout(component, component.relaxed)
            number = count_by_inclusion_exclusion(component, relaxed, 400_000)
            if table is not None and number is not None and len(component) > 4:
                assert table.count == number
                agreed += bool(component.missing.any())
                if (blocks := find_blocks(component)) is not None:
                    assert blocks.count(all_of) == number
    assert agreed >= 2


def all_of(component: PairingComponent) -> int:
    """The number of a component's pairings, in however many steps."""
    relaxed = state_layout(component, component.relaxed)
    return count_within_steps(component, relaxed, StepLimit(ALL, Budget()))


@pytest.mark.sweep
def test_score_groups_that_one_match_joins_are_counted_one_after_the_other() -> None:
    counted = Counter[int]()
    for number in range(12):
        event = foreign_fields.drawn(number, "mixed", (24, 34)).event
        members = np.array(["abcdefgh"[k % 8] for k in range(len(event.players))])
        event = replace(
            event, columns={**event.columns, "club": tuple(members.tolist())}
        )
        event = replace(
            event, settings=replace(event.settings, apart=(SeparationRule("club", 1),))
        )
        for component in optima(prepare(event, "standard")).components:
            blocks = find_blocks(component)
            table = state_table(
                state_layout(component, component.code), 2_000_000, Budget()
            )
            if blocks is not None and table is not None:
                assert blocks.count(all_of) == table.count
                counted[len(np.unique(blocks.label))] += 1
    assert counted[2] >= 3
    assert max(counted) >= 4


@pytest.mark.sweep
@pytest.mark.skipif(
    not (REAL / "slow").exists(), reason="no such files beside the project"
)
def test_a_large_field_with_clubs_is_counted_exactly() -> None:
    folder = REAL / "slow"
    event = read_event(folder / "cnt300m.csv", folder / "cnt300p.csv")
    choice = solve(event, folder / "clubs.toml", count=True).choice
    assert choice is not None
    assert choice.count is not None
    assert choice.count.exact
    assert large_number_text(choice.count.value) == "3.735 x 10^157"


def test_blocks_are_joined_by_one_match_that_an_equation_wants() -> None:
    """Three, four and three players in a row, all of whom may meet, and those next to them."""
    code = np.zeros((10, 10), np.int64)
    code[:3, :3] = code[3:7, 3:7] = code[7:, 7:] = 1
    code[:3, 3:7], code[3:7, 7:] = 2, 3
    code = np.triu(code, 1) + np.triu(code, 1).T
    cost = np.array([[0, 0], [0, 0], [1, 0], [0, 1]])
    players = replace(ring(10), code=code, relaxed=code, cost=cost, totals=(1, 1))
    players = replace(players, ways=np.array([0, 1, 2, 1]))
    found = find_blocks(players)
    assert found is not None
    assert np.bincount(found.label).tolist() == [3, 4, 3]
    assert (
        found.count(all_of) == 3 * 2 * 4 * 3 * 3
    )  # who leaves; the first crossing in two ways
    assert find_blocks(replace(players, totals=(1, 2))) is None
    assert find_blocks(replace(players, cost=cost + cost)) is None
    two = find_blocks(replace(players, cost=cost[:, :1], totals=(1,)))
    assert two is not None
    assert np.bincount(two.label).tolist() == [3, 7]
    assert find_blocks(replace(players, cost=cost[:, [0, 0]])) is None
    assert find_blocks(ring(8)) is None


@pytest.mark.long
@pytest.mark.parametrize("model", ["excalibur", "gatherling", "random", "double-sided"])
def test_a_table_is_the_same_a_state_at_a_time_and_a_match_at_a_time(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = 0
    for event, _ in rounds(14, 6, 2, "standard"):
        for component in optima(prepare(event, model)).components:
            for code in (component.code, component.relaxed):
                layout = state_layout(component, code)
                for most in (0, 40, 300, 2_000, ALL):
                    monkeypatch.setattr(state_tables, "FEW_STEPS", ALL)
                    by_depth = state_table(layout, most, Budget())
                    monkeypatch.setattr(state_tables, "FEW_STEPS", -1)
                    by_breadth = state_table(layout, most, Budget())
                    assert (by_depth is None) == (by_breadth is None)
                    if by_depth is not None and by_breadth is not None:
                        assert by_depth.completions == by_breadth.completions
                        large += len(by_depth.completions) > 50
    assert large


@pytest.mark.parametrize("model", ["excalibur", "gatherling", "random"])
def test_both_ways_give_up_after_the_same_steps(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lot is drawn in another way where a table takes more steps: one too many changes draws."""
    bare = 0
    for event, _ in rounds(12, 4, 3, "standard"):
        for component in optima(prepare(event, model)).components:
            layout, low, high = state_layout(component, component.code), 0, 100_000
            monkeypatch.setattr(state_tables, "FEW_STEPS", ALL)
            while high - low > 1:
                middle = (low + high) // 2
                fits = state_table(layout, middle, Budget()) is not None
                low, high = (low, middle) if fits else (middle, high)
            monkeypatch.setattr(state_tables, "FEW_STEPS", -1)
            assert state_table(layout, high, Budget()) is not None
            assert state_table(layout, high - 1, Budget()) is None
            bare += not component.totals
    assert bare


def test_a_table_holds_numbers_of_more_than_64_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Forty who may meet any other, each match either way round: 39!! * 2^20 pairings."""
    code = 1 - np.eye(40, dtype=np.int64)
    wide = replace(ring(40), code=code, relaxed=code, ways=np.array([0, 2]))
    monkeypatch.setattr(state_tables, "FEW_STEPS", -1)
    table = state_table(state_layout(wide, code), ALL, Budget())
    assert table is not None
    assert table.count == math.prod(range(1, 40, 2)) * 2**20


def test_many_groups_meet_a_small_one() -> None:
    """A star: ten who may meet one another's centre only, and the two centres each other."""
    code = np.zeros((12, 12), np.int64)
    code[:2, 2:] = 1
    code[2:, 2:] = (
        np.arange(10)[:, None] // 2 == np.arange(10)[None] // 2
    )  # five couples
    np.fill_diagonal(code, 0)
    code[0, 1] = 1
    code = np.maximum(code, code.T)
    star = replace(ring(12), code=code, relaxed=code)
    table = state_table(state_layout(star, code), ALL, Budget())
    assert table is not None
    # centres together, or with the two of a couple
    assert (
        table.count
        == count_by_inclusion_exclusion(star, state_layout(star, code), ALL)
        == 1 + 2 * 5
    )


def test_forbidden_pairs_that_an_equation_cannot_pay_for_split_no_component() -> None:
    """Twelve players, ways and costs as an event had them when this was a fault."""
    code, relaxed = (
        np.array([[int(c) for c in line] for line in text.split()])
        for text in (
            "041700340700 404700740300 140300710700 773072477100 000705304762 000250605637 "
            "377436077100 441700700300 000745700762 737176137000 000063006001 000027002010",
            "044700740700 404700740700 440700740700 777076477400 000705704766 000650605677 "
            "777476077400 444700700700 000745700766 777476477000 000067006001 000067006010",
        )
    )
    code, relaxed = np.maximum(code, code.T), np.maximum(relaxed, relaxed.T)
    component = PairingComponent(
        players=np.arange(12),
        code=code,
        relaxed=relaxed,
        ways=np.array([0, 1, 1, 1, 2, 2, 2, 2]),
        cost=np.array([[0], [0], [6], [12], [0], [2], [6], [12]]),
        totals=(6,),
    )
    table = state_table(state_layout(component, code), ALL, Budget())
    assert table is not None
    assert (
        table.count
        == count_by_inclusion_exclusion(
            component, state_layout(component, relaxed), ALL
        )
        == 112
    )


def test_groups_are_taken_as_they_hang_together() -> None:
    """A ring of 12 groups with a tail of three, numbered by lot: from the tail's end on, and never
    are more than three open."""
    ring = [(k, (k + 1) % 12) for k in range(12)]
    tail = [(0, 12), (12, 13), (13, 14)]
    for seed in range(20):
        name = np.random.default_rng(seed).permutation(15)
        code = np.zeros((15, 15), np.int64)
        for one, two in ring + tail:
            code[name[one], name[two]] = code[name[two], name[one]] = 1
        order = [
            group[0] for group in order_groups([[k] for k in range(15)], code, Budget())
        ]
        assert sorted(order) == [*range(15)]
        assert order[:4] == [name[k] for k in (14, 13, 12, 0)]
        for done in range(1, 15):
            before, later = order[:done], order[done:]
            assert np.count_nonzero(code[np.ix_(before, later)].any(axis=0)) <= 3


@pytest.mark.long
def test_prices_show_which_classes_no_optimum_uses() -> None:
    pruned = as_equations = 0
    for event, result in rounds(60, 7, 0, "standard"):
        problem = prepare(event, "standard")
        classes = build_classes(problem, types_of(problem.attributes(), len(problem)))
        values = [
            (value.value or 0) - level.offset
            for value, level in zip(result.level_values, problem.levels, strict=True)
        ]
        tight = OptimalUse(np.ones(len(classes), np.bool_))
        below = np.ones(len(classes), np.bool_)
        for k, value in enumerate(values):
            before = tight
            tight = tighten(classes, classes.costs[:, k : k + 1], [value], tight)
            below &= classes.costs[:, k] <= value
            # a level that prices explain is no equation of its own
            if len(tight.equations) > len(before.equations):
                as_equations += int(
                    (tight.equations[-1][0] == classes.costs[:, k]).all()
                )
        pruned += int(below.sum() - tight.alive.sum())
        assert not (tight.alive & ~below).any()
    assert pruned >= 100
    assert as_equations == 0


# ------------------------------------------------------------------ draws


SOME = 1
DRAWN = [
    pytest.param(k, marks=[pytest.mark.slow] * (k >= SOME)) for k in range(len(FIXED))
]
"""The fixed events; 20,000 draws of each take minutes, so most are for `pytest -m slow`."""


@pytest.mark.sweep
@pytest.mark.parametrize("k", DRAWN)
def test_exact_draws_are_uniform(k: int) -> None:
    problem, whole, every = fixed(k)
    assert 3 <= len(every) <= 500
    barred = any(component.missing.any() for component in whole.components)
    for drawer in (by_small_table, by_relaxed_table)[
        : 1 + barred
    ]:  # else they are the same
        ways = [
            (drawer if component.missing.any() else by_small_table)(component)
            for component in whole.components
        ]
        drawn = (draw(whole, Budget(seed), ways) for seed in range(DRAWS))
        assert (
            p_value((key_of(d.arcs, problem.state.sided) for d in drawn), every)
            > P_VALUE
        )


@pytest.mark.long
def test_forbidden_pairs_are_drawn_around_in_some_events() -> None:
    parts = [fixed(k)[1].components for k in range(len(FIXED))]
    assert sum(any(each.missing.any() for each in part) for part in parts) >= 10


@pytest.mark.long
@pytest.mark.parametrize("k", DRAWN)
def test_the_chain_is_uniform(k: int) -> None:
    problem, whole, every = fixed(k)
    lots = np.random.default_rng(k)
    first, second = [], []
    for component in whole.components:
        starts = find_starts(component, lots, Budget())
        many = np.resize(starts, (DRAWS, len(component)))
        partner = run_chains(
            component, many, 40, lots, find_longer_steps(component, starts)
        ).partner
        once = partner > np.arange(len(component))
        one = np.nonzero(once)[1].reshape(DRAWS, -1)
        first.append(component.players[one])
        second.append(component.players[np.take_along_axis(partner, one, axis=1)])
    one, two = np.concatenate(first, axis=1), np.concatenate(second, axis=1)
    arcs = whole.arcs(np.minimum(one, two).ravel(), np.maximum(one, two).ravel(), lots)
    shape = one.shape
    drawn = (
        key_of(arcs_of(a, b), problem.state.sided)
        for a, b in zip(
            arcs.first.reshape(shape), arcs.second.reshape(shape), strict=True
        )
    )
    assert p_value(drawn, every) > P_VALUE


@pytest.mark.long
def test_the_test_rejects_a_biased_sampler() -> None:
    rejected = []
    for k in range(len(FIXED)):
        _, _, every = fixed(k)
        rng = Random(k)
        rejected.append(
            p_value((one_by_one(every, rng) for _ in range(2000)), every) < P_VALUE
        )
    assert sum(rejected) >= 4, rejected


def test_any_is_fast_and_makes_no_claim() -> None:
    *_, (event, _) = rounds(8, 3, 2, "standard")
    plain = solve(event, "aesops", seed=5)
    assert plain.choice is None
    assert "choice" not in plain.to_dict()
    assert plain == solve(event, "aesops", seed=5, choose="any")


LOTS = [(9, "standard"), (37, "excalibur"), (24, "monrad"), (32, "aesops")]


@pytest.mark.long
@pytest.mark.parametrize(
    ("by_chains", "fields"),
    [(False, LOTS), pytest.param(True, LOTS, marks=pytest.mark.slow)],
)
def test_the_same_seed_draws_the_same_pairing(
    by_chains: bool, fields: list[tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ways: list[dict[str, Any]] = [
        {"workers": 2},
        {"engine": "matching"},
        {"formulation": "pairs"},
        {"count": True},
    ]
    if by_chains:
        for name in ("SMALL", "LARGE", "TRIES"):
            monkeypatch.setattr(drawing, name, 0)
    for players, model in fields:
        *_, (event, _) = rounds(players, 4, 1, "standard")
        for seed in (0, 7):
            one = solve(event, model, seed=seed, choose="uniform")
            for how in ways:
                two = solve(event, model, seed=seed, choose="uniform", **how)
                assert one.matches == two.matches, how
            assert one.choice is not None
            assert one.choice.exact != by_chains
    *_, (event, _) = rounds(32, 4, 1, "standard")
    assert (
        len({str(solve(event, choose="uniform", seed=s).matches) for s in range(5)})
        == 5
    )


@pytest.mark.sweep
def test_a_chain_draws_the_same_pairing_for_the_same_seed() -> None:
    *_, (event, _) = rounds(24, 3, 1, "standard")
    whole = optima(prepare(event, "standard"))
    one, two, other = (
        draw(whole, Budget(seed), map(by_chain, whole.components)) for seed in (3, 3, 4)
    )
    assert one.chained
    assert one.chained == two.chained
    assert np.array_equal(one.arcs.second, two.arcs.second)
    assert not np.array_equal(one.arcs.second, other.arcs.second)


# ------------------------------------------------------------------ the chain's parts


def ring(players: int) -> PairingComponent:
    """A component of which only neighbours in a circle are pairs: two pairings, far apart."""
    code = np.zeros((players, players), np.int64)
    here = np.arange(players)
    code[here, (here + 1) % players] = code[(here + 1) % players, here] = 1
    return PairingComponent(
        players=here,
        code=code,
        relaxed=code,
        ways=np.array([0, 1]),
        cost=np.zeros((2, 0), np.int64),
        totals=(),
    )


@pytest.mark.long
def test_longer_steps_lead_where_short_ones_do_not() -> None:
    component, lots = ring(24), np.random.default_rng(0)
    starts = find_starts(component, lots, Budget())
    assert len(np.unique(starts, axis=0)) == 2
    longer = find_longer_steps(component, starts)
    assert [len(step[0]) for step in longer] == [12]
    many = np.resize(starts[0], (1000, 24))
    stuck = run_chains(component, many, 50, lots)
    assert (stuck.partner == starts[0]).all()
    moved = run_chains(component, many, 50, lots, longer)
    share = (moved.partner == starts[0]).all(axis=1).mean()
    assert 0.45 < share < 0.55


@pytest.mark.long
def test_longer_steps_go_where_there_are_more_ways() -> None:
    """Of two pairings far apart one may be played either way round at one table: 2 of 3."""
    code = ring(24).code.copy()
    code[0, 1] = code[1, 0] = 2
    ways, cost = np.array([0, 1, 2]), np.zeros((3, 0), np.int64)
    component = replace(ring(24), code=code, relaxed=code, ways=ways, cost=cost)
    lots = np.random.default_rng(0)
    starts = find_starts(component, lots, Budget())
    moved = run_chains(
        component,
        np.resize(starts[0], (1000, 24)),
        50,
        lots,
        find_longer_steps(component, starts),
    )
    share = (moved.partner[:, 0] == 1).mean()
    assert 0.61 < share < 0.72


@pytest.mark.long
def test_chains_that_do_not_mix_say_so() -> None:
    component, lots = ring(24), np.random.default_rng(0)
    starts = find_starts(component, lots, Budget())
    assert (
        run_chains(component, starts, 100, lots).r_hat > 2
    )  # without the longer steps
    assert (
        run_chains(
            component, starts, 400, lots, find_longer_steps(component, starts)
        ).r_hat
        < 1.1
    )
    said = " ".join(
        map(str, OptimalChoice(True, (ChainDiagnostics(24, 8, 4000, 2.5),)).words())
    )
    assert "approximately" in said
    assert "may be unfair" in said
    assert "may be unfair" not in " ".join(
        map(str, OptimalChoice(True, (ChainDiagnostics(24, 8, 250, 1.01),)).words())
    )


@pytest.mark.parametrize(("r_hat", "walks"), [(1.0, 1), (drawing.MIXED + 0.01, 5)])
def test_chains_walk_until_they_mix_or_for_long_enough(
    r_hat: float, walks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """250 sweeps, and each time as many again as all before: 250, 500, 1000, 2000, 4000."""
    asked: list[int] = []

    def walked(
        _: object, partner: IntArray, sweeps: int, *__: object
    ) -> SimpleNamespace:
        assert len(asked) < walks
        asked.append(sweeps)
        return SimpleNamespace(partner=partner, trace=range(sweeps), r_hat=r_hat)

    monkeypatch.setattr(drawing, "run_chains", walked)
    _, _, chained = drawing.run_chains_until_mixed(ring(24), np.random.default_rng(0))
    assert asked == [250, 250, 500, 1000, 2000][:walks]
    assert (chained.sweeps, chained.r_hat) == (sum(asked), r_hat)


@pytest.mark.long
def test_steps_are_symmetric() -> None:
    """From x to y as often as from y to x, over a component with sides and an equation."""
    _, whole, _ = fixed(8)
    component = max(whole.components, key=len)
    assert component.totals or (component.ways > 1).any()
    lots = np.random.default_rng(1)
    table = state_table(state_layout(component, component.code), ALL, Budget())
    assert table is not None
    states: dict[bytes, tuple[IntArray, int]] = {}
    for seed in range(2000):
        pairs = table.draw(Random(seed))
        assert pairs is not None
        partner = np.empty(len(component), np.int64)
        for a, b in pairs:
            partner[a], partner[b] = b, a
        weight = int(
            component.ways[component.code[np.arange(len(component)), partner]].prod()
            ** 0.5
        )
        states[partner.tobytes()] = partner, weight
    assert 3 <= len(states) <= 60
    steps = np.zeros((len(states), len(states)))
    place = {key: k for k, key in enumerate(states)}
    weights = np.array([weight for _, weight in states.values()])
    starts = np.array([partner for partner, _ in states.values()])
    longer = find_longer_steps(component, starts)
    for k, start in enumerate(starts):
        after = run_chains(
            component, np.resize(start, (4000, len(component))), 1, lots, longer
        ).partner
        for row in after:
            steps[k, place[row.tobytes()]] += 1
    flow = weights[:, None] * steps
    one, two = np.triu_indices(len(states), 1)
    spread = np.sqrt(weights[one] * flow[one, two] + weights[two] * flow[two, one])
    seen = spread > 0
    z = (flow[one, two] - flow[two, one])[seen] / spread[seen]
    assert chi2.sf((z**2).sum(), len(z)) > 1e-3


def test_repairings_are_all_of_them() -> None:
    for matches, ways in ((2, 3), (3, 15), (4, 105)):
        found = list_repairings(matches)
        assert found.shape == (ways, matches, 2)
        assert len({frozenset(map(tuple, way)) for way in found.tolist()}) == ways
        assert found[0].ravel().tolist() == list(range(2 * matches))


def test_r_hat_compares_chains() -> None:
    lots = np.random.default_rng(0)
    same = lots.normal(size=(400, 8, 3))
    assert r_hat(same) < 1.02
    assert r_hat(same + np.arange(8)[None, :, None]) > 2
    drift = same + np.linspace(0, 3, 400)[:, None, None]
    assert r_hat(drift) > 1.2
    assert r_hat(np.zeros((400, 8, 3))) == pytest.approx(1)
    assert r_hat(same[:3]) == math.inf


def test_r_hat_looks_at_the_second_half_of_a_walk() -> None:
    """Two chains that begin far apart, and are together from the fifth sweep on."""
    one, two = [9, 8, 7, 6, 0, 1, 0, 1], [-9, -8, -7, -6, 1, 0, 1, 0]
    trace = np.array([one, two], np.float64).T[:, :, None]
    found = ChainState(np.zeros((2, 2), np.int64), trace)
    assert found.r_hat == r_hat(trace[4:]) == pytest.approx(1)
    assert r_hat(trace) > 2


def test_cycles_that_change_an_equation_are_one_step() -> None:
    component = ring(24)
    code = np.zeros((24, 24), np.int64)
    for at in (0, 12):  # two circles of 12
        circle = at + np.arange(12)
        code[circle, at + (np.arange(12) + 1) % 12] = 1
    code = np.maximum(code, code.T)
    code[0, 11] = code[11, 0] = code[12, 13] = code[13, 12] = (
        2  # one of these two is used
    )
    both = replace(
        component,
        code=code,
        relaxed=code,
        ways=np.array([0, 1, 1]),
        cost=np.array([[0], [0], [1]]),
        totals=(1,),
    )
    here = np.arange(24) ^ 1
    there = here.copy()
    for at in (0, 12):
        circle = at + np.arange(12)
        there[circle] = at + (np.arange(12) + np.where(np.arange(12) % 2, 1, -1)) % 12
    steps = find_longer_steps(both, np.array([here, there]))
    assert [len(step[0]) for step in steps] == [12]


# ------------------------------------------------------------------ estimates


def known(
    model: str, players: int, number: int
) -> Iterator[tuple[PairingComponent, int]]:
    """Components whose number is known, of a middling size."""
    *_, (event, _) = rounds(players, number, 0, "standard")
    for component in optima(prepare(event, model)).components:
        table = state_table(
            state_layout(component, component.code), 1_000_000, Budget()
        )
        if table is not None and table.count > 1000:
            yield component, table.count


@pytest.mark.long
def test_estimates_by_acceptance_hold() -> None:
    seen = inside = 0
    for number in (4, 5, 6):
        for component, true in known("standard", 44, number):
            if not component.missing.any():
                continue
            for seed in range(4):
                part = counting.estimate_by_rejection(
                    component, state_layout(component, component.relaxed), Random(seed)
                )
                assert part is not None
                assert part.arm is not None
                seen += 1
                inside += abs(math.log(part.number / true)) <= part.arm
    assert seen >= 12
    assert inside >= 0.85 * seen


def test_the_share_of_draws_has_no_bias(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the 8 draws that it takes to accept 4, the last is always accepted: 3 of 7 are left."""

    class Drawn:
        count = 700

        def draw(self, rng: Random, missing: object) -> str | None:
            return next(given)

    given = iter([None, "a", None, None, "a", "a", None, "a"])
    monkeypatch.setattr(counting, "state_table", lambda *_: Drawn())
    monkeypatch.setattr(counting, "ACCEPTED", 4)
    monkeypatch.setattr(counting, "FEWEST", 2)
    component = cast(PairingComponent, SimpleNamespace(missing=None))
    part = counting.estimate_by_rejection(component, cast(StateLayout, None), Random(0))
    assert part is not None
    assert part.number == 700 * Fraction(3, 7)
    assert part.arm == pytest.approx(1.959964 * (4 / 7 / 4) ** 0.5)


@pytest.mark.slow
def test_estimates_by_fixing_hold() -> None:
    seen = inside = 0
    for number in (4, 5):
        for component, true in known("aesops", 24, number):
            for seed in range(3):
                part = counting.estimate_by_fixing(component, Random(seed), small=40)
                assert part is not None
                if part.arm is None:
                    assert part.number == true
                    continue
                assert abs(math.log(part.number / true)) < 3 * part.arm
                seen += 1
                inside += abs(math.log(part.number / true)) <= part.arm
    assert seen >= 3
    assert inside >= 0.7 * seen


@pytest.mark.sweep
def test_a_piece_that_does_not_move_is_not_estimated() -> None:
    component = ring(24)  # its two pairings are too far apart
    assert counting.estimate_by_fixing(component, Random(0), small=1) is None
    said = OptimalChoice(False, counted=True)
    assert "could not count" in " ".join(map(str, said.words()))
    assert said.to_dict()["count"] is None


def test_no_refusal_is_no_proof() -> None:
    *_, (event, _) = rounds(44, 3, 0, "standard")
    for component in optima(prepare(event, "standard")).components:
        relaxed = state_layout(component, component.relaxed)
        table = state_table(relaxed, ALL, Budget())
        if table is not None and table.draw(Random(0)) is not None:
            part = counting.estimate_by_rejection(
                replace(component, code=component.relaxed), relaxed, Random(0)
            )
            assert part is not None
            assert part.arm is not None
            assert part.arm > 0
    about_one = OptimalChoice(
        False, (), OptimaCount(1, 1, 1, exact=False), counted=True
    )
    assert "about" in " ".join(map(str, about_one.words()))


@pytest.mark.long
def test_a_club_of_half_the_field_is_given_up_in_time() -> None:
    """Forbidden pairs that are a clique have more sets than can be held: the count gives up."""
    code = np.zeros((120, 120), np.int64)
    code[:70, 70:] = code[70:, :70] = 1
    code[70:, 70:] = 1 - np.eye(50, dtype=np.int64)
    relaxed = 1 - np.eye(120, dtype=np.int64)
    club = replace(ring(120), code=code, relaxed=relaxed)
    club.code[0, 80:] = club.code[80:, 0] = 0
    assert (
        count_by_inclusion_exclusion(club, state_layout(club, relaxed), 1_000_000)
        is None
    )


def test_an_estimate_has_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    *_, (event, _) = rounds(44, 5, 0, "standard")
    whole = optima(prepare(event, "standard"))
    true = count(whole)
    assert true is not None
    assert true.exact
    monkeypatch.setattr(counting, "count_by_inclusion_exclusion", lambda *_: None)
    monkeypatch.setattr(counting, "find_blocks", lambda _: None)
    monkeypatch.setattr(counting, "SMALL", 200)
    tables = counting.state_table

    def small(layout: StateLayout, most: int, budget: Budget) -> StateTable | None:
        return tables(layout, most if layout.start != own.start else 200, budget)

    component = max(whole.components, key=len)
    own = state_layout(component, component.code)
    monkeypatch.setattr(counting, "state_table", small)
    found = count(whole)
    assert found is not None
    assert not found.exact
    assert found.low <= true.value <= found.high
    assert found.high < 1.5 * found.low
    assert "about" in " ".join(map(str, OptimalChoice(False, (), found).words()))


# ------------------------------------------------------------------ what users see


def test_amounts() -> None:
    assert large_number_text(1_234) == "1,234"
    assert large_number_text(123_456_789) == "123,456,789"
    assert large_number_text(1_234_567_890) == "1.235 x 10^9"
    assert large_number_text(9_999_999_999) == "1.000 x 10^10"
    assert large_number_text(math.factorial(100)) == "9.333 x 10^157"


def test_numbers_of_any_length_are_written() -> None:
    number = math.factorial(2000)
    found = OptimalChoice(False, (), OptimaCount(number, number, number)).to_dict()[
        "count"
    ]["value"]
    assert len(found) == 5736
    assert found.startswith("33162750924506332411753933805763240382811")
    assert large_number_text(number) == "3.316 x 10^5735"


def test_a_single_optimum_is_called_so() -> None:
    model = replace(load_model("standard"), sides=())
    result = solve(opening(2, None), model, choose="uniform", count=True)
    assert result.choice is not None
    assert "one optimal pairing" in " ".join(map(str, result.choice.words()))


@pytest.mark.long
def test_on_the_command_line() -> None:
    event = [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]
    run = CliRunner().invoke(main, ["solve", *event, "--choose", "uniform", "--count"])
    assert run.exit_code == 0, run.stderr
    assert "optimal pairings, counted exactly" in run.stdout
    assert "exactly as likely as any other" in run.stdout
    made = CliRunner().invoke(main, ["solve", *event, "--count", "--format", "json"])
    found = json.loads(made.stdout)["choice"]
    assert found["choose"] == "any"
    assert int(found["count"]["value"]) > 1000
    assert found["count"]["exact"]
    forced = [*event, "--choose", "uniform", "--drop", "Elif Demir", "--seed", "2"]
    assert CliRunner().invoke(main, ["solve", *forced]).exit_code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "aesops-by-hand", "count": True}, "can't prove that"),
        ({"lookahead": 1, "choose": "uniform"}, "Set the lookahead to 0"),
        ({"choose": "fair"}, "Write any or uniform"),
    ],
)
def test_what_cannot_be_chosen_from(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        solve(opening(8), **options)


def test_too_many_players_are_told_before_the_solve() -> None:
    with pytest.raises(UsageError, match="up to 3000 players"):
        solve(opening(3001), count=True)


def test_nothing_is_chosen_where_nothing_is_proven() -> None:
    event = opening(3, None)
    result = solve(event, no_bye=("p0", "p1", "p2"), choose="uniform", count=True)
    assert result.status == "infeasible"
    assert result.choice is None
    *_, (late, _) = rounds(40, 5, 0, "standard")
    stopped = solve(late, choose="uniform", count=True, time_limit=1e-6)
    assert stopped.status in ("feasible", "unknown")
    assert stopped.choice is None
