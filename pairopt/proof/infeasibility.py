"""Find a conflict: a smallest set of rules under which some players cannot all be paired.

No fewer rules conflict. No player can be left out, though other, smaller sets of players may
conflict as well: a smallest circuit is NP-hard to find, already in a transversal matroid
(McCormick 1983). The legal pairs are the edges of a graph, so a set of players can be paired
if some matching covers it (others may stay unmatched). The minimal sets that no matching
covers are the circuits of the matching matroid: a player whom a maximum matching leaves
unmatched, and all who could be unmatched in their place, the ends of even alternating paths
from there (Edmonds' search). Another maximum matching may give a smaller circuit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TypeVar

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.alternating_paths import (
    find_exchangeable_vertices,
    iterate_set_bits,
)
from pairopt.engines.matching.edges import near_edges_mask
from pairopt.engines.matching.min_cost_matching import max_weight_partners
from pairopt.event.arcs import BoolArray, IntArray, all_pairs_and_byes
from pairopt.problem.problem import Problem
from pairopt.rules.base import Constraint

Rules = tuple[Constraint, ...]
AnyRule = TypeVar("AnyRule")
# returns whether there is a pairing under these rules
Possible = Callable[[Sequence[AnyRule]], bool]


@dataclass(frozen=True)
class RuleGraphs:
    """The pairs and byes that each rule allows by itself.

    They give the graph of legal pairs under any set of rules. `first` < `second` are
    all pairs of players, with n as `second` for the byes of an odd field; `place` is
    each player's position in players.csv. `allows` has an array for each rule, of shape
    (2, pairs), with one row for each way round. `budget` is checked before each
    matching. Matchings in the graph show whether everybody can be paired.
    """

    rules: Rules
    place: IntArray
    first: IntArray
    second: IntArray
    allows: tuple[BoolArray, ...]
    budget: Budget = Budget()

    @property
    def players(self) -> int:
        """Number of players, without the bye."""
        return len(self.place)

    def find_allowed_pairs(self, rules: Sequence[Constraint]) -> BoolArray:
        """Return a mask of the pairs and byes that all these rules allow.

        The shape is (pairs,), and one way round is enough. Rules that the graphs do not
        have are ignored.
        """
        is_allowed_way = np.ones((2, len(self.first)), np.bool_)
        for rule, allowed_ways in zip(self.rules, self.allows, strict=True):
            if rule in rules:
                is_allowed_way &= allowed_ways
        return np.asarray(is_allowed_way.any(axis=0), np.bool_)

    @cached_property
    def active(self) -> Rules:
        """The rules that forbid at least one pair or bye, at least one way round."""
        return tuple(
            rule
            for rule, allowed_ways in zip(self.rules, self.allows, strict=True)
            if not allowed_ways.all()
        )

    def match_players(self, rules: Sequence[Constraint]) -> list[int]:
        """Return each player's opponent in a matching with fewest unmatched players.

        The opponent is n for the bye, and -1 for nobody; one more entry, the last, is
        the player with the bye, -1 if nobody has it. Only pairs that all these `rules`
        allow are used. Raises TimeUpError.
        """
        return self._match_by_pairs(np.flatnonzero(self.find_allowed_pairs(rules)))

    def _match_by_pairs(self, pairs: IntArray) -> list[int]:
        """Return each player's opponent in a matching with fewest unmatched players.

        Only the pairs and byes with the indices `pairs` (in `first` and `second`) are
        used. The opponent is n for the bye, and -1 for nobody; one more entry, the
        last, is the player with the bye, -1 if nobody has it. Raises TimeUpError.
        """
        self.budget.check()
        # a match covers two players, a bye one
        pair_weights = np.where(self.second == self.players, 1, 2)[pairs]
        return max_weight_partners(
            self.players + 1, self.first[pairs], self.second[pairs], pair_weights
        )

    def has_pairing(self, rules: Sequence[Constraint]) -> bool:
        """Return whether all players can be paired under these rules.

        First a matching of a few pairs of each player is tried, which is often enough,
        then one of all allowed pairs. Raises TimeUpError.
        """
        allowed_pairs = np.flatnonzero(self.find_allowed_pairs(rules))
        first_players, second_players = (
            self.first[allowed_pairs],
            self.second[allowed_pairs],
        )
        pair_counts = np.bincount(
            np.append(first_players, second_players), minlength=self.players
        )
        if not pair_counts[: self.players].all():
            return False
        is_near_pair = near_edges_mask(
            self.players + 1,
            first_players,
            second_players,
            np.zeros(len(allowed_pairs)),
        )
        for candidate_pairs in (allowed_pairs[is_near_pair], allowed_pairs):
            if -1 not in self._match_by_pairs(candidate_pairs)[:-1]:
                return True
        return False

    def list_opponents(self, rules: Sequence[Constraint]) -> list[set[int]]:
        """Return the set of opponents whom each player may meet under these rules.

        The bye is n: it is in the sets of players who may have it, and the last set has
        the players who may have the bye. One way round is enough.
        """
        is_allowed = self.find_allowed_pairs(rules)
        first_players, second_players = self.first[is_allowed], self.second[is_allowed]
        end_players = np.concatenate([first_players, second_players])
        opponent_positions = np.concatenate([second_players, first_players])
        end_order = np.argsort(end_players, kind="stable")
        player_stops = np.searchsorted(
            end_players[end_order], np.arange(1, self.players + 1)
        )
        return [
            set(player_opponents.tolist())
            for player_opponents in np.split(
                opponent_positions[end_order], player_stops
            )
        ]


def build_rule_graphs(problem: Problem, budget: Budget = Budget()) -> RuleGraphs:
    """Compute which pairs and byes each constraint of a problem allows by itself.

    It takes memory for every pair of players and rule. Raises TimeUpError.
    """
    player_count, state = len(problem), problem.state
    all_arcs = all_pairs_and_byes(player_count)
    first_players, second_players = (
        all_arcs.first,
        np.where(all_arcs.bye, player_count, all_arcs.second),
    )
    reversed_arcs = all_arcs.reversed() if state.sided else all_arcs
    allowed_ways_of_rules = tuple(
        np.stack([rule.legal(state, all_arcs), rule.legal(state, reversed_arcs)])
        for rule in budget.iterate(problem.constraints)
    )
    return RuleGraphs(
        problem.constraints,
        state.player,
        first_players,
        second_players,
        allowed_ways_of_rules,
        budget,
    )


def memoize_feasibility(possible: Possible[AnyRule]) -> Possible[AnyRule]:
    """Return a function like `possible` that remembers and reuses its answers.

    `possible` says whether there is a pairing under some rules. If there is one, there
    is also one under any subset of the rules. If there is none, there is none under any
    superset.
    """
    feasible_sets, infeasible_sets = (
        list[Sequence[AnyRule]](),
        list[Sequence[AnyRule]](),
    )

    def is_possible(rules: Sequence[AnyRule]) -> bool:
        """Return whether there is a pairing under these rules.

        The function `possible` is asked only if no earlier answer says it.
        """
        if any(
            all(rule in feasible_set for rule in rules)
            for feasible_set in feasible_sets
        ):
            return True
        if any(
            all(rule in rules for rule in infeasible_set)
            for infeasible_set in infeasible_sets
        ):
            return False
        is_feasible = possible(rules)
        if is_feasible:
            feasible_sets.append(rules)
        else:
            infeasible_sets.append(rules)
        return is_feasible

    return is_possible


def find_smallest_conflict(
    rules: Sequence[AnyRule], possible: Possible[AnyRule]
) -> tuple[AnyRule, ...]:
    """Return the first of the smallest sets of rules under which there is no pairing.

    `possible` says whether there is a pairing under some rules. There must be none
    under all `rules`: otherwise StopIteration is raised. First `possible` is asked with
    each rule left out, so that it may remember what follows for fewer rules.
    """
    for rule in rules:
        possible([other_rule for other_rule in rules if other_rule != rule])
    rule_subsets = (
        rule_subset
        for rule_count in range(len(rules) + 1)
        for rule_subset in combinations(rules, rule_count)
    )
    return next(
        rule_subset for rule_subset in rule_subsets if not possible(rule_subset)
    )


def find_helpful_sets(
    rules: Sequence[AnyRule], possible: Possible[AnyRule]
) -> list[tuple[AnyRule, ...]]:
    """Return the smallest sets of rules without which there is a pairing.

    They are those of the fewest rules, so all have the same size, at least 1.
    `possible` says whether there is a pairing under some rules. The list is empty if
    there is no pairing even without any rule.
    """
    for rule_count in range(1, len(rules) + 1):
        helpful_sets = []
        for left_out_rules in combinations(rules, rule_count):
            remaining_rules = [rule for rule in rules if rule not in left_out_rules]
            if possible(remaining_rules):
                helpful_sets.append(left_out_rules)
        if helpful_sets:
            return helpful_sets
    return []


def find_conflict(
    graphs: RuleGraphs, has_pairing: Possible[Constraint]
) -> tuple[Rules, tuple[int, ...]] | None:
    """Find the fewest rules that conflict, and players of whom none can be left out.

    Returns the rules, and the players as positions in the state; None if all can be
    paired. `graphs` has the pairs that each rule allows. `has_pairing` says whether
    there is a pairing under some of its rules: the method of `graphs`, perhaps
    memoized. Raises TimeUpError.
    """
    if has_pairing(graphs.rules):
        return None
    conflicting_rules = find_smallest_conflict(graphs.active, has_pairing)
    opponents_of_player, matched_opponents = (
        graphs.list_opponents(conflicting_rules),
        graphs.match_players(conflicting_rules),
    )
    players_in_file_order = np.argsort(graphs.place).tolist()
    for player_position in players_in_file_order:
        if not opponents_of_player[player_position]:
            return conflicting_rules, (player_position,)

    opponent_bits = [
        sum(1 << opponent for opponent in player_opponents)
        for player_opponents in opponents_of_player
    ]
    circuits_as_bits = [
        find_exchangeable_vertices(opponent_bits, matched_opponents, player_position)
        for player_position in players_in_file_order
        if matched_opponents[player_position] == -1
    ]
    smallest_circuit_bits = min(circuits_as_bits, key=int.bit_count)
    return conflicting_rules, tuple(iterate_set_bits(smallest_circuit_bits))
