"""What a criterion is: a rule of preference that gives every arc a value in each level."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from pairopt.arcs import Arcs, BoolArray, IntArray
from pairopt.state import State

Label = int | str
NO_PAIRS = np.zeros((0, 2), np.int64)


class Criterion(ABC):
    """One rule of preference; subclasses are frozen dataclasses of their parameters.

    A criterion expands into levels, the most important first, each an integer to minimise
    that is a sum over the arcs of the pairing.
    """

    kind: ClassVar[str]
    needs_sides: ClassVar[bool] = False
    per_player: ClassVar[bool] = False
    """Whether nearly every player differs, so that types would be single players."""

    @abstractmethod
    def labels(self, state: State) -> Sequence[Label]:
        """Names of the levels that some arc of this event can fill, most important first."""

    @abstractmethod
    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        """What each arc adds to each of `labels`, never negative; shape (m, len(labels))."""

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """The players' attributes that `values` reads for matches, each of shape (n,)."""
        return ()

    def bye_attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """The further attributes that it reads for byes."""
        return ()

    def pairs(self, state: State) -> IntArray:
        """The special pairs whose value is not a matter of attributes alone, shape (k, 2)."""
        return NO_PAIRS

    def scale(self, state: State) -> int:
        """What values are multiplied by to be integers (points: the event's `scale`)."""
        return 1

    def offset(self, state: State) -> int:
        """What is added to each level's total, so that arcs never have negative values."""
        return 0

    def magnitude(self, label: Label) -> int:
        """What one unit of a level counts for in a weighted objective."""
        return label if isinstance(label, int) else 1

    @abstractmethod
    def words(self, label: Label) -> str:
        """What a level counts, in plain words."""

    def describe(self) -> str:
        """The rule in plain words, from the class's docstring."""
        return " ".join((self.__doc__ or self.kind).split("\n\n")[0].split())


def one_hot(amounts: IntArray, labels: Sequence[Label]) -> IntArray:
    """1 in the column whose label equals the amount, 0 elsewhere; shape (m, len(labels))."""
    hot: IntArray = (amounts[:, None] == np.asarray(labels, np.int64)[None, :]).astype(np.int64)
    return hot
