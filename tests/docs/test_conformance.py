"""The page of conformance: its rows, and the comparisons once more."""

from __future__ import annotations

import conformance
import pytest
from places import REAL

QUICK = ("tie-breaks", "round-robin", "dutch-own-tests", "dutch-disputes")
"""What is compared in a moment; the others are sweeps."""


def test_the_page_has_a_row_for_each_data_set() -> None:
    rows = conformance.page_counts()
    assert [*rows] == [source.what for source in conformance.SOURCES]
    assert len({source.key for source in conformance.SOURCES}) == len(rows)


def test_what_differs_has_a_cause() -> None:
    rows = conformance.page_counts()
    page = conformance.PAGE.read_text("utf-8")
    for source in conformance.SOURCES:
        counts = rows[source.what]
        assert 0 < counts.agree <= counts.cases
        assert (counts.agree < counts.cases) == bool(source.cause)
        assert conformance.row_text(source, counts) in page


@pytest.mark.long
@pytest.mark.skipif(not REAL.exists(), reason="the shared data is not here")
@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            source,
            id=source.key,
            marks=() if source.key in QUICK else pytest.mark.sweep,
        )
        for source in conformance.SOURCES
    ],
)
def test_the_counts_are_right(source: conformance.Source) -> None:
    assert source.compare(REAL) == conformance.page_counts()[source.what]
