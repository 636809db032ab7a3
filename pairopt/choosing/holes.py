"""Holes: pairs that a graph of few groups lacks, counted by inclusion and exclusion.

If nobody had met, many players would be exchangeable, and a table would count their pairings at
once. The pairings that avoid all holes are the sum over all sets of disjoint holes of (-1) to
their number times the pairings of the players left. (A hole may be one of the two ways round of
a pair: each factor -1 is the number of ways that are missing.) Sets that take the same number
from each group have the same number of pairings left, so only their signed number is needed: it
is made hole by hole along the graph of holes, which is sparse.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from pairopt.choosing.optima import Piece
from pairopt.choosing.table import Layout, table_of
from pairopt.engines.cpsat.parity import components

Signed = dict[int, int]
"""What a state loses to a set of holes, and the signed number of such sets."""


def count_by_holes(piece: Piece, relaxed: Layout, most_states: int) -> int | None:
    """The number of the piece's pairings, None where it would take more states than that."""
    sets = _hole_sets(piece, relaxed, most_states)
    if sets is None:
        return None
    starts = {lost: relaxed.start - lost for lost in sets}
    table = table_of(relaxed, most_states, starts.values())
    if table is None:
        return None
    return sum(number * table.completions.get(starts[lost], 0) for lost, number in sets.items())


def _hole_sets(piece: Piece, layout: Layout, most: int) -> Signed | None:
    """The sets of disjoint holes, by what they take from the start."""
    one, two = np.nonzero(np.triu(piece.missing))
    label = components(len(piece), one, two)
    group = np.zeros(len(piece), np.int64)
    for g, members in enumerate(layout.groups):
        group[list(members)] = g
    sets: Signed = {0: 1}
    for part in np.unique(label[one]).tolist():
        near: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
        for a, b in zip(one.tolist(), two.tolist(), strict=True):
            if label[a] == part:
                kind = int(piece.relaxed[a, b])
                lost = layout.lost(int(group[a]), int(group[b]), piece.cost[kind].tolist())
                near[a][b] = near[b][a] = (lost, -int(piece.missing[a, b]))
        found = _matchings(near, layout, most)
        if found is None:
            return None
        sets = _product(sets, found, layout)
        if len(sets) > most:
            return None
    return sets


def _matchings(
    near: dict[int, dict[int, tuple[int, int]]], layout: Layout, most: int
) -> Signed | None:
    """The sets of disjoint holes of one component, player by player."""
    order = _outwards(near)
    bit = {player: 1 << k for k, player in enumerate(order)}
    states: dict[tuple[int, int], int] = {(0, 0): 1}
    for player in order:
        own, following = bit[player], Counter[tuple[int, int]]()
        later = [(bit[o], *hole) for o, hole in near[player].items() if bit[o] > own]
        for (used, lost), number in states.items():
            if used & own:
                following[used ^ own, lost] += number
                continue
            following[used, lost] += number
            for other, more, sign in later:
                if not used & other and _fits(layout, lost + more):
                    following[used | other, lost + more] += sign * number
        states = following
        if len(states) > most:
            return None
    return {lost: number for (_, lost), number in states.items() if number}


def _fits(layout: Layout, lost: int) -> bool:
    """Whether no equation has lost more than it had."""
    rows = layout.fields[len(layout.groups) :]
    return all(lost >> shift & mask <= layout.start >> shift & mask for shift, mask in rows)


def _product(one: Signed, two: Signed, layout: Layout) -> Signed:
    both = Counter[int]()
    for a, m in one.items():
        for b, n in two.items():
            if _fits(layout, a + b):
                both[a + b] += m * n
    return {lost: number for lost, number in both.items() if number}


def _outwards(near: dict[int, dict[int, tuple[int, int]]]) -> list[int]:
    """The players of a component, each time the one that opens least."""
    order, done, open_ = [min(near, key=lambda p: (len(near[p]), p))], set[int](), set[int]()
    while True:
        done.add(order[-1])
        open_ = (open_ | near[order[-1]].keys()) - done
        if not open_:
            return order
        opens = {p: len(near[p].keys() - open_ - done) for p in open_}
        order.append(min(open_, key=lambda p: (opens[p], p)))
