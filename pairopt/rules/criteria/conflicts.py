"""Criterion `conflicts`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import lcm

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import SingleLevel

MANY = 200
"""The most players whose pairs are listed; a value of more players is an attribute."""


def value_codes(state: State, column: str) -> tuple[IntArray, list[str]]:
    """Return the code of each player's value in a column, and the values by code.

    Codes have shape (n,) and count the sorted values from 0; -1 is an empty cell. The
    column is one of players.csv. Raises UsageError if the event does not have it.
    """
    column_cells = state.event.cells(column)
    player_cells = [column_cells[player_position] for player_position in state.player]
    sorted_values = sorted(set(player_cells) - {""})
    code_by_value = {
        cell_value: value_code for value_code, cell_value in enumerate(sorted_values)
    } | {"": -1}
    return np.array(
        [code_by_value[cell] for cell in player_cells], np.int64
    ), sorted_values


def large_code(code: IntArray) -> IntArray:
    """Return the codes of values that more than `MANY` players have, -1 for others.

    Such values are attributes of players. `code` and the result have shape (n,).
    """
    is_large = np.bincount(code + 1) > MANY
    return np.where(is_large[code + 1], code, -1)


def large_codes(codes: Sequence[IntArray]) -> tuple[IntArray, ...]:
    """Return the codes of large values of each column that has any.

    `codes` has an array of shape (n,) per column. In the result, other values have the
    code -1, and columns without a large value are left out.
    """
    codes_of_large_values = [large_code(column_codes) for column_codes in codes]
    return tuple(
        column_codes
        for column_codes in codes_of_large_values
        if (column_codes >= 0).any()
    )


def shared_value(arcs: Arcs, code: IntArray) -> IntArray:
    """Return the code of the value that both players of an arc share, shape (m,).

    `code`, shape (n,), is the code of each player's value, -1 for none. The result is
    -1 if two players share no value, and for byes. If `arcs.typical`, only values that
    more than `MANY` players have count.
    """
    code = large_code(code) if arcs.typical else code
    is_shared = arcs.match & (code[arcs.first] == code[arcs.second])
    return np.where(is_shared, code[arcs.first], -1)


def sharing_pairs(code: IntArray) -> IntArray:
    """Return all pairs of players who share a value that is not large, shape (k, 2).

    `code` has the value's code of each player, shape (n,); players with -1 share
    nothing. A value is large if more than `MANY` players have it.
    """
    # Players with a shared value that is no attribute, sorted by their codes.
    players_by_code = np.argsort(code, kind="stable")
    is_listed = (code >= 0) & (large_code(code) < 0)
    players_by_code = players_by_code[is_listed[players_by_code]]
    players_by_value = np.split(
        players_by_code, np.flatnonzero(np.diff(code[players_by_code])) + 1
    )
    pair_arrays = []
    for players_with_value in players_by_value:
        pair_indices = np.column_stack(np.triu_indices(len(players_with_value), 1))
        pair_arrays.append(players_with_value[pair_indices])
    return np.concatenate(pair_arrays)


@dataclass(frozen=True)
class Conflicts(SingleLevel):
    """Avoid matches between players with the same `column`.

    The parameter `column` names a column of players.csv, for example `club`. The
    parameter `weights` sets the cost of a match between two players who share a value,
    for example 3 for the club Leeds. If two players share a value that `weights` does
    not list, their match costs 1.
    """

    kind = "conflicts"
    counts = "matches of players who share {rule.column}"
    column: str
    weights: Mapping[str, Decimal] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        """Raise ValueError for a negative or infinite weight."""
        for weight in self.weights.values():
            if weight < 0 or not weight.is_finite():
                raise ValueError("Expected weights >= 0.")

    def largest(self, state: State) -> int:
        """Return the largest scaled weight of a value, 0 if the column is empty."""
        return max(self._weights(state), default=0)

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return the scaled weight of the value that both players share, shape (m,).

        It is 0 if they share none, and for byes.
        """
        player_codes, _ = value_codes(state, self.column)
        return np.array([*self._weights(state), 0], np.int64)[
            shared_value(arcs, player_codes)
        ]

    def _weights(self, state: State) -> list[int]:
        """Return the integer weight of each value of the column, by the value's code.

        A value that the parameter `weights` does not list has the weight 1. All are
        multiplied by the common denominator of the weights.
        """
        _, column_values = value_codes(state, self.column)
        return [
            int(Fraction(self.weights.get(column_value, 1)) * self.scale(state))
            for column_value in column_values
        ]

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return the codes of values that many players share, -1 for others.

        It is one array of shape (n,), or no array if the column has no such value.
        """
        return large_codes([value_codes(state, self.column)[0]])

    def pairs(self, state: State) -> IntArray:
        """Return the pairs of players who share a value that few have, shape (k, 2)."""
        return sharing_pairs(value_codes(state, self.column)[0])

    def scale(self, state: State) -> int:
        """Return the common denominator of the weights, 1 without weights."""
        return lcm(*(Fraction(weight).denominator for weight in self.weights.values()))
