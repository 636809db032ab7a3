"""Check: somebody's pairing of a round, level by level, beside an optimal one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from pairopt.budget import Budget
from pairopt.engines import engine_of, rounds_after
from pairopt.engines.base import Options, Status
from pairopt.engines.columns import OTHER_FIRST
from pairopt.engines.types import legal_ways
from pairopt.errors import Fault, InputError, Place, UsageError
from pairopt.event.arcs import BYE, Arcs, BoolArray, arcs_of
from pairopt.event.event import FORFEIT, Event
from pairopt.files.read import read_round
from pairopt.files.schema import MatchRow
from pairopt.problem.levels import (
    LevelValue,
    level_values,
    worse_text,
)
from pairopt.problem.model_file import Objective
from pairopt.problem.options import ModelLike, RoundKeywords, RoundOptions, options_of, spelled_out
from pairopt.problem.problem import OfRound, Problem
from pairopt.problem.ready import problem_for
from pairopt.problem.verifier import Violation, inspect
from pairopt.records import frame, record, records
from pairopt.round.deviation import Deviation, deviation
from pairopt.round.result import Result
from pairopt.round.solve import pair
from pairopt.rules.base import Label
from pairopt.wording import difference_text, pair_text
from pairopt.words import Said

if TYPE_CHECKING:
    import pandas as pd


AWAY = -2
ACTIVE = "expected a player who is active in this round"
LEVEL = ("criterion", "level", "value", "optimum", "scale")
"""What tables and JSON have of a `CheckedLevel`."""
UNSOLVED = "lookahead: not checked, as that takes a solver"


@dataclass(frozen=True, slots=True)
class CheckedLevel:
    """A level's value in the pairing, and in an optimal one (None where not solved)."""

    criterion: str
    level: Label
    value: int
    optimum: int | None
    scale: int
    words: str


@dataclass(frozen=True)
class Check(OfRound):
    """What the verifier found in a pairing.

    `arcs` are its matches in the order given, `free` those whose sides nobody knows;
    `level_values` its levels, for a weighted model the weighted sum first. `optimum` is an
    optimal pairing of the same round, settled with `options`, None where nothing was solved, and
    `deviation` the level in which that is better first.
    """

    problem: Problem
    arcs: Arcs
    level_values: tuple[LevelValue, ...]
    violations: tuple[Violation, ...]
    free: BoolArray
    options: Options
    optimum: Result | None = None
    deviation: Deviation | None = None
    notes: tuple[str | Said, ...] = ()

    @cached_property
    def shares(self) -> tuple[tuple[int, ...], ...]:
        """What each match adds to each level, a row a match."""
        return _shares(self.problem, self.problem.model.objective, self.arcs)

    @property
    def legal(self) -> bool:
        """Whether the pairing breaks no constraint."""
        return not self.violations

    @property
    def checked(self) -> tuple[CheckedLevel, ...]:
        """Each level with its optimum beside it."""
        best: Sequence[int | None] = [None] * len(self.level_values)
        if self.optimum is not None and self.optimum.arcs is not None:
            best = [level.value for level in self.optimum.level_values]
        return tuple(
            CheckedLevel(own.criterion, own.level, own.value or 0, other, own.scale, own.words)
            for own, other in zip(self.level_values, best, strict=True)
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
        """Where an optimal pairing differs first, in words, None where it does not."""
        first, optimum = self.deviation, self.optimum
        if first is None or optimum is None or optimum.arcs is None:
            return None
        k = first.index
        proof = "an optimal pairing" if optimum.proven else "the best pairing found"
        own, best = first.level, optimum.level_values[k]
        if self.problem.system is None:
            said = difference_text(best.words, best.value or 0, own.value or 0, best.scale)
            return f"{proof} differs first in {said}"
        both = (own, first.arcs), (best, optimum.arcs)
        if (own.value or 0) > (best.value or 0):
            return f"beside {proof} it would be {worse_text(self.problem, k, *both)}"
        return f"beside it {proof} would be {worse_text(self.problem, k, *both[::-1])}"

    @property
    def blame(self) -> tuple[str, ...]:
        """The matches that carry the first level at which an optimal pairing is better."""
        k = self.better
        if k is None:
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
        names = self.problem.state.shown
        pairs = self.arcs.pairs
        return tuple(
            pair_text(names[one], None if two == BYE else names[two])
            for one, two in map(pairs.__getitem__, chosen)
        )

    @property
    def status(self) -> Status | None:
        """That of the optimal pairing, None where nothing was solved."""
        return None if self.optimum is None else self.optimum.status

    @property
    def levels(self) -> pd.DataFrame:
        """One row a level: criterion, level, value, optimum, scale."""
        return frame(self.checked, *LEVEL)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            **record(self, "round", "model", "legal", "status"),
            "levels": records(self.checked, *LEVEL),
            **record(self, "difference", "violations"),
        }


@spelled_out(RoundOptions)
def check(
    event: Event,
    pairings: str | Path | pd.DataFrame,
    model: ModelLike | None = None,
    *,
    solve: bool = True,
    **options: Unpack[RoundKeywords],
) -> Check:
    """Compute every level and constraint of a pairing, then what an optimum would improve.

    Args:
        event: the event before the round.
        pairings: the round's matches, in the columns of matches.csv; rows of other rounds
            are passed over. Rows `requested` take players out of the round.
        solve: whether to compare with an optimal pairing.
        options: the fields of `RoundOptions`.

    Raises:
        InputError: when it is not a pairing of this event's round.
    """
    chosen = options_of(event, RoundOptions, options, "check")
    budget = chosen.budget(time.monotonic())
    event = event.at_round(chosen.round)
    name, rows = read_round(pairings, event.round)
    asked = [row.player1 for row in rows if row.status == "requested"]
    known = [p for p in asked if event.knows(p) and event.active[event.position(p)]]
    requests = (*chosen.request_bye, *known)
    problem = problem_for(event, model, replace(chosen, request_bye=requests))
    given = _arcs(problem, name, [row for row in rows if row.status != "requested"])
    return _checked(problem, given, chosen, budget, name, solve)


def check_played(
    event: Event, model: ModelLike | None = None, *, solve: bool = True, **options: Any
) -> Check:
    """The same of the round to pair as the event itself has it paired.

    Raises InputError where that is no pairing of who is active.
    """
    chosen = options_of(event, RoundOptions, options, "check")
    budget = chosen.budget(time.monotonic())
    problem = problem_for(event, model, chosen)
    source = problem.event.source
    return _checked(problem, _played(problem, source), chosen, budget, source, solve)


def _checked(
    problem: Problem,
    given: tuple[Arcs, BoolArray],
    chosen: RoundOptions,
    budget: Budget,
    name: str,
    solve: bool,
) -> Check:
    """What there is to say of a pairing, of which some sides are free; messages call it `name`."""
    arcs = better_ways(problem, *given)
    verdict = inspect(problem, arcs)
    if verdict.faults:
        raise InputError(name, [Fault(fault) for fault in verdict.faults])
    violations, notes = verdict.violations, problem.notes
    if problem.lookahead:
        missing, said = room_left(problem, arcs, budget) if solve else ([], [UNSOLVED])
        violations, notes = (*violations, *missing), (*notes, *said)
    how = Options(problem.model.objective, budget=budget)
    levels = level_values(problem, how.objective, verdict.values)
    optimum = pair(problem, engine_of(problem, chosen), how) if solve else None
    found = None
    if optimum is not None and optimum.arcs is not None:
        best = optimum.level_values, optimum.arcs
        found = deviation(optimum.problem, (levels, arcs), best, optimum.engine, how)
    return Check(
        problem=problem,
        arcs=arcs,
        level_values=levels,
        violations=violations,
        free=given[1],
        options=how,
        optimum=optimum,
        deviation=found,
        notes=notes,
    )


def _shares(problem: Problem, objective: Objective, arcs: Arcs) -> tuple[tuple[int, ...], ...]:
    """What each match adds to each level, the weighted sum of a weighted model first."""
    rows = problem.costs(arcs).tolist()
    weights = problem.weights(objective)
    if weights is not None:
        rows = [[sum(w * c for w, c in zip(weights, row, strict=True)), *row] for row in rows]
    return tuple(map(tuple, rows))


def room_left(problem: Problem, arcs: Arcs, budget: Budget) -> tuple[list[Violation], list[str]]:
    """Whether the pairing leaves room for the further rounds: violations, and notes."""
    found, proven = rounds_after(problem, arcs, budget)
    if found is not None:
        seen = inspect(problem, arcs, found).violations
        return [violation for violation in seen if violation.rule == "lookahead"], []
    if not proven:
        return [], ["lookahead: not checked within the time limit"]
    rounds = problem.lookahead
    message = f"lookahead: the pairs unplayed after this round do not hold {rounds} more"
    return [Violation("lookahead", (), message)], []


def better_ways(
    problem: Problem, arcs: Arcs, free: BoolArray, weights: tuple[int, ...] | None = None
) -> Arcs:
    """The arcs, those whose sides are `free` the better way round where one is legal."""
    if not free.any():
        return arcs
    ways, _ = legal_ways(problem, arcs, weights)
    return arcs.turned(free & (ways == OTHER_FIRST))


def _arcs(problem: Problem, name: str, rows: Sequence[MatchRow]) -> tuple[Arcs, BoolArray]:
    """The arcs of rows, or InputError naming each row that cannot be one of this round.

    A forfeited match may lack its sides: which do, they are taken the better way round.
    """
    state, event = problem.state, problem.event
    position = {int(player): k for k, player in enumerate(state.player)}
    sides = event.sides
    faults: list[Fault] = []

    def seat(player: str, place: Place) -> int:
        """The position of an active player; 0 with a fault for anybody else."""
        try:
            return position[event.position(player)]
        except UsageError as error:
            faults.append(Fault(str(error), place))
        except KeyError:
            faults.append(Fault(f"found {player!r}, {ACTIVE}", place))
        return 0

    seats, other, free = [], [], []
    for row in rows:
        two, place = row.player2, row.place
        seats.append((seat(row.player1, place.at("player1")),
                      seat(two, place.at("player2")) if two else BYE))  # fmt: skip
        free.append(row.status == "forfeit" and not row.side1)
        other.append(sides is not None and bool(two) and row.side1 == sides[1])
        if sides and two and row.side1 not in sides and not free[-1]:
            message = f"found {row.side1!r}, expected {' or '.join(sides)}"
            faults.append(Fault(message, place.at("side1")))
    if faults:
        raise InputError(name, faults)
    arcs = arcs_of(*np.array(seats, np.int64).reshape(-1, 2).T).turned(np.array(other, np.bool_))
    return arcs, np.array(free, np.bool_)


def _played(problem: Problem, source: str) -> tuple[Arcs, BoolArray]:
    """The arcs of the round as the event has it; otherwise as `_arcs`."""
    state, event = problem.state, problem.event
    rows = event.matches.paired(event.round)
    match = rows.second >= 0
    seat = np.full(len(event.players), AWAY)
    seat[state.player] = np.arange(len(state))
    first, second = seat[rows.first], np.where(match, seat[rows.second], BYE)
    open_sides = event.sided & match & (rows.side < 0)
    found = [
        (k, column, f"found {event.players[players[k]]!r}, {ACTIVE}")
        for column, players, at in (
            ("player1", rows.first, first), ("player2", rows.second, second),
        )
        for k in np.flatnonzero(at == AWAY).tolist()
    ]  # fmt: skip
    found += [
        (k, "side1", f"found '', expected {' or '.join(event.sides or ())}")
        for k in np.flatnonzero(open_sides & (rows.status != FORFEIT)).tolist()
    ]
    if found:
        faults = [event.origin.fault(why, rows.row[k], column) for k, column, why in sorted(found)]
        raise InputError(source, faults)
    return arcs_of(first, second).turned(match & (rows.side == 1)), open_sides
