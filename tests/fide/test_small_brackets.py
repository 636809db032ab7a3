"""Small brackets: comparing all pairings finds what the search for the first one finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from burstein_round import burstein
from dutch_random import random_round

from pairopt import InputError, read_event, solve
from pairopt.fide.dutch import pair_brackets


def answer(path: Path, model: str) -> object:
    """The pairs, with all levels; or that the round has no ranking."""
    try:
        result = solve(read_event(path), model)
    except InputError:
        return "refused"
    return result.status, result.pairs, result.level_values


@pytest.mark.parametrize("model", ["fide-dutch", "fide-burstein"])
@pytest.mark.parametrize(
    "seeds", [range(25), pytest.param(range(25, 1000), marks=pytest.mark.slow)]
)
def test_comparing_all_pairings_finds_the_first(
    model: str, seeds: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "round.trf"
    most_pairs = pair_brackets.MOST_PAIRS
    for seed in seeds:
        drawn = random_round(seed)
        given = burstein(drawn) if model == "fide-burstein" else drawn
        path.write_text(given.trf(), encoding="utf-8")
        monkeypatch.setattr(pair_brackets, "MOST_PAIRS", most_pairs)
        compared = answer(path, model)
        monkeypatch.setattr(pair_brackets, "MOST_PAIRS", 0)
        assert compared == answer(path, model), seed
