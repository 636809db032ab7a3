"""Quality: the criteria C6 to C21 of a bracket as sums over matches (articles 2.3 and 2.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.fide import ABSOLUTE, DOWN, STRONG, UP
from pairopt.fide.dutch.ranking import RankedPlayers

TWO_AGO = ("C16", "C17", "C20", "C21")
"""The criteria of floats of two rounds ago."""


class QualityKey(NamedTuple):
    """A level of a bracket: its criterion, and the group of players it is about (-1: all)."""

    criterion: str
    group: int = -1


def bracket_keys(ranking: RankedPlayers, s: int) -> list[QualityKey]:
    """The levels of the bracket of group `s` that some match can fill, in order."""
    return list(_keys(ranking, s))


def _keys(ranking: RankedPlayers, s: int) -> Iterator[QualityKey]:
    fide, above = ranking.fide, range(s)
    own = ranking.group == s
    yield QualityKey("C6")
    yield from (QualityKey("C7", x) for x in above)
    if s + 1 < len(ranking.scores):
        yield QualityKey("C8")
        yield from (QualityKey("C8", x) for x in range(s + 1))
    if ranking.odd:
        yield QualityKey("C9")
    if (np.abs(fide.difference) > 1).any():
        yield QualityKey("C10")
    if (fide.strength == ABSOLUTE).any():
        yield QualityKey("C11")
    yield QualityKey("C12")
    if (fide.strength >= STRONG).any():
        yield QualityKey("C13")
    for ago, (down, up) in enumerate((("C14", "C15"), ("C16", "C17"))):
        if (fide.floats[own, ago] == DOWN).any():
            yield QualityKey(down)
        if s and (fide.floats[own, ago] == UP).any():
            yield QualityKey(up)
    for ago, (down, up) in enumerate((("C18", "C19"), ("C20", "C21"))):
        floated = np.unique(ranking.group[fide.floats[:, ago] == DOWN])
        yield from (QualityKey(down, int(x)) for x in floated[floated < s])
        if (fide.floats[own, ago] == UP).any():
            yield from (QualityKey(up, x) for x in above)


def bracket_costs(
    ranking: RankedPlayers, s: int, keys: list[QualityKey], a: IntArray, b: IntArray, bye: BoolArray
) -> IntArray:
    """What pairs of ranks a < b add to the levels `keys` of bracket `s`, shape (m, keys); `bye`
    marks allocated byes. C9 is without its condition, that one floats and will have the bye."""
    upper = ranking.group_of(a)[:, None]
    made = np.zeros((len(a), len(keys)), np.int64)
    counts, at = _counts(ranking, s, a, b, bye), 0
    for (criterion, single), some in groupby(keys, lambda key: (key.criterion, key.group < 0)):
        groups, count = [key.group for key in some], counts(criterion)
        own = made[:, at : at + len(groups)]
        if count.any():
            own[:] = count[:, None] if single else np.where(upper == groups, count[:, None], 0)
        at += len(groups)
    return made


def _counts(
    ranking: RankedPlayers, s: int, a: IntArray, b: IntArray, bye: BoolArray
) -> Callable[[str], Any]:
    """What the pairs add to a criterion as an array, whatever the group of the upper player."""
    fide, upper, lower = ranking.fide, ranking.group_of(a), ranking.group_of(b)
    here, out = lower == s, (upper <= s) & (lower > s)
    met = here & (upper < s)
    # whatever is below meets nobody here: any player will do for it
    a = np.minimum(a, len(ranking) - 1)
    inside = np.where(here, b, a)
    mine, theirs = fide.preferred[a], fide.preferred[inside]
    same = here & (mine == theirs) & (mine >= 0)
    weaker = np.minimum(fide.strength[a], fide.strength[inside])
    absolute = same & (weaker == ABSOLUTE)

    def counts(criterion: str) -> Any:
        if criterion in ("C6", "C7"):
            return out
        if criterion == "C8":
            return (upper <= s + 1) & (lower > s + 1)
        if criterion == "C9":
            return np.where(bye & out, fide.unplayed[a], 0)
        if criterion == "C10":
            far = np.abs(fide.difference)
            return absolute & (np.minimum(far[a], far[inside]) > 1)
        if criterion == "C11":
            return absolute & _third_in_a_row(ranking, a, inside)
        if criterion == "C12":
            return same
        if criterion == "C13":
            return same & (weaker == STRONG)  # one of them may be absolute
        ago = int(criterion in TWO_AGO)
        if criterion in ("C15", "C17", "C19", "C21"):
            return met & (fide.floats[inside, ago] == UP)
        down = out & (fide.floats[a, ago] == DOWN)
        return down & (upper == s) if criterion in ("C14", "C16") else down

    return counts


def _third_in_a_row(ranking: RankedPlayers, a: IntArray, b: IntArray) -> BoolArray:
    """Whether one of two who must both have a side gets the other a third time in a row."""
    fide = ranking.fide
    far, back = np.abs(fide.difference[a]), np.abs(fide.difference[b])
    streak_a, streak_b = fide.repeated[a], fide.repeated[b]
    both = (streak_a == streak_b) & (streak_a >= 0)
    # the one with the smaller difference is not granted the preference
    less = np.where(far < back, streak_a, streak_b) == 1 - fide.preferred[a]
    return np.asarray(np.where(far == back, both, less))
