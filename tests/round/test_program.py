"""`pairopt.program`: the round as the integer program of the design, and what is added to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from events import COARSE, REPEATABLE, Case, cases, constraints, events, model_of, models, vector_of
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python import cp_model
from places import SAMPLE
from simulation import opening, rounds

import pairopt
from pairopt import Event, Program, UsageError, program, read_event, solve
from pairopt.engines.cpsat import program as engine
from pairopt.problem.ready import prepare


@pytest.fixture(scope="module")
def weekly() -> Event:
    return read_event(SAMPLE / "matches.csv", SAMPLE / "players.csv")


def built(case: Case) -> Program:
    return program(case.event(), model_of(case.model), seed=case.seed, **case.options)


@settings(REPEATABLE, max_examples=30)
@given(cases(events(2, 8), models(hard=constraints(most=1))))
def test_it_is_solved_as_brute_force_does(case: Case) -> None:
    best = case.oracle().optimum()
    result = built(case).solve()
    assert result.status == ("infeasible" if best is None else "optimal")
    assert vector_of(result.level_values) == (best or {})


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
    labels = [(level.place, level.label) for level in prepare(
        case.event(), model_of(case.model), seed=case.seed, **case.options).levels]  # fmt: skip
    offsets = [level.offset for level in made._problem.levels]
    scales = [level.scale for level in made._problem.levels]
    known = Counter[tuple[int, ...]]()
    for pairing in oracle.pairings():
        vector = {
            (int(place), str(label)): value
            for (place, label), value in oracle.vector(pairing).items()
        }
        values = [vector.get((place, str(label)), 0) for place, label in labels]
        known[tuple(int(v * s) - o for v, s, o in zip(values, scales, offsets, strict=True))] += 1
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
    assert len({frozenset(pair) for pair in sideless.arcs}) == len(sideless.arcs) == 36 + 9


def test_what_a_constraint_forbids_has_no_boolean(weekly: Event) -> None:
    one, two = solve(weekly, "excalibur").pairs[0]
    made = program(weekly, "excalibur", forbid=[(one, two)], no_bye=[one])
    assert not {(one, two), (two, one), (one, None)} & {*made.arcs}
    forced = program(weekly, "excalibur", force=[(one, two)])
    assert {frozenset(pair) for pair in forced.arcs if one in pair} == {frozenset((one, two))}


def test_it_is_what_the_pairs_formulation_solves(weekly: Event) -> None:
    result = program(weekly, "excalibur", seed=3).solve()
    same = solve(weekly, "excalibur", engine="cpsat", formulation="pairs", seed=3)
    assert (result.level_values, result.proven_by) == (same.level_values, ("cpsat",))
    assert result.levels.equals(solve(weekly, "excalibur").levels)
    assert result.proof is not None


def test_a_constraint_of_ones_own(weekly: Event) -> None:
    made = program(weekly, "excalibur")
    best = made.solve()
    one, two = best.pairs[0]
    for pair in ((one, two), (two, one)):
        made.model.add(made.arcs[pair] == 0)
    assert made.changed
    result = made.solve()
    assert (result.status, result.engine) == ("optimal", "program")
    assert {one, two} not in map(set, result.pairs)
    forbidden = solve(weekly, "excalibur", forbid=[(one, two)])
    assert result.levels.equals(forbidden.levels)
    with pytest.raises(UsageError, match="was added to"):
        assert result.proof


def test_a_level_of_ones_own_comes_where_it_is_put(weekly: Event) -> None:
    """Fewest matches of players whose names begin alike, before the score groups or last."""
    made = program(weekly, "excalibur")
    alike = sum(v for (one, two), v in made.arcs.items() if two is not None and one[0] == two[0])
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


def test_levels_may_be_left_out(weekly: Event) -> None:
    made = program(weekly, "excalibur")
    del made.levels[1:]
    result = made.solve()
    assert [level.criterion for level in result.level_values] == ["rematches"]
    assert (result.status, result.engine) == ("optimal", "program")


def test_what_cannot_be_kept_is_infeasible(weekly: Event) -> None:
    made = program(weekly, "excalibur")
    made.model.add(sum(made.arcs.values()) == 0)
    result = made.solve()
    assert (result.status, result.arcs, result.proven) == ("infeasible", None, False)
    assert "added" in result.conflicts[0]
    everybody = [str(name) for name in {*solve(weekly).problem.state.names}]
    nobody = program(weekly, no_bye=everybody).solve()
    assert nobody.status == "infeasible"
    assert nobody.clash is not None


def test_the_weighted_sum(weekly: Event) -> None:
    made = program(weekly, "double-sided", sides=None)
    assert made.solve(lexicographic=False).levels["value"].tolist() == (
        made.solve().levels["value"].tolist()
    )
    aesops = program(weekly, "aesops-2025")
    known = solve(weekly, "aesops-2025")
    assert aesops.solve(lexicographic=False).level_values[0].value == known.level_values[0].value


def test_further_rounds_are_in_it() -> None:
    *_, (event, _) = rounds(8, 4, 1, engine="matching")
    made = program(event, "excalibur", lookahead=2)
    result, known = made.solve(), solve(event, "excalibur", lookahead=2)
    assert result.status == known.status
    assert [v.value for v in result.level_values] == [v.value for v in known.level_values]


def test_a_system_has_no_one_program(weekly: Event) -> None:
    with pytest.raises(UsageError, match="bracket by bracket"):
        program(weekly, "fide-dutch", sides=["white", "black"])


def test_a_stop_leaves_the_best_so_far(weekly: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver without time finds something or nothing, and says that it is not proven."""
    whole = engine.solver_of

    def hurried(budget: object) -> cp_model.CpSolver:
        solver = whole(budget)  # type: ignore[arg-type]
        solver.parameters.max_deterministic_time = 1e-4
        return solver

    monkeypatch.setattr(engine, "solver_of", hurried)
    result = program(weekly, "excalibur").solve()
    assert result.status in ("feasible", "unknown")
    assert not result.proven_by


def lines() -> Iterator[str]:
    yield from (SAMPLE.parents[1] / "pairopt/engines/cpsat/program.py").read_text().splitlines()


def test_it_is_in_the_public_modelling_layer_alone() -> None:
    imported = [line for line in lines() if "ortools" in line and "import" in line]
    assert imported == ["from ortools.sat.python import cp_model"]


@settings(REPEATABLE, max_examples=25)
@given(cases(events(3, 9), models(hard=constraints(most=1))), st.booleans())
def test_settled_twice(case: Case, small: bool) -> None:
    verify = "small" if small else True
    result = solve(
        case.event(), model_of(case.model), seed=case.seed, verify=verify, **case.options
    )
    assert result.proven_by == ("matching", "cpsat")
    assert ("verified by cpsat" in result.notes) == (not small)
