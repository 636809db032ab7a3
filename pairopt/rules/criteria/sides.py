"""Criteria on how even the sides of each player become."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Criterion, Label, SingleLevel, one_hot_ends


@dataclass(frozen=True)
class SameSide(SingleLevel):
    """Let players change sides from one game to the next."""

    kind = "same_side"
    counts = "players who play the same side again"
    needs_sides = True
    reads = ("last_side",)

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return how many players of each arc play the same side again, shape (m,).

        It is 0, 1 or 2, and 0 for a bye.
        """
        cost: IntArray = (state.last_side == 0).astype(np.int64)[arcs.first]
        cost += (state.last_side == 1)[arcs.second]
        cost[arcs.alone] = 0
        return cost


@dataclass(frozen=True)
class SideDifference(Criterion):
    """Avoid large side differences, the largest first.

    The side difference is the number of games on one side minus the number of games on
    the other side. For each side difference from `at_least` to `at_most`, a level
    counts the players who reach this side difference.
    """

    kind = "side_difference"
    counts = "players whose side difference becomes {label}"
    needs_sides = True
    at_least: int = 3
    at_most: int | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for limits that are out of range."""
        if self.at_least < 1:
            raise ValueError("Expected at_least >= 1.")
        if self.at_most is not None and self.at_most < self.at_least:
            raise ValueError("Expected at_most >= at_least.")

    def describe(self) -> str:
        """Return the description in one sentence, with the differences that count."""
        if self.at_most is None:
            range_text = f"{self.at_least} or more"
        elif self.at_most == self.at_least:
            range_text = f"exactly {self.at_least}"
        else:
            range_text = f"{self.at_least} to {self.at_most}"
        return f"Avoid side differences of {range_text}, the largest first."

    def labels(self, state: State) -> Sequence[Label]:
        """Return the differences that have a level, the largest first.

        They go from `at_least` to the largest one that a player can reach, at most
        `at_most`.
        """
        largest_difference = int(np.abs(state.bias).max(initial=0)) + (len(state) > 1)
        largest_label = (
            largest_difference
            if self.at_most is None
            else min(largest_difference, self.at_most)
        )
        return range(largest_label, self.at_least - 1, -1)

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        """Return how many players of each arc reach each side difference.

        Shape (m, levels), with values 0, 1 and 2. `labels` are differences. The sign
        does not count, and with a bye the difference stays.
        """
        first_amounts, second_amounts, bye_amounts = (
            np.abs(state.bias + bias_change) for bias_change in (1, -1, 0)
        )
        return one_hot_ends(arcs, labels, first_amounts, second_amounts, bye_amounts)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return the side difference of players who can reach a level, 0 for others.

        It is one array of shape (n,). The difference is first sides minus second sides.
        """
        return (np.where(np.abs(state.bias) >= self.at_least - 1, state.bias, 0),)


def streak_after(state: State, side: int) -> IntArray:
    """Return each player's side streak after a game on `side`, shape (n,).

    `side` is 0 for the first and 1 for the second. A change of sides makes it 1.
    """
    return np.where(state.last_side == side, state.streak + 1, 1)


def signed_streak(state: State, at_least: int) -> IntArray:
    """Return each player's side streak, negative on the second side, shape (n,).

    Streaks shorter than `at_least` are 0.
    """
    streak_with_sign = np.where(state.last_side == 0, state.streak, -state.streak)
    return np.where(state.streak >= at_least, streak_with_sign, 0)


@dataclass(frozen=True)
class SideStreak(Criterion):
    """Avoid runs of `at_least` or more games on the same side, the longest first.

    A run is a number of games in a row on the same side. For each length of a run, from
    `at_least` on, a level counts the players who reach a run of this length.
    """

    kind = "side_streak"
    counts = "players with {label} games in a row on one side"
    needs_sides = True
    at_least: int = 3

    def __post_init__(self) -> None:
        """Raise ValueError for a limit below 1."""
        if self.at_least < 1:
            raise ValueError("Expected at_least >= 1.")

    def labels(self, state: State) -> Sequence[Label]:
        """Return the streaks that players can reach, from `at_least`, longest first.

        They are lengths in games.
        """
        return range(
            int(state.streak.max(initial=0)) + (len(state) > 1), self.at_least - 1, -1
        )

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        """Return how many players of each arc reach each length of a streak.

        Shape (m, levels), with values 0, 1 and 2. `labels` are lengths in games. With a
        bye the streak stays.
        """
        streaks_on_first, streaks_on_second = (
            streak_after(state, side) for side in (0, 1)
        )
        return one_hot_ends(
            arcs, labels, streaks_on_first, streaks_on_second, state.streak
        )

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return the side streaks of players who can reach a level, 0 for others.

        It is one array of shape (n,). A streak on the second side is negative.
        """
        return (signed_streak(state, self.at_least - 1),)
