"""Diagnosis: why no pairing satisfies the constraints, in words, and what would help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from pairopt.budget import Budget, TimeUpError
from pairopt.engines import DEFAULT, solve_by
from pairopt.engines.base import Options
from pairopt.problem.problem import Problem
from pairopt.proof.clash import (
    Legality,
    PlayersClash,
    fewest,
    find_clash,
    helpful,
    legality_of,
    remembered,
)
from pairopt.rules.base import Constraint
from pairopt.rules.constraints.asked_for import ForcedBye, ForcedPairs
from pairopt.wording import listed

MOST_WAYS = 4
MOST_PLAYERS = 500
"""Up to so many players all pairs are looked at, to say which players clash."""
IN_TIME = "which rules clash was not found within the time limit"
HELP_IN_TIME = "what would help was not found within the time limit"
RuleOrRounds = TypeVar("RuleOrRounds", Constraint, Constraint | int)


@dataclass(frozen=True, slots=True)
class Clash:
    """Why nothing fits: under these rules, these players cannot all be paired.

    Take any one of the rules or players away and they can. There are no fewer such rules, but
    there may be fewer such players. With a lookahead, or in a very large field, all are named.
    """

    rules: tuple[str, ...]
    players: tuple[str, ...]


def why_infeasible(problem: Problem, options: Options) -> tuple[Clash | None, tuple[str, ...]]:
    """A clash of rules and players, and sentences on it and on what would help.

    The rules are as few as can be; of the players none can be left out. None, and a sentence
    that says so, where the time is up before it is found.
    """
    n, rounds = len(problem), problem.lookahead
    said = f"no pairing of the {n} players satisfies the constraints"
    try:
        if n > MOST_PLAYERS:
            return _rules_only(problem, options.budget, said)
        legality = legality_of(problem, options.budget)
        covers = remembered(legality.covers)
        clash = find_clash(legality, covers)
        if clash is None:
            more = "1 more round" if rounds == 1 else f"{rounds} more rounds"
            said = f"no pairing of the {n} players leaves room for {more} without a rematch"
            return _rules_only(problem, options.budget, said)
    except TimeUpError:
        return None, (said, IN_TIME)
    reasons = [_who(problem, legality, clash)]
    reasons += [f"because of {_name(rule)}{_detail(problem, rule, clash)}" for rule in clash.rules]
    reasons += _helps(legality.active, covers)
    names = tuple(problem.state.names[p] for p in clash.players)
    return Clash(tuple(rule.kind for rule in clash.rules), names), tuple(reasons)


def _rules_only(problem: Problem, budget: Budget, said: str) -> tuple[Clash, tuple[str, ...]]:
    """The clash of rules alone, all players in it: with a lookahead, or in a very large field.

    Raises TimeUpError.
    """
    every: list[Constraint | int] = [*problem.constraints]
    every += [problem.lookahead] * bool(problem.lookahead)

    possible = remembered(partial(_possible, problem, budget=budget))
    rules = fewest(every, possible)
    reasons = [said, *(f"because of {_name(rule)}" for rule in rules), *_helps(every, possible)]
    kinds = tuple("lookahead" if isinstance(rule, int) else rule.kind for rule in rules)
    return Clash(kinds, problem.state.names), tuple(reasons)


def _helps(
    rules: Sequence[RuleOrRounds], possible: Callable[[Sequence[RuleOrRounds]], bool]
) -> list[str]:
    """What would help, or that the time was up."""
    try:
        return [_help(left_out) for left_out in helpful(rules, possible)[:MOST_WAYS]]
    except TimeUpError:
        return [HELP_IN_TIME]


def _possible(problem: Problem, rules: Sequence[Constraint | int], budget: Budget) -> bool:
    """Whether there is a pairing under these rules, a number being a lookahead.

    Raises TimeUpError.
    """
    constraints = tuple(rule for rule in rules if not isinstance(rule, int))
    ahead = sum(rule for rule in rules if isinstance(rule, int))
    easier = replace(
        problem, constraints=constraints, criteria=(), labels=(), system=None,
        model=replace(problem.model, lookahead=ahead),
    )  # fmt: skip
    found = solve_by(DEFAULT, easier, Options(budget=budget))
    if found.arcs is None and found.status != "infeasible":
        raise TimeUpError
    return found.arcs is not None


def _who(problem: Problem, legality: Legality, clash: PlayersClash) -> str:
    """The players who cannot all be paired, and whom they may meet."""
    state, n, players = problem.state, len(problem), sorted(clash.players, key=_listing(problem))
    said = _impossible_option(problem, clash)
    if said:
        return said
    names = listed([state.shown[p] for p in players])
    opponents = legality.opponents(clash.rules)
    among = set(players)
    reached = set().union(*(opponents[p] for p in players))
    if len(players) == 1:
        return f"{names} has no opponent left" + (" and cannot have the bye" if state.odd else "")
    bye = state.odd and not opponents[n]
    if bye and len(players) == n:
        return f"nobody can have the bye: {names}"
    others = sorted(reached - among - {n}, key=_listing(problem))
    groups = ["each other"] if reached & among else []
    groups += [listed([state.shown[p] for p in others])] if others else []
    meets = f"they may meet only {' and '.join(groups)}" if groups else "they may meet nobody"
    alone = "" if reached & among else ", and not each other"
    if state.odd:
        takers = [state.shown[p] for p in players if n in opponents[p]]
        alone += f"; of them the bye can go to {listed(takers) if takers else 'nobody'}"
    return f"these {len(players)} cannot all be paired: {names}: {meets}{alone}"


def _impossible_option(problem: Problem, clash: PlayersClash) -> str | None:
    """A sentence on an option that contradicts the round or itself."""
    event = problem.event
    if len(clash.rules) != 1:
        return None
    (rule,) = clash.rules
    if isinstance(rule, ForcedBye) and not problem.state.odd:
        who = event.shown[rule.player]
        return f"{who} cannot have the bye: {len(problem)} players are an even number"
    if isinstance(rule, ForcedPairs):
        distinct = {frozenset(pair) for pair in rule.players}
        times = Counter(p for pair in distinct for p in pair)
        twice = [event.shown[p] for p, count in times.items() if count > 1]
        return f"{listed(twice)} cannot meet two players in one round" if twice else None
    return None


def _detail(problem: Problem, rule: Constraint, clash: PlayersClash) -> str:
    """What the players of a clash have in common under a rule, where it can say."""
    common = rule.in_common(problem.state, clash.players)
    return f": {common}" if common else ""


def _help(rules: Sequence[Constraint | int]) -> str:
    """What leaving out rules takes on the command line."""
    kinds = [rule for rule in rules if not isinstance(rule, int)]
    with_ = [f"--relax {rule.kind}" for rule in kinds if rule.option is None]
    with_ += ["--lookahead 0" for rule in rules if isinstance(rule, int)]
    without = [_named(rule) for rule in kinds if rule.option is not None]
    both = [f"without {' and '.join(without)}"] * bool(without)
    both += [f"with {' '.join(with_)}"] * bool(with_)
    return f"{' and '.join(both)} there is a pairing"


def _listing(problem: Problem) -> Callable[[int], int]:
    """The key that sorts players in players.csv order."""
    return lambda p: int(problem.state.player[p])


def _name(rule: Constraint | int) -> str:
    if isinstance(rule, int):
        return f"lookahead = {rule}"
    return f"{_named(rule)} ({rule.describe().rstrip('.')})"


def _named(rule: Constraint) -> str:
    return rule.kind if rule.option is None else f"--{rule.option.replace('_', '-')}"
