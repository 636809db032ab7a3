"""State: the data of the active players that the rules read, from earlier rounds.

Nothing here knows a criterion. The definitions are those of FIDE's handbook where it
has them (floats, forfeits, byes), as fixed in the project's rules.
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
from pairopt.event.mcmahon import (
    McMahonAttributes,
    McMahonRules,
    mcmahon_attributes,
)
from pairopt.event.records import records_of
from pairopt.event.score_checks import infer_points, points_of


@dataclass(frozen=True)
class MeetingCounts:
    """Earlier meetings as sorted keys `low * n + high`, and how often each occurred.

    Positions low < high are those of the state. `led` are the keys of meetings in which
    the lower position had the first side, once per meeting.
    """

    n: int
    keys: IntArray
    count: IntArray
    led: IntArray

    @cached_property
    def low_first(self) -> IntArray:
        """How often the lower position had the first side, an entry per key."""
        return np.bincount(self.keys.searchsorted(self.led), minlength=len(self.keys))

    def pairs(self) -> IntArray:
        """Return the pairs that have met, each once, shape (k, 2), with low < high."""
        return np.column_stack(np.divmod(self.keys, self.n))

    @cached_property
    def _table(self) -> IntArray:
        """How often any two positions have met, row after row, shape ((n + 1)²,).

        The last row and column, of byes, are 0.
        """
        row_width = self.n + 1
        low, high = np.divmod(self.keys, self.n)
        count_table = np.zeros(row_width**2, np.int64)
        count_table[low * row_width + high] = self.count
        count_table[high * row_width + low] = self.count
        return count_table

    def _rows(self, arcs: Arcs) -> IntArray:
        """Return the index of each arc's pair in `keys`, shape (m,).

        It is -1 for a bye and for two players who have not met.
        """
        low = np.minimum(arcs.first, arcs.second)
        high = np.maximum(arcs.first, arcs.second)
        pair_keys = low * self.n + high
        key_index = np.minimum(
            np.searchsorted(self.keys, pair_keys), len(self.keys) - 1
        )
        return np.where((self.keys[key_index] == pair_keys) & arcs.match, key_index, -1)

    def met(self, arcs: Arcs) -> IntArray:
        """Return how often the players of each arc have met, 0 for a bye.

        Shape (m,).
        """
        if arcs.typical or not len(self.keys):
            return np.zeros(len(arcs), np.int64)
        if self.n <= FEW:
            return np.asarray(
                self._table[arcs.first * (self.n + 1) + arcs.second], np.int64
            )
        return np.append(self.count, 0)[self._rows(arcs)]

    def met_same_sides(self, arcs: Arcs) -> IntArray:
        """Return how often the players have met with the sides of this arc, shape (m,).

        A bye counts 0, and so does every arc of typical players.
        """
        if arcs.typical or not len(self.keys):
            return np.zeros(len(arcs), np.int64)
        # Row -1, of players who have not met, is the 0 at the end of the counts.
        key_index = self._rows(arcs)
        low_first_count = np.append(self.low_first, 0)
        high_first_count = np.append(self.count, 0) - low_first_count
        is_low_first = arcs.first < arcs.second
        return np.where(
            is_low_first, low_first_count[key_index], high_first_count[key_index]
        )


@dataclass(frozen=True)
class State:
    """The active players before the round, one array entry each, in a seeded order.

    The order is shuffled so that the order of a file favours nobody. `player` gives the
    position in the event. Scores are integers, points times `scale`. Properties that
    few rules read are computed on first use.
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
        """Whether the game has sides."""
        return self.event.sided

    @property
    def odd(self) -> bool:
        """Whether the number of players is odd, so that one has the bye."""
        return len(self) % 2 == 1

    @property
    def scale(self) -> int:
        """The multiplier of points, see `Event`."""
        return self.event.scale

    @cached_property
    def unplayed_win(self) -> BoolArray:
        """True for players who had a win's points without playing, shape (n,)."""
        return np.asarray(self._won_unplayed.any(axis=1), np.bool_)

    @cached_property
    def floats(self) -> IntArray:
        """Floats in each round, 1 down and -1 up, shape (n, rounds)."""
        turns = self.event.turns
        score_before = turns.before(self.event.besides)
        difference = score_before - turns.of_opponent(score_before)
        floats = np.where(turns.played, np.sign(difference), 0)
        has_fewer_points = turns.points < turns.of_opponent(turns.points)
        is_forfeit_loss = (turns.status == FORFEIT) & has_fewer_points
        is_float_down = (turns.status == BYE_ROW)[self.player]
        is_float_down |= self._won_unplayed & ~is_forfeit_loss[self.player]
        return np.where(is_float_down, 1, floats[self.player])

    @cached_property
    def _won_unplayed(self) -> BoolArray:
        """True where a round gave a win's points without playing, shape (n, rounds).

        These are forfeit wins, and byes of either kind that gave at least a win's
        points.
        """
        turns = self.event.turns
        has_more_points = turns.points > turns.of_opponent(turns.points)
        is_forfeit_win = (turns.status == FORFEIT) & has_more_points
        is_enough = turns.points >= math.ceil(self.win * self.scale)
        is_unplayed = (turns.status != 0) & ~turns.played
        is_unplayed_win: BoolArray = is_forfeit_win | (is_unplayed & is_enough)
        return is_unplayed_win[self.player]

    @cached_property
    def meetings(self) -> MeetingCounts:
        """Which players have met, and how often."""
        rows, player_count, seats = self.event.before, len(self), self.seats
        played_rows = (rows.status == PLAYED).nonzero()[0]
        first_seat = seats.take(rows.first.take(played_rows))
        second_seat = seats.take(rows.second.take(played_rows))
        # low * n + high, which is below 0 if a player is not in this round.
        pair_keys = (
            np.minimum(first_seat, second_seat) * (player_count - 1)
            + first_seat
            + second_seat
        )
        led_keys = pair_keys[rows.side.take(played_rows) == (second_seat < first_seat)]
        if player_count < len(seats) - 1:
            pair_keys, led_keys = pair_keys[pair_keys >= 0], led_keys[led_keys >= 0]
        if player_count > FEW:
            return MeetingCounts(
                player_count, *np.unique(pair_keys, return_counts=True), led_keys
            )
        # Counting all keys is faster than sorting them where there are few players.
        counts = np.bincount(pair_keys)
        keys = counts.nonzero()[0]
        return MeetingCounts(player_count, keys, counts[keys], led_keys)

    @cached_property
    def fide(self) -> FideAttributes:
        """The attributes that FIDE's Dutch System reads."""
        return fide_attributes_of(self.event, self.player, self.win, self.seed)

    @cached_property
    def fide_by_opposition(self) -> FideAttributes:
        """The attributes with ranks by opposition index."""
        return with_opposition_ranks(self.event, self.player, self.fide)

    @cached_property
    def difficulty(self) -> IntArray:
        """Sum of wins minus losses of all past opponents, shape (n,)."""
        return records_of(self.event).difficulty[self.player]

    def mcmahon(self, rules: McMahonRules) -> McMahonAttributes:
        """Return the attributes that Go's McMahon system reads; they are cached."""
        if rules not in self._mcmahon_by_rules:
            self._mcmahon_by_rules[rules] = mcmahon_attributes(
                self.event, self.player, self.byes, rules
            )
        return self._mcmahon_by_rules[rules]

    @cached_property
    def _mcmahon_by_rules(self) -> dict[McMahonRules, McMahonAttributes]:
        """The McMahon attributes that were asked for, by their rules."""
        return {}

    @cached_property
    def group(self) -> IntArray:
        """Score group of each player, 0 for the highest score, shape (n,)."""
        scores = np.array(sorted({*self.score.tolist()}), np.int64)
        return np.asarray(len(scores) - 1 - scores.searchsorted(self.score), np.int64)

    @cached_property
    def groups(self) -> int:
        """The number of score groups."""
        return int(self.group.max()) + 1 if len(self) else 0

    @cached_property
    def seats(self) -> IntArray:
        """The position here of each player of the event, -1 for others.

        One more entry, the last, stands for nobody and is -1.
        """
        seats = np.full(len(self.event.players) + 1, -1)
        seats[self.player] = np.arange(len(self))
        return seats

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The identifiers of the players, in the order of the other arrays."""
        return tuple(map(self.event.players.__getitem__, self.player.tolist()))

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """The names of the players for people, in the order of the other arrays."""
        return tuple(map(self.event.shown.__getitem__, self.player.tolist()))

    @cached_property
    def rank(self) -> IntArray:
        """Rank inside the score group from 1, by rating, then players.csv order."""
        return self._ranks_in_group(self._best_first)

    @cached_property
    def overall_rank(self) -> IntArray:
        """Rank from 1 among all, by score, rating, then players.csv order."""
        return np.argsort(self._best_first) + 1

    @cached_property
    def lowest(self) -> BoolArray:
        """True for the lowest player who may have the bye, or several equal ones.

        Eligible are players without a bye who have played, otherwise those with the
        fewest byes. Points and strength of schedule decide.
        """
        # Most models read no standings.
        from pairopt.event.standings import rank_players
        from pairopt.event.tie_breaks import SCHEDULE

        lines = {line.player: line for line in rank_players(self.event, SCHEDULE)}
        active_lines = [lines[name] for name in self.names]
        is_eligible = (self.byes == 0) & np.array(
            [line.games > 0 for line in active_lines], np.bool_
        )
        if not is_eligible.any():
            is_eligible = self.byes == self.byes.min()
        ranks = np.array([line.rank for line in active_lines], np.int64)
        return np.asarray(is_eligible & (ranks == ranks[is_eligible].max()), np.bool_)

    @property
    def _best_first(self) -> IntArray:
        """The positions sorted by score group, rating and players.csv order."""
        return np.lexsort((self.player, -self.rating, self.group))

    @cached_property
    def shuffled_rank(self) -> IntArray:
        """Rank inside the score group from 1, in the seeded order."""
        return self._ranks_in_group(np.argsort(self.group, kind="stable"))

    def _ranks_in_group(self, order: IntArray) -> IntArray:
        """Return each player's rank inside their score group, from 1, shape (n,).

        `order` has all positions of the state, group by group and the best first.
        """
        group_sizes = np.bincount(self.group, minlength=self.groups)
        group_starts = (
            np.concatenate([[0], np.cumsum(group_sizes)[:-1]])
            if len(group_sizes)
            else group_sizes
        )
        return np.argsort(order) - group_starts[self.group] + 1

    @cached_property
    def group_size(self) -> IntArray:
        """The number of players in each player's score group."""
        return np.bincount(self.group, minlength=self.groups)[self.group]

    @cached_property
    def rating(self) -> IntArray:
        """The rating of each player, times the event's `rating_scale`."""
        return self.event.rating[self.player]


def state_of(
    event: Event, win: Fraction | None = None, games: int = 1, seed: int = 0
) -> State:
    """Derive the state of the active players before the round to pair.

    `win` is a win's points where the event does not say them; None infers them from the
    results, with `games` games in a match (see `infer_points`). `seed` decides the
    order of the players. Raises InputError when a match before the round has no scores.
    """
    require_finished(event)
    if win is None or event.settings.points is not None:
        win = infer_points(event, games).win
    active_positions, turns = event.active.nonzero()[0], event.turns
    shuffled_positions = active_positions[_shuffle_players(seed, len(active_positions))]
    last_side, streak = turns.streaks
    byes = event.byes_brought + turns.byes
    return State(
        event=event,
        player=shuffled_positions,
        score=points_of(event)[shuffled_positions],
        bias=turns.bias[shuffled_positions],
        streak=streak[shuffled_positions],
        last_side=last_side[shuffled_positions],
        byes=byes[shuffled_positions],
        win=win,
        seed=seed,
    )


@lru_cache(maxsize=8)
def _shuffle_players(seed: int, players: int) -> IntArray:
    """Return a random permutation of range(players), the same for the same seed.

    Its generator has no other use.
    """
    return random_generator(seed, 0).permutation(players)
