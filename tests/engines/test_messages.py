"""CP-SAT's messages as filled here are those of its own modelling layer."""

from __future__ import annotations

import pytest
from ortools.sat.python import cp_model

from pairopt.common.budget import Budget
from pairopt.engines.cpsat.proto import (
    HIGHEST,
    LOWEST,
    ProtoModelBuilder,
    make_parameters,
    solve_proto,
)


def small() -> ProtoModelBuilder:
    """Two integers up to 5 and two booleans, all constraints there are."""
    program = ProtoModelBuilder()
    a, b = program.variable(5), program.variable(5)
    one, two = program.variable(1), program.variable(1)
    program.add([a, b], [1, 2], 7, 7)
    program.add([a, b], [1, -1], LOWEST, -1)
    program.add([b, one], [3, 4], 9, HIGHEST)
    program.exactly_one([one, two])
    program.at_most_one([one])
    program.minimise([b, one], [3, 4])
    return program


def test_same_messages_as_the_modelling_layer() -> None:
    model = cp_model.CpModel()
    a, b = model.new_int_var(0, 5, ""), model.new_int_var(0, 5, "")
    one, two = model.new_bool_var(""), model.new_bool_var("")
    model.add(a + 2 * b == 7)
    model.add(a < b)
    model.add(3 * b + 4 * one >= 9)
    model.add_exactly_one(one, two)
    model.add_at_most_one(one)
    model.minimize(3 * b + 4 * one)
    model.add_hint(a, 1)
    model.add_hint(b, 3)
    program = small()
    program.hint([0, 0, 1])
    program.hint([1, 3])
    assert str(program.proto) == str(model.proto)


def test_optimum() -> None:
    found = solve_proto(small(), make_parameters(Budget(), 0))
    assert (found.status, found.values, found.bound) == ("OPTIMAL", [1, 3, 0, 1], 9)


def test_no_solution() -> None:
    program = small()
    program.add([], [], 1, 1)
    assert solve_proto(program, make_parameters(Budget(), 0)).status == "INFEASIBLE"


def test_what_is_no_program_is_named() -> None:
    program = small()
    program.add([9], [1], 0, 0)
    with pytest.raises(AssertionError, match="9"):
        solve_proto(program, make_parameters(Budget(), 0))
