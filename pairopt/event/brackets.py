"""Brackets: the matches of an elimination, and where the players of each come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pairopt.messages import message

Part = Literal["main", "winners", "losers", "final"]
COMES = {"seed": "bracket.seed", "winner": "bracket.winner", "loser": "bracket.loser"}
"""The message that names the origin of a player, by `BracketSlot.come`."""


@dataclass(frozen=True, slots=True)
class BracketSlot:
    """The origin of a player of a match: a seed, or an earlier winner or loser.

    `come` says which of the three, and `number` is the seed, or the number of the
    earlier match.
    """

    come: Literal["seed", "winner", "loser"]
    number: int

    def __str__(self) -> str:
        return str(message(COMES[self.come], number=self.number))


@dataclass(frozen=True, slots=True)
class BracketFixture:
    """A planned match of a bracket, called B1, B2, … in the order of play.

    `number` is 1 for B1. `part` is "main", "winners", "losers" or "final"; `round`
    counts the rounds of this part from 1, and `title` is the round's name for people.
    `seats` say where its two players come from.
    """

    number: int
    part: Part
    round: int
    title: str
    seats: tuple[BracketSlot, BracketSlot]

    @property
    def name(self) -> str:
        """The name of the match, its number after a B, such as B1."""
        return f"B{self.number}"


def seeding(players: int) -> list[int]:
    """Return the seeds in the order of the first round, from 1 to a power of two.

    This is the first power of two that is not below the number of `players`; seeds
    above that number stand for byes. Neighbours meet, then their winners, and so on: 1
    v 8, 4 v 5, …. The best two can only meet in the final.
    """
    seeds = [1]
    while len(seeds) < players:
        # Each seed meets the one that makes the sum of both the same.
        seed_sum_of_pair = 2 * len(seeds) + 1
        seeds = [
            seed_of_pair
            for placed_seed in seeds
            for seed_of_pair in (placed_seed, seed_sum_of_pair - placed_seed)
        ]
    return seeds


@cache
def plan(players: int, double: bool = False) -> tuple[BracketFixture, ...]:
    """Return all matches of a bracket in the order of play.

    A match comes after those that its players come from. Where `players` is no power of
    two, the best seeds have a bye in the first round, for which there is no match. With
    one player there are no matches. With `double`, for double elimination, the last
    match is a second final. It is in the plan even if it need not be played, which
    depends on the first final. The result is cached. `players` is the number of
    players.
    """
    winners_slots: list[BracketSlot | None] = [
        BracketSlot("seed", seed) if seed <= players else None
        for seed in seeding(players)
    ]
    bracket_plan = _BracketPlan((players - 1).bit_length())
    round_number = 0
    losers_slots: list[BracketSlot | None] = []

    while len(winners_slots) > 1:
        round_number += 1
        winners_slots, new_loser_slots = bracket_plan.play(
            "winners" if double else "main", winners_slots
        )
        if double and round_number == 1:
            losers_slots = new_loser_slots
        elif double:
            entering_loser_slots = _losers_order(new_loser_slots, round_number)
            slots_that_meet = zip(losers_slots, entering_loser_slots, strict=True)
            losers_round_slots = [
                slot
                for survivor_and_entrant in slots_that_meet
                for slot in survivor_and_entrant
            ]
            losers_slots, _ = bracket_plan.play("losers", losers_round_slots)
        if double and len(losers_slots) > 1:
            losers_slots, _ = bracket_plan.play("losers", losers_slots)

    if double:
        bracket_plan.play("final", [*winners_slots, *losers_slots])
        first_final_number = bracket_plan.fixtures[-1].number
        finalist_slots = [
            BracketSlot("winner", first_final_number),
            BracketSlot("loser", first_final_number),
        ]
        bracket_plan.play("final", finalist_slots)
    return tuple(bracket_plan.fixtures)


class _BracketPlan:
    """Collects the matches of a bracket while they are planned, round by round.

    `rounds` is the number of rounds of a single elimination, or of the winners'
    bracket. `fixtures` are the matches so far, in the order of play.
    """

    def __init__(self, rounds: int) -> None:
        self.fixtures: list[BracketFixture] = []
        self.rounds = rounds

    def play(
        self, part: Part, seats: Sequence[BracketSlot | None]
    ) -> tuple[list[BracketSlot | None], list[BracketSlot | None]]:
        """Add a round in which neighbours meet; return the slots of winners and losers.

        `part` is the part of the bracket that the round belongs to. `seats` are an even
        number of slots; the new matches are appended to `fixtures`. Each returned list
        has one slot for two neighbours. If one of them is None, the other has a bye, no
        match is added, and the loser's slot is None.
        """
        earlier_round_numbers = [
            fixture.round for fixture in self.fixtures if fixture.part == part
        ]
        round_number = 1 + max(earlier_round_numbers, default=0)
        round_title = _round_title(part, round_number, self.rounds - round_number)

        winner_slots: list[BracketSlot | None] = []
        loser_slots: list[BracketSlot | None] = []
        for first_slot, second_slot in zip(seats[::2], seats[1::2], strict=True):
            if first_slot is None or second_slot is None:
                winner_slots.append(first_slot or second_slot)
                loser_slots.append(None)
                continue
            match_number = len(self.fixtures) + 1
            fixture = BracketFixture(
                match_number, part, round_number, round_title, (first_slot, second_slot)
            )
            self.fixtures.append(fixture)
            winner_slots.append(BracketSlot("winner", match_number))
            loser_slots.append(BracketSlot("loser", match_number))
        return winner_slots, loser_slots


def _losers_order(
    losers: Sequence[BracketSlot | None], level: int
) -> list[BracketSlot | None]:
    """Return the losers of a winners' round in their order in the losers' bracket.

    `level` is the number of the winners' round. Halves are swapped in the second round,
    quarters in the third, both in the fourth, and so on: two players who have met are
    kept apart for as many rounds as possible. The number of losers is a power of two;
    None stands for a slot without a loser.
    """
    position_bit_count = len(losers).bit_length() - 1
    position_bits_to_flip = sum(
        1 << (position_bit_count - 1 - bit_index)
        for bit_index in range(position_bit_count)
        if (level - 1) >> bit_index & 1
    )
    return [
        losers[loser_index ^ position_bits_to_flip]
        for loser_index in range(len(losers))
    ]


def _round_title(part: Part, number: int, rounds_left: int) -> str:
    """Return a round's title for people, such as "Semi-finals" or "Losers' round 2".

    `number` counts the rounds of this part of the bracket from 1. `rounds_left` are the
    rounds that follow; they count only in "main", single elimination, whose last three
    rounds have names of their own. The part "final" has "Final" and "Second final".
    """
    if part == "main":
        title_by_rounds_left = {0: "Final", 1: "Semi-finals", 2: "Quarter-finals"}
        return title_by_rounds_left.get(rounds_left, f"Round {number}")
    if part == "final" and number in (1, 2):
        return "Final" if number == 1 else "Second final"
    return f"{part.capitalize()}' round {number}"
