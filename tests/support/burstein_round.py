"""A round of the Burstein System as its articles see it (FIDE C.04.4.2, from February 2026)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

from dutch_round import POINTS, Round, other


@dataclass(frozen=True)
class BursteinRound(Round):
    """The round of the Dutch System, which pairs the first ones, with what is different."""

    @property
    def seeding(self) -> bool:
        """Article 1.6."""
        return self.played < min(self.rounds // 2, 4)

    def topscorer(self, number: int) -> bool:
        """C3 has no exception."""
        return False

    def index(self, number: int) -> tuple[int, int]:
        """Buchholz and Sonneborn-Berger (article 1.7), in half points and their products."""
        buchholz = berger = 0
        for cell in self.past(number):
            score = (
                self._for_opponents(cell.opponent)
                if cell.played
                else self.points(number)
            )
            buchholz += score
            berger += score * POINTS[cell.result]
        return buchholz, berger

    def _for_opponents(self, number: int) -> int:
        """The score with a draw for each round missed in a row, if that goes on in this round."""
        score = self.points(number)
        if self.cell(number, self.played + 1).result == "Z":
            for cell in reversed(self.past(number)):
                if cell.opponent or cell.result not in ("Z", ""):
                    break
                score += POINTS["="]
        return score

    @cached_property
    def ranked(self) -> list[int]:
        """Who is to be paired, by article 1.8, whatever their scores."""

        def key(number: int) -> tuple[int, int, int]:
            buchholz, berger = self.index(number)
            return -buchholz, -berger, number

        return sorted(self.here, key=key)

    @cached_property
    def byes(self) -> list[int]:
        """Who can have the bye, in the order of articles 3.1.3 to 3.1.5."""
        place = {number: k for k, number in enumerate(self.ranked)}
        able = [number for number in self.here if self.may_bye(number)]
        return sorted(able, key=lambda n: (self.score(n), self.unplayed(n), -place[n]))

    def refused(self, one: int, two: int) -> bool:
        """C8: whether one of two does not have the side of their preference."""
        mine, theirs = self.preference(one).side, self.preference(two).side
        return mine != "" and mine == theirs

    def white(self, one: int, two: int) -> int:
        """Who of a pair has White (article 5.2)."""
        if self.seeding:
            return super().white(one, two)
        upper, lower = sorted((one, two), key=self.ranked.index)
        mine, theirs = self.preference(upper), self.preference(lower)
        if not self.sides(upper) and not self.sides(lower):
            odd = self.place_at_start[upper] % 2 == 1
            side = self.initial if odd else other(self.initial)
        elif mine.side != theirs.side:
            side = mine.side or other(theirs.side)
        elif mine.strength != theirs.strength:
            side = mine.side if mine.strength > theirs.strength else other(theirs.side)
        else:
            side = self._alternated(upper, lower) or mine.side
        return upper if side == "w" else lower


def burstein(given: Round) -> BursteinRound:
    """The same round."""
    return BursteinRound(
        **{each.name: getattr(given, each.name) for each in fields(Round)}
    )
