"""Metrics `ndcg` and the club's `stakes`, by hand, and against every result of a last round."""

from __future__ import annotations

import importlib.util
import sys
from itertools import product
from math import log2
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT

from pairopt import UsageError
from pairopt.lab import Tournament, World, compare_models, differences, means, simulate
from pairopt.lab.metrics import collect_ranges, measure_tournament
from pairopt.lab.metrics.ndcg import Ndcg


def club_stakes():  # type: ignore[no-untyped-def]
    path = ROOT / "tests" / "club" / "club" / "stakes.py"
    spec = importlib.util.spec_from_file_location("club_stakes", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made.Stakes()


STAKES = club_stakes()


def ended(place: list[int], strength: list[float]) -> Tournament:
    """A tournament of which only the standings are looked at."""
    here = np.ones(len(place), np.bool_)
    field = SimpleNamespace(active=lambda *_: here)
    event = SimpleNamespace(round=4)
    return SimpleNamespace(
        field=field,
        event=event,
        games=None,
        place=np.array(place),
        strength=np.array(strength, np.float64),
    )  # type: ignore[return-value]


class TestNdcg:
    def test_by_hand(self) -> None:
        # the strongest has the gain 2, then 1, 0; standings 2, 1, 3
        found = Ndcg()(ended([1, 2, 0], [300, 200, 100]))
        ideal = 2 / log2(2) + 1 / log2(3)
        assert found["ndcg"] == pytest.approx((1 / log2(2) + 2 / log2(3)) / ideal)
        assert Ndcg()(ended([2, 1, 0], [300, 200, 100]))["ndcg"] == 1
        upside_down = Ndcg()(ended([0, 1, 2], [300, 200, 100]))["ndcg"]
        assert upside_down == pytest.approx((0 + 1 / log2(3) + 2 / log2(4)) / ideal)
        # the first two share their places: each has the mean of both discounts
        tied = Ndcg()(ended([1, 1, 0], [300, 200, 100]))["ndcg"]
        assert tied == pytest.approx(3 * (1 + 1 / log2(3)) / 2 / ideal)

    def test_equal_strengths(self) -> None:
        assert Ndcg()(ended([1, 2, 0], [100, 100, 100])) == {}
        # 1.5 each for two that are stronger than one: whichever of them is first
        for place in ([2, 1, 0], [1, 2, 0], [1, 1, 0]):
            assert Ndcg()(ended(place, [200, 200, 100]))["ndcg"] == 1

    def test_the_first_three(self) -> None:
        strength = [900.0, 800, 700, 600, 500, 400, 300, 200, 100, 50, 10, 0]
        found = Ndcg()(ended([11, 2, 10, 9, 8, 7, 6, 5, 4, 3, 1, 0], strength))
        assert found["top_3"] == pytest.approx(2 / 3)  # the second best is tenth
        assert found["top_10"] == 1
        # third place is shared by two, of whom one is among the best three
        shared = Ndcg()(ended([11, 10, 9, 9, 8, 7, 6, 5, 4, 3, 1, 0], strength))
        assert shared["top_3"] == pytest.approx((2 + 1 / 2) / 3)

    @pytest.mark.long
    @settings(max_examples=60)
    @given(st.integers(2, 7), st.data())
    def test_ties_are_the_mean_of_all_orders_of_them(
        self, n: int, data: st.DataObject
    ) -> None:
        place = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
        strength = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
        found = Ndcg()(ended(place, [float(s) for s in strength]))
        if len({*strength}) == 1:
            assert found == {}
            return
        gain = [sum((s > o) + (s == o) / 2 for o in strength) - 1 / 2 for s in strength]
        ideal = sum(g / log2(k + 2) for k, g in enumerate(sorted(gain, reverse=True)))
        total = 0.0
        for k in range(n):
            above = sum(p > place[k] for p in place)
            equal = sum(p == place[k] for p in place)
            total += (
                gain[k] * sum(1 / log2(above + j + 2) for j in range(equal)) / equal
            )
        assert found["ndcg"] == pytest.approx(total / ideal)

    @pytest.mark.long
    def test_of_played_tournaments(self) -> None:
        frame = compare_models(
            ["excalibur", "random"],
            World(players=12, rounds=3),
            replicates=8,
            metrics=["ndcg"],
        )
        last = frame[frame["round"] == 3]
        assert (
            last[["ndcg", "top_3", "top_10"]]
            .apply(lambda c: c.between(0, 1))
            .all(axis=None)
        )
        assert last["ndcg"].corr(last["kendall"]) > 0.5


def brute(points: np.ndarray, seats: list[tuple[int, int]], win: float) -> list[int]:
    """How many of both players have a stake, match by match, from all results of the round."""
    results = [(win, 0.0), (win / 2, win / 2), (0.0, win)]
    found = []
    for k in range(len(seats)):
        open_ = 0
        for side in (0, 1):
            me = seats[k][side]
            different = False
            for others in product(results, repeat=len(seats) - 1):
                first = []
                for mine in (results[0], results[2]):
                    end, rest = points.astype(float).copy(), iter(others)
                    for j, pair in enumerate(seats):
                        got = (
                            (mine if side == 0 else mine[::-1])
                            if j == k
                            else next(rest)
                        )
                        end[pair[0]] += got[0]
                        end[pair[1]] += got[1]
                    first.append(end[me] == end.max())
                different |= first[0] != first[1]
            open_ += different
        found.append(open_)
    return found


class TestStakes:
    @pytest.mark.long
    @settings(max_examples=60, deadline=None)
    @given(
        st.integers(0, 10_000),
        st.sampled_from([4, 5, 6, 8, 9]),
        st.integers(1, 4),
        st.sampled_from(["random", "excalibur"]),
    )
    def test_against_every_result(
        self, seed: int, players: int, rounds: int, model: str
    ) -> None:
        played = simulate(
            model, World(players=players, rounds=rounds, spread=400.0), seed=seed
        )
        if not played.complete:
            return
        rows = [
            row for row in played.matches.to_dict("records") if row["round"] == rounds
        ]
        names = list(played.event.players)
        seats, points = [], played.points.copy()
        for row in rows:
            if row["player2"]:
                pair = names.index(row["player1"]), names.index(row["player2"])
                seats.append(pair)
                points[pair[0]] -= float(row["score1"])
                points[pair[1]] -= float(row["score2"])
        counts = brute(points, seats, float(played.field.world.points.win))
        found = STAKES(played)
        for open_, name in ((2, "stakes"), (1, "weak_stakes"), (0, "no_stakes")):
            assert found[name] == pytest.approx(counts.count(open_) / len(counts))


class Constant:
    """A metric of one's own that has the same value in every tournament."""

    name, columns = "constant", ("constant",)

    def __init__(self, value: float = 1, **ranges: object) -> None:
        self.value, self.ranges = value, ranges

    def __call__(self, played: Tournament, /) -> dict[str, float]:
        return {"constant": self.value}


class TestRanges:
    @pytest.mark.long
    def test_where_nothing_varies_a_declared_range_gives_an_interval(self) -> None:
        world, row = World(players=6, rounds=2), {}
        for bounds in ({}, {"constant": (0, 3)}, {"constant": (0, "tables")}):
            frame = compare_models(
                ["monrad", "random"], world, replicates=30, metrics=[Constant(**bounds)]
            )
            low, high = means(frame, ["constant"]).iloc[0][["low", "high"]]
            row[str(bounds)] = low, high
            apart = differences(frame, metrics=["constant"]).iloc[0]
            assert np.isfinite([low, high, apart["low"], apart["high"]]).all() == bool(
                bounds
            )
        unknown, three, six = row.values()
        assert unknown == (-np.inf, np.inf)
        assert 0 <= three[0] < 1 < three[1] < six[1] < 3

    def test_what_is_outside_is_refused(self) -> None:
        played = simulate("monrad", World(players=6, rounds=2))
        assert measure_tournament([Constant(6, constant=(0, "players"))], played)[
            -1
        ] == {"constant": 6}
        with pytest.raises(
            UsageError, match=r"7 for column constant\. This value is outside the range"
        ):
            measure_tournament([Constant(7, constant=(0, "players"))], played)
        with pytest.raises(UsageError, match="outside"):
            measure_tournament([Constant(-0.5, constant=(0, 3))], played)

    def test_a_range_needs_a_column_of_the_metric(self) -> None:
        said = r"declares a range for 'other', .* The columns of this metric are: constant\."
        with pytest.raises(UsageError, match=said):
            collect_ranges([Constant(other=(0, 1))])

    @pytest.mark.parametrize(
        "ranges",
        [
            {"other": (0, 1)},
            {"constant": (1, 0)},
            {"constant": (1, 1)},
            {"constant": (0, "nosuch")},
            {"constant": 3},
            {"constant": (0, 1, 2)},
        ],
    )
    def test_what_is_none_is_refused(self, ranges: dict[str, object]) -> None:
        with pytest.raises(UsageError, match=r"(?i)metric constant"):
            collect_ranges([Constant(**ranges)])
        with pytest.raises(UsageError, match=r"(?i)metric constant"):
            compare_models(
                ["monrad"], World(players=4, rounds=1), metrics=[Constant(**ranges)]
            )
