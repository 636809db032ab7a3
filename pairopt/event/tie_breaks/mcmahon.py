"""Tie-breaks of Go tournaments: McMahon score, SOS, SOSOS and SODOS.

The start scores are the points that players bring in: from the column `score` of
players.csv, or in an event folder from the ranks by the model. Without them the
tournament is a Swiss one, in which all start at 0.
"""

from collections.abc import Sequence
from fractions import Fraction

from pairopt.event.event import BYE_ROW, FORFEIT
from pairopt.event.mcmahon import handicaps_of
from pairopt.event.tie_breaks.base import History, PlayerRound, TieBreak, Tied


class McMahonScore(TieBreak):
    """The McMahon score: the start score plus 1 for each win and bye, rounded down.

    In `MMS`, a draw counts ½. A missed round counts ½ if players have start scores, and
    otherwise 0. If `MMS` is the first tie-break, it ranks players before the points.
    """

    kind = "MMS"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return the McMahon score of each player."""
        return [Fraction(mcmahon_score) for mcmahon_score in mcmahon_scores_of(history)]


class SumOfOpponentScores(TieBreak):
    """The sum of the opponents' McMahon scores.

    In a handicap game, the stones count: they are added to White's `SOSM` and
    subtracted from Black's. A bye, a forfeit or a missed round adds the player's own
    start score.
    """

    kind = "SOSM"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return the sum of the McMahon scores of each player's opponents.

        Handicaps are taken into account, and a round without a game counts the player's
        own start score.
        """
        handicaps = handicaps_of(history.event).tolist()
        start_scores = start_scores_of(history)
        return [
            Fraction(opponent_sum)
            for opponent_sum in sum_over_opponents(
                history, mcmahon_scores_of(history), start_scores, handicaps
            )
        ]


class SumOfOpponentSums(TieBreak):
    """The sum of the opponents' SOS (tie-break SOSM).

    A bye, a forfeit or a missed round adds the player's own start score for each round
    so far.
    """

    kind = "SOSOSM"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return the sum of the SOS of each player's opponents, without handicaps.

        A round without a game counts the player's start score once per round so far.
        """
        opponent_sums = [
            int(opponent_sum)
            for opponent_sum in SumOfOpponentScores().values(history, tied)
        ]
        start_score_sums = [
            start_score * history.rounds for start_score in start_scores_of(history)
        ]
        no_handicaps = [[0] * history.rounds for _ in opponent_sums]
        return [
            Fraction(sum_of_sums)
            for sum_of_sums in sum_over_opponents(
                history, opponent_sums, start_score_sums, no_handicaps
            )
        ]


class SumOfDefeatedScores(TieBreak):
    """The sum of the McMahon scores of the opponents whom the player defeated.

    A draw adds half of the opponent's McMahon score to `SODOSM`. Byes and forfeits add
    nothing to `SODOSM`.
    """

    kind = "SODOSM"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return the sum of the McMahon scores of each player's defeated opponents.

        A draw counts half of the opponent's score; rounds that were not played count
        nothing.
        """
        mcmahon_scores = mcmahon_scores_of(history)
        defeated_sums = []
        for player_turns in history.turns:
            half_sum = sum(
                _halves(turn) * mcmahon_scores[turn.opponent]
                for turn in player_turns
                if turn.played
            )
            defeated_sums.append(Fraction(half_sum, 2))
        return defeated_sums


def start_scores_of(history: History) -> list[int]:
    """Return the start score of each player: the whole points that they bring in.

    It is 0 if players bring in no points.
    """
    event = history.event
    return [brought_points // event.scale for brought_points in event.brought.tolist()]


def mcmahon_scores_of(history: History) -> list[int]:
    """Return the McMahon score of each player, rounded down.

    It is the start score, 1 for each win and bye, and ½ for each draw. If any player
    brings in points, a missed round counts ½, too.
    """
    missed_halves = 1 if history.event.brought.any() else 0
    mcmahon_scores = []
    for start_score, player_turns in zip(
        start_scores_of(history), history.turns, strict=True
    ):
        half_points = sum(
            _halves(turn) if _has_result(turn) else missed_halves
            for turn in player_turns
        )
        mcmahon_scores.append(start_score + half_points // 2)
    return mcmahon_scores


def sum_over_opponents(
    history: History,
    amounts: Sequence[int],
    unplayed: Sequence[int],
    handicaps: Sequence[Sequence[int]],
) -> list[int]:
    """Return the sum of the opponents' amounts for each player.

    `amounts` and `unplayed` have an entry for each player. A round without a game adds
    the player's own entry of `unplayed`. `handicaps` has what each player's games add
    in each round.
    """
    sum_by_player = []
    for own_amount, player_turns, player_handicaps in zip(
        unplayed, history.turns, handicaps, strict=True
    ):
        sum_by_player.append(
            sum(
                amounts[turn.opponent] + player_handicaps[round_index]
                if turn.played
                else own_amount
                for round_index, turn in enumerate(player_turns)
            )
        )
    return sum_by_player


def _has_result(turn: PlayerRound) -> bool:
    """Whether a round is a game, a forfeit or a pairing-allocated bye."""
    return turn.played or turn.status in (FORFEIT, BYE_ROW)


def _halves(turn: PlayerRound) -> int:
    """Return the half points of a round for the McMahon score.

    They are 2 for a win or a pairing-allocated bye, 1 for a draw, and 0 for a loss or a
    round in which both got nothing.
    """
    if turn.status == BYE_ROW or turn.points > turn.against:
        return 2
    return 1 if turn.points == turn.against > 0 else 0
