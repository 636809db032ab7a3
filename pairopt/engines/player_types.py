"""Classes: exchangeable arcs counted together. Players with the same attributes make a type; a
class holds the disjoint pairs of two types with the same legal sides and values, and one integer
replaces their booleans. Any partition into types is a relaxation of the round, exact for single
players.

What a rule says of a class has to hold for each of its pairs. One that forgets an attribute or a
special pair makes bounds that are wrong, which the verifier of pairings cannot see: so it is
checked, on a sample wherever classes are made, on all pairs in the tests.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import (
    AHEAD,
    LISTED_FIRST,
    OTHER_FIRST,
    AllowedArcs,
    choose_sides,
    shrink_dtype,
)
from pairopt.engines.base import EngineError
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of
from pairopt.messages import Message, message, with_heading
from pairopt.messages.formatting import escape_hidden, pair_text
from pairopt.problem.problem import Problem

MOST_CODES = 2**31  # two numbers up to it make one that fits into 64 bits
AT_ONCE = (
    2**14
)  # so many arcs are worked out together, fewer of many levels: see `legal_ways`


def types_of(attributes: Iterable[IntArray | BoolArray], n: int) -> IntArray:
    """Number the distinct rows of attributes: the type of each player, shape (n,)."""
    code, codes = np.zeros(n, np.int64), 1
    for column in attributes:
        low, high = (int(column.min()), int(column.max())) if n else (0, 0)
        if low == high:
            continue
        value, values = column.astype(np.int64) - low, high - low + 1
        if values > MOST_CODES:
            value, values = _renumber(value)
        if codes * values > MOST_CODES:
            code, codes = _renumber(code)
        code, codes = code * values + value, codes * values
    return _renumber(code)[0]


def _renumber(code: IntArray) -> tuple[IntArray, int]:
    found, place = np.unique(code, return_inverse=True)
    return np.asarray(place, np.int64), len(found)


@dataclass(frozen=True)
class PairClasses(AllowedArcs):
    """The classes of a partition into types, with the class of every pair. Types `a` <= `b`; the
    first of a pair is the player of type `a`, or the lower position where the types are equal. A
    pair is in `default[a, b]` unless its key low * n + high is among `special_keys`; -1 means that
    it is in no class (illegal).
    """

    type_of: IntArray
    default: IntArray
    special_keys: IntArray
    special_class: IntArray

    @cached_property
    def members(self) -> list[IntArray]:
        return np.split(
            np.argsort(self.type_of, kind="stable"), np.cumsum(self.size)[:-1]
        )

    def class_of(self, first: IntArray, second: IntArray) -> IntArray:
        """Class of each pair of players, -1 where illegal; shape (m,)."""
        ta, tb = self.type_of[first], self.type_of[second]
        found = self.default[np.minimum(ta, tb), np.maximum(ta, tb)]
        if len(self.special_keys):
            key = np.minimum(first, second) * len(self.type_of) + np.maximum(
                first, second
            )
            row = np.minimum(
                np.searchsorted(self.special_keys, key), len(self.special_keys) - 1
            )
            found = np.where(
                self.special_keys[row] == key, self.special_class[row], found
            )
        return found

    @cached_property
    def of_types(self) -> IntArray:
        """The class of most pairs of any two types, the bye after them; -1 where they have none."""
        types = len(self.size)
        number = np.full((types + 1, types + 1), -1)
        number[:types, :types] = np.maximum(self.default, self.default.T)
        byes = np.flatnonzero(self.bye)
        number[self.a[byes], types] = number[types, self.a[byes]] = byes
        return number

    def table(self, values: IntArray) -> IntArray:
        """What classes have of these values, for any two players, and for byes in row n. Shape (n +
        1, n + 1). The last of the values is for those who are in no class.
        """
        n = len(self.type_of)
        kind = np.append(self.type_of, len(self.size))
        table: IntArray = values[self.of_types][kind][:, kind]
        low, high = np.divmod(self.special_keys, n)
        table[low, high] = table[high, low] = values[self.special_class]
        np.fill_diagonal(table, values[-1])
        return table

    def hold(self, pairs: IntArray, sides: IntArray, costs: IntArray) -> BoolArray:
        """True where a pair, shape (k, 2), has the sides and costs of its class, or no class."""
        number = self.class_of(pairs[:, 0], pairs[:, 1])
        alike: BoolArray = (number >= 0) == (sides > 0)
        legal = np.flatnonzero(number >= 0)
        own, cost = self.sides[number[legal]], self.costs[number[legal]]
        alike[legal] &= (own == sides[legal]) & (cost == costs[legal]).all(axis=1)
        return alike


def classes_of(
    problem: Problem,
    type_of: IntArray,
    weights: tuple[int, ...] | None = None,
    most: int | None = None,
    budget: Budget = Budget(),
) -> PairClasses:
    """The classes of a partition, with the values of the coarse levels, or of so many at most.
    Raises TimeUpError, and EngineError where a pair of a sample, or a bye, is not as its class.
    """
    state, n = problem.state, len(problem)
    levels = problem.coarse_levels if most is None else min(problem.coarse_levels, most)
    size = np.bincount(type_of)
    types = len(size)
    one = np.empty(types, np.int64)
    one[type_of] = np.arange(n)

    pairs = problem.special_pairs()
    ta, tb = type_of[pairs[:, 0]], type_of[pairs[:, 1]]
    pairs = np.where((ta > tb)[:, None], pairs[:, ::-1], pairs)
    ta, tb = np.minimum(ta, tb), np.maximum(ta, tb)
    count = size[:, None] * size[None, :]
    count[np.arange(types), np.arange(types)] = size * (size - 1) // 2
    np.subtract.at(count, (ta, tb), 1)
    a, b = np.nonzero(np.triu(count > 0))

    every = arcs_of(one[a], one[b], typical=True)
    rows = [(a, b, *legal_ways(problem, every, weights, stop=levels, budget=budget))]
    sample, k = sample_of(type_of, problem.seed), len(pairs)
    listed = arcs_of(*np.concatenate([pairs, sample]).T)
    sides, costs = legal_ways(problem, listed, weights, stop=levels, budget=budget)
    rows.append((ta, tb, sides[:k], costs[:k]))
    alike = np.ones(n, np.bool_)
    if state.odd:
        byes = arcs_of(np.arange(n), np.full(n, BYE))
        legal = np.where(problem.legal(byes), LISTED_FIRST, 0)
        each = problem.costs(byes, 0, levels)
        rows.append((np.arange(types), np.full(types, types), legal[one], each[one]))
        like = one[type_of]
        alike = (legal == legal[like]) & (each == each[like]).all(axis=1)
    if len(a) > AT_ONCE:
        rows = [
            (first, second, bits, shrink_dtype(costs))
            for first, second, bits, costs in rows
        ]
    stacked = [
        np.concatenate(
            [each.T for each in column], axis=-1
        ).T  # level after level in memory
        for column in zip(*rows, strict=True)
    ]
    del rows  # large
    classes = _number_classes(type_of, size, stacked, pairs, count[a, b], budget)
    alike = np.append(alike, classes.hold(sample, sides[k:], costs[k:]))
    require_alike(problem, type_of, sample, alike)
    return classes


def legal_ways(
    problem: Problem,
    arcs: Arcs,
    weights: tuple[int, ...] | None = None,
    ways: IntArray | None = None,
    start: int = 0,
    stop: int | None = None,
    budget: Budget = Budget(),
) -> tuple[IntArray, IntArray]:
    """The better way round of each pair, of all legal or of these `ways`, by levels start..stop. As
    side bits, with the values of these levels. Raises TimeUpError.
    """
    levels = (problem.firsts[-1] if stop is None else stop) - start
    many = max(AT_ONCE * AHEAD // max(levels, AHEAD), 1)
    if len(arcs) > many or arcs.first.dtype != np.int64:
        parts = []
        for k in budget.iterate(range(0, len(arcs), many)):
            own = slice(k, k + many)
            which = None if ways is None else ways[own]
            bits, costs = legal_ways(
                problem, arcs.take(own), weights, which, start, stop
            )
            parts.append((bits.astype(np.int8), shrink_dtype(costs)))
        sides, costs = map(np.concatenate, zip(*parts, strict=True))
        return sides, costs
    m, both = len(arcs), arcs.both_ways if problem.state.sided else arcs
    # levels of a system are of a whole pairing: sides are a constraint
    costs = problem.costs(both, start, stop if problem.system is None else 0)
    if not problem.state.sided:
        if ways is None:
            ways = np.where(problem.legal(arcs), LISTED_FIRST | OTHER_FIRST, 0)
        return ways, costs
    if ways is None:
        legal = problem.legal(both)
    else:
        legal = np.append(ways & LISTED_FIRST, ways & OTHER_FIRST) > 0
    return choose_sides(costs[:m], costs[m:], legal[:m], legal[m:], weights)


def _number_classes(
    type_of: IntArray,
    size: IntArray,
    rows: list[IntArray],
    pairs: IntArray,
    typical_pairs: IntArray,
    budget: Budget,
) -> PairClasses:
    """Merge equal rows (typical, then special pairs, then byes) to classes. Raises TimeUpError."""
    a, b, sides, costs = rows
    types, typical = len(size), len(typical_pairs)
    legal = np.flatnonzero(sides)
    columns = budget.iterate([a, b, sides, *costs.T])
    number = np.full(len(a), -1, np.int64)
    number[legal] = types_of((column[legal] for column in columns), len(legal))
    row = np.zeros(int(number.max(initial=-1)) + 1, np.int64)
    row[number[legal][::-1]] = legal[::-1]  # the first row of each class
    kept = np.empty(
        (costs.shape[1], len(row)), costs.dtype
    )  # level after level in memory
    for level, all_of_it in zip(kept, budget.iterate(costs.T), strict=True):
        all_of_it.take(row, out=level)
    a, b, sides, costs = a[row], b[row], sides[row], kept.T

    default = np.full((types, types), -1, np.int64)
    default[rows[0][:typical], rows[1][:typical]] = number[:typical]
    special = number[typical : typical + len(pairs)]
    keys = pairs.min(axis=1) * len(type_of) + pairs.max(axis=1)
    order = np.argsort(keys)

    padded = np.append(size, 1)
    cap = np.where(a == b, padded[a] // 2, np.minimum(padded[a], padded[b]))
    mixed = np.zeros(len(row), np.bool_)
    mixed[number[:typical][number[:typical] >= 0]] = True
    listed = special >= 0
    few = _disjoint(special[listed], pairs[listed], len(type_of), a == b)
    cap = np.where(mixed | (b == types), cap, np.minimum(cap, few))
    return PairClasses(
        size=size,
        a=a,
        b=b,
        cap=cap,
        sides=sides,
        costs=costs,
        type_of=type_of,
        default=default,
        special_keys=keys[order],
        special_class=special[order],
    )


def _disjoint(
    special: IntArray, pairs: IntArray, n: int, inside: BoolArray
) -> IntArray:
    """For each class, a bound on the disjoint ones among its special pairs of n players."""

    def distinct(number: IntArray, player: IntArray) -> IntArray:
        return np.bincount(np.unique(number * n + player) // n, minlength=len(inside))

    one, two = (distinct(special, end) for end in pairs.T)
    both = distinct(np.tile(special, 2), pairs.T.ravel())
    return np.where(inside, both // 2, np.minimum(one, two))


SAMPLE = (
    512  # so many pairs are checked, of every two types unless there are more of these
)


def sample_of(type_of: IntArray, seed: int) -> IntArray:
    """Random pairs of players, as many of any two types as of any other two, shape (k, 2). The
    player of the lower type comes first; of one type the lower position.
    """
    rng = np.random.default_rng([seed, 2])
    size = np.bincount(type_of)
    start, order = np.cumsum(size) - size, np.argsort(type_of, kind="stable")
    a, b = np.triu_indices(len(size))
    chosen = np.resize(rng.permutation(len(a)), SAMPLE)
    a, b = a[chosen], b[chosen]
    i, j = rng.integers(0, size[a]), rng.integers(0, size[b])
    pairs = np.column_stack([order[start[a] + i], order[start[b] + j]])
    pairs[a == b] = np.sort(pairs[a == b], axis=1)
    return np.asarray(pairs[pairs[:, 0] != pairs[:, 1]], np.int64)


def require_alike(
    problem: Problem, type_of: IntArray, pairs: IntArray, alike: BoolArray
) -> None:
    """Raise EngineError unless all these pairs and byes are as their classes; name the rules."""
    if not alike.all():
        heading = message("engine.not_alike")
        raise EngineError(with_heading(heading, *breaches(problem, type_of, pairs)))


def breaches(problem: Problem, type_of: IntArray, pairs: IntArray) -> list[Message]:
    """The coarse rules that tell one of these pairs, shape (k, 2), either way round, or some bye,
    from the players who stand for its types.
    """
    state, n = problem.state, len(problem)
    one = np.empty(int(type_of.max()) + 1, np.int64)
    one[type_of] = np.arange(n)
    keys = pairs.min(axis=1) * n + pairs.max(axis=1)
    usual = pairs[~np.isin(keys, problem.special_pairs() @ np.array([n, 1]))]
    arcs = arcs_of(usual[:, 0], usual[:, 1]).both_ways
    both = [
        (arcs, Arcs(one[type_of[arcs.first]], one[type_of[arcs.second]], typical=True))
    ]
    if state.odd:
        byes = np.full(n, BYE)
        both.append((arcs_of(np.arange(n), byes), arcs_of(one[type_of], byes)))
    said = []
    for mine, typical in both:
        for kind, differs in _differing(problem, mine, typical):
            for k in np.flatnonzero(differs)[:1]:
                texts = [_text(problem, arcs, int(k)) for arcs in (mine, typical)]
                said.append(
                    message("rule.reads_more", rule=kind, one=texts[0], two=texts[1])
                )
    return said


def _differing(
    problem: Problem, mine: Arcs, typical: Arcs
) -> list[tuple[str, BoolArray]]:
    """Each coarse rule by its kind, and where it tells two arcs apart, shape (m,)."""
    state, coarse, rules = problem.state, problem.coarse, problem.constraints
    found = [
        (rule.kind, rule.legal(state, mine) != rule.legal(state, typical))
        for rule in rules
    ]
    for rule, labels in zip(
        problem.criteria[:coarse], problem.labels[:coarse], strict=True
    ):
        if labels:
            values = [rule.values(state, arcs, labels) for arcs in (mine, typical)]
            found.append((rule.kind, (values[0] != values[1]).any(axis=1)))
    return found


def _text(problem: Problem, arcs: Arcs, k: int) -> str:
    ends = (arcs.first[k], arcs.second[k])
    return pair_text(*(escape_hidden(problem.state.shown[p]) for p in ends if p != BYE))
