"""Diagnosis: why no pairing satisfies the constraints, in words, and what would help."""

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
from pairopt.proof import infeasibility as clashes
from pairopt.proof.infeasibility import (
    Possible,
    RuleGraphs,
    Rules,
    find_helpful_sets,
    find_smallest_conflict,
    memoize_feasibility,
)
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.requested import ForcedBye, ForcedPairs

MOST_WAYS = 4
MOST_PLAYERS = (
    500  # up to so many players all pairs are looked at, to say which players clash
)
WISHES = {
    "fixed_tables": "wish.fixed_tables",
    "forbidden_bye": "wish.forbidden_bye",
    "forbidden_pairs": "wish.forbidden_pairs",
    "forced_bye": "wish.forced_bye",
    "forced_pairs": "wish.forced_pairs",
}
"""Constraints that somebody asks for, by what is said of them."""
RuleOrRounds = TypeVar("RuleOrRounds", Constraint, Constraint | int)


@dataclass(frozen=True, slots=True)
class InfeasibleSubset:
    """Rules under which these players cannot all be paired; without any one of these or those they
    can. No fewer rules clash, but fewer players may. With a lookahead, or in a very large field,
    all players are named.
    """

    rules: tuple[str, ...]
    players: tuple[str, ...]


def explain_infeasibility(
    problem: Problem, options: EngineOptions
) -> tuple[InfeasibleSubset | None, tuple[Note, ...]]:
    """A clash of rules and players, what there is to say of it, and what would help. None, and a
    sentence that says so, where the time is up before it is found.
    """
    n, rounds = len(problem), problem.lookahead
    said = message("clash.nothing_fits", players=n)
    try:
        if n > MOST_PLAYERS:
            return _rules_only(problem, options.budget, said)
        legality = clashes.build_rule_graphs(problem, options.budget)
        covers = memoize_feasibility(legality.covers)
        found = clashes.find_conflict(legality, covers)
        if found is None:
            said = message("clash.no_room", players=n, rounds=rounds)
            return _rules_only(problem, options.budget, said)
    except TimeUpError:
        return None, (said, message("clash.time_up"))
    rules, clash = found
    reasons = [
        _describe_clash(problem, legality, *found),
        *(_because(problem, r, clash) for r in rules),
        *_helps(legality.active, covers),
    ]
    names = tuple(problem.state.names[p] for p in clash)
    return InfeasibleSubset(tuple(rule.kind for rule in rules), names), tuple(reasons)


def _rules_only(
    problem: Problem, budget: Budget, said: Message
) -> tuple[InfeasibleSubset, tuple[Note, ...]]:
    """The clash of rules alone, all players in it: with a lookahead, or in a very large field."""
    every: list[Constraint | int] = [*problem.constraints]
    every += [problem.lookahead] * bool(problem.lookahead)
    possible = memoize_feasibility(partial(_possible, problem, budget=budget))
    rules = find_smallest_conflict(every, possible)
    reasons = [
        said,
        *(_because(problem, rule) for rule in rules),
        *_helps(every, possible),
    ]
    kinds = tuple("lookahead" if isinstance(rule, int) else rule.kind for rule in rules)
    return InfeasibleSubset(kinds, problem.state.names), tuple(reasons)


def _helps(
    rules: Sequence[RuleOrRounds], possible: Possible[RuleOrRounds]
) -> list[Message]:
    try:
        return [
            _help(left_out)
            for left_out in find_helpful_sets(rules, possible)[:MOST_WAYS]
        ]
    except TimeUpError:
        return [message("clash.help_time_up")]


def _possible(
    problem: Problem, rules: Sequence[Constraint | int], budget: Budget
) -> bool:
    """Whether rules leave a pairing, a number being a lookahead. Raises TimeUpError."""
    constraints = tuple(rule for rule in rules if not isinstance(rule, int))
    ahead = sum(rule for rule in rules if isinstance(rule, int))
    easier = replace(
        problem,
        constraints=constraints,
        criteria=(),
        labels=(),
        system=None,
        model=replace(problem.model, lookahead=ahead),
    )
    found = solve_by(DEFAULT, easier, EngineOptions(budget=budget))
    if found.arcs is None and found.status != "infeasible":
        raise TimeUpError
    return found.arcs is not None


def _describe_clash(
    problem: Problem, legality: RuleGraphs, rules: Rules, clash: Sequence[int]
) -> Note:
    """The players who cannot all be paired, and whom they may meet."""
    state, n, listed = problem.state, len(problem), problem.state.player.__getitem__
    players = sorted(clash, key=listed)  # as players.csv has them
    if said := _impossible_wish(problem, rules):
        return said
    names = [state.shown[p] for p in players]
    opponents = legality.opponents(rules)
    reached = set().union(*(opponents[p] for p in players))
    if len(players) == 1:
        return message(
            "clash.nobody_left_nor_bye" if state.odd else "clash.nobody_left", who=names
        )
    if state.odd and not opponents[n] and len(players) == n:
        return message("clash.no_bye", who=names)
    inside = bool(reached & {*players})
    others = sorted(reached - {*players, n}, key=listed)
    kinds = {
        (True, True): "clash.meet_both",
        (True, False): "clash.meet_each_other",
        (False, True): "clash.meet_others",
        (False, False): "clash.meet_nobody",
    }
    said = message(kinds[inside, bool(others)], others=[state.shown[p] for p in others])
    heading = message("clash.players", many=len(players), who=names)
    if not state.odd:
        return with_heading(heading, said)
    takers = [state.shown[p] for p in players if n in opponents[p]]
    kind = "clash.players_and_bye" if takers else "clash.players_no_bye"
    return with_heading(heading, said, message(kind, takers=takers), name=kind)


def _impossible_wish(problem: Problem, rules: Rules) -> Message | None:
    """That what was asked for contradicts the round or itself."""
    event, rule = problem.event, rules[0] if len(rules) == 1 else None
    if isinstance(rule, ForcedBye) and not problem.state.odd:
        return message(
            "clash.even_field", name=event.shown[rule.player], players=len(problem)
        )
    if isinstance(rule, ForcedPairs):
        distinct = {frozenset(pair) for pair in rule.players}
        times = Counter(p for pair in distinct for p in pair)
        twice = [event.shown[p] for p, count in times.items() if count > 1]
        return message("clash.forced_twice", who=twice) if twice else None
    return None


def _because(
    problem: Problem, rule: Constraint | int, clash: Sequence[int] = ()
) -> Message:
    """A rule that clashes, and what the players have in common under it, where it can say."""
    if isinstance(rule, int):
        return message("clash.because_lookahead", rounds=rule)
    words = rule.describe().rstrip(".")
    if rule.option is not None:
        return message("clash.because_wish", wish=_rule(rule), words=words)
    if common := rule.in_common(problem.state, clash) if clash else "":
        return message(
            "clash.because_common", rule=rule.kind, words=words, common=common
        )
    return message("clash.because", rule=rule.kind, words=words)


def _help(rules: Sequence[Constraint | int]) -> Message:
    """Without which rules there is a pairing."""
    kinds = [rule for rule in rules if not isinstance(rule, int)]
    wishes = [_rule(rule) for rule in kinds if rule.option is not None]
    own = [_rule(rule) for rule in kinds if rule.option is None]
    if len(kinds) < len(rules):
        own.append(Value("clash.no_lookahead", {}))
    if own and wishes:
        return message("clash.without_with", wishes=wishes, own=own)
    return (
        message("clash.without", wishes=wishes)
        if wishes
        else message("clash.with", own=own)
    )


def _rule(rule: Constraint) -> Value:
    """A rule as a value: a wish by its name, a rule of the model with what it says."""
    if rule.option is not None:
        return Value(WISHES[rule.kind], {})
    words = rule.describe().rstrip(".")
    return Value("clash.relaxed", {"rule": rule.kind, "words": words})
