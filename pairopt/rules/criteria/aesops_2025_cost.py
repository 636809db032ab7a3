"""Criterion `aesops_2025_cost`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Criterion, Label, require_fit

REMATCH = 5
BASE, HIGHEST_POWER = 50, 6


def match_cost(state: State, arcs: Arcs) -> IntArray:
    """(score gap)² + 5 if they have met + 50^(bias that the sides make worse), shape (m,).

    In a sideless event the last part is left out. Times the event's scale squared; 0 for a
    bye. The power of 50 is capped at 6: far beyond what the systems that use it allow.
    """
    one = state.scale**2
    gap = state.score[arcs.first] - state.score[arcs.second]
    cost = gap**2
    if state.sided:
        worse = np.maximum(state.bias[arcs.first], -state.bias[arcs.second])
        cost += one * BASE ** np.clip(worse, 0, HIGHEST_POWER)
        cost += one * REMATCH * (state.meetings.met(arcs) > 0)
    return np.where(arcs.bye, 0, cost)


def largest_cost(state: State) -> int:
    """More than any match can cost, in exact integers."""
    highest: int = BASE ** (HIGHEST_POWER + 1)
    return int(np.ptp(state.score)) ** 2 + state.scale**2 * highest


@dataclass(frozen=True)
class Aesops2025Cost(Criterion):
    """The cost of Aesop's Tables in late 2025: score gaps squared, worse sides, rematches.

    A match costs (score gap)² + 50^b + 5 if the two have met, b the bias that the sides make
    worse: the larger of Corp's bias towards Corp and Runner's towards Runner. The bye costs
    nothing. Source: the program of Aesop's Tables.
    """

    kind = "aesops_2025_cost"
    needs_sides = True

    def labels(self, state: State) -> Sequence[Label]:
        require_fit(self.kind, largest_cost(state), len(state))
        return [1]

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        return match_cost(state, arcs)[:, None].repeat(len(labels), axis=1)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (state.score, state.bias)

    def pairs(self, state: State) -> IntArray:
        return state.meetings.pairs()

    def scale(self, state: State) -> int:
        return state.scale**2

    def words(self, label: Label) -> str:
        return "cost of score gaps, sides and rematches"
