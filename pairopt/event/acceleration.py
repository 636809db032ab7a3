"""Acceleration: virtual points for the stronger half of the players in the first rounds.

Source: FIDE Handbook C.04.7, chapter 1, the Baku Acceleration Method.
"""

from __future__ import annotations

from decimal import Decimal


def baku(players: int, rounds: int, win: Decimal) -> tuple[int, list[Decimal]]:
    """How many players have virtual points, the first ones, and how many by round.

    Half of the players, rounded up to an even number, have them in the first half of the rounds,
    rounded up: a win's points in the first half of these, rounded up, then half as many.
    """
    accelerated = -(-rounds // 2)
    full = -(-accelerated // 2)
    return 2 * -(-players // 4), [win] * full + [win / 2] * (accelerated - full)
