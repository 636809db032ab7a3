"""The result of a solve, and what is proven of it, in words for all interfaces."""

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
from pairopt.problem.options import RoundOptions, list_non_default_options
from pairopt.problem.problem import Problem, RoundAnalysis
from pairopt.problem.verifier import verify_pairing
from pairopt.rules.constraints.requested import ForcedPairs

if TYPE_CHECKING:
    import pandas as pd

    from pairopt.proof.file import Proof
    from pairopt.proof.infeasibility_text import InfeasibleSubset
    from pairopt.sampling.choose_optimal import OptimalChoice

Kind = Literal["now", "then", "tables stay", "by hand", "not"]
# options by which a published round is re-paired
STAY = ("fixed", "published")


@dataclass(frozen=True, slots=True)
class ProofStatus:
    """What is proven of a round.

    The `kind` says that no pairing is better ("now"); that none was when it was paired,
    by the event after `step` ("then"); that none is with the kept tables ("tables
    stay"); that somebody made the pairing ("by hand"); or nothing ("not"). `asked` says
    among which pairings, as a text that continues a sentence, or is empty. `open` is
    the number of levels, the last ones, of which nothing is proven. `step` is None
    except for "then".
    """

    kind: Kind
    asked: str = ""
    step: int | None = None
    open: int = 0

    @property
    def said(self) -> Message:
        """Message on what is proven, and how many levels are open."""
        if self.kind == "by hand":
            return message("proof.by_hand")
        if self.kind == "not":
            return message("proof.not_proven")
        if self.kind == "then":
            message_kind = "proof.held_but" if self.open else "proof.held"
        else:
            message_kind = "proof.holds_but" if self.open else "proof.holds"
        return message(message_kind, asked=self.asked, open=self.open, step=self.step)

    @property
    def words(self) -> str:
        """Text on what is proven: that of `said`."""
        return str(self.said)

    def to_dict(self) -> dict[str, Any]:
        """Return the status for JSON: `kind`, `step`, `open` and the text `words`."""
        return to_record(self, "kind", "step", "open", "words")


def has_kept_tables(options: RoundOptions) -> bool:
    """Return whether the options keep tables of a published round when it is re-paired.

    They do if any table is `fixed` or `published`.
    """
    return any(getattr(options, option_name) for option_name in STAY)


def describe_options(
    event: Event, options: RoundOptions, without: Collection[str] = ()
) -> str:
    """Describe among which pairings none is better, by the options that limit them.

    The text continues a sentence, so it begins with a blank; it is empty if no option
    limits them. Options in `without` are not mentioned, but tables that stay always are.
    """
    option_values = {
        option_name: option_value
        for option_name, option_value in list_non_default_options(
            event, options
        ).items()
        if option_name not in (*STAY, *without)
    }
    requests_text = ""
    if option_values:
        # Most rounds have no options, and start faster without it.
        from pairopt.proof.verify import describe_requests

        shown_names = dict(zip(event.players, event.shown, strict=True))
        requests_text = describe_requests({"options": option_values}, shown_names)
    if has_kept_tables(options):
        return f" with the tables that stay{requests_text}"
    return requests_text


# the "engine" of a pairing that somebody made by hand
BY_HAND = "by hand"
VERDICTS = {
    "optimal": "verdict.optimal",
    "feasible": "verdict.feasible",
    "unknown": "verdict.unknown",
    "heuristic": "verdict.heuristic",
    "infeasible": "verdict.infeasible",
    CHANGED: "verdict.program",
}
"""The message kind of a verdict, by the status, or by the engine "program"."""
LEVEL = ("criterion", "level", "value", "bound", "scale", "proven")
"""What tables and JSON have of a `LevelValue`."""
# a player who has missed so many rounds is asked about
FEWEST_MISSED = 2
Match = tuple[str, ...]
"""Two players, with sides the first side first; or one player with a bye."""


@dataclass(frozen=True)
class Result(RoundAnalysis):
    """The result of pairing a round: a pairing, or the reason why none exists.

    Attributes
    ----------
    status : Status
        What the solver proved: "optimal", "feasible" (not proven to be the best),
        "infeasible" (no pairing exists), "heuristic" or "unknown". If you solved a
        changed program, the status refers to this program, see `holds_for`.
    objective : {"lexicographic", "weighted"}
        How the levels of the model were minimised.
    engine : str
        The engine that solved the round.
    seed : int
        The number that chose among equally good pairings.
    level_values : tuple of LevelValue
        The value and the lower bound of each level of the model, in order of priority.
    matches : tuple of PairedRow
        The rows of the round as in matches.csv: matches by table, then byes.
    problem : Problem
        The round that was solved: players, permitted matches and their costs.
    arcs : Arcs or None
        The matches by position of the players, in the order of tables, byes last. None
        if no pairing was found.
    further : tuple of Arcs
        The pairings of the later rounds that a lookahead planned.
    conflicts : tuple of messages
        The rules that contradict each other if the status is "infeasible", or the rules
        that a pairing made by hand breaks, in sentences.
    clash : InfeasibleSubset or None
        The rules that contradict each other and the players concerned, as data.
    choice : OptimalChoice or None
        How the pairing was drawn from the optimal pairings, and how many there are.
        None without a draw, or if no optimum is proven.
    notes : tuple of messages
        What you should know about the result.
    proven_by : tuple of str
        The engines that each solved all levels to optimality.
    parts : tuple of str
        The engines that worked together as the first engine.
    seconds : float
        The time that pairing took, in seconds.
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
        """Whether it is proven that no pairing is better under the model.

        It is False if the result is optimal only for something else than the model.
        """
        return self.status == "optimal" and self.holds_for == "model"

    @property
    def holds_for(self) -> Literal["model", "program"]:
        """What status, values and bounds refer to: the model or a changed program.

        It is "model", or "program" for an integer program that you changed. If it is
        "program", nothing is claimed of the unchanged model.
        """
        return "program" if self.engine == CHANGED else "model"

    @cached_property
    def proof(self) -> Proof | None:
        """The proof that no pairing is better, or that none exists.

        It is built on first use and cached. None if nothing is proven, or if only an
        engine says that no pairing leaves room for the lookahead. Raises UsageError if
        the round was paired by a procedure, or has very many players.
        """
        return self.prove()

    def prove(self, budget: Budget = Budget()) -> Proof | None:
        """Build the proof of the result within a time budget; no cached one is used.

        It proves that no pairing is better, or that there is none. None if the status
        is neither "optimal" nor "infeasible", or if only an engine says that no pairing
        leaves room for the lookahead. Raises TimeUpError if the budget ends. Raises
        UsageError if there can be no proof: the round was paired by a procedure, by a
        changed program, or by some systems, or it has very many players.
        """
        # A round is paired without the modules that prove.
        from pairopt.proof.proving import prove, require_provable

        require_provable(self.problem, self.engine)
        if self.status not in ("optimal", "infeasible"):
            return None
        return prove(self.problem, self.arcs, self.further, budget)

    def noted(self, note: Note) -> Result:
        """Return a copy of the result with one more note at the end."""
        return replace(self, notes=(*self.notes, note))

    @cached_property
    def question(self) -> Message | None:
        """The question to answer before the round is published, None without any.

        It asks whether a player who missed at least the last `FEWEST_MISSED` rounds
        gets a bye worth a win. Nobody is asked about a bye that was requested by name,
        nor in an event of which only scores are known.
        """
        event, asked_options = self.event, self.problem.asked
        bye_rows = [bye_row for bye_row in self.matches if bye_row["status"] == "bye"]
        if asked_options.bye is not None or not bye_rows or not event.complete_history:
            return None
        bye_player, bye_points = str(bye_rows[0]["player1"]), str(bye_rows[0]["score1"])
        missed_rounds = event.turns.last_rounds_missed(event.index[bye_player])
        if (
            len(missed_rounds) < FEWEST_MISSED
            or Fraction(bye_points) < self.problem.state.win
        ):
            return None
        return message(
            "bye.in_or_out",
            player=bye_player,
            name=event.called[bye_player],
            points=bye_points,
            first=missed_rounds[0],
            last=missed_rounds[-1],
        )

    def require_sure(self, sure: bool) -> None:
        """Raise ConfirmationError if the result has a question and `sure` is False.

        Nothing happens if there is no question.
        """
        if self.question and not sure:
            raise ConfirmationError(self.question)

    @property
    def decisive(self) -> tuple[LevelValue, ...]:
        """The levels that decide, in order, which of two pairings is better.

        They are all levels, or in a weighted model the weighted sum alone.
        """
        return decisive_levels(self.level_values)

    @property
    def objective_values(self) -> tuple[Fraction | None, ...]:
        """The values of the decisive levels, in order; None for each if unknown.

        They are unknown without a pairing. They are in points or matches, not in units
        of 1/scale.
        """
        return tuple(
            None if level.value is None else Fraction(level.value, level.scale)
            for level in self.decisive
        )

    @property
    def lower_bound(self) -> tuple[Fraction | None, ...]:
        """The decisive levels' lower bounds, given earlier levels; None if unknown.

        They are in points or matches, not in units of 1/scale.
        """
        return tuple(
            None if level.bound is None else Fraction(level.bound, level.scale)
            for level in self.decisive
        )

    @property
    def gap(self) -> tuple[float | None, ...]:
        """The relative optimality gap of each decisive level; None if its bound is unknown.

        It is (value - bound) / max(1, |value|), as CP-SAT defines it, and 0.0 for a level that is
        solved to optimality. The bound of a level holds given the values of the levels before it.
        """
        level_gaps: list[float | None] = []
        for objective_value, lower_bound in zip(
            self.objective_values, self.lower_bound, strict=True
        ):
            if objective_value is None or lower_bound is None:
                level_gaps.append(None)
            else:
                level_gaps.append(
                    float(
                        (objective_value - lower_bound)
                        / max(Fraction(1), abs(objective_value))
                    )
                )
        return tuple(level_gaps)

    @property
    def runtime(self) -> float:
        """The time that pairing the round took, in seconds.

        It is the attribute `seconds` by the name that other solvers use.
        """
        return self.seconds

    def differences(self, other: Result) -> list[str]:
        """Return the differences from another pairing of the round, as lines of text.

        `other` is that pairing, which is taken as the better one. There is one line for
        each level that differs. Under a system there is at most one line, on the first
        level in which this pairing is worse, because later levels depend on it. The
        list is then also empty if one of the two has no pairing. Under a system the
        round may be solved again for it.
        """
        if self.problem.system is None:
            return difference_lines(self.level_values, other.level_values)
        if self.arcs is None or other.arcs is None:
            return []
        if self.problem.state.names != other.problem.state.names:
            # a player is absent from one of the pairings
            return difference_lines(self.decisive, other.decisive)[:1]
        deviation = find_deviation(
            other.problem,
            (self.level_values, self.arcs),
            (other.level_values, other.arcs),
            other.engine,
            EngineOptions(other.objective, budget=Budget(other.seed)),
        )
        if deviation is None:
            return []
        return [str(deviation.worse(other.problem, other.arcs))]

    @property
    def pairs(self) -> tuple[Match, ...]:
        """The matches by identifiers, in the order of tables, first side first.

        A bye is a player alone. Empty without a pairing.
        """
        if self.arcs is None:
            return ()
        identifiers = self.problem.state.names
        return tuple(
            tuple(
                identifiers[seat_of_player]
                for seat_of_player in arc_ends
                if seat_of_player != BYE
            )
            for arc_ends in self.arcs.pairs
        )

    def stated(self, without: Collection[str] = ()) -> ProofStatus:
        """Return the proof status of the result, as it is now.

        The kind is "by hand" or "not" if nothing is proven, or if the program was
        changed; otherwise it is "now" or "tables stay". Options in `without` are not
        mentioned in its text.
        """
        if not self.proven or self.engine == CHANGED:
            return ProofStatus("by hand" if self.engine == BY_HAND else "not")
        asked_options = self.problem.asked
        proof_kind: Kind = "tables stay" if has_kept_tables(asked_options) else "now"
        return ProofStatus(
            proof_kind, describe_options(self.event, asked_options, without)
        )

    @property
    def verdict(self) -> Message:
        """What is proven, as a sentence, for example that no pairing is better.

        It follows from the status, or from who made the pairing. If options limit the
        pairings among which a result is proven to be the best, the sentence names them.
        """
        if self.status == "unknown" and self.problem.lookahead:
            return message("verdict.unknown_ahead", rounds=self.problem.lookahead)
        verdict_kind = VERDICTS.get(self.engine, VERDICTS[self.status])
        requests_text = self.stated().asked
        if requests_text and self.proven:
            return message("verdict.optimal_among", asked=requests_text)
        return message(verdict_kind)

    def conclusion(self) -> list[str | Note]:
        """Return sentences about what is proven, the random draw, and the engines.

        The first one is the `verdict`. The draw, and the engines that proved the
        result, are left out if there are none.
        """
        conclusion_sentences: list[str | Note] = [self.verdict]
        if self.choice:
            conclusion_sentences += self.choice.words()
        if len(self.proven_by) == 2:
            engine, second_engine = self.proven_by
            conclusion_sentences.append(
                message("solving.settled_twice", engine=engine, other=second_engine)
            )
        elif self.proven_by:
            conclusion_sentences.append(
                message("solving.settled_once", engine=self.proven_by[0])
            )
        return conclusion_sentences

    @property
    def levels(self) -> pd.DataFrame:
        """One row for each level, as a DataFrame.

        Its columns are criterion, level, value, bound, scale and proven.
        """
        return to_data_frame(self.level_values, *LEVEL)

    @property
    def pairings(self) -> pd.DataFrame:
        """The rows of the round as a DataFrame with the columns of matches.csv.

        It has matches by table, then byes, and no rows without a pairing.
        """
        # pandas takes a third of a second to import, and only tables need it.
        import pandas as pd

        return pd.DataFrame(list(self.matches), columns=list(COLUMNS), dtype=object)

    def to_dict(self, timings: bool = False) -> dict[str, Any]:
        """Return the result for JSON; with `timings`, the times are included.

        The keys are `round`, `model`, `objective`, `engine`, `proven_by`, `status`,
        `levels`, `pairings` (rows of matches.csv), `conflicts` and `seed`; `holds_for`
        for a changed program, and `choice` if a draw or a count was asked for.
        `seconds` is left out without `timings`, so that equal rounds give equal texts.
        """
        result_record = to_record(
            self, "round", "model", "objective", "engine", "proven_by", "status"
        )
        result_record["levels"] = to_records(self.level_values, *LEVEL)
        result_record |= {
            "pairings": list(self.matches),
            "conflicts": [*map(str, self.conflicts)],
        }
        result_record["seed"] = self.seed
        if self.holds_for != "model":
            result_record["holds_for"] = self.holds_for
        if self.choice is not None:
            result_record["choice"] = self.choice.to_dict()
        if timings:
            result_record["seconds"] = round(self.seconds, 6)
        return result_record


@dataclass(frozen=True, slots=True)
class LevelDeviation:
    """The first level in which a pairing is worse than the optimal one.

    `index` is that of the level, and `best` the level of the optimal pairing. `level`
    is that of `arcs`: the pairing itself, or if the level looks ahead to brackets that
    could be paired better, the pairing with the best matches there.
    """

    index: int
    level: LevelValue
    arcs: Arcs
    best: LevelValue

    def worse(self, problem: Problem, optimum: Arcs) -> Note:
        """Return a note that explains how the pairing is worse than the optimal one.

        `optimum` are the arcs of the optimal pairing.
        """
        return worse_text(
            problem, self.index, (self.level, self.arcs), (self.best, optimum)
        )


def find_deviation(
    problem: Problem, pairing: Pairing, best: Pairing, engine: str, how: EngineOptions
) -> LevelDeviation | None:
    """Find the first level in which a pairing is worse than an optimal one.

    `pairing` and `best` each have the levels and the arcs of a pairing. None if there
    is no such level. A level such as C8 asks whether a bracket leaves the next one a
    good pairing, not whether that is then made. So for such a level the round is solved
    again, by `engine` with the options `how`: everything below the bracket is paired as
    well as it still can be.
    """
    deviation = _find_first_deviation(problem, pairing, best)
    if deviation is None or problem.system is None:
        return deviation
    arcs = deviation.arcs
    is_fixed_arc = problem.system.looks_from(deviation.index, arcs)
    if is_fixed_arc is None:
        return deviation

    event_position_of_seat = problem.state.player
    first_positions = event_position_of_seat[arcs.first[is_fixed_arc]].tolist()
    second_positions = event_position_of_seat[arcs.second[is_fixed_arc]].tolist()
    forced_pairs = ForcedPairs(
        tuple(zip(first_positions, second_positions, strict=True))
    )
    forced_problem = replace(problem, constraints=(*problem.constraints, forced_pairs))
    solution = solve_by(engine, forced_problem, how)
    if solution.status != "optimal" or solution.arcs is None:
        return deviation
    completed_verdict = verify_pairing(problem, solution.arcs)
    completed_levels = level_values(problem, how.objective, completed_verdict.values)
    completed_pairing = completed_levels, solution.arcs
    return _find_first_deviation(problem, completed_pairing, best) or deviation


def _find_first_deviation(
    problem: Problem, pairing: Pairing, best: Pairing
) -> LevelDeviation | None:
    """Return the first level in which a pairing, as it is, is worse than the best one.

    `pairing` and `best` each have the levels and the arcs of a pairing. None if they
    are equally good.
    """
    differing_levels = first_deviation(problem, pairing, best)
    if differing_levels is None:
        return None
    level, best_level = differing_levels
    level_index = best[0].index(best_level)
    return LevelDeviation(level_index, level, pairing[1], best_level)
