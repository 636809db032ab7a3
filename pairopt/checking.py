"""Check: somebody's pairing of a round, level by level, beside an optimal one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pairopt.arcs import BYE, Arcs, arcs_of
from pairopt.checker import Violation, inspect
from pairopt.criteria.base import Label
from pairopt.engines.base import Options
from pairopt.engines.classes import legal_ways
from pairopt.engines.columns import OTHER_FIRST
from pairopt.errors import Fault, InputError
from pairopt.event import Event
from pairopt.io.rows import read_rows
from pairopt.io.schema import MatchRow
from pairopt.model import Model
from pairopt.problem import Problem
from pairopt.result import Result
from pairopt.solving import pair, prepare

if TYPE_CHECKING:
    import pandas as pd


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
class Check:
    """What the checker found in a pairing.

    `better` is the first level at which an optimal pairing is better, as an index, None
    where none is or nothing was solved. `shares` holds what each match adds to each level.
    """

    round: int
    model: str
    checked: tuple[CheckedLevel, ...]
    violations: tuple[Violation, ...]
    optimum: Result | None = None
    shares: tuple[tuple[str, tuple[int, ...]], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def legal(self) -> bool:
        """Whether the pairing breaks no constraint."""
        return not self.violations

    @property
    def better(self) -> int | None:
        """Index of the first level at which the optimum differs."""
        different = [k for k, c in enumerate(self.checked) if c.optimum not in (None, c.value)]
        return different[0] if different else None

    @property
    def blame(self) -> tuple[str, ...]:
        """The matches that carry the first level at which an optimal pairing is better."""
        k = self.better
        return () if k is None else tuple(match for match, costs in self.shares if costs[k])

    @property
    def changed(self) -> tuple[str, ...]:
        """The matches that the optimal pairing of the same seed does not have."""
        if self.optimum is None or not self.optimum.matches:
            return ()
        best = {_title(row["player1"], row["player2"]) for row in self.optimum.matches}
        both = ((match, " - ".join(reversed(match.split(" - ")))) for match, _ in self.shares)
        return tuple(match for match, turned in both if not {match, turned} & best)

    @property
    def levels(self) -> pd.DataFrame:
        """One row a level: criterion, level, value, optimum, scale."""
        import pandas as pd

        columns = ("criterion", "level", "value", "optimum", "scale")
        rows = [[getattr(level, name) for name in columns] for level in self.checked]
        return pd.DataFrame(rows, columns=list(columns), dtype=object)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "round": self.round,
            "model": self.model,
            "legal": self.legal,
            "status": None if self.optimum is None else self.optimum.status,
            "levels": self.levels.to_dict("records"),
            "violations": [
                {"rule": v.rule, "players": list(v.players), "message": v.message}
                for v in self.violations
            ],
        }


def check(
    event: Event,
    pairings: str | Path | pd.DataFrame,
    model: str | Path | Model = "standard",
    *,
    solve: bool = True,
    engine: str = "cpsat",
    time_limit: float | None = None,
    workers: int = 1,
    **options: Any,
) -> Check:
    """Compute every level and constraint of a pairing, then what an optimum would improve.

    Args:
        event: the event before the round.
        pairings: the round's matches, in the columns of matches.csv; rows of other rounds
            are passed over. Rows `requested` take players out of the round.
        solve: whether to compare with an optimal pairing.
        options: those of `solve`.

    Raises:
        InputError: when it is not a pairing of this event's round.
    """
    name, rows, numbers = read_rows(pairings)
    event = event.at_round(options.pop("round", None))
    here = [(row, n) for row, n in zip(rows, numbers, strict=True) if row.round == event.round]
    if not here:
        raise InputError(name, f"no rows of round {event.round}")
    asked = [row.player1 for row, _ in here if row.status == "requested"]
    known = [p for p in asked if p in event.index and event.active[event.index[p]]]
    requests = [*options.pop("request_bye", ()), *known]
    problem = prepare(event, model, request_bye=requests, **options)
    played = [(row, n) for row, n in here if row.status != "requested"]
    arcs = _arcs(problem, name, played)
    verdict = inspect(problem, arcs)
    if verdict.faults:
        raise InputError(name, [Fault(fault) for fault in verdict.faults])
    violations, notes = verdict.violations, problem.notes
    limit = None if time_limit is None else time.monotonic() + time_limit
    if problem.lookahead:
        missing, said = _lookahead(problem, arcs, workers, limit) if solve else ([], [UNSOLVED])
        violations, notes = (*violations, *missing), (*notes, *said)
    best: tuple[int | None, ...] = (None,) * len(verdict.values)
    optimum = None
    if solve:
        objective = problem.model.objective
        optimum = pair(
            problem,
            engine,
            Options(objective, seed=problem.seed, workers=workers, deadline=limit),
        )
        if optimum.matches:
            best = tuple(v.value for v in optimum.level_values)[-len(best) :] if best else ()
    return Check(
        round=event.round,
        model=problem.model.name,
        checked=tuple(
            CheckedLevel(level.criterion, level.label, value, other, level.scale, level.words)
            for level, value, other in zip(problem.levels, verdict.values, best, strict=True)
        ),
        violations=violations,
        optimum=optimum,
        shares=_shares(problem, arcs),
        notes=notes,
    )


def _title(one: object, two: object) -> str:
    return f"bye of {one}" if two is None else f"{one} - {two}"


def _shares(problem: Problem, arcs: Arcs) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Each match by its players, and what it adds to each level."""
    names, costs = problem.state.names, problem.costs(arcs)
    return tuple(
        (_title(names[one], None if two == BYE else names[two]), tuple(row))
        for one, two, row in zip(
            arcs.first.tolist(), arcs.second.tolist(), costs.tolist(), strict=True
        )
    )


def _lookahead(
    problem: Problem, arcs: Arcs, workers: int, limit: float | None
) -> tuple[list[Violation], list[str]]:
    """Whether the pairing leaves room for the further rounds: violations, and notes."""
    from pairopt.engines.cpsat.counts import Settings
    from pairopt.engines.cpsat.further import rounds_after

    found, proven = rounds_after(problem, arcs, Settings(problem.seed, workers, limit))
    if found is not None:
        seen = inspect(problem, arcs, found).violations
        return [violation for violation in seen if violation.rule == "lookahead"], []
    if not proven:
        return [], ["lookahead: not checked within the time limit"]
    rounds = problem.lookahead
    message = f"lookahead: the pairs unplayed after this round do not hold {rounds} more"
    return [Violation("lookahead", (), message)], []


def _arcs(problem: Problem, name: str, rows: Sequence[tuple[MatchRow, int]]) -> Arcs:
    """The arcs of rows, or InputError naming each row that cannot be one of this round.

    A forfeited match may lack its sides; it is taken the better way round.
    """
    state = problem.state
    position = {player: k for k, player in enumerate(state.names)}
    faults, first, second, open_sides = [], [], [], []
    for row, number in rows:
        for column in ("player1", "player2"):
            player = getattr(row, column)
            if player and player not in position:
                message = f"found {player!r}, expected a player who is active in this round"
                faults.append(Fault(message, number, column))
        sides = state.event.sides
        unknown = row.status == "forfeit" and not row.side1
        if sides and row.player2 and row.side1 not in sides and not unknown:
            message = f"found {row.side1!r}, expected {' or '.join(sides)}"
            faults.append(Fault(message, number, "side1"))
        one, two = position.get(row.player1, 0), position.get(row.player2, 0)
        if sides and row.player2 and row.side1 == sides[1]:
            one, two = two, one
        first.append(one)
        second.append(two if row.player2 else BYE)
        open_sides.append(unknown)
    if faults:
        raise InputError(name, faults)
    arcs = arcs_of(np.array(first, np.int64), np.array(second, np.int64))
    ways, _ = legal_ways(problem, arcs)
    other = np.array(open_sides, np.bool_) & (ways == OTHER_FIRST) & arcs.match
    turned = arcs.reversed()
    return arcs_of(
        np.where(other, turned.first, arcs.first), np.where(other, turned.second, arcs.second)
    )
