"""Program: the round as an integer program, for people to read and to add to."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack

from pairopt.engines.base import Options
from pairopt.engines.columns import exact_total
from pairopt.engines.cpsat import program as cpsat
from pairopt.engines.cpsat.further import further_of
from pairopt.engines.cpsat.plain import solution_of
from pairopt.engines.cpsat.program import Found, Goal
from pairopt.errors import UsageError
from pairopt.event.event import Event
from pairopt.problem.levels import LevelValue
from pairopt.problem.options import ModelLike, RoundKeywords, RoundOptions, options_of, spelled_out
from pairopt.problem.problem import Problem
from pairopt.problem.ready import problem_for
from pairopt.problem.system import Level
from pairopt.proof.diagnosis import why_infeasible
from pairopt.proof.proving import CHANGED
from pairopt.round.result import Result
from pairopt.round.solve import result_of, verified_levels
from pairopt.rules.base import Label

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar, LinearExprT

OWN = ("no pairing keeps the constraints of the model and those that were added to the program",)


@dataclass
class Program:
    """One round as CP-SAT's model; `pairopt.engines.cpsat.program` says what is in it.

    `model` holds the constraints, to which others may be added. `arcs` has the Boolean of each
    candidate match by two identifiers, the first side first where there are sides, or by one and
    None for a bye; what a constraint forbids is not there. `levels` are criterion, level and
    expression, the most important first; others may be put between them, or some left out.
    """

    model: CpModel
    arcs: dict[tuple[str, str | None], IntVar]
    levels: list[tuple[str, Label, LinearExprT]]
    _problem: Problem = field(repr=False)
    _options: RoundOptions = field(repr=False)
    _built: cpsat.PairProgram = field(repr=False)

    def __post_init__(self) -> None:
        known = zip(self.levels, cpsat.goals_of(self._built), self._problem.levels, strict=True)
        self._known = {id(level[2]): (goal, own) for level, goal, own in known}
        self._expressions, self._size = self._said(), len(self.model.proto.constraints)

    def _said(self) -> list[int]:
        return [id(expression) for _, _, expression in self.levels]

    @property
    def changed(self) -> bool:
        """Whether constraints were added, or the levels are others."""
        return self._said() != self._expressions or self._size != len(self.model.proto.constraints)

    def solve(self, lexicographic: bool = True) -> Result:
        """Minimise the levels in order, or else the weighted sum of the model's levels.

        Weights are those of a weighted model, else each unit of a level outweighs all later ones.
        The program stays as it is: more may be added to it, and it be solved again.

        Returns:
            A `Result`, "optimal" where no pairing that keeps all constraints is better. Where
            something was added its engine is "program", and there is no proof to write.

        Raises:
            UsageError: a weighted sum that is too large, or where the levels are not the model's.
        """
        problem, built = self._problem, self._built
        budget = self._options.budget(time.monotonic())
        options = Options("lexicographic" if lexicographic else "weighted", "pairs", budget)
        if not lexicographic and self._said() != self._expressions:
            raise UsageError("a weighted sum is one of the model's own levels, and of all of them")
        known = [
            self._known.get(id(expression), (Goal(None, own=expression), None))
            for *_, expression in self.levels
        ]
        program = replace(built, model=self.model.clone())
        if not built.columns.reach_all or (built.ahead is not None and built.ahead.too_many):
            found = Found()
        elif lexicographic:
            found = cpsat.lexicographic(program, [goal for goal, _ in known], budget)
        else:
            found = cpsat.weighted(problem, program, budget)
        solution = solution_of(problem, built.columns, found, budget)
        if not self.changed or not lexicographic:
            levels = verified_levels(problem, "cpsat", options, solution)
        else:
            unsaid = replace(solution, bounds=(None,) * len(problem.levels))
            verified_levels(problem, CHANGED, options, replace(unsaid, status="feasible"))
            levels = tuple(self._values(known, found))
        engine = CHANGED if self.changed else "cpsat"
        result = result_of(problem, engine, options, solution, levels)
        if solution.status != "infeasible":
            return result
        if self.changed:
            return replace(result, conflicts=OWN)
        clash, conflicts = why_infeasible(problem, options)
        return replace(result, clash=clash, conflicts=conflicts)

    def _values(self, known: list[Any], found: Found) -> Iterator[LevelValue]:
        """The levels as they stand in the program, those of one's own among them."""
        if found.use is None and found.bound is None:
            return
        bounds = [*found.values, *([] if found.bound is None else [found.bound])]
        for k, ((criterion, label, _), (goal, own)) in enumerate(
            zip(self.levels, known, strict=True)
        ):
            level = own or Level(-1, criterion, label, 1, 0, f"{criterion} {label}")
            value = found.values[k] if k < len(found.values) else None
            if value is None and goal.cost is not None and found.use is not None:
                value = exact_total(found.use, goal.cost)
            bound = bounds[k] if k < len(bounds) else None
            shown = [None if each is None else each + level.offset for each in (value, bound)]
            yield LevelValue(
                level.criterion, level.label, shown[0], shown[1], level.scale,
                k < len(found.values), level.words, level.place,
            )  # fmt: skip


@spelled_out(RoundOptions)
def program(
    event: Event, model: ModelLike | None = None, **options: Unpack[RoundKeywords]
) -> Program:
    """The event's next round as the integer program that `--formulation pairs` solves.

    Args:
        event: players and rounds so far.
        model: name of a shipped model, path of a TOML file, or a `Model`.
        options: the fields of `RoundOptions`.

    Raises:
        UsageError: an option that does not fit; a model whose levels are no sums over matches.
        InputError: an event whose earlier rounds are not finished, or a bad model file.
    """
    chosen = options_of(event, RoundOptions, options, "program")
    problem = problem_for(event, model, chosen)
    if problem.system is not None:
        raise UsageError(
            f"model {problem.model.name} is paired bracket by bracket: there is no one program"
        )
    built = cpsat.program_of(cpsat.candidates(problem), further_of(problem))
    names: list[str | None] = [*problem.state.names, None]
    ends = zip(built.columns.a.tolist(), built.columns.b.tolist(), strict=True)
    arcs = {
        (str(names[one]), names[two]): variable
        for (one, two), variable in zip(ends, built.played, strict=True)
    }
    levels = [
        (level.criterion, level.label, built.sum(cost))
        for level, cost in zip(problem.levels, built.columns.costs.T, strict=True)
    ]
    return Program(built.model, arcs, levels, problem, chosen, built)
