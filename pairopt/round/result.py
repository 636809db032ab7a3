"""Result: what a solve hands back."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pairopt.budget import Budget
from pairopt.engines.base import CHANGED, Options, Status
from pairopt.event.arcs import BYE, Arcs
from pairopt.event.layout import COLUMNS
from pairopt.event.rows import PairedRow
from pairopt.problem.levels import (
    LevelValue,
    decisive,
    difference_lines,
    first_difference,
)
from pairopt.problem.model_file import Objective
from pairopt.problem.problem import OfRound, Problem
from pairopt.records import frame, record, records
from pairopt.round.deviation import deviation
from pairopt.round.proven import Kind, Proven, asked_for, tables_stay
from pairopt.wording import VERDICTS
from pairopt.words import Said

if TYPE_CHECKING:
    import pandas as pd

    from pairopt.lots.choice import Choice
    from pairopt.proof.diagnosis import Clash
    from pairopt.proof.document import Proof


BY_HAND = "by hand"
"""Stands in the place of an engine where somebody has made the pairing."""
LEVEL = ("criterion", "level", "value", "bound", "scale", "proven")
"""What tables and JSON have of a `LevelValue`."""
Match = tuple[str, ...]
"""Two players, the first side first where there are sides; or one with a bye."""


@dataclass(frozen=True)
class Result(OfRound):
    """A paired round, or why there is none.

    `problem` is what was paired; `arcs` its matches in the order of tables, byes last, None
    where there is no pairing; `matches` the rows of matches.csv in the same order, then byes
    asked for. `level_values` are the model's levels in order, `conflicts` says in sentences what
    clashes when the status is "infeasible", or what a pairing made by hand breaks; `clash` names
    rules and players. `choice` says how the pairing was taken from the optimal ones and how many
    there are, None if nobody asked or no optimum is proven. `proven_by` names the
    engines that each settled all levels by themselves, `parts` those that the first is made of.
    """

    status: Status
    objective: Objective
    engine: str
    seed: int
    level_values: tuple[LevelValue, ...]
    matches: tuple[PairedRow, ...]
    problem: Problem = field(compare=False, repr=False)
    arcs: Arcs | None = field(compare=False, repr=False)
    further: tuple[Arcs, ...] = field(default=(), compare=False, repr=False)
    conflicts: tuple[str, ...] = ()
    clash: Clash | None = None
    choice: Choice | None = None
    notes: tuple[str | Said, ...] = ()
    proven_by: tuple[str, ...] = field(default=(), compare=False)
    parts: tuple[str, ...] = field(default=(), compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def proven(self) -> bool:
        """Whether no pairing is better."""
        return self.status == "optimal"

    @cached_property
    def proof(self) -> Proof | None:
        """Why no pairing is better, or why there is none, for anybody to verify.

        None where that is not proven, or only an engine says that nothing leaves room for the
        rounds asked for. Raises UsageError for a procedure or a very large field.
        """
        from pairopt.proof.proving import prove

        return prove(self)

    def noted(self, note: str) -> Result:
        """The result with a note more."""
        return replace(self, notes=(*self.notes, note))

    @property
    def decisive(self) -> tuple[LevelValue, ...]:
        """The levels that decide which of two pairings is better: the first that differs."""
        return decisive(self.level_values)

    def differences(self, other: Result) -> list[str]:
        """What differs from another pairing of the round, level by level, in words.

        Of a system the first level of the first bracket that is paired otherwise, as it decides
        what comes after it.
        """
        if self.problem.system is None:
            return difference_lines(self.level_values, other.level_values)
        if self.arcs is None or other.arcs is None:
            return []
        if self.problem.state.names != other.problem.state.names:  # some stay away from one
            first = first_difference(self.decisive, other.decisive)
            return [] if first is None else difference_lines((first[0],), (first[1],))
        found = deviation(
            other.problem,
            (self.level_values, self.arcs),
            (other.level_values, other.arcs),
            other.engine,
            Options(other.objective, budget=Budget(other.seed)),
        )
        return [] if found is None else [found.worse(other.problem, other.arcs)]

    @property
    def pairs(self) -> tuple[Match, ...]:
        """The matches by identifiers, in the order of tables; none where there is no pairing."""
        if self.arcs is None:
            return ()
        names = self.problem.state.names
        return tuple(tuple(names[p] for p in seat if p != BYE) for seat in self.arcs.pairs)

    def stated(self, without: Collection[str] = ()) -> Proven:
        """What is proven of it, where some of the options make no difference."""
        if not self.proven or self.engine == CHANGED:
            return Proven("by hand" if self.engine == BY_HAND else "not")
        options = self.problem.asked
        kind: Kind = "tables stay" if tables_stay(options) else "now"
        return Proven(kind, asked_for(self.event, options, without))

    @property
    def verdict(self) -> str:
        """What the result is worth, in a sentence."""
        said = VERDICTS.get(self.engine, VERDICTS[self.status])
        return f"{said[:-1]}{self.stated().asked}."

    def conclusion(self) -> list[str]:
        """What the result is worth, and how it was chosen, in sentences."""
        said = [self.verdict, *(map(str, self.choice.words()) if self.choice else [])]
        twice = f"Settled twice, by {' and by '.join(self.proven_by)}, each by itself."
        return [*said, twice] if len(self.proven_by) > 1 else said

    @property
    def levels(self) -> pd.DataFrame:
        """One row a level: criterion, level, value, bound, scale, proven."""
        return frame(self.level_values, *LEVEL)

    @property
    def pairings(self) -> pd.DataFrame:
        """The round's rows with the columns of matches.csv."""
        import pandas as pd

        return pd.DataFrame(list(self.matches), columns=list(COLUMNS), dtype=object)

    def to_dict(self, timings: bool = False) -> dict[str, Any]:
        """The JSON form of the result."""
        content = record(self, "round", "model", "objective", "engine", "proven_by", "status")
        content["levels"] = records(self.level_values, *LEVEL)
        content |= {"pairings": list(self.matches), "conflicts": list(self.conflicts)}
        content["seed"] = self.seed
        if self.choice is not None:
            content["choice"] = self.choice.to_dict()
        if timings:
            content["seconds"] = round(self.seconds, 6)
        return content
