"""Cut line: who is among the best so many, in many continuations of a round at once.

Players equal in everything share the places that are left, as a lot would give them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import lcm

import numpy as np

from pairopt.event.arcs import BoolArray, FloatArray, IntArray
from pairopt.event.event import Event, Matches
from pairopt.event.scores import points_of
from pairopt.event.standings import ranked, tie_breaks_of
from pairopt.event.tie_breaks import SCHEDULE

EXACT_FLOAT = 2**53
"""Whole numbers below it are exact in an array of floats."""


@dataclass(frozen=True)
class CutLine:
    """The last round of an event, of which some rows are open, and a cut after it.

    `event` is before the round. `present` are those who may make the cut.
    """

    event: Event
    rows: Matches
    cut: int
    present: BoolArray

    @cached_property
    def open(self) -> IntArray:
        """Which rows wait for their result."""
        return np.flatnonzero(self.rows.open)

    @cached_property
    def _tie_breaks(self) -> Sequence[str]:
        return tie_breaks_of(self.event)

    @cached_property
    def after(self) -> Event:
        """The event after the round; nobody has points from open rows yet."""
        done = replace(self.rows, scored=np.ones(len(self.rows), np.bool_))
        event = self.event
        matches = event.matches.take(event.matches.round < event.round).joined(done)
        return replace(event, matches=matches, round=event.round + 1)

    def shares(
        self, one: IntArray, two: IntArray, players: Sequence[int]
    ) -> tuple[IntArray, IntArray]:
        """Places left for each of these players and their equals, and how many these are.

        `one` and `two` are the points of both players in each open row, shape (m, rows); what is
        found has the shape (players, m).
        """
        keys = self._keys(one, two)
        found = [self._share(keys, player) for player in players]
        places, tied = np.array(found).transpose(1, 0, 2)
        return places, tied

    def _share(self, keys: Sequence[FloatArray], player: int) -> tuple[IntArray, IntArray]:
        above = np.zeros((len(keys[0]), int(self.present.sum())), np.bool_)
        equal = ~above
        for key in keys:
            own, others = key[:, [player]], key[:, self.present]
            above |= equal & (others > own)
            equal &= others == own
        tied = equal.sum(axis=1)
        return np.clip(self.cut - above.sum(axis=1), 0, tied), tied

    def _keys(self, one: IntArray, two: IntArray) -> list[FloatArray]:
        """What ranks players, the first that differs decides; arrays of shape (m, players)."""
        first, second = self.rows.first[self.open], self.rows.second[self.open]
        points = np.tile(points_of(self.after).astype(np.float64), (len(one), 1))
        points[:, first] += one
        points[:, second] += two
        if self.quick:
            keys = [points]
            opponents, rounds, games = self._schedule
            for number, _ in enumerate(self._tie_breaks):
                average = keys[-1] if number else points * rounds
                padded = np.column_stack([average, np.zeros(len(average))])
                keys.append(padded[:, opponents].sum(axis=2) * games)
            if max(float(key.max(initial=0)) for key in keys) < EXACT_FLOAT:
                return keys
        return [np.array([self._ranks(*each) for each in zip(one, two, strict=True)], np.float64)]

    @property
    def quick(self) -> bool:
        """Whether strength of schedule ranks the players, which is worked out for all at once."""
        names = tuple(self._tie_breaks)
        return names == SCHEDULE[: len(names)]

    @cached_property
    def _schedule(self) -> tuple[IntArray, FloatArray, FloatArray]:
        """Whom each has met, by round, and what makes means over rounds and games whole numbers.

        The opponents in rounds without a match played are one more than there are players.
        """
        turns = self.after.turns
        opponents = np.where(turns.played, turns.opponent, len(self.event.players))
        rounds, games = (
            np.maximum(each.sum(axis=1), 1) for each in (turns.status > 0, turns.played)
        )
        whole = [lcm(*set(each.tolist())) / each for each in (rounds, games)]
        return opponents, np.rint(whole[0]), np.rint(whole[1])

    def _ranks(self, one: IntArray, two: IntArray) -> list[int]:
        """Minus the rank of each player by any tie-breaks."""
        matches = self.after.matches
        start = len(matches) - len(self.rows)
        score1, score2 = matches.score1.copy(), matches.score2.copy()
        score1[start + self.open], score2[start + self.open] = one, two
        event = replace(self.after, matches=replace(matches, score1=score1, score2=score2))
        rank = {line.player: -line.rank for line in ranked(event, self._tie_breaks)}
        return [rank[player] for player in self.event.players]
