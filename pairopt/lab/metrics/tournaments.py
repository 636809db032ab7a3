"""Metrics of a tournament that need no solver."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from pairopt.event.event import PLAYED
from pairopt.lab.metrics import Measured
from pairopt.lab.simulating import Tournament


@dataclass(frozen=True)
class SidePoints:
    """Points that a match more with the first side instead of the second is worth.

    The coefficient of half the side difference in a linear regression of the players' points on
    it and on their true strength. No value without sides, or where they are all balanced.
    """

    kind: ClassVar[str] = "side_points"

    def __call__(self, played: Tournament, /) -> Measured:
        games, n = played.games, len(played.strength)
        games = games.take(games.status == PLAYED)
        sided = games.side >= 0
        first, second = games.first[sided], games.second[sided]
        ahead = np.where(games.side[sided] == 0, 1, -1)
        difference = np.bincount(first, ahead, n) - np.bincount(second, ahead, n)
        strength = played.strength - played.strength.mean()
        spread = np.abs(strength).max()
        known = [np.ones(n), difference / 2]
        known += [strength / spread] if spread > 0 else []
        found, _, rank, _ = np.linalg.lstsq(
            np.column_stack(known), played.points, rcond=None
        )
        return float(found[1]) if rank == len(known) else None


@dataclass(frozen=True)
class StrengthGap:
    """The mean difference in true strength of two players who meet, in Elo points. `strength_gap`
    is that of all matches, `strength_gap_by_round` that of each round.
    """

    kind: ClassVar[str] = "strength_gap"
    columns: ClassVar[tuple[str, ...]] = ("strength_gap", "strength_gap_by_round")

    def __call__(self, played: Tournament, /) -> Mapping[str, Measured]:
        games = played.games
        met = games.status == PLAYED
        gap = np.abs(played.strength[games.first] - played.strength[games.second])[met]
        ends = (
            games.round[met].searchsorted(np.arange(1, played.event.round + 1)).tolist()
        )
        rounds = [gap[start:end] for start, end in pairwise(ends)]
        means = [
            float(each.sum() / len(each)) if len(each) else None
            for each in (gap, *rounds)
        ]
        return {"strength_gap": means[0], "strength_gap_by_round": means[1:]}


@dataclass(frozen=True)
class UniqueWinner:
    """After each round 1 if one player alone has the most points, else 0."""

    kind: ClassVar[str] = "unique_winner"

    def __call__(self, played: Tournament, /) -> Measured:
        points = played.event.turns.after(played.event.besides)
        return (
            ((points == points.max(axis=0)).sum(axis=0) == 1).astype(np.int64).tolist()
        )


@dataclass(frozen=True)
class Winner:
    """`winner_rank`: the winner's rank by true strength; `best_wins`: whether the best wins.

    Winner is who is first by points and strength of schedule, or wins the cut. Of several the rank
    is the mean, and `best_wins` the best one's part among them; equal strengths share a rank.
    """

    kind: ClassVar[str] = "winner"
    columns: ClassVar[tuple[str, ...]] = ("winner_rank", "best_wins")

    def __call__(self, played: Tournament, /) -> Mapping[str, Measured]:
        strength, place = played.strength, played.place
        first = strength[place == place.max()]
        above = (strength[None, :] > first[:, None]).sum(axis=1)
        equal = (strength[None, :] == first[:, None]).sum(axis=1)
        best = (strength == strength.max()).sum()
        return {
            "winner_rank": float(np.mean(above + (equal + 1) / 2)),
            "best_wins": float(np.mean(first == strength.max()) / best),
        }
