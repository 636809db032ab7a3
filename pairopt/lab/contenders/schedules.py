"""Contenders that follow a schedule, whatever the score groups."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.event.brackets import seeding
from pairopt.event.event import Event
from pairopt.lab.contenders import Pairs

Slots = list[int | None]


@dataclass(frozen=True)
class Knockout:
    """Single elimination, seeded by starting number (rating, then players.csv order).

    The best seeds have the byes of the first round. After a draw the better seed
    advances. The better seed has the first side in every second round. When a single
    player is left, nobody is paired. A call with an event returns the pairs of its next
    round.
    """

    kind: ClassVar[str] = "knockout"
    partial: ClassVar[bool] = True

    def __call__(self, event: Event, seed: int, /) -> Pairs:
        """Pair the winners of the round before; in round 1 all players, by their seeds.

        A player whose opponent has left, or who has none, has a bye. The result is
        empty if a single player is left. `seed` is not used.
        """
        players_by_seed = np.argsort(event.start_numbers, kind="stable").tolist()
        bracket_slots = [
            players_by_seed[seed_number - 1]
            if seed_number <= len(players_by_seed)
            else None
            for seed_number in seeding(len(players_by_seed))
        ]
        for round_number in range(1, event.round):
            bracket_slots = _advance_bracket(event, round_number, bracket_slots)

        present_slots = [
            player if player is not None and event.active[player] else None
            for player in bracket_slots
        ]
        slot_pairs = (
            zip(present_slots[::2], present_slots[1::2], strict=True)
            if len(present_slots) > 1
            else ()
        )
        names_by_match = [
            [event.players[player] for player in slot_pair if player is not None]
            for slot_pair in slot_pairs
        ]
        side_direction = 1 if event.round % 2 else -1
        return [
            tuple(match_names[::side_direction])
            for match_names in names_by_match
            if match_names
        ]


def _advance_bracket(event: Event, number: int, slots: Slots) -> Slots:
    """Return the slots of the next bracket round: the winners of round `number`.

    Neighbouring slots play each other. A slot has a player's position, or None if it is
    empty; a single slot is returned unchanged. After a draw the better seed wins. A
    slot becomes None if both were empty. A match that was not played because a player
    had left is won by the one who had a bye.
    """
    if len(slots) <= 1:
        return slots

    round_matches = event.matches.take(event.matches.round == number)
    seed_of_player = event.start_numbers
    score_margins = (round_matches.score1 - round_matches.score2).tolist()
    played_matches = zip(
        round_matches.first.tolist(),
        round_matches.second.tolist(),
        score_margins,
        strict=True,
    )

    # by both orders of a pair; the opponent of a bye is -1
    winner_of_pair: dict[tuple[int, int], int] = {}
    for player, opponent, score_margin in played_matches:
        is_better_seed = (
            opponent >= 0 and seed_of_player[player] <= seed_of_player[opponent]
        )
        player_wins = (
            opponent < 0 or score_margin > 0 or (score_margin == 0 and is_better_seed)
        )
        winner = player if player_wins else opponent
        winner_of_pair[player, opponent] = winner_of_pair[opponent, player] = winner

    def advance(player: int | None, opponent: int | None) -> int | None:
        """Return the winner of two neighbouring slots by the matches played.

        `player` and `opponent` are the players in the slots. A player is a position in
        the event, or None for an empty slot. If one slot is empty, the other player
        advances. Returns None if nobody does.
        """
        if player is None or opponent is None:
            return opponent if player is None else player
        if (player, opponent) in winner_of_pair:
            return winner_of_pair[player, opponent]
        # if one of them had left, the other had a bye
        return winner_of_pair.get((player, -1), winner_of_pair.get((opponent, -1)))

    slot_pairs = zip(slots[::2], slots[1::2], strict=True)
    return [advance(*slot_pair) for slot_pair in slot_pairs]


@dataclass(frozen=True)
class RoundRobin:
    """A round robin: every pair meets once in n - 1 rounds, in n with an odd number n.

    It uses the Berger tables (FIDE Handbook, C.05, annex 1), with players in players.csv
    order. After the last round the tables begin again with the sides exchanged. If another
    cycle follows, the last two rounds of this one change places, as the annex recommends, so
    that nobody has three games in a row on one side. The opponent of a player who has left
    has a bye.
    """

    kind: ClassVar[str] = "round_robin"
    partial: ClassVar[bool] = True

    def __call__(self, event: Event, seed: int, /) -> Pairs:
        """Look up the pairs of the event's next round in the Berger tables.

        `seed` is not used: the tables leave no choice.
        """
        # with an empty place if the number of players is odd
        place_count = len(event.players) + len(event.players) % 2
        cycle_number, round_in_cycle = divmod(event.round - 1, place_count - 1)
        has_further_cycle = (event.settings.rounds or 0) > (cycle_number + 1) * (
            place_count - 1
        )
        if round_in_cycle >= place_count - 3 > 0 and has_further_cycle:
            round_in_cycle = 2 * place_count - 5 - round_in_cycle

        # the opponent of the last player
        last_players_opponent = round_in_cycle * (place_count // 2) % (place_count - 1)
        other_place_pairs = [
            (
                (last_players_opponent + distance_from_opponent) % (place_count - 1),
                (last_players_opponent - distance_from_opponent) % (place_count - 1),
            )
            for distance_from_opponent in range(1, place_count // 2)
        ]
        last_players_pair = (
            (last_players_opponent, place_count - 1)
            if round_in_cycle % 2 == 0
            else (place_count - 1, last_players_opponent)
        )
        place_pairs = [
            place_pair[::-1] if cycle_number % 2 else place_pair
            for place_pair in (last_players_pair, *other_place_pairs)
        ]

        present_names_by_pair = [
            [
                event.players[player_position]
                for player_position in place_pair
                if player_position < len(event.players)
                and event.active[player_position]
            ]
            for place_pair in place_pairs
        ]
        return [tuple(place_pair) for place_pair in present_names_by_pair if place_pair]
