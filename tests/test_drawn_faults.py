"""The list of drawn faults stays usable: each fault can be planted today."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from drawn_faults import (
    LIST,
    NOBODY,
    TIME_LIMIT,
    Fault,
    check_fault,
    describe_share,
    read_faults,
    read_seed,
    write_faults,
)
from fault_anchors import Anchor, AnchorError, list_places, make_anchor, plant
from fault_switches import add_switches, has_switch
from nearest import ROOT

FAULTS = read_faults()
CODE = """\
def outer(a, *, b=1):  # a comment
    if a: return b
    elif b > 0:

        # another comment
        @decorated
        def inner(): ...
    if a == "é": x = [
        a,
        b,
    ]; y = 2
    try:
        x = 1
    except ValueError:
        x = 1
"""


@pytest.mark.long
def test_there_are_200_of_all_packages() -> None:
    assert len(FAULTS) == len({fault.name for fault in FAULTS}) == 200
    packages = Counter(fault.module.split("/")[1] for fault in FAULTS)
    assert len([name for name in packages if not name.endswith(".py")]) >= 12
    assert len(read_seed()) == 40


@pytest.mark.long
def test_each_can_be_planted() -> None:
    """A fault whose statement is gone on purpose gets a reason in its row."""
    faults = [(fault, check_fault(fault)) for fault in FAULTS if not fault.retired]
    lost = [f"{fault.name}\n    {problem}" for fault, problem in faults if problem]
    retired = [
        f"{fault.name}\n    {fault.retired}" for fault in FAULTS if fault.retired
    ]
    assert not lost, "\n".join(
        [
            f"{len(lost)} faults of {LIST.name} have lost their statements:",
            *lost,
            "Names have changed: python tests/drawn_faults.py reanchor COMMIT (the one before).",
            "The statement says the same in other words: write statement and changed again.",
            'It is deleted: give its row retired = "why". Retired so far:',
            *retired,
        ]
    )


def test_each_retired_fault_has_gone() -> None:
    retired = [fault for fault in FAULTS if fault.retired]
    assert [fault.name for fault in retired if not check_fault(fault)] == []


def test_the_tests_that_notice_them_are_there() -> None:
    """Outcomes name files of tests that exist."""
    named = {test for fault in FAULTS for test in (fault.fast, fault.long)} - {
        "",
        NOBODY,
    }
    files = {test.removesuffix(TIME_LIMIT).split("::")[0] for test in named}
    assert [name for name in sorted(files) if not (ROOT / name).exists()] == []


def test_only_unnoticed_faults_are_equivalent() -> None:
    assert [
        fault.name for fault in FAULTS if fault.equivalent and fault.fast != NOBODY
    ] == []


# ------------------------------------------------------------------ anchors


def test_every_statement_can_be_replaced_by_itself() -> None:
    tree = ast.dump(ast.parse(CODE))
    for place in list_places(ast.parse(CODE)):
        anchor = make_anchor(CODE, place)
        assert ast.dump(ast.parse(plant(CODE, anchor, anchor.statement))) == tree


@pytest.mark.parametrize(
    ("anchor", "changed", "old", "new"),
    [
        (
            Anchor("outer", "def outer(a, *, b=1):"),
            "def outer(a, *, b=2):",
            "b=1",
            "b=2",
        ),
        (Anchor("outer", "elif b > 0:"[2:]), "if b >= 0:", "b > 0", "b >= 0"),
        (Anchor("outer", "return b"), "return None", "return b", "return None"),
        (Anchor("outer", "y = 2"), "y = 3", "y = 2", "y = 3"),
        (
            Anchor("outer", "x = 1", 2),
            "x = 2",
            "ValueError:\n        x = 1",
            "ValueError:\n        x = 2",
        ),
        (
            Anchor("outer", "except ValueError:"),
            "except TypeError:",
            "ValueError",
            "TypeError",
        ),
    ],
)
def test_one_statement_is_replaced(
    anchor: Anchor, changed: str, old: str, new: str
) -> None:
    assert CODE.count(old) == 1
    planted = ast.dump(ast.parse(plant(CODE, anchor, changed)))
    assert planted == ast.dump(ast.parse(CODE.replace(old, new)))


def test_the_layout_of_a_statement_does_not_matter() -> None:
    anchor = Anchor("outer", "x = [a, b]")
    assert "x = [b]; y" in plant(CODE, anchor, "x = [b]")


def test_a_statement_that_is_not_there_is_named() -> None:
    with pytest.raises(AnchorError, match=r"outer: occurrence 3 .* there are 2: x = 1"):
        plant(CODE, Anchor("outer", "x = 1", 3), "x = 2")


def test_what_is_no_python_is_not_planted() -> None:
    with pytest.raises(AnchorError, match="no Python"):
        plant(CODE, Anchor("outer", "y = 2"), "y =")


def test_a_list_that_is_written_is_read_again(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "list.toml"
    some = [replace(FAULTS[0], fast="a::b[\"'\\]"), FAULTS[1]]
    write_faults(some, "abc", path)
    assert read_faults(path) == some
    assert read_seed(path) == "abc"


def test_the_share_counts_what_was_tried() -> None:
    fault = Fault("pairopt/a.py", "f", "x = 1", "x = 2")
    faults = [
        fault,
        replace(fault, fast="t"),
        replace(fault, fast=NOBODY),
        replace(fault, fast=NOBODY, long="t"),
        replace(fault, fast=NOBODY, equivalent="dead code"),
    ]
    said = describe_share(faults)
    assert said.startswith(
        "5 faults, 3 tried; fast tests notice 1, longer tests 1 more; 1 not"
    )


# ------------------------------------------------------------------ switches

SWITCHED = """\
def f(a):
    if a == 0:
        b = [
            1,
        ]
    elif a == 1:
        b = [2]
    else:
        try:
            b = [int(a)]
        except ValueError:
            b = []
    for c in b:
        return c
    return None
"""


def test_a_switch_turns_on_one_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {
        3: Fault("m.py", "f", "b = [1]", "b = [10]"),
        4: Fault("m.py", "f", "b = [1]", "b = [11]"),
        5: Fault("m.py", "f", "if a == 1:", "if a == 2:"),
        6: Fault("m.py", "f", "except ValueError:", "except TypeError:"),
        7: Fault("m.py", "f", "for c in b:", "for c in []:"),
        8: Fault("m.py", "f", "return None", "return 0"),
    }
    assert all(has_switch(SWITCHED, fault) for fault in faults.values())
    switch = ModuleType("fault_switch")
    monkeypatch.setitem(sys.modules, "fault_switch", switch)
    module: dict[str, Any] = {}
    exec(add_switches(SWITCHED, faults), module)  # noqa: S102

    def results(active: str) -> list[object]:
        switch.active = active  # type: ignore[attr-defined]
        return [module["f"](a) for a in (0, 1, 2)]

    assert results("") == [1, 2, 2]
    assert results("3") == [10, 2, 2]
    assert results("4") == [11, 2, 2]
    assert results("5") == [1, 1, 2]
    assert results("7") == [None, None, None]
    switch.active = "8"  # type: ignore[attr-defined]
    assert module["f"]("x") == 0
    switch.active = "6"  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="invalid literal"):
        module["f"]("x")


@pytest.mark.parametrize(
    ("scope", "statement", "changed"),
    [
        ("f", "def f(a):", "def f(a=1):"),
        ("f", "for c in b:", "for b in b:"),
    ],
)
def test_headers_without_a_switch(scope: str, statement: str, changed: str) -> None:
    assert not has_switch(SWITCHED, Fault("m.py", scope, statement, changed))
