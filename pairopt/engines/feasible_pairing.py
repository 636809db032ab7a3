"""Legal: a pairing that keeps the constraints, for when time is up before there is a better one.
Neighbours in the standings first, more distant players where these do not do. What is found has the
better sides by the first levels, and nothing is claimed of it.
"""

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import AHEAD
from pairopt.engines.matching.blossom import NOBODY, PrimalDualMatching
from pairopt.engines.player_types import AT_ONCE
from pairopt.engines.single_pairs import columns_of, pair_arcs, sided_arcs
from pairopt.event.arcs import Arcs, IntArray
from pairopt.problem.problem import Problem

NEAR, SURE = (
    8,
    2**18,
)  # so many neighbours are looked at first, so many pairs whatever the time


def find_feasible_pairing(problem: Problem, budget: Budget) -> Arcs | None:
    """A legal pairing, None where there is none (a lookahead is not regarded). The nearest
    neighbours are looked at first, then all opponents of who is left. Raises TimeUpError.
    """
    n = len(problem)
    blossom = PrimalDualMatching(
        [{} for _ in range(n + n % 2)], [0] * (n + 1), [NOBODY] * (n + n % 2)
    )
    open_to, mate, asked = blossom.near, blossom.mate, np.zeros(n, np.bool_)
    one, two = _near_pairs(np.argsort(-problem.state.score, kind="stable"))
    while True:
        time = budget if n * np.count_nonzero(asked) > SURE else Budget()
        pairs = pair_arcs(problem, np.minimum(one, two), np.maximum(one, two))
        columns = columns_of(problem, pairs, None, 0, time)
        for a, b in zip(
            columns.a.tolist(), columns.b.tolist(), strict=True
        ):  # the nearest first
            open_to[a][b] = open_to[b][a] = 0
            if mate[a] == mate[b] == NOBODY:
                mate[a], mate[b] = b, a
        if not (stuck := blossom.match(time)):
            break
        wanted = np.append(np.array(mate[:n]) == NOBODY, False).astype(np.int64)
        wanted[stuck] = 2  # an arc of theirs is needed
        wanted = np.where(asked, 0, wanted[:n])
        if wanted.max() < 2:
            return None
        some = np.argsort(-wanted)[
            : min(2 * AT_ONCE // n + 1, np.count_nonzero(wanted))
        ]
        asked[some] = True
        row, two = np.nonzero(np.arange(n) != some[:, None])
        one = some[row]
    first = np.flatnonzero(np.arange(len(mate)) < mate)
    chosen = columns_of(
        problem, pair_arcs(problem, first, np.array(mate)[first]), None, AHEAD
    )
    return sided_arcs(
        chosen, chosen.a, chosen.b, np.arange(len(chosen)), (budget.seed, 1)
    )


def _near_pairs(order: IntArray) -> tuple[IntArray, IntArray]:
    """Players who are near in the order, the nearest first, and if odd everybody's bye."""
    n = len(order)
    step, place = np.indices((min(NEAR, n - 1), n)).reshape(2, -1)
    near = place + step + 1 < n
    byes = order[: n * (n % 2)]
    one, two = order[place[near]], order[(place + step)[near] + 1]
    return np.append(one, byes), np.append(two, np.full(len(byes), n))
