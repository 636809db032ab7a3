"""Worlds: how results arise, found by their `kind`."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import FloatArray, IntArray
from pairopt.lab.identity import name_of, user_code_errors
from pairopt.registry import ExtensionRegistry

Chances = tuple[
    FloatArray, FloatArray
]  # the probabilities that `one` wins, and that nobody does


@dataclass(frozen=True)
class Games:
    """Games of a round, arrays of shape (m,): of each pair `one` is the lower number, from 0.

    `side` is 1 where `one` has the first side, -1 where `two` has, 0 in a game without sides.
    `strength` is that of all players of the tournament in this round, and `first_side` an
    advantage, in Elo points; `draws` the probability of a draw between equals.
    """

    replicate: int
    round: int
    one: IntArray
    two: IntArray
    side: IntArray
    strength: FloatArray
    first_side: float
    draws: float

    @cached_property
    def gap(self) -> FloatArray:
        """By how much `two` is stronger, the advantage of the first side included."""
        gap = self.strength[self.two] - self.strength[self.one]
        return np.asarray(gap - self.side * self.first_side, np.float64)

    @cached_property
    def expected(self) -> FloatArray:
        """The part of the points that `one` may expect in Elo's logistic model."""
        return np.asarray(1 / (1 + 10 ** (self.gap / 400)), np.float64)


class Results(Protocol):
    """How results arise: any function of `Encounters` to `Chances`.

    They may depend on players, sides and the round, not on what was paired besides. An object may
    have a method `strengths(luck)`, from one uniform number a player to Elo points. One with
    `by_gap` true depends on `gap`, `expected` and `draws` alone: it is asked of several
    tournaments at once.
    """

    def __call__(self, met: Games, /) -> Chances:
        """The probabilities of a win of `one`, and of a draw."""


def chances_of(results: Results, met: Games) -> Chances:
    """The chances of these games in a world. Raises UsageError for what are none."""
    name, size = name_of(results), len(met.one)
    with user_code_errors(f"world {name}"):
        chances = results(met)
    try:
        win, draw = (np.asarray(part, np.float64) for part in chances)
        fit = win.shape == draw.shape == (size,)
        fit = fit and bool(((win >= 0) & (draw >= 0) & (win + draw <= 1 + 1e-9)).all())
    except (TypeError, ValueError):
        fit = False
    if not fit:
        raise UsageError("world.chances_unfit", world=name, games=size)
    return win, draw


WORLDS: ExtensionRegistry[type[Results]] = ExtensionRegistry(
    __name__, Results, "pairopt.worlds"
)
