"""Every verb and every post of the page, in any order and killed at any moment, keeps the law.

`pytest -m slow tests/folder/test_every_step.py` takes 20,000 steps.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from walk import STEPS, Walk

import pairopt.folder
from pairopt.web.views import known_views

ALSO = {
    "preview",
    "preview_mend",
    "preview_repair",
    "check_proofs",
    "compare_ratings",
}
"""What changes nothing."""


def test_every_verb_and_every_post_is_known(tmp_path: Path) -> None:
    walk = Walk(tmp_path / "event", 0)
    names = {name for name in pairopt.folder.__all__ if name.islower()}
    assert {*walk.verbs()} == names - ALSO
    posts = {f"{view.path}/{name}" for view in known_views() for name in view.changes}
    assert {*walk.posts()} == posts | {"new/event"}


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(240, marks=pytest.mark.long, id="some"),
        pytest.param(20_000, marks=pytest.mark.slow, id="many"),
    ],
)
def test_walks(tmp_path: Path, steps: int) -> None:
    counts = Counter[str]()
    for seed in range(-(-steps // STEPS)):
        Walk(tmp_path / f"event{seed}", seed, counts).go()
    print(dict(counts.most_common()))
    walk = Walk(tmp_path / "event", 0)
    assert counts["(killed)"] > steps / 50
    assert counts["(done)"] > steps / 4
    if steps > 5000:
        assert {*walk.verbs(), *walk.posts()} - {*counts} <= {"new", "new/event"}
