"""The progress of a run, with the time that is left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def show_progress(is_shown: bool = True) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on stderr, or in a notebook, with finished parts and time left.

    Yields a function that moves the bar; it takes how many parts are finished, and how
    many there are. Without `is_shown` the function does nothing visible.
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

    bar_columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("parts, elapsed"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*bar_columns, console=console, disable=not is_shown) as progress_bar:
        task_id = progress_bar.add_task("")
        yield lambda finished, total: progress_bar.update(
            task_id, completed=finished, total=total
        )
