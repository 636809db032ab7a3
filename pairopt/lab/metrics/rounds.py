"""Metrics: what a pairing is like under measures that are the same for every model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.event import Event
from pairopt.event.state import State
from pairopt.lab.metrics import Value
from pairopt.lab.order import Floats, kendall, order_of, spearman, top_hits
from pairopt.problem.levels import notable
from pairopt.round.result import Result
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.byes import NoByeAfterForfeitWin, NoRepeatBye
from pairopt.rules.constraints.meetings import NoRematch
from pairopt.rules.constraints.side_limits import MaxSideDifference, MaxSideStreak

ABSOLUTE: Final[Mapping[str, tuple[Constraint, ...]]] = {
    "no_rematch": (NoRematch(),),
    "no_repeat_bye": (NoRepeatBye(), NoByeAfterForfeitWin()),
    "max_side_difference": (MaxSideDifference(2),),
    "max_side_streak": (MaxSideStreak(2),),
}
"""FIDE's absolute rules (C.04.1): matches and byes that break them are counted for any model.

Those on sides count in the last round too, in which C.04.1 lets a system make exceptions: a system
may break them there by its own rules.
"""

MOST_SIDES = 4
"""The last bar of the side histograms counts all from here on."""

RANKING: Final = ("kendall", "spearman", "top_hits", "sos_spread")
HISTOGRAMS: Final = tuple(
    f"{kind}_{k}" for kind in ("side_difference", "side_streak") for k in range(MOST_SIDES + 1)
)
PAIRING: Final = (
    "rematches", "bye_points", "bye_groups", "floats", "group_distance", "violations",
    *(f"broken_{name}" for name in ABSOLUTE), *HISTOGRAMS,
)  # fmt: skip


def of_pairing(state: State, arcs: Arcs) -> dict[str, Value]:
    """What a round's matches are like, given the rounds before.

    `rematches` counts matches between players who have met; `bye_points` are the points of the
    player with the bye, `bye_groups` the score groups below theirs; `floats` counts matches
    across score groups and `group_distance` is the mean distance in groups of all matches.
    `broken_...` count matches and byes that break a rule (`broken_no_repeat_bye` also byes after
    an unplayed win), `violations` is their sum; see `ABSOLUTE`.
    `side_difference_k` and `side_streak_k` are the players with k after the round (4: or more).
    """
    group, match = state.group, arcs.match
    distance = np.abs(group[arcs.first[match]] - group[arcs.second[match]])
    bye = arcs.first[arcs.bye].tolist()
    broken = {
        f"broken_{name}": _broken(state, arcs, rules)
        for name, rules in ABSOLUTE.items()
        if state.sided or not any(rule.needs_sides for rule in rules)
    }
    found: dict[str, Value] = {
        "rematches": broken["broken_no_rematch"],
        "bye_points": int(state.score[bye[0]]) / state.scale if bye else None,
        "bye_groups": state.groups - 1 - int(group[bye[0]]) if bye else None,
        "floats": int(np.count_nonzero(distance)),
        "group_distance": float(distance.mean()) if len(distance) else None,
        "violations": sum(broken.values()),
        **broken,
    }
    if state.sided:
        difference, streak = _after(state, arcs)
        found |= _histogram("side_difference", difference) | _histogram("side_streak", streak)
    return found


def _broken(state: State, arcs: Arcs, rules: Sequence[Constraint]) -> int:
    """How many arcs one of the rules does not allow."""
    legal = [rule.legal(state, arcs) for rule in rules]
    return len(arcs) - int(np.count_nonzero(np.logical_and.reduce(legal)))


def _after(state: State, arcs: Arcs) -> tuple[IntArray, IntArray]:
    """Side difference and side streak of each player after the round."""
    bias, streak = state.bias.copy(), state.streak.copy()
    for side, players in enumerate((arcs.first[arcs.match], arcs.second[arcs.match])):
        bias[players] += 1 - 2 * side
        streak[players] = np.where(state.last_side[players] == side, streak[players] + 1, 1)
    return np.abs(bias), streak


def _histogram(name: str, values: IntArray) -> dict[str, Value]:
    counts = np.bincount(np.minimum(values, MOST_SIDES), minlength=MOST_SIDES + 1)
    return {f"{name}_{k}": count for k, count in enumerate(counts.tolist())}


def of_standings(before: Event, after: Event, strength: Floats) -> dict[str, Value]:
    """What the standings after a round tell about the strength of the players in it.

    `kendall` (tau-b) and `spearman` compare both orders, `top_hits` is the part of the true
    best eighth found (of equal strengths: none), `sos_spread` see `Order.spread`.
    """
    order, active = order_of(after), before.active
    place, strong = order.place[active], strength[active]
    return {
        "kendall": kendall(place, strong),
        "spearman": spearman(place, strong),
        "top_hits": top_hits(place, strong),
        "sos_spread": order.spread(active),
    }


def values_text(result: Result) -> str:
    """The model's own levels with their values, as "rematches 1=0; bye_score 1=3".

    Of a system those that are not 0.
    """
    levels, _ = notable(result.problem, result.level_values)
    return "; ".join(f"{v.criterion} {v.level}={_number(v.value, v.scale)}" for v in levels)


def _number(value: int | None, scale: int) -> str:
    return "" if value is None else f"{value / scale:g}" if scale > 1 else str(value)
