"""Prices of a linear program in floating point: believed only where they are exact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from ortools.linear_solver.python.model_builder_helper import SolveStatus

from pairopt.common.budget import Budget
from pairopt.engines.allowed_arcs import LISTED_FIRST, AllowedArcs
from pairopt.event.arcs import FloatArray
from pairopt.sampling import tight_arcs as program
from pairopt.sampling.tight_arcs import prove_lower_bound


def four_players() -> AllowedArcs:
    """All pairs of four; that of the first two costs 1."""
    first, second = np.triu_indices(4, 1)
    return AllowedArcs(
        size=np.ones(4, np.int64),
        a=first,
        b=second,
        cap=np.ones(6, np.int64),
        sides=np.full(6, LISTED_FIRST),
        costs=np.array([[1], [0], [0], [0], [0], [0]]),
    )


class Says:
    """A linear solver that claims these prices."""

    def __init__(self, prices: Sequence[float]) -> None:
        self.prices = prices

    def solve(self, _: object) -> None:
        pass

    def status(self) -> SolveStatus:
        return SolveStatus.OPTIMAL

    def variable_values(self) -> FloatArray:
        return np.array(self.prices)


@pytest.mark.parametrize(
    ("claimed", "believed"),
    [
        ((0, 0, 0, 0), True),
        ((1e-9, 0, 0, -1e-9), True),  # rounded to fractions
        ((0.5, -0.5, 0, 0), False),  # first and third cost less than their prices
        ((0, 0, 0, 1), False),  # another sum
    ],
)
def test_no_pair_costs_less_than_its_prices(
    claimed: tuple[float, ...], believed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = four_players()
    index = np.arange(6)
    prices = program.DualProgram(columns, index, columns.costs[:, 0], (), (), Budget())
    monkeypatch.setattr(program, "_make_solver", lambda _: Says(claimed))
    found = prices.find_exact_duals(0)
    assert (found is not None) == believed
    if found is not None:
        assert found[0].tolist() == [1, 0, 0, 0, 0, 0]


def test_prices_prove_the_least_value() -> None:
    columns = four_players()
    found = prove_lower_bound(columns, np.ones(6, np.bool_), (), columns.costs[:, 0])
    assert found is not None
    assert found.value == 0
    assert not found.tight[0]
    assert found.tight[1:5].all()
