"""Holes: pairs that a graph of few groups lacks, counted by inclusion and exclusion.

If nobody had met, many players would be exchangeable, and easy to count. The pairings that avoid
all holes are the sum over all sets of disjoint holes of (-1) to their number times the
pairings of the players left. (A hole may be one of the two ways round of a pair: each factor -1
is the number of ways that are missing.) Only how many players a set takes from each group
matters, so the sets are added up by that, one component of the graph of holes after the other.

Groups are settled in their order. A state is what the equations have got, and for each group
to come how many of its players are taken by holes, and how many have opponents in groups
before. Who of the group these are is said when the group's turn comes: in
(n - taken)! / (n - taken - met)! ways.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from math import perm

import numpy as np

from pairopt.choosing.optima import Piece
from pairopt.choosing.table import Layout
from pairopt.engines.cpsat.parity import components

Signed = dict[int, int]
"""States, or what is added to a state, and a signed number for each."""
Near = dict[int, dict[int, tuple[int, int]]]
"""For each player the other ends of holes: what a hole adds to a state, and its factor."""


@dataclass(frozen=True)
class _Fields:
    """Where in a state's integer its numbers are: bits for each group, twice, and equation."""

    taken: tuple[int, ...]
    met: tuple[int, ...]
    masks: tuple[int, ...]
    sums: tuple[int, ...]
    totals: tuple[int, ...]

    @staticmethod
    def of(layout: Layout, totals: tuple[int, ...]) -> _Fields:
        """Fields wide enough for all players of each group, and twice each total."""
        at, taken, met, masks, sums = 0, [], [], [], []
        for members in layout.groups:
            bits = len(members).bit_length() + 1
            taken.append(at)
            met.append(at + bits)
            masks.append((1 << bits) - 1)
            at += 2 * bits
        for total in totals:
            sums.append(at)
            at += total.bit_length() + 1
        return _Fields(tuple(taken), tuple(met), tuple(masks), tuple(sums), totals)

    def paid(self, costs: list[int]) -> int | None:
        """What a match adds to the equations; None where that is too much for any pairing."""
        if any(cost > total for cost, total in zip(costs, self.totals, strict=True)):
            return None
        return sum(cost << at for cost, at in zip(costs, self.sums, strict=True))

    def fit(self, state: int) -> bool:
        """Whether no equation has got more than its total."""
        return all(
            state >> at & ((2 << total.bit_length()) - 1) <= total
            for at, total in zip(self.sums, self.totals, strict=True)
        )


def count_by_holes(piece: Piece, relaxed: Layout, most_steps: int) -> int | None:
    """The number of the piece's pairings, None where it would take more steps than that."""
    fields = _Fields.of(relaxed, piece.totals)
    waiting = _components(piece, relaxed, fields, most_steps)
    if waiting is None:
        return None
    states: Signed = {0: 1}
    for group in range(len(relaxed.groups)):
        for part in waiting[group]:
            if len(states) * len(part) > most_steps:
                return None
            states = _product(states, part, fields)
        found = _settled(piece, relaxed, fields, group, states, most_steps)
        if found is None:
            return None
        states = found
    total = sum(total << at for total, at in zip(piece.totals, fields.sums, strict=True))
    return states.get(total, 0)


def _settled(
    piece: Piece, layout: Layout, fields: _Fields, group: int, states: Signed, most: int
) -> Signed | None:
    """The states after all players of a group have opponents."""
    members, mask = layout.groups[group], fields.masks[group]
    n, taken_at, met_at = len(members), fields.taken[group], fields.met[group]
    left: dict[int, Counter[int]] = defaultdict(Counter)
    for state, number in states.items():
        taken, met = state >> taken_at & mask, state >> met_at & mask
        if taken + met <= n:
            rest = state - (taken << taken_at) - (met << met_at)
            left[n - taken - met][rest] += number * perm(n - taken, met)
    options = []
    for option in layout.options[group]:
        kind = piece.relaxed[members[0], layout.groups[option.partner][-1]]
        paid = fields.paid(piece.cost[kind].tolist())
        if paid is not None:
            added = paid if option.inside else paid + (1 << fields.met[option.partner])
            options.append((option, added))
    steps = 0
    for size in range(n, 0, -1):
        now = left.pop(size, Counter())
        steps += len(now) * len(options)
        if steps > most:
            return None
        for option, added in options:
            ways = option.ways * (size - 1 if option.inside else 1)
            after = left[size - 1 - option.inside]
            at, full = fields.met[option.partner], len(layout.groups[option.partner])
            wide = fields.masks[option.partner]
            for state, number in now.items():
                if ways and state >> at & wide < full and fields.fit(state + added):
                    after[state + added] += number * ways
    return {state: number for state, number in left[0].items() if number}


def _components(
    piece: Piece, layout: Layout, fields: _Fields, most: int
) -> dict[int, list[Signed]] | None:
    """The sets of disjoint holes of each component, by the first group that it touches."""
    group = {player: g for g, members in enumerate(layout.groups) for player in members}
    holes = []
    for a, b in np.argwhere(np.triu(piece.missing)).tolist():
        paid = fields.paid(piece.cost[piece.relaxed[a, b]].tolist())
        if paid is not None:
            added = paid + (1 << fields.taken[group[a]]) + (1 << fields.taken[group[b]])
            holes.append((a, b, (added, -int(piece.missing[a, b]))))
    one, two = np.array([[a, b] for a, b, _ in holes], np.int64).reshape(-1, 2).T
    label = components(len(piece), one, two)
    parts: dict[int, Near] = defaultdict(lambda: defaultdict(dict))
    for a, b, hole in holes:
        near = parts[int(label[a])]
        near[a][b] = near[b][a] = hole
    waiting: dict[int, list[Signed]] = defaultdict(list)
    for near in parts.values():
        found = _matchings(near, fields, most)
        if found is None:
            return None
        waiting[min(group[player] for player in near)].append(found)
    return waiting


def _matchings(near: Near, fields: _Fields, most: int) -> Signed | None:
    """The sets of disjoint holes of one component, player by player."""
    order = _outwards(near)
    bit = {player: 1 << k for k, player in enumerate(order)}
    states: dict[tuple[int, int], int] = {(0, 0): 1}
    for player in order:
        own, following = bit[player], Counter[tuple[int, int]]()
        later = [(bit[o], *hole) for o, hole in near[player].items() if bit[o] > own]
        for (used, state), number in states.items():
            following[used & ~own, state] += number
            if used & own:
                continue
            for other, added, factor in later:
                if not used & other and fields.fit(state + added):
                    following[used | other, state + added] += factor * number
        states = following
        if len(states) > most:
            return None
    return {state: number for (_, state), number in states.items() if number}


def _product(one: Signed, two: Signed, fields: _Fields) -> Signed:
    both = Counter[int]()
    for a, m in one.items():
        for b, n in two.items():
            if fields.fit(a + b):
                both[a + b] += m * n
    return {state: number for state, number in both.items() if number}


def _outwards(near: Near) -> list[int]:
    """The players of a component, each time the one that opens least."""
    order, done, open_ = [min(near, key=lambda p: (len(near[p]), p))], set[int](), set[int]()
    while True:
        done.add(order[-1])
        open_ = (open_ | near[order[-1]].keys()) - done
        if not open_:
            return order
        opens = {p: len(near[p].keys() - open_ - done) for p in open_}
        order.append(min(open_, key=lambda p: (opens[p], p)))
