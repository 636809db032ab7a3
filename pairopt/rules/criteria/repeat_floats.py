"""Criterion `repeat_floats`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Criterion, Label


@dataclass(frozen=True)
class RepeatFloats(Criterion):
    """Avoid that a player who floated recently floats again in the same direction.

    A player floats down by meeting a player with fewer points, and floats up by meeting
    a player with more points. Level 1 counts the players who floated in the same
    direction one round ago. Level 2 counts the players who floated in the same
    direction two rounds ago, and so on. Level 1 is the most important.
    """

    kind = "repeat_floats"
    rounds: int = 2

    def __post_init__(self) -> None:
        """Raise ValueError for a number of rounds below 1."""
        if self.rounds < 1:
            raise ValueError("Expected rounds >= 1.")

    def labels(self, state: State) -> Sequence[Label]:
        """Return the numbers of rounds ago, from 1 to `rounds`.

        There are at most as many as earlier rounds. Raises UsageError for an event
        without results of single rounds.
        """
        if not state.event.complete_history:
            raise UsageError("rule.needs_rounds")
        return range(1, min(self.rounds, state.floats.shape[1]) + 1)

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        """Return how many players of each arc float as they did so many rounds ago.

        Shape (m, levels), with values 0, 1 and 2. Labels are numbers of rounds. A bye
        is a float down.
        """
        score_difference = state.score[arcs.first] - state.score[arcs.second]
        float_direction = np.where(arcs.bye, 1, np.sign(score_difference))[:, None]
        # Shape (n, levels): how each player floated so many rounds ago.
        past_floats = state.floats[:, [-int(label) for label in labels]]
        first_repeats = (float_direction != 0) & (
            past_floats[arcs.first] == float_direction
        )
        second_repeats = (float_direction != 0) & (
            past_floats[arcs.second] == -float_direction
        )
        second_repeats &= arcs.match[:, None]
        return np.asarray(first_repeats.astype(np.int64) + second_repeats, np.int64)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return the score of each player, then the floats of each of the last rounds.

        All arrays have shape (n,); a float is 1 down, -1 up or 0.
        """
        return (state.score, *state.floats[:, -self.rounds :].T)

    def magnitude(self, label: Label) -> int:
        """Return the weight of a level: 1 for the earliest round, more for later ones.

        `label` is how many rounds ago it was.
        """
        return self.rounds + 1 - int(label)

    def words(self, label: Label) -> str:
        """Return what a level counts, in plain words; `label` is how many rounds ago."""
        return f"players who float as they did {label} round{'s' if label != 1 else ''} ago"
