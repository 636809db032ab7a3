"""Criteria of Aesop's Tables and of Cobra: costs of score gaps, sides and rematches."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Criterion, Label, SingleLevel, require_fit

REMATCH = 5
BASE, HIGHEST_POWER = 50, 6


def match_cost(state: State, arcs: Arcs) -> IntArray:
    """Return the cost of a match in Aesop's Tables in late 2025, shape (m,).

    It is (score gap)² + 5 if they have met + 50^(bias that the sides make worse), times
    the event's scale squared. A bye costs 0; without sides the first part counts alone.
    The power of 50 is capped at 6, far beyond what the systems that use it allow.
    """
    squared_scale = state.scale**2
    score_gap = state.score[arcs.first] - state.score[arcs.second]
    cost = score_gap**2
    if state.sided:
        bias_made_worse = np.maximum(state.bias[arcs.first], -state.bias[arcs.second])
        cost += squared_scale * BASE ** np.clip(bias_made_worse, 0, HIGHEST_POWER)
        cost += squared_scale * REMATCH * (state.meetings.met(arcs) > 0)
    return np.where(arcs.bye, 0, cost)


def largest_cost(state: State) -> int:
    """Return an exact integer above the cost of any match of the round.

    It is multiplied by the event's scale squared, as the costs are.
    """
    highest_power: int = BASE ** (HIGHEST_POWER + 1)
    return int(np.ptp(state.score)) ** 2 + state.scale**2 * highest_power


@dataclass(frozen=True)
class Aesops2025Cost(SingleLevel):
    """Minimise the cost formula of Aesop's Tables in late 2025.

    Each match has a cost. A match costs the square of the players' score gap, and 5
    more if the two players have met. A match also costs 50^b, where b is the side bias
    that the match makes worse. The side bias is that of the Corp player towards Corp or
    that of the Runner player towards Runner, whichever is larger. The player with the
    bye adds no cost. The cost formula comes from the program of Aesop's Tables.
    """

    kind = "aesops_2025_cost"
    counts = "cost of score gaps, sides and rematches"
    needs_sides = True
    reads_meetings = True
    reads = ("score", "bias")

    def largest(self, state: State) -> int:
        """Return an exact integer above the scaled cost of any match."""
        return largest_cost(state)

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return the cost of each match by the formula, 0 for a bye, shape (m,).

        It is multiplied by the event's scale squared.
        """
        return match_cost(state, arcs)

    def scale(self, state: State) -> int:
        """Return the event's scale squared, because score gaps are squared."""
        return state.scale**2


COST, BIAS = 1, 2


@dataclass(frozen=True)
class AesopsCost(Criterion):
    """Minimise the cost formula of Aesop's Tables: score gaps and side biases.

    The larger the score gap of a match, the higher the cost: d (d + 1) / 2, where d is
    the score gap divided by `unit`. If the two players' side biases do not cancel out,
    the match also costs 8^b, where b is the absolute sum of the two biases. The second
    level adds up the absolute side biases of all players after the round, and so
    decides the sides. The cost formula comes from the About page of Aesop's Tables.
    """

    kind = "aesops_cost"
    needs_sides = True
    reads = ("score", "bias")
    unit: Decimal = Decimal(1)

    def __post_init__(self) -> None:
        """Raise ValueError for a unit that is not positive."""
        if not self.unit.is_finite() or self.unit <= 0:
            raise ValueError("Expected unit > 0.")

    def labels(self, state: State) -> Sequence[Label]:
        """Return the levels of the cost and of the biases, COST and BIAS.

        Raises UsageError if the largest possible cost could overflow an engine's
        integers.
        """
        largest_gap, largest_bias = (
            int(np.ptp(state.score)),
            int(np.abs(state.bias).max()),
        )
        gap_steps, unit_steps = self._steps(state, largest_gap)
        largest_side_cost = max(8 ** (2 * largest_bias), 2 * largest_bias + 2)
        require_fit(
            self.kind,
            gap_steps * (gap_steps + unit_steps)
            + 2 * unit_steps**2 * largest_side_cost,
            len(state),
        )
        return [COST, BIAS]

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        """Return the cost of each arc, and the side biases after it, in scaled units.

        Shape (m, len(labels)). A bye costs 0, and leaves the bias of its player as it
        is.
        """
        score_gap = np.abs(state.score[arcs.first] - state.score[arcs.second])
        steps_per_point, unit_steps = self._steps(state, 1)
        gap_steps = score_gap * steps_per_point
        first_bias, second_bias = state.bias[arcs.first], state.bias[arcs.second]
        bias_sum = np.abs(first_bias + second_bias)
        bias_exponent = np.where(arcs.bye, 0, bias_sum)
        side_cost = np.where(bias_sum == 0, 0, 8**bias_exponent)
        cost = gap_steps * (gap_steps + unit_steps) + 2 * unit_steps**2 * side_cost

        bias_after_match = np.abs(first_bias + 1) + np.abs(second_bias - 1)
        bias_after = np.where(arcs.bye, np.abs(first_bias), bias_after_match)
        value_by_label = {
            COST: np.where(arcs.bye, 0, cost),
            BIAS: 2 * unit_steps**2 * bias_after,
        }
        return np.column_stack([value_by_label[int(label)] for label in labels])

    def scale(self, state: State) -> int:
        """Return the factor of the costs: twice the square of `unit` in whole steps.

        So d (d + 1) / 2 is an integer for every gap.
        """
        return 2 * self._steps(state, 1)[1] ** 2

    def magnitude(self, label: Label) -> int:
        """Return 1 for each `label`: both levels count by their values."""
        return 1

    def words(self, label: Label) -> str:
        """Return what a level counts: the cost, or the side biases after the round.

        `label` is COST or BIAS.
        """
        if label == COST:
            return "cost of score gaps and sides"
        return "side biases after the round"

    def _steps(self, state: State, gap: int) -> tuple[int, int]:
        """Return a gap in scaled points, and one `unit`, both in the same whole steps.

        `gap` is in points times the event's scale. So the ratio of the two integers is
        exact although `unit` may be a decimal.
        """
        scaled_unit = Fraction(self.unit) * state.scale
        return gap * scaled_unit.denominator, scaled_unit.numerator


@dataclass(frozen=True)
class CobraCost(Aesops2025Cost):
    """Minimise Cobra's cost formula: squared score gaps, with -1 points for the bye.

    In a single-sided event, a match also costs 50^b, where b is the side bias that the
    match makes worse. In a single-sided event, a rematch costs 5 more. The formula of
    `cobra_cost` comes from the program of Cobra.
    """

    kind = "cobra_cost"
    needs_sides = False

    def largest(self, state: State) -> int:
        """Return an exact integer above the scaled cost of any match or bye."""
        largest_gap = int(np.ptp(np.append(state.score, -state.scale)))
        return int(largest_gap**2 + largest_cost(state))

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return the cost of each match or bye by Cobra's formula, shape (m,).

        A bye costs the squared gap to -1 points. Costs are multiplied by the event's
        scale squared.
        """
        bye_cost = (state.score[arcs.first] + state.scale) ** 2
        return np.where(arcs.bye, bye_cost, match_cost(state, arcs))
