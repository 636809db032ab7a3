"""A proof's numbers are whole numbers: `true` is not 1 there, nor is 1.0, for either verifier."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from places import ROOT, SAMPLE

from pairopt import read_event, solve
from pairopt.cli import main
from pairopt.proof.file import format_proof

EVENTS = {
    "a model": (
        [str(SAMPLE / "matches.csv"), "--players", str(SAMPLE / "players.csv")],
        "excalibur",
    ),
    "round 1": ([str(SAMPLE / "players.csv")], "standard"),
    "a system": ([str(ROOT / "tests/data/byes_and_forfeits.trf")], "fide-dutch"),
}
Place = tuple[str | int, ...]


def ones(content: Any, place: Place = ()) -> Iterator[Place]:
    """Where 0 and 1 stand."""
    parts = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in parts:
        if isinstance(value, dict | list):
            yield from ones(value, (*place, key))
        elif type(value) is int and value in (0, 1):
            yield (*place, key)


def with_at(content: Any, place: Place, kind: type) -> Any:
    made = copy.deepcopy(content)
    *outer, last = place
    at = made
    for key in outer:
        at = at[key]
    at[last] = kind(at[last])
    return made


@pytest.mark.long
@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("kind", [bool, float])
def test_true_is_no_one(name: str, kind: type, tmp_path: Path) -> None:
    given, model = EVENTS[name]
    event = read_event(given[0], *given[2:])
    proof = solve(event, model).proof
    assert proof is not None
    content = json.loads(json.dumps(proof.content))
    first: dict[tuple[str, ...], Place] = {}
    for place in ones(
        content
    ):  # one of each kind: all keys, whatever the number in a list
        first.setdefault(
            tuple(str(key) for key in place if isinstance(key, str)), place
        )
    assert len(first) >= 5
    file = tmp_path / "proof.json"
    call = ["check", *given, "--model", model, "--proof", str(file)]
    file.write_text(format_proof(content), "utf-8")
    assert CliRunner().invoke(main, call).exit_code == 0
    taken = []
    for place in first.values():
        file.write_text(format_proof(with_at(content, place, kind)), "utf-8")
        if CliRunner().invoke(main, call).exit_code not in (1, 3):
            taken.append(place)
    assert not taken
