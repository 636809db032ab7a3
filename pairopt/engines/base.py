"""What an engine declares, what it is given, and what it hands back to be checked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from pairopt.common.budget import Budget
from pairopt.common.old_paths import moved_names
from pairopt.errors import PairoptError, UsageError
from pairopt.problem.system import System, SystemAgreement

if TYPE_CHECKING:
    from numpy import object_
    from numpy.typing import NDArray

    from pairopt.engines.allowed_arcs import AllowedArcs
    from pairopt.event.arcs import Arcs, BoolArray, IntArray
    from pairopt.problem.model_file import Objective
    from pairopt.problem.options import Formulation
    from pairopt.problem.problem import Problem

Status = Literal["optimal", "feasible", "infeasible", "unknown", "heuristic"]
Progress = Callable[
    [int, int], None
]  # told the index and the value of each level as it is settled
CHANGED = "program"  # the engine of a result that keeps constraints or levels of somebody's own


class EngineError(PairoptError):
    """An engine's claim does not hold: a bug, never the input's fault."""


class UnsupportedError(UsageError):
    """An engine cannot express what it is asked for; another one may."""


def require_integers(
    total: int, limit: int, kind: str = "engine.large_weights"
) -> None:
    """Raise UnsupportedError, of this kind, if a weighted sum may exceed an engine's integers."""
    if total <= limit:
        return

    bits = total.bit_length()
    most = (limit - 1).bit_length()
    raise UnsupportedError(kind, bits=bits, most=most)


@dataclass(frozen=True, slots=True)
class EngineAbilities:
    """What an engine can do: prove its pairings, minimise one weighted sum, keep room for further
    rounds, and settle the levels of brackets, for systems.
    """

    exact: bool = False
    weighted: bool = False
    lookahead: bool = False
    brackets: bool = False


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How to solve."""

    objective: Objective = "lexicographic"
    formulation: Formulation = "classes"
    budget: Budget = Budget()
    progress: Progress | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RemainingPairs:
    """The single pairs that optimal pairings consist of.

    An optimal pairing uses only columns that are `alive`. `cost` has one number for each column;
    comparing sums of it compares all levels in order.
    """

    columns: AllowedArcs
    alive: BoolArray
    cost: IntArray | NDArray[object_]


@dataclass(frozen=True, slots=True)
class Solution:
    """What an engine claims. A level's bound is what it cannot be below given that the earlier ones
    are at theirs, None where nothing is known; of a weighted model in one objective the first is
    that of the sum, the only one. `further` are the rounds of the lookahead. `parts` are the
    engines asked by one made of others, `handed` the levels that the first had proven when the next
    one took over; `called` is False where a system left nothing to settle. `blocks` is the number
    of weighted sums that were minimised one after another, where one would not fit.
    """

    status: Status
    arcs: Arcs | None
    bounds: tuple[int | None, ...]
    further: tuple[Arcs, ...] = ()
    parts: tuple[str, ...] = ()
    handed: int | None = None
    called: bool = True
    blocks: int = 1
    left: RemainingPairs | None = field(default=None, compare=False, repr=False)

    @staticmethod
    def of(
        known: Sequence[int],
        levels: int,
        arcs: Arcs | None,
        stopped: bool,
        left: RemainingPairs | None = None,
        parts: tuple[str, ...] = (),
    ) -> Solution:
        """What is known of the first of so many levels, and whether that was `stopped`."""
        bounds = (*known, *[None] * (levels - len(known)))
        status: Status = (
            "unknown" if arcs is None else "feasible" if stopped else "optimal"
        )
        return Solution(status, arcs, bounds, parts=parts, left=left)


class Engine(Protocol):
    """A module `engine` in a package here that has `ABILITIES`; it may have `solve_all`, too."""

    def solve(self, problem: Problem, options: EngineOptions) -> Solution:
        """Pair the round. Raises UnsupportedError for what the engine cannot express."""


@dataclass(frozen=True, slots=True)
class LevelOptimum:
    """The optimal values of all levels of columns, and the columns of a pairing that has them."""

    values: tuple[int, ...]
    used: IntArray


class LevelMinimizer(Protocol):
    """Minimises levels in order, of columns that are single pairs."""

    def __call__(
        self,
        columns: AllowedArcs,
        values: tuple[int, ...],
        used: IntArray | None,
        budget: Budget,
    ) -> LevelOptimum | None:
        """All levels, of which the first have these values, as the pairing `used` shows. None where
        there is no pairing. Raises TimeUpError when the deadline passes.
        """


class PairingSystem(System):
    """A system with how a round is paired by it."""

    @abstractmethod
    def solve(
        self, problem: Problem, options: EngineOptions, settle: LevelMinimizer
    ) -> Solution:
        """Pair the round, each bracket's levels settled by an engine."""

    def agreeing(
        self,
        problem: Problem,
        options: EngineOptions,
        settle: LevelMinimizer,
        arcs: Arcs,
        start: int | None = None,
    ) -> SystemAgreement:
        """How far a whole pairing is the system's own, whoever has which side: the bye, then each
        bracket from the top, but that of the score `start` first of all. Raises TimeUpError.
        """
        if (found := self.solve(problem, options, settle).arcs) is None:
            return SystemAgreement(0, False)
        own, other = ({*map(frozenset, each.pairs)} for each in (arcs, found))
        return SystemAgreement(len(own & other), own == other)


def pairing_system(problem: Problem) -> PairingSystem | None:
    """None where levels are those of criteria. Raises UnsupportedError where none pairs by it."""
    system = problem.system
    if system is None or isinstance(system, PairingSystem):
        return system
    raise UnsupportedError("system.no_pairing", system=system.kind)


class BracketEngine(Engine, Protocol):
    """An engine that settles the levels of brackets."""

    settle: LevelMinimizer


__getattr__ = moved_names(
    __name__,
    {
        "Abilities": "pairopt.engines.base:EngineAbilities",
        "Options": "pairopt.engines.base:EngineOptions",
        "Settle": "pairopt.engines.base:LevelMinimizer",
    },
)
