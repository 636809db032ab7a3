"""Precision: tournaments are played until intervals are as narrow as was asked."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from pairopt import UsageError
from pairopt.lab import World, compare_models
from pairopt.lab.comparison import half_widths, replicate_targets
from pairopt.lab.statistics.comparing import differences
from pairopt.lab.task_cache import parts_of
from pairopt.lab.tasks import REPLICATES

WORLD = World(players=8, rounds=2)
MODELS = ["monrad", "random"]


def test_numbers_are_planned_and_in_whole_tasks() -> None:
    assert list(replicate_targets(100, 200)) == [100, 120, 140, 160, 180, 200]
    assert list(replicate_targets(37, 60)) == [37, 50, 60]
    assert list(replicate_targets(200, 300)) == [200, 230, 260, 300]
    assert list(replicate_targets(20, 20)) == [20]
    for count in list(replicate_targets(23, 9_999))[1:-1]:
        assert count % REPLICATES == 0


@pytest.mark.sweep
def test_plays_until_it_is_reached(tmp_path: Path) -> None:
    """The first planned number that is enough, as was the one before: a width that is reached by
    luck is looked at once more. And the rows of a study of so many."""
    wanted = {"kendall": 0.1}
    output = tmp_path / "rounds.csv"
    frame = compare_models(
        MODELS, WORLD, replicates=20, precision=wanted, output=output
    )
    count = frame["replicate"].nunique()
    whole = compare_models(MODELS, WORLD, replicates=count)
    pd.testing.assert_frame_equal(frame, whole)
    assert output.read_text("utf-8").count("\n") == len(frame) + 1
    assert not parts_of(output).exists()
    numbers = list(replicate_targets(20, 10_000))
    place = numbers.index(count)
    assert place > 1
    assert half_widths(frame, wanted, None)["kendall"] <= 0.1
    looks = [
        half_widths(frame[frame["replicate"] < n], wanted, None)["kendall"]
        for n in numbers[: place + 1]
    ]
    assert [width <= 0.1 for width in looks] == [False] * (place - 1) + [True] * 2
    row = differences(frame, metrics=["kendall"]).iloc[0]
    assert half_widths(frame, wanted, None)["kendall"] == pytest.approx(
        (row["high"] - row["low"]) / 2
    )
    assert compare_models(MODELS, WORLD, replicates=20, precision=wanted).equals(frame)


@pytest.mark.sweep
def test_processes_and_a_stop_change_nothing(tmp_path: Path) -> None:
    wanted = {"kendall": 0.2, "floats": 1.0}
    alone, stopped = tmp_path / "alone.csv", tmp_path / "stopped.csv"
    compare_models(MODELS, WORLD, replicates=20, precision=wanted, output=alone)

    def stop(done: int, _total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare_models(
            MODELS, WORLD, replicates=20, precision=wanted, output=stopped, watch=stop
        )
    assert parts_of(stopped).is_dir()
    assert not stopped.exists()
    compare_models(
        MODELS, WORLD, replicates=20, precision=wanted, output=stopped, jobs=2
    )
    assert stopped.read_bytes() == alone.read_bytes()


@pytest.mark.long
def test_ends_with_the_most() -> None:
    frame = compare_models(
        MODELS, WORLD, replicates=20, precision={"kendall": 0.001}, most=25
    )
    assert frame["replicate"].nunique() == 25


@pytest.mark.long
def test_of_one_model_it_is_the_means() -> None:
    frame = compare_models(
        ["random"], WORLD, replicates=20, precision={"top_hits": 0.15}
    )
    assert 20 < frame["replicate"].nunique() < 300
    assert half_widths(frame, {"top_hits": 0.15}, None)["top_hits"] <= 0.15


@pytest.mark.long
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"precision": {"kendall": 0.0}}, "precision of kendall"),
        (
            {"precision": {"kendall": 0.1}, "replicates": 19},
            "must be from 20 to 10000, but found 19",
        ),
        (
            {"precision": {"kendall": 0.1}, "most": 30, "replicates": 40},
            "must be from 20 to 30, but found 40",
        ),
        (
            {"precision": {"bye_points": 0.1}, "replicates": 20},
            "no values of this metric",
        ),
        (
            {"precision": {"nosuch": 0.1}, "replicates": 20},
            "There is no metric 'nosuch'.",
        ),
    ],
)
def test_what_cannot_be(given: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        compare_models(MODELS, WORLD, **given)  # type: ignore[arg-type]
