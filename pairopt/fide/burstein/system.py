"""The system: its levels in order, with words, and what each match of a pairing adds to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from pairopt.event.arcs import Arcs, IntArray, arcs_of
from pairopt.event.opposition import is_seeding
from pairopt.event.state import State
from pairopt.fide.burstein import order, words
from pairopt.fide.dutch.quality import QualityKey, bracket_costs
from pairopt.fide.dutch.ranking import RankedPlayers, ranked_players
from pairopt.fide.dutch.sentences import BYE_PLACE, level_of
from pairopt.fide.dutch.system import Dutch
from pairopt.problem.system import Level, System

if TYPE_CHECKING:
    from pairopt.engines.base import Options, Settle, Solution
    from pairopt.problem.problem import Problem
    from pairopt.problem.system import Exact

BYE_WORDS = {
    "3.1.3": "score of the player with the bye",
    "3.1.4": "unplayed rounds of the player with the bye",
    "3.1.5": "players ranked below the one with the bye",
}
WORDS = {
    "C5": "players who float down",
    "C6": "players of {x} who float down",
    "C7": "players who float down from the next bracket",
    "C8": words.REFUSED,
    "4.3": "place of the pairing in the order of pairings",
}
"""What the criteria of article 2 and the order of article 4 count."""
SAME = {"C6": "C5", "C7": "C6", "C8": "C7", "C12": "C8"}
"""The criteria by their names in the Dutch System, which they share."""
DESCRIPTION = (
    "the seeding rounds, half of all and at most 4, as in the Dutch System [1.6]",
    *(f"{said} [{article}]" for article, said in BYE_WORDS.items()),
    *(
        f"in each bracket from the top: {said.format(x='each score')} [{article}]"
        for article, said in WORDS.items()
    ),
)
"""The levels in order, in words."""


@dataclass(frozen=True)
class Burstein(System):
    """The levels of one round: the bye's, then of each bracket C5 to C8 and the pairing's place.

    `keys` have the names of the Dutch System, so that both are solved in the same way. Who has
    the bye is in no bracket.
    """

    kind = "burstein"
    description = DESCRIPTION

    ranking: RankedPlayers
    scale: int

    @classmethod
    def of(cls, state: State) -> System:
        """The system of the round: in seeding rounds it is the Dutch one.

        Raises InputError where it takes the number of rounds to know that, and nobody says it.
        """
        if is_seeding(state.event):
            return Dutch.of(state)
        return cls(ranked_players(state.fide_by_opposition), state.scale)

    @cached_property
    def keys(self) -> tuple[list[QualityKey], ...]:
        """The levels of quality of each bracket."""
        groups = len(self.ranking.scores)
        return tuple(
            [
                QualityKey("C6"),
                *(QualityKey("C7", x) for x in range(s)),
                *[QualityKey("C8")] * (s + 1 < groups),
                *(QualityKey("C8", x) for x in range(s + 1) if s + 1 < groups),
                QualityKey("C12"),
            ]
            for s in range(groups)
        )

    @cached_property
    def starts(self) -> list[int]:
        """The index of each bracket's first level, and the number of levels."""
        first = len(BYE_WORDS) if self.ranking.odd else 0
        return list(accumulate([first, *(len(keys) + 1 for keys in self.keys)]))

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """All levels in order."""
        made = [
            Level(BYE_PLACE + k, article, "bye", self.scale if not k else 1, 0,
                  f"{said} ({article})")
            for k, (article, said) in enumerate(BYE_WORDS.items())
            if self.ranking.odd
        ]  # fmt: skip
        for s, keys in enumerate(self.keys):
            own = (*(QualityKey(SAME[key.criterion], key.group) for key in keys), QualityKey("4.3"))
            made += [level_of(self.ranking, self.scale, s, key, WORDS) for key in own]
        return tuple(made)

    def bye_costs(self) -> IntArray:
        """What each rank with the bye adds to the bye's levels, shape (n, 3) (article 3.1)."""
        fide = self.ranking.fide
        below = len(self.ranking) - 1 - np.argsort(np.argsort(fide.rank))
        return np.column_stack([fide.score, fide.unplayed, below])

    def apart(self, arcs: Arcs) -> tuple[Burstein, IntArray, Arcs]:
        """The system without who has the bye, which levels are its own, and its matches."""
        rest, columns = self.without(self.ranking.pairs(arcs)[0][arcs.bye])
        return rest, columns, arcs_of(arcs.first[arcs.match], arcs.second[arcs.match])

    def without(self, some: IntArray) -> tuple[Burstein, IntArray]:
        """The system of all but these ranks, and which of the levels here are its own."""
        if not len(some):
            return self, np.arange(len(self.levels))
        rest = Burstein(self.ranking.without(some), self.scale)
        index = {(level.criterion, level.label): k for k, level in enumerate(self.levels)}
        own = [index[level.criterion, level.label] for level in rest.levels]
        return rest, np.array(own, np.int64)

    def costs(self, arcs: Arcs) -> Exact:
        """What each arc of a whole pairing adds to each level, shape (m, levels)."""
        a, b = self.ranking.pairs(arcs)
        made = np.zeros((len(arcs), len(self.levels)), np.object_)
        if arcs.bye.any():
            if self.ranking.odd:
                made[arcs.bye, : len(BYE_WORDS)] = self.bye_costs()[a[arcs.bye]]
            rest, columns, matches = self.apart(arcs)
            made[np.ix_(arcs.match, columns)] = rest.costs(matches)
            return made
        for s, start in enumerate(self.starts[:-1]):
            keys = self.keys[s]
            end = start + len(keys)
            made[:, start:end] = bracket_costs(self.ranking, s, keys, a, b, arcs.bye)
            for pair, amount in order.shares(self.ranking, s, a, b):
                made[pair, end] += amount
        return made

    def solve(self, problem: Problem, options: Options, settle: Settle) -> Solution:
        """Pair the round; see `pairopt.fide.burstein.solve`."""
        from pairopt.fide.burstein.solve import solve

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
