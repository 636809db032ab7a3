"""Stages: columns chosen level by level, under limits, or by one weighted objective, by CP-SAT. One
solve says how often each column is used so that every player is in one match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.allowed_arcs import (
    AllowedArcs,
    Equation,
    OptimalUse,
    exact_sum,
    radix_blocks,
    radix_weights,
    round_bound_down,
)
from pairopt.engines.base import LevelOptimum, Progress, require_integers
from pairopt.engines.cpsat.proto import (
    FIRST_LIMIT,
    HIGHEST,
    LOWEST,
    ProtoModelBuilder,
    solve_with_growing_limits,
)
from pairopt.engines.odd_sets import (
    find_odd_set_cuts,
    max_level_block,
    odd_set_lower_bound,
)
from pairopt.event.arcs import BoolArray, IntArray

PROBE_TRIES = 2
LIMIT_PER_COLUMN = 0.0005  # of deterministic time, about a second a unit
MOST = (
    2**60
)  # the largest objective given to CP-SAT: near 2^62 it declares the model invalid
EASY = 2**40
"""The largest weighted sum of several. CP-SAT solves rounds of 150 players in a few seconds with
sums of 40 bits, and not in a minute with sums of 60 bits."""
TOO_LARGE, TOO_LARGE_AHEAD = "engine.large_weights_cpsat", "engine.large_weights_ahead"
More = Callable[[ProtoModelBuilder, AllowedArcs, IntArray, Budget], list[list[int]]]
"""Adds to a program whose first variables are the columns of an index what it is to hold besides
the pairing: further rounds, or limits of levels. Returns the variables of each further round."""
Rounds = tuple[BoolArray, ...]
"""Which pairs each further round has, in the order of their variables."""


@dataclass(frozen=True)
class ClassCounts:
    """What a solve found: `use`, shape (columns,), which is None and `proven` where there is none;
    with an objective, `bound` is what no solution can be below. `rounds` come with `use`.
    """

    use: IntArray | None
    proven: bool
    bound: int = 0
    rounds: Rounds = ()


@dataclass(frozen=True)
class LevelProgress:
    """Where the optimisation stands. `values` are the optimal values of the first levels, each
    proven given the ones before it; `alive` marks the columns that may still be used, `use` (None
    before any solution) how often each is. Columns above a level's value are never alive;
    `equations` holds the levels that need an equation besides. `bound` is set when time ran out:
    what the next level cannot be below. `feasible` is False when there is no solution at all.
    `blocks` is the number of weighted sums into which the levels were put, 1 without any.
    `rounds` are further rounds that go with `use`.
    """

    values: tuple[int, ...]
    alive: BoolArray
    equations: tuple[Equation, ...] = ()
    use: IntArray | None = None
    feasible: bool = True
    bound: int | None = None
    blocks: int = 1
    rounds: Rounds = ()

    @property
    def stopped(self) -> bool:
        return self.bound is not None

    def with_solution(self, found: ClassCounts) -> LevelProgress:
        """Return these stages with the solution of a solve, or as they are if it found none."""
        return (
            self
            if found.use is None
            else replace(self, use=found.use, rounds=found.rounds)
        )

    def ended(self, found: ClassCounts) -> LevelProgress:
        return replace(self.with_solution(found), bound=found.bound)


def fix_level_values(columns: AllowedArcs, values: tuple[int, ...]) -> LevelProgress:
    """The standing in which the first levels must have these values."""
    costs = columns.costs[:, : len(values)]
    alive = np.all(costs <= np.array(values, np.int64), axis=1)
    equations = (
        (cost, value) for cost, value in zip(costs.T, values, strict=True) if value
    )
    return LevelProgress(values, alive, tuple(equations))


@dataclass(frozen=True)
class LevelSolver:
    """Chooses from columns, all of which hold what is `more` (the columns are then single pairs). A
    solve gives up, unproven, when the budget's time is up or after so many `tries`. `too_large` is
    the kind of error for weights that do not fit.
    """

    columns: AllowedArcs
    budget: Budget
    more: More | None = None
    tries: int | None = None
    progress: Progress | None = None
    too_large: str = TOO_LARGE

    def lexicographic(self, start: LevelProgress) -> LevelProgress:
        """Minimise the levels that `start` leaves open, in order: by bisection the longest run of
        them that can be at its static lower bound, then, in a stage of its own, a level that
        cannot. Stops where one takes more than so many `tries`.
        """
        now, levels = start, self.columns.costs.shape[1]
        while True:
            now = self._run_at_bound(now)
            level = len(now.values)
            if level == levels or now.stopped or not now.feasible:
                return now
            now = self._minimised(now, level)
            if now.stopped or not now.feasible:
                return now
            if self.progress:
                self.progress(level, now.values[level])

    def _run_at_bound(self, now: LevelProgress) -> LevelProgress:
        """Settle the longest run of levels that can all be at their static lower bound."""
        columns, first = self.columns, len(now.values)
        reach = columns.reach(now.alive, first)
        low, high, use = 0, max_level_block(columns, reach), now.use
        if use is None:  # even the empty run is to be shown feasible
            low = -1
        middle = high
        while (
            low := low if use is None else max(low, int(reach[use > 0].min()))
        ) < high:
            # one that is hard to tell is left to the stages of its levels
            tries = self.tries or PROBE_TRIES if middle else self.tries
            found = self.counts(reach >= middle, now.equations, tries=tries)
            now = now.with_solution(found)
            if found.use is not None:
                use, low = found.use, middle
            elif (self.budget.is_over or not middle) and not found.proven:
                return replace(now, bound=0)
            else:
                high = middle - 1
            # an impossible run is refuted in no time, a possible one is small: far out again
            middle = high - (high - low - 1) // 4
        if use is None:
            return replace(now, feasible=False)
        alive = reach >= low
        values = tuple(int(v) for v in (use @ columns.costs[:, first : first + low]))
        if self.progress:
            for level, value in enumerate(values, first):
                self.progress(level, value)
        costs = zip(columns.costs.T[first:], values, strict=False)
        some = (
            (cost, value) for cost, value in costs if value and (cost[alive] != 0).any()
        )
        equations = (*now.equations, *some)
        return replace(
            now, values=now.values + values, alive=alive, equations=equations
        )

    def _minimised(self, now: LevelProgress, level: int) -> LevelProgress:
        cost = self.columns.costs[:, level]
        least = odd_set_lower_bound(self.columns, now.alive, cost)
        found = self.counts(now.alive, now.equations, cost, least, now.use, self.tries)
        if found.use is None or not found.proven:
            return now.ended(found)
        alive, equations = (
            now.alive & (cost <= found.bound),
            (*now.equations, (cost, found.bound)),
        )
        kept = replace(
            now, values=(*now.values, found.bound), alive=alive, equations=equations
        )
        return kept.with_solution(found)

    def weighted(self, weights: tuple[int, ...], start: LevelProgress) -> LevelProgress:
        """Minimise the weighted sum of all levels at once; the result's one value is the sum."""
        cost = self._in_one(self.columns, weights)
        now = replace(start, values=())
        found = self.counts(now.alive, objective=cost, hint=now.use, tries=self.tries)
        if found.use is None and found.proven:
            return replace(now, feasible=False)
        if found.use is None or not found.proven:
            return now.ended(found)
        kept = LevelProgress(
            (found.bound,), cost <= found.bound, ((cost, found.bound),)
        )
        return kept.with_solution(found)

    def _in_one(self, columns: AllowedArcs, weights: tuple[int, ...]) -> IntArray:
        """The weighted sum of the levels, for each column. Raises UnsupportedError."""
        return np.asarray(merge_levels(columns, weights, self.too_large).costs[:, 0])

    def in_blocks(self, start: LevelProgress) -> LevelProgress:
        """Minimise all levels in their order, as few weighted sums as fit, one after another."""
        blocks = blocks_of(self.columns)
        now = replace(start, blocks=len(blocks))
        if not blocks:
            return self.lexicographic(now)

        for block in blocks:
            weights = radix_weights(block)
            cost = self._in_one(block, weights)
            found = self.counts(
                now.alive, now.equations, cost, hint=now.use, tries=self.tries
            )
            if found.use is None and found.proven:
                return replace(now, feasible=False)
            if found.use is None or not found.proven:
                return replace(now.ended(found), bound=found.bound // weights[0])

            own = [exact_sum(found.use, level) for level in block.costs.T]
            kept = fix_level_values(self.columns, (*now.values, *own))
            now = replace(kept, blocks=len(blocks)).with_solution(found)
        return now

    def counts(
        self,
        allowed: BoolArray,
        equations: Sequence[Equation] = (),
        objective: IntArray | None = None,
        least: int = 0,
        hint: IntArray | None = None,
        tries: int | None = None,
    ) -> ClassCounts:
        """How often to use the allowed columns so that each player is in one match; `objective`
        (coefficients, shape (columns,), at least `least`) is minimised where it is given.
        """
        index = np.flatnonzero(allowed)
        try:
            made = self._program(index, equations, objective)
        except TimeUpError:
            return ClassCounts(None, proven=False, bound=least)
        if made is None:
            return ClassCounts(None, proven=True)
        program, turns = made
        if objective is not None:
            goal = expression(objective[index])
            program.add(*goal, least, HIGHEST)
            program.minimise(*goal)
        if hint is not None:
            program.hint(hint[index].tolist())
        return self._solved(program, index, objective, least, tries, turns)

    def _program(
        self, index: IntArray, equations: Sequence[Equation], objective: IntArray | None
    ) -> tuple[ProtoModelBuilder, list[list[int]]] | None:
        """A program whose first variables are the columns, and the variables of further rounds.
        None where it has no solution.
        """
        columns = self.columns
        needed = np.append(columns.size, 1) if columns.odd else columns.size
        ends = np.concatenate([columns.a[index], columns.b[index]])
        if not np.bincount(ends, minlength=len(needed)).all():
            return None
        program = ProtoModelBuilder()
        for cap in self.budget.iterate(columns.cap[index].tolist()):
            program.variable(cap)
        for size, (terms, factors) in zip(
            needed.tolist(), group_by_type(columns, index), strict=False
        ):
            program.add(terms, factors, size, size)
        for coefficients, value in equations:
            program.add(*expression(coefficients[index]), value, value)
        wanted = [cost for cost, _ in equations]
        wanted.append(
            np.zeros(len(columns), np.int64) if objective is None else objective
        )
        if not self._add_parity(program, index, wanted):
            return None
        turns = (
            [] if self.more is None else self.more(program, columns, index, self.budget)
        )
        return program, turns

    def _add_parity(
        self, program: ProtoModelBuilder, index: IntArray, wanted: list[IntArray]
    ) -> bool:
        """Add the parity of the sets that a level would keep apart; False where that cannot be."""
        # kept apart by a level, or by it and those after it: groups two apart are joined by one
        costs = [*wanted, *np.cumsum(wanted[::-1], axis=0)[1:]]
        for leaving, players in self.budget.iterate(
            find_odd_set_cuts(self.columns, index, costs)
        ):
            if len(leaving):
                half = program.variable(players // 2)
                odd, factors = players % 2, [*[1] * len(leaving), -2]
                program.add([*leaving.tolist(), half], factors, odd, odd)
            elif players % 2:
                return False
        return True

    def _solved(
        self,
        program: ProtoModelBuilder,
        index: IntArray,
        objective: IntArray | None,
        least: int,
        tries: int | None,
        turns: list[list[int]],
    ) -> ClassCounts:
        best: IntArray | None = None
        rounds: Rounds = ()
        limit = (
            FIRST_LIMIT if tries else max(FIRST_LIMIT, len(index) * LIMIT_PER_COLUMN)
        )
        for found in solve_with_growing_limits(program, self.budget, limit, tries):
            if found.status == "INFEASIBLE":
                return ClassCounts(None, proven=True, bound=least)
            if objective is not None:
                least = max(least, round_bound_down(found.bound))
            if found.status in ("OPTIMAL", "FEASIBLE"):
                best = np.zeros(len(self.columns), np.int64)
                best[index] = found.values[: len(index)]
                every = np.array(found.values, np.int64)
                rounds = tuple(every[turn] > 0 for turn in turns)
                value = 0 if objective is None else exact_sum(best, objective)
                if found.status == "OPTIMAL" or objective is None:
                    return ClassCounts(best, proven=True, bound=value, rounds=rounds)
                program.hint(best[index].tolist())
        return ClassCounts(best, proven=False, bound=least, rounds=rounds)


def group_by_type(
    columns: AllowedArcs, index: IntArray
) -> Iterator[tuple[list[int], list[int]]]:
    """For each type the positions in `index` of its columns, and how many of it each uses."""
    ends = np.concatenate([columns.a[index], columns.b[index]])
    position = np.tile(np.arange(len(index)), 2)
    inside = np.tile(columns.a[index] == columns.b[index], 2)
    keep = ~inside | (np.arange(len(ends)) < len(index))
    ends, position, inside = ends[keep], position[keep], inside[keep]
    order = np.lexsort((position, ends))
    stops = np.searchsorted(ends[order], np.arange(len(columns.size) + 2))
    position, factor = position[order].tolist(), np.where(inside, 2, 1)[order].tolist()
    for start, stop in pairwise(stops):
        yield position[start:stop], factor[start:stop]


def expression(coefficients: IntArray) -> tuple[list[int], list[int]]:
    terms = np.flatnonzero(coefficients)
    return terms.tolist(), coefficients[terms].tolist()


def merge_levels(
    columns: AllowedArcs, weights: tuple[int, ...], kind: str = TOO_LARGE
) -> AllowedArcs:
    """The same columns, each with the weighted sum of its levels as the only one. Raises
    UnsupportedError, of this kind, where CP-SAT's integers could not hold it.
    """
    exact = columns.weighted(weights)
    require_integers(int((exact * columns.cap).sum()), MOST, kind)
    return replace(columns, costs=np.array(exact, np.int64)[:, None])


def blocks_of(columns: AllowedArcs) -> list[AllowedArcs]:
    """Return the levels as one weighted sum if it fits, otherwise as several."""
    whole = radix_blocks(columns, MOST)
    return radix_blocks(columns, EASY) if len(whole) > 1 else whole


def minimize_within_bounds(
    columns: AllowedArcs, within: OptimalUse, most: Sequence[int | None], budget: Budget
) -> LevelOptimum | None:
    """Levels of single pairs minimised in order, none above its entry in `most` (None: free), by
    what is alive `within` and its equations. None where there is no pairing. Raises TimeUpError.
    """
    rows = [
        (cost, limit)
        for cost, limit in zip(columns.costs.T, most, strict=True)
        if limit is not None
    ]

    def limited(
        program: ProtoModelBuilder, _: AllowedArcs, index: IntArray, __: Budget
    ) -> list[list[int]]:
        for coefficients, limit in rows:
            program.add(*expression(coefficients[index]), LOWEST, limit)
        return []

    start = LevelProgress((), within.alive, within.equations)
    found = LevelSolver(columns, budget, limited if rows else None).lexicographic(start)
    if found.stopped:
        raise TimeUpError
    return (
        None
        if found.use is None
        else LevelOptimum(found.values, found.use.nonzero()[0])
    )
