"""The checker accuses no true tournament, and finds what is planted, where it is."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from pathlib import Path

import pytest
from whole_tournaments import (
    SYSTEMS,
    Pair,
    Pairs,
    Tournament,
    exchanged,
    other_rank,
    tournament,
    turned,
)

from pairopt import check_all, read_event, solve
from pairopt.event.stated_standings import compare_stated_standings


def found(text: str, folder: Path) -> tuple[list[int], list[str], int | None]:
    """The rounds that are accused, who has wrong points, and the first wrong place."""
    path = folder / "made.trf"
    path.write_text(text, encoding="utf-8")
    event = read_event(path)
    rounds = [each.round for each in check_all(event) if not each.agrees]
    stated = compare_stated_standings(event)
    assert stated is not None
    return rounds, [*stated.points], stated.place


def by_pairopt(folder: Path) -> Pair:
    """What pairs, in the older dialect."""

    def pair(text: str) -> Pairs | None:
        path = folder / "request.trfx"
        path.write_text(text, encoding="utf-8")
        result = solve(read_event(path), model="fide-dutch")
        if result.arcs is None:
            return None
        names = [*map(int, result.problem.state.names), 0]  # the bye is -1
        return [(names[one], names[two]) for one, two in result.arcs.pairs]

    return pair


def made(seed: int, folder: Path, **how: object) -> Tournament:
    """The first tournament from a seed on of which each round has a pairing."""
    tries = (
        tournament(k, by_pairopt(folder), **how) for k in range(seed, seed + 1000, 97)
    )
    return next(each for each in tries if each is not None)


def planted(whole: Tournament, seed: int, folder: Path) -> Iterator[tuple[str, bool]]:
    """One fault of each kind, and whether it alone is found, in its place."""
    lots = random.Random(seed)
    player = lots.choice([*whole.cells])
    points = whole.score(player, whole.rounds) + Fraction(lots.choice([-1, 1]), 2)
    rounds, wrong, place = found(whole.text({player: points}), folder)
    names = [str(each).partition(" (")[0] for each in wrong]
    yield "points", (rounds, names, place) == ([], [f"Player, {player}"], None)
    player, rank, first = other_rank(whole, lots)
    yield "rank", found(whole.text(ranks={player: rank}), folder) == ([], [], first)
    for kind, change in (("pair", exchanged), ("colour", turned)):
        other = deepcopy(whole)
        if (turn := change(other, lots)) is not None:
            rounds, wrong, place = found(other.text(), folder)
            yield kind, (rounds[:1], wrong, place) == ([turn], [], None)


def sweep(seeds: range, folder: Path, most: int) -> None:
    seen: Counter[str] = Counter()
    for seed in seeds:
        whole = made(seed, folder, most=most)
        assert found(whole.text(), folder) == ([], [], None), seed
        for kind, right in planted(whole, seed, folder):
            assert right, (seed, kind)
            seen[kind] += 1
    assert (
        min(seen[kind] for kind in ("points", "rank", "pair", "colour"))
        > len(seeds) / 2
    )


@pytest.mark.sweep
@pytest.mark.parametrize("system", SYSTEMS)
def test_no_true_tournament_is_accused(system: str, tmp_path: Path) -> None:
    for seed in range(3):
        whole = made(seed, tmp_path, most=11, system=system)
        assert found(whole.text(), tmp_path) == ([], [], None), seed


@pytest.mark.sweep
def test_what_is_planted_is_found_where_it_is(tmp_path: Path) -> None:
    sweep(range(6), tmp_path, 11)


@pytest.mark.slow
def test_five_hundred(tmp_path: Path) -> None:
    sweep(range(500), tmp_path, 16)
