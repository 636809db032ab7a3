"""Opposition: how strong the opponents of each player were, by which the Burstein System ranks.

Source: FIDE Handbook C.04.4.2, articles 1.6 to 1.8, in force since 1 February 2026.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pairopt.errors import InputError
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.event import REQUESTED, Event
from pairopt.event.fide import Fide
from pairopt.event.matches import Turns
from pairopt.event.scores import points_of, worth

MOST_SEEDING = 4


class Opposition(NamedTuple):
    """The Index of all players of an event, as integers times `scale` (Buchholz) and its
    product with the event's scale (Sonneborn-Berger)."""

    buchholz: IntArray
    sonneborn_berger: IntArray
    scale: int


def is_seeding(event: Event) -> bool:
    """Whether the round to pair is one of the first, which the Dutch System pairs (article 1.6).

    Raises InputError where the number of rounds must be known for that, and is not.
    """
    if event.round > MOST_SEEDING:
        return False
    if event.settings.rounds is None:
        raise InputError(event.source, "fide.rounds_needed", most=MOST_SEEDING)
    return event.round <= event.settings.rounds // 2


def ranked_by_opposition(event: Event, player: IntArray, fide: Fide) -> Fide:
    """The facts of the players at these positions, ranked by the Index, then number (1.8).

    In seeding rounds they are ranked as in the Dutch System. Raises InputError like `is_seeding`.
    """
    if is_seeding(event):
        return fide
    index = opposition_of(event)
    order = np.lexsort((fide.number, -index.sonneborn_berger[player], -index.buchholz[player]))
    return replace(fide, rank=np.argsort(order))


def opposition_of(event: Event) -> Opposition:
    """Buchholz and Sonneborn-Berger of all players by the common rules of article 1.7.2.

    A round that was not played counts as one against oneself. Of who is absent without points
    since a round, this one included, each such round before counts as a draw for opponents.
    """
    turns, own = event.turns, points_of(event)
    draw = worth(event).draw * event.scale
    scale = Fraction(draw).denominator
    gained = int(draw * scale) * _absent_since(event, turns)
    theirs = turns.of_opponent(np.broadcast_to((own * scale + gained)[:, None], turns.points.shape))
    strength = np.where(turns.played, theirs, own[:, None] * scale)
    return Opposition(
        strength.sum(axis=1), (strength * turns.points).sum(axis=1), scale * event.scale
    )


def _absent_since(event: Event, turns: Turns) -> IntArray:
    """For how many rounds before this one each has had nothing but byes without points.

    0 for who is here, or has points from this round.
    """
    absent = (turns.opponent < 0) & (turns.points == 0) & np.isin(turns.status, (0, REQUESTED))
    rounds: IntArray = np.cumprod(absent[:, ::-1], axis=1).sum(axis=1)
    return np.where(_away(event), rounds, 0)


def _away(event: Event) -> BoolArray:
    """Who has a bye without points in the round to pair."""
    away, rows = ~event.active, event.matches
    asked = (rows.round == event.round) & (rows.status == REQUESTED)
    away[rows.first[asked & (rows.score1 > 0)]] = False
    if worth(event).requested_bye > 0:
        away[list(event.requested)] = False
    return away
