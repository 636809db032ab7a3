"""Table: optimal pairings of a piece counted and drawn, exactly, by dynamic programming.

Players with the same row of the piece's matrix are twins: exchangeable, so only how many of them
are left matters. Groups of twins are taken in an order in which few are open at a time; the
next player of the first group meets one of a later group (or of its own), in as many ways as
there are players left in it. A state is what is left of each group and of each equation.
A field of one group, as in round 1, has one state for each match: its count is a product.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import log2
from random import Random
from typing import NamedTuple

import numpy as np

from pairopt.arcs import IntArray
from pairopt.choosing.optima import Piece

Pairs = list[tuple[int, int]]
"""Pairs of positions in a piece."""

MOST_STARTS = 6
"""Orders are tried from so many groups."""


class _Option(NamedTuple):
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
class Layout:
    """Groups in their order, and what each one's next player can do.

    A state is one integer of bit `fields` (shift and mask): the players left of each group, the
    first group in the lowest bits, then what is left of each equation. `start` is the whole
    piece.
    """

    groups: tuple[tuple[int, ...], ...]
    fields: tuple[tuple[int, int], ...]
    options: tuple[tuple[_Option, ...], ...]
    start: int

    def lost(self, one: int, two: int, costs: list[int]) -> int:
        """What a state loses with a match between groups that costs the equations so much."""
        rows = self.fields[len(self.groups) :]
        return (
            (1 << self.fields[one][0])
            + (1 << self.fields[two][0])
            + sum(cost << shift for cost, (shift, _) in zip(costs, rows, strict=True))
        )


@dataclass(frozen=True)
class Table:
    """`completions[state]`: the number of ways to pair all that are left in the state."""

    layout: Layout
    completions: dict[int, int]

    @property
    def count(self) -> int:
        """The number of pairings, sides included."""
        return self.completions.get(self.layout.start, 0)

    def draw(self, rng: Random, missing: IntArray | None = None) -> Pairs | None:
        """One pairing (positions in the piece), each with the same probability.

        None as soon as a pair is drawn in one of the ways that it is `missing`, shape (k, k).
        """
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

    def _chosen(self, state: int, group: int, rng: Random) -> _Option:
        chosen = rng.randrange(self.completions[state])
        for option in self.layout.options[group]:
            number = option.number(state)
            if number > 0:
                chosen -= number * self.completions.get(state - option.lost, 0)
                if chosen < 0:
                    return option
        raise AssertionError("completions add up")


def _popped(members: list[int], rng: Random) -> int:
    """Any of the members, taken out."""
    k = rng.randrange(len(members))
    members[k], members[-1] = members[-1], members[k]
    return members.pop()


def layout_of(piece: Piece, code: IntArray) -> Layout:
    """The layout of the piece's pairings under `code`: its own, or the relaxed one."""
    groups = in_order(twins(code), code)
    fields, start, at = [], 0, 0
    for size in (*map(len, groups), *piece.totals):
        bits = int(size).bit_length()
        fields.append((at, (1 << bits) - 1))
        start |= int(size) << at
        at += bits
    bare = Layout(tuple(map(tuple, groups)), tuple(fields), (), start)
    rows = fields[len(groups) :]
    options = []
    for k, members in enumerate(groups):
        mine = []
        for other in range(k, len(groups)):
            kind = code[members[0], groups[other][-1]]
            if not kind or (other == k and len(members) == 1):
                continue
            costs = piece.cost[kind].tolist()
            limits = tuple((*row, cost) for cost, row in zip(costs, rows, strict=True) if cost)
            lost = bare.lost(k, other, costs)
            shift, mask = fields[other]
            ways = int(piece.ways[kind])
            mine.append(_Option(lost, shift, mask, ways, int(other == k), limits, other))
        options.append(tuple(mine))
    return replace(bare, options=tuple(options))


def table_of(layout: Layout, most_states: int, starts: Iterable[int] = ()) -> Table | None:
    """The table from the layout's start, or from other states (the start less some players).

    None where it would hold more than `most_states` states.
    """
    reached = _reached(layout, set(starts) or {layout.start}, most_states)
    if reached is None:
        return None
    completions = {0: 1}
    for group, states in reversed(reached):
        for state in states:
            total = 0
            for option in layout.options[group]:
                after = completions.get(state - option.lost)
                if after and (number := option.number(state)) > 0:
                    total += number * after
            if total:
                completions[state] = total
    return Table(layout, completions)


def _reached(layout: Layout, now: set[int], most: int) -> list[tuple[int, set[int]]] | None:
    """The states that can be reached, those that come later behind, by their first group."""
    reached, seen = [], len(now)
    for group, members in enumerate(layout.groups):
        shift, mask = layout.fields[group]
        left: dict[int, set[int]] = defaultdict(set)
        for state in now:
            left[state >> shift & mask].add(state)
        for size in range(len(members), 0, -1):
            states = left.pop(size, set())
            seen += len(states)
            if seen > most:
                return None
            reached.append((group, states))
            for option in layout.options[group]:
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


def in_order(groups: Sequence[list[int]], code: IntArray) -> list[list[int]]:
    """The groups in an order in which few are open: met by those before, not yet done."""
    ends = [members[-1] for members in groups]
    near = [
        sum(1 << k for k in np.flatnonzero(code[members[0], ends]).tolist()) & ~(1 << g)
        for g, members in enumerate(groups)
    ]
    bits = [log2(len(members) + 1) for members in groups]
    starts = sorted(range(len(groups)), key=lambda g: (near[g].bit_count(), g))
    best: tuple[float, list[int]] | None = None
    for start in starts[:MOST_STARTS]:
        tried = _greedy(start, near, bits)
        if best is None or tried < best:
            best = tried
    assert best is not None
    return [groups[g] for g in best[1]]


def _greedy(start: int, near: list[int], bits: list[float]) -> tuple[float, list[int]]:
    """An order from a start, each time with the group that opens least; and its most open."""
    order, done, open_, widest = [start], 1 << start, near[start], 0.0
    while len(order) < len(near):
        waiting = open_ or ~done & ((1 << len(near)) - 1)

        def width(g: int, open_: int = open_, done: int = done) -> float:
            return sum(bits[k] for k in _members((open_ | near[g]) & ~done & ~(1 << g)))

        chosen = min(_members(waiting), key=width)
        widest = max(widest, width(chosen))
        order.append(chosen)
        done |= 1 << chosen
        open_ = (open_ | near[chosen]) & ~done
    return widest, order


def _members(mask: int) -> list[int]:
    """The numbers of the bits set."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
