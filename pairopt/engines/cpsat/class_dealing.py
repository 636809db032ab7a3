"""Dealing: turn the number of matches of each class into matches between players."""

from dataclasses import dataclass

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.player_types import PairClasses
from pairopt.event.arcs import BYE, BoolArray, IntArray

ATTEMPTS = 4  # shuffles that are tried before types are split


@dataclass(frozen=True)
class ClassDeal:
    """Matches of players dealt to classes.

    Match k is `first[k]` - `second[k]` (BYE for a bye) and was dealt for class
    `number[k]`. `stuck` marks the matches that are not of their class.
    """

    first: IntArray
    second: IntArray
    number: IntArray
    stuck: BoolArray


def deal_players_to_classes(
    classes: PairClasses,
    use: IntArray,
    rng: np.random.Generator,
    budget: Budget,
    attempts: int = ATTEMPTS,
) -> ClassDeal:
    """Deal shuffled players to the matches of classes, until all of them fit.

    Class c has `use[c]` matches. The scarcest classes come first; players of a type are
    swapped where a match is a special pair of another class. Returns the attempt with
    the fewest stuck matches; attempts end when time is up.
    """
    dealer = _ClassDealer(classes, use, rng, budget)
    best: ClassDeal | None = None
    for _ in range(attempts):
        deal = dealer.dealt()
        if best is None or deal.stuck.sum() < best.stuck.sum():
            best = deal
        if not best.stuck.any() or budget.is_over:
            break
    assert best is not None
    return best


class _ClassDealer:
    """A dealer of players to the seats of matches.

    Seats 2k and 2k + 1 are those of match k. `number` is the class of each match,
    `seat_type` the type of the player in each seat.
    """

    def __init__(
        self,
        classes: PairClasses,
        use: IntArray,
        rng: np.random.Generator,
        budget: Budget,
    ) -> None:
        self.classes, self.use, self.rng, self.budget = classes, use, rng, budget
        self.number = number = np.repeat(np.arange(len(use)), use)
        self.seat_type = np.column_stack([classes.a[number], classes.b[number]]).ravel()

    def dealt(self) -> ClassDeal:
        """Deal all players once."""
        classes, seat_type = self.classes, self.seat_type
        is_bye_seat = seat_type == len(classes.size)
        player = np.full(len(seat_type), BYE, np.int64)
        is_dealt = np.zeros(len(classes.type_of), np.bool_)
        for match, first, second in self._scarce_matches(is_dealt):
            player[2 * match], player[2 * match + 1] = first, second
        # everybody else, shuffled, to the open seats of their type
        open_seats = np.flatnonzero((player == BYE) & ~is_bye_seat)
        remaining = self.rng.permutation(np.flatnonzero(~is_dealt))
        remaining = remaining[np.argsort(classes.type_of[remaining], kind="stable")]
        seats_by_type = open_seats[np.argsort(seat_type[open_seats], kind="stable")]
        player[seats_by_type] = remaining
        self._swap_until_fit(player)
        fits = self._fits(player[0::2], player[1::2], self.number)
        return ClassDeal(player[0::2], player[1::2], self.number, ~fits)

    def _scarce_matches(self, is_dealt: BoolArray) -> list[tuple[int, int, int]]:
        """Deal players to the classes that hold special pairs only, the scarcest first.

        Returns (match, first player, second player), and marks the players in
        `is_dealt`.
        """
        classes, use, special_class = self.classes, self.use, self.classes.special_class
        is_scarce = np.zeros(len(use), np.bool_)
        is_scarce[special_class[special_class >= 0]] = True
        is_scarce[classes.default[classes.default >= 0]] = False
        scarce = np.flatnonzero(is_scarce & (use > 0))
        n, matches = len(classes.type_of), []
        for c in scarce[np.argsort((classes.cap - use)[scarce], kind="stable")]:
            start = int(np.searchsorted(self.number, c))
            open_matches = list(range(start, start + int(use[c])))
            for key in self.rng.permutation(classes.special_keys[special_class == c]):
                first, second = divmod(int(key), n)
                if not open_matches:
                    break
                if is_dealt[first] or is_dealt[second]:
                    continue
                if classes.type_of[first] > classes.type_of[second]:
                    first, second = second, first
                is_dealt[first] = is_dealt[second] = True
                matches.append((open_matches.pop(), first, second))
        return matches

    def _fits(
        self, first: IntArray, second: IntArray, number: IntArray | np.int64
    ) -> BoolArray:
        """Return whether each pair is of the class `number`; a bye always is."""
        is_of_class = self.classes.class_of(first, second) == number
        return np.asarray((second == BYE) | is_of_class, np.bool_)

    def _swap_until_fit(self, player: IntArray) -> None:
        """Swap players of one type, in place, until every match fits or tries end."""
        number, seat_type, rng, tries = self.number, self.seat_type, self.rng, None
        while not self.budget.is_over:
            stuck = np.flatnonzero(~self._fits(player[0::2], player[1::2], number))
            tries = 20 + 10 * len(stuck) if tries is None else tries - 1
            if not len(stuck) or not tries:
                return
            match = stuck[rng.integers(len(stuck))]
            seat = 2 * match + int(rng.integers(2))
            seats = np.flatnonzero(seat_type == seat_type[seat])
            seats = seats[seats >> 1 != match]
            if not len(seats):
                continue
            # seats whose player fits here, and of them those where this player fits, too
            partner, partners = player[[seat ^ 1]], player[seats]
            fitting = seats[self._fits(partners, partner, number[match])]
            moved, mates = player[[seat]], player[fitting ^ 1]
            exchangeable = fitting[self._fits(moved, mates, number[fitting >> 1])]
            candidates = seats
            if len(exchangeable):
                candidates = exchangeable
            elif len(fitting):
                candidates = fitting
            other_seat = candidates[rng.integers(len(candidates))]
            player[[seat, other_seat]] = player[[other_seat, seat]]
