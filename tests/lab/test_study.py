"""The study's parts: luck, worlds, standings, metrics, orderings, intervals."""

from __future__ import annotations

from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pairopt import UsageError, load_model, read_event, simulate, solve
from pairopt.event.arcs import BYE, arcs_of
from pairopt.event.matches import player_rounds_of
from pairopt.event.points import Points
from pairopt.event.score_checks import points_of
from pairopt.event.standings import rank_players
from pairopt.event.tie_breaks import SCHEDULE
from pairopt.lab import World, compare_models, orderings, per_tournament, tasks
from pairopt.lab.figures import pareto
from pairopt.lab.identity import digest
from pairopt.lab.luck import match_luck, pairing_seed, random_words, uniforms
from pairopt.lab.metrics.rounds import measure_pairing
from pairopt.lab.order import Order, compute_order, kendall, spearman, top_hits
from pairopt.lab.play import play_each_round, play_rounds
from pairopt.lab.strategies import SwissGambit
from pairopt.lab.world import Field, draw_scores
from pairopt.lab.worlds import WORLDS, Chances, Games
from pairopt.lab.worlds.laws import Davidson
from pairopt.problem.build import prepare
from pairopt.problem.model import swap_neighbours
from pairopt.problem.options import Choose

small = st.integers(0, 2**40)


def reference_word(*key: int) -> int:
    """The documented hash in Python's own integers."""
    mask, state = 2**64 - 1, 0
    for part in key:
        state = (state + part + 0x9E3779B97F4A7C15) & mask
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & mask
        state ^= state >> 31
    return state


class TestLuck:
    @pytest.mark.long
    @given(st.lists(small, min_size=1, max_size=6))
    def test_is_the_documented_hash(self, key: list[int]) -> None:
        assert random_words(*key).tolist() == [reference_word(*key)]
        assert random_words(*key[:-1], np.array([key[-1], 7])).tolist() == [
            reference_word(*key),
            reference_word(*key[:-1], 7),
        ]

    def test_first_number_of_splitmix64(self) -> None:
        # the published first output for seed 0
        assert random_words(0).tolist() == [0xE220A8397B1DCDAF]

    def test_numbers_are_uniform_and_unrelated(self) -> None:
        first, second = (uniforms(1, k, np.arange(20_000)) for k in (0, 1))
        assert stats.kstest(first, "uniform").pvalue > 0.001
        assert abs(np.corrcoef(first, second)[0, 1]) < 0.03

    @pytest.mark.long
    @given(small, small, st.integers(1, 30))
    def test_a_match_has_one_luck(self, seed: int, replicate: int, number: int) -> None:
        one, two = np.array([3, 5, 9]), np.array([7, 1, 4])
        luck = match_luck(seed, replicate, number, one, two)
        assert (luck == match_luck(seed, replicate, number, two, one)).all()
        assert ((luck >= 0) & (luck < 1)).all()
        assert 0 <= pairing_seed(seed, replicate, number) < 2**31


worlds = st.builds(
    World,
    players=st.integers(2, 12),
    rounds=st.integers(1, 5),
    spread=st.floats(0, 400),
    shape=st.sampled_from(["normal", "uniform"]),
    rating_error=st.sampled_from([None, 0.0, 100.0]),
    first_side=st.floats(-200, 200),
    draws=st.floats(0, 1),
    drops=st.floats(0, 0.3),
    late=st.floats(0, 0.3),
    win=st.sampled_from([Fraction(3), Fraction(1)]),
    draw=st.sampled_from([Fraction(1), Fraction(1, 2)]),
    sides=st.sampled_from([(), ("corp", "runner"), ("white", "black")]),
)


def uneven(met: Games) -> Chances:
    """A world of one's own, in which replicates differ."""
    return np.full(len(met.one), 0.1 * (met.replicate % 7)), np.full(len(met.one), 0.1)


class TestWorld:
    @pytest.mark.parametrize(
        "half", [0.5, "0.5", "½", "0,5", Decimal("0.5"), np.float64(0.5)]
    )
    def test_points_are_numbers_of_any_type(self, half: Any) -> None:
        expected = World(players=8, win=Fraction(1), draw=Fraction(1, 2))
        world = World(players=8, win=1, draw=half)
        assert world == expected
        assert digest(world) == digest(expected)
        points = simulate("random", world).event.settings.points
        assert points == Points(Fraction(1), Fraction(1, 2))

    def test_chess(self) -> None:
        world = World.chess(players=8, draws=0.4)
        assert (str(world.points), world.sides, world.draws) == (
            "1-0.5-0",
            ("white", "black"),
            0.4,
        )
        assert World.chess(sides=()).sides == ()

    @pytest.mark.parametrize("parameter", [each.name for each in fields(World)])
    def test_an_unfit_value_is_an_error_that_names_the_parameter(
        self, parameter: str
    ) -> None:
        if parameter in ("base", "double_cut"):
            return  # any value says something
        for value in ("eight", 1.5j, object()):
            with pytest.raises(UsageError, match=parameter):
                World(**{parameter: value})

    @pytest.mark.long
    @given(worlds, st.integers(0, 99), st.booleans())
    def test_a_match_is_the_same_from_both_ends(
        self, world: World, seed: int, s: bool
    ) -> None:
        field = Field(world, seed, 3)
        one, two = np.triu_indices(world.players, 1)
        first, second = draw_scores([field], 2, one, two, s)
        chosen = np.arange(len(one)) % 2 == 0  # whatever else is played in the round
        again = draw_scores([field], 2, one[chosen], two[chosen], s)
        assert (first[chosen] == again[0]).all()
        assert (second[chosen] == again[1]).all()
        points = {
            (int(world.win * world.scale), 0),
            (0, int(world.win * world.scale)),
            (int(world.draw * world.scale),) * 2,
        }
        assert set(zip(first.tolist(), second.tolist(), strict=True)) <= points
        if not s:  # without sides it does not matter who is named first
            turned = draw_scores([field], 2, two, one, s)
            assert (turned[0] == second).all()
            assert (turned[1] == first).all()

    @pytest.mark.parametrize(
        "law", ["elo", "bradley_terry", "davidson", "rao_kupper", "uneven"]
    )
    @pytest.mark.parametrize("games", [1, 2])
    def test_fields_together_have_the_results_of_each(
        self, law: str, games: int
    ) -> None:
        results = uneven if law == "uneven" else WORLDS[law]()
        draws = 0.0 if law == "bradley_terry" else 0.2
        world = World(
            players=6,
            results=results,
            games=games,
            draws=draws,
            drift=50,
            first_side=80.0,
        )
        fields, pairs = (
            [Field(world, 3, k) for k in (4, 9, 10)],
            np.array([[0, 5, 2], [3, 1, 4]]),
        )
        both = np.concatenate([pairs + 6 * k for k in range(3)], axis=1)
        together = np.column_stack(draw_scores(fields, 2, *both))
        alone = [np.column_stack(draw_scores([field], 2, *pairs)) for field in fields]
        assert (together == np.concatenate(alone)).all()
        assert len({each.tobytes() for each in alone}) == 3

    @pytest.mark.long
    def test_sides_only_shift_the_odds(self) -> None:
        field = Field(World(players=2, first_side=300.0, spread=0, draws=0.0), 0, 0)
        one, two = np.array([0]), np.array([1])
        home = [int(draw_scores([field], r, one, two)[0][0]) for r in range(1, 400)]
        away = [int(draw_scores([field], r, two, one)[1][0]) for r in range(1, 400)]
        assert all(h >= a for h, a in zip(home, away, strict=True))
        assert np.mean(home) / 3 == pytest.approx(
            1 / (1 + 10 ** (-300 / 400)), abs=0.06
        )
        assert np.mean(away) / 3 == pytest.approx(1 / (1 + 10 ** (300 / 400)), abs=0.06)

    @pytest.mark.long
    def test_the_first_side_has_the_advantage_whoever_it_is(self) -> None:
        world = World(players=40, rounds=7, first_side=400.0, spread=0, draws=0.0)
        event = simulate("random", world, seed=1).event
        rows = event.matches.take(event.matches.side == 0)
        for lower in (rows.first < rows.second, rows.first > rows.second):
            won = (rows.score1 > rows.score2)[lower]
            assert len(won) > 30
            assert won.mean() == pytest.approx(1 / (1 + 10**-1), abs=0.12)

    @pytest.mark.sweep
    @pytest.mark.parametrize(("gap", "draws"), [(0, 0.3), (200, 0.3), (200, 0.0)])
    def test_expected_score_is_elos(self, gap: float, draws: float) -> None:
        world = World(
            players=2, draws=draws, win=Fraction(1), draw=Fraction(1, 2), sides=()
        )
        field = Field(world, 1, 0)
        field.__dict__["strength"] = np.array([1500.0 + gap, 1500.0])
        one, two = np.array([0]), np.array([1])
        found = np.array(
            [draw_scores([field], r, one, two)[0][0] / 2 for r in range(1, 4001)]
        )
        expected = 1 / (1 + 10 ** (-gap / 400))
        assert found.mean() == pytest.approx(expected, abs=0.025)
        assert (found == 0.5).mean() == pytest.approx(
            draws * 2 * (1 - expected), abs=0.025
        )

    def test_its_words_tell_all_that_differs(self) -> None:
        assert World().words == (
            "32 players, 7 rounds, strengths normal with a deviation of 200 Elo, unrated, "
            "0.03 draws between equals, points 3-1-0, sides corp and runner"
        )
        others = [
            {"players": 9},
            {"rounds": 3},
            {"spread": 100.0},
            {"shape": "uniform"},
            {"rating_error": 0.0},
            {"rating_error": 50.0},
            {"first_side": 35.0},
            {"draws": 0.3},
            {"drops": 0.1},
            {"late": 0.1},
            {"win": Fraction(1), "draw": Fraction(1, 2)},
            {"sides": ()},
            {"sides": ("white", "black")},
            {"results": Davidson()},
            {"strengths": (1.0,) * 32},
            {"drift": 20.0},
            {"games": 2},
            {"games": 3},
            {"strategy": SwissGambit(0)},
            {"base": "open-2026"},
            {"level": 1600.0},
            {"drops_by_score": -2.0},
            {"absent": 0.1},
            {"forfeits": 0.1},
            {"acceleration": "baku", "rating_error": 0.0, "draw": Fraction(3, 2)},
            {"cut": 4},
            {"cut": 4, "double_cut": True},
        ]
        assert {name for other in others for name in other} == {
            f.name for f in fields(World)
        }
        told = {replace(World(), **other).words for other in others}
        assert len(told) == len(others)
        assert World().words not in told

    def test_strengths_have_the_distribution_asked_for(self) -> None:
        half = 200 * 3**0.5
        laws = (
            ("normal", stats.norm(1500, 200)),
            ("uniform", stats.uniform(1500 - half, 2 * half)),
        )
        for shape, law in laws:
            field = Field(World(players=5000, shape=shape), 3, 0)  # type: ignore[arg-type]
            assert stats.kstest(field.strength, law.cdf).pvalue > 0.001
        field = Field(World(players=5000, rating_error=50.0), 3, 0)
        assert np.std(field.rating - field.strength) == pytest.approx(50, rel=0.05)

    def test_who_is_there(self) -> None:
        field = Field(World(players=4000, rounds=6, drops=0.1, late=0.2), 0, 0)
        there = np.array([field.active(r) for r in range(1, 8)])
        assert there[0].mean() == pytest.approx(0.8, abs=0.03)
        assert not (there[1:-1] < there[2:]).any()  # nobody comes back
        assert there[2].sum() / there[1].sum() == pytest.approx(0.9, abs=0.02)
        assert not (field.leaves < field.enters).any()

    @pytest.mark.parametrize(
        "wrong",
        [
            {"players": 1},
            {"rounds": 0},
            {"spread": -1.0},
            {"draws": 2.0},
            {"draw": Fraction(4)},
            {"sides": ("a",)},
            {"sides": ("a", "a")},
            {"shape": "flat"},
            {"rating_error": -1.0},
        ],
    )
    def test_what_cannot_be(self, wrong: dict[str, object]) -> None:
        with pytest.raises(UsageError, match="A simulated world needs"):
            World(**wrong)  # type: ignore[arg-type]


class TestTournament:
    @pytest.mark.long
    @settings(max_examples=25, deadline=None)
    @given(worlds, st.integers(0, 99))
    def test_files_are_read_as_the_event_in_memory(
        self, tmp_path_factory: pytest.TempPathFactory, world: World, seed: int
    ) -> None:
        made = simulate("double-sided", world, seed=seed)
        if not len(made.event.matches):
            return
        folder = tmp_path_factory.mktemp("event")
        made.write(folder)
        labels = world.sides or None
        # in some of these worlds a draw is worth a win: 1-1 beside 1-0 is asked about otherwise
        event = read_event(
            folder / "matches.csv",
            folder / "players.csv",
            sides=labels,
            relax=["results"],
        )
        assert event.round == made.event.round
        assert (event.active == made.event.active).all()
        one, two = (
            [
                (s.player, s.points, s.tie_breaks, s.bias)
                for s in rank_players(e, SCHEDULE)
            ]
            for e in (event, made.event)
        )
        assert one == two
        if event.active.sum() >= 2:
            levels = [solve(e, "excalibur").levels for e in (event, made.event)]
            one, two = ((table["value"] / table["scale"]).tolist() for table in levels)
            assert one == two

    def test_same_seed_same_files(self) -> None:
        world = World(players=11, rounds=3, drops=0.1)
        one, two, other = (simulate("standard", world, seed=s) for s in (1, 1, 2))
        assert one.matches.equals(two.matches)
        assert one.players.equals(two.players)
        assert not one.matches.equals(other.matches)

    @pytest.mark.long
    def test_models_meet_the_same_luck(self) -> None:
        seen: dict[tuple[int, str, str], tuple[str, str]] = {}
        both = 0
        for model in ("excalibur", "double-sided", "random"):
            for row in simulate(
                model, World(players=8, rounds=6), seed=4
            ).matches.itertuples():
                key = (row.round, row.player1, row.player2)
                both += key in seen
                assert seen.setdefault(key, (row.score1, row.score2)) == (
                    row.score1,
                    row.score2,
                )
        assert both > 5

    def test_a_round_without_a_pairing_ends_it(self) -> None:
        world = World(players=4, rounds=5)
        made = simulate("random", world)
        assert not made.complete
        assert made.event.round == 4
        frame = compare_models(["random"], world, replicates=1)
        assert frame["status"].tolist() == ["optimal"] * 3 + [
            "infeasible",
            "not played",
        ]
        assert frame["kendall"].notna().tolist() == [True] * 3 + [False] * 2
        assert per_tournament(frame)["kendall"].isna().all()

    def test_engines(self) -> None:
        world = World(players=8, rounds=2)
        looking = load_model("monrad")
        looking = replace(looking, name="l", lookahead=1)
        frame = compare_models(
            ["monrad", looking, "aesops-by-hand"], world, replicates=1, choose="any"
        )
        used = frame.groupby("model", sort=False)["engine"].unique().map(list).to_dict()
        assert used == {
            "monrad": ["auto"],
            "l": ["auto"],
            "aesops-by-hand": ["aesops_by_hand"],
        }
        assert set(frame["status"]) == {"optimal", "heuristic"}


class TestOrder:
    @pytest.mark.long
    @settings(max_examples=200)
    @given(
        st.lists(
            st.tuples(st.integers(0, 5), st.integers(0, 20)), min_size=2, max_size=30
        )
    )
    def test_correlations_are_scipys(self, pairs: list[tuple[int, int]]) -> None:
        x, y = np.array(pairs).T
        if len(set(x.tolist())) < 2 or len(set(y.tolist())) < 2:
            assert np.isnan(kendall(x, y))
            assert np.isnan(spearman(x, y))
            return
        assert kendall(x, y) == pytest.approx(
            stats.kendalltau(x, y).statistic, abs=1e-12
        )
        assert spearman(x, y) == pytest.approx(
            stats.spearmanr(x, y).statistic, abs=1e-12
        )

    @pytest.mark.long
    @settings(max_examples=25, deadline=None)
    @given(worlds, st.integers(0, 99))
    def test_standings_are_those_of_the_command(self, world: World, seed: int) -> None:
        event = simulate("random", world, seed=seed).event
        order = compute_order(event)
        lines = {
            event.index[line.player]: line for line in rank_players(event, SCHEDULE)
        }
        for p, line in lines.items():
            assert Fraction(int(order.points[p]), event.scale) == line.points
            assert Fraction(int(order.sos[p]), order.scale) == line.tie_breaks["sos"]
        place = order.place
        by_place = sorted(lines, key=lambda p: (-place[p], lines[p].rank))
        assert by_place == sorted(
            lines,
            key=lambda p: (
                -lines[p].points,
                -lines[p].tie_breaks["sos"],
                lines[p].rank,
            ),
        )

    @pytest.mark.long
    def test_long_events_stay_exact(self) -> None:
        event = simulate(
            "random", World(players=60, rounds=40, drops=0.03), seed=1
        ).event
        order = compute_order(event)
        for line in rank_players(event):
            sos = Fraction(int(order.sos[event.index[line.player]]), order.scale)
            assert sos == line.tie_breaks["sos"]

    def test_the_spread_is_about_the_mean_of_each_score_group(self) -> None:
        """Two tournaments: in one SoS 1 and 3 with 3 points, 8 with 0; in the other 2, 4, 9."""
        order = Order(
            points=np.array([3, 3, 0, 3, 3, 3]),
            sos=np.array([1, 3, 8, 2, 4, 9]),
            scale=2,
        )
        apart = order.spread(np.ones((2, 3), np.bool_))
        assert apart.tolist() == pytest.approx(
            [(2 / 4 / 3) ** 0.5, (26 / 4 / 3) ** 0.5]
        )
        assert order.spread(
            np.array([[True, False, True], [True, True, False]])
        ).tolist() == [
            0,
            0.5,
        ]

    def test_top_hits(self) -> None:
        strength = np.arange(16.0)
        assert top_hits(np.arange(16), strength) == 1
        assert top_hits(-np.arange(16), strength) == 0
        assert top_hits(np.zeros(16, np.int64), strength) == pytest.approx(2 / 16)
        tied = np.where(np.arange(16) >= 12, 1, 0)  # four share two places
        assert top_hits(tied, strength) == pytest.approx(0.5)

    def test_the_best_eighth_of_nine_are_two(self) -> None:
        """Of 9 players 7 and 8 are the best; 8 and 0 are in front."""
        place = np.array([7, *range(7), 8])
        assert top_hits(place, np.arange(9.0)) == pytest.approx(1 / 2)
        assert top_hits(np.append(place[:7], [8, 7]), np.arange(9.0)) == pytest.approx(
            3 / 4
        )

    def test_equal_strengths_have_no_best(self) -> None:
        assert np.isnan(top_hits(np.arange(16), np.full(16, 1500.0)))
        two = np.where(np.arange(16) >= 14, 1.0, 0.0)
        assert top_hits(np.arange(16), two) == 1
        assert np.isnan(
            top_hits(np.arange(16), np.where(np.arange(16) == 15, 1.0, 0.0))
        )


class TestMetrics:
    @pytest.mark.long
    @settings(max_examples=15, deadline=None)
    @given(
        worlds,
        st.integers(0, 99),
        st.sampled_from(["random", "double-sided", "excalibur"]),
    )
    def test_against_plain_counting(self, world: World, seed: int, model: str) -> None:
        met: set[frozenset[str]] = set()
        sides: dict[str, list[str]] = {}
        event = Field(world, seed, 0).opening
        for made, after in play_each_round(Field(world, seed, 0), load_model(model)):
            if made.arcs is None:
                break
            found = measure_pairing(made.problem.state, made.arcs)
            points = dict(zip(event.players, points_of(event).tolist(), strict=True))
            active = [p for p, a in zip(event.players, event.active, strict=True) if a]
            groups = sorted({points[p] for p in active}, reverse=True)
            played = [r for r in made.matches if r["player2"] is not None]
            pairs = [(str(r["player1"]), str(r["player2"])) for r in played]
            gaps = [
                abs(groups.index(points[a]) - groups.index(points[b])) for a, b in pairs
            ]
            assert found["rematches"] == sum(frozenset(pair) in met for pair in pairs)
            assert found["floats"] == sum(gap > 0 for gap in gaps)
            if gaps:
                assert found["group_distance"] == pytest.approx(np.mean(gaps))
            byes = [str(r["player1"]) for r in made.matches if r["status"] == "bye"]
            if byes:
                assert found["bye_points"] == points[byes[0]] / event.scale
                assert found["bye_groups"] == len(groups) - 1 - groups.index(
                    points[byes[0]]
                )
            for a, b in pairs:
                met.add(frozenset((a, b)))
                sides.setdefault(a, []).append("1")
                sides.setdefault(b, []).append("2")
            if world.sides:
                for k in range(5):
                    here = [sides.get(p, []) for p in active]
                    difference = [abs(h.count("1") - h.count("2")) for h in here]
                    streak = [
                        len("".join(h)) - len("".join(h).rstrip(h[-1])) if h else 0
                        for h in here
                    ]
                    assert found[f"side_difference_{k}"] == sum(
                        min(d, 4) == k for d in difference
                    )
                    assert found[f"side_streak_{k}"] == sum(
                        min(s, 4) == k for s in streak
                    )
            event = after

    def test_broken_rules_are_counted(self) -> None:
        rows = pd.DataFrame(
            [
                (1, "a", "b", "corp", 3, 0),
                (1, "c", "d", "corp", 3, 0),
                (2, "a", "b", "corp", 3, 0),
                (2, "c", "d", "runner", 3, 0),
            ],
            columns=["round", "player1", "player2", "side1", "score1", "score2"],
        ).astype(str)
        problem = prepare(read_event(rows), "excalibur")
        at = problem.state.names.index
        arcs = arcs_of(np.array([at("a"), at("d")]), np.array([at("b"), at("c")]))
        found = measure_pairing(problem.state, arcs)
        assert found["rematches"] == found["broken_no_rematch"] == 2
        assert (
            found["broken_max_side_difference"] == found["broken_max_side_streak"] == 1
        )
        assert found["violations"] == 4
        assert found["side_difference_3"] == 2

    def test_a_bye_after_an_unplayed_win_is_a_violation(self) -> None:
        rows = pd.DataFrame(
            [["1", "a", "b", "2", "0", "forfeit"], ["1", "c", "", "2", "", "bye"]],
            columns=["round", "player1", "player2", "score1", "score2", "status"],
        )
        problem = prepare(read_event(rows), "random", points="2-1-0")
        at = problem.state.names.index
        for player, broken in (("a", 1), ("b", 0), ("c", 1)):  # one bye, one violation
            (left, right) = (at(name) for name in "abc" if name != player)
            arcs = arcs_of(np.array([left, at(player)]), np.array([right, BYE]))
            found = measure_pairing(problem.state, arcs)
            assert found["broken_no_repeat_bye"] == broken
            assert found["violations"] == broken  # a forfeit is no meeting


class TestTogether:
    @pytest.mark.long
    @settings(max_examples=15, deadline=None)
    @given(
        worlds, st.integers(0, 99), st.sampled_from(["random", "excalibur", "cobra"])
    )
    def test_rows_are_those_of_one_after_the_other(
        self, world: World, seed: int, model: str
    ) -> None:
        def rows() -> pd.DataFrame:
            metrics = ("side_points", "strength_gap", "unique_winner", "winner")
            return compare_models(
                [model], world, replicates=6, seed=seed, metrics=metrics
            )

        together = rows()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tasks, "PAIRS", 1)
            pd.testing.assert_frame_equal(rows(), together)

    @pytest.mark.long
    def test_rematches_after_some_have_ended(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        world = World(players=4, rounds=7, drops=0.1)
        together = compare_models(["excalibur"], world, replicates=10)
        assert (together["rematches"] > 0).sum() > 10
        monkeypatch.setattr(tasks, "PAIRS", 1)
        alone = compare_models(["excalibur"], world, replicates=10)
        pd.testing.assert_frame_equal(alone, together)

    def test_each_event_has_its_own_turns(self) -> None:
        fields = [Field(World(players=7, rounds=5, drops=0.05), 1, k) for k in range(4)]
        for each in play_rounds(fields, load_model("random")):
            for event in each.events.values():
                own = player_rounds_of(
                    event.before, len(event.players), event.round - 1
                )
                for name in (
                    "points",
                    "side",
                    "status",
                    "opponent",
                    "bias",
                    "total",
                    "byes",
                ):
                    assert (getattr(event.turns, name) == getattr(own, name)).all()
                assert (np.array(event.turns.streaks) == own.streaks).all()

    @pytest.mark.long
    @pytest.mark.parametrize(
        "model", ["excalibur", "monrad", "fide-dutch", "aesops-by-hand"]
    )
    @pytest.mark.parametrize("choose", ["any", "uniform"])
    def test_each_is_paired_as_alone(self, model: str, choose: Choose) -> None:
        world = World(
            players=9, rounds=4, sides=("white", "black"), rating_error=0.0, drops=0.1
        )
        fields = [Field(world, 1, k) for k in range(5)]
        together = [*play_rounds(fields, load_model(model), choose)]
        for k, field in enumerate(fields):
            alone = [
                made for made, _ in play_each_round(field, load_model(model), choose)
            ]
            assert [each.made[k] for each in together if k in each.made] == alone

    @pytest.mark.long
    def test_each_ends_where_it_has_no_pairing(self) -> None:
        world = World(players=6, rounds=6, drops=0.1)
        frame = compare_models(["random"], world, replicates=10, seed=1)
        last = frame[frame["kendall"].notna()].groupby("replicate")["round"].max()
        assert last.nunique() > 2
        assert frame["status"].value_counts()["not played"] > 5


class TestOrderings:
    def test_all_orders_of_some_criteria(self) -> None:
        model = load_model("excalibur")
        made = orderings(model, ["score_groups", "side_streak", "7"])
        assert len(made) == 6
        assert made[0] is model
        assert len({m.criteria for m in made}) == len({m.name for m in made}) == 6
        for each in made:
            assert sorted(map(repr, each.criteria)) == sorted(map(repr, model.criteria))
            assert each.criteria[:3] == model.criteria[:3]
            assert each.constraints == model.constraints
        assert len(orderings(load_model("double-sided"))) == 6

    def test_the_last_round_is_permuted_too(self) -> None:
        model = load_model("standard")
        assert model.last_round is not None
        rematches, bye, far, streak, groups, two, same = model.criteria
        assert model.last_round.criteria == (
            rematches,
            bye,
            groups,
            far,
            streak,
            two,
            same,
        )
        (own, other) = orderings(model, ["score_groups", "side_streak"])
        assert own is model
        assert other.criteria == (rematches, bye, far, groups, streak, two, same)
        assert other.last_round is not None
        assert other.last_round.criteria == (
            rematches,
            bye,
            streak,
            far,
            groups,
            two,
            same,
        )
        for each in orderings(
            model, ["1", "3", "5"]
        ):  # what the last round changes stays
            first, second, third = (each.criteria[k] for k in (0, 2, 4))
            assert each.last_round is not None
            assert each.last_round.criteria == (
                first,
                bye,
                third,
                second,
                streak,
                two,
                same,
            )
        assert [
            m.last_round and m.last_round.criteria[2:5]
            for m in swap_neighbours(model)[2:4]
        ] == [(groups, streak, far), (streak, far, groups)]

    def test_a_last_round_of_fewer_criteria(self) -> None:
        model = load_model("standard")
        rematches, bye, far, *_ = model.criteria
        last = replace(model, criteria=(far, bye, rematches), last_round=None)
        made = orderings(replace(model, last_round=last), ["1", "2", "4"])
        assert [m.last_round and m.last_round.criteria for m in made] == [
            (far, bye, rematches)
            if m.criteria.index(rematches) < m.criteria.index(bye)
            else (far, rematches, bye)
            for m in made
        ]

    def test_a_sample(self) -> None:
        made = orderings(load_model("excalibur"), sample=9, seed=2)
        assert len({m.name for m in made}) == 9
        assert [m.name for m in made] == [
            m.name for m in orderings(load_model("excalibur"), sample=9, seed=2)
        ]
        assert len(orderings(load_model("double-sided"), sample=99)) == 6

    def test_what_has_no_order(self) -> None:
        weighted = replace(load_model("double-sided"), weights=(Fraction(1),) * 3)
        for model in (weighted, load_model("aesops-by-hand")):
            with pytest.raises(UsageError, match="no order"):
                orderings(model)
        with pytest.raises(UsageError, match="1 rematches"):
            orderings(load_model("excalibur"), ["nosuch"])


@pytest.mark.long
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12)
)
def test_pareto_front(points: list[tuple[int, int]]) -> None:
    front = pareto(np.array(points, float))
    assert front
    for k, (x, y) in enumerate(points):
        beaten = any(a >= x and b >= y and (a, b) != (x, y) for a, b in points)
        assert (k in front) == (not beaten)
