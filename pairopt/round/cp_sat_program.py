"""Program: the round as an integer program, for people to read and to add to."""

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

Own = tuple[
    str, Label, "LinearExprT"
]  # a level: its criterion, its label, and what is minimised


@dataclass
class Program:
    """One round as CP-SAT's model; `pairopt.engines.cpsat.pair_model` says what is in it.

    `model` holds the constraints, to which others may be added. `arcs` has the Boolean of each
    candidate match, named after both, by two identifiers, the first side first where there are
    sides, or by one and None for a bye; what a constraint forbids is not there. `levels` are
    criterion, level and expression, the most important first; others may be put between, or left
    out. What `model.minimize` says, or `model.maximize` with its sign turned, is the last one.
    """

    model: CpModel
    arcs: dict[tuple[str, str | None], "IntVar"]
    levels: list[Own]
    _problem: Problem = field(repr=False)
    _built: cpsat.PairModel = field(repr=False)

    def __post_init__(self) -> None:
        self._known, self._digest = [*map(_level_key, self.levels)], _digest(self.model)

    @property
    def changed(self) -> bool:
        """Whether anything in `model` but its hints, or in `levels`, is not as it was built."""
        return [*map(_level_key, self.levels)] != self._known or _digest(
            self.model
        ) != self._digest

    def solve(self, lexicographic: bool = True) -> Result:
        """Minimise the levels in order, or else the weighted sum of the model's levels.

        Weights are those of a weighted model, else each unit of a level outweighs all later ones.
        The program stays as it is: more may be added to it, and it be solved again. The `Result` is
        "optimal" where no pairing is better. Of a program that was changed the engine is "program",
        and nothing is claimed of the model: the status is "feasible", and a note says whether a
        pairing that keeps the program may be better; "infeasible" is that no pairing keeps it.
        There is no proof to write. Raises UsageError for a weighted sum that is too large, or where
        the levels are not the model's; for what CP-SAT refuses, or cannot minimise; for changes
        that allow what is no pairing.
        """
        problem, built, changed = self._problem, self._built, self.changed
        budget = self._problem.asked.budget(time.monotonic())
        options = EngineOptions(
            "lexicographic" if lexicographic else "weighted", "pairs", budget
        )
        program = replace(built, model=self.model.clone())
        levels = [*self.levels, *_objective(program.model)]
        said, known, model = (
            [*map(_level_key, levels)],
            self._known,
            cpsat.build_objectives(built),
        )
        if not lexicographic and said != known:
            raise UsageError("program.other_levels")
        if changed:
            _require_sound(program, levels)
        places = [
            next(
                (k for k in (j, *range(len(known))) if known[k : k + 1] == [own]), None
            )
            for j, own in enumerate(said)
        ]
        if not built.columns.reach_all or (
            built.ahead is not None and built.ahead.too_many
        ):
            found = ObjectiveValues()
        elif lexicographic:
            goals = [
                Objective(None, own=own) if k is None else model[k]
                for (*_, own), k in zip(levels, places, strict=True)
            ]
            found = cpsat.minimize_lexicographically(program, goals, budget)
        else:
            found = cpsat.minimize_weighted_sum(problem, program, budget)
        solution = make_solution(problem, built.columns, found, budget)
        if changed:
            result = self._unclaimed(solution, options)
            if solution.status == "infeasible" or not lexicographic:
                return result
            values, made = (*found.values, *[None] * len(levels)), result.level_values
            return replace(
                result,
                level_values=tuple(
                    LevelValue(name, label, value, None, 1, False, f"{name} {label}")
                    if k is None
                    else made[k]
                    for (name, label, _), k, value in zip(
                        levels, places, values, strict=False
                    )
                ),
            )
        return result_of(problem, "cpsat", options, solution)

    def _unclaimed(self, solution: Solution, options: EngineOptions) -> Result:
        """The pairing of a changed program, with the model's levels as the verifier finds them."""
        problem, status = self._problem, solution.status
        known = replace(
            solution,
            bounds=(None,) * len(problem.levels),
            status="unknown" if solution.arcs is None else "feasible",
        )
        try:
            result = result_of(problem, CHANGED, options, known)
        except EngineError as error:
            raise UsageError(
                with_heading(message("program.no_pairing"), error.reason)
            ) from None
        if status == "infeasible":
            conflicts = (message("program.infeasible"),)
            return replace(result, status=status, level_values=(), conflicts=conflicts)
        return result.noted(
            message("program.best" if status == "optimal" else "program.stopped")
        )


def _level_key(level: Own) -> tuple[str, Label, str]:
    """A level as it is told from others, whatever object its expression is."""
    criterion, label, expression = level
    bare = CpModel()
    bare.minimize(expression)
    return criterion, label, str(bare.proto)


def _digest(model: CpModel) -> bytes:
    bare = model.clone()
    bare.clear_hints()  # type: ignore[no-untyped-call]
    return sha256(str(bare.proto).encode()).digest()


def _objective(model: CpModel) -> list[Own]:
    """The objective that somebody gave to the model, as a level. Raises UsageError."""
    if not model.has_objective():
        return []
    given, bare = model.proto.objective, CpModel()
    terms = [model.get_int_var_from_proto_index(index) for index in given.vars]
    total = LinearExpr.weighted_sum(terms, [*given.coeffs]) + round(given.offset)
    if given.scaling_factor > 0:
        bare.minimize(total)
    else:
        bare.maximize(-total)
    if str(bare.proto.objective) != str(given):
        raise UsageError("program.no_sum")
    return [("objective", 1, total)]


def _require_sound(program: cpsat.PairModel, levels: list[Own]) -> None:
    """Raises UsageError for what CP-SAT refuses, and for levels that are no whole numbers."""
    model = program.model
    if len(model.proto.variables) < len(program.played):
        raise UsageError("program.fewer_variables")
    for criterion, label, expression in (("", "", 0), *levels):
        if isinstance(expression, LinearExpr) and not expression.is_integer():
            raise UsageError("program.level_no_sum", criterion=criterion, level=label)
        model.minimize(expression)
        if fault := model.validate():
            raise UsageError(
                "program.refused", criterion=criterion, level=label, fault=fault
            )


@show_keywords(RoundOptions)
def program(
    event: Event, model: ModelLike | None = None, **options: Unpack[RoundKeywords]
) -> Program:
    """The event's next round as the integer program that `--formulation pairs` solves.

    Raises what `solve` does, and UsageError for a model whose levels are no sums over matches.
    """
    problem, _ = build_problem_with_budget(
        event, model, RoundOptions, options, "program"
    )
    if problem.system is not None:
        raise UsageError("program.by_brackets", model=problem.model.name)
    names: list[str | None] = [*problem.state.names, None]
    built = cpsat.build_pair_model(
        cpsat.build_candidates(problem), further_of(problem), names[:-1]
    )
    ends = zip(built.columns.a.tolist(), built.columns.b.tolist(), strict=True)
    arcs = {
        (str(names[one]), names[two]): variable
        for (one, two), variable in zip(ends, built.played, strict=True)
    }
    both = zip(problem.levels, built.columns.costs.T, strict=True)
    levels = [(level.criterion, level.label, built.sum(cost)) for level, cost in both]
    return Program(built.model, arcs, levels, problem, built)
