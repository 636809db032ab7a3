"""Constraints on who may have the allocated bye, by what they have had."""

from dataclasses import dataclass

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint


@dataclass(frozen=True)
class NoByeAfterForfeitWin(Constraint):
    """A player who got a win's points without playing gets no pairing-allocated bye.

    A player gets a win's points without playing by a forfeit win, by a
    pairing-allocated bye, or by a full-point bye. Rule 4 of the FIDE Handbook C.04.1
    excludes such a player from the pairing-allocated bye.
    """

    kind = "no_bye_after_forfeit_win"
    bye_reads = ("unplayed_win",)

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return False for a bye of a player who had an unplayed win, shape (m,).

        It is True for every match and every other bye.
        """
        # Most rounds have no bye, and need not know who has won unplayed.
        if arcs.match.all():
            return arcs.match
        return arcs.match | ~state.unplayed_win[arcs.first]


@dataclass(frozen=True)
class NoRepeatBye(Constraint):
    """No player gets a second pairing-allocated bye."""

    kind = "no_repeat_bye"

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return False for a bye of a player who has had one, shape (m,).

        It is True for every match and every other bye.
        """
        return arcs.match | (state.byes[arcs.first] < 1)

    def bye_attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return whether each player has had a bye, as the only array, shape (n,)."""
        return (state.byes > 0,)
