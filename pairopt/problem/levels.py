"""Levels: the values that a pairing has, and which of two pairings is better."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pairopt.event.arcs import Arcs
from pairopt.messages import Message, Note, message
from pairopt.messages.formatting import amount_text, count_noun, difference_text
from pairopt.problem.model_file import Objective
from pairopt.problem.problem import Problem
from pairopt.problem.system import Level, LevelSums
from pairopt.rules.base import Label

Bounds = Sequence[int | None]
WEIGHTED_SUM, WEIGHTED_WORDS = (
    "weighted_sum",
    "sum of the levels below by their weights",
)
Pairing = tuple[Sequence["LevelValue"], Arcs]  # the levels of a pairing, and its arcs


class LevelValue(NamedTuple):
    """A level's value and lower bound as integers, over `scale`.

    No pairing is below the bound, given the values of earlier levels (None: unknown).
    `proven` is None for parts of a weighted sum; `place` is the criterion's in the
    model, -1 for the sum.
    """

    criterion: str
    level: Label
    value: int | None
    bound: int | None
    scale: int
    proven: bool | None
    words: str = ""
    place: int = -1


Levels = tuple[LevelValue, ...]
Both = tuple[LevelValue, LevelValue]


def level_values(
    problem: Problem,
    objective: Objective,
    values: Sequence[int] | None,
    bounds: Bounds | None = None,
) -> tuple[LevelValue, ...]:
    """Return the levels of a pairing with these values and, if known, lower bounds.

    Without values there is no pairing. The levels of a weighted model begin with the
    weighted sum, the one level that is proven; its parts follow.
    """
    known = bounds if bounds is not None else [None] * len(problem.levels)
    if (weights := problem.weights(objective)) is not None:
        return _weighted_levels(problem, weights, values, known[0] if known else 0)
    made, sure = [], True
    for k, level in enumerate(problem.levels):
        value, bound = None if values is None else values[k], known[k]
        bound = bound + level.offset if sure and bound is not None else None
        sure = sure and value is not None and value == bound
        made.append(_level_value(level, value, bound, sure))
    return tuple(made)


def _weighted_levels(
    problem: Problem,
    weights: Sequence[int],
    values: Sequence[int] | None,
    bound: int | None,
) -> tuple[LevelValue, ...]:
    """Return the weighted sum as a level, and after it the levels that it is made of."""
    offset = sum(
        w * level.offset for w, level in zip(weights, problem.levels, strict=True)
    )
    total = (
        None
        if values is None
        else sum(w * v for w, v in zip(weights, values, strict=True))
    )
    bound = None if bound is None else bound + offset
    proven = total is not None and total == bound
    whole = LevelValue(
        WEIGHTED_SUM, 1, total, bound, problem.weight_scale, proven, WEIGHTED_WORDS
    )
    each: Bounds = values or [None] * len(problem.levels)
    parts = zip(problem.levels, each, strict=True)
    return (whole, *(_level_value(level, value, None, None) for level, value in parts))


def _level_value(
    level: Level, value: int | None, bound: int | None, proven: bool | None
) -> LevelValue:
    """Return a level with its value, bound and proof."""
    place, kind, label, scale, _, words = level
    return LevelValue(kind, label, value, bound, scale, proven, words, place)


def decisive_levels(levels: Sequence[LevelValue]) -> tuple[LevelValue, ...]:
    """Return the levels that decide which of two pairings is better.

    These are all, or the weighted sum alone.
    """
    return tuple(level for level in levels if level.proven is not None)


def first_deviation(problem: Problem, one: Pairing, best: Pairing) -> Both | None:
    """Return the first decisive level in which two pairings differ, None without one.

    Of a system it is a level of the first bracket that they pair in another way.
    """
    (levels, arcs), (others, better) = one, best
    for mine, theirs in _differences(decisive_levels(levels), decisive_levels(others)):
        system = problem.system
        if system is None or not system.foretells(others.index(theirs), arcs, better):
            return mine, theirs
    return None


def notable_levels(
    problem: Problem, levels: Sequence[LevelValue]
) -> tuple[list[LevelValue], str]:
    """Return the levels to show to people, and a sentence on the others.

    Levels of a system that are 0 are not shown.
    """
    if problem.system is None:
        return [*levels], ""
    shown = [level for level in levels if level.value or level.proven is False]
    return shown, zeros_text(len(levels) - len(shown))


def zeros_text(count: int) -> str:
    """Return the sentence that this many further levels are 0, "" for none."""
    return (
        f"{count_noun(count, 'level more is', 'levels more are')} 0." if count else ""
    )


def worse_text(
    problem: Problem,
    index: int,
    one: tuple[LevelValue, Arcs],
    best: tuple[LevelValue, Arcs],
) -> Note:
    """Return how a pairing is worse than a better one in their first different level.

    `index` is the number of that level.
    """
    (now, arcs), (then, better) = one, best
    if problem.system is not None:
        return problem.system.worse(index, problem.state, arcs, better)
    return difference_message("checked.worse", now, then)


def difference_message(kind: str, one: LevelValue, other: LevelValue) -> Message:
    """Return a message of a level's value and the other one that it could have."""
    return message(
        kind,
        level=one.words,
        value=amount_text(one.value or 0, one.scale),
        other=amount_text(other.value or 0, other.scale),
    )


def difference_lines(pairing: Levels, other_pairing: Levels) -> list[str]:
    """Return each level in which two pairings of one model differ, in words.

    The value of `pairing` stands first. A level that one of them does not have (fewer
    players, smaller scores) counts 0 there.
    """
    both = _differences(pairing, other_pairing)
    return [
        difference_text(a.words, a.value or 0, b.value or 0, a.scale) for a, b in both
    ]


def _differences(one: Levels, other: Levels) -> list[Both]:
    """Return the pairs of level values in which two pairings differ, in order."""
    mine, theirs = (
        {(each.place, each.level): each for each in some} for some in (one, other)
    )
    fewer, more = sorted((mine, theirs), key=len)
    # a level that only one has is an extreme one, and of a criterion the extreme comes first
    order = sorted({**more, **fewer}, key=lambda key: key[0])
    both = [
        (
            mine.get(key) or _with_zero(theirs[key]),
            theirs.get(key) or _with_zero(mine[key]),
        )
        for key in order
    ]
    return [
        (a, b) for a, b in both if None not in (a.value, b.value) and a.value != b.value
    ]


def _with_zero(level: LevelValue) -> LevelValue:
    """Return a level with the value 0 and no bound."""
    return level._replace(value=0, bound=None)


def level_sums(
    problem: Problem, objective: Objective, arcs: Arcs
) -> Iterator[LevelSums]:
    """Yield the levels as sums over matches, as a proof lists them.

    Those of criteria hold for any pairing, those of a system among pairings that are as
    good in all earlier levels.
    """
    if problem.system is not None:
        yield from problem.system.summed(arcs)
        return
    if (weights := problem.weights(objective)) is None:
        yield LevelSums(problem.levels, problem.costs)
        return
    offset = sum(
        w * level.offset for w, level in zip(weights, problem.levels, strict=True)
    )
    level = Level(-1, WEIGHTED_SUM, 1, problem.weight_scale, offset, WEIGHTED_WORDS)
    yield LevelSums((level,), problem.costs, weights)


LEGALITY = LevelSums((), lambda arcs: np.zeros((len(arcs), 0), np.int64))
"""No level at all: what is left is who may meet whom."""
