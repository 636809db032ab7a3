"""bakert's weights with the bonus that they were meant to have."""

from dataclasses import dataclass

import numpy as np

from pairopt.rules.criteria.qualities import BakertQuality


@dataclass(frozen=True)
class MendedQuality(BakertQuality):
    """bakert's weights, the bonus for each pair that has not met.

    As `bakert_quality`, but the bonus of (h + 1)^2 + 1 goes to every pair that has not met, and to
    the bye of who had none."""

    kind = "mended_quality"

    def cost(self, state, arcs):
        highest = self._highest(state)
        bonus = highest + self.scale(state)
        weight = self._quality(state, state.score[arcs.first],
                               np.where(arcs.bye, 0, state.score[arcs.second]))  # fmt: skip
        met = np.where(arcs.bye, state.byes[arcs.first], state.meetings.met(arcs))
        return np.asarray(highest + bonus - weight - np.where(met == 0, bonus, 0), np.int64)
