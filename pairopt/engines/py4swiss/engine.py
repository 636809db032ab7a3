"""The FIDE (Dutch) System by py4swiss, an independent implementation of C.04.3 until January 2026.

Players have their start numbers; the side of the first round is the event's, else drawn. No round
is treated as the last one, in which the Dutch System lets top scorers break the rules on sides.
Pairs that the problem's constraints forbid are forbidden pairs.

Source: FIDE Handbook C.04.3; py4swiss.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pairopt.engines.base import Options, Solution, UnsupportedError
from pairopt.errors import not_installed
from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.event import BYE_ROW, FORFEIT, PLAYED
from pairopt.event.turns import points_of
from pairopt.problem.problem import Problem

NEVER = 10_000
"""A number of rounds that is not reached."""


def solve(problem: Problem, options: Options) -> Solution:  # noqa: ARG001 - decides nothing
    """The pairing of the Dutch System; none where it has none that keeps the constraints."""
    unknown = (None,) * len(problem.levels)
    arcs = _paired(problem)
    return Solution("unknown" if arcs is None else "heuristic", arcs, unknown)


def _paired(problem: Problem) -> Arcs | None:
    try:
        from py4swiss.engines import DutchEngine
        from py4swiss.engines.common import PairingError
    except ImportError:
        raise not_installed(f"model {problem.model.name} needs py4swiss", "dutch") from None
    if not problem.state.sided:
        raise UnsupportedError(f"model {problem.model.name} needs a game with sides")
    number = problem.state.event.start_numbers
    try:
        pairs = DutchEngine.generate_pairings(report_of(problem))
    except PairingError:
        return None
    position = {0: BYE} | {
        int(number[player]): k for k, player in enumerate(problem.state.player.tolist())
    }
    arcs = arcs_of(
        np.array([position[one.white] for one in pairs]),
        np.array([position[one.black] for one in pairs]),
    )
    return arcs if problem.legal(arcs).all() else None


def report_of(problem: Problem) -> Any:
    """The event as py4swiss reads it: a parsed tournament report."""
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.codes import PlayerCode
    from py4swiss.trf.results import ScoringPointSystem
    from py4swiss.trf.sections import PlayerSection, XSection
    from py4swiss.trf.sections.x_section import XSectionConfiguration

    event, points = problem.state.event, points_of(problem.state.event)
    number = event.start_numbers
    results, before = _results(problem, number)
    system = ScoringPointSystem()
    system.score_dict = dict.fromkeys(system.score_dict, 0)
    order = np.argsort(number)
    players = [
        PlayerSection(code=PlayerCode.PLAYER, starting_number=int(number[p]), rank=rank,
                      points_times_ten=int(points[p]), results=results[p])
        for rank, p in enumerate(order.tolist(), 1)
    ]  # fmt: skip
    if event.initial_side is None:
        first_white = bool(np.random.default_rng([problem.seed, 3]).integers(2))
    else:
        first_white = event.initial_side == 0
    extra = XSection(
        number_of_rounds=NEVER,
        zeroed_ids={int(number[p]) for p in np.flatnonzero(~event.active)},
        scoring_point_system=system,
        configuration=XSectionConfiguration(first_round_color=first_white),
        # points are what py4swiss calls accelerations, so that any scoring is the event's own
        accelerations={int(number[p]): before[p] for p in range(len(number))},
        forbidden_pairs=_forbidden(problem, number),
    )
    return ParsedTrf(player_sections=players, x_section=extra)


def _results(problem: Problem, number: Any) -> tuple[list[list[Any]], list[list[int]]]:
    """Each player's results round by round, and their scaled points before each round."""
    from py4swiss.trf.results import ColorToken, ResultToken, RoundResult

    event, rows = problem.state.event, problem.state.event.before
    absent = RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED,
                         result=ResultToken.ZERO_POINT_BYE)  # fmt: skip
    n, rounds = len(event.players), event.round - 1
    results = [[absent] * rounds for _ in range(n)]
    points = np.zeros((n, rounds), np.int64)
    colors = (ColorToken.WHITE, ColorToken.BLACK)
    full = problem.state.win * event.scale
    for k in range(len(rows)):
        seats = [(rows.first[k], rows.second[k], rows.score1[k], rows.score2[k], rows.side[k])]
        if rows.second[k] >= 0:
            turned = 1 - rows.side[k] if rows.side[k] >= 0 else -1
            seats.append((rows.second[k], rows.first[k], rows.score2[k], rows.score1[k], turned))
        turn = int(rows.round[k]) - 1
        for own, other, score, against, side in seats:
            points[own, turn] = score
            opponent, color = (int(number[other]) if other >= 0 else 0), colors[max(side, 0)]
            if rows.status[k] == PLAYED:
                token = _played(score, against)
            elif rows.status[k] == FORFEIT:
                token = ResultToken.FORFEIT_WIN if score > against else ResultToken.FORFEIT_LOSS
            else:
                allocated = rows.status[k] == BYE_ROW
                token = (ResultToken.PAIRING_ALLOCATED_BYE if allocated
                         else ResultToken.FORFEIT_WIN if score >= full
                         else ResultToken.ZERO_POINT_BYE)  # fmt: skip
                color = ColorToken.BYE_OR_NOT_PAIRED
            results[own][turn] = RoundResult(id=opponent, color=color, result=token)
    sums = np.cumsum(np.pad(points, ((0, 0), (1, 0))), axis=1)
    return results, (event.besides + sums).tolist()


def _played(score: int, against: int) -> Any:
    from py4swiss.trf.results import ResultToken

    if score == against:
        return ResultToken.DRAW
    return ResultToken.WIN if score > against else ResultToken.LOSS


def _forbidden(problem: Problem, number: Any) -> set[tuple[int, int]]:
    """The pairs that may not meet, whoever has the first side."""
    first, second = np.triu_indices(len(problem), 1)
    arcs = arcs_of(first, second)
    barred = ~(problem.legal(arcs) | problem.legal(arcs.reversed()))
    player = problem.state.player
    one, two = number[player[first[barred]]], number[player[second[barred]]]
    return {*zip(one.tolist(), two.tolist(), strict=True),
            *zip(two.tolist(), one.tolist(), strict=True)}  # fmt: skip
