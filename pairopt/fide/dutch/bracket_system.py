"""Brackets: a system that pairs bracket by bracket, its levels and what is said of its pairings."""

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
    bracket_costs,
    bracket_keys,
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
"""What is said of the systems' articles: of levels of the bye, of a bracket, and of sides."""
FEW = 4  # so many pairs of a bracket are told
PLACES = 32  # more than a bracket has criteria and parts
BYE_PLACE = -PLACES * 2**40  # before the levels of any bracket
Names = Callable[[Sequence[int]], list[str]]  # the names of ranks
Words = Mapping[str, str]  # what is said of each article, in order


def describe_levels(of_bye: Words, words: Words) -> tuple[str, ...]:
    each = {
        k: f"in each bracket from the top: {said.format(x='each score')}"
        for k, said in words.items()
        if k not in of_bye
    }
    return tuple(f"{said} [{article}]" for article, said in {**of_bye, **each}.items())


@dataclass(frozen=True)
class PairedBracket:
    """The bracket of a group in a whole pairing: `members` by their sequence numbers (BSN), `moved`
    those from above; `upper` meet `lower`, and `floats` float down. All are ranks.
    """

    members: IntArray
    moved: IntArray
    upper: IntArray
    lower: IntArray
    floats: IntArray

    @cached_property
    def bsn(self) -> dict[int, int]:
        return {rank: number for number, rank in enumerate(self.members.tolist(), 1)}

    @cached_property
    def opponent(self) -> dict[int, int]:
        both = zip(self.upper.tolist(), self.lower.tolist(), strict=True)
        return {one: two for pair in both for one, two in (pair, pair[::-1])}

    def otherwise(
        self, best: "PairedBracket", among: IntArray, names: Names
    ) -> Message:
        """The first of some players who meets somebody else than in the best candidate."""
        one = next(
            r for r in among.tolist() if self.opponent.get(r) != best.opponent.get(r)
        )
        now, then = self.opponent.get(one), best.opponent.get(one)
        kind = (
            "order.floats"
            if now is None
            else "order.stays"
            if then is None
            else "order.meets"
        )
        ranks = {"one": one, "two": now, "best": then}
        return Message(
            kind, {k: names([p])[0] for k, p in ranks.items() if p is not None}
        )


@dataclass(frozen=True)
class BracketSystem(PairingSystem):
    """The levels of one round: those of the bye, then of each bracket its quality and its order.
    `of_bye` has the words of the bye's levels, `words` those of a bracket's, {x} for the points of
    a group; of these `parts` are the order's, and all others criteria of quality, which are called
    otherwise than in the Dutch System where `renamed` says so. `told` has the kinds of what is told
    where a criterion is worse, `order` where the order is; `sides` why a player has a side, and the
    system's own article, by that of the Dutch System. `bracket` finds pairs.
    """

    bracket: ClassVar[type[Bracket]]
    of_bye: ClassVar[Words]
    words: ClassVar[Words]
    parts: ClassVar[tuple[str, ...]]
    sides: ClassVar[Mapping[str, Sequence[str]]]
    told: ClassVar[Mapping[str, Sequence[str]]]
    renamed: ClassVar[Words] = {}
    order: ClassVar[str] = "article.order"
    ranking: RankedPlayers
    scale: int

    @staticmethod
    @abstractmethod
    def facts(state: State) -> FideAttributes:
        """What the system reads of the players."""

    @abstractmethod
    def bye_costs(self) -> IntArray:
        """What each rank with the bye adds to the bye's levels, shape (n, levels)."""

    @abstractmethod
    def numbered(self, players: IntArray) -> IntArray:
        """The ranks of a bracket's players in the order of their sequence numbers."""

    @abstractmethod
    def shares(
        self, s: int, a: IntArray, b: IntArray
    ) -> Iterable[tuple[int, int, int]]:
        """What pairs a < b of a whole pairing add to the order in a bracket: pair, part, amount."""

    @abstractmethod
    def part_sums(self, s: int, bracket: PairedBracket) -> Iterable[OrderLevelSum]:
        """The order in a bracket as sums over pairs; see `pairopt.fide.dutch.criteria`."""

    @abstractmethod
    def order_told(
        self, part: str, now: PairedBracket, best: PairedBracket, names: Names
    ) -> Message:
        """The first thing that is otherwise in a later candidate than in the best, in a part."""

    @cached_property
    def keys(self) -> tuple[list[CriterionLevel], ...]:
        """The levels of quality of each bracket, by their names in the Dutch System: those that the
        system has words for.
        """
        every = (bracket_keys(self.ranking, s) for s in range(len(self.ranking.scores)))
        return tuple(
            [key for key in some if self._named(key.criterion) in self.words]
            for some in every
        )

    @cached_property
    def starts(self) -> list[int]:
        """The index of each bracket's first level, and the number of levels."""
        first = len(self.of_bye) if self.ranking.odd else 0
        return list(
            accumulate([first, *(len(keys) + len(self.parts) for keys in self.keys)])
        )

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        made = [
            Level(
                BYE_PLACE + k,
                article,
                "bye",
                1 if k else self.scale,
                0,
                f"{said} ({article})",
            )
            for k, (article, said) in enumerate(self.of_bye.items())
            if self.ranking.odd
        ]
        for s, keys in enumerate(self.keys):
            made += [
                self._level(s, key) for key in (*keys, *map(CriterionLevel, self.parts))
            ]
        return tuple(made)

    def _level(self, s: int, key: CriterionLevel) -> Level:
        criterion = self._named(key.criterion)
        label = bracket = self._decimals[s]
        said = self.words[criterion]
        if key.group >= 0:
            label = f"{bracket}/{self._decimals[key.group]}"
            points = self._told[key.group]
            said = (
                said.replace("{x}", points) if "{x}" in said else f"{said}, of {points}"
            )
        place = PLACES * -self.ranking.scores[s] + list(self.words).index(criterion)
        article = criterion.removesuffix(" MDP")
        return Level(
            place, criterion, label, 1, 0, f"{self._told[s]}: {said} ({article})"
        )

    def _named(self, criterion: str) -> str:
        return self.renamed.get(criterion, criterion)

    @cached_property
    def _decimals(self) -> list[str]:
        """The score of each group: there may be a level for any two of them."""
        return [
            decimal_text(Fraction(score, self.scale)) for score in self.ranking.scores
        ]

    @cached_property
    def _told(self) -> list[str]:
        return [
            points_text(Fraction(score, self.scale)) for score in self.ranking.scores
        ]

    def apart(self, arcs: Arcs) -> tuple[Self, IntArray, IntArray]:
        """The system of who is in brackets, which levels are its own, and the arcs of these."""
        return self, np.arange(self.starts[-1]), np.arange(len(arcs))

    def costs(self, arcs: Arcs) -> "Exact":
        made = np.zeros((len(arcs), len(self.levels)), np.object_)
        for rows, columns, amounts in self._added(arcs):
            np.add.at(made, (rows, columns), amounts)
        return made

    def totals(self, arcs: Arcs) -> list[int]:
        made = np.zeros(len(self.levels), np.object_)
        for rows, columns, amounts in self._added(arcs):
            np.add.at(made, columns, amounts.sum(axis=0) if rows.ndim > 1 else amounts)
        return cast("list[int]", made.tolist())

    def _added(self, arcs: Arcs) -> Iterator[tuple[IntArray, IntArray, Any]]:
        """What arcs add to levels: of arcs, shape (m, 1), to the same ones, or of one to one."""
        if self.ranking.odd:
            at = arcs.bye.nonzero()[0]
            costs = self.bye_costs()[self.ranking.pairs(arcs)[0][at]]
            yield at[:, None], np.arange(len(self.of_bye)), costs
        rest, columns, own = self.apart(arcs)
        a, b = rest.ranking.pairs(arcs.take(own))
        for s, start in enumerate(rest.starts[:-1]):
            end = start + len(rest.keys[s])
            yield own[:, None], columns[start:end], rest.quality(s, a, b, arcs.bye[own])
            if some := [*rest.shares(s, a, b)]:
                pair, part, amount = zip(*some, strict=True)
                yield (
                    own[[*pair]],
                    columns[end + np.array(part)],
                    np.array(amount, np.object_),
                )

    def quality(
        self,
        s: int,
        a: IntArray,
        b: IntArray,
        bye: BoolArray,
        floats: int | None = None,
    ) -> IntArray:
        """The levels of quality of a bracket in a whole pairing, or where so many float."""
        return bracket_costs(self.ranking, s, self.keys[s], a, b, bye)

    def summed(self, arcs: Arcs) -> Iterator[LevelSums]:
        """The levels as sums over arcs; see `System`. Parts of the order are a level a player."""
        if arcs.bye.any():
            for k, level in enumerate(self.levels[: len(self.of_bye)]):
                yield LevelSums((level,), self._of_bye(k), own=BYE)
        rest, _, own = self.apart(arcs)
        a, b = rest.ranking.pairs(arcs.take(own))
        for s, start in enumerate(rest.starts[:-1]):
            end = start + len(rest.keys[s])
            floats = int(rest.quality(s, a, b, arcs.bye[own])[:, 0].sum())
            yield LevelSums(rest.levels[start:end], rest._quality_of(s, floats))
            for part in rest.part_sums(s, rest.paired(s, a, b)):
                yield rest._part(s, rest.levels[end + part.part], part)

    def _of_bye(self, k: int) -> Callable[[Arcs], IntArray]:
        def costs(arcs: Arcs) -> IntArray:
            made = np.zeros((len(arcs), 1), np.int64)
            made[arcs.bye, 0] = self.bye_costs()[
                self.ranking.pairs(arcs)[0][arcs.bye], k
            ]
            return made

        return costs

    def _quality_of(self, s: int, floats: int) -> Callable[[Arcs], IntArray]:
        return lambda arcs: self.quality(s, *self.ranking.pairs(arcs), arcs.bye, floats)

    def _part(self, s: int, level: Level, part: OrderLevelSum) -> LevelSums:
        """A level of the order: where it is about a player, it is called by their number."""
        own = None
        if part.own is not None:
            own = int(self.ranking.player[part.own])
            number = int(self.ranking.fide.number[part.own])
            level = level._replace(label=f"{level.label}/{number}")
        levels = (level._replace(offset=part.offset),)
        return LevelSums(
            levels,
            lambda arcs: part.amounts(*self.ranking.pairs(arcs))[:, None],
            own=own,
        )

    def order_parts(self, s: int, a: IntArray, b: IntArray) -> list[int]:
        parts = [0] * len(self.parts)
        for _, part, amount in self.shares(s, a, b):
            parts[part] += amount
        return parts

    def paired(self, s: int, a: IntArray, b: IntArray) -> PairedBracket:
        """The bracket of group `s` in a whole pairing a < b of who is in brackets."""
        upper, lower = self.ranking.group_of(a), self.ranking.group_of(b)
        reached = a[(upper < s) & (lower >= s)]
        members = self.numbered(
            np.append(reached, np.flatnonzero(self.ranking.group == s))
        )
        moved = members[self.ranking.group[members] < s]
        here = np.flatnonzero(lower == s)
        here = here[np.argsort(a[here])]
        floats = np.sort(a[(upper <= s) & (lower > s)])
        return PairedBracket(members, moved, a[here], b[here], floats)

    def _bracket_of(self, s: int, arcs: Arcs) -> PairedBracket:
        rest, _, own = self.apart(arcs)
        return rest.paired(s, *rest.ranking.pairs(arcs.take(own)))

    def foretells(self, index: int, one: Arcs, other: Arcs) -> bool:
        """Whether level `index` is of a bracket that two whole pairings pair alike; see `System`.
        Of those with different byes the levels of the bye say so first.
        """
        s = self._group_of(index, other)
        if s < 0:
            return False
        keys = []
        for arcs in (one, other):
            rest, _, own = self.apart(arcs)
            a, b = rest.ranking.pairs(arcs.take(own))
            keys.append(a * (len(self.ranking) + 1) + b)
        lower = np.setxor1d(keys[0], keys[1]) % (len(self.ranking) + 1)
        return not (rest.ranking.group_of(lower) <= s).any()

    def looks_from(self, index: int, arcs: Arcs) -> BoolArray | None:
        if self.levels[index].criterion != self._named("C8"):
            return None
        made = np.zeros(len(arcs), np.bool_)
        rest, _, own = self.apart(arcs)
        lower = rest.ranking.pairs(arcs.take(own))[1]
        made[own] = rest.ranking.group_of(lower) <= self._group_of(index, arcs)
        return made

    def _group_of(self, index: int, arcs: Arcs) -> int:
        """The group in whose bracket level `index` is; -1 for the levels of the bye."""
        rest, columns, _ = self.apart(arcs)
        if self.ranking.odd and index < len(self.of_bye):
            return -1
        return (
            int(
                np.searchsorted(
                    rest.starts, np.searchsorted(columns, index), side="right"
                )
            )
            - 1
        )

    def worse(self, index: int, state: State, other: Arcs, best: Arcs) -> Note:
        level, s, rest = (
            self.levels[index],
            self._group_of(index, best),
            self.apart(best)[0],
        )
        points = [Fraction(score, self.scale) for score in (*rest.ranking.scores, 0)]
        known: dict[str, Any] = {
            "article": level.criterion.removesuffix(" MDP"),
            "points": points[s],
            "next": points[s + 1],
        }
        if level.criterion in self.parts:
            now, then = (self._bracket_of(s, arcs) for arcs in (other, best))
            told = rest.order_told(
                level.criterion, now, then, partial(rest.names, state)
            )
            detail = Message(told.kind, {**told.fields, "article": known["article"]})
            return with_heading(Message(self.order, known), detail)
        mine, theirs = (self._adding(index, arcs) for arcs in (other, best))
        upper, lower = zip(*[pair for pair in mine if pair not in theirs], strict=True)
        player, names = self.ranking.player[upper[0]], partial(self.names, state)
        turn = state.event.round - 2 - (level.criterion in TWO_AGO)
        plain, besides = self.told[level.criterion]
        other_kind = bool(theirs)
        if plain == "article.down_again":
            other_kind = not state.event.turns.played[state.player[player], turn]
        fide, sides = self.facts(state), (*self._sides(state), "")
        side = int(fide.preferred[player])
        return Message(
            besides if other_kind else plain,
            {
                **known,
                "one": names(upper[:1]),
                "two": names(lower[:1]),
                "who": names(upper),
                "met": names(lower),
                "now": names([one for one, _ in theirs]),
                "bye": names(self.ranking.pairs(best)[0][best.bye].tolist()),
                "round": turn + 1,
                "value": Fraction(sum(mine.values()), level.scale),
                "side": sides[side],
                "least": Fraction(sum(theirs.values()), level.scale),
                "other": sides[1 - side],
                "of": Fraction(int(fide.score[player]), self.scale),
            },
        )

    def _adding(self, index: int, arcs: Arcs) -> dict[tuple[int, int], int]:
        pairs = zip(*(ends.tolist() for ends in self.ranking.pairs(arcs)), strict=True)
        both = zip(pairs, self.costs(arcs)[:, index].tolist(), strict=True)
        return {pair: amount for pair, amount in both if amount}

    def brackets(self, state: State, arcs: Arcs) -> Iterator[str]:
        """A line for each bracket: who is in it, who floats, and how the pairs begin."""
        rest, _, own = self.apart(arcs)
        a, b = rest.ranking.pairs(arcs.take(own))
        for s in range(len(rest.keys)):
            bracket = rest.paired(s, a, b)
            if not len(bracket.members):
                continue
            met, bsn = bracket.opponent, bracket.bsn
            pairs = [
                pair_text(*rest.names(state, (one, met[one])))
                for one in bsn
                if bsn[one] < bsn.get(met.get(one, -1), 0)
            ]
            said = [
                count_noun(len(bsn), "player", "players"),
                count_noun(len(pairs), "pair", "pairs"),
            ]
            for what, ranks in (("moved", bracket.moved), ("float", bracket.floats)):
                if len(ranks):
                    said.append(
                        f"{what} down: {join_names(rest.names(state, ranks.tolist()))}"
                    )
            yield f"{rest._told[s]}: {'; '.join([*said, *[join_names(pairs, FEW)] * bool(pairs)])}"

    def remarks(self, state: State, arcs: Arcs, k: int) -> list[Message]:
        """What decided about the match number `k` of a whole pairing: its float, and its sides."""
        one, two, said = int(arcs.first[k]), int(arcs.second[k]), list[Message]()
        if two == BYE:
            return said
        rest = self.apart(arcs)[0]
        ends = np.concatenate(rest.ranking.pairs(arcs.take(slice(k, k + 1))))
        s, below = rest.ranking.group_of(ends).tolist()
        if s != below:
            bracket = self._bracket_of(s, arcs)
            known: dict[str, FieldValue] = {
                "players": len(bracket.members),
                "floats": len(bracket.floats),
                "points": Fraction(rest.ranking.scores[s], self.scale),
            }
            upper, lower = rest.names(state, ends.tolist())
            alone = known["players"] == 1
            kind = "match.floats_down_alone" if alone else "match.floats_down"
            said.append(
                Message(kind, {**known, "name": upper, "article": self._named("C6")})
            )
            said.append(message("match.floats_up", name=lower))
        if state.event.sides is not None and state.sided:
            said.append(self.side_told(state, one, two))
        return said

    def side_told(self, state: State, one: int, two: int) -> Message:
        """Why the first of two players has the first side."""
        fide, sides = self.facts(state), self._sides(state)
        kind, article = self.sides[article_of(fide, one, two)]
        due, both = int(fide.preferred[one]), (state.shown[one], state.shown[two])
        return Message(
            kind,
            {
                "name": both[0],
                "side": sides[0],
                "due": sides[due],
                "granted": both[due],
                "article": article,
            },
        )

    def _sides(self, state: State) -> list[str]:
        return [side.capitalize() for side in state.event.sides or ("", "")]

    def names(self, state: State, ranks: Sequence[int]) -> list[str]:
        return [
            state.shown[self.ranking.player[p]] for p in ranks if p < len(self.ranking)
        ]
