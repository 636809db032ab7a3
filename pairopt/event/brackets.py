"""Brackets: which matches an elimination has, and where the players of each come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pairopt.messages import message

Part = Literal["main", "winners", "losers", "final"]
COMES = {"seed": "bracket.seed", "winner": "bracket.winner", "loser": "bracket.loser"}
"""What is said of where a player comes from."""


@dataclass(frozen=True, slots=True)
class BracketSlot:
    """Where a player of a match comes from: a seed, or the winner or loser of a match before."""

    come: Literal["seed", "winner", "loser"]
    number: int

    def __str__(self) -> str:
        return str(message(COMES[self.come], number=self.number))


@dataclass(frozen=True, slots=True)
class BracketFixture:
    """A match of a bracket, called B1, B2, … in the order of play."""

    number: int
    part: Part
    round: int
    title: str
    seats: tuple[BracketSlot, BracketSlot]

    @property
    def name(self) -> str:
        return f"B{self.number}"


def seeding(players: int) -> list[int]:
    """The seeds in the order of the first round, up to the next power of two; 1 v 8, 4 v 5, ….
    Neighbours meet, their winners meet, and so on: the best two can only meet in the final.
    """
    order = [1]
    while len(order) < players:
        order = [seed for high in order for seed in (high, 2 * len(order) + 1 - high)]
    return order


@cache
def plan(players: int, double: bool = False) -> tuple[BracketFixture, ...]:
    """All matches in the order of play, each after those its players come from. Where `players` is
    no power of two the best seeds have a bye in the first round. In a double elimination a second
    final is the last match: it is played if the first makes both finalists losers of one match.
    """
    seats: list[BracketSlot | None] = [
        BracketSlot("seed", seed) if seed <= players else None
        for seed in seeding(players)
    ]
    made, level, lost = (
        _BracketPlan((players - 1).bit_length()),
        0,
        list[BracketSlot | None](),
    )
    while len(seats) > 1:
        level += 1
        seats, out = made.play("winners" if double else "main", seats)
        if double and level == 1:
            lost = out
        elif double:
            both = zip(lost, _losers_order(out, level), strict=True)
            lost, _ = made.play("losers", [seat for pair in both for seat in pair])
        if double and len(lost) > 1:
            lost, _ = made.play("losers", lost)
    if double:
        made.play("final", [*seats, *lost])
        last = made.fixtures[-1].number
        made.play("final", [BracketSlot("winner", last), BracketSlot("loser", last)])
    return tuple(made.fixtures)


class _BracketPlan:
    def __init__(self, rounds: int) -> None:
        self.fixtures: list[BracketFixture] = []
        self.rounds = rounds

    def play(
        self, part: Part, seats: Sequence[BracketSlot | None]
    ) -> tuple[list[BracketSlot | None], list[BracketSlot | None]]:
        """A round: neighbours meet; their winners, and their losers. Without a match: a bye."""
        number = 1 + max(
            (each.round for each in self.fixtures if each.part == part), default=0
        )
        title = _title(part, number, self.rounds - number)
        winners, losers = list[BracketSlot | None](), list[BracketSlot | None]()
        for one, two in zip(seats[::2], seats[1::2], strict=True):
            if one is None or two is None:
                winners.append(one or two)
                losers.append(None)
                continue
            match = len(self.fixtures) + 1
            self.fixtures.append(BracketFixture(match, part, number, title, (one, two)))
            winners.append(BracketSlot("winner", match))
            losers.append(BracketSlot("loser", match))
        return winners, losers


def _losers_order(
    out: Sequence[BracketSlot | None], level: int
) -> list[BracketSlot | None]:
    """The losers of a round of the winners' bracket in the order they enter the losers' bracket.
    Halves change places in the second round, quarters in the third, both in the fourth, and so on:
    two who have met are then kept apart for as many rounds as can be.
    """
    bits = len(out).bit_length() - 1
    turn = sum(1 << (bits - 1 - k) for k in range(bits) if (level - 1) >> k & 1)
    return [out[k ^ turn] for k in range(len(out))]


def _title(part: Part, number: int, left: int) -> str:
    """What a round is called; `left` rounds follow in the main part."""
    if part == "main":
        return {0: "Final", 1: "Semi-finals", 2: "Quarter-finals"}.get(
            left, f"Round {number}"
        )
    finals = {1: "Final", 2: "Second final"} if part == "final" else {}
    return finals.get(number, f"{part.capitalize()}' round {number}")
