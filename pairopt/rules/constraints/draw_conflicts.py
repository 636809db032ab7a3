"""Constraint `draw_conflicts`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.rules.base import NO_PAIRS, Constraint
from pairopt.rules.constraints.conflicts import NoConflicts

COLUMNS = ("pot", "group", "federation")


@dataclass(frozen=True)
class DrawConflicts(Constraint):
    """Two clubs from the same pot, group or federation never meet.

    The constraint uses the columns `pot`, `group` and `federation` of players.csv. If
    players.csv lacks one of these columns, the constraint ignores the column.
    """

    kind = "draw_conflicts"

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return False where both players share a pot, a group or a federation.

        Shape (m,). Without these columns everything is legal.
        """
        conflict_rule = _find_conflicts_rule(state)
        if conflict_rule is None:
            return np.ones(len(arcs), np.bool_)
        return conflict_rule.legal(state, arcs)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return per column the codes of values that many players share, otherwise -1.

        Each array has shape (n,). Without the three columns the tuple is empty.
        """
        conflict_rule = _find_conflicts_rule(state)
        return () if conflict_rule is None else conflict_rule.attributes(state)

    def pairs(self, state: State) -> IntArray:
        """Return the pairs of players who share a value that few have, shape (k, 2).

        Without the three columns there are none.
        """
        conflict_rule = _find_conflicts_rule(state)
        return NO_PAIRS if conflict_rule is None else conflict_rule.pairs(state)

    def in_common(self, state: State, players: Sequence[int]) -> str:
        """Return how many of all players share each value of these players, as text.

        It is "" if nobody shares one, and without the three columns.
        """
        conflict_rule = _find_conflicts_rule(state)
        return "" if conflict_rule is None else conflict_rule.in_common(state, players)


def _find_conflicts_rule(state: State) -> NoConflicts | None:
    """Return the constraint on those of COLUMNS that the event has, None without any."""
    event_columns = {column_name.lower() for column_name in state.event.columns}
    conflict_columns = tuple(
        known_column for known_column in COLUMNS if known_column in event_columns
    )
    return NoConflicts(conflict_columns) if conflict_columns else None
