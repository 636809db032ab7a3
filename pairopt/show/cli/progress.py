"""Progress: a bar where stderr is a terminal, else a line now and then."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pairopt.show.cli.options import say

SECONDS = 30
"""Between two lines of a log."""


@contextmanager
def progress() -> Iterator[Callable[[int, int], None]]:
    """What is to be told how many parts are done, and how many there are."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines().tell
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("")
        yield lambda done, total: bar.update(task, completed=done, total=total)


class _Lines:
    """Says nothing of what is over at once."""

    def __init__(self) -> None:
        self._begun = self._last = time.monotonic()
        self._at_first: int | None = None

    def tell(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._at_first is None:
            self._at_first = done
        if now - self._last < SECONDS:
            return
        self._last = now
        passed, new = now - self._begun, done - self._at_first
        left = f", {passed / new * (total - done):.0f} s left" if new else ""
        say(f"{done} of {total} parts after {passed:.0f} s{left}")
