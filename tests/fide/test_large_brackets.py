"""What makes large brackets quick changes no pairing: it is left out here, and nothing differs."""

from __future__ import annotations

import time
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from foreign_fields import COLUMNS, ORDERS, History, shared

import pairopt
from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines import agreement_with_system
from pairopt.engines.alternating_paths import index_pairs, pairs_at_minimum_cost
from pairopt.engines.base import EngineOptions
from pairopt.event.arcs import BYE, arcs_of
from pairopt.event.event import Event
from pairopt.event.fide_attributes import is_seeding_round
from pairopt.fide.burstein import BursteinBracket, _find_exchange
from pairopt.fide.dutch import pair_brackets as dutch
from pairopt.fide.dutch.candidate_order import DutchBracket
from pairopt.problem.build import prepare
from pairopt.problem.system import SystemAgreement


def played(chance: Random) -> Event:
    """An event after some rounds."""
    order, rounds = chance.choice(ORDERS), chance.randint(1, 8)
    history = History(
        order, "by coin", shared(chance.choice([0.1, 0.6])), chance.choice([0, 0.1])
    )
    return history.event(chance.randint(10, 40), rounds, chance)


def first_round(chance: Random) -> Event:
    """An event before round 1, of players some of whom are away."""
    names = [f"p{k}" for k in range(chance.randint(2, 40))]
    listed = pd.DataFrame(
        {
            "player": names,
            "rating": [chance.randint(1000, 2400) for _ in names],
            "active": ["no" if chance.random() < 0.1 else "yes" for _ in names],
        }
    )
    event = pairopt.read_event(
        pd.DataFrame([], columns=list(COLUMNS), dtype=object), listed
    )
    return replace(event, settings=replace(event.settings, rounds=9))


def outcome(event: Event, model: str) -> tuple[Any, ...]:
    result = pairopt.solve(event, model)
    if result.arcs is None:
        return (result.status,)
    levels = result.levels.to_numpy().tolist()
    return (
        result.status,
        result.arcs.first.tolist(),
        result.arcs.second.tolist(),
        levels,
    )


@pytest.mark.sweep
@pytest.mark.parametrize(
    "count",
    [
        pytest.param(20, marks=pytest.mark.long),
        pytest.param(60, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("near", [1, 8])
@pytest.mark.parametrize("kind", [first_round, played])
def test_the_perfect_candidate_is_the_one_found_among_all(
    kind: Any, near: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pairopt.fide.dutch.candidate_order.NEAR", near)
    found = []
    perfect = dutch.find_perfect_candidate

    def counted(*given: Any) -> Any:
        found.append(perfect(*given))
        return found[-1]

    events = [kind(Random(seed)) for seed in range(count)]
    monkeypatch.setattr(dutch, "find_perfect_candidate", counted)
    quick = [outcome(event, "fide-dutch") for event in events]
    assert sum(pairs is not None for pairs in found) > count // 3
    monkeypatch.setattr(DutchBracket, "has_halves", False)
    assert [outcome(event, "fide-dutch") for event in events] == quick


@pytest.mark.slow
def test_changes_of_partners_find_what_matchings_find(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    walked, left = BursteinBracket._pair_by_exchanges, []

    def counted(self: Any, block: Any, players: Any) -> Any:
        found = walked(self, block, players)
        left.append(len(found[2]))
        return found

    events = [played(Random(seed)) for seed in range(80)]
    events = [event for event in events if not is_seeding_round(event)]
    monkeypatch.setattr(BursteinBracket, "_pair_by_exchanges", counted)
    quick = [outcome(event, "fide-burstein") for event in events]
    assert left.count(0) > 100

    def none(self: Any, block: Any, players: Any) -> Any:
        nobody = players[:0]
        return block, (nobody, nobody), players

    monkeypatch.setattr(BursteinBracket, "_pair_by_exchanges", none)
    assert [outcome(event, "fide-burstein") for event in events] == quick


def test_a_change_of_partners_that_takes_a_player_twice_is_none() -> None:
    mate = np.array([2, 3, 0, 1, 5, 4, 7, 6])
    free = np.zeros((8, 8), np.bool_)
    one, two = np.array([(0, 1), (2, 4), (5, 6), (5, 7), (3, 4)]).T
    free[one, two] = free[two, one] = True
    assert _find_exchange(free, mate, 0, np.array([1])) is None
    free[2, 3] = free[3, 2] = True
    assert _find_exchange(free, mate, 0, np.array([1])) == [(0, 1), (2, 3)]


@pytest.mark.long
def test_who_was_left_too_far_above_is_not_forgotten() -> None:
    odd = (
        event
        for event in map(first_round, map(Random, range(99)))
        if len(pairopt.solve(event, "fide-dutch").problem) in (31, 33, 35)
    )
    event = next(odd)
    state = pairopt.solve(event, "fide-dutch").problem.state
    rank = state.fide.rank
    order = np.argsort(rank)
    half = len(order) // 2
    names = [event.players[state.player[place]] for place in order]
    forbidden = [(one, names[half]) for one in names[:12]]
    result = pairopt.solve(event, "fide-dutch", forbid=forbidden)
    assert result.arcs is not None
    matches = result.arcs.take(result.arcs.match)
    pairs = zip(
        rank[matches.first].tolist(), rank[matches.second].tolist(), strict=True
    )
    assert (12, half) in [tuple(sorted(pair)) for pair in pairs]


def two_triangles() -> tuple[Any, Any, Any]:
    """Pairs in two groups of three that cost nothing, one between them that costs 1."""
    pairs = np.array([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)])
    costs = np.array([[0, 5]] * 6 + [[1, 5]])
    return costs, *index_pairs(*pairs.T, matching=np.array([0, 5, 6]))


def test_prices_of_players_do_not_know_of_odd_groups() -> None:
    costs, number, mate = two_triangles()
    allowed, known = pairs_at_minimum_cost(costs, number, mate, Budget())
    assert known == 0
    assert (allowed == (number >= 0)).all()


def test_prices_leave_the_pairs_of_the_cheapest_pairings() -> None:
    pairs = np.array([(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)])
    costs = np.array([[1, 0], [1, 2], [0, 2], [2, 0], [1, 1], [2, 1]])
    number, mate = index_pairs(*pairs.T, matching=np.array([0, 1]))
    allowed, known = pairs_at_minimum_cost(costs, number, mate, Budget())
    assert known == 2
    assert {*number[allowed & allowed.T].tolist()} == {0, 1, 2, 3}


def test_prices_look_at_the_time() -> None:
    costs, number, mate = two_triangles()
    with pytest.raises(TimeUpError):
        pairs_at_minimum_cost(
            costs, number, mate, Budget(deadline=time.monotonic() - 1)
        )


def test_a_player_whom_only_a_distant_opponent_can_meet_is_paired() -> None:
    """Nobody near the top of S1 may meet the first of S2, so no quick guess is the first.

    The first candidate gives them the first opponent who may meet them, and the last of
    S2 has the bye (C.04.3, articles 3.3 and 4.2).
    """
    names = [f"P{k:02d}" for k in range(1, 42)]
    players = pd.DataFrame({"player": names, "rating": range(2500, 2500 - 41, -1)})
    matches = pd.DataFrame(columns=["round", "player1", "player2", "score1", "score2"])
    event = pairopt.read_event(matches, players, sides=("white", "black"))
    barred = [(name, "P21") for name in names[:15]]

    result = pairopt.solve(event, "fide-dutch", forbid=barred)

    assert result.status == "optimal"
    opponents = [*names[21:36], "P21", *names[36:40]]
    expected = {
        *map(frozenset, zip(names[:20], opponents, strict=True)),
        frozenset(["P41"]),
    }
    assert {frozenset(filter(None, pair)) for pair in result.pairs} == expected


def test_agreement_with_a_system_ends_at_the_bye_or_at_a_score() -> None:
    """A score names the bracket that differs, None stands for the bye.

    After round 1 Ann, Bob and Eve have a point each, Eve for a bye.
    """
    names = ["Ann", "Bob", "Cid", "Dan", "Eve"]
    players = pd.DataFrame({"player": names, "rating": range(2500, 2495, -1)})
    rows = [
        (1, 1, "Ann", "Cid", "white", 1, 0, ""),
        (1, 2, "Bob", "Dan", "white", 1, 0, ""),
        (1, "", "Eve", None, None, 1, None, "bye"),
    ]
    columns = [
        "round",
        "table",
        "player1",
        "player2",
        "side1",
        "score1",
        "score2",
        "status",
    ]
    matches = pd.DataFrame(rows, columns=columns)
    event = pairopt.read_event(matches, players)
    problem = prepare(event, "fide-dutch")
    position = {name[0]: k for k, name in enumerate(problem.state.names)} | {"-": BYE}

    def measure(*pairs: str) -> SystemAgreement:
        first, second = np.array([[position[one] for one in pair] for pair in pairs]).T
        arcs = arcs_of(first, second)
        return agreement_with_system("matching", problem, EngineOptions(), arcs, None)

    assert measure("AE", "BC", "D-") == (3, True, None)
    assert measure("AB", "CE", "D-") == (0, False, 1)
    assert measure("BE", "CD", "A-") == (0, False, None)
