"""The claim of a proof: what it says of a round.

It depends only on the event, the options, the rules and the pairing: on no engine, no duals
and no player types. So whoever checks a proof builds its claim again and compares the bytes.
docs/proof.md has the format. A change here, or in the order of what rules read, is a new
version of it.
"""

import hashlib
import inspect
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import groupby
from math import gcd
from typing import Any

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.player_types import types_of
from pairopt.errors import InvalidValueError
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of
from pairopt.event.column_layout import RESERVED_COLUMNS
from pairopt.event.event import Event
from pairopt.messages import message
from pairopt.problem.levels import LEGALITY, level_sums
from pairopt.problem.options import list_non_default_options
from pairopt.problem.problem import Problem
from pairopt.problem.system import Level, LevelSums
from pairopt.problem.verifier import verify_pairing
from pairopt.proof.arc_costs import ArcCostTable, build_arc_table
from pairopt.proof.verify import format_json

# a part of the file
Content = dict[str, Any]
OURS = "pairopt"
NOBODY = np.zeros((0, 0), np.bool_)


class NoClaimError(InvalidValueError):
    """A pairing has no claim: it breaks a rule, or is not a pairing of the round."""


@dataclass(frozen=True)
class Claim:
    """The claim on a round, and what it is made of.

    `content` is the claim as the file has it. `order` has the position in the state of
    each vertex, `vertex_of` the vertex of each position, the bye's at the end. `chain`
    are the levels of a system, in order, or all those of a model. `table` has the legal
    matches, with their costs in the levels of a model. Costs in the levels of a system
    are multiples of `units`, so that finer points of a later round do not change them.
    `unplayed`, shape (vertices, vertices), marks the matches that are possible in a
    lookahead round; it is empty without a lookahead.
    """

    content: Content
    order: IntArray
    vertex_of: IntArray
    chain: tuple[LevelSums, ...]
    table: ArcCostTable
    units: IntArray
    unplayed: BoolArray

    @cached_property
    def text(self) -> str:
        """Text of the claim, as it stands in the file."""
        return format_json(self.content)

    @property
    def is_odd(self) -> bool:
        """Whether the number of players is odd, so that the last vertex is the bye."""
        return len(self.order) % 2 == 1

    @cached_property
    def _level_columns(self) -> list[tuple[LevelSums, int]]:
        """For each level, the sums that it is computed with, and its column in them."""
        return [
            (chain_sums, column_in_sums)
            for chain_sums in self.chain
            for column_in_sums in range(len(chain_sums.levels))
        ]

    def find_owners(self, levels: Sequence[int]) -> list[int] | None:
        """Return the vertices that own these levels, None if some level has no owner.

        They are in ascending order. A vertex owns a level if only its own match can add
        to the level. `levels` are indices of the claim's levels.
        """
        owner_positions = {
            self._level_columns[level_index][0].own for level_index in levels
        }
        if None in owner_positions:
            return None
        return sorted(
            int(self.vertex_of[owner_position])
            for owner_position in owner_positions
            if owner_position is not None
        )

    def compute_costs(self, levels: Sequence[int], arcs: Arcs) -> IntArray:
        """Return what arcs cost in these levels of a system, shape (m, levels).

        `levels` are indices, and the costs are in the claim's units.
        """
        costs_of_groups = []
        level_columns = [self._level_columns[level_index] for level_index in levels]
        for _, column_group in groupby(level_columns, lambda item: id(item[0])):
            group_columns = list(column_group)
            group_sums = group_columns[0][0]
            columns_in_sums = [column_in_sums for _, column_in_sums in group_columns]
            costs_of_groups.append(group_sums.costs(arcs)[:, columns_in_sums])
        return np.hstack(costs_of_groups).astype(np.int64) // self.units[levels]


def build_claim(
    problem: Problem,
    arcs: Arcs | None,
    further: Sequence[Arcs] = (),
    budget: Budget = Budget(),
    head: Content | None = None,
) -> Claim:
    """Build the claim that no pairing is better than `arcs`, or that there is none.

    The second is claimed if `arcs` is None. `further` are the lookahead rounds for
    which the arcs leave room. `head` is what `build_heading` gives, None to compute it
    here. Raises TimeUpError, and NoClaimError if the pairing is not legal.
    """
    player_order = order_players(problem)
    vertex_of_position = index_vertices(player_order)
    level_chain: tuple[LevelSums, ...] = ()
    verified_values: tuple[int, ...] = ()
    if arcs is not None:
        verdict = verify_pairing(problem, arcs, further)
        violation_messages = [violation.message for violation in verdict.violations]
        for claim_fault in (*map(message, verdict.faults), *violation_messages):
            raise NoClaimError(claim_fault)
        level_chain = tuple(level_sums(problem, problem.model.objective, arcs))
        verified_values = verdict.values

    table_levels = (
        level_chain[0] if level_chain and problem.system is None else LEGALITY
    )
    full_table = build_arc_table(problem, table_levels, player_order, budget)
    cost_table, reduced_levels = full_table.with_smallest_scales(table_levels.levels)
    unit_of_level = np.ones(0, np.int64)
    if problem.system is not None:
        legal_pairs = np.argwhere(np.triu(cost_table.number >= 0))
        legal_positions = np.append(player_order, BYE)[legal_pairs]
        reduced_levels, unit_of_level = _reduce_scales(
            level_chain, arcs_of(*legal_positions.T)
        )

    kind_rows = []
    for kind in cost_table.kinds:
        side_costs = kind[: 1 + (kind[0] != kind[1])]
        kind_rows.append(
            [None if side_cost is None else [*side_cost] for side_cost in side_costs]
        )
    pairing_matches, level_rows = None, list[list[Any]]()
    if arcs is not None:
        pairing_matches = list_matches(vertex_of_position, arcs)
        level_rows = _list_levels(
            problem, arcs, level_chain, reduced_levels, verified_values
        )
    further_matches = sorted(
        sorted(map(sorted, list_matches(vertex_of_position, lookahead_arcs)))
        for lookahead_arcs in further
    )
    claim_content = {
        **(head or build_heading(problem, player_order)),
        "pairing": pairing_matches,
        "further": further_matches,
        "levels": level_rows,
        "kinds": kind_rows,
        "rows": encode_rows(cost_table.number),
    }
    is_unplayed = NOBODY
    if problem.lookahead:
        is_unplayed = _build_unplayed_matrix(problem, player_order)
        claim_content["unplayed"] = encode_rows(is_unplayed - np.int64(1))
    return Claim(
        claim_content,
        player_order,
        vertex_of_position,
        level_chain,
        cost_table,
        unit_of_level,
        is_unplayed,
    )


def _reduce_scales(
    chain: Sequence[LevelSums], arcs: Arcs
) -> tuple[tuple[Level, ...], IntArray]:
    """Return a system's levels with the smallest scales, and the unit of each level.

    The unit is the greatest common divisor of the level's scale, its offset, and what
    all `arcs` cost in it. The scales and offsets of the returned levels are divided by
    it; `chain` has the levels, and computes the costs.
    """
    reduced_levels = list[Level]()
    unit_of_level = list[int]()
    for chain_sums in chain:
        for level_column, level in enumerate(chain_sums.levels):
            level_costs: list[int] = []
            if level.scale > 1:
                level_costs = np.unique(
                    chain_sums.costs(arcs)[:, level_column]
                ).tolist()
            level_unit = gcd(level.scale, level.offset, *level_costs)
            reduced_scale, reduced_offset = (
                level.scale // level_unit,
                level.offset // level_unit,
            )
            reduced_levels.append(
                level._replace(scale=reduced_scale, offset=reduced_offset)
            )
            unit_of_level.append(level_unit)
    return tuple(reduced_levels), np.array(unit_of_level, np.int64)


def order_players(problem: Problem) -> IntArray:
    """Return the positions in the state in the order of vertices, without the bye.

    They are sorted by score, highest first, then by what the rules read, then as the
    event lists the players.
    """
    state = problem.state
    return np.lexsort((state.player, *reversed(problem.attributes()), -state.score))


def index_vertices(order: IntArray) -> IntArray:
    """Return the vertex of each position in the state, shape (n,).

    In an odd field there is one more entry, the vertex of the bye, which BYE (-1)
    finds. `order` has the position of each vertex but the bye.
    """
    return np.argsort(np.append(order, [len(order)] * (len(order) % 2)))


def _build_unplayed_matrix(problem: Problem, order: IntArray) -> BoolArray:
    """Return a mask of the matches that are possible in a lookahead round.

    They are those of players who have not met, and of the bye with players who have had
    none. The shape is (vertices, vertices); in an odd field the bye is the last vertex.
    `order` has the position in the state of each vertex but the bye.
    """
    state, position_of_vertex = problem.state, np.append(order, BYE)
    lower_vertices, upper_vertices = np.triu_indices(len(order) + len(order) % 2, 1)
    match_arcs = arcs_of(
        position_of_vertex[lower_vertices], position_of_vertex[upper_vertices]
    )
    is_unplayed = np.zeros(2 * (lower_vertices[-1] + 2,), np.bool_)
    meeting_counts = np.where(
        match_arcs.bye, state.byes[match_arcs.first], state.meetings.met(match_arcs)
    )
    is_unplayed[lower_vertices, upper_vertices] = meeting_counts == 0
    return is_unplayed | is_unplayed.T


def list_matches(vertex_of: IntArray, arcs: Arcs) -> list[list[int]]:
    """Return the matches of arcs as pairs of vertices, sorted by their lower vertex.

    In each pair the player with the first side comes first. `vertex_of` is the result
    of `index_vertices`.
    """
    # the vertex of the bye is the last entry, as BYE is -1
    first_vertices, second_vertices = vertex_of[arcs.first], vertex_of[arcs.second]
    return sorted(
        map(list, zip(first_vertices.tolist(), second_vertices.tolist(), strict=True)),
        key=min,
    )


def _list_levels(
    problem: Problem,
    arcs: Arcs,
    chain: Sequence[LevelSums],
    levels: Sequence[Level],
    values: Sequence[int],
) -> list[list[Any]]:
    """Return a row for each level of a claim, in the form of the proof file.

    A row is criterion, label, words, value, offset and scale. `chain` computes the
    levels, and `levels` are the same levels on their smallest scales. `values` are the
    verifier's values of the problem's levels. Raises NoClaimError if the sums over the
    arcs differ from them.
    """
    # a criterion may come twice
    values_by_level: dict[object, list[int]] = {}
    for level, level_value in zip(problem.levels, values, strict=True):
        values_by_level.setdefault((level.criterion, level.label), []).append(
            level_value
        )

    level_rows = []
    reduced_levels = iter(levels)
    for chain_sums in chain:
        match_costs = chain_sums.costs(arcs).tolist()
        level_totals = [
            sum(column_costs) for column_costs in zip(*match_costs, strict=True)
        ]
        if chain_sums.weights is not None:
            for level_total, level_value, level in zip(
                level_totals, values, problem.levels, strict=True
            ):
                if level_value != level_total + level.offset:
                    raise NoClaimError("proof.other_sums")
            weighted_totals = zip(chain_sums.weights, level_totals, strict=True)
            level_totals = [
                sum(weight * level_total for weight, level_total in weighted_totals)
            ]
        for level, level_total in zip(chain_sums.levels, level_totals, strict=True):
            reduced_level = next(reduced_levels)
            level_value = level_total + level.offset
            verified_values = values_by_level.get(
                (reduced_level.criterion, reduced_level.label)
            )
            if verified_values and verified_values.pop(0) != level_value:
                raise NoClaimError("proof.other_sums")
            level_rows.append(
                [
                    reduced_level.criterion,
                    reduced_level.label,
                    reduced_level.words,
                    level_value * reduced_level.scale // level.scale,
                    reduced_level.offset,
                    reduced_level.scale,
                ]
            )
    return level_rows


def encode_rows(number: IntArray) -> list[list[int]]:
    """Encode the kind of every match as the `rows` of a proof file.

    `number`, shape (vertices, vertices), is the kind of each match, -1 for no match.
    There is one row for each vertex but the last, for its matches with higher vertices.
    A code is the kind plus 2, so 1 for no match, but 0 if the vertex before has the
    same code for this opponent (before the first vertex all are 1). Repeated codes in a
    row are shortened: [5, 5, 5] becomes [5, -2].
    """
    code_matrix = number + 2
    codes_above = np.vstack([np.ones_like(code_matrix[:1]), code_matrix[:-1]])
    code_matrix[code_matrix == codes_above] = 0
    return [
        encode_repeats(row_codes[first_column:])
        for first_column, row_codes in enumerate(code_matrix[:-1], 1)
    ]


def encode_repeats(codes: IntArray) -> list[int]:
    """Encode a row of numbers that are at least 0, with repetitions shortened.

    In the code -k stands for k more repetitions of the number before: [5, 5, 5, 2]
    becomes [5, -2, 2].
    """
    run_starts = np.flatnonzero(np.diff(codes, prepend=-1))
    repeat_counts = np.diff(run_starts, append=len(codes)) - 1
    code_pairs = np.column_stack([codes[run_starts], -repeat_counts])
    is_written = np.column_stack([repeat_counts >= 0, repeat_counts > 0])
    encoded_codes: list[int] = code_pairs[is_written].tolist()
    return encoded_codes


# ---------------------------------------------------------------------- of a step


@dataclass(frozen=True)
class ArcCosts:
    """The costs of matches in some levels of a system.

    `kinds`, shape (kinds, levels), are the different costs, and `number`, shape
    (vertices, vertices), the kind of each match; kind 0 costs 0 in all levels. `listed`
    are the vertices whose matches a file lists, in order. Each match with a cost has a
    listed vertex as an end.
    """

    kinds: IntArray
    number: IntArray
    listed: tuple[int, ...]

    def content(self, alive: BoolArray) -> Content:
        """Return the `kinds` and `rows` of a step, as the file has them.

        `alive`, shape (vertices, vertices), marks the matches that are possible before
        the step. A row is a listed vertex, then the kinds of its possible matches with
        vertices that are not listed before.
        """
        listed_rows = []
        is_unlisted = np.ones(len(alive), np.bool_)
        for vertex in self.listed:
            listed_rows.append(
                [
                    vertex,
                    *encode_repeats(self.number[vertex, alive[vertex] & is_unlisted]),
                ]
            )
            is_unlisted[vertex] = False
        return {"kinds": self.kinds.tolist(), "rows": listed_rows}


def compute_step_costs(
    claim: Claim, levels: Sequence[int], possible: BoolArray
) -> ArcCosts:
    """Compute what the possible matches cost in these levels of a system.

    `possible`, shape (vertices, vertices), is symmetric and marks these matches; others
    get kind 0. `levels` are indices of levels of the `claim`. If all levels belong to
    the matches of some vertices, these are listed, otherwise vertices that cover all
    matches with a cost. Raises NoClaimError if a match costs something else with its
    sides exchanged.
    """
    owner_vertices = claim.find_owners(levels)
    if owner_vertices is None:
        lower_vertices, upper_vertices = np.nonzero(np.triu(possible))
    else:
        owner_indices, opponent_vertices = np.nonzero(possible[owner_vertices])
        lower_vertices, upper_vertices = np.sort(
            [np.array(owner_vertices)[owner_indices], opponent_vertices], axis=0
        )
    position_of_vertex = np.append(claim.order, BYE)
    match_arcs = arcs_of(
        position_of_vertex[lower_vertices], position_of_vertex[upper_vertices]
    )
    arc_costs = claim.compute_costs(levels, match_arcs)
    if (arc_costs != claim.compute_costs(levels, match_arcs.reversed())).any():
        raise NoClaimError("proof.other_way")

    # one match of each type stands for all that cost the same
    type_of_match = types_of([*arc_costs.T], len(arc_costs))
    representative_of_type = np.zeros(int(type_of_match.max(initial=-1)) + 1, np.int64)
    representative_of_type[type_of_match] = np.arange(len(arc_costs))
    type_costs = [
        tuple(match_cost) for match_cost in arc_costs[representative_of_type].tolist()
    ]
    zero_cost = (0,) * len(levels)
    cost_kinds = [zero_cost, *sorted({*type_costs} - {zero_cost})]
    index_by_kind = {kind: kind_number for kind_number, kind in enumerate(cost_kinds)}
    kind_of_type = np.array(
        [index_by_kind[match_cost] for match_cost in type_costs], np.int64
    )

    kind_of_pair = np.zeros(possible.shape, np.int64)
    kind_of_pair[lower_vertices, upper_vertices] = kind_of_pair[
        upper_vertices, lower_vertices
    ] = kind_of_type[type_of_match]
    listed_vertices = (
        tuple(owner_vertices)
        if owner_vertices is not None
        else _find_vertex_cover(kind_of_pair > 0)
    )
    kind_rows = np.array(cost_kinds, np.int64).reshape(len(cost_kinds), len(levels))
    return ArcCosts(kind_rows, kind_of_pair, listed_vertices)


def _find_vertex_cover(costly: BoolArray) -> tuple[int, ...]:
    """Return vertices such that every costly match has at least one of them as an end.

    Vertices with the most costly matches are tried first, and come first. `costly`,
    shape (vertices, vertices), marks the matches; all of its entries are False
    afterwards.
    """
    degree_of_vertex = np.count_nonzero(costly, axis=1)
    cover_vertices = []
    vertices_by_degree = np.argsort(-degree_of_vertex, kind="stable")
    for vertex in vertices_by_degree[: np.count_nonzero(degree_of_vertex)].tolist():
        if costly[vertex].any():
            cover_vertices.append(vertex)
            costly[vertex] = costly[:, vertex] = False
    return tuple(cover_vertices)


# ---------------------------------------------------------------------- of which round


def build_heading(problem: Problem, order: IntArray) -> Content:
    """Return the beginning of a claim: the event, the rules, the options, the players.

    It is a dict of the claim's keys from "round" to "players". Rules and history are
    given by their SHA-256. `order` has the position in the state of each vertex but the
    bye, and players are in this order, each with identifier and name.
    """
    state, model = problem.state, problem.model
    event, system = problem.event, problem.system
    rules = (*model.constraints, *model.criteria)
    rule_classes = dict.fromkeys((rule.kind, type(rule)) for rule in rules)
    rule_origins = [
        [rule_kind, describe_origin(rule)] for rule_kind, rule in rule_classes
    ]
    if system is not None:
        rule_origins.append([system.kind, describe_origin(type(system))])
    player_entries = [
        [state.names[player_position], event.names[state.player[player_position]]]
        for player_position in order.tolist()
    ]
    return {
        "round": event.round,
        "model": model.name,
        "system": None if system is None else system.kind,
        "seed": problem.seed,
        "options": list_non_default_options(event, problem.asked),
        "settings": _describe_settings(problem),
        "made_by": rule_origins,
        "rules": _hash_json(_list_rules(problem)),
        "event": _hash_json(_list_history(event)),
        "players": player_entries,
    }


def _describe_settings(problem: Problem) -> Content:
    """Return the settings that a pairing depends on, for the beginning of a claim.

    They are a dict of sides, points, the points for a win, rounds, the lookahead,
    forbidden pairs as sorted identifiers, the columns by which players are kept apart
    with their places, and the pairing style of the first round.
    """
    event = problem.event
    event_settings, player_identifiers = event.settings, event.players
    forbidden_pairs = sorted(
        sorted(
            [player_identifiers[first_position], player_identifiers[second_position]]
        )
        for first_position, second_position in event.forbidden
    )
    return {
        "sides": list(event.sides or ()),
        "points": None
        if event_settings.points is None
        else repr(event_settings.points),
        "win": str(problem.state.win),
        "rounds": event_settings.rounds,
        "lookahead": problem.lookahead,
        "forbid": forbidden_pairs,
        "apart": [[rule.column, rule.place] for rule in event_settings.apart],
        "first_round": event_settings.first_round,
    }


def _list_history(event: Event) -> list[Any]:
    """Return all that rules may read of players and of the rounds before, as a list.

    It has three parts: general fields of the event, a row per player and a row per
    match or bye of earlier rounds, both sorted. Players who neither are active nor have
    such a row are left out.
    """
    rows_before = event.before
    # the last name is that of nobody, -1
    identifiers = (*event.players, None)
    history_columns = ("round", "first", "second", "side", "score1", "score2", "status")
    column_lists = [
        getattr(rows_before, match_attribute).tolist()
        for match_attribute in history_columns
    ]
    match_rows = []
    for (
        round_number,
        first_player,
        second_player,
        match_side,
        *scaled_scores,
        match_status,
    ) in zip(*column_lists, strict=True):
        point_texts = [
            event.points_text(scaled_score) for scaled_score in scaled_scores
        ]
        match_rows.append(
            [
                round_number,
                identifiers[first_player],
                identifiers[second_player],
                match_side,
                *point_texts,
                match_status,
            ]
        )

    event_columns = [
        (column_name, column_cells)
        for column_name, column_cells in sorted(event.columns.items())
        if column_name not in RESERVED_COLUMNS
    ]
    has_taken_part = event.active | rows_before.player_mask(len(event.players))
    player_rows = []
    for player_position in np.flatnonzero(has_taken_part).tolist():
        points_by_round = (
            event.acceleration[player_position, : event.round],
            event.adjusted[player_position, : event.round - 1],
        )
        virtual_points, adjusted_points = (
            [
                event.points_text(round_points)
                for round_points in np.trim_zeros(padded_points, "b").tolist()
            ]
            for padded_points in points_by_round
        )
        player_rows.append(
            [
                identifiers[player_position],
                bool(event.active[player_position]),
                event.points_text(int(event.brought[player_position])),
                int(event.byes_brought[player_position]),
                event.rating_text(player_position),
                int(event.start_numbers[player_position]),
                bool(event.first_round_bye[player_position]),
                virtual_points,
                adjusted_points,
                {
                    column_name: column_cells[player_position]
                    for column_name, column_cells in event_columns
                    if column_cells[player_position]
                },
            ]
        )
    event_fields = [
        event.round,
        event.sides,
        event.initial_side,
        event.complete_history,
    ]
    return [event_fields, sorted(player_rows), sorted(match_rows, key=repr)]


def _list_rules(problem: Problem) -> list[Any]:
    """Return a list of the model's rules with parameters, and its other settings.

    The name of the model is left out, because it does not matter to the pairing.
    """
    model = problem.model
    rule_entries = []
    for rule in (*model.constraints, *model.criteria):
        rule_parameters = {
            parameter.name: repr(getattr(rule, parameter.name))
            for parameter in fields(rule)  # type: ignore[arg-type]
        }
        rule_entries.append([rule.kind, rule_parameters])
    weights = (
        None if model.weights is None else [str(weight) for weight in model.weights]
    )
    return [
        rule_entries,
        model.objective,
        weights,
        model.system,
        repr(model.win),
        model.games,
        model.sides,
        model.lookahead,
    ]


def describe_origin(rule: type) -> str:
    """Return a text with the package that a rule's class comes from.

    It is "pairopt" for the package itself. For another package the text also has its
    distributions and versions, and the SHA-256 of the source of the class's module;
    without source it is that of the empty text.
    """
    package_name = rule.__module__.split(".")[0]
    if package_name == OURS:
        return OURS
    # a plain round does not need it
    from importlib.metadata import packages_distributions, version

    distribution_names = packages_distributions().get(package_name, ())
    distribution_versions = [
        f"{distribution_name} {version(distribution_name)}"
        for distribution_name in distribution_names
    ] or [package_name]
    try:
        source_code = inspect.getsource(sys.modules[rule.__module__])
    except (OSError, TypeError, KeyError):
        source_code = ""
    code_hash = hashlib.sha256(source_code.encode()).hexdigest()
    return f"{', '.join(distribution_versions)}, SHA-256 {code_hash}"


def _hash_json(content: list[Any]) -> str:
    """Return the SHA-256 of a list, written as JSON, in hexadecimal digits.

    `content` is the list; its entries must be writable as JSON.
    """
    return hashlib.sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()
