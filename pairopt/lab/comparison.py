"""Compare models on simulated tournaments, or on the rounds of real events, in one tidy table."""

import logging
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
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
from pairopt.lab.contenders import Contender, ContenderLike, resolve_contender
from pairopt.lab.grid import list_world_cells
from pairopt.lab.identity import list_user_modules, name_of
from pairopt.lab.metrics import METRICS, Metric, collect_ranges, list_metric_columns
from pairopt.lab.progress import show_progress
from pairopt.lab.rankings import Ranking, Tau, resolve_ranking
from pairopt.lab.statistics.comparing import baseline_of, estimates
from pairopt.lab.table import Frames, by_world, concatenate_parts, study_columns
from pairopt.lab.task_cache import NOTHING_KEPT, TaskCache
from pairopt.lab.tasks import REPLICATES, Task
from pairopt.lab.world import World, require_world
from pairopt.problem.model import Model
from pairopt.problem.options import Choose
from pairopt.processes import run_in_processes
from pairopt.rules.plugins import resolve_name

Watch = Callable[[int, int], None]
"""A function that is called with the numbers of finished tasks and of all tasks."""


class ExecutionOptions(TypedDict, total=False):
    """Optional keyword arguments of `run_tasks`: where tasks run, and who watches.

    `jobs` is the number of processes on this machine, `scheduler` the address of a Dask
    cluster, and `watch` a function that is called with the numbers of finished tasks
    and of all tasks.
    """

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
    """Run all tasks that are not cached, and return the tables of all tasks in order.

    Each item of the result has the DataFrames of one task by name. The tasks run in
    `jobs` processes, or on the Dask cluster at the address `scheduler`. `parts` returns
    the tables of tasks that an earlier run finished, and each other task is stored in
    it as soon as it is finished; the caller then calls `finish` of `parts`. `watch` is
    called with the numbers of finished tasks and of all tasks, first with the number of
    cached ones. Raises UsageError for `jobs` below 1, or above 1 with a scheduler, and
    if `parts` may not overwrite its files.
    """
    if jobs < 1 or (scheduler is not None and jobs > 1):
        raise UsageError("study.jobs_unfit")
    parts.require_free(tasks)

    frames_of_task = {}
    for task_position, task in enumerate(tasks):
        frame_by_name = parts.read(task)
        if frame_by_name is not None:
            frames_of_task[task_position] = frame_by_name
    unfinished_tasks = [
        (task_position, task)
        for task_position, task in enumerate(tasks)
        if task_position not in frames_of_task
    ]

    finished_frames: Iterable[tuple[int, Frames]]
    if scheduler is not None:
        finished_frames = _run_on_dask(unfinished_tasks, scheduler)
    elif jobs > 1:
        finished_frames = run_in_processes(_run_task, unfinished_tasks, jobs)
    else:
        finished_frames = (
            _run_task(task_number, task) for task_number, task in unfinished_tasks
        )

    report_progress = watch or (lambda *_: None)
    report_progress(len(frames_of_task), len(tasks))
    for task_position, frame_by_name in finished_frames:
        frames_of_task[task_position] = frame_by_name
        parts.write(tasks[task_position], frame_by_name)
        report_progress(len(frames_of_task), len(tasks))
    return [frames_of_task[task_position] for task_position in range(len(tasks))]


def _run_task(number: int, task: Task) -> tuple[int, Frames]:
    """Run a task, and return `number`, its position in the list, with its tables.

    The tables are DataFrames by name. It is a function at module level, so that other
    processes can call it.
    """
    return number, task.frames()


def _pickle_tasks(
    unfinished: Sequence[tuple[int, Task]],
) -> Iterator[tuple[int, bytes]]:
    """Return an iterator over the number and cloudpickle bytes of each task, for Dask.

    `unfinished` are pairs of a number and a task. The code of the user's own modules is
    part of the bytes, because workers cannot import it: the call registers these
    modules with cloudpickle, before the first task is pickled. It finds them by
    computing the tasks' names.
    """
    # Only dask sends code to other machines.
    import cloudpickle

    for _, task in unfinished:
        # the name finds all modules that the task depends on
        _ = task.name
    for user_module in list_user_modules():
        # it may have been imported again since
        if sys.modules.get(user_module.__name__) is user_module:
            cloudpickle.register_pickle_by_value(user_module)
    return ((task_number, cloudpickle.dumps(task)) for task_number, task in unfinished)


def _run_pickled_task(number: int, task: bytes) -> tuple[int, Frames]:
    """Unpickle and run a task on a Dask worker; return `number` and its tables.

    `number` is the position of the task in the list of all tasks.
    """
    return _run_task(number, pickle.loads(task))  # noqa: S301 - from the study itself


# seconds without any worker after which a cluster is given up
ALONE: Final = 20


def _run_on_dask(
    unfinished: Sequence[tuple[int, Task]], scheduler: str
) -> Iterator[tuple[int, Frames]]:
    """Run numbered tasks on a Dask cluster, and yield their tables as they finish.

    Each item is the number of a task and its tables, in the order of finishing. The
    tasks of a lost worker run again on another one. Raises UsageError if the cluster
    cannot be reached or is lost, or has had no worker for 20 (`ALONE`) seconds.
    `unfinished` are pairs of a number and a task, and `scheduler` is the address of the
    cluster.
    """
    distributed = require_extra("distributed", "a scheduler needs Dask", "dask")
    try:
        dask_client: Any = distributed.Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError(
            "study.scheduler_failed", address=scheduler, why=str(error)
        ) from None

    # a lost scheduler is reported below
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        with dask_client:
            task_futures = [
                dask_client.submit(
                    _run_pickled_task, task_number, pickled_task, pure=False
                )
                for task_number, pickled_task in _pickle_tasks(unfinished)
            ]
            finished_futures: Any = distributed.as_completed(task_futures)
            worker_last_seen_at = monotonic()
            while not finished_futures.is_empty():
                if (
                    finished_futures.has_ready()
                    or dask_client.scheduler_info()["workers"]
                ):
                    worker_last_seen_at = monotonic()
                if finished_futures.has_ready():
                    yield next(finished_futures).result()
                elif monotonic() - worker_last_seen_at > ALONE:
                    raise UsageError(
                        "study.workers_lost", address=scheduler, seconds=ALONE
                    )
                else:
                    sleep(0.02)
    except (OSError, CancelledError, distributed.KilledWorker) as error:
        error_name = type(error).__name__
        raise UsageError(
            "study.scheduler_lost", address=scheduler, error=error_name
        ) from None


LEAST: Final = 20
"""Tournaments per model before the first look: interval widths from fewer are unreliable."""


def replicate_targets(initial: int, most: int) -> Iterator[int]:
    """Yield the number of tournaments at each look, from `initial` to `most`.

    Each is at least an eighth more than the one before, rounded up to a multiple of 10,
    the size of a task. The last one is exactly `most`; it is the only one if `initial`
    is not below it.
    """
    target_replicates = initial
    while target_replicates < most:
        yield target_replicates
        larger_target = target_replicates + -(-target_replicates // 8)
        target_replicates = -(-larger_target // REPLICATES) * REPLICATES
    yield most


def half_widths(
    frame: pd.DataFrame, metrics: Mapping[str, float], baseline: str | None
) -> dict[str, float]:
    """Return the largest half-width of each metric's 95 % intervals over all worlds.

    `frame` is the table of rounds. The keys of the result are those of `metrics`, whose
    values are not used. The intervals are those of each model's difference to the
    baseline (None: the first model), or of the mean if the table has only one model.
    Raises UsageError for an unknown metric or baseline, and for a metric that has no
    values in one of the worlds.
    """
    metric_names = list(metrics)
    has_several_models = len(set(frame["model"])) > 1
    reference_model = baseline_of(frame, baseline) if has_several_models else None
    estimates_by_world = [
        estimates(world_rows, metric_names, reference_model)
        for _, world_rows in by_world(frame)
    ]

    width_of_metric = {}
    for metric in metric_names:
        if any(metric not in world_estimates for world_estimates in estimates_by_world):
            raise UsageError("study.precision_no_values", metric=metric)
        width_of_metric[metric] = max(
            estimate.arm()
            for world_estimates in estimates_by_world
            for estimate in world_estimates[metric].values()
        )
    return width_of_metric


def require_widths(widths: Mapping[str, float], initial: int, most: int) -> None:
    """Raise UsageError for half-widths or numbers of tournaments that cannot be used.

    `widths` has the wanted half-width of each metric, which must be positive and
    finite. `initial` and `most` are the first and the largest number of tournaments per
    model; `initial` must be at least 20 (`LEAST`), and at most `most`.
    """
    for metric, half_width in widths.items():
        if not 0 < half_width < inf:
            raise UsageError("study.precision_unfit", metric=metric)
    if not LEAST <= initial <= most:
        raise UsageError(
            "study.precision_replicates", least=LEAST, most=most, found=initial
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
    display: bool = False,
    levels: bool = False,
) -> pd.DataFrame:
    """Play tournaments under several models or contenders, and tabulate all rounds.

    All models pair the same tournaments. Players, strengths and the random numbers for
    results are common to all models (common random numbers).

    Parameters
    ----------
    models
        Names or paths of models, models (for example from `orderings`), or other
        contenders.
    world
        The simulation scenario, by default `World()`. Or several scenarios, for example
        from `grid`; each has its own rows in the table.
    replicates
        The number of tournaments per model and world.
    seed
        The seed of all random numbers.
    metrics
        Further metrics, by name, for example "winner", or as functions of a `Tournament`.
    rankings
        Rankings to evaluate. For each ranking, a column `kendall_<name>` has Kendall's
        tau with true strength.
    jobs
        The number of processes on this machine.
    scheduler
        The address of a Dask scheduler, instead of `jobs`.
    timings
        Whether to add a column `seconds` with the time that pairing each round took.
    choose
        "uniform" draws every pairing at random from the optimal ones, "any" takes one of them.
    precision
        Half-widths of 95 % confidence intervals, by metric. pairopt adds tournaments
        until each interval is narrow enough at two looks in a row. The intervals are
        those of the differences to the baseline; with one model, of its mean. The first
        look is after `replicates` tournaments, and each later look after an eighth
        more, up to `most`.
    baseline
        The model to compare with, by default the first one.
    most
        The largest number of tournaments if you set `precision`.
    output, games
        CSV files for the rounds and for all matches, `games` only with an `output`. If a
        run is stopped, the next one with the same output goes on from there.
    overwrite
        Whether files of another study may be replaced.
    watch
        A function that pairopt calls with the number of finished parts of the run, and
        the number of all parts.
    display
        Whether to show the progress of the run, with the time left.
    levels
        Whether to add a column `levels` with the level values of each round as a text. Files
        always have it.

    Returns
    -------
    DataFrame
        One row for each model, simulated tournament (replicate) and round, with the
        metrics of `pairopt.lab.metrics` as columns. If a round has no pairing, its row
        in the table has only a `status`. If you give several simulation scenarios,
        their fields are in columns whose names begin with `world_`.

    Raises
    ------
    UsageError
        If an argument has a value that is not possible.

    Examples
    --------
    >>> frame = compare_models(["standard", "monrad"], World(players=8, rounds=3), replicates=2)
    >>> len(frame)
    12
    """
    function_name = "compare_models"
    require_list(function_name, "metrics", metrics, '["winner", "ndcg"]')
    require_list(function_name, "rankings", rankings, '["buchholz+wins"]')
    require_whole(function_name, "replicates", replicates, 100)
    require_whole(function_name, "seed", seed, 1)
    require_whole(function_name, "jobs", jobs, 2)
    require_whole(function_name, "most", most, 10_000)
    require_choice(function_name, "choose", choose, get_args(Choose))
    require_numbers(function_name, "precision", precision, '{"kendall": 0.01}')
    require_path(function_name, "output", output, "rounds.csv")
    require_path(function_name, "games", games, "games.csv")
    _require_helpers(function_name, scheduler, watch)
    if replicates < 1:
        raise UsageError("study.no_replicates")
    worlds = list_worlds(function_name, world)
    all_metrics = resolve_metrics(metrics, rankings)
    contenders = select_methods(models)
    if not worlds:
        raise UsageError("study.no_worlds")
    studies = build_studies(
        contenders, worlds, seed, all_metrics, timings, choose, games
    )

    with TemporaryDirectory() as temporary_folder:
        # with a precision the tasks of each look are cached for the next one
        needs_temporary_cache = precision and output is None
        cached_output = (
            Path(temporary_folder, "rounds.csv") if needs_temporary_cache else output
        )
        task_cache = TaskCache(cached_output, games, overwrite)
        with _watch_progress(watch, display) as report_progress:
            rounds_frame = play(
                studies,
                task_cache,
                replicates,
                precision,
                baseline,
                most,
                jobs=jobs,
                scheduler=scheduler,
                watch=report_progress,
            )
    return (
        rounds_frame if levels else rounds_frame.drop(columns="levels", errors="ignore")
    )


@contextmanager
def _watch_progress(watch: Watch | None, display: bool) -> Iterator[Watch | None]:
    """Yield the function that a run reports its progress to, or None.

    Without `display` it is `watch` itself. Otherwise it is a function that moves a
    progress bar, which is shown until the end of the block, and then calls `watch` if
    that is given.
    """
    if not display:
        yield watch
        return
    with show_progress() as report_to_bar:

        def report_both(finished: int, total: int) -> None:
            """Report `finished` of `total` parts to the bar, then to `watch`.

            If `watch` is None, only the bar moves.
            """
            report_to_bar(finished, total)
            if watch is not None:
                watch(finished, total)

        yield report_both


def _require_helpers(call: str, scheduler: object, watch: object) -> None:
    """Raise UsageError unless `scheduler` is a text and `watch` is a function.

    Both may be None. `call` is the function that has these arguments.
    """
    is_address = scheduler is None or isinstance(scheduler, str)
    expected_text = 'an address, for example scheduler="tcp://10.0.0.1:8786"'
    require(is_address, call, "scheduler", scheduler, expected_text)
    is_function = watch is None or callable(watch)
    expected_text = "a function of two numbers, for example watch=print"
    require(is_function, call, "watch", watch, expected_text)


def list_worlds(call: str, world: World | Sequence[World] | None) -> list[World]:
    """List the worlds of an argument: one, several, or for None the default world.

    `call` names the function that has the argument, for the message. An empty sequence
    gives an empty list. Raises UsageError for a value that is no world.
    """
    if world is None:
        return [World()]
    worlds: list[World]
    if isinstance(world, Iterable) and not isinstance(world, str | World):
        worlds = [*world]
    else:
        worlds = [world]
    for possible_world in worlds:
        require_world(call, possible_world)
    return worlds


def resolve_metrics(
    metrics: Sequence[Metric | str], rankings: Sequence[Ranking | str]
) -> tuple[Metric, ...]:
    """Resolve further metrics and rankings, names or functions, to metrics.

    A ranking becomes the metric of its Kendall's tau with true strength, after the
    others. Raises UsageError for a name that does not exist.
    """
    resolved_metrics: list[Metric] = []
    for metric in metrics:
        if isinstance(metric, str):
            resolved_metrics.append(resolve_name(metric, METRICS))
        else:
            resolved_metrics.append(metric)
    for ranking in rankings:
        if isinstance(ranking, str):
            resolved_metrics.append(Tau(resolve_ranking(ranking)))
        else:
            resolved_metrics.append(Tau(ranking))
    return tuple(resolved_metrics)


def build_studies(
    contenders: Sequence[Model | Contender],
    worlds: Sequence[World],
    seed: int,
    metrics: tuple[Metric, ...] = (),
    timings: bool = False,
    choose: Choose = "any",
    games: object = None,
) -> list[tasks.Study]:
    """List the settings of each contender in each world, world by world.

    Within a world the contenders are in their order. Games are stored if `games` is
    anything but None. Raises UsageError for two equal worlds, for metrics that share a
    column, and for ranges of metrics that are not possible. `seed` is that of all
    random numbers, `timings` adds a column of seconds, and `choose` says which of
    several optimal pairings to take, "any" or "uniform" (at random).
    """
    setting_cells_by_world = list_world_cells(worlds)

    # errors in metrics, before anything is played
    world_columns = [setting_column for setting_column, _ in setting_cells_by_world[0]]
    list_metric_columns(metrics, study_columns(True, (), world_columns))
    collect_ranges(metrics)

    has_games = games is not None
    return [
        tasks.Study(
            contender, world, seed, metrics, timings, choose, has_games, setting_cells
        )
        for world, setting_cells in zip(worlds, setting_cells_by_world, strict=True)
        for contender in contenders
    ]


def play(
    studies: Sequence[tasks.Study],
    parts: TaskCache,
    replicates: int,
    precision: Mapping[str, float] | None = None,
    baseline: str | None = None,
    most: int = 10_000,
    **options: Unpack[ExecutionOptions],
) -> pd.DataFrame:
    """Play studies, store their tasks in `parts`, and return the table of all rounds.

    `studies` are the settings of each model in each world. Without `precision` each
    plays `replicates` tournaments. With it, half-widths of 95 % intervals by metric,
    the number grows from `replicates` until all are reached at two looks in a row, or
    until `most`; intervals are those of differences to the model `baseline`, None for
    the first. `options` say where tasks run: in `jobs` processes, or on the Dask
    cluster `scheduler`; `watch` is called with the numbers of finished and of all
    tasks. At the end `parts` writes its files. The table's attribute `ranges` has the
    ranges of the metrics. Raises UsageError for options or a precision that cannot be
    used.
    """
    task_frames = play_parts(
        studies, parts, replicates, precision, baseline, most, **options
    )
    return _join_rounds(studies, task_frames)


def _join_rounds(
    studies: Sequence[tasks.Study], results: Sequence[Frames]
) -> pd.DataFrame:
    """Join the tables "rounds" of all tasks to one table.

    Its attribute `ranges` has the ranges that the metrics of the first study declare;
    all studies have the same metrics. `results` has the tables of each task, by name.
    """
    rounds_frame = concatenate_parts(
        [frame_by_name["rounds"] for frame_by_name in results]
    )
    rounds_frame.attrs["ranges"] = collect_ranges(studies[0].metrics)
    return rounds_frame


def play_parts(
    studies: Sequence[tasks.Study],
    parts: TaskCache,
    replicates: int,
    precision: Mapping[str, float] | None = None,
    baseline: str | None = None,
    most: int = 10_000,
    **options: Unpack[ExecutionOptions],
) -> list[Frames]:
    """Play studies, store their tasks in `parts`, and return the tables of each task.

    `studies` are the settings of each model in each world. An item of the result has
    the tables of one task by name. Without `precision` each study plays `replicates`
    tournaments. With it, half-widths of 95 % intervals by metric, the number grows from
    `replicates` until all are reached at two looks in a row, or until `most`; intervals
    are those of differences to the model `baseline`, None for the first. At the end
    `parts` writes its files. `options` say where tasks run: in `jobs` processes, or on
    the Dask cluster `scheduler`; `watch` is called with the numbers of finished and of
    all tasks. Raises UsageError for a precision with several worlds, or one that is not
    positive or begins with fewer than 20 tournaments.
    """
    if not precision:
        planned_tasks = tasks.simulation_tasks(studies, replicates, parts.names)
        task_frames = run_tasks(planned_tasks, parts, **options)
        parts.finish(planned_tasks, task_frames)
        return task_frames

    if len({study.cells for study in studies}) > 1:
        raise UsageError("study.precision_worlds")
    require_widths(precision, replicates, most)
    # the intervals have to be narrow enough at two looks in a row
    is_precise = False
    for target_replicates in replicate_targets(replicates, most):
        planned_tasks = tasks.simulation_tasks(studies, target_replicates, parts.names)
        task_frames = run_tasks(planned_tasks, parts, **options)
        current_half_widths = half_widths(
            _join_rounds(studies, task_frames), precision, baseline
        )
        was_precise = is_precise
        is_precise = all(
            current_half_widths[metric] <= wanted_half_width
            for metric, wanted_half_width in precision.items()
        )
        if was_precise and is_precise:
            break
    parts.finish(planned_tasks, task_frames)
    return task_frames


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
    display: bool = False,
    levels: bool = False,
) -> pd.DataFrame:
    """Pair every round of each event in a folder again, from the rounds before it.

    Parameters
    ----------
    models
        Names or paths of models, models (for example from `orderings`), or other
        contenders.
    folder
        The path of a folder with event folders and files of any format that pairopt reads.
    seed
        The seed of all random choices.
    jobs
        The number of processes on this machine.
    scheduler
        The address of a Dask scheduler, instead of `jobs`.
    timings
        Whether to add a column `seconds` with the time that pairing each round took.
    choose
        "uniform" draws every pairing at random from the optimal ones, "any" takes one of them.
    output
        A CSV file for the rounds. If a run is stopped, the next one goes on from there.
    overwrite
        Whether a file of another study may be replaced.
    watch
        A function that pairopt calls with the number of finished parts of the run, and
        the number of all parts.
    display
        Whether to show the progress of the run, with the time left.
    levels
        Whether to add a column `levels` with the level values of each round as a text. Files
        always have it.

    Returns
    -------
    DataFrame
        One row for each model, event and round, as from `compare_models`. The column
        `replicate` has the name of the event. The table leaves out metrics that need
        true strengths. The rows of the model "played" measure the pairings that were
        really played.

    Raises
    ------
    UsageError
        If an argument has a value that is not possible, or the folder contains no
        events.

    Examples
    --------
    >>> frame = compare_on_events(["standard"], "events")  # doctest: +SKIP
    """
    require_whole("compare_on_events", "seed", seed, 1)
    require_whole("compare_on_events", "jobs", jobs, 2)
    require_choice("compare_on_events", "choose", choose, get_args(Choose))
    require_path("compare_on_events", "output", output, "rounds.csv")
    _require_helpers("compare_on_events", scheduler, watch)
    is_folder = isinstance(folder, str | PathLike)
    expected_text = 'the path of a folder, for example folder="events"'
    require(is_folder, "compare_on_events", "folder", folder, expected_text)
    if output is not None and Path(folder).resolve() in Path(output).resolve().parents:
        raise UsageError("study.output_among_events", path=str(output))

    contenders = select_methods(models, tasks.PLAYED)
    named_events = read_events(Path(folder))
    planned_tasks = tasks.repair_tasks(contenders, named_events, seed, timings, choose)
    task_cache = TaskCache(output, None, overwrite)
    with _watch_progress(watch, display) as report_progress:
        rounds_frame = play_events(
            planned_tasks,
            task_cache,
            jobs=jobs,
            scheduler=scheduler,
            watch=report_progress,
        )
    return (
        rounds_frame if levels else rounds_frame.drop(columns="levels", errors="ignore")
    )


def play_events(
    todo: Sequence[tasks.Task], parts: TaskCache, **options: Unpack[ExecutionOptions]
) -> pd.DataFrame:
    """Run the tasks of real events, and return one table with all their rounds.

    `todo` are the tasks. They are stored in `parts`, which writes its files at the end.
    `options` say where tasks run: in `jobs` processes, or on the Dask cluster
    `scheduler`; `watch` is called with the numbers of finished and of all tasks. Raises
    UsageError for options that cannot be used, and if files may not be overwritten.
    """
    task_frames = run_tasks(todo, parts, **options)
    parts.finish(todo, task_frames)
    return concatenate_parts([frame_by_name["rounds"] for frame_by_name in task_frames])


def read_events(folder: Path) -> list[tuple[str, Event]]:
    """Read all events in a folder and below: event folders, and files of any format.

    Returns pairs of a name and the event, sorted by path; the name is the path inside
    `folder`. A players.csv is no event, and belongs to the matches.csv beside it; files
    inside an event folder are left out. Raises UsageError if there are no events, and
    the errors of files that cannot be read.
    """
    # Most studies play random events and read no file.
    from pairopt.files import read_event
    from pairopt.files.event_folder import EVENT
    from pairopt.files.formats import format_usual_suffixes, list_suffixes

    event_folders = {event_path.parent for event_path in folder.rglob(EVENT)}
    event_files = (
        event_path
        for event_path in folder.rglob("*")
        if event_path.suffix.lower() in list_suffixes()
        and event_path.name != "players.csv"
        and event_folders.isdisjoint(event_path.parents)
    )

    named_events = []
    for event_path in sorted([*event_folders, *event_files]):
        players_path = event_path.parent / "players.csv"
        has_players_file = event_path.name == "matches.csv" and players_path.is_file()
        if event_path == folder:
            event_name = folder.resolve().name
        else:
            event_name = event_path.relative_to(folder).as_posix()
        named_events.append(
            (
                event_name,
                read_event(event_path, players_path if has_players_file else None),
            )
        )
    if not named_events:
        raise UsageError(
            "study.no_events", folder=str(folder), formats=format_usual_suffixes()
        )
    return named_events


def select_methods(
    models: Sequence[ContenderLike], *reserved: str
) -> list[Model | Contender]:
    """Resolve the models and contenders of a comparison, in their order.

    Raises UsageError if `models` is no list or empty, if a model does not exist, and if
    a name occurs twice or is one of `reserved`.
    """
    require_list("compare_models", "models", models, '["standard", "monrad"]')
    contenders = [resolve_contender(model) for model in models]
    all_method_names = [*reserved, *map(name_of, contenders)]
    if not contenders:
        raise UsageError("study.no_models")
    repeated_names = [
        method_name
        for name_position, method_name in enumerate(all_method_names)
        if method_name in all_method_names[:name_position]
    ]
    if repeated_names:
        raise UsageError("study.model_twice", model=repr(repeated_names[0]))
    return contenders
