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
from typing import Any

import numpy as np

from pairopt.budget import Budget, TimeUpError
from pairopt.engines.odd_sets import component_of
from pairopt.errors import UsageError
from pairopt.event.arcs import BoolArray, IntArray, arcs_of
from pairopt.problem.problem import Problem
from pairopt.proof.arc_table import table_by_classes
from pairopt.proof.document import Proof, listing, type_of_each
from pairopt.proof.proving import Claim, prove
from pairopt.wording import amount, listed, points_text

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


def reasons_of(result: Claim, budget: Budget = Budget()) -> tuple[Reason, ...]:
    """What is shown of a result by its proof; nothing where it has none, or not in time."""
    try:
        proof = prove(result, budget)
    except (TimeUpError, UsageError):
        return ()
    return () if proof is None else reasons(result.problem, proof)


def reasons(problem: Problem, proof: Proof) -> tuple[Reason, ...]:
    """What a proof shows of the levels of a lexicographic round, by levels, smallest sets first."""
    content = proof.content
    if "components" in content or len(content["levels"]) != len(problem.levels):
        return ()
    if not content["levels"]:
        return ()
    found = [reason for reason in _Prices.of(problem, content).reasons() if reason.clause]
    return tuple(sorted(found, key=lambda reason: (reason.level, len(reason.players))))


def sentences(result: Claim, known: Sequence[Reason]) -> list[str]:
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
class _Prices:
    """A proof over single vertices: `prices`, `sets` (True inside) and their `set_prices`.

    Pairs `one` - `two` are all legal ones, `costs` their levels; everything in whole units.
    """

    problem: Problem
    totals: list[int]
    one: IntArray
    two: IntArray
    costs: IntArray
    prices: IntArray
    sets: BoolArray
    set_prices: IntArray

    @staticmethod
    def of(problem: Problem, content: Any) -> _Prices:
        table = table_by_classes(problem, "lexicographic", listing(problem))
        one, two = np.nonzero(np.triu(table.number >= 0, 1))
        texts = [*content["prices"], *content["set_prices"]]
        exact = [[Fraction(text) for text in row] for row in texts]
        unit = lcm(*(price.denominator for row in exact for price in row))
        levels = len(content["levels"])
        units = [[int(unit * price) for price in row] for row in exact]
        whole = np.array(units, np.int64).reshape(-1, levels)
        types = len(content["types"])
        type_of = type_of_each(content["types"], len(table.number))
        inside = np.array([np.isin(type_of, members) for members in content["sets"]], np.bool_)
        kinds = np.array(table.kinds, np.int64).reshape(-1, levels)
        return _Prices(
            problem,
            content["totals"],
            one,
            two,
            unit * kinds[table.number[one, two]],
            whole[:types][type_of],
            inside.reshape(-1, len(type_of)),
            whole[types:].reshape(-1, levels),
        )

    def reasons(self) -> Iterator[Reason]:
        alive = np.arange(len(self.one))
        for level, total in enumerate(self.totals):
            one, two, cost = self.one[alive], self.two[alive], self.costs[alive, level]
            slack = cost - self.prices[one, level] - self.prices[two, level]
            for inside, price in zip(self.sets, self.set_prices, strict=True):
                leaves = inside[one] != inside[two]
                slack[leaves] -= price[level]
                new = price[level] > 0 and not price[:level].any()
                if total and new and leaves.any() and (cost[leaves] > 0).all():
                    yield self.odd(level, inside, one[leaves], two[leaves])
            free = cost == 0
            if total and free.any():
                yield from self.fewer(level, one[free], two[free])
            alive = alive[slack == 0]

    def odd(self, level: int, inside: BoolArray, one: IntArray, two: IntArray) -> Reason:
        """An odd number of players, whom these pairs leave."""
        n = len(self.problem)
        bye = self.problem.state.odd
        if bye and inside[n]:
            inside = ~inside  # leaves by the same matches, and is odd too
        place = listing(self.problem)
        players = place[np.flatnonzero(inside)]
        who, where = self.called(players)
        having = " or have the bye" if bye and (two == n).any() else ""
        clause = f"{who} are an odd number: one of them has to meet somebody {where}{having}"
        return Reason(level, frozenset(players.tolist()), clause if who else "", odd=True)

    def fewer(self, level: int, one: IntArray, two: IntArray) -> Iterator[Reason]:
        """Players who could avoid a level only by meeting others who are fewer."""
        high = self.prices[:, level] > 0
        if not high.any() or (high[one] & high[two]).any():
            return
        kept = high[one] | high[two]
        part = component_of(len(high), one[kept], two[kept])
        none = np.setdiff1d(np.flatnonzero(high), np.append(one[kept], two[kept]))
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
