"""The study of round 3 of Majors: its page states its results, and parts are recomputed."""

from __future__ import annotations

import csv
import re

import pytest
import third_round
from places import ROOT

PAGE = (ROOT / "docs" / "studies" / "third-round.md").read_text("utf-8")
PAGE = PAGE.replace("\N{EN DASH}", "-").replace("\N{MINUS SIGN}", "-")


def read(name: str) -> list[dict[str, str]]:
    text = (third_round.RESULTS / name).read_text("utf-8")
    return [*csv.DictReader(text.splitlines())]


COUNTS = {row["first_round"]: row for row in read("third-round.csv")}
STUCK = read("third-round-stuck.csv")


def table(name: str) -> list[list[str]]:
    """The cells of a table of the page, without its head."""
    part = PAGE.split(f"<!-- {name} -->")[1].split("<!-- end -->")[0]
    return [line.strip("| ").split(" | ") for line in part.strip().splitlines()[2:]]


def test_the_page_has_the_counts() -> None:
    for cells, first in zip(table("third round"), ("1-9", "1-16"), strict=True):
        row = COUNTS[first]
        assert cells[0].startswith(first)
        numbers = [int(re.sub(r" \(.*|,", "", cell)) for cell in cells[1:]]
        columns = ("outcomes", "text_stuck", "without_any_round")
        assert numbers == [int(row[column]) for column in columns]
    share = int(COUNTS["1-9"]["text_stuck"]) / int(COUNTS["1-9"]["outcomes"])
    assert f"({100 * share:.2f} %)" in table("third round")[0][2]


def test_the_page_has_the_probabilities() -> None:
    row = COUNTS["1-9"]
    stated = {float(cell[:-2]): shown for cell, shown in table("third round chances")}
    for text, percent in zip(third_round.CHANCES, stated, strict=True):
        assert float(third_round.Fraction(text)) == percent / 100
        share = float(row[f"stuck_if_better_seed_wins_{text}"])
        assert stated[percent] == f"{100 * share:.2f} %"


def test_the_list_has_each_stuck_outcome_once() -> None:
    keys = {(row["round1_winners"], row["round2_winners"]) for row in STUCK}
    assert len(keys) == len(STUCK) == int(COUNTS["1-9"]["text_stuck"])
    assert {row["first_round"] for row in STUCK} == {"1-9"}


@pytest.mark.parametrize("first_winners", ["1 2 3 4 5 6 7 16", "1 2 3 4 13 14 15 16"])
def test_outcomes_are_counted_again(first_winners: str) -> None:
    """All 256 outcomes of round 2 after one outcome of round 1, with pairopt's rounds."""
    start = third_round.FIRST_ROUNDS["1-9"]
    winners = {*map(int, first_winners.split())}
    games = [(a, b) if a in winners else (b, a) for a, b in start]
    found = []
    for second in third_round.outcomes(third_round.Stage(games).pairs()):
        stage = third_round.Stage([*games, *second])
        stuck = [group for group in stage.groups() if stage.greedy(group) is None]
        if stuck:
            outcome = third_round.Outcome((games, second), stuck, stage)
            assert third_round.has_round_without_rematch(outcome)
            pairs = third_round.pairs_of_pairopt(outcome, "major")
            assert third_round.rematches(outcome, pairs) == 0
            found.append({"first_round": "1-9"} | third_round.stuck_row(outcome, pairs))
    assert found
    assert found == [row for row in STUCK if row["round1_winners"] == first_winners]


def test_the_example_is_one_of_the_cases() -> None:
    part = PAGE.split("## An example")[1].split("##")[0]
    rows = re.findall(r"^\| (\d+) \| (-?\d+) \| (\d+), (\d+) \|$", part, re.MULTILINE)
    group = " ".join(team for team, *_ in rows)
    winners1 = "1 2 3 4 5 6 7 16"
    (case,) = [
        row
        for row in STUCK
        if row["group"] == group and row["round1_winners"] == winners1
    ]
    losers = (9, 10, 11, 12, 13, 14, 15, 8)
    games = [*zip(map(int, winners1.split()), losers, strict=True)]
    second_pairs = third_round.Stage(games).pairs()
    winners = {*map(int, case["round2_winners"].split())}
    games += [(a, b) if a in winners else (b, a) for a, b in second_pairs]
    stage = third_round.Stage(games)
    for team, difficulty, *met in rows:
        assert stage.difficulty(int(team)) == int(difficulty)
        assert stage.met[int(team)] == {*map(int, met)}
    shown = re.findall(r"\d+-\d+", part.replace("**", ""))
    assert shown == case["round3"].split()
    assert sum(winner > loser for winner, loser in games) == 5
    assert "won only five of the 16 matches" in PAGE
