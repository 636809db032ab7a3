"""Step: what matches in question cost in levels of a system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.engines.types import types_of
from pairopt.event.arcs import BYE, BoolArray, IntArray, arcs_of
from pairopt.proof.claim import Claim, Content, UnclaimedError, runs


@dataclass(frozen=True)
class StepCosts:
    """What matches cost: `number` has the kind of any two vertices, 0 where that is nothing.

    `listed` are the vertices whose matches a file lists, in order; see docs/proof.md.
    """

    kinds: IntArray
    number: IntArray
    listed: tuple[int, ...]

    def content(self, alive: BoolArray) -> Content:
        """The kinds and rows of a step with these matches in question."""
        rows, rest = [], np.ones(len(alive), np.bool_)
        for v in self.listed:
            rows.append([v, *runs(self.number[v, alive[v] & rest])])
            rest[v] = False
        return {"kinds": self.kinds.tolist(), "rows": rows}


def step_costs(claim: Claim, levels: Sequence[int], alive: BoolArray) -> StepCosts:
    """What the matches in question, symmetric, cost in these levels of a system.

    Raises UnclaimedError where that is another the other way round.
    """
    owns = claim.owns(levels)
    if owns is None:
        one, two = np.nonzero(np.triu(alive))
    else:
        own, other = np.nonzero(alive[owns])
        one, two = np.sort([np.array(owns)[own], other], axis=0)
    seats = np.append(claim.order, BYE)
    arcs = arcs_of(seats[one], seats[two])
    costs = claim.costs(levels, arcs)
    if (costs != claim.costs(levels, arcs.reversed())).any():
        raise UnclaimedError("proof.other_way")
    alike = types_of([*costs.T], len(costs))
    first = np.zeros(int(alike.max(initial=-1)) + 1, np.int64)
    first[alike] = np.arange(len(costs))
    found = sorted({tuple(row) for row in costs[first].tolist()} - {nothing := (0,) * len(levels)})
    kinds = [nothing, *found]
    place = {kind: k for k, kind in enumerate(kinds)}
    code = np.array([place[tuple(row)] for row in costs[first].tolist()], np.int64)[alike]
    number = np.zeros(alive.shape, np.int64)
    number[one, two] = number[two, one] = code
    listed = tuple(owns) if owns is not None else _covering(number > 0)
    return StepCosts(np.array(kinds, np.int64).reshape(len(kinds), len(levels)), number, listed)


def _covering(costly: BoolArray) -> tuple[int, ...]:
    """Vertices that hold an end of each of these matches, those with most of them first."""
    count, listed = np.count_nonzero(costly, axis=1), []
    for v in np.argsort(-count, kind="stable")[: np.count_nonzero(count)].tolist():
        if costly[v].any():
            listed.append(v)
            costly[v] = costly[:, v] = False
    return tuple(listed)
