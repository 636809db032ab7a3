"""Constraints on how often two players meet."""

from dataclasses import dataclass

from pairopt.event.arcs import Arcs, BoolArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint


@dataclass(frozen=True)
class CobraMeetings(Constraint):
    """Two players meet at most once, or at most once on each side if there are sides.

    In an event with sides, two players may meet a second time with exchanged sides. Two
    players don't meet a second time if their side balances ask for the same sides as
    the first time.
    """

    kind = "cobra_meetings"
    reads_meetings = True

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True for a first meeting, or a second one with the sides exchanged.

        Shape (m,). In a second one the first player's side balance, games on the first
        side less those on the second, must not be above the second player's. Without
        sides only a first meeting is legal. Byes are always legal.
        """
        meeting_counts = state.meetings.met(arcs)
        if not state.sided:
            return meeting_counts < 1
        same_sides_counts = state.meetings.met_same_sides(arcs)
        # the sides asked for are these where the first player has the lower bias
        is_against_bias = state.bias[arcs.first] > state.bias[arcs.second]
        return (
            arcs.bye
            | (meeting_counts < 1)
            | ((meeting_counts < 2) & (same_sides_counts < 1) & ~is_against_bias)
        )


@dataclass(frozen=True)
class MaxMeetings(Constraint):
    """Nobody meets the same opponent more than `most` times."""

    kind = "max_meetings"
    reads_meetings = True
    most: int

    def __post_init__(self) -> None:
        """Raise ValueError for a limit below 1."""
        if self.most < 1:
            raise ValueError("Expected max_meetings >= 1.")

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True where the players have met fewer than `most` times, shape (m,).

        It is True for byes.
        """
        return state.meetings.met(arcs) < self.most


@dataclass(frozen=True)
class NoRematch(Constraint):
    """Nobody meets the same opponent twice."""

    kind = "no_rematch"
    reads_meetings = True

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True where the players have not met, and for byes, shape (m,)."""
        return state.meetings.met(arcs) < 1


@dataclass(frozen=True)
class NoSameSidesRematch(Constraint):
    """Nobody meets the same opponent twice with the same sides."""

    kind = "no_same_sides_rematch"
    needs_sides = True
    reads_meetings = True

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True where the players have not met with these sides, shape (m,).

        It is True for byes, and for a rematch with exchanged sides.
        """
        return state.meetings.met_same_sides(arcs) < 1
