"""Running: tasks in this process, in several, or on a Dask cluster; always the same file.

What is finished is kept beside the output, and not run again after a stop.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

from pairopt.errors import UsageError
from pairopt.io.write import make_folder, write_whole
from pairopt.study.tasks import Task, task_name

Finished = Iterable[tuple[int, str]]
"""Numbers and texts of tasks as they are done, in any order."""
Watch = Callable[[int, int], None]
"""Told how many tasks are done, and how many there are."""


def run(
    tasks: Sequence[Task],
    output: Path | None = None,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    watch: Watch | None = None,
) -> str:
    """The texts of all tasks in order.

    With `output`, each text is kept in the folder <output>.parts as soon as it is there; the
    caller removes it (`clear`) once the output is written. `scheduler` is the address of a Dask
    scheduler whose workers have pairopt.
    """
    if output is not None and not output.parent.is_dir():
        raise UsageError(f"{output} cannot be written: there is no folder {output.parent}")
    if jobs < 1 or (scheduler is not None and jobs > 1):
        raise UsageError("Expected jobs >= 1, and either jobs or a scheduler.")
    names = [task_name(task) for task in tasks]
    parts = None if output is None else parts_of(output)
    texts = {} if parts is None else _kept(parts, names)
    left = [(k, task) for k, task in enumerate(tasks) if k not in texts]
    done: Finished
    if scheduler is not None:
        done = _dask(left, scheduler)
    else:
        done = _joblib(left, jobs) if jobs > 1 else _here(left)
    if watch is not None:
        watch(len(texts), len(tasks))
    for k, text in done:
        texts[k] = text
        if parts is not None:
            make_folder(parts)
            write_whole(parts / names[k], _signed(text))
        if watch is not None:
            watch(len(texts), len(tasks))
    return "".join(texts[k] for k in range(len(tasks)))


def parts_of(output: Path) -> Path:
    """The folder of what is finished."""
    return output.with_name(f"{output.name}.parts")


def clear(output: Path) -> None:
    """Remove what was kept."""
    shutil.rmtree(parts_of(output), ignore_errors=True)


def _signed(text: str) -> str:
    return f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}"


def _kept(parts: Path, names: Sequence[str]) -> dict[int, str]:
    """The texts that are there and whole, by the tasks' numbers."""
    found = {}
    for k, name in enumerate(names):
        path = parts / name
        if path.is_file():
            text = path.read_bytes().decode(errors="replace").partition("\n")[2]
            if path.read_bytes() == _signed(text).encode():
                found[k] = text
    return found


def _run(number: int, task: Task) -> tuple[int, str]:
    return number, task.text()


def _run_under(parent: int, number: int, task: Task) -> tuple[int, str]:
    _follow(parent)
    return _run(number, task)


@cache
def _follow(parent: int) -> None:
    """End this process with its parent, which may have been killed."""

    def wait() -> None:
        while os.getppid() == parent:
            time.sleep(0.1)
        os._exit(1)

    Thread(target=wait, daemon=True).start()


def _here(left: Sequence[tuple[int, Task]]) -> Finished:
    return (_run(number, task) for number, task in left)


def _joblib(left: Sequence[tuple[int, Task]], jobs: int) -> Iterator[tuple[int, str]]:
    """In several processes of this machine. Raises UsageError if one of them is ended."""
    try:
        from joblib import Parallel, delayed
    except ImportError:
        raise UsageError('--jobs needs joblib: pip install "pairopt[study]"') from None
    parallel: Any = Parallel(n_jobs=jobs, return_as="generator_unordered")
    try:
        yield from parallel(delayed(_run_under)(os.getpid(), *each) for each in left)
    except BrokenExecutor as error:
        raise UsageError(f"--jobs {jobs}: a process was ended from outside: {error}") from None


def _dask(left: Sequence[tuple[int, Task]], scheduler: str) -> Iterator[tuple[int, str]]:
    """On a cluster; what a worker had when it was lost is done by another."""
    try:
        import distributed
    except ImportError:
        raise UsageError('--scheduler needs Dask: pip install "pairopt[dask]"') from None
    try:
        client: Any = distributed.Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError(f"--scheduler {scheduler}: {error}") from None
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # a lost one is said below
    try:
        with client:
            futures = [client.submit(_run, number, task, pure=False) for number, task in left]
            finished: Any = distributed.as_completed(futures)
            for future in finished:
                yield future.result()
    except (OSError, CancelledError, distributed.KilledWorker) as error:
        raise UsageError(
            f"--scheduler {scheduler}: lost while at work ({type(error).__name__})"
        ) from None
