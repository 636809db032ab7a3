"""Tie-breaks of a player's own rounds (FIDE C.07, article 7), and win percentages."""

from abc import abstractmethod
from fractions import Fraction
from itertools import accumulate
from math import ceil
from operator import add

import numpy as np

from pairopt.event.points import USUAL_GAMES
from pairopt.event.tie_breaks.base import ABSENT, History, PlayerRound, TieBreak, Tied
from pairopt.event.tie_breaks.unplayed_rounds import is_unplayed_by_choice


class RoundSum(TieBreak):
    """Base of tie-breaks that are a sum over a player's own rounds.

    A subclass says in `of` what one round adds.
    """

    @abstractmethod
    def of(self, history: History, turn: PlayerRound) -> int | Fraction:
        """Return what one round of a player (`turn`) adds to the sum.

        Subclasses define it. `history` has all rounds of all players, and what a win
        and a draw give.
        """

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return for each player the sum of `of` over their rounds, 0 without any.

        `history` has all rounds of all players; `tied` does not matter. The sums are
        not divided by the event's scale.
        """
        return [
            Fraction(
                sum(self.of(history, player_round) for player_round in rounds_of_player)
            )
            for rounds_of_player in history.turns
        ]


class Wins(RoundSum):
    """The number of rounds won, with or without playing.

    A match or a forfeit counts as won if the player got the points of a win. A match
    also counts as won if the player got more points than for a draw, and more points
    than the opponent. In a double-sided match, the player with more points from both
    games wins. A bye counts as a won round if the player got at least the points of a
    win.
    """

    kind = "WIN"

    def of(self, history: History, turn: PlayerRound) -> bool:
        """Return whether a round (`turn`) was won, by playing or not.

        It is won with at least a win's points, or with more points than the opponent,
        if there is one, and than a draw gives. `history` has the points of a win and a
        draw.
        """
        has_more_points = turn.opponent >= 0 and turn.points > max(
            turn.against, history.draw
        )
        return has_more_points or turn.points >= history.win


class GamesWon(Wins):
    """The number of matches won by playing.

    Byes and forfeits don't count in `WON`.
    """

    kind = "WON"

    def of(self, history: History, turn: PlayerRound) -> bool:
        """Return whether a round was played and won; forfeits and byes are not.

        `turn` is the round, and `history` has the points of a win and a draw.
        """
        return turn.played and super().of(history, turn)


class SecondSideGames(RoundSum):
    """The number of games played as the second side, in chess with Black.

    Byes and forfeits don't count as games.
    """

    kind = "BPG"

    def of(self, history: History, turn: PlayerRound) -> bool:
        """Return whether a round (`turn`) was a game played on the second side.

        `history` does not matter.
        """
        return turn.side == 1


class SecondSideWins(Wins):
    """The number of games won as the second side, in chess with Black."""

    kind = "BWG"

    def of(self, history: History, turn: PlayerRound) -> bool:
        """Return whether a round (`turn`) was a game on the second side that was won.

        `history` has the points of a win and a draw.
        """
        return turn.side == 1 and super().of(history, turn)


class Progressive(TieBreak):
    """The sum of the scores after each round (cumulative score).

    A bye or forfeit counts in `PS` with the points that the player got. If a file
    states points that no result explains, these points count from their round on. The
    modifier C1 leaves out the score after round 1, and C2 leaves out the scores after
    rounds 1 and 2.
    """

    kind = "PS"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return the sum of each player's scores after each round, less those cut.

        `history` has all rounds of all players; `tied` does not matter. Points of no
        result count from their round on. The first scores are cut. The sums are not
        scaled.
        """
        event = history.event
        progressive_score_by_player = []
        for rounds_of_player, points_without_results_by_round in zip(
            history.turns, event.besides.tolist(), strict=True
        ):
            sums_of_points_after_rounds = accumulate(
                (player_round.points for player_round in rounds_of_player), initial=0
            )
            scores_after_rounds = [
                *map(add, sums_of_points_after_rounds, points_without_results_by_round)
            ]
            progressive_score_by_player.append(
                Fraction(sum(scores_after_rounds[1 + self.how.C :]), event.scale)
            )
        return progressive_score_by_player


class RoundsElected(TieBreak):
    """The number of rounds that the player did not miss by choice.

    A player misses a round by choice if the player has a requested bye, or loses by
    forfeit. In `REP`, a bye with the points of a win does not count as missed.
    """

    kind = "REP"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return each player's number of rounds not missed by choice.

        This is the number of rounds so far less those unplayed by choice. `history` has
        all rounds of all players; `tied` does not matter.
        """
        missed_count_by_player = (
            sum(
                is_unplayed_by_choice(history, player_round)
                for player_round in rounds_of_player
            )
            for rounds_of_player in history.turns
        )
        return [
            Fraction(history.rounds - missed_count)
            for missed_count in missed_count_by_player
        ]


class StandardPoints(RoundSum):
    """The points of the player if a win gives 1 and a draw ½, whatever points the event gives.

    For `STD`, a player with more points than the opponent has won the match, and equal
    points are a draw. A bye or forfeit with more points than a draw counts as a win in
    `STD`. A bye or forfeit with as many points as a draw counts as a draw.
    """

    kind = "STD"

    def of(self, history: History, turn: PlayerRound) -> Fraction:
        """Return 1 for a round (`turn`) that is a win, ½ for a draw and 0 for a loss.

        A round that was not played is compared with the points of a draw, which
        `history` has.
        """
        opponent_points = turn.against if turn.played else history.draw
        if turn.points > opponent_points:
            return Fraction(1)
        return Fraction(1, 2) if turn.points == opponent_points else Fraction(0)


class PairingNumber(TieBreak):
    """The player's starting number; the smallest ranks first, or the largest with modifier R."""

    kind = "TPN"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return each player's start number, as a Fraction, in the event's order.

        `history` gives the event. `tied` does not matter.
        """
        return [
            Fraction(int(start_number)) for start_number in history.event.start_numbers
        ]


FLOOR = Fraction(33, 100)
WON, DRAWN = 3, 1
"""The game points of a game won and of a game drawn."""


class MatchWin(TieBreak):
    """The player's share of the possible points, but at least 33 %.

    The possible points are the points of a win in each round of the player. A bye
    counts in `match_win` with the points of the bye. Rounds that the player missed do
    not count, and neither do points that the player brought to the event.
    """

    kind = "match_win"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return each player's share of the points of wins, at least 0.33.

        `history` has all rounds of all players; `tied` does not matter. It is 0.33
        without a round, or if a win gives nothing. Rounds of absence do not count.
        """
        win_share_by_player = []
        for rounds_of_player in history.turns:
            round_count = sum(
                player_round.status != ABSENT for player_round in rounds_of_player
            )
            if round_count and history.win > 0:
                points_of_player = sum(
                    player_round.points for player_round in rounds_of_player
                )
                win_share_by_player.append(
                    max(FLOOR, points_of_player / (history.win * round_count))
                )
            else:
                win_share_by_player.append(FLOOR)
        return win_share_by_player


class OpponentsMatchWin(MatchWin):
    """The mean match-win percentage (`match_win`) of the opponents.

    In `opponents_match_win`, a bye is not an opponent. After a forfeit, the opponent
    counts, and so does the match: as won by one player and lost by the other. If a
    player has no opponents, `opponents_match_win` is 0.
    """

    kind = "opponents_match_win"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return the mean match-win share of each player's opponents, 0 without any.

        `history` has all rounds of all players; `tied` does not matter. The opponent in
        a forfeit counts, too.
        """
        return history.means(super().values(history, tied), forfeits=True)


class GameWin(MatchWin):
    """The player's share of the possible game points, but at least 33 %.

    A won game gives 3 game points, and a drawn game gives 1 game point. A forfeit win
    counts as winning all the games that a match needs, for example 2-0 in best of
    three. A bye with the points of a win counts like a forfeit win. A bye with fewer
    points counts as no game, and so does a forfeit that both players lose.
    """

    kind = "game_win"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return each player's share of the points of games won, at least 0.33.

        `history` gives the event; `tied` does not matter. Forfeit wins, and byes with a
        win's points, count as the wins that a match needs.
        """
        event, rows_before = history.event, history.event.before
        wins_needed = (event.settings.best_of or USUAL_GAMES) // 2 + 1
        has_opponent = rows_before.second >= 0

        # Above 0 if the first player won without games, below 0 if the second one did.
        is_full_bye = rows_before.score1 >= ceil(history.win)
        lead_of_first_player = np.where(
            has_opponent, rows_before.score1 - rows_before.score2, is_full_bye
        )
        games_of_unplayed_rows = wins_needed * np.column_stack(
            [
                lead_of_first_player > 0,
                lead_of_first_player < 0,
                lead_of_first_player * 0,
            ]
        )
        games_by_row = np.where(
            rows_before.by_games[:, None], rows_before.games, games_of_unplayed_rows
        )

        # Games won, lost and drawn by each player, shape (players, 3).
        games_by_player = np.zeros((len(event.players), 3), np.int64)
        games_by_row_of_second = games_by_row[has_opponent][:, [1, 0, 2]]
        np.add.at(games_by_player, rows_before.first, games_by_row)
        np.add.at(
            games_by_player, rows_before.second[has_opponent], games_by_row_of_second
        )
        game_share_by_player = []
        for won_games, lost_games, drawn_games in games_by_player.tolist():
            game_points = WON * won_games + DRAWN * drawn_games
            most_points = WON * max(won_games + lost_games + drawn_games, 1)
            game_share_by_player.append(max(FLOOR, Fraction(game_points, most_points)))
        return game_share_by_player


class OpponentsGameWin(GameWin):
    """The mean game-win percentage (`game_win`) of the opponents.

    `opponents_game_win` counts the same opponents as `opponents_match_win`.
    """

    kind = "opponents_game_win"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        """Return the mean game-win share of each player's opponents, 0 without any.

        `history` has all rounds of all players; `tied` does not matter. The opponent in
        a forfeit counts, too.
        """
        return history.means(super().values(history, tied), forfeits=True)
