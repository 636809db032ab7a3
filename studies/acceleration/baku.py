"""The Dutch System with the Baku Acceleration as a contender: FIDE Handbook C.04.7.

In a world of its own it would be another world; as a contender it is compared with the system
without it, in the same tournaments.
"""

from dataclasses import replace

import numpy as np

from pairopt import load_model
from pairopt.lab.play import paired


class Accelerated:
    """The first half of the ranking list, rounded up to an even number, has a win's points more in
    the first half of the accelerated rounds, then half as many; these are the first half of all.
    Halves of rounds are rounded up."""

    kind = "accelerated"

    def __call__(self, event, seed, /):
        rounds = event.settings.rounds
        win = int(event.settings.points.win * event.scale)
        accelerated = -(-rounds // 2)
        full = -(-accelerated // 2)
        line = np.array([win] * full + [win // 2] * (accelerated - full))
        first = event.start_numbers <= 2 * -(-len(event.players) // 4)
        made = paired(replace(event, acceleration=first[:, None] * line),
                      load_model("fide-dutch"), seed, event.round == rounds)  # fmt: skip
        return made.pairs if made.arcs is not None else None


accelerated = Accelerated()
