"""Clash: rules and players that cannot all be kept and paired.

The rules are as few as can be. Of the players none can be left out, though elsewhere fewer may
clash: a smallest circuit is NP-hard to find, already in a transversal matroid (McCormick 1983).
The legal pairs are the edges of a graph, so a set of players can be paired where some matching
covers it (others may stay alone). The sets that no matching covers, and of which nobody can be
left out, are the circuits of the matching matroid: a player left alone by a maximum matching, and
whoever could be left alone in their place, which are the ends of the even alternating paths from
there (Edmonds' search). Another maximum matching may give a smaller circuit.
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
Possible = Callable[[Sequence[AnyRule]], bool]  # whether there is a pairing under these


@dataclass(frozen=True)
class RuleGraphs:
    """Which pairs and byes each rule alone allows, for graphs of any set of rules. `first` <
    `second` are all pairs of players, with n as `second` for the byes of an odd field; `place` is
    each player's in players.csv. `allows` holds an array for each rule, of shape (2, pairs), one
    row a way round. `budget` is checked before each matching, which rustworkx then finishes.
    """

    rules: Rules
    place: IntArray
    first: IntArray
    second: IntArray
    allows: tuple[BoolArray, ...]
    budget: Budget = Budget()

    @property
    def players(self) -> int:
        return len(self.place)

    def allowed(self, rules: Sequence[Constraint]) -> BoolArray:
        """The pairs that some way round is legal for under these rules, shape (pairs,)."""
        both = np.ones((2, len(self.first)), np.bool_)
        for rule, allows in zip(self.rules, self.allows, strict=True):
            if rule in rules:
                both &= allows
        return np.asarray(both.any(axis=0), np.bool_)

    @cached_property
    def active(self) -> Rules:
        """The rules that bar anything."""
        both = zip(self.rules, self.allows, strict=True)
        return tuple(rule for rule, allows in both if not allows.all())

    def matched(self, rules: Sequence[Constraint]) -> list[int]:
        """Everybody's opponent in a matching that leaves fewest players alone, -1 for none. The
        last entry is the bye's. Raises TimeUpError.
        """
        return self._matched(np.flatnonzero(self.allowed(rules)))

    def _matched(self, chosen: IntArray) -> list[int]:
        self.budget.check()
        weight = np.where(self.second == self.players, 1, 2)[chosen]
        return max_weight_partners(
            self.players + 1, self.first[chosen], self.second[chosen], weight
        )

    def covers(self, rules: Sequence[Constraint]) -> bool:
        """Whether all players can be paired under these rules. Raises TimeUpError. Mostly a few
        pairs of each player show that they can.
        """
        chosen = np.flatnonzero(self.allowed(rules))
        first, second = self.first[chosen], self.second[chosen]
        if not np.bincount(np.append(first, second), minlength=self.players)[
            : self.players
        ].all():
            return False
        few = chosen[
            near_edges_mask(self.players + 1, first, second, np.zeros(len(chosen)))
        ]
        return any(-1 not in self._matched(pairs)[:-1] for pairs in (few, chosen))

    def opponents(self, rules: Sequence[Constraint]) -> list[set[int]]:
        """Whom each player, and the bye (n), may meet under these rules."""
        chosen = self.allowed(rules)
        ends = np.concatenate([self.first[chosen], self.second[chosen]])
        others = np.concatenate([self.second[chosen], self.first[chosen]])
        order = np.argsort(ends, kind="stable")
        stops = np.searchsorted(ends[order], np.arange(1, self.players + 1))
        return [set(part.tolist()) for part in np.split(others[order], stops)]


def build_rule_graphs(problem: Problem, budget: Budget = Budget()) -> RuleGraphs:
    """What each constraint of a problem allows; takes memory for every pair. Raises TimeUpError."""
    n, state = len(problem), problem.state
    arcs = all_pairs_and_byes(n)
    first, second = arcs.first, np.where(arcs.bye, n, arcs.second)
    turned = arcs.reversed() if state.sided else arcs
    allows = tuple(
        np.stack([rule.legal(state, arcs), rule.legal(state, turned)])
        for rule in budget.iterate(problem.constraints)
    )
    return RuleGraphs(problem.constraints, state.player, first, second, allows, budget)


def memoize_feasibility(possible: Possible[AnyRule]) -> Possible[AnyRule]:
    """The same, not asked again for what it has said of more rules, or of fewer."""
    can, cannot = list[Sequence[AnyRule]](), list[Sequence[AnyRule]]()

    def told(rules: Sequence[AnyRule]) -> bool:
        if any(all(rule in more for rule in rules) for more in can):
            return True
        if any(all(rule in rules for rule in few) for few in cannot):
            return False
        found = possible(rules)
        (can if found else cannot).append(rules)
        return found

    return told


def find_smallest_conflict(
    rules: Sequence[AnyRule], possible: Possible[AnyRule]
) -> tuple[AnyRule, ...]:
    """The first of the smallest sets of rules under which there is no pairing. What is possible
    without one rule is so under fewer: that is asked first, for `possible` to remember.
    """
    for rule in rules:
        possible([other for other in rules if other != rule])
    sets = (
        chosen
        for count in range(len(rules) + 1)
        for chosen in combinations(rules, count)
    )
    return next(chosen for chosen in sets if not possible(chosen))


def find_helpful_sets(
    rules: Sequence[AnyRule], possible: Possible[AnyRule]
) -> list[tuple[AnyRule, ...]]:
    """The smallest sets of rules of one size without which there is a pairing."""
    for count in range(1, len(rules) + 1):
        if found := [
            left_out
            for left_out in combinations(rules, count)
            if possible([rule for rule in rules if rule not in left_out])
        ]:
            return found
    return []


def find_conflict(
    legality: RuleGraphs, covers: Possible[Constraint]
) -> tuple[Rules, tuple[int, ...]] | None:
    """Fewest rules that clash, and players (positions in the state) of whom none can be left out;
    None if none do. `covers` is that of `legality`, maybe remembered. Raises TimeUpError.
    """
    if covers(legality.rules):
        return None
    rules = find_smallest_conflict(legality.active, covers)
    opponents, mate = legality.opponents(rules), legality.matched(rules)
    listed = np.argsort(legality.place).tolist()
    if alone := [p for p in listed if not opponents[p]]:
        return rules, (alone[0],)
    sets = [sum(1 << other for other in others) for others in opponents]
    left = (find_exchangeable_vertices(sets, mate, p) for p in listed if mate[p] == -1)
    return rules, tuple(iterate_set_bits(min(left, key=int.bit_count)))
