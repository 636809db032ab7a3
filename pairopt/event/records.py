"""Records: wins and losses of teams, and the difficulty of their opponents."""

from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import IntArray
from pairopt.event.event import BYE_ROW, Event


@dataclass(frozen=True)
class Records:
    """Wins, losses and difficulty of each player of an event, shape (players,).

    The difficulty is the sum of wins minus losses of all past opponents, as of now. It
    is called Buchholz in Counter-Strike.
    """

    wins: IntArray
    losses: IntArray
    difficulty: IntArray


def records_of(event: Event) -> Records:
    """Return each player's wins, losses and difficulty before the round to pair.

    The difficulty is the sum of the opponents' wins less their losses. A forfeit counts
    as a match, and a pairing-allocated bye as a win. A draw is neither a win nor a
    loss. Points decide who won a match.
    """
    turns = event.turns
    opponent_points = turns.of_opponent(turns.points)
    has_opponent = turns.opponent >= 0
    is_win = has_opponent & (turns.points > opponent_points)
    is_loss = has_opponent & (turns.points < opponent_points)
    win_counts = (is_win | (turns.status == BYE_ROW)).sum(axis=1)
    loss_counts = is_loss.sum(axis=1)
    wins_minus_losses = win_counts - loss_counts
    win_balance_sum_of_opponents = np.where(
        has_opponent, wins_minus_losses[turns.opponent], 0
    ).sum(axis=1)
    return Records(
        np.asarray(win_counts, np.int64),
        np.asarray(loss_counts, np.int64),
        np.asarray(win_balance_sum_of_opponents, np.int64),
    )


def without_finished(
    event: Event, advance: int | None, eliminate: int | None
) -> tuple[Event, list[int]]:
    """Return the event without the players who have advanced or are eliminated.

    `advance` wins advance, `eliminate` losses eliminate; None stands for no limit. The
    second value has the positions of active players who are left out, ascending.
    Without limits the event is returned unchanged.
    """
    if advance is None and eliminate is None:
        return event, []
    records_of_players = records_of(event)
    is_finished_by_player = np.zeros(len(event.players), np.bool_)
    if advance is not None:
        is_finished_by_player |= records_of_players.wins >= advance
    if eliminate is not None:
        is_finished_by_player |= records_of_players.losses >= eliminate
    finished_positions = np.flatnonzero(is_finished_by_player & event.active).tolist()
    return event.without_positions(finished_positions, ()), finished_positions
