"""The FIDE (Dutch) System: its levels in order, and what each match adds to them."""

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
    iterate_order_sums,
    iterate_shares,
)
from pairopt.fide.dutch.pair_brackets import BracketwiseSystem
from pairopt.messages import Message, message


@dataclass(frozen=True)
class Dutch(BracketwiseSystem):
    """The Dutch System: C5, then C6 to C21 and the order of candidates in each bracket.

    C5 decides the score group of the pairing-allocated bye. Its articles are those of
    the FIDE Handbook, C.04.3.
    """

    kind = "dutch"
    bracket_class = DutchBracket
    bye_words = ARTICLES["dutch"]["of_bye"]
    bracket_words = ARTICLES["dutch"]["words"]
    worse_kinds = ARTICLES["dutch"]["told"]
    side_kinds = ARTICLES["dutch"]["sides"]
    description = describe_levels(ARTICLES["dutch"]["described"])
    order_articles = PARTS

    @classmethod
    def of(cls, state: State) -> "Dutch":
        """Return the Dutch System of a round, with its players ranked."""
        return cls(rank_players(state.fide), state.scale)

    @staticmethod
    def read_attributes(state: State) -> FideAttributes:
        """Return the attributes of a round's players that the Dutch System reads."""
        return state.fide

    def compute_bye_costs(self) -> IntArray:
        """Return the score of each rank (C5), shape (n, 1)."""
        return self.ranking.fide.score[:, None]

    def order_by_bsn(self, players: IntArray) -> IntArray:
        """Return ranks in ascending order, that of bracket sequence numbers (1.2).

        Moved-down players have the lower ranks, so they come first. `players` are ranks
        in any order.
        """
        return np.sort(players)

    def iterate_shares(self, s: int, a: IntArray, b: IntArray) -> Iterator[Share]:
        """Yield what pairs a < b of ranks add to the parts of a bracket's order.

        They are a whole pairing, and the bracket is that of group `s`. Each item is the
        index of a pair, the index of a part in `PARTS`, and the amount.
        """
        return iterate_shares(self.ranking, s, a, b)

    def iterate_order_sums(
        self, s: int, bracket: PairedBracket
    ) -> Iterator[OrderLevelSum]:
        """Yield the order of candidates in group `s`'s bracket as levels, for a proof.

        Each level sums over pairs; it holds among candidates that are equal in the
        levels before. `bracket` is the candidate to compare with.
        """
        return iterate_order_sums(
            self.ranking, s, bracket.moved, bracket.upper, bracket.lower
        )

    def compute_quality(
        self,
        s: int,
        a: IntArray,
        b: IntArray,
        bye: BoolArray,
        floats: int | None = None,
    ) -> IntArray:
        """Return what pairs a < b of ranks add to the quality levels of a bracket.

        The bracket is that of group `s`, and the result has shape (pairs, levels).
        `bye` marks the bye. C9 counts only if exactly one player floats out of the
        bracket: `floats` is their number. If it is None, they are counted in the pairs,
        which must be a whole pairing.
        """
        quality_costs = super().compute_quality(s, a, b, bye)
        c9_level = CriterionLevel("C9")
        level_keys = self.quality_keys[s]
        if c9_level in level_keys:
            float_count = quality_costs[:, 0].sum() if floats is None else floats
            if float_count != 1:
                quality_costs[:, level_keys.index(c9_level)] = 0
        return quality_costs

    def with_allocated_bye(self, field: CompletionField) -> CompletionField | None:
        """Decide the bye's score group: the lowest that is possible (C5).

        A group is possible if one of its players may have the bye such that all others
        of the `field` can be paired. Returns the field with this group, and its score
        as bound of the bye's level; the player is not decided. Returns None if there is
        no such group. Raises TimeUpError.
        """
        ranking = field.ranking
        groups_with_bye_takers = {*ranking.group[field.may_bye].tolist()}
        for bye_group in sorted(groups_with_bye_takers, reverse=True):
            bye_bounds = (ranking.scores[bye_group],)
            field_with_bye = replace(field, bye_group=bye_group, bye_bounds=bye_bounds)
            if field_with_bye.has_complete_pairing(np.arange(len(ranking)), True):
                return field_with_bye
        return None

    def describe_order(
        self, part: str, other: PairedBracket, best: PairedBracket, names: Names
    ) -> Message:
        """Describe why a bracket's candidate comes later than the best one.

        `part` is the article of the part in which they first differ: another opponent
        (4.2), another set of paired moved-down players (4.4), or another exchange
        (4.3). `other` and `best` are the two candidates, and `names` gives the names of
        ranks.
        """
        is_moved = np.isin(other.upper, other.moved)
        if part == "4.2":
            return other.describe_other_opponent(best, other.upper[~is_moved], names)
        if part == "4.2 MDP":
            return other.describe_other_opponent(best, other.upper[is_moved], names)
        if part == "4.4":
            newly_paired = np.setdiff1d(other.upper[is_moved], best.upper)
            no_longer_paired = np.setdiff1d(best.upper, other.upper)
            no_longer_paired = no_longer_paired[np.isin(no_longer_paired, other.moved)]
            # the caller adds the number of the article
            message_id = "order.sets"
            return message(
                message_id,
                new=names(newly_paired.tolist()),
                gone=names(no_longer_paired.tolist()),
            )

        ranks_leaving_s1, ranks_entering_s1 = find_exchanged_players(other)
        best_ranks_leaving_s1, best_ranks_entering_s1 = find_exchanged_players(best)
        message_id = "order.exchange" if best_ranks_leaving_s1 else "order.no_exchange"
        return message(
            message_id,
            out=names(ranks_leaving_s1),
            into=names(ranks_entering_s1),
            best_out=names(best_ranks_leaving_s1),
            best_into=names(best_ranks_entering_s1),
        )


def split_halves(bracket: PairedBracket) -> tuple[list[int], list[int]]:
    """Return the ranks of S1 and of S2 before any exchange (3.2.2).

    They are the residents of the bracket whom no moved-down player meets, in order. S1
    has as many players as there are pairs of residents.
    """
    is_moved = np.isin(bracket.upper, bracket.moved)
    mdps_and_opponents = np.append(bracket.moved, bracket.lower[is_moved])
    residents = np.setdiff1d(bracket.members, mdps_and_opponents).tolist()
    half_size = int((~is_moved).sum())
    return residents[:half_size], residents[half_size:]


def find_exchanged_players(bracket: PairedBracket) -> tuple[list[int], list[int]]:
    """Return the ranks who left S1 by an exchange, and those who entered it (4.3).

    S1 is the upper half of the residents whom no moved-down player meets. Both lists
    are empty if the halves are the original ones. `bracket` has the pairs after the
    exchange.
    """
    original_s1, _original_s2 = split_halves(bracket)
    is_moved = np.isin(bracket.upper, bracket.moved)
    current_s1 = bracket.upper[~is_moved].tolist()
    ranks_leaving_s1 = [rank for rank in original_s1 if rank not in current_s1]
    ranks_entering_s1 = [rank for rank in current_s1 if rank not in original_s1]
    return ranks_leaving_s1, ranks_entering_s1
