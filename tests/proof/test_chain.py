"""Chains of proofs by their rarer ways: levels that come again, and prices of all who are left."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import simulation

from pairopt import Event, check_proof, solve
from pairopt.proof import proof_steps
from pairopt.proof.certificate import NotOptimalError
from pairopt.proof.proving import build_proof
from pairopt.proof.verify import read, verify


@pytest.fixture(scope="module")
def events() -> list[Event]:
    return [event for event, _ in simulation.rounds(11, 5, 3, "fide-dutch", draws=0.3)]


def holds(event: Event) -> list[int]:
    """How many levels the steps of a proof have, which both verifiers take."""
    proof = solve(event, "fide-dutch").proof
    assert proof is not None
    assert verify(read(proof.text))
    assert check_proof(event, read(proof.text), "fide-dutch").faults == ()
    return [len(step["levels"]) for step in proof.content["witness"]["steps"]]


@pytest.mark.long
def test_levels_may_come_again(
    events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = [sum(holds(event)) for event in events]
    certificate = proof_steps._StepBuilder.find_step_certificate

    def never_alone(self: Any, costs: Any, rest: Any) -> Any:
        if costs.kinds.shape[1] == 1 and rest.any() and tried:
            raise NotOptimalError("as if the level alone had other best pairings")
        tried.append(1)
        return certificate(self, costs, rest)

    def some_count(self: Any, levels: Any, alive: Any) -> bool:
        return True

    tried: list[int] = []

    monkeypatch.setattr(proof_steps, "certify_one_vertex", lambda *_: None)
    monkeypatch.setattr(proof_steps._StepBuilder, "has_costs", some_count)
    monkeypatch.setattr(proof_steps._StepBuilder, "find_step_certificate", never_alone)
    again = []
    for event in events:
        tried.clear()
        again.append(sum(holds(event)))
    assert all(more > fewer for more, fewer in zip(again, plain, strict=True))


@pytest.mark.long
def test_a_level_of_one_player_has_prices_of_all_too(
    events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = [holds(event) for event in events]
    monkeypatch.setattr(proof_steps, "certify_one_vertex", lambda *_: None)
    assert [holds(event) for event in events] == plain


def test_of_a_pairing_that_is_not_the_best_there_is_no_chain(
    events: list[Event],
) -> None:
    refused = 0
    for event in events:
        result = solve(event, "fide-dutch")
        assert result.arcs is not None
        second = result.arcs.second.copy()
        second[[0, 1]] = second[[1, 0]]
        arcs = replace(result.arcs, second=second)
        if not result.problem.legal(arcs.both_ways)[: len(arcs)].all():
            arcs = arcs.turned(~result.problem.legal(arcs))
        if not result.problem.legal(arcs).all():
            continue
        with pytest.raises(NotOptimalError):
            build_proof(result.problem, arcs)
        refused += 1
    assert refused > 0
