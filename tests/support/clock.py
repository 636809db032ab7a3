"""A clock of ticks instead of seconds: each look at it is one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pairopt.common.budget import Budget


class Clock:
    """How often anybody has asked how much time is left."""

    def __init__(self) -> None:
        self.now = 0

    @property
    def left_of(self) -> Callable[[Budget], float | None]:
        """What takes the place of `Budget.seconds_left`."""

        def left(budget: Budget) -> float | None:
            self.now += 1
            return None if budget.deadline is None else budget.deadline - self.now

        return left


def ticking(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that all budgets look at from now on."""
    clock = Clock()
    monkeypatch.setattr(Budget, "seconds_left", clock.left_of)
    return clock
