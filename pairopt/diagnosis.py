"""Diagnosis: which rules and players clash when no pairing satisfies the constraints."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from pairopt.arcs import BYE, Arcs, arcs_of
from pairopt.constraints import Constraint
from pairopt.constraints.forced_bye import ForcedBye
from pairopt.constraints.forced_pairs import ForcedPairs
from pairopt.engines import load_engine
from pairopt.engines.base import Options
from pairopt.problem import Problem

MOST_NAMES = 12


def why_infeasible(problem: Problem, options: Options, engine: str) -> tuple[str, ...]:
    """Sentences that name the rules and the players in the way, and what would help."""
    reasons = _impossible_options(problem)
    reasons = reasons or [*_without_opponent(problem), *_without_bye(problem)]
    helpful = [rule for rule in problem.constraints if _helps(problem, rule, options, engine)]
    if not reasons:
        rules = ", ".join(_name(rule) for rule in (helpful or problem.constraints))
        reasons.append(
            f"no pairing of the {len(problem)} players satisfies {rules}; "
            f"fewest opponents left: {_listed(_scarce(problem))}"
        )
    for rule in helpful:
        way = f"leave out {rule.option}" if rule.option else f"--relax {rule.kind}"
        reasons.append(f"without {_name(rule)} there is a pairing: {way}")
    if not helpful and len(problem.constraints) > 1:
        reasons.append("leaving out a single constraint is not enough")
    return tuple(reasons)


def _impossible_options(problem: Problem) -> list[str]:
    """Sentences on options that contradict the round or each other."""
    event, reasons = problem.state.event, []
    for rule in problem.constraints:
        if isinstance(rule, ForcedBye) and not problem.state.odd:
            who = event.players[rule.player]
            reasons.append(
                f"{rule.option} {who}: {len(problem)} players are an even number, "
                "so nobody has a bye"
            )
        if isinstance(rule, ForcedPairs):
            distinct = {frozenset(pair) for pair in rule.players}
            times = Counter(p for pair in distinct for p in pair)
            reasons += [
                f"{rule.option}: {event.players[p]} cannot meet {count} players in one round"
                for p, count in times.items()
                if count > 1
            ]
    return reasons


def _without_opponent(problem: Problem) -> list[str]:
    """A sentence for each player who can meet nobody and cannot have the bye."""
    state, n = problem.state, len(problem)
    opponents = _opponents(problem)
    if state.odd:
        opponents = opponents + problem.legal(_byes(problem))
    reasons = []
    lonely = np.flatnonzero(opponents == 0) if n > 1 else np.zeros(0, np.int64)
    for p in lonely[np.argsort(state.player[lonely])]:
        arcs = _arcs_of_player(problem, int(p))
        rules = [r for r in problem.constraints if not r.legal(state, arcs).all()]
        names = ", ".join(_name(rule) for rule in rules)
        reasons.append(f"{state.names[p]} has no opponent left: {names}")
    return reasons


def _without_bye(problem: Problem) -> list[str]:
    state = problem.state
    if not state.odd or problem.legal(_byes(problem)).any():
        return []
    reasons = []
    for rule in problem.constraints:
        barred = ~rule.legal(state, _byes(problem))
        if barred.any():
            names = [state.event.players[p] for p in np.sort(state.player[barred])]
            reasons.append(f"{_name(rule)} bars {_listed(names)}")
    return [f"nobody can have the bye: {'; '.join(reasons)}"]


def _helps(problem: Problem, rule: Constraint, options: Options, engine: str) -> bool:
    """Whether there is a pairing without this one rule."""
    kept = tuple(other for other in problem.constraints if other != rule)
    easier = replace(problem, constraints=kept, criteria=(), labels=())
    plain = replace(options, objective="lexicographic", progress=None)
    return load_engine(engine).solve(easier, plain).arcs is not None


def _scarce(problem: Problem) -> list[str]:
    """The players with the fewest legal opponents, fewest first."""
    opponents = _opponents(problem)
    order = np.lexsort((problem.state.player, opponents))
    few = order[opponents[order] <= opponents[order[min(2, len(order) - 1)]]]
    return [problem.state.names[p] for p in few]


def _opponents(problem: Problem) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Number of legal opponents of each player."""
    return np.array(
        [
            len(np.unique(arcs.first + arcs.second - p)) if len(arcs) else 0
            for p in range(len(problem))
            for arcs in [_legal(problem, _arcs_of_player(problem, p))]
        ],
        np.int64,
    )


def _legal(problem: Problem, arcs: Arcs) -> Arcs:
    legal = problem.legal(arcs)
    return arcs_of(arcs.first[legal], arcs.second[legal])


def _arcs_of_player(problem: Problem, p: int) -> Arcs:
    others = np.delete(np.arange(len(problem)), p)
    own = np.full(len(others), p)
    return arcs_of(np.concatenate([own, others]), np.concatenate([others, own]))


def _byes(problem: Problem) -> Arcs:
    players = np.arange(len(problem))
    return arcs_of(players, np.full(len(players), BYE))


def _name(rule: Constraint) -> str:
    return f"{rule.kind} ({rule.describe().rstrip('.')})"


def _listed(names: list[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
