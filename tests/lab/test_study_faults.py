"""What is wrong with a study's options, files and machines is said once, and nothing is written."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from pairopt import UsageError, load_model
from pairopt.cli import main
from pairopt.cli.simulate import keys_of
from pairopt.lab import World, compare_models, compare_on_events, figures, simulate
from pairopt.lab.comparison import run_tasks
from pairopt.lab.studies.schema import StudyFile, WorldTable
from pairopt.lab.task_cache import TaskCache, parts_of

SMALL = ("--players", 8, "--rounds", 2)
NO_VALUES = ("null", "nan", "NA", "N/A", "None", "#N/A")
"""Names that pandas takes for missing values unless told."""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def refused(done: Result, said: str, code: int = 2) -> None:
    """It ended with this exit code, one error and no traceback."""
    assert done.exit_code == code, (done.output, done.exception)
    assert said in done.stderr
    assert "Traceback" not in done.output
    assert "nternal error" not in done.output


def below(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()
    )


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder that nothing can be written to."""
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o500)
    with contextlib.suppress(OSError):
        (folder / "x").touch()
        (folder / "x").unlink()
        pytest.skip("this user may write anywhere")
    yield folder
    folder.chmod(0o700)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "results.csv"
    compare_models(
        ["random", "monrad"], World(players=8, rounds=2), replicates=3, output=path
    )
    return path


class TestPoints:
    @pytest.mark.parametrize(
        "command", [("simulate", "-o"), ("study", "--models", "random", "-o")]
    )
    @pytest.mark.parametrize(
        "points",
        [
            "1/3,1/6",
            "1/0,0",
            "1/0",
            "3,1,0",
            "nan,0",
            "inf,1",
            "3,-1",
            "3,1e-99999999",
            "1e99999999,1",
            "3,\u0661",
            "3,",
            "2.5000001,1",
        ],
    )
    def test_that_no_file_can_hold(
        self, tmp_path: Path, command: tuple[str, ...], points: str
    ) -> None:
        done = run(*command, tmp_path / "out", *SMALL, "--points", points)
        refused(done, f"--points {points}: expected two decimal numbers")
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize(
        ("points", "said"),
        [
            ("1,2", "needs 0 <= draw <= win"),
            ("0,0", "win > 0"),
            ("9999999,1", "Write a number from 0 to 1000000"),
        ],
    )
    def test_out_of_range(self, tmp_path: Path, points: str, said: str) -> None:
        refused(
            run("simulate", *SMALL, "--points", points, "-o", tmp_path / "out"),
            said,
        )

    def test_of_the_library(self) -> None:
        for win in (Fraction(1, 3), Fraction(1, 10**7), Fraction(10**7)):
            with pytest.raises(UsageError, match="win and draw"):
                World(win=win, draw=Fraction(0))

    def test_the_largest_and_the_finest_are_read_again(self, tmp_path: Path) -> None:
        done = run("simulate", *SMALL, "--points", "1000000,0.000001", "-o", tmp_path)
        assert done.exit_code == 0, done.stderr
        assert run("standings", tmp_path / "matches.csv").exit_code == 0


@pytest.mark.parametrize(
    "wrong",
    [
        ["--spread", "inf"],
        ["--spread", "nan"],
        ["--first-side", "nan"],
        ["--first-side", "1e9"],
        ["--rounds", "501"],
        ["--players", "10001"],
        ["--rating-error", "inf"],
        ["--sides", "a,"],
        ["--unrated", "--rating-error", "50"],
        ["--sides", "none", "--first-side", "50"],
    ],
)
def test_worlds_that_cannot_be(tmp_path: Path, wrong: list[str]) -> None:
    done = run("simulate", *wrong, "-o", tmp_path / "out")
    refused(done, "")
    assert re.search(
        r"[Ee]xpected|Write a|of no use|at least 1 character|should be less than|not in the range",
        done.stderr,
    )
    assert not list(tmp_path.iterdir())


NUMBERS = [
    name
    for table in (WorldTable, StudyFile)
    for name in keys_of(table)
    if table.model_fields[name].json_schema_extra["reading"] == "number"  # type: ignore[index,call-overload]
]
"""Keys that are options, and numbers."""
NONE = (
    "1e30",
    "-1e30",
    "9" * 30,
    "-" + "9" * 30,
    "9" * 5000,
    "inf",
    "nan",
    "\u0661",
    "1_0",
    " 1",
    "",
)


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_keys_have_two_bounds_and_ascii_digits(
    tmp_path: Path, name: str
) -> None:
    """As numbers of other options have; the table says so before any world or game is made."""
    option = f"--{name.replace('_', '-')}"
    for number in NONE:
        done = run(
            "study",
            *SMALL,
            "--models",
            "random",
            f"{option}={number}",
            "--replicates=2",
            f"{option}={number}",
            "-o",
            tmp_path / "out",
        )
        refused(done, f"{option}: ")
        assert not list(tmp_path.iterdir()), number


class TestOutputsOfSimulate:
    @pytest.mark.long
    def test_a_file_in_the_way(self, tmp_path: Path) -> None:
        way = tmp_path / "file"
        way.touch()
        refused(run("simulate", *SMALL, "-o", way / "below"), "can't be created")
        with pytest.raises(UsageError, match="can't be created"):
            simulate("random", World(players=4, rounds=1)).write(way)

    def test_all_tournaments_or_none(self, tmp_path: Path) -> None:
        (tmp_path / "3").touch()
        refused(
            run("simulate", *SMALL, "--replicates", 3, "-o", tmp_path),
            "can't be created",
        )
        assert below(tmp_path) == ["3"]

    @pytest.mark.parametrize("name", ["matches.csv", "players.csv"])
    def test_both_files_or_none(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "out" / name).mkdir(parents=True)
        refused(run("simulate", *SMALL, "-o", tmp_path / "out"), "can't be written")
        assert below(tmp_path) == []

    def test_read_only(self, read_only: Path) -> None:
        refused(run("simulate", *SMALL, "-o", read_only), "can't be written")
        refused(run("simulate", *SMALL, "-o", read_only / "a"), "can't be created")
        assert below(read_only) == []


STUDY = ("study", "--models", "random", "--replicates", 2)


class TestOutputsOfStudy:
    def test_what_is_in_the_way_of_the_parts(self, tmp_path: Path) -> None:
        output = tmp_path / "study"
        output.mkdir()
        parts_of(output / "games").touch()
        refused(run(*STUDY, *SMALL, "-o", output), "can't be created")
        assert below(tmp_path) == ["study/games.parts", "study/study.toml"]

    def test_read_only(self, read_only: Path) -> None:
        refused(run(*STUDY, *SMALL, "-o", read_only / "study"), "can't be created")

    def test_not_among_the_events(self, tmp_path: Path) -> None:
        simulate("random", World(players=4, rounds=2)).write(tmp_path)
        study = ("study", tmp_path, "--models", "random", "-o")
        for output in (tmp_path, tmp_path / "results"):
            refused(run(*study, output), "is in the folder of events")
        assert below(tmp_path) == ["matches.csv", "players.csv"]
        with pytest.raises(UsageError, match="is in the folder"):
            compare_on_events(["random"], tmp_path, output=tmp_path / "a.csv")


class TestOptionsOfStudy:
    @pytest.mark.long
    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ([], "Give either --players N"),
            (["FOLDER", "--players", "8"], "Give either --players N"),
            (["--players", "nowhere"], "Directory"),
            (["--players", "9" * 5000], "Directory"),
            (["--players", "8", "--timings"], "--timings is no more: compare_models"),
            (
                ["--players", "8", "--games", "g.csv"],
                "--games is no more: the games are in",
            ),
            (
                ["--players", "8", "--summary", "s.csv"],
                "--summary is no more: means.csv and",
            ),
            (
                ["--players", "8", "--overwrite"],
                "--overwrite is no more: a folder of another",
            ),
            (["--players", "8", "-o", "a.CSV"], "-o a.CSV: expected a folder"),
            (["--players", "8", "-o", "a.parquet"], "-o a.parquet: expected a folder"),
            (["--players", "8", "--jobs", "0"], "--jobs"),
            (
                ["--players", "8", "--jobs", "2", "--scheduler", "tcp://127.0.0.1:1"],
                "jobs",
            ),
            (["--players", "8", "--scheduler", ""], "scheduler"),
            (
                ["FOLDER", "--replicates", "3"],
                "--replicates: This setting is only possible for simulated",
            ),
            (
                ["FOLDER", "--first-side", "0"],
                "--first-side: This setting is only possible for simulated",
            ),
            (
                ["FOLDER", "--precision", "floats:1"],
                "--precision: This setting is only possible for simulated",
            ),
            (
                ["FOLDER", "--most", "50"],
                "--most: This setting is only possible for simulated",
            ),
            (["FOLDER", "--baseline", "monrad"], "Choose one of: played, random."),
        ],
    )
    def test_refused(self, tmp_path: Path, arguments: list[str], said: str) -> None:
        simulate("random", World(players=4, rounds=2)).write(tmp_path)
        refused(
            run("study", "--models", "random", "--replicates", 1, *arguments)
            if "FOLDER" not in arguments
            else run(
                "study",
                "--models",
                "random",
                *(tmp_path if part == "FOLDER" else part for part in arguments),
            ),
            said,
        )

    @pytest.mark.long
    def test_a_folder_as_players(self, tmp_path: Path) -> None:
        simulate("random", World(players=12, rounds=3), seed=3).write(tmp_path / "a")
        asked = ("--models", "monrad,random", "--baseline", "monrad")
        one, two = (
            run("study", "--players", tmp_path, *asked),
            run("study", tmp_path, *asked),
        )
        assert one.exit_code == two.exit_code == 0
        assert one.stdout == two.stdout
        assert "Paired differences to monrad" in one.stdout

    def test_of_the_library(self) -> None:
        for given in ({"jobs": 0}, {"jobs": 2, "scheduler": "tcp://127.0.0.1:1"}):
            with pytest.raises(UsageError, match="jobs"):
                compare_models(["random"], replicates=1, **given)  # type: ignore[arg-type]

    def test_a_model_called_as_what_was_played(self, tmp_path: Path) -> None:
        simulate("random", World(players=4, rounds=2)).write(tmp_path)
        with pytest.raises(UsageError, match="Two models are called 'played'"):
            compare_on_events([replace(load_model("random"), name="played")], tmp_path)


class TestNamesThatLookLikeNoValue:
    @pytest.mark.long
    def test_in_the_table(self, tmp_path: Path) -> None:
        models = [replace(load_model("random"), name=name) for name in NO_VALUES]
        output = tmp_path / "results.csv"
        frame = compare_models(
            models, World(players=6, rounds=2), replicates=2, output=output
        )
        assert frame["model"].unique().tolist() == [*NO_VALUES]

    @pytest.mark.sweep
    def test_on_the_command_line(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        given = []
        for k, name in enumerate(NO_VALUES):
            given.append(str(tmp_path / f"{k}.toml"))
            Path(given[-1]).write_text(f'name = "{name}"\n', encoding="utf-8")
        output = tmp_path / "study"
        done = run(
            "study",
            *SMALL,
            "--replicates",
            2,
            "--models",
            ",".join(given),
            "-o",
            output,
        )
        assert done.exit_code == 0, done.output
        assert f"  {' = '.join(NO_VALUES)}\n" in done.stdout
        drawn = []
        monkeypatch.setattr(
            figures,
            "FIGURES",
            {
                "heat_map": lambda frame: (
                    drawn.append(figures.heat_map(frame)) or drawn[-1]
                )
            },
        )
        assert run("plot", output, "-o", tmp_path).exit_code == 0
        assert [t.get_text() for t in drawn[0].get_yticklabels()] == [
            "null (and 5 like it)"
        ]


class TestPlot:
    @pytest.mark.long
    def test_a_file_in_the_way(self, results: Path, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        refused(run("plot", results, "-o", tmp_path / "file" / "a"), "can't be created")

    @pytest.mark.long
    def test_all_figures_or_none(self, results: Path, tmp_path: Path) -> None:
        (tmp_path / "heat_map.svg").mkdir()
        refused(run("plot", results, "-o", tmp_path), "can't be written")
        assert below(tmp_path) == []

    def test_read_only(self, results: Path, read_only: Path) -> None:
        refused(run("plot", results, "-o", read_only), "can't be written")
        assert below(read_only) == []

    @pytest.mark.parametrize(
        ("column", "cell", "said"),
        [
            ("kendall", "high", "row 3, column kendall: Write a number"),
            ("floats", "inf", "row 3, column floats"),
            ("floats", "1e300", "row 3, column floats"),
            ("round", "", "row 3, column round"),
            ("model", "", "row 3, column model"),
        ],
    )
    def test_cells_that_are_none_of_a_study(
        self, results: Path, tmp_path: Path, column: str, cell: str, said: str
    ) -> None:
        frame = pd.read_csv(results, dtype=str, keep_default_na=False)
        frame.loc[1, column] = cell
        frame.to_csv(tmp_path / "r.csv", index=False)
        refused(run("plot", tmp_path / "r.csv", "-o", tmp_path / "f"), said, code=3)
        assert below(tmp_path) == ["r.csv"]

    def test_files_that_are_no_table(self, results: Path, tmp_path: Path) -> None:
        text = results.read_text("utf-8")
        for content in (b"\xff\xfe\x00", b"", b"\0", (text + '"').encode()):
            (tmp_path / "r.csv").write_bytes(content)
            refused(run("plot", tmp_path / "r.csv", "-o", tmp_path), "r.csv: ", code=3)

    @pytest.mark.long
    def test_a_table_without_values(self, results: Path, tmp_path: Path) -> None:
        lines = results.read_text("utf-8").splitlines(keepends=True)
        broken = "".join(lines).replace("optimal", "infeasible")
        for text in (lines[0], broken):
            (tmp_path / "r.csv").write_text(text, encoding="utf-8")
            done = run("plot", tmp_path / "r.csv", "-o", tmp_path / "figures")
            assert "heat_map: left out. " in done.stderr
            assert "Traceback" not in done.output
            assert done.exit_code == (0 if (tmp_path / "figures").exists() else 2)

    @pytest.mark.long
    def test_names_are_no_formulas(self, results: Path, tmp_path: Path) -> None:
        text = (
            results.read_text("utf-8")
            .replace("monrad,", "$x^$,")
            .replace("random,", "_y,")
        )
        (tmp_path / "r.csv").write_text(text, encoding="utf-8")
        done = run("plot", tmp_path / "r.csv", "-o", tmp_path)
        assert done.exit_code == 0, done.output
        named = figures.tau_by_round(pd.read_csv(tmp_path / "r.csv")).texts
        assert {r"\$x^\$", "\N{ZERO WIDTH SPACE}_y"} <= {
            text.get_text() for text in named
        }
        legend = figures.side_balance(pd.read_csv(tmp_path / "r.csv")).get_legend()
        assert legend is not None

    @pytest.mark.long
    def test_more_models_than_a_figure_holds(self, results: Path) -> None:
        frame = pd.read_csv(results)
        one = frame[frame["model"] == "monrad"]
        many = pd.concat(
            [one.assign(model=f"m{k}", floats=k) for k in range(figures.MOST_ROWS + 1)]
        )
        with pytest.raises(UsageError, match="can show at most"):
            figures.heat_map(many)


def test_names_with_line_ends(tmp_path: Path) -> None:
    names = ["a\rb", "a\nb", 'a,"b']
    models = [replace(load_model("random"), name=name) for name in names]
    frame = compare_models(models, World(players=4, rounds=1), replicates=1)
    assert frame["model"].tolist() == names


@pytest.mark.long
def test_no_tournament_that_ends() -> None:
    done = run(
        "study", "--models", "random", "--players", 4, "--rounds", 5, "--replicates", 2
    )
    assert done.stdout.endswith("\n\nNo tournament was paired to the end.\n")


class TestProcesses:
    @pytest.mark.long
    def test_one_that_is_ended(self, tmp_path: Path) -> None:
        class Ended:
            name, texts = "ended.zip", ()

            def frames(self) -> dict[str, pd.DataFrame]:
                os._exit(3)

        with pytest.raises(UsageError) as error:
            run_tasks([Ended(), Ended()], TaskCache(tmp_path / "results.csv"), jobs=2)
        assert error.value.kind == "processes.ended"
        assert "One of the 2 processes" in str(error.value)
        assert "U+000A" not in str(error.value)  # the reason is one line
        assert below(tmp_path) == []


def test_any_seed_is_a_seed() -> None:
    """One of more than 64 bits too, and it is none of the smaller ones."""
    world = World(players=8, rounds=2)
    seeds = [1, 2**63, 2**64 - 1, 2**64 + 1, 2**128 + 1]
    played = [simulate("standard", world, seed=seed).event.matches for seed in seeds]
    assert len(
        {rows.score1.tobytes() + rows.first.tobytes() for rows in played}
    ) == len(seeds)
    frame = compare_models(["standard"], world, replicates=1, seed=2**65)
    assert len(frame) > 0


@pytest.mark.long
@pytest.mark.usefixtures("sketched")
def test_a_study_that_is_in_the_way_is_called_one(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    asked = ["study", *SMALL, "--models", "standard", "--replicates", 1, "-o", folder]
    assert run(*asked).exit_code == 0
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert run(*asked).exit_code == 0  # what is there already is not played again
    refused(run(*asked, "--seed", 1), "has the results of another study.toml")
    assert {
        path: path.read_bytes() for path in folder.rglob("*") if path.is_file()
    } == before
