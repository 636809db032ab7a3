"""The page for federations: what it says of its cases is so."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pages
import pandas as pd
import pytest
from dutch_literal import Literal
from dutch_round import of_trf
from places import ROOT

from pairopt import read_event, solve

CASES = ROOT / "examples" / "fide"


def pairs(name: str) -> set[tuple[str, str | None]]:
    """White and Black, by their numbers."""
    rows = solve(read_event(CASES / name)).matches
    turned = [(row["player1"], row["player2"], row["side1"]) for row in rows]
    return {(two, one) if side == "black" else (one, two) for one, two, side in turned}


@pytest.mark.long
def test_the_cases_are_paired_as_the_page_says() -> None:
    assert pairs("limbo.trf") == {("2", "3"), ("4", "6"), ("5", None)}
    assert ("4", None) in pairs("bye.trf")
    assert pairs("absent.trf") == {("1", "4"), ("5", "3")}


def test_another_reading_of_the_limbo_pairs_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Written out candidate by candidate, with the limbo as a difference of nothing."""
    given = of_trf((CASES / "limbo.trf").read_text())
    own = Literal(given).pairs()
    assert own is not None
    assert {frozenset(pair) for pair in own} == {
        frozenset(p) for p in ((2, 3), (4, 6), (5, 0))
    }
    source = Path(sys.modules[Literal.__module__].__file__ or "").read_text()
    deep = "if number in against else -100"
    assert source.count(deep) == 1
    made = {"__name__": Literal.__module__}
    nothing = source.replace(deep, "if number in against else self.score[number]")
    exec(compile(nothing, "nothing", "exec"), made)  # noqa: S102
    other = made["Literal"](given).pairs()  # type: ignore[operator]
    assert {frozenset(pair) for pair in other} == {
        frozenset(p) for p in ((6, 3), (2, 4), (5, 0))
    }


def test_what_is_asked_has_tests() -> None:
    text = pages.text(ROOT / "tests" / "README.md").partition(
        "## Requirements for chess programs"
    )[2]
    table = text.partition("\n## ")[0]
    named = re.findall(r"`([a-z_/]+\.py)(?:::(\w+))?`", table)
    assert len(named) >= 20
    for path, test in named:
        assert f"def {test or 'test_'}" in pages.text(ROOT / "tests" / path), (
            path,
            test,
        )


def test_the_campaign_and_its_causes() -> None:
    """Where a program pairs otherwise all rounds have the cause that the page gives."""
    rows = pd.read_csv(pages.RESULTS / "campaign.csv", keep_default_na=False)
    causes, readings = (
        pd.read_csv(pages.RESULTS / f"campaign-{name}.csv").set_index("direction")
        for name in ("causes", "readings")
    )
    for direction, own in rows.groupby("direction"):
        differ = sum(len(cell.split()) for cell in own["differ"])
        if "caissify" not in str(direction):
            if direction in readings.index:
                reading = readings.loc[direction]
                assert reading["rounds"] == reading["caused"] == differ > 0
                named = str(reading["articles"]).split(", ")
                assert all(each in pages.page("federation") for each in named)
            else:
                assert differ == 0
            continue
        cause = causes.loc[direction]
        assert (
            cause["rounds"]
            == cause["caused"]
            == cause["bbpPairings_as_pairopt"]
            == differ
        )
        assert all(
            f"{each}" in pages.page("federation")
            for each in cause["articles"].split(", ")
        )


def test_the_sweep_of_the_checker() -> None:
    found = pd.read_csv(pages.RESULTS / "fair-checker.csv").set_index("what")["number"]
    assert found["wrong"] == 0
    for kind in ("points", "rank", "pair", "colour"):
        assert found[f"found {kind}"] == found[f"planted {kind}"] >= 498
    text = " ".join(pages.page("federation").split())
    assert f"{found['tournaments']:,} tournaments from a generator" in text
    assert f"bbpPairings paired {found['paired by bbpPairings']:,} of the" in text
    assert f"In {found['planted rank']} tournaments we planted" in text


def test_the_rounds_beside_bbp_pairings() -> None:
    table = pd.read_csv(pages.RESULTS / "dutch.csv")
    bbp = table[table["program"] == "bbpPairings"]
    assert bbp["same_pairs"].all()
    span = f"{len(bbp)} rounds of {bbp['players'].min()} to {bbp['players'].max():,} players"
    assert f"in all {span}" in " ".join(pages.page("federation").split())
