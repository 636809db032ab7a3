"""Constraint `aesops_2025_cost_below`."""

from dataclasses import dataclass

from pairopt.event.arcs import Arcs, BoolArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint, require_fit
from pairopt.rules.criteria.aesops import largest_cost, match_cost


@dataclass(frozen=True)
class Aesops2025CostBelow(Constraint):
    """No match costs `limit` or more by the formula of Aesop's Tables in late 2025.

    The section on the criterion `aesops_2025_cost` describes this cost formula.
    """

    kind = "aesops_2025_cost_below"
    needs_sides = True
    reads_meetings = True
    reads = ("score", "bias")
    limit: int

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True for a bye, and for a match that costs less than the limit.

        Shape (m,). Raises UsageError if costs could overflow an engine's integers.
        """
        require_fit(self.kind, largest_cost(state), len(state))
        return arcs.bye | (match_cost(state, arcs) < self.limit * state.scale**2)
