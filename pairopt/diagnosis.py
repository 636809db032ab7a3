"""Diagnosis: why no pairing satisfies the constraints, in words, and what would help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from pairopt.clash import Clash, Legality, Rules, find_clash, helpful, legality_of
from pairopt.constraints import Constraint
from pairopt.constraints.forced_bye import ForcedBye
from pairopt.constraints.forced_pairs import ForcedPairs
from pairopt.constraints.lookahead import Lookahead
from pairopt.engines import load_engine
from pairopt.engines.base import Options
from pairopt.problem import Problem

MOST_NAMES = 12
MOST_WAYS = 4
MOST_PLAYERS = 500
"""Up to so many players all pairs are looked at, to say which players clash."""


def why_infeasible(
    problem: Problem, options: Options, engine: str
) -> tuple[Clash, tuple[str, ...]]:
    """A smallest clash of rules and players, and sentences on it and on what would help."""
    n, rounds = len(problem), problem.lookahead
    if n > MOST_PLAYERS:
        said = f"no pairing of the {n} players satisfies the constraints"
        return _rules_only(problem, options, engine, said)
    legality = legality_of(problem)
    clash = find_clash(legality)
    if clash is None:
        more = "1 more round" if rounds == 1 else f"{rounds} more rounds"
        said = f"no pairing of the {n} players leaves room for {more} without a rematch"
        return _rules_only(problem, options, engine, said)
    reasons = [_who(problem, legality, clash)]
    reasons += [f"because of {_name(rule)}{_detail(problem, rule, clash)}" for rule in clash.rules]
    reasons += [_help(left_out) for left_out in helpful(legality)[:MOST_WAYS]]
    return clash, tuple(reasons)


def _rules_only(
    problem: Problem, options: Options, engine: str, said: str
) -> tuple[Clash, tuple[str, ...]]:
    """The clash of rules alone, all players in it: with a lookahead, or in a very large field."""
    plain = replace(options, objective="lexicographic", progress=None)
    every = problem.constraints

    def possible(rules: Rules) -> bool:
        easier = replace(problem, constraints=rules, criteria=(), labels=())
        return load_engine(engine).solve(easier, plain).arcs is not None

    rules = every
    for rule in every:
        fewer = tuple(other for other in rules if other != rule)
        rules = rules if possible(fewer) else fewer
    helps = [rule for rule in every if possible(tuple(r for r in every if r != rule))]
    reasons = [said, *(f"because of {_name(rule)}" for rule in rules)]
    reasons += [_help((rule,)) for rule in helps]
    return Clash(rules, tuple(range(len(problem)))), tuple(reasons)


def _who(problem: Problem, legality: Legality, clash: Clash) -> str:
    """The players who cannot all be paired, and whom they may meet."""
    state, n, players = problem.state, len(problem), sorted(clash.players, key=_listing(problem))
    said = _impossible_option(problem, clash)
    if said:
        return said
    names = _listed([state.names[p] for p in players])
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
    groups += [_listed([state.names[p] for p in others])] if others else []
    meets = f"they may meet only {' and '.join(groups)}" if groups else "they may meet nobody"
    alone = "" if reached & among else ", and not each other"
    if state.odd:
        takers = [state.names[p] for p in players if n in opponents[p]]
        alone += f"; of them the bye can go to {_listed(takers) if takers else 'nobody'}"
    return f"these {len(players)} cannot all be paired: {names}: {meets}{alone}"


def _impossible_option(problem: Problem, clash: Clash) -> str | None:
    """A sentence on an option that contradicts the round or itself."""
    event = problem.state.event
    if len(clash.rules) != 1:
        return None
    (rule,) = clash.rules
    if isinstance(rule, ForcedBye) and not problem.state.odd:
        who = event.players[rule.player]
        return f"{who} cannot have the bye: {len(problem)} players are an even number"
    if isinstance(rule, ForcedPairs):
        distinct = {frozenset(pair) for pair in rule.players}
        times = Counter(p for pair in distinct for p in pair)
        twice = [event.players[p] for p, count in times.items() if count > 1]
        return f"{_listed(twice)} cannot meet two players in one round" if twice else None
    return None


def _detail(problem: Problem, rule: Constraint, clash: Clash) -> str:
    """What the players of a clash have in common under a rule, where it can say."""
    common = rule.in_common(problem.state, clash.players)
    return f": {common}" if common else ""


def _help(rules: Rules) -> str:
    """What leaving out rules takes on the command line."""
    relax = [f"--relax {rule.kind}" for rule in rules if rule.option is None]
    drop = [rule.option for rule in rules if rule.option is not None]
    both = [f"without {' and '.join(drop)}"] * bool(drop) + [f"with {' '.join(relax)}"] * bool(
        relax
    )
    return f"{' and '.join(both)} there is a pairing"


def _listing(problem: Problem) -> Callable[[int], int]:
    """The key that sorts players in players.csv order."""
    return lambda p: int(problem.state.player[p])


def _name(rule: Constraint) -> str:
    if isinstance(rule, Lookahead):
        return f"lookahead = {rule.rounds}"
    return f"{rule.option or rule.kind} ({rule.describe().rstrip('.')})"


def _listed(names: list[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
