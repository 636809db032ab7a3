"""Metric `stakes`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.extend import PLAYED, Measured, Tournament


@dataclass(frozen=True)
class Stakes:
    """Which part of the last round's matches has a stake for both players, for one (`weak_stakes`)
    and for none (`no_stakes`): stakeless matches as Csató, Molontay and Pintér have them
    (International Transactions in Operational Research 31, 2024), of the prize in Devriesere,
    Goossens and Spieksma (arXiv 2508.08290), here a first place by points, shared or not.

    A player has a stake if by some results of the other matches a win makes first and a loss does
    not. A match ends with a win, a draw of half of it, or a loss; forfeits are not foreseen."""

    kind: ClassVar[str] = "stakes"
    columns: ClassVar[tuple[str, ...]] = ("stakes", "weak_stakes", "no_stakes")
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = dict.fromkeys(columns, (0, 1))

    def __call__(self, played: Tournament, /) -> Mapping[str, Measured]:
        event, games = played.event, played.games
        rows = games.take((games.round == event.round - 1) & (games.status == PLAYED))
        points = played.points.copy()
        np.subtract.at(points, rows.first, rows.score1 / event.scale)
        np.subtract.at(points, rows.second, rows.score2 / event.scale)
        win = float(played.field.world.points.win)
        seats = np.column_stack([rows.first, rows.second])
        before = points[seats]
        idle = np.delete(points, seats.ravel()).max(initial=-np.inf)
        ends = before[:, None] + win / 2 * np.array([[2, 0], [1, 1], [0, 2]])
        best = ends.max(axis=2)
        found = [
            [
                self._open(
                    before[k, side],
                    before[k, 1 - side],
                    win,
                    np.delete(best, k, 0),
                    idle,
                )
                for side in (0, 1)
            ]
            for k in range(len(seats))
        ]
        counts = (
            np.bincount(np.sum(found, axis=1, dtype=np.int64), minlength=3)
            if found
            else None
        )
        shares = [None] * 3 if counts is None else (counts[::-1] / len(found)).tolist()
        return dict(zip(self.columns, shares, strict=True))

    @staticmethod
    def _open(
        own: float, opponent: float, win: float, best: np.ndarray, idle: float
    ) -> bool:
        """Whether others can end so high that a win makes first and a loss does not: each match's
        best of both, in any of its three results, is at most what a win gives, and one above."""
        reached = np.where(best <= own + win, best, -np.inf).max(
            axis=1, initial=-np.inf
        )
        highest = max(reached.max(initial=-np.inf), idle, opponent + win)
        possible = np.isfinite(reached).all() and max(idle, opponent) <= own + win
        return bool(possible and highest > own)
