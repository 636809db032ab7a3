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

    Engines ask only this: the levels, and for arrays of arcs what is legal and what
    each arc adds to each level. Where a `system` gives the levels there are no
    criteria. `asked` are the options that it was built with.
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
        """The event with the round to pair."""
        return self.state.event

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The objective levels in order of priority."""
        if self.system is not None:
            return self.system.levels
        return tuple(
            Level(place, rule.kind, label, scale, offset, rule.words(label))
            for place, (rule, labels) in enumerate(
                zip(self.criteria, self.labels, strict=True)
            )
            for scale, offset in [(rule.scale(self.state), rule.offset(self.state))]
            for label in labels
        )

    def weights(self, objective: Objective) -> tuple[int, ...] | None:
        """Return the integer weight of each level, None without a weighted objective.

        Weights are multiplied by `weight_scale`.
        """
        if objective != "weighted" or self.model.weights is None:
            return None
        return tuple(int(weight * self.weight_scale) for weight in self._exact_weights)

    @property
    def weight_scale(self) -> int:
        """The common denominator of the weights."""
        return lcm(*(weight.denominator for weight in self._exact_weights))

    @cached_property
    def _exact_weights(self) -> list[Fraction]:
        """The weight of each level, exact."""
        each = unit_weights(self.state, self.model.criteria, self.model.weights or ())
        return [weight for _, own in each for weight in own]

    @property
    def lookahead(self) -> int:
        """The number of further rounds without a rematch to be possible after this one."""
        return self.model.lookahead

    @cached_property
    def coarse(self) -> int:
        """The number of criteria before the first that separates nearly all players."""
        fine = [k for k, rule in enumerate(self.criteria) if rule.per_player]
        return fine[0] if fine else len(self.criteria)

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """The index of each criterion's first level, and at last the number of levels."""
        return tuple(accumulate(map(len, self.labels), initial=0))

    @property
    def coarse_levels(self) -> int:
        """The number of levels of the coarse criteria."""
        return self.firsts[self.coarse]

    def with_criteria(self, criteria: tuple[Criterion, ...]) -> Problem:
        """Return the round with these criteria alone, in order, without a system."""
        model = replace(
            self.model,
            criteria=criteria,
            weights=None,
            objective="lexicographic",
            system=None,
            engine=None,
        )
        labels = tuple(tuple(rule.labels(self.state)) for rule in criteria)
        return replace(self, model=model, criteria=criteria, labels=labels, system=None)

    def costs(self, arcs: Arcs, start: int = 0, stop: int | None = None) -> IntArray:
        """Return what each arc adds to each of the levels start..stop.

        Shape (m, levels). Those of a system, all or none, are known only of a whole
        pairing, and are Python's integers.
        """
        if self.system is not None and stop is None:
            return cast("IntArray", self.system.costs(arcs))
        stop = self.firsts[-1] if stop is None else stop
        blocks = []
        for rule, labels, first in zip(
            self.criteria, self.labels, self.firsts, strict=False
        ):
            if wanted := labels[max(start - first, 0) : max(stop - first, 0)]:
                blocks.append(rule.values(self.state, arcs, wanted).T)
        return (
            np.concatenate(blocks) if blocks else np.zeros((0, len(arcs)), np.int64)
        ).T

    def totals(self, arcs: Arcs) -> list[int]:
        """Return the total of each level for a whole pairing."""
        if self.system is not None:
            return self.system.totals(arcs)
        both = zip(self.criteria, self.labels, strict=True)
        return [
            total for rule, own in both for total in rule.totals(self.state, arcs, own)
        ]

    def legal(self, arcs: Arcs) -> BoolArray:
        """Return True where all constraints allow the arc, shape (m,)."""
        legal = np.ones(len(arcs), np.bool_)
        for rule in self.constraints:
            legal &= rule.legal(self.state, arcs)
        return legal

    @property
    def _coarse_rules(self) -> Sequence[Criterion | Constraint]:
        """The constraints and the coarse criteria."""
        return (*self.constraints, *self.criteria[: self.coarse])

    def assign_tables(self, arcs: Arcs) -> tuple[tuple[PairedRow, ...], Arcs]:
        """Return the rows of a pairing, and its arcs, in the order of the tables."""
        return assign_tables(self.state, arcs, ranked=self.system is not None)

    def attributes(self) -> list[IntArray | BoolArray]:
        """Return the player attributes that coarse rules read, each of shape (n,)."""
        rules = self._coarse_rules
        read = [array for rule in rules for array in rule.attributes(self.state)]
        if self.state.odd:
            read += [
                array for rule in rules for array in rule.bye_attributes(self.state)
            ]
        return read

    def special_pairs(self) -> IntArray:
        """Return the pairs that attributes alone do not describe.

        Shape (k, 2), low < high, each once.
        """
        n, every = len(self), (rule.pairs(self.state) for rule in self._coarse_rules)
        pairs = np.concatenate([np.zeros((0, 2), np.int64), *every])
        keys = np.unique(pairs.min(axis=1) * n + pairs.max(axis=1))
        return np.column_stack([keys // n, keys % n]) if n else pairs


class RoundAnalysis:
    """Base of results about a round; `problem` is the round as it was built."""

    problem: Problem

    @property
    def event(self) -> Event:
        """The event with the round."""
        return self.problem.event

    @property
    def round(self) -> int:
        """The number of the round."""
        return self.event.round

    @property
    def model(self) -> str:
        """The name of the model."""
        return self.problem.model.name


def problem_of(
    event: Event,
    model: Model,
    options: Sequence[Constraint] = (),
    seed: int = 0,
    asked: RoundOptions | None = None,
) -> Problem:
    """Return the problem of the event's round.

    An event without sides has no side rules, and a note says so. Raises UsageError for
    a rule that needs data that the event does not have, InputError if nobody is to be
    paired.
    """
    if not np.count_nonzero(event.active):
        raise InputError(event.source, "round.nobody", round=event.round)
    state = state_of(event, model.win, model.games, seed)
    criteria, rules, skipped = model.criteria, model.constraints, list[Rule]()
    if not state.sided:
        skipped = [rule for rule in (*rules, *criteria) if rule.needs_sides]
        criteria = tuple(rule for rule in criteria if not rule.needs_sides)
        rules = tuple(rule for rule in rules if not rule.needs_sides)
    notes: list[str | Note] = list(event.notes)
    if event.settings.points is None and model.win is None and event.complete_history:
        notes += (
            points_notes(event, model.games) if state.odd or len(event.before) else []
        )
    if skipped and event.settings.sides != ():
        kinds = dict.fromkeys(rule.kind for rule in skipped)
        notes.append(message("event.no_sides", skipped=[*kinds]))
    return Problem(
        state=state,
        model=model,
        criteria=criteria,
        constraints=(*rules, *options),
        labels=tuple(tuple(rule.labels(state)) for rule in criteria),
        seed=seed,
        notes=tuple(notes),
        system=None if model.system is None else SYSTEMS[model.system].of(state),
        asked=asked or RoundOptions(),
    )


def ratings_notes(event: Event, model: Model) -> list[Message]:
    """Return a note on what the model ranks players by, if it ranks them.

    It names start numbers, or how many players have a rating.
    """
    if model.system is None and not any(
        rule.ranks_by_rating for rule in model.criteria
    ):
        return []
    many, rated = len(event.players), int((event.rating > 0).sum())
    if model.system is not None:
        kind = (
            "rating.start_numbers" if "start" in event.columns else "rating.title_name"
        )
    else:
        kind = (
            "rating.all"
            if rated == many
            else "rating.some"
            if rated
            else "rating.nobody"
        )
    return [message(kind, model=model.name, rated=rated, players=many)]
