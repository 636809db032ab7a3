"""A system that pairs bracket by bracket: its levels, and explanations of its pairings."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from pairopt.common.serialization import read_package_toml
from pairopt.engines.base import PairingSystem
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray
from pairopt.event.fide_attributes import FideAttributes
from pairopt.event.state import State
from pairopt.fide.dutch.bracket_pairs import Bracket, RankedPlayers
from pairopt.fide.dutch.criteria import (
    TWO_AGO,
    CriterionLevel,
    OrderLevelSum,
    compute_bracket_costs,
    iterate_quality_keys,
)
from pairopt.messages import FieldValue, Message, Note, message, with_heading
from pairopt.messages.formatting import (
    count_noun,
    decimal_text,
    join_names,
    pair_text,
    points_text,
)
from pairopt.problem.system import Level, LevelSums
from pairopt.rules.constraints.preferences import article_of

if TYPE_CHECKING:
    from pairopt.problem.system import Exact

ARTICLES = read_package_toml("pairopt.fide", "articles.toml")
"""Texts and message kinds of the systems' articles: the bye's levels, a bracket's, sides."""
# pairs of a bracket that its description names
MOST_NAMED_PAIRS = 4
# more than a bracket has criteria and parts of the order
PLACES = 32
# before the levels of any bracket
BYE_PLACE = -PLACES * 2**40
# returns the names of the players of these ranks
Names = Callable[[Sequence[int]], list[str]]
# the text of each article, in order
Words = Mapping[str, str]


def describe_levels(sentences: Words) -> tuple[str, ...]:
    """Return the sentence of each article, followed by the article in brackets.

    `sentences` maps each article to its sentence.
    """
    return tuple(f"{sentence} [{article}]" for article, sentence in sentences.items())


@dataclass(frozen=True)
class PairedBracket:
    """The bracket of a score group in a whole pairing; all arrays are of ranks.

    `members` are all players of the bracket in the order of their bracket sequence
    numbers (BSN), and `moved` the moved-down players among them, in the same order. The
    pairs made here are upper[k] with lower[k], sorted by the upper rank. `floats`,
    sorted, are the players who float down.
    """

    members: IntArray
    moved: IntArray
    upper: IntArray
    lower: IntArray
    floats: IntArray

    @cached_property
    def bsn(self) -> dict[int, int]:
        """The bracket sequence number of each rank, from 1."""
        return {
            rank: bracket_number
            for bracket_number, rank in enumerate(self.members.tolist(), 1)
        }

    @cached_property
    def opponent(self) -> dict[int, int]:
        """The opponent of each rank that is paired in this bracket, both ways.

        Ranks that float down are not in it.
        """
        opponent = {}
        for upper_rank, lower_rank in zip(
            self.upper.tolist(), self.lower.tolist(), strict=True
        ):
            opponent[upper_rank] = lower_rank
            opponent[lower_rank] = upper_rank
        return opponent

    def describe_other_opponent(
        self, best: "PairedBracket", players: IntArray, names: Names
    ) -> Message:
        """Describe the first of `players` who has another opponent than in `best`.

        `best` is the same bracket in the best pairing, and `players` are ranks, of
        which one must differ; otherwise StopIteration is raised. The message says that
        the player floats, does not float, or meets somebody else. `names` gives the
        names of ranks.
        """
        differing_rank = next(
            rank
            for rank in players.tolist()
            if self.opponent.get(rank) != best.opponent.get(rank)
        )
        opponent, best_opponent = (
            self.opponent.get(differing_rank),
            best.opponent.get(differing_rank),
        )
        if opponent is None:
            message_id = "order.floats"
        elif best_opponent is None:
            message_id = "order.stays"
        else:
            message_id = "order.meets"

        rank_of_field = {"one": differing_rank, "two": opponent, "best": best_opponent}
        message_fields = {
            field_name: names([rank])[0]
            for field_name, rank in rank_of_field.items()
            if rank is not None
        }
        return Message(message_id, message_fields)


@dataclass(frozen=True)
class BracketSystem(PairingSystem):
    """The levels of one round: those of the bye, then each bracket's quality and order.

    A system declares, by its own articles:

    - `bye_words`: the texts of the bye's levels;
    - `bracket_words`: the texts of a bracket's levels, with {x} for the points of a group;
    - `order_articles`: those of `bracket_words` that are parts of the order of candidates;
      all others are criteria of quality;
    - `renamed_articles`: its own article for criteria that the Dutch System calls otherwise;
    - `worse_kinds`: the message kinds for a criterion that is worse, `order_kind` for the order;
    - `side_kinds`: for each article of the Dutch System on sides, the message kind and its
      own article;
    - `bracket_class`: how the first candidate of a bracket is found.

    An instance has the `ranking` of a round's players; scores are multiples of 1 / `scale`.
    """

    bracket_class: ClassVar[type[Bracket]]
    bye_words: ClassVar[Words]
    bracket_words: ClassVar[Words]
    order_articles: ClassVar[tuple[str, ...]]
    side_kinds: ClassVar[Mapping[str, Sequence[str]]]
    worse_kinds: ClassVar[Mapping[str, Sequence[str]]]
    renamed_articles: ClassVar[Words] = {}
    order_kind: ClassVar[str] = "article.order"
    ranking: RankedPlayers
    scale: int

    @staticmethod
    @abstractmethod
    def read_attributes(state: State) -> FideAttributes:
        """Return the attributes of a round's players that this system reads."""

    @abstractmethod
    def compute_bye_costs(self) -> IntArray:
        """Return what each rank with the bye adds to the bye's levels.

        The shape is (n, levels), with one column for each entry of `bye_words`.
        """

    @abstractmethod
    def order_by_bsn(self, players: IntArray) -> IntArray:
        """Return the ranks of a bracket in the order of bracket sequence numbers.

        `players` are the ranks, in any order; the result is a new array.
        """

    @abstractmethod
    def iterate_shares(
        self, s: int, a: IntArray, b: IntArray
    ) -> Iterable[tuple[int, int, int]]:
        """Yield what each pair adds to the order of candidates in a bracket.

        The ranks a[k] < b[k] are the pairs of a whole pairing. The bracket is that of
        group `s`. Each item is the index k of a pair, the index of a part of the order
        (in `order_articles`), and the amount.
        """

    @abstractmethod
    def iterate_order_sums(
        self, s: int, bracket: PairedBracket
    ) -> Iterable[OrderLevelSum]:
        """Yield the order of candidates in a bracket as levels: sums over pairs.

        A proof needs them. The bracket is that of group `s`, and `bracket` is the
        candidate to compare with. Levels come in order, and each holds among candidates
        that are equal in the levels before. A part of the order may have one level for
        each player of the bracket.
        """

    @abstractmethod
    def describe_order(
        self, part: str, other: PairedBracket, best: PairedBracket, names: Names
    ) -> Message:
        """Describe the first difference of a bracket from the best one.

        `part` is the part of the order in which they differ, an article. `other` and
        `best` are the bracket in two pairings, and `names` gives the names of ranks.
        """

    @cached_property
    def quality_keys(self) -> tuple[tuple[CriterionLevel, ...], ...]:
        """For each bracket, from the top, its quality levels that can be above 0.

        They are named by the criteria of the Dutch System. Criteria that this system
        does not have are left out.
        """
        return tuple(
            tuple(
                criterion_level
                for criterion_level in iterate_quality_keys(self.ranking, score_group)
                if self._own_article(criterion_level.criterion) in self.bracket_words
            )
            for score_group in range(len(self.ranking.scores))
        )

    @cached_property
    def bracket_starts(self) -> list[int]:
        """The index of each bracket's first level, and at the end the number of levels."""
        bye_level_count = len(self.bye_words) if self.ranking.is_odd else 0
        order_level_count = len(self.order_articles)
        level_counts = [
            len(bracket_levels) + order_level_count
            for bracket_levels in self.quality_keys
        ]
        return list(accumulate([bye_level_count, *level_counts]))

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """All levels of the round in order: the bye's, then those of each bracket.

        Brackets come from the top. The levels of one are its criteria of quality, then
        the parts of its order.
        """
        levels = []
        if self.ranking.is_odd:
            for bye_level, (article, level_words) in enumerate(self.bye_words.items()):
                level_scale = 1 if bye_level else self.scale
                level_text = f"{level_words} ({article})"
                levels.append(
                    Level(
                        BYE_PLACE + bye_level,
                        article,
                        "bye",
                        level_scale,
                        0,
                        level_text,
                    )
                )
        for score_group, quality_keys in enumerate(self.quality_keys):
            levels += [
                self._make_level(score_group, criterion_level)
                for criterion_level in quality_keys
            ]
            for article in self.order_articles:
                levels.append(self._make_level(score_group, CriterionLevel(article)))
        return tuple(levels)

    def _make_level(self, s: int, key: CriterionLevel) -> Level:
        """Return the level of group `s`'s bracket that `key` names, with its texts.

        Its label is the group's score, "score/score" if the level counts one score
        group only. Its text says in words what the level counts, with the system's own
        article.
        """
        criterion = self._own_article(key.criterion)
        level_label = self._decimal_scores[s]
        level_words = self.bracket_words[criterion]
        if key.group >= 0:
            level_label = f"{level_label}/{self._decimal_scores[key.group]}"
            score_text = self._score_texts[key.group]
            if "{x}" in level_words:
                level_words = level_words.replace("{x}", score_text)
            else:
                level_words = f"{level_words}, of {score_text}"

        level_place = PLACES * -self.ranking.scores[s] + self._article_order[criterion]
        article = criterion.removesuffix(" MDP")
        level_text = f"{self._score_texts[s]}: {level_words} ({article})"
        return Level(level_place, criterion, level_label, 1, 0, level_text)

    @cached_property
    def _article_order(self) -> dict[str, int]:
        """The place of each article among the texts of a bracket's levels, from 0.

        This is the order of a bracket's levels.
        """
        return {
            article: article_place
            for article_place, article in enumerate(self.bracket_words)
        }

    def _own_article(self, criterion: str) -> str:
        """Return what the system calls a criterion of the Dutch System, such as "C12".

        That is the same name, unless `renamed_articles` has another one.
        """
        return self.renamed_articles.get(criterion, criterion)

    @cached_property
    def _decimal_scores(self) -> list[str]:
        """The score of each group as a decimal number in text, such as "2.5".

        It is cached because there may be a level for any two groups.
        """
        return [
            decimal_text(Fraction(score, self.scale)) for score in self.ranking.scores
        ]

    @cached_property
    def _score_texts(self) -> list[str]:
        """The score of each group as texts write it, such as "2.5 points", from the top."""
        return [
            points_text(Fraction(score, self.scale)) for score in self.ranking.scores
        ]

    def without_bye(self, arcs: Arcs) -> tuple[Self, IntArray, IntArray]:
        """Return the system of the players in brackets, its levels, and its arcs.

        `arcs` are a whole pairing. In some systems the player with the bye is in no
        bracket and is left out of the returned system; otherwise it is this system. The
        second item says which of this system's levels the returned one has, the third
        which of `arcs`.
        """
        return self, np.arange(self.bracket_starts[-1]), np.arange(len(arcs))

    def costs(self, arcs: Arcs) -> "Exact":
        """Return what each arc of a pairing adds to each level, shape (m, levels).

        The entries are Python's integers, which hold numbers of any size.
        """
        arc_costs = np.zeros((len(arcs), len(self.levels)), np.object_)
        for arc_indices, level_indices, amounts in self._iterate_costs(arcs):
            np.add.at(arc_costs, (arc_indices, level_indices), amounts)
        return arc_costs

    def totals(self, arcs: Arcs) -> list[int]:
        """Return the value of each level in a whole pairing, as integers of Python.

        They are in the order of `levels`, those of the bye first.
        """
        level_totals = np.zeros(len(self.levels), np.object_)
        for arc_indices, level_indices, amounts in self._iterate_costs(arcs):
            amounts_of_levels = amounts.sum(axis=0) if arc_indices.ndim > 1 else amounts
            np.add.at(level_totals, level_indices, amounts_of_levels)
        return cast("list[int]", level_totals.tolist())

    def _iterate_costs(self, arcs: Arcs) -> Iterator[tuple[IntArray, IntArray, Any]]:
        """Yield what arcs of a whole pairing add to levels, one array after another.

        Each item is indices of arcs, indices of levels, and amounts. The indices are
        broadcast against each other: either shapes (m, 1) and (levels,), with amounts
        of shape (m, levels), or all have the shape (k,).
        """
        if self.ranking.is_odd:
            bye_arcs = arcs.bye.nonzero()[0]
            ranks_with_bye = self.ranking.ranks_of(arcs)[0][bye_arcs]
            bye_levels = np.arange(len(self.bye_words))
            yield (
                bye_arcs[:, None],
                bye_levels,
                self.compute_bye_costs()[ranks_with_bye],
            )

        bracket_system, level_indices, arc_indices = self.without_bye(arcs)
        upper_ranks, lower_ranks = bracket_system.ranking.ranks_of(
            arcs.take(arc_indices)
        )
        is_bye = arcs.bye[arc_indices]
        for score_group, first_level in enumerate(bracket_system.bracket_starts[:-1]):
            first_order_level = first_level + len(
                bracket_system.quality_keys[score_group]
            )
            quality_costs = bracket_system.compute_quality(
                score_group, upper_ranks, lower_ranks, is_bye
            )
            yield (
                arc_indices[:, None],
                level_indices[first_level:first_order_level],
                quality_costs,
            )

            pair_shares = list(
                bracket_system.iterate_shares(score_group, upper_ranks, lower_ranks)
            )
            if pair_shares:
                pair_indices, part_indices, amounts = zip(*pair_shares, strict=True)
                yield (
                    arc_indices[list(pair_indices)],
                    level_indices[first_order_level + np.array(part_indices)],
                    np.array(amounts, np.object_),
                )

    def compute_quality(
        self,
        s: int,
        a: IntArray,
        b: IntArray,
        bye: BoolArray,
        floats: int | None = None,
    ) -> IntArray:
        """Return what pairs a < b add to the quality levels of group `s`'s bracket.

        `a` and `b` are ranks. The amounts are costs, in the shape (pairs, levels).
        `bye`, shape (pairs,), marks pairs of which b is the bye. In a subclass a
        criterion may depend on `floats`, the number of players who float out of the
        bracket; if it is None, they are counted in the pairs, which must be a whole
        pairing. Here `floats` is not used.
        """
        return compute_bracket_costs(self.ranking, s, self.quality_keys[s], a, b, bye)

    def summed(self, arcs: Arcs) -> Iterator[LevelSums]:
        """Yield the levels of a pairing as sums over arcs, for a proof.

        Each item has levels and a function that computes what arcs add to them. It
        holds among pairings that are as good as `arcs` in all items before. The bye's
        levels come first, if somebody has the bye, then each bracket's quality and the
        parts of its order. Most parts are one level for each player, because what a
        match adds depends on the parts before.
        """
        if arcs.bye.any():
            for bye_level, level in enumerate(self.levels[: len(self.bye_words)]):
                yield LevelSums((level,), self._make_bye_costs(bye_level), own=BYE)

        bracket_system, _level_indices, arc_indices = self.without_bye(arcs)
        upper_ranks, lower_ranks = bracket_system.ranking.ranks_of(
            arcs.take(arc_indices)
        )
        for score_group, first_level in enumerate(bracket_system.bracket_starts[:-1]):
            first_order_level = first_level + len(
                bracket_system.quality_keys[score_group]
            )
            quality_costs = bracket_system.compute_quality(
                score_group, upper_ranks, lower_ranks, arcs.bye[arc_indices]
            )
            float_count = int(quality_costs[:, 0].sum())
            yield LevelSums(
                bracket_system.levels[first_level:first_order_level],
                bracket_system._make_quality_costs(score_group, float_count),
            )
            bracket = bracket_system.make_paired_bracket(
                score_group, upper_ranks, lower_ranks
            )
            for order_sum in bracket_system.iterate_order_sums(score_group, bracket):
                level = bracket_system.levels[first_order_level + order_sum.part]
                yield bracket_system._make_order_sums(level, order_sum)

    def _make_bye_costs(self, k: int) -> Callable[[Arcs], IntArray]:
        """Return a function that computes what arcs add to the bye's level `k`.

        For a proof. The function takes arcs and returns costs of shape (m, 1), which
        are 0 for matches.
        """

        def costs(arcs: Arcs) -> IntArray:
            """Return what arcs add to the bye's level, shape (m, 1); a match adds 0."""
            arc_costs = np.zeros((len(arcs), 1), np.int64)
            ranks_with_bye = self.ranking.ranks_of(arcs)[0][arcs.bye]
            arc_costs[arcs.bye, 0] = self.compute_bye_costs()[ranks_with_bye, k]
            return arc_costs

        return costs

    def _make_quality_costs(self, s: int, floats: int) -> Callable[[Arcs], IntArray]:
        """Return a function that computes what arcs add to a bracket's quality levels.

        For a proof. The bracket is that of group `s`, and `floats` is the number of
        players who float out of it. The function takes arcs and returns costs of shape
        (arcs, levels).
        """

        def costs(arcs: Arcs) -> IntArray:
            """Return what arcs add to the bracket's quality levels, shape (m, levels)."""
            upper_ranks, lower_ranks = self.ranking.ranks_of(arcs)
            return self.compute_quality(s, upper_ranks, lower_ranks, arcs.bye, floats)

        return costs

    def _make_order_sums(self, level: Level, part: OrderLevelSum) -> LevelSums:
        """Return one level of the order of candidates as a sum over arcs, for a proof.

        `part` has the level's amounts for pairs of ranks. If only the matches of one
        player count, the level is marked as that player's own, and the pairing number
        is added to its label. The offset of `part` becomes the level's.
        """
        player_position = None
        if part.own is not None:
            player_position = int(self.ranking.player[part.own])
            pairing_number = int(self.ranking.fide.number[part.own])
            level = level._replace(label=f"{level.label}/{pairing_number}")
        level = level._replace(offset=part.offset)

        def costs(arcs: Arcs) -> IntArray:
            """Return what arcs add to the level of the order, shape (m, 1)."""
            upper_ranks, lower_ranks = self.ranking.ranks_of(arcs)
            return part.amounts(upper_ranks, lower_ranks)[:, None]

        return LevelSums((level,), costs, own=player_position)

    def compute_order_values(self, s: int, a: IntArray, b: IntArray) -> list[int]:
        """Return the value of each part of the order in group `s`'s bracket.

        The ranks a[k] < b[k] are a whole pairing. There is one integer for each article
        of `order_articles`; the smaller is the earlier candidate.
        """
        part_values = [0] * len(self.order_articles)
        for _pair_index, part_index, amount in self.iterate_shares(s, a, b):
            part_values[part_index] += amount
        return part_values

    def make_paired_bracket(self, s: int, a: IntArray, b: IntArray) -> PairedBracket:
        """Return the bracket of group `s`, from the ranks of a whole pairing.

        The pairs are a[k] < b[k], of all players in brackets; b[k] is n for the bye. A
        pair is made in the bracket of its lower player, so the upper one floats down to
        it. The player with the bye floats out of the last bracket, too.
        """
        upper_groups, lower_groups = self.ranking.group_of(a), self.ranking.group_of(b)
        moved_down = a[(upper_groups < s) & (lower_groups >= s)]
        residents = np.flatnonzero(self.ranking.group == s)
        members = self.order_by_bsn(np.append(moved_down, residents))
        moved_down_by_bsn = members[self.ranking.group[members] < s]

        pairs_inside = np.flatnonzero(lower_groups == s)
        pairs_inside = pairs_inside[np.argsort(a[pairs_inside])]
        floating_ranks = np.sort(a[(upper_groups <= s) & (lower_groups > s)])
        return PairedBracket(
            members, moved_down_by_bsn, a[pairs_inside], b[pairs_inside], floating_ranks
        )

    def _make_bracket_of_arcs(self, s: int, arcs: Arcs) -> PairedBracket:
        """Return the bracket of group `s` in the arcs of a whole pairing.

        The player with the bye is left out if the system has that player in no bracket.
        """
        bracket_system, _level_indices, arc_indices = self.without_bye(arcs)
        upper_ranks, lower_ranks = bracket_system.ranking.ranks_of(
            arcs.take(arc_indices)
        )
        return bracket_system.make_paired_bracket(s, upper_ranks, lower_ranks)

    def foretells(self, index: int, one: Arcs, other: Arcs) -> bool:
        """Return whether two pairings are equal down to the bracket of a level.

        That is, all pairs made in this bracket or above are the same. If the level
        `index` differs nevertheless, it looks ahead: it foretells a difference further
        down. It is False for the levels of the bye. `one` and `other` are the two
        pairings, whole ones.
        """
        score_group = self._group_of_level(index, other)
        if score_group < 0:
            return False

        # each pair as one number
        key_base = len(self.ranking) + 1
        pair_keys = []
        for pairing_arcs in (one, other):
            bracket_system, _level_indices, arc_indices = self.without_bye(pairing_arcs)
            upper_ranks, lower_ranks = bracket_system.ranking.ranks_of(
                pairing_arcs.take(arc_indices)
            )
            pair_keys.append(upper_ranks * key_base + lower_ranks)
        differing_lower_ranks = np.setxor1d(pair_keys[0], pair_keys[1]) % key_base
        return not (
            bracket_system.ranking.group_of(differing_lower_ranks) <= score_group
        ).any()

    def looks_from(self, index: int, arcs: Arcs) -> BoolArray | None:
        """Return a mask of the arcs made in a level's bracket or above, shape (arcs,).

        `index` is the position of the level in `levels`, and `arcs` are a whole
        pairing. Returns None unless the level looks ahead to the next bracket, as C8
        does. The bye of a player who is in no bracket is not marked.
        """
        if self.levels[index].criterion != self._own_article("C8"):
            return None
        is_at_or_above = np.zeros(len(arcs), np.bool_)
        bracket_system, _level_indices, arc_indices = self.without_bye(arcs)
        lower_ranks = bracket_system.ranking.ranks_of(arcs.take(arc_indices))[1]
        score_group = self._group_of_level(index, arcs)
        is_at_or_above[arc_indices] = (
            bracket_system.ranking.group_of(lower_ranks) <= score_group
        )
        return is_at_or_above

    def _group_of_level(self, index: int, arcs: Arcs) -> int:
        """Return the group whose bracket level `index` belongs to, -1 for the bye's levels.

        `arcs` are a whole pairing: in some systems its player with the bye is in no
        bracket, so the levels depend on it.
        """
        bracket_system, level_indices, _arc_indices = self.without_bye(arcs)
        if self.ranking.is_odd and index < len(self.bye_words):
            return -1
        index_in_bracket_system = np.searchsorted(level_indices, index)
        bracket_starts = bracket_system.bracket_starts
        return (
            int(np.searchsorted(bracket_starts, index_in_bracket_system, side="right"))
            - 1
        )

    def worse(self, index: int, state: State, other: Arcs, best: Arcs) -> Note:
        """Explain how a whole pairing is worse than the best one in level `index`.

        It is the first level in which the pairing `other` differs from `best`. The
        message is that of a criterion, with the players and scores concerned, or for a
        level of the order of candidates that of the first difference of both brackets.
        `state` has the players' names.
        """
        level = self.levels[index]
        score_group = self._group_of_level(index, best)
        bracket_system = self.without_bye(best)[0]
        scores_with_end = (*bracket_system.ranking.scores, 0)
        points_of_group = [Fraction(score, self.scale) for score in scores_with_end]
        common_fields: dict[str, Any] = {
            "article": level.criterion.removesuffix(" MDP"),
            "points": points_of_group[score_group],
            "next": points_of_group[score_group + 1],
        }
        if level.criterion in self.order_articles:
            order_message = bracket_system.describe_order(
                level.criterion,
                self._make_bracket_of_arcs(score_group, other),
                self._make_bracket_of_arcs(score_group, best),
                partial(bracket_system.names, state),
            )
            message_fields = {
                **order_message.fields,
                "article": common_fields["article"],
            }
            heading = Message(self.order_kind, common_fields)
            return with_heading(heading, Message(order_message.kind, message_fields))

        amount_of_pair = self._find_adding_pairs(index, other)
        best_amount_of_pair = self._find_adding_pairs(index, best)
        new_pairs = [
            adding_pair
            for adding_pair in amount_of_pair
            if adding_pair not in best_amount_of_pair
        ]
        upper_ranks, lower_ranks = zip(*new_pairs, strict=True)
        first_player = self.ranking.player[upper_ranks[0]]
        name_ranks = partial(self.names, state)
        round_index = state.event.round - 2
        if level.criterion in TWO_AGO:
            round_index -= 1

        message_kind, kind_if_more = self.worse_kinds[level.criterion]
        if message_kind == "article.down_again":
            was_played = state.event.turns.played[
                state.player[first_player], round_index
            ]
            uses_second_kind = not was_played
        else:
            uses_second_kind = bool(best_amount_of_pair)

        fide_attributes = self.read_attributes(state)
        # a preference of -1 is that of a player without one
        side_names = (*self._capitalize_sides(state), "")
        preferred_side = int(fide_attributes.preferred[first_player])
        best_ranks_with_bye = self.ranking.ranks_of(best)[0][best.bye].tolist()
        message_fields = {
            **common_fields,
            "one": name_ranks(upper_ranks[:1]),
            "two": name_ranks(lower_ranks[:1]),
            "who": name_ranks(upper_ranks),
            "met": name_ranks(lower_ranks),
            "now": name_ranks([upper_rank for upper_rank, _ in best_amount_of_pair]),
            "bye": name_ranks(best_ranks_with_bye),
            "round": round_index + 1,
            "value": Fraction(sum(amount_of_pair.values()), level.scale),
            "side": side_names[preferred_side],
            "least": Fraction(sum(best_amount_of_pair.values()), level.scale),
            "other": side_names[1 - preferred_side],
            "of": Fraction(int(fide_attributes.score[first_player]), self.scale),
        }
        return Message(
            kind_if_more if uses_second_kind else message_kind, message_fields
        )

    def _find_adding_pairs(self, index: int, arcs: Arcs) -> dict[tuple[int, int], int]:
        """Return the pairs of ranks that add to a level, each with its amount.

        `index` is the level, and `arcs` are a whole pairing. The upper rank of a pair
        comes first; the lower rank of the bye is the number of players. Pairs that add
        0 are left out.
        """
        upper_ranks, lower_ranks = self.ranking.ranks_of(arcs)
        rank_pairs = zip(upper_ranks.tolist(), lower_ranks.tolist(), strict=True)
        amounts = self.costs(arcs)[:, index].tolist()
        return {
            rank_pair: amount
            for rank_pair, amount in zip(rank_pairs, amounts, strict=True)
            if amount
        }

    def brackets(self, state: State, arcs: Arcs) -> Iterator[str]:
        """Yield a line of text for each bracket of a whole pairing, from the top.

        It has the bracket's score, the numbers of players and pairs, who moved down and
        who floats down, and the first pairs. Brackets without players are left out.
        """
        bracket_system, _level_indices, arc_indices = self.without_bye(arcs)
        upper_ranks, lower_ranks = bracket_system.ranking.ranks_of(
            arcs.take(arc_indices)
        )
        for score_group in range(len(bracket_system.quality_keys)):
            bracket = bracket_system.make_paired_bracket(
                score_group, upper_ranks, lower_ranks
            )
            if not len(bracket.members):
                continue

            opponent_of_rank, bsn_of_rank = bracket.opponent, bracket.bsn
            pair_texts = []
            for rank in bsn_of_rank:
                if bsn_of_rank[rank] < bsn_of_rank.get(
                    opponent_of_rank.get(rank, -1), 0
                ):
                    player_names = bracket_system.names(
                        state, (rank, opponent_of_rank[rank])
                    )
                    pair_texts.append(pair_text(*player_names))

            clauses = [
                count_noun(len(bsn_of_rank), "player", "players"),
                count_noun(len(pair_texts), "pair", "pairs"),
            ]
            for verb, moving_ranks in (
                ("moved", bracket.moved),
                ("float", bracket.floats),
            ):
                if len(moving_ranks):
                    player_names = bracket_system.names(state, moving_ranks.tolist())
                    clauses.append(f"{verb} down: {join_names(player_names)}")
            if pair_texts:
                clauses.append(join_names(pair_texts, MOST_NAMED_PAIRS))
            yield f"{bracket_system._score_texts[score_group]}: {'; '.join(clauses)}"

    def remarks(self, state: State, arcs: Arcs, k: int) -> list[Message]:
        """Return messages on match `k` of a whole pairing: its floats and its sides.

        If its players are of two score groups, one message says why the upper player
        floats down, and another that the lower one floats up. If games have sides, a
        last one says why the sides are these. The list is empty for a bye.
        """
        first_player, second_player = int(arcs.first[k]), int(arcs.second[k])
        remark_messages = list[Message]()
        if second_player == BYE:
            return remark_messages

        bracket_system = self.without_bye(arcs)[0]
        upper_and_lower = bracket_system.ranking.ranks_of(arcs.take(slice(k, k + 1)))
        upper_and_lower_ranks = np.concatenate(upper_and_lower)
        upper_group, lower_group = bracket_system.ranking.group_of(
            upper_and_lower_ranks
        ).tolist()
        if upper_group != lower_group:
            bracket = self._make_bracket_of_arcs(upper_group, arcs)
            group_score = bracket_system.ranking.scores[upper_group]
            float_fields: dict[str, FieldValue] = {
                "players": len(bracket.members),
                "floats": len(bracket.floats),
                "points": Fraction(group_score, self.scale),
            }
            upper_name, lower_name = bracket_system.names(
                state, upper_and_lower_ranks.tolist()
            )
            message_id = "match.floats_down"
            if len(bracket.members) == 1:
                message_id = "match.floats_down_alone"
            article = self._own_article("C6")
            remark_messages.append(
                Message(
                    message_id, {**float_fields, "name": upper_name, "article": article}
                )
            )
            remark_messages.append(message("match.floats_up", name=lower_name))

        if state.event.sides is not None and state.sided:
            remark_messages.append(self.side_told(state, first_player, second_player))
        return remark_messages

    def side_told(self, state: State, one: int, two: int) -> Message:
        """Return a message on why `one` has the first side against `two` (article 5).

        Both are positions in the state. The message names the rule that decides, its
        article in this system, both sides, and how many of the two prefer a side.
        """
        fide_attributes, side_names = (
            self.read_attributes(state),
            self._capitalize_sides(state),
        )
        message_id, article = self.side_kinds[article_of(fide_attributes, one, two)]
        due_side = int(fide_attributes.preferred[one])
        due_count = int((fide_attributes.preferred[[one, two]] >= 0).sum())
        shown_names = (state.shown[one], state.shown[two])
        return Message(
            message_id,
            {
                "name": shown_names[0],
                "side": side_names[0],
                "due": side_names[due_side],
                "granted": shown_names[due_side],
                "dues": due_count,
                "article": article,
            },
        )

    def _capitalize_sides(self, state: State) -> list[str]:
        """Return the names of the two sides, each with a capital letter.

        Both are "" in an event without sides.
        """
        return [side_name.capitalize() for side_name in state.event.sides or ("", "")]

    def names(self, state: State, ranks: Sequence[int]) -> list[str]:
        """Return the names of the players of these ranks, in order.

        Ranks of n and more, such as the bye's, are left out.
        """
        return [
            state.shown[self.ranking.player[rank]]
            for rank in ranks
            if rank < len(self.ranking)
        ]
