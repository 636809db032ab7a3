"""Sums over all pairings of a lot, counted by hand."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pairopt import read_event
from pairopt.analysis import spreads
from pairopt.analysis.typical import Typical, typical
from pairopt.sampling import drawing


def first_round(**options: Any) -> Typical:
    """Round 1 with sides: A-B and C-D, the higher of each with the first side."""
    pairs = [(1, "A", "B", "corp"), (1, "C", "D", "corp")]
    rows = pd.DataFrame(pairs, columns=["round", "player1", "player2", "side1"])
    event = read_event(pd.DataFrame({"player": list("ABCD")}))
    return typical(event, rows, "aesops", **options)


def test_all_three_pairings_and_both_ways_round_of_each() -> None:
    """The gaps are 1 + 1, 2 + 2 and 3 + 1; the higher is first in 0 to 2 of 2 matches."""
    found = first_round()
    assert (found.lot, found.draws) == ("optimal", 0)
    told = {
        one.name: (one.value, one.mean, one.low, one.high, one.p)
        for one in found.statistics
    }
    gaps = (2, pytest.approx(10 / 3), 2, 4, pytest.approx(2 / 3))
    assert told == {
        "rank_gaps": gaps,
        "list_gaps": gaps,
        "higher_first": (2, 1, 0, 2, 0.5),
    }


def test_pairings_that_are_too_many_to_list_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spreads, "own_table", lambda *_: None)
    monkeypatch.setattr(drawing, "own_table", lambda *_: None)
    found = first_round(draws=600)
    assert found.draws == 600
    mean = {one.name: one.mean for one in found.statistics}
    assert mean["list_gaps"] == pytest.approx(10 / 3, abs=0.25)  # 6 standard errors
    assert mean["higher_first"] == pytest.approx(1, abs=0.18)
