"""Continuations: what comes after each result of a match, to the cut at the end of the Swiss.

In the last round all results of the other tables are listed if they are not too many. Else, and
where rounds are left, results and pairings are drawn: the same luck for each result of a table, so
that what differs between two results is due to them alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from pairopt.event.arcs import BYE, BoolArray, FloatArray, IntArray
from pairopt.event.event import Event, Matches
from pairopt.event.points import Points
from pairopt.event.turns import points_of
from pairopt.lab.incentive.cut_line import CutLine
from pairopt.lab.incentive.outcomes import Law, Outcomes, outcomes_of
from pairopt.lab.luck import Purpose, pairing_seed, uniforms
from pairopt.lab.play import paired, rows_of
from pairopt.problem.model import Model

MOST_STANDINGS = 2**20
"""More final standings than these are not listed: 10 tables with three results each."""
SLOW = 128
"""How much longer standings take whose tie-breaks are not worked out for all at once."""
INNER = 32
"""Results of the last round that are drawn for each of its pairings."""
AT_ONCE = 2**14
SAMPLES = 4000
FEWER = 200
"""Continuations that are drawn where nobody says how many: of the last round, and before it."""

Exact = list[Fraction]
Drawn = FloatArray
Values = tuple[Exact, Exact] | tuple[Drawn, Drawn]
"""Of both players of a table the chance of the cut after each result, or, shape (results,
samples), their part of a place in each continuation that was drawn."""


@dataclass(frozen=True)
class Continuations:
    """A round of an event with open rows, and all that may come until a cut after `rounds` rounds.

    `event` is before the round, `present` are those who play on and may make the cut.
    """

    event: Event
    rows: Matches
    cut: int
    present: BoolArray
    rounds: int
    points: Points
    law: Law
    model: Model
    samples: int
    seed: int = 0

    @cached_property
    def line(self) -> CutLine:
        """The round, as if it were the last one."""
        return CutLine(self.event, self.rows, self.cut, self.present)

    @cached_property
    def open(self) -> Matches:
        """The rows that wait for their result: the tables."""
        return self.rows.take(self.line.open)

    @cached_property
    def outcomes(self) -> Outcomes:
        """How each of these tables can end."""
        return outcomes_of(self.law, self.points, self.open)

    @property
    def last(self) -> bool:
        """Whether the cut is after this round."""
        return self.event.round >= self.rounds

    @cached_property
    def exact(self) -> bool:
        """Whether all that may come is listed."""
        several = (self.outcomes.honest > 0).sum(axis=1).tolist()
        each = len(self.outcomes.results) * sum(prod(several) // k for k in several)
        return self.last and each * (1 if self.line.quick else SLOW) <= MOST_STANDINGS

    def values(self, table: int) -> Values:
        """What each result of a table, by its number from 0, means to both of its players."""
        if self.exact:
            return self._listed(table)
        players = int(self.open.first[table]), int(self.open.second[table])
        drawn = self._drawn(self.line, self.outcomes, np.arange(self.samples))
        found = np.zeros((2, len(self.outcomes.results), self.samples))
        for result in range(len(self.outcomes.results)):
            drawn[:, table] = result
            if self.last:
                found[:, result] = self._shares(self.line, self.outcomes, drawn, players)
                continue
            for sample, results in enumerate(drawn):
                found[:, result, sample] = self._played_on(results, sample, players)
        return found[0], found[1]

    def _listed(self, table: int) -> Values:
        """Exact chances, over all results of the other tables."""
        honest = self.outcomes.honest
        some = [np.flatnonzero(row).tolist() for row in honest]
        some[table] = [0]
        every = np.array(list(product(*some)), np.int64).reshape(-1, len(some))
        likely = np.ones(len(every))
        for other in range(len(some)):
            likely *= 1 if other == table else honest[other][every[:, other]]
        found: tuple[Exact, Exact] = [], []
        for result in range(len(self.outcomes.results)):
            every[:, table] = result
            for player, mine in zip((self.open.first, self.open.second), found, strict=True):
                mine.append(self._exact_share(every, likely, int(player[table])))
        return found

    def _exact_share(self, every: IntArray, likely: FloatArray, player: int) -> Fraction:
        """The sum of parts of a place, each as likely as its results."""
        weight = np.zeros((len(self.event.players) + 1,) * 2)
        for start in range(0, len(every), AT_ONCE):
            piece = slice(start, start + AT_ONCE)
            places, tied = self.line.shares(*self._points(self.outcomes, every[piece]), player)
            np.add.at(weight, (places, tied), likely[piece])
        pairs = zip(*(each.tolist() for each in np.nonzero(weight)), strict=True)
        return sum((Fraction(float(weight[k, m])) * Fraction(k, m) for k, m in pairs), Fraction())

    def _points(self, outcomes: Outcomes, results: IntArray) -> tuple[IntArray, IntArray]:
        """The points of both players of each table, scaled; shape (m, tables)."""
        scale = self.event.scale
        ends = np.array([[int(a * scale), int(b * scale)] for a, b in outcomes.results])
        return ends[results, 0], ends[results, 1]

    def _shares(
        self, line: CutLine, outcomes: Outcomes, results: IntArray, players: tuple[int, int]
    ) -> FloatArray:
        """The part of a place in the cut of two players after these results, shape (2, m)."""
        points = self._points(outcomes, results)
        both = [line.shares(*points, player) for player in players]
        return np.array([places / tied for places, tied in both])

    def _drawn(self, line: CutLine, outcomes: Outcomes, samples: IntArray) -> IntArray:
        """Results of all tables in each sample, shape (samples, tables)."""
        rows = line.rows.take(line.open)
        one, two = np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second)
        luck = uniforms(self.seed, samples[:, None], Purpose.MATCH, line.event.round, one, two)
        below = np.cumsum(outcomes.honest, axis=1)[:, :-1]
        return np.asarray((luck[:, :, None] >= below).sum(axis=2), np.int64)

    def _played_on(self, results: IntArray, sample: int, players: tuple[int, int]) -> FloatArray:
        """The part of a place of two players, the later rounds being paired and played."""
        line, outcomes = self.line, self.outcomes
        while True:
            event = self._after(line, outcomes, results)
            seed = pairing_seed(self.seed, sample, event.round)
            last = event.round >= self.rounds
            made = paired(event, self.model, seed, last)
            if made.arcs is None:  # the Swiss ends here, with the standings as they are
                rows = Matches.empty()
            else:
                rows = with_byes(rows_of(made, made.arcs, event.round), self.points, event.scale)
            line = CutLine(event, rows, self.cut, self.present)
            outcomes = outcomes_of(self.law, self.points, rows.take(line.open))
            several = sample * INNER + np.arange(INNER if last else 1)
            drawn = self._drawn(line, outcomes, several)
            if last or made.arcs is None:
                return np.asarray(self._shares(line, outcomes, drawn, players).mean(axis=1))
            results = drawn[0]

    def _after(self, line: CutLine, outcomes: Outcomes, results: IntArray) -> Event:
        """The event after a round with these results."""
        rows, event = line.rows, line.event
        score1, score2 = rows.score1.copy(), rows.score2.copy()
        score1[line.open], score2[line.open] = self._points(outcomes, results)
        done = replace(rows, score1=score1, score2=score2, scored=np.ones(len(rows), np.bool_))
        matches = event.matches.take(event.matches.round < event.round).joined(done)
        return replace(
            event, matches=matches, round=event.round + 1, active=self.present, requested=()
        )

    @cached_property
    def bounds(self) -> tuple[IntArray, IntArray]:
        """The least and the most points of each player at the end, scaled."""
        ends = [value for result in self.points.results for value in result]
        least, most = min(ends), max([*ends, self.points.allocated_bye])
        low, high = np.zeros((2, len(self.event.players)))
        left = self.rounds - self.event.round
        for row in (self.open.first, self.open.second):
            low[row] += float(min(ends))
            high[row] += float(max(ends))
        now = points_of(self.line.after)
        scaled = [np.rint((each + left * float(end)) * self.event.scale).astype(np.int64)
                  for each, end in ((low, least), (high, most))]  # fmt: skip
        return now + scaled[0], now + scaled[1]

    def settled(self, player: int) -> int | None:
        """1 for who makes the cut whatever happens, 0 for who does not, else None; by points."""
        low, high = self.bounds
        others = self.present.copy()
        others[player] = False
        if (low[others] > high[player]).sum() >= self.cut:
            return 0
        return 1 if (high[others] >= low[player]).sum() < self.cut else None


def with_byes(rows: Matches, points: Points, scale: int) -> Matches:
    """The rows of a pairing, byes with their points."""
    bye = rows.second == BYE
    return replace(
        rows,
        score1=np.where(bye, int(points.allocated_bye * scale), rows.score1),
        scored=rows.scored | bye,
    )
