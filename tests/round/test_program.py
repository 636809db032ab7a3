"""`pairopt.program`: the round as the integer program of the design, and what is added to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from random import Random
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
    vector_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python import cp_model
from places import SAMPLE
from simulation import opening, rounds

import pairopt
from pairopt import Event, Program, UsageError, program, read_event, solve
from pairopt.engines.cpsat import pair_model as engine
from pairopt.problem.build import prepare
from pairopt.round.cp_sat_program import _objective


@pytest.fixture(scope="module")
def weekly() -> Event:
    return read_event(SAMPLE / "matches.csv", SAMPLE / "players.csv")


def built(case: Case) -> Program:
    return program(case.event(), model_of(case.model), seed=case.seed, **case.options)


def values_of(result: pairopt.Result) -> list[int | None]:
    return [level.value for level in result.level_values]


def claims_nothing(result: pairopt.Result) -> bool:
    """Whether a result says nothing of the model's optimum, whatever it says of the program."""
    with pytest.raises(UsageError, match="You added constraints"):
        assert result.proof
    return (
        result.engine == result.holds_for == "program"
        and result.to_dict()["holds_for"] == "program"
        and not result.proven
        and not result.proven_by
        and result.clash is None
    )


@pytest.mark.long
@settings(REPEATABLE, max_examples=30)
@given(cases(events(2, 8), models(hard=constraints(most=1))))
def test_it_is_solved_as_brute_force_does(case: Case) -> None:
    best = case.oracle().optimum()
    result = built(case).solve()
    assert result.status == ("infeasible" if best is None else "optimal")
    assert vector_of(result.level_values) == (best or {})


@pytest.mark.long
@settings(REPEATABLE, max_examples=30)
@given(cases(events(2, 6), models(COARSE, hard=constraints(most=1))))
def test_the_expressions_say_what_the_rules_say_of_every_pairing(case: Case) -> None:
    """Each pairing that the rules allow is a solution with their values; there are no others."""
    made, oracle = built(case), case.oracle()
    solver, found = cp_model.CpSolver(), Counter[tuple[int, ...]]()

    class Each(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            found[tuple(self.value(expression) for *_, expression in made.levels)] += 1

    solver.parameters.enumerate_all_solutions = True
    if made.arcs:
        solver.solve(made.model, Each())
    labels = [
        (level.place, level.label)
        for level in prepare(
            case.event(), model_of(case.model), seed=case.seed, **case.options
        ).levels
    ]
    offsets = [level.offset for level in made._problem.levels]
    scales = [level.scale for level in made._problem.levels]
    known = Counter[tuple[int, ...]]()
    for pairing in oracle.pairings():
        vector = {
            (int(place), str(label)): value
            for (place, label), value in oracle.vector(pairing).items()
        }
        values = [vector.get((place, str(label)), 0) for place, label in labels]
        known[
            tuple(
                int(v * s) - o for v, s, o in zip(values, scales, offsets, strict=True)
            )
        ] += 1
    assert set(found) == set(known)
    if made._problem.state.sided or len(made._problem) < 2:
        assert found == known


def test_every_way_round_has_a_boolean_where_there_are_sides(weekly: Event) -> None:
    sided = program(weekly, "excalibur")
    names = {name for pair in sided.arcs for name in pair if name is not None}
    matches = [pair for pair in sided.arcs if pair[1] is not None]
    assert {(two, one) for one, two in matches} == {*matches}
    assert len(names) % 2 == any(two is None for _, two in sided.arcs)
    sideless = program(opening(9, sides=None), "double-sided")
    assert (
        len({frozenset(pair) for pair in sideless.arcs}) == len(sideless.arcs) == 36 + 9
    )


@pytest.mark.parametrize("ahead", [0, 2])
def test_variables_are_named_after_their_players(weekly: Event, ahead: int) -> None:
    made = program(weekly, "excalibur", lookahead=ahead)
    named = {variable.name: pair for pair, variable in made.arcs.items()}
    assert named == {f"{one} - {two or 'bye'}": (one, two) for one, two in made.arcs}
    names = [each.name for each in made.model.proto.variables]
    assert len({*names}) == len(names)
    later = [name for name in names if name not in named]
    assert {name[-5:] for name in later} == {f" in {k}" for k in range(1, ahead + 1)}
    everybody = {end for name in named for end in name.split(" - ")}
    assert {end for name in later for end in name[:-5].split(" - ")} <= everybody


def test_what_a_constraint_forbids_has_no_boolean(weekly: Event) -> None:
    one, two = solve(weekly, "excalibur").pairs[0]
    made = program(weekly, "excalibur", forbid=[(one, two)], no_bye=[one])
    assert not {(one, two), (two, one), (one, None)} & {*made.arcs}
    forced = program(weekly, "excalibur", force=[(one, two)])
    assert {frozenset(pair) for pair in forced.arcs if one in pair} == {
        frozenset((one, two))
    }


@pytest.mark.long
def test_it_is_what_the_pairs_formulation_solves(weekly: Event) -> None:
    result = program(weekly, "excalibur", seed=3).solve()
    same = solve(weekly, "excalibur", engine="cpsat", formulation="pairs", seed=3)
    assert (result.level_values, result.proven_by) == (same.level_values, ("cpsat",))
    assert result.levels.equals(solve(weekly, "excalibur").levels)
    assert result.proof is not None


@pytest.mark.long
def test_a_constraint_of_ones_own(weekly: Event) -> None:
    made = program(weekly, "excalibur")
    best = made.solve()
    one, two = best.pairs[0]
    for pair in ((one, two), (two, one)):
        made.model.add(made.arcs[pair] == 0)
    assert made.changed
    result = made.solve()
    assert (result.status, result.engine, result.proven) == (
        "optimal",
        "program",
        False,
    )
    assert {one, two} not in map(set, result.pairs)
    forbidden = solve(weekly, "excalibur", forbid=[(one, two)])
    assert result.levels.equals(forbidden.levels)
    assert {*result.gap} == {0.0}
    assert result.objective_values == result.lower_bound
    assert claims_nothing(result)
    assert "no pairing that satisfies the changed integer program is better" in str(
        result.notes[-1]
    )
    assert "stopped" not in " ".join(map(str, result.conclusion())).lower()


@pytest.mark.long
def test_a_level_of_ones_own_comes_where_it_is_put(weekly: Event) -> None:
    """Fewest matches of players whose names begin alike, before the score groups or last."""
    made = program(weekly, "excalibur")
    alike = sum(
        v for (one, two), v in made.arcs.items() if two is not None and one[0] == two[0]
    )
    before = made.solve()
    made.levels.insert(0, ("alike", 1, alike))
    first = made.solve()
    made.levels.append(made.levels.pop(0))
    last = made.solve()
    assert first.level_values[0].criterion == last.level_values[-1].criterion == "alike"
    assert [level.value for level in last.level_values[:-1]] == [
        level.value for level in before.level_values
    ]
    assert first.level_values[0].value <= last.level_values[-1].value

    def count(result: pairopt.Result) -> int:
        return sum(len(pair) == 2 and pair[0][0] == pair[1][0] for pair in result.pairs)

    assert count(first) == first.level_values[0].value
    assert count(last) == last.level_values[-1].value
    assert count(last) <= count(before)
    with pytest.raises(UsageError, match="weighted sum"):
        made.solve(lexicographic=False)


def test_the_weighted_sum_of_a_model_without_criteria() -> None:
    made = program(opening(6, sides=None), model_of({"name": "bare", "criteria": []}))
    result = made.solve(lexicographic=False)
    assert (result.status, result.level_values, len(result.pairs)) == ("optimal", (), 3)


def test_a_level_of_ones_own_where_the_model_has_none() -> None:
    made = program(opening(6, sides=None), model_of({"name": "bare", "criteria": []}))
    (apart, one), (together, two), *_ = made.arcs.items()
    assert not made.levels
    made.levels.append(("apart", 1, one))
    made.levels.append(("together", 1, 2 - two))
    result = made.solve()
    assert values_of(result) == [0, 1]
    assert {frozenset(together)} == {*map(frozenset, result.pairs)} & {
        frozenset(apart),
        frozenset(together),
    }
    assert claims_nothing(result)


def test_levels_may_be_left_out(weekly: Event) -> None:
    made = program(weekly, "excalibur")
    del made.levels[1:]
    result = made.solve()
    assert [level.criterion for level in result.level_values] == ["rematches"]
    assert (result.status, result.engine) == ("optimal", "program")


@pytest.mark.long
def test_what_cannot_be_kept_is_infeasible(weekly: Event) -> None:
    made = program(weekly, "excalibur")
    made.model.add(sum(made.arcs.values()) == 0)
    result = made.solve()
    assert (result.status, result.arcs, result.proven) == ("infeasible", None, False)
    assert "added" in str(result.conflicts[0])
    assert claims_nothing(result)
    everybody = [str(name) for name in {*solve(weekly).problem.state.names}]
    nobody = program(weekly, no_bye=everybody).solve()
    assert nobody.status == "infeasible"
    assert nobody.clash is not None


@pytest.mark.long
def test_the_weighted_sum(weekly: Event) -> None:
    made = program(weekly, "double-sided", sides=None)
    assert made.solve(lexicographic=False).levels["value"].tolist() == (
        made.solve().levels["value"].tolist()
    )
    aesops = program(weekly, "aesops-2025")
    known = solve(weekly, "aesops-2025")
    assert (
        aesops.solve(lexicographic=False).level_values[0].value
        == known.level_values[0].value
    )


@pytest.mark.long
@settings(REPEATABLE, max_examples=30)
@given(cases(events(2, 7), models(hard=constraints(most=1))), st.integers(0, 2**20))
def test_weights_of_ones_own_are_one_level(case: Case, seed: int) -> None:
    """The sum is the least that any pairing has, by brute force, whatever their order says."""
    made, oracle, rng = built(case), case.oracle(), Random(seed)
    if not made.levels:
        return
    weights = [rng.choice((0, 1, 2, 7, 50)) for _ in made.levels]
    total = sum(w * each for w, (*_, each) in zip(weights, made.levels, strict=True))
    given = [
        (level.offset, level.scale, (level.place, str(level.label)))
        for level in made._problem.levels
    ]
    made.levels[:] = [("weights", 1, total)]
    result = made.solve()
    sums = []
    for pairing in oracle.pairings():
        vector = {
            (int(place), str(label)): value
            for (place, label), value in oracle.vector(pairing).items()
        }
        parts = [
            int(vector.get(key, 0) * scale - offset) for offset, scale, key in given
        ]
        sums.append(sum(w * part for w, part in zip(weights, parts, strict=True)))
    assert result.status == ("optimal" if sums else "infeasible")
    if sums:
        assert [(v.criterion, v.value, v.bound) for v in result.level_values] == [
            ("weights", min(sums), min(sums))
        ]
        assert claims_nothing(result)


@pytest.mark.long
def test_a_solver_of_ones_own_with_its_parameters_and_a_callback(weekly: Event) -> None:
    """CP-SAT as one sets it, level after level on the program's model: the same optimum."""
    made, best = program(weekly, "excalibur"), solve(weekly, "excalibur")
    solver, seen = cp_model.CpSolver(), list[float]()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 5

    class Watch(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            seen.append(self.objective_value)

    model, found = made.model.clone(), []
    for _, _, total in made.levels:
        model.minimize(total)
        assert solver.solve(model, Watch()) == cp_model.OPTIMAL
        found.append(round(solver.objective_value))
        model.add(total == found[-1])
    offsets = [level.offset for level in made._problem.levels]
    assert [v + o for v, o in zip(found, offsets, strict=True)] == values_of(best)
    assert len(seen) >= len(found)
    assert not made.changed


def test_further_rounds_are_in_it() -> None:
    *_, (event, _) = rounds(8, 4, 1, engine="matching")
    made = program(event, "excalibur", lookahead=2)
    result, known = made.solve(), solve(event, "excalibur", lookahead=2)
    assert result.status == known.status
    assert [v.value for v in result.level_values] == [
        v.value for v in known.level_values
    ]


def test_a_system_has_no_one_program(weekly: Event) -> None:
    with pytest.raises(UsageError, match="one score group after another"):
        program(weekly, "fide-dutch", sides=["white", "black"])


@pytest.mark.long
def test_a_stop_leaves_the_best_so_far(
    weekly: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A solver without time finds something or nothing, and says that it is not proven."""
    whole = engine.make_solver

    def hurried(budget: object) -> cp_model.CpSolver:
        solver = whole(budget)  # type: ignore[arg-type]
        solver.parameters.max_deterministic_time = 1e-4
        return solver

    monkeypatch.setattr(engine, "make_solver", hurried)
    # with a callback, CP-SAT solves all levels
    callback = cp_model.CpSolverSolutionCallback()
    result = program(weekly, "excalibur").solve(callback=callback)
    assert result.status in ("feasible", "unknown")
    assert not result.proven_by


# ---------------------------------------------------------------------- what is a change

Edit = Callable[[Program, Random], object]


def arc_of(made: Program, rng: Random) -> cp_model.IntVar:
    return rng.choice([*made.arcs.values()])


def total_of(made: Program, rng: Random) -> Any:
    return sum(
        rng.randint(-3, 3) * played for played in made.arcs.values()
    ) + rng.randint(-2, 2)


def constraint_of(made: Program, rng: Random) -> Any:
    return rng.choice([*made.model.proto.constraints])


def remove_constraint(model: cp_model.CpModel, place: int) -> None:
    """Take out one constraint. The lists of OR-Tools 9.15 have neither `pop` nor `del`."""
    copied = (
        model.clone()
    )  # what `extend` is given must not be in the list that is cleared
    left = [*copied.proto.constraints]
    del left[place]
    constraints = model.proto.constraints
    constraints.clear()
    constraints.extend(left)


def domain_of(made: Program, rng: Random) -> None:
    variable = made.model.proto.variables[arc_of(made, rng).index]
    value = rng.randint(0, 1)
    variable.domain.clear()
    variable.domain.extend([value, value])


def only_if(made: Program, rng: Random) -> None:
    switch = made.model.new_bool_var("switch")
    made.model.add(arc_of(made, rng) == 1).only_enforce_if(switch)
    made.model.add(switch == 1)


def one_less(made: Program, rng: Random) -> None:
    """A match is taken out of somebody's only constraint: it can be played besides another."""
    literals = constraint_of(made, rng).exactly_one.literals
    if len(literals):
        left = [*literals][1:]
        literals.clear()
        literals.extend(left)
    else:
        remove_constraint(made.model, 0)


def another_in_its_place(made: Program, rng: Random) -> None:
    """The old expression is let go first, so that the new one may take its place in memory."""
    k = rng.randrange(len(made.levels))
    criterion, label, _ = made.levels.pop(k)
    made.levels.insert(k, (criterion, label, -total_of(made, rng) - 7))


def in_place(made: Program, rng: Random) -> None:
    """The same object with another value, where OR-Tools' sums can be added to."""
    k = rng.randrange(len(made.levels))
    criterion, label, expression = made.levels[k]
    total = expression + 0 * arc_of(made, rng) + arc_of(made, rng)
    total += 5 * arc_of(made, rng)
    made.levels[k] = (criterion, label, total)


def exchanged(made: Program, rng: Random) -> None:
    made.levels.append(made.levels.pop(0))
    made.levels.insert(0, ("one", 1, arc_of(made, rng)))


EDITS: dict[str, Edit] = {
    "played": lambda made, rng: made.model.add(arc_of(made, rng) == 1),
    "not played": lambda made, rng: made.model.add(arc_of(made, rng) == 0),
    "one of two": lambda made, rng: made.model.add(
        arc_of(made, rng) + arc_of(made, rng) <= 1
    ),
    "implied": lambda made, rng: made.model.add_implication(
        arc_of(made, rng), arc_of(made, rng)
    ),
    "or": lambda made, rng: made.model.add_bool_or(
        [arc_of(made, rng), arc_of(made, rng)]
    ),
    "under a condition": only_if,
    "its condition": lambda made, rng: constraint_of(
        made, rng
    ).enforcement_literal.append(arc_of(made, rng).index),
    "assumption": lambda made, rng: made.model.add_assumption(~arc_of(made, rng)),
    "domain": domain_of,
    "variable": lambda made, _: made.model.new_int_var(0, 5, "own"),
    "one less": one_less,
    "one gone": lambda made, _: remove_constraint(made.model, -1),
    "strategy": lambda made, rng: made.model.add_decision_strategy(
        [arc_of(made, rng)], cp_model.CHOOSE_FIRST, cp_model.SELECT_MAX_VALUE
    ),
    "minimize": lambda made, rng: made.model.minimize(total_of(made, rng)),
    "maximize": lambda made, rng: made.model.maximize(total_of(made, rng)),
    "minimize nothing": lambda made, _: made.model.minimize(0),
    "level gone": lambda made, rng: made.levels.pop(rng.randrange(len(made.levels))),
    "another level": another_in_its_place,
    "level in place": in_place,
    "exchanged": exchanged,
}
"""A program is changed by each of them alone."""


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_each_edit_is_a_change_and_a_changed_program_claims_nothing(edit: Edit) -> None:
    made = program(opening(7, sides=None), "standard")
    assert not made.changed
    assert made.solve().proven_by == ("cpsat",)
    edit(made, Random(1))
    assert made.changed
    with suppress(UsageError):  # what allows no pairing is refused
        assert claims_nothing(made.solve())
    with suppress(UsageError):
        assert claims_nothing(made.solve(lexicographic=False))


@pytest.mark.long
def test_what_is_taken_back_is_no_change_and_neither_are_hints(weekly: Event) -> None:
    made = program(weekly, "excalibur")
    best = made.solve()
    made.model.add_hint(arc_of(made, Random(1)), 1)
    made.model.add(arc_of(made, Random(2)) == 0)
    remove_constraint(made.model, -1)
    made.levels.insert(0, ("own", 1, arc_of(made, Random(3))))
    made.levels.pop(0)
    made.levels[:] = [(*names, 1 * expression) for *names, expression in made.levels]
    made.model = made.model.clone()
    assert not made.changed
    # of several optimal pairings a hint may lead to another one
    assert made.solve().level_values == best.level_values
    assert made.solve().proven_by == ("cpsat",)
    made.model.clear_hints()  # type: ignore[no-untyped-call]
    assert made.solve() == best


@pytest.mark.long
@settings(REPEATABLE, max_examples=60)
@given(
    cases(events(3, 7), models(hard=constraints(most=1))),
    st.lists(st.sampled_from([*EDITS]), min_size=1, max_size=4),
    st.integers(0, 2**20),
)
def test_whoever_claims_an_optimum_has_it(
    case: Case, names: list[str], seed: int
) -> None:
    """After any edits: what is claimed is best by brute force, and levels are those of the pairs.

    Nothing here asks the program whether it was changed.
    """
    made, oracle, rng = built(case), case.oracle(), Random(seed)
    known = {(level.criterion, level.label): level for level in made._problem.levels}
    for name in names:
        with suppress(IndexError, ValueError):  # nothing is left to be edited
            EDITS[name](made, rng)
    try:
        result = made.solve()
    except UsageError:
        return
    if result.arcs is None:
        assert not result.proven_by or oracle.optimum() is None
        return
    pairing = pairing_of(result)
    assert oracle.legal(pairing)
    vector = oracle.vector(pairing)
    has_bounds = any(v.bound is not None for v in result.level_values)
    if (
        result.proven
        or result.proven_by
        or (has_bounds and result.holds_for == "model")
    ):
        assert vector == oracle.optimum()
    for level in result.level_values:
        own = known.get((level.criterion, level.level))
        if own is not None and level.place == own.place:
            assert Fraction(level.value or 0, level.scale) == vector.get(
                (level.place, level.level), 0
            )


@pytest.mark.long
@settings(REPEATABLE, max_examples=30)
@given(cases(events(4, 7), models(COARSE)), st.integers(0, 2**20), st.booleans())
def test_an_objective_of_the_model_is_the_last_level(
    case: Case, seed: int, most: bool
) -> None:
    """Of the pairings that are best by the levels it takes the best one, as brute force does."""
    made = built(case)
    weight = {
        frozenset(pair): Random(f"{seed} {sorted(map(str, pair))}").randint(-9, 9)
        for pair in made.arcs
    }
    total = sum(weight[frozenset(pair)] * played for pair, played in made.arcs.items())
    (made.model.maximize if most else made.model.minimize)(total)
    oracle, result = case.oracle(), made.solve()
    best = oracle.optimum()
    if best is None:
        assert result.status == "infeasible"
        return
    sums = [
        sum(weight[frozenset(arc)] for arc in pairing)
        for pairing in oracle.pairings()
        if oracle.vector(pairing) == best
    ]
    assert claims_nothing(result)
    *levels, own = result.level_values
    assert vector_of(levels) == best
    assert (own.criterion, own.value) == (
        "objective",
        -max(sums) if most else min(sums),
    )
    with pytest.raises(
        UsageError, match="A weighted sum needs all objective levels of the model"
    ):
        made.solve(lexicographic=False)


def least_of(made: Program) -> tuple[int, ...] | None:
    """The best values of the levels by enumeration of all solutions; None without any."""
    model = made.model.clone()
    levels = [*made.levels, *_objective(model)]
    model.clear_objective()  # type: ignore[no-untyped-call]
    solver, best = cp_model.CpSolver(), list[tuple[int, ...]]()

    class Each(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            values = tuple(self.value(expression) for *_, expression in levels)
            best[:] = [min([values, *best])]

    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    solver.solve(model, Each())
    return best[0] if best else None


def inner_values(made: Program, result: pairopt.Result) -> tuple[list[int], list[int]]:
    """The values and the bounds of a program's levels, without the model's constants."""
    offsets = {
        (level.criterion, level.label, level.place): level.offset
        for level in made._problem.levels
    }
    values, bounds = [], []
    for level in result.level_values:
        offset = offsets.get((level.criterion, level.level, level.place), 0)
        assert level.value is not None
        values.append(level.value - offset)
        if level.bound is not None:
            bounds.append(level.bound - offset)
    return values, bounds


@pytest.mark.long
@settings(REPEATABLE, max_examples=60)
@given(
    cases(events(3, 6), models(COARSE, hard=constraints(most=1))),
    st.lists(st.sampled_from([*EDITS]), min_size=1, max_size=3),
    st.integers(0, 2**20),
)
def test_a_changed_program_has_the_optimum_of_all_its_solutions(
    case: Case, names: list[str], seed: int
) -> None:
    """Status, values and bounds are those of the program as it stands, by enumeration."""
    made, rng = built(case), Random(seed)
    for name in names:
        with suppress(IndexError, ValueError):  # nothing is left to be edited
            EDITS[name](made, rng)
    try:
        result = made.solve()
    except UsageError:
        return
    best = least_of(made) if made.arcs else None
    if result.holds_for == "model" or not made._built.columns.reach_all:
        return
    assert result.status == ("infeasible" if best is None else "optimal")
    if best is not None:
        values, bounds = inner_values(made, result)
        assert tuple(values) == tuple(bounds) == best
        assert {*result.gap} <= {0.0}


@pytest.mark.long
@settings(REPEATABLE, max_examples=40)
@given(
    cases(events(4, 8), models(hard=constraints(most=1))),
    st.integers(0, 2**20),
    st.booleans(),
)
def test_an_added_constraint_has_the_optimum_that_brute_force_finds(
    case: Case, seed: int, lexicographic: bool
) -> None:
    """At most one of some matches: the best pairing among those that brute force keeps."""
    made, oracle, rng = built(case), case.oracle(), Random(seed)
    if not made.arcs:
        return
    some = {frozenset(pair) for pair in made.arcs if rng.random() < 0.5}
    chosen = [v for pair, v in made.arcs.items() if frozenset(pair) in some]
    made.model.add(sum(chosen) <= 1)
    kept = [
        pairing
        for pairing in oracle.pairings()
        if sum(frozenset(arc) in some for arc in pairing) <= 1
    ]
    result = made.solve(lexicographic)
    assert claims_nothing(result)
    assert result.status == ("optimal" if kept else "infeasible")
    if not kept:
        return
    if made._problem.weights("weighted") is None:
        least = min(kept, key=oracle._total)
        assert vector_of(result.level_values) == oracle.vector(least)
    assert result.objective_values == result.lower_bound
    assert all(level.proven for level in result.decisive)


@pytest.mark.long
def test_a_stopped_program_has_bounds_and_a_gap(
    weekly: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bound is never above the optimum, nor a value below it, and the gap is between them."""
    made = program(weekly, "excalibur")
    one, two = made.solve().pairs[0]
    for pair in ((one, two), (two, one)):
        made.model.add(made.arcs[pair] == 0)
    best = made.solve()
    whole = engine.make_solver
    statuses = set()

    for seed in range(4):

        def hurried(budget: object, seed: int = seed) -> cp_model.CpSolver:
            solver = whole(budget)  # type: ignore[arg-type]
            solver.parameters.stop_after_first_solution = True
            solver.parameters.random_seed = seed
            return solver

        monkeypatch.setattr(engine, "make_solver", hurried)
        result = made.solve()
        statuses.add(result.status)
        assert claims_nothing(result)
        assert (result.status == "optimal") == (result.lower_bound == best.lower_bound)
        for level, optimum in zip(result.level_values, best.level_values, strict=True):
            if level.bound is None or optimum.value is None:
                break
            assert level.bound <= optimum.value
            if not level.proven:
                break
        for gap, value, bound in zip(
            result.gap, result.objective_values, result.lower_bound, strict=True
        ):
            if bound is None or value is None:
                assert gap is None
            else:
                assert gap == float((value - bound) / max(1, abs(value))) >= 0
        if result.status == "feasible":
            assert "time limit" in str(result.notes[-1])
    assert "feasible" in statuses


@pytest.mark.long
def test_a_hint_is_where_the_search_starts(weekly: Event) -> None:
    """The first solution that CP-SAT finds is the hint, if it satisfies the program."""
    made = program(weekly, "excalibur")
    other = solve(weekly, "monrad").pairs
    legal = {frozenset(pair) for pair in other}
    seen: list[set[frozenset[str | None]]] = []

    class Watch(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            played = [pair for pair, v in made.arcs.items() if self.value(v)]
            seen.append({frozenset(name for name in pair if name) for pair in played})

    result = made.solve(hint=other, callback=Watch())
    assert seen[0] == legal
    assert values_of(result) == values_of(made.solve())
    assert not made.changed


def test_a_hint_of_a_match_that_is_none_is_refused(weekly: Event) -> None:
    made = program(weekly, "excalibur")
    with pytest.raises(UsageError, match="no match Nobody - Aiko Tanaka"):
        made.solve(hint=[("Nobody", "Aiko Tanaka")])


@pytest.mark.parametrize("match", [("Nobody", None), (), ("A", "B", "C")])
def test_a_hint_of_another_shape_is_refused(
    weekly: Event, match: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError, match="The integer program has no match"):
        program(weekly, "excalibur").solve(hint=[match])


def test_a_search_that_never_began_bounds_a_negative_objective(weekly: Event) -> None:
    """CP-SAT reports a bound of 0 then, whatever the objective is."""
    made = program(weekly, "excalibur", time_limit=1e-6)
    made.levels.clear()
    made.model.maximize(3 * sum(made.arcs.values()) + 1)
    result = made.solve()
    assert result.status == "unknown"
    assert result.lower_bound == (-3 * len(made.arcs) - 1,)


@pytest.mark.long
def test_a_callback_gets_the_objective_of_one_level_at_a_time(weekly: Event) -> None:
    made = program(weekly, "excalibur")
    made.model.add(sum(made.arcs.values()) >= 1)
    seen = list[float]()

    class Watch(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            seen.append(self.objective_value)

    result = made.solve(callback=Watch())
    assert seen
    offsets = [level.offset for level in made._problem.levels]
    largest = max(
        (value or 0) - offset
        for value, offset in zip(values_of(result), offsets, strict=True)
    )
    assert seen[-1] <= largest
    assert result.runtime > 0


WHOLE = "must be a linear expression with integer coefficients"


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda made, one: made.model.minimize(0.5 * one), WHOLE),
        (
            lambda made, one: made.levels.append(("half", 1, 0.5 * one)),
            f"half 1 {WHOLE}",
        ),
        (lambda made, one: made.levels.append(("far", 1, 2**62 * one)), "far 1"),
        (
            lambda made, _: made.model.proto.constraints.add().linear.vars.append(
                10**6
            ),
            "CP-SAT rejects",
        ),
        (lambda made, _: setattr(made, "model", cp_model.CpModel()), "were removed"),
        (lambda made, _: made.model.proto.constraints.clear(), "not a legal pairing"),
    ],
)
def test_what_cannot_be_solved_is_said(edit: Callable[..., object], said: str) -> None:
    """A refusal that says what is wrong, and no pairing that is none."""
    made = program(opening(6, sides=None), "standard")
    edit(made, next(iter(made.arcs.values())))
    assert made.changed
    with pytest.raises(UsageError, match=said):
        made.solve()


@pytest.mark.parametrize("is_of_level", [True, False])
def test_a_refused_program_has_the_kind_and_fields_of_version_1_0(
    is_of_level: bool,
) -> None:
    made = program(opening(6, sides=None), "standard")
    if is_of_level:
        made.levels.append(("far", 1, 2**62 * next(iter(made.arcs.values()))))
    else:
        made.model.proto.constraints.add().linear.vars.append(10**6)
    with pytest.raises(UsageError) as caught:
        made.solve()
    in_json = caught.value.said[0].to_dict()
    assert caught.value.kind == in_json["kind"] == "program.refused"
    expected = ("far", 1) if is_of_level else ("", "")
    assert (in_json["criterion"], in_json["level"]) == expected
    assert in_json["text"].startswith("CP-SAT rejects the integer program")
    assert in_json["fault"] in in_json["text"]


def lines() -> Iterator[str]:
    yield from (
        (SAMPLE.parents[1] / "pairopt/engines/cpsat/pair_model.py")
        .read_text()
        .splitlines()
    )


def test_it_is_in_the_public_modelling_layer_alone() -> None:
    imported = [line.strip() for line in lines() if "from ortools" in line]
    assert imported == ["from ortools.sat.python import cp_model"]


@pytest.mark.long
@settings(REPEATABLE, max_examples=25)
@given(cases(events(3, 9), models(hard=constraints(most=1))), st.booleans())
def test_settled_twice(case: Case, small: bool) -> None:
    verify = "small" if small else True
    result = solve(
        case.event(),
        model_of(case.model),
        seed=case.seed,
        verify=verify,
        **case.options,
    )
    assert result.proven_by == ("matching", "cpsat")
    assert ("Confirmed by cpsat (cross-check)." in map(str, result.notes)) == (
        not small
    )


def test_it_shows_what_may_be_changed(weekly: Event) -> None:
    shown = repr(program(weekly))
    assert shown.startswith("Program(model=")
    assert ", arcs={" in shown
    assert ", levels=[" in shown
    assert "Problem(" not in shown


@pytest.mark.long
def test_cuts_of_pairings_are_not_used_without_the_constraints() -> None:
    """With a winner and a loser left out nobody floats, which no pairing of 3 and 3 can do."""
    *_, (event, _) = rounds(6, 2, 1, engine="matching")
    made = program(event, "standard")
    assert made.solve().status == "optimal"
    score = dict(zip(event.players, made._problem.state.score.tolist(), strict=True))
    high, low = max(score.values()), min(score.values())
    assert [*score.values()].count(high) == [*score.values()].count(low) == 3
    for points in (high, low):
        name = next(player for player in event.players if score[player] == points)
        own = {v.index for pair, v in made.arcs.items() if name in pair}
        place = next(
            k
            for k, each in enumerate(made.model.proto.constraints)
            if {*each.exactly_one.literals} == own
        )
        remove_constraint(made.model, place)
    with pytest.raises(UsageError, match="not a legal pairing"):
        made.solve()


def test_the_bounds_of_a_changed_program_have_the_constants_of_the_levels() -> None:
    """With negative points the level has a constant, so that no match costs less than 0."""
    players = [{"player": f"p{k}", "score": "-2"} for k in range(5)]
    made = built(
        Case([], players, {"name": "bye", "criteria": [{"kind": "bye_score"}]})
    )
    made.model.add(sum(made.arcs.values()) >= 1)
    (level,) = made.solve().level_values
    assert Fraction(level.value, level.scale) == -2
    assert (level.bound, level.proven) == (level.value, True)
