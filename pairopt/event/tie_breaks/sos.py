"""Tie-breaks that are means over the opponents: strength of schedule."""

from __future__ import annotations

from fractions import Fraction

from pairopt.event.tie_breaks.base import ABSENT, History, TieBreak, Tied


class StrengthOfSchedule(TieBreak):
    """The mean, over the opponents played, of the opponent's points per round.

    An opponent's rounds are those with a row, so byes count with their points and rounds missed
    do not count. Byes and forfeits give no opponent; who met nobody has 0."""

    kind = "sos"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        scale = history.event.scale
        rounds = [sum(turn.status != ABSENT for turn in turns) for turns in history.turns]
        return history.means([
            Fraction(points, scale * number) if number else Fraction(0)
            for points, number in zip(history.score, rounds, strict=True)
        ])  # fmt: skip


class ExtendedStrengthOfSchedule(TieBreak):
    """The mean, over the opponents played, of the opponent's strength of schedule."""

    kind = "esos"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return history.means(StrengthOfSchedule().values(history, tied))
