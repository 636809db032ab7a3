"""Attributes of players that FIDE's Swiss systems read: preferences, floats, ranks.

Source: FIDE Handbook C.04.3, articles 1.2 to 1.8, in force since 1 February 2026.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from pairopt.errors import InputError
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.event import BYE_ROW, REQUESTED, Event
from pairopt.event.matches import PlayerRounds
from pairopt.event.score_checks import infer_points, points_of
from pairopt.messages import message

MOST_SEEDING = 4


class OppositionIndex(NamedTuple):
    """The opposition index of all players: Buchholz and Sonneborn-Berger.

    Buchholz values are integers times `scale`, Sonneborn-Berger values times the
    product of `scale` and the event's scale.
    """

    buchholz: IntArray
    sonneborn_berger: IntArray
    scale: int


def is_seeding_round(event: Event) -> bool:
    """Whether the round to pair is one of the first, which the Dutch System pairs.

    Source: C.04.4.2, article 1.6. Raises InputError if that depends on the number of
    rounds, which the event does not say.
    """
    if event.round > MOST_SEEDING:
        return False
    if event.settings.rounds is None:
        raise InputError(event.source, "fide.rounds_needed", most=MOST_SEEDING)
    return event.round <= event.settings.rounds // 2


def with_opposition_ranks(
    event: Event, player: IntArray, fide: FideAttributes
) -> FideAttributes:
    """Return the attributes with ranks by opposition index, then number.

    Source: C.04.4.2, article 1.8. In seeding rounds players are ranked as in the Dutch
    System. Raises InputError like `is_seeding_round`.
    """
    if is_seeding_round(event):
        return fide
    index = opposition_index_of(event)
    order = np.lexsort(
        (fide.number, -index.sonneborn_berger[player], -index.buchholz[player])
    )
    return replace(fide, rank=np.argsort(order))


def opposition_index_of(event: Event) -> OppositionIndex:
    """Return the opposition index of all players, by article 1.7.2.

    A round that was not played counts as one against oneself. If a player has been
    absent without points since some round, and is absent in this one, each such round
    counts as a draw for the opponents.
    """
    turns, own = event.turns, points_of(event)
    draw = infer_points(event).draw * event.scale
    scale = Fraction(draw).denominator
    gained = int(draw * scale) * _rounds_absent(event, turns)
    theirs = turns.of_opponent(
        np.broadcast_to((own * scale + gained)[:, None], turns.points.shape)
    )
    strength = np.where(turns.played, theirs, own[:, None] * scale)
    berger = (strength * turns.points).sum(axis=1)
    return OppositionIndex(strength.sum(axis=1), berger, scale * event.scale)


def _rounds_absent(event: Event, turns: PlayerRounds) -> IntArray:
    """Return for how many latest rounds each player has had only byes without points.

    Players who take part in this round, or get points for it, have 0.
    """
    absent = (
        (turns.opponent < 0)
        & (turns.points == 0)
        & np.isin(turns.status, (0, REQUESTED))
    )
    rounds: IntArray = np.cumprod(absent[:, ::-1], axis=1).sum(axis=1)
    away, rows = ~event.active, event.matches
    asked = (rows.round == event.round) & (rows.status == REQUESTED)
    away[rows.first[asked & (rows.score1 > 0)]] = False
    if infer_points(event).requested_bye > 0:
        away[list(event.requested)] = False
    return np.where(away, rounds, 0)


NONE, MILD, STRONG, ABSOLUTE = range(4)  # how strong a preference is
DOWN, UP = 1, -1  # floats


@dataclass(frozen=True)
class FideAttributes:
    """The attributes of the active players, one array entry each, in `State` order.

    `score` forms the groups, virtual points included; `rank` says who of two players
    ranks higher, by score, then `number`: the smaller one. `difference` is games with
    the first side less those with the second; `preferred` the side preferred, -1
    without one; `repeated` the side of the last two games if it was one, otherwise -1.
    `latest`, shape (n, rounds), are the sides of the games played, the latest last, -1
    before the first. `floats`, shape (n, 2), are those of one and of two rounds ago.
    `unplayed` counts rounds without a game. `topscorer` marks more than half of the
    possible score. `own_first` says who has the first side against a lower player if
    neither has a preference.
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

    def take(self, order: IntArray | BoolArray) -> FideAttributes:
        """Return the attributes of some of the players, in this order."""
        return FideAttributes(
            **{each.name: getattr(self, each.name)[order] for each in fields(self)}
        )


def fide_attributes_of(
    event: Event, player: IntArray, win: Fraction, seed: int
) -> FideAttributes:
    """Return the attributes of the players at these positions of the event.

    `win` is the number of points for a win.
    """
    turns, rounds, number = event.turns, event.round - 1, event.start_numbers[player]
    own, bias, (last, streak) = points_of(event)[player], turns.bias, turns.streaks
    preferred, strength, repeated = _preferences(
        bias[player], last[player], streak[player]
    )
    score = own + virtual_points(event)[player, rounds]
    to_the_end = np.argsort(turns.side >= 0, axis=1, kind="stable")
    return FideAttributes(
        score=score,
        number=number,
        rank=np.argsort(np.lexsort((number, -score))),
        difference=bias[player],
        preferred=preferred,
        strength=strength,
        repeated=repeated,
        latest=np.take_along_axis(turns.side, to_the_end, axis=1)[player],
        floats=_floats(event, turns)[player],
        unplayed=(~turns.played).sum(axis=1)[player],
        topscorer=2 * own > int(win * event.scale * rounds),
        own_first=_default_first_side(event, seed)[player],
    )


def virtual_points(event: Event) -> IntArray:
    """Return virtual points by player and round, up to the round to pair.

    Shape (players, rounds), times the event's scale.
    """
    given = event.acceleration[:, : event.round]
    return np.pad(given, ((0, 0), (0, event.round - given.shape[1])))


def _preferences(
    difference: IntArray, last: IntArray, streak: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return each side preferred, its strength, and the side of the last two games.

    Source: article 1.7.
    """
    repeated = np.where(streak > 1, last, -1)
    uneven, far = difference != 0, np.abs(difference) > 1
    by_difference = (difference > 0).astype(np.int64)
    other = np.where(last >= 0, 1 - last, -1)
    preferred = np.where(far | (uneven & (repeated < 0)), by_difference, other)
    weak = np.where(uneven, STRONG, np.where(last >= 0, MILD, NONE))
    return preferred, np.where(far | (repeated >= 0), ABSOLUTE, weak), repeated


def _floats(event: Event, turns: PlayerRounds) -> IntArray:
    """Return the floats of all players one and two rounds ago, shape (players, 2).

    Source: articles 1.4.2 and 1.4.3.
    """
    n, rounds = turns.points.shape
    before = turns.before(event.besides) + virtual_points(event)[:, :rounds]
    played = np.sign(before - turns.of_opponent(before))
    said = event.settings.points
    loss = 0 if said is None else int(said.loss * event.scale)
    floats = np.where(turns.played, played, np.where(turns.points > loss, DOWN, 0))
    floats[turns.status == BYE_ROW] = DOWN
    return np.hstack([np.zeros((n, 2), np.int64), floats])[:, :-3:-1]


def _default_first_side(event: Event, seed: int) -> BoolArray:
    """Return for each player whether the first side is theirs by default (5.2.5).

    That goes by whether the start number, among those who take part, is odd.
    """
    rows = event.before
    took_part = rows.take(rows.status != REQUESTED).player_mask(len(event.players))
    odd = _is_odd(event.start_numbers, event.active | took_part)
    known = (
        side
        for side in (event.initial_side, initial_side_of_results(event))
        if side is not None
    )
    return np.asarray(odd == (next(known, draw_initial_side(seed)) == 0), np.bool_)


def draw_initial_side(seed: int) -> int:
    """Draw the side that the first player has in round 1: 0 or 1."""
    return int(np.random.default_rng([seed, 3]).integers(2))


def assumption_notes(event: Event, seed: int) -> list[Any]:
    """Return notes on what FIDE's systems need and the event does not say."""
    said = []
    if (
        event.sides is not None
        and event.initial_side is None
        and initial_side_of_results(event) is None
    ):
        said.append(
            message(
                "fide.side_drawn", side=event.sides[draw_initial_side(seed)], seed=seed
            )
        )
    if event.settings.rounds is None:
        said.append(message("fide.not_last"))
    return said


def _is_odd(numbers: IntArray, mask: BoolArray) -> BoolArray:
    """Return for each player whether the number's rank among those in `mask` is odd."""
    place = np.argsort(np.argsort(np.where(mask, numbers, numbers.max(initial=0) + 1)))
    return np.asarray(place % 2 == 0, np.bool_)


def initial_side_of_results(event: Event) -> int | None:
    """Return the initial side that round 1 shows, None if it shows none.

    It is the side of the player with the lowest start number.
    """
    rows = event.before.paired_rows(1)
    here = rows.player_mask(len(event.players))
    rows = rows.take((rows.side >= 0) & (rows.second >= 0))
    if not len(rows):
        return None
    one, two = event.start_numbers[rows.first], event.start_numbers[rows.second]
    k = int(np.argmin(np.minimum(one, two)))
    upper = rows.first[k] if one[k] < two[k] else rows.second[k]
    same = bool(_is_odd(event.start_numbers, here)[upper]) == bool(one[k] < two[k])
    return int(rows.side[k]) if same else 1 - int(rows.side[k])
