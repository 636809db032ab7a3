"""No repair loses, turns or moves a result, and as few tables change as can be: random events.

Some of each model here; 10,000 repairs are `python tests/benchmarks/repairs.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from repairs import Evening, Tally

from pairopt.problem.model import model_names


@pytest.mark.sweep
@pytest.mark.parametrize(
    "events",
    [
        pytest.param(8, marks=pytest.mark.long, id="some"),
        pytest.param(170, marks=pytest.mark.slow, id="many"),
    ],
)
def test_random_repairs(tmp_path: Path, events: int) -> None:
    tally = Tally()
    for seed in range(events):
        Evening(tmp_path / f"event{seed}", seed, tally).play()
    print(dict(tally.counts), dict(tally.models))
    assert len(tally.models) == min(events, len(model_names()))
    assert tally.counts["repairs"] >= 6 * events
    rare = ("no pairing", "tables turned") if events > 9 * len(model_names()) else ()
    for what in ("by page", "by verbs", "brute force", "proofs", *rare):
        assert tally.counts[what], what
