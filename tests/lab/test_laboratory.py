"""A study of one's own: killed, resumed and extended, in processes, from the command line."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from places import ROOT
from rounds_alike import require_alike
from waiting import wait_until

from pairopt import UsageError, load_model, simulate
from pairopt.cli import console, main
from pairopt.lab import (
    World,
    compare_models,
    compare_on_events,
    designs,
    differences,
    ended_early,
    means,
    orderings,
    per_tournament,
)
from pairopt.lab.grid import grid
from pairopt.lab.identity import digest, user_code_errors
from pairopt.lab.metrics import METRICS
from pairopt.lab.rankings import RANKINGS
from pairopt.lab.studies.run import read_rounds
from pairopt.lab.table import read_table
from pairopt.lab.task_cache import TaskCache, archive_of, parts_of
from pairopt.lab.tasks import Study, simulation_tasks
from pairopt.lab.worlds import WORLDS
from pairopt.registry import ExtensionRegistry
from pairopt.rules.plugins import load_plugins

FILE = ROOT / "examples" / "study" / "own_study.py"
WORLD = World(players=6, rounds=2)


def invoked(*arguments: object) -> object:
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.mark.long
class TestOneFile:
    @pytest.mark.slow
    def test_killed_and_resumed_it_gives_the_same_bytes(self, tmp_path: Path) -> None:
        assert len(FILE.read_text(encoding="utf-8").splitlines()) < 60
        whole, broken = tmp_path / "whole.csv", tmp_path / "broken.csv"
        quiet = {
            "env": os.environ | {"PYTHONPATH": str(ROOT)},
            "stdout": subprocess.DEVNULL,
        }
        subprocess.run([sys.executable, FILE, whole, "40"], check=True, **quiet)
        with subprocess.Popen(
            [sys.executable, FILE, broken, "40"], start_new_session=True, **quiet
        ) as process:
            wait_until(
                lambda: (
                    process.poll() is not None or any(parts_of(broken).glob("*.zip"))
                )
            )
            assert process.poll() is None
            os.killpg(process.pid, signal.SIGKILL)
        assert not broken.exists()
        kept = {
            path.name: path.stat().st_mtime_ns
            for path in parts_of(broken).glob("*.zip")
        }
        assert kept
        subprocess.run([sys.executable, FILE, broken, "40"], check=True, **quiet)
        assert broken.read_bytes() == whole.read_bytes()
        frame = read_table(whole)
        assert frame["model"].unique().tolist() == [
            "excalibur",
            "by_age",
            "round_robin",
        ]
        assert frame["four_of_four"].dropna().between(0, 4).all()
        assert frame["four_of_four"].notna().sum() == 3 * 40

    @pytest.mark.slow
    def test_the_same_from_the_command_line(self, tmp_path: Path) -> None:
        own = [
            f"--plugin={FILE}:{name}" for name in ("decks", "by_age", "four_of_four")
        ]
        study = [
            sys.executable,
            "-m",
            "pairopt",
            "study",
            "--players",
            "12",
            "--rounds",
            "4",
            "--draws",
            "0",
            "--replicates",
            "20",
            "--seed",
            "1",
            *own,
            "--world",
            "decks",
            "--models",
            "excalibur,by_age,round_robin",
            "--metrics",
            "four_of_four,winner",
            "--jobs",
            "2",
            "-o",
        ]
        done = subprocess.run(
            [*study, tmp_path / "a"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
        assert "results decks" in done.stdout
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        subprocess.run(
            [sys.executable, FILE, tmp_path / "b.csv", "20"],
            check=True,
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        require_alike(
            read_rounds(tmp_path / "a"),
            read_table(tmp_path / "b.csv"),
            ("four_of_four", "winner_rank", "best_wins"),
        )
        for name in ("means.csv", "differences.csv"):
            told = pd.read_csv(tmp_path / "a" / name)
            assert {"four_of_four", "winner_rank", "kendall"} <= {*told["metric"]}


class TestExtending:
    @pytest.mark.long
    @pytest.mark.parametrize("first", [10, 13, 20])
    def test_only_new_tournaments_are_played(self, tmp_path: Path, first: int) -> None:
        output, whole, seen = tmp_path / "r.csv", tmp_path / "whole.csv", []
        compare_models(["random"], WORLD, replicates=first, seed=1, output=output)
        before = output.read_text("utf-8")
        compare_models(
            ["random"],
            WORLD,
            replicates=27,
            seed=1,
            output=output,
            overwrite=False,
            watch=lambda *now: seen.append(now),
        )
        assert seen[0][0] == -(-first // 10)  # all that there is was there
        compare_models(["random"], WORLD, replicates=27, seed=1, output=whole)
        assert output.read_bytes() == whole.read_bytes()
        assert output.read_text("utf-8").startswith(before)

    def test_names_of_tasks_know_nothing_of_the_total(self) -> None:
        study = Study(load_model("random"), WORLD, 1)
        few, many = (
            [task.name for task in simulation_tasks([study], n)] for n in (25, 1000)
        )
        assert few[:2] == many[:2]
        rest = [task.name for task in simulation_tasks([study], 1000, few)]
        assert {*few} <= {*rest}
        assert len(rest) == 101

    @pytest.mark.long
    def test_what_is_no_part_of_the_study_is_not_replaced(self, tmp_path: Path) -> None:
        output = tmp_path / "r.csv"
        compare_models(["random"], WORLD, replicates=2, output=output)
        again = {"seed": 0, "output": output, "overwrite": False}
        world = World(players=6, rounds=2)
        compare_models(["random"], world, replicates=2, **{**again, "overwrite": True})
        compare_models(["random"], world, replicates=4, **again)
        for other in ({"replicates": 2}, {"replicates": 9, "seed": 5}):
            with pytest.raises(UsageError, match=r"r\.csv already contains") as refusal:
                compare_models(["random"], world, **again | other)
            assert refusal.value.kind == "output.study"
        output.write_text(
            output.read_text("utf-8") + "\n", encoding="utf-8"
        )  # edited since
        with pytest.raises(UsageError, match=r"r\.csv already contains") as refusal:
            compare_models(["random"], world, replicates=9, **again)
        assert refusal.value.kind == "output.study"
        compare_models(["random"], world, replicates=9, **again | {"overwrite": True})

    @pytest.mark.long
    def test_a_damaged_archive_is_played_anew(self, tmp_path: Path) -> None:
        output, whole = tmp_path / "r.csv", tmp_path / "whole.csv"
        for path in (output, whole):
            compare_models(["random"], WORLD, replicates=2, output=path)
        raw = archive_of(output).read_bytes()
        for damaged in (raw[:50], raw[:60] + b"xxxx" + raw[64:], b""):
            archive_of(output).write_bytes(damaged)
            compare_models(["random"], WORLD, replicates=2, output=output)
            assert output.read_bytes() == whole.read_bytes()
        assert TaskCache(output).names == TaskCache(whole).names


MODULE = '''
"""Own code."""
SCALE = {scale}
def upset(played):
    return SCALE
def pace(played):
    return list(range(len(played.pairings)))
if __name__ == "__main__":
    print({script})
'''


class TestOwnCode:
    def test_a_changed_module_is_another_study(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "path", [*sys.path])
        found = []
        for scale, script in ((1, 1), (1, 2), (2, 2)):
            (tmp_path / "changing.py").write_text(
                MODULE.format(scale=scale, script=script)
            )
            sys.modules.pop("changing", None)
            own = load_plugins([f"{tmp_path / 'changing.py'}:upset"])
            found.append(digest(own["upset"]))
        assert found[0] == found[1]  # what only a script does is no part of it
        assert found[1] != found[2]

    def test_parameters_are_told_apart(self) -> None:
        def made(size: int) -> object:
            def metric(played: object) -> int:
                return size

            return metric

        assert digest(made(1)) == digest(made(1))
        assert digest(made(1)) != digest(made(2))
        assert digest(np.arange(3)) != digest(np.arange(3.0))
        assert digest(Decimal("0.5")) != digest(Decimal("0.25"))
        assert digest(Path("a")) != digest(Path("b"))
        assert digest(deque([1])) == digest(deque([1])) != digest(deque([2]))
        with pytest.raises(UsageError, match="lambda"):
            digest(lambda: 1)
        with pytest.raises(
            UsageError, match="Use a function, or an object of a dataclass"
        ):
            digest(number for number in range(3))

    def test_a_value_a_round(self) -> None:
        def pace(played: object) -> list[int]:
            return [3, 4]

        frame = compare_models(["random"], WORLD, replicates=2, metrics=[pace])
        assert frame["pace"].tolist() == [3, 4] * 2
        assert per_tournament(frame)["pace"].tolist() == [4, 4]

    def test_faults_of_own_code(self) -> None:
        def broken(*given: object) -> object:
            return 1 / 0

        def few(played: object) -> object:
            return [1]

        def text(played: object) -> object:
            return "many"

        def kendall(played: object) -> object:
            return 1

        def nobody(event: object, seed: int) -> object:
            return []

        def strange(event: object, seed: int) -> object:
            return [("p1", "p2", "p3")]

        def certain(met: object) -> object:
            return np.ones(len(met.one)), np.ones(len(met.one))

        def few_games(met: object) -> object:
            return np.ones(2), np.ones(2)

        def negative(met: object) -> object:
            return met.expected * 0 - 0.25, met.expected * 0 + 0.75

        place = r"ZeroDivisionError: division by zero \(test_laboratory.py, line \d+\)"
        for metric, said in (
            (broken, f"metric broken raised {place}"),
            (few, "returned 1 value for 2 rounds"),
            (text, "returned 'many'"),
            (kendall, "there is already a column 'kendall'"),
        ):
            with pytest.raises(UsageError, match=said):
                compare_models(["random"], WORLD, replicates=1, metrics=[metric])
        for contender, said in (
            (broken, f"contender broken raised {place}"),
            (nobody, r"p\d+ is not paired"),
            (strange, "is not a pair or a bye"),
        ):
            with pytest.raises(UsageError, match=said):
                compare_models([contender], WORLD, replicates=1)
        for law, said in (
            (broken, f"world broken raised {place}"),
            (few_games, "must return the probabilities of a win and of a draw"),
            (certain, "the probability 1 of a win and 1 of a draw"),
            (negative, "the probability -0.25 of a win and 0.75 of a draw"),
        ):
            with pytest.raises(UsageError, match=said):
                compare_models(["random"], World(results=law), replicates=1)

    def test_an_error_of_pairopt_stays_as_it_is(self) -> None:
        with pytest.raises(UsageError, match=r"^mine$"), user_code_errors("metric"):
            raise UsageError("mine")

    def test_a_range_without_a_column_is_a_fault_of_the_metric(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        code = "def most(played):\n    return 1\n\n\nmost.ranges = {'best': (0, 1)}\n"
        Path("ranged.py").write_text(code, encoding="utf-8")
        options = ["--plugin", "ranged.py:most", "--metrics", "most"]
        done = invoked("study", "--players", 6, "--models", "random", *options)
        assert done.exit_code == 2
        assert "--metrics: Metric most declares a range for 'best'" in done.stderr

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ("nothing", "Write module:name or file.py:name"),
            ("no_module_at_all:x", "ModuleNotFoundError"),
            ("nowhere.py:x", "nowhere.py, which does not exist"),
            ("json:nothing", "json defines no nothing"),
        ],
    )
    def test_plugins_that_are_not_there(self, given: str, said: str) -> None:
        done = invoked("study", "--players", 6, "--models", "random", "--plugin", given)
        assert done.exit_code == 2
        assert said in done.stderr
        assert "Traceback" not in done.stderr

    @pytest.mark.long
    def test_a_criterion_of_ones_own(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        code = (ROOT / "tests" / "club" / "club" / "rested.py").read_text(
            encoding="utf-8"
        )
        monkeypatch.setattr(sys, "path", [*sys.path])
        (tmp_path / "resting.py").write_text(code, encoding="utf-8")
        model = tmp_path / "mine.toml"
        model.write_text(
            'name = "mine"\n[[criteria]]\nkind = "rested"\n', encoding="utf-8"
        )
        study = (
            "study",
            "--players",
            5,
            "--rounds",
            3,
            "--replicates",
            2,
            "--models",
            model,
        )
        done = invoked(*study, "--plugin", f"{tmp_path / 'resting.py'}:Rested")
        assert done.exit_code == 0, done.output
        from pairopt.rules.criteria import CRITERIA

        assert CRITERIA["rested"].__name__ == "Rested"
        with pytest.raises(
            UsageError,
            match="There is already a criterion with the name rested",
        ):
            CRITERIA.add("rested", CRITERIA["rematches"])
        forgotten(CRITERIA, "rested")
        model.write_text(
            'name = "other"\n[[criteria]]\nkind = "rested"\n', encoding="utf-8"
        )
        assert "no criterion of kind 'rested'" in invoked(*study).stderr


def forgotten(registry: ExtensionRegistry[object], name: str) -> None:
    """As if it had not been added."""
    registry.modules.pop(name, None)
    registry._parts.pop(name, None)


@pytest.mark.parametrize("registry", [METRICS, RANKINGS, WORLDS])
def test_the_help_names_every_shipped_part(
    registry: ExtensionRegistry[object],
) -> None:
    words = re.findall(r"[\w-]+", invoked("study", "--help").stdout)
    assert len(registry.shipped) > 2
    assert {*registry.shipped} <= {*words}


class TestEntryPoints:
    @pytest.mark.long
    def test_solving_looks_for_none(self, tmp_path: Path) -> None:
        code = (
            "import importlib.metadata as m, sys\n"
            "m.entry_points = lambda **_: sys.exit('looked')\n"
            "import pairopt\n"
            "from pairopt.lab import World, compare_models\n"
            "compare_models(['excalibur', 'oracle'], World(players=4, rounds=1), replicates=1,\n"
            "               metrics=['winner'], rankings=['sos'])\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


class TestFiles:
    @pytest.mark.slow
    @pytest.mark.long
    def test_parquet_is_read_and_not_written(self, tmp_path: Path) -> None:
        pytest.importorskip(
            "pyarrow", reason="pyarrow is not installed: pairopt[parquet]"
        )
        worlds = grid(WORLD, draws=[0.0, 0.5])
        frame = compare_models(
            ["random"], worlds, replicates=3, output=tmp_path / "r.csv", levels=True
        )
        frame.to_parquet(tmp_path / "r.parquet", index=False)
        for path in (tmp_path / "r.parquet", tmp_path / "r.csv"):
            whole = read_table(path)
            pd.testing.assert_frame_equal(
                whole, frame, check_dtype=False, check_categorical=False
            )
            chosen = read_table(path, ["kendall"])
            assert {*chosen} == {
                "model",
                "world_draws",
                "replicate",
                "round",
                "players",
                "kendall",
            }
        with pytest.raises(UsageError, match="to_parquet"):
            compare_models(["random"], replicates=1, output=tmp_path / "x.parquet")

    @pytest.mark.long
    def test_games_are_the_matches(self, tmp_path: Path) -> None:
        world = World(players=7, rounds=3)
        compare_models(
            ["random"],
            world,
            replicates=2,
            output=tmp_path / "r.csv",
            games=tmp_path / "g.csv",
        )
        games = pd.read_csv(tmp_path / "g.csv")
        assert len(games) == 2 * 3 * 4
        assert (games["status"] == "bye").sum() == 6
        assert games["player2"].isna().sum() == 6
        once = games[games["replicate"] == 0]
        both = pd.concat([once["player1"], once["player2"]]).dropna()
        assert both.value_counts().to_dict() == dict.fromkeys(range(1, 8), 3) | {
            k: v for k, v in both.value_counts().items() if v != 3
        }

    @pytest.mark.long
    def test_a_grid_is_one_tidy_table(self) -> None:
        worlds = grid(WORLD, players=[4, 6], rounds=[1, 2], draws=[0.0, 0.5])
        frame = compare_models(["random"], worlds, replicates=2)
        keys = ["world_players", "world_rounds", "world_draws"]
        assert len(frame[keys].drop_duplicates()) == 8
        assert len(frame) == 2 * 2 * 2 * (1 + 2)
        alone = compare_models(
            ["random"], World(players=4, rounds=2, draws=0.5), replicates=2
        )
        here = frame[(frame[keys] == [4, 2, 0.5]).all(axis=1)].drop(columns=keys)
        assert here["kendall"].tolist() == alone["kendall"].tolist()
        done = invoked(
            "study",
            "--players",
            6,
            "--models",
            "random",
            "--replicates",
            2,
            "--grid",
            "rounds=1,2",
            "--grid",
            "draws=0,0.5",
        )
        assert done.exit_code == 0, done.output
        assert done.stdout.splitlines().count("world_rounds: 2") == 2
        told = [
            line for line in done.stdout.splitlines() if line.startswith("6 players, ")
        ]
        assert [line.split(", ")[1] for line in told] == ["1 rounds"] * 2 + [
            "2 rounds"
        ] * 2
        assert [line.split(", ")[4] for line in told] == [
            "0 draws between equals",
            "0.5 draws between equals",
        ] * 2
        for wrong in ("rounds", "rounds=x", "names=3", "rounds=0"):
            assert (
                invoked(
                    "study", "--players", 6, "--models", "random", "--grid", wrong
                ).exit_code
                == 2
            )


OWN_RULE = """
from dataclasses import dataclass
import numpy as np
from pairopt.rules.base import SingleLevel

@dataclass(frozen=True)
class Named(SingleLevel):
    \"\"\"Leave the bye to a certain player.\"\"\"
    kind = "bye_of"
    player: str
    per_player = True
    def cost(self, state, arcs):
        names = np.array(state.names)
        return (arcs.bye & (names[arcs.first] != self.player)).astype(np.int64)
    def words(self, label):
        return "the bye of another player"
"""


@pytest.fixture
def rules_as_they_were() -> Iterator[None]:
    """Without the criterion of one's own that a command has added, for the tests after it."""
    from pairopt.rules.criteria import CRITERIA

    yield
    forgotten(CRITERIA, "bye_of")


@pytest.mark.long
@pytest.mark.usefixtures("rules_as_they_were")
def test_a_criterion_of_ones_own_pairs_a_round(tmp_path: Path) -> None:
    (tmp_path / "own_rule_of_a_round.py").write_text(OWN_RULE, encoding="utf-8")
    (tmp_path / "own.toml").write_text(
        'name = "own"\ntitle = "Own"\nsource = "here"\n\n'
        '[[criteria]]\nkind = "bye_of"\nplayer = "Cem"\n',
        encoding="utf-8",
    )
    (tmp_path / "players.csv").write_text("player\nAda\nBo\nCem\n", encoding="utf-8")
    rule = f"{tmp_path / 'own_rule_of_a_round.py'}:Named"
    model = ("--model", tmp_path / "own.toml", "--plugin", rule)
    done = invoked(
        "solve",
        tmp_path / "players.csv",
        *model,
        "--format",
        "csv",
        "-o",
        tmp_path / "round.csv",
    )
    assert done.exit_code == 0, done.output
    paired = pd.read_csv(tmp_path / "round.csv")
    assert paired.loc[paired["player2"].isna(), "player1"].tolist() == ["Cem"]
    for command, *more in (("check", tmp_path / "round.csv"), ("explain",), ("odds",)):
        done = invoked(command, tmp_path / "players.csv", *more, *model)
        assert done.exit_code == 0, done.output
    done = invoked("solve", tmp_path / "players.csv", "--plugin", "no_such_module:Rule")
    assert done.exit_code == 2
    assert (
        "--plugin no_such_module:Rule can't be imported. ModuleNotFoundError"
        in done.stderr
    )


def test_lines_of_progress(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(console.time, "monotonic", lambda: now)
    tell = console._line_reporter()
    tell(4, 10)
    assert capsys.readouterr().err == ""
    now = 40.0
    tell(6, 10)
    tell(7, 10)
    assert capsys.readouterr().err == "6 of 10 parts after 40 s, 80 s left\n"


TABLE = pd.DataFrame(columns=["model", "replicate", "round", "players"])
"""The columns that each table of results has."""


@pytest.mark.parametrize(
    ("call", "parameter", "expected"),
    [
        (lambda: simulate(WORLD, "random"), "simulate(world='random')", "a World"),
        (
            lambda: simulate("random", WORLD, seed="1"),
            "simulate(seed='1')",
            "a whole number",
        ),
        (
            lambda: simulate("random", WORLD, choose="all"),
            "simulate(choose='all')",
            '"uniform"',
        ),
        (lambda: simulate(5, WORLD), "5 is not a pairing method", '"standard"'),
        (lambda: World(players="8"), "World(players='8')", "players=32"),
        (lambda: World(results="elo"), "World(results='elo')", "Elo()"),
        (lambda: compare_models("standard", WORLD), "(models='standard')", "a list"),
        (lambda: compare_models(["random"], "x"), "(world='x')", "a World"),
        (lambda: compare_models(WORLD, ["random"]), "(world='random')", "a World"),
        (
            lambda: compare_models(["random"], WORLD, metrics="kendall"),
            "(metrics='kendall')",
            "a list",
        ),
        (
            lambda: compare_models(["random"], WORLD, rankings="points"),
            "(rankings='points')",
            "a list",
        ),
        (
            lambda: compare_models(["random"], WORLD, replicates="9"),
            "(replicates='9')",
            "a whole number",
        ),
        (
            lambda: compare_models(["random"], WORLD, output=5),
            "compare_models(output=5)",
            'output="rounds.csv"',
        ),
        (
            lambda: compare_models(["random"], WORLD, games=[]),
            "compare_models(games=[])",
            'games="games.csv"',
        ),
        (
            lambda: compare_models(["random"], WORLD, precision=5),
            "(precision=5)",
            'precision={"kendall": 0.01}',
        ),
        (
            lambda: compare_models(["random"], WORLD, precision={"kendall": "x"}),
            "(precision=",
            "numbers by name",
        ),
        (
            lambda: compare_models(["random"], WORLD, scheduler=5),
            "(scheduler=5)",
            "an address",
        ),
        (lambda: compare_models(["random"], WORLD, watch=5), "(watch=5)", "a function"),
        (lambda: compare_on_events("random", "."), "(models='random')", "a list"),
        (
            lambda: compare_on_events(["random"], 5),
            "compare_on_events(folder=5)",
            "a folder",
        ),
        (lambda: compare_on_events(["random"], ".", output=5), "(output=5)", "a file"),
        (lambda: orderings("standard"), "orderings(model='standard')", "a Model"),
        (
            lambda: differences("x"),
            "differences(frame='x')",
            "a table as compare_models",
        ),
        (
            lambda: differences(pd.DataFrame({"model": []})),
            "differences(this table as frame)",
            "no column 'replicate'",
        ),
        (lambda: means(None), "means(frame=None)", "a table as compare_models"),
        (
            lambda: means(TABLE, confidence=95),
            "means(confidence=95)",
            "between 0 and 1",
        ),
        (
            lambda: differences(TABLE, confidence="x"),
            "(confidence='x')",
            "confidence=0.95",
        ),
        (
            lambda: differences(TABLE, margins=5),
            "differences(margins=5)",
            "numbers by name",
        ),
        (
            lambda: per_tournament([]),
            "per_tournament(frame=[])",
            "a table as compare_models",
        ),
        (
            lambda: per_tournament(TABLE),
            "per_tournament(this table as frame)",
            "no column 'kendall'",
        ),
        (lambda: designs("x"), "designs(frame='x')", "a table as compare_models"),
        (
            lambda: ended_early("x"),
            "ended_early(frame='x')",
            "a table as compare_models",
        ),
    ],
)
def test_a_wrong_argument_is_named_with_what_it_can_be(
    call: Callable[[], object], parameter: str, expected: str
) -> None:
    with pytest.raises(UsageError) as error:
        call()
    function, is_argument, argument = parameter.removesuffix(")").partition("(")
    named = f"{function} can't use {argument}" if is_argument else parameter
    assert named in str(error.value)
    assert expected in str(error.value)


@pytest.mark.long
def test_metrics_of_a_table_are_a_list() -> None:
    frame = compare_models(["random", "monrad"], WORLD, replicates=2)
    for call in (differences, means):
        with pytest.raises(
            UsageError, match=r"metrics='kendall'\. The value of metrics must be a list"
        ):
            call(frame, metrics="kendall")
