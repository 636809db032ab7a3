"""Tie-breaks that are means over the opponents: strength of schedule."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from pairopt.event.tie_breaks.base import ABSENT, COBRA, History, TieBreak, Tied


class StrengthOfSchedule(TieBreak):
    """The mean, over the opponents played, of the opponent's points per round.

    An opponent's rounds are those with a row, so byes count with their points and rounds missed
    do not count. Byes and forfeits give no opponent; who met nobody has 0."""

    kind = "sos"
    head = "SoS"
    source = COBRA
    decimals = 4
    needs_results = False

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        scale = history.event.scale
        rounds = [sum(turn.status != ABSENT for turn in turns) for turns in history.turns]
        return means_of_opponents(history, [
            Fraction(points, scale * number) if number else Fraction(0)
            for points, number in zip(history.score, rounds, strict=True)
        ])  # fmt: skip


def means_of_opponents(history: History, of_each: list[Fraction]) -> list[Fraction]:
    """For each player the mean of a value of the opponents played, each as often as met."""
    common = lcm(*{value.denominator for value in of_each})  # sums of whole numbers are quick
    whole = [value.numerator * (common // value.denominator) for value in of_each]
    met = ([whole[turn.opponent] for turn in turns if turn.played] for turns in history.turns)
    return [Fraction(sum(values), common * max(len(values), 1)) for values in met]


class ExtendedStrengthOfSchedule(TieBreak):
    """The mean, over the opponents played, of the opponent's strength of schedule."""

    kind = "esos"
    head = "ESoS"
    source = COBRA
    decimals = 4
    needs_results = False

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return means_of_opponents(history, StrengthOfSchedule().values(history, tied))
