"""Recount: what every study measures, made again from the rows of its games, many at a time."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pandas as pd

from pairopt.event.arcs import BYE, BoolArray, IntArray, arcs_of
from pairopt.event.event import BYE_ROW, FORFEIT, PLAYED, Matches
from pairopt.event.state import state_of
from pairopt.lab.metrics.rounds import PAIRING, RANKING, count_per_tournament, standing
from pairopt.lab.play import join_events, offset_players
from pairopt.lab.world import Field

TOGETHER: Final = 2**14  # so many players are looked at together
STATUS: Final = {"played": PLAYED, "forfeit": FORFEIT, "bye": BYE_ROW}
NOBODY: Final = "nobody"
"""The status of the one row of a round in which nobody was paired, as it had to be."""


def recompute_rounds(games: pd.DataFrame, fields: Mapping[int, Field]) -> pd.DataFrame:
    """The rows of a study's table, without those of its solver, from the games of one model in one
    world; `fields` are those of its replicates. `status` is "played", or why a round is not.
    """
    replicates = np.array(sorted(fields), np.int64)
    if not len(replicates):
        return pd.DataFrame(
            columns=["replicate", "round", "players", "status", *RANKING, *PAIRING]
        )
    world = fields[int(replicates[0])].world
    of = replicates.searchsorted(games["replicate"])
    ends = np.full(
        len(replicates), world.rounds
    )  # the last round of each that was paired
    without = ~games["status"].isin((*STATUS, NOBODY)).to_numpy()
    np.minimum.at(ends, of[without], games["round"].to_numpy()[without] - 1)
    parts = [
        games.loc[without, ["replicate", "round", "status"]].assign(players=np.nan)
    ]
    many = max(TOGETHER // world.players, 1)
    for end in np.unique(ends[ends > 0]).tolist():
        alike = np.flatnonzero(ends == end)
        for start in range(0, len(alike), many):
            chosen = alike[start : start + many]
            own = games[np.isin(of, chosen) & (games["round"] <= end).to_numpy()]
            parts += _batches(own, [fields[int(k)] for k in replicates[chosen]], end)
    frame = pd.concat(parts, ignore_index=True)
    return frame.sort_values(["replicate", "round"], kind="stable", ignore_index=True)


def _batches(
    games: pd.DataFrame, fields: list[Field], end: int
) -> Iterator[pd.DataFrame]:
    """The rounds of tournaments that were paired until the same one."""
    world, many = fields[0].world, len(fields)
    replicates = np.array([field.replicate for field in fields])
    matches, of = _matches(games, replicates, world.players, world.scale)
    strength = np.array([field.strength for field in fields])
    event = join_events([field.opening for field in fields])
    active = np.array([field.active(1) for field in fields])
    for number in range(1, end + 1):
        earlier, now = matches.round < number, matches.round == number
        before = replace(
            event, matches=matches.take(earlier), round=number, active=active.ravel()
        )
        state = state_of(before, world.win)
        order = np.argsort(state.player)  # those of a tournament beside each other
        state = replace(
            state,
            **{
                name: getattr(state, name)[order]
                for name in ("player", "score", "bias", "streak", "last_side", "byes")
            },
        )
        rows = matches.take(now)
        arcs = arcs_of(state.seats[rows.first], state.seats[rows.second]).turned(
            rows.side == 1
        )
        cells: dict[str, Any] = {
            "replicate": replicates,
            "round": np.full(many, number),
            "players": active.sum(axis=1),
            "status": np.full(many, "played"),
            **count_per_tournament(state, arcs, state.player // world.players, of[now]),
        }
        after = replace(
            before, matches=matches.take(matches.round <= number), round=number + 1
        )
        cells |= standing(after, active, strength)
        yield pd.DataFrame(
            {name: _round_six_decimals(column) for name, column in cells.items()}
        )
        active = _active(fields, number + 1, after.matches, of[matches.round <= number])


def _round_six_decimals(column: Any) -> Any:
    """With 6 decimals, as tables have them."""
    if column.dtype.kind != "f":
        return column
    return np.array([round(value, 6) for value in column.tolist()], np.float64)


def _matches(
    games: pd.DataFrame, replicates: IntArray, size: int, scale: int
) -> tuple[Matches, IntArray]:
    """The rows as an event has them, players numbered on, and the tournament of each."""
    games = games[games["player1"].notna()]
    of = replicates.searchsorted(games["replicate"])
    one, two, side = (
        games[name].fillna(0).to_numpy(np.int64)
        for name in ("player1", "player2", "side1")
    )
    scores = [
        np.rint(games[name].fillna(0).to_numpy(np.float64) * scale).astype(np.int64)
        for name in ("score1", "score2")
    ]
    met, none = two > 0, np.zeros(len(of), np.int64)
    side = np.where(games["side1"].notna(), side, -1)
    status = np.asarray(games["status"].map(STATUS), np.int64)
    found = Matches(
        games["round"].to_numpy(np.int64),
        none,
        one - 1 + of * size,
        np.where(met, two - 1 + of * size, BYE),
        side,
        scores[0],
        scores[1],
        status,
        none == 0,
        none - 1,
    )
    return found, of


def _active(
    fields: list[Field], number: int, played: Matches, of: IntArray
) -> BoolArray:
    if not fields[0].world.drops_by_score:
        return np.array([field.active(number) for field in fields])
    ends, size = (
        of.searchsorted(np.arange(len(fields) + 1)).tolist(),
        fields[0].world.players,
    )
    own = (played.take(slice(*each)) for each in pairwise(ends))
    return np.array(
        [
            field.active(
                number,
                replace(
                    rows,
                    first=rows.first - k * size,
                    second=offset_players(rows.second, np.array(-k * size)),
                ),
            )
            for k, (field, rows) in enumerate(zip(fields, own, strict=True))
        ]
    )
