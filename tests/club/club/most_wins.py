"""Ranking `most_wins`: rank players by the number of games won."""

from __future__ import annotations

import numpy as np

from pairopt.extend import PLAYED, Event, IntArray


def most_wins(event: Event) -> IntArray:
    """Return the number of games that each player has won, without forfeits and byes."""
    games = event.before.take(event.before.status == PLAYED)
    winners = np.where(games.score1 > games.score2, games.first, games.second)
    decided = games.score1 != games.score2
    wins: IntArray = np.bincount(winners[decided], minlength=len(event.players))
    return wins
