"""Tie-break `esos`."""

from __future__ import annotations

from fractions import Fraction

from pairopt.event.history import History
from pairopt.event.tie_breaks.base import COBRA, TieBreak, Tied
from pairopt.event.tie_breaks.sos import StrengthOfSchedule, means_of_opponents


class ExtendedStrengthOfSchedule(TieBreak):
    """The mean, over the opponents played, of the opponent's strength of schedule."""

    kind = "esos"
    head = "ESoS"
    source = COBRA
    decimals = 4
    needs_results = False

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return means_of_opponents(history, StrengthOfSchedule().values(history, tied))
