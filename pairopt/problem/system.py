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
    """One objective level: an integer to minimise.

    The points or counts that people see are (value + offset) / scale. `criterion` is
    the kind of its criterion, `label` tells the levels of a criterion apart, and
    `words` says what the level counts. `place` is the position of its criterion in the
    problem; in a system it gives the order.
    """

    place: int
    criterion: str
    label: Label
    scale: int
    offset: int
    words: str


class LevelSums(NamedTuple):
    """Levels that are computed together; `costs` returns what each arc adds to them.

    The costs have shape (m, levels). With `weights` the levels are one level, their sum
    by these weights. `own` is the one player whose matches count, as a position in the
    state, or BYE for the bye; None if all matches count.
    """

    levels: tuple[Level, ...]
    costs: Callable[[Arcs], IntArray]
    weights: tuple[int, ...] | None = None
    own: int | None = None


class SystemAgreement(NamedTuple):
    """How far a pairing agrees with the pairing of a system, whatever the sides are.

    The bye is compared first, then each bracket from the top, until one differs.
    `matches` is the number of equal matches up to and including that bracket. `whole`
    is whether everything agrees; `matches` then counts all matches and the bye. `score`
    is the score of the bracket that differs, None if the bye differs, if the system has
    no pairing or if everything agrees.
    """

    matches: int
    whole: bool
    score: int | None = None


class System(ABC):
    """Base of pairing systems: the levels of one round, and texts about its pairings.

    `kind` is its name in model files, and `description` has its rules in sentences.
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
        """Return the total of each level for a whole pairing, the sum of its costs.

        The totals are Python integers, in the order of `levels`.
        """
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

        `index` is a position in `levels`, of the first level in which the two pairings
        differ. Both are whole pairings of the round of `state`.
        """

    def foretells(self, index: int, one: Arcs, other: Arcs) -> bool:
        """Return whether two pairings agree in the bracket of level `index`.

        `one` and `other` are whole pairings, and `index` is a position in `levels`. If
        they agree, they can still differ in this level if it looks ahead, at the next
        bracket. The base class returns False.
        """
        return False

    def looks_from(self, index: int, arcs: Arcs) -> BoolArray | None:
        """Return which arcs are in the bracket of level `index` or above, shape (m,).

        `arcs` are a whole pairing, and `index` is a position in `levels`. The result is
        None if the level does not look ahead; the base class returns None.
        """
        return None

    @abstractmethod
    def brackets(self, state: State, arcs: Arcs) -> Iterable[str]:
        """Return a line of text for each bracket of a whole pairing, from the top.

        Brackets without players have no line. The pairing of the round of `state` is
        `arcs`.
        """

    @abstractmethod
    def remarks(self, state: State, arcs: Arcs, k: int) -> Sequence[str | Note]:
        """Return what decided about match `k` of a whole pairing, as messages.

        `k` is the position of the match in `arcs`, from 0. There may be no message.
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
