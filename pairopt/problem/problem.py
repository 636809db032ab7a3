"""Problem: an event and a model together: which arcs are legal, and what each costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import lcm
from typing import cast

import numpy as np

from pairopt.errors import InputError
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.event import Event
from pairopt.event.records import without_finished
from pairopt.event.score_checks import points_notes
from pairopt.event.state import State, state_of
from pairopt.event.table_assignment import PairedRow, assign_tables
from pairopt.messages import Message, Note, message
from pairopt.problem.model import Model
from pairopt.problem.model_file import Objective
from pairopt.problem.options import RoundOptions
from pairopt.problem.system import SYSTEMS, Level, System
from pairopt.rules.base import Constraint, Criterion, Label, Rule, unit_weights


@dataclass(frozen=True)
class Problem:
    """One round to pair: the state of its players under the rules that apply.

    Engines read only this: the levels, which arcs are legal, and what each arc adds to
    each level. `criteria` and `constraints` are those that apply, including those of
    options. `labels` has a tuple per criterion, the labels of its levels. A problem
    with a `system` takes its levels from the system and has no criteria. `asked` holds
    the options that the problem was built with. The length is the number of players to
    pair.
    """

    state: State
    model: Model
    criteria: tuple[Criterion, ...]
    constraints: tuple[Constraint, ...]
    labels: tuple[tuple[Label, ...], ...]
    seed: int = 0
    notes: tuple[str | Note, ...] = ()
    system: System | None = None
    asked: RoundOptions = field(default_factory=RoundOptions)

    def __len__(self) -> int:
        return len(self.state)

    @property
    def event(self) -> Event:
        """The event as it is before the round to pair."""
        return self.state.event

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The objective levels in order of priority, criterion by criterion.

        A problem with a system has the levels of the system.
        """
        if self.system is not None:
            return self.system.levels
        levels = []
        for criterion_place, (criterion, labels_of_criterion) in enumerate(
            zip(self.criteria, self.labels, strict=True)
        ):
            criterion_scale, criterion_offset = (
                criterion.scale(self.state),
                criterion.offset(self.state),
            )
            for label in labels_of_criterion:
                level_words = criterion.words(label)
                levels.append(
                    Level(
                        criterion_place,
                        criterion.kind,
                        label,
                        criterion_scale,
                        criterion_offset,
                        level_words,
                    )
                )
        return tuple(levels)

    def weights(self, objective: Objective) -> tuple[int, ...] | None:
        """Return each level's weight as an integer, None without a weighted objective.

        The result is None, too, if the model has no weights. All weights are multiplied
        by `weight_scale`, their common denominator.
        """
        if objective != "weighted" or self.model.weights is None:
            return None
        return tuple(int(weight * self.weight_scale) for weight in self._exact_weights)

    @property
    def weight_scale(self) -> int:
        """The common denominator of the weights, by which `weights` multiplies them."""
        return lcm(*(level_weight.denominator for level_weight in self._exact_weights))

    @cached_property
    def _exact_weights(self) -> list[Fraction]:
        """The weight of each level, exact, criterion by criterion."""
        weights_of_rules = unit_weights(
            self.state, self.model.criteria, self.model.weights or ()
        )
        return [
            weight
            for _, criterion_weights in weights_of_rules
            for weight in criterion_weights
        ]

    @property
    def lookahead(self) -> int:
        """The number of further rounds without a rematch to keep possible."""
        return self.model.lookahead

    @cached_property
    def coarse(self) -> int:
        """The number of coarse criteria: those before the first with `per_player`.

        A criterion with `per_player` separates nearly all players. Without such a
        criterion it is the number of all criteria.
        """
        fine_positions = [
            k for k, criterion in enumerate(self.criteria) if criterion.per_player
        ]
        return fine_positions[0] if fine_positions else len(self.criteria)

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """The index of each criterion's first level; the last entry counts all levels.

        With k criteria there are k + 1 entries.
        """
        return tuple(accumulate(map(len, self.labels), initial=0))

    @property
    def coarse_levels(self) -> int:
        """The number of levels of the coarse criteria."""
        return self.firsts[self.coarse]

    def with_criteria(self, criteria: tuple[Criterion, ...]) -> Problem:
        """Return the problem with these criteria alone, in order, without a system.

        Constraints stay. The model of the copy has no weights and no engine of its own.
        """
        model = replace(
            self.model,
            criteria=criteria,
            weights=None,
            objective="lexicographic",
            system=None,
            engine=None,
        )
        labels_by_criterion = tuple(
            tuple(criterion.labels(self.state)) for criterion in criteria
        )
        return replace(
            self,
            model=model,
            criteria=criteria,
            labels=labels_by_criterion,
            system=None,
        )

    def costs(self, arcs: Arcs, start: int = 0, stop: int | None = None) -> IntArray:
        """Return what each arc adds to each of the levels from `start` up to `stop`.

        Shape (m, levels), without the levels' offsets. `start` and `stop` are indices
        in `levels`; the level `stop` is not included, and None stands for all that
        follow. With a system leave out both: the costs of all its levels are then
        Python integers (dtype object), and `arcs` must be a whole pairing.
        """
        if self.system is not None and stop is None:
            return cast("IntArray", self.system.costs(arcs))
        stop = self.firsts[-1] if stop is None else stop

        # One block per criterion, shape (its levels in start..stop, m).
        cost_blocks = []
        for criterion, labels_of_criterion, first_level_index in zip(
            self.criteria, self.labels, self.firsts, strict=False
        ):
            first_label_index, stop_label_index = (
                max(start - first_level_index, 0),
                max(stop - first_level_index, 0),
            )
            wanted_labels = labels_of_criterion[first_label_index:stop_label_index]
            if wanted_labels:
                cost_blocks.append(criterion.values(self.state, arcs, wanted_labels).T)
        if not cost_blocks:
            return np.zeros((0, len(arcs)), np.int64).T
        return np.concatenate(cost_blocks).T

    def totals(self, arcs: Arcs) -> list[int]:
        """Return the total of each level for a whole pairing, without its offset.

        The totals are Python integers, in the order of `levels`.
        """
        if self.system is not None:
            return self.system.totals(arcs)
        totals: list[int] = []
        for criterion, labels_of_criterion in zip(
            self.criteria, self.labels, strict=True
        ):
            totals += criterion.totals(self.state, arcs, labels_of_criterion)
        return totals

    def legal(self, arcs: Arcs) -> BoolArray:
        """Return True where all constraints of the problem allow the arc, shape (m,)."""
        is_legal = np.ones(len(arcs), np.bool_)
        for constraint in self.constraints:
            is_legal &= constraint.legal(self.state, arcs)
        return is_legal

    @property
    def _coarse_rules(self) -> Sequence[Criterion | Constraint]:
        """The constraints and the coarse criteria, those before `coarse`."""
        return (*self.constraints, *self.criteria[: self.coarse])

    def assign_tables(self, arcs: Arcs) -> tuple[tuple[PairedRow, ...], Arcs]:
        """Return the rows of a pairing and its arcs, both in the order of the tables.

        A row has the two players, or the player with the bye, and the table.
        """
        return assign_tables(self.state, arcs, ranked=self.system is not None)

    def attributes(self) -> list[IntArray | BoolArray]:
        """Return the player attributes that coarse rules read, each of shape (n,).

        Coarse rules are all constraints and the coarse criteria. With an odd number of
        players, the attributes that they read for byes follow.
        """
        coarse_rules = self._coarse_rules
        attribute_arrays = [
            attribute_array
            for rule in coarse_rules
            for attribute_array in rule.attributes(self.state)
        ]
        if self.state.odd:
            attribute_arrays += [
                attribute_array
                for rule in coarse_rules
                for attribute_array in rule.bye_attributes(self.state)
            ]
        return attribute_arrays

    def special_pairs(self) -> IntArray:
        """Return the pairs that coarse rules treat in another way than attributes say.

        Coarse rules are all constraints and the coarse criteria. They judge a pair by
        the attributes of its two players, but for these pairs, for example those that
        have met. Shape (k, 2), positions in the state, low < high, each pair once and
        sorted.
        """
        player_count = len(self)
        pairs_of_rules = [rule.pairs(self.state) for rule in self._coarse_rules]
        repeated_pairs = np.concatenate([np.zeros((0, 2), np.int64), *pairs_of_rules])
        if not player_count:
            return repeated_pairs
        pair_keys = np.unique(
            repeated_pairs.min(axis=1) * player_count + repeated_pairs.max(axis=1)
        )
        return np.column_stack([pair_keys // player_count, pair_keys % player_count])

    # Extensions of version 1.0 use these names.
    levelled = with_criteria
    seated = assign_tables


class RoundAnalysis:
    """Base of results about a round; `problem` is the round as it was built."""

    problem: Problem

    @property
    def event(self) -> Event:
        """The event before this round: its `round` is the one to pair."""
        return self.problem.event

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return self.event.round

    @property
    def model(self) -> str:
        """The name of the model by which the round is paired."""
        return self.problem.model.name


def problem_of(
    event: Event,
    model: Model,
    options: Sequence[Constraint] = (),
    seed: int = 0,
    asked: RoundOptions | None = None,
) -> Problem:
    """Return the problem of the event's round.

    `options` are constraints of this round alone, and `asked` are the options to store
    in `Problem.asked`. `seed` chooses among equally good pairings. Players who have
    advanced or are eliminated by the model are left out, and a note names them. In an
    event without sides, rules on sides are left out. A note names these rules, unless
    the settings say that the event has no sides. Raises UsageError for a rule that
    needs data that the event does not have, InputError if nobody is to be paired.
    """
    if not event.players:
        raise InputError(event.source, "roster.nobody")
    event, finished_positions = without_finished(
        event, model.advance_wins, model.eliminate_losses
    )
    if not np.count_nonzero(event.active):
        raise InputError(event.source, "round.nobody", round=event.round)
    state = state_of(event, model.win, model.games, seed)

    applied_criteria, applied_constraints = model.criteria, model.constraints
    skipped_rules: list[Rule] = []
    if not state.sided:
        skipped_rules = [
            rule
            for rule in (*applied_constraints, *applied_criteria)
            if rule.needs_sides
        ]
        applied_criteria = tuple(
            rule for rule in applied_criteria if not rule.needs_sides
        )
        applied_constraints = tuple(
            rule for rule in applied_constraints if not rule.needs_sides
        )

    notes: list[str | Note] = list(event.notes)
    if finished_positions:
        finished_players = [
            event.shown[player_position] for player_position in finished_positions
        ]
        notes.append(message("event.finished", players=finished_players))
    are_points_inferred = event.settings.points is None and model.win is None
    # Without a bye and earlier rounds nobody reads the points.
    are_points_read = state.odd or len(event.before) > 0
    if are_points_inferred and are_points_read and event.complete_history:
        notes += points_notes(event, model.games)
    if skipped_rules and event.settings.sides != ():
        skipped_kinds = dict.fromkeys(rule.kind for rule in skipped_rules)
        notes.append(message("event.no_sides", skipped=[*skipped_kinds]))

    return Problem(
        state=state,
        model=model,
        criteria=applied_criteria,
        constraints=(*applied_constraints, *options),
        labels=tuple(tuple(rule.labels(state)) for rule in applied_criteria),
        seed=seed,
        notes=tuple(notes),
        system=None if model.system is None else SYSTEMS[model.system].of(state),
        asked=asked or RoundOptions(),
    )


def ratings_notes(event: Event, model: Model) -> list[Message]:
    """Return a note on what the model ranks players by, [] if it ranks nobody.

    A system ranks by start numbers, or by rating, title and name. Other models rank by
    rating: the note then says how many players have a positive one. An event without
    players has no note.
    """
    player_count, rated_count = len(event.players), int((event.rating > 0).sum())
    if not player_count:
        return []
    if model.system is not None:
        has_numbers = "start" in event.columns
        message_kind = "rating.start_numbers" if has_numbers else "rating.title_name"
    elif not any(criterion.ranks_by_rating for criterion in model.criteria):
        return []
    elif rated_count == player_count:
        message_kind = "rating.all"
    else:
        message_kind = "rating.some" if rated_count else "rating.nobody"
    return [
        message(message_kind, model=model.name, rated=rated_count, players=player_count)
    ]
