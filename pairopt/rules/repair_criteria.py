"""Criteria of a published round that is paired again; no model file has them."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import (
    Constraint,
    Criterion,
    SingleLevel,
    require_fit,
    unit_weights,
)


@dataclass(frozen=True)
class ChangedMatches(SingleLevel):
    """As few published tables change as can be: the same two meet there, with whatever sides.

    `tables` are positions in the event, the first side first; whoever is not in the round cannot be
    at theirs. The bye is no table.
    """

    kind = "changed_tables"
    counts = "published tables that change"
    tables: tuple[tuple[int, int], ...]

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return 1 for a match that is no published table, shape (m,)."""
        return (arcs.match & (self._table_index(state, arcs) < 0)).astype(np.int64)

    def offset(self, state: State) -> int:
        """Return tables minus matches, so that the level counts tables that change."""
        return len(self.tables) - len(state) // 2

    def pairs(self, state: State) -> IntArray:
        """Return the published tables whose players are both in the round."""
        both = state.seats[np.array(self.tables, np.int64).reshape(-1, 2)]
        return np.asarray(both[(both >= 0).all(axis=1)], np.int64)

    def _table_index(self, state: State, arcs: Arcs) -> IntArray:
        """Return the index of each arc's table, -1 if it is none, shape (m,)."""
        found = np.full(len(arcs), -1)
        if arcs.typical:
            return found
        place = {
            pair: k
            for k, table in enumerate(self.tables)
            for pair in (table, table[::-1])
        }
        one, two = state.player[arcs.first], state.player[arcs.second]
        at = np.flatnonzero(
            arcs.match & np.isin(one, [p for pair in self.tables for p in pair])
        )
        pairs = zip(one[at].tolist(), two[at].tolist(), strict=True)
        found[at] = [place.get(pair, -1) for pair in pairs]
        return found


@dataclass(frozen=True)
class SwappedSides(ChangedMatches):
    """As few of the published tables that stay have other sides as can be."""

    kind = "turned_tables"
    counts = "published tables that stay with other sides"
    needs_sides = True

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return 1 for a published match with its sides exchanged, shape (m,)."""
        number = self._table_index(state, arcs)
        first = np.array([*(one for one, _ in self.tables), -1], np.int64)[number]
        turned: BoolArray = (number >= 0) & (state.player[arcs.first] != first)
        return turned.astype(np.int64)

    def offset(self, state: State) -> int:
        """Return 0: every exchanged table counts as one."""
        return 0


@dataclass(frozen=True)
class WeightedSum(SingleLevel):
    """The criteria of a weighted model as one level, so that others can come before it."""

    kind = "weighted_sum"
    counts = "sum of the model's levels by their weights"
    per_player = True
    criteria: tuple[Criterion, ...]
    weights: tuple[Fraction, ...]

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return the weighted sum of the criteria's levels for each arc, shape (m,)."""
        total = np.zeros(len(arcs), np.object_)
        for rule, weights in self._terms(state):
            values = rule.values(state, arcs, rule.labels(state)).astype(np.object_)
            total += values @ np.array(weights, np.object_) if weights else 0
        require_fit(self.kind, int(total.max(initial=0)), len(state))
        return total.astype(np.int64)

    def scale(self, state: State) -> int:
        """Return the common denominator of all weights."""
        exact = unit_weights(state, self.criteria, self.weights)
        return lcm(*(weight.denominator for _, own in exact for weight in own))

    def offset(self, state: State) -> int:
        """Return the weighted sum of the criteria's offsets."""
        return sum(
            sum(weights) * rule.offset(state) for rule, weights in self._terms(state)
        )

    def _terms(self, state: State) -> list[tuple[Criterion, list[int]]]:
        """Return each criterion with the integer weights of its levels."""
        scale = self.scale(state)
        exact = unit_weights(state, self.criteria, self.weights)
        return [(rule, [int(each * scale) for each in own]) for rule, own in exact]


@dataclass(frozen=True)
class ConstraintBreaches(SingleLevel):
    """As few matches and byes as can be that these constraints do not allow."""

    kind = "breaches"
    counts = "matches and byes that a constraint does not allow"
    per_player = True
    rules: tuple[Constraint, ...]

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return 1 for an arc that a constraint does not allow, shape (m,)."""
        return (~self.keeps_rules(state, arcs)).astype(np.int64)

    def keeps_rules(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True where all constraints allow the arc, shape (m,)."""
        legal = [rule.legal(state, arcs) for rule in self.rules]
        return np.asarray(np.all(legal, axis=0), np.bool_)
