"""An event's way through `solve`, counted at run time by tests/make/route.py."""

from __future__ import annotations

import pytest
import route


@pytest.fixture(scope="module")
def way() -> route.Route:
    route.solve_sample()  # imports what is imported on first use
    return route.follow(route.solve_sample)


def test_no_package_calls_a_higher_one(way: route.Route) -> None:
    assert way.calls_upwards() == {}


def test_a_call_of_a_higher_package_is_counted() -> None:
    upwards = route.Route(
        callers=["", "round.solve", "event.event", "engines"],
        modules=["round.solve", "event.event", "problem.build", "engines.base"],
    )

    assert upwards.calls_upwards() == {("event.event", "problem.build"): 1}
    assert upwards.entries() == dict.fromkeys(upwards.modules, 1)
    assert upwards.steps_upwards() == {
        ("event", "problem"): 1,
        ("problem", "engines"): 1,
    }


def test_the_problem_is_built_in_one_pass(way: route.Route) -> None:
    """Its module is entered for the players, notes, event and constraints, and to begin with."""
    assert way.entries()["problem.build"] <= 6
