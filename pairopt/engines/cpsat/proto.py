"""Messages: CP-SAT's (cp_model.proto, sat_parameters.proto) filled in and solved directly, without
its modelling layer, which imports pandas: three times as long as all else that a small round needs.
Where their classes are depends on the version of OR-Tools: nothing else here does.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from pairopt.common.budget import Budget
from pairopt.engines.ortools import without_ortools

try:
    from ortools.sat.python import cp_model_helper
except ImportError as error:
    raise without_ortools() from error

helper: Any = cp_model_helper
if hasattr(helper, "CpModelProto"):  # from OR-Tools 9.15 on
    CpModelProto, SatParameters = helper.CpModelProto, helper.SatParameters
else:
    CpModelProto = import_module("ortools.sat.cp_model_pb2").CpModelProto
    SatParameters = import_module("ortools.sat.sat_parameters_pb2").SatParameters

LOWEST, HIGHEST = -(2**63), 2**63 - 1  # no bound of a sum from below or above
STATUSES = ("UNKNOWN", "MODEL_INVALID", "FEASIBLE", "INFEASIBLE", "OPTIMAL")
"""The names of CpSolverStatus by its numbers."""


@dataclass(frozen=True)
class ProtoModelBuilder:
    """A model in the making; variables are numbered from 0 in the order in which they are added."""

    proto: Any = field(default_factory=CpModelProto)

    def variable(self, most: int) -> int:
        """Add an integer from 0 to `most`; its number."""
        variables = self.proto.variables
        variables.add().domain.extend((0, most))
        return len(variables) - 1

    def add(self, terms: list[int], factors: list[int], low: int, high: int) -> None:
        """Hold a sum of variables (numbers in ascending order) times factors within bounds."""
        linear = self.proto.constraints.add().linear
        linear.vars.extend(terms)
        linear.coeffs.extend(factors)
        linear.domain.extend((low, high))

    def at_most_one(self, terms: list[int]) -> None:
        self.proto.constraints.add().at_most_one.literals.extend(terms)

    def exactly_one(self, terms: list[int]) -> None:
        self.proto.constraints.add().exactly_one.literals.extend(terms)

    def minimise(self, terms: list[int], factors: list[int]) -> None:
        """Minimise a sum of variables (numbers in ascending order) times factors."""
        self.proto.objective.scaling_factor = 1.0
        self.proto.objective.vars.extend(terms)
        self.proto.objective.coeffs.extend(factors)

    def hint(self, values: Iterable[int]) -> None:
        """Try these values of the first variables first, instead of earlier ones."""
        told = list(values)
        hint = self.proto.solution_hint
        hint.vars.clear()
        hint.values.clear()
        hint.vars.extend(range(len(told)))
        hint.values.extend(told)


@dataclass(frozen=True)
class SolverResponse:
    """What a solve found: `values` of all variables, where there is a solution."""

    status: str
    values: list[int]
    bound: float


def solve_proto(program: ProtoModelBuilder, parameters: Any) -> SolverResponse:
    wrapper = helper.SolveWrapper()
    wrapper.set_parameters(parameters)
    response = wrapper.solve(program.proto)
    status = STATUSES[int(response.status)]
    if status == "MODEL_INVALID":
        raise AssertionError(helper.CpSatHelper.validate_model(program.proto))
    return SolverResponse(
        status, list(response.solution), response.best_objective_bound
    )


SEARCHES: tuple[dict[str, Any], ...] = (
    {},
    {"cp_model_presolve": False},
    {"search_branching": SatParameters.PORTFOLIO_SEARCH},
    {"optimize_with_lb_tree_search": True},
)
"""Ways to search, taken in turn."""
FIRST_LIMIT = (
    0.2  # the first limit in CP-SAT's deterministic time: about a second a unit
)


def solve_with_growing_limits(
    program: ProtoModelBuilder,
    budget: Budget,
    limit: float = FIRST_LIMIT,
    tries: int | None = None,
) -> Iterator[SolverResponse]:
    """What a solver finds with ever longer limits, each time in another way, until time is up or
    after so many tries: luck makes milliseconds of minutes. Limits are of deterministic time, so
    that every machine makes the same run.
    """
    for attempt in range(tries) if tries else itertools.count():
        if budget.is_over:
            return
        parameters = make_parameters(budget, attempt)
        parameters.max_deterministic_time = limit * 2 ** (attempt // len(SEARCHES))
        yield solve_proto(program, parameters)


def find_feasible(program: ProtoModelBuilder, budget: Budget) -> SolverResponse:
    """Solve a program without objective; the status is "UNKNOWN" when the budget's time is up."""
    found = solve_with_growing_limits(program, budget, 4 * FIRST_LIMIT)
    return next(
        (each for each in found if each.status != "UNKNOWN"),
        SolverResponse("UNKNOWN", [], 0),
    )


def make_parameters(budget: Budget, attempt: int) -> Any:
    parameters = SatParameters()
    set_deterministic_parameters(parameters, budget, attempt)
    for name, value in SEARCHES[attempt % len(SEARCHES)].items():
        setattr(parameters, name, value)
    return parameters


def set_deterministic_parameters(
    parameters: Any, budget: Budget, attempt: int = 0
) -> None:
    """Make a solve repeatable and exact, and give it the time that is left."""
    # it would take Ctrl-C from a program that solves beside other work, and never give it back
    parameters.catch_sigint_signal = False
    parameters.num_workers = budget.workers
    parameters.interleave_search = budget.workers > 1  # repeatable with several
    parameters.random_seed = (budget.seed + attempt) % 2**31
    # measured: without these the class model takes seconds where it now takes milliseconds
    parameters.linearization_level = 2
    parameters.cp_model_probing_level = 0
    parameters.symmetry_level = 0
    # the gap is taken in floating point: any but 0 calls large objectives optimal too early
    parameters.absolute_gap_limit = 0.0
    parameters.relative_gap_limit = 0.0
    if (left := budget.seconds_left()) is not None:
        parameters.max_time_in_seconds = max(left, 0)
