"""Provisional: prices of a round by linear programs over its pairs."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

from pairopt.engines.base import Budget
from pairopt.engines.relaxation.certificate import Certificate
from pairopt.engines.relaxation.odd_sets import component_of
from pairopt.engines.relaxation.pairs import all_pairs
from pairopt.engines.relaxation.weights import model_weights


def certificate_of(problem, objective, values, budget=Budget()):
    given = model_weights(problem) if objective == "weighted" else None
    weights = given[0] if given else None
    columns = all_pairs(problem, weights)
    costs = columns.costs.astype(object)
    if weights is not None:
        costs = (costs @ np.array(weights, object))[:, None]
    n = len(problem)
    count = n + n % 2
    a, b = columns.a, columns.b
    alive = np.ones(len(a), bool)
    sets = []
    prices = []
    zs = {}
    for k, value in enumerate(values):
        cost = np.array(costs[:, k], float)
        old = set(s for s in sets if any(zs.get((s, j), 0) for j in range(k)))
        if count <= 10:
            for size in (3, 5):
                for c in combinations(range(count), size):
                    if frozenset(c) not in sets and size < count - 1:
                        sets.append(frozenset(c))
        for _ in range(60):
            index = np.flatnonzero(alive)
            m = len(index)
            rows = [np.arange(m), np.arange(m)]
            cols = [a[index], b[index]]
            for s, members in enumerate(sets):
                inside = np.zeros(count, bool)
                inside[list(members)] = True
                leaving = np.flatnonzero(inside[a[index]] != inside[b[index]])
                rows.append(leaving)
                cols.append(np.full(len(leaving), count + s))
            r, c = np.concatenate(rows), np.concatenate(cols)
            A = csr_matrix((np.ones(len(r)), (r, c)), shape=(m, count + len(sets)))
            bounds = [(None, None)] * count + [((None if s in old else 0), None) for s in sets]
            found = linprog(-np.ones(count + len(sets)), A_ub=A, b_ub=cost[index], bounds=bounds)
            if not found.success:
                return None
            use = -found.ineqlin.marginals
            used = use > 1e-7
            label = component_of(count, a[index][used], b[index][used])
            new = [frozenset(np.flatnonzero(label == x).tolist()) for x in range(label.max() + 1)]
            new = [s for s in new if len(s) % 2 and len(s) > 1 and s not in sets]
            if not new:
                break
            sets += new
        y = [Fraction(x).limit_denominator(240) for x in found.x]
        for s, z in zip(sets, y[count:], strict=True):
            zs[s, k] = z
        prices.append(y[:count])
        slack = []
        for e in index:
            left = sum(zs[s, k] for s in sets if (a[e] in s) != (b[e] in s) and zs[s, k])
            slack.append(costs[e, k] - y[a[e]] - y[b[e]] - left)
        if min(slack) < 0 or sum(y) != value:
            return None
        alive[index[np.array([x > 0 for x in slack])]] = False
    odd = tuple(
        (s, tuple(Fraction(zs.get((s, k), 0)) for k in range(len(values))))
        for s in sets
        if any(zs.get((s, k), 0) for k in range(len(values)))
    )
    rows = tuple(tuple(prices[k][v] for k in range(len(values))) for v in range(count))
    return Certificate(rows, odd, tuple(values))
