"""System: levels of a round that do not come from criteria, and texts about them."""

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
    """One integer to minimise: points or counts are (value + offset) / scale.

    `place` is that of its criterion among the problem's; in a system it gives the
    order.
    """

    place: int
    criterion: str
    label: Label
    scale: int
    offset: int
    words: str


class LevelSums(NamedTuple):
    """Levels that are computed together; `costs` gives what each arc adds.

    It has shape (m, levels). With `weights` they are one level, the sum by these. `own`
    is the one player whose matches count, as a position in the state, BYE for the bye;
    None if others count, too.
    """

    levels: tuple[Level, ...]
    costs: Callable[[Arcs], IntArray]
    weights: tuple[int, ...] | None = None
    own: int | None = None


class SystemAgreement(NamedTuple):
    """How far two pairings of a system agree, bracket by bracket from the top.

    `matches` is the number of matches that agree, up to the first bracket that does
    not. `whole` is whether all agree. `score` is that of the first other bracket, None
    where it is the bye.
    """

    matches: int
    whole: bool
    score: int | None = None


class System(ABC):
    """A pairing system: the levels of one round, and texts about its pairings.

    `kind` is its name in model files, and `description` says its rules in sentences.
    """

    kind: ClassVar[str]
    description: ClassVar[tuple[str, ...]]

    @classmethod
    @abstractmethod
    def of(cls, state: State) -> System:
        """Return the system for the round of `state`.

        Raises InputError if the event lacks data that the system needs.
        """

    @property
    @abstractmethod
    def levels(self) -> tuple[Level, ...]:
        """All levels in order of priority."""

    @abstractmethod
    def costs(self, arcs: Arcs) -> Exact:
        """Return what each arc of a whole pairing adds to each level.

        Shape (m, levels).
        """

    def totals(self, arcs: Arcs) -> list[int]:
        """Return the total of each level for a whole pairing, the sum of its costs."""
        return [sum(level_costs) for level_costs in self.costs(arcs).T.tolist()]

    def summed(self, arcs: Arcs) -> Iterable[LevelSums]:
        """Return the levels as sums over arcs, in order, for a proof.

        They hold among pairings that are as good in all earlier levels. Raises
        UsageError where the system does not give such sums.
        """
        raise UsageError("system.no_proof", system=self.kind)

    @abstractmethod
    def worse(self, index: int, state: State, other: Arcs, best: Arcs) -> Note:
        """Return a message on how `other` is worse than `best` in level `index`.

        Both are whole pairings, and it is the first level in which they differ.
        """

    def foretells(self, index: int, one: Arcs, other: Arcs) -> bool:
        """Return whether level `index` is of a bracket that both pairings pair alike.

        They can differ in it where the level looks ahead, at the next bracket.
        """
        return False

    def looks_from(self, index: int, arcs: Arcs) -> BoolArray | None:
        """Return which arcs are made in the bracket of level `index` and above.

        None if the level does not look ahead, as in the base class.
        """
        return None

    @abstractmethod
    def brackets(self, state: State, arcs: Arcs) -> Iterable[str]:
        """Return a sentence for each bracket of a whole pairing."""

    @abstractmethod
    def remarks(self, state: State, arcs: Arcs, k: int) -> Sequence[str | Note]:
        """Return what decided about match `k` of a whole pairing, as messages.

        `k` is the position of the match in `arcs`.
        """

    def side_told(self, state: State, one: int, two: int) -> Message | None:
        """Return why player `one` has the first side against `two`, None if unknown.

        Both are positions in the state. The base class returns None.
        """
        return None


SYSTEMS: ExtensionRegistry[type[System]] = ExtensionRegistry(
    "pairopt.fide", System, "pairopt.systems"
)
"""The systems by their kinds."""
