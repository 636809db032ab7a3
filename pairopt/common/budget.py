"""The budget of a long computation: a seed, threads and a deadline."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")


class TimeUpError(Exception):
    """Raised when the deadline has passed before there is an answer.

    Code that has a partial answer by then catches it.
    """


@dataclass(frozen=True, slots=True)
class Budget:
    """The seed, the number of threads and the deadline of a long computation.

    `workers` is the number of threads. The deadline is a value of `time.monotonic()` in
    seconds, None for no limit.
    """

    seed: int = 0
    workers: int = 1
    deadline: float | None = None

    def seconds_left(self) -> float | None:
        """Return the seconds until the deadline, None without one.

        After the deadline they are negative.
        """
        if self.deadline is None:
            return None
        return self.deadline - time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed; False without one."""
        seconds_left = self.seconds_left()
        return seconds_left is not None and seconds_left <= 0

    def check(self) -> None:
        """Raise TimeUpError if the deadline has passed; without one do nothing."""
        if self.is_over:
            raise TimeUpError

    def iterate(self, items: Iterable[Item]) -> Iterator[Item]:
        """Return an iterator over items that raises TimeUpError after the deadline.

        The deadline is checked before each item is handed over. Without a deadline
        nothing is checked.
        """
        return (
            iter(items)
            if self.deadline is None
            else self._iterate_until_deadline(items)
        )

    def _iterate_until_deadline(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield each item after a check of the deadline, which must exist."""
        for item in items:
            self.check()
            yield item

    # Extensions of version 1.0 use these names.
    left = seconds_left
    spent = is_over
    watched = iterate
