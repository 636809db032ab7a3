"""Choice: what counting and drawing by lot make of a proven optimum."""

from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.base import RemainingPairs
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs
from pairopt.messages import Message, message
from pairopt.messages.formatting import large_number_text
from pairopt.problem.model_file import Objective
from pairopt.problem.problem import Problem
from pairopt.sampling.counting import OptimaCount, count
from pairopt.sampling.drawing import (
    MIXED,
    ChainDiagnostics,
    DrawnPairing,
    by_table,
    chains,
    draw,
    small_table,
)
from pairopt.sampling.optimal_pairings import MOST_PLAYERS, optima_of
from pairopt.sampling.small_fields import optima_left


@dataclass(frozen=True, slots=True)
class OptimalChoice:
    """How a pairing was taken from the optimal ones, and how many these are. With `uniform` each
    was to be as likely as any other, and where it was `drawn` it was: exactly, or where `chained`
    lists components of the field drawn by a Markov chain, approximately. `count` is None if nobody
    asked, or if it was asked for (`counted`) and could not be found. `stopped` is True where the
    deadline came before the draw or the count was done.
    """

    uniform: bool
    chained: tuple[ChainDiagnostics, ...] = ()
    count: OptimaCount | None = None
    counted: bool = False
    drawn: bool = True
    stopped: bool = False

    @property
    def exact(self) -> bool:
        return self.uniform and self.drawn and not self.chained

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; numbers of pairings are texts, they may have hundreds of digits."""
        content: dict[str, Any] = {"choose": "uniform" if self.uniform else "any"}
        if self.uniform:
            content["exact"] = self.exact
            content["chains"] = chains(self.chained, "players", "chains", "sweeps")
        if self.counted:
            content["count"] = None
        if self.count is not None:
            numbers = asdict(self.count)
            exact = numbers.pop("exact")
            # all digits: Python limits str(int) to 4,300 of them
            shown = {
                name: format(Decimal(value), "f") for name, value in numbers.items()
            }
            content["count"] = {**shown, "exact": exact}
        if self.stopped:
            content["stopped"] = True
        return content

    def words(self) -> list[Message]:
        said = []
        if self.counted and self.count is None:
            said.append(
                message("lot.stopped_count" if self.stopped else "lot.no_count")
            )
        if (count := self.count) is not None:
            number, low, high = map(
                large_number_text, (count.value, count.low, count.high)
            )
            if count.exact:
                said.append(
                    message(
                        "lot.one" if count.value == 1 else "lot.counted", number=number
                    )
                )
            else:
                said.append(message("lot.estimated", number=number, low=low, high=high))
        if self.exact:
            said.append(message("lot.drawn"))
        elif not self.drawn:
            said.append(message("lot.not_drawn"))
        elif self.uniform:
            runs = (
                message("lot.chain", **asdict(run) | {"r_hat": f"{run.r_hat:.2f}"})
                for run in self.chained
            )
            said.append(message("lot.chained", runs="; ".join(map(str, runs))))
            if any(run.r_hat > MIXED for run in self.chained):
                said.append(message("lot.not_mixed", mixed=MIXED))
        return said


def require_choosable(problem: Problem) -> None:
    """Raises UsageError for a round whose optimal pairings are neither counted nor drawn."""
    if problem.lookahead:
        raise UsageError("lot.lookahead")
    if len(problem) > MOST_PLAYERS and problem.system is None:
        raise UsageError("lot.large", most=MOST_PLAYERS)


def choose_among(
    problem: Problem,
    arcs: Arcs,
    objective: Objective,
    uniform: bool,
    counted: bool,
    budget: Budget,
    left: RemainingPairs | None = None,
) -> tuple[Arcs, OptimalChoice]:
    """From one optimal pairing to another one by lot, or the same, and the choice made. When the
    time is up before the draw is done, the pairing stays the same.
    """
    if problem.system is not None:  # its levels leave one pairing
        one = OptimaCount(1, 1, 1) if counted else None
        return arcs, OptimalChoice(uniform, count=one, counted=counted)
    drawn = DrawnPairing(arcs, ())
    done = stopped = False
    number = None
    try:
        small = optima_left(problem, arcs, objective, budget, left) if uniform else None
        if small and (table := small_table(small.components[0], budget)):
            drawn, done = draw(small, budget, [by_table(table)]), True
        if counted or not done:
            optima = optima_of(problem, arcs, objective, budget)
            if uniform and not done:
                drawn = draw(optima, budget)
            done = True
            if counted:
                number = count(optima, budget)
    except TimeUpError:
        stopped = True
    return drawn.arcs, OptimalChoice(
        uniform, drawn.chained, number, counted, done or not uniform, stopped
    )
