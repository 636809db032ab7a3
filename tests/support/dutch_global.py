"""The Dutch System as one order over complete pairings: all of them are tried.

FIDE C.04.3 as in force from February 2026. A pair is made in the bracket of its lower player's
score, and the upper one floats out of every score group from his own down to above that one. So
each criterion of each bracket is a number of a complete pairing, and the system is the smallest
of: C5; then for each score from the top C6 to C21 and the candidate's place in the sequence of
article 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dutch_round import Round, other

BELOW = -10_000
"""The score of the bye, below everybody's."""


@dataclass(frozen=True)
class Arc:
    """A pair, the upper player first; `lower` 0 for the bye."""

    upper: int
    lower: int
    high: int
    low: int

    def crosses(self, score: int) -> bool:
        """Whether the upper player floats out of the group of this score."""
        return self.high >= score > self.low


Arcs = list[Arc]


def pairs(given: Round) -> list[tuple[int, int]] | None:
    """White and Black of each pair, the bye as (player, 0); None where there is no pairing."""
    every = list(_pairings(given, given.here))
    if not every:
        return None
    best = min(every, key=lambda arcs: key(given, arcs))
    made = []
    for arc in best:
        white = given.white(arc.upper, arc.lower) if arc.lower else arc.upper
        made.append((white, arc.upper + arc.lower - white))
    return made


def _pairings(given: Round, left: list[int]) -> Iterator[Arcs]:
    if not left:
        yield []
        return
    first, *others = left
    if len(left) % 2 and given.may_bye(first):
        for more in _pairings(given, others):
            yield [Arc(first, 0, given.score(first), BELOW), *more]
    for second in others:
        if given.may_meet(first, second):
            arc = Arc(first, second, given.score(first), given.score(second))
            for more in _pairings(given, [n for n in others if n != second]):
                yield [arc, *more]


def key(given: Round, arcs: Arcs) -> list[Any]:
    """What is compared, number by number."""
    scores = sorted({given.score(n) for n in given.here}, reverse=True)
    bye = max((arc.high for arc in arcs if not arc.lower), default=BELOW)
    brackets = (
        part
        for at in range(len(scores))
        for part in bracket(given, arcs, scores, at, bye)
    )
    return [bye, *(number for part in brackets for number in part)]


def bracket(
    given: Round, arcs: Arcs, scores: list[int], at: int, bye: int
) -> Iterator[list[Any]]:
    """The numbers of one score: C6 and C7, those of the next score (C8), C9 to C21, the place."""
    yield _floats(arcs, scores[: at + 1])
    if at + 1 < len(scores):
        yield _floats(arcs, scores[: at + 2])
    yield _quality(given, arcs, scores[:at], scores[at], bye)
    yield _place(given, arcs, scores[at])


def _floats(arcs: Arcs, scores: list[int]) -> list[int]:
    """C6 and C7 of the bracket of the last of these scores: how many float, how many of each."""
    out = [arc for arc in arcs if arc.crosses(scores[-1])]
    return [len(out), *(sum(arc.high == score for arc in out) for score in scores)]


def _quality(
    given: Round, arcs: Arcs, above: list[int], score: int, bye: int
) -> list[int]:
    """C9 to C21 of the bracket of `score`, below brackets of the scores `above`."""
    here = [arc for arc in arcs if arc.low == score]
    out = [arc for arc in arcs if arc.crosses(score)]
    resident = [arc for arc in out if arc.high == score]
    from_above = [arc for arc in here if arc.high > score]
    alone = len(out) == 1 and bye >= score
    made = [
        sum(given.unplayed(arc.upper) for arc in arcs if not arc.lower) if alone else 0
    ]
    made += [
        sum(rule(given, arc) for arc in here)
        for rule in (_wide, _thrice, _refused, _strong)
    ]
    for ago in (1, 2):
        made.append(sum(given.floated(arc.upper, ago) > 0 for arc in resident))
        made.append(sum(given.floated(arc.lower, ago) < 0 for arc in from_above))
    for ago in (1, 2):
        for down in (True, False):
            for group in above:
                of_group = [
                    arc for arc in (out if down else from_above) if arc.high == group
                ]
                made.append(
                    sum(given.floated(arc.upper, ago) > 0 for arc in of_group)
                    if down
                    else sum(given.floated(arc.lower, ago) < 0 for arc in of_group)
                )
    return made


def _strengths(given: Round, arc: Arc) -> list[int] | None:
    """Strengths of two preferences for one side, the weaker first; None where they differ."""
    one, two = given.preference(arc.upper), given.preference(arc.lower)
    return (
        sorted((one.strength, two.strength))
        if one.side and one.side == two.side
        else None
    )


def _refused(given: Round, arc: Arc) -> bool:
    return _strengths(given, arc) is not None


def _strong(given: Round, arc: Arc) -> bool:
    """The one who gives way has a strong preference, which is not an absolute one."""
    return (_strengths(given, arc) or [0])[0] == 2


def _wide(given: Round, arc: Arc) -> bool:
    both = abs(given.difference(arc.upper)) > 1 and abs(given.difference(arc.lower)) > 1
    return _strengths(given, arc) == [3, 3] and both


def _thrice(given: Round, arc: Arc) -> bool:
    """Of two absolute preferences for one side one is refused to who has had the other twice."""
    if _strengths(given, arc) != [3, 3]:
        return False
    wanted = given.preference(arc.upper).side
    two = sorted((arc.upper, arc.lower), key=lambda n: abs(given.difference(n)))
    repeated = [given.sides(n)[-2:] == 2 * other(wanted) for n in two]
    if abs(given.difference(two[0])) == abs(given.difference(two[1])):
        return all(repeated)
    return repeated[0]


def _place(given: Round, arcs: Arcs, score: int) -> list[Any]:
    """Where the pairs of the bracket stand in the sequence of candidates (article 4)."""
    rank = {n: k for k, n in enumerate(given.here)}
    here = sorted(
        (arc for arc in arcs if arc.low == score), key=lambda arc: rank[arc.upper]
    )
    above = [arc for arc in here if arc.high > score]
    taken = {arc.lower for arc in above}
    rest = [n for n in given.here if given.score(n) == score and n not in taken]
    number = {n: k for k, n in enumerate(rest, 1)}
    within = [arc for arc in here if arc.high == score]
    upper = {number[arc.upper] for arc in within}
    first = set(range(1, len(within) + 1))
    out, into = sorted(first - upper), sorted(upper - first)
    return [
        [rank[arc.upper] for arc in above],  # 4.4.2
        [rank[arc.lower] for arc in above],  # 4.2.2
        len(out),  # 4.3.2, 1 to 4
        sum(into) - sum(out),
        [-k for k in reversed(out)],
        into,
        [number[arc.lower] for arc in within],  # 4.2.2
    ]
