"""Dealing: turn the number of matches of each class into matches between players."""

from dataclasses import dataclass

import numpy as np

from pairopt.common.budget import Budget
from pairopt.engines.player_types import PairClasses
from pairopt.event.arcs import BYE, BoolArray, IntArray

ATTEMPTS = 4  # shuffles that are tried before types are split


@dataclass(frozen=True)
class ClassDeal:
    """Matches of players, as they were dealt to pair classes.

    Match k is first[k] - second[k], with BYE as second[k] for a bye, and was dealt for
    the class number[k]. `stuck` marks the matches that do not belong to the class they
    were dealt for. All arrays have shape (matches,).
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
    """Turn the number of matches of each class into matches of players, at random.

    `use`, shape (classes,), is the number of matches of each class. An attempt shuffles
    the players, deals them to the seats of their types, and swaps players of the same
    type until matches belong to their classes. Returns the first attempt without stuck
    matches, or after `attempts` attempts, or when time is up, the one with the fewest.
    `rng` makes the random choices.
    """
    dealer = _ClassDealer(classes, use, rng, budget)
    best_deal: ClassDeal | None = None
    for _ in range(attempts):
        deal = dealer.deal_once()
        if best_deal is None or deal.stuck.sum() < best_deal.stuck.sum():
            best_deal = deal
        if not best_deal.stuck.any() or budget.is_over:
            break
    assert best_deal is not None
    return best_deal


class _ClassDealer:
    """A dealer of players to the seats of matches, for a given use of pair classes.

    `use`, shape (classes,), is the number of matches of each class. Seats 2k and 2k + 1
    are those of match k. `number` is the class of each match, and `seat_type` the
    player type that each seat is for. `rng` makes the random choices.
    """

    def __init__(
        self,
        classes: PairClasses,
        use: IntArray,
        rng: np.random.Generator,
        budget: Budget,
    ) -> None:
        self.classes, self.use, self.rng, self.budget = classes, use, rng, budget
        self.number = class_of_match = np.repeat(np.arange(len(use)), use)
        self.seat_type = np.column_stack(
            [classes.a[class_of_match], classes.b[class_of_match]]
        ).ravel()

    def deal_once(self) -> ClassDeal:
        """Make one attempt: deal all players at random, then swap those who do not fit.

        Classes that consist of special pairs only are dealt first, because few players
        fit. The result marks the matches that are still not of their class as stuck.
        """
        classes, seat_type = self.classes, self.seat_type
        is_bye_seat = seat_type == len(classes.size)
        player_of_seat = np.full(len(seat_type), BYE, np.int64)
        is_dealt = np.zeros(len(classes.type_of), np.bool_)
        for match_index, first_player, second_player in self._deal_scarce_classes(
            is_dealt
        ):
            player_of_seat[2 * match_index], player_of_seat[2 * match_index + 1] = (
                first_player,
                second_player,
            )
        # everybody else, shuffled, to the open seats of their type
        open_seats = np.flatnonzero((player_of_seat == BYE) & ~is_bye_seat)
        undealt_players = self.rng.permutation(np.flatnonzero(~is_dealt))
        undealt_players = undealt_players[
            np.argsort(classes.type_of[undealt_players], kind="stable")
        ]
        seats_by_type = open_seats[np.argsort(seat_type[open_seats], kind="stable")]
        player_of_seat[seats_by_type] = undealt_players
        self._swap_until_fit(player_of_seat)
        fits_class = self._is_of_class(
            player_of_seat[0::2], player_of_seat[1::2], self.number
        )
        return ClassDeal(
            player_of_seat[0::2], player_of_seat[1::2], self.number, ~fits_class
        )

    def _deal_scarce_classes(self, is_dealt: BoolArray) -> list[tuple[int, int, int]]:
        """Deal players to the classes that hold special pairs only, the scarcest first.

        Special pairs are tried at random. Returns (match, first player, second player)
        for each match dealt, and marks the players in `is_dealt`. A match for which no
        pair of free players is left is not dealt.
        """
        classes, use_of_class, class_of_special_pair = (
            self.classes,
            self.use,
            self.classes.special_class,
        )
        is_scarce_class = np.zeros(len(use_of_class), np.bool_)
        is_scarce_class[class_of_special_pair[class_of_special_pair >= 0]] = True
        is_scarce_class[classes.default[classes.default >= 0]] = False
        scarce_classes = np.flatnonzero(is_scarce_class & (use_of_class > 0))
        player_count, dealt_matches = len(classes.type_of), []
        for scarce_class in scarce_classes[
            np.argsort((classes.cap - use_of_class)[scarce_classes], kind="stable")
        ]:
            first_match_index = int(np.searchsorted(self.number, scarce_class))
            undealt_matches = list(
                range(
                    first_match_index,
                    first_match_index + int(use_of_class[scarce_class]),
                )
            )
            for pair_key in self.rng.permutation(
                classes.special_keys[class_of_special_pair == scarce_class]
            ):
                first_player, second_player = divmod(int(pair_key), player_count)
                if not undealt_matches:
                    break
                if is_dealt[first_player] or is_dealt[second_player]:
                    continue
                if classes.type_of[first_player] > classes.type_of[second_player]:
                    first_player, second_player = second_player, first_player
                is_dealt[first_player] = is_dealt[second_player] = True
                dealt_matches.append(
                    (undealt_matches.pop(), first_player, second_player)
                )
        return dealt_matches

    def _is_of_class(
        self, first: IntArray, second: IntArray, number: IntArray | np.int64
    ) -> BoolArray:
        """Return whether each pair first[k] - second[k] belongs to the class number[k].

        Byes always do. The result has the shape of `first`.
        """
        has_that_class = self.classes.class_of(first, second) == number
        return np.asarray((second == BYE) | has_that_class, np.bool_)

    def _swap_until_fit(self, player: IntArray) -> None:
        """Swap players of the same type until every match is of its class.

        `player`, the player in each seat, is changed in place. Each swap concerns a
        random wrong match; one after which both matches fit is preferred. Ends also
        when tries or time are over; then some matches are still wrong.
        """
        class_of_match, seat_type, rng, tries_left = (
            self.number,
            self.seat_type,
            self.rng,
            None,
        )
        while not self.budget.is_over:
            stuck_matches = np.flatnonzero(
                ~self._is_of_class(player[0::2], player[1::2], class_of_match)
            )
            tries_left = (
                20 + 10 * len(stuck_matches) if tries_left is None else tries_left - 1
            )
            if not len(stuck_matches) or not tries_left:
                return
            stuck_match = stuck_matches[rng.integers(len(stuck_matches))]
            stuck_seat = 2 * stuck_match + int(rng.integers(2))
            same_type_seats = np.flatnonzero(seat_type == seat_type[stuck_seat])
            same_type_seats = same_type_seats[same_type_seats >> 1 != stuck_match]
            if not len(same_type_seats):
                continue
            # seats whose player fits here, and of them those where this player fits, too
            partner_of_stuck, same_type_players = (
                player[[stuck_seat ^ 1]],
                player[same_type_seats],
            )
            fitting_seats = same_type_seats[
                self._is_of_class(
                    same_type_players, partner_of_stuck, class_of_match[stuck_match]
                )
            ]
            moved_player, fitting_partners = (
                player[[stuck_seat]],
                player[fitting_seats ^ 1],
            )
            exchangeable_seats = fitting_seats[
                self._is_of_class(
                    moved_player, fitting_partners, class_of_match[fitting_seats >> 1]
                )
            ]
            candidate_seats = same_type_seats
            if len(exchangeable_seats):
                candidate_seats = exchangeable_seats
            elif len(fitting_seats):
                candidate_seats = fitting_seats
            other_seat = candidate_seats[rng.integers(len(candidate_seats))]
            player[[stuck_seat, other_seat]] = player[[other_seat, stuck_seat]]
