"""Complete pairings near a given one, compared by the rules as they are written.

Where there are too many pairings to try all, a pairing that is said to be the best is held
against its neighbours: a few of its matches are taken away and their players matched otherwise.
None of these may be legal and better. A `Yardstick` says which of two pairings is better, from
the oracles alone: `Sums` for criteria that add up over the matches, `Brackets` for FIDE's systems.

Players are numbers from 0, in a field of odd size the bye is one more; a pairing is a list of
pairs, the smaller number first. In the systems players are numbered in the order of their rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from random import Random
from typing import Any, Protocol

import burstein_global
import dutch_global
import networkx as nx
from burstein_round import BursteinRound
from dutch_round import Round
from oracle import Arc, Level, Oracle, Pairing, Vector, magnitude

Pair = tuple[int, int]
Pairs = list[Pair]
FAR, NEAR = 3, 4
"""Every third sampled change is drawn from the whole field, others from so many neighbours."""
READ = (
    "score",
    "points",
    "sides",
    "difference",
    "preference",
    "unplayed",
    "floated",
    "may_bye",
    "may_meet",
    "topscorer",
    "refused",
)
"""What is asked of a system's round again and again, and never changes."""


class Standing(Protocol):
    """A pairing to be compared with others."""

    def better(self, out: Pairs, into: Pairs) -> bool:
        """Whether the pairing is better and legal with the pairs `into` for those of `out`."""


class Yardstick(Protocol):
    """The rules of one round."""

    @property
    def seats(self) -> int:
        """Players, and the bye in a field of odd size."""

    def allowed(self, one: int, two: int) -> bool:
        """Whether the pair is legal."""

    def standing(self, pairs: Pairs) -> Standing:
        """A legal pairing."""


# ---------------------------------------------------------------------- sums over matches


class Priced(Oracle):
    """The oracle with the costs of a pair as one whole number, for fields of any size.

    A level counts for more than all those below it together; in a weighted model each for its
    weight. The terms and what is legal are the oracle's own.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        self.weighted = args[2].get("objective") == "weighted"
        super().__init__(*args, **options)

    def _price_arcs(self) -> None:
        self.terms: dict[Arc, dict[Level, Fraction]] = {}
        for at, one in enumerate(self.active):
            for two in (*self.active[at + 1 :], None):
                ways = (
                    [(one, two), (two, one)]
                    if self.sided and two is not None
                    else [(one, two)]
                )
                for way in ways:
                    if self._arc_is_legal(*way):
                        self.terms[way] = self._arc_levels(*way)
        units = self._by_weight() if self.weighted else self._by_order()
        whole = math.lcm(1, *(unit.denominator for unit in units.values()))
        self.cost = {
            arc: int(
                whole * sum(units[level] * value for level, value in terms.items())
            )
            for arc, terms in self.terms.items()
        }

    def _by_weight(self) -> dict[Level, Fraction]:
        found = {level for terms in self.terms.values() for level in terms}
        scale = math.lcm(
            1, *(v.denominator for terms in self.terms.values() for v in terms.values())
        )
        rows = self.criteria
        return {
            level: Fraction(str(rows[level.place]["weight"]))
            * magnitude(rows[level.place], level.label)
            * scale
            for level in found
        }

    def _by_order(self) -> dict[Level, Fraction]:
        values: dict[Level, list[Fraction]] = {}
        for terms in self.terms.values():
            for level, value in terms.items():
                values.setdefault(level, []).append(value)
        units, unit = {}, 1
        for level in sorted(values, reverse=True):
            scale = math.lcm(*(value.denominator for value in values[level]))
            units[level] = Fraction(unit * scale)
            spread = max(0, *values[level]) - min(0, *values[level])
            unit *= 1 + int(spread * scale) * (len(self.active) // 2 + 1)
        return units

    def total(self, pairing: Pairing) -> int:
        """The costs of a legal pairing with its sides."""
        return sum(self.cost[arc] for arc in map(self._kept, pairing))

    def _kept(self, arc: Arc) -> Arc:
        """The arc as it is kept: in a sideless event its order means nothing."""
        return arc if arc in self.terms or arc[1] is None else (arc[1], arc[0])

    def vector(self, pairing: Pairing) -> Vector:
        """The nonzero levels of a legal pairing."""
        made: Vector = {}
        for arc in map(self._kept, pairing):
            for level, value in self.terms[arc].items():
                place = (level.place, level.label)
                made[place] = made.get(place, Fraction(0)) + value
        return {place: value for place, value in made.items() if value}


class Sums:
    """A round whose pairings are compared by one sum over the matches.

    `ahead` says of a pairing whether further rounds can be paired after it, if there are any.
    """

    def __init__(
        self, oracle: Priced, ahead: Callable[[Pairs], bool | None] | None = None
    ) -> None:
        self.oracle, self.ahead = oracle, ahead
        names: list[str | None] = [*oracle.active, *[None] * (len(oracle.active) % 2)]
        self.seats = len(names)
        self.cost: list[list[int | None]] = [[None] * self.seats for _ in names]
        for (a, one), (b, two) in combinations(enumerate(names), 2):
            ways = [oracle.cost.get((one, two)), oracle.cost.get((two, one))]
            legal = [cost for cost in ways if cost is not None]
            if legal and not oracle.impossible:
                self.cost[a][b] = self.cost[b][a] = min(legal)

    def allowed(self, one: int, two: int) -> bool:
        return self.cost[one][two] is not None

    def standing(self, pairs: Pairs) -> Summed:
        return Summed(self, pairs)

    def total(self, pairs: Pairs) -> int:
        return sum(
            cost for one, two in pairs if (cost := self.cost[one][two]) is not None
        )


@dataclass
class Summed:
    of: Sums
    pairs: Pairs

    def better(self, out: Pairs, into: Pairs) -> bool:
        cost, change = self.of.cost, 0
        for one, two in into:
            value = cost[one][two]
            if value is None:
                return False
            change += value
        for one, two in out:
            value = cost[one][two]
            assert value is not None
            change -= value
        if change >= 0:
            return False
        return self.of.ahead is None or bool(
            self.of.ahead(changed(self.pairs, out, into))
        )


# ---------------------------------------------------------------------- FIDE's systems


class Brackets:
    """A round of a system: the numbers of each score are compared from the top.

    Scores above those of the players who change are left out, as their numbers are the same.
    """

    def __init__(self, given: Round) -> None:
        for name in READ:
            if hasattr(given, name):
                given.__dict__[name] = cache(getattr(given, name))
        self.given, self.players = given, [*given.here, *[0] * (len(given.here) % 2)]
        self.seats = len(self.players)
        self.burstein = isinstance(given, BursteinRound) and not given.seeding
        self.rank = {number: k for k, number in enumerate(self.players)}
        self.arc = cache(self._arc)
        self.allowed = cache(self._allowed)

    def _allowed(self, one: int, two: int) -> bool:
        a, b = (self.players[k] for k in sorted((one, two)))
        return self.given.may_meet(a, b) if b else self.given.may_bye(a)

    def _arc(self, one: int, two: int) -> dutch_global.Arc:
        a, b = (self.players[k] for k in sorted((one, two)))
        low = self.given.score(b) if b else dutch_global.BELOW
        return dutch_global.Arc(a, b, self.given.score(a), low)

    def standing(self, pairs: Pairs) -> Ranked:
        return Ranked(self, pairs)

    def head(self, arcs: Sequence[dutch_global.Arc]) -> int:
        """What the bye is worth, which comes before all scores."""
        byes = [arc for arc in arcs if not arc.lower]
        if not byes:
            return dutch_global.BELOW
        return self.given.byes.index(byes[0].upper) if self.burstein else byes[0].high

    def scores(self, arcs: Sequence[dutch_global.Arc]) -> list[int]:
        """Of all players; in the Burstein System the bye's own is not among them."""
        counted = [arc for arc in arcs if arc.lower] if self.burstein else arcs
        every = {arc.high for arc in counted} | {
            arc.low for arc in counted if arc.lower
        }
        return sorted(every, reverse=True)

    def numbers(
        self, arcs: Sequence[dutch_global.Arc], scores: list[int], at: int
    ) -> Iterator[list[Any]]:
        """The parts of a score, from the pairs that reach into it or the next one."""
        upto = scores[min(at + 1, len(scores) - 1)]
        near = [arc for arc in arcs if arc.low <= scores[at] and arc.high >= upto]
        if self.burstein:
            pairs = [(arc.upper, arc.lower) for arc in near if arc.lower]
            return burstein_global.bracket(self.given, pairs, scores, at)
        bye = max(
            (arc.high for arc in near if not arc.lower), default=dutch_global.BELOW
        )
        return dutch_global.bracket(self.given, near, scores, at, bye)

    def key(self, pairs: Pairs) -> list[Any]:
        """All numbers of a pairing, as the oracles of small fields compare them."""
        arcs = [self._arc(*pair) for pair in pairs]
        if self.burstein:
            return burstein_global.key(
                self.given, [(arc.upper, arc.lower) for arc in arcs]
            )
        return dutch_global.key(self.given, arcs)


class Ranked:
    """A pairing of a system, with the numbers of its scores."""

    def __init__(self, of: Brackets, pairs: Pairs) -> None:
        self.of = of
        self.arcs = {pair: of.arc(*pair) for pair in pairs}
        self.scores = of.scores([*self.arcs.values()])
        self.place = {score: at for at, score in enumerate(self.scores)}
        self.numbers = cache(
            lambda at: [*of.numbers([*self.arcs.values()], self.scores, at)]
        )

    def better(self, out: Pairs, into: Pairs) -> bool:
        if not all(self.of.allowed(*pair) for pair in into):
            return False
        gone, new = (
            [self.arcs[pair] for pair in out],
            [self.of.arc(*pair) for pair in into],
        )
        before, after = self.of.head(gone), self.of.head(new)
        if before != after:
            return after < before
        arcs = [arc for pair, arc in self.arcs.items() if pair not in out] + new
        highest = max(arc.high for arc in new)
        for at in range(max(0, self.place.get(highest, 1) - 1), len(self.scores)):
            own = self.numbers(at)
            for mine, other in zip(
                own, self.of.numbers(arcs, self.scores, at), strict=True
            ):
                if mine != other:
                    return other < mine
        return False


# ---------------------------------------------------------------------- neighbours


def changed(pairs: Pairs, out: Pairs, into: Pairs) -> Pairs:
    """The pairing with some pairs for others."""
    return sorted([pair for pair in pairs if pair not in out] + into)


def in_order(one: int, two: int) -> Pair:
    return (one, two) if one < two else (two, one)


def exchanges(pairs: Pairs) -> Iterator[tuple[Pairs, Pairs]]:
    """Two matches become two others: all of these, the bye being a match like any other."""
    for one, two in combinations(pairs, 2):
        (a, b), (c, d) = one, two
        yield [one, two], [in_order(a, c), in_order(b, d)]
        yield [one, two], [in_order(a, d), in_order(b, c)]


def drawn(pairs: Pairs, chance: Random, matches: int) -> tuple[Pairs, Pairs]:
    """So many matches, all of them made otherwise: chains of three, or two exchanges at once."""
    matches = min(matches, len(pairs))
    if chance.randrange(FAR):
        at = chance.randrange(len(pairs))
        near = sorted(pairs)[max(0, at - matches) : at + matches + NEAR]
        out = chance.sample(near, min(matches, len(near)))
    else:
        out = chance.sample(pairs, matches)
    while True:
        seats = [seat for pair in out for seat in pair]
        chance.shuffle(seats)
        into = [in_order(*seats[k : k + 2]) for k in range(0, len(seats), 2)]
        if len(seats) < 4 or not {*into} & {*out}:
            return out, into


def first_better(
    yardstick: Yardstick, pairs: Pairs, chance: Random, sampled: int
) -> tuple[int, Pairs | None]:
    """How many neighbours were tried, and the first that is legal and better.

    Every exchange of two matches, then so many changes of three, four or five.
    """
    standing, tried = yardstick.standing(pairs), 0
    more = (drawn(pairs, chance, chance.choice((3, 3, 4, 5))) for _ in range(sampled))
    for changes in (exchanges(pairs), more if len(pairs) > 2 else ()):
        for out, into in changes:
            tried += 1
            if standing.better(out, into):
                return tried, changed(pairs, out, into)
    return tried, None


def climb(yardstick: Yardstick, pairs: Pairs, chance: Random, steps: int) -> Pairs:
    """From one pairing to better ones, by so many changes that are tried."""
    if len(pairs) < 2:
        return pairs
    standing = yardstick.standing(pairs)
    for _ in range(steps):
        out, into = drawn(pairs, chance, chance.choice((2, 2, 2, 3)))
        if standing.better(out, into):
            pairs = changed(pairs, out, into)
            standing = yardstick.standing(pairs)
    return pairs


def disturbed(yardstick: Yardstick, pairs: Pairs, chance: Random, times: int) -> Pairs:
    """The pairing after random exchanges that leave it legal."""
    for _ in range(times):
        out, into = drawn(pairs, chance, 2)
        if len(pairs) > 1 and all(yardstick.allowed(*pair) for pair in into):
            pairs = changed(pairs, out, into)
    return pairs


def any_legal(yardstick: Yardstick, chance: Random, steps: int) -> Pairs | None:
    """A random legal pairing: illegal pairs are exchanged away; None where that takes longer."""
    seats = chance.sample(range(yardstick.seats), yardstick.seats)
    pairs = [in_order(*seats[k : k + 2]) for k in range(0, len(seats), 2)]
    for _ in range(steps):
        bad = [pair for pair in pairs if not yardstick.allowed(*pair)]
        if not bad or len(pairs) < 2:
            break
        one = chance.choice(bad)
        two = chance.choice([pair for pair in pairs if pair != one])
        (a, b), (c, d) = one, two
        into = chance.choice(([(a, c), (b, d)], [(a, d), (b, c)]))
        into = [in_order(*pair) for pair in into]
        if sum(not yardstick.allowed(*pair) for pair in into) <= 1 + (two in bad):
            pairs = changed(pairs, [one, two], into)
    legal = all(yardstick.allowed(*pair) for pair in pairs)
    return pairs if legal else None


# ---------------------------------------------------------------------- whole matchings


def matching(seats: int, legal: Callable[[int, int], bool]) -> Pairs | None:
    """Some matching of all seats; None where there is none."""
    graph = nx.Graph()
    graph.add_nodes_from(range(seats))
    graph.add_edges_from(pair for pair in combinations(range(seats), 2) if legal(*pair))
    found = nx.max_weight_matching(graph, maxcardinality=True)
    return (
        sorted(in_order(*pair) for pair in found) if 2 * len(found) == seats else None
    )


def least(sums: Sums) -> int:
    """The least sum of all legal pairings, by networkx in whole numbers."""
    graph = nx.Graph()
    for one, two in combinations(range(sums.seats), 2):
        cost = sums.cost[one][two]
        if cost is not None:
            graph.add_edge(one, two, weight=-cost)
    found = nx.max_weight_matching(graph, maxcardinality=True)
    assert 2 * len(found) == sums.seats
    return sums.total([in_order(*pair) for pair in found])


class UsedUpError(Exception):
    """All trials were made."""


class Ahead:
    """Whether rounds of new pairs are left after a pairing, by trying one way after the other.

    True with such rounds in hand, False where there are none, None where so many trials do not
    say it.
    """

    def __init__(self, oracle: Oracle, rounds: int, trials: int) -> None:
        self.rounds, self.trials = rounds, trials
        names, bye = oracle.active, len(oracle.active)
        self.fresh: list[set[int]] = [set() for _ in range(bye + bye % 2)]
        for one, two in combinations(range(len(self.fresh)), 2):
            state = oracle.states[names[one]]
            had = state.byes if two == bye else state.meetings[names[two]]
            if not had:
                self.fresh[one].add(two)
                self.fresh[two].add(one)
        self.after = cache(self._after)

    def __call__(self, pairs: Pairs) -> bool | None:
        return self.after(frozenset(pairs))

    def _after(self, pairs: frozenset[Pair]) -> bool | None:
        try:
            return _holds(
                without(self.fresh, pairs), self.rounds, iter(range(self.trials))
            )
        except UsedUpError:
            return None


def without(partners: list[set[int]], pairs: Collection[Pair]) -> list[set[int]]:
    """The same without these pairs."""
    met = {pair: None for one, two in pairs for pair in ((one, two), (two, one))}
    return [
        {b for b in others if (a, b) not in met} for a, others in enumerate(partners)
    ]


def _holds(partners: list[set[int]], rounds: int, trials: Iterator[int]) -> bool:
    if not rounds:
        return True
    return min(map(len, partners), default=rounds) >= rounds and any(
        _holds(without(partners, turn), rounds - 1, trials)
        for turn in turns(partners, {*range(len(partners))}, trials)
    )


def turns(
    partners: list[set[int]],
    free: set[int],
    trials: Iterator[int],
    chance: Random | None = None,
) -> Iterator[Pairs]:
    """Rounds of these pairs, whoever has the fewest partners left first.

    Raises UsedUpError where the trials are.
    """
    if not free:
        yield []
        return
    if next(trials, None) is None:
        raise UsedUpError
    seat = min(free, key=lambda each: (len(partners[each] & free), each))
    others = sorted(partners[seat] & free)
    if chance:
        chance.shuffle(others)
    for other in others:
        for more in turns(partners, free - {seat, other}, trials, chance):
            yield [in_order(seat, other), *more]
