"""The two oracles of the Dutch System: against the articles' examples, by hand, and each other."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

import dutch_global
import pytest
from dutch_cases import CASES
from dutch_literal import Literal
from dutch_random import covered, random_round
from dutch_round import Cell, Preference, Round, of_trf
from places import REAL

RANDOM = 2000
AT_LEAST = 50
"""How many of the random rounds have each of what `AIMS` names."""
AIMS = (
    "absences",
    "forfeits",
    "byes",
    "requested byes",
    "topscorers",
    "exchange",
    "limbo",
    "completion",
)
BBP = REAL / "dutch" / "cases.jsonl"


def numbered(size: int) -> Literal:
    """An oracle of so many players who have not played."""
    return Literal(Round(dict.fromkeys(range(1, size + 1), ())))


def test_transpositions_of_eleven_players() -> None:
    """The examples of article 4.2.2."""
    oracle = numbered(11)
    homogeneous = list(oracle._transposed(range(1, 6), range(6, 12)))
    assert len(homogeneous) == 720
    assert homogeneous[:3] == [(6, 7, 8, 9, 10), (6, 7, 8, 9, 11), (6, 7, 8, 10, 9)]
    assert homogeneous[119] == (6, 11, 10, 9, 8)
    assert homogeneous[120] == (7, 6, 8, 9, 10)
    assert homogeneous[-1] == (11, 10, 9, 8, 7)
    from_above = list(oracle._transposed((1, 2), range(3, 12)))
    assert len(from_above) == 72
    assert from_above[:2] == [(3, 4), (3, 5)]
    assert from_above[7:9] == [(3, 11), (4, 3)]
    assert from_above[-1] == (11, 10)


@pytest.mark.parametrize(
    ("size", "first", "then"),
    [
        (11, "4 6", "5 4 6 7"),  # one BSN before two
        (11, "4 6", "5 8"),  # 4.3.2.2
        (11, "4 3 6 8", "5 4 8 9"),
        (11, "5 7", "4 6"),  # 4.3.2.3, the differences being equal
        (11, "5 2 6 8", "4 3 6 8"),
        (12, "5 4 1 7 8 9", "5 3 2 7 8 9"),
        (12, "4 3 7 10", "4 3 8 9"),  # 4.3.2.4
        (12, "5 4 1 7 8 11", "5 4 1 7 9 10"),
    ],
)
def test_exchanges_as_the_article_orders_them(size: int, first: str, then: str) -> None:
    half = size // 2
    order = Literal._exchanges(size, half)

    def place(words: str) -> int:
        numbers = sorted(int(word) - 1 for word in words.split())
        return order.index(
            (
                tuple(k for k in numbers if k < half),
                tuple(k for k in numbers if k >= half),
            )
        )

    assert place(first) < place(then)


def test_sets_of_moved_down_players() -> None:
    """Article 4.4.2: by the smallest number in which two sets differ."""
    assert list(combinations("1234", 2))[:4] == [
        ("1", "2"),
        ("1", "3"),
        ("1", "4"),
        ("2", "3"),
    ]


def game(sides: str) -> tuple[Cell, ...]:
    """Drawn games with these sides against 2, 3 and so on; u for an unplayed round."""
    return tuple(
        Cell() if side == "u" else Cell(k, side, "=") for k, side in enumerate(sides, 2)
    )


@pytest.mark.parametrize(
    ("sides", "side", "strength"),
    [
        ("", "", 0),
        ("w", "b", 2),
        ("wb", "w", 1),
        ("wwb", "b", 2),
        ("bwbuw", "b", 1),
        ("wbb", "w", 3),
        ("wwbww", "b", 3),
        ("bubu", "w", 3),
        ("wwuu", "b", 3),
    ],
)
def test_preferences(sides: str, side: str, strength: int) -> None:
    """Article 1.7; unplayed rounds are passed over."""
    others = dict.fromkeys(range(2, 9), ())
    played = {
        n: (Cell(),) * (n - 2) + (Cell(1, "w", "="),) for n in range(2, 2 + len(sides))
    }
    given = Round({1: game(sides), **others, **played})
    assert given.preference(1) == Preference(side, strength)


@pytest.mark.parametrize("name", CASES)
def test_cases_by_hand(name: str) -> None:
    case = CASES[name]
    given = of_trf("\n".join(case.lines))
    for found in (Literal(given).pairs(), dutch_global.pairs(given)):
        assert found is not None
        assert set(found) == case.pairs, case.why


def compare(seeds: range) -> Counter[str]:
    """Both oracles on random rounds, which must agree; what the rounds had."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        given = random_round(seed)
        literal = Literal(given)
        pairs, others = literal.pairs(), dutch_global.pairs(given)
        assert (pairs is None) == (others is None), seed
        assert sorted(pairs or []) == sorted(others or []), seed
        seen.update(covered(given) | literal.seen)
    return seen


@pytest.mark.long
def test_the_oracles_agree_on_a_sample() -> None:
    assert not set(AIMS) - set(compare(range(60)))


@pytest.mark.slow
def test_the_oracles_agree() -> None:
    seen = compare(range(RANDOM))
    assert all(seen[what] >= AT_LEAST for what in AIMS), seen


@pytest.mark.parametrize("seed", range(20))
def test_a_round_is_the_same_after_its_trf(seed: int) -> None:
    given = random_round(seed)
    assert of_trf(given.trf()).trf() == given.trf()
    assert Literal(of_trf(given.trf())).pairs() == Literal(given).pairs()


@pytest.mark.skipif(not BBP.is_file(), reason="the real files are not here")
@pytest.mark.long
def test_another_program_agrees_on_small_fields() -> None:
    """bbpPairings' answers for its own random rounds, sides included."""
    cases = [json.loads(line) for line in BBP.read_text(encoding="utf-8").splitlines()]
    small = [case for case in cases if len(of_trf(case["trf"]).here) <= 11]
    assert small
    for case in small:
        pairs = Literal(of_trf(case["trf"])).pairs()
        assert sorted(pairs or []) == sorted(map(tuple, case["pairs"])), case["case"]
