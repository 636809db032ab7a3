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
        """Return the McMahon score of each player.

        `history` has all rounds of all players. The scores are whole numbers, in the
        event's order. `tied` does not matter.
        """
        return [Fraction(mcmahon_score) for mcmahon_score in mcmahon_scores_of(history)]


class SumOfOpponentScores(TieBreak):
    """The sum of the opponents' McMahon scores.

    The stones of a handicap game are added to White's `SOSM` and subtracted from
    Black's `SOSM`. A bye, a forfeit or a missed round adds the player's own start
    score.
    """

    kind = "SOSM"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return the sum of the McMahon scores of each player's opponents.

        `history` has all rounds of all players; `tied` does not matter. Handicaps are
        taken into account, and a round without a game counts the player's own start
        score. Raises UsageError for a cell that is no handicap.
        """
        handicaps_by_player = handicaps_of(history.event).tolist()
        start_score_by_player = start_scores_of(history)
        return [
            Fraction(sum_of_opponent_scores)
            for sum_of_opponent_scores in sum_over_opponents(
                history,
                mcmahon_scores_of(history),
                start_score_by_player,
                handicaps_by_player,
            )
        ]


class SumOfOpponentSums(TieBreak):
    """The sum of the opponents' SOS (tie-break SOSM).

    A bye, a forfeit or a missed round adds the player's own start score for each round
    so far.
    """

    kind = "SOSOSM"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return the sum of the SOS of each player's opponents.

        `history` has all rounds of all players; `tied` does not matter. The opponents'
        SOS contain handicaps; the player's own are not added. A round without a game
        counts the player's start score once per round so far.
        """
        sos_by_player = [
            int(sos_of_player)
            for sos_of_player in SumOfOpponentScores().values(history, tied)
        ]
        start_score_times_rounds_by_player = [
            start_score * history.rounds for start_score in start_scores_of(history)
        ]
        zero_handicaps_by_player = [[0] * history.rounds for _ in sos_by_player]
        return [
            Fraction(sosos_of_player)
            for sosos_of_player in sum_over_opponents(
                history,
                sos_by_player,
                start_score_times_rounds_by_player,
                zero_handicaps_by_player,
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

        `history` has all rounds of all players; `tied` does not matter. A draw counts
        half of the opponent's score; rounds that were not played count nothing.
        """
        mcmahon_score_by_player = mcmahon_scores_of(history)
        sodos_by_player = []
        for rounds_of_player in history.turns:
            sum_in_halves = sum(
                _halves(player_round) * mcmahon_score_by_player[player_round.opponent]
                for player_round in rounds_of_player
                if player_round.played
            )
            sodos_by_player.append(Fraction(sum_in_halves, 2))
        return sodos_by_player


def start_scores_of(history: History) -> list[int]:
    """Return the start score of each player: the whole points that they bring in.

    `history` gives the event, whose order they have. It is 0 if players bring in no
    points.
    """
    event = history.event
    return [brought_points // event.scale for brought_points in event.brought.tolist()]


def mcmahon_scores_of(history: History) -> list[int]:
    """Return the McMahon score of each player, rounded down.

    `history` has all rounds of all players. The score is the start score, 1 for each
    win and bye, and ½ for each draw. If any player brings in points, a missed round
    counts ½, too.
    """
    half_points_of_missed_round = 1 if history.event.brought.any() else 0
    mcmahon_score_by_player = []
    for start_score, rounds_of_player in zip(
        start_scores_of(history), history.turns, strict=True
    ):
        half_points = sum(
            _halves(player_round)
            if _has_result(player_round)
            else half_points_of_missed_round
            for player_round in rounds_of_player
        )
        mcmahon_score_by_player.append(start_score + half_points // 2)
    return mcmahon_score_by_player


def sum_over_opponents(
    history: History,
    amounts: Sequence[int],
    unplayed: Sequence[int],
    handicaps: Sequence[Sequence[int]],
) -> list[int]:
    """Return the sum of the opponents' amounts for each player.

    `history` has all rounds of all players. `amounts` and `unplayed` have an entry for
    each player. A round without a game adds the player's own entry of `unplayed`.
    `handicaps` has what each player's games add in each round. The three are in the
    event's order of players.
    """
    sum_by_player = []
    for amount_of_round_without_game, rounds_of_player, handicap_by_round in zip(
        unplayed, history.turns, handicaps, strict=True
    ):
        sum_by_player.append(
            sum(
                amounts[player_round.opponent] + handicap_by_round[round_index]
                if player_round.played
                else amount_of_round_without_game
                for round_index, player_round in enumerate(rounds_of_player)
            )
        )
    return sum_by_player


def _has_result(turn: PlayerRound) -> bool:
    """Whether a round (`turn`) is a game, a forfeit or a pairing-allocated bye."""
    return turn.played or turn.status in (FORFEIT, BYE_ROW)


def _halves(turn: PlayerRound) -> int:
    """Return the half points of a round (`turn`) for the McMahon score.

    They are 2 for a win or a pairing-allocated bye, 1 for a draw, and 0 for a loss or a
    round in which both got nothing. A forfeit counts like a game.
    """
    if turn.status == BYE_ROW or turn.points > turn.against:
        return 2
    return 1 if turn.points == turn.against > 0 else 0
