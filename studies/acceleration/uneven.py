"""How many games are uneven: a metric of whole tournaments."""

import numpy as np

from pairopt.event.event import PLAYED
from pairopt.lab.simulating import Tournament

EXPECTED = 0.9


class Uneven:
    """The part of all games in which one player may expect nine points of ten or more by true
    strength, colours aside: of the rounds that are accelerated (`uneven_early`), the first half
    rounded up, of those after them (`uneven_late`), and of all (`uneven_all`)."""

    kind = "uneven"
    columns = ("uneven_early", "uneven_late", "uneven_all")
    ranges = dict.fromkeys(columns, (0, 1))

    def __call__(self, played: Tournament, /):
        games = played.games.take(played.games.status == PLAYED)
        gap = np.abs(played.strength[games.first] - played.strength[games.second])
        uneven = 1 / (1 + 10 ** (-gap / 400)) >= EXPECTED
        early = games.round <= -(-played.field.world.rounds // 2)
        parts = (uneven[early], uneven[~early], uneven)
        return {name: float(part.mean()) if len(part) else None
                for name, part in zip(self.columns, parts, strict=True)}  # fmt: skip


uneven = Uneven()
