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

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from operator import attrgetter

from pairopt.event.event import FORFEIT, REQUESTED
from pairopt.event.tie_breaks.base import (
    ABSENT,
    History,
    PlayerRound,
    TieBreakModifiers,
)


@dataclass(frozen=True, slots=True)
class RoundContribution:
    """What a round gives: a `value`, from the `strength` of the opponent or dummy; `voluntary`
    where the player was not there to play: a bye asked for, or a forfeit loss.
    """

    value: Fraction
    strength: Fraction
    voluntary: bool


def sum_opponent_scores(
    history: History, how: TieBreakModifiers, *, weighed: bool = False
) -> list[Fraction]:
    """For each player the sum of the opponents' scores that the cuts leave, in points; `weighed` by
    the points against the opponent for Sonneborn-Berger.

    An unplayed round counts as a match against a dummy with the player's own score; but at most
    with the adjusted score of the opponent in a forfeit (16.4.1), and with draws in all rounds
    else (16.4.2). With P a forfeit is a match against the opponent.
    """
    adjusted, level = adjusted_scores(history), history.draw * history.rounds

    def contribution(player: int, turn: PlayerRound) -> RoundContribution:
        if turn.played or (how.P and turn.opponent >= 0):
            strength, away = adjusted[turn.opponent], False
        else:
            limit = adjusted[turn.opponent] if turn.status == FORFEIT else level
            strength = min(Fraction(history.score[player]), limit)
            away = is_unplayed_by_choice(history, turn)
        return RoundContribution(
            strength * turn.points if weighed else strength, strength, away
        )

    # what is cut last (14.3) is that of the strongest opponent, the best result first
    greatest = partial(max, key=attrgetter("strength", "value"))
    scale = history.event.scale ** (2 if weighed else 1)
    every = (
        [contribution(p, turn) for turn in own] for p, own in enumerate(history.turns)
    )
    kept = (how.kept(own, _first_to_cut, greatest) for own in every)
    return [sum((each.value for each in own), Fraction(0)) / scale for own in kept]


def adjusted_scores(history: History) -> list[Fraction]:
    """Each player's score as it counts for opponents (16.3). Byes asked for after which the player
    was never there again count as draws; all other unplayed rounds count what they gave.
    """
    scores = [Fraction(score) for score in history.score]
    for player, turns in enumerate(history.turns):
        if player in history.waiting:
            continue
        for turn in reversed(turns):
            if not is_unplayed_by_choice(history, turn):
                break
            if turn.status != FORFEIT:
                scores[player] += history.draw - turn.points
    return scores


def is_unplayed_by_choice(history: History, turn: PlayerRound) -> bool:
    """Whether a round is unplayed by the player's choice (16.1.2)."""
    if turn.status == FORFEIT:
        return turn.points <= turn.against
    return turn.status in (ABSENT, REQUESTED) and turn.points < history.win


def _first_to_cut(given: Sequence[RoundContribution]) -> RoundContribution:
    """What is cut first (14.1, 16.5): that of the weakest opponent, or of a round missed. The round
    missed by choice that gives least is cut instead unless it gives less still. Of opponents with
    equal scores, the one against whom the result was the worst.
    """
    weakest = min(given, key=attrgetter("strength", "value"))
    away = (each for each in given if each.voluntary)
    missed = min(away, key=attrgetter("value", "strength"), default=weakest)
    return max(missed, weakest, key=attrgetter("value"))
