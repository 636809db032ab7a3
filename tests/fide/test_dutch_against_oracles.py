"""The Dutch System as it is solved against the oracles and the cases by hand, sides included."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from dutch_cases import CASES
from dutch_literal import Literal
from dutch_random import covered, random_round
from test_dutch_oracles import AIMS, AT_LEAST, RANDOM

from pairopt import read_event, solve
from pairopt.fide.dutch import pair_brackets


def solved(path: Path, text: str) -> set[tuple[int, int]] | None:
    """White and Black of each pair, the bye as (player, 0); None where there is no pairing."""
    path.write_text(text, encoding="utf-8")
    result = solve(read_event(path), "fide-dutch")
    assert result.status in ("optimal", "infeasible")
    if result.arcs is None:
        return None
    pairs = [
        (int(str(row["player1"])), int(str(row["player2"] or 0)), row["side1"])
        for row in result.matches
    ]
    return {(two, one) if side == "black" else (one, two) for one, two, side in pairs}


@pytest.mark.parametrize("name", CASES)
def test_cases_by_hand(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    found = solved(tmp_path / "round.trf", "\n".join([*case.lines, ""]))
    assert found == case.pairs, case.why


def compare(seeds: range, folder: Path) -> Counter[str]:
    """Random rounds, which must be paired as every candidate in order says; what they had.

    Both ways to find the first candidate of a small bracket are tried.
    """
    seen: Counter[str] = Counter()
    for seed in seeds:
        given = random_round(seed)
        literal = Literal(given)
        pairs = literal.pairs()
        wanted = None if pairs is None else set(pairs)
        assert solved(folder / "round.trf", given.trf()) == wanted, seed
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pair_brackets, "MOST_PAIRS", 0)
            assert solved(folder / "round.trf", given.trf()) == wanted, seed
        seen.update(covered(given) | literal.seen)
    return seen


@pytest.mark.sweep
def test_a_sample_of_random_rounds(tmp_path: Path) -> None:
    assert not set(AIMS) - set(compare(range(100), tmp_path))


@pytest.mark.slow
def test_random_rounds(tmp_path: Path) -> None:
    seen = compare(range(RANDOM), tmp_path)
    assert all(seen[what] >= AT_LEAST for what in AIMS), seen
