"""Dealing: turn the number of matches of each class into matches between players."""

from dataclasses import dataclass

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.player_types import PairClasses
from pairopt.event.arcs import BYE, BoolArray, IntArray

ATTEMPTS = 4


@dataclass(frozen=True)
class ClassDeal:
    """Matches `first` - `second` (BYE for a bye) with the class of each; `stuck` are those that are
    not of the class they were dealt for.
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
    """Deal shuffled players to the classes in use, scarcest first, swapping players of a type who
    are a special pair. The best of so many attempts, or of as many as there is time for.
    """
    dealer, best = _ClassDealer(classes, use, rng, budget), None
    for _ in range(attempts):
        tried = dealer.dealt()
        if best is None or tried.stuck.sum() < best.stuck.sum():
            best = tried
        if not best.stuck.any() or budget.is_over:
            break
    assert best is not None
    return best


class _ClassDealer:
    """Seats 2k and 2k + 1 are those of match k; `number` is its class, `seat_type` who may sit."""

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
        classes, seat_type = self.classes, self.seat_type
        bye_seat = seat_type == len(classes.size)
        player = np.full(len(seat_type), BYE, np.int64)
        taken = np.zeros(len(classes.type_of), np.bool_)
        for match, first, second in self._scarce_matches(taken):
            player[2 * match], player[2 * match + 1] = first, second
        open_seats = np.flatnonzero((player == BYE) & ~bye_seat)
        free = self.rng.permutation(np.flatnonzero(~taken))
        free = free[np.argsort(classes.type_of[free], kind="stable")]
        player[open_seats[np.argsort(seat_type[open_seats], kind="stable")]] = free
        self._swap_until_fit(player)
        fits = self._fits(player[0::2], player[1::2], self.number)
        return ClassDeal(player[0::2], player[1::2], self.number, ~fits)

    def _scarce_matches(self, taken: BoolArray) -> list[tuple[int, int, int]]:
        """Matches for the classes that hold special pairs only, marked in `taken`."""
        classes, use, listed = self.classes, self.use, self.classes.special_class
        scarce = np.zeros(len(use), np.bool_)
        scarce[listed[listed >= 0]] = True
        scarce[classes.default[classes.default >= 0]] = False
        wanted = np.flatnonzero(scarce & (use > 0))
        n, made = len(classes.type_of), []
        for c in wanted[np.argsort((classes.cap - use)[wanted], kind="stable")]:
            start = int(np.searchsorted(self.number, c))
            left = list(range(start, start + int(use[c])))
            for key in self.rng.permutation(classes.special_keys[listed == c]):
                low, high = divmod(int(key), n)
                if not left:
                    break
                if taken[low] or taken[high]:
                    continue
                if classes.type_of[low] > classes.type_of[high]:
                    low, high = high, low
                taken[low] = taken[high] = True
                made.append((left.pop(), low, high))
        return made

    def _fits(
        self, first: IntArray, second: IntArray, number: IntArray | np.int64
    ) -> BoolArray:
        """Whether each pair is of the class it sits in; a bye always is."""
        own = self.classes.class_of(first, second) == number
        return np.asarray((second == BYE) | own, np.bool_)

    def _swap_until_fit(self, player: IntArray) -> None:
        """Swap players of one type between seats, in place, until every match fits or a limit."""
        number, seat_type, rng, tries = self.number, self.seat_type, self.rng, None
        while not self.budget.is_over:
            bad = np.flatnonzero(~self._fits(player[0::2], player[1::2], number))
            tries = 20 + 10 * len(bad) if tries is None else tries - 1
            if not len(bad) or not tries:
                return
            match = bad[rng.integers(len(bad))]
            seat = 2 * match + int(rng.integers(2))
            others = np.flatnonzero(seat_type == seat_type[seat])
            others = others[others >> 1 != match]
            if not len(others):
                continue
            here = others[self._fits(player[others], player[[seat ^ 1]], number[match])]
            both = here[self._fits(player[[seat]], player[here ^ 1], number[here >> 1])]
            candidates = both if len(both) else here if len(here) else others
            other = candidates[rng.integers(len(candidates))]
            player[[seat, other]] = player[[other, seat]]
