"""Elimination: a bracket with its results so far; who plays whom next, and who has won."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Any, Self

from pairopt.errors import InvalidValueError
from pairopt.event.brackets import BracketFixture, BracketSlot, Part, plan
from pairopt.event.points import Score
from pairopt.messages import Message, message

LAST = 1000  # the number of the final among the rounds that players can be out in


@dataclass(frozen=True, slots=True)
class BracketMatch:
    """A match as far as it is known; the higher seed is first, None for who is not known yet."""

    fixture: BracketFixture
    seeds: tuple[int | None, int | None]
    seats: tuple[BracketSlot, BracketSlot]
    score: Score | None

    @property
    def known(self) -> bool:
        return None not in self.seeds

    @property
    def open(self) -> bool:
        return self.known and self.score is None

    @property
    def winner(self) -> int | None:
        return (
            None if self.score is None else self.seeds[self.score.two > self.score.one]
        )

    @property
    def loser(self) -> int | None:
        return (
            None if self.score is None else self.seeds[self.score.two < self.score.one]
        )


@dataclass(frozen=True)
class EliminationBracket:
    """Players by seed, and results by the numbers of matches, the higher seed's points first."""

    players: tuple[str, ...]
    double: bool = False
    results: Mapping[int, Score] = field(default_factory=dict)

    @cached_property
    def fixtures(self) -> tuple[BracketFixture, ...]:
        return plan(len(self.players), self.double)

    @cached_property
    def matches(self) -> tuple[BracketMatch, ...]:
        made: list[BracketMatch] = []
        for fixture in self.fixtures:
            seeds: list[int | None] = [None, None]
            if not _is_second_final(fixture) or _upset(made[-1]):
                seeds = [_seed_of_seat(seat, made) for seat in fixture.seats]
            both = zip(seeds, fixture.seats, strict=True)
            (one, seat1), (two, seat2) = sorted(both, key=lambda each: each[0] or inf)
            score = self.results.get(fixture.number)
            made.append(BracketMatch(fixture, (one, two), (seat1, seat2), score))
        return tuple(made)

    @property
    def needed(self) -> tuple[BracketMatch, ...]:
        due = self.matches[-1].known or not _is_second_final(self.fixtures[-1])
        return self.matches if due else self.matches[:-1]

    @property
    def champion(self) -> str | None:
        seed = self.needed[-1].winner
        return None if seed is None else self.players[seed - 1]

    @cached_property
    def stages(self) -> Mapping[int, int]:
        """The round of the whole that each match belongs to, whatever its part."""
        made: dict[int, int] = {}
        for fixture in self.fixtures:
            before = [
                made[seat.number] for seat in fixture.seats if seat.come != "seed"
            ]
            made[fixture.number] = max(fixture.round, 1 + max(before, default=0))
        return made

    @property
    def out(self) -> Mapping[int, int]:
        """The seeds who are out, with a number of the round they lost in, higher for later ones."""
        lost = [(match.loser, match.fixture) for match in self.matches if match.loser]
        times = Counter(seed for seed, _ in lost)
        return {
            seed: LAST if fixture.part == "final" else fixture.round
            for seed, fixture in lost
            if times[seed] > self.double
        }

    @property
    def ranking(self) -> list[int]:
        """The seeds: who is still in it before who lost last, equal ones as they were seeded."""
        out, seeds = self.out, range(1, len(self.players) + 1)
        return sorted(seeds, key=lambda seed: (-out.get(seed, LAST + 1), seed))

    def after(self, number: int) -> list[int]:
        found = {number: None}
        for fixture in self.fixtures:
            if any(
                seat.come != "seed" and seat.number in found for seat in fixture.seats
            ):
                found[fixture.number] = None
        return [*found][1:]

    def wrong(self, match: BracketMatch) -> Message | None:
        if match.score is None or match.known:
            drawn = match.score is not None and match.score.one == match.score.two
            return message("bracket.draw") if drawn else None
        if _is_second_final(match.fixture):
            return message("bracket.second_final", match=match.fixture.name)
        seats = zip(match.seats, match.seeds, strict=True)
        waits = [str(seat) for seat, seed in seats if seed is None]
        kind = "bracket.waits" if len(waits) == 1 else "bracket.waits_for_both"
        return message(kind, match=match.fixture.name, one=waits[0], two=waits[-1])

    def matches_to_reopen(self, number: int, score: Score | None) -> tuple[int, ...]:
        """The later matches with a result that others would have played if this one had another."""
        new, gone = self._scored(number, score), list[int]()
        for later in self.after(number):
            others = new.matches[later - 1].seeds != self.matches[later - 1].seeds
            if others and later in self.results:
                gone.append(later)
                new = new._scored(later, None)
        return tuple(gone)

    def with_result(self, number: int, score: Score | None) -> Self:
        """With the result of a match, another one than before, or none. Raises InvalidValueError for one
        that cannot be, and for another winner where later matches were played by the old one.
        """
        if not 1 <= number <= len(self.matches):
            raise InvalidValueError(
                "bracket.no_match", number=number, last=len(self.matches)
            )
        new = self._scored(number, score)
        if wrong := self.wrong(new.matches[number - 1]):
            raise InvalidValueError(wrong)
        if played := [f"B{later}" for later in self.matches_to_reopen(number, score)]:
            raise InvalidValueError(
                "bracket.played_since", number=number, played=played
            )
        return new

    def _scored(self, number: int, score: Score | None) -> Self:
        others = {
            match: kept for match, kept in self.results.items() if match != number
        }
        return replace(self, results={**others, number: score} if score else others)


@dataclass(frozen=True, slots=True)
class BracketSide:
    """One of the two in a match as people see it; no seed stands beside who is not known yet."""

    seed: str
    name: str
    points: str = ""
    won: bool = False


@dataclass(frozen=True, slots=True)
class BracketLine:
    match: str
    part: Part
    title: str
    chairs: tuple[BracketSide, BracketSide]
    open: bool

    @property
    def score(self) -> str:
        return "-".join(chair.points for chair in self.chairs).removeprefix("-")


def bracket_lines(
    elimination: EliminationBracket, names: Mapping[str, str]
) -> list[BracketLine]:
    """The matches that are needed, B1 first; `names` by player."""

    def chair(match: BracketMatch, k: int) -> BracketSide:
        seed, score = match.seeds[k], match.score
        if seed is None:
            return BracketSide("", str(match.seats[k]))
        name, points = (
            names[elimination.players[seed - 1]],
            str(score or "-").split("-")[k],
        )
        return BracketSide(str(seed), name, points, match.winner == seed)

    return [
        BracketLine(
            match.fixture.name,
            match.fixture.part,
            match.fixture.title,
            (chair(match, 0), chair(match, 1)),
            match.open,
        )
        for match in elimination.needed
    ]


def bracket_progress(
    elimination: EliminationBracket, names: Mapping[str, str]
) -> list[Any]:
    done, every = len(elimination.results), len(elimination.needed)
    said = message("bracket.progress", done=done, matches=every)
    if elimination.champion is not None:
        return [said, message("bracket.won", player=names[elimination.champion])]
    now = [
        f"{line.match} {line.chairs[0].name} - {line.chairs[1].name}"
        for line in bracket_lines(elimination, names)
        if line.open
    ]
    return [said, message("bracket.next", matches=now)]


def _is_second_final(fixture: BracketFixture) -> bool:
    return fixture.part == "final" and fixture.round == 2


def _upset(final: BracketMatch) -> bool:
    """Whether the first final of two went to the champion of the losers' bracket."""
    winners_champion = final.seeds[final.seats.index(final.fixture.seats[0])]
    return final.score is not None and final.winner != winners_champion


def _seed_of_seat(seat: BracketSlot, made: Sequence[BracketMatch]) -> int | None:
    if seat.come == "seed":
        return seat.number
    match = made[seat.number - 1]
    return match.winner if seat.come == "winner" else match.loser
