"""Tie-breaks of opponents' scores: Buchholz, Sonneborn-Berger, Koya, schedules."""

from dataclasses import replace
from fractions import Fraction

from pairopt.event.event import PLAYED
from pairopt.event.tie_breaks.base import ABSENT, History, PlayerRound, TieBreak, Tied
from pairopt.event.tie_breaks.unplayed_rounds import sum_opponent_scores


class SonnebornBerger(TieBreak):
    """The sum, over the rounds, of the opponent's score times the points against them.

    Unplayed rounds, the player's own and those of opponents, count as `tie_breaks.unplayed`
    says. What is cut is the product with the lowest score of an opponent, of equal ones the
    least.
    """

    kind = "SB"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return each player's Sonneborn-Berger score."""
        return sum_opponent_scores(history, self.how, weighed=True)


class Koya(TieBreak):
    """The points against opponents with at least half the points of wins in all rounds so far.

    It is meant for round robins, where forfeits are matches like others (15.2), and so they are
    here. L moves the limit by half points.
    """

    kind = "KS"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return each player's points against opponents who reach the limit."""
        scale = history.event.scale
        limit = history.win * history.rounds / 2 + Fraction(self.how.L * scale, 2)
        strong = [score >= limit for score in history.score]
        points_by_player = (
            [
                turn.points
                for turn in turns
                if turn.opponent >= 0 and strong[turn.opponent]
            ]
            for turns in history.turns
        )
        return [Fraction(sum(points)) / scale for points in points_by_player]


class Buchholz(TieBreak):
    """The sum of the opponents' scores.

    Unplayed rounds, the player's own and those of opponents, count as `tie_breaks.unplayed`
    says.
    """

    kind = "BH"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return each player's Buchholz score."""
        return sum_opponent_scores(history, self.how)


class ForeBuchholz(TieBreak):
    """Buchholz as if all matches of the last round so far had been drawn, forfeits included.

    It can be told as soon as the round is paired.
    """

    kind = "FB"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return each player's Buchholz score with the last round drawn."""
        return sum_opponent_scores(with_last_round_drawn(history), self.how)


class AverageOfBuchholz(TieBreak):
    """The mean, over the opponents played, of their Buchholz, each as often as met.

    It is not rounded; who has played nobody has 0.
    """

    kind = "AOB"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return the mean Buchholz score of each player's opponents."""
        scores = sum_opponent_scores(
            with_last_round_drawn(history) if self.how.F else history,
            replace(self.how, F=False),
        )
        return history.means(scores)


def with_last_round_drawn(history: History) -> History:
    """Return the history with a draw in each match of its last round (8.3).

    Matches that were not played count, too.
    """
    last_round, rows = history.rounds, history.event.unscored
    pairs = dict(zip(rows.first.tolist(), rows.second.tolist(), strict=True))
    against = pairs | {two: one for one, two in pairs.items()}
    turns = []
    for player, player_turns in enumerate(history.turns):
        last_turn = player_turns[-1:] if len(player_turns) == last_round else ()
        opponent = last_turn[0].opponent if last_turn else against.get(player, -1)
        draw = PlayerRound(PLAYED, history.draw, opponent, history.draw, -1)
        turns.append(
            (*player_turns[: last_round - 1], draw)
            if opponent >= 0 and last_round
            else player_turns
        )
    return replace(history, turns=tuple(turns))


class StrengthOfSchedule(TieBreak):
    """The mean, over the opponents played, of the opponent's points per round.

    An opponent's rounds are those with a row, so byes count with their points and rounds missed
    do not count. Byes and forfeits give no opponent; who met nobody has 0.
    """

    kind = "sos"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return the mean of the opponents' points per round for each player."""
        scale = history.event.scale
        rounds = [
            sum(turn.status != ABSENT for turn in turns) for turns in history.turns
        ]
        return history.means(
            [
                Fraction(points, scale * number) if number else Fraction(0)
                for points, number in zip(history.score, rounds, strict=True)
            ]
        )


class ExtendedStrengthOfSchedule(TieBreak):
    """The mean, over the opponents played, of the opponent's strength of schedule."""

    kind = "esos"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return the mean of the opponents' strengths of schedule."""
        return history.means(StrengthOfSchedule().values(history, tied))
