"""Finding: whom somebody means who types a name in a hurry, and a long list in parts of a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Generic, TypeVar
from urllib.parse import urlencode

from pairopt.event.event import folded
from pairopt.show.web.view import number
from pairopt.wording import alphabetical

T = TypeVar("T")
PART = "part"
"""What an address asks for a part by, from 1."""
MOST = 200
ALIKE, SHORTEST = 0.7, 3
"""How alike words must be (difflib's ratio) that are taken for one, and their fewest letters."""


def sought(typed: str, names: Sequence[str]) -> tuple[list[int], bool]:
    """The positions of the names that have all words of what was typed, in any order. Where none
    has, those with words that are nearly the same; and whether it is not so."""
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


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """One part of a list, and for the menu of all (`parts.html`) their words and addresses.
    `number` is 0 where the list is in one piece; then there is no menu."""

    items: Sequence[T]
    number: int = 0
    links: tuple[tuple[str, str], ...] = ()


def part_of(
    every: Sequence[T],
    path: str,
    query: Mapping[str, str],
    words: Callable[[T], str],
    most: int = MOST,
) -> Part[T]:
    """The part of a list that the query of its page asks for, the first by default. The addresses
    of the other parts are `path` with the same query; `words` is what the first and the last entry
    of a part are called in the menu. Raises UsageError for a part that is no number."""
    if len(every) <= most:
        return Part(every)
    firsts = range(0, len(every), most)
    chosen = min(max(number(query.get(PART, "1"), PART), 1), len(firsts))
    links = []
    for k, first in enumerate(firsts, 1):
        last = min(first + most, len(every)) - 1
        address = f"{path}?{urlencode({**query, PART: str(k)})}"
        links.append((f"{words(every[first])} to {words(every[last])}", address))
    return Part(every[firsts[chosen - 1] :][:most], chosen, tuple(links))
