"""Engines: each pairs a round level by level and proves a lower bound of each level.

An engine is a package that declares `ABILITIES`, with a function `solve` in its module
`engine`.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from itertools import count
from types import ModuleType
from typing import TYPE_CHECKING, cast

from pairopt.common.budget import TimeUpError
from pairopt.engines.base import (
    Engine,
    EngineAbilities,
    Solution,
    UnsupportedError,
    pairing_system,
)
from pairopt.engines.ortools import has_ortools
from pairopt.errors import InputError, UsageError
from pairopt.messages import Note, message, with_heading
from pairopt.registry import ExtensionRegistry

if TYPE_CHECKING:
    from pairopt.common.budget import Budget
    from pairopt.engines.allowed_arcs import AllowedArcs
    from pairopt.engines.base import (
        BracketEngine,
        EngineOptions,
        LevelOptimum,
        PairingSystem,
    )
    from pairopt.event.arcs import Arcs, IntArray
    from pairopt.problem.options import RoundOptions
    from pairopt.problem.problem import Problem
    from pairopt.problem.system import SystemAgreement


def _read_engine_declaration(module: ModuleType, name: str) -> ModuleType:
    """Return the package of an engine, after checking that it declares `ABILITIES`.

    `module` is the package, and is returned unchanged. Raises AttributeError if it has
    no `ABILITIES`, and AssertionError, with the engine's `name`, if they are no
    `EngineAbilities`.
    """
    assert isinstance(module.ABILITIES, EngineAbilities), name
    return module


ENGINES: ExtensionRegistry[ModuleType] = ExtensionRegistry(
    __name__, Engine, "pairopt.engines", _read_engine_declaration, packages=True
)
"""The package of each engine, by its name."""

GONE = {"py4swiss": "fide-dutch"}
"""Engines of earlier versions, and the model that replaces each."""
DEFAULT = "auto"
"""The engine that composes matching and CP-SAT and supports every problem."""


def abilities_of(name: str) -> EngineAbilities:
    """Return the abilities that an engine, given by its name, declares.

    Raises UsageError if there is no such engine; for an engine of earlier versions the
    error names the model that replaces it.
    """
    if name not in ENGINES:
        if name in GONE:
            raise UsageError("engine.gone", engine=name, instead=GONE[name])
        raise UsageError("engine.unknown", engine=name, engines=[*ENGINES])
    abilities: EngineAbilities = ENGINES[name].ABILITIES
    return abilities


EXACT = tuple(
    name for name in ENGINES.shipped if abilities_of(name).exact and name != DEFAULT
)
"""Engines that prove optimality by an algorithm of their own, and can cross-check each other."""


def require_exact(name: str, so: str | Note) -> None:
    """Raise UsageError unless the engine `name` proves that its pairings are optimal.

    `so` is the second part of the error: what is impossible without a proof. An engine
    that does not exist raises UsageError, too.
    """
    if not abilities_of(name).exact:
        raise UsageError(
            with_heading(message("engine.proves_nothing", engine=name), message(so))
        )


def engine_of(problem: Problem, options: RoundOptions) -> str:
    """Return the name of the engine that pairs the round.

    It is the option's engine, otherwise the model's, otherwise the default. Raises
    InputError if the model's engine would be taken and does not exist. Whether the
    option's engine exists is not checked here.
    """
    model_engine = problem.model.engine
    if (
        options.engine is None
        and model_engine is not None
        and model_engine not in ENGINES
    ):
        message_id = "engine.gone" if model_engine in GONE else "engine.not_one"
        raise InputError(
            f"model {problem.model.name}",
            message_id,
            engine=model_engine,
            engines=[*ENGINES],
            instead=GONE.get(model_engine),
        )
    return options.engine or model_engine or DEFAULT


def solve_by(name: str, problem: Problem, options: EngineOptions) -> Solution:
    """Pair a round with an engine, given by its name.

    If the deadline passes before there is a pairing, the status is "unknown", and the
    bounds are 0 for the first level and None for all others. Raises UsageError if there
    is no such engine, and UnsupportedError for an ability that it does not declare.
    """
    try:
        return _solve_with(name, abilities_of(name), problem, options)
    except TimeUpError:
        return Solution("unknown", None, (0, *[None] * len(problem.levels))[:-1])


def _solve_with(
    name: str, abilities: EngineAbilities, problem: Problem, options: EngineOptions
) -> Solution:
    """Pair one round with an engine, after checking that the engine is able to.

    The engine has the name `name` and these `abilities`. A problem with a pairing
    system is paired bracket by bracket. Raises UnsupportedError if the engine lacks an
    ability that the problem or the options need, and TimeUpError.
    """
    system = pairing_system(problem)
    if system is not None:
        return _solve_by_brackets(name, problem, system, options)
    if problem.lookahead and not abilities.lookahead:
        raise UnsupportedError("engine.no_lookahead", engine=name, other=DEFAULT)
    if options.objective == "weighted" and not abilities.weighted:
        raise UnsupportedError("engine.no_weights", engine=name)
    return cast(Engine, _import_engine(name)).solve(problem, options)


def solve_all(
    name: str, prepared: list[tuple[Problem, EngineOptions]]
) -> list[Solution]:
    """Pair several rounds with the engine called `name`; return one solution for each.

    `prepared` holds each problem with its options, and the solutions are in that order.
    If the engine's module has a function `solve_all`, it gets all rounds in one call,
    which takes less time. But one of these conditions makes `solve_by` pair each round
    by itself: there is only one round, or some round has a pairing system, a lookahead,
    a deadline, or a weighted objective that the engine does not support. Raises
    UsageError if there is no such engine, and UnsupportedError for a round that it
    cannot pair.
    """
    is_weighted_engine = abilities_of(name).weighted

    def needs_own_call(problem: Problem, options: EngineOptions) -> bool:
        """Return whether a problem cannot be solved in one call together with others.

        That is so for a problem with a pairing system or a lookahead, if the budget has
        a deadline, and for a weighted objective unless the engine supports it.
        """
        if problem.system or problem.lookahead or options.budget.deadline is not None:
            return True
        return options.objective == "weighted" and not is_weighted_engine

    if len(prepared) > 1 and not any(
        needs_own_call(*problem_and_options) for problem_and_options in prepared
    ):
        engine_module = _import_engine(name)
        if hasattr(engine_module, "solve_all"):
            return cast("list[Solution]", engine_module.solve_all(prepared))
    return [solve_by(name, problem, options) for problem, options in prepared]


def _solve_by_brackets(
    name: str, problem: Problem, system: PairingSystem, options: EngineOptions
) -> Solution:
    """Pair a round by its pairing system; an engine minimises each bracket's levels.

    `name` is the engine's name. With the formulation "pairs" the integer program of
    single pairs takes its place, unless it is matching. The solution's `called` is
    False if the system never needed the engine. Raises UnsupportedError if the engine
    cannot solve brackets, or if the round has a lookahead or a weighted objective; and
    TimeUpError.
    """
    if not abilities_of(name).brackets:
        raise UnsupportedError("engine.no_brackets", engine=name, other=DEFAULT)
    if problem.lookahead or options.objective == "weighted":
        raise UnsupportedError("system.no_objective", system=system.kind)

    minimize_levels, call_counter = bracket_engine(name).settle, count()
    if options.formulation == "pairs" and name != "matching":
        # OR-Tools takes half of a second to import, and most rounds are
        # paired without it.
        from pairopt.engines.cpsat import pair_model_engine

        minimize_levels = pair_model_engine.settle

    def minimize_and_count(
        columns: AllowedArcs,
        values: tuple[int, ...],
        used: IntArray | None,
        budget: Budget,
    ) -> LevelOptimum | None:
        """Minimise the levels of a bracket with the engine, and count the call.

        `columns` are the pairs that may be used, `values` the known optimal values of
        the first levels, and `used` the positions of a pairing that attains them, or
        None. Returns the optimum, None if there is no pairing. Raises TimeUpError.
        """
        next(call_counter)
        return minimize_levels(columns, values, used, budget)

    solution = system.solve(problem, options, minimize_and_count)
    return replace(solution, called=next(call_counter) > 0)


def agreement_with_system(
    name: str, problem: Problem, options: EngineOptions, arcs: Arcs, start: int | None
) -> SystemAgreement:
    """Measure how far a pairing agrees with the one of the problem's pairing system.

    The problem must have one, and the pairing is `arcs`. The engine called `name`
    solves the levels of the brackets; that it is able to is not checked. The bye is
    compared first, then each bracket from the top until one differs; if `start` is a
    score, the bracket of this score comes first. The result has the number of equal
    matches so far and the score of the bracket that differs. Raises TimeUpError.
    """
    system = pairing_system(problem)
    assert system is not None
    return system.agreeing(problem, options, bracket_engine(name).settle, arcs, start)


def bracket_engine(name: str) -> BracketEngine:
    """Return the module of an engine that can solve the levels of brackets.

    That it has this ability is not checked. `name` is the engine's name; KeyError is
    raised for an unknown one.
    """
    return cast("BracketEngine", _import_engine(name))


def preload_engines() -> None:
    """Import the engines that pair and cross-check a round, so that no pairing waits.

    Without OR-Tools it is the default engine alone.
    """
    _import_engine(DEFAULT)
    if has_ortools():
        # The import takes longer than pairing a round.
        from pairopt.engines.cpsat import pair_model_engine  # noqa: F401


def find_lookahead_rounds(
    problem: Problem, arcs: Arcs, budget: Budget
) -> tuple[tuple[Arcs, ...] | None, bool]:
    """Find pairings of the further rounds of a lookahead after the pairing `arcs`.

    The problem must have a lookahead. Returns one pairing for each further round, or
    None if there are none or the time was up before any were found; and whether that
    answer is proven.
    """
    # Rounds without a lookahead are paired without it.
    from pairopt.engines import room

    return room.find_further_rounds(problem, arcs, budget)


def _import_engine(name: str) -> ModuleType:
    """Import and return the module `engine` of the package of the engine `name`.

    The result is cached. Raises KeyError for an unknown engine.
    """
    return importlib.import_module(f"{ENGINES[name].__name__}.engine")
