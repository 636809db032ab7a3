"""Tie-breaks of opponents' scores: Buchholz, Sonneborn-Berger, Koya, schedules."""

from dataclasses import replace
from fractions import Fraction

from pairopt.event.event import PLAYED
from pairopt.event.tie_breaks.base import (
    ABSENT,
    NO_VALUE,
    History,
    PlayerRound,
    TieBreak,
    Tied,
)
from pairopt.event.tie_breaks.unplayed_rounds import sum_opponent_scores


class SonnebornBerger(TieBreak):
    """The sum of each opponent's score times the points against that opponent.

    FIDE C.07, article 16, says how Sonneborn-Berger counts the unplayed rounds of the
    player and of the opponents. Each opponent contributes a product: the opponent's
    score times the player's points against the opponent. The cut `SB/C1` leaves out the
    product of the opponent with the lowest score. If several opponents have the lowest
    score, `SB/C1` leaves out the smallest of their products.
    """

    kind = "SB"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return each player's Sonneborn-Berger score, in the event's order.

        `history` has all rounds of all players. Scores are in the event's points, not
        scaled. `tied` does not matter.
        """
        return sum_opponent_scores(history, self.how, weighed=True)


class Koya(TieBreak):
    """The points that the player got against opponents with at least half of the possible points.

    Koya is meant for round robins, where forfeits count as matches (article 15.2).
    pairopt therefore counts forfeits as matches in `KS` in every event. The modifier L
    raises or lowers the limit by half points. For example, `KS/L+1` counts opponents
    who have at least half of the possible points plus half a point.
    """

    kind = "KS"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return each player's points against opponents who reach the limit.

        `history` has all rounds of all players; `tied` does not matter. The limit is
        half of the points for wins in all rounds, moved by the modifier L. Forfeits
        count; the opponents' scores contain points of no result. The sums are not
        scaled.
        """
        event_scale = history.event.scale
        score_limit = history.win * history.rounds / 2 + Fraction(
            self.how.L * event_scale, 2
        )
        reaches_limit_by_player = [
            player_score >= score_limit for player_score in history.score
        ]
        points_against_strong_by_player = []
        for rounds_of_player in history.turns:
            points_of_counted_rounds = [
                player_round.points
                for player_round in rounds_of_player
                if player_round.opponent >= 0
                and reaches_limit_by_player[player_round.opponent]
            ]
            points_against_strong_by_player.append(
                Fraction(sum(points_of_counted_rounds)) / event_scale
            )
        return points_against_strong_by_player


class Buchholz(TieBreak):
    """The sum of the scores of the player's opponents.

    FIDE C.07, article 16, says how Buchholz counts the unplayed rounds of the player
    and of the opponents.
    """

    kind = "BH"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return each player's Buchholz score, in the event's order.

        `history` has all rounds of all players. Scores are in the event's points, not
        scaled. `tied` does not matter.
        """
        return sum_opponent_scores(history, self.how)


class ForeBuchholz(TieBreak):
    """The Buchholz score as if all matches of the last round so far had been drawn.

    In Fore Buchholz, forfeits of the last round count as drawn, too. You can compute
    Fore Buchholz as soon as the last round is paired.
    """

    kind = "FB"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return each player's Buchholz score with the last round drawn.

        `history` has all rounds of all players, and is not changed. Scores are in the
        event's points, not scaled. `tied` does not matter.
        """
        return sum_opponent_scores(with_last_round_drawn(history), self.how)


class AverageOfBuchholz(TieBreak):
    """The mean Buchholz score of the opponents whom the player met.

    An opponent whom the player met twice counts twice. pairopt does not round the mean.
    If a player has met nobody, lists show "none".
    """

    kind = "AOB"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return the mean Buchholz score of each player's opponents.

        `history` has all rounds of all players; `tied` does not matter. With modifier F
        the last round counts as drawn. A player without opponents has `NO_VALUE`.
        """
        history_with_draws_if_fore = (
            with_last_round_drawn(history) if self.how.F else history
        )
        buchholz_scores = sum_opponent_scores(
            history_with_draws_if_fore, replace(self.how, F=False)
        )
        return history.means(buchholz_scores, without_opponents=NO_VALUE)


def with_last_round_drawn(history: History) -> History:
    """Return the history with a draw in each match of its last round (8.3).

    Forfeits count as matches, too, and so do matches without a result yet. Byes stay,
    and so does a history before round 1. In that round the player and the opponent have
    the points of a draw, and no side.
    """
    last_round_number, unscored_rows = history.rounds, history.event.unscored
    opponent_without_result_by_player = dict(
        zip(unscored_rows.first.tolist(), unscored_rows.second.tolist(), strict=True)
    )
    opponent_without_result_by_player |= {
        second_player: first_player
        for first_player, second_player in opponent_without_result_by_player.items()
    }
    rounds_by_player = []
    for player_position, rounds_of_player in enumerate(history.turns):
        has_played_last_round = (
            len(rounds_of_player) == last_round_number and last_round_number > 0
        )
        if has_played_last_round:
            last_opponent = rounds_of_player[-1].opponent
        else:
            last_opponent = opponent_without_result_by_player.get(player_position, -1)
        if last_opponent >= 0 and last_round_number:
            drawn_round = PlayerRound(
                PLAYED, history.draw, last_opponent, history.draw, -1
            )
            rounds_by_player.append(
                (*rounds_of_player[: last_round_number - 1], drawn_round)
            )
        else:
            rounds_by_player.append(rounds_of_player)
    return replace(history, turns=tuple(rounds_by_player))


class StrengthOfSchedule(TieBreak):
    """The mean of the opponents' points per round.

    To get an opponent's points per round, pairopt divides the opponent's points by the
    opponent's rounds. A bye of the opponent counts as a round with the points of the
    bye, and a round that the opponent missed does not count. The player's own byes and
    forfeits add no opponent. If a player has no opponents, `sos` is 0.
    """

    kind = "sos"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return for each player the mean of the opponents' points per round.

        `history` has all rounds of all players; `tied` does not matter. It is 0 without
        opponents. Rounds that an opponent was absent from do not count.
        """
        event_scale = history.event.scale
        points_per_round_by_player = []
        for player_points, rounds_of_player in zip(
            history.score, history.turns, strict=True
        ):
            round_count = sum(
                player_round.status != ABSENT for player_round in rounds_of_player
            )
            points_per_round_by_player.append(
                Fraction(player_points, event_scale * round_count)
                if round_count
                else Fraction(0)
            )
        return history.means(points_per_round_by_player)


class ExtendedStrengthOfSchedule(TieBreak):
    """The mean of the opponents' strength of schedule (SoS)."""

    kind = "esos"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return the mean of the opponents' strengths of schedule.

        `history` has all rounds of all players. It is 0 without opponents. `tied` does
        not matter.
        """
        return history.means(StrengthOfSchedule().values(history, tied))
