"""Constraint `conflicts`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Constraint
from pairopt.rules.criteria.conflicts import (
    large_codes,
    shared_value,
    sharing_pairs,
    value_codes,
)


@dataclass(frozen=True)
class NoConflicts(Constraint):
    """Players with the same `columns` never meet.

    The value is a list of columns of players.csv. Two players never meet if they share
    a value in any of these columns. For example, if the list has `club`, two players
    with the same club never meet. An empty cell is not a shared value.
    """

    kind = "conflicts"
    columns: tuple[str, ...]

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return False where both players share a value of a column, shape (m,).

        Empty cells are not shared, and byes are legal.
        """
        codes_by_column = [
            value_codes(state, column_name)[0] for column_name in self.columns
        ]
        return np.asarray(
            np.all(
                [
                    shared_value(arcs, column_codes) < 0
                    for column_codes in codes_by_column
                ],
                axis=0,
            ),
            np.bool_,
        )

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return per column the codes of values that many players share, otherwise -1.

        Each array has shape (n,). Columns without such a value are left out.
        """
        return large_codes(
            [value_codes(state, column_name)[0] for column_name in self.columns]
        )

    def pairs(self, state: State) -> IntArray:
        """Return the pairs of players who share a value that few have, shape (k, 2)."""
        codes_by_column = [
            value_codes(state, column_name)[0] for column_name in self.columns
        ]
        return np.concatenate(
            [sharing_pairs(column_codes) for column_codes in codes_by_column]
        )

    def in_common(self, state: State, players: Sequence[int]) -> str:
        """Return how many of all players share each value of these players, as text.

        For example: "5 of the 20 players have club 'Leeds'". It is "" if nobody else
        has one of their values.
        """
        shared_texts = []
        for column_name in self.columns:
            value_codes_of_players, values_by_code = value_codes(state, column_name)
            for value_code in np.unique(value_codes_of_players[list(players)]):
                sharing_count = int((value_codes_of_players == value_code).sum())
                if value_code >= 0 and sharing_count > 1:
                    value_text = repr(values_by_code[value_code])
                    shared_texts.append(
                        f"{sharing_count} of the {len(state)} players have {column_name} {value_text}"
                    )
        return "; ".join(shared_texts)
