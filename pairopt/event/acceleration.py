"""Acceleration: virtual points for the stronger half of the players in the first rounds.

Source: FIDE Handbook C.04.7, chapter 1, the Baku Acceleration Method."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.event import Event


def baku(players: int, rounds: int, win: Decimal) -> tuple[int, list[Decimal]]:
    """How many players have virtual points, the first ones, and how many by round. Half of the
    players, rounded up to an even number, have them in the first half of the rounds, rounded up: a
    win's points in the first half of these, rounded up, then half as many."""
    accelerated = -(-rounds // 2)
    full = -(-accelerated // 2)
    return 2 * -(-players // 4), [win] * full + [win / 2] * (accelerated - full)


def first_group(numbers: IntArray, here: BoolArray) -> BoolArray:
    """Who has virtual points, by start numbers: the first half of those `here` in round 1, and who
    ranks above the last one of them (article 1.3: late entries)."""
    many, _ = baku(int(here.sum()), 0, Decimal(0))
    last = np.sort(numbers[here])[:many].max(initial=0)
    return np.asarray(numbers <= last, np.bool_)


def in_round_one(event: Event) -> BoolArray:
    """Who is paired in round 1, or is to be."""
    if event.round == 1:
        return event.active
    return event.matches.paired(1).seen(len(event.players))
