"""The lookahead against brute force, its witness, and the ends it avoids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import simulation
from click.testing import CliRunner
from events import (
    REPEATABLE,
    Case,
    cases,
    events,
    model_of,
    models,
    some_or_all,
    vector_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Oracle, Pairing

from pairopt import InputError, UsageError, check, read_event, solve
from pairopt.cli import main
from pairopt.engines import room
from pairopt.engines.auto import engine as auto
from pairopt.engines.base import EngineOptions
from pairopt.engines.cpsat.engine import solve as cpsat
from pairopt.event.arcs import arcs_of
from pairopt.messages.interfaces import TERMINAL
from pairopt.problem.build import prepare
from pairopt.problem.model import parse_model
from pairopt.problem.verifier import verify_pairing
from pairopt.round import solve as solving

Pair = frozenset[str]


def unplayed(oracle: Oracle) -> set[Pair]:
    """The pairs that have not met; a bye is a pair of one."""
    players = oracle.active
    fresh = {
        frozenset((a, b))
        for k, a in enumerate(players)
        for b in players[k + 1 :]
        if not oracle.states[a].meetings[b]
    }
    if len(players) % 2:
        fresh |= {frozenset((a,)) for a in players if not oracle.states[a].byes}
    return fresh


def rounds_of(
    players: tuple[str, ...], pairs: Set[Pair], byes: int
) -> Iterator[set[Pair]]:
    """All ways to put the players into these pairs, with so many byes."""
    if not players:
        if not byes:
            yield set()
        return
    first, rest = players[0], players[1:]
    for k, other in enumerate(rest):
        if frozenset((first, other)) in pairs:
            for more in rounds_of(rest[:k] + rest[k + 1 :], pairs, byes):
                yield {frozenset((first, other)), *more}
    if byes and frozenset((first,)) in pairs:
        for more in rounds_of(rest, pairs, byes - 1):
            yield {frozenset((first,)), *more}


@cache
def holds(players: tuple[str, ...], pairs: frozenset[Pair], rounds: int) -> bool:
    """Whether the pairs hold so many rounds that share none."""
    if rounds == 0:
        return True
    own = sorted((pair for pair in pairs if players[0] in pair), key=sorted)
    # with no more pairs than rounds the first player's first one is in some round: this one
    needed = set(own[:1]) if len(own) == rounds else set()
    return len(own) >= rounds and any(
        needed <= turn and holds(players, pairs - turn, rounds - 1)
        for turn in rounds_of(players, pairs, len(players) % 2)
    )


def best_ahead(oracle: Oracle, rounds: int) -> Pairing | None:
    """The best pairing that leaves room for the rounds, by trying all."""
    fresh, players = frozenset(unplayed(oracle)), tuple(oracle.active)
    room: dict[frozenset[Pair], bool] = {}

    def leaves_room(pairing: Pairing) -> bool:
        used = frozenset(frozenset(p for p in arc if p is not None) for arc in pairing)
        if used not in room:
            room[used] = holds(players, fresh - used, rounds)
        return room[used]

    possible = [pairing for pairing in oracle.pairings() if leaves_room(pairing)]
    return min(possible, key=oracle._total, default=None)


@st.composite
def nearly_round_robin(draw: st.DrawFn) -> tuple[Case, int]:
    """A few rounds of a round robin with any scores, and the lookahead that just fits."""
    n = draw(st.sampled_from([5, 6, 7, 8, 8, 8]))
    names = draw(st.permutations([f"p{k}" for k in range(n)]))
    circle: list[str | None] = [*names, *[None] * (n % 2)]
    turns = len(circle) - 1
    played = draw(st.integers(1, min(3, turns - 2)))
    rows: list[dict[str, object]] = []
    for turn in range(1, played + 1):
        half = len(circle) // 2
        for one, two in zip(circle[:half], reversed(circle[half:]), strict=True):
            one, two = (two, one) if one is None else (one, two)
            score = draw(st.sampled_from([("3", "0"), ("0", "3"), ("1", "1")]))
            rows.append(
                {
                    "round": str(turn),
                    "table": None,
                    "player1": one,
                    "player2": two,
                    "side1": None,
                    "score1": score[0],
                    "score2": two and score[1],
                    "status": None if two else "bye",
                }
            )
        circle = [circle[0], circle[-1], *circle[1:-1]]
    players: list[dict[str, Any]] = [
        {"player": f"p{k}", "active": True} for k in range(n)
    ]
    model = {"name": "x", "sides": [], "criteria": [{"kind": "score_groups"}]}
    return Case(rows, players, model, {}, draw(st.integers(0, 3))), turns - played - 1


@pytest.mark.sweep
@some_or_all
def test_lookahead_gives_what_brute_force_gives(share: int) -> None:
    seen = Counter[str]()

    def compare(case: Case, rounds: int) -> None:
        oracle = case.oracle()
        best = best_ahead(oracle, rounds)
        model = model_of(case.model)
        result = solve(
            case.event(), model, seed=case.seed, lookahead=rounds, **case.options
        )
        if best is None:
            assert result.status == "infeasible"
            seen["impossible"] += 1
            return
        assert result.proven
        assert vector_of(result.level_values) == oracle.vector(best)
        assert any("without a rematch" in str(each) for each in result.notes)
        seen["kept" if oracle.vector(best) == oracle.optimum() else "bound"] += 1

    drawn = given(cases(events(2, 6), models(as_shipped=False)), st.integers(1, 4))
    settings(REPEATABLE, max_examples=120 // share)(drawn(compare))()
    tight = given(nearly_round_robin())
    settings(REPEATABLE, max_examples=120 // share)(
        tight(lambda drawn: compare(*drawn))
    )()
    assert min(seen[kind] for kind in ("impossible", "kept", "bound")) >= 10 // share, (
        seen
    )


@pytest.mark.sweep
@pytest.mark.parametrize(("players", "rounds"), [(8, 7), (10, 9)])
@pytest.mark.parametrize("model", ["monrad", "excalibur"])
def test_the_lookahead_that_is_left_never_forces_a_rematch(
    model: str, players: int, rounds: int
) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        strength = rng.normal(0, 200, players)
        event = simulation.opening(players)
        for turn in range(1, rounds + 1):
            result = solve(event, model, seed=seed, lookahead=rounds - turn)
            assert result.proven
            assert not any(
                v.value for v in result.level_values if v.criterion == "rematches"
            )
            event = simulation.played(
                event, result.matches, rng, strength, draws=0.1, drops=0.0
            )


def four() -> pd.DataFrame:
    """A has met B and C has met D: one more round without a rematch leads to the last."""
    rows = [
        (1, "A", "B", 1, 0),
        (1, "C", "D", 1, 0),
        (2, "A", "C", 1, 0),
        (2, "B", "D", 1, 0),
    ]
    return pd.DataFrame(
        rows, columns=["round", "player1", "player2", "score1", "score2"]
    )


def test_the_checker_wants_rounds_that_are_new_and_whole() -> None:
    problem = prepare(read_event(four().head(2)), "double-sided", lookahead=1)
    solution = cpsat(problem, EngineOptions())
    assert solution.arcs is not None
    (round_after,) = solution.further
    assert verify_pairing(problem, solution.arcs, solution.further).legal

    def said(*further: object) -> str:
        assert solution.arcs is not None
        found = verify_pairing(problem, solution.arcs, further)  # type: ignore[arg-type]
        return "; ".join(str(violation.message) for violation in found.violations)

    assert "0 further rounds where 1 are asked for" in said()
    assert "repeats a match" in said(solution.arcs)
    names = {name: k for k, name in enumerate(problem.state.names)}
    first_round = arcs_of(
        np.array([names["A"], names["C"]]), np.array([names["B"], names["D"]])
    )
    assert "repeats a match" in said(first_round)
    half = arcs_of(round_after.first[:1], round_after.second[:1])
    assert "is not paired" in said(half)


def test_lookahead_in_a_model_file_and_relaxed() -> None:
    raw: dict[str, Any] = {
        "name": "x",
        "constraints": {"no_rematch": True, "lookahead": 1},
    }
    event = read_event(four())
    stuck = solve(event, parse_model(raw))
    assert stuck.status == "infeasible"
    assert any("lookahead" in str(reason) for reason in stuck.conflicts)
    assert solve(event, parse_model(raw), relax=["lookahead"]).proven
    assert solve(
        event, parse_model(raw), lookahead=0
    ).proven  # the option is what counts
    with pytest.raises(InputError, match="lookahead is 0"):
        parse_model(replace_in(raw, lookahead=0))


def replace_in(raw: dict[str, Any], **constraints: Any) -> dict[str, Any]:
    return {**raw, "constraints": {**raw["constraints"], **constraints}}


@pytest.mark.long
def test_lookahead_is_checked_in_somebodys_pairing() -> None:
    event = read_event(four().head(2))
    pairing = four().tail(2).assign(score1=None, score2=None)
    fine = check(event, pairing, "double-sided", lookahead=1)
    assert fine.legal
    late = check(read_event(four()), replaced(four()), "double-sided", lookahead=1)
    assert [violation.rule for violation in late.violations] == ["lookahead"]
    unsure = check(
        read_event(four()), replaced(four()), "double-sided", lookahead=1, solve=False
    )
    assert unsure.legal
    assert any("did not check" in str(each) for each in unsure.notes)


def replaced(frame: pd.DataFrame) -> pd.DataFrame:
    rows = [(3, "A", "D", None, None), (3, "B", "C", None, None)]
    return pd.DataFrame(rows, columns=frame.columns)


def test_procedures_do_not_look_ahead() -> None:
    with pytest.raises(UsageError, match="can't pair with a lookahead"):
        solve(simulation.opening(8), "aesops-by-hand", lookahead=1)


def test_the_matching_engine_does_not_look_ahead() -> None:
    event = read_event(four().head(2))
    with pytest.raises(
        UsageError,
        match=r"can't pair with a lookahead \(planning of later rounds\)\. Use the engine auto",
    ) as caught:
        solve(event, "monrad", engine="matching", lookahead=1)
    assert caught.value.format_with(TERMINAL).endswith(
        "can't pair with a lookahead (planning of later rounds). Add --engine auto."
    )
    result = solve(event, "monrad", lookahead=1, verify=True)
    assert [*map(str, result.notes)][-1] == "Confirmed by cpsat (cross-check)."
    assert result.parts == ("matching",)


@pytest.mark.parametrize("engine", ["auto", "cpsat"])
@pytest.mark.parametrize(("players", "rounds"), [(60, 2), (61, 1), (120, 2)])
def test_however_short_the_time_is_there_is_a_pairing_with_room(
    engine: str, players: int, rounds: int
) -> None:
    event = simulation.opening(players)
    result = solve(event, "standard", engine=engine, lookahead=rounds, time_limit=1e-9)
    # in round 1, any legal pairing may attain the bounds
    assert result.status in ("feasible", "optimal")
    assert len(result.further) == rounds
    assert verify_pairing(result.problem, result.arcs, result.further).legal


@pytest.mark.long
def test_rounds_that_must_be_searched_together_are_found_or_said_to_be_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, "rounds_by_matching", lambda *_: None)
    monkeypatch.setattr(auto, "rounds_by_matching", lambda *_: None)
    event = simulation.opening(10)

    monkeypatch.setattr(solving, "GRACE", 600)
    found = solve(event, "standard", lookahead=8, time_limit=1e-9)
    assert found.status in ("feasible", "optimal")
    assert verify_pairing(found.problem, found.arcs, found.further).legal

    monkeypatch.setattr(solving, "GRACE", -1)
    unknown = solve(event, "standard", lookahead=8, time_limit=1e-9)
    assert (unknown.status, unknown.arcs) == ("unknown", None)
    assert unknown.verdict.kind == "verdict.unknown_ahead"
    assert "8 more rounds" in str(unknown.verdict)


@pytest.mark.long
def test_the_optimum_without_the_lookahead_is_the_rounds_where_it_leaves_room() -> None:
    *_, (event, _) = simulation.rounds(20, 3, 1, engine="matching")
    known = solve(event, "standard", engine="cpsat", lookahead=3)
    found = solve(event, "standard", lookahead=3)
    assert (found.status, found.proven_by) == ("optimal", ("matching",))
    assert [v.value for v in found.level_values] == [
        v.value for v in known.level_values
    ]


def test_lookahead_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "matches.csv"
    four().head(2).to_csv(path, index=False)
    run = CliRunner().invoke(
        main, ["solve", str(path), "--model", "monrad", "--lookahead", "1"]
    )
    assert run.exit_code == 0
    assert "1 more round without a rematch" in run.stderr
    far = CliRunner().invoke(
        main, ["solve", str(path), "--model", "monrad", "--lookahead", "2"]
    )
    assert far.exit_code == 1
    assert "lookahead" in far.stderr
