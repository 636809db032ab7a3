"""The slips-of-paper procedure of Aesop's Tables: one card a player, dealt onto the tables.

In odd rounds each score group is shuffled and the cards are dealt from the top, two a table, with a
coin for the sides (mirrored where the two have met). In even rounds there are two piles, by the
side a player is owed, sorted by score and shuffled within it; the top of one meets the top of the
other, and neutral players join the smaller pile. The last card has the bye. Where a table is not
allowed cards are swapped, as few and as near as possible: each swap is the one after which the
fewest tables are not allowed.

Source: the procedure by hand that Aesop's Tables describes.
"""

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.base import EngineOptions, Solution, Status
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of
from pairopt.problem.problem import Problem

DEALS = 100  # how often the cards are dealt before giving up


def solve(problem: Problem, options: EngineOptions) -> Solution:
    """A pairing that keeps the constraints; none after 100 deals."""
    arcs = _deal_tables(problem, options.budget)
    status: Status = "unknown" if arcs is None else "heuristic"
    return Solution(status, arcs, (None,) * len(problem.levels))


def _deal_tables(problem: Problem, budget: Budget) -> Arcs | None:
    rng = np.random.default_rng([budget.seed, 2])
    even = problem.state.event.round % 2 == 0 and problem.state.sided
    for _ in range(DEALS):
        if budget.is_over:
            break
        if even:
            cards = _order_by_piles(problem, rng)
        else:  # from the top: by score, each score group shuffled
            cards = np.lexsort((rng.permutation(len(problem)), -problem.state.score))
        if (arcs := _repair_by_swaps(problem, cards, even)) is not None:
            return _with_sides(problem, arcs, even, rng)
    return None


def _order_by_piles(problem: Problem, rng: np.random.Generator) -> IntArray:
    """The cards as they lie on the tables; what one pile has more is dealt after the rest."""
    bias = problem.state.bias
    first, second = list(np.flatnonzero(bias < 0)), list(np.flatnonzero(bias > 0))
    for card in rng.permutation(np.flatnonzero(bias == 0)):
        smaller = [
            pile
            for pile in (first, second)
            if len(pile) <= min(len(first), len(second))
        ]
        smaller[rng.integers(len(smaller))].append(card)
    piles = []
    for pile in (first, second):
        cards = np.array(pile, np.int64)
        order = np.lexsort((rng.permutation(len(cards)), -problem.state.score[cards]))
        piles.append(cards[order])
    tables = min(map(len, piles))
    facing = np.column_stack([pile[:tables] for pile in piles]).ravel()
    return np.concatenate([facing, *(pile[tables:] for pile in piles)])


def _repair_by_swaps(problem: Problem, cards: IntArray, even: bool) -> Arcs | None:
    """The tables after swaps of cards until all are allowed; None where no swap helps."""
    cards = cards.copy()
    while True:
        allowed = _allowed_mask(problem, _arcs_of_tables(cards))
        if allowed.all():
            return _arcs_of_tables(cards)
        if (swap := _find_best_swap(problem, cards, allowed, even)) is None:
            return None
        cards[swap] = cards[swap[::-1]]


def _find_best_swap(
    problem: Problem, cards: IntArray, allowed: BoolArray, even: bool
) -> IntArray | None:
    """The swap of a card of the first bad table that mends most, the nearest; None if none does."""
    n, table = len(cards), int(np.argmin(allowed))
    seat = np.repeat(np.arange(2 * table, min(2 * table + 2, n)), n)
    other = np.tile(np.arange(n), len(seat) // n)
    elsewhere = other // 2 != table
    seat, other = seat[elsewhere], other[elsewhere]
    before = allowed[table].astype(np.int64) + allowed[other // 2]
    after = _seat_allowed_mask(problem, cards, cards[other], seat).astype(np.int64)
    after += _seat_allowed_mask(problem, cards, cards[seat], other)
    gain, apart = after - before, np.abs(seat - other)
    across = (apart % 2 == 1) & even
    best = np.lexsort((apart, across, -gain))[:1]
    if not len(best) or gain[best[0]] <= 0:
        return None
    return np.concatenate([seat[best], other[best]])


def _seat_allowed_mask(
    problem: Problem, cards: IntArray, card: IntArray, seat: IntArray
) -> BoolArray:
    """Whether each card would be allowed on a seat, with the card that lies beside it."""
    beside = np.append(cards, BYE)[np.minimum(seat ^ 1, len(cards))]
    turned = (seat % 2 == 1) & (beside != BYE)
    first, second = np.where(turned, beside, card), np.where(turned, card, beside)
    return _allowed_mask(problem, arcs_of(first, second))


def _arcs_of_tables(cards: IntArray) -> Arcs:
    return arcs_of(cards[::2], np.append(cards[1::2], np.full(len(cards) % 2, BYE)))


def _allowed_mask(problem: Problem, arcs: Arcs) -> BoolArray:
    if not problem.state.sided:
        return problem.legal(arcs)
    return problem.legal(arcs) | problem.legal(arcs.reversed())


def _with_sides(
    problem: Problem, arcs: Arcs, even: bool, rng: np.random.Generator
) -> Arcs:
    """Sides by pile in even rounds, else by a coin; the other way round where it must be."""
    if not problem.state.sided:
        return arcs
    coin = np.zeros(len(arcs), np.bool_) if even else rng.integers(0, 2, len(arcs)) == 1
    legal, mirrored = problem.legal(arcs), problem.legal(arcs.reversed())
    return arcs.turned(arcs.match & np.where(legal & mirrored, coin, mirrored))
