"""Comparison: models on equal luck, or on the rounds of real events; one tidy table."""

import logging
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from math import inf
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any, Final, TypedDict, Unpack, get_args

import pandas as pd

from pairopt.errors import UsageError, require_extra
from pairopt.event.event import Event
from pairopt.lab import tasks
from pairopt.lab.arguments import (
    require,
    require_choice,
    require_list,
    require_numbers,
    require_path,
    require_whole,
)
from pairopt.lab.contenders import Contender, ContenderLike, contender_of
from pairopt.lab.grid import cells_of
from pairopt.lab.identity import name_of, travelling
from pairopt.lab.metrics import METRICS, Metric, metric_columns, ranges_of
from pairopt.lab.rankings import Ranking, Tau, ranking_of
from pairopt.lab.statistics.comparing import baseline_of, estimates
from pairopt.lab.table import Frames, by_world, concatenate_parts, study_columns
from pairopt.lab.task_cache import NOTHING_KEPT, TaskCache
from pairopt.lab.tasks import REPLICATES, Task
from pairopt.lab.world import World, require_world
from pairopt.problem.model import Model
from pairopt.problem.options import Choose
from pairopt.processes import run_in_processes
from pairopt.rules.plugins import resolve_name

Watch = Callable[
    [int, int], None
]  # told how many tasks are done, and how many there are


class ExecutionOptions(TypedDict, total=False):
    """By whom tasks are done, so many processes or a Dask cluster, and who is told of it."""

    jobs: int
    scheduler: str | None
    watch: Watch | None


def run_tasks(
    tasks: Sequence[Task],
    parts: TaskCache = NOTHING_KEPT,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    watch: Watch | None = None,
) -> list[Frames]:
    """Do all tasks; their tables in the order of the tasks. Each is kept among `parts` as soon as
    it is there, and not done again; the caller ends it with `finish`.
    """
    if jobs < 1 or (scheduler is not None and jobs > 1):
        raise UsageError("study.jobs_unfit")
    parts.require_free(tasks)
    found = map(parts.read, tasks)
    made = {k: frames for k, frames in enumerate(found) if frames is not None}
    left = [(k, task) for k, task in enumerate(tasks) if k not in made]
    done: Iterable[tuple[int, Frames]] = (_run(number, task) for number, task in left)
    if scheduler is not None or jobs > 1:
        done = (
            run_in_processes(_run, left, jobs)
            if scheduler is None
            else _dask(left, scheduler)
        )
    tell = watch or (lambda *_: None)
    tell(len(made), len(tasks))
    for k, frames in done:
        made[k] = frames
        parts.write(tasks[k], frames)
        tell(len(made), len(tasks))
    return [made[k] for k in range(len(tasks))]


def _run(number: int, task: Task) -> tuple[int, Frames]:
    return number, task.frames()


def _packed(left: Sequence[tuple[int, Task]]) -> Iterator[tuple[int, bytes]]:
    """The tasks with what is in modules of one's own, which workers do not have."""
    # Only dask sends code to other machines.
    import cloudpickle

    for _, task in left:
        _ = task.name  # which looks at all that the task is made of
    for module in travelling():
        if (
            sys.modules.get(module.__name__) is module
        ):  # it may have been imported anew since
            cloudpickle.register_pickle_by_value(module)
    return ((number, cloudpickle.dumps(task)) for number, task in left)


def _run_packed(number: int, task: bytes) -> tuple[int, Frames]:
    return _run(number, pickle.loads(task))  # noqa: S301 - from the study itself


ALONE: Final = 20  # seconds without any worker after which a cluster is given up


def _dask(
    left: Sequence[tuple[int, Task]], scheduler: str
) -> Iterator[tuple[int, Frames]]:
    """On a cluster; what a worker had when it was lost is done by another."""
    distributed = require_extra("distributed", "a scheduler needs Dask", "dask")
    try:
        client: Any = distributed.Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError(
            "study.scheduler_failed", address=scheduler, why=str(error)
        ) from None
    logging.getLogger("distributed.client").setLevel(
        logging.CRITICAL
    )  # a lost one is said below
    try:
        with client:
            futures = [
                client.submit(_run_packed, *each, pure=False) for each in _packed(left)
            ]
            finished: Any = distributed.as_completed(futures)
            seen = monotonic()
            while not finished.is_empty():
                if finished.has_ready() or client.scheduler_info()["workers"]:
                    seen = monotonic()
                if finished.has_ready():
                    yield next(finished).result()
                elif monotonic() - seen > ALONE:
                    raise UsageError(
                        "study.workers_lost", address=scheduler, seconds=ALONE
                    )
                else:
                    sleep(0.02)
    except (OSError, CancelledError, distributed.KilledWorker) as error:
        kind = type(error).__name__
        raise UsageError(
            "study.scheduler_lost", address=scheduler, error=kind
        ) from None


LEAST: Final = 20
"""Tournaments a model before the first look: with fewer a width says little of itself."""


def replicate_targets(first: int, most: int) -> Iterator[int]:
    """How many tournaments there are at each look: an eighth more, in whole tasks, up to `most`."""
    count = first
    while count < most:
        yield count
        count = -(-(count + -(-count // 8)) // REPLICATES) * REPLICATES
    yield most


def half_widths(
    frame: pd.DataFrame, metrics: Mapping[str, float], baseline: str | None
) -> dict[str, float]:
    """The largest half-width of a 95 % interval in each of these metrics, in any world: of the
    differences to the baseline, or of the mean where there is one model.
    """
    names = list(metrics)
    first = baseline_of(frame, baseline) if len(set(frame["model"])) > 1 else None
    worlds = [estimates(rows, names, first) for _, rows in by_world(frame)]
    if empty := [name for name in names for found in worlds if name not in found]:
        raise UsageError("study.precision_no_values", metric=empty[0])
    return {
        name: max(one.arm() for found in worlds for one in found[name].values())
        for name in names
    }


def require_widths(wanted: Mapping[str, float], first: int, most: int) -> None:
    """Raises UsageError for widths or numbers of tournaments that cannot be."""
    if wrong := [name for name, width in wanted.items() if not 0 < width < inf]:
        raise UsageError("study.precision_unfit", metric=wrong[0])
    if not LEAST <= first <= most:
        raise UsageError(
            "study.precision_replicates", least=LEAST, most=most, found=first
        )


def compare_models(
    models: Sequence[ContenderLike],
    world: World | Sequence[World] | None = None,
    *,
    replicates: int = 100,
    seed: int = 0,
    metrics: Sequence[Metric | str] = (),
    rankings: Sequence[Ranking | str] = (),
    jobs: int = 1,
    scheduler: str | None = None,
    timings: bool = False,
    choose: Choose = "uniform",
    precision: Mapping[str, float] | None = None,
    baseline: str | None = None,
    most: int = 10_000,
    output: str | Path | None = None,
    games: str | Path | None = None,
    overwrite: bool = True,
    watch: Watch | None = None,
) -> pd.DataFrame:
    """Play `replicates` whole tournaments under each model or other contender, on equal luck.

    `models` are names, paths or models, see `orderings`, and other `pairopt.lab.contenders`; of
    several worlds, see `grid`, each has its rows. `metrics` are measured besides, and the tau of
    `rankings`, `kendall_<name>`. `jobs` are processes on this machine, `scheduler` is the address
    of a Dask scheduler. With `timings` a column `seconds` is for the pairing of each round. With a
    `precision` it is played until no 95 % interval in these metrics has a larger half-width, of a
    difference to the model `baseline` or of the one model's mean, at two looks one after the other:
    `replicates` first, then an eighth more each time, `most` at the most. `output` and `games` are
    files, CSV or .parquet, of the rounds and of all matches; a run that was stopped goes on where
    it was. `watch` is told how many parts are done, and how many there are.

    One row a model, replicate and round, see `pairopt.lab.metrics`. A round without a pairing has
    only its `status`. Several worlds have columns `world_...`.
    """
    call = "compare_models"
    require_list(call, "metrics", metrics, '["winner", "ndcg"]')
    require_list(call, "rankings", rankings, '["buchholz+wins"]')
    require_whole(call, "replicates", replicates, 100)
    require_whole(call, "seed", seed, 1)
    require_whole(call, "jobs", jobs, 2)
    require_whole(call, "most", most, 10_000)
    require_choice(call, "choose", choose, get_args(Choose))
    require_numbers(call, "precision", precision, '{"kendall": 0.01}')
    require_path(call, "output", output, "rounds.csv")
    require_path(call, "games", games, "games.csv")
    _require_helpers(call, scheduler, watch)
    if replicates < 1:
        raise UsageError("study.no_replicates")
    worlds = worlds_from(call, world)
    measured, chosen = measures(metrics, rankings), select_methods(models)
    if not worlds:
        raise UsageError("study.no_worlds")
    studies = studies_of(chosen, worlds, seed, measured, timings, choose, games)
    with TemporaryDirectory() as folder:
        kept = Path(folder, "rounds.csv") if precision and output is None else output
        parts = TaskCache(kept, games, overwrite)
        return play(
            studies,
            parts,
            replicates,
            precision,
            baseline,
            most,
            jobs=jobs,
            scheduler=scheduler,
            watch=watch,
        )


def _require_helpers(call: str, scheduler: object, watch: object) -> None:
    """Raise UsageError for an address that is no text, and for a `watch` that can't be called."""
    is_address = scheduler is None or isinstance(scheduler, str)
    expected = 'an address, for example scheduler="tcp://10.0.0.1:8786"'
    require(is_address, call, "scheduler", scheduler, expected)
    expected = "a function of two numbers, for example watch=print"
    require(watch is None or callable(watch), call, "watch", watch, expected)


def worlds_from(call: str, world: World | Sequence[World] | None) -> list[World]:
    """List the worlds that an argument names. Raises UsageError for what is no world."""
    if world is None or isinstance(world, World):
        return [world or World()]
    worlds = (
        [*world]
        if isinstance(world, Iterable) and not isinstance(world, str)
        else [world]
    )
    for each in worlds:
        require_world(call, each)
    return worlds


def measures(
    metrics: Sequence[Metric | str], rankings: Sequence[Ranking | str]
) -> tuple[Metric, ...]:
    """What is measured besides. Raises UsageError for a name that there is not."""
    measured = (
        resolve_name(each, METRICS) if isinstance(each, str) else each
        for each in metrics
    )
    ranked = (
        Tau(ranking_of(each) if isinstance(each, str) else each) for each in rankings
    )
    return *measured, *ranked


def studies_of(
    contenders: Sequence[Model | Contender],
    worlds: Sequence[World],
    seed: int,
    measured: tuple[Metric, ...] = (),
    timings: bool = False,
    choose: Choose = "any",
    games: object = None,
) -> list[tasks.Study]:
    """What is played: each contender in each world; the games are kept unless `games` is None.
    Raises UsageError for worlds and metrics that have one column between them.
    """
    cells = cells_of(worlds)
    metric_columns(measured, study_columns(True, (), [name for name, _ in cells[0]]))
    ranges_of(measured)  # before anything is played
    return [
        tasks.Study(
            contender, one, seed, measured, timings, choose, games is not None, cell
        )
        for one, cell in zip(worlds, cells, strict=True)
        for contender in contenders
    ]


def play(
    studies: Sequence[tasks.Study],
    parts: TaskCache,
    replicates: int,
    precision: Mapping[str, float] | None = None,
    baseline: str | None = None,
    most: int = 10_000,
    **how: Unpack[ExecutionOptions],
) -> pd.DataFrame:
    """The rounds of all of them, which are kept among `parts`; see `compare_models`."""
    made = play_parts(studies, parts, replicates, precision, baseline, most, **how)
    return _frame(studies, made)


def _frame(studies: Sequence[tasks.Study], made: Sequence[Frames]) -> pd.DataFrame:
    frame = concatenate_parts([each["rounds"] for each in made])
    frame.attrs["ranges"] = ranges_of(studies[0].metrics)
    return frame


def play_parts(
    studies: Sequence[tasks.Study],
    parts: TaskCache,
    replicates: int,
    precision: Mapping[str, float] | None = None,
    baseline: str | None = None,
    most: int = 10_000,
    **how: Unpack[ExecutionOptions],
) -> list[Frames]:
    """The tables of all their parts, in order."""
    if precision:
        if len({study.cells for study in studies}) > 1:
            raise UsageError("study.precision_worlds")
        require_widths(precision, replicates, most)
    reached = False
    for count in replicate_targets(replicates, most) if precision else [replicates]:
        todo = tasks.simulation_tasks(studies, count, parts.names)
        made = run_tasks(todo, parts, **how)
        widths = (
            half_widths(_frame(studies, made), precision, baseline) if precision else {}
        )
        before, reached = (
            reached,
            all(widths[name] <= width for name, width in (precision or {}).items()),
        )
        if before and reached:
            break
    parts.finish(todo, made)
    return made


def compare_on_events(
    models: Sequence[ContenderLike],
    folder: str | Path,
    *,
    seed: int = 0,
    jobs: int = 1,
    scheduler: str | None = None,
    timings: bool = False,
    choose: Choose = "uniform",
    output: str | Path | None = None,
    overwrite: bool = True,
    watch: Watch | None = None,
) -> pd.DataFrame:
    """Pair every round of each event of a folder again, from the rounds that were played before.

    The rows are those of `compare_models`, with the event's name as `replicate` and without what
    needs true strengths; model "played" is what was really played.
    """
    require_whole("compare_on_events", "seed", seed, 1)
    require_whole("compare_on_events", "jobs", jobs, 2)
    require_choice("compare_on_events", "choose", choose, get_args(Choose))
    require_path("compare_on_events", "output", output, "rounds.csv")
    _require_helpers("compare_on_events", scheduler, watch)
    is_folder = isinstance(folder, str | PathLike)
    expected = 'the path of a folder, for example folder="events"'
    require(is_folder, "compare_on_events", "folder", folder, expected)
    if output is not None and Path(folder).resolve() in Path(output).resolve().parents:
        raise UsageError("study.output_among_events", path=str(output))
    chosen = select_methods(models, tasks.PLAYED)
    todo = tasks.repair_tasks(chosen, events_in(Path(folder)), seed, timings, choose)
    parts = TaskCache(output, None, overwrite)
    return play_events(todo, parts, jobs=jobs, scheduler=scheduler, watch=watch)


def play_events(
    todo: Sequence[tasks.Task], parts: TaskCache, **how: Unpack[ExecutionOptions]
) -> pd.DataFrame:
    """The rounds of real events, which are kept among `parts`."""
    made = run_tasks(todo, parts, **how)
    parts.finish(todo, made)
    return concatenate_parts([each["rounds"] for each in made])


def events_in(folder: Path) -> list[tuple[str, Event]]:
    """The events of a folder: event folders, and files of any format that is read. Raises
    UsageError where there are none.
    """
    # Most studies play random events and read no file.
    from pairopt.files import read_event
    from pairopt.files.event_folder import EVENT
    from pairopt.files.formats import format_usual_suffixes, list_suffixes

    homes = {path.parent for path in folder.rglob(EVENT)}
    files = (
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in list_suffixes()
        and path.name != "players.csv"
        and homes.isdisjoint(path.parents)
    )
    found = []
    for path in sorted([*homes, *files]):
        players = path.parent / "players.csv"
        own = path.name == "matches.csv" and players.is_file()
        name = (
            folder.resolve().name
            if path == folder
            else path.relative_to(folder).as_posix()
        )
        found.append((name, read_event(path, players if own else None)))
    if not found:
        raise UsageError(
            "study.no_events", folder=str(folder), formats=format_usual_suffixes()
        )
    return found


def select_methods(
    models: Sequence[ContenderLike], *taken: str
) -> list[Model | Contender]:
    """The contenders. Raises UsageError for none, and for a name used twice or already taken."""
    require_list("compare_models", "models", models, '["standard", "monrad"]')
    loaded = [contender_of(model) for model in models]
    names = [*taken, *map(name_of, loaded)]
    if not loaded:
        raise UsageError("study.no_models")
    if twice := [name for k, name in enumerate(names) if name in names[:k]]:
        raise UsageError("study.model_twice", model=repr(twice[0]))
    return loaded
