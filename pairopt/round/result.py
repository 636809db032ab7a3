"""Result: what a solve hands back, and what is proven of it, in words that all doors have."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from pairopt.common.budget import Budget
from pairopt.common.serialization import to_data_frame, to_record, to_records
from pairopt.engines import solve_by
from pairopt.engines.base import CHANGED, EngineOptions, Status
from pairopt.errors import ConfirmationError
from pairopt.event.arcs import BYE, Arcs
from pairopt.event.column_layout import COLUMNS
from pairopt.event.event import Event
from pairopt.event.table_assignment import PairedRow
from pairopt.messages import Message, Note, message
from pairopt.problem.levels import (
    LevelValue,
    Pairing,
    decisive_levels,
    difference_lines,
    first_deviation,
    level_values,
    worse_text,
)
from pairopt.problem.model_file import Objective
from pairopt.problem.options import RoundOptions
from pairopt.problem.problem import Problem, RoundAnalysis
from pairopt.problem.verifier import verify_pairing
from pairopt.proof.claim import non_default_options
from pairopt.proof.verify import describe_requests as among
from pairopt.rules.constraints.requested import ForcedPairs

if TYPE_CHECKING:
    import pandas as pd

    from pairopt.proof.file import Proof
    from pairopt.proof.infeasibility_text import InfeasibleSubset
    from pairopt.sampling.choose_optimal import OptimalChoice

Kind = Literal["now", "then", "tables stay", "by hand", "not"]
STAY = (
    "fixed",
    "published",
)  # options by which a round that was published is paired again


@dataclass(frozen=True, slots=True)
class ProofStatus:
    """What is proven of a round. Its `kind`: that no pairing is better ("now"), or was when it was
    paired, by the event after `step` ("then"), or is with the "tables that stay"; that somebody has
    made it "by hand"; or "not" even that. `asked` says among which pairings; of so many levels, the
    last ones, nothing is known (`open`).
    """

    kind: Kind
    asked: str = ""
    step: int | None = None
    open: int = 0

    @property
    def said(self) -> Message:
        if self.kind in ("by hand", "not"):
            return message(
                "proof.by_hand" if self.kind == "by hand" else "proof.not_proven"
            )
        if self.kind == "then":
            kind = "proof.held_but" if self.open else "proof.held"
        else:
            kind = "proof.holds_but" if self.open else "proof.holds"
        return message(kind, asked=self.asked, open=self.open, step=self.step)

    @property
    def words(self) -> str:
        return str(self.said)

    def to_dict(self) -> dict[str, Any]:
        return to_record(self, "kind", "step", "open", "words")


def tables_stay(options: RoundOptions) -> bool:
    return any(getattr(options, name) for name in STAY)


def describe_options(
    event: Event, options: RoundOptions, without: Collection[str] = ()
) -> str:
    """Among which pairings none is better, in words: all but for what was asked."""
    content = non_default_options(event, options)
    rest = {
        name: value for name, value in content.items() if name not in (*STAY, *without)
    }
    stay = " with the tables that stay" * tables_stay(options)
    return stay + among(
        {"options": rest}, dict(zip(event.players, event.shown, strict=True))
    )


BY_HAND = (
    "by hand"  # stands in the place of an engine where somebody has made the pairing
)
VERDICTS = {
    "optimal": "verdict.optimal",
    "feasible": "verdict.feasible",
    "unknown": "verdict.unknown",
    "heuristic": "verdict.heuristic",
    "infeasible": "verdict.infeasible",
    CHANGED: "verdict.program",
}
"""What a result is worth, by its status, or by the engine "program"."""
LEVEL = ("criterion", "level", "value", "bound", "scale", "proven")
"""What tables and JSON have of a `LevelValue`."""
FEWEST_MISSED = 2  # rounds after which somebody who has missed them is asked about
Match = tuple[str, ...]
"""Two players, the first side first where there are sides; or one with a bye."""


@dataclass(frozen=True)
class Result(RoundAnalysis):
    """A paired round, or why there is none.

    `problem` is what was paired; `arcs` its matches in the order of tables, byes last, None where
    there is no pairing; `matches` the rows of matches.csv in the same order, then byes asked for.
    `level_values` are the model's levels in order, `conflicts` says in sentences what clashes when
    the status is "infeasible", or what a pairing made by hand breaks; `clash` names rules and
    players. `choice` says how the pairing was taken from the optimal ones and how many there are,
    None if nobody asked or no optimum is proven. `proven_by` names the engines that each settled
    all levels by themselves, `parts` those that the first is made of.
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
    conflicts: tuple[str | Note, ...] = ()
    clash: InfeasibleSubset | None = None
    choice: OptimalChoice | None = None
    notes: tuple[str | Note, ...] = ()
    proven_by: tuple[str, ...] = field(default=(), compare=False)
    parts: tuple[str, ...] = field(default=(), compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def proven(self) -> bool:
        """Whether no pairing is better."""
        return self.status == "optimal"

    @cached_property
    def proof(self) -> Proof | None:
        """Why no pairing is better, or why there is none, for anybody to verify. None where that is
        not proven, or only an engine says that nothing leaves room for the rounds asked for. Raises
        UsageError for a procedure or a very large field.
        """
        return self.prove()

    def prove(self, budget: Budget = Budget()) -> Proof | None:
        """The proof once more, in time. Raises TimeUpError, and what `proof` does."""
        # A round is paired without the modules that prove.
        from pairopt.proof.proving import prove, require_provable

        require_provable(self.problem, self.engine)
        if self.status not in ("optimal", "infeasible"):
            return None
        return prove(self.problem, self.arcs, self.further, budget)

    def noted(self, note: Note) -> Result:
        return replace(self, notes=(*self.notes, note))

    @cached_property
    def question(self) -> Message | None:
        """What is asked before the round is published: whether who was away for the last rounds is
        in for a bye worth a win. Nothing of a bye that somebody has asked for by name.
        """
        event, asked = self.event, self.problem.asked
        byes = [row for row in self.matches if row["status"] == "bye"]
        if asked.bye is not None or not byes or not event.complete_history:
            return None
        player, points = str(byes[0]["player1"]), str(byes[0]["score1"])
        missed = event.turns.last_rounds_missed(event.index[player])
        if len(missed) < FEWEST_MISSED or Fraction(points) < self.problem.state.win:
            return None
        return message(
            "bye.in_or_out",
            player=player,
            name=event.called[player],
            points=points,
            first=missed[0],
            last=missed[-1],
        )

    def require_sure(self, sure: bool) -> None:
        """Raises ConfirmationError where there is something to ask, unless it is said for `sure`."""
        if self.question and not sure:
            raise ConfirmationError(self.question)

    @property
    def decisive(self) -> tuple[LevelValue, ...]:
        """The levels that decide which of two pairings is better: the first that differs."""
        return decisive_levels(self.level_values)

    @property
    def objective_values(self) -> tuple[Fraction | None, ...]:
        """The decisive levels in order, which solvers call the objective; None without pairing."""
        return tuple(
            None if e.value is None else Fraction(e.value, e.scale)
            for e in self.decisive
        )

    @property
    def lower_bound(self) -> tuple[Fraction | None, ...]:
        """Below which no pairing is that is as good in the levels before; None where unknown."""
        return tuple(
            None if e.bound is None else Fraction(e.bound, e.scale)
            for e in self.decisive
        )

    @property
    def runtime(self) -> float:
        """`seconds`, by the name that other solvers have for them."""
        return self.seconds

    def differences(self, other: Result) -> list[str]:
        """What differs from another pairing of the round, level by level, in words; of a system the
        first level alone, as it decides what comes after it.
        """
        if self.problem.system is None:
            return difference_lines(self.level_values, other.level_values)
        if self.arcs is None or other.arcs is None:
            return []
        if (
            self.problem.state.names != other.problem.state.names
        ):  # some stay away from one
            return difference_lines(self.decisive, other.decisive)[:1]
        found = deviation(
            other.problem,
            (self.level_values, self.arcs),
            (other.level_values, other.arcs),
            other.engine,
            EngineOptions(other.objective, budget=Budget(other.seed)),
        )
        return [] if found is None else [str(found.worse(other.problem, other.arcs))]

    @property
    def pairs(self) -> tuple[Match, ...]:
        """The matches by identifiers, in the order of tables; none where there is no pairing."""
        if self.arcs is None:
            return ()
        names = self.problem.state.names
        return tuple(
            tuple(names[p] for p in seat if p != BYE) for seat in self.arcs.pairs
        )

    def stated(self, without: Collection[str] = ()) -> ProofStatus:
        """What is proven of it, where some of the options make no difference."""
        if not self.proven or self.engine == CHANGED:
            return ProofStatus("by hand" if self.engine == BY_HAND else "not")
        options = self.problem.asked
        kind: Kind = "tables stay" if tables_stay(options) else "now"
        return ProofStatus(kind, describe_options(self.event, options, without))

    @property
    def verdict(self) -> Message:
        """What the result is worth, in a sentence."""
        if self.status == "unknown" and self.problem.lookahead:
            return message("verdict.unknown_ahead", rounds=self.problem.lookahead)
        kind = VERDICTS.get(self.engine, VERDICTS[self.status])
        asked = self.stated().asked
        return (
            message("verdict.optimal_among", asked=asked)
            if asked and self.proven
            else message(kind)
        )

    def conclusion(self) -> list[str | Note]:
        """What the result is worth, and how it was chosen, in sentences."""
        said: list[str | Note] = [
            self.verdict,
            *(self.choice.words() if self.choice else []),
        ]
        if len(self.proven_by) == 2:
            engine, other = self.proven_by
            said.append(message("solving.settled_twice", engine=engine, other=other))
        elif self.proven_by:
            said.append(message("solving.settled_once", engine=self.proven_by[0]))
        return said

    @property
    def levels(self) -> pd.DataFrame:
        """One row a level: criterion, level, value, bound, scale, proven."""
        return to_data_frame(self.level_values, *LEVEL)

    @property
    def pairings(self) -> pd.DataFrame:
        """The round's rows with the columns of matches.csv."""
        # pandas takes a third of a second to import, and only tables need it.
        import pandas as pd

        return pd.DataFrame(list(self.matches), columns=list(COLUMNS), dtype=object)

    def to_dict(self, timings: bool = False) -> dict[str, Any]:
        content = to_record(
            self, "round", "model", "objective", "engine", "proven_by", "status"
        )
        content["levels"] = to_records(self.level_values, *LEVEL)
        content |= {
            "pairings": list(self.matches),
            "conflicts": [*map(str, self.conflicts)],
        }
        content["seed"] = self.seed
        if self.choice is not None:
            content["choice"] = self.choice.to_dict()
        if timings:
            content["seconds"] = round(self.seconds, 6)
        return content


@dataclass(frozen=True, slots=True)
class LevelDeviation:
    """The first level in which a pairing is worse than the optimal one, that has `best`. `level` is
    that of `arcs`: the pairing itself, or where it looks ahead into brackets that are paired worse
    than they could be, the pairing with those at their best.
    """

    index: int
    level: LevelValue
    arcs: Arcs
    best: LevelValue

    def worse(self, problem: Problem, optimum: Arcs) -> Note:
        return worse_text(
            problem, self.index, (self.level, self.arcs), (self.best, optimum)
        )


def deviation(
    problem: Problem, one: Pairing, best: Pairing, engine: str, how: EngineOptions
) -> LevelDeviation | None:
    """Where a pairing of the round is first worse than an optimal one, None where it is not. A
    bracket is to leave the next one a good pairing; whether that is used is another matter. So
    where that level is named all below the bracket is paired as well as it still can be.
    """
    found = _first(problem, one, best)
    if found is None or problem.system is None:
        return found
    made = problem.system.looks_from(found.index, found.arcs)
    if made is None:
        return found
    ends = (found.arcs.first, found.arcs.second)
    first, second = (problem.state.player[each[made]].tolist() for each in ends)
    forced = ForcedPairs(tuple(zip(first, second, strict=True)))
    bound = replace(problem, constraints=(*problem.constraints, forced))
    other = solve_by(engine, bound, how)
    if other.status != "optimal" or other.arcs is None:
        return found
    levels = level_values(
        problem, how.objective, verify_pairing(problem, other.arcs).values
    )
    return _first(problem, (levels, other.arcs), best) or found


def _first(problem: Problem, one: Pairing, best: Pairing) -> LevelDeviation | None:
    if (both := first_deviation(problem, one, best)) is None:
        return None
    return LevelDeviation(best[0].index(both[1]), both[0], one[1], both[1])
