"""Standings: points, strength of schedule and side bias of every player so far.

Strength of schedule (SoS) is the mean, over the opponents played, of the opponent's points
per round (byes included); extended SoS the mean of the opponents' SoS. This is how Cobra
and NRTM compute them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pairopt.errors import UsageError
from pairopt.event.event import PLAYED, Event
from pairopt.event.state import points_of
from pairopt.wording import decimal_text

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("rank", "name", "points", "sos", "esos", "side_bias")


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's line; points and strengths are exact, in the event's own points.

    `games` counts matches played; byes and forfeits are none.
    """

    rank: int
    player: str
    name: str
    points: Fraction
    sos: Fraction
    esos: Fraction
    bias: int
    games: int
    active: bool


def ranked(event: Event) -> tuple[Standing, ...]:
    """All players, best first: by points, SoS, extended SoS, then players.csv order."""
    n, rows = len(event.players), event.before
    points = [Fraction(int(p), event.scale) for p in points_of(event)]
    opponents: dict[int, list[int]] = defaultdict(list)
    rounds, bias = [0] * n, [0] * n
    for one, two, status, side in zip(
        rows.first.tolist(), rows.second.tolist(), rows.status.tolist(), rows.side.tolist(),
        strict=True,
    ):  # fmt: skip
        rounds[one] += 1
        if two >= 0:
            rounds[two] += 1
        if status == PLAYED:
            opponents[one].append(two)
            opponents[two].append(one)
            if side >= 0:
                bias[one] += 1 - 2 * side
                bias[two] -= 1 - 2 * side
    average = [p / r if r else Fraction(0) for p, r in zip(points, rounds, strict=True)]
    sos = [_mean([average[o] for o in opponents[p]]) for p in range(n)]
    esos = [_mean([sos[o] for o in opponents[p]]) for p in range(n)]
    order = sorted(range(n), key=lambda p: (-points[p], -sos[p], -esos[p], p))
    return tuple(
        Standing(
            rank, event.players[p], event.names[p], points[p], sos[p], esos[p], bias[p],
            len(opponents[p]), bool(event.active[p]) or p in event.requested,
        )
        for rank, p in enumerate(order, 1)
    )  # fmt: skip


def standings(event: Event, *, cut: int | None = None) -> pd.DataFrame:
    """The standings as a table, columns rank, name, points, sos, esos, side_bias.

    `cut` keeps the best so many of the players who are still active. Raises UsageError when
    there are fewer.
    """
    import pandas as pd

    return pd.DataFrame([cells(event, line) for line in shown(event, cut)], columns=list(COLUMNS))


def shown(event: Event, cut: int | None) -> tuple[Standing, ...]:
    """The lines to show: all, or the best of those still active."""
    lines = ranked(event)
    if cut is None:
        return lines
    active = tuple(line for line in lines if line.active)
    if not 1 <= cut <= len(active):
        raise UsageError(f"--cut {cut}: expected a number from 1 to {len(active)}")
    return active[:cut]


def cells(event: Event, line: Standing) -> list[object]:
    """A line as organisers write it: strengths with 4 decimals, bias as "Corp +1"."""
    return [
        line.rank,
        line.name,
        decimal_text(line.points),
        f"{float(line.sos):.4f}",
        f"{float(line.esos):.4f}",
        _bias_text(event, line.bias),
    ]


def _bias_text(event: Event, bias: int) -> str:
    if event.sides is None:
        return ""
    if bias == 0:
        return "Balanced"
    return f"{event.sides[0 if bias > 0 else 1].capitalize()} +{abs(bias)}"


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)
