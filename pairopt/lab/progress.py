"""The progress of a run, with the time that is left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def show_progress(is_shown: bool = True) -> Iterator[Callable[[int, int], None]]:
    """Show a bar with the finished parts of a run and the time left.

    It is written to stderr, or below the cell of a notebook. Yields a function that
    takes how many parts are finished, and how many there are.
    """
    # rich takes a tenth of a second to import, and only a visible run needs it.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("parts, elapsed"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not is_shown) as bar:
        task = bar.add_task("")
        yield lambda finished, total: bar.update(task, completed=finished, total=total)
