"""Outcomes: how a match can end, and how likely, if it is played out and under an agreement.

A 2-for-1 is agreed before a match of two games: whoever loses the first game concedes the second.
After a drawn first game the second is played. Which side has the first game is taken to be a lot.
In an intentional draw nobody plays: one game each in a match of two games, else a drawn game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from typing import Literal

import numpy as np

from pairopt.event.arcs import FloatArray, IntArray
from pairopt.event.event import Event, Matches
from pairopt.event.points import MatchPoints, Points
from pairopt.lab.playing.worlds import Encounters, Results, chances_of
from pairopt.lab.playing.worlds.laws import Elo

Agreement = Literal["two_for_one", "intentional_draw"]
WIN, DRAW, LOSS = 0, 1, 2


@dataclass(frozen=True)
class Law:
    """How games end: a world's results between players of these strengths (Elo points)."""

    strength: FloatArray
    results: Results = field(default_factory=Elo)
    draws: float = 0.0
    first_side: float = 0.0

    def game(self, number: int, first: IntArray, second: IntArray, side: IntArray) -> FloatArray:
        """Probabilities that `first` wins, draws and loses, shape (3, m).

        `side` is 1 where `first` has the first side, -1 where `second` has, 0 without sides.
        """
        lower = first < second
        low, high = np.where(lower, first, second), np.where(lower, second, first)
        met = Encounters(0, number, low, high, np.where(lower, side, -side), self.strength,
                         self.first_side, self.draws)  # fmt: skip
        win, draw = chances_of(self.results, met)
        lose = np.maximum(1 - win - draw, 0)
        return np.stack([np.where(lower, win, lose), draw, np.where(lower, lose, win)])


@dataclass(frozen=True)
class Outcomes:
    """How each of some matches can end.

    `results` are both players' points, the best for the first one first; `honest` their
    probabilities, shape (matches, results), if all games are played, `agreed` those under each
    agreement that such matches allow.
    """

    results: tuple[MatchPoints, ...]
    honest: FloatArray
    agreed: Mapping[Agreement, FloatArray]


def outcomes_of(law: Law, points: Points, rows: Matches) -> Outcomes:
    """The outcomes of these rows, which are matches of one round."""
    side = np.where(rows.side == 0, 1, np.where(rows.side == 1, -1, 0))
    number = int(rows.round.max(initial=1))
    if points.game is None:
        ends = ((points.win, points.loss), (points.draw, points.draw), (points.loss, points.win))
        played = law.game(number, rows.first, rows.second, side).T
        return _possible(ends, played, {"intentional_draw": _surely(DRAW, played)})
    game = points.game
    ends = ((game.win, game.loss), (game.draw, game.draw), (game.loss, game.win))
    pairs = {(i, j): (ends[i][0] + ends[j][0], ends[i][1] + ends[j][1])
             for i in range(3) for j in range(3)}  # fmt: skip
    results = tuple(sorted(set(pairs.values()), key=lambda r: (-r[0], r[1])))
    ahead = np.ones(len(rows), np.int64)
    both = [law.game(number, rows.first, rows.second, turn * ahead) for turn in (1, -1)]
    honest, agreed = (np.zeros((len(rows), len(results))) for _ in range(2))
    for (i, j), result in pairs.items():
        honest[:, results.index(result)] += both[0][i] * both[1][j]
        for one, two in (both, both[::-1]):
            if i == DRAW:
                agreed[:, results.index(result)] += one[DRAW] * two[j] / 2
            elif i == j:
                agreed[:, results.index(result)] += one[i] / 2
    split = _surely(results.index(pairs[WIN, LOSS]), honest)
    return _possible(results, honest, {"two_for_one": agreed, "intentional_draw": split})


def _surely(which: int, like: FloatArray) -> FloatArray:
    """One result for certain, in all matches."""
    sure = np.zeros_like(like)
    sure[:, which] = 1
    return sure


def _possible(
    results: tuple[MatchPoints, ...], honest: FloatArray, agreed: Mapping[Agreement, FloatArray]
) -> Outcomes:
    """Without results that nobody can have."""
    some = np.any([each.any(axis=0) for each in (honest, *agreed.values())], axis=0)
    kept = np.flatnonzero(some | (len(honest) == 0))
    return Outcomes(
        tuple(results[k] for k in kept.tolist()),
        honest[:, kept],
        {name: each[:, kept] for name, each in agreed.items()},
    )


def in_scale(event: Event, values: Iterable[Fraction]) -> Event:
    """The event in a scale that makes these points whole, too."""
    scale = lcm(event.scale, *(value.denominator for value in values))
    more, matches = scale // event.scale, event.matches
    return replace(
        event,
        scale=scale,
        brought=event.brought * more,
        acceleration=event.acceleration * more,
        adjusted=event.adjusted * more,
        matches=replace(matches, score1=matches.score1 * more, score2=matches.score2 * more),
    )
