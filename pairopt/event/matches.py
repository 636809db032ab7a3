"""Matches: the rows of an event as arrays, and what each player did in each round."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pairopt.event.arcs import BoolArray, IntArray

PLAYED, FORFEIT, BYE_ROW, REQUESTED = 1, 2, 3, 4
"""The status of a row of matches.csv: a match, a forfeit, an allocated or requested bye."""


@dataclass(frozen=True)
class Matches:
    """The rows of matches.csv as arrays of one length; players by position.

    `round` and `table` are the numbers in the row, `first` and `second` the positions
    of its players in the event; `second` is -1 for a bye; `side` is 0 when player1 had
    the first side, 1 for the second side, -1 for none; `score1` and `score2` are
    integers (points times the event's `scale`), 0 where `scored` is False. `status` is
    a code such as `PLAYED`. `row` is the row's number in the file, counted from 0, or
    -1 if it is in no file; `Event.origin` has its place. `games`, shape (rows, 3), are
    those that player1 won, that player2 won, and those drawn, -1 where they are not
    known.
    """

    round: IntArray
    table: IntArray
    first: IntArray
    second: IntArray
    side: IntArray
    score1: IntArray
    score2: IntArray
    status: IntArray
    scored: BoolArray
    row: IntArray
    games: IntArray = field(default_factory=lambda: np.zeros((0, 3), np.int64))

    def __post_init__(self) -> None:
        if len(self.games) != len(self.round):
            object.__setattr__(self, "games", np.full((len(self.round), 3), -1))

    def __len__(self) -> int:
        return len(self.round)

    def take(self, rows: NDArray[np.bool_] | IntArray | slice) -> Matches:
        """Return some of the rows as a table, by a mask, indices or a slice of rows.

        Rows are in the order of the indices. The table itself stays as it is.
        """
        columns_of_taken_rows = (
            getattr(self, field_name)[rows] for field_name in self.__dataclass_fields__
        )
        return Matches(*columns_of_taken_rows)

    @property
    def by_games(self) -> BoolArray:
        """True where the games of the match are known, shape (rows,)."""
        return np.asarray(self.games[:, 0] >= 0, np.bool_)

    @property
    def open(self) -> BoolArray:
        """True where a match of two players has no score yet, shape (rows,)."""
        return np.asarray(~self.scored & (self.second >= 0), np.bool_)

    def paired_rows(self, number: int) -> Matches:
        """Return the rows of round `number` without requested byes.

        Matches, pairing-allocated byes and forfeits stay. The table has no rows if
        there is no such round.
        """
        return self.take((self.round == number) & (self.status != REQUESTED))

    def player_mask(self, players: int) -> BoolArray:
        """Return which of the event's players have a row here, shape (players,).

        `players` is the number of players of the event.
        """
        has_row_by_player = np.zeros(players, np.bool_)
        has_row_by_player[self.first] = True
        has_row_by_player[self.second[self.second >= 0]] = True
        return has_row_by_player

    def concatenate(self, other: Matches) -> Matches:
        """Return these rows followed by those of the table `other`.

        Neither table is changed. Both have to be of one event, with the same scale.
        """
        joined_columns = [
            np.concatenate([getattr(self, field_name), getattr(other, field_name)])
            for field_name in self.__dataclass_fields__
        ]
        return Matches(*joined_columns)

    @staticmethod
    def empty() -> Matches:
        """Return a table without rows: integer columns, and `scored` of booleans."""
        empty_column = np.zeros(0, np.int64)
        return Matches(
            empty_column,
            empty_column,
            empty_column,
            empty_column,
            empty_column,
            empty_column,
            empty_column,
            empty_column,
            empty_column.astype(bool),
            empty_column,
        )

    # Extensions of version 1.0 use these names.
    joined = concatenate
    paired = paired_rows
    seen = player_mask


@dataclass(frozen=True)
class PlayerRounds:
    """What each player did in each round: arrays of shape (players, rounds).

    `points` are integers, times the event's scale, 0 without a row; `side` is 0 or 1 in
    a match played with sides, otherwise -1; `status` is the code of the row, 0 without
    one; `opponent` is a position, -1 for none. Columns are the rounds from round 1 on.
    A property has shape (players,) unless it says otherwise.
    """

    points: IntArray
    side: IntArray
    status: IntArray
    opponent: IntArray

    @cached_property
    def played(self) -> BoolArray:
        """True where a match was played, not forfeited, shape (players, rounds)."""
        return np.asarray(self.status == PLAYED, np.bool_)

    @cached_property
    def bias(self) -> IntArray:
        """Games on the first side less games on the second, shape (players,)."""
        first_side_counts = (self.side == 0).sum(axis=1)
        second_side_counts = (self.side == 1).sum(axis=1)
        return np.asarray(first_side_counts - second_side_counts, np.int64)

    @cached_property
    def streaks(self) -> tuple[IntArray, IntArray]:
        """The side of each player's last game, and how many latest games were on it.

        Both have shape (players,). Without a game on a side the values are -1 and 0.
        Rounds without a game do not end a streak.
        """
        is_game = self.side >= 0
        player_indices = np.arange(len(self.side))
        round_numbers = np.arange(1, self.side.shape[1] + 1)

        # Round 0, in front of the others, has no side.
        round_of_last_game = np.where(is_game, round_numbers, 0).max(axis=1, initial=0)
        side_by_round_number = np.column_stack(
            [np.full(len(player_indices), -1), self.side]
        )
        side_of_last_game = side_by_round_number[player_indices, round_of_last_game]

        is_on_other_side = is_game & (self.side != side_of_last_game[:, None])
        last_round_on_other_side = np.where(is_on_other_side, round_numbers, 0).max(
            axis=1, initial=0
        )
        is_in_streak = is_game & (round_numbers > last_round_on_other_side[:, None])
        return side_of_last_game, is_in_streak.sum(axis=1)

    @cached_property
    def total(self) -> IntArray:
        """The sum of each player's points in all rounds, scaled, shape (players,)."""
        return np.asarray(self.points.sum(axis=1), np.int64)

    @cached_property
    def byes(self) -> IntArray:
        """The number of pairing-allocated byes of each player, shape (players,)."""
        return np.asarray((self.status == BYE_ROW).sum(axis=1), np.int64)

    def last_rounds_missed(self, player: int) -> list[int]:
        """Return the numbers of the latest rounds in a row that a player missed.

        A round is missed without a row, with a requested bye, and with a forfeit that
        gave no points. The list is ascending, and empty if the player was there in the
        last round. `player` is a position, and the first round is 1.
        """
        status_by_round, points_by_round = self.status[player], self.points[player]
        has_forfeit_win_by_round = (status_by_round == FORFEIT) & (points_by_round > 0)
        was_present_by_round = (
            np.isin(status_by_round, (PLAYED, BYE_ROW)) | has_forfeit_win_by_round
        )
        last_round_present = (
            int(np.flatnonzero(was_present_by_round).max(initial=-1)) + 1
        )
        return [*range(last_round_present + 1, len(status_by_round) + 1)]

    def before(self, besides: IntArray) -> IntArray:
        """Return the points before each round, scaled, shape (players, rounds).

        `besides`, shape (players, rounds + 1), are the points without a result that
        count before each round and after the last one: those brought in, and adjusted
        ones.
        """
        result_points_before = np.cumsum(self.points, axis=1) - self.points
        return np.asarray(besides[:, :-1] + result_points_before, np.int64)

    def after(self, besides: IntArray) -> IntArray:
        """Return the points after each round, scaled, shape (players, rounds).

        `besides`, shape (players, rounds + 1), are the points without a result that
        count before each round and after the last one: those brought in, and adjusted
        ones.
        """
        return np.asarray(besides[:, 1:] + np.cumsum(self.points, axis=1), np.int64)

    def of_opponent(self, amounts: IntArray) -> IntArray:
        """Return the amount of each player's opponent in each round, 0 without one.

        `amounts` and the result have shape (players, rounds).
        """
        round_indices = np.arange(amounts.shape[1])
        amounts_of_opponents = amounts[np.maximum(self.opponent, 0), round_indices]
        return np.where(self.opponent >= 0, amounts_of_opponents, 0)

    def split(self, events: int) -> list[PlayerRounds]:
        """Split the players into this many events of equal size, one after another.

        Each part counts its opponents from 0 again. The properties of all players are
        computed here at once, and the parts keep their values. The number of players
        must be a multiple of `events`.
        """
        players_per_event = len(self.points) // events
        side_of_last_game, streak_length = self.streaks
        parts_by_event = []
        for first_player_position in range(0, len(self.points), players_per_event):
            players_of_event = slice(
                first_player_position, first_player_position + players_per_event
            )
            opponents_in_event = self.opponent[players_of_event]
            opponents_in_event = np.where(
                opponents_in_event < 0,
                opponents_in_event,
                opponents_in_event - first_player_position,
            )
            part_of_event = PlayerRounds(
                self.points[players_of_event],
                self.side[players_of_event],
                self.status[players_of_event],
                opponents_in_event,
            )
            vars(part_of_event).update(
                bias=self.bias[players_of_event],
                streaks=(
                    side_of_last_game[players_of_event],
                    streak_length[players_of_event],
                ),
                total=self.total[players_of_event],
                byes=self.byes[players_of_event],
            )
            parts_by_event.append(part_of_event)
        return parts_by_event

    # Extensions of version 1.0 use these names.
    missed = last_rounds_missed


def player_rounds_of(rows: Matches, players: int, rounds: int) -> PlayerRounds:
    """Return what each player did in each of the first rounds, as arrays.

    `rows` are matches and byes. `players` and `rounds` are their numbers. Columns are
    rounds from 1 on. No row may have a later round, and each player has at most one row
    per round. Sides count only in played matches. For an event, `Event.turns` keeps the
    result.
    """
    array_shape = players, rounds
    points_by_round, status_by_round = (
        np.zeros(array_shape, np.int64),
        np.zeros(array_shape, np.int64),
    )
    side_by_round, opponent_by_round = (
        np.full(array_shape, -1, np.int64),
        np.full(array_shape, -1, np.int64),
    )
    has_opponent = rows.second >= 0
    side_of_second_player = np.where(rows.side < 0, -1, 1 - rows.side)

    # One entry for each player of each row: the first players, then the second ones.
    player_of_each_entry = np.concatenate([rows.first, rows.second[has_opponent]])
    round_index_of_each_entry = (
        np.concatenate([rows.round, rows.round[has_opponent]]) - 1
    )
    player_and_round_indices = player_of_each_entry, round_index_of_each_entry
    points_by_round[player_and_round_indices] = np.concatenate(
        [rows.score1, rows.score2[has_opponent]]
    )
    opponent_by_round[player_and_round_indices] = np.concatenate(
        [rows.second, rows.first[has_opponent]]
    )
    status_by_round[player_and_round_indices] = np.concatenate(
        [rows.status, rows.status[has_opponent]]
    )
    side_by_round[player_and_round_indices] = np.concatenate(
        [rows.side, side_of_second_player[has_opponent]]
    )
    side_by_round[status_by_round != PLAYED] = -1
    return PlayerRounds(
        points_by_round, side_by_round, status_by_round, opponent_by_round
    )
