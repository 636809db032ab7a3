"""Perfect: the first candidate of all, where nothing counts against it (article 3.4.1).

Large brackets of early rounds are so: no pairs of theirs need to be listed.
"""

from __future__ import annotations

import numpy as np

from pairopt.event.arcs import IntArray
from pairopt.fide.dutch.block import RankPairs
from pairopt.fide.dutch.field import RoundField
from pairopt.fide.dutch.quality import bracket_costs

NEAR = 8
"""Opponents are looked for so many places up and down from the one of equal place in S2."""


def perfect_candidate(field: RoundField, s: int, residents: IntArray) -> RankPairs | None:
    """The pairs of a bracket of residents alone in which each of S1 has the first one left.

    As long as no pair, and nobody who floats, counts in any level but C6 and C8. None where that
    needs opponents who are not near, or a player who has been left too far above.
    """
    half = len(residents) // 2
    upper, lower = residents[:half], residents[half:]
    place = np.arange(half)[:, None] + np.arange(-NEAR, NEAR + 1)
    row, near = np.nonzero((place >= 0) & (place < len(lower)))
    place = place[row, near]
    a, b = upper[row], lower[place]
    keys = field.system.keys[s]
    counts = bracket_costs(field.ranking, s, keys, a, b, np.zeros(len(a), np.bool_)).any(axis=1)
    good = field.legal[a, b] & ~counts
    offered: list[list[int]] = [[] for _ in range(half)]
    for one, other in zip(row[good].tolist(), place[good].tolist(), strict=True):
        offered[one].append(other)
    taken, chosen = [False] * len(lower), []
    for one, others in enumerate(offered):
        first = next((other for other in others if not taken[other]), None)
        if first is None or (one > NEAR and not taken[one - NEAR - 1]):
            return None
        taken[first] = True
        chosen.append(first)
    floater = lower[~np.array(taken, np.bool_)]
    bye = np.full(len(floater), field.bye_group == s)
    below = np.full(len(floater), len(field.ranking))
    plain = np.array([key.criterion not in ("C6", "C8") for key in keys])
    if bracket_costs(field.ranking, s, keys, floater, below, bye)[:, plain].any():
        return None
    if bye.any() and not len(field.takers(floater)):
        return None
    return upper, lower[chosen]
