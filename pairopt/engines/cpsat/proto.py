"""CP-SAT's messages, built and solved directly (cp_model.proto, sat_parameters.proto).

The modelling layer of OR-Tools imports pandas, which takes three times as long as
everything else that a small round needs. Where the classes of the messages are depends
on the version of OR-Tools; only this module knows it.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from pairopt.common.budget import Budget
from pairopt.engines.ortools import make_ortools_error

try:
    from ortools.sat.python import cp_model_helper
except ImportError as error:
    raise make_ortools_error() from error

helper: Any = cp_model_helper
if hasattr(helper, "CpModelProto"):  # from OR-Tools 9.15 on
    CpModelProto, SatParameters = helper.CpModelProto, helper.SatParameters
else:
    CpModelProto = import_module("ortools.sat.cp_model_pb2").CpModelProto
    SatParameters = import_module("ortools.sat.sat_parameters_pb2").SatParameters

LOWEST, HIGHEST = -(2**63), 2**63 - 1
"""Bounds of a sum that is not bounded from below or above."""
STATUSES = ("UNKNOWN", "MODEL_INVALID", "FEASIBLE", "INFEASIBLE", "OPTIMAL")
"""The names of CpSolverStatus by its numbers."""


@dataclass(frozen=True)
class ProtoModelBuilder:
    """A builder of a CP-SAT model, which is the protocol message `proto`.

    Its methods change the message in place. Variables are integers, numbered from 0 in
    the order in which they are added; constraints refer to them by these numbers.
    """

    proto: Any = field(default_factory=CpModelProto)

    def variable(self, most: int) -> int:
        """Add an integer variable from 0 to `most`, and return its number."""
        variable_protos = self.proto.variables
        variable_protos.add().domain.extend((0, most))
        return len(variable_protos) - 1

    def add(self, terms: list[int], factors: list[int], low: int, high: int) -> None:
        """Add the constraint that a sum of variables times factors is within bounds.

        `terms` are the numbers of the variables, in ascending order. The sum is from
        `low` to `high`, both included; LOWEST and HIGHEST stand for no bound.
        """
        linear_constraint = self.proto.constraints.add().linear
        linear_constraint.vars.extend(terms)
        linear_constraint.coeffs.extend(factors)
        linear_constraint.domain.extend((low, high))

    def at_most_one(self, terms: list[int]) -> None:
        """Add the constraint that at most one Boolean is true.

        `terms` are the numbers of the variables, which are from 0 to 1.
        """
        self.proto.constraints.add().at_most_one.literals.extend(terms)

    def exactly_one(self, terms: list[int]) -> None:
        """Add the constraint that exactly one Boolean is true.

        `terms` are the numbers of the variables, which are from 0 to 1. If there are
        none, the model has no solution.
        """
        self.proto.constraints.add().exactly_one.literals.extend(terms)

    def minimise(self, terms: list[int], factors: list[int]) -> None:
        """Set the objective: minimise a sum of variables times factors.

        `terms` are the numbers of the variables, in ascending order. Call it once: a
        second call would add its terms to those of the first.
        """
        self.proto.objective.scaling_factor = 1.0
        self.proto.objective.vars.extend(terms)
        self.proto.objective.coeffs.extend(factors)

    def hint(self, values: Iterable[int]) -> None:
        """Set the values of the first variables that the search tries first.

        `values` has one for each of these variables. An earlier hint is replaced.
        """
        hinted_values = list(values)
        solution_hint = self.proto.solution_hint
        solution_hint.vars.clear()
        solution_hint.values.clear()
        solution_hint.vars.extend(range(len(hinted_values)))
        solution_hint.values.extend(hinted_values)


@dataclass(frozen=True)
class SolverResponse:
    """The response of one CP-SAT solve.

    `status` is a name of `STATUSES`, for example "OPTIMAL" or "UNKNOWN". `values` holds
    the value of each variable in the solution, and is empty without one. `bound` is a
    lower bound of the objective, in floating point, and means nothing without an
    objective.
    """

    status: str
    values: list[int]
    bound: float


def solve_proto(program: ProtoModelBuilder, parameters: Any) -> SolverResponse:
    """Solve a CP-SAT model once with these parameters, and return the response.

    `program` holds the model, and `parameters` is a SatParameters message. Without a
    solution, as for "INFEASIBLE" or "UNKNOWN", the response has no values. Raises
    AssertionError for a model that CP-SAT calls invalid.
    """
    solve_wrapper = helper.SolveWrapper()
    solve_wrapper.set_parameters(parameters)
    response = solve_wrapper.solve(program.proto)
    status_name = STATUSES[int(response.status)]
    if status_name == "MODEL_INVALID":
        raise AssertionError(helper.CpSatHelper.validate_model(program.proto))
    return SolverResponse(
        status_name, list(response.solution), response.best_objective_bound
    )


SEARCHES: tuple[dict[str, Any], ...] = (
    {},
    {"cp_model_presolve": False},
    {"search_branching": SatParameters.PORTFOLIO_SEARCH},
    {"optimize_with_lb_tree_search": True},
)
"""Parameters of different searches, taken in turn."""
FIRST_LIMIT = 0.2
"""The first limit, in CP-SAT's deterministic time: about a second per unit."""


def solve_with_growing_limits(
    program: ProtoModelBuilder,
    budget: Budget,
    limit: float = FIRST_LIMIT,
    tries: int | None = None,
) -> Iterator[SolverResponse]:
    """Solve a model again and again, with another search each time and longer limits.

    A different search often takes milliseconds instead of minutes. Yields each
    response, also after an optimal one: the caller stops. Ends when time is up, or
    after so many `tries` (None or 0: no limit). The first `limit` doubles after each
    turn through `SEARCHES`. Limits are in CP-SAT's deterministic time, so that every
    machine does the same. `program` is the model, which is not changed here.
    """
    for attempt in range(tries) if tries else itertools.count():
        if budget.is_over:
            return
        parameters = make_parameters(budget, attempt)
        parameters.max_deterministic_time = limit * 2 ** (attempt // len(SEARCHES))
        yield solve_proto(program, parameters)


def find_feasible(program: ProtoModelBuilder, budget: Budget) -> SolverResponse:
    """Solve a model that has no objective, with growing limits until it is decided.

    `program` holds the model. The response's status is "OPTIMAL" or "FEASIBLE" with a
    solution, and "INFEASIBLE" if it is proven that there is none. "UNKNOWN", without
    values, means that the time was up.
    """
    responses = solve_with_growing_limits(program, budget, 4 * FIRST_LIMIT)
    decided_responses = (
        response for response in responses if response.status != "UNKNOWN"
    )
    return next(decided_responses, SolverResponse("UNKNOWN", [], 0))


def make_parameters(budget: Budget, attempt: int) -> Any:
    """Return the parameters of an attempt to solve a model; attempts count from 0.

    Each attempt has the next search of `SEARCHES`, in turn, and another seed.
    """
    parameters = SatParameters()
    set_deterministic_parameters(parameters, budget, attempt)
    for parameter_name, parameter_value in SEARCHES[attempt % len(SEARCHES)].items():
        setattr(parameters, parameter_name, parameter_value)
    return parameters


def set_deterministic_parameters(
    parameters: Any, budget: Budget, attempt: int = 0
) -> None:
    """Set the parameters that make a solve repeatable and exact, and its time limit.

    `parameters`, a SatParameters message, are changed in place. Each attempt has
    another seed. The time limit is what is left of the budget; there is none without a
    deadline.
    """
    # CP-SAT would take Ctrl-C from a program with other threads, and never give it back
    parameters.catch_sigint_signal = False
    parameters.num_workers = budget.workers
    parameters.interleave_search = budget.workers > 1  # repeatable with several
    parameters.random_seed = (budget.seed + attempt) % 2**31
    # measured: without these the class model takes seconds where it now takes milliseconds
    parameters.linearization_level = 2
    parameters.cp_model_probing_level = 0
    parameters.symmetry_level = 0
    # the gap is computed in floating point: with any but 0 large objectives are "optimal" too early
    parameters.absolute_gap_limit = 0.0
    parameters.relative_gap_limit = 0.0
    seconds_left = budget.seconds_left()
    if seconds_left is not None:
        parameters.max_time_in_seconds = max(seconds_left, 0)
