"""Remedies for a round that cannot be paired: the fewest matches to allow, and their costs."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pairopt.common.budget import Budget, TimeUpError
from pairopt.common.serialization import to_records
from pairopt.engines import DEFAULT
from pairopt.engines.base import EngineOptions
from pairopt.messages import Note, Value, join_notes, message, pair_value
from pairopt.messages.formatting import amount_text
from pairopt.problem.options import Pair
from pairopt.problem.problem import Problem
from pairopt.round.result import LEVEL, Result
from pairopt.round.solve import pair
from pairopt.rules.base import Constraint, Criterion
from pairopt.rules.criteria.rematches import Rematches
from pairopt.rules.repair_criteria import ConstraintBreaches, WeightedSum

BROKEN = {
    "no_rematch": ("way.rematch", "way.rematches"),
    "no_repeat_bye": ("way.second_bye", "way.second_byes"),
    "conflicts": ("way.one_apart", "way.apart"),
}
"""The message kinds for allowing one match, or several, against a constraint."""
OTHERS = "way.one_against", "way.against"
"""The same kinds for any other constraint."""
MOST_LEVELS = 4
# options that remedies add to
MORE = ("allow", "allow_bye")
PLAIN: dict[str, Any] = {"verify": False, "choose": "any", "count": False}
"""Options for a trial: without a cross-check and without a random draw."""
# pairs the same round with more options
Again = Callable[[dict[str, Any]], Result]


@dataclass(frozen=True)
class Remedy:
    """The fewest matches and byes to allow so that a round can be paired.

    `result` is the pairing with them. `allow` and `allow_bye` are the matches and byes,
    by identifier, and `rules` the kinds of the rules that they break. `lookahead` is
    the shorter number of lookahead rounds that the pairing leaves room for, None if the
    lookahead is not shortened.
    """

    result: Result
    rules: tuple[str, ...] = ()
    allow: tuple[Pair, ...] = ()
    allow_bye: tuple[str, ...] = ()
    lookahead: int | None = None

    @property
    def said(self) -> Note:
        """Message that says what to allow: matches, byes, or a shorter lookahead.

        Matches and byes are named by players, and a shorter lookahead is added to them
        or stands alone.
        """
        called_names = self.result.event.called
        allowed_values: list[Value | str] = []
        for first_player, second_player in self.allow:
            allowed_values.append(
                pair_value(called_names[first_player], called_names[second_player])
            )
        allowed_values += [
            called_names[player_identifier] for player_identifier in self.allow_bye
        ]

        lookahead_note = None
        if self.lookahead is not None:
            room_kind = "way.room" if self.lookahead else "way.no_room"
            lookahead_note = message(room_kind, rounds=self.lookahead)
            if not allowed_values:
                return lookahead_note

        note_kinds = (
            BROKEN.get(self.rules[0], OTHERS) if len(self.rules) == 1 else OTHERS
        )
        if self.allow_bye and not self.allow:
            has_only_repeated_byes = self._repeat_counts[1] == len(self.allow_bye)
            note_kinds = ("way.one_bye", "way.byes")
            if has_only_repeated_byes:
                note_kinds = BROKEN["no_repeat_bye"]
        note_kind = note_kinds[1] if len(allowed_values) > 1 else note_kinds[0]
        allow_note = message(
            note_kind, many=len(allowed_values), who=allowed_values, rules=self.rules
        )
        if lookahead_note is None:
            return allow_note
        return join_notes([allow_note, lookahead_note], name="way.with_room")

    @property
    def words(self) -> str:
        """Text that says what to allow: that of `said`."""
        return str(self.said)

    @property
    def _repeat_counts(self) -> tuple[int, int]:
        """The number of rematches and the number of repeated byes, in this order.

        They are those in the pairing that the remedy makes possible.
        """
        arcs, state = self.result.arcs, self.result.problem.state
        assert arcs is not None
        rematch_count = int(np.count_nonzero(state.meetings.met(arcs)))
        repeated_bye_count = int(np.count_nonzero(state.byes[arcs.first[arcs.bye]]))
        return rematch_count, repeated_bye_count

    @property
    def costs(self) -> Note:
        """Message on what the remedy costs: the first few levels that are above 0.

        In place of the level of rematches it gives the numbers of rematches and of
        repeated byes. It says so if all levels are 0.
        """
        first_levels = [level for level in self.result.decisive if level.value][
            :MOST_LEVELS
        ]
        level_notes = [
            message(
                "way.level",
                words=level.words,
                value=amount_text(level.value, level.scale),
            )
            for level in first_levels
            if level.criterion != Rematches.kind
        ]
        repeat_notes = []
        if len(level_notes) < len(first_levels):
            repeat_kinds = ("way.repeated", "way.repeated_byes")
            for repeat_kind, repeat_count in zip(
                repeat_kinds, self._repeat_counts, strict=True
            ):
                if repeat_count:
                    repeat_notes.append(message(repeat_kind, many=repeat_count))
        cost_notes = [*repeat_notes, *level_notes]
        return join_notes(cost_notes) if cost_notes else message("way.no_costs")

    @property
    def options(self) -> dict[str, Any]:
        """Options of `solve` that apply the remedy, by name, without unset ones.

        They are among `allow`, `allow_bye` and `lookahead`.
        """
        possible_options = {
            "allow": self.allow,
            "allow_bye": self.allow_bye,
            "lookahead": self.lookahead,
        }
        return {
            option_name: option_value
            for option_name, option_value in possible_options.items()
            if option_value not in (None, ())
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the remedy for JSON, with the levels of its pairing.

        The keys are `words`, `cost`, `options`, `levels` and `said`.
        """
        options_record = {
            option_name: [*option_value]
            if isinstance(option_value, tuple)
            else option_value
            for option_name, option_value in self.options.items()
        }
        level_records = to_records(self.result.level_values, *LEVEL)
        return {
            "words": self.words,
            "cost": str(self.costs),
            "options": options_record,
            "levels": level_records,
            "said": self.said.to_dict(),
        }


def find_remedies(
    result: Result, solve: Callable[..., Result], options: Mapping[str, Any]
) -> tuple[Remedy, ...]:
    """Find remedies for a round that cannot be paired; an empty tuple without any.

    There is one for each of the first `MOST_WAYS` smallest sets of the model's rules
    without which there is a pairing. It allows the fewest matches and byes, and among
    these the ones that cost least. If only the lookahead is in the way, a shorter one
    is the remedy. There are no remedies for a round that was paired, for a very large
    field, if requests conflict by themselves, or if the time is up.

    `solve` pairs the round again; it is called with keyword arguments, `options` and
    those of a remedy. The `time_limit` in `options` is that of the whole search, too.
    """
    if result.status != "infeasible":
        return ()
    # Only a round that cannot be paired needs these, and rustworkx with them.
    from pairopt.proof.infeasibility import (
        build_rule_graphs,
        find_helpful_sets,
        memoize_feasibility,
    )
    from pairopt.proof.infeasibility_text import MOST_PLAYERS, MOST_WAYS

    problem = result.problem
    if len(problem) > MOST_PLAYERS:
        return ()
    time_limit = options.get("time_limit")
    budget = Budget(
        deadline=None if time_limit is None else time.monotonic() + time_limit
    )

    def solve_again(more_options: dict[str, Any]) -> Result:
        """Pair the round with more options; lists are appended to those given already.

        Raises TimeUpError if the time of all remedies is up.
        """
        budget.check()
        extended_options = {
            option_name: [*(options.get(option_name) or ()), *more_options[option_name]]
            for option_name in MORE
            if option_name in more_options
        }
        return solve(**{**options, **PLAIN, **more_options, **extended_options})

    try:
        rule_graphs = build_rule_graphs(problem, budget)
        has_pairing = memoize_feasibility(rule_graphs.has_pairing)
        if has_pairing(rule_graphs.rules):
            return tuple(_reduce_lookahead(problem, solve_again, {}))

        # requests are never set aside
        requested_rules = [
            active_rule
            for active_rule in rule_graphs.active
            if active_rule.option is not None
        ]
        model_rules = [
            active_rule
            for active_rule in rule_graphs.active
            if active_rule.option is None
        ]
        rule_sets = find_helpful_sets(
            model_rules, lambda rule_set: has_pairing([*rule_set, *requested_rules])
        )
        remedies = []
        for rule_set in rule_sets[:MOST_WAYS]:
            remedy = _allow_fewest(problem, rule_set, solve_again, budget)
            if remedy is not None:
                remedies.append(remedy)
        return tuple(remedies)
    except TimeUpError:
        return ()


def _allow_fewest(
    problem: Problem, rules: Sequence[Constraint], solve_again: Again, budget: Budget
) -> Remedy | None:
    """Return the remedy that allows the fewest matches and byes against these rules.

    `solve_again` pairs the round with further options. If there is still no pairing
    with them, the lookahead is shortened as well. None if that does not help either, or
    if there is no pairing without the rules. Raises TimeUpError.
    """
    fewest_result = pair(
        _minimize_breaches(problem, rules), DEFAULT, EngineOptions(budget=budget)
    )
    if fewest_result.arcs is None:
        return None

    legal_flags = ConstraintBreaches(tuple(rules)).keeps_rules(
        problem.state, fewest_result.arcs
    )
    breaking_matches = [
        breaking_match
        for breaking_match, is_legal in zip(
            fewest_result.pairs, legal_flags, strict=True
        )
        if not is_legal
    ]
    allowing_options = {
        "allow": tuple(
            (breaking_match[0], breaking_match[1])
            for breaking_match in breaking_matches
            if len(breaking_match) == 2
        ),
        "allow_bye": tuple(
            breaking_match[0]
            for breaking_match in breaking_matches
            if len(breaking_match) == 1
        ),
    }
    rule_kinds = tuple(dict.fromkeys(allowed_rule.kind for allowed_rule in rules))
    allowed_result = solve_again(allowing_options)
    if allowed_result.arcs is not None:
        return Remedy(allowed_result, rule_kinds, **allowing_options)  # type: ignore[arg-type]
    for remedy in _reduce_lookahead(problem, solve_again, allowing_options):
        return replace(remedy, rules=rule_kinds)
    return None


def _reduce_lookahead(
    problem: Problem, solve_again: Again, options: dict[str, Any]
) -> list[Remedy]:
    """Return a list with the remedy of the longest shorter lookahead, which may be 0.

    The list is empty if no shorter lookahead helps. `options` are applied, too, and
    belong to the remedy; `solve_again` pairs the round with them. Raises TimeUpError.
    """
    for shorter_lookahead in range(problem.lookahead - 1, -1, -1):
        shorter_result = solve_again({**options, "lookahead": shorter_lookahead})
        if shorter_result.arcs is not None:
            return [Remedy(shorter_result, lookahead=shorter_lookahead, **options)]
    return []


def _minimize_breaches(problem: Problem, rules: Sequence[Constraint]) -> Problem:
    """Return a problem that minimises the breaches of some constraints first.

    `rules` are these constraints; the problem has neither them nor a lookahead. Its new
    first level is the number of matches and byes that break them. Weighted criteria
    become one level after it; other criteria follow as they are.
    """
    minimized_criteria: tuple[Criterion, ...] = problem.criteria
    if problem.model.weights is not None:
        minimized_criteria = (
            WeightedSum(problem.model.criteria, problem.model.weights),
        )
    with_breaches = problem.with_criteria(
        (ConstraintBreaches(tuple(rules)), *minimized_criteria)
    )
    other_constraints = tuple(
        kept_rule for kept_rule in problem.constraints if kept_rule not in rules
    )
    model_without_lookahead = replace(with_breaches.model, lookahead=0)
    return replace(
        with_breaches, model=model_without_lookahead, constraints=other_constraints
    )
