"""Odds: pairing as a lottery, in which every optimal pairing is as likely as any other.

Where those of a part of the field can be counted by a table the answers are exact; elsewhere they
are estimated from draws, with 95 % intervals.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Unpack

import numpy as np

from pairopt.analysis.chances import (
    Measure,
    MeetingProbability,
    Odds,
    PlayerProbabilities,
    measure_of,
    strengths,
)
from pairopt.analysis.marginals import shares_of, spread_of
from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines import engine_of, require_exact
from pairopt.engines.allowed_arcs import LISTED_FIRST, OTHER_FIRST
from pairopt.engines.base import EngineOptions
from pairopt.engines.single_pairs import allowed_sides
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.event import Event
from pairopt.problem.build import build_problem_with_budget
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.model_file import Objective
from pairopt.problem.options import ModelLike, RoundOptions, show_keywords
from pairopt.problem.problem import Problem
from pairopt.round.solve import pair
from pairopt.sampling.choose_optimal import require_choosable
from pairopt.sampling.drawing import ChainDiagnostics
from pairopt.sampling.optimal_pairings import OptimalPairings, optima_of

DRAWS = 2000  # draws where nothing can be counted
MOST_PLAYERS = 1000  # a line for each two players who can meet is in memory
HALF = Fraction(1, 2)
_Row = tuple[
    int, "_MeetingPair", Fraction
]  # an opponent, how likely, and how likely with the first side


@show_keywords(RoundOptions)
def odds(
    event: Event,
    model: ModelLike | None = None,
    *,
    draws: int = DRAWS,
    by: Measure | None = None,
    **options: Unpack[RoundKeywords],
) -> Odds:
    """How likely everything is in the next round, if each optimal pairing is equally likely.

    So many `draws` are made where a part of the field is too large to be counted. Opponents are as
    strong as their "rating" (the default where all have one) or their "score". Raises UsageError
    for a lookahead, an engine that proves nothing, more than 1,000 players, or ratings that are not
    there; and what `solve` does.
    """
    if draws < 1:
        raise UsageError("lot.no_draws")
    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "odds"
    )
    engine = engine_of(problem, problem.asked)
    require_exact(engine, "there is no lottery to have odds in")
    require_choosable(problem)
    if len(problem) > MOST_PLAYERS:
        raise UsageError("lot.too_many", most=MOST_PLAYERS, players=len(problem))
    by = measure_of(problem, by)
    how = EngineOptions(problem.model.objective, budget=budget)
    result, event = pair(problem, engine, how), problem.event
    found = Odds(
        event.source, event.round, problem.model.name, "unknown", by, notes=result.notes
    )
    if result.status == "infeasible":
        return replace(found, status="infeasible")
    if result.status != "optimal" or result.arcs is None:
        return found
    try:
        more = _all(problem, result.arcs, result.objective, draws, by, budget)
    except TimeUpError:
        return found
    return replace(found, status="optimal", **more)


@dataclass(frozen=True)
class _MeetingPair:
    """Two players who may meet (`two` is n for the bye), how likely, and `first` of the sides."""

    one: int
    two: int
    share: Fraction | float
    low: float
    high: float
    first: Fraction


def _all(
    problem: Problem,
    arcs: Arcs,
    objective: Objective,
    draws: int,
    by: Measure,
    budget: Budget,
) -> dict[str, Any]:
    if problem.system is not None:  # its levels leave one pairing
        one, two = (
            arcs.first.tolist(),
            np.where(arcs.bye, len(problem), arcs.second).tolist(),
        )
        sure = Fraction(1), 1.0, 1.0, Fraction(1)
        met = [_MeetingPair(a, b, *sure) for a, b in zip(one, two, strict=True)]
        return {"players": _players(problem, met, by)}
    optima = optima_of(problem, arcs, objective, budget)
    found, estimated, chained = list[_MeetingPair](), False, list[ChainDiagnostics]()
    for component in optima.components:
        shares = shares_of(component, draws, budget)
        one, two = (component.players[each] for each in (shares.one, shares.two))
        sides = _first_sides(optima, one, two)
        if shares.exact is not None:
            each = [(share, float(share), float(share)) for share in shares.exact]
        else:
            estimated = True
            assert shares.seen is not None
            mean = shares.seen.sum(axis=0) / (shares.each * len(shares.seen))
            each = list(
                zip(
                    mean.tolist(), *(x.tolist() for x in spread_of(shares)), strict=True
                )
            )
            chained += [shares.chained] if shares.chained else []
        pairs = zip(one.tolist(), two.tolist(), each, sides, strict=True)
        found += [
            _MeetingPair(a, b, *share, first)
            for a, b, share, first in pairs
            if share[2]
        ]
    return {
        "players": _players(problem, found, by),
        "draws": draws if estimated else 0,
        "chained": tuple(chained),
    }


def _first_sides(
    optima: OptimalPairings, one: IntArray, two: IntArray
) -> list[Fraction]:
    """How likely `one` < `two` has the first side if they meet."""
    likely = {
        LISTED_FIRST: Fraction(1),
        OTHER_FIRST: Fraction(0),
        LISTED_FIRST | OTHER_FIRST: HALF,
    }
    ways = allowed_sides(optima.columns, one, two, optima.number[one, two])
    return [likely[bits] for bits in ways.tolist()]


def _players(
    problem: Problem, met: Iterable[_MeetingPair], by: Measure
) -> tuple[PlayerProbabilities, ...]:
    rows: list[list[_Row]] = [[] for _ in range(len(problem) + 1)]
    for each in met:
        rows[each.one].append((each.two, each, each.first))
        rows[each.two].append((each.one, each, 1 - each.first))
    strength = strengths(problem, by)
    order = np.argsort(problem.state.player).tolist()
    return tuple(_player_probabilities(problem, p, rows[p], strength) for p in order)


def _player_probabilities(
    problem: Problem, p: int, rows: Sequence[_Row], strength: Sequence[Fraction]
) -> PlayerProbabilities:
    state, n = problem.state, len(problem)
    rank, group = [*state.overall_rank.tolist(), n + 1], state.group.tolist()
    rows = sorted(rows, key=lambda row: (-row[1].share, rank[row[0]]))
    games = [(other, met.share, first) for other, met, first in rows if other < n]
    played = _sum(share for _, share, _ in games)
    faced = _sum(share * strength[other] for other, share, _ in games)
    names = [*state.names, None]
    return PlayerProbabilities(
        player=state.names[p],
        bye=_sum(met.share for other, met, _ in rows if other == n),
        floats_down=_sum(share for other, share, _ in games if group[other] > group[p]),
        floats_up=_sum(share for other, share, _ in games if group[other] < group[p]),
        first_side=_sum(share * first for _, share, first in games)
        if state.sided
        else None,
        strength=faced / played if played else None,
        chances=tuple(
            MeetingProbability(
                state.names[p],
                names[other],
                float(met.share),
                met.low,
                met.high,
                met.share if isinstance(met.share, Fraction) else None,
            )
            for other, met, _ in rows
        ),
    )


def _sum(amounts: Iterable[Fraction | float]) -> Fraction | float:
    return sum(amounts, Fraction(0))
