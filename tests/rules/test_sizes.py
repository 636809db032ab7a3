"""Numbers at the edge: thirds, weights and powers too large to be exact, rounds that cannot be."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from events import REPEATABLE, Case, Field, events, model_of, vector_of
from hypothesis import given, settings
from simulation import opening

from pairopt import Event, Model, UsageError, read_event, solve
from pairopt.cli import main
from pairopt.rules.criteria.score_groups import ScoreGroups


def club(**weights: object) -> Model:
    row = {"kind": "conflicts", "column": "Club", "weights": weights}
    return model_of({"name": "clubs", "criteria": [row]})


def clubs(*given: str) -> Event:
    values = given or ["Oslo"] * 4
    names = [f"p{k}" for k in range(len(values))]
    return read_event(pd.DataFrame({"player": names, "Club": values}))


@pytest.mark.sweep
@pytest.mark.parametrize("weighted", [False, True])
@settings(REPEATABLE, max_examples=40)
@given(drawn=events(2, 7, sided=True))
def test_thirds_are_exact(weighted: bool, drawn: Field) -> None:
    row = {"kind": "aesops_cost", "unit": 3} | ({"weight": 1} if weighted else {})
    raw = {
        "name": "thirds",
        "sides": ["corp", "runner"],
        "constraints": {},
        "criteria": [row],
        "objective": "weighted" if weighted else "lexicographic",
    }
    case = Case(drawn.rows, drawn.players, raw)
    oracle = case.oracle()
    result = solve(case.event(), model_of(raw))
    found = vector_of(result.level_values)
    if not weighted:
        assert found == oracle.optimum()
    else:
        sums = [sum(oracle.vector(each).values()) for each in oracle.pairings()]
        assert sum(found.values()) == min(sums)


def test_thirds_are_shown_as_fractions(tmp_path: Path) -> None:
    players, model = tmp_path / "players.csv", tmp_path / "thirds.toml"
    players.write_text("player,score\nA,5\nB,0\n")
    model.write_text(
        'name="thirds"\nsides=["corp","runner"]\n[[criteria]]\nkind="aesops_cost"\nunit=3\n'
    )
    call = [str(players), "--model", str(model), "--relax", "history"]
    done = CliRunner().invoke(main, ["solve", *call])
    assert done.exit_code == 0, done.output
    assert "20/9" in done.output  # d = 5/3: d (d + 1) / 2
    out = CliRunner().invoke(main, ["solve", *call, "--format", "json"]).stdout
    level = json.loads(out)["levels"][0]
    assert Fraction(level["value"], level["scale"]) == Fraction(20, 9)


def test_a_column_is_found_whatever_its_case() -> None:
    assert [level.value for level in solve(clubs(), club()).level_values] == [2]
    model = model_of({"name": "x", "constraints": {"conflicts": ["CLUB"]}})
    assert solve(clubs(), model).status == "infeasible"


@pytest.mark.parametrize("weight", [10**30, 4 * 10**18, 2**60 // 4])
def test_weights_that_could_wrap_around_are_refused(weight: int) -> None:
    with pytest.raises(UsageError, match="The rule conflicts would need numbers"):
        solve(clubs(), club(Oslo=weight))
    # a value that nobody has does no harm
    assert solve(clubs(), club(Oslo=2, Rome=weight)).level_values[0].value == 4


def test_weights_too_fine_are_refused_and_others_are_exact() -> None:
    with pytest.raises(UsageError, match="The rule conflicts would need numbers"):
        solve(clubs("Oslo", "Oslo", "Rome", "Rome"), club(Oslo=Decimal("1e-25")))
    weight = Decimal("12345678.123456789")
    level = solve(clubs(), club(Oslo=weight)).level_values[0]
    assert level.value is not None
    assert Fraction(level.value, level.scale) == 2 * Fraction(weight)
    assert solve(clubs(), club(Oslo=2**60 // 4 - 1)).level_values[0].value == 2 * (
        2**58 - 1
    )


def scores(*points: str) -> Event:
    names = [f"p{k}" for k in range(len(points))]
    return read_event(
        pd.DataFrame({"player": names, "score": points}), relax=["history"]
    )


@pytest.mark.parametrize(
    ("row", "points"),
    [
        ({"kind": "score_difference", "power": 60}, ["2", "0"]),
        ({"kind": "score_difference", "power": 9}, ["100", "0.01"]),
        ({"kind": "rank_gap", "power": 60}, ["1", "0"]),
        ({"kind": "aesops_cost", "unit": 10**20}, ["1", "0"]),
        ({"kind": "aesops_2025_cost"}, ["999999", "0.000001"]),
        ({"kind": "cobra_cost"}, ["999999", "0.000001"]),
        ({"kind": "gatherling_quality"}, ["99999", "0"]),
        ({"kind": "bakert_quality"}, ["999999", "0.000001"]),
    ],
)
def test_levels_that_could_wrap_around_are_refused(
    row: dict[str, Any], points: list[str]
) -> None:
    model = model_of({"name": "x", "sides": ["corp", "runner"], "criteria": [row]})
    with pytest.raises(UsageError, match=f"{row['kind']} would need numbers"):
        solve(scores(*points), model)


def test_a_cost_limit_is_refused_where_costs_could_wrap_around() -> None:
    raw = {
        "name": "x",
        "sides": ["corp", "runner"],
        "constraints": {"aesops_2025_cost_below": 9},
    }
    with pytest.raises(UsageError, match="aesops_2025_cost_below would need numbers"):
        solve(scores("999999", "0.000001"), model_of(raw))


def test_powers_are_exact() -> None:
    model = model_of(
        {"name": "x", "criteria": [{"kind": "score_difference", "power": 60}]}
    )
    assert solve(scores("1", "0"), model).level_values[0].value == 1
    model = model_of(
        {"name": "x", "criteria": [{"kind": "score_difference", "power": 9}]}
    )
    assert solve(scores("57", "0"), model).level_values[0].value == 57**9


@pytest.mark.parametrize("lookahead", [4, 500])
@pytest.mark.parametrize("n", [3, 4])
def test_more_rounds_than_there_are_opponents_are_impossible(
    lookahead: int, n: int
) -> None:
    result = solve(opening(n), "double-sided", lookahead=lookahead)
    assert result.status == "infeasible"
    assert "lookahead" in " ".join(map(str, result.conflicts))


def test_a_match_across_groups_counts_as_often_as_it_is_groups_apart() -> None:
    assert [ScoreGroups().magnitude(label) for label in (3, "1:2", "4:1")] == [3, 2, 1]


@pytest.mark.parametrize("kind", ["rank_gap", "score_difference"])
def test_a_power_is_said_where_it_makes_a_difference(kind: str) -> None:
    rows = [{"kind": kind, "power": power} for power in (1, 3)]
    model = model_of({"name": "gaps", "criteria": rows})
    plain, cubed = (level.words for level in solve(opening(4), model).level_values)
    assert cubed == f"{plain} to the power 3"
