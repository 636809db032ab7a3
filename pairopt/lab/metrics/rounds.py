"""Metrics: what a pairing is like under measures that are the same for every model."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from pairopt.common.serialization import read_package_toml
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.event import Event
from pairopt.event.state import State
from pairopt.lab.grid import Value
from pairopt.lab.order import Floats, kendall, order_of, spearman, top_hits
from pairopt.lab.play import joined_arcs, joined_states
from pairopt.problem.levels import notable_levels
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

Those on sides count in the last round too, in which C.04.1 lets a system make exceptions."""
MOST_SIDES = 4  # the last bar of the side histograms counts all from here on

RANKING: Final = ("kendall", "spearman", "top_hits", "sos_spread")
HISTOGRAMS: Final = tuple(
    f"{kind}_{k}"
    for kind in ("side_difference", "side_streak")
    for k in range(MOST_SIDES + 1)
)
PAIRING: Final = (
    "rematches",
    "bye_points",
    "bye_groups",
    "floats",
    "group_distance",
    "violations",
    *(f"broken_{name}" for name in ABSOLUTE),
    *HISTOGRAMS,
)


def about(metric: str) -> Mapping[str, Any]:
    """What metrics.toml says of a column, nothing of one's own."""
    found: Mapping[str, Any] = read_package_toml(__package__ or "", "metrics.toml").get(
        metric, {}
    )
    return found


def bounds_of(
    given: Sequence[float | str], players: int, rounds: int
) -> tuple[float, float]:
    """The least and most value of a range in a tournament of so many players and rounds. A bound is
    a number, or `players`, `rounds`, `tables` (seats of all rounds) or `rules` broken at each.
    """
    tables = (players + 1) // 2 * rounds
    known: dict[float | str, float] = {
        "players": players,
        "rounds": rounds,
        "tables": tables,
        "rules": len(ABSOLUTE) * tables,
    }
    least, most = (float(known.get(bound, bound)) for bound in given)
    return least, most


def measure_pairing(state: State, arcs: Arcs) -> dict[str, Value]:
    return of_pairings(state.event, [(state, arcs)])[0]


def of_pairings(
    event: Event, made: Sequence[tuple[State, Arcs]]
) -> list[dict[str, Value]]:
    """What a round's matches are like in each of several tournaments, of which `event` is `joined`.

    `rematches` counts matches between players who have met; `bye_points` are the points of the
    player with the bye, `bye_groups` the score groups below theirs; `floats` counts matches across
    score groups, whose mean distance is `group_distance`. `broken_...` count matches and byes that
    break a rule of `ABSOLUTE`, `violations` is their sum. `side_difference_k` and `side_streak_k`
    are the players with k after the round (4: or more).
    """
    states = [state for state, _ in made]
    state, (arcs, of) = joined_states(event, states), joined_arcs(made)
    owner = np.repeat(np.arange(len(made)), [*map(len, states)])
    cells = _rows(count_per_tournament(state, arcs, owner, of))
    byes = ("bye_points", "bye_groups")
    return [
        {name: cell for name, cell in row.items() if name not in byes or cell == cell}
        for row in cells
    ]


def count_per_tournament(
    state: State, arcs: Arcs, owner: IntArray, of: IntArray
) -> dict[str, IntArray | Floats]:
    """The columns of `of_pairings`, an entry a tournament: each player's is `owner`, in order, each
    arc's `of`. No value is nan.
    """
    many = int(owner[-1]) + 1
    group, last = _groups(owner, state.score)
    distance, met = (
        np.abs(group[arcs.first] - group[arcs.second])[arcs.match],
        of[arcs.match],
    )
    broken = {}
    for name, rules in ABSOLUTE.items():
        if state.sided or not any(rule.needs_sides for rule in rules):
            legal = np.logical_and.reduce([rule.legal(state, arcs) for rule in rules])
            broken[f"broken_{name}"] = np.bincount(of[~legal], minlength=many)
    matches = np.bincount(met, minlength=many)
    found: dict[str, IntArray | Floats] = {
        "rematches": broken["broken_no_rematch"],
        "floats": np.bincount(met[distance > 0], minlength=many),
        "group_distance": np.bincount(met, distance, many)
        / np.where(matches, matches, np.nan),
        "violations": np.sum([*broken.values()], axis=0),
        **broken,
    }
    if state.sided:
        difference, streak = _after(state, arcs)
        found |= _histogram("side_difference", difference, owner, many)
        found |= _histogram("side_streak", streak, owner, many)
    byes = found["bye_points"], found["bye_groups"] = np.full((2, many), np.nan)
    who = arcs.first[arcs.bye][::-1]  # of several byes the first
    byes[0][of[arcs.bye][::-1]] = state.score[who] / state.scale
    byes[1][of[arcs.bye][::-1]] = last[owner[who]] - group[who]
    return found


def _groups(owner: IntArray, score: IntArray) -> tuple[IntArray, IntArray]:
    """The score group of each player, one tournament after the other, and the last of each."""
    wide = int(np.ptp(score)) + 1
    found, group = np.unique(owner * wide + score.max() - score, return_inverse=True)
    return group, found.searchsorted(wide * np.arange(1, int(owner[-1]) + 2)) - 1


def _after(state: State, arcs: Arcs) -> tuple[IntArray, IntArray]:
    """Side difference and side streak of each player after the round."""
    bias, streak = state.bias.copy(), state.streak.copy()
    for side, players in enumerate((arcs.first[arcs.match], arcs.second[arcs.match])):
        bias[players] += 1 - 2 * side
        streak[players] = np.where(
            state.last_side[players] == side, streak[players] + 1, 1
        )
    return np.abs(bias), streak


def _histogram(
    name: str, values: IntArray, owner: IntArray, many: int
) -> dict[str, IntArray]:
    """How many players of each owner have each value."""
    place = owner * (MOST_SIDES + 1) + np.minimum(values, MOST_SIDES)
    counts = np.bincount(place, minlength=many * (MOST_SIDES + 1)).reshape(many, -1)
    return {f"{name}_{k}": own for k, own in enumerate(counts.T)}


def of_standings(
    after: Event, active: BoolArray, strength: Floats
) -> list[dict[str, Value]]:
    """What the standings after a round tell about the strength of the players in it. Of each of the
    tournaments that `after` has `joined`; arrays are (tournaments, players).
    """
    return _rows(standing(after, active, strength))


def standing(after: Event, active: BoolArray, strength: Floats) -> dict[str, Floats]:
    """The columns of `of_standings`, an entry a tournament."""
    order = order_of(after)
    place = order.place.reshape(active.shape)
    found = {
        each.__name__: each(place, strength, active)
        for each in (kendall, spearman, top_hits)
    }
    return found | {"sos_spread": order.spread(active)}


def _rows(columns: Mapping[str, IntArray | Floats]) -> list[dict[str, Value]]:
    every = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in every]


def values_text(result: Result) -> str:
    """The model's levels and values, as "rematches 1=0"; of a system those that are not 0."""
    levels, _ = notable_levels(result.problem, result.level_values)
    said = (
        (
            v,
            ""
            if v.value is None
            else f"{v.value / v.scale:g}"
            if v.scale > 1
            else v.value,
        )
        for v in levels
    )
    return "; ".join(
        f"{level.criterion} {level.level}={value}" for level, value in said
    )
