"""The Dutch System as a person would do it: every candidate of every bracket, in order.

FIDE C.04.3 as in force from February 2026, articles 2 to 4. Brackets from the top; candidates in
the order of 3.6, 3.7 and 4; the best by C5 to C21, then the earliest (3.8.1). For about ten
players.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import Any

from dutch_round import Round

Pairs = tuple[tuple[int, int], ...]
Quality = tuple[Any, ...]
NO_BYE = -1
"""Score of the bye's player where nobody has it."""


class Literal:
    """The pairing of a round; `seen` says what it met on the way.

    `limbo`: a moved-down player who stays unpaired; `exchange`: the chosen candidate has one;
    `completion`: a candidate of as many pairs or more left a rest that cannot be paired.
    """

    def __init__(self, given: Round) -> None:
        self.round = given
        self.seen: set[str] = set()
        self.score = {n: given.score(n) for n in given.here}
        self.rank = {n: k for k, n in enumerate(given.here)}
        self.legal = {
            frozenset(pair)
            for pair in combinations(given.here, 2)
            if given.may_meet(*pair)
        }
        self.lowest_bye = cache(self._lowest_bye)
        self.next_floats = cache(self._next_floats)

    def pairs(self) -> list[tuple[int, int]] | None:
        """White and Black of each pair, the bye as (player, 0); None where C4 cannot be kept."""
        if self.lowest_bye(frozenset(self.round.here)) is None:
            return None
        made: list[tuple[int, int]] = []
        moved: list[int] = []
        scores = sorted(set(self.score.values()), reverse=True)
        for at, score in enumerate(scores):
            chosen = self._bracket(moved, scores[at:], score)
            made += chosen
            paired = {n for pair in chosen for n in pair}
            moved = [n for n in [*moved, *self._group(score)] if n not in paired]
        sided = [self._sided(pair) for pair in made]
        return sided + [(number, 0) for number in moved]

    def _group(self, score: int) -> list[int]:
        return [n for n in self.round.here if self.score[n] == score]

    def _sided(self, pair: tuple[int, int]) -> tuple[int, int]:
        white = self.round.white(*pair)
        return white, pair[0] + pair[1] - white

    # C4, C5 and C8

    def _lowest_bye(self, rest: frozenset[int]) -> int | None:
        """The lowest score of the bye's player over all pairings of `rest`; None without any."""
        if not rest:
            return NO_BYE
        first, *others = sorted(rest, key=self.rank.__getitem__)
        found = [
            self.lowest_bye(rest - {first, second})
            for second in others
            if frozenset((first, second)) in self.legal
        ]
        alone = len(rest) % 2 and self.round.may_bye(first)
        if alone and self.lowest_bye(rest - {first}) is not None:
            found.append(self.score[first])
        return min((bye for bye in found if bye is not None), default=None)

    def _next_floats(self, moved: frozenset[int], score: int, bye: int) -> Quality:
        """C8: the fewest downfloaters of the next bracket (C6), then their scores (C7)."""
        below = {n for n in self.round.here if self.score[n] < score}
        found = []
        players = sorted([*moved, *self._group(score)], key=lambda n: self.rank[n])
        for pairs in self._some_pairs(players, score):
            paired = {n for pair in pairs for n in pair}
            floats = [n for n in [*moved, *self._group(score)] if n not in paired]
            if self.lowest_bye(frozenset(floats) | below) == bye:
                found.append((len(floats), self._scores(floats)))
        return min(found)

    def _some_pairs(self, players: Sequence[int], score: int) -> Iterator[Pairs]:
        """Every set of legal pairs of a bracket, each with a resident at least."""
        if not players:
            yield ()
            return
        first, *others = players
        yield from self._some_pairs(others, score)
        for second in others:
            if self.score[second] == score and frozenset((first, second)) in self.legal:
                left = [n for n in others if n != second]
                for more in self._some_pairs(left, score):
                    yield ((first, second), *more)

    def _scores(self, players: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted((self.score[n] for n in players), reverse=True))

    # a bracket

    def _bracket(self, moved: list[int], scores: list[int], score: int) -> Pairs:
        residents = self._group(score)
        below = frozenset(n for n in self.round.here if self.score[n] < score)
        everybody = [*moved, *residents]
        aim = self.lowest_bye(below | frozenset(everybody))
        best: tuple[Quality, Pairs, bool] | None = None
        failed = False
        for count in range(len(everybody) // 2, -1, -1):
            done: set[frozenset[tuple[int, int]]] = set()
            for pairs, exchanged in self._candidates(moved, residents, count):
                if frozenset(pairs) in done:
                    continue
                done.add(frozenset(pairs))
                paired = {n for pair in pairs for n in pair}
                floats = [n for n in everybody if n not in paired]
                bye = self.lowest_bye(below | frozenset(floats))
                if bye is None:
                    failed = True
                    continue
                quality = self._quality(moved, score, scores[1:], pairs, floats, bye)
                if best is None or quality < best[0]:
                    best = quality, pairs, exchanged
            if best is not None and best[0][0] == aim:
                break  # fewer pairs are worse by C6
        assert best is not None  # the rest can be paired: the bracket before saw to it
        _, pairs, exchanged = best
        paired = {n for pair in pairs for n in pair}
        self.seen |= {"limbo"} if any(n not in paired for n in moved) else set()
        self.seen |= {"exchange"} if exchanged else set()
        self.seen |= {"completion"} if failed else set()
        return pairs

    def _candidates(
        self, moved: list[int], residents: list[int], count: int
    ) -> Iterator[tuple[Pairs, bool]]:
        """Articles 3.3, 3.6 and 3.7: candidates of so many pairs, and whether they exchange."""
        for some in range(min(len(moved), len(residents), count), -1, -1):
            for chosen in combinations(moved, some):  # 4.4.2
                for opponents in self._transposed(chosen, residents):  # 4.2
                    rest = [n for n in residents if n not in opponents]
                    above = tuple(zip(chosen, opponents, strict=True))
                    for pairs, exchanged in self._remainder(rest, count - some):
                        yield above + pairs, exchanged

    def _remainder(
        self, players: list[int], count: int
    ) -> Iterator[tuple[Pairs, bool]]:
        """A homogeneous bracket or a remainder (3.2.2, 3.6.1)."""
        if 2 * count > len(players):
            return
        for out, into in self._exchanges(len(players), count):
            upper = [*(k for k in range(count) if k not in out), *into]
            lower = [k for k in range(len(players)) if k not in upper]
            one, two = ([players[k] for k in sorted(side)] for side in (upper, lower))
            for opponents in self._transposed(one, two):
                yield tuple(zip(one, opponents, strict=True)), bool(out)

    @staticmethod
    def _exchanges(
        size: int, count: int
    ) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Article 4.3.2, what leaves S1 and what enters it, by position from 0."""
        found = [
            (out, into)
            for many in range(min(count, size - count) + 1)
            for out in combinations(range(count), many)
            for into in combinations(range(count, size), many)
        ]
        return sorted(
            found,
            key=lambda swap: (
                len(swap[0]),
                sum(swap[1]) - sum(swap[0]),
                [-k for k in reversed(swap[0])],
                swap[1],
            ),
        )

    def _transposed(
        self, upper: Sequence[int], lower: Sequence[int]
    ) -> Iterator[tuple[int, ...]]:
        """Article 4.2: opponents of `upper` from `lower`, lexicographic, legal ones alone."""
        if not upper:
            yield ()
            return
        for number in lower:
            if frozenset((upper[0], number)) in self.legal:
                left = [n for n in lower if n != number]
                for more in self._transposed(upper[1:], left):
                    yield (number, *more)

    def _quality(
        self,
        moved: list[int],
        score: int,
        below: list[int],
        pairs: Pairs,
        floats: list[int],
        bye: int,
    ) -> Quality:
        """C5 to C21, smaller is better."""
        given = self.round
        mine = {n for pair in pairs for n in pair}
        following = self.next_floats(frozenset(floats), below[0], bye) if below else ()
        to_bye = (
            len(floats) == 1 and bye >= score
        )  # only the one who floats has such a score
        sides = {
            n: side
            for pair in pairs
            for n, side in zip(self._sided(pair), "wb", strict=True)
        }
        top = {n for pair in pairs if any(map(given.topscorer, pair)) for n in pair}
        wide = [
            n
            for n in top
            if abs(given.difference(n) + (1 if sides[n] == "w" else -1)) > 2
        ]
        thrice = [n for n in top if given.sides(n)[-2:] == 2 * sides[n]]
        refused = [
            given.preference(n)
            for n in mine
            if given.preference(n).side not in ("", sides[n])
        ]
        opponents = {two: one for one, two in pairs if one in moved}
        resident = [n for n in floats if n not in moved]
        up = {
            ago: [n for n in opponents if given.floated(n, ago) < 0] for ago in (1, 2)
        }
        down = {ago: [n for n in moved if given.floated(n, ago) > 0] for ago in (1, 2)}
        against = dict(pairs)

        def fallen(number: int) -> int:
            """How deep an MDP falls; one left in the limbo deeper than any who is paired."""
            there = self.score[against[number]] if number in against else -100
            return self.score[number] - there

        def climbed(number: int) -> int:
            return self.score[opponents[number]] - self.score[number]

        def most(numbers: list[int]) -> list[int]:
            return sorted(numbers, reverse=True)

        return (
            bye,
            len(floats),
            self._scores(floats),
            following,
            given.unplayed(floats[0]) if to_bye else 0,
            len(wide),
            len(thrice),
            len(refused),
            sum(preference.strength == 2 for preference in refused),
            sum(given.floated(n, 1) > 0 for n in resident),
            len(up[1]),
            sum(given.floated(n, 2) > 0 for n in resident),
            len(up[2]),
            most([fallen(n) for n in down[1]]),
            most([climbed(n) for n in up[1]]),
            most([fallen(n) for n in down[2]]),
            most([climbed(n) for n in up[2]]),
        )
