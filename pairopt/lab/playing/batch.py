"""Batch: the same round of several tournaments as one event, whose arrays are made at once.

They have equally many players, who are numbered one tournament after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from pairopt.event.arcs import BYE, Arcs, IntArray
from pairopt.event.event import Event, Matches
from pairopt.event.state import State


def joined(events: Sequence[Event]) -> Event:
    """The players and matches of several events, at least one, before the same round."""
    first, size = events[0], len(events[0].players)
    if len(events) == 1:
        return first
    rows = [event.matches for event in events]
    start = np.repeat(size * np.arange(len(rows)), [len(own) for own in rows])
    columns = {
        name: np.concatenate([getattr(own, name) for own in rows])
        for name in Matches.__dataclass_fields__
    }
    columns["first"] += start
    columns["second"] = moved(columns["second"], start)
    active, brought, byes, adjusted = (
        np.concatenate([getattr(event, name) for event in events])
        for name in ("active", "brought", "byes_brought", "adjusted")
    )
    return Event(
        players=first.players * len(events),
        matches=Matches(**columns),
        round=first.round,
        active=active,
        scale=first.scale,
        sides=first.sides,
        brought=brought,
        byes_brought=byes,
        adjusted=adjusted,
        settings=first.settings,
    )


def joined_states(event: Event, states: Sequence[State]) -> State:
    """The states of these players, of whom `event` is the `joined` one."""
    if len(states) == 1:
        return states[0]
    size = len(event.players) // len(states)
    score, bias, streak, last, byes = (
        np.concatenate([getattr(state, name) for state in states])
        for name in ("score", "bias", "streak", "last_side", "byes")
    )
    player = np.concatenate([state.player + k * size for k, state in enumerate(states)])
    return State(event, player, score, bias, streak, last, byes, states[0].win)


def joined_arcs(made: Sequence[tuple[State, Arcs]]) -> tuple[Arcs, IntArray]:
    """The arcs between the players of each state as those of all, and the number of their state."""
    starts = accumulate((len(state) for state, _ in made), initial=0)
    own = np.repeat(np.arange(len(made)), [len(arcs) for _, arcs in made])
    start = np.array([*starts], np.int64)[own]
    first, second = (
        np.concatenate([getattr(arcs, end) for _, arcs in made]) for end in ("first", "second")
    )
    return Arcs(first + start, moved(second, start)), own


def moved(second: IntArray, by: IntArray) -> IntArray:
    """Opponents under other numbers; nobody stays nobody."""
    return np.where(second < 0, BYE, second + by)
