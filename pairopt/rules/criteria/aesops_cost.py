"""Criterion `aesops_cost`."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Criterion, Label, require_fit

COST, BIAS = 1, 2


@dataclass(frozen=True)
class AesopsCost(Criterion):
    """The cost of Aesop's Tables: score gaps, and players who need the same side.

    A match costs d (d + 1) / 2, d the score gap over `unit`, plus 8^|sum of the two biases|
    unless the biases are opposite. A second level, the sum of |bias| after the match, picks
    the sides. Source: the About page of Aesop's Tables.
    """

    kind = "aesops_cost"
    needs_sides = True

    unit: Decimal = Decimal(1)

    def __post_init__(self) -> None:
        if not self.unit.is_finite() or self.unit <= 0:
            raise ValueError("Expected unit > 0.")

    def labels(self, state: State) -> Sequence[Label]:
        gap, bias = int(np.ptp(state.score)), int(np.abs(state.bias).max())
        gap, one = self._steps(state, gap)
        sides = max(8 ** (2 * bias), 2 * bias + 2)
        require_fit(self.kind, gap * (gap + one) + 2 * one**2 * sides, len(state))
        return [COST, BIAS]

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        distance = np.abs(state.score[arcs.first] - state.score[arcs.second])
        step, one = self._steps(state, 1)
        first, second = state.bias[arcs.first], state.bias[arcs.second]
        away = np.abs(first + second)
        sides = np.where(away == 0, 0, 8 ** np.where(arcs.bye, 0, away))
        cost = distance * step * (distance * step + one) + 2 * one**2 * sides
        after = np.abs(first + 1) + np.abs(second - 1)
        after = 2 * one**2 * np.where(arcs.bye, np.abs(first), after)
        return np.column_stack([np.where(arcs.bye, 0, cost), after])

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (state.score, state.bias)

    def scale(self, state: State) -> int:
        return 2 * self._steps(state, 1)[1] ** 2

    def magnitude(self, label: Label) -> int:
        return 1

    def words(self, label: Label) -> str:
        return "cost of score gaps and sides" if label == COST else "side biases after the round"

    def _steps(self, state: State, gap: int) -> tuple[int, int]:
        """A gap in scaled points, and one unit, in the same whole steps."""
        unit = Fraction(self.unit) * state.scale
        return gap * unit.denominator, unit.numerator
