"""Explain why no pairing satisfies the constraints, and what would help."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from pairopt.common.budget import Budget, TimeUpError
from pairopt.engines import DEFAULT, solve_by
from pairopt.engines.base import EngineOptions
from pairopt.messages import Message, Note, Value, message, with_heading
from pairopt.problem.problem import Problem
from pairopt.proof.infeasibility import (
    Possible,
    RuleGraphs,
    Rules,
    build_rule_graphs,
    find_conflict,
    find_helpful_sets,
    find_smallest_conflict,
    memoize_feasibility,
)
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.requested import ForcedBye, ForcedPairs

MOST_WAYS = 4
# up to so many players all pairs are looked at, to find the players in a conflict
MOST_PLAYERS = 500
WISHES = {
    "fixed_tables": "wish.fixed_tables",
    "forbidden_bye": "wish.forbidden_bye",
    "forbidden_pairs": "wish.forbidden_pairs",
    "forced_bye": "wish.forced_bye",
    "forced_pairs": "wish.forced_pairs",
}
"""The value kind of each constraint that somebody requests."""
RuleOrRounds = TypeVar("RuleOrRounds", Constraint, Constraint | int)


@dataclass(frozen=True, slots=True)
class InfeasibleSubset:
    """A conflict: rules under which these players cannot all be paired.

    `rules` are the kinds of the rules, with "lookahead" for a lookahead, and `players`
    the players' identifiers. Without any one of the rules or of the players the others
    can be paired. No fewer rules conflict, but fewer players may. With a lookahead, or
    in a very large field, all players are named.
    """

    rules: tuple[str, ...]
    players: tuple[str, ...]


def explain_infeasibility(
    problem: Problem, options: EngineOptions
) -> tuple[InfeasibleSubset | None, tuple[Note, ...]]:
    """Find a conflict of rules and players; explain it, and say what would help.

    Returns the conflict and the notes. The conflict is None if the time is up before
    one is found; then a note says so. In a field with more than `MOST_PLAYERS` players,
    or if only the lookahead is in the way, only rules are explained.
    """
    player_count, lookahead = len(problem), problem.lookahead
    heading = message("clash.nothing_fits", players=player_count)
    try:
        if player_count > MOST_PLAYERS:
            return _explain_rules_only(problem, options.budget, heading)
        graphs = build_rule_graphs(problem, options.budget)
        has_pairing = memoize_feasibility(graphs.has_pairing)
        conflict = find_conflict(graphs, has_pairing)
        if conflict is None:
            heading = message("clash.no_room", players=player_count, rounds=lookahead)
            return _explain_rules_only(problem, options.budget, heading)
    except TimeUpError:
        return None, (heading, message("clash.time_up"))

    conflicting_rules, conflict_players = conflict
    explanation_notes = [
        _describe_conflict(problem, graphs, conflicting_rules, conflict_players),
        *(
            _describe_rule(problem, rule, conflict_players)
            for rule in conflicting_rules
        ),
        *_describe_helpful_sets(graphs.active, has_pairing),
    ]
    rule_kinds = tuple(rule.kind for rule in conflicting_rules)
    player_names = tuple(
        problem.state.names[player_position] for player_position in conflict_players
    )
    return InfeasibleSubset(rule_kinds, player_names), tuple(explanation_notes)


def _explain_rules_only(
    problem: Problem, budget: Budget, heading: Message
) -> tuple[InfeasibleSubset, tuple[Note, ...]]:
    """Explain a conflict by its rules alone; all players are said to be in it.

    It is used with a lookahead, which counts as a rule, and in a very large field. The
    notes begin with `heading`. Raises TimeUpError.
    """
    all_rules: list[Constraint | int] = [*problem.constraints]
    if problem.lookahead:
        all_rules.append(problem.lookahead)
    has_pairing = memoize_feasibility(partial(_is_possible, problem, budget=budget))
    conflicting_rules = find_smallest_conflict(all_rules, has_pairing)
    explanation_notes = [
        heading,
        *(_describe_rule(problem, rule) for rule in conflicting_rules),
        *_describe_helpful_sets(all_rules, has_pairing),
    ]
    rule_kinds = tuple(
        "lookahead" if isinstance(rule, int) else rule.kind
        for rule in conflicting_rules
    )
    return InfeasibleSubset(rule_kinds, problem.state.names), tuple(explanation_notes)


def _describe_helpful_sets(
    rules: Sequence[RuleOrRounds], possible: Possible[RuleOrRounds]
) -> list[Message]:
    """Return messages on which rules could be left out so that there is a pairing.

    There is one for each of the smallest sets, at most `MOST_WAYS`, and none if even
    leaving out all rules does not help. If the time is up, a single message says that.
    `possible` says whether there is a pairing under some rules.
    """
    try:
        helpful_sets = find_helpful_sets(rules, possible)[:MOST_WAYS]
        return [
            _describe_helpful_set(rules_left_out) for rules_left_out in helpful_sets
        ]
    except TimeUpError:
        return [message("clash.help_time_up")]


def _is_possible(
    problem: Problem, rules: Sequence[Constraint | int], budget: Budget
) -> bool:
    """Return whether there is a pairing under these rules only; an int is a lookahead.

    Raises TimeUpError if that is not known in time.
    """
    constraints = tuple(rule for rule in rules if not isinstance(rule, int))
    lookahead = sum(rule for rule in rules if isinstance(rule, int))
    relaxed_problem = replace(
        problem,
        constraints=constraints,
        criteria=(),
        labels=(),
        system=None,
        model=replace(problem.model, lookahead=lookahead),
    )
    solution = solve_by(DEFAULT, relaxed_problem, EngineOptions(budget=budget))
    if solution.arcs is None and solution.status != "infeasible":
        raise TimeUpError
    return solution.arcs is not None


def _describe_conflict(
    problem: Problem, graphs: RuleGraphs, rules: Rules, conflict: Sequence[int]
) -> Note:
    """Return a note on which players cannot all be paired, and whom they may meet.

    `conflict` are their positions in the state, and `rules` those in conflict. If a
    single request is impossible by itself, only that is said. `graphs` has the pairs
    that each rule allows.
    """
    wish_message = _describe_impossible_wish(problem, rules)
    if wish_message:
        return wish_message

    state, player_count = problem.state, len(problem)
    file_position = state.player.__getitem__
    players_in_file_order = sorted(conflict, key=file_position)
    player_names = [
        state.shown[player_position] for player_position in players_in_file_order
    ]
    opponents_of_player = graphs.list_opponents(rules)
    reachable_opponents = set().union(
        *(
            opponents_of_player[player_position]
            for player_position in players_in_file_order
        )
    )
    if len(players_in_file_order) == 1:
        message_kind = "clash.nobody_left_nor_bye" if state.odd else "clash.nobody_left"
        return message(message_kind, who=player_names)
    if (
        state.odd
        and not opponents_of_player[player_count]
        and len(players_in_file_order) == player_count
    ):
        return message("clash.no_bye", who=player_names)

    has_inside_opponents = bool(reachable_opponents & {*players_in_file_order})
    outside_opponents = sorted(
        reachable_opponents - {*players_in_file_order, player_count}, key=file_position
    )
    kind_by_case = {
        (True, True): "clash.meet_both",
        (True, False): "clash.meet_each_other",
        (False, True): "clash.meet_others",
        (False, False): "clash.meet_nobody",
    }
    meeting_note = message(
        kind_by_case[has_inside_opponents, bool(outside_opponents)],
        others=[state.shown[player_position] for player_position in outside_opponents],
    )
    heading = message(
        "clash.players", many=len(players_in_file_order), who=player_names
    )
    if not state.odd:
        return with_heading(heading, meeting_note)

    bye_names = [
        state.shown[player_position]
        for player_position in players_in_file_order
        if player_count in opponents_of_player[player_position]
    ]
    message_kind = "clash.players_and_bye" if bye_names else "clash.players_no_bye"
    return with_heading(
        heading,
        meeting_note,
        message(message_kind, takers=bye_names),
        name=message_kind,
    )


def _describe_impossible_wish(problem: Problem, rules: Rules) -> Message | None:
    """Return a message if a request contradicts the round or itself, otherwise None.

    It is looked for if `rules`, those of the conflict, is one rule alone. Such a
    request is, for example, a bye in an even field, or a player who must meet two
    others.
    """
    event = problem.event
    rule = rules[0] if len(rules) == 1 else None
    if isinstance(rule, ForcedBye) and not problem.state.odd:
        shown_name = event.shown[rule.player]
        return message("clash.even_field", name=shown_name, players=len(problem))
    if isinstance(rule, ForcedPairs):
        distinct_pairs = {frozenset(wished_pair) for wished_pair in rule.players}
        pair_counts = Counter(
            player_position
            for wished_pair in distinct_pairs
            for player_position in wished_pair
        )
        twice_forced_names = [
            event.shown[player_position]
            for player_position, pair_count in pair_counts.items()
            if pair_count > 1
        ]
        if twice_forced_names:
            return message("clash.forced_twice", who=twice_forced_names)
    return None


def _describe_rule(
    problem: Problem, rule: Constraint | int, conflict: Sequence[int] = ()
) -> Message:
    """Return a message on a rule in a conflict, and what the players have in common.

    `rule` is a constraint, or an int for a lookahead of so many rounds. `conflict` are
    the players, positions in the state; without them, and for a request, nothing in
    common is looked for.
    """
    if isinstance(rule, int):
        return message("clash.because_lookahead", rounds=rule)
    rule_text = rule.describe().rstrip(".")
    if rule.option is not None:
        return message(
            "clash.because_wish", wish=_make_rule_value(rule), words=rule_text
        )
    common_text = rule.in_common(problem.state, conflict) if conflict else ""
    if common_text:
        return message(
            "clash.because_common", rule=rule.kind, words=rule_text, common=common_text
        )
    return message("clash.because", rule=rule.kind, words=rule_text)


def _describe_helpful_set(left_out: Sequence[Constraint | int]) -> Message:
    """Return a message that there is a pairing without these rules.

    An int among them is the lookahead. Requests are named apart from the model's own
    rules. `left_out` are the rules.
    """
    constraints = [rule for rule in left_out if not isinstance(rule, int)]
    wish_values = [
        _make_rule_value(rule) for rule in constraints if rule.option is not None
    ]
    relaxed_values = [
        _make_rule_value(rule) for rule in constraints if rule.option is None
    ]
    if len(constraints) < len(left_out):
        relaxed_values.append(Value("clash.no_lookahead", {}))
    if relaxed_values and wish_values:
        return message("clash.without_with", wishes=wish_values, own=relaxed_values)
    if wish_values:
        return message("clash.without", wishes=wish_values)
    return message("clash.with", own=relaxed_values)


def _make_rule_value(rule: Constraint) -> Value:
    """Return a rule as a value in a message.

    For a request, a constraint that an option makes, it is only the name of such
    requests. For a rule of the model it is its kind and its description.
    """
    if rule.option is not None:
        return Value(WISHES[rule.kind], {})
    rule_text = rule.describe().rstrip(".")
    return Value("clash.relaxed", {"rule": rule.kind, "words": rule_text})
