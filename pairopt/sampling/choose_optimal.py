"""Choose one of the optimal pairings at random, or count them, and report it."""

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
from pairopt.sampling.small_fields import find_small_field_optima


@dataclass(frozen=True, slots=True)
class OptimalChoice:
    """How a pairing was chosen among the optimal ones, and how many these are.

    If `uniform`, each optimal pairing was to be equally likely. If it was also `drawn`,
    it was: exactly, or approximately if `chained` lists components of the field that
    were drawn by a Markov chain. `count` is the number of optimal pairings, None if it
    was not `counted` or could not be found. `stopped` is True if the deadline passed
    before the draw or the count was done.
    """

    uniform: bool
    chained: tuple[ChainDiagnostics, ...] = ()
    count: OptimaCount | None = None
    counted: bool = False
    drawn: bool = True
    stopped: bool = False

    @property
    def exact(self) -> bool:
        """True if all optimal pairings were exactly equally likely to be drawn.

        False if none was drawn at random, or if a Markov chain took part.
        """
        return self.uniform and self.drawn and not self.chained

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, without the keys that do not apply.

        "count" is None if the number of pairings was asked for and not found. Numbers
        of pairings are texts, because they can have hundreds of digits.
        """
        json_content: dict[str, Any] = {"choose": "uniform" if self.uniform else "any"}
        if self.uniform:
            json_content["exact"] = self.exact
            json_content["chains"] = chains(self.chained, "players", "chains", "sweeps")
        if self.counted:
            json_content["count"] = None
        if self.count is not None:
            count_fields = asdict(self.count)
            is_exact = count_fields.pop("exact")
            # Python limits str(int) to 4,300 digits
            number_texts = {
                field_name: format(Decimal(field_value), "f")
                for field_name, field_value in count_fields.items()
            }
            json_content["count"] = {**number_texts, "exact": is_exact}
        if self.stopped:
            json_content["stopped"] = True
        return json_content

    def words(self) -> list[Message]:
        """Return messages on how many optimal pairings there are, and on the draw.

        The list is empty if neither was asked for.
        """
        choice_messages = []
        if self.counted and self.count is None:
            message_id = "lot.stopped_count" if self.stopped else "lot.no_count"
            choice_messages.append(message(message_id))
        if self.count is not None:
            choice_messages.append(_count_message(self.count))
        if self.exact:
            choice_messages.append(message("lot.drawn"))
        elif not self.drawn:
            choice_messages.append(message("lot.not_drawn"))
        elif self.uniform:
            chain_messages = [
                message(
                    "lot.chain",
                    **asdict(chain_diagnostics)
                    | {"r_hat": f"{chain_diagnostics.r_hat:.2f}"},
                )
                for chain_diagnostics in self.chained
            ]
            choice_messages.append(
                message("lot.chained", runs="; ".join(map(str, chain_messages)))
            )
            if any(
                chain_diagnostics.r_hat > MIXED for chain_diagnostics in self.chained
            ):
                choice_messages.append(message("lot.not_mixed", mixed=MIXED))
        return choice_messages


def _count_message(count: OptimaCount) -> Message:
    """Return the message with the number of optimal pairings, in a short form.

    If the count is not exact, the message says that it is an estimate, with its
    interval.
    """
    count_text, low_text, high_text = map(
        large_number_text, (count.value, count.low, count.high)
    )
    if not count.exact:
        return message("lot.estimated", number=count_text, low=low_text, high=high_text)
    message_id = "lot.one" if count.value == 1 else "lot.counted"
    return message(message_id, number=count_text)


def require_choosable(problem: Problem) -> None:
    """Raise UsageError if the optimal pairings of a round cannot be counted or drawn.

    That is a round with a lookahead, or one of more than `MOST_PLAYERS` players unless
    a pairing system pairs it.
    """
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
    """Draw one of the optimal pairings (`uniform`), count them (`counted`), or both.

    `arcs` is one optimal pairing, and `left` what the matching engine knows of the
    others, None if nothing. `objective` says how levels are compared. Returns the
    pairing and how it was chosen. It is `arcs` again if none was to be drawn, if a
    pairing system leaves one alone, or if the deadline came first; TimeUpError is never
    raised. The draw depends only on the seed of the `budget`.
    """
    if problem.system is not None:
        # a system leaves one pairing
        single_count = OptimaCount(1, 1, 1) if counted else None
        return arcs, OptimalChoice(uniform, count=single_count, counted=counted)

    drawn_pairing = DrawnPairing(arcs, ())
    is_finished = is_stopped = False
    optima_count = None
    try:
        small_optima = None
        if uniform:
            small_optima = find_small_field_optima(
                problem, arcs, objective, budget, left
            )
        if small_optima:
            small_state_table = small_table(small_optima.components[0], budget)
            if small_state_table:
                drawn_pairing, is_finished = (
                    draw(small_optima, budget, [by_table(small_state_table)]),
                    True,
                )
        if counted or not is_finished:
            optimal_pairings = optima_of(problem, arcs, objective, budget)
            if uniform and not is_finished:
                drawn_pairing = draw(optimal_pairings, budget)
            is_finished = True
            if counted:
                optima_count = count(optimal_pairings, budget)
    except TimeUpError:
        is_stopped = True
    choice = OptimalChoice(
        uniform,
        drawn_pairing.chained,
        optima_count,
        counted,
        is_finished or not uniform,
        is_stopped,
    )
    return drawn_pairing.arcs, choice
