"""Foreign fields are those of their number, and each kind is what it is called."""

import hashlib
import os
import subprocess
import sys
from collections import Counter

import pandas as pd
import pytest
from foreign import foreign
from foreign_fields import KINDS, drawn
from pages import RESULTS
from sampled import one_in


@pytest.mark.long
def test_the_rounds_of_the_committed_results_are_drawn_again() -> None:
    listed = pd.read_csv(RESULTS / "foreign.csv")
    cases = list(foreign(16, ("mixed",), None, ()))
    assert [case.name for case in cases] == listed["round"].tolist()[:16]
    assert [case.model for case in cases] == listed["model"].tolist()[:16]


def test_a_round_has_the_history_it_always_had() -> None:
    event = drawn(2).event
    rows = sorted(event.matches_frame.to_csv(index=False, header=False).splitlines())
    rows += event.players_frame.to_csv(index=False, header=False).splitlines()
    digest = hashlib.sha256("\n".join([*rows, str(event.settings.rounds)]).encode())
    assert (
        digest.hexdigest()
        == "c498aa64f6c4a05457008eb68d94ee0834f4c9f05bb3f7a7444652e127d8429b"
    )


@pytest.mark.parametrize("kind", one_in(3, KINDS))
@pytest.mark.sweep
def test_a_round_is_the_same_in_every_process(kind: str) -> None:
    drawn_there = f"drawn(1, {kind!r}).event.matches_frame.to_csv()"
    said = f"from foreign_fields import drawn; print({drawn_there})"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    texts = {
        subprocess.run(
            [sys.executable, "-c", said],
            env=environment,
            capture_output=True,
            check=True,
        ).stdout
        for _ in range(2)
    }
    assert len(texts) == 1


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_asked_sizes_are_kept_where_they_are_free(kind: str) -> None:
    _, usual, free = KINDS[kind]
    low, high = (31, 33) if free else usual
    assert all(
        low <= len(drawn(k, kind, (31, 33)).event.players) <= high for k in range(6)
    )


def test_hardly_two_players_have_the_same_score() -> None:
    event = drawn(0, "distinct", (60, 60)).event
    points: Counter[int] = Counter()
    for first, second, one, two in zip(
        event.matches.first,
        event.matches.second,
        event.matches.score1,
        event.matches.score2,
        strict=True,
    ):
        points.update({int(first): int(one), int(second): int(two)})
    assert len(set(points.values())) >= 58


@pytest.mark.long
def test_clubs_are_three_and_kept_apart() -> None:
    fields = [drawn(k, "clubs", (40, 60)) for k in range(6)]
    assert all(set(field.event.columns["club"]) == set("abc") for field in fields)
    assert {field.event.settings.apart[0].place for field in fields} == {None, 1, 2}


def test_the_share_of_pairs_that_is_said_is_forbidden() -> None:
    field = drawn(1, "forbidden", (40, 40))
    assert len(set(field.event.forbidden)) == round(0.9 * 780)
    assert "90% of all pairs forbidden" in field.name


@pytest.mark.long
def test_late_rounds_have_no_rematch_as_long_as_there_is_another_way() -> None:
    event = drawn(0, "late").event
    both = zip(event.matches.first, event.matches.second, strict=True)
    met = Counter(frozenset((int(one), int(two))) for one, two in both if two >= 0)
    assert sum(times - 1 for times in met.values()) <= 6
    assert len(met) > 0.6 * len(event.players) * (len(event.players) - 1) / 2
