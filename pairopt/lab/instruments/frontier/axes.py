"""Axes: the levels that a frontier is between, and the pairs that can be on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from operator import mul

import numpy as np

from pairopt.engines.columns import Columns, better_sides, single_pairs
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, BoolArray, IntArray, arcs_of, everybody
from pairopt.problem.problem import Problem
from pairopt.wording import listed

MOST_TOTAL = 2**60
"""The largest total of an axis."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A level of the model, or all levels of a kind of criterion added up.

    `levels` are positions among the problem's levels (none where no pairing of this round can
    have any of it), `factors` what makes their values whole numbers of 1/`scale` each. Totals are
    in points or matches (total + offset) / scale. `first` levels of the model are above it.
    """

    name: str
    words: str
    levels: tuple[int, ...]
    factors: tuple[int, ...]
    scale: int
    offset: int
    first: int

    def totals(self, costs: IntArray) -> IntArray:
        """What rows of costs, shape (m, levels), add to the axis, shape (m,)."""
        return costs[:, list(self.levels)] @ np.array(self.factors, np.int64)


def axes_of(problem: Problem, names: Sequence[str]) -> tuple[Axis, ...]:
    """The axes of these names, a criterion's kind or KIND:LEVEL.

    Raises UsageError for fewer than two or more than three, for one that the model does not have
    or that comes twice.
    """
    if problem.system is not None:
        raise UsageError(f"model {problem.model.name} has no criteria to trade: they are a system")
    if len(names) not in (2, 3):
        raise UsageError(f"expected two or three criteria or levels, found {len(names)}")
    axes = tuple(_axis(problem, name) for name in names)
    seen: set[int] = set()
    for axis in axes:
        if seen & {*axis.levels} or names.count(axis.name) > 1:
            raise UsageError(f"{axis.name}: a level can be on one axis only")
        seen |= {*axis.levels}
    return axes


def _axis(problem: Problem, name: str) -> Axis:
    kind, _, label = name.partition(":")
    places = [place for place, rule in enumerate(problem.criteria) if rule.kind == kind]
    if not places:
        own = ", ".join(dict.fromkeys(rule.kind for rule in problem.criteria))
        left_out = any(rule.kind == kind for rule in problem.model.criteria)
        why = "the event has no sides" if left_out else f"criteria: {own or 'none'}"
        raise UsageError(f"{name}: not a criterion of this round under {problem.model.name}; {why}")
    chosen = [
        (k, level)
        for k, level in enumerate(problem.levels)
        if level.place in places and label in ("", str(level.label))
    ]
    scale = lcm(*(level.scale for _, level in chosen))
    return Axis(
        name=name,
        words=chosen[0][1].words if label and len(chosen) == 1 else f"all levels of {name}",
        levels=tuple(k for k, _ in chosen),
        factors=tuple(scale // level.scale for _, level in chosen),
        scale=scale,
        offset=sum(scale // level.scale * level.offset for _, level in chosen),
        # a level that the round does not have is an extreme one: these come first
        first=chosen[0][0]
        if label and chosen
        else sum(level.place < places[0] for level in problem.levels),
    )


@dataclass(frozen=True)
class Ways:
    """Pairs as columns, twice where neither way round is as good: levels held, then axes.

    `held` is the number of levels that come first in the costs, `arcs` has an arc a column.
    """

    columns: Columns
    arcs: Arcs
    held: int


def ways_of(problem: Problem, axes: Sequence[Axis], held: int) -> Ways:
    """Every pair in each way round that a pairing on the frontier may have it.

    The better way by the levels held; of those equally good, each that is not worse on the axes.
    Raises UsageError where the totals are too large.
    """
    n = len(problem)
    arcs = everybody(n)
    m = len(arcs)
    if problem.state.sided:
        arcs = arcs.both_ways
    every, legal = problem.costs(arcs), problem.legal(arcs)
    for axis in axes:
        most = every[:, list(axis.levels)].max(axis=0, initial=0).tolist()
        if sum(map(mul, most, axis.factors)) * n > MOST_TOTAL:
            raise UsageError(f"{axis.name}: its totals are too large to be added")
    costs = np.column_stack([every[:, :held], *(axis.totals(every) for axis in axes)])
    kept = legal
    if problem.state.sided:
        one, two = _either(costs[:m], costs[m:], legal[:m], legal[m:], held)
        kept = np.concatenate([one, two & arcs.match[:m]])
    arcs = arcs_of(arcs.first[kept], arcs.second[kept])
    low, high = np.minimum(arcs.first, arcs.second), np.maximum(arcs.first, arcs.second)
    low, high = np.where(arcs.bye, arcs.first, low), np.where(arcs.bye, n, high)
    return Ways(single_pairs(n, low, high, costs[kept]), arcs, held)


def _either(
    costs: IntArray, swapped: IntArray, legal: BoolArray, legal_swapped: BoolArray, held: int
) -> tuple[BoolArray, BoolArray]:
    """Which pairs are kept as they are listed, and which the other way round."""
    bits, _ = better_sides(costs[:, :held], swapped[:, :held], legal, legal_swapped)
    one, two = (bits & 1).astype(np.bool_), (bits & 2).astype(np.bool_)
    listed_no_worse = (costs[:, held:] <= swapped[:, held:]).all(axis=1)
    other_better = (swapped[:, held:] <= costs[:, held:]).all(axis=1) & ~listed_no_worse
    both = one & two
    return one & ~(both & other_better), two & ~(both & listed_no_worse)


def held_text(problem: Problem, axes: Sequence[Axis], held: int) -> str:
    """What is held, and what the frontier is between, in a sentence."""
    kinds = list(dict.fromkeys(level.criterion for level in problem.levels[:held]))
    above = f"held at their optimum: {listed(kinds)}" if kinds else "no level is held"
    return f"{above}; free: all levels from {' and '.join(a.name for a in axes)} on"
