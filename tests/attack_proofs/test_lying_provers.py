"""Lying provers: pairopt's own on a problem that lies; their files meet the true one."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest
from lying import LIES, lied, lies_for, sweep
from proofs_world import door_a, small

KNOWN = re.compile(
    "option lookahead, .*all pairings say none$|the counter leaves room$"
)
"""Further rounds that nobody asked for, and counters: go with the marks in `test_forged_proofs`."""


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("files", "seed"),
    [
        pytest.param(40, 0, id="some"),
        pytest.param(250, 3, id="more", marks=pytest.mark.long),
        pytest.param(20_000, 50, id="all", marks=pytest.mark.slow),
    ],
)
def test_no_lie_passes(files: int, seed: int) -> None:
    counts: Counter[str] = Counter()
    found = sweep(files, seed, counts, most=2 if files < 1000 else 12)
    assert [breach for breach in found if not KNOWN.search(breach)] == []
    # lies that make another pairing the best, and are told so that only the numbers differ
    worse = [key for key in counts if key.endswith("| none, and worse")]
    assert sum(counts[key] for key in worse) > files / 30
    assert any("| true claim |" in key for key in worse)


@pytest.mark.sweep
def test_liars_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the event not asked, door B as credulous as door A, lies would pass."""
    monkeypatch.setattr("lying.door_b", lambda _, text: door_a(text))
    found = sweep(200, 0, Counter())
    assert sum("worse" in breach for breach in found) > 3


@pytest.mark.long
@pytest.mark.parametrize("lie", LIES)
def test_every_lie_is_told(lie: str) -> None:
    """None of them is one that the prover never writes down."""
    rounds = (
        (name, seed)
        for seed in range(6)
        for name in ("standard", "excalibur", "fide-dutch")
    )
    assert any(
        lie in lies_for(name)
        and lied(small(seed, name), LIES[lie], Random(seed)) is not None
        for name, seed in rounds
    )
