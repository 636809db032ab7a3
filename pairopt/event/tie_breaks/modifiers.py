"""Modifiers: what the code of a tie-break says after its strokes, as in `BH/C1/P`.

Sources: FIDE Handbook C.07, article 14; FIDE's list of mandatory tie-breaks MTB26, whose codes the
records 202 and 212 of a TRF hold; U as the server of FIDE's Technical Commission has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
NUMBERS = {"C": "[1-9][0-9]?", "M": "[1-9][0-9]?", "L": "[+-][1-9][0-9]?", "U": "[0-9]{1,4}"}
"""What stands after a letter; after the others nothing does."""
EXAMPLES = {"C": "C1", "M": "M1", "L": "L+1", "U": "U1400"}


@dataclass(frozen=True, slots=True)
class Modifiers:
    """What the modifiers of a code ask for, each by its letter.

    C: so many of the least values are cut (C1, C2). M: so many of the least, then as many of the
    greatest (M1, M2). L: so many half points are added to the limit (L+1, L-2). P: forfeits count
    as matches played against the opponent. F: Fore Buchholz instead of Buchholz. R: the order is
    reversed. U: players without a rating count with this one (U1400).
    """

    C: int = 0
    M: int = 0
    L: int = 0
    U: int | None = None
    P: int = 0
    F: int = 0
    R: int = 0

    def kept(
        self,
        values: Sequence[T],
        least: Callable[[Sequence[T]], T],
        greatest: Callable[[Sequence[T]], T],
    ) -> list[T]:
        """What the cuts leave of values: the least go first, one by one (14.3, 16.5.2)."""
        left = list(values)
        for which, number in ((least, self.C + self.M), (greatest, self.M)):
            for _ in range(min(number, len(left))):
                left.remove(which(left))
        return left


PLAIN = Modifiers()


def modifiers_of(parts: Sequence[str], takes: str) -> Modifiers | None:
    """The modifiers of a code, None unless they are some with the letters `takes`, each once."""
    said: dict[str, int] = {}
    for part in parts:
        letter, number = part[:1], part[1:]
        if letter in said or letter not in (*takes,) or {"C", "M"} <= {*said, letter}:
            return None
        if not re.fullmatch(NUMBERS.get(letter, ""), number):
            return None
        said[letter] = int(number) if number else 1
    return Modifiers(**said)
