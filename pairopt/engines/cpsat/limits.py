"""Limits: levels that may not be above a value, for questions that no order of levels asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pairopt.budget import Budget, TimeUpError
from pairopt.engines.base import Settled
from pairopt.engines.columns import Columns, Equation
from pairopt.engines.cpsat.counts import expression
from pairopt.engines.cpsat.messages import LOWEST, Program
from pairopt.engines.cpsat.stages import Stages, lexicographic
from pairopt.engines.duals import Tight
from pairopt.event.arcs import IntArray


@dataclass(frozen=True)
class Limits:
    """Sums over the columns that may not be above their values."""

    rows: tuple[Equation, ...]

    def add(self, program: Program, columns: Columns, index: IntArray, budget: Budget) -> None:
        """Add the limits to a program whose first variables are the columns `index`."""
        for coefficients, most in self.rows:
            program.add(*expression(coefficients[index]), LOWEST, most)


def settle_within(
    columns: Columns, within: Tight, most: Sequence[int | None], budget: Budget
) -> Settled | None:
    """The levels of single pairs minimised in order, none above its entry in `most` (None: free).

    Only columns alive `within` are used, under its equations. None where there is no pairing.
    Raises TimeUpError.
    """
    rows = [(cost, limit) for cost, limit in zip(columns.costs.T, most, strict=True)
            if limit is not None]  # fmt: skip
    start = Stages((), within.alive, within.equations)
    found = lexicographic(columns, budget, start, further=Limits(tuple(rows)) if rows else None)
    if found.stopped:
        raise TimeUpError
    return None if found.use is None else Settled(found.values, found.use.nonzero()[0])
