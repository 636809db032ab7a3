"""Metric `tie_breaks`, matches of best of three, and claims that compare two metrics."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pairopt
from pairopt import UsageError
from pairopt.errors import InputError
from pairopt.event.event import PLAYED, Event
from pairopt.lab import Tournament, World, compare_models, simulate
from pairopt.lab.metrics import measure_tournament
from pairopt.lab.metrics.tie_breaks import (
    TieBreakOrder,
    change_result,
    draw_game,
)
from pairopt.lab.studies.check import check_study
from pairopt.lab.studies.hypotheses import evaluate_claims
from pairopt.lab.studies.run import run_study
from pairopt.lab.studies.study_file import study_of
from pairopt.lab.world import Field, draw_best_of_three, score_best_of_three

CHESS = World.chess(players=10, rounds=4, rating_error=60, drops=0.1, draws=0.3)
NO_DRAWS = World(players=9, rounds=4, draws=0, sides=())
TWO_GAMES = World(players=8, rounds=3, draws=0.1, games=2)
BEST_OF_THREE = World(players=9, rounds=4, draws=0.1, games=3, sides=())
CASES = [
    (CHESS, "monrad", "BH/C1+BH+SB"),
    (CHESS, "monrad", "points"),
    (CHESS, "monrad", "TPR"),
    (NO_DRAWS, "standard", "sos+esos"),
    (TWO_GAMES, "standard", "opponents_match_win"),
    (BEST_OF_THREE, "standard", "omw+gw+ogw"),
    (BEST_OF_THREE, "standard", "game_win"),
]


def ranks(event: Event, order: str) -> dict[str, int]:
    """The rank of each player, as organisers see it."""
    names = [] if order == "points" else order.split("+")
    table = pairopt.standings(event, tie_breaks=names)
    return dict(zip(table["name"], table["rank"], strict=True))


def read_again(played: Tournament, folder: Path, row: int, scores: list[str]) -> Event:
    """The event with another result in a line of its matches.csv, read from the files."""
    folder.mkdir()
    event = change_result(played.field, played.event, row)
    changed = replace(played, event=event)
    changed.write(folder)
    played.write(folder / "before")
    with (folder / "before" / "matches.csv").open(newline="") as file:
        before = list(csv.DictReader(file))
    with (folder / "matches.csv").open(newline="") as file:
        after = list(csv.DictReader(file))
    different = [k for k in range(len(before)) if before[k] != after[k]]
    assert different == [row]
    assert [after[row]["score1"], after[row]["score2"]] == scores
    kept = {key: before[row][key] for key in ("round", "player1", "player2")}
    assert kept == {key: after[row][key] for key in kept}
    again = pairopt.read_event(folder / "matches.csv", folder / "players.csv")
    points = played.field.world.points
    return replace(again, settings=replace(again.settings, points=points))


def other_scores(played: Tournament, row: int) -> list[list[str]]:
    """The scores that the changed match may have."""
    world, matches = played.field.world, played.event.matches
    scale = played.event.scale
    scores = [float(matches.score1[row]) / scale, float(matches.score2[row]) / scale]
    win = float(world.points.win)
    if scores[0] == scores[1]:
        changed = [[win, 0.0], [0.0, win]]
    elif world.games == 2:
        changed = [[win / 2, win / 2]]
    elif world.draws:
        changed = [[float(world.draw)] * 2]
    else:
        changed = [scores[::-1]]
    return [[f"{x:g}" for x in each] for each in changed]


@pytest.mark.parametrize(("world", "model", "order"), CASES)
@pytest.mark.parametrize("replicate", range(3))
def test_columns_by_brute_force(
    world: World, model: str, order: str, replicate: int, tmp_path: Path
) -> None:
    played = simulate(model, world, seed=5, replicate=replicate)
    metric = TieBreakOrder.of_text(order)
    found = [*metric(played).values()]
    event = played.event

    rank = ranks(event, order)
    strength = dict(zip(event.players, played.strength.tolist(), strict=True))
    points = dict(zip(event.players, played.points.tolist(), strict=True))
    here = played.field.active(event.round - 1, event.matches)
    names = [name for name, there in zip(event.players, here, strict=True) if there]

    right = total = agree = 0.0
    for one, two in combinations(names, 2):
        better = one if strength[one] > strength[two] else two
        worse = two if better == one else one
        sign = (rank[worse] > rank[better]) - (rank[worse] < rank[better])
        agree += sign
        if points[one] == points[two]:
            total += 1
            right += (1 + sign) / 2
    pairs = len(names) * (len(names) - 1) / 2
    assert found[0] == pytest.approx(right / total, abs=1e-6)
    assert found[1] == pytest.approx(agree / pairs, abs=1e-6)

    # the share of the strongest eight among the first eight, over random orders of ties
    best = sorted(names, key=lambda name: -strength[name])[:8]
    rng = np.random.default_rng(1)
    hits = []
    for _ in range(3000):
        lot = dict(zip(names, rng.random(len(names)), strict=True))
        first = sorted(names, key=lambda name: (rank[name], lot[name]))[:8]
        hits.append(len({*first} & {*best}) / len(best))
    assert found[2] == pytest.approx(np.mean(hits), abs=0.02)
    winners = [name for name in names if rank[name] == min(rank[n] for n in names)]
    assert found[3] == pytest.approx((best[0] in winners) / len(winners), abs=1e-6)

    row = draw_game(played.field, event)
    assert row is not None
    assert event.matches.status[row] == PLAYED
    changed = change_result(played.field, event, row)
    scores = [
        f"{float(score[row]) / event.scale:g}"
        for score in (changed.matches.score1, changed.matches.score2)
    ]
    assert scores in other_scores(played, row)
    rank_again = ranks(read_again(played, tmp_path / "x", row, scores), order)
    playing = {
        event.players[k] for k in (event.matches.first[row], event.matches.second[row])
    }
    others = [name for name in event.players if name not in playing]
    moved = 0
    for one in others:
        place, place_again = (
            [
                sum(r[two] < r[one] for two in others),
                sum(r[two] == r[one] for two in others),
            ]
            for r in (rank, rank_again)
        )
        moved += 2 * place[0] + place[1] != 2 * place_again[0] + place_again[1]
    assert found[4] == moved


@pytest.mark.parametrize("world", [CHESS, NO_DRAWS, TWO_GAMES, BEST_OF_THREE])
def test_changed_results_are_possible_ones(world: World) -> None:
    played = simulate("standard", world, seed=4)
    before = played.event.matches
    kinds = set()
    for replicate in range(200):
        field = replace(played.field, replicate=replicate)
        row = draw_game(field, played.event)
        assert row is not None
        after = change_result(field, played.event, row).matches
        scale = played.event.scale
        scores = [f"{float(x[row]) / scale:g}" for x in (after.score1, after.score2)]
        assert scores in other_scores(played, row)
        if world.games == 3:
            lead = np.sign(after.score1[row] - after.score2[row])
            assert np.sign(after.games[row, 0] - after.games[row, 1]) == lead
            assert after.games[row, :2].max() <= 2
        kinds.add((before.score1[row] == before.score2[row], *scores))
        same = np.arange(len(before)) != row
        for name in before.__dataclass_fields__:
            assert (getattr(before, name)[same] == getattr(after, name)[same]).all()
    assert len(kinds) == (2 if world.draws == 0 else 3)


def test_shared_first_ranks_share_the_win() -> None:
    shares = {
        TieBreakOrder(())(simulate("monrad", CHESS, seed=2, replicate=k))[
            "winner_points"
        ]
        for k in range(30)
    }
    assert 0.5 in shares
    assert shares <= {0, 1, *(round(1 / k, 6) for k in range(2, 6))}


def test_points_alone_decide_nothing_and_move_nobody() -> None:
    found = TieBreakOrder.of_text("points")(simulate("monrad", CHESS, seed=2))
    assert found["tied_right_points"] == 0.5
    assert found["moved_points"] == 0


def test_true_order_is_right_everywhere() -> None:
    world = replace(CHESS, players=20, rating_error=0.0)
    found = TieBreakOrder.of_text("RTNG")(simulate("monrad", world, seed=2))
    assert found["tied_right_RTNG"] == 1
    against = TieBreakOrder.of_text("RTNG/R")(simulate("monrad", world, seed=2))
    assert against["tied_right_RTNG/R"] == 0


def test_games_are_drawn_from_all_that_were_played() -> None:
    played = simulate("monrad", CHESS, seed=2)
    rows = {
        draw_game(replace(played.field, replicate=k), played.event) for k in range(400)
    }
    assert rows == {*np.flatnonzero(played.event.matches.status == PLAYED).tolist()}


def test_all_orders_are_measured_in_the_same_tournaments() -> None:
    metrics = ["tie_breaks=BH", "tie_breaks=points", "tie_breaks=KS/L+1+BH"]
    frame = compare_models(["monrad"], CHESS, replicates=2, metrics=metrics)
    last = frame[frame["round"] == 4]
    assert (last["tied_right_points"] == 0.5).all()
    assert last["tied_right_KS/L+1+BH"].notna().all()
    alone = compare_models(["monrad"], CHESS, replicates=2, metrics=metrics[:1])
    assert (alone[alone["round"] == 4]["tau_BH"] == last["tau_BH"]).all()


def test_wrong_orders_are_refused() -> None:
    for order in ("BHX", "BH+BH", ""):
        with pytest.raises(UsageError):
            TieBreakOrder.of_text(order)
    unrated = simulate("standard", NO_DRAWS, seed=1)
    with pytest.raises(UsageError, match="rating"):
        measure_tournament([TieBreakOrder.of_text("TPR")], unrated)
    with pytest.raises(UsageError, match="games"):
        measure_tournament([TieBreakOrder.of_text("gw")], unrated)


class TestBestOfThree:
    def test_two_wins_end_a_match(self) -> None:
        field = Field(BEST_OF_THREE, 3, 0)
        one, two = (
            np.array(side) for side in zip(*combinations(range(9), 2), strict=True)
        )
        shapes = set()
        for number in range(1, 60):
            games = draw_best_of_three([field], number, one, two)
            turned = draw_best_of_three([field], number, two, one)
            assert (games == turned[:, [1, 0, 2]]).all()
            shapes |= {*map(tuple, games.tolist())}
            score1, score2 = score_best_of_three(BEST_OF_THREE, games)
            lead = np.sign(games[:, 0] - games[:, 1])
            assert (np.sign(score1 - score2) == lead).all()
            assert {*(score1 + score2).tolist()} <= {2, 3}
        # two games if one player wins both, otherwise three
        possible = {
            (a, b, d)
            for a in range(3)
            for b in range(3)
            for d in range(4)
            if (a + b + d == 3 and max(a, b) <= 2) or (a + b + d == 2 and 2 in (a, b))
        }
        assert shapes <= possible
        assert {(2, 0, 0), (2, 1, 0), (1, 2, 0), (1, 1, 1)} <= shapes

    def test_chances(self) -> None:
        """A match is won with probability p^2 (3 - 2 p), and in two games with p^2."""
        p = 0.7
        world = replace(
            BEST_OF_THREE, players=2, draws=0.0, results=np.array([[0, p], [1 - p, 0]])
        )
        field = Field(world, 4, 0)
        pair = np.array([0]), np.array([1])
        games = np.concatenate(
            [draw_best_of_three([field], number, *pair) for number in range(1, 8001)]
        )
        won = (games[:, 0] == 2).mean()
        assert won == pytest.approx(p**2 * (3 - 2 * p), abs=0.02)
        straight = ((games[:, 0] == 2) & (games[:, 1] == 0)).mean()
        assert straight == pytest.approx(p**2, abs=0.02)

    def test_event_has_the_games(self) -> None:
        played = simulate("standard", BEST_OF_THREE, seed=1)
        matches = played.event.matches
        assert (matches.by_games == (matches.status == PLAYED)).all()
        assert played.event.sides is None
        assert "matches of up to three games" in BEST_OF_THREE.words

    def test_one_and_two_games_are_as_before(self) -> None:
        assert not simulate("standard", TWO_GAMES, seed=1).event.matches.by_games.any()
        with pytest.raises(UsageError, match="games 1, 2 or 3"):
            World(games=4)


STUDY = {
    "models": ["monrad", "random"],
    "replicates": 12,
    "seed": 3,
    "metrics": ["tie_breaks=PS", "tie_breaks=BH"],
    "world": {"players": 10, "rounds": 4},
    "grid": {"draws": [0, 0.3]},
}
CLAIM = {
    "model": "random",
    "metric": "tied_right_PS",
    "than_metric": "tied_right_BH",
    "claim": "more",
}


class TestClaimsAboutTwoMetrics:
    def test_they_are_paired_differences(self, tmp_path: Path) -> None:
        design = study_of(STUDY | {"hypotheses": [CLAIM], "folder": {"figures": []}})
        frame, results = run_study(design, tmp_path / "study")
        assert [result.sentence for result in evaluate_claims(design, frame)] == [
            result.sentence for result in results
        ]
        table = pd.read_csv(tmp_path / "study" / "tournaments.csv")
        for result, draws in zip(results, (0, 0.3), strict=True):
            rows = table[(table["model"] == "random") & (table["world_draws"] == draws)]
            difference = (rows["tied_right_PS"] - rows["tied_right_BH"]).dropna()
            assert result.found.mean == pytest.approx(difference.mean(), abs=1e-6)
            assert result.found.n == len(difference)
            assert "a higher tied_right_PS than tied_right_BH" in result.sentence
        means = pd.read_csv(tmp_path / "study" / "means.csv")
        asked = means[means["asked"] == "hypothesis"]
        assert {*asked["metric"]} == {"tied_right_PS", "tied_right_BH"}
        assert {*asked["model"]} == {"random"}

    def test_two_metrics_of_one_model_have_their_own_plan(self) -> None:
        claim = CLAIM | {"effect": 0.05}
        design = study_of(STUDY | {"hypotheses": [claim]})
        from pairopt.lab.studies.power import plan

        plans = plan(design, 8, 0.8)
        assert len(plans) == 2
        assert all(each.pilot == 8 for each in plans)

    @pytest.mark.parametrize(
        ("change", "key"),
        [
            ({"than": "monrad"}, "than_metric"),
            ({"claim": "near", "margin": 0.1}, "than_metric"),
            ({"than_metric": "tied_right_PS"}, "than_metric"),
            ({"than_metric": "tied_right_XX"}, "than_metric"),
            ({"metric": "tied_right_XX"}, "metric"),
            ({"model": "nobody"}, "model"),
        ],
    )
    def test_wrong_ones_are_refused(self, change: dict[str, object], key: str) -> None:
        with pytest.raises(InputError) as caught:
            study_of(STUDY | {"hypotheses": [CLAIM | change]})
        assert f"hypotheses[0].{key}" in str(caught.value)

    def test_older_registrations_stay(self) -> None:
        plain = {"model": "random", "metric": "kendall", "claim": "less"}
        design = study_of(STUDY | {"hypotheses": [plain]})
        assert "than_metric" not in design.raw.decode()


@pytest.mark.filterwarnings("error")
def test_many_columns_make_no_warning(tmp_path: Path) -> None:
    """pandas warns of tables that grew column by column."""
    orders = [
        "BH",
        "BH/C1",
        "BH/M1",
        "AOB",
        "FB",
        "SB",
        "KS",
        "PS",
        "WIN",
        "DE",
        "MW",
        "SOS",
        "ESOS",
        "OMW",
        "BPG",
    ]
    metrics = [f"tie_breaks={one}{more}" for one in orders for more in ("", "+WON")]
    table = STUDY | {"metrics": metrics, "replicates": 3, "folder": {"figures": []}}
    design = study_of(table | {"models": ["monrad"], "grid": {}})
    run_study(design, tmp_path / "study")
    assert not check_study(tmp_path / "study", "tables").faults
