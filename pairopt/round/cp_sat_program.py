"""The round as an integer program that people can read and add to."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Unpack

from pairopt.engines.base import CHANGED, EngineError, EngineOptions, Solution
from pairopt.engines.cpsat import pair_model as cpsat
from pairopt.engines.cpsat.level_by_level import TOO_LARGE, merge_levels
from pairopt.engines.cpsat.pair_model import Objective, ObjectiveValues
from pairopt.engines.cpsat.pair_model_engine import make_solution
from pairopt.engines.cpsat.pair_model_engine import solve as solve_by_pairs
from pairopt.engines.further import further_of
from pairopt.engines.ortools import make_ortools_error
from pairopt.engines.single_pairs import build_candidates
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.messages import message, with_heading
from pairopt.problem.build import build_problem_with_budget
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.levels import LevelValue
from pairopt.problem.options import ModelLike, RoundOptions, show_keywords
from pairopt.problem.problem import Problem
from pairopt.round.result import Match, Result
from pairopt.round.solve import result_of
from pairopt.rules.base import Label

try:
    from ortools.sat.python.cp_model import CpModel, LinearExpr
except ImportError as error:
    raise make_ortools_error() from error

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import (
        CpSolverSolutionCallback,
        IntVar,
        LinearExprT,
    )

# a level: its criterion, its label, and the expression to minimise
ProgramLevel = tuple[str, Label, "LinearExprT"]


@dataclass
class Program:
    """A round as a CP-SAT model that you can change and solve.

    The module `pairopt.engines.cpsat.pair_model` describes the variables. If you set an
    objective with `model.minimize` or `model.maximize`, this objective is the last
    level.

    Attributes
    ----------
    model : CpModel
        The variables and constraints. You may add constraints.
    arcs : dict
        The Boolean variable of each permitted match. A key has the identifiers of both
        players, the player with the first side first. The key of a bye has one
        identifier and None.
    levels : list of ProgramLevel
        The levels as criterion, level and linear expression, the most important first.
        You may insert and remove levels.
    """

    model: CpModel
    arcs: dict[tuple[str, str | None], "IntVar"]
    levels: list[ProgramLevel]
    _problem: Problem = field(repr=False)
    _built: cpsat.PairModel = field(repr=False)

    def __post_init__(self) -> None:
        """Keep the levels, and a digest and a copy of the model, as they were built.

        Later changes are found by comparing with them.
        """
        self._built_keys = [_level_key(program_level) for program_level in self.levels]
        self._built_digest = _digest(self.model)
        self._built_model = self.model.clone()

    @property
    def changed(self) -> bool:
        """Whether you changed `levels` or `model`; changed hints don't count."""
        current_level_keys = [_level_key(level) for level in self.levels]
        return (
            current_level_keys != self._built_keys
            or _digest(self.model) != self._built_digest
        )

    def solve(
        self,
        lexicographic: bool = True,
        *,
        hint: Sequence[Match] | None = None,
        callback: "CpSolverSolutionCallback | None" = None,
    ) -> Result:
        """Minimise the levels in order, or otherwise the weighted sum of the model's levels.

        The weights are those of a weighted model; otherwise each unit of a level outweighs all
        later levels. The program is not changed: you can add more to it and solve it again. If you
        changed nothing and give no hint and no callback, linear programming minimises the levels
        as far as it can prove them.

        If you changed the program, the status, the values and the bounds of the result hold for
        the program as it stands: "optimal" means that CP-SAT proved that no solution of the
        program is better, "infeasible" that no pairing satisfies it. The attribute `holds_for` is
        then "program", because nothing is claimed of the unchanged model: `proven` is false, and
        there is no proof.

        Parameters
        ----------
        lexicographic : bool
            Minimise the levels in order.
        hint : sequence of matches, optional
            Matches of two players, or of one for the bye, from which CP-SAT starts its search
            (warm start). They need not be a whole round, nor satisfy the program. Without it,
            CP-SAT starts from the hints of `model`.
        callback : CpSolverSolutionCallback, optional
            CP-SAT calls this callback for each solution that it finds. Its
            `objective_value` is the value of the level that CP-SAT minimises at the
            time, or of the weighted sum.

        Returns
        -------
        Result
            The pairing, with `status`, `objective_values`, `lower_bound` and `gap`.

        Raises
        ------
        UsageError
            If a weighted sum is too large, or the levels are not the model's; if CP-SAT refuses
            the program, or cannot minimise a level; if changes allow what is no pairing; if a
            match of the hint is not in `arcs`.

        Examples
        --------
        >>> program(event, "standard").solve().pairs  # doctest: +SKIP
        """
        problem, built_model, is_program_changed = (
            self._problem,
            self._built,
            self.changed,
        )
        start_time = time.monotonic()
        budget = self._problem.asked.budget(start_time)
        engine_options = EngineOptions(
            "lexicographic" if lexicographic else "weighted", "pairs", budget
        )
        program_to_solve = replace(
            built_model, model=self.model.clone(), callback=callback
        )
        all_levels = [*self.levels, *_objective(program_to_solve.model)]
        level_keys = [_level_key(level) for level in all_levels]
        if not lexicographic and level_keys != self._built_keys:
            raise UsageError("program.other_levels")
        if hint is not None:
            self._set_hint(program_to_solve.model, hint)
        has_hint = len(program_to_solve.model.proto.solution_hint.vars) > 0
        if is_program_changed or has_hint:
            _require_sound(program_to_solve, all_levels)
        is_as_built = not is_program_changed and not has_hint and callback is None
        if lexicographic and is_as_built:
            # what linear programming can prove takes CP-SAT much longer
            solution = solve_by_pairs(problem, engine_options)
            result = result_of(problem, "cpsat", engine_options, solution)
            return replace(result, seconds=time.monotonic() - start_time)

        model_level_indices = [
            self._find_model_level(level_index, level_key)
            for level_index, level_key in enumerate(level_keys)
        ]
        has_no_pairing = not built_model.columns.reach_all or (
            built_model.ahead is not None and built_model.ahead.too_many
        )
        if has_no_pairing:
            objective_values = ObjectiveValues()
        elif is_program_changed and not self._has_built_constraints():
            objective_values = self._minimize_plainly(
                program_to_solve, all_levels, engine_options
            )
        elif lexicographic:
            model_objectives = cpsat.build_objectives(built_model)
            objectives = [
                Objective(None, own=expression)
                if model_level_index is None
                else model_objectives[model_level_index]
                for (_, _, expression), model_level_index in zip(
                    all_levels, model_level_indices, strict=True
                )
            ]
            objective_values = cpsat.minimize_lexicographically(
                program_to_solve, objectives, budget
            )
        else:
            objective_values = cpsat.minimize_weighted_sum(
                problem, program_to_solve, budget
            )

        solution = make_solution(problem, built_model.columns, objective_values, budget)
        if is_program_changed:
            program_result = self._make_program_result(solution, engine_options)
            has_weighted_sum = problem.weights(engine_options.objective) is not None
            if solution.status != "infeasible" and not has_weighted_sum:
                level_values = self._list_level_values(
                    all_levels, model_level_indices, objective_values, program_result
                )
                program_result = replace(program_result, level_values=level_values)
        else:
            program_result = result_of(problem, "cpsat", engine_options, solution)
        return replace(program_result, seconds=time.monotonic() - start_time)

    def _set_hint(self, model: CpModel, matches: Sequence[Match]) -> None:
        """Replace the hints of a model by the matches of a pairing, either way round.

        `model` is changed: variables of `arcs` that are not in `matches` get the hint
        0. A bye may be given with or without None. Raises UsageError for a match that
        is not in `arcs`.
        """
        hinted_arcs = set()
        for hinted_match in matches:
            # a bye may be given as in `Result.pairs`, or as in `arcs`
            match_key: tuple[str | None, ...] = (*hinted_match, None)[
                : max(2, len(hinted_match))
            ]
            reversed_key = match_key[::-1]
            if match_key not in self.arcs and reversed_key not in self.arcs:
                player_texts = [
                    str(player_or_bye)
                    for player_or_bye in hinted_match
                    if player_or_bye is not None
                ]
                raise UsageError(
                    "program.hint_no_match", match=" - ".join(player_texts)
                )
            hinted_arcs.add(match_key if match_key in self.arcs else reversed_key)
        model.clear_hints()  # type: ignore[no-untyped-call]
        for match_key, hinted_variable in self.arcs.items():
            model.add_hint(hinted_variable, match_key in hinted_arcs)

    def _has_built_constraints(self) -> bool:
        """Return whether all constraints and variables are still there as they were built.

        Then each solution is a pairing, however many constraints were added.
        """
        built_proto, current_proto = self._built_model.proto, self.model.proto
        for proto_field in ("variables", "constraints"):
            built_rows = getattr(built_proto, proto_field)
            current_rows = getattr(current_proto, proto_field)
            if len(current_rows) < len(built_rows) or any(
                str(current_row) != str(built_row)
                for current_row, built_row in zip(
                    current_rows, built_rows, strict=False
                )
            ):
                return False
        return True

    def _minimize_plainly(
        self,
        program: cpsat.PairModel,
        levels: list[ProgramLevel],
        options: EngineOptions,
    ) -> ObjectiveValues:
        """Minimise a program whose solutions need not be pairings.

        `levels` are minimised in order, or as the weighted sum that `options` ask for.
        Bounds and cuts that hold only for pairings are not used. Returns the values,
        the bound and the assignment that CP-SAT found within the budget of `options`.
        """
        weights = self._problem.weights(options.objective)
        if weights is None:
            level_expressions = [level_expression for _, _, level_expression in levels]
        else:
            merged_columns = merge_levels(program.columns, weights, TOO_LARGE)
            level_expressions = [program.sum(merged_columns.costs[:, 0])]
        objectives = [
            Objective(None, own=level_expression)
            for level_expression in level_expressions
        ]
        return cpsat.minimize_lexicographically(program, objectives, options.budget)

    def _find_model_level(self, j: int, key: tuple[str, Label, str]) -> int | None:
        """Find a level of the program among the model's own levels, by its key.

        `key` is the criterion, the label, and the expression as text; `j` is the
        level's index in the program. Returns the index of the model's level, None if
        the user added the level. If several have the key, `j` is preferred, otherwise
        the first one is taken.
        """
        built_keys = self._built_keys
        if built_keys[j : j + 1] == [key]:
            return j
        return built_keys.index(key) if key in built_keys else None

    def _make_program_result(
        self, solution: Solution, options: EngineOptions
    ) -> Result:
        """Return the pairing of a changed program, with the status of the program.

        The levels are the model's, as verified; only a weighted sum has its bound. A
        note says what is proven. Raises UsageError if the solution is not a pairing of
        the round.
        """
        problem, status = self._problem, solution.status
        claimed_bounds = solution.bounds
        if problem.weights(options.objective) is None:
            # they are those of the program's levels
            claimed_bounds = (None,) * len(problem.levels)
        unclaimed_solution = replace(
            solution,
            bounds=claimed_bounds,
            status="unknown" if solution.arcs is None else "feasible",
        )
        try:
            result = result_of(problem, CHANGED, options, unclaimed_solution)
        except EngineError as error:
            raise UsageError(
                with_heading(message("program.no_pairing"), error.reason)
            ) from None
        if status == "infeasible":
            infeasibility_notes = (message("program.infeasible"),)
            return replace(
                result, status=status, level_values=(), conflicts=infeasibility_notes
            )
        note_kind = "program.best" if status == "optimal" else "program.stopped"
        return replace(result, status=status).noted(message(note_kind))

    def _list_level_values(
        self,
        levels: list[ProgramLevel],
        model_indices: list[int | None],
        optimum: ObjectiveValues,
        result: Result,
    ) -> tuple[LevelValue, ...]:
        """Return the values and bounds of a changed program's levels, in its order.

        `model_indices` has the index of each level among the model's own ones, None if
        you added it. The values of the model's levels are those of `result`, all others
        those of the solution in `optimum`. A level is proven if it is at its bound, and
        so are all before it; later ones have no bound.
        """
        level_values = []
        is_proven_so_far = True
        proven_bounds = [*optimum.values]
        if optimum.bound is not None:
            proven_bounds.append(optimum.bound)
        for level_index, (criterion, level_label, expression) in enumerate(levels):
            level_bound = None
            if is_proven_so_far and level_index < len(proven_bounds):
                level_bound = proven_bounds[level_index]
            model_level_index = model_indices[level_index]
            if model_level_index is None:
                program_value = None
                if optimum.use is not None:
                    program_value = _evaluate(expression, optimum.assignment)
                level_value = LevelValue(
                    criterion,
                    level_label,
                    program_value,
                    level_bound,
                    1,
                    False,
                    f"{criterion} {level_label}",
                )
            else:
                level_value = result.level_values[model_level_index]
                program_value = level_value.value
                if level_bound is not None:
                    level_bound += self._problem.levels[model_level_index].offset
            is_proven_so_far = (
                is_proven_so_far
                and program_value is not None
                and program_value == level_bound
            )
            level_values.append(
                level_value._replace(bound=level_bound, proven=is_proven_so_far)
            )
        return tuple(level_values)


def _evaluate(expression: "LinearExprT", assignment: Sequence[int]) -> int:
    """Return the value of a linear expression with integer coefficients.

    `assignment` has the value of each variable of the model, by its index.
    """
    scratch_model = CpModel()
    scratch_model.minimize(expression)
    scratch_objective = scratch_model.proto.objective
    expression_value = round(scratch_objective.offset)
    for variable_index, variable_coefficient in zip(
        scratch_objective.vars, scratch_objective.coeffs, strict=True
    ):
        # a negative index is the negation of a Boolean
        variable_value = (
            assignment[variable_index]
            if variable_index >= 0
            else 1 - assignment[-variable_index - 1]
        )
        expression_value += variable_coefficient * variable_value
    return expression_value


def _level_key(level: ProgramLevel) -> tuple[str, Label, str]:
    """Return a level's criterion, label and expression as text, equal for equal levels.

    Two expressions are equal even if they are different objects.
    """
    criterion, level_label, expression = level
    scratch_model = CpModel()
    scratch_model.minimize(expression)
    return criterion, level_label, str(scratch_model.proto)


def _digest(model: CpModel) -> bytes:
    """Return the SHA-256 of a program without its hints, to notice a user's changes.

    The model itself stays as it is.
    """
    model_without_hints = model.clone()
    model_without_hints.clear_hints()  # type: ignore[no-untyped-call]
    return sha256(str(model_without_hints.proto).encode()).digest()


def _objective(model: CpModel) -> list[ProgramLevel]:
    """Convert the objective that a user has given to the model to a list of one level.

    The list is empty without an objective. To maximise is to minimise with the sign
    changed. Raises UsageError if it is not a linear expression with integers.
    """
    if not model.has_objective():
        return []
    user_objective = model.proto.objective
    summed_variables = [
        model.get_int_var_from_proto_index(variable_index)
        for variable_index in user_objective.vars
    ]
    objective_sum = LinearExpr.weighted_sum(summed_variables, [*user_objective.coeffs])
    objective_sum = objective_sum + round(user_objective.offset)
    rebuilt_model = CpModel()
    if user_objective.scaling_factor > 0:
        rebuilt_model.minimize(objective_sum)
    else:
        rebuilt_model.maximize(-objective_sum)
    if str(rebuilt_model.proto.objective) != str(user_objective):
        raise UsageError("program.no_sum")
    return [("objective", 1, objective_sum)]


def _require_sound(program: cpsat.PairModel, levels: list[ProgramLevel]) -> None:
    """Raise UsageError if CP-SAT refuses the program or one of its levels.

    A level must be a linear expression with integer values. It is also an error if
    variables that were built have been removed. The objective of `program.model` is
    overwritten.
    """
    cp_model = program.model
    if len(cp_model.proto.variables) < len(program.played):
        raise UsageError("program.fewer_variables")
    for criterion, level_label, expression in (("", "", 0), *levels):
        if isinstance(expression, LinearExpr) and not expression.is_integer():
            raise UsageError(
                "program.level_no_sum", criterion=criterion, level=level_label
            )
        cp_model.minimize(expression)
        fault_text = cp_model.validate()
        if fault_text and not criterion:
            # criterion and level are empty; JSON has always had them
            raise UsageError(
                "program.refused",
                criterion=criterion,
                level=level_label,
                fault=fault_text,
            )
        if fault_text:
            level_fault_note = message(
                "program.refused_level",
                criterion=criterion,
                level=level_label,
                fault=fault_text,
            )
            # JSON has had one kind for both cases since version 1.0.
            raise UsageError(with_heading(level_fault_note, name="program.refused"))


@show_keywords(RoundOptions)
def program(
    event: Event, model: ModelLike | None = None, **options: Unpack[RoundKeywords]
) -> Program:
    """Return the event's next round as the integer program that `--formulation pairs` solves.

    Parameters
    ----------
    event : Event
        The event with the rounds that have been played.
    model : str, Path or Model, optional
        The model of the round.
    **options
        Options of the round, as for `solve`.

    Returns
    -------
    Program
        The round as a program that you can read, change and solve.

    Raises
    ------
    UsageError
        If the model has a level that is not a sum over matches, or if an option does
        not fit, as `solve` describes.

    Examples
    --------
    >>> len(program(event, "standard").arcs)  # doctest: +SKIP
    """
    problem, _ = build_problem_with_budget(
        event, model, RoundOptions, options, "program"
    )
    if problem.system is not None:
        raise UsageError("program.by_brackets", model=problem.model.name)
    names_and_bye: list[str | None] = [*problem.state.names, None]
    built_model = cpsat.build_pair_model(
        build_candidates(problem), further_of(problem), names_and_bye[:-1]
    )
    first_ends, second_ends = (
        built_model.columns.a.tolist(),
        built_model.columns.b.tolist(),
    )
    variable_by_match = {
        (str(names_and_bye[first_end]), names_and_bye[second_end]): arc_variable
        for first_end, second_end, arc_variable in zip(
            first_ends, second_ends, built_model.played, strict=True
        )
    }
    program_levels = [
        (level.criterion, level.label, built_model.sum(level_costs))
        for level, level_costs in zip(
            problem.levels, built_model.columns.costs.T, strict=True
        )
    ]
    return Program(
        built_model.model, variable_by_match, program_levels, problem, built_model
    )
