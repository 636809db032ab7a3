"""What a bracket leaves over, and whether that can surely be paired."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from pairopt.engines.base import Budget
from pairopt.event.fide_attributes import FideAttributes
from pairopt.fide.dutch.bracket_pairs import RankedPlayers
from pairopt.fide.dutch.bracket_system import BracketSystem
from pairopt.fide.dutch.completion import CompletionField


def nobody(*_: Any) -> Any:
    raise AssertionError("where all may meet nothing need be solved")


def field(groups: list[int], bye_group: int) -> CompletionField:
    """Players of these groups, all of whom may meet and have the bye."""
    n = len(groups)
    scores = tuple(range(max(groups), -1, -1))
    ranking = RankedPlayers(
        np.arange(n), np.array(groups), scores, cast(FideAttributes, None)
    )
    system = cast(BracketSystem, SimpleNamespace(ranking=ranking, quality_keys=()))
    legal = ~np.eye(n, dtype=np.bool_)
    return CompletionField(
        system, legal, np.ones(n, np.bool_), bye_group, nobody, Budget()
    )


@pytest.mark.parametrize(
    ("groups", "bye_group"),
    [
        ([0, 0, 1, 1, 2, 2, 2], 2),  # 3 and 4 meet, one of the others has the bye
        ([0, 0, 1, 1, 1, 2, 2], 1),  # one of the three has the bye
        ([0, 0, 1, 1, 1, 2, 3, 3, 3], 3),  # one of the three floats
        ([0, 0, 1, 1, 2, 2], 3),  # nobody has it
    ],
)
def test_a_group_in_which_all_may_meet_leaves_over_one_at_most(
    groups: list[int], bye_group: int
) -> None:
    below = np.flatnonzero(np.array(groups))
    assert field(groups, bye_group).is_next_group_optimal(0, below[:0], below)
