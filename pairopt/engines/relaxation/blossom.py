"""Blossom: prices of vertices and odd sets under which a perfect matching is cheapest, exactly.

Edmonds' algorithm, one tree at a time, on Python's integers: costs may be of any size. Matched
arcs cost just what their prices say, and no arc costs less. A tree grows from an unmatched vertex
by such arcs; where there are no more, prices of its even nodes rise and those of its odd ones
fall at one rate until there is one. `time` says by how much, and what is kept of a node in the
tree is what it was at time 0. So an event's time is known when its nodes are labelled: an arc
becomes tight, or the price of an odd set is used up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

from pairopt.engines.base import Budget

FREE, EVEN, ODD = 0, 1, -1
"""What a node is to the tree, and the rate of its price."""
NOBODY = -1


class Blossom:
    """A matching of tight arcs, made perfect, and its prices.

    `near` holds each vertex's arcs as {other end: cost}, costs even; `paid` integers so that no
    arc costs less than its two ends pay; `mate` pairs ends of tight arcs, NOBODY for the others.
    There must be a perfect matching.
    Raises TimeUpError.

    Nodes are vertices and, from `len(near)` on, sets of an odd number of them: a ring of nodes,
    the first of which has the vertex that is matched outside, its base. `outer` is the largest
    node that holds a vertex. A vertex pays its price and those of the sets that hold it.
    """

    def __init__(
        self,
        near: Sequence[Mapping[int, int]],
        paid: Sequence[int],
        mate: Sequence[int],
        budget: Budget = Budget(),
    ) -> None:
        n = len(near)
        self.near, self.paid, self.mate = near, list(paid), list(mate)
        self.outer = list(range(n))
        self.base = list(range(n))
        self.members = [[vertex] for vertex in range(n)]
        self.label = [FREE] * n
        self.entry: list[tuple[int, int] | None] = [None] * n  # how the tree came to a node
        self.price: list[int] = [0] * n  # of sets
        self.parent = [NOBODY] * n
        self.ring: dict[int, list[int]] = {}
        self.links: dict[int, list[tuple[int, int]]] = {}  # from each node of a ring to the next
        self.events: list[tuple[int, int, int]] = []
        self.time = 0
        self.labelled: list[int] = []
        for vertex in budget.watched(range(n)):
            if self.mate[vertex] == NOBODY:
                self._search(vertex)

    def prices(self) -> tuple[list[int], dict[frozenset[int], int]]:
        """The price of each vertex, and of each odd set that has one."""
        alone, sets = list(self.paid), {}
        for node in self.ring:
            members = frozenset(self.members[node])
            for vertex in members:
                alone[vertex] -= self.price[node]
            if self.price[node]:
                sets[members] = self.price[node]
        return alone, sets

    def _search(self, root: int) -> None:
        """Grow a tree from an unmatched vertex to another one, and match along the path."""
        self._put(self.outer[root], EVEN, None)
        while True:
            self.time, u, v = heappop(self.events)
            if u == NOBODY:
                if v in self.ring and self.label[v] == ODD and self.price[v] == self.time:
                    self._expand(v)
                continue
            one, two = self.outer[u], self.outer[v]
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
                break
        self._settle()

    def _left(self, u: int, v: int) -> int:
        """What an arc cost above its ends' payments at time 0."""
        return self.near[u][v] - self.paid[u] - self.paid[v]

    def _put(self, node: int, label: int, entry: tuple[int, int] | None) -> None:
        """Give a free node a label."""
        self.label[node], self.entry[node] = label, entry
        self.labelled.append(node)
        self.price[node] -= label * self.time
        members = self.members[node]
        for vertex in members:
            self.paid[vertex] -= label * self.time
        if label == EVEN:
            self._look_from(members)
        elif node in self.ring:
            heappush(self.events, (self.price[node], NOBODY, node))

    def _look_from(self, members: Sequence[int]) -> None:
        """Arcs of vertices that have become even."""
        for u in members:
            mine, paid = self.outer[u], self.paid[u]
            for v, cost in self.near[u].items():
                node = self.outer[v]
                if node != mine and self.label[node] != ODD:
                    left = cost - paid - self.paid[v]
                    heappush(self.events, (left // 2 if self.label[node] else left, u, v))

    def _look_at(self, members: Sequence[int]) -> None:
        """Arcs from even nodes to vertices that are free again."""
        for v in members:
            for u in self.near[v]:
                if self.label[self.outer[u]] == EVEN:
                    heappush(self.events, (self._left(u, v), u, v))

    def _grow(self, u: int, v: int) -> None:
        """Add the free node of v to the tree, and that of its mate."""
        node = self.outer[v]
        self._put(node, ODD, (u, v))
        base = self.base[node]
        mate = self.mate[base]
        self._put(self.outer[mate], EVEN, (base, mate))

    def _above(self, node: int) -> int:
        """The even node above an even one in the tree, NOBODY above the root."""
        entry = self.entry[node]
        if entry is None:
            return NOBODY
        odd = self.entry[self.outer[entry[0]]]
        assert odd is not None
        return self.outer[odd[0]]

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
        top = self._meeting(self.outer[u], self.outer[v])
        down, up = self._below(top, u), self._below(top, v)
        there = [self._entry(kid) for kid in reversed(down)]
        back = [(b, a) for a, b in map(self._entry, up)]
        node = len(self.base)
        self.ring[node] = [top, *reversed(down), *up]
        self.links[node] = [*there, (u, v), *back]
        self.base.append(self.base[top])
        self.label.append(EVEN)
        self.entry.append(self.entry[top])
        self.price.append(-self.time)
        self.parent.append(NOBODY)
        self.labelled.append(node)
        anew: list[int] = []
        self.members.append([v for kid in self.ring[node] for v in self.members[kid]])
        for kid in self.ring[node]:
            members = self.members[kid]
            if self.label[kid] == ODD:
                anew += members
            self.price[kid] += self.label[kid] * self.time
            self.label[kid], self.parent[kid] = FREE, node
            for vertex in members:
                self.outer[vertex] = node
        for vertex in anew:
            self.paid[vertex] -= 2 * self.time
        self._look_from(anew)

    def _entry(self, node: int) -> tuple[int, int]:
        entry = self.entry[node]
        assert entry is not None
        return entry

    def _below(self, top: int, vertex: int) -> list[int]:
        """The nodes from that of a vertex up the tree, before `top`."""
        nodes, node = [], self.outer[vertex]
        while node != top:
            nodes.append(node)
            node = self.outer[self._entry(node)[0]]
        return nodes

    def _release(self, node: int) -> list[int]:
        """Take a set without a price away; the nodes of its ring."""
        for kid in self.ring[node]:
            self.parent[kid] = NOBODY
            for vertex in self.members[kid]:
                self.outer[vertex] = kid
        del self.links[node]
        return self.ring.pop(node)

    def _expand(self, node: int) -> None:
        """Take away an odd set; the way through its ring stays in the tree."""
        u, v = self._entry(node)
        for vertex in self.members[node]:
            self.paid[vertex] -= self.time
        self.label[node] = FREE
        links = self.links[node]
        ring = self._release(node)
        place, step = _way(ring, self.outer[v])
        while place:
            self._grow(u, v)
            place += step
            u, v = links[place] if step > 0 else links[place - 1][::-1]
            place += step
        self._put(ring[0], ODD, (u, v))
        for kid in ring:
            if self.label[kid] == FREE:
                self._look_at(self.members[kid])

    def _match(self, u: int, v: int) -> None:
        """Match the way from the root to u, then u with the unmatched v."""
        while True:
            self._turn(self.outer[v], v)
            self._turn(self.outer[u], u)
            self.mate[u], self.mate[v] = v, u
            entry = self.entry[self.outer[u]]
            if entry is None:
                return
            u, v = self._entry(self.outer[entry[0]])

    def _turn(self, node: int, vertex: int) -> None:
        """Make a vertex the base of the node that holds it."""
        todo = [(node, vertex)]
        while todo:
            node, vertex = todo.pop()
            if node not in self.ring:
                continue
            ring, links = self.ring[node], self.links[node]
            start = vertex
            while self.parent[start] != node:
                start = self.parent[start]
            todo.append((start, vertex))
            place, step = _way(ring, start)
            while place:
                place += step
                u, v = links[place] if step > 0 else links[place - 1][::-1]
                todo.append((ring[place], u))
                place += step
                todo.append((ring[place], v))
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
            for vertex in self.members[node]:
                self.paid[vertex] += label * self.time
            todo = [node]
            while todo:
                node = todo.pop()
                if node in self.ring and not self.price[node]:
                    todo += self._release(node)
        self.labelled.clear()
        self.events.clear()
        self.time = 0


def _way(ring: Sequence[int], start: int) -> tuple[int, int]:
    """Where a node is in its ring, and the direction in which it is evenly far to the first."""
    place = ring.index(start)
    return (place - len(ring), 1) if place % 2 else (place, -1)
