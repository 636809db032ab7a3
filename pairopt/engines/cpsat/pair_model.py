"""The round as an integer program, as one writes it down: a Boolean for each candidate match.

Variables. A match is two players, the first side first where there are sides, or a player and the
bye. Its Boolean says whether it is played. What a constraint of the model forbids has none.

Constraints. Each player is in exactly one match, and so is the bye of an odd field. A lookahead
adds a Boolean for each match of each further round, with the same constraints, and no two players
meet in two of these rounds.

Objectives. What the matches of a pairing add to a level is a linear expression. Levels are
minimised one after the other, each kept at its least value from then on (those that one small sum
can hold, a unit of each above all later ones, in one stage); or all at once, in one weighted sum.

Two things are said besides that follow from it and are hard to find: where a level is as low as if
everybody had the match that costs least, no other match is played; and from an odd number of
players an odd number of matches goes out (see `odd_sets`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import (
    LISTED_FIRST,
    OTHER_FIRST,
    AllowedArcs,
    exact_sum,
    radix_weights,
    round_bound_down,
    single_pairs,
)
from pairopt.engines.base import Progress, UnsupportedError
from pairopt.engines.cpsat.level_by_level import (
    MOST,
    TOO_LARGE,
    TOO_LARGE_AHEAD,
    blocks_of,
    merge_levels,
)
from pairopt.engines.cpsat.proto import set_deterministic_parameters
from pairopt.engines.further import Further
from pairopt.engines.odd_sets import find_odd_set_cuts
from pairopt.engines.ortools import without_ortools
from pairopt.engines.single_pairs import legal_arcs
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.problem.problem import Problem

try:
    from ortools.sat.python import cp_model
except ImportError as error:
    raise without_ortools() from error

TOGETHER = 2**40
"""Levels whose sum is no larger are one stage: half the time that one after the other takes."""


@dataclass
class PairModel:
    """A CP-SAT model: a Boolean in `played` for each column, a single match, and in `rounds` for
    those ahead. `alive` columns may still be played; `spent` is the deterministic time so far.
    """

    columns: AllowedArcs
    model: cp_model.CpModel
    played: Sequence[cp_model.IntVar]
    ahead: Further | None = None
    rounds: Sequence[Sequence[cp_model.IntVar]] = ()
    alive: BoolArray = field(init=False)
    spent: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.alive = np.ones(len(self.columns), np.bool_)

    def sum(self, cost: IntArray) -> cp_model.LinearExprT:
        """What the matches played add up to, by the cost of each column."""
        some = np.flatnonzero(cost)
        played = [self.played[column] for column in some.tolist()]
        return cp_model.LinearExpr.weighted_sum(played, cost[some].tolist())

    def is_least(self, goal: Objective, use: IntArray) -> bool:
        """Whether no pairing can have less of a level than this one."""
        if goal.cost is None:
            return False
        return exact_sum(use, goal.cost) == self.columns.least(self.alive, goal.cost)[1]

    def keep(self, columns: BoolArray) -> None:
        dead = np.flatnonzero(self.alive & ~columns).tolist()
        self.model.add(
            cp_model.LinearExpr.sum([self.played[column] for column in dead]) == 0
        )
        self.alive = self.alive & columns

    def fix(self, goal: Objective, value: int) -> None:
        if goal.cost is not None:
            cheapest, least = self.columns.least(self.alive, goal.cost)
            self.keep(cheapest if value == least else goal.cost <= value)
            if value == least:
                return
        self.model.add(goal.of(self) == value)

    def part(self, costs: Sequence[IntArray]) -> None:
        """Say of the sets that these costs would keep apart how many matches leave them."""
        index = np.flatnonzero(self.alive)
        for leaving, players in find_odd_set_cuts(self.columns, index, costs):
            going = [self.played[column] for column in index[leaving].tolist()]
            pairs = self.model.new_int_var(0, players // 2, "")
            self.model.add(sum(going) == players % 2 + 2 * pairs)


@dataclass(frozen=True)
class Objective:
    """What is minimised: each column's cost, or an expression; no pairing has above `most`."""

    cost: IntArray | None
    most: int = 0
    own: cp_model.LinearExprT = 0

    def largest(self, program: PairModel) -> int:
        """The largest value that CP-SAT reckons with: as if every match were played."""
        if self.cost is None:
            return self.most
        return exact_sum(np.ones_like(self.cost), self.cost)

    def of(self, program: PairModel) -> cp_model.LinearExprT:
        return self.own if self.cost is None else program.sum(self.cost)

    def before(self, other: Objective) -> Objective | None:
        """This goal and then the other as one sum; None where that would be a large one."""
        unit = other.most + 1
        if self.cost is None or other.cost is None or (self.most + 1) * unit > TOGETHER:
            return None
        return Objective(
            self.cost * np.int64(unit) + other.cost, self.most * unit + other.most
        )


@dataclass(frozen=True)
class ObjectiveValues:
    """The optimal `values` of the first goals, the `use` of columns that has them (with no `bound`,
    None where there is no pairing), and what an unsolved goal cannot be below; `further` rounds.
    `blocks` is the number of weighted sums that were minimised one after another.
    """

    values: tuple[int, ...] = ()
    use: IntArray | None = None
    bound: int | None = None
    further: tuple[Arcs, ...] = ()
    blocks: int = 1


def build_pair_model(
    columns: AllowedArcs, ahead: Further | None = None, names: Sequence[object] = ()
) -> PairModel:
    model, who = (
        cp_model.CpModel(),
        [*(names or range(columns.players)), *["bye"] * columns.odd],
    )
    pairs = list(zip(columns.a.tolist(), columns.b.tolist(), strict=True))
    played = _add_match_variables(model, pairs, who)
    if ahead is None:
        return PairModel(columns, model, played)
    unplayed = list(zip(ahead.first.tolist(), ahead.second.tolist(), strict=True))
    rounds = [
        _add_match_variables(model, unplayed, who, f" in {k}")
        for k in range(1, ahead.rounds + 1)
    ]
    now: dict[frozenset[int], list[cp_model.IntVar]] = {}
    for pair, variable in zip(pairs, played, strict=True):
        now.setdefault(frozenset(pair), []).append(variable)
    for pair, turns in zip(unplayed, zip(*rounds, strict=True), strict=True):
        model.add_at_most_one([*now.get(frozenset(pair), ()), *turns])
    return PairModel(columns, model, played, ahead, rounds)


def _add_match_variables(
    model: cp_model.CpModel,
    pairs: Sequence[tuple[int, int]],
    who: Sequence[object],
    when: str = "",
) -> list[cp_model.IntVar]:
    """A Boolean for each pair; everybody, the bye of an odd field too, is in exactly one."""
    played = [
        model.new_bool_var(f"{who[one]} - {who[two]}{when}") for one, two in pairs
    ]
    own: list[list[cp_model.IntVar]] = [[] for _ in who]
    for pair, variable in zip(pairs, played, strict=True):
        for player in pair:
            own[player].append(variable)
    for matches in own:
        model.add_exactly_one(matches)
    return played


def build_objectives(program: PairModel) -> list[Objective]:
    return [*map(Objective, program.columns.costs.T, program.columns.most())]


def minimize_lexicographically(
    program: PairModel,
    goals: Sequence[Objective],
    budget: Budget,
    use: IntArray | None = None,
    effort: float | None = None,
    progress: Progress | None = None,
) -> ObjectiveValues:
    """Minimise the goals in order; with a pairing, `use`, only where something can be better.
    `effort` is deterministic time. Raises UnsupportedError for values that are too large.
    """
    if any(goal.largest(program) > MOST for goal in goals):
        raise UnsupportedError("engine.large_level")
    found = ObjectiveValues(use=use)
    if program.ahead is not None or not goals:
        found = minimize_objective(program, None, budget, found, effort)
        if found.use is None:
            return found
    while left := goals[len(found.values) :]:
        count = 1
        if found.use is None or not program.is_least(left[0], found.use):
            before, (goal, count) = found.values, _merge_objectives(left)
            costs = [later.cost for later in left if later.cost is not None]
            # two, three, ... of the costs together: what one would part another may join
            sums = np.cumsum(costs, axis=0)[1:]
            program.part([] if goal.cost is None else [goal.cost, *costs[:1], *sums])
            found = minimize_objective(program, goal, budget, found, effort)
            if found.use is None or found.bound is not None:
                units = math.prod(later.most + 1 for later in left[1:count])
                return replace(found, bound=found.bound and found.bound // units)
            if goal.cost is not None:
                found = replace(found, values=before)
        for goal in left[:count]:
            if goal.cost is not None and found.use is not None:
                found = replace(
                    found, values=(*found.values, exact_sum(found.use, goal.cost))
                )
            program.fix(goal, found.values[-1])
            if progress:
                progress(len(found.values) - 1, found.values[-1])
    return found


def _merge_objectives(goals: Sequence[Objective]) -> tuple[Objective, int]:
    """The first goals as one, and how many they are: a stage less for each of them."""
    together, count = goals[0], 1
    while count < len(goals) and (more := together.before(goals[count])) is not None:
        together, count = more, count + 1
    return together, count


def minimize_objective(
    program: PairModel,
    goal: Objective | None,
    budget: Budget,
    so_far: ObjectiveValues,
    effort: float | None = None,
) -> ObjectiveValues:
    """One solve: a goal at its least (None: any pairing), from what was found before it."""
    model = program.model
    model.clear_hints()  # type: ignore[no-untyped-call]
    if so_far.use is not None:
        for column in np.flatnonzero(so_far.use).tolist():
            model.add_hint(program.played[column], 1)
    expression = 0 if goal is None else goal.of(program)
    model.minimize(expression)
    solver = make_solver(budget)
    if effort is not None:
        solver.parameters.max_deterministic_time = max(effort - program.spent, 1e-6)
    status = solver.status_name(solver.solve(model))
    program.spent += solver.response_proto.deterministic_time
    if status == "MODEL_INVALID":
        raise AssertionError(model.validate())
    if status == "INFEASIBLE":
        return ObjectiveValues()
    bound = (
        None if status == "OPTIMAL" else round_bound_down(solver.best_objective_bound)
    )
    if status == "UNKNOWN":
        return replace(so_far, bound=bound)
    value = solver.response_proto.solution
    use = np.array([value[variable.index] for variable in program.played], np.int64)
    least = () if goal is None or bound is not None else (solver.value(expression),)
    turns = [
        np.array([value[v.index] for v in turn], np.bool_) for turn in program.rounds
    ]
    further = tuple(program.ahead.arcs(turn) for turn in turns) if program.ahead else ()
    return replace(
        so_far, values=(*so_far.values, *least), use=use, bound=bound, further=further
    )


def minimize_weighted_sum(
    problem: Problem,
    program: PairModel,
    budget: Budget,
    use: IntArray | None = None,
    effort: float | None = None,
) -> ObjectiveValues:
    """Minimise the weighted sum of all levels; `values` are the sum alone. Where the model has no
    weights, they would only encode the order of the levels, and `values` are those of all levels.
    Raises UnsupportedError where the weights are too large for CP-SAT's integers.
    """
    weights = problem.weights("weighted")
    if weights is None:
        return _in_blocks(program, budget, use, effort)

    kind = TOO_LARGE if program.ahead is None else TOO_LARGE_AHEAD
    cost = merge_levels(program.columns, weights, kind).costs[:, 0]
    program.part([cost])
    return minimize_objective(
        program, Objective(cost, MOST), budget, ObjectiveValues(use=use), effort
    )


def _in_blocks(
    program: PairModel, budget: Budget, use: IntArray | None, effort: float | None
) -> ObjectiveValues:
    """Minimise all levels in their order, as few weighted sums as fit, one after another."""
    blocks = blocks_of(program.columns)
    found = ObjectiveValues(use=use, blocks=len(blocks))
    if not blocks:
        return minimize_objective(program, None, budget, found, effort)

    for block in blocks:
        weights = radix_weights(block)
        goal = Objective(merge_levels(block, weights).costs[:, 0], MOST)
        assert goal.cost is not None
        program.part([goal.cost])

        before = found.values
        found = minimize_objective(program, goal, budget, found, effort)
        if found.use is None and found.bound is None:
            return found
        if found.use is None or found.bound is not None:
            bound = None if found.bound is None else found.bound // weights[0]
            return replace(found, bound=bound, values=before)

        own = [exact_sum(found.use, level) for level in block.costs.T]
        program.fix(goal, found.values[-1])
        found = replace(found, values=(*before, *own))
    return found


def build_candidates(problem: Problem) -> AllowedArcs:
    """Every match that no constraint forbids, each way round where there are sides, and byes."""
    n, either = len(problem), 0 if problem.state.sided else OTHER_FIRST
    arcs = legal_arcs(problem, np.arange(n))
    sides = np.where(arcs.bye, LISTED_FIRST, LISTED_FIRST | either)
    ends = arcs.first, np.where(arcs.bye, n, arcs.second)
    return single_pairs(n, *ends, problem.costs(arcs), sides)


def make_solver(budget: Budget) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    set_deterministic_parameters(solver.parameters, budget)
    return solver
