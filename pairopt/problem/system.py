"""What a system is: the levels of a round that are not those of criteria, and its words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pairopt.errors import UsageError
from pairopt.registry import ExtensionRegistry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pairopt.event.arcs import Arcs, BoolArray, IntArray
    from pairopt.event.state import State
    from pairopt.messages import Message, Note
    from pairopt.rules.base import Label

    Exact = NDArray[np.object_]
    """Python's integers, of any size."""


class Level(NamedTuple):
    """One integer to minimise: points or counts are (value + offset) / scale. `place` is that of
    its criterion among the problem's; of levels of a system it only says which come first.
    """

    place: int
    criterion: str
    label: Label
    scale: int
    offset: int
    words: str


class LevelSums(NamedTuple):
    """Levels that come together: `costs` gives what arcs add, shape (m, levels). With `weights`
    they are one level, the sum by these. `own` is the one player whose matches count, as a position
    in the state, BYE for the bye; None where others count, too.
    """

    levels: tuple[Level, ...]
    costs: Callable[[Arcs], IntArray]
    weights: tuple[int, ...] | None = None
    own: int | None = None


class SystemAgreement(NamedTuple):
    """How many matches of a pairing agree, up to the bracket in which one is found that does not.
    `score` is that bracket's, None where it is the bye.
    """

    matches: int
    whole: bool
    score: int | None = None


class System(ABC):
    """The levels of one round, `kind` as in model files, and what is said of its pairings."""

    kind: ClassVar[str]
    description: ClassVar[tuple[str, ...]]

    @classmethod
    @abstractmethod
    def of(cls, state: State) -> System:
        """The system of a round. Raises InputError where the event does not say what it needs."""

    @property
    @abstractmethod
    def levels(self) -> tuple[Level, ...]:
        """All levels in order."""

    @abstractmethod
    def costs(self, arcs: Arcs) -> Exact:
        """What each arc of a whole pairing adds to each level, shape (m, levels)."""

    def totals(self, arcs: Arcs) -> list[int]:
        """What a whole pairing has of each level."""
        return [sum(column) for column in self.costs(arcs).T.tolist()]

    def summed(self, arcs: Arcs) -> Iterable[LevelSums]:
        """The levels as sums over arcs, in order, for a proof: what arcs add among pairings that
        are as good in all levels before. Raises UsageError where the system does not say that.
        """
        raise UsageError("system.no_proof", system=self.kind)

    @abstractmethod
    def worse(self, index: int, state: State, other: Arcs, best: Arcs) -> Note:
        """How another whole pairing is worse than the best one in level `index`, the first."""

    def foretells(self, index: int, one: Arcs, other: Arcs) -> bool:
        """Whether level `index` is of a bracket that two pairings pair alike. They can differ in it
        all the same where it looks ahead, at what comes in the next one.
        """
        return False

    def looks_from(self, index: int, arcs: Arcs) -> BoolArray | None:
        """The arcs made in the bracket of level `index` and above; None unless it looks ahead."""
        return None

    @abstractmethod
    def brackets(self, state: State, arcs: Arcs) -> Iterable[str]:
        """A sentence for each bracket of a whole pairing."""

    @abstractmethod
    def remarks(self, state: State, arcs: Arcs, k: int) -> Sequence[str | Note]:
        """What decided about the match number `k` of a whole pairing."""

    def side_told(self, state: State, one: int, two: int) -> Message | None:
        """Why the first of two players has the first side, None where it does not say so."""
        return None


SYSTEMS: ExtensionRegistry[type[System]] = ExtensionRegistry(
    "pairopt.fide", System, "pairopt.systems"
)
"""The systems by their kinds."""
