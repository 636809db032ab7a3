"""Reasons under the Dutch System, against an oracle that tries every candidate in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner
from dutch_deviations import first_deviation
from dutch_global import BELOW, Arc
from dutch_literal import Literal
from dutch_random import random_round
from dutch_round import Round
from events import some_or_all
from places import REAL, ROOT

from pairopt import explain, read_event
from pairopt.cli import main
from pairopt.event.arcs import BYE, arcs_of
from pairopt.round.explain import Alternative, Explanation
from pairopt.round.result import Result

LARGEST_GROUP = 6
"""More players of one score take the oracle too long."""
PAIRS = 6
"""So many pairs of a round are asked about."""


@dataclass(frozen=True)
class Barred(Round):
    """A round in which some may not have the bye."""

    without_bye: frozenset[int] = frozenset()

    def may_bye(self, number: int) -> bool:
        return number not in self.without_bye and super().may_bye(number)


def barred(
    given: Round, pairs: Iterable[tuple[int, int]], byes: Iterable[int] = ()
) -> Barred:
    forbidden = given.forbidden | {frozenset(pair) for pair in pairs}
    return Barred(
        given.cells,
        given.rounds,
        given.initial,
        forbidden,
        given.virtual,
        frozenset(byes),
    )


def together(given: Round, one: int, two: int) -> Barred:
    """The round in which these two can only meet each other."""
    away = [(a, b) for a in (one, two) for b in given.here if b not in (one, two)]
    return barred(given, away, (one, two))


def inside(given: Round, one: int, up: bool) -> Barred:
    """The round in which a player meets nobody with more points, or nobody with fewer."""
    mine = given.score(one)
    away = [
        (one, each)
        for each in given.here
        if (given.score(each) > mine if up else given.score(each) < mine)
    ]
    return barred(given, away, () if up else (one,))


def first_worse(result: Result, pairs: Iterable[tuple[int, int]]) -> int:
    """The first level in which a pairing of the oracle is worse."""
    names = result.problem.state.names
    seat = {int(name): k for k, name in enumerate(names)} | {0: BYE}
    one, two = (
        np.array(side)
        for side in zip(*[(seat[a], seat[b]) for a, b in pairs], strict=True)
    )
    other = result.problem.costs(arcs_of(one, two)).sum(axis=0)
    assert result.problem.totals(arcs_of(one, two)) == other.tolist()
    assert result.arcs is not None
    best = result.problem.costs(result.arcs).sum(axis=0)
    (differs,) = np.nonzero(other != best)
    assert other[differs[0]] > best[differs[0]]
    return int(differs[0])


def agrees(given: Round, found: Explanation, answer: Alternative, other: Round) -> str:
    """The kind of an answer, which must be that of the oracle for the `other` round.

    The bracket and the article that it names are those in which the other round deviates.
    """
    pairs = Literal(other).pairs()
    if pairs is None:
        assert answer.kind == "impossible", answer
        return answer.kind
    assert answer.kind == "worse", answer
    assert answer.level is not None
    level = found.result.level_values[answer.level]
    expected = first_deviation(given, [arc_of(given, *pair) for pair in pairs])
    score = (
        -1
        if level.criterion == "C5"
        else int(2 * float(str(level.level).partition("/")[0]))
    )
    assert expected == (score, level.criterion), answer
    assert f"({expected.article.removesuffix(' MDP')})" in answer.sentence
    return "quality" if expected.article.startswith("C") else "order"


def arc_of(given: Round, one: int, two: int) -> Arc:
    """A pair, or the bye, as the oracle of deviations has it."""
    if not two:
        return Arc(one, 0, given.score(one), BELOW)
    upper, lower = sorted((one, two), key=given.here.index)
    return Arc(upper, lower, given.score(upper), given.score(lower))


def facts_hold(given: Round, answer: Alternative, one: int, two: int) -> Iterable[str]:
    """The plain facts that keep two players apart, each of which the answer says first."""
    mine, theirs = given.preference(one), given.preference(two)
    met = [
        turn
        for turn, cell in enumerate(given.past(one), 1)
        if cell.played and cell.opponent == two
    ]
    absolute = mine == theirs and mine.strength == 3
    if met:
        yield f"the two players have met in round {met[0]} (C1)"
    if absolute and not (given.topscorer(one) or given.topscorer(two)):
        yield f"both players must have {'White' if mine.side == 'w' else 'Black'} (C3)"
    if frozenset((one, two)) in given.forbidden:
        yield "the organiser has forbidden this match"


def rounds(count: int) -> Iterable[Round]:
    """Random rounds of 8 to 14 players in groups that are not too large."""
    seed = found = 0
    while found < count:
        given = random_round(seed, 14)
        seed += 1
        groups = Counter(map(given.score, given.here))
        if len(given.here) >= 8 and max(groups.values()) <= LARGEST_GROUP:
            found += 1
            yield given


@pytest.mark.long
@some_or_all
def test_every_float_and_every_other_opponent(share: int, tmp_path: Path) -> None:
    seen = Counter[str]()
    for number, given in enumerate(rounds(200 // share // share)):
        path = tmp_path / "round.trf"
        path.write_text(given.trf(), encoding="utf-8")
        event = read_event(path)
        lots = Random(number)
        pairs = list(combinations(sorted(given.here), 2))
        asked = lots.sample(pairs, PAIRS)
        found = explain(event, "fide-dutch")
        if found.result.arcs is None:
            assert Literal(given).pairs() is None
            continue
        meet = {
            frozenset(
                int(str(row[seat])) for seat in ("player1", "player2") if row[seat]
            )
            for row in found.result.matches
        }
        asked = [pair for pair in asked if frozenset(pair) not in meet]
        why_not = explain(
            event, "fide-dutch", why_not=[(str(one), str(two)) for one, two in asked]
        )
        for answer, pair in zip(why_not.answers, asked, strict=True):
            seen[agrees(given, why_not, answer, together(given, *pair))] += 1
            facts = [*facts_hold(given, answer, *pair)]
            if facts:
                assert answer.sentence == f"{answer.question}: {'; '.join(facts)}"
                assert answer.kind == "impossible"
                seen["fact"] += 1
        floats = floaters(given, meet)
        assert len(found.answers) == sum(not up for _, up in floats)
        every = explain(event, "fide-dutch", why_float=[str(one) for one, _ in floats])
        for answer, (one, up) in zip(every.answers, floats, strict=True):
            group = "higher score group" if up else "lower score group"
            assert group in answer.sentence
            seen["float: " + agrees(given, every, answer, inside(given, one, up))] += 1
            alone = (
                sum(given.score(each) == given.score(one) for each in given.here) == 1
            )
            assert alone == answer.sentence.startswith(
                f"{answer.question}: nobody else has "
            )
            seen["alone"] += alone
    print(dict(seen))
    assert min(seen["fact"], seen["alone"]) >= 10 // share, seen
    for kind in ("impossible", "quality", "order"):
        assert min(seen[kind], seen[f"float: {kind}"]) >= 10 // share, seen


def floaters(given: Round, meet: set[frozenset[int]]) -> list[tuple[int, bool]]:
    """Who floats, and whether up; the bye is a float down."""
    found = []
    for players in meet:
        scores = {one: given.score(one) for one in players}
        if len(players) == 1 or len(set(scores.values())) == 2:
            found += [
                (one, len(players) == 2 and score == min(scores.values()))
                for one, score in scores.items()
            ]
    return found


@pytest.mark.long
def test_a_real_round_in_words() -> None:
    path = REAL / "dutch/published/aeroflot_open_2026_r03.trf"
    if not path.exists():
        pytest.skip("no real files here")
    found = CliRunner().invoke(main, ["explain", str(path), "--model", "fide-dutch"])
    assert found.exit_code == 0, found.output
    assert (
        "no other rule decides, so the order by pairing number decides: Bodnaruk Anastasia would "
        "meet Preobrazhenskaya Diana instead of Gorbatov Alexej (4.2)"
    ) in found.output
    assert (
        "if Preobrazhenskaya Diana (0 points) did not drop to a lower score group: "
        in found.output
    )
    assert "2 points: 15 players; 7 pairs; float down: Chertkov Maksim" in found.output
    page = (ROOT / "docs" / "fide-dutch.md").read_text(encoding="utf-8")
    quoted = (
        page.partition("<!-- aeroflot -->\n")[2]
        .partition("<!-- end -->")[0]
        .splitlines()
    )
    lines = [line.removeprefix("> ") for line in quoted if line != ">"]
    assert len(lines) == 3
    assert all(f"  {line}\n" in found.output for line in lines)
    assert (
        "has White, because the preference of the higher-ranked player is granted (5.2.4)"
        in found.output
    )


def test_who_does_not_float_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "round.trf"
    given = replace(random_round(1), cells=dict.fromkeys(range(1, 5), ()), virtual={})
    path.write_text(given.trf(), encoding="utf-8")
    (answer,) = explain(read_event(path), "fide-dutch", why_float=["1"]).answers
    assert "meets Player 3, who has the same number of points" in answer.sentence
