"""The contract of exchangeability: what a rule says of a class holds for each of its pairs. A rule
that forgets an attribute or a special pair makes bounds that are wrong, which the verifier of
pairings cannot see. So it is checked: on a sample wherever classes are made, on all pairs in the
tests."""

from __future__ import annotations

import numpy as np

from pairopt.engines.base import EngineError
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of
from pairopt.problem.problem import Problem
from pairopt.wording import pair_text, plain
from pairopt.words import Said, tell

SAMPLE = 512  # so many pairs are checked, of every two types unless there are more of these


def sample_of(type_of: IntArray, seed: int) -> IntArray:
    """Random pairs of players, as many of any two types as of any other two, shape (k, 2). The
    player of the lower type comes first; of one type the lower position."""
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


def require_alike(problem: Problem, type_of: IntArray, pairs: IntArray, alike: BoolArray) -> None:
    """Raise EngineError unless all these pairs and byes are as their classes; name the rules."""
    if not alike.all():
        raise EngineError("engine.not_alike", breaches=breaches(problem, type_of, pairs))


def breaches(problem: Problem, type_of: IntArray, pairs: IntArray) -> list[Said]:
    """The coarse rules that tell one of these pairs, shape (k, 2), either way round, or some bye,
    from the players who stand for its types."""
    state, n = problem.state, len(problem)
    one = np.empty(int(type_of.max()) + 1, np.int64)
    one[type_of] = np.arange(n)
    keys = pairs.min(axis=1) * n + pairs.max(axis=1)
    usual = pairs[~np.isin(keys, problem.special_pairs() @ np.array([n, 1]))]
    arcs = arcs_of(usual[:, 0], usual[:, 1]).both_ways
    both = [(arcs, Arcs(one[type_of[arcs.first]], one[type_of[arcs.second]], typical=True))]
    if state.odd:
        byes = np.full(n, BYE)
        both.append((arcs_of(np.arange(n), byes), arcs_of(one[type_of], byes)))
    said = []
    for mine, typical in both:
        for kind, differs in _differing(problem, mine, typical):
            for k in np.flatnonzero(differs)[:1]:
                texts = [_text(problem, arcs, int(k)) for arcs in (mine, typical)]
                said.append(tell("rule.reads_more", rule=kind, one=texts[0], two=texts[1]))
    return said


def _differing(problem: Problem, mine: Arcs, typical: Arcs) -> list[tuple[str, BoolArray]]:
    """Each coarse rule by its kind, and where it tells two arcs apart, shape (m,)."""
    state, coarse, rules = problem.state, problem.coarse, problem.constraints
    found = [(rule.kind, rule.legal(state, mine) != rule.legal(state, typical)) for rule in rules]
    for rule, labels in zip(problem.criteria[:coarse], problem.labels[:coarse], strict=True):
        if labels:
            values = [rule.values(state, arcs, labels) for arcs in (mine, typical)]
            found.append((rule.kind, (values[0] != values[1]).any(axis=1)))
    return found


def _text(problem: Problem, arcs: Arcs, k: int) -> str:
    ends = (arcs.first[k], arcs.second[k])
    return pair_text(*(plain(problem.state.shown[p]) for p in ends if p != BYE))
