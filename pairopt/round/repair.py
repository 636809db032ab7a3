"""Repair: a published round paired again, so that as few of its tables change as can be."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice
from math import comb
from typing import Any, Unpack

from pairopt.common.budget import Budget
from pairopt.engines import DEFAULT, abilities_of, engine_of
from pairopt.engines.base import EngineOptions
from pairopt.engines.feasible_pairing import find_feasible_pairing
from pairopt.event.event import Event
from pairopt.messages import join_notes, message
from pairopt.problem.build import build_problem_with_budget
from pairopt.problem.keywords import SolveKeywords
from pairopt.problem.options import ModelLike, Pair, SolveOptions, show_keywords
from pairopt.problem.problem import Problem
from pairopt.round.result import Result
from pairopt.round.solve import pair, solve
from pairopt.rules.constraints.requested import ForcedPairs
from pairopt.rules.repair_criteria import ChangedMatches

MOST_WAYS, MOST_SETS = 40, 2000
"""So many ways to change the fewest tables are paired by a system, to see which comes first; of
so many sets of tables it is looked whether they can stay."""


@show_keywords(SolveOptions)
def repair(
    event: Event, model: ModelLike | None = None, **options: Unpack[SolveKeywords]
) -> Result:
    """Pair a published round again: the fewest of its tables change, then the model decides.

    That is the first level, and proven as the others are. A model that a procedure pairs by is
    solved by its criteria. A system has an order that no level can come before: each way to change
    the fewest tables is paired by it, the first of them all is taken, and a note says what is
    proven. Of options of `solve`, `fixed` are tables that stay whatever it costs, as those with a
    result, `published` those that may change, also of who has left.
    """
    published = [*options.get("published", ())]
    given: dict[str, Any] = {**options, "published": ()}
    problem, budget = build_problem_with_budget(
        event, model, SolveOptions, given, "repair"
    )
    if problem.system is not None:
        return _by_system(problem, event, published, model, given, budget)
    if not abilities_of(engine_of(problem, problem.asked)).exact:
        given["engine"] = DEFAULT
    return solve(event, model, **{**given, "published": published})


def settled_options(result: Result, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options by which `solve` pairs the round as `repair` has done with these."""
    published, given = (
        options.get("published", ()),
        {**options, "engine": result.engine},
    )
    if result.problem.system is None:
        return given
    seats = {frozenset(pair) for pair in result.pairs}
    stay = [pair for pair in published if frozenset(pair) in seats]
    return {**given, "fixed": [*options.get("fixed", ()), *stay], "published": ()}


def to_open(
    event: Event,
    model: ModelLike | None = None,
    *,
    openable: Sequence[Pair],
    **options: Unpack[SolveKeywords],
) -> list[Pair]:
    """The fewest of the fixed tables without which there is a pairing. They are of those that are
    `openable`; none where all of these would not do, or time is up.
    """
    kept = [pair for pair in options.get("fixed", ()) if pair not in openable]
    allow = [*options.get("allow", ()), *openable]
    given = {**options, "fixed": kept, "allow": allow, "published": ()}
    problem, budget = build_problem_with_budget(
        event, model, SolveOptions, given, "repair"
    )
    tables = tuple((event.position(a), event.position(b)) for a, b in openable)
    fewest = pair(
        problem.with_criteria((ChangedMatches(tables),)),
        DEFAULT,
        EngineOptions(budget=budget),
    )
    seats = {frozenset(each) for each in fewest.pairs}
    return [each for each in openable if fewest.proven and frozenset(each) not in seats]


def _by_system(
    problem: Problem,
    event: Event,
    published: Sequence[Pair],
    model: ModelLike | None,
    options: dict[str, Any],
    budget: Budget,
) -> Result:
    """The first in the order of a system of those that change the fewest tables."""
    tables = tuple((event.position(a), event.position(b)) for a, b in published)
    plain = problem.with_criteria((ChangedMatches(tables),))
    fewest = pair(plain, DEFAULT, EngineOptions(budget=budget))
    if fewest.arcs is None:
        return solve(event, model, **options)
    can = [
        k
        for k, table in enumerate(tables)
        if (problem.state.seats[list(table)] >= 0).all()
    ]
    seats = {frozenset(pair) for pair in fewest.pairs}
    stays = [k for k in can if frozenset(published[k]) in seats]
    sets, proven = [stays], False
    if fewest.proven and comb(len(can), len(stays)) <= MOST_SETS:
        every = [*islice(_table_subsets(plain, tables, can, len(stays)), MOST_WAYS + 1)]
        if len(every) <= MOST_WAYS:
            sets, proven = every, True
    found: list[tuple[tuple[int, ...], Result, list[int]]] = []
    for kept in sets:
        fixed = [*options.get("fixed", ()), *(published[k] for k in kept)]
        left = budget.seconds_left()
        limit = None if left is None else max(left, 0.01)
        made = solve(event, model, **{**options, "fixed": fixed, "time_limit": limit})
        if made.arcs is None:
            continue
        proven = proven and made.proven
        found.append((tuple(level.value or 0 for level in made.decisive), made, kept))
    if not found:
        return solve(event, model, **options)
    _, made, kept = min(found, key=lambda each: each[0])
    many = message(
        "repaired.fewest" if fewest.proven else "repaired.changed",
        tables=len(tables) - len(kept),
    )
    order = message("repaired.first" if proven else "repaired.first_here")
    return made.noted(join_notes([many, order], name="repaired.told"))


def _table_subsets(
    problem: Problem, tables: Sequence[tuple[int, int]], can: Sequence[int], most: int
) -> Iterator[list[int]]:
    for kept in combinations(can, most):
        forced = ForcedPairs(tuple(tables[k] for k in kept))
        bound = replace(problem, constraints=(*problem.constraints, forced))
        if find_feasible_pairing(bound, EngineOptions().budget) is not None:
            yield [*kept]
