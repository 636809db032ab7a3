"""The round as an integer program that people can read and add to."""

import time
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Unpack

from pairopt.engines.base import CHANGED, EngineError, EngineOptions, Solution
from pairopt.engines.cpsat import pair_model as cpsat
from pairopt.engines.cpsat.pair_model import Objective, ObjectiveValues
from pairopt.engines.cpsat.pair_model_engine import make_solution
from pairopt.engines.further import further_of
from pairopt.engines.ortools import without_ortools
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.messages import message, with_heading
from pairopt.problem.build import build_problem_with_budget
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.levels import LevelValue
from pairopt.problem.options import ModelLike, RoundOptions, show_keywords
from pairopt.problem.problem import Problem
from pairopt.round.result import Result
from pairopt.round.solve import result_of
from pairopt.rules.base import Label

try:
    from ortools.sat.python.cp_model import CpModel, LinearExpr
except ImportError as error:
    raise without_ortools() from error

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import IntVar, LinearExprT

# a level: its criterion, its label, and the expression to minimise
ProgramLevel = tuple[str, Label, "LinearExprT"]


@dataclass
class Program:
    """A round as a CP-SAT model that you can change and solve.

    See `pairopt.engines.cpsat.pair_model` for the variables. If you set an objective
    with `model.minimize` or `model.maximize`, this objective is the last level.

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
        """Remember the levels and the constraints as they were built."""
        self._built_keys = [_level_key(level) for level in self.levels]
        self._built_digest = _digest(self.model)

    @property
    def changed(self) -> bool:
        """Whether `levels` or `model`, apart from its hints, differ from what was built."""
        current_keys = [_level_key(level) for level in self.levels]
        return (
            current_keys != self._built_keys
            or _digest(self.model) != self._built_digest
        )

    def solve(self, lexicographic: bool = True) -> Result:
        """Minimise the levels in order, or otherwise the weighted sum of the model's levels.

        The weights are those of a weighted model; otherwise each unit of a level outweighs all
        later levels. The program is not changed: you can add more to it and solve it again.

        If the program was changed, nothing is claimed of the model: the engine is "program",
        the status is "feasible", and a note says whether a better pairing may satisfy the
        program. The status "infeasible" means that no pairing satisfies it. There is no proof.

        Parameters
        ----------
        lexicographic : bool
            Minimise the levels in order.

        Returns
        -------
        Result
            The pairing; its status is "optimal" if no pairing is better.

        Raises
        ------
        UsageError
            If a weighted sum is too large, or the levels are not the model's; if CP-SAT refuses
            the program, or cannot minimise a level; if changes allow what is no pairing.

        Examples
        --------
        >>> program(event, "standard").solve().pairs  # doctest: +SKIP
        """
        problem, built_model, is_changed = self._problem, self._built, self.changed
        budget = self._problem.asked.budget(time.monotonic())
        options = EngineOptions(
            "lexicographic" if lexicographic else "weighted", "pairs", budget
        )
        program = replace(built_model, model=self.model.clone())
        levels = [*self.levels, *_objective(program.model)]
        level_keys = [_level_key(level) for level in levels]
        model_objectives = cpsat.build_objectives(built_model)
        if not lexicographic and level_keys != self._built_keys:
            raise UsageError("program.other_levels")
        if is_changed:
            _require_sound(program, levels)

        model_indices = [
            self._find_model_level(level_index, key)
            for level_index, key in enumerate(level_keys)
        ]
        has_no_pairing = not built_model.columns.reach_all or (
            built_model.ahead is not None and built_model.ahead.too_many
        )
        if has_no_pairing:
            objective_values = ObjectiveValues()
        elif lexicographic:
            objectives = [
                Objective(None, own=expression)
                if model_index is None
                else model_objectives[model_index]
                for (_, _, expression), model_index in zip(
                    levels, model_indices, strict=True
                )
            ]
            objective_values = cpsat.minimize_lexicographically(
                program, objectives, budget
            )
        else:
            objective_values = cpsat.minimize_weighted_sum(problem, program, budget)

        solution = make_solution(problem, built_model.columns, objective_values, budget)
        if not is_changed:
            return result_of(problem, "cpsat", options, solution)
        result = self._make_unclaimed_result(solution, options)
        if solution.status == "infeasible" or not lexicographic:
            return result
        level_values = []
        for level_index, (criterion, label, _) in enumerate(levels):
            model_index = model_indices[level_index]
            if model_index is not None:
                level_values.append(result.level_values[model_index])
                continue
            level_value = (
                objective_values.values[level_index]
                if level_index < len(objective_values.values)
                else None
            )
            level_text = f"{criterion} {label}"
            level_values.append(
                LevelValue(criterion, label, level_value, None, 1, False, level_text)
            )
        return replace(result, level_values=tuple(level_values))

    def _find_model_level(self, j: int, key: tuple[str, Label, str]) -> int | None:
        """Find a level of the program among the model's own levels, by its key.

        `j` is its index in the program. Returns the index of the model's level, None if
        the user added the level. If several have the key, `j` is preferred, otherwise
        the first one is taken.
        """
        built_keys = self._built_keys
        if built_keys[j : j + 1] == [key]:
            return j
        return built_keys.index(key) if key in built_keys else None

    def _make_unclaimed_result(
        self, solution: Solution, options: EngineOptions
    ) -> Result:
        """Return the pairing of a changed program, with the model's levels as verified.

        Its status is never "optimal": a note says what is known of the program. Raises
        UsageError if it is not a pairing of the round.
        """
        problem, status = self._problem, solution.status
        unclaimed_solution = replace(
            solution,
            bounds=(None,) * len(problem.levels),
            status="unknown" if solution.arcs is None else "feasible",
        )
        try:
            result = result_of(problem, CHANGED, options, unclaimed_solution)
        except EngineError as error:
            raise UsageError(
                with_heading(message("program.no_pairing"), error.reason)
            ) from None
        if status == "infeasible":
            conflicts = (message("program.infeasible"),)
            return replace(result, status=status, level_values=(), conflicts=conflicts)
        note_kind = "program.best" if status == "optimal" else "program.stopped"
        return result.noted(message(note_kind))


def _level_key(level: ProgramLevel) -> tuple[str, Label, str]:
    """Return criterion, label and the expression as text, equal for equal levels.

    Two expressions are equal even if they are different objects.
    """
    criterion, label, expression = level
    scratch_model = CpModel()
    scratch_model.minimize(expression)
    return criterion, label, str(scratch_model.proto)


def _digest(model: CpModel) -> bytes:
    """Return the SHA-256 of a program without its hints, to notice a user's changes."""
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
    objective = model.proto.objective
    variables = [
        model.get_int_var_from_proto_index(variable_index)
        for variable_index in objective.vars
    ]
    objective_sum = LinearExpr.weighted_sum(variables, [*objective.coeffs])
    objective_sum = objective_sum + round(objective.offset)
    rebuilt_model = CpModel()
    if objective.scaling_factor > 0:
        rebuilt_model.minimize(objective_sum)
    else:
        rebuilt_model.maximize(-objective_sum)
    if str(rebuilt_model.proto.objective) != str(objective):
        raise UsageError("program.no_sum")
    return [("objective", 1, objective_sum)]


def _require_sound(program: cpsat.PairModel, levels: list[ProgramLevel]) -> None:
    """Raise UsageError if CP-SAT refuses the program, or a level is not an integer.

    The objective of `program.model` is overwritten.
    """
    model = program.model
    if len(model.proto.variables) < len(program.played):
        raise UsageError("program.fewer_variables")
    for criterion, label, expression in (("", "", 0), *levels):
        if isinstance(expression, LinearExpr) and not expression.is_integer():
            raise UsageError("program.level_no_sum", criterion=criterion, level=label)
        model.minimize(expression)
        fault_text = model.validate()
        if fault_text and not criterion:
            # criterion and level are empty; JSON has always had them
            raise UsageError(
                "program.refused", criterion=criterion, level=label, fault=fault_text
            )
        if fault_text:
            at_level = message(
                "program.refused_level",
                criterion=criterion,
                level=label,
                fault=fault_text,
            )
            # JSON has had one kind for both cases since version 1.0.
            raise UsageError(with_heading(at_level, name="program.refused"))


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
        The program, to read, to change and to solve.

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
        cpsat.build_candidates(problem), further_of(problem), names_and_bye[:-1]
    )
    first_ends, second_ends = (
        built_model.columns.a.tolist(),
        built_model.columns.b.tolist(),
    )
    arcs = {
        (str(names_and_bye[first_end]), names_and_bye[second_end]): variable
        for first_end, second_end, variable in zip(
            first_ends, second_ends, built_model.played, strict=True
        )
    }
    levels = [
        (level.criterion, level.label, built_model.sum(level_costs))
        for level, level_costs in zip(
            problem.levels, built_model.columns.costs.T, strict=True
        )
    ]
    return Program(built_model.model, arcs, levels, problem, built_model)
