"""Which of two pairings is better: weighted sums, two criteria of one kind, and who meets whom."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from pairopt import check, explain, read_event, solve
from pairopt.cli import main
from pairopt.problem.levels import difference_lines

WEIGHTED = """
name = "weighted"
objective = "weighted"
[[criteria]]
kind = "conflicts"
column = "club"
weight = 1
[[criteria]]
kind = "conflicts"
column = "team"
weight = 1
[[criteria]]
kind = "conflicts"
column = "family"
weight = 5
"""
TWICE = """
name = "twice"
[[criteria]]
kind = "conflicts"
column = "club"
[[criteria]]
kind = "conflicts"
column = "team"
"""


def players(**columns: str) -> pd.DataFrame:
    """A, B, C and D with a letter of each column."""
    return pd.DataFrame(
        {"player": list("ABCD"), **{k: list(v) for k, v in columns.items()}}
    )


def round_one(*pairs: str) -> pd.DataFrame:
    rows = [(1, *pair.split("-")) for pair in pairs]
    return pd.DataFrame(rows, columns=["round", "player1", "player2"])


@pytest.fixture
def weighted(tmp_path: Path) -> str:
    (tmp_path / "weighted.toml").write_text(WEIGHTED)
    return str(tmp_path / "weighted.toml")


@pytest.fixture
def twice(tmp_path: Path) -> str:
    (tmp_path / "twice.toml").write_text(TWICE)
    return str(tmp_path / "twice.toml")


# A-B costs 1 (club), A-C costs 1 (team), A-D costs 5 (family)
EQUALLY_GOOD = players(club="xx12", team="y1y2", family="z12z")


def test_an_equally_good_pairing_of_a_weighted_model_is_free(weighted: str) -> None:
    event = read_event(EQUALLY_GOOD)
    found = explain(event, weighted, why_not=[("A", "B"), ("A", "C"), ("A", "D")])
    met = {(match.player1, match.player2) for match in found.matches}
    asked = [pair for pair in (("A", "B"), ("A", "C")) if not {pair, pair[::-1]} & met]
    assert len(asked) == 1
    kinds = {answer.question[-5:]: answer for answer in found.answers}
    free, worse = kinds[" - ".join(asked[0])], kinds["A - D"]
    assert free.kind == "free"
    assert worse.kind == "worse"
    assert (worse.level, worse.optimum, worse.value) == (0, 1, 5)
    assert "5 instead of 1" in worse.sentence


@pytest.mark.parametrize("pairing", [("A-B", "C-D"), ("A-C", "B-D")])
def test_check_calls_no_equally_good_pairing_worse(
    weighted: str, pairing: tuple[str, ...]
) -> None:
    event = read_event(EQUALLY_GOOD)
    found = check(event, round_one(*pairing), weighted)
    assert found.better is None
    assert found.blame == ()
    assert found.levels["value"].tolist() in ([1, 1, 0, 0], [1, 0, 1, 0])
    assert found.levels["criterion"].tolist()[0] == "weighted_sum"


def test_check_blames_the_match_that_carries_the_weighted_sum(weighted: str) -> None:
    found = check(read_event(EQUALLY_GOOD), round_one("D-A", "B-C"), weighted)
    assert found.better == 0
    assert found.checked[0].value == 5
    assert found.checked[0].optimum == 1
    assert found.blame == ("D - A",)


def test_two_criteria_of_one_kind_are_two_levels(twice: str, tmp_path: Path) -> None:
    # whoever meets whom shares a team; A and B alone share a club
    listed = players(club="xx12", team="yyy1")
    listed.to_csv(tmp_path / "players.csv", index=False)
    run = CliRunner().invoke(
        main,
        ["solve", str(tmp_path / "players.csv"), "--model", twice, "--force", "A:B"],
    )
    assert run.exit_code == 0
    said = run.stderr.splitlines()
    assert said[said.index("than without --force:") + 1 :] == [
        "  matches of players who share club: 1 instead of 0"
    ]


def test_what_dropping_somebody_costs_is_said_where_a_level_is_new() -> None:
    # without D somebody has a second bye: a level that the whole field does not have
    rows = [
        (1, "A", "B", 3, 0, ""),
        (1, "C", "D", 3, 0, ""),
        (1, "E", None, 3, None, "bye"),
    ]
    rows += [
        (2, "A", "C", 3, 0, ""),
        (2, "E", "D", 3, 0, ""),
        (2, "B", None, 3, None, "bye"),
    ]
    columns = ["round", "player1", "player2", "score1", "score2", "status"]
    event = read_event(pd.DataFrame(rows, columns=columns, dtype=object))
    four = solve(event, "double-sided", drop=["D"])
    three = solve(event, "double-sided", drop=["D", "A"])
    lines = difference_lines(three.level_values, four.level_values)
    values = {v.words: v.value for v in three.level_values}
    assert all(
        f"{words}: {value} instead of 0" in lines
        for words, value in values.items()
        if value and words not in {v.words for v in four.level_values}
    )
    assert lines


def test_a_name_with_a_dash_is_a_name() -> None:
    listed = pd.DataFrame({"player": ["Ann - Marie", "Bo", "Cy", "Di"]})
    event = read_event(listed)
    best = solve(event, "double-sided")
    turned = best.pairings.rename(columns={"player1": "player2", "player2": "player1"})
    assert check(event, best.pairings, "double-sided").changed == ()
    assert check(event, turned, "double-sided").changed == ()
    other = [tuple(row) for row in best.pairings[["player1", "player2"]].to_numpy()]
    (a, b), (c, d) = other
    swapped = pd.DataFrame(
        [(1, a, c), (1, b, d)], columns=["round", "player1", "player2"]
    )
    found = check(event, swapped, "double-sided").changed
    assert found == (f"{a} - {c}", f"{b} - {d}")


def test_decisive_levels(weighted: str, twice: str) -> None:
    event = read_event(EQUALLY_GOOD)
    every = solve(event, twice)
    assert len(every.decisive) == 2
    assert every.decisive == every.level_values
    (first,) = solve(event, weighted).decisive
    assert (first.criterion, first.value, first.proven) == ("weighted_sum", 1, True)
