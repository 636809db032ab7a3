"""Criterion `pairing_style`."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.state import State
from pairopt.rules.base import SingleLevel


@dataclass(frozen=True)
class PairingStyle(SingleLevel):
    """Pair the players of each score group in one style: fold, slide, adjacent or random.

    pairopt ranks the n players of each score group by rating, then by their order in
    players.csv. The style `fold` pairs the first player with the last: a match between
    the ranks i < j costs |i + j - (m + 1)|, where m is n rounded down to an even
    number. The style `slide` pairs the upper half with the lower half: the match costs
    |2 (j - i) - m|. The style `adjacent` pairs neighbours: the match costs j - i - 1.
    In the style `random`, pairopt shuffles the ranks, and pairs neighbours of this
    random order. If a player floats down or gets the bye, the cost is the number of
    players of the score group who rank below this player. If a player floats up, the
    cost is the number of players of the score group who rank above this player.
    """

    kind = "pairing_style"
    counts = "distance from the {rule.style} pairing inside score groups"
    per_player = True
    style: Literal["fold", "slide", "adjacent", "random"] = "slide"

    @property
    def ranks_by_rating(self) -> bool:
        """Whether the style reads ranks by rating: all but random."""
        return self.style != "random"

    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return each arc's distance from the style, shape (m,).

        Inside a score group it is the formula of the style. Otherwise both players cost
        their distance from the end of their group: the lower end for the one who floats
        down or has the bye, the upper end for the one who floats up.
        """
        style_rank = state.shuffled_rank if self.style == "random" else state.rank
        first_rank, second_rank = style_rank[arcs.first], style_rank[arcs.second]
        better_rank, worse_rank = (
            np.minimum(first_rank, second_rank),
            np.maximum(first_rank, second_rank),
        )
        group_size = state.group_size[arcs.first]
        even_size = group_size - group_size % 2
        if self.style == "fold":
            inside_cost = np.abs(better_rank + worse_rank - (even_size + 1))
        elif self.style == "slide":
            inside_cost = np.abs(2 * (worse_rank - better_rank) - even_size)
        else:
            inside_cost = worse_rank - better_rank - 1

        # A player with the bye leaves the group downwards, and nobody floats up to it.
        first_group, second_group = state.group[arcs.first], state.group[arcs.second]
        is_first_down = arcs.bye | (first_group < second_group)
        players_floating_down = np.where(is_first_down, arcs.first, arcs.second)
        players_floating_up = np.where(
            first_group < second_group, arcs.second, arcs.first
        )
        cost_down = (
            state.group_size[players_floating_down] - style_rank[players_floating_down]
        )
        cost_up = np.where(arcs.bye, 0, style_rank[players_floating_up] - 1)
        is_inside = arcs.match & (first_group == second_group)
        return np.where(is_inside, inside_cost, cost_down + cost_up)
