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
        """Return 1 for a match of two players who share no published table, shape (m,).

        A bye costs 0.
        """
        return (arcs.match & (self._table_index(state, arcs) < 0)).astype(np.int64)

    def offset(self, state: State) -> int:
        """Return the number of published tables minus the number of matches.

        Added to the matches that are new, which `cost` counts, it gives the tables that
        change.
        """
        return len(self.tables) - len(state) // 2

    def pairs(self, state: State) -> IntArray:
        """Return the published tables that can stay, as pairs of state positions.

        Shape (k, 2). Both players of such a table are in the round.
        """
        seats = state.seats[np.array(self.tables, np.int64).reshape(-1, 2)]
        return np.asarray(seats[(seats >= 0).all(axis=1)], np.int64)

    def _table_index(self, state: State, arcs: Arcs) -> IntArray:
        """Return the index of each arc's table in `tables`, shape (m,).

        It is -1 if the two players have no table together, and for typical arcs. Sides
        do not matter.
        """
        table_index = np.full(len(arcs), -1)
        if arcs.typical:
            return table_index

        index_by_pair = {}
        for published_index, (player1_position, player2_position) in enumerate(
            self.tables
        ):
            index_by_pair[player1_position, player2_position] = published_index
            index_by_pair[player2_position, player1_position] = published_index
        first_player = state.player[arcs.first]
        second_player = state.player[arcs.second]

        # Only arcs of players with a table are looked up one by one.
        has_table = np.isin(
            first_player,
            [player for published_table in self.tables for player in published_table],
        )
        arc_index = np.flatnonzero(arcs.match & has_table)
        position_pairs = zip(
            first_player[arc_index].tolist(),
            second_player[arc_index].tolist(),
            strict=True,
        )
        table_index[arc_index] = [
            index_by_pair.get(pair, -1) for pair in position_pairs
        ]
        return table_index


@dataclass(frozen=True)
class SwappedSides(ChangedMatches):
    """As few of the published tables that stay have other sides as can be."""

    kind = "turned_tables"
    counts = "published tables that stay with other sides"
    needs_sides = True

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return 1 for a published table with its sides exchanged, shape (m,).

        Any other match, and a bye, costs 0.
        """
        table_index = self._table_index(state, arcs)
        # Index -1, of arcs that are no table, takes the last entry.
        first_players = np.array([*(first for first, _ in self.tables), -1], np.int64)
        first_of_table = first_players[table_index]
        has_other_first = state.player[arcs.first] != first_of_table
        is_swapped: BoolArray = (table_index >= 0) & has_other_first
        return is_swapped.astype(np.int64)

    def offset(self, state: State) -> int:
        """Return 0, as `cost` counts the tables itself."""
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
        """Return the weighted sum of the criteria's levels for each arc, shape (m,).

        Raises UsageError if the sum is too large for an engine's integers.
        """
        total = np.zeros(len(arcs), np.object_)
        for rule, weights in self._terms(state):
            level_values = rule.values(state, arcs, rule.labels(state)).astype(
                np.object_
            )
            if weights:
                total += level_values @ np.array(weights, np.object_)
        require_fit(self.kind, int(total.max(initial=0)), len(state))
        return total.astype(np.int64)

    def scale(self, state: State) -> int:
        """Return the common denominator of the exact weights of all levels."""
        exact_weights = unit_weights(state, self.criteria, self.weights)
        denominators = [
            weight.denominator for _, weights in exact_weights for weight in weights
        ]
        return lcm(*denominators)

    def offset(self, state: State) -> int:
        """Return the weighted sum of the criteria's offsets, multiplied by `scale`."""
        return sum(
            sum(weights) * rule.offset(state) for rule, weights in self._terms(state)
        )

    def _terms(self, state: State) -> list[tuple[Criterion, list[int]]]:
        """Return each criterion that applies, with the integer weights of its levels.

        The weights are multiplied by `scale`. Criteria that need sides do not apply in
        an event without them.
        """
        scale = self.scale(state)
        terms = []
        for rule, weights in unit_weights(state, self.criteria, self.weights):
            terms.append((rule, [int(weight * scale) for weight in weights]))
        return terms


@dataclass(frozen=True)
class ConstraintBreaches(SingleLevel):
    """As few matches and byes as can be that these constraints do not allow."""

    kind = "breaches"
    counts = "matches and byes that a constraint does not allow"
    per_player = True
    rules: tuple[Constraint, ...]

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return 1 for an arc that some constraint in `rules` forbids, shape (m,)."""
        return (~self.keeps_rules(state, arcs)).astype(np.int64)

    def keeps_rules(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True where all constraints in `rules` allow the arc, shape (m,)."""
        legal_by_rule = [rule.legal(state, arcs) for rule in self.rules]
        return np.asarray(np.all(legal_by_rule, axis=0), np.bool_)
