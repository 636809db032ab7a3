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
from pairopt.event.table_assignment import PairedRow
from pairopt.messages import Message, message
from pairopt.problem.build import build_problem
from pairopt.problem.keywords import SolveKeywords
from pairopt.problem.levels import LevelValue, decisive_levels, level_values
from pairopt.problem.options import (
    Choose,
    ModelLike,
    SolveOptions,
    parse_options,
    show_keywords,
)
from pairopt.problem.problem import Problem, ratings_notes
from pairopt.problem.system import Level
from pairopt.round.check_claims import cross_check, verify_levels
from pairopt.round.manual import with_initial_solution
from pairopt.round.result import Match, Result

# seconds after a time limit in which a legal pairing is still searched
GRACE = 0.3

Report = Callable[[Level, int, int, int], None]
"""Called for each solved level with the level, its value, its number and the total."""


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

    Parameters
    ----------
    event : Event
        The event with the rounds that have been played.
    model : str, Path or Model, optional
        The name of a shipped model, the path of a TOML file, or a `Model`; by default the
        event's own model, otherwise "standard".
    progress : callable, optional
        A function that `solve` calls after each level, with the level, its value, its
        number and the number of levels.
    display : bool
        Whether to print each level when it is solved.
    initial_solution : sequence of matches, optional
        A complete pairing: pairs of players, and one player alone for the bye. `solve`
        returns this pairing if it finds no better one within the time limit.
    **options
        Options of the round, for example ``lookahead=2``. They have the names of the
        command line's options, with underscores; see `SolveOptions`.

    Returns
    -------
    Result
        The pairing with its proof. If no pairing satisfies the constraints, the status
        is "infeasible".

    Raises
    ------
    UsageError
        If an option does not fit the event, model or engine.
    InputError
        If the event's earlier rounds are not finished, or the model file is faulty.

    Examples
    --------
    >>> solve(event, "fide-dutch").pairs  # doctest: +SKIP
    """
    if display and progress is None:
        progress = print_level
    solve_options = parse_options(event, SolveOptions, options, "solve")
    paired_result = solve_round(event, model, solve_options, progress)
    return (
        paired_result
        if initial_solution is None
        else with_initial_solution(paired_result, initial_solution)
    )


def print_level(level: Level, value: int, number: int, total: int) -> None:
    """Print a solved level: its number and the total, its words, and its value.

    It is a callback for `progress`. The value is given in points or matches, not in
    units of 1/scale.
    """
    print(f"level {number}/{total}: {level.words}: {value / level.scale:g}")


def solve_round(
    event: Event,
    model: ModelLike | None,
    options: SolveOptions,
    progress: Report | None = None,
) -> Result:
    """Pair the event's next round with options in one value.

    After each solved level `progress` is called with the level, its value, its number
    from 1, and the number of levels. The result has the cross-check, if `options` ask
    for one, and the notes for the organiser. If no pairing satisfies the constraints,
    its status is "infeasible". Raises UsageError if an option does not fit the event,
    model or engine, and InputError if earlier rounds are not finished or the model file
    is faulty.
    """
    start_time = time.monotonic()
    problem = build_problem(event, model, options)
    engine_progress = None
    if progress is not None:
        engine_progress = _make_progress(problem, progress)
    engine_options = EngineOptions(
        problem.model.objective,
        options.formulation,
        options.budget(start_time),
        engine_progress,
    )
    engine = engine_of(problem, options)
    if options.published and not abilities_of(engine).exact:
        raise UsageError("solving.published_unproven", engine=engine, default=DEFAULT)

    round_result = pair(problem, engine, engine_options, options.choose, options.count)
    if options.verify:
        round_result = cross_check(round_result, engine_options, options.verify)
    result_notes = (*ratings_notes(problem.event, problem.model), *round_result.notes)
    if round_result.arcs is not None:
        for criterion in problem.criteria:
            result_notes = (
                *result_notes,
                *criterion.notes(problem.state, round_result.arcs),
            )
    if problem.system is not None and not options.last_round:
        result_notes = (*result_notes, *assumption_notes(problem.event, problem.seed))
    return replace(
        round_result, notes=result_notes, seconds=time.monotonic() - start_time
    )


def pair(
    problem: Problem,
    engine: str,
    options: EngineOptions,
    choose: Choose = "any",
    count: bool = False,
) -> Result:
    """Pair a problem by an engine, and return the verified result.

    There is no cross-check by a second engine. `choose` "any" keeps the pairing that
    the engine found; with "uniform" the pairing is drawn from all optimal ones. With
    `count` these are counted. Raises EngineError if the engine's claims are wrong.
    Raises UsageError if a draw or a count is asked of an engine that is not exact, or
    of a problem that does not allow it.
    """
    return pair_all([(problem, options)], engine, choose, count)[0]


def pair_all(
    prepared: list[tuple[Problem, EngineOptions]],
    engine: str,
    choose: Choose,
    count: bool = False,
) -> list[Result]:
    """Solve several problems together, and check the engine's claims.

    That takes less time than one by one. `prepared` has each problem with its engine
    options, and the results are in the same order. With `choose` "uniform" each pairing
    is drawn from all optimal ones, with `count` these are counted. Both need an exact
    engine and problems that allow it; otherwise UsageError is raised. Raises
    EngineError if the engine's claims are wrong.
    """
    is_uniform_draw = choose == "uniform"
    if is_uniform_draw or count:
        # Most rounds are paired without a count or a random draw.
        from pairopt.sampling.choose_optimal import choose_among, require_choosable

        require_exact(
            engine,
            "a random draw and a count of optimal pairings need an exact engine.",
        )
        for problem, _ in prepared:
            require_choosable(problem)

    problem_results = []
    engine_solutions = solve_all(engine, prepared)
    for (problem, engine_options), engine_solution in zip(
        prepared, engine_solutions, strict=True
    ):
        solution = _fallback_solution(problem, engine_options, engine, engine_solution)
        solution = _with_proven_status(problem, engine_options, solution)
        optimal_choice = None
        is_solution_optimal = solution.status == "optimal"
        if (
            (is_uniform_draw or count)
            and is_solution_optimal
            and solution.arcs is not None
        ):
            chosen_arcs, optimal_choice = choose_among(
                problem,
                solution.arcs,
                engine_options.objective,
                is_uniform_draw,
                count,
                engine_options.budget,
                solution.left,
            )
            solution = replace(solution, arcs=chosen_arcs)
        problem_result = result_of(problem, engine, engine_options, solution)
        problem_results.append(
            problem_result
            if optimal_choice is None
            else replace(problem_result, choice=optimal_choice)
        )
    return problem_results


def result_of(
    problem: Problem, engine: str, options: EngineOptions, solution: Solution
) -> Result:
    """Verify an engine's solution, assign tables to its matches, and return the result.

    If the status is "infeasible", the result also gets the rules that conflict. Raises
    EngineError if the solution is not what the engine claims.
    """
    verified_levels = verify_levels(problem, engine, options, solution)
    table_rows: tuple[PairedRow, ...] = ()
    arcs = solution.arcs
    if arcs is not None:
        table_rows, arcs = problem.assign_tables(arcs)
    verified_result = Result(
        status=solution.status,
        objective=options.objective,
        engine=engine,
        seed=options.budget.seed,
        level_values=verified_levels,
        matches=table_rows,
        problem=problem,
        arcs=arcs,
        further=solution.further,
        notes=(*problem.notes, *_describe_solving(problem, solution)),
        proven_by=_list_proving_engines(engine, solution, verified_levels),
        parts=solution.parts or (engine,),
    )
    if solution.status != "infeasible":
        return verified_result
    # Only a round that cannot be paired needs it, and rustworkx with it.
    from pairopt.proof.infeasibility_text import explain_infeasibility

    infeasibility_clash, infeasibility_notes = explain_infeasibility(problem, options)
    return replace(
        verified_result, conflicts=infeasibility_notes, clash=infeasibility_clash
    )


def _fallback_solution(
    problem: Problem, options: EngineOptions, engine: str, solution: Solution
) -> Solution:
    """Return a solution; if its status is "unknown", a fallback.

    If an exact engine had no time, the fallback is any legal pairing, or that there is
    none. If another engine has found nothing, an exact one tells whether there is a
    pairing; if there is, or if that stays unknown, the solution is unchanged.
    """
    if solution.status != "unknown":
        return solution
    if abilities_of(engine).exact:
        return _find_any_legal(problem, options, solution)
    solution_without_criteria = _solve_without_criteria(problem, options)
    return (
        solution_without_criteria
        if solution_without_criteria.status == "infeasible"
        else solution
    )


def _with_proven_status(
    problem: Problem, options: EngineOptions, solution: Solution
) -> Solution:
    """Return a "feasible" solution as "optimal" if its levels are at their bounds.

    The time may end after an engine knows the bounds, and any legal pairing may attain
    them.
    """
    if solution.status != "feasible" or solution.arcs is None:
        return solution
    level_totals = zip(problem.totals(solution.arcs), problem.levels, strict=True)
    values = [level_total + level.offset for level_total, level in level_totals]
    levels = level_values(problem, options.objective, values, solution.bounds)
    is_proven = all(level.proven for level in decisive_levels(levels))
    return replace(solution, status="optimal") if is_proven else solution


def _solve_without_criteria(problem: Problem, options: EngineOptions) -> Solution:
    """Solve a problem without its criteria or system: any legal pairing is optimal.

    The default engine does it, within the budget of `options`. The status may be
    "infeasible" or "unknown".
    """
    without_criteria = replace(problem, criteria=(), labels=(), system=None)
    options = replace(options, objective="lexicographic", progress=None)
    return solve_by(DEFAULT, without_criteria, options)


def _find_any_legal(
    problem: Problem, options: EngineOptions, solution: Solution
) -> Solution:
    """Return an unsolved solution with any legal pairing, as "feasible".

    If there is none, it is "infeasible". With a lookahead the pairing has to leave room
    for it. The search has `GRACE` seconds from the call; if it does not end in time,
    the solution is unchanged.
    """
    # Only a round that is not solved in time needs these.
    from pairopt.engines.feasible_pairing import find_feasible_pairing
    from pairopt.engines.room import rounds_by_matching

    grace_budget = replace(options.budget, deadline=time.monotonic() + GRACE)
    try:
        arcs = find_feasible_pairing(problem, grace_budget)
    except TimeUpError:
        return solution
    if arcs is None:
        return Solution("infeasible", None, ())
    if not problem.lookahead:
        return replace(solution, status="feasible", arcs=arcs)

    lookahead_rounds = rounds_by_matching(problem, arcs, grace_budget)
    if lookahead_rounds is not None:
        return replace(solution, status="feasible", arcs=arcs, further=lookahead_rounds)
    return _find_any_with_room(problem, replace(options, budget=grace_budget), solution)


def _find_any_with_room(
    problem: Problem, options: EngineOptions, solution: Solution
) -> Solution:
    """Search for any pairing with room for the lookahead.

    Returns the `solution` with it as "feasible". All rounds are searched together. The
    solution is unchanged if nothing is found in time, and "infeasible" if there is no
    such pairing.
    """
    solution_without_criteria = _solve_without_criteria(problem, options)
    if solution_without_criteria.status == "infeasible":
        return solution_without_criteria
    if solution_without_criteria.arcs is None:
        return solution
    return replace(
        solution,
        status="feasible",
        arcs=solution_without_criteria.arcs,
        further=solution_without_criteria.further,
    )


def _list_proving_engines(
    engine: str, solution: Solution, levels: tuple[LevelValue, ...]
) -> tuple[str, ...]:
    """Return the engine that proved the result, in a tuple of one or none.

    It is the one that solved all levels, or `engine`, if several had a part. The tuple
    is empty if no engine was called, if the status is neither optimal nor infeasible,
    or if a level is not proven.
    """
    is_solved_by_engine = solution.called and solution.status in (
        "optimal",
        "infeasible",
    )
    if not is_solved_by_engine or any(level.proven is False for level in levels):
        return ()
    return solution.parts if len(solution.parts) == 1 else (engine,)


def _describe_solving(problem: Problem, solution: Solution) -> list[Message]:
    """Return notes on how a round was solved, perhaps none.

    They say that there is room for the lookahead, how many weighted sums were minimised
    one after another, and which levels one engine has handed to another.
    """
    solving_notes = []
    if solution.further:
        solving_notes.append(message("solving.room", rounds=problem.lookahead))
    if solution.blocks > 1:
        solving_notes.append(message("solving.blocks", blocks=solution.blocks))
    if solution.handed is not None:
        engine, next_engine = solution.parts
        note_kind = "solving.handed" if solution.handed else "solving.handed_all"
        solving_notes.append(
            message(note_kind, engine=engine, levels=solution.handed, other=next_engine)
        )
    return solving_notes


def _make_progress(problem: Problem, report: Report) -> Progress:
    """Build a function for engines that passes each solved level on to `report`.

    `report` gets the level, its value, its number from 1, and the number of levels.
    """
    problem_levels = problem.levels

    def report_level(index: int, value: int) -> None:
        """Report a solved level, counted from 1, with its offset added.

        `index` is the level's in the problem, and `value` the engine's value.
        """
        level = problem_levels[index]
        report(level, value + level.offset, index + 1, len(problem_levels))

    return report_level
