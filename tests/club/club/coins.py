"""World `coins`: each player wins a game with probability 1/2; there are no draws."""

from __future__ import annotations

import numpy as np

from pairopt.extend import Chances, Games


def coins(met: Games) -> Chances:
    """Return the probabilities that player `one` wins, and of a draw."""
    return np.full(len(met.one), 0.5), np.zeros(len(met.one))
