"""Small: a fair draw in a field of some dozen players, from what the matching knows already.

The matching leaves pairs that may be used, and one cost of each that orders all levels. A pairing
is optimal if it costs no more than the one at hand: if no pairs can take the place of others for
less. Where no half of a closed walk of pairs, in turn at hand and not, would do so either, a pair
is in some optimal pairing, or in two by halves, exactly if such a walk with it costs nothing. Else
Edmonds' odd sets have prices: each is left by one match, and above these prices no walk costs less.

All pairings are counted then, the first player left with each opponent. Who can meet the same
players in the same ways are exchangeable: the first of them that is left stands for all. What is
left is an integer with a bit for each player and, above, for each set that no match has left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from pairopt.budget import Budget
from pairopt.engines.base import EngineError, Left, Options
from pairopt.engines.columns import LISTED_FIRST, OTHER_FIRST
from pairopt.engines.matching.blossom import NOBODY, Blossom
from pairopt.engines.matching.engine import FEW, solve
from pairopt.engines.matching.graph import Edges
from pairopt.engines.pairs import sided_arcs
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.problem.model_file import Objective
from pairopt.problem.problem import Problem

FAR = 2**60  # the length of a way that there is not
LONGEST = 2**48  # costs are below this: a walk's sum is an integer of 64 bits
MOST_STATES = 20_000


class TooManyError(Exception):
    """There are too many states to count pairings by."""


Step = tuple[int, int, int]
"""Opponents of a player who are exchangeable, the sets that such a match leaves, and in how many
ways each can be met."""


@dataclass(frozen=True)
class Small:
    """Players in the order in which they are paired, a bit each, the `group` of each, and the
    `steps` of those of each group. `whole` is what is to be paired."""

    order: Sequence[int]
    group: Sequence[int]
    steps: Sequence[Sequence[Step]]
    whole: int
    counts: dict[int, int] = field(default_factory=lambda: {0: 1})

    def count(self, left: int) -> int:
        """The number of pairings of those left. Raises TooManyError."""
        counts, first = self.counts, left & -left
        if len(counts) > MOST_STATES:
            raise TooManyError
        rest, total = left ^ first, 0
        for there, leaves, ways in self.steps[first.bit_length()]:
            if (here := rest & there) and left & leaves == leaves:
                after = rest ^ here & -here ^ leaves
                if (number := counts.get(after)) is None:
                    number = self.count(after)
                total += ways * here.bit_count() * number
        counts[left] = total
        return total

    def chosen(self, left: int, lot: int) -> tuple[int, int]:
        """What the match leaves with which pairing number `lot` of those left begins, and the first
        of its opponents."""
        first = left & -left
        rest = left ^ first
        for there, leaves, ways in self.steps[first.bit_length()]:
            if (here := rest & there) and left & leaves == leaves:
                other = here & -here
                after = rest ^ other ^ leaves
                if (lot := lot - ways * here.bit_count() * self.counts[after]) < 0:
                    return after, other
        raise AssertionError("counts add up")

    def draw(self, rng: Random) -> list[tuple[int, int]]:
        """One of all pairings, each as likely. Raises TooManyError."""
        players = defaultdict[int, list[int]](list)
        for player, group in zip(self.order, self.group, strict=True):
            players[group].append(player)
        for each in players.values():
            rng.shuffle(each)
        left, pairs = self.whole, []
        self.count(left)
        while left:
            after, other = self.chosen(left, rng.randrange(self.counts[left]))
            ends = left & -left, other
            one, two = (players[self.group[bit.bit_length() - 1]] for bit in ends)
            pairs.append((one.pop(), two.pop()))
            left = after
        return pairs


def drawn_small(
    problem: Problem, arcs: Arcs, objective: Objective, budget: Budget, left: Left | None = None
) -> Arcs | None:
    """One of the optimal pairings, each as likely as any other; the same for the same seed. `arcs`
    are one, `left` is what the matching left. None where they cannot be counted so. Raises
    EngineError where the pairing is not optimal, and TimeUpError."""
    if left is None and len(problem) <= FEW:
        left = solve(problem, Options(objective, budget=budget)).left
    if left is None or int(left.cost.max(initial=0)) >= LONGEST:
        return None
    edges, table, sets = optimal_edges(problem, arcs, left, budget)
    try:
        pairs = small_of(table, sets).draw(Random(f"pairing {budget.seed}"))  # noqa: S311
    except TooManyError:
        return None
    first, second = np.sort(np.array(pairs, np.int64), axis=1).T
    order = np.argsort(first)
    first, second = first[order], second[order]
    number = np.zeros_like(table)
    number[edges.first, edges.second] = edges.number
    coins = np.random.default_rng([budget.seed, 2])
    return sided_arcs(left.columns, first, second, number[first, second], coins)


def optimal_edges(
    problem: Problem, arcs: Arcs, left: Left, budget: Budget = Budget()
) -> tuple[Edges, IntArray, int]:
    """The edges that are left to optimal pairings, of which `arcs` are one; what kind of match any
    two players have, see `small_of`; and the number of sets. Raises EngineError, and TimeUpError.
    """
    columns, number = left.columns, left.alive.nonzero()[0]
    n, vertices = columns.players, columns.players + columns.odd
    edges = Edges(columns.a[number], columns.b[number], number)
    one, two, cost = edges.first, edges.second, 2 * left.cost[number].astype(np.int64)
    mate = np.where(arcs.partners < 0, n, arcs.partners)[[*range(n), *[-1] * columns.odd]]
    crossing = list[BoolArray]()
    used = _used(vertices, one, two, cost, mate)
    if used is None:
        for members, price in _sets(vertices, edges, cost, budget).items():
            inside = np.zeros(vertices, np.bool_)
            inside[[*members]] = True
            crossing.append(inside[one] != inside[two])
            cost -= price * crossing[-1]
        used = _used(vertices, one, two, cost, mate)
    if used is None:
        raise EngineError("solving.no_optimum", engine="the engine")
    either = columns.sides[number] == LISTED_FIRST | OTHER_FIRST
    kind = 1 + (either & (two < n) & problem.state.sided)
    for bit, crosses in enumerate(crossing, 2):
        kind |= crosses.astype(np.int64) << bit
    edges, kind = edges.chosen(used), kind[used]
    table = np.zeros((vertices, vertices), np.int64)
    table[edges.first, edges.second] = table[edges.second, edges.first] = kind
    return edges, table, len(crossing)


def _sets(
    vertices: int, edges: Edges, cost: IntArray, budget: Budget
) -> dict[frozenset[int], int]:  # fmt: skip
    """The prices of odd sets under which a pairing is the cheapest, whichever is at hand."""
    near: list[dict[int, int]] = [{} for _ in range(vertices)]
    ends = edges.first.tolist(), edges.second.tolist()
    for one, two, each in zip(*ends, cost.tolist(), strict=True):
        near[one][two] = near[two][one] = each
    paid = [min(others.values()) // 2 for others in near]
    for player, others in enumerate(near):
        paid[player] = min([each - paid[other] for other, each in others.items()])
    mate = [NOBODY] * vertices
    for one, others in enumerate(near):
        for two, each in others.items():
            if mate[one] == mate[two] == NOBODY and each == paid[one] + paid[two]:
                mate[one], mate[two] = two, one
    blossom = Blossom(near, paid, mate)
    blossom.match(budget)
    return {members: price for members, price in blossom.prices()[1].items() if price}


def _used(
    vertices: int, one: IntArray, two: IntArray, cost: IntArray, mate: IntArray
) -> BoolArray | None:
    """The edges of closed walks that cost nothing, None where one costs less (Floyd, Warshall)."""
    if (cost == cost[0]).all():
        return np.ones(len(cost), np.bool_)
    table = np.full((vertices, vertices), FAR)
    table[one, two] = table[two, one] = cost
    step = table[mate]  # from a player over their opponent to another one
    step -= np.diag(step)[:, None]
    step[table[mate] == FAR] = FAR
    way, over = step.copy(), np.empty_like(step)
    for k in range(vertices):
        if way[k, k] < 0:
            return None
        np.minimum(way, np.add(way[:, k, None], way[k], out=over), out=way)
    if way.diagonal().min() < 0:
        return None
    return np.asarray((step == -way.T)[mate[one], two], np.bool_)


def small_of(kind: IntArray, sets: int) -> Small:
    """Players by what kind of match any two of them have, shape (k, k): 0 for none, else the number
    of ways and, from the third bit on, the `sets` that it leaves."""
    groups = _in_order(kind, _alike(kind))
    order = [player for members in groups for player in members]
    group = [g for g, members in enumerate(groups) for _ in members]
    bits, at = [], 0
    for members in groups:
        bits.append((1 << at + len(members)) - (1 << at))
        at += len(members)
    some = [members[0] for members in groups]
    kinds = kind[np.ix_(some, [members[-1] for members in groups])].tolist()
    of_group = [
        tuple((bits[g], each >> 2 << len(order), each & 3) for g, each in enumerate(row) if each)
        for row in kinds
    ]
    steps = [(), *(of_group[g] for g in group), *[()] * sets]
    return Small(order, group, steps, (1 << len(order) + sets) - 1)


def _alike(kind: IntArray) -> list[list[int]]:
    """Groups of players who meet the others in the same ways, and each other in one."""
    left, groups, width = [*range(len(kind))], list[list[int]](), kind.strides[0]
    for own in (0, 1, 2):  # what two of a group would be
        np.fill_diagonal(kind := kind.copy(), own)
        rows, same = kind.tobytes(), defaultdict[bytes, list[int]](list)
        for player in left:
            same[rows[player * width : player * width + width]].append(player)
        groups += [members for members in same.values() if len(members) > 1]
        left = [members[0] for members in same.values() if len(members) == 1]
    return groups + [[player] for player in left]


def _in_order(kind: IntArray, groups: list[list[int]]) -> list[list[int]]:
    """The groups so that who can meet each other are near: each time the one that opens least."""
    some = [members[0] for members in groups]
    bits = np.packbits(kind[np.ix_(some, some)] > 0, axis=1, bitorder="little")
    near = [int.from_bytes(row, "little") & ~(1 << g) for g, row in enumerate(bits)]
    many = [each.bit_count() for each in near]
    order, left, new = list[int](), {*range(len(groups))}, (1 << len(groups)) - 1
    while left:
        open_ = [g for g in left if not new >> g & 1] or left
        here = min(open_, key=lambda g: ((near[g] & new).bit_count(), many[g], g))
        order.append(here)
        left.remove(here)
        new &= ~(near[here] | 1 << here)
    return [groups[g] for g in order]
