"""Pairs as columns: one for every two players, the plain boolean formulation."""

from __future__ import annotations

import numpy as np

from pairopt.arcs import BYE, BoolArray, IntArray, arcs_of
from pairopt.engines.classes import Classes, legal_ways
from pairopt.engines.columns import LISTED_FIRST, Columns
from pairopt.problem import Problem


def all_pairs(problem: Problem, weights: tuple[int, ...] | None = None) -> Columns:
    """A column for every legal pair and bye, with all levels."""
    n = len(problem)
    first, second = np.triu_indices(n, 1)
    if problem.state.odd:
        first = np.concatenate([first, np.arange(n)])
        second = np.concatenate([second, np.full(n, n)])
    return pair_columns(problem, first, second, weights)


def pair_columns(
    problem: Problem, first: IntArray, second: IntArray, weights: tuple[int, ...] | None = None
) -> Columns:
    """Columns for the legal ones of these pairs (`second` = n for byes), with all levels."""
    n = len(problem)
    bye = second == n
    sides, costs = legal_ways(problem, arcs_of(first, np.where(bye, BYE, second)), weights)
    sides = np.where(bye & (sides > 0), LISTED_FIRST, sides)
    legal = sides > 0
    return Columns(
        size=np.ones(n, np.int64),
        a=first[legal],
        b=second[legal],
        cap=np.ones(int(legal.sum()), np.int64),
        sides=sides[legal],
        costs=costs[legal],
    )


def expand(classes: Classes, chosen: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
    """The pairs of the chosen classes as listed: first, second (n for a bye), and class."""
    n, members = len(classes.type_of), classes.members
    firsts, seconds, numbers = [], [], []
    for c in np.flatnonzero(chosen & classes.bye):
        who = members[classes.a[c]]
        firsts.append(who)
        seconds.append(np.full(len(who), n))
        numbers.append(np.full(len(who), c))
    a, b = np.nonzero(classes.default >= 0)
    number = classes.default[a, b]
    wanted = chosen[number]
    for ta, tb, c in zip(a[wanted], b[wanted], number[wanted], strict=True):
        one, two = members[ta], members[tb]
        if ta == tb:
            i, j = np.triu_indices(len(one), 1)
            first, second = one[i], one[j]
        else:
            first, second = np.repeat(one, len(two)), np.tile(two, len(one))
        firsts.append(first)
        seconds.append(second)
        numbers.append(np.full(len(first), c))
    first, second, number = (
        np.concatenate([[], *part]).astype(np.int64) for part in (firsts, seconds, numbers)
    )
    key = np.minimum(first, second) * n + np.maximum(first, second)
    typical = (second == n) | ~np.isin(key, classes.special_keys)
    first, second, number = first[typical], second[typical], number[typical]

    special = np.flatnonzero(classes.special_class >= 0)
    special = special[chosen[classes.special_class[special]]]
    low, high = classes.special_keys[special] // n, classes.special_keys[special] % n
    turned = classes.type_of[low] > classes.type_of[high]
    return (
        np.concatenate([first, np.where(turned, high, low)]),
        np.concatenate([second, np.where(turned, low, high)]),
        np.concatenate([number, classes.special_class[special]]),
    )


def class_pairs(classes: Classes, chosen: BoolArray) -> tuple[Columns, IntArray]:
    """The pairs of the chosen classes as columns, and the class of each."""
    first, second, number = expand(classes, chosen)
    columns = Columns(
        size=np.ones(len(classes.type_of), np.int64),
        a=first,
        b=second,
        cap=np.ones(len(first), np.int64),
        sides=classes.sides[number],
        costs=classes.costs[number],
    )
    return columns, number
