"""The frontier of a round: every compromise between criteria, and no other."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple, TypeVar

import numpy as np
import pytest
from events import REPEATABLE, Case, cases, events, model_of, models
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import Oracle
from simulation import rounds

from pairopt import load_model, solve
from pairopt.analysis import frontier as analysis
from pairopt.analysis.frontier import Frontier, Region, frontier, nondominated_points
from pairopt.engines.base import EngineError
from pairopt.event.arcs import Arcs, IntArray
from pairopt.event.state import State
from pairopt.event.table_assignment import PairedRow
from pairopt.rules.base import Criterion
from pairopt.rules.criteria.score_groups import ScoreGroups
from pairopt.rules.criteria.sides import SideDifference

Total = TypeVar("Total", tuple[int, ...], tuple[Fraction, ...])
SIDES = ("score_groups", "side_difference:2")


class Found(NamedTuple):
    totals: tuple[int, ...]


def pareto(points: Iterable[tuple[Fraction, ...]]) -> list[tuple[Fraction, ...]]:
    """The points that no other is at least as good as in all, ascending."""
    every = set(points)
    return sorted(
        point
        for point in every
        if not any(other != point and all(map(le, other, point)) for other in every)
    )


def le(one: Fraction, other: Fraction) -> bool:
    return one <= other


def by_brute_force(
    oracle: Oracle, over: tuple[str, ...], weighted: bool
) -> list[tuple[Fraction, ...]]:
    """The Pareto-optimal totals of all legal pairings that are best in the levels above."""
    axes, firsts = [], []
    for name in over:
        kind, _, label = name.partition(":")
        places = [k for k, row in enumerate(oracle.criteria) if row["kind"] == kind]
        own = [
            k
            for k, level in enumerate(oracle.levels)
            if level.place in places and label in ("", str(level.label))
        ]
        above = sum(level.place < places[0] for level in oracle.levels)
        axes.append(own)
        firsts.append(own[0] if label and own else above)
    held = 0 if weighted else min(firsts)
    totals = [oracle._total(pairing) for pairing in oracle.pairings()]
    best = min((total[:held] for total in totals), default=())
    return pareto(
        tuple(
            sum((Fraction(total[k], oracle.scales[k]) for k in own), Fraction())
            for own in axes
        )
        for total in totals
        if total[:held] == best
    )


@st.composite
def questions(draw: st.DrawFn, weighted: bool = False) -> tuple[Case, tuple[str, ...]]:
    """A round of up to 8 players with at least two criteria, and what is asked of it."""
    case = draw(cases(events(4, 8), models(weighted=weighted), busy=None))
    oracle = case.oracle()
    kinds = list(dict.fromkeys(row["kind"] for row in oracle.criteria))
    levels = [
        (oracle.criteria[level.place]["kind"], level.label) for level in oracle.levels
    ]
    names = [*kinds, *(f"{kind}:{label}" for kind, label in dict.fromkeys(levels))]
    chosen: list[str] = []
    for name in draw(st.permutations(names)):
        kind = name.partition(":")[0]
        alone = name != kind
        clash = [
            o
            for o in chosen
            if o == kind or (o.partition(":")[0] == kind and not alone)
        ]
        if not clash and len(chosen) < 3:
            chosen.append(name)
    if len(chosen) == 3 and draw(st.booleans()):
        chosen.pop()
    return case, tuple(chosen)


def test_a_frontier_that_misses_the_optimum_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    *_, (event, _) = rounds(8, 2, 1, "standard")
    own = frontier(event, SIDES, "standard", seed=1).own
    assert own is not None
    monkeypatch.setattr(analysis, "nondominated_points", lambda *_: iter(()))
    with pytest.raises(EngineError) as caught:
        frontier(event, SIDES, "standard", seed=1)
    assert str(own) in str(caught.value)


@pytest.mark.long
@pytest.mark.parametrize(
    "share",
    [pytest.param(8, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)],
)
def test_frontiers_equal_brute_force(share: int) -> None:
    tally = Counter[str]()

    def check(asked: tuple[Case, tuple[str, ...]]) -> None:
        case, over = asked
        assume(len(over) > 1)
        oracle = case.oracle()
        event, model = case.event(), model_of(case.model)
        found = frontier(event, over, model, seed=case.seed, **case.options)
        expected = by_brute_force(oracle, over, model.weights is not None)
        points = [amounts(found, point.totals) for point in found.points]
        assert points == expected, (over, found.said)
        assert found.status == ("optimal" if expected else "infeasible")
        for point in found.points:
            assert oracle.legal(arcs_of_rows(point.matches))
        tally["examples"] += 1
        tally[f"{len(over)} axes"] += 1
        tally["several"] += len(points) > 1
        tally["many"] += len(points) > 2
        tally["odd"] += len(oracle.active) % 2
        tally["weighted"] += model.weights is not None
        tally["held"] += bool(found.held)
        tally["own is dominated"] += (
            found.own is not None
            and bool(points)
            and amounts(found, found.own) not in points
        )

    for drawn, examples in ((questions(), 280), (questions(weighted=True), 60)):
        settings(REPEATABLE, max_examples=examples // share)(given(drawn)(check))()
    print(dict(tally))
    assert tally["examples"] >= 300 // share - 3
    kinds = ("2 axes", "3 axes", "several", "odd", "weighted", "held")
    fewest = 30 if share == 1 else 1  # a sample has some of each
    assert min(tally[kind] for kind in kinds) >= fewest, tally
    assert share > 1 or min(tally["many"], tally["own is dominated"]) >= 5


def amounts(found: Frontier, totals: tuple[int, ...]) -> tuple[Fraction, ...]:
    return tuple(
        Fraction(t + a.offset, a.scale) for t, a in zip(totals, found.axes, strict=True)
    )


def arcs_of_rows(rows: Iterable[PairedRow]) -> list[tuple[str, str | None]]:
    return [
        (str(row["player1"]), None if row["player2"] is None else str(row["player2"]))
        for row in rows
        if row["status"] != "requested"
    ]


# ------------------------------------------------------------------ larger rounds


@pytest.mark.long
@pytest.mark.parametrize("players", [16, 23])
def test_the_ends_are_those_of_the_other_engine(players: int) -> None:
    several = 0
    for event, _ in rounds(players, 6, 3, "excalibur", drops=0.0):
        found = frontier(event, SIDES, "excalibur")
        assert found.complete
        totals = np.array([point.totals for point in found.points])
        several += len(totals) > 1
        for k in range(2):
            alone = replace(
                load_model("excalibur"),
                criteria=(*load_model("excalibur").criteria[:4], Added(SIDES[k])),
            )
            best = solve(event, alone, engine="matching")
            assert best.level_values[-1].value == totals[:, k].min()
    assert several


@dataclass(frozen=True)
class Added(Criterion):
    """What an axis adds up, as one level of a model."""

    axis: str
    kind = "added"
    per_player = True

    def labels(self, state: State) -> Sequence[int]:
        return [1]

    def values(self, state: State, arcs: Arcs, labels: Sequence[int]) -> IntArray:
        rule: Criterion = (
            ScoreGroups() if self.axis == SIDES[0] else SideDifference(2, 2)
        )
        return rule.values(state, arcs, rule.labels(state)).sum(axis=1, keepdims=True)

    def words(self, label: int | str) -> str:
        return self.axis


# ------------------------------------------------------------------ compromises of anything


@pytest.mark.parametrize("dimensions", [2, 3, 4])
def test_compromises_of_any_points(dimensions: int) -> None:
    rng = random.Random(dimensions)
    for size in [*range(30)] * 4:
        points = [
            tuple(rng.randrange(7) for _ in range(dimensions)) for _ in range(size)
        ]
        within = Within(points)
        found = [
            point.totals for point in nondominated_points(within.least, dimensions)
        ]
        assert found == pareto(points)
        if dimensions == 2:
            assert len(within.asked) <= len(found) + 1


@dataclass(frozen=True)
class Within:
    """Points, and the regions that were asked about."""

    points: list[tuple[int, ...]]
    asked: list[Region] = field(default_factory=list)

    def least(self, region: Region) -> Found | None:
        self.asked.append(region)
        inside = [
            point
            for point in self.points
            if all(m is None or v <= m for v, m in zip(point[1:], region, strict=True))
        ]
        return Found(min(inside)) if inside else None
