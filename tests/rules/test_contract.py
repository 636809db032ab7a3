"""The contract of exchangeability: each pair and bye is what its class is, under every rule.

A rule that says less than it reads makes wrong optima that no verifier of pairings can see, in
fields too large for brute force. So each fault of this kind is planted here, and must be caught.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from events import (
    CONSTRAINTS,
    CRITERIA,
    FORMULAS,
    OTHER_CONSTRAINTS,
    REPEATABLE,
    SHIPPED,
    event_of,
    events,
    model_of,
    shipped,
)
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from simulation import rounds

from pairopt import Event, UsageError, solve
from pairopt.engines.base import EngineError
from pairopt.engines.player_types import (
    SAMPLE,
    build_classes,
    draw_pair_sample,
    find_breaches,
    types_of,
)
from pairopt.engines.single_pairs import legal_ways
from pairopt.event.arcs import BYE, arcs_of
from pairopt.event.event import FORFEIT
from pairopt.event.state import State
from pairopt.problem.build import prepare
from pairopt.problem.problem import Problem
from pairopt.rules import constraints, criteria
from pairopt.rules.base import NO_PAIRS, Criterion, Rule
from pairopt.rules.constraints.byes import NoRepeatBye
from pairopt.rules.criteria import conflicts
from pairopt.rules.criteria.repeat_floats import RepeatFloats

FIELDS = 120
SOFT, HARD = CRITERIA | FORMULAS, CONSTRAINTS | OTHER_CONSTRAINTS
RULES: dict[str, type[Rule]] = {
    rule.__name__: rule
    for rule in (*criteria.CRITERIA.values(), *constraints.CONSTRAINTS.values())
    if not getattr(rule, "per_player", False)
}
SAYS = ("attributes", "bye_attributes", "pairs")


@dataclass(frozen=True)
class Sample:
    """A field, parameters for each rule, and options."""

    event: Event
    soft: dict[str, dict[str, Any]]
    hard: dict[str, Any]
    options: dict[str, Any]

    def under(self, rule: type[Rule]) -> Problem | None:
        """The field under one rule; None where it does not have what the rule reads."""
        kind = rule.kind
        model: dict[str, Any] = {"name": kind, "sides": ["corp", "runner"]}
        if issubclass(rule, Criterion):
            model["criteria"] = [{"kind": kind, **self.soft[kind]}]
        elif kind in self.hard:
            model["constraints"] = {kind: self.hard[kind]}
        options = self.options
        if kind == "fixed_tables":  # what stays is excepted from all other constraints
            options = {"fixed": options["force"]}
        try:
            problem = prepare(self.event, model_of(model), **options)
        except UsageError:
            return None
        own = tuple(each for each in problem.constraints if isinstance(each, rule))
        return replace(problem, constraints=own) if own or problem.criteria else None


@cache
def samples() -> tuple[Sample, ...]:
    found: list[Sample] = []

    @settings(REPEATABLE, max_examples=FIELDS, phases=[Phase.generate])
    @given(
        events(12, 40),
        st.fixed_dictionaries(SOFT),
        st.fixed_dictionaries(HARD),
        st.data(),
    )
    def collect(drawn: Any, soft: Any, hard: Any, data: st.DataObject) -> None:
        some = data.draw(st.permutations(drawn.active))
        pairs = list(zip(some[:8:2], some[1:8:2], strict=True))
        given = {
            "force": pairs[:2],
            "forbid": pairs[2:],
            "bye": some[8],
            "no_bye": some[9:11],
        }
        found.append(Sample(event_of(drawn.rows, drawn.players), soft, hard, given))

    collect()
    return tuple(found)


def problems(rule: type[Rule], most: int = FIELDS) -> list[Problem]:
    some = samples()[:most]
    return [problem for each in some if (problem := each.under(rule)) is not None]


def broken(problem: Problem) -> list[str]:
    """What all pairs of players and all byes say against the rules' types."""
    type_of = types_of(problem.attributes(), len(problem))
    return find_breaches(
        problem, type_of, np.column_stack(np.triu_indices(len(problem), 1))
    )


def only(problem: Problem) -> Rule:
    (rule,) = (*problem.constraints, *problem.criteria)
    return rule


def saying_less(problem: Problem, what: str, index: int) -> Problem:
    """The problem with its rule leaving out one attribute, or its special pairs."""
    rule = only(problem)

    def said(self: Rule, state: State) -> Any:
        full = getattr(rule, what)(state)
        return NO_PAIRS if what == "pairs" else (*full[:index], *full[index + 1 :])

    given = {each.name: getattr(rule, each.name) for each in fields(rule) if each.init}
    planted = type("Planted", (type(rule),), {what: said})(**given)
    return replace(
        problem, **{"criteria" if problem.criteria else "constraints": (planted,)}
    )


def faults(found: list[Problem]) -> list[tuple[str, int]]:
    """Every single thing that the rule of these problems says, and could leave out."""
    said = {
        (what, 0 if what == "pairs" else k)
        for problem in found
        for what in SAYS
        for k in range(len(getattr(only(problem), what)(problem.state)))
    }
    return sorted(said)


@pytest.mark.long
def test_the_fields_are_of_every_sort() -> None:
    states = [prepare(each.event).state for each in samples()]
    for sort in (
        [state.sided for state in states],
        [state.odd for state in states],
        [bool(state.byes.any()) for state in states],
        [bool((state.event.matches.status == FORFEIT).any()) for state in states],
        [len(state.meetings.keys) > 0 for state in states],
        [len(state) > 25 for state in states],
    ):
        assert 10 <= sum(sort) < len(states)


def test_every_rule_is_in_the_list_of_events() -> None:
    every = criteria.CRITERIA.items()  # a study may have brought its own
    assert set(SOFT) == {
        name for name, rule in every if rule.__module__.startswith("pairopt.")
    }
    listed = {
        kind for kind, rule in constraints.CONSTRAINTS.items() if rule.option is None
    }
    in_systems = {
        "allocated_sides",
        "allocated_sides_by_opposition",
    }  # in the oracles of these
    assert set(HARD) | in_systems == listed


@pytest.mark.long
@pytest.mark.parametrize(
    "fields", [FIELDS // 4, pytest.param(FIELDS, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", RULES)
def test_each_pair_and_bye_is_what_its_class_is(name: str, fields: int) -> None:
    found = problems(RULES[name], fields)
    assert len(found) >= fields // 4
    assert [str(said) for problem in found for said in broken(problem)] == []


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(r, marks=pytest.mark.slow if k % 3 else ())
        for k, r in enumerate(RULES)
    ],
)
def test_a_rule_that_says_less_than_it_reads_is_caught(name: str) -> None:
    found = problems(RULES[name])
    planted = faults(found)
    assert planted
    for fault in planted:
        assert any(broken(saying_less(problem, *fault)) for problem in found), fault


@pytest.mark.parametrize("name", [rule.__name__ for rule in criteria.CRITERIA.values()])
def test_some_levels_alone_are_what_they_are_with_the_others(name: str) -> None:
    rule = next(rule for rule in criteria.CRITERIA.values() if rule.__name__ == name)
    for sample in samples()[:15]:
        problem = sample.under(rule)
        if problem is None:
            continue
        first, second = np.triu_indices(len(problem), 1)
        arcs = arcs_of(first, second)
        whole = problem.costs(arcs)
        assert problem.totals(arcs) == whole.astype(object).sum(axis=0).tolist()
        for start in range(whole.shape[1] + 1):
            for stop in {start, start + 1, start + 3, whole.shape[1]}:
                part = problem.costs(arcs, start, stop)
                assert np.array_equal(part, whole[:, start:stop])


@pytest.mark.long
@pytest.mark.parametrize("name", ["Conflicts", "NoConflicts"])
@pytest.mark.parametrize("many", [1, 3, 8])
def test_values_that_many_share(
    name: str, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are attributes of their players, no longer special pairs."""
    monkeypatch.setattr(conflicts, "MANY", many)
    found = problems(RULES[name])
    assert any(len(only(problem).attributes(problem.state)) for problem in found)
    assert [said for problem in found for said in broken(problem)] == []
    for fault in faults(found):
        assert any(broken(saying_less(problem, *fault)) for problem in found), fault


@pytest.mark.sweep
@pytest.mark.parametrize("name", [*SHIPPED, "aesops-2025", "cobra", "fide-basic"])
def test_classes_hold_the_costs_and_sides_of_their_pairs(name: str) -> None:
    for sample in samples():
        problem = prepare(sample.event, model_of(shipped(name)))
        n, type_of = len(problem), types_of(problem.attributes(), len(problem))
        classes = build_classes(problem, type_of)
        first, second = np.triu_indices(n, 1)
        turn = type_of[first] > type_of[second]
        pairs = np.column_stack([first, second])
        pairs[turn] = pairs[turn, ::-1]
        sides, costs = legal_ways(
            problem, arcs_of(*pairs.T), stop=problem.coarse_levels
        )
        assert classes.hold(pairs, sides, costs).all()
        assert (
            not classes.hold(pairs, sides, costs + 1).any(where=sides > 0)
            or not costs.size
        )
        assert not classes.hold(pairs, 3 - sides, costs).any(where=sides % 3 > 0)
        assert not classes.hold(pairs, 0 * sides, costs).any(where=sides > 0)
        if problem.state.odd:
            byes = arcs_of(np.arange(n), np.full(n, BYE))
            number = np.full(len(classes.size), -1)
            number[classes.a[classes.bye]] = np.flatnonzero(classes.bye)
            some = number[type_of] >= 0
            assert np.array_equal(some, problem.legal(byes))
            costs = problem.costs(byes, 0, problem.coarse_levels)
            assert np.array_equal(classes.costs[number[type_of[some]]], costs[some])


@pytest.mark.parametrize("engine", ["cpsat", "matching"])
def test_a_solve_checks_a_sample(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    *_, (event, _) = rounds(70, 3, 1, engine="matching")
    model = {"name": "floats", "criteria": [{"kind": "repeat_floats"}]}
    assert solve(event, model_of(model), engine=engine).proven
    monkeypatch.setattr(RepeatFloats, "attributes", lambda _, state: (state.score,))
    with pytest.raises(
        EngineError,
        match="The rule repeat_floats depends on data that the rule does not declare: p",
    ):
        solve(event, model_of(model), engine=engine)


def test_a_solve_checks_all_byes(monkeypatch: pytest.MonkeyPatch) -> None:
    *_, (event, _) = rounds(71, 3, 1, drops=0, engine="matching")
    monkeypatch.setattr(NoRepeatBye, "bye_attributes", lambda *_: ())
    with pytest.raises(
        EngineError,
        match="The rule no_repeat_bye depends on data that the rule does not declare: bye of p",
    ):
        solve(event, model_of({"name": "byes", "constraints": {"no_repeat_bye": True}}))


def test_the_sample_has_every_two_types_and_is_repeated() -> None:
    type_of = np.arange(60) % 7
    type_of[0] = 7  # of this type there is one player alone
    one, again, other = (draw_pair_sample(type_of, seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert len(one) <= SAMPLE
    assert (one[:, 0] != one[:, 1]).all()
    types = {tuple(pair) for pair in type_of[one].tolist()}
    assert types == {(a, b) for a in range(8) for b in range(a, 8)} - {(7, 7)}
