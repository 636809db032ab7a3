"""Check: somebody's pairing of a round, level by level, beside an optimal one."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from pairopt.common.budget import Budget
from pairopt.common.serialization import to_data_frame, to_record, to_records
from pairopt.engines import engine_of
from pairopt.engines.base import EngineOptions, Status
from pairopt.errors import Fault, InputError, Place, UsageError
from pairopt.event.arcs import BYE, Arcs, BoolArray, arcs_of
from pairopt.event.event import FORFEIT, REQUESTED, Event
from pairopt.files.csv_schema import NOWHERE, MatchRow
from pairopt.files.read import Input, read_round
from pairopt.messages import Message, Note, join_notes, message, with_heading
from pairopt.messages.formatting import pair_text
from pairopt.problem.build import build_problem, build_problem_with_budget
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.levels import (
    LevelValue,
    difference_message,
    level_values,
    worse_text,
)
from pairopt.problem.options import (
    ModelLike,
    RoundOptions,
    parse_options,
    show_keywords,
)
from pairopt.problem.problem import Problem, RoundAnalysis
from pairopt.problem.verifier import Violation, verify_pairing
from pairopt.round.given_pairing import better_ways, room_left
from pairopt.round.pairing_facts import by_weight
from pairopt.round.result import LevelDeviation, Result, deviation
from pairopt.round.solve import pair
from pairopt.rules.base import Label

if TYPE_CHECKING:
    import pandas as pd

AWAY = -2
LEVEL = ("criterion", "level", "value", "optimum", "scale")
"""What tables and JSON have of a `CheckedLevel`."""
DIFFERS = ("checked.differs_from_found", "checked.differs")
BESIDE = ("checked.beside_found", "checked.beside")
OTHERWISE = ("checked.found_beside", "checked.optimal_beside")
"""What is said of another pairing, by whether it is proven that none is better."""


@dataclass(frozen=True, slots=True)
class LevelComparison:
    """A level's value in the pairing, and in an optimal one (None where not solved)."""

    criterion: str
    level: Label
    value: int
    optimum: int | None
    scale: int
    words: str


@dataclass(frozen=True)
class Check(RoundAnalysis):
    """What the verifier found in a pairing. `arcs` are its matches in the order given, `free` those
    whose sides nobody knows; `level_values` its levels, for a weighted model the weighted sum
    first. `optimum` is an optimal pairing of the same round, settled with `options`, None where
    nothing was solved, and `deviation` the level in which that is better first.
    """

    problem: Problem
    arcs: Arcs
    level_values: tuple[LevelValue, ...]
    violations: tuple[Violation, ...]
    free: BoolArray
    options: EngineOptions
    optimum: Result | None = None
    deviation: LevelDeviation | None = None
    notes: tuple[str | Note, ...] = ()

    @cached_property
    def shares(self) -> tuple[tuple[int, ...], ...]:
        """What each match adds to each level, a row a match; the weighted sum first, if any."""
        rows = self.problem.costs(self.arcs).tolist()
        weights = self.problem.weights(self.problem.model.objective)
        if weights is not None:
            rows = [
                [sum(w * c for w, c in zip(weights, row, strict=True)), *row]
                for row in rows
            ]
        return tuple(map(tuple, rows))

    @property
    def legal(self) -> bool:
        return not self.violations

    @property
    def checked(self) -> tuple[LevelComparison, ...]:
        """Each level with its optimum beside it."""
        best: Sequence[int | None] = [None] * len(self.level_values)
        if self.optimum is not None and self.optimum.arcs is not None:
            best = [level.value for level in self.optimum.level_values]
        both = zip(self.level_values, best, strict=True)
        return tuple(
            LevelComparison(
                own.criterion, own.level, own.value or 0, other, own.scale, own.words
            )
            for own, other in both
        )

    @property
    def better(self) -> int | None:
        """Index of the first level at which an optimal pairing is better, None where none is."""
        return None if self.deviation is None else self.deviation.index

    @property
    def agrees(self) -> bool:
        """Whether the pairing is legal, and none was found that is better."""
        return self.legal and self.better is None

    @property
    def difference(self) -> str | None:
        """Where an optimal pairing differs first, in words, None where it does not. What is broken
        under a system, whose articles of that come before, is said before it.
        """
        return str(self.told) if self.told else None

    @property
    def told(self) -> Note | None:
        beside = self._beside
        if self.problem.system is None or self.legal:
            return beside
        broken = self.violations[0].message
        return join_notes([broken, beside]) if beside else broken

    @property
    def _beside(self) -> Note | None:
        first, optimum = self.deviation, self.optimum
        if first is None or optimum is None or optimum.arcs is None:
            return None
        k = first.index
        own, best = first.level, optimum.level_values[k]
        if self.problem.system is None:
            return difference_message(DIFFERS[optimum.proven], best, own)
        both = (own, first.arcs), (best, optimum.arcs)
        if (own.value or 0) > (best.value or 0):
            return with_heading(
                message(BESIDE[optimum.proven]), worse_text(self.problem, k, *both)
            )
        return with_heading(
            message(OTHERWISE[optimum.proven]), worse_text(self.problem, k, *both[::-1])
        )

    @property
    def blame(self) -> tuple[str, ...]:
        """The matches that carry the first level at which an optimal pairing is better."""
        if (k := self.better) is None:
            return ()
        return self._titles([m for m, costs in enumerate(self.shares) if costs[k]])

    @property
    def changed(self) -> tuple[str, ...]:
        """The matches that the optimal pairing of the same seed does not have."""
        if self.optimum is None or self.optimum.arcs is None:
            return ()
        best = {*map(frozenset, self.optimum.arcs.pairs)}
        mine = map(frozenset, self.arcs.pairs)
        return self._titles([m for m, pair in enumerate(mine) if pair not in best])

    def _titles(self, chosen: Sequence[int]) -> tuple[str, ...]:
        names, pairs = self.problem.state.shown, self.arcs.pairs
        return tuple(
            pair_text(names[one], None if two == BYE else names[two])
            for one, two in map(pairs.__getitem__, chosen)
        )

    @property
    def status(self) -> Status | None:
        """That of the optimal pairing, None where nothing was solved."""
        return None if self.optimum is None else self.optimum.status

    @property
    def levels(self) -> "pd.DataFrame":
        """One row a level: criterion, level, value, optimum, scale."""
        return to_data_frame(self.checked, *LEVEL)

    def to_dict(self) -> dict[str, Any]:
        return {
            **to_record(self, "round", "model", "legal", "status"),
            "levels": to_records(self.checked, *LEVEL),
            "difference": self.difference,
            "violations": [
                {**to_record(each, "rule", "players"), "message": str(each.message)}
                for each in self.violations
            ],
        }


@show_keywords(RoundOptions)
def check(
    event: Event,
    pairings: Input,
    model: ModelLike | None = None,
    *,
    solve: bool = True,
    **options: Unpack[RoundKeywords],
) -> Check:
    """Compute every level and constraint of a pairing, then what an optimum would improve.

    `pairings` are the round's matches, in the columns of matches.csv; rows of other rounds are
    passed over, rows `requested` take players out of the round. Unless `solve`, it is not compared
    with an optimal one.

    If nobody says whether this round is the last one, pairopt checks it by the rules of earlier
    rounds and by those of the last round. It returns the check that agrees, with a note that says
    which. Raises InputError when it is not a pairing of this event's round.
    """
    chosen = parse_options(event, RoundOptions, options, "check")
    before = event.at_round(chosen.round)
    name, rows = read_round(pairings, before.round)
    asked = [row.player1 for row in rows if row.status == "requested"]
    known = [
        p for p in asked if before.has_player(p) and before.active[before.position(p)]
    ]
    chosen = replace(chosen, request_bye=(*chosen.request_bye, *known))
    rows = [row for row in rows if row.status != "requested"]

    def check_as(is_last: bool) -> Check:
        budget = chosen.budget(time.monotonic())
        problem = build_problem(before, model, replace(chosen, last_round=is_last))
        return _check_rows(problem, rows, budget, name, solve)

    found, note = check_either_way(
        check_as, is_last=chosen.last_round, is_latest=_is_latest(event, before.round)
    )
    return found if note is None else replace(found, notes=(*found.notes, note))


def _is_latest(event: Event, number: int) -> bool:
    """Whether an event has no matches and byes of later rounds, other than requested byes."""
    rows = event.matches
    return not ((rows.round > number) & (rows.status != REQUESTED)).any()


def check_either_way(
    check_as: Callable[[bool], Check], *, is_last: bool, is_latest: bool
) -> tuple[Check, Message | None]:
    """Check a round by the rules of earlier rounds, by those of the last round, or by both.

    `check_as` checks the round, with True as the last one. Files of other programs often leave out
    the number of rounds, so nobody may know whether the latest round is the last one. Then it is
    checked both ways, and the check that agrees is returned with a note that says which. If neither
    agrees, it is the one by the rules of earlier rounds.
    """
    as_said = check_as(is_last)
    problem = as_said.problem
    is_known = is_last or not is_latest or problem.event.settings.rounds is not None
    if is_known or problem.model.last_round is None:
        return as_said, None
    as_last = check_as(True)
    if as_said.agrees and as_last.agrees:
        return as_said, message("checked.either_round")
    if as_said.agrees:
        return as_said, message("checked.only_earlier_round")
    if as_last.agrees:
        return as_last, message("checked.only_last_round")
    return as_said, message("checked.rounds_unknown")


def check_played(
    event: Event, model: ModelLike | None = None, *, solve: bool = True, **options: Any
) -> Check:
    """The same of the round to pair as the event itself has it paired. Raises InputError where that
    is no pairing of who is active.
    """
    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "check"
    )
    event = problem.event
    return _check_rows(problem, _played_rows(event), budget, event.source, solve)


def _check_rows(
    problem: Problem, rows: Sequence[MatchRow], budget: Budget, name: str, solve: bool
) -> Check:
    """What there is to say of a pairing; messages call it `name`."""
    arcs, free = _arcs(problem, name, rows)
    arcs = better_ways(problem, arcs, free)
    verdict = verify_pairing(problem, arcs)
    if verdict.faults:
        raise InputError(name, [Fault(fault) for fault in verdict.faults])
    missing, said = room_left(problem, arcs, budget if solve else None)
    how = EngineOptions(problem.model.objective, budget=budget)
    levels = level_values(problem, how.objective, verdict.values)
    optimum = pair(problem, engine_of(problem, problem.asked), how) if solve else None
    found = None
    if optimum is not None and optimum.arcs is not None:
        best = optimum.level_values, optimum.arcs
        found = deviation(optimum.problem, (levels, arcs), best, optimum.engine, how)
    return Check(
        problem=problem,
        arcs=arcs,
        level_values=levels,
        violations=(*by_weight(problem, verdict.violations), *missing),
        free=free,
        options=how,
        optimum=optimum,
        deviation=found,
        notes=(*problem.notes, *said),
    )


def _arcs(
    problem: Problem, name: str, rows: Sequence[MatchRow]
) -> tuple[Arcs, BoolArray]:
    """The arcs of rows; forfeits may lack sides. Raises InputError naming each that is none."""
    event, sides = problem.event, problem.event.sides
    faults: list[Fault] = []

    def fault(said: Note, place: Place, column: str) -> None:
        faults.append(Fault(said, None if place is NOWHERE else place.at(column)))

    def seat(player: str, place: Place, column: str) -> int:
        """The position of an active player; less than 0 with a fault for anybody else."""
        try:
            found = int(problem.state.seats[event.position(player)])
        except UsageError as error:
            fault(error.reason, place, column)
            return AWAY
        if found < 0:
            fault(message("checked.not_active", found=player), place, column)
        return found

    seats, other, free = [], [], []
    for row in rows:
        two, place = row.player2, row.place
        seats.append(
            (
                seat(row.player1, place, "player1"),
                seat(two, place, "player2") if two else BYE,
            )
        )
        free.append(sides is not None and row.status == "forfeit" and not row.side1)
        other.append(sides is not None and bool(two) and row.side1 == sides[1])
        if sides and two and row.side1 not in sides and not free[-1]:
            found = {"found": row.side1, "one": sides[0], "two": sides[1]}
            fault(message("checked.no_side", **found), place, "side1")
    if faults:
        raise InputError(name, faults)
    arcs = arcs_of(*np.array(seats, np.int64).reshape(-1, 2).T).turned(
        np.array(other, np.bool_)
    )
    return arcs, np.array(free, np.bool_)


def _played_rows(event: Event) -> list[MatchRow]:
    rows, places = event.matches.paired_rows(event.round), event.origin.places
    names, sides = (
        (*event.players, ""),
        (*(event.sides or ("", "")), ""),
    )  # -1: nobody, or none
    status = np.where(rows.status == FORFEIT, "forfeit", "")
    columns = (rows.first, rows.second, rows.side, status, rows.row)
    return [
        MatchRow(
            event.round,
            names[one],
            names[two],
            side1=sides[side],
            status=said,
            place=places[row] if places else NOWHERE,
        )
        for one, two, side, said, row in zip(
            *(each.tolist() for each in columns), strict=True
        )
    ]
