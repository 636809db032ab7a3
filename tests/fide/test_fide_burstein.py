"""The Burstein System as it is solved, against oracles written from the articles, and by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import burstein_global
import numpy as np
import pytest
from burstein_cases import CASES, FOUR, games
from burstein_literal import Literal, Pairs
from burstein_round import BursteinRound, burstein
from dutch_random import covered, random_round
from dutch_round import Round
from notes import notes_of

from pairopt import InputError, read_event, solve
from pairopt.event.event import Event
from pairopt.event.fide_attributes import (
    FideAttributes,
    is_seeding_round,
    opposition_index_of,
)
from pairopt.fide.burstein import Burstein
from pairopt.fide.dutch import pair_brackets
from pairopt.fide.dutch.bracket_pairs import RankedPlayers
from pairopt.lab import World, compare_models
from pairopt.round.result import Result

MODEL = "fide-burstein"
RANDOM = 2000
AT_LEAST = 50
"""How many of the random rounds have each of what `AIMS` names."""
AIMS = (
    "absences",
    "forfeits",
    "byes",
    "requested byes",
    "acceleration",
    "float",
    "limbo",
    "refused",
    "completion",
    "later",
)


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
        with pytest.MonkeyPatch.context() as patch:
            # the first pairing of a small bracket is searched, too
            patch.setattr(pair_brackets, "MOST_PAIRS", 0)
            assert found == paired(solve(event_of(given, folder), MODEL)), seed
        seen.update(literal.seen | (set() if given.seeding else covered(given)))
    return seen


@pytest.mark.sweep
def test_a_sample_of_random_rounds(tmp_path: Path) -> None:
    seen = compare(range(50), tmp_path)
    assert not {*AIMS, "seeding"} - set(seen)


@pytest.mark.slow
def test_random_rounds(tmp_path: Path) -> None:
    seen = compare(range(RANDOM), tmp_path)
    assert all(seen[what] >= AT_LEAST for what in (*AIMS, "seeding")), seen


ABSENT = games("2w1 3w= U", "1b0 Z Z Z", "4w= 1b= 4b+", "3b= H 3w-", rounds=4)
"""2 is away in this round too, and so has had draws in rounds 2 and 3 for 1's Buchholz."""
BACK = games("2w1 3w= U", "1b0 Z Z", "4w= 1b= 4b+", "3b= H 3w-", rounds=4)
"""The same, but 2 is here again."""


@pytest.mark.parametrize(
    ("given", "buchholz", "berger"),
    [
        # 1: 2 has 0 and two draws, 3 has 2, and 2.5 of their own for the bye
        (ABSENT, {1: 1 + 2 + 2.5, 3: 1 + 2.5 + 2}, {1: 1 + 1 + 2.5, 3: 0.5 + 1.25 + 2}),
        (
            BACK,
            {1: 0 + 2 + 2.5, 2: 2.5 + 0 + 0, 4: 2 + 1 + 1},
            {1: 0 + 1 + 2.5, 4: 1 + 0.5 + 0},
        ),
    ],
)
def test_opposition_by_hand(
    given: BursteinRound,
    buchholz: dict[int, float],
    berger: dict[int, float],
    tmp_path: Path,
) -> None:
    """Article 1.7; unplayed rounds are against oneself, and missed ones draws for opponents."""
    event = event_of(given, tmp_path)
    found = opposition_index_of(event)
    for number, points in buchholz.items():
        assert found.buchholz[event.position(str(number))] / found.scale == points
    for number, points in berger.items():
        at = event.position(str(number))
        assert found.sonneborn_berger[at] / found.scale / event.scale == points


def test_virtual_points_are_no_opposition(tmp_path: Path) -> None:
    plain = games("3w1", "4w1", "1b0", "2b0")
    given = replace(plain, virtual={1: (2, 2), 2: (2, 2)})
    index = [opposition_index_of(event_of(each, tmp_path)) for each in (plain, given)]
    assert (index[0].buchholz == index[1].buchholz).all()


@pytest.mark.parametrize(
    ("rounds", "seeding"), [(2, False), (3, False), (4, True), (9, True)]
)
def test_seeding_rounds(rounds: int, seeding: bool, tmp_path: Path) -> None:
    """Article 1.6: half of the rounds, rounded down, and at most 4."""
    given = burstein(replace(FOUR, rounds=rounds))
    result = solve(event_of(given, tmp_path), MODEL)
    assert result.problem.system is not None
    assert (result.problem.system.kind == "dutch") == seeding == given.seeding


def test_the_number_of_rounds_must_be_known_in_the_first_four(tmp_path: Path) -> None:
    event = event_of(FOUR, tmp_path)
    unknown = replace(event, settings=replace(event.settings, rounds=None))
    with pytest.raises(InputError, match="needs the number of rounds"):
        solve(unknown, MODEL)
    assert not is_seeding_round(replace(unknown, round=5))


@pytest.mark.parametrize("name", CASES)
def test_cases_by_hand(name: str, tmp_path: Path) -> None:
    given, why, wanted = CASES[name]
    for found in (
        Literal(given).pairs(),
        burstein_global.pairs(given),
        paired(solve(event_of(given, tmp_path), MODEL)),
    ):
        assert set(found or []) == wanted, why


def test_pairings_of_six_with_two_floaters() -> None:
    """The note of article 4.3."""
    given = games(*[""] * 6, rounds=1)
    every = [
        [
            f"{one}-{two}"
            for one, two in sorted([*pairs, *((each, 0) for each in floats)])
        ]
        for pairs, floats in Literal(given).pairings(given.ranked)
        if len(floats) == 2
    ]
    texts = [" ".join(each) for each in every]
    assert len(set(texts)) == 45
    assert texts[:7] == [
        "1-6 2-5 3-0 4-0",
        "1-6 2-4 3-0 5-0",
        "1-6 2-3 4-0 5-0",
        "1-6 2-0 3-5 4-0",
        "1-6 2-0 3-4 5-0",
        "1-6 2-0 3-0 4-5",
        "1-5 2-6 3-0 4-0",
    ]
    assert texts[29:31] == ["1-2 3-0 4-0 5-6", "1-0 2-6 3-5 4-0"]
    assert texts[-1] == "1-0 2-0 3-4 5-6"


def test_places_of_six_with_two_floaters() -> None:
    """The same order by the numbers that are minimised; the two below, 7 and 8, meet floaters."""
    given = games(*[""] * 6, rounds=1)
    facts = SimpleNamespace(rank=np.arange(8))
    six = RankedPlayers(
        np.arange(8), np.array([0] * 6 + [1] * 2), (1, 0), cast(FideAttributes, facts)
    )
    found = []
    for pairs, floats in Literal(given).pairings(given.ranked):
        if len(floats) == 2:
            both = np.array([*pairs, *zip(sorted(floats), (7, 8), strict=True)]) - 1
            a, b = both.min(axis=1), both.max(axis=1)
            found += Burstein(six, 1).compute_order_values(0, a, b)
    assert len(found) == 45
    assert found == sorted({*found})


@pytest.mark.long
@pytest.mark.parametrize("players", [20, 21])
def test_whole_tournaments_are_proven(players: int) -> None:
    world = World(
        players=players,
        rounds=6,
        drops=0.05,
        late=0.1,
        draws=0.3,
        rating_error=0.0,
        win=Fraction(1),
        draw=Fraction(1, 2),
        sides=("white", "black"),
    )
    frame = compare_models([MODEL], world, replicates=3)
    assert set(frame["status"]) == {"optimal"}
    assert (frame["violations"] == 0).all()


@pytest.mark.long
def test_another_engine_verifies_every_bracket(tmp_path: Path) -> None:
    seeds = [seed for seed in range(60) if not burstein(random_round(seed)).seeding][:6]
    for seed in seeds:
        result = solve(
            event_of(burstein(random_round(seed)), tmp_path), MODEL, verify=True
        )
        assert result.arcs is None or "Confirmed by cpsat (cross-check)." in notes_of(
            result
        )
