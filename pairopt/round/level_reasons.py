"""Reasons why a level could not be lower, where the duals of a proof give a short one.

What counts are the matches that an optimal pairing can have, given the levels before: those
with a reduced cost of 0. An odd number of players cannot all meet each other, so if each
match that crosses this odd set adds to a level, the level is not 0. Nor is it if some players
could avoid it only by meeting others who are fewer.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from pairopt.engines.base import EngineError
from pairopt.engines.odd_sets import component_of
from pairopt.event.arcs import BoolArray, IntArray, arcs_of
from pairopt.messages import Message, Value, message, with_heading
from pairopt.problem.problem import Problem
from pairopt.proof.claim import order_players
from pairopt.proof.file import Proof
from pairopt.proof.verify import InvalidProof, read_claim, read_duals

# so many reasons are given for a level, the shortest
MOST_REASONS = 3
# more players are not named, only described by what they share
MOST_NAMES = 6
ODD = {
    "above": ("reason.odd_above", "reason.odd_above_or_bye"),
    "below": ("reason.odd_below", "reason.odd_below_or_bye"),
    "else": ("reason.odd_else", "reason.odd_else_or_bye"),
}
"""Message kinds for an odd set, by where the others are, without and with a possible bye."""


@dataclass(frozen=True, slots=True)
class LevelReason:
    """The reason why a level is above 0: the players concerned, and a clause.

    `level` is its index, and `said` the clause. `players` are positions in the state.
    In every optimal pairing one of their matches adds to the level; if they are an
    `odd` set, one of the matches that cross it, with one player inside and one outside.
    """

    level: int
    players: frozenset[int]
    said: Message
    odd: bool = False


def list_reasons(problem: Problem, proof: Proof) -> tuple[LevelReason, ...]:
    """Return the reasons why levels are above 0, read off the duals of a proof.

    They are sorted by level, then by the number of players, fewest first. There are
    none for a system, for a proof that there is no pairing, and for one that leaves
    levels open. Raises EngineError if the duals prove nothing.
    """
    proof_claim, proof_witness = proof.content["claim"], proof.content["witness"]
    if proof_claim["pairing"] is None or proof_claim["system"] is not None:
        return ()
    if not 0 < proof_witness["shown"] == len(problem.levels):
        return ()
    level_reasons = ProofDuals.of(problem, proof_claim, proof_witness).reasons()
    return tuple(
        sorted(level_reasons, key=lambda reason: (reason.level, len(reason.players)))
    )


@dataclass(frozen=True)
class ProofDuals:
    """The duals of a proof and the arcs that they price; all numbers are doubled.

    `order` has the position in the state of each vertex, `totals` the value of each
    level. `arcs`, shape (arcs, 3), are two vertices and the kind of each legal match;
    `costs`, shape (kinds, levels), are those of the kinds. `duals`, shape (vertices,
    levels), are those of vertices; `sets`, shape (sets, vertices), are the odd sets,
    with their `set_duals`.
    """

    problem: Problem
    order: IntArray
    totals: list[int]
    arcs: IntArray
    costs: IntArray
    duals: IntArray
    sets: BoolArray
    set_duals: IntArray

    @staticmethod
    def of(problem: Problem, stated: Any, witness: Any) -> "ProofDuals":
        """Read the duals from a claim (`stated`) and its witness, as in a proof file.

        Their numbers are doubled. Raises EngineError if they are malformed or do not
        add up to the levels' values.
        """
        proof_claim = read_claim(stated)
        level_count = len(stated["levels"])
        vertex_count = len(proof_claim.table) + 1
        level_totals = [
            stated_value - level_offset
            for *_, stated_value, level_offset, _ in proof_claim.levels
        ]
        try:
            step_duals = read_duals(witness, vertex_count, level_totals)
        except InvalidProof as error:
            raise EngineError(
                with_heading(message("proof.fault"), message(str(error)))
            ) from None

        # an entry of the table is the kind plus 2, 1 for no match
        kind_of_arc = (
            np.array(
                [
                    table_code
                    for table_row in proof_claim.table
                    for table_code in table_row
                ],
                np.int64,
            )
            - 2
        )
        lower_vertices, upper_vertices = np.triu_indices(vertex_count, 1)
        legal_arcs = np.column_stack([lower_vertices, upper_vertices, kind_of_arc])[
            kind_of_arc >= 0
        ]
        kind_costs = [
            min(way_costs for way_costs in costs_of_ways if way_costs is not None)
            for costs_of_ways in proof_claim.kinds
        ]
        duals_by_class = np.array(step_duals.duals, np.int64).reshape(-1, level_count)
        set_rows = [
            [
                set_bits_of_class >> set_index & 1
                for set_bits_of_class in step_duals.sets_of
            ]
            for set_index in range(len(step_duals.sets))
        ]
        set_masks = np.array(set_rows, np.bool_).reshape(-1, len(step_duals.duals))
        return ProofDuals(
            problem,
            order_players(problem),
            level_totals,
            legal_arcs,
            2 * np.array(kind_costs, np.int64).reshape(-1, level_count),
            duals_by_class[step_duals.class_of],
            set_masks[:, step_duals.class_of],
            np.array(step_duals.sets, np.int64).reshape(-1, level_count),
        )

    def reasons(self) -> Iterator[LevelReason]:
        """Yield the reasons for each level that is above 0, in the order of levels.

        Raises EngineError if a reduced cost is negative, so that the duals prove
        nothing.
        """
        possible_arc_indices = np.arange(len(self.arcs))
        for level_index, level_total in enumerate(self.totals):
            lower_vertices, upper_vertices, kind_of_arc = self.arcs[
                possible_arc_indices
            ].T
            arc_costs = self.costs[kind_of_arc, level_index]
            reduced_costs = (
                arc_costs
                - self.duals[lower_vertices, level_index]
                - self.duals[upper_vertices, level_index]
            )
            for set_index in np.flatnonzero(self.set_duals[:, level_index]):
                is_in_set, set_dual = self.sets[set_index], self.set_duals[set_index]
                crosses_set = is_in_set[lower_vertices] != is_in_set[upper_vertices]
                reduced_costs[crosses_set] -= set_dual[level_index]
                is_first_level = (
                    set_dual[level_index] > 0 and not set_dual[:level_index].any()
                )
                has_only_costly_crossings = (
                    crosses_set.any() and (arc_costs[crosses_set] > 0).all()
                )
                if level_total and is_first_level and has_only_costly_crossings:
                    crossing_arcs = self.arcs[possible_arc_indices[crosses_set]]
                    yield from self._explain_odd_set(
                        level_index, is_in_set, crossing_arcs
                    )
            if (reduced_costs < 0).any():
                raise EngineError(
                    with_heading(message("proof.fault"), message("proof.too_cheap"))
                )
            adds_nothing = arc_costs == 0
            if level_total and adds_nothing.any():
                yield from self._explain_too_few_opponents(
                    level_index, possible_arc_indices[adds_nothing]
                )
            possible_arc_indices = possible_arc_indices[reduced_costs == 0]

    def _explain_odd_set(
        self, level: int, is_inside: BoolArray, crossing: IntArray
    ) -> Iterator[LevelReason]:
        """Yield at most one reason: an odd set of players cannot all meet each other.

        `level` is the index of the level. `is_inside` marks the set's vertices; if the
        bye is one of them, the complement is explained instead. `crossing`, shape (m,
        3), are the arcs that cross the set. There is no reason if the players are too
        many to name and cannot be described by their scores.
        """
        bye_vertex = len(self.order) if self.problem.state.odd else -1
        if is_inside[bye_vertex] and bye_vertex >= 0:
            # the complement is crossed by the same matches, and is odd, too
            is_inside = ~is_inside
        set_players = self.order[np.flatnonzero(is_inside)]
        players_value, others_place = self._describe_players(set_players)
        if players_value:
            without_bye, with_bye = ODD[others_place]
            can_have_bye = (crossing[:, :2] == bye_vertex).any()
            clause = message(
                with_bye if can_have_bye else without_bye, who=players_value
            )
            yield LevelReason(level, frozenset(set_players.tolist()), clause, odd=True)

    def _explain_too_few_opponents(
        self, level: int, free: IntArray
    ) -> Iterator[LevelReason]:
        """Yield a reason for each group with too few opponents to avoid the level.

        `level` is the index of the level. Without adding to it, the players of the
        group can meet only others who are fewer than they are, or nobody. `free` are
        the indices in `arcs` of the possible arcs that do not add to the level. Groups
        with the bye, or with too many players to name, are skipped.
        """
        has_positive_dual = self.duals[:, level] > 0
        ends_have_positive_dual = has_positive_dual[self.arcs[free, :2]]
        if not has_positive_dual.any() or ends_have_positive_dual.all(axis=1).any():
            return

        lower_vertices, upper_vertices = self.arcs[
            free[ends_have_positive_dual.any(axis=1)], :2
        ].T
        component_of_vertex = component_of(
            len(has_positive_dual), lower_vertices, upper_vertices
        )
        vertices_without_arc = np.setdiff1d(
            np.flatnonzero(has_positive_dual), np.append(lower_vertices, upper_vertices)
        )
        connected_groups = [
            np.flatnonzero(component_of_vertex == component_label)
            for component_label in np.unique(component_of_vertex[has_positive_dual])
        ]
        vertex_names = [
            self.problem.state.shown[seat_in_order] for seat_in_order in self.order
        ]
        vertex_names.append("the bye")
        if self.problem.levels[level].criterion == "score_groups":
            vertex_groups = [
                vertices_without_arc[group_index : group_index + 1]
                for group_index in range(len(vertices_without_arc))
            ]
        else:
            vertex_groups = [vertices_without_arc]
        for vertex_group in connected_groups:
            if not np.isin(vertex_group, vertices_without_arc).any():
                vertex_groups.append(vertex_group)

        for vertex_group in vertex_groups:
            positive_dual_vertices, opponent_vertices = (
                vertex_group[has_positive_dual[vertex_group]],
                vertex_group[~has_positive_dual[vertex_group]],
            )
            if not len(opponent_vertices) < len(positive_dual_vertices) <= MOST_NAMES:
                continue
            if positive_dual_vertices.max() == len(self.order):
                continue
            positive_dual_players = self.order[positive_dual_vertices]
            positive_dual_names = [
                vertex_names[vertex] for vertex in positive_dual_vertices
            ]
            if len(opponent_vertices):
                opponent_names = [vertex_names[vertex] for vertex in opponent_vertices]
                clause = message(
                    "reason.fewer", who=positive_dual_names, others=opponent_names
                )
            else:
                clause = self._explain_alone(level, positive_dual_players) or message(
                    "reason.every", who=positive_dual_names
                )
            yield LevelReason(level, frozenset(positive_dual_players.tolist()), clause)

    def _explain_alone(self, level: int, players: IntArray) -> Message | None:
        """Return a clause on why players find no opponents in their score group.

        It says that the first of `players` (positions in the state) has met all others
        in the group, or that the group has nobody else. None if neither is so, or if
        the level with the index `level` is not about score groups.
        """
        state, first_player = self.problem.state, int(players[0])
        if self.problem.levels[level].criterion != "score_groups":
            return None
        group_players = np.flatnonzero(state.group == state.group[first_player])
        group_mates = np.setdiff1d(group_players, players)
        player_name, group_points = (
            state.shown[first_player],
            Fraction(int(state.score[first_player]), state.scale),
        )
        if not len(group_mates):
            return message("reason.nobody_but", name=player_name, points=group_points)
        has_met = (
            state.meetings.met(
                arcs_of(np.full(len(group_mates), first_player), group_mates)
            )
            > 0
        )
        if has_met.all():
            return message("reason.met_all", name=player_name, points=group_points)
        return None

    def _describe_players(self, players: IntArray) -> tuple[Value | list[str], str]:
        """Describe players by scores or by names, and say where all others are.

        `players` are positions in the state. They are described by scores if exactly
        they have scores in their range, and if the range is one score or reaches the
        highest or the lowest score. The second value is "below" for a range that
        reaches the highest score, "above" for one that reaches the lowest, and
        otherwise, as for one score, "else". Otherwise the description is a list of
        names, empty if there are more than `MOST_NAMES` players.
        """
        state, player_count = self.problem.state, len(players)
        player_scores = state.score[players]
        lowest_score, highest_score = int(player_scores.min()), int(player_scores.max())
        is_in_range = (state.score >= lowest_score) & (state.score <= highest_score)
        if int(is_in_range.sum()) == player_count:
            lowest_points, highest_points = (
                Fraction(lowest_score, state.scale),
                Fraction(highest_score, state.scale),
            )
            if lowest_score == highest_score:
                players_value = Value(
                    "reason.players", {"many": player_count, "points": lowest_points}
                )
                return players_value, "else"
            if highest_score == state.score.max():
                players_value = Value(
                    "reason.more_players",
                    {"many": player_count, "points": lowest_points},
                )
                return players_value, "below"
            if lowest_score == state.score.min():
                players_value = Value(
                    "reason.few_players",
                    {"many": player_count, "points": highest_points},
                )
                return players_value, "above"
        if player_count > MOST_NAMES:
            return [], "else"
        return [state.shown[player_seat] for player_seat in players], "else"
