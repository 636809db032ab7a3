"""Counter-Strike Majors: published stages replayed, and every outcome of two rounds."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from events import model_of
from majors_data import FILE, event_after, model_of_stage, pairs_of, stages
from majors_literal import ROWS, Game, Stage, outcomes

from pairopt import InputError, read_event, solve
from pairopt.cli import main
from pairopt.event.arcs import arcs_of
from pairopt.event.records import records_of
from pairopt.problem.build import prepare
from pairopt.problem.model import load_model
from pairopt.rules.criteria.major_order import SIX

needs_data = pytest.mark.skipif(not FILE.exists(), reason="the shared data is not here")
STAGES = stages()


@needs_data
@pytest.mark.parametrize("stage", STAGES, ids=[stage["id"] for stage in STAGES])
def test_every_round_of_a_stage_is_as_played(stage: dict[str, Any]) -> None:
    rounds, model = stage["rounds"], model_of_stage(stage)
    for number, games in enumerate(rounds):
        played = {frozenset(game) for game in games}
        assert pairs_of(event_after(rounds[:number]), model) == played, number + 1


@needs_data
def test_how_much_is_replayed() -> None:
    rounds = [games for stage in STAGES for games in stage["rounds"]]
    assert (len(STAGES), len(rounds), sum(map(len, rounds))) == (20, 99, 652)


@needs_data
@pytest.mark.parametrize("name", ["major", "major-fold"])
def test_the_shipped_models_replay_their_stages(name: str) -> None:
    first = "1v9" if name == "major" else "1v16"
    own = [s for s in STAGES if s["first_round"] == first and s["losses"] == 3]
    assert own
    for stage in own[:2]:
        for number, games in enumerate(stage["rounds"]):
            found = pairs_of(event_after(stage["rounds"][:number]), name)
            assert found == {frozenset(game) for game in games}


# ------------------------------------------------------------ the rules themselves


def test_the_weights_of_six_are_in_the_order_of_the_table() -> None:
    sums = [sum(SIX.get(pair, 0) for pair in row) for row in ROWS]
    assert sums == sorted(set(sums))


def test_the_least_sum_is_the_first_row_for_all_sets_of_met_pairs() -> None:
    """24,823 of the 32,768 sets of met pairs leave a row."""
    pairs = [*combinations(range(1, 7), 2)]
    masks = [sum(1 << pairs.index(pair) for pair in row) for row in ROWS]
    sums = [sum(SIX.get(pair, 0) for pair in row) for row in ROWS]
    count = 0
    for met in range(2 ** len(pairs)):
        left = [k for k, mask in enumerate(masks) if not mask & met]
        if left:
            count += 1
            assert min(left, key=sums.__getitem__) == left[0]
    assert count == 24_823


def test_difficulty_by_hand() -> None:
    """T1 beat T2, T3 beat T4; then T1 beat T3 and T4 beat T2."""
    event = event_after([[(1, 2), (3, 4)], [(1, 3), (4, 2)]], teams=4)
    records = records_of(event)
    assert records.wins.tolist() == [2, 0, 1, 1]
    assert records.losses.tolist() == [0, 2, 1, 1]
    # T1: T2 (-2) and T3 (0). T2: T1 (2) and T4 (0). T3: T4 (0), T1 (2).
    assert records.difficulty.tolist() == [-2, 2, 2, -2]


@pytest.mark.long
@pytest.mark.parametrize("first", ["slide", "fold"])
@pytest.mark.parametrize("seed", range(4))
def test_random_stages_are_paired_as_the_text_says(first: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    stage = {"wins": 3, "losses": 3, "order": "table"}
    stage["first_round"] = {"slide": "1v9", "fold": "1v16"}[first]
    half = range(1, 9)
    start = [(k, k + 8) if first == "slide" else (k, 17 - k) for k in half]
    rounds: list[list[Game]] = []
    pairs = start
    while pairs:
        found = pairs_of(event_after(rounds), model_of_stage(stage))
        assert found == {frozenset(pair) for pair in pairs}
        rounds.append(
            [pair if rng.random() < 0.7 else (pair[1], pair[0]) for pair in pairs]
        )
        pairs = Stage([game for games in rounds for game in games]).pairs()
    assert len(rounds) == 5


def test_a_large_group_has_several_levels() -> None:
    """20 teams after one round: two groups of ten, each highest against lowest."""
    games = [(k, k + 10) for k in range(1, 11)]
    event = event_after([games], teams=20)
    model = load_model("major")
    labels = prepare(event_after([], teams=60), model).labels
    assert labels[1] == (1,)  # round 1
    found = pairs_of(event, model)
    winners = {frozenset((k, 11 - k)) for k in range(1, 6)}
    assert found == winners | {frozenset((k + 10, 21 - k)) for k in range(1, 6)}
    many = [(k, k + 30) for k in range(1, 31)]
    problem = prepare(event_after([many], teams=60), model)
    assert len(problem.labels[1]) > 1
    found = pairs_of(event_after([many], teams=60), model)
    assert {frozenset((1, 30)), frozenset((31, 60))} <= found


@pytest.mark.long
def test_every_outcome_of_two_rounds_allows_a_third() -> None:
    """The greedy text gets stuck in 400 of 65,536 outcomes; none needs a rematch."""
    start = [(k, k + 8) for k in range(1, 9)]
    stuck = count = 0
    for first in outcomes(start):
        second_pairs = Stage(first).pairs()
        for second in outcomes(second_pairs):
            stage = Stage([*first, *second])
            groups = stage.groups()
            count += 1
            greedy = [stage.greedy(group) for group in groups]
            if None in greedy:
                stuck += 1
                assert all(stage.highest_against_lowest(group) for group in groups)
    assert (stuck, count) == (400, 65_536)


# ------------------------------------------------------------ advance and elimination


def test_teams_that_have_advanced_are_named_and_not_paired() -> None:
    rounds = [
        [(1, 2), (3, 4), (5, 6)],
        [(1, 3), (5, 2), (4, 6)],
        [(1, 5), (3, 2), (4, 6)],
    ]
    model = {
        "name": "x",
        "win": 1,
        "advance_wins": 3,
        "eliminate_losses": 3,
        "criteria": [{"kind": "score_groups"}],
    }
    result = solve(event_after(rounds, teams=6), model_of(model))
    assert {name for pair in result.pairs for name in pair} == {"T3", "T4", "T5"}
    (note,) = [n for n in result.notes if getattr(n, "kind", "") == "event.finished"]
    assert note.fields["players"] == ["T1", "T2", "T6"]  # type: ignore[union-attr]


def test_a_stage_that_is_over_has_no_round() -> None:
    event = event_after([[(1, 2)]], teams=2)
    over = {"name": "x", "advance_wins": 1, "eliminate_losses": 1}
    with pytest.raises(InputError, match="No player can be paired"):
        solve(event, model_of(over))


@pytest.mark.parametrize("key", ["advance_wins", "eliminate_losses"])
def test_limits_are_checked(key: str) -> None:
    with pytest.raises(
        InputError, match=f"The key {key} is 0. Write a number of 1 or more."
    ):
        model_of({"name": "x", key: 0})


def test_an_event_folder_plays_a_stage(tmp_path: Path) -> None:
    """Two rounds of the stage are paired and entered; the third pairs by record."""
    teams = tmp_path / "teams.csv"
    teams.write_text("player,start\n" + "".join(f"T{k},{k}\n" for k in range(1, 17)))
    folder = str(tmp_path / "stage")

    def run(*words: str) -> str:
        done = CliRunner().invoke(main, [*words])
        assert done.exit_code == 0, done.output
        return done.output

    run("new", folder, "--players", str(teams), "--model", "major", "--points", "1-0-0")
    for number in range(1, 6):
        run("pair", folder)
        event = read_event(folder, unfinished=True)
        tables = [
            int(table)
            for table, turn in zip(
                event.matches.table, event.matches.round, strict=True
            )
            if turn == number
        ]
        assert len(tables) == {1: 8, 2: 8, 3: 8, 4: 6, 5: 3}[number]
        for table in tables:
            run("result", folder, str(table), "1-0")


def test_pairs_of_different_groups_cost_nothing() -> None:
    event = event_after([[(k, k + 8) for k in range(1, 9)]])
    problem = prepare(event, load_model("major"))
    seat = {name: k for k, name in enumerate(problem.state.names)}
    arcs = arcs_of(np.array([seat["T1"]]), np.array([seat["T10"]]))
    assert problem.costs(arcs)[0, -1] == 0
