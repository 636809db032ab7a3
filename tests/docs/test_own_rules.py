"""The study of published rounds under their own rules: its tables, and rounds again."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import own_rules
import pandas as pd
import pytest
from places import REAL, ROOT

PAGE = (ROOT / "docs" / "studies" / "own-rules.md").read_text("utf-8")
ROUNDS = pd.read_csv(own_rules.RESULTS / "own-rules.csv", dtype={"first_level": str})
LEVELS = pd.read_csv(own_rules.RESULTS / "own-rules-levels.csv")
SUMS = ["matches", "optimal", "levels", "equal_levels"]
needs_data = pytest.mark.skipif(not REAL.exists(), reason="the shared data is not here")


def table(name: str) -> list[list[str]]:
    """The cells of a table of the page, without its head."""
    part = PAGE.split(f"<!-- {name} -->")[1].split("<!-- end -->")[0]
    lines = part.strip().splitlines()[2:]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def test_the_page_has_the_sums() -> None:
    is_lichess = ROUNDS["event"] == "lichess_swiss"
    of = ROUNDS["community"].mask(is_lichess, "lichess")
    order = ["chess", "lichess", "Counter-Strike", "Go", "Netrunner"]
    parts = [ROUNDS[of == name] for name in order] + [ROUNDS]
    for cells, part in zip(table("own rules"), parts, strict=True):
        counts = [part["event"].nunique(), len(part), *part[SUMS].sum()]
        assert [int(cell.replace(",", "")) for cell in cells[1:]] == counts, cells[0]
    text = " ".join(PAGE.split())
    assert f"In {ROUNDS['optimal'].sum()} of the {len(ROUNDS)} rounds" in text


def test_the_page_has_each_round_that_differs() -> None:
    rows = ROUNDS[ROUNDS["optimal"] == 0]
    shown = table("own rules differ")
    assert len(shown) == len(rows)
    for (_, row), cells in zip(rows.iterrows(), shown, strict=True):
        assert int(cells[1]) == row["round"]
        assert cells[5] == f"{row['same_matches']} of {row['matches']}"
        for cell, column in ((cells[3], "published"), (cells[4], "optimum")):
            expected = "" if pd.isna(row[column]) else f"{row[column]:,.0f}"
            assert cell == expected


def test_the_page_has_the_criteria() -> None:
    for rules, levels, equal, criteria in table("own rules levels"):
        part = LEVELS[LEVELS["rules"] == rules]
        assert int(levels.replace(",", "")) == part["levels"].sum()
        assert int(equal.replace(",", "")) == part["equal"].sum()
        differing = part.loc[part["levels"] > part["equal"], "criterion"]
        assert criteria.replace("none", "") == ", ".join(differing)


def test_the_two_tables_agree() -> None:
    for rules, part in ROUNDS.groupby("rules"):
        levels = LEVELS[LEVELS["rules"] == rules]
        assert levels["levels"].sum() == part["levels"].sum()
        assert levels["equal"].sum() == part["equal_levels"].sum()
        assert levels["first_worse"].sum() == part["first_criterion"].notna().sum()


def again(name: str) -> list[dict[str, Any]]:
    """The rows of a community, computed again."""
    counts: own_rules.LevelCounts = defaultdict(Counter)
    rounds = own_rules.COMMUNITIES[name](REAL)
    return [own_rules.compared(each, counts) for each in rounds]


@needs_data
@pytest.mark.long
@pytest.mark.parametrize("name", ["go", "netrunner", "lichess"])
def test_rounds_are_compared_again(name: str) -> None:
    found = pd.DataFrame(again(name)).astype({"round": int})
    stated = ROUNDS.merge(found[["event", "round"]], on=["event", "round"])
    assert len(stated) == len(found)
    # Not `same_matches`: which of several optimal pairings is found may change.
    for column in ("matches", "broken", "levels", "equal_levels", "optimal"):
        assert found[column].tolist() == stated[column].tolist(), column
    for column in ("published", "optimum"):
        own = pd.to_numeric(found[column]).fillna(-1).tolist()
        assert own == stated[column].fillna(-1).tolist(), column
