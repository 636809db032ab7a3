"""The Burstein System as it is solved, against oracles written from the articles, and by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import burstein_global
import numpy as np
import pytest
from burstein_literal import Literal, Pairs
from burstein_round import BursteinRound, burstein
from dutch_random import covered, random_round
from dutch_round import Cell, Round, of_trf

from pairopt import InputError, check, explain, read_event, solve
from pairopt.event.event import Event
from pairopt.event.opposition import opposition_of
from pairopt.round.result import Result
from pairopt.study import World, compare_models

MODEL = "fide-burstein"
RANDOM = 2000
AT_LEAST = 50
"""How many of the random rounds have each of what `AIMS` names."""
AIMS = ("absences", "forfeits", "byes", "requested byes", "acceleration", "float", "limbo",
        "refused", "completion", "later")  # fmt: skip


def event_of(given: Round, folder: Path) -> Event:
    path = folder / "round.trf"
    path.write_text(given.trf(), encoding="utf-8")
    return read_event(path)


def paired(result: Result) -> Pairs | None:
    """White and Black of each pair, the bye as (player, 0); None where there is no pairing."""
    assert result.status in ("optimal", "infeasible")
    if result.arcs is None:
        return None
    assert result.proven
    names = [*map(int, result.problem.state.names), 0]  # BYE is the last one
    both = zip(result.arcs.first.tolist(), result.arcs.second.tolist(), strict=True)
    return sorted((names[one], names[two]) for one, two in both)


def compare(seeds: range, folder: Path) -> Counter[str]:
    """Random rounds, paired as both oracles pair them; what the rounds after the seeding had."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        given = burstein(random_round(seed))
        literal = Literal(given)
        wanted, also = literal.pairs(), burstein_global.pairs(given)
        found = paired(solve(event_of(given, folder), MODEL))
        assert found == (None if wanted is None else sorted(wanted)), seed
        assert found == (None if also is None else sorted(also)), seed
        seen.update(literal.seen | (set() if given.seeding else covered(given)))
    return seen


@pytest.mark.long
def test_a_sample_of_random_rounds(tmp_path: Path) -> None:
    seen = compare(range(80), tmp_path)
    assert not {*AIMS, "seeding"} - set(seen)


@pytest.mark.slow
def test_random_rounds(tmp_path: Path) -> None:
    seen = compare(range(RANDOM), tmp_path)
    assert all(seen[what] >= AT_LEAST for what in (*AIMS, "seeding")), seen
