"""Parts: a long list in parts of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar
from urllib.parse import urlencode

from pairopt.show.shown import Standings
from pairopt.show.web.view import Context, number

T = TypeVar("T")
PART = "part"
"""What an address asks for a part by, from 1."""
MOST, MOST_RANKED = 200, 400


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """One part of a list, and for the menu of all (`parts.html`) their words and addresses.
    `number` is 0 where the list is in one piece; then there is no menu."""

    items: Sequence[T]
    number: int = 0
    links: tuple[tuple[str, str], ...] = ()


def part_of(
    every: Sequence[T], path: str, query: Mapping[str, str], words: Callable[[T], str],
    most: int = MOST,
) -> Part[T]:  # fmt: skip
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


def standings_part(made: Standings, path: str, query: Mapping[str, str]) -> Context:
    """Such a part of the standings, which are longer than other lists."""
    part = part_of(range(len(made.rows)), path, query, lambda k: str(k + 1), MOST_RANKED)
    rows, players = [made.rows[k] for k in part.items], [made.players[k] for k in part.items]
    return {"standings": replace(made, rows=rows, players=players), "part": part}
