"""The system: its levels in order, with words, and what each match of a pairing adds to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.fide.dutch import sequence, words
from pairopt.fide.dutch.quality import QualityKey, bracket_costs, bracket_keys
from pairopt.fide.dutch.ranking import RankedPlayers, ranked_players
from pairopt.fide.dutch.sentences import BYE_PLACE, level_of
from pairopt.problem.system import Level, System

if TYPE_CHECKING:
    from pairopt.engines.base import Options, Settle, Solution
    from pairopt.problem.problem import Problem
    from pairopt.problem.system import Exact

WORDS = {
    "C5": "score of the player with the bye",
    "C6": "players who float down",
    "C7": "players of {x} who float down",
    "C8": "players who float down from the next bracket",
    "C9": "unplayed rounds of the player who floats and has the bye",
    "C10": "pairs of players with a difference of two games or more on the same side",
    "C11": "pairs in which somebody has a side for the third time running",
    "C12": "pairs in which a preference of side is not granted",
    "C13": "pairs in which a strong preference is not granted",
    "C14": "residents who float down as in the round before",
    "C15": "opponents of moved-down players who float up as in the round before",
    "C16": "residents who float down as two rounds before",
    "C17": "opponents of moved-down players who float up as two rounds before",
    "C18": "players of {x} who float down again as in the round before",
    "C19": "opponents of players of {x} who float up again as in the round before",
    "C20": "players of {x} who float down again as two rounds before",
    "C21": "opponents of players of {x} who float up again as two rounds before",
    "4.4": "which moved-down players are paired, in the order of their sets",
    "4.2 MDP": "number of the transposition of the moved-down players' opponents",
    "4.3.2.1": "players exchanged between S1 and S2",
    "4.3.2.2": "difference of the places of the players exchanged",
    "4.3.2.3": "which players leave S1, in the order of exchanges",
    "4.3.2.4": "which players enter S1, in the order of exchanges",
    "4.2": "number of the transposition of S2",
}
"""What the criteria of article 2 and the parts of the order (article 4) count."""

DESCRIPTION = (
    f"{WORDS['C5']} [C5]",
    *(
        f"in each bracket from the top: {said.format(x='each score')} [{article}]"
        for article, said in WORDS.items()
        if article != "C5"
    ),
)
"""The levels in order, in words."""


@dataclass(frozen=True)
class Dutch(System):
    """The levels of one round: C5, then of each bracket C6 to C21 and the order of candidates."""

    kind = "dutch"
    description = DESCRIPTION

    ranking: RankedPlayers
    scale: int

    @classmethod
    def of(cls, state: State) -> Dutch:
        """The levels of a round."""
        return cls(ranked_players(state.fide), state.scale)

    @cached_property
    def keys(self) -> tuple[list[QualityKey], ...]:
        """The levels of quality of each bracket."""
        groups = len(self.ranking.scores)
        return tuple(bracket_keys(self.ranking, s) for s in range(groups))

    @cached_property
    def starts(self) -> list[int]:
        """The index of each bracket's first level, and the number of levels."""
        sizes = [int(self.ranking.odd), *(len(k) + len(sequence.PARTS) for k in self.keys)]
        return list(accumulate(sizes))

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """All levels in order."""
        made = []
        if self.ranking.odd:
            said = f"{WORDS['C5']} (C5)"
            made.append(Level(BYE_PLACE, "C5", "bye", self.scale, 0, said))
        for s, keys in enumerate(self.keys):
            made += [
                level_of(self.ranking, self.scale, s, key, WORDS)
                for key in (*keys, *map(QualityKey, sequence.PARTS))
            ]
        return tuple(made)

    def costs(self, arcs: Arcs) -> Exact:
        """What each arc of a whole pairing adds to each level, shape (m, levels)."""
        a, b = self.ranking.pairs(arcs)
        made = np.zeros((len(arcs), len(self.levels)), np.object_)
        if self.ranking.odd:
            made[:, 0] = np.where(arcs.bye, self.ranking.fide.score[a], 0)
        for s, start in enumerate(self.starts[:-1]):
            keys = self.keys[s]
            made[:, start : start + len(keys)] = self.quality(s, a, b, arcs.bye)
            for pair, part, amount in sequence.shares(self.ranking, s, a, b):
                made[pair, start + len(keys) + part] += amount
        return made

    def quality(self, s: int, a: IntArray, b: IntArray, bye: BoolArray) -> IntArray:
        """The levels of quality of a bracket in a whole pairing, C9 with its condition."""
        keys = self.keys[s]
        costs = bracket_costs(self.ranking, s, keys, a, b, bye)
        if QualityKey("C9") in keys and costs[:, 0].sum() != 1:
            costs[:, keys.index(QualityKey("C9"))] = 0
        return costs

    def solve(self, problem: Problem, options: Options, settle: Settle) -> Solution:
        """Pair the round; see `pairopt.fide.dutch.solve`."""
        from pairopt.fide.dutch.solve import solve

        return solve(problem, self, options, settle)

    def worse(self, index: int, other: Arcs, best: Arcs) -> str:
        """How another whole pairing is worse than the best one in level `index`, the first."""
        return words.worse(self, index, other, best)

    def brackets(self, state: State, arcs: Arcs) -> Iterator[str]:
        """A sentence for each bracket of a whole pairing."""
        return words.brackets(self, state, arcs)

    def remarks(self, state: State, arcs: Arcs, k: int) -> list[str]:
        """What decided about the match number `k` of a whole pairing."""
        return words.remarks(self, state, arcs, k)
