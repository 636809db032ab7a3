"""Recompute the standard metrics of a study from its games, many tournaments at a time."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pandas as pd

from pairopt.event.arcs import BYE, BoolArray, IntArray, arcs_of
from pairopt.event.event import BYE_ROW, FORFEIT, PLAYED, Matches
from pairopt.event.state import State, state_of
from pairopt.lab.metrics.rounds import (
    PAIRING,
    RANKING,
    compute_pairing_columns,
    compute_standings_columns,
)
from pairopt.lab.play import join_events, offset_players
from pairopt.lab.world import Field

# how many players are measured together
TOGETHER: Final = 2**14
STATUS: Final = {"played": PLAYED, "forfeit": FORFEIT, "bye": BYE_ROW}
NOBODY: Final = "nobody"
"""The status of the only row of a round in which no player could take part."""


def recompute_rounds(games: pd.DataFrame, fields: Mapping[int, Field]) -> pd.DataFrame:
    """Recompute a study's table of rounds from its games, without solvers' columns.

    `games` are those of one model in one world. For a round that was not paired they
    must have a row whose `status` is the reason. `fields` are the players of each
    tournament, by replicate. The result has the columns replicate, round, players,
    status and the metrics of pairings and standings, sorted by replicate and round.
    `status` is "played" or the reason; rounds after a round that was not paired have no
    row.
    """
    replicates = np.array(sorted(fields), np.int64)
    if not len(replicates):
        return pd.DataFrame(
            columns=["replicate", "round", "players", "status", *RANKING, *PAIRING]
        )

    world = fields[int(replicates[0])].world
    field_of_game = replicates.searchsorted(games["replicate"])
    round_of_game = games["round"].to_numpy()

    # rows that only say why a round was not paired
    is_reason = ~games["status"].isin((*STATUS, NOBODY)).to_numpy()
    reason_rows = games.loc[is_reason, ["replicate", "round", "status"]]
    round_tables = [reason_rows.assign(players=np.nan)]

    # the last round of each tournament that was paired
    last_paired_rounds = np.full(len(replicates), world.rounds)
    np.minimum.at(
        last_paired_rounds, field_of_game[is_reason], round_of_game[is_reason] - 1
    )

    # batches of tournaments that have the same rounds
    batch_size = max(TOGETHER // world.players, 1)
    for last_round in np.unique(last_paired_rounds[last_paired_rounds > 0]).tolist():
        replicate_positions_with_end = np.flatnonzero(last_paired_rounds == last_round)
        for batch_start in range(0, len(replicate_positions_with_end), batch_size):
            replicate_positions_in_batch = replicate_positions_with_end[
                batch_start : batch_start + batch_size
            ]
            is_in_batch = np.isin(field_of_game, replicate_positions_in_batch) & (
                round_of_game <= last_round
            )
            batch_fields = [
                fields[int(replicate)]
                for replicate in replicates[replicate_positions_in_batch]
            ]
            round_tables += _recompute_batch(
                games[is_in_batch], batch_fields, last_round
            )

    rounds_frame = pd.concat(round_tables, ignore_index=True)
    return rounds_frame.sort_values(
        ["replicate", "round"], kind="stable", ignore_index=True
    )


def _recompute_batch(
    games: pd.DataFrame, fields: list[Field], end: int
) -> Iterator[pd.DataFrame]:
    """Yield the tables of rounds 1 to `end` of tournaments paired until then.

    `games` are those of all these tournaments, and `fields` their players, in ascending
    order of replicates and of one world. A table has one row per tournament, with the
    replicate, the number of players, the status "played" and all pairing and standings
    metrics, rounded to 6 decimals.
    """
    world = fields[0].world
    field_count = len(fields)
    replicates = np.array([batch_field.replicate for batch_field in fields])
    matches, field_of_match = _convert_matches(
        games, replicates, world.players, world.scale
    )
    strengths = np.array([batch_field.strength for batch_field in fields])
    opening_event = join_events([batch_field.opening for batch_field in fields])
    is_active = np.array([batch_field.active(1) for batch_field in fields])

    for round_number in range(1, end + 1):
        is_in_round = matches.round == round_number
        event_before = replace(
            opening_event,
            matches=matches.take(matches.round < round_number),
            round=round_number,
            active=is_active.ravel(),
        )
        joined_state = _sort_by_player(state_of(event_before, world.win))

        round_matches = matches.take(is_in_round)
        first_seats = joined_state.seats[round_matches.first]
        second_seats = joined_state.seats[round_matches.second]
        arcs = arcs_of(first_seats, second_seats).turned(round_matches.side == 1)
        tournament_of_seat = joined_state.player // world.players
        round_columns: dict[str, Any] = {
            "replicate": replicates,
            "round": np.full(field_count, round_number),
            "players": is_active.sum(axis=1),
            "status": np.full(field_count, "played"),
            **compute_pairing_columns(
                joined_state, arcs, tournament_of_seat, field_of_match[is_in_round]
            ),
        }

        is_until_round = matches.round <= round_number
        event_after = replace(
            event_before, matches=matches.take(is_until_round), round=round_number + 1
        )
        round_columns |= compute_standings_columns(event_after, is_active, strengths)
        rounded_columns = {
            column_name: _round_six_decimals(column_values)
            for column_name, column_values in round_columns.items()
        }
        yield pd.DataFrame(rounded_columns)

        is_active = _find_active(
            fields,
            round_number + 1,
            event_after.matches,
            field_of_match[is_until_round],
        )


def _sort_by_player(state: State) -> State:
    """Return a copy of a state in which players are in the order of their numbers.

    In a state that joins several tournaments, the players of each are then together.
    """
    seats_in_player_order = np.argsort(state.player)
    column_names = ("player", "score", "bias", "streak", "last_side", "byes")
    sorted_columns = {
        column_name: getattr(state, column_name)[seats_in_player_order]
        for column_name in column_names
    }
    return replace(state, **sorted_columns)


def _round_six_decimals(column: Any) -> Any:
    """Round an array of floating-point numbers to 6 decimals.

    Another array, for example of integers, is returned unchanged.
    """
    if column.dtype.kind != "f":
        return column
    return np.array(
        [round(column_number, 6) for column_number in column.tolist()], np.float64
    )


def _convert_matches(
    games: pd.DataFrame, replicates: IntArray, size: int, scale: int
) -> tuple[Matches, IntArray]:
    """Convert rows of games to the matches of one event that joins these replicates.

    `replicates` are ascending. Each replicate has `size` players, who are numbered from
    1 in `games`. In the result those of each replicate follow those of the one before,
    from 0; points are multiplied by `scale` and rounded to integers. Rows without
    players, which only say why a round was not paired, are left out. Returns the
    matches, and the position of each match's replicate in `replicates`.
    """
    games = games[games["player1"].notna()]
    tournament_of_match = replicates.searchsorted(games["replicate"])
    player1 = games["player1"].fillna(0).to_numpy(np.int64)
    player2 = games["player2"].fillna(0).to_numpy(np.int64)
    side_or_zero = games["side1"].fillna(0).to_numpy(np.int64)
    side_code = np.where(games["side1"].notna(), side_or_zero, -1)

    points1 = games["score1"].fillna(0).to_numpy(np.float64)
    points2 = games["score2"].fillna(0).to_numpy(np.float64)
    score1 = np.rint(points1 * scale).astype(np.int64)
    score2 = np.rint(points2 * scale).astype(np.int64)

    first_number_of_match = tournament_of_match * size
    is_match = player2 > 0
    zeros_per_row = np.zeros(len(tournament_of_match), np.int64)
    matches = Matches(
        games["round"].to_numpy(np.int64),
        zeros_per_row,
        player1 - 1 + first_number_of_match,
        np.where(is_match, player2 - 1 + first_number_of_match, BYE),
        side_code,
        score1,
        score2,
        np.asarray(games["status"].map(STATUS), np.int64),
        zeros_per_row == 0,
        zeros_per_row - 1,
    )
    return matches, tournament_of_match


def _find_active(
    fields: list[Field], number: int, played: Matches, owner: IntArray
) -> BoolArray:
    """Return a mask of the players who take part in a round of several tournaments.

    The shape is (tournaments, players). `number` is the round. All fields have the same
    world. `played` are the matches of all tournaments before it, sorted by tournament.
    In `played` the players of each field are numbered after those of the field before.
    `owner` has the position of each match's tournament in `fields`. The matches matter
    only in a world with drops by score.
    """
    if not fields[0].world.drops_by_score:
        return np.array([one_field.active(number) for one_field in fields])

    field_size = fields[0].world.players
    field_ends = owner.searchsorted(np.arange(len(fields) + 1)).tolist()
    active_by_field = []
    for field_position, (one_field, (match_start, match_end)) in enumerate(
        zip(fields, pairwise(field_ends), strict=True)
    ):
        field_matches = played.take(slice(match_start, match_end))
        field_matches = replace(
            field_matches,
            first=field_matches.first - field_position * field_size,
            second=offset_players(
                field_matches.second, np.array(-field_position * field_size)
            ),
        )
        active_by_field.append(one_field.active(number, field_matches))
    return np.array(active_by_field)
