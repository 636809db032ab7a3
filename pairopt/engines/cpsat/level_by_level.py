"""Stages of the CP-SAT engine: levels in order, within limits, or as weighted sums.

A solve says how often each column is used, so that every player is in one match.
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

PROBE_TRIES = 2  # tries to solve a block of levels at their lower bound
LIMIT_PER_COLUMN = 0.0005  # deterministic time, of about a second per unit
MOST = 2**60
"""The largest objective given to CP-SAT, which calls a model invalid near 2^62."""
EASY = 2**40
"""The largest weighted sum of several. CP-SAT solves rounds of 150 players in a few seconds with
sums of 40 bits, and not in a minute with sums of 60 bits."""
TOO_LARGE, TOO_LARGE_AHEAD = "engine.large_weights_cpsat", "engine.large_weights_ahead"
More = Callable[[ProtoModelBuilder, AllowedArcs, IntArray, Budget], list[list[int]]]
"""Adds constraints to a program whose first variables are the columns of an index: further rounds,
or limits of levels. Returns the variables of each further round."""
Rounds = tuple[BoolArray, ...]
"""A mask of the pairs of each further round, in the order of their variables."""


@dataclass(frozen=True)
class ClassCounts:
    """The outcome of a solve: how often each column is used.

    `use`, shape (columns,), is None without a solution; then `proven` says that there
    is none. With an objective, `bound` is a lower bound of it, and `proven` says that
    it is optimal. `rounds` are the further rounds that go with `use`.
    """

    use: IntArray | None
    proven: bool
    bound: int = 0
    rounds: Rounds = ()


@dataclass(frozen=True)
class LevelProgress:
    """The state of the optimisation after some levels.

    `values` are the optimal values of these levels, each proven given the ones before
    it; `alive` marks the columns that may still be used, `use`, shape (columns,), how
    often each is (None before any solution). Columns that cost more than a level's
    value are never alive; `equations` holds the levels that need an equation, too.
    `bound` is set when time ran out: a lower bound of the next level. `feasible` is
    False if there is no solution. `blocks` is the number of weighted sums into which
    the levels were combined, 1 without any. `rounds` are the further rounds that go
    with `use`.
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
        """True if time or tries ran out at a level, so that `bound` is set."""
        return self.bound is not None

    def with_solution(self, found: ClassCounts) -> LevelProgress:
        """Return a copy with the solution that a solve found.

        `found` is the outcome of the solve: how often each column is used, and the
        further rounds. The progress itself is returned if the solve found no solution.
        """
        if found.use is None:
            return self
        return replace(self, use=found.use, rounds=found.rounds)

    def with_stop(self, found: ClassCounts) -> LevelProgress:
        """Return a copy that is stopped, as a solve did not prove its optimum.

        `found` is the outcome of the solve. The copy has its lower bound as `bound`,
        and its solution if there is one.
        """
        return replace(self.with_solution(found), bound=found.bound)


def fix_level_values(columns: AllowedArcs, values: tuple[int, ...]) -> LevelProgress:
    """Return the progress in which the first levels must have these values.

    There is no solution yet. Columns that cost more in a level than its value are not
    alive. Every value above 0 becomes an equation; a level of value 0 needs none,
    because only columns that cost nothing are left.
    """
    costs_of_fixed_levels = columns.costs[:, : len(values)]
    is_affordable = np.all(costs_of_fixed_levels <= np.array(values, np.int64), axis=1)
    level_equations = (
        (level_costs, level_value)
        for level_costs, level_value in zip(
            costs_of_fixed_levels.T, values, strict=True
        )
        if level_value
    )
    return LevelProgress(values, is_affordable, tuple(level_equations))


@dataclass(frozen=True)
class LevelSolver:
    """A solver that minimises the levels of `columns` with CP-SAT, stage by stage.

    Each program says how often to use each column so that every player has one match.
    `more` adds constraints to every program; the columns must be single pairs then. A
    solve gives up without a proof when the budget's time is up, or after `tries` tries
    (None: no limit). `progress` is called for each level that is solved. `too_large` is
    the message id of the error for weighted sums that CP-SAT's integers cannot hold.
    """

    columns: AllowedArcs
    budget: Budget
    more: More | None = None
    tries: int | None = None
    progress: Progress | None = None
    too_large: str = TOO_LARGE

    def minimize_in_order(self, start: LevelProgress) -> LevelProgress:
        """Minimise the levels that `start` leaves open, in order of priority.

        Two kinds of stages alternate. The first, by bisection, finds the longest block
        of levels that can all be at their lower bounds. The second minimises the next
        level, which cannot. The result is stopped at a level that takes more than
        `tries` tries, or more time than is left, and not feasible if there is no
        pairing.
        """
        level_progress, level_count = start, self.columns.costs.shape[1]
        while True:
            level_progress = self._solve_block_at_bound(level_progress)
            open_level = len(level_progress.values)
            if (
                open_level == level_count
                or level_progress.stopped
                or not level_progress.feasible
            ):
                return level_progress
            level_progress = self._minimize_level(level_progress, open_level)
            if level_progress.stopped or not level_progress.feasible:
                return level_progress
            if self.progress:
                self.progress(open_level, level_progress.values[open_level])

    def _solve_block_at_bound(self, current: LevelProgress) -> LevelProgress:
        """Fix the longest block of next levels that can all be at their lower bounds.

        The length of the block, perhaps 0, is found by bisection. A length that is not
        decided within some tries counts as too long, so the block may be shorter than
        possible. The result has the values of these levels and a solution. It is
        stopped if time ran out, and not feasible if there is no solution even without
        these levels. `current` is the progress so far.
        """
        columns, first_level = self.columns, len(current.values)
        reach_of_column = columns.reach(current.alive, first_level)
        feasible_length, possible_length, known_use = (
            0,
            max_level_block(columns, reach_of_column),
            current.use,
        )
        # without a solution even the empty block has to be shown feasible
        if known_use is None:
            feasible_length = -1
        tried_length = possible_length
        while True:
            if known_use is not None:
                feasible_length = max(
                    feasible_length, int(reach_of_column[known_use > 0].min())
                )
            if feasible_length >= possible_length:
                break
            # a block that is hard to decide is left to the stages of its levels
            most_tries = self.tries
            if tried_length:
                most_tries = self.tries or PROBE_TRIES
            class_counts = self.find_counts(
                reach_of_column >= tried_length, current.equations, tries=most_tries
            )
            current = current.with_solution(class_counts)
            if class_counts.use is not None:
                known_use, feasible_length = class_counts.use, tried_length
            elif (self.budget.is_over or not tried_length) and not class_counts.proven:
                return replace(current, bound=0)
            else:
                possible_length = tried_length - 1
            # an infeasible block is refuted quickly and a feasible one is small: stay near the top
            tried_length = (
                possible_length - (possible_length - feasible_length - 1) // 4
            )
        if known_use is None:
            return replace(current, feasible=False)

        alive_at_bound = reach_of_column >= feasible_length
        block_costs = columns.costs[:, first_level : first_level + feasible_length]
        block_values = tuple(
            int(level_value) for level_value in known_use @ block_costs
        )
        if self.progress:
            for level_index, level_value in enumerate(block_values, first_level):
                self.progress(level_index, level_value)
        block_equations = tuple(
            (level_cost, level_value)
            for level_cost, level_value in zip(block_costs.T, block_values, strict=True)
            if level_value and (level_cost[alive_at_bound] != 0).any()
        )
        return replace(
            current,
            values=current.values + block_values,
            alive=alive_at_bound,
            equations=current.equations + block_equations,
        )

    def _minimize_level(self, current: LevelProgress, level: int) -> LevelProgress:
        """Minimise the level with index `level`, and fix it at its optimum.

        All levels before it are fixed in `current`. The result is stopped, with a lower
        bound of the level, if the optimum is not proven in time.
        """
        level_costs = self.columns.costs[:, level]
        lower_bound = odd_set_lower_bound(self.columns, current.alive, level_costs)
        class_counts = self.find_counts(
            current.alive,
            current.equations,
            level_costs,
            lower_bound,
            current.use,
            self.tries,
        )
        if class_counts.use is None or not class_counts.proven:
            return current.with_stop(class_counts)
        advanced_progress = replace(
            current,
            values=(*current.values, class_counts.bound),
            alive=current.alive & (level_costs <= class_counts.bound),
            equations=(*current.equations, (level_costs, class_counts.bound)),
        )
        return advanced_progress.with_solution(class_counts)

    def minimize_weighted_sum(
        self, weights: tuple[int, ...], start: LevelProgress
    ) -> LevelProgress:
        """Minimise the weighted sum of all levels, the only value of the result.

        `weights` has one for each level. Only the columns alive in `start` are used;
        its values are ignored, and its solution is a hint. The result is stopped if the
        optimum is not proven in time, and not feasible without a pairing. Raises
        UnsupportedError if the sum is too large for CP-SAT.
        """
        weighted_cost = self._merge_weighted_levels(self.columns, weights)
        level_progress = replace(start, values=())
        class_counts = self.find_counts(
            level_progress.alive,
            objective=weighted_cost,
            hint=level_progress.use,
            tries=self.tries,
        )
        if class_counts.use is None and class_counts.proven:
            return replace(level_progress, feasible=False)
        if class_counts.use is None or not class_counts.proven:
            return level_progress.with_stop(class_counts)
        is_column_alive, sum_equation = (
            weighted_cost <= class_counts.bound,
            (weighted_cost, class_counts.bound),
        )
        return LevelProgress(
            (class_counts.bound,), is_column_alive, (sum_equation,)
        ).with_solution(class_counts)

    def _merge_weighted_levels(
        self, columns: AllowedArcs, weights: tuple[int, ...]
    ) -> IntArray:
        """Return the weighted sum of each column's levels, shape (columns,).

        `weights` has one for each level. Raises UnsupportedError, with the message id
        `too_large`, if CP-SAT's integers cannot hold the sum.
        """
        return np.asarray(merge_levels(columns, weights, self.too_large).costs[:, 0])

    def minimize_in_blocks(self, start: LevelProgress) -> LevelProgress:
        """Minimise all levels in order, as weighted sums of blocks of levels.

        `start` has no values yet. There are as few blocks as fit, which are solved one
        after another; without levels any pairing is found. The values of the result are
        those of the levels, not of the sums. It is stopped, with a lower bound of the
        block's first level, if a block is not solved in time, and not feasible without
        a pairing. Raises UnsupportedError if a sum is too large for CP-SAT.
        """
        column_blocks = split_into_blocks(self.columns)
        level_progress = replace(start, blocks=len(column_blocks))
        if not column_blocks:
            return self.minimize_in_order(level_progress)

        for block_columns in column_blocks:
            level_weights = radix_weights(block_columns)
            block_cost = self._merge_weighted_levels(block_columns, level_weights)
            class_counts = self.find_counts(
                level_progress.alive,
                level_progress.equations,
                block_cost,
                hint=level_progress.use,
                tries=self.tries,
            )
            if class_counts.use is None and class_counts.proven:
                return replace(level_progress, feasible=False)
            if class_counts.use is None or not class_counts.proven:
                return replace(
                    level_progress.with_stop(class_counts),
                    bound=class_counts.bound // level_weights[0],
                )

            block_values = [
                exact_sum(class_counts.use, level_costs)
                for level_costs in block_columns.costs.T
            ]
            fixed_progress = fix_level_values(
                self.columns, (*level_progress.values, *block_values)
            )
            level_progress = replace(
                fixed_progress, blocks=len(column_blocks)
            ).with_solution(class_counts)
        return level_progress

    def find_counts(
        self,
        allowed: BoolArray,
        equations: Sequence[Equation] = (),
        objective: IntArray | None = None,
        least: int = 0,
        hint: IntArray | None = None,
        tries: int | None = None,
    ) -> ClassCounts:
        """Solve one program: find how often to use each of the allowed columns.

        `allowed` is a mask of shape (columns,). Each player is in exactly one match,
        and the `equations` hold. If there is an `objective` (coefficients, shape
        (columns,)), it is minimised, and `least` is a lower bound of it that is already
        known. `hint` is a use of the columns from which the search starts. The solve
        ends when the budget's time is up, or after `tries` tries (None: no limit); the
        result is not `proven` then.
        """
        allowed_columns = np.flatnonzero(allowed)
        try:
            program_and_rounds = self._build_program(
                allowed_columns, equations, objective
            )
        except TimeUpError:
            return ClassCounts(None, proven=False, bound=least)
        if program_and_rounds is None:
            return ClassCounts(None, proven=True)
        program, round_variables = program_and_rounds
        if objective is not None:
            objective_terms, objective_factors = sparse_terms(
                objective[allowed_columns]
            )
            program.add(objective_terms, objective_factors, least, HIGHEST)
            program.minimise(objective_terms, objective_factors)
        if hint is not None:
            program.hint(hint[allowed_columns].tolist())
        return self._solve_program(
            program, allowed_columns, objective, least, tries, round_variables
        )

    def _build_program(
        self, index: IntArray, equations: Sequence[Equation], objective: IntArray | None
    ) -> tuple[ProtoModelBuilder, list[list[int]]] | None:
        """Build the program for the columns `index`, without its objective.

        Returns the program, whose first variables are how often each column is used,
        and the variables of each further round. `objective` only decides for which sets
        of players parity constraints are added. Returns None if there plainly is no
        solution: some type has no column, or no column crosses an odd set. Each of the
        `equations` is a constraint. Raises TimeUpError.
        """
        columns = self.columns
        type_sizes = np.append(columns.size, 1) if columns.odd else columns.size
        end_types = np.concatenate([columns.a[index], columns.b[index]])
        if not np.bincount(end_types, minlength=len(type_sizes)).all():
            return None
        program = ProtoModelBuilder()
        for most_uses in self.budget.iterate(columns.cap[index].tolist()):
            program.variable(most_uses)
        terms_of_types = group_by_type(columns, index)
        for type_size, (type_terms, type_factors) in zip(
            type_sizes.tolist(), terms_of_types, strict=False
        ):
            program.add(type_terms, type_factors, type_size, type_size)
        for coefficients, right_hand_side in equations:
            program.add(
                *sparse_terms(coefficients[index]), right_hand_side, right_hand_side
            )
        equation_costs = [
            equation_cost for equation_cost, _right_hand_side in equations
        ]
        if objective is None:
            objective = np.zeros(len(columns), np.int64)
        if not self._add_parity(program, index, [*equation_costs, objective]):
            return None
        if self.more is None:
            return program, []
        return program, self.more(program, columns, index, self.budget)

    def _add_parity(
        self, program: ProtoModelBuilder, index: IntArray, costs: list[IntArray]
    ) -> bool:
        """Add the parity of the matches that cross each set that a level keeps apart.

        The constraints are redundant, but help the search. `costs` are those of the
        levels, shape (columns,) each; columns that are not in `index` are not used.
        Returns False if there is no pairing: no column crosses a set with an odd number
        of players. The `program` is changed. Raises TimeUpError.
        """
        # sets under a level, or under it and those after it: the sum joins groups that are two apart
        summed_costs = [*costs, *np.cumsum(costs[::-1], axis=0)[1:]]
        odd_set_cuts = find_odd_set_cuts(self.columns, index, summed_costs)
        for crossing_positions, player_count in self.budget.iterate(odd_set_cuts):
            crossing_parity = player_count % 2
            if len(crossing_positions):
                half_of_crossing = program.variable(player_count // 2)
                parity_terms, parity_factors = (
                    [*crossing_positions.tolist(), half_of_crossing],
                    [*[1] * len(crossing_positions), -2],
                )
                program.add(
                    parity_terms, parity_factors, crossing_parity, crossing_parity
                )
            elif crossing_parity:
                return False
        return True

    def _solve_program(
        self,
        program: ProtoModelBuilder,
        index: IntArray,
        objective: IntArray | None,
        least: int,
        tries: int | None,
        round_variables: list[list[int]],
    ) -> ClassCounts:
        """Solve a program with ever longer limits, until tries or time are over.

        The program's first variables are how often to use the columns with the indices
        `index`; no other column is used. `objective` has coefficients of shape
        (columns,). Without one (None), the first feasible solution ends the search and
        counts as proven, with the bound 0. `least` is a known lower bound, which the
        solves raise. `tries` is the largest number of solves; None for as many as time
        allows. `round_variables` are the variables of each further round. Solutions are
        added to `program` as hints.

        The result has the best solution found; it is not `proven` when tries or time
        are over. For an infeasible program it is `proven`, without a solution.
        """
        best_use: IntArray | None = None
        further_rounds: Rounds = ()
        first_limit = FIRST_LIMIT
        if not tries:
            first_limit = max(FIRST_LIMIT, len(index) * LIMIT_PER_COLUMN)
        for solver_response in solve_with_growing_limits(
            program, self.budget, first_limit, tries
        ):
            if solver_response.status == "INFEASIBLE":
                return ClassCounts(None, proven=True, bound=least)
            if objective is not None:
                least = max(least, round_bound_down(solver_response.bound))
            if solver_response.status in ("OPTIMAL", "FEASIBLE"):
                best_use = np.zeros(len(self.columns), np.int64)
                best_use[index] = solver_response.values[: len(index)]
                variable_values = np.array(solver_response.values, np.int64)
                further_rounds = tuple(
                    variable_values[variables_of_round] > 0
                    for variables_of_round in round_variables
                )
                objective_value = (
                    0 if objective is None else exact_sum(best_use, objective)
                )
                if solver_response.status == "OPTIMAL" or objective is None:
                    return ClassCounts(
                        best_use,
                        proven=True,
                        bound=objective_value,
                        rounds=further_rounds,
                    )
                program.hint(best_use[index].tolist())
        return ClassCounts(best_use, proven=False, bound=least, rounds=further_rounds)


def group_by_type(
    columns: AllowedArcs, index: IntArray
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield, for each player type, the terms of the equation that counts its players.

    The terms are positions in `index`, the columns that may be used, and a factor for
    each: the number of players of the type that one use of the column takes, 2 for a
    column within the type, otherwise 1. A type without columns has empty lists. The
    dummy type of byes comes last.
    """
    end_types = np.concatenate([columns.a[index], columns.b[index]])
    position_of_term = np.tile(np.arange(len(index)), 2)
    is_within_type = np.tile(columns.a[index] == columns.b[index], 2)
    # a column within one type comes once
    is_counted_end = ~is_within_type | (np.arange(len(end_types)) < len(index))
    end_types, position_of_term = (
        end_types[is_counted_end],
        position_of_term[is_counted_end],
    )
    players_per_use = np.where(is_within_type[is_counted_end], 2, 1)
    term_order = np.lexsort((position_of_term, end_types))
    type_boundaries = np.searchsorted(
        end_types[term_order], np.arange(len(columns.size) + 2)
    )
    sorted_positions, sorted_factors = (
        position_of_term[term_order].tolist(),
        players_per_use[term_order].tolist(),
    )
    for type_start, type_end in pairwise(type_boundaries):
        yield sorted_positions[type_start:type_end], sorted_factors[type_start:type_end]


def sparse_terms(coefficients: IntArray) -> tuple[list[int], list[int]]:
    """Return the positions of the coefficients that are not zero, and their values."""
    nonzero_positions = np.flatnonzero(coefficients)
    return nonzero_positions.tolist(), coefficients[nonzero_positions].tolist()


def merge_levels(
    columns: AllowedArcs, weights: tuple[int, ...], kind: str = TOO_LARGE
) -> AllowedArcs:
    """Return the columns with the weighted sum of their levels as the only level.

    `weights` has one for each level. Raises UnsupportedError, with the message id
    `kind`, if CP-SAT's integers cannot hold it.
    """
    weighted_costs = columns.weighted(weights)
    require_integers(int((weighted_costs * columns.cap).sum()), MOST, kind)
    return replace(columns, costs=np.array(weighted_costs, np.int64)[:, None])


def split_into_blocks(columns: AllowedArcs) -> list[AllowedArcs]:
    """Split the levels into blocks whose weighted sums CP-SAT can hold.

    Each item is the same columns with a block of the levels. There is one item if one
    sum holds all levels; otherwise blocks are smaller than they could be, because
    CP-SAT is quicker with small sums.
    """
    column_blocks = radix_blocks(columns, MOST)
    return radix_blocks(columns, EASY) if len(column_blocks) > 1 else column_blocks


def minimize_within_bounds(
    columns: AllowedArcs, within: OptimalUse, most: Sequence[int | None], budget: Budget
) -> LevelOptimum | None:
    """Minimise levels of single pairs in order, with upper bounds for some of them.

    Only the columns and equations of `within` are allowed. `most` has an upper bound of
    each level, None for a level without one. Returns None if no pairing keeps all
    bounds. Raises TimeUpError.
    """
    limited_levels = [
        (level_cost, upper_bound)
        for level_cost, upper_bound in zip(columns.costs.T, most, strict=True)
        if upper_bound is not None
    ]

    def add_limits(
        program: ProtoModelBuilder, _: AllowedArcs, index: IntArray, __: Budget
    ) -> list[list[int]]:
        """Add the upper bounds of levels to a program, which is changed.

        Its first variables are the columns with the indices `index`. The result is
        empty, because there are no further rounds. Other parameters are not used.
        """
        for level_costs, upper_bound in limited_levels:
            program.add(*sparse_terms(level_costs[index]), LOWEST, upper_bound)
        return []

    start_progress = LevelProgress((), within.alive, within.equations)
    level_solver = LevelSolver(columns, budget, add_limits if limited_levels else None)
    level_progress = level_solver.minimize_in_order(start_progress)
    if level_progress.stopped:
        raise TimeUpError
    if level_progress.use is None:
        return None
    return LevelOptimum(level_progress.values, level_progress.use.nonzero()[0])
