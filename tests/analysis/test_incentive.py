"""Next opponents after each result of a match, and whether a worse one helps."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from events import REPEATABLE, Case, cases, events, model_of, models
from fair_draws import every_optimum
from hypothesis import given, settings
from oracle import Oracle, Row
from simulation import rounds

from pairopt import Event, UsageError
from pairopt.analysis.incentive import certify, find_opponents, incentive, incentives
from pairopt.common.budget import Budget
from pairopt.engines import EXACT, solve_by
from pairopt.engines.base import EngineError, EngineOptions
from pairopt.event.event import NO_RATING
from pairopt.event.score_checks import infer_points
from pairopt.event.settings import EventSettings
from pairopt.messages.formatting import decimal_text
from pairopt.problem.build import prepare

WEAKEST = Fraction(-(10**9))
RESULTS = ("win", "draw", "loss")


def opponents(oracle: Oracle) -> dict[str, set[str | None]]:
    """Whom each active player meets in some optimal pairing, by trying all."""
    found: dict[str, set[str | None]] = {name: set() for name in oracle.active}
    for pairing in oracle.optima():
        for one, two in pairing:
            found[one].add(two)
            if two is not None:
                found[two].add(one)
    return found


def exchanged(case: Case, row: Row, scores: tuple[Fraction, Fraction]) -> Oracle:
    """The round after another result of a match."""
    one, two = map(decimal_text, scores)
    rows = [
        {**each, "score1": one, "score2": two} if each is row else each
        for each in case.rows
    ]
    return replace(case, rows=rows).oracle()


def strength(oracle: Oracle, opponent: str | None, by: str) -> Fraction:
    if opponent is None:
        return WEAKEST
    if by == "score":
        return oracle.states[opponent].score
    return Fraction(str(oracle.players[opponent]["rating"]))


def helps(high: list[Fraction], low: list[Fraction]) -> str:
    if not high or not low:
        return "unknown"
    if all(a < b for a in low for b in high):
        return "certainly"
    return "possibly" if any(a < b for a in low for b in high) else "never"


@pytest.mark.sweep
@pytest.mark.parametrize(
    "share",
    [pytest.param(8, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)],
)
def test_opponents_equal_brute_force(share: int) -> None:
    tally = Counter[str]()

    def check(case: Case) -> None:
        case = replace(case, model={**case.model, "win": 3})
        event, last = case.event(), case.oracle().round - 1
        points = infer_points(event)
        value = {"win": points.win, "draw": points.draw, "loss": points.loss}
        rated = all(
            case.oracle().players[p]["rating"] is not None for p in case.oracle().active
        )
        by = "rating" if rated and case.seed % 2 else "score"
        played = [
            row
            for row in case.rows
            if int(str(row["round"])) == last and row["player2"] and not row["status"]
        ]
        if not played:
            with pytest.raises(UsageError, match="no match was played"):
                incentive(event, model_of(case.model), by=by)
            return
        given = {"seed": case.seed, **case.options}
        found = incentive(event, model_of(case.model), by=by, **given)
        prospects = {one.player: one for one in found.prospects}
        assert found.complete
        seen, impossible = set(), 0
        for row in played:
            after: dict[tuple[str, str], list[Fraction]] = {}
            for one, two in zip(RESULTS, RESULTS[::-1], strict=True):
                oracle = exchanged(case, row, (value[one], value[two]))
                met = opponents(oracle)
                impossible += not any(met.values())
                for player, outcome in ((row["player1"], one), (row["player2"], two)):
                    if player in oracle.active:
                        mine = prospects[str(player)].after[outcome]
                        assert set(mine.opponents) == met[str(player)]
                        weighed = [
                            strength(oracle, each, by) for each in met[str(player)]
                        ]
                        after[str(player), outcome] = weighed
                        seen.add(player)
                        tally["bye"] += None in met[str(player)]
            for player in {player for player, _ in after}:
                for better, worse in combinations(RESULTS, 2):
                    expected = helps(after[player, better], after[player, worse])
                    assert prospects[player].helps(better, worse) == expected
                    tally[expected] += 1
        assert seen == set(prospects)
        assert found.impossible == impossible
        tally["examples"] += 1
        tally[by] += 1

    fields = events(4, 8, min_rounds=1, max_rounds=5)
    for drawn, examples in (
        (cases(fields, models(), busy=None), 160),
        (
            cases(
                events(5, 8, min_rounds=2, quiet=True),
                models(as_shipped=True),
                busy=False,
            ),
            80,
        ),
    ):
        settings(REPEATABLE, max_examples=examples // share)(given(drawn)(check))()
    print(dict(tally))
    assert tally["examples"] >= 200 // share
    kinds = ["certainly", "possibly", "never", "bye", "rating", "score"]
    kinds += ["unknown"] * (share == 1)  # too rare for some
    assert min(tally[kind] for kind in kinds) >= 30 // share, tally


@pytest.mark.long
def test_weighted_models_too() -> None:
    several = 0
    for event, _ in rounds(9, 5, 2, "aesops", drops=0.0):
        if event.round > 1:
            found = incentive(event, "aesops", by="score")
            problem = prepare(event, "aesops")
            every = every_optimum(problem)
            for one in found.prospects:
                result = (
                    "win"
                    if one.result == "3-0"
                    else "draw"
                    if one.result == "1-1"
                    else "loss"
                )
                place = problem.state.names.index(one.player)
                met = {
                    a + b - place
                    for a, b in (p for e in every for p in e)
                    if place in (a, b)
                }
                names = {None if k < 0 else problem.state.names[k] for k in met}
                assert set(one.after[result].opponents) == names
                several += len(names) > 1
    assert several > 5


# ------------------------------------------------------------------ certified, in time


def later(players: int, number: int, model: str = "standard") -> Event:
    """An event before its round `number`, everybody rated."""
    *_, (event, _) = rounds(players, number, 4, model, drops=0.0)
    return replace(event, rating=np.arange(players) * 10 + 1500)


@pytest.mark.sweep
@pytest.mark.parametrize(("model", "players"), [("standard", 7), ("aesops", 6)])
def test_forced_pairings_certify_the_opponents(model: str, players: int) -> None:
    event = later(players, 4)
    assert incentive(event, model, verify=True) == incentive(event, model)


@pytest.mark.long
@pytest.mark.parametrize("engine", EXACT)
def test_a_wrong_set_is_not_certified(engine: str) -> None:
    problem = prepare(later(8, 3))
    best = solve_by(engine, problem, EngineOptions())
    assert best.arcs is not None
    met = find_opponents(problem, best.arcs, "lexicographic", [0], Budget())
    certify(problem, best.arcs, EngineOptions(), engine, met)
    for wrong in (met[0] - {min(met[0])}, met[0] | {min({*range(1, 8)} - met[0])}):
        with pytest.raises(
            EngineError, match=r"optimal pairing with .*, although there should be"
        ):
            certify(problem, best.arcs, EngineOptions(), engine, {0: wrong})


@pytest.mark.long
def test_the_bye_counts_as_asked() -> None:
    event = later(7, 4)
    weak, strong = (
        incentive(event, bye_counts=how) for how in ("weakest", "strongest")
    )
    ends = [
        (one, two) for one, two in zip(weak.prospects, strong.prospects, strict=True)
    ]
    with_bye = [
        (a.after[o], b.after[o])
        for a, b in ends
        for o in RESULTS
        if None in a.after[o].opponents
    ]
    assert with_bye
    for first, last in with_bye:
        assert first.opponents[0] is last.opponents[-1] is None
        assert first.opponents[1:] == last.opponents[:-1]


def test_what_is_not_known_in_time_is_said() -> None:
    event = later(8, 4)
    found = incentive(event, time_limit=1e-9)
    assert not found.complete
    assert {one.helps("win", "loss") for one in found.prospects} == {"unknown"}


@pytest.mark.long
def test_every_round_of_an_event() -> None:
    event = later(8, 4)
    found = [*incentives(event)]
    assert [one.round for one in found] == [2, 3, 4]
    assert found[-1] == incentive(event)
    assert [
        one.round
        for one in incentives(replace(event, settings=EventSettings(rounds=3)))
    ] == [2, 3]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"round": 1}, "No match was played in the round before"),
        ({"engine": "aesops_by_hand"}, "can't prove that"),
        ({"model": "aesops-by-hand"}, "can't prove that"),
        ({"lookahead": 1}, "lookahead"),
        ({"by": "rating"}, "Not every player has a rating"),
        ({"by": "name"}, "Use rating or score"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, Any], said: str) -> None:
    event = replace(later(6, 3), rating=np.full(6, NO_RATING))
    with pytest.raises(UsageError, match=said):
        incentive(event, **options)
