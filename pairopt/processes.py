"""Run many calls of a function in several processes of this machine."""

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
    """Yield the result of each call of `work` as it completes, in any order.

    `calls` have the arguments of each call, and `jobs` is the number of processes.
    Raises UsageError if joblib is not installed, or if one of the processes is ended
    from outside. An exception of `work` is raised here.
    """
    joblib = require_extra("joblib", "several processes need joblib", "study")
    run_parallel: Any = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    try:
        yield from run_parallel(
            joblib.delayed(_call_with_parent)(os.getpid(), work, arguments)
            for arguments in calls
        )
    except BrokenExecutor as error:
        # The executor's text has several lines, and an error message is one line.
        reason = " ".join(str(error).split())
        raise UsageError("processes.ended", jobs=jobs, why=reason) from None


def _call_with_parent(
    parent: int, work: Callable[..., Any], call: tuple[Any, ...]
) -> Any:
    """Call `work` with the arguments `call` in another process, and return its result.

    That process ends soon after the process `parent`.
    """
    _end_with_parent(parent)
    return work(*call)


@cache
def _end_with_parent(parent: int) -> None:
    """Make this process end soon after the process `parent` has ended or was killed.

    `parent` is the id of this process's parent. A thread is started that looks every
    0.1 seconds, and this function returns at once. The process then exits with code 1,
    without any cleanup. A second call for the same parent does nothing.
    """

    def wait_for_parent() -> None:
        """Wait until the parent is gone, then exit at once."""
        while os.getppid() == parent:
            time.sleep(0.1)
        os._exit(1)

    Thread(target=wait_for_parent, daemon=True).start()
