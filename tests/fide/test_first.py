"""A candidate is called the first where that is shown: a search that is wrong proves nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import simulation
from burstein_round import burstein
from dutch_random import random_round

from pairopt import Event, InputError, read_event, solve
from pairopt.event.arcs import IntArray
from pairopt.fide.burstein import BursteinBracket
from pairopt.fide.dutch import candidate_order as transposition
from pairopt.fide.dutch import pair_brackets as brackets
from pairopt.fide.dutch.bracket_pairs import (
    Bracket,
    BracketPairing,
    BracketPairs,
    RankPairs,
    is_member,
)
from pairopt.fide.dutch.candidate_order import DutchBracket, find_perfect_candidate
from pairopt.fide.dutch.completion import CompletionField

Rounds = list[tuple[str, Event]]


SOME, ALL = ((2, 9, 10, 11, 16, 19, 20, 23, 32), (33,)), (range(40), (20, 33))
"""Seeds of random rounds and players of tournaments: some in which each fault shows, and one is
without a pairing; and all."""


@pytest.fixture(
    scope="module",
    params=[SOME, pytest.param(ALL, marks=pytest.mark.slow)],
    ids=["some", "all"],
)
def rounds(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Rounds:
    """Rounds of both systems, small random ones and some of whole tournaments."""
    seeds, players = request.param
    file: Path = tmp_path_factory.mktemp("rounds") / "round.trf"
    made: Rounds = []
    for seed in seeds:
        given = random_round(seed)
        for model, one in (("fide-dutch", given), ("fide-burstein", burstein(given))):
            file.write_text(one.trf(), encoding="utf-8")
            made.append((model, read_event(file)))
    for n in players:
        found = simulation.rounds(n, 7, 5, "fide-dutch", draws=0.3)
        made += [("fide-dutch", event) for event, _ in found]
    return made


@pytest.fixture(scope="module", autouse=True)
def brackets_are_searched() -> Iterator[None]:
    """Let no bracket be so small that all its pairings are compared instead."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(brackets, "MOST_PAIRS", 0)
        yield


def paired(model: str, event: Event) -> tuple[str, object] | None:
    """The status and the pairs, None where the model cannot say what is to be paired."""
    try:
        result = solve(event, model)
    except InputError:
        return None
    return result.status, result.pairs


@pytest.fixture(scope="module")
def right(rounds: Rounds) -> list[tuple[str, object] | None]:
    """What they are paired as."""
    return [paired(*each) for each in rounds]


@pytest.mark.long
def test_what_is_first_is_shown_to_be(right: list[tuple[str, object] | None]) -> None:
    assert {each[0] for each in right if each} == {"optimal", "infeasible"}


def no_transposition(
    allowed: Any, mate: list[int], order: list[int], budget: Any
) -> list[int]:
    """4.2 left out: the opponents at hand."""
    return [mate[row] for row in order]


def at_hand(bracket: Bracket, block: BracketPairs) -> BracketPairing:
    """The whole order left out: the pairs at hand."""
    assert block.used is not None
    used = block.used[bracket.is_inside(block)[block.used]]
    left = block.without_ends_of(used)
    left = left.with_pairs(~bracket.is_inside(left))
    rest = left.with_minimal_levels(
        np.zeros((len(left), 0), np.int64), bracket.minimize, bracket.budget
    )
    assert rest is not None
    return (block.a[used], block.b[used]), rest.known_pairs


def two_exchanged(
    field: CompletionField, s: int, residents: IntArray
) -> RankPairs | None:
    """The perfect candidate with the first two opponents exchanged, where they may be."""
    pairs = find_perfect_candidate(field, s, residents)
    if pairs is None or len(pairs[0]) < 2:
        return pairs
    upper, lower = pairs[0], pairs[1].copy()
    lower[:2] = lower[1::-1]
    return (upper, lower) if field.legal[upper[:2], lower[:2]].all() else pairs


def no_exchanges(
    self: Any, block: BracketPairs, inner: int
) -> tuple[IntArray, BracketPairs]:
    """4.3 left out: S1 as it is at hand."""
    uppers = np.sort(self._find_s1(block))
    return uppers, self._with_s1(block, uppers)


def no_sets(
    self: Any, block: BracketPairs, moved: IntArray
) -> tuple[BracketPairs, IntArray]:
    """4.4 left out: those moved down who are paired at hand."""
    assert block.used is not None
    out = block.a[block.used][~self.is_inside(block)[block.used]]
    stay = moved[~is_member(moved, out)]
    own = self.ranking.group_of(block.a) < self.s
    return block.with_pairs(
        ~own | (is_member(block.a, stay) == self.is_inside(block))
    ), stay


FAULTS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "no transposition": (
        transposition,
        "_find_first_perfect_pairing",
        no_transposition,
    ),
    "nothing of the order": (DutchBracket, "find_first_candidate", at_hand),
    "nothing of Burstein's order": (BursteinBracket, "find_first_candidate", at_hand),
    "a perfect candidate that is none": (
        brackets,
        "find_perfect_candidate",
        two_exchanged,
    ),
    "no exchanges": (DutchBracket, "_fix_s1", no_exchanges),
    "no sets of moved-down players": (DutchBracket, "_fix_paired_mdps", no_sets),
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", FAULTS)
def test_what_is_not_first_is_not_called_proven(
    name: str,
    rounds: Rounds,
    right: list[tuple[str, object] | None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(*FAULTS[name])
    others = 0
    for each, wanted in zip(rounds, right, strict=True):
        found = paired(*each)
        if found is None or wanted is None or found[1] == wanted[1]:
            continue
        others += 1
        assert found[0] == "feasible", (each[0], found)
        result = solve(each[1], each[0])
        assert not result.proven
        assert any(level.proven is False for level in result.level_values)
        assert result.proof is None
    assert others > 0
