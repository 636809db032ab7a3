"""Tight arcs: the columns that optimal pairings can use, shown by a dual solution.

Give every type a dual, and every odd set of players a dual that is not negative. If no
column has a negative reduced cost, that is, costs less than the duals of its two ends
and of the odd sets that it crosses, no pairing costs less than all duals together. If
that sum is the level's proven value, optimal pairings are exactly those that use only
tight columns, and have one match across each set with a positive dual (complementary
slackness; the sets are Edmonds' inequalities, see `odd_sets`).

Exchangeable players have the same dual, so that pairings can be counted by types. Duals
are found by a linear program in floating point, with odd sets as cuts that are added if
no match crosses them, and verified in integers over a common denominator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.allowed_arcs import AllowedArcs, Equation, OptimalUse
from pairopt.engines.odd_sets import component_of, find_odd_set_cuts
from pairopt.engines.ortools import make_ortools_error
from pairopt.event.arcs import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from ortools.linear_solver.python import model_builder_helper as linear

DENOMINATOR = 240  # the largest common denominator of duals
ROUNDED = 1e-4  # less than the difference of any two such fractions
GLOP = "max_deterministic_time: 3"


@dataclass(frozen=True)
class DualProgram:
    """The dual linear program of a level's fractional relaxation, with odd-set cuts.

    `columns` are the allowed arcs between player types, `index` the indices of those
    that may be used, and `cost`, shape (columns,), what each adds to the level. The
    constraints are that no column of `index` has a negative reduced cost. Duals of
    types and of `equations` are free. Those of `sets` are not negative; each set is an
    array, shape (columns of `index`,), that is 1 where a column crosses it. The program
    is solved in floating point, or with exact duals that prove a bound.
    """

    columns: AllowedArcs
    index: IntArray
    cost: IntArray
    equations: tuple[Equation, ...]
    sets: tuple[IntArray, ...]
    budget: Budget

    @property
    def weight(self) -> list[int]:
        """The weight of each dual in the objective: of types, equations and odd sets.

        It is the number of players of a type (1 for the bye of an odd field), the
        right-hand side of an equation, and 1 for a set.
        """
        dual_weights: list[int] = self.columns.size.tolist()
        if self.columns.odd:
            dual_weights.append(1)
        dual_weights += [right_hand_side for _, right_hand_side in self.equations]
        return dual_weights + [1] * len(self.sets)

    def solve_relaxation(self) -> tuple[float, FloatArray] | None:
        """Solve the dual program; return its optimum and the primal solution.

        The optimum is the highest sum of weighted duals, a lower bound of the level.
        The primal solution, shape (columns of `index`,), is how often the fractional
        relaxation uses each column. Both are in floating point. Returns None if the
        solver finds no optimum. Raises TimeUpError.
        """
        dual_model, dual_weights = self._model, self.weight
        dual_model.set_objective_coefficients(
            list(range(len(dual_weights))), list(map(float, dual_weights))
        )
        linear_solver = _solve_dual(dual_model, self.budget)
        if linear_solver is None:
            return None
        return linear_solver.objective_value(), np.abs(linear_solver.dual_values())

    def find_exact_duals(
        self, value: int
    ) -> tuple[NDArray[np.object_], list[int]] | None:
        """Return exact reduced costs and set duals that prove a lower bound.

        They prove that no pairing has a lower value than `value`: no reduced cost and
        no dual of a set is negative, and the weighted duals sum up to `value`. All
        numbers are multiplied by one factor that makes them integers. Of all such duals
        those are taken for which most columns have a positive reduced cost. Returns
        None if the duals of the linear program cannot be rounded to fractions that
        prove it. Raises TimeUpError.
        """
        slack_model = self._slack_model(value)
        linear_solver = _solve_dual(slack_model, self.budget)
        if linear_solver is None:
            return None
        dual_weights = self.weight
        scaled_duals = _round_to_integers(
            linear_solver.variable_values()[: len(dual_weights)]
        )
        if scaled_duals is None:
            return None

        # verify the duals in integers
        integer_duals, common_denominator = scaled_duals
        set_duals = integer_duals[len(integer_duals) - len(self.sets) :]
        dual_sum = sum(
            dual * dual_weight
            for dual, dual_weight in zip(integer_duals, dual_weights, strict=True)
        )
        if dual_sum != common_denominator * value or any(
            dual < 0 for dual in set_duals
        ):
            return None
        reduced_costs = [
            column_cost * common_denominator
            for column_cost in self.cost[self.index].tolist()
        ]
        for column_index, dual_index, dual_factor in zip(
            *self._constraint_matrix, strict=True
        ):
            reduced_costs[column_index] -= dual_factor * integer_duals[dual_index]
        if min(reduced_costs) < 0:
            return None
        return np.array(reduced_costs, object), set_duals

    def _slack_model(self, value: int) -> linear.ModelBuilderHelper:
        """Return the linear program of duals that sum up to `value`, with most slack.

        It is a changed copy of the program of the duals. Each column has a slack
        variable from 0 to 1, and the sum of these is maximised.
        """
        slack_model: linear.ModelBuilderHelper = (
            _import_linear_solver().ModelBuilderHelper()
        )
        dual_weights, column_count = self.weight, len(self.index)
        slack_model.overwrite_model(self._model)
        slack_model.clear_objective()
        slack_model.set_maximize(True)
        slack_variables = slack_model.add_var_array(
            [column_count], 0, 1, False, ""
        ).tolist()
        _add_terms(
            slack_model, range(column_count), slack_variables, [1] * column_count
        )
        slack_model.set_objective_coefficients(slack_variables, [1.0] * column_count)
        sum_constraint = slack_model.add_linear_constraint()
        slack_model.set_constraint_lower_bound(sum_constraint, value)
        slack_model.set_constraint_upper_bound(sum_constraint, value)
        _add_terms(
            slack_model,
            [sum_constraint] * len(dual_weights),
            range(len(dual_weights)),
            dual_weights,
        )
        return slack_model

    @cached_property
    def _model(self) -> linear.ModelBuilderHelper:
        """The linear program of the duals without its objective, to be maximised.

        The duals are its variables; each column is a constraint.
        """
        self.budget.check()
        dual_model: linear.ModelBuilderHelper = (
            _import_linear_solver().ModelBuilderHelper()
        )
        dual_model.add_var_array(
            [len(self.weight) - len(self.sets)], -inf, inf, False, ""
        )
        dual_model.add_var_array([len(self.sets)], 0, inf, False, "")
        dual_model.set_maximize(True)
        for column_cost in self.cost[self.index].tolist():
            dual_model.set_constraint_upper_bound(
                dual_model.add_linear_constraint(), column_cost
            )
        _add_terms(dual_model, *self._constraint_matrix)
        return dual_model

    @cached_property
    def _constraint_matrix(self) -> tuple[list[int], list[int], list[int]]:
        """The constraint matrix of the dual program as rows, variables and factors.

        These are three lists. Entry k says that column rows[k] of `index` pays the dual
        variables[k] factors[k] times. Variables are the duals of types, then of
        equations, then of sets. The factor is the number of players of a type in the
        match, a coefficient of an equation, or 1 for a set that the column crosses.
        """
        first_types, second_types = (
            self.columns.a[self.index],
            self.columns.b[self.index],
        )
        equation_rows = [coefficients[self.index] for coefficients, _ in self.equations]
        # shape (equations and sets, columns)
        dense_factors = np.array([*equation_rows, *self.sets], np.int64).reshape(
            -1, len(first_types)
        )
        dense_row, crossing_column = np.nonzero(dense_factors)
        dense_dual_indices = dense_row + len(self.weight) - len(dense_factors)
        # a column within one type pays its dual twice
        is_one_type = first_types == second_types
        two_type_columns = np.flatnonzero(~is_one_type)
        matrix_rows = np.concatenate(
            [np.arange(len(first_types)), two_type_columns, crossing_column]
        )
        dual_indices = np.concatenate(
            [first_types, second_types[two_type_columns], dense_dual_indices]
        )
        second_factors = np.ones(len(two_type_columns), np.int64)
        dual_factors = np.concatenate(
            [1 + is_one_type, second_factors, dense_factors[dense_row, crossing_column]]
        )
        return matrix_rows.tolist(), dual_indices.tolist(), dual_factors.tolist()


def _round_to_integers(duals: FloatArray) -> tuple[list[int], int] | None:
    """Return duals as numerators over a common denominator, and the denominator.

    Returns None if no denominator up to `DENOMINATOR` suits all of them.
    """
    scaled_duals = np.outer(np.arange(1, DENOMINATOR + 1), duals)
    nearest_integers = np.rint(scaled_duals)
    fitting_row_indices = np.flatnonzero(
        (np.abs(scaled_duals - nearest_integers) < ROUNDED).all(axis=1)
    )
    if not len(fitting_row_indices):
        return None
    denominator_row_index = int(fitting_row_indices[0])
    return nearest_integers[denominator_row_index].astype(
        np.int64
    ).tolist(), denominator_row_index + 1


def _solve_dual(
    model: linear.ModelBuilderHelper, budget: Budget
) -> linear.ModelSolverHelper | None:
    """Solve a linear program; return the solver, which holds the solution.

    Returns None if the solver finds no optimum, for example because time is up. Raises
    UsageError if OR-Tools is not installed.
    """
    linear_solver = _make_solver(budget)
    linear_solver.solve(model)
    return (
        linear_solver
        if linear_solver.status() == _import_linear_solver().SolveStatus.OPTIMAL
        else None
    )


def _import_linear_solver() -> Any:
    """Import OR-Tools' linear programs; raise UsageError if it is not installed."""
    try:
        return import_module("ortools.linear_solver.python.model_builder_helper")
    except ImportError as error:
        raise make_ortools_error() from error


def _make_solver(budget: Budget) -> linear.ModelSolverHelper:
    """Make a solver of linear programs (GLOP), limited by the budget's remaining time.

    It has a deterministic limit, too.
    """
    linear_solver: linear.ModelSolverHelper = _import_linear_solver().ModelSolverHelper(
        "GLOP"
    )
    linear_solver.set_solver_specific_parameters(GLOP)
    seconds_left = budget.seconds_left()
    if seconds_left is not None:
        linear_solver.set_time_limit_in_seconds(max(seconds_left, 0))
    return linear_solver


def _add_terms(model: linear.ModelBuilderHelper, *terms: Iterable[int]) -> None:
    """Add terms to the constraints of a model, which is changed.

    `terms` are three iterables of equal length: the constraints' rows, the variables
    and the factors.
    """
    for constraint_row, variable_index, coefficient in zip(*terms, strict=True):
        model.add_term_to_constraint(constraint_row, variable_index, coefficient)


MOST_COLUMNS = 20_000  # columns, above which the linear program is not tried
LARGEST = 10**9  # the largest cost for which floating point suffices
MOST_TURNS = 60  # linear programs that are solved to find odd sets
TOLERANCE = 1e-6


def tighten(
    columns: AllowedArcs,
    costs: IntArray,
    values: Sequence[int],
    start: OptimalUse,
    budget: Budget = Budget(),
) -> OptimalUse:
    """Return the columns and equations of the pairings that are optimal in more levels.

    `costs`, shape (columns, levels), are those of the new levels, `values` their proven
    values, and `start` describes the pairings that are optimal in the levels before; it
    is not changed. Raises TimeUpError.
    """
    use_of_optimal_pairings = start
    for level_cost, level_value in budget.iterate(zip(costs.T, values, strict=True)):
        is_cheapest_column, lower_bound = columns.least(
            use_of_optimal_pairings.alive, level_cost
        )
        if level_value == lower_bound:
            use_of_optimal_pairings = OptimalUse(
                is_cheapest_column, use_of_optimal_pairings.equations
            )
        else:
            use_of_optimal_pairings = _certify_level(
                columns, use_of_optimal_pairings, level_cost, level_value, budget
            )
    return use_of_optimal_pairings


def _certify_level(
    columns: AllowedArcs, use: OptimalUse, cost: IntArray, value: int, budget: Budget
) -> OptimalUse:
    """Return the columns and equations of the pairings with a value in a level.

    `use` describes the pairings that are optimal in the levels before, and `value` is
    above the level's simple lower bound. If duals prove that the value is optimal, only
    tight columns remain, and sets with a positive dual become equations. Otherwise the
    level itself becomes an equation. `cost` is the level's cost of each column.
    """
    is_alive = use.alive
    if (cost >= 0).all():
        is_alive = use.alive & (cost <= value)
    lower_bound = prove_lower_bound(columns, is_alive, use.equations, cost, budget)
    if lower_bound is None or lower_bound.value != value:
        return OptimalUse(is_alive, (*use.equations, (cost, value)))
    set_equations = [(set_crossings, 1) for set_crossings in lower_bound.once]
    return OptimalUse(lower_bound.tight, (*use.equations, *set_equations))


@dataclass(frozen=True)
class LevelLowerBound:
    """A proven lower bound of a level, with the pairings that attain it.

    These use only the columns `tight`, and have one match across each set of `once`,
    which are arrays of shape (columns,), 1 where a column crosses the set.
    """

    value: int
    tight: BoolArray
    once: tuple[IntArray, ...]


def prove_lower_bound(
    columns: AllowedArcs,
    alive: BoolArray,
    equations: Sequence[Equation],
    cost: IntArray,
    budget: Budget = Budget(),
) -> LevelLowerBound | None:
    """Return the lower bound of a level that duals prove, with tight columns.

    Pairings use only the columns in the mask `alive` and satisfy the `equations`.
    Odd-set cuts are added until the relaxation violates none that is looked for.
    Returns None if there are too many columns, if the best bound is not an integer,
    after too many cuts, or when the time is up. `cost`, shape (columns,), is the
    level's.
    """
    alive_columns = np.flatnonzero(alive)
    if (
        not 0 < len(alive_columns) <= MOST_COLUMNS
        or np.abs(cost[alive_columns]).max() > LARGEST
    ):
        return None
    odd_sets = tuple(_iterate_odd_sets(columns, alive_columns, equations, cost))
    dual_program = DualProgram(
        columns, alive_columns, cost, tuple(equations), odd_sets, budget
    )
    try:
        for _ in range(MOST_TURNS):
            relaxed_solution = dual_program.solve_relaxation()
            if relaxed_solution is None:
                return None
            relaxation_bound, column_use = relaxed_solution
            violated_sets = _find_odd_components(
                columns, alive_columns, column_use > TOLERANCE
            )
            if not violated_sets:
                break
            dual_program = replace(
                dual_program, sets=(*dual_program.sets, *violated_sets)
            )
        else:
            return None
        integer_bound = round(relaxation_bound)
        if abs(relaxation_bound - integer_bound) >= TOLERANCE:
            return None
        exact_duals = dual_program.find_exact_duals(integer_bound)
    except TimeUpError:
        return None
    if exact_duals is None:
        return None

    reduced_costs, set_duals = exact_duals
    is_tight = np.zeros(len(columns), np.bool_)
    is_tight[alive_columns[reduced_costs == 0]] = True
    tight_sets = []
    for crosses_set, set_dual in zip(dual_program.sets, set_duals, strict=True):
        if set_dual:
            set_crossings = np.zeros(len(columns), np.int64)
            set_crossings[alive_columns] = crosses_set
            tight_sets.append(set_crossings)
    return LevelLowerBound(integer_bound, is_tight, tuple(tight_sets))


def _iterate_odd_sets(
    columns: AllowedArcs, index: IntArray, equations: Sequence[Equation], cost: IntArray
) -> Iterator[IntArray]:
    """Yield odd sets of players whose inequalities are likely to be violated.

    They are those of the relaxation. Each set is an array, shape (columns of `index`,),
    with 1 for each column that crosses it. The sets are the components under columns
    that cost nothing, and prefixes of the chain of these components; they are taken for
    `cost` alone, and for it with more and more of the `equations`, the last ones first.
    Then follows each single type with an odd number of players and a column within it.
    """
    costs_to_separate, summed_cost = [cost], cost
    for equation_costs, _ in reversed(equations):
        summed_cost = summed_cost + equation_costs
        costs_to_separate.append(summed_cost)
    for crossing_columns, player_count in find_odd_set_cuts(
        columns, index, costs_to_separate
    ):
        if player_count % 2 and len(crossing_columns):
            crosses_set = np.zeros(len(index), np.int64)
            crosses_set[crossing_columns] = 1
            yield crosses_set
    first_types, second_types = columns.a[index], columns.b[index]
    for player_type in np.unique(first_types[first_types == second_types]).tolist():
        if columns.size[player_type] % 2:
            yield (
                (first_types == player_type) != (second_types == player_type)
            ).astype(np.int64)


def _find_odd_components(
    columns: AllowedArcs, index: IntArray, is_used: BoolArray
) -> list[IntArray]:
    """Return the odd components under used columns, each as the columns that cross it.

    `is_used`, shape (columns of `index`,), marks the columns that the relaxation uses.
    No match crosses them, so they violate an odd-set inequality. Arrays have the shape
    (columns of `index`,), with 1 for a crossing.
    """
    first_types, second_types = columns.a[index], columns.b[index]
    type_sizes = np.append(columns.size, int(columns.odd))
    label_of_type = component_of(
        len(type_sizes), first_types[is_used], second_types[is_used]
    )
    player_counts = np.bincount(
        label_of_type, weights=type_sizes, minlength=len(type_sizes)
    )
    odd_labels = np.flatnonzero(player_counts.astype(np.int64) % 2)
    first_label, second_label = label_of_type[first_types], label_of_type[second_types]
    return [
        ((first_label == odd_label) != (second_label == odd_label)).astype(np.int64)
        for odd_label in odd_labels.tolist()
    ]
