"""--verify: two exact engines must agree in every level."""

from __future__ import annotations

import importlib
from dataclasses import replace

import pytest
from simulation import rounds

from pairopt import solve
from pairopt.engines.base import EngineError, EngineOptions, Solution
from pairopt.problem.problem import Problem


@pytest.mark.parametrize(
    ("engine", "other"), [("cpsat", "matching"), ("matching", "cpsat")]
)
def test_a_difference_in_a_later_level_is_a_disagreement(
    engine: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that minimises the first criterion alone, and claims that all are at their best."""
    *_, (event, _) = rounds(20, 4, 5, engine="matching")
    place = {"cpsat": "cpsat.pair_model_engine", "matching": "matching.engine"}[other]
    module = importlib.import_module(f"pairopt.engines.{place}")
    whole = module.solve

    def first_only(problem: Problem, options: EngineOptions, *more: object) -> Solution:
        easier = replace(
            problem, criteria=problem.criteria[:1], labels=problem.labels[:1]
        )
        found: Solution = whole(easier, options)
        assert found.arcs is not None
        return replace(
            found, bounds=tuple(problem.costs(found.arcs).sum(axis=0).tolist())
        )

    best = solve(event, "excalibur", engine=engine, verify=True)
    assert f"Confirmed by {other} (cross-check)." in map(str, best.notes)
    monkeypatch.setattr(module, "solve", first_only)
    claimed = solve(event, "excalibur", engine=other, formulation="pairs")
    mine, theirs = (
        [level.value for level in each.decisive] for each in (best, claimed)
    )
    assert claimed.proven
    assert mine[0] == theirs[0]
    assert mine != theirs
    with pytest.raises(EngineError, match=f"{engine} and {other} disagree"):
        solve(event, "excalibur", engine=engine, verify=True)
