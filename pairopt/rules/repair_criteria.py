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
    """As few published matches as possible change their players; sides do not count.

    `tables` has the published matches as pairs of positions in the event, the first
    side first. A match of a player who is not in the round counts as changed. Byes do
    not count.
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
        state_pairs = state.seats[np.array(self.tables, np.int64).reshape(-1, 2)]
        return np.asarray(state_pairs[(state_pairs >= 0).all(axis=1)], np.int64)

    def _table_index(self, state: State, arcs: Arcs) -> IntArray:
        """Return the index of each arc's table in `tables`, shape (m,).

        It is -1 if the two players have no table together, and for typical arcs, which
        stand for many pairs. Sides do not matter.
        """
        table_index_of_arc = np.full(len(arcs), -1)
        if arcs.typical:
            return table_index_of_arc

        table_by_pair = {}
        for published_index, (first_event_position, second_event_position) in enumerate(
            self.tables
        ):
            table_by_pair[first_event_position, second_event_position] = published_index
            table_by_pair[second_event_position, first_event_position] = published_index
        first_event_positions = state.player[arcs.first]
        second_event_positions = state.player[arcs.second]

        # Only arcs of players with a table are looked up one by one.
        has_table = np.isin(
            first_event_positions,
            [
                tabled_player
                for published_table in self.tables
                for tabled_player in published_table
            ],
        )
        looked_up_arcs = np.flatnonzero(arcs.match & has_table)
        position_pairs = zip(
            first_event_positions[looked_up_arcs].tolist(),
            second_event_positions[looked_up_arcs].tolist(),
            strict=True,
        )
        table_index_of_arc[looked_up_arcs] = [
            table_by_pair.get(position_pair, -1) for position_pair in position_pairs
        ]
        return table_index_of_arc


@dataclass(frozen=True)
class SwappedSides(ChangedMatches):
    """As few as possible of the published matches that stay have their sides swapped.

    `tables` has the published matches as pairs of positions in the event, the first
    side first.
    """

    kind = "turned_tables"
    counts = "published tables that stay with other sides"
    needs_sides = True

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return 1 for a published table with its sides exchanged, shape (m,).

        Any other match, and a bye, costs 0.
        """
        table_index_of_arc = self._table_index(state, arcs)
        # Index -1, of arcs that are no table, takes the last entry.
        first_player_of_table = np.array(
            [*(first_position for first_position, _ in self.tables), -1], np.int64
        )
        published_first_players = first_player_of_table[table_index_of_arc]
        is_first_different = state.player[arcs.first] != published_first_players
        is_swapped: BoolArray = (table_index_of_arc >= 0) & is_first_different
        return is_swapped.astype(np.int64)

    def offset(self, state: State) -> int:
        """Return 0: nothing has to be added to the tables that the costs count."""
        return 0


@dataclass(frozen=True)
class WeightedSum(SingleLevel):
    """The weighted sum of a model's criteria as one level, so others can precede it.

    `weights` has one exact weight per criterion.
    """

    kind = "weighted_sum"
    counts = "sum of the model's levels by their weights"
    per_player = True
    criteria: tuple[Criterion, ...]
    weights: tuple[Fraction, ...]

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return the weighted sum of the criteria's levels for each arc, shape (m,).

        Raises UsageError if the sum is too large for an engine's integers.
        """
        weighted_sums = np.zeros(len(arcs), np.object_)
        for criterion, level_weights in self._terms(state):
            level_values = criterion.values(
                state, arcs, criterion.labels(state)
            ).astype(np.object_)
            if level_weights:
                weighted_sums += level_values @ np.array(level_weights, np.object_)
        require_fit(self.kind, int(weighted_sums.max(initial=0)), len(state))
        return weighted_sums.astype(np.int64)

    def scale(self, state: State) -> int:
        """Return the common denominator of the exact weights of all levels."""
        exact_weights = unit_weights(state, self.criteria, self.weights)
        denominators = [
            weight.denominator
            for _, level_weights in exact_weights
            for weight in level_weights
        ]
        return lcm(*denominators)

    def offset(self, state: State) -> int:
        """Return the weighted sum of the criteria's offsets.

        Like all values, it is multiplied by the common denominator of the weights.
        """
        return sum(
            sum(level_weights) * criterion.offset(state)
            for criterion, level_weights in self._terms(state)
        )

    def _terms(self, state: State) -> list[tuple[Criterion, list[int]]]:
        """Return each criterion that applies, with the integer weights of its levels.

        The weights are multiplied by their common denominator. Criteria that need sides
        do not apply in an event without them.
        """
        weight_scale = self.scale(state)
        weighted_criteria = []
        for criterion, exact_weights in unit_weights(
            state, self.criteria, self.weights
        ):
            weighted_criteria.append(
                (criterion, [int(weight * weight_scale) for weight in exact_weights])
            )
        return weighted_criteria


@dataclass(frozen=True)
class ConstraintBreaches(SingleLevel):
    """As few matches and byes as possible break one of these constraints.

    An arc that breaks several constraints counts once.
    """

    kind = "breaches"
    counts = "matches and byes that a constraint does not allow"
    per_player = True
    rules: tuple[Constraint, ...]

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return 1 for an arc that some constraint in `rules` forbids, shape (m,)."""
        return (~self.keeps_rules(state, arcs)).astype(np.int64)

    def keeps_rules(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True where all constraints in `rules` allow the arc, shape (m,)."""
        legal_by_rule = [constraint.legal(state, arcs) for constraint in self.rules]
        return np.asarray(np.all(legal_by_rule, axis=0), np.bool_)
