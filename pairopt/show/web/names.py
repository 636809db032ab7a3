"""Names: whom somebody means who types a name in a hurry."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from pairopt.event.event import folded
from pairopt.wording import alphabetical

ALIKE, SHORTEST = 0.7, 3
"""How alike words must be (difflib's ratio) that are taken for one, and their fewest letters."""


def sought(typed: str, names: Sequence[str]) -> tuple[list[int], bool]:
    """The positions of the names that have all words of what was typed, in any order.

    Where none has, those with words that are nearly the same; and whether it is not so.
    """
    words = _words(typed)
    there = [_words(name) for name in names]
    exact = [
        p for p, (name, own) in enumerate(zip(names, there, strict=True))
        if folded(typed) in folded(name) or (words and all(_part(word, own) for word in words))
    ]  # fmt: skip
    if exact or not words:
        return exact, True
    every = {word for own in there for word in own}
    near = [{word, *_near(word, every)} for word in words]
    return [p for p, own in enumerate(there) if all(each & {*own} for each in near)], False


def _words(name: str) -> list[str]:
    """The words of a name without accents, case and signs."""
    return re.findall(r"\w+", alphabetical(name)[0])


def _part(word: str, own: Sequence[str]) -> bool:
    return any(word in each for each in own)


def _near(word: str, every: set[str]) -> list[str]:
    """The words that it may be a misspelling of."""
    if len(word) < SHORTEST:
        return []
    return get_close_matches(word, every, n=5, cutoff=ALIKE)
