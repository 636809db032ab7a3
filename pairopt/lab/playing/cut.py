"""Cut: the elimination after the last round, which the first of the standings play.

Who is in it are the first `cut` of those who have not left, seeded by the standings, equal ones by
lot. A match has a winner: a player wins it with the probability of a win and half that of a draw,
as without sides. Luck is that of the two players and the number of the match.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pairopt.event.arcs import IntArray
from pairopt.event.elimination import LAST, BracketMatch, Elimination
from pairopt.event.event import Event
from pairopt.event.points import Score
from pairopt.lab.playing.luck import Purpose, match_luck, uniforms
from pairopt.lab.playing.world import Field
from pairopt.lab.playing.worlds import chances_of


def final_place(field: Field, event: Event, place: IntArray) -> IntArray:
    """The places of the standings, higher is better, with those of the cut above all others.

    Of these the winner is first, then who lost last; who lost in the same round are equal.
    """
    here = np.flatnonzero(field.there(event.round, event))
    lot = uniforms(field.seed, field.replicate, Purpose.SEED, here)
    seeds = here[np.lexsort((lot, place[here]))[::-1]][: field.world.cut]
    if len(seeds) < 2:
        return place
    final = place.copy()
    final[seeds] = place.max() + 1 + _stages(field, seeds)
    return final


def _stages(field: Field, seeds: IntArray) -> IntArray:
    """How far each of the seeds comes: the round that they lost in, more for the winner."""
    names = tuple(str(number) for number in range(len(seeds)))
    state = Elimination(names, field.world.double_cut)
    while state.champion is None:
        for match in state.matches:
            if match.open:
                state = state.with_result(match.fixture.number, _score(field, seeds, match))
    out = state.out
    return np.array([out.get(seed, LAST + 1) for seed in range(1, len(seeds) + 1)], np.int64)


def _score(field: Field, seeds: IntArray, match: BracketMatch) -> Score:
    one, two = (int(seeds[(seed or 0) - 1]) for seed in match.seeds)
    low, high = np.array([min(one, two)]), np.array([max(one, two)])
    met = field.met(field.world.rounds, low, high, np.zeros(1, np.int64))
    win, draw = chances_of(field.world.results, met)
    number = field.world.rounds + match.fixture.number
    luck = match_luck(field.seed, field.replicate, number, low, high)
    lower_wins = bool(luck[0] < win[0] + draw[0] / 2)
    won = Fraction(lower_wins == (one < two))
    return Score(won, 1 - won)
