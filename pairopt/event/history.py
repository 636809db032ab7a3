"""History: what each player did in each round so far, as tie-breaks read it.

Points are integers as in `Event`: the event's own points times its `scale`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from pairopt.event.event import PLAYED, Event, Matches
from pairopt.event.scores import worth
from pairopt.event.turns import points_of

ABSENT = 0
"""Status of a round in which a player has no row: not there yet, or gone."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One round of one player.

    `opponent` is a position, -1 for none, and `against` the opponent's points; `side` is 0 for
    the first side, 1 for the second, -1 for none.
    """

    status: int
    points: int
    opponent: int = -1
    against: int = 0
    side: int = -1

    @property
    def played(self) -> bool:
        """Whether a match was played; byes and forfeits are none."""
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
    def score(self) -> list[int]:
        """Points of each player, brought ones included."""
        return [int(points) for points in points_of(self.event)]


def history_of(event: Event) -> History:
    """The rounds before the one to pair."""
    turns: list[dict[int, Turn]] = [{} for _ in event.players]
    for number, one, two, status, side, mine, theirs in _rows(event.before):
        turns[one][number] = Turn(status, mine, two, theirs, side)
        if two >= 0:
            other = 1 - side if side >= 0 else -1
            turns[two][number] = Turn(status, theirs, one, mine, other)
    waiting = frozenset(p for row in _rows(event.unscored) for p in row[1:3] if p >= 0)
    absent = Turn(ABSENT, 0)
    points = worth(event)
    return History(
        event,
        tuple(
            tuple(own.get(number, absent) for number in range(1, event.round - (p in waiting)))
            for p, own in enumerate(turns)
        ),
        waiting,
        points.win * event.scale,
        points.draw * event.scale,
    )


def _rows(rows: Matches) -> list[tuple[int, ...]]:
    columns = (rows.round, rows.first, rows.second, rows.status, rows.side, rows.score1,
               rows.score2)  # fmt: skip
    return list(zip(*(column.tolist() for column in columns), strict=True))
