"""The Dutch System with the Baku Acceleration as a contender: FIDE Handbook C.04.7.

In a world of its own it would be another world; as a contender it is compared with the system
without it, in the same tournaments.
"""

from dataclasses import replace
from decimal import Decimal

import numpy as np

from pairopt import load_model
from pairopt.event.acceleration import baku
from pairopt.lab.play import paired


class Accelerated:
    """The first half of the ranking list has virtual points in the first half of the rounds."""

    kind = "accelerated"

    def __call__(self, event, seed, /):
        rounds = event.settings.rounds
        many, amounts = baku(len(event.players), rounds, Decimal(1))
        line = np.array([int(amount * event.scale) for amount in amounts], np.int64)
        first = event.start_numbers <= many
        made = paired(replace(event, acceleration=first[:, None] * line),
                      load_model("fide-dutch"), seed, event.round == rounds)  # fmt: skip
        return made.pairs if made.arcs is not None else None


accelerated = Accelerated()
