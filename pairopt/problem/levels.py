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
Pairing = tuple[Sequence["LevelValue"], Arcs]
"""The levels of a pairing, and its arcs."""


class LevelValue(NamedTuple):
    """The value of one objective level for a pairing, with its lower bound.

    Both are integers, to be divided by `scale`. `criterion` is the kind of the
    criterion and `level` its label, and `words` says what the level counts. `value` is
    None without a pairing. No pairing is below `bound`, given the values of earlier
    levels; None means unknown. `proven` says whether the value equals the bound, and is
    None for parts of a weighted sum. `place` is the position of the criterion in the
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

    `values` and `bounds` have one entry per level of the problem. Values include the
    level's offset, as the verifier's do; bounds, as an engine proves them, do not, and
    it is added here. Without values there is no pairing, and each value is None. A
    bound is dropped unless all earlier levels are proven. A weighted `objective` has
    the weighted sum as its first level, with the bound `bounds[0]`; its parts follow,
    without bounds and not proven (None).
    """
    if bounds is None:
        bounds = [None] * len(problem.levels)
    weights = problem.weights(objective)
    if weights is not None:
        return _build_weighted_levels(
            problem, weights, values, bounds[0] if bounds else 0
        )

    computed_levels, is_proven_so_far = [], True
    for level_index, level in enumerate(problem.levels):
        value_of_level, bound_of_level = (
            None if values is None else values[level_index],
            bounds[level_index],
        )
        # A bound holds only where all earlier levels are proven.
        bound_of_level = (
            bound_of_level + level.offset
            if is_proven_so_far and bound_of_level is not None
            else None
        )
        is_proven_so_far = (
            is_proven_so_far
            and value_of_level is not None
            and value_of_level == bound_of_level
        )
        computed_levels.append(
            _build_level_value(level, value_of_level, bound_of_level, is_proven_so_far)
        )
    return tuple(computed_levels)


def _build_weighted_levels(
    problem: Problem,
    weights: Sequence[int],
    values: Sequence[int] | None,
    bound: int | None,
) -> tuple[LevelValue, ...]:
    """Return the levels of a weighted objective: the weighted sum, then its parts.

    `weights` and `values` have one entry per level of the problem; `values` include the
    levels' offsets, and are None without a pairing. `bound` is the lower bound of the
    sum without offsets, which are added here; None if unknown. Parts have no bounds and
    are not proven (None).
    """
    weighted_total = None
    if values is not None:
        weighted_total = sum(
            weight * value for weight, value in zip(weights, values, strict=True)
        )
    if bound is not None:
        bound += _compute_weighted_offset(problem, weights)
    weighted_sum = LevelValue(
        criterion=WEIGHTED_SUM,
        level=1,
        value=weighted_total,
        bound=bound,
        scale=problem.weight_scale,
        proven=weighted_total is not None and weighted_total == bound,
        words=WEIGHTED_WORDS,
    )

    part_values: Bounds = values or [None] * len(problem.levels)
    part_levels = [
        _build_level_value(level, value, None, None)
        for level, value in zip(problem.levels, part_values, strict=True)
    ]
    return (weighted_sum, *part_levels)


def _compute_weighted_offset(problem: Problem, weights: Sequence[int]) -> int:
    """Return the sum of the levels' offsets times their weights."""
    return sum(
        weight * level.offset
        for weight, level in zip(weights, problem.levels, strict=True)
    )


def _build_level_value(
    level: Level, value: int | None, bound: int | None, proven: bool | None
) -> LevelValue:
    """Return the value of a level of the problem, with the level's label and words.

    `value` and `bound` include the level's offset. `proven` is None for a part of a
    weighted sum.
    """
    criterion_place, criterion_kind, label, level_scale, _, level_words = level
    return LevelValue(
        criterion_kind,
        label,
        value,
        bound,
        level_scale,
        proven,
        level_words,
        criterion_place,
    )


def decisive_levels(levels: Sequence[LevelValue]) -> tuple[LevelValue, ...]:
    """Return the levels that decide which of two pairings is better.

    These are all levels; for a weighted objective they are the weighted sum alone.
    """
    return tuple(level for level in levels if level.proven is not None)


def first_deviation(
    problem: Problem, pairing: Pairing, best_pairing: Pairing
) -> Both | None:
    """Return the first decisive level in which two pairings differ, None without one.

    A pairing is a tuple of its levels and its arcs. The level's value in `pairing`
    stands first, then that in `best_pairing`. Decisive are all levels, for a weighted
    objective only the weighted sum. In a system, levels that look ahead from a bracket
    that both pair alike are skipped.
    """
    levels, arcs = pairing
    best_levels, best_arcs = best_pairing
    system = problem.system
    differing_levels = _find_differences(
        decisive_levels(levels), decisive_levels(best_levels)
    )
    for level_value, best_level_value in differing_levels:
        # Of a model a level may be in one pairing alone, and then has no index.
        if system is None:
            return level_value, best_level_value
        level_index = best_levels.index(best_level_value)
        if not system.foretells(level_index, arcs, best_arcs):
            return level_value, best_level_value
    return None


def notable_levels(
    problem: Problem, levels: Sequence[LevelValue]
) -> tuple[list[LevelValue], str]:
    """Return the levels to show to people, and a sentence that counts the others.

    In a system, levels are left out that are 0 and proven. In a model all levels are
    shown, and the sentence is "".
    """
    if problem.system is None:
        return [*levels], ""
    shown_levels = [level for level in levels if level.value or level.proven is False]
    return shown_levels, zeros_text(len(levels) - len(shown_levels))


def zeros_text(count: int) -> str:
    """Return the sentence that `count` more levels are 0, "" if `count` is 0."""
    if not count:
        return ""
    return f"{count_noun(count, 'more level is', 'more levels are')} 0."


def worse_text(
    problem: Problem,
    index: int,
    pairing: tuple[LevelValue, Arcs],
    best_pairing: tuple[LevelValue, Arcs],
) -> Note:
    """Return a message on how a pairing is worse than a better one in one level.

    `index` is the position in the problem's levels of the first level in which they
    differ. `pairing` is the worse one, `best_pairing` the better one; each is given by
    its value of that level and its arcs. A system has messages of its own.
    """
    level_value, arcs = pairing
    best_level_value, best_arcs = best_pairing
    if problem.system is not None:
        return problem.system.worse(index, problem.state, arcs, best_arcs)
    return difference_message("checked.worse", level_value, best_level_value)


def difference_message(
    kind: str, level: LevelValue, other_level: LevelValue
) -> Message:
    """Return a message with one level's words and its values in two pairings.

    `kind` is the id of the message, whose fields are `level`, `value` and `other`. A
    value that is None counts as 0.
    """
    return message(
        kind,
        level=level.words,
        value=amount_text(level.value or 0, level.scale),
        other=amount_text(other_level.value or 0, other_level.scale),
    )


def difference_lines(pairing: Levels, other_pairing: Levels) -> list[str]:
    """Return one line per level in which two pairings of one model differ.

    Each pairing is given by its levels. A line is such as "rematches: 1 instead of 0",
    with the value of `pairing` first, then that of `other_pairing`. A level that one of
    them does not have (fewer players, smaller scores) counts 0 there. Levels without a
    value (None) have no line.
    """
    return [
        difference_text(
            level.words, level.value or 0, other_level.value or 0, level.scale
        )
        for level, other_level in _find_differences(pairing, other_pairing)
    ]


def _find_differences(levels: Levels, other_levels: Levels) -> list[Both]:
    """Return each level in which two pairings differ, with both values.

    The value of `levels` stands first. Levels are in the order of their criteria. A
    level that only one pairing has counts 0 in the other. Levels without a value are
    skipped.
    """
    level_by_key = {(level.place, level.level): level for level in levels}
    other_level_by_key = {(level.place, level.level): level for level in other_levels}
    # A level that only one pairing has is an extreme one, and extremes come first.
    smaller_level_by_key, larger_level_by_key = sorted(
        (level_by_key, other_level_by_key), key=len
    )
    level_keys = sorted(
        {**larger_level_by_key, **smaller_level_by_key},
        key=lambda level_key: level_key[0],
    )

    differing_levels = []
    for level_key in level_keys:
        level = level_by_key.get(level_key) or _with_zero(other_level_by_key[level_key])
        other_level = other_level_by_key.get(level_key) or _with_zero(
            level_by_key[level_key]
        )
        have_both_values = level.value is not None and other_level.value is not None
        if have_both_values and level.value != other_level.value:
            differing_levels.append((level, other_level))
    return differing_levels


def _with_zero(level: LevelValue) -> LevelValue:
    """Return a copy of a level with the value 0 and no bound, whatever it had."""
    return level._replace(value=0, bound=None)


def level_sums(
    problem: Problem, objective: Objective, arcs: Arcs
) -> Iterator[LevelSums]:
    """Yield the levels as sums over matches, as a proof lists them.

    For a model one `LevelSums` holds all levels, or for a weighted `objective` the
    single level of the weighted sum. A system yields several, which hold among pairings
    that are as good in all earlier levels. Only a system reads the pairing `arcs`.
    Raises UsageError for a system without such sums.
    """
    if problem.system is not None:
        yield from problem.system.summed(arcs)
        return
    weights = problem.weights(objective)
    if weights is None:
        yield LevelSums(problem.levels, problem.costs)
        return

    weighted_offset = _compute_weighted_offset(problem, weights)
    weighted_level = Level(
        -1, WEIGHTED_SUM, 1, problem.weight_scale, weighted_offset, WEIGHTED_WORDS
    )
    yield LevelSums((weighted_level,), problem.costs, weights)


LEGALITY = LevelSums((), lambda arcs: np.zeros((len(arcs), 0), np.int64))
"""Sums without any level: only the legality of arcs is left."""
