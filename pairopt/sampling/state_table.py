"""State table: optimal pairings of a component counted and drawn, exactly, by dynamic programming.

Players with the same row of the component's matrix are twins: exchangeable, so only how
many of them are left matters. Groups of twins are taken in an order in which few are
open at a time; the next player of the first group meets one of a later group (or of its
own), in as many ways as there are players left in it. A state is what is left of each
group and of each equation. A field of one group, as in round 1, has one state for each
match: its count is a product.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from operator import lshift
from random import Random
from typing import NamedTuple

import numpy as np

from pairopt.common.budget import Budget
from pairopt.event.arcs import IntArray
from pairopt.sampling.optimal_pairings import PairingComponent

PairList = list[tuple[int, int]]  # pairs of positions in a component

DEEP = 1000  # so many players, half as many calls, are within the usual limit of Python
FEW_STEPS = 1_500  # a table of so many is made a state at a time, a larger one a match at a time
BITS = 62  # states, and numbers of pairings, of fewer bits are machine integers


class GroupMatch(NamedTuple):
    """A match of the first group's next player: what it takes from a state."""

    lost: int
    shift: int
    mask: int
    ways: int
    inside: int
    guards: int
    partner: int

    def number(self, state: int) -> int:
        """How many players can be met so, times the ways; 0 where the equations forbid it."""
        fits = state - self.lost & self.guards == self.guards
        return (
            ((state >> self.shift & self.mask) - self.inside) * self.ways if fits else 0
        )


@dataclass(frozen=True)
class StateLayout:
    """Groups in their order, and what each one's next player can do. A state is one integer of bit `fields` (shift and mask): the players left of each group, the first group in the lowest bits, then what is left of each equation, each with a bit of `guards` above, which goes where one gets too much. `start` is the whole component, whose pairs are of the kinds `code`."""

    groups: tuple[tuple[int, ...], ...]
    fields: tuple[tuple[int, int], ...]
    start: int
    guards: int
    component: PairingComponent
    code: IntArray

    @cached_property
    def last(self) -> IntArray:
        return np.array([members[-1] for members in self.groups], np.int64)

    @cached_property
    def made(self) -> dict[int, tuple[GroupMatch, ...]]:
        """The options made so far: a table that grows too large asks for those of few groups."""
        return {}

    @cached_property
    def first(self) -> list[int]:
        """The group of each bit of a state, from 1 on; one too many for equations."""
        bits = (mask.bit_length() for _, mask in self.fields[: len(self.groups)])
        every = [group for group, many in enumerate(bits) for _ in range(many)]
        return [0, *every, *[len(self.groups)] * (self.start.bit_length() - len(every))]

    @cached_property
    def kinds(self) -> list[tuple[int, int]]:
        """What a match of each kind takes of the equations, -1 where that is more than any has, and in how many ways."""
        rows = [at for at, _ in self.fields[len(self.groups) :]]
        fits = np.all(
            self.component.cost <= np.array(self.component.totals, np.int64), axis=1
        )
        both = zip(self.component.cost.tolist(), fits.tolist(), strict=True)
        lost = [sum(map(lshift, cost, rows)) if few else -1 for cost, few in both]
        return [*zip(lost, self.component.ways.tolist(), strict=True)]

    def options(self, group: int) -> tuple[GroupMatch, ...]:
        if group not in self.made:
            self.made[group] = tuple(self._options(group))
        return self.made[group]

    def _options(self, group: int) -> Iterator[GroupMatch]:
        if group == len(self.groups):
            return
        members = self.groups[group]
        row = self.code[members[0], self.last[group:]].copy()
        if len(members) == 1:
            row[0] = 0
        for place in row.nonzero()[0].tolist():
            lost, ways = self.kinds[row[place]]
            shift, mask = self.fields[group + place]
            lost += (1 << self.fields[group][0]) + (1 << shift) if lost >= 0 else 0
            if lost >= 0:
                yield GroupMatch(
                    lost, shift, mask, ways, int(not place), self.guards, group + place
                )


@dataclass(frozen=True)
class StateTable:
    """`completions[state]`: the number of ways to pair all that are left in the state."""

    layout: StateLayout
    completions: dict[int, int]

    @property
    def count(self) -> int:
        return self.completions.get(self.layout.start, 0)

    def draw(self, rng: Random, missing: IntArray | None = None) -> PairList | None:
        """One pairing (positions in the component), each with the same probability. None as soon as a pair is drawn in one of the ways that it is `missing`, shape (k, k)."""
        left = [list(members) for members in self.layout.groups]
        state, group, made = self.layout.start, 0, []
        while group < len(left):
            shift, mask = self.layout.fields[group]
            if not state >> shift & mask:
                group += 1
                continue
            option = self._chosen(state, group, rng)
            one, two = (
                _pop_player(left[group], rng),
                _pop_player(left[option.partner], rng),
            )
            if missing is not None and rng.randrange(option.ways) < missing[one, two]:
                return None
            made.append((one, two))
            state -= option.lost
        return made

    def _chosen(self, state: int, group: int, rng: Random) -> GroupMatch:
        chosen = rng.randrange(self.completions[state])
        for option in self.layout.options(group):
            number = option.number(state)
            if number > 0:
                chosen -= number * self.completions.get(state - option.lost, 0)
                if chosen < 0:
                    return option
        raise AssertionError("completions add up")


def _pop_player(members: list[int], rng: Random) -> int:
    k = rng.randrange(len(members))
    members[k], members[-1] = members[-1], members[k]
    return members.pop()


def state_layout(
    component: PairingComponent, code: IntArray, budget: Budget = Budget()
) -> StateLayout:
    """The layout of pairings under `code`: its own, or the relaxed one. Raises TimeUpError."""
    groups = in_order(twins(code), code, budget)
    fields, start, guards, at = [], 0, 0, 0
    for place, size in enumerate((*map(len, groups), *component.totals)):
        bits = int(size).bit_length()
        fields.append((at, (1 << bits) - 1))
        start |= int(size) << at
        at += bits
        if place >= len(groups):
            guards |= 1 << at
            at += 1
    every = tuple(map(tuple, groups)), tuple(fields)
    return StateLayout(*every, start | guards, guards, component, code)


def state_table(
    layout: StateLayout, most_steps: int, budget: Budget
) -> StateTable | None:
    """The table of a layout; None where it takes more steps than that. Raises TimeUpError."""
    narrow = layout.start.bit_length() < BITS
    found = _by_depth(
        layout, min(most_steps, FEW_STEPS) if narrow else most_steps, budget
    )
    if found is None and narrow and most_steps > FEW_STEPS:
        found = _count_breadth_first(layout, most_steps, budget)
    return None if found is None else StateTable(layout, found)


def _by_depth(
    layout: StateLayout, most_steps: int, budget: Budget
) -> dict[int, int] | None:
    """The completions of each state that is asked for by another one; quick for few of them."""
    guards, first, made, steps = layout.guards, layout.first, layout.made, most_steps
    completions, timed = {guards: 1}, budget.deadline is not None

    def count(state: int) -> int:
        nonlocal steps
        if timed:
            budget.check()
        group = first[(state & -state).bit_length()]
        options = made[group] if group in made else layout.options(group)
        if (steps := steps - len(options)) < 0:
            raise _TooManyStepsError
        total = 0
        for lost, shift, mask, ways, inside, _, _ in options:
            number, after = (state >> shift & mask) - inside, state - lost
            if number > 0 and after & guards == guards:
                if (rest := completions.get(after)) is None:
                    rest = count(after)
                total += number * ways * rest
        completions[state] = total
        return total

    if len(layout.component) > DEEP:  # a call a match
        sys.setrecursionlimit(max(sys.getrecursionlimit(), len(layout.component)))
    with suppress(_TooManyStepsError):
        count(layout.start)
        return completions
    return None


def _count_breadth_first(
    layout: StateLayout, most_steps: int, budget: Budget
) -> dict[int, int] | None:
    """The same, all states after so many matches at once."""
    states, first, steps = np.array([layout.start]), np.array(layout.first), most_steps
    levels = list[tuple[IntArray, IntArray, IntArray, IntArray]]()
    while len(states):
        budget.check()
        group = first[np.frexp((states & -states).astype(float))[1]]
        group[states == layout.guards] = len(layout.groups)  # all are paired
        parts = []
        for each in np.unique(group).tolist():
            place, options = (group == each).nonzero()[0], layout.options(each)
            if (steps := steps - len(place) * len(options)) < 0:
                return None
            table = np.array(options, np.int64).reshape(-1, len(GroupMatch._fields)).T
            lost, shift, mask, ways, inside = table[:5]
            one = states[place, None]
            number, after = (one >> shift & mask) - inside, one - lost
            fits = (number > 0) & (after & layout.guards == layout.guards)
            parts.append((place[fits.nonzero()[0]], (number * ways)[fits], after[fits]))
        row, number, after = map(np.concatenate, zip(*parts, strict=True))
        after, at = np.unique(after, return_inverse=True)
        levels.append((states, row, number, at))
        states = after
    completions, rest, about = dict[int, int](), np.zeros(0, np.int64), np.zeros(0)
    for states, row, number, at in reversed(levels):
        done = states == layout.guards
        about = done + np.bincount(row, number * about[at], len(states))
        kind = (
            np.int64 if about.max() < 2**BITS else object
        )  # Python's integers where they are large
        total = done.astype(kind)
        np.add.at(total, row, number * rest[at].astype(kind))
        completions.update(zip(states.tolist(), total.tolist(), strict=True))
        rest = total
    return completions


class _TooManyStepsError(Exception):
    """A table would take too many steps."""


def own_table(
    component: PairingComponent, budget: Budget, *most: int
) -> StateTable | None:
    """The component's table by the first of so many steps that will do. Raises TimeUpError."""
    layout = state_layout(component, component.code, budget)
    tables = (state_table(layout, steps, budget) for steps in most)
    return next((table for table in tables if table is not None), None)


def twins(code: IntArray) -> list[list[int]]:
    """Groups of players whose rows of the matrix are the same, but for themselves."""
    code = code.astype(np.min_scalar_type(most := int(code.max(initial=0))), "C")
    left, groups, width = (
        [*range(len(code))],
        list[list[int]](),
        code.itemsize * len(code),
    )
    for own in range(most + 1):  # what two of a group would be
        code.ravel()[:: len(code) + 1] = own
        rows, same = code.tobytes(), defaultdict[bytes, list[int]](list)
        for player in left:
            same[rows[player * width : player * width + width]].append(player)
        groups += [members for members in same.values() if len(members) > 1]
        left = [members[0] for members in same.values() if len(members) == 1]
    return groups + [[player] for player in left]


def in_order(
    groups: Sequence[list[int]], code: IntArray, budget: Budget
) -> list[list[int]]:
    """The groups in an order in which few are open: met by those before, not yet done. Each time the one that opens least."""
    some = [members[0] for members in groups]
    rows = np.packbits(code[np.ix_(some, some)] > 0, axis=1, bitorder="little")
    near = [
        int.from_bytes(row.tobytes(), "little") & ~(1 << g)
        for g, row in enumerate(rows)
    ]
    many = [each.bit_count() for each in near]
    order, left, new = list[int](), {*range(len(groups))}, (1 << len(groups)) - 1
    while left:
        budget.check()
        waiting = [g for g in left if not new >> g & 1] or left
        here = min(waiting, key=lambda g: ((near[g] & new).bit_count(), many[g], g))
        order.append(here)
        left.remove(here)
        new &= ~(near[here] | 1 << here)
    return [groups[g] for g in order]
