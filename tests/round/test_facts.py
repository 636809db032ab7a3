"""Facts that keep players apart: what is said is what the rows of the event have."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from events import REPEATABLE, Case, cases, event_of, events, model_of, models
from hypothesis import given, settings

from pairopt import explain
from pairopt.problem.build import prepare
from pairopt.round.pairing_facts import describe_meetings, explain_no_meeting

PLAYERS = [{"player": player, "active": True} for player in "ABCDEF"]


def match(number: int, one: str, two: str, status: str = "") -> dict[str, Any]:
    return {
        "round": number,
        "player1": one,
        "player2": two,
        "side1": None,
        "score1": "3",
        "score2": "0",
        "status": status,
    }


@pytest.mark.long
@settings(REPEATABLE, max_examples=60)
@given(cases(events(3, 8, max_rounds=5), models()))
def test_who_has_met_in_which_rounds(case: Case) -> None:
    """Rounds of games played: a forfeit is no meeting, and neither is a bye."""
    problem = prepare(case.event(), model_of(case.model))
    names, past = problem.state.names, case.oracle().past
    for one, two in np.argwhere(~np.eye(len(names), dtype=bool)).tolist():
        both = {names[one], names[two]}
        rounds = [
            row.round
            for row in past
            if row.played and {row.player1, row.player2} == both
        ]
        said = str(describe_meetings(problem, one, two) or "")
        assert said.startswith("the two players have met in round") == bool(rounds)
        assert [*map(int, re.findall(r"\d+", said))] == sorted(rounds)


def test_a_forfeit_before_a_game_is_not_said() -> None:
    rows = [
        match(1, "A", "B", "forfeit"),
        match(1, "C", "D"),
        match(1, "E", "F"),
        match(2, "A", "B"),
        match(2, "C", "E"),
        match(2, "D", "F"),
    ]
    event = event_of(rows, PLAYERS)
    problem = prepare(event, "monrad")
    seat = {name: k for k, name in enumerate(problem.state.names)}
    assert (
        str(explain_no_meeting(problem, seat["A"], seat["B"]))
        == "the two players have met in round 2"
    )
    (answer,) = explain(event, "monrad", why_not=[("A", "B")]).answers
    assert "round 1" not in answer.sentence
