"""The slips-of-paper procedure of Aesop's Tables: cards dealt onto the tables.

There is one card per player. In odd rounds each score group is shuffled and the cards
are dealt from the top, two per table, with a coin for the sides (mirrored where the two
have met). In even rounds there are two piles, by the side a player is owed, sorted by
score and shuffled within it; the top of one meets the top of the other, and neutral
players join the smaller pile. The last card has the bye. Where a table is not allowed,
cards are swapped, as few and as near as possible: each swap is the one after which the
fewest tables are not allowed.

Source: the procedure by hand that Aesop's Tables describes.
"""

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.base import EngineOptions, Solution, Status
from pairopt.event.arcs import BYE, Arcs, BoolArray, IntArray, arcs_of
from pairopt.problem.problem import Problem

DEALS = 100  # deals that are tried before giving up


def solve(problem: Problem, options: EngineOptions) -> Solution:
    """Pair the round with cards, as the procedure by hand does.

    There is no pairing if all `DEALS` deals break a constraint, or if the deadline
    passes before one does not. The status is "heuristic", or "unknown" without a
    pairing: nothing is proven, and no level has a bound. The same seed of the budget
    always deals the same cards.
    """
    dealt_arcs = _deal_tables(problem, options.budget)
    solution_status: Status = "unknown" if dealt_arcs is None else "heuristic"
    return Solution(solution_status, dealt_arcs, (None,) * len(problem.levels))


def _deal_tables(problem: Problem, budget: Budget) -> Arcs | None:
    """Deal the cards again and again until a deal, after swaps, breaks no constraint.

    Returns the arcs with their sides. Returns None after `DEALS` deals, or when time is
    up. The budget's seed decides the deals.
    """
    rng = np.random.default_rng([budget.seed, 2])
    is_even_round = problem.state.event.round % 2 == 0 and problem.state.sided
    for _ in range(DEALS):
        if budget.is_over:
            break
        if is_even_round:
            cards = _order_by_piles(problem, rng)
        else:
            # by score, each score group shuffled
            random_order = rng.permutation(len(problem))
            cards = np.lexsort((random_order, -problem.state.score))
        repaired_tables = _repair_by_swaps(problem, cards, is_even_round)
        if repaired_tables is not None:
            return _choose_sides_of_tables(problem, repaired_tables, is_even_round, rng)
    return None


def _order_by_piles(problem: Problem, rng: np.random.Generator) -> IntArray:
    """Return the cards (positions of players) in the order of seats, for an even round.

    Players who are owed the first side make one pile, those who are owed the second
    side the other, and neutral players join the smaller pile. Each pile is sorted by
    score. Seats 2k and 2k + 1 (table k) get one card of each pile. Surplus cards of the
    larger pile come last and meet each other. `rng` shuffles players of equal score,
    and decides between equal piles.
    """
    side_bias = problem.state.bias
    first_pile = list(np.flatnonzero(side_bias < 0))
    second_pile = list(np.flatnonzero(side_bias > 0))
    for card in rng.permutation(np.flatnonzero(side_bias == 0)):
        smaller_pile_size = min(len(first_pile), len(second_pile))
        smaller_piles = [
            pile for pile in (first_pile, second_pile) if len(pile) <= smaller_pile_size
        ]
        smaller_piles[rng.integers(len(smaller_piles))].append(card)
    ordered_piles = []
    for pile in (first_pile, second_pile):
        pile_cards = np.array(pile, np.int64)
        random_order = rng.permutation(len(pile_cards))
        ordered_piles.append(
            pile_cards[np.lexsort((random_order, -problem.state.score[pile_cards]))]
        )
    table_count = min(map(len, ordered_piles))
    facing_cards = np.column_stack(
        [pile[:table_count] for pile in ordered_piles]
    ).ravel()
    return np.concatenate(
        [facing_cards, *(pile[table_count:] for pile in ordered_piles)]
    )


def _repair_by_swaps(problem: Problem, cards: IntArray, even: bool) -> Arcs | None:
    """Swap cards until all tables are allowed; return the tables as arcs.

    `cards` holds the card on each seat. It is not changed. Returns None as soon as no
    single swap makes more tables allowed. `even` is True in an even round, in which the
    cards come from two piles.
    """
    cards = cards.copy()
    while True:
        tables = _arcs_of_tables(cards)
        is_allowed = _find_allowed_tables(problem, tables)
        if is_allowed.all():
            return tables
        swapped_seats = _find_best_swap(problem, cards, is_allowed, even)
        if swapped_seats is None:
            return None
        cards[swapped_seats] = cards[swapped_seats[::-1]]


def _find_best_swap(
    problem: Problem, cards: IntArray, allowed: BoolArray, even: bool
) -> IntArray | None:
    """Return the two seats whose cards to swap, or None if no swap allows more tables.

    `cards` holds the card (a player's position) on each seat, and seats 2k and 2k + 1
    are table k. `allowed`, shape (tables,), says whether each table is allowed. One
    seat is at the first table that is not allowed, the other at any other table. The
    best swap makes the most tables allowed. Among equal swaps in an even round
    (`even`), those within one pile come first, then those of the nearest seats. The
    result has shape (2,).
    """
    card_count, forbidden_table = len(cards), int(np.argmin(allowed))
    # all swaps of a seat of the table with a seat elsewhere
    swapped_seats = np.repeat(
        np.arange(2 * forbidden_table, min(2 * forbidden_table + 2, card_count)),
        card_count,
    )
    other_seats = np.tile(np.arange(card_count), len(swapped_seats) // card_count)
    is_elsewhere = other_seats // 2 != forbidden_table
    swapped_seats, other_seats = swapped_seats[is_elsewhere], other_seats[is_elsewhere]

    allowed_count_before = (
        allowed[forbidden_table].astype(np.int64) + allowed[other_seats // 2]
    )
    is_allowed_on_seat = _find_allowed_seats(
        problem, cards, cards[other_seats], swapped_seats
    )
    is_allowed_on_other_seat = _find_allowed_seats(
        problem, cards, cards[swapped_seats], other_seats
    )
    allowed_count_gain = (
        is_allowed_on_seat.astype(np.int64)
        + is_allowed_on_other_seat
        - allowed_count_before
    )
    seat_distances = np.abs(swapped_seats - other_seats)
    is_across_piles = (seat_distances % 2 == 1) & even
    best_swap_index = np.lexsort(
        (seat_distances, is_across_piles, -allowed_count_gain)
    )[:1]
    if not len(best_swap_index) or allowed_count_gain[best_swap_index[0]] <= 0:
        return None
    return np.concatenate(
        [swapped_seats[best_swap_index], other_seats[best_swap_index]]
    )


def _find_allowed_seats(
    problem: Problem, cards: IntArray, card: IntArray, seat: IntArray
) -> BoolArray:
    """Return whether card[k] would be allowed on seat[k] with the neighbour there.

    `cards` holds the card on each seat now. For each k only the card on seat[k] is
    replaced. Seats 2k and 2k + 1 are neighbours; without a neighbour a card has the
    bye. The result has the shape of `card` and `seat`.
    """
    neighbour_cards = np.append(cards, BYE)[np.minimum(seat ^ 1, len(cards))]
    is_second_seat = (seat % 2 == 1) & (neighbour_cards != BYE)
    first_cards = np.where(is_second_seat, neighbour_cards, card)
    second_cards = np.where(is_second_seat, card, neighbour_cards)
    return _find_allowed_tables(problem, arcs_of(first_cards, second_cards))


def _arcs_of_tables(cards: IntArray) -> Arcs:
    """Return the tables as arcs: cards 2k and 2k + 1 meet.

    The last of an odd number of cards has the bye.
    """
    bye_if_odd = np.full(len(cards) % 2, BYE)
    return arcs_of(cards[::2], np.append(cards[1::2], bye_if_odd))


def _find_allowed_tables(problem: Problem, arcs: Arcs) -> BoolArray:
    """Return a mask of the tables that no constraint forbids, shape (arcs,).

    It is enough if one of the two ways round is allowed.
    """
    if not problem.state.sided:
        return problem.legal(arcs)
    return problem.legal(arcs) | problem.legal(arcs.reversed())


def _choose_sides_of_tables(
    problem: Problem, arcs: Arcs, even: bool, rng: np.random.Generator
) -> Arcs:
    """Return tables as arcs with sides, which a coin decides in an odd round.

    In an even round (`even`) the first card of a table, which comes from the first
    pile, has the first side. If only one way round is allowed, it is taken. Without
    sides in the game the arcs stay as they are. `rng` tosses the coins.
    """
    if not problem.state.sided:
        return arcs
    is_coin_swapped = np.zeros(len(arcs), np.bool_)
    if not even:
        is_coin_swapped = rng.integers(0, 2, len(arcs)) == 1
    is_legal, is_swapped_legal = problem.legal(arcs), problem.legal(arcs.reversed())
    is_table_reversed = np.where(
        is_legal & is_swapped_legal, is_coin_swapped, is_swapped_legal
    )
    return arcs.turned(arcs.match & is_table_reversed)
