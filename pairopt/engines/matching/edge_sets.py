"""Edge sets: the edges of a minimum-cost matching, for column generation.

A search begins with some edges of the set, and asks it for others with a negative
reduced cost.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pairopt.engines.matching.edges import EACH, Edges, Numbers, near_edges_mask
from pairopt.engines.matching.reduced_costs import (
    SetDuals,
    VertexDuals,
    approximate_log,
    as_exact_array,
    compute_reduced_costs,
    find_feasible_duals,
)
from pairopt.engines.player_types import PairClasses
from pairopt.engines.single_pairs import expand_pairs
from pairopt.event.arcs import BoolArray, IntArray

LEAST = 2  # the least number of types that are looked at together for each type
EXPANDED = 2**19  # the number of pairs of classes that are in memory at the same time
ENOUGH = 9
"""One new edge for so many that were asked for is enough for a step of column generation.

With fewer, nearly every step solves an assignment problem for very few new edges.
"""

Priced = tuple[Edges, Numbers]
"""Edges, and the cost of each."""


class EdgeSet(ABC):
    """A set of edges between `vertices`, with costs that are even and not negative.

    `vertices` is the number of vertices. The set offers edges piece by piece, for
    column generation: the `first` ones, then those with negative reduced costs.
    """

    vertices: int

    @property
    @abstractmethod
    def most(self) -> int:
        """The largest cost of an edge, 0 without edges."""

    @cached_property
    @abstractmethod
    def first(self) -> Priced:
        """The edges with which column generation begins, and their costs.

        These are about `EACH` cheap edges of each vertex. They need not contain a
        perfect matching.
        """

    @abstractmethod
    def cheaper(
        self, vertex_duals: VertexDuals, sets: SetDuals, per_vertex: int
    ) -> Priced:
        """Return about `per_vertex` edges of each vertex with a negative reduced cost.

        They are the lowest of each vertex, with their costs. `vertex_duals` holds the
        dual of each vertex, `sets` of each odd set. If the result is empty, no edge of
        the whole set has a negative reduced cost.
        """

    @abstractmethod
    def matching(self, u: IntArray, v: IntArray) -> Edges:
        """Return the edges of a perfect matching that joins u[k] and v[k].

        Each pair has to be an edge of the set; the last vertex of an odd field is the
        bye. The order of the edges is the set's own.
        """

    @abstractmethod
    def above(
        self, vertex_duals: VertexDuals, sets: SetDuals
    ) -> tuple[IntArray, Numbers, Numbers]:
        """Return bounds of the reduced costs of each column's edges.

        These are three arrays of the same length: columns, a lower bound and an upper
        bound of the reduced costs of the edges of each, under the duals of vertices
        (`vertex_duals`) and of odd sets.
        """


@dataclass(frozen=True)
class ExplicitEdges(EdgeSet):
    """Edges that are listed one by one; `cost`, shape (edges,), has the cost of each.

    `vertices` is the number of vertices. `few`, shape (edges,), marks the edges with
    which column generation begins. If it is None, the edges of each vertex with the
    smallest reduced costs are chosen.
    """

    vertices: int
    edges: Edges
    cost: Numbers
    few: BoolArray | None = None

    @property
    def most(self) -> int:
        """The largest cost of an edge, 0 without edges."""
        return int(self.cost.max(initial=0))

    @cached_property
    def first(self) -> Priced:
        """The edges with which column generation begins, and their costs.

        They are those marked by `few`; without it, about `EACH` cheap edges of each
        vertex.
        """
        listed_edges, edge_costs, is_chosen_edge = self.edges, self.cost, self.few
        if is_chosen_edge is None:
            duals_of_vertices = find_feasible_duals(
                self.vertices, listed_edges.first, listed_edges.second, edge_costs
            )
            reduced_costs = (
                edge_costs
                - duals_of_vertices[listed_edges.first]
                - duals_of_vertices[listed_edges.second]
            )
            log_reduced_costs = approximate_log(reduced_costs)
            is_chosen_edge = near_edges_mask(
                self.vertices,
                listed_edges.first,
                listed_edges.second,
                log_reduced_costs,
            )
        return listed_edges.chosen(is_chosen_edge), edge_costs[is_chosen_edge]

    def cheaper(
        self, vertex_duals: VertexDuals, sets: SetDuals, per_vertex: int
    ) -> Priced:
        """Return about `per_vertex` edges of each vertex that can lower the cost.

        These have a negative reduced cost, under the duals of vertices (`vertex_duals`)
        and of odd sets (`sets`). If the result is empty, no listed edge has one.
        """
        reduced_costs = compute_reduced_costs(self.edges, self.cost, vertex_duals, sets)
        negative_positions = (reduced_costs < 0).astype(np.bool_).nonzero()[0]
        negative_edges = self.edges.chosen(negative_positions)
        is_cheapest_edge = _cheapest_edges_per_vertex(
            self.vertices, negative_edges, reduced_costs[negative_positions], per_vertex
        )
        negative_positions = negative_positions[is_cheapest_edge]
        return self.edges.chosen(negative_positions), self.cost[negative_positions]

    def matching(self, u: IntArray, v: IntArray) -> Edges:
        """Return the listed edges that join some u[k] and v[k], a perfect matching.

        They are in the order of the list. Parallel edges are all returned.
        """
        return self.edges.chosen(self.edges.of(self.vertices, u, v))

    def above(
        self, vertex_duals: VertexDuals, sets: SetDuals
    ) -> tuple[IntArray, Numbers, Numbers]:
        """Return each edge's column, and its reduced cost as lower and upper bound.

        These are three arrays of shape (edges,), of which the last two are equal. A
        column that has several edges comes once for each of them. The duals are those
        of vertices (`vertex_duals`) and of odd sets (`sets`).
        """
        reduced_costs = compute_reduced_costs(self.edges, self.cost, vertex_duals, sets)
        return self.edges.number, reduced_costs, reduced_costs


@dataclass(frozen=True)
class TypedEdges(EdgeSet):
    """The pairs of some classes as edges, expanded to single edges only when needed.

    `index` are the positions of these classes among `classes`. `cost`, shape
    (classes,), is what every pair of a class costs, for all classes. `at_hand` is a
    perfect matching of these pairs, None if none is known; its edges are among the
    `first` ones.
    """

    classes: PairClasses
    index: IntArray
    cost: Numbers
    at_hand: Edges | None = None

    @property
    def vertices(self) -> int:  # type: ignore[override]
        """The number of vertices, with the bye of an odd field."""
        return self.classes.players + self.classes.odd

    @property
    def most(self) -> int:
        """The largest cost of a class, 0 without classes."""
        return int(self.cost.max(initial=0))

    @property
    def near(self) -> int:
        """The number of classes per type that one step of column generation expands.

        It is from `LEAST` to `EACH`, and smaller if types have many players, because
        then a class has more edges.
        """
        mean_type_size = self.classes.players // len(self.classes.size)
        return max(min(EACH, EACH**2 // mean_type_size), LEAST)

    @property
    def ends(self) -> tuple[IntArray, IntArray]:
        """The two types of each class: two arrays of shape (classes of `index`,)."""
        return self.classes.a[self.index], self.classes.b[self.index]

    @cached_property
    def first(self) -> Priced:
        """The edges with which column generation begins, and their costs.

        They are cheap edges of each vertex, from the cheapest classes of each type, and
        the matching `at_hand`.
        """
        type_count = len(self.classes.size) + 1
        first_types, second_types = self.ends
        log_class_costs = approximate_log(self.cost[self.index])
        is_near_class = near_edges_mask(
            type_count, first_types, second_types, log_class_costs, self.near
        )
        cheap_edges = self._expand_classes(self.index[is_near_class])
        log_edge_costs = approximate_log(self.cost[cheap_edges.number])
        is_near_edge = near_edges_mask(
            self.vertices, cheap_edges.first, cheap_edges.second, log_edge_costs
        )
        cheap_edges = cheap_edges.chosen(is_near_edge)
        if self.at_hand is not None:
            cheap_edges = cheap_edges.and_(self.at_hand)
        return cheap_edges, self.cost[cheap_edges.number]

    def cheaper(
        self, vertex_duals: VertexDuals, sets: SetDuals, per_vertex: int
    ) -> Priced:
        """Return about `per_vertex` pairs of each vertex that can lower the cost.

        These have a negative reduced cost under the duals of vertices (`vertex_duals`)
        and of odd sets (`sets`). Classes are expanded in batches, the most promising
        ones first, until there are enough such pairs (see `ENOUGH`). If the result is
        empty, no pair of the classes has a negative reduced cost.
        """
        type_count = len(self.classes.size) + 1
        wanted_edge_count = max(self.vertices * per_vertex // ENOUGH, 1)
        reduced_cost_bounds = self.cost[self.index] - self._max_dual_sum(
            vertex_duals, sets
        )
        promising_classes = (reduced_cost_bounds < 0).astype(np.bool_).nonzero()[0]

        no_columns = self.index[:0]
        negative_edges = Edges(no_columns, no_columns, no_columns)
        negative_reduced_costs = self.cost[:0]  # the reduced costs of these edges
        while len(promising_classes) and len(negative_edges) < wanted_edge_count:
            first_types, second_types = (
                end_types[promising_classes] for end_types in self.ends
            )
            rank_of_class = -approximate_log(-reduced_cost_bounds[promising_classes])
            is_class_in_batch = near_edges_mask(
                type_count, first_types, second_types, rank_of_class, self.near
            )
            batch_classes = self.index[promising_classes[is_class_in_batch]]
            for part_of_batch in self._split_by_pairs(batch_classes):
                part_edges, part_reduced_costs = self._find_negative_edges(
                    part_of_batch, vertex_duals, sets, per_vertex
                )
                negative_edges = negative_edges.and_(part_edges)
                negative_reduced_costs = np.concatenate(
                    [negative_reduced_costs, part_reduced_costs]
                )
            promising_classes = promising_classes[~is_class_in_batch]

        is_cheapest_edge = _cheapest_edges_per_vertex(
            self.vertices, negative_edges, negative_reduced_costs, per_vertex
        )
        cheapest_edges = negative_edges.chosen(is_cheapest_edge)
        return cheapest_edges, self.cost[cheapest_edges.number]

    def _find_negative_edges(
        self,
        which: IntArray,
        vertex_duals: VertexDuals,
        sets: SetDuals,
        per_vertex: int,
    ) -> Priced:
        """Return the pairs of some classes with the lowest negative reduced costs.

        `which` are positions among all classes. Reduced costs are those under the duals
        of vertices (`vertex_duals`) and of odd sets (`sets`). The result has about
        `per_vertex` pairs of each vertex, and the reduced cost of each. There may be no
        such pairs: the bounds of classes also count special pairs, which are in other
        classes.
        """
        expanded_edges = self._expand_classes(which)
        reduced_costs = compute_reduced_costs(
            expanded_edges, self.cost[expanded_edges.number], vertex_duals, sets
        )
        negative_positions = (reduced_costs < 0).astype(np.bool_).nonzero()[0]
        negative_edges = expanded_edges.chosen(negative_positions)
        negative_reduced_costs = reduced_costs[negative_positions]
        is_cheapest_edge = _cheapest_edges_per_vertex(
            self.vertices, negative_edges, negative_reduced_costs, per_vertex
        )
        return negative_edges.chosen(is_cheapest_edge), negative_reduced_costs[
            is_cheapest_edge
        ]

    def _split_by_pairs(self, which: IntArray) -> list[IntArray]:
        """Split a list of classes into parts of about `EXPANDED` pairs each.

        `which` are positions among all classes, and the parts keep their order. A part
        has more pairs if a single class in it does.
        """
        players_of_type = np.append(self.classes.size, 1)
        pairs_of_class = (
            players_of_type[self.classes.a[which]]
            * players_of_type[self.classes.b[which]]
        )
        part_numbers = np.cumsum(pairs_of_class) // EXPANDED
        return np.split(which, np.flatnonzero(np.diff(part_numbers)) + 1)

    def matching(self, u: IntArray, v: IntArray) -> Edges:
        """Return the edges of a perfect matching that joins u[k] < v[k].

        The number of players as v[k] stands for the bye.
        """
        classes = self.classes
        class_of_bye = np.full(len(classes.size), -1)
        class_of_bye[classes.a[classes.bye]] = classes.bye.nonzero()[0]
        class_of_pair, is_match = class_of_bye[classes.type_of[u]], v < classes.players
        class_of_pair[is_match] = classes.class_of(u[is_match], v[is_match])
        return Edges(u, v, class_of_pair)

    def above(
        self, vertex_duals: VertexDuals, sets: SetDuals
    ) -> tuple[IntArray, Numbers, Numbers]:
        """Return the classes, and bounds of the reduced costs of the pairs of each.

        These are three arrays of shape (classes of `index`,): positions of classes,
        lower bounds and upper bounds. All pairs of the two types count, even special
        ones of other classes. The duals are those of vertices (`vertex_duals`) and of
        odd sets (`sets`).
        """
        exact_duals, class_costs = (
            as_exact_array(vertex_duals, sets, self.cost),
            self.cost[self.index],
        )
        lower_bounds = class_costs - self._max_dual_sum(vertex_duals, sets)
        upper_bounds = class_costs + self._max_endpoint_sum(-exact_duals)
        return self.index, lower_bounds, upper_bounds

    def _max_dual_sum(self, vertex_duals: VertexDuals, sets: SetDuals) -> Numbers:
        """Return for each class an upper bound of the duals that one of its pairs pays.

        These are the duals of the two players and of the odd sets that the pair
        crosses. Sets that hold both players may be counted, too, so it is only a bound.
        The shape is (classes of `index`,). `vertex_duals` has the dual of each vertex,
        and `sets` that of each odd set.
        """
        duals_with_sets = as_exact_array(vertex_duals, sets, self.cost)
        for odd_set, set_dual in sets.items():
            duals_with_sets[list(odd_set)] += set_dual
        return self._max_endpoint_sum(duals_with_sets)

    def _max_endpoint_sum(self, value: Numbers) -> Numbers:
        """Return the largest sum of two different players' values in each class.

        One player is of each of the class's two types. `value` has an entry for each
        vertex, the bye of an odd field last; for a class of byes it is one of the two.
        The result has shape (classes of `index`,).
        """
        classes, (first_types, second_types) = self.classes, self.ends
        # players by type
        players_by_type = np.concatenate(classes.members)
        type_starts = np.cumsum(classes.size) - classes.size
        values_sorted_by_type = value[players_by_type]
        highest_values = np.maximum.reduceat(values_sorted_by_type, type_starts)

        # the second highest of each type: without one player who has the highest
        highest_positions = (
            values_sorted_by_type == highest_values.repeat(classes.size)
        ).nonzero()[0]
        types_of_highest = classes.type_of[players_by_type[highest_positions]]
        _distinct_types, first_highest_of_type = np.unique(
            types_of_highest, return_index=True
        )
        values_sorted_by_type[highest_positions[first_highest_of_type]] = (
            values_sorted_by_type.min()
        )
        second_highest_values = np.maximum.reduceat(values_sorted_by_type, type_starts)

        bye_value = value[-1]
        highest_values = np.append(highest_values, bye_value)
        second_highest_values = np.append(second_highest_values, bye_value)
        highest_partner_values = np.where(
            first_types == second_types,
            second_highest_values[second_types],
            highest_values[second_types],
        )
        return np.asarray(highest_values[first_types] + highest_partner_values)

    def _expand_classes(self, which: IntArray) -> Edges:
        """Return all pairs of the classes at these positions as edges.

        `which` are positions among all classes, not among `index`.
        """
        is_class_chosen = np.zeros(len(self.classes), np.bool_)
        is_class_chosen[which] = True
        return Edges(*expand_pairs(self.classes, is_class_chosen))


def _cheapest_edges_per_vertex(
    vertices: int, edges: Edges, reduced: Numbers, per_vertex: int
) -> BoolArray:
    """Return a mask of each vertex's edges with the least reduced costs.

    They are about `per_vertex` for each vertex. All reduced costs are negative.
    `reduced` has one for each edge, and `vertices` is the number of vertices.
    """
    rank_of_edge = -approximate_log(-reduced)
    return near_edges_mask(
        vertices, edges.first, edges.second, rank_of_edge, per_vertex
    )
