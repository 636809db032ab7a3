"""History: what each player did in each round so far, as tie-breaks read it.

Points are integers as in `Event`: the event's own points times its `scale`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from pairopt.event.event import PLAYED, Event
from pairopt.event.scores import worth

ABSENT = 0
"""Status of a round in which a player has no row: not there yet, or gone."""


class Turn(NamedTuple):
    """One round of one player; see `Turns` for what is not a number of points."""

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
    """All rounds of all players; `win` and `draw` are what these are worth, times the scale. A
    player has a turn for every round so far, but none for the last one while its result is missing:
    `waiting` are the positions of these players."""

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
        both = zip(self.turns, self.event.besides[:, -1].tolist(), strict=True)
        return [sum((turn.points for turn in own), more) for own, more in both]


def history_of(event: Event) -> History:
    turns, rows, points = event.turns, event.unscored, worth(event)
    waiting = frozenset(p for p in (*rows.first.tolist(), *rows.second.tolist()) if p >= 0)
    against = turns.of_opponent(turns.points)
    columns = turns.status, turns.points, turns.opponent, against, turns.side
    every = zip(*(column.tolist() for column in columns), strict=True)
    made = (tuple(map(Turn, *own)) for own in every)
    there = tuple(own[:-1] if p in waiting else own for p, own in enumerate(made))
    return History(event, there, waiting, points.win * event.scale, points.draw * event.scale)
