"""Games: the rows of all matches of a study, one a match or bye."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pairopt.event.event import BYE_ROW
from pairopt.lab.metrics import Value
from pairopt.lab.simulating import Tournament

GAMES: Final = (
    "model", "replicate", "round", "table", "player1", "player2", "strength1", "strength2",
    "side1", "score1", "score2", "status",
)  # fmt: skip
"""Columns: `player1` and `player2` are numbers from 1 (as in p1), `side1` 0 for the first side,
1 for the second; scores are in points, strengths in Elo points; `status` is "bye" or empty."""


def games_columns(worlds: Iterable[str]) -> tuple[str, ...]:
    """The columns, with those of a grid."""
    model, *rest = GAMES
    return (model, *worlds, *rest)


def games_of(model: str, replicate: int, played: Tournament) -> Iterator[dict[str, Value]]:
    """The rows of a tournament."""
    games, scale, strength = played.games, played.event.scale, played.strength.tolist()
    columns = (games.round, games.table, games.first, games.second, games.side, games.score1,
               games.score2, games.status)  # fmt: skip
    for number, table, one, two, side, mine, theirs, status in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        met = two >= 0
        yield {
            "model": model,
            "replicate": replicate,
            "round": number,
            "table": table or None,
            "player1": one + 1,
            "player2": two + 1 if met else None,
            "strength1": strength[one],
            "strength2": strength[two] if met else None,
            "side1": side if side >= 0 else None,
            "score1": mine / scale,
            "score2": theirs / scale if met else None,
            "status": "bye" if status == BYE_ROW else None,
        }
