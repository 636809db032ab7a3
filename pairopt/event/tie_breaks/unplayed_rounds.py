"""Unplayed rounds in Buchholz and Sonneborn-Berger, by FIDE C.07, article 16.

The edition in force from 1 March 2026 is the first with an upper limit for the dummy. A
player who has no row in a round was absent, which is a requested zero-point bye
(16.1.1). Where an event does not say enough, these assumptions hold:

- The event ends with its last round so far. So a bye requested in it is one of 16.2.5, and the
  number of rounds in 16.4.2 is that of the rounds so far.
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
    """What one round adds to a sum over opponents, as the cuts need it.

    `strength` is the score of the opponent, or of the dummy in an unplayed round;
    `value` is what is added. `voluntary` marks a round that the player missed by
    choice: a requested bye or a forfeit loss. Both are scaled like points; `value` may
    be the product of two scaled numbers.
    """

    value: Fraction
    strength: Fraction
    voluntary: bool


def sum_opponent_scores(
    history: History, how: TieBreakModifiers, *, weighed: bool = False
) -> list[Fraction]:
    """Return for each player the sum of opponents' scores after the cuts.

    `history` has all rounds of all players. The sums are in the event's points. `how`
    has the modifiers of the tie-break: cuts, and P. With `weighed` each score is
    multiplied by the points against the opponent, for Sonneborn-Berger.

    An unplayed round counts as a match against a dummy with the player's own score; but
    at most with the adjusted score of the opponent in a forfeit (16.4.1), and with
    draws in all rounds otherwise (16.4.2). With P a forfeit is a match against the
    opponent.
    """
    adjusted_score_by_player = adjusted_scores(history)
    score_of_draws_only = history.draw * history.rounds

    def contribution(player: int, turn: PlayerRound) -> RoundContribution:
        """Return what one round of a player adds before any cut, scaled.

        `player` is a position, and `turn` the round. A game adds the adjusted score of
        the opponent; with the modifier P a forfeit does so, too. Any other round adds
        the player's own score, but not more than the opponent's in a forfeit, or than
        draws in all rounds. It is `voluntary` if the player missed it by choice. If
        `weighed`, the value is that score times the player's points in the round.
        """
        if turn.played or (how.P and turn.opponent >= 0):
            strength_of_opponent, is_voluntary = (
                adjusted_score_by_player[turn.opponent],
                False,
            )
        else:
            is_forfeit = turn.status == FORFEIT
            strength_limit = (
                adjusted_score_by_player[turn.opponent]
                if is_forfeit
                else score_of_draws_only
            )
            strength_of_opponent = min(Fraction(history.score[player]), strength_limit)
            is_voluntary = is_unplayed_by_choice(history, turn)
        contribution_value = (
            strength_of_opponent * turn.points if weighed else strength_of_opponent
        )
        return RoundContribution(contribution_value, strength_of_opponent, is_voluntary)

    # The strongest opponent is cut last (14.3), with the best result first.
    choose_greatest = partial(max, key=attrgetter("strength", "value"))
    scale_of_sums = history.event.scale ** (2 if weighed else 1)
    sum_by_player = []
    for player, rounds_of_player in enumerate(history.turns):
        contributions_of_player = [
            contribution(player, turn) for turn in rounds_of_player
        ]
        contributions_left = how.apply_cuts(
            contributions_of_player, _first_to_cut, choose_greatest
        )
        sum_by_player.append(
            sum(
                (kept_contribution.value for kept_contribution in contributions_left),
                Fraction(0),
            )
            / scale_of_sums
        )
    return sum_by_player


def adjusted_scores(history: History) -> list[Fraction]:
    """Return each player's score, scaled, as it counts for opponents (16.3).

    `history` has all rounds of all players. Requested byes and absences after which the
    player was never there again count as draws; all other unplayed rounds count what
    they gave. A player whose last match has no result yet was there to play it, so
    nothing is adjusted.
    """
    score_by_player = [Fraction(scaled_score) for scaled_score in history.score]
    for player_position, rounds_of_player in enumerate(history.turns):
        if player_position in history.waiting:
            continue
        for player_round in reversed(rounds_of_player):
            if not is_unplayed_by_choice(history, player_round):
                break
            if player_round.status != FORFEIT:
                score_by_player[player_position] += history.draw - player_round.points
    return score_by_player


def is_unplayed_by_choice(history: History, turn: PlayerRound) -> bool:
    """Whether a round (`turn`) is unplayed by the player's choice (16.1.2).

    That is a forfeit without more points than the opponent, or an absence or requested
    bye with less than a win's points, which `history` has.
    """
    if turn.status == FORFEIT:
        return turn.points <= turn.against
    return turn.status in (ABSENT, REQUESTED) and turn.points < history.win


def _first_to_cut(contributions: Sequence[RoundContribution]) -> RoundContribution:
    """Return the one of these contributions to cut first (14.1, 16.5).

    That is the one of the weakest opponent; of equal ones, the one with the worst
    result. A round missed by choice is cut instead, the one that gives least, unless it
    gives less than the weakest opponent does. `contributions` must not be empty.
    """
    weakest_contribution = min(contributions, key=attrgetter("strength", "value"))
    voluntary_contributions = (
        contribution for contribution in contributions if contribution.voluntary
    )
    least_voluntary_contribution = min(
        voluntary_contributions,
        key=attrgetter("value", "strength"),
        default=weakest_contribution,
    )
    return max(
        least_voluntary_contribution, weakest_contribution, key=attrgetter("value")
    )
