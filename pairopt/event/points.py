"""Points: what a win, a draw, a loss, a bye and an absence are worth in an event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from pairopt.wording import decimal_text

Result = tuple[Fraction, Fraction]
"""The points of both players of a match, the larger first."""


@dataclass(frozen=True, slots=True)
class Points:
    """The points of an event; a bye is worth a win, and an absence nothing, unless it says so."""

    win: Fraction
    draw: Fraction
    loss: Fraction = Fraction(0)
    bye: Fraction | None = None
    requested_bye: Fraction = Fraction(0)
    absent: Fraction = Fraction(0)

    def __str__(self) -> str:
        return "-".join(decimal_text(value) for value in (self.win, self.draw, self.loss))

    @property
    def allocated_bye(self) -> Fraction:
        """The points of a pairing-allocated bye."""
        return self.win if self.bye is None else self.bye

    def allows(self, one: Fraction, two: Fraction) -> bool:
        """Whether a played match can end so: a win, a draw, or a match of two such games."""
        single = {(self.win, self.loss), (self.draw, self.draw), (self.loss, self.win)}
        double = {(a + c, b + d) for a, b in single for c, d in single}
        return (one, two) in single | double


CHESS = Points(Fraction(1), Fraction(1, 2))
FOOTBALL = Points(Fraction(3), Fraction(1))
OLD_FOOTBALL = Points(Fraction(2), Fraction(1))
USUAL = (CHESS, FOOTBALL, OLD_FOOTBALL)
"""The likelier first, where results fit several."""


def points_of_results(seen: Mapping[Result, int]) -> tuple[Points | None, bool]:
    """The points that played matches show, None for nothing; and whether all of them fit.

    `seen` says how often matches ended so. One of the usual systems where it fits (draws of 1
    each belong to 3-1-0, of 0.5 each to 1-0.5-0), or two such games a match. Else the commonest
    decisive result is win and loss.
    """
    for one in USUAL:
        if seen and seen.keys() <= {(one.win, one.loss), (one.draw, one.draw)}:
            return one, True
    for one in USUAL:
        if seen and all(one.allows(*result) for result in seen):
            return Points(2 * one.win, one.win + one.loss, 2 * one.loss), True
    decisive = [(count, result) for result, count in seen.items() if result[0] > result[1]]
    if not decisive:
        return None, not seen
    _, (win, loss) = max(decisive)
    draw = max((a for a, b in seen if a == b and loss <= a <= win), default=(win + loss) / 2)
    return Points(win, draw, loss), seen.keys() <= {(win, loss), (draw, draw)}


def points_of_text(text: str) -> Points:
    """W-D-L as points, such as 3-1-0 or 1-0.5-0. Raises ValueError for anything else."""
    parts = [number_of_points(part) for part in text.split("-")]
    if len(parts) != 3:
        raise ValueError("expected win, draw and loss as 3-1-0")
    win, draw, loss = parts
    if not win > loss or not win >= draw >= loss:
        raise ValueError("expected a win above a loss, and a draw between them")
    return Points(win, draw, loss)


def number_of_points(text: str) -> Fraction:
    """A finite decimal not below 0, halves also as ½."""
    digits = without_halves(text.strip()).replace(",", ".")
    whole, _, part = digits.partition(".")
    if not (whole + part).isascii() or not (whole + part).isdigit() or len(digits) > 12:
        raise ValueError("expected a number of points, such as 3, 0.5 or ½")
    return Fraction(f"{whole or 0}.{part or 0}")


def without_halves(text: str) -> str:
    """A number that may end in ½ with .5 instead."""
    return f"{text[:-1]}.5" if text.endswith("½") else text
