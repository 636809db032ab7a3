"""Where a player who floats would have to be listed: after those before them, and the other way."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from pairopt.analysis.what_if import _around_floats


def test_suspects_are_put_on_the_other_side_of_their_equals() -> None:
    """0, 1 and 2 have the same points and stand in this order; 0 and 2 float, 1 does not."""
    case = SimpleNamespace(
        score=np.array([3, 3, 3, 0]),
        suspects={0: 2, 2: 2},
        event=SimpleNamespace(active=np.ones(4, np.bool_)),
    )
    moves = list(_around_floats(case, np.arange(4)))  # type: ignore[arg-type]
    assert moves == [
        (0, 2, True),
        (0, 1, False),
        (0, 2, True),  # the last, the first, and after its equal
        (2, 1, True),
        (2, 0, False),
        (2, 0, False),
    ]
