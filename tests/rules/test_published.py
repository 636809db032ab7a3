"""The criteria of a published round and the weighted sum, counted by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from pairopt import read_event
from pairopt.errors import UsageError
from pairopt.event.arcs import BYE, Arcs, arcs_of
from pairopt.event.state import State, state_of
from pairopt.rules.constraints.byes import NoRepeatBye
from pairopt.rules.constraints.meetings import NoRematch
from pairopt.rules.criteria.rematches import Rematches
from pairopt.rules.criteria.score_groups import ScoreGroups
from pairopt.rules.repair_criteria import (
    ChangedMatches,
    ConstraintBreaches,
    SwappedSides,
    WeightedSum,
)

COLUMNS = ["round", "player1", "player2", "side1", "score1", "score2", "status"]


@pytest.fixture
def state() -> State:
    """A has won against B, C has had a bye: A and C have 3 points."""
    rows = [(1, "A", "B", "corp", 3, 0, ""), (1, "C", None, "", 3, None, "bye")]
    return state_of(read_event(pd.DataFrame(rows, columns=COLUMNS, dtype=object)))


def of(state: State, *pairs: str) -> Arcs:
    """The arcs of pairs as AB, the first side first, or C for C's bye."""
    seat = {name: state.names.index(name) for name in "ABC"}
    both = [[seat[one] for one in pair] for pair in pairs]
    return arcs_of(
        np.array([one[0] for one in both]), np.array([(*one, BYE)[1] for one in both])
    )


def test_what_a_constraint_does_not_allow_is_counted(state: State) -> None:
    arcs = of(state, "AB", "AC", "C", "B")
    rule = ConstraintBreaches((NoRematch(), NoRepeatBye()))
    assert rule.cost(state, arcs).tolist() == [1, 0, 1, 0]
    assert rule.keeps_rules(state, arcs).tolist() == [False, True, False, True]


def test_tables_that_change_and_those_that_are_turned(state: State) -> None:
    arcs = of(state, "AB", "BA", "AC", "C")
    assert ChangedMatches(((0, 1),)).cost(state, arcs).tolist() == [0, 0, 1, 0]
    assert SwappedSides(((0, 1),)).cost(state, arcs).tolist() == [0, 1, 0, 0]


def test_the_weighted_sum_is_each_level_by_its_weight(state: State) -> None:
    """A and B have met once and are 3 points apart; C is 3 points above B, and level with A."""
    rules, weights = (Rematches(), ScoreGroups()), (Fraction(5, 2), Fraction(1, 3))
    arcs = of(state, "AB", "AC", "BC")
    total = WeightedSum(rules, weights)
    apart = np.full(len(arcs), Fraction(0))
    for rule, weight in zip(rules, weights, strict=True):
        labels = rule.labels(state)
        units = [weight * rule.magnitude(label) / rule.scale(state) for label in labels]
        apart += rule.values(state, arcs, labels) @ np.array(units, np.object_)
    assert (
        total.cost(state, arcs) * Fraction(1, total.scale(state))
    ).tolist() == apart.tolist()
    assert apart[0] > apart[2] > apart[1] == 0


def test_a_sum_that_no_number_holds_is_refused(state: State) -> None:
    with pytest.raises(UsageError):
        WeightedSum((Rematches(),), (Fraction(10**30),)).cost(state, of(state, "AB"))
