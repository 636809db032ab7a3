"""Scores: what the results of an event say of its points, which of them are strange, and who has
virtual ones (FIDE Handbook C.04.7, chapter 1, the Baku Acceleration Method).
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
    rows = event.before
    one, two = (score[rows.status == PLAYED] for score in (rows.score1, rows.score2))
    both = zip(
        np.maximum(one, two).tolist(), np.minimum(one, two).tolist(), strict=True
    )
    found = {
        (Fraction(high, event.scale), Fraction(low, event.scale)): count
        for (high, low), count in Counter(both).items()
    }
    if found and event.origin.chess and found.keys() <= CHESS.results | CHESS.decided:
        return CHESS, True
    return infer_points_of_results(found)


def infer_points(event: Event, games: int = 1) -> Points:
    """What a win and a draw are worth: as the event says, else as its results show; before any
    match 1-0.5-0 with sides white and black, else 3-1-0 (for each of the `games`, without
    sides).
    """
    if event.settings.points is not None:
        return event.settings.points
    shown = points_shown_by_results(event)[0] if event.complete_history else None
    if shown is not None:
        return shown
    if event.sides == ("white", "black"):
        return CHESS
    if event.sided or games == 1:
        return FOOTBALL
    return (
        points_of_two_games(FOOTBALL)
        if games == 2
        else Points(Fraction(games * 3), Fraction(games * 3, 2))
    )


def find_strange_scores(event: Event, points: Points) -> list[Fault]:
    """A fault for each result so far that these points do not give."""
    rows, results = event.matches, points.results | points.half
    forfeits = {points.win, points.loss, Fraction(0)}
    if event.chess or points.game is not None:
        results |= points.decided
    faults, text = [], str(points)

    @cache
    def allowed(one: int, two: int, status: int) -> bool:
        a, b = Fraction(one, event.scale), Fraction(two, event.scale)
        return (a, b) in results or (status == FORFEIT and {a, b} <= forfeits)

    columns = rows.score1, rows.score2, rows.status, rows.scored, rows.row
    for one, two, status, scored, row in zip(
        *(c.tolist() for c in columns), strict=True
    ):
        if scored and status in (PLAYED, FORFEIT) and not allowed(one, two, status):
            found = [Fraction(score, event.scale) for score in (one, two)]
            said = message("score.strange", one=found[0], two=found[1], points=text)
            faults.append(event.origin.fault(said, row, "score1"))
    return faults


def points_notes(event: Event, games: int) -> list[Note]:
    """What is to be said of points that nobody has said: guessed ones, and strange results."""
    shown, fit = points_shown_by_results(event)
    if shown is None:
        return [message("score.no_win", win=infer_points(event, games).win)]
    if fit:
        return []
    unusual = message("score.unusual", points=str(shown))
    strange = find_strange_scores(event, shown)
    return [
        unusual,
        *(
            with_heading(message("input.place", place=str(each.place)), each.said)
            for each in strange
        ),
    ]


def points_of(event: Event) -> IntArray:
    return np.asarray(event.besides[:, -1] + event.turns.total, np.int64)


def baku_acceleration(
    players: int, rounds: int, win: Decimal
) -> tuple[int, list[Decimal]]:
    """How many players have virtual points, the first ones, and how many by round. Half of the
    players, rounded up to an even number, have them in the first half of the rounds, rounded up: a
    win's points in the first half of these, rounded up, then half as many.
    """
    accelerated = -(-rounds // 2)
    full = -(-accelerated // 2)
    return 2 * -(-players // 4), [win] * full + [win / 2] * (accelerated - full)


def players_with_virtual_points(numbers: IntArray, here: BoolArray) -> BoolArray:
    """Who has virtual points, by start numbers: the first half of those `here` in round 1, and who
    ranks above the last one of them (article 1.3: late entries).
    """
    many, _ = baku_acceleration(int(here.sum()), 0, Decimal(0))
    last = np.sort(numbers[here])[:many].max(initial=0)
    return np.asarray(numbers <= last, np.bool_)


def players_of_round_one(event: Event) -> BoolArray:
    if event.round == 1:
        return event.active
    return event.matches.paired_rows(1).player_mask(len(event.players))
