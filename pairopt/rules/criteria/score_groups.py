"""Criterion `score_groups`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Criterion, Label, one_hot


@dataclass(frozen=True)
class ScoreGroups(Criterion):
    """Pair players of the same score group, or else of groups as close as possible.

    With order="distance", the first level counts the matches between the score groups
    that are furthest apart, and so on. With order="top_first", each score group has its
    own levels, and those of the highest score group are the most important. For
    example, the level "3:1" counts matches between players of the third score group and
    of the next one.
    """

    kind = "score_groups"
    reads = ("group",)
    order: Literal["distance", "top_first"] = "distance"

    def labels(self, state: State) -> Sequence[Label]:
        """Return the labels of the levels, the most important first.

        By distance they are distances between groups, the largest first. Otherwise they
        are texts "group:distance", with groups from 1, the highest one.
        """
        last_group = state.groups - 1
        if self.order == "distance":
            return range(last_group, 0, -1)
        return [
            f"{group_index + 1}:{distance}"
            for group_index in range(last_group)
            for distance in range(last_group - group_index, 0, -1)
        ]

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        """Return 1 in the column of each arc's level, shape (m, levels).

        The level is the arc's distance between groups, or its higher group and
        distance. Arcs inside a group and byes have a row of zeros.
        """
        return one_hot(*self._level_numbers(state, arcs, labels))

    def totals(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> list[int]:
        """Return the number of arcs at each of the levels `labels`."""
        arc_numbers, label_numbers = self._level_numbers(state, arcs, labels)
        arcs_by_number = Counter(arc_numbers.tolist())
        return [arcs_by_number[label_number] for label_number in label_numbers]

    def _level_numbers(
        self, state: State, arcs: Arcs, labels: Sequence[Label]
    ) -> tuple[IntArray, Sequence[int]]:
        """Return the number of each arc's level, and the number of each label.

        By distance, the number is the distance. Otherwise levels are counted from 0 in
        the order of all labels, of which `labels` may be a part; an arc inside a group
        has -1.
        """
        first_group, second_group = state.group[arcs.first], state.group[arcs.second]
        group_distance = np.abs(first_group - second_group)
        group_distance[arcs.alone] = 0
        if self.order == "distance":
            return group_distance, cast("Sequence[int]", labels)
        last_group, higher_group = (
            state.groups - 1,
            np.minimum(first_group, second_group),
        )
        first_label_group, first_distance = (
            map(int, str(labels[0]).split(":")) if labels else (1, last_group)
        )
        first_label_number, arc_numbers = (
            _find_level_index(first_label_group - 1, first_distance, last_group),
            _find_level_index(higher_group, group_distance, last_group),
        )
        return np.where(group_distance, arc_numbers, -1), range(
            first_label_number, first_label_number + len(labels)
        )

    def magnitude(self, label: Label) -> int:
        """Return the distance between the groups of a level, whatever the order.

        `label` is the distance, or a text "group:distance".
        """
        return label if isinstance(label, int) else int(label.split(":")[1])

    def words(self, label: Label) -> str:
        """Return what a level counts, such as "matches 2 score groups apart".

        `label` is the distance, or a text "group:distance" with the group from 1.
        """
        if isinstance(label, int):
            return f"matches {label} score group{'s' if label > 1 else ''} apart"
        group_number, distance = label.split(":")
        group_noun = "group" if distance == "1" else "groups"
        return f"matches between score group {group_number} and the one {distance} {group_noun} below"


def _find_level_index(higher: Any, distance: Any, last_group: int) -> Any:
    """Return the position of the level of a group and a distance among all levels.

    The levels are those of the order "top_first". `higher` is the higher group,
    `last_group` the lowest one, both from 0. The groups above `higher` have last_group
    + (last_group - 1) + … levels. Integers and arrays both work.
    """
    return (
        higher * last_group
        - higher * (higher - 1) // 2
        + (last_group - higher - distance)
    )
