"""Solve one round: from an event and a model to a checked result."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Unpack

from pairopt.common.budget import TimeUpError
from pairopt.engines import (
    DEFAULT,
    abilities_of,
    engine_of,
    require_exact,
    solve_all,
    solve_by,
)
from pairopt.engines.base import (
    EngineOptions,
    Progress,
    Solution,
)
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.event.fide_attributes import assumption_notes
from pairopt.messages import Message, message
from pairopt.problem.build import build_problem
from pairopt.problem.keywords import SolveKeywords
from pairopt.problem.levels import LevelValue
from pairopt.problem.options import (
    Choose,
    ModelLike,
    SolveOptions,
    parse_options,
    show_keywords,
)
from pairopt.problem.problem import Problem, ratings_notes
from pairopt.problem.system import Level
from pairopt.round.check_claims import cross_check, verified_levels
from pairopt.round.manual import no_worse
from pairopt.round.result import Match, Result

GRACE = 0.3  # seconds after a time limit in which a legal pairing is still looked for

Report = Callable[[Level, int, int, int], None]
"""Told each level as it is settled: the level, its value, its number and how many there are."""


@show_keywords(SolveOptions)
def solve(
    event: Event,
    model: ModelLike | None = None,
    *,
    progress: Report | None = None,
    display: bool = False,
    initial_solution: Sequence[Match] | None = None,
    **options: Unpack[SolveKeywords],
) -> Result:
    """Pair the event's next round, and prove that no pairing is better under the model.

    The model is the name of a shipped one, the path of a TOML file, or a `Model`; by default the
    event's own, else "standard". `progress` is called with each level as it is settled, `display`
    prints it. `initial_solution`, matches of two players or one for the bye, is what is had where
    time is up before there is a better one. Options are those of the command line, see
    `SolveOptions`. Infeasible is a status of the `Result`, not an
    exception. Raises UsageError for an option that does not fit the event, model or engine,
    InputError for an event whose earlier rounds are not finished, or a bad model file.
    """
    told = print_level if display and progress is None else progress
    result = solve_round(
        event, model, parse_options(event, SolveOptions, options, "solve"), told
    )
    return result if initial_solution is None else no_worse(result, initial_solution)


def print_level(level: Level, value: int, number: int, total: int) -> None:
    print(f"level {number}/{total}: {level.words}: {value / level.scale:g}")


def solve_round(
    event: Event,
    model: ModelLike | None,
    chosen: SolveOptions,
    progress: Report | None = None,
) -> Result:
    """`solve` with its options in one value."""
    start = time.monotonic()
    problem = build_problem(event, model, chosen)
    told = None if progress is None else _reporter(problem, progress)
    how = EngineOptions(
        problem.model.objective, chosen.formulation, chosen.budget(start), told
    )
    engine = engine_of(problem, chosen)
    if chosen.published and not abilities_of(engine).exact:
        raise UsageError("solving.published_unproven", engine=engine, default=DEFAULT)
    result = pair(problem, engine, how, chosen.choose, chosen.count)
    if chosen.verify:
        result = cross_check(result, how, chosen.verify)
    notes = (*ratings_notes(problem.event, problem.model), *result.notes)
    if problem.system is not None and not chosen.last_round:
        notes = (*notes, *assumption_notes(problem.event, problem.seed))
    return replace(result, notes=notes, seconds=time.monotonic() - start)


def pair(
    problem: Problem,
    engine: str,
    options: EngineOptions,
    choose: Choose = "any",
    count: bool = False,
) -> Result:
    """Solve a prepared problem, and check the engine's claims."""
    return pair_all([(problem, options)], engine, choose, count)[0]


def pair_all(
    prepared: list[tuple[Problem, EngineOptions]],
    engine: str,
    choose: Choose,
    count: bool = False,
) -> list[Result]:
    """The same of several problems, step by step: what is done again at once takes less time."""
    uniform, results = choose == "uniform", []
    if uniform or count:
        # Most rounds are paired without a count or a random draw.
        from pairopt.sampling.choose_optimal import choose_among, require_choosable

        require_exact(engine, "there is nothing to choose from")
        for problem, _ in prepared:
            require_choosable(problem)
    for (problem, how), solved in zip(
        prepared, solve_all(engine, prepared), strict=True
    ):
        solution, choice = _fallback_solution(problem, how, engine, solved), None
        if (
            (uniform or count)
            and solution.status == "optimal"
            and solution.arcs is not None
        ):
            drawn, choice = choose_among(
                problem,
                solution.arcs,
                how.objective,
                uniform,
                count,
                how.budget,
                solution.left,
            )
            solution = replace(solution, arcs=drawn)
        result = result_of(problem, engine, how, solution)
        results.append(result if choice is None else replace(result, choice=choice))
    return results


def result_of(
    problem: Problem, engine: str, options: EngineOptions, solution: Solution
) -> Result:
    """What an engine found, as users are given it, once it is verified. Raises EngineError."""
    levels = verified_levels(problem, engine, options, solution)
    rows, arcs = (
        ((), None) if solution.arcs is None else problem.assign_tables(solution.arcs)
    )
    result = Result(
        status=solution.status,
        objective=options.objective,
        engine=engine,
        seed=options.budget.seed,
        level_values=levels,
        matches=rows,
        problem=problem,
        arcs=arcs,
        further=solution.further,
        notes=(*problem.notes, *_notes(problem, solution)),
        proven_by=_proven_by(engine, solution, levels),
        parts=solution.parts or (engine,),
    )
    if solution.status != "infeasible":
        return result
    # Only a round that cannot be paired needs it, and rustworkx with it.
    from pairopt.proof.infeasibility_text import explain_infeasibility

    clash, conflicts = explain_infeasibility(problem, options)
    return replace(result, conflicts=conflicts, clash=clash)


def _fallback_solution(
    problem: Problem, options: EngineOptions, engine: str, solution: Solution
) -> Solution:
    """What an engine claims; where time is up before there is anything, a legal pairing, or that
    there is none. Where one that proves nothing gives up, an exact one says whether there is.
    """
    if solution.status != "unknown":
        return solution
    if abilities_of(engine).exact:
        return _legal(problem, options, solution)
    bare = replace(problem, criteria=(), labels=(), system=None)
    plain = replace(options, objective="lexicographic", progress=None)
    found = solve_by(DEFAULT, bare, plain)
    return found if found.status == "infeasible" else solution


def _legal(problem: Problem, options: EngineOptions, solution: Solution) -> Solution:
    """A legal pairing where nothing was found in time, or that there is none."""
    # Only a round that is not solved in time needs these.
    from pairopt.engines.feasible_pairing import find_feasible_pairing
    from pairopt.engines.room import rounds_by_matching

    budget = replace(options.budget, deadline=time.monotonic() + GRACE)
    try:
        arcs = find_feasible_pairing(problem, budget)
    except TimeUpError:
        return solution
    if arcs is None:
        return Solution("infeasible", None, ())
    if not problem.lookahead:
        return replace(solution, status="feasible", arcs=arcs)

    rounds = rounds_by_matching(problem, arcs, budget)
    if rounds is not None:
        return replace(solution, status="feasible", arcs=arcs, further=rounds)
    return _any_with_room(problem, replace(options, budget=budget), solution)


def _any_with_room(
    problem: Problem, options: EngineOptions, solution: Solution
) -> Solution:
    """Any pairing that leaves room for the lookahead, all rounds searched together."""
    bare = replace(problem, criteria=(), labels=(), system=None)
    plain = replace(options, objective="lexicographic", progress=None)
    found = solve_by(DEFAULT, bare, plain)
    if found.status == "infeasible":
        return found
    if found.arcs is None:
        return solution
    return replace(solution, status="feasible", arcs=found.arcs, further=found.further)


def _proven_by(
    engine: str, solution: Solution, levels: tuple[LevelValue, ...]
) -> tuple[str, ...]:
    """The engine that settled all levels by itself, its own or one asked; none without any."""
    settled = solution.called and solution.status in ("optimal", "infeasible")
    if not settled or any(level.proven is False for level in levels):
        return ()
    return solution.parts if len(solution.parts) == 1 else (engine,)


def _notes(problem: Problem, solution: Solution) -> list[Message]:
    """On the further rounds that the verifier has seen, and which engine proved what."""
    notes = []
    if solution.further:
        notes.append(message("solving.room", rounds=problem.lookahead))
    if solution.blocks > 1:
        notes.append(message("solving.blocks", blocks=solution.blocks))
    if solution.handed is not None:
        first, last = solution.parts
        kind = "solving.handed" if solution.handed else "solving.handed_all"
        notes.append(message(kind, engine=first, levels=solution.handed, other=last))
    return notes


def _reporter(problem: Problem, report: Report) -> Progress:
    levels = problem.levels
    return lambda k, value: report(
        levels[k], value + levels[k].offset, k + 1, len(levels)
    )
