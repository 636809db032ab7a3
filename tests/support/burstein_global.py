"""The Burstein System as one order over complete pairings: all of them are tried.

The smallest of: the bye by articles 3.1.3 to 3.1.5; then for each score from the top C5 to C8, of
which C7 is C5 and C6 of the next score, and the opponents in the order of article 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dutch_global
from burstein_round import BursteinRound

Pair = tuple[int, int]


def pairs(given: BursteinRound) -> list[Pair] | None:
    """White and Black of each pair, the bye as (player, 0); None where there is no pairing."""
    if given.seeding:
        return dutch_global.pairs(given)
    every = list(_pairings(given, given.here))
    if not every:
        return None
    best = min(every, key=lambda made: key(given, made))
    whites = [given.white(one, two) if two else one for one, two in best]
    return [
        (white, one + two - white)
        for white, (one, two) in zip(whites, best, strict=True)
    ]


def _pairings(given: BursteinRound, left: list[int]) -> Iterator[list[Pair]]:
    """Pairs with the higher score first."""
    if not left:
        yield []
        return
    first, *others = left
    if len(left) % 2 and given.may_bye(first):
        for more in _pairings(given, others):
            yield [(first, 0), *more]
    for second in others:
        if given.may_meet(first, second):
            for more in _pairings(given, [n for n in others if n != second]):
                yield [(first, second), *more]


def key(given: BursteinRound, made: list[Pair]) -> list[Any]:
    """What is compared, number by number."""
    byes = [one for one, two in made if not two]
    found: list[Any] = [given.byes.index(one) for one in byes]
    made = [pair for pair in made if pair[1]]
    scores = sorted({given.score(n) for pair in made for n in pair}, reverse=True)
    for at in range(len(scores)):
        for part in bracket(given, made, scores, at):
            found += part
    return found


def bracket(
    given: BursteinRound, made: list[Pair], scores: list[int], at: int
) -> Iterator[list[int]]:
    """The numbers of one score: C5 and C6, those of the next score (C7), C8, the opponents."""
    yield _floats(given, made, scores[: at + 1])
    if at + 1 < len(scores):
        yield _floats(given, made, scores[: at + 2])
    yield [
        sum(given.refused(*pair) for pair in made if given.score(pair[1]) == scores[at])
    ]
    yield _opponents(given, made, scores[at])


def _floats(given: BursteinRound, made: list[Pair], scores: list[int]) -> list[int]:
    out = [
        one for one, two in made if given.score(one) >= scores[-1] > given.score(two)
    ]
    return [
        len(out),
        *(sum(given.score(one) == score for one in out) for score in scores),
    ]


def _opponents(given: BursteinRound, made: list[Pair], score: int) -> list[int]:
    """Each player's opponent by BSN, the largest number first and no opponent last."""
    members = {
        one: 0 for one, two in made if given.score(one) >= score >= given.score(two)
    }
    members |= {two: one for one, two in made if given.score(two) == score}
    members |= {one: two for one, two in made if given.score(two) == score}
    numbered = [n for n in given.ranked if n in members]
    bsn = {n: k for k, n in enumerate(numbered, 1)}
    return [-bsn.get(members[n], 0) for n in numbered]
