"""What follows from the turns of an event, beside what its rows say one by one."""

from __future__ import annotations

import numpy as np
import pytest
from events import REPEATABLE, Field, event_of, events
from hypothesis import given, settings

from pairopt import Event
from pairopt.event.event import BYE_ROW, PLAYED
from pairopt.event.score_checks import points_of


def by_rows(event: Event, player: int) -> tuple[int, int, int, int, int]:
    """Points, side difference, last side, streak and byes of a player, a row at a time."""
    rows = event.matches
    points, bias, last, streak, byes = int(event.brought[player]), 0, -1, 0, 0
    for k in np.argsort(rows.round, kind="stable").tolist():
        seats = [int(rows.first[k]), int(rows.second[k])]
        if player not in seats or rows.round[k] >= event.round or not rows.scored[k]:
            continue
        seat = seats.index(player)
        points += int((rows.score1, rows.score2)[seat][k])
        byes += rows.status[k] == BYE_ROW
        if rows.status[k] == PLAYED and rows.side[k] >= 0:
            side = int(rows.side[k]) ^ seat
            bias += 1 - 2 * side
            last, streak = side, streak + 1 if side == last else 1
    return points, bias, last, streak, byes


@pytest.mark.long
@settings(REPEATABLE, max_examples=40)
@given(events(max_rounds=6))
def test_each_player_has_what_their_rows_say(field: Field) -> None:
    event = event_of(field.rows, field.players)
    assert event.turns is event.turns  # they are kept, by this event alone
    for number in range(1, event.round + 1):
        before = event.at_round(number)
        turns = before.turns
        byes = (turns.status == BYE_ROW).sum(axis=1)
        known = points_of(before), turns.bias, *turns.streaks, byes
        for player in range(len(event.players)):
            assert tuple(int(each[player]) for each in known) == by_rows(before, player)
