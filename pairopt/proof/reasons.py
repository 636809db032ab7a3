"""Reasons: why a level could not be lower, where the prices of a proof show it in few words.

What counts are the matches that an optimal pairing can have, given the levels before: those that
cost just what their prices are. An odd number of players cannot all meet each other, so where
each match that leaves them adds to a level, it is not 0. Nor is it where some players could avoid
it only by meeting others who are fewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from pairopt.budget import Budget, TimeUpError
from pairopt.engines.base import EngineError
from pairopt.engines.odd_sets import component_of
from pairopt.errors import UsageError
from pairopt.event.arcs import BoolArray, IntArray, arcs_of
from pairopt.problem.problem import Problem
from pairopt.proof.document import Proof, listing
from pairopt.proof.proving import unverified
from pairopt.proof.step import type_of_each
from pairopt.wording import amount, listed, points_text

if TYPE_CHECKING:
    from pairopt.round.result import Result

MOST_REASONS = 3
"""So many are given for a level, the shortest."""
MOST_NAMES = 6
"""More players are only spoken of by what they share."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a level, by its index, is above 0: `players` (positions in the state) and a clause.

    Where they are an `odd` number, one of the matches that leave them adds to the level; else
    one of their matches.
    """

    level: int
    players: frozenset[int]
    clause: str
    odd: bool = False


def reasons_of(result: Result, budget: Budget = Budget()) -> tuple[Reason, ...]:
    """What is shown of a result by its proof; nothing where it has none, or not in time."""
    try:
        proof = unverified(result, budget)
    except (TimeUpError, UsageError):
        return ()
    return () if proof is None else reasons(result.problem, proof)


def reasons(problem: Problem, proof: Proof) -> tuple[Reason, ...]:
    """What a proof shows of the levels of a lexicographic round, by levels, smallest sets first.

    Raises EngineError where the prices prove nothing.
    """
    content = proof.content
    step = content["steps"][0]
    if "components" in content or len(content["steps"]) > 1 or not step["levels"]:
        return ()
    if len(step["levels"]) != len(problem.levels):
        return ()
    found = [reason for reason in Prices.of(problem, step).reasons() if reason.clause]
    return tuple(sorted(found, key=lambda reason: (reason.level, len(reason.players))))


def sentences(result: Result, known: Sequence[Reason]) -> list[str]:
    """A sentence a level that has reasons not to be lower."""
    clauses: dict[int, list[str]] = {}
    for reason in known:
        clauses.setdefault(reason.level, []).append(reason.clause)
    said = []
    for k, each in clauses.items():
        level = result.level_values[k]
        value = f"{level.words}: {amount(level.value, level.scale)}"
        said.append(f"{value}, not less, as {'; '.join(each[:MOST_REASONS])}")
    return said


@dataclass(frozen=True)
class Prices:
    """A proof: `prices` of types, `sets` of them (True inside) and their `set_prices`.

    `type_of` each vertex; `usual` is the kind of arc between two types, the first the lower, but
    for the `special` pairs of vertices, a row each with their kind; `costs` are those of the
    kinds, and everything is in whole units.
    """

    problem: Problem
    totals: list[int]
    type_of: IntArray
    usual: IntArray
    special: IntArray
    costs: IntArray
    prices: IntArray
    sets: BoolArray
    set_prices: IntArray

    @staticmethod
    def of(problem: Problem, content: Any) -> Prices:
        texts = [*content["prices"], *content["set_prices"]]
        exact = [[Fraction(text) for text in row] for row in texts]
        unit = lcm(*(price.denominator for row in exact for price in row))
        levels, types = len(content["levels"]), len(content["types"]) + 1
        units = [[int(unit * price) for price in row] for row in exact]
        whole = np.array(units, np.int64).reshape(-1, levels)
        usual = np.full((types, types), -1)
        usual[np.triu_indices(types)] = [kind for row in content["arcs"] for kind in row]
        inside = [np.isin(np.arange(types), members) for members in content["sets"]]
        n = len(problem)
        costs = [min(way for way in kind if way is not None) for kind in content["kinds"]]
        return Prices(
            problem,
            [level["value"] - level["offset"] for level in content["levels"]],
            type_of_each(content["types"], n + n % 2),
            usual,
            np.array(content["special"], np.int64).reshape(-1, 3),
            unit * np.array(costs, np.int64).reshape(-1, levels),
            whole[:types],
            np.array(inside, np.bool_).reshape(-1, types),
            whole[types:].reshape(-1, levels),
        )

    def arcs(self) -> IntArray:
        """Two types and a kind for all legal arcs that have these, a row each."""
        a, b = np.nonzero(self.usual >= 0)
        special = np.unique(self.of_special()[self.special[:, 2] >= 0], axis=0)
        return np.vstack([np.column_stack([a, b, self.usual[a, b]]), special])

    def reasons(self) -> Iterator[Reason]:
        size, nothing = np.bincount(self.type_of), [0] * len(self.totals)
        for inside, price in zip(self.sets, self.set_prices.tolist(), strict=True):
            if not size[inside].sum() % 2 or price < nothing:
                raise EngineError("the proof does not hold: a set is even, or costs less than 0")
        alive = self.arcs()
        for level, total in enumerate(self.totals):
            one, two, kind = alive.T
            cost = self.costs[kind, level]
            slack = cost - self.prices[one, level] - self.prices[two, level]
            for k in np.flatnonzero(self.set_prices[:, level]):
                inside, price = self.sets[k], self.set_prices[k]
                leaves = inside[one] != inside[two]
                slack[leaves] -= price[level]
                new = price[level] > 0 and not price[:level].any()
                if total and new and leaves.any() and (cost[leaves] > 0).all():
                    yield self.odd(level, inside, alive[leaves])
            if (slack < 0).any():
                raise EngineError("the proof does not hold: a match costs less than prices")
            free = cost == 0
            if total and free.any():
                yield from self.fewer(level, alive[free])
            alive = alive[slack == 0]

    def odd(self, level: int, inside: BoolArray, leaving: IntArray) -> Reason:
        """An odd number of players, whom these arcs leave."""
        within = inside[self.type_of]
        bye = self.type_of[-1] if self.problem.state.odd else -1  # of its own type
        if inside[bye] and bye >= 0:
            within = ~within  # leaves by the same matches, and is odd too
        place = listing(self.problem)
        players = place[np.flatnonzero(within)]
        who, where = self.called(players)
        having = " or have the bye" if (leaving[:, :2] == bye).any() else ""
        clause = f"{who} are an odd number: one of them has to meet somebody {where}{having}"
        return Reason(level, frozenset(players.tolist()), clause if who else "", odd=True)

    def fewer(self, level: int, free: IntArray) -> Iterator[Reason]:
        """Players who could avoid a level only by meeting others who are fewer."""
        paid = self.prices[:, level] > 0
        ends = paid[free[:, :2]]
        if not paid.any() or ends.all(axis=1).any():
            return
        one, two = self.pairs(free[ends.any(axis=1)])
        high = paid[self.type_of]
        part = component_of(len(high), one, two)
        none = np.setdiff1d(np.flatnonzero(high), np.append(one, two))
        groups = [np.flatnonzero(part == number) for number in np.unique(part[high])]
        order = listing(self.problem)
        names = [*(self.problem.state.shown[p] for p in order), "the bye"]
        by_groups = self.problem.levels[level].criterion == "score_groups"
        stuck = [none[k : k + 1] for k in range(len(none))] if by_groups else [none]
        for here in [*stuck, *(group for group in groups if not np.isin(group, none).any())]:
            many, few = here[high[here]], here[~high[here]]
            if not len(few) < len(many) <= MOST_NAMES or many.max() == len(order):
                continue
            who, others = (listed([names[v] for v in each]) for each in (many, few))
            clause = f"{who} could only avoid it with {others}, and these are fewer"
            if not len(few):
                clause = self.alone(level, order[many]) or f"every match of {who} adds to it"
            yield Reason(level, frozenset(order[many].tolist()), clause)

    def pairs(self, arcs: IntArray) -> tuple[IntArray, IntArray]:
        """The vertices that these rows of `arcs` join; some of them twice."""
        n, a, b = len(self.type_of), *arcs[self.usual[arcs[:, 0], arcs[:, 1]] == arcs[:, 2], :2].T
        members, size = np.argsort(self.type_of), np.bincount(self.type_of)
        start, many = np.cumsum(size) - size, size[a] * size[b]
        place = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
        width = np.repeat(size[b], many)
        one = members[np.repeat(start[a], many) + place // width]
        two = members[np.repeat(start[b], many) + place % width]
        special = np.sort(self.special[:, :2], axis=1) @ np.array([n, 1])
        kept = (one != two) & ~np.isin(np.minimum(one, two) * n + np.maximum(one, two), special)
        types, kinds = len(size), len(self.costs)
        wanted, found = (
            (each[:, 0] * types + each[:, 1]) * kinds + each[:, 2]
            for each in (arcs, self.of_special())
        )
        more = self.special[np.isin(found, wanted) & (self.special[:, 2] >= 0)]
        return np.append(one[kept], more[:, 0]), np.append(two[kept], more[:, 1])

    def of_special(self) -> IntArray:
        """The types and the kind of each special pair."""
        ends = np.sort(self.type_of[self.special[:, :2]], axis=1)
        return np.column_stack([ends, self.special[:, 2]])

    def alone(self, level: int, players: IntArray) -> str:
        """That the first has met everybody in the score group, where that counts; or ""."""
        state, p = self.problem.state, int(players[0])
        if self.problem.levels[level].criterion != "score_groups":
            return ""
        others = np.setdiff1d(np.flatnonzero(state.group == state.group[p]), players)
        points = points_text(Fraction(int(state.score[p]), state.scale))
        if not len(others):
            return f"nobody but {state.shown[p]} has {points}"
        met = state.meetings.met(arcs_of(np.full(len(others), p), others)) > 0
        return f"{state.shown[p]} has met everybody else with {points}" if met.all() else ""

    def called(self, players: IntArray) -> tuple[str, str]:
        """What players have in common, and where all others are; "" where it takes too long."""
        state, count = self.problem.state, len(players)
        low, high = int(state.score[players].min()), int(state.score[players].max())
        all_between = int(((state.score >= low) & (state.score <= high)).sum()) == count
        points = [points_text(Fraction(score, state.scale)) for score in (low, high)]
        if all_between and low == high:
            return f"the {count} players with {points[0]}", "else"
        if all_between and high == state.score.max():
            return f"the {count} players with {points[0]} and more", "below"
        if all_between and low == state.score.min():
            return f"the {count} players with {points[1]} and fewer", "above"
        if count <= MOST_NAMES:
            return listed([state.shown[p] for p in players]), "else"
        return "", ""
