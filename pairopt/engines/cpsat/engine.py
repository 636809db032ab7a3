"""The engine's main line: partition, stages, dealing, and a finer partition if need be.

The class model is a relaxation of the round. Where its optimum can be dealt to players it
is the round's optimum; where not, types are split and the stages run again. With single
players the relaxation is the round itself, so this ends, and ends exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pairopt.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of
from pairopt.engines.base import Options, Solution
from pairopt.engines.classes import Classes, classes_of, types_of
from pairopt.engines.columns import LISTED_FIRST, OTHER_FIRST, Columns
from pairopt.engines.cpsat.counts import Settings, solve_counts
from pairopt.engines.cpsat.dealing import deal
from pairopt.engines.cpsat.stages import Stages, lexicographic, settled, weighted
from pairopt.engines.pairs import all_pairs, class_pairs, expand, pair_columns
from pairopt.engines.weights import model_weights, radix_weights
from pairopt.problem import Problem


def solve(problem: Problem, options: Options) -> Solution:
    """Pair the round; see `Solution` for what comes back."""
    return _Run(problem, options).solve()


@dataclass(frozen=True)
class _Run:
    problem: Problem
    options: Options

    @property
    def settings(self) -> Settings:
        return Settings(self.options.seed, self.options.workers, self.options.deadline)

    @property
    def in_one(self) -> bool:
        """Whether all levels go into one weighted objective."""
        return self.options.objective == "weighted"

    @property
    def weights(self) -> tuple[int, ...] | None:
        given = model_weights(self.problem) if self.in_one else None
        return given[0] if given else None

    def rng(self) -> np.random.Generator:
        return np.random.default_rng([self.options.seed, 1])

    def solve(self) -> Solution:
        problem = self.problem
        per_player = problem.coarse < len(problem.criteria)
        if self.options.formulation == "pairs" or (self.in_one and per_player):
            columns = all_pairs(problem, self.weights)
            stages = self.optimise(columns, settled(columns, ()))
            return self.answer(columns, stages, self.arcs(columns, stages.use))
        type_of = types_of(problem.attributes(), len(problem))
        while True:
            classes = classes_of(problem, type_of, self.weights)
            stages = self.optimise(classes, settled(classes, ()))
            if stages.use is None:
                return self.answer(classes, stages, None)
            dealt = deal(classes, stages.use, self.rng())
            if per_player and not stages.stopped:
                first, second, _ = expand(classes, stages.alive)
                columns = pair_columns(problem, first, second)
                finer = self.optimise(columns, settled(columns, stages.values))
                if finer.feasible:
                    return self.answer(columns, finer, self.arcs(columns, finer.use))
            elif not dealt.stuck.any():
                bits = classes.sides[dealt.number]
                inside = classes.a[dealt.number] == classes.b[dealt.number]
                made = self.turned(dealt.first, dealt.second, bits, inside)
                return self.answer(classes, stages, made)
            elif stages.stopped:
                return self.answer(classes, stages, None)
            else:
                finer, arcs = self.matched(classes, stages)
                if finer.feasible:
                    return self.answer(classes, finer, arcs)
            type_of = _split(classes, dealt.number[dealt.stuck])

    def optimise(self, columns: Columns, start: Stages) -> Stages:
        if self.in_one:
            weights = self.weights or radix_weights(columns)
            return weighted(columns, self.settings, weights)
        return lexicographic(columns, self.settings, start, self.options.progress)

    def matched(self, classes: Classes, stages: Stages) -> tuple[Stages, Arcs | None]:
        """A pairing at the optimum of the class model, by one boolean a pair.

        First with the class totals as they are, then with only the levels' values kept.
        `feasible` is False in the result when no pairing attains them.
        """
        assert stages.use is not None
        for keep_totals in (True, False):
            chosen = stages.use > 0 if keep_totals else stages.alive
            columns, number = class_pairs(classes, chosen)
            rows = [(cost[number], value) for cost, value in stages.rows]
            if keep_totals:
                rows = [
                    ((number == c).astype(np.int64), int(stages.use[c]))
                    for c in np.flatnonzero(chosen)
                ]
            every = np.ones(len(columns), np.bool_)
            found = solve_counts(columns, every, self.settings, rows=rows)
            if found.use is not None:
                return stages, self.arcs(columns, found.use)
            if not found.proven:
                return replace(stages, bound=0), None
        return replace(stages, feasible=False), None

    def arcs(self, columns: Columns, use: IntArray | None) -> Arcs | None:
        """The arcs of pair columns that are used."""
        if use is None:
            return None
        used = use > 0
        second = np.where(columns.bye, BYE, columns.b)[used]
        inside = np.zeros(len(second), np.bool_)
        return self.turned(columns.a[used], second, columns.sides[used], inside)

    def turned(self, first: IntArray, second: IntArray, bits: IntArray, inside: BoolArray) -> Arcs:
        """Arcs with the first side given as the bits say, by a coin where they allow both.

        Two of one type (`inside`) are listed by position.
        """
        turn = inside & (first > second) & (second != BYE)
        first, second = np.where(turn, second, first), np.where(turn, first, second)
        coin = self.rng().integers(LISTED_FIRST, OTHER_FIRST + 1, len(bits))
        other = np.where(bits == LISTED_FIRST | OTHER_FIRST, coin, bits) == OTHER_FIRST
        other &= second != BYE
        return arcs_of(np.where(other, second, first), np.where(other, first, second))

    def answer(self, columns: Columns, stages: Stages, arcs: Arcs | None) -> Solution:
        levels = len(self.problem.levels)
        if not stages.feasible:
            return Solution("infeasible", None, ())
        known = [*stages.values, *([] if stages.bound is None else [stages.bound])]
        if self.in_one and self.weights is None:
            known = self.decoded(columns, stages)
        bounds = (*known, *[None] * (levels - len(known)))
        if arcs is None:
            return Solution("unknown", None, bounds)
        return Solution("feasible" if stages.stopped else "optimal", arcs, bounds)

    def decoded(self, columns: Columns, stages: Stages) -> list[int]:
        """Bounds of the levels from that of their mixed-radix sum."""
        if stages.bound is None and stages.use is not None:
            return [int(value) for value in columns.totals(stages.use)]
        first, *_ = (*radix_weights(columns), 1)
        return [(stages.bound or 0) // first]


def _split(classes: Classes, stuck: IntArray) -> IntArray:
    """A finer partition: types of the stuck classes, smallest first, become single players.

    At least as many players become single as were already, so few rounds are needed.
    """
    size, type_of = classes.size, classes.type_of.copy()
    ends = np.concatenate([classes.a[stuck], classes.b[stuck]])
    in_the_way = np.zeros(len(size), np.bool_)
    in_the_way[ends[ends < len(size)]] = True
    order = np.lexsort((np.arange(len(size)), size, ~in_the_way))
    order = order[size[order] > 1]
    target = max(2, int((size == 1).sum()))
    single, following = 0, len(size)
    for t in order:
        if single >= target:
            break
        players = np.flatnonzero(type_of == t)[1:]
        type_of[players] = following + np.arange(len(players))
        following += len(players)
        single += len(players) + 1
    return type_of
