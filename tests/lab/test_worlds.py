"""Worlds, contenders, rankings and metrics that are shipped, against what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from from_code import filled
from places import ROOT

from pairopt import UsageError, simulate
from pairopt.cli import main
from pairopt.errors import InputError
from pairopt.event.event import Event, Matches
from pairopt.lab import World, compare_models
from pairopt.lab import grid as grids
from pairopt.lab.contenders import resolve_contender
from pairopt.lab.contenders.program import ExternalProgram
from pairopt.lab.grid import _simulate_draw_rate, grid, read_strengths, with_draw_rate
from pairopt.lab.metrics.optimum import Optimum
from pairopt.lab.metrics.tournaments import (
    SidePoints,
    StrengthGap,
    UniqueWinner,
    Winner,
)
from pairopt.lab.rankings import Tau, resolve_ranking
from pairopt.lab.rankings.shipped import BradleyTerryFit
from pairopt.lab.world import Field, draw_scores
from pairopt.lab.worlds import Chances, Games, Results
from pairopt.lab.worlds.laws import BradleyTerry, Davidson, Elo, RaoKupper
from pairopt.lab.worlds.matrix import Matrix

LAWS = (Elo(), Davidson(), RaoKupper())


def met(world: World, gap: float) -> Games:
    """One game of p1 against p2, who is `gap` Elo points stronger."""
    field = Field(world, 0, 0)
    field.__dict__["strength"] = np.array([1500.0, 1500.0 + gap])
    return field.met(1, np.array([0]), np.array([1]), np.array([0]))


class TestResults:
    @pytest.mark.parametrize("law", LAWS)
    @pytest.mark.parametrize("draws", [0.0, 0.3])
    def test_equals_draw_so_often_and_the_rest_is_even(
        self, law: Elo, draws: float
    ) -> None:
        win, draw = law(met(World(players=2, draws=draws), 0))
        assert draw[0] == pytest.approx(draws)
        assert win[0] == pytest.approx((1 - draws) / 2)

    @pytest.mark.parametrize("law", LAWS)
    def test_either_end_sees_the_same(self, law: Elo) -> None:
        world = World(players=2, draws=0.3)
        (win, draw), (lost, same) = law(met(world, 150)), law(met(world, -150))
        assert draw == pytest.approx(same)
        assert win + draw + lost == pytest.approx(1)

    def test_published_formulas(self) -> None:
        one, two = 1.0, 10 ** (150 / 400)
        world = World(players=2, draws=0.3)
        nu = 2 * 0.3 / 0.7
        total = one + two + nu * (one * two) ** 0.5
        win, draw = Davidson()(met(world, 150))
        assert (win[0], draw[0]) == pytest.approx(
            (one / total, nu * (one * two) ** 0.5 / total)
        )
        theta = 1.3 / 0.7
        win, draw = RaoKupper()(met(world, 150))
        known = one * two * (theta**2 - 1) / ((one + theta * two) * (theta * one + two))
        assert (win[0], draw[0]) == pytest.approx((one / (one + theta * two), known))
        win, draw = BradleyTerry()(met(World(players=2, draws=0), 150))
        assert (win[0], draw[0]) == pytest.approx((one / (one + two), 0))

    def test_draws_that_cannot_be(self) -> None:
        for law in (BradleyTerry(), Davidson(), RaoKupper()):
            with pytest.raises(UsageError, match="draws"):
                law(met(World(players=2, draws=1.0), 0))

    def test_a_matrix(self, tmp_path: Path) -> None:
        wins = np.array([[0, 0.6, 0.9], [0.2, 0, 0.5], [0.1, 0.5, 0]])
        world = World(players=3, rounds=2, results=wins)
        field = Field(world, 0, 0)
        assert np.argsort(-field.strength).tolist() == [0, 1, 2]
        pairs = field.met(1, np.array([0, 0, 1]), np.array([1, 2, 2]), np.zeros(3, int))
        win, draw = world.results(pairs)
        assert win.tolist() == pytest.approx([0.6, 0.9, 0.5])
        assert draw.tolist() == pytest.approx([0.2, 0, 0])
        path = tmp_path / "wins.csv"
        np.savetxt(path, wins, delimiter=",")
        assert Matrix.of_text(str(path)) == world.results
        path.write_text("a,b\n", encoding="utf-8")
        for wrong in (path, tmp_path / "nowhere.csv"):
            with pytest.raises(InputError):
                Matrix.of_text(str(wrong))
        for bad in (np.ones((2, 2)), np.zeros((2, 3)), -np.ones((2, 2))):
            with pytest.raises(UsageError, match="The matrix must"):
                World(players=2, results=bad)
        with pytest.raises(UsageError, match="is for 3 players"):
            simulate("random", World(players=4, rounds=1, results=wins))


class TestStrengths:
    def test_listed(self, tmp_path: Path) -> None:
        path = tmp_path / "players.csv"
        path.write_text("player,Elo\na,2100\nb,\nc,1900.5\nd,1700\n", encoding="utf-8")
        found = read_strengths(path, "Elo")
        assert found == (2100, 1900.5, 1700)
        fields = [Field(World(players=2, strengths=found), 0, k) for k in range(40)]
        drawn = [tuple(field.strength.tolist()) for field in fields]
        assert all(len({*pair}) == 2 and {*pair} <= {*found} for pair in drawn)
        assert len({*drawn}) == 6
        with pytest.raises(UsageError, match="strengths of at least"):
            World(players=4, strengths=found)
        with pytest.raises(InputError, match="no column 'rating'"):
            read_strengths(path)
        path.write_text("rating\nhigh\n", encoding="utf-8")
        with pytest.raises(InputError, match="row 2, column rating"):
            read_strengths(path)

    def test_a_function(self) -> None:
        field = Field(World(players=5, strengths=lambda luck: 1000 + luck), 0, 0)
        assert ((field.strength >= 1000) & (field.strength < 1001)).all()
        with pytest.raises(UsageError, match="must be 5 finite numbers"):
            _ = Field(World(players=5, strengths=lambda luck: luck[:2]), 0, 0).strength

    def test_form_drifts(self) -> None:
        field = Field(World(players=4000, rounds=5, drift=30.0), 0, 0)
        moved = [np.std(field.form(r) - field.strength) for r in range(1, 6)]
        assert moved[0] == 0
        assert moved[1:] == pytest.approx([30 * k**0.5 for k in range(1, 5)], rel=0.05)
        still = Field(World(players=4000, rounds=5), 0, 0)
        assert (still.strength == field.strength).all()

    @pytest.mark.long
    def test_matches_of_two_games(self) -> None:
        world = World(
            players=8, rounds=4, games=2, first_side=300.0, spread=0, draws=0.0
        )
        made = simulate("double-sided", world)
        found = {*zip(made.matches["score1"], made.matches["score2"], strict=True)}
        assert found <= {(6.0, 0.0), (3.0, 3.0), (0.0, 6.0)}
        field = Field(world, 0, 0)
        one, two = np.array([0]), np.array([1])
        even = [draw_scores([field], r, one, two)[0][0] for r in range(1, 400)]
        p = 1 / (1 + 10 ** (-300 / 400))
        assert np.mean(np.array(even) == 3) == pytest.approx(
            p**2 + (1 - p) ** 2, abs=0.06
        )
        odd = simulate("double-sided", World(players=5, rounds=1, games=2)).matches
        assert odd[odd["player2"].isna()]["score1"].tolist() == [6.0]

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "laws",
        [LAWS[1:2], pytest.param(LAWS, marks=pytest.mark.slow)],
        ids=["one", "all"],
    )
    def test_the_rate_of_draws_is_met(self, laws: Sequence[Results]) -> None:
        for law in laws:
            world = with_draw_rate(World(players=16, rounds=5, results=law), 0.3)
            for model in ("standard", "excalibur"):
                drawn = np.concatenate(
                    [
                        simulate(model, world, seed=5, replicate=k).matches.eval(
                            "score1 == score2"
                        )
                        for k in range(60)
                    ]
                )
                assert drawn.mean() == pytest.approx(0.3, abs=0.03)
        with pytest.raises(UsageError, match="It can have 0 to 0"):
            with_draw_rate(World(players=4, rounds=1), 0.99)
        with pytest.raises(UsageError, match="below 1"):
            with_draw_rate(World(), 1.0)

    @pytest.mark.parametrize("rate", [0.0, 1e-300, 0.0009])
    def test_a_rate_of_almost_no_draws_is_not_searched_for(
        self, rate: float, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tried = list[float]()

        def rate_of(world: World, draws: float, contender: object) -> float:
            tried.append(draws)
            return draws / 2

        monkeypatch.setattr(grids, "_simulate_draw_rate", rate_of)
        assert with_draw_rate(World(), rate).draws == 0
        assert tried == [0]


RATED = [
    "--players",
    "16",
    "--rounds",
    "5",
    "--rating-error",
    "0",
    "--draw-rate",
    "0.3",
]


@pytest.mark.slow
@pytest.mark.long
def test_the_rate_of_draws_is_that_of_the_contenders_own_games(tmp_path: Path) -> None:
    for model in ("monrad", "random"):
        done = CliRunner().invoke(
            main,
            [
                "simulate",
                *RATED,
                "--model",
                model,
                "--replicates",
                "100",
                "-o",
                str(tmp_path / model),
            ],
        )
        assert done.exit_code == 0, done.output
        games = pd.concat(
            [pd.read_csv(path) for path in (tmp_path / model).rglob("matches.csv")]
        )
        assert (games["score1"] == games["score2"]).mean() == pytest.approx(
            0.3, abs=0.025
        )


@pytest.mark.slow
def test_the_rate_of_draws_of_a_study_is_that_of_the_model_compared_with(
    tmp_path: Path,
) -> None:
    """In each world: all play in one world, on equal luck, so that others have their own rate."""
    study = ["study", *RATED, "--models", "random,monrad", "--replicates", "100", "-o"]
    for folder, more, models in (
        ("first", [], ["random"]),
        ("named", ["--baseline", "monrad"], ["monrad"]),
        ("grid", ["--grid", "rounds=3,5"], ["random", "random"]),
    ):
        done = CliRunner().invoke(main, [*study, str(tmp_path / folder), *more])
        assert done.exit_code == 0, done.output
        games = pd.read_parquet(tmp_path / folder / "games.parquet")
        games["world"] = games.get("world_rounds", 5)
        drawn = (games["score1"] == games["score2"]).groupby(
            [games["model"], games["world"]], observed=True
        )
        for model, world in zip(
            models, (5,) if folder != "grid" else (3, 5), strict=True
        ):
            assert drawn.mean()[model, world] == pytest.approx(0.3, abs=0.025)
        assert abs(drawn.mean()["monrad"] - drawn.mean()["random"]).min() > 0.04


def test_a_grid_of_draws_needs_no_rate() -> None:
    done = CliRunner().invoke(
        main,
        [
            "study",
            *RATED,
            "--models",
            "random",
            "--replicates",
            "5",
            "--grid",
            "draws=0,0.3",
        ],
    )
    assert done.exit_code == 2
    assert "--draw-rate: pairopt computes the setting draws" in done.stderr


def test_the_rate_of_draws_gives_the_advantage_to_who_had_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each game is met twice, as it is played and as its draws are counted: the same way round."""
    seen: dict[tuple[int, int, int, int], list[int]] = {}

    def law(met: Games) -> Chances:
        both = zip(met.one.tolist(), met.two.tolist(), met.side.tolist(), strict=True)
        for one, two, side in both:
            seen.setdefault((met.replicate, met.round, one, two), []).append(side)
        return np.full(len(met.one), 0.25), np.full(len(met.one), 0.5)

    monkeypatch.setattr("pairopt.lab.grid.GAMES", 12)
    world = World(players=6, rounds=2, results=law, drops=0.0)
    assert _simulate_draw_rate(world, 0.0) == 0.5
    assert len(seen) == 12
    assert all(played == counted for played, counted in seen.values())
    assert {sides[0] for sides in seen.values()} == {1, -1}


BERGER = {
    4: """
        1-4, 2-3
        4-3, 1-2
        2-4, 3-1
    """,
    8: """
        1-8, 2-7, 3-6, 4-5
        8-5, 6-4, 7-3, 1-2
        2-8, 3-1, 4-7, 5-6
        8-6, 7-5, 1-4, 2-3
        3-8, 4-2, 5-1, 6-7
        8-7, 1-6, 2-5, 3-4
        4-8, 5-3, 6-2, 7-1
    """,
    14: """
        1-14, 2-13, 3-12, 4-11, 5-10, 6-9, 7-8
        14-8, 9-7, 10-6, 11-5, 12-4, 13-3, 1-2
        2-14, 3-1, 4-13, 5-12, 6-11, 7-10, 8-9
        14-9, 10-8, 11-7, 12-6, 13-5, 1-4, 2-3
        3-14, 4-2, 5-1, 6-13, 7-12, 8-11, 9-10
        14-10, 11-9, 12-8, 13-7, 1-6, 2-5, 3-4
        4-14, 5-3, 6-2, 7-1, 8-13, 9-12, 10-11
        14-11, 12-10, 13-9, 1-8, 2-7, 3-6, 4-5
        5-14, 6-4, 7-3, 8-2, 9-1, 10-13, 11-12
        14-12, 13-11, 1-10, 2-9, 3-8, 4-7, 5-6
        6-14, 7-5, 8-4, 9-3, 10-2, 11-1, 12-13
        14-13, 1-12, 2-11, 3-10, 4-9, 5-8, 6-7
        7-14, 8-6, 9-5, 10-4, 11-3, 12-2, 13-1
    """,
}
"""The tables of the FIDE Handbook, C.05, annex 1: a line a round, white first."""


def berger(players: int) -> list[set[tuple[int, ...]]]:
    """The games of each round; with an odd number the highest one is a bye."""
    lines = BERGER[players + players % 2].split("\n")
    rounds = [
        [tuple(map(int, game.split("-"))) for game in line.split(",")]
        for line in lines
        if line.strip()
    ]
    return [{game for game in games if max(game) <= players} for games in rounds]


def games_by_round(event: Event, rounds: int) -> list[set[tuple[int, ...]]]:
    """The games of each round, who has the first side first."""
    games = event.matches.take(event.matches.second >= 0)
    assert (games.side == 0).all()
    return [
        {
            (a + 1, b + 1)
            for a, b, number in zip(
                games.first.tolist(),
                games.second.tolist(),
                games.round.tolist(),
                strict=True,
            )
            if number == here
        }
        for here in range(1, rounds + 1)
    ]


class TestContenders:
    @pytest.mark.parametrize("players", [3, 4, 7, 8, 13, 14])
    def test_round_robins_are_the_berger_tables(self, players: int) -> None:
        table = berger(players)
        made = simulate("round_robin", World(players=players, rounds=len(table)))
        assert games_by_round(made.event, len(table)) == table

    @pytest.mark.parametrize("players", [7, 8])
    def test_a_double_round_robin(self, players: int) -> None:
        """The last two rounds of the first cycle change places, and sides in the second cycle."""
        *front, last, final = berger(players)
        again = [{game[::-1] for game in games} for games in (*front, last, final)]
        made = simulate("round_robin", World(players=players, rounds=14))
        assert games_by_round(made.event, 14) == [*front, final, last, *again]

    @pytest.mark.parametrize("players", range(2, 15))
    def test_a_round_robin_breaks_no_rule_on_sides(self, players: int) -> None:
        single = players - 1 + players % 2
        rounds = [single, *([2 * single] if players > 2 else [])]
        frame = compare_models(
            ["round_robin"], grid(World(players=players), rounds=rounds), replicates=1
        )
        assert not frame["broken_max_side_streak"].any()
        assert not frame["broken_max_side_difference"].any()

    @pytest.mark.parametrize("players", [6, 7])
    def test_everybody_meets_everybody(self, players: int) -> None:
        rounds = players - 1 + players % 2
        made = simulate("round_robin", World(players=players, rounds=rounds))
        games = made.games.take(made.games.second >= 0)
        met = {frozenset(pair) for pair in zip(games.first, games.second, strict=True)}
        assert len(met) == len(games) == players * (players - 1) // 2
        ahead = np.bincount(games.first, minlength=players)
        assert np.ptp(ahead) <= 1

    @pytest.mark.parametrize("players", [2, 5, 8, 11])
    def test_a_knockout_has_one_winner(self, players: int) -> None:
        rounds = (players - 1).bit_length() + 1
        made = simulate(
            "knockout", World(players=players, rounds=rounds, drops=0.0), seed=3
        )
        assert made.complete
        games = made.games.take(made.games.second >= 0)
        assert len(games) == players - 1
        losses = np.zeros(players, int)
        for a, b, x, y in zip(
            games.first, games.second, games.score1, games.score2, strict=True
        ):
            losses[b if x > y else a if y > x else max(a, b)] += 1
        assert sorted(losses) == [0] + [1] * (players - 1)
        assert not (made.games.round == rounds).any()

    def test_seeds_meet_late(self) -> None:
        world = World(players=8, rounds=3, rating_error=0.0, spread=2000, draws=0)
        made = simulate("knockout", world)
        final = made.games.take(made.games.round == 3)
        best = np.argsort(-made.strength)[:2]
        assert {*final.first, *final.second} == {*best}

    def test_the_better_seed_has_the_first_side_in_every_second_round(self) -> None:
        world = World(
            players=4, rounds=2, rating_error=0.0, drops=0.0, spread=2000, draws=0
        )
        made = simulate("knockout", world)
        seed = {
            player: k for k, player in enumerate(np.argsort(-made.strength).tolist(), 1)
        }
        seats = [
            (turn, seed[one], seed[two])
            for turn, one, two in zip(
                made.games.round.tolist(),
                made.games.first.tolist(),
                made.games.second.tolist(),
                strict=True,
            )
        ]
        assert sorted(seats) == [(1, 1, 4), (1, 2, 3), (2, 2, 1)]

    def test_who_leaves_a_knockout_is_out(self) -> None:
        for seed in range(8):
            world = World(players=9, rounds=5, drops=0.3)
            games = simulate("knockout", world, seed=seed).games
            count = np.bincount(games.round, minlength=6)[1:6]
            assert (count <= [8, 4, 2, 1, 0]).all()
            lost = games.first[(games.second >= 0) & (games.score1 < games.score2)]
            assert np.bincount(lost, minlength=9).max() <= 1

    @pytest.mark.long
    def test_the_oracle_ranks_better(self) -> None:
        frame = compare_models(
            ["excalibur", "oracle"], World(players=16, rounds=5), replicates=60
        )
        last = frame[frame["round"] == 5].groupby("model")["kendall"].mean()
        assert last["oracle"] > last["excalibur"]

    def test_the_oracle_needs_strengths(self) -> None:
        bare = Event(("a", "b"), Matches.empty(), 1, np.ones(2, bool))
        with pytest.raises(UsageError, match='column "strength"'):
            resolve_contender("oracle")(bare, 0)

    def test_names(self) -> None:
        with pytest.raises(
            UsageError,
            match=r"no model or pairing method 'nobody'.*pairing methods .*knockout",
        ):
            resolve_contender("nobody")
        with pytest.raises(UsageError, match="takes"):
            resolve_contender("oracle=3")


ECHO = """
import sys
lines = [l for l in open(sys.argv[1]) if l.startswith("001")]
numbers = [int(l[4:8]) for l in lines]
with open(sys.argv[2], "w") as out:
    out.write(f"{len(numbers) // 2}\\n")
    for a, b in zip(numbers[::2], numbers[1::2]):
        out.write(f"{a} {b}\\n")
"""
WHITE = ("white", "black")


class TestPrograms:
    def made(self, folder: Path, code: str) -> ExternalProgram:
        import sys

        script = folder / "peer.py"
        script.write_text(code, encoding="utf-8")
        return ExternalProgram(
            "echo", (sys.executable, str(script), "{trf}", "{pairs}")
        )

    def test_pairs_are_taken_from_it(self, tmp_path: Path) -> None:
        peer = self.made(tmp_path, ECHO)
        made = simulate(peer, World(players=6, rounds=2, sides=WHITE))
        assert made.complete
        met = {
            (int(a), int(b))
            for a, b in zip(made.games.first, made.games.second, strict=True)
        }
        assert met == {(0, 1), (2, 3), (4, 5)}

    def test_another_program_is_another_study(self, tmp_path: Path) -> None:
        peer = self.made(tmp_path, ECHO)
        before = peer.fingerprint()
        assert self.made(tmp_path, ECHO + "#").fingerprint() != before

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            ("raise SystemExit(5)", "exit code 5"),
            ("", "without writing its pairs"),
            (
                "import sys; open(sys.argv[2], 'w').write('1\\n1 99\\n')",
                "paired number 99",
            ),
            (
                "import sys; open(sys.argv[2], 'w').write('x')",
                "wrote a line that is not a pair",
            ),
            ("import sys; open(sys.argv[2], 'w').write('1\\n1 2\\n')", "not paired"),
        ],
    )
    def test_what_is_no_answer(self, tmp_path: Path, code: str, said: str) -> None:
        peer = self.made(tmp_path, code)
        with pytest.raises(UsageError, match=f"pairing method echo.* {said}"):
            simulate(peer, World(players=6, rounds=2, sides=WHITE))

    def test_one_that_is_not_installed(self) -> None:
        with pytest.raises(UsageError, match="needs the program no-such-program-here"):
            simulate(
                ExternalProgram("x", ("no-such-program-here",)),
                World(players=4, rounds=1, sides=WHITE),
            )

    def test_bbp_pairings(self) -> None:
        bbp = resolve_contender("bbp")
        if not bbp.found:
            pytest.skip("bbpPairings is not installed")
        for players, points in (
            (8, (Fraction(3), Fraction(1))),
            (9, (Fraction(1), Fraction(1, 2))),
        ):
            world = World(
                players=players,
                rounds=4,
                rating_error=0.0,
                sides=WHITE,
                win=points[0],
                draw=points[1],
            )
            frame = compare_models([bbp, "fide-dutch"], world, replicates=3)
            assert set(frame["status"]) == {"heuristic", "optimal"}
            one, two = (frame[frame["model"] == name] for name in ("bbp", "fide-dutch"))
            assert one["floats"].tolist() == two["floats"].tolist()


class TestRankings:
    def test_a_ranking_of_points_is_the_standings(self) -> None:
        made = simulate("excalibur", World(players=12, rounds=4))
        assert Tau(resolve_ranking("points"))(made).keys() == {"kendall_points"}
        for name in ("sos", "sos+esos", "buchholz", "bradley_terry", "least_squares"):
            (tau,) = Tau(resolve_ranking(name))(made).values()
            assert -1 <= tau <= 1
        with pytest.raises(UsageError, match="needs ratings"):
            Tau(resolve_ranking("performance"))(made)
        with pytest.raises(UsageError, match="Unknown ranking 'nothing'"):
            resolve_ranking("nothing")

    def test_the_worth_is_the_likeliest(self) -> None:
        """At the maximum each player's expected wins are those that they have."""
        event = simulate("random", World(players=8, rounds=5, draws=0.2), seed=2).event
        worth = np.exp(BradleyTerryFit()(event))
        rows = event.before
        won = (1 + np.sign(rows.score1 - rows.score2)) / 2
        expected = worth[rows.first] / (worth[rows.first] + worth[rows.second])
        for p in range(8):
            one, two = rows.first == p, rows.second == p
            have = won[one].sum() + (1 - won[two]).sum() + 0.5
            due = (
                expected[one].sum()
                + (1 - expected[two]).sum()
                + worth[p] / (worth[p] + 1)
            )
            assert have == pytest.approx(due, abs=1e-6)

    def test_least_squares_of_a_full_round_robin_are_the_points(self) -> None:
        event = simulate(
            "round_robin", World(players=6, rounds=5, draws=0.2), seed=1
        ).event
        found = resolve_ranking("least_squares")(event)
        margin = np.zeros(6)
        rows = event.before
        np.add.at(margin, rows.first, rows.score1 - rows.score2)
        np.add.at(margin, rows.second, rows.score2 - rows.score1)
        assert found == pytest.approx(margin / 6)

    def test_players_alike_share_a_rank(self) -> None:
        made = simulate("round_robin", World(players=4, rounds=1, draws=1.0, spread=0))
        for name in ("bradley_terry", "least_squares"):
            assert np.isnan(Tau(resolve_ranking(name))(made)[f"kendall_{name}"])


class TestMetrics:
    def played(self, strength: list[float], place: list[int]) -> SimpleNamespace:
        return SimpleNamespace(strength=np.array(strength), place=np.array(place))

    def test_the_winner(self) -> None:
        found = Winner()(self.played([9, 8, 7, 6], [1, 3, 2, 0]))
        assert found == {"winner_rank": 2.0, "best_wins": 0.0}
        shared = Winner()(self.played([9, 8, 7, 6], [3, 1, 3, 0]))
        assert shared == {"winner_rank": 2.0, "best_wins": 0.5}
        equal = Winner()(self.played([9, 9, 7, 6], [3, 1, 0, 0]))
        assert equal == {"winner_rank": 1.5, "best_wins": 0.5}

    def test_one_winner(self) -> None:
        made = simulate("knockout", World(players=8, rounds=3, draws=0))
        assert UniqueWinner()(made) == [0, 0, 1]

    def test_rounds_in_which_nobody_is_left_to_play(self) -> None:
        made = simulate("knockout", World(players=4, rounds=4), seed=1)
        assert made.games.round.max() == 2
        assert UniqueWinner()(made) == [0, 1, 1, 1]

    def test_gaps(self) -> None:
        made = simulate("random", World(players=6, rounds=3))
        found = StrengthGap()(made)
        pairs = zip(made.games.first, made.games.second, strict=True)
        gaps = [abs(made.strength[a] - made.strength[b]) for a, b in pairs]
        assert found["strength_gap"] == pytest.approx(np.mean(gaps))
        assert found["strength_gap_by_round"] == pytest.approx(
            [np.mean(gaps[k : k + 3]) for k in (0, 3, 6)]
        )

    def test_points_that_follow_from_sides_and_strength(self) -> None:
        """Also where a game lists the player with the second side first."""
        made = simulate("random", World(players=8, rounds=3))
        games = made.games
        difference = np.bincount(games.first, minlength=8) - np.bincount(
            games.second, minlength=8
        )
        points = 5 + 3 * difference / 2 + 0.01 * made.strength
        played = SimpleNamespace(strength=made.strength, points=points, games=games)
        assert SidePoints()(played) == pytest.approx(3)

        is_turned = np.arange(len(games.first)) % 2 == 1
        played.games = replace(
            games,
            first=np.where(is_turned, games.second, games.first),
            second=np.where(is_turned, games.first, games.second),
            side=is_turned.astype(games.side.dtype),
        )
        assert SidePoints()(played) == pytest.approx(3)

    @pytest.mark.sweep
    def test_what_a_side_is_worth(self) -> None:
        """With equals and no draws a first side more is worth 3 (2 p - 1) points."""
        world = World(players=16, rounds=5, first_side=200.0, spread=0, draws=0)
        found = [
            SidePoints()(simulate("random", world, replicate=k)) for k in range(200)
        ]
        expected = 3 * (2 / (1 + 10 ** (-200 / 400)) - 1)
        assert np.mean([x for x in found if x is not None]) == pytest.approx(
            expected, rel=0.1
        )
        assert (
            SidePoints()(simulate("random", World(players=6, rounds=2, sides=())))
            is None
        )

    def test_the_optimum(self) -> None:
        world = World(players=8, rounds=4)
        own = Optimum.of_text("excalibur")(simulate("excalibur", world))
        assert own == {"optimal": 1.0, "broken": 0, "worse_level_by_round": [0] * 4}
        other = Optimum.of_text("excalibur")(simulate("random", world))
        assert other["optimal"] < 1
        assert max(other["worse_level_by_round"]) > 0
        again = Optimum.of_text("monrad")(simulate(_again, World(players=4, rounds=2)))
        assert again["broken"] == 2


def _again(event: Event, seed: int) -> list[tuple[str, ...]]:
    """Everybody against the same player in every round."""
    return [*zip(event.players[::2], event.players[1::2], strict=True)]


def test_every_shipped_one_says_what_it_is() -> None:
    from pairopt.lab.contenders import CONTENDERS
    from pairopt.lab.metrics import METRICS
    from pairopt.lab.rankings import RANKINGS
    from pairopt.lab.worlds import WORLDS

    page = filled((ROOT / "docs" / "laboratory.md").read_text(encoding="utf-8"))
    for found in (CONTENDERS, METRICS, RANKINGS, WORLDS):
        for name in found:
            assert found[name].__doc__
            assert f"`{name}" in page, name
