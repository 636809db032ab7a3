"""The Burstein System bracket by bracket: every pairing in the order of article 4 is tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from burstein_round import BursteinRound
from dutch_literal import Literal as DutchLiteral

Pairs = list[tuple[int, int]]
Floats = tuple[int, ...]


class Literal:
    """One round."""

    def __init__(self, given: BursteinRound) -> None:
        self.given, self.seen = given, set[str]()
        self.place = {number: k for k, number in enumerate(given.ranked)}
        self._complete = cache(self._completed)

    def pairs(self) -> Pairs | None:
        """White and Black of each pair, the bye as (player, 0); None where there is no pairing."""
        if self.given.seeding:
            self.seen.add("seeding")
            return DutchLiteral(self.given).pairs()
        left, made = set(self.given.here), Pairs()
        if len(left) % 2:
            able = [n for n in self.given.byes if self._complete(frozenset(left - {n}))]
            if not able:
                return None
            if able[0] != self.given.byes[0]:
                self.seen.add("bye")
            made.append((able[0], 0))
            left.remove(able[0])
        if not self._complete(frozenset(left)):
            return None
        floats: Floats = ()
        groups = self._groups(left)
        for k, residents in enumerate(groups):
            below = groups[k + 1 :]
            pairs, floats = self._bracket(floats, residents, below)
            made += pairs
        return [
            pair if not pair[1] else (white, sum(pair) - white)
            for pair in made
            for white in [self.given.white(*pair) if pair[1] else 0]
        ]

    def _groups(self, left: set[int]) -> list[list[int]]:
        score = self.given.score
        scores = sorted({score(n) for n in left}, reverse=True)
        return [[n for n in sorted(left) if score(n) == each] for each in scores]

    def _bracket(
        self, moved: Floats, residents: Sequence[int], below: list[list[int]]
    ) -> tuple[Pairs, Floats]:
        """Article 3.2.2: the first of those that comply best with C5 to C8."""
        best, found = None, None
        rest = [n for group in below for n in group]
        first = True
        for pairs, floats in self.pairings(self._numbered([*moved, *residents])):
            if not self._complete(frozenset([*floats, *rest])):  # C4
                if first:
                    self.seen.add("completion")
                continue
            following = self._least(tuple(floats), below) if below else ()
            refused = sum(self.given.refused(*pair) for pair in pairs)
            quality = (self._floats(floats), following, refused)
            if best is None or quality < best:
                if first is False:
                    self.seen.add("later")
                best, found = quality, (pairs, tuple(floats))
            first = False
        assert found is not None
        self.seen |= {
            name
            for name, is_so in {
                "float": len(found[1]) > 0,
                "refused": best[2] > 0,
                "limbo": bool(set(moved) & set(found[1])),
                "moved": bool(moved),
            }.items()
            if is_so
        }
        return found

    def _numbered(self, players: list[int]) -> list[int]:
        """Article 4.1: by rank alone."""
        return sorted(players, key=self.place.__getitem__)

    def pairings(self, players: list[int]) -> Iterator[tuple[Pairs, list[int]]]:
        """Legal pairs and floaters in the order of 4.3: last opponents first, then none."""
        if not players:
            yield [], []
            return
        one, *others = players
        for two in reversed(others):
            if self.given.may_meet(one, two):
                for pairs, floats in self.pairings([n for n in others if n != two]):
                    yield [(one, two), *pairs], floats
        for pairs, floats in self.pairings(others):
            yield pairs, [one, *floats]

    def _floats(self, floats: Sequence[int]) -> tuple[int, list[int]]:
        """C5 and C6."""
        return len(floats), sorted(map(self.given.score, floats), reverse=True)

    def _least(self, floats: Floats, below: list[list[int]]) -> tuple[int, list[int]]:
        """C7: C5 and C6 as good as they can be in the following bracket."""
        rest = [n for group in below[1:] for n in group]
        return min(
            self._floats(out)
            for _, out in self.pairings(self._numbered([*floats, *below[0]]))
            if self._complete(frozenset([*out, *rest]))
        )

    def _completed(self, players: frozenset[int]) -> bool:
        """C4: whether all can be paired."""
        if not players:
            return True
        one, *others = sorted(players)
        return any(
            self.given.may_meet(one, two) and self._complete(players - {one, two})
            for two in others
        )
