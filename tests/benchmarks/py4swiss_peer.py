"""py4swiss, an independent implementation of the FIDE (Dutch) System until January 2026, as a peer.

Players have their start numbers; the side of the first round is the event's, else drawn. No round
is treated as the last one, in which the Dutch System lets top scorers break the rules on sides.

As a contender in studies: `--plugin tests/benchmarks/py4swiss_peer.py:py4swiss`.

Source: FIDE Handbook C.04.3; py4swiss.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from py4swiss.engines import DutchEngine
from py4swiss.engines.common import PairingError
from py4swiss.trf import ParsedTrf
from py4swiss.trf.codes import PlayerCode
from py4swiss.trf.results import (
    ColorToken,
    ResultToken,
    RoundResult,
    ScoringPointSystem,
)
from py4swiss.trf.sections import PlayerSection, XSection
from py4swiss.trf.sections.x_section import XSectionConfiguration

from pairopt.event.event import BYE_ROW, FORFEIT, PLAYED, Event
from pairopt.event.score_checks import infer_points, points_of

NEVER = 10_000
"""A number of rounds that is not reached."""

Pairs = list[tuple[str, ...]]


def py4swiss(event: Event, seed: int) -> Pairs | None:
    """The round as a contender pairs it; None where the Dutch System has no pairing."""
    try:
        return pairs_of(event, DutchEngine.generate_pairings(report_of(event, seed)))
    except PairingError:
        return None


def pairs_of(event: Event, found: Any) -> Pairs:
    """What py4swiss found, by the players' names."""
    name = dict(zip(event.start_numbers.tolist(), event.players, strict=True))
    return [tuple(name[n] for n in (each.white, each.black) if n) for each in found]


def report_of(event: Event, seed: int = 0) -> ParsedTrf:
    """The event as py4swiss reads it: a parsed tournament report."""
    points, number = points_of(event), event.start_numbers
    results, before = _results(event, number)
    system = ScoringPointSystem()
    system.score_dict = dict.fromkeys(system.score_dict, 0)
    players = [
        PlayerSection(
            code=PlayerCode.PLAYER,
            starting_number=int(number[p]),
            rank=rank,
            points_times_ten=int(points[p]),
            results=results[p],
        )
        for rank, p in enumerate(np.argsort(number).tolist(), 1)
    ]
    if event.initial_side is None:
        first_white = bool(np.random.default_rng([seed, 3]).integers(2))
    else:
        first_white = event.initial_side == 0
    extra = XSection(
        number_of_rounds=NEVER,
        zeroed_ids={int(number[p]) for p in np.flatnonzero(~event.active)},
        scoring_point_system=system,
        configuration=XSectionConfiguration(first_round_color=first_white),
        # points are what py4swiss calls accelerations, so that any scoring is the event's own
        accelerations={int(number[p]): before[p] for p in range(len(number))},
        forbidden_pairs=set(),
    )
    return ParsedTrf(player_sections=players, x_section=extra)


def _results(event: Event, number: Any) -> tuple[list[list[Any]], list[list[int]]]:
    """Each player's results round by round, and their scaled points before each round."""
    rows = event.before
    absent = RoundResult(
        id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=ResultToken.ZERO_POINT_BYE
    )
    n, rounds = len(event.players), event.round - 1
    results = [[absent] * rounds for _ in range(n)]
    points = np.zeros((n, rounds), np.int64)
    colors = (ColorToken.WHITE, ColorToken.BLACK)
    full = infer_points(event).win * event.scale
    for k in range(len(rows)):
        seats = [
            (
                rows.first[k],
                rows.second[k],
                rows.score1[k],
                rows.score2[k],
                rows.side[k],
            )
        ]
        if rows.second[k] >= 0:
            turned = 1 - rows.side[k] if rows.side[k] >= 0 else -1
            seats.append(
                (rows.second[k], rows.first[k], rows.score2[k], rows.score1[k], turned)
            )
        turn = int(rows.round[k]) - 1
        for own, other, score, against, side in seats:
            points[own, turn] = score
            opponent, color = (
                (int(number[other]) if other >= 0 else 0),
                colors[max(side, 0)],
            )
            if rows.status[k] == PLAYED:
                token = _played(score, against)
            elif rows.status[k] == FORFEIT:
                token = (
                    ResultToken.FORFEIT_WIN
                    if score > against
                    else ResultToken.FORFEIT_LOSS
                )
            else:
                allocated = rows.status[k] == BYE_ROW
                token = (
                    ResultToken.PAIRING_ALLOCATED_BYE
                    if allocated
                    else ResultToken.FORFEIT_WIN
                    if score >= full
                    else ResultToken.ZERO_POINT_BYE
                )
                color = ColorToken.BYE_OR_NOT_PAIRED
            results[own][turn] = RoundResult(id=opponent, color=color, result=token)
    sums = np.cumsum(np.pad(points, ((0, 0), (1, 0))), axis=1)
    return results, (event.besides + sums).tolist()


def _played(score: int, against: int) -> Any:
    if score == against:
        return ResultToken.DRAW
    return ResultToken.WIN if score > against else ResultToken.LOSS
