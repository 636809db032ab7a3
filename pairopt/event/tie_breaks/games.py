"""Tie-breaks of matches and games won, none below 33 %, and their means over the opponents."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np

from pairopt.event.points import USUAL_GAMES
from pairopt.event.tie_breaks.base import ABSENT, History, TieBreak, Tied

FLOOR = Fraction(33, 100)
WON, DRAWN = 3, 1
"""Game points."""


class MatchWin(TieBreak):
    """The share of a player's points in those of wins in all their rounds, at least 33 %.

    Byes count there with their points, and rounds without a row not at all. Points brought in do
    not count."""

    kind = "match_win"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        rounds = [sum(turn.status != ABSENT for turn in own) for own in history.turns]
        return [
            max(FLOOR, sum(turn.points for turn in own) / (history.win * number))
            if number and history.win > 0 else FLOOR
            for own, number in zip(history.turns, rounds, strict=True)
        ]  # fmt: skip


class OpponentsMatchWin(MatchWin):
    """The mean, over the opponents, of their match-win percentage.

    A bye gives no opponent; a forfeit does, as it is a match lost and won there. Who had no
    opponent has 0."""

    kind = "opponents_match_win"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return history.means(super().values(history, tied), forfeits=True)


class GameWin(MatchWin):
    """The share of a player's game points in those of wins in all their games, at least 33 %.

    A game won is 3 game points, a game drawn 1. Who has a bye with a win's points, or wins by
    forfeit, wins all games that a match needs and loses none: 2-0 where it is best of three. Other
    byes, and a forfeit that both lose, have no games."""

    kind = "game_win"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        event, rows = history.event, history.event.before
        needed, two = (event.settings.best_of or USUAL_GAMES) // 2 + 1, rows.second >= 0
        ahead = np.where(two, rows.score1 - rows.score2, rows.score1 >= ceil(history.win))
        unplayed = needed * np.column_stack([ahead > 0, ahead < 0, ahead * 0])
        games = np.where(rows.by_games[:, None], rows.games, unplayed)
        tally = np.zeros((len(event.players), 3), np.int64)
        np.add.at(tally, rows.first, games)
        np.add.at(tally, rows.second[two], games[two][:, [1, 0, 2]])
        return [
            max(FLOOR, Fraction(WON * won + DRAWN * drawn, WON * max(won + lost + drawn, 1)))
            for won, lost, drawn in tally.tolist()
        ]


class OpponentsGameWin(GameWin):
    """The mean, over the opponents, of their game-win percentage; opponents as in
    `opponents_match_win`."""

    kind = "opponents_game_win"

    def values(self, history: History, tied: Tied) -> list[Fraction]:
        return history.means(super().values(history, tied), forfeits=True)
