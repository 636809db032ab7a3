"""What a tie-break is: a number for each player; of equal players the larger ranks higher."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from pairopt.event.history import History
from pairopt.wording import decimal_text

FIDE = "FIDE Handbook C.07, Play-Off and Tie-Break Regulations, in force from 1 March 2026"
MAGIC = "Magic Tournament Rules, Appendix C, Tiebreaker Explanation"
COBRA = "as Cobra and NRTM compute it, and as their files have it"

Tied = Sequence[Sequence[int]]
"""The players by position, in groups of those still equal, best first."""


class TieBreak(ABC):
    """One way to tell equal players apart; the docstring of a subclass is its definition.

    The first paragraph says it in short; `source` says where it is published.
    """

    kind: ClassVar[str]
    head: ClassVar[str]
    source: ClassVar[str]
    decimals: ClassVar[int | None] = None
    """How many decimals are shown; None: as many as there are."""
    needs_results: ClassVar[bool] = True
    """Whether it reads results of single matches, which standings.csv does not hold."""
    needs_sides: ClassVar[bool] = False
    needs_ratings: ClassVar[bool] = False

    @abstractmethod
    def values(self, history: History, tied: Tied) -> Sequence[Fraction]:
        """The value of each player of the event, in players.csv order, in the event's points."""

    def shown(self, value: Fraction) -> str:
        """A value as people read it."""
        if self.decimals is None:
            return decimal_text(value)
        return f"{float(value):.{self.decimals}f}"

    @classmethod
    def describe(cls) -> str:
        """The tie-break in a few words, from the docstring."""
        return " ".join((cls.__doc__ or cls.kind).split("\n\n")[0].split())


def mean(values: Sequence[Fraction]) -> Fraction:
    """The mean, 0 of nothing."""
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)
