"""Twice: a round settled by a second engine, which shares nothing with the first but the rules."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial

from pairopt.budget import Budget
from pairopt.engines import EXACT, base, bracket_engine, solve_by
from pairopt.engines.columns import Columns
from pairopt.event.arcs import Arcs, IntArray
from pairopt.problem.problem import Problem

MOST_PLAYERS = 96
"""Up to so many the program takes less than 0.2 s (tests/benchmarks/twice.py)."""
EFFORT = 0.1
"""How much of CP-SAT's deterministic time the program is given where nobody asked for it."""


def second_solution(
    problem: Problem, parts: tuple[str, ...], near: Arcs | None, options: base.Options, asked: bool
) -> tuple[str, base.Solution]:
    """What an engine that had no part in the first answer finds, and its name. Unless `asked` for,
    only what is quick is tried: it may be "unknown". The first pairing, `near`, saves stages
    in which nothing can be better. Raises UnsupportedError where no engine can do it, EngineError
    where two differ in a bracket."""
    # where both have had a part, the one that always ends settles all levels by itself
    other = next((name for name in EXACT if name not in parts), EXACT[-1])
    few, found = len(problem) <= MOST_PLAYERS, base.Solution("unknown", None, ())
    options = replace(options, progress=None)
    if not asked and (not few or options.budget.spent):
        return other, found
    if other == "cpsat" and few:
        from pairopt.engines.cpsat import plain

        if (system := base.pairing_system(problem)) is not None:
            found = system.solve(problem, options, partial(_both_settle, parts[0]))
        else:
            with suppress(*[base.UnsupportedError] * asked):  # its integers are too small
                found = plain.solve(problem, options, near, EFFORT)
        if found.status in ("optimal", "infeasible") or not asked:
            return other, found
    return other, solve_by(other, problem, options)


def _both_settle(
    engine: str, columns: Columns, values: tuple[int, ...], used: IntArray | None, budget: Budget
) -> base.Settled | None:
    """A bracket's levels settled by an engine, and again by the integer program; see `Settle`.
    Raises EngineError where the two differ."""
    from pairopt.engines.cpsat import plain

    first = bracket_engine(engine).settle(columns, values, used, budget)
    second = plain.settle(columns, values, used if first is None else first.used, budget)
    one, two = (None if found is None else found.values for found in (first, second))
    if one != two:
        raise base.EngineError("solving.brackets_disagree", engine=engine, one=one, two=two)
    return first
