"""Solve: the brackets from the top, each at its best quality, then its first candidate."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pairopt.common.budget import TimeUpError
from pairopt.engines.base import EngineOptions, LevelMinimizer, Solution, Status
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of
from pairopt.event.fide_attributes import FideAttributes
from pairopt.fide.dutch.bracket_pairs import (
    BracketPairs,
    RankPairs,
    is_member,
    matches_values,
)
from pairopt.fide.dutch.bracket_system import BracketSystem, PairedBracket
from pairopt.fide.dutch.candidate_order import perfect_candidate
from pairopt.fide.dutch.completion import CompletionField, build_completion_field
from pairopt.fide.dutch.criteria import bracket_costs
from pairopt.fide.dutch.first_candidate import is_first, is_first_of_all
from pairopt.problem.problem import Problem
from pairopt.problem.system import SystemAgreement
from pairopt.rules.constraints.preferences import has_first_side


class ProvenBracket(NamedTuple):
    """The pairs of a bracket, its best values of quality, and whether they are shown to be the
    first that have these.
    """

    pairs: RankPairs
    values: list[int]
    first: bool


class BracketwiseSystem(BracketSystem):
    """A system whose brackets are paired here, one after the other."""

    @abstractmethod
    def given_bye(self, field: CompletionField) -> CompletionField | None:
        """An odd field with its bye; None where nobody can have it or not all can be paired."""

    def with_bye(self, field: CompletionField) -> CompletionField | None:
        """The same of any field."""
        if field.ranking.odd:
            return self.given_bye(field)
        return field if field.complete(np.arange(len(field.ranking)), False) else None

    def solve(
        self, problem: Problem, options: EngineOptions, settle: LevelMinimizer
    ) -> Solution:
        try:
            if (
                field := self.with_bye(
                    build_completion_field(problem, self, settle, options.budget)
                )
            ) is None:
                return Solution("infeasible", None, ())
            arcs, proven = pair_brackets(field)
        except TimeUpError:
            return Solution("unknown", None, (None,) * len(self.levels))
        outside = np.setdiff1d(self.ranking.player, field.ranking.player)
        byes = np.full(len(outside), BYE)
        arcs = arcs_of(np.append(arcs.first, outside), np.append(arcs.second, byes))
        rest, columns, own = self.apart(arcs)
        bounds = np.zeros(
            len(self.levels), np.object_
        )  # a group of the bye alone has no bracket
        bounds[: len(field.bye_bounds)] = field.bye_bounds
        bounds[columns[rest.starts[0] :]] = _bounds(rest, arcs.take(own), proven)
        arcs = assign_sides(problem, arcs, self.facts(problem.state))
        status: Status = "feasible" if None in bounds else "optimal"
        return Solution(status, arcs, tuple(bounds.tolist()))

    def agreeing(
        self,
        problem: Problem,
        options: EngineOptions,
        settle: LevelMinimizer,
        arcs: Arcs,
        start: int | None = None,
    ) -> SystemAgreement:
        field = self.with_bye(
            build_completion_field(problem, self, settle, options.budget)
        )
        rest, _, own = self.apart(arcs)
        if field is None or not np.array_equal(
            rest.ranking.player, field.ranking.player
        ):
            return SystemAgreement(0, False)
        ranking = field.ranking
        a, b = ranking.pairs(arcs.take(own))
        if (ranking.group[a[b == len(ranking)]] != field.bye_group).any():
            return SystemAgreement(0, False)
        below, agreed = ranking.group_of(b), 0
        order = sorted(
            range(len(ranking.scores)), key=lambda s: ranking.scores[s] != start
        )
        for s in order:
            above, here = below < s, below == s
            left = np.setdiff1d(np.arange(len(ranking)), np.append(a[above], b[above]))
            shown = _bracket(
                field, s, left
            )  # None: those who are left by the pairs above
            made = (
                []
                if shown is None
                else np.sort(np.column_stack(shown.pairs), axis=1).tolist()
            )
            told = {*zip(a[here].tolist(), b[here].tolist(), strict=True)}
            paired = {*map(tuple, made)}
            agreed += len(paired & told)
            if shown is None or paired != told:
                return SystemAgreement(agreed, False, ranking.scores[s])
        return SystemAgreement(len(arcs), True)


def _bounds(
    system: BracketSystem, arcs: Arcs, proven: list[ProvenBracket]
) -> list[int | None]:
    """The values of all brackets: quality as settled, order where it is shown to be the first."""
    a, b = system.ranking.pairs(arcs)
    made = list[int | None]()
    for s, bracket in enumerate(proven):
        made += bracket.values
        made += (
            system.order_parts(s, a, b) if bracket.first else [None] * len(system.parts)
        )
    return made


def assign_sides(problem: Problem, arcs: Arcs, fide: FideAttributes) -> Arcs:
    """The arcs with their sides: by article 5, or the other way where only that is legal."""
    arcs = arcs.turned(arcs.match & ~has_first_side(fide, arcs.first, arcs.second))
    return arcs.turned(~problem.legal(arcs))


def pair_brackets(field: CompletionField) -> tuple[Arcs, list[ProvenBracket]]:
    ranking = field.ranking
    left, proven = np.arange(len(ranking)), []
    made = [(left[:0], left[:0])]
    for s in range(len(ranking.scores)):
        found = _bracket(field, s, left)
        assert found is not None  # all can be paired
        made.append(found.pairs)
        proven.append(found)
        left = left[~is_member(left, np.concatenate(found.pairs))]
    one = np.concatenate([a for a, _ in made])
    two = np.concatenate([b for _, b in made])
    first = ranking.player[np.append(one, left)]
    return arcs_of(
        first, np.append(ranking.player[two], np.full(len(left), BYE))
    ), proven


def _bracket(field: CompletionField, s: int, left: IntArray) -> ProvenBracket | None:
    """The pairs of the bracket of group `s`, and what is proven of it; None where not all who are
    left can be paired. Those below are left out, then stood for by seats: a relaxation, exact where
    it leaves the others complete (C4, C8).
    """
    group = field.ranking.group[left]
    members, below = left[group <= s], left[group > s]
    odd = field.ranking.odd
    if (
        found := _pair_perfect_bracket(field, s, members, below)
    ) is not None and field.bye_group == s:
        return found
    if field.bye_group > s:
        found = found or _pair_relaxed_bracket(
            field, s, members, members[:0], len(below) + odd
        )
        if found is not None:
            floaters = members[~is_member(members, np.concatenate(found.pairs))]
            if field.next_at_best(s, floaters, below):
                values = _with_next_group(field, s, found.values, len(floaters), below)
                return found._replace(values=values)
    if field.bye_group > s + 1:
        following, rest = left[group == s + 1], left[group > s + 1]
        found = _pair_relaxed_bracket(
            field, s, members, following, len(rest) + odd, completing=rest
        )
        if found is not None:
            return found
    return _pair_relaxed_bracket(field, s, members, below, 0)


def _pair_perfect_bracket(
    field: CompletionField, s: int, members: IntArray, below: IntArray
) -> ProvenBracket | None:
    """The bracket of residents alone, where its first candidate of all is plainly the best."""
    moved = field.ranking.group[members[:1]] < s
    if (
        not field.system.bracket.by_halves
        or moved.any()
        or field.bye_group < s + (len(below) > 0)
    ):
        return None
    if (pairs := perfect_candidate(field, s, members)) is None:
        return None
    values = [0] * len(field.system.keys[s])
    values[0] = len(members) % 2  # C6
    return ProvenBracket(pairs, values, is_first_of_all(field, s, members, pairs))


def _with_next_group(
    field: CompletionField, s: int, values: list[int], floaters: int, below: IntArray
) -> list[int]:
    keys = [key.criterion for key in field.system.keys[s]]
    if "C8" in keys:
        following = int((field.ranking.group[below] == s + 1).sum())
        values[keys.index("C8")] = (floaters + following) % 2
    return values


def _pair_relaxed_bracket(
    field: CompletionField,
    s: int,
    members: IntArray,
    more: IntArray,
    below: int,
    completing: IntArray | None = None,
) -> ProvenBracket | None:
    """The bracket with `more` of the players below, and seats for the others, `below` of them: as
    the best value is convex in seats taken, a free one shows that there are enough. None where
    there is no such pairing, or where it does not leave `completing` complete.
    """
    seats = min(below, 2 + (len(members) + len(more)) % 2)
    while True:
        block = _at_best_quality(field, s, members, more, seats, below > 0)
        if seats == below or (
            block and (block[0].a[block[0].pairing] > len(field.ranking)).any()
        ):
            break  # one is free
        seats = min(below, 3 * seats)
    if block is None:
        return None
    bracket = field.system.bracket(field.ranking, s, field.settle, field.budget)
    best = _without_free_seats(field, block[0])
    pairs, rest = bracket.first(best)
    if completing is not None:
        sitting = rest.a[rest.pairing][rest.b[rest.pairing] > len(field.ranking)]
        sitting = sitting[sitting < len(field.ranking)]
        everybody = np.sort(np.append(sitting, completing))
        if not field.complete(everybody, field.ranking.odd):
            return None
    sums = field.system.part_sums(s, _make_paired_bracket(field, s, members, pairs))
    return ProvenBracket(pairs, block[1], is_first(bracket, best, sums, (pairs, rest)))


def _make_paired_bracket(
    field: CompletionField, s: int, members: IntArray, pairs: RankPairs
) -> PairedBracket:
    numbered, order = field.system.numbered(members), np.argsort(pairs[0])
    moved = numbered[field.ranking.group[numbered] < s]
    floats = members[~is_member(members, np.concatenate(pairs))]
    return PairedBracket(
        numbered, moved, pairs[0][order], pairs[1][order], np.sort(floats)
    )


def _without_free_seats(field: CompletionField, block: BracketPairs) -> BracketPairs:
    """The block with only the seats that are taken: C6 or C8 says how many there are."""
    above, used = len(field.ranking), block.pairing
    free = used[block.a[used] > above]
    used, gone = used[block.a[used] <= above], np.append(block.a[free], block.b[free])
    taken = replace(
        block, vertices=block.vertices[~is_member(block.vertices, gone)], used=used
    )
    return taken.kept((block.a <= above) & ~is_member(block.b, gone))


def _at_best_quality(
    field: CompletionField,
    s: int,
    members: IntArray,
    more: IntArray,
    seats: int,
    seated: bool,
) -> tuple[BracketPairs, list[int]] | None:
    """The pairs left when all levels of quality are at their best, and their values."""
    n, ranking = len(field.ranking), field.ranking
    players = np.append(members, more)
    a, b = field.pairs_of(players)
    alive = (
        ranking.group[b] >= s
    )  # two moved-down players would have been a pair more above
    a, b = a[alive], b[alive]
    stools = np.arange(n + 1, n + 1 + seats)
    i, j = np.triu_indices(seats, 1)
    ends = [
        (a, b),
        (np.repeat(players, seats), np.tile(stools, len(players))),
        (stools[i], stools[j]),
    ]
    vertices = np.append(players, stools)
    if ranking.odd and not seated:
        takers = field.takers(players)
        ends.append((takers, np.full(len(takers), n)))
        vertices = np.append(vertices, n)
    a, b = (np.concatenate(part) for part in zip(*ends, strict=True))
    keys = field.system.keys[s]
    costs = bracket_costs(ranking, s, keys, a, b, b == n)
    names = np.array([key.criterion for key in keys])
    if not len(more):
        costs[:, names == "C8"] = 0
    block = BracketPairs(np.sort(vertices), a, b, costs[:, :0], np.zeros(0, np.int64))
    if field.bye_group > s or "C9" not in names:
        return _minimize_quality(field, block, costs)
    known = names.tolist().index("C9")
    if (first := _minimize_quality(field, block, costs[:, :known])) is None:
        return None
    if first[1][0] != 1:  # more than one floats: C9 says nothing
        costs[:, known] = 0
    return _minimize_quality(field, block, costs, first[1])


def _minimize_quality(
    field: CompletionField,
    block: BracketPairs,
    costs: IntArray,
    known: Sequence[int] = (),
) -> tuple[BracketPairs, list[int]] | None:
    """The block with levels at their best, and their values; those where no pair counts are 0."""
    count = len(known)
    counts: BoolArray = np.asarray(costs.any(axis=0))
    values = np.array(known, np.int64)[counts[:count]]
    before, after = (
        costs[:, :count][:, counts[:count]],
        costs[:, count:][:, counts[count:]],
    )
    alive = matches_values(before, values)
    start = replace(block, costs=before, values=values).kept(alive)
    if (found := start.settled(after[alive], field.settle, field.budget)) is None:
        return None
    every = np.zeros(costs.shape[1], np.int64)
    every[counts] = found.values
    return found.trimmed(), every.tolist()
