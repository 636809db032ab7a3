"""What FIDE's Swiss systems read of a player: preferences of sides, floats, numbers.

Source: FIDE Handbook C.04.3, articles 1.2 to 1.8, in force since 1 February 2026.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np

from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.event import BYE_ROW, REQUESTED, Event
from pairopt.event.matches import Turns
from pairopt.event.scores import points_of
from pairopt.words import tell

NONE, MILD, STRONG, ABSOLUTE = range(4)
"""How strong a preference is."""
DOWN, UP = 1, -1
"""Floats."""


@dataclass(frozen=True)
class Fide:
    """The active players, one array entry each, in the order of their `State`.

    `score` is what they are grouped by, virtual points included; `rank` says who of two ranks
    higher, by score, then `number`: the smaller one. `difference` is
    games with the first side less those with the second; `preferred` the side preferred, -1
    without one; `repeated` the side of the last two games if it was one, else -1. `latest`,
    shape (n, rounds), are the sides of the games played, the latest last, -1 before the first.
    `floats`, shape (n, 2), are those of one and of two rounds ago. `unplayed` counts rounds
    without a game. `topscorer` marks more than half of what could be scored. `own_first` says
    who has the first side against somebody lower where neither has a preference.
    """

    score: IntArray
    number: IntArray
    rank: IntArray
    difference: IntArray
    preferred: IntArray
    strength: IntArray
    repeated: IntArray
    latest: IntArray
    floats: IntArray
    unplayed: IntArray
    topscorer: BoolArray
    own_first: BoolArray

    def take(self, order: IntArray | BoolArray) -> Fide:
        """The facts of some of the players, in this order."""
        return Fide(**{each.name: getattr(self, each.name)[order] for each in fields(self)})


def fide_of(event: Event, player: IntArray, win: Fraction, seed: int) -> Fide:
    """The facts of the players at these positions; `win` is a win's points."""
    turns, rounds, number = event.turns, event.round - 1, event.start_numbers[player]
    own, bias, (last, streak) = points_of(event)[player], turns.bias, turns.streaks
    preferred, strength, repeated = _preferences(bias[player], last[player], streak[player])
    score = own + _virtual(event)[player, rounds]
    return Fide(
        score=score,
        number=number,
        rank=np.argsort(np.lexsort((number, -score))),
        difference=bias[player],
        preferred=preferred,
        strength=strength,
        repeated=repeated,
        latest=_latest(turns)[player],
        floats=_floats(event, turns)[player],
        unplayed=(~turns.played).sum(axis=1)[player],
        topscorer=2 * own > int(win * event.scale * rounds),
        own_first=_own_first(event, seed)[player],
    )


def _virtual(event: Event) -> IntArray:
    """Virtual points before each round, the one to pair included; shape (players, round)."""
    given = event.acceleration[:, : event.round]
    return np.pad(given, ((0, 0), (0, event.round - given.shape[1])))


def _latest(turns: Turns) -> IntArray:
    """The sides of the games of each player, moved to the end of their row."""
    order = np.argsort(turns.side >= 0, axis=1, kind="stable")
    return np.take_along_axis(turns.side, order, axis=1)


def _preferences(
    difference: IntArray, last: IntArray, streak: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Side preferred, how strongly, and the side of the last two games (article 1.7)."""
    repeated = np.where(streak > 1, last, -1)
    uneven, far = difference != 0, np.abs(difference) > 1
    by_difference = (difference > 0).astype(np.int64)
    other = np.where(last >= 0, 1 - last, -1)
    preferred = np.where(
        far, by_difference, np.where(repeated >= 0, other, np.where(uneven, by_difference, other))
    )
    strength = np.where(
        far | (repeated >= 0), ABSOLUTE, np.where(uneven, STRONG, np.where(last >= 0, MILD, NONE))
    )
    return preferred, strength, repeated


def _floats(event: Event, turns: Turns) -> IntArray:
    """The floats of one and of two rounds ago of all players (articles 1.4.2 and 1.4.3)."""
    n, rounds = turns.points.shape
    before = turns.before(event.besides) + _virtual(event)[:, :rounds]
    played = np.sign(before - turns.of_opponent(before))
    said = event.settings.points
    loss = 0 if said is None else int(said.loss * event.scale)
    floats = np.where(turns.played, played, np.where(turns.points > loss, DOWN, 0))
    floats[turns.status == BYE_ROW] = DOWN
    return np.hstack([np.zeros((n, 2), np.int64), floats])[:, :-3:-1]


def _own_first(event: Event, seed: int) -> BoolArray:
    """Who has the first side if nothing else decides (article 5.2.5).

    Numbers are counted among those who take part or have taken part.
    """
    rows = event.before
    took_part = rows.take(rows.status != REQUESTED).seen(len(event.players))
    odd = _odd(event.start_numbers, event.active | took_part)
    initial = event.initial_side
    if initial is None:
        initial = side_shown(event)
    if initial is None:
        initial = drawn_side(seed)
    return np.asarray(odd == (initial == 0), np.bool_)


def drawn_side(seed: int) -> int:
    """The side of the first player in round 1, by lot."""
    return int(np.random.default_rng([seed, 3]).integers(2))


def assumed(event: Event, seed: int) -> list[Any]:
    """What nobody has said of a round that is paired by one of FIDE's systems."""
    said = []
    if event.sides is not None and event.initial_side is None and side_shown(event) is None:
        said.append(tell("fide.side_drawn", side=event.sides[drawn_side(seed)], seed=seed))
    if event.settings.rounds is None:
        said.append(tell("fide.not_last"))
    return said


def _odd(numbers: IntArray, here: BoolArray) -> BoolArray:
    """Who has an odd place among those here."""
    place = np.argsort(np.argsort(np.where(here, numbers, numbers.max(initial=0) + 1)))
    return np.asarray(place % 2 == 0, np.bool_)


def side_shown(event: Event) -> int | None:
    """The side drawn, as round 1 shows it: by its player with the first number."""
    rows = event.before.paired(1)
    here = rows.seen(len(event.players))
    rows = rows.take((rows.side >= 0) & (rows.second >= 0))
    if not len(rows):
        return None
    one, two = event.start_numbers[rows.first], event.start_numbers[rows.second]
    k = int(np.argmin(np.minimum(one, two)))
    upper, side = (
        (rows.first[k], rows.side[k]) if one[k] < two[k] else (rows.second[k], 1 - rows.side[k])
    )
    odd = _odd(event.start_numbers, here)
    return int(side) if odd[upper] else 1 - int(side)
