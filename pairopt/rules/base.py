"""Base of rules: constraints say which arcs are legal, criteria what each arc costs.

Engines count players with equal attributes together. So a rule must name all that it
reads: attributes, and pairs that attributes alone do not describe.
`pairopt.engines.player_types` checks that.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np

from pairopt.errors import UsageError
from pairopt.event.arcs import Arcs, BoolArray, IntArray
from pairopt.event.state import State
from pairopt.messages import Message

Label = int | str
NO_PAIRS = np.zeros((0, 2), np.int64)
MOST_TOTAL = 2**60
"""The bound of a level's total, so that sums and differences never overflow."""
MOST_POWER = 60
"""The largest power of a gap; above it any gap but 0 and 1 is too large."""


class Rule(ABC):
    """Base of constraints and criteria; subclasses are dataclasses of parameters.

    Subclasses are frozen. `kind` is the name of the rule in model files. A rule with
    `needs_sides` is left out of events without sides.
    """

    kind: ClassVar[str]
    needs_sides: ClassVar[bool] = False
    reads_meetings: ClassVar[bool] = False
    """Whether the rule reads meetings; the pairs that have met are then special pairs."""
    reads: ClassVar[tuple[str, ...]] = ()
    bye_reads: ClassVar[tuple[str, ...]] = ()
    """The attributes of `State` that the rule reads for matches, and besides for byes.

    Rules that read more override `attributes` and `bye_attributes`.
    """

    @property
    def ranks_by_rating(self) -> bool:
        """Whether the rule reads ranks inside equal scores, which go by rating.

        It is False in the base class.
        """
        return False

    def attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return the player attributes that the rule reads for matches.

        Each has shape (n,), one entry per player in the state. Players whose attributes
        are all equal are alike to the rule, except in special pairs.
        """
        return tuple(getattr(state, attribute_name) for attribute_name in self.reads)

    def bye_attributes(self, state: State) -> tuple[IntArray | BoolArray, ...]:
        """Return the player attributes that the rule reads for byes.

        Each has shape (n,), one entry per player in the state. They come on top of
        those that it reads for matches.
        """
        return tuple(
            getattr(state, attribute_name) for attribute_name in self.bye_reads
        )

    def pairs(self, state: State) -> IntArray:
        """Return the special pairs, which attributes alone do not describe.

        Shape (k, 2), positions in the state. If the rule reads meetings, they are the
        pairs that have met; otherwise there are none.
        """
        return state.meetings.pairs() if self.reads_meetings else NO_PAIRS

    def describe(self) -> str:
        """Return what the rule says: its docstring's first paragraph, on one line.

        A field's name in backticks is replaced by its value.
        """
        first_paragraph = " ".join((self.__doc__ or self.kind).split("\n\n")[0].split())
        return re.sub(
            r"`(\w+)`", lambda name: self._value_text(name[1]), first_paragraph
        )

    def _value_text(self, name: str) -> str:
        """Return the value of the field `name` as text.

        The items of a tuple, which are texts, are joined by "or".
        """
        field_value = getattr(self, name)
        return (
            " or ".join(field_value)
            if isinstance(field_value, tuple)
            else str(field_value)
        )


class Constraint(Rule):
    """A rule that may never be broken.

    In a model file, a constraint is a line `kind = value` of the table `[constraints]`.
    The value goes into the one field of the class. If the constraint's class has no
    field, write `true` as the value.
    """

    option: ClassVar[str | None] = None
    """The option that makes the rule; no model file can hold such a rule."""
    of_field: ClassVar[bool] = False
    """Whether the rule depends on who else is in the round; published tables stay legal."""

    @abstractmethod
    def legal(self, state: State, arcs: Arcs) -> BoolArray:
        """Return True where the rule allows the arc.

        Parameters
        ----------
        state : State
            The players of the round.
        arcs : Arcs
            The arcs, m of them.

        Returns
        -------
        BoolArray
            One entry per arc, shape (m,).
        """

    def in_common(self, state: State, players: Sequence[int]) -> str:
        """Return a text that counts the players who share what keeps `players` apart.

        `players` are positions in the state. The text is "" if nothing is shared; the
        base class always returns "".
        """
        return ""


class Criterion(Rule):
    """A rule of preference, which expands into levels, the most important first.

    Each level is an integer to minimise, a sum over the arcs of the pairing.
    """

    per_player: ClassVar[bool] = False
    """Whether nearly all players differ, so that engines ask for each pair."""
    counts: ClassVar[str]
    """The words of a level, with `{label}` in the place of its name."""

    @abstractmethod
    def labels(self, state: State) -> Sequence[Label]:
        """Return the names of the levels to which arcs of this event can add.

        Parameters
        ----------
        state : State
            The players of the round.

        Returns
        -------
        Sequence of int or str
            The labels, the most important level first.
        """

    @abstractmethod
    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        """Return what each arc adds to each level, never negative.

        Parameters
        ----------
        state : State
            The players of the round.
        arcs : Arcs
            The arcs, m of them.
        labels : Sequence of int or str
            Some of the labels that `labels` returns, next to each other.

        Returns
        -------
        IntArray
            A column per label, shape (m, len(labels)).
        """

    def scale(self, state: State) -> int:
        """Return the factor by which values are multiplied to be integers, at least 1.

        It is 1 by default; criteria that read points use `Event.scale`.
        """
        return 1

    def offset(self, state: State) -> int:
        """Return what is added to each level's total, 0 by default.

        Arcs may not have negative values. A level that could be negative is counted
        from its offset instead.
        """
        return 0

    def totals(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> list[int]:
        """Return the sum of what these arcs add to each of the levels `labels`.

        The sums are Python integers, in the order of the labels, and cannot overflow.
        """
        return [
            sum(level_values)
            for level_values in self.values(state, arcs, labels).T.tolist()
        ]

    def notes(self, state: State, arcs: Arcs) -> Sequence[Message]:
        """Return notes on a pairing for the organiser, () if there are none.

        `arcs` is the pairing that was found. The base class always returns ().
        """
        return ()

    def magnitude(self, label: Label) -> int:
        """Return the weight of one unit of a level in a weighted objective.

        By default it is the label if that is an integer, otherwise 1.
        """
        return label if isinstance(label, int) else 1

    def words(self, label: Label) -> str:
        """Return what a level counts, in plain words; `label` is the level's name."""
        return self.counts.format(rule=self, label=label)


class SingleLevel(Criterion):
    """A criterion of one level with the label 1, the sum of one cost per arc.

    Subclasses define `cost`, and `largest` if costs can be large.
    """

    def labels(self, state: State) -> Sequence[Label]:
        """Return the label of the one level, [1].

        Raises UsageError if the level's total could grow too large.
        """
        require_fit(self.kind, self.largest(state), len(state))
        return [1]

    def values(self, state: State, arcs: Arcs, labels: Sequence[Label]) -> IntArray:
        """Return the costs of the arcs as a column, shape (m, 1).

        If `labels` is empty, the shape is (m, 0).
        """
        return self.cost(state, arcs)[:, None][:, : len(labels)]

    def largest(self, state: State) -> int:
        """Return a bound on the cost of one arc, as an exact integer.

        It is 0 in the base class, for costs that are always small, so that no total can
        grow too large.
        """
        return 0

    @abstractmethod
    def cost(self, state: State, arcs: Arcs) -> IntArray:
        """Return what each arc costs, never negative.

        Parameters
        ----------
        state : State
            The players of the round.
        arcs : Arcs
            The arcs, m of them.

        Returns
        -------
        IntArray
            One cost per arc, shape (m,).
        """


def unit_weights(
    state: State, criteria: Sequence[Criterion], weights: Sequence[Fraction]
) -> list[tuple[Criterion, list[Fraction]]]:
    """Return each criterion that applies, with the weight of one unit of each level.

    It is the criterion's weight times the level's magnitude, over the criterion's
    scale: a match three score groups apart counts three times. Criteria that need sides
    are left out in a game without them. `criteria` and `weights` have the same length;
    otherwise ValueError is raised.
    """
    weights_of_criteria = []
    for criterion, weight in zip(criteria, weights, strict=True):
        if criterion.needs_sides and not state.sided:
            continue
        criterion_scale = criterion.scale(state)
        weights_of_levels = [
            weight * criterion.magnitude(label) / criterion_scale
            for label in criterion.labels(state)
        ]
        weights_of_criteria.append((criterion, weights_of_levels))
    return weights_of_criteria


def require_fit(kind: str, largest: int, players: int) -> None:
    """Raise UsageError if a level's total could overflow an engine's integers.

    `largest` is a bound on what one arc adds, and `players` the number of players. The
    error names the rule's `kind`.
    """
    if largest * players >= MOST_TOTAL:
        raise UsageError("rule.large", rule=kind)


def one_hot(amounts: IntArray, labels: Sequence[Label]) -> IntArray:
    """Return 1 in the column whose label equals the arc's amount, 0 elsewhere.

    `amounts` has shape (m,), and the result shape (m, len(labels)), int64. An amount
    without a label has a row of zeros. The labels are integers.
    """
    label_matches: IntArray = (np.asarray(labels, np.int64)[:, None] == amounts).astype(
        np.int64
    )
    return label_matches.T  # level after level in memory, as engines look at them


def one_hot_ends(
    arcs: Arcs,
    labels: Sequence[Label],
    first: IntArray,
    second: IntArray,
    alone: IntArray,
) -> IntArray:
    """Return how many players of each arc have the amount of each label: 0, 1 or 2.

    Shape (m, len(labels)). `first`, `second` and `alone` have shape (n,). They hold
    each player's amount on the first side, on the second side, and with a bye. The
    labels are integers.
    """
    label_counts = one_hot(first, labels).T.take(arcs.first, axis=1)
    label_counts += one_hot(second, labels).T.take(arcs.second, axis=1)
    if len(bye_arc_indices := arcs.alone):
        label_counts[:, bye_arc_indices] = one_hot(alone, labels).T.take(
            arcs.first[bye_arc_indices], axis=1
        )
    return label_counts.T
