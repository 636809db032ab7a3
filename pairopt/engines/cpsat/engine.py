"""The engine's main line: the class model is a relaxation of the round, and where its optimum can
be dealt to players it is the round's; where not, types are split and the stages run again. With
single players the relaxation is the round itself, so this ends, and ends exact.
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
from pairopt.engines.player_types import PairClasses, classes_of, types_of
from pairopt.engines.single_pairs import (
    all_pairs,
    columns_of,
    expand,
    pair_arcs,
    sided_arcs,
)
from pairopt.event.arcs import BYE, Arcs, IntArray, arcs_of
from pairopt.problem.problem import Problem

MOST_PLAYERS = (
    20_000  # larger fields have too many pairs for classes to be left for them
)
CLASSES = 4
"""With more of them a player, pairs are the better choice: fields of 400 to 2,000 players that
were paired well have 1 to 4, those where chance has made all players differ have 6 and more."""


class TooManyClassesError(Exception):
    """Players differ so much that classes save nothing, or say too little."""


def solve(
    problem: Problem, options: EngineOptions, finish: LevelMinimizer | None = None
) -> Solution:
    """Pair the round. `finish` settles single pairs: levels in which every player differs, and
    those from the first that takes more than one try; then TooManyClassesError is raised where classes are
    too many or too coarse, and UnsupportedError where `finish` does.
    """
    if options.formulation == "pairs":
        # Classes are solved without the model of single pairs.
        from pairopt.engines.cpsat import pair_model_engine

        return pair_model_engine.solve(problem, options)
    if (further := further_of(problem)) is not None and further.too_many:
        return Solution("infeasible", None, ())
    return with_room(
        problem, options, _ClassSolve(problem, options, finish=finish).solve()
    )


def with_room(problem: Problem, options: EngineOptions, free: Solution) -> Solution:
    """Solve with the lookahead, given the solution `free` that was found without it."""
    further = further_of(problem)
    if further is None or free.status == "infeasible":
        return free
    if free.arcs is None:
        return without_later_bounds(free)

    # without the lookahead the round is a relaxation: where its optimum leaves room, it is it
    rounds, _ = search_rounds(further.without(free.arcs), options.budget)
    if rounds is not None:
        return replace(free, further=rounds, left=None)
    return _ClassSolve(problem, options, further).looking_ahead()


def settle(
    columns: AllowedArcs, values: tuple[int, ...], used: IntArray | None, budget: Budget
) -> LevelOptimum | None:
    start = fix_level_values(columns, values)
    if used is not None:
        start = replace(start, use=np.bincount(used, minlength=len(columns)))
    found = LevelSolver(columns, budget).lexicographic(start)
    if found.stopped:
        raise TimeUpError
    return (
        None
        if found.use is None
        else LevelOptimum(found.values, np.flatnonzero(found.use))
    )


@dataclass(frozen=True)
class _ClassSolve:
    problem: Problem
    options: EngineOptions
    further: Further | None = None
    finish: LevelMinimizer | None = None

    @property
    def tries(self) -> int | None:
        """How often a stage over classes may be tried; None where it must be solved."""
        return (
            1 if self.finish is not None and len(self.problem) <= MOST_PLAYERS else None
        )

    @property
    def in_one(self) -> bool:
        return self.options.objective == "weighted"

    @property
    def weights(self) -> tuple[int, ...] | None:
        return self.problem.weights(self.options.objective)

    def rng(self) -> np.random.Generator:
        return np.random.default_rng([self.options.budget.seed, 1])

    def solve(self) -> Solution:
        problem = self.problem
        per_player = problem.coarse < len(problem.criteria)
        if self.in_one and per_player:
            columns = all_pairs(problem, self.weights, budget=self.options.budget)
            stages = self.optimise(columns, fix_level_values(columns, ()))
            return self.answer(stages, self.arcs(columns, stages.use))
        classes = self.classes(types_of(problem.attributes(), len(problem)))
        values: tuple[int, ...] = ()
        while True:
            stages = self.optimise(classes, fix_level_values(classes, values))
            if values and not stages.feasible:  # finer types cost a level something
                stages = self.optimise(classes, fix_level_values(classes, ()))
            if stages.stopped and self.tries:
                return self.completed(classes, stages)
            if stages.use is None:
                return self.answer(stages, None)
            attempts = self.tries or ATTEMPTS
            dealt = deal_players_to_classes(
                classes, stages.use, self.rng(), self.options.budget, attempts
            )
            if not dealt.stuck.any():
                break
            if self.tries and not stages.stopped:
                return self.completed(classes, stages)
            if stages.stopped:
                return self.answer(stages, None)
            values = () if self.in_one else stages.values
            classes = self.classes(_split_types(classes, dealt.number[dealt.stuck]))
        if per_player and not stages.stopped:
            return self.completed(classes, stages, dealt)
        bits = classes.sides[dealt.number]
        inside = classes.a[dealt.number] == classes.b[dealt.number]
        turn = (
            inside & (dealt.first > dealt.second) & (dealt.second != BYE)
        )  # by position
        first = np.where(turn, dealt.second, dealt.first)
        arcs = with_first_sides(
            first, np.where(turn, dealt.first, dealt.second), bits, self.rng()
        )
        return self.answer(stages, arcs)

    def classes(self, type_of: IntArray) -> PairClasses:
        """The classes of a partition. Raises TooManyClassesError."""
        types, most = int(type_of.max()) + 1, CLASSES * len(type_of)
        if self.tries and types * types > 8 * most:  # two types make a class, if legal
            raise TooManyClassesError
        classes = classes_of(
            self.problem, type_of, self.weights, budget=self.options.budget
        )
        if self.tries and len(classes) > most:
            raise TooManyClassesError
        return classes

    def looking_ahead(self) -> Solution:
        columns = all_pairs(self.problem, self.weights, budget=self.options.budget)
        assert self.further is not None

        # first any pairing that leaves room, so that there is one when time is up
        start = fix_level_values(columns, ())
        some = self.new_chooser(columns).counts(start.alive)
        if some.use is None and some.proven:
            return Solution("infeasible", None, ())

        stages = self.optimise(columns, start.with_solution(some))
        found = self.answer(stages, self.arcs(columns, stages.use))
        return replace(found, further=tuple(map(self.further.arcs, stages.rounds)))

    def completed(
        self,
        classes: PairClasses,
        stages: LevelProgress,
        dealt: ClassDeal | None = None,
    ) -> Solution:
        """The levels that are left, over the pairs still alive. What is known of classes may be too
        good to be true unless it was `dealt`.
        """
        n = len(self.problem)
        first, second, _ = expand(classes, stages.alive)
        arcs = pair_arcs(self.problem, first, second)
        columns = columns_of(
            self.problem, arcs, self.weights, None, self.options.budget
        )
        start = fix_level_values(
            columns, () if self.weights is not None else stages.values
        )
        if dealt is not None:
            partner = arcs_of(dealt.first, dealt.second).partners[columns.a]
            use = partner == np.where(columns.b == n, BYE, columns.b)
            start = replace(start, use=use.astype(np.int64))
        finer = self.optimise(columns, start)
        if dealt is None and not finer.feasible:
            raise TooManyClassesError
        found = self.answer(finer, self.arcs(columns, finer.use))
        return replace(found, handed=len(start.values)) if self.finish else found

    def optimise(self, columns: AllowedArcs, start: LevelProgress) -> LevelProgress:
        if self.finish is not None and not isinstance(columns, PairClasses):
            return _finish_with_engine(
                self.finish, columns, start, self.weights, self.options
            )
        chooser = self.new_chooser(columns)
        if self.weights is not None:
            return chooser.weighted(self.weights, start)
        return chooser.in_blocks(start) if self.in_one else chooser.lexicographic(start)

    def new_chooser(self, columns: AllowedArcs) -> LevelSolver:
        """Return a chooser among these columns, with the further rounds of a lookahead."""
        ahead = None if self.further is None else partial(add_rounds, self.further)
        too_large = TOO_LARGE_AHEAD if self.problem.lookahead else TOO_LARGE
        options = self.options
        return LevelSolver(
            columns, options.budget, ahead, self.tries, options.progress, too_large
        )

    def arcs(self, columns: AllowedArcs, use: IntArray | None) -> Arcs | None:
        if use is None:
            return None
        used = np.flatnonzero(use)
        return sided_arcs(columns, columns.a[used], columns.b[used], used, self.rng())

    def answer(self, stages: LevelProgress, arcs: Arcs | None) -> Solution:
        if not stages.feasible:
            return Solution("infeasible", None, ())
        known = [*stages.values, *([] if stages.bound is None else [stages.bound])]
        found = Solution.of(known, len(self.problem.levels), arcs, stages.stopped)
        return replace(found, blocks=stages.blocks)


def _finish_with_engine(
    finish: LevelMinimizer,
    columns: AllowedArcs,
    start: LevelProgress,
    weights: tuple[int, ...] | None,
    options: EngineOptions,
) -> LevelProgress:
    """What another engine makes of pairs, level by level, or of the one sum of all."""
    used = None if start.use is None else np.flatnonzero(start.use)
    if weights is not None:
        columns = merge_levels(columns, weights)
    try:
        found = finish(columns, start.values, used, options.budget)
    except TimeUpError:
        return replace(start, bound=0)
    if found is None:
        return replace(start, feasible=False)
    if options.progress and weights is None:
        for level, value in enumerate(
            found.values[len(start.values) :], len(start.values)
        ):
            options.progress(level, value)
    use = np.bincount(found.used, minlength=len(columns))
    return replace(start, values=found.values, use=use)


def _split_types(classes: PairClasses, stuck: IntArray) -> IntArray:
    """A finer partition: of stuck classes the smaller type, else the smallest, is parted."""
    size, type_of = classes.size, classes.type_of.copy()
    padded = np.append(size, 1)
    a, b = classes.a[stuck], classes.b[stuck]
    smaller = np.where(
        (padded[a] <= padded[b]) & (padded[a] > 1) | (padded[b] == 1), a, b
    )
    chosen = np.unique(smaller[padded[smaller] > 1])
    if not len(chosen):
        several = np.flatnonzero(size > 1)
        chosen = several[np.argsort(size[several], kind="stable")[:1]]
    following = len(size)
    for t in chosen:
        players = np.flatnonzero(type_of == t)[1:]
        type_of[players] = following + np.arange(len(players))
        following += len(players)
    return type_of
