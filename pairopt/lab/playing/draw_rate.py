"""Draw rate: the draws between equals with which a part of all games is drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.event import PLAYED
from pairopt.lab.playing.contenders import ContenderLike, contender_of
from pairopt.lab.playing.simulating import played
from pairopt.lab.playing.world import Field, World
from pairopt.lab.playing.worlds import chances_of

MODEL: Final = "standard"
GAMES, SEED, STEPS = 1000, 0, 20
NEAR = 0.001
MOST = 0.9999


def with_draw_rate(world: World, rate: float, contender: ContenderLike = MODEL) -> World:
    """The world with such `draws` that a contender has the part `rate` of all its games drawn.

    Who meets whom decides how many games are drawn: another contender in the same world has more
    or fewer, the more the better it pairs equals. Worlds in which each had the same rate would be
    different ones, without equal luck.

    Solved for by bisection: at each step tournaments are played, some 1,000 games, and the
    probabilities of a draw of those who met are averaged. Raises UsageError for a rate that this
    world cannot have.
    """
    low, high = 0.0, MOST
    if not 0 <= rate < 1:
        raise UsageError(f"draw rate {rate:g}: expected 0 or more and below 1")
    least, most = _rate(world, low, contender), _rate(world, high, contender)
    if not least <= rate <= most:
        raise UsageError(f"draw rate {rate:g}: this world can have {least:.3g} to {most:.3g}")
    if rate == least:
        return replace(world, draws=low)
    for _ in range(STEPS):
        middle = (low + high) / 2
        found = _rate(world, middle, contender)
        if abs(found - rate) < NEAR:
            return replace(world, draws=round(middle, 6))
        low, high = (middle, high) if found < rate else (low, middle)
    return replace(world, draws=round((low + high) / 2, 6))


def _rate(world: World, draws: float, contender: ContenderLike = MODEL) -> float:
    """The mean probability of a draw of those who meet."""
    tried, model = replace(world, draws=draws), contender_of(contender)
    found: list[float] = []
    replicate = 0
    while len(found) < GAMES and replicate < GAMES:
        field = Field(tried, SEED, replicate)
        last = played(field, model).event
        replicate += 1
        games = last.matches.take(last.matches.status == PLAYED)
        for number in range(1, last.round):
            here = games.round == number
            first, second = games.first[here], games.second[here]
            one, two = np.minimum(first, second), np.maximum(first, second)
            side = np.where(games.side[here] < 0, 0, np.where(first < second, 1, -1))
            met = field.met(number, one, two, side)
            found += chances_of(tried.results, met)[1].tolist()
    return float(np.mean(found)) if found else 0.0
