"""Columns: an event as the columns of matches.csv and players.csv, for files and for pandas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.layout import CellValue

if TYPE_CHECKING:
    import pandas as pd

    from pairopt.event.event import Event

STATUS = (None, None, "forfeit", "bye", "requested")
"""How a row of each status is marked."""
OWN = ("name", "rating", "score", "table", "first_round_bye", "start", "virtual", "adjusted",
       "active")  # fmt: skip
"""Columns of players.csv with a meaning of their own; others are for `conflicts`."""
TYPES = {
    **dict.fromkeys(("round", "table", "start"), "Int64"),
    **dict.fromkeys(("score", "score1", "score2", "rating"), "float64"),
    **dict.fromkeys(("active", "first_round_bye"), "boolean"),
}
"""The dtypes of columns in pandas; that of all others is string."""
TableColumns = Mapping[str, Sequence[CellValue]]


def match_columns(event: Event) -> TableColumns:
    rows, labels = event.matches, (*(event.sides or (None, None)), None)  # -1 is the last
    two = rows.second >= 0
    return {
        "round": rows.round.tolist(),
        "table": [table or None for table in rows.table.tolist()],
        "player1": [event.players[one] for one in rows.first.tolist()],
        "player2": _known([event.players[other] for other in rows.second], two),
        "side1": [labels[side] for side in rows.side.tolist()],
        "score1": _known(_points(event, rows.score1), rows.scored),
        "score2": _known(_points(event, rows.score2), rows.scored & two),
        "status": [STATUS[status] for status in rows.status.tolist()],
    }


def player_columns(event: Event) -> TableColumns:
    """The columns of players.csv that say something of this event, besides `player`."""
    ratings = [Fraction(rating, event.rating_scale) for rating in event.rating.tolist()]
    usual = (np.argsort(event.start_numbers) == event.by_strength).all()
    declared = event.declared_active
    said: dict[str, tuple[object, Iterable[CellValue]]] = {
        "name": (event.names != event.players, event.names),
        "rating": (event.rated.any(), _known(ratings, event.rated)),
        "score": (event.brought.any(), _points(event, event.brought)),
        "table": (event.fixed_table.any(), (t or None for t in event.fixed_table.tolist())),
        "first_round_bye": (event.first_round_bye.any(), event.first_round_bye.tolist()),
        "start": (not usual, event.start_numbers.tolist()),
        **{
            name: (
                given.any(),
                (" ".join(map(event.points_text, row)) for row in given.tolist()),
            )
            for name, given in (("virtual", event.acceleration), ("adjusted", event.adjusted))
        },
        "active": (declared is not None, [] if declared is None else declared.tolist()),
    }
    own = {name: list(cells) for name, (there, cells) in said.items()
           if there or name in event.columns}  # fmt: skip
    more = {name: list(cells) for name, cells in event.columns.items() if name not in OWN}
    return {**own, **more}


def frame_of(columns: TableColumns) -> pd.DataFrame:
    """Columns as a DataFrame, their dtypes those of `TYPES`; an empty text is missing."""
    import pandas as pd

    return pd.DataFrame(
        {
            name: pd.Series(
                [_in_pandas(value) for value in values], dtype=TYPES.get(name, "string")
            )
            for name, values in columns.items()
        }
    )


def _in_pandas(value: CellValue) -> object:
    return float(value) if isinstance(value, Fraction) else None if value == "" else value


def _points(event: Event, scores: IntArray) -> list[Fraction]:
    return [Fraction(score, event.scale) for score in scores.tolist()]


def _known(values: Iterable[CellValue], there: BoolArray) -> list[CellValue]:
    """The values that are there, None for the others."""
    return [value if known else None for value, known in zip(values, there.tolist(), strict=True)]
