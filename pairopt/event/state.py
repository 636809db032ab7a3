"""State: the data of the active players that the rules read, from earlier rounds.

Nothing here knows a criterion. The definitions are those of FIDE's handbook where it
has them (floats, forfeits, byes), as fixed in the project's rules.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from pairopt.event.arcs import (
    MOST_CACHED_PLAYERS,
    Arcs,
    BoolArray,
    IntArray,
    random_generator,
)
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

    Positions low < high are those of the state, which has `n` players. `keys` has each
    pair once, and `count` how often it met. `led` are the keys of meetings in which the
    lower position had the first side, once per meeting.
    """

    n: int
    keys: IntArray
    count: IntArray
    led: IntArray

    @cached_property
    def low_first(self) -> IntArray:
        """For each of `keys`, how often the lower position had the first side."""
        return np.bincount(self.keys.searchsorted(self.led), minlength=len(self.keys))

    def pairs(self) -> IntArray:
        """Return the pairs that have met, each once, shape (k, 2), with low < high."""
        return np.column_stack(np.divmod(self.keys, self.n))

    @cached_property
    def _counts_of_all_pairs(self) -> IntArray:
        """How often any two positions have met, row after row, shape ((n + 1)²,).

        The last row and column, of byes, are 0.
        """
        table_width = self.n + 1
        lower_positions, higher_positions = np.divmod(self.keys, self.n)
        meeting_counts = np.zeros(table_width**2, np.int64)
        meeting_counts[lower_positions * table_width + higher_positions] = self.count
        meeting_counts[higher_positions * table_width + lower_positions] = self.count
        return meeting_counts

    def _find_key_indices(self, arcs: Arcs) -> IntArray:
        """Look up the index of each arc's pair in `keys`, shape (m,).

        It is -1 for a bye and for two players who have not met. `keys` must not be
        empty.
        """
        lower_positions = np.minimum(arcs.first, arcs.second)
        higher_positions = np.maximum(arcs.first, arcs.second)
        pair_keys = lower_positions * self.n + higher_positions
        nearest_key_index = np.minimum(
            np.searchsorted(self.keys, pair_keys), len(self.keys) - 1
        )
        return np.where(
            (self.keys[nearest_key_index] == pair_keys) & arcs.match,
            nearest_key_index,
            -1,
        )

    def met(self, arcs: Arcs) -> IntArray:
        """Return how often the players of each arc have met, shape (m,).

        `arcs` are by positions in the state. A bye counts 0, and so does every arc of
        typical players.
        """
        if arcs.typical or not len(self.keys):
            return np.zeros(len(arcs), np.int64)
        if self.n <= MOST_CACHED_PLAYERS:
            return np.asarray(
                self._counts_of_all_pairs[arcs.first * (self.n + 1) + arcs.second],
                np.int64,
            )
        return np.append(self.count, 0)[self._find_key_indices(arcs)]

    def met_same_sides(self, arcs: Arcs) -> IntArray:
        """Return how often the players have met with an arc's sides, shape (m,).

        `arcs` are by positions in the state; only meetings in which the same player had
        the first side count. A bye counts 0, and so does every arc of typical players.
        """
        if arcs.typical or not len(self.keys):
            return np.zeros(len(arcs), np.int64)
        # Row -1, of players who have not met, is the 0 at the end of the counts.
        key_index_by_arc = self._find_key_indices(arcs)
        low_first_counts = np.append(self.low_first, 0)
        high_first_counts = np.append(self.count, 0) - low_first_counts
        is_low_first = arcs.first < arcs.second
        return np.where(
            is_low_first,
            low_first_counts[key_index_by_arc],
            high_first_counts[key_index_by_arc],
        )


@dataclass(frozen=True)
class State:
    """The active players before the round, one array entry each, in a seeded order.

    The order is shuffled by `seed`, so that the order of a file favours nobody.
    `player` gives the position in the event. `score` is points times `scale`; `win` is
    the points of a win, not scaled. `bias` is the number of games on the first side
    minus those on the second; `last_side` the side of the last game, -1 without one,
    and `streak` how many latest games were on it; `byes` counts allocated byes.
    Properties that few rules read are computed on first use. n is the number of these
    players. A position is an index into these arrays.
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
        """Whether the game has sides, such as White and Black in chess."""
        return self.event.sided

    @property
    def odd(self) -> bool:
        """Whether the number of players is odd, so that one has the bye."""
        return len(self) % 2 == 1

    @property
    def scale(self) -> int:
        """The number that points are multiplied by to be integers, as in the event."""
        return self.event.scale

    @cached_property
    def unplayed_win(self) -> BoolArray:
        """True for players who once got the points of a win without playing.

        These are forfeit wins and full-point byes. Shape (n,).
        """
        return np.asarray(self._won_unplayed.any(axis=1), np.bool_)

    @cached_property
    def floats(self) -> IntArray:
        """Each player's float in each round, 1 down, -1 up and 0 for none.

        A float down is a match against a player with fewer points at that time, an
        allocated bye, or a win's points without playing. Shape (n, rounds).
        """
        turns = self.event.turns
        scores_before_rounds = turns.before(self.event.besides)
        score_difference = scores_before_rounds - turns.of_opponent(
            scores_before_rounds
        )
        floats_of_matches = np.where(turns.played, np.sign(score_difference), 0)
        has_fewer_points = turns.points < turns.of_opponent(turns.points)
        is_forfeit_loss = (turns.status == FORFEIT) & has_fewer_points
        is_down_without_match = (turns.status == BYE_ROW)[self.player]
        is_down_without_match |= self._won_unplayed & ~is_forfeit_loss[self.player]
        return np.where(is_down_without_match, 1, floats_of_matches[self.player])

    @cached_property
    def _won_unplayed(self) -> BoolArray:
        """True where a round gave a win's points without playing, shape (n, rounds).

        These are forfeit wins, and byes of either kind that gave at least a win's
        points.
        """
        turns = self.event.turns
        has_more_points = turns.points > turns.of_opponent(turns.points)
        is_forfeit_win = (turns.status == FORFEIT) & has_more_points
        is_worth_a_win = turns.points >= math.ceil(self.win * self.scale)
        has_row_without_match = (turns.status != 0) & ~turns.played
        is_unplayed_win: BoolArray = is_forfeit_win | (
            has_row_without_match & is_worth_a_win
        )
        return is_unplayed_win[self.player]

    @cached_property
    def meetings(self) -> MeetingCounts:
        """Which of the active players have met in played matches, and how often.

        Byes, forfeits, and meetings with players who are not in this round do not
        count.
        """
        match_rows_before, player_count, state_position_by_event_position = (
            self.event.before,
            len(self),
            self.seats,
        )
        indices_of_played_rows = (match_rows_before.status == PLAYED).nonzero()[0]
        state_position_of_first = state_position_by_event_position.take(
            match_rows_before.first.take(indices_of_played_rows)
        )
        state_position_of_second = state_position_by_event_position.take(
            match_rows_before.second.take(indices_of_played_rows)
        )
        # low * n + high, which is below 0 if a player is not in this round.
        key_of_each_match = (
            np.minimum(state_position_of_first, state_position_of_second)
            * (player_count - 1)
            + state_position_of_first
            + state_position_of_second
        )
        keys_led_by_lower = key_of_each_match[
            match_rows_before.side.take(indices_of_played_rows)
            == (state_position_of_second < state_position_of_first)
        ]
        if player_count < len(state_position_by_event_position) - 1:
            key_of_each_match, keys_led_by_lower = (
                key_of_each_match[key_of_each_match >= 0],
                keys_led_by_lower[keys_led_by_lower >= 0],
            )
        if player_count > MOST_CACHED_PLAYERS:
            return MeetingCounts(
                player_count,
                *np.unique(key_of_each_match, return_counts=True),
                keys_led_by_lower,
            )
        # Counting all keys is faster than sorting them where there are few players.
        meeting_counts = np.bincount(key_of_each_match)
        met_pair_keys = meeting_counts.nonzero()[0]
        return MeetingCounts(
            player_count,
            met_pair_keys,
            meeting_counts[met_pair_keys],
            keys_led_by_lower,
        )

    @cached_property
    def fide(self) -> FideAttributes:
        """The attributes that FIDE's Dutch System reads, computed on first use."""
        return fide_attributes_of(self.event, self.player, self.win, self.seed)

    @cached_property
    def fide_by_opposition(self) -> FideAttributes:
        """The FIDE attributes with ranks by opposition index, for the Burstein System.

        In seeding rounds they are those of the Dutch System.
        """
        return with_opposition_ranks(self.event, self.player, self.fide)

    @cached_property
    def difficulty(self) -> IntArray:
        """Sum of wins minus losses of all past opponents of each player, shape (n,).

        Only rounds before this one count. A forfeit counts as a match, and a
        pairing-allocated bye as a win. Opponents count who are not in this round any
        more. A bye has no opponent.
        """
        return records_of(self.event).difficulty[self.player]

    def mcmahon(self, rules: McMahonRules) -> McMahonAttributes:
        """Return the attributes that Go's McMahon system reads, under these rules.

        The state keeps them, so that the same rules give the same object again.
        """
        if rules not in self._mcmahon_by_rules:
            self._mcmahon_by_rules[rules] = mcmahon_attributes(
                self.event, self.player, self.byes, rules
            )
        return self._mcmahon_by_rules[rules]

    @cached_property
    def _mcmahon_by_rules(self) -> dict[McMahonRules, McMahonAttributes]:
        """The cache of `mcmahon`: attributes by their rules, empty at first."""
        return {}

    @cached_property
    def group(self) -> IntArray:
        """Score group of each player, 0 for the highest score, shape (n,)."""
        distinct_scores = np.array(sorted({*self.score.tolist()}), np.int64)
        return np.asarray(
            len(distinct_scores) - 1 - distinct_scores.searchsorted(self.score),
            np.int64,
        )

    @cached_property
    def groups(self) -> int:
        """The number of score groups, 0 without players."""
        return int(self.group.max()) + 1 if len(self) else 0

    @cached_property
    def seats(self) -> IntArray:
        """The position in this state of each player of the event, -1 for others.

        One more entry, the last, stands for nobody and is -1, so that index -1 works.
        """
        state_position_by_event_position = np.full(len(self.event.players) + 1, -1)
        state_position_by_event_position[self.player] = np.arange(len(self))
        return state_position_by_event_position

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The identifiers of the players, in the order of the other arrays."""
        return tuple(map(self.event.players.__getitem__, self.player.tolist()))

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """The names of the players to display, in the order of the other arrays."""
        return tuple(map(self.event.shown.__getitem__, self.player.tolist()))

    @cached_property
    def rank(self) -> IntArray:
        """Rank inside the score group from 1, by rating, then players.csv order.

        The highest rating has rank 1. Shape (n,).
        """
        return self._ranks_in_group(self._best_first)

    @cached_property
    def overall_rank(self) -> IntArray:
        """Rank from 1 among all players, by score, rating, then players.csv order.

        The highest score has rank 1. Shape (n,).
        """
        return np.argsort(self._best_first) + 1

    @cached_property
    def lowest(self) -> BoolArray:
        """True for the lowest player who may have the bye, or several equal ones.

        Eligible are players without a bye who have played, otherwise those with the
        fewest byes. The lowest has the fewest points, then the lowest strength of
        schedule, then the lowest extended strength of schedule (`SCHEDULE`). Shape
        (n,). Raises ValueError without players.
        """
        # Most models read no standings.
        from pairopt.event.standings import rank_players
        from pairopt.event.tie_breaks import SCHEDULE

        standing_by_player = {
            standing.player: standing for standing in rank_players(self.event, SCHEDULE)
        }
        standings_of_active = [
            standing_by_player[player_identifier] for player_identifier in self.names
        ]
        is_eligible = (self.byes == 0) & np.array(
            [standing.games > 0 for standing in standings_of_active], np.bool_
        )
        if not is_eligible.any():
            is_eligible = self.byes == self.byes.min()
        standing_ranks = np.array(
            [standing.rank for standing in standings_of_active], np.int64
        )
        return np.asarray(
            is_eligible & (standing_ranks == standing_ranks[is_eligible].max()),
            np.bool_,
        )

    @property
    def _best_first(self) -> IntArray:
        """The positions sorted by score group, rating and players.csv order.

        The best player comes first. Shape (n,).
        """
        return np.lexsort((self.player, -self.rating, self.group))

    @cached_property
    def shuffled_rank(self) -> IntArray:
        """Rank inside the score group from 1, in the random order of the state.

        Shape (n,).
        """
        return self._ranks_in_group(np.argsort(self.group, kind="stable"))

    def _ranks_in_group(self, order: IntArray) -> IntArray:
        """Return each player's rank inside their score group, from 1, shape (n,).

        `order` has all positions of the state, group by group and the best first.
        """
        group_sizes = np.bincount(self.group, minlength=self.groups)
        first_index_by_group = (
            np.concatenate([[0], np.cumsum(group_sizes)[:-1]])
            if len(group_sizes)
            else group_sizes
        )
        return np.argsort(order) - first_index_by_group[self.group] + 1

    @cached_property
    def group_size(self) -> IntArray:
        """The number of players in each player's score group, themselves included.

        Shape (n,).
        """
        return np.bincount(self.group, minlength=self.groups)[self.group]

    @cached_property
    def rating(self) -> IntArray:
        """The rating of each player, times the event's `rating_scale`, shape (n,).

        Unrated players have NO_RATING.
        """
        return self.event.rating[self.player]


def state_of(
    event: Event, win: Fraction | None = None, games: int = 1, seed: int = 0
) -> State:
    """Derive the state of the active players before the round to pair.

    `win` is a win's points, which count only if the event does not say its points. None
    infers them from the results; without any they are the usual ones of the game, with
    `games` games in a match. `seed` decides the order of the players. Raises InputError
    when a match before the round has no scores.
    """
    require_finished(event)
    if win is None or event.settings.points is not None:
        win = infer_points(event, games).win
    active_positions, turns = event.active.nonzero()[0], event.turns
    shuffled_positions = active_positions[_shuffle_players(seed, len(active_positions))]
    side_of_last_game, streak_length = turns.streaks
    bye_count_by_player = event.byes_brought + turns.byes
    return State(
        event=event,
        player=shuffled_positions,
        score=points_of(event)[shuffled_positions],
        bias=turns.bias[shuffled_positions],
        streak=streak_length[shuffled_positions],
        last_side=side_of_last_game[shuffled_positions],
        byes=bye_count_by_player[shuffled_positions],
        win=win,
        seed=seed,
    )


@lru_cache(maxsize=8)
def _shuffle_players(seed: int, players: int) -> IntArray:
    """Return a random permutation of range(players), the same for the same seed.

    The array is cached, so that callers must not change it.
    """
    return random_generator(seed, 0).permutation(players)
