"""The yardsticks of large fields: they order pairings as the oracles of small fields do."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from larger_fields import WEIGHTED, drawn, system_round, tight
from neighbours import (
    Ahead,
    Brackets,
    Pairs,
    Priced,
    Ranked,
    Sums,
    any_legal,
    changed,
    climb,
    disturbed,
    exchanges,
    first_better,
    least,
    matching,
)
from neighbours import drawn as drawn_change
from oracle import Oracle, Pairing, magnitude


def arcs_of(oracle: Oracle, pairs: Pairs) -> Pairing:
    """The pairs with the better way round of each."""
    names = [*oracle.active, None]
    found: Pairing = []
    for one, two in pairs:
        ways = oracle.legal_arcs[names[one], names[two]]
        found.append(min(ways, key=lambda way: oracle.costs[way]))
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    "model", ["standard", "top-first", "aesops", "fide-basic", "gatherling"]
)
def test_sums_order_pairings_as_the_levels_do(model: str) -> None:
    chance, seen = Random(model), {-1: 0, 0: 0, 1: 0}
    for number in range(4):
        case = drawn(number, model, largest=14).case
        plain, sums = (
            case.oracle(),
            Sums(Priced(case.rows, case.players, case.model, **case.options)),
        )
        some = any_legal(sums, chance, 3000)
        if some is None:
            continue
        for _ in range(60):
            other = disturbed(sums, some, chance, 3)
            mine, theirs = (
                plain._total(arcs_of(plain, each)) for each in (some, other)
            )
            sign = (theirs > mine) - (theirs < mine)
            change = sums.total(other) - sums.total(some)
            assert (change > 0) - (change < 0) == sign
            assert sums.oracle.vector(arcs_of(plain, some)) == plain.vector(
                arcs_of(plain, some)
            )
            seen[sign] += 1
            some = other
    assert min(seen[1], seen[-1]) > 20


@pytest.mark.long
def test_weights_count_as_weighted_sums_do() -> None:
    chance = Random(1)
    for model in WEIGHTED:
        case = drawn(3, model, weighted=True, largest=12).case
        plain, priced = (
            case.oracle(),
            Priced(case.rows, case.players, case.model, **case.options),
        )
        totals, sums = [], []
        for _ in range(12):
            pairs = any_legal(Sums(priced), chance, 3000)
            assert pairs is not None
            pairing = arcs_of(plain, pairs)
            totals.append(priced.total(pairing))
            sums.append(
                sum(
                    Fraction(priced.criteria[int(place)]["weight"])
                    * magnitude(priced.criteria[int(place)], label)
                    * value
                    for (place, label), value in plain.vector(pairing).items()
                )
            )
        assert len({*sums}) > 1
        assert all(
            a * sums[0] == b * totals[0] for a, b in zip(totals, sums, strict=True)
        )


@pytest.mark.long
@pytest.mark.parametrize("system", ["fide-dutch", "fide-burstein"])
def test_brackets_order_pairings_as_all_their_numbers_do(system: str) -> None:
    chance, compared = Random(system), 0
    for number in range(12):
        brackets = Brackets(system_round(number, system))
        pairs = any_legal(brackets, chance, 3000)
        if pairs is None:
            continue
        for _ in range(25):
            standing, key = Ranked(brackets, pairs), brackets.key(pairs)
            out, into = drawn_change(pairs, chance, chance.choice((2, 2, 3, 5)))
            other = changed(pairs, out, into)
            if all(brackets.allowed(*pair) for pair in into):
                assert standing.better(out, into) == (brackets.key(other) < key)
                compared += 1
                pairs = other
            else:
                assert not standing.better(out, into)
    assert compared > 60


@pytest.mark.long
def test_a_climb_from_afar_comes_to_what_is_best() -> None:
    chance, to_the_top = Random(2), 0
    for number in range(10):
        case = drawn(number, "monrad", largest=16).case
        sums = Sums(Priced(case.rows, case.players, case.model, **case.options))
        start = any_legal(sums, chance, 3000)
        if start is None:
            assert matching(sums.seats, sums.allowed) is None
            continue
        top = climb(sums, start, chance, 2000)
        assert sums.total(top) <= sums.total(start)
        assert sums.total(top) >= least(sums)
        to_the_top += sums.total(top) == least(sums)
    assert to_the_top >= 3


def test_a_pairing_that_one_exchange_betters_is_noticed() -> None:
    chance, found = Random(3), 0
    for number in range(12):
        brackets = Brackets(system_round(number, "fide-dutch"))
        pairs = any_legal(brackets, chance, 3000)
        if pairs is not None:
            _, better = first_better(brackets, pairs, chance, 20)
            found += better is not None
            assert better is None or brackets.key(better) < brackets.key(pairs)
    assert found > 8


def test_exchanges_are_all_there() -> None:
    pairs = [(0, 1), (2, 3), (4, 5)]
    every = [changed(pairs, out, into) for out, into in exchanges(pairs)]
    assert len({tuple(each) for each in every}) == 6
    assert [(0, 2), (1, 3), (4, 5)] in every


def test_rounds_that_are_left() -> None:
    """Six players: any round leaves four, of what a round robin has left one fewer each time."""
    case, _ = tight(0)
    case = type(case)(
        [], [{"player": name, "active": True} for name in "ABCDEF"], case.model
    )
    pairs = [(0, 1), (2, 3), (4, 5)]
    assert [Ahead(case.oracle(), k, 5000)(pairs) for k in (1, 4, 5)] == [
        True,
        True,
        False,
    ]
    assert Ahead(case.oracle(), 4, 3)(pairs) is None
