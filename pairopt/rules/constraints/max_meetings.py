"""Constraint `max_meetings`."""

from dataclasses import dataclass

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint


@dataclass(frozen=True)
class MaxMeetings(Constraint):
    """Nobody meets the same opponent more than this many times."""

    kind = "max_meetings"

    most: int

    def __post_init__(self) -> None:
        if self.most < 1:
            raise ValueError("Expected max_meetings >= 1.")

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        return state.meetings.met(arcs) < self.most

    def pairs(self, state: State) -> IntArray:
        return state.meetings.pairs()
