"""What agreed draws into a top cut bring: each tournament is played again with agreements.

In the last round, two players draw on purpose if that certainly brings both into the first eight: by
points alone, and whatever the other tables do. Everything else has the same random numbers.
"""

from dataclasses import replace

import numpy as np

from pairopt.lab.luck import Purpose, uniforms
from pairopt.lab.simulating import Tournament, play_tournament
from pairopt.lab.strategies import DrawIntoCut

CUT = 8


class Agreed:
    """What changes if all players draw on purpose in the last round where that is certain to help.

    `agreed_tables` counts these tables. Of their pairs, `both_in` is the share in which both players
    reach the first eight also if they play, and `one_out` that in which one of them does not.
    `replaced` counts the players who are in the first eight only with agreements, `strength` is the
    change in the mean true strength of the first eight, in Elo points. There is no value but of
    `agreed_tables` without an agreed table.
    """

    kind = "agreed"
    columns = ("agreed_tables", "both_in", "one_out", "replaced", "strength")
    ranges = {
        "agreed_tables": (0, "players"),
        "both_in": (0, 1),
        "one_out": (0, 1),
        "replaced": (0, CUT),
    }

    def __call__(self, played: Tournament, /):
        field, model = played.field, played.pairings[0].problem.model
        watch = Watch(DrawIntoCut(CUT))
        world = replace(field.world, strategy=watch)
        again = play_tournament(replace(field, world=world), model, "uniform")
        tables = watch.tables
        values = {"agreed_tables": len(tables)}
        if not tables:
            return values
        first, first_again = first_eight(played), first_eight(again)
        kept = [sum(player in first for player in table) for table in tables]
        strengths = [
            played.strength[sorted(players)].mean() for players in (first, first_again)
        ]
        return values | {
            "both_in": sum(count == 2 for count in kept) / len(kept),
            "one_out": sum(count == 1 for count in kept) / len(kept),
            "replaced": len(first_again - first),
            "strength": round(float(strengths[1] - strengths[0]), 3),
        }


class Watch:
    """The strategy, which also remembers who agrees."""

    kind = "watch"

    def __init__(self, strategy: DrawIntoCut) -> None:
        self.strategy = strategy
        self.tables: list[tuple[int, int]] = []

    def __call__(self, paired, /):
        if paired.event.round == paired.rounds and paired.game == 1:
            for position in self.strategy.find_agreed(paired):
                pair = paired.games.one[position], paired.games.two[position]
                self.tables.append((int(pair[0]), int(pair[1])))
        return self.strategy(paired)


def first_eight(played: Tournament):
    """The first eight of the standings; a lot decides between equal players."""
    field, here = played.field, np.arange(len(played.strength))
    lot = uniforms(field.seed, field.replicate, Purpose.SEED, here)
    return {*np.lexsort((lot, played.place))[::-1][:CUT].tolist()}


agreed = Agreed()
