"""Quality: the criteria C6 to C21 of a bracket as sums over matches (articles 2.3 and 2.4), and the
place of its candidate in the order of candidates (articles 3 and 4).

Each part of the order is one number: what a candidate has there, the first one having the least.
Transpositions are numbered from 0 in lexicographic order. For a proof the parts are sums over
matches: what one adds depends on the parts before, in which all that are compared are alike (the
moved-down players who are paired, then their opponents, then who is in S1), and a part that
compares players one after the other is a level for each of them.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.fide_attributes import ABSOLUTE, DOWN, STRONG, UP
from pairopt.fide.dutch.bracket_pairs import RankedPlayers

TWO_AGO = ("C16", "C17", "C20", "C21")  # the criteria of floats of two rounds ago
Amounts = Callable[
    [IntArray, IntArray], IntArray
]  # what pairs of ranks a < b add to a sum


class CriterionLevel(NamedTuple):
    """A level of a bracket: its criterion, and the group of players it is about (-1: all)."""

    criterion: str
    group: int = -1


def bracket_keys(ranking: RankedPlayers, s: int) -> Iterator[CriterionLevel]:
    """The levels of the bracket of group `s` that some match can fill, in order."""
    fide, above = ranking.fide, range(s)
    own = ranking.group == s
    yield CriterionLevel("C6")
    yield from (CriterionLevel("C7", x) for x in above)
    if s + 1 < len(ranking.scores):
        yield CriterionLevel("C8")
        yield from (CriterionLevel("C8", x) for x in range(s + 1))
    if ranking.odd:
        yield CriterionLevel("C9")
    if (np.abs(fide.difference) > 1).any():
        yield CriterionLevel("C10")
    if (fide.strength == ABSOLUTE).any():
        yield CriterionLevel("C11")
    yield CriterionLevel("C12")
    if (fide.strength >= STRONG).any():
        yield CriterionLevel("C13")
    for ago, (down, up) in enumerate((("C14", "C15"), ("C16", "C17"))):
        if (fide.floats[own, ago] == DOWN).any():
            yield CriterionLevel(down)
        if s and (fide.floats[own, ago] == UP).any():
            yield CriterionLevel(up)
    for ago, (down, up) in enumerate((("C18", "C19"), ("C20", "C21"))):
        floated = np.unique(ranking.group[fide.floats[:, ago] == DOWN])
        yield from (CriterionLevel(down, int(x)) for x in floated[floated < s])
        if (fide.floats[own, ago] == UP).any():
            yield from (CriterionLevel(up, x) for x in above)


def bracket_costs(
    ranking: RankedPlayers,
    s: int,
    keys: list[CriterionLevel],
    a: IntArray,
    b: IntArray,
    bye: BoolArray,
) -> IntArray:
    """What pairs of ranks a < b add to the levels `keys` of bracket `s`, shape (m, keys); `bye`
    marks allocated byes. C9 is without its condition, that one floats and will have the bye.
    """
    upper = ranking.group_of(a)[:, None]
    made = np.zeros((len(a), len(keys)), np.int64)
    counts, at = _counts(ranking, s, a, b, bye), 0
    for (criterion, single), some in groupby(
        keys, lambda key: (key.criterion, key.group < 0)
    ):
        groups, count = [key.group for key in some], counts(criterion)
        own = made[:, at : at + len(groups)]
        if count.any():
            own[:] = (
                count[:, None]
                if single
                else np.where(upper == groups, count[:, None], 0)
            )
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


PARTS = ("4.4", "4.2 MDP", "4.3.2.1", "4.3.2.2", "4.3.2.3", "4.3.2.4", "4.2")
"""The parts of the order, by their articles."""
Share = tuple[
    int, int, int
]  # the number of a pair, that of a part, and what one adds to the other


def shares(ranking: RankedPlayers, s: int, a: IntArray, b: IntArray) -> Iterator[Share]:
    one, two = a.tolist(), b.tolist()
    upper, lower = ranking.group_of(a).tolist(), ranking.group_of(b).tolist()
    order = np.argsort(a).tolist()
    moved = [k for k in order if upper[k] < s <= lower[k]]
    inner = [k for k in order if upper[k] == s == lower[k]]
    residents = np.flatnonzero(ranking.group == s).tolist()
    paired = [k for k in moved if lower[k] == s]
    opponents = [two[k] for k in paired]
    yield from (
        (k, 0, w) for k, w in _mixed_radix_shares(moved, [lower[k] > s for k in moved])
    )
    yield from (
        (k, 1, w) for k, w in _rank_of_arrangement(paired, opponents, residents)
    )
    rest = sorted({*residents} - {*opponents})
    place = {player: at for at, player in enumerate(rest)}
    half, uppers = len(inner), [one[k] for k in inner]
    entering = [k for k in inner if place[one[k]] >= half]
    yield from ((k, 2, 1) for k in entering)
    if entering:
        yield from ((k, 3, place[one[k]] - turn) for turn, k in enumerate(inner))
        index = {one[k]: k for k in order if upper[k] == s} | {two[k]: k for k in inner}
        yield from _exchange_shares(rest, half, {*uppers}, index)
    seconds = sorted({*rest} - {*uppers})
    yield from (
        (k, 6, w)
        for k, w in _rank_of_arrangement(inner, [two[k] for k in inner], seconds)
    )


def _exchange_shares(
    rest: list[int], half: int, uppers: set[int], index: dict[int, int]
) -> Iterator[Share]:
    """Who has left S1, from its last player up, and who has entered it, from the first of S2."""
    for place, player in enumerate(rest):
        if place < half and player in uppers:
            yield index[player], 4, 2**place
        elif place >= half and player not in uppers:
            yield index[player], 5, 2 ** (len(rest) - 1 - place)


def _rank_of_arrangement(
    index: list[int], chosen: list[int], offered: list[int]
) -> Iterator[tuple[int, int]]:
    """What each choice adds to the number of an arrangement of some of those offered."""
    left, digits = [*offered], []
    for one in chosen:
        digits.append(left.index(one))
        left.pop(digits[-1])
    return _mixed_radix_shares(index, digits, range(len(offered), len(left), -1))


def _mixed_radix_shares(
    index: list[int], digits: Sequence[int], bases: Sequence[int] | None = None
) -> Iterator[tuple[int, int]]:
    """What each digit of a number adds to it; a base is the number of a digit's values, or 2."""
    weight = 1
    for turn in reversed(range(len(index))):
        yield index[turn], int(digits[turn]) * weight
        weight *= 2 if bases is None else bases[turn]


class OrderLevelSum(NamedTuple):
    """A level of the part of this number: what pairs of ranks a < b add to it. `own` is the player
    whose pairs alone count, None for all; `offset` is added to all sums.
    """

    part: int
    own: int | None
    amounts: Amounts
    offset: int = 0


def part_sums(
    ranking: RankedPlayers, s: int, moved: IntArray, upper: IntArray, lower: IntArray
) -> Iterator[OrderLevelSum]:
    """The parts of the bracket of group `s`, in which `upper` meet `lower`, in order. `moved` are
    the players moved down to it.
    """
    residents = np.flatnonzero(ranking.group == s)
    for one in moved.tolist():
        yield OrderLevelSum(0, one, _floats(ranking, s, one))
    from_above = ranking.group[upper] < s
    for one in upper[from_above].tolist():
        yield OrderLevelSum(1, one, _opponent(ranking, s, one, residents))
    rest = np.setdiff1d(residents, lower[from_above])
    uppers = upper[~from_above]
    half, place = len(uppers), _rank_positions(ranking, rest)

    def inner(a: IntArray, b: IntArray) -> IntArray:
        """The place of the upper one of two who are both left, -1 for others."""
        both = (place[a] >= 0) & (place[np.minimum(b, len(ranking))] >= 0)
        return np.asarray(np.where(both, place[a], -1))

    yield OrderLevelSum(2, None, lambda a, b: (inner(a, b) >= half).astype(np.int64))
    if (place[uppers] >= half).any():
        yield OrderLevelSum(
            3, None, lambda a, b: np.maximum(inner(a, b), 0), -sum(range(half))
        )
        for one in rest[:half][::-1].tolist():
            yield OrderLevelSum(4, one, _stays(inner, one, leaves=True))
        for one in rest[half:].tolist():
            yield OrderLevelSum(5, one, _stays(inner, one, leaves=False))
    seconds = np.setdiff1d(rest, uppers)
    for one in uppers.tolist():
        yield OrderLevelSum(6, one, _opponent(ranking, s, one, seconds))


def _rank_positions(ranking: RankedPlayers, some: IntArray) -> IntArray:
    """The place of each rank among some, -1 for others, and for the bye."""
    place = np.full(len(ranking) + 1, -1)
    place[some] = np.arange(len(some))
    return place


def _floats(ranking: RankedPlayers, s: int, one: int) -> Amounts:
    return lambda a, b: ((a == one) & (ranking.group_of(b) > s)).astype(np.int64)


def _opponent(ranking: RankedPlayers, s: int, one: int, offered: IntArray) -> Amounts:
    """The place of a player's opponent among those offered, or one beyond them."""
    place = _rank_positions(ranking, offered)
    place[place < 0] = len(offered)

    def amounts(a: IntArray, b: IntArray) -> IntArray:
        own = (a == one) | (b == one)
        there = (a == one) & (ranking.group_of(b) == s)
        return np.asarray(
            own * np.where(there, place[np.minimum(b, len(ranking))], len(offered))
        )

    return amounts


def _stays(inner: Amounts, one: int, leaves: bool) -> Amounts:
    """1 where a player of S1 does not leave it, or where one of S2 does not enter S1."""

    def amounts(a: IntArray, b: IntArray) -> IntArray:
        own, upper = (a == one) | (b == one), (a == one) & (inner(a, b) >= 0)
        return np.asarray(own & (upper == leaves), np.int64)

    return amounts
