"""The steps of a system's proof, each on the arcs that the steps before leave possible.

A system compares pairings level after level, bracket after bracket, and what an arc adds to a
level is known only among pairings that are equal in the levels before. So there is a step for
each bracket's quality, and one for each player in the order of its candidates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, count

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.alternating_paths import (
    find_exchangeable_vertices,
    iterate_set_bits,
    pack_bits,
)
from pairopt.engines.odd_sets import component_of
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.proof.certificate import (
    Certificate,
    Dual,
    NotOptimalError,
    find_certificate,
    format_duals,
)
from pairopt.proof.claim import ArcCosts, Claim, Content, compute_step_costs

NOTHING = (Fraction(0),)
# indices of levels of a claim
Levels = list[int]
ForcedRounds = list[list[tuple[int, int]]]
"""Rounds of pairs: a vertex with only one arc left, and the other end, which has more."""


def iterate_steps(claim: Claim, partner: IntArray, budget: Budget) -> Iterator[Content]:
    """Yield the steps that prove a system's pairing optimal, as in the proof file.

    There is one step for each element of the claim's `chain`. `partner`, shape
    (vertices,), is everybody's partner in the pairing. Raises TimeUpError, and
    EngineError if the pairing is not optimal.
    """
    possible_arcs = claim.table.number >= 0
    earlier_steps = list[Levels]()
    first_level = 0
    builder = _StepBuilder(claim, partner, budget)
    for step_sums in claim.chain:
        budget.check()
        end_level = first_level + len(step_sums.levels)
        step_levels = list(range(first_level, end_level))
        step_content, possible_arcs = builder.build_step(
            step_levels, earlier_steps, possible_arcs
        )
        earlier_steps.append(step_levels)
        first_level = end_level
        yield step_content


@dataclass(frozen=True)
class _StepBuilder:
    """Builds the steps of the proof that the pairing `partner` is optimal.

    `claim` is the claim to prove; `budget` limits the time.
    """

    claim: Claim
    partner: IntArray
    budget: Budget

    def build_step(
        self, levels: Levels, earlier_steps: Sequence[Levels], possible: BoolArray
    ) -> tuple[Content, BoolArray]:
        """Return the content of a step, and a mask of the arcs that it leaves possible.

        If the levels have no dual solution by themselves, earlier steps that have costs
        are proven again in this one: the last one, two, four and so on. `levels` are
        indices of the step's levels, `earlier_steps` those of each step before, and
        `possible` marks the arcs left by these steps. Raises NotOptimalError,
        TimeUpError.
        """
        remaining_arcs, forced_rounds = _remove_forced_arcs(possible, self.partner)
        owners = self.claim.find_owners(levels)
        if earlier_steps and owners is not None and len(levels) == 1:
            owner_vertex = owners[0]
            step_costs = compute_step_costs(self.claim, levels, possible)
            owner_costs = step_costs.kinds[step_costs.number[owner_vertex], 0]
            certificate = certify_one_vertex(
                owner_vertex, owner_costs, remaining_arcs, self.partner
            )
            if certificate is not None:
                return self._finish_step(
                    levels,
                    step_costs,
                    certificate,
                    forced_rounds,
                    possible,
                    owner_vertex,
                )

        for step_count in chain([0], (2**exponent for exponent in count())):
            repeated_steps = list[Levels]()
            if step_count:
                repeated_steps = [
                    earlier_step
                    for earlier_step in earlier_steps[-step_count:]
                    if self.has_costs(earlier_step, remaining_arcs)
                ]
            all_levels = [*chain.from_iterable(repeated_steps), *levels]
            step_costs = compute_step_costs(self.claim, all_levels, possible)
            try:
                certificate = self.find_step_certificate(step_costs, remaining_arcs)
                return self._finish_step(
                    all_levels, step_costs, certificate, forced_rounds, possible
                )
            except NotOptimalError:
                if step_count >= len(earlier_steps):
                    raise
        raise AssertionError

    def has_costs(self, levels: Levels, possible: BoolArray) -> bool:
        """Return whether some possible arc has a cost other than 0 in these levels.

        `levels` are indices of the claim's levels, `possible` marks arcs.
        """
        return bool(compute_step_costs(self.claim, levels, possible).number.any())

    def _finish_step(
        self,
        levels: Levels,
        costs: ArcCosts,
        certificate: Certificate,
        forced: ForcedRounds,
        possible: BoolArray,
        owner: int | None = None,
    ) -> tuple[Content, BoolArray]:
        """Return a step as in the proof file, and a mask of arcs still possible.

        `forced` are the forced arcs that were left out of the certificate. `owner` is
        the only vertex whose arcs have a cost, None if there is no such vertex.
        `possible` marks the arcs that are possible before the step. `levels` are the
        step's levels, and `costs` what arcs cost in them. Raises NotOptimalError if a
        reduced cost is negative.
        """
        certificate, still_possible = remove_costly_arcs(
            certificate, forced, possible, costs.number, costs.kinds, owner
        )
        step_content = {
            "levels": levels,
            **costs.content(possible),
            **format_duals(certificate),
        }
        return step_content, still_possible

    def find_step_certificate(
        self, costs: ArcCosts, remaining: BoolArray
    ) -> Certificate:
        """Find the duals of all vertices for the costs of a step.

        Vertices without an arc in `remaining` have no choice: one end of their arc pays
        its whole cost, the other 0. Raises NotOptimalError, TimeUpError.
        """
        vertex_count = len(remaining)
        cost_kinds = costs.kinds.tolist()
        has_choice = remaining.any(axis=1)
        vertices_with_choice = np.flatnonzero(has_choice)
        dual_rows_by_vertex = np.zeros((vertex_count, len(cost_kinds[0])), object)
        step_values = np.zeros(len(cost_kinds[0]), object)
        for vertex in np.flatnonzero(~has_choice).tolist():
            if vertex < self.partner[vertex]:
                dual_rows_by_vertex[vertex] = cost_kinds[
                    costs.number[vertex, self.partner[vertex]]
                ]
                step_values = step_values + dual_rows_by_vertex[vertex]

        odd_sets: tuple[tuple[frozenset[int], Dual], ...] = ()
        if len(vertices_with_choice):
            kind_of_pair = np.where(remaining, costs.number, -1)[
                np.ix_(vertices_with_choice, vertices_with_choice)
            ]
            partner_indices = np.searchsorted(
                vertices_with_choice, self.partner[vertices_with_choice]
            )
            has_bye_vertex = bool(
                self.claim.is_odd and vertices_with_choice[-1] == vertex_count - 1
            )
            certificate = find_certificate(
                cost_kinds, kind_of_pair, partner_indices, has_bye_vertex, self.budget
            )
            dual_rows_by_vertex[vertices_with_choice] = certificate.duals
            step_values = step_values + np.array(certificate.values, object)
            odd_sets = tuple(
                (frozenset(vertices_with_choice[[*odd_set]].tolist()), set_dual)
                for odd_set, set_dual in certificate.odd_sets
            )
        dual_rows = tuple(
            tuple(map(Fraction, vertex_duals))
            for vertex_duals in dual_rows_by_vertex.tolist()
        )
        return Certificate(dual_rows, odd_sets, tuple(step_values.tolist()))


def _remove_forced_arcs(
    possible: BoolArray, partner: IntArray
) -> tuple[BoolArray, ForcedRounds]:
    """Remove the arcs of vertices that have only one arc left, and repeat that.

    `possible`, shape (vertices, vertices), marks arcs. `partner`, shape (vertices,), has
    each vertex's mate in a pairing that uses only such arcs. All arcs of both ends of a
    forced arc are removed, and so other vertices may have only one left. Returns the
    remaining arcs, and for each round the forced pairs whose second vertex had other
    arcs, too.
    """
    remaining_arcs = possible.copy()
    forced_rounds = ForcedRounds()
    while True:
        arc_counts = np.count_nonzero(remaining_arcs, axis=1)
        forced_pairs = [
            (lone_vertex, int(partner[lone_vertex]))
            for lone_vertex in np.flatnonzero(arc_counts == 1).tolist()
        ]
        for forced_vertex, forced_partner in forced_pairs:
            arc_ends = [forced_vertex, forced_partner]
            remaining_arcs[arc_ends] = remaining_arcs[:, arc_ends] = False
        forced_pairs = [
            (forced_vertex, forced_partner)
            for forced_vertex, forced_partner in forced_pairs
            if arc_counts[forced_partner] > 1
        ]
        if not forced_pairs:
            return remaining_arcs, forced_rounds
        forced_rounds.append(forced_pairs)


def remove_costly_arcs(
    certificate: Certificate,
    forced: ForcedRounds,
    possible: BoolArray,
    number: IntArray,
    costs: IntArray,
    owner: int | None = None,
) -> tuple[Certificate, BoolArray]:
    """Remove arcs with a positive reduced cost, and those that forced arcs exclude.

    Return the certificate with which they are removed, which may be a changed one, and
    a new mask of the arcs still possible; `possible` is the mask before. `number`,
    shape (vertices, vertices), is the row of `costs` of each arc. `forced` has rounds
    of pairs: a vertex with one arc left, and its partner. This vertex pays what its
    partner receives, so much that no other arc of the partner remains. If only arcs of
    the vertex `owner` have a cost, arcs between vertices with the dual 0 stay;
    otherwise `owner` is None. Raises NotOptimalError if a reduced cost is negative.
    """
    doubled_rows = [
        [int(2 * half_dual) if half_dual else 0 for half_dual in vertex_dual]
        for vertex_dual in certificate.duals
    ]
    doubled_duals = np.array(doubled_rows, np.int64)
    forced_vertices = list(chain.from_iterable(chain(*forced)))
    if owner is None:
        first_ends, second_ends = np.nonzero(np.triu(possible))
    else:
        priced_vertices = {
            owner,
            *np.flatnonzero(doubled_duals[:, 0]).tolist(),
            *forced_vertices,
        }
        for odd_set, _ in certificate.odd_sets:
            priced_vertices |= odd_set
        sorted_priced_vertices = np.array(sorted(priced_vertices))
        priced_indices, second_ends = np.nonzero(possible[sorted_priced_vertices])
        first_ends = sorted_priced_vertices[priced_indices]

    if forced:
        reduced_costs = _compute_reduced_costs(
            certificate, doubled_duals, first_ends, second_ends, number, costs, 0
        )
        dual_step = 2 * max(1, 1 - int(reduced_costs.min()))
        for round_number, forced_pairs in enumerate(forced[::-1], 1):
            for forced_vertex, partner_vertex in forced_pairs:
                doubled_duals[forced_vertex, 0] += round_number * dual_step
                doubled_duals[partner_vertex, 0] -= round_number * dual_step
        dual_rows = list(certificate.duals)
        for forced_vertex in forced_vertices:
            dual_rows[forced_vertex] = (
                Fraction(int(doubled_duals[forced_vertex, 0]), 2),
                *dual_rows[forced_vertex][1:],
            )
        certificate = Certificate(
            tuple(dual_rows), certificate.odd_sets, certificate.values
        )

    still_possible = possible.copy()
    for level_index in range(costs.shape[1]):
        reduced_costs = _compute_reduced_costs(
            certificate,
            doubled_duals,
            first_ends,
            second_ends,
            number,
            costs,
            level_index,
        )
        if (reduced_costs < 0).any():
            raise NotOptimalError("proof.too_cheap")
        is_costly, is_tight = reduced_costs > 0, reduced_costs == 0
        costly_first_ends, costly_second_ends = (
            first_ends[is_costly],
            second_ends[is_costly],
        )
        still_possible[costly_first_ends, costly_second_ends] = False
        still_possible[costly_second_ends, costly_first_ends] = False
        first_ends, second_ends = first_ends[is_tight], second_ends[is_tight]
    return certificate, still_possible


def _compute_reduced_costs(
    certificate: Certificate,
    duals: IntArray,
    first_end: IntArray,
    second_end: IntArray,
    number: IntArray,
    costs: IntArray,
    level: int,
) -> IntArray:
    """Return twice the reduced costs of arcs in one level, shape (arcs,).

    Arc k joins the vertices first_end[k] and second_end[k]. `number`, shape (vertices,
    vertices), is the row of `costs` of each arc, and `level` the column. `duals`, shape
    (vertices, levels), are twice those of the vertices; those of the odd sets are in
    the certificate.
    """
    reduced_costs: IntArray = (
        2 * costs[number[first_end, second_end], level]
        - duals[first_end, level]
        - duals[second_end, level]
    )
    for odd_set, set_dual in certificate.odd_sets:
        if set_dual[level]:
            is_in_set = np.zeros(len(duals), np.bool_)
            is_in_set[[*odd_set]] = True
            crosses_set = is_in_set[first_end] != is_in_set[second_end]
            reduced_costs[crosses_set] -= int(2 * set_dual[level])
    return reduced_costs


def certify_one_vertex(
    owner: int, amounts: IntArray, possible: BoolArray, partner: IntArray
) -> Certificate | None:
    """Certify a level in which only the arcs of the vertex `owner` have a cost.

    The certificate proves that no pairing of the arcs that are left costs less in this
    level than the pairing `partner`. `amounts`, shape (vertices,), is the cost with
    each partner. `possible`, shape (vertices, vertices), marks the arcs that are left.
    `partner`, shape (vertices,), has the partner of each vertex.

    If the owner took a cheaper partner, some vertex would stay unmatched. The vertices
    that could be are in odd components, whose only other neighbours are one fewer than
    the components: these receive what the components pay. Returns None if a cheaper
    partner is possible.
    """
    dual_of_vertex = [0] * len(partner)
    paid_cost = int(amounts[partner[owner]])
    least_cost = int(amounts[possible[owner]].min(initial=paid_cost))
    excess_cost = paid_cost - least_cost
    odd_sets = list[tuple[frozenset[int], Dual]]()
    dual_of_vertex[owner] = least_cost
    if excess_cost > 0:
        other_arcs = possible.copy()
        other_arcs[owner] = other_arcs[:, owner] = False
        partner_of_vertex = partner.tolist()
        freed_partner = partner_of_vertex[owner]
        partner_of_vertex[owner] = partner_of_vertex[freed_partner] = -1
        opponent_bits = [pack_bits(is_opponent) for is_opponent in other_arcs]
        exchangeable_bits = find_exchangeable_vertices(
            opponent_bits, partner_of_vertex, freed_partner
        )
        exchangeable_vertices = np.array(list(iterate_set_bits(exchangeable_bits)))
        is_cheaper_partner = amounts[exchangeable_vertices] < paid_cost
        if is_cheaper_partner[possible[owner, exchangeable_vertices]].any():
            return None

        neighbour_vertices = np.flatnonzero(
            other_arcs[exchangeable_vertices].any(axis=0)
        )
        for vertex in np.setdiff1d(neighbour_vertices, exchangeable_vertices).tolist():
            dual_of_vertex[vertex] = -excess_cost
        first_ends, second_ends = np.nonzero(
            np.triu(other_arcs[np.ix_(exchangeable_vertices, exchangeable_vertices)])
        )
        component_of_vertex = component_of(
            len(exchangeable_vertices), first_ends, second_ends
        )
        for component_index in range(int(component_of_vertex.max()) + 1):
            component_vertices = exchangeable_vertices[
                component_of_vertex == component_index
            ].tolist()
            if len(component_vertices) == 1:
                dual_of_vertex[component_vertices[0]] = excess_cost
            else:
                odd_sets.append(
                    (frozenset(component_vertices), (Fraction(excess_cost),))
                )

    dual_rows = tuple(
        (Fraction(vertex_dual),) if vertex_dual else NOTHING
        for vertex_dual in dual_of_vertex
    )
    return Certificate(dual_rows, tuple(odd_sets), (paid_cost,))
