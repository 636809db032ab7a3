"""Criterion `score_groups`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Criterion, Label, one_hot


@dataclass(frozen=True)
class ScoreGroups(Criterion):
    """Pair players of the same score group, or of groups as near as possible.

    order="distance" counts the matches between groups so many apart, the farthest first;
    order="top_first" does so group by group, the highest first (levels "group:distance")."""

    kind = "score_groups"
    reads = ("group",)
    order: Literal["distance", "top_first"] = "distance"

    def labels(self, state: State) -> Sequence[Label]:
        last = state.groups - 1
        if self.order == "distance":
            return range(last, 0, -1)
        return [f"{g + 1}:{d}" for g in range(last) for d in range(last - g, 0, -1)]

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        first, second = state.group[arcs.first], state.group[arcs.second]
        distance = np.abs(first - second)
        distance[arcs.alone] = 0
        if self.order == "distance":
            return one_hot(distance, labels)
        last, higher = state.groups - 1, np.minimum(first, second)
        # levels of the groups above come first: last + (last - 1) + ... of them
        place = higher * last - higher * (higher - 1) // 2 + (last - higher - distance)
        skipped = self.labels(state).index(labels[0]) if labels else 0
        return one_hot(np.where(distance, place - skipped, -1), range(len(labels)))

    def magnitude(self, label: Label) -> int:
        return label if isinstance(label, int) else int(label.split(":")[1])

    def words(self, label: Label) -> str:
        if isinstance(label, int):
            return f"matches {label} score group{'s' if label > 1 else ''} apart"
        group, distance = label.split(":")
        return f"matches of score group {group} with one {distance} below"
