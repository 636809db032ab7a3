"""The default engine: whichever of the others settles a level, the levels are the optimal ones."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from click.testing import CliRunner
from events import COARSE, REPEATABLE, Case, cases, events, model_of, models, vector_of
from hypothesis import given, settings
from hypothesis import strategies as st
from places import SAMPLE
from simulation import rounds

from pairopt import Result, UsageError, solve
from pairopt.cli import main
from pairopt.engines.auto import engine as auto
from pairopt.engines.cpsat import engine as cpsat
from pairopt.engines.cpsat import level_by_level
from pairopt.messages import message

PATHS = ("matched", "classes", "too fine", "stopped")
"""What a field of some players does not do by itself, but for the first."""


def on_path(path: str, patch: pytest.MonkeyPatch) -> None:
    """Make the engine take a path whatever the size of the field."""
    if path != "matched":
        patch.setattr(auto, "MOST_PLAYERS_FOR_MATCHING", 0)
    if path == "too fine":
        patch.setattr(cpsat, "CLASSES", 0.5)
    if path == "stopped":
        patch.setattr(level_by_level, "FIRST_LIMIT", 1e-5)
        patch.setattr(level_by_level, "LIMIT_PER_COLUMN", 0)


def solved(case: Case, path: str, **options: object) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        on_path(path, patch)
        model = model_of(case.model)
        return solve(
            case.event(),
            model,
            seed=case.seed,
            engine="auto",
            **options,
            **case.options,
        )


@pytest.mark.sweep
@pytest.mark.parametrize("path", PATHS)
def test_levels_equal_the_best_of_all_pairings(path: str) -> None:
    tally = Counter[tuple[str, ...]]()

    @settings(REPEATABLE, max_examples=100)
    @given(
        cases(events(1, 8))
        | cases(
            events(
                6, 8, parity=0, min_rounds=2, sided=False, styles=["across", "fresh"]
            ),
            models(COARSE, needed=["rematches"], as_shipped=False),
            busy=False,
        )
    )
    def check(case: Case) -> None:
        result = solved(case, path)
        tally[result.parts] += 1
        best = case.oracle().optimum()
        if best is None:
            assert result.status == "infeasible"
        else:
            assert result.status == "optimal"
            assert vector_of(result.level_values) == best

    check()
    if path == "matched":
        assert set(tally) == {("matching",)}
    else:
        assert tally["cpsat",] + tally["cpsat", "matching"] > 9
        assert path == "classes" or tally["cpsat", "matching"] + tally["matching",] > 9


@pytest.mark.sweep
@pytest.mark.parametrize("path", PATHS[1:])
@settings(REPEATABLE, max_examples=15)
@given(
    case=cases(events(6, 9), models(weighted=True)), lookahead=st.sampled_from([0, 1])
)
def test_weights_and_lookahead_are_as_by_cpsat(
    path: str, case: Case, lookahead: int
) -> None:
    try:
        model, event = model_of(case.model), case.event()
        known = solve(event, model, engine="cpsat", lookahead=lookahead, **case.options)
    except UsageError:
        return
    found = solved(case, path, lookahead=lookahead)
    assert found.status == known.status
    assert [level.value for level in found.decisive] == [
        level.value for level in known.decisive
    ]


@pytest.mark.long
@pytest.mark.parametrize("model", ["standard", "leaguevine", "monrad"])
@pytest.mark.parametrize("path", PATHS)
def test_all_exact_engines_agree_and_a_second_run_is_the_same(
    path: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, (event, _) = rounds(23, 4, 3, engine="matching")
    on_path(path, monkeypatch)
    one, two = (solve(event, model, seed=7) for _ in range(2))
    monkeypatch.undo()
    assert one.engine == "auto"
    assert one.matches == two.matches
    assert one.level_values == two.level_values
    for engine in ("cpsat", "matching"):
        if engine == "cpsat" and model != "standard":
            continue  # it takes long where every player differs
        other = solve(event, model, engine=engine)
        assert [v.value for v in other.level_values] == [
            v.value for v in one.level_values
        ]


@pytest.mark.long
def test_who_proved_what_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    *_, (event, _) = rounds(20, 3, 1, engine="matching")
    cpsat, matching = (
        message("solving.verified", engine=each) for each in ("cpsat", "matching")
    )
    assert solve(event, "monrad", verify=True).notes[-1] == cpsat
    on_path("classes", monkeypatch)
    assert solve(event, "excalibur", verify=True).notes[-1] == matching
    handed = solve(event, "monrad", verify=True).notes
    assert handed[-1] == matching
    assert str(handed[-2]).startswith("The engine cpsat solved the first ")
    assert str(handed[-2]).endswith(
        " levels of the objective, and matching solved the other levels."
    )


@pytest.mark.long
def test_it_is_the_default() -> None:
    done = CliRunner().invoke(
        main, ["solve", str(SAMPLE / "matches.csv"), "--format", "json"]
    )
    assert done.exit_code == 0
    assert json.loads(done.stdout)["engine"] == "auto"
