"""Running: tasks in this process, in several, or on a Dask cluster; always the same file.

What is finished is kept, and not run again after a stop.
"""

from __future__ import annotations

import logging
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import Any

from pairopt.errors import UsageError, not_installed
from pairopt.lab.measuring.table import Frames
from pairopt.lab.playing.identity import travelling
from pairopt.lab.running.keeping import NOTHING_KEPT, Parts
from pairopt.lab.running.tasks import Task
from pairopt.processes import in_processes

Finished = Iterable[tuple[int, Frames]]
"""Numbers and tables of tasks as they are done, in any order."""
Watch = Callable[[int, int], None]
"""Told how many tasks are done, and how many there are."""


def run_tasks(
    tasks: Sequence[Task],
    parts: Parts = NOTHING_KEPT,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    watch: Watch | None = None,
) -> list[Frames]:
    """Do all tasks; their tables in the order of the tasks.

    Each is kept among `parts` as soon as it is there, and those that are there are not done
    again; the caller ends it with `finish`. `scheduler` is the address of a Dask scheduler whose
    workers have pairopt.
    """
    if jobs < 1 or (scheduler is not None and jobs > 1):
        raise UsageError("study.jobs_unfit")
    parts.require_free(tasks)
    found = map(parts.read, tasks)
    made = {k: frames for k, frames in enumerate(found) if frames is not None}
    left = [(k, task) for k, task in enumerate(tasks) if k not in made]
    done: Finished
    if scheduler is not None:
        done = _dask(left, scheduler)
    else:
        done = in_processes(_run, left, jobs) if jobs > 1 else _here(left)
    tell = watch or (lambda *_: None)
    tell(len(made), len(tasks))
    for k, frames in done:
        made[k] = frames
        parts.write(tasks[k], frames)
        tell(len(made), len(tasks))
    return [made[k] for k in range(len(tasks))]


def _run(number: int, task: Task) -> tuple[int, Frames]:
    return number, task.frames()


def _here(left: Sequence[tuple[int, Task]]) -> Finished:
    return (_run(number, task) for number, task in left)


def _packed(left: Sequence[tuple[int, Task]]) -> Iterator[tuple[int, bytes]]:
    """The tasks with what is in modules of one's own, which workers do not have."""
    import cloudpickle

    for _, task in left:
        _ = task.name  # which looks at all that the task is made of
    for module in travelling():
        if sys.modules.get(module.__name__) is module:  # it may have been imported anew since
            cloudpickle.register_pickle_by_value(module)
    return ((number, cloudpickle.dumps(task)) for number, task in left)


def _run_packed(number: int, task: bytes) -> tuple[int, Frames]:
    return _run(number, pickle.loads(task))  # noqa: S301 - from the study itself


def _dask(left: Sequence[tuple[int, Task]], scheduler: str) -> Iterator[tuple[int, Frames]]:
    """On a cluster; what a worker had when it was lost is done by another."""
    try:
        import distributed
    except ImportError:
        raise not_installed("a scheduler needs Dask", "dask") from None
    try:
        client: Any = distributed.Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError("study.scheduler_failed", address=scheduler, why=str(error)) from None
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # a lost one is said below
    try:
        with client:
            futures = [client.submit(_run_packed, *each, pure=False) for each in _packed(left)]
            finished: Any = distributed.as_completed(futures)
            for future in finished:
                yield future.result()
    except (OSError, CancelledError, distributed.KilledWorker) as error:
        raise UsageError(
            "study.scheduler_lost", address=scheduler, error=type(error).__name__
        ) from None
