"""Tie-breaks of the opponents' scores: Buchholz, Fore Buchholz, the opponents' own."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from pairopt.event.event import PLAYED
from pairopt.event.history import History, Turn
from pairopt.event.tie_breaks.base import FIDE, TieBreak, Tied, mean
from pairopt.event.tie_breaks.unplayed import sums


class Buchholz(TieBreak):
    """The sum of the opponents' scores.

    Unplayed rounds, the player's own and those of opponents, count as `tie_breaks.unplayed`
    says.
    """

    kind = "BH"
    head = "Buchholz"
    source = f"{FIDE}: article 8.1 (BH), unplayed rounds 16, cuts 14 and 16.5"
    takes = "CMP"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return sums(history, self.how)


class ForeBuchholz(TieBreak):
    """Buchholz as if all matches of the last round so far had been drawn, forfeits included.

    It can be told as soon as the round is paired.
    """

    kind = "FB"
    head = "Fore Buchholz"
    source = f"{FIDE}: article 8.3 (FB), unplayed rounds 16, cuts 14 and 16.5"
    takes = "CMP"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return sums(drawn_last(history), self.how)


class AverageOfBuchholz(TieBreak):
    """The mean, over the opponents played, of their Buchholz, each as often as met.

    It is not rounded; who has played nobody has 0.
    """

    kind = "AOB"
    head = "Opponents' Buchholz"
    source = f"{FIDE}: article 8.2 (AOB)"
    takes = "F"
    decimals = 4

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        found = sums(drawn_last(history) if self.how.F else history, replace(self.how, F=False))
        return [
            mean([found[turn.opponent] for turn in own if turn.played]) for own in history.turns
        ]


def drawn_last(history: History) -> History:
    """The event with a draw in each match of its last round, played or not (8.3)."""
    last, rows = history.rounds, history.event.unscored
    pairs = dict(zip(rows.first.tolist(), rows.second.tolist(), strict=True))
    against = pairs | {two: one for one, two in pairs.items()}
    turns = []
    for player, own in enumerate(history.turns):
        here = own[-1:] if len(own) == last else ()
        other = here[0].opponent if here else against.get(player, -1)
        draw = Turn(PLAYED, history.draw, other, history.draw, -1)
        turns.append((*own[: last - 1], draw) if other >= 0 and last else own)
    return replace(history, turns=tuple(turns))
