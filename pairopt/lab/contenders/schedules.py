"""Contenders that go by a schedule, whatever the score groups."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.event.brackets import seeding
from pairopt.event.event import Event
from pairopt.lab.contenders import Pairs

Slots = list[int | None]


@dataclass(frozen=True)
class Knockout:
    """Who loses is out; the bracket is seeded by starting numbers (rating, then players.csv order).

    The best seeds have the byes of the first round. The better seed goes on from a draw, and
    plays the first side in every second round. Once a single player is left nobody is paired.
    """

    kind: ClassVar[str] = "knockout"
    partial: ClassVar[bool] = True

    def __call__(self, event: Event, seed: int, /) -> Pairs:
        order = np.argsort(event.start_numbers, kind="stable").tolist()
        slots = [order[s - 1] if s <= len(order) else None for s in seeding(len(order))]
        for number in range(1, event.round):
            slots = _after(event, number, slots)
        here = [p if p is not None and event.active[p] else None for p in slots]
        matches = zip(here[::2], here[1::2], strict=True) if len(here) > 1 else ()
        pairs = [
            [event.players[p] for p in match if p is not None] for match in matches
        ]
        turn = 1 if event.round % 2 else -1
        return [tuple(pair[::turn]) for pair in pairs if pair]


def _after(event: Event, number: int, slots: Slots) -> Slots:
    rows, place = event.matches.take(event.matches.round == number), event.start_numbers
    ends = (rows.first, rows.second, rows.score1 - rows.score2)
    left: dict[tuple[int, int], int] = {}
    for one, two, ahead in zip(*(end.tolist() for end in ends), strict=True):
        first = two < 0 or ahead > 0 or (ahead == 0 and place[one] <= place[two])
        left[one, two] = left[two, one] = one if first else two

    def goes_on(one: int | None, two: int | None) -> int | None:
        if one is None or two is None:
            return two if one is None else one
        # where one of them had left, the other had a bye
        return left.get((one, two), left.get((one, -1), left.get((two, -1))))

    both = zip(slots[::2], slots[1::2], strict=True)
    return [goes_on(*match) for match in both] if len(slots) > 1 else slots


@dataclass(frozen=True)
class RoundRobin:
    """Everybody meets everybody in n - 1 rounds (n with an odd number), as far as there are such.

    The Berger tables (FIDE Handbook, C.05, annex 1), with players in players.csv order; after the
    last round they begin again with the sides exchanged. Where they do, the last two rounds change
    places, as the annex recommends: so nobody has three games in a row on one side. Who should
    meet one who has left has a bye.
    """

    kind: ClassVar[str] = "round_robin"
    partial: ClassVar[bool] = True

    def __call__(self, event: Event, seed: int, /) -> Pairs:
        n = len(event.players) + len(event.players) % 2
        cycle, number = divmod(event.round - 1, n - 1)
        if number >= n - 3 > 0 and (event.settings.rounds or 0) > (cycle + 1) * (n - 1):
            number = 2 * n - 5 - number
        turn = number * (n // 2) % (n - 1)  # whom the last one meets
        around = [
            ((turn + k) % (n - 1), (turn - k) % (n - 1)) for k in range(1, n // 2)
        ]
        last = (turn, n - 1) if number % 2 == 0 else (n - 1, turn)
        both = [pair[::-1] if cycle % 2 else pair for pair in (last, *around)]
        here = [
            [
                event.players[p]
                for p in pair
                if p < len(event.players) and event.active[p]
            ]
            for pair in both
        ]
        return [tuple(pair) for pair in here if pair]
