"""Typical: whether a pairing that was played looks as if drawn by lot from those as good as it.

How far out are its sums, if each pairing with the same value at every level is equally likely? A
procedure that prefers some for ratings, ranks or the order of a list shows in them.
"""

import time
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any, Literal, Unpack

import numpy as np

from pairopt.analysis.spreads import (
    Spread,
    exact_distributions,
    sampled_distributions,
    sum_of,
)
from pairopt.common.budget import Budget, TimeUpError
from pairopt.common.holm import correct_by_holm
from pairopt.common.serialization import read_package_toml, to_record, to_records
from pairopt.engines import require_exact
from pairopt.engines.allowed_arcs import LISTED_FIRST
from pairopt.engines.player_types import legal_ways
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.event import NO_RATING, Event
from pairopt.files.read import Input
from pairopt.messages import Note, message, with_heading
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.options import (
    ModelLike,
    RoundOptions,
    show_keywords,
)
from pairopt.problem.problem import Problem
from pairopt.round.check import Check, check
from pairopt.sampling.choose_optimal import require_choosable
from pairopt.sampling.drawing import ChainDiagnostics, chains
from pairopt.sampling.optimal_pairings import optima_of

Lot = Literal["optimal", "same levels"]

DRAWS = 999
WORDS = read_package_toml("pairopt.round", "typical.toml")
"""What is looked at: sums over the matches of a pairing."""


@dataclass(frozen=True, slots=True)
class Statistic:
    """A sum over the matches of the played pairing, and what it is under the lot. `low` to `high`
    hold 95 % of the lot; `p` is two-sided, twice the smaller tail with the played one in it;
    `p_holm` is corrected for all statistics of the round (Holm 1979).
    """

    name: str
    value: float
    mean: float
    low: float
    high: float
    p: float
    p_holm: float


@dataclass(frozen=True)
class Typical:
    """A played round beside the lot. `lot` says from which pairings: the "optimal" ones, or those
    of the "same levels" where the played one is not optimal, each match the better way round; None
    where the question has no answer, for a `reason`. `statistics` are those that differ in these
    pairings; `draws` is 0 where all were counted; not `complete` where the deadline came first.
    """

    event: str
    round: int
    model: str
    lot: Lot | None = None
    reason: Note | None = None
    statistics: tuple[Statistic, ...] = ()
    draws: int = 0
    chained: tuple[ChainDiagnostics, ...] = ()
    complete: bool = True
    notes: tuple[str | Note, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            **to_record(self, "event", "round", "model", "lot", "complete", "draws"),
            "reason": str(self.reason or ""),
            "chains": chains(self.chained, "players"),
            "statistics": to_records(self.statistics),
        }


def typical_rows(seen: Typical) -> tuple[list[str], list[list[object]]]:
    """The columns of the CSV, and a row a statistic; without a lot one row that says why."""
    columns = [
        "event",
        "round",
        "model",
        "lot",
        "draws",
        "reason",
        *Statistic.__slots__,
    ]
    common = [
        seen.event,
        seen.round,
        seen.model,
        seen.lot,
        seen.draws,
        str(seen.reason or ""),
    ]
    found = [
        [getattr(each, name) for name in Statistic.__slots__]
        for each in seen.statistics
    ]
    return columns, [
        [*common, *row] for row in found or [[None] * len(Statistic.__slots__)]
    ]


@show_keywords(RoundOptions)
def typical(
    event: Event,
    pairings: Input,
    model: ModelLike | None = None,
    *,
    draws: int = DRAWS,
    **options: Unpack[RoundKeywords],
) -> Typical:
    """Whether a pairing of the event's round is typical of a lot among those as good as it.

    `pairings` are as for `check`. Exact where those of each part of the field can be listed; else
    from draws, with p-values (k + 1) / (draws + 1), where k draws are as far out (Davison and
    Hinkley 1997, 4.2). Raises UsageError for a lookahead, an engine that proves nothing, or less
    than one draw, InputError when it is not a pairing of this event's round.
    """
    if draws < 1:
        raise UsageError("lot.no_draws")
    limit = options.get("time_limit")
    found = check(event, pairings, model, **options)
    problem, optimum = found.problem, found.optimum
    assert optimum is not None
    require_exact(optimum.engine, "there is no lot")
    require_choosable(problem)
    seen = Typical(problem.event.source, found.round, found.model, notes=found.notes)
    if not optimum.proven:
        return replace(seen, reason=message("lot.time_up"), complete=False)
    if reason := _no_lot(found):
        return replace(seen, reason=reason)
    lot: Lot = "optimal" if found.better is None else "same levels"
    budget = Budget(optimum.seed, deadline=limit and time.monotonic() + limit)
    try:
        return replace(
            seen, lot=lot, **_compare_with_draws(problem, found.arcs, draws, budget)
        )
    except TimeUpError:
        return replace(seen, reason=message("lot.time_up"), complete=False)


def _no_lot(found: Check) -> Note | None:
    """Why there is no lot to compare with, None where there is one."""
    if found.problem.system is not None:
        return message("lot.one_pairing")
    if found.violations:
        return with_heading(message("lot.illegal"), found.violations[0].message)
    weights = found.problem.weights(found.problem.model.objective)
    bits, _ = legal_ways(found.problem, found.arcs, weights)
    turned = ((bits & LISTED_FIRST) == 0) & found.arcs.match
    return message("lot.turned", matches=int(turned.sum())) if turned.any() else None


def _compare_with_draws(
    problem: Problem, arcs: Arcs, draws: int, budget: Budget
) -> dict[str, Any]:
    values = _values(problem)
    own = {name: int(sum_of(table, arcs)) for name, table in values.items()}
    optima = optima_of(problem, arcs, problem.model.objective, budget)
    spreads = exact_distributions(optima, values, budget)
    chained: tuple[ChainDiagnostics, ...] = ()
    if spreads is None:
        spreads, chained = sampled_distributions(optima, values, draws, budget)
    else:
        draws = 0
    spreads = {
        name: spread for name, spread in spreads.items() if {*spread} != {own[name]}
    }
    p = {name: _p(spread, own[name], bool(draws)) for name, spread in spreads.items()}
    p_holm = dict(
        zip(p, correct_by_holm(np.array([*p.values()])).tolist(), strict=True)
    )
    statistics = []
    for name, spread in spreads.items():
        scale = problem.event.rating_scale if name == "rating_gaps" else 1
        value, (mean, low, high) = (
            own[name] / scale,
            (float(x / scale) for x in _summary(spread)),
        )
        statistics.append(
            Statistic(name, value, mean, low, high, p[name], p_holm[name])
        )
    return {"draws": draws, "chained": chained, "statistics": tuple(statistics)}


def _values(problem: Problem) -> dict[str, IntArray]:
    """What a match adds to each statistic, shape (n, n + 1), first side first; the bye is last."""
    state, n = problem.state, len(problem)
    rank = state.overall_rank
    gap = {"rank_gaps": rank, "list_gaps": state.player}
    if (state.rating != NO_RATING).all():
        gap = {"rating_gaps": state.rating, **gap}
    found = {name: np.abs(of[:, None] - of[None]) for name, of in gap.items()}
    if state.sided:
        found["higher_first"] = (rank[:, None] < rank[None]).astype(np.int64)
    down = np.sign(state.score[:, None] - state.score[None])
    found["down_ranks"] = np.where(
        down > 0, rank[:, None], np.where(down < 0, rank[None], 0)
    )
    found = {
        name: np.column_stack([table, np.zeros(n, np.int64)])
        for name, table in found.items()
    }
    if state.odd:
        found["bye_rank"] = np.column_stack([np.zeros((n, n), np.int64), rank])
    return found


def _p(spread: Spread, value: int, drawn: bool) -> float:
    """Twice the smaller tail; the played pairing is one more where the others are drawn."""
    total = sum(spread.values()) + drawn
    tails = [
        sum(ways for each, ways in spread.items() if sign * each >= sign * value)
        + drawn
        for sign in (1, -1)
    ]
    return float(min(Fraction(1), Fraction(2 * min(tails), total)))


def _summary(spread: Spread) -> tuple[Fraction, int, int]:
    total = sum(spread.values())
    mean = Fraction(sum(value * ways for value, ways in spread.items()), total)
    ends = []
    for values in (sorted(spread), sorted(spread, reverse=True)):
        below = accumulate(spread[value] for value in values)
        ends.append(
            next(v for v, many in zip(values, below, strict=True) if 40 * many > total)
        )
    return mean, ends[0], ends[1]
