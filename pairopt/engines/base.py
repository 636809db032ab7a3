"""Types that all engines share: abilities, options, solutions."""

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
Progress = Callable[[int, int], None]
"""Called with the index and the optimal value of each level when it is solved."""
CHANGED = "program"
"""The engine name of a result whose integer program the user changed."""


class EngineError(PairoptError):
    """A claim of an engine that does not hold: a bug, never a fault of the input."""


class UnsupportedError(UsageError):
    """Raised for a request that this engine cannot express, although another may."""


def require_integers(
    total: int, limit: int, kind: str = "engine.large_weights"
) -> None:
    """Raise UnsupportedError if a weighted sum may exceed an engine's integers.

    `total` is the largest sum that is possible, `limit` the largest that the engine can
    hold, and `kind` the message id of the error, which states both in bits.
    """
    if total <= limit:
        return

    needed_bits = total.bit_length()
    limit_bits = (limit - 1).bit_length()
    raise UnsupportedError(kind, bits=needed_bits, most=limit_bits)


@dataclass(frozen=True, slots=True)
class EngineAbilities:
    """Abilities that an engine declares, as `ABILITIES` of its package.

    Attributes
    ----------
    exact : bool
        Whether the engine proves that its pairings are optimal.
    weighted : bool
        Whether the engine can minimise one weighted sum of all levels.
    lookahead : bool
        Whether the engine can pair the round so that further rounds stay possible.
    brackets : bool
        Its module `engine` has a `settle` that solves the levels of the brackets of a
        pairing system, see `LevelMinimizer`.

    Examples
    --------
    >>> ABILITIES = EngineAbilities(exact=True, weighted=True)
    """

    exact: bool = False
    weighted: bool = False
    lookahead: bool = False
    brackets: bool = False


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Options of a solve that do not depend on the problem.

    Attributes
    ----------
    objective : {"lexicographic", "weighted"}
        Minimise the levels in order, or one weighted sum of them.
    formulation : {"classes", "pairs"}
        What a variable of CP-SAT stands for: a class of exchangeable pairs, or one
        pair.
    budget : Budget
        The deadline, the seed and the number of threads.
    progress : callable, optional
        Called with the index and the optimal value of each level when it is solved.

    Examples
    --------
    >>> EngineOptions(budget=Budget(seed=7)).objective
    'lexicographic'
    """

    objective: Objective = "lexicographic"
    formulation: Formulation = "classes"
    budget: Budget = Budget()
    progress: Progress | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RemainingPairs:
    """The pairs that optimal pairings of a small field can consist of.

    An optimal pairing uses only `columns`, single pairs, that are `alive`. `cost`,
    shape (columns,), combines all levels into one integer: the pairings of least total
    cost are the optimal ones.
    """

    columns: AllowedArcs
    alive: BoolArray
    cost: IntArray | NDArray[object_]


@dataclass(frozen=True, slots=True)
class Solution:
    """A pairing, with the lower bounds that the engine claims to have proven.

    Attributes
    ----------
    status : {"optimal", "feasible", "infeasible", "unknown", "heuristic"}
        The engine's claim about the pairing, or about the round if there is no pairing.
    arcs : Arcs or None
        The pairing, None if there is none.
    bounds : tuple of (int or None)
        A lower bound of each level, given that all earlier levels are equal to their
        bounds. None if no bound is known. For a weighted sum, the only bound is that of
        the sum.
    further : tuple of Arcs
        A pairing of each further round, with a lookahead.
    parts : tuple of str
        The engines that took part, if this one is composed of others.
    handed : int or None
        The number of levels that the first of these had proven when the next one took
        over.
    called : bool
        False if a pairing system left no levels to solve.
    blocks : int
        The number of weighted sums that were minimised one after another, because one
        would have exceeded the integers of the solver.
    left : RemainingPairs or None
        The pairs of optimal pairings, for a small field.

    Examples
    --------
    >>> Solution("infeasible", None, ()).further
    ()
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
        """Return the solution of a solve in which the first levels have bounds.

        Parameters
        ----------
        known : sequence of int
            The proven lower bounds of the first levels.
        levels : int
            The number of levels of the problem.
        arcs : Arcs or None
            The best pairing, None if there is none.
        stopped : bool
            Whether the time was up before all levels were solved.
        left : RemainingPairs or None
            The pairs of optimal pairings, for a small field.
        parts : tuple of str
            The engines that took part.

        Returns
        -------
        Solution
            It is "unknown" without a pairing, otherwise "feasible" if stopped, or
            "optimal".
        """
        bounds_by_level = (*known, *[None] * (levels - len(known)))
        solution_status: Status = "optimal"
        if arcs is None:
            solution_status = "unknown"
        elif stopped:
            solution_status = "feasible"
        return Solution(solution_status, arcs, bounds_by_level, parts=parts, left=left)


class Engine(Protocol):
    """The module `engine` of an engine's package, which also declares `ABILITIES`.

    It may have a function `solve_all`, too, which solves several problems in one call.

    Examples
    --------
    A package `first_pairing` with the module `engine`:

        def solve(problem: Problem, options: EngineOptions) -> Solution:
            arcs = ...
            return Solution("heuristic", arcs, (None,) * len(problem.levels))
    """

    def solve(self, problem: Problem, options: EngineOptions) -> Solution:
        """Pair the round of a problem.

        Parameters
        ----------
        problem : Problem
            The state of the event, the constraints and the levels.
        options : EngineOptions
            The objective, the budget and the report of progress.

        Returns
        -------
        Solution
            The pairing and the bounds that the engine claims; pairopt verifies the
            pairing.

        Raises
        ------
        UnsupportedError
            If the engine cannot express the problem.
        """


@dataclass(frozen=True, slots=True)
class LevelOptimum:
    """The optimal values of all levels, and the columns of a pairing that attains them.

    `used` holds positions in the columns, one for each match and for the bye.
    """

    values: tuple[int, ...]
    used: IntArray


class LevelMinimizer(Protocol):
    """A function that minimises the levels of single pairs in order.

    Each exact engine has one, `settle` in its module `engine`. It takes the pairs, the
    known optimal values of the first levels, a pairing that attains them, and the
    budget. It returns the optimal values of all levels and the pairs used, or None if
    there is no pairing.

    Examples
    --------
    The optimum of all pairs of a round:

        optimum = settle(all_pairs(problem), (), None, options.budget)
    """

    def __call__(
        self,
        columns: AllowedArcs,
        values: tuple[int, ...],
        used: IntArray | None,
        budget: Budget,
    ) -> LevelOptimum | None:
        """Minimise all levels in order.

        Parameters
        ----------
        columns : AllowedArcs
            The pairs that may be used, each with its cost in every level.
        values : tuple of int
            The optimal values of the first levels, if they are known.
        used : integer array or None
            The positions in `columns` of a pairing that attains these values.
        budget : Budget
            The deadline and the seed.

        Returns
        -------
        LevelOptimum or None
            None if the columns have no pairing.

        Raises
        ------
        TimeUpError
            If the deadline passes.
        """


class PairingSystem(System):
    """A pairing system, such as FIDE Dutch, that pairs a round bracket by bracket.

    Examples
    --------
    A system whose `solve` orders the players and pairs neighbours:

        class KingOfTheHill(PairingSystem):
            def solve(self, problem, options, settle):
                order = np.argsort(-problem.state.score, kind="stable")
                ...
    """

    @abstractmethod
    def solve(
        self, problem: Problem, options: EngineOptions, settle: LevelMinimizer
    ) -> Solution:
        """Pair the round by the system's rules.

        Parameters
        ----------
        problem : Problem
            The round to pair.
        options : EngineOptions
            The budget and the report of progress.
        settle : LevelMinimizer
            Minimises the levels of a bracket with an engine.

        Returns
        -------
        Solution
            The one pairing of the system.

        Raises
        ------
        TimeUpError
            If the deadline passes.
        """

    def agreeing(
        self,
        problem: Problem,
        options: EngineOptions,
        settle: LevelMinimizer,
        arcs: Arcs,
        start: int | None = None,
    ) -> SystemAgreement:
        """Measure how far a pairing agrees with the system's, whatever the sides are.

        Parameters
        ----------
        problem : Problem
            The round to pair.
        options : EngineOptions
            The budget.
        settle : LevelMinimizer
            Minimises the levels of a bracket with an engine.
        arcs : Arcs
            The pairing to compare.
        start : int, optional
            The score of the bracket that is compared first. Otherwise the bye comes
            first, then each bracket from the top. The method of this base class
            ignores it, and counts all pairs that both pairings have.

        Returns
        -------
        SystemAgreement
            How much of the pairing is the system's, and whether all of it is.

        Raises
        ------
        TimeUpError
            If the deadline passes.
        """
        system_arcs = self.solve(problem, options, settle).arcs
        if system_arcs is None:
            return SystemAgreement(0, False)
        compared_pairs = set(map(frozenset, arcs.pairs))
        system_pairs = set(map(frozenset, system_arcs.pairs))
        return SystemAgreement(
            len(compared_pairs & system_pairs), compared_pairs == system_pairs
        )


def pairing_system(problem: Problem) -> PairingSystem | None:
    """Return the pairing system of a problem, None if criteria define its levels.

    Raises UnsupportedError for a system that declares levels but is no `PairingSystem`,
    so that it cannot pair a round.
    """
    system = problem.system
    if system is None or isinstance(system, PairingSystem):
        return system
    raise UnsupportedError("system.no_pairing", system=system.kind)


class BracketEngine(Engine, Protocol):
    """An engine that can also solve the levels of a bracket (ability `brackets`)."""

    settle: LevelMinimizer


__getattr__ = moved_names(
    __name__,
    {
        "Abilities": "pairopt.engines.base:EngineAbilities",
        "Options": "pairopt.engines.base:EngineOptions",
        "Settle": "pairopt.engines.base:LevelMinimizer",
    },
)
