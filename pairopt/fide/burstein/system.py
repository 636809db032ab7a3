"""The system: its levels in order, with words, and what each match of a pairing adds to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.fide import Fide, is_seeding
from pairopt.event.state import State
from pairopt.fide.dutch.brackets import BracketSystem, PairedBracket, described
from pairopt.fide.dutch.quality import QualityKey
from pairopt.fide.dutch.ranking import RankedPlayers, ranked_players
from pairopt.fide.dutch.sums import PartSum
from pairopt.fide.dutch.system import Dutch
from pairopt.wording import listed, pair_text

if TYPE_CHECKING:
    from pairopt.fide.dutch.brackets import Names, Pairing

OF_BYE = {
    "3.1.3": "score of the player with the bye",
    "3.1.4": "unplayed rounds of the player with the bye",
    "3.1.5": "players ranked below the one with the bye",
}
WORDS = {
    "C5": "players who float down",
    "C6": "players of {x} who float down",
    "C7": "players who float down from the next bracket",
    "C8": "players who do not have the side they prefer",
    "4.3": "place of the pairing in the order of pairings",
}
"""What the criteria of article 2 and the order of article 4 count."""


def numbered(ranking: RankedPlayers, players: IntArray) -> IntArray:
    """The ranks of a bracket's players in the order of their sequence numbers, BSN (4.1)."""
    return players[np.argsort(ranking.fide.rank[players])]


@dataclass(frozen=True)
class Burstein(BracketSystem):
    """The levels of one round: the bye's, then of each bracket C5 to C8 and the pairing's place.

    `keys` have the names of the Dutch System, so that both are solved in the same way. Who has
    the bye is in no bracket.
    """

    kind = "burstein"
    description = (
        "the seeding rounds, half of all and at most 4, as in the Dutch System [1.6]",
        *described(OF_BYE, WORDS),
    )
    of_bye = OF_BYE
    words = WORDS
    parts = ("4.3",)
    sides = {  # noqa: RUF012 - not changed
        "5.2.5": "by the start number, as neither has played (5.2.1)",
        "5.2.1": "as preferences are granted (5.2.2)",
        "5.2.2": "as the stronger preference is granted (5.2.3)",
        "5.2.3": "as they alternate from the last round in which one had each (5.2.4)",
        "5.2.4": "as the preference of the higher ranked is granted (5.2.5)",
    }
    renamed = {"C6": "C5", "C7": "C6", "C8": "C7", "C12": "C8"}  # noqa: RUF012 - the same
    candidate = "pairing"

    @classmethod
    def of(cls, state: State) -> BracketSystem:
        """The system of the round: in seeding rounds it is the Dutch one.

        Raises InputError where it takes the number of rounds to know that, and nobody says it.
        """
        if is_seeding(state.event):
            return Dutch.of(state)
        return cls(ranked_players(cls.facts(state)), state.scale)

    @staticmethod
    def facts(state: State) -> Fide:
        """What the system reads of the players: by opposition."""
        return state.fide_by_opposition

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

    def bye_costs(self) -> IntArray:
        """What each rank with the bye adds to the bye's levels, shape (n, 3) (article 3.1)."""
        fide = self.ranking.fide
        below = len(self.ranking) - 1 - np.argsort(np.argsort(fide.rank))
        return np.column_stack([fide.score, fide.unplayed, below])

    def apart(self, arcs: Arcs) -> tuple[Burstein, IntArray, IntArray]:
        """The system without who has the bye, which levels are its own, and its matches."""
        byes = self.ranking.pairs(arcs)[0][arcs.bye]
        if not len(byes):
            return super().apart(arcs)
        rest = Burstein(self.ranking.without(byes), self.scale)
        index = {(level.criterion, level.label): k for k, level in enumerate(self.levels)}
        own = [index[level.criterion, level.label] for level in rest.levels]
        return rest, np.array(own, np.int64), np.flatnonzero(arcs.match)

    def numbered(self, players: IntArray) -> IntArray:
        """The ranks by opposition (4.1)."""
        return numbered(self.ranking, players)

    def shares(self, s: int, a: IntArray, b: IntArray) -> Iterator[tuple[int, int, int]]:
        """What the pairs of a whole pairing add to its place in the bracket of group `s`.

        The place is a number of one digit for each BSN, the first one leading: how many numbers
        are after that of the opponent, or one more than there are for any if the player floats
        (4.2, 4.3). The digit of the larger number of two is left 0, as it follows.
        """
        bsn = self.bracket(s, a, b).bsn
        size, lower = len(bsn), self.ranking.group_of(b)
        for k in np.flatnonzero((self.ranking.group_of(a) <= s) & (lower >= s)).tolist():
            first, last = bsn[int(a[k])], 0
            if lower[k] == s:
                first, last = sorted((first, bsn[int(b[k])]))
            yield k, 0, (size - last) * (size + 1) ** (size - first)

    def part_sums(self, s: int, bracket: PairedBracket) -> Iterator[PartSum]:
        """The digits of a pairing's place, a level each; see `shares`."""
        for rank, number in bracket.bsn.items():
            yield PartSum(0, rank, self._digit(s, bracket, rank, number))

    def _digit(
        self, s: int, bracket: PairedBracket, rank: int, number: int
    ) -> Callable[[IntArray, IntArray], IntArray]:
        size, bsn = len(bracket.members), np.zeros(len(self.ranking) + 1, np.int64)
        bsn[bracket.members] = np.arange(1, size + 1)

        def amounts(a: IntArray, b: IntArray) -> IntArray:
            met = bsn[np.where(a == rank, np.minimum(b, len(self.ranking)), a)]
            digit = np.where(met > number, size - met, np.where(met > 0, 0, size))
            floats = self.ranking.group_of(b) > s
            return np.where((a == rank) | (b == rank), np.where(floats, size, digit), 0)

        return amounts

    def pairing(self) -> Pairing:
        """How the first pairing of a bracket is found, and who has the bye."""
        from pairopt.fide.burstein.pairing import BursteinBracket, without_bye

        return BursteinBracket, without_bye

    def pairs_told(self, bracket: PairedBracket, state: State) -> list[str]:
        """Who meets whom, the players by opposition."""
        ranks = bracket.members.tolist()
        pairs = [
            pair_text(*self.names(state, (rank, bracket.opponent[rank])))
            for rank in ranks
            if bracket.bsn[rank] < bracket.bsn.get(bracket.opponent.get(rank, -1), 0)
        ]
        return [f"by opposition {listed(pairs)}"] if pairs else []

    def order_told(self, part: str, now: PairedBracket, best: PairedBracket, names: Names) -> str:
        """The first opponent who is another one, of the players by opposition (4.3)."""
        return now.otherwise(best, now.members, names)
