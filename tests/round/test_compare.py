"""Compare on one event: levels by models, and the matches that change."""

from __future__ import annotations

import pytest
import simulation
from click.testing import CliRunner
from places import SAMPLE

from pairopt import UsageError, compare, load_model, solve
from pairopt.cli import main

EVENT = [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")]


@pytest.mark.long
def test_each_model_is_best_in_its_own_levels() -> None:
    for event, _ in simulation.rounds(23, 6, 3, draws=0.2):
        names = ["excalibur", "fide-basic", "top-first", "leaguevine", "aesops-by-hand"]
        found = compare(event, names, seed=2)
        for k, (name, result) in enumerate(zip(names, found.results, strict=True)):
            alone = solve(event, name, seed=2)
            assert result.level_values == alone.level_values
            if not result.matches:
                assert all(level.amounts[k] is None for level in found.measured)
                continue
            mine = {(m.criterion, m.level): m.amounts[k] for m in found.measured}
            kinds = [rule.kind for rule in load_model(name).criteria]
            for level in result.level_values:
                if (
                    kinds.count(level.criterion) == 1
                    and level.criterion != "score_groups"
                ):
                    assert mine[level.criterion, level.level] == level.value
        assert found.changed[0] == ()
        assert list(found.levels.columns) == ["criterion", "level", *names]


def test_swap_exchanges_each_neighbouring_pair() -> None:
    (*_, (event, _)) = simulation.rounds(20, 5, 1)
    found = compare(event, ["excalibur"], swap=True)
    assert len(found.models) == 7
    assert found.models[1] == "excalibur/2-1-3-4-5-6-7"
    assert found.models[-1] == "excalibur/1-2-3-4-5-7-6"
    swapped = found.results[5]  # side differences of 2 before score groups
    groups = [m for m in found.measured if m.criterion == "score_groups"]
    twos = [
        m for m in found.measured if (m.criterion, m.level) == ("side_difference", 2)
    ]
    assert swapped.proven
    assert all(m.amounts[5] <= m.amounts[0] for m in twos)  # type: ignore[operator]
    assert [m.amounts[0] for m in groups] <= [m.amounts[5] for m in groups]  # type: ignore[operator]


def test_what_cannot_be_compared() -> None:
    event = simulation.opening(4)
    with pytest.raises(UsageError, match="Name a second model"):
        compare(event, ["excalibur"])
    with pytest.raises(UsageError, match="no order of criteria"):
        compare(event, ["aesops-by-hand"], swap=True)


def test_compare_an_event_on_the_command_line() -> None:
    run = CliRunner().invoke(main, ["compare", *EVENT, "--models", "standard,monrad"])
    assert run.exit_code == 0, run.stderr
    heads = next(
        line for line in run.stdout.splitlines() if line.startswith("criterion")
    )
    assert heads.split() == ["criterion", "level", "counts", "standard", "monrad"]
    assert "\nstandard: the other models are compared with this one." in run.stdout
    assert "\nmonrad: " in run.stdout
    assert "matches differ" in run.stdout
    swap = CliRunner().invoke(
        main, ["compare", *EVENT, "--models", "excalibur", "--swap"]
    )
    assert "\nexcalibur/1-2-3-4-5-7-6: " in swap.stdout
    simulated = ["compare", "--models", "excalibur", "--swap", "--players", "8"]
    assert CliRunner().invoke(main, simulated).exit_code == 2
