"""What a tie-break is: a number for each player, by which equal players are ranked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from pairopt.event.history import History
from pairopt.event.tie_breaks.modifiers import PLAIN, Modifiers
from pairopt.wording import decimal_text

FIDE = "FIDE Handbook C.07, Play-Off and Tie-Break Regulations, in force from 1 March 2026"
MAGIC = "Magic Tournament Rules, Appendix C, Tiebreaker Explanation"
COBRA = "as Cobra and NRTM compute it, and as their files have it"

Tied = Sequence[Sequence[int]]
"""The players by position, in groups of those still equal, best first."""


@dataclass(frozen=True)
class TieBreak(ABC):
    """One way to tell equal players apart; the docstring of a subclass is its definition.

    The first paragraph says it in short; `source` says where it is published. `kind` is its code,
    `takes` the letters of the modifiers that may follow; `name` is what it was called by, `code`
    its kind with modifiers.
    """

    kind: ClassVar[str]
    head: ClassVar[str]
    source: ClassVar[str]
    takes: ClassVar[str] = ""
    decimals: ClassVar[int | None] = None
    """How many decimals are shown; None: as many as there are."""
    ascending: ClassVar[bool] = False
    """Whether the smaller number ranks higher."""
    needs_results: ClassVar[bool] = True
    """Whether it reads results of single matches, which standings.csv does not hold."""
    needs_sides: ClassVar[bool] = False
    needs_ratings: ClassVar[bool] = False

    name: str = ""
    code: str = ""
    how: Modifiers = PLAIN

    @abstractmethod
    def values(self, history: History, tied: Tied) -> Sequence[Fraction]:
        """The value of each player of the event, in players.csv order, in the event's points."""

    def keys(self, values: Sequence[Fraction]) -> Sequence[Fraction]:
        """The values such that of equal players the larger one ranks higher."""
        return [-value for value in values] if self.ascending != bool(self.how.R) else values

    def shown(self, value: Fraction) -> str:
        """A value as people read it."""
        if self.decimals is None:
            return decimal_text(value)
        return f"{float(value):.{self.decimals}f}"

    @property
    def heading(self) -> str:
        """What people read above the values: cuts in words, other modifiers as they are."""
        return " ".join([self.head, *map(_in_words, self.code.split("/")[1:])])

    @classmethod
    def describe(cls) -> str:
        """The tie-break in a few words, from the docstring."""
        return " ".join((cls.__doc__ or cls.kind).split("\n\n")[0].split())


def _in_words(modifier: str) -> str:
    words = {"C": "Cut ", "M": "Median "}
    return "Median" if modifier == "M1" else words.get(modifier[0], modifier[0]) + modifier[1:]


def mean(values: Sequence[Fraction]) -> Fraction:
    """The mean, 0 of nothing."""
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)
