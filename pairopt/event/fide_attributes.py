"""Attributes of players that FIDE's Swiss systems read: preferences, floats, ranks.

Source: FIDE Handbook C.04.3, articles 1.2 to 1.8, in force since 1 February 2026.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from pairopt.errors import InputError
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.event import BYE_ROW, REQUESTED, Event
from pairopt.event.matches import PlayerRounds
from pairopt.event.score_checks import infer_points, points_of
from pairopt.messages import message

MOST_SEEDING = 4


class OppositionIndex(NamedTuple):
    """Each player's opposition index (Burstein System): two sums over the opponents.

    `buchholz` values are integers times `scale`, `sonneborn_berger` values times the
    product of `scale` and the event's scale. Both have shape (players,).
    """

    buchholz: IntArray
    sonneborn_berger: IntArray
    scale: int


def is_seeding_round(event: Event) -> bool:
    """Whether the round to pair is one of the first, which the Dutch System pairs.

    These are the first half of the rounds, rounded down, but at most four. Source:
    C.04.4.2, article 1.6. Raises InputError if that depends on the number of rounds,
    which the event does not say.
    """
    if event.round > MOST_SEEDING:
        return False
    if event.settings.rounds is None:
        raise InputError(event.source, "fide.rounds_needed", most=MOST_SEEDING)
    return event.round <= event.settings.rounds // 2


def with_opposition_ranks(
    event: Event, player: IntArray, fide: FideAttributes
) -> FideAttributes:
    """Return the attributes with `rank` by opposition index, then start number.

    The highest Buchholz comes first, then the highest Sonneborn-Berger, then the lowest
    start number; scores don't count. `player` has the positions in the event of the
    players in `fide`. In seeding rounds the attributes stay as they are, with the ranks
    of the Dutch System. Source: C.04.4.2, article 1.8. Raises InputError in one of the
    first rounds if the event does not say how many rounds it has.
    """
    if is_seeding_round(event):
        return fide
    opposition_index = opposition_index_of(event)
    player_indices_best_first = np.lexsort(
        (
            fide.number,
            -opposition_index.sonneborn_berger[player],
            -opposition_index.buchholz[player],
        )
    )
    return replace(fide, rank=np.argsort(player_indices_best_first))


def opposition_index_of(event: Event) -> OppositionIndex:
    """Return the opposition index of all players, by article 1.7.2.

    A round that was not played counts as one against oneself. If a player has been
    absent without points since some round, and is absent in this one, each such round
    counts as a draw for the opponents. If the event does not state the points of a
    draw, they are inferred from its results.
    """
    turns, points_by_player = event.turns, points_of(event)
    scaled_draw = infer_points(event).draw * event.scale
    scale_for_draws = Fraction(scaled_draw).denominator
    points_for_absent_rounds = int(scaled_draw * scale_for_draws) * _rounds_absent(
        event, turns
    )

    # Shape (players, rounds): the adjusted score of the opponent in each round.
    scores_for_opponents = points_by_player * scale_for_draws + points_for_absent_rounds
    opponent_scores = turns.of_opponent(
        np.broadcast_to(scores_for_opponents[:, None], turns.points.shape)
    )
    counted_opponent_scores = np.where(
        turns.played,
        opponent_scores,
        points_by_player[:, None] * scale_for_draws,
    )
    sonneborn_berger_sums = (counted_opponent_scores * turns.points).sum(axis=1)
    return OppositionIndex(
        counted_opponent_scores.sum(axis=1),
        sonneborn_berger_sums,
        scale_for_draws * event.scale,
    )


def _rounds_absent(event: Event, turns: PlayerRounds) -> IntArray:
    """Count the latest rounds in a row that each player missed without points.

    `turns` are the rounds of all players before the one to pair; the result has shape
    (players,). In such a round they have no row, or a requested bye that gave nothing.
    Players who are active in the round to pair, or get points for a requested bye in
    it, have 0.
    """
    is_round_missed = (
        (turns.opponent < 0)
        & (turns.points == 0)
        & np.isin(turns.status, (0, REQUESTED))
    )
    latest_missed_round_counts: IntArray = np.cumprod(
        is_round_missed[:, ::-1], axis=1
    ).sum(axis=1)
    is_not_in_round, all_match_rows = ~event.active, event.matches
    is_bye_of_round_to_pair = (all_match_rows.round == event.round) & (
        all_match_rows.status == REQUESTED
    )
    is_not_in_round[
        all_match_rows.first[is_bye_of_round_to_pair & (all_match_rows.score1 > 0)]
    ] = False
    if infer_points(event).requested_bye > 0:
        is_not_in_round[list(event.requested)] = False
    return np.where(is_not_in_round, latest_missed_round_counts, 0)


NONE, MILD, STRONG, ABSOLUTE = range(4)
"""The strength of a side preference."""
DOWN, UP = 1, -1
"""The directions of floats."""


@dataclass(frozen=True)
class FideAttributes:
    """The attributes of the active players, one array entry each, in `State` order.

    A side is 0 for the first and 1 for the second side.

    `score` forms the groups, virtual points included, times the event's scale. `rank`
    is 0 for the highest player: by score, then by the smaller start number, `number`.
    `difference` is games with the first side less those with the second. `preferred` is
    the side preferred, -1 without one, and `strength` is NONE, MILD, STRONG or ABSOLUTE
    (0 to 3). `repeated` is the side of the last two games if it was the same, otherwise
    -1. `latest`, shape (n, rounds), are the sides of the games played, the latest last,
    -1 before the first. `floats`, shape (n, 2), are those of one and of two rounds ago:
    DOWN (1), UP (-1) or 0. `unplayed` counts rounds without a game. `topscorer` marks
    more than half of the possible score. `own_first` says who has the first side
    against a lower player if neither has a preference. n is the number of active
    players.
    """

    score: IntArray
    number: IntArray
    rank: IntArray
    difference: IntArray
    preferred: IntArray
    strength: IntArray
    repeated: IntArray
    latest: IntArray
    floats: IntArray
    unplayed: IntArray
    topscorer: BoolArray
    own_first: BoolArray

    def take(self, order: IntArray | BoolArray) -> FideAttributes:
        """Return the attributes of some of the players, or in another order.

        `order` has the indices of these players, or a mask of shape (n,).
        """
        return FideAttributes(
            **{
                attribute_field.name: getattr(self, attribute_field.name)[order]
                for attribute_field in fields(self)
            }
        )


def fide_attributes_of(
    event: Event, player: IntArray, win: Fraction, seed: int
) -> FideAttributes:
    """Return the attributes of the players at these positions of the event.

    They follow from the results before the round to pair, and are in the order of
    `player`. `win` is the number of points for a win, not scaled, which tells the
    topscorers. `seed` draws the initial side if neither the event nor its results have
    it.
    """
    turns, earlier_round_count = event.turns, event.round - 1
    start_numbers = event.start_numbers[player]
    points_of_players = points_of(event)[player]
    group_scores = (
        points_of_players + virtual_points(event)[player, earlier_round_count]
    )
    side_differences = turns.bias[player]
    side_of_last_game, streak_lengths = turns.streaks
    preferred_sides, preference_strengths, repeated_sides = _preferences(
        side_differences, side_of_last_game[player], streak_lengths[player]
    )

    # Rounds without a game move to the front, so that the latest games stand last.
    round_order_games_last = np.argsort(turns.side >= 0, axis=1, kind="stable")
    sides_of_latest_games = np.take_along_axis(
        turns.side, round_order_games_last, axis=1
    )[player]
    return FideAttributes(
        score=group_scores,
        number=start_numbers,
        rank=np.argsort(np.lexsort((start_numbers, -group_scores))),
        difference=side_differences,
        preferred=preferred_sides,
        strength=preference_strengths,
        repeated=repeated_sides,
        latest=sides_of_latest_games,
        floats=_floats(event, turns)[player],
        unplayed=(~turns.played).sum(axis=1)[player],
        topscorer=2 * points_of_players > int(win * event.scale * earlier_round_count),
        own_first=_default_first_side(event, seed)[player],
    )


def virtual_points(event: Event) -> IntArray:
    """Return virtual points by player and round, up to the round to pair.

    Shape (players, `event.round`), times the event's scale. Rounds for which the event
    has none are 0.
    """
    known_virtual_points = event.acceleration[:, : event.round]
    return np.pad(
        known_virtual_points,
        ((0, 0), (0, event.round - known_virtual_points.shape[1])),
    )


def _preferences(
    difference: IntArray, last_side: IntArray, streak: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return each player's preferred side, its strength, and the side played twice.

    All arrays have shape (n,). `difference` is games with the first side less those
    with the second. `last_side` is the side of the last game, and `streak` how many
    latest games were on it. The side played twice is that of the last two games, if
    both had the same. A side is -1 where there is none. The strength is NONE, MILD,
    STRONG or ABSOLUTE. Source: article 1.7.
    """
    repeated_side = np.where(streak > 1, last_side, -1)
    has_uneven_sides, differs_by_two_or_more = difference != 0, np.abs(difference) > 1
    side_played_less = (difference > 0).astype(np.int64)
    opposite_of_last_side = np.where(last_side >= 0, 1 - last_side, -1)
    preferred_side = np.where(
        differs_by_two_or_more | (has_uneven_sides & (repeated_side < 0)),
        side_played_less,
        opposite_of_last_side,
    )
    strength_below_absolute = np.where(
        has_uneven_sides, STRONG, np.where(last_side >= 0, MILD, NONE)
    )
    return (
        preferred_side,
        np.where(
            differs_by_two_or_more | (repeated_side >= 0),
            ABSOLUTE,
            strength_below_absolute,
        ),
        repeated_side,
    )


def _floats(event: Event, turns: PlayerRounds) -> IntArray:
    """Return the floats of all players one and two rounds ago, shape (players, 2).

    `turns` are the rounds of all players before the one to pair. Floats are `DOWN`,
    `UP` or 0; 0 also for rounds before the first. A round without a game is a float
    down if it gave more than a loss, and an allocated bye always is. Source: articles
    1.4.2 and 1.4.3.
    """
    player_count, round_count = turns.points.shape
    scores_before_round = (
        turns.before(event.besides) + virtual_points(event)[:, :round_count]
    )
    float_if_played = np.sign(
        scores_before_round - turns.of_opponent(scores_before_round)
    )
    points_per_result = event.settings.points
    scaled_loss_points = (
        0 if points_per_result is None else int(points_per_result.loss * event.scale)
    )
    floats_by_round = np.where(
        turns.played,
        float_if_played,
        np.where(turns.points > scaled_loss_points, DOWN, 0),
    )
    floats_by_round[turns.status == BYE_ROW] = DOWN
    return np.hstack([np.zeros((player_count, 2), np.int64), floats_by_round])[
        :, :-3:-1
    ]


def _default_first_side(event: Event, seed: int) -> BoolArray:
    """Return whether each player has the first side by default, shape (players,).

    A player has the initial side by default if their start number has an odd rank among
    those who take part, otherwise the other side (5.2.5). The initial side is the
    event's, otherwise that of round 1, otherwise a random draw with this `seed`.
    """
    rows_before_round = event.before
    has_row_of_round = rows_before_round.take(
        rows_before_round.status != REQUESTED
    ).player_mask(len(event.players))
    has_odd_number_rank = _is_odd(event.start_numbers, event.active | has_row_of_round)
    initial_side = event.initial_side
    if initial_side is None:
        initial_side = initial_side_of_results(event)
    if initial_side is None:
        initial_side = draw_initial_side(seed)
    return np.asarray(has_odd_number_rank == (initial_side == 0), np.bool_)


def draw_initial_side(seed: int) -> int:
    """Draw the side that the first player has in round 1: 0 first, 1 second.

    The same seed always gives the same side.
    """
    return int(np.random.default_rng([seed, 3]).integers(2))


def assumption_notes(event: Event, seed: int) -> list[Any]:
    """Return notes on what FIDE's systems need and the event does not say, or none.

    One is on an initial side that is drawn from `seed`, in a game with sides. The other
    is on a round that counts as not the last because nobody said how many rounds there
    are.
    """
    notes_on_assumptions = []
    is_side_drawn = (
        event.initial_side is None and initial_side_of_results(event) is None
    )
    if event.sides is not None and is_side_drawn:
        drawn_side = event.sides[draw_initial_side(seed)]
        notes_on_assumptions.append(
            message("fide.side_drawn", side=drawn_side, seed=seed)
        )
    if event.settings.rounds is None:
        notes_on_assumptions.append(message("fide.not_last"))
    return notes_on_assumptions


def _is_odd(numbers: IntArray, mask: BoolArray) -> BoolArray:
    """Return whether each player's number has an odd rank among those in `mask`.

    `numbers` are the start numbers. Both arrays have shape (players,). The lowest
    number in the mask has rank 1; values of players outside it mean nothing.
    """
    zero_based_rank_in_mask = np.argsort(
        np.argsort(np.where(mask, numbers, numbers.max(initial=0) + 1))
    )
    return np.asarray(zero_based_rank_in_mask % 2 == 0, np.bool_)


def initial_side_of_results(event: Event) -> int | None:
    """Return the initial side that round 1 shows (0 or 1), None if it shows none.

    It is read from the match, with sides, of the player with the lowest start number.
    If that number is even among those who take part, the player has the other side.
    """
    first_round_rows = event.before.paired_rows(1)
    is_in_round_one = first_round_rows.player_mask(len(event.players))
    first_round_rows = first_round_rows.take(
        (first_round_rows.side >= 0) & (first_round_rows.second >= 0)
    )
    if not len(first_round_rows):
        return None

    start_numbers_of_first = event.start_numbers[first_round_rows.first]
    start_numbers_of_second = event.start_numbers[first_round_rows.second]
    row_index_of_top_player = int(
        np.argmin(np.minimum(start_numbers_of_first, start_numbers_of_second))
    )
    is_top_player_listed_first = bool(
        start_numbers_of_first[row_index_of_top_player]
        < start_numbers_of_second[row_index_of_top_player]
    )
    top_player = (
        first_round_rows.first[row_index_of_top_player]
        if is_top_player_listed_first
        else first_round_rows.second[row_index_of_top_player]
    )
    has_top_player_odd_rank = bool(
        _is_odd(event.start_numbers, is_in_round_one)[top_player]
    )
    side_of_first_listed = int(first_round_rows.side[row_index_of_top_player])
    return (
        side_of_first_listed
        if has_top_player_odd_rank == is_top_player_listed_first
        else 1 - side_of_first_listed
    )
