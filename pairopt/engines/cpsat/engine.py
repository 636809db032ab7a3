"""The CP-SAT engine: solve the class model, and deal its optimum to players.

The class model is a relaxation of the round. If its optimum can be dealt to players, it
is the round's optimum. Otherwise types are split, and the stages are solved again. With
single players as types the relaxation is the round itself, so this ends, and the result
is exact.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines.allowed_arcs import AllowedArcs, with_first_sides
from pairopt.engines.base import EngineOptions, LevelMinimizer, LevelOptimum, Solution
from pairopt.engines.cpsat.class_dealing import (
    ATTEMPTS,
    ClassDeal,
    deal_players_to_classes,
)
from pairopt.engines.cpsat.level_by_level import (
    TOO_LARGE,
    TOO_LARGE_AHEAD,
    LevelProgress,
    LevelSolver,
    fix_level_values,
    merge_levels,
)
from pairopt.engines.cpsat.lookahead import add_rounds, search_rounds
from pairopt.engines.further import Further, further_of, without_later_bounds
from pairopt.engines.player_types import PairClasses, build_classes, types_of
from pairopt.engines.single_pairs import (
    all_pairs,
    build_pair_columns,
    expand_pairs,
    pair_arcs,
    sided_arcs,
)
from pairopt.event.arcs import BYE, Arcs, IntArray, arcs_of
from pairopt.problem.problem import Problem

MOST_PLAYERS = 20_000
"""Players, above which the pairs are too many: the stages of classes have no limit then."""
CLASSES = 4
"""Classes per player, above which single pairs are the better choice. Fields of 400 to 2,000
players that were paired well have 1 to 4; those in which all players differ have 6 and more."""


class TooManyClassesError(Exception):
    """There are more classes than single pairs would be worth, or they are too coarse.

    It is raised only if another engine can solve the round over single pairs instead.
    """


def solve(
    problem: Problem, options: EngineOptions, finish: LevelMinimizer | None = None
) -> Solution:
    """Pair the round with CP-SAT over classes, or over single pairs on request.

    `finish`, if it is given, is another engine's minimiser of levels over single pairs.
    It solves the levels in which every player differs, and all levels from the first
    one on that CP-SAT does not solve over classes in one short try. With `finish`,
    TooManyClassesError is raised if classes are too many or too coarse; an
    UnsupportedError of `finish` is passed on. Raises TimeUpError if the deadline passes
    while columns are built, and UnsupportedError if weights are too large.
    """
    if options.formulation == "pairs":
        # Classes are solved without the model of single pairs.
        from pairopt.engines.cpsat import pair_model_engine

        return pair_model_engine.solve(problem, options)
    if (rounds_ahead := further_of(problem)) is not None and rounds_ahead.too_many:
        return Solution("infeasible", None, ())
    return with_room(
        problem, options, _ClassSolve(problem, options, finish=finish).solve()
    )


def with_room(problem: Problem, options: EngineOptions, free: Solution) -> Solution:
    """Return the solution with the lookahead, from the solution `free` without it.

    If further rounds are possible after the pairing of `free`, the result is `free`
    with these rounds. Otherwise CP-SAT pairs all rounds together. Without a lookahead,
    or if `free` is infeasible, the result is `free` itself. If `free` has no pairing
    because time ran out, only the bound of its first level is kept; the others become
    None. Raises TimeUpError if the deadline passes while the program of all rounds is
    built.
    """
    rounds_ahead = further_of(problem)
    if rounds_ahead is None or free.status == "infeasible":
        return free
    if free.arcs is None:
        return without_later_bounds(free)

    # The round without the lookahead is a relaxation. If further rounds are possible after
    # its optimum, this is the optimum with the lookahead, too.
    further_rounds, _is_proven = search_rounds(
        rounds_ahead.without(free.arcs), options.budget
    )
    if further_rounds is not None:
        return replace(free, further=further_rounds, left=None)
    return _ClassSolve(problem, options, rounds_ahead).solve_with_lookahead()


def settle(
    columns: AllowedArcs, values: tuple[int, ...], used: IntArray | None, budget: Budget
) -> LevelOptimum | None:
    """Minimise all levels of single pairs in order with CP-SAT.

    `columns` are the pairs that may be used, with their costs in every level. `values`
    are the known optima of the first levels, and `used` the positions of a pairing that
    has them, None without one. Returns the optimal values of all levels and the
    positions of the pairs used, or None if there is no pairing. Raises TimeUpError.
    """
    start_progress = fix_level_values(columns, values)
    if used is not None:
        start_progress = replace(
            start_progress, use=np.bincount(used, minlength=len(columns))
        )
    level_progress = LevelSolver(columns, budget).minimize_in_order(start_progress)
    if level_progress.stopped:
        raise TimeUpError
    if level_progress.use is None:
        return None
    return LevelOptimum(level_progress.values, np.flatnonzero(level_progress.use))


@dataclass(frozen=True)
class _ClassSolve:
    """One solve of a problem by CP-SAT, over pair classes or single pairs.

    `options` have the budget and the objective. `further` are the further rounds of a
    lookahead, if they are paired together with this one. `finish`, if it is given, is
    another engine's minimiser of levels over single pairs. It takes over from CP-SAT
    for levels in which every player differs, and for all levels from the first one on
    that one short try does not solve.
    """

    problem: Problem
    options: EngineOptions
    further: Further | None = None
    finish: LevelMinimizer | None = None

    @property
    def tries(self) -> int | None:
        """The number of tries for a level over classes, None for no limit.

        It is 1 if `finish` can take over, in a field of at most `MOST_PLAYERS` players.
        Otherwise CP-SAT has to solve the level itself.
        """
        has_try_limit = self.finish is not None and len(self.problem) <= MOST_PLAYERS
        return 1 if has_try_limit else None

    @property
    def is_weighted(self) -> bool:
        """True if the options ask for one weighted sum, not for the levels in order."""
        return self.options.objective == "weighted"

    @property
    def weights(self) -> tuple[int, ...] | None:
        """The model's weights of the levels, for one weighted sum of them.

        None if levels are minimised in order, or if the model has no weights.
        """
        return self.problem.weights(self.options.objective)

    def make_rng(self) -> np.random.Generator:
        """Return a generator seeded by the budget, for dealing and coins of sides.

        Each call returns a new generator in the same initial state.
        """
        return np.random.default_rng([self.options.budget.seed, 1])

    def solve(self) -> Solution:
        """Solve the levels over classes, and deal their optimum to players.

        If players cannot be dealt, some types are split into single players, and the
        levels are solved again. Levels in which every player differs follow over single
        pairs; a weighted sum with such levels is solved over single pairs from the
        start. With `finish`, levels that are not solved in one try, or whose optimum
        cannot be dealt, go to it. If time runs out, the solution has the bounds so far.
        Raises TimeUpError while columns are built, TooManyClassesError if `finish`
        should pair the whole round instead, and UnsupportedError for weights that are
        too large.
        """
        problem = self.problem
        # fine criteria, in which every player differs, have no classes
        has_fine_criteria = problem.coarse < len(problem.criteria)
        if self.is_weighted and has_fine_criteria:
            pair_columns = all_pairs(problem, self.weights, budget=self.options.budget)
            level_progress = self.optimise(
                pair_columns, fix_level_values(pair_columns, ())
            )
            return self.make_solution(
                level_progress, self.make_arcs(pair_columns, level_progress.use)
            )

        classes = self.make_classes(types_of(problem.attributes(), len(problem)))
        fixed_values: tuple[int, ...] = ()
        while True:
            level_progress = self.optimise(
                classes, fix_level_values(classes, fixed_values)
            )
            # the values of coarser types are too good for these
            if fixed_values and not level_progress.feasible:
                level_progress = self.optimise(classes, fix_level_values(classes, ()))
            if level_progress.stopped and self.tries:
                return self.solve_over_pairs(classes, level_progress)
            if level_progress.use is None:
                return self.make_solution(level_progress, None)

            deal_attempts = self.tries or ATTEMPTS
            deal = deal_players_to_classes(
                classes,
                level_progress.use,
                self.make_rng(),
                self.options.budget,
                deal_attempts,
            )
            if not deal.stuck.any():
                break
            if self.tries and not level_progress.stopped:
                return self.solve_over_pairs(classes, level_progress)
            if level_progress.stopped:
                return self.make_solution(level_progress, None)
            fixed_values = () if self.is_weighted else level_progress.values
            classes = self.make_classes(_split_types(classes, deal.number[deal.stuck]))

        if has_fine_criteria and not level_progress.stopped:
            return self.solve_over_pairs(classes, level_progress, deal)
        return self.make_solution(level_progress, self._arcs_of_deal(classes, deal))

    def _arcs_of_deal(self, classes: PairClasses, deal: ClassDeal) -> Arcs:
        """Return a deal's matches of players as arcs, with the sides of their classes.

        If a class allows both ways round, a coin of the budget's seed decides.
        """
        side_bits = classes.sides[deal.number]
        # within one type, a class lists the player with the lower position first
        is_one_type = classes.a[deal.number] == classes.b[deal.number]
        is_swapped = is_one_type & (deal.first > deal.second) & (deal.second != BYE)
        first_players = np.where(is_swapped, deal.second, deal.first)
        second_players = np.where(is_swapped, deal.first, deal.second)
        return with_first_sides(
            first_players, second_players, side_bits, self.make_rng()
        )

    def make_classes(self, type_of: IntArray) -> PairClasses:
        """Build the pair classes for a partition of the players into types.

        `type_of`, shape (players,), is the type of each player. Raises
        TooManyClassesError if there are more than `CLASSES` classes per player and
        `tries` is limited, because then `finish` can solve the round over single pairs.
        Raises TimeUpError.
        """
        type_count, class_limit = int(type_of.max()) + 1, CLASSES * len(type_of)
        # any two types make a class, if their pairs are legal
        if self.tries and type_count * type_count > 8 * class_limit:
            raise TooManyClassesError
        classes = build_classes(
            self.problem, type_of, self.weights, budget=self.options.budget
        )
        if self.tries and len(classes) > class_limit:
            raise TooManyClassesError
        return classes

    def solve_with_lookahead(self) -> Solution:
        """Pair this round and all further rounds in one program over single pairs.

        Any feasible pairing is found first, so that there is one if time runs out
        later. The solution is "infeasible" if no pairing leaves the further rounds
        possible. Raises TimeUpError while the columns are built.
        """
        pair_columns = all_pairs(self.problem, self.weights, budget=self.options.budget)
        assert self.further is not None

        # any feasible pairing comes first, so that there is one when time is up
        start_progress = fix_level_values(pair_columns, ())
        feasible_counts = self.make_solver(pair_columns).find_counts(
            start_progress.alive
        )
        if feasible_counts.use is None and feasible_counts.proven:
            return Solution("infeasible", None, ())

        level_progress = self.optimise(
            pair_columns, start_progress.with_solution(feasible_counts)
        )
        solution = self.make_solution(
            level_progress, self.make_arcs(pair_columns, level_progress.use)
        )
        further_arcs = tuple(map(self.further.arcs, level_progress.rounds))
        return replace(solution, further=further_arcs)

    def solve_over_pairs(
        self,
        classes: PairClasses,
        progress: LevelProgress,
        deal: ClassDeal | None = None,
    ) -> Solution:
        """Solve the levels that `progress` leaves open, over single pairs now.

        The pairs are those of the `classes` alive in `progress`. Its values are fixed,
        but not with weights: then the whole sum is minimised. `deal` is a pairing of
        players that attains these values. Without it, perhaps no pairing attains them,
        because classes are a relaxation; then TooManyClassesError is raised. With
        `finish`, the solution's `handed` is the number of fixed levels. Raises
        TimeUpError while the columns are built.
        """
        player_count = len(self.problem)
        first_players, second_players, _class_of_pair = expand_pairs(
            classes, progress.alive
        )
        alive_arcs = pair_arcs(self.problem, first_players, second_players)
        pair_columns = build_pair_columns(
            self.problem, alive_arcs, self.weights, None, self.options.budget
        )
        fixed_values = () if self.weights is not None else progress.values
        start_progress = fix_level_values(pair_columns, fixed_values)
        if deal is not None:
            partner_of_player = arcs_of(deal.first, deal.second).partners
            is_column_used = partner_of_player[pair_columns.a] == np.where(
                pair_columns.b == player_count, BYE, pair_columns.b
            )
            start_progress = replace(
                start_progress, use=is_column_used.astype(np.int64)
            )
        pair_progress = self.optimise(pair_columns, start_progress)
        if deal is None and not pair_progress.feasible:
            raise TooManyClassesError
        matched_arcs = self.make_arcs(pair_columns, pair_progress.use)
        solution = self.make_solution(pair_progress, matched_arcs)
        return (
            replace(solution, handed=len(start_progress.values))
            if self.finish
            else solution
        )

    def optimise(self, columns: AllowedArcs, start: LevelProgress) -> LevelProgress:
        """Minimise the levels that `start` leaves open; return the new progress.

        Columns that are single pairs go to `finish`, if there is one. All others, and
        single pairs without `finish`, are solved by CP-SAT, in order or as a weighted
        sum.
        """
        if self.finish is not None and not isinstance(columns, PairClasses):
            return _finish_with_engine(
                self.finish, columns, start, self.weights, self.options
            )
        level_solver = self.make_solver(columns)
        if self.weights is not None:
            return level_solver.minimize_weighted_sum(self.weights, start)
        return (
            level_solver.minimize_in_blocks(start)
            if self.is_weighted
            else level_solver.minimize_in_order(start)
        )

    def make_solver(self, columns: AllowedArcs) -> LevelSolver:
        """Return a CP-SAT solver for the levels of these columns.

        It gives up after `tries` tries. If there are `further` rounds, each of its
        programs also holds the variables and constraints of these rounds.
        """
        add_further_rounds = (
            None if self.further is None else partial(add_rounds, self.further)
        )
        too_large_id = TOO_LARGE_AHEAD if self.problem.lookahead else TOO_LARGE
        options = self.options
        return LevelSolver(
            columns,
            options.budget,
            add_further_rounds,
            self.tries,
            options.progress,
            too_large_id,
        )

    def make_arcs(self, columns: AllowedArcs, use: IntArray | None) -> Arcs | None:
        """Return the pairing that uses these single pairs, as arcs with their sides.

        `use`, shape (columns,), is 1 for each column of the pairing. Where a column
        allows both sides, a coin of the budget's seed decides. Returns None if `use` is
        None.
        """
        if use is None:
            return None
        used_columns = np.flatnonzero(use)
        return sided_arcs(
            columns,
            columns.a[used_columns],
            columns.b[used_columns],
            used_columns,
            self.make_rng(),
        )

    def make_solution(self, stages: LevelProgress, arcs: Arcs | None) -> Solution:
        """Return a solution with the pairing `arcs` and the bounds that `stages` prove.

        Bounds are the optimal values of the solved levels. If time ran out, the lower
        bound of the next level follows. `arcs` is None without a pairing. The solution
        is "infeasible" if `stages` is not feasible.
        """
        if not stages.feasible:
            return Solution("infeasible", None, ())
        level_bounds = list(stages.values)
        if stages.bound is not None:
            level_bounds.append(stages.bound)
        solution = Solution.of(
            level_bounds, len(self.problem.levels), arcs, stages.stopped
        )
        return replace(solution, blocks=stages.blocks)


def _finish_with_engine(
    finish: LevelMinimizer,
    columns: AllowedArcs,
    start: LevelProgress,
    weights: tuple[int, ...] | None,
    options: EngineOptions,
) -> LevelProgress:
    """Minimise the levels that `start` leaves open over single pairs by `finish`.

    `columns` are the pairs. With `weights` their weighted sum is minimised instead, and
    is the only value. The progress function of `options` is called for each level that
    is solved in order. If time runs out, the result is `start`, marked as stopped; if
    there is no pairing, it is `start`, marked as not feasible.
    """
    used_columns = None if start.use is None else np.flatnonzero(start.use)
    if weights is not None:
        columns = merge_levels(columns, weights)
    try:
        optimum = finish(columns, start.values, used_columns, options.budget)
    except TimeUpError:
        return replace(start, bound=0)
    if optimum is None:
        return replace(start, feasible=False)
    if options.progress and weights is None:
        proven_count = len(start.values)
        for level_index, level_value in enumerate(
            optimum.values[proven_count:], proven_count
        ):
            options.progress(level_index, level_value)
    column_use = np.bincount(optimum.used, minlength=len(columns))
    return replace(start, values=optimum.values, use=column_use)


def _split_types(classes: PairClasses, stuck: IntArray) -> IntArray:
    """Return a finer partition of the players: some types become single players.

    `stuck` are classes that could not be dealt. Of each of them it is the smaller type;
    if none of them can be split, it is the smallest of all types with several players.
    One player of a split type keeps its number, and new types follow the old ones. The
    result has shape (players,).
    """
    type_sizes, new_type_of_player = classes.size, classes.type_of.copy()
    sizes_with_dummy = np.append(type_sizes, 1)
    first_types, second_types = classes.a[stuck], classes.b[stuck]
    smaller_types = np.where(
        (sizes_with_dummy[first_types] <= sizes_with_dummy[second_types])
        & (sizes_with_dummy[first_types] > 1)
        | (sizes_with_dummy[second_types] == 1),
        first_types,
        second_types,
    )
    types_to_split = np.unique(smaller_types[sizes_with_dummy[smaller_types] > 1])
    if not len(types_to_split):
        splittable_types = np.flatnonzero(type_sizes > 1)
        types_to_split = splittable_types[
            np.argsort(type_sizes[splittable_types], kind="stable")[:1]
        ]
    next_type_number = len(type_sizes)
    for split_type in types_to_split:
        players_to_split_off = np.flatnonzero(new_type_of_player == split_type)[1:]
        new_type_of_player[players_to_split_off] = next_type_number + np.arange(
            len(players_to_split_off)
        )
        next_type_number += len(players_to_split_off)
    return new_type_of_player
