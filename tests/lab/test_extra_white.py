"""What a game more with White is worth: the regression by other means, and a planted effect."""

from __future__ import annotations

import extra_white as benchmark
import numpy as np
import pandas as pd
import pytest
import worlds
from places import REAL, ROOT

STORED = ROOT / "tests" / "benchmarks" / "results" / "extra-white.csv"


def games(*rows: tuple[int, int, int, int], ratings: tuple[float, ...]) -> worlds.Games:
    """Round, White, Black and result of each, 0 where White won, 1 for a draw."""
    number = np.zeros(len(ratings), np.int64)
    return worlds.Games(*np.array(rows).T, np.array(ratings), number)


def test_scores_by_hand() -> None:
    """1 - 2, 3 - 4; 2 - 3, 4 - 1; 1 - 3, and 2 and 4 sit out: they have not played all."""
    played = games((1, 0, 1, 0), (1, 2, 3, 1), (2, 1, 2, 2), (2, 3, 0, 1), (3, 0, 2, 1),
                   ratings=(2000, 2000, 2000, 2000))  # fmt: skip
    one = benchmark.scores_of(played, 1)
    assert one.extra.tolist() == [1, 0, 1, 0]
    assert one.points.tolist() == [1, 0, 0.5, 0.5]
    assert one.expected.tolist() == [0.5] * 4
    three = benchmark.scores_of(played, 3)
    assert (three.extra.tolist(), three.points.tolist()) == ([1, 0], [2, 2])


def test_the_slope_is_least_squares_with_errors_of_each_player() -> None:
    """HC3 as it is defined: each residual over one less its leverage, of n fits without one."""
    rng = np.random.default_rng(1)
    extra, rating = rng.integers(0, 2, 40).astype(float), rng.normal(0, 100, 40)
    points = 3 + 0.4 * extra + rating / 100 + rng.normal(0, 1 + extra)
    known = np.column_stack([extra, np.ones(40), rating])
    found = benchmark.slope(extra, known[:, 1:], points)
    whole = np.linalg.lstsq(known, points, rcond=None)[0]
    assert found.value == pytest.approx(whole[0])
    moved = [
        np.linalg.lstsq(np.delete(known, k, 0), np.delete(points, k), rcond=None)[0][0]
        for k in range(40)
    ]
    error = np.sqrt(np.sum((np.array(moved) - whole[0]) ** 2))
    assert found.high - found.low == pytest.approx(2 * 2.026192 * error, rel=1e-6)
    assert found.found == pytest.approx((2.026192 + 0.851429) * error, rel=1e-5)


@pytest.mark.long
@pytest.mark.parametrize(("white", "worth"), [(0.5, 0.0), (0.8, 0.6)])
def test_a_planted_effect_is_found(white: float, worth: float) -> None:
    """Games of equals in which White scores so much: a White instead of a Black is twice the excess
    over a half."""
    rng, n = np.random.default_rng(2), 20_000
    rows = [
        (number, a, b, 0 if rng.random() < white else 2)
        for number in range(1, 4)
        for a, b in rng.permutation(n).reshape(-1, 2).tolist()
    ]
    of = games(*rows, ratings=tuple(rng.normal(2000, 1, n)))
    asked = {name: found.value for name, _, _, found in benchmark.rows_of(of, 3)}
    assert asked == pytest.approx(
        dict.fromkeys(("points", "excess", "games"), worth), abs=0.03
    )


@pytest.mark.long
@pytest.mark.skipif(not REAL.is_dir(), reason="no real events here")
def test_what_is_stored_is_of_the_real_opens() -> None:
    events = worlds.opens(REAL)
    of = {"all": worlds.games_of_opens([*events.values()])}
    made, stored = benchmark.table_of(of), pd.read_csv(STORED)
    pd.testing.assert_frame_equal(
        made, stored[stored["event"] == "all"].reset_index(drop=True), atol=2e-4
    )
