"""How many numbers the verifier looks at: few for what is written, and never more than a limit.

Counted, not timed: `Work` counts what the verification looks at.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from places import ROOT
from test_verify_by_hand import TWO, file_of, level

from pairopt.proof.certificate import encode_runs
from pairopt.proof.verify import MOST_WORK, Work, read, verify

Content = dict[str, Any]


def with_sets(count: int, sets: Sequence[Sequence[int]], dual: int) -> Content:
    """Return a proof file of so many players, 0 against 1 and so on, with these odd sets.

    A match costs as much as the sets that it leaves.
    """
    pairing = [[k, k + 1] for k in range(0, count, 2)]
    inside = [
        sum(1 << k for k, some in enumerate(sets) if v in some) for v in range(count)
    ]
    left = [
        [(inside[i] ^ inside[j]).bit_count() for j in range(count)]
        for i in range(count)
    ]
    rows = [[2 + left[i][j] for j in range(i + 1, count)] for i in range(count - 1)]
    claim = {
        "players": [[str(k), ""] for k in range(count)],
        "pairing": pairing,
        "levels": [level(sum(left[i][j] for i, j in pairing) * dual // 2)],
        "kinds": [[[k * dual // 2]] for k in range(len(sets) + 1)],
        "rows": rows,
    }
    witness = {
        "shown": 1,
        "prices": [],
        "sets": [[[dual], encode_runs(some)] for some in sets],
    }
    return file_of(claim, witness)


def nested(count: int) -> list[range]:
    """Return odd sets that each hold the one before."""
    return [range(k) for k in range(1, count, 2)]


@pytest.mark.parametrize("dual", [0, 2])
def test_nested_sets_take_a_few_numbers_a_pair_of_players(dual: int) -> None:
    count = 160
    work = Work()
    assert verify(with_sets(count, nested(count), dual), None, work).open == 0
    assert work.done < 3 * count**2


@pytest.mark.long
def test_800_players_with_nested_sets_that_cost_nothing() -> None:
    """39 KB that took 20 seconds."""
    count = 800
    rows = [[2, i - count + 2] for i in range(count - 2)]
    claim = {
        "players": [[str(k), ""] for k in range(count)],
        "pairing": [[k, k + 1] for k in range(0, count, 2)],
        "levels": [level(0)],
        "kinds": [[[0]]],
        "rows": [*rows, [2]],
    }
    sets = [[[0], encode_runs(some)] for some in nested(count)]
    work = Work()
    verify(file_of(claim, {"shown": 1, "prices": [], "sets": sets}), None, work)
    assert work.done < count**2


def test_sets_that_cross_each_other_have_an_end() -> None:
    """Every two players have other sets in common: a sum for each two of them."""
    count, chance = 60, random.Random(1)
    pairs = [(k, k + 1) for k in range(0, count, 2)]
    sets = []
    for _ in range(count - 1):
        first, *whole = chance.sample(pairs, count // 4)
        sets.append(sorted([first[0], *(v for pair in whole for v in pair)]))
    content = with_sets(count, sets, 2)

    work = Work()
    assert verify(content, None, work).open == 0
    assert work.done > 5 * count**2
    with pytest.raises(ValueError, match=f"reads fewer than {work.done - 1} numbers"):
        verify(content, None, Work(work.done - 1))


def test_steps_have_an_end() -> None:
    work = Work()
    verify(TWO, None, work)
    with pytest.raises(ValueError, match="expected a proof whose check reads fewer"):
        verify(TWO, None, Work(work.done - 1))


@pytest.mark.long
def test_published_proofs_are_far_below_the_limit() -> None:
    found = 0
    for path in sorted(Path(ROOT, "examples").rglob("proof.json")):
        work = Work()
        verify(read(path.read_text("utf-8")), None, work)
        assert work.done < MOST_WORK / 10_000
        found += 1
    assert found > 50
