"""Edmonds' algorithm for a minimum-cost perfect matching, in exact integers.

A primal-dual method with duals of vertices and of odd sets (blossoms). Costs may be of
any size. Matched edges are tight: their reduced cost is zero. No edge has a negative
reduced cost. Each stage grows one alternating tree, from an unmatched vertex, along
tight edges. When there are no more, the duals of even nodes rise and those of odd nodes
fall at the same rate, until an edge becomes tight or the dual of an odd set becomes
zero. `time` says by how much, and the duals of nodes in the tree are stored as they
would be at time 0. So the time of each such event is known when its nodes are labelled,
and events wait in a heap (J. Edmonds, Maximum matching and a polyhedron with
0,1-vertices, 1965; Z. Galil, Efficient algorithms for finding maximum matching in
graphs, 1986).

A set is stored in the row of its largest member, as the beginning of the row. So making
and dissolving nested sets takes no more time than their smaller members.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import pairwise

from pairopt.common.budget import Budget

FREE, EVEN, ODD = 0, 1, -1
"""Labels of nodes: outside the tree, or their parity in it. Also the rate of the dual."""
NOBODY = -1
"""The partner of an unmatched vertex."""


class PrimalDualMatching:
    """A matching of tight edges with its duals, to be made perfect.

    Nodes are vertices and, from `len(neighbours)` on, blossoms. A blossom is a set of
    an odd number of vertices: a ring of nodes, the first of which holds its base, the
    vertex that is matched outside. An even node of the search tree is reached from the
    root by an even number of edges. The dual of a vertex here includes those of the
    blossoms that hold it; it is `vertex_dual` plus the `shift` of its row. `mate` is
    each vertex's partner, NOBODY for unmatched ones. `match` augments the matching,
    `add` adds an edge, and `duals` gives the duals.
    """

    def __init__(
        self, near: Sequence[dict[int, int]], paid: Sequence[int], mate: Sequence[int]
    ) -> None:
        """Begin with a matching and feasible duals.

        `near` holds each vertex's edges as {other end: cost}, with even costs, `paid` a
        dual for each vertex, so that no edge has a negative reduced cost, and `mate`
        each vertex's partner by a tight edge, NOBODY for unmatched ones.
        """
        vertex_count = len(near)
        self.neighbours, self.vertex_dual, self.mate = near, list(paid), list(mate)
        # of each vertex: its row
        self.row = list(range(vertex_count))
        # of each row: its vertices, the outermost node, what their duals have gained together
        self.rows = [[vertex] for vertex in range(vertex_count)]
        self.outermost = list(range(vertex_count))
        self.shift = [0] * vertex_count
        # of each node: base, row, number of vertices, dual of the set, blossom around it
        self.base = list(range(vertex_count))
        self.row_of_node = list(range(vertex_count))
        self.size = [1] * vertex_count
        self.set_dual: list[int] = [0] * vertex_count
        self.parent = [NOBODY] * vertex_count
        # of each node in the tree: label, and the edge by which the tree came to it
        self.label = [FREE] * vertex_count
        self.entry: list[tuple[int, int] | None] = [None] * vertex_count
        # of each blossom: its nodes, and the edges from each of them to the next
        self.ring: dict[int, list[int]] = {}
        self.links: dict[int, list[tuple[int, int]]] = {}
        # of this stage: waiting events, edges that are tight, the time, nodes with a label
        self.events: list[tuple[int, int, int]] = []
        self.tight: list[tuple[int, int]] = []
        self.time = 0
        self.labelled: list[int] = []

    def match(self, budget: Budget = Budget()) -> list[int]:
        """Augment the matching until it is perfect, or until this is impossible.

        Returns an empty list, or the even vertices of a tree without an augmenting
        path. Then at least one of them needs another edge, which `add` adds. Raises
        TimeUpError.
        """
        unmatched_vertices = (
            vertex for vertex, partner in enumerate(self.mate) if partner == NOBODY
        )
        for vertex in budget.iterate(unmatched_vertices):
            if self.mate[vertex] == NOBODY:
                stuck_vertices = self._grow_stage(vertex)
                if stuck_vertices:
                    return stuck_vertices
        return []

    def add(self, u: int, v: int, cost: int) -> None:
        """Add the edge u - v; if its reduced cost is negative, lower the dual of u.

        In that case u is left unmatched, so that `match` has to be called again.
        Blossoms that hold both ends are dissolved before, and those that hold u alone,
        too, if the reduced cost is negative. `cost` has to be even. If the edge exists
        already, its cost is replaced.
        """
        self.neighbours[u][v] = self.neighbours[v][u] = cost
        while (outermost_node := self._outermost_node(u)) == self._outermost_node(v):
            self._dissolve_blossom(outermost_node)
        if self._reduced_cost(u, v) >= 0:
            return
        while (outermost_node := self._outermost_node(u)) != u:
            self._dissolve_blossom(outermost_node)
        reduced_cost = self._reduced_cost(u, v)
        if reduced_cost < 0:
            self._unmatch(u)
            self.vertex_dual[u] += reduced_cost

    def _dissolve_blossom(self, node: int) -> None:
        """Dissolve the outermost blossom `node`, and leave its base unmatched.

        The blossom's dual is subtracted from the duals of its members, which included
        it.
        """
        self._unmatch(self.base[node])
        self.shift[self.row_of_node[node]] -= self.set_dual[node]
        self._open_ring(node)

    def _unmatch(self, vertex: int) -> None:
        """Remove the match of a vertex, if it has one, from the matching."""
        partner = self.mate[vertex]
        if partner != NOBODY:
            self.mate[vertex] = self.mate[partner] = NOBODY

    def duals(self) -> tuple[list[int], dict[frozenset[int], int]]:
        """Return the dual of each vertex, and of each odd set that has a positive one.

        Here the dual of a vertex does not include those of the sets.
        """
        vertex_duals = [
            unshifted_dual + self.shift[row_of_vertex]
            for unshifted_dual, row_of_vertex in zip(
                self.vertex_dual, self.row, strict=True
            )
        ]
        set_duals = {}
        for blossom in self.ring:
            set_dual = self.set_dual[blossom]
            if set_dual:
                blossom_vertices = self._members(blossom)
                set_duals[frozenset(blossom_vertices)] = set_dual
                for vertex in blossom_vertices:
                    vertex_duals[vertex] -= set_dual
        return vertex_duals, set_duals

    def _members(self, node: int) -> list[int]:
        """Return the vertices of a node: a vertex itself, or a blossom's vertices.

        The list is a new one.
        """
        return self.rows[self.row_of_node[node]][: self.size[node]]

    def _outermost_node(self, vertex: int) -> int:
        """Return the largest node that holds a vertex: a blossom, or the vertex itself."""
        return self.outermost[self.row[vertex]]

    def _grow_stage(self, root: int) -> list[int]:
        """Grow a tree from an unmatched vertex until a path augments the matching.

        `root` is this vertex. Returns an empty list if the matching was augmented.
        Otherwise there is no augmenting path, and the even vertices of the tree are
        returned.
        """
        self._add_to_tree(self._outermost_node(root), EVEN, None)
        while self.tight or self.events:
            if self.tight:
                even_vertex, other_vertex = self.tight.pop()
            else:
                self.time, even_vertex, other_vertex = heappop(self.events)
            if even_vertex == NOBODY:
                is_odd_blossom = (
                    other_vertex in self.ring and self.label[other_vertex] == ODD
                )
                if is_odd_blossom and self.set_dual[other_vertex] == self.time:
                    self._expand_blossom(other_vertex)
                continue

            # skip edges inside a node or to an odd one, and events that are out of date
            even_node, other_node = (
                self._outermost_node(even_vertex),
                self._outermost_node(other_vertex),
            )
            even_label, other_label = self.label[even_node], self.label[other_node]
            if even_node == other_node or even_label != EVEN or other_label == ODD:
                continue
            if (
                self._reduced_cost(even_vertex, other_vertex)
                != (1 + other_label) * self.time
            ):
                continue

            if other_label == EVEN:
                self._shrink_blossom(even_vertex, other_vertex)
            elif self.mate[self.base[other_node]] != NOBODY:
                self._grow_tree(even_vertex, other_vertex)
            else:
                self._augment(even_vertex, other_vertex)
                self._end_stage()
                return []
        stuck_vertices = [
            vertex
            for vertex in range(len(self.neighbours))
            if self.label[self._outermost_node(vertex)] == EVEN
        ]
        self._end_stage()
        return stuck_vertices

    def _reduced_cost(self, u: int, v: int) -> int:
        """Return the reduced cost of the edge u - v, as it would be at time 0.

        It is computed from the duals as stored: without their changes since the
        outermost nodes of u and v were labelled. The edge must exist. Its ends must be
        in different outermost nodes, because the duals of sets that hold both ends
        would be counted.
        """
        return self.neighbours[u][v] - self._dual_of_vertex(u) - self._dual_of_vertex(v)

    def _dual_of_vertex(self, vertex: int) -> int:
        """Return a vertex's dual with those of the sets that hold it, as at time 0."""
        return self.vertex_dual[vertex] + self.shift[self.row[vertex]]

    def _add_to_tree(
        self, node: int, label: int, entry: tuple[int, int] | None
    ) -> None:
        """Label an outermost node EVEN or ODD in the tree, and schedule its events.

        `label` is one of the two. `entry` is the edge by which the node comes into the
        tree, None for the root. From now on its duals are stored as at time 0. The
        edges of an even node are scanned; an odd blossom gets an event for the time at
        which its dual is zero.
        """
        self.label[node], self.entry[node] = label, entry
        self.labelled.append(node)
        self.set_dual[node] -= label * self.time
        self.shift[self.row_of_node[node]] -= label * self.time
        if label == EVEN:
            self._scan_edges_from(self._members(node))
        elif node in self.ring:
            heappush(self.events, (self.set_dual[node], NOBODY, node))

    def _scan_edges_from(self, members: Sequence[int]) -> None:
        """Put edges of even vertices among the tight ones or the waiting events.

        `members` are the vertices of a node that has just become even. Edges inside the
        node and to odd nodes are skipped. Tight edges to unmatched nodes outside the
        tree come last and are taken first, because they end the stage.
        """
        row_of_vertex, outermost_of_row, label_of_node = (
            self.row,
            self.outermost,
            self.label,
        )
        unshifted_dual_of_vertex, shift_of_row = self.vertex_dual, self.shift
        partner_of_vertex, base_vertices = self.mate, self.base
        augmenting_edges: list[tuple[int, int]] = []
        for scanned_vertex in members:
            scanned_node, scanned_dual = (
                outermost_of_row[row_of_vertex[scanned_vertex]],
                unshifted_dual_of_vertex[scanned_vertex]
                + shift_of_row[row_of_vertex[scanned_vertex]],
            )
            for neighbour_vertex, edge_cost in self.neighbours[scanned_vertex].items():
                neighbour_node = outermost_of_row[row_of_vertex[neighbour_vertex]]
                if (
                    neighbour_node != scanned_node
                    and label_of_node[neighbour_node] != ODD
                ):
                    reduced_cost = (
                        edge_cost
                        - scanned_dual
                        - unshifted_dual_of_vertex[neighbour_vertex]
                        - shift_of_row[row_of_vertex[neighbour_vertex]]
                    )
                    tight_time = (
                        reduced_cost // 2
                        if label_of_node[neighbour_node]
                        else reduced_cost
                    )
                    if tight_time == self.time:
                        ends_stage = (
                            partner_of_vertex[base_vertices[neighbour_node]] == NOBODY
                            and not label_of_node[neighbour_node]
                        )
                        (augmenting_edges if ends_stage else self.tight).append(
                            (scanned_vertex, neighbour_vertex)
                        )
                    else:
                        heappush(
                            self.events, (tight_time, scanned_vertex, neighbour_vertex)
                        )
        self.tight += augmenting_edges

    def _scan_edges_to(self, members: Sequence[int]) -> None:
        """Schedule the edges from even nodes to vertices that have just left the tree.

        `members` are the vertices of a node that is outside the tree again, so that
        even nodes can reach it. Each edge becomes an event at the time at which it is
        tight.
        """
        for scanned_vertex in members:
            for neighbour_vertex in self.neighbours[scanned_vertex]:
                if self.label[self._outermost_node(neighbour_vertex)] == EVEN:
                    heappush(
                        self.events,
                        (
                            self._reduced_cost(neighbour_vertex, scanned_vertex),
                            neighbour_vertex,
                            scanned_vertex,
                        ),
                    )

    def _grow_tree(self, u: int, v: int) -> None:
        """Add the node of v to the tree as odd, by a tight edge u - v.

        The node of u is even. The partner of the new node's base comes into the tree
        with it, as even.
        """
        outer_node = self._outermost_node(v)
        self._add_to_tree(outer_node, ODD, (u, v))
        base_vertex = self.base[outer_node]
        base_partner = self.mate[base_vertex]
        self._add_to_tree(
            self._outermost_node(base_partner), EVEN, (base_vertex, base_partner)
        )

    def _even_ancestor(self, node: int) -> int:
        """Return the next even node above an even one, NOBODY if it is the root."""
        if (entry_edge := self.entry[node]) is None:
            return NOBODY
        return self._outermost_node(
            self._entry_edge(self._outermost_node(entry_edge[0]))[0]
        )

    def _lowest_common_ancestor(self, node: int, other: int) -> int:
        """Return the lowest even node of the tree that is above both even nodes.

        `node` and `other` are outermost nodes of the same tree; the result can be one
        of the two.
        """
        visited_nodes = set()
        # go up from both in turn
        while True:
            if node != NOBODY:
                if node in visited_nodes:
                    return node
                visited_nodes.add(node)
                node = self._even_ancestor(node)
            node, other = other, node

    def _shrink_blossom(self, u: int, v: int) -> None:
        """Make an even blossom of the ring of nodes that a tight edge u - v closes.

        The vertices u and v are in different even nodes of the tree; the ring goes from
        both up to their lowest common ancestor. The blossom becomes the outermost node
        of its vertices, with a dual of 0 now. Vertices that were odd become even, and
        their edges are scanned.
        """
        ancestor = self._lowest_common_ancestor(
            self._outermost_node(u), self._outermost_node(v)
        )
        u_path_nodes = self._path_from_ancestor(ancestor, u)
        v_path_nodes = self._path_from_ancestor(ancestor, v)
        links_down_to_u = [
            self._entry_edge(ring_node) for ring_node in reversed(u_path_nodes)
        ]
        links_up_from_v = [
            (lower_end, upper_end)
            for upper_end, lower_end in map(self._entry_edge, v_path_nodes)
        ]
        new_blossom = len(self.base)
        self.ring[new_blossom] = blossom_ring = [
            ancestor,
            *reversed(u_path_nodes),
            *v_path_nodes,
        ]
        self.links[new_blossom] = [*links_down_to_u, (u, v), *links_up_from_v]
        self.base.append(self.base[ancestor])
        self.label.append(EVEN)
        self.entry.append(self.entry[ancestor])
        self.set_dual.append(-self.time)
        self.parent.append(NOBODY)
        self.labelled.append(new_blossom)

        newly_even_vertices: list[int] = []
        for ring_node in blossom_ring:
            if self.label[ring_node] == ODD:
                newly_even_vertices += self._members(ring_node)
                self.shift[self.row_of_node[ring_node]] -= 2 * self.time
            self.set_dual[ring_node] += self.label[ring_node] * self.time
            self.label[ring_node], self.parent[ring_node] = FREE, new_blossom

        # all members go to the row of the largest child
        joined_row = self.row_of_node[max(blossom_ring, key=self.size.__getitem__)]
        for ring_node in blossom_ring:
            if self.row_of_node[ring_node] != joined_row:
                child_vertices = self.rows[self.row_of_node[ring_node]]
                self.rows[joined_row] += child_vertices
                self._move_to_row(
                    child_vertices, self.row_of_node[ring_node], joined_row
                )
        self.outermost[joined_row] = new_blossom
        self.row_of_node.append(joined_row)
        self.size.append(len(self.rows[joined_row]))
        self._scan_edges_from(newly_even_vertices)

    def _move_to_row(self, members: Sequence[int], source: int, target: int) -> None:
        """Record that vertices are now in another row, without a change of their duals.

        The lists of vertices in `rows` are not changed here. `members` are the
        vertices, which go from the row `source` to the row `target`.
        """
        shift_difference = self.shift[source] - self.shift[target]
        for vertex in members:
            self.row[vertex] = target
            self.vertex_dual[vertex] += shift_difference

    def _entry_edge(self, node: int) -> tuple[int, int]:
        """Return the edge by which the tree came to a node that is not the root.

        The end outside the node comes first.
        """
        stored_entry = self.entry[node]
        assert stored_entry is not None
        return stored_entry

    def _path_from_ancestor(self, ancestor: int, vertex: int) -> list[int]:
        """Return the nodes of the tree from a vertex's node up, without the ancestor.

        `ancestor` is a node; the result is empty if it holds the vertex.
        """
        nodes_upwards, path_node = [], self._outermost_node(vertex)
        while path_node != ancestor:
            nodes_upwards.append(path_node)
            path_node = self._outermost_node(self._entry_edge(path_node)[0])
        return nodes_upwards

    def _open_ring(self, node: int) -> list[int]:
        """Take a blossom apart, whose dual is zero; return its nodes in ring order.

        They become outermost nodes, and the blossom, an outermost node before, is no
        node any more. Their labels and duals are not changed.
        """
        blossom_row = self.row_of_node[node]
        for ring_node in self.ring[node]:
            self.parent[ring_node] = NOBODY
            self.outermost[self.row_of_node[ring_node]] = ring_node
            if self.row_of_node[ring_node] == blossom_row:
                del self.rows[blossom_row][self.size[ring_node] :]
            else:
                child_vertices = self.rows[self.row_of_node[ring_node]]
                self._move_to_row(
                    child_vertices, blossom_row, self.row_of_node[ring_node]
                )
        del self.links[node]
        return self.ring.pop(node)

    def _expand_blossom(self, node: int) -> None:
        """Remove the odd blossom `node` of the tree, whose dual is zero.

        The even path through its ring, from the entry to the base, stays in the tree;
        the other nodes of the ring leave it, and their edges to even nodes are
        scheduled.
        """
        entry_edge_start, entry_edge_end = self._entry_edge(node)
        self.shift[self.row_of_node[node]] -= self.time
        self.label[node] = FREE
        ring_links = self.links[node]
        opened_ring = self._open_ring(node)
        ring_position, ring_step = _ring_direction(
            opened_ring, self._outermost_node(entry_edge_end)
        )
        while ring_position:
            self._grow_tree(entry_edge_start, entry_edge_end)
            ring_position += ring_step
            entry_edge_start, entry_edge_end = (
                ring_links[ring_position]
                if ring_step > 0
                else ring_links[ring_position - 1][::-1]
            )
            ring_position += ring_step
        self._add_to_tree(opened_ring[0], ODD, (entry_edge_start, entry_edge_end))
        for ring_node in opened_ring:
            if self.label[ring_node] == FREE:
                self._scan_edges_to(self._members(ring_node))

    def _augment(self, u: int, v: int) -> None:
        """Augment the matching along the edge u - v and the tree's path to the root.

        The edge is tight, v is unmatched, and u is in an even node of the tree. Matched
        and unmatched edges change places on the path, so that v and the root are both
        matched then.
        """
        while True:
            self._rebase(self._outermost_node(v), v)
            self._rebase(self._outermost_node(u), u)
            self.mate[u], self.mate[v] = v, u
            entry_edge = self.entry[self._outermost_node(u)]
            if entry_edge is None:
                return
            u, v = self._entry_edge(self._outermost_node(entry_edge[0]))

    def _rebase(self, node: int, vertex: int) -> None:
        """Make a vertex the base of the node that holds it, and of all nodes between.

        The matched edges inside these blossoms change accordingly.
        """
        pending_nodes = [(node, vertex)]
        while pending_nodes:
            node, vertex = pending_nodes.pop()
            nested_nodes = [vertex]
            while nested_nodes[-1] != node:
                nested_nodes.append(self.parent[nested_nodes[-1]])
            for nested_node, blossom in pairwise(nested_nodes):
                pending_nodes += self._rotate_ring(blossom, nested_node, vertex)

    def _rotate_ring(
        self, node: int, start: int, vertex: int
    ) -> Iterator[tuple[int, int]]:
        """Make a vertex, held by `start` of a blossom's ring, the base of the blossom.

        Matches the other nodes of the ring in pairs, and yields each node with the
        vertex that has to become its base; the caller does that. The changes are made
        while the generator runs, the new base and the rotated ring at its end.
        """
        blossom_ring, ring_links = self.ring[node], self.links[node]
        ring_position, ring_step = _ring_direction(blossom_ring, start)
        while ring_position:
            ring_position += ring_step
            link_start, link_end = (
                ring_links[ring_position]
                if ring_step > 0
                else ring_links[ring_position - 1][::-1]
            )
            yield blossom_ring[ring_position], link_start
            ring_position += ring_step
            yield blossom_ring[ring_position], link_end
            self.mate[link_start], self.mate[link_end] = link_end, link_start
        ring_offset = blossom_ring.index(start)
        self.ring[node] = blossom_ring[ring_offset:] + blossom_ring[:ring_offset]
        self.links[node] = ring_links[ring_offset:] + ring_links[:ring_offset]
        self.base[node] = vertex

    def _end_stage(self) -> None:
        """End a stage: bring duals up to date, and set the time back to 0.

        All labels and waiting events are removed. Blossoms with a zero dual are taken
        apart.
        """
        for labelled_node in self.labelled:
            tree_label = self.label[labelled_node]
            if tree_label == FREE:
                continue
            self.label[labelled_node] = FREE
            self.set_dual[labelled_node] += tree_label * self.time
            self.shift[self.row_of_node[labelled_node]] += tree_label * self.time
            pending_nodes = [labelled_node]
            while pending_nodes:
                pending_node = pending_nodes.pop()
                if pending_node in self.ring and not self.set_dual[pending_node]:
                    pending_nodes += self._open_ring(pending_node)
        self.labelled.clear()
        self.events.clear()
        self.tight.clear()
        self.time = 0


def _ring_direction(ring: Sequence[int], start: int) -> tuple[int, int]:
    """Return a node's position in its ring, and the direction of its even path.

    `start` is the node. The path has an even number of edges and leads to the first
    node of the ring, which holds the base. The direction is 1 or -1; added to the
    position step by step, it makes 0 there. So the position is negative if the
    direction is 1.
    """
    ring_position = ring.index(start)
    return (ring_position - len(ring), 1) if ring_position % 2 else (ring_position, -1)
