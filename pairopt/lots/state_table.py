"""State table: optimal pairings of a component counted and drawn, exactly, by dynamic programming.

Players with the same row of the component's matrix are twins: exchangeable, so only how many of
them are left matters. Groups of twins are taken in an order in which few are open at a time; the
next player of the first group meets one of a later group (or of its own), in as many ways as there
are players left in it. A state is what is left of each group and of each equation. A field of one
group, as in round 1, has one state for each match: its count is a product."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

import numpy as np

from pairopt.budget import Budget
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.lots.optima import Component

PairList = list[tuple[int, int]]  # pairs of positions in a component

STARTS, FEW = 6, 100
"""Orders are tried from so many groups, from one where there are more than a few."""


class Option(NamedTuple):
    """A match of the first group's next player: what it takes from a state."""

    lost: int
    shift: int
    mask: int
    ways: int
    inside: int
    limits: tuple[tuple[int, int, int], ...]
    partner: int

    def number(self, state: int) -> int:
        """How many players can be met so, times the ways; 0 where the equations forbid it."""
        for shift, mask, cost in self.limits:
            if state >> shift & mask < cost:
                return 0
        return ((state >> self.shift & self.mask) - self.inside) * self.ways


@dataclass(frozen=True)
class StateLayout:
    """Groups in their order, and what each one's next player can do. A state is one integer of bit
    `fields` (shift and mask): the players left of each group, the first group in the lowest bits,
    then what is left of each equation. `start` is the whole component, whose pairs are of the kinds
    `code`."""

    groups: tuple[tuple[int, ...], ...]
    fields: tuple[tuple[int, int], ...]
    start: int
    component: Component
    code: IntArray

    @cached_property
    def last(self) -> IntArray:
        return np.array([members[-1] for members in self.groups], np.int64)

    @cached_property
    def made(self) -> dict[int, tuple[Option, ...]]:
        """The options made so far: a table that grows too large asks for those of few groups."""
        return {}

    def options(self, group: int) -> tuple[Option, ...]:
        if group not in self.made:
            self.made[group] = tuple(self._options(group))
        return self.made[group]

    def _options(self, group: int) -> Iterator[Option]:
        members, rows = self.groups[group], self.fields[len(self.groups) :]
        kinds = self.code[members[0], self.last[group:]]
        if len(members) == 1:
            kinds[0] = 0
        costs = self.component.cost.tolist()
        for other in (group + np.flatnonzero(kinds)).tolist():
            kind = kinds[other - group]
            cost, ways = costs[kind], int(self.component.ways[kind])
            limits = tuple((*row, each) for each, row in zip(cost, rows, strict=True) if each)
            shift, mask = self.fields[other]
            lost = (1 << self.fields[group][0]) + (1 << shift)
            lost += sum(each << row for row, _, each in limits)
            yield Option(lost, shift, mask, ways, int(other == group), limits, other)


@dataclass(frozen=True)
class StateTable:
    """`completions[state]`: the number of ways to pair all that are left in the state."""

    layout: StateLayout
    completions: dict[int, int]

    @property
    def count(self) -> int:
        return self.completions.get(self.layout.start, 0)

    def draw(self, rng: Random, missing: IntArray | None = None) -> PairList | None:
        """One pairing (positions in the component), each with the same probability. None as soon as
        a pair is drawn in one of the ways that it is `missing`, shape (k, k)."""
        left = [list(members) for members in self.layout.groups]
        state, group, made = self.layout.start, 0, []
        while group < len(left):
            shift, mask = self.layout.fields[group]
            if not state >> shift & mask:
                group += 1
                continue
            option = self._chosen(state, group, rng)
            one, two = _popped(left[group], rng), _popped(left[option.partner], rng)
            if missing is not None and rng.randrange(option.ways) < missing[one, two]:
                return None
            made.append((one, two))
            state -= option.lost
        return made

    def _chosen(self, state: int, group: int, rng: Random) -> Option:
        chosen = rng.randrange(self.completions[state])
        for option in self.layout.options(group):
            number = option.number(state)
            if number > 0:
                chosen -= number * self.completions.get(state - option.lost, 0)
                if chosen < 0:
                    return option
        raise AssertionError("completions add up")


def _popped(members: list[int], rng: Random) -> int:
    k = rng.randrange(len(members))
    members[k], members[-1] = members[-1], members[k]
    return members.pop()


def state_layout(component: Component, code: IntArray, budget: Budget = Budget()) -> StateLayout:
    """The layout of pairings under `code`: its own, or the relaxed one. Raises TimeUpError."""
    groups = in_order(twins(code), code, budget)
    fields, start, at = [], 0, 0
    for size in (*map(len, groups), *component.totals):
        bits = int(size).bit_length()
        fields.append((at, (1 << bits) - 1))
        start |= int(size) << at
        at += bits
    return StateLayout(tuple(map(tuple, groups)), tuple(fields), start, component, code)


def state_table(
    layout: StateLayout, most_steps: int, budget: Budget = Budget()
) -> StateTable | None:
    """The table of a layout; None where it takes more steps than that. Raises TimeUpError."""
    if (reached := _reached(layout, most_steps, budget)) is None:
        return None
    completions = {0: 1}
    for group, states in budget.watched(reversed(reached)):
        for state in states:
            total = 0
            for option in layout.options(group):
                after = completions.get(state - option.lost)
                if after and (number := option.number(state)) > 0:
                    total += number * after
            if total:
                completions[state] = total
    return StateTable(layout, completions)


def own_table(component: Component, budget: Budget, *most: int) -> StateTable | None:
    """The component's table by the first of so many steps that will do. Raises TimeUpError."""
    layout = state_layout(component, component.code, budget)
    tables = (state_table(layout, steps, budget) for steps in most)
    return next((table for table in tables if table is not None), None)


def _reached(layout: StateLayout, most: int, budget: Budget) -> list[tuple[int, set[int]]] | None:
    """The states that can be reached, those that come later behind, by their first group."""
    reached, now, steps = [], {layout.start}, 0
    for group, members in enumerate(layout.groups):
        shift, mask = layout.fields[group]
        left: dict[int, set[int]] = defaultdict(set)
        for state in now:
            left[state >> shift & mask].add(state)
        for size in budget.watched(range(len(members), 0, -1)):
            states = left.pop(size, set())
            steps += len(states) * len(layout.options(group))
            if steps > most:
                return None
            reached.append((group, states))
            for option in layout.options(group):
                after = left[size - 1 - option.inside]
                after.update(s - option.lost for s in states if option.number(s) > 0)
        now = left[0]
    return reached


def twins(code: IntArray) -> list[list[int]]:
    """Groups of players whose rows of the matrix are the same, but for themselves."""
    left, groups = list(range(len(code))), []
    for own in range(int(code.max(initial=0)) + 1):  # what two of a group would be
        filled = np.ascontiguousarray(code[left])
        filled[np.arange(len(left)), left] = own
        same: dict[bytes, list[int]] = defaultdict(list)
        for player, row in zip(left, filled, strict=True):
            same[row.tobytes()].append(player)
        groups += [members for members in same.values() if len(members) > 1]
        left = [members[0] for members in same.values() if len(members) == 1]
    return groups + [[player] for player in left]


def in_order(groups: Sequence[list[int]], code: IntArray, budget: Budget) -> list[list[int]]:
    """The groups in an order in which few are open: met by those before, not yet done."""
    first, last = ([members[end] for members in groups] for end in (0, -1))
    near = code[np.ix_(first, last)] > 0
    np.fill_diagonal(near, False)
    room = room_of([len(members) for members in groups])
    starts = np.argsort(near.sum(axis=1), kind="stable")[: 1 if len(groups) > FEW else STARTS]
    orders = [greedy(int(start), near, room, budget) for start in starts]
    return [groups[g] for g in min(orders)[1]]


def room_of(sizes: Iterable[int]) -> IntArray:
    """What groups of these sizes take of a state, in 1/64 of a bit: whole, so alike everywhere."""
    return np.array([((size + 1) ** 64).bit_length() for size in sizes], np.int64)


def greedy(start: int, near: BoolArray, room: IntArray, budget: Budget) -> tuple[int, list[int]]:
    """An order from a start, each time with the group that opens least; and its most open."""
    order, widest = [start], 0
    left, open_ = np.ones(len(near), np.bool_), near[start].copy()
    left[start] = False
    opens = near[:, left & ~open_] @ room[left & ~open_]
    while left.any():
        budget.check()
        waiting = np.flatnonzero(open_ if open_.any() else left)
        width = opens[waiting] - np.where(open_, room, 0)[waiting]
        k = int(np.argmin(width))
        chosen = int(waiting[k])
        widest = max(widest, int(width[k] + room[open_].sum()))
        order.append(chosen)
        new = left & near[chosen] & ~open_
        new[chosen] = not open_[chosen]
        opens -= near[:, new] @ room[new]
        left[chosen] = False
        open_ = (open_ | new) & left
    return widest, order
