"""What a system is: the levels of a round, and what each match of a pairing adds to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pairopt.event.arcs import Arcs
from pairopt.event.state import State
from pairopt.rules.base import Label

Exact = NDArray[np.object_]
"""Python's integers, of any size."""


@dataclass(frozen=True, slots=True)
class Level:
    """One integer to minimise: points or counts are (value + offset) / scale.

    `place` is that of its criterion among the problem's; of levels of a system it only says
    which come first.
    """

    place: int
    criterion: str
    label: Label
    scale: int
    offset: int
    words: str


@dataclass(frozen=True, slots=True)
class Kind:
    """What makes the levels of a round, and what they are in words."""

    of: Callable[[State], System]
    words: tuple[str, ...]


class System(Protocol):
    """The levels of one round."""

    @property
    def name(self) -> str:
        """The system's name in model files."""

    @property
    def levels(self) -> tuple[Level, ...]:
        """All levels in order."""

    def costs(self, arcs: Arcs) -> Exact:
        """What each arc of a whole pairing adds to each level, shape (m, levels)."""


class Words(Protocol):
    """The module `words` of a system."""

    def worse(self, system: Any, index: int, other: Arcs, best: Arcs) -> str:
        """How another whole pairing is worse than the best one in level `index`, the first."""

    def brackets(self, system: Any, state: State, arcs: Arcs) -> Iterable[str]:
        """A sentence for each bracket of a whole pairing."""

    def remarks(self, system: Any, state: State, arcs: Arcs, k: int) -> list[str]:
        """What decided about the match number `k` of a whole pairing."""
