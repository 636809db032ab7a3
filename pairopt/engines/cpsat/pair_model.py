"""The integer program of a round, as one writes it down: a Boolean for each match.

Variables. A match is two players, the first side first if there are sides, or a player
and the bye. Its Boolean says whether it is played. Matches that a constraint of the
model forbids have no variable.

Constraints. Each player is in exactly one match, and so is the bye of an odd field. A
lookahead adds a Boolean for each match of each further round, with the same
constraints, and no two players meet in two of these rounds.

Objectives. The sum of what the matches add to a level is a linear expression. Levels
are minimised one after the other, and each is fixed at its optimum from then on
(several levels that one small sum can hold, a unit of each above all later ones, are
one stage); or all are minimised in one weighted sum.

Two redundant constraints help the search. If a level is at its lower bound, at which
everybody has the cheapest match, no other match is played. And the number of matches
that cross a set with an odd number of players is odd (see `odd_sets`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import (
    AllowedArcs,
    exact_sum,
    radix_weights,
    round_bound_down,
)
from pairopt.engines.base import Progress, UnsupportedError
from pairopt.engines.cpsat.level_by_level import (
    MOST,
    TOO_LARGE,
    TOO_LARGE_AHEAD,
    merge_levels,
    split_into_blocks,
)
from pairopt.engines.cpsat.proto import set_deterministic_parameters
from pairopt.engines.further import Further
from pairopt.engines.odd_sets import find_odd_set_cuts
from pairopt.engines.ortools import make_ortools_error
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.problem.problem import Problem

try:
    from ortools.sat.python import cp_model
except ImportError as error:
    raise make_ortools_error() from error

TOGETHER = 2**40
"""The largest sum of levels that are one stage, in half the time that separate stages take."""


@dataclass
class PairModel:
    """A CP-SAT model of a round, with a Boolean for each single match.

    `played` has the variable of each column, and `rounds` a list of variables for each
    further round, one for each pair of `ahead` (None without a lookahead). `alive`
    marks the columns that may still be played. `spent` is CP-SAT's deterministic time
    so far. CP-SAT calls `callback`, if it is given, for each solution that it finds.
    """

    columns: AllowedArcs
    model: cp_model.CpModel
    played: Sequence[cp_model.IntVar]
    ahead: Further | None = None
    rounds: Sequence[Sequence[cp_model.IntVar]] = ()
    callback: cp_model.CpSolverSolutionCallback | None = None
    alive: BoolArray = field(init=False)
    spent: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        """Mark all columns as alive."""
        self.alive = np.ones(len(self.columns), np.bool_)

    def sum(self, cost: IntArray) -> cp_model.LinearExprT:
        """Return the total cost of the matches played, as a linear expression.

        `cost`, shape (columns,), is what each column adds to it. The model is not
        changed.
        """
        costly_columns = np.flatnonzero(cost)
        costly_variables = [self.played[column] for column in costly_columns.tolist()]
        return cp_model.LinearExpr.weighted_sum(
            costly_variables, cost[costly_columns].tolist()
        )

    def is_least(self, goal: Objective, use: IntArray) -> bool:
        """Return whether a pairing is at the lower bound of an objective.

        The pairing is its `use` of the columns. False for an expression of the user,
        which has no known lower bound. `goal` is the objective.
        """
        if goal.cost is None:
            return False
        _cheapest, lower_bound = self.columns.least(self.alive, goal.cost)
        return exact_sum(use, goal.cost) == lower_bound

    def forbid_all_but(self, columns: BoolArray) -> None:
        """Forbid all columns that are not in the mask `columns`, shape (columns,).

        They stay forbidden in all later solves of the model.
        """
        removed_columns = np.flatnonzero(self.alive & ~columns).tolist()
        removed_sum = cp_model.LinearExpr.sum(
            [self.played[column] for column in removed_columns]
        )
        self.model.add(removed_sum == 0)
        self.alive = self.alive & columns

    def fix(self, goal: Objective, value: int) -> None:
        """Fix an objective at `value`, its optimum, for all later solves of this model.

        Columns that alone cost more than the value allows are forbidden. If the value
        is at the objective's lower bound, only the columns that attain the bound
        remain, and that suffices. Otherwise an equation is added, and for an expression
        of the user only the equation. `goal` is the objective.
        """
        if goal.cost is not None:
            is_cheapest, lower_bound = self.columns.least(self.alive, goal.cost)
            is_at_bound = value == lower_bound
            self.forbid_all_but(is_cheapest if is_at_bound else goal.cost <= value)
            if is_at_bound:
                return
        self.model.add(goal.of(self) == value)

    def add_parity_cuts(self, costs: Sequence[IntArray]) -> None:
        """Add redundant constraints: oddly many matches cross each odd set of players.

        An even number crosses each even set. The sets are those that one of the
        `costs`, each of shape (columns,), keeps apart: players whom columns without a
        cost connect. Only columns alive are counted. The model is changed.
        """
        alive_columns = np.flatnonzero(self.alive)
        for crossing_positions, player_count in find_odd_set_cuts(
            self.columns, alive_columns, costs
        ):
            crossing_variables = [
                self.played[column]
                for column in alive_columns[crossing_positions].tolist()
            ]
            half_of_crossing = self.model.new_int_var(0, player_count // 2, "")
            self.model.add(
                sum(crossing_variables) == player_count % 2 + 2 * half_of_crossing
            )


@dataclass(frozen=True)
class Objective:
    """An objective to minimise: the sum of column costs, or an expression of the user.

    `cost`, shape (columns,), is what each column adds; it is None for an expression of
    the user, which is `own` then. No pairing has a value above `most`.
    """

    cost: IntArray | None
    most: int = 0
    own: cp_model.LinearExprT = 0

    def largest(self, program: PairModel) -> int:
        """Return the largest value that CP-SAT considers: every match is played.

        For an expression of the user it is `most`. `program` is not used.
        """
        if self.cost is None:
            return self.most
        return exact_sum(np.ones_like(self.cost), self.cost)

    def of(self, program: PairModel) -> cp_model.LinearExprT:
        """Return this objective as a linear expression of a program's variables."""
        return self.own if self.cost is None else program.sum(self.cost)

    def followed_by(self, other: Objective) -> Objective | None:
        """Return one objective that ranks by this objective first, then by `other`.

        Its cost is this cost times a large enough unit, plus the other cost. Returns
        None if its values could exceed `TOGETHER`, or if one of the two is an
        expression of the user.
        """
        outweighing_unit = other.most + 1
        if (
            self.cost is None
            or other.cost is None
            or (self.most + 1) * outweighing_unit > TOGETHER
        ):
            return None
        merged_cost = self.cost * np.int64(outweighing_unit) + other.cost
        return Objective(merged_cost, self.most * outweighing_unit + other.most)


@dataclass(frozen=True)
class ObjectiveValues:
    """The optimal values of the first objectives, and a pairing that attains them.

    `use` is how often the pairing uses each column. Without it and without a `bound`,
    there is no pairing. `bound` is a lower bound of the objective that could not be
    solved in time, and `further` the pairings of further rounds. `blocks` is the number
    of weighted sums that were minimised one after another. `assignment` has the value
    of each variable of the CP-SAT model in the solution with this pairing.
    """

    values: tuple[int, ...] = ()
    use: IntArray | None = None
    bound: int | None = None
    further: tuple[Arcs, ...] = ()
    blocks: int = 1
    assignment: Sequence[int] = field(default=(), compare=False, repr=False)


def build_pair_model(
    columns: AllowedArcs, ahead: Further | None = None, names: Sequence[object] = ()
) -> PairModel:
    """Build the CP-SAT model of a round without objective, with its further rounds.

    `columns` are the matches that may be played, each with a Boolean. `ahead` are the
    further rounds, None without a lookahead. Variables are called by `names`, one for
    each player, or by the players' positions.
    """
    cp_sat_model = cp_model.CpModel()
    vertex_names = [*(names or range(columns.players))]
    if columns.odd:
        vertex_names.append("bye")
    column_pairs = list(zip(columns.a.tolist(), columns.b.tolist(), strict=True))
    played_variables = _add_match_variables(cp_sat_model, column_pairs, vertex_names)
    if ahead is None:
        return PairModel(columns, cp_sat_model, played_variables)

    further_pairs = list(zip(ahead.first.tolist(), ahead.second.tolist(), strict=True))
    round_variables = [
        _add_match_variables(
            cp_sat_model, further_pairs, vertex_names, f" in {round_number}"
        )
        for round_number in range(1, ahead.rounds + 1)
    ]
    variables_of_pair: dict[frozenset[int], list[cp_model.IntVar]] = {}
    for player_pair, match_variable in zip(column_pairs, played_variables, strict=True):
        variables_of_pair.setdefault(frozenset(player_pair), []).append(match_variable)
    for player_pair, variables_of_rounds in zip(
        further_pairs, zip(*round_variables, strict=True), strict=True
    ):
        cp_sat_model.add_at_most_one(
            [*variables_of_pair.get(frozenset(player_pair), ()), *variables_of_rounds]
        )
    return PairModel(columns, cp_sat_model, played_variables, ahead, round_variables)


def _add_match_variables(
    model: cp_model.CpModel,
    pairs: Sequence[tuple[int, int]],
    names: Sequence[object],
    suffix: str = "",
) -> list[cp_model.IntVar]:
    """Add a Boolean for each pair, and return them; each vertex is in one pair.

    `model` is changed: it gets the variables, and for each vertex the constraint that
    exactly one of its pairs is played. The vertices are the players, and the bye of an
    odd field; `names` has one for each. A variable is called by the two names and the
    `suffix`. `pairs` are pairs of vertices, and the variables are in their order.
    """
    played_variables = [
        model.new_bool_var(f"{names[first_vertex]} - {names[second_vertex]}{suffix}")
        for first_vertex, second_vertex in pairs
    ]
    variables_by_vertex: list[list[cp_model.IntVar]] = [[] for _vertex_name in names]
    for vertex_pair, match_variable in zip(pairs, played_variables, strict=True):
        for vertex in vertex_pair:
            variables_by_vertex[vertex].append(match_variable)
    for variables_of_vertex in variables_by_vertex:
        model.add_exactly_one(variables_of_vertex)
    return played_variables


def build_objectives(program: PairModel) -> list[Objective]:
    """Return an objective for each level of the program's columns, in priority order.

    Its cost is that of the level, and `most` an upper bound of the level's value.
    """
    return [*map(Objective, program.columns.costs.T, program.columns.most())]


def minimize_lexicographically(
    program: PairModel,
    goals: Sequence[Objective],
    budget: Budget,
    use: IntArray | None = None,
    effort: float | None = None,
    progress: Progress | None = None,
) -> ObjectiveValues:
    """Minimise objectives in order by CP-SAT, each fixed at its optimum from then on.

    This is the loop of the integer program; the matching engine has a function of the
    same name for its own stages. `use` is a pairing to start from: objectives for which
    it is at the lower bound need no solve. `effort` is the limit of deterministic time,
    for all solves of the program together. `progress` is called with the index and the
    value of each objective that is solved. At an objective that is not solved in time,
    the result has a `bound`, and without any pairing its `use` is None. The program is
    changed. `goals` are the objectives, in order. Raises UnsupportedError for values
    that are too large.
    """
    if any(goal.largest(program) > MOST for goal in goals):
        raise UnsupportedError("engine.large_level")
    values_so_far = ObjectiveValues(use=use)
    if program.ahead is not None or not goals:
        values_so_far = minimize_objective(program, None, budget, values_so_far, effort)
        if values_so_far.use is None:
            return values_so_far
    while open_goals := goals[len(values_so_far.values) :]:
        merged_goal_count = 1
        if values_so_far.use is None or not program.is_least(
            open_goals[0], values_so_far.use
        ):
            earlier_values = values_so_far.values
            goal, merged_goal_count = open_goals[0], 1
            # a callback is told the objective of one level at a time
            if program.callback is None:
                goal, merged_goal_count = _merge_objectives(open_goals)
            _add_parity_of(program, goal, open_goals)
            values_so_far = minimize_objective(
                program, goal, budget, values_so_far, effort
            )
            if values_so_far.use is None or values_so_far.bound is not None:
                product_of_later_units = math.prod(
                    goal.most + 1 for goal in open_goals[1:merged_goal_count]
                )
                return replace(
                    values_so_far,
                    bound=values_so_far.bound
                    and values_so_far.bound // product_of_later_units,
                )
            if goal.cost is not None:
                values_so_far = replace(values_so_far, values=earlier_values)
        for goal in open_goals[:merged_goal_count]:
            if goal.cost is not None and values_so_far.use is not None:
                goal_value = exact_sum(values_so_far.use, goal.cost)
                values_so_far = replace(
                    values_so_far, values=(*values_so_far.values, goal_value)
                )
            program.fix(goal, values_so_far.values[-1])
            if progress:
                progress(len(values_so_far.values) - 1, values_so_far.values[-1])
    return values_so_far


def _add_parity_of(
    program: PairModel, goal: Objective, open_goals: Sequence[Objective]
) -> None:
    """Add parity constraints for the sets of players that objectives keep apart.

    These are the objective to minimise (`goal`), the first of `open_goals`, and the
    sums of the first two, three and so on of these. An odd set must be crossed by oddly
    many matches, an even set by an even number. Nothing is added if `goal` is an
    expression of the user. The `program` is changed.
    """
    if goal.cost is None:
        return
    open_costs = [
        open_goal.cost for open_goal in open_goals if open_goal.cost is not None
    ]
    # the sums of two, three, ... objectives join what one of them alone keeps apart
    cost_sums = np.cumsum(open_costs, axis=0)[1:]
    program.add_parity_cuts([goal.cost, *open_costs[:1], *cost_sums])


def _merge_objectives(goals: Sequence[Objective]) -> tuple[Objective, int]:
    """Merge the first objectives, as many as one sum of at most `TOGETHER` can hold.

    Returns the merged objective and how many of `goals` it stands for, at least 1. An
    expression of the user is not merged with others.
    """
    merged_objective, merged_goal_count = goals[0], 1
    while merged_goal_count < len(goals):
        wider_objective = merged_objective.followed_by(goals[merged_goal_count])
        if wider_objective is None:
            break
        merged_objective, merged_goal_count = wider_objective, merged_goal_count + 1
    return merged_objective, merged_goal_count


def minimize_objective(
    program: PairModel,
    goal: Objective | None,
    budget: Budget,
    so_far: ObjectiveValues,
    effort: float | None = None,
) -> ObjectiveValues:
    """Solve the program once: minimise the objective `goal`, or find any pairing.

    Any pairing is found if `goal` is None. The search starts from the pairing of
    `so_far`, or without one from the hints of the CP-SAT model. `effort` limits the
    deterministic time of all solves of the program together (None: no limit). Returns
    the values of `so_far` and the optimum after them, with a new pairing; instead of
    the optimum there is a `bound` if it is not proven. Values, pairing and bound are
    all missing if there is no pairing. The time is added to the program's `spent`, and
    the model keeps the objective and the hints. Raises AssertionError if CP-SAT calls
    the model invalid.
    """
    cp_sat_model = program.model
    if so_far.use is not None:
        cp_sat_model.clear_hints()  # type: ignore[no-untyped-call]
        for column in np.flatnonzero(so_far.use).tolist():
            cp_sat_model.add_hint(program.played[column], 1)
    objective_expression = 0 if goal is None else goal.of(program)
    cp_sat_model.minimize(objective_expression)
    solver = make_solver(budget)
    if effort is not None:
        solver.parameters.max_deterministic_time = max(effort - program.spent, 1e-6)
    solver_status = solver.status_name(solver.solve(cp_sat_model, program.callback))
    program.spent += solver.response_proto.deterministic_time

    if solver_status == "MODEL_INVALID":
        raise AssertionError(cp_sat_model.validate())
    if solver_status == "INFEASIBLE":
        return ObjectiveValues()
    lower_bound = None
    if solver_status != "OPTIMAL":
        lower_bound = round_bound_down(solver.best_objective_bound)
    if solver_status == "UNKNOWN":
        if lower_bound == 0:
            # CP-SAT reports 0 for any objective if it stops before its search
            lower_bound = min(0, _least_by_domains(cp_sat_model))
        return replace(so_far, bound=lower_bound)

    solution_values = solver.response_proto.solution
    column_use = np.array(
        [solution_values[match_variable.index] for match_variable in program.played],
        np.int64,
    )
    objective_values = so_far.values
    if goal is not None and lower_bound is None:
        objective_values = (*objective_values, solver.value(objective_expression))
    further_rounds: tuple[Arcs, ...] = ()
    if program.ahead:
        round_masks = [
            np.array(
                [
                    solution_values[match_variable.index]
                    for match_variable in variables_of_round
                ],
                np.bool_,
            )
            for variables_of_round in program.rounds
        ]
        further_rounds = tuple(
            program.ahead.arcs(is_pair_played) for is_pair_played in round_masks
        )
    return replace(
        so_far,
        values=objective_values,
        use=column_use,
        bound=lower_bound,
        further=further_rounds,
        assignment=solution_values,
    )


def _least_by_domains(model: cp_model.CpModel) -> int:
    """Return a lower bound of the model's objective that ignores all constraints.

    Each variable has the end of its domain that makes its term smallest.
    """
    objective_proto, variable_protos = model.proto.objective, model.proto.variables
    lower_bound = round(objective_proto.offset)
    for variable_number, coefficient in zip(
        objective_proto.vars, objective_proto.coeffs, strict=True
    ):
        variable_domain = variable_protos[variable_number].domain
        lower_bound += min(
            coefficient * variable_domain[0], coefficient * variable_domain[-1]
        )
    return lower_bound


def minimize_weighted_sum(
    problem: Problem,
    program: PairModel,
    budget: Budget,
    use: IntArray | None = None,
    effort: float | None = None,
) -> ObjectiveValues:
    """Minimise the weighted sum of all levels by the integer program of CP-SAT.

    The only value of the result is the sum, or its `bound` if it is not proven in time.
    But if the model has no weights, they only encode the order of the levels, and the
    values are those of all levels. `use` is a pairing to start from, `effort` the limit
    of deterministic time. Parity constraints are added to the program. Without limits,
    `use` and `effort` are None. Raises UnsupportedError if the weights are too large
    for CP-SAT's integers.
    """
    level_weights = problem.weights("weighted")
    if level_weights is None:
        return _minimize_in_blocks(program, budget, use, effort)

    too_large_id = TOO_LARGE if program.ahead is None else TOO_LARGE_AHEAD
    weighted_costs = merge_levels(program.columns, level_weights, too_large_id).costs[
        :, 0
    ]
    program.add_parity_cuts([weighted_costs])
    return minimize_objective(
        program,
        Objective(weighted_costs, MOST),
        budget,
        ObjectiveValues(use=use),
        effort,
    )


def _minimize_in_blocks(
    program: PairModel, budget: Budget, use: IntArray | None, effort: float | None
) -> ObjectiveValues:
    """Minimise all levels in order, a block of consecutive levels in each weighted sum.

    `use` is a pairing to start from, and `effort` the limit of CP-SAT's deterministic
    time. The result's `values` are those of the levels, not of the sums. If a block is
    not solved in time, `bound` is a lower bound of its first level. Both may be None.
    Parity constraints and equations are added to the `program`.
    """
    column_blocks = split_into_blocks(program.columns)
    values_so_far = ObjectiveValues(use=use, blocks=len(column_blocks))
    if not column_blocks:
        return minimize_objective(program, None, budget, values_so_far, effort)

    for block_columns in column_blocks:
        level_weights = radix_weights(block_columns)
        block_goal = Objective(
            merge_levels(block_columns, level_weights).costs[:, 0], MOST
        )
        assert block_goal.cost is not None
        program.add_parity_cuts([block_goal.cost])

        earlier_values = values_so_far.values
        values_so_far = minimize_objective(
            program, block_goal, budget, values_so_far, effort
        )
        if values_so_far.use is None and values_so_far.bound is None:
            return values_so_far
        if values_so_far.use is None or values_so_far.bound is not None:
            block_bound = (
                None
                if values_so_far.bound is None
                else values_so_far.bound // level_weights[0]
            )
            return replace(values_so_far, bound=block_bound, values=earlier_values)

        block_values = [
            exact_sum(values_so_far.use, level_costs)
            for level_costs in block_columns.costs.T
        ]
        program.fix(block_goal, values_so_far.values[-1])
        values_so_far = replace(values_so_far, values=(*earlier_values, *block_values))
    return values_so_far


def make_solver(budget: Budget) -> cp_model.CpSolver:
    """Return a CP-SAT solver with repeatable parameters.

    Its seed, threads and time limit are the budget's.
    """
    solver = cp_model.CpSolver()
    set_deterministic_parameters(solver.parameters, budget)
    return solver
