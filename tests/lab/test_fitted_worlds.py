"""Worlds fitted to real events, and what else a world has: who is there, acceleration, a cut."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import worlds as benchmark
from click.testing import CliRunner
from places import REAL, ROOT

from pairopt import UsageError, read_event, simulate
from pairopt.cli import main
from pairopt.cli.simulate import build_study_table
from pairopt.errors import InputError
from pairopt.event.event import FORFEIT, PLAYED
from pairopt.lab import World, compare_models
from pairopt.lab.grid import (
    FOLDER,
    build_worlds,
    fitted_worlds,
    grid,
    list_world_cells,
    read_fitted_file,
    world_of,
)
from pairopt.lab.simulating import play_cut
from pairopt.lab.studies.check import check_study
from pairopt.lab.studies.run import run_study
from pairopt.lab.studies.schema import WorldTable
from pairopt.lab.studies.study_file import ADDED, _convert_to_json, read_study
from pairopt.lab.tasks import setting_to_json
from pairopt.lab.world import Field
from pairopt.lab.worlds import Chances, Games
from pairopt.lab.worlds.davidson_by_level import DavidsonByLevel
from pairopt.lab.worlds.laws import Davidson

NAMES = fitted_worlds()
CHESS = {"win": Fraction(1), "draw": Fraction(1, 2), "sides": ("white", "black")}
RESULTS = ROOT / "tests" / "benchmarks" / "results"


def stronger_wins(met: Games) -> Chances:
    """Without luck."""
    return (met.gap < 0).astype(np.float64), np.zeros(len(met.one))


def met(world: World, one: float, two: float) -> Games:
    field = Field(world, 0, 0)
    field.__dict__["strength"] = np.array([one, two])
    return field.met(1, np.array([0]), np.array([1]), np.array([1]))


def test_a_fitted_world_looks_through_no_installed_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only a name that pairopt does not have is searched for among entry points."""

    def refuse(group: str) -> None:
        raise AssertionError(f"entry points of {group} are looked up")

    monkeypatch.setattr("pairopt.registry.entry_points", refuse)
    for name in NAMES:
        table = build_study_table({"world": name}, ["standard"])
        assert table["world"]["base"] == name


class TestDrawsByLevel:
    def test_without_a_slope_it_is_davidsons(self) -> None:
        world = World(players=2, draws=0.3, first_side=30.0)
        for gap in (-300, 0, 120):
            here = met(world, 1700, 1700 + gap)
            assert np.allclose(DavidsonByLevel()(here), Davidson()(here))

    def test_the_formula(self) -> None:
        law = DavidsonByLevel(center=2000, slope=0.1, bend=0.02, low=1500, high=2500)
        win, draw = law(met(World(players=2, draws=0.25, first_side=20.0), 2400, 2250))
        x = (2325 - 2000) / 100
        factor = 2 * 0.25 / 0.75 * np.exp(0.1 * x + 0.02 * x * x)
        one, two = 10 ** ((2400 + 20) / 400), 10 ** (2250 / 400)
        total = one + two + factor * (one * two) ** 0.5
        assert (win[0], draw[0]) == pytest.approx(
            (one / total, factor * (one * two) ** 0.5 / total)
        )

    def test_levels_are_kept_inside_what_was_seen(self) -> None:
        law = DavidsonByLevel(center=2000, slope=0.1, low=1500, high=2500)
        world = World(players=2, draws=0.25)
        found = {
            level: law(met(world, level, level))[1][0]
            for level in (500, 1500, 2500, 2900)
        }
        assert found[500] == pytest.approx(found[1500])
        assert found[2900] == pytest.approx(found[2500])
        assert found[1500] < 0.25 < found[2500]

    def test_draws_that_cannot_be(self) -> None:
        with pytest.raises(UsageError, match="must be below 1"):
            DavidsonByLevel()(met(World(players=2, draws=1.0), 1500, 1500))


class TestNames:
    def test_there_are_opens_of_several_levels_and_one_of_another_game(self) -> None:
        assert {"open-2026", "open-2026-2400", "open-2026-1500", "netrunner-2020"} <= {
            *NAMES
        }

    @pytest.mark.parametrize("name", NAMES)
    def test_each_is_what_its_file_says(self, name: str) -> None:
        file = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
        world = world_of(name)
        for key, value in file["world"].items():
            own = getattr(world, key)
            assert own == (
                Fraction(value)
                if key in ("win", "draw")
                else tuple(value)
                if key == "sides"
                else value
            )
        assert world.base == name
        assert world.words.startswith(f"world {name}, {world.players} players")

    @pytest.mark.parametrize("name", NAMES)
    def test_what_is_shipped_is_what_the_results_say(self, name: str) -> None:
        with (RESULTS / "worlds-fitted.csv").open(encoding="utf-8") as text:
            rows = [row for row in csv.DictReader(text) if row["world"] == name]
        file = read_fitted_file(name)
        shipped = {**file["world"], **file["law"]}
        assert {row["parameter"] for row in rows} == {*file["intervals"]}
        for row in rows:
            value, low, high = (float(row[key]) for key in ("value", "low", "high"))
            assert file["intervals"][row["parameter"]] == [low, high]
            assert low <= value <= high
            assert shipped[row["parameter"]] == pytest.approx(
                value, rel=0.02, abs=0.5 * 10**-4
            )

    def test_what_is_said_besides_overrides(self) -> None:
        world = world_of("open-2026", draws=0.4, players=12)
        assert (world.draws, world.players) == (0.4, 12)
        assert replace(
            world, draws=world_of("open-2026").draws, players=143
        ) == world_of("open-2026")

    def test_what_there_is_not(self) -> None:
        with pytest.raises(
            UsageError,
            match="There is no simulated world 'open-1999'",
        ):
            world_of("open-1999")
        with pytest.raises(UsageError, match=r"fitted\.worlds_of"):
            grid(World(), base=["open-2026"])

    def test_worlds_of_several_names(self) -> None:
        settings = {"base": ["open-2026", "netrunner-2020"], "rounds": [3, 5]}
        worlds = build_worlds({"players": 8}, settings)
        assert [(world.base, world.rounds, world.players) for world in worlds] == [
            ("open-2026", 3, 8),
            ("open-2026", 5, 8),
            ("netrunner-2020", 3, 8),
            ("netrunner-2020", 5, 8),
        ]
        assert list_world_cells(worlds) == [
            (("world_base", world.base), ("world_rounds", world.rounds))
            for world in worlds
        ]
        assert list_world_cells(worlds[::2]) == [
            (("world_base", "open-2026"),),
            (("world_base", "netrunner-2020"),),
        ]

    @pytest.mark.long
    def test_draws_are_more_at_the_top(self) -> None:
        """Of the opens 39 % of games are drawn at 2400, 16 to 20 % below."""
        found = {}
        for name in ("open-2026-2400", "open-2026-1900"):
            world = world_of(name, players=60, rounds=6)
            games = [simulate("monrad", world, replicate=k).games for k in range(3)]
            drawn = [game.score1 == game.score2 for game in games]
            found[name] = np.concatenate(drawn).mean()
        assert found["open-2026-2400"] > found["open-2026-1900"] + 0.1


class TestWhoIsThere:
    def test_absences(self) -> None:
        field = Field(World(players=3000, rounds=4, absent=0.1), 1, 0)
        there = np.array([field.active(k) for k in range(1, 5)])
        assert there.mean() == pytest.approx(0.9, abs=0.01)
        assert (~there[:-1] & there[1:]).any()  # they come back
        assert np.corrcoef(there[0], there[1])[0, 1] == pytest.approx(0, abs=0.06)

    def test_absent_players_have_no_points_and_no_match(self) -> None:
        played = simulate("excalibur", World(players=12, rounds=5, absent=0.3), seed=4)
        for number in range(1, played.event.round):
            seen = played.games.take(played.games.round == number).player_mask(12)
            assert (seen == played.field.active(number)).all()
            assert not seen.all()

    @pytest.mark.long
    def test_forfeits(self) -> None:
        world = World(players=60, rounds=6, forfeits=0.25, **CHESS)  # type: ignore[arg-type]
        played = simulate("monrad", world, seed=1)
        games = played.games.take(played.games.second >= 0)
        lost = games.take(games.status == FORFEIT)
        assert len(lost) / len(games) == pytest.approx(0.25, abs=0.1)
        assert {*zip(lost.score1.tolist(), lost.score2.tolist(), strict=True)} == {
            (2, 0),
            (0, 2),
        }
        plain = simulate("monrad", replace(world, forfeits=0.0), seed=1)
        assert (plain.games.status[plain.games.second >= 0] == PLAYED).all()

    def test_a_forfeit_is_the_same_from_either_end(self) -> None:
        field = Field(World(players=400, forfeits=0.5), 0, 0)
        one, two = np.arange(0, 400, 2), np.arange(1, 400, 2)
        assert (field.forfeited(3, one, two) == -field.forfeited(3, two, one)).all()
        assert {*field.forfeited(3, one, two).tolist()} == {-1, 0, 1}

    @pytest.mark.long
    def test_those_with_few_points_leave(self) -> None:
        world = World(players=300, rounds=3, drops=0.2, drops_by_score=-6.0)
        played = simulate("monrad", world, seed=2)
        gone = ~played.field.active(3, played.games)
        points = np.zeros(300)
        before = played.games.take(played.games.round < 3)
        np.add.at(points, before.first, before.score1)
        np.add.at(
            points, before.second[before.second >= 0], before.score2[before.second >= 0]
        )
        assert gone[points == 0].mean() > 0.8
        assert gone[points == 6].mean() < 0.1
        seen = [
            played.games.take(played.games.round == k).player_mask(300)
            for k in (1, 2, 3)
        ]
        assert not (~seen[1] & seen[2]).any()  # nobody comes back
        assert (seen[2] == ~gone).all()

    def test_the_odds_by_hand(self) -> None:
        played = simulate("monrad", World(players=4, rounds=2, drops=0.1), seed=5)
        field = Field(World(players=4, rounds=2, drops=0.1, drops_by_score=-2.0), 5, 0)
        share = played.points[:, None] / 6
        odds = 0.1 / 0.9 * np.exp(-2 * (share[:, 0] - 0.5))
        assert field._compute_drops(played.games)[1] == pytest.approx(odds / (1 + odds))

    def test_files_of_it_are_read(self, tmp_path: Path) -> None:
        world = world_of(
            "open-2026-1900", players=20, rounds=5, forfeits=0.2, absent=0.2
        )
        played = simulate("monrad", world, seed=3)
        played.write(tmp_path)
        event = read_event(tmp_path / "matches.csv", tmp_path / "players.csv")
        assert (
            (event.matches.status == FORFEIT).sum()
            == (played.games.status == FORFEIT).sum()
            > 0
        )

    @pytest.mark.parametrize(
        "wrong",
        [
            {"absent": 1.5},
            {"forfeits": -0.1},
            {"drops_by_score": 1e6},
            {"level": 1e9},
            {"cut": 1},
            {"cut": 129},
            {"acceleration": "fast"},
            {"acceleration": "baku", **CHESS},
            {"acceleration": "baku", "rating_error": 0.0},
        ],
    )
    def test_what_cannot_be(self, wrong: dict[str, object]) -> None:
        with pytest.raises(UsageError, match="A simulated world needs"):
            World(**wrong)  # type: ignore[arg-type]


class TestAcceleration:
    def test_the_first_half_has_the_points_of_the_handbook(self) -> None:
        """FIDE C.04.7: of 10 players 6, in the first 3 of 5 rounds: 1, 1 and a half."""
        world = World(
            players=10, rounds=5, rating_error=0.0, acceleration="baku", **CHESS
        )  # type: ignore[arg-type]
        event = Field(world, 0, 0).opening
        first = event.start_numbers <= 6
        assert (event.acceleration[first] == [2, 2, 1]).all()
        assert not event.acceleration[~first].any()

    @pytest.mark.long
    def test_fides_system_reckons_with_it(self) -> None:
        plain = World(players=16, rounds=4, rating_error=0.0, draws=0.0, **CHESS)  # type: ignore[arg-type]
        games = [
            simulate("fide-dutch", world, seed=1).games
            for world in (plain, replace(plain, acceleration="baku"))
        ]
        second = [game.take(game.round == 2) for game in games]
        assert [*second[0].first, *second[0].second] != [
            *second[1].first,
            *second[1].second,
        ]


class TestCut:
    WORLD = World(players=20, rounds=3, cut=8, results=stronger_wins, sides=())

    @pytest.mark.long
    @pytest.mark.parametrize("double", [False, True])
    def test_without_luck_the_strongest_of_the_cut_wins(self, double: bool) -> None:
        for seed in range(5):
            played = simulate(
                "random", replace(self.WORLD, double_cut=double), seed=seed
            )
            inside = np.argsort(played.place)[-8:]
            assert played.place.argmax() == inside[played.strength[inside].argmax()]

    def test_who_is_in_it_and_who_is_equal(self) -> None:
        played = simulate("random", self.WORLD, seed=3)
        swiss = simulate("random", replace(self.WORLD, cut=0), seed=3).place
        inside = played.place > swiss.max()
        assert inside.sum() == 8
        assert swiss[inside].min() >= np.sort(swiss)[-8]
        assert (played.place[~inside] == swiss[~inside]).all()
        _, counts = np.unique(played.place[inside], return_counts=True)
        assert counts.tolist() == [4, 2, 1, 1]

    def test_a_double_one_by_hand(self) -> None:
        """Of four without luck: the second loses twice to the first, the third to the second."""
        field = Field(replace(self.WORLD, players=4, cut=4, double_cut=True), 0, 0)
        strength = field.__dict__["strength"] = np.array([4.0, 3.0, 2.0, 1.0]) * 1000
        event = replace(field.opening, round=4)
        assert np.argsort(-play_cut(field, event, strength.argsort())).tolist() == [
            0,
            1,
            2,
            3,
        ]

    @pytest.mark.long
    def test_a_match_has_its_chances(self) -> None:
        """The winner of two, one 100 Elo stronger, with a third of games drawn."""
        world = World(
            players=2, rounds=1, cut=2, draws=0.3, results=Davidson(), sides=()
        )
        field = Field(world, 0, 0)
        field.__dict__["strength"] = np.array([1600.0, 1500.0])
        win, draw = Davidson()(met(replace(world, sides=()), 1600, 1500))
        event, none = replace(field.opening, round=2), np.zeros(2, np.int64)
        won = []
        for k in range(1500):
            again = Field(world, 0, k)
            again.__dict__["strength"] = field.strength
            won.append(bool(play_cut(again, event, none).argmax() == 0))
        assert np.mean(won) == pytest.approx(win[0] + draw[0] / 2, abs=0.04)

    def test_who_has_left_is_not_in_it(self) -> None:
        world = replace(self.WORLD, drops=0.4)
        played = simulate("random", world, seed=1)
        gone = ~played.field.there(played.event.round, played.games)
        assert gone.sum() > 10
        swiss = simulate("random", replace(world, cut=0), seed=1).place
        assert (played.place[gone] == swiss[gone]).all()

    @pytest.mark.long
    def test_the_winner_is_that_of_the_cut(self) -> None:
        frame = compare_models(["random"], self.WORLD, replicates=4, metrics=["winner"])
        found = frame.dropna(subset=["winner_rank"])["winner_rank"].tolist()
        for k, rank in enumerate(found):
            played = simulate("random", self.WORLD, replicate=k)
            strength = played.strength[played.place.argmax()]
            assert rank == 1 + (played.strength > strength).sum()

    def test_players_have_a_place(self, tmp_path: Path) -> None:
        played = simulate("random", self.WORLD, seed=3)
        played.write(tmp_path)
        players = pd.read_csv(tmp_path / "players.csv")
        assert players["place"].min() == 1
        assert (players["place"] == 1).to_numpy().nonzero()[0].tolist() == [
            played.place.argmax()
        ]


STUDY = """models = ["monrad", "random"]
replicates = 3
metrics = ["winner"]

[world]
players = 8
rounds = 3
absent = 0.1
cut = 4

[grid]
base = ["open-2026-1500", "netrunner-2020"]

[[hypotheses]]
model = "random"
metric = "kendall"
claim = "less"

[[exploratory]]
model = "random"
metric = "best_wins"
claim = "different"
where = { base = "netrunner-2020" }
"""


class TestStudies:
    def test_a_sentence_for_each_world(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(STUDY, encoding="utf-8")
        design = read_study(path)
        assert [world.players for world in design.worlds] == [8, 8]
        assert [design.where(k) for k in (0, 1)] == [
            "base open-2026-1500",
            "base netrunner-2020",
        ]
        assert [each.world for each in design.asked] == [0, 1, 1]
        assert {"open-2026-1500", "netrunner-2020"} <= {*design.digests}

    @pytest.mark.slow
    def test_its_folder(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(STUDY, encoding="utf-8")
        design = read_study(path)
        for jobs, folder in ((1, "a"), (2, "b")):
            run_study(design, tmp_path / folder, jobs=jobs)
        files = [
            {p.name: p.read_bytes() for p in (tmp_path / f).iterdir() if p.is_file()}
            for f in ("a", "b")
        ]
        assert files[0] == files[1]
        text = files[0]["sentences.md"].decode()
        assert (
            text.count("base open-2026-1500") == 2
        )  # a hypothesis, and what was played
        checked = check_study(tmp_path / "a", sample=2)
        assert not checked.faults

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (
                'base = ["nosuch"]',
                r"grid\.base\[0\]: There is no simulated world 'nosuch'\. The fitted worlds",
            ),
            ("base = [3]", r"grid\.base\[0\]: "),
            ('acceleration = ["fast"]', r"grid\.acceleration"),
            (
                'base = ["open-2026"]\ncut = [1]',
                "world: A simulated world needs cut 0, or from 2",
            ),
            (
                "absent = [2]",
                r"grid\.absent\[0\]: input should be less than or equal to 1",
            ),
        ],
    )
    def test_what_is_refused(self, tmp_path: Path, change: str, said: str) -> None:
        path = tmp_path / "study.toml"
        text = STUDY.partition("[[exploratory]]")[0]
        line = 'base = ["open-2026-1500", "netrunner-2020"]'
        path.write_text(text.replace(line, change), encoding="utf-8")
        with pytest.raises(InputError, match=said):
            read_study(path)

    def test_settings_at_their_default_leave_digests_as_they_were(self) -> None:
        """Of studies that were played before a world had them."""
        assert {*_convert_to_json(WorldTable(players=8))} == {
            *WorldTable.model_fields
        } - ADDED
        assert not {"base", "absent", "cut"} & {*setting_to_json(World())}
        assert {"base", "absent"} <= {*setting_to_json(world_of("open-2026"))}


class TestCommands:
    def run(self, *words: str) -> SimpleNamespace:
        done = CliRunner().invoke(main, [*words])
        return SimpleNamespace(code=done.exit_code, said=done.output)

    @pytest.mark.long
    def test_simulate(self, tmp_path: Path) -> None:
        words = (
            "simulate",
            "--world",
            "open-2026-2400",
            "--rounds",
            "2",
            "--model",
            "monrad",
        )
        done = self.run(*words, "-o", str(tmp_path / "a"))
        assert done.code == 0, done.said
        players = pd.read_csv(tmp_path / "a" / "players.csv")
        assert len(players) == 169  # as many as that open has, unless said otherwise
        assert players["rating"].mean() == pytest.approx(2425, abs=30)
        done = self.run(
            *words, "--players", "9", "--unrated", "--cut", "2", "-o", str(tmp_path)
        )
        assert done.code == 0, done.said
        players = pd.read_csv(tmp_path / "players.csv")
        assert [*players.columns] == ["player", "strength", "active", "place"]
        assert len(players) == 9

    @pytest.mark.long
    def test_study(self) -> None:
        done = self.run(
            "study",
            "--players",
            "8",
            "--rounds",
            "2",
            "--models",
            "monrad,random",
            "--replicates",
            "3",
            "--grid",
            "base=open-2026-1500,netrunner-2020",
            "--draws",
            "0.2",
        )
        assert done.code == 0, done.said
        for name in ("open-2026-1500", "netrunner-2020"):
            assert f"world {name}, 8 players, 2 rounds" in done.said
        assert done.said.count("0.2 draws between equals") == 2

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (
                ("--world", "open-1999"),
                "There is no simulated world 'open-1999'. The fitted worlds are: netrunner-2020, open-2026,",
            ),
            (
                ("--world", "netrunner-2020", "--sides", "none", "--first-side", "3"),
                "of no use",
            ),
            (
                ("--world", "netrunner-2020", "--acceleration", "baku"),
                "baku with ratings",
            ),
        ],
    )
    def test_what_is_refused(
        self, tmp_path: Path, words: tuple[str, ...], said: str
    ) -> None:
        done = self.run("simulate", "-o", str(tmp_path / "x"), *words)
        assert done.code == 2
        assert said in done.said

    @pytest.mark.long
    def test_a_model_that_knows_no_virtual_points(self, tmp_path: Path) -> None:
        words = (
            "simulate",
            "--world",
            "open-2026",
            "--players",
            "8",
            "--rounds",
            "2",
            "--acceleration",
            "baku",
            "-o",
        )
        assert (
            "monrad knows no virtual points"
            in self.run(*words, str(tmp_path / "a"), "--model", "monrad").said
        )
        assert (
            "note"
            not in self.run(*words, str(tmp_path / "b"), "--model", "fide-dutch").said
        )


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return pd.read_csv(RESULTS / "worlds.csv")


class TestFit:
    def test_most_of_what_is_held_out_is_inside(self, rows: pd.DataFrame) -> None:
        games = rows[rows["by"] != "presence"]
        assert (
            games["inside"] == games["real"].between(games["low"], games["high"])
        ).all()
        assert games["inside"].mean() > 0.94

    @pytest.mark.slow
    @pytest.mark.skipif(not (REAL / "trf").is_dir(), reason="real events are not there")
    def test_the_opens_again(self, rows: pd.DataFrame) -> None:
        """Counts from the files, and that no other parameters are likelier."""
        events = benchmark.opens(REAL)
        games = benchmark.games_of_opens([*events.values()])
        fitted = benchmark.halves(len(games))
        world = read_fitted_file("open-2026")
        assert world["source"]["games"] == len(games)
        assert rows.loc[rows["by"] == "gap", "number"].sum() > 0
        held = games.take(~fitted)
        place = benchmark.place_in(np.abs(held.gap), benchmark.GAPS)
        mine = rows[(rows["world"] == "open-2026") & (rows["by"] == "gap")]
        for k, name in enumerate(benchmark.bin_names(benchmark.GAPS)):
            here = mine[mine["bin"] == name].set_index("what")
            assert here["number"].unique().tolist() == [(place == k).sum()]
            drawn = (held.result[place == k] == 1).sum()
            assert here.loc["draws", "real"] == drawn
        best = likelihood(games.take(fitted))
        law = benchmark.Law(
            world["world"]["first_side"],
            np.log(2 * 0.1721 / 0.8279),
            world["law"]["slope"],
            world["law"]["bend"],
        )
        for name, step in (
            ("first_side", 6.0),
            ("factor", 0.06),
            ("slope", 0.01),
            ("bend", 0.005),
        ):
            for sign in (1, -1):
                moved = replace(law, **{name: getattr(law, name) + sign * step})
                assert best(law) > best(moved), name

    @pytest.mark.skipif(
        not (REAL / "nrtm").is_dir(), reason="real events are not there"
    )
    def test_netrunner_again(self, rows: pd.DataFrame) -> None:
        games, counts = benchmark.games_of_nrtm(REAL)
        source = read_fitted_file("netrunner-2020")["source"]
        assert source["games"] == len(games) == 2 * counts["matches"]
        assert (source["drawn_games"], source["split_without_games"]) == (7, 21)
        held = games.take(games.round > benchmark.FITTED_ROUNDS)
        mine = rows[(rows["world"] == "netrunner-2020") & (rows["by"] == "event")]
        won = np.bincount(held.event[held.first], held.result == 0)
        assert mine["real"].tolist() == won.tolist()


def likelihood(games: benchmark.Games) -> Callable[[benchmark.Law], float]:
    prior = benchmark.prior_of_ratings(games, 0)
    return lambda law: benchmark.marginal(law, games, prior)[0]
