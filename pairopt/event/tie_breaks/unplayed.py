"""Unplayed rounds in Buchholz and Sonneborn-Berger, by FIDE C.07, article 16.

The edition in force from 1 March 2026, the first with an upper limit for the dummy. A player who
has no row in a round was absent, which is a zero-point bye asked for (16.1.1). What an event does
not tell is taken so:

- The event ends with its last round so far, so that a bye asked for in it is one of 16.2.5, and
  the number of rounds in 16.4.2 is that of the rounds so far.
- A `requested` bye of a win's points or more is a full-point bye (16.2.1).
- A forfeit that a player did not win is a forfeit loss, so a double forfeit is two.
- A player whose last match has no result yet was there to play it, and has no turn for it.
- Scores hold points brought in.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pairopt.event.event import FORFEIT, REQUESTED
from pairopt.event.history import ABSENT, History, Turn


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a round gives: the score of the opponent or dummy, and the points against them.

    `voluntary` where the player was not there to play: a bye asked for, or a forfeit loss. All
    points are times the event's scale.
    """

    strength: Fraction
    points: int
    voluntary: bool


def contributions(history: History) -> list[list[Contribution]]:
    """For each player what each round gives (16.4).

    An unplayed round counts as a match against a dummy with the player's own score; but at most
    with the adjusted score of the opponent in a forfeit (16.4.1), and with draws in all rounds
    else (16.4.2).
    """
    adjusted, level = adjusted_scores(history), history.draw * history.rounds

    def strength(player: int, turn: Turn) -> Fraction:
        if turn.played:
            return adjusted[turn.opponent]
        limit = adjusted[turn.opponent] if turn.status == FORFEIT else level
        return min(Fraction(history.score[player]), limit)

    return [
        [
            Contribution(strength(player, turn), turn.points, _voluntary(history, turn))
            for turn in turns
        ]
        for player, turns in enumerate(history.turns)
    ]


def adjusted_scores(history: History) -> list[Fraction]:
    """Each player's score as it counts for opponents (16.3).

    Byes asked for after which the player was never there again count as draws; all other
    unplayed rounds count what they gave.
    """
    scores = [Fraction(score) for score in history.score]
    for player, turns in enumerate(history.turns):
        if player in history.waiting:
            continue
        for turn in reversed(turns):
            if not _voluntary(history, turn):
                break
            if turn.status != FORFEIT:
                scores[player] += history.draw - turn.points
    return scores


def without_least(given: list[Contribution]) -> list[Contribution]:
    """Without the least contribution: of voluntary unplayed rounds where there are any (16.5)."""
    among = [each for each in given if each.voluntary] or given
    if not among:
        return []
    left = list(given)
    left.remove(min(among, key=lambda each: each.strength))
    return left


def total(history: History, given: list[Contribution]) -> Fraction:
    """The sum of the opponents' scores, in points."""
    return sum((each.strength for each in given), Fraction(0)) / history.event.scale


def _voluntary(history: History, turn: Turn) -> bool:
    if turn.status == FORFEIT:
        return turn.points <= turn.against
    return turn.status in (ABSENT, REQUESTED) and turn.points < history.win
