"""What more of one criterion saves of another, by hand; and how frontiers are drawn."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from pairopt import UsageError
from pairopt.analysis.frontier import Frontier, FrontierAxis, FrontierPoint
from pairopt.analysis.frontier_slopes import price_curve, prices, table_of
from pairopt.engines.base import Status


def axis(name: str, scale: int = 1, offset: int = 0) -> FrontierAxis:
    return FrontierAxis(name, name, (), (), scale, offset, 0)


def found(
    number: int,
    *totals: tuple[int, ...],
    own: tuple[int, ...] | None,
    status: Status = "optimal",
) -> Frontier:
    """The frontier of a round, floats against unbalanced players in halves."""
    return Frontier(
        event="friday",
        round=number,
        model="standard",
        players=8,
        axes=(axis("floats"), axis("unbalanced", scale=2, offset=1)),
        held=(),
        status=status,
        points=tuple(FrontierPoint(total, ()) for total in totals),
        own=own,
        said="",
    )


ROUNDS = [
    found(2, (0, 9), (1, 5), (3, 1), own=(0, 9)),
    found(3, (4, 3), own=(4, 5)),
    found(4, (1, 7), own=(1, 7), status="feasible"),
    found(5, own=None, status="infeasible"),
]


def test_the_table_has_a_row_a_compromise() -> None:
    table = table_of(ROUNDS)
    assert table.drop(columns=["event", "model", "players"]).astype(object).where(
        table.notna(), None
    ).to_numpy().tolist() == [
        [2, "optimal", 1, 1, 0, 5],
        [2, "optimal", 2, 0, 1, 3],
        [2, "optimal", 3, 0, 3, 1],
        [3, "optimal", 1, 0, 4, 2],
        [3, "optimal", None, 1, 4, 3],
        [4, "feasible", 1, 1, 1, 4],
        [5, "infeasible", None, 0, None, None],
    ]


def test_prices_are_means_over_complete_rounds() -> None:
    found = prices(table_of(ROUNDS))
    assert found.to_numpy().tolist() == [
        [0, 2, 3.5, 0, 0],
        [1, 2, 2.5, 1, 1],
        [3, 2, 1.5, 2, 1],
    ]


def test_the_other_way_round() -> None:
    found = prices(table_of(ROUNDS), ["unbalanced", "floats"])
    assert found["more"].tolist() == [0, 2, 4]
    assert found["least"].tolist() == [3.5, 2.5, 2]


def test_no_complete_round_has_no_price() -> None:
    table = table_of(ROUNDS[2:])
    assert prices(table).empty
    with pytest.raises(UsageError, match="No round has a complete frontier"):
        price_curve(table)


def test_prices_are_between_two_criteria() -> None:
    axes = tuple(axis(name) for name in "abc")
    three = replace(
        ROUNDS[0], axes=axes, points=(FrontierPoint((1, 2, 3), ()),), own=None
    )
    with pytest.raises(UsageError, match="needs two criteria, but you gave 3"):
        prices(table_of([three]))
    assert len(prices(table_of([three]), ["a", "c"])) == 1


def test_the_curve_is_that_of_the_prices() -> None:
    table = table_of(ROUNDS)
    (line,) = price_curve(table).lines
    assert pd.Series(line.get_ydata()).tolist() == prices(table)["least"].tolist()
