"""What a constraint is: a rule that says which arcs are legal."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from pairopt.arcs import Arcs, BoolArray, IntArray
from pairopt.state import State

NO_PAIRS = np.zeros((0, 2), np.int64)


class Constraint(ABC):
    """One rule that may never be broken; subclasses are frozen dataclasses.

    In a model file the table `[constraints]` holds `kind = value`; the value is `true` for a
    rule without parameter, else it goes to the one field of the class.
    """

    kind: ClassVar[str]
    needs_sides: ClassVar[bool] = False
    option: ClassVar[str | None] = None
    """The command line option that makes it, for rules that no model file can hold."""

    @abstractmethod
    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """True where the rule allows the arc, shape (m,)."""

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """The players' attributes that `legal` reads for matches, each of shape (n,)."""
        return ()

    def bye_attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """The further attributes that it reads for byes."""
        return ()

    def pairs(self, state: State) -> IntArray:
        """The special pairs whose legality is not a matter of attributes, shape (k, 2)."""
        return NO_PAIRS

    def in_common(self, state: State, players: Sequence[int]) -> str:
        """What the rule holds against so many of these players, in words; "" for nothing."""
        return ""

    def describe(self) -> str:
        """The rule in plain words, from the class's docstring."""
        return " ".join((self.__doc__ or self.kind).split("\n\n")[0].split())
