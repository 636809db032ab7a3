"""Enumerate or sample how an event goes on after each result of a match, to a top cut.

In the last round all results of the other tables are enumerated if they are not too
many. Otherwise results and pairings are drawn, with common random numbers for each
result of a table, so that differences are due to that result.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm, prod
from typing import Literal

import numpy as np

from pairopt.event.arcs import BYE, BoolArray, FloatArray, IntArray
from pairopt.event.event import Event, Matches
from pairopt.event.points import MatchPoints, Points
from pairopt.event.score_checks import points_of
from pairopt.event.standings import rank_players, tie_breaks_of
from pairopt.event.tie_breaks import SCHEDULE
from pairopt.lab.luck import Purpose, pairing_seed, uniforms
from pairopt.lab.play import paired, rows_of
from pairopt.lab.worlds import Games, Results, chances_of
from pairopt.lab.worlds.laws import Elo
from pairopt.problem.model import Model

Agreement = Literal["two_for_one", "intentional_draw"]
WIN, DRAW, LOSS = 0, 1, 2


@dataclass(frozen=True)
class GameModel:
    """How games end: a law of results between players with strengths in Elo points.

    `strength` has one number per player of the event, by position. `results` is the law
    of results, `Elo()` by default. `draws` is the probability of a draw between equals,
    0 by default.
    """

    strength: FloatArray
    results: Results = field(default_factory=Elo)
    draws: float = 0.0

    def game(
        self,
        number: int,
        first_players: IntArray,
        second_players: IntArray,
        side: IntArray,
    ) -> FloatArray:
        """Return the probabilities that first players win, draw and lose.

        The shape is (3, m), with one column per game. `number` is the round.
        `first_players` and `second_players` are positions in the event. `side` is 1
        where the first player has the first side, and the opposite, -1, where the
        second player has it; it is 0 without sides. Raise UsageError if the law of
        results fails.
        """
        # Worlds want the player with the lower number first.
        is_in_order = first_players < second_players
        lower_players = np.where(is_in_order, first_players, second_players)
        higher_players = np.where(is_in_order, second_players, first_players)
        side = np.where(is_in_order, side, -side)
        games_of_round = Games(
            0,
            number,
            lower_players,
            higher_players,
            side,
            self.strength,
            0.0,
            self.draws,
        )

        win_probabilities, draw_probabilities = chances_of(self.results, games_of_round)
        loss_probabilities = np.maximum(1 - win_probabilities - draw_probabilities, 0)
        first_win_probabilities = np.where(
            is_in_order, win_probabilities, loss_probabilities
        )
        first_loss_probabilities = np.where(
            is_in_order, loss_probabilities, win_probabilities
        )
        return np.stack(
            [first_win_probabilities, draw_probabilities, first_loss_probabilities]
        )


@dataclass(frozen=True)
class MatchOutcomes:
    """The possible results of some matches, and their probabilities.

    `results` are pairs of points of both players, the best for the first player first.
    `honest` are the probabilities if all games are played, shape (matches, results).
    `agreed` has by agreement the probabilities under it, of the same shape. Points are
    not scaled.
    """

    results: tuple[MatchPoints, ...]
    honest: FloatArray
    agreed: Mapping[Agreement, FloatArray]


def compute_match_outcomes(
    game_model: GameModel, points: Points, rows: Matches
) -> MatchOutcomes:
    """Compute how each of some matches can end, of one game or of two.

    `game_model` says how games end, and `points` what results are worth. `rows` are
    matches, without byes, and must all be of one round; their results are not used. If
    `points` has points of a game (`points.game`), a match has two games. Results that
    are impossible in every match are left out. The agreement "intentional_draw" always
    exists, "two_for_one" only for matches of two games.
    """
    side_of_first = np.where(rows.side == 0, 1, np.where(rows.side == 1, -1, 0))
    round_number = int(rows.round.max(initial=1))
    game_point_values = points.game or points
    game_points = (
        (game_point_values.win, game_point_values.loss),
        (game_point_values.draw, game_point_values.draw),
        (game_point_values.loss, game_point_values.win),
    )
    if points.game is None:
        single_game_probabilities = game_model.game(
            round_number, rows.first, rows.second, side_of_first
        ).T
        drawn_probabilities = _certain_result(DRAW, single_game_probabilities)
        return _drop_impossible(
            game_points,
            single_game_probabilities,
            {"intentional_draw": drawn_probabilities},
        )

    # A match of two games: the points of each pair of game results.
    points_of_game_results = {
        (first_result, second_result): (
            game_points[first_result][0] + game_points[second_result][0],
            game_points[first_result][1] + game_points[second_result][1],
        )
        for first_result in range(3)
        for second_result in range(3)
    }
    distinct_results = tuple(
        sorted(
            set(points_of_game_results.values()),
            key=lambda point_pair: (-point_pair[0], point_pair[1]),
        )
    )

    # Each player has the first side once.
    first_side_signs = np.ones(len(rows), np.int64)
    probabilities_by_game = [
        game_model.game(
            round_number, rows.first, rows.second, side_sign * first_side_signs
        )
        for side_sign in (1, -1)
    ]
    outcome_shape = (len(rows), len(distinct_results))
    honest_probabilities = np.zeros(outcome_shape)
    two_for_one_probabilities = np.zeros(outcome_shape)
    for (first_result, second_result), match_points in points_of_game_results.items():
        result_column = distinct_results.index(match_points)
        honest_probabilities[:, result_column] += (
            probabilities_by_game[0][first_result]
            * probabilities_by_game[1][second_result]
        )
        # Two for one: the winner of the first game is given the second one, too. After
        # a draw the second game is played. Each game is as likely to be the first.
        for first_game, second_game in (
            probabilities_by_game,
            probabilities_by_game[::-1],
        ):
            if first_result == DRAW:
                two_for_one_probabilities[:, result_column] += (
                    first_game[DRAW] * second_game[second_result] / 2
                )
            elif first_result == second_result:
                two_for_one_probabilities[:, result_column] += (
                    first_game[first_result] / 2
                )

    split_probabilities = _certain_result(
        distinct_results.index(points_of_game_results[WIN, LOSS]), honest_probabilities
    )
    return _drop_impossible(
        distinct_results,
        honest_probabilities,
        {
            "two_for_one": two_for_one_probabilities,
            "intentional_draw": split_probabilities,
        },
    )


def _certain_result(column: int, template: FloatArray) -> FloatArray:
    """Return probabilities by which one result, a column, is certain in every match.

    The array has the shape of `template`: 1 in that column, 0 elsewhere.
    """
    certain_probabilities = np.zeros_like(template)
    certain_probabilities[:, column] = 1
    return certain_probabilities


def _drop_impossible(
    results: tuple[MatchPoints, ...],
    honest: FloatArray,
    agreed: Mapping[Agreement, FloatArray],
) -> MatchOutcomes:
    """Return the outcomes without results that have probability 0 in all matches.

    A result stays if any of the tables, honest or agreed, has it. Without matches all
    results stay.
    """
    probability_tables = (honest, *agreed.values())
    is_possible = np.any(
        [probability_table.any(axis=0) for probability_table in probability_tables],
        axis=0,
    )
    possible_columns = np.flatnonzero(is_possible | (len(honest) == 0))
    possible_results = tuple(
        results[result_column] for result_column in possible_columns.tolist()
    )
    agreed_columns = {
        agreement: probability_table[:, possible_columns]
        for agreement, probability_table in agreed.items()
    }
    return MatchOutcomes(possible_results, honest[:, possible_columns], agreed_columns)


EXACT_FLOAT = 2**53
"""Whole numbers below this bound are exact in an array of floats."""


@dataclass(frozen=True)
class CutLine:
    """A top cut after the last round, of which some matches are open.

    `event` is the event before that round and `rows` are the round's matches. `cut` is
    the number of places in the cut. `present` is a mask over players: those who may
    make the cut. `shares` gives each player's share of a place in the cut after the
    round.
    """

    event: Event
    rows: Matches
    cut: int
    present: BoolArray

    @cached_property
    def open(self) -> IntArray:
        """The indices of the rows that have no result yet."""
        return np.flatnonzero(self.rows.open)

    @cached_property
    def _tie_breaks(self) -> Sequence[str]:
        """The names of the event's tie-breaks, in their order."""
        return tie_breaks_of(self.event)

    @cached_property
    def known(self) -> Event:
        """A copy of the event after the round, with 0 points for open rows' players."""
        return self.after(0, 0)

    def after(self, points1: IntArray | int, points2: IntArray | int) -> Event:
        """Return the event after the round if its open rows end with these results.

        `points1` and `points2` are the scaled points of both players: one number per
        open row, or one for all. Only the rounds before this one and the round itself
        are in it. Its `round` is one more. This object does not change.
        """
        round_matches = self.rows
        score1 = round_matches.score1.copy()
        score2 = round_matches.score2.copy()
        score1[self.open] = points1
        score2[self.open] = points2
        scored_flags = np.ones(len(round_matches), np.bool_)
        scored_round_matches = replace(
            round_matches, score1=score1, score2=score2, scored=scored_flags
        )

        event = self.event
        earlier_matches = event.matches.take(event.matches.round < event.round)
        all_matches = earlier_matches.concatenate(scored_round_matches)
        return replace(event, matches=all_matches, round=event.round + 1)

    def shares(
        self, points1: IntArray, points2: IntArray, players: Sequence[int]
    ) -> tuple[IntArray, IntArray]:
        """Return how many places of the cut are left for each player and equals.

        `points1` and `points2` are the scaled points of both players in each open row,
        shape (m, rows); `players` are positions in the event. The first array has the
        places left, from 0 to the number of equals; the second has that number,
        including the player. Both have shape (players, m). Places over equals is the
        player's share of a place.
        """
        ranking_keys = self._ranking_keys(points1, points2)
        counts_by_player = [
            self._count_places(ranking_keys, player) for player in players
        ]
        place_counts, equal_counts = zip(*counts_by_player, strict=True)
        return np.array(place_counts), np.array(equal_counts)

    def _count_places(
        self, keys: Sequence[FloatArray], player: int
    ) -> tuple[IntArray, IntArray]:
        """Return the places left for a player and equals, and the number of equals.

        `keys` rank all players, the most important first, each of shape (m, players).
        Both results have shape (m,). The places are between 0 and the number of equals.
        """
        is_ranked_above = np.zeros((len(keys[0]), int(self.present.sum())), np.bool_)
        is_tied_with_player = ~is_ranked_above
        for ranking_key in keys:
            values_of_player = ranking_key[:, [player]]
            values_of_present = ranking_key[:, self.present]
            is_ranked_above |= is_tied_with_player & (
                values_of_present > values_of_player
            )
            is_tied_with_player &= values_of_present == values_of_player

        equal_counts = is_tied_with_player.sum(axis=1)
        return np.clip(
            self.cut - is_ranked_above.sum(axis=1), 0, equal_counts
        ), equal_counts

    def _ranking_keys(self, points1: IntArray, points2: IntArray) -> list[FloatArray]:
        """Return arrays of shape (m, players) that rank players lexicographically.

        `points1` and `points2` are the scaled points of both players in each open row,
        shape (m, rows), for m ways in which these end. The first array ranks first, the
        next one breaks its ties, and so on; a larger value is a better place. If
        tie-breaks cannot be vectorised, or would not be exact in floats, there is one
        array: minus the ranks.
        """
        first_players = self.rows.first[self.open]
        second_players = self.rows.second[self.open]
        scaled_points = np.tile(
            points_of(self.known).astype(np.float64), (len(points1), 1)
        )
        scaled_points[:, first_players] += points1
        scaled_points[:, second_players] += points2

        if self.quick:
            ranking_keys = [scaled_points]
            opponents_by_round, round_factors, game_factors = self._schedule
            for tie_break_index, _ in enumerate(self._tie_breaks):
                averaged_values = (
                    ranking_keys[-1]
                    if tie_break_index
                    else scaled_points * round_factors
                )
                # The last column is nobody, whom those without an opponent meet.
                padded_average = np.column_stack(
                    [averaged_values, np.zeros(len(averaged_values))]
                )
                ranking_keys.append(
                    padded_average[:, opponents_by_round].sum(axis=2) * game_factors
                )
            if (
                max(float(ranking_key.max(initial=0)) for ranking_key in ranking_keys)
                < EXACT_FLOAT
            ):
                return ranking_keys

        negated_ranks = [
            self._negated_ranks(sample_points1, sample_points2)
            for sample_points1, sample_points2 in zip(points1, points2, strict=True)
        ]
        return [np.array(negated_ranks, np.float64)]

    @property
    def quick(self) -> bool:
        """Whether strength of schedule alone breaks ties, which is vectorised.

        The event's tie-breaks are then strength of schedule, perhaps followed by the
        extended one, or there are none.
        """
        tie_break_names = tuple(self._tie_breaks)
        return tie_break_names == SCHEDULE[: len(tie_break_names)]

    @cached_property
    def _schedule(self) -> tuple[IntArray, FloatArray, FloatArray]:
        """Each player's opponents by round, and factors that make means whole numbers.

        The opponents have shape (players, rounds); n, the number of players, stands for
        a round without a played match. The factors have shape (players,): the first is
        for means over rounds, the second for means over games.
        """
        player_rounds = self.known.turns
        opponents_by_round = np.where(
            player_rounds.played, player_rounds.opponent, len(self.event.players)
        )
        round_counts = np.maximum((player_rounds.status > 0).sum(axis=1), 1)
        game_counts = np.maximum(player_rounds.played.sum(axis=1), 1)
        round_factors, game_factors = (
            np.rint(lcm(*set(counts_by_player.tolist())) / counts_by_player)
            for counts_by_player in (round_counts, game_counts)
        )
        return opponents_by_round, round_factors, game_factors

    def _negated_ranks(self, points1: IntArray, points2: IntArray) -> list[int]:
        """Return minus each player's rank after these points, by position in the event.

        `points1` and `points2` are for one continuation, shape (open rows,).
        """
        event_after_round = self.after(points1, points2)
        standings = rank_players(event_after_round, self._tie_breaks)
        negated_rank_of_player = {
            standing.player: -standing.rank for standing in standings
        }
        return [negated_rank_of_player[player] for player in self.event.players]


MOST_STANDINGS = 2**20
"""The most final standings that are enumerated: 10 tables with three results each."""
SLOW = 128
"""How much longer standings take whose tie-breaks are not vectorised."""
INNER = 32
"""Results of the last round that are drawn for each of its pairings."""
AT_ONCE = 2**14
"""Combinations of results that are evaluated in one array."""
SAMPLES, FEWER = 4000, 200
"""The default number of sampled continuations, in the last round and before it."""

Exact = list[Fraction]
Values = tuple[Exact, Exact] | tuple[FloatArray, FloatArray]
"""What each result of a table means to both of its players.

Either the probability of making the cut after each result, or the share of a place in
each sampled continuation, shape (results, samples).
"""


@dataclass(frozen=True)
class Continuations:
    """A round with open matches, and all ways in which the event goes on to a cut.

    `line` is the cut as if this round were the last one; the cut comes after `rounds`
    rounds. Players who are `present` in the line play on. `game_model` says how games
    end, `points` what results are worth, and `model` pairs later rounds. `samples` ways
    are drawn with `seed` if they cannot all be enumerated. `values` gives the chances
    after each result of a match; `decide_by_points` finds players for whom points alone
    decide.
    """

    line: CutLine
    rounds: int
    points: Points
    game_model: GameModel
    model: Model
    samples: int
    seed: int = 0

    @cached_property
    def event(self) -> Event:
        """The event before the round whose matches are open."""
        return self.line.event

    @cached_property
    def open_rows(self) -> Matches:
        """The matches of the round that have no result yet, in their order."""
        return self.line.rows.take(self.line.open)

    @cached_property
    def outcomes(self) -> MatchOutcomes:
        """The possible results of the open matches, by their index."""
        return compute_match_outcomes(self.game_model, self.points, self.open_rows)

    @property
    def is_last(self) -> bool:
        """Whether the round is the last one before the cut."""
        return self.event.round >= self.rounds

    @cached_property
    def exact(self) -> bool:
        """Whether all continuations are few enough to be enumerated.

        Never before the last round. Standings whose tie-breaks are not vectorised count
        128 times.
        """
        result_counts = (self.outcomes.honest > 0).sum(axis=1).tolist()
        # For each result of a table, all results of the other tables.
        combinations_per_result = sum(
            prod(result_counts) // result_count for result_count in result_counts
        )
        standings_count = len(self.outcomes.results) * combinations_per_result
        weighted_standings_count = standings_count * (1 if self.line.quick else SLOW)
        return self.is_last and weighted_standings_count <= MOST_STANDINGS

    def values(self, table: int) -> Values:
        """Return what each result of an open match is worth to its two players.

        `table` is the index of the match among the open ones. If continuations are
        exact, each player gets a list of probabilities of making the cut, one per
        result. Otherwise the rest of the event is drawn `samples` times, and each
        player gets an array of shares of a place in the cut, shape (results, samples).
        """
        if self.exact:
            return self._enumerated_values(table)

        table_players = self._players(table)
        result_count = len(self.outcomes.results)
        # Common random numbers: all results of the table share the other tables'
        # results.
        drawn_results = self._draw_results(
            self.line, self.outcomes, np.arange(self.samples)
        )
        place_shares = np.zeros((2, result_count, self.samples))
        for result_index in range(result_count):
            drawn_results[:, table] = result_index
            if self.is_last:
                place_shares[:, result_index] = self._place_shares(
                    self.line, self.outcomes, drawn_results, table_players
                )
                continue
            for sample_index, sample_results in enumerate(drawn_results):
                place_shares[:, result_index, sample_index] = self._play_on(
                    sample_results, sample_index, table_players
                )
        return place_shares[0], place_shares[1]

    def _enumerated_values(self, table: int) -> Values:
        """Return exact cut probabilities of a table's players after each result.

        `table` is the index of the match among the open ones. All results of the other
        tables are enumerated, with their honest probabilities as weights. Returns a
        list of each of the two players, with one fraction per result.
        """
        honest_probabilities = self.outcomes.honest
        possible_results = [
            np.flatnonzero(result_probabilities).tolist()
            for result_probabilities in honest_probabilities
        ]
        possible_results[table] = [0]
        result_combinations = np.array(list(product(*possible_results)), np.int64)
        result_combinations = result_combinations.reshape(-1, len(possible_results))

        combination_probabilities = np.ones(len(result_combinations))
        for table_index in range(len(possible_results)):
            if table_index != table:
                combination_probabilities *= honest_probabilities[table_index][
                    result_combinations[:, table_index]
                ]

        table_players = self._players(table)
        shares_by_result = list[list[Fraction]]()
        for result_index in range(len(self.outcomes.results)):
            result_combinations[:, table] = result_index
            shares_by_result.append(
                self._exact_shares(
                    result_combinations, combination_probabilities, table_players
                )
            )
        first_values, second_values = zip(*shares_by_result, strict=True)
        return list(first_values), list(second_values)

    def _exact_shares(
        self, combinations: IntArray, probabilities: FloatArray, players: Sequence[int]
    ) -> list[Fraction]:
        """Return each player's expected share of a place in the cut, as a fraction.

        `combinations` are the results of all tables in some continuations, as indices
        of `outcomes.results`, shape (m, tables), and `probabilities` are theirs, shape
        (m,). `players` are positions in the event.
        """
        counts_limit = len(self.event.players) + 1
        # The probability of k places for m equals, by player: floats are added by pair
        # (k, m), and only these sums are made fractions.
        probability_by_counts = np.zeros((len(players), counts_limit, counts_limit))
        for combination_start in range(0, len(combinations), AT_ONCE):
            combination_slice = slice(combination_start, combination_start + AT_ONCE)
            points1, points2 = self._points_of_results(
                self.outcomes, combinations[combination_slice]
            )
            place_counts, equal_counts = self.line.shares(points1, points2, players)
            for player_probabilities, place_count, equal_count in zip(
                probability_by_counts, place_counts, equal_counts, strict=True
            ):
                np.add.at(
                    player_probabilities,
                    (place_count, equal_count),
                    probabilities[combination_slice],
                )

        player_shares = []
        for player_probabilities in probability_by_counts:
            occurring_place_counts, occurring_equal_counts = np.nonzero(
                player_probabilities
            )
            player_share = Fraction()
            for place_count, equal_count in zip(
                occurring_place_counts.tolist(),
                occurring_equal_counts.tolist(),
                strict=True,
            ):
                counts_probability = Fraction(
                    float(player_probabilities[place_count, equal_count])
                )
                player_share += counts_probability * Fraction(place_count, equal_count)
            player_shares.append(player_share)
        return player_shares

    def _players(self, table: int) -> tuple[int, int]:
        """Return the positions in the event of the players of the open match `table`."""
        return int(self.open_rows.first[table]), int(self.open_rows.second[table])

    def _points_of_results(
        self, outcomes: MatchOutcomes, results: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Convert indices of results to the scaled points of both players at each table.

        `results` are indices of `outcomes.results`, shape (m, tables) or (tables,);
        both arrays have that shape.
        """
        points_scale = self.event.scale
        result_points = [
            [int(first_points * points_scale), int(second_points * points_scale)]
            for first_points, second_points in outcomes.results
        ]
        # shape (results, 2)
        points_by_result = np.array(result_points)
        return points_by_result[results, 0], points_by_result[results, 1]

    def _place_shares(
        self,
        line: CutLine,
        outcomes: MatchOutcomes,
        results: IntArray,
        players: tuple[int, int],
    ) -> FloatArray:
        """Return two players' shares of a place after these results, shape (2, m).

        `results` are indices of `outcomes.results`, one per open row of `line`, shape
        (m, rows), and `players` are positions in the event. A share is between 0 and 1:
        the places that are left, divided among tied players.
        """
        points1, points2 = self._points_of_results(outcomes, results)
        places_left, equal_counts = line.shares(points1, points2, players)
        return np.asarray(places_left / equal_counts)

    def _draw_results(
        self, line: CutLine, outcomes: MatchOutcomes, samples: IntArray
    ) -> IntArray:
        """Draw results of all open tables of `line` in each sample.

        `outcomes` has their probabilities, `samples` the numbers of the samples. The
        result has shape (samples, tables), with indices of `outcomes.results`. The
        random number of a table depends only on the seed, the sample, the round and the
        two players, so other tables do not change it.
        """
        open_matches = line.rows.take(line.open)
        lower_players = np.minimum(open_matches.first, open_matches.second)
        higher_players = np.maximum(open_matches.first, open_matches.second)
        # shape (samples, tables)
        uniform_numbers = uniforms(
            self.seed,
            samples[:, None],
            Purpose.MATCH,
            line.event.round,
            lower_players,
            higher_players,
        )

        result_thresholds = np.cumsum(outcomes.honest, axis=1)[:, :-1]
        is_beyond_threshold = uniform_numbers[:, :, None] >= result_thresholds
        return np.asarray(is_beyond_threshold.sum(axis=2), np.int64)

    def _play_on(
        self, results: IntArray, sample: int, players: tuple[int, int]
    ) -> FloatArray:
        """Pair and play the later rounds, and return two players' shares of a place.

        `results` are those of the open tables, as indices, shape (tables,). The last
        round's results are drawn several times, and the shares, shape (2,), are means
        over these draws. Rounds end early where no pairing is possible. `sample` is the
        number of the draw, which seeds the random numbers, and `players` are positions
        in the event.
        """
        cut_line = self.line
        outcomes = self.outcomes
        while True:
            points1, points2 = self._points_of_results(outcomes, results)
            next_event = cut_line.after(points1, points2)
            next_event = replace(next_event, active=cut_line.present, requested=())
            round_seed = pairing_seed(self.seed, sample, next_event.round)
            is_last_round = next_event.round >= self.rounds

            next_pairing = paired(next_event, self.model, round_seed, is_last_round)
            # The Swiss rounds end where there is no pairing.
            next_matches = Matches.empty()
            if next_pairing.arcs is not None:
                next_matches = rows_of([next_pairing], next_event.round)
                next_matches = with_byes(next_matches, self.points, next_event.scale)

            cut_line = replace(cut_line, event=next_event, rows=next_matches)
            open_matches = next_matches.take(cut_line.open)
            outcomes = compute_match_outcomes(
                self.game_model, self.points, open_matches
            )
            inner_sample_numbers = sample * INNER + np.arange(
                INNER if is_last_round else 1
            )
            drawn_results = self._draw_results(cut_line, outcomes, inner_sample_numbers)
            if is_last_round or next_pairing.arcs is None:
                place_shares = self._place_shares(
                    cut_line, outcomes, drawn_results, players
                )
                return np.asarray(place_shares.mean(axis=1))
            results = drawn_results[0]

    def decide_by_points(self, table: int) -> tuple[int | None, int | None]:
        """Return 1 for players sure to make the cut, 0 for those sure to miss it.

        The values are of both players of the open match with the index `table`, None
        where points alone do not decide. Only the points that later rounds can give are
        considered, not who meets whom.
        """
        first_player, second_player = self._players(table)
        return (
            self._decide_player(first_player, second_player, table),
            self._decide_player(second_player, first_player, table),
        )

    def _decide_player(self, player: int, opponent: int, table: int) -> int | None:
        """Decide by points whether a player of an open match surely makes the cut.

        Return 1 if so, 0 if the player surely misses it, otherwise None. The decision
        must hold for every tie-break and for all results that are still open.
        `opponent` is the other player of the match, and `table` its index.
        """
        points_scale = self.event.scale
        later_rounds = self.rounds - self.event.round
        is_present = self.line.present
        # without the points of open tables
        scaled_points = points_of(self.line.known)
        possible_match_points = [
            points_value
            for point_pair in self.points.results
            for points_value in point_pair
        ]
        fewest_later_points = later_rounds * int(
            min(possible_match_points) * points_scale
        )
        most_later_points = later_rounds * int(
            max([*possible_match_points, self.points.allocated_bye]) * points_scale
        )
        scaled_results = [
            (int(points1 * points_scale), int(points2 * points_scale))
            for points1, points2 in self.outcomes.results
        ]
        worst_result = min(scaled_results)
        best_result = max(scaled_results)
        is_at_no_open_table = is_present.copy()
        is_at_no_open_table[[player, *self.open_rows.first, *self.open_rows.second]] = (
            False
        )

        def count_reaching(
            bar: int,
            later_points: int,
            opponent_points: int,
            extreme: Callable[..., int],
        ) -> int:
            """Count the other players with at least `bar` scaled points at the cut.

            `later_points` are what everybody gains in later rounds, `opponent_points`
            what the opponent gains in this match. `extreme` is min or max: it takes the
            fewest or the most players that an open table can bring over the bar.
            """
            has_reached_bar = is_present & (scaled_points + later_points >= bar)
            reaching_count = int((is_at_no_open_table & has_reached_bar).sum())
            opponent_total = scaled_points[opponent] + opponent_points + later_points
            reaching_count += bool(is_present[opponent] and opponent_total >= bar)

            open_tables = zip(self.open_rows.first, self.open_rows.second, strict=True)
            for other_table_index, (first_player, second_player) in enumerate(
                open_tables
            ):
                if other_table_index == table:
                    continue
                counts_over_bar = []
                for first_points, second_points in scaled_results:
                    first_total = (
                        scaled_points[first_player] + first_points + later_points
                    )
                    second_total = (
                        scaled_points[second_player] + second_points + later_points
                    )
                    is_first_over_bar = bool(
                        is_present[first_player] and first_total >= bar
                    )
                    is_second_over_bar = bool(
                        is_present[second_player] and second_total >= bar
                    )
                    counts_over_bar.append(is_first_over_bar + is_second_over_bar)
                reaching_count += extreme(counts_over_bar)
            return reaching_count

        highest_possible_total = (
            int(scaled_points[player]) + best_result[0] + most_later_points
        )
        if (
            count_reaching(
                highest_possible_total + 1, fewest_later_points, best_result[1], min
            )
            >= self.line.cut
        ):
            return 0

        lowest_possible_total = (
            int(scaled_points[player]) + worst_result[0] + fewest_later_points
        )
        if (
            count_reaching(
                lowest_possible_total, most_later_points, worst_result[1], max
            )
            < self.line.cut
        ):
            return 1
        return None


def with_byes(rows: Matches, points: Points, scale: int) -> Matches:
    """Return the rows of matches, with points for their byes as results.

    A bye without points, also a requested one, gets those of a pairing-allocated bye;
    others keep theirs; matches of two players are unchanged. `scale` is what points are
    multiplied by. `rows` themselves stay as they are.
    """
    is_bye = rows.second == BYE
    bye_points = int(points.allocated_bye * scale)
    score1 = np.where(is_bye & ~rows.scored, bye_points, rows.score1)
    return replace(rows, score1=score1, scored=rows.scored | is_bye)
