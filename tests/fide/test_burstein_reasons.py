"""Reasons under the Burstein System, against an oracle that tries every pairing in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import combinations
from pathlib import Path
from random import Random

import pandas as pd
import pytest
from burstein_cases import CASES
from burstein_literal import Literal
from burstein_round import BursteinRound, burstein
from click.testing import CliRunner
from dutch_random import random_round
from dutch_round import Round
from events import some_or_all
from test_dutch_reasons import first_worse

from pairopt import check, explain, read_event
from pairopt.cli import main
from pairopt.round.explain import Alternative, Explanation

PAIRS = 6
"""So many pairs of a round are asked about."""


@dataclass(frozen=True)
class Barred(BursteinRound):
    """A round in which some may not have the bye."""

    without_bye: frozenset[int] = frozenset()

    def may_bye(self, number: int) -> bool:
        return number not in self.without_bye and super().may_bye(number)


def together(given: BursteinRound, one: int, two: int) -> Barred:
    """The round in which these two can only meet each other."""
    away = {
        frozenset((a, b)) for a in (one, two) for b in given.here if b not in (one, two)
    }
    known = {each.name: getattr(given, each.name) for each in fields(Round)}
    known["forbidden"] = given.forbidden | away
    return Barred(**known, without_bye=frozenset((one, two)))


def changed_first(given: BursteinRound, pairs: Iterable[tuple[int, int]]) -> float:
    """The score of the first bracket, from the top, that is paired otherwise than it should be."""
    own = {*map(frozenset, Literal(given).pairs() or [])}
    differ = [pair for pair in own ^ {*map(frozenset, pairs)} if 0 not in pair]
    return max(min(map(given.score, pair)) for pair in differ) / 2


def agrees(
    given: BursteinRound, found: Explanation, answer: Alternative, other: BursteinRound
) -> str:
    """The kind of an answer, which must be that of the oracle for the `other` round."""
    pairs = Literal(other).pairs()
    if pairs is None:
        assert answer.kind == "impossible", answer
        return answer.kind
    assert answer.kind == "worse", answer
    assert answer.level is not None
    level, worse = (
        found.result.level_values[k]
        for k in (answer.level, first_worse(found.result, pairs))
    )
    criterion = level.criterion
    if (
        worse.criterion == "C7"
    ):  # it looks ahead: at what could be, and not at what was made
        bracket = float(str(level.level).partition("/")[0])
        assert bracket == changed_first(given, pairs), answer
        assert level.place >= worse.place
    else:
        assert level == worse, answer
    assert f"({criterion})" in answer.sentence
    return {"4": "order", "3": "bye"}.get(criterion[0], "quality")


def rounds(count: int) -> Iterable[BursteinRound]:
    """Random rounds of 6 to 10 players, after the seeding rounds."""
    seed = found = 0
    while found < count:
        given = burstein(random_round(seed))
        seed += 1
        if (
            len(given.here) >= 6
            and not given.seeding
            and Literal(given).pairs() is not None
        ):
            found += 1
            yield given


@pytest.mark.long
@some_or_all
def test_every_other_opponent(share: int, tmp_path: Path) -> None:
    seen = Counter[str]()
    path = tmp_path / "round.trf"
    for number, given in enumerate(rounds(120 // share // share)):
        path.write_text(given.trf(), encoding="utf-8")
        event, pairs = read_event(path), {*map(frozenset, Literal(given).pairs() or [])}
        every = [
            pair for pair in combinations(given.here, 2) if frozenset(pair) not in pairs
        ]
        asked = Random(number).sample(every, min(PAIRS, len(every)))
        found = explain(
            event, "fide-burstein", why_not=[(str(a), str(b)) for a, b in asked]
        )
        for answer, pair in zip(found.answers, asked, strict=True):
            seen[agrees(given, found, answer, together(given, *pair))] += 1
    for kind in ("impossible", "quality", "order", "bye"):
        assert seen[kind] >= 10 // share, seen


FIRST_MEETS_LAST = "first meets last"


@pytest.mark.parametrize(
    ("pairs", "criterion"),
    [
        ([(6, 1), (2, 3), (4, 5)], None),
        ([(6, 1), (2, 4), (5, 3)], "C8"),
        ([(2, 1), (6, 5), (4, 3)], "4.3"),
    ],
)
def test_a_check_names_the_first_difference(
    pairs: list[tuple[int, int]], criterion: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "round.trf"
    path.write_text(CASES[FIRST_MEETS_LAST][0].trf(), encoding="utf-8")
    rows = [
        {
            "round": 2,
            "table": k,
            "player1": str(one),
            "player2": str(two),
            "side1": "white",
        }
        for k, (one, two) in enumerate(pairs, 1)
    ]
    found = check(read_event(path), pd.DataFrame(rows), "fide-burstein")
    assert found.legal
    better = (
        None if found.better is None else found.level_values[found.better].criterion
    )
    assert better == criterion


@pytest.mark.long
def test_a_round_in_words(tmp_path: Path) -> None:
    path = tmp_path / "round.trf"
    path.write_text(CASES["bye and a float of two"][0].trf(), encoding="utf-8")
    done = CliRunner().invoke(
        main,
        [
            "explain",
            str(path),
            "--model",
            "fide-burstein",
            "--why-not",
            "1:2",
            "--why-not",
            "2:6",
            "--why-bye",
            "6",
        ],
    )
    assert done.exit_code == 0, done.output
    for said in (
        "Player 6 with 1 unplayed round would have the bye, although "
        "Player 4 has only 0 and can have the bye (3.1.4)",
        "no other rule decides, so the order by the strength of the opponents decides: Player 2 "
        "would meet Player 6 instead of Player 7 (4.3)",
        "0.5 points: 2 players; 0 pairs; float down: Player 2, Player 3\n",
        "moved down: Player 2, Player 3; Player 2 - Player 7, Player 3 - Player 6\n",
        "Player 2 drops to a lower score group, because 2 of the 2 players in the group of 0.5 points must (C5)",
        "Player 7 has White, because this grants every colour preference (5.2.2)",
    ):
        assert said in done.output, done.output
