"""The odds of a round: equal to shares of all optimal pairings, or near them and said to be so."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from events import REPEATABLE, Case, cases, events, model_of, models
from fair_draws import FIXED, every_optimum, fixed, optima
from hypothesis import given, settings
from places import SAMPLE
from simulation import rounds

import pairopt
from pairopt import UsageError, read_event
from pairopt.analysis import marginals
from pairopt.analysis import odds as odds_module
from pairopt.analysis.marginals import (
    compute_probabilities,
    confidence_intervals,
    probabilities_from_counts,
    probabilities_from_table,
)
from pairopt.analysis.odds import odds
from pairopt.cli import main
from pairopt.common.budget import Budget, TimeUpError
from pairopt.event.arcs import BYE
from pairopt.event.event import NO_RATING
from pairopt.problem.build import prepare
from pairopt.sampling import drawing
from pairopt.sampling.drawing import LARGE, SMALL, drawer_again
from pairopt.sampling.inclusion_exclusion import pairs_by_forbidden
from pairopt.sampling.state_table import own_table, state_layout, state_table

Shares = dict[str, Any]


def brute_force(case: Case, by: str) -> dict[str, Shares]:
    """What each player may expect, over all optimal pairings with their sides."""
    oracle = case.oracle()
    every = oracle.optima()
    found: dict[str, Shares] = {}
    for player in oracle.active:
        met: Counter[str | None] = Counter()
        tally: Counter[str] = Counter()
        strength = Fraction(0)
        for pairing in every:
            one, two = next(arc for arc in pairing if player in arc)
            other = two if player == one else one
            met[other] += 1
            if other is None:
                continue
            mine, theirs = (oracle.states[each].score for each in (player, other))
            tally["down"] += theirs < mine
            tally["up"] += theirs > mine
            tally["first"] += player == one
            tally["games"] += 1
            value = theirs if by == "score" else oracle.players[other]["rating"]
            strength += Fraction(str(value))
        total = len(every)
        found[player] = {
            "met": {other: Fraction(times, total) for other, times in met.items()},
            "down": Fraction(tally["down"], total) if total else None,
            "up": Fraction(tally["up"], total) if total else None,
            "first": Fraction(tally["first"], total) if total else None,
            "strength": strength / tally["games"] if tally["games"] else None,
        }
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    "share",
    [pytest.param(8, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)],
)
def test_odds_equal_the_shares_of_all_optimal_pairings(
    share: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = Counter[str]()

    def check(case: Case) -> None:
        oracle, event = case.oracle(), case.event()
        rated = all(
            oracle.players[player]["rating"] is not None for player in oracle.active
        )
        by = "rating" if rated and case.seed % 2 else "score"
        found = odds(event, model_of(case.model), by=by, seed=case.seed, **case.options)
        if not (every := oracle.optima()):
            assert found.status == "infeasible"
            assert not found.players
            tally["infeasible"] += 1
            return
        assert found.exact
        monkeypatch.setattr(marginals, "SMALL", 0)  # forced pairs before tables
        assert (
            odds(event, model_of(case.model), by=by, seed=case.seed, **case.options)
            == found
        )
        monkeypatch.undo()
        expected = brute_force(case, by)
        assert [one.player for one in found.players] == [
            p for p in event.players if p in expected
        ]
        for one in found.players:
            known = expected[one.player]
            assert {chance.opponent: chance.exact for chance in one.chances} == known[
                "met"
            ]
            assert one.bye == known["met"].get(None, 0)
            assert (one.floats_down, one.floats_up) == (known["down"], known["up"])
            assert one.first_side == (known["first"] if oracle.sided else None)
            assert one.strength == known["strength"]
            likely = [chance.probability for chance in one.chances]
            assert likely == sorted(likely, reverse=True)
        tally["examples"] += 1
        tally["several"] += len(every) > 1
        tally["sided"] += oracle.sided
        tally["odd"] += len(oracle.active) % 2
        tally["requested"] += any(
            row["status"] == "requested" and row["round"] == oracle.round
            for row in case.rows
        )
        tally[by] += 1

    fields = events(2, 8, max_rounds=5)
    quiet = events(4, 8, level=True, max_rounds=3, quiet=True)
    for drawn, examples in (
        (cases(fields, models(), busy=None), 320),
        (cases(quiet, models(as_shipped=True), busy=False), 120),
    ):
        settings(REPEATABLE, max_examples=examples // share)(given(drawn)(check))()
    print(dict(tally))
    assert tally["examples"] >= 300 // share
    assert share > 1 or tally["requested"] >= 8
    assert (
        min(tally[kind] for kind in ("several", "sided", "odd", "rating", "score"))
        >= 24 // share
    )


def truth(k: int) -> dict[tuple[int, int], Fraction]:
    """Of an event fixed beforehand, how often two players meet; n for the bye."""
    problem, _, every = fixed(k)
    met = Counter(
        (min(a, b), max(a, b)) if b != BYE else (a, len(problem))
        for key in every
        for a, b in key
    )
    return {pair: Fraction(times, len(every)) for pair, times in met.items()}


@pytest.mark.parametrize("way", ["draws", "chains"])
@pytest.mark.sweep
def test_estimates_hold_the_truth(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marginals, "compute_exactly", lambda *_: None)
    if way == "chains":
        monkeypatch.setattr(drawing, "by_relaxed_table", lambda *_: lambda _: None)
    looked = held = 0
    ways = Counter[bool]()
    for k in range(0, len(FIXED), 2):
        expected = truth(k)
        for component in fixed(k)[1].components:
            shares = compute_probabilities(component, 800)
            if shares.exact is not None or len(component) < 3:
                continue
            ways[shares.chained is not None] += 1
            low, high = confidence_intervals(shares)
            ends = component.players[shares.first], component.players[shares.second]
            for a, b, least, most in zip(*ends, low, high, strict=True):
                share = float(expected.get((int(a), int(b)), Fraction(0)))
                looked += 1
                held += least - 1e-12 <= share <= most + 1e-12
    assert ways[way == "chains"] > 3
    assert looked > 60
    assert held >= 0.9 * looked


@pytest.mark.parametrize("k", range(len(FIXED)))
def test_both_exact_ways_agree_with_all_pairings(k: int) -> None:
    expected = truth(k)
    seen = 0
    for component in fixed(k)[1].components:
        table = own_table(component, Budget(), SMALL, LARGE)
        held = pairs_by_forbidden(
            component, state_layout(component, component.relaxed), 10**9
        )
        assert table is not None
        assert held is not None
        assert set(held.sum(axis=1).tolist()) == {table.count}
        for shares in (
            probabilities_from_table(table),
            probabilities_from_counts(held),
        ):
            ends = component.players[shares.first], component.players[shares.second]
            for a, b, share in zip(*ends, shares.exact or (), strict=True):
                assert expected[min(int(a), int(b)), max(int(a), int(b))] == share
        seen += np.count_nonzero(held) // 2
    assert seen == len(expected)


@pytest.mark.parametrize("model", ["standard", "aesops", "double-sided", "cobra"])
@pytest.mark.long
def test_forced_pairs_agree_with_tables_in_larger_events(model: str) -> None:
    agreed = 0
    for event, _ in rounds(44, 5, 1, "standard"):
        for component in optima(prepare(event, model)).components:
            table = state_table(
                state_layout(component, component.code), 200_000, Budget()
            )
            relaxed = state_layout(component, component.relaxed)
            held = pairs_by_forbidden(component, relaxed, 3_000_000)
            if table is not None and held is not None and len(component) > 4:
                one, two = (
                    dict(
                        zip(
                            zip(s.first.tolist(), s.second.tolist(), strict=True),
                            s.exact or (),
                            strict=True,
                        )
                    )
                    for s in (
                        probabilities_from_table(table),
                        probabilities_from_counts(held),
                    )
                )
                assert one == two
                agreed += bool(component.missing.any())
    assert agreed >= 2


def test_forced_pairs_give_up_in_time() -> None:
    component = max(fixed(11)[1].components, key=len)
    relaxed = state_layout(component, component.relaxed)
    assert pairs_by_forbidden(component, relaxed, 3) is None
    with pytest.raises(TimeUpError):
        pairs_by_forbidden(component, relaxed, 10**9, Budget(deadline=0.0))


@pytest.mark.parametrize("k", [11, 15])
def test_shares_are_exact_without_a_table(
    k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marginals, "SMALL", 0)
    monkeypatch.setattr(marginals, "LARGE", 0)
    components = [c for c in fixed(k)[1].components if c.missing.any()]
    assert components
    assert all(
        compute_probabilities(component, 5).exact is not None
        for component in components
    )


@pytest.mark.parametrize("tabled", [True, False])
def test_drawn_again_and_again_as_often_as_exact(
    tabled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, lottery, _ = fixed(1)
    rng = Random(3)
    component = max(lottery.components, key=len)
    exact = compute_probabilities(component, 1)
    assert exact.exact is not None
    if not tabled:
        monkeypatch.setattr(drawing, "own_table", lambda *_: None)
    drawer, times = drawer_again(component, 3000), Counter[tuple[int, int]]()
    for _ in range(3000):
        drawn = drawer(rng)
        assert drawn is not None
        times.update((min(pair), max(pair)) for pair in drawn[0])
    for a, b, share in zip(
        exact.first.tolist(), exact.second.tolist(), exact.exact, strict=True
    ):
        assert abs(times[a, b] / 3000 - share) < 0.05


@pytest.mark.long
def test_estimates_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marginals, "compute_exactly", lambda *_: None)
    *_, (event, _) = rounds(8, 3, 1, "standard", drops=0.0)
    found = odds(event, "cobra", draws=300)
    assert not found.exact
    assert found.draws == 300
    chances = [chance for one in found.players for chance in one.chances]
    unsure = [chance for chance in chances if chance.exact is None]
    assert unsure
    assert all(chance.low <= chance.probability <= chance.high for chance in unsure)
    assert all(chance.shown.startswith("~") for chance in unsure)
    assert odds(event, "cobra", draws=300) == found


def test_a_weighted_model_and_its_rows() -> None:
    *_, (event, _) = rounds(9, 3, 2, "standard", drops=0.0)
    found = pairopt.odds(event, "aesops")
    every = [*every_optimum(prepare(event, "aesops"))]
    rows = list(found.rows())
    for player in found.players:
        assert sum((chance.exact or 0 for chance in player.chances), Fraction(0)) == 1
    assert len(rows) == len(
        {
            (min(a, b), max(a, b)) if b != BYE else (a, 99)
            for key in every
            for a, b in key
        }
    )
    assert all(row[4] is None or isinstance(row[4], str) for row in rows)


def test_a_system_has_one_pairing() -> None:
    *_, (event, _) = rounds(8, 3, 1, "standard", drops=0.0)
    event = replace(event, rating=np.arange(8) * 50 + 1500)
    found = odds(event, "fide-dutch")
    assert found.exact
    assert all(chance.exact == 1 for one in found.players for chance in one.chances)


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        ("aesops-by-hand", {}, "can't prove that"),
        ("standard", {"lookahead": 1}, "lookahead"),
        ("standard", {"by": "rating"}, "Not every player has a rating"),
        ("standard", {"by": "age"}, "Use rating or score"),
        ("standard", {"draws": 0}, "draws must be 1 or more"),
    ],
)
def test_what_has_no_odds(model: str, options: dict[str, Any], said: str) -> None:
    *_, (event, _) = rounds(6, 2, 0, "standard", drops=0.0)
    event = replace(event, rating=np.full(6, NO_RATING))
    with pytest.raises(UsageError, match=said):
        odds(event, model, **options)


def test_too_many_players(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odds_module, "MOST_PLAYERS", 5)
    *_, (event, _) = rounds(6, 2, 0, "standard", drops=0.0)
    with pytest.raises(UsageError, match="up to 5 players, but this round has 6"):
        odds(event)


def test_out_of_time() -> None:
    *_, (event, _) = rounds(6, 2, 0, "standard", drops=0.0)
    found = odds(event, time_limit=1e-9)
    assert found.status == "unknown"
    assert not found.exact
    assert not found.players


def test_the_command_asks_for_what_is_said() -> None:
    files = [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]
    done = CliRunner().invoke(
        main, ["odds", *files, "--model", "gatherling", "--format", "json"]
    )
    found = odds(
        read_event(SAMPLE / "matches.csv", SAMPLE / "players.csv"), "gatherling"
    )
    assert json.loads(done.stdout) == {"instrument": "odds", **found.to_dict()}
    assert found.model == "gatherling"
