"""FIDE's tables of rating differences are the normal distribution's, but for some places."""

from __future__ import annotations

from statistics import NormalDist

from pairopt.event.tie_breaks.ratings import DIFFERENCES, LARGEST

EXPECTED = NormalDist(0, 2000 / 7)
PRINTED = {3: 21, 8: 57, 16: 117, 17: 125, 18: 133, 19: 141, 20: 149, 22: 166, 28: 220, 39: 351,
           46: 501, 47: 538, 48: 589, 49: 677}  # fmt: skip
"""Places of table 8.1.1, by points in a hundred above a half, that rounding does not give."""
PRINTED_LARGEST = {7: 53, 38: 344, 39: 357, 41: 391, 48: 619}
"""The same of table 8.1.2."""


def test_differences_of_scores() -> None:
    rounded = {k: round(EXPECTED.inv_cdf(0.5 + k / 100)) for k in range(50)}
    assert dict(enumerate(DIFFERENCES)) == {**rounded, **PRINTED, 50: 800}
    assert sorted(DIFFERENCES) == list(DIFFERENCES)


def test_largest_differences_of_expectations() -> None:
    cut = {k: int(EXPECTED.inv_cdf(0.505 + k / 100)) for k in range(50)}
    assert dict(enumerate(LARGEST)) == {**cut, **PRINTED_LARGEST}
