"""Criterion `side_streak`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Criterion, Label, one_hot


def streak_after(state: State, player: IntArray, side: int) -> IntArray:
    """The side streak of each player after a game on `side` (0 first, 1 second)."""
    return np.where(state.last_side[player] == side, state.streak[player] + 1, 1)


def signed_streak(state: State, at_least: int) -> IntArray:
    """Streaks from `at_least` on, positive on the first side; shorter ones are 0."""
    signed = np.where(state.last_side == 0, state.streak, -state.streak)
    return np.where(state.streak >= at_least, signed, 0)


@dataclass(frozen=True)
class SideStreak(Criterion):
    """Avoid long runs of games on one side, the longest first.

    Counts the players whose side streak becomes each of at_least and more.
    """

    kind = "side_streak"
    needs_sides = True

    at_least: int = 3

    def __post_init__(self) -> None:
        if self.at_least < 1:
            raise ValueError("Expected at_least >= 1.")

    def labels(self, state: State) -> Sequence[Label]:
        largest = int(state.streak.max(initial=0)) + (len(state) > 1)
        return range(largest, self.at_least - 1, -1)

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        kept, first = state.streak[arcs.first], streak_after(state, arcs.first, 0)
        second = one_hot(streak_after(state, arcs.second, 1), labels)
        return one_hot(np.where(arcs.bye, kept, first), labels) + second * arcs.match[:, None]

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (signed_streak(state, self.at_least - 1),)

    def words(self, label: Label) -> str:
        return f"players with {label} games in a row on one side"
