"""An event made by hand: what it says of its players where it says nothing."""

from __future__ import annotations

import numpy as np
import pytest

from pairopt import Event, solve, standings
from pairopt.errors import UsageError
from pairopt.event.event import NO_RATING, Matches


@pytest.mark.long
def test_an_event_needs_no_more_than_players_and_a_round() -> None:
    event = Event(("a", "b", "c"), Matches.empty(), 1, np.ones(3, np.bool_))
    assert event.names == ("a", "b", "c")
    assert event.rating.tolist() == [NO_RATING] * 3
    for array in (
        event.brought,
        event.byes_brought,
        event.fixed_table,
        event.first_round_bye,
    ):
        assert array.tolist() == [0, 0, 0]
    for model in ("standard", "monrad", "bakert"):
        assert solve(event, model).proven
    assert list(standings(event)["name"]) == ["a", "b", "c"]


@pytest.mark.parametrize("name", ["active", "rating", "names", "brought"])
def test_an_array_of_another_length_is_refused(name: str) -> None:
    given = {"active": np.ones(2, np.bool_), name: np.ones(3, np.int64)}
    if name == "names":
        given[name] = ("A", "B", "C")  # type: ignore[assignment]
    with pytest.raises(ValueError, match=f"Expected 2 entries in {name}."):
        Event(("a", "b"), Matches.empty(), 1, **given)  # type: ignore[arg-type]


def test_a_name_that_two_have_is_asked_for() -> None:
    three = ("p1", "p2", "p3")
    event = Event(
        three, Matches.empty(), 1, np.ones(3, np.bool_), names=("Ida", "Ida", "Bo")
    )
    assert event.position("Bo") == 2
    with pytest.raises(UsageError) as error:
        event.position("Ida")
    (said,) = error.value.said
    assert (said.kind, said.fields["player"]) == ("event.which_player", "Ida")
    assert list(said.fields["choices"]) == ["p1", "p2"]
