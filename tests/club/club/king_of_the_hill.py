"""System `king_of_the_hill`: pair players with neighbouring places in the standings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pairopt.extend import (
    Arcs,
    EngineOptions,
    IntArray,
    Level,
    LevelMinimizer,
    PairingSystem,
    Solution,
    State,
    TimeUpError,
    all_pairs,
    sided_arcs,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pairopt.extend import Problem

WORDS = "squared differences between the places of opponents"


@dataclass(frozen=True)
class KingOfTheHill(PairingSystem):
    """Minimise the sum of squared differences between the places of opponents."""

    kind = "king_of_the_hill"
    description = (WORDS,)

    place: IntArray

    @classmethod
    def of(cls, state: State) -> KingOfTheHill:
        """Return the system for a round; the random order of the state breaks ties."""
        return cls(np.argsort(np.argsort(-state.score, kind="stable")))

    @property
    def levels(self) -> tuple[Level, ...]:
        return (
            Level(
                place=0, criterion="hill", label="all", scale=1, offset=0, words=WORDS
            ),
        )

    def costs(self, arcs: Arcs) -> NDArray[np.object_]:
        other = np.where(arcs.match, self.place[arcs.second], len(self.place))
        return ((self.place[arcs.first] - other) ** 2)[:, None].astype(object)

    def solve(
        self, problem: Problem, options: EngineOptions, settle: LevelMinimizer
    ) -> Solution:
        pairs = all_pairs(problem)  # all legal pairs, and the legal byes
        rng = np.random.default_rng(options.budget.seed)
        every = sided_arcs(pairs, pairs.a, pairs.b, np.arange(len(pairs)), rng)
        columns = replace(pairs, costs=self.costs(every).astype(np.int64))
        try:
            found = settle(columns, (), None, options.budget)
        except TimeUpError:
            return Solution("unknown", None, (None,))
        if found is None:
            return Solution("infeasible", None, ())
        arcs = Arcs(every.first[found.used], every.second[found.used])
        return Solution("optimal", arcs, found.values)

    def worse(self, index: int, state: State, other: Arcs, best: Arcs) -> str:
        more = self.costs(other).sum() - self.costs(best).sum()
        return f"{WORDS}: {more} more"

    def brackets(self, state: State, arcs: Arcs) -> Iterable[str]:
        return ()

    def remarks(self, state: State, arcs: Arcs, k: int) -> list[str]:
        return []
