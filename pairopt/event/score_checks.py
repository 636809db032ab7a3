"""Scores: infer an event's points from its results, and find unusual results.

Also virtual points: FIDE Handbook C.04.7, chapter 1, the Baku Acceleration Method.
"""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import cache

import numpy as np

from pairopt.errors import Fault
from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.event import FORFEIT, PLAYED, Event
from pairopt.event.points import (
    CHESS,
    FOOTBALL,
    Points,
    infer_points_of_results,
    points_of_two_games,
)
from pairopt.messages import Note, message, with_heading


def points_shown_by_results(event: Event) -> tuple[Points | None, bool]:
    """Return the points that an event's results show, and whether all results fit.

    Only played matches before the round to pair count; without any it is (None, True).
    If all fit 1-½-0 in a file of chess, with an arbiter's decisions, it is that.
    Otherwise usual points that fit come first, then two such games per match, then the
    commonest decisive result. With draws alone that no usual points have it is (None,
    False).
    """
    rows_before = event.before
    is_played = rows_before.status == PLAYED
    score1, score2 = rows_before.score1[is_played], rows_before.score2[is_played]
    higher_scores, lower_scores = np.maximum(score1, score2), np.minimum(score1, score2)
    counts_of_scaled_results = Counter(
        zip(higher_scores.tolist(), lower_scores.tolist(), strict=True)
    )
    count_by_exact_result = {
        (
            Fraction(higher_points, event.scale),
            Fraction(lower_points, event.scale),
        ): result_count
        for (
            higher_points,
            lower_points,
        ), result_count in counts_of_scaled_results.items()
    }
    do_results_fit_chess = count_by_exact_result.keys() <= CHESS.results | CHESS.decided
    if count_by_exact_result and event.origin.chess and do_results_fit_chess:
        return CHESS, True
    return infer_points_of_results(count_by_exact_result)


def infer_points(event: Event, games: int = 1) -> Points:
    """Return what a win, a draw and so on are worth in an event.

    The event's own points come first, then those that its results show, unless its
    history is not complete. Without both they are 1-0.5-0 with sides white and black in
    either order, and otherwise 3-1-0. In a game without sides, each of the `games` of a
    match gives 3-1-0.
    """
    if event.settings.points is not None:
        return event.settings.points
    if event.complete_history:
        shown_points, _ = points_shown_by_results(event)
        if shown_points is not None:
            return shown_points
    if event.sides is not None and {*event.sides} == {"white", "black"}:
        return CHESS
    if event.sided or games == 1:
        return FOOTBALL
    if games == 2:
        return points_of_two_games(FOOTBALL)
    return Points(Fraction(games * 3), Fraction(games * 3, 2))


def find_strange_scores(event: Event, points: Points) -> list[Fault]:
    """Return a fault for each result in the event that these points do not give.

    Byes and matches without scores are skipped. A forfeit may give a win, a loss or
    nothing to either player. An arbiter's decisions are allowed in chess, and in
    matches of two games. Faults have the place in the file, and are in its order.
    """
    allowed_results = points.results | points.half
    if event.chess or points.game is not None:
        allowed_results |= points.decided
    forfeit_points = {points.win, points.loss, Fraction(0)}

    @cache
    def is_allowed(score1: int, score2: int, row_status: int) -> bool:
        """Whether two scores are a result that the event's points allow.

        `score1` and `score2` are the players' points times the scale. If `row_status`
        is that of a forfeit, each player may also have any of the points for forfeits.
        """
        exact_points_of_first, exact_points_of_second = (
            Fraction(score1, event.scale),
            Fraction(score2, event.scale),
        )
        return (exact_points_of_first, exact_points_of_second) in allowed_results or (
            row_status == FORFEIT
            and {exact_points_of_first, exact_points_of_second} <= forfeit_points
        )

    match_rows, text_of_points = event.matches, str(points)
    columns_to_read = (
        match_rows.score1,
        match_rows.score2,
        match_rows.status,
        match_rows.scored,
        match_rows.row,
    )
    score_faults = []
    for score1, score2, row_status, is_scored, source_row in zip(
        *(column_to_read.tolist() for column_to_read in columns_to_read), strict=True
    ):
        if not is_scored or row_status not in (PLAYED, FORFEIT):
            continue
        if is_allowed(score1, score2, row_status):
            continue
        fault_message = message(
            "score.strange",
            one=Fraction(score1, event.scale),
            two=Fraction(score2, event.scale),
            points=text_of_points,
        )
        score_faults.append(event.origin.fault(fault_message, source_row, "score1"))
    return score_faults


def points_notes(event: Event, games: int) -> list[Note]:
    """Return notes on points that were guessed, and on results that do not fit them.

    `games` is the number of games in a match. If no match shows points, one note says
    what a win is taken to give. If some results don't fit, one note states the points,
    and one more each such result. The list is empty if all results fit. A note on a
    result says where it is in the file.
    """
    shown_points, do_all_results_fit = points_shown_by_results(event)
    if shown_points is None:
        return [message("score.no_win", win=infer_points(event, games).win)]
    if do_all_results_fit:
        return []

    notes_on_points: list[Note] = [message("score.unusual", points=str(shown_points))]
    for strange_score in find_strange_scores(event, shown_points):
        heading_note = message("input.place", place=str(strange_score.place))
        notes_on_points.append(with_heading(heading_note, strange_score.said))
    return notes_on_points


def points_of(event: Event) -> IntArray:
    """Return each player's points so far, scaled, shape (players,).

    Points of no result count: those brought in and adjusted ones, not virtual ones.
    """
    return np.asarray(event.besides[:, -1] + event.turns.total, np.int64)


def baku_acceleration(
    players: int, rounds: int, win: Decimal
) -> tuple[int, list[Decimal]]:
    """Return how many players have virtual points, and how many points in each round.

    `players` and `rounds` are their numbers, `win` is a win's points. Half of the
    players, rounded up to an even number, have virtual points. In the first half of the
    rounds, rounded up, they are accelerated: in the first half of these, rounded up, by
    a win's points, in the others by half as many. Later rounds are not in the list.
    """
    accelerated_round_count = -(-rounds // 2)
    rounds_with_full_win = -(-accelerated_round_count // 2)
    rounds_with_half_win = accelerated_round_count - rounds_with_full_win
    return 2 * -(-players // 4), [win] * rounds_with_full_win + [
        win / 2
    ] * rounds_with_half_win


def players_with_virtual_points(
    numbers: IntArray, in_round_one: BoolArray
) -> BoolArray:
    """Return which players have virtual points, by start numbers, shape (players,).

    `numbers` are the start numbers, and `in_round_one` marks the players of round 1.
    Those with virtual points are the first half of these, rounded up to an even number,
    and late entries who rank above the last one of them (article 1.3).
    """
    accelerated_count, _ = baku_acceleration(int(in_round_one.sum()), 0, Decimal(0))
    last_accelerated_number = np.sort(numbers[in_round_one])[:accelerated_count].max(
        initial=0
    )
    return np.asarray(numbers <= last_accelerated_number, np.bool_)


def players_of_round_one(event: Event) -> BoolArray:
    """Return which players are in round 1, shape (players,).

    Before round 1 is paired these are the active ones; requested byes do not count.
    """
    if event.round == 1:
        return event.active
    return event.matches.paired_rows(1).player_mask(len(event.players))
