"""Forbidden pairs: those that a graph of few groups lacks, counted by inclusion and exclusion.

If nobody had met, many players would be exchangeable, and easy to count. The pairings that avoid
all forbidden pairs are the sum over all sets of disjoint ones of (-1) to their number times the
pairings of the players left. (Forbidden may be one of the two ways round of a pair: each factor -1
is the number of ways that are missing.) Only how many players a set takes from each group matters,
so the sets are added up by that, one connected part of their graph after the other.

Groups are settled in their order. A state is what the equations have got, and for each group to
come how many of its players are taken by forbidden pairs, and how many have opponents in groups
before. Who of the group these are is said when the group's turn comes: in (n - taken)! / (n - taken
- met)! ways.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import comb, factorial, perm
from operator import add
from typing import Any

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.odd_sets import component_of
from pairopt.event.arcs import IntArray
from pairopt.sampling.optimal_pairings import PairingComponent
from pairopt.sampling.state_table import GroupMatch, StateLayout

MOST_STATES = 2_000_000  # states held at a time: half a gigabyte
Signed = dict[
    int, int
]  # states, or what is added to a state, and a signed number for each
_Sum = tuple[tuple[int, int], ...]  # the same, sorted
_Filed = tuple[int, _Sum]
"""The first group that is touched by sets of forbidden pairs, and what they add up to."""
Forbidden = dict[int, dict[int, tuple[int, int]]]
"""For each player the other ends of forbidden pairs: what one adds to a state, and its factor."""


@dataclass(frozen=True)
class _StateFields:
    """Where in a state's integer its numbers are: bits for each group, twice, and equation. What is
    more than a total, once the `room` above all totals is added, sets a bit of `guards`.
    """

    taken: tuple[int, ...]
    met: tuple[int, ...]
    masks: tuple[int, ...]
    sums: tuple[int, ...]
    totals: tuple[int, ...]
    room: int
    guards: int

    @staticmethod
    def of(layout: StateLayout, totals: tuple[int, ...]) -> "_StateFields":
        """Fields wide enough for all players of each group, and twice each total."""
        bits = [len(members).bit_length() + 1 for members in layout.groups]
        wide = [
            *(2 * each for each in bits),
            *(total.bit_length() + 1 for total in totals),
        ]
        at = (*accumulate(wide, initial=0),)
        taken, sums = at[: len(bits)], at[len(bits) : -1]
        met, masks = (
            tuple(map(add, taken, bits)),
            tuple((1 << each) - 1 for each in bits),
        )
        guards = [
            1 << at + total.bit_length() for at, total in zip(sums, totals, strict=True)
        ]
        room = sum(guards) - sum(
            (total + 1) << at for at, total in zip(sums, totals, strict=True)
        )
        return _StateFields(taken, met, masks, sums, totals, room, sum(guards))

    def paid(self, costs: list[int]) -> int | None:
        """What a match adds to the equations; None where that is too much for any pairing."""
        if any(cost > total for cost, total in zip(costs, self.totals, strict=True)):
            return None
        return sum(cost << at for cost, at in zip(costs, self.sums, strict=True))

    def fit(self, state: int) -> bool:
        """Whether no equation has got more than its total, of which none got more than twice."""
        return not state + self.room & self.guards


class TooManyStepsError(Exception):
    """The count would take longer than is allowed."""


class StepLimit:
    """The steps and the time still allowed, and how many states may be held at a time."""

    def __init__(self, left: int, budget: Budget) -> None:
        self.left, self.budget = left, budget

    def take(self, steps: int, states: int = 0) -> None:
        """Raises TimeUpError, or TooManyStepsError for too few steps left or too many states."""
        self.budget.check()
        self.left -= steps
        if self.left < 0 or states > MOST_STATES:
            raise TooManyStepsError


def count_by_forbidden(
    component: PairingComponent,
    relaxed: StateLayout,
    most_steps: int,
    budget: Budget = Budget(),
) -> int | None:
    """The number of pairings, None where it takes more steps than that. Raises TimeUpError."""
    try:
        return count_within_steps(component, relaxed, StepLimit(most_steps, budget))
    except TooManyStepsError:
        return None


def count_within_steps(
    component: PairingComponent, relaxed: StateLayout, steps: StepLimit
) -> int:
    """The same. Raises TooManyStepsError where it would take more steps, and TimeUpError."""
    counting = _InclusionExclusion(component, relaxed, steps)
    return counting.summed(
        0, [counting.filed(part) for part in _parts(counting.forbidden())]
    )


def pairs_by_forbidden(
    component: PairingComponent,
    relaxed: StateLayout,
    most_steps: int,
    budget: Budget = Budget(),
) -> IntArray | None:
    """How many of the component's pairings hold each pair, shape (k, k), Python's integers: each is
    forced in turn, and what is left counted once for all pairs that leave the same. None where it
    would take more steps than that. Raises TimeUpError.
    """
    counting = _InclusionExclusion(component, relaxed, StepLimit(most_steps, budget))
    fields, group = counting.fields, counting.group
    held = np.zeros(component.code.shape, object)
    numbers: dict[tuple[int, tuple[_Filed, ...]], int] = {}
    try:
        parts = _parts(counting.forbidden())
        filed = [counting.filed(part) for part in parts]
        part_of = {player: k for k, part in enumerate(parts) for player in part}
        left: dict[tuple[int, frozenset[int]], list[_Filed]] = {}
        for a, b in np.argwhere(np.triu(component.code)).tolist():
            kind = component.code[a, b]
            if (paid := fields.paid(component.cost[kind].tolist())) is None:
                continue
            touched = {part_of[player] for player in (a, b) if player in part_of}
            sets = [each for k, each in enumerate(filed) if k not in touched]
            for k in touched:
                gone = frozenset({a, b} & parts[k].keys())
                if (k, gone) not in left:
                    left[k, gone] = [
                        *map(counting.filed, _parts(_without(parts[k], gone)))
                    ]
                sets += left[k, gone]
            start = paid + (1 << fields.taken[group[a]]) + (1 << fields.taken[group[b]])
            key = start, tuple(sorted(sets))
            if key not in numbers:
                numbers[key] = counting.summed(start, sets)
            held[a, b] = held[b, a] = numbers[key] * int(component.ways[kind])
    except TooManyStepsError:
        return None
    return held


class _InclusionExclusion:
    """What is counted, in the groups of a layout, and in how many steps."""

    def __init__(
        self, component: PairingComponent, layout: StateLayout, steps: StepLimit
    ) -> None:
        self.component, self.layout, self.steps = component, layout, steps
        self.fields = _StateFields.of(layout, component.totals)
        self.group = {
            player: g for g, members in enumerate(layout.groups) for player in members
        }

    def summed(self, start: int, sets: Sequence[_Filed]) -> int:
        """The number of pairings of the players left at the start, by sets of forbidden pairs."""
        waiting: dict[int, list[_Sum]] = defaultdict(list)
        for first, part in sets:
            waiting[first].append(part)
        states: Signed = {start: 1}
        for group in range(len(self.layout.groups)):
            states = self._product(states, self._together(waiting[group]))
            states = self._settled(group, states)
        return states.get(self.fields.paid(list(self.fields.totals)) or 0, 0)

    def _settled(self, group: int, states: Signed) -> Signed:
        """The states after all players of a group have opponents, one kind after the other."""
        component, layout, fields = self.component, self.layout, self.fields
        members, mask = layout.groups[group], fields.masks[group]
        n, taken_at, met_at = len(members), fields.taken[group], fields.met[group]
        now = defaultdict[tuple[int, int], int](
            int
        )  # the rest of a state, and the players left
        for state, number in states.items():
            taken, met = state >> taken_at & mask, state >> met_at & mask
            if taken + met <= n:
                rest = state - (taken << taken_at) - (met << met_at)
                now[rest, n - taken - met] += number * perm(n - taken, met)
        kinds = [
            (self._reach(group, option), option) for option in layout.options(group)
        ]
        kinds.sort(key=lambda kind: kind[0])  # the last takes all that are left
        for k, (reach, option) in enumerate(kinds):
            after = defaultdict[tuple[int, int], int](int)
            kind = component.relaxed[members[0], layout.groups[option.partner][-1]]
            added = fields.paid(component.cost[kind].tolist()) or 0
            each = 2 if option.inside else 1
            at, wide = fields.met[option.partner], fields.masks[option.partner]
            added += 0 if option.inside else 1 << at
            full = len(layout.groups[option.partner])
            last = k == len(kinds) - 1
            for (state, left), number in now.items():
                fewest = (
                    left // each if last else 0
                )  # an odd one is left over, and dropped
                highest = min(reach, left // each, full - (state >> at & wide))
                if highest < fewest:
                    continue
                self.steps.take(highest - fewest + 1, len(after))
                ways = _count_ways(left, highest, each, option.ways)
                for x in range(fewest, highest + 1):
                    if not fields.fit(state + x * added):
                        break
                    after[state + x * added, left - each * x] += number * ways[x]
            now = after
        return {
            state: number
            for (state, left), number in now.items()
            if number and not left
        }

    def _reach(self, group: int, option: GroupMatch) -> int:
        one, two = self.layout.groups[group], self.layout.groups[option.partner]
        kind = self.component.relaxed[one[0], two[-1]]
        costs: list[int] = self.component.cost[kind].tolist()
        reach = len(one) // 2 if option.inside else min(len(one), len(two))
        both = zip(costs, self.fields.totals, strict=True)
        return min([reach, *(total // cost for cost, total in both if cost)])

    def forbidden(self) -> Forbidden:
        component, taken, near = (
            self.component,
            self.fields.taken,
            defaultdict[int, Any](dict),
        )
        for a, b in np.argwhere(np.triu(component.missing)).tolist():
            paid = self.fields.paid(component.cost[component.relaxed[a, b]].tolist())
            if paid is not None:
                added = paid + (1 << taken[self.group[a]]) + (1 << taken[self.group[b]])
                near[a][b] = near[b][a] = added, -int(component.missing[a, b])
        return near

    def filed(self, part: Forbidden) -> _Filed:
        """The sets of disjoint pairs of a part, added up, and the first group that they touch."""
        added_up = self._matchings(part)
        return min(self.group[player] for player in part), tuple(
            sorted(added_up.items())
        )

    def _matchings(self, near: Forbidden) -> Signed:
        """The sets of disjoint forbidden pairs of one connected part, player by player."""
        order = _outwards(near)
        bit = {player: 1 << k for k, player in enumerate(order)}
        states: dict[tuple[int, int], int] = {(0, 0): 1}
        for player in order:
            own, following = bit[player], Counter[tuple[int, int]]()
            later = [
                (bit[o], *pair) for o, pair in near[player].items() if bit[o] > own
            ]
            for (used, state), number in states.items():
                following[used & ~own, state] += number
                if used & own:
                    continue
                self.steps.take(1 + len(later), len(following))
                for other, added, factor in later:
                    if not used & other and self.fields.fit(state + added):
                        following[used | other, state + added] += factor * number
            states = following
        return {state: number for (_, state), number in states.items() if number}

    def _product(self, one: Signed, two: Signed) -> Signed:
        few, many = sorted((one, two), key=len)
        both = defaultdict[int, int](int)
        for b, n in few.items():
            self.steps.take(len(many), len(both))
            for a, m in many.items():
                if self.fields.fit(a + b):
                    both[a + b] += m * n
        return {state: number for state, number in both.items() if number}

    def _together(self, parts: list[_Sum]) -> Signed:
        """The product of parts: of the same ones first, which stays small, of the largest last."""
        powers = []
        for part, times in Counter(parts).items():
            power: Signed = {0: 1}
            for _ in range(times):
                power = self._product(power, dict(part))
            powers.append(power)
        whole: Signed = {0: 1}
        for power in sorted(powers, key=len):
            whole = self._product(whole, power)
        return whole


@cache
def _count_ways(left: int, most: int, each: int, sides: int) -> list[int]:
    """In how many ways 0, 1, ... `most` matches take `each` (2 inside a group) of those left."""
    found = []
    for x in range(most + 1):
        ways = comb(left, each * x) * sides**x
        found.append(
            ways * (factorial(2 * x) // (factorial(x) << x)) if each == 2 else ways
        )
    return found


def _without(near: Forbidden, gone: frozenset[int]) -> Forbidden:
    kept = (player for player in near if player not in gone)
    rest = (
        (p, {o: pair for o, pair in near[p].items() if o not in gone}) for p in kept
    )
    return {player: others for player, others in rest if others}


def _parts(near: Forbidden) -> list[Forbidden]:
    who, parts = sorted(near), defaultdict[int, Forbidden](dict)
    ends = np.array([(p, other) for p in who for other in near[p]], np.int64).reshape(
        -1, 2
    )
    part = component_of(len(who), *np.searchsorted(who, ends.T)).tolist()
    for p, number in zip(who, part, strict=True):
        parts[number][p] = near[p]
    return [*parts.values()]


def _outwards(near: Forbidden) -> list[int]:
    """The players of a connected part, who opens least first; who may meet few come last."""
    last = {
        player: None for player, others in near.items() if 2 * len(others) > len(near)
    }
    rest = _without(near, frozenset(last))
    alone = [player for player in near if player not in rest and player not in last]
    return [
        *alone,
        *(player for part in _parts(rest) for player in _along(part)),
        *last,
    ]


def _along(near: Forbidden) -> list[int]:
    order, done, open_ = (
        [min(near, key=lambda p: (len(near[p]), p))],
        set[int](),
        set[int](),
    )
    while True:
        done.add(order[-1])
        open_ = (open_ | near[order[-1]].keys()) - done
        if not open_:
            return order
        opens = {p: len(near[p].keys() - open_ - done) for p in open_}
        order.append(min(open_, key=lambda p: (opens[p], p)))
