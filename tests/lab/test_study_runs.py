"""A study gives the same file however it is run: in one process, several, on Dask, resumed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pages
import pandas as pd
import pytest
from click.testing import CliRunner
from places import ROOT
from waiting import PATIENCE, wait_until

from pairopt import UsageError, load_model
from pairopt.cli import main
from pairopt.lab import World, compare_models, compare_on_events, comparison, simulate
from pairopt.lab.comparison import run_tasks
from pairopt.lab.studies.run import SUMS, run_shard, run_study
from pairopt.lab.studies.study_file import read_study
from pairopt.lab.table import concatenate_parts, csv_of
from pairopt.lab.task_cache import parts_of
from pairopt.lab.tasks import REPLICATES, Study, simulation_tasks
from pairopt.problem.model import model_names
from pairopt.rules.plugins import load_plugins

MODELS = ("excalibur", "random")
WORLD = World(players=9, rounds=3, drops=0.05)
COUNT = 4 * REPLICATES - 5
SOME = ("aesops-by-hand", "fide-dutch", "monrad", "random")
"""Models of one kind each: by hand, by a system, by criteria, by lot."""


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    output = tmp_path_factory.mktemp("serial") / "results.csv"
    frame = compare_models(
        MODELS, WORLD, replicates=COUNT, seed=1, output=output, levels=True
    )
    assert not parts_of(output).exists()
    assert len(frame) == 2 * COUNT * WORLD.rounds
    pd.testing.assert_frame_equal(
        frame, pd.read_csv(output), check_dtype=False, check_categorical=False
    )
    return output.read_bytes()


@pytest.mark.sweep
def test_processes(serial: bytes, tmp_path: Path) -> None:
    output = tmp_path / "results.csv"
    compare_models(MODELS, WORLD, replicates=COUNT, seed=1, jobs=2, output=output)
    assert output.read_bytes() == serial


@pytest.mark.long
def test_stopped_and_resumed(serial: bytes, tmp_path: Path) -> None:
    output, seen = tmp_path / "results.csv", []

    def stop(done: int, total: int) -> None:
        seen.append((done, total))
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare_models(
            MODELS, WORLD, replicates=COUNT, seed=1, output=output, watch=stop
        )
    parts = sorted(parts_of(output).iterdir())
    assert len(parts) == 3
    assert not output.exists()
    parts[0].write_bytes(
        parts[0].read_bytes()[:-5]
    )  # a file that is not whole is not used
    seen.clear()
    compare_models(
        MODELS,
        WORLD,
        replicates=COUNT,
        seed=1,
        output=output,
        watch=lambda *now: seen.append(now),
    )
    assert seen[0] == (2, 8)
    assert seen[-1] == (8, 8)
    assert output.read_bytes() == serial
    assert not parts_of(output).exists()


@pytest.mark.sweep
@pytest.mark.parametrize(
    "model",
    [
        pytest.param(name, marks=() if name in SOME else pytest.mark.long)
        for name in model_names()
    ],
)
def test_every_shipped_model_is_kept_and_resumed(model: str, tmp_path: Path) -> None:
    world, whole, broken = (
        World(players=6, rounds=2),
        tmp_path / "whole.csv",
        tmp_path / "r.csv",
    )

    def stop(done: int, _total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    compare_models([model], world, replicates=REPLICATES + 1, output=whole)
    with pytest.raises(KeyboardInterrupt):
        compare_models(
            [model], world, replicates=REPLICATES + 1, output=broken, watch=stop
        )
    assert len(list(parts_of(broken).iterdir())) == 1
    seen: list[tuple[int, int]] = []
    compare_models(
        [model],
        world,
        replicates=REPLICATES + 1,
        output=broken,
        watch=lambda *now: seen.append(now),
    )
    assert seen == [(1, 2), (2, 2)]
    assert broken.read_bytes() == whole.read_bytes()


@pytest.mark.long
@pytest.mark.slow
def test_a_killed_process_is_resumed(tmp_path: Path) -> None:
    output = tmp_path / "study"
    command = [
        sys.executable,
        "-m",
        "pairopt",
        "study",
        "--models",
        ",".join(MODELS),
        "--players",
        "9",
        "--rounds",
        "3",
        "--drops",
        "0.05",
        "--seed",
        "1",
        "--replicates",
        str(COUNT),
        "-o",
        str(output),
    ]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        parts = parts_of(output / "games")
        wait_until(lambda: process.poll() is not None or any(parts.glob("*.zip")))
        process.kill()
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Paired differences to excalibur" in done.stdout
    whole = tmp_path / "whole" / "study"
    subprocess.run(
        [*command[:-1], str(whole)], cwd=ROOT, capture_output=True, check=True
    )
    assert (output / SUMS).read_bytes() == (whole / SUMS).read_bytes()


def test_settings_tell_tasks_apart() -> None:
    model = load_model("standard")
    assert model.last_round is not None
    last = replace(model, last_round=replace(model.last_round, criteria=()))
    studies = [
        Study(model, WORLD, 1),
        Study(model, WORLD, 1, timings=True),
        Study(model, WORLD, 1, choose="uniform"),
        Study(model, WORLD, 1, games=True),
        Study(model, WORLD, 2),
        Study(model, replace(WORLD, drops=0.0), 1),
        Study(last, WORLD, 1),
    ]
    names = [simulation_tasks([study], 5)[0].name for study in studies]
    assert len(set(names)) == len(names)
    assert simulation_tasks([Study(model, WORLD, 1)], 5)[0].name == names[0]
    assert simulation_tasks([Study(model, WORLD, 1)], 6)[0].name != names[0]


def test_a_cluster_without_workers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Client(contextlib.ExitStack):
        def __init__(self, *_: object, **__: object) -> None:
            super().__init__()

        def submit(self, *_: object, **__: object) -> None: ...
        def scheduler_info(self) -> dict[str, object]:
            return {"workers": {}}

    unfinished = SimpleNamespace(is_empty=lambda: False, has_ready=lambda: False)
    dask = SimpleNamespace(
        Client=Client,
        as_completed=lambda _: unfinished,
        KilledWorker=RuntimeError,
    )
    monkeypatch.setitem(sys.modules, "distributed", dask)
    monkeypatch.setattr(comparison, "ALONE", -1)
    with pytest.raises(UsageError, match=r"tcp://127\.0\.0\.1:1\b") as caught:
        compare_models(["random"], WORLD, replicates=1, scheduler="tcp://127.0.0.1:1")
    assert caught.value.kind == "study.workers_lost"


@pytest.mark.long
def test_a_longer_study_begins_like_a_shorter_one(serial: bytes) -> None:
    made = run_tasks(
        simulation_tasks(
            [Study(load_model("excalibur"), WORLD, 1, choose="uniform")], REPLICATES
        )
    )
    assert serial.decode().startswith(
        "".join(csv_of(concatenate_parts([each["rounds"] for each in made])))
    )


@pytest.mark.long
def test_seconds_are_only_there_on_request() -> None:
    frame = compare_models(["random"], WORLD, replicates=1, timings=True)
    assert (frame["seconds"] > 0).all()
    assert "seconds" not in compare_models(["random"], WORLD, replicates=1)


def test_what_cannot_be_compared() -> None:
    for models, said in (
        (["random", "random"], "Two models"),
        ([], "one or more models"),
    ):
        with pytest.raises(UsageError, match=said):
            compare_models(models)
    with pytest.raises(UsageError, match="replicates"):
        compare_models(["random"], replicates=0)


def test_another_file_is_replaced_unless_that_is_refused(tmp_path: Path) -> None:
    simulate("random", World(players=4, rounds=1)).write(tmp_path / "events" / "one")
    output = tmp_path / "results.csv"
    mine = "round,player1,player2,score1,score2\n1,A,B,3,0\n"
    output.write_text(mine, encoding="utf-8")
    with pytest.raises(UsageError):
        compare_on_events(
            ["random"], tmp_path / "events", output=output, overwrite=False
        )
    assert output.read_text(encoding="utf-8") == mine

    compare_on_events(["random"], tmp_path / "events", output=output)
    assert "random" in output.read_text(encoding="utf-8")


@pytest.mark.long
def test_real_events(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    for k in range(2):
        simulate("random", World(players=8, rounds=3), replicate=k).write(
            folder / str(k)
        )
    output = tmp_path / "results.csv"
    frame = compare_on_events(["excalibur", "random"], folder, output=output)
    assert frame["model"].unique().tolist() == ["played", "excalibur", "random"]
    assert frame["replicate"].unique().tolist() == ["0/matches.csv", "1/matches.csv"]
    assert len(frame) == 3 * 2 * 3
    floats = frame.pivot_table("floats", ["replicate", "round"], "model")
    assert (floats["excalibur"] <= floats["played"]).all()
    again = tmp_path / "again.csv"
    compare_on_events(["excalibur", "random"], folder, output=again, jobs=2)
    assert again.read_bytes() == output.read_bytes()
    with pytest.raises(UsageError, match="no events"):
        compare_on_events(["excalibur"], tmp_path / "nothing")


@pytest.mark.long
def test_events_called_as_numbers_are_kept_as_they_are_called(tmp_path: Path) -> None:
    folder, whole, broken = (
        tmp_path / "events",
        tmp_path / "whole.csv",
        tmp_path / "r.csv",
    )
    players = tmp_path / "players.csv"
    players.write_text("player\na\nb\n", encoding="utf-8")
    folder.mkdir()
    for name in ("010", "1.500"):
        one = str(folder / name)
        for call in (
            ["new", one, "--players", str(players)],
            ["pair", one],
            ["result", one, "1", "3-0"],
        ):
            assert CliRunner().invoke(main, call).exit_code == 0

    def stop(done: int, _total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    frame = compare_on_events(["random"], folder, output=whole)
    assert frame["replicate"].unique().tolist() == ["010", "1.500"]
    with pytest.raises(KeyboardInterrupt):
        compare_on_events(["random"], folder, output=broken, watch=stop)
    compare_on_events(["random"], folder, output=broken)
    assert broken.read_bytes() == whole.read_bytes()
    assert "010,1," in whole.read_text("utf-8")


def test_event_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    players = tmp_path / "players.csv"
    players.write_text("player\na\nb\nc\nd\n", encoding="utf-8")
    simulate("random", World(players=6, rounds=2)).write(two)
    for call in (
        ["new", str(one), "--players", str(players)],
        ["pair", str(one)],
        ["result", str(one), "1", "3-0"],
        ["result", str(one), "2", "3-0"],
    ):
        assert CliRunner().invoke(main, call).exit_code == 0
    players.unlink()
    assert (one / "log.csv").is_file()
    frame = compare_on_events(["random"], tmp_path)
    assert frame["replicate"].unique().tolist() == ["one", "two/matches.csv"]
    monkeypatch.chdir(one)
    assert compare_on_events(["random"], ".")["replicate"].unique().tolist() == ["one"]


@pytest.mark.long
class TestDask:
    @pytest.fixture
    def cluster(
        self, tmp_path: Path
    ) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
        """A scheduler and two workers, each a process of its own."""
        pytest.importorskip(
            "distributed", reason="dask is not installed: pairopt[dask]"
        )
        where, environment = (
            tmp_path / "scheduler.json",
            os.environ | {"PYTHONPATH": str(ROOT)},
        )
        common = ["--scheduler-file", str(where)]
        commands = [
            [
                "scheduler",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--no-dashboard",
                *common,
            ],
            *[
                [
                    "worker",
                    "--nthreads",
                    "1",
                    "--no-nanny",
                    "--no-dashboard",
                    "--local-directory",
                    str(tmp_path / f"worker{k}"),
                    *common,
                ]
                for k in range(2)
            ],
        ]
        with contextlib.ExitStack() as stack:
            processes = []
            for command in commands:
                process = subprocess.Popen(
                    [
                        sys.executable,
                        "-m",
                        "distributed.cli.dask_" + command[0],
                        *command[1:],
                    ],
                    env=environment,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                stack.callback(process.wait)
                stack.callback(process.kill)
                processes.append(process)
                if command[0] == "scheduler":
                    wait_until(
                        lambda: (
                            where.is_file() and where.read_text().rstrip().endswith("}")
                        )
                    )
            address = str(pd.read_json(where, typ="series")["address"])
            import distributed

            with distributed.Client(address) as client:
                client.wait_for_workers(2, timeout=PATIENCE)
            yield address, processes

    @pytest.mark.slow
    def test_a_cluster_of_which_a_worker_is_killed(
        self,
        serial: bytes,
        cluster: tuple[str, list[subprocess.Popen[bytes]]],
        tmp_path: Path,
    ) -> None:
        address, (_, worker, _) = cluster
        output, killed = tmp_path / "results.csv", threading.Event()

        def kill(done: int, _total: int) -> None:
            if done >= 1 and not killed.is_set():
                worker.send_signal(signal.SIGKILL)
                worker.wait()
                killed.set()

        compare_models(
            MODELS,
            WORLD,
            replicates=COUNT,
            seed=1,
            scheduler=address,
            output=output,
            watch=kill,
        )
        assert killed.is_set()
        assert output.read_bytes() == serial

    @pytest.mark.slow
    def test_all_workers_are_killed(
        self,
        serial: bytes,
        cluster: tuple[str, list[subprocess.Popen[bytes]]],
        tmp_path: Path,
    ) -> None:
        """The error says how long it waited for a worker, and the run goes on elsewhere."""
        address, (_, *workers) = cluster
        output, killed = tmp_path / "results.csv", threading.Event()

        def kill(done: int, _total: int) -> None:
            if done >= 1 and not killed.is_set():
                for worker in workers:
                    worker.send_signal(signal.SIGKILL)
                    worker.wait()
                killed.set()

        with pytest.raises(UsageError, match="no worker process for 20 seconds"):
            compare_models(
                MODELS,
                WORLD,
                replicates=COUNT,
                seed=1,
                scheduler=address,
                output=output,
                watch=kill,
            )
        assert killed.is_set()
        compare_models(MODELS, WORLD, replicates=COUNT, seed=1, output=output)
        assert output.read_bytes() == serial

    @pytest.mark.sweep
    def test_own_code_travels(
        self, cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path
    ) -> None:
        address, _ = cluster
        (tmp_path / "only_here.py").write_text(
            "HALF = 0.5\ndef half(played):\n    return HALF\n", encoding="utf-8"
        )
        own = load_plugins([f"{tmp_path / 'only_here.py'}:half"])
        try:
            frame = compare_models(
                ["random"],
                WORLD,
                replicates=2,
                metrics=[own["half"]],
                scheduler=address,
            )
        finally:
            sys.path.remove(str(tmp_path))
        assert frame["half"].dropna().tolist() == [0.5, 0.5]

    @pytest.mark.slow
    def test_a_scheduler_that_dies(
        self,
        serial: bytes,
        cluster: tuple[str, list[subprocess.Popen[bytes]]],
        tmp_path: Path,
    ) -> None:
        address, (scheduler, *_) = cluster
        output = tmp_path / "results.csv"

        def kill(done: int, _total: int) -> None:
            if done == 1:
                scheduler.send_signal(signal.SIGKILL)
                scheduler.wait()

        with pytest.raises(
            UsageError,
            match=f"The scheduler {address} was lost during the work",
        ):
            compare_models(
                MODELS,
                WORLD,
                replicates=COUNT,
                seed=1,
                scheduler=address,
                output=output,
                watch=kill,
            )
        assert not output.exists()
        compare_models(MODELS, WORLD, replicates=COUNT, seed=1, output=output)
        assert output.read_bytes() == serial

    def test_an_address_where_nobody_listens(self) -> None:
        pytest.importorskip(
            "distributed", reason="dask is not installed: pairopt[dask]"
        )
        with pytest.raises(UsageError, match="scheduler nonsense"):
            compare_models(["random"], WORLD, replicates=1, scheduler="nonsense://")


@pytest.mark.long
class TestShards:
    @pytest.mark.sweep
    @pytest.mark.usefixtures("sketched")
    def test_they_join_to_the_same_bytes(self, tmp_path: Path) -> None:
        file = tmp_path / "study.toml"
        file.write_text(
            "models = ['excalibur', 'random']\nreplicates = 25\nseed = 3\n"
            "[world]\nplayers = 6\nrounds = 2\n[grid]\nrating_error = [0, 'unrated']\n",
            "utf-8",
        )
        design = read_study(file)
        run_study(design, tmp_path / "whole")
        parts = [
            run_shard(design, tmp_path / f"part{first}", first, count)
            for first, count in ((0, 10), (10, 10), (20, 5))
        ]
        assert parts == [40, 40, 20]
        (tmp_path / "joined" / "games.parts").mkdir(parents=True)
        for path in tmp_path.glob("part*/games.parts/*.zip"):
            shutil.copy(path, tmp_path / "joined" / "games.parts")
        played: list[int] = []
        run_study(
            design, tmp_path / "joined", watch=lambda done, _: played.append(done)
        )
        assert played == [12]  # all were there
        names = [
            path.relative_to(tmp_path / "whole")
            for path in (tmp_path / "whole").rglob("*")
        ]
        assert len(names) > 10
        for name in names:
            if (tmp_path / "whole" / name).is_file():
                one, two = (tmp_path / each / name for each in ("whole", "joined"))
                assert one.read_bytes() == two.read_bytes(), name

    @pytest.mark.sweep
    def test_the_scripts_for_slurm(self, tmp_path: Path) -> None:
        """The page's jobs, as an array of three, and the one that joins them: the same bytes."""
        scripts = pages.blocks(pages.page("laboratory"), "bash")
        array, join = (text for text in scripts if "#SBATCH" in text)
        (tmp_path / "study.toml").write_text(
            "models = ['random']\nreplicates = 25\n[world]\nplayers = 6\nrounds = 2\n",
            "utf-8",
        )
        array = array.replace("* 100", "* 10").replace("--count 100", "--count 10")
        array = array.replace(
            "--count 10", "--count $((SLURM_ARRAY_TASK_ID < 2 ? 10 : 5))"
        )
        for job in (2, 0, 1):
            done = pages.run(f"SLURM_ARRAY_TASK_ID={job}\n{array}", tmp_path)
            assert done.returncode == 0, done.stderr
        before, _, after = join.partition("pairopt study run")
        assert pages.run(before, tmp_path).returncode == 0
        played = {path.name for path in tmp_path.glob("part*/games.parts/*.zip")}
        assert len(played) == 3
        assert {path.name for path in tmp_path.glob("whole/games.parts/*")} == played
        done = pages.run(f"pairopt study run{after}", tmp_path)
        assert done.returncode == 0, done.stderr
        assert "everything agrees" in done.stdout
        run_study(read_study(tmp_path / "study.toml"), tmp_path / "once")
        sums = [
            (tmp_path / name / "SHA256SUMS").read_bytes() for name in ("whole", "once")
        ]
        assert sums[0] == sums[1]

    @pytest.mark.parametrize(
        ("first", "count"), [(5, 10), (0, 5), (30, 10), (-10, 10), (0, 0)]
    )
    def test_parts_that_none_can_be(
        self, tmp_path: Path, first: int, count: int
    ) -> None:
        file = tmp_path / "study.toml"
        file.write_text("models = ['random']\nreplicates = 25\n", "utf-8")
        with pytest.raises(UsageError, match="must be multiples of 10"):
            run_shard(read_study(file), tmp_path / "part", first, count)
        assert not (tmp_path / "part").exists()
