"""Tie-breaks that are means over the opponents: strength of schedule, match-win percentage."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from pairopt.event.tie_breaks.base import ABSENT, COBRA, MAGIC, History, TieBreak, Tied, mean

FLOOR = Fraction(33, 100)


class OpponentsMatchWin(TieBreak):
    """The mean, over the opponents, of their match-win percentage, each at least 33 %.

    A player's match-win percentage is their points over those of wins in all their rounds. Byes
    count there with their points, and rounds without a row not at all. A bye gives no opponent; a
    forfeit does, as it is a match lost and won there. Points brought in do not count; who had no
    opponent has 0."""

    kind = "opponents_match_win"
    head = "OMW"
    source = MAGIC
    decimals = 4

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        rounds = [sum(turn.status != ABSENT for turn in own) for own in history.turns]
        won = [
            max(FLOOR, sum(turn.points for turn in own) / (history.win * number))
            if number and history.win > 0 else FLOOR
            for own, number in zip(history.turns, rounds, strict=True)
        ]  # fmt: skip
        return [mean([won[turn.opponent] for turn in own if turn.opponent >= 0])
                for own in history.turns]  # fmt: skip


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
