"""Self-checks that are checked: behind each a fault is put, and it is seen to speak.

Those of classes of players are in tests/rules/test_contract.py, of proofs in tests/proof, of the
verifier in tests/problem/test_verifier.py, of forced opponents in tests/analysis/test_incentive.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from simulation import rounds

from pairopt import Event, engines, solve
from pairopt.analysis import frontier as frontiers
from pairopt.common.budget import Budget
from pairopt.engines.base import EngineError, LevelOptimum, Solution
from pairopt.engines.cpsat import pair_model as cpsat_program
from pairopt.engines.cpsat import pair_model_engine
from pairopt.engines.matching import engine as matching
from pairopt.engines.matching import min_cost_matching as fractional
from pairopt.engines.single_pairs import build_candidates
from pairopt.event.arcs import Arcs, arcs_of
from pairopt.fide.dutch import candidate_order as transposition
from pairopt.fide.dutch import pair_brackets
from pairopt.problem.build import prepare
from pairopt.problem.model_file import Objective
from pairopt.problem.problem import Problem
from pairopt.round.result import Result
from pairopt.sampling import choose_optimal, drawing, state_table
from pairopt.sampling import markov_chain as starts

Fault = Callable[[Problem, Solution], Solution]
MODEL = "excalibur"


@pytest.fixture(scope="module")
def event() -> Event:
    *_, (event, _) = rounds(9, 3, 5, engine="matching")
    return event


def faulty(
    patch: pytest.MonkeyPatch, module: Any, name: str, fault: Callable[..., Any]
) -> None:
    """What a function hands back goes through `fault`, which is given its arguments too."""
    true = getattr(module, name)
    patch.setattr(
        module, name, lambda *given, **more: fault(true(*given, **more), *given)
    )


def dutch() -> Event:
    """A round with brackets that an engine has to settle."""
    *_, (event, _) = rounds(12, 5, 5, "fide-dutch", engine="matching")
    return replace(event, sides=("white", "black"))


# ---------------------------------------------------------------------- what an engine claims


def exchanged(arcs: Arcs) -> Arcs:
    """The first players of two matches in each other's place."""
    first = arcs.first.copy()
    first[[0, 1]] = first[[1, 0]]
    return arcs_of(first, arcs.second)


def worst(problem: Problem, claimed: Solution) -> Solution:
    """The last of the pairings near it by its levels, with the bounds of the best one."""
    assert claimed.arcs is not None
    best, seats = claimed.arcs, claimed.arcs.first
    near = [arcs_of(np.roll(seats, k), best.second) for k in range(1, len(best))]
    legal = [arcs for arcs in near if problem.legal(arcs).all()]
    values = [problem.costs(arcs).sum(axis=0).tolist() for arcs in legal]
    assert max(values) > problem.costs(best).sum(axis=0).tolist()
    return replace(claimed, arcs=legal[values.index(max(values))])


def changed_bound(by: int | None) -> Fault:
    def fault(_: Problem, claimed: Solution) -> Solution:
        *first, last = claimed.bounds
        assert last is not None
        return replace(claimed, bounds=(*first, None if by is None else last + by))

    return fault


def stopped_at(by: int) -> Fault:
    """The first level's bound so far from the value, as if time had been up."""

    def fault(problem: Problem, claimed: Solution) -> Solution:
        first, *others = claimed.bounds
        assert first is not None
        bounds = (first + by, *[None] * len(others))
        return replace(claimed, status="feasible", bounds=bounds)

    return fault


def without_one(_: Problem, claimed: Solution) -> Solution:
    assert claimed.arcs is not None
    return replace(claimed, arcs=claimed.arcs.take(np.arange(1, len(claimed.arcs))))


def one_twice(_: Problem, claimed: Solution) -> Solution:
    assert claimed.arcs is not None
    seats = claimed.arcs.first.copy()
    seats[0] = seats[1]
    return replace(claimed, arcs=arcs_of(seats, claimed.arcs.second))


FALSE_CLAIMS: dict[str, tuple[Fault, str]] = {
    "a worse pairing": (worst, "claims an optimum that the verifier does not confirm"),
    "a bound above": (
        changed_bound(1),
        "claims a better bound than the verifier finds",
    ),
    "a bound above, and no optimum": (
        stopped_at(1),
        "claims a better bound than the verifier finds",
    ),
    "a bound below": (changed_bound(-1), "claims an optimum"),
    "no bound": (changed_bound(None), "claims an optimum"),
    "a match less": (without_one, "not legal: .* is not paired"),
    "somebody twice": (one_twice, "not legal: .* paired twice"),
}


@pytest.mark.parametrize(("fault", "said"), FALSE_CLAIMS.values(), ids=FALSE_CLAIMS)
def test_a_false_claim_of_an_engine(
    event: Event, fault: Fault, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert solve(event, MODEL, engine="matching").proven
    faulty(
        monkeypatch, matching, "solve", lambda found, problem, *_: fault(problem, found)
    )
    with pytest.raises(EngineError, match=said):
        solve(event, MODEL, engine="matching")


def test_a_stop_claims_no_more_than_its_bounds(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = stopped_at(-1)
    faulty(
        monkeypatch, matching, "solve", lambda found, problem, *_: fault(problem, found)
    )
    found = solve(event, MODEL, engine="matching")
    assert (found.status, found.proven_by) == ("feasible", ())
    assert [level.proven for level in found.level_values] == [False] * len(
        found.level_values
    )


@pytest.mark.parametrize("objective", ["lexicographic", "weighted"])
def test_a_stop_with_all_levels_at_their_bounds_is_optimal(
    event: Event, objective: Objective, monkeypatch: pytest.MonkeyPatch
) -> None:
    best = solve(event, MODEL, engine="matching", objective=objective)
    faulty(
        monkeypatch,
        matching,
        "solve",
        lambda found, *_: replace(found, status="feasible"),
    )
    found = solve(event, MODEL, engine="matching", objective=objective)
    assert (found.status, found.proven_by) == ("optimal", ("matching",))
    assert found.level_values == best.level_values
    assert found.proven


@pytest.mark.parametrize("objective", ["lexicographic", "weighted"])
def test_bounds_are_compared_with_values_from_the_offsets(
    event: Event, objective: Objective, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first level counts the published match whose two players are gone as changed."""
    best = solve(event, MODEL, engine="matching")
    assert best.arcs is not None
    state = best.problem.state
    published = [
        (state.names[one], state.names[two]) for one, two in best.arcs.pairs if two >= 0
    ]
    options: dict[str, Any] = {
        "engine": "matching",
        "objective": objective,
        "published": published,
        "drop": published[0],
    }
    best = solve(event, MODEL, **options)
    assert best.problem.levels[0].offset == 1
    faulty(
        monkeypatch,
        matching,
        "solve",
        lambda found, *_: replace(found, status="feasible"),
    )
    found = solve(event, MODEL, **options)
    assert found.level_values == best.level_values
    assert (found.status, found.proven) == ("optimal", True)


@pytest.mark.parametrize(
    ("name", "is_hinted"), [("solve_by_pairs", False), ("make_solution", True)]
)
def test_a_false_claim_of_the_engine_of_an_unchanged_program(
    event: Event, name: str, is_hinted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CP-SAT solves a program with a hint, otherwise linear programming may do it."""
    from pairopt.round import cp_sat_program as own

    hint = solve(event, MODEL, engine="matching").pairs if is_hinted else None

    def fault(found: Solution, given: Problem, *_: Any) -> Solution:
        return worst(given, found)

    faulty(monkeypatch, own, name, fault)
    with pytest.raises(EngineError, match="claims an optimum"):
        own.program(event, MODEL).solve(hint=hint)


def test_a_pairing_drawn_by_lot_that_is_not_optimal(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert solve(event, MODEL, choose="uniform").proven

    def fault(drawn: Any, problem: Problem, *_: Any) -> Any:
        claimed = Solution("optimal", drawn[0], ())
        return worst(problem, claimed).arcs, drawn[1]

    faulty(monkeypatch, choose_optimal, "choose_among", fault)
    with pytest.raises(EngineError, match="claims an optimum"):
        solve(event, MODEL, choose="uniform")


# ---------------------------------------------------------------------- settled twice


def test_two_engines_that_differ(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    """One finds a pairing, the other one says that there is none; whichever comes first."""
    none = Solution("infeasible", None, ())
    for module, name in ((pair_model_engine, "matching"), (matching, "cpsat")):
        with monkeypatch.context() as patch:
            patch.setattr(module, "solve", lambda *_: none)
            with pytest.raises(EngineError, match=r"disagree: .*infeasible"):
                solve(event, MODEL, engine=name, verify=True)
            if name == "matching":
                with pytest.raises(EngineError, match="disagree"):
                    solve(event, MODEL, engine=name, verify="small")


def more(found: LevelOptimum | None) -> LevelOptimum | None:
    assert found is not None
    return (
        replace(found, values=(*found.values[:-1], found.values[-1] + 1))
        if found.values
        else None
    )


@pytest.mark.parametrize("count", [2, 7, 8])
def test_who_was_never_asked_has_settled_nothing(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In round 1 of the Dutch System each bracket is paired by its rules alone."""
    (event, _), *_ = rounds(count, 1, 5, "fide-dutch", engine="matching")
    for module in (pair_model_engine, matching):
        faulty(monkeypatch, module, "settle", lambda *_: pytest.fail("asked"))
    found = solve(event, "fide-dutch", verify=True)
    assert (found.status, found.proven_by) == ("optimal", ())
    assert (
        "There was no cross-check by a second engine: The rules alone decide this round, so the engine has nothing to solve."
        in map(str, found.notes)
    )
    assert solve(event, "fide-dutch").proven_by == ()


@pytest.mark.long
@pytest.mark.parametrize("wrong", [more, lambda _: None], ids=["a value", "none"])
@pytest.mark.parametrize(
    "module", [pair_model_engine, matching], ids=["the second", "the first"]
)
def test_brackets_settled_twice_that_differ(
    module: Any, wrong: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value of one level of one bracket, or that it has no pairing."""
    event = dutch()
    assert solve(event, "fide-dutch", engine="matching", verify=True).proven_by == (
        "matching",
        "cpsat",
    )
    faulty(monkeypatch, module, "settle", lambda found, *_: wrong(found))
    with pytest.raises((EngineError, AssertionError)) as caught:
        solve(event, "fide-dutch", engine="matching", verify=True)
    if module is pair_model_engine:
        assert "different optima for a score group" in str(caught.value)


# ---------------------------------------------------------------------- inside engines


def test_prices_of_an_assignment_that_is_not_the_cheapest() -> None:
    one, two = np.triu_indices(4, 1)
    cost = np.array([0, 9, 9, 9, 9, 0]) * 2
    price, mate = fractional.solve_fractional_matching(4, one, two, cost, False)
    assert (price[one] + price[two] <= cost).all()
    assert mate.tolist() == [1, 0, 3, 2]
    with pytest.raises(EngineError, match="not have minimum cost"):
        fractional._duals_of_assignment(4, one, two, cost >> 1, np.array([2, 3, 0, 1]))


def test_an_assignment_that_is_not_there() -> None:
    """Three players who meet only one of them, and a fourth: nobody can be assigned."""
    one, two = np.array([0, 0, 0]), np.array([1, 2, 3])
    with pytest.raises(EngineError, match="found no assignment"):
        fractional._assign_double_cover(4, one, two, np.zeros(3, np.int64))


def test_a_program_that_is_none(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums that CP-SAT cannot hold, let through by a limit that is too high."""
    problem = prepare(event, MODEL)
    program = cpsat_program.build_pair_model(build_candidates(problem))
    huge = cpsat_program.Objective(np.full(len(program.columns), 2**61))
    with pytest.raises(AssertionError, match="overflow"):
        cpsat_program.minimize_objective(
            program, huge, Budget(), cpsat_program.ObjectiveValues()
        )


def test_a_transposition_that_prices_do_not_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # in small brackets all candidates are compared, without dual values
    monkeypatch.setattr(pair_brackets, "MOST_PAIRS", 0)
    faulty(
        monkeypatch,
        transposition,
        "pairs_at_minimum_cost",
        lambda found, *_: (found[0], found[1] - 1),
    )
    with pytest.raises(AssertionError):
        solve(dutch(), "fide-dutch", engine="matching")


# ---------------------------------------------------------------------- lots


def test_completions_that_do_not_add_up(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(table: Any, *_: Any) -> Any:
        if table is None:
            return None
        more = {state: 10**6 * count for state, count in table.completions.items()}
        start = table.layout.start
        return replace(table, completions={**table.completions, start: more[start]})

    faulty(monkeypatch, drawing, "own_table", fault)
    with pytest.raises(AssertionError, match="completions add up"):
        solve(event, MODEL, choose="uniform")
    assert state_table.own_table is not drawing.own_table


@pytest.mark.parametrize("players", [9, 8])
def test_a_lot_is_not_drawn_beside_a_pairing_that_is_none(
    players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that claims more than it has, whatever it hands over."""
    *_, (event, _) = rounds(players, 4, 5, engine="matching")

    def fault(found: Solution, _: str, problem: Problem, *__: Any) -> Solution:
        return replace(worst(problem, found), left=found.left)

    faulty(monkeypatch, engines, "solve_by", fault)
    with pytest.raises(EngineError, match="claims an optimum"):
        solve(event, MODEL, choose="uniform")


def test_a_chain_that_does_not_draw(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "SMALL", 0)
    for name in ("by_small_table", "by_relaxed_table", "by_large_table", "by_chain"):
        monkeypatch.setattr(drawing, name, lambda *_: lambda _: None)
    with pytest.raises(AssertionError, match="always draws"):
        solve(event, MODEL, choose="uniform")


def test_a_start_that_is_not_optimal(monkeypatch: pytest.MonkeyPatch) -> None:
    *_, (event, _) = rounds(20, 4, 5, engine="matching")
    best = solve(event, "double-sided")
    assert best.arcs is not None
    optima = choose_optimal.optima_of(
        best.problem, best.arcs, "lexicographic", Budget()
    )
    component = next(each for each in optima.components if each.totals)
    price = np.zeros(np.count_nonzero(np.triu(component.code)), np.int64)
    starts.cheapest_optimum(component, price, Budget())
    faulty(
        monkeypatch,
        starts,
        "minimize_lexicographically",
        lambda found, *_: replace(
            found, values=(found.values[0] + 1, *found.values[1:])
        ),
    )
    with pytest.raises(AssertionError):
        starts.cheapest_optimum(component, price, Budget())


# ---------------------------------------------------------------------- compromises

OVER = ("score_groups", "side_difference:2")


@pytest.mark.parametrize("wrong", ["values", "a pair less"])
def test_a_compromise_that_is_none(
    event: Event, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(found: LevelOptimum | None, *_: Any) -> LevelOptimum | None:
        if found is None:
            return None
        if wrong == "values":
            return replace(found, values=tuple(value + 1 for value in found.values))
        return replace(found, used=found.used[1:])

    assert frontiers.frontier(event, OVER, MODEL).points
    faulty(monkeypatch, frontiers, "minimize_within_bounds", fault)
    with pytest.raises(EngineError, match="the verifier computes other values"):
        frontiers.frontier(event, OVER, MODEL)


def test_a_frontier_without_the_models_own_pairing(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frontiers, "nondominated_points", lambda *_: iter(()))
    with pytest.raises(EngineError, match="is as good as the model's own pairing"):
        frontiers.frontier(event, OVER, MODEL)


# ---------------------------------------------------------------------- proofs


def test_what_is_not_so_has_no_proof(event: Event) -> None:
    """A pairing that is not optimal, and a round that is said to have none."""
    best: Result = solve(event, MODEL)
    assert best.arcs is not None
    worse = worst(best.problem, Solution("optimal", best.arcs, ())).arcs
    for false in (
        replace(best, arcs=worse),
        replace(best, status="infeasible", arcs=None),
    ):
        with pytest.raises(EngineError):
            assert false.proof
