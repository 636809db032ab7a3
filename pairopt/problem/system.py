"""What a system is: the levels of a round that are not those of criteria, and who pairs by them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pairopt.errors import UsageError
from pairopt.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pairopt.engines.base import Options, Settle, Solution
    from pairopt.event.arcs import Arcs, BoolArray
    from pairopt.event.state import State
    from pairopt.problem.problem import Problem
    from pairopt.problem.summed import Summed
    from pairopt.rules.base import Label

    Exact = NDArray[np.object_]
    """Python's integers, of any size."""


class Level(NamedTuple):
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


class Agreement(NamedTuple):
    """How many matches of a pairing agree, before one is found that does not: then all do.

    `score` is that of the bracket that is paired otherwise, None where it is the bye.
    """

    matches: int
    whole: bool
    score: int | None = None


class System(ABC):
    """The levels of one round, how it is paired by them, and what is said of its pairings.

    `kind` is the name in model files; `description` has the levels in order, in words.
    """

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

    def summed(self, arcs: Arcs) -> Iterable[Summed]:
        """The levels as sums over arcs, in order, for a proof.

        Each is what its arcs add among pairings that are as good as these in all levels before.
        Raises UsageError where the system does not say that.
        """
        raise UsageError("system.no_proof", system=self.kind)

    @abstractmethod
    def solve(self, problem: Problem, options: Options, settle: Settle) -> Solution:
        """Pair the round, each bracket's levels settled by an engine."""

    def agreeing(
        self,
        problem: Problem,
        options: Options,
        settle: Settle,
        arcs: Arcs,
        start: int | None = None,
    ) -> Agreement:
        """How far a whole pairing is the system's own, whoever has which side.

        Of a system with brackets the bye comes first, then each bracket as it is after those above
        it, from the top; but that of the score `start` before all others. Raises TimeUpError.
        """
        found = self.solve(problem, options, settle).arcs
        if found is None:
            return Agreement(0, False)
        own, other = ({*map(frozenset, each.pairs)} for each in (arcs, found))
        return Agreement(len(own & other), own == other)

    @abstractmethod
    def worse(self, index: int, state: State, other: Arcs, best: Arcs) -> str:
        """How another whole pairing is worse than the best one in level `index`, the first."""

    def foretells(self, index: int, one: Arcs, other: Arcs) -> bool:
        """Whether level `index` is of a bracket that two pairings pair alike.

        They can differ in it all the same where it looks ahead, at what comes in the next one.
        """
        return False

    def looks_from(self, index: int, arcs: Arcs) -> BoolArray | None:
        """The arcs made in the bracket of level `index` and above; None unless it looks ahead."""
        return None

    @abstractmethod
    def brackets(self, state: State, arcs: Arcs) -> Iterable[str]:
        """A sentence for each bracket of a whole pairing."""

    @abstractmethod
    def remarks(self, state: State, arcs: Arcs, k: int) -> list[str]:
        """What decided about the match number `k` of a whole pairing."""


SYSTEMS: Registry[System] = Registry(None, System, group="pairopt.systems")  # type: ignore[type-abstract]
"""The systems by their kinds; `pairopt` says in which packages they are."""
