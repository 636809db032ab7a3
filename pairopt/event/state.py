"""State: what the rules read about the active players, derived from the rounds before.

Nothing here knows a criterion. The definitions are those of FIDE's handbook where it has them
(floats, forfeits, byes), as fixed in the project's rules.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from pairopt.event.arcs import FEW, Arcs, BoolArray, IntArray, random_generator
from pairopt.event.event import BYE_ROW, FORFEIT, PLAYED, Event, require_finished
from pairopt.event.fide_attributes import (
    FideAttributes,
    fide_attributes_of,
    with_opposition_ranks,
)
from pairopt.event.score_checks import infer_points, points_of


@dataclass(frozen=True)
class MeetingCounts:
    """Earlier meetings as sorted keys `low * n + high`, positions low < high, and how often each.
    `led` are the keys of those in which the lower position had the first side.
    """

    n: int
    keys: IntArray
    count: IntArray
    led: IntArray

    @cached_property
    def low_first(self) -> IntArray:
        return np.bincount(self.keys.searchsorted(self.led), minlength=len(self.keys))

    def pairs(self) -> IntArray:
        """The pairs that have met, shape (k, 2), low < high."""
        return np.column_stack(np.divmod(self.keys, self.n))

    @cached_property
    def _table(self) -> IntArray:
        """How often any two players have met, row after row; the last of each, of byes, is 0."""
        width, (low, high) = self.n + 1, np.divmod(self.keys, self.n)
        table = np.zeros(width**2, np.int64)
        table[low * width + high] = table[high * width + low] = self.count
        return table

    def _rows(self, arcs: Arcs) -> IntArray:
        """The row of each arc's two players; -1, an empty one, where they have not met."""
        low, high = (
            np.minimum(arcs.first, arcs.second),
            np.maximum(arcs.first, arcs.second),
        )
        key = low * self.n + high
        row = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        return np.where((self.keys[row] == key) & arcs.match, row, -1)

    def met(self, arcs: Arcs) -> IntArray:
        """How often the two players of each arc have met, shape (m,); 0 for a bye."""
        if arcs.typical or not len(self.keys):
            return np.zeros(len(arcs), np.int64)
        if self.n <= FEW:
            return np.asarray(
                self._table[arcs.first * (self.n + 1) + arcs.second], np.int64
            )
        return np.append(self.count, 0)[self._rows(arcs)]

    def met_same_sides(self, arcs: Arcs) -> IntArray:
        """How often they have met with the sides of this arc, shape (m,)."""
        if arcs.typical or not len(self.keys):
            return np.zeros(len(arcs), np.int64)
        row, first = self._rows(arcs), np.append(self.low_first, 0)
        second = np.append(self.count, 0) - first
        return np.where(arcs.first < arcs.second, first[row], second[row])


@dataclass(frozen=True)
class State:
    """The active players before the round, one array entry each, in a seeded order. The order is
    shuffled so that the order of a file favours nobody. `player` gives the position in the event.
    Scores are integers, points times `scale`. What few rules read is worked out when they do.
    """

    event: Event
    player: IntArray
    score: IntArray
    bias: IntArray
    streak: IntArray
    last_side: IntArray
    byes: IntArray
    win: Fraction
    seed: int = 0

    def __len__(self) -> int:
        return len(self.player)

    @property
    def sided(self) -> bool:
        return self.event.sided

    @property
    def odd(self) -> bool:
        return len(self) % 2 == 1

    @property
    def scale(self) -> int:
        return self.event.scale

    @cached_property
    def unplayed_win(self) -> BoolArray:
        return np.asarray(self._won_unplayed.any(axis=1), np.bool_)

    @cached_property
    def floats(self) -> IntArray:
        """Floats in each round, 1 down and -1 up, shape (n, rounds)."""
        turns = self.event.turns
        before, against = (
            turns.before(self.event.besides),
            turns.of_opponent(turns.points),
        )
        floats = np.where(turns.played, np.sign(before - turns.of_opponent(before)), 0)
        lost_forfeit = (turns.status == FORFEIT) & (turns.points < against)
        down = (turns.status == BYE_ROW)[self.player]
        down |= self._won_unplayed & ~lost_forfeit[self.player]
        return np.where(down, 1, floats[self.player])

    @cached_property
    def _won_unplayed(self) -> BoolArray:
        turns = self.event.turns
        won_forfeit = (turns.status == FORFEIT) & (
            turns.points > turns.of_opponent(turns.points)
        )
        enough = turns.points >= math.ceil(self.win * self.scale)
        won: BoolArray = won_forfeit | ((turns.status != 0) & ~turns.played & enough)
        return won[self.player]

    @cached_property
    def meetings(self) -> MeetingCounts:
        rows, n, seats = self.event.before, len(self), self.seats
        played = (rows.status == PLAYED).nonzero()[0]
        first, second = (
            seats.take(ends.take(played)) for ends in (rows.first, rows.second)
        )
        key = (
            np.minimum(first, second) * (n - 1) + first + second
        )  # below 0 if one is not here
        led = key[rows.side.take(played) == (second < first)]
        if n < len(seats) - 1:
            key, led = key[key >= 0], led[led >= 0]
        if n > FEW:
            return MeetingCounts(n, *np.unique(key, return_counts=True), led)
        keys = (count := np.bincount(key)).nonzero()[0]
        return MeetingCounts(n, keys, count[keys], led)

    @cached_property
    def fide(self) -> FideAttributes:
        return fide_attributes_of(self.event, self.player, self.win, self.seed)

    @cached_property
    def fide_by_opposition(self) -> FideAttributes:
        return with_opposition_ranks(self.event, self.player, self.fide)

    @cached_property
    def group(self) -> IntArray:
        """Score group of each player, 0 for the highest score, shape (n,)."""
        known = np.array(sorted({*self.score.tolist()}), np.int64)
        return np.asarray(len(known) - 1 - known.searchsorted(self.score), np.int64)

    @cached_property
    def groups(self) -> int:
        return int(self.group.max()) + 1 if len(self) else 0

    @cached_property
    def seats(self) -> IntArray:
        """The position here of each player of the event, -1 for others and, at last, for nobody."""
        seats = np.full(len(self.event.players) + 1, -1)
        seats[self.player] = np.arange(len(self))
        return seats

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(map(self.event.players.__getitem__, self.player.tolist()))

    @cached_property
    def shown(self) -> tuple[str, ...]:
        return tuple(map(self.event.shown.__getitem__, self.player.tolist()))

    @cached_property
    def rank(self) -> IntArray:
        """Rank inside the score group from 1, by rating, then players.csv order."""
        return self._ranks(self._best_first)

    @cached_property
    def overall_rank(self) -> IntArray:
        """Rank from 1 among all, by score, rating, then players.csv order."""
        return np.argsort(self._best_first) + 1

    @cached_property
    def lowest(self) -> BoolArray:
        """Who, of those without a bye who have played (else: with the fewest byes), is the last by
        points and schedule; several where they are equal.
        """
        # Most models read no standings.
        from pairopt.event.standings import rank_players
        from pairopt.event.tie_breaks import SCHEDULE

        lines = {line.player: line for line in rank_players(self.event, SCHEDULE)}
        active = [lines[name] for name in self.names]
        eligible = (self.byes == 0) & np.array(
            [line.games > 0 for line in active], np.bool_
        )
        if not eligible.any():
            eligible = self.byes == self.byes.min()
        rank = np.array([line.rank for line in active], np.int64)
        return np.asarray(eligible & (rank == rank[eligible].max()), np.bool_)

    @property
    def _best_first(self) -> IntArray:
        return np.lexsort((self.player, -self.rating, self.group))

    @cached_property
    def shuffled_rank(self) -> IntArray:
        """Rank inside the score group from 1, in the seeded order."""
        return self._ranks(np.argsort(self.group, kind="stable"))

    def _ranks(self, order: IntArray) -> IntArray:
        sizes = np.bincount(self.group, minlength=self.groups)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]) if len(sizes) else sizes
        return np.argsort(order) - starts[self.group] + 1

    @cached_property
    def group_size(self) -> IntArray:
        return np.bincount(self.group, minlength=self.groups)[self.group]

    @cached_property
    def rating(self) -> IntArray:
        return self.event.rating[self.player]


def state_of(
    event: Event, win: Fraction | None = None, games: int = 1, seed: int = 0
) -> State:
    """Derive the state of the active players. `win` is a win's points where the event does not say
    them; without it, those of `worth`. Raises InputError when a match before the round has no
    scores.
    """
    require_finished(event)
    if win is None or event.settings.points is not None:
        win = infer_points(event, games).win
    active, turns = event.active.nonzero()[0], event.turns
    order = active[_shuffle_players(seed, len(active))]
    (last, streak), byes = turns.streaks, event.byes_brought + turns.byes
    return State(
        event,
        order,
        points_of(event)[order],
        turns.bias[order],
        streak[order],
        last[order],
        byes[order],
        win,
        seed,
    )


@lru_cache(maxsize=8)
def _shuffle_players(seed: int, players: int) -> IntArray:
    return random_generator(seed, 0).permutation(players)
