"""Export the program of a round for other solvers and proof checkers.

The Booleans are the legal matches, each way round if there are sides, then those of lookahead
rounds; `Program` has the same in CP-SAT's model. All levels are one total, in which a unit of
a level outweighs all that later levels can add. Levels of a system are sums only among
pairings that are equally good in all levels before. So if no pairing has a smaller total, no
pairing is better.
"""

import json
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines import engine_of
from pairopt.engines.base import EngineOptions
from pairopt.engines.further import further_of
from pairopt.engines.single_pairs import legal_arcs
from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.event import Event
from pairopt.files.binary_program import BinaryProgram, LinearConstraint, parse_solution
from pairopt.files.text_source import read_source
from pairopt.problem.build import build_problem_with_budget
from pairopt.problem.keywords import RoundKeywords
from pairopt.problem.levels import level_sums
from pairopt.problem.options import ModelLike, RoundOptions, show_keywords
from pairopt.problem.problem import Problem, RoundAnalysis
from pairopt.problem.system import Level
from pairopt.proof.certificate import NotOptimalError, find_certificate, find_tutte_set
from pairopt.proof.claim import (
    build_heading,
    index_vertices,
    list_matches,
    order_players,
)
from pairopt.proof.proving import require_provable
from pairopt.proof.veripb import VeripbContradiction, format_refutation
from pairopt.round.result import Result
from pairopt.round.solve import pair

if TYPE_CHECKING:
    import pandas as pd

    from pairopt.problem.system import Exact

MOST_PLAYERS = 1000
"""Half a million matches each way."""
MOST_BITS = 14_000
"""A total of 4,300 digits."""
LETTERS = 8
"""Characters of a player's name in the name of a match."""
Stated = tuple[Level, IntArray, int]
"""A level, what each match adds to it, and the weight of one unit of it in the total."""


@dataclass(frozen=True)
class Exported(RoundAnalysis):
    """A round as an integer program, which other solvers can solve.

    The integer program describes a graph with one vertex per player. The vertices are
    in the order of the scores of the players. If the number of players is odd, the bye
    is a vertex, too. One Boolean variable per pair says whether the two players meet.
    The description of `export` says for which programs pairopt solves the round first.

    Attributes
    ----------
    problem : Problem
        The round: players, permitted matches and their costs.
    stage : int or None
        The level that the program minimises, from 1. None for the total of all levels.
    """

    problem: Problem
    stage: int | None
    _budget: Budget = field(repr=False)

    def text(self, form: str = ".opb") -> str:
        """Return the program as the text of an .opb, .lp, .mps or .pb.txt file.

        `form` is the suffix of the file. The round is solved first if `needs_solving`.
        Raises UsageError if the program has numbers with too many bits for that format,
        or if the round cannot be solved with a proof; TimeUpError if it is not solved
        in time.
        """
        return self.program.text(form)

    @cached_property
    def solved(self) -> Result:
        """The round as pairopt pairs it, solved on first use.

        Its status is "optimal" or "infeasible". Raises UsageError if an option does not
        fit, or if the result of the engine cannot have a proof; TimeUpError if no
        answer is proven in time.
        """
        engine = engine_of(self.problem, self.problem.asked)
        require_provable(self.problem, engine)
        model_objective = self.problem.model.objective
        engine_options = EngineOptions(model_objective, budget=self._budget)
        solved_result = pair(self.problem, engine, engine_options)
        if solved_result.status not in ("optimal", "infeasible"):
            raise TimeUpError
        return solved_result

    @cached_property
    def needs_solving(self) -> bool:
        """Whether the round has to be solved before the program can be written.

        This is so for a single stage, and for a system, whose levels follow from a
        pairing.
        """
        return self.stage is not None or self.problem.system is not None

    @cached_property
    def _order(self) -> IntArray:
        """The position in the state of each vertex but the bye, shape (n,).

        Players are sorted by score, highest first.
        """
        return order_players(self.problem)

    @cached_property
    def _arcs(self) -> Arcs:
        """The legal matches and byes of this round, which are the first Booleans."""
        return legal_arcs(self.problem, self._order)

    @cached_property
    def matches(self) -> list[tuple[int, int, int]]:
        """The match for which each Boolean variable of the program stands.

        An entry has the round (0 for this one, then those of the lookahead) and the two
        vertices of the match. In this round the player with the first side comes first.
        """
        vertex_of_seat = index_vertices(self._order)
        lookahead_pairs = further_of(self.problem)
        vertices_by_round = [
            (vertex_of_seat[self._arcs.first], vertex_of_seat[self._arcs.second])
        ]
        if lookahead_pairs is not None:
            match_vertices = (
                vertex_of_seat[lookahead_pairs.first],
                vertex_of_seat[lookahead_pairs.second],
            )
            vertices_by_round += [match_vertices] * lookahead_pairs.rounds
        match_of_boolean = []
        for round_index, match_vertices in enumerate(vertices_by_round):
            for first_vertex, second_vertex in np.column_stack(match_vertices).tolist():
                match_of_boolean.append((round_index, first_vertex, second_vertex))
        return match_of_boolean

    @cached_property
    def _players(self) -> list[str]:
        """A name for each vertex that every file format allows, such as "p0Ada".

        It is p, the number of the vertex, and the first ASCII letters and digits of the
        player's name. In an odd field the last one is "bye".
        """
        state, event_names = self.problem.state, self.problem.event.names
        vertex_names = []
        for vertex, event_position in enumerate(state.player[self._order]):
            decomposed_name = unicodedata.normalize("NFKD", event_names[event_position])
            ascii_letters = [
                character
                for character in decomposed_name
                if character.isascii() and character.isalnum()
            ]
            vertex_names.append(f"p{vertex}{''.join(ascii_letters[:LETTERS])}")
        if state.odd:
            vertex_names.append("bye")
        return vertex_names

    @cached_property
    def names(self) -> list[str]:
        """The name of each Boolean, such as "p0Ada_p3Bob", in the order of `matches`.

        In lookahead rounds the number of the round follows, for example "_in2".
        """
        boolean_names = []
        for round_index, first_vertex, second_vertex in self.matches:
            round_suffix = f"_in{round_index}" if round_index else ""
            boolean_names.append(
                f"{self._players[first_vertex]}_{self._players[second_vertex]}{round_suffix}"
            )
        return boolean_names

    @cached_property
    def levels(self) -> list[Stated]:
        """The levels in the total, each with its weight and with what each arc adds.

        They go up to the stage, most important first. Under a system they are those of
        its best pairing, for which the round is solved; if it has none, there are no
        levels. Raises UsageError if there is no such stage, or the total is too large.
        """
        solution_arcs = self.solved.arcs if self.needs_solving else self._arcs
        level_groups = (
            level_sums(self.problem, self.problem.model.objective, solution_arcs)
            if solution_arcs
            else ()
        )
        # a level, what each match adds to it, and how many matches can count
        costed_levels = list[tuple[Level, IntArray, int]]()
        for sums_of_group in level_groups:
            arc_costs = sums_of_group.costs(self._arcs)
            if sums_of_group.weights is not None:
                level_weights = np.array(sums_of_group.weights, object)
                arc_costs = (arc_costs.astype(object) @ level_weights)[:, None]
            most_counted_matches = (
                (len(self._order) + 1) // 2 if sums_of_group.own is None else 1
            )
            for level, level_costs in zip(
                sums_of_group.levels, arc_costs.T, strict=True
            ):
                costed_levels.append((level, level_costs, most_counted_matches))
        if self.stage is not None and not 1 <= self.stage <= len(costed_levels):
            raise UsageError(
                "program.no_stage", stage=self.stage, levels=len(costed_levels)
            )

        weight_of_level = 1
        weighted_levels = list[Stated]()
        for level, level_costs, most_counted_matches in reversed(
            costed_levels[: self.stage]
        ):
            weighted_levels.insert(0, (level, level_costs, weight_of_level))
            weight_of_level *= (
                most_counted_matches * (int(level_costs.max()) - int(level_costs.min()))
                + 1
            )
        if weight_of_level.bit_length() > MOST_BITS:
            raise UsageError("program.too_large", bits=MOST_BITS)
        return weighted_levels

    @cached_property
    def _total(self) -> "Exact":
        """What each arc of this round adds to the weighted sum of levels.

        The numbers, shape (arcs,), are Python integers, as they may be large.
        """
        total_costs = np.zeros(len(self._arcs), object)
        for _, level_costs, level_weight in self.levels:
            costly_arcs = np.flatnonzero(level_costs)
            total_costs[costly_arcs] += level_weight * level_costs[costly_arcs].astype(
                object
            )
        return total_costs

    @cached_property
    def _on(self) -> list[int]:
        """Indices in `matches` of the Booleans that are true in the optimal pairing.

        They are ascending, and those of its lookahead rounds are included. Where
        matches have no sides, both ways round count. The round is solved for it. Empty
        without a pairing.
        """
        vertex_of_seat = index_vertices(self._order)
        arcs_by_round = [*self.solved.further]
        if self.solved.arcs:
            arcs_by_round.insert(0, self.solved.arcs)
        solution_matches = set[tuple[int, int, int]]()
        for round_index, round_arcs in enumerate(arcs_by_round):
            for first_vertex, second_vertex in list_matches(vertex_of_seat, round_arcs):
                solution_matches.add((round_index, first_vertex, second_vertex))
                if round_index or not self.problem.state.sided:
                    solution_matches.add((round_index, second_vertex, first_vertex))
        return [
            boolean_index
            for boolean_index, boolean_match in enumerate(self.matches)
            if boolean_match in solution_matches
        ]

    def _rows(self) -> Iterator[LinearConstraint]:
        """Yield the linear constraints of the program.

        Each vertex has one match in each round. With a lookahead no two vertices meet
        twice; with a stage the levels before it have their optimal values, for which
        the round is solved.
        """
        vertex_names, lookahead = self._players, self.problem.lookahead
        booleans_by_vertex = {
            (round_index, vertex): list[int]()
            for round_index in range(lookahead + 1)
            for vertex in range(len(vertex_names))
        }
        booleans_by_pair = dict[tuple[int, int], list[int]]()
        for boolean_index, (round_index, first_vertex, second_vertex) in enumerate(
            self.matches
        ):
            booleans_by_vertex[round_index, first_vertex].append(boolean_index)
            booleans_by_vertex[round_index, second_vertex].append(boolean_index)
            vertex_pair = (
                min(first_vertex, second_vertex),
                max(first_vertex, second_vertex),
            )
            booleans_by_pair.setdefault(vertex_pair, []).append(boolean_index)

        for (round_index, vertex), match_booleans in booleans_by_vertex.items():
            round_prefix = f"in{round_index}" if round_index else "now"
            unit_coefficients = [1] * len(match_booleans)
            yield LinearConstraint(
                f"{round_prefix}_{vertex_names[vertex]}",
                match_booleans,
                unit_coefficients,
                1,
            )
        if lookahead:
            for (
                first_vertex,
                second_vertex,
            ), match_booleans in booleans_by_pair.items():
                constraint_name = (
                    f"once_{vertex_names[first_vertex]}_{vertex_names[second_vertex]}"
                )
                negative_coefficients = [-1] * len(match_booleans)
                yield LinearConstraint(
                    constraint_name,
                    match_booleans,
                    negative_coefficients,
                    -1,
                    exact=False,
                )
        if self.stage:
            for level_number, (_, level_costs, _) in enumerate(self.levels[:-1], 1):
                true_booleans = [
                    boolean_index
                    for boolean_index in self._on
                    if boolean_index < len(level_costs)
                ]
                level_value = sum(level_costs[true_booleans].tolist())
                yield LinearConstraint(
                    f"level{level_number}",
                    range(len(level_costs)),
                    level_costs.tolist(),
                    level_value,
                )

    @cached_property
    def program(self) -> BinaryProgram:
        """The program as data: names of Booleans, constraints, costs and remarks.

        The remarks identify the round, the players, and the levels. With a stage the
        costs are those of its last level, otherwise of the total; Booleans of lookahead
        rounds cost 0. Raises UsageError if there is no such stage, or the total is too
        large; TimeUpError if a round that has to be solved for it is not solved in
        time.
        """
        program_heading = build_heading(self.problem, self._order) | {
            "stage": self.stage
        }
        player_entries = program_heading.pop("players")
        for vertex_name, player_entry in zip(
            self._players, player_entries, strict=False
        ):
            program_heading[f"player {vertex_name}"] = player_entry
        for level_number, (level, _, level_weight) in enumerate(self.levels, 1):
            level_fields = [
                level.criterion,
                level.label,
                level.words,
                level.offset,
                level.scale,
            ]
            program_heading[f"level {level_number}"] = (
                level_fields if self.stage else [*level_fields, level_weight]
            )
        comment_lines = [
            f"{heading_key} {json.dumps(heading_value)}"
            for heading_key, heading_value in program_heading.items()
        ]

        boolean_costs = (self.levels[-1][1] if self.stage else self._total).tolist()
        boolean_costs += [0] * (len(self.names) - len(boolean_costs))
        program_rows = list(self._rows())
        return BinaryProgram(
            self.names,
            program_rows,
            boolean_costs,
            ["pairopt-program 1", *comment_lines],
        )

    def proof(self, veripb: str = "1") -> str:
        """Return the proof that no pairing has a smaller total, or that none exists.

        It is the text of a file in the syntax of the given version of `veripb`. The
        round is solved for it. Raises UsageError if its result cannot have a proof, or
        if because of a lookahead there is only an engine's word; TimeUpError if the
        time is up before.
        """
        try:
            found_contradiction = self._find_contradiction()
        except NotOptimalError:
            if not self.problem.lookahead:
                raise
            found_contradiction = None
        if found_contradiction is None:
            raise UsageError("program.no_proof")
        return format_refutation(self.program, found_contradiction, veripb)

    def _find_contradiction(self) -> VeripbContradiction | None:
        """Find what proves the optimum: duals of the total, or a Tutte set.

        A Tutte set proves that there is no pairing. None if there is a pairing, but
        none that leaves room for the lookahead. The round is solved for it. Raises
        NotOptimalError, TimeUpError.
        """
        vertex_of_seat, optimal_arcs = index_vertices(self._order), self.solved.arcs
        first_ends = vertex_of_seat[self._arcs.first]
        second_ends = vertex_of_seat[self._arcs.second]
        constraint_count = len(self.program.rows)
        distinct_costs, cost_index_of_arc = np.unique(self._total, return_inverse=True)
        cost_index_of_pair = np.full(
            (len(vertex_of_seat), len(vertex_of_seat)), len(distinct_costs)
        )
        # the cheaper way round
        np.minimum.at(cost_index_of_pair, (first_ends, second_ends), cost_index_of_arc)
        np.minimum.at(cost_index_of_pair, (second_ends, first_ends), cost_index_of_arc)
        cost_index_of_pair[cost_index_of_pair == len(distinct_costs)] = -1
        if optimal_arcs is None:
            tutte_set = find_tutte_set(cost_index_of_pair >= 0, self._budget)
            if tutte_set is None:
                return None
            odd_sets = [
                (sorted(odd_component), 1)
                for odd_component in tutte_set.components
                if len(odd_component) % 2
            ]
            multiple_by_constraint = dict.fromkeys(sorted(tutte_set.players), -1)
            return VeripbContradiction(multiple_by_constraint, odd_sets, None)

        optimal_first_vertices, optimal_second_vertices = (
            vertex_of_seat[optimal_arcs.first],
            vertex_of_seat[optimal_arcs.second],
        )
        partner_of_vertex = np.zeros(len(vertex_of_seat), np.int64)
        (
            partner_of_vertex[optimal_first_vertices],
            partner_of_vertex[optimal_second_vertices],
        ) = (
            optimal_second_vertices,
            optimal_first_vertices,
        )
        cost_tuples = [(distinct_cost,) for distinct_cost in distinct_costs.tolist()]
        dual_certificate = find_certificate(
            cost_tuples,
            cost_index_of_pair,
            partner_of_vertex,
            self.problem.state.odd,
            self._budget,
        )
        multiple_by_constraint = {
            vertex: int(2 * vertex_dual)
            for vertex, (vertex_dual,) in enumerate(dual_certificate.duals)
        }
        fixed_levels = self.levels[:-1] if self.stage else []
        # the rows of fixed levels are the last ones
        first_level_constraint = constraint_count - len(fixed_levels)
        for constraint_index, (_, _, level_weight) in enumerate(
            fixed_levels, first_level_constraint
        ):
            multiple_by_constraint[constraint_index] = -2 * level_weight
        odd_sets = [
            (sorted(set_vertices), int(2 * set_dual))
            for set_vertices, (set_dual,) in dual_certificate.odd_sets
        ]
        return VeripbContradiction(multiple_by_constraint, odd_sets, {*self._on})


@show_keywords(RoundOptions)
def export(
    event: Event,
    model: ModelLike | None = None,
    *,
    stage: int | None = None,
    **options: Unpack[RoundKeywords],
) -> Exported:
    """Return the event's next round as an integer program for other solvers.

    The objective of the program is one weighted sum of all levels, with integer
    weights. With the option `stage`, and for a pairing system such as the Dutch System,
    the program contains optimal values. In these cases, pairopt solves the round first.

    Parameters
    ----------
    event : Event
        The event with the rounds that have been played.
    model : str, Path or Model, optional
        The model of the round.
    stage : int, optional
        The number of the level to minimise, from 1. All earlier levels stay at their
        minimum.
    **options
        Options of the round, as for `solve`.

    Returns
    -------
    Exported
        The integer program. The method `text` of `Exported` returns the text of a file.

    Raises
    ------
    UsageError
        If `stage` does not exist, the event has more than 1,000 players, or `solve`
        would raise it.
    TimeUpError
        If the time limit ends before pairopt has solved the round.

    Examples
    --------
    >>> print(export(event, "standard").text(".lp"))  # doctest: +SKIP
    """
    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "export"
    )
    if len(problem) > MOST_PLAYERS:
        raise UsageError("program.too_many", most=MOST_PLAYERS)
    exported_program = Exported(problem, stage, budget)
    # raises UsageError if there is no such stage
    assert exported_program.levels is not None
    return exported_program


@show_keywords(RoundOptions)
def read_solution(
    event: Event,
    answer: str | Path,
    model: ModelLike | None = None,
    **options: Unpack[RoundKeywords],
) -> "pd.DataFrame":
    """Read a solver's answer to an exported round, so that `check` can check it.

    Parameters
    ----------
    event : Event
        The event with the rounds that have been played.
    answer : str or Path
        The output file of the solver, with `v` lines, or with names and values.
    model : str, Path or Model, optional
        The model of the round.
    **options
        Options of the round, the same as for `export`.

    Returns
    -------
    DataFrame
        The matches of the round, in the columns of matches.csv. The table of the round
        does not contain matches of later rounds (lookahead).

    Raises
    ------
    InputError
        If the file does not answer the exported program.

    Examples
    --------
    >>> check(event, read_solution(event, "answer.sol"))  # doctest: +SKIP
    """
    # pandas takes a third of a second to import, and only tables need it.
    import pandas as pd

    problem, budget = build_problem_with_budget(
        event, model, RoundOptions, options, "check"
    )
    exported_program, state = Exported(problem, None, budget), problem.state
    true_booleans = parse_solution(read_source(answer), exported_program.names)
    side_names = problem.event.sides or [""]
    names_and_bye = [
        *(state.names[seat_in_order] for seat_in_order in order_players(problem)),
        None,
    ]
    match_rows = []
    for boolean_index, (round_index, first_vertex, second_vertex) in enumerate(
        exported_program.matches
    ):
        if boolean_index not in true_booleans or round_index:
            continue
        player1, player2 = names_and_bye[first_vertex], names_and_bye[second_vertex]
        side1 = side_names[0] if state.sided and player2 else None
        match_rows.append((problem.event.round, player1, player2, side1))
    return pd.DataFrame(match_rows, columns=["round", "player1", "player2", "side1"])
