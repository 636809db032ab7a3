"""Tie-breaks of the opponents' scores: Buchholz, whole and cut."""

from __future__ import annotations

from fractions import Fraction

from pairopt.event.history import History
from pairopt.event.tie_breaks.base import FIDE, TieBreak, Tied
from pairopt.event.tie_breaks.unplayed import Contribution, contributions, total, without_least


class Buchholz(TieBreak):
    """The sum of the opponents' scores.

    Unplayed rounds, the player's own and those of opponents, count as `tie_breaks.unplayed`
    says.
    """

    kind = "buchholz"
    head = "Buchholz"
    source = f"{FIDE}: article 8.1 (BH), unplayed rounds 16"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return [total(history, given) for given in contributions(history)]


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


class BuchholzMedian(TieBreak):
    """Buchholz without the lowest, then without the highest of the opponents' scores.

    The lowest is cut as in Buchholz Cut 1; of a single round nothing is left.
    """

    kind = "buchholz_median"
    head = "Buchholz Median"
    source = f"{FIDE}: articles 8.1 and 14.3 (BH-M1), unplayed rounds 16, exception 16.5"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return [total(history, _median(given)) for given in contributions(history)]


def _median(given: list[Contribution]) -> list[Contribution]:
    return sorted(without_least(given), key=lambda each: each.strength)[:-1]
