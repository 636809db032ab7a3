"""Ways out of a round that cannot be paired: as few matches and byes as will do."""

from __future__ import annotations

import shlex
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from events import event_of

from pairopt import Event, solve
from pairopt.cli.round_options import parse_pair
from pairopt.cli.tables import remedy_options
from pairopt.round.remedies import Remedy, find_remedies

GAMES = [("A", "B", "C", "D"), ("A", "C", "B", "D"), ("A", "D", "B", "C")]


def four(rounds: int = 3) -> Event:
    """Four players who have met in so many rounds."""
    rows = [
        {
            "round": number,
            "table": table,
            "player1": one,
            "player2": two,
            "side1": None,
            "score1": "3",
            "score2": "0",
            "status": "",
        }
        for number, (a, b, c, d) in enumerate(GAMES[:rounds], 1)
        for table, (one, two) in enumerate([(a, b), (c, d)], 1)
    ]
    return event_of(rows, [{"player": player, "active": True} for player in "ABCD"])


def ways(event: Event, **options: Any) -> tuple[Remedy, ...]:
    return find_remedies(solve(event, **options), partial(solve, event), options)


def test_all_have_met_and_two_rematches_are_the_fewest() -> None:
    (way,) = ways(four(), model="monrad")
    assert way.words == "allow 2 rematches: A - B, C - D"
    assert remedy_options(four(), way) == "--allow A:B --allow C:D"
    assert way.rules == ("no_rematch",)
    assert way.result.proven
    allowed = solve(four(), "monrad", **way.options)
    assert {*allowed.pairs} == {*way.allow}
    assert solve(four(), "monrad", allow=way.allow[:1]).status == "infeasible"


def test_a_way_names_players_so_that_it_can_be_typed() -> None:
    names = dict(zip("ABCD", ["B", "Bo", "Bo", "A"], strict=True))
    event = replace(four(), names=tuple(names[player] for player in "ABCD"))
    (way,) = ways(event, model="monrad")
    options = remedy_options(event, way)
    assert options == "--allow 'B (A):Bo (B)' --allow C:D"
    typed = [word for word in shlex.split(options) if word != "--allow"]
    assert [parse_pair(event, pair, "--allow") for pair in typed] == [*way.allow]


def test_one_is_added_to_what_is_allowed_already() -> None:
    (way,) = ways(four(), model="monrad", allow=[("A", "C")])
    assert way.words == "allow this rematch: B - D"


def test_a_bye_or_a_rematch() -> None:
    found = ways(four(2), model="monrad", drop=["A"], no_bye=["B"], forbid=[("B", "D")])
    assert all(way.result.proven for way in found)
    assert not any("B" in way.allow_bye for way in found)


def test_room_for_fewer_rounds() -> None:
    (way,) = ways(four(1), model="monrad", lookahead=2)
    assert way.options == {"lookahead": 1}
    assert way.words == "plan only 1 round ahead (lookahead)"
    (way,) = ways(four(2), model="monrad", lookahead=1)
    assert way.words == "leave out the lookahead"


@pytest.mark.parametrize("options", [{"bye": "A"}, {"force": [("A", "B"), ("A", "C")]}])
def test_what_only_options_forbid_has_no_way(options: dict[str, Any]) -> None:
    assert ways(four(1), model="monrad", **options) == ()


def test_where_there_is_a_pairing_there_is_none_to_look_for() -> None:
    assert ways(four(1), model="monrad") == ()


def test_rules_of_the_model_beside_what_somebody_forbids() -> None:
    """One thing forbidden less would do, too, but that is for whoever forbids it to say."""
    rows = [
        {
            "round": 1,
            "table": table,
            "player1": one,
            "player2": two,
            "side1": None,
            "score1": "3",
            "score2": None if two is None else "0",
            "status": "" if two else "bye",
        }
        for table, one, two in ((1, "B", "C"), (2, "D", "E"), (None, "A", None))
    ]
    event = event_of(rows, [{"player": player, "active": True} for player in "ABCDE"])
    (way,) = ways(event, model="standard", forbid=[("A", other) for other in "BCDE"])
    assert way.allow_bye == ("A",)
    assert way.rules == ("no_repeat_bye", "no_bye_after_forfeit_win")
    assert way.result.proven
