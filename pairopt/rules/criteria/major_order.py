"""Criterion `major_order`."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from typing import Literal

import numpy as np

from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.state import State
from pairopt.rules.base import Criterion, Label

SIX = {
    (1, 2): 16,
    (1, 3): 12,
    (1, 4): 5,
    (1, 5): 2,
    (2, 3): 7,
    (2, 4): 1,
    (3, 6): 1,
    (4, 6): 2,
    (5, 6): 3,
}
"""The weights of the pairs in a group of six; other pairs weigh nothing.

The sums of the 15 pairings are in the order of the rows of Valve's table.
"""
BITS = 45
"""The bits that a level may use, so that totals stay exact."""


@dataclass(frozen=True)
class MajorOrder(Criterion):
    """Pair the teams of each score group as in Counter-Strike Majors: the highest meets the lowest.

    `major_order` ranks the teams of a group by difficulty, then by their start number.
    The difficulty of a team is the sum of wins minus losses of all past opponents. The
    highest team meets the lowest possible team. The next highest team then meets the
    lowest possible team, and so on. With `six = "table"`, a group of six teams is
    paired by the first possible row of Valve's table.

    The parameter `first_round` decides how pairopt pairs the n teams of round 1 by
    start number. With `slide`, team 1 meets team n/2 + 1, and with `fold`, team 1 meets
    team n. `major_order` gives no cost to a match between different score groups.
    """

    kind = "major_order"
    per_player = True
    first_round: Literal["slide", "fold"] = "slide"
    six: Literal["table", "highest"] = "table"

    def labels(self, state: State) -> Sequence[Label]:
        """Return the numbers of the levels, from 1; the first has the highest teams.

        In round 1, and without a group of two, there is one level.
        """
        largest_group = int(state.group_size.max(initial=0))
        if state.event.round == 1 or largest_group < 2:
            return [1]
        level_count = -(-(largest_group - 1) // _count_places_per_level(largest_group))
        return list(range(1, level_count + 1))

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        """Return the weight of each match in each of these levels, shape (m, levels).

        In round 1 it is the distance from the style `first_round`. In later rounds, the
        higher the place of the upper team, the more a place of the lower one counts. If
        `six` is "table", matches in a group of six have the weights of the table, all
        in level 1. A match between groups and a bye have 0.
        """
        place_of_team = _rank_in_groups(state)
        group_size = state.group_size[arcs.first]
        first_place, second_place = (
            place_of_team[arcs.first],
            place_of_team[arcs.second],
        )
        upper_place, lower_place = (
            np.minimum(first_place, second_place),
            np.maximum(first_place, second_place),
        )
        is_inside = arcs.match & (state.group[arcs.first] == state.group[arcs.second])
        if state.event.round == 1:
            cost_of_slide = np.abs(2 * (lower_place - upper_place) - group_size)
            cost_of_fold = np.abs(upper_place + lower_place + 1 - group_size)
            first_round_cost = (
                cost_of_slide if self.first_round == "slide" else cost_of_fold
            )
            style_cost = np.where(is_inside, first_round_cost, 0)
            return style_cost[:, None][:, : len(labels)]

        largest_group = int(state.group_size.max(initial=0))
        places_per_level = _count_places_per_level(largest_group)
        place_powers = np.array(
            [(largest_group + 1) ** k for k in range(places_per_level)], np.int64
        )
        match_weight = (group_size - 1 - lower_place) * place_powers[
            places_per_level - 1 - upper_place % places_per_level
        ]
        match_level = upper_place // places_per_level + 1
        if self.six == "table":
            weights_of_six = np.zeros((7, 7), np.int64)
            for place_pair, pair_weight in SIX.items():
                weights_of_six[place_pair] = pair_weight
            is_six = group_size == 6
            table_weight = weights_of_six[
                np.minimum(upper_place + 1, 6), np.minimum(lower_place + 1, 6)
            ]
            match_weight = np.where(is_six, table_weight, match_weight)
            match_level = np.where(is_six, 1, match_level)
        label_columns = [
            np.where(is_inside & (match_level == label), match_weight, 0)
            for label in labels
        ]
        return np.array(label_columns, np.int64).reshape(len(labels), len(arcs)).T

    def magnitude(self, label: Label) -> int:
        """Return 1 for each `label`, because a level's weights say how much it counts."""
        return 1

    def words(self, label: Label) -> str:
        """Return what a level counts, in plain words; `label` is its number."""
        level_teams = "teams" if label == 1 else f"teams, part {label}"
        return f"weight of the matches of each group's highest {level_teams}"


def _rank_in_groups(state: State) -> IntArray:
    """Return each team's place inside its score group, from 0, shape (n,).

    Teams rank by difficulty, the highest first, then by start number.
    """
    start_numbers = state.event.start_numbers[state.player]
    teams_best_first = np.lexsort((start_numbers, -state.difficulty, state.group))
    group_start_of_team = np.searchsorted(
        state.group[teams_best_first], state.group, side="left"
    )
    return np.asarray(np.argsort(teams_best_first) - group_start_of_team, np.int64)


def _count_places_per_level(largest: int) -> int:
    """Return how many places share a level, at least 1.

    `largest` is the size of the largest group. As many share it as BITS can hold.
    """
    return max(1, int(BITS / log2(largest + 1)))
