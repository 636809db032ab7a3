"""How much of the final ranking the lot among equally good pairings makes.

Each tournament is played again, with the same players on the same luck of results, but other
lots; and once more with the same players, where results are other luck as well.
"""

from dataclasses import dataclass, replace

import numpy as np

from pairopt.lab import simulate
from pairopt.lab.play import paired
from pairopt.lab.simulating import Tournament
from pairopt.problem.model import Model

AGAIN = 0x6C6F74
"""What tells the lots of the second tournament from those of the first."""


@dataclass(frozen=True)
class OtherLots:
    """The model with pairings drawn by other lots."""

    model: Model
    rounds: int
    kind = "other_lots"

    def __call__(self, event, seed, /):
        last = event.round == self.rounds
        made = paired(event, self.model, seed ^ AGAIN, last, "uniform")
        if made.arcs is None:
            return None
        names = made.problem.state.names
        rows = zip(made.arcs.first.tolist(), made.arcs.second.tolist(), strict=True)
        return [(names[a],) if b < 0 else (names[a], names[b]) for a, b in rows]


class Luck:
    """Parts of the variance of final ranks: `lot` what other lots change, `all` all other luck.

    A rank's variance is half the mean square of its change from one tournament to the other; the
    part is of the variance of all ranks, (n^2 - 1) / 12, as it is where ranks mean nothing.
    `other_winner` is 1 where the other lots have another winner, half a one where one is tied.
    """

    kind = "luck"
    columns = ("lot", "all", "other_winner")

    def __call__(self, played: Tournament, /):
        field, model = played.field, played.pairings[0].problem.model
        world = field.world
        lots = OtherLots(model, world.rounds)
        other = simulate(lots, world, seed=field.seed, replicate=field.replicate)
        whole = replace(world, strengths=tuple(played.strength.tolist()))
        anew = simulate(model, whole, seed=field.seed ^ AGAIN, replicate=field.replicate,
                        choose="uniform")  # fmt: skip
        if not (other.complete and anew.complete):
            return {}
        own, by_lot, by_all = ranks(played), ranks(other), ranks(anew)
        order = np.argsort(played.strength), np.argsort(anew.strength)
        total = (len(own) ** 2 - 1) / 12
        first, second = own == own.min(), by_lot == by_lot.min()
        return {
            "lot": float(((own - by_lot) ** 2).mean() / 2 / total),
            "all": float(((own[order[0]] - by_all[order[1]]) ** 2).mean() / 2 / total),
            "other_winner": 1 - (first & second).sum() / max(first.sum(), second.sum()),
        }


def ranks(played: Tournament):
    """Final ranks from 1; those that are tied share the mean of theirs."""
    place = played.place
    better = (place[None, :] > place[:, None]).sum(axis=1)
    tied = (place[None, :] == place[:, None]).sum(axis=1)
    return better + (tied + 1) / 2


luck = Luck()
