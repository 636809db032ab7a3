"""The system: its levels in order, with words, and what each match of a pairing adds to them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pairopt.event.arcs import BoolArray, IntArray
from pairopt.event.fide_attributes import FideAttributes
from pairopt.event.state import State
from pairopt.fide.dutch.bracket_pairs import rank_players
from pairopt.fide.dutch.bracket_system import (
    ARTICLES,
    Names,
    PairedBracket,
    describe_levels,
)
from pairopt.fide.dutch.candidate_order import DutchBracket
from pairopt.fide.dutch.completion import CompletionField
from pairopt.fide.dutch.criteria import (
    PARTS,
    CriterionLevel,
    OrderLevelSum,
    Share,
    part_sums,
    shares,
)
from pairopt.fide.dutch.pair_brackets import BracketwiseSystem
from pairopt.messages import Message, message


@dataclass(frozen=True)
class Dutch(BracketwiseSystem):
    """The levels of one round: C5, then of each bracket C6 to C21 and the order of candidates."""

    kind = "dutch"
    bracket = DutchBracket
    of_bye, words, told, sides = ARTICLES["dutch"].values()
    description = describe_levels(of_bye, words)
    parts = PARTS

    @classmethod
    def of(cls, state: State) -> "Dutch":
        return cls(rank_players(state.fide), state.scale)

    @staticmethod
    def facts(state: State) -> FideAttributes:
        return state.fide

    def bye_costs(self) -> IntArray:
        """The score of each rank (C5)."""
        return self.ranking.fide.score[:, None]

    def numbered(self, players: IntArray) -> IntArray:
        """The ranks in order: moved-down players come first."""
        return np.sort(players)

    def shares(self, s: int, a: IntArray, b: IntArray) -> Iterator[Share]:
        return shares(self.ranking, s, a, b)

    def part_sums(self, s: int, bracket: PairedBracket) -> Iterator[OrderLevelSum]:
        return part_sums(self.ranking, s, bracket.moved, bracket.upper, bracket.lower)

    def quality(
        self,
        s: int,
        a: IntArray,
        b: IntArray,
        bye: BoolArray,
        floats: int | None = None,
    ) -> IntArray:
        """The levels of quality of a bracket in a whole pairing, C9 with its condition."""
        keys, costs = self.keys[s], super().quality(s, a, b, bye)
        if (
            CriterionLevel("C9") in keys
            and (costs[:, 0].sum() if floats is None else floats) != 1
        ):
            costs[:, keys.index(CriterionLevel("C9"))] = 0
        return costs

    def given_bye(self, field: CompletionField) -> CompletionField | None:
        """The bye's player has the lowest score that leaves a complete pairing (C5)."""
        ranking = field.ranking
        for group in np.unique(ranking.group[field.may_bye])[::-1].tolist():
            found = replace(field, bye_group=group, bye_bounds=(ranking.scores[group],))
            if found.complete(np.arange(len(ranking)), True):
                return found
        return None

    def order_told(
        self, part: str, now: PairedBracket, best: PairedBracket, names: Names
    ) -> Message:
        """The first opponent who is another one, or who is exchanged between S1 and S2."""
        of_moved = np.isin(now.upper, now.moved)
        if part in ("4.2", "4.2 MDP"):
            return now.otherwise(best, now.upper[of_moved == (part != "4.2")], names)
        if part == "4.4":
            paired = now.upper[of_moved]
            new, gone = (
                np.setdiff1d(paired, best.upper),
                np.setdiff1d(best.upper, now.upper),
            )
            gone = gone[np.isin(gone, now.moved)]
            some, others = (names(each.tolist()) for each in (new, gone))
            kind = "order.sets"
            return message(kind, new=some, gone=others)
        out, into, best_out, best_into = (
            names(some) for some in (*exchanged_players(now), *exchanged_players(best))
        )
        kind = "order.exchange" if best_out else "order.no_exchange"
        return message(kind, out=out, into=into, best_out=best_out, best_into=best_into)


def upper_and_lower_half(bracket: PairedBracket) -> tuple[list[int], list[int]]:
    """S1 and S2 of the residents whom no moved-down player meets, before any exchange (3.2.2)."""
    moved = np.isin(bracket.upper, bracket.moved)
    left = np.setdiff1d(
        bracket.members, np.append(bracket.moved, bracket.lower[moved])
    ).tolist()
    many = int((~moved).sum())
    return left[:many], left[many:]


def exchanged_players(bracket: PairedBracket) -> tuple[list[int], list[int]]:
    """Who left S1, and who entered it (4.3)."""
    first, _ = upper_and_lower_half(bracket)
    upper = bracket.upper[~np.isin(bracket.upper, bracket.moved)].tolist()
    return [r for r in first if r not in upper], [r for r in upper if r not in first]
