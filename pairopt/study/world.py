"""World: what tournaments are drawn from, and the players of one of them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm, sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pairopt.errors import UsageError
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.event import NO_RATING, Event, Matches
from pairopt.event.points import Points
from pairopt.event.settings import Settings
from pairopt.io.schema import LARGEST_SCORE, MOST_DECIMALS, MOST_ROUNDS
from pairopt.study.luck import Purpose, Uniforms, match_luck, uniforms
from pairopt.wording import decimal_text

MEAN_STRENGTH = 1500
MOST_PLAYERS = 10_000
MOST_ELO = 10_000
Shape = Literal["normal", "uniform"]


@dataclass(frozen=True)
class World:
    """What a tournament is drawn from.

    Strengths are in Elo points around 1500: `spread` is their standard deviation, `shape` their
    distribution. `rating_error` is the standard deviation of a rating about the strength, 0 where
    ratings are the strengths, None for unrated players. `first_side` is the advantage of the
    first side in Elo points.

    `draws` is the probability of a draw between equals. `drops` is the probability of leaving
    after each round, `late` that of entering in the second round. `win` and `draw` are points;
    a loss has none, a bye a win's; matches.csv has to hold them. `sides` is empty for a game
    without sides.
    """

    players: int = 32
    rounds: int = 7
    spread: float = 200.0
    shape: Shape = "normal"
    rating_error: float | None = None
    first_side: float = 0.0
    draws: float = 0.03
    drops: float = 0.0
    late: float = 0.0
    win: Fraction = Fraction(3)
    draw: Fraction = Fraction(1)
    sides: tuple[str, ...] = ("corp", "runner")

    def __post_init__(self) -> None:
        expected = [
            (2 <= self.players <= MOST_PLAYERS, f"players from 2 to {MOST_PLAYERS}"),
            (1 <= self.rounds <= MOST_ROUNDS, f"rounds from 1 to {MOST_ROUNDS}"),
            (0 <= self.spread <= MOST_ELO, f"spread from 0 to {MOST_ELO}"),
            (abs(self.first_side) <= MOST_ELO, f"first_side up to {MOST_ELO}"),
            (self.shape in ("normal", "uniform"), "shape normal or uniform"),
            (self.rating_error is None or 0 <= self.rating_error <= MOST_ELO,
             f"rating_error from 0 to {MOST_ELO}"),
            (all(0 <= p <= 1 for p in (self.draws, self.drops, self.late)),
             "draws, drops and late from 0 to 1"),
            (0 <= self.draw <= self.win and self.win > 0, "0 <= draw <= win, win > 0"),
            (all(points <= LARGEST_SCORE and 10**MOST_DECIMALS % points.denominator == 0
                 for points in (self.win, self.draw)),
             f"win and draw up to {LARGEST_SCORE} with at most {MOST_DECIMALS} decimals"),
            (not self.sides or (all(self.sides) and len(self.sides) == len(set(self.sides)) == 2),
             "no sides, or two different ones"),
        ]  # fmt: skip
        if wrong := [what for holds, what in expected if not holds]:
            raise UsageError(f"Expected {'; '.join(wrong)}.")

    @property
    def words(self) -> str:
        """All that tournaments are drawn from, in one line."""
        error = self.rating_error
        rated = "unrated" if error is None else f"ratings with an error of {error:g} Elo"
        points = "-".join(decimal_text(each) for each in (self.win, self.draw, Fraction(0)))
        parts = [
            f"{self.players} players", f"{self.rounds} rounds",
            f"strengths {self.shape} with a deviation of {self.spread:g} Elo",
            "ratings are the true strengths" if error == 0 else rated,
            f"{self.draws:.3g} draws between equals", f"points {points}",
            f"sides {' and '.join(self.sides)}" if self.sides else "no sides",
        ]  # fmt: skip
        parts += [f"{self.first_side:g} Elo for the first side"] * bool(self.first_side)
        parts += [f"{self.drops:.3g} leave after each round"] * bool(self.drops)
        parts += [f"{self.late:.3g} enter in round 2"] * bool(self.late)
        return ", ".join(parts)

    @property
    def scale(self) -> int:
        """What makes the points of this world integers."""
        return lcm(self.win.denominator, self.draw.denominator)


@dataclass(frozen=True)
class Field:
    """The players of one replicate: arrays of shape (players,).

    `enters` and `leaves` are each player's first and last round.
    """

    world: World
    seed: int
    replicate: int

    @cached_property
    def strength(self) -> Uniforms:
        """True strength in Elo points."""
        luck = self._luck(Purpose.STRENGTH)
        if self.world.shape == "uniform":
            return MEAN_STRENGTH + self.world.spread * sqrt(12) * (luck - 0.5)
        return MEAN_STRENGTH + self.world.spread * _normal(luck)

    @cached_property
    def rating(self) -> IntArray:
        """Known rating in whole Elo points, NO_RATING for unrated players."""
        error = self.world.rating_error
        if error is None:
            return np.full(self.world.players, NO_RATING)
        noise = error * _normal(self._luck(Purpose.RATING)) if error else 0
        return np.rint(self.strength + noise).astype(np.int64)

    @cached_property
    def enters(self) -> IntArray:
        """The first round of each player."""
        return np.where(self._luck(Purpose.LATE) < self.world.late, 2, 1)

    @cached_property
    def leaves(self) -> IntArray:
        """The last round of each player; beyond the tournament's for those who stay."""
        n, rounds = self.world.players, self.world.rounds
        luck = self._luck(Purpose.DROP, np.arange(rounds)[:, None])
        left = np.vstack([luck < self.world.drops, np.ones((1, n), np.bool_)])
        left &= np.arange(1, rounds + 2)[:, None] >= self.enters
        return np.asarray(np.argmax(left, axis=0) + 1, np.int64)

    def active(self, round: int) -> BoolArray:
        """Who plays in a round."""
        present: BoolArray = (self.enters <= round) & (round <= self.leaves)
        return present

    def _luck(self, purpose: Purpose, *more: IntArray) -> Uniforms:
        players = np.arange(self.world.players)
        return uniforms(self.seed, self.replicate, purpose, *more, players)

    def opening(self) -> Event:
        """The event before its first round; players are p1, p2, ..."""
        n, sides = self.world.players, self.world.sides
        names = tuple(f"p{k}" for k in range(1, n + 1))
        return Event(
            players=names,
            matches=Matches.empty(),
            round=1,
            active=self.active(1),
            scale=self.world.scale,
            sides=(sides[0], sides[1]) if sides else None,
            rating=self.rating,
            source="simulation",
            settings=Settings(
                points=Points(self.world.win, self.world.draw), rounds=self.world.rounds
            ),
        )

    def scores(
        self, round: int, first: IntArray, second: IntArray, sided: bool = True
    ) -> tuple[IntArray, IntArray]:
        """Scaled points of both players of each match, in Elo's logistic model.

        With e the expected score of a player (a draw a half), a draw has the probability
        draws * 2 min(e, 1 - e), and a win what makes e right. Who wins is a matter of one
        number a meeting (`match_luck`): the result depends only on seed, replicate, round,
        players and sides.
        """
        lower = first < second
        low, high = np.where(lower, first, second), np.where(lower, second, first)
        gap = self.strength[high] - self.strength[low]
        if sided:
            gap = gap - np.where(lower, 1.0, -1.0) * self.world.first_side
        expected = 1 / (1 + 10 ** (gap / 400))
        drawn = self.world.draws * 2 * np.minimum(expected, 1 - expected)
        luck = match_luck(self.seed, self.replicate, round, first, second)
        win, draw = (int(points * self.world.scale) for points in (self.world.win, self.world.draw))
        won, lost = luck < expected - drawn / 2, luck >= expected + drawn / 2
        low_score = np.where(won, win, np.where(lost, 0, draw))
        high_score = np.where(lost, win, np.where(won, 0, draw))
        return np.where(lower, low_score, high_score), np.where(lower, high_score, low_score)


def _normal(luck: Uniforms) -> NDArray[np.float64]:
    """Standard normal quantiles, from Python's own NormalDist: the same on every platform."""
    inverse = NormalDist().inv_cdf
    return np.array([inverse(u) for u in np.maximum(luck, 2.0**-54).tolist()])
