"""Tie-breaks of ratings (FIDE C.07, article 10).

Only matches played count, against opponents with a rating; one of 0 is none. FIDE advises against
these tie-breaks where players have none; with U they count with the rating it names. A player
without such matches has no value: lists show "none", and the player ranks below all others. Means
are rounded to whole numbers, halves up.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import ClassVar

from pairopt.event.tie_breaks.base import (
    NO_VALUE,
    SAID,
    History,
    PlayerRound,
    TieBreak,
    Tied,
    mean,
)

DIFFERENCES: Sequence[int] = SAID["ratings"]["differences"]
"""Rating differences of the scores 50 % to 100 % (FIDE Rating Regulations B.02, table 8.1.1)."""
LARGEST: Sequence[int] = SAID["ratings"]["largest"]
"""The largest rating differences at which 50 % to 99 % are expected (table 8.1.2)."""
FARTHEST = 800
"""The difference to the lowest opponent of a player without any point (10.3)."""


@dataclass(frozen=True)
class RatingTieBreak(TieBreak):
    """Base of tie-breaks that are computed from the ratings of opponents.

    A subclass says in `of` what a player's games give. With `averaged` the value is the
    mean of this over the opponents.
    """

    takes = "U"
    needs_ratings = True
    averaged: ClassVar[bool] = False
    """Whether the value is the mean of the opponents' values, of those who have one."""

    def of(
        self, history: History, met: list[Fraction], games: list[PlayerRound]
    ) -> Fraction:
        """Return a player's value by the opponents met: the mean of their ratings.

        `met` has the ratings of the opponents, and `games` the rounds against them, in
        the same order. Neither is empty. The modifiers C and M cut ratings; if they
        leave none, it is NO_VALUE. The mean is rounded to a whole number. `history` is
        for subclasses.
        """
        return _rounded_mean(self.how.apply_cuts(met, min, max))

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return each player's value, or with `averaged` the mean of the opponents'.

        `history` has all rounds of all players; `tied` does not matter. Means are
        rounded to whole numbers, halves up. A player without any rated opponent has
        NO_VALUE; with `averaged`, a player without any opponent who has a value.
        """
        value_or_none_by_player = self.of_games(history)
        if not self.averaged:
            return [
                NO_VALUE if value_or_none is None else value_or_none
                for value_or_none in value_or_none_by_player
            ]

        mean_by_player = []
        for rounds_of_player in history.turns:
            opponent_values = (
                value_or_none_by_player[player_round.opponent]
                for player_round in rounds_of_player
                if player_round.played
            )
            mean_by_player.append(
                _rounded_mean(
                    [
                        value_or_none
                        for value_or_none in opponent_values
                        if value_or_none is not None
                    ]
                )
            )
        return mean_by_player

    def ratings(self, history: History) -> list[Fraction | None]:
        """Return each player's rating in points, in the event's order.

        `history` gives the event. An unrated player has the rating of modifier U, or
        None without it.
        """
        event, u_modifier = history.event, self.how.U
        rating_of_unrated = None if u_modifier is None else Fraction(u_modifier)
        return [
            Fraction(scaled_rating, event.rating_scale)
            if scaled_rating > 0
            else rating_of_unrated
            for scaled_rating in event.rating.tolist()
        ]

    def of_games(self, history: History) -> list[Fraction | None]:
        """Return each player's value of `of`, None without a rated opponent.

        `history` has all rounds of all players. Only played matches against rated
        opponents are passed on.
        """
        rating_by_player = self.ratings(history)
        value_by_player: list[Fraction | None] = []
        for rounds_of_player in history.turns:
            ratings_of_met_opponents: list[Fraction] = []
            rounds_against_rated: list[PlayerRound] = []
            for player_round in rounds_of_player:
                opponent_rating = (
                    rating_by_player[player_round.opponent]
                    if player_round.played
                    else None
                )
                if opponent_rating is not None:
                    ratings_of_met_opponents.append(opponent_rating)
                    rounds_against_rated.append(player_round)
            value_by_player.append(
                self.of(history, ratings_of_met_opponents, rounds_against_rated)
                if ratings_of_met_opponents
                else None
            )
        return value_by_player


class Rating(RatingTieBreak):
    """The player's own rating; the highest ranks first, or the lowest with modifier R.

    If a player has no rating, `RTNG` is 0.
    """

    kind = "RTNG"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return each player's rating, or that of modifier U; 0 without either.

        `history` gives the event. `tied` does not matter.
        """
        return [player_rating or Fraction(0) for player_rating in self.ratings(history)]


class AverageRating(RatingTieBreak):
    """The mean rating of the opponents whom the player met.

    The modifier C leaves out the lowest ratings: `ARO/C1` leaves out the lowest one.
    The modifier M leaves out the lowest and the highest ratings. If the modifier leaves
    no rating, lists show "none".
    """

    kind = "ARO"


class PerformanceRating(RatingTieBreak):
    """The opponents' mean rating, plus the rating difference for the player's score.

    FIDE's table gives the rating difference for each score as a percentage, rounded to
    a whole number (halves up). For `TPR`, a draw counts as half a win, whatever points
    the event gives. If the player met no opponent with a rating, lists show "none".
    """

    kind = "TPR"

    def of(
        self, history: History, met: list[Fraction], games: list[PlayerRound]
    ) -> Fraction:
        """Return the mean of the ratings `met` plus the difference for the score.

        The score is that of the rounds in `games`, one for each rating, by the points
        that `history` has for a win and a draw. Its share is rounded to a percentage,
        and the mean to a whole number, before the difference is looked up.
        """
        score_per_game = _score(history, games) / len(games)
        score_percent = min(max(int(_round_half_up(score_per_game * 100)), 0), 100)
        rating_difference = DIFFERENCES[abs(score_percent - 50)]
        mean_rating_of_opponents = _round_half_up(mean(met))
        return mean_rating_of_opponents + (
            rating_difference if score_percent >= 50 else -rating_difference
        )


class PerfectPerformance(RatingTieBreak):
    """The lowest rating whose expected score is at least the player's score.

    To find the expected score, pairopt adds up the expected scores against the player's
    opponents, by FIDE's complete table. If a player has no points, `PTP` is the rating
    of the lowest-rated opponent minus 800. If the player met no opponent with a rating,
    lists show "none".
    """

    kind = "PTP"

    def of(
        self, history: History, met: list[Fraction], games: list[PlayerRound]
    ) -> Fraction:
        """Return the lowest whole rating expected to score what the player scored.

        `met` has the ratings of the opponents, and `games` the rounds against them;
        `history` has the points of a win and a draw. Without any points it is 800 below
        the lowest rating met.
        """
        score_of_player = min(_score(history, games), Fraction(len(games)))
        if score_of_player <= 0:
            return min(met) - FARTHEST

        def expected_score(rating: int) -> Fraction:
            """Return the sum of this rating's expected scores against all those met."""
            return sum(
                (_expected_score(rating - opponent_rating) for opponent_rating in met),
                Fraction(0),
            )

        candidate_ratings = range(floor(min(met)) - FARTHEST, ceil(max(met)) + FARTHEST)
        return Fraction(
            candidate_ratings.start
            + bisect_left(candidate_ratings, score_of_player, key=expected_score)
        )


class AveragePerformance(PerformanceRating):
    """The mean performance rating (`TPR`) of the opponents whom the player met.

    An opponent whom the player met twice counts twice in `APRO`. Opponents without a
    performance rating don't count. If no opponent has a performance rating, lists show
    "none".
    """

    kind = "APRO"
    averaged = True


class AveragePerfect(PerfectPerformance):
    """The mean perfect performance (`PTP`) of the opponents whom the player met.

    An opponent whom the player met twice counts twice in `APPO`. Opponents without a
    perfect performance don't count. If no opponent has a perfect performance, lists
    show "none".
    """

    kind = "APPO"
    averaged = True


def _expected_score(difference: Fraction) -> Fraction:
    """Return the expected score, from 0 to 1, by a difference in rating (8.1.2).

    A positive difference is that of the player with the higher rating. Differences are
    not limited to 400.
    """
    percent_above_half = bisect_left(LARGEST, abs(difference))
    return Fraction(
        50 + percent_above_half if difference >= 0 else 50 - percent_above_half, 100
    )


def _score(history: History, games: Sequence[PlayerRound]) -> Fraction:
    """Return the sum of a player's scores in `games`, 1 for a win, ½ for a draw.

    `history` has the points of a win and a draw. Points between a loss of 0, a draw and
    a win count in proportion, whatever points the event gives. The result is not
    scaled, and lies between 0 and the number of matches if no round gives more than a
    win.
    """
    win_points, draw_points = history.win, history.draw
    score_sum = Fraction(0)
    for player_round in games:
        if player_round.points > draw_points:
            score_sum += Fraction(1, 2) + (player_round.points - draw_points) / (
                2 * (win_points - draw_points)
            )
        elif draw_points:
            score_sum += player_round.points / (2 * draw_points)
    return score_sum


def _rounded_mean(values: Sequence[Fraction]) -> Fraction:
    """Return the mean rounded to a whole number, `NO_VALUE` without any values."""
    return _round_half_up(mean(values)) if values else NO_VALUE


def _round_half_up(value: Fraction) -> Fraction:
    """Return a value rounded to a whole number; halves go up, -0.5 to 0."""
    return Fraction(floor(value + Fraction(1, 2)))
