"""Tie-break `buchholz_cut1`."""

from __future__ import annotations

from fractions import Fraction

from pairopt.event.history import History
from pairopt.event.tie_breaks.base import FIDE, TieBreak, Tied
from pairopt.event.tie_breaks.unplayed import contributions, total, without_least


class BuchholzCut1(TieBreak):
    """Buchholz without the lowest of the opponents' scores.

    Who missed rounds by choice (a bye asked for, a forfeit loss) loses the lowest contribution of
    these instead.
    """

    kind = "buchholz_cut1"
    head = "Buchholz Cut 1"
    source = f"{FIDE}: articles 8.1 and 14.1 (BH-C1), unplayed rounds 16, exception 16.5"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return [total(history, without_least(given)) for given in contributions(history)]
