"""Solve: one round from event and model to a checked result."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from pairopt.checker import inspect
from pairopt.constraints import Constraint
from pairopt.constraints.forbidden_bye import ForbiddenBye
from pairopt.constraints.forbidden_pairs import ForbiddenPairs
from pairopt.constraints.forced_bye import ForcedBye
from pairopt.constraints.forced_pairs import ForcedPairs
from pairopt.constraints.lookahead import Lookahead
from pairopt.diagnosis import why_infeasible
from pairopt.engines import EXACT, load_engine
from pairopt.engines.base import Formulation, Options, Progress, Solution
from pairopt.engines.weights import model_weights
from pairopt.errors import PairoptError, UsageError
from pairopt.event import Event
from pairopt.model import Model, Objective, load_model
from pairopt.pairing import pairing_rows
from pairopt.problem import Level, Problem, problem_of
from pairopt.procedures import load_procedure
from pairopt.result import Clash, LevelValue, Result

if TYPE_CHECKING:
    from pairopt.choosing.choice import Choose

Pair = tuple[str, str]
Report = Callable[[Level, int, int, int], None]
"""Told each level as it is settled: the level, its value, its number and how many there are."""


class RoundOptions(TypedDict, total=False):
    """What is to be paired, and how: the options that `solve` and `check` share.

    `objective` overrides the model's; `round` pairs an earlier round from those before it;
    `last_round` takes what the model changes in it; `lookahead` asks for room for so many
    more rounds without a rematch, whatever the model says; `force`, `forbid`, `bye`, `no_bye`,
    `request_bye` and `drop` name players; `relax` names constraints to leave out; `sides`
    are the two labels before any match is played; `seed` chooses among equal pairings.
    """

    objective: Objective | None
    round: int | None
    last_round: bool
    lookahead: int | None
    force: Iterable[Pair]
    forbid: Iterable[Pair]
    bye: str | None
    no_bye: Iterable[str]
    request_bye: Iterable[str]
    drop: Iterable[str]
    relax: Sequence[str]
    sides: Sequence[str] | None
    seed: int


class EngineError(PairoptError):
    """An engine's claim does not hold: a bug, never the input's fault."""


def prepare(
    event: Event,
    model: str | Path | Model = "standard",
    *,
    objective: Objective | None = None,
    round: int | None = None,
    last_round: bool = False,
    lookahead: int | None = None,
    force: Iterable[Pair] = (),
    forbid: Iterable[Pair] = (),
    bye: str | None = None,
    no_bye: Iterable[str] = (),
    request_bye: Iterable[str] = (),
    drop: Iterable[str] = (),
    relax: Sequence[str] = (),
    sides: Sequence[str] | None = None,
    seed: int = 0,
) -> Problem:
    """The problem that these options describe; they are those of the command line.

    Raises UsageError for players, constraints or models that are not there.
    """
    chosen = load_model(model).for_round(last_round).relaxed(relax)
    if objective is not None:
        chosen = replace(chosen, objective=objective)
    event = event.at_round(round).without(drop, request_bye)
    event = event.with_sides(chosen.sides if sides is None else sides)
    options: list[Constraint] = []
    if lookahead is not None:
        kept = tuple(rule for rule in chosen.constraints if not isinstance(rule, Lookahead))
        chosen = replace(chosen, constraints=kept)
        options += [Lookahead(lookahead)] if lookahead else []
    if forced := _pairs(event, force):
        for position in itertools.chain.from_iterable(forced):
            _active(event, event.players[position])
        options.append(ForcedPairs(forced))
    if forbidden := (*event.forbidden, *_pairs(event, forbid)):
        options.append(ForbiddenPairs(forbidden))
    if bye is not None:
        options.append(ForcedBye(_active(event, bye)))
    if barred := tuple(event.position(player) for player in no_bye):
        options.append(ForbiddenBye(barred))
    return problem_of(event, chosen, options, seed)


def solve(
    event: Event,
    model: str | Path | Model = "standard",
    *,
    engine: str = "cpsat",
    formulation: Formulation = "classes",
    verify: bool = False,
    choose: Choose = "any",
    count: bool = False,
    time_limit: float | None = None,
    workers: int = 1,
    progress: Report | None = None,
    **options: Unpack[RoundOptions],
) -> Result:
    """Pair the event's next round, and prove that no pairing is better under the model.

    Args:
        event: players and rounds so far, from `read_event` or `Event`.
        model: name of a shipped model, path of a TOML file, or a `Model`.
        engine: which engine; see `pairopt.engines`.
        formulation: "classes", or "pairs" for one boolean a pair.
        verify: solve with the other engine too and compare; a note says what came of it.
        choose: "any" optimal pairing, the same for the same seed; or "uniform", where each is
            equally likely over the seeds. `Result.choice` says how it was drawn.
        count: how many optimal pairings there are, sides included, in `Result.choice`.
        time_limit: seconds; when they are up the best pairing so far comes back unproven.
        workers: threads of the solver.
        progress: called with each level as it is settled; see `Report`.
        options: what to pair and how, see `RoundOptions`; names are the command line's.

    Returns:
        A `Result`; infeasible is a status, not an exception.

    Raises:
        UsageError: an option that does not fit the event, model or engine.
        InputError: an event whose earlier rounds are not finished, or a bad model file.
    """
    start = time.monotonic()
    problem = prepare(event, model, **options)
    if choose not in ("any", "uniform"):
        raise UsageError(f"choose: expected any or uniform, found {choose!r}")
    if choose == "uniform" or count:
        from pairopt.choosing.choice import require_choosable

        require_choosable(problem)
    how = Options(
        objective=problem.model.objective,
        formulation=formulation,
        seed=problem.seed,
        workers=workers,
        deadline=None if time_limit is None else start + time_limit,
        progress=None if progress is None else _reporter(problem, progress),
    )
    result = pair(problem, engine, how, choose, count)
    if verify:
        result = replace(result, notes=(*result.notes, _verified(problem, result, how)))
    return replace(result, seconds=time.monotonic() - start)


def pair(
    problem: Problem,
    engine: str,
    options: Options,
    choose: Choose = "any",
    count: bool = False,
) -> Result:
    """Solve a prepared problem, and check the engine's claims."""
    solution, level_values = _solved(problem, engine, options)
    choice = None
    if (choose == "uniform" or count) and solution.status == "optimal":
        from pairopt.choosing.choice import choose_among

        assert solution.arcs is not None
        uniform = choose == "uniform"
        arcs, choice = choose_among(problem, solution.arcs, options.objective, uniform, count)
        solution = replace(solution, arcs=arcs)
        level_values = _checked(problem, engine, options, solution)
    conflicts: tuple[str, ...] = ()
    clash = None
    if solution.status == "infeasible":
        found, conflicts = why_infeasible(problem, options, engine)
        rules = tuple(rule.kind for rule in found.rules)
        clash = Clash(rules, tuple(problem.state.names[p] for p in found.players))
    return Result(
        status=solution.status,
        round=problem.state.event.round,
        model=problem.model.name,
        objective=options.objective,
        engine=problem.model.procedure or engine,
        seed=options.seed,
        level_values=level_values,
        matches=() if solution.arcs is None else pairing_rows(problem.state, solution.arcs),
        conflicts=conflicts,
        clash=clash,
        choice=choice,
        notes=(*problem.notes, *_room(problem, solution)),
    )


def _solved(
    problem: Problem, engine: str, options: Options
) -> tuple[Solution, tuple[LevelValue, ...]]:
    """What an engine claims, and the levels of its pairing."""
    procedure = problem.model.procedure
    if procedure is None:
        solution = load_engine(engine).solve(problem, options)
    else:
        solution = _by_procedure(procedure, problem, engine, options)
    return solution, _checked(problem, engine, options, solution)


def _checked(
    problem: Problem, engine: str, options: Options, solution: Solution
) -> tuple[LevelValue, ...]:
    """The levels of a pairing, recomputed by the checker.

    Raises EngineError where the pairing is not what is claimed.
    """
    values: tuple[int, ...] | None = None
    if solution.arcs is not None:
        verdict = inspect(problem, solution.arcs, solution.further)
        if not verdict.legal:
            broken = [*verdict.faults, *(v.message for v in verdict.violations)]
            raise EngineError(f"{engine} returned no legal pairing: {'; '.join(broken)}")
        values = verdict.values
    if solution.status == "infeasible":
        return ()
    levels = (_weighted_levels if _in_one(problem, options) else _levels)(problem, solution, values)
    if solution.status == "optimal" and any(level.proven is False for level in levels):
        raise EngineError(f"{engine} claims an optimum that the checker does not find")
    return levels


def _verified(problem: Problem, result: Result, options: Options) -> str:
    """A note on what the other exact engine finds.

    Raises EngineError when both have proven their answers and these differ.
    """
    if problem.model.procedure is not None:
        return "not verified: a procedure proves nothing"
    other = next(name for name in EXACT if name != result.engine)
    try:
        solution, found = _solved(problem, other, replace(options, progress=None))
    except UsageError as error:
        return f"not verified: {error}"
    for name, status in ((result.engine, result.status), (other, solution.status)):
        if status not in ("optimal", "infeasible"):
            return f"not verified: {name} was stopped by the time limit"
    decisive = slice(1 if _in_one(problem, options) else None)
    mine, theirs = (
        (status, [level.value for level in levels[decisive]])
        for status, levels in ((result.status, result.level_values), (solution.status, found))
    )
    if mine != theirs:
        raise EngineError(
            f"{result.engine} and {other} disagree: {_claim(*mine)}, {_claim(*theirs)}"
        )
    return f"verified by {other}"


def _claim(status: str, values: list[int | None]) -> str:
    return f"{status} {values}" if values else status


def _room(problem: Problem, solution: Solution) -> list[str]:
    """A note on the further rounds that the checker has seen."""
    if not solution.further:
        return []
    rounds = "1 more round" if problem.lookahead == 1 else f"{problem.lookahead} more rounds"
    return [f"after this round {rounds} without a rematch can be paired"]


def _by_procedure(name: str, problem: Problem, engine: str, options: Options) -> Solution:
    """What the procedure makes; an engine only tells whether there is a pairing at all."""
    if options.objective == "weighted":
        raise UsageError(f"model {problem.model.name} is a procedure: it has no objective")
    if problem.lookahead:
        raise UsageError(f"model {problem.model.name} is a procedure: it does not look ahead")
    arcs = load_procedure(name).pair(problem)
    unknown = (None,) * len(problem.levels)
    if arcs is not None:
        return Solution("heuristic", arcs, unknown)
    found = load_engine(engine).solve(replace(problem, criteria=(), labels=()), options)
    if found.status == "infeasible":
        return found
    return Solution("unknown", None, unknown)


def _reporter(problem: Problem, report: Report) -> Progress:
    levels = problem.levels
    return lambda k, value: report(levels[k], value + levels[k].offset, k + 1, len(levels))


def _in_one(problem: Problem, options: Options) -> bool:
    return options.objective == "weighted" and problem.model.weights is not None


def _levels(
    problem: Problem, solution: Solution, values: tuple[int, ...] | None
) -> tuple[LevelValue, ...]:
    made, sure = [], True
    for k, level in enumerate(problem.levels):
        value, bound = None if values is None else values[k], solution.bounds[k]
        bound = bound + level.offset if sure and bound is not None else None
        sure = sure and value is not None and value == bound
        made.append(
            LevelValue(level.criterion, level.label, value, bound, level.scale, sure, level.words)
        )
    return tuple(made)


def _weighted_levels(
    problem: Problem, solution: Solution, values: tuple[int, ...] | None
) -> tuple[LevelValue, ...]:
    """The weighted sum as the one level that is proven, then what it is made of."""
    given = model_weights(problem)
    assert given is not None
    weights, scale = given
    offset = sum(w * level.offset for w, level in zip(weights, problem.levels, strict=True))
    total = None
    if values is not None:
        total = sum(w * value for w, value in zip(weights, values, strict=True))
    bound = solution.bounds[0] if solution.bounds else 0
    bound = None if bound is None else bound + offset
    parts = tuple(
        LevelValue(level.criterion, level.label, values[k] if values else None, None,
                   level.scale, None, level.words)
        for k, level in enumerate(problem.levels)
    )  # fmt: skip
    proven = total is not None and total == bound
    return (
        LevelValue(
            "weighted_sum",
            1,
            total,
            bound,
            scale,
            proven,
            "sum of the levels below by their weights",
        ),
        *parts,
    )


def _pairs(event: Event, pairs: Iterable[Pair]) -> tuple[tuple[int, int], ...]:
    listed = tuple((event.position(a), event.position(b)) for a, b in pairs)
    if same := [event.players[a] for a, b in listed if a == b]:
        raise UsageError(f"{same[0]!r} cannot meet themselves")
    return listed


def _active(event: Event, player: str) -> int:
    position = event.position(player)
    if not event.active[position]:
        raise UsageError(f"{player!r} is not active in this round")
    return position
