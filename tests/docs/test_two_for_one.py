"""The study of 2-for-1s: its numbers mean what they say, its figure is that of its results."""

from __future__ import annotations

import pandas as pd
import pytest
import two_for_one
import two_for_one_text
from places import ROOT

from pairopt.lab.figures import images
from pairopt.lab.world import Field


def rows(results: list[float], places: list[float]) -> pd.DataFrame:
    """Players of one record in one round."""
    count = len(results)
    shared = {"format": "f", "round": 1, "cut": 8, "own": 0, "other": 0}
    return pd.DataFrame(
        {
            **{k: [v] * count for k, v in shared.items()},
            "result": results,
            "place": places,
        }
    )


@pytest.mark.parametrize(
    ("results", "places", "weight"),
    [
        ([1, 0.5, 0.5, 0], [1, 0.5, 0.5, 0], 0.5),  # from 6-0 to 0-6 two games
        ([1, 0.5, 0.5, 0], [1, 0, 0, 0], 0.5),
        ([1, 0], [1, 0], 1.0),
        ([1, 1, 0, 0], [1, 0, 0.5, 0], 0.25),
    ],
)
def test_the_weight_of_a_game(
    results: list[float], places: list[float], weight: float
) -> None:
    assert two_for_one.weighed(rows(results, places))["weight"].mean() == pytest.approx(
        weight
    )


@pytest.mark.parametrize(
    ("places", "gain"),
    [([1, 0, 0, 0], 0.25), ([1, 1, 1, 0], -0.25), ([1, 0.5, 0.5, 0], 0.0)],
)
def test_the_gain_by_a_two_for_one(places: list[float], gain: float) -> None:
    made = two_for_one.weighed(rows([1, 0.5, 0.5, 0], places))
    assert made["agreed"].mean() == pytest.approx(gain)


@pytest.mark.long
def test_a_small_study() -> None:
    given = {
        **two_for_one.settings(),
        "players": 8,
        "cut": 2,
        "cuts": [2],
        "samples": 50,
        "played": 2,
        "tables": 1,
        "unequal": {"spread": 200, "tables": 1},
    }
    of = two_for_one.Format("double_5", "double-sided", 2, 3)
    played, tables = two_for_one.play(given, of)
    assert len(played) == 2 * 8 * 3
    assert (played.groupby(["replicate", "round"])["place"].sum() == 2).all()
    assert len(tables) == 2 * 4
    assert (tables["two_for_one"] + tables["intentional_draw"] >= tables["any"]).all()
    field = Field(of.world(8), given["seed"], 1)
    rounds = two_for_one.rounds_of(of, field)
    assert two_for_one.places(rounds[-1][1], 2).sum() == pytest.approx(2)


def test_the_hypotheses_are_those_that_were_registered() -> None:
    found = two_for_one_text.read("hypotheses")
    asked = two_for_one.settings()["hypotheses"]
    assert found["claim"].tolist() == [each["claim"] for each in asked]
    assert (found["n"] >= 100).all()


@pytest.mark.long
def test_the_figure_is_that_of_the_results() -> None:
    path = ROOT / "docs" / "studies" / "two-for-one"
    drawn = images(two_for_one_text.weight_by_round(), path, (".svg",))
    assert drawn[path.with_suffix(".svg")] == path.with_suffix(".svg").read_bytes()
