"""Solve: the bye, then the brackets from the top, each at its best quality, then its first pairing.

Brackets are solved as in the Dutch System; only the order of their pairings is another one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pairopt.budget import TimeUpError
from pairopt.engines.base import Options, Settle, Solution
from pairopt.event.arcs import BYE, Arcs, IntArray, arcs_of
from pairopt.fide.burstein import order
from pairopt.fide.burstein.pairing import first_pairing
from pairopt.fide.burstein.system import BYE_WORDS, Burstein
from pairopt.fide.dutch.field import RoundField, field_of
from pairopt.fide.dutch.solve import brackets_paired, sided
from pairopt.problem.problem import Problem


def solve(problem: Problem, system: Burstein, options: Options, settle: Settle) -> Solution:
    """Pair the round; see `Solution` for what comes back."""
    try:
        everybody = field_of(problem, system, first_pairing, settle, options.budget)
        byes = _byes(everybody, system)
        if byes is None:
            return Solution("infeasible", None, ())
        rest, columns = system.without(byes)
        arcs, proven = brackets_paired(_others(everybody, rest, byes))
    except TimeUpError:
        return Solution("unknown", None, (None,) * len(system.levels))
    bounds = np.zeros(len(system.levels), np.object_)
    if len(byes):
        bounds[: len(BYE_WORDS)] = system.bye_costs()[byes[0]]
    bounds[columns] = _bounds(rest, arcs, proven)
    player = system.ranking.player[byes]
    arcs = arcs_of(np.append(arcs.first, player), np.append(arcs.second, np.full(len(byes), BYE)))
    arcs = sided(problem, arcs, problem.state.fide_by_opposition)
    return Solution("optimal", arcs, tuple(bounds.tolist()))


def _byes(field: RoundField, system: Burstein) -> IntArray | None:
    """Who has the bye (article 3.1), or nobody; None where not all can be paired."""
    everybody = np.arange(len(field.ranking))
    if not field.ranking.odd:
        return everybody[:0] if field.complete(everybody, False) else None
    for rank in np.lexsort(system.bye_costs().T[::-1]).tolist():
        if field.may_bye[rank] and field.complete(np.delete(everybody, rank), False):
            return np.array([rank])
    return None


def _others(field: RoundField, rest: Burstein, byes: IntArray) -> RoundField:
    """The field without who has the bye."""
    kept = np.delete(np.arange(len(field.ranking)), byes)
    return replace(
        field, system=rest, legal=field.legal[np.ix_(kept, kept)], may_bye=field.may_bye[kept],
        bye_group=len(rest.ranking.scores),
    )  # fmt: skip


def _bounds(system: Burstein, arcs: Arcs, proven: list[list[int]]) -> list[int]:
    """The values of all levels: quality as proven, order that of the pairings found first."""
    a, b = system.ranking.pairs(arcs)
    made = []
    for s, values in enumerate(proven):
        place = sum(amount for _, amount in order.shares(system.ranking, s, a, b))
        made += [*values, place]
    return made
