"""What a contender of peers.py is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pairopt import Event


@dataclass(frozen=True)
class Case:
    """The event, pairopt's model for it, and where a program that is no package is."""

    event: Event
    model: str
    place: str = ""


@dataclass(frozen=True)
class Found:
    """What came out. `answer` is the same for all who pair by the same rules, if they are right.

    For pairopt's model it is the values of all levels, for the Dutch System the pairs; None where
    there is nothing to compare.
    """

    status: str
    answer: list[int] | None = None


Job = Callable[[], Found]
Prepare = Callable[[Case], Job]


@dataclass(frozen=True)
class Contender:
    """`prepare` makes the job ready; fields above `most` players are not tried.

    `rules` are whose it pairs by. `needs` says what `--at` must name, where it is no package. With
    `once` a job can be run once and is then made ready again.
    """

    prepare: Prepare
    most: int = 10_000
    rules: str = "model"
    needs: str = ""
    once: bool = False
