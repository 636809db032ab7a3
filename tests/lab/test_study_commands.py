"""simulate, compare and plot as their users see them."""

from __future__ import annotations

import re
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from matplotlib.figure import Figure
from rounds_alike import require_alike

from pairopt import UsageError, load_model, read_event
from pairopt.cli import main
from pairopt.cli.study import _list_width_lines
from pairopt.lab import (
    World,
    compare_models,
    designs,
    figures,
    means,
    orderings,
    simulate,
)
from pairopt.lab.grid import grid
from pairopt.lab.statistics.estimate import estimate
from pairopt.lab.studies.run import read_rounds
from pairopt.lab.table import STUDY_COLUMNS


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


SMALL = ("--players", 9, "--rounds", 3)


class TestSimulate:
    @pytest.mark.long
    def test_writes_what_the_library_makes(self, tmp_path: Path) -> None:
        options = ("--drops", 0.1, "--points", "1,0.5", "--sides", "white,black")
        done = run("simulate", *SMALL, *options, "--seed", 5, "-o", tmp_path / "a")
        assert done.exit_code == 0, done.output
        world = World(
            players=9,
            rounds=3,
            drops=0.1,
            win=Fraction(1),
            draw=Fraction(1, 2),
            sides=("white", "black"),
        )
        simulate("standard", world, seed=5).write(tmp_path / "b")
        for name in ("matches.csv", "players.csv"):
            assert (tmp_path / "a" / name).read_bytes() == (
                tmp_path / "b" / name
            ).read_bytes()
        assert "rating" not in pd.read_csv(tmp_path / "a" / "players.csv")
        solved = run(
            "solve", tmp_path / "a/matches.csv", "--players", tmp_path / "a/players.csv"
        )
        assert solved.exit_code == 0
        assert "Round 4" in solved.stdout

    @pytest.mark.parametrize(
        ("options", "error"),
        [
            ([], None),
            (["--unrated"], None),
            (["--rating-error", 0], 0.0),
            (["--rating-error", 50], 50.0),
        ],
    )
    def test_nobody_is_rated_unless_asked(
        self, tmp_path: Path, options: list[object], error: float | None
    ) -> None:
        assert World().rating_error is None
        run("simulate", *SMALL, *options, "-o", tmp_path)
        stored = pd.read_csv(tmp_path / "players.csv")
        assert ("rating" in stored) == (error is not None)
        if error is not None:
            near = (stored["rating"] - stored["strength"]).abs().max()
            assert near <= 0.51 if error == 0 else near > 1

    @pytest.mark.long
    def test_several_tournaments(self, tmp_path: Path) -> None:
        assert run("simulate", *SMALL, "--replicates", 3, "-o", tmp_path).exit_code == 0
        texts = {
            (tmp_path / str(k) / "matches.csv").read_text("utf-8") for k in (1, 2, 3)
        }
        assert len(texts) == 3
        assert (
            read_event(tmp_path / "2/matches.csv", tmp_path / "2/players.csv").round
            == 4
        )

    def test_a_tournament_that_cannot_go_on(self, tmp_path: Path) -> None:
        done = run(
            "simulate",
            "--model",
            "random",
            "--players",
            4,
            "--rounds",
            5,
            "-o",
            tmp_path,
        )
        assert done.exit_code == 1
        assert "no pairing of round 4" in done.stderr
        assert (tmp_path / "matches.csv").exists()

    @pytest.mark.parametrize(
        "arguments",
        [
            ["--points", "3"],
            ["--points", "1,2"],
            ["--sides", "a"],
            ["--model", "nosuch"],
            ["--draws", "2"],
            ["--players", "1"],
        ],
    )
    def test_usage_errors(self, tmp_path: Path, arguments: list[str]) -> None:
        done = run("simulate", *arguments, "-o", tmp_path / "x")
        assert done.exit_code == 2
        assert "Traceback" not in done.output


class TestStudy:
    @pytest.mark.long
    @pytest.mark.usefixtures("sketched")
    def test_prints_intervals_and_writes_every_round(self, tmp_path: Path) -> None:
        output = tmp_path / "results"
        done = run(
            "study",
            "--models",
            "excalibur,random",
            *SMALL,
            "--replicates",
            4,
            "--seed",
            1,
            "-o",
            output,
        )
        assert done.exit_code == 0, done.output
        assert "Paired differences to excalibur" in done.stdout
        assert "95 % interval" in done.stdout
        frame = read_rounds(output)
        assert len(frame) == 2 * 4 * 3
        again = compare_models(
            ["excalibur", "random"],
            World(players=9, rounds=3),
            replicates=4,
            seed=1,
            levels=True,
        )
        assert tuple(again) == STUDY_COLUMNS
        require_alike(frame, again)

    @pytest.mark.long
    def test_orders_of_criteria(self) -> None:
        done = run(
            "study",
            "--models",
            "double-sided,random",
            *SMALL,
            "--replicates",
            2,
            "--permute",
            "--sample",
            3,
            "--baseline",
            "random",
        )
        assert done.exit_code == 0, done.output
        assert "Paired differences to random" in done.stdout
        orders = [
            line for line in done.stderr.splitlines() if not line.startswith("note: ")
        ]
        assert len(orders) == 2  # the two orders that are not the model's own
        named = run(
            "study",
            "--models",
            "excalibur",
            *SMALL,
            "--replicates",
            1,
            "--permute",
            "score_groups,same_side",
        )
        assert "excalibur/1-2-3-4-7-6-5: rematches" in named.stderr

    @pytest.mark.long
    @pytest.mark.usefixtures("sketched")
    @pytest.mark.parametrize("command", ["simulate", "study"])
    def test_models_for_two_games_are_named(self, tmp_path: Path, command: str) -> None:
        option = "--models" if command == "study" else "--model"
        for model, noted in (("double-sided", True), ("standard", False)):
            done = run(
                command,
                option,
                model,
                *SMALL,
                "--replicates",
                1,
                "-o",
                tmp_path / model,
            )
            assert done.exit_code == 0, done.output
            said = "note: double-sided is for matches of 2 games where there are no sides; here every"
            assert (said in done.stderr) == noted

    @pytest.mark.long
    def test_the_world_is_said_first(self) -> None:
        done = run(
            "study", "--models", "random", *SMALL, "--replicates", 2, "--draws", 0.25
        )
        world = World(players=9, rounds=3, draws=0.25)
        assert done.stdout.startswith(f"{world.words}, seed 0\n")
        assert "unrated" in done.stdout

    @pytest.mark.long
    def test_tournaments_that_end_early_are_named(self) -> None:
        done = run(
            "study",
            "--models",
            "excalibur,random",
            "--players",
            4,
            "--rounds",
            4,
            "--replicates",
            3,
        )
        said = "random: 3 of 3 tournaments left out, because a round had no pairing: 0, 1, 2"
        assert said in done.stdout
        assert "excalibur: " not in done.stdout

    @pytest.mark.long
    def test_equal_designs_are_one_and_named(self) -> None:
        own, other = "excalibur/1-2-3-5-6-4-7", "excalibur/1-2-3-5-4-6-7"
        done = run(
            "study",
            "--models",
            "excalibur",
            "--players",
            16,
            "--rounds",
            4,
            "--replicates",
            8,
            "--permute",
            "4,5,6",
            "--baseline",
            own,
        )
        said = re.search(
            r"^6 models are only \d designs\. .*\n((  \S.*\n)+)\n",
            done.stdout,
            re.MULTILINE,
        )
        assert said is not None
        assert (
            f"  {own} = excalibur = {other}\n" in said[1]
        )  # what is compared with stands for all
        assert f"Paired differences to {own}\n" in done.stdout
        assert f"{own}   kendall" in done.stdout
        assert f"{other}   kendall" not in done.stdout

    @pytest.mark.long
    def test_differences_that_are_too_few_are_starred(self) -> None:
        models = ["--models", "excalibur,standard", "--players", 8, "--rounds", 3]
        done = run("study", *models, "--replicates", 20, "--choose", "any")
        assert "*: fewer than 6 vary. These are too few for a conclusion" in done.stdout
        (line,) = [
            x for x in done.stdout.splitlines() if "rematches" in x and "+0" in x
        ]
        assert re.search(r"-\d\S+ to \d\S+\* +20 +0 +1\.000$", line)

    @pytest.mark.long
    def test_equivalence_is_tested(self) -> None:
        done = run(
            "study",
            "--models",
            "excalibur,monrad,random",
            *SMALL,
            "--replicates",
            20,
            "--margin",
            "kendall:0.9",
            "--margin",
            "floats:0.001",
        )
        for model in ("monrad", "random"):
            said = f"{model} differs from excalibur in Kendall's tau by less than 0.9: difference "
            assert re.search(
                rf"^{re.escape(said)}.*: not shown\. Negative control random: .*; a margin above "
                "a third is not accepted$",
                done.stdout,
                re.MULTILINE,
            )
            said = f"{model} differs from excalibur in floats by less than 0.001: difference "
            assert re.search(
                rf"^{re.escape(said)}.*: not shown\. Negative control random: .* of this "
                "difference$",
                done.stdout,
                re.MULTILINE,
            )

    @pytest.mark.long
    def test_what_has_no_values_is_not_tested(self, tmp_path: Path) -> None:
        run("simulate", *SMALL, "--model", "aesops", "-o", tmp_path / "event")
        done = run(
            "study",
            tmp_path / "event",
            "--models",
            "excalibur",
            "--margin",
            "kendall:1",
        )
        assert "no tournament was paired to the end by both: not shown\n" in done.stdout
        alone = run("study", *SMALL, "--models", "excalibur", "--margin", "kendall:1")
        assert alone.exit_code == 2
        assert "expected two models or more" in alone.stderr

    @pytest.mark.long
    def test_plays_until_intervals_are_as_narrow_as_asked(self) -> None:
        done = run(
            "study",
            "--models",
            "monrad,random",
            "--players",
            8,
            "--rounds",
            2,
            "--replicates",
            20,
            "--precision",
            "kendall:0.14",
        )
        said = re.search(
            r"^kendall: half-width (\S+) after (\d+) tournaments", done.stdout, re.M
        )
        assert said is not None
        assert float(said[1]) <= 0.14
        assert int(said[2]) > 20
        (line,) = [
            x for x in done.stdout.splitlines() if re.match(r"random +kendall +[+-]", x)
        ]
        assert f" {said[2]} " in line
        done = run(
            "study",
            "--models",
            "monrad,random",
            "--players",
            8,
            "--rounds",
            2,
            "--replicates",
            20,
            "--precision",
            "kendall:0.01",
            "--most",
            30,
        )
        assert (
            "after 30 tournaments per model (target 0.01, not reached)" in done.stdout
        )

    @pytest.mark.long
    @pytest.mark.parametrize(
        ("wanted", "missed"), [(0.25, ""), (0.24, ", not reached")]
    )
    def test_a_width_that_is_not_reached_is_said(
        self, wanted: float, missed: str
    ) -> None:
        """Differences of 0.1, 0.2 and 0.3 have a half-width of 4.3027 * 0.0577."""
        frame = compare_models(
            ["monrad", "random"], World(players=4, rounds=1), replicates=3
        )
        frame = frame.sort_values(["model", "replicate"])
        frame = frame.assign(kendall=[0.2, 0.3, 0.4, 0.3, 0.5, 0.7])
        assert [*_list_width_lines(frame, None, {"kendall": wanted})] == [
            f"kendall: half-width 0.2484 after 3 tournaments per model (target {wanted}"
            f"{missed})"
        ]

    @pytest.mark.long
    def test_bounds_of_metrics_that_are_measured_besides(self) -> None:
        bounds = {
            "best_wins": "0.5",
            "strength_gap": 40,
            "kendall_wins": "0.4",
            "longest": 3,
        }
        asked = [
            text
            for option in ("--margin", "--precision")
            for name, bound in bounds.items()
            for text in (option, f"{name}:{bound}")
        ]
        own = f"{Path(__file__).with_name('own_metric.py')}:longest"
        done = run(
            "study",
            "--models",
            "monrad,random",
            *SMALL,
            "--replicates",
            20,
            "--metrics",
            "winner,strength_gap,longest",
            "--rankings",
            "wins",
            "--plugin",
            own,
            "--most",
            50,
            *asked,
        )
        assert done.exit_code == 0, done.output
        for name in bounds:
            assert f"{name}: half-width " in done.stdout
            assert re.search(
                rf"^random differs .*{name}|p. by less than", done.stdout, re.MULTILINE
            )
        unasked = run(
            "study", "--models", "monrad,random", *SMALL, "--margin", "best_wins:0.5"
        )
        assert unasked.exit_code == 2
        assert "--margin metric: Found 'best_wins'. Choose one of: kendall" in (
            unasked.stderr
        )

    @pytest.mark.parametrize("option", ["--margin", "--precision"])
    @pytest.mark.parametrize(
        "text", ["kendall", "kendall:0", "kendall:x", "nosuch:1", "kendall:nan"]
    )
    def test_bounds_that_cannot_be(self, option: str, text: str) -> None:
        done = run("study", "--models", "random,monrad", *SMALL, option, text)
        assert done.exit_code == 2
        said = "(: There is no metric| metric: Found 'nosuch'| (kendall|margin): )"
        assert re.search(f"{option}{said}", done.stderr)

    @pytest.mark.sweep
    @pytest.mark.usefixtures("sketched")
    def test_a_lot_among_the_optimal_pairings(self, tmp_path: Path) -> None:
        for choose in ("any", "uniform"):
            folder = tmp_path / choose
            assert (
                run("simulate", *SMALL, "--choose", choose, "-o", folder).exit_code == 0
            )
            done = run(
                "study",
                "--models",
                "standard",
                *SMALL,
                "--replicates",
                1,
                "--choose",
                choose,
                "-o",
                tmp_path / f"{choose}-study",
            )
            assert done.exit_code == 0, done.output
            event = read_event(folder / "matches.csv", folder / "players.csv")
            drawn = simulate(
                "standard", World(players=9, rounds=3), choose=choose
            ).event
            assert event.matches.first.tolist() == drawn.matches.first.tolist()
        one, other = (tmp_path / name / "matches.csv" for name in ("any", "uniform"))
        assert one.read_bytes() != other.read_bytes()
        rounds = [
            read_rounds(tmp_path / f"{name}-study") for name in ("any", "uniform")
        ]
        assert (
            rounds[0]["floats"].iloc[0] == rounds[1]["floats"].iloc[0]
        )  # the first: as good
        again = run(
            "study", tmp_path / "any", "--models", "standard", "--choose", "uniform"
        )
        assert again.exit_code == 0, again.output
        refused = run(
            "study", "--models", "aesops-by-hand", *SMALL, "--choose", "uniform"
        )
        assert refused.exit_code == 0  # a procedure has a lot of its own

    @pytest.mark.long
    @pytest.mark.usefixtures("sketched")
    def test_a_folder_of_events(self, tmp_path: Path) -> None:
        run(
            "simulate",
            *SMALL,
            "--model",
            "aesops",
            "--replicates",
            2,
            "-o",
            tmp_path / "events",
        )
        done = run("study", tmp_path / "events", "--models", "excalibur")
        assert done.exit_code == 0, done.output
        assert "Paired differences to played" in done.stdout
        turned = run(
            "study",
            tmp_path / "events",
            "--models",
            "excalibur,random",
            "--baseline",
            "excalibur",
        )
        assert "Paired differences to excalibur" in turned.stdout
        named = run(
            "study",
            tmp_path / "events",
            "--models",
            "excalibur",
            "--baseline",
            "played",
        )
        assert named.stdout == done.stdout
        assert named.stdout.startswith("the events of events, seed 0\n")

    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            ["--players", "many"],
            ["--players", "9", "--sample", "2"],
            ["--players", "9", "--baseline", "monrad"],
            ["--players", "9", "--permute", "nosuch"],
            ["--players", "1"],
            ["--players", "9", "-o", "/dev/null/results"],
        ],
    )
    def test_usage_errors(self, arguments: list[str]) -> None:
        done = run("study", "--models", "excalibur", *arguments)
        assert done.exit_code == 2, done.output
        assert "Traceback" not in done.output


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "results.csv"
    compare_models(
        ["excalibur", "monrad", "random"],
        World(players=9, rounds=3),
        replicates=4,
        output=path,
    )
    return path


@pytest.mark.long
@pytest.mark.parametrize(
    ("package", "arguments"),
    [
        ("scipy", ["study", "--models", "random", "--players", "8"]),
        ("joblib", ["study", "--models", "random", "--players", "8", "--jobs", "2"]),
        (
            "distributed",
            ["study", "--models", "random", "--players", "8", "--scheduler", "x"],
        ),
        ("matplotlib.figure", ["plot"]),
    ],
)
def test_what_is_not_installed_is_named(
    results: Path, monkeypatch: pytest.MonkeyPatch, package: str, arguments: list[str]
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    done = run(
        *arguments, *([results, "-o", results.parent] if arguments == ["plot"] else [])
    )
    name = package.partition(".")[0]
    assert f'"{sys.executable}" -m pip install ' in done.stderr
    assert re.search(rf'"{name}>=', done.stderr)
    assert done.exit_code == 2


class TestPlot:
    @pytest.mark.slow
    @pytest.mark.long
    def test_the_same_files_every_time(self, results: Path, tmp_path: Path) -> None:
        for folder in ("a", "b"):
            done = run("plot", results, "-o", tmp_path / folder)
            assert done.exit_code == 0, done.output
        names = sorted(path.name for path in (tmp_path / "a").iterdir())
        assert names == sorted(
            f"{name}.{end}" for name in figures.FIGURES for end in ("png", "svg")
        )
        for name in names:
            assert (tmp_path / "a" / name).read_bytes() == (
                tmp_path / "b" / name
            ).read_bytes()

    @pytest.mark.long
    def test_what_is_drawn(self, results: Path) -> None:
        frame = pd.read_csv(results)
        models = ["excalibur", "monrad", "random"]
        given = Figure().subplots()
        assert figures.tau_by_round(frame, ax=given) is given
        assert given.get_legend() is None  # the lines are named where they end
        ends = {text.get_text(): text.get_position()[1] for text in given.texts}
        assert {*ends} == {*models}
        last = (
            frame[frame["round"] == frame["round"].max()]
            .groupby("model")["kendall"]
            .mean()
        )
        assert sorted(ends, key=ends.__getitem__) == last.sort_values().index.tolist()
        given.figure.draw_without_rendering()  # type: ignore[union-attr]
        assert all(tick == int(tick) for tick in given.get_xticks())
        for model, container in zip(models, given.containers, strict=True):
            _, _, (arms,) = container.lines  # type: ignore[attr-defined]
            for number, arm in enumerate(arms.get_segments(), 1):
                here = frame[(frame["model"] == model) & (frame["round"] == number)][
                    "kendall"
                ]
                limits = np.clip(
                    estimate(here.to_numpy(), here.to_numpy(), 2).limits(), -1, 1
                )
                assert arm[:, 1] == pytest.approx(np.array(limits))
        bars = figures.side_balance(frame)
        parts = [bar.get_width() for bar in bars.patches]  # type: ignore[attr-defined]
        assert len(parts) == 3 * 5
        assert sum(parts) == pytest.approx(3)
        heat = figures.heat_map(frame)
        assert [label.get_text() for label in heat.get_yticklabels()] == models
        cloud = figures.trade_off(frame)
        key = cloud.get_legend()
        assert key is not None
        assert [text.get_text() for text in key.get_texts()] == [
            f"{k}  {model}" for k, model in enumerate(models, 1)
        ]
        assert [text.get_text() for text in cloud.texts] == ["1", "2", "3"]

    @pytest.mark.slow
    def test_each_world_of_a_grid_has_its_figures(self, tmp_path: Path) -> None:
        both = grid(World(players=6), rounds=[1, 4])
        frame = compare_models(
            ["excalibur", "random"], both, replicates=4, output=tmp_path / "r.csv"
        )
        for draw in figures.FIGURES.values():
            with pytest.raises(UsageError, match="2 worlds"):
                draw(frame)
            title = draw(frame[frame["world_rounds"] == 4]).get_title()
            assert title.endswith("\nrounds: 4")
        heat = figures.heat_map(frame[frame["world_rounds"] == 4], ["floats"])
        own = compare_models(["excalibur", "random"], both[1], replicates=4)
        assert [text.get_text() for text in heat.texts] == [
            f"{mean:.3g}" for mean in means(own, ["floats"])["mean"]
        ]
        done = run(
            "plot", tmp_path / "r.csv", "-o", tmp_path / "figures", "--world-figures"
        )
        assert done.exit_code == 0, done.output
        names = [f"{name}-{world}" for name in figures.FIGURES for world in (1, 2)]
        assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == sorted(
            f"{name}.{end}"
            for name in ["sweep-rounds", *names]
            for end in ("png", "svg")
        )

    @pytest.mark.slow
    @pytest.mark.long
    def test_33_models_can_be_read(self) -> None:
        """No name is drawn over another, and none outside the figure."""
        frame = compare_models(
            orderings(load_model("excalibur"), sample=33),
            World(players=6, rounds=2),
            replicates=3,
        )
        frame["kendall"] += (
            pd.factorize(frame["model"])[0] / 1e4
        )  # no two are one design
        assert len(designs(frame)) == 33
        for name, draw in figures.FIGURES.items():
            ax = draw(frame)
            figure = ax.get_figure(root=True)
            assert figure is not None
            figure.draw_without_rendering()
            key = ax.get_legend()
            named = [*ax.get_yticklabels(), *([] if key is None else key.get_texts())]
            named += ax.texts
            inside = figure.bbox
            boxes = [
                text.get_window_extent()
                for text in named
                if "excalibur" in text.get_text()
            ]
            assert len(boxes) >= (33 if name != "tau_by_round" else 5), name
            for k, box in enumerate(boxes):
                assert inside.x0 <= box.x0
                assert box.x1 <= inside.x1
                assert inside.y0 <= box.y0
                assert box.y1 <= inside.y1
                assert not any(box.overlaps(other) for other in boxes[:k]), name

    @pytest.mark.sweep
    def test_figures_without_values_are_left_out(self, tmp_path: Path) -> None:
        run("simulate", *SMALL, "--sides", "none", "-o", tmp_path / "events")
        run("study", tmp_path / "events", "--models", "random", "-o", tmp_path / "r")
        done = run("plot", tmp_path / "r", "-o", tmp_path / "figures")
        assert done.exit_code == 0, done.output
        assert "tau_by_round: left out" in done.stderr
        assert "side_balance: left out" in done.stderr
        assert (tmp_path / "figures" / "heat_map.svg").exists()

    def test_another_file(self, tmp_path: Path) -> None:
        (tmp_path / "x.csv").write_text("a,b\n1,2\n", encoding="utf-8")
        for path in (tmp_path / "x.csv", tmp_path / "none.csv"):
            done = run("plot", path, "-o", tmp_path)
            assert done.exit_code == 3


class TestOneWay:
    """Options write the study.toml that is run: its folder is one of `study run`, and whole."""

    def whole(self, folder: Path, again: Path) -> None:
        """What is in it agrees, and its own file gives the same bytes."""
        checked = run("study", "check", folder)
        assert checked.exit_code == 0, checked.output
        done = run("study", "run", folder / "study.toml", "-o", again)
        assert done.exit_code == 0, done.output
        mine, other = (
            {
                path.relative_to(place): path.read_bytes()
                for path in place.rglob("*")
                if path.is_file()
            }
            for place in (folder, again)
        )
        assert mine == other

    @pytest.mark.sweep
    @pytest.mark.usefixtures("sketched")
    def test_simulated(self, tmp_path: Path) -> None:
        model = tmp_path / "models" / "mine.toml"
        model.parent.mkdir()
        model.write_text(
            'name = "mine"\n[[criteria]]\nkind = "rematches"\n', encoding="utf-8"
        )
        strengths = tmp_path / "club.csv"
        strengths.write_text(
            "player,rating\n" + "".join(f"x{k},{1500 + k}\n" for k in range(9))
        )
        folder = tmp_path / "study"
        asked = (
            "study",
            *SMALL,
            "--models",
            f"monrad,{model}",
            "--replicates",
            3,
            "--margin",
            "floats:2",
            "--strengths",
            strengths,
        )
        done = run(*asked, "-o", folder)
        assert done.exit_code == 0, done.output
        assert {"mine.toml", "club.csv"} <= {path.name for path in folder.iterdir()}
        printed = run(*asked)
        assert printed.stdout == done.stdout
        self.whole(folder, tmp_path / "again")

    @pytest.mark.sweep
    @pytest.mark.usefixtures("sketched")
    def test_real_events(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            run(
                "simulate",
                *SMALL,
                "--model",
                "aesops",
                "--seed",
                int(name == "b"),
                "-o",
                tmp_path / "real" / name,
            )
        folder = tmp_path / "study"
        asked = (
            "study",
            tmp_path / "real",
            "--models",
            "monrad",
            "--margin",
            "floats:20",
        )
        done = run(*asked, "-o", folder)
        assert done.exit_code == 0, done.output
        said = "monrad differs from played in floats by less than 20: difference "
        assert said in done.stdout
        assert run(*asked).stdout == done.stdout
        self.whole(folder, tmp_path / "again")
        path = folder / "real" / "b" / "matches.csv"
        path.write_text(
            path.read_text("utf-8").replace(",3,0,", ",0,3,", 1), encoding="utf-8"
        )
        changed = run("study", "check", folder)
        assert changed.exit_code == 1
        assert (
            "study.toml has changed since results.json was written, so these results do not answer the questions in study.toml."
            in (changed.stdout)
        )
        assert (
            "real/b/matches.csv: not the file that datapackage.json describes"
            in changed.stdout
        )

    @pytest.mark.long
    @pytest.mark.usefixtures("sketched")
    def test_results_of_a_kept_event_that_were_changed(self, tmp_path: Path) -> None:
        run("simulate", *SMALL, "--model", "aesops", "-o", tmp_path / "real" / "a")
        folder = tmp_path / "study"
        done = run("study", tmp_path / "real", "--models", "monrad", "-o", folder)
        assert done.exit_code == 0, done.output
        path = folder / "real" / "a" / "matches.csv"
        path.write_text(
            path.read_text("utf-8").replace(",3,0,", ",0,3,", 1), encoding="utf-8"
        )
        changed = run("study", "check", folder, "--replay", 0)
        assert changed.exit_code == 1
        said = "study.toml has changed since results.json was written, so these results do not answer the questions in study.toml.\n"
        assert said in changed.stdout
        said = "real/a/matches.csv: not the file that datapackage.json describes\n"
        assert said in changed.stdout

    def test_two_files_of_one_name(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            text = f'name = "{name}"\n[[criteria]]\nkind = "rematches"\n'
            (tmp_path / name / "own.toml").write_text(text, encoding="utf-8")
        both = f"{tmp_path / 'a' / 'own.toml'},{tmp_path / 'b' / 'own.toml'}"
        done = run("study", *SMALL, "--models", both, "-o", tmp_path / "study")
        assert done.exit_code == 2
        assert (
            "Two different files are called own.toml. Rename one of the two files."
            in done.stderr
        )
        assert not (tmp_path / "study").exists()
