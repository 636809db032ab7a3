"""Engines: each a sub-package that declares ABILITIES, with `solve` in its module `engine`."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, cast

from pairopt.engines.base import Abilities, UnsupportedError
from pairopt.errors import UsageError

if TYPE_CHECKING:
    from pairopt.engines.base import Budget, Engine, Options, Solution
    from pairopt.event.arcs import Arcs
    from pairopt.problem.problem import Problem


def _declared() -> dict[str, Abilities]:
    packages = sorted(info.name for info in pkgutil.iter_modules(__path__) if info.ispkg)
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in packages}
    return {name: m.ABILITIES for name, m in modules.items() if hasattr(m, "ABILITIES")}


ENGINES = _declared()
"""What each engine declares, by its name."""

EXACT = tuple(name for name, can in ENGINES.items() if can.exact)
"""Engines that prove their pairings; each verifies the others."""

DEFAULT = "cpsat"


def abilities_of(name: str) -> Abilities:
    """What the engine of that name declares. Raises UsageError when there is none."""
    if name not in ENGINES:
        raise UsageError(f"no engine {name!r}; engines: {', '.join(ENGINES)}")
    return ENGINES[name]


def solve_by(name: str, problem: Problem, options: Options) -> Solution:
    """Pair a round by the engine of that name.

    Raises UsageError when there is none, UnsupportedError for what it does not declare.
    """
    can = abilities_of(name)
    if problem.lookahead and not can.lookahead:
        raise UnsupportedError(f"the engine {name} cannot look ahead: use --engine {DEFAULT}")
    if options.objective == "weighted" and not can.weighted:
        raise UnsupportedError(f"the engine {name} has no weighted objective")
    engine = cast("Engine", importlib.import_module(f"{__name__}.{name}.engine"))
    return engine.solve(problem, options)


def rounds_after(
    problem: Problem, arcs: Arcs, budget: Budget
) -> tuple[tuple[Arcs, ...] | None, bool]:
    """The further rounds that a pairing leaves room for, or None; and whether that is proven."""
    from pairopt.engines.cpsat.further import rounds_after as found

    return found(problem, arcs, budget)
