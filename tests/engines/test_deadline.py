"""The deadline inside engines: what is not known in time is unknown, never impossible."""

from __future__ import annotations

import pytest
from clock import ticking
from simulation import opening, rounds

from pairopt import Event, solve
from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines import find_lookahead_rounds, solve_by
from pairopt.engines.base import EngineOptions, Solution
from pairopt.engines.cpsat import engine as cpsat
from pairopt.engines.cpsat import levels_by_relaxation, pair_model_engine
from pairopt.engines.cpsat.pair_model import make_solver
from pairopt.engines.further import Further
from pairopt.engines.player_types import build_classes, types_of
from pairopt.problem.build import prepare
from pairopt.problem.problem import Problem


def totals(problem: Problem, found: Solution) -> list[int]:
    assert found.arcs is not None
    return [int(total) for total in problem.costs(found.arcs).sum(axis=0)]


def late_round(players: int, number: int, engine: str = "cpsat") -> Event:
    *_, (event, _) = rounds(players, number, 1, "monrad", drops=0, engine=engine)
    return event


@pytest.mark.long
@pytest.mark.parametrize(
    ("engine", "event", "model", "options"),
    [
        ("cpsat", late_round(19, 4), "monrad", {}),
        ("cpsat", late_round(19, 4), "aesops", {"objective": "weighted"}),
        ("cpsat", late_round(8, 4), "monrad", {"lookahead": 2}),
        ("cpsat", late_round(8, 4, engine="matching"), "monrad", {"lookahead": 1}),
        ("cpsat", late_round(8, 4), "monrad", {"lookahead": 4}),
        ("auto", late_round(19, 4), "monrad", {}),
        ("matching", late_round(19, 4), "monrad", {}),
        ("matching", late_round(19, 4), "aesops", {"objective": "weighted"}),
    ],
)
def test_whatever_the_deadline_no_claim_is_wrong(
    engine: str,
    event: Event,
    model: str,
    options: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = prepare(event, model, **options)
    full = solve_by(engine, problem, EngineOptions(problem.model.objective))
    assert full.status in ("optimal", "infeasible")
    clock = ticking(monkeypatch)
    solve_by(
        engine,
        problem,
        EngineOptions(problem.model.objective, budget=Budget(deadline=10**9)),
    )
    whole = clock.now
    answers = set()
    for deadline in sorted(
        {*range(min(whole, 12)), *range(0, whole, whole // 25 + 1), whole + 9}
    ):
        clock.now = 0
        found = solve_by(
            engine,
            problem,
            EngineOptions(problem.model.objective, budget=Budget(deadline=deadline)),
        )
        answers.add(found.status)
        assert found.status in (full.status, "feasible", "unknown")
        if found.status == "optimal":
            assert totals(problem, found) == totals(problem, full)
            assert len(found.further) == problem.lookahead
        for k, (bound, known) in enumerate(
            zip(found.bounds, full.bounds, strict=False)
        ):
            assert bound is None or known is None or bound <= known
            if bound != known:
                assert all(later is None for later in found.bounds[k + 1 :])
    assert answers & {"feasible", "unknown"}
    assert full.status in answers


@pytest.mark.long
def test_classes_look_at_the_time_at_each_level(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem, clock = prepare(late_round(19, 4), "monrad"), ticking(monkeypatch)
    type_of = types_of(problem.attributes(), len(problem))
    build_classes(problem, type_of, budget=Budget(deadline=10**9))
    assert clock.now >= 2 * problem.coarse_levels
    for deadline in range(clock.now - 2 * problem.coarse_levels, clock.now):
        clock.now = 0
        with pytest.raises(TimeUpError):
            build_classes(problem, type_of, budget=Budget(deadline=deadline))


def test_rounds_that_were_not_found_in_time_may_be_possible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = prepare(late_round(8, 3), "monrad", lookahead=2)
    arcs = solve_by("cpsat", problem, EngineOptions()).arcs
    assert arcs is not None
    clock = ticking(monkeypatch)
    found, proven = find_lookahead_rounds(problem, arcs, Budget(deadline=10**9))
    assert found is not None
    assert proven
    for deadline in range(0, clock.now - 2, 7):
        clock.now = 0
        assert find_lookahead_rounds(problem, arcs, Budget(deadline=deadline)) == (
            None,
            False,
        )


def test_a_search_that_is_stopped_claims_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # linear programming finds no proof, so that CP-SAT has to search
    monkeypatch.setattr(levels_by_relaxation, "find_proven_matching", lambda *_: None)
    problem = prepare(opening(8), "monrad")
    stopped = pair_model_engine.solve(problem, EngineOptions(), effort=0)
    assert stopped.status in ("feasible", "unknown")
    assert pair_model_engine.solve(problem, EngineOptions()).status == "optimal"


def test_ctrl_c_is_left_to_the_program() -> None:
    """CP-SAT would take the signal from a program with other threads."""
    parameters = make_solver(Budget()).parameters
    assert parameters.catch_sigint_signal is False


def test_after_the_deadline_an_impossible_round_is_infeasible() -> None:
    """Two halves of three players, which may not meet: somebody of each is left."""
    event = opening(6, sides=None)
    halves = [(a, b) for a in event.names[:3] for b in event.names[3:]]
    result = solve(event, "standard", engine="cpsat", forbid=halves, time_limit=1e-9)
    assert result.status == "infeasible"


@pytest.mark.parametrize(("players", "rounds"), [(8, 8), (9, 9), (8, 500), (2, 1)])
def test_a_lookahead_larger_than_can_be_is_known_by_counting(
    players: int, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add(further: Further, *_: object) -> None:
        assert further.rounds < rounds, "a model was made"

    monkeypatch.setattr(cpsat, "add_rounds", add)
    result = solve(opening(players), "random", lookahead=rounds)
    assert result.status == "infeasible"
    assert result.clash is not None
    assert result.clash.rules == ("lookahead",)
