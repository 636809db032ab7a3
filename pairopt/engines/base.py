"""What an engine is given, and what it hands back to be checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from pairopt.arcs import Arcs
from pairopt.model import Objective
from pairopt.problem import Problem

Status = Literal["optimal", "feasible", "infeasible", "unknown", "heuristic"]
Formulation = Literal["classes", "pairs"]
Progress = Callable[[int, int], None]
"""Told the index and the value of each level as it is settled."""


@dataclass(frozen=True)
class Options:
    """How to solve. `deadline` is a value of time.monotonic(), None for no limit."""

    objective: Objective = "lexicographic"
    formulation: Formulation = "classes"
    seed: int = 0
    workers: int = 1
    deadline: float | None = None
    progress: Progress | None = None


@dataclass(frozen=True)
class Solution:
    """What an engine claims.

    `bounds` has one entry a level: what it cannot be below, given that the earlier ones are
    at their bounds; None where nothing is known. For a weighted model solved in one
    objective the first entry is the bound of the weighted sum, and there are no others.
    `further` are the rounds that the problem's lookahead asks for.
    """

    status: Status
    arcs: Arcs | None
    bounds: tuple[int | None, ...]
    further: tuple[Arcs, ...] = ()


class Engine(Protocol):
    """A module of `pairopt.engines` with this function."""

    def solve(self, problem: Problem, options: Options) -> Solution:
        """Pair the round. Raises UsageError for what the engine cannot express."""
