"""Constraints on how uneven the sides of a player may become."""

from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint
from pairopt.rules.criteria.sides import signed_streak, streak_after


@dataclass(frozen=True)
class _SideLimit(Constraint):
    """Base of the limits on side differences and streaks.

    `most` is the limit; a limit below 1 raises ValueError.
    """

    needs_sides = True
    most: int

    def __post_init__(self) -> None:
        """Raise ValueError for a limit below 1."""
        if self.most < 1:
            raise ValueError(f"Expected {self.kind} >= 1.")


@dataclass(frozen=True)
class MaxSideDifference(_SideLimit):
    """No match may raise a player's side difference above `most`.

    The side difference is the number of games on one side minus the number of games on
    the other side. If a match lowers a player's side difference, `max_side_difference`
    always allows it.
    """

    kind = "max_side_difference"

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return False where the match raises a side difference above the limit.

        Shape (m,); byes are legal.
        """
        first_exceeds = state.bias[arcs.first] >= self.most
        second_exceeds = state.bias[arcs.second] <= -self.most
        return arcs.bye | ~(first_exceeds | second_exceeds)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return the sign of each side difference that has reached the limit, else 0.

        It is one array of shape (n,): +1 for too many games on the first side, -1 for
        the second.
        """
        return (np.sign(state.bias) * (np.abs(state.bias) >= self.most),)


@dataclass(frozen=True)
class MaxSideStreak(_SideLimit):
    """No match may give a player more than `most` games in a row on one side."""

    kind = "max_side_streak"

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return False where the match makes a streak on one side longer than `most`.

        Shape (m,); byes are legal.
        """
        first_exceeds, second_exceeds = (
            streak_after(state, side) > self.most for side in (0, 1)
        )
        return arcs.bye | ~(first_exceeds[arcs.first] | second_exceeds[arcs.second])

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return the side streaks that have reached the limit, 0 for others.

        It is one array of shape (n,). A streak on the second side is negative.
        """
        return (signed_streak(state, self.most),)
