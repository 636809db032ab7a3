"""The Dutch System as it is solved, against what another program and arbiters have paired."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from notes import notes_of
from places import REAL

from pairopt import InputError, Result, UsageError, load_model, read_event, solve
from pairopt.event.event import Event
from pairopt.fide.dutch.system import Dutch
from pairopt.lab import World, compare_models
from pairopt.problem.model import parse_model

CASES, PUBLISHED = REAL / "dutch" / "cases.jsonl", REAL / "dutch" / "published"
SAMPLE = 4
"""Of so many cases one is paired by default."""
RENUMBERED = ("budapest_spring_festival_2026_group_b_2250", 1)
"""The one published round that was paired by other start numbers than its file has."""
needs_cases = pytest.mark.skipif(not CASES.exists(), reason="no cases here")


def listed(file: Path) -> list[dict[str, Any]]:
    """The records of a file; none where there is no file."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def event_of(trf: str, folder: Path) -> Event:
    path = folder / "round.trf"
    path.write_text(trf, encoding="utf-8")
    return read_event(path)


def seats(result: Result) -> set[tuple[int, int]]:
    """White and Black of each match by number, 0 for the bye."""
    assert result.proven
    assert result.arcs is not None
    names = [*map(int, result.problem.state.names), 0]  # BYE is the last one
    both = zip(result.arcs.first.tolist(), result.arcs.second.tolist(), strict=True)
    return {(names[one], names[two]) for one, two in both}


def paired(case: dict[str, Any], folder: Path, engine: str) -> set[tuple[int, int]]:
    return seats(solve(event_of(case["trf"], folder), "fide-dutch", engine=engine))


@pytest.mark.long
@needs_cases
def test_a_sample_of_rounds_that_bbp_pairings_has_paired(tmp_path: Path) -> None:
    for case in listed(CASES)[::SAMPLE]:
        assert paired(case, tmp_path, "matching") == {*map(tuple, case["pairs"])}, case[
            "case"
        ]


@needs_cases
@pytest.mark.slow
def test_all_rounds_that_bbp_pairings_has_paired(tmp_path: Path) -> None:
    cases = listed(CASES)
    assert len(cases) == 100
    for case in cases:
        assert paired(case, tmp_path, "matching") == {*map(tuple, case["pairs"])}, case[
            "case"
        ]


@pytest.mark.long
@needs_cases
@pytest.mark.parametrize("count", [10, pytest.param(300, marks=pytest.mark.slow)])
def test_cp_sat_settles_the_same_brackets(count: int, tmp_path: Path) -> None:
    brackets = 0
    for case in listed(CASES):
        event = event_of(case["trf"], tmp_path)
        one, two = (
            solve(event, "fide-dutch", engine=name) for name in ("matching", "cpsat")
        )
        assert one.level_values == two.level_values, case["case"]
        assert seats(one) == seats(two) == {*map(tuple, case["pairs"])}, case["case"]
        system, state = one.problem.system, one.problem.state
        assert isinstance(system, Dutch)
        assert one.arcs is not None
        brackets += sum(1 for _ in system.brackets(state, one.arcs))
        if brackets >= count:
            break
    assert brackets >= count


@pytest.mark.long
@needs_cases
def test_another_engine_verifies_every_bracket(tmp_path: Path) -> None:
    event = event_of(listed(CASES)[0]["trf"], tmp_path)
    result = solve(event, "fide-dutch", verify=True)
    assert "Confirmed by cpsat (cross-check)." in notes_of(result)
    assert all(level.proven for level in result.level_values)


def round_of(record: dict[str, Any]) -> tuple[str, int]:
    return str(record["file"]).rsplit("_r", 1)[0], int(record["round"])


@pytest.mark.sweep
@pytest.mark.parametrize(
    "record", listed(PUBLISHED / "expected.jsonl"), ids=lambda r: r["file"]
)
def test_published_rounds(record: dict[str, Any]) -> None:
    event, wanted = (
        read_event(PUBLISHED / record["file"]),
        {*map(tuple, record["pairs"])},
    )
    renumbered = round_of(record) == RENUMBERED
    if renumbered:
        before = seats_known(solve(event, "fide-dutch"))
        assert {*map(frozenset, before)} != {*map(frozenset, wanted)}
        numbers = event.start_numbers.astype(float)
        numbers[event.position("83")] = event.start_numbers[event.position("59")] + 0.5
        event = replace(event, start_numbers=np.argsort(np.argsort(numbers)) + 1)
    found = seats_known(solve(event, "fide-dutch"))
    if renumbered or not record["colours_known"]:
        assert {*map(frozenset, found)} == {*map(frozenset, wanted)}
    else:
        assert found == wanted


def seats_known(result: Result) -> set[tuple[int, int]]:
    """The matches alone: files do not tell the bye from an absence."""
    return {pair for pair in seats(result) if 0 not in pair}


@pytest.mark.long
@pytest.mark.parametrize(
    "points", [(Fraction(1), Fraction(1, 2)), (Fraction(3), Fraction(1))]
)
@pytest.mark.parametrize("players", [20, 21])
def test_whole_tournaments_are_proven(
    players: int, points: tuple[Fraction, Fraction]
) -> None:
    world = World(
        players=players,
        rounds=6,
        drops=0.05,
        late=0.1,
        draws=0.3,
        rating_error=0.0,
        win=points[0],
        draw=points[1],
        sides=("white", "black"),
    )
    frame = compare_models(["fide-dutch"], world, replicates=3)
    assert set(frame["status"]) == {"optimal"}
    assert (frame["violations"] == 0).all()


def test_the_seed_decides_nothing_but_the_first_side(tmp_path: Path) -> None:
    trf = "\n".join(f"001 {k:4d}      P{k}" for k in range(1, 12)) + "\n"
    found = {
        frozenset(seats(solve(event_of(trf, tmp_path), "fide-dutch", seed=seed)))
        for seed in range(6)
    }
    assert len(found) == 2
    drawn = replace(event_of(trf, tmp_path), initial_side=0)
    for seed in range(6):
        assert seats(solve(drawn, "fide-dutch", seed=seed)) == {
            (1, 6),
            (7, 2),
            (3, 8),
            (9, 4),
            (5, 10),
            (11, 0),
        }


def test_one_pairing_is_optimal(tmp_path: Path) -> None:
    trf = "\n".join(f"001 {k:4d}      P{k}" for k in range(1, 9)) + "\n"
    result = solve(event_of(trf, tmp_path), "fide-dutch", choose="uniform", count=True)
    assert result.choice is not None
    assert result.choice.count is not None
    assert result.choice.count.value == 1


def test_players_who_have_all_met_are_named(tmp_path: Path) -> None:
    rows = [f"{'001    1      A':91}   2 w 1", f"{'001    2      B':91}   1 b 0"]
    result = solve(event_of("\n".join([*rows, ""]), tmp_path), "fide-dutch")
    assert result.status == "infeasible"
    assert any("no_rematch" in str(said) for said in result.conflicts)


def test_a_system_has_an_order_of_its_own(tmp_path: Path) -> None:
    trf = "001    1      A\n001    2      B\n"
    with pytest.raises(UsageError, match="Leave out the lookahead and the weights"):
        solve(event_of(trf, tmp_path), "fide-dutch", lookahead=1)
    with pytest.raises(UsageError, match="Leave out the lookahead and the weights"):
        solve(event_of(trf, tmp_path), "fide-dutch", objective="weighted")
    with pytest.raises(UsageError, match="can't pair one score group after another"):
        solve(event_of(trf, tmp_path), "fide-dutch", engine="aesops_by_hand")
    with pytest.raises(InputError, match="burstein, dutch"):
        parse_model({"name": "x", "system": "danish"})
    with pytest.raises(InputError, match="has its own order of rules"):
        parse_model(
            {"name": "x", "system": "dutch", "criteria": [{"kind": "rematches"}]}
        )
    assert load_model("fide-dutch").system == "dutch"
