"""Where both ways round of a match are as good, a coin decides, and only there."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from pairopt.engines.allowed_arcs import LISTED_FIRST, OTHER_FIRST, with_first_sides
from pairopt.event.arcs import BYE, IntArray

EITHER = LISTED_FIRST | OTHER_FIRST


def pairs(chance: Random, ways: tuple[int, ...]) -> tuple[IntArray, IntArray, IntArray]:
    """Some matches, the last of them sometimes a bye, and which ways round each may be."""
    players = chance.sample(range(40), 2 * chance.randint(1, 9))
    first, second = (np.array(players[k::2], np.int64) for k in (0, 1))
    bits = np.array([chance.choice(ways) for _ in first], np.int64)
    if chance.random() < 0.3:
        second[-1], bits[-1] = BYE, LISTED_FIRST
    return first, second, bits


@pytest.mark.parametrize("ways", [(1, 2), (1, 3), (2, 3), (1, 2, 3), (3,)])
def test_coins_are_those_of_their_places(ways: tuple[int, ...]) -> None:
    """The coin of a match is of its place alone: which other matches have one is no matter."""
    for seed in range(60):
        first, second, bits = pairs(Random(seed), ways)
        made = with_first_sides(first, second, bits, (seed, 1)).pairs
        coins = np.random.default_rng([seed, 1]).integers(1, 3, len(bits)).tolist()
        for k, (one, two) in enumerate(
            zip(first.tolist(), second.tolist(), strict=True)
        ):
            way = coins[k] if bits[k] == EITHER else bits[k]
            assert made[k] == ((two, one) if way == OTHER_FIRST else (one, two))


def test_a_generator_is_as_good_as_its_seed() -> None:
    first, second, bits = pairs(Random(5), (1, 3))
    one = with_first_sides(first, second, bits, np.random.default_rng([5, 1]))
    assert one.pairs == with_first_sides(first, second, bits, (5, 1)).pairs
