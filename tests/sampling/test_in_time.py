"""Choosing among optimal pairings when the time is up: what is not known is said so."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from clock import ticking
from places import SAMPLE
from simulation import rounds

from pairopt.cli import main
from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines import solve_by
from pairopt.engines.base import EngineOptions
from pairopt.problem.build import prepare
from pairopt.sampling import choose_optimal, counting, drawing
from pairopt.sampling.choose_optimal import OptimalChoice, choose_among

LATE = 5
"""Looks at the clock that may follow the one that says that the time is up."""


def by_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SMALL", "LARGE", "TRIES"):
        monkeypatch.setattr(drawing, name, 0)
    monkeypatch.setattr(drawing, "MOST_SWEEPS", 250)


def by_forbidden_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "SMALL", 0)
    monkeypatch.setattr(counting, "SMALL", 0)


def by_acceptance(monkeypatch: pytest.MonkeyPatch) -> None:
    accepted, large = counting.estimate_by_rejection, counting.LARGE

    def relaxed_only(*given):  # type: ignore[no-untyped-def]
        with monkeypatch.context() as here:
            here.setattr(counting, "LARGE", large)
            return accepted(*given)

    for name in ("SMALL", "LARGE", "MOST_STEPS"):
        monkeypatch.setattr(counting, name, 0)
    monkeypatch.setattr(counting, "estimate_by_rejection", relaxed_only)


def by_fixing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SMALL", "LARGE", "MOST_STEPS"):
        monkeypatch.setattr(counting, name, 0)
    monkeypatch.setattr(counting, "PARTICLES", 10)
    monkeypatch.setattr(counting, "SWEEPS", 20)
    monkeypatch.setattr(
        counting, "estimate_by_fixing", partial(counting.estimate_by_fixing, small=40)
    )


def same(one: object, two: object) -> bool:
    return all(
        np.array_equal(getattr(one, end), getattr(two, end))
        for end in ("first", "second")
    )


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("way", "players", "number", "model"),
    [
        (None, 31, 4, "standard"),
        (by_forbidden_pairs, 31, 4, "standard"),
        (by_acceptance, 44, 5, "standard"),
        (by_fixing, 24, 4, "aesops"),
        (by_chain, 24, 4, "aesops"),
    ],
)
def test_whatever_the_deadline_the_answer_is_the_same_or_said_to_be_missing(
    way, players: int, number: int, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # type: ignore[no-untyped-def]
    *_, (event, _) = rounds(players, number, 0, "standard")
    problem = prepare(event, model)
    first = solve_by("cpsat", problem, EngineOptions()).arcs
    assert first is not None
    if way is not None:
        way(monkeypatch)
    clock = ticking(monkeypatch)
    chosen = partial(choose_among, problem, first, "lexicographic", True, True)
    arcs, full = chosen(Budget(deadline=10**9))
    whole = clock.now
    assert whole >= 20
    assert not full.stopped
    assert full.count is not None
    assert "stopped" not in full.to_dict()
    drawn = 0
    for deadline in sorted({1, 2, whole - 1, whole, *range(1, whole, whole // 10)}):
        clock.now = 0
        got, made = chosen(Budget(deadline=deadline))
        assert clock.now <= deadline + LATE
        assert made.stopped
        assert made.count is None
        assert made.to_dict()["count"] is None
        assert made.to_dict()["stopped"] is True
        assert "The time limit ended before pairopt could count" in " ".join(
            map(str, made.words())
        )
        assert same(got, arcs if made.drawn else first)
        assert made.exact == (made.drawn and full.exact)
        assert (
            "before the random draw" in " ".join(map(str, made.words()))
        ) != made.drawn
        drawn += made.drawn
    assert drawn
    clock.now = 0
    got, made = chosen(Budget(deadline=whole + 1))
    assert same(got, arcs)
    assert made == full


@pytest.mark.long
def test_a_choice_that_was_stopped_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def up(*_: object) -> None:
        raise TimeUpError

    event = [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]
    plain = CliRunner().invoke(main, ["solve", *event, "--format", "json"])
    for name in ("find_small_field_optima", "optima_of"):
        monkeypatch.setattr(choose_optimal, name, up)
    run = CliRunner().invoke(
        main, ["solve", *event, "--choose", "uniform", "--count", "--format", "json"]
    )
    assert run.exit_code == 4
    made = json.loads(run.stdout)
    assert made["status"] == "optimal"
    assert made["pairings"] == json.loads(plain.stdout)["pairings"]
    assert made["choice"] == {
        "choose": "uniform",
        "exact": False,
        "chains": [],
        "count": None,
        "stopped": True,
    }
    assert "The time limit ended before the random draw" in run.stderr
    counted = CliRunner().invoke(main, ["solve", *event, "--count"])
    assert counted.exit_code == 4
    assert "by lot" not in counted.stdout


def test_a_count_that_was_not_found_is_not_stopped() -> None:
    assert "The time limit ended" not in " ".join(
        map(str, OptimalChoice(False, counted=True).words())
    )
