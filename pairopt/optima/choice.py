"""Choice: what `--choose uniform` and `--count` make of a proven optimum."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pairopt.engines.base import Budget
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs
from pairopt.optima.counting import Count, count
from pairopt.optima.drawing import MIXED, Chained, draw
from pairopt.optima.optima import MOST_PLAYERS, optima_of
from pairopt.problem.model import Objective
from pairopt.problem.problem import Problem
from pairopt.wording import large


@dataclass(frozen=True, slots=True)
class Choice:
    """How a pairing was taken from the optimal ones, and how many these are.

    With `uniform` each was as likely as any other: exactly, or where `chained` lists pieces of
    the field drawn by a Markov chain, approximately. `count` is None if nobody asked, or if
    it was asked for (`counted`) and could not be found.
    """

    uniform: bool
    chained: tuple[Chained, ...] = ()
    count: Count | None = None
    counted: bool = False

    @property
    def exact(self) -> bool:
        """Whether all optimal pairings were exactly equally likely."""
        return self.uniform and not self.chained

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; numbers of pairings are texts, they may have hundreds of digits."""
        content: dict[str, Any] = {"choose": "uniform" if self.uniform else "any"}
        if self.uniform:
            content["exact"] = self.exact
            content["chains"] = [
                {
                    "players": run.players,
                    "chains": run.chains,
                    "sweeps": run.sweeps,
                    "r_hat": round(run.r_hat, 4),
                }
                for run in self.chained
            ]
        if self.counted:
            content["count"] = None
        if self.count is not None:
            content["count"] = {
                "value": _digits(self.count.value),
                "low": _digits(self.count.low),
                "high": _digits(self.count.high),
                "exact": self.count.exact,
            }
        return content

    def words(self) -> list[str]:
        """What to say of it, in sentences."""
        said = []
        if self.counted and self.count is None:
            said.append("How many optimal pairings there are could not be found.")
        if self.count is not None:
            number = large(self.count.value)
            if self.count.exact and self.count.value == 1:
                said.append("No other pairing is as good: there is one optimal pairing.")
            elif self.count.exact:
                said.append(f"There are {number} optimal pairings, counted exactly.")
            else:
                low, high = large(self.count.low), large(self.count.high)
                said.append(f"There are about {number} optimal pairings (95%: {low} to {high}).")
        if self.exact:
            said.append("Drawn by lot: each optimal pairing was exactly as likely as any other.")
        elif self.uniform:
            said.append(
                "Drawn by a Markov chain: each optimal pairing was approximately as likely as "
                f"any other ({'; '.join(map(_run, self.chained))})."
            )
            if any(run.r_hat > MIXED for run in self.chained):
                said.append(
                    f"R-hat above {MIXED}: the chains still remember where they began; "
                    "do not rely on the draw being fair."
                )
        return said


def _run(run: Chained) -> str:
    return (
        f"{run.players} players, {run.chains} chains of {run.sweeps} sweeps, R-hat {run.r_hat:.2f}"
    )


def _digits(number: int) -> str:
    """All digits (Python limits str(int) to 4,300 of them)."""
    return format(Decimal(number), "f")


def require_choosable(problem: Problem) -> None:
    """Raises UsageError for a round whose optimal pairings are neither counted nor drawn."""
    if problem.lookahead:
        raise UsageError("with a lookahead optimal pairings are neither counted nor drawn")
    if len(problem) > MOST_PLAYERS:
        raise UsageError(f"optimal pairings are counted and drawn for up to {MOST_PLAYERS} players")


def choose_among(
    problem: Problem, arcs: Arcs, objective: Objective, uniform: bool, counted: bool, budget: Budget
) -> tuple[Arcs, Choice]:
    """From one optimal pairing to another one by lot, or the same, and the choice made."""
    optima = optima_of(problem, arcs, objective)
    number = count(optima, problem.seed) if counted else None
    if not uniform:
        return arcs, Choice(False, (), number, counted)
    drawn = draw(optima, problem.seed)
    return drawn.arcs, Choice(True, drawn.chained, number, counted)
