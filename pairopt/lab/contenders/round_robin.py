"""Contender `round_robin`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pairopt.event.event import Event
from pairopt.lab.contenders.base import Pairs


@dataclass(frozen=True)
class RoundRobin:
    """Everybody meets everybody in n - 1 rounds (n with an odd number), as far as there are such.

    The circle method in players.csv order, with the sides of the Berger tables; after the last
    round it begins again with the sides exchanged. Who should meet one who has left has a bye.
    """

    kind: ClassVar[str] = "round_robin"
    partial: ClassVar[bool] = True

    def __call__(self, event: Event, seed: int, /) -> Pairs:
        n = len(event.players) + len(event.players) % 2
        cycle, turn = divmod(event.round - 1, n - 1)
        around = [((turn + k) % (n - 1), (turn - k) % (n - 1)) for k in range(1, n // 2)]
        last = (turn, n - 1) if turn % 2 == 0 else (n - 1, turn)
        both = [pair[::-1] if cycle % 2 else pair for pair in (last, *around)]
        here = [[event.players[p] for p in pair if p < len(event.players) and event.active[p]]
                for pair in both]  # fmt: skip
        return [tuple(pair) for pair in here if pair]
