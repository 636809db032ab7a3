"""Constraint `lookahead`."""

from dataclasses import dataclass

import numpy as np

from pairopt.arcs import Arcs, BoolArray
from pairopt.constraints.base import Constraint
from pairopt.state import State


@dataclass(frozen=True)
class Lookahead(Constraint):
    """After this round the pairs still unplayed hold so many more rounds without a rematch.

    For the active players; in an odd field the bye is one more player, met by whoever had
    one. This is no matter of single arcs: all are legal here, the engine sees to the rest and
    hands the further rounds back for the checker.
    """

    kind = "lookahead"

    rounds: int

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise ValueError("Expected lookahead >= 1.")

    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        return np.ones(len(arcs), np.bool_)
