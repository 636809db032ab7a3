"""Budget: what everything that may take long is given, and what it raises when time is up."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")


class TimeUpError(Exception):
    """The deadline has passed before there was an answer; who has a part of one catches it."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What everything long is given: a seed, threads, and a deadline. The deadline is a value of
    time.monotonic(), None for no limit.
    """

    seed: int = 0
    workers: int = 1
    deadline: float | None = None

    def seconds_left(self) -> float | None:
        """Seconds left, None without limit."""
        return None if self.deadline is None else self.deadline - time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        left = self.seconds_left()
        return left is not None and left <= 0

    def check(self) -> None:
        """Raises TimeUpError when the deadline has passed."""
        if self.is_over:
            raise TimeUpError

    def iterate(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items, one by one. Raises TimeUpError when the deadline passes among them."""
        return iter(items) if self.deadline is None else self._watched(items)

    def _watched(self, items: Iterable[Item]) -> Iterator[Item]:
        for item in items:
            self.check()
            yield item
