"""docs/standings.md: what it says of other programs is what was measured."""

from __future__ import annotations

import pandas as pd
import tie_breaks as beside
from places import ROOT


def test_how_many_values_were_compared() -> None:
    rows = pd.read_csv(ROOT / "tests" / "benchmarks" / "results" / "tie-breaks.csv")
    rows = rows[~rows["code"].isin(beside.STATED)]
    assert (rows["players"] == rows["equal"]).all()
    said = f"{rows['equal'].sum():,} values of {rows['code'].nunique()} codes"
    page = (ROOT / "docs" / "standings.md").read_text("utf-8")
    assert said in " ".join(page.split())
