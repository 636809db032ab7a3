"""Continuations: what comes after each result of a match, to the cut at the end of the Swiss.

In the last round all results of the other tables are listed if they are not too many. Else results
and pairings are drawn, with the same luck for each result of a table: what differs is due to them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm, prod
from typing import Literal

import numpy as np

from pairopt.event.arcs import BYE, BoolArray, FloatArray, IntArray
from pairopt.event.event import Event, Matches
from pairopt.event.points import MatchPoints, Points
from pairopt.event.score_checks import points_of
from pairopt.event.standings import rank_players, tie_breaks_of
from pairopt.event.tie_breaks import SCHEDULE
from pairopt.lab.luck import Purpose, pairing_seed, uniforms
from pairopt.lab.play import paired, rows_of
from pairopt.lab.worlds import Games, Results, chances_of
from pairopt.lab.worlds.laws import Elo
from pairopt.problem.model import Model

Agreement = Literal["two_for_one", "intentional_draw"]
WIN, DRAW, LOSS = 0, 1, 2


@dataclass(frozen=True)
class GameModel:
    """How games end: a world's results between players of these strengths (Elo points)."""

    strength: FloatArray
    results: Results = field(default_factory=Elo)
    draws: float = 0.0

    def game(
        self, number: int, first: IntArray, second: IntArray, side: IntArray
    ) -> FloatArray:
        """Probabilities that `first` wins, draws and loses, shape (3, m); `side` is 1 where `first`
        has the first side, -1 where `second` has, 0 without sides.
        """
        lower = first < second
        low, high = np.where(lower, first, second), np.where(lower, second, first)
        side = np.where(lower, side, -side)
        met = Games(0, number, low, high, side, self.strength, 0.0, self.draws)
        win, draw = chances_of(self.results, met)
        lose = np.maximum(1 - win - draw, 0)
        return np.stack([np.where(lower, win, lose), draw, np.where(lower, lose, win)])


@dataclass(frozen=True)
class MatchOutcomes:
    """How each of some matches can end: both players' points, the best for the first one first;
    their probabilities, shape (matches, results), if all games are played or agreements are kept.
    """

    results: tuple[MatchPoints, ...]
    honest: FloatArray
    agreed: Mapping[Agreement, FloatArray]


def match_outcomes(law: GameModel, points: Points, rows: Matches) -> MatchOutcomes:
    side = np.where(rows.side == 0, 1, np.where(rows.side == 1, -1, 0))
    number = int(rows.round.max(initial=1))
    game = points.game or points
    ends = ((game.win, game.loss), (game.draw, game.draw), (game.loss, game.win))
    if points.game is None:
        played = law.game(number, rows.first, rows.second, side).T
        return _possible(ends, played, {"intentional_draw": _surely(DRAW, played)})
    pairs = {
        (i, j): (ends[i][0] + ends[j][0], ends[i][1] + ends[j][1])
        for i in range(3)
        for j in range(3)
    }
    results = tuple(sorted(set(pairs.values()), key=lambda r: (-r[0], r[1])))
    ahead = np.ones(len(rows), np.int64)
    both = [law.game(number, rows.first, rows.second, turn * ahead) for turn in (1, -1)]
    honest, agreed = (np.zeros((len(rows), len(results))) for _ in range(2))
    for (i, j), result in pairs.items():
        honest[:, results.index(result)] += both[0][i] * both[1][j]
        for one, two in (both, both[::-1]):
            if i == DRAW:
                agreed[:, results.index(result)] += one[DRAW] * two[j] / 2
            elif i == j:
                agreed[:, results.index(result)] += one[i] / 2
    split = _surely(results.index(pairs[WIN, LOSS]), honest)
    return _possible(
        results, honest, {"two_for_one": agreed, "intentional_draw": split}
    )


def _surely(which: int, like: FloatArray) -> FloatArray:
    sure = np.zeros_like(like)
    sure[:, which] = 1
    return sure


def _possible(
    results: tuple[MatchPoints, ...],
    honest: FloatArray,
    agreed: Mapping[Agreement, FloatArray],
) -> MatchOutcomes:
    """Without results that nobody can have."""
    some = np.any([each.any(axis=0) for each in (honest, *agreed.values())], axis=0)
    kept = np.flatnonzero(some | (len(honest) == 0))
    return MatchOutcomes(
        tuple(results[k] for k in kept.tolist()),
        honest[:, kept],
        {name: each[:, kept] for name, each in agreed.items()},
    )


EXACT_FLOAT = 2**53  # whole numbers below it are exact in an array of floats


@dataclass(frozen=True)
class CutLine:
    """The last round of an `event`, before it, of which some rows are open, and a cut after it.
    `present` are those who may make the cut.
    """

    event: Event
    rows: Matches
    cut: int
    present: BoolArray

    @cached_property
    def open(self) -> IntArray:
        return np.flatnonzero(self.rows.open)

    @cached_property
    def _tie_breaks(self) -> Sequence[str]:
        return tie_breaks_of(self.event)

    @cached_property
    def known(self) -> Event:
        """The event after the round; nobody has points from open rows yet."""
        return self.after(0, 0)

    def after(self, one: IntArray | int, two: IntArray | int) -> Event:
        """The event after the round, with these points of both players in each open row."""
        rows, event = self.rows, self.event
        score1, score2 = rows.score1.copy(), rows.score2.copy()
        score1[self.open], score2[self.open] = one, two
        done = replace(
            rows, score1=score1, score2=score2, scored=np.ones(len(rows), np.bool_)
        )
        matches = event.matches.take(event.matches.round < event.round).concatenate(
            done
        )
        return replace(event, matches=matches, round=event.round + 1)

    def shares(
        self, one: IntArray, two: IntArray, players: Sequence[int]
    ) -> tuple[IntArray, IntArray]:
        """Places left for each of these players and their equals, and how many these are, shape
        (players, m), after these points of both players in each open row, shape (m, rows).
        """
        keys = self._keys(one, two)
        places, tied = zip(
            *(self._share(keys, player) for player in players), strict=True
        )
        return np.array(places), np.array(tied)

    def _share(
        self, keys: Sequence[FloatArray], player: int
    ) -> tuple[IntArray, IntArray]:
        above = np.zeros((len(keys[0]), int(self.present.sum())), np.bool_)
        equal = ~above
        for key in keys:
            own, others = key[:, [player]], key[:, self.present]
            above |= equal & (others > own)
            equal &= others == own
        tied = equal.sum(axis=1)
        return np.clip(self.cut - above.sum(axis=1), 0, tied), tied

    def _keys(self, one: IntArray, two: IntArray) -> list[FloatArray]:
        """What ranks players, the first that differs decides; arrays of shape (m, players)."""
        first, second = self.rows.first[self.open], self.rows.second[self.open]
        points = np.tile(points_of(self.known).astype(np.float64), (len(one), 1))
        points[:, first] += one
        points[:, second] += two
        if self.quick:
            keys = [points]
            opponents, rounds, games = self._schedule
            for number, _ in enumerate(self._tie_breaks):
                average = keys[-1] if number else points * rounds
                padded = np.column_stack([average, np.zeros(len(average))])
                keys.append(padded[:, opponents].sum(axis=2) * games)
            if max(float(key.max(initial=0)) for key in keys) < EXACT_FLOAT:
                return keys
        return [
            np.array(
                [self._ranks(*each) for each in zip(one, two, strict=True)], np.float64
            )
        ]

    @property
    def quick(self) -> bool:
        """Whether strength of schedule ranks the players, which is worked out for all at once."""
        names = tuple(self._tie_breaks)
        return names == SCHEDULE[: len(names)]

    @cached_property
    def _schedule(self) -> tuple[IntArray, FloatArray, FloatArray]:
        """Whom each has met, by round (n for nobody), and what makes means whole numbers."""
        turns = self.known.turns
        opponents = np.where(turns.played, turns.opponent, len(self.event.players))
        several = [
            np.maximum(each.sum(axis=1), 1) for each in (turns.status > 0, turns.played)
        ]
        rounds, games = (np.rint(lcm(*set(each.tolist())) / each) for each in several)
        return opponents, rounds, games

    def _ranks(self, one: IntArray, two: IntArray) -> list[int]:
        after = self.after(one, two)
        rank = {
            line.player: -line.rank for line in rank_players(after, self._tie_breaks)
        }
        return [rank[player] for player in self.event.players]


MOST_STANDINGS = 2**20
"""More final standings than these are not listed: 10 tables with three results each."""
SLOW = 128  # how much longer standings take whose tie-breaks are not worked out for all at once
INNER = 32  # results of the last round that are drawn for each of its pairings
AT_ONCE = 2**14
SAMPLES, FEWER = 4000, 200
"""Continuations that are drawn where nobody says how many: of the last round, and before it."""

Exact = list[Fraction]
Values = tuple[Exact, Exact] | tuple[FloatArray, FloatArray]
"""Of both players of a table the chance of the cut after each result, or, shape (results,
samples), their part of a place in each continuation that was drawn."""


@dataclass(frozen=True)
class Continuations:
    """A round with open rows, `line` as if it were the last one, and all that may come until a cut
    after `rounds` rounds; who is `present` plays on.
    """

    line: CutLine
    rounds: int
    points: Points
    law: GameModel
    model: Model
    samples: int
    seed: int = 0

    @cached_property
    def event(self) -> Event:
        return self.line.event

    @cached_property
    def open(self) -> Matches:
        return self.line.rows.take(self.line.open)

    @cached_property
    def outcomes(self) -> MatchOutcomes:
        return match_outcomes(self.law, self.points, self.open)

    @property
    def last(self) -> bool:
        return self.event.round >= self.rounds

    @cached_property
    def exact(self) -> bool:
        several = (self.outcomes.honest > 0).sum(axis=1).tolist()
        each = len(self.outcomes.results) * sum(prod(several) // k for k in several)
        return self.last and each * (1 if self.line.quick else SLOW) <= MOST_STANDINGS

    def values(self, table: int) -> Values:
        """What each result of a table, by its number from 0, means to both of its players."""
        if self.exact:
            return self._listed(table)
        players = self._players(table)
        drawn = self._drawn(self.line, self.outcomes, np.arange(self.samples))
        found = np.zeros((2, len(self.outcomes.results), self.samples))
        for result in range(len(self.outcomes.results)):
            drawn[:, table] = result
            if self.last:
                found[:, result] = self._shares(
                    self.line, self.outcomes, drawn, players
                )
                continue
            for sample, results in enumerate(drawn):
                found[:, result, sample] = self._played_on(results, sample, players)
        return found[0], found[1]

    def _listed(self, table: int) -> Values:
        honest = self.outcomes.honest
        some = [np.flatnonzero(row).tolist() for row in honest]
        some[table] = [0]
        every = np.array(list(product(*some)), np.int64).reshape(-1, len(some))
        likely = np.ones(len(every))
        for other in range(len(some)):
            likely *= 1 if other == table else honest[other][every[:, other]]
        players, found = self._players(table), list[list[Fraction]]()
        for result in range(len(self.outcomes.results)):
            every[:, table] = result
            found.append(self._exact_shares(every, likely, players))
        one, two = zip(*found, strict=True)
        return list(one), list(two)

    def _exact_shares(
        self, every: IntArray, likely: FloatArray, players: Sequence[int]
    ) -> list[Fraction]:
        """For each player the sum of parts of a place, each as likely as its results."""
        most = len(self.event.players) + 1
        weight = np.zeros((len(players), most, most))
        for start in range(0, len(every), AT_ONCE):
            piece = slice(start, start + AT_ONCE)
            places, tied = self.line.shares(
                *self._points(self.outcomes, every[piece]), players
            )
            for own, k, m in zip(weight, places, tied, strict=True):
                np.add.at(own, (k, m), likely[piece])
        return [
            sum(
                (
                    Fraction(float(own[k, m])) * Fraction(int(k), int(m))
                    for k, m in zip(*np.nonzero(own), strict=True)
                ),
                Fraction(),
            )
            for own in weight
        ]

    def _players(self, table: int) -> tuple[int, int]:
        return int(self.open.first[table]), int(self.open.second[table])

    def _points(
        self, outcomes: MatchOutcomes, results: IntArray
    ) -> tuple[IntArray, IntArray]:
        """The points of both players of each table, scaled; shape (m, tables)."""
        scale = self.event.scale
        ends = np.array([[int(a * scale), int(b * scale)] for a, b in outcomes.results])
        return ends[results, 0], ends[results, 1]

    def _shares(
        self,
        line: CutLine,
        outcomes: MatchOutcomes,
        results: IntArray,
        players: tuple[int, int],
    ) -> FloatArray:
        """The part of a place in the cut of two players after these results, shape (2, m)."""
        places, tied = line.shares(*self._points(outcomes, results), players)
        return np.asarray(places / tied)

    def _drawn(
        self, line: CutLine, outcomes: MatchOutcomes, samples: IntArray
    ) -> IntArray:
        """Results of all tables in each sample, shape (samples, tables)."""
        rows = line.rows.take(line.open)
        one, two = (
            np.minimum(rows.first, rows.second),
            np.maximum(rows.first, rows.second),
        )
        luck = uniforms(
            self.seed, samples[:, None], Purpose.MATCH, line.event.round, one, two
        )
        below = np.cumsum(outcomes.honest, axis=1)[:, :-1]
        return np.asarray((luck[:, :, None] >= below).sum(axis=2), np.int64)

    def _played_on(
        self, results: IntArray, sample: int, players: tuple[int, int]
    ) -> FloatArray:
        """The part of a place of two players, the later rounds being paired and played."""
        line, outcomes = self.line, self.outcomes
        while True:
            after = line.after(*self._points(outcomes, results))
            event = replace(after, active=line.present, requested=())
            seed, last = (
                pairing_seed(self.seed, sample, event.round),
                event.round >= self.rounds,
            )
            made = paired(event, self.model, seed, last)
            rows = Matches.empty()  # the Swiss ends where there is no pairing
            if made.arcs is not None:
                rows = with_byes(rows_of([made], event.round), self.points, event.scale)
            line = replace(line, event=event, rows=rows)
            outcomes = match_outcomes(self.law, self.points, rows.take(line.open))
            several = sample * INNER + np.arange(INNER if last else 1)
            drawn = self._drawn(line, outcomes, several)
            if last or made.arcs is None:
                return np.asarray(
                    self._shares(line, outcomes, drawn, players).mean(axis=1)
                )
            results = drawn[0]

    def settled(self, table: int) -> tuple[int | None, int | None]:
        """Of both players of a table 1 for who makes the cut whatever happens, 0 for who does not.
        None where points do not tell. Of the rounds that are left only their points are known.
        """
        one, two = self._players(table)
        return self._settled(one, two, table), self._settled(two, one, table)

    def _settled(self, player: int, opponent: int, table: int) -> int | None:
        scale, left, present = (
            self.event.scale,
            self.rounds - self.event.round,
            self.line.present,
        )
        now = points_of(self.line.known)  # without those of open tables
        ends = [value for result in self.points.results for value in result]
        least = left * int(min(ends) * scale)
        most = left * int(max([*ends, self.points.allocated_bye]) * scale)
        results = [(int(a * scale), int(b * scale)) for a, b in self.outcomes.results]
        worst, best = min(results), max(results)
        elsewhere = present.copy()
        elsewhere[[player, *self.open.first, *self.open.second]] = False

        def above(bar: int, more: int, theirs: int, extreme: Callable[..., int]) -> int:
            """How many others are at a number of points or more, at least or at most."""
            over = present & (now + more >= bar)
            count = int((elsewhere & over).sum())
            count += bool(present[opponent] and now[opponent] + theirs + more >= bar)
            for k, (a, b) in enumerate(
                zip(self.open.first, self.open.second, strict=True)
            ):
                if k != table:
                    count += extreme(
                        sum(
                            present[p] and now[p] + own + more >= bar
                            for p, own in ((a, x), (b, y))
                        )
                        for x, y in results
                    )
            return count

        if (
            above(int(now[player]) + best[0] + most + 1, least, best[1], min)
            >= self.line.cut
        ):
            return 0
        inside = (
            above(int(now[player]) + worst[0] + least, most, worst[1], max)
            < self.line.cut
        )
        return 1 if inside else None


def with_byes(rows: Matches, points: Points, scale: int) -> Matches:
    bye = rows.second == BYE
    score1 = np.where(
        bye & ~rows.scored, int(points.allocated_bye * scale), rows.score1
    )
    return replace(rows, score1=score1, scored=rows.scored | bye)
