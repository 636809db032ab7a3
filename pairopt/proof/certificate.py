"""Certify that no pairing is better, or that there is none, in numbers that anyone can check.

Vertices are the players, in some order, and in an odd field the bye after them. Levels are
those that decide: all levels of a lexicographic round, the weighted sum alone of a weighted
one. Vectors of levels are compared lexicographically.

The levels of an arc are packed into one integer, in a mixed radix so large that no sum of
costs in the search for dual values spills from one digit into the next. So what holds of the
integers holds of the vectors. In a large field the duals come from a few arcs of each vertex;
all other arcs are priced afterwards, and those with a negative reduced cost are added.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain, count
from typing import Any

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.alternating_paths import (
    find_exchangeable_vertices,
    iterate_set_bits,
    pack_bits,
)
from pairopt.engines.base import EngineError
from pairopt.engines.matching.edge_sets import ExplicitEdges
from pairopt.engines.matching.edges import Costs, Edges
from pairopt.engines.matching.min_cost_matching import (
    max_weight_partners,
    solve_min_cost_matching,
)
from pairopt.engines.matching.reduced_costs import double_exact
from pairopt.engines.odd_sets import component_of
from pairopt.event.arcs import BoolArray, IntArray

FIRST_ROOM = 256
"""A digit first has room for so many times the largest cost; mostly that is enough."""
# the dual value of a vertex or an odd set, one number for each level
Dual = tuple[Fraction, ...]


@dataclass(frozen=True)
class Certificate:
    """A dual solution: a lower bound of all pairings that one pairing attains.

    `duals` has one entry for each vertex, `odd_sets` the odd sets of vertices with their
    duals, of which the first entry other than 0 is positive. No legal arc costs less than the
    duals of its two ends and of the odd sets that it crosses. The sum of all duals is
    `values`, one integer for each level: sums over arcs without the levels' offsets.
    """

    duals: tuple[Dual, ...]
    odd_sets: tuple[tuple[frozenset[int], Dual], ...]
    values: tuple[int, ...]


@dataclass(frozen=True)
class TutteSet:
    """A proof that a graph has no perfect matching (Tutte's condition).

    `components` partition all vertices but `players`. No legal arc joins two components, and
    more components are of odd size than there are `players`.
    """

    players: frozenset[int]
    components: tuple[frozenset[int], ...]


class NotOptimalError(EngineError):
    """A pairing is better than the one whose optimality was to be certified."""


def find_certificate(
    kinds: Sequence[Sequence[int]],
    number: IntArray,
    partner: IntArray,
    odd: bool,
    budget: Budget = Budget(),
) -> Certificate:
    """Find a dual solution that certifies the optimality of a pairing.

    `number`, symmetric, of shape (vertices, vertices), is the index in `kinds` of each
    arc's cost, -1 for no arc; a cost is one integer for each level. `partner`, shape
    (vertices,), is everybody's partner in the pairing, which uses only such arcs. The
    last vertex is the bye if `odd`. Raises TimeUpError, and NotOptimalError if the
    pairing is not optimal.
    """
    pairing_costs = [
        kinds[number[vertex, partner_vertex]]
        for vertex, partner_vertex in enumerate(partner.tolist())
        if vertex < partner_vertex
    ]
    pairing_values = tuple(map(sum, zip(*pairing_costs, strict=True)))
    doubled_values = [2 * pairing_value for pairing_value in pairing_values]
    larger_rooms = (64 * len(partner) ** room_exponent for room_exponent in count(1))
    for digit_room in chain([FIRST_ROOM], larger_rooms):
        packed_arcs = _pack_arcs(kinds, number, partner, odd, digit_room)
        doubled_duals = _solve_duals(packed_arcs, partner, budget)
        if doubled_duals is None:
            continue
        doubled_vertex_duals, doubled_set_duals = doubled_duals
        doubled_totals = [
            sum(level_duals)
            for level_duals in zip(
                *doubled_vertex_duals, *doubled_set_duals.values(), strict=True
            )
        ]
        if doubled_totals == doubled_values:
            break
        if digit_room > FIRST_ROOM:
            raise NotOptimalError("proof.not_optimal")

    halve_exactly = cache(lambda doubled: Fraction(doubled, 2))
    return Certificate(
        duals=tuple(
            tuple(map(halve_exactly, doubled_dual))
            for doubled_dual in doubled_vertex_duals
        ),
        odd_sets=tuple(
            (odd_set, tuple(map(halve_exactly, doubled_dual)))
            for odd_set, doubled_dual in doubled_set_duals.items()
        ),
        values=pairing_values,
    )


@dataclass(frozen=True)
class _PackedArcs:
    """Arcs with the costs of all levels packed into one integer, doubled.

    The `number` of an arc is its kind; kinds of byes come after those of matches.
    `cost` is that of each kind above the `least` cost of a match, or `least_bye` of a
    bye. `unit` is the place value of each level's digit, 0 where all arcs cost the
    same. A digit is less than half of the next unit in size. If `odd`, the last vertex
    is the bye.
    """

    arcs: Edges
    cost: Costs
    least: list[int]
    least_bye: list[int]
    unit: list[int]
    odd: bool

    def unpack(self, dual: int) -> list[int]:
        """Return the digits of a packed dual, one for each level, perhaps negative.

        Levels without a place value (all arcs cost the same) get 0. The first of the
        other levels takes all that the later digits leave.
        """
        level_digits = [0] * len(self.unit)
        packed_levels = [
            level_index
            for level_index, place_value in enumerate(self.unit)
            if place_value
        ]
        for level_index in packed_levels[:0:-1]:
            place_value = self.unit[level_index]
            level_digits[level_index] = (
                dual + place_value // 2
            ) % place_value - place_value // 2
            dual = (dual - level_digits[level_index]) // place_value
        if packed_levels:
            level_digits[packed_levels[0]] = dual
        return level_digits


def _solve_duals(
    packed: _PackedArcs, partner: IntArray, budget: Budget
) -> tuple[list[list[int]], dict[frozenset[int], list[int]]] | None:
    """Solve for the duals, and return twice those of vertices and of odd sets.

    The first value has a row for each vertex, the second a row for each set; a row has
    one number for each level. None if a digit may have spilled over into the next one,
    so that more room is needed. `partner` is the pairing that they should prove
    optimal. `packed` has the arcs and their packed costs. Raises TimeUpError.
    """
    arc_costs = packed.cost[packed.arcs.number]
    edge_set = ExplicitEdges(len(partner), packed.arcs, arc_costs)
    optimal_matching = solve_min_cost_matching(edge_set, budget, whole=True)
    # there is at least the pairing of `partner`
    assert optimal_matching is not None
    doubled_vertex_duals = [
        packed.unpack(packed_dual) for packed_dual in optimal_matching.alone
    ]
    ordered_sets = sorted(
        optimal_matching.sets, key=lambda odd_set: (len(odd_set), sorted(odd_set))
    )
    doubled_set_duals = {
        odd_set: packed.unpack(optimal_matching.sets[odd_set])
        for odd_set in ordered_sets
    }

    for level_index, place_value in enumerate(packed.unit):
        # without a place value all digits are 0
        if not place_value:
            continue
        largest_dual = 2 * max(
            abs(doubled_dual[level_index]) for doubled_dual in doubled_vertex_duals
        )
        set_dual_total = sum(
            abs(doubled_dual[level_index])
            for doubled_dual in doubled_set_duals.values()
        )
        if 4 * (largest_dual + set_dual_total) > place_value:
            return None

    doubled_vertex_duals = [
        [
            dual_digit + least_cost
            for dual_digit, least_cost in zip(doubled_dual, packed.least, strict=True)
        ]
        for doubled_dual in doubled_vertex_duals
    ]
    if packed.odd:
        bye_dual_parts = zip(
            doubled_vertex_duals[-1], packed.least_bye, packed.least, strict=True
        )
        doubled_vertex_duals[-1] = [
            dual_digit + 2 * (least_bye - least_cost)
            for dual_digit, least_bye, least_cost in bye_dual_parts
        ]
    return doubled_vertex_duals, doubled_set_duals


def _pack_arcs(
    kinds: Sequence[Sequence[int]],
    number: IntArray,
    partner: IntArray,
    odd: bool,
    room: int,
) -> _PackedArcs:
    """Pack the costs of arcs, all levels in one integer.

    `kinds[k]` has the costs of kind k, one for each level. `number`, shape (n, n), is
    the index in `kinds` of each arc's cost, -1 for no arc. `partner`, shape (n,), is a
    pairing, and `odd` says whether the last vertex is the bye. The packed costs are
    those above the least cost of the level, doubled.

    A digit has room for `room` times the largest cost of an arc, and for all that
    another pairing could gain, so that earlier levels outweigh later ones. As long as
    all matches of the pairing have the least cost in every level, arcs that cost more
    are left out.
    """
    vertex_count = len(number)
    last_vertex = vertex_count - 1
    first_ends, second_ends = np.nonzero(np.triu(number >= 0, 1))

    # byes are kinds of their own, after those of matches
    kind_count = len(kinds)
    is_bye_arc = odd & (second_ends == last_vertex)
    kind_of_arc = number[first_ends, second_ends] + np.where(is_bye_arc, kind_count, 0)
    bye_kind_offset = kind_count * odd
    kind_of_vertex_match = number[np.arange(vertex_count), partner]
    kind_of_vertex_match = np.append(
        kind_of_vertex_match[:last_vertex],
        kind_of_vertex_match[last_vertex] + bye_kind_offset,
    )
    kind_of_vertex_match[partner[last_vertex]] += bye_kind_offset
    is_used_kind = np.bincount(kind_of_arc, minlength=2 * kind_count) > 0
    is_bye_kind = np.arange(2 * kind_count) >= kind_count

    packed_costs: Costs = np.zeros(2 * kind_count, object)
    least_costs, least_bye, place_values = [], [], []
    for level_index in range(len(kinds[0])):
        level_costs = np.array(
            [kind_costs[level_index] for kind_costs in kinds] * 2, object
        )
        least_costs.append(min(level_costs[is_used_kind & ~is_bye_kind], default=0))
        least_bye.append(min(level_costs[is_used_kind & is_bye_kind], default=0))
        least_of_match_and_bye = np.array([least_costs[-1], least_bye[-1]], object)
        excess_costs = (
            level_costs - least_of_match_and_bye[is_bye_kind.astype(np.int64)]
        )
        largest_excess = max(excess_costs[is_used_kind])
        place_values.append(0)
        if any(place_values) or excess_costs[kind_of_vertex_match].any():
            if largest_excess:
                possible_gain = sum(excess_costs[kind_of_vertex_match].tolist()) // 2
                place_values[-1] = room * (largest_excess + 1) + 4 * possible_gain
                packed_costs = packed_costs * place_values[-1] + excess_costs
        else:
            is_used_kind &= excess_costs == 0

    is_kept_arc = is_used_kind[kind_of_arc]
    packed_edges = Edges(
        first_ends[is_kept_arc], second_ends[is_kept_arc], kind_of_arc[is_kept_arc]
    )
    return _PackedArcs(
        packed_edges,
        double_exact(packed_costs),
        least_costs,
        least_bye,
        place_values,
        odd,
    )


def find_tutte_set(meets: BoolArray, budget: Budget = Budget()) -> TutteSet | None:
    """Find a Tutte set of a graph; None if all vertices can be paired.

    `meets`, shape (vertices, vertices), is symmetric, and True for two vertices that an
    edge joins. A vertex that a maximum matching leaves unmatched, and all that could be
    unmatched in its place, form odd components. Their only other neighbours are one
    vertex fewer than there are components (Gallai and Edmonds' decomposition has all
    such vertices at once; this is the smallest part of it). Raises TimeUpError.
    """
    budget.check()
    vertex_count = len(meets)
    first_ends, second_ends = np.nonzero(np.triu(meets, 1))
    unit_weights = np.ones(len(first_ends), np.int64)
    partner_of_vertex = max_weight_partners(
        vertex_count, first_ends, second_ends, unit_weights
    )
    if -1 not in partner_of_vertex:
        return None

    opponent_bits = [pack_bits(is_opponent) for is_opponent in meets]
    exchangeable_set_bits = [
        find_exchangeable_vertices(opponent_bits, partner_of_vertex, vertex)
        for vertex in range(vertex_count)
        if partner_of_vertex[vertex] == -1
    ]
    smallest_set_bits = min(exchangeable_set_bits, key=int.bit_count)
    is_in_smallest_set = np.isin(
        np.arange(vertex_count), list(iterate_set_bits(smallest_set_bits))
    )
    is_neighbour = meets[is_in_smallest_set].any(axis=0) & ~is_in_smallest_set

    remaining_vertices = np.flatnonzero(~is_neighbour)
    is_remaining_pair = ~is_neighbour[first_ends] & ~is_neighbour[second_ends]
    component_of_remaining = component_of(
        len(remaining_vertices),
        np.searchsorted(remaining_vertices, first_ends[is_remaining_pair]),
        np.searchsorted(remaining_vertices, second_ends[is_remaining_pair]),
    )
    components = tuple(
        frozenset(
            remaining_vertices[component_of_remaining == component_index].tolist()
        )
        for component_index in range(int(component_of_remaining.max()) + 1)
    )
    return TutteSet(frozenset(np.flatnonzero(is_neighbour).tolist()), components)


def format_duals(certificate: Certificate) -> dict[str, Any]:
    """Return the entries `prices` and `sets` of a proof file, with doubled duals.

    `certificate` has the duals of vertices and odd sets. An entry of `prices` is a dual
    and the vertices that have it; vertices with the dual 0 are left out. An entry of
    `sets` is a dual and the vertices of the odd set. Vertices are encoded as the
    lengths of runs of absent and present vertices in turn, absent ones first.
    """
    vertices_by_dual: dict[Dual, list[int]] = {}
    for vertex, dual in enumerate(certificate.duals):
        if any(dual):
            vertices_by_dual.setdefault(dual, []).append(vertex)
    return {
        "prices": [
            [_double_to_integers(dual), encode_runs(vertices)]
            for dual, vertices in vertices_by_dual.items()
        ],
        "sets": [
            [_double_to_integers(dual), encode_runs(sorted(set_vertices))]
            for set_vertices, dual in certificate.odd_sets
        ],
    }


def _double_to_integers(dual: Dual) -> list[int]:
    """Return twice a dual as integers, one for each level.

    A dual has to be a multiple of one half.
    """
    return [int(2 * level_dual) if level_dual else 0 for level_dual in dual]


def encode_runs(members: Iterable[int]) -> list[int]:
    """Encode an ascending set of numbers as the lengths of its runs.

    `members` are the numbers, none negative. The first length is that of the absent
    numbers from 0, which may be 0, then that of the present ones, and so on. So {0, 1,
    4} is [0, 2, 2, 1]. An empty set is an empty list.
    """
    presence_counts = np.bincount([*members])
    run_boundaries = np.flatnonzero(np.diff(presence_counts, prepend=0, append=0))
    run_lengths: list[int] = np.diff(run_boundaries, prepend=0).tolist()
    return run_lengths
