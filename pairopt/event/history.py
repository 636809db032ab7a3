"""History: what each player did in each round so far, as tie-breaks read it.

Points are integers as in `Event`: the event's own points times its `scale`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from pairopt.event.event import PLAYED, Event
from pairopt.event.scores import worth

ABSENT = 0
"""Status of a round in which a player has no row: not there yet, or gone."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One round of one player.

    `opponent` is a position, -1 for none, and `against` the opponent's points; `side` is 0 for
    the first side in a match played, 1 for the second, -1 for none.
    """

    status: int
    points: int | Fraction
    opponent: int
    against: int | Fraction
    side: int

    @property
    def played(self) -> bool:
        return self.status == PLAYED


@dataclass(frozen=True)
class History:
    """All rounds of all players; `win` and `draw` are what these are worth, times the scale.

    A player has a turn for every round so far, but none for the last one while its result is
    missing: `waiting` are the positions of these players.
    """

    event: Event
    turns: tuple[tuple[Turn, ...], ...]
    waiting: frozenset[int]
    win: Fraction
    draw: Fraction

    @property
    def rounds(self) -> int:
        """The number of rounds so far, an unfinished one included."""
        return self.event.round - 1

    @cached_property
    def score(self) -> list[int | Fraction]:
        """Points of each player, those of no result included."""
        besides = self.event.besides[:, -1].tolist()
        return [
            sum((turn.points for turn in own), more)
            for own, more in zip(self.turns, besides, strict=True)
        ]


def history_of(event: Event) -> History:
    turns, rows, points = event.turns, event.unscored, worth(event)
    waiting = frozenset(p for p in (*rows.first.tolist(), *rows.second.tolist()) if p >= 0)
    columns = [
        column.tolist()
        for column in (turns.status, turns.points, turns.opponent,
                       turns.of_opponent(turns.points), turns.side)
    ]  # fmt: skip
    every = [tuple(map(Turn, *own)) for own in zip(*columns, strict=True)]
    return History(
        event,
        tuple(own[:-1] if p in waiting else own for p, own in enumerate(every)),
        waiting,
        points.win * event.scale,
        points.draw * event.scale,
    )
