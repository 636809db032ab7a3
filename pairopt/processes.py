"""Processes: many calls of a function in several processes of this machine."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from functools import cache
from threading import Thread
from typing import Any

from pairopt.errors import UsageError, require_extra


def run_in_processes(
    work: Callable[..., Any], calls: Iterable[tuple[Any, ...]], jobs: int
) -> Iterator[Any]:
    """What `work` makes of each call, as it is done, in so many processes of this machine. Raises
    UsageError if one of them is ended.
    """
    joblib = require_extra("joblib", "several processes need joblib", "study")
    parallel: Any = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    try:
        yield from parallel(
            joblib.delayed(_under)(os.getpid(), work, call) for call in calls
        )
    except BrokenExecutor as error:
        raise UsageError("processes.ended", jobs=jobs, why=str(error)) from None


def _under(parent: int, work: Callable[..., Any], call: tuple[Any, ...]) -> Any:
    _follow(parent)
    return work(*call)


@cache
def _follow(parent: int) -> None:
    """End this process with its parent, which may have been killed."""

    def wait() -> None:
        while os.getppid() == parent:
            time.sleep(0.1)
        os._exit(1)

    Thread(target=wait, daemon=True).start()
