"""Elimination: the matches of a bracket, its results so far, who plays next, and who has won."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, Literal

from pairopt.errors import UnfitError
from pairopt.event.points import Score
from pairopt.words import Said, tell

LAST = 1000
"""The number of the final among the rounds that players can be out in."""
Part = Literal["main", "winners", "losers", "final"]
COMES = {"seed": "bracket.seed", "winner": "bracket.winner", "loser": "bracket.loser"}
"""What is said of where a player comes from."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """Where a player of a match comes from: a seed, or the winner or loser of a match before."""

    come: Literal["seed", "winner", "loser"]
    number: int

    def __str__(self) -> str:
        return str(tell(COMES[self.come], number=self.number))


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match of a bracket, called B1, B2, … in the order of play.

    `part` is main in a single elimination; winners, losers or final in a double one.
    """

    number: int
    part: Part
    round: int
    title: str
    seats: tuple[Entrant, Entrant]

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
def plan(players: int, double: bool = False) -> tuple[Fixture, ...]:
    """All matches in the order of play, each after those its players come from.

    Where `players` is no power of two the best seeds have a bye in the first round. In a double
    elimination a second final is the last match: it is played if the first makes both finalists
    losers of one match.
    """
    seats: list[Entrant | None] = [
        Entrant("seed", seed) if seed <= players else None for seed in seeding(players)
    ]
    made, level, lost = _Plan((players - 1).bit_length()), 0, list[Entrant | None]()
    while len(seats) > 1:
        level += 1
        seats, out = made.play("winners" if double else "main", seats)
        if double and level == 1:
            lost = out
        elif double:
            both = zip(lost, _crossed(out, level), strict=True)
            lost, _ = made.play("losers", [seat for pair in both for seat in pair])
        if double and len(lost) > 1:
            lost, _ = made.play("losers", lost)
    if double:
        made.play("final", [*seats, *lost])
        last = made.fixtures[-1].number
        made.play("final", [Entrant("winner", last), Entrant("loser", last)])
    return tuple(made.fixtures)


class _Plan:
    def __init__(self, rounds: int) -> None:
        self.fixtures: list[Fixture] = []
        self.rounds = rounds

    def play(
        self, part: Part, seats: Sequence[Entrant | None]
    ) -> tuple[list[Entrant | None], list[Entrant | None]]:
        """A round: neighbours meet; their winners, and their losers. Without a match: a bye."""
        number = 1 + max((each.round for each in self.fixtures if each.part == part), default=0)
        title = _title(part, number, self.rounds - number)
        winners, losers = list[Entrant | None](), list[Entrant | None]()
        for one, two in zip(seats[::2], seats[1::2], strict=True):
            if one is None or two is None:
                winners.append(one or two)
                losers.append(None)
                continue
            match = len(self.fixtures) + 1
            self.fixtures.append(Fixture(match, part, number, title, (one, two)))
            winners.append(Entrant("winner", match))
            losers.append(Entrant("loser", match))
        return winners, losers


def _crossed(out: Sequence[Entrant | None], level: int) -> list[Entrant | None]:
    """The losers of a round of the winners' bracket in the order they enter the losers' bracket.

    Halves change places in the second round, quarters in the third, both in the fourth, and so
    on: two who have met are then kept apart for as many rounds as can be.
    """
    bits = len(out).bit_length() - 1
    turn = sum(1 << (bits - 1 - k) for k in range(bits) if (level - 1) >> k & 1)
    return [out[k ^ turn] for k in range(len(out))]


def _title(part: Part, number: int, left: int) -> str:
    """What a round is called; `left` rounds follow in the main part."""
    if part == "main":
        return {0: "Final", 1: "Semi-finals", 2: "Quarter-finals"}.get(left, f"Round {number}")
    if part == "final":
        return "Final" if number == 1 else "Second final"
    return f"{part.capitalize()}' round {number}"


@dataclass(frozen=True, slots=True)
class BracketMatch:
    """A match as far as it is known; the higher seed is first, None for who is not known yet."""

    fixture: Fixture
    seeds: tuple[int | None, int | None]
    seats: tuple[Entrant, Entrant]
    score: Score | None

    @property
    def known(self) -> bool:
        return None not in self.seeds

    @property
    def open(self) -> bool:
        return self.known and self.score is None

    @property
    def winner(self) -> int | None:
        """The seed of the winner, None before it is played."""
        return None if self.score is None else self.seeds[self.score.two > self.score.one]

    @property
    def loser(self) -> int | None:
        """The seed of the loser, None before it is played."""
        return None if self.score is None else self.seeds[self.score.two < self.score.one]


@dataclass(frozen=True)
class Elimination:
    """Players by seed, and results by the numbers of matches: everything else follows.

    A score has the higher seed's points first. `with_result` lets only possible ones in.
    """

    players: tuple[str, ...]
    double: bool = False
    results: Mapping[int, Score] = field(default_factory=dict)

    @cached_property
    def fixtures(self) -> tuple[Fixture, ...]:
        """The matches of the bracket, the second final too."""
        return plan(len(self.players), self.double)

    @cached_property
    def matches(self) -> tuple[BracketMatch, ...]:
        made: list[BracketMatch] = []
        for fixture in self.fixtures:
            seeds: list[int | None] = [None, None]
            if not _is_second_final(fixture) or _upset(made[-1]):
                seeds = [_seed(seat, made) for seat in fixture.seats]
            both = sorted(zip(seeds, fixture.seats, strict=True), key=_known_first)
            (one, seat1), (two, seat2) = both
            score = self.results.get(fixture.number)
            made.append(BracketMatch(fixture, (one, two), (seat1, seat2), score))
        return tuple(made)

    @property
    def needed(self) -> tuple[BracketMatch, ...]:
        """The matches without a second final that is not due."""
        last = self.matches[-1]
        return self.matches[: -1 if _is_second_final(last.fixture) and not last.known else None]

    @property
    def champion(self) -> str | None:
        """The winner of it all, None before there is one."""
        seed = self.needed[-1].winner
        return None if seed is None else self.players[seed - 1]

    @cached_property
    def stages(self) -> Mapping[int, int]:
        """The round of the whole that each match belongs to, whatever its part."""
        made: dict[int, int] = {}
        for fixture in self.fixtures:
            before = [made[seat.number] for seat in fixture.seats if seat.come != "seed"]
            made[fixture.number] = max(fixture.round, 1 + max(before, default=0))
        return made

    @property
    def out(self) -> Mapping[int, int]:
        """The seeds who are out, with a number of the round they lost in, higher for later ones."""
        lost = [(match.loser, match.fixture) for match in self.matches if match.loser]
        times = Counter(seed for seed, _ in lost)
        return {seed: LAST if fixture.part == "final" else fixture.round
                for seed, fixture in lost if times[seed] > self.double}  # fmt: skip

    @property
    def ranking(self) -> list[int]:
        """The seeds: who is still in it before who lost last, equal ones as they were seeded."""
        out, seeds = self.out, range(1, len(self.players) + 1)
        return sorted(seeds, key=lambda seed: (-out.get(seed, LAST + 1), seed))

    def after(self, number: int) -> list[int]:
        """The matches whose players depend on the result of a match."""
        found = {number: None}
        for fixture in self.fixtures:
            if any(seat.come != "seed" and seat.number in found for seat in fixture.seats):
                found[fixture.number] = None
        return [*found][1:]

    def wrong(self, match: BracketMatch) -> Said | None:
        """What is wrong with the result of a match, None for nothing."""
        if match.score is None:
            return None
        if not match.known:
            name = match.fixture.name
            if _is_second_final(match.fixture):
                return tell("bracket.second_final", match=name)
            seats = zip(match.seats, match.seeds, strict=True)
            waits = [str(seat) for seat, seed in seats if seed is None]
            kind = "bracket.waits" if len(waits) == 1 else "bracket.waits_for_both"
            return tell(kind, match=name, one=waits[0], two=waits[-1])
        if match.score.one == match.score.two:
            return tell("bracket.draw")
        return None

    def with_result(self, number: int, score: Score) -> Elimination:
        """With the result of a match, or another one than before.

        Raises UnfitError for a match that is not there or waits for its
        players, a draw, and another winner where later matches have been played by the old one.
        """
        if not 1 <= number <= len(self.matches):
            raise UnfitError("bracket.no_match", number=number, last=len(self.matches))
        new = replace(self, results={**self.results, number: score})
        match = new.matches[number - 1]
        if wrong := self.wrong(match):
            raise UnfitError(wrong)
        played = [f"B{later}" for later in self.after(number) if later in self.results]
        if played and match.winner != self.matches[number - 1].winner:
            raise UnfitError("bracket.played_since", number=number, played=played)
        return new


@dataclass(frozen=True, slots=True)
class Chair:
    """One of the two in a match as people see it; no seed stands beside who is not known yet."""

    seed: str
    name: str
    points: str = ""
    won: bool = False


@dataclass(frozen=True, slots=True)
class BracketLine:
    """A match as people see it; `open` when it can be played now."""

    match: str
    part: Part
    title: str
    chairs: tuple[Chair, Chair]
    open: bool

    @property
    def score(self) -> str:
        """The result, "" before it is played."""
        return "-".join(chair.points for chair in self.chairs).removeprefix("-")


def lines(elimination: Elimination, names: Mapping[str, str]) -> list[BracketLine]:
    """The matches that are needed, B1 first; `names` by player."""

    def chair(match: BracketMatch, k: int) -> Chair:
        seed, score = match.seeds[k], match.score
        if seed is None:
            return Chair("", str(match.seats[k]))
        name = names[elimination.players[seed - 1]]
        if score is None:
            return Chair(str(seed), name)
        points = str(score).split("-")[k]
        return Chair(str(seed), name, points, match.winner == seed)

    return [
        BracketLine(match.fixture.name, match.fixture.part, match.fixture.title,
                    (chair(match, 0), chair(match, 1)), match.open)
        for match in elimination.needed
    ]  # fmt: skip


def bracket_progress(elimination: Elimination, names: Mapping[str, str]) -> list[Any]:
    """How far it is, and who plays next or has won."""
    done, every = len(elimination.results), len(elimination.needed)
    said = tell("bracket.progress", done=done, matches=every)
    if elimination.champion is not None:
        return [said, tell("bracket.won", player=names[elimination.champion])]
    now = [
        f"{line.match} {' - '.join(chair.name for chair in line.chairs)}"
        for line in lines(elimination, names)
        if line.open
    ]
    return [said, tell("bracket.next", matches=now)]


def _known_first(place: tuple[int | None, Entrant]) -> tuple[bool, int]:
    return place[0] is None, place[0] or 0


def _is_second_final(fixture: Fixture) -> bool:
    return fixture.part == "final" and fixture.round == 2


def _upset(final: BracketMatch) -> bool:
    """Whether the first final of two went to the champion of the losers' bracket."""
    if final.score is None:
        return False
    winners_champion = final.seeds[final.seats.index(final.fixture.seats[0])]
    return final.winner != winners_champion


def _seed(seat: Entrant, made: Sequence[BracketMatch]) -> int | None:
    """The seed of who comes to a seat, None for who is not known yet."""
    if seat.come == "seed":
        return seat.number
    match = made[seat.number - 1]
    return match.winner if seat.come == "winner" else match.loser
