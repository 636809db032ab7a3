"""Criterion `bakert_quality`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.event import BYE_ROW, PLAYED
from pairopt.event.state import State
from pairopt.rules.base import Criterion, Label
from pairopt.rules.criteria.gatherling_quality import highest_quality, quality


@dataclass(frozen=True)
class BakertQuality(Criterion):
    """The weights of bakert's swiss, as published: leaders and equals first.

    A pair weighs (i + 1) (c + 1): i the higher of the two scores, h the highest of all,
    c = h - gap; the bye is an opponent of 0 points, listed last. A bonus of (h + 1)² + 1 goes
    to a pair that has met less often than the later-listed of the two has met somebody else,
    but at least once: as published, a pair that has never met gets none. So a rematch can be
    chosen that could be avoided. The level counts what is missing to the highest weight.
    Source: bakert's swiss (swiss.py).
    """

    kind = "bakert_quality"

    def labels(self, state: State) -> Sequence[Label]:
        highest_quality(state, self.kind, 1)
        return [1]

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        highest = highest_quality(state, self.kind, 1)
        bonus = highest + self.scale(state)
        one = state.score[arcs.first]
        weight = quality(state, one, np.where(arcs.bye, 0, state.score[arcs.second]), 1)
        met = np.where(arcs.bye, state.byes[arcs.first], state.meetings.met(arcs))
        most, most_byes = _most_met(state)
        second_later = state.player[arcs.second] > state.player[arcs.first]
        later = np.where(second_later, arcs.second, arcs.first)
        known = np.where(arcs.bye, most_byes, most[later])
        weight += np.where((met > 0) & (met < known), bonus, 0)
        missing = highest + bonus - weight
        return missing[:, None].repeat(len(labels), axis=1)

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (state.score,)

    def bye_attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        return (state.byes,)

    def pairs(self, state: State) -> IntArray:
        return state.meetings.pairs()

    def scale(self, state: State) -> int:
        return state.scale**2

    def words(self, label: Label) -> str:
        return "missing to the highest weights"


def _most_met(state: State) -> tuple[IntArray, int]:
    """How often each player has met whom they met most (the bye too), and the most byes."""
    event, rows = state.event, state.event.before
    played = rows.status == PLAYED
    pair = np.sort(np.column_stack([rows.first[played], rows.second[played]]), axis=1)
    keys, times = np.unique(pair, axis=0, return_counts=True)
    byes = event.byes_brought.copy()
    np.add.at(byes, rows.first[rows.status == BYE_ROW], 1)
    most = byes.copy()
    for end in keys.T:
        np.maximum.at(most, end, times)
    return most[state.player], int(byes.max(initial=0))
