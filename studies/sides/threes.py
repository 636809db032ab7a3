"""Differences and streaks of three: a metric of whole tournaments."""

import numpy as np

from pairopt.event.event import PLAYED
from pairopt.lab.simulating import Tournament


class Threes:
    """1 if any player had it after any round, else 0: a side difference of 3 or more
    (`difference_3`), as many games in a row on one side (`streak_3`), either (`any_3`), and a
    difference of 2 or more after the last round (`any_2_at_the_end`)."""

    kind = "threes"
    columns = ("difference_3", "streak_3", "any_3", "any_2_at_the_end")
    ranges = dict.fromkeys(columns, (0, 1))

    def __call__(self, played: Tournament, /):
        games, n = played.games, len(played.strength)
        bias, streak, last = (np.zeros(n, np.int64) for _ in range(3))
        difference_3 = streak_3 = False
        sided = (games.status == PLAYED) & (games.side >= 0)
        for number in range(1, played.event.round):
            here = sided & (games.round == number)
            one, two = games.first[here], games.second[here]
            ahead = np.where(games.side[here] == 0, 1, -1)
            for players, side in ((one, ahead), (two, -ahead)):
                bias[players] += side
                streak[players] = np.where(last[players] == side, streak[players] + 1, 1)
                last[players] = side
            difference_3 |= bool((np.abs(bias) >= 3).any())
            streak_3 |= bool((streak >= 3).any())
        found = (difference_3, streak_3, difference_3 or streak_3, (np.abs(bias) >= 2).any())
        return {name: int(value) for name, value in zip(self.columns, found, strict=True)}


threes = Threes()
