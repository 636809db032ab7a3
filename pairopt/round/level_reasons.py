"""Reasons: why a level could not be lower, where the prices of a proof show it in few words.

What counts are the matches that an optimal pairing can have, given the levels before: those that
cost just what their prices are. An odd number of players cannot all meet each other, so where
each match that leaves them adds to a level, it is not 0. Nor is it where some players could avoid
it only by meeting others who are fewer.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from pairopt.engines.base import EngineError
from pairopt.engines.odd_sets import component_of
from pairopt.event.arcs import BoolArray, IntArray, arcs_of
from pairopt.messages import Message, Value, message, with_heading
from pairopt.problem.problem import Problem
from pairopt.proof.claim import order_players
from pairopt.proof.file import Proof
from pairopt.proof.verify import InvalidProof, read_claim, read_duals

MOST_REASONS = 3  # so many are given for a level, the shortest
MOST_NAMES = 6  # more players are only spoken of by what they share
ODD = {
    "above": ("reason.odd_above", "reason.odd_above_or_bye"),
    "below": ("reason.odd_below", "reason.odd_below_or_bye"),
    "else": ("reason.odd_else", "reason.odd_else_or_bye"),
}
"""Of an odd number of players, by where the others are, and whether one can have the bye."""


@dataclass(frozen=True, slots=True)
class LevelReason:
    """Why a level, by its index, is above 0: `players` (positions in the state) and a clause. One
    of their matches adds to it; where they are an `odd` number, one of those that leave them.
    """

    level: int
    players: frozenset[int]
    said: Message
    odd: bool = False


def reasons(problem: Problem, proof: Proof) -> tuple[LevelReason, ...]:
    """What a proof shows of the levels of a lexicographic round, by levels, smallest sets first.
    Raises EngineError where the prices prove nothing.
    """
    claim, witness = proof.content["claim"], proof.content["witness"]
    if claim["pairing"] is None or claim["system"] is not None:
        return ()
    if not 0 < witness["shown"] == len(problem.levels):
        return ()
    found = ProofDuals.of(problem, claim, witness).reasons()
    return tuple(sorted(found, key=lambda reason: (reason.level, len(reason.players))))


@dataclass(frozen=True)
class ProofDuals:
    """A proof: `prices` of vertices, `sets` of them (True inside), their `set_prices`. `arcs` are
    two vertices and the kind of each legal match; `costs` are those of the kinds, and everything is
    in halves. `order` has the vertices' positions in the state.
    """

    problem: Problem
    order: IntArray
    totals: list[int]
    arcs: IntArray
    costs: IntArray
    prices: IntArray
    sets: BoolArray
    set_prices: IntArray

    @staticmethod
    def of(problem: Problem, stated: Any, witness: Any) -> "ProofDuals":
        claim, levels = read_claim(stated), len(stated["levels"])
        count = len(claim.table) + 1
        total = [value - offset for *_, value, offset, _ in claim.levels]
        try:
            found = read_duals(witness, count, total)
        except InvalidProof as error:
            raise EngineError(
                with_heading(message("proof.fault"), message(str(error)))
            ) from None
        kind = np.array([code for row in claim.table for code in row], np.int64) - 2
        arcs = np.column_stack([*np.triu_indices(count, 1), kind])[kind >= 0]
        sets = [
            [each >> k & 1 for each in found.sets_of] for k in range(len(found.sets))
        ]
        least = [min(way for way in kind if way is not None) for kind in claim.kinds]
        return ProofDuals(
            problem,
            order_players(problem),
            total,
            arcs,
            2 * np.array(least, np.int64).reshape(-1, levels),
            np.array(found.duals, np.int64).reshape(-1, levels)[found.class_of],
            np.array(sets, np.bool_).reshape(-1, len(found.duals))[:, found.class_of],
            np.array(found.sets, np.int64).reshape(-1, levels),
        )

    def reasons(self) -> Iterator[LevelReason]:
        alive = np.arange(len(self.arcs))
        for level, total in enumerate(self.totals):
            one, two, kind = self.arcs[alive].T
            cost = self.costs[kind, level]
            slack = cost - self.prices[one, level] - self.prices[two, level]
            for k in np.flatnonzero(self.set_prices[:, level]):
                inside, price = self.sets[k], self.set_prices[k]
                leaves = inside[one] != inside[two]
                slack[leaves] -= price[level]
                new = price[level] > 0 and not price[:level].any()
                if total and new and leaves.any() and (cost[leaves] > 0).all():
                    yield from self.odd(level, inside, self.arcs[alive[leaves]])
            if (slack < 0).any():
                raise EngineError(
                    with_heading(message("proof.fault"), message("proof.too_cheap"))
                )
            free = cost == 0
            if total and free.any():
                yield from self.fewer(level, alive[free])
            alive = alive[slack == 0]

    def odd(
        self, level: int, inside: BoolArray, leaving: IntArray
    ) -> Iterator[LevelReason]:
        """An odd number of players, whom these arcs leave; none where they are long to name."""
        bye = len(self.order) if self.problem.state.odd else -1
        if inside[bye] and bye >= 0:
            inside = ~inside  # leaves by the same matches, and is odd too
        players = self.order[np.flatnonzero(inside)]
        who, where = self.called(players)
        if who:
            said = message(ODD[where][bool((leaving[:, :2] == bye).any())], who=who)
            yield LevelReason(level, frozenset(players.tolist()), said, odd=True)

    def fewer(self, level: int, free: IntArray) -> Iterator[LevelReason]:
        """Players who could avoid a level only by meeting others who are fewer."""
        high = self.prices[:, level] > 0
        ends = high[self.arcs[free, :2]]
        if not high.any() or ends.all(axis=1).any():
            return
        one, two = self.arcs[free[ends.any(axis=1)], :2].T
        part = component_of(len(high), one, two)
        none = np.setdiff1d(np.flatnonzero(high), np.append(one, two))
        groups = [np.flatnonzero(part == number) for number in np.unique(part[high])]
        order, names = (
            self.order,
            [*(self.problem.state.shown[p] for p in self.order), "the bye"],
        )
        by_groups = self.problem.levels[level].criterion == "score_groups"
        stuck = [none[k : k + 1] for k in range(len(none))] if by_groups else [none]
        for here in [
            *stuck,
            *(group for group in groups if not np.isin(group, none).any()),
        ]:
            many, few = here[high[here]], here[~high[here]]
            if not len(few) < len(many) <= MOST_NAMES or many.max() == len(order):
                continue
            who, others = ([names[v] for v in each] for each in (many, few))
            if len(few):
                said = message("reason.fewer", who=who, others=others)
            else:
                said = self.alone(level, order[many]) or message(
                    "reason.every", who=who
                )
            yield LevelReason(level, frozenset(order[many].tolist()), said)

    def alone(self, level: int, players: IntArray) -> Message | None:
        """That the first has met everybody in the score group, where that counts."""
        state, p = self.problem.state, int(players[0])
        if self.problem.levels[level].criterion != "score_groups":
            return None
        others = np.setdiff1d(np.flatnonzero(state.group == state.group[p]), players)
        name, points = state.shown[p], Fraction(int(state.score[p]), state.scale)
        if not len(others):
            return message("reason.nobody_but", name=name, points=points)
        met = state.meetings.met(arcs_of(np.full(len(others), p), others)) > 0
        return (
            message("reason.met_all", name=name, points=points) if met.all() else None
        )

    def called(self, players: IntArray) -> tuple[Value | list[str], str]:
        """What players have in common, and where all others are; nothing where it is long."""
        state, count = self.problem.state, len(players)
        low, high = int(state.score[players].min()), int(state.score[players].max())
        if int(((state.score >= low) & (state.score <= high)).sum()) == count:
            least, most = (Fraction(score, state.scale) for score in (low, high))
            if low == high:
                return Value("reason.players", {"many": count, "points": least}), "else"
            if high == state.score.max():
                return Value(
                    "reason.more_players", {"many": count, "points": least}
                ), "below"
            if low == state.score.min():
                return Value(
                    "reason.few_players", {"many": count, "points": most}
                ), "above"
        return [state.shown[p] for p in players] if count <= MOST_NAMES else [], "else"
