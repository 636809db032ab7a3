"""Blossom: prices of vertices and odd sets under which a perfect matching is cheapest, exactly.

Edmonds' algorithm, one tree at a time, on Python's integers: costs may be of any size. Matched arcs
cost just what their prices say, and no arc costs less. A tree grows from an unmatched vertex by
such arcs; where there are no more, prices of its even nodes rise and those of its odd ones fall at
one rate until there is one. `time` says by how much, and what is kept of a node in the tree is what
it was at time 0. So an event's time is known when its nodes are labelled: an arc becomes tight, or
the price of an odd set is used up.

A set is written in the row of its largest member, from the first on, so that making and taking away
sets that hold one another costs no more than their smaller members. A vertex pays what is `paid`
and the `shift` of its row.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import pairwise

from pairopt.common.budget import Budget

FREE, EVEN, ODD = 0, 1, -1  # what a node is to the tree, and the rate of its price
NOBODY = -1


class PrimalDualMatching:
    """A matching of tight arcs and its prices, to be made perfect. `near` holds each vertex's arcs
    as {other end: cost}, costs even; `paid` integers so that no arc costs less than its two ends
    pay; `mate` pairs ends of tight arcs, NOBODY for the others. Nodes are vertices and, from
    `len(near)` on, sets of an odd number of them: a ring of nodes, the first of which has the
    vertex that is matched outside, its base. A vertex pays its price and those of the sets that
    hold it.
    """

    def __init__(
        self, near: Sequence[dict[int, int]], paid: Sequence[int], mate: Sequence[int]
    ) -> None:
        n = len(near)
        self.near, self.paid, self.mate = near, list(paid), list(mate)
        self.base = list(range(n))
        self.row = list(range(n))  # of each vertex
        self.rows = [[vertex] for vertex in range(n)]
        self.top = list(range(n))  # the largest node of a row
        self.shift = [0] * n
        self.place = list(range(n))  # the row of each node
        self.count = [1] * n  # of a node's vertices
        self.label = [FREE] * n
        self.entry: list[tuple[int, int] | None] = [
            None
        ] * n  # how the tree came to a node
        self.price: list[int] = [0] * n  # of sets
        self.parent = [NOBODY] * n
        self.ring: dict[int, list[int]] = {}
        self.links: dict[
            int, list[tuple[int, int]]
        ] = {}  # from each node of a ring to the next
        self.events: list[tuple[int, int, int]] = []
        self.tight: list[tuple[int, int]] = []  # arcs whose time it is
        self.time = 0
        self.labelled: list[int] = []

    def match(self, budget: Budget = Budget()) -> list[int]:
        """Match everybody. Where somebody cannot be, the even vertices of that tree: it takes
        another arc of one of them. Raises TimeUpError.
        """
        alone = (vertex for vertex, mate in enumerate(self.mate) if mate == NOBODY)
        left = (
            vertex for vertex in budget.iterate(alone) if self.mate[vertex] == NOBODY
        )
        return next(filter(None, map(self._search, left)), [])

    def add(self, u: int, v: int, cost: int) -> None:
        """One arc more: where it costs less than its ends pay, u pays less, and is left alone."""
        self.near[u][v] = self.near[v][u] = cost
        while (outer := self._outer(u)) == self._outer(v):
            self._dissolve(outer)
        if self._left(u, v) >= 0:
            return
        while (outer := self._outer(u)) != u:
            self._dissolve(outer)
        if (left := self._left(u, v)) < 0:
            self._part(u)
            self.paid[u] += left

    def _dissolve(self, node: int) -> None:
        """Take an odd set away, and its price from those of its members."""
        self._part(self.base[node])
        self.shift[self.place[node]] -= self.price[node]
        self._release(node)

    def _part(self, vertex: int) -> None:
        if (other := self.mate[vertex]) != NOBODY:
            self.mate[vertex] = self.mate[other] = NOBODY

    def prices(self) -> tuple[list[int], dict[frozenset[int], int]]:
        """The price of each vertex, and of each odd set that has one."""
        alone = [
            paid + self.shift[row]
            for paid, row in zip(self.paid, self.row, strict=True)
        ]
        sets = {}
        for node in self.ring:
            if price := self.price[node]:
                members = self._members(node)
                sets[frozenset(members)] = price
                for vertex in members:
                    alone[vertex] -= price
        return alone, sets

    def _members(self, node: int) -> list[int]:
        return self.rows[self.place[node]][: self.count[node]]

    def _outer(self, vertex: int) -> int:
        """The largest node that holds a vertex."""
        return self.top[self.row[vertex]]

    def _search(self, root: int) -> list[int]:
        """Grow a tree from an unmatched vertex to another one, and match along the path."""
        self._put(self._outer(root), EVEN, None)
        while self.tight or self.events:
            if self.tight:
                u, v = self.tight.pop()
            else:
                self.time, u, v = heappop(self.events)
            if u == NOBODY:
                if (
                    v in self.ring
                    and self.label[v] == ODD
                    and self.price[v] == self.time
                ):
                    self._expand(v)
                continue
            one, two = self._outer(u), self._outer(v)
            if one == two or self.label[one] != EVEN or self.label[two] == ODD:
                continue
            if self._left(u, v) != (1 + self.label[two]) * self.time:
                continue
            if self.label[two] == EVEN:
                self._shrink(u, v)
            elif self.mate[self.base[two]] != NOBODY:
                self._grow(u, v)
            else:
                self._match(u, v)
                self._settle()
                return []
        stuck = [v for v in range(len(self.near)) if self.label[self._outer(v)] == EVEN]
        self._settle()
        return stuck

    def _left(self, u: int, v: int) -> int:
        """What an arc cost above its ends' payments at time 0."""
        return self.near[u][v] - self._pays(u) - self._pays(v)

    def _pays(self, vertex: int) -> int:
        return self.paid[vertex] + self.shift[self.row[vertex]]

    def _put(self, node: int, label: int, entry: tuple[int, int] | None) -> None:
        self.label[node], self.entry[node] = label, entry
        self.labelled.append(node)
        self.price[node] -= label * self.time
        self.shift[self.place[node]] -= label * self.time
        if label == EVEN:
            self._look_from(self._members(node))
        elif node in self.ring:
            heappush(self.events, (self.price[node], NOBODY, node))

    def _look_from(self, members: Sequence[int]) -> None:
        row, top, label, paid, shift = (
            self.row,
            self.top,
            self.label,
            self.paid,
            self.shift,
        )
        mate, base = self.mate, self.base
        ends: list[tuple[int, int]] = []
        for u in members:
            mine, pays = top[row[u]], paid[u] + shift[row[u]]
            for v, cost in self.near[u].items():
                node = top[row[v]]
                if node != mine and label[node] != ODD:
                    left = cost - pays - paid[v] - shift[row[v]]
                    time = left // 2 if label[node] else left
                    if time == self.time:
                        alone = mate[base[node]] == NOBODY and not label[node]
                        (ends if alone else self.tight).append((u, v))
                    else:
                        heappush(self.events, (time, u, v))
        self.tight += ends  # looked at first, as the search ends there

    def _look_at(self, members: Sequence[int]) -> None:
        """Arcs from even nodes to vertices that are free again."""
        for v in members:
            for u in self.near[v]:
                if self.label[self._outer(u)] == EVEN:
                    heappush(self.events, (self._left(u, v), u, v))

    def _grow(self, u: int, v: int) -> None:
        node = self._outer(v)
        self._put(node, ODD, (u, v))
        base = self.base[node]
        mate = self.mate[base]
        self._put(self._outer(mate), EVEN, (base, mate))

    def _above(self, node: int) -> int:
        """The even node above an even one in the tree, NOBODY above the root."""
        if (entry := self.entry[node]) is None:
            return NOBODY
        return self._outer(self._entry(self._outer(entry[0]))[0])

    def _meeting(self, one: int, two: int) -> int:
        """The lowest even node above both."""
        seen = set()
        while True:
            if one != NOBODY:
                if one in seen:
                    return one
                seen.add(one)
                one = self._above(one)
            one, two = two, one

    def _shrink(self, u: int, v: int) -> None:
        """Make a set of the ring that a tight arc closes between two even nodes."""
        top = self._meeting(self._outer(u), self._outer(v))
        down, up = self._below(top, u), self._below(top, v)
        there = [self._entry(kid) for kid in reversed(down)]
        back = [(b, a) for a, b in map(self._entry, up)]
        node = len(self.base)
        self.ring[node] = ring = [top, *reversed(down), *up]
        self.links[node] = [*there, (u, v), *back]
        self.base.append(self.base[top])
        self.label.append(EVEN)
        self.entry.append(self.entry[top])
        self.price.append(-self.time)
        self.parent.append(NOBODY)
        self.labelled.append(node)
        anew: list[int] = []
        for kid in ring:
            if self.label[kid] == ODD:
                anew += self._members(kid)
                self.shift[self.place[kid]] -= 2 * self.time
            self.price[kid] += self.label[kid] * self.time
            self.label[kid], self.parent[kid] = FREE, node
        place = self.place[max(ring, key=self.count.__getitem__)]
        for kid in ring:
            if self.place[kid] != place:
                members = self.rows[self.place[kid]]
                self.rows[place] += members
                self._move(members, self.place[kid], place)
        self.top[place] = node
        self.place.append(place)
        self.count.append(len(self.rows[place]))
        self._look_from(anew)

    def _move(self, members: Sequence[int], old: int, new: int) -> None:
        """Write vertices of one row into another."""
        more = self.shift[old] - self.shift[new]
        for vertex in members:
            self.row[vertex] = new
            self.paid[vertex] += more

    def _entry(self, node: int) -> tuple[int, int]:
        entry = self.entry[node]
        assert entry is not None
        return entry

    def _below(self, top: int, vertex: int) -> list[int]:
        nodes, node = [], self._outer(vertex)
        while node != top:
            nodes.append(node)
            node = self._outer(self._entry(node)[0])
        return nodes

    def _release(self, node: int) -> list[int]:
        """Take a set without a price away; the nodes of its ring."""
        place = self.place[node]
        for kid in self.ring[node]:
            self.parent[kid] = NOBODY
            self.top[self.place[kid]] = kid
            if self.place[kid] == place:
                del self.rows[place][self.count[kid] :]
            else:
                self._move(self.rows[self.place[kid]], place, self.place[kid])
        del self.links[node]
        return self.ring.pop(node)

    def _expand(self, node: int) -> None:
        """Take away an odd set; the way through its ring stays in the tree."""
        u, v = self._entry(node)
        self.shift[self.place[node]] -= self.time
        self.label[node] = FREE
        links = self.links[node]
        ring = self._release(node)
        place, step = _ring_direction(ring, self._outer(v))
        while place:
            self._grow(u, v)
            place += step
            u, v = links[place] if step > 0 else links[place - 1][::-1]
            place += step
        self._put(ring[0], ODD, (u, v))
        for kid in ring:
            if self.label[kid] == FREE:
                self._look_at(self._members(kid))

    def _match(self, u: int, v: int) -> None:
        """Match the way from the root to u, then u with the unmatched v."""
        while True:
            self._turn(self._outer(v), v)
            self._turn(self._outer(u), u)
            self.mate[u], self.mate[v] = v, u
            if (entry := self.entry[self._outer(u)]) is None:
                return
            u, v = self._entry(self._outer(entry[0]))

    def _turn(self, node: int, vertex: int) -> None:
        """Make a vertex the base of the node that holds it."""
        todo = [(node, vertex)]
        while todo:
            node, vertex = todo.pop()
            held = [vertex]
            while held[-1] != node:
                held.append(self.parent[held[-1]])
            for start, outer in pairwise(held):
                todo += self._turned(outer, start, vertex)

    def _turned(self, node: int, start: int, vertex: int) -> Iterator[tuple[int, int]]:
        """Make a vertex, held by `start` of its ring, the base of a node; what else is to turn."""
        ring, links = self.ring[node], self.links[node]
        place, step = _ring_direction(ring, start)
        while place:
            place += step
            u, v = links[place] if step > 0 else links[place - 1][::-1]
            yield ring[place], u
            place += step
            yield ring[place], v
            self.mate[u], self.mate[v] = v, u
        first = ring.index(start)
        self.ring[node] = ring[first:] + ring[:first]
        self.links[node] = links[first:] + links[:first]
        self.base[node] = vertex

    def _settle(self) -> None:
        """Make prices what they are now; sets without one go, and all labels."""
        for node in self.labelled:
            if (label := self.label[node]) == FREE:
                continue
            self.label[node] = FREE
            self.price[node] += label * self.time
            self.shift[self.place[node]] += label * self.time
            todo = [node]
            while todo:
                node = todo.pop()
                if node in self.ring and not self.price[node]:
                    todo += self._release(node)
        self.labelled.clear()
        self.events.clear()
        self.tight.clear()
        self.time = 0


def _ring_direction(ring: Sequence[int], start: int) -> tuple[int, int]:
    """Where a node is in its ring, and the direction in which it is evenly far to the first."""
    place = ring.index(start)
    return (place - len(ring), 1) if place % 2 else (place, -1)
