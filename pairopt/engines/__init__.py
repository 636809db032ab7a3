"""Solve the pairing of a round, level by level, with a bound for each level.

Each is a package that declares ABILITIES, with `solve` in its module `engine`.
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
    assert isinstance(module.ABILITIES, EngineAbilities), name
    return module


ENGINES: ExtensionRegistry[ModuleType] = ExtensionRegistry(
    __name__, Engine, "pairopt.engines", _read_engine_declaration, packages=True
)
"""The packages of the engines by their names."""

GONE = {
    "py4swiss": "fide-dutch"
}  # engines that there were once, and the model that is instead
DEFAULT = "auto"
"""The engine that can do everything, each part by one of those that verify each other."""


def abilities_of(name: str) -> EngineAbilities:
    """What the engine of that name declares. Raises UsageError when there is none."""
    if name not in ENGINES:
        if name in GONE:
            raise UsageError("engine.gone", engine=name, instead=GONE[name])
        raise UsageError("engine.unknown", engine=name, engines=[*ENGINES])
    declared: EngineAbilities = ENGINES[name].ABILITIES
    return declared


EXACT = tuple(
    name for name in ENGINES.shipped if abilities_of(name).exact and name != DEFAULT
)
"""Engines that prove their pairings by an algorithm of their own; each verifies the others."""


def require_exact(name: str, so: str | Note) -> None:
    """Raises UsageError for an engine that proves nothing, with what follows from it."""
    if not abilities_of(name).exact:
        raise UsageError(
            with_heading(message("engine.proves_nothing", engine=name), message(so))
        )


def engine_of(problem: Problem, options: RoundOptions) -> str:
    """What pairs the round: the option's engine, else the model's, else the default. Raises
    InputError where the model names one that there is not.
    """
    own = problem.model.engine
    if options.engine is None and own is not None and own not in ENGINES:
        kind = "engine.gone" if own in GONE else "engine.not_one"
        raise InputError(
            f"model {problem.model.name}",
            kind,
            engine=own,
            engines=[*ENGINES],
            instead=GONE.get(own),
        )
    return options.engine or own or DEFAULT


def solve_by(name: str, problem: Problem, options: EngineOptions) -> Solution:
    """Pair a round by the engine of that name. Raises UsageError when there is none,
    UnsupportedError for what it does not declare.
    """
    try:
        return _solve_with(name, abilities_of(name), problem, options)
    except TimeUpError:
        return Solution("unknown", None, (0, *[None] * len(problem.levels))[:-1])


def _solve_with(
    name: str, can: EngineAbilities, problem: Problem, options: EngineOptions
) -> Solution:
    """What the engine finds. Raises TimeUpError."""
    if (system := pairing_system(problem)) is not None:
        return _solve_by_brackets(name, problem, system, options)
    if problem.lookahead and not can.lookahead:
        raise UnsupportedError("engine.no_lookahead", engine=name, other=DEFAULT)
    if options.objective == "weighted" and not can.weighted:
        raise UnsupportedError("engine.no_weights", engine=name)
    return cast(Engine, _module(name)).solve(problem, options)


def solve_all(
    name: str, prepared: list[tuple[Problem, EngineOptions]]
) -> list[Solution]:
    """The same of several problems; step by step, which takes less time, where the engine can."""
    weighted = abilities_of(name).weighted
    alone = len(prepared) == 1 or any(
        problem.system
        or problem.lookahead
        or how.budget.deadline is not None
        or (how.objective == "weighted" and not weighted)
        for problem, how in prepared
    )
    if not alone and hasattr(module := _module(name), "solve_all"):
        return cast("list[Solution]", module.solve_all(prepared))
    return [solve_by(name, *each) for each in prepared]


def _solve_by_brackets(
    name: str, problem: Problem, system: PairingSystem, options: EngineOptions
) -> Solution:
    if not abilities_of(name).brackets:
        raise UnsupportedError("engine.no_brackets", engine=name, other=DEFAULT)
    if problem.lookahead or options.objective == "weighted":
        raise UnsupportedError("system.no_objective", system=system.kind)
    settle, calls = bracket_engine(name).settle, count()
    if options.formulation == "pairs" and name != "matching":
        # OR-Tools takes half of a second to import, and most rounds are
        # paired without it.
        from pairopt.engines.cpsat.pair_model_engine import settle

    def counted(
        columns: AllowedArcs,
        values: tuple[int, ...],
        used: IntArray | None,
        budget: Budget,
    ) -> LevelOptimum | None:
        next(calls)
        return settle(columns, values, used, budget)

    return replace(system.solve(problem, options, counted), called=next(calls) > 0)


def agreement_with_system(
    name: str, problem: Problem, options: EngineOptions, arcs: Arcs, start: int | None
) -> SystemAgreement:
    """How far a pairing is that of the problem's system, the levels settled by an engine."""
    system = pairing_system(problem)
    assert system is not None
    return system.agreeing(problem, options, bracket_engine(name).settle, arcs, start)


def bracket_engine(name: str) -> BracketEngine:
    return cast("BracketEngine", _module(name))


def preload_default_engine() -> None:
    """Import the default engine, which the first pairing would wait for."""
    _module(DEFAULT)


def find_lookahead_rounds(
    problem: Problem, arcs: Arcs, budget: Budget
) -> tuple[tuple[Arcs, ...] | None, bool]:
    """The further rounds that a pairing leaves room for, or None; and whether that is proven."""
    # Rounds without a lookahead are paired without it.
    from pairopt.engines import room

    return room.rounds_after(problem, arcs, budget)


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{ENGINES[name].__name__}.engine")
