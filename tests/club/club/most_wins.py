"""Ranking `most_wins`: by the number of games won, whatever a win gives."""

from __future__ import annotations

import numpy as np

from pairopt.extend import PLAYED, Event, IntArray


def most_wins(event: Event) -> IntArray:
    """Count the games that each player has won; forfeits and byes are none."""
    games = event.before.take(event.before.status == PLAYED)
    winners = np.where(games.score1 > games.score2, games.first, games.second)
    decided = games.score1 != games.score2
    wins: IntArray = np.bincount(winners[decided], minlength=len(event.players))
    return wins
