"""A claim names an event by all that rules may read of its players and matches."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from places import SAMPLE

from pairopt import Event, read_event
from pairopt.event.matches import Matches
from pairopt.proof.claim import _list_history

NOT_READ_OF_PLAYERS = {
    "fixed_table": "tables are assigned after the pairing",
    "declared_active": "`active` says who takes part in this round",
}
NOT_READ_OF_MATCHES = {
    "table": "tables are assigned after the pairing",
    "scored": "the rounds before have scores alone",
    "row": "it says where the file has the match",
    "games": "games count in tie-breaks alone",
}


def arrays_of(value: Event | Matches) -> list[str]:
    """The fields that are arrays by their declared types."""
    return [each.name for each in fields(value) if "Array" in str(each.type)]


@pytest.fixture(scope="module")
def event() -> Event:
    event = read_event(SAMPLE / "matches.csv", players=SAMPLE / "players.csv")
    rounds = np.zeros((len(event.players), event.round), np.int64)
    return replace(event, acceleration=rounds, adjusted=rounds)


def test_each_array_of_players_is_in_the_claim_or_has_a_reason(event: Event) -> None:
    names = arrays_of(event)
    assert len(names) > 5
    assert {*names} >= NOT_READ_OF_PLAYERS.keys()
    for name in {*names} - NOT_READ_OF_PLAYERS.keys():
        array = getattr(event, name).copy()
        position = int(np.flatnonzero(event.active)[0])
        array[position] = (
            ~array[position] if array.dtype == bool else array[position] + 1
        )
        other = replace(event, **{name: array})
        assert _list_history(other) != _list_history(event), name


def test_each_array_of_matches_is_in_the_claim_or_has_a_reason(event: Event) -> None:
    names = arrays_of(event.matches)
    assert {*names} >= NOT_READ_OF_MATCHES.keys()
    for name in {*names} - NOT_READ_OF_MATCHES.keys():
        array = getattr(event.matches, name).copy()
        array[0] += 1
        other = replace(event, matches=replace(event.matches, **{name: array}))
        assert _list_history(other) != _list_history(event), name
