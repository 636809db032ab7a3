"""Tie-break `progressive`."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

from pairopt.event.history import History
from pairopt.event.tie_breaks.base import FIDE, TieBreak, Tied


class Progressive(TieBreak):
    """The sum of the scores after each round (cumulative score).

    Byes and forfeits count what they gave, points brought in count in every round.
    """

    kind = "progressive"
    head = "Progressive"
    source = f"{FIDE}: article 7.5 (PS)"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        event = history.event
        return [
            Fraction(sum(accumulate(turn.points for turn in own)) + len(own) * int(first),
                     event.scale)
            for own, first in zip(history.turns, event.brought, strict=True)
        ]  # fmt: skip
