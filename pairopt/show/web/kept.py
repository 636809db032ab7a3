"""Kept: the latest answers that took time, each worked out once, however many ask for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar, cast

T = TypeVar("T")
MOST = 32


@dataclass
class _Answer:
    """Worked out by the first who asks; the others wait for it."""

    lock: Lock = field(default_factory=Lock)
    value: tuple[Any] | None = None


@dataclass
class Kept:
    """Answers by what they were asked for; the least used ones are forgotten."""

    most: int = MOST
    _answers: OrderedDict[Hashable, _Answer] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def answer(self, asked: Hashable, work: Callable[[], T]) -> T:
        """What `work` hands back for this question. An error is raised to all, and not kept."""
        with self._lock:
            found = self._answers.setdefault(asked, _Answer())
            self._answers.move_to_end(asked)
            while len(self._answers) > self.most:
                self._answers.popitem(last=False)
        with found.lock:
            if found.value is None:
                found.value = (work(),)
            return cast(T, found.value[0])
