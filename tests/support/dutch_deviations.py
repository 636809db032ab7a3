"""Where a pairing deviates from the Dutch System first, by the literal oracle: bracket and article.

Brackets from the top; in the first one that is paired otherwise than the articles say, its pairs
are held against the best candidate, criterion by criterion and then by their place in article 4.
C8 asks what the next bracket could reach with those who float into it, not what was made of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dutch_global import Arcs
from dutch_literal import Literal, Pairs
from dutch_round import Round

CRITERIA = tuple(f"C{k}" for k in range(5, 22))


class Deviation(NamedTuple):
    """The score of the bracket in half points (-1 for the round as a whole), and the article."""

    score: int
    article: str


def first_deviation(given: Round, arcs: Arcs) -> Deviation | None:
    """Where a legal whole pairing deviates first; None where it is the one of the articles."""
    oracle = Literal(given)
    bye = max((arc.high for arc in arcs if not arc.lower), default=-1)
    if bye != oracle.lowest_bye(frozenset(given.here)):
        return Deviation(-1, "C5")
    moved: list[int] = []
    scores = sorted(set(oracle.score.values()), reverse=True)
    for at, score in enumerate(scores):
        wanted = oracle._bracket(moved, scores[at:], score)
        made = tuple(
            (arc.upper, arc.lower) for arc in arcs if arc.low == score and arc.lower
        )
        if {*map(frozenset, made)} != {*map(frozenset, wanted)}:
            return Deviation(score, _article(oracle, moved, scores[at:], made, wanted))
        paired = {n for pair in made for n in pair}
        moved = [n for n in [*moved, *oracle._group(score)] if n not in paired]
    return None


def _article(
    oracle: Literal, moved: list[int], scores: list[int], made: Pairs, wanted: Pairs
) -> str:
    ours, theirs = (_quality(oracle, moved, scores, pairs) for pairs in (made, wanted))
    for criterion, one, other in zip(CRITERIA, ours, theirs, strict=True):
        if one != other:
            return criterion
    residents = oracle._group(scores[0])
    both = zip(
        _place(moved, residents, made), _place(moved, residents, wanted), strict=True
    )
    return next(part for (part, one), (_, other) in both if one != other)


def _quality(
    oracle: Literal, moved: list[int], scores: list[int], pairs: Pairs
) -> tuple[Any, ...]:
    everybody = [*moved, *oracle._group(scores[0])]
    paired = {n for pair in pairs for n in pair}
    floats = [n for n in everybody if n not in paired]
    below = {n for n in oracle.round.here if oracle.score[n] < scores[0]}
    bye = oracle.lowest_bye(frozenset(below | {*floats}))
    assert bye is not None
    return oracle._quality(moved, scores[0], scores[1:], pairs, floats, bye)


def _place(
    moved: list[int], residents: list[int], pairs: Pairs
) -> list[tuple[str, Any]]:
    """The parts of article 4 in order, each smaller where it is earlier."""
    met = {upper: lower for upper, lower in pairs if upper in moved}
    chosen = [n for n in moved if n in met]
    rest = [n for n in residents if n not in met.values()]
    bsn = {n: k for k, n in enumerate(rest, 1)}
    within = sorted(
        (bsn[upper], bsn[lower]) for upper, lower in pairs if upper not in moved
    )
    many = len(within)
    out = [k for k in range(1, many + 1) if k not in [one for one, _ in within]]
    into = [one for one, _ in within if one > many]
    opponents = [
        bsn[lower] for lower in (_of(pairs, rest[one - 1]) for one, _ in within)
    ]
    return [
        ("4.4", [moved.index(n) for n in chosen]),
        ("4.2 MDP", [residents.index(met[n]) for n in chosen]),
        ("4.3.2.1", len(out)),
        ("4.3.2.2", sum(into) - sum(out)),
        ("4.3.2.3", [-k for k in reversed(out)]),
        ("4.3.2.4", into),
        ("4.2", opponents),
    ]


def _of(pairs: Pairs, upper: int) -> int:
    return next(lower for one, lower in pairs if one == upper)
