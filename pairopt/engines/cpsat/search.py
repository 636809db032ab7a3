"""Search: how CP-SAT is run, in ever other ways with ever longer limits."""

from __future__ import annotations

import itertools
from typing import Any

from pairopt.budget import Budget
from pairopt.engines.cpsat.messages import ModelBuilder, Response, SatParameters, answer
from pairopt.engines.cpsat.steering import steer

SEARCHES: tuple[dict[str, Any], ...] = (
    {},
    {"cp_model_presolve": False},
    {"search_branching": SatParameters.PORTFOLIO_SEARCH},
    {"optimize_with_lb_tree_search": True},
)
"""Ways to search, taken in turn."""
FIRST_LIMIT, LIMIT_PER_COLUMN = 0.2, 0.0005
"""The first limit in CP-SAT's deterministic time: about a second a unit."""


def run_search(program: ModelBuilder, budget: Budget) -> Response:
    """Solve a program without objective; the status is "UNKNOWN" when the budget's time is up."""
    for attempt in itertools.count():
        parameters = parameters_of(budget, attempt)
        parameters.max_deterministic_time = FIRST_LIMIT * 2 ** (attempt // len(SEARCHES) + 2)
        found = answer(program, parameters)
        if found.status != "UNKNOWN" or budget.spent:
            break
    return found


def parameters_of(budget: Budget, attempt: int) -> Any:
    """Those of the so manieth attempt: repeatable, exact, and with the time that is left."""
    parameters = SatParameters()
    steer(parameters, budget, attempt)
    for name, value in SEARCHES[attempt % len(SEARCHES)].items():
        setattr(parameters, name, value)
    return parameters
